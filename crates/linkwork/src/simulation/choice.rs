//! Which integrator runs a mechanism, and its stepper.
//!
//! `auto` looks at the mechanism at its start:
//!
//! 1. it has beams, whose axial waves are faster by far than their bending: `esdirk4` in point coordinates, `index3` if a fixed `step` was given, `radau5` in
//!    other coordinates and with contacts;
//! 2. modes of deformable bodies swing so fast that nobody wants to follow them: `bdf`, or `index3` where a step is given;
//! 3. a fixed `step` was given: the classical Runge–Kutta method with that step; something decays so fast that explicit methods would take [`MANY_STEPS`] steps for
//!    stability alone: `radau5`;
//! 4. point coordinates and forces that have power series: `taylor`;
//! 5. everything else: `dop853`.
//!
//! What shows later only is noticed on the way (`stiffness`).
//!
//! How fast the fastest mode decays comes from a few power iterations with differences of y'. An oscillation that is fast but
//! not damped does not count: whoever asks for a small error wants to see it, and then explicit steps are no longer than
//! implicit ones.

use super::narrow::NarrowWatch;
use super::summary::Fallback;
use crate::formulations::{Formulate, Points, recursive};
use crate::integrate::{Limits, Options, Stepper, taylor_order};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Formulation, Integrator, Settings};
use crate::recursive::lane::PACK;

/// Explicit steps that stability alone may ask for before an implicit method is taken.
const MANY_STEPS: f64 = 20_000.0;
/// An explicit step may be about this long, in time constants of the fastest decay.
const STABLE: f64 = 6.0;
/// Radians of the fastest mode of a modal body beyond which a run does not follow it.
const MANY_RADIANS: f64 = 2e4;
/// Power iterations.
const ITERATIONS: usize = 12;
/// States beyond this are too many for a dense Jacobian on a suspicion at the start.
const MOST_STATES: usize = 400;

/// What runs.
pub(super) struct Choice {
    pub stepper: Stepper,
    /// What it is, never `auto`.
    pub integrator: Integrator,
    /// Why `auto` took it.
    pub why: Option<String>,
    /// Why it is not what the settings name.
    pub fallback: Option<Fallback>,
}

impl Integrator {
    /// What keeps it from running a mechanism.
    pub fn objection(self, mechanism: &Mechanism) -> Option<Fault> {
        if self == Integrator::Moreau && !mechanism.has_contacts() {
            let message = "`moreau` steps over contacts, and the model has none";
            return Some(Fault::error("simulation.integrator", message).help("take `auto`"));
        }
        // settings may have been exchanged since the contacts were listed
        if mechanism.model.settings.contacts_are_events() && !mechanism.crowds.is_empty() {
            let message = "the contacts were assembled for time steps, and cannot be events now";
            let help = "assemble the model with these settings";
            return Some(Fault::error("simulation.contact_method", message).help(help));
        }
        if let Some(why) = &mechanism.only_steps
            && mechanism.model.settings.contacts_are_events()
        {
            let message = format!("contacts cannot be events: {why}");
            let help = "take `contact_method = \"auto\"` or `\"steps\"`, and leave `integrator` out";
            return Some(Fault::error("simulation.contact_method", message).help(help));
        }
        // `taylor` steps back by itself; formulations say whether they suit
        let knows = !self.facts().needs_points || self == Integrator::Taylor;
        let what = match () {
            () if knows => return None,
            () if mechanism.has_contacts() => "contacts".to_owned(),
            () if mechanism.interactions.variables_move() => {
                "states, integrals of controllers, and inputs that are not held between changes".to_owned()
            }
            () => {
                if let Some(inertia) = mechanism.joint_inertias.first() {
                    let joint = &mechanism.joints[inertia.joint].name;
                    format!("inertias of joints, as `{joint}` has one")
                } else {
                    let body = &mechanism.bodies[mechanism.masses.first()?.body].name;
                    format!("masses that vary, as that of `{body}` does")
                }
            }
        };
        let message = format!("`{}` knows nothing of {what}", self.name());
        let help = "take `dop853`, `dopri5`, `radau5` or `rk4`";
        Some(Fault::error("simulation.integrator", message).help(help))
    }
}

/// Errors of joint variables add up along a chain, and those of an angle are not measured against the size of anything: `recursive`
/// works with this part of the tolerance, which keeps points and energies as well as `points` keeps them with all of it.
pub(super) const JOINT_SHARE: f64 = 0.1;

/// Times the ratio of masses: how large a relative error of the accelerations of a tree may get by roundings.
const ROUNDING: f64 = 2e-15;

/// A tree of so many bodies is small,
const FEW_BODIES: usize = 3;
/// and a tolerance up to this tight.
const TIGHT: f64 = 1e-10;

