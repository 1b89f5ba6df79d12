//! Solutions as power series, for methods that sum them up.

/// A system whose solutions can be expanded: y(t + τ) = Σ y_k τᵏ.
pub trait Series {
    /// Error of an evaluation.
    type Error;

    /// Writes the coefficients y_0..y_order of the solution through (t, y), one after the other. Where the solution is not
    /// analytic, or no series is known, they are not finite.
    ///
    /// `wanted` tells for each order but the first how accurate y_{k+1} has to be, relative to its size; 0 asks for all there is. Its
    /// length is the order.
    fn expand(&mut self, t: f64, y: &[f64], wanted: &[f64], out: &mut [f64]) -> Result<(), Self::Error>;

    /// Distance of the series from the equations at the times t + τ, as y' by their terms less y' by what they are, for the last [`expand`](Self::expand):
    /// writes it for that of the places τ where it is largest. Tells whether there is anything to write.
    ///
    /// Only what functions of time and state do is compared, on the motion that the series gives. That needs no other matrix than that of the start, and
    /// loses no digits where the matrix at the end of the step is nearly singular.
    fn gap(&mut self, places: &[f64], out: &mut [f64]) -> bool {
        let _ = (places, out);
        false
    }

    /// Whether solutions may change within the series' reach in ways that its coefficients do not show: tanh(x/ε) is constant to
    /// rounding for all orders one computes, until x turns round.
    fn conceals(&self) -> bool {
        false
    }
}
