//! A formulation whose mechanism has closed contacts.
//!
//! With x the forces of the closed contacts, in the directions that they have (one of a contact that slides, n − μ ŝ; all of
//! one that sticks), and u̇⁰ the relative accelerations without them:
//!
//!   (1)  W x + u̇⁰ = 0          rows: g̈ of every contact, the slip's rates of those that stick
//!
//! W comes from what the formulation answers to unit forces. Where contacts share a load in several ways W is singular; the
//! solution next to the forces found when the contacts closed is taken ([`ClosedContact::force`]), which depends on the state
//! only and follows the loads smoothly. Accelerations and reactions are those of the formulation with x as loads. Friction's power goes into the
//! work of the state; normal forces and friction without slip have none.
//!
//! The projection is the formulation's, and then, with the same W on the left, gaps to zero and places that stick to each other
//! back together; then ġ and the slip of what sticks to zero.
//!
//! A surface ends somewhere: where a corner has slid over the border of a face the gap jumps. Such a contact is left out of all of this,
//! and an event opens it.

use super::contact_steps::{ContactSteps, Given, StepCounts};
use super::forward::forward;
use super::{Formulate, MotionError, NotCovered, Twist};
use crate::contact::{ClosedContact, Site, StickOrSlip};
use crate::integrate::System;
use crate::interactions::{BodyPoint, BodyWrench, Motion};
use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::least_squares::LeastSquares;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub, unit};
use crate::mechanism::{ContactOf, Mechanism};
use crate::results::{ContactLosses, ContactState, ContactSum, Frame};

/// A formulation and the contacts that are closed. The formulation is a trait object: one copy of all that drives a run serves
/// every formulation.
pub struct Contacting<'m> {
    inner: Box<dyn Formulate + 'm>,
    mechanism: &'m Mechanism,
    held: Vec<ClosedContact>,
    sites: Vec<Site>,
    /// Loads from elsewhere.
    loads: Vec<BodyWrench>,
    motions: Vec<Motion>,
    twists: Vec<Twist>,
    change: Vec<f64>,
    pulls: Vec<BodyWrench>,
    /// Unknowns: the contact's place in `held`, and its force on b per unit.
    columns: Vec<(usize, Vec3)>,
    /// Equations: the contact's place in `held`, and along what.
    rows: Vec<(usize, Vec3)>,
    /// W, column by column.
    w: Vec<f64>,
    line: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
    square: LeastSquares,
    size: (usize, usize),
    /// On b, of each that is held.
    forces: Vec<Vec3>,
    dy: Vec<f64>,
    no_speed: f64,
    /// A closed contact with a gap above this has come to the end of its surface, m.
    gone: f64,
    /// Time steps over contacts, once there have been some.
    steps: Option<Box<ContactSteps>>,
    /// Where the state keeps the energy lost in friction.
    lost: Option<usize>,
    /// Power of the friction of the forces found last, W.
    friction: f64,
}

/// Gaps and marks above this part of the size that do not get smaller are a failure.
const OPEN: f64 = 1e-9;
/// Below this part they are rounding.
const CLOSED: f64 = 2e-15;
/// Steps of a projection.
const MAX_STEPS: u32 = 12;

impl<'m> Contacting<'m> {
    /// Nothing touches yet.
    pub fn new(mechanism: &'m Mechanism, inner: impl Formulate + 'm) -> Self {
        let inner: Box<dyn Formulate + 'm> = Box::new(inner);
        let bodies = mechanism.bodies.len();
        Contacting {
            change: vec![0.0; inner.rates().len()],
            dy: vec![0.0; inner.dimension()],
            lost: mechanism.account_places(inner.work_index()).map(|places| places.friction()),
            friction: 0.0,
            inner,
            held: Vec::new(),
            sites: Vec::new(),
            loads: Vec::new(),
            motions: vec![Motion::FIXED; bodies],
            twists: vec![Twist::default(); bodies],
            pulls: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            w: Vec::new(),
            line: Vec::new(),
            right: Vec::new(),
            x: Vec::new(),
            square: LeastSquares::new(0, 0),
            size: (0, 0),
            forces: Vec::new(),
            no_speed: mechanism.no_speed(),
            gone: mechanism.gone(),
            steps: None,
            mechanism,
        }
    }

