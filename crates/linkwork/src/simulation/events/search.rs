//! The first event within a step.

use super::{Events, FEW_PLACES, Hit, PLACES, TRIES, Trouble, Watch};
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};

impl Events<'_> {
    /// All margins at a time inside the last step; on the constraints, if the place has to be exact.
    pub(super) fn inside<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        t: f64,
        exact: bool,
    ) -> Result<(), StepError<MotionError>> {
        let (mut y, mut dy) = (std::mem::take(&mut self.y), std::mem::take(&mut self.dy));
        y.resize(stepper.y().len(), 0.0);
        dy.resize(y.len(), 0.0);
        let found = stepper.interpolate(system, t, &mut y).and_then(|()| {
            let bound = exact && self.mechanism.model.settings.projects() && system.is_bound();
            let moved = match bound && t < stepper.t() {
                true => system.project(t, &mut y, &mut dy),
                false => Ok(()),
            };
            moved
                .and_then(|()| self.evaluate(system, t, &y))
                .map_err(|source| StepError::System { t, source })
        });
        (self.y, self.dy) = (y, dy);
        found
    }

    /// The first event within the last step. Without one, the margins at its end are taken over.
    pub(in crate::simulation) fn search<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<Option<Hit>, Trouble> {
        if stepper.t_old() == stepper.t() {
            return Ok(None);
        }
        self.narrow(system, stepper);
        let found = self.search_near(system, stepper);
        self.widen();
        found
    }

    fn search_near<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
    ) -> Result<Option<Hit>, Trouble> {
        let (from, to) = (stepper.t_old(), stepper.t());
        // where the step begins, and the place before that
        let mut before: (f64, Vec<f64>) = (from, self.watches.iter().map(|w| w.value).collect());
        let mut earlier: Option<(f64, Vec<f64>)> = None;
        let grows = self.mechanism.grows();
        if grows && self.is_calm(system, stepper, &before.1)? {
            self.compare(to, true);
            return Ok(None);
        }
        let places: &[f64] = if grows { &FEW_PLACES } else { &PLACES };
        for &place in places {
            let t = if place == 1.0 { to } else { from + (to - from) * place };
            if t <= before.0 {
                continue; // a step of a few roundings
            }
            self.inside(system, stepper, t, false)?;
            let now = self.values.clone();
            // a margin that rises and falls again may have been positive in between
            if let Some((t_a, a)) = &earlier {
                for w in 0..self.watches.len() {
                    let three = [(*t_a, a[w]), (before.0, before.1[w]), (t, now[w])];
                    if let Some(t) = self.flash(system, stepper, w, three)? {
                        return Ok(Some(Hit { t, watch: w }));
                    }
                }
                self.values.clone_from(&now);
            }
            let rising = self.compare(t, false);
            let acting: Vec<usize> = rising.into_iter().filter(|&w| self.acts(self.watches[w].of)).collect();
            let mut first: Option<Hit> = None;
            for watch in acting {
                let ends = [before.1[watch], now[watch]];
                let t = self.root(system, stepper, watch, [before.0, t], ends)?;
                if first.as_ref().is_none_or(|hit| t < hit.t) {
                    first = Some(Hit { t, watch });
                }
            }
            if first.is_some() {
                return Ok(first);
            }
            earlier = Some(std::mem::replace(&mut before, (t, now)));
        }
        let left = self.contacts.left.iter().any(Option::is_some);
        if left || self.bouncers.iter().any(|b| b.left != [None; 2]) {
            // from here on gaps speak for themselves
            self.bouncers.iter_mut().for_each(|b| b.left = [None; 2]);
            self.contacts.left.fill(None);
            self.inside(system, stepper, to, false)?;
            self.compare(to, true);
        }
        Ok(None)
    }

    /// Whether all margins are far from zero at the end of a step, by what they have changed in it: nothing happens between. The margins there are left in
    /// `values`.
    fn is_calm<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        before: &[f64],
    ) -> Result<bool, StepError<MotionError>> {
        /// Times the change.
        const FAR: f64 = 4.0;
        self.inside(system, stepper, stepper.t(), false)?;
        let margins = before.iter().zip(&self.values);
        Ok(margins.zip(&self.watches).all(|((&a, &b), watch)| {
            let far = a < 0.0 && b < -FAR * (b - a).abs();
            far || (watch.truth && b > 0.0)
        }))
    }

    /// Where a margin that is negative at three places, the middle one highest, becomes positive between them, if it does.
    pub(super) fn flash<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        mut three: [(f64, f64); 3],
    ) -> Result<Option<f64>, StepError<MotionError>> {
        let Watch { of, truth, .. } = self.watches[watch];
        if truth || !self.acts(of) {
            return Ok(None);
        }
        for _ in 0..TRIES {
            let [a, b, c] = three;
            let Some(t) = peak(three) else { return Ok(None) };
            self.inside(system, stepper, t, false)?;
            let top = (t, self.values[watch]);
            if self.positive(of, top.1, t) {
                let left = if t > b.0 { b } else { a };
                return self.root(system, stepper, watch, [left.0, t], [left.1, top.1]).map(Some);
            }
            three = match (t > b.0, top.1 > b.1) {
                (true, true) => [b, top, c],
                (true, false) => [a, b, top],
                (false, true) => [a, top, b],
                (false, false) => [top, b, c],
            };
        }
        Ok(None)
    }

    /// Where a margin crosses zero upwards, the far side of it; where it begins if it is positive there already.
    ///
    /// False position, with halved ends (Illinois) and bisection whenever three rounds have not halved the bracket.
    pub(super) fn root<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        [mut a, mut b]: [f64; 2],
        [mut f_a, mut f_b]: [f64; 2],
    ) -> Result<f64, StepError<MotionError>> {
        if f_a >= 0.0 {
            return Ok(a);
        }
        let close = |a: f64, b: f64| (b - a) <= 4.0 * f64::EPSILON * b.abs().max(a.abs());
        let mut halve_at = 0.5 * (b - a);
        let mut slow = 0;
        for _ in 0..200 {
            if close(a, b) || f_b == 0.0 {
                break;
            }
            let guess = b - f_b * (b - a) / (f_b - f_a);
            let middle = 0.5 * (a + b);
            let inside = slow < 3 && guess > a && guess < b;
            // a guess right at an end does not shrink the bracket: step over the root
            let t = if inside { guess.clamp(a + 0.25 * (b - a).min(1e-15 * b.abs()), b) } else { middle };
            let t = if t <= a || t >= b { middle } else { t };
            if t <= a || t >= b {
                break;
            }
            self.inside(system, stepper, t, true)?;
            let f = self.values[watch];
            if f >= 0.0 {
                (b, f_b) = (t, f);
                f_a *= 0.5;
            } else {
                (a, f_a) = (t, f);
                f_b *= 0.5;
            }
            if b - a <= halve_at {
                halve_at = 0.5 * (b - a);
                slow = 0;
            } else if slow >= 3 {
                slow = 0;
            } else {
                slow += 1;
            }
        }
        Ok(b)
    }
}

/// Where a parabola through three values below zero has its top, if that may be above zero.
fn peak([(t_a, a), (t_b, b), (t_c, c)]: [(f64, f64); 3]) -> Option<f64> {
    if !(a < 0.0 && b < 0.0 && c < 0.0 && b > a && b > c) {
        return None;
    }
    let (p, q) = ((b - a) / (t_b - t_a), (c - b) / (t_c - t_b));
    let curvature = (q - p) / (t_c - t_a);
    let slope = p + curvature * (t_b - t_a); // at t_b
    let t = t_b - 0.5 * slope / curvature;
    let top = b - 0.25 * slope * slope / curvature;
    // a parabola is not the margin: as good a guess as half of what lies between the values
    let near = top + 0.5 * (b - a).max(b - c) > 0.0;
    (near && t > t_a && t < t_c && t != t_b).then_some(t)
}
