//! Laws that may do something narrow: what an integrator steps over without a sign of it.
//!
//! A bump that is a thousandth as wide as a step, a friction that turns round, a spike of a table, a branch of `if`: none of them is seen from a place a little way
//! off. The formulas of forces, springs, actuators and drivers are known, however, and so is the motion during a step. Over a stretch of it, with the names of a
//! formula within bounds, the values of every one of its steps have bounds (V1). Where they reach beyond what the ends of the stretch show, something may
//! lie between:
//!
//! ```text
//!   (L1)  hidden = how far [u] reaches beyond the values at both ends  >  ¼ (max u − min u over the step) + ½ |u_b − u_a|
//! ```
//!
//! Laws that are given by numbers and not by formulas are written as one here: friction F tanh(ġ / v), stops, slack, curves.

use super::program::{Context, Scratch};
use super::{Action, Along, Interactions, Program, Scene, Slot, Workspace};
use crate::expressions::Formula;
use crate::expressions::interval::Interval;

/// A law.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    program: Program,
    /// What its own two names are: the sum of coordinate functions, and its rate.
    terms: Vec<(usize, f64)>,
    /// The steps of the formula that may be narrow.
    marks: Vec<usize>,
    /// Which of them have corners.
    corners: Vec<bool>,
    /// Where the values of its names stand among those of all laws.
    first: usize,
    /// Changes below this do not matter, in units of the floor of forces.
    pub kind: LawKind,
}

/// What a law gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LawKind {
    /// A force or a moment.
    Effort,
    /// A coordinate, by a driver.
    Place,
    /// A measure that others use.
    Measure,
}

/// The laws of a mechanism that may be narrow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laws {
    pub list: Vec<Law>,
    /// How many names they have together.
    names: usize,
    /// Whether one of them uses a measure.
    measured: bool,
}

/// Buffers of [`Laws`].
#[derive(Clone, Debug, Default)]
pub(crate) struct LawScratch {
    programs: Scratch,
    stack: Vec<f64>,
    intervals: Vec<Interval>,
    boxes: Vec<Interval>,
}

/// The sum of coordinate functions as text, with its slots.
fn sum_of(along: &Along, rate: bool) -> (String, Vec<Slot>) {
    let names: Vec<String> = (0..along.terms.len()).map(|i| format!("g{i}")).collect();
    let slot =
        |&(g, w): &(usize, f64)| if rate { Slot::GaugeRate(g, w) } else { Slot::CoordinateFunction(g, w) };
    (names.join(" + "), along.terms.iter().map(slot).collect())
}

/// What a force along coordinate functions does by numbers, as formulas.
fn written(along: &Along) -> Vec<Program> {
    let mut found = Vec::new();
    if along.terms.is_empty() {
        return found;
    }
    let (place, places) = sum_of(along, false);
    let (rate, rates) = sum_of(along, true);
    let mut write = |text: String, slots: &[Slot]| {
        if let Ok(formula) = Formula::parse(&text)
            && formula.references().len() == slots.len()
        {
            found.push(Program::new(formula, slots.to_vec()));
        }
    };
    if along.friction != 0.0 {
        write(format!("({:e}) * tanh(({rate}) / ({:e}))", along.friction, along.friction_speed), &rates);
    }
    if along.only_pulls {
        let k = if along.stiffness != 0.0 { along.stiffness } else { 1.0 };
        write(format!("({k:e}) * max(0, {place} - ({:e}))", along.rest), &places);
    }
    if let Some(stop) = &along.stop {
        let [low, high] = stop.limits;
        for (text, limit) in
            [(format!("({low:e}) - ({place})"), low), (format!("{place} - ({high:e})"), high)]
        {
            if limit.is_finite() {
                write(format!("({:e}) * max(0, {text})", stop.stiffness), &places);
            }
        }
    }
    if let Some(curve) = &along.curve {
        let text = format!("curve({place} - ({:e}))", along.rest);
        if let Ok(formula) = Formula::parse(&text).and_then(|f| f.with_tables(|_| Some(curve.clone())))
            && formula.references().len() == places.len()
        {
            found.push(Program::new(formula, places.clone()));
        }
    }
    found
}

