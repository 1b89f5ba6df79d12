//! Why a run failed, where to look, and what to try.

use crate::error::RunFailure;
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};
use crate::mechanism::Mechanism;

/// Names at one place that are listed before "and more".
const LISTED: usize = 4;

pub(super) const STIFF: &str = "where stiff springs or dampers force short steps, `integrator = \"radau5\"` or `\"bdf\"` takes long ones";

impl RunFailure {
    pub(super) fn new<F: Formulate>(
        mechanism: &Mechanism,
        t: f64,
        error: &StepError<MotionError>,
        stepper: &Stepper,
        system: &F,
    ) -> Self {
        let component = match error {
            StepError::NotFinite { component, .. } | StepError::NotSolved { component, .. } => {
                Some(*component)
            }
            StepError::System { .. } | StepError::NoMechanics => None,
            _ => stepper.restless(),
        };
        let place = component.map(|c| place(mechanism, system, c));
        let moves = || match &place {
            Some(place) => format!("; what changes fastest is {place}"),
            None => String::new(),
        };
        let (code, message, advice) = match error {
            StepError::StepTooSmall { .. } if stepper.h_tried() == 0.0 => (
                "step-too-small",
                format!("no step is short enough: accelerations here are too large to integrate{}", moves()),
                "look for a force, moment or stiffness there that is too large, or a mass that is too small".into(),
            ),
            StepError::StepTooSmall { h, .. } => (
                "step-too-small",
                format!(
                    "the step size fell to {h:.3e} s: forces change too fast, or the motion ends here{}",
                    moves()
                ),
                format!("look for a force there that jumps or grows without bound, or loosen `tolerance`; {STIFF}"),
            ),
            StepError::TooManySteps { .. } => (
                "too-many-steps",
                format!(
                    "{} steps were taken (max_steps); the model may be stiff{}",
                    mechanism.model.settings.max_steps,
                    moves()
                ),
                format!("raise `max_steps` or loosen `tolerance`; {STIFF}"),
            ),
            StepError::TooManyRejections { in_a_row, .. } => (
                "too-many-rejections",
                format!("{in_a_row} steps in a row were rejected{}", moves()),
                "look for a force there that jumps, or loosen `tolerance`".into(),
            ),
            StepError::Branches { distance, .. } => (
                "branches",
                format!(
                    "the constraints lead to another branch of the motion, {distance:.1e} tolerances away from where it was going: the mechanism is at or \
                     beside a singular position{}",
                    moves()
                ),
                "start a little off that position, guide the mechanism through it with a driver or a spring, or try `integrator = \"index3\"`"
                    .into(),
            ),
            StepError::Outside { .. } => (
                "damaged",
                format!("what the run goes on from contradicts itself: {error}"),
                "begin the run again".into(),
            ),
            StepError::NotFinite { component, .. } => (
                "not-finite",
                format!("{} is not a finite number", system.component_name(*component)),
                "look at the forces, drivers and parameters there".into(),
            ),
            StepError::NotSolved { iterations, .. } => (
                "not-solved",
                format!(
                    "the equations of an implicit step are not met after {iterations} iterations{}",
                    place.as_ref().map_or(String::new(), |place| format!("; furthest off is {place}"))
                ),
                "take a smaller `step`, or a method with error control such as `radau5`".into(),
            ),
            StepError::NoMechanics => (
                "no-mechanics",
                "this integrator works in point coordinates: the formulation must be `points`".into(),
                String::new(),
            ),
            StepError::System { source, .. } => {
                let (code, advice) = match source {
                    MotionError::NotConverged { .. } => (
                        "not-converged",
                        "a smaller step may help, unless drivers or locks contradict each other or the joints",
                    ),
                    MotionError::Massless { .. } | MotionError::SingularMass { .. } => {
                        ("undetermined", "give it mass, or hold it")
                    }
                    MotionError::Jammed { .. } => ("jammed", "look for locks, limits or drivers that contradict each other"),
                    MotionError::Contact { .. } => ("contact", "look at the friction there: with much of it bodies can jam"),
                    MotionError::MassGone { .. } => ("mass-gone", "look at what burns or flows off during the run"),
                    MotionError::NotFinite { .. } => ("not-finite", "look at the formulas and numbers it is made from"),
                    MotionError::Indefinite { .. } => ("unstable", "take a smaller `step`"),
                    MotionError::TooLarge { .. } => ("too-large", "take an explicit integrator"),
                };
                let within = [t, t + stepper.h_tried()];
                let driver = match source {
                    MotionError::NotFinite { .. } => within.iter().find_map(|&t| driver_without(mechanism, t)),
                    _ => None,
                };
                (code, driver.unwrap_or_else(|| source.to_string()), advice.to_string())
            }
        };
        RunFailure { t, step: stepper.h_tried(), code, message, advice }
    }

    /// A failure that has nothing to do with one component.
    pub(super) fn plain(t: f64, step: f64, code: &'static str, message: String, advice: &str) -> Self {
        RunFailure { t, step, code, message, advice: advice.into() }
    }
}

/// The first driver that has no value at a time, with the place in its expression.
fn driver_without(mechanism: &Mechanism, t: f64) -> Option<String> {
    mechanism.interactions.couplings.iter().find_map(|coupling| {
        let why = coupling.drive.as_ref()?.trouble(t, &mechanism.interactions)?;
        let name = crate::formulations::marked(&coupling.label);
        Some(format!("what {name} does ({why}) is not a finite number"))
    })
}

/// A component of the state for people, with the forces and joints at the bodies it belongs to.
pub(super) fn place<F: Formulate>(mechanism: &Mechanism, system: &F, component: usize) -> String {
    let name = system.component_name(component);
    let bodies = system.component_bodies(component);
    let at = |list: &[usize]| list.iter().any(|b| bodies.contains(b));
    let mut here: Vec<String> = Vec::new();
    let interactions = &mechanism.interactions;
    for action in &interactions.actions {
        if !action.name.is_empty() && at(&action.action.bodies(interactions)) {
            here.push(format!("`{}`", action.name));
        }
    }
    for joint in &mechanism.joints {
        if joint.bodies.iter().flatten().any(|b| bodies.contains(b)) {
            here.push(format!("joint `{}`", joint.name));
        }
    }
    if here.is_empty() {
        return name;
    }
    let more = if here.len() > LISTED { ", and more" } else { "" };
    here.truncate(LISTED);
    format!("{name} (there: {}{more})", here.join(", "))
}
