//! The first event within a step.

use super::{Events, FEW_PLACES, Hit, PLACES, TRIES, Trouble, Watch};
use crate::formulations::{Formulate, MotionError};
use crate::integrate::{StepError, Stepper};

/// Gaps that close within this part of what counts as no gap do so at once.
const AT_ONCE: f64 = 1e-2;

impl Events<'_> {
    /// All margins at a time inside the last step.
    fn inside<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        t: f64,
    ) -> Result<(), StepError<MotionError>> {
        let evaluated = |events: &mut Self, system: &mut F, y: &[f64]| events.evaluate(system, t, y);
        self.at_state(system, stepper, t, false, evaluated)
    }

    /// One margin at a time inside the last step; on the constraints, if the place has to be exact. A gap asks for positions only.
    fn margin_inside<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        t: f64,
        exact: bool,
    ) -> Result<f64, StepError<MotionError>> {
        self.at_state(system, stepper, t, exact, |events, system, y| {
            match events.is_gap(watch) {
                true => system.locate_bodies(y, &mut events.ws.motions),
                false => events.look(system, t, y)?,
            }
            events.margin(watch, t, &y[system.work_index() + 1..])
        })
    }

    /// Something about the state at a time inside the last step.
    fn at_state<F: Formulate, T>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        t: f64,
        exact: bool,
        then: impl FnOnce(&mut Self, &mut F, &[f64]) -> Result<T, MotionError>,
    ) -> Result<T, StepError<MotionError>> {
        let (mut y, mut dy) = (std::mem::take(&mut self.y), std::mem::take(&mut self.dy));
        y.resize(stepper.y().len(), 0.0);
        dy.resize(y.len(), 0.0);
        let found = stepper.interpolate(system, t, &mut y).and_then(|()| {
            let bound = exact && self.mechanism.model.settings.projects() && system.is_bound();
            let moved = match bound && t < stepper.t() {
                true => system.project(t, &mut y, &mut dy),
                false => Ok(()),
            };
            moved.and_then(|()| then(self, system, &y)).map_err(|source| StepError::System { t, source })
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
            self.inside(system, stepper, t)?;
            let now = self.values.clone();
            // a margin that rises and falls again may have been positive in between
            if let Some((t_a, a)) = &earlier {
                for at in 0..self.active.len() {
                    let w = self.active[at];
                    let three = [(*t_a, a[w]), (before.0, before.1[w]), (t, now[w])];
                    if let Some(t) = self.flash(system, stepper, w, three)? {
                        return Ok(Some(Hit { t, watch: w }));
                    }
                }
            }
            let rising = self.compare(t, false);
            let acting: Vec<usize> = rising.into_iter().filter(|&w| self.acts(self.watches[w].of)).collect();
            if !acting.is_empty() {
                return Ok(self.first_root(system, stepper, &acting, [(before.0, &before.1), (t, &now)])?);
            }
            earlier = Some(std::mem::replace(&mut before, (t, now)));
        }
        let left = self.contacts.left.iter().any(Option::is_some);
        if left || self.bouncers.iter().any(|b| b.left != [None; 2]) {
            // from here on gaps speak for themselves
            self.bouncers.iter_mut().for_each(|b| b.left = [None; 2]);
            self.contacts.left.fill(None);
            self.inside(system, stepper, to)?;
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
        self.inside(system, stepper, stepper.t())?;
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
            let top = (t, self.margin_inside(system, stepper, watch, t, false)?);
            if self.positive(of, top.1, t) {
                let left = if t > b.0 { b } else { a };
                let near = self.crossing(system, stepper, watch, [left, top])?;
                return self.polished(system, stepper, watch, near, [left, top]).map(Some);
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

    /// The first root of margins that become positive between two times at which all are known, unprojected.
    ///
    /// A gap is searched for by positions alone, on the dense output as it is; where projection moves that, the root of the earliest is polished on the constraints, and so
    /// is whatever is found to have happened before.
    fn first_root<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        acting: &[usize],
        ends: [(f64, &Vec<f64>); 2],
    ) -> Result<Option<Hit>, StepError<MotionError>> {
        let of = |watch: usize| ends.map(|(t, values)| (t, values[watch]));
        let mut near = Vec::new();
        for &watch in acting {
            near.push((self.crossing(system, stepper, watch, of(watch))?, watch));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(t, watch)) = near.first() else { return Ok(None) };
        let t = self.polished(system, stepper, watch, t, of(watch))?;
        let mut first = Hit { t, watch };
        for &(_, watch) in &near[1..] {
            let begin = of(watch)[0];
            if first.t <= begin.0 {
                break;
            }
            let value = self.margin_inside(system, stepper, watch, first.t, true)?;
            if self.is_gap(watch) && value <= AT_ONCE * self.no_gap || value <= 0.0 {
                continue;
            }
            let t = self.root(system, stepper, watch, [begin, (first.t, value)], true)?;
            if t < first.t {
                first = Hit { t, watch };
            }
        }
        Ok(Some(first))
    }

    /// Where a margin crosses zero, near enough to polish it: to rounding where nothing has to be projected.
    fn crossing<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        ends: [(f64, f64); 2],
    ) -> Result<f64, StepError<MotionError>> {
        let exact = !self.is_gap(watch);
        self.root(system, stepper, watch, ends, exact)
    }

    /// A root of [`Self::crossing`], to rounding and on the constraints.
    fn polished<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        near: f64,
        [begin, end]: [(f64, f64); 2],
    ) -> Result<f64, StepError<MotionError>> {
        let projects = self.mechanism.model.settings.projects() && system.is_bound();
        if !self.is_gap(watch) || !projects || near <= begin.0 {
            return Ok(near);
        }
        let here = (near, self.margin_inside(system, stepper, watch, near, true)?);
        // how far away the root is by the mean slope, and then farther
        let slope = ((end.1 - begin.1) / (end.0 - begin.0)).abs().max(f64::MIN_POSITIVE);
        let least = 16.0 * f64::EPSILON * near.abs();
        let mut width = (2.0 * here.1.abs() / slope).max(least);
        let mut inner = here;
        loop {
            let t = if here.1 >= 0.0 { near - width } else { near + width };
            if t <= begin.0 {
                return self.root(system, stepper, watch, [begin, inner], true);
            }
            if t >= end.0 {
                return self.root(system, stepper, watch, [inner, end], true);
            }
            let outer = (t, self.margin_inside(system, stepper, watch, t, true)?);
            match (here.1 >= 0.0, outer.1 >= 0.0) {
                (true, false) => return self.root(system, stepper, watch, [outer, inner], true),
                (false, true) => return self.root(system, stepper, watch, [inner, outer], true),
                _ => inner = outer,
            }
            width *= 8.0;
        }
    }

    /// Where a margin crosses zero upwards, the far side of it; where it begins if it is positive there already.
    ///
    /// False position, with halved ends (Illinois) and bisection whenever three rounds have not halved the bracket.
    fn root<F: Formulate>(
        &mut self,
        system: &mut F,
        stepper: &mut Stepper,
        watch: usize,
        [(mut a, mut f_a), (mut b, mut f_b)]: [(f64, f64); 2],
        exact: bool,
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
            let f = self.margin_inside(system, stepper, watch, t, exact)?;
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
