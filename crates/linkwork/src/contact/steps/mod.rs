//! Impulses of contacts over a time step, for many contacts at once.
//!
//! A step of length h lets every contact give an impulse p, forces and impacts alike. With u = (u_n, u_t) the relative velocity of the contact after the step, v the
//! velocities of the bodies, J_c what makes u of v, and K_c = M⁻¹ J_cᵀ what a unit impulse does to the bodies:
//!
//!   (S1)  u_c = J_c v,   v = v⁰ + Σ K_c p_c                        v⁰: after the step, without contacts
//!   (S2)  0 ≤ u_n − ū ⊥ p_n ≥ 0                                    ū: how fast the gap has to open, see below
//!   (S3)  |p_t| ≤ μ p_n,   p_t = −μ p_n u_t/|u_t| where u_t ≠ 0     Coulomb's cone, not a pyramid
//!
//! With g the gap in the middle of the step and u_n⁻ the velocity before it, ū = −2 g/h lets what is not yet closed close by the end of the step, and no farther;
//! where the gap is closed already, ū = −e u_n⁻ is Newton's law of restitution (\[moreau1988\], \[jean1999\]).
//!
//! **Method.** Gauss–Seidel: each contact in turn, with the others held, which moves the velocities of the bodies at once:
//!
//!   (S5)  p_n ← max(0, p_n − (u_n − ū)/W_nn)
//!   (S6)  p_t ← p_t − W_tt⁻¹ u_t  where that is in the disc of radius μ p_n, else the projection of p_t − u_t/ρ on it,   ρ ≥ |W_tt|
//!
//! Whatever it has come to, impulses push and are inside the cone, and where nothing changes any more (S2) and (S3) hold. The nonsmooth conjugate gradient method (\[silcowitz2010\]) makes it converge faster: with x the impulses,
//!
//!   (S4)  x' = GS(x),  r = x' − x,  β = |r|²/|r before|²,  s ← β s + r  (s ← 0 where β > 1),  x ← x' + β s before
//!
//! in units in which the diagonal of W = J K is 1. Contacts that share no moving body are islands of their own, each solved to its own end. Impulses of the last step are
//! where the next one begins: what rests is solved already.
//!
//! **Residual**: the largest change of a velocity that a last sweep made, m/s.
//!
//! **Positions.** Linear steps drift off curved surfaces, and impacts end a step inside of them. [`Steps::push_out`] finds the least displacement, in the metric of the masses,
//! that opens all gaps: (S2) for displacements, without friction. It moves nothing that does not overlap, and leaves velocities alone.

mod islands;

use super::Site;
use crate::interactions::BodyWrench;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, axpy, cross, dot};

/// A contact in a step.
#[derive(Clone, Copy, Debug)]
pub struct StepContact {
    /// Where it is, in the middle of the step.
    pub site: Site,
    /// Its identity: the pair of surfaces, and which point of their manifold it is.
    pub key: (usize, u32),
    /// Relative velocity before the step, along the axes, m/s.
    before: [f64; 3],
    /// What is sought; displacements take its place while gaps are opened.
    law: Law,
    displacement: Law,
    /// Places of both bodies among those that take part.
    slots: [Option<u32>; 2],
    /// Its block of W = J K in parts of its largest diagonal entry, and that, 1/kg.
    w: [[f64; 3]; 3],
    size: f64,
    /// Its part of [`Steps::effects`].
    effects: [u32; 2],
}

/// (S2) and (S3) of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Law {
    /// μ
    friction: f64,
    /// ū, m/s.
    target: f64,
    /// u without any contact, along the axes, m/s.
    free: [f64; 3],
    /// p along the axes, N s.
    impulse: [f64; 3],
}

/// What unit impulses of a contact along its axes do to a body.
#[derive(Clone, Copy, Debug)]
struct Effect {
    slot: u32,
    change: [Twist; 3],
}

/// Inertia of a body that nothing holds, at an instant.
#[derive(Clone, Copy, Debug)]
pub struct FreeBody {
    /// 1/m
    pub mass: f64,
    /// Inverse of the inertia matrix about the centre of mass, world axes.
    pub inertia: [Vec3; 3],
}

