//! What may happen at an instant, compiled: conditions that end the run, locks, impulses, and limits that coordinates bounce off.
//!
//! A lock, a limit and a rate that is set are couplings with a switch ([`Coupling::held`]), one row for each coordinate. While a switch is off
//! its rows are empty, and the value that they hold is set when it is turned on.

use super::attach::Attach;
use super::{Coordinate, Mechanism};
use crate::error::names::segment;
use crate::interactions::elements::Site;
use crate::interactions::{
    BodyPoint, Coupling, CouplingOwner, Interactions, Motion, Program, Slot, Workspace,
};
use crate::linalg::vec3::Vec3;
use crate::model::{Blow, Fault, Formula, Impulse};

/// A formula that is true or false.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    /// The formula.
    pub program: Program,
    /// Whether it reads accelerations or reactions.
    pub late: bool,
}

/// A row that can be switched: a held coordinate, as results show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldRow {
    /// The coupling.
    pub coupling: usize,
    /// Its switch.
    pub switch: usize,
    /// What it holds: its place among the held values.
    pub hold: usize,
    /// The row reads the coordinate times this: metres.
    pub scale: f64,
    /// Whether the coordinate is an angle.
    pub turns: bool,
}

/// A lock.
#[derive(Clone, Debug)]
pub struct MechanismLock {
    /// Its name.
    pub name: String,
    /// One row for each coordinate; they share a switch.
    pub rows: Vec<HeldRow>,
    /// The number of the first of them, counted from one.
    pub first: usize,
    /// When it engages, s.
    pub from: Option<f64>,
    /// When it lets go, s.
    pub until: Option<f64>,
    /// What engages it.
    pub when: Option<Condition>,
    /// What lets it go.
    pub release: Option<Condition>,
}

impl MechanismLock {
    /// Its switch.
    pub fn switch(&self) -> usize {
        self.rows[0].switch
    }
}

/// An impacting limit of a coordinate.
#[derive(Clone, Debug)]
pub struct MechanismLimit {
    /// The joint.
    pub joint: usize,
    /// Which of its coordinates, counted from one.
    pub coordinate: usize,
    /// On while the coordinate rests on a limit.
    pub row: HeldRow,
    /// Lower and upper limit, as the row reads them, m.
    pub range: [f64; 2],
    /// From 0 to 1.
    pub restitution: f64,
}

/// What is struck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Struck {
    /// A body, by impulses in world axes, N s and N m s.
    Body {
        /// Where the impulse acts.
        at: BodyPoint,
        /// N s
        impulse: Vec3,
        /// N m s
        angular_impulse: Vec3,
    },
    /// A joint coordinate, counted from one, such that it gets a rate.
    Coordinate {
        /// On only at that instant.
        row: HeldRow,
        /// Which of the joint's coordinates.
        number: usize,
        /// rad/s or m/s.
        rate: f64,
    },
}

/// An impulse at given times.
#[derive(Clone, Debug)]
pub struct MechanismImpulse {
    /// Its name.
    pub name: String,
    /// When, s.
    pub at: Vec<f64>,
    /// What is struck.
    pub struck: Struck,
}

/// A change of what the mechanism consists of.
#[derive(Clone, Debug)]
pub struct MechanismChange {
    /// Its name.
    pub name: String,
    /// When, s.
    pub at: Option<f64>,
    /// What brings it about.
    pub when: Option<Condition>,
}

/// A joint that opens when it is loaded too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MechanismBreak {
    /// The joint.
    pub joint: usize,
    /// The most it bears, N.
    pub force: f64,
    /// N m
    pub moment: f64,
}

/// Everything that may happen.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Each ends the run when it becomes true.
    pub stops: Vec<Condition>,
    /// Locks.
    pub locks: Vec<MechanismLock>,
    /// Impacting limits.
    pub limits: Vec<MechanismLimit>,
    /// Impulses at given times.
    pub impulses: Vec<MechanismImpulse>,
    /// Changes that have not happened yet.
    pub changes: Vec<MechanismChange>,
    /// Joints that may break.
    pub breaks: Vec<MechanismBreak>,
}

impl Events {
    /// Whether nothing can happen.
    pub fn is_empty(&self) -> bool {
        self.stops.is_empty()
            && self.locks.is_empty()
            && self.limits.is_empty()
            && self.impulses.is_empty()
            && self.changes.is_empty()
            && self.breaks.is_empty()
    }
}

