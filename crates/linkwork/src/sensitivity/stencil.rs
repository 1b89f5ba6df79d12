//! Central differences with weights for all their digits.
//!
//! With k the multiples of ε at which a function is known,
//!
//!   (C1)  F' = Σ_k w_k F(k ε) / ε + O(ε^n),    w_−k = −w_k
//!
//! of order n = 4 by two pairs, of order 8 by four. Roundings of F are divided by ε, so that a difference of higher order, which may take a larger ε, is the more accurate one.

/// Multiples of ε, in pairs on either side and the nearest first, and weights there.
#[derive(Debug)]
pub(super) struct Stencil {
    pub multiples: &'static [f64],
    pub weights: &'static [f64],
    /// ε, in parts of the size of a variable.
    pub epsilon: f64,
}

/// Four places: 1e-12 of what is differentiated.
pub(super) const FOUR: Stencil = Stencil {
    multiples: &[1.0, -1.0, 2.0, -2.0],
    weights: &[2.0 / 3.0, -2.0 / 3.0, -1.0 / 12.0, 1.0 / 12.0],
    epsilon: 1e-4,
};

/// Eight places: 1e-14 of what is differentiated, where that is smooth enough.
pub(super) const EIGHT: Stencil = Stencil {
    multiples: &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0],
    weights: &[0.8, -0.8, -0.2, 0.2, 4.0 / 105.0, -4.0 / 105.0, -1.0 / 280.0, 1.0 / 280.0],
    epsilon: 5e-3,
};

impl Stencil {
    /// (C1) of values at the multiples.
    pub fn slope(&self, epsilon: f64, values: &[f64]) -> f64 {
        // differences first: what both sides have in common has no rounding then
        let pairs = self.weights.chunks_exact(2).zip(values.chunks_exact(2));
        pairs.map(|(w, x)| w[0] * (x[0] - x[1])).sum::<f64>() / epsilon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (C1): eᵏˣ to the order that is promised.
    #[test]
    fn order_of_differences() {
        for (stencil, order) in [(&FOUR, 4), (&EIGHT, 8)] {
            let error = |epsilon: f64| {
                let values: Vec<f64> = stencil.multiples.iter().map(|k| (k * epsilon).exp()).collect();
                (stencil.slope(epsilon, &values) - 1.0).abs()
            };
            let order_found = (error(0.4) / error(0.2)).log2();
            assert!((order_found - f64::from(order)).abs() < 0.2, "{order_found}");
            println!("{order}: {:.1e}", error(stencil.epsilon));
            assert!(error(stencil.epsilon) < [1e-11, 1e-13][usize::from(order == 8)]);
        }
    }
}
