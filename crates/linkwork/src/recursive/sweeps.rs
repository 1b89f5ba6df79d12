//! The sweeps over a tree: outward, inward, outward (see [`super::steps`] for the equations).
//!
//! What a link hands to the next one stays in registers; forks go through memory.

use super::algebra::{Columns, Symmetric, V};
use super::lane::{Lane, Sink, Source};
use super::steps::{
    Handed, Motion, Weight, drift, eliminate_ball, motion, rotation, shift, shift_mass, turn, weigh,
};
use super::tree::{Constants, Kind, NONE, Place, Tree};
use super::work::{Group, Work};

/// What is given of the links, in cells of any kind: the same for all lanes, or each lane's own.
#[derive(Debug)]
pub(crate) struct Given<'a, C> {
    pub constants: &'a [Constants<C>],
    pub masses: &'a [C],
    /// As [`Tree::spare`].
    pub spare: &'a [[[C; 3]; 3]],
    pub gravity: &'a [C; 3],
}

impl<C> Clone for Given<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Given<'_, C> {}

impl Tree {
    /// What the links are given.
    #[inline(always)]
    pub(crate) fn given(&self) -> Given<'_, f64> {
        let Tree { constants, masses, spare, gravity, .. } = self;
        Given { constants, masses, spare, gravity }
    }
}

/// The ground, as a parent.
#[inline(always)]
pub(super) fn ground<L: Lane, C: Source<L>>(token: L::Token, gravity: &[C; 3]) -> Motion<L> {
    let zero = V::splat(token, [0.0; 3]);
    let unit = |k: usize| V::splat(token, std::array::from_fn(|i| f64::from(u8::from(i == k))));
    Motion {
        frame: Columns([unit(0), unit(1), unit(2)]),
        p: zero,
        w: zero,
        v: zero,
        al: zero,
        a: -V::load(token, gravity),
    }
}

#[inline(always)]
fn numbers<L: Lane, const N: usize>(token: L::Token, list: &[L::Number], from: usize) -> [L; N] {
    let list = &list[from..from + N];
    std::array::from_fn(|k| list[k].read(token))
}

/// The token of what is never packed.
#[inline(always)]
pub(super) fn unpacked<L: Lane>(token: L::Token) -> L::Token {
    L::at(token, 0).1
}

/// (W1): frame and joint of a link from its parent's, and r.
#[inline(always)]
pub(super) fn place_frame<L: Lane>(
    token: L::Token,
    place: &Place,
    (q_list, q): (&[L::Number], L),
    g: Columns<L>,
    (t, slide): (V<L>, L),
    (parent, parent_p): (&Columns<L>, V<L>),
) -> (Columns<L>, V<L>, V<L>) {
    let r = parent_p + parent.times(t);
    let g = match place.kind {
        Kind::Axis => g,
        Kind::Ball => g.product(&rotation(numbers(token, q_list, place.q as usize))),
        Kind::Free => g.product(&rotation(numbers(token, q_list, place.q as usize + 3))),
    };
    let frame = parent.product(&g);
    let p = frame.0[2].scale(q * slide);
    (frame, if place.begins { p } else { r + p }, r)
}

/// (W2): ω and v of a link.
#[inline(always)]
pub(super) fn place_velocity<L: Lane>(
    token: L::Token,
    place: &Place,
    (u_list, rate): (&[L::Number], L),
    of: [V<L>; 2],
    (w, v): (V<L>, V<L>),
    r: V<L>,
) -> (V<L>, V<L>) {
    let v = if place.begins { w.cross_add(r, v) } else { v };
    let u = place.u as usize;
    match place.kind {
        Kind::Axis => (w.axpy(rate, of[0]), v.axpy(rate, of[1])),
        Kind::Ball => (w + V(numbers(token, u_list, u)), v),
        Kind::Free => (V(numbers(token, u_list, u + 3)), V(numbers(token, u_list, u))),
    }
}

