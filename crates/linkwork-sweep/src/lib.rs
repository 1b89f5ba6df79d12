//! Sweeps: one model for many values of its parameters, in bounded memory, on one machine or many.
//!
//! ```
//! use linkwork::model::ModelFile;
//! use linkwork_sweep::{Changes, Plan, Sampling, Study};
//!
//! let file = ModelFile::parse("pendulum.toml", r#"
//!     format = 1
//!     model.gravity = "-y"
//!     parameters = { l = "30 cm", m = "2 kg" }
//!     points = { A = [0, 0], B = ["l", 0] }
//!     bodies.ground = { points = ["A"] }
//!     bodies.rod = { points = ["A", "B"], mass = "m" }
//!     simulation = { duration = 0.1 }
//! "#)?;
//! let plan = Plan::read(&file, &["l=20 cm..50 cm", "m=normal(2 kg, 0.1 kg)"], Sampling::Sobol(16), 0)?;
//! let study = Study::new(file, plan, Changes::default(), &["max(energy.kinetic)", "at(0.05, point.B.y)"])?;
//! let cases = study.run(0..16, &Default::default());
//! assert_eq!(cases.results[0].len(), 16);
//! assert!(cases.results[0].iter().all(|energy| *energy > 0.0));
//! # Ok::<(), linkwork_sweep::Error>(())
//! ```
//!
//! **A case is its number.** [`Plan::case`] computes the values of case n from n alone, and the run of a case does not depend on its neighbours: parts that different machines have
//! made fit together bit by bit ([`SweepFolder`]).

mod cases;
mod error;
mod folder;
mod html;
mod indices;
mod joe_kuo;
mod manifest;
mod merge;
mod normal;
mod page;
mod plan;
mod random;
mod reduction;
mod sampling;
mod shard;
mod sobol;
mod study;
mod values;

pub use cases::{CaseStatus, Cases};
pub use error::Error;
pub use folder::{PLAN_FILE, PartState, Progress, Selection, SweepFolder, SweepStatus};
pub use indices::{Index, sensitivity};
pub use manifest::Manifest;
pub use merge::{Whole, merge, write_csv, write_csv_head};
pub use normal::normal_quantile;
pub use page::page;
pub use plan::{MOST_CASES, Parameter, Plan};
pub use random::uniform;
pub use reduction::{ResultColumn, reduced, split_columns};
pub use sampling::Sampling;
pub use shard::Shard;
pub use sobol::{MOST_DIMENSIONS, Sobol};
pub use study::{Changes, Study, Watch};
pub use values::Values;
