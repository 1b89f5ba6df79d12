//! Tyres: wheels on the road. Up is z; in the plane it is y.

mod law;

pub use law::{Brush, Place as RoadPlace, Road, Tyre as Law};

use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Element, Output, Phase, Readable, Symbol, Use};
use crate::drawing::Axis;
use crate::error::Fault;
use crate::expressions::units::Dims;
use crate::expressions::{Formula, TIME};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{Action, Direction as BodyDirection};

/// In the plane wheels turn about z: clockwise when they roll along x.
const CLOCKWISE: [f64; 3] = [0.0, 0.0, -1.0];

keys! {
    /// A wheel's tyre on the road. Up is z; in the plane it is y.
    Tyre(name) {
        /// The wheel.
        body: String => required String,
        /// The point of the wheel in its centre.
        centre: String => required String,
        /// Spin axis, fixed in the wheel and to the left of the way ahead: a vector or two points; in the plane it is z.
        axis: Option<Axis> => optional Direction,
        /// Radius without load, m.
        radius: f64 => required Length = 1.0,
        /// Radial stiffness, N/m.
        stiffness: f64 => required Stiffness = 1.0,
        /// Radial damping, N s/m.
        damping: f64 => default Damping = 0.0,
        /// Grip; a tyre without one pushes the wheel's centre up, and nothing else.
        brush: Option<Brush> => group BrushKeys,
        /// Height of the road, m: an expression of the place `x` and, in space, `y`, and of the time `t`; 0 if left out.
        road: Formula => default FormulaOf<1, 0, 0, RoadLocals> = Formula::constant(0.0),
    }
}

#[cfg(feature = "file")]
impl Rules for Tyre {}

#[cfg(feature = "file")]
table! {
    /// How a tyre grips the road.
    BrushKeys {
        /// radial (the default): pushes the centre of the wheel up. brush: acts at the contact, with longitudinal and lateral slip.
        model: optional Choice<TyreModel>,
        /// Brush: longitudinal force per slip, for small slip, N.
        slip_stiffness: optional ForceSize,
        /// Brush: lateral force per slip angle, for small angles, N/rad; not in the plane.
        cornering_stiffness: optional ForceSize,
        /// Brush: coefficient of friction.
        friction: optional Plain,
        /// Brush: rolling moment over normal force and loaded radius; 0 if left out.
        rolling_resistance: optional Plain,
        /// Brush: speed below which slip is smoothed, m/s; 0.1 if left out.
        slip_speed: optional Speed,
    }
}

/// The law of a tyre.
#[cfg(feature = "file")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TyreModel {
    Radial,
    Brush,
}

#[cfg(feature = "file")]
impl Choices for TyreModel {
    const WHAT: &'static str = "model of a tyre";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("radial", TyreModel::Radial), ("brush", TyreModel::Brush)]
    }
}

/// A place on the road.
#[cfg(feature = "file")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoadLocals;

#[cfg(feature = "file")]
impl Locals for RoadLocals {
    const NAMES: &'static [&'static str] = &Tyre::PLACE;
    const STATES: &'static [crate::expressions::quantity::State] =
        &[crate::expressions::quantity::State::Reading(Dims::new(1, 0, 0)); 2];
}

#[cfg(feature = "file")]
impl Group for BrushKeys {
    type Value = Option<Brush>;

    fn build(self, reader: &mut Reader<'_>) -> Option<Option<Brush>> {
        let grips = self.model.is_some_and(|choice| choice.0 == TyreModel::Brush);
        let planar = reader.dimension.is_none_or(crate::drawing::Dimension::is_planar);
        let slip_stiffness = self.slip_stiffness.map(|value| value.0);
        let cornering_stiffness = self.cornering_stiffness.map(|value| value.0);
        let friction = self.friction.map(|value| value.0);
        let rolling_resistance = self.rolling_resistance.map(|value| value.0);
        let slip_speed = self.slip_speed.map(|value| value.0);
        let keys = [
            ("slip_stiffness", slip_stiffness, true),
            ("cornering_stiffness", cornering_stiffness, !planar),
            ("friction", friction, true),
            ("rolling_resistance", rolling_resistance, false),
            ("slip_speed", slip_speed, false),
        ];
        for (key, value, needed) in keys {
            let at = format!("{}.{key}", reader.path());
            if value.is_some() && !grips {
                let help = "model = \"brush\" makes the tyre grip the road";
                reader.refuse(&format!(".{key}"), format!("a radial tyre has no `{key}`"), help);
            } else if value.is_some() && planar && key == "cornering_stiffness" {
                reader.reject(Fault::error(at, "in the plane no tyre slips sideways: remove it"));
            } else if grips && needed && value.is_none() {
                reader.reject(Fault::error(reader.path(), format!("a brush tyre needs `{key}`")));
            }
        }
        Some(grips.then(|| Brush {
            slip_stiffness: slip_stiffness.unwrap_or(0.0),
            cornering_stiffness: cornering_stiffness.unwrap_or(0.0),
            friction: friction.unwrap_or(0.0),
            rolling_resistance: rolling_resistance.unwrap_or(0.0),
            slip_speed: slip_speed.unwrap_or(Brush::SLIP_SPEED),
        }))
    }

    fn stand_in() -> Option<Brush> {
        None
    }

