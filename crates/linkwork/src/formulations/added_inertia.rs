//! A formulation with inertia that its own equations lack: masses that vary, and inertias along coordinates of joints.
//!
//! The formulation has the compiled masses m₀. With δ = m(t)/m₀ − 1 of each body, what its mass differs by is a pull at its centre of mass; an inertia J along a
//! coordinate q of a joint is a force along q:
//!
//!   (1)  p = −δ (M₀ a + h),   M₀ = diag(m₀, I₀),   a = (c̈, ω̇),   h = (−m₀ g, ω × I₀ω);      p = −J q̈
//!
//! The accelerations z along all these axes (those of M₀ that have inertia, and the coordinates) follow from what the formulation answers to unit pulls, Λ:
//!
//!   (2)  (1 + Λ D) z = z⁰ + Λ k,   D = δ M₀, or J
//!
//! where z⁰ is what it finds by itself, and k is what (1) has besides z: −δ h, or −J times the part of q̈ that velocities make. Λ M₀ has no eigenvalue above 1, so that
//! (2) has one solution while m > 0 and J ≥ 0. Impulses are answered likewise, without k. Jumps have another z⁰, and multipliers and work that add up with those of the
//! pulls.
//!
//! The gas that leaves takes its energy along. The state's work has its share, so that kinetic and potential energy less work stays:
//!
//!   (3)  Ẇ ← Ẇ + Σ δ̇ (T₀ + V₀)
//!
//! Projections are the formulation's: they correct by the compiled masses, within the error of a step. Where D is zero nothing is solved.

use super::forward::forward;
use super::{Formulate, Jump, MotionError, NotCovered, Twist};
use crate::integrate::System;
use crate::interactions::{BodyWrench, Motion, Workspace, Wrenches};
use crate::linalg::jet::Jet;
use crate::linalg::lu::Lu;
use crate::linalg::spatial::{Wrench, transposed};
use crate::linalg::vec3::{IDENTITY, Vec3, apply, cross, dot, scale};
use crate::mechanism::{MassNow, Mechanism};
use crate::model::MIN_NUMBER;
use crate::results::Frame;
use std::ops::Range;

/// What has inertia.
#[derive(Clone, Copy, Debug)]
enum Axis {
    /// An axis of M₀.
    Body {
        /// Which of the varying masses.
        mass: usize,
        /// As drawn where it turns, else in the world.
        axis: Vec3,
        /// Whether the body turns about it.
        turns: bool,
        /// m₀ or the principal moment of inertia.
        inertia: f64,
    },
    /// A coordinate of a joint: which of the joints' inertias.
    Joint(usize),
}

/// A formulation and the inertia that it lacks. The formulation is a trait object, as in [`Contacting`](crate::formulations::Contacting).
pub struct AddedInertia<'m> {
    inner: Box<dyn Formulate + 'm>,
    mechanism: &'m Mechanism,
    axes: Vec<Axis>,
    now: Vec<MassNow>,
    /// Whether there is anything to add where the last evaluation was.
    differs: bool,
    /// The state of the last evaluation.
    place: Vec<f64>,
    /// Unit pulls along the axes there, and where those of each axis are.
    units: Wrenches,
    unit_of: Vec<Range<usize>>,
    /// D of each axis there.
    added: Vec<f64>,
    /// q̇ of a joint's coordinate.
    rates: Vec<f64>,
    /// Λ, column by column.
    lambda: Vec<f64>,
    lu: Lu<f64>,
    z: Vec<f64>,
    /// k of (2).
    known: Vec<f64>,
    /// Loads from elsewhere.
    loads: Vec<BodyWrench>,
    pulls: Wrenches,
    motions: Vec<Motion>,
    twists: Vec<Twist>,
    change: Vec<f64>,
    dy: Vec<f64>,
    stack: Vec<Jet>,
    /// For the rates of couplings where something jumps.
    ws: Workspace,
    frame: Frame,
}

