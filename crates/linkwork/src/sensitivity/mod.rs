//! Sensitivities: derivatives of results of a run by the numbers of its model.
//!
//! ```
//! use linkwork::model::ModelFile;
//! use linkwork::sensitivity::{Quantity, Study, Take};
//!
//! let file = ModelFile::parse("pendulum.toml", r#"
//!     format = 1
//!     model.gravity = "-y"
//!     parameters = { l = "50 cm" }
//!     points = { A = [0, 0], B = ["l", 0] }
//!     bodies.ground = { points = ["A"] }
//!     bodies.rod = { points = ["A", "B"], mass = 2 }
//!     simulation = { duration = 0.1 }
//! "#)?;
//! let study = Study::of_file(&file, &["l", "bodies.rod.mass"], vec![Quantity::new(Take::Final, "joint.A.q")])?;
//! let found = study.differences()?;
//! assert!(found.derivatives[0][0] > 0.0);         // the longer, the slower it falls: its angle is less negative
//! assert!(found.derivatives[0][1].abs() < 1e-9);  // whatever its mass
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a variable does to a run goes through everything: the drawing that is closed, the initial velocities, the motion, the times of events, and what is made of the results
//! ([`Take`]). There are several ways ([`Method`]). Differences (`differences`) are those of neighbours that take the steps of the nominal run and have its events (`record`). The others differentiate the
//! equations of motion, and take from neighbours (`vicinity`) only what a variable changes in the compiled mechanism: forward, along with the motion (`direct`), by power series (`jets`), and backward (`adjoint`).

mod adjoint;
mod bundle;
mod differences;
mod direct;
mod error;
mod flow;
mod jets;
mod jump;
mod layout;
mod lines;
mod lobatto;
mod march;
mod method;
mod quantity;
mod record;
mod stencil;
mod vicinity;

pub use error::SensitivityError;
pub use method::Method;
pub use quantity::{Quantity, Take};

use crate::mechanism::{Mechanism, Shape};
use crate::model::{Faults, Model, Settings};
#[cfg(feature = "file")]
use crate::model::{ModelFile, Variable};

/// Makes the model of some values of the variables.
type Family<'f> = Box<dyn Fn(&[f64]) -> Result<Model, Faults> + Send + Sync + 'f>;

/// A variable by which derivatives are taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its value in the nominal run, in SI units.
    pub value: f64,
    /// A change that changes much, in SI units: differences take a small part of it. `None`: the size of the mechanism for lengths, and otherwise the value, or one if it is zero.
    pub size: Option<f64>,
}

/// A family of models, and what derivatives are wanted of it.
pub struct Study<'f> {
    family: Family<'f>,
    designs: Vec<Design>,
    quantities: Vec<Quantity>,
    threads: usize,
}

/// Derivatives: one row for each quantity, one column for each variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivities {
    /// How they were taken: never [`Method::Auto`].
    pub method: Method,
    /// What derivatives are taken of.
    pub quantities: Vec<Quantity>,
    /// Their units.
    pub units: Vec<String>,
    /// Their values in the nominal run, in these units.
    pub values: Vec<f64>,
    /// By what.
    pub variables: Vec<Design>,
    /// d quantity / d variable, in the unit of the quantity per SI unit of the variable.
    pub derivatives: Vec<Vec<f64>>,
    /// Estimates of their errors.
    pub errors: Vec<Vec<f64>>,
    /// When the events of the nominal run happened, s.
    pub events: Vec<f64>,
    /// How many runs it took, or how many mechanisms were compiled for one.
    pub runs: usize,
    /// What made it slower than it is elsewhere, and why.
    pub notes: Vec<String>,
}

impl<'f> Study<'f> {
    /// A study of a family of models that a function makes of the values of its variables.
    pub fn new(
        family: impl Fn(&[f64]) -> Result<Model, Faults> + Send + Sync + 'f,
        designs: Vec<Design>,
        quantities: Vec<Quantity>,
    ) -> Self {
        Study { family: Box::new(family), designs, quantities, threads: 0 }
    }

    /// A study of the numbers of a model file, by their names: see [`Variables::find`](crate::model::Variables::find).
    ///
    /// # Errors
    /// Faults of the file; names that it does not have.
    #[cfg(feature = "file")]
    pub fn of_file(
        file: &'f ModelFile,
        by: &[impl AsRef<str>],
        quantities: Vec<Quantity>,
    ) -> Result<Self, Faults> {
        Self::of_file_with(file, by, quantities, |_| {})
    }

    /// As [`Study::of_file`], with other settings.
    ///
    /// # Errors
    /// As [`Study::of_file`].
    #[cfg(feature = "file")]
    pub fn of_file_with(
        file: &'f ModelFile,
        by: &[impl AsRef<str>],
        quantities: Vec<Quantity>,
        change: impl Fn(&mut Model) + Send + Sync + 'f,
    ) -> Result<Self, Faults> {
        let known = file.variables()?;
        let found: Vec<Variable> = known.find_all(by)?.into_iter().cloned().collect();
        let design = |variable: &Variable| Design {
            name: variable.name.clone(),
            unit: variable.unit.clone(),
            value: variable.value,
            size: match variable.value == 0.0 || variable.path.starts_with("points.") {
                true => None,
                false => Some(variable.value.abs()),
            },
        };
        let designs = found.iter().map(design).collect();
        let family = move |values: &[f64]| {
            let pairs: Vec<(&Variable, f64)> = found.iter().zip(values.iter().copied()).collect();
            // what keeps its value keeps its words: an expression follows its parameters
            let moved: Vec<_> =
                pairs.into_iter().filter(|(variable, value)| *value != variable.value).collect();
            let mut model = file.model_with(&moved)?;
            change(&mut model);
            Ok(model)
        };
        Ok(Study::new(family, designs, quantities))
    }

    /// How many threads work; 0, the default: as many as the machine has cores.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The variables.
    pub fn designs(&self) -> &[Design] {
        &self.designs
    }

    /// The model of these values.
    fn model(&self, values: &[f64]) -> Result<Model, Faults> {
        (self.family)(values)
    }

    fn nominal(&self) -> Vec<f64> {
        self.designs.iter().map(|design| design.value).collect()
    }

    /// The mechanism of other values, in the shape of a neighbour.
    fn assembled_in(
        &self,
        values: &[f64],
        settled: &Settings,
        shape: &Shape,
    ) -> Result<Mechanism, SensitivityError> {
        let mut model = self.model(values)?;
        model.settings = settled.clone();
        Ok(model.assemble_in(shape)?)
    }

    /// Refuses mechanisms that sample.
    fn without_samples(&self, mechanism: &Mechanism, method: Method) -> Result<(), SensitivityError> {
        match mechanism.interactions.next_sample(0.0).is_finite() {
            true => {
                let why = "formulas that are sampled jump at each sample".into();
                Err(SensitivityError::Refused { method, t: 0.0, why })
            }
            false => Ok(()),
        }
    }

    /// A change of a variable that changes much.
    fn size(&self, design: &Design, mechanism: &Mechanism) -> f64 {
        match design.size {
            Some(size) => size,
            // where the origin is means nothing
            None if design.unit == "m" => mechanism.size(),
            None if design.value != 0.0 => design.value.abs(),
            None => 1.0,
        }
    }
}
