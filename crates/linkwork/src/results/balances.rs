//! The balances of a run whose mass, or whose parts, change: mass, momentum, energy.
//!
//! What moves is all bodies and the growing segment of every chain: ρ s of rope with the velocity v_C + u e ((R4) of the chain's forces).
//!
//!   (K1)  P(t) = Σ m v + Σ ρ s (v_C + u e)                          momentum
//!   (K2)  I(t) = P(0) + ∫ (F + ρ u (v_C + u e) + Σ ṁ v) dt + jumps      F: all forces from outside
//!   (K3)  E(t) = T + V + Σ ½ ρ s |v_C + u e|²                       energy
//!   (K4)  A(t) = E(0) + W + ∫ ½ ρ u |v_C + u e|² dt + jumps             W: the work of all forces without a potential
//!
//! ρ u is the rope that leaves its container in a second; what it takes up plastically is part of W. At an impact, at a blow and where parts come or
//! go, P and E jump, and I and A with them; where a node leaves a container they do not, for it takes over what the growing segment had. That segment has no
//! inertia of its own in the equations of motion, so that P and I differ by ∫ ρ s d(v_C + u e), which is of the order of a segment's momentum
//! and vanishes with its length.

use super::Frame;
use crate::interactions::Motion;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub};
use crate::mechanism::Mechanism;

/// What the balances say at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Mass of all that moves, kg.
    pub mass: f64,
    /// P of (K1), N s.
    pub momentum: Vec3,
    /// I of (K2), N s.
    pub impulse: Vec3,
    /// E of (K3), J.
    pub energy: f64,
    /// A of (K4), J.
    pub supplied: f64,
}

/// The integrands of (K2) and (K4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    force: Vec3,
    power: f64,
}

/// The balances.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balances {
    /// The integrals of (K2) and (K4), jumps and what there was at the start included, W not.
    impulse: Vec3,
    supplied: f64,
    /// How far they have been kept, and the integrands there.
    t: f64,
    flow: Flow,
}

/// Lobatto's places within a stretch, (1 ± √(3/7))/2 and the middle, and the weights of all five.
const PLACES: [f64; 3] = [0.172_673_164_646_011_43, 0.5, 0.827_326_835_353_988_6];
const WEIGHTS: [f64; 5] = [1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0];

impl Flow {
    /// Where bodies, forces and reactions are as a frame shows them.
    pub(crate) fn new(mechanism: &Mechanism, frame: &Frame) -> Self {
        let mut force = add(frame.mass_flow_momentum, scale(mass(mechanism, frame), mechanism.model.gravity));
        force = add(force, frame.acting);
        for (joint, reaction) in mechanism.joints.iter().zip(&frame.reactions) {
            match joint.bodies {
                [None, Some(_)] => force = add(force, reaction.force),
                [Some(_), None] => force = sub(force, reaction.force),
                _ => {}
            }
        }
        let mut power = 0.0;
        for Mouthful { flow, velocity, .. } in mouthfuls(mechanism, &frame.motions) {
            force = axpy(force, flow, velocity);
            power += 0.5 * flow * dot(velocity, velocity);
        }
        Flow { force, power }
    }
}

/// The growing segment of a chain.
struct Mouthful {
    /// ρ s
    mass: f64,
    /// ρ u
    flow: f64,
    /// v_C + u e
    velocity: Vec3,
}

fn mouthfuls<'a>(mechanism: &'a Mechanism, motions: &'a [Motion]) -> impl Iterator<Item = Mouthful> + 'a {
    mechanism.chains.iter().filter_map(move |chain| {
        let rope = chain.rope(mechanism)?;
        let (growing, exit) = (rope.growing(motions)?, rope.exit.as_ref()?);
        Some(Mouthful {
            mass: rope.density * growing.length,
            flow: rope.density * growing.speed,
            velocity: axpy(exit.at.at(motions).v, growing.speed, growing.along),
        })
    })
}

/// Mass of all bodies, kg.
fn mass(mechanism: &Mechanism, frame: &Frame) -> f64 {
    let compiled: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
    mechanism.masses.iter().zip(&frame.masses).fold(compiled, |sum, (mass, now)| sum + now - mass.base)
}

