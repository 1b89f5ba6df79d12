//! Questions about a mechanism that need no run: where it rests, how it moves in small, what its motors must deliver, what it can reach.

mod linearize;
mod tangent;

pub use linearize::{BodyMotion, JointMotion, Linearization, LinearizeOptions, PointMotion, Unsteady};
pub use tangent::{Quantity, Tangent};
mod equilibrium;

pub use equilibrium::{
    Equilibrium, EquilibriumOptions, FreeDirection, HeldRate, Hold, MovedJoint, MovedPoint, Redrawing,
    Redrawn, Stability, SteadyMotion, SteadyOptions,
};
pub mod inverse;