/// A body has no inertia about an axis about which it has less than this part of its largest.
const THIN: f64 = 1e-12;

impl<'m> AddedInertia<'m> {
    /// Whether a formulation of a mechanism needs this.
    pub fn is_needed(mechanism: &Mechanism, inner: &impl Formulate) -> bool {
        let lacks = |joint: usize| !inner.has_joint_inertia(joint);
        !mechanism.masses.is_empty() || (0..mechanism.joint_inertias.len()).any(lacks)
    }

    /// The formulation of a mechanism with its masses over time and the inertias of joints that the formulation does not have itself.
    pub fn new(mechanism: &'m Mechanism, inner: impl Formulate + 'm) -> Self {
        let inner: Box<dyn Formulate + 'm> = Box::new(inner);
        let mut axes = axes(mechanism);
        let joints = 0..mechanism.joint_inertias.len();
        axes.extend(joints.filter(|&i| !inner.has_joint_inertia(i)).map(Axis::Joint));
        let (n, bodies) = (axes.len(), mechanism.bodies.len());
        AddedInertia {
            change: vec![0.0; inner.rates().len()],
            dy: vec![0.0; inner.dimension()],
            place: Vec::with_capacity(inner.dimension()),
            inner,
            now: Vec::with_capacity(mechanism.masses.len()),
            differs: false,
            units: Wrenches::default(),
            unit_of: vec![0..0; n],
            added: vec![0.0; n],
            rates: vec![0.0; n],
            lambda: vec![0.0; n * n],
            lu: Lu::new(n),
            z: vec![0.0; n],
            known: vec![0.0; n],
            loads: Vec::new(),
            pulls: Wrenches::default(),
            motions: vec![Motion::FIXED; bodies],
            twists: vec![Twist::default(); bodies],
            stack: Vec::new(),
            ws: Workspace::new(&mechanism.interactions, bodies),
            frame: Frame::new(mechanism),
            axes,
            mechanism,
        }
    }

    /// The part of the twists along an axis.
    fn part(&self, i: usize) -> f64 {
        let units = &self.units.list[self.unit_of[i].clone()];
        units.iter().map(|p| p.wrench.power(&self.twists[p.body])).sum()
    }

    /// Unit pulls, D and k of (2) where the bodies are; of a joint's coordinate the rate as well.
    fn look_along_axes(&mut self, y: &[f64]) {
        let mechanism = self.mechanism;
        let hints = &y[self.inner.work_index() + 1..][..mechanism.interactions.hints];
        self.units.clear();
        for i in 0..self.axes.len() {
            let from = self.units.begin();
            match self.axes[i] {
                Axis::Body { mass, axis, turns, inertia } => {
                    let MassNow { body, factor, .. } = self.now[mass];
                    let motion = &self.motions[body];
                    let delta = factor - 1.0;
                    let (unit, h) = match turns {
                        true => (apply(&motion.turned, axis), cross(motion.w, self.angular_momentum(body))),
                        false => (axis, scale(-inertia, mechanism.model.gravity)),
                    };
                    let (force, moment) = if turns { ([0.0; 3], unit) } else { (unit, [0.0; 3]) };
                    self.units.join(body, Wrench { force, moment });
                    self.added[i] = delta * inertia;
                    self.known[i] = -delta * dot(unit, h);
                }
                Axis::Joint(joint) => {
                    let joint = &mechanism.joint_inertias[joint];
                    let (gauge, factor) =
                        (&mechanism.interactions.gauges[joint.coordinate.gauge], joint.coordinate.factor);
                    gauge.pull(&self.motions, hints, factor, &mut self.units);
                    let q = gauge.jet(&self.motions, hints) * factor;
                    self.rates[i] = q.d;
                    self.added[i] = joint.inertia;
                    self.known[i] = -joint.inertia * q.dd;
                }
            }
            self.unit_of[i] = from..self.units.list.len();
        }
    }

