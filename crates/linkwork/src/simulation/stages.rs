//! From one mechanism of a run to the next: what becomes of its parts, and the state that goes on.

use super::checkpoint::Begun;
use super::events::{Edit, Event, Events, Lasting};
use super::run::Run;
use super::{Observer, RunFailure, Status};
use crate::formulations::Formulate;
use crate::integrate::StepError;
use crate::linalg::vec3::{add, axpy, norm, scale, sub};
use crate::mechanism::{BodyIndex, Mechanism, Start};
use crate::model::{Change, Faults, Model, Severity};
use crate::results::{Before, Frame, JointCoordinate};
use crate::topology::{Parting, Topology};
use std::collections::HashMap;

/// What the next mechanism goes on with.
pub(super) struct Carried {
    /// Kinetic and potential energy, J.
    energy: f64,
    /// J
    work: f64,
    /// Coordinates of the joints.
    joints: HashMap<String, Vec<JointCoordinate>>,
    /// What there was.
    before: Before,
    /// Whether nothing but the number of a chain's segments changes.
    pays_out: bool,
    /// Whether no row shows the change.
    quiet: bool,
    /// What is reported of it.
    reported: Vec<Event>,
    /// Values of inputs and states.
    variables: Vec<(String, f64)>,
    /// What events know of what goes on.
    pub lasting: Lasting,
}

impl Carried {
    /// Whether the next mechanism is so much like the one before that what suits one suits the other.
    pub(super) fn keeps_choices(&self, next: &Mechanism) -> bool {
        self.quiet && next.bodies.len() > FEW
    }
}

/// Mechanisms of so few bodies have choices of their own.
const FEW: usize = 4;

/// The next mechanism.
pub(super) struct NextStage {
    pub mechanism: Mechanism,
    pub state: Carried,
}

/// Changes at one instant beyond this set each other off without end.
const MOST_AT_ONCE: u32 = 1000;
/// A mechanism that lasts less than this part of an output step says nothing of steps.
const AT_ONCE: f64 = 1e-6;
/// Points of a joint that closes may be this part of the size apart.
const NEAR: f64 = 1e-3;

/// A mechanism whose parts are being changed.
struct Editing<'a> {
    mechanism: &'a Mechanism,
    model: &'a Model,
    structure: Topology,
    start: Start,
}

