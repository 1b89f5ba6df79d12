//! Actuators: a force or a torque along a coordinate, as a formula or a controller says.

mod law;

pub use law::{Actuator as Law, Effort, Integral};

#[cfg(feature = "file")]
use super::acts_on::MotorKeys;
use super::checks::{Checks, Sign};
use super::site::{Controller, Coordinate, Site};
use super::{ActsOn, Element, Output, Phase, Readable, Symbol, Use};
use crate::error::Fault;
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::Action;

keys! {
    /// A motor: a force or a torque along a coordinate.
    Actuator(name) {
        /// What it acts along: positive makes the coordinate larger.
        of: ActsOn => group MotorKeys,
        /// What it does.
        law: ActuatorLaw => group LawKeys,
        /// The most that it can do either way, N or N m.
        limit: Option<f64> => optional AnyQuantity,
        /// Period of a sampled controller, s: what it does is computed at multiples of it and held in between.
        every: Option<f64> => optional Time,
    }
}

/// What an actuator does.
#[derive(Clone, Debug, PartialEq)]
pub enum ActuatorLaw {
    /// A force, N, as a formula; `q` and `v` are the coordinate and its rate.
    Force(Formula),
    /// A torque, N m, as a formula; `q` and `v` are the coordinate and its rate.
    Torque(Formula),
    /// Proportional and derivative control: stiffness · (setpoint − q) + damping · (rate_setpoint − v).
    Pd {
        /// Where the coordinate should be, m or rad.
        setpoint: Formula,
        /// How fast it should change, m/s or rad/s.
        rate_setpoint: Formula,
        /// N/m or N m/rad.
        stiffness: f64,
        /// N s/m or N m s/rad.
        damping: f64,
    },
    /// Proportional, integral and derivative control: as `Pd`, plus integral · ∫ (setpoint − q) dt. Where the actuator has a limit, the integral
    /// does not wind up: it is led back with the time constant `tracking_time`.
    Pid {
        /// Where the coordinate should be, m or rad.
        setpoint: Formula,
        /// How fast it should change, m/s or rad/s.
        rate_setpoint: Formula,
        /// N/m or N m/rad.
        stiffness: f64,
        /// N/(m s) or N m/(rad s).
        integral: f64,
        /// N s/m or N m s/rad.
        damping: f64,
        /// s; stiffness / integral if left out.
        tracking_time: Option<f64>,
    },
}

impl ActuatorLaw {
    /// A controller of the three parts of the deviation from a setpoint: itself, N/m or N m/rad, its integral, N/(m s) or N m/(rad s), and its rate, N s/m or N m s/rad.
    pub fn pid(setpoint: impl Into<Formula>, [stiffness, integral, damping]: [f64; 3]) -> Self {
        let rate_setpoint = Formula::constant(0.0);
        ActuatorLaw::Pid {
            setpoint: setpoint.into(),
            rate_setpoint,
            stiffness,
            integral,
            damping,
            tracking_time: None,
        }
    }
}

#[cfg(feature = "file")]
pub(crate) use keys::LawKeys;

/// The keys in a file.
#[cfg(feature = "file")]
mod keys {
    use super::{ActsOn, Actuator, ActuatorLaw};
    use crate::expressions::Formula;
    use crate::file::along_coordinate::{COORDINATE, DAMPING, FORCE, INTEGRAL, RATE, STIFFNESS};
    use crate::file::prelude::*;
    use crate::file::writing::context::{self, unit};

    table! {
        /// What an actuator does.
        LawKeys {
            /// The force, N: an expression of `t`, readings, the coordinate `q` and its rate `v`.
            force: optional FormulaOf<1, 1, -2, OfCoordinate>,
            /// The torque, N m: an expression of `t`, readings, the coordinate `q` and its rate `v`.
            torque: optional FormulaOf<2, 1, -2, OfCoordinate>,
            /// Instead of a force or torque: a controller that holds the coordinate at a set value.
            controller: optional ControllerTable,
        }
    }

