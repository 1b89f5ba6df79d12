//! Links without inertia that only equations hold.
//!
//! A massless slider on a rail is moved by nothing but its driver: M is singular, M x + Cᵀν = f with C x = γ is not. Such a link is given
//! some inertia E, and its effect is taken back:
//!
//!   (L1)  (M + E) x + Cᵀν = f + E x
//!
//! which arrives at once where the rows determine these rates, and fast where they hold them to heavier ones.

use super::*;

/// Links that only equations hold, at most.
const MAX_LIGHT: usize = 200;
/// The inertia that such a link is given, as a part of what is usual in the mechanism.
pub(super) const LIGHT: f64 = 1e-3;
/// Times that the effect of it is taken back, at most.
const MAX_CORRECTIONS: usize = 12;

/// A ball joint whose least inertia is below this part of its largest has none there: what is left is rounding.
const ROUNDED: f64 = 1e-12;

/// A link whose joint has no inertia to move at the start, where there are equations that may hold it, and what would be usual.
pub(super) fn weightless(
    mechanism: &Mechanism,
    links: &Links,
    tree: &Tree,
    known: usize,
) -> Option<(usize, f64)> {
    let spanning = &links.spanning;
    let open = spanning.cut.is_empty() && spanning.kept.is_empty();
    if known >= MAX_LIGHT || (open && mechanism.interactions.couplings.is_empty()) {
        return None;
    }
    let (q, u) = links.start(mechanism, tree);
    let mut dynamics = Dynamics::with_kernel(tree.clone(), Kernel::Single);
    let (zero, mut out) = (vec![0.0; u.len()], vec![0.0; u.len()]);
    dynamics.forward(&q, &u, &zero, &mut out);
    let bare = |link: &usize| links.list[*link].spare == [[0.0; 3]; 3];
    if let Some(link) = dynamics.without_inertia().filter(bare) {
        return Some((link, links.stand_in(mechanism, link)));
    }
    (0..links.list.len()).rev().filter(bare).find_map(|link| {
        let pivots = dynamics.ball_inertias(link)?;
        let (least, most) = pivots.iter().fold((f64::INFINITY, 0.0), |(a, b), &x| (x.min(a), x.max(b)));
        (least < ROUNDED * most).then_some((link, most))
    })
}

/// The rates of such links, each with the inertia that it was given.
pub(super) fn light_rates(links: &Links, tree: &Tree, light: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let of = |&(link, inertia): &(usize, f64)| {
        let (first, joint) = (tree.first(link).1, links.list[link].joint);
        let turns = match joint {
            LinkJoint::Free => first + 3..first + 6,
            _ => first..first + joint.counts().1,
        };
        turns.map(move |k| (k, inertia))
    };
    light.iter().flat_map(of).collect()
}

/// What rows are solved with.
pub(super) struct Meeting<'a> {
    pub gamma: &'a [f64],
    pub x: &'a mut [f64],
    pub nu: &'a mut [f64],
    pub scratch: &'a mut [f64],
}

impl Recursive<'_> {
    /// Brings accelerations (or changes of rates) of the tree alone, in x, to those that meet the rows. Where links without inertia were
    /// given some, E, its effect is taken back: M x + Cᵀν = f is solved as (M + E) x + Cᵀν = f + E x, which arrives at once where the rows
    /// determine these rates, and fast where they hold them to heavier ones.
    pub(super) fn meet(
        rows: &mut RowSolver,
        dynamics: &mut Dynamics,
        light: &[(usize, f64)],
        bare: &mut [f64],
        step: Meeting<'_>,
    ) -> u64 {
        let Meeting { gamma, x, nu, scratch } = step;
        if light.is_empty() {
            return rows.solve(gamma, x, nu);
        }
        bare.copy_from_slice(x);
        let mut solves = rows.solve(gamma, x, nu);
        for _ in 0..MAX_CORRECTIONS {
            scratch.fill(0.0);
            for &(k, inertia) in light {
                scratch[k] = inertia * x[k];
            }
            dynamics.clear_again();
            dynamics.solve_again(scratch, x);
            for (x, bare) in x.iter_mut().zip(bare.iter()) {
                *x += bare;
            }
            solves += 1 + rows.solve(gamma, x, nu);
            let off = |&(k, inertia): &(usize, f64)| (x[k] - scratch[k] / inertia).abs();
            let size = light.iter().map(|&(k, _)| x[k].abs()).fold(0.0, f64::max);
            if light.iter().map(off).fold(0.0, f64::max) <= 1e-15 * size {
                break;
            }
        }
        scratch.fill(0.0);
        solves
    }
}
