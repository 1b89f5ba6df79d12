//! From one mechanism of a run to the next: what becomes of its parts, and the state that goes on.

use super::checkpoint::Begun;
use super::events::Edit;
use super::{Run, RunFailure, Status};
use crate::formulations::Formulate;
use crate::integrate::StepError;
use crate::linalg::vec3::{add, axpy, norm, scale, sub};
use crate::mechanism::Mechanism;
use crate::model::{Change, Faults, GROUND, Model};
use crate::results::{Before, Frame, JointCoordinate};
use crate::structure::{Parting, Start, Structure};
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
    structure: Structure,
    start: Start,
}

impl<F: Formulate> Run<'_, '_, F> {
    /// The mechanism that goes on after the edits, from the state in `y`.
    pub(super) fn next_stage(&mut self, t: f64, edits: &[Edit]) -> Result<NextStage, Status> {
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
            self.mechanism.stage(&structure, &start).map_err(|faults| told(&faults))
        });
        let mechanism = changed.map_err(|message| {
            let advice = "look at what is to be attached or added here, and where";
            fail("structure", message, advice)
        })?;
        // the next one begins with half a mean step of this one, unless that was over at once
        let steps = self.stepper.statistics().accepted_steps;
        let lasted = t - self.mechanism.start_time;
        let tells = steps > 0 && lasted > AT_ONCE * self.mechanism.model.settings.output_step;
        self.ledger.step = tells.then(|| 0.5 * lasted / steps as f64).or(self.ledger.step);
        let before = match self.books {
            true => Before::new(self.mechanism, &self.frame),
            false => Before::default(),
        };
        let quiet = edits.iter().all(Edit::is_quiet);
        let joints = self.mechanism.joints.iter().map(|joint| joint.name.clone());
        let state = Carried {
            energy: self.frame.energy(),
            work: self.frame.work,
            joints: joints.zip(self.frame.joints.iter().cloned()).collect(),
            before,
            pays_out: edits.iter().all(|edit| matches!(edit, Edit::Insert(_) | Edit::Remove(_))),
            quiet,
        };
        Ok(NextStage { mechanism, state })
    }

    /// Goes on where another mechanism ended: energy that came or went with the parts counts as work.
    pub(super) fn take_over(&mut self, t: f64, carried: &Carried) -> Result<(), Status> {
        let wrong = |source| StepError::System { t, source };
        self.frame.count_on_from(self.mechanism, t, &carried.joints);
        let shown = self.system.observe(t, &self.y, &mut self.frame);
        shown.map_err(|source| self.failed(t, &wrong(source)))?;
        let work = carried.work + self.frame.energy() - carried.energy;
        let place = self.system.work_index();
        self.y[place] = work;
        if self.books {
            self.frame.work = work;
            self.ledger.books.jump(self.mechanism, &self.frame, &carried.before, carried.pays_out);
        }
        if carried.quiet { Ok(()) } else { self.show(t) }
    }
}

/// Faults on one line.
fn told(faults: &Faults) -> String {
    faults
        .list
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.message))
        .collect::<Vec<_>>()
        .join("; ")
}

impl Mechanism {
    /// Structure and state after the edits.
    fn edited(&self, frame: &Frame, edits: &[Edit]) -> Result<(Structure, Start), String> {
        let (Some(structure), Some(origin)) = (self.structure(), &self.origin) else {
            return Err("nothing of this mechanism can change".into());
        };
        let start = Start::new(self, frame);
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
                    state.rest = growing.map_or(0.0, |growing| growing.length);
                }
            }
        }
        editing.start.fits = edits.iter().all(Edit::is_quiet);
        Ok((editing.structure, editing.start))
    }

    /// The mechanism that a checkpoint was taken of.
    pub(super) fn resumed(&self, structure: &Structure, begun: &Begun) -> Result<Mechanism, Faults> {
        let start = Start::exact(begun.t, &begun.positions, &begun.velocities);
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
        if let Some(entry) = self.model.joints.iter().find(|joint| joint.name == name) {
            self.structure.open.push(name.into());
            // one that slides keeps its sides apart only while it is there
            if entry.at[0] == entry.at[1] {
                let body = &entry.bodies[usize::from(entry.bodies[0] == GROUND)];
                self.part(name, &entry.at[0], vec![body.clone()]);
            }
        }
        let Some(joint) = mechanism.joints.iter().find(|joint| joint.name == name) else { return };
        for (&node, (side, _)) in joint.shared.iter().zip(&joint.felt_by) {
            let bodies = side.iter().map(|&b| mechanism.bodies[b].name.clone()).collect();
            self.part(name, &mechanism.node_names[node], bodies);
        }
    }

    fn part(&mut self, joint: &str, point: &str, bodies: Vec<String>) {
        let parting = Parting { joint: joint.into(), point: point.into(), bodies };
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
        if crate::mechanism::slides(entry.kind) {
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
        let r = axpy(frame.positions[last], -compiled.segment, growing.along);
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
        let straight = norm(sub(before, exit.at.at(&frame.motions).r));
        state.segments -= 1;
        state.slack += compiled.segment + growing.length - straight;
    }
}
