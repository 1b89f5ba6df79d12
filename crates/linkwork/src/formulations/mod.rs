//! The equations of motion in different coordinates: the same mechanism, the same motion.

mod added_inertia;
mod body_axes;
mod contact_steps;
mod contacting;
mod forward;
mod joints;
mod jump;
mod kane;
mod kernel;
pub mod lagrange;
mod momentum;
mod neighbours;
mod newton_euler;
mod points;
mod projection;
pub(crate) mod recursive;
mod step_error;
mod tmt;
pub mod tree;
mod variational;

pub use added_inertia::AddedInertia;
pub use body_axes::{BodyAxes, Spin};
pub use contact_steps::StepCounts;
pub use contacting::Contacting;
pub use joints::Joints;
pub use jump::{Impulses, Jump, impulses};
pub use kane::Kane;
pub use lagrange::Lagrange;
pub use momentum::{Momentum, MomentumCount, MomentumMatrices, ParticleInvariants, momentum_matrices};
pub use neighbours::{Neighbours, Weights};
pub use newton_euler::NewtonEuler;
pub use points::{Directions, Points};
pub(crate) use recursive::TreeCoordinate;
pub use recursive::{BodyPlace, Input, InputLaw, Links, Recursive};
pub use tmt::Tmt;
pub use variational::Variational;

pub use crate::linalg::spatial::Twist;

use crate::contact::{ClosedContact, ContactFailure};
use crate::integrate::System;
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::keep::Keep;
use crate::mechanism::Mechanism;
use crate::model::{Fault, Formulation};
use crate::results::{Frame, StateCoordinate};

/// Why the equations of motion could not be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The constraints could not be met.
    #[error(
        "the constraints cannot be met: {worst} is open by {residual:.3e} m after {iterations} iterations"
    )]
    NotConverged {
        /// The worst row.
        worst: String,
        /// m.
        residual: f64,
        /// Newton steps.
        iterations: u32,
    },
    /// Neither mass nor constraints determine the motion of a point here.
    #[error(
        "the motion of {point} is undetermined here: it has no mass of its own and no constraint holds it"
    )]
    Massless {
        /// The point.
        point: String,
    },
    /// A motion without kinetic energy that no constraint prevents.
    #[error(
        "the mass matrix is singular here: {} has no inertia{}, and no constraint holds it",
        coordinates.first().map_or("a coordinate", String::as_str),
        if coordinates.len() > 1 { format!(" when it moves together with {}", coordinates[1..].join(", ")) }
        else { String::new() }
    )]
    SingularMass {
        /// The coordinates that take part in the motion, the one with the largest part first.
        coordinates: Vec<String>,
    },
    /// Velocities cannot jump as they should.
    #[error(
        "the velocities cannot change as {row} demands: {rate:.3e} m/s are left, other constraints forbid it"
    )]
    Jammed {
        /// The row that is off.
        row: String,
        /// By how much, m/s.
        rate: f64,
    },
    /// Mass, damping and stiffness of an implicit step do not add up to anything positive.
    #[error(
        "mass, damping and stiffness do not hold {point} in an implicit step: it is unstable here, the step is too long"
    )]
    Indefinite {
        /// The point.
        point: String,
    },
    /// Something takes too much memory or time.
    #[error("{what} is too large")]
    TooLarge {
        /// What.
        what: &'static str,
    },
    /// The laws of contact cannot be met.
    #[error("the contacts cannot be resolved, look at `{contact}`: {why}")]
    Contact {
        /// The contact.
        contact: String,
        /// What is wrong.
        why: ContactFailure,
    },
    /// A mass that varies is not above zero.
    #[error("the mass of `{body}` must stay above zero, it is {mass} kg")]
    MassGone {
        /// The body.
        body: String,
        /// kg
        mass: f64,
    },
    /// A force or acceleration is not a finite number.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// What it is.
        what: String,
    },
}

/// Something of a mechanism that has no power series, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCovered {
    /// The element.
    pub element: String,
    /// Why.
    pub why: String,
}

/// Work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Factorisations of the saddle-point matrix.
    pub factorisations: u64,
    /// Linear solves, refinements included.
    pub solves: u64,
    /// Newton steps of projections.
    pub projection_steps: u64,
}

