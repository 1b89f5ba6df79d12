//! Formulas at work: each name that a formula uses is bound to a number of the mechanism's state, once.

use super::Interactions;
use super::coupling::Scene;
use super::motion::{BodyIndex, BodyPoint, Motion, motion_of};
use super::motion::{Direction, dot_jets, sub_jets};
use crate::expressions::{Formula, FormulaError};
use crate::linalg::dual::Scalar;
use crate::linalg::jet::Jet;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Vec3, add, cross, dot, norm, sub};
use std::sync::Arc;

/// A number that a formula can use.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
    /// Time, s.
    Time,
    /// A number that whoever evaluates the formula hands over: the length of a spring, a place on the road.
    Local(usize),
    /// A component of a point's position, and that of the origin which it is relative to.
    Position(BodyPoint, usize, f64),
    /// A component of a point's velocity.
    Velocity(BodyPoint, usize),
    /// A component of a body's angular velocity.
    Turning(BodyIndex, usize),
    /// An angle of a body's orientation: roll about x, then pitch about y, then yaw about z, all fixed axes.
    Attitude(BodyIndex, usize),
    /// An entry of a body's quaternion (w, x, y, z).
    Quaternion(BodyIndex, usize),
    /// A coordinate function's value times a factor.
    CoordinateFunction(usize, f64),
    /// A coordinate function's rate times a factor.
    GaugeRate(usize, f64),
    /// Speed of a point.
    Speed(BodyPoint),
    /// Angle at the second of three points: in the plane (true) counter-clockwise, else from 0 to π.
    AngleAt([BodyPoint; 3], bool),
    /// Its rate.
    AngleRateAt([BodyPoint; 3], bool),
    /// Another measure.
    Measure(usize),
    /// A variable.
    Variable(usize),
    /// An output of an action that uses no formula itself: its number, and which.
    Output(usize, usize),
    /// What another module reads off the motions of the bodies.
    OfMotion(OfMotion),
    /// What is known only once accelerations and reactions are: its place in the list that the frame hands over.
    Late(usize),
}

/// A number that follows from where the bodies are and how they move, worked out by another module: the gap of a contact.
pub trait MotionReading: std::fmt::Debug + Send + Sync {
    /// Its value.
    fn value(&self, bodies: &[Motion]) -> f64;
}

/// A shared [`MotionReading`]; equal to itself only.
#[derive(Clone, Debug)]
pub struct OfMotion(pub Arc<dyn MotionReading>);

impl PartialEq for OfMotion {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What formulas are evaluated with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The lists that slots refer to.
    pub interactions: &'a Interactions,
    /// The instant.
    pub scene: &'a Scene<'a>,
    /// Values of the measures so far.
    pub measures: &'a [f64],
    /// Values of [`Slot::Local`].
    pub locals: &'a [f64],
    /// Values of [`Slot::Late`].
    pub late: &'a [f64],
}

impl Context<'_> {
    /// The value of a variable.
    pub fn variable(&self, variable: usize) -> f64 {
        let first = self.scene.holds.len().checked_sub(self.interactions.variables.len());
        first.map_or(f64::NAN, |first| self.scene.holds[first + variable])
    }
}

/// Buffers of evaluations.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    values: Vec<f64>,
    stack: Vec<f64>,
    /// Outputs of an action that is read.
    outputs: Vec<f64>,
    /// For formulas of time.
    pub jets: Vec<Jet>,
    /// Stresses that a law is to take in place of its own: see [`Law::foretell`](super::action::Law::foretell).
    pub(super) stresses: Vec<[f64; 6]>,
    /// Whether laws that have elements of a second kind take those.
    pub(super) second: bool,
}

/// A formula with its names bound.
#[derive(Clone, Debug)]
pub struct Program {
    formula: Formula,
    slots: Vec<Slot>,
}

impl Program {
    /// Binds the references of a formula, one slot for each.
    pub fn new(formula: Formula, slots: Vec<Slot>) -> Self {
        Program { formula, slots }
    }

    /// A number that never changes.
    pub fn constant(value: f64) -> Self {
        Program { formula: Formula::constant(value), slots: Vec::new() }
    }

