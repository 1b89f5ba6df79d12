//! A hand that pulls at a body while a run goes on.

use std::sync::atomic::{AtomicU64, Ordering};

/// A spring with a damper from a place on a body to a target in the world that may be moved at any time, also while the mechanism runs. A run with a hand
/// depends on when it is moved: it cannot be repeated.
#[derive(Debug)]
pub struct Hand {
    /// The body.
    pub body: String,
    /// Where it holds the body, as drawn, m. Of a rod in space the nearest place of its line counts, of a particle the particle.
    pub at: [f64; 3],
    /// N/m
    pub stiffness: f64,
    /// Against the velocity of the place, N s/m.
    pub damping: f64,
    /// It pulls no harder than from this far, m: a target that is farther changes only the direction.
    pub reach: f64,
    /// The bits of the target's coordinates.
    target: [AtomicU64; 3],
}

impl Hand {
    /// A hand that holds a place of a body and pulls to a target.
    pub fn new(
        body: impl Into<String>,
        at: [f64; 3],
        target: [f64; 3],
        stiffness: f64,
        damping: f64,
    ) -> Self {
        let target = target.map(|x| AtomicU64::new(x.to_bits()));
        Hand { body: body.into(), at, stiffness, damping, reach: f64::INFINITY, target }
    }

    /// Limits how hard it pulls: no harder than from this far, m.
    #[must_use]
    pub fn reach(mut self, reach: f64) -> Self {
        self.reach = reach;
        self
    }

    /// Moves the target, m. What is not finite is ignored.
    pub fn pull_to(&self, target: [f64; 3]) {
        if target.iter().all(|x| x.is_finite()) {
            for (place, x) in self.target.iter().zip(target) {
                place.store(x.to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// Where it pulls to, m.
    pub fn target(&self) -> [f64; 3] {
        self.target.each_ref().map(|place| f64::from_bits(place.load(Ordering::Relaxed)))
    }
}