    fn write(brush: &Option<Brush>, entry: Entry, context: &Context<'_>) -> Entry {
        let Some(brush) = brush else { return entry.unless(true, "model", "radial") };
        // in the plane no tyre slips sideways
        let sideways = !context.dimension.is_planar() || !is(brush.cornering_stiffness, 0.0);
        let cornering = Item::Quantity(brush.cornering_stiffness, "N/rad");
        let slip_speed = Item::Quantity(brush.slip_speed, "m/s");
        entry
            .set("model", "brush")
            .set("slip_stiffness", Item::Quantity(brush.slip_stiffness, "N"))
            .maybe("cornering_stiffness", sideways.then_some(cornering))
            .set("friction", brush.friction)
            .unless(is(brush.rolling_resistance, 0.0), "rolling_resistance", brush.rolling_resistance)
            .unless(is(brush.slip_speed, Brush::SLIP_SPEED), "slip_speed", slip_speed)
    }
}

impl Tyre {
    /// The names that the formula of the road may use besides the time.
    pub const PLACE: [&'static str; 2] = ["x", "y"];

    /// A tyre that pushes the wheel's centre up, on a road of height zero.
    pub fn radial(name: impl Into<String>, body: &str, centre: &str, radius: f64, stiffness: f64) -> Self {
        Tyre {
            name: name.into(),
            body: body.into(),
            centre: centre.into(),
            axis: None,
            radius,
            stiffness,
            damping: 0.0,
            brush: None,
            road: Formula::constant(0.0),
        }
    }

    /// Sets the radial damping, N s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Makes it grip. In space the spin axis is needed.
    pub fn brush(mut self, axis: Option<Axis>, brush: Brush) -> Self {
        (self.axis, self.brush) = (axis, Some(brush));
        self
    }

    /// Sets the road.
    pub fn road(mut self, road: impl Into<Formula>) -> Self {
        self.road = road.into();
        self
    }

    fn check_road(&self, path: &str, on: &mut dyn Checks) {
        on.formula(path, &self.road, &Tyre::PLACE);
        let known = &Tyre::PLACE[..if on.planar() { 1 } else { 2 }];
        let foreign = |name: Option<&str>| !name.is_some_and(|name| name == TIME || known.contains(&name));
        if self.road.references().iter().any(|r| foreign(r.target.single())) {
            let message = match on.planar() {
                true => "the height of the road is a function of `x` and the time `t` alone",
                false => "the height of the road is a function of `x`, `y` and the time `t` alone",
            };
            on.error(path, message);
        }
    }
}

impl Readable for Tyre {
    const WORD: &'static str = "tyre";
    const OUTPUTS: &'static [Output] = &[
        Output::both("force", Dims::new(1, 1, -2)),
        Output::both("deflection", Dims::new(1, 0, 0)),
        Output::both("longitudinal", Dims::new(1, 1, -2)),
        Output::space("lateral", Dims::new(1, 1, -2)),
        Output::both("slip", Dims::NONE),
        Output::space("slip_angle", Dims::NONE),
    ];
}

impl Element for Tyre {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        on.moving_body(&format!("{path}.body"), &self.body, "a wheel is a moving body");
        on.point_of(&format!("{path}.centre"), &self.centre, &self.body);
        on.number(&format!("{path}.radius"), self.radius, Sign::Positive);
        on.number(&format!("{path}.stiffness"), self.stiffness, Sign::Positive);
        on.number(&format!("{path}.damping"), self.damping, Sign::NotNegative);
        match &self.axis {
            Some(_) if on.planar() => {
                on.error(format!("{path}.axis"), "in the plane wheels turn about z: remove `axis`");
            }
            Some(axis) => {
                on.axis(&format!("{path}.axis"), axis);
            }
            None if self.brush.is_some() && !on.planar() => {
                let help = "axis = a vector such as [0, 1, 0], or two points";
                on.error_with(path, "a brush tyre in space needs the spin `axis` of its wheel", help);
            }
            None => {}
        }
        if let Some(brush) = &self.brush {
            let numbers = [
                ("slip_stiffness", brush.slip_stiffness),
                ("cornering_stiffness", brush.cornering_stiffness),
                ("friction", brush.friction),
                ("rolling_resistance", brush.rolling_resistance),
            ];
            for (key, value) in numbers {
                on.number(&format!("{path}.{key}"), value, Sign::NotNegative);
            }
            on.number(&format!("{path}.slip_speed"), brush.slip_speed, Sign::Positive);
        }
        self.check_road(&format!("{path}.road"), on);
    }

    fn uses(&self) -> Vec<Use<'_>> {
        vec![Use::Body(&self.body)]
    }

    fn phase(&self) -> Phase {
        Phase::Formulas
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        let (axis, radius) = (self.axis.as_ref(), self.radius);
        Some(Symbol::Wheel { body: &self.body, centre: &self.centre, axis, radius })
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let body = site.body(&self.body)?;
        let centre = site.particle_point(body, &self.centre)?;
        if self.brush.is_some() && !site.is_thick(body) {
            let message = format!("body `{}` has no inertia about its own axis and cannot roll", self.body);
            let help = "give the wheel a shape with some thickness, or an inertia";
            site.fault(Fault::error(format!("{path}.body"), message).help(help));
            return None;
        }
        let u = self.axis.as_ref().map_or(Some(CLOCKWISE), |axis| site.direction(axis))?;
        let (height, places) = site.road(&self.road, &Tyre::PLACE)?;
        let (origin, up) = (site.origin(), site.columns() - 1);
        let law = Law {
            centre,
            axis: BodyDirection { body: Some(body), u },
            up,
            radius: self.radius,
            stiffness: self.stiffness,
            damping: self.damping,
            brush: self.brush,
            road: Road { height, places, origin: [origin[0], origin[1], origin[up]] },
        };
        site.act(format!("tyre.{}", self.name), Action::Tyre(Box::new(law)));
        Some(())
    }
}
