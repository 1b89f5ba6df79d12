//! Local error of time steps over contacts.
//!
//! A step over h moves a body by the mean of its velocities, as if it had the mean acceleration ā = (u⁺ − u)/h all along. Where motion is smooth that misses h³ ȧ/12 of the way; where an
//! impact falls somewhere into the step, up to h Δu/2, a quarter of h Δu on average. Both are seen in how much ā differs from that of the step before:
//!
//!   (E1)  e = ¼ h² |ā − ā before|            of the centre of mass; of its rotation, times the reach of its surfaces
//!   (E2)  error = √(mean of e² over the bodies that accelerate) / size
//!
//! Smooth motion is judged by three times its error. The mean, not the largest: in a heap something is struck in every step, and steps would follow the one that is struck hardest.

use crate::keep::keep;
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{norm, sub};

/// Mean accelerations of bodies in the last steps.
#[derive(Clone, Debug, Default)]
pub(super) struct StepError {
    /// Where the last step began, s, and whether there has been one.
    began: f64,
    begun: bool,
    /// In it, and in the step before; empty if there was none.
    latest: Vec<Twist>,
    before: Vec<Twist>,
}

keep!(StepError { began, begun, latest, before });

impl StepError {
    /// Notes where a step begins; tells whether it is a new one, or the last one again.
    pub fn begin(&mut self, t: f64) -> bool {
        let new = !self.begun || t != self.began;
        if new {
            std::mem::swap(&mut self.latest, &mut self.before);
        }
        (self.began, self.begun) = (t, true);
        new
    }

    /// (E2): of a step that takes bodies with these accelerations from where they are over h; `reach` is that of the surfaces of each.
    pub fn find(&mut self, h: f64, accelerations: &[Twist], reach: &[f64], size: f64) -> f64 {
        self.latest.clear();
        self.latest.extend_from_slice(accelerations);
        if self.before.len() != self.latest.len() {
            return 0.0;
        }
        let (mut sum, mut count) = (0.0, 0);
        for ((now, before), reach) in self.latest.iter().zip(&self.before).zip(reach) {
            if *now == Twist::default() && *before == Twist::default() {
                continue;
            }
            let e = norm(sub(now.v, before.v)) + reach * norm(sub(now.w, before.w));
            sum += e * e;
            count += 1;
        }
        0.25 * h * h * (sum / f64::from(count.max(1))).sqrt() / size
    }

    /// Whether it can be that of a mechanism with so many bodies.
    pub fn fits(&self, bodies: usize) -> bool {
        [&self.latest, &self.before].iter().all(|list| list.is_empty() || list.len() == bodies)
    }
}
