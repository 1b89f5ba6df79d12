//! Springs, friction and stops within joints.

use super::{Checker, Checks, MAX_NUMBER, Sign};
use crate::error::names::segment;
use crate::model::JointForces;

impl Checker<'_> {
    pub(super) fn joint_forces(&mut self) {
        let model = self.model;
        for joint in &model.joints {
            let path = format!("joints.{}", segment(&joint.name));
            let known = joint.kind().coordinates(model.dimension).len();
            if joint.forces.iter().skip(known).any(|forces| !forces.is_empty()) {
                let message = format!(
                    "a {} joint has {known} coordinates, but forces are given for {}",
                    joint.kind().name(),
                    joint.forces.len()
                );
                self.error(&path, message);
                continue;
            }
            for (i, forces) in joint.forces.iter().enumerate() {
                self.joint_force(&path, i, forces);
            }
        }
    }

    fn joint_force(&mut self, path: &str, i: usize, forces: &JointForces) {
        // a number stands for the first coordinate, a list for all
        let at = |checker: &Self, key: &str| {
            let listed = format!("{path}.{key}[{i}]");
            let list = checker.said(&listed).is_some() && !(key == "limits" && i < 2);
            if list || i > 0 { listed } else { format!("{path}.{key}") }
        };
        let numbers = [
            ("stiffness", forces.stiffness),
            ("damping", forces.damping),
            ("friction", forces.friction),
            ("inertia", forces.inertia),
            ("limit_stiffness", forces.limit_stiffness),
            ("limit_damping", forces.limit_damping),
        ];
        for (key, value) in numbers {
            let path = at(self, key);
            self.number(&path, value, Sign::NotNegative);
        }
        if let Some(speed) = forces.friction_speed {
            let path = at(self, "friction_speed");
            self.number(&path, speed, Sign::Positive);
        }
        let path = at(self, "rest");
        self.sizes(&path, "the coordinate", &[forces.rest.unwrap_or(0.0)]);
        let path = at(self, "preload");
        self.sizes(&path, "the preload", &[forces.preload]);
        let path = at(self, "limits");
        match forces.limits {
            Some([low, high]) => {
                let sound = |x: f64| x.is_infinite() || x.abs() <= MAX_NUMBER;
                if low.is_nan() || high.is_nan() || !sound(low) || !sound(high) || low >= high {
                    self.error(path, format!("the first limit must be below the second: {low} and {high}"));
                } else if forces.limit_stiffness == 0.0 {
                    let help = "limit_stiffness = force per path, or torque per angle, beyond the limit";
                    self.error_with(path, "limits need a `limit_stiffness`", help);
                }
            }
            None if forces.limit_stiffness != 0.0 || forces.limit_damping != 0.0 => {
                let path = at(self, "limit_stiffness");
                self.error_with(path, "a stop needs `limits`", "limits = [least, largest]");
            }
            None => {}
        }
    }
}
