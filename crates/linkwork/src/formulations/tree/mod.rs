//! Bodies carried by joints: what the formulations in joint variables share.
//!
//! `joints`, `tmt` and `lagrange` move the bodies of a spanning tree by relative joint variables. Here are
//! those variables, where they put the bodies, how fast things move, what closes the loops, how reactions
//! follow from the balance of each body, and the system of equations that joins all this with a
//! formulation's own [`Law`] of inertia.

mod couple;
mod homes;
mod kinematics;
mod loops;
mod mass_matrix;
mod reactions;
mod system;
mod variables;

pub use crate::mechanism::{Rotation, Translation};
pub use homes::node_homes;
pub use kinematics::{Carried, Kinematics, UnitTwist, normalise};
pub use loops::{CutRow, Equation, Loops};
pub use mass_matrix::MassMatrix;
pub use reactions::{add_coupling_reactions, carried, carry_reactions};
pub(super) use reactions::{show_points, show_reactions};
pub use system::{Instant, Law, MAX_PATH_ENTRIES, TreeSystem, spare_inertia};
pub use variables::{BranchVariables, Variables};
