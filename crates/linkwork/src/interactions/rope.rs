//! What acts on a chain along its length: the air, its own stiffness, and the material that leaves a container.
//!
//! Segment k runs from node k − 1 to node k, e is its direction, l its length. Half of what acts on a segment acts on each of its ends.
//!
//!   (R1)  air         F = −l (k_t |w_t| w_t e + k_n |w_n| w_n + k_1 w),   w = (v_(k−1) + v_k)/2 − wind,  w_t = w·e,  w_n = w − w_t e
//!                     k_t = ½ ρ_a C_t π d,   k_n = ½ ρ_a C_n d
//!   (R2)  stretching  T = max(0, EA ε + c ε̇),   ε = |r_k − r_(k−1)|/l − 1          a rope does not push
//!   (R3)  bending     M = (EI/l) θ about e_k × e_(k+1), and (c_b/l) times the relative turning, as pairs of forces across both
//!                     segments; θ is the angle between them
//!
//! The growing segment runs straight from the last node, at a distance s, to the exit C; u is the speed at which it leaves it, along e from C to the
//! node, v_t the node's velocity across. In a container the material has the exit's velocity:
//!
//!   (R4)  pick-up     on the node −(β ρ u² + T) e where u > 0, on the exit (T − (1 − β) ρ u²) e          T: tension at the exit
//!   (R5)  air         as (R1) for the length s and the mean velocity u e + v_t/2, all of it on the node
//!
//! It has no inertia and, where the motion pulls it out, no weight: the momentum that the rope takes up is that of (R4), which the
//! chain gets back with the next node ([lu2014] has the last segment's mass vary instead, and says nothing of its momentum). Where a
//! drum or a law gives the length, a constraint holds the node; the half of the weight ρ s g that hangs on the node acts there.

use super::action::{Effect, Law};
use super::motion::{BodyPoint, Motion, Wrenches, motion_of};
use crate::interactions::Interactions;
use crate::interactions::program::{Context, Scratch};
use crate::linalg::vec3::{Vec3, add, apply, axpy, cross, dot, norm, scale, sub};

/// The air about a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Air {
    /// k_t, kg/m².
    pub along: f64,
    /// k_n, kg/m².
    pub across: f64,
    /// k_1, N s/m².
    pub linear: f64,
    /// m/s.
    pub wind: Vec3,
}

/// Where material leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// C.
    pub at: BodyPoint,
    /// β; none where the length is given.
    pub pick_up: Option<f64>,
    /// T, N.
    pub tension: f64,
    /// ρ g, N/m, where the weight counts.
    pub weight: Vec3,
}

/// The growing segment at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growing {
    /// s, m.
    pub length: f64,
    /// e
    pub along: Vec3,
    /// u, m/s.
    pub speed: f64,
    /// v_t less that of the exit, m/s.
    pub across: Vec3,
}

/// A chain.
#[derive(Clone, Debug)]
pub struct Rope {
    /// Its nodes.
    pub nodes: Vec<BodyPoint>,
    /// Which segments are whole.
    pub whole: Vec<bool>,
    /// l, m.
    pub segment: f64,
    /// ρ, kg/m.
    pub density: f64,
    /// (R1)
    pub air: Option<Air>,
    /// EA, N, and c, N s, (R2).
    pub axial: Option<[f64; 2]>,
    /// EI, N m², and c_b, N m² s, (R3).
    pub bending: Option<[f64; 2]>,
    /// Where it grows.
    pub exit: Option<Exit>,
    /// Whether it comes from a container or a drum, which may be empty now.
    pub pays_out: bool,
}

/// Distances below this part of a segment have no direction yet: that of the velocity is it.
const NEAR: f64 = 1e-7;

/// A node with the force that has gathered on it.
#[derive(Clone, Copy)]
struct Node {
    r: Vec3,
    v: Vec3,
    arm: Vec3,
    force: Vec3,
}

impl Node {
    #[inline]
    fn new(spot: &BodyPoint, bodies: &[Motion]) -> Self {
        let m = motion_of(bodies, spot.body);
        // most nodes are where the mass of their segment is
        if spot.s == [0.0; 3] {
            return Node { r: m.c, v: m.v, arm: [0.0; 3], force: [0.0; 3] };
        }
        let arm = apply(&m.turned, spot.s);
        Node { r: add(m.c, arm), v: add(m.v, cross(m.w, arm)), arm, force: [0.0; 3] }
    }
}

/// A segment at an instant.
#[derive(Clone, Copy)]
struct Stretch {
    along: Vec3,
    length: f64,
    turning: Vec3,
}

