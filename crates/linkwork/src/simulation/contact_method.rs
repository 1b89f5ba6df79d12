//! Events or time steps: how a run treats contacts, and the change from one to the other.
//!
//! Events are exact, and their cost grows with the number of contacts times the number of events. Time steps (`moreau`) take everything that happens within a step
//! together, whatever that is. `contact_method = "auto"` begins with events, unless many free bodies can touch, and goes on with time steps
//!
//! 1. where the event-driven method fails: no forces that obey the laws, branches, steps that vanish, events without end;
//! 2. where the last [`WINDOW`] contact events lie much closer together than time steps would;
//! 3. where steps between contact events stay far below a time step;
//! 4. where more than [`MANY_NODES`] nodes of rigid chains lie on something.
//!
//! A time step has the length that the model gives, or
//!
//!   (T1)  h = 0.02 √(r/g)      r: the smallest reach of a moving surface, g: gravity; without gravity r over the largest initial speed
//!
//! or less, so that steps end at samples. Without a given step that is the first one, and those that follow are under error control: the local error stays below `tolerance` in
//! parts of the size, or 10⁻³ where `tolerance` is too tight for a method of order 1 to mean anything ([`Mechanism::contact_tolerance`]). They are no longer than five times (T1).

use super::choice::contact_stepper;
use super::events::Trouble;
use super::run::Run;
use super::{Remark, Status};
use crate::formulations::{Formulate, MotionError};
use crate::integrate::StepError;
use crate::linalg::vec3::norm;
use crate::mechanism::Mechanism;
use crate::model::{ContactMethod, Integrator};

/// Contact events that are looked at together.
const WINDOW: u64 = 1000;
/// Where they lie closer together than this part of a time step, time steps are cheaper by far.
const CLOSE: f64 = 0.1;
/// So many steps in a row below this part of a time step are a standstill.
const MANY_SHORT: u64 = 3000;
const SHORT: f64 = 1e-4;
/// Steps below this part count as many as this.
const TINY: (f64, u64) = (1e-6, 10);
/// Nodes of chains that lie on something, beyond which `auto` goes over to time steps.
const MANY_NODES: usize = 12;
/// (T1)
const PART: f64 = 0.02;
/// The longest step under error control, in first steps.
const LONGEST: f64 = 5.0;
/// Local error of time steps where the model's tolerance is below [`LEAST`].
const TOLERANCE: f64 = 1e-3;
const LEAST: f64 = 1e-8;
/// The shortest step under error control, in first steps, at [`TOLERANCE`].
const SHORTEST: f64 = 0.02;

impl Mechanism {
    /// Local error of time steps, in parts of the size; `None` where steps are given.
    pub(super) fn contact_tolerance(&self) -> Option<f64> {
        let settings = &self.model.settings;
        let tolerance = if settings.tolerance >= LEAST { settings.tolerance } else { TOLERANCE };
        settings.step.is_none().then_some(tolerance)
    }

    /// The shortest time step under error control, s.
    pub(super) fn shortest_contact_step(&self, tolerance: f64) -> f64 {
        SHORTEST * (tolerance / TOLERANCE).min(1.0) * self.contact_step()
    }

    /// The longest time step under error control, s.
    pub(super) fn longest_contact_step(&self) -> f64 {
        let most = self.model.settings.max_step.unwrap_or(f64::INFINITY);
        (LONGEST * self.contact_step()).min(most)
    }

    /// The smallest reach of a moving surface, m; the size of the mechanism if none has any.
    pub(super) fn smallest_reach(&self) -> f64 {
        let moving = self.surfaces.iter().filter(|s| s.surface.body().is_some());
        let reaches = moving.map(|s| s.surface.reach()).filter(|reach| *reach > 0.0 && reach.is_finite());
        reaches.fold(self.size, f64::min)
    }

    /// The time step over contacts, s: the given one, or (T1).
    pub(super) fn contact_step(&self) -> f64 {
        let settings = &self.model.settings;
        if let Some(step) = settings.step {
            return step;
        }
        let reach = self.smallest_reach();
        let gravity = norm(self.model.gravity);
        let time = if gravity > 0.0 {
            (reach / gravity).sqrt()
        } else {
            let fastest = self.start_velocities.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if fastest > 0.0 { reach / fastest } else { settings.output_step / PART }
        };
        let parts = (settings.output_step / (PART * time)).ceil().clamp(1.0, 1e6);
        settings.output_step / parts
    }
}

/// Contact events that lie close together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventRate {
    /// When the window began, s, and how many there were since.
    since: f64,
    count: u64,
}

crate::keep::keep!(EventRate { since, count } if |rate| crate::keep::are_counts(&[rate.count]));

impl EventRate {
    /// Counts contact events up to a time; tells how far apart they were if a window is full, s.
    fn count(&mut self, t: f64, events: u64) -> Option<f64> {
        if self.count == 0 {
            self.since = t;
        }
        self.count += events;
        if self.count < WINDOW {
            return None;
        }
        let apart = (t - self.since) / self.count as f64;
        *self = EventRate::default();
        Some(apart)
    }
}

