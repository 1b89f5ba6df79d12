//! Limits of joints in time steps over contacts.
//!
//! A limit is a contact between the ground and a *slider*: a body without inertia of its own that moves along the first axis as the coordinate x of the joint does. With (f, m) the wrenches
//! that a unit force along x is on the bodies of the joint:
//!
//!   (N1)  ẋ = Σ f·v + m·ω                                     rate of the slider, and what impulses add to it
//!   (N2)  p on the slider is p (f, m) on the bodies
//!   (N3)  g = x − low, n = +1;   g = high − x, n = −1         either end
//!
//! For these the laws of the step hold as for any contact without friction, with the limit's restitution: (M6) where it is reached fast, (M7) otherwise. x is in metres, as the row of the
//! limit reads it. Sliders stand behind the bodies wherever bodies are listed.

use super::{Given, Near};
use crate::contact::manifold::ContactPoint;
use crate::interactions::{BodyWrench, Motion, Scene, Wrenches};
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::axpy;
use crate::mechanism::Mechanism;
use crate::results::Frame;

/// Pairs from here on are limits, in the order of the mechanism.
const LIMITS: usize = usize::MAX / 2;

/// Whether a pair is a limit.
pub(super) fn is_limit(pair: usize) -> bool {
    pair >= LIMITS
}

/// The sliders of all limits.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    /// How many bodies there are besides.
    bodies: usize,
    sliders: Vec<Slider>,
    /// (f, m) of all, one behind another.
    pulls: Wrenches,
}

#[derive(Clone, Debug, Default)]
struct Slider {
    /// Its part of the pulls.
    pulls: [usize; 2],
    range: [f64; 2],
    restitution: f64,
}

impl Limits {
    pub fn new(mechanism: &Mechanism) -> Self {
        let slider = |limit: &crate::mechanism::MechanismLimit| Slider {
            pulls: [0; 2],
            range: limit.range,
            restitution: limit.restitution,
        };
        Limits {
            bodies: mechanism.bodies.len(),
            sliders: mechanism.events.limits.iter().map(slider).collect(),
            pulls: Wrenches::default(),
        }
    }

    pub fn count(&self) -> usize {
        self.sliders.len()
    }

