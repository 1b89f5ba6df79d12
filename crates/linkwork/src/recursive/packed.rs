//! The first sweep with neighbouring links side by side.
//!
//! What does not depend on the parent is done for as many links as a register holds; only the recursions go link by link. Links
//! are worked on in runs of [`RUN`] packs, so that what is between the stages stays in the nearest cache.

use super::algebra::{Columns, V};
use super::lane::{Lane, Many, PACK, Pack, Part, Picked, Source};
use super::steps::{Motion, Weight, drift, motion, turn, weigh};
use super::sweeps::{ground, place_acceleration, place_frame, place_group, place_velocity};
use super::tree::{Kind, NONE, Place, Tree};
use super::work::Work;
use pulp::Simd;

/// Packs in a run.
pub(crate) const RUN: usize = 4;

/// q and q̇ of the axes of a run, side by side.
pub(crate) type Side = [[Pack; 2]; RUN];

/// (W1) to (W6). `ALL`: the motion of all links is kept.
#[inline(always)]
pub(crate) fn outward_packed<S: Simd, const FUSED: bool, const ALL: bool>(
    simd: S,
    tree: &Tree,
    q: &[f64],
    u: &[f64],
    work: &mut Work<Pack, f64>,
) {
    let base = ground::<Picked<FUSED>, f64>(0, &tree.gravity);
    let mut last = base;
    let runs = tree.places.chunks(RUN * PACK).zip(tree.packed.chunks(RUN)).zip(work.records.chunks_mut(RUN));
    for (run, ((places, constants), records)) in runs.enumerate() {
        let packs = records.len();
        let moving = match ALL {
            true => &mut work.moving[run * RUN..run * RUN + packs],
            false => &mut work.moving[..packs],
        };
        let first = run * RUN * PACK;
        let parts = || (0..Many::<S>::PARTS).map(move |part| Part { simd, part });
        // q and q̇ of axes side by side, zero for all others
        let mut side: Side = [[Pack::default(); 2]; RUN];
        for (i, place) in places.iter().enumerate() {
            let to = &mut side[i / PACK % RUN];
            if place.kind == Kind::Axis {
                to[0].0[i % PACK] = q[place.q as usize];
                to[1].0[i % PACK] = u[place.u as usize];
            }
        }
        for ((to, k), numbers) in moving.iter_mut().zip(constants).zip(&side) {
            for token in parts() {
                turn::<Many<S>, Pack>(token, k, numbers[0].read(token)).store(token, &mut to.frame);
            }
        }
        let (mut frame, mut p) = (last.frame, last.p);
        for (i, place) in places.iter().enumerate() {
            let (at, token) = Picked::<FUSED>::at(0, i);
            let (above, above_p) = match place {
                Place { follows: true, .. } => (frame, p),
                Place { from: NONE, .. } => (base.frame, base.p),
                Place { from, .. } => {
                    let from = &work.forks[*from as usize].moving;
                    (Columns::load(0, &from.frame), V::load(0, &from.p))
                }
            };
            let k = &tree.constants[first + i];
            let to = &mut moving[at];
            let g = Columns::load(token, &to.frame);
            let at_q = Picked(side[at % RUN][0].0[token]);
            let constant = (V(k.t.map(Picked)), Picked(k.slide));
            let r;
            (frame, p, r) = place_frame(token, place, (q, at_q), g, constant, (&above, above_p));
            frame.store(token, &mut to.frame);
            p.store(token, &mut to.p);
            if place.begins {
                place_group::<Picked<FUSED>>(0, tree, place, q, r, &mut work.groups);
                if let Some(ball) = work.balls.get_mut(place.group as usize) {
                    frame.store(0, &mut ball.k);
                }
            }
            if place.fork != NONE {
                let fork = &mut work.forks[place.fork as usize];
                frame.store(0, &mut fork.moving.frame);
                p.store(0, &mut fork.moving.p);
                fork.store(0, &Weight::<Picked<FUSED>>::zero(0));
            }
        }
        for ((from, to), k) in moving.iter().zip(records.iter_mut()).zip(constants) {
            for token in parts() {
                let (z, p) = (V::<Many<S>>::load(token, &from.frame[2]), V::load(token, &from.p));
                let of = motion(z, p, k.turn.read(token), k.slide.read(token));
                of[0].store(token, &mut to.motion[0]);
                of[1].store(token, &mut to.motion[1]);
            }
        }
        let (mut w, mut v) = (last.w, last.v);
        for (i, place) in places.iter().enumerate() {
            let (at, token) = Picked::<FUSED>::at(0, i);
            if !place.follows {
                (w, v) = match place.from {
                    NONE => (base.w, base.v),
                    from => {
                        let from = &work.forks[from as usize].moving;
                        (V::load(0, &from.w), V::load(0, &from.v))
                    }
                };
            }
            let r = match place.begins {
                true => V::load(0, &work.groups[place.group as usize].r),
                false => base.p,
            };
            let of = records[at].motion(token);
            let rate = Picked(side[at % RUN][1].0[token]);
            (w, v) = place_velocity(token, place, (u, rate), of, (w, v), r);
            w.store(token, &mut moving[at].w);
            v.store(token, &mut moving[at].v);
            if place.fork != NONE {
                let fork = &mut work.forks[place.fork as usize];
                w.store(0, &mut fork.moving.w);
                v.store(0, &mut fork.moving.v);
            }
        }
        for ((to, from), numbers) in moving.iter_mut().zip(records.iter()).zip(&side) {
            for token in parts() {
                let (w, v) = (V::<Many<S>>::load(token, &to.w), V::load(token, &to.v));
                let added = drift(w, v, from.motion(token), numbers[1].read(token));
                added[0].store(token, &mut to.al);
                added[1].store(token, &mut to.a);
            }
        }
        let (mut al, mut a) = (last.al, last.a);
        let mut turning = last.w;
        for (i, place) in places.iter().enumerate() {
            let (at, token) = Picked::<FUSED>::at(0, i);
            if !place.follows {
                (al, a, turning) = match place.from {
                    NONE => (base.al, base.a, base.w),
                    from => {
                        let from = &work.forks[from as usize].moving;
                        (V::load(0, &from.al), V::load(0, &from.a), V::load(0, &from.w))
                    }
                };
            }
            let r = match place.begins {
                true => V::load(0, &work.groups[place.group as usize].r),
                false => base.p,
            };
            let to = &mut moving[at];
            let added = [V::load(token, &to.al), V::load(token, &to.a)];
            let (w, v) = (V::load(token, &to.w), V::load(token, &to.v));
            (al, a) = place_acceleration(place, added, (w, v), turning, (al, a), r);
            turning = w;
            al.store(token, &mut to.al);
            a.store(token, &mut to.a);
            if place.fork != NONE {
                let fork = &mut work.forks[place.fork as usize];
                al.store(0, &mut fork.moving.al);
                a.store(0, &mut fork.moving.a);
            }
        }
        last = Motion { frame, p, w, v, al, a };
        for ((at, to), k) in moving.iter_mut().zip(records.iter_mut()).zip(constants) {
            for token in parts() {
                let (body, c) = weigh(token, k, &at.load::<Many<S>>(token));
                to.store_body(token, &body);
                if ALL {
                    c.store(token, &mut at.c);
                }
            }
        }
    }
}
