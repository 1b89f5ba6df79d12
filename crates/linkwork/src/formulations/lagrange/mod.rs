//! `lagrange`: equations of motion from energies (\[schwab2002\] chapter 2).
//!
//! ```text
//!   (1)  d/dt (∂T/∂q̇_i) − ∂T/∂q_i + ∂V/∂q_i = Q_i − ∂D_k/∂q_i λ_k                        (9), (17)
//!   (2)  d/dt (∂T/∂q̇_i) = Σ_j ∂²T/∂q̇_i∂q̇_j q̈_j + Σ_j ∂²T/∂q̇_i∂q_j q̇_j + ∂²T/∂q̇_i∂t      (18)
//!   (3)  D_k,j q̈_j = −D_k,ij q̇_i q̇_j − 2 D_k,jt q̇_j − D_k,tt                               (19)
//!   (4)  [ M_ij   D_k,i ] [q̈_j]   [ Q_i + ∂T/∂q_i − ∂V/∂q_i − ∂²T/∂q̇_i∂q_j q̇_j − ∂²T/∂q̇_i∂t ]
//!        [ D_k,j    0   ] [λ_k] = [ right-hand side of (3)                                  ]     (20)
//! ```
//!
//! with M_ij = ∂²T/∂q̇_i∂q̇_j. (19) and (20) of the notes lack the terms with ∂t, which every prescribed
//! motion D(q, t) = 0 needs. The last term of (2) is there for a T with explicit time, which the notes do not
//! consider.
//!
//! All derivatives are taken by dual numbers ([`crate::linalg::dual`]): exact to rounding, no step to
//! choose, no formula derived by hand. Two doors lead here:
//!
//! - **a mechanism**, `formulation = "lagrange"`: [`Lagrange`]. Where the bodies are is written once, for any
//!   scalar (`chain`); velocities, M and all the rest are derivatives of that. The cost of
//!   an evaluation grows with the cube of the number of joint variables on a path, so this is meant for
//!   mechanisms of up to about twenty variables, as a witness for the other formulations and for teaching.
//!   Beyond [`MANY`] it works and says that another formulation is faster.
//! - **functions of one's own**, [`Lagrangian`] and [`LagrangianSystem`]: T, V, Q and constraints with
//!   prescribed motion in any coordinates, solved by [`crate::integrate::Stepper`].

mod chain;
mod function;
mod law;

pub use crate::linalg::dual::{Dual, Scalar};
pub use function::{Lagrangian, LagrangianSystem, Motion};
pub use law::EnergyLaw;

use super::tree::{TreeSystem, Variables};
use crate::mechanism::Mechanism;
use crate::model::Fault;

/// A mechanism's equations of motion from its energies, with all buffers.
pub type Lagrange<'m> = TreeSystem<'m, EnergyLaw>;

/// More joint variables than this, and a warning points to the faster formulations.
pub const MANY: usize = 60;

/// What is worth saying before a mechanism is solved here.
pub fn unsupported(mechanism: &Mechanism) -> Vec<Fault> {
    let n = Variables::new(mechanism).u_count;
    if n <= MANY {
        return Vec::new();
    }
    vec![
        Fault::warning(
            "simulation.formulation",
            format!("`lagrange` differentiates the energies by {n} joint variables, at a cost of n³ per evaluation"),
        )
        .help("formulation = \"joints\" or \"tmt\" has the same variables and is much faster for large mechanisms"),
    ]
}
