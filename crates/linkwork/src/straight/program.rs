//! A run of given steps as straight-line code: what a device needs to move thousands of variants of one mechanism.

use super::code::Code;

/// An explicit Runge–Kutta method each stage of which needs the one before it alone.
///
/// ```text
///   (P1)  k_s = f(y_s),   y_1 = y,   y_(s+1) = y + h (a_s k_s)
///   (P2)  y⁺ = y + (h/d) Σ b_s k_s        the sum taken in order
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// a, one less than there are stages.
    pub stages: &'static [f64],
    /// b
    pub weights: &'static [f64],
    /// d
    pub divisor: f64,
}

impl Method {
    /// Explicit Euler.
    pub const EULER: Method = Method { stages: &[], weights: &[1.0], divisor: 1.0 };
    /// The classical method of order 4.
    pub const RK4: Method = Method { stages: &[0.5, 0.5, 1.0], weights: &[1.0, 2.0, 2.0, 1.0], divisor: 6.0 };
}

/// Steps of one size, of which the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// How many, the last among them.
    pub count: u64,
    /// s
    pub size: f64,
    /// Size of the last one, s.
    pub last: f64,
}

/// What is done to each variant, in a step and between steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// y' from y and the parameters, in this order.
    pub rates: Code,
    /// y after a step, where something has to be put right: from y alone.
    pub settled: Option<Code>,
    /// How the two make a step.
    pub method: Method,
}

impl Program {
    /// Numbers of a state.
    pub fn states(&self) -> usize {
        self.rates.outputs().len()
    }

    /// Parameters of a variant.
    pub fn parameters(&self) -> usize {
        self.rates.inputs() - self.states()
    }
}

/// Variants side by side: number i of variant v is at i n + v of its list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// n, how many variants there are.
    pub variants: usize,
    /// States; those at the start become those at the end.
    pub states: Vec<f64>,
    /// Parameters.
    pub parameters: Vec<f64>,
    /// Of which variants the states at the end are void, because a number came to a bound.
    pub void: Vec<bool>,
}

/// Something that runs programs.
pub trait Accelerator: std::fmt::Debug + Send + Sync {
    /// Its name, as `NVIDIA H200`.
    fn name(&self) -> &str;

    /// Operations of a program that it can take on at most.
    fn most_operations(&self) -> usize;

    /// Variants that it is best given at a time.
    fn variants_at_a_time(&self) -> usize;

    /// Moves all variants through the steps.
    ///
    /// # Errors
    /// What the device says went wrong; nothing is known of the states then.
    fn run(&self, program: &Program, steps: Steps, columns: &mut Columns) -> Result<(), AcceleratorError>;
}

/// A device failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{device}: {message}")]
pub struct AcceleratorError {
    /// Its name.
    pub device: String,
    /// What went wrong.
    pub message: String,
}
