//! Quantities that depend on positions alone, with their gradients: what poses aim at and maps run over.
//!
//! A quantity is a formula of readings, g = f(r_1(q), r_2(q), …). With the twists that a unit of each change z_k gives the bodies,
//!
//! ```text
//!   (P1)  ∂r/∂z_k = ṙ for these twists             coordinate functions and points have rates of their own
//!   (P2)  roll = atan2(R₂₁, R₂₂), pitch = −asin R₂₀, yaw = atan2(R₁₀, R₀₀),  Ṙ = ω × R
//!   (P3)  ∂g/∂z_k = Σ ∂f/∂r_i ∂r_i/∂z_k
//! ```
//!
//! Measures are such formulas again. What depends on velocities, forces or contacts is refused by name.

use super::configuration::Configuration;
use crate::expressions::units::{self, Dims};
use crate::expressions::{Expression, quantity};
use crate::interactions::{BodyIndex, BodyPoint, CoordinateFunction, Motion, Slot, angle_at, motion_of};
use crate::linalg::jet::Jet;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Vec3, cross, norm};
use crate::mechanism::Mechanism;
use crate::model::{BodyReading, Formula, JointReading, PointFunction, PointReading, Reading, Readings};
use std::f64::consts::{PI, TAU};

const LENGTH: Dims = Dims::new(1, 0, 0);

/// A quantity, bound to a mechanism.
#[derive(Clone, Debug)]
pub(super) struct PositionQuantity {
    /// As the user names it.
    pub name: String,
    formula: Formula,
    terms: Vec<Term>,
    /// What it counts in; `None` if nothing tells.
    pub dims: Option<Dims>,
    /// Whether it is an angle that whole turns do not change.
    pub wraps: bool,
}

/// A reading.
#[derive(Clone, Debug)]
enum Term {
    Time,
    /// A variable of the state.
    Variable(usize),
    /// A component of a point, and that of the origin.
    Position(BodyPoint, usize, f64),
    /// A coordinate function times a factor, and the coordinate of the tree that counts its turns, with its sign.
    Function(CoordinateFunction, f64, Option<(usize, f64)>),
    AngleAt([BodyPoint; 3], bool),
    Attitude(BodyIndex, usize),
    Quaternion(BodyIndex, usize),
    Measure(Box<PositionQuantity>),
}