impl Counters {
    /// With those of another system.
    pub(crate) fn with(self, other: Counters) -> Counters {
        Counters {
            factorisations: self.factorisations + other.factorisations,
            solves: self.solves + other.solves,
            projection_steps: self.projection_steps + other.projection_steps,
        }
    }
}

/// A formulation: a first-order system that can say where the mechanism is.
/// Keeping it keeps what later evaluations depend on: rows' weights, factors that serve longer than an evaluation, switches, counters.
pub trait Formulate: System<Error = MotionError> + Keep + Send {
    /// The start state.
    fn start(&self) -> Vec<f64>;
    /// Gets ready for [`System::series`] of this order, or tells what has none.
    fn begin_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>>;
    /// The equations of motion differentiated along directions, where the formulation can do that as it stands now.
    fn variational(&mut self) -> Option<&mut dyn Variational> {
        None
    }
    /// Everything there is to know at a state: points, joints, energies, residuals.
    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError>;
    /// Where the work stands in a state. Coordinates and rates come before it, the auxiliary states behind.
    fn work_index(&self) -> usize;
    /// Whether any state may have left the constraints: if not, a projection moves nothing.
    fn is_bound(&self) -> bool;
    /// Where the bodies are and how fast at a state; solves nothing.
    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]);
    /// Turns a switch of the interactions on or off.
    fn switch(&mut self, switch: usize, on: bool);
    /// Lets velocities jump so that couplings in force get the wanted rates, m/s, and no other row's rate changes. Positions
    /// stay; the work of the impulses is added to the state's.
    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError>;
    /// What a row of [`System::independence`] is called.
    fn row_name(&self, row: usize) -> String;
    /// Loads from elsewhere, from now on: pulls at centres of mass that every evaluation adds. They do no work that the state
    /// counts.
    fn set_loads(&mut self, pulls: &[BodyWrench]);
    /// What impulses do to the rates, all constraints kept, with the factor of the last `derivative`, `project`, `observe`
    /// or `jump`:
    ///
    ///   [M Aᵀ; A 0] [Δu; Λ] = [Jᵀ p; 0]
    ///
    /// Linear in the pulls (N s, N m s); `change` has a place for every rate. The same equations turn forces into what they
    /// add to the accelerations. Returns Λ·Φ_t, the work, or power, of drivers that answer.
    fn respond(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<f64, MotionError>;
    /// Velocities of the bodies for given rates (or changes of rates), at the positions of a state.
    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]);
    /// Accelerations of the bodies for a state and its derivative.
    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]);
    /// Moves the positions of a state by a small change of the kind that `respond` gives, times a second. Follows an
    /// evaluation at that state.
    fn displace(&mut self, y: &mut [f64], change: &[f64]);
    /// Which contacts are closed from now on, and how they hold; formulations know nothing of contacts, only
    /// [`Contacting`] does.
    fn hold(&mut self, closed: &[ClosedContact]) {
        let _ = closed;
    }
    /// Brings the angular velocities of a state into world axes, and back into those that the state has. Only [`BodyAxes`] has others.
    fn to_world_axes(&self, y: &mut [f64]) {
        let _ = y;
    }
    /// The way back from [`to_world_axes`](Self::to_world_axes).
    fn to_body_axes(&self, y: &mut [f64]) {
        let _ = y;
    }
    /// The quaternions of bodies that turn freely against the ground, with their angular velocities in world axes: for [`BodyAxes`].
    fn spins(&self) -> Vec<Spin> {
        Vec::new()
    }
    /// Whether its own equations have this one of [`Mechanism::joint_inertias`]; if not, [`AddedInertia`] adds it.
    fn has_joint_inertia(&self, index: usize) -> bool {
        let _ = index;
        false
    }
    /// Coordinates of joints that stand in the state as they are.
    fn joint_coordinates(&self) -> Vec<StateCoordinate> {
        Vec::new()
    }
    /// Number of coordinates, and of unknowns in the linear system for accelerations and multipliers.
    fn sizes(&self) -> (usize, usize);
    /// Work done so far.
    fn counters(&self) -> Counters;
    /// Time steps over contacts so far; only [`Contacting`] makes any.
    fn contact_steps(&self) -> Option<StepCounts> {
        None
    }
    /// What a component of the state is, for people.
    fn component_name(&self, i: usize) -> String;
    /// The bodies that a component of the state belongs to.
    fn component_bodies(&self, i: usize) -> Vec<usize>;
}

