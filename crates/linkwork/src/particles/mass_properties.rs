//! Mass, centre of mass and inertia of a body as drawn, and whether a real body can have them.

use crate::drawing::Dimension;
use crate::linalg::vec3::{Mat3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Mass properties in world axes as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub com: Vec3,
    /// Inertia matrix about the centre of mass, kg m². In the plane only the last entry counts.
    pub inertia_about_com: Mat3,
}

impl MassProperties {
    /// S = ½ tr(I) 1 − I: the second moments ∫ρ x xᵀ about the centre of mass. A planar body has only
    /// its trace defined; the isotropic choice I_zz/2 in both directions is a real (positive) one.
    pub fn second_moments(&self, dimension: Dimension) -> Mat3 {
        let i = &self.inertia_about_com;
        match dimension {
            Dimension::Planar => {
                let half = 0.5 * i[2][2];
                [[half, 0.0, 0.0], [0.0, half, 0.0], [0.0; 3]]
            }
            Dimension::Spatial => {
                let half_trace = 0.5 * (i[0][0] + i[1][1] + i[2][2]);
                let mut s = [[0.0; 3]; 3];
                for r in 0..3 {
                    for c in 0..3 {
                        s[r][c] = if r == c { half_trace } else { 0.0 } - i[r][c];
                    }
                }
                s
            }
        }
    }

    /// Eigenvalues (ascending) and eigenvectors of the second moments.
    pub fn principal_second_moments(&self, dimension: Dimension) -> [(f64, Vec3); 3] {
        principal(&self.second_moments(dimension))
    }

    /// Principal moments of inertia, ascending, kg m².
    pub fn principal_inertia(&self) -> [f64; 3] {
        principal(&self.inertia_about_com).map(|(value, _)| value)
    }

    /// Why no real body can have these properties, if so.
    pub fn impossible(&self, dimension: Dimension) -> Option<String> {
        // Rounding in the user's own numbers is forgiven up to this part of the largest value.
        const FORGIVEN: f64 = 1e-9;
        if self.mass < 0.0 {
            return Some(format!("the mass is negative ({} kg)", self.mass));
        }
        if dimension == Dimension::Planar {
            let i = self.inertia_about_com[2][2];
            if i < 0.0 {
                return Some(format!("the moment of inertia is negative ({i} kg m²)"));
            }
            if self.mass == 0.0 && i > 0.0 {
                return Some(format!("a moment of inertia of {i} kg m² without mass"));
            }
            return None;
        }
        let inertia = self.principal_inertia();
        let largest = inertia[2].abs().max(inertia[0].abs());
        if inertia[0] < -FORGIVEN * largest {
            return Some(format!(
                "the inertia matrix has a negative eigenvalue: {:.6e} kg m² (principal moments {:.6e}, {:.6e}, {:.6e})",
                inertia[0], inertia[0], inertia[1], inertia[2]
            ));
        }
        let moments = self.principal_second_moments(dimension);
        if moments[0].0 < -FORGIVEN * largest {
            return Some(format!(
                "principal moments of inertia {:.6e}, {:.6e}, {:.6e} kg m² break the triangle inequality: the largest \
                 exceeds the sum of the others by {:.6e}, so ½tr(I)1 − I has the negative eigenvalue {:.6e}",
                inertia[0],
                inertia[1],
                inertia[2],
                -2.0 * moments[0].0,
                moments[0].0
            ));
        }
        if self.mass == 0.0 && largest > 0.0 {
            return Some("moments of inertia without mass".into());
        }
        None
    }
}

fn principal(m: &Mat3) -> [(f64, Vec3); 3] {
    let matrix = Matrix3::from_fn(|r, c| 0.5 * (m[r][c] + m[c][r]));
    let eigen = SymmetricEigen::new(matrix);
    let mut pairs: Vec<(f64, Vec3)> =
        (0..3).map(|i| (eigen.eigenvalues[i], std::array::from_fn(|r| eigen.eigenvectors[(r, i)]))).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    [pairs[0], pairs[1], pairs[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_inertia(diagonal: [f64; 3]) -> MassProperties {
        let mut inertia_about_com = [[0.0; 3]; 3];
        for i in 0..3 {
            inertia_about_com[i][i] = diagonal[i];
        }
        MassProperties { mass: 1.0, com: [0.0; 3], inertia_about_com }
    }

    #[test]
    fn exact_impossible_inertia_is_named() {
        assert_eq!(with_inertia([1.0, 1.0, 2.0]).impossible(Dimension::Spatial), None, "a thin disc is real");
        let text = with_inertia([1.0, 1.0, 2.5]).impossible(Dimension::Spatial).unwrap();
        assert!(text.contains("triangle") && text.contains("-2.5"), "{text}");
        let text = with_inertia([-1.0, 1.0, 1.0]).impossible(Dimension::Spatial).unwrap();
        assert!(text.contains("negative eigenvalue: -1.0"), "{text}");
        assert!(with_inertia([0.0, 0.0, -0.1]).impossible(Dimension::Planar).is_some());
    }
}
