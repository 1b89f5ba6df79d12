//! Solutions as power series, for methods that sum them up.

/// A system whose solutions can be expanded: y(t + τ) = Σ y_k τᵏ.
pub trait Series {
    /// What can go wrong.
    type Error;

    /// Writes the coefficients y_0..y_order of the solution through (t, y), one after the other. Where the solution is not
    /// analytic, or no series is known, they are not finite.
    fn expand(&mut self, t: f64, y: &[f64], order: usize, out: &mut [f64]) -> Result<(), Self::Error>;
}
