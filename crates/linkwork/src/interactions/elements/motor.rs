//! A motor with a torque-speed curve, behind a gear.
//!
//!   (E1)  ω = N q̇                          speed of the shaft; N: turns of the shaft per unit of the coordinate q
//!   (E2)  τ = τ_s (c − ω/ω₀)                a direct-current motor: stall torque τ_s, no-load speed ω₀ at full command
//!   (E3)  τ = c C(s),   s = ω sign c        a curve C: the torque at full command over the speed in the direction of the command
//!   (E4)  Q = N τ,   P = Q q̇                along the coordinate; the gear loses nothing
//!
//! c is the command, cut to −1 … 1: the share of the voltage in (E2), of the torque in (E3). (E2) brakes where the shaft runs faster than the command says, as a motor
//! on a stiff supply does. Both are continuous where c changes its sign. The rotor's inertia is N² J on the joint: its key `inertia`. Losses of the gear are
//! the joint's `friction` and `damping`. All of its power is work done on the mechanism: it has no potential.

#[cfg(feature = "file")]
use super::acts_on::MotorKeys;
use super::checks::{Checks, Sign};
use super::site::{Coordinate, Site};
use super::{ActsOn, Element, Output, Phase, Readable, Symbol, Use};
use crate::expressions::units::Dims;
use crate::expressions::{Formula, Table};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::Wrenches;
use crate::interactions::program::{Context as At, Program, Scratch};
use crate::interactions::{Action, Interactions};
use std::sync::Arc;

keys! {
    /// A motor with a torque-speed curve, behind a gear. Its curve is given by `stall_torque` and `no_load_speed`, or by the name of a table.
    Motor(name) {
        /// What it acts along: positive makes the coordinate larger.
        of: ActsOn => group MotorKeys,
        /// Its torque at full command over the speed of the shaft.
        curve: MotorCurve => group CurveKeys,
        /// The command, -1 to 1: an expression of `t`, readings, the coordinate `q` and its rate `v`; larger ones are cut. 1 if left out.
        command: Formula => default FormulaOf<0, 0, 0, OfCoordinate> = Formula::constant(1.0),
        /// How far the shaft turns for a unit of the coordinate: a number for an angle, rad/m for a path; 1 if left out.
        gear: f64 => default AnyQuantity = 1.0,
    }
}

/// The torque of a motor at full command over the speed of its shaft.
#[derive(Clone, Debug, PartialEq)]
pub enum MotorCurve {
    /// Falls in a straight line: a direct-current motor.
    Linear {
        /// At rest, N m.
        stall_torque: f64,
        /// The speed at which nothing is left, rad/s.
        no_load_speed: f64,
    },
    /// Name of a table of torque, N m, over speed in the direction of the command, rad/s.
    Table(String),
}

#[cfg(feature = "file")]
table! {
    /// The curve of a motor.
    CurveKeys {
        /// Torque of the shaft at rest and full command, N m; with `no_load_speed`.
        stall_torque: optional Si<2, 1, -2>,
        /// Speed of the shaft at which a full command gives no torque any more, rad/s.
        no_load_speed: optional Si<0, 0, -1>,
        /// Instead: name of a table of torque at full command over the speed of the shaft in the direction of the command.
        curve: optional String,
    }
}

#[cfg(feature = "file")]
impl Group for CurveKeys {
    type Value = MotorCurve;

    fn build(self, reader: &mut Reader<'_>) -> Option<MotorCurve> {
        match (self.stall_torque, self.no_load_speed, self.curve) {
            (Some(torque), Some(speed), None) => {
                Some(MotorCurve::Linear { stall_torque: torque.0, no_load_speed: speed.0 })
            }
            (None, None, Some(table)) => Some(MotorCurve::Table(table)),
            (torque, speed, curve) => {
                let message = match (torque.is_some(), speed.is_some(), curve.is_some()) {
                    (true, false, false) => "a `stall_torque` needs a `no_load_speed`",
                    (false, true, false) => "a `no_load_speed` needs a `stall_torque`",
                    (false, false, false) => "nothing says what the motor can do",
                    _ => "a `curve` stands for `stall_torque` and `no_load_speed`, which are given, too",
                };
                reader.refuse("", message, "give `stall_torque` and `no_load_speed`, or a `curve`");
                None
            }
        }
    }

    fn stand_in() -> MotorCurve {
        MotorCurve::Linear { stall_torque: 1.0, no_load_speed: 1.0 }
    }

    fn write(curve: &MotorCurve, entry: Entry, _: &Context<'_>) -> Entry {
        match curve {
            MotorCurve::Linear { stall_torque, no_load_speed } => entry
                .set("stall_torque", Item::Quantity(*stall_torque, "N m"))
                .set("no_load_speed", Item::Quantity(*no_load_speed, "rad/s")),
            MotorCurve::Table(table) => entry.set("curve", table),
        }
    }
}

#[cfg(feature = "file")]
impl Rules for Motor {
    fn judge(&mut self, _: Given<'_>, reader: &mut Reader<'_>) {
        let turns = self.of.turns(|joint, coordinate| reader.turns(joint, coordinate));
        reader.key_fits("gear", turns, [Dims::new(-1, 0, 0), Dims::NONE]);
    }
}