    /// Bodies and sites of the closed contacts at a state.
    fn locate(&mut self, y: &[f64]) {
        self.inner.locate_bodies(y, &mut self.motions);
        let planar = self.mechanism.columns() == 2;
        self.sites.clear();
        for hold in &self.held {
            let feature = &self.mechanism.contacts[hold.contact].feature;
            let mut site = Site::new(hold.contact, feature, planar, &self.motions);
            // within a step a face goes on beyond its border, so that forces stay smooth; the event is where the border is
            site.touch.gap -= feature.beyond(&self.motions).max(0.0);
            self.sites.push(site);
        }
    }

    /// The direction that friction acts against, times μ.
    fn against(&self, i: usize) -> Vec3 {
        let site = &self.sites[i];
        let friction = self.mechanism.contacts[site.contact].friction;
        let along = match self.held[i].grip {
            StickOrSlip::Stick => [0.0; 3],
            StickOrSlip::Full(d) => unit(site.across(d)),
            StickOrSlip::Slide(d) => {
                let slip = site.across(site.velocity(&self.motions));
                if norm(slip) <= self.no_speed {
                    unit(site.across(d))
                } else if dot(slip, d) < 0.0 {
                    // beyond the end of the slip, where an event will be: as smooth as before
                    unit(scale(-1.0, slip))
                } else {
                    unit(slip)
                }
            }
        };
        scale(friction, along)
    }

    /// W of (1), column by column, for the present columns and rows.
    fn respond_all(&mut self, y: &[f64]) -> Result<(), MotionError> {
        self.w.clear();
        for &(i, force) in &self.columns {
            self.pulls.clear();
            self.sites[i].pull(force, &mut self.pulls);
            self.inner.respond(&self.pulls, &mut self.change)?;
            self.inner.twists(y, &self.change, &mut self.twists);
            for &(row, along) in &self.rows {
                self.w.push(dot(along, self.sites[row].relative(&self.twists)));
            }
        }
        Ok(())
    }

    /// W x = right, the x next to what `x` holds.
    fn solve(&mut self) {
        let (height, width) = (self.rows.len(), self.columns.len());
        if self.size != (height, width) {
            self.square = LeastSquares::new(height, width);
            self.size = (height, width);
        }
        self.square.clear();
        for r in 0..height {
            self.line.clear();
            self.line.extend((0..width).map(|c| self.w[c * height + r]));
            let known: f64 = self.line.iter().zip(&self.x).map(|(w, x)| w * x).sum();
            self.square.push(&self.line, self.right[r] - known, 1.0);
        }
        self.line.clear();
        self.line.resize(width, 0.0);
        self.square.solve(&mut self.line);
        self.x.iter_mut().zip(&self.line).for_each(|(x, d)| *x += d);
    }

    /// Forces, or impulses, on b from x, and what they change into `change`. Returns the power of drivers that answer.
    fn answer(&mut self) -> Result<f64, MotionError> {
        self.forces.clear();
        self.forces.resize(self.held.len(), [0.0; 3]);
        for (&(i, direction), &x) in self.columns.iter().zip(&self.x) {
            self.forces[i] = axpy(self.forces[i], x, direction);
        }
        self.pulls.clear();
        for (site, &force) in self.sites.iter().zip(&self.forces) {
            site.pull(force, &mut self.pulls);
        }
        self.inner.respond(&self.pulls, &mut self.change)
    }

