//! Bodies whose mass varies with time.
//!
//!   (V1)  m(t) = M(t) − Σ J(t) / c        M: the body's law, or its mass at t = 0; J: impulse of each thruster on it, c: thrust per mass flow
//!
//! Centre of mass and radii of gyration stay, so that inertia goes with m. The compiled mass is that at one time t₀ (zero in an ordinary run), and
//! all that is said of a mass is expressed relative to it.

use super::Mechanism;
use crate::error::names::segment;
use crate::interactions::Burn;
use crate::linalg::jet::Jet;
use crate::model::{Fault, Formula, MIN_NUMBER, Model, Propellant, Readings, Thrust};
use std::sync::Arc;

/// The mass of a body over time.
#[derive(Clone, Debug)]
pub struct VaryingMass {
    /// The body.
    pub body: usize,
    /// The compiled mass, kg: that at t₀.
    pub base: f64,
    /// At t = 0, kg.
    start: f64,
    /// M of (V1), with its tables.
    law: Option<Formula>,
    /// Thrusters and 1/c of each, kg per N s.
    losses: Vec<(Arc<Burn>, f64)>,
}

/// A mass at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassNow {
    /// The body.
    pub body: usize,
    /// m, kg.
    pub mass: f64,
    /// ṁ, kg/s.
    pub rate: f64,
    /// m over the compiled mass.
    pub factor: f64,
    /// Its rate, 1/s.
    pub factor_rate: f64,
}

/// Times within the run at which masses are looked at before it.
const LOOKS: u32 = 1000;
/// A law may differ so much at t = 0 from the mass that the body has then.
const AGREES: f64 = 1e-9;

impl VaryingMass {
    /// (V1) and its rate: from the right where it has a corner.
    pub fn at(&self, t: f64, stack: &mut Vec<Jet>) -> MassNow {
        let law = self.law.as_ref().map(|law| law.eval_jet(&[Jet::time(t)], stack));
        let (mut mass, mut rate) = law.map_or((self.start, 0.0), |jet| (jet.x, jet.d));
        for (burn, per_impulse) in &self.losses {
            mass -= per_impulse * burn.delivered(t, stack);
            rate -= per_impulse * burn.thrust(t, stack);
        }
        let (factor, factor_rate) = (mass / self.base, rate / self.base);
        MassNow { body: self.body, mass, rate, factor, factor_rate }
    }

    fn edges(&self) -> impl Iterator<Item = f64> {
        self.law.iter().flat_map(Formula::time_edges).chain(self.losses.iter().flat_map(|(b, _)| b.edges()))
    }
}

impl Mechanism {
    /// The masses that vary, and how they stand to the compiled ones, in the order of [`Mechanism::masses`].
    pub fn masses_at(&self, t: f64, stack: &mut Vec<Jet>, out: &mut Vec<MassNow>) {
        out.clear();
        out.extend(self.masses.iter().map(|mass| mass.at(t, stack)));
    }

    /// Corners of masses and thrusters.
    pub(super) fn mass_edges(&self) -> impl Iterator<Item = f64> {
        let burns = self.burns.iter().flatten().flat_map(|burn| burn.edges());
        self.masses.iter().flat_map(VaryingMass::edges).chain(burns)
    }
}