impl<F: Formulate> Run<'_, F> {
    /// The mechanism that goes on after the edits, from the state in `y`; it tells of them what there is to be reported. Where none can, that is reported here.
    pub(super) fn next_stage(
        &mut self,
        t: f64,
        edits: &[Edit],
        reported: Vec<Event>,
        observer: &mut dyn Observer,
    ) -> Result<NextStage, Status> {
        match self.edited(t, edits) {
            Ok(mut next) => {
                next.state.reported = reported;
                Ok(next)
            }
            Err(status) => {
                self.tell(reported, observer)?;
                Err(status)
            }
        }
    }

    fn edited(&mut self, t: f64, edits: &[Edit]) -> Result<NextStage, Status> {
        let shown = self.system.observe(t, &self.y, &mut self.frame);
        shown.map_err(|source| self.failed(t, &StepError::System { t, source }))?;
        let at_once = if self.ledger.changes.0 == t { self.ledger.changes.1 + 1 } else { 0 };
        self.ledger.changes = (t, at_once);
        let fail = |code, message: String, advice: &str| {
            Status::Failed(RunFailure::plain(t, self.stepper.h(), code, message, advice))
        };
        if at_once > MOST_AT_ONCE {
            let message = "changes of the mechanism set each other off without end at one instant";
            let advice = "look for joints or chains that break at once, and for changes that undo each other";
            return Err(fail("events-pile-up", message.into(), advice));
        }
        let changed = self.mechanism.edited(&self.frame, edits).and_then(|(structure, start)| {
            self.mechanism.stage(&structure, &start).map_err(|faults| reported(&faults))
        });
        let advice = "look at what is to be attached or added here, and where";
        let changed = changed.map_err(|message| (message, advice));
        let changed = changed.and_then(|next| self.acceptable(next, edits, advice));
        let mechanism = changed.map_err(|(message, advice)| fail("structure", message, advice))?;
        // the next one begins with half a mean step of this one, unless that was over at once
        let steps = self.stepper.statistics().accepted_steps;
        let lasted = t - self.mechanism.start_time;
        let tells = steps > 0 && lasted > AT_ONCE * self.mechanism.model.settings.output_step;
        self.ledger.step = tells.then(|| 0.5 * lasted / steps as f64).or(self.ledger.step);
        let before = match self.balances {
            true => Before::new(self.mechanism, &self.frame),
            false => Before::default(),
        };
        let quiet = edits.iter().all(Edit::is_quiet);
        let joints = self.mechanism.joints.iter().map(|joint| joint.name.clone());
        let names = self.mechanism.interactions.variables.iter().map(|variable| variable.name.clone());
        let state = Carried {
            energy: self.frame.energy(),
            work: self.frame.work,
            joints: joints.zip(self.frame.joints.iter().cloned()).collect(),
            before,
            pays_out: edits.iter().all(|edit| matches!(edit, Edit::Insert(_) | Edit::Remove(_))),
            quiet,
            reported: Vec::new(),
            variables: names.zip(self.y[self.variables_at()..].iter().copied()).collect(),
            lasting: self.events.as_ref().map(Events::lasting).unwrap_or_default(),
        };
        Ok(NextStage { mechanism, state })
    }

    /// Whether another mechanism can go on after the edits.
    fn acceptable(
        &self,
        next: Mechanism,
        edits: &[Edit],
        advice: &'static str,
    ) -> Result<Mechanism, (String, &'static str)> {
        let off = next.assembly.residual_before;
        let parts = edits.iter().any(|edit| matches!(edit, Edit::Change(_)));
        if parts && off > NEAR * next.size {
            let what = next.assembly.worst_before.as_deref().unwrap_or("a joint");
            return Err((
                format!("what is to be attached does not fit: {what} is off by {off:.3e} m"),
                advice,
            ));
        }
        let unsupported = next.formulation().0.unsupported(&next);
        let unsupported: Vec<_> = unsupported.into_iter().filter(|f| f.severity == Severity::Error).collect();
        match unsupported.is_empty() {
            true => Ok(next),
            false => {
                let message = reported(&Faults { list: unsupported, provenance: None });
                Err((message, "take another `formulation`, one that solves what is left as well"))
            }
        }
    }

    /// Goes on where another mechanism ended: energy that came or went with the parts counts as work.
    pub(super) fn take_over(
        &mut self,
        t: f64,
        carried: &Carried,
        observer: &mut dyn Observer,
    ) -> Result<(), Status> {
        let wrong = |source| StepError::System { t, source };
        let first = self.variables_at();
        let here = self.mechanism.interactions.variables.iter().zip(&mut self.y[first..]);
        for (i, (variable, value)) in here.enumerate() {
            let same = |(name, _): &&(String, f64)| *name == variable.name;
            let same_place = carried.variables.get(i).filter(same);
            // what comes only now begins as the model says
            if let Some((_, before)) = same_place.or_else(|| carried.variables.iter().find(same)) {
                *value = *before;
            }
        }
        if let Some(events) = &mut self.events {
            // before anything is shown or booked: contacts that hold bear their loads
            let held = events.carry_on(&mut self.system, t, &mut self.y, &carried.lasting);
            held.map_err(|source| self.failed(t, &wrong(source)))?;
        }
        self.frame.count_on_from(self.mechanism, t, &carried.joints);
        let shown = self.system.observe(t, &self.y, &mut self.frame);
        shown.map_err(|source| self.failed(t, &wrong(source)))?;
        let gained = self.frame.energy() - carried.energy;
        let place = self.system.work_index();
        self.y[place] = carried.work + gained;
        if self.balances {
            self.frame.work = self.y[place];
            self.ledger.balances.jump(self.mechanism, &self.frame, &carried.before, carried.pays_out);
        }
        let mut reported = carried.reported.clone();
        reported.iter_mut().take(1).for_each(|event| event.energy = gained);
        self.tell(reported, observer)?;
        if carried.quiet { Ok(()) } else { self.show(t, observer) }
    }
}