    table! {
        /// A controller: stiffness (setpoint - q) + damping (rate_setpoint - v), with "pid" also ki times the integral of setpoint - q.
        ControllerTable {
            /// "pd": proportional and derivative; "pid": with an integral part.
            r#type: required Choice<Type>,
            /// The value that the coordinate should have, m or rad: an expression of `t` and readings.
            setpoint: required AnyFormula,
            /// The rate that it should have, m/s or rad/s; zero if left out.
            rate_setpoint: optional AnyFormula,
            /// Force per deviation, N/m or N m/rad.
            stiffness: optional AnyQuantity,
            /// Another name of `stiffness`.
            kp: optional AnyQuantity,
            /// Force per deviation of the rate, N s/m or N m s/rad.
            damping: optional AnyQuantity,
            /// Another name of `damping`.
            kd: optional AnyQuantity,
            /// Of "pid": force per integral of the deviation, N/(m s) or N m/(rad s).
            ki: optional AnyQuantity,
            /// Of "pid" with a `limit`: time constant by which the integral is led back while the limit holds, s; kp / ki if left out.
            tracking_time: optional Time,
        }
    }

    /// The kinds of controller.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Type {
        Pd,
        Pid,
    }

    impl Choices for Type {
        const WHAT: &'static str = "type of controller";
        fn choices() -> Vec<(&'static str, Self)> {
            vec![("pd", Type::Pd), ("pid", Type::Pid)]
        }
    }

    impl Rules for Actuator {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            let wrong = match self.of {
                ActsOn::Turn { .. } if given.has("force") => Some(("force", "torque", "this turns a body")),
                ActsOn::Between(_) if given.has("torque") => {
                    Some(("torque", "force", "this acts between two points"))
                }
                _ => None,
            };
            if let Some((key, other, message)) = wrong {
                reader.refuse(&format!(".{key}"), message, format!("give `{other}` instead"));
                return;
            }
            let turns = self.of.turns(|joint, coordinate| reader.turns(joint, coordinate));
            let keys = [
                ("limit", FORCE),
                ("controller.stiffness", STIFFNESS),
                ("controller.kp", STIFFNESS),
                ("controller.damping", DAMPING),
                ("controller.kd", DAMPING),
                ("controller.ki", INTEGRAL),
                ("controller.setpoint", COORDINATE),
                ("controller.rate_setpoint", RATE),
            ];
            for (key, dims) in keys {
                reader.key_fits(key, turns, dims);
            }
        }

        fn written(&self, entry: Entry, context: &Context<'_>) -> Entry {
            let turns = self.of.turns(|joint, coordinate| context.turns(joint, coordinate));
            let turns = match self.law {
                ActuatorLaw::Force(_) => Some(false),
                ActuatorLaw::Torque(_) => Some(true),
                _ => turns,
            };
            let entry = match &self.law {
                ActuatorLaw::Force(_) | ActuatorLaw::Torque(_) => entry,
                controlled => entry.set("controller", controller(controlled, turns)),
            };
            entry.maybe("limit", self.limit.map(|limit| Item::Quantity(limit, unit(turns, context::FORCE))))
        }
    }

    impl Group for LawKeys {
        type Value = ActuatorLaw;

        fn build(self, reader: &mut Reader<'_>) -> Option<ActuatorLaw> {
            match (self.force, self.torque, self.controller) {
                (Some(force), None, None) => Some(ActuatorLaw::Force(force.value())),
                (None, Some(torque), None) => Some(ActuatorLaw::Torque(torque.value())),
                (None, None, Some(controller)) => Some(controller.build(reader)),
                (force, torque, controller) => {
                    let none = force.is_none() && torque.is_none() && controller.is_none();
                    let message = if none { "this does nothing" } else { "an actuator does one thing" };
                    reader.refuse("", message, "give one of `force`, `torque` and `controller`");
                    None
                }
            }
        }

        fn stand_in() -> ActuatorLaw {
            ActuatorLaw::Pd {
                setpoint: Formula::constant(0.0),
                rate_setpoint: Formula::constant(0.0),
                stiffness: 0.0,
                damping: 0.0,
            }
        }

        fn write(law: &ActuatorLaw, entry: Entry, _: &Context<'_>) -> Entry {
            match law {
                ActuatorLaw::Force(force) => entry.set("force", force),
                ActuatorLaw::Torque(torque) => entry.set("torque", torque),
                // with units that depend on the coordinate, which the whole item knows
                ActuatorLaw::Pd { .. } | ActuatorLaw::Pid { .. } => entry,
            }
        }
    }

    impl ControllerTable {
        fn build(self, reader: &mut Reader<'_>) -> ActuatorLaw {
            let pairs =
                [("stiffness", "kp", self.stiffness, self.kp), ("damping", "kd", self.damping, self.kd)];
            let gains = pairs.map(|(key, other, value, same)| {
                if value.is_some() && same.is_some() {
                    let message = format!("`{other}` is `{key}`, which is given, too");
                    reader.refuse(&format!(".controller.{other}"), message, "keep one of the two");
                }
                value.or(same).map(|gain| gain.0)
            });
            let integrates = matches!(self.r#type, Some(Choice(Type::Pid)));
            let own = [("ki", self.ki.is_some()), ("tracking_time", self.tracking_time.is_some())];
            for (key, _) in own.into_iter().filter(|&(_, given)| given && !integrates) {
                let message = format!("`{key}` belongs to an integral part");
                let help = "write `type = \"pid\"`, or remove it";
                reader.refuse(&format!(".controller.{key}"), message, help);
            }
            if integrates && self.ki.is_none() {
                let help = "ki in N/(m s) or N m/(rad s); without an integral part it is a `pd`";
                reader.refuse(".controller", "a `pid` needs a `ki`", help);
            }
            if gains == [None, None] && !integrates {
                let help = "stiffness in N/m or N m/rad, damping in N s/m or N m s/rad";
                reader.refuse(".controller", "a controller needs a `stiffness` or a `damping`", help);
            }
            let formula = |formula: Option<AnyFormula>| formula.map_or(Formula::constant(0.0), Kind::value);
            let (setpoint, rate_setpoint) = (formula(self.setpoint), formula(self.rate_setpoint));
            let [stiffness, damping] = gains.map(|gain| gain.unwrap_or(0.0));
            if !integrates {
                return ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping };
            }
            let integral = self.ki.map_or(0.0, |ki| ki.0);
            let tracking_time = self.tracking_time.map(|time| time.0);
            ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time }
        }
    }

    fn controller(law: &ActuatorLaw, turns: Option<bool>) -> Entry {
        let entry = Entry::new(ControllerTable::KEYS);
        let zero = |rate: &Formula| *rate == Formula::constant(0.0);
        match law {
            ActuatorLaw::Force(_) | ActuatorLaw::Torque(_) => entry,
            ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping } => {
                let idle = is(*stiffness, 0.0) && !is(*damping, 0.0);
                let gain = Item::Quantity(*stiffness, unit(turns, context::STIFFNESS));
                entry
                    .set("type", "pd")
                    .set("setpoint", setpoint)
                    .unless(zero(rate_setpoint), "rate_setpoint", rate_setpoint)
                    .unless(idle, "stiffness", gain)
                    .unless_zero("damping", *damping, unit(turns, context::DAMPING))
            }
            ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time } => {
                entry
                    .set("type", "pid")
                    .set("setpoint", setpoint)
                    .unless(zero(rate_setpoint), "rate_setpoint", rate_setpoint)
                    .unless_zero("stiffness", *stiffness, unit(turns, context::STIFFNESS))
                    .unless_zero("damping", *damping, unit(turns, context::DAMPING))
                    .set("ki", Item::Quantity(*integral, unit(turns, context::INTEGRAL)))
                    .maybe("tracking_time", tracking_time.map(|time| Item::Quantity(time, "s")))
            }
        }
    }
}

