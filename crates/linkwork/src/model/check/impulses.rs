//! Impulses at given times.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Blow, Fault, GROUND, Impulse};

impl Checker<'_> {
    pub(super) fn impulses(&mut self) {
        let model = self.model;
        self.names("impulses", model.impulses.iter().map(|impulse| impulse.name.as_str()));
        for impulse in &model.impulses {
            let path = format!("impulses.{}", segment(&impulse.name));
            self.impulse_times(impulse, &format!("{path}.at"));
            match &impulse.gives {
                Blow::Strike { body, point, impulse, angular_impulse } => {
                    self.struck(&path, body.as_deref(), point.as_deref());
                    self.vector(&format!("{path}.impulse"), *impulse);
                    self.turning(&format!("{path}.angular_impulse"), *angular_impulse);
                }
                Blow::Rate { coordinate, rate, .. } => {
                    self.sizes(&format!("{path}.rate"), "the rate", &[*rate]);
                    if *coordinate == Some(0) {
                        self.error(format!("{path}.coordinate"), "coordinates are counted from one");
                    }
                }
            }
        }
    }

    fn impulse_times(&mut self, impulse: &Impulse, path: &str) {
        let duration = self.model.settings.duration;
        if impulse.at.is_empty() {
            self.error(path, "an impulse without a time never happens");
        }
        for (i, &t) in impulse.at.iter().enumerate() {
            let item = format!("{path}[{i}]");
            let path = if self.said(&item).is_some() || impulse.at.len() > 1 { item.as_str() } else { path };
            let faults = self.faults.len();
            self.number(path, t, Sign::NotNegative);
            if self.faults.len() > faults {
                continue;
            }
            if impulse.at[..i].contains(&t) {
                self.error_with(path, format!("{t} s is there twice"), "give a larger impulse once");
            }
            if t > duration {
                let message = format!("at {t} s the run has ended, it lasts {duration} s: nothing happens");
                self.faults.push(Fault::warning(path, message));
            }
        }
    }

    fn struck(&mut self, path: &str, body: Option<&str>, point: Option<&str>) {
        let [of_body, of_point] = ["body", "point"].map(|key| format!("{path}.{key}"));
        match (body, point) {
            (Some(body), point) => {
                self.moving_body(&of_body, body, "an impulse on `ground` moves nothing");
                if let Some(point) = point {
                    self.point_of(&of_point, point, body);
                }
            }
            (None, Some(point)) => {
                if self.point(&of_point, point).is_none() {
                    return;
                }
                let holds = |name: &&str| self.held.get(name).is_some_and(|held| held.contains(point));
                let moving = self.model.bodies.iter().any(|b| holds(&b.name.as_str()));
                if holds(&GROUND) {
                    let message =
                        format!("the point `{point}` is held by `ground`: an impulse moves nothing");
                    let help = "name a moving point, or the `body` that slides along it";
                    self.error_with(&of_point, message, help);
                } else if !moving && !self.chain_end(point) {
                    self.error(&of_point, format!("no body has the point `{point}`"));
                }
            }
            (None, None) => self.error(path, "an impulse acts at a `point` or on a `body`"),
        }
    }
}
