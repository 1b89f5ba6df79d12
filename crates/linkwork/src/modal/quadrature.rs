//! Integration over elements, by products of Gauss's rule on the interval; triangles and tetrahedra as collapsed squares and cubes (Duffy).
//!
//!   (I1)  ∫∫ f dr ds over a triangle = ∫∫ f(u, v (1 − u)) (1 − u) du dv
//!   (I2)  ∫∫∫ f over a tetrahedron   = ∫∫∫ f(u, v (1 − u), w (1 − u)(1 − v)) (1 − u)² (1 − v) du dv dw
//!
//! n points are exact for polynomials of order 2 n − 1, of which the factors in (I1) and (I2) take up to two: four points along the collapsed directions integrate the mass of
//! second-order elements with straight edges exactly, three across them.

use super::mesh::ElementKind;
use crate::linalg::vec3::Vec3;

/// Abscissas and weights on (−1, 1).
const THREE: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];
const FOUR: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
    (-0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
];

/// Points of an element in its own coordinates, with their weights.
pub(super) fn points(kind: ElementKind) -> Vec<(Vec3, f64)> {
    let half = |(x, w): (f64, f64)| (0.5 * (1.0 + x), 0.5 * w);
    let mut list = Vec::new();
    match kind.corners() {
        4 => {
            for (u, a) in FOUR.map(half) {
                for (v, b) in FOUR.map(half) {
                    for (w, c) in FOUR.map(half) {
                        let at = [u, v * (1.0 - u), w * (1.0 - u) * (1.0 - v)];
                        list.push((at, a * b * c * (1.0 - u) * (1.0 - u) * (1.0 - v)));
                    }
                }
            }
        }
        6 => {
            for (u, a) in FOUR.map(half) {
                for (v, b) in FOUR.map(half) {
                    list.extend(THREE.map(|(t, c)| ([u, v * (1.0 - u), t], a * b * c * (1.0 - u))));
                }
            }
        }
        _ => {
            for (r, a) in THREE {
                for (s, b) in THREE {
                    list.extend(THREE.map(|(t, c)| ([r, s, t], a * b * c)));
                }
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volumes, and the integral of r⁴ over a tetrahedron, 4!/7! times 1.
    #[test]
    fn exact_integrals_of_polynomials() {
        for (kind, volume) in
            [(ElementKind::Tet10, 1.0 / 6.0), (ElementKind::Wedge15, 1.0), (ElementKind::Hex20, 8.0)]
        {
            let sum: f64 = points(kind).iter().map(|(_, w)| w).sum();
            assert!((sum - volume).abs() < 1e-14, "{kind:?} {sum}");
        }
        let fourth: f64 = points(ElementKind::Tet10).iter().map(|(at, w)| w * at[0].powi(4)).sum();
        assert!((fourth - 24.0 / 5040.0).abs() < 1e-15, "{fourth}");
        let mixed: f64 =
            points(ElementKind::Hex20).iter().map(|(at, w)| w * at[0].powi(4) * at[1] * at[1]).sum();
        assert!((mixed - 8.0 / 15.0).abs() < 1e-14, "{mixed}");
    }
}
