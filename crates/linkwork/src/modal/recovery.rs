//! Stresses at nodes from displacements of nodes.
//!
//! Strains of displacement elements are most accurate not at their nodes but at the points of reduced integration [zienkiewicz2005]. So stresses
//! are computed there and continued to the corners by the polynomial through these points, of first order along each direction; a node between two corners
//! has their mean; and a node of several elements the mean of theirs. CalculiX does the same for `C3D20R`, `C3D8` and `C3D10`.
//!
//!   (S1)  ε = sym Σ u_k ⊗ ∂N_k/∂x,   σ = λ tr ε 1 + 2 μ ε
//!
//! All of it is linear in the displacements: stresses of modes superpose.

use super::mesh::{ElementKind, Mesh};
use crate::linalg::vec3::Vec3;

/// xx, yy, zz, xy, xz, yz.
pub type Stress = [f64; 6];

/// The equivalent stress of von Mises.
pub fn von_mises([xx, yy, zz, xy, xz, yz]: Stress) -> f64 {
    let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (0.5 * normal + 3.0 * (xy * xy + xz * xz + yz * yz)).sqrt()
}

/// Where stresses of an element are computed, and for each corner the weights that continue them there.
struct Sampling {
    points: Vec<Vec3>,
    weights: Vec<Vec<f64>>,
}

impl Sampling {
    fn of(kind: ElementKind) -> Self {
        let g = 1.0 / 3.0_f64.sqrt();
        match kind {
            ElementKind::Tet4 => Sampling { points: vec![[0.25; 3]], weights: vec![vec![1.0]; 4] },
            ElementKind::Tet10 => {
                // the four points of the rule of second order, one nearest to each corner: L_a = a there, b elsewhere
                let (a, b) = ((5.0 + 3.0 * 5.0_f64.sqrt()) / 20.0, (5.0 - 5.0_f64.sqrt()) / 20.0);
                let points = vec![[b, b, b], [a, b, b], [b, a, b], [b, b, a]];
                // 1 = a p + 3 b q and 0 = b p + (a + 2b) q: the linear field through the points
                let (p, q) = ((1.0 - b) / (a - b), -b / (a - b));
                let weights = (0..4).map(|k| (0..4).map(|l| if k == l { p } else { q }).collect()).collect();
                Sampling { points, weights }
            }
            ElementKind::Wedge6 | ElementKind::Wedge15 => {
                let (near, far) = (2.0 / 3.0, 1.0 / 6.0);
                let plane = [[far, far], [near, far], [far, near]];
                let points = [-g, g].iter().flat_map(|&t| plane.map(|[r, s]| [r, s, t])).collect();
                // in the triangle 5/3 and −1/3, along the wedge (1 ± √3)/2
                let along = [0.5 * (1.0 + 1.0 / g), 0.5 * (1.0 - 1.0 / g)];
                let weight = |k: usize, l: usize| {
                    let across = if k % 3 == l % 3 { 5.0 / 3.0 } else { -1.0 / 3.0 };
                    across * along[usize::from(k / 3 != l / 3)]
                };
                let weights = (0..6).map(|k| (0..6).map(|l| weight(k, l)).collect()).collect();
                Sampling { points, weights }
            }
            ElementKind::Hex8 | ElementKind::Hex20 => {
                let corner = |k: usize| -> Vec3 {
                    let [x, y] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]][k % 4];
                    [x, y, if k < 4 { -1.0 } else { 1.0 }]
                };
                let points = (0..8).map(|k| corner(k).map(|x| x * g)).collect();
                let along = |same: bool| if same { 0.5 * (1.0 + 1.0 / g) } else { 0.5 * (1.0 - 1.0 / g) };
                let weight =
                    |k: usize, l: usize| (0..3).map(|c| along(corner(k)[c] == corner(l)[c])).product();
                let weights = (0..8).map(|k| (0..8).map(|l| weight(k, l)).collect()).collect();
                Sampling { points, weights }
            }
        }
    }
}

/// Makes stresses at all nodes from displacements: what does not depend on these is computed once.
pub(super) struct Recovery<'m> {
    mesh: &'m Mesh,
    lame: [f64; 2],
    kinds: Vec<(ElementKind, Sampling)>,
    /// For each element its points: gradients of its polynomials.
    gradients: Vec<Vec<Vec<Vec3>>>,
    /// How many elements each node has.
    shared: Vec<u32>,
}

impl<'m> Recovery<'m> {
    /// `None` where the material is not known or an element is turned inside out.
    pub fn new(positions: &[Vec3], mesh: &'m Mesh) -> Option<Self> {
        let kinds: Vec<_> = ElementKind::ALL.map(|kind| (kind, Sampling::of(kind))).into();
        let lame = mesh.material?.lame();
        let mut recovery =
            Recovery { mesh, lame, kinds, gradients: Vec::new(), shared: vec![0; positions.len()] };
        for element in &mesh.elements {
            let nodes: Vec<Vec3> = element.nodes.iter().map(|&k| positions[k]).collect();
            let points = &recovery.sampling(element.kind).points;
            let at = |at: &Vec3| element.kind.shape(*at).gradients(&nodes).map(|both| both.0);
            let gradients = points.iter().map(at).collect::<Option<Vec<_>>>()?;
            recovery.gradients.push(gradients);
            element.nodes.iter().for_each(|&k| recovery.shared[k] += 1);
        }
        Some(recovery)
    }