/// (W3): α and a of a link.
#[inline(always)]
pub(super) fn place_acceleration<L: Lane>(
    place: &Place,
    added: [V<L>; 2],
    (w, v): (V<L>, V<L>),
    parent_w: V<L>,
    (al, a): (V<L>, V<L>),
    r: V<L>,
) -> (V<L>, V<L>) {
    let a = if place.begins { al.cross_add(r, a) } else { a };
    match place.kind {
        Kind::Axis => (al + added[0], a + added[1]),
        Kind::Ball => (al, a - (w - parent_w).cross(v)),
        Kind::Free => (al, a - w.cross(v)),
    }
}

/// Where the reference point of a group is.
#[inline(always)]
pub(super) fn place_group<L: Lane>(
    token: L::Token,
    tree: &Tree,
    place: &Place,
    q: &[L::Number],
    r: V<L>,
    groups: &mut [Group<L::Number>],
) {
    let mut origin = match tree.group_parents[place.group as usize] {
        NONE => r,
        above => r + V::load(token, &groups[above as usize].origin),
    };
    if place.kind == Kind::Free {
        origin = origin + V(numbers(token, q, place.q as usize));
    }
    let group = &mut groups[place.group as usize];
    r.store(token, &mut group.r);
    origin.store(token, &mut group.origin);
}

/// First sweep, link by link: (W1) to (W6). `ALL`: the motion of all links is kept.
#[inline(always)]
pub(crate) fn outward<L: Lane, C: Source<L>, const ALL: bool>(
    token: L::Token,
    tree: &Tree,
    given: Given<'_, C>,
    q: &[L::Number],
    u: &[L::Number],
    work: &mut Work<L::Cell, L::Number>,
) {
    let base = ground::<L, C>(token, given.gravity);
    let zero = L::splat(token, 0.0);
    let mut last = base;
    for (i, ((place, k), to)) in tree.places.iter().zip(given.constants).zip(&mut work.records).enumerate() {
        let parent = match place {
            Place { follows: true, .. } => last,
            Place { from: NONE, .. } => base,
            Place { from, .. } => work.forks[*from as usize].moving.load(token),
        };
        let (at_q, rate, g) = match place.kind {
            Kind::Axis => {
                let at_q = q[place.q as usize].read(token);
                (at_q, u[place.u as usize].read(token), turn(token, k, at_q))
            }
            Kind::Ball | Kind::Free => (zero, zero, Columns::load(token, &k.e)),
        };
        let slide = k.slide.read(token);
        let t = V::load(token, &k.t);
        let (frame, p, r) = place_frame(token, place, (q, at_q), g, (t, slide), (&parent.frame, parent.p));
        if place.begins {
            place_group::<L>(token, tree, place, q, r, &mut work.groups);
            if let Some(ball) = work.balls.get_mut(place.group as usize) {
                frame.store(token, &mut ball.k);
            }
        }
        let of = motion(frame.0[2], p, k.turn.read(token), slide);
        let (w, v) = place_velocity(token, place, (u, rate), of, (parent.w, parent.v), r);
        let added = drift(w, v, of, rate);
        let (al, a) = place_acceleration(place, added, (w, v), parent.w, (parent.al, parent.a), r);
        last = Motion { frame, p, w, v, al, a };
        let (body, c) = weigh(token, k, &last);
        of[0].store(token, &mut to.motion[0]);
        of[1].store(token, &mut to.motion[1]);
        to.store_body(token, &body);
        if ALL {
            work.moving[i].store(token, &last);
            c.store(token, &mut work.moving[i].c);
        }
        if place.fork != NONE {
            let fork = &mut work.forks[place.fork as usize];
            fork.moving.store(token, &last);
            fork.store(token, &Weight::<L>::zero(token));
        }
    }
}

#[inline(always)]
fn spare_axis<L: Lane, C: Source<L>>(token: L::Token, spare: &[[[C; 3]; 3]], i: usize) -> L {
    match spare.get(i) {
        Some(spare) => spare[2][2].read(token),
        None => L::splat(token, 0.0),
    }
}

