//! Locks, impacting limits and stop conditions.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Fault, Formula, Joint};

impl Checker<'_> {
    pub(super) fn locks(&mut self) {
        let model = self.model;
        self.names("locks", model.locks.iter().map(|lock| lock.name.as_str()));
        for lock in &model.locks {
            let path = format!("locks.{}", segment(&lock.name));
            for (key, time) in [("from", lock.from), ("until", lock.until)] {
                if let Some(time) = time {
                    self.number(&format!("{path}.{key}"), time, Sign::NotNegative);
                }
            }
            if let Some(until) = lock.until
                && until <= lock.from.unwrap_or(0.0)
            {
                let message = match lock.from {
                    Some(from) => format!("it would let go at {until} s, before it engages at {from} s"),
                    None => format!("it would let go at {until} s, before the run begins"),
                };
                self.error(format!("{path}.until"), message);
            }
            for (key, condition) in [("when", &lock.when), ("release", &lock.release)] {
                if let Some(condition) = condition {
                    self.condition(&format!("{path}.{key}"), condition);
                }
            }
            if lock.coordinate == Some(0) {
                self.error(format!("{path}.coordinate"), "coordinates are counted from one");
            }
        }
    }

    pub(super) fn stops(&mut self) {
        let stops = &self.model.settings.stop;
        for (i, condition) in stops.iter().enumerate() {
            let item = format!("simulation.stop[{i}]");
            let listed = stops.len() > 1 || self.said(&item).is_some();
            self.condition(if listed { &item } else { "simulation.stop" }, condition);
        }
    }

    /// A formula that must turn from false to true to mean anything.
    pub(super) fn condition(&mut self, path: &str, condition: &Formula) {
        match condition.is_constant() {
            Some(value) if value.is_finite() => {
                let always = if value == 0.0 { "false" } else { "true" };
                let help = "compare a reading with a number, as in `joint.A.q > 30 deg`";
                let message = format!("this condition is always {always}: it never becomes true");
                self.faults.push(Fault::error(path, message).help(help));
            }
            _ => self.formula(path, condition, &[]),
        }
    }

    pub(super) fn impact_limits(&mut self, joint: &Joint, path: &str) {
        let path = format!("{path}.impact_limits");
        for (i, limit) in joint.impact_limits.iter().enumerate() {
            let [low, high] = limit.range;
            if self.sizes(&path, "both limits", &limit.range) && low >= high {
                self.error(&path, format!("the lower limit {low} is not below the upper one {high}"));
            }
            let e = limit.restitution;
            if !(0.0..=1.0).contains(&e) {
                self.error(&path, format!("`restitution` must be from 0 to 1, it is {e}"));
            }
            if limit.coordinate == 0 {
                self.error(&path, "coordinates are counted from one");
            }
            if joint.impact_limits[..i].iter().any(|other| other.coordinate == limit.coordinate) {
                self.error(&path, format!("coordinate {} has limits twice", limit.coordinate));
            }
        }
    }
}