/// Whether a program reads what is known late.
fn is_late(program: &Program, list: &Interactions) -> bool {
    let mut late = vec![false; list.measures.len()];
    let reads = |program: &Program, late: &[bool]| {
        program.slots().iter().any(|slot| match slot {
            Slot::Late(_) => true,
            Slot::Measure(k) => late[*k],
            _ => false,
        })
    };
    for &i in &list.measure_order {
        late[i] = reads(&list.measures[i].program, &late);
    }
    reads(program, &late)
}

impl Attach<'_> {
    /// Stop conditions, locks and limits. All measures are bound.
    pub fn events(&mut self) -> Events {
        let mechanism = self.mechanism;
        let mut events = Events::default();
        let stops = &mechanism.model.settings.stop;
        for (i, formula) in stops.iter().enumerate() {
            let path =
                if stops.len() == 1 { "simulation.stop".into() } else { format!("simulation.stop[{i}]") };
            events.stops.extend(self.condition(&path, formula));
        }
        for (l, lock) in mechanism.model.locks.iter().enumerate() {
            let path = format!("locks.{}", segment(&lock.name));
            let Some(coordinates) = self.held_coordinates(&lock.joint, lock.coordinate, &path) else {
                continue;
            };
            let switch = self.switch(lock.starts_closed());
            let owner = CouplingOwner::Lock(l);
            let label = format!("lock `{}`", lock.name);
            let hold = |c: &Coordinate| self.hold_row(c, switch, owner, &label);
            let rows = coordinates.iter().map(hold).collect();
            let when = lock.when.as_ref().and_then(|f| self.condition(&format!("{path}.when"), f));
            let release = lock.release.as_ref().and_then(|f| self.condition(&format!("{path}.release"), f));
            events.locks.push(MechanismLock {
                name: lock.name.clone(),
                rows,
                first: lock.coordinate.unwrap_or(1),
                from: lock.from.filter(|&t| t > 0.0),
                until: lock.until,
                when,
                release,
            });
        }
        for joint in &mechanism.model.joints {
            for limit in &joint.impact_limits {
                let path = format!("joints.{}.impact_limits", segment(&joint.name));
                let Some(j) = self.joint(&joint.name) else { continue };
                let found = self.held_coordinates(&joint.name, Some(limit.coordinate), &path);
                let Some([coordinate]) = found.as_deref() else { continue };
                let switch = self.switch(false);
                let label = format!("the limit of joint `{}`", joint.name);
                let row =
                    self.hold_row(coordinate, switch, CouplingOwner::Limit(events.limits.len()), &label);
                events.limits.push(MechanismLimit {
                    joint: j,
                    coordinate: limit.coordinate,
                    row,
                    range: limit.range.map(|x| row.scale * x),
                    restitution: limit.restitution,
                });
            }
        }
        for (i, impulse) in mechanism.model.impulses.iter().enumerate() {
            if let Some(struck) = self.struck(i, impulse) {
                let (name, at) = (impulse.name.clone(), impulse.at.clone());
                events.impulses.push(MechanismImpulse { name, at, struck });
            }
        }
        self.structural(&mut events);
        events
    }

    /// Changes of what there is.
    fn structural(&mut self, events: &mut Events) {
        let mechanism = self.mechanism;
        let Some(expansion) = &mechanism.expansion else { return };
        for change in mechanism.model.changes.iter().filter(|c| !expansion.structure.done.contains(&c.name)) {
            let path = format!("changes.{}.when", segment(&change.name));
            let when = change.when.as_ref().and_then(|f| self.condition(&path, f));
            if change.at.is_some() || when.is_some() {
                events.changes.push(MechanismChange { name: change.name.clone(), at: change.at, when });
            }
        }
        for entry in &mechanism.model.joints {
            if let (true, Some(joint)) =
                (entry.break_force.is_some() || entry.break_moment.is_some(), self.joint(&entry.name))
            {
                let [force, moment] =
                    [entry.break_force, entry.break_moment].map(|most| most.unwrap_or(f64::INFINITY));
                events.breaks.push(MechanismBreak { joint, force, moment });
            }
        }
    }

    fn struck(&mut self, index: usize, impulse: &Impulse) -> Option<Struck> {
        let path = format!("impulses.{}", segment(&impulse.name));
        match &impulse.gives {
            Blow::Strike { body, point, impulse, angular_impulse } => {
                let at = match (body, point) {
                    (Some(body), point) => (self as &dyn Site).force_point(body, point.as_ref())?,
                    (None, Some(point)) => self.spot(point)?,
                    (None, None) => return None,
                };
                let turns = *angular_impulse != [0.0; 3];
                if turns && !self.carries(at.body, None, &format!("{path}.angular_impulse")) {
                    return None;
                }
                Some(Struck::Body { at, impulse: *impulse, angular_impulse: *angular_impulse })
            }
            Blow::Rate { joint, coordinate, rate } => {
                let all = self.held_coordinates(joint, *coordinate, &path)?;
                let [one] = all[..] else {
                    let message = format!("joint `{joint}` has {} coordinates", all.len());
                    let help = "say which one with `coordinate`, counted from one";
                    self.faults.push(Fault::error(format!("{path}.joint"), message).help(help));
                    return None;
                };
                let switch = self.switch(false);
                let label = format!("impulse `{}`", impulse.name);
                let row = self.hold_row(&one, switch, CouplingOwner::Impulse(index), &label);
                Some(Struck::Coordinate { row, number: coordinate.unwrap_or(1), rate: *rate })
            }
        }
    }

    fn condition(&mut self, path: &str, formula: &Formula) -> Option<Condition> {
        let program = self.bind(path, formula, &[], true)?;
        let late = is_late(&program, &self.list);
        Some(Condition { text: formula.text().into(), program, late })
    }

    fn switch(&mut self, on: bool) -> usize {
        self.list.switches.push(on);
        self.list.switches.len() - 1
    }

    /// Coordinates of a joint: one, counted from one, or all.
    fn held_coordinates(
        &mut self,
        name: &str,
        coordinate: Option<usize>,
        path: &str,
    ) -> Option<Vec<Coordinate>> {
        let mechanism = self.mechanism;
        let Some(j) = self.joint(name) else {
            let help = mechanism.joint_names_like(name);
            let message = format!("there is no joint `{name}`");
            self.faults.push(Fault { help, ..Fault::error(format!("{path}.joint"), message) });
            return None;
        };
        let all = &self.coordinates[j];
        let chosen = match coordinate {
            None if !all.is_empty() => return Some(all.clone()),
            None => None,
            Some(number) => number.checked_sub(1).and_then(|i| all.get(i)),
        };
        if chosen.is_none() {
            let count = match all.len() {
                0 => "no coordinate".into(),
                1 => "one coordinate".into(),
                n => format!("{n} coordinates"),
            };
            let message = format!("joint `{name}` is {} and has {count}", mechanism.joints[j].kind.name());
            self.faults.push(Fault::error(path, message));
        }
        chosen.map(|c| vec![*c])
    }

    /// A row that holds a coordinate while a switch is on.
    fn hold_row(
        &mut self,
        coordinate: &Coordinate,
        switch: usize,
        owner: CouplingOwner,
        label: &str,
    ) -> HeldRow {
        let Coordinate { gauge, factor } = *coordinate;
        self.track(gauge, 0.0);
        let turns = self.list.gauges[gauge].is_angle();
        // a length, so that all rows are alike
        let scale = if turns { self.mechanism.size } else { 1.0 };
        self.list.holds.push(0.0); // set once assembled
        let hold = self.list.holds.len() - 1;
        let row = Coupling::new(&self.list.gauges, vec![(gauge, factor * scale)], owner, label.into());
        self.list.couplings.push(Coupling { held: Some((switch, hold)), ..row });
        HeldRow { coupling: self.list.couplings.len() - 1, switch, hold, scale, turns }
    }
}

