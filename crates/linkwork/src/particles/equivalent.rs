//! The compiled body: weights of its points, Gram matrix, gradients, rotation from points.

use super::MassProperties;
use super::primaries::{self, Candidate, Primary};
use crate::drawing::Dimension;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Mat3, Vec3, add, any_perpendicular, cross, dot, norm, scale, sub, unit};
use nalgebra::DMatrix;

/// A rigid body as primary particles.
#[derive(Clone, Debug)]
pub struct EquivalentBody {
    dimension: Dimension,
    /// Mass properties as drawn.
    pub properties: MassProperties,
    /// Which points are primary, in order.
    pub primaries: Vec<Primary>,
    /// The primary points as drawn.
    pub at: Vec<Vec3>,
    /// G of (P1), k x k, rows first.
    pub gram: Vec<Vec<f64>>,
    /// Axes of the body's span, as drawn, orthonormal.
    axes: Vec<Vec3>,
    /// P⁻¹: row i holds the gradient of N_i along the axes, then N_i at the centre of mass.
    inverse: Vec<Vec<f64>>,
}

impl EquivalentBody {
    /// Chooses primary points among the candidates and computes G.
    pub fn new(properties: MassProperties, candidates: &[Candidate], dimension: Dimension) -> Self {
        Self::with_primaries(properties, candidates, &[], dimension)
    }

    /// As [`new`](Self::new), with the candidates `first` as primary points before all others. They must not lie in one line or
    /// plane; those that the body has no need of are left out.
    pub fn with_primaries(
        properties: MassProperties,
        candidates: &[Candidate],
        first: &[usize],
        dimension: Dimension,
    ) -> Self {
        Self::in_shape(properties, candidates, first, &[], dimension)
    }

    /// As [`with_primaries`](Self::with_primaries), with the primary points that a neighbour of the body has, unless these span less than the body.
    pub(crate) fn in_shape(
        properties: MassProperties,
        candidates: &[Candidate],
        first: &[usize],
        given: &[Primary],
        dimension: Dimension,
    ) -> Self {
        let own = primaries::choose(&properties, candidates, first, dimension);
        let fits = |primary: &Primary| match *primary {
            Primary::Candidate(i) => i < candidates.len(),
            Primary::Helper(_) => true,
        };
        let chosen = match given.len() >= own.len() && given.iter().all(fits) {
            true => given.to_vec(),
            false => own,
        };
        let at: Vec<Vec3> = chosen
            .iter()
            .map(|p| match *p {
                Primary::Candidate(i) => candidates[i].at,
                Primary::Helper(x) => x,
            })
            .collect();
        let k = at.len();
        let mut axes: Vec<Vec3> = Vec::new();
        for &x in &at[1..] {
            let off = |x: Vec3| axes.iter().fold(x, |r, &e| sub(r, scale(dot(r, e), e)));
            let e = unit(off(unit(off(sub(x, at[0])))));
            axes.push(e);
        }
        let p =
            DMatrix::from_fn(
                k,
                k,
                |r, c| {
                    if r + 1 == k { 1.0 } else { dot(sub(at[c], properties.com), axes[r]) }
                },
            );
        // The choice keeps P well conditioned; a body of coincident points has k = 1.
        let inverse = p.try_inverse().unwrap_or_else(|| DMatrix::identity(k, k));
        let s = properties.second_moments(dimension);
        let mut moments = DMatrix::zeros(k, k);
        for r in 0..k - 1 {
            for c in 0..k - 1 {
                moments[(r, c)] = match (dimension, k) {
                    // on a line, the whole polar moment lies along it
                    (Dimension::Planar, 2) => properties.inertia_about_com[2][2],
                    _ => (0..3).map(|i| axes[r][i] * dot(s[i], axes[c])).sum(),
                };
            }
        }
        moments[(k - 1, k - 1)] = properties.mass;
        let g = &inverse * moments * inverse.transpose(); // (P2)
        EquivalentBody {
            dimension,
            gram: (0..k).map(|r| (0..k).map(|c| 0.5 * (g[(r, c)] + g[(c, r)])).collect()).collect(),
            inverse: (0..k).map(|r| (0..k).map(|c| inverse[(r, c)]).collect()).collect(),
            properties,
            primaries: chosen,
            at,
            axes,
        }
    }