impl PositionQuantity {
    /// A quantity of a mechanism from the text of an expression.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(configuration: &Configuration<'_>, text: &str) -> Result<Self, String> {
        let mechanism = configuration.mechanism;
        // as in results; expressions call a measure by its name alone
        let text = &text.replace("measure.", "");
        let formula = Formula::parse(text).map_err(|error| error.to_string())?;
        let (formula, readings) =
            Readings::new(mechanism.model()).resolve(&formula, &[]).map_err(|error| error.to_string())?;
        if readings.is_empty() {
            return Err(format!("`{text}` reads nothing of the mechanism"));
        }
        let terms: Vec<Term> =
            readings.iter().map(|reading| term(configuration, reading)).collect::<Result<_, _>>()?;
        let dims = dims_of(text, &terms);
        let counts = mechanism.interactions().hints > 0;
        let wraps = !counts
            && formula.steps().len() == 1
            && matches!(&terms[..], [Term::Function(gauge, ..)] if matches!(gauge, CoordinateFunction::Angle { .. }));
        Ok(PositionQuantity { name: text.trim().to_owned(), formula, terms, dims, wraps })
    }

    /// A coordinate of a joint, by its place in the mechanism's lists.
    pub fn of_joint(configuration: &Configuration<'_>, joint: usize, index: usize) -> Option<Self> {
        let number = if index == 0 { String::new() } else { (index + 1).to_string() };
        let name = configuration.mechanism.joints().get(joint)?.name.clone();
        let term = joint_term(configuration, joint, index)?;
        let dims = Some(term.dims()?);
        let formula = Formula::parse("x").ok()?;
        Some(PositionQuantity {
            name: format!("joint.{name}.q{number}"),
            formula,
            terms: vec![term],
            dims,
            wraps: false,
        })
    }

    /// What counts as large: the size of the mechanism for lengths, one radian for angles.
    pub fn scale(&self, size: f64) -> f64 {
        match self.dims {
            Some(Dims { m, kg: 0, s: 0 }) => size.powi(m.into()),
            _ => 1.0,
        }
    }

    /// Its SI unit, as far as it is an angle or a length.
    pub fn unit(&self) -> &'static str {
        match self.dims {
            Some(Dims::NONE) => "rad",
            Some(dims) if dims == LENGTH => "m",
            _ => "",
        }
    }

    /// Whether it is an angle or a number.
    pub fn is_angle(&self) -> bool {
        self.dims == Some(Dims::NONE)
    }

    /// The coordinate of the tree that it is, and its sign; `None` where it is none.
    pub fn tree_coordinate(&self) -> Option<(usize, f64)> {
        match &self.terms[..] {
            [Term::Function(_, factor, Some((k, sign)))]
                if self.formula.steps().len() == 1 && factor.abs() == 1.0 =>
            {
                Some((*k, sign * factor))
            }
            _ => None,
        }
    }

    /// Its value, SI units. Angles that nothing counts lie within half a turn of `near`.
    pub fn value(&self, at: &Configuration<'_>, near: f64) -> f64 {
        let values: Vec<f64> = self.terms.iter().map(|term| term.value(at, near)).collect();
        self.formula.eval(&values, &mut Vec::new())
    }

    /// How far it is from a value; angles that whole turns do not change take the shorter way.
    pub fn off(&self, at: &Configuration<'_>, wanted: f64) -> f64 {
        let off = self.value(at, wanted) - wanted;
        if self.wraps { off - TAU * (off / TAU).round() } else { off }
    }

    /// (P3), with the rates of the bodies for each change ([`Configuration::body_rates`]).
    pub fn gradient(&self, at: &Configuration<'_>, rates: &[[f64; 6]]) -> Vec<f64> {
        let n = at.freedoms_of_tree();
        let values: Vec<f64> = self.terms.iter().map(|term| term.value(at, 0.0)).collect();
        let mut jets: Vec<Jet> = values.iter().map(|&x| Jet::from(x)).collect();
        let (mut out, mut stack) = (vec![0.0; n], Vec::new());
        for (i, term) in self.terms.iter().enumerate() {
            jets[i].d = 1.0;
            let part = self.formula.eval_jet(&jets, &mut stack).d;
            jets[i].d = 0.0;
            if part != 0.0 {
                let of_term = term.gradient(at, rates);
                out.iter_mut().zip(&of_term).for_each(|(out, d)| *out += part * d);
            }
        }
        out
    }
}

/// The dimension of an expression from those of its terms.
fn dims_of(text: &str, terms: &[Term]) -> Option<Dims> {
    let expression = Expression::compile(text).ok()?;
    let lookup = |i: usize| match terms.get(i).and_then(Term::dims) {
        Some(dims) => quantity::State::Reading(dims),
        None => quantity::State::Unknown,
    };
    quantity::dimension(&expression, lookup, |_| [quantity::State::Unknown; 2]).ok()?.measured()
}

/// Where a named point is attached.
fn spot(configuration: &Configuration<'_>, index: usize) -> Result<BodyPoint, String> {
    let mechanism = configuration.mechanism;
    let name = &mechanism.model().points[index].name;
    let point = mechanism.points().iter().find(|point| point.name == *name);
    let node = point.ok_or_else(|| format!("no body holds the point `{name}`"))?.node;
    Ok(mechanism.spot(configuration.system.home(node).0, node))
}

