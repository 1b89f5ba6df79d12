//! What forces do to the rates of a tree whose links are eliminated already: M⁻¹ times anything, in O(n).
//!
//! These are the second and third sweep of [`super::steps`] without the inertias. Lanes may be right-hand sides: eight of them cost
//! little more than one.

use super::algebra::{Columns, V};
use super::lane::{Lane, Sink, Source};
use super::tree::{Kind, NONE, Tree};
use super::work::{Group, KeptBall, Record, Wrench, load_factor};

/// What an elimination has left: by link, by ball joint, by group.
pub(super) type Kept<'a, C> = (&'a [Record<C>], &'a [KeptBall<f64>], &'a [Group<f64>]);

/// Turns forces on the rates, in `out`, into what they make of the rates. `wrenches`, one for each link about its group's reference
/// point, are what holds the links back besides; they are used up. `at` says where the record of a link is, and the token that reads
/// it.
#[inline(always)]
pub(crate) fn respond<L: Lane, K: Lane<Number = f64>>(
    token: L::Token,
    tree: &Tree,
    (records, balls, groups): Kept<'_, K::Cell>,
    (one, read): (K::Token, impl Fn(L::Token, K) -> L + Copy),
    wrenches: &mut [Wrench<L::Number>],
    out: &mut [L::Number],
) where
    f64: Source<L>,
{
    // a vector of the elimination, the same in all lanes
    let vector = |cells: &[K::Cell; 3], at: K::Token| -> V<L> {
        V([read(token, cells[0].read(at)), read(token, cells[1].read(at)), read(token, cells[2].read(at))])
    };
    for (i, place) in tree.places.iter().enumerate().rev() {
        let (n, f) = (V::<L>::load(token, &wrenches[i].n), V::<L>::load(token, &wrenches[i].f));
        let u = place.u as usize;
        let (n, f) = match place.kind {
            Kind::Axis => {
                let (index, at) = K::at(one, i);
                let record = &records[index];
                let (turn, slide) = (vector(&record.motion[0], at), vector(&record.motion[1], at));
                let tau: L = out[u].read(token);
                let rest = (tau - turn.dot(n)) - slide.dot(f);
                let inverse = read(token, record.inverse.read(at));
                out[u].write(token, rest * inverse);
                (n.axpy(rest, vector(&record.w[0], at)), f.axpy(rest, vector(&record.w[1], at)))
            }
            Kind::Ball | Kind::Free => {
                let free = place.kind == Kind::Free;
                let first = if free { u + 3 } else { u };
                let moment: V<L> =
                    V([out[first].read(token), out[first + 1].read(token), out[first + 2].read(token)]);
                let kept = &balls[place.group as usize];
                let rest = moment - n;
                let rate = load_factor::<L>(token, &kept.below, &kept.inverse).solve(rest);
                for k in 0..3 {
                    out[first + k].write(token, rate.0[k]);
                }
                let force = f + Columns::load(token, &kept.k).transposed_times(rest);
                if free {
                    let own: V<L> = V([out[u].read(token), out[u + 1].read(token), out[u + 2].read(token)]);
                    let a = load_factor::<L>(token, &kept.mass_below, &kept.mass_inverse).solve(own - force);
                    for k in 0..3 {
                        out[u + k].write(token, a.0[k]);
                    }
                    continue;
                }
                (moment, force)
            }
        };
        let parent = tree.parents[i];
        if parent == NONE {
            continue;
        }
        let n = match place.begins {
            true => V::load(token, &groups[place.group as usize].r).cross_add(f, n),
            false => n,
        };
        let to = &mut wrenches[parent as usize];
        (V::<L>::load(token, &to.n) + n).store(token, &mut to.n);
        (V::<L>::load(token, &to.f) + f).store(token, &mut to.f);
    }
    // outward: the wrenches make room for what the links do
    let zero = V::<L>::splat(token, [0.0; 3]);
    for (i, place) in tree.places.iter().enumerate() {
        let (mut al, mut a) = match tree.parents[i] {
            NONE => (zero, zero),
            parent => {
                let parent = &wrenches[parent as usize];
                (V::<L>::load(token, &parent.n), V::<L>::load(token, &parent.f))
            }
        };
        if place.begins {
            a = al.cross_add(V::load(token, &groups[place.group as usize].r), a);
        }
        let u = place.u as usize;
        match place.kind {
            Kind::Axis => {
                let (index, at) = K::at(one, i);
                let record = &records[index];
                let own: L = out[u].read(token);
                let rate = (own - vector(&record.w[0], at).dot(al)) - vector(&record.w[1], at).dot(a);
                al = al.axpy(rate, vector(&record.motion[0], at));
                a = a.axpy(rate, vector(&record.motion[1], at));
                out[u].write(token, rate);
            }
            Kind::Ball | Kind::Free => {
                let kept = &balls[place.group as usize];
                let first = if place.kind == Kind::Free {
                    a = V([out[u].read(token), out[u + 1].read(token), out[u + 2].read(token)]);
                    u + 3
                } else {
                    u
                };
                let own: V<L> =
                    V([out[first].read(token), out[first + 1].read(token), out[first + 2].read(token)]);
                let turning = own - Columns::load(token, &kept.k).times(a);
                for k in 0..3 {
                    out[first + k].write(token, turning.0[k] - al.0[k]);
                }
                al = turning;
            }
        }
        al.store(token, &mut wrenches[i].n);
        a.store(token, &mut wrenches[i].f);
    }
}