    /// Masses, motions and the factor of (2) where the formulation has just been evaluated.
    fn settle(&mut self, t: f64, y: &[f64]) -> Result<(), MotionError> {
        let mechanism = self.mechanism;
        mechanism.masses_at(t, &mut self.stack, &mut self.now);
        if let Some(bad) = self.now.iter().find(|now| !(now.mass >= MIN_NUMBER && now.mass.is_finite())) {
            let body = mechanism.bodies[bad.body].name.clone();
            return Err(match bad.mass.is_finite() {
                true => MotionError::MassGone { body, mass: bad.mass },
                false => MotionError::NotFinite { what: format!("the mass of `{body}`") },
            });
        }
        let joints = matches!(self.axes.last(), Some(Axis::Joint(_)));
        self.differs = joints || self.now.iter().any(|now| now.factor != 1.0);
        if !self.differs && self.now.iter().all(|now| now.factor_rate == 0.0) {
            // nothing varies any more
            return Ok(());
        }
        self.place.clear();
        self.place.extend_from_slice(y);
        self.inner.locate_bodies(y, &mut self.motions);
        if !self.differs {
            return Ok(());
        }
        self.look_along_axes(y);
        let n = self.axes.len();
        for j in 0..n {
            if self.added[j] == 0.0 {
                self.lambda[j * n..][..n].fill(0.0);
                continue;
            }
            let unit = &self.units.list[self.unit_of[j].clone()];
            self.inner.respond(unit, &mut self.change)?;
            self.inner.twists(y, &self.change, &mut self.twists);
            for i in 0..n {
                self.lambda[j * n + i] = self.part(i);
            }
        }
        let (added, lambda) = (&self.added, &self.lambda);
        let entry = |i: usize, j: usize| f64::from(u8::from(i == j)) + lambda[j * n + i] * added[j];
        self.lu.factor(n, entry).map_err(|_| MotionError::NotFinite {
            what: "what bodies of varying mass and joints with inertia answer to unit forces".into(),
        })
    }

    /// From z⁰ in `z` to z of (2) and the pulls of (1), with k or without.
    fn solve(&mut self, with_known: bool) {
        let n = self.axes.len();
        if with_known {
            for i in 0..n {
                self.z[i] += (0..n).map(|j| self.lambda[j * n + i] * self.known[j]).sum::<f64>();
            }
        }
        self.lu.solve(&mut self.z);
        self.pulls.clear();
        self.pulls.begin();
        for i in 0..n {
            let known = if with_known { self.known[i] } else { 0.0 };
            let size = known - self.added[i] * self.z[i];
            for unit in &self.units.list[self.unit_of[i].clone()] {
                self.pulls.join(unit.body, unit.wrench.times(size));
            }
        }
    }

    /// The pulls of (1) for a state and the derivative that the formulation finds by itself.
    fn find_pulls(&mut self, y: &[f64], dy: &[f64]) {
        self.inner.body_accelerations(y, dy, &mut self.twists);
        for i in 0..self.axes.len() {
            self.z[i] = self.part(i);
        }
        self.solve(true);
    }

    /// I₀ ω
    fn angular_momentum(&self, body: usize) -> Vec3 {
        let motion = &self.motions[body];
        let inertia = &self.mechanism.bodies[body].particles.properties.inertia_about_com;
        apply(&motion.turned, apply(inertia, apply(&transposed(&motion.turned), motion.w)))
    }

    /// T₀ and V₀ of a body.
    fn energies(&self, body: usize) -> (f64, f64) {
        let (motion, mass) = (&self.motions[body], self.mechanism.bodies[body].particles.properties.mass);
        let kinetic = 0.5 * (mass * dot(motion.v, motion.v) + dot(motion.w, self.angular_momentum(body)));
        (kinetic, -mass * dot(self.mechanism.model.gravity, motion.c))
    }

