//! What a run shows: points, joints, energies, reactions, residuals.

mod columns;
mod frame;

pub use columns::{Column, columns, row};
pub use frame::{Frame, JointCoordinate, joint_coordinates};
