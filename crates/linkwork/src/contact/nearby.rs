//! Which pairs of surfaces can have met within a step, so that only these are looked at.
//!
//! A surface with its middle at r and half extents e fills the box r ± e. Within a step of length h from state 0 to state 1, with
//! Δ = r₁ − r₀, a cubic through both ends is off the straight way by at most
//!
//!   (N1)  δ ≤ 4/27 (|h v₀ − Δ| + |h v₁ − Δ|)
//!
//! and a body that turns by θ = h |ω| bulges out of the boxes at its ends by less than R θ²/8, R its reach; beyond θ = 1 it is taken for a
//! ball of radius R. So it stays within
//!
//!   (N2)  hull of both boxes ± (margin + 3/2 δ + R θ²/8)
//!
//! where the half more is for what the motion is not a cubic. Pairs whose boxes overlap are near. They are found by sorting the lower ends along the axis in
//! which the middles are spread most and sweeping over them; with few pairs each is tested by itself. Planes have no box: a surface is near to one
//! if its ball comes below it at either end, with the same slack.
//!
//! Crowds have no list of pairs: boxes that overlap are found by a grid, and whether they meet is asked then.
//!
//! The answer is a list in the order of the pairs, the same for the same input; nothing is allocated once the buffers have grown.

use super::crowd::{CrowdPair, Crowds, Members};
use super::grid::Grid;
use super::{Form, Surface};
use crate::interactions::{Motion, motion_of};
use crate::linalg::vec3::{Vec3, apply, axpy, dot, norm, scale, sub};

/// Two surfaces that can meet, and their contacts in the mechanism's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Both surfaces.
    pub surfaces: [usize; 2],
    /// The model's contact that lets them meet.
    pub of: usize,
    /// The first contact.
    pub first: usize,
    /// How many there are.
    pub count: usize,
}

impl Pair {
    /// Its contacts.
    pub fn contacts(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// So many pairs for each surface are tested one by one.
const FEW: usize = 8;

/// What a surface fills during a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Swept {
    pub low: Vec3,
    pub high: Vec3,
    pub slack: f64,
}

impl Swept {
    pub fn overlaps(&self, other: &Swept) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }
}

/// Finds the pairs that are near.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    swept: Vec<Swept>,
    /// Pairs with a plane, and all others if there are few.
    single: Vec<usize>,
    /// The partners of surface i, with the pair, ascending: partners[starts[i]..starts[i + 1]], each pair once.
    partners: Vec<(usize, usize)>,
    starts: Vec<usize>,
    /// Surfaces that have partners, by their lower ends.
    order: Vec<usize>,
    members: Members,
    grid: Grid,
    crowded: Vec<CrowdPair>,
}

impl Nearby {
    /// For these surfaces, listed pairs and crowds.
    pub fn new(surfaces: &[Surface], pairs: &[Pair], crowds: &Crowds) -> Self {
        let is_plane = |s: usize| matches!(surfaces[s].form, Form::Plane { .. });
        let plane = |p: usize| pairs[p].surfaces.into_iter().any(is_plane);
        let few = pairs.len() <= FEW * surfaces.len();
        let (single, swept): (Vec<usize>, Vec<usize>) = (0..pairs.len()).partition(|&p| few || plane(p));
        let sorted = |p: usize| {
            let [a, b] = pairs[p].surfaces;
            (a.min(b), a.max(b), p)
        };
        let mut list: Vec<_> = swept.into_iter().map(sorted).collect();
        list.sort_unstable();
        let mut starts = vec![0; surfaces.len() + 1];
        list.iter().for_each(|t| starts[t.0 + 1] += 1);
        for i in 0..surfaces.len() {
            starts[i + 1] += starts[i];
        }
        let mut order: Vec<usize> = list.iter().flat_map(|t| [t.0, t.1]).collect();
        order.sort_unstable();
        order.dedup();
        Nearby {
            swept: vec![Swept::default(); surfaces.len()],
            single,
            partners: list.into_iter().map(|(_, b, p)| (b, p)).collect(),
            starts,
            order,
            members: Members::new(surfaces, crowds),
            grid: Grid::default(),
            crowded: Vec::new(),
        }
    }

