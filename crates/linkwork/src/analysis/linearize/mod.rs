//! A mechanism near one of its states as a linear system.
//!
//! ```text
//!   (L1)  δx' = A δx + B δw,   δo = C δx + D δw          x: independent coordinates, (T4); w: inputs; o: outputs
//!   (L2)  s ↦ y(s) = P(y₀ ⊕ s T_k),   X(s) = L (y(s) − y₀),   F(s) = L y'(s),   O(s): outputs
//!   (L3)  dF/ds = A dX/ds,   dO/ds = C dX/ds
//!   (L4)  dF/dw = A dX/dw + B,   dO/dw = C dX/dw + D
//!   (L5)  d/ds = (45 [h] − 9 [2h] + [3h]) / 60h,   [h] = f(h) − f(−h)
//! ```
//!
//! Every displaced state meets the constraints to rounding. (L5) has order six; the formula of order four from the same values tells how well it does, and h is made smaller
//! where forces change over less than that. (L3) holds for every direction that is roughly T_k, as the coordinates reached are measured and not taken for granted.

mod columns;
mod differences;
mod shapes;

pub use shapes::{BodyMotion, JointMotion, PointMotion};

use super::tangent::{Quantity, Tangent};
use crate::Error;
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::simulation::State;
use differences::Sampler;

/// More states than these would take many minutes and gigabytes.
const MOST_STATES: usize = 4000;

/// What to linearise: [`Mechanism::linearize`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearizeOptions {
    /// Formulation whose coordinates are the states; [`Formulation::Auto`] is `recursive`: angles and paths of joints.
    pub formulation: Formulation,
    /// Names of inputs, in order; `None`: all of the model.
    pub inputs: Option<Vec<String>>,
    /// Names of result columns, in order, as in `joint.A.q`; `None`: all measures of the model.
    pub outputs: Option<Vec<String>>,
}

impl Default for LinearizeOptions {
    fn default() -> Self {
        LinearizeOptions { formulation: Formulation::Auto, inputs: None, outputs: None }
    }
}

/// A mechanism near one of its states: (L1). Matrices are row by row; angles are in rad, lengths in m, states in the order positions, velocities, auxiliary states.
///
/// ```
/// # use linkwork::model::{Body, Formulation, Model};
/// # use linkwork::analysis::LinearizeOptions;
/// # let model = Model::planar("pendulum").gravity([0.0, -9.81])
/// #     .point("O", [0.0, 0.0]).point("A", [0.0, -2.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 3.0));
/// let mechanism = model.assemble()?;
/// let hanging = mechanism.initial_state(Formulation::Auto)?;
/// let outputs = Some(vec!["point.A.x".into()]);
/// let linear = mechanism.linearize(&hanging, &LinearizeOptions { outputs, ..Default::default() })?;
/// assert_eq!(linear.states[0].name, "joint.O.q");
/// assert!((linear.a[2] + 1.5 * 9.81 / 2.0).abs() < 1e-9);              // -3 g / 2 l
/// assert!((linear.c[0] - 2.0).abs() < 1e-9);                           // l
/// # Ok::<(), linkwork::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// Name of the model.
    pub model: String,
    /// Time, s.
    pub t: f64,
    /// The formulation whose coordinates are the states.
    pub formulation: Formulation,
    /// Names and units of the states.
    pub states: Vec<Quantity>,
    /// Number of states that are positions, velocities and auxiliary states.
    pub counts: [usize; 3],
    /// Names and units of the inputs.
    pub inputs: Vec<Quantity>,
    /// Names and units of the outputs.
    pub outputs: Vec<Quantity>,
    /// A, states by states.
    pub a: Vec<f64>,
    /// B, states by inputs.
    pub b: Vec<f64>,
    /// C, outputs by states.
    pub c: Vec<f64>,
    /// D, outputs by inputs.
    pub d: Vec<f64>,
    /// x' at the state: zero at rest.
    pub rates: Vec<f64>,
    /// Values of the inputs there.
    pub input_values: Vec<f64>,
    /// Values of the outputs there.
    pub output_values: Vec<f64>,
    /// How the motion at the state changes, if it is neither at rest nor steady.
    pub unsteady: Option<Unsteady>,
    /// What to know about these numbers: motion that is not steady, forces that are not smooth.
    pub remarks: Vec<String>,
    /// How bodies move with the states.
    pub bodies: Vec<BodyMotion>,
    /// How named points move with the states.
    pub points: Vec<PointMotion>,
    /// How coordinates of joints change with the states.
    pub joints: Vec<JointMotion>,
    /// Names of the beams: with them the fastest and the slowest motion may be many powers of ten apart.
    pub beams: Vec<String>,
}

/// A motion that changes while it goes on: the linear system is that of one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsteady {
    /// The state whose rate changes most, in its size.
    pub state: String,
    /// x'' of it, in its unit per s².
    pub change: f64,
    /// The time in which the motion changes by its own size, s.
    pub within: f64,
}

impl Mechanism {
    /// This mechanism near a state as a linear system with named states, inputs and outputs. Accurate to about 1e-10 of the largest entries where forces are smooth.
    ///
    /// Where the state moves, that is meant for steady motion: x' is constant in the coordinates of the formulation. [`Linearization::unsteady`] says by how much it is not.
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, a contact is closed, the position is singular, or there is no such output; [`Error::Input`] if there is no such
    /// input; [`Error::Run`] if the equations of motion cannot be solved near it.
    pub fn linearize(&self, state: &State, options: &LinearizeOptions) -> Result<Linearization, Error> {
        let tangent = Tangent::new(self, state, options.formulation)?;
        if tangent.len() == 0 {
            return Err(Error::State(format!(
                "cannot linearise `{}`: it has no freedom and no state of its own; its motion is prescribed",
                self.model.name
            )));
        }
        if tangent.len() > MOST_STATES {
            return Err(Error::State(format!(
                "cannot linearise `{}`: it has {} states, and matrices are made of up to {MOST_STATES}; take fewer bodies or segments",
                self.model.name,
                tangent.len()
            )));
        }
        let inputs = columns::inputs(self, options.inputs.as_deref())?;
        let outputs = columns::outputs(self, options.outputs.as_deref())?;
        Sampler::new(tangent, inputs, outputs)?.linearize()
    }
}