fn joint_term(configuration: &Configuration<'_>, joint: usize, index: usize) -> Option<Term> {
    let mechanism = configuration.mechanism;
    let coordinate = mechanism.joints().get(joint)?.coordinates.get(index)?;
    let gauge = mechanism.interactions().gauges[coordinate.gauge].clone();
    let counts = configuration.system.tree_coordinate_of(joint, index);
    Some(Term::Function(gauge, coordinate.factor, counts))
}

fn term(configuration: &Configuration<'_>, reading: &Reading) -> Result<Term, String> {
    let mechanism = configuration.mechanism;
    let origin = mechanism.model().origin;
    let centre = |body: usize| BodyPoint { body: Some(body), s: [0.0; 3] };
    let moves = |what: &str| Err(format!("{what} depends on more than positions: it is nothing to aim at"));
    Ok(match reading {
        Reading::Time => Term::Time,
        Reading::Measure(i) => Term::Measure(Box::new(measure(configuration, *i)?)),
        Reading::Input(i) => Term::Variable(mechanism.interactions().inputs[*i].first),
        Reading::Point { index, what: PointReading::Position(c) } => {
            Term::Position(spot(configuration, *index)?, *c, origin[*c])
        }
        Reading::Body { index, what } => match what {
            BodyReading::Position(c) => Term::Position(centre(*index), *c, origin[*c]),
            BodyReading::Angle => {
                let gauge = CoordinateFunction::turn(None, Some(*index), [0.0, 0.0, 1.0], None);
                Term::Function(gauge, 1.0, None)
            }
            BodyReading::Roll => Term::Attitude(Some(*index), 0),
            BodyReading::Pitch => Term::Attitude(Some(*index), 1),
            BodyReading::Yaw => Term::Attitude(Some(*index), 2),
            BodyReading::Quaternion(c) => Term::Quaternion(Some(*index), *c),
            _ => return moves("this reading of a body"),
        },
        Reading::Joint { name, what: JointReading::Coordinate(i) } => {
            let joint = mechanism.joints().iter().position(|joint| joint.name == *name);
            let near = || mechanism.joint_names_like(name).map_or(String::new(), |help| format!(" ({help})"));
            let joint = joint.ok_or_else(|| format!("there is no joint `{name}`{}", near()))?;
            joint_term(configuration, joint, *i).ok_or_else(|| {
                let count = mechanism.joints()[joint].coordinates.len();
                format!("joint `{name}` has {count} coordinates, not a coordinate {}", i + 1)
            })?
        }
        Reading::Between { function, points } => {
            let spots: Vec<BodyPoint> =
                points.iter().map(|&p| spot(configuration, p)).collect::<Result<_, _>>()?;
            match (function, &spots[..]) {
                (PointFunction::Distance, &[from, to]) => {
                    Term::Function(CoordinateFunction::Distance { from, to }, 1.0, None)
                }
                (PointFunction::Angle, &[p, q, r]) => Term::AngleAt([p, q, r], mechanism.columns() == 2),
                _ => return moves("a speed or a rate"),
            }
        }
        Reading::Point { .. } => return moves("a velocity or an acceleration of a point"),
        Reading::Joint { .. } => return moves("a rate, force or moment of a joint"),
        _ => return moves("an output of an element, a state or a contact"),
    })
}

