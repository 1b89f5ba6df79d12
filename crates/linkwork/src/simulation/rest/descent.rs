//! The way down to an equilibrium: Newton's method with a trust region.
//!
//! With r the forces that the constraints leave over, K the stiffness of them, M the masses and a shift σ, 1/s²:
//!
//!   (E1)  (K + σM) d + Aᵀμ = r,   A d = 0
//!
//! σ = 0 is Newton's step, a large σ a step of steepest descent in the metric of the masses. Wherever K + σM is positive on the
//! constraints, r·d > 0: the forces do work on the way, so that the mechanism goes to where its potential has a minimum and not to a maximum
//! next to it. The work that the forces do over a step, by the trapezoidal rule, is compared with what K foretells:
//!
//!   (E2)  W = ½ (r₀ + r₁)·Δq,   W* = s r·d − ½ s² dᵀKd
//!
//! for the part s of d that lies within the radius. It needs no potential, so tyres and controllers are treated like springs. W/W* near one lowers σ and widens the radius;
//! a step without work is taken back. A direction that nothing resists (K d = 0) has steps r/σ: none where no force acts along it.

use crate::formulations::MotionError;

/// A step of (E1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// r·d, J.
    pub gain: f64,
    /// dᵀKd, J.
    pub bend: f64,
    /// The farthest that anything moves, m.
    pub longest: f64,
    /// Whether K + σM is known to be positive on the constraints.
    pub sound: bool,
}

/// Where a step has led.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// W of (E2), J.
    pub work: f64,
    /// The largest force left over there, N.
    pub residual: f64,
}

/// A place of a mechanism at rest, and the ways from it.
pub(super) trait Ground {
    /// The largest component of r, N.
    fn residual(&self) -> f64;
    /// The largest force at work, N: what residuals are measured against.
    fn load(&self) -> f64;
    /// Works out K here.
    fn linearise(&mut self) -> Result<(), MotionError>;
    /// The step of (E1); `None` if it goes against the forces.
    fn direction(&mut self, shift: f64) -> Option<Step>;
    /// Looks at the place a part of the step away.
    fn attempt(&mut self, part: f64) -> Result<Outcome, MotionError>;
    /// Goes there.
    fn accept(&mut self) -> Result<(), MotionError>;
    /// How far the mechanism has been moved since the beginning, m.
    fn moved(&self) -> f64;
}

/// What counts as much: the size of the mechanism, m, and the square of a typical rate, 1/s².
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub size: f64,
    pub rate: f64,
    /// Steps before giving up.
    pub most: u32,
}

/// How a descent went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    pub iterations: u32,
    pub end: End,
}

/// How a descent ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// At an equilibrium.
    Rest,
    /// Without end: something moves ever farther.
    Away,
    /// Forces are left over, and no step makes them smaller.
    Stuck,
}

/// Forces below this part of the largest are rounding.
const TIGHT: f64 = 1e-14;
/// Below this part they may be, where they fall no further.
const LOOSE: f64 = 1e-9;
/// A step over this part of the size is rounding.
const STILL: f64 = 1e-14;
/// A place from which a step goes no farther than this part of the size is the end, where no step makes the forces smaller.
const NEAR: f64 = 1e-11;
/// The shift, in parts of the square of the typical rate: at least, and at most.
const SHIFTS: [f64; 2] = [1e-9, 1e12];
/// The first radius, in parts of the size.
const REACH: f64 = 0.3;
/// Moved this many sizes, a mechanism does not come back.
const AWAY: f64 = 1e4;
/// Steps before giving up,
pub(super) const MOST_ITERATIONS: u32 = 400;
/// and with beams, which are stiff along a line that turns with them, so that steps are short.
pub(super) const MOST_WITH_BEAMS: u32 = 4000;
/// Trials from one place.
const MOST_TRIALS: u32 = 80;

/// Goes down from a place to an equilibrium.
pub(super) fn descend(ground: &mut dyn Ground, scale: Scale) -> Descent {
    let mut way = Way { shift: scale.rate, reach: REACH * scale.size, scale };
    let mut best = f64::INFINITY;
    let mut idle = 0;
    for iteration in 0..scale.most {
        let ended = |end| Descent { iterations: iteration, end };
        let residual = ground.residual();
        if residual <= TIGHT * ground.load() {
            return ended(End::Rest);
        }
        // rounding falls no further
        idle = if residual < 0.5 * best { 0 } else { idle + 1 };
        best = best.min(residual);
        if idle >= 2 && residual <= LOOSE * ground.load() {
            return ended(End::Rest);
        }
        if ground.moved() > AWAY * scale.size {
            return ended(End::Away);
        }
        let stepped = if ground.linearise().is_ok() { way.step(ground) } else { Stepped::Nowhere };
        match stepped {
            Stepped::Down => {}
            Stepped::Still => return ended(End::Rest),
            Stepped::Nowhere => {
                // stiff springs leave forces over that are large and move nothing
                let near = ground.direction(scale.rate).is_some_and(|step| step.longest <= NEAR * scale.size);
                let small = residual <= LOOSE * ground.load();
                return ended(if small || near { End::Rest } else { End::Stuck });
            }
        }
    }
    Descent { iterations: scale.most, end: End::Stuck }
}

/// What a step came to.
#[derive(Clone, Copy, PartialEq)]
enum Stepped {
    /// The forces did work.
    Down,
    /// A step is below all roundings: this is the place.
    Still,
    /// No step has them do work.
    Nowhere,
}

/// Shift and radius.
struct Way {
    shift: f64,
    reach: f64,
    scale: Scale,
}

impl Way {
    /// Makes a step that the forces do work in.
    fn step(&mut self, ground: &mut dyn Ground) -> Stepped {
        let [least, most] = SHIFTS.map(|part| part * self.scale.rate);
        for _ in 0..MOST_TRIALS {
            if self.shift > most || self.reach < 1e-15 * self.scale.size {
                break;
            }
            let Some(step) = ground.direction(self.shift) else {
                self.shift *= 10.0;
                continue;
            };
            if step.longest <= STILL * self.scale.size && self.shift <= self.scale.rate {
                return Stepped::Still;
            }
            let part = if step.longest > self.reach { self.reach / step.longest } else { 1.0 };
            let before = ground.residual();
            let Ok(outcome) = ground.attempt(part) else {
                self.reach = 0.25 * part * step.longest;
                continue;
            };
            let expected = part * step.gain - 0.5 * part * part * step.bend;
            let ratio = if expected > 0.0 { outcome.work / expected } else { 0.0 };
            // near the end work is below its own roundings, and residuals tell more
            let falls = outcome.residual < 0.5 * before;
            // a matrix that is not known to be positive may be so all the same: then K foretells the work
            let good = match step.sound {
                true => ratio > 0.1 || (falls && ratio > -1.0),
                false => (0.5..2.0).contains(&ratio) || (falls && ratio > 0.1),
            };
            if !good {
                self.reach = 0.5 * part * step.longest;
                self.shift = (4.0 * self.shift).max(least);
                continue;
            }
            if ratio > 0.75 && part < 1.0 {
                self.reach *= 2.5;
            }
            if part == 1.0 && falls {
                let factor = if outcome.residual < 0.05 * before { 1e-3 } else { 0.1 };
                self.shift = (factor * self.shift).max(least);
                self.reach = self.reach.max(2.0 * step.longest);
            } else if part == 1.0 && ratio > 0.5 {
                self.shift = (0.25 * self.shift).max(least);
            }
            return match ground.accept() {
                Ok(()) => Stepped::Down,
                Err(_) => Stepped::Nowhere,
            };
        }
        Stepped::Nowhere
    }
}