impl Balance {
    /// What moves, as a frame shows it.
    pub(crate) fn holdings(mechanism: &Mechanism, frame: &Frame) -> Self {
        let bodies = mechanism.bodies.iter().zip(&frame.motions);
        let mut momentum =
            bodies.fold([0.0; 3], |p, (body, motion)| axpy(p, body.particles.properties.mass, motion.v));
        for (varying, &now) in mechanism.masses.iter().zip(&frame.masses) {
            momentum = axpy(momentum, now - varying.base, frame.motions[varying.body].v);
        }
        let (mut mass, mut energy) = (mass(mechanism, frame), frame.energy());
        for growing in mouthfuls(mechanism, &frame.motions) {
            mass += growing.mass;
            momentum = axpy(momentum, growing.mass, growing.velocity);
            energy += 0.5 * growing.mass * dot(growing.velocity, growing.velocity);
        }
        Balance { mass, momentum, energy, ..Default::default() }
    }

    /// How far the momentum is from what the impulses say, N s.
    pub fn momentum_gap(&self) -> f64 {
        norm(sub(self.momentum, self.impulse))
    }

    /// How far the energy is from what was supplied, J.
    pub fn energy_gap(&self) -> f64 {
        (self.energy - self.supplied).abs()
    }
}

/// What there was before something jumped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    holdings: Balance,
    work: f64,
    potential: f64,
}

impl Before {
    pub(crate) fn new(mechanism: &Mechanism, frame: &Frame) -> Self {
        let holdings = Balance::holdings(mechanism, frame);
        Before { holdings, work: frame.work, potential: frame.potential }
    }
}

impl Balances {
    /// Opens them.
    pub(crate) fn open(&mut self, mechanism: &Mechanism, frame: &Frame) {
        let holdings = Balance::holdings(mechanism, frame);
        self.impulse = holdings.momentum;
        self.supplied = holdings.energy - frame.work;
        self.resume(mechanism, frame);
    }

    /// Goes on from here.
    fn resume(&mut self, mechanism: &Mechanism, frame: &Frame) {
        (self.t, self.flow) = (frame.t, Flow::new(mechanism, frame));
    }

    /// Goes on from the same time with other integrands.
    pub(crate) fn go_on(&mut self, flow: Flow) {
        self.flow = flow;
    }

    /// How far they have been kept, s.
    pub(crate) fn t(&self) -> f64 {
        self.t
    }

    /// Where the integrands are wanted to get to a time, the time itself last.
    pub(crate) fn places(&self, t: f64) -> [f64; 4] {
        let h = t - self.t;
        let [a, b, c] = PLACES.map(|place| self.t + place * h);
        [a, b, c, t]
    }

    /// Adds a stretch with the integrands at its places.
    pub(crate) fn add(&mut self, t: f64, flows: [Flow; 4]) {
        let h = t - self.t;
        let end = flows[3];
        for (flow, weight) in std::iter::once(self.flow).chain(flows).zip(WEIGHTS) {
            self.impulse = axpy(self.impulse, h * weight, flow.force);
            self.supplied += h * weight * flow.power;
        }
        (self.t, self.flow) = (t, end);
    }

    /// Takes over what has jumped since, momentum and energy beyond work, and goes on. Where a chain has paid out or taken in, only the height of a node
    /// counts.
    pub(crate) fn jump(&mut self, mechanism: &Mechanism, frame: &Frame, before: &Before, pays_out: bool) {
        let work = frame.work - before.work;
        if pays_out {
            self.supplied += frame.potential - before.potential - work;
        } else {
            let now = Balance::holdings(mechanism, frame);
            self.impulse = add(self.impulse, sub(now.momentum, before.holdings.momentum));
            self.supplied += now.energy - before.holdings.energy - work;
        }
        self.resume(mechanism, frame);
    }

    /// What they say where a frame is.
    pub(crate) fn balance(&self, mechanism: &Mechanism, frame: &Frame) -> Balance {
        Balance {
            impulse: self.impulse,
            supplied: self.supplied + frame.work,
            ..Balance::holdings(mechanism, frame)
        }
    }
}

crate::keep::keep!(Flow { force, power });
crate::keep::keep!(Balances { impulse, supplied, t, flow });
crate::keep::keep!(Balance { mass, momentum, impulse, energy, supplied });
