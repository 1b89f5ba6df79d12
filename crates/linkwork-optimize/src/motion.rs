//! What a mechanism does for one evaluation: samples of the quantities that an optimisation reads.
//!
//! Each quantity is a measure that is added to the model, so that formulas, tables and readings mean here what they mean everywhere.

use linkwork::Mechanism;
use linkwork::analysis::{EquilibriumOptions, Instant, Kinematics, Stuck};
use linkwork::model::{Formula, Measure, Model, Over};
use linkwork::results::Frame;
use linkwork::simulation::{Observer, Status};
use std::ops::ControlFlow;

/// Measures that are added have names with this beginning, which no parameter has.
const PREFIX: &str = "__wanted_";

/// Why there are no samples.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    /// By how much the mechanism stays open, in parts of its size; one where that is not known.
    pub open: f64,
    pub why: String,
    /// Whether other values of the variables may help.
    pub curable: bool,
}

/// Samples of several quantities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    pub t: Vec<f64>,
    /// One list for each quantity.
    pub values: Vec<Vec<f64>>,
}

/// A motion that can be asked at any time. At each sample it has been marked, in their order.
pub(crate) trait Moving {
    /// Goes on to a time, or back, along the branch that it is in; whether it gets there.
    fn go_to(&mut self, t: f64) -> bool;
    /// The values of the quantities.
    fn values_into(&mut self, out: &mut Vec<f64>);
    /// The rates of some quantities, one after the other, where they are known.
    fn rates(&mut self, _first: usize, _count: usize) -> Option<Vec<f64>> {
        None
    }
    /// Remembers where it is, behind what has been remembered before.
    fn mark(&mut self);
    /// Comes back to where it was.
    fn return_to(&mut self, mark: usize);
}

/// The motion of a compiled mechanism.
pub(crate) struct Compiled<'m> {
    motion: Kinematics<'m>,
    instants: Vec<Instant>,
    stuck: Option<Stuck>,
}

impl Moving for Compiled<'_> {
    fn go_to(&mut self, t: f64) -> bool {
        self.stuck = self.motion.go_to(t).err();
        self.stuck.is_none()
    }
    fn values_into(&mut self, out: &mut Vec<f64>) {
        self.motion.values_into(out);
    }
    fn mark(&mut self) {
        self.instants.push(self.motion.instant());
    }
    fn return_to(&mut self, mark: usize) {
        self.motion.return_to(&self.instants[mark]);
    }
}

/// The values of so many quantities at times, each of them marked; how many samples there are where the motion stops.
pub(crate) fn sampled(moving: &mut dyn Moving, times: &[f64], count: usize) -> Result<Samples, usize> {
    let values = vec![Vec::with_capacity(times.len()); count];
    let mut samples = Samples { t: Vec::with_capacity(times.len()), values };
    let mut row = Vec::new();
    for (k, t) in times.iter().enumerate() {
        if !moving.go_to(*t) {
            return Err(k);
        }
        moving.values_into(&mut row);
        samples.t.push(*t);
        samples.values.iter_mut().zip(&row).for_each(|(list, x)| list.push(*x));
        moving.mark();
    }
    Ok(samples)
}

impl Failed {
    pub fn new(open: f64, why: impl Into<String>) -> Self {
        Failed {
            open: if open.is_finite() && open > 0.0 { open } else { 1.0 },
            why: why.into(),
            curable: true,
        }
    }

    pub fn for_good(why: impl Into<String>) -> Self {
        Failed { open: 1.0, why: why.into(), curable: false }
    }
}

/// The model with the quantities as measures behind its own, and how many it had.
pub(crate) fn with_measures(mut model: Model, quantities: &[Formula]) -> (Model, usize) {
    let own = model.measures.len();
    for (i, formula) in quantities.iter().enumerate() {
        model.measures.push(Measure::new(format!("{PREFIX}{i}"), formula.clone()));
    }
    (model, own)
}

/// The names of the quantities as the kinematics of the mechanism knows them.
fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("measure.{PREFIX}{i}")).collect()
}

