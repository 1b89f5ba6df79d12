//! What events know when another mechanism takes over: conditions that are true already, limits and contacts that hold.

use super::{Events, Of};
use crate::contact::Hold;
use crate::formulations::{Formulate, MotionError};
use std::collections::HashMap;

/// What goes on, by name.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Lasting {
    /// Whether conditions are true, and their largest margins so far.
    truths: HashMap<String, (bool, f64)>,
    /// On which end of its limit a coordinate of a joint rests.
    rests: HashMap<(String, usize), usize>,
    /// Closed contacts.
    held: HashMap<String, Hold>,
}

impl Lasting {
    pub(super) fn truth(&self, key: &str) -> Option<(bool, f64)> {
        self.truths.get(key).copied()
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
        Lasting {
            truths: truths.collect(),
            rests: limits.filter_map(|(l, b)| Some(((name(l.joint), l.coordinate), b.rests?))).collect(),
            held: held.map(|hold| (mechanism.contacts[hold.contact].name.clone(), *hold)).collect(),
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
        let extras = system.work_index() + 1;
        let holds = extras + mechanism.interactions.hints;
        for (i, limit) in mechanism.events.limits.iter().enumerate() {
            let key = (mechanism.joints[limit.joint].name.clone(), limit.coordinate);
            let Some(&end) = lasting.rests.get(&key) else { continue };
            let (gap, rate) = self.gap(i, end, t, &y[extras..]);
            if rate.abs() <= self.contacts.no_speed && gap.abs() <= 1e3 * self.no_gap {
                y[holds + limit.row.hold] = limit.range[end];
                self.switch(system, &limit.row, true);
                self.bouncers[i].rests = Some(end);
            }
        }
        for (i, contact) in mechanism.contacts.iter().enumerate() {
            if let Some(hold) = lasting.held.get(&contact.name) {
                self.contacts.place[i] = Some(self.contacts.held.len());
                self.contacts.held.push(Hold { contact: i, ..*hold });
            }
        }
        system.hold(&self.contacts.held);
        Ok(())
    }
}