impl<F: Formulate> Run<'_, F> {
    /// Whether the run may go over to time steps.
    fn may_take_steps(&self) -> bool {
        self.mechanism.model.settings.contact_method == ContactMethod::Auto
            && self.integrator != Integrator::Moreau
            && self.mechanism.has_contacts()
    }

    /// Goes over to time steps from a state, where contacts made the run fail and the model leaves the method open. Tells whether it did.
    pub(super) fn steps_instead(&mut self, t: f64, trouble: &Trouble) -> Result<bool, Status> {
        if !self.may_take_steps() {
            return Ok(false);
        }
        let why = match trouble {
            Trouble::PileUp(_) => "events followed each other without end".to_string(),
            Trouble::Step(StepError::System { source: source @ MotionError::Contact { .. }, .. }) => {
                source.to_string()
            }
            Trouble::Step(
                StepError::StepTooSmall { .. }
                | StepError::TooManyRejections { .. }
                | StepError::Branches { .. }
                | StepError::NotSolved { .. }
                | StepError::System {
                    source: MotionError::NotConverged { .. } | MotionError::Jammed { .. },
                    ..
                },
            ) if self.touches() => "the event-driven method found no way on while bodies touched".to_string(),
            Trouble::Step(_) => return Ok(false),
        };
        self.take_steps(t, &why)?;
        Ok(true)
    }

    /// Goes over to time steps where steps between events have become so short that the run would not end. Tells whether it did.
    pub(super) fn stalls_at_contacts(&mut self) -> Result<bool, Status> {
        if !self.may_take_steps() || !self.touches() {
            return Ok(false);
        }
        let part = self.stepper.h().abs() / self.mechanism.contact_step();
        self.ledger.short_steps = match part {
            _ if part < TINY.0 => self.ledger.short_steps + TINY.1,
            _ if part < SHORT => self.ledger.short_steps + 1,
            _ => 0,
        };
        if self.ledger.short_steps < MANY_SHORT {
            return Ok(false);
        }
        let t = self.stepper.t();
        self.y.copy_from_slice(self.stepper.y());
        self.take_steps(t, "steps between contact events became too short to go on")?;
        Ok(true)
    }

    /// Goes over to time steps where the run has stalled while bodies touch. Tells whether it did.
    pub(super) fn steps_where_stalled(&mut self) -> Result<bool, Status> {
        if !self.may_take_steps() || !self.touches() || self.mechanism.model.settings.step.is_some() {
            return Ok(false);
        }
        let t = self.stepper.t();
        self.y.copy_from_slice(self.stepper.y());
        self.take_steps(t, "steps between contact events became too short to go on")?;
        self.ledger.pace.begin_again(t, self.stepper.statistics());
        Ok(true)
    }

    /// Whether any contact is closed.
    fn touches(&self) -> bool {
        self.events.as_ref().is_some_and(|events| events.has_closed_contacts())
    }

    /// Goes over to time steps where contact events have come too fast for some time.
    pub(super) fn mind_contact_events(&mut self, t: f64, events: u64) -> Result<(), Status> {
        if events == 0 || !self.may_take_steps() {
            return Ok(());
        }
        let nodes = self.events.as_ref().map_or(0, |events| events.closed_nodes());
        let elastic = self.mechanism.model.chains.iter().any(|chain| chain.stiffness.is_some());
        if nodes > MANY_NODES && !elastic {
            self.look_at(t)?;
            return self.take_steps(t, &format!("{nodes} nodes of chains lie on something"));
        }
        let step = self.mechanism.contact_step();
        match self.ledger.contact_events.count(t, events) {
            Some(apart) if apart < CLOSE * step => {
                let why = format!("{WINDOW} contact events lay {apart:.1e} s apart, closer than time steps");
                self.look_at(t)?;
                self.take_steps(t, &why)
            }
            _ => Ok(()),
        }
    }

    /// Goes on from the state in `y` with time steps.
    fn take_steps(&mut self, t: f64, why: &str) -> Result<(), Status> {
        let step = self.mechanism.contact_step();
        self.system.hold(&[]);
        if self.events.as_mut().is_some_and(|events| !events.leave_contacts(&mut self.system)) {
            self.events = None;
        }
        let stepper = contact_stepper(self.mechanism, self.y.len());
        let exchanged = self
            .stepper
            .restart(&mut self.system, t, &self.y)
            .and_then(|()| self.stepper.exchange(&mut self.system, stepper, step));
        exchanged.map_err(|error| self.failed(t, &error))?;
        self.stepper.set_longest(self.mechanism.longest_contact_step());
        self.stepper.set_end(self.next_end(t));
        self.integrator = Integrator::Moreau;
        self.adapts = false;
        self.why = Some(format!("{why}, from t = {t:.6} s on"));
        self.ledger.integrator = Some((Integrator::Moreau, self.why.clone()));
        let message = format!(
            "at t = {t:.6} s: {why}; continued with time steps of {step:.1e} s over contacts (`contact_method = \"events\"` would not)"
        );
        self.ledger.remarks.push(Remark { t: Some(t), code: "contact-steps", message });
        self.resume_books(t)
    }
}