    /// The derivative with the true masses, from that of the formulation, which has just been evaluated.
    fn correct(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.settle(t, y)?;
        let work = self.inner.work_index();
        if self.differs {
            self.find_pulls(y, dy);
            let power = self.inner.respond(&self.pulls.list, &mut self.change)?;
            let rates = self.inner.rates();
            dy[rates].iter_mut().zip(&self.change).for_each(|(a, da)| *a += da);
            dy[work] += power;
        }
        for now in &self.now {
            let (kinetic, potential) = self.energies(now.body);
            dy[work] += now.factor_rate * (kinetic + potential); // (3)
        }
        Ok(())
    }

    /// Reactions and multipliers that the pulls make, by what observation finds more with them: all is linear. Multipliers only.
    fn multipliers_of_pulls(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, MotionError> {
        let mut frame = std::mem::take(&mut self.frame);
        let mut found = self.inner.observe(t, y, &mut frame);
        let before = frame.multipliers.clone();
        if found.is_ok() {
            self.pulls.list.extend_from_slice(&self.loads);
            self.inner.set_loads(&self.pulls.list);
            found = self.inner.observe(t, y, &mut frame);
            self.inner.set_loads(&self.loads);
        }
        let more = frame.multipliers.iter().zip(&before).map(|(new, old)| new - old).collect();
        self.frame = frame;
        found.map(|()| more)
    }

    /// A v of each coupling at a state.
    fn coupling_rates(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let auxiliary = self.inner.work_index() + 1;
        self.inner.locate_bodies(y, &mut self.ws.motions);
        self.ws.rows(&self.mechanism.interactions, t, &y[auxiliary..]);
        (0..self.mechanism.interactions.couplings.len()).map(|row| self.ws.rate(row)).collect()
    }
}

/// The axes of all M₀: the world's, and the principal ones about which a body has inertia.
fn axes(mechanism: &Mechanism) -> Vec<Axis> {
    let columns = mechanism.columns();
    let mut axes = Vec::new();
    for (mass, varying) in mechanism.masses.iter().enumerate() {
        let properties = &mechanism.bodies[varying.body].particles.properties;
        for axis in &IDENTITY[..columns] {
            axes.push(Axis::Body { mass, axis: *axis, turns: false, inertia: properties.mass });
        }
        let about = |e: Vec3| dot(e, apply(&properties.inertia_about_com, e));
        let principal: Vec<Vec3> = match columns {
            2 => vec![IDENTITY[2]],
            _ => properties.principal_second_moments(mechanism.dimension()).iter().map(|m| m.1).collect(),
        };
        let largest = principal.iter().fold(0.0, |most: f64, &e| most.max(about(e)));
        for axis in principal {
            let inertia = about(axis);
            if inertia > THIN * largest {
                axes.push(Axis::Body { mass, axis, turns: true, inertia });
            }
        }
    }
    axes
}

impl System for AddedInertia<'_> {
    type Error = MotionError;

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.inner.derivative(t, y, dy)?;
        self.correct(t, y, dy)
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.inner.project(t, y, dy)?;
        self.correct(t, y, dy)
    }

    forward!(dimension, rates, independence, error_scale, is_place);
}

