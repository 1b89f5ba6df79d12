//! A formulation whose mechanism has closed contacts.
//!
//! With x the forces of the closed contacts, in the directions that they have (one of a contact that slides, n − μ ŝ; all of
//! one that sticks), and u̇⁰ the relative accelerations without them:
//!
//!   (1)  W x + u̇⁰ = 0          rows: g̈ of every contact, the slip's rates of those that stick
//!
//! W and the solution of (1) are those of each island by itself ([`ContactSpace`]): the cost of bodies that do not touch each other grows with their number, not with its
//! square. Where contacts share a load in several ways W is singular; the
//! solution next to the forces found when the contacts closed is taken ([`ClosedContact::force`]), which depends on the state
//! only and follows the loads smoothly. Accelerations and reactions are those of the formulation with x as loads. Friction's power goes into the
//! work of the state; normal forces and friction without slip have none.
//!
//! The projection is the formulation's, and then, with the same W on the left, gaps to zero and places that stick to each other
//! back together; then ġ and the slip of what sticks to zero.
//!
//! A surface ends somewhere: where a corner has slid over the border of a face the gap jumps. Such a contact is left out of all of this,
//! and an event opens it.

use super::contact_steps::{ContactSteps, Given, Sleep, StepCounts};
use super::forward::forward;
use super::step_error::StepError;
use super::{Formulate, MotionError, NotCovered, Twist, Variational};
use crate::contact::{Along, ClosedContact, ContactSpace, Site, SpaceBlock, StickOrSlip};
use crate::integrate::System;
use crate::interactions::{BodyIndex, BodyPoint, BodyWrench, Motion};
use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::least_squares::LeastSquares;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub, unit};
use crate::mechanism::Mechanism;
use crate::results::{ContactLosses, ContactState, Frame, Push};

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
    /// Islands of what is held.
    space: ContactSpace,
    /// Unknowns, island by island: the contact's place in `held`, and its force on b per unit.
    columns: Vec<Along>,
    /// Equations: the contact's place in `held`, and along what.
    rows: Vec<Along>,
    /// What of both each island has.
    blocks: Vec<SpaceBlock>,
    /// W, block by block.
    w: Vec<f64>,
    line: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
    /// By island, with its size.
    squares: Vec<(LeastSquares, [usize; 2])>,
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
            space: ContactSpace::new(mechanism.free_bodies(), mechanism.components()),
            columns: Vec::new(),
            rows: Vec::new(),
            blocks: Vec::new(),
            w: Vec::new(),
            line: Vec::new(),
            right: Vec::new(),
            x: Vec::new(),
            squares: Vec::new(),
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

    /// Forgets all columns and rows.
    fn begin_system(&mut self) {
        self.columns.clear();
        self.rows.clear();
        self.blocks.clear();
        self.right.clear();
        self.x.clear();
    }

    /// An unknown x of which so much is known, along one vector, and an equation along another whose right side is given.
    fn add_pair(&mut self, i: usize, [column, row]: [Vec3; 2], right: f64, x: f64) {
        self.columns.push((i, column));
        self.rows.push((i, row));
        self.right.push(right);
        self.x.push(x);
    }

    /// What has been added since the last island is another one.
    fn end_island(&mut self) {
        let last = |block: &SpaceBlock| [block.columns.end, block.rows.end];
        let [column, row] = self.blocks.last().map_or([0, 0], last);
        let block = SpaceBlock {
            columns: column..self.columns.len(),
            rows: row..self.rows.len(),
            ..SpaceBlock::default()
        };
        if !block.columns.is_empty() {
            self.blocks.push(block);
        }
    }

    /// W of (1) for the present columns and rows.
    fn respond_all(&mut self, y: &[f64]) -> Result<(), MotionError> {
        let Contacting { inner, space, sites, motions, columns, rows, blocks, w, change, .. } = self;
        let respond = |pulls: &[BodyWrench], twists: &mut [Twist]| {
            inner.respond(pulls, change)?;
            inner.twists(y, change, twists);
            Ok(())
        };
        space.respond((sites, motions), (columns, rows), blocks, w, respond)
    }

    /// W x = right, the x next to what `x` holds.
    fn solve(&mut self) {
        for (i, block) in self.blocks.iter().enumerate() {
            let size = [block.rows.len(), block.columns.len()];
            let room = || (LeastSquares::new(size[0], size[1]), size);
            match self.squares.get_mut(i) {
                None => self.squares.push(room()),
                Some(square) if square.1 != size => *square = room(),
                Some((square, _)) => square.clear(),
            }
            let square = &mut self.squares[i].0;
            let (w, x) = (&self.w[block.entries.clone()], &mut self.x[block.columns.clone()]);
            for (r, right) in self.right[block.rows.clone()].iter().enumerate() {
                self.line.clear();
                self.line.extend((0..size[1]).map(|c| w[c * size[0] + r]));
                let known: f64 = self.line.iter().zip(&*x).map(|(w, x)| w * x).sum();
                square.push(&self.line, right - known, 1.0);
            }
            self.line.clear();
            self.line.resize(size[1], 0.0);
            square.solve(&mut self.line);
            x.iter_mut().zip(&self.line).for_each(|(x, d)| *x += d);
        }
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
        self.begin_system();
        for island in 0..self.space.islands() {
            for member in 0..self.space.members(island).len() {
                self.add_forces(self.space.members(island)[member]);
            }
            self.end_island();
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

    /// Unknown forces of a contact and what they have to do.
    fn add_forces(&mut self, i: usize) {
        let (site, hold) = (self.sites[i], self.held[i]);
        if site.touch.gap > self.gone {
            return;
        }
        let n = site.touch.normal;
        let free = site.acceleration(&self.motions, &self.twists);
        match hold.grip {
            StickOrSlip::Stick => {
                for &axis in &site.axes[..self.mechanism.columns()] {
                    self.add_pair(i, [axis, axis], -dot(axis, free), dot(axis, hold.force));
                }
            }
            StickOrSlip::Slide(_) | StickOrSlip::Full(_) => {
                let along = axpy(n, -1.0, self.against(i));
                self.add_pair(i, [along, n], -dot(n, free), dot(n, hold.force));
            }
        }
    }

    /// How far gaps and marks are off, into `right`, with their rows and columns; tells the largest.
    fn residuals(&mut self, y: &[f64]) -> (usize, f64) {
        self.locate(y);
        self.begin_system();
        let mut worst = (0, 0.0);
        for island in 0..self.space.islands() {
            for member in 0..self.space.members(island).len() {
                self.add_residuals(self.space.members(island)[member], &mut worst);
            }
            self.end_island();
        }
        worst
    }

    fn add_residuals(&mut self, i: usize, worst: &mut (usize, f64)) {
        let (site, hold) = (self.sites[i], self.held[i]);
        if site.touch.gap > self.gone {
            return;
        }
        let mut off = |contacting: &mut Self, along: Vec3, by: f64| {
            contacting.add_pair(i, [along, along], -by, 0.0);
            if by.abs() > worst.1 || by.is_nan() {
                *worst = (hold.contact, by.abs());
            }
        };
        off(self, site.touch.normal, site.touch.gap);
        if let (StickOrSlip::Stick, Some(marks)) = (hold.grip, hold.anchor) {
            let at = |side: usize| BodyPoint { body: site.bodies[side], s: marks[side] }.at(&self.motions).r;
            let apart = sub(at(1), at(0));
            for &axis in &site.axes[1..self.mechanism.columns()] {
                off(self, axis, dot(axis, apart));
            }
        }
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
        let Some(steps) = &mut self.steps else { return Ok(()) };
        self.pulls.clear();
        self.pulls.extend_from_slice(&steps.forces);
        self.pulls.extend_from_slice(&self.loads);
        self.inner.set_loads(&self.pulls);
        let observed = self.inner.observe(t, y, frame);
        self.inner.set_loads(&self.loads);
        observed?;
        let auxiliary = &y[self.inner.work_index() + 1..];
        steps.show_limits(self.mechanism, auxiliary, &self.motions, frame);
        Ok(())
    }

    /// A contact without its forces.
    fn gap_of(&self, i: usize) -> ContactState {
        let planar = self.mechanism.columns() == 2;
        let site = Site::new(i, &self.mechanism.contacts[i].feature, planar, &self.motions);
        let slip = site.across(site.velocity(&self.motions));
        ContactState { gap: site.touch.gap, slip, ..ContactState::default() }
    }

    /// What contacts gave in the last time step, where none is held.
    fn given(&self) -> &[Given] {
        let steps = self.steps.as_ref().filter(|_| self.held.is_empty());
        steps.map_or(&[], |steps| steps.given_by_contacts())
    }

    /// Gaps and slip of all contacts, or of closed ones only.
    fn show_gaps(&self, frame: &mut Frame) {
        let count = self.mechanism.contacts.len();
        let Some(mut shown) = frame.closed_only.take() else {
            frame.contacts.clear();
            frame.contacts.extend((0..count).map(|i| self.gap_of(i)));
            return;
        };
        if frame.contacts.len() == count {
            for i in shown.drain(..) {
                frame.contacts[i] = ContactState::default();
            }
        } else {
            shown.clear();
            frame.contacts.clear();
            frame.contacts.resize(count, ContactState::default());
        }
        shown.extend(self.held.iter().map(|hold| hold.contact));
        shown.extend(self.given().iter().filter_map(|given| given.contact));
        for &i in &shown {
            frame.contacts[i] = self.gap_of(i);
        }
        frame.closed_only = Some(shown);
    }

    /// Contacts at a state, and what they give; the bodies are where they are, forces have been found.
    fn note_contacts(&self, frame: &mut Frame) {
        self.show_gaps(frame);
        for ((hold, site), &force) in self.held.iter().zip(&self.sites).zip(&self.forces) {
            let state = &mut frame.contacts[hold.contact];
            state.closed = true;
            state.sticks = !matches!(hold.grip, StickOrSlip::Slide(_));
            state.normal = dot(site.touch.normal, force);
            state.friction = site.across(force);
            state.force = force;
        }
        frame.pushes.clear();
        for given in self.given() {
            let push = Push {
                of: given.of,
                bodies: given.bodies,
                point: given.point,
                normal: given.normal,
                force: given.force,
            };
            frame.pushes.push(push);
            let Some(contact) = given.contact else { continue };
            let state = &mut frame.contacts[contact];
            let normal = push.normal_force();
            state.closed = true;
            state.sticks = given.sticks;
            state.normal += normal;
            state.friction = add(state.friction, axpy(given.force, -normal, given.normal));
            state.force = add(state.force, given.force);
        }
        frame.sum_up_contacts(self.mechanism);
    }

    /// What the ground does to the bodies.
    fn lean(&self, frame: &mut Frame) {
        let mut leans = |bodies: [BodyIndex; 2], force: Vec3| match bodies {
            [None, Some(_)] => frame.acting = add(frame.acting, force),
            [Some(_), None] => frame.acting = sub(frame.acting, force),
            _ => {}
        };
        self.given().iter().for_each(|given| leans(given.bodies, given.force));
        for (site, &force) in self.sites.iter().zip(&self.forces).take(self.held.len()) {
            leans(site.bodies, force);
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
        self.begin_system();
        for island in 0..self.space.islands() {
            for member in 0..self.space.members(island).len() {
                self.add_velocities(self.space.members(island)[member]);
            }
            self.end_island();
        }
        self.respond_all(y)?;
        self.solve();
        self.answer()?;
        let rates = self.inner.rates();
        y[rates].iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
        Ok(())
    }

    fn add_velocities(&mut self, i: usize) {
        let site = self.sites[i];
        if site.touch.gap > self.gone {
            return;
        }
        let count = if self.held[i].grip == StickOrSlip::Stick { self.mechanism.columns() } else { 1 };
        let u = site.velocity(&self.motions);
        for &axis in &site.axes[..count] {
            self.add_pair(i, [axis, axis], -dot(axis, u), 0.0);
        }
    }

    /// Islands of what is held.
    fn find_islands(&mut self) {
        let contacts = &self.mechanism.contacts;
        self.space.find_islands(self.held.iter().map(|hold| contacts[hold.contact].feature.bodies()));
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
    ) -> Option<Result<f64, MotionError>> {
        let mut steps = self.steps.take().unwrap_or_else(|| Box::new(self.new_steps()));
        let made = steps.step(self.mechanism, &mut *self.inner, (t, h), y, y_new, dy);
        self.steps = Some(steps);
        Some(made)
    }

    forward!(dimension, rates, independence, error_scale, is_place);
}

impl Formulate for Contacting<'_> {
    fn variational(&mut self) -> Option<&mut dyn Variational> {
        // closed contacts have equations of their own
        if self.held.is_empty() { self.inner.variational() } else { None }
    }

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
        self.find_islands();
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
        joint_coordinates,
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
        self.steps.as_ref().map(|steps| steps.error.clone()).unwrap_or_default().keep(to);
        self.steps.as_ref().map(|steps| steps.sleep.clone()).unwrap_or_default().keep(to);
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.inner.recall(from)?;
        self.held.recall(from)?;
        self.loads.recall(from)?;
        let (given, forces) = (Vec::<Given>::recalled(from)?, Vec::<BodyWrench>::recalled(from)?);
        let counts = StepCounts::recalled(from)?;
        let error = StepError::recalled(from)?;
        let sleep = Sleep::recalled(from)?;
        if !error.fits(self.mechanism.bodies.len()) {
            return Err(Damaged);
        }
        if forces.iter().any(|wrench| wrench.body >= self.mechanism.bodies.len()) {
            return Err(Damaged);
        }
        let [bodies, contacts, of] =
            [self.mechanism.bodies.len(), self.mechanism.contacts.len(), self.mechanism.model.contacts.len()];
        let unknown = |given: &Given| {
            given.contact.is_some_and(|contact| contact >= contacts)
                || given.of.is_some_and(|entry| entry >= of)
                || given.bodies.into_iter().flatten().any(|body| body >= bodies)
                || !ContactSteps::knows_limits(self.mechanism, given)
        };
        if given.iter().any(unknown) {
            return Err(Damaged);
        }
        if counts.steps > 0 || self.steps.is_some() {
            let steps = self.stepping();
            steps.sleep = std::mem::take(&mut steps.sleep).resumed(sleep).ok_or(Damaged)?;
            (steps.given, steps.forces, steps.counts, steps.error) = (given, forces, counts, error);
        }
        let there = |hold: &ClosedContact| hold.contact < self.mechanism.contacts.len();
        if !self.held.iter().all(there) {
            return Err(Damaged);
        }
        self.find_islands();
        Ok(())
    }
}
