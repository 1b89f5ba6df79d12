//! Past of the solution: divided differences on the points of past steps, whatever their spacing.
//!
//! With t_n the newest point, b_i = t_n − t_{n−i}, and h_i = h + b_{i−1} the distance from the point n + 1 − i to the
//! end of the next step:
//!
//! ```text
//!   (H1)  φ_j   = y[t_n, …, t_{n−j}] Π_{i≤j} b_i             kept; y[…] are divided differences
//!   (H2)  φ*_j  = y[t_n, …, t_{n−j}] Π_{i≤j} h_i = φ_j Π_{i≤j} h_i/b_i
//!   (H3)  p     = Σ_{j≤k} φ*_j,   p' = Σ_{j≤k} γ_j φ*_j,   γ_j = Σ_{i≤j} 1/h_i
//!   (H4)  φ_0⁺  = y⁺,   φ_{j+1}⁺ = φ_j⁺ − φ*_j
//!   (H5)  y(t_n + τ) = Σ_{j≤k} φ_j Π_{i<j} (τ + b_i)/b_{i+1}
//! ```
//!
//! (H3) are value and slope at t_n + h of the polynomial of degree k through the last k + 1 points, (H4) the
//! differences once y⁺ is there, (H5) the polynomial through the points n … n − k, which meets all of them.

/// The highest order of the formulas.
pub(super) const MAX_ORDER: usize = 5;
/// φ_0 … φ_{k+1} are needed to step with order k and to judge order k + 1.
const POINTS: usize = MAX_ORDER + 2;

#[derive(Clone, Debug)]
pub(super) struct History {
    /// (H1), as many as there are points.
    phi: [Vec<f64>; POINTS],
    /// b_i, s.
    back: [f64; POINTS],
    /// Number of points.
    points: usize,
}

impl History {
    pub(super) fn new(n: usize) -> Self {
        History { phi: std::array::from_fn(|_| vec![0.0; n]), back: [0.0; POINTS], points: 0 }
    }

    pub(super) fn forget(&mut self) {
        self.points = 0;
    }

    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// One point, and a second one where the tangent was a step before: enough for order 1 and its error.
    pub(super) fn begin(&mut self, h: f64, y: &[f64], dy: &[f64]) {
        self.phi[0].copy_from_slice(y);
        for (phi, dy) in self.phi[1].iter_mut().zip(dy) {
            *phi = h * dy;
        }
        self.back[1] = h;
        self.points = 2;
    }

    /// One point and nothing before it.
    pub(super) fn begin_with_one(&mut self, y: &[f64]) {
        self.phi[0].copy_from_slice(y);
        self.points = 1;
    }

    /// h_i of a step h.
    fn reach(&self, h: f64, i: usize) -> f64 {
        h + self.back[i - 1]
    }

    /// γ_j of (H3).
    pub(super) fn slope(&self, h: f64, order: usize) -> f64 {
        (1..=order).map(|i| 1.0 / self.reach(h, i)).sum()
    }

    /// φ*_j / φ_j of (H2); 0 where there is no such difference.
    fn stretch(&self, h: f64, j: usize) -> f64 {
        if j >= self.points {
            return 0.0;
        }
        (1..=j).map(|i| self.reach(h, i) / self.back[i]).product()
    }

    /// (H3), of lower degree while points are few.
    pub(super) fn predict(&self, h: f64, order: usize, y: &mut [f64], rate: &mut [f64]) {
        y.copy_from_slice(&self.phi[0]);
        rate.fill(0.0);
        for j in 1..=order.min(self.points - 1) {
            let (stretch, slope) = (self.stretch(h, j), self.slope(h, j));
            for ((y, rate), phi) in y.iter_mut().zip(rate.iter_mut()).zip(&self.phi[j]) {
                *y += stretch * phi;
                *rate += slope * stretch * phi;
            }
        }
    }

    /// ∇_{j+1} = φ_{j+1}⁺ after a step with order k whose end is `change` away from (H3), for j from k − 2 to k + 1; false if there are too few
    /// points to know.
    pub(super) fn difference(&self, h: f64, k: usize, j: usize, change: &[f64], out: &mut [f64]) -> bool {
        if j == 0 || j > MAX_ORDER || (j > k && self.points <= j) {
            return false;
        }
        out.copy_from_slice(change);
        for i in j + 1..=k {
            let stretch = self.stretch(h, i);
            out.iter_mut().zip(&self.phi[i]).for_each(|(out, phi)| *out += stretch * phi);
        }
        if j > k {
            let stretch = self.stretch(h, j);
            out.iter_mut().zip(&self.phi[j]).for_each(|(out, phi)| *out -= stretch * phi);
        }
        true
    }

