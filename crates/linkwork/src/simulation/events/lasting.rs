//! What events know when another mechanism takes over: conditions that are true already, limits and contacts that hold.

use super::{Events, Of};
use crate::contact::ClosedContact;
use crate::contact::StickOrSlip;
use crate::formulations::{Formulate, MotionError};
use crate::simulation::state::{ConditionMode, ContactMode, FrictionMode, LimitMode, Modes};
use std::collections::HashMap;

/// What goes on, by name.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Lasting {
    /// Locks that hold.
    locks: Vec<String>,
    /// Whether conditions are true, and their largest margins so far.
    truths: HashMap<String, (bool, f64)>,
    /// On which end of its limit a coordinate of a joint rests.
    rests: HashMap<(String, usize), usize>,
    /// Closed contacts.
    held: HashMap<String, ClosedContact>,
}

impl Lasting {
    pub(super) fn truth(&self, key: &str) -> Option<(bool, f64)> {
        self.truths.get(key).copied()
    }

    /// The same as plain data, in the order of the names.
    pub(in crate::simulation) fn modes(&self) -> Modes {
        let limits = self.rests.iter().map(|((joint, coordinate), &end)| {
            let (joint, coordinate) = (joint.clone(), *coordinate);
            LimitMode { joint, coordinate, upper: end == 1 }
        });
        let contacts = self.held.iter().map(|(contact, hold)| {
            let friction = match hold.grip {
                StickOrSlip::Stick => FrictionMode::Stick,
                StickOrSlip::Slide(direction) => FrictionMode::Slip(direction),
                StickOrSlip::Full(direction) => FrictionMode::Limit(direction),
            };
            ContactMode { contact: contact.clone(), friction, anchor: hold.anchor, force: hold.force }
        });
        let conditions = self.truths.iter().map(|(condition, &(holds, span))| {
            let condition = condition.clone();
            ConditionMode { condition, holds, span }
        });
        let mut modes = Modes {
            locks: self.locks.clone(),
            limits: limits.collect(),
            contacts: contacts.collect(),
            conditions: conditions.collect(),
        };
        modes.limits.sort_by(|a, b| (&a.joint, a.coordinate).cmp(&(&b.joint, b.coordinate)));
        modes.contacts.sort_by(|a, b| a.contact.cmp(&b.contact));
        modes.conditions.sort_by(|a, b| a.condition.cmp(&b.condition));
        modes
    }
}

impl From<&Modes> for Lasting {
    fn from(modes: &Modes) -> Self {
        let of_limit =
            |limit: &LimitMode| ((limit.joint.clone(), limit.coordinate), usize::from(limit.upper));
        let of_contact = |closed: &ContactMode| {
            let grip = match closed.friction {
                FrictionMode::Stick => StickOrSlip::Stick,
                FrictionMode::Slip(direction) => StickOrSlip::Slide(direction),
                FrictionMode::Limit(direction) => StickOrSlip::Full(direction),
            };
            let hold = ClosedContact { contact: 0, grip, anchor: closed.anchor, force: closed.force };
            (closed.contact.clone(), hold)
        };
        let of_condition = |c: &ConditionMode| (c.condition.clone(), (c.holds, c.span));
        Lasting {
            locks: modes.locks.clone(),
            truths: modes.conditions.iter().map(of_condition).collect(),
            rests: modes.limits.iter().map(of_limit).collect(),
            held: modes.contacts.iter().map(of_contact).collect(),
        }
    }
}

impl Events<'_> {
    /// What another mechanism goes on with.
    pub(in crate::simulation) fn lasting(&self) -> Lasting {
        let mechanism = self.mechanism;
        let truths = self.watches.iter().filter_map(|w| Some((self.key(w.of)?, (w.truth, w.span))));
        let limits = mechanism.events.limits.iter().zip(&self.bouncers);
        let name = |joint: usize| mechanism.joints[joint].name.clone();
        let held = self.contacts.held.iter();
        let locks = mechanism.events.locks.iter().enumerate().filter(|&(i, _)| self.locked(i));
        Lasting {
            locks: locks.map(|(_, lock)| lock.name.clone()).collect(),
            truths: truths.collect(),
            rests: limits.filter_map(|(l, b)| Some(((name(l.joint), l.coordinate), b.rests?))).collect(),
            held: held.map(|hold| (mechanism.contacts[hold.contact].name.clone(), *hold)).collect(),
        }
    }

    /// Lets locks hold that are named; what they hold at is part of the state.
    pub(in crate::simulation) fn lock<F: Formulate>(&mut self, system: &mut F, names: &[String]) {
        for lock in &self.mechanism.events.locks {
            let on = names.contains(&lock.name);
            self.switch(system, &lock.rows[0], on);
        }
    }

    /// The name of a condition that outlives a mechanism. Changes happen once.
    pub(super) fn key(&self, of: Of) -> Option<String> {
        let events = &self.mechanism.events;
        match of {
            Of::Stop(i) => Some(format!("stop {}", events.stops[i].text)),
            Of::When(i) => Some(format!("when {}", events.locks[i].name)),
            Of::Release(i) => Some(format!("release {}", events.locks[i].name)),
            _ => None,
        }
    }

    /// Lets limits and contacts hold that held before; what a jump has set in motion against them is looked at like anything that hits.
    pub(in crate::simulation) fn carry_on<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        lasting: &Lasting,
    ) -> Result<(), MotionError> {
        self.look(system, t, y)?;
        let mechanism = self.mechanism;
        let auxiliary = system.work_index() + 1;
        let holds = auxiliary + mechanism.interactions.hints;
        for (i, limit) in mechanism.events.limits.iter().enumerate().take(self.bouncers.len()) {
            let key = (mechanism.joints[limit.joint].name.clone(), limit.coordinate);
            let Some(&end) = lasting.rests.get(&key) else { continue };
            let (gap, rate) = self.gap(i, end, t, &y[auxiliary..]);
            if rate.abs() <= self.contacts.no_speed && gap.abs() <= 1e3 * self.no_gap {
                y[holds + limit.row.hold] = limit.range[end];
                self.switch(system, &limit.row, true);
                self.bouncers[i].rests = Some(end);
            }
        }
        for (i, contact) in mechanism.contacts.iter().enumerate() {
            if let Some(hold) = lasting.held.get(&contact.name) {
                self.contacts.place[i] = Some(self.contacts.held.len());
                self.contacts.held.push(ClosedContact { contact: i, ..*hold });
            }
        }
        system.hold(&self.contacts.held);
        Ok(())
    }
}