/// Equations of cut joints beyond which their dense matrix costs more than point coordinates do.
const MANY_CUT_ROWS: usize = 64;

impl Mechanism {
    /// The formulation that runs, never `auto`, and why it was chosen where the settings leave it open:
    ///
    /// 1. an integrator that needs points, or has sparse equations there, gets `points`; so do beams;
    /// 2. light bodies that carry heavy ones, so heavy that roundings would be larger than the tolerance, are left to `points`;
    /// 3. so are more than 64 equations of loops;
    /// 4. up to three bodies in a tree that move by themselves under forces that have power series are left to `points` at tight
    ///    tolerances, unless time steps over contacts move them: `taylor` keeps their energies and momenta ten times better there than `dop853` does in joint variables, in no more time;
    /// 5. all other trees are `recursive`;
    /// 6. loops that move by themselves under forces that have power series are left to `points`, where `taylor` takes long steps
    ///    and passes singular positions well;
    /// 7. all other loops are `recursive`: driven ones, whose steps follow the driver, and those without power series.
    pub fn formulation(&self) -> (Formulation, Option<String>) {
        let settings = &self.model.settings;
        // a particle alone has no rod yet: the coordinates of node 0 are those of a point
        let lone = self.origin.is_some() && self.bodies.iter().all(|b| b.nodes.len() == 1);
        if settings.formulation == Formulation::Kane && lone {
            return (Formulation::Points, Some("no rod has come out yet".into()));
        }
        if settings.formulation != Formulation::Auto {
            return (settings.formulation, None);
        }
        if settings.integrator.facts().needs_points {
            let why = format!("`{}` works on the equations of point coordinates", settings.integrator.name());
            return (Formulation::Points, Some(why));
        }
        if !self.modal_bodies.is_empty() {
            let why = "the mass matrix of modal bodies is constant in point coordinates";
            return (Formulation::Points, Some(why.into()));
        }
        // what has no constant mass matrix is solved by dense matrices, which are smaller in joint variables
        let constant = self.has_constant_masses();
        if !self.beams.is_empty() && constant && settings.integrator == Integrator::Auto {
            let why = "the equations of beams are sparse in point coordinates";
            return (Formulation::Points, Some(why.into()));
        }
        if settings.integrator == Integrator::Bdf && constant {
            return (
                Formulation::Points,
                Some("the equations of `bdf` are sparse in point coordinates".into()),
            );
        }
        let masses = || self.bodies.iter().map(|b| b.particles.properties.mass).filter(|&m| m > 0.0);
        let ratio = masses().fold(0.0, f64::max) / masses().fold(f64::INFINITY, f64::min);
        if ROUNDING * ratio > settings.tolerance {
            return (Formulation::Points, Some(format!("the masses differ by a factor of {ratio:.0e}")));
        }
        let rows = recursive::cut_rows(self);
        let points = |why: String| (Formulation::Points, Some(why));
        let recursive = |why: &str| (Formulation::Recursive, Some(why.to_string()));
        if rows > MANY_CUT_ROWS {
            return points(format!("loops make {rows} equations among the joints"));
        }
        if rows == 0 {
            let free = settings.integrator == Integrator::Auto
                && settings.step.is_none()
                && self.steps_from_start().is_none()
                && !self.timing.depends;
            let fine = settings.tolerance <= TIGHT && self.bodies.len() <= FEW_BODIES;
            if free && fine && self.has_series() {
                return points("a few bodies, and all forces have power series".into());
            }
            return recursive("the joints form a tree");
        }
        if self.timing.depends {
            return recursive(match self.model.drivers.is_empty() {
                true => "few loops, and forces that depend on the time",
                false => "few loops, and they are driven",
            });
        }
        match self.has_series() {
            true => points("loops, and all forces have power series".into()),
            false => recursive("few loops, and no power series"),
        }
    }

    /// Whether the equations of point coordinates have a constant mass matrix, and no contacts.
    fn has_constant_masses(&self) -> bool {
        !self.has_contacts() && self.masses.is_empty() && self.joint_inertias.is_empty()
    }

    /// Whether all forces have power series.
    fn has_series(&self) -> bool {
        self.joint_inertias.is_empty() && Points::has_series(self, series_order(&self.model.settings))
    }
}

