//! `newton-euler`: centres of mass and orientations with multipliers ([schwab2002] chapter 1).
//!
//!   (1)  M ẍ + Φ_xᵀ λ = f        plane: rates (ċ, φ̇) of each body, M = diag(m, m, I)
//!                                space: rates (ċ, ω), M = diag(m 1, R I Rᵀ), and −ω × Iω among the moments of f
//!   (2)  Φ_x ẍ        = γ        eq. (8) of the notes
//!
//! The notes are planar; the rows (3)–(7) of `rows.rs` hold in both. With them the multipliers are minus
//! the force on b, as in the notes, where A in (vb1.5) has the opposite sign of (vb1.1) and a wrong entry
//! (2,4). Unlike in `points`, a pin is an equation here, so without projection the bodies come apart at
//! it: the drift of section 1.5.
//!
//! The solver sees rates of turning times the mechanism's size L, moments by L and inertias by L², so that
//! masses stand beside masses whatever the units of length.
//!
//! It takes names, mass properties, places of nodes on bodies, invariants of modes and the start from the compiled mechanism
//! and nothing else: no Gram matrix, no point row. Modal bodies have coordinates and equations of their own (`modal.rs`).

mod coordinates;
mod inertia;
mod modal;
mod rows;

use super::kernel::{At, Core, Kernel, accessors};
use super::{MotionError, Spin, not_finite};
use crate::error::names::segment;
use crate::formulations::tree::add_coupling_reactions;
use crate::interactions::BodyPoint;
use crate::interactions::{BodyWrench, Motion, Workspace, motion_of};
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::ordering::RowPattern;
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{add, cross, dot, scale, sub};
use crate::mechanism::{Mechanism, Role, too_large};
use crate::model::{Fault, JointKind};
use crate::results::Frame;
use coordinates::Layout;
use inertia::Inertia;
use modal::{EvaluatedRow, InterfaceRow, ModalFrame};
use rows::{Evaluated, Law, Row};

/// The formulation with all its buffers.
pub struct NewtonEuler<'m> {
    mechanism: &'m Mechanism,
    layout: Layout,
    rows: Vec<Row>,
    modal: Vec<ModalFrame>,
    /// Rows of their interfaces, behind those of joints.
    interface_rows: Vec<InterfaceRow>,
    interface_row: EvaluatedRow,
    /// The rates that each coupling touches.
    coupled: Vec<Vec<usize>>,
    points: Vec<BodyPoint>,
    /// The joint's points on its first and second body.
    joint_points: Vec<[BodyPoint; 2]>,
    inertia: Vec<Inertia>,
    /// L.
    length: f64,
    /// m̄ L² of (8).
    spare: f64,
    kkt: Kkt,
    mass: Vec<f64>,
    poses: Vec<Motion>,
    evaluated: Vec<Evaluated>,
    force: Vec<f64>,
    /// Rates as the solver sees them.
    scaled: Vec<f64>,
    core: Core,
}