impl Formulate for AddedInertia<'_> {
    fn begin_series(&mut self, _: usize) -> Result<(), Vec<NotCovered>> {
        let not = |axis: &Axis| match *axis {
            Axis::Body { mass, .. } => {
                let body = &self.mechanism.bodies[self.mechanism.masses[mass].body].name;
                NotCovered { element: format!("body `{body}`"), why: "its mass varies".into() }
            }
            Axis::Joint(joint) => {
                let joint = &self.mechanism.joints[self.mechanism.joint_inertias[joint].joint].name;
                NotCovered { element: format!("joint `{joint}`"), why: "it has an `inertia`".into() }
            }
        };
        let mut list: Vec<NotCovered> = self.axes.iter().map(not).collect();
        list.dedup();
        Err(list)
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let mut dy = std::mem::take(&mut self.dy);
        let found = self.inner.derivative(t, y, &mut dy).and_then(|()| self.settle(t, y));
        if found.is_ok() && self.differs {
            self.find_pulls(y, &dy);
        }
        self.dy = dy;
        found?;
        if self.differs {
            self.pulls.list.extend_from_slice(&self.loads);
            self.inner.set_loads(&self.pulls.list);
            let observed = self.inner.observe(t, y, frame);
            self.inner.set_loads(&self.loads);
            observed?;
        } else {
            self.inner.observe(t, y, frame)?;
        }
        for now in &self.now {
            let (kinetic, potential) = self.energies(now.body);
            frame.kinetic += (now.factor - 1.0) * kinetic;
            frame.potential += (now.factor - 1.0) * potential;
        }
        for (axis, rate) in self.axes.iter().zip(&self.rates) {
            if let Axis::Joint(joint) = axis {
                frame.kinetic += 0.5 * self.mechanism.joint_inertias[*joint].inertia * rate * rate;
            }
        }
        Ok(())
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.ws.switches[switch] = on;
        self.inner.switch(switch, on);
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        let mut dy = std::mem::take(&mut self.dy);
        let found = self.inner.derivative(t, y, &mut dy).and_then(|()| self.settle(t, y));
        self.dy = dy;
        found?;
        if !self.differs {
            return self.inner.jump(t, y, wanted);
        }
        let (rates, before) = (self.inner.rates(), y.to_vec());
        let was = self.coupling_rates(t, &before);
        let mut jump = self.inner.jump(t, y, wanted)?;
        // what the compiled masses would do, and then the impulses of (1)
        for (change, i) in self.change.iter_mut().zip(rates.clone()) {
            *change = y[i] - before[i];
        }
        self.inner.twists(&before, &self.change, &mut self.twists);
        for i in 0..self.axes.len() {
            self.z[i] = self.part(i);
        }
        self.solve(false);
        self.inner.respond(&self.pulls.list, &mut self.change)?;
        y[rates].iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
        let more = self.multipliers_of_pulls(t, &before)?;
        let is = self.coupling_rates(t, y);
        let mut work = 0.0;
        for (row, more) in more.iter().enumerate() {
            jump.impulses[row] += more;
            work -= 0.5 * more * (was[row] + is[row]); // (J2)
        }
        jump.work += work;
        y[self.inner.work_index()] += work;
        Ok(jump)
    }

    fn set_loads(&mut self, pulls: &[BodyWrench]) {
        self.loads.clear();
        self.loads.extend_from_slice(pulls);
        self.inner.set_loads(pulls);
    }

    fn respond(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<f64, MotionError> {
        let power = self.inner.respond(pulls, change)?;
        if !self.differs {
            return Ok(power);
        }
        let place = std::mem::take(&mut self.place);
        self.inner.twists(&place, change, &mut self.twists);
        self.place = place;
        for i in 0..self.axes.len() {
            self.z[i] = self.part(i);
        }
        self.solve(false);
        let more = self.inner.respond(&self.pulls.list, &mut self.change)?;
        change.iter_mut().zip(&self.change).for_each(|(u, du)| *u += du);
        Ok(power + more)
    }

    forward!(
        start,
        work_index,
        joint_coordinates,
        to_world_axes,
        to_body_axes,
        is_bound,
        locate_bodies,
        twists,
        body_accelerations,
        displace,
        hold,
        sizes,
        counters,
        component_name,
        component_bodies,
        row_name
    );
}

crate::keep::keep!(AddedInertia<'_> { inner, loads, ws } but {
    mechanism, axes, now, differs, place, units, unit_of, added, rates, lambda, lu, z, known, pulls, motions, twists, change, dy, stack, frame
});
