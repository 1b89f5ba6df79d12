//! Eigenmodes, frequency responses and root loci of mechanisms.
//!
//! The crate `linkwork` linearises a mechanism at a state ([`Mechanism::linearize`](linkwork::Mechanism::linearize)); here are the questions about the linear system:
//! [`Modes`], [`Response`] to a harmonic input, [`Locus`] of eigenvalues over a parameter, and [files](mod@write) for other programs.
//!
//! ```
//! use linkwork::analysis::LinearizeOptions;
//! use linkwork::model::{Body, Formulation, Model};
//! use linkwork_linear::{Kind, Modes};
//!
//! let model = Model::planar("pendulum")
//!     .gravity([0.0, -9.81])
//!     .point("O", [0.0, 0.0])
//!     .point("A", [0.0, -2.0])
//!     .ground(["O"])
//!     .body(Body::rod("rod", ["O", "A"], 3.0));
//! let mechanism = model.assemble()?;
//! let hanging = mechanism.initial_state(Formulation::Auto)?;
//! let linear = mechanism.linearize(&hanging, &LinearizeOptions::default())?;
//! let modes = Modes::new(&linear)?;
//! assert_eq!(modes.list[0].kind, Kind::Oscillating);
//! assert!((modes.list[0].eigenvalue.im - (1.5 * 9.81_f64 / 2.0).sqrt()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod locus;
mod matrix;
mod modes;
mod response;
mod staircase;
pub mod write;

pub use error::Error;
pub use faer::c64;
pub use locus::Locus;
pub use modes::{Kind, Mode, Modes, Part};
pub use response::{Response, frequencies};