    /// Adds the values of its names.
    pub fn read(&self, context: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        for slot in &self.slots {
            out.push(slot.value(context, &mut scratch.outputs));
        }
    }

    /// Its value.
    pub fn eval(&self, context: &Context<'_>, scratch: &mut Scratch) -> f64 {
        match self.formula.is_constant() {
            Some(value) => value,
            None => self.with_values(context, scratch, Formula::eval),
        }
    }

    /// How far it is from turning, as a condition ([`Formula::margin`]).
    pub fn margin(&self, context: &Context<'_>, scratch: &mut Scratch) -> f64 {
        self.with_values(context, scratch, Formula::margin)
    }

    #[inline]
    fn with_values(
        &self,
        context: &Context<'_>,
        scratch: &mut Scratch,
        of: fn(&Formula, &[f64], &mut Vec<f64>) -> f64,
    ) -> f64 {
        let mut values = std::mem::take(&mut scratch.values);
        values.clear();
        for slot in &self.slots {
            values.push(slot.value(context, &mut scratch.outputs));
        }
        let value = of(&self.formula, &values, &mut scratch.stack);
        scratch.values = values;
        value
    }

    /// Why it has no value, if so.
    pub fn trouble(&self, context: &Context<'_>) -> Option<FormulaError> {
        let mut outputs = Vec::new();
        let values = self.slots.iter().map(|slot| Jet::from(slot.value(context, &mut outputs)));
        self.formula.trouble(&values.collect::<Vec<_>>())
    }

    /// Its value with two derivatives by time, where all accelerations of bodies are zero: `None` if it is no function of where the bodies are. The time runs at the speed
    /// `clock`: with 0 the rate is linear in the velocities of the bodies.
    pub(crate) fn position_jet(&self, at: &Context<'_>, clock: f64, stack: &mut Vec<Jet>) -> Option<Jet> {
        let names = self.slots.iter().map(|slot| slot.position_jet(at, clock, stack));
        let names: Vec<Jet> = names.collect::<Option<_>>()?;
        Some(self.formula.eval_jet(&names, stack))
    }

    /// Whether it is an angle that is known up to whole turns only.
    pub(crate) fn turns(&self, interactions: &Interactions) -> bool {
        match self.slots[..] {
            [Slot::Measure(i)] if self.formula.is_name() => {
                interactions.measures[i].program.turns(interactions)
            }
            [Slot::Attitude(_, 0 | 2) | Slot::AngleAt(_, true)] => self.formula.is_name(),
            _ => self.formula.is_atan2(),
        }
    }

    /// Its formula.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The slots.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

/// A named reading of the model.
#[derive(Clone, Debug)]
pub struct MeasureProgram {
    /// Its name.
    pub name: String,
    /// Unit, for people.
    pub unit: String,
    /// How much it is in SI units.
    pub unit_size: f64,
    /// What it is.
    pub program: Program,
}

/// The angle at q between the lines to p and r, and its rate.
pub(crate) fn angle_at(spots: &[BodyPoint; 3], planar: bool, bodies: &[Motion]) -> (f64, f64) {
    let [p, q, r] = spots.map(|s| s.at(bodies));
    let (a, b) = (sub(p.r, q.r), sub(r.r, q.r));
    let (a_dot, b_dot) = (sub(p.v, q.v), sub(r.v, q.v));
    let normal = cross(a, b);
    let (y, x) = (if planar { normal[2] } else { norm(normal) }, dot(a, b));
    let x_dot = dot(a_dot, b) + dot(a, b_dot);
    let n_dot: Vec3 = add(cross(a_dot, b), cross(a, b_dot));
    let y_dot = match planar {
        true => n_dot[2],
        false if y > 0.0 => dot(normal, n_dot) / y,
        false => 0.0,
    };
    let square = x * x + y * y;
    let rate = if square > 0.0 { (x * y_dot - y * x_dot) / square } else { 0.0 };
    (y.atan2(x), rate)
}

/// The angle at q between the lines to p and r.
fn angle_jet(spots: &[BodyPoint; 3], planar: bool, bodies: &[Motion]) -> Jet {
    let [p, q, r] = spots.map(|spot| spot.at(bodies).jets());
    let (a, b) = (sub_jets(p, q), sub_jets(r, q));
    let normal: [Jet; 3] = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    });
    let y = if planar { normal[2] } else { dot_jets(normal, normal).sqrt() };
    y.atan2(dot_jets(a, b))
}