    /// Number of primary particles.
    pub fn k(&self) -> usize {
        self.at.len()
    }

    /// The weights N_i of a point of the body, as drawn. Exact ones for the primary points themselves.
    pub fn weights(&self, x: Vec3) -> Vec<f64> {
        if let Some(i) = self.at.iter().position(|&p| p == x) {
            return (0..self.k()).map(|j| f64::from(u8::from(i == j))).collect();
        }
        let y = sub(x, self.properties.com);
        let k = self.k();
        self.inverse
            .iter()
            .map(|row| row[k - 1] + (0..k - 1).map(|a| row[a] * dot(y, self.axes[a])).sum::<f64>())
            .collect()
    }

    /// The centre of mass of the primary points' present positions (or velocities).
    #[inline]
    pub fn centre(&self, now: &[Vec3]) -> Vec3 {
        let k = self.k();
        now.iter().zip(&self.inverse).fold([0.0; 3], |s, (&x, row)| add(s, scale(row[k - 1], x)))
    }

    /// A force at the centre of mass and a moment about it, as forces on the primary particles.
    #[inline]
    pub fn particle_forces(&self, now: &[Vec3], wrench: &Wrench) -> [Vec3; 4] {
        let mut f = self.couple_forces(now, wrench.moment);
        let k = self.k();
        for (f, row) in f.iter_mut().zip(&self.inverse) {
            *f = add(*f, scale(row[k - 1], wrench.force));
        }
        f
    }

    /// How far a point, as drawn, lies off the span of the primary points.
    pub fn distance_off(&self, x: Vec3) -> f64 {
        norm(self.axes.iter().fold(sub(x, self.at[0]), |r, &e| sub(r, scale(dot(r, e), e))))
    }

    /// Axes of the body's span as drawn, orthonormal.
    pub(crate) fn axes(&self) -> &[Vec3] {
        &self.axes
    }

    /// ∇N_i as drawn.
    pub(crate) fn gradient(&self, i: usize) -> Vec3 {
        (0..self.k() - 1).fold([0.0; 3], |s, a| add(s, scale(self.inverse[i][a], self.axes[a])))
    }

    /// How vectors of the body as drawn stand now: the rotation R with r_j − r_i = R (x_j − x_i).
    /// A body on a line has no spin of its own; R then turns by the shortest way.
    pub fn rotation(&self, now: &[Vec3]) -> Mat3 {
        let image =
            |e: Vec3| (0..self.k()).fold([0.0; 3], |s, i| add(s, scale(dot(self.gradient(i), e), now[i])));
        let (mut before, mut after) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for (a, &e) in self.axes.iter().enumerate() {
            before[a] = e;
            after[a] = image(e);
        }
        complete(&mut before, &mut after, self.axes.len(), self.dimension);
        // R = Σ after_a before_aᵀ
        std::array::from_fn(|r| std::array::from_fn(|c| (0..3).map(|a| after[a][r] * before[a][c]).sum()))
    }

    /// Angular velocity in world axes from the positions and velocities of the primary points. A body on
    /// a line reports none about itself.
    pub fn angular_velocity(&self, now: &[Vec3], v: &[Vec3]) -> Vec3 {
        let k = self.k();
        let e1 = if k > 1 { sub(now[1], now[0]) } else { return [0.0; 3] };
        let w1 = sub(v[1], v[0]);
        let mut w = scale(1.0 / dot(e1, e1), cross(e1, w1));
        if k > 2 {
            // the part about e1, from a point off that line
            let e2 = sub(now[2], now[0]);
            let n = cross(e1, e2);
            let rest = sub(sub(v[2], v[0]), cross(w, e2));
            w = add(w, scale(dot(rest, n) / dot(n, n), e1));
        }
        w
    }