    /// Error estimate of the order k from a ∇_{k+1} of this size:
    ///
    /// ```text
    ///   (H6)  E_k = ‖∇_{k+1}‖ / (γ_k h_{k+1}),   T_k = ‖∇_{k+1}‖ Π_{i≤k+1} (i h/h_i) ≈ ‖h^{k+1} y^{(k+1)}‖
    /// ```
    pub(super) fn judge(&self, h: f64, k: usize, size: f64) -> Estimate {
        let steady: f64 = (1..=k + 1).map(|i| i as f64 * h / self.reach(h, i)).product();
        Estimate { error: size / (self.slope(h, k) * self.reach(h, k + 1)).abs(), term: size * steady.abs() }
    }

    /// (H4)
    pub(super) fn push(&mut self, h: f64, y: &[f64]) {
        let points = (self.points + 1).min(POINTS);
        let stretches: [f64; POINTS] = std::array::from_fn(|j| self.stretch(h, j));
        for (i, &y) in y.iter().enumerate() {
            let mut new = y;
            for j in 0..points {
                let old = self.phi[j][i];
                self.phi[j][i] = new;
                new -= stretches[j] * old;
            }
        }
        for i in (1..points).rev() {
            self.back[i] = h + self.back[i - 1];
        }
        self.points = points;
    }

    /// (H5): the solution `tau` after the newest point.
    pub(super) fn interpolate(&self, tau: f64, order: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.phi[0]);
        let mut factor = 1.0;
        for j in 1..=order.min(self.points - 1) {
            factor *= (tau + self.back[j - 1]) / self.back[j];
            for (out, phi) in out.iter_mut().zip(&self.phi[j]) {
                *out += factor * phi;
            }
        }
    }
}

/// (H6)
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) error: f64,
    pub(super) term: f64,
}

impl Estimate {
    /// Of what cannot be known.
    pub(super) const UNKNOWN: Estimate = Estimate { error: f64::INFINITY, term: f64::INFINITY };
}

crate::keep::keep!(History { phi, back, points } if |h| h.points <= POINTS);

crate::keep::keep!(Estimate { error, term });

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: [f64; 8] = [0.0, 0.3, 0.5, 0.6, 1.0, 1.1, 1.5, 1.8];

    fn quintic(t: f64) -> f64 {
        ((((0.3 * t - 1.0) * t + 0.7) * t + 2.0) * t - 0.5) * t + 0.25
    }

    fn slope_of_quintic(t: f64) -> f64 {
        (((1.5 * t - 4.0) * t + 2.1) * t + 4.0) * t - 0.5
    }

    /// Polynomials of degree k come out of formulas of order k, at uneven points.
    #[test]
    fn exact_on_polynomials() {
        let mut history = History::new(1);
        history.begin_with_one(&[quintic(TIMES[0])]);
        for w in TIMES[..7].windows(2) {
            history.push(w[1] - w[0], &[quintic(w[1])]);
        }
        let (t, h) = (TIMES[7], TIMES[7] - TIMES[6]);
        let (mut y, mut rate) = ([0.0], [0.0]);
        history.predict(h, 5, &mut y, &mut rate);
        assert!((y[0] - quintic(t)).abs() < 1e-12, "{y:?}");
        assert!((rate[0] - slope_of_quintic(t)).abs() < 1e-11, "{rate:?}");
        history.push(h, &[quintic(t)]);
        for back in [0.05, 0.2, 0.7, 1.0] {
            history.interpolate(-back, 5, &mut y);
            assert!((y[0] - quintic(t - back)).abs() < 1e-12, "{back}: {y:?}");
        }
    }

    /// The local error of order k on t^{k+1}, from both sides: what (H6) says, and what the formula's slope misses.
    #[test]
    fn exact_local_errors() {
        for k in 1..MAX_ORDER {
            let f = |t: f64| t.powi(k as i32 + 1);
            let mut history = History::new(1);
            history.begin_with_one(&[f(TIMES[0])]);
            for w in TIMES[..7].windows(2) {
                history.push(w[1] - w[0], &[f(w[1])]);
            }
            let (t, h) = (TIMES[7], TIMES[7] - TIMES[6]);
            let (mut y, mut rate) = ([0.0], [0.0]);
            history.predict(h, k, &mut y, &mut rate);
            let change = [f(t) - y[0]];
            let gamma = history.slope(h, k);
            let missed = (k as f64 + 1.0) * t.powi(k as i32) - (rate[0] + gamma * change[0]);
            let mut size = [0.0];
            assert!(history.difference(h, k, k, &change, &mut size));
            let e = history.judge(h, k, size[0].abs());
            assert!((e.error - (missed / gamma).abs()).abs() < 1e-12, "{k}: {e:?} {missed}");
            // and the same from the order above
            assert!(history.difference(h, k, k + 1, &change, &mut size) && size[0].abs() < 1e-12);
            history.predict(h, k + 1, &mut y, &mut rate);
            history.difference(h, k + 1, k, &[f(t) - y[0]], &mut size);
            assert!((history.judge(h, k, size[0].abs()).error - e.error).abs() < 1e-12);
            let factorial: f64 = (1..=k + 1).map(|i| i as f64).product();
            assert!((e.term - factorial * h.powi(k as i32 + 1)).abs() < 1e-12);
        }
    }
}