    /// (1), for a state and its derivative without contacts: what the forces add to the rates of the rates is in `change` then.
    /// Returns the power of friction, and of drivers that answer.
    fn find_forces(&mut self, y: &[f64], dy: &[f64]) -> Result<f64, MotionError> {
        self.locate(y);
        self.inner.body_accelerations(y, dy, &mut self.twists);
        self.columns.clear();
        self.rows.clear();
        self.right.clear();
        self.x.clear();
        for i in 0..self.held.len() {
            let (site, hold) = (self.sites[i], self.held[i]);
            if site.touch.gap > self.gone {
                continue;
            }
            let n = site.touch.normal;
            let free = site.acceleration(&self.motions, &self.twists);
            match hold.grip {
                StickOrSlip::Stick => {
                    for &axis in &site.axes[..self.mechanism.columns()] {
                        self.columns.push((i, axis));
                        self.rows.push((i, axis));
                        self.right.push(-dot(axis, free));
                        self.x.push(dot(axis, hold.force));
                    }
                }
                StickOrSlip::Slide(_) | StickOrSlip::Full(_) => {
                    self.columns.push((i, axpy(n, -1.0, self.against(i))));
                    self.rows.push((i, n));
                    self.right.push(-dot(n, free));
                    self.x.push(dot(n, hold.force));
                }
            }
        }
        self.respond_all(y)?;
        self.solve();
        let power = self.answer()?;
        self.friction = 0.0;
        for ((site, hold), &force) in self.sites.iter().zip(&self.held).zip(&self.forces) {
            if matches!(hold.grip, StickOrSlip::Slide(_)) {
                self.friction += dot(site.across(force), site.across(site.velocity(&self.motions)));
            }
        }
        Ok(power + self.friction)
    }

    /// How far gaps and marks are off, into `right`, with their rows and columns; tells the largest.
    fn residuals(&mut self, y: &[f64]) -> (usize, f64) {
        self.locate(y);
        self.columns.clear();
        self.rows.clear();
        self.right.clear();
        self.x.clear();
        let mut worst = (0, 0.0);
        for (i, (site, hold)) in self.sites.iter().zip(&self.held).enumerate() {
            if site.touch.gap > self.gone {
                continue;
            }
            let mut off = |along: Vec3, by: f64| {
                self.columns.push((i, along));
                self.rows.push((i, along));
                self.right.push(-by);
                self.x.push(0.0);
                if by.abs() > worst.1 || by.is_nan() {
                    worst = (hold.contact, by.abs());
                }
            };
            off(site.touch.normal, site.touch.gap);
            if let (StickOrSlip::Stick, Some(marks)) = (hold.grip, hold.anchor) {
                let [a, b] =
                    [0, 1].map(|s| BodyPoint { body: site.bodies[s], s: marks[s] }.at(&self.motions).r);
                for &axis in &site.axes[1..self.mechanism.columns()] {
                    off(axis, dot(axis, sub(b, a)));
                }
            }
        }
        worst
    }

    /// Buffers for time steps.
    fn new_steps(&self) -> ContactSteps {
        ContactSteps::new(self.mechanism, &*self.inner)
    }

    fn stepping(&mut self) -> &mut ContactSteps {
        let steps = self.steps.take().unwrap_or_else(|| Box::new(self.new_steps()));
        self.steps.insert(steps)
    }

    /// Observes with the forces of the last time step.
    fn observe_steps(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let Some(steps) = &self.steps else { return Ok(()) };
        self.pulls.clear();
        self.pulls.extend_from_slice(&steps.forces);
        self.pulls.extend_from_slice(&self.loads);
        self.inner.set_loads(&self.pulls);
        let observed = self.inner.observe(t, y, frame);
        self.inner.set_loads(&self.loads);
        observed
    }

    /// Contacts at a state, and what they give; the bodies are where they are, forces have been found.
    fn note_contacts(&mut self, frame: &mut Frame) {
        let mechanism = self.mechanism;
        let planar = mechanism.columns() == 2;
        frame.contacts.clear();
        for (i, contact) in mechanism.contacts.iter().enumerate() {
            let site = Site::new(i, &contact.feature, planar, &self.motions);
            frame.contacts.push(ContactState {
                gap: site.touch.gap,
                slip: site.across(site.velocity(&self.motions)),
                ..Default::default()
            });
        }
        for ((hold, site), &force) in self.held.iter().zip(&self.sites).zip(&self.forces) {
            let state = &mut frame.contacts[hold.contact];
            state.closed = true;
            state.sticks = !matches!(hold.grip, StickOrSlip::Slide(_));
            state.normal = dot(site.touch.normal, force);
            state.friction = site.across(force);
            state.force = force;
        }
        if self.held.is_empty() {
            // of the last time step
            for given in self.steps.as_ref().map_or(&[][..], |steps| &steps.given) {
                let push = dot(given.normal, given.force);
                let state = &mut frame.contacts[given.contact];
                state.closed = true;
                state.sticks = given.sticks;
                state.normal += push;
                state.friction = add(state.friction, axpy(given.force, -push, given.normal));
                state.force = add(state.force, given.force);
            }
        }
        self.sum_up(frame);
    }