/// Faults on one line.
fn reported(faults: &Faults) -> String {
    faults
        .list
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.message))
        .collect::<Vec<_>>()
        .join("; ")
}

impl Mechanism {
    /// Topology and state after the edits.
    fn edited(&self, frame: &Frame, edits: &[Edit]) -> Result<(Topology, Start), String> {
        let (Some(structure), Some(origin)) = (self.topology(), &self.origin) else {
            return Err("nothing of this mechanism can change".into());
        };
        let start = Start::new(self, &frame.instant());
        let mut editing =
            Editing { mechanism: self, model: &origin.model, structure: structure.clone(), start };
        for edit in edits {
            match edit {
                Edit::Change(name) => {
                    editing.structure.done.push(name.clone());
                    if let Some(change) = origin.model.changes.iter().find(|c| c.name == *name) {
                        editing.change(change)?;
                    }
                }
                Edit::Open(joint) => editing.open(joint),
                Edit::Snap(chain, segment) => editing.structure.chains[*chain].broken.push(*segment),
                Edit::Insert(chain) => editing.insert(*chain, frame),
                Edit::Remove(chain) => editing.remove(*chain, frame),
                Edit::Empty(chain) => {
                    let growing =
                        self.chains[*chain].rope(self).and_then(|rope| rope.growing(&frame.motions));
                    let state = &mut editing.structure.chains[*chain];
                    state.spent = true;
                    // a node that has just come out is the end
                    let inserted = edits.contains(&Edit::Insert(*chain));
                    state.rest = growing.filter(|_| !inserted).map_or(0.0, |growing| growing.length);
                }
            }
        }
        editing.start.fits = edits.iter().all(Edit::is_quiet);
        Ok((editing.structure, editing.start))
    }

    /// The mechanism that a checkpoint was taken of.
    pub(super) fn resumed(&self, structure: &Topology, begun: &Begun) -> Result<Mechanism, Faults> {
        let state = [&begun.positions, &begun.velocities, &begun.hints].map(|list| list.clone());
        let start = Start::exact(begun.t, state, begun.switches.clone());
        let mut stage = self.stage(structure, &start)?;
        if stage.start_positions.len() == begun.positions.len() {
            stage.start_positions.clone_from(&begun.positions);
            stage.start_velocities.clone_from(&begun.velocities);
        }
        Ok(stage)
    }
}