/// A measure of the model, if it depends on positions alone.
fn measure(configuration: &Configuration<'_>, index: usize) -> Result<PositionQuantity, String> {
    let mechanism: &Mechanism = configuration.mechanism;
    let interactions = mechanism.interactions();
    let measure = &interactions.measures[index];
    let refuse =
        || format!("the measure `{}` depends on more than positions: it is nothing to aim at", measure.name);
    let term = |slot: &Slot| -> Result<Term, String> {
        Ok(match slot {
            Slot::Time => Term::Time,
            Slot::Variable(i) => Term::Variable(*i),
            Slot::Position(spot, c, origin) => Term::Position(*spot, *c, *origin),
            Slot::CoordinateFunction(g, factor) => {
                Term::Function(interactions.gauges[*g].clone(), *factor, None)
            }
            Slot::AngleAt(spots, planar) => Term::AngleAt(*spots, *planar),
            Slot::Attitude(body, c) => Term::Attitude(*body, *c),
            Slot::Quaternion(body, c) => Term::Quaternion(*body, *c),
            Slot::Measure(i) => Term::Measure(Box::new(self::measure(configuration, *i)?)),
            _ => return Err(refuse()),
        })
    };
    let terms: Vec<Term> = measure.program.slots().iter().map(term).collect::<Result<_, _>>()?;
    let dims = units::parse(&measure.unit).map(|(_, dims)| dims);
    let formula = measure.program.formula().clone();
    Ok(PositionQuantity {
        name: format!("measure.{}", measure.name),
        dims: dims.or_else(|| dims_of(formula.text(), &terms)),
        formula,
        terms,
        wraps: false,
    })
}

impl Term {
    fn dims(&self) -> Option<Dims> {
        match self {
            Term::Position(..) => Some(LENGTH),
            Term::Function(gauge, ..) if gauge.is_angle() => Some(Dims::NONE),
            Term::Function(CoordinateFunction::Cosine { .. }, ..) => None,
            Term::Function(..) => Some(LENGTH),
            Term::AngleAt(..) | Term::Attitude(..) | Term::Quaternion(..) => Some(Dims::NONE),
            Term::Measure(quantity) => quantity.dims,
            Term::Time => Some(Dims::new(0, 0, 1)),
            Term::Variable(_) => None,
        }
    }

    fn value(&self, at: &Configuration<'_>, near: f64) -> f64 {
        let bodies = &at.motions;
        let interactions = at.mechanism.interactions();
        match self {
            Term::Time => at.at.t,
            Term::Variable(i) => {
                at.at.auxiliary.get(interactions.variables_at() + i).copied().unwrap_or(f64::NAN)
            }
            Term::Position(spot, c, origin) => spot.at(bodies).r[*c] + origin,
            Term::Function(gauge, factor, counts) => {
                let value = gauge.jet(bodies, &at.at.auxiliary[..interactions.hints]).x * factor;
                match gauge {
                    CoordinateFunction::Angle { hint: None, .. } => {
                        let counted = counts.map_or(near, |(k, sign)| sign * at.at.q[k]);
                        let turn = TAU * factor.abs();
                        value + turn * ((counted - value) / turn).round()
                    }
                    _ => value,
                }
            }
            Term::AngleAt(spots, planar) => angle_at(spots, *planar, bodies).0,
            Term::Attitude(body, c) => {
                let r = &motion_of(bodies, *body).turned;
                match c {
                    0 => r[2][1].atan2(r[2][2]),
                    1 => (-r[2][0]).clamp(-1.0, 1.0).asin(),
                    _ => r[1][0].atan2(r[0][0]),
                }
            }
            Term::Quaternion(body, c) => quaternion::of_matrix(&motion_of(bodies, *body).turned)[*c],
            Term::Measure(quantity) => quantity.value(at, near),
        }
    }

    /// (P1), (P2)
    fn gradient(&self, at: &Configuration<'_>, rates: &[[f64; 6]]) -> Vec<f64> {
        let n = at.freedoms_of_tree();
        let hints = &at.at.auxiliary[..at.mechanism.interactions().hints];
        match self {
            Term::Time | Term::Variable(_) => vec![0.0; n],
            Term::Measure(quantity) => quantity.gradient(at, rates),
            Term::Attitude(body, c) => of_twists(*body, rates, n, |w| turned_rate(at, *body, *c, w)),
            Term::Quaternion(body, c) => {
                let q = quaternion::of_matrix(&motion_of(&at.motions, *body).turned);
                of_twists(*body, rates, n, |w| quaternion::rate(&q, w)[*c])
            }
            Term::Position(spot, c, _) => along(at, rates, n, |bodies| spot.at(bodies).v[*c]),
            Term::Function(gauge, factor, _) => {
                along(at, rates, n, |bodies| gauge.jet(bodies, hints).d * factor)
            }
            Term::AngleAt(spots, planar) => along(at, rates, n, |bodies| angle_at(spots, *planar, bodies).1),
        }
    }
}