    /// The pairs of crowds that the last search [`around`](Self::around) found, ascending by the smaller of their surfaces, then the other.
    pub fn crowded(&self) -> &[CrowdPair] {
        &self.crowded
    }

    /// The pairs that can have been nearer than the margin during a step of length h between two states, ascending.
    #[allow(clippy::too_many_arguments)]
    pub fn find(
        &mut self,
        surfaces: &[Surface],
        pairs: &[Pair],
        from: &[Motion],
        to: &[Motion],
        h: f64,
        margin: f64,
        near: &mut Vec<usize>,
    ) {
        near.clear();
        for (swept, surface) in self.swept.iter_mut().zip(surfaces) {
            *swept = sweep(surface, from, to, h, margin);
        }
        self.overlapping(surfaces, pairs, [from, to], 0.0, near);
    }

    /// The pairs that are nearer than the margin, or can be so within a time h as they move now, ascending; those of crowds apart, as [`crowded`](Self::crowded).
    pub fn around(
        &mut self,
        surfaces: &[Surface],
        pairs: &[Pair],
        bodies: &[Motion],
        h: f64,
        margin: f64,
        near: &mut Vec<usize>,
    ) {
        near.clear();
        for (swept, surface) in self.swept.iter_mut().zip(surfaces) {
            let (at, reach) = (surface.at.at(bodies), surface.reach());
            let turns = norm(motion_of(bodies, surface.body()).w);
            let slack = margin + h * (norm(at.v) + if reach.is_finite() { reach * turns } else { 0.0 });
            let extent = if reach.is_finite() { surface.extent(bodies) } else { [0.0; 3] };
            *swept = Swept {
                low: std::array::from_fn(|i| at.r[i] - extent[i] - slack),
                high: std::array::from_fn(|i| at.r[i] + extent[i] + slack),
                slack,
            };
        }
        self.overlapping(surfaces, pairs, [bodies, bodies], h, near);
        self.crowds(surfaces, bodies, h);
    }

    /// Pairs of crowds whose boxes overlap.
    fn crowds(&mut self, surfaces: &[Surface], bodies: &[Motion], h: f64) {
        let Nearby { members, grid, crowded, swept, .. } = self;
        crowded.clear();
        if members.solids.is_empty() {
            return;
        }
        grid.find(&members.solids, swept, |a, b| {
            if swept[a].overlaps(&swept[b]) {
                crowded.extend(members.pair(a, b));
            }
        });
        for &plane in &members.planes {
            let Form::Plane { normal } = &surfaces[plane].form else { continue };
            let motion = motion_of(bodies, surfaces[plane].body());
            let n = apply(&motion.turned, *normal);
            let at = surfaces[plane].at.at(bodies).r;
            let (turns, slack) = (h * norm(motion.w), swept[plane].slack);
            for &s in &members.solids {
                let Swept { low, high, .. } = swept[s];
                let lowest: Vec3 = std::array::from_fn(|i| if n[i] > 0.0 { low[i] } else { high[i] });
                let away = if turns > 0.0 { turns * norm(sub(lowest, at)) } else { 0.0 };
                if dot(n, sub(lowest, at)) <= slack + away {
                    crowded.extend(members.pair(plane, s));
                }
            }
        }
        crowded.sort_unstable_by_key(|pair| {
            let [a, b] = pair.surfaces;
            [a.min(b), a.max(b)]
        });
    }

    /// The pairs whose boxes overlap.
    fn overlapping(
        &mut self,
        surfaces: &[Surface],
        pairs: &[Pair],
        states: [&[Motion]; 2],
        h: f64,
        near: &mut Vec<usize>,
    ) {
        for &p in &self.single {
            let [a, b] = pairs[p].surfaces;
            let close = match (&surfaces[a].form, &surfaces[b].form) {
                (Form::Plane { normal }, _) => self.below([a, b], *normal, surfaces, states, h),
                (_, Form::Plane { normal }) => self.below([b, a], *normal, surfaces, states, h),
                _ => self.swept[a].overlaps(&self.swept[b]),
            };
            if close {
                near.push(p);
            }
        }
        if !self.partners.is_empty() {
            self.sweep_over(near);
            near.sort_unstable();
        }
    }

