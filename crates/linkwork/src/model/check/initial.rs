//! Initial positions and velocities.

use super::{Checker, Checks, MAX_NUMBER};
use crate::error::names::segment;
use crate::model::{Fault, GROUND, InitialJoint, InitialState};
use std::collections::HashSet;

impl Checker<'_> {
    pub(super) fn initial(&mut self) {
        let model = self.model;
        let moving = model.initial.joints.iter().any(|joint| !joint.v.is_empty())
            || !(model.initial.velocities.is_empty() && model.initial.angular_velocities.is_empty());
        if model.settings.initial == InitialState::Equilibrium && moving {
            let message =
                "a run that begins at an equilibrium begins at rest: `[initial]` cannot give velocities";
            let help = "take the velocities out, or write the equilibrium with `linkwork equilibrium MODEL -o FILE` and begin there";
            self.error_with("simulation.initial", message, help);
        }
        let mut seen = HashSet::new();
        for (name, velocity) in &model.initial.velocities {
            let path = format!("initial.velocities.{}", segment(name));
            let known = self.point(&path, name).is_some();
            // a sliding joint sets the ground's own copy of the point apart
            let slides = model.joints.iter().any(|j| j.kind().slides() && j.at.iter().all(|at| at == name));
            if known && !slides && self.held[GROUND].contains(name.as_str()) {
                self.error(
                    &path,
                    format!("the point `{name}` is held by `ground` and cannot have a velocity"),
                );
            }
            if !seen.insert(name) {
                self.error(&path, format!("the velocity of `{name}` is given twice"));
            }
            self.vector(&path, *velocity);
        }
        let mut seen = HashSet::new();
        for (name, velocity) in &model.initial.angular_velocities {
            let path = format!("initial.angular_velocities.{}", segment(name));
            self.moving_body(&path, name, "`ground` does not turn");
            if self.said(&path).is_some_and(|text| text.contains("Hz")) {
                let warning = Fault::warning(&path, "1 Hz is read as 1 rad/s here, not as a turn per second");
                self.faults.push(warning.code("hertz-as-radians").help("write turns as `rpm` or `rev/s`"));
            }
            if !seen.insert(name) {
                self.error(&path, format!("the angular velocity of `{name}` is given twice"));
            }
            self.turning(&path, *velocity);
        }
        let mut seen = HashSet::new();
        for InitialJoint { joint, q, v } in &model.initial.joints {
            let path = format!("initial.joints.{}", segment(joint));
            if !seen.insert(joint) {
                self.error(&path, format!("the joint `{joint}` is given twice"));
            }
            if q.iter().chain(v).any(|x| x.is_nan() || x.abs() > MAX_NUMBER) {
                self.error(&path, "this number is too large to compute with");
            }
        }
    }
}