impl Actuator {
    /// An actuator without a limit.
    pub fn new(name: impl Into<String>, of: ActsOn, law: ActuatorLaw) -> Self {
        Actuator { name: name.into(), of, law, limit: None, every: None }
    }
    /// Sets the most that it can do, N or N m.
    pub fn limit(mut self, limit: f64) -> Self {
        self.limit = Some(limit);
        self
    }
    /// Samples it with a period, s.
    pub fn every(mut self, period: f64) -> Self {
        self.every = Some(period);
        self
    }

    /// What the integral part of a controller needs.
    fn controller(&self) -> Option<Controller> {
        match &self.law {
            ActuatorLaw::Pid { stiffness, integral, tracking_time, .. } => Some(Controller {
                own_time: stiffness / integral,
                gain: *integral,
                tracking_time: *tracking_time,
                sampled: self.every.is_some(),
            }),
            _ => None,
        }
    }

    fn check_integral(&self, path: &str, on: &mut dyn Checks) {
        let ActuatorLaw::Pid { stiffness, integral, tracking_time, .. } = &self.law else { return };
        let controller = format!("{path}.controller");
        on.number(&format!("{controller}.ki"), *integral, Sign::Positive);
        if let Some(time) = tracking_time {
            on.number(&format!("{controller}.tracking_time"), *time, Sign::Positive);
        } else if self.limit.is_some() && *stiffness == 0.0 {
            on.error_with(
                controller,
                "nothing says how fast the integral is led back while the `limit` holds: without `kp` there is no kp / ki",
                "give a `tracking_time`",
            );
        }
        if let (Some(every), Some(_)) = (self.every, self.limit)
            && tracking_time.unwrap_or(stiffness / integral) < every
        {
            let message =
                format!("a period of {every} s is longer than the time in which the integral is led back");
            let help = "sample more often, or give a longer `tracking_time`";
            on.error_with(format!("{path}.every"), message, help);
        }
    }
}