    /// Sums over entries and bodies.
    fn sum_up(&self, frame: &mut Frame) {
        let mechanism = self.mechanism;
        let Frame { contacts, contact_sums, contact_forces, .. } = frame;
        contact_sums.clear();
        for entry in 0..mechanism.shown_entries() {
            contact_sums.push(ContactSum::new(mechanism, contacts, ContactOf::Entry(entry)));
        }
        contact_forces.clear();
        contact_forces.resize(mechanism.bodies.len(), [0.0; 3]);
        for (state, contact) in contacts.iter().zip(&mechanism.contacts).filter(|(state, _)| state.closed) {
            for (body, sign) in contact.feature.bodies().into_iter().zip([-1.0, 1.0]) {
                if let Some(body) = body {
                    contact_forces[body] = axpy(contact_forces[body], sign, state.force);
                }
            }
        }
    }

    /// What the ground does to the bodies.
    fn lean(&self, frame: &mut Frame) {
        if self.held.is_empty() {
            for given in self.steps.as_ref().map_or(&[][..], |steps| &steps.given) {
                match given.grounded {
                    [true, false] => frame.acting = add(frame.acting, given.force),
                    [false, true] => frame.acting = sub(frame.acting, given.force),
                    _ => {}
                }
            }
        }
        for (site, &force) in self.sites.iter().zip(&self.forces).take(self.held.len()) {
            match site.bodies {
                [None, Some(_)] => frame.acting = add(frame.acting, force),
                [Some(_), None] => frame.acting = sub(frame.acting, force),
                _ => {}
            }
        }
    }

    /// Gaps and marks to zero. The state is on the formulation's own constraints, and has been evaluated there.
    fn project_positions(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let far = self.motions.iter().flat_map(|motion| motion.c).fold(0.0, |m: f64, x| m.max(x.abs()));
        let size = crate::mechanism::judged_by(self.mechanism.size, far);
        let mut before = f64::INFINITY;
        for step in 0.. {
            let (worst, residual) = self.residuals(y);
            let stagnates = residual > 0.25 * before || step == MAX_STEPS;
            if residual <= CLOSED * size || (stagnates && residual <= OPEN * size) {
                return Ok(());
            }
            if stagnates && step > 3 || !residual.is_finite() {
                let worst = format!("contact `{}`", self.mechanism.contacts[worst].name);
                return Err(MotionError::NotConverged { worst, residual, iterations: step });
            }
            before = residual;
            self.respond_all(y)?;
            self.solve();
            self.answer()?;
            self.inner.displace(y, &self.change);
            self.inner.project(t, y, dy)?;
        }
        Ok(())
    }

    /// ġ, and the slip of what sticks, to zero. Follows [`Self::project_positions`].
    fn project_velocities(&mut self, y: &mut [f64]) -> Result<(), MotionError> {
        self.locate(y);
        self.columns.clear();
        self.rows.clear();
        self.right.clear();
        self.x.clear();
        for i in 0..self.held.len() {
            let site = self.sites[i];
            if site.touch.gap > self.gone {
                continue;
            }
            let count = if self.held[i].grip == StickOrSlip::Stick { self.mechanism.columns() } else { 1 };
            let u = site.velocity(&self.motions);
            for &axis in &site.axes[..count] {
                self.columns.push((i, axis));
                self.rows.push((i, axis));
                self.right.push(-dot(axis, u));
                self.x.push(0.0);
            }
        }
        self.respond_all(y)?;
        self.solve();
        self.answer()?;
        let rates = self.inner.rates();
        y[rates].iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
        Ok(())
    }
}