impl Slot {
    /// See [`Program::position_jet`].
    fn position_jet(&self, at: &Context<'_>, clock: f64, stack: &mut Vec<Jet>) -> Option<Jet> {
        let bodies = at.scene.bodies;
        Some(match self {
            Slot::Time => Jet::new(at.scene.t, clock, 0.0),
            Slot::Position(spot, c, origin) => spot.at(bodies).jets()[*c] + *origin,
            Slot::Attitude(body, c) => {
                let axis = |i: usize| {
                    let mut u = [0.0; 3];
                    u[i] = 1.0;
                    Direction { body: *body, u }.jets(bodies)
                };
                match c {
                    0 => axis(1)[2].atan2(axis(2)[2]),
                    1 => {
                        let [_, _, sine] = axis(0);
                        let slope = 1.0 / (1.0 - sine.x * sine.x).max(0.0).sqrt();
                        -sine.through(sine.x.clamp(-1.0, 1.0).asin(), slope, sine.x * slope.powi(3))
                    }
                    _ => axis(0)[1].atan2(axis(0)[0]),
                }
            }
            Slot::CoordinateFunction(g, w) => at.interactions.gauges[*g].jet(bodies, at.scene.hints) * *w,
            Slot::AngleAt(spots, planar) => angle_jet(spots, *planar, bodies),
            Slot::Measure(i) => at.interactions.measures[*i].program.position_jet(at, clock, stack)?,
            Slot::Variable(i) => Jet::from(at.variable(*i)),
            Slot::Local(_)
            | Slot::Velocity(..)
            | Slot::Turning(..)
            | Slot::Quaternion(..)
            | Slot::GaugeRate(..)
            | Slot::Speed(_)
            | Slot::AngleRateAt(..)
            | Slot::Output(..)
            | Slot::OfMotion(_)
            | Slot::Late(_) => return None,
        })
    }

    fn value(&self, at: &Context<'_>, outputs: &mut Vec<f64>) -> f64 {
        let bodies = at.scene.bodies;
        let gauge = |g: usize| at.interactions.gauges[g].jet(bodies, at.scene.hints);
        match self {
            Slot::Time => at.scene.t,
            Slot::Local(i) => at.locals.get(*i).copied().unwrap_or(f64::NAN),
            Slot::Position(spot, c, origin) => spot.at(bodies).r[*c] + origin,
            Slot::Velocity(spot, c) => spot.at(bodies).v[*c],
            Slot::Turning(body, c) => motion_of(bodies, *body).w[*c],
            Slot::Attitude(body, c) => {
                let r = &motion_of(bodies, *body).turned;
                match c {
                    0 => r[2][1].atan2(r[2][2]),
                    1 => (-r[2][0]).clamp(-1.0, 1.0).asin(),
                    _ => r[1][0].atan2(r[0][0]),
                }
            }
            Slot::Quaternion(body, c) => quaternion::of_matrix(&motion_of(bodies, *body).turned)[*c],
            Slot::CoordinateFunction(g, w) => gauge(*g).x * w,
            Slot::GaugeRate(g, w) => gauge(*g).d * w,
            Slot::Speed(spot) => norm(spot.at(bodies).v),
            Slot::AngleAt(spots, planar) => angle_at(spots, *planar, bodies).0,
            Slot::AngleRateAt(spots, planar) => angle_at(spots, *planar, bodies).1,
            Slot::Measure(i) => at.measures[*i],
            Slot::Variable(i) => at.variable(*i),
            Slot::Output(action, k) => {
                outputs.clear();
                at.interactions.actions[*action].action.plain_outputs(at.interactions, at.scene, outputs);
                outputs.get(*k).copied().unwrap_or(0.0)
            }
            Slot::OfMotion(reading) => reading.0.value(bodies),
            Slot::Late(i) => at.late.get(*i).copied().unwrap_or(0.0),
        }
    }
}
