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
//! Whatever it has come to, impulses push and are inside the cone, and where nothing changes any more (S2) and (S3) hold. Nesterov's extrapolation with restarts
//! (`accelerate`) makes it converge faster. Contacts that share no moving body are islands of their own, each solved to its own end. Impulses of the last step are
//! where the next one begins: what rests is solved already.
//!
//! **Residual**: the largest change of a velocity that a last sweep made, m/s.
//!
//! **Positions.** Linear steps drift off curved surfaces, and impacts end a step inside of them. [`Steps::open`] finds the least displacement, in the metric of the masses,
//! that opens all gaps: (S2) for displacements, without friction. It moves nothing that does not overlap, and leaves velocities alone.

mod accelerate;
mod bodies;
mod direct;
mod islands;
mod patience;

pub use bodies::FreeBody;

use self::accelerate::Search;
use self::bodies::Moved;
use self::direct::{Direct, Island};
use self::patience::Patience;
use super::Site;
use crate::interactions::BodyWrench;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Vec3, axpy, dot};

/// A contact in a step.
#[derive(Clone, Copy, Debug)]
pub struct StepContact {
    /// Where it is, in the middle of the step.
    pub site: Site,
    /// Its identity: the pair of surfaces, and which point of their manifold it is.
    pub key: (usize, u32),
    /// Relative velocity before the step, along the axes, m/s.
    before: [f64; 3],
    block: Block,
}

/// What the solver reads and writes in every pass.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Places of both bodies among those that take part; [`GROUND`] for what does not move.
    slots: [u32; 2],
    /// Its part of [`Steps::effects`]: what it does to bodies that joints hold.
    effects: [u32; 2],
    axes: [Vec3; 3],
    arms: [Vec3; 2],
    law: Law,
    w: Inverse,
}

/// A contact's own block of W = J K in parts of its largest diagonal entry, as (S5) and (S6) need it.
#[derive(Clone, Copy, Debug, Default)]
struct Inverse {
    /// The largest diagonal entry, 1/kg, and its reciprocal.
    size: f64,
    per_size: f64,
    /// 1/W_nn; 0 where nothing answers.
    normal: f64,
    /// W_tn
    across: [f64; 2],
    /// W_tt⁻¹: xx, xy, yy.
    stick: [f64; 3],
    /// 1/ρ
    slide: f64,
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

/// What unit impulses of a contact along its axes do to a body that joints hold.
#[derive(Clone, Copy, Debug)]
struct Effect {
    slot: u32,
    change: [Twist; 3],
}

/// How well the last step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Passes over the island that took most.
    pub sweeps: u32,
    /// The largest change of a velocity in the last pass, m/s.
    pub residual: f64,
    /// Against the largest velocity that contacts had to change, m/s.
    pub scale: f64,
}

impl Solved {
    /// Whether a last pass changed less than a hundredth of the velocity that contacts had to change.
    pub fn is_usable(&self) -> bool {
        self.residual <= patience::USABLE * self.scale
    }
}

/// The contacts of a step, and buffers for the next.
#[derive(Clone, Debug)]
pub struct Steps {
    /// 2 in the plane, 3 in space.
    directions: usize,
    contacts: Vec<StepContact>,
    effects: Vec<Effect>,
    /// The bodies that take part, behind the ground, and the places of all bodies among them.
    bodies: Vec<usize>,
    slot_of: Vec<u32>,
    /// By slot: what contacts have added to the velocity, and what an impulse does to it.
    moved: Vec<Moved>,
    islands: islands::Islands,
    /// Those of the island that is being solved, one behind another: passes read nothing else of contacts.
    blocks: Vec<Block>,
    search: Search,
    direct: Direct,
    /// Of a unit impulse.
    wrenches: Vec<BodyWrench>,
}

/// The place of what does not move.
const GROUND: u32 = 0;
/// No place.
const NONE: u32 = u32::MAX;

impl Steps {
    /// For mechanisms with so many bodies.
    pub fn new(directions: usize, bodies: usize) -> Self {
        Steps {
            directions,
            contacts: Vec::new(),
            effects: Vec::new(),
            bodies: vec![usize::MAX],
            slot_of: vec![NONE; bodies],
            moved: Vec::new(),
            islands: islands::Islands::default(),
            blocks: Vec::new(),
            search: Search::default(),
            direct: Direct::default(),
            wrenches: Vec::new(),
        }
    }

