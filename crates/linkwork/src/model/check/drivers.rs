//! Prescribed motions, and coordinates that move in proportion.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Between, Driven, Driver, Formula, TIME};

impl Checker<'_> {
    pub(super) fn couplings(&mut self) {
        let model = self.model;
        self.names("couplings", model.couplings.iter().map(|coupling| coupling.name.as_str()));
        for coupling in &model.couplings {
            let path = format!("couplings.{}", segment(&coupling.name));
            if coupling.terms.len() < 2 {
                self.error(format!("{path}.joints"), "a coupling binds two joints at least");
            }
            for (i, (joint, coordinate, factor)) in coupling.terms.iter().enumerate() {
                let key = if self.said(&format!("{path}.ratio")).is_some() {
                    "ratio".into()
                } else {
                    format!("factors[{i}]")
                };
                if *factor == 0.0 {
                    self.error(format!("{path}.{key}"), "this must not be zero");
                } else {
                    self.number(&format!("{path}.{key}"), factor.abs(), Sign::Positive);
                }
                let same = |other: &(String, usize, f64)| other.0 == *joint && other.1 == *coordinate;
                if coupling.terms[..i].iter().any(same) {
                    self.error(format!("{path}.joints[{i}]"), format!("`{joint}` is there twice"));
                }
            }
        }
    }

    pub(super) fn drivers(&mut self) {
        let model = self.model;
        self.names("drivers", model.drivers.iter().map(|driver| driver.name.as_str()));
        for driver in &model.drivers {
            let path = format!("drivers.{}", segment(&driver.name));
            match &driver.of {
                // joints that shared points imply are known once the mechanism is
                Driven::Joint { .. } => {}
                Driven::Point { point, component } => {
                    self.point(&format!("{path}.point"), point);
                    if *component >= self.model.dimension.columns() {
                        self.error(format!("{path}.component"), "the model is planar: there is no z");
                    }
                }
                Driven::Body { body, against, axis } => {
                    let known = self.body(&format!("{path}.body"), body)
                        && self.body(&format!("{path}.against"), against);
                    if known && body == against {
                        self.error(format!("{path}.against"), "a body does not turn against itself");
                    }
                    match axis {
                        None if !self.planar() => {
                            let help = "axis = a vector such as [0, 0, 1], or two points";
                            self.error_with(&path, "an angle in space needs an `axis`", help);
                        }
                        Some(_) if self.planar() => {
                            self.error(
                                format!("{path}.axis"),
                                "in the plane bodies turn about z: remove `axis`",
                            );
                        }
                        Some(axis) => {
                            self.axis(&format!("{path}.axis"), axis);
                        }
                        None => {}
                    }
                }
            }
            let value = format!("{path}.value");
            self.formula(&value, &driver.value, &[]);
            self.prescribed(value, &driver.value);
        }
    }

    /// What a driver follows must have a velocity and an acceleration: the time has, and a filtered input.
    fn prescribed(&mut self, path: String, value: &Formula) {
        let others: Vec<String> = value
            .references()
            .iter()
            .filter(|r| r.target.single() != Some(TIME))
            .map(|r| r.target.to_string())
            .collect();
        let input = |name: &str| {
            let name = name.strip_prefix("input.")?.trim_matches('`');
            self.model.inputs.iter().find(|input| input.name == name)
        };
        let rough = others.iter().find(|name| {
            name.starts_with("input.")
                && input(name).is_none_or(|input| !matches!(input.between, Between::Filtered(_)))
        });
        if let Some(name) = rough {
            let message = format!(
                "a driver needs the velocity and the acceleration of what it follows; `{name}` is an input without a `filter` and has none"
            );
            let help = "give the input a `filter`, as in filter = \"20 ms\", or use an actuator with a controller that follows it";
            self.error_with(path, message, help);
        } else if others.iter().any(|name| input(name).is_none()) {
            let help = "to follow a measure, use an actuator with a controller";
            self.error_with(
                path,
                "a driver is a function of the time `t` and of filtered inputs alone",
                help,
            );
        } else if value.references().len() > Driver::MOST_NAMES {
            self.error(path, format!("a driver reads at most {} names", Driver::MOST_NAMES));
        }
    }
}