impl Rope {
    /// The air's force on so much of the chain.
    fn drag(air: &Air, length: f64, along: Vec3, v: Vec3) -> Vec3 {
        let w = sub(v, air.wind);
        let tangential = dot(w, along);
        let normal = axpy(w, -tangential, along);
        let mut force = scale(-air.along * tangential.abs() * tangential, along);
        if air.across != 0.0 {
            force = axpy(force, -air.across * norm(normal), normal);
        }
        scale(length, axpy(force, -air.linear, w))
    }

    /// The tension in a segment that stretches, and the energy in it.
    fn tension(&self, [stiffness, damping]: [f64; 2], length: f64, rate: f64) -> (f64, f64) {
        let strain = length / self.segment - 1.0;
        let elastic = (stiffness * strain).max(0.0);
        let tension = if strain > 0.0 { (elastic + damping * rate / self.segment).max(0.0) } else { 0.0 };
        (tension, 0.5 * elastic * strain * self.segment)
    }

    /// The growing segment.
    pub fn growing(&self, bodies: &[Motion]) -> Option<Growing> {
        let (exit, last) = (self.exit.as_ref()?, self.nodes.last()?);
        Some(self.growing_at(&Node::new(&exit.at, bodies), &Node::new(last, bodies)))
    }

    fn growing_at(&self, exit: &Node, node: &Node) -> Growing {
        let (d, v) = (sub(node.r, exit.r), sub(node.v, exit.v));
        let (length, speed) = (norm(d), norm(v));
        let along = if length > NEAR * self.segment {
            scale(1.0 / length, d)
        } else if speed > 0.0 {
            scale(1.0 / speed, v)
        } else {
            [0.0; 3]
        };
        let speed = dot(v, along);
        Growing { length, along, speed, across: axpy(v, -speed, along) }
    }

    /// The tension of every segment that stretches; of others nothing is known here.
    pub fn tensions(&self, bodies: &[Motion], out: &mut Vec<f64>) {
        out.clear();
        let Some(axial) = self.axial else { return };
        for (k, ends) in self.nodes.windows(2).enumerate() {
            let [a, b] = [ends[0].at(bodies), ends[1].at(bodies)];
            let (d, v) = (sub(b.r, a.r), sub(b.v, a.v));
            let length = norm(d);
            let rate = if length > 0.0 { dot(d, v) / length } else { 0.0 };
            out.push(if self.whole[k] { self.tension(axial, length, rate).0 } else { 0.0 });
        }
    }

    /// (R4), (R5): on the last node, and what the exit feels.
    fn at_exit(&self, exit: &Exit, growing: &Growing, mouth: &Node, on_node: &mut Vec3) -> Vec3 {
        let Growing { length, along, speed, across } = *growing;
        if let Some(air) = &self.air {
            let mean = add(mouth.v, axpy(scale(speed, along), 0.5, across));
            *on_node = add(*on_node, Self::drag(air, length, along, mean));
        }
        match exit.pick_up {
            Some(pick_up) if speed > 0.0 => {
                let momentum = self.density * speed * speed;
                *on_node = axpy(*on_node, -(pick_up * momentum + exit.tension), along);
                scale(exit.tension - (1.0 - pick_up) * momentum, along)
            }
            Some(_) => [0.0; 3],
            None => {
                *on_node = axpy(*on_node, 0.5 * length, exit.weight);
                scale(0.5 * length, exit.weight)
            }
        }
    }

    /// (R3): potential energy, and the rate at which it grows.
    fn bend(
        &self,
        [stiffness, damping]: [f64; 2],
        [first, second]: [&Stretch; 2],
        [earlier, middle, later]: [&mut Node; 3],
    ) -> (f64, f64) {
        let axis = cross(first.along, second.along);
        let (sine, cosine) = (norm(axis), dot(first.along, second.along));
        let angle = sine.atan2(cosine);
        let relative = sub(second.turning, first.turning);
        let elastic = match sine > 1e-12 {
            true => scale(stiffness / self.segment * angle / sine, axis),
            // stretched out it is zero; folded back there is no direction for it
            false => [0.0; 3],
        };
        let moment = axpy(elastic, damping / self.segment, relative);
        // on the first segment the moment, on the second its opposite
        let on_first = scale(1.0 / first.length, cross(moment, first.along));
        let on_second = scale(1.0 / second.length, cross(moment, second.along));
        earlier.force = sub(earlier.force, on_first);
        middle.force = add(add(middle.force, on_first), on_second);
        later.force = sub(later.force, on_second);
        (0.5 * stiffness / self.segment * angle * angle, dot(elastic, relative))
    }

    /// Whether nothing acts along it.
    pub fn is_idle(&self) -> bool {
        self.air.is_none() && self.axial.is_none() && self.bending.is_none() && self.exit.is_none()
    }
}

