//! Points that may act in a step: where surfaces, and joints and their limits, touch or may do so by its end.

use super::sleep::root;
use super::{CLOSED, ContactSteps, SLOW};
use crate::contact::manifold::{ContactPoint, manifold};
use crate::contact::{Site, Surface};
use crate::interactions::BodyIndex;
use crate::linalg::vec3::{Vec3, dot, norm, sub};
use crate::mechanism::Mechanism;

/// Overlaps up to this part of the size are left to (M5).
const DEEP: f64 = 1e-7;

/// A point of contact that may act in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Near {
    /// As in [`Given`].
    pub pair: usize,
    pub contact: Option<usize>,
    pub of: Option<usize>,
    /// Both, unless it is of none.
    pub surfaces: Option<[usize; 2]>,
    pub bodies: [BodyIndex; 2],
    pub friction: f64,
    pub restitution: f64,
    pub point: ContactPoint,
}

impl ContactSteps {
    /// What bodies may come nearer to each other in a step beyond their own velocities, m: what falls freely, twice, and what is struck, by up to twice the fastest.
    pub(super) fn margin(&self, h: f64) -> f64 {
        let fastest =
            self.motions.iter().zip(&self.reach).fold(0.0, |fastest: f64, (motion, reach)| {
                fastest.max(norm(motion.v) + reach * norm(motion.w))
            });
        self.gravity * h * h + (2.0 * h * fastest).min(0.5 * self.smallest)
    }

    /// Points in which surfaces touch or may do so by the end of a step, where the bodies are.
    pub(super) fn find_points(&mut self, mechanism: &Mechanism, h: f64, margin: f64) {
        self.nearby.around(&self.surfaces, &mechanism.pairs, &self.motions, h, margin, &mut self.pairs);
        self.look(mechanism, h, margin);
    }

    /// The same among the pairs that were found last.
    pub(super) fn look(&mut self, mechanism: &Mechanism, h: f64, margin: f64) {
        self.near.clear();
        for i in 0..self.pairs.len() {
            let pair = &mechanism.pairs[self.pairs[i]];
            if self.lie_still(pair.surfaces.map(|s| self.surfaces[s].body())) {
                continue;
            }
            let contact = &mechanism.contacts[pair.first];
            let near = Near {
                pair: self.pairs[i],
                contact: Some(pair.first),
                of: Some(pair.of),
                surfaces: Some(pair.surfaces),
                friction: contact.friction,
                restitution: contact.restitution,
                ..Near::default()
            };
            self.meet(near, pair.count, h, margin);
        }
        // those without surfaces
        let of_pairs = mechanism.pairs.last().map_or(0, |pair| pair.contacts().end);
        for (i, contact) in mechanism.contacts[of_pairs..].iter().enumerate() {
            let touch = contact.feature.touch(&self.motions);
            if self.lie_still(contact.feature.bodies()) {
                continue;
            }
            if touch.gap <= margin + h * (touch.rate.abs() + norm(touch.point_rate)) {
                self.near.push(Near {
                    pair: mechanism.pairs.len() + i,
                    contact: Some(of_pairs + i),
                    of: None,
                    surfaces: None,
                    bodies: contact.feature.bodies(),
                    friction: contact.friction,
                    restitution: contact.restitution,
                    point: ContactPoint { gap: touch.gap, point: touch.point, normal: touch.normal, key: 0 },
                });
            }
        }
        let behind = mechanism.pairs.len() + mechanism.contacts.len() - of_pairs;
        for i in 0..self.nearby.crowded().len() {
            let pair = self.nearby.crowded()[i];
            let [a, b] = pair.surfaces;
            if self.lie_still([a, b].map(|s| self.surfaces[s].body())) {
                continue;
            }
            let contact = &mechanism.model.contacts[pair.of];
            let near = Near {
                pair: behind + a.min(b) * self.surfaces.len() + a.max(b),
                of: Some(pair.of),
                surfaces: Some(pair.surfaces),
                friction: contact.friction,
                restitution: contact.restitution,
                ..Near::default()
            };
            self.meet(near, 1, h, margin);
        }
        self.limits.find(&self.motions, h, margin, &mut self.near);
    }