    /// Forgets the contacts of the last step.
    pub fn clear(&mut self) {
        for &body in &self.bodies[1..] {
            self.slot_of[body] = NONE;
        }
        self.bodies.truncate(1);
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
        let slots = site.bodies.map(|body| body.map_or(GROUND, |body| self.slot(body)));
        let law = Law { friction: friction.min(super::solve::ENDLESS), target, ..Law::default() };
        self.contacts.push(StepContact {
            before: site.axes.map(|axis| dot(axis, before)),
            block: Block {
                slots,
                effects: [0; 2],
                axes: site.axes,
                arms: site.arms,
                law,
                w: Inverse::default(),
            },
            site,
            key,
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
            let Law { impulse, friction, .. } = &mut contact.block.law;
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
        self.moved.clear();
        self.moved.push(Moved::default());
        let inertias = self.bodies[1..].iter().map(|&body| Moved::new(free(body)));
        self.moved.extend(inertias);
        let mut contacts = std::mem::take(&mut self.contacts);
        let mut prepared = Ok(());
        for contact in &mut contacts {
            prepared = self.find_effects(contact, &mut respond, twists);
            if prepared.is_err() {
                break;
            }
            contact.block.w = Inverse::new(&self.own_response(&contact.block), d);
            contact.set_free(after, d);
        }
        self.contacts = contacts;
        prepared
    }

    /// What a contact does to bodies that joints hold.
    fn find_effects<E>(
        &mut self,
        contact: &mut StepContact,
        respond: &mut impl FnMut(&[BodyWrench], &mut [Twist]) -> Result<(), E>,
        twists: &mut [Twist],
    ) -> Result<(), E> {
        let first = self.effects.len();
        contact.block.effects = [first as u32; 2];
        let held = contact.block.slots.map(|slot| slot != GROUND && !self.moved[slot as usize].is_free());
        if held == [false; 2] {
            return Ok(());
        }
        let zero = Effect { slot: NONE, change: [Twist::default(); 3] };
        for e in 0..self.directions {
            self.wrenches.clear();
            contact.site.pull(contact.site.axes[e], &mut self.wrenches);
            let site = &contact.site;
            self.wrenches
                .retain(|wrench| site.bodies.iter().zip(held).any(|(&b, h)| h && b == Some(wrench.body)));
            respond(&self.wrenches, twists)?;
            let mut place = first;
            for (slot, &body) in self.bodies.iter().enumerate().skip(1) {
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
        contact.block.effects[1] = self.effects.len() as u32;
        Ok(())
    }

    /// A contact's own block of W.
    fn own_response(&self, block: &Block) -> [[f64; 3]; 3] {
        let mut w = [[0.0; 3]; 3];
        for e in 0..self.directions {
            let mut u = [0.0; 3];
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let slot = block.slots[side];
                let mut change = self.moved[slot as usize].answer(block.axes[e], block.arms[side]);
                change = Twist { v: change.v.map(|x| sign * x), w: change.w.map(|x| sign * x) };
                for effect in &self.effects[block.effects[0] as usize..block.effects[1] as usize] {
                    if effect.slot == slot {
                        change = change.add(1.0, &effect.change[e]);
                    }
                }
                u = axpy(u, sign, change.velocity(block.arms[side]));
            }
            for r in 0..self.directions {
                w[r][e] = dot(block.axes[r], u);
            }
        }
        w
    }

    /// Solves (S1) to (S3).
    pub fn solve(&mut self) -> Solved {
        self.islands.find(&self.contacts, &self.effects, self.bodies.len());
        self.solve_islands(None)
    }

    /// Solves again, from the impulses found, for other velocities without contacts.
    pub fn solve_again(&mut self, after: &[Twist]) -> Solved {
        let d = self.directions;
        self.contacts.iter_mut().for_each(|contact| contact.set_free(after, d));
        self.solve_islands(None)
    }

    /// Solves every island; with `still` changes below that are the end of the search, otherwise it depends on how much moves.
    fn solve_islands(&mut self, still: Option<f64>) -> Solved {
        let Steps { contacts, effects, moved, islands, blocks, search, direct, directions, .. } = self;
        moved.iter_mut().for_each(Moved::rest);
        for contact in contacts.iter() {
            contact.block.add(moved, effects, contact.block.law.impulse);
        }
        let mut solved = Solved::default();
        for i in 0..islands.count() {
            let (members, bodies, planar) = (islands.members(i), islands.bodies(i), *directions == 2);
            let patience = Patience::new(contacts, members, still);
            blocks.clear();
            blocks.extend(members.iter().map(|&c| contacts[c as usize].block));
            let mut island = Island { blocks, moved, bodies, planar };
            let one = solve_island(&mut island, effects, patience, search, direct);
            for (&c, block) in members.iter().zip(&*blocks) {
                contacts[c as usize].block.law.impulse = block.law.impulse;
            }
            solved.sweeps = solved.sweeps.max(one.sweeps);
            if one.residual >= solved.residual {
                (solved.residual, solved.scale) = (one.residual, one.scale);
            }
        }
        solved
    }

    /// The wrenches of all impulses on bodies, appended to a list.
    pub fn wrenches(&self, out: &mut Vec<BodyWrench>) {
        for contact in self.contacts.iter().filter(|contact| contact.block.law.impulse != [0.0; 3]) {
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
        let after = contact.block.velocity(&self.moved);
        let of = |e: usize| 0.5 * contact.block.law.impulse[e] * (contact.before[e] + after[e]);
        [of(0), (1..self.directions).map(of).sum()]
    }

    /// The least displacement that opens all gaps, as wrenches whose answer it is, appended to a list. `gaps` tell where each contact stands; a pass that changes less than `still`, m, is the
    /// last. In place of [`solve`](Self::solve).
    pub fn open(&mut self, gaps: &[f64], still: f64, out: &mut Vec<BodyWrench>) {
        for (contact, &gap) in self.contacts.iter_mut().zip(gaps) {
            contact.block.law = Law { free: [gap, 0.0, 0.0], ..Law::default() };
        }
        self.islands.find(&self.contacts, &self.effects, self.bodies.len());
        self.solve_islands(Some(still));
        self.wrenches(out);
    }
}

/// Passes over an island, with direct solutions between them, until they change little enough.
fn solve_island(
    island: &mut Island,
    effects: &[Effect],
    patience: Patience,
    search: &mut Search,
    direct: &mut Direct,
) -> Solved {
    search.begin(island);
    direct.begin(island);
    let mut passes = 0;
    loop {
        let change = search.pass(island, effects);
        passes += 1;
        if direct.judge(island, passes, change) {
            search.begin(island);
            continue;
        }
        if patience.ends(passes, change) {
            return Solved { sweeps: passes, residual: change, scale: patience.scale() };
        }
        if direct.improve(island, passes, change) {
            search.begin(island);
        } else {
            search.extrapolate(island, patience.hurries(passes));
        }
    }
}

impl Law {
    /// How much of a velocity the contact has to take away by itself, m/s.
    fn demand(&self) -> f64 {
        let normal = (self.free[0] - self.target).min(0.0).abs();
        if self.friction > 0.0 { normal.max(self.free[1].hypot(self.free[2])) } else { normal }
    }

    fn pushes(&self) -> bool {
        self.impulse[0] > 0.0
    }

    /// Whether it pushes and its friction is below the bound.
    fn sticks(&self) -> bool {
        let [normal, s, t] = self.impulse;
        normal > 0.0 && s.hypot(t) < (1.0 - 1e-9) * self.friction * normal
    }
}

impl StepContact {
    /// Its velocity without contacts, in so many directions.
    fn set_free(&mut self, after: &[Twist], directions: usize) {
        let u = self.site.relative(after);
        self.block.law.free = self.site.axes.map(|axis| dot(axis, u));
        if directions == 2 {
            self.block.law.free[2] = 0.0;
        }
    }

    /// The impulse on b in world axes.
    pub fn vector(&self) -> Vec3 {
        let axes = self.site.axes.iter().zip(&self.block.law.impulse);
        axes.fold([0.0; 3], |sum, (axis, p)| axpy(sum, *p, *axis))
    }

    /// Whether it pushes and its friction is below the bound.
    pub fn sticks(&self) -> bool {
        self.block.law.sticks()
    }

    /// The normal part of its impulse, N s.
    pub fn push(&self) -> f64 {
        self.block.law.impulse[0]
    }

    /// The velocity of approach that its impulse alone would stop, m/s.
    pub fn stopped(&self) -> f64 {
        let Inverse { size, normal, .. } = self.block.w;
        if normal > 0.0 { self.push() * size / normal } else { 0.0 }
    }

    /// How fast the surfaces came together before the step, m/s.
    pub fn approach(&self) -> f64 {
        -self.before[0]
    }

    /// Whether it pushes.
    pub fn pushes(&self) -> bool {
        self.block.law.pushes()
    }
}

impl Block {
    /// What contacts have added to the relative velocity.
    #[inline(always)]
    fn added(&self, moved: &[Moved]) -> Vec3 {
        let a = moved[self.slots[0] as usize].velocity(self.arms[0]);
        let b = moved[self.slots[1] as usize].velocity(self.arms[1]);
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    }

    /// Relative velocity with what contacts have added, along the axes.
    #[inline]
    fn velocity(&self, moved: &[Moved]) -> [f64; 3] {
        let u = self.added(moved);
        let [n, s, t] = &self.axes;
        let free = &self.law.free;
        [free[0] + dot(*n, u), free[1] + dot(*s, u), free[2] + dot(*t, u)]
    }

    /// Adds what an impulse does to the velocities.
    #[inline(always)]
    fn add(&self, moved: &mut [Moved], effects: &[Effect], p: [f64; 3]) {
        let [n, s, t] = &self.axes;
        let along = |i: usize| p[0] * n[i] + p[1] * s[i] + p[2] * t[i];
        let vector = [along(0), along(1), along(2)];
        moved[self.slots[0] as usize].push(vector, self.arms[0], -1.0);
        moved[self.slots[1] as usize].push(vector, self.arms[1], 1.0);
        if self.effects[0] == self.effects[1] {
            return;
        }
        for effect in &effects[self.effects[0] as usize..self.effects[1] as usize] {
            let body = &mut moved[effect.slot as usize];
            for e in 0..3 {
                body.add(p[e], &effect.change[e]);
            }
        }
    }

    /// (S5) and (S6), with all others held.
    #[inline(always)]
    fn alone(&self, moved: &[Moved]) -> [f64; 3] {
        let Law { friction, target, impulse, free } = &self.law;
        let w = &self.w;
        let added = self.added(moved);
        let along = |e: usize| free[e] + dot(self.axes[e], added);
        let normal = (impulse[0] - (along(0) - target) * w.per_size * w.normal).max(0.0); // (S5)
        let bound = friction * normal;
        if bound == 0.0 {
            return [normal, 0.0, 0.0];
        }
        let moved = normal - impulse[0];
        let slip = [along(1) * w.per_size + w.across[0] * moved, along(2) * w.per_size + w.across[1] * moved];
        let square = |t: [f64; 2]| t[0] * t[0] + t[1] * t[1];
        // (S6), if it sticks
        let [xx, xy, yy] = w.stick;
        let stick = [impulse[1] - (xx * slip[0] + xy * slip[1]), impulse[2] - (xy * slip[0] + yy * slip[1])];
        if square(stick) <= bound * bound {
            return [normal, stick[0], stick[1]];
        }
        // (S6), if it slips
        let slide = [impulse[1] - slip[0] * w.slide, impulse[2] - slip[1] * w.slide];
        let across = square(slide);
        if across <= bound * bound {
            return [normal, slide[0], slide[1]];
        }
        let part = bound / across.sqrt();
        [normal, part * slide[0], part * slide[1]]
    }
}

impl Inverse {
    /// Of W in the first `d` directions.
    fn new(w: &[[f64; 3]; 3], d: usize) -> Self {
        let size = (0..d).fold(0.0, |m: f64, e| m.max(w[e][e]));
        if size <= 0.0 || w[0][0] <= 0.0 {
            return Inverse::default();
        }
        let w = w.map(|row| row.map(|x| x / size));
        let [xx, xy, yy] = [w[1][1], w[1][2], w[2][2]];
        let stick = match d {
            2 if xx > 0.0 => [1.0 / xx, 0.0, 0.0],
            2 => [0.0; 3],
            _ => {
                let determinant = xx * yy - xy * xy;
                match determinant > 0.0 {
                    true => [yy / determinant, -xy / determinant, xx / determinant],
                    false => [0.0; 3],
                }
            }
        };
        let across = if d == 2 { xx } else { xx.max(yy) + xy.abs() };
        Inverse {
            size,
            per_size: 1.0 / size,
            normal: 1.0 / w[0][0],
            across: [w[1][0], w[2][0]],
            stick,
            slide: if across > 0.0 { 1.0 / across } else { 0.0 },
        }
    }
}