/// A name between marks, unless it has some.
pub(crate) fn marked(name: &str) -> String {
    if name.contains('`') { name.into() } else { format!("`{name}`") }
}

/// What is not finite: a driver or force, if one of them is to blame, else what the formulation found.
fn not_finite(
    mechanism: &Mechanism,
    ws: &mut Workspace,
    (t, auxiliary): (f64, &[f64]),
    found: String,
) -> MotionError {
    let what = match ws.trouble(&mechanism.interactions, t, auxiliary) {
        Some((name, why)) if why.is_empty() => format!("what {} does", marked(&name)),
        Some((name, why)) => format!("what {} does ({why})", marked(&name)),
        None => found,
    };
    MotionError::NotFinite { what }
}

/// Whether what an impulse does is finite.
fn finite(change: &[f64]) -> Result<(), MotionError> {
    match change.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(MotionError::NotFinite { what: "the change of velocities by an impulse".into() }),
    }
}

/// Index and size of the largest value; a NaN is larger than all.
fn largest(values: &[f64]) -> (usize, f64) {
    values.iter().enumerate().fold((0, 0.0), |(at, max): (usize, f64), (i, v)| {
        if v.abs() > max || v.is_nan() { (i, v.abs()) } else { (at, max) }
    })
}

/// What keeps a formulation of rigid bodies from solving a mechanism with one that deforms.
fn deforms(mechanism: &Mechanism, formulation: Formulation) -> Option<Fault> {
    let body = mechanism.modal_bodies.first().filter(|_| formulation != Formulation::NewtonEuler)?;
    let message =
        format!("`{}` has rigid bodies only, and the body `{}` deforms", formulation.name(), body.name);
    let help = "take the formulation `points` or `newton-euler`";
    Some(Fault::error("simulation.formulation", message).help(help))
}

impl Formulation {
    /// Faults that keep a mechanism from being solved in this formulation, by item.
    pub fn unsupported(self, mechanism: &Mechanism) -> Vec<Fault> {
        if self == Formulation::Auto {
            return mechanism.formulation().0.unsupported(mechanism);
        }
        let integrator = mechanism.model.settings.integrator.facts();
        if integrator.needs_points && self != Formulation::Points {
            let message = format!(
                "`{}` works on the equations of point coordinates: the formulation must be `points`, not `{}`",
                integrator.name,
                self.name()
            );
            let help = "take the formulation `points`, or the integrator `dop853`";
            return vec![Fault::error("simulation.integrator", message).help(help)];
        }
        if self != Formulation::Points
            && let Some(fault) = deforms(mechanism, self)
        {
            return vec![fault];
        }
        let takes_beams =
            matches!(self, Formulation::Points | Formulation::NewtonEuler | Formulation::Recursive);
        if let Some(beam) = mechanism.beams.first().filter(|_| !takes_beams) {
            let message = format!(
                "`{}` does not take the beam `{}`: each of its sections moves by itself, and its equations for so many freedoms are dense",
                self.name(),
                beam.name
            );
            let help = "take `points`, which has sparse ones, `newton-euler` or `recursive`";
            return vec![Fault::error("simulation.formulation", message).help(help)];
        }
        match self {
            Formulation::Auto | Formulation::Points | Formulation::Recursive => Vec::new(),
            Formulation::Joints | Formulation::Tmt => Vec::new(),
            Formulation::Momentum => Momentum::unsupported(mechanism),
            Formulation::NewtonEuler => NewtonEuler::unsupported(mechanism),
            Formulation::Lagrange => lagrange::unsupported(mechanism),
            Formulation::Kane => Kane::unsupported(mechanism),
        }
    }
}

crate::keep::keep!(Counters { factorisations, solves, projection_steps } if |counters| {
    crate::keep::are_counts(&[counters.factorisations, counters.solves, counters.projection_steps])
});