/// The stepper for a run, and what it is. `kept`: what an earlier stage took and why.
pub(super) fn choose<F: Formulate>(
    mechanism: &Mechanism,
    formulation: Formulation,
    system: &mut F,
    y: &[f64],
    kept: Option<&(Integrator, Option<String>)>,
) -> Choice {
    let settings = &mechanism.model.settings;
    let auto = settings.integrator == Integrator::Auto;
    let steps = mechanism.steps_from_start();
    let (wanted, mut why) = match (auto, kept) {
        (_, Some(kept)) if kept.0 == Integrator::Moreau => kept.clone(),
        (_, kept) if steps.is_some() && (kept.is_none() || mechanism.only_steps.is_some()) => {
            (Integrator::Moreau, steps.filter(|_| auto))
        }
        (true, Some(kept)) => kept.clone(),
        (true, None) => match of_beams(mechanism, formulation).or_else(|| modal(mechanism, formulation)) {
            Some((integrator, why)) => (integrator, Some(why)),
            None => automatic(settings, formulation, system, y),
        },
        (false, _) => (settings.integrator, None),
    };
    let (integrator, fallback) = match wanted {
        Integrator::Taylor => match system.begin_series(series_order(settings)) {
            Ok(()) => (wanted, None),
            Err(reasons) if auto => {
                why = reasons
                    .first()
                    .map(|reason| format!("`{}` has no power series: {}", reason.element, reason.why));
                (Integrator::Dop853, None)
            }
            Err(reasons) => (Integrator::Dop853, Some(Fallback { integrator: Integrator::Dop853, reasons })),
        },
        _ => (wanted, None),
    };
    Choice {
        stepper: match integrator {
            Integrator::Moreau => contact_stepper(mechanism, system.dimension()),
            _ => stepper_of(mechanism, formulation, integrator, system.dimension()),
        },
        integrator,
        why,
        fallback,
    }
}

/// The stepper of eight mechanisms side by side, of dimension `n` together: that of the first one's own run, if it is explicit and each
/// component goes its own way in it. Under error control only where a shared step is wanted; its tolerance is then tighter, so that
/// the error of each lane alone, a mean of squares over an eighth of the components, meets the tolerance as well.
pub(crate) fn lane_stepper<F: Formulate>(
    mechanism: &Mechanism,
    system: &mut F,
    y: &[f64],
    n: usize,
    lockstep: bool,
) -> Option<Stepper> {
    let settings = &mechanism.model.settings;
    let fixed = settings.fixed_step().is_some();
    // steps that are shared cannot be looked into for each alone
    if !fixed && (!lockstep || !NarrowWatch::new(mechanism).is_idle()) {
        return None;
    }
    let integrator = match settings.integrator {
        Integrator::Auto => automatic(settings, Formulation::Recursive, system, y).0,
        given => given,
    };
    let tolerance = JOINT_SHARE * settings.tolerance;
    let tolerance = if fixed { tolerance } else { tolerance / (PACK as f64).sqrt() };
    let stepper = stepper(integrator, settings, tolerance, n);
    stepper.is_componentwise().then(|| limited(stepper, mechanism, settings.integrator, None, 0))
}

/// The stepper of a method for `n` components in a formulation.
pub(super) fn stepper_of(
    mechanism: &Mechanism,
    formulation: Formulation,
    integrator: Integrator,
    n: usize,
) -> Stepper {
    let settings = &mechanism.model.settings;
    stepper(integrator, settings, formulation.share() * settings.tolerance, n)
}

/// The explicit method that suits a system under error control.
pub(super) fn explicit<F: Formulate>(
    settings: &Settings,
    formulation: Formulation,
    system: &mut F,
) -> Integrator {
    let series = formulation == Formulation::Points && system.begin_series(series_order(settings)).is_ok();
    if series { Integrator::Taylor } else { Integrator::Dop853 }
}

/// The stepper over contacts.
pub(super) fn contact_stepper(mechanism: &Mechanism, n: usize) -> Stepper {
    let step = mechanism.contact_step();
    match mechanism.contact_tolerance() {
        None => Stepper::moreau(n, step),
        Some(tolerance) => Stepper::moreau_within(n, tolerance, mechanism.shortest_contact_step(tolerance)),
    }
}

/// With the projection and the limits of a run that has taken some steps before.
pub(super) fn limited(
    stepper: Stepper,
    mechanism: &Mechanism,
    integrator: Integrator,
    first_step: Option<f64>,
    taken: u64,
) -> Stepper {
    let settings = &mechanism.model.settings;
    let (max_step, first) = match integrator {
        Integrator::Moreau => (mechanism.longest_contact_step(), Some(mechanism.contact_step())),
        _ => (mechanism.longest_step(), None),
    };
    stepper.with_projection(settings.projects()).with_limits(Limits {
        max_steps: settings.max_steps.saturating_sub(taken),
        max_step,
        first_step: first_step.or(first),
        ..Limits::default()
    })
}

pub(super) fn series_order(settings: &Settings) -> usize {
    settings.order.map_or_else(|| taylor_order(settings.tolerance), |order| order as usize)
}

