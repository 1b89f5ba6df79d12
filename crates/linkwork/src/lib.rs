//! Linkwork simulates mechanisms: linkages, vehicles, robots, ropes.
//!
//! Name the points of a mechanism, say which points each rigid body holds, and get its motion, its
//! reaction forces and its energies. Underneath, every rigid body is replaced by a few particles that
//! move exactly as the body does, so the whole mechanism is a set of points with constraints between
//! them: no rotation angles, constant masses, quadratic constraints.

mod error;

pub mod batch;
pub mod constraints;
pub mod contact;
pub mod forces;
pub mod formulations;
pub mod integrate;
pub mod interactions;
pub mod keep;
pub mod linalg;
pub mod mechanism;
pub mod model;
pub mod particles;
pub mod recursive;
pub mod results;
pub mod simulation;
pub mod structure;

pub use error::Error;

/// The programs in the documentation are tests.
#[cfg(all(doctest, feature = "file"))]
mod documentation {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/rust-api.md")]
    struct RustApi;
    #[doc = include_str!("../../../docs/how-to/driving-a-simulation.md")]
    struct DrivingASimulation;
}
