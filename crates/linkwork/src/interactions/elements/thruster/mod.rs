//! Thrusters: jets that push a body, and may take mass from it.

mod burn;
mod law;

pub use burn::Burn;
pub use law::{JetDirection, Thruster as Law};

use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Element, Output, Phase, Readable, Symbol, Use};
use crate::drawing::Axis;
use crate::expressions::units::Dims;
use crate::expressions::{Formula, Interpolation, Table};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{Action, Direction as BodyDirection};

keys! {
    /// A jet that pushes a body, and may take mass from it. Its size is given by `thrust`, by `impulse` and `burn_time`, or by `impulse` and `curve`.
    Thruster(name) {
        /// The body.
        body: String => required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: Option<String> => optional String,
        /// Which way it pushes.
        direction: ThrustDirection => group DirectionKeys,
        /// How much.
        thrust: Thrust => group ThrustKeys,
        /// When it starts, s; 0 if left out.
        start: f64 => default Time = 0.0,
        /// What is left of the thrust; 1 if left out. The mass flow is not less for it.
        efficiency: f64 => default Plain = 1.0,
        /// What it takes from the mass of the body.
        propellant: Propellant => group PropellantKeys,
    }
}

/// Which way a thruster pushes.
#[derive(Clone, Debug, PartialEq)]
pub enum ThrustDirection {
    /// A direction of the world.
    World(Axis),
    /// A direction as drawn that turns with the body.
    Body(Axis),
    /// Along the velocity of the point where it acts.
    Velocity {
        /// The direction at rest.
        launch: Axis,
        /// Up to this speed the direction goes over from `launch` to that of the velocity, m/s; 0 where only rest itself counts.
        launch_speed: f64,
    },
}

/// How large the thrust is.
#[derive(Clone, Debug, PartialEq)]
pub enum Thrust {
    /// As a formula of the time `t` of the run says, N.
    Given {
        /// N
        thrust: Formula,
        /// It ends so long after its start, s; never if left out.
        burn_time: Option<f64>,
    },
    /// Constant.
    Constant {
        /// In all, N s.
        impulse: f64,
        /// s
        burn_time: f64,
    },
    /// In proportion to a table over the time since the start.
    Curve {
        /// In all, N s.
        impulse: f64,
        /// Name of the table.
        curve: String,
    },
}

/// What a thruster takes from the mass of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Propellant {
    /// Nothing.
    #[default]
    None,
    /// So much in all, kg, in proportion to the impulse.
    Mass(f64),
    /// Thrust per mass flow, m/s.
    ExhaustVelocity(f64),
}

#[cfg(feature = "file")]
pub(crate) use keys::{DirectionKeys, PropellantKeys, ThrustKeys};

/// The keys in a file.
#[cfg(feature = "file")]
mod keys {
    use super::{Propellant, Thrust, ThrustDirection, Thruster};
    use crate::drawing::{Axes, Axis};
    use crate::expressions::Formula;
    use crate::file::document::{Node, Value};
    use crate::file::prelude::*;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl Rules for Thruster {}

    table! {
        /// Which way a thruster pushes.
        DirectionKeys {
            /// Which way it pushes: a vector of any length, two points, or "velocity", along the velocity of the point it acts at.
            direction: required Ahead,
            /// Axes of the direction: "world" (the default), or "body": the direction as drawn turns with the body.
            axes: optional Choice<Axes>,
            /// With direction = "velocity": the direction at rest, a vector or two points.
            launch_direction: optional Direction,
            /// With direction = "velocity": up to this speed the direction goes over from the launch direction to that of the velocity, m/s; 0 if left out.
            launch_speed: optional Speed,
        }
    }

    table! {
        /// How large the thrust is.
        ThrustKeys {
            /// The thrust, N: a number, or an expression of the time `t`, which may use tables.
            thrust: optional FormulaOf<1, 1, -2>,
            /// Impulse in all, N s; with `burn_time` or `curve`.
            impulse: optional Si<1, 1, -1>,
            /// How long it burns, s: with `impulse` the thrust is constant, a `thrust` ends then.
            burn_time: optional Time,
            /// Name of a table of relative thrust over the time since the start, scaled so that it gives the impulse.
            curve: optional String,
        }
    }

    table! {
        /// What it takes from the mass of its body.
        PropellantKeys {
            /// Mass that burns in all, kg, in proportion to the impulse: the body loses it.
            propellant: optional Mass,
            /// Instead of `propellant`: thrust per mass flow, m/s. The body loses that mass.
            exhaust_velocity: optional Speed,
        }
    }