    /// Forces on the primary particles that sum to zero and have the moment `m` (world axes):
    ///
    ///   (P3)  f_i = ½ m × ∇N_i                                   k = 4, and the plane
    ///   (P4)  f_i = ((n × m)·∇N_i) n + ½ (m·n) (n × ∇N_i)        k = 3 in space, n the normal
    ///   (P5)  f_2 = −f_1 = m × e / |e|²                          k = 2, e = r_2 − r_1
    ///
    /// (P3): Σ r_i × (m × ∇N_i) = m Σ r_i·∇N_i − Σ ∇N_i (r_i·m) = (3 − 1) m, and Σ ∇N_i = 0.
    pub fn couple_forces(&self, now: &[Vec3], m: Vec3) -> [Vec3; 4] {
        let mut f = [[0.0; 3]; 4];
        let k = self.k();
        if k == 1 {
            return f;
        }
        let e = |i: usize| sub(now[i], now[0]);
        if k == 2 {
            f[1] = scale(1.0 / dot(e(1), e(1)), cross(m, e(1)));
            f[0] = scale(-1.0, f[1]);
            return f;
        }
        let normal = cross(e(1), e(2));
        let mut gradients = [[0.0; 3]; 4];
        if k == 3 {
            let inv = 1.0 / dot(normal, normal);
            gradients[1] = scale(inv, cross(e(2), normal));
            gradients[2] = scale(inv, cross(normal, e(1)));
        } else {
            let inv = 1.0 / dot(e(3), normal);
            gradients[1] = scale(inv, cross(e(2), e(3)));
            gradients[2] = scale(inv, cross(e(3), e(1)));
            gradients[3] = scale(inv, normal);
        }
        gradients[0] = scale(-1.0, add(gradients[1], add(gradients[2], gradients[3])));
        let plate = k == 3 && self.dimension == Dimension::Spatial;
        let n = unit(normal);
        for (f, g) in f.iter_mut().zip(gradients) {
            *f = if plate {
                add(scale(dot(cross(n, m), g), n), scale(0.5 * dot(m, n), cross(n, g))) // (P4)
            } else {
                scale(0.5, cross(m, g)) // (P3)
            };
        }
        f
    }
}

