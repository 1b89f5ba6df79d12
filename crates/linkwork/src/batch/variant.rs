//! What differs from one run of a batch to the next.

use crate::formulations::Input;
use crate::model::{Faults, Model};
use std::fmt;
use std::sync::Arc;

/// A run of a batch: the base mechanism, with what differs.
///
/// ```
/// use linkwork::batch::Variant;
/// use linkwork::formulations::Input;
///
/// let swinging = Variant::new().start([0.5, 0.0], [0.0, 1.0]);
/// let driven = Variant::new().input(Input::law(|t, _q, _u, tau| tau[0] = 0.1 * t.sin()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Variant {
    pub(super) source: Source,
    /// Coordinates and rates of the formulation `recursive` at the start, in the order of [`Batch::start`](super::Batch::start); the
    /// model's own if left out.
    pub start: Option<(Vec<f64>, Vec<f64>)>,
    /// Start velocities of points in world axes, m/s, in place of all that the model gives.
    pub velocities: Option<Vec<(String, [f64; 3])>>,
    /// Forces on the rates, besides everything in the model.
    pub input: Option<Input>,
}

type Make = dyn Fn() -> Result<Model, Faults> + Send + Sync;

/// Where the model of a variant comes from.
#[derive(Clone, Default)]
pub(super) enum Source {
    #[default]
    Base,
    Model(Arc<Model>),
    Make(Arc<Make>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Base => f.write_str("Base"),
            Source::Model(model) => f.debug_tuple("Model").field(&model.name).finish(),
            Source::Make(_) => f.write_str("Make(..)"),
        }
    }
}

impl Variant {
    /// The base mechanism as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another model with the same result columns: other masses, lengths, forces, expressions. It is assembled by the worker that
    /// runs it.
    pub fn of_model(model: impl Into<Arc<Model>>) -> Self {
        Variant { source: Source::Model(model.into()), ..Self::default() }
    }

    /// As [`Variant::of_model`], with a model that the worker asks for: thousands of models need not be there at the same time.
    pub fn made_by(make: impl Fn() -> Result<Model, Faults> + Send + Sync + 'static) -> Self {
        Variant { source: Source::Make(Arc::new(make)), ..Self::default() }
    }

    /// Whether it is the base mechanism, with another start or input.
    pub(super) fn is_of_base(&self) -> bool {
        matches!(self.source, Source::Base) && self.velocities.is_none()
    }

    /// The model that it has of its own.
    pub(super) fn own_model(&self) -> Option<Result<Model, Faults>> {
        match &self.source {
            Source::Base => None,
            Source::Model(model) => Some(Ok(Model::clone(model))),
            Source::Make(make) => Some(make()),
        }
    }

    /// Sets coordinates and rates at the start.
    #[must_use]
    pub fn start(mut self, q: impl Into<Vec<f64>>, u: impl Into<Vec<f64>>) -> Self {
        self.start = Some((q.into(), u.into()));
        self
    }

    /// Gives a point a start velocity, m/s. With the first one, those of the model are gone.
    #[must_use]
    pub fn velocity(mut self, point: impl Into<String>, v: [f64; 3]) -> Self {
        self.velocities.get_or_insert_default().push((point.into(), v));
        self
    }

    /// Sets the forces on the rates.
    #[must_use]
    pub fn input(mut self, input: Input) -> Self {
        self.input = Some(input);
        self
    }
}