    /// A direction, or `"velocity"`.
    #[derive(Clone, Debug)]
    pub(crate) enum Ahead {
        Along(Axis),
        Velocity,
    }

    inline_schema!(Ahead, |_| json_schema!({ "anyOf": [{ "enum": ["velocity"] }, vector_schema(2, 3)] }));

    impl Decode for Ahead {
        fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
            match &node.value {
                Value::String(word) if word == "velocity" => Some(Ahead::Velocity),
                Value::String(_) => {
                    reader.fault(node.span.clone(), "expected a vector, two points, or \"velocity\"")
                }
                _ => Direction::decode(node, reader).map(|direction| Ahead::Along(direction.0)),
            }
        }
    }

    impl Group for DirectionKeys {
        type Value = ThrustDirection;

        fn build(self, reader: &mut Reader<'_>) -> Option<ThrustDirection> {
            match (self.direction?, self.axes.map(|choice| choice.0), self.launch_direction) {
                (Ahead::Velocity, None, Some(launch)) => {
                    let launch_speed = self.launch_speed.map_or(0.0, |speed| speed.0);
                    Some(ThrustDirection::Velocity { launch: launch.0, launch_speed })
                }
                (Ahead::Velocity, Some(_), _) => {
                    reader.refuse(".axes", "a thrust along the velocity has no axes", "remove `axes`");
                    None
                }
                (Ahead::Velocity, None, None) => {
                    let message =
                        "a point at rest has no velocity to push along: `launch_direction` is missing";
                    reader.refuse("", message, "launch_direction = [0, 1]: the direction at rest");
                    None
                }
                (Ahead::Along(_), _, launch) if launch.is_some() || self.launch_speed.is_some() => {
                    let key = if launch.is_some() { "launch_direction" } else { "launch_speed" };
                    let message = format!("`{key}` belongs to direction = \"velocity\"");
                    reader.refuse(&format!(".{key}"), message, "remove it");
                    None
                }
                (Ahead::Along(axis), Some(Axes::Body), _) => Some(ThrustDirection::Body(axis)),
                (Ahead::Along(axis), ..) => Some(ThrustDirection::World(axis)),
            }
        }

        fn stand_in() -> ThrustDirection {
            ThrustDirection::World(Axis::Vector([1.0, 0.0, 0.0]))
        }

        fn write(direction: &ThrustDirection, entry: Entry, context: &Context<'_>) -> Entry {
            let axis = |axis| Direction::write(axis, context);
            match direction {
                ThrustDirection::World(along) => {
                    entry.set("direction", axis(along)).unless(true, "axes", "world")
                }
                ThrustDirection::Body(along) => entry.set("direction", axis(along)).set("axes", "body"),
                ThrustDirection::Velocity { launch, launch_speed } => entry
                    .set("direction", "velocity")
                    .set("launch_direction", axis(launch))
                    .unless_zero("launch_speed", *launch_speed, "m/s"),
            }
        }
    }

    impl Group for ThrustKeys {
        type Value = Thrust;

        fn build(self, reader: &mut Reader<'_>) -> Option<Thrust> {
            let impulse = self.impulse.map(|impulse| impulse.0);
            let burn_time = self.burn_time.map(|time| time.0);
            match (self.thrust, impulse, burn_time, self.curve) {
                (Some(thrust), None, burn_time, None) => {
                    Some(Thrust::Given { thrust: thrust.value(), burn_time })
                }
                (None, Some(impulse), Some(burn_time), None) => Some(Thrust::Constant { impulse, burn_time }),
                (None, Some(impulse), None, Some(curve)) => Some(Thrust::Curve { impulse, curve }),
                (thrust, impulse, burn_time, curve) => {
                    let given = (thrust.is_some(), impulse.is_some(), burn_time.is_some(), curve.is_some());
                    let message = match given {
                        (true, true, ..) => "`thrust` and `impulse` are both given",
                        (true, _, _, true) => "`thrust` and `curve` are both given",
                        (false, true, true, true) => "a `curve` has its own end: `burn_time` is given, too",
                        (false, true, false, false) => "an `impulse` needs a `burn_time` or a `curve`",
                        (false, false, _, true) => "a `curve` needs an `impulse`",
                        _ => "this does not say how much it pushes",
                    };
                    let help = "give `thrust`, or `impulse` and `burn_time`, or `impulse` and `curve`";
                    reader.refuse("", message, help);
                    None
                }
            }
        }

        fn stand_in() -> Thrust {
            Thrust::Given { thrust: Formula::constant(0.0), burn_time: Some(1.0) }
        }

        fn write(thrust: &Thrust, entry: Entry, _: &Context<'_>) -> Entry {
            let seconds = |time: &f64| Item::Quantity(*time, "s");
            match thrust {
                Thrust::Given { thrust, burn_time } => {
                    entry.set("thrust", thrust).maybe("burn_time", burn_time.as_ref().map(seconds))
                }
                Thrust::Constant { impulse, burn_time } => {
                    entry.set("impulse", Item::Quantity(*impulse, "N s")).set("burn_time", seconds(burn_time))
                }
                Thrust::Curve { impulse, curve } => {
                    entry.set("impulse", Item::Quantity(*impulse, "N s")).set("curve", curve)
                }
            }
        }
    }

    impl Group for PropellantKeys {
        type Value = Propellant;

        fn build(self, reader: &mut Reader<'_>) -> Option<Propellant> {
            match (self.propellant, self.exhaust_velocity) {
                (None, None) => Some(Propellant::None),
                (Some(mass), None) => Some(Propellant::Mass(mass.0)),
                (None, Some(speed)) => Some(Propellant::ExhaustVelocity(speed.0)),
                (Some(_), Some(_)) => {
                    let help = "keep one of the two";
                    reader.refuse("", "`propellant` and `exhaust_velocity` are both given", help);
                    None
                }
            }
        }

        fn stand_in() -> Propellant {
            Propellant::None
        }

        fn write(propellant: &Propellant, entry: Entry, _: &Context<'_>) -> Entry {
            match propellant {
                Propellant::None => entry,
                Propellant::Mass(mass) => entry.set("propellant", Item::Quantity(*mass, "kg")),
                Propellant::ExhaustVelocity(speed) => {
                    entry.set("exhaust_velocity", Item::Quantity(*speed, "m/s"))
                }
            }
        }
    }
}

