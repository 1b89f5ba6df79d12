//! Questions about one instant: [`Mechanism::at`].

use super::stage::OwnedStage;
use super::state::{State, failure};
use super::{RunFailure, Status};
use crate::Error;
use crate::formulations::{Formulate, MotionError, Recursive};
use crate::linalg::vec3::norm;
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation};
use crate::results::Frame;

/// A mechanism at one state. Vectors and matrices belong to the rates of its joints, [`Instant::rates`]: those of `recursive`, whatever formulation the state came in. A ball
/// joint has three of them, a body that moves freely six (velocity, then angular velocity), all in world axes.
///
/// ```
/// # use linkwork::model::{Body, Formulation, Model};
/// # let model = Model::planar("pendulum").gravity([0.0, -9.81])
/// #     .point("O", [0.0, 0.0]).point("A", [2.0, 0.0]).ground(["O"]).body(Body::rod("rod", ["O", "A"], 3.0));
/// let mechanism = model.assemble()?;
/// let state = mechanism.initial_state(Formulation::Auto)?;
/// let mut here = mechanism.at(&state)?;
/// assert_eq!(here.rates(), ["O"]);
/// let inertia = here.mass_matrix()[0];
/// assert!((inertia - 3.0 * 4.0 / 3.0).abs() < 1e-12);                  // m l² / 3
/// let torque = here.inverse_dynamics(&[0.5])?[0];
/// assert!((torque - (4.0 * 0.5 + 3.0 * 9.81)).abs() < 1e-12);          // and m g l / 2
/// assert!((here.accelerations_under(&[torque])?[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), linkwork::Error>(())
/// ```
pub struct Instant<'m> {
    pub(super) mechanism: &'m Mechanism,
    pub(super) system: Recursive<'m>,
    /// In the coordinates of `recursive`.
    pub(super) state: State,
    pub(super) y: Vec<f64>,
    /// Made when somebody asks for a sample.
    pub(super) stage: Option<OwnedStage>,
}

impl Mechanism {
    /// This mechanism at a state of it, for questions about that instant. The state is taken as it is: one that does not meet the constraints has a
    /// residual, [`Instant::sample`], and can be [projected](Mechanism::projected).
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, [`Error::Model`] if joint variables cannot describe it.
    pub fn at(&self, state: &State) -> Result<Instant<'_>, Error> {
        let refuse =
            |fault| Error::Model(Faults { list: vec![fault], provenance: self.model.provenance.clone() });
        let system = Recursive::new(self).map_err(refuse)?;
        let mut instant =
            Instant { mechanism: self, system, state: state.clone(), y: Vec::new(), stage: None };
        instant.go_to(state)?;
        Ok(instant)
    }
}

/// Accelerations may be off from what the constraints ask for by this part.
const CONSISTENT: f64 = 1e-8;

