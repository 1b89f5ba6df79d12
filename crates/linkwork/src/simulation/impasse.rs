//! Runs that end at a singular position: a dead centre that a driver cannot pass, drivers that contradict each other, or a motion that branches.
//!
//! Near such a position steps shrink, projections fail or leap, and velocities grow without bound, and each integrator gives up in its own words. The cause
//! is in the constraints: where a combination of their rows nearly vanishes ([`Dependence`]), with σ small against its value at the start. Its
//! rows name the drivers and the loop. The same is said in every formulation, since the rows are those of point coordinates.

use crate::formulations::tree::node_homes;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::StepError;
use crate::interactions::Motion;
use crate::linalg::vec3::{Vec3, add, apply, sub};
use crate::mechanism::{Dependence, Mechanism};

/// σ below this is a singular position, for a run whose steps shrink; one that fails with a given step may be some way off.
const SINGULAR: f64 = 0.02;
const BESIDE: f64 = 0.3;

/// What ended a run.
pub(super) struct Impasse {
    pub code: &'static str,
    pub message: String,
    pub advice: &'static str,
}

/// How near a run that ended with this error is to a singular position for that to be the cause; `None` if it cannot be.
pub(super) fn within(error: &StepError<MotionError>) -> Option<f64> {
    match error {
        StepError::StepTooSmall { .. }
        | StepError::TooManyRejections { .. }
        | StepError::TooManySteps { .. }
        | StepError::Branches { .. } => Some(SINGULAR),
        StepError::NotSolved { .. }
        | StepError::System {
            source: MotionError::NotConverged { .. } | MotionError::Jammed { .. }, ..
        } => Some(BESIDE),
        _ => None,
    }
}

/// As [`within`], of a run that no longer gets on.
pub(super) const STALLED: f64 = SINGULAR;

/// The singular position at a state, if there is one this near.
pub(super) fn find<F: Formulate>(
    mechanism: &Mechanism,
    system: &mut F,
    t: f64,
    y: &[f64],
    within: f64,
) -> Option<Impasse> {
    if y.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut motions = vec![Motion::FIXED; mechanism.bodies.len()];
    system.locate_bodies(y, &mut motions);
    let homes = node_homes(mechanism);
    let place = |&(body, x): &(Option<usize>, Vec3)| match body {
        None => x,
        Some(b) => {
            let arm = sub(x, mechanism.bodies[b].particles.properties.com);
            add(motions[b].c, apply(&motions[b].turned, arm))
        }
    };
    let r: Vec<Vec3> = homes.iter().map(place).collect();
    let auxiliary = y.get(system.work_index() + 1..).unwrap_or(&[]);
    if auxiliary.len() != mechanism.interactions.auxiliary() {
        return None;
    }
    let found = mechanism.dependence(t, &r, auxiliary)?;
    let drivers = found.drivers(mechanism);
    // a motion that nobody drives is not held up beside such a position
    let limit = if drivers.is_empty() { within.min(SINGULAR) } else { within };
    (found.sigma < limit).then(|| describe(mechanism, &found, &drivers, t))
}

fn describe(mechanism: &Mechanism, found: &Dependence, drivers: &[usize], t: f64) -> Impasse {
    let parts = found.parts(mechanism);
    let named =
        |drivers: &[usize]| -> Vec<String> { drivers.iter().map(|&d| mechanism.driver_at(d, t)).collect() };
    // a driver that stands still holds on, but does not push
    let (moving, still): (Vec<usize>, Vec<usize>) = drivers.iter().partition(|&&d| mechanism.drives_on(d, t));
    match (&named(&moving)[..], &named(&still)[..]) {
        ([], []) => Impasse {
            code: "branches",
            message: format!(
                "singular position at t = {t:.9} s: {} follows from the other constraints of {parts}, and the motion branches there",
                found.main_row(mechanism)
            ),
            advice: "start a little off that position, guide the mechanism through it with a driver or a spring, or take `formulation = \"points\"` with `integrator = \"taylor\"` or `\"index3\"`",
        },
        ([one], held) => dead_centre(t, one, held, &parts),
        ([], [one]) => dead_centre(t, one, &[], &parts),
        (moving, still) => Impasse {
            code: "drivers-contradict",
            message: format!(
                "{} contradict each other at t = {t:.9} s: {parts} cannot follow all of them",
                moving.iter().chain(still).cloned().collect::<Vec<_>>().join(" and ")
            ),
            advice: "drive as many coordinates as there are degrees of freedom, or fewer, with values that fit each other",
        },
    }
}

fn dead_centre(t: f64, driver: &str, held: &[String], parts: &str) -> Impasse {
    let held =
        if held.is_empty() { String::new() } else { format!(", while {} stands still", held.join(" and ")) };
    Impasse {
        code: "dead-centre",
        message: format!(
            "dead centre at t = {t:.9} s: {driver} cannot be followed any further by {parts}{held}"
        ),
        advice: "let the driver turn back before this value, drive another joint of the loop, or change its lengths so that it can go on",
    }
}