impl Propellant {
    /// Mass that goes for each newton second, kg/(N s).
    pub(crate) fn per_impulse(self, burn: &Burn) -> f64 {
        match self {
            Propellant::None => 0.0,
            Propellant::Mass(mass) => {
                let impulse = burn.impulse(&mut Vec::new());
                // without impulse nothing burns
                if mass > 0.0 && impulse.is_finite() && impulse > 0.0 { mass / impulse } else { 0.0 }
            }
            Propellant::ExhaustVelocity(speed) => 1.0 / speed,
        }
    }
}

impl Thruster {
    /// A thruster at the centre of mass of a body that starts at once and takes no mass.
    pub fn new(name: impl Into<String>, body: &str, direction: ThrustDirection, thrust: Thrust) -> Self {
        Thruster {
            name: name.into(),
            body: body.into(),
            at: None,
            direction,
            thrust,
            start: 0.0,
            efficiency: 1.0,
            propellant: Propellant::None,
        }
    }
    /// Lets it act at a point of the body.
    pub fn at(mut self, point: &str) -> Self {
        self.at = Some(point.into());
        self
    }
    /// Sets when it starts, s.
    pub fn start(mut self, start: f64) -> Self {
        self.start = start;
        self
    }
    /// Sets what is left of the thrust.
    pub fn efficiency(mut self, efficiency: f64) -> Self {
        self.efficiency = efficiency;
        self
    }
    /// Sets what it takes from the mass of the body.
    pub fn propellant(mut self, propellant: Propellant) -> Self {
        self.propellant = propellant;
        self
    }

    fn check_thrust(&self, path: &str, on: &mut dyn Checks) {
        match &self.thrust {
            Thrust::Given { thrust, burn_time } => {
                on.formula_of_time(&format!("{path}.thrust"), thrust, "`thrust`");
                if let Some(time) = burn_time {
                    on.number(&format!("{path}.burn_time"), *time, Sign::Positive);
                } else if let Propellant::Mass(_) = self.propellant {
                    let message = "`propellant` is burned in proportion to the impulse, but a `thrust` without `burn_time` has no impulse in all";
                    let help = "give `burn_time`, or `exhaust_velocity` instead of `propellant`";
                    on.error_with(format!("{path}.propellant"), message, help);
                }
            }
            Thrust::Constant { impulse, burn_time } => {
                on.number(&format!("{path}.impulse"), *impulse, Sign::NotNegative);
                on.number(&format!("{path}.burn_time"), *burn_time, Sign::Positive);
            }
            Thrust::Curve { impulse, curve } => {
                on.number(&format!("{path}.impulse"), *impulse, Sign::NotNegative);
                let path = format!("{path}.curve");
                match on.table(curve) {
                    Some(table) => check_curve(&path, curve, &table, on),
                    None => {
                        let known = on.table_names();
                        on.unknown(&path, "table", curve, known.iter().map(String::as_str).collect());
                    }
                }
            }
        }
    }
}