/// A coordinate this part of the size beyond its limit at the start has been drawn there.
const BEYOND: f64 = 1e-9;

impl Mechanism {
    /// Lets locks hold what coordinates are at the start. A coordinate beyond its limits is a fault.
    pub(super) fn settle_holds(&mut self, bodies: &[Motion], hints: &[f64]) -> Vec<Fault> {
        let mut ws = Workspace::new(&self.interactions, 0);
        ws.motions = bodies.to_vec();
        let mut auxiliary = hints.to_vec();
        auxiliary.extend(&self.interactions.holds);
        for (i, coupling) in self.interactions.couplings.iter().enumerate() {
            if let Some((_, hold)) = coupling.held {
                self.interactions.holds[hold] = ws.reading(&self.interactions, i, 0.0, &auxiliary).0;
            }
        }
        let mut faults = Vec::new();
        for limit in &self.events.limits {
            let (x, [low, high]) = (self.interactions.holds[limit.row.hold], limit.range);
            if x < low - BEYOND * self.size || x > high + BEYOND * self.size {
                let name = &self.joints[limit.joint].name;
                let [x, low, high] = [x, low, high].map(|v| v / limit.row.scale);
                let unit = if limit.row.turns { "rad" } else { "m" };
                let message = format!(
                    "joint `{name}` starts at {x} {unit}, outside of its range of {low} to {high} {unit}"
                );
                let path = format!("joints.{}.impact_limits", segment(name));
                faults.push(Fault::error(path, message));
            }
        }
        faults
    }
}