    /// Points of two surfaces that touch or may do so by the end of a step; `count` contacts of the mechanism show them.
    fn meet(&mut self, near: Near, count: usize, h: f64, margin: f64) {
        let Some(pair) = near.surfaces else { return };
        let [a, b] = pair.map(|s| &self.surfaces[s]);
        let [p, q] = [a, b].map(|surface| surface.at.at(&self.motions));
        let away = norm(sub(q.r, p.r));
        let speed = |surface: &Surface, other: &Surface, v: Vec3| {
            let turns = surface.body().map_or(0.0, |body| norm(self.motions[body].w));
            let reach = surface.reach();
            let arm = if reach.is_finite() { reach } else { away + other.reach() };
            norm(v) + if turns > 0.0 { arm * turns } else { 0.0 }
        };
        let speeds = speed(a, b, p.v) + speed(b, a, q.v);
        self.points.clear();
        manifold(a, b, &self.motions, self.planar, margin + h * speeds, &mut self.points);
        // warm starts find points by their keys
        self.points.sort_unstable_by_key(|point| point.key);
        let bodies = [a.body(), b.body()];
        for (number, &point) in self.points.iter().enumerate() {
            let contact = near.contact.map(|first| first + number.min(count.saturating_sub(1)));
            self.near.push(Near { contact, bodies, point, ..near });
        }
    }

    /// A point as a contact of its bodies, known by its place in `near`.
    pub(super) fn site(&self, i: usize) -> Site {
        let near = &self.near[i];
        Site::at_point(i, near.bodies, &near.point, self.planar, &self.motions)
    }

    /// Finds the components with θ > ½, (M10); tells whether there are any. All have drifted half a step.
    pub(super) fn find_landings(&mut self, mechanism: &Mechanism, h: f64) -> bool {
        let slow = SLOW * self.gravity * h;
        let (closed, deep) = (CLOSED * mechanism.size, DEEP * mechanism.size);
        let mut any = false;
        for i in 0..self.near.len() {
            let near = self.near[i];
            if near.point.gap >= -deep {
                continue;
            }
            let site = self.site(i);
            let approach = -dot(site.touch.normal, site.velocity(&self.motions));
            let bounces = near.restitution > 0.0 && approach > slow;
            let theta = if bounces { 1.0 / (1.0 + near.restitution) } else { 1.0 };
            let same = (near.pair, near.point.key);
            let known = self.given.binary_search_by_key(&same, |given| (given.pair, given.key)).is_ok();
            if approach > if known { slow } else { 0.0 } && theta > 0.5 {
                any = true;
                for body in site.bodies.into_iter().flatten() {
                    let of = &mut self.theta[self.component[body]];
                    *of = of.max(theta);
                }
            }
        }
        if !any {
            return false;
        }
        // what touches goes along
        self.parent.iter_mut().enumerate().for_each(|(i, parent)| *parent = i);
        for near in self.near.iter().filter(|near| near.point.gap <= closed) {
            if let [Some(a), Some(b)] = near.bodies {
                let [a, b] = [a, b].map(|body| root(&mut self.parent, self.component[body]));
                self.parent[a.max(b)] = a.min(b);
                self.theta[a.min(b)] = self.theta[a.min(b)].max(self.theta[a.max(b)]);
            }
        }
        for c in 0..self.theta.len() {
            let top = root(&mut self.parent, c);
            self.theta[top] = self.theta[top].max(self.theta[c]);
        }
        for c in 0..self.theta.len() {
            self.theta[c] = self.theta[root(&mut self.parent, c)];
        }
        true
    }

    /// The contacts that take part in a step. The bodies are in its middle; their velocities without contacts are known.
    pub(super) fn gather(&mut self, h: f64) {
        self.steps.clear();
        for i in 0..self.near.len() {
            let near = self.near[i];
            let site = self.site(i);
            let gap = near.point.gap;
            let velocity = site.velocity(&self.motions);
            let [before, free] = [velocity, site.relative(&self.after)].map(|u| dot(site.touch.normal, u));
            let theta = site.bodies.into_iter().flatten().map(|body| self.theta[self.component[body]]);
            let rest = theta.fold(0.5, f64::max) * h;
            let fast = before < 0.0 && -before > SLOW * (free - before).abs();
            let target = match near.restitution > 0.0 && fast && gap + rest * free < 0.0 {
                true => -near.restitution * before, // (M6)
                false => -gap.max(0.0) / rest,      // (M7)
            };
            self.steps.push(site, (near.pair, near.point.key), near.friction, target, velocity);
        }
    }
}