fn check_direction(path: &str, axis: &Axis, on: &mut dyn Checks) {
    let vector = on.axis(path, axis);
    if on.planar() && vector.is_some_and(|vector| vector[2] != 0.0) {
        on.error(path, "the model is planar: there is no thrust along z");
    }
}

fn check_curve(path: &str, name: &str, table: &Table, on: &mut dyn Checks) {
    if table.interpolation() == Interpolation::Periodic {
        let message = format!("the table `{name}` is periodic: a thruster burns out");
        on.error_with(path, message, "take another `interpolation`");
    } else if table.x()[0] < 0.0 {
        let message =
            format!("the table `{name}` begins at {} s: the time is counted from the start", table.x()[0]);
        on.error_with(path, message, "begin at zero, and set `start`");
    } else if let Some(y) = table.y().iter().find(|y| **y < 0.0) {
        on.error(path, format!("the table `{name}` falls to {y}: thrust must not be negative"));
    } else if table.integral(table.x()[table.x().len() - 1]) <= 0.0 {
        on.error(path, format!("the table `{name}` is zero throughout: no scale gives it an impulse"));
    }
}

impl Readable for Thruster {
    const WORD: &'static str = "thruster";
    const OUTPUTS: &'static [Output] = &[
        Output::both("force", Dims::new(1, 1, -2)),
        Output::both("x", Dims::new(1, 1, -2)),
        Output::both("y", Dims::new(1, 1, -2)),
        Output::space("z", Dims::new(1, 1, -2)),
        Output::both("mass_flow", Dims::new(0, 1, -1)),
    ];
}

impl Element for Thruster {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        on.moving_body(&format!("{path}.body"), &self.body, "a thruster on `ground` moves nothing");
        if let Some(at) = &self.at {
            on.point_of(&format!("{path}.at"), at, &self.body);
        }
        match &self.direction {
            ThrustDirection::World(axis) | ThrustDirection::Body(axis) => {
                check_direction(&format!("{path}.direction"), axis, on);
            }
            ThrustDirection::Velocity { launch, launch_speed } => {
                check_direction(&format!("{path}.launch_direction"), launch, on);
                on.number(&format!("{path}.launch_speed"), *launch_speed, Sign::NotNegative);
            }
        }
        on.number(&format!("{path}.start"), self.start, Sign::NotNegative);
        on.number(&format!("{path}.efficiency"), self.efficiency, Sign::NotNegative);
        self.check_thrust(path, on);
        match self.propellant {
            Propellant::None => {}
            Propellant::Mass(mass) => on.number(&format!("{path}.propellant"), mass, Sign::NotNegative),
            Propellant::ExhaustVelocity(speed) => {
                on.number(&format!("{path}.exhaust_velocity"), speed, Sign::Positive);
            }
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        vec![Use::Body(&self.body)]
    }

    fn phase(&self) -> Phase {
        Phase::Formulas
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        Some(Symbol::Arrow { body: &self.body, at: self.at.as_deref() })
    }

    fn attach(&self, path: &str, index: usize, site: &mut dyn Site) -> Option<()> {
        let burn = site.burn(index)?;
        let at = site.force_point(&self.body, self.at.as_ref())?;
        let fixed = |body, u| JetDirection::Fixed(BodyDirection { body, u });
        let direction = match &self.direction {
            ThrustDirection::World(axis) => fixed(None, site.direction(axis)?),
            ThrustDirection::Body(axis) => {
                if !site.carries(at.body, None, &format!("{path}.axes")) {
                    return None;
                }
                fixed(at.body, site.direction(axis)?)
            }
            ThrustDirection::Velocity { launch, launch_speed } => {
                JetDirection::Velocity { launch: site.direction(launch)?, launch_speed: *launch_speed }
            }
        };
        let per_impulse = self.propellant.per_impulse(&burn);
        let (efficiency, columns) = (self.efficiency, site.columns());
        let law = Law { at, direction, burn, efficiency, per_impulse, columns };
        site.act(format!("thruster.{}", self.name), Action::Thruster(Box::new(law)));
        Some(())
    }
}
