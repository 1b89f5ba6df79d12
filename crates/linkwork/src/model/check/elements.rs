//! Springs, loads and start velocities.

use super::{Checker, MAX_NUMBER, Sign};
use crate::error::names::segment;
use crate::model::{Fault, GROUND, InitialJoint};
use std::collections::HashSet;

impl Checker<'_> {
    pub(super) fn springs(&mut self) {
        let model = self.model;
        self.names("springs", model.springs.iter().map(|spring| spring.name.as_str()));
        for spring in &model.springs {
            let path = format!("springs.{}", segment(&spring.name));
            for (i, name) in spring.between.iter().enumerate() {
                self.point(&format!("{path}.between[{i}]"), name);
            }
            let [p, q] = &spring.between;
            if p == q {
                self.error(
                    format!("{path}.between"),
                    format!("a spring needs two points, this has `{p}` twice"),
                );
            }
            self.number(&format!("{path}.stiffness"), spring.stiffness, Sign::NotNegative);
            self.number(&format!("{path}.damping"), spring.damping, Sign::NotNegative);
            if let Some(length) = spring.free_length {
                self.number(&format!("{path}.free_length"), length, Sign::NotNegative);
            }
            self.sizes(&format!("{path}.preload"), "the preload", &[spring.preload]);
            if let Some(law) = &spring.law {
                self.formula(&format!("{path}.law"), law, &["length", "rate"]);
            }
            self.table_named(&format!("{path}.table"), spring.table.as_deref());
        }
    }

    pub(super) fn forces(&mut self) {
        let model = self.model;
        self.names("forces", model.forces.iter().map(|force| force.name.as_str()));
        for force in &model.forces {
            let path = format!("forces.{}", segment(&force.name));
            self.moving_body(&format!("{path}.body"), &force.body, "a force on `ground` moves nothing");
            if let Some(at) = &force.at {
                self.point_of(&format!("{path}.at"), at, &force.body);
            }
            self.formulas(&format!("{path}.force"), &force.force);
            let constants = force.force.each_ref().map(|part| part.is_constant().unwrap_or(0.0));
            self.vector(&format!("{path}.force"), constants);
            if self.planar() && force.force[2].is_constant().is_none() {
                self.error(format!("{path}.force[2]"), "the model is planar: there is no z");
            }
        }
    }

    pub(super) fn couples(&mut self) {
        let model = self.model;
        self.names("couples", model.couples.iter().map(|couple| couple.name.as_str()));
        for couple in &model.couples {
            let path = format!("couples.{}", segment(&couple.name));
            self.moving_body(&format!("{path}.body"), &couple.body, "a couple on `ground` moves nothing");
            self.formulas(&format!("{path}.moment"), &couple.moment);
            let constants = couple.moment.each_ref().map(|part| part.is_constant().unwrap_or(0.0));
            self.turning(&format!("{path}.moment"), constants);
            if self.planar() && couple.moment[..2].iter().any(|part| part.is_constant().is_none()) {
                self.error(format!("{path}.moment"), "the model is planar: couples turn about z");
            }
        }
    }

    pub(super) fn moving_body(&mut self, path: &str, name: &str, message: &str) {
        if self.body(path, name) && name == GROUND {
            self.error_with(path, message, "name a moving body");
        }
    }

    pub(super) fn initial(&mut self) {
        let model = self.model;
        let mut seen = HashSet::new();
        for (name, velocity) in &model.initial.velocities {
            let path = format!("initial.velocities.{}", segment(name));
            let known = self.point(&path, name).is_some();
            // a sliding joint sets the ground's own copy of the point apart
            let slides = model.joints.iter().any(|j| j.kind.slides() && j.at.iter().all(|at| at == name));
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
