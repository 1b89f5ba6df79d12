//! A rigid body as particles that move exactly as it does.
//!
//! A body has k primary points r_1..r_k, affinely independent. Every point of the body is an affine
//! combination of them, x = Σ N_i(x) r_i with Σ N_i = 1, and the weights N_i never change. So the
//! kinetic energy is ½ Σ_ij G_ij (v_i · v_j) with the constant Gram matrix
//!
//!   (P1)  G_ij = ∫ ρ N_i N_j dV
//!
//! With the points' coordinates in the columns of P = [x_1 … x_k; 1 … 1], measured from the centre of
//! mass in a frame of k − 1 axes, and S the matrix of second moments about the centre of mass,
//!
//!   (P2)  G = P⁻¹ diag(S, m) P⁻ᵀ
//!
//! The papers' particle masses are the same thing read differently: the secondary particle between i
//! and j has mass 4 G_ij, the primary particle i has G_ii − Σ_{j≠i} G_ij (\[attia2005\] eq. (2.1) as a
//! 10x10 system, \[attia2003\] eq. (2.1) as a 4x4 one).

mod equivalent;
mod mass_properties;
mod paper;
mod primaries;
mod shapes;

pub use equivalent::EquivalentBody;
pub use mass_properties::MassProperties;
pub use paper::{ParticleMasses, planar_particle_masses, spatial_particle_masses};
pub use primaries::{Candidate, Primary};
pub use shapes::{Layout, layout};