/// What each thruster gives over time; nothing where that has no value, which is reported.
pub(super) fn burns(model: &Model, faults: &mut Vec<Fault>) -> Vec<Option<Arc<Burn>>> {
    let readings = Readings::new(model);
    let mut list = Vec::new();
    for thruster in &model.thrusters {
        let path = format!("thrusters.{}", segment(&thruster.name));
        let start = thruster.start;
        let burn = match &thruster.thrust {
            Thrust::Constant { impulse, burn_time } => {
                Some(Burn::constant(impulse / burn_time, start, *burn_time))
            }
            Thrust::Curve { impulse, curve } => {
                readings.table(curve).map(|table| Burn::curve(table.clone(), *impulse, start))
            }
            Thrust::Given { thrust, burn_time } => {
                let end = burn_time.map_or(f64::INFINITY, |time| start + time);
                let formula = readings.resolve(thrust, &[]).ok().map(|found| found.0);
                let burn = formula.map(|f| Burn::formula(f, start, end, model.settings.duration));
                burn.and_then(|burn| {
                    let tell = |t: &f64| {
                        let message = format!("the thrust has no finite value before t = {t} s");
                        faults.push(Fault::error(format!("{path}.thrust"), message));
                    };
                    burn.inspect_err(tell).ok()
                })
            }
        };
        if let Some(burn) = burn.as_ref().filter(|_| thruster.propellant != Propellant::None) {
            let (duration, mut stack) = (model.settings.duration, Vec::new());
            let looks = looks(duration, burn.edges().into_iter());
            if let Some(t) = looks.into_iter().find(|&t| burn.thrust(t, &mut stack) < 0.0) {
                let message = format!("the thrust is negative at t = {t:.6} s, but it takes mass");
                let help = "turn `direction` round, or leave `propellant` and `exhaust_velocity` out";
                faults.push(Fault::error(format!("{path}.thrust"), message).help(help));
            }
        }
        list.push(burn.map(Arc::new));
    }
    list
}

/// Times within the run, corners among them.
fn looks(duration: f64, corners: impl Iterator<Item = f64>) -> Vec<f64> {
    let even = (0..=LOOKS).map(|k| duration * f64::from(k) / f64::from(LOOKS));
    even.chain(corners.filter(|t| *t > 0.0 && *t < duration)).collect()
}

/// The bodies of varying mass; `start` has the mass of each body at t = 0. Masses that do not fit or do not stay above zero are reported.
pub(super) fn list(
    model: &Model,
    burns: &[Option<Arc<Burn>>],
    start: &[f64],
    t0: f64,
    faults: &mut Vec<Fault>,
) -> Vec<VaryingMass> {
    let readings = Readings::new(model);
    let mut list = Vec::new();
    for (b, body) in model.bodies.iter().enumerate() {
        let path = format!("bodies.{}.mass", segment(&body.name));
        let law = body.mass_law.as_ref().and_then(|law| readings.resolve(law, &[]).ok()).map(|found| found.0);
        let on_body = model.thrusters.iter().zip(burns).filter(|(thruster, _)| thruster.body == body.name);
        let losses = on_body.filter_map(|(thruster, burn)| {
            let burn = burn.as_ref()?;
            let per_impulse = thruster.propellant.per_impulse(burn);
            (per_impulse > 0.0).then(|| (burn.clone(), per_impulse))
        });
        let losses: Vec<_> = losses.collect();
        if law.is_none() && losses.is_empty() {
            continue;
        }
        let mut mass = VaryingMass { body: b, base: start[b], start: start[b], law, losses };
        let mut stack = Vec::new();
        let at_start =
            mass.law.as_ref().map_or(start[b], |law| law.eval_jet(&[Jet::time(0.0)], &mut stack).x);
        if (at_start - start[b]).abs() > AGREES * start[b].abs() || at_start.is_nan() {
            let message =
                format!("the law gives {at_start} kg at t = 0, but the body has {} kg then", start[b]);
            faults.push(Fault::error(path, message));
            continue;
        }
        let mut times = looks(model.settings.duration, mass.edges());
        times.push(t0);
        let bad = |t: f64| {
            let now = mass.at(t, &mut stack).mass;
            (!(now >= MIN_NUMBER && now.is_finite())).then_some((t, now))
        };
        if let Some((t, now)) = times.into_iter().filter_map(bad).min_by(|a, b| a.0.total_cmp(&b.0)) {
            faults.push(not_above_zero(path, &body.name, t, now, mass.law.as_ref()));
            continue;
        }
        mass.base = mass.at(t0, &mut stack).mass;
        list.push(mass);
    }
    list
}

fn not_above_zero(path: String, body: &str, t: f64, mass: f64, law: Option<&Formula>) -> Fault {
    let why = law.and_then(|law| law.trouble(&[Jet::time(t)]));
    match why {
        Some(why) => Fault::error(path, format!("the mass has no value at t = {t:.6} s: {}", why.message)),
        None => {
            let message =
                format!("the mass of `{body}` must stay above zero, at t = {t:.6} s it is {mass:.6} kg");
            Fault::error(path, message)
                .help("compare the mass at the start with what burns or flows off during the run")
        }
    }
}