    fn sampling(&self, kind: ElementKind) -> &Sampling {
        let known = self.kinds.iter().find(|(of, _)| *of == kind);
        &known.unwrap_or(&self.kinds[0]).1
    }

    /// Stresses at the nodes of a displacement field, three numbers for each node.
    pub fn stresses(&self, shape: &[f64]) -> Vec<Stress> {
        let mut out = vec![[0.0; 6]; self.shared.len()];
        let [lambda, mu] = self.lame;
        for (element, gradients) in self.mesh.elements.iter().zip(&self.gradients) {
            let stress = |gradients: &Vec<Vec3>| -> Stress {
                let mut d = [[0.0; 3]; 3];
                for (&k, gradient) in element.nodes.iter().zip(gradients) {
                    for (i, row) in d.iter_mut().enumerate() {
                        for (entry, g) in row.iter_mut().zip(gradient) {
                            *entry += shape[3 * k + i] * g;
                        }
                    }
                }
                let pressure = lambda * (d[0][0] + d[1][1] + d[2][2]);
                let shear = |i: usize, j: usize| mu * (d[i][j] + d[j][i]);
                let normal = |i: usize| pressure + 2.0 * mu * d[i][i];
                [normal(0), normal(1), normal(2), shear(0, 1), shear(0, 2), shear(1, 2)] // (S1)
            };
            let sampled: Vec<Stress> = gradients.iter().map(stress).collect();
            let sampling = self.sampling(element.kind);
            let mut own: Vec<Stress> = (0..element.kind.corners())
                .map(|k| {
                    let weights = &sampling.weights[k];
                    std::array::from_fn(|c| weights.iter().zip(&sampled).map(|(w, s)| w * s[c]).sum())
                })
                .collect();
            for (a, b) in element.kind.edges() {
                let mean = std::array::from_fn(|c| 0.5 * (own[a][c] + own[b][c]));
                own.push(mean);
            }
            for (&k, own) in element.nodes.iter().zip(&own) {
                let share = 1.0 / f64::from(self.shared[k]);
                out[k].iter_mut().zip(own).for_each(|(sum, s)| *sum += share * s);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modal::mesh::{Elasticity, Element};

    /// Strains that are constant, or rise evenly across a brick, are recovered exactly at every node of every kind.
    #[test]
    fn exact_stresses_of_simple_fields() {
        let material = Elasticity { young: 210e9, poisson: 0.3 };
        let [lambda, mu] = material.lame();
        for kind in ElementKind::ALL {
            // an element that is a little askew
            let corners: Vec<Vec3> = match kind.corners() {
                4 => vec![[0.0; 3], [1.0, 0.1, 0.0], [0.1, 0.9, 0.0], [0.1, 0.2, 1.1]],
                6 => [0.0, 1.2].iter().flat_map(|&z| [[0.0, 0.0, z], [1.0, 0.1, z], [0.1, 0.9, z]]).collect(),
                _ => [0.0, 1.2]
                    .iter()
                    .flat_map(|&z| [[0.0, 0.0, z], [1.0, 0.1, z], [1.1, 1.0, z], [0.1, 0.9, z]])
                    .collect(),
            };
            let middle =
                |(a, b): (usize, usize)| std::array::from_fn(|c| 0.5 * (corners[a][c] + corners[b][c]));
            let middles: Vec<Vec3> = kind.edges().into_iter().map(middle).collect();
            let positions = [corners.clone(), middles].concat();
            let element = Element { kind, nodes: (0..kind.nodes()).collect() };
            let mesh = Mesh { elements: vec![element], material: Some(material) };
            let recovery = Recovery::new(&positions, &mesh).unwrap();
            let stretch = |x: &Vec3| [1e-3 * x[0] + 4e-4 * x[1], -2e-4 * x[1], 5e-4 * x[2]];
            let shape: Vec<f64> = positions.iter().flat_map(stretch).collect();
            let pressure = lambda * 1.3e-3;
            let wanted =
                [pressure + 2e-3 * mu, pressure - 4e-4 * mu, pressure + 1e-3 * mu, 4e-4 * mu, 0.0, 0.0];
            for stress in recovery.stresses(&shape) {
                for (found, wanted) in stress.iter().zip(wanted) {
                    assert!((found - wanted).abs() < 1e-9 * pressure, "{kind:?} {stress:?}");
                }
            }
            if !kind.is_quadratic() {
                continue;
            }
            // pure bending about y: ε_xx = z, ε_yy = ε_zz = −ν z
            let nu = material.poisson;
            let bent = |&[x, y, z]: &Vec3| [x * z, -nu * y * z, -0.5 * (x * x + nu * (z * z - y * y))];
            let shape: Vec<f64> = positions.iter().flat_map(bent).collect();
            for (stress, at) in recovery.stresses(&shape).iter().zip(&positions) {
                let wanted = [material.young * at[2], 0.0, 0.0, 0.0, 0.0, 0.0];
                for (found, wanted) in stress.iter().zip(wanted) {
                    assert!((found - wanted).abs() < 1e-9 * material.young, "{kind:?} {at:?} {stress:?}");
                }
            }
        }
        assert!((von_mises([3.0, 0.0, 0.0, 0.0, 4.0, 0.0]) - 57.0_f64.sqrt()).abs() < 1e-14);
    }
}