impl Laws {
    /// Those of a mechanism's interactions.
    pub fn new(interactions: &Interactions) -> Self {
        let mut laws = Laws::default();
        let no_terms = Vec::new;
        for action in &interactions.actions {
            let terms = match &action.action {
                Action::Along(along) => along.terms.clone(),
                Action::Actuator(actuator) => vec![(actuator.gauge, actuator.factor)],
                _ => no_terms(),
            };
            // between samples nothing changes
            let sampled = matches!(&action.action, Action::Actuator(actuator) if actuator.held.is_some());
            for program in action.action.programs().into_iter().filter(|_| !sampled) {
                laws.push(program.clone(), terms.clone(), LawKind::Effort);
            }
            if let Action::Along(along) = &action.action {
                for program in written(along) {
                    laws.push(program, no_terms(), LawKind::Effort);
                }
            }
        }
        for coupling in &interactions.couplings {
            if let Some(drive) = &coupling.drive {
                laws.push(drive.program(), no_terms(), LawKind::Place);
            }
        }
        let uses_measures = |program: &Program| program.slots().iter().any(|s| matches!(s, Slot::Measure(_)));
        let acts = interactions.actions.iter().flat_map(|a| a.action.programs());
        laws.measured = acts.into_iter().any(uses_measures);
        if laws.measured {
            for measure in &interactions.measures {
                // what is known late is no part of a force
                if !measure.program.slots().iter().any(|s| matches!(s, Slot::Late(_))) {
                    laws.push(measure.program.clone(), no_terms(), LawKind::Measure);
                }
            }
        }
        laws
    }

    fn push(&mut self, program: Program, terms: Vec<(usize, f64)>, kind: LawKind) {
        let marks = program.formula().narrow_steps();
        if marks.is_empty() || program.slots().is_empty() {
            return;
        }
        let corners = marks.iter().map(|&mark| program.formula().has_corners(mark)).collect();
        let first = self.names;
        self.names += program.slots().len();
        self.list.push(Law { program, terms, marks, corners, first, kind });
    }

    /// The values of all names where the bodies are, as `ws.motions` says.
    pub fn read(
        &self,
        interactions: &Interactions,
        ws: &mut Workspace,
        (t, auxiliary): (f64, &[f64]),
        scratch: &mut LawScratch,
        out: &mut Vec<f64>,
    ) {
        if self.measured {
            ws.measure(interactions, t, auxiliary, &[]);
        }
        out.clear();
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &ws.motions, hints, holds, switches: &ws.switches };
        for law in &self.list {
            let mut locals = [0.0; 2];
            for &(g, w) in &law.terms {
                let jet = interactions.gauges[g].jet(&ws.motions, hints) * w;
                locals = [locals[0] + jet.x, locals[1] + jet.d];
            }
            let at =
                Context { interactions, scene: &scene, measures: &ws.measures, locals: &locals, late: &[] };
            law.program.read(&at, &mut scratch.programs, out);
        }
    }
}

impl Law {
    /// Its own among the values of all names.
    fn own<'v>(&self, names: &'v [f64]) -> &'v [f64] {
        &names[self.first..self.first + self.program.slots().len()]
    }

    /// The values of the steps that may be narrow, and last its own.
    pub fn trace(&self, names: &[f64], scratch: &mut LawScratch, out: &mut Vec<f64>) {
        out.clear();
        let mut marks = self.marks.iter().peekable();
        let value = self.program.formula().trace(self.own(names), &mut scratch.stack, |i, value| {
            if marks.next_if(|&&mark| mark == i).is_some() {
                out.push(value);
            }
        });
        out.push(value);
    }

    /// Bounds of what [`Law::trace`] shows while the names are between those of two places, or further off by `beyond`; whether all is calm (V2), and
    /// whether a corner lies there.
    pub fn enclose(
        &self,
        [a, b]: [&[f64]; 2],
        beyond: impl Fn(usize) -> f64,
        scratch: &mut LawScratch,
        out: &mut Vec<Interval>,
    ) -> (bool, bool) {
        out.clear();
        let (p, q) = (self.own(a), self.own(b));
        scratch.boxes.clear();
        for i in 0..p.len() {
            let time = self.program.slots()[i] == Slot::Time;
            let room = if time { 0.0 } else { beyond(self.first + i) + 1e-14 * p[i].abs().max(q[i].abs()) };
            scratch.boxes.push(Interval::new(p[i], q[i]).wider(room));
        }
        let mut marks = self.marks.iter().peekable();
        let (mut all_calm, mut corner) = (true, false);
        let stack = &mut scratch.intervals;
        let value = self.program.formula().enclose(&scratch.boxes, stack, |i, value, calm| {
            if marks.next_if(|&&mark| mark == i).is_some() {
                corner |= !calm && self.corners[out.len()];
                out.push(value);
                all_calm &= calm;
            }
        });
        out.push(value);
        (all_calm, corner)
    }
}