/// How well the last step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Sweeps of the island that took most.
    pub sweeps: u32,
    /// The largest change of a velocity in the last sweep, m/s.
    pub residual: f64,
    /// Against the largest velocity that contacts had to change, m/s.
    pub scale: f64,
}

/// The contacts of a step, and buffers for the next.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// 2 in the plane, 3 in space.
    directions: usize,
    contacts: Vec<StepContact>,
    effects: Vec<Effect>,
    /// The bodies that take part, and the places of all bodies among them.
    bodies: Vec<usize>,
    slot_of: Vec<u32>,
    /// Their velocities: what contacts add to them.
    added: Vec<Twist>,
    islands: islands::Islands,
    /// Of a unit impulse.
    wrenches: Vec<BodyWrench>,
    /// (S4)
    search: Vec<[f64; 3]>,
    before: Vec<[f64; 3]>,
}

/// No place.
const NONE: u32 = u32::MAX;
/// The most sweeps over an island.
const MOST_SWEEPS: u32 = 400;
/// A sweep that changes velocities by less than this part of the largest ends the search,
const CONVERGED: f64 = 1e-6;
/// and by less than this where nothing moves faster than the part [`REST`] of it: what rests begins with the answer of the last step.
const RESTS: f64 = 1e-13;
const REST: f64 = 1e-3;

impl Steps {
    /// For mechanisms with so many bodies.
    pub fn new(directions: usize, bodies: usize) -> Self {
        Steps { directions, slot_of: vec![NONE; bodies], ..Steps::default() }
    }

    /// Forgets the contacts of the last step.
    pub fn clear(&mut self) {
        for &body in &self.bodies {
            self.slot_of[body] = NONE;
        }
        self.bodies.clear();
        self.contacts.clear();
        self.effects.clear();
    }

    /// The contacts.
    pub fn contacts(&self) -> &[StepContact] {
        &self.contacts
    }

    /// Adds a contact that may act in the step.
    /// `before` is its relative velocity before the step.
    pub fn push(&mut self, site: Site, key: (usize, u32), friction: f64, target: f64, before: Vec3) {
        let slots = site.bodies.map(|body| body.map(|body| self.slot(body)));
        self.contacts.push(StepContact {
            site,
            key,
            before: site.axes.map(|axis| dot(axis, before)),
            law: Law { friction: friction.min(super::solve::ENDLESS), target, ..Law::default() },
            displacement: Law::default(),
            slots,
            w: [[0.0; 3]; 3],
            size: 0.0,
            effects: [0; 2],
        });
    }

    fn slot(&mut self, body: usize) -> u32 {
        if self.slot_of[body] == NONE {
            self.slot_of[body] = self.bodies.len() as u32;
            self.bodies.push(body);
        }
        self.slot_of[body]
    }

    /// Impulses to begin with, as vectors in world axes.
    pub fn start_with(&mut self, mut impulse: impl FnMut(&StepContact) -> Vec3) {
        let directions = self.directions;
        for contact in &mut self.contacts {
            let vector = impulse(contact);
            let Law { impulse, friction, .. } = &mut contact.law;
            for (p, axis) in impulse.iter_mut().zip(&contact.site.axes).take(directions) {
                *p = dot(*axis, vector);
            }
            impulse[0] = impulse[0].max(0.0);
            let (bound, across) = (*friction * impulse[0], impulse[1].hypot(impulse[2]));
            if across > bound {
                impulse[1] *= bound / across;
                impulse[2] *= bound / across;
            }
        }
    }