/// Assembles a model; a rough size of the mechanism makes what stays open a part of it.
pub(crate) fn assembled(model: &Model) -> Result<Mechanism, Failed> {
    model.assemble().map_err(|faults| {
        let why = faults.list.first().map_or_else(String::new, |fault| fault.message.clone());
        match faults.residual() {
            Some(open) => Failed::new(open / size_of(model), why),
            None => Failed::new(1.0, why),
        }
    })
}

fn size_of(model: &Model) -> f64 {
    let span = |k: usize| {
        let of = || model.points.iter().map(move |point| point.position[k]);
        of().fold(f64::NEG_INFINITY, f64::max) - of().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(span).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
}

/// The samples over what the mechanism does.
pub(crate) fn samples(mechanism: &Mechanism, over: Over, own: usize) -> Result<Samples, Failed> {
    let count = mechanism.model().measures.len() - own;
    match over {
        Over::Kinematics => along_drivers(mechanism, count, true).map(|(samples, _)| samples),
        Over::Run => run(mechanism, own, count),
        Over::Equilibrium => at_rest(mechanism, own),
    }
}

/// The times of the samples of a run: multiples of the output step, and the end.
pub(crate) fn grid(model: &Model) -> Vec<f64> {
    let (end, step) = (model.settings.duration, model.settings.output_step);
    let count = (end / step).floor() as usize;
    let mut list: Vec<f64> = (0..=count).map(|k| k as f64 * step).collect();
    if list.last().is_some_and(|last| end - last > 1e-9 * end) {
        list.push(end);
    }
    list
}

/// The motion that the drivers prescribe, to go on with. Where it stops, it is found out how far the rest stays open, if that is `measured`.
pub(crate) fn along_drivers(
    mechanism: &Mechanism,
    count: usize,
    measured: bool,
) -> Result<(Samples, Compiled<'_>), Failed> {
    let motion = mechanism.kinematics(&names(count)).map_err(|error| Failed::for_good(error.to_string()))?;
    let mut moving = Compiled { motion, instants: Vec::new(), stuck: None };
    let times = grid(mechanism.model());
    let samples = sampled(&mut moving, &times, count).map_err(|k| {
        let size = mechanism.size();
        let rest = if measured { &times[k..] } else { &[] };
        let open = rest.iter().map(|t| moving.motion.open_at(*t) / size).fold(0.0, f64::max);
        let why = moving.stuck.as_ref().map_or_else(String::new, |stuck| {
            format!("the motion stops at t = {} s: {} cannot be kept", stuck.t, stuck.constraint)
        });
        Failed::new(open, why)
    })?;
    Ok((samples, moving))
}

struct Collected {
    own: usize,
    samples: Samples,
}

impl Observer for Collected {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.samples.t.push(frame.t);
        let values = frame.measures.iter().skip(self.own);
        self.samples.values.iter_mut().zip(values).for_each(|(list, x)| list.push(*x));
        ControlFlow::Continue(())
    }
}

fn run(mechanism: &Mechanism, own: usize, count: usize) -> Result<Samples, Failed> {
    let samples = Samples { t: Vec::new(), values: vec![Vec::new(); count] };
    let mut collected = Collected { own, samples };
    let summary = mechanism.run(&mut collected).map_err(|faults| {
        Failed::new(1.0, faults.list.first().map_or_else(String::new, |fault| fault.message.clone()))
    })?;
    match &summary.status {
        Status::Finished | Status::Stopped => Ok(collected.samples),
        Status::Failed(failure) => {
            let left = 1.0 - failure.t / mechanism.model().settings.duration;
            Err(Failed::new(left, format!("the run fails at t = {} s: {}", failure.t, failure.message)))
        }
    }
}

fn at_rest(mechanism: &Mechanism, own: usize) -> Result<Samples, Failed> {
    let rest = mechanism
        .equilibrium(&EquilibriumOptions::default())
        .map_err(|error| Failed::new(1.0, error.to_string()))?;
    let values = rest.frame.measures.iter().skip(own).map(|x| vec![*x]).collect();
    Ok(Samples { t: vec![rest.frame.t], values })
}
