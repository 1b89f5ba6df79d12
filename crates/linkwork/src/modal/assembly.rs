//! Stiffness and mass matrices of elements of one isotropic material.
//!
//!   (A1)  K = ∫ Bᵀ C B dV,   C = λ 1⊗1 + 2 μ I,   λ = E ν/((1 + ν)(1 − 2ν)),   μ = E/(2 (1 + ν))
//!   (A2)  M = ∫ ρ N N dV ⊗ 1₃
//!
//! With the gradients g_k of the polynomials of two nodes, the block of K between them is
//!
//!   (A3)  K_kl = ∫ λ g_k ⊗ g_l + μ g_l ⊗ g_k + μ (g_k · g_l) 1 dV
//!
//! Elements of first order are not assembled: they are far too stiff against bending.

use super::mesh::{Elasticity, Element, Mesh};
use super::quadrature::points;
use super::{FiniteElements, ModalError, Symmetric};
use crate::linalg::vec3::{Vec3, dot};
use std::collections::HashMap;

/// Stiffness and mass between two nodes.
type Block = ([[f64; 3]; 3], f64);

impl Elasticity {
    /// λ and μ of (A1), Pa.
    pub fn lame(&self) -> [f64; 2] {
        let Elasticity { young, poisson } = *self;
        [young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), 0.5 * young / (1.0 + poisson)]
    }
}

impl FiniteElements {
    /// Of elements of one material, with its density in kg/m³.
    ///
    /// # Errors
    /// [`ModalError`] where elements are of first order or turned inside out, or a node belongs to none of them.
    pub fn of_mesh(
        positions: Vec<Vec3>,
        elements: Vec<Element>,
        material: Elasticity,
        density: f64,
    ) -> Result<Self, ModalError> {
        let mesh = Mesh { elements, material: Some(material) };
        let n = positions.len();
        if let Some(k) = mesh.elements.iter().position(|e| !e.kind.is_quadratic()) {
            let what = "is of first order, which is far too stiff against bending: take elements of second order (`-order 2` in gmsh), or matrices of a program that knows better ones";
            return Err(ModalError::Element { element: k + 1, what });
        }
        if let Some(k) = mesh.inside_out(&positions) {
            return Err(ModalError::Element { element: k + 1, what: "is turned inside out somewhere" });
        }
        let mut used = vec![false; n];
        mesh.elements.iter().flat_map(|e| &e.nodes).for_each(|&k| used[k] = true);
        if let Some(k) = used.iter().position(|used| !used) {
            return Err(ModalError::Loose { node: k + 1 });
        }
        let [lambda, mu] = material.lame();
        // blocks by pairs of nodes, the second not before the first
        let mut blocks: HashMap<(u32, u32), Block> = HashMap::new();
        for element in &mesh.elements {
            let nodes: Vec<Vec3> = element.nodes.iter().map(|&k| positions[k]).collect();
            let count = nodes.len();
            let mut own = vec![([[0.0; 3]; 3], 0.0); count * count];
            for (at, weight) in points(element.kind) {
                let shape = element.kind.shape(at);
                let Some((gradients, determinant)) = shape.gradients(&nodes) else { continue };
                let volume = weight * determinant;
                for k in 0..count {
                    for l in 0..count {
                        let (a, b) = (gradients[k], gradients[l]);
                        let (block, mass) = &mut own[k * count + l];
                        let both = mu * dot(a, b);
                        for i in 0..3 {
                            for j in 0..3 {
                                let own = if i == j { both } else { 0.0 };
                                block[i][j] += volume * (lambda * a[i] * b[j] + mu * b[i] * a[j] + own); // (A3)
                            }
                        }
                        *mass += volume * density * shape.values[k] * shape.values[l]; // (A2)
                    }
                }
            }
            for k in 0..count {
                for l in 0..count {
                    let (a, b) = (element.nodes[k] as u32, element.nodes[l] as u32);
                    if a <= b {
                        let (block, mass) = blocks.entry((a, b)).or_default();
                        let (more, more_mass) = &own[k * count + l];
                        for i in 0..3 {
                            for j in 0..3 {
                                block[i][j] += more[i][j];
                            }
                        }
                        *mass += more_mass;
                    }
                }
            }
        }
        let mut ordered: Vec<_> = blocks.into_iter().collect();
        ordered.sort_unstable_by_key(|(pair, _)| *pair);
        let (mut stiffness, mut mass) = (Vec::new(), Vec::new());
        for ((a, b), (block, m)) in ordered {
            for (i, row) in block.iter().enumerate() {
                for (j, &value) in row.iter().enumerate().filter(|&(j, _)| a != b || j >= i) {
                    stiffness.push((3 * a + i as u32, 3 * b + j as u32, value));
                }
                mass.push((3 * a + i as u32, 3 * b + i as u32, m));
            }
        }
        Ok(FiniteElements {
            stiffness: Symmetric::new("stiffness", 3 * n, &stiffness, false)?,
            mass: Symmetric::new("mass", 3 * n, &mass, false)?,
            positions,
            mesh: Some(mesh),
        })
    }
}