/// The rate of a reading for a unit of each change.
fn along(at: &Configuration<'_>, rates: &[[f64; 6]], n: usize, rate: impl Fn(&[Motion]) -> f64) -> Vec<f64> {
    let count = at.motions.len();
    let mut moving = at.motions.clone();
    let one = |k: usize| {
        for (motion, [v0, v1, v2, w0, w1, w2]) in moving.iter_mut().zip(&rates[k * count..(k + 1) * count]) {
            (motion.v, motion.w) = ([*v0, *v1, *v2], [*w0, *w1, *w2]);
        }
        rate(&moving)
    };
    (0..n).map(one).collect()
}

/// A reading of the angular velocity of a body for a unit of each change.
fn of_twists(body: BodyIndex, rates: &[[f64; 6]], n: usize, rate: impl Fn(Vec3) -> f64) -> Vec<f64> {
    let Some(body) = body else { return vec![0.0; n] };
    let count = rates.len() / n.max(1);
    (0..n)
        .map(|k| {
            let [.., w0, w1, w2] = rates[k * count + body];
            rate([w0, w1, w2])
        })
        .collect()
}

/// (P2)
fn turned_rate(at: &Configuration<'_>, body: BodyIndex, c: usize, w: Vec3) -> f64 {
    let r = &motion_of(&at.motions, body).turned;
    let column = |j: usize| -> (Vec3, Vec3) {
        let now = [r[0][j], r[1][j], r[2][j]];
        (now, cross(w, now))
    };
    let ratio = |y: f64, x: f64, y_dot: f64, x_dot: f64| {
        let square = x * x + y * y;
        if square > 0.0 { (x * y_dot - y * x_dot) / square } else { 0.0 }
    };
    match c {
        0 => {
            let ((_, y_dot), (_, x_dot)) = (column(1), column(2));
            ratio(r[2][1], r[2][2], y_dot[2], x_dot[2])
        }
        1 => {
            let (_, rate) = column(0);
            let level = norm([r[0][0], r[1][0], 0.0]);
            if level > 0.0 { -rate[2] / level } else { 0.0 }
        }
        _ => {
            let (_, rate) = column(0);
            ratio(r[1][0], r[0][0], rate[1], rate[0])
        }
    }
}

/// A number of an expression that reads nothing, in SI units, and its dimension if it has a unit.
pub(super) fn number(text: &str) -> Result<(f64, Option<Dims>), String> {
    let formula = Formula::parse(text).map_err(|error| error.to_string())?;
    let value = formula.is_constant().filter(|value| value.is_finite());
    let value = value.ok_or_else(|| format!("`{}` is no number", text.trim()))?;
    let unknown = quantity::State::Unknown;
    let state = Expression::compile(text)
        .and_then(|expression| quantity::dimension(&expression, |_| unknown, |_| [unknown; 2]));
    Ok((value, state.map_err(|problem| problem.message)?.measured()))
}

/// Angles in degrees and lengths in metres, for people.
pub(super) fn shown(value: f64, dims: Option<Dims>) -> String {
    match dims {
        Some(Dims::NONE) => format!("{} deg", rounded(value * 180.0 / PI)),
        Some(dims) if dims == LENGTH => format!("{} m", rounded(value)),
        _ => rounded(value),
    }
}

/// Six digits.
fn rounded(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) {
        let digits = if x == 0.0 { 0 } else { (5 - x.abs().log10().floor() as i32).max(0) };
        let text = format!("{x:.*}", digits as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{x:.3e}")
    }
}