impl<'m> NewtonEuler<'m> {
    /// What keeps a mechanism from being solved here: turns of bodies that neither an inertia nor a joint
    /// determines.
    pub fn unsupported(mechanism: &'m Mechanism) -> Vec<Fault> {
        let Some(mut system) = Self::build(mechanism) else {
            return vec![too_large()];
        };
        let (x, v) = system.layout.start(mechanism);
        system.locate(0.0, &x, &v, &mechanism.initial_auxiliary());
        match system.factor_matrix() {
            Err(KktFailure::Massless { point }) => {
                let body = &mechanism.bodies[system.body_of_rate(point)].name;
                vec![
                    Fault::error(
                        format!("bodies.{}", segment(body)),
                        format!("neither mass nor a joint determines every motion of `{body}`, as `newton-euler` needs"),
                    )
                    .help("give the body some inertia, or use formulation = \"points\""),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Sets up equations and buffers; a fault if they would be too large. The mechanism has met no objection.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        Self::build(mechanism).ok_or_else(too_large)
    }

    /// `None` if the factor would be too large.
    fn build(mechanism: &'m Mechanism) -> Option<Self> {
        let modal = ModalFrame::list(mechanism);
        let layout = Layout::new(mechanism, &modal);
        let rows = rows::list(mechanism, &layout);
        let interface_rows = modal::rows(mechanism, &modal);
        let held: Vec<(usize, bool)> =
            interface_rows.iter().map(|row| (row.body(&modal), row.holds_turns())).collect();
        let inertia = inertia::of_bodies(mechanism, &layout, &rows, &held);
        let holders = mechanism.links.holders();
        let points = mechanism.points.iter().map(|p| {
            let body = if mechanism.roles[p.node] == Role::Fixed { None } else { holders[p.node] };
            mechanism.spot(body, p.node)
        });
        let joint_points = mechanism
            .joints
            .iter()
            .map(|joint| [0, 1].map(|side| mechanism.spot(joint.bodies[side], joint.points[side])));
        let total: f64 = inertia.iter().map(|i| i.mass).sum();
        let mean = if total > 0.0 { total / inertia.len() as f64 } else { 1.0 };
        let couplings = &mechanism.interactions.couplings;
        let (n, nx) = (layout.all_rates(), layout.all_coordinates());
        let of_bodies = layout.coordinates() * layout.own.len();
        let lengths = (0..nx).map(|i| i >= of_bodies || i % layout.coordinates() < mechanism.columns());
        let lengths = lengths.chain((0..n).map(|i| !layout.turns(i))).collect();
        let workspace =
            Workspace::new(&mechanism.interactions, mechanism.bodies.len()).with_second_elements();
        let active = !mechanism.interactions.is_idle();
        let core = Core::new(mechanism, workspace, active, nx, lengths, rows.len() + interface_rows.len());
        let mut pattern = Vec::new();
        for slot in 0..layout.own.len() {
            let at = layout.rates() * slot;
            let linear = mechanism.columns();
            pattern.extend((at..at + linear).map(|i| (i, i, 0.0)));
            for i in at + linear..at + layout.rates() {
                pattern.extend((at + linear..=i).map(|j| (i, j, 0.0)));
            }
        }
        for frame in &modal {
            let first = layout.first_amplitude() + frame.first;
            let turns = layout.own_rates(frame.body).skip(3);
            for i in first..first + frame.modes() {
                pattern.extend(turns.clone().map(|j| (i, j, 0.0)));
                pattern.extend((first..=i).map(|j| (i, j, 0.0)));
            }
        }
        let mut patterns: Vec<_> = rows.iter().map(|row| row.pattern(&layout)).collect();
        patterns.extend(interface_rows.iter().map(|row| row.pattern(&modal, &layout)));
        let coupled: Vec<Vec<usize>> =
            couplings.iter().map(|coupling| coupled_rates(&coupling.bodies, &layout, &modal)).collect();
        patterns.extend(coupled.iter().map(|points| RowPattern {
            certain: vec![false; points.len()],
            points: points.clone(),
            simplex: None,
        }));
        let length = mechanism.size;
        Some(NewtonEuler {
            points: points.collect(),
            joint_points: joint_points.collect(),
            kkt: Kkt::new(n, 1, &pattern, &patterns)?,
            mass: vec![0.0; pattern.len()],
            poses: vec![Motion::FIXED; mechanism.bodies.len()],
            evaluated: vec![Evaluated::default(); rows.len()],
            force: vec![0.0; n],
            scaled: vec![0.0; n],
            core,
            spare: mean * length * length,
            mechanism,
            layout,
            rows,
            modal,
            interface_rows,
            interface_row: EvaluatedRow::default(),
            coupled,
            inertia,
            length,
        })
    }

    /// Poses, Φ, Φ_x, γ and M at a state.
    fn locate(&mut self, t: f64, x: &[f64], v: &[f64], auxiliary: &[f64]) {
        place(&self.layout, &self.modal, x, v, &mut self.poses);
        for frame in &mut self.modal {
            let (x, v) = amplitudes(&self.layout, frame, x, v);
            frame.evaluate(x, v, &self.poses[frame.body]);
        }
        for (i, row) in self.rows.iter().enumerate() {
            let e = row.evaluate(&self.poses, self.length);
            let (start, points) = self.kkt.row(i);
            let end = start + points.len();
            row.write(&e, &self.layout, self.length, &mut self.kkt.a[start..end]);
            (self.core.phi[i], self.core.gamma[i]) = (e.phi, e.gamma);
            self.evaluated[i] = e;
        }
        for (i, row) in self.interface_rows.iter().enumerate() {
            let i = self.rows.len() + i;
            let e = &mut self.interface_row;
            row.evaluate(&self.modal, &self.poses, self.length, e);
            let start = self.kkt.row(i).0;
            self.kkt.a[start..start + e.values.len()].copy_from_slice(&e.values);
            (self.core.phi[i], self.core.gamma[i]) = (e.phi, e.gamma);
        }
        if self.core.active {
            self.couple(t, auxiliary);
        }
    }

    /// Rows of the couplings, behind those of the joints.
    fn couple(&mut self, t: f64, auxiliary: &[f64]) {
        let interactions = &self.mechanism.interactions;
        let ws = &mut self.core.interactions;
        ws.motions.copy_from_slice(&self.poses);
        ws.rows(interactions, t, auxiliary);
        let first = self.core.joint_rows;
        for (i, columns) in self.coupled.iter().enumerate() {
            let start = self.kkt.row(first + i).0;
            let values = &mut self.kkt.a[start..start + columns.len()];
            values.fill(0.0);
            for pull in ws.pulls(i) {
                let mut put = |rate: usize, value: f64| {
                    if let Some(at) = columns.iter().position(|c| *c == rate) {
                        values[at] += value;
                    }
                };
                spread(&self.layout, &self.modal, &self.poses, self.length, pull, &mut put);
            }
            (self.core.phi[first + i], self.core.gamma[first + i]) =
                (ws.evaluated[i].phi, ws.evaluated[i].gamma);
        }
    }

    fn factor_matrix(&mut self) -> Result<(), KktFailure> {
        let mut mass = self.mass.iter_mut();
        let mut put = |value: f64| {
            if let Some(entry) = mass.next() {
                *entry = value;
            }
        };
        let by = 1.0 / (self.length * self.length);
        for &b in &self.layout.own {
            let (inertia, pose) = (&self.inertia[b], &self.poses[b]);
            let j = match self.modal.iter().find(|frame| frame.body == b) {
                Some(frame) => frame.inertia(pose),
                None => inertia.in_matrix(pose, self.spare),
            };
            if self.layout.planar {
                [inertia.mass, inertia.mass, by * j[2][2]].into_iter().for_each(&mut put);
            } else {
                [inertia.mass; 3].into_iter().for_each(&mut put);
                for (r, row) in j.iter().enumerate() {
                    row[..=r].iter().for_each(|&value| put(by * value));
                }
            }
        }
        for frame in &self.modal {
            let pose = &self.poses[frame.body];
            for j in 0..frame.modes() {
                frame.coupling(j, pose).into_iter().for_each(|b| put(b / self.length));
                (0..=j).for_each(|l| put(frame.modal_mass(j, l)));
            }
        }
        self.kkt.set_mass(self.mass.iter().copied());
        if !self.core.weighed {
            self.kkt.weigh_rows();
            self.core.weighed = true;
        }
        self.core.counters.factorisations += 1;
        self.kkt.factor()
    }

    fn body_name(&self, rate: usize) -> String {
        format!("body `{}`", self.mechanism.bodies[self.body_of_rate(rate)].name)
    }

    /// The body that a rate belongs to: of an amplitude the frame.
    fn body_of_rate(&self, rate: usize) -> usize {
        match rate.checked_sub(self.layout.first_amplitude()) {
            None => self.layout.own[rate / self.layout.rates()],
            Some(i) => self.modal.iter().rev().find(|f| f.first <= i).map_or(0, |frame| frame.body),
        }
    }

    /// Rates of turning from the solver's scale to rad.
    fn unscale(layout: &Layout, length: f64, values: &mut [f64]) {
        for (i, value) in values.iter_mut().enumerate() {
            if layout.turns(i) {
                *value /= length;
            }
        }
    }

    /// Accelerations and multipliers with the present factor; returns the power that no potential accounts for.
    fn solve(&mut self, t: f64, auxiliary: &[f64]) -> Result<f64, MotionError> {
        let (layout, length) = (&self.layout, self.length);
        let g = self.mechanism.model.gravity;
        for (&b, force) in layout.own.iter().zip(self.force.chunks_exact_mut(layout.rates())) {
            let (inertia, pose) = (&self.inertia[b], &self.poses[b]);
            let wrench = Wrench { force: scale(inertia.mass, g), moment: inertia::gyroscopic(inertia, pose) };
            force.copy_from_slice(&layout.pack(&wrench, length)[..layout.rates()]);
        }
        for frame in &self.modal {
            let pose = &self.poses[frame.body];
            let (bodies, amplitudes) = self.force.split_at_mut(layout.first_amplitude());
            let moment = frame.forces(pose, &mut amplitudes[frame.first..frame.first + frame.modes()]);
            let wrench = Wrench { force: scale(self.inertia[frame.body].mass, g), moment };
            bodies[layout.own_rates(frame.body)]
                .copy_from_slice(&layout.pack(&wrench, length)[..layout.rates()]);
        }
        let mut power = 0.0;
        if self.core.active {
            let (pulls, more) = self.core.interactions.loads(&self.mechanism.interactions, t, auxiliary);
            power += more;
            load((layout, &self.modal), length, &self.inertia, &self.poses, pulls, &mut self.force);
        }
        power += self.core.solve(&mut self.kkt, &self.force);
        Self::unscale(&self.layout, length, &mut self.core.acceleration);
        match self.core.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => {
                let found = format!("the acceleration of {}", self.body_name(i));
                Err(not_finite(self.mechanism, &mut self.core.interactions, (t, auxiliary), found))
            }
        }
    }

    /// What the joints do to their second bodies, and how far each has come apart.
    fn reactions(&self, frame: &mut Frame) {
        frame.reactions.fill(Wrench::default());
        frame.gaps.fill(0.0);
        for ((row, e), (&lambda, &phi)) in
            self.rows.iter().zip(&self.evaluated).zip(self.core.lambda.iter().zip(&self.core.phi))
        {
            let j = row.joint;
            let second = self.mechanism.joints[j].bodies[1];
            // rows of a third body at the same point act on neither side, or on the other one
            let (side, sign) = match row.bodies {
                [_, b] if b == second => (1, -1.0),
                [a, _] if a == second => (0, 1.0),
                _ => continue,
            };
            let force = scale(sign * lambda, e.force);
            let at = add(motion_of(&self.poses, row.bodies[side]).c, e.arms[side]);
            let about = self.joint_points[j][1].at(&self.poses).r;
            let moment = add(cross(sub(at, about), force), scale(sign * lambda, e.couple));
            frame.reactions[j] = frame.reactions[j].plus(Wrench { force, moment });
            if matches!(row.law, Law::Pin { .. } | Law::Line { .. } | Law::Distance { .. }) {
                frame.gaps[j] = frame.gaps[j].hypot(phi);
            }
        }
    }
}

/// Adds wrenches to the force, as far as the bodies carry them.
fn load(
    (layout, modal): (&Layout, &[ModalFrame]),
    length: f64,
    inertia: &[Inertia],
    poses: &[Motion],
    on: &[BodyWrench],
    force: &mut [f64],
) {
    for &BodyWrench { body, wrench: Wrench { force: f, moment } } in on {
        let wrench = Wrench { force: f, moment: inertia[body].carried(&poses[body], moment) };
        let pull = BodyWrench { body, wrench };
        spread(layout, modal, poses, length, &pull, &mut |rate, value| force[rate] += value);
    }
}

/// The generalised forces of a wrench on a body: those of a slider go to its frame and to the amplitude.
#[inline]
fn spread(
    layout: &Layout,
    modal: &[ModalFrame],
    poses: &[Motion],
    length: f64,
    pull: &BodyWrench,
    put: &mut impl FnMut(usize, f64),
) {
    let own = layout.own_rates(pull.body);
    if !own.is_empty() {
        own.zip(layout.pack(&pull.wrench, length)).for_each(|(rate, value)| put(rate, value));
        return;
    }
    for frame in modal {
        if let Some((wrench, mode, along)) = frame.on_slider(pull, poses) {
            let packed = layout.pack(&wrench, length);
            layout.own_rates(frame.body).zip(packed).for_each(|(rate, value)| put(rate, value));
            put(layout.first_amplitude() + frame.first + mode, along);
        }
    }
}

/// The rates that a coupling of bodies touches, each once.
fn coupled_rates(bodies: &[usize], layout: &Layout, modal: &[ModalFrame]) -> Vec<usize> {
    let mut rates: Vec<usize> = Vec::new();
    for &b in bodies {
        let own = layout.own_rates(b);
        if !own.is_empty() {
            rates.extend(own);
            continue;
        }
        for frame in modal {
            if let Some(mode) = frame.mode_of(b) {
                rates.extend(layout.own_rates(frame.body));
                rates.push(layout.first_amplitude() + frame.first + mode);
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    rates.retain(|rate| seen.insert(*rate));
    rates
}

/// The amplitudes of a modal body and their rates among x and v.
fn amplitudes<'x>(layout: &Layout, frame: &ModalFrame, x: &'x [f64], v: &'x [f64]) -> (&'x [f64], &'x [f64]) {
    let (x, v) = (&x[layout.coordinates() * layout.own.len()..], &v[layout.first_amplitude()..]);
    let range = frame.first..frame.first + frame.modes();
    (&x[range.clone()], &v[range])
}

/// All poses at coordinates x and rates v.
fn place(layout: &Layout, modal: &[ModalFrame], x: &[f64], v: &[f64], out: &mut [Motion]) {
    layout.poses(x, v, out);
    for frame in modal {
        let (x, v) = amplitudes(layout, frame, x, v);
        frame.place_sliders(x, v, out);
    }
}

impl Kernel for NewtonEuler<'_> {
    accessors!();

    fn initial(&self) -> (Vec<f64>, Vec<f64>) {
        self.layout.start(self.mechanism)
    }

    fn accelerate(&mut self, at: At<'_>, _: bool) -> Result<f64, MotionError> {
        self.linearise(at);
        self.factor()?;
        self.solve(at.t, at.auxiliary)
    }

    fn coordinate_rates(&mut self, x: &[f64], v: &[f64], dx: &mut [f64]) {
        self.layout.coordinate_rates(x, v, dx);
    }

    fn move_along(&mut self, x: &mut [f64], change: &[f64]) {
        self.layout.displace(x, change);
    }

    fn normalise(&self, x: &mut [f64]) {
        self.layout.normalise(x);
    }

    fn motions(&mut self, x: &[f64], v: &[f64], out: &mut [Motion]) {
        place(&self.layout, &self.modal, x, v, out);
    }

    fn rigid_rates(&mut self, x: &[f64], v: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]) {
        for (b, out) in out.iter_mut().enumerate() {
            *out = self.layout.unpack(rates, b);
        }
        if self.modal.is_empty() {
            return;
        }
        let mut poses = self.poses.clone();
        place(&self.layout, &self.modal, x, v, &mut poses);
        for frame in &self.modal {
            let (_, given) = amplitudes(&self.layout, frame, x, rates);
            let (_, present) = amplitudes(&self.layout, frame, x, v);
            let of_frame = out[frame.body];
            for slider in frame.sliders() {
                let present = biased.then_some(present);
                if let Some(rate) = frame.slider_rate(slider, &poses, of_frame, given, present) {
                    out[slider] = rate;
                }
            }
        }
    }

    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError> {
        self.force.fill(0.0);
        let modal = (&self.layout, &self.modal[..]);
        load(modal, self.length, &self.inertia, &self.poses, pulls, &mut self.force);
        self.core.answer(&mut self.kkt, &self.force, change);
        Self::unscale(&self.layout, self.length, change);
        Ok(())
    }

    fn describe(&mut self, _: At<'_>, frame: &mut Frame) {
        for (i, spot) in self.points.iter().enumerate() {
            let p = spot.at(&self.poses);
            frame.positions[i] = p.r;
            frame.velocities[i] = p.v;
            frame.accelerations[i] = match spot.body {
                None => [0.0; 3],
                Some(b) => add(self.layout.unpack(&self.core.acceleration, b).velocity(p.arm), p.bias),
            };
        }
        let g = self.mechanism.model.gravity;
        let bodies = || self.inertia.iter().zip(&self.poses);
        frame.kinetic = bodies().map(|(inertia, pose)| inertia::kinetic(inertia, pose)).sum();
        for deformed in &self.modal {
            // its rotation has its own energy
            let (inertia, pose) = (&self.inertia[deformed.body], &self.poses[deformed.body]);
            let rigid = 0.5 * dot(pose.w, inertia.angular_momentum(pose));
            frame.kinetic += deformed.kinetic() - rigid;
        }
        frame.potential = -bodies().map(|(inertia, pose)| inertia.mass * dot(g, pose.c)).sum::<f64>();
        self.reactions(frame);
        let place = |j: usize| self.joint_points[j][1].at(&self.poses).r;
        let coupled = self.core.coupling_wrenches();
        add_coupling_reactions(self.mechanism, &coupled, &place, &mut frame.reactions);
        frame.motions.copy_from_slice(&self.poses);
    }

    fn component(&self, i: usize) -> (String, Vec<usize>) {
        let (i, per_body, kind) = match i.checked_sub(self.core.nq) {
            None => (i, self.layout.coordinates(), "coordinate"),
            Some(i) => (i, self.layout.rates(), "velocity"),
        };
        if let Some(mode) = i.checked_sub(per_body * self.layout.own.len()) {
            let body = self.body_of_rate(self.layout.first_amplitude() + mode);
            let name = &self.mechanism.bodies[body].name;
            return (format!("an amplitude of the modal body `{name}` ({kind})"), vec![body]);
        }
        let what = match i % per_body {
            c if c < self.mechanism.columns() => ["x", "y", "z"][c],
            _ => "angular",
        };
        let body = self.layout.own[i / per_body];
        (format!("the {what} {kind} of body `{}`", self.mechanism.bodies[body].name), vec![body])
    }

    fn linearise(&mut self, at: At<'_>) {
        self.locate(at.t, at.q, at.u, at.auxiliary);
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.factor_matrix().map_err(|failure| match failure {
            KktFailure::Massless { point } => MotionError::Massless { point: self.body_name(point) },
            KktFailure::NotFinite => MotionError::NotFinite { what: "the constraint Jacobian".into() },
        })
    }

    fn correct(&mut self) -> u64 {
        let solves = self.core.correct(&mut self.kkt);
        Self::unscale(&self.layout, self.length, &mut self.core.correction);
        solves
    }

    fn rates_of_rows(&mut self, v: &[f64], out: &mut [f64]) {
        for (i, (scaled, v)) in self.scaled.iter_mut().zip(v).enumerate() {
            *scaled = if self.layout.turns(i) { self.length * v } else { *v };
        }
        for (r, rate) in out.iter_mut().enumerate() {
            *rate = self.kkt.row_times(r, &self.scaled);
        }
    }

    fn independence_of(&self, row: usize) -> f64 {
        self.kkt.independence(row)
    }

    fn joint_row_label(&self, row: usize) -> &str {
        match row.checked_sub(self.rows.len()) {
            None => &self.rows[row].label,
            Some(i) => &self.interface_rows[i].label,
        }
    }

    fn free_spins(&self) -> Vec<Spin> {
        let bodies = if self.layout.planar { 0 } else { self.layout.own.len() };
        // what an axis holds turns about it in world axes as well, and stiff loads on it are simpler there
        let free = |b: &usize| {
            let mut joints = self.mechanism.joints.iter().filter(|joint| joint.bodies.contains(&Some(*b)));
            joints.all(|joint| matches!(joint.kind, JointKind::Spherical | JointKind::Floating))
        };
        let free = |slot: &usize| free(&self.layout.own[*slot]);
        (0..bodies)
            .filter(free)
            .map(|slot| Spin { q: 7 * slot + 3, u: self.core.nq + 6 * slot + 3 })
            .collect()
    }
}

crate::keep::keep!(NewtonEuler<'_> { kkt, core } but {
    mechanism, layout, rows, points, joint_points, inertia, length, spare, mass, poses, evaluated, force, scaled, modal, interface_rows,
    interface_row, coupled
});
