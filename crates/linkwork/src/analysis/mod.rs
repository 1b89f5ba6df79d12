//! Questions about a mechanism that need no run: where it rests, how it moves in small, what its motors must deliver, what it can reach.

mod at_positions;
mod configuration;
mod equilibrium;
pub mod inverse;
mod kinematics;
mod linearize;
mod moved_drawing;
pub mod pose;
mod position_quantity;
mod tangent;
pub mod workspace;

pub use equilibrium::{
    Equilibrium, EquilibriumOptions, FreeDirection, HeldRate, Hold, MovedJoint, MovedPoint, Redrawing,
    Redrawn, Stability, SteadyMotion, SteadyOptions,
};
pub use kinematics::{Instant, Kinematics, Stuck};
pub use linearize::{BodyMotion, JointMotion, Linearization, LinearizeOptions, PointMotion, Unsteady};
pub use tangent::{Quantity, Tangent};