/// The inertia of idle spins of a ball joint, in world axes.
#[inline(always)]
fn spare_ball<L: Lane, C: Source<L>>(
    token: L::Token,
    spare: &[[[C; 3]; 3]],
    i: usize,
    frame: &Columns<L>,
) -> Option<Symmetric<L>> {
    let spare = spare.get(i)?;
    // F S Fᵀ by columns of F S
    let fs = Columns(std::array::from_fn(|k| frame.times(V::<L>::load(token, &spare[k]))));
    let entry = |i: usize, j: usize| {
        (0..3).fold(L::splat(token, 0.0), |sum, k| fs.0[k].0[i].mul_add(frame.0[k].0[j], sum))
    };
    Some(Symmetric([entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]))
}

/// The lower of two; what is not finite stays, as a NaN.
#[inline(always)]
fn lower<L: Lane>(lowest: L, inverse: L) -> L {
    let lowest = inverse.mul_add(inverse.of(0.0), lowest);
    inverse.pick_less(lowest, inverse, lowest)
}

/// Second sweep: (W7), (W9), (W10). Forces on rates come in; inertias and wrenches of all links are used up.
#[inline(always)]
pub(crate) fn inward<L: Lane, C: Source<L>>(
    token: L::Token,
    tree: &Tree,
    given: Given<'_, C>,
    tau: &[L::Number],
    work: &mut Work<L::Cell, L::Number>,
) {
    let mut handed = Handed::plain(token, Weight::zero(token));
    let mut carries = false;
    let mut lowest = L::splat(token, f64::INFINITY);
    let alone = unpacked::<L>(token);
    for (i, (place, mass)) in tree.places.iter().zip(given.masses).enumerate().rev() {
        let (at, token) = L::at(token, i);
        let record = &mut work.records[at];
        let body = record.load_body::<L>(token);
        let mass = mass.read(token);
        let mut weight = if carries { body.plus(mass, &handed.weight) } else { body.weight(mass) };
        if place.fork != NONE {
            weight = weight.plus(&work.forks[place.fork as usize].load(alone));
        }
        let u = place.u as usize;
        match place.kind {
            Kind::Axis => {
                let (force, spare) = (tau[u].read(token), spare_axis(token, given.spare, i));
                if !carries {
                    handed = Handed::plain(token, weight);
                }
                handed = handed.next(&weight, record.motion(token), force, spare);
                record.store_axis(token, &handed.kept);
                lowest = lower(lowest, handed.kept.inverse);
                carries = place.follows && !place.begins;
                if carries {
                    continue;
                }
            }
            Kind::Ball | Kind::Free => {
                let free = place.kind == Kind::Free;
                let moment = V(numbers(token, tau, if free { u + 3 } else { u }));
                let to = &mut work.balls[place.group as usize];
                let spare = match given.spare.is_empty() {
                    true => None,
                    false => spare_ball(token, given.spare, i, &Columns::load(alone, &to.k)),
                };
                if carries {
                    weight = handed.eliminated_from(&weight);
                }
                let (mass, force, kept) = eliminate_ball(&weight, moment, spare);
                to.store(alone, &kept);
                for inverse in kept.factor.inverse {
                    lowest = lower(lowest, inverse);
                }
                if free {
                    let factor = mass.factor();
                    let a = factor.solve(V(numbers(token, tau, u)) - force);
                    V(factor.below).store(alone, &mut to.mass_below);
                    V(factor.inverse).store(alone, &mut to.mass_inverse);
                    a.store(alone, &mut to.a);
                    for inverse in factor.inverse {
                        lowest = lower(lowest, inverse);
                    }
                    carries = false;
                    continue;
                }
                let r = V::load(alone, &work.groups[place.group as usize].r);
                handed = Handed::plain(token, shift_mass(mass, moment, force, r));
            }
        };
        // here the weight goes to another group or to a fork
        carries = place.follows;
        if place.kind == Kind::Axis {
            let mut inward = handed.eliminated();
            if place.begins && (place.follows || place.from != NONE) {
                inward = shift(&inward, V::load(alone, &work.groups[place.group as usize].r));
            }
            handed = Handed::plain(token, inward);
        }
        if place.from != NONE {
            let fork = &mut work.forks[place.from as usize];
            let sum = fork.load(alone).plus(&handed.weight);
            fork.store(alone, &sum);
        }
    }
    work.lowest.write(alone, lowest);
}

