//! Thrusters.

use super::{Checker, Sign};
use crate::error::names::segment;
use crate::model::{Axis, Interpolation, Propellant, Table, Thrust, ThrustDirection, Thruster};

impl Checker<'_> {
    pub(super) fn thrusters(&mut self) {
        let model = self.model;
        self.names("thrusters", model.thrusters.iter().map(|thruster| thruster.name.as_str()));
        for thruster in &model.thrusters {
            let path = format!("thrusters.{}", segment(&thruster.name));
            self.moving_body(&format!("{path}.body"), &thruster.body, "a thruster on `ground` moves nothing");
            if let Some(at) = &thruster.at {
                self.point_of(&format!("{path}.at"), at, &thruster.body);
            }
            match &thruster.direction {
                ThrustDirection::World(axis) | ThrustDirection::Body(axis) => {
                    self.thrust_direction(&format!("{path}.direction"), axis);
                }
                ThrustDirection::Velocity { launch, launch_speed } => {
                    self.thrust_direction(&format!("{path}.launch_direction"), launch);
                    self.number(&format!("{path}.launch_speed"), *launch_speed, Sign::NotNegative);
                }
            }
            self.number(&format!("{path}.start"), thruster.start, Sign::NotNegative);
            self.number(&format!("{path}.efficiency"), thruster.efficiency, Sign::NotNegative);
            self.thrust(&path, thruster);
            match thruster.propellant {
                Propellant::None => {}
                Propellant::Mass(mass) => {
                    self.number(&format!("{path}.propellant"), mass, Sign::NotNegative);
                }
                Propellant::ExhaustVelocity(speed) => {
                    self.number(&format!("{path}.exhaust_velocity"), speed, Sign::Positive);
                }
            }
        }
    }

    fn thrust_direction(&mut self, path: &str, axis: &Axis) {
        let vector = self.axis(path, axis);
        if self.planar() && vector.is_some_and(|vector| vector[2] != 0.0) {
            self.error(path, "the model is planar: there is no thrust along z");
        }
    }

    fn thrust(&mut self, path: &str, thruster: &Thruster) {
        match &thruster.thrust {
            Thrust::Given { thrust, burn_time } => {
                self.formula_of_time(&format!("{path}.thrust"), thrust, "`thrust`");
                if let Some(time) = burn_time {
                    self.number(&format!("{path}.burn_time"), *time, Sign::Positive);
                } else if let Propellant::Mass(_) = thruster.propellant {
                    let message = "`propellant` is burned in proportion to the impulse, but a `thrust` without `burn_time` has no impulse in all";
                    let help = "give `burn_time`, or `exhaust_velocity` instead of `propellant`";
                    self.error_with(format!("{path}.propellant"), message, help);
                }
            }
            Thrust::Constant { impulse, burn_time } => {
                self.number(&format!("{path}.impulse"), *impulse, Sign::NotNegative);
                self.number(&format!("{path}.burn_time"), *burn_time, Sign::Positive);
            }
            Thrust::Curve { impulse, curve } => {
                self.number(&format!("{path}.impulse"), *impulse, Sign::NotNegative);
                let path = format!("{path}.curve");
                match self.readings.table(curve).cloned() {
                    Some(table) => self.thrust_curve(&path, curve, &table),
                    None => {
                        let known = self.model.tables.iter().map(|table| table.name.as_str()).collect();
                        self.unknown(&path, "table", curve, known);
                    }
                }
            }
        }
    }

    fn thrust_curve(&mut self, path: &str, name: &str, table: &Table) {
        if table.interpolation() == Interpolation::Periodic {
            let message = format!("the table `{name}` is periodic: a thruster burns out");
            self.error_with(path, message, "take another `interpolation`");
        } else if table.x()[0] < 0.0 {
            let message = format!(
                "the table `{name}` begins at {} s: the time is counted from the start",
                table.x()[0]
            );
            self.error_with(path, message, "begin at zero, and set `start`");
        } else if let Some(y) = table.y().iter().find(|y| **y < 0.0) {
            self.error(path, format!("the table `{name}` falls to {y}: thrust must not be negative"));
        } else if table.integral(table.x()[table.x().len() - 1]) <= 0.0 {
            self.error(path, format!("the table `{name}` is zero throughout: no scale gives it an impulse"));
        }
    }
}
