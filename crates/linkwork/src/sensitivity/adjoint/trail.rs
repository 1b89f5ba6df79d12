//! The way of the motion, kept so that it can be gone back: sizes of steps, checkpoints, and the stages of the last steps.
//!
//! A step is gone back over by its stages. They are kept up to a bound of memory; beyond it a checkpoint begins a new segment of steps, and the stages of a segment that is reached on the way back are worked out
//! again from its checkpoint, with the sizes that its steps had. So memory is bounded, but for a state for each segment and two numbers for each step.

use super::super::flow::Pace;
use super::super::{Method, SensitivityError};
use crate::Error;
use crate::integrate::{Limits, STAGES, StepError, Stepper, System, Tableau};
use crate::mechanism::Mechanism;
use crate::model::Integrator;
use crate::simulation::Probe;

/// Local error of the state, relative to what is largest in it.
const TOLERANCE: f64 = 1e-13;
/// Numbers that the stages of a segment take at most: 64 MB.
const MOST_NUMBERS: usize = 8_000_000;

/// A step: when it begins, and its size.
pub(super) type Step = (f64, f64);

/// A stretch of smooth motion.
#[derive(Default)]
pub(super) struct Leg {
    steps: Vec<Step>,
    /// The step that each segment begins with, and the state there.
    checkpoints: Vec<(usize, Vec<f64>)>,
    /// The segment whose stages are at hand, and these: step by step, one stage after the other.
    at_hand: Option<(usize, Vec<f64>)>,
    /// What was read at the start of each step, where somebody reads.
    read: Vec<Vec<f64>>,
}

/// Reads results off a state.
pub(super) type Reader<'r> = &'r mut dyn FnMut(&mut Probe, f64, &[f64]) -> Result<Vec<f64>, Error>;

impl Leg {
    /// How many segments it has.
    pub fn segments(&self) -> usize {
        self.checkpoints.len()
    }

    /// The steps of a segment.
    fn steps_of(&self, segment: usize) -> &[Step] {
        let end = self.checkpoints.get(segment + 1).map_or(self.steps.len(), |next| next.0);
        &self.steps[self.checkpoints[segment].0..end]
    }
}

/// A segment: its steps, all their stages, and what was read at their starts, if anything was.
pub(super) struct Recalled<'l> {
    pub steps: &'l [Step],
    pub states: &'l [f64],
    pub read: &'l [Vec<f64>],
}

/// The equations of motion, and what they were asked since the last step.
struct Asked<'p> {
    probe: &'p mut Probe,
    scale: &'p [f64],
    /// Places, and rates there.
    places: Vec<Vec<f64>>,
    count: usize,
}

impl System for Asked<'_> {
    type Error = Error;

    fn dimension(&self) -> usize {
        self.scale.len()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Error> {
        // the stages of the last trial, and its end: a ring of these
        let ring = STAGES;
        self.places[self.count % ring].copy_from_slice(y);
        self.count += 1;
        self.probe.derivative(t, y, dy)
    }

    fn error_scale(&self, scale: &mut [f64]) {
        scale.copy_from_slice(self.scale);
    }
}

/// The way to go and come back.
pub(super) struct Walker {
    pub tableau: Tableau,
    /// What errors are measured against.
    pub scale: Vec<f64>,
    longest: f64,
    /// Of the run.
    integrator: Integrator,
    most_steps: usize,
    /// Numbers that stages take by now.
    kept: usize,
    k: Vec<f64>,
}

impl Walker {
    pub fn new(n: usize, nominal: &Mechanism) -> Self {
        Walker {
            tableau: Tableau::dop853(),
            scale: vec![f64::INFINITY; n],
            longest: nominal.longest_step(),
            integrator: nominal.model().settings.integrator,
            most_steps: (MOST_NUMBERS / (STAGES * n.max(1))).max(1),
            kept: 0,
            k: Vec::new(),
        }
    }

    /// Goes from one time to another.
    pub fn go(
        &mut self,
        probe: &mut Probe,
        y: &mut [f64],
        [from, to]: [f64; 2],
        mut reader: Option<Reader<'_>>,
    ) -> Result<Leg, SensitivityError> {
        let n = y.len();
        let wrong = |error: StepError<Error>| match error {
            StepError::System { source, .. } => SensitivityError::Nominal(source),
            other => SensitivityError::Refused { method: Method::Adjoint, t: from, why: other.to_string() },
        };
        let mut system = Asked { probe, scale: &self.scale, places: vec![vec![0.0; n]; STAGES], count: 0 };
        let limits = Limits { max_step: self.longest, ..Limits::default() };
        let mut stepper = Stepper::dop853(n, TOLERANCE).with_projection(false).with_limits(limits);
        stepper.start(&mut system, from, y, to).map_err(wrong)?;
        let mut pace = Pace::new(Method::Adjoint, self.integrator, [from, to]);
        let mut leg = Leg::default();
        let mut states: Vec<f64> = Vec::new();
        while !stepper.is_finished() {
            if leg.steps.len().is_multiple_of(self.most_steps) {
                leg.checkpoints.push((leg.steps.len(), stepper.y().to_vec()));
                states.clear();
            }
            states.extend_from_slice(stepper.y());
            if let Some(reader) = &mut reader {
                leg.read.push(reader(system.probe, stepper.t(), stepper.y())?);
            }
            stepper.step(&mut system).map_err(wrong)?;
            pace.step(stepper.t())?;
            leg.steps.push((stepper.t_old(), stepper.h()));
            // eleven stages, then the end
            for i in 0..STAGES - 1 {
                states.extend_from_slice(&system.places[(system.count + i) % STAGES]);
            }
        }
        if self.kept + states.len() <= MOST_NUMBERS && leg.segments() > 0 {
            self.kept += states.len();
            leg.at_hand = Some((leg.segments() - 1, states));
        }
        y.copy_from_slice(stepper.y());
        Ok(leg)
    }

    /// The steps of a segment with their stages, which are worked out again unless they are at hand.
    pub fn recall<'l>(
        &mut self,
        probe: &mut Probe,
        leg: &'l mut Leg,
        segment: usize,
    ) -> Result<Recalled<'l>, SensitivityError> {
        if leg.at_hand.as_ref().is_none_or(|at_hand| at_hand.0 != segment) {
            let stages = self.again(probe, leg, segment)?;
            leg.at_hand = Some((segment, stages));
        }
        let states = leg.at_hand.as_ref().map_or(&[][..], |at_hand| &at_hand.1);
        let read = leg.read.get(leg.checkpoints[segment].0..).unwrap_or_default();
        Ok(Recalled { steps: leg.steps_of(segment), states, read })
    }

    fn again(&mut self, probe: &mut Probe, leg: &Leg, segment: usize) -> Result<Vec<f64>, SensitivityError> {
        let n = self.scale.len();
        let mut y = leg.checkpoints[segment].1.clone();
        let steps = leg.steps_of(segment);
        let mut states = vec![0.0; steps.len() * STAGES * n];
        let mut system = Asked { probe, scale: &self.scale, places: vec![vec![0.0; n]; STAGES], count: 0 };
        for (&(t, h), out) in steps.iter().zip(states.chunks_exact_mut(STAGES * n)) {
            self.tableau.step(&mut system, t, &mut y, h, out, &mut self.k)?;
        }
        Ok(states)
    }
}