impl Readable for Actuator {
    const WORD: &'static str = "actuator";
    const OUTPUTS: &'static [Output] = &[
        Output::both("force", Dims::new(1, 1, -2)),
        Output::both("torque", Dims::new(2, 1, -2)),
        Output::both("power", Dims::new(2, 1, -3)),
        Output::of_any_dimension("integral"),
    ];
}

impl Element for Actuator {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        self.of.check(path, ["against", "body"], on);
        let locals = &["q", "v"];
        match &self.law {
            ActuatorLaw::Force(formula) => on.formula(&format!("{path}.force"), formula, locals),
            ActuatorLaw::Torque(formula) => on.formula(&format!("{path}.torque"), formula, locals),
            ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping }
            | ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, damping, .. } => {
                let path = format!("{path}.controller");
                on.formula(&format!("{path}.setpoint"), setpoint, &[]);
                on.formula(&format!("{path}.rate_setpoint"), rate_setpoint, &[]);
                on.number(&format!("{path}.stiffness"), *stiffness, Sign::NotNegative);
                on.number(&format!("{path}.damping"), *damping, Sign::NotNegative);
            }
        }
        if let Some(limit) = self.limit {
            on.number(&format!("{path}.limit"), limit, Sign::NotNegative);
        }
        if let Some(every) = self.every {
            on.number(&format!("{path}.every"), every, Sign::Positive);
        }
        self.check_integral(path, on);
    }

    fn uses(&self) -> Vec<Use<'_>> {
        self.of.uses()
    }

    fn phase(&self) -> Phase {
        Phase::Formulas
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        self.of.symbol()
    }

    fn attach(&self, path: &str, index: usize, site: &mut dyn Site) -> Option<()> {
        let Coordinate { gauge, factor } = self.of.attach(path, site)?;
        let turns = site.gauges()[gauge].is_angle();
        let wrong = match self.law {
            ActuatorLaw::Force(_) if turns => Some(("force", "an angle", "torque")),
            ActuatorLaw::Torque(_) if !turns => Some(("torque", "a path", "force")),
            _ => None,
        };
        if let Some((key, what, other)) = wrong {
            let fault = Fault::error(format!("{path}.{key}"), format!("this acts along {what}"));
            site.fault(fault.help(format!("give `{other}` instead")));
            return None;
        }
        let locals = &["q", "v"];
        let sampled = self.every.is_some();
        let bind = |site: &mut dyn Site, key: &str, formula: &Formula, locals: &[&str]| {
            let path = format!("{path}.{key}");
            if sampled {
                site.bind_sampled(&path, formula, locals)
            } else {
                site.bind(&path, formula, locals)
            }
        };
        let effort = match &self.law {
            ActuatorLaw::Force(formula) => Effort::Given(bind(site, "force", formula, locals)?),
            ActuatorLaw::Torque(formula) => Effort::Given(bind(site, "torque", formula, locals)?),
            ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping }
            | ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, damping, .. } => {
                let setpoint = bind(site, "controller.setpoint", setpoint, &[]);
                let rate = bind(site, "controller.rate_setpoint", rate_setpoint, &[]);
                let integral =
                    self.controller().and_then(|controller| site.integral(index, controller, turns));
                let (setpoint, rate_setpoint) = setpoint.zip(rate)?;
                Effort::Controlled {
                    setpoint,
                    rate_setpoint,
                    stiffness: *stiffness,
                    damping: *damping,
                    integral,
                }
            }
        };
        let limit = self.limit.unwrap_or(f64::INFINITY);
        let held = site.sampled(index, self.every);
        let law = Law { gauge, factor, effort, limit, held };
        site.act(format!("actuator.{}", self.name), Action::Actuator(Box::new(law)));
        Some(())
    }
}