    /// A moving body of each.
    pub fn bodies<'m>(&self, mechanism: &'m Mechanism) -> impl Iterator<Item = usize> + use<'m> {
        let couplings = &mechanism.interactions.couplings;
        mechanism
            .events
            .limits
            .iter()
            .map(|limit| couplings[limit.row.coupling].bodies.first().copied().unwrap_or(0))
    }

    /// Places and rates of the sliders, and (f, m), where the bodies are.
    pub fn locate(&mut self, mechanism: &Mechanism, auxiliary: &[f64], motions: &mut [Motion]) {
        let Limits { bodies, sliders, pulls } = self;
        if sliders.is_empty() {
            return;
        }
        let interactions = &mechanism.interactions;
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let (bodies, places) = motions.split_at_mut(*bodies);
        let scene = Scene { t: 0.0, bodies, hints, holds, switches: &interactions.switches };
        pulls.clear();
        for ((slider, limit), place) in sliders.iter_mut().zip(&mechanism.events.limits).zip(places) {
            let coupling = &interactions.couplings[limit.row.coupling];
            let x = coupling.sum(&interactions.gauges, &scene);
            let from = pulls.begin();
            for &(g, w) in &coupling.terms {
                interactions.gauges[g].pull(bodies, hints, w, pulls);
            }
            slider.pulls = [from, pulls.list.len()];
            *place = Motion { c: [x.x, 0.0, 0.0], v: [x.d, 0.0, 0.0], ..Motion::FIXED };
        }
    }

    /// Ends that may be reached within a step, appended to a list.
    pub fn find(&self, motions: &[Motion], h: f64, margin: f64, out: &mut Vec<Near>) {
        for (i, slider) in self.sliders.iter().enumerate() {
            let motion = &motions[self.bodies + i];
            for end in 0..2 {
                let gap = slider.gap(end, motion);
                if gap > margin + h * motion.v[0].abs() {
                    continue;
                }
                let normal = [if end == 0 { 1.0 } else { -1.0 }, 0.0, 0.0];
                out.push(Near {
                    pair: LIMITS + i,
                    bodies: [None, Some(self.bodies + i)],
                    restitution: slider.restitution,
                    point: ContactPoint { gap, point: motion.c, normal, key: end as u32 },
                    ..Near::default()
                });
            }
        }
    }

    /// (N1): velocities of the sliders, or what is added to them, behind those of the bodies.
    pub fn rates(&self, twists: &mut [Twist]) {
        for (i, slider) in self.sliders.iter().enumerate() {
            let of = |pull: &BodyWrench| pull.wrench.power(&twists[pull.body]);
            let rate = self.pulls_of(slider).iter().map(of).sum();
            twists[self.bodies + i] = Twist { v: [rate, 0.0, 0.0], w: [0.0; 3] };
        }
    }

    /// (N2): what acts on sliders as wrenches on bodies.
    pub fn on_bodies(&self, wrenches: &mut Vec<BodyWrench>) {
        if self.sliders.is_empty() {
            return;
        }
        for k in 0..wrenches.len() {
            let BodyWrench { body, wrench } = wrenches[k];
            if let Some(slider) = body.checked_sub(self.bodies).and_then(|i| self.sliders.get(i)) {
                let pull =
                    |pull: &BodyWrench| BodyWrench { wrench: pull.wrench.times(wrench.force[0]), ..*pull };
                wrenches.extend(self.pulls_of(slider).iter().map(pull));
            }
        }
        wrenches.retain(|wrench| wrench.body < self.bodies);
    }

    fn pulls_of(&self, slider: &Slider) -> &[BodyWrench] {
        &self.pulls.list[slider.pulls[0]..slider.pulls[1]]
    }

    /// Shows forces of limits as the multipliers of their rows. Where the bodies are is known.
    fn show(&self, mechanism: &Mechanism, given: &[Given], frame: &mut Frame) {
        for given in given {
            let i = given.pair - LIMITS;
            let (row, force) = (&mechanism.events.limits[i].row, given.force[0]);
            let Some(switch) = frame.switches.get_mut(row.switch) else { continue };
            *switch = true;
            frame.multipliers[row.coupling] -= force;
            let pulls = self.pulls_of(&self.sliders[i]).iter();
            frame.acting = pulls.fold(frame.acting, |sum, pull| axpy(sum, force, pull.wrench.force));
        }
    }
}

impl Slider {
    /// (N3)
    fn gap(&self, end: usize, motion: &Motion) -> f64 {
        if end == 0 { motion.c[0] - self.range[0] } else { self.range[1] - motion.c[0] }
    }
}

impl super::ContactSteps {
    /// What contacts gave in the last step, without limits.
    pub fn given_by_contacts(&self) -> &[Given] {
        &self.given[..self.given.partition_point(|given| !is_limit(given.pair))]
    }

    /// Shows the forces of limits in the last step. `motions` and `auxiliary` tell where the bodies are.
    pub fn show_limits(
        &mut self,
        mechanism: &Mechanism,
        auxiliary: &[f64],
        motions: &[Motion],
        frame: &mut Frame,
    ) {
        let first = self.given_by_contacts().len();
        if first == self.given.len() {
            return;
        }
        self.motions[..motions.len()].copy_from_slice(motions);
        self.limits.locate(mechanism, auxiliary, &mut self.motions);
        self.limits.show(mechanism, &self.given[first..], frame);
    }

    /// Whether what contacts gave can be of this mechanism, as far as limits go.
    pub fn knows_limits(mechanism: &Mechanism, given: &Given) -> bool {
        !is_limit(given.pair) || given.pair - LIMITS < mechanism.events.limits.len()
    }
}
