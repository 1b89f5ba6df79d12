//! Optimisation and fitting of mechanisms: what the section `[optimize]` of a model file asks for.
//!
//! ```
//! use linkwork::model::ModelFile;
//! use linkwork_optimize::{Options, Study, optimize};
//!
//! // how long must the crank be for a stroke of 80 mm?
//! let file = ModelFile::parse("slider.toml", r#"
//!     format = 1
//!     parameters = { r = "30 mm" }                          # half of the stroke
//!     points = { O = [0, 0], A = ["r", 0], B = ["r + 0.2", 0] }
//!     bodies.ground = { points = ["O"] }
//!     bodies.crank = { points = ["O", "A"], mass = 1 }
//!     bodies.rod = { points = ["A", "B"], mass = 1 }
//!     bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
//!     joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
//!     drivers.motor = { joint = "O", value = "2 * pi * t" }
//!     simulation = { duration = 1, output_step = 0.02 }
//!     [optimize]
//!     over = "kinematics"
//!     residuals = ["max(point.B.x) - min(point.B.x) - 80 mm"]
//!     variables.r = { from = "10 mm", to = "60 mm" }
//! "#)?;
//! let study = Study::new(file, 1)?;
//! let best = optimize(&study, &Options::default())?;
//! assert!((best.x[0] - 0.04).abs() < 1e-9);
//! assert!(study.text_with(&best.x).contains("# half of the stroke"));
//! # Ok::<(), linkwork_optimize::Error>(())
//! ```

mod error;
mod evaluation;
mod extreme;
mod fit;
mod follow;
mod limits;
mod linkage;
mod motion;
mod problem;
mod report;
mod search;
mod sketch;
mod solver;
mod student;
mod study;
mod watch;

pub use error::Error;
pub use evaluation::Evaluation;
pub use fit::{Data, Estimate, Fit, Measured, fit};
pub use limits::Limit;
pub use report::{fit_page, history_csv, page};
pub use search::{ConstraintResult, End, Method, Optimum, Options, Step, optimize};
pub use student::student_quantile;
pub use study::{Shown, Study};
pub use watch::Watch;