impl Editing<'_> {
    fn change(&mut self, change: &Change) -> Result<(), String> {
        for joint in &change.detach {
            self.open(joint);
        }
        for (chain, at) in &change.cut {
            let Some(c) = self.model.chains.iter().position(|c| c.name == *chain) else { continue };
            let n = self.structure.chains[c].segments;
            if n > 0 {
                let segment = (at / self.mechanism.chains[c].segment).ceil().clamp(1.0, n as f64) as usize;
                self.structure.chains[c].broken.push(segment);
            }
        }
        for body in &change.remove {
            self.start.forget(body);
            self.structure.absent.push(body.clone());
        }
        for body in &change.add {
            self.structure.absent.retain(|absent| absent != body);
            match &change.moving_with {
                Some(other) if self.start.knows(other) => self.start.appear_with(body, other),
                Some(other) => {
                    return Err(format!("`{body}` cannot move with `{other}`, which is not there"));
                }
                None => self.start.appear(self.model, body),
            }
        }
        for joint in &change.attach {
            self.close(joint)?;
        }
        Ok(())
    }

    /// Opens a joint: the bodies on one side of it get points of their own.
    fn open(&mut self, name: &str) {
        let mechanism = self.mechanism;
        let joint = mechanism.joints.iter().find(|joint| joint.name == name);
        if let Some(entry) = self.model.joints.iter().find(|joint| joint.name == name) {
            if !self.structure.open.iter().any(|open| open == name) {
                self.structure.open.push(name.into());
            }
            // one that slides keeps its sides apart only while it is there; bodies of one that is not there share the point when they come
            if joint.is_none_or(|joint| joint.shared.is_empty())
                && let Some(parting) = Parting::of(entry)
            {
                self.part(parting);
            }
        }
        let Some(joint) = joint else { return };
        for (&node, (side, _)) in joint.shared.iter().zip(&joint.felt_by) {
            let bodies: Vec<String> = side.iter().map(|&b| mechanism.bodies[b].name.clone()).collect();
            let point = self.shared_name(joint.bodies, node);
            self.part(Parting { joint: name.into(), point, bodies });
        }
    }

    /// The point of a node that two bodies have in common: a node may have several names.
    fn shared_name(&self, bodies: [BodyIndex; 2], node: usize) -> String {
        let mechanism = self.mechanism;
        let points = |body: BodyIndex| match body {
            None => &mechanism.model.ground,
            Some(b) => &mechanism.model.bodies[b].points,
        };
        let at_node = |name: &String| mechanism.points.iter().any(|p| p.name == *name && p.node == node);
        let [first, second] = bodies.map(points);
        let mut both = first.iter().filter(|name| second.contains(name));
        both.find(|name| at_node(name)).unwrap_or(&mechanism.node_names[node]).clone()
    }

    fn part(&mut self, parting: Parting) {
        let known = |p: &Parting| p.point == parting.point && p.bodies == parting.bodies;
        if !self.structure.partings.iter().any(known) {
            self.structure.partings.push(parting);
        }
    }

    /// Closes a joint, whose points must be together.
    fn close(&mut self, name: &str) -> Result<(), String> {
        let Some(entry) = self.model.joints.iter().find(|joint| joint.name == name) else {
            return Err(format!("there is no entry for the joint `{name}`"));
        };
        self.structure.open.retain(|open| open != name);
        self.structure.partings.retain(|parting| parting.joint != name);
        if entry.kind().slides() {
            return Ok(());
        }
        let [first, second] = [0, 1].map(|s| self.start.on_body(self.model, &entry.bodies[s], &entry.at[s]));
        if let (Some(first), Some(second)) = (first, second) {
            let gap = norm(sub(first, second));
            if gap > NEAR * self.mechanism.size {
                return Err(format!("joint `{name}` cannot close: its points are {gap:.3e} m apart"));
            }
        }
        Ok(())
    }

    /// A node leaves the mouth of a chain: a segment's length behind the last one, with the velocity that the rope has there.
    fn insert(&mut self, chain: usize, frame: &Frame) {
        let compiled = &self.mechanism.chains[chain];
        let Some(rope) = compiled.rope(self.mechanism) else { return };
        let (Some(growing), Some(exit)) = (rope.growing(&frame.motions), &rope.exit) else { return };
        let mouth = exit.at.at(&frame.motions);
        let Some(&last) = compiled.nodes.last() else { return };
        let state = &mut self.structure.chains[chain];
        state.segments += 1;
        let left = (growing.length - compiled.segment).max(0.0);
        let last = sub(frame.positions[last], self.mechanism.model.origin);
        let r = axpy(last, -compiled.segment, growing.along);
        // across it the velocity grows from nothing at the exit
        let part = if growing.length > 0.0 { left / growing.length } else { 0.0 };
        let v = add(mouth.v, axpy(scale(growing.speed, growing.along), part, growing.across));
        self.start.put(format!("{}/{}", compiled.name, state.segments), r, v);
    }

    /// The last node goes in: the segment before it is straight to the exit from now on.
    fn remove(&mut self, chain: usize, frame: &Frame) {
        let compiled = &self.mechanism.chains[chain];
        let Some(rope) = compiled.rope(self.mechanism) else { return };
        let (Some(growing), Some(exit)) = (rope.growing(&frame.motions), &rope.exit) else { return };
        let state = &mut self.structure.chains[chain];
        if state.segments == 0 {
            return;
        }
        let before = frame.positions[compiled.nodes[state.segments - 1]];
        let before = sub(before, self.mechanism.model.origin);
        let straight = norm(sub(before, exit.at.at(&frame.motions).r));
        state.segments -= 1;
        state.slack += compiled.segment + growing.length - straight;
    }
}
