//! When passes over an island are enough.
//!
//! What moves is solved until a pass changes velocities by less than 10⁻⁶ of the largest that contacts had to change. In large islands that takes hundreds of passes, and the
//! next step begins with the impulses of this one: so less and less is asked for as passes go on, ten times less after each [`Patience::unit`], down to 10⁻². What hardly moves
//! is solved much closer, over as many steps as it takes; what rests from the start with the patience that a first answer needs.

use super::StepContact;
use crate::linalg::vec3::dot;

/// What a pass may change in the end, in parts of the largest velocity that contacts have to change.
const CONVERGED: f64 = 1e-6;
/// The same after many passes.
pub(super) const USABLE: f64 = 1e-2;
/// What may change where nothing moves faster than the part [`REST`] of it.
const RESTS: f64 = 1e-10;
/// The same where there is no answer of a step before.
const FIRST: f64 = 1e-15;
const REST: f64 = 1e-3;
/// Work of a unit of passes: contacts times passes; half of it while anything moves.
const WORK: usize = 6_000;
/// The fewest and the most passes of a unit.
const FEWEST: u32 = 25;
const MOST: u32 = 250;
/// Units after which the search ends in any case.
const UNITS: u32 = 8;
/// The same where there is no answer of a step before.
const FIRST_UNITS: u32 = 40;

/// When passes over an island are enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    scale: f64,
    enough: f64,
    relaxes: bool,
    unit: u32,
    units: u32,
}

impl Patience {
    /// For an island; with `still` until a pass changes less than that.
    pub fn new(contacts: &[StepContact], members: &[u32], still: Option<f64>) -> Self {
        let of = |c: &u32| &contacts[*c as usize];
        let scale = members.iter().fold(0.0, |m: f64, c| m.max(of(c).block.law.demand()));
        let slow = (REST * scale).powi(2);
        let moves = members.iter().any(|c| dot(of(c).before, of(c).before) > slow);
        let known = members.iter().any(|c| of(c).pushes());
        let unit = (WORK / members.len().max(1)).clamp(FEWEST as usize, MOST as usize) as u32;
        let unit = if moves && still.is_none() { unit.div_ceil(2) } else { unit };
        let enough = match still {
            Some(still) => still,
            None if moves => CONVERGED * scale,
            None if known => RESTS * scale,
            None => FIRST * scale,
        };
        let units = if known || moves || still.is_some() { UNITS } else { FIRST_UNITS };
        Patience { scale, enough, relaxes: moves && still.is_none(), unit, units }
    }

    /// The largest velocity that contacts have to change, m/s.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether to extrapolate after so many passes. Coulomb's law is no minimum of anything: where extrapolated passes have not come to an end, plain ones may.
    pub fn hurries(&self, passes: u32) -> bool {
        passes / self.unit < self.units / 2
    }

    /// Whether the search ends after so many passes.
    pub fn ends(&self, passes: u32, change: f64) -> bool {
        let units = passes / self.unit;
        let enough = match self.relaxes {
            true => (self.enough * 10f64.powi(units as i32)).min(USABLE * self.scale),
            false => self.enough,
        };
        change <= enough || units >= self.units
    }
}
