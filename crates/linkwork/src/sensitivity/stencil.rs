//! Central differences with weights for all their digits.
//!
//! With k the multiples of ε at which a function is known,
//!
//!   (C1)  F' = Σ_k w_k F(k ε) / ε + O(ε^n),    w_−k = −w_k
//!
//! of order n = 4 by two pairs, of order 10 by five. Roundings of F are divided by ε, so that a difference of higher order, which may take a larger ε, is the more accurate one.

use crate::formulations::Weights;

/// Multiples of ε, in pairs on either side and the nearest first, and weights there.
#[derive(Debug)]
pub(super) struct Stencil {
    pub multiples: &'static [f64],
    pub weights: Weights,
    /// ε to begin with, in parts of the size of a variable: a power of two, so that multiples of it have no roundings.
    pub epsilon: f64,
    /// A doubt (N3) above this makes ε smaller.
    pub doubt: f64,
    /// The error where the doubt is one, and the power of the doubt that it goes with.
    error: (f64, f64),
}

/// Four places: 1e-12 of what is differentiated.
pub(super) const FOUR: Stencil = Stencil {
    multiples: &[1.0, -1.0, 2.0, -2.0],
    weights: Weights { best: &[2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0], lower: &[0.5, -0.5] },
    epsilon: 1.0 / 8192.0,
    doubt: 1e-6,
    error: (1.0, 2.0),
};

/// Ten places: 1e-13 of what is differentiated, where that is smooth enough. Of 1/(1 − x) the doubt is 9!/630 ε⁸ and the error 11!/2772 ε¹⁰, so that the error is 5 times the doubt to the power of 5/4.
pub(super) const TEN: Stencil = Stencil {
    multiples: &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0],
    weights: Weights {
        best: &[
            5.0 / 6.0,
            -5.0 / 6.0,
            -5.0 / 21.0,
            5.0 / 21.0,
            5.0 / 84.0,
            -5.0 / 84.0,
            -5.0 / 504.0,
            5.0 / 504.0,
            1.0 / 1260.0,
            -1.0 / 1260.0,
        ],
        lower: &[0.8, -0.8, -0.2, 0.2, 4.0 / 105.0, -4.0 / 105.0, -1.0 / 280.0, 1.0 / 280.0],
    },
    epsilon: 1.0 / 64.0,
    doubt: 4e-12,
    error: (5.0, 1.25),
};

impl Stencil {
    /// Whether it is for all digits.
    pub fn is_exact(&self) -> bool {
        self.multiples.len() > FOUR.multiples.len()
    }

    /// The error of a difference with a doubt.
    pub fn error(&self, doubt: f64) -> f64 {
        self.error.0 * doubt.powf(self.error.1)
    }

    /// (C1) of values at the multiples.
    pub fn slope(&self, epsilon: f64, values: &[f64]) -> f64 {
        self.slope_by(self.weights.best, epsilon, values)
    }

    /// The same with other weights.
    pub fn slope_by(&self, weights: &[f64], epsilon: f64, values: &[f64]) -> f64 {
        // differences first: what both sides have in common has no rounding then
        let pairs = weights.chunks_exact(2).zip(values.chunks_exact(2));
        pairs.map(|(w, x)| w[0] * (x[0] - x[1])).sum::<f64>() / epsilon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (C1): eˣ to the order that is promised, and that of lower order.
    #[test]
    fn order_of_differences() {
        for (stencil, orders) in [(&FOUR, [4.0, 2.0]), (&TEN, [10.0, 8.0])] {
            for (weights, order) in [stencil.weights.best, stencil.weights.lower].into_iter().zip(orders) {
                let error = |epsilon: f64| {
                    let terms = weights.iter().zip(stencil.multiples);
                    (terms.map(|(w, k)| w * (k * epsilon).exp()).sum::<f64>() / epsilon - 1.0).abs()
                };
                let found = (error(0.8) / error(0.4)).log2();
                assert!((found - order).abs() < 0.4, "{found} instead of {order}");
            }
            let epsilon = stencil.epsilon;
            let values: Vec<f64> = stencil.multiples.iter().map(|k| (k * epsilon).exp()).collect();
            let error = (stencil.slope(epsilon, &values) - 1.0).abs();
            // roundings by ε
            assert!(error < 4.0 * f64::EPSILON / epsilon, "{error:.1e}");
        }
    }
}