    /// Whether surface b comes below plane a, at either state or within a time h from there.
    fn below(
        &self,
        [a, b]: [usize; 2],
        normal: Vec3,
        surfaces: &[Surface],
        states: [&[Motion]; 2],
        h: f64,
    ) -> bool {
        // the middle of a moving plane may be far from where the other is: only its turning matters, and it is cheap to be safe
        let slack = self.swept[a].slack + self.swept[b].slack;
        let turns = surfaces[a].body().is_some();
        states.iter().any(|bodies| {
            let away = match turns {
                true => norm(sub(surfaces[b].at.at(bodies).r, surfaces[a].at.at(bodies).r)),
                false => 0.0,
            };
            surfaces[b].above(&surfaces[a].at, normal, bodies)
                <= slack
                    + away
                        * self
                            .turn(a, states, surfaces)
                            .max(h * norm(motion_of(bodies, surfaces[a].body()).w))
        })
    }

    /// By how much the height above a plane can differ between the ends of a step through its turning, per distance.
    fn turn(&self, plane: usize, states: [&[Motion]; 2], surfaces: &[Surface]) -> f64 {
        let [from, to] = states.map(|bodies| motion_of(bodies, surfaces[plane].body()).turned);
        (0..3).map(|i| norm(sub(from[i], to[i]))).fold(0.0, f64::max)
    }

    fn sweep_over(&mut self, near: &mut Vec<usize>) {
        let axis = widest(&self.order, &self.swept);
        let swept = &self.swept;
        self.order
            .sort_unstable_by(|&a, &b| swept[a].low[axis].total_cmp(&swept[b].low[axis]).then(a.cmp(&b)));
        for (i, &a) in self.order.iter().enumerate() {
            let end = swept[a].high[axis];
            for &b in self.order[i + 1..].iter().take_while(|&&b| swept[b].low[axis] <= end) {
                if swept[a].overlaps(&swept[b]) {
                    let (low, high) = (a.min(b), a.max(b));
                    let partners = &self.partners[self.starts[low]..self.starts[low + 1]];
                    let first = partners.partition_point(|t| t.0 < high);
                    near.extend(partners[first..].iter().take_while(|t| t.0 == high).map(|t| t.1));
                }
            }
        }
    }
}

/// The axis along which the middles are spread most.
fn widest(order: &[usize], swept: &[Swept]) -> usize {
    let (mut sum, mut squares) = ([0.0; 3], [0.0; 3]);
    for &s in order {
        for i in 0..3 {
            let x = 0.5 * (swept[s].low[i] + swept[s].high[i]);
            sum[i] += x;
            squares[i] += x * x;
        }
    }
    let spread = |i: usize| squares[i] - sum[i] * sum[i] / order.len().max(1) as f64;
    (1..3).fold(0, |best, i| if spread(i) > spread(best) { i } else { best })
}

/// (N2)
fn sweep(surface: &Surface, from: &[Motion], to: &[Motion], h: f64, margin: f64) -> Swept {
    let [p, q] = [from, to].map(|bodies| surface.at.at(bodies));
    let way = sub(q.r, p.r);
    let bend = norm(axpy(scale(h, p.v), -1.0, way)) + norm(axpy(scale(h, q.v), -1.0, way));
    let turn = [from, to].map(|bodies| norm(motion_of(bodies, surface.body()).w) * h);
    let turn = turn[0].max(turn[1]);
    let slack = margin + 1.5 * 4.0 / 27.0 * bend; // (N1)
    let reach = surface.reach();
    if !reach.is_finite() {
        return Swept { low: p.r, high: p.r, slack };
    }
    let round = matches!(surface.form, Form::Ball { .. });
    let (e, f, slack) = match (round, turn > 1.0) {
        (true, _) => ([reach; 3], [reach; 3], slack),
        (false, true) => ([reach; 3], [reach; 3], slack + reach),
        (false, false) => (surface.extent(from), surface.extent(to), slack + 0.125 * reach * turn * turn),
    };
    Swept {
        low: std::array::from_fn(|i| (p.r[i] - e[i]).min(q.r[i] - f[i]) - slack),
        high: std::array::from_fn(|i| (p.r[i] + e[i]).max(q.r[i] + f[i]) + slack),
        slack,
    }
}