fn stepper(integrator: Integrator, settings: &Settings, tolerance: f64, n: usize) -> Stepper {
    let options = Options {
        tolerance,
        step: settings.step.unwrap_or(settings.output_step),
        fixed: settings.step.is_some(),
        order: settings.order.map(|order| order as usize),
        series: series_order(settings),
        spectral_radius: settings.spectral_radius.unwrap_or(Settings::SPECTRAL_RADIUS),
    };
    let name = match integrator {
        Integrator::Auto => Integrator::Dop853.name(),
        given => given.name(),
    };
    Stepper::named(name, n, &options).expect("every integrator is a method of `integrate`, as a test says")
}

/// What suits fast modes of deformable bodies; `None` where there are none that matter.
fn modal(mechanism: &Mechanism, formulation: Formulation) -> Option<(Integrator, String)> {
    let settings = &mechanism.model.settings;
    let modes = mechanism.model.modal_bodies.iter().flat_map(|body| &body.basis.modes);
    let fastest = modes.map(|mode| mode.frequency).fold(0.0, f64::max);
    let why =
        format!("the fastest mode of a modal body is one of {:.1e} Hz", fastest / std::f64::consts::TAU);
    let constant = formulation == Formulation::Points && mechanism.has_constant_masses();
    match settings.step {
        Some(step) if fastest * step > 1.0 && constant => Some((Integrator::Index3, why)),
        None if fastest * settings.duration > MANY_RADIANS => match constant {
            true => Some((Integrator::Bdf, why)),
            false => Some((Integrator::Radau5, why)),
        },
        _ => None,
    }
}

/// What suits beams: explicit steps would follow waves along and across them, which nobody asks for.
fn of_beams(mechanism: &Mechanism, formulation: Formulation) -> Option<(Integrator, String)> {
    mechanism.beams.first()?;
    let settings = &mechanism.model.settings;
    let sparse = formulation == Formulation::Points && mechanism.has_constant_masses();
    let integrator = match (sparse && !mechanism.interactions.variables_move(), settings.step) {
        (true, None) => Integrator::Esdirk4,
        (true, Some(_)) => Integrator::Index3,
        (false, _) => Integrator::Radau5,
    };
    Some((integrator, "beams are stiff".into()))
}

/// What suits the mechanism, and why.
fn automatic<F: Formulate>(
    settings: &Settings,
    formulation: Formulation,
    system: &mut F,
    y: &[f64],
) -> (Integrator, Option<String>) {
    if let Some(step) = settings.step {
        return (Integrator::Rk4, Some(format!("a step of {step} s was given")));
    }
    let rate = fastest_decay(system, y);
    if rate * settings.duration > STABLE * MANY_STEPS && y.len() <= MOST_STATES {
        let why = format!("the motion is stiff: something decays within {:.1e} s", 1.0 / rate);
        return (Integrator::Radau5, Some(why));
    }
    match formulation {
        Formulation::Points => (Integrator::Taylor, Some("all forces have power series".into())),
        _ => (Integrator::Dop853, None),
    }
}

/// The rate of the fastest decay at the start, 1/s; 0 if the fastest mode oscillates or grows, or nothing is known.
fn fastest_decay<F: Formulate>(system: &mut F, y: &[f64]) -> f64 {
    let n = y.len();
    let mut scale = vec![1.0; n];
    system.error_scale(&mut scale);
    let counts: Vec<bool> = scale.iter().map(|s| s.is_finite() && *s > 0.0).collect();
    let (mut base, mut there, mut state) = (vec![0.0; n], vec![0.0; n], y.to_vec());
    if system.derivative(0.0, y, &mut base).is_err() {
        return 0.0;
    }
    // a direction with all modes in it
    let mut x: Vec<f64> =
        (0..n).map(|i| if counts[i] { scale[i] * (0.5 + (i as f64 * 0.618).fract()) } else { 0.0 }).collect();
    let norm = |x: &[f64]| {
        x.iter()
            .zip(&scale)
            .filter(|(_, s)| s.is_finite() && **s > 0.0)
            .map(|(x, s)| (x / s).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let mut rate = 0.0;
    for _ in 0..ITERATIONS {
        let size = norm(&x);
        if !(size > 0.0 && size.is_finite()) {
            return 0.0;
        }
        let step = 1e-7 / size;
        for i in 0..n {
            x[i] *= step;
            state[i] = y[i] + x[i];
        }
        if system.derivative(0.0, &state, &mut there).is_err() {
            return 0.0;
        }
        let (mut along, mut square) = (0.0, 0.0);
        let mut next = vec![0.0; n];
        for i in 0..n {
            if counts[i] {
                next[i] = there[i] - base[i];
                along += next[i] * x[i] / (scale[i] * scale[i]);
                square += (x[i] / scale[i]).powi(2);
            }
        }
        let growth = norm(&next) / norm(&x);
        // Rayleigh's quotient tells decay (−growth) from oscillation (0)
        rate = if along / square < -0.9 * growth { growth } else { 0.0 };
        x = next;
    }
    if rate.is_finite() { rate } else { 0.0 }
}