/// Extends two corresponding sets of orthonormal axes, of which `known` are given, to full frames.
fn complete(before: &mut Mat3, after: &mut Mat3, known: usize, dimension: Dimension) {
    const Z: Vec3 = [0.0, 0.0, 1.0];
    if known == 0 {
        before[0] = [1.0, 0.0, 0.0];
        after[0] = [1.0, 0.0, 0.0];
    }
    if known <= 1 && dimension == Dimension::Planar {
        before[1] = cross(Z, before[0]);
        after[1] = cross(Z, after[0]);
    } else if known <= 1 {
        // shortest turn: the perpendicular direction both share, or any if they are parallel
        let shared = cross(before[0], after[0]);
        let p = if norm(shared) > 1e-12 { unit(shared) } else { any_perpendicular(before[0]) };
        before[1] = p;
        after[1] = p;
    }
    if known <= 2 {
        before[2] = cross(before[0], before[1]);
        after[2] = cross(after[0], after[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [Vec3; 4] = [[0.1, -0.2, 0.3], [1.2, 0.1, -0.2], [-0.3, 0.9, 0.1], [0.2, 0.3, 1.4]];

    fn body(k: usize, dimension: Dimension) -> EquivalentBody {
        let planar = dimension == Dimension::Planar;
        let flat = |p: Vec3| if planar { [p[0], p[1], 0.0] } else { p };
        let candidates: Vec<Candidate> =
            POINTS[..k].iter().map(|&p| Candidate { at: flat(p), joint: true }).collect();
        let (com, inertia) = match (planar, k) {
            (false, 4) => ([0.3, 0.25, 0.4], [[0.9, 0.1, -0.05], [0.1, 0.7, 0.02], [-0.05, 0.02, 0.6]]),
            (true, 3) => ([0.3, 0.25, 0.0], [[0.0; 3], [0.0; 3], [0.0, 0.0, 0.8]]),
            _ => {
                // a thin rod or plate through the points
                let shape = if k == 2 {
                    crate::model::Shape::Rod { area: None }
                } else {
                    crate::model::Shape::Polygon { outline: vec![], thickness: None }
                };
                let at: Vec<Vec3> = candidates.iter().map(|c| c.at).collect();
                let body = crate::model::Body::new(
                    "b",
                    ["1", "2", "3"],
                    crate::model::Mass::Shape(shape, crate::model::Amount::Mass(2.5)),
                );
                let p = MassProperties::of_body(&body, &at, dimension, &|_| None).unwrap();
                (p.com, p.inertia_about_com)
            }
        };
        let body = EquivalentBody::new(
            MassProperties { mass: 2.5, com, inertia_about_com: inertia },
            &candidates,
            dimension,
        );
        assert_eq!(body.k(), k);
        body
    }

    fn cases() -> Vec<EquivalentBody> {
        use Dimension::*;
        vec![body(4, Spatial), body(3, Spatial), body(2, Spatial), body(3, Planar), body(2, Planar)]
    }

    /// ½ Σ G_ij v_i·v_j = ½ m v_c² + ½ ω·I ω for any rigid motion.
    #[test]
    fn exact_kinetic_energy() {
        for b in cases() {
            let planar = b.dimension == Dimension::Planar;
            let w = if planar { [0.0, 0.0, 1.7] } else { [0.4, -1.1, 0.8] };
            let v0 = if planar { [0.3, -0.6, 0.0] } else { [0.3, -0.6, 0.9] };
            let velocity = |x: Vec3| add(v0, cross(w, x));
            let v: Vec<Vec3> = b.at.iter().map(|&x| velocity(x)).collect();
            let mut particles = 0.0;
            for i in 0..b.k() {
                for j in 0..b.k() {
                    particles += 0.5 * b.gram[i][j] * dot(v[i], v[j]);
                }
            }
            let p = &b.properties;
            let vc = velocity(p.com);
            let rigid = 0.5 * p.mass * dot(vc, vc)
                + 0.5 * dot(w, crate::linalg::vec3::apply(&p.inertia_about_com, w));
            assert!((particles - rigid).abs() < 1e-13 * rigid, "k = {}: {particles} {rigid}", b.k());
            let found = b.angular_velocity(&b.at, &v);
            let spin = if b.k() == 2 && !planar { unit(sub(b.at[1], b.at[0])) } else { [0.0; 3] };
            let expected = sub(w, scale(dot(w, spin), spin));
            assert!(norm(sub(found, expected)) < 1e-13, "k = {}: {found:?}", b.k());
        }
    }

    /// A couple's forces sum to zero and have its moment, turned bodies included.
    #[test]
    fn exact_couple_forces() {
        let turn = |x: Vec3| [-x[1] + 0.4, x[0], x[2] - 0.1];
        for b in cases() {
            let now: Vec<Vec3> = b.at.iter().map(|&x| turn(x)).collect();
            let mut m = if b.dimension == Dimension::Planar { [0.0, 0.0, 2.0] } else { [0.7, -1.0, 2.0] };
            if b.k() == 2 {
                let e = unit(sub(now[1], now[0]));
                m = sub(m, scale(dot(m, e), e)); // a rod carries no couple about itself
            }
            let f = b.couple_forces(&now, m);
            let sum = f.iter().fold([0.0; 3], |s, &x| add(s, x));
            let moment = f.iter().zip(&now).fold([0.0; 3], |s, (&f, &r)| add(s, cross(r, f)));
            assert!(norm(sum) < 1e-13 && norm(sub(moment, m)) < 1e-13, "k = {}: {sum:?} {moment:?}", b.k());
        }
    }

    /// Weights sum to one and reproduce the point, and the rotation is found from turned points.
    #[test]
    fn exact_weights_and_rotation() {
        for b in cases() {
            let x = b.at.iter().enumerate().fold([0.0; 3], |s, (i, &p)| {
                add(s, scale([0.7, -0.4, 0.5, 0.2][i] / [1.0, 0.3, 0.8, 1.0][b.k() - 1], p))
            });
            let n = b.weights(x);
            let back = n.iter().zip(&b.at).fold([0.0; 3], |s, (&n, &p)| add(s, scale(n, p)));
            assert!(
                (n.iter().sum::<f64>() - 1.0).abs() < 1e-13 && norm(sub(back, x)) < 1e-13,
                "k = {}",
                b.k()
            );
            let now: Vec<Vec3> = b.at.iter().map(|&x| [-x[1], x[0], x[2]]).collect();
            let r = b.rotation(&now);
            for i in 1..b.k() {
                let turned = crate::linalg::vec3::apply(&r, sub(b.at[i], b.at[0]));
                assert!(norm(sub(turned, sub(now[i], now[0]))) < 1e-13, "k = {}", b.k());
            }
        }
    }
}
