//! Linkwork simulates mechanisms: linkages, vehicles, robots, ropes.
//!
//! Name the points of a mechanism, say which points each rigid body holds, and get its motion, its
//! reaction forces and its energies. Underneath, every rigid body is replaced by a few particles that
//! move exactly as the body does, so the whole mechanism is a set of points with constraints between
//! them: no rotation angles, constant masses, quadratic constraints.
//!
//! ```
//! use linkwork::model::{Body, Settings};
//! use linkwork::{Frame, Mechanism, Model, Simulation, Trajectory};
//!
//! let model = Model::planar("pendulum")
//!     .gravity([0.0, -9.81])
//!     .point("A", [0.0, 0.0])
//!     .point("B", [1.0, 0.0])
//!     .ground(["A"])
//!     .body(Body::rod("rod", ["A", "B"], 2.0))
//!     .settings(Settings { duration: 2.0, output_step: 0.1, ..Settings::default() });
//! let mechanism: Mechanism = model.assemble()?; // checked and compiled; all faults at once
//!
//! // all at once ...
//! let trajectory: Trajectory = mechanism.simulate()?;
//! assert_eq!(trajectory.frames.len(), 21);
//!
//! // ... or in steps of one's own
//! let mut simulation: Simulation = mechanism.simulation()?;
//! simulation.advance_to(0.5)?;
//! let frame: &Frame = simulation.sample()?;
//! assert!(frame.positions[1][1] < 0.0);
//! # Ok::<(), linkwork::Error>(())
//! ```
//!
//! The names that most programs need are here at the root; everything else is in the modules, from [`model`] (what the user says) over
//! [`mechanism`] (compiled) and [`formulations`] (equations of motion) to [`simulation`] and [`results`].
//!
//! # Features
//!
//! `file`, on by default: model files in TOML and JSON with their schema, results as tables and JSON, faults with the offending lines of the
//! file. Without it (`default-features = false`) models are written in code and results are values; five crates are all that the library then depends on.

mod checks;
mod error;

pub mod analysis;
pub mod batch;
pub mod constraints;
pub mod contact;
pub mod drawing;
pub mod expressions;
mod file;
pub mod formulations;
pub mod integrate;
pub mod interactions;
pub mod joints;
pub mod keep;
pub mod linalg;
pub mod mechanism;
pub mod modal;
pub mod model;
pub mod particles;
pub mod recursive;
pub mod results;
pub mod sensitivity;
pub mod simulation;
pub mod straight;
pub mod topology;

pub use batch::Batch;
pub use error::{Error, Faults};
pub use mechanism::Mechanism;
pub use model::Model;
pub use results::Frame;
pub use simulation::{Checkpoint, Observer, Simulation, State, Summary, Trajectory};

/// The programs in the documentation are tests.
#[cfg(all(doctest, feature = "file"))]
mod documentation {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/rust-api.md")]
    struct RustApi;
    #[doc = include_str!("../../../docs/how-to/driving-a-simulation.md")]
    struct DrivingASimulation;
    #[doc = include_str!("../../../docs/how-to/embedding.md")]
    struct Embedding;
    #[doc = include_str!("../../../docs/how-to/inverse-dynamics.md")]
    struct InverseDynamics;
    #[doc = include_str!("../../../docs/how-to/sensitivities.md")]
    struct Sensitivities;
}