    /// Finds K and W. `free` tells the inertia of bodies that nothing holds; for the others `respond` writes what wrenches on bodies do to the velocities of all bodies.
    ///
    /// # Errors
    /// What `respond` reports.
    pub fn prepare<E>(
        &mut self,
        after: &[Twist],
        free: impl Fn(usize) -> Option<FreeBody>,
        mut respond: impl FnMut(&[BodyWrench], &mut [Twist]) -> Result<(), E>,
        twists: &mut [Twist],
    ) -> Result<(), E> {
        let d = self.directions;
        let mut wrenches = std::mem::take(&mut self.wrenches);
        let mut contacts = std::mem::take(&mut self.contacts);
        let mut failed = None;
        for contact in &mut contacts {
            let first = self.effects.len() as u32;
            let mut held = [false; 2];
            for side in 0..2 {
                let (Some(body), Some(slot)) = (contact.site.bodies[side], contact.slots[side]) else {
                    continue;
                };
                match free(body) {
                    None => held[side] = true,
                    Some(inertia) => {
                        let change = effect_on_free(&inertia, &contact.site, side);
                        self.effects.push(Effect { slot, change });
                    }
                }
            }
            if held != [false; 2] {
                let at = self.effects.len();
                let zero = Effect { slot: NONE, change: [Twist::default(); 3] };
                for e in 0..d {
                    wrenches.clear();
                    contact.site.pull(contact.site.axes[e], &mut wrenches);
                    wrenches.retain(|wrench| {
                        contact.site.bodies.iter().zip(held).any(|(&b, h)| h && b == Some(wrench.body))
                    });
                    if let Err(error) = respond(&wrenches, twists) {
                        failed = Some(error);
                        break;
                    }
                    let mut place = at;
                    for (slot, &body) in self.bodies.iter().enumerate() {
                        let twist = twists[body];
                        let known = self.effects.get(place).is_some_and(|effect| effect.slot == slot as u32);
                        if !known && twist == Twist::default() {
                            continue;
                        }
                        if !known {
                            self.effects.insert(place, Effect { slot: slot as u32, ..zero });
                        }
                        self.effects[place].change[e] = twist;
                        place += 1;
                    }
                }
            }
            contact.effects = [first, self.effects.len() as u32];
            let effects = &self.effects[first as usize..];
            for e in 0..d {
                let mut u = [0.0; 3];
                for effect in effects {
                    for side in 0..2 {
                        if contact.slots[side] == Some(effect.slot) {
                            let sign = if side == 0 { -1.0 } else { 1.0 };
                            let v = effect.change[e].velocity(contact.site.arms[side]);
                            u = axpy(u, sign, v);
                        }
                    }
                }
                for r in 0..d {
                    contact.w[r][e] = dot(contact.site.axes[r], u);
                }
            }
            contact.size = (0..d).fold(0.0, |m: f64, e| m.max(contact.w[e][e]));
            if contact.size > 0.0 {
                contact.w = contact.w.map(|row| row.map(|x| x / contact.size));
            }
            let u = contact.site.relative(after);
            contact.law.free = contact.site.axes.map(|axis| dot(axis, u));
            if d == 2 {
                contact.law.free[2] = 0.0;
            }
        }
        (self.contacts, self.wrenches) = (contacts, wrenches);
        match failed {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Solves (S1) to (S3).
    pub fn solve(&mut self) -> Solved {
        self.islands.find(&self.contacts, &self.effects, self.bodies.len());
        self.solve_islands(self.directions, 0.0)
    }

    /// Solves every island in the first `d` directions; changes below `still` end the search.
    fn solve_islands(&mut self, d: usize, still: f64) -> Solved {
        self.added.clear();
        self.added.resize(self.bodies.len(), Twist::default());
        for contact in &self.contacts {
            add_effects(&mut self.added, &self.effects, contact, contact.law.impulse, d);
        }
        let mut solved = Solved::default();
        for island in 0..self.islands.count() {
            let one = self.solve_island(island, d, still);
            solved.sweeps = solved.sweeps.max(one.sweeps);
            if one.residual >= solved.residual {
                (solved.residual, solved.scale) = (one.residual, one.scale);
            }
        }
        solved
    }

    fn solve_island(&mut self, island: usize, d: usize, still: f64) -> Solved {
        let Steps { contacts, effects, added, islands, search, before, .. } = self;
        let members = islands.members(island);
        let scale = members.iter().fold(0.0, |m: f64, &c| m.max(contacts[c as usize].law.demand()));
        let moves = members
            .iter()
            .any(|&c| dot(contacts[c as usize].before, contacts[c as usize].before) > (REST * scale).powi(2));
        let enough = (if moves { CONVERGED } else { RESTS } * scale).max(still);
        search.clear();
        search.resize(members.len(), [0.0; 3]);
        before.clear();
        before.resize(members.len(), [0.0; 3]);
        let mut last = f64::INFINITY;
        let mut change = 0.0;
        for sweep in 0..MOST_SWEEPS {
            for (k, &c) in members.iter().enumerate() {
                before[k] = contacts[c as usize].law.impulse;
            }
            change = 0.0;
            let mut square = 0.0;
            // there and back: (S4) wants a symmetric map
            for &c in members.iter().chain(members.iter().rev().skip(1)) {
                let contact = &mut contacts[c as usize];
                let new = contact.alone(added, d);
                let delta: [f64; 3] = std::array::from_fn(|e| new[e] - contact.law.impulse[e]);
                contact.law.impulse = new;
                if delta != [0.0; 3] {
                    change = f64::max(change, contact.size * dot(delta, delta).sqrt());
                    add_effects(added, effects, contact, delta, d);
                }
            }
            for (k, &c) in members.iter().enumerate() {
                let contact = &contacts[c as usize];
                let r: [f64; 3] = std::array::from_fn(|e| contact.law.impulse[e] - before[k][e]);
                square += contact.size * dot(r, r);
            }
            // one contact alone is solved exactly
            if change <= enough || members.len() == 1 && sweep > 0 {
                return Solved { sweeps: sweep + 1, residual: change.min(enough), scale };
            }
            // (S4); the last sweep stays as it is, inside the cones
            let beta = square / last;
            last = square;
            let goes_on = beta <= 1.0 && sweep + 1 < MOST_SWEEPS;
            for (k, &c) in members.iter().enumerate() {
                let contact = &mut contacts[c as usize];
                let impulse = &mut contact.law.impulse;
                let r: [f64; 3] = std::array::from_fn(|e| impulse[e] - before[k][e]);
                if !goes_on {
                    search[k] = [0.0; 3];
                    continue;
                }
                let step: [f64; 3] = std::array::from_fn(|e| beta * search[k][e]);
                search[k] = std::array::from_fn(|e| step[e] + r[e]);
                if step != [0.0; 3] {
                    *impulse = std::array::from_fn(|e| impulse[e] + step[e]);
                    add_effects(added, effects, contact, step, d);
                }
            }
        }
        Solved { sweeps: MOST_SWEEPS, residual: change, scale }
    }

    /// The wrenches of all impulses on bodies, appended to a list.
    pub fn wrenches(&self, out: &mut Vec<BodyWrench>) {
        for contact in self.contacts.iter().filter(|contact| contact.law.impulse != [0.0; 3]) {
            contact.site.pull(contact.vector(), out);
        }
    }

    /// The work of the impulses, J: what they give to kinetic and potential energy together, p·(u⁻ + u⁺)/2.
    pub fn work(&self) -> f64 {
        let of = |contact: &StepContact| self.work_of(contact).iter().sum::<f64>();
        self.contacts.iter().map(of).sum()
    }

    /// The part of that of one contact, J: along its normal, and across.
    pub fn work_of(&self, contact: &StepContact) -> [f64; 2] {
        let after = contact.velocity(&self.added);
        let of = |e: usize| 0.5 * contact.law.impulse[e] * (contact.before[e] + after[e]);
        [of(0), (1..self.directions).map(of).sum()]
    }

    /// The least displacement that opens all gaps, as wrenches whose answer it is, appended to a list. `gaps` tell where each contact stands at the end of the step. Returns the
    /// deepest overlap, m; up to `allowed` nothing is displaced. Follows everything else that is asked of a step.
    pub fn push_out(&mut self, gaps: &[f64], allowed: f64, out: &mut Vec<BodyWrench>) -> f64 {
        let mut deepest: f64 = 0.0;
        for (contact, &gap) in self.contacts.iter_mut().zip(gaps) {
            deepest = deepest.max(-gap);
            std::mem::swap(&mut contact.law, &mut contact.displacement);
            contact.law = Law { free: [gap, 0.0, 0.0], ..Law::default() };
        }
        if deepest > allowed {
            self.solve_islands(1, 0.1 * allowed);
            self.wrenches(out);
        }
        self.contacts
            .iter_mut()
            .for_each(|contact| std::mem::swap(&mut contact.law, &mut contact.displacement));
        deepest
    }
}

impl Law {
    /// How much of a velocity the contact has to take away by itself, m/s.
    fn demand(&self) -> f64 {
        let normal = (self.free[0] - self.target).min(0.0).abs();
        if self.friction > 0.0 { normal.max(self.free[1].hypot(self.free[2])) } else { normal }
    }
}

impl StepContact {
    /// The impulse on b in world axes.
    pub fn vector(&self) -> Vec3 {
        let axes = self.site.axes.iter().zip(&self.law.impulse);
        axes.fold([0.0; 3], |sum, (axis, p)| axpy(sum, *p, *axis))
    }

    /// Whether it pushes and its friction is below the bound.
    pub fn sticks(&self) -> bool {
        let Law { impulse, friction, .. } = &self.law;
        self.pushes() && impulse[1].hypot(impulse[2]) < (1.0 - 1e-9) * friction * impulse[0]
    }

    /// The normal part of its impulse, N s.
    pub fn push(&self) -> f64 {
        self.law.impulse[0]
    }

    /// The velocity of approach that its impulse alone would stop, m/s.
    pub fn stopped(&self) -> f64 {
        self.law.impulse[0] * self.w[0][0] * self.size
    }

    /// How fast the surfaces came together before the step, m/s.
    pub fn approach(&self) -> f64 {
        -self.before[0]
    }

    /// Whether it pushes.
    pub fn pushes(&self) -> bool {
        self.law.impulse[0] > 0.0
    }

    /// Its relative velocity with what contacts have added, along the axes.
    fn velocity(&self, added: &[Twist]) -> [f64; 3] {
        let mut u = [0.0; 3];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(slot) = self.slots[side] {
                u = axpy(u, sign, added[slot as usize].velocity(self.site.arms[side]));
            }
        }
        std::array::from_fn(|e| self.law.free[e] + dot(self.site.axes[e], u))
    }

    /// (S5) and (S6), with all others held.
    fn alone(&self, added: &[Twist], d: usize) -> [f64; 3] {
        if self.w[0][0] <= 0.0 {
            return [0.0; 3];
        }
        let Law { friction, target, impulse, .. } = self.law;
        let u = self.velocity(added).map(|u| u / self.size);
        let normal = (impulse[0] - (u[0] - target / self.size) / self.w[0][0]).max(0.0); // (S5)
        let bound = friction * normal;
        if bound == 0.0 {
            return [normal, 0.0, 0.0];
        }
        let moved = normal - impulse[0];
        let slip = [u[1] + self.w[1][0] * moved, u[2] + self.w[2][0] * moved];
        let within = |t: [f64; 2]| t[0] * t[0] + t[1] * t[1] <= bound * bound;
        // (S6), if it sticks
        let [s11, s12, s22] = [self.w[1][1], self.w[1][2], self.w[2][2]];
        let stick = if d == 2 {
            [impulse[1] - slip[0] / s11, 0.0]
        } else {
            let det = s11 * s22 - s12 * s12;
            [
                impulse[1] - (s22 * slip[0] - s12 * slip[1]) / det,
                impulse[2] - (s11 * slip[1] - s12 * slip[0]) / det,
            ]
        };
        if within(stick) {
            return [normal, stick[0], stick[1]];
        }
        // (S6), if it slips
        let step = if d == 2 { s11 } else { s11.max(s22) + s12.abs() };
        let slide = [impulse[1] - slip[0] / step, impulse[2] - slip[1] / step];
        if within(slide) {
            return [normal, slide[0], slide[1]];
        }
        let part = bound / (slide[0] * slide[0] + slide[1] * slide[1]).sqrt();
        [normal, part * slide[0], part * slide[1]]
    }
}

/// What unit impulses along the axes of a contact do to a free body on one side of it.
fn effect_on_free(body: &FreeBody, site: &Site, side: usize) -> [Twist; 3] {
    let sign = if side == 0 { -1.0 } else { 1.0 };
    site.axes.map(|axis| {
        let moment = cross(site.arms[side], axis);
        let turn = crate::linalg::vec3::apply(&body.inertia, moment);
        Twist { v: axis.map(|x| sign * body.mass * x), w: turn.map(|x| sign * x) }
    })
}

#[inline]
fn add_effects(added: &mut [Twist], effects: &[Effect], contact: &StepContact, p: [f64; 3], d: usize) {
    for effect in &effects[contact.effects[0] as usize..contact.effects[1] as usize] {
        let twist = &mut added[effect.slot as usize];
        for e in 0..d {
            *twist = twist.add(p[e], &effect.change[e]);
        }
    }
}
