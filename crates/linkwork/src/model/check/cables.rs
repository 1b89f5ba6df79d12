//! Cables and their pulleys.

use super::{Checker, Sign};
use crate::error::names::segment;
use crate::model::Cable;

impl Checker<'_> {
    pub(super) fn cables(&mut self) {
        let model = self.model;
        self.names("cables", model.cables.iter().map(|cable| cable.name.as_str()));
        for cable in &model.cables {
            let path = format!("cables.{}", segment(&cable.name));
            self.route(cable, &path);
            self.pulleys(cable, &path);
            self.number(&format!("{path}.stiffness"), cable.stiffness, Sign::NotNegative);
            self.number(&format!("{path}.damping"), cable.damping, Sign::NotNegative);
            if let Some(length) = cable.free_length {
                self.number(&format!("{path}.free_length"), length, Sign::NotNegative);
            }
            if cable.inextensible && (cable.stiffness != 0.0 || cable.damping != 0.0 || cable.pushes) {
                let message = "an inextensible cable has no `stiffness`, `damping` or `tension_only`";
                self.error_with(&path, message, "remove them, or `inextensible`");
            }
            if let Some(winch) = &cable.winch {
                self.sizes(&format!("{path}.winch.radius"), "the radius", &[winch.radius]);
            }
        }
    }

    fn route(&mut self, cable: &Cable, path: &str) {
        let through = format!("{path}.through");
        if cable.through.len() < 2 {
            self.error(&through, "a cable needs two ends at least");
        }
        for (i, point) in cable.through.iter().enumerate() {
            let at = format!("{through}[{i}]");
            self.point(&at, point);
            if i > 0 && cable.through[i - 1] == *point {
                self.error(at, format!("the cable passes `{point}` twice in a row"));
            }
        }
    }

    fn pulleys(&mut self, cable: &Cable, path: &str) {
        for pulley in &cable.pulleys {
            let at = format!("{path}.pulleys.{}", segment(&pulley.point));
            let ends = [cable.through.first(), cable.through.last()];
            if !cable.through.contains(&pulley.point) {
                let known = cable.through.iter().map(String::as_str).collect();
                self.unknown(&at, "point of this cable", &pulley.point, known);
            } else if ends.contains(&Some(&pulley.point)) {
                let message = "an end of the cable is no pulley";
                self.error_with(&at, message, "let the cable go on to where it is held, or use `winch`");
            }
            self.number(&format!("{at}.radius"), pulley.radius, Sign::NotNegative);
        }
        let round = cable.pulleys.iter().any(|pulley| pulley.radius != 0.0);
        match &cable.axis {
            None if round && !self.planar() => {
                let help =
                    "axis = a vector such as [0, 1, 0], or two points: square to the plane of the rope";
                self.error_with(path, "pulleys in space need an `axis`", help);
            }
            Some(_) if self.planar() => {
                self.error(format!("{path}.axis"), "in the plane pulleys turn about z: remove `axis`");
            }
            Some(axis) => {
                self.axis(&format!("{path}.axis"), axis);
            }
            None => {}
        }
    }
}
