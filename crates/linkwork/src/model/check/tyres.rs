//! Tyres.

use super::{Checker, Sign};
use crate::error::names::segment;
use crate::model::{TIME, Tyre};

impl Checker<'_> {
    pub(super) fn tyres(&mut self) {
        let model = self.model;
        self.names("tyres", model.tyres.iter().map(|tyre| tyre.name.as_str()));
        for tyre in &model.tyres {
            let path = format!("tyres.{}", segment(&tyre.name));
            self.moving_body(&format!("{path}.body"), &tyre.body, "a wheel is a moving body");
            self.point_of(&format!("{path}.centre"), &tyre.centre, &tyre.body);
            self.number(&format!("{path}.radius"), tyre.radius, Sign::Positive);
            self.number(&format!("{path}.stiffness"), tyre.stiffness, Sign::Positive);
            self.number(&format!("{path}.damping"), tyre.damping, Sign::NotNegative);
            match &tyre.axis {
                Some(_) if self.planar() => {
                    self.error(format!("{path}.axis"), "in the plane wheels turn about z: remove `axis`");
                }
                Some(axis) => {
                    self.axis(&format!("{path}.axis"), axis);
                }
                None if tyre.brush.is_some() && !self.planar() => {
                    let help = "axis = a vector such as [0, 1, 0], or two points";
                    self.error_with(&path, "a brush tyre in space needs the spin `axis` of its wheel", help);
                }
                None => {}
            }
            if let Some(brush) = &tyre.brush {
                let numbers = [
                    ("slip_stiffness", brush.slip_stiffness),
                    ("cornering_stiffness", brush.cornering_stiffness),
                    ("friction", brush.friction),
                    ("rolling_resistance", brush.rolling_resistance),
                ];
                for (key, value) in numbers {
                    self.number(&format!("{path}.{key}"), value, Sign::NotNegative);
                }
                self.number(&format!("{path}.slip_speed"), brush.slip_speed, Sign::Positive);
            }
            self.road(&format!("{path}.road"), tyre);
        }
    }

    fn road(&mut self, path: &str, tyre: &Tyre) {
        self.formula(path, &tyre.road, &Tyre::PLACE);
        let known = &Tyre::PLACE[..self.model.dimension.columns() - 1];
        let foreign = |name: Option<&str>| !name.is_some_and(|name| name == TIME || known.contains(&name));
        if tyre.road.references().iter().any(|r| foreign(r.target.single())) {
            let message = match self.planar() {
                true => "the height of the road is a function of `x` and the time `t` alone",
                false => "the height of the road is a function of `x`, `y` and the time `t` alone",
            };
            self.error(path, message);
        }
    }
}