/// Third sweep: (W8), (W11).
#[inline(always)]
pub(crate) fn accelerate<L: Lane>(
    token: L::Token,
    tree: &Tree,
    work: &mut Work<L::Cell, L::Number>,
    out: &mut [L::Number],
) {
    let zero = V::<L>::splat(token, [0.0; 3]);
    let alone = unpacked::<L>(token);
    // what the accelerations are beyond those with q̈ = 0, but for the last joint's own part
    let (mut al, mut a) = (zero, zero);
    let (mut motion, mut last) = ([zero; 2], L::splat(token, 0.0));
    for (i, place) in tree.places.iter().enumerate() {
        let (at, token) = L::at(token, i);
        if place.kind == Kind::Axis && place.follows && !place.begins {
            // (W13)
            let record = &work.records[at];
            let [w_turn, w_slide] = record.kept::<L>(token);
            let own: L = record.rate.read(token);
            let known = w_turn.less_dot(al, own) - w_slide.dot(a);
            let by_last = w_slide.dot(motion[1]) + w_turn.dot(motion[0]);
            (al, a) = (al.axpy(last, motion[0]), a.axpy(last, motion[1]));
            last = by_last.mul_sub(last, known);
            motion = record.motion::<L>(token);
            out[place.u as usize].write(token, last);
            if place.fork != NONE {
                let beyond = &mut work.forks[place.fork as usize].beyond;
                al.axpy(last, motion[0]).store(alone, &mut beyond[0]);
                a.axpy(last, motion[1]).store(alone, &mut beyond[1]);
            }
            continue;
        }
        (al, a) = match place {
            Place { follows: true, .. } => (al.axpy(last, motion[0]), a.axpy(last, motion[1])),
            Place { from: NONE, .. } => (zero, zero),
            Place { from, .. } => {
                let beyond = &work.forks[*from as usize].beyond;
                (V::load(alone, &beyond[0]), V::load(alone, &beyond[1]))
            }
        };
        (motion, last) = ([zero; 2], L::splat(token, 0.0));
        if place.begins {
            a = al.cross_add(V::load(alone, &work.groups[place.group as usize].r), a);
        }
        let u = place.u as usize;
        match place.kind {
            Kind::Axis => {
                let record = &work.records[at];
                let [w_turn, w_slide] = record.kept::<L>(token);
                let [turn, slide] = record.motion::<L>(token);
                let rate: L = record.rate.read(token);
                let rate = w_turn.less_dot(al, rate) - w_slide.dot(a);
                al = al.axpy(rate, turn);
                a = a.axpy(rate, slide);
                out[u].write(token, rate);
            }
            Kind::Ball | Kind::Free => {
                let kept = &work.balls[place.group as usize];
                let first = if place.kind == Kind::Free {
                    a = V::load(alone, &kept.a);
                    for k in 0..3 {
                        out[u + k].write(token, a.0[k]);
                    }
                    u + 3
                } else {
                    u
                };
                let turning = V::load(alone, &kept.rate) - Columns::load(alone, &kept.k).times(a);
                let rate = turning - al;
                for k in 0..3 {
                    out[first + k].write(token, rate.0[k]);
                }
                al = turning;
            }
        }
        if place.fork != NONE {
            let beyond = &mut work.forks[place.fork as usize].beyond;
            al.store(alone, &mut beyond[0]);
            a.store(alone, &mut beyond[1]);
        }
    }
}
