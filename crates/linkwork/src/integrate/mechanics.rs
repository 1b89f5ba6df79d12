//! Constrained mechanics behind a first-order system, for methods that need more than y'.
//!
//!   (M1)  M v̇ + Aᵀ λ = f(t, q, v),   q̇ = v
//!   (M2)  Φ(t, q) = 0,   A = Φ_q
//!
//! M is constant and symmetric; it may be singular where A holds what it leaves free. The state of the system is
//! y = [q, v, rest], where the rest are quadratures and counters that steer nothing. Everything is asked about one
//! place at a time: [`Mechanics::look_at`] goes there, the others tell about it.

/// By what mass, damping D = −∂f/∂v and stiffness K = ∂(Aᵀλ − f)/∂q enter the matrix of an implicit step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// Of M. Should be near 1: rows are weighed against masses.
    pub mass: f64,
    /// Of D, s.
    pub damping: f64,
    /// Of K, s².
    pub stiffness: f64,
}

/// A mechanical system in the form (M1), (M2).
pub trait Mechanics {
    /// Error of a factorisation.
    type Error;

    /// Number of coordinates; the state begins with q and v.
    fn coordinates(&self) -> usize;

    /// Number of constraint rows Φ.
    fn constraints(&self) -> usize;

    /// Whether a row binds velocities and no positions: its Φ is zero by definition, its Φ̇ is not.
    fn binds_velocities_only(&self, row: usize) -> bool;

    /// Whether f depends on q alone and all of it has a potential, and no row depends on t.
    fn is_conservative(&self) -> bool;

    /// Goes to (t, y).
    fn look_at(&mut self, t: f64, y: &[f64]);

    /// Φ, m.
    fn residuals(&mut self, phi: &mut [f64]);

    /// Φ̇ = A v + Φ_t for any v, m/s.
    fn residual_rates(&mut self, v: &[f64], rates: &mut [f64]);

    /// γ: what A v̇ has to be, for the velocities of the place, m/s².
    fn curvatures(&mut self, gamma: &mut [f64]);

    /// f, N, for the velocities of the place. To be asked for again after [`Mechanics::factor_tangent`].
    fn forces(&mut self, f: &mut [f64]);

    /// out = M x.
    fn mass_times(&self, x: &[f64], out: &mut [f64]);

    /// out += Aᵀ λ.
    fn add_transposed(&self, lambda: &[f64], out: &mut [f64]);

    /// Factors [M Aᵀ; A 0] at the place, for [`Mechanics::solve`].
    fn factor(&mut self) -> Result<(), Self::Error>;

    /// M x + Aᵀ λ = f, A x = g, with A of the last [`Mechanics::factor`] (look at another place and the answer is
    /// that of an approximate matrix, refined to nothing: factor again).
    fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]);

    /// Factors [a M + b D + c K, Aᵀ; A, 0] at the place, K with these multipliers, for [`Mechanics::solve_tangent`]. Only the symmetric
    /// part of D and K is taken: enough for Newton's method to converge, not for it to be quadratic.
    fn factor_tangent(&mut self, lambda: &[f64], blend: Blend) -> Result<(), Self::Error>;

    /// Factors another blend of the M, D and K of the last [`Mechanics::factor_tangent`], with A of the place: far cheaper.
    /// What that blend had no part of is zero.
    fn refactor_tangent(&mut self, blend: Blend) -> Result<(), Self::Error>;

    /// (a M + b D + c K) x + Aᵀ λ = f, A x = g, with everything as it was at the last
    /// [`Mechanics::factor_tangent`], wherever one looks now.
    fn solve_tangent(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]);

    /// Rates of the rest of the state, for these multipliers, after [`Mechanics::forces`] at this place.
    fn rest_rates(&mut self, y: &[f64], lambda: &[f64], rates: &mut [f64]);

    /// Sets counters in the rest of a state to what the place says. `y` is the state looked at.
    fn settle(&mut self, y: &mut [f64]);
}