impl System for Contacting<'_> {
    type Error = MotionError;

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.inner.derivative(t, y, dy)?;
        if self.held.is_empty() {
            return Ok(());
        }
        let power = self.find_forces(y, dy)?;
        let (rates, work) = (self.inner.rates(), self.inner.work_index());
        dy[rates].iter_mut().zip(&self.change).for_each(|(a, da)| *a += da);
        dy[work] += power;
        if let Some(lost) = self.lost {
            dy[lost] -= self.friction;
        }
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.inner.project(t, y, dy)?;
        if self.held.is_empty() {
            return Ok(());
        }
        self.project_positions(t, y, dy)?;
        self.project_velocities(y)?;
        self.derivative(t, y, dy)
    }

    fn impulsive_step(
        &mut self,
        t: f64,
        h: f64,
        y: &[f64],
        y_new: &mut [f64],
        dy: &mut [f64],
    ) -> Option<Result<(), MotionError>> {
        let mut steps = self.steps.take().unwrap_or_else(|| Box::new(self.new_steps()));
        let made = steps.step(self.mechanism, &mut *self.inner, (t, h), y, y_new, dy);
        self.steps = Some(steps);
        Some(made)
    }

    forward!(dimension, rates, independence, error_scale, is_place);
}

impl Formulate for Contacting<'_> {
    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        // contacts first: measures read them
        let stepped = self.steps.as_ref().is_some_and(|steps| !steps.given.is_empty());
        if self.held.is_empty() {
            self.inner.locate_bodies(y, &mut self.motions);
            self.note_contacts(frame);
            match stepped {
                true => self.observe_steps(t, y, frame)?,
                false => self.inner.observe(t, y, frame)?,
            }
        } else {
            let mut dy = std::mem::take(&mut self.dy);
            let found = self.inner.derivative(t, y, &mut dy).and_then(|()| self.find_forces(y, &dy));
            self.dy = dy;
            found?;
            self.note_contacts(frame);
            self.pulls.extend_from_slice(&self.loads);
            self.inner.set_loads(&self.pulls);
            let observed = self.inner.observe(t, y, frame);
            self.inner.set_loads(&self.loads);
            observed?;
        }
        self.lean(frame);
        let places = self.mechanism.account_places(self.inner.work_index());
        frame.contact_losses = places
            .map(|places| ContactLosses { impacts: y[places.impacts()], friction: y[places.friction()] });
        Ok(())
    }

    fn is_bound(&self) -> bool {
        !self.held.is_empty() || self.inner.is_bound()
    }

    fn set_loads(&mut self, pulls: &[BodyWrench]) {
        self.loads.clear();
        self.loads.extend_from_slice(pulls);
        self.inner.set_loads(pulls);
    }

    fn hold(&mut self, closed: &[ClosedContact]) {
        self.held.clear();
        self.held.extend_from_slice(closed);
    }

    fn contact_steps(&self) -> Option<StepCounts> {
        self.steps.as_ref().map(|steps| steps.counts)
    }

    fn begin_series(&mut self, _: usize) -> Result<(), Vec<NotCovered>> {
        let not = |name: &String| NotCovered {
            element: format!("contact `{name}`"),
            why: "contacts open and close".into(),
        };
        Err(self.mechanism.contacts.iter().take(1).map(|contact| not(&contact.name)).collect())
    }

    forward!(
        start,
        work_index,
        to_world_axes,
        to_body_axes,
        locate_bodies,
        switch,
        jump,
        respond,
        twists,
        body_accelerations,
        displace,
        sizes,
        counters,
        component_name,
        component_bodies,
        row_name
    );
}

impl Keep for Contacting<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.inner.keep(to);
        self.held.keep(to);
        self.loads.keep(to);
        let steps =
            self.steps.as_ref().map(|steps| (steps.given.clone(), steps.forces.clone(), steps.counts));
        let (given, forces, counts) = steps.unwrap_or_default();
        given.keep(to);
        forces.keep(to);
        counts.keep(to);
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.inner.recall(from)?;
        self.held.recall(from)?;
        self.loads.recall(from)?;
        let (given, forces) = (Vec::<Given>::recalled(from)?, Vec::<BodyWrench>::recalled(from)?);
        let counts = StepCounts::recalled(from)?;
        if forces.iter().any(|wrench| wrench.body >= self.mechanism.bodies.len()) {
            return Err(Damaged);
        }
        if given.iter().any(|given| given.contact >= self.mechanism.contacts.len()) {
            return Err(Damaged);
        }
        if counts.steps > 0 || self.steps.is_some() {
            let steps = self.stepping();
            (steps.given, steps.forces, steps.counts) = (given, forces, counts);
        }
        let there = |hold: &ClosedContact| hold.contact < self.mechanism.contacts.len();
        if self.held.iter().all(there) { Ok(()) } else { Err(Damaged) }
    }
}