impl Motor {
    /// A direct-current motor without gear at full command: stall torque, N m, and no-load speed, rad/s.
    pub fn new(name: impl Into<String>, of: ActsOn, stall_torque: f64, no_load_speed: f64) -> Self {
        let curve = MotorCurve::Linear { stall_torque, no_load_speed };
        Motor { name: name.into(), of, curve, command: Formula::constant(1.0), gear: 1.0 }
    }
    /// Takes the torque from a table, N m over rad/s.
    pub fn curve(mut self, table: impl Into<String>) -> Self {
        self.curve = MotorCurve::Table(table.into());
        self
    }
    /// Sets the command, -1 to 1.
    pub fn command(mut self, command: impl Into<Formula>) -> Self {
        self.command = command.into();
        self
    }
    /// Sets how far the shaft turns for a unit of the coordinate, 1 or rad/m.
    pub fn gear(mut self, gear: f64) -> Self {
        self.gear = gear;
        self
    }
}

impl Readable for Motor {
    const WORD: &'static str = "motor";
    const OUTPUTS: &'static [Output] = &[
        Output::both("force", Dims::new(1, 1, -2)),
        Output::both("torque", Dims::new(2, 1, -2)),
        Output::both("speed", Dims::new(0, 0, -1)),
        Output::both("power", Dims::new(2, 1, -3)),
    ];
}

impl Element for Motor {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        self.of.check(path, ["against", "body"], on);
        match &self.curve {
            MotorCurve::Linear { stall_torque, no_load_speed } => {
                on.number(&format!("{path}.stall_torque"), *stall_torque, Sign::NotNegative);
                on.number(&format!("{path}.no_load_speed"), *no_load_speed, Sign::Positive);
            }
            MotorCurve::Table(table) => on.table_named(&format!("{path}.curve"), Some(table)),
        }
        on.formula(&format!("{path}.command"), &self.command, &["q", "v"]);
        if on.sizes(&format!("{path}.gear"), "the ratio", &[self.gear]) && self.gear == 0.0 {
            on.error(format!("{path}.gear"), "a gear of ratio zero passes nothing on");
        }
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

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let Coordinate { gauge, factor } = self.of.attach(path, site)?;
        let command = site.bind(&format!("{path}.command"), &self.command, &["q", "v"])?;
        let torque = match &self.curve {
            MotorCurve::Linear { stall_torque, no_load_speed } => {
                Torque::Linear(*stall_torque, *no_load_speed)
            }
            MotorCurve::Table(table) => Torque::Table(site.table(table)?),
        };
        let law = MotorAction { gauge, factor, command, torque, gear: self.gear };
        site.act(format!("motor.{}", self.name), Action::Motor(Box::new(law)));
        Some(())
    }
}

/// The torque of the shaft at full command.
#[derive(Clone, Debug)]
enum Torque {
    /// τ_s and ω₀ of (E2).
    Linear(f64, f64),
    /// C of (E3).
    Table(Arc<Table>),
}

/// A motor that acts in a mechanism.
#[derive(Clone, Debug)]
pub struct MotorAction {
    gauge: usize,
    factor: f64,
    command: Program,
    torque: Torque,
    /// N
    gear: f64,
}

impl MotorAction {
    /// Q and q̇.
    fn effort(&self, at: &At<'_>, scratch: &mut Scratch) -> (f64, f64) {
        let q = at.interactions.gauges[self.gauge].jet(at.scene.bodies, at.scene.hints) * self.factor;
        let locals = [q.x, q.d];
        let command = self.command.eval(&At { locals: &locals, ..*at }, scratch);
        // what is not a number stays so
        let c = if command > 1.0 { 1.0 } else { command };
        let c = if c < -1.0 { -1.0 } else { c };
        let speed = self.gear * q.d; // (E1)
        let torque = match &self.torque {
            Torque::Linear(stall_torque, no_load_speed) => stall_torque * (c - speed / no_load_speed), // (E2)
            Torque::Table(curve) => {
                c * curve.eval(speed * c.signum()).map_or(f64::NAN, |[value, ..]| value) // (E3)
            }
        };
        (self.gear * torque, q.d) // (E4)
    }
}

impl Law for MotorAction {
    fn apply(&self, at: &At<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let (u, v) = self.effort(at, scratch);
        let gauge = &at.interactions.gauges[self.gauge];
        gauge.pull(at.scene.bodies, at.scene.hints, u * self.factor, pulls);
        Effect { power: u * v, potential: 0.0 }
    }

    fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        let effort =
            if interactions.gauges[self.gauge].is_angle() { ("torque", "N m") } else { ("force", "N") };
        vec![effort, ("speed", "rad/s"), ("power", "W")]
    }

    fn outputs(&self, at: &At<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let (u, v) = self.effort(at, scratch);
        out.extend([u, self.gear * v, u * v]);
    }

    fn programs(&self) -> Vec<&Program> {
        vec![&self.command]
    }

    fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        interactions.gauges[self.gauge].bodies()
    }
}