impl Instant<'_> {
    /// Goes to another state, with the buffers that are there.
    ///
    /// # Errors
    /// As [`Mechanism::at`].
    pub fn go_to(&mut self, state: &State) -> Result<(), Error> {
        self.state = self.mechanism.converted(state, Formulation::Recursive)?;
        self.stage = None;
        let State { coordinates, rates, work, auxiliary, .. } = &self.state;
        let y = coordinates.iter().chain(rates).chain([work]).chain(auxiliary);
        self.y.clear();
        self.y.extend(y);
        let (tree, auxiliary) = (self.system.tree(), self.mechanism.interactions.auxiliary());
        self.state.check(self.mechanism, [tree.q_count(), tree.u_count(), auxiliary])?;
        let switches = &self.mechanism.interactions.switches;
        (0..switches.len()).for_each(|switch| self.system.switch(switch, switches[switch]));
        for lock in &self.mechanism.events.locks {
            self.system.switch(lock.switch(), self.state.modes.locks.contains(&lock.name));
        }
        for limit in &self.mechanism.events.limits {
            let joint = &self.mechanism.joints[limit.joint].name;
            let rests =
                self.state.modes.limits.iter().any(|l| l.joint == *joint && l.coordinate == limit.coordinate);
            self.system.switch(limit.row.switch, rests);
        }
        Ok(())
    }

    /// The state, in the coordinates of `recursive`.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the rates are called: the joint, or the body that moves freely, with a number where it has several.
    pub fn rates(&self) -> Vec<String> {
        self.system.rate_names()
    }

    /// Everything there is to know: positions, velocities, accelerations of points, joints, reactions, energies, residuals of the constraints, with contacts as
    /// the state has them.
    ///
    /// # Errors
    /// [`Error::Run`] if a result is not a finite number.
    pub fn sample(&mut self) -> Result<&Frame, Error> {
        if self.stage.is_none() {
            let mut stage = self.mechanism.to_be_asked(Formulation::Recursive)?;
            stage.with_dependent_mut(|_, stage| stage.look_at_state(&self.state))?;
            self.stage = Some(stage);
        }
        match &self.stage {
            Some(stage) => Ok(stage.with_dependent(|_, stage| stage.frame())),
            None => Err(failure(Status::Stopped)),
        }
    }

    /// Accelerations of the rates under everything that acts.
    ///
    /// # Errors
    /// [`Error::State`] if contacts are closed or masses vary, [`Error::Run`] if the accelerations are not determined.
    pub fn accelerations(&mut self) -> Result<Vec<f64>, Error> {
        self.ready("accelerations")?;
        Ok(self.system.last_accelerations().to_vec())
    }

    /// Accelerations of the rates under everything that acts and given forces on the rates: N along slides, N m about axes.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations), and [`Error::State`] for another number of forces than there are rates.
    pub fn accelerations_under(&mut self, forces: &[f64]) -> Result<Vec<f64>, Error> {
        self.ready("accelerations")?;
        self.fits("forces", forces)?;
        let mut out = vec![0.0; forces.len()];
        let found = self.system.accelerations_under(self.state.t, &self.y, forces, &mut out);
        found.map_err(|error| self.wrong(&error))?;
        Ok(out)
    }

    /// The forces on the rates that, beside everything that acts, make these accelerations. In a closed loop forces along different joints can do the same: of all
    /// that make the motion those are returned that do not change the loop's own forces, the smallest in the metric of the inverse mass matrix.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations), and [`Error::State`] if the constraints forbid these accelerations.
    pub fn inverse_dynamics(&mut self, accelerations: &[f64]) -> Result<Vec<f64>, Error> {
        self.ready("inverse dynamics")?;
        self.fits("accelerations", accelerations)?;
        let (c, gamma) = self.system.constraint_rows();
        let model = &self.mechanism.model;
        let usual = norm(model.gravity).max(self.mechanism.size / model.settings.duration.powi(2));
        let largest = accelerations.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        for (r, (row, gamma)) in c.chunks(accelerations.len().max(1)).zip(&gamma).enumerate() {
            let sum = row.iter().zip(accelerations).fold(-gamma, |sum, (c, a)| sum + c * a);
            let size = row.iter().fold(gamma.abs(), |size, c| size + c.abs() * largest);
            if sum.abs() > CONSISTENT * size.max(usual) {
                let name = self.system.constraint_name(r);
                let message = format!(
                    "these accelerations cannot be: {name} forbids them, it would open with {sum:.3e} m/s²"
                );
                return Err(Error::State(message));
            }
        }
        let mut forces = self.tree_forces(accelerations);
        self.system.without_multipliers(&mut forces).map_err(|error| self.wrong(&error))?;
        Ok(forces)
    }

    /// The forces on the rates at zero accelerations: inertia forces, weights and loads of springs, dampers and everything else that acts, with the sign of
    /// M u̇ + h = τ − Cᵀν.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations).
    pub fn bias(&mut self) -> Result<Vec<f64>, Error> {
        self.ready("the bias")?;
        Ok(self.tree_forces(&vec![0.0; self.state.rates.len()]))
    }

    /// The mass matrix M of the tree, row by row: kinetic energy is uᵀMu/2. Loops are constraints beside it, [`constraints`](Self::constraints). A body whose spin about its own line
    /// has no energy, a thin rod on a ball joint, has a small inertia of its own there.
    pub fn mass_matrix(&self) -> Vec<f64> {
        let n = self.state.rates.len();
        let mut out = vec![0.0; n * n];
        self.system.mass_matrix(&self.state.coordinates, &mut out);
        out
    }

    /// The constraints that loops, couplings, drivers and locks put on the rates: C row by row and γ, with C u̇ = γ. Trees have none.
    ///
    /// # Errors
    /// As [`accelerations`](Self::accelerations).
    pub fn constraints(&mut self) -> Result<(Vec<f64>, Vec<f64>), Error> {
        self.ready("constraints")?;
        Ok(self.system.constraint_rows())
    }

    /// The Jacobian of a point: its velocity is J u, three rows of as many numbers as there are rates.
    ///
    /// # Errors
    /// [`Error::State`] if there is no such point.
    pub fn jacobian(&self, point: &str) -> Result<Vec<f64>, Error> {
        let found = self.mechanism.points.iter().find(|p| p.name == point);
        let node = found.ok_or_else(|| Error::State(format!("there is no point `{point}`")))?.node;
        let n = self.state.rates.len();
        let mut six = vec![0.0; 6 * n];
        if let (Some(body), place) = self.system.home(node) {
            self.system.jacobian(&self.state.coordinates, body, place, &mut six);
        }
        Ok(six.split_off(3 * n))
    }

    /// The Jacobian of a body: three rows for the velocity of its centre of mass, three for its angular velocity.
    ///
    /// # Errors
    /// [`Error::State`] if there is no such body.
    pub fn body_jacobian(&self, body: &str) -> Result<Vec<f64>, Error> {
        let found = self.mechanism.bodies.iter().position(|b| b.name == body);
        let b = found.ok_or_else(|| Error::State(format!("there is no body `{body}`")))?;
        let com = self.mechanism.bodies[b].particles.properties.com;
        let n = self.state.rates.len();
        let mut six = vec![0.0; 6 * n];
        self.system.jacobian(&self.state.coordinates, b, com, &mut six);
        six.rotate_left(3 * n);
        Ok(six)
    }

    /// (Q2)
    pub(super) fn tree_forces(&self, accelerations: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; accelerations.len()];
        let State { coordinates, rates, .. } = &self.state;
        self.system.tree_forces(coordinates, rates, accelerations, &mut out);
        out
    }

    /// Evaluates at the state, if joint forces are all there is to it.
    pub(super) fn ready(&mut self, what: &str) -> Result<(), Error> {
        if let Some(closed) = self.state.modes.contacts.first() {
            let message = format!(
                "{what}: the contact `{}` is closed; ask for a sample, which has contact forces",
                closed.contact
            );
            return Err(Error::State(message));
        }
        if let Some(mass) = self.mechanism.masses.first() {
            let body = &self.mechanism.bodies[mass.body].name;
            let message = format!("{what}: the mass of `{body}` varies; ask for a sample");
            return Err(Error::State(message));
        }
        let lacks = |&i: &usize| !self.system.has_joint_inertia(i);
        if let Some(i) = (0..self.mechanism.joint_inertias.len()).find(lacks) {
            let joint = &self.mechanism.joints[self.mechanism.joint_inertias[i].joint].name;
            let message = format!(
                "{what}: the `inertia` of `{joint}` is not along a coordinate of the tree of joints; ask for a sample"
            );
            return Err(Error::State(message));
        }
        let found = self.system.ask_at(self.state.t, &self.y);
        found.map_err(|error| self.wrong(&error))
    }

    fn fits(&self, what: &str, list: &[f64]) -> Result<(), Error> {
        let n = self.state.rates.len();
        if list.len() != n || !list.iter().all(|x| x.is_finite()) {
            let message =
                format!("{n} finite {what} are needed, one for each rate; {} were given", list.len());
            return Err(Error::State(message));
        }
        Ok(())
    }

    pub(super) fn wrong(&self, error: &MotionError) -> Error {
        Error::Run(RunFailure::plain(self.state.t, 0.0, "instant", error.to_string(), ""))
    }
}