impl Law for Rope {
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let bodies = at.scene.bodies;
        let mut effect = Effect::default();
        let flush = |k: usize, node: &Node, pulls: &mut Wrenches, effect: &mut Effect| {
            if node.force != [0.0; 3] {
                pulls.add(self.nodes[k].body, node.arm, node.force, [0.0; 3]);
                effect.power += dot(node.force, node.v);
            }
        };
        let mut stored = 0.0; // power that goes into potential energy
        let start = |k: usize| Node::new(&self.nodes[k], bodies);
        let mut before: Option<(Node, Stretch)> = None;
        let mut a = start(0);
        if self.air.is_some() || self.axial.is_some() || self.bending.is_some() {
            for k in 1..self.nodes.len() {
                let mut b = start(k);
                let (d, v) = (sub(b.r, a.r), sub(b.v, a.v));
                // a rigid segment has its length
                let length = if self.axial.is_some() { norm(d) } else { self.segment };
                let here = (self.whole[k - 1] && length > 0.0).then(|| {
                    let along = scale(1.0 / length, d);
                    let turning = match self.bending {
                        Some(_) => scale(1.0 / length, cross(along, v)),
                        None => [0.0; 3],
                    };
                    Stretch { along, length, turning }
                });
                if let Some(stretch) = here {
                    if let Some(air) = &self.air {
                        let mean = scale(0.5, add(a.v, b.v));
                        let half = scale(0.5, Self::drag(air, self.segment, stretch.along, mean));
                        (a.force, b.force) = (add(a.force, half), add(b.force, half));
                    }
                    if let Some(axial) = self.axial {
                        let rate = dot(stretch.along, v);
                        let (tension, energy) = self.tension(axial, length, rate);
                        effect.potential += energy;
                        stored += (axial[0] * (length / self.segment - 1.0)).max(0.0) * rate;
                        a.force = axpy(a.force, tension, stretch.along);
                        b.force = axpy(b.force, -tension, stretch.along);
                    }
                }
                if let Some((mut earlier, first)) = before.take() {
                    if let (Some(bending), Some(second)) = (self.bending, here) {
                        let (energy, rate) =
                            self.bend(bending, [&first, &second], [&mut earlier, &mut a, &mut b]);
                        effect.potential += energy;
                        stored += rate;
                    }
                    flush(k - 2, &earlier, pulls, &mut effect);
                }
                match here {
                    Some(stretch) => before = Some((a, stretch)),
                    None => flush(k - 1, &a, pulls, &mut effect),
                }
                a = b;
            }
        } else {
            a = start(self.nodes.len() - 1);
        }
        let last = self.nodes.len() - 1;
        if let Some((earlier, _)) = before {
            flush(last - 1, &earlier, pulls, &mut effect);
        }
        if let Some(exit) = &self.exit {
            let mouth = Node::new(&exit.at, bodies);
            let growing = self.growing_at(&mouth, &a);
            let back = self.at_exit(exit, &growing, &mouth, &mut a.force);
            if back != [0.0; 3] {
                pulls.add(exit.at.body, mouth.arm, back, [0.0; 3]);
                effect.power += dot(back, mouth.v);
            }
        }
        flush(last, &a, pulls, &mut effect);
        effect.power += stored;
        effect
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let mut columns = vec![("segments", ""), ("length", "m")];
        if self.pays_out {
            columns.extend([("growing", "m"), ("pay_out_speed", "m/s")]);
        }
        columns
    }

    fn outputs(&self, at: &Context<'_>, _: &mut Scratch, out: &mut Vec<f64>) {
        let whole = self.whole.iter().filter(|&&whole| whole).count() as f64;
        let growing = self.growing(at.scene.bodies);
        out.extend([whole, whole * self.segment + growing.map_or(0.0, |g| g.length)]);
        if self.pays_out {
            out.extend(growing.map_or([0.0; 2], |growing| [growing.length, growing.speed]));
        }
    }

    /// The bodies that feel it.
    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        let exit = self.exit.iter().map(|exit| exit.at);
        let mut bodies: Vec<usize> = self.nodes.iter().copied().chain(exit).filter_map(|s| s.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Nodes next to each other, three in a row where the rope bends; the last one with the exit.
    fn groups(&self, _: &Interactions) -> Vec<Vec<usize>> {
        let of = |nodes: &[BodyPoint]| nodes.iter().filter_map(|node| node.body).collect::<Vec<_>>();
        let together = if self.bending.is_some() { 3 } else { 2 }.min(self.nodes.len());
        let along = self.nodes.windows(together).map(of);
        let mouth = self.exit.iter().zip(self.nodes.last()).map(|(exit, last)| of(&[*last, exit.at]));
        along.chain(mouth).collect()
    }
}
