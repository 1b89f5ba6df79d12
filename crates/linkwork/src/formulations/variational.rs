//! Equations of motion differentiated along directions, with the factor that an evaluation leaves.
//!
//! With M u̇ + Aᵀ λ = f and A u̇ = γ, a direction that moves the state and the numbers of the model by ε δ changes accelerations and multipliers by ε times
//!
//!   (V1)  M δu̇ + Aᵀ δλ = −δR,   R = M u̇ + Aᵀ λ − f     with u̇ and λ held
//!   (V2)  A δu̇         = −δG,   G = A u̇ − γ
//!
//! So a direction costs δR and δG and one solution with the factor of u̇ itself.

use super::{Directions, MotionError, Neighbours, NotCovered};

/// A formulation that differentiates its equations of motion: see [`Formulate::variational`](super::Formulate::variational).
pub trait Variational {
    /// What the variables of neighbours change, to be varied in blocks of several side by side, and in these columns of results. An error tells why their compiled tables cannot be compared.
    fn directions(&mut self, neighbours: &Neighbours<'_>, columns: &[usize]) -> Result<Directions, String>;

    /// Writes y' at (t, y). What follows is about this instant.
    fn begin(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError>;

    /// u̇ and λ of the instant.
    fn held(&self) -> [&[f64]; 2];

    /// Number of components of what [`remain`](Self::remain) writes.
    fn remainders(&self) -> usize;

    /// What couplings and actions give to R and G at a state, with u̇ and λ held at other values; then the power that no potential accounts for and the rates of
    /// auxiliary states. For directions that have something [on the line](Directions::on_line).
    fn remain(&mut self, t: f64, y: &[f64], held: [&[f64]; 2], out: &mut [f64]);

    /// (V1) and (V2) along the directions of a block: S' from y and S at the instant. Component i of S of the k-th direction stands at i × the lanes of the block + k, likewise in S'.
    /// `remainders` has the derivatives of [`remain`](Self::remain), one direction after the other, or is empty.
    fn vary(
        &mut self,
        y: &[f64],
        directions: &mut Directions,
        block: usize,
        remainders: &[f64],
        s: &[f64],
        ds: &mut [f64],
    );

    /// Prepares for power series of y and S to an order, in the blocks of directions; or tells what of the mechanism has none.
    fn prepare_jets(
        &mut self,
        neighbours: &Neighbours<'_>,
        directions: &Directions,
        order: usize,
    ) -> Result<(), Vec<NotCovered>>;

    /// Writes the coefficients of the series of y and S through their values at a time, order by order; they are not finite where there is no series. `whole` has y, then S block by block.
    fn expand_jets(&mut self, t: f64, whole: &[f64], out: &mut [f64]) -> Result<(), MotionError>;

    /// Reads columns of results at (t, y); what follows is about this instant.
    fn read_columns(&mut self, t: f64, y: &[f64]);

    /// Prepares for the transpose: so many weights go side by side, 1, 2, 4 or 8, and what they find at the numbers of the model is summed up from here on.
    fn weigh(&mut self, directions: &mut Directions, lanes: usize);

    /// The transpose of [`vary`](Self::vary) at the instant, for all variables together: adds what S weighs to `s`, from what S' weighs, and what the numbers of the tables weigh to the sums.
    fn pull_back(&mut self, y: &[f64], directions: &mut Directions, ds: &[f64], s: &mut [f64]);

    /// The transpose of [`vary_columns`](Self::vary_columns), where columns are [read](Self::read_columns).
    fn pull_columns_back(&mut self, directions: &mut Directions, columns: &[f64], s: &mut [f64]);

    /// The values of the known columns where they are read; the others are left as they are.
    fn column_values(&self, y: &[f64], out: &mut [f64]);

    /// What has been summed up, as derivatives by a variable: one for each weight.
    fn weighed(&self, directions: &Directions, variable: usize, out: &mut [f64]);

    /// Derivatives of the [known](Directions::known) columns along the directions of a block, from S; each has the lanes of the block side by side.
    fn vary_columns(&mut self, directions: &mut Directions, block: usize, s: &[f64], out: &mut [f64]);
}
