//! Independent coordinates of a mechanism around one of its states: the tangent space of all its constraints, with names.
//!
//! With y = [q, u, W, auxiliary states] of any formulation and its projection P onto the constraints:
//!
//! ```text
//!   (T1)  q' = N u                                        kinematics: N from y' at rates displaced by unit vectors
//!   (T2)  R e_k = P(u + e_k) − P(u)                       R: projector onto the rates that all constraints allow; exact, as P is affine in u
//!   (T3)  W e_k = N⁺ (P(q ⊕ h e_k) − P(q ⊖ h e_k)) / 2h    W: the same for positions, as displacements of the kind of rates
//!   (T4)  x = L (y − y₀) = [(N⁺ (q − q₀))_p, (u − u₀)_v, a − a₀]
//!   (T5)  T_ξ = W W_pᵀ (W_p W_pᵀ)⁻¹,   T_ν = R R_vᵀ (R_v R_vᵀ)⁻¹      directions with L T = 1
//! ```
//!
//! v are rows of R that are independent, found by pivoted orthogonalisation, largest first, lengths measured by the size of the mechanism; p holds v and, where
//! non-holonomic constraints bind rates and not positions, further ones. Redundant constraints, drivers, locks and rolling need no care: the projection knows them.
//! L is linear in y and constant, so that x' = L y' along any motion.
//!
//! A state at which the rank is not clear is refused: there the mechanism is at, or next to, a singular position.

mod names;

pub(super) use names::of_links;

use crate::Error;
use crate::interactions::{Between, Rate};
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::Frame;
use crate::simulation::{Probe, State};
use nalgebra::DMatrix;

/// A number with a name and a unit: a state, an input or an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Name, as in `joint.A.q` or `measure.lean`.
    pub name: String,
    /// Unit; empty if it has none.
    pub unit: String,
}

/// h of (T3): a part of a radian, or of the size.
const STEP: f64 = 1e-5;
/// Rows whose rest is below this part of the largest depend on those before.
const DEPENDENT: f64 = 1e-5;
/// Rows above this part are independent; between the two the rank is not clear.
const INDEPENDENT: f64 = 2e-4;
/// How far W² may be from W, differences and curvature included: more is a position where displacements are not linear.
const LINEAR: f64 = 1e-2;
/// More rates than this are too many for dense matrices.
const MOST_RATES: usize = 3000;

/// The neighbourhood of a state that meets the constraints, in independent coordinates.
pub struct Tangent<'m> {
    pub(super) mechanism: &'m Mechanism,
    pub(super) probe: Probe,
    formulation: Formulation,
    pub(super) t: f64,
    /// The state, projected, and y' there.
    pub(super) y: Vec<f64>,
    pub(super) dy: Vec<f64>,
    /// Rows of N⁺ that positions need.
    left_inverse: Vec<Vec<f64>>,
    /// p and v, as numbers of rates.
    positions: Vec<usize>,
    velocities: Vec<usize>,
    /// Places in y.
    auxiliary: Vec<usize>,
    /// T, displacements of the kind of rates, then changes of rates.
    by_position: Vec<Vec<f64>>,
    by_velocity: Vec<Vec<f64>>,
    states: Vec<Quantity>,
    /// Which rates are lengths, and what counts as large for each: the size for lengths, one for angles.
    lengths: Vec<bool>,
    sizes: Vec<f64>,
    /// Signs of the velocities, as results show them.
    signs: Vec<f64>,
}

impl<'m> Tangent<'m> {
    /// Independent coordinates around a state. [`Formulation::Auto`] is `recursive`, whose states are angles and paths of joints, or `points` where a body
    /// deforms.
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, contacts are closed, or the position is singular; [`Error::Model`] if the formulation cannot describe the mechanism;
    /// [`Error::Run`] if the constraints cannot be met.
    pub fn new(mechanism: &'m Mechanism, state: &State, formulation: Formulation) -> Result<Self, Error> {
        let formulation = match formulation {
            Formulation::Auto if mechanism.modal_bodies().is_empty() => Formulation::Recursive,
            Formulation::Auto => Formulation::Points,
            given => given,
        };
        if let Some(closed) = state.modes.contacts.first() {
            return Err(Error::State(format!(
                "cannot take independent coordinates at t = {} s: the contact `{}` is closed, and whether it stays so is not smooth; put a joint there that holds as \
                 the contact does",
                state.t, closed.contact
            )));
        }
        let state = mechanism.converted(state, formulation)?;
        let mut probe = Probe::new(mechanism, formulation)?;
        let mut y = probe.enter(&state)?;
        let mut dy = vec![0.0; probe.dimension()];
        probe.project(state.t, &mut y, &mut dy)?;
        let n = probe.rates().len();
        if n > MOST_RATES {
            return Err(Error::State(format!(
                "cannot take independent coordinates: {n} rates are too many for dense matrices, at most {MOST_RATES}; take another formulation"
            )));
        }
        let mut tangent = Tangent {
            mechanism,
            probe,
            formulation,
            t: state.t,
            y,
            dy,
            left_inverse: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
            auxiliary: Vec::new(),
            by_position: Vec::new(),
            by_velocity: Vec::new(),
            states: Vec::new(),
            lengths: vec![false; n],
            sizes: vec![1.0; n],
            signs: Vec::new(),
        };
        tangent.choose()?;
        Ok(tangent)
    }

    /// The states: positions, then velocities, then auxiliary states.
    pub fn states(&self) -> &[Quantity] {
        &self.states
    }

    /// Number of states that are positions, velocities and auxiliary states.
    pub fn counts(&self) -> [usize; 3] {
        [self.positions.len(), self.velocities.len(), self.auxiliary.len()]
    }

    /// The formulation behind it.
    pub fn formulation(&self) -> Formulation {
        self.formulation
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// What counts as large of a state, with rates against a frequency.
    pub(super) fn size_of(&self, i: usize, frequency: f64) -> f64 {
        let [positions, velocities, _] = self.counts();
        match i {
            i if i < positions => self.sizes[self.positions[i]],
            i if i < positions + velocities => self.sizes[self.velocities[i - positions]] * frequency,
            i => {
                let place = self.auxiliary[i - positions - velocities];
                self.large(place) / self.unit_of(place)
            }
        }
    }

    /// What counts as large of a variable, by its place in y.
    pub(super) fn large(&self, place: usize) -> f64 {
        let variable = &self.mechanism.interactions.variables[place - self.first_variable()];
        let usual = if variable.scale.is_finite() { variable.scale } else { variable.unit.1 };
        self.y[place].abs().max(usual)
    }

    /// (T1) to (T5).
    fn choose(&mut self) -> Result<(), Error> {
        let kinematics = self.kinematics()?;
        let nq = self.probe.rates().start;
        for (k, column) in kinematics.column_iter().enumerate() {
            self.lengths[k] = (0..nq).any(|i| column[i] != 0.0 && self.probe.is_place(i));
            if self.lengths[k] {
                self.sizes[k] = self.mechanism.size;
            }
        }
        let inverse = left_inverse(&kinematics).ok_or_else(|| {
            Error::State("the coordinates of the state do not follow from its rates".into())
        })?;
        let mut rates = self.rate_projector()?;
        let spins = self.idle_spins(&rates);
        take_out(&mut rates, &spins);
        let velocities = self.independent(&rates, &[])?;
        let mut places = self.place_projector(&inverse)?;
        take_out(&mut places, &spins);
        let positions = self.independent(&places, &velocities)?;
        self.check(&rates, &velocities, &places, &positions)?;
        self.by_velocity = directions(&rates, &velocities, &self.sizes).ok_or_else(|| self.singular(""))?;
        self.by_position = directions(&places, &positions, &self.sizes).ok_or_else(|| self.singular(""))?;
        self.left_inverse = positions.iter().map(|&p| inverse.row(p).iter().copied().collect()).collect();
        (self.positions, self.velocities) = (positions, velocities);
        self.auxiliary = self.dynamic_variables();
        self.name_states()
    }

    /// (T1), rates by columns.
    fn kinematics(&mut self) -> Result<DMatrix<f64>, Error> {
        let rates = self.probe.rates();
        let mut out = DMatrix::zeros(rates.start, rates.len());
        let mut dy = vec![0.0; self.y.len()];
        let mut still = self.y.clone();
        still[rates.clone()].fill(0.0);
        for k in 0..rates.len() {
            let mut y = still.clone();
            y[rates.start + k] = 1.0;
            self.probe.derivative(self.t, &y, &mut dy)?;
            (0..rates.start).for_each(|i| out[(i, k)] = dy[i]);
        }
        Ok(out)
    }

    /// (T2), with lengths in parts of the size.
    fn rate_projector(&mut self) -> Result<DMatrix<f64>, Error> {
        let rates = self.probe.rates();
        let n = rates.len();
        let mut out = DMatrix::zeros(n, n);
        let mut dy = vec![0.0; self.y.len()];
        for k in 0..n {
            let mut y = self.y.clone();
            y[rates.start + k] += self.sizes[k];
            self.probe.project(self.t, &mut y, &mut dy)?;
            for i in 0..n {
                out[(i, k)] = (y[rates.start + i] - self.y[rates.start + i]) / self.sizes[i];
            }
        }
        Ok(out)
    }

    /// (T3), with lengths in parts of the size.
    fn place_projector(&mut self, inverse: &DMatrix<f64>) -> Result<DMatrix<f64>, Error> {
        let rates = self.probe.rates();
        let (n, nq) = (rates.len(), rates.start);
        let mut out = DMatrix::zeros(n, n);
        let mut change = vec![0.0; n];
        for k in 0..n {
            let mut difference = nalgebra::DVector::zeros(nq);
            for side in [1.0, -1.0] {
                change.fill(0.0);
                change[k] = side * STEP * self.sizes[k];
                let y = self.displaced_by(&change)?;
                (0..nq).for_each(|i| difference[i] += side * y[i] / (2.0 * STEP));
            }
            let along = inverse * difference;
            (0..n).for_each(|i| out[(i, k)] = along[i] / self.sizes[i]);
        }
        Ok(out)
    }

    /// How particles turn, where nothing holds them and they hold nothing else: that is no motion.
    fn idle_spins(&self, projector: &DMatrix<f64>) -> Vec<usize> {
        let mut spins = names::turns_of_particles(self.mechanism, self.formulation);
        let alone = |k: usize| {
            let of = |i: usize| if i == k { 1.0 } else { 0.0 };
            let entries =
                (0..projector.nrows()).map(|i| [projector[(i, k)] - of(i), projector[(k, i)] - of(i)]);
            entries.flatten().all(|off| off.abs() < DEPENDENT)
        };
        spins.retain(|&k| alone(k));
        spins
    }

    /// y with its positions displaced by a change of the kind of rates, projected.
    fn displaced_by(&mut self, change: &[f64]) -> Result<Vec<f64>, Error> {
        let (mut y, mut dy) = (self.y.clone(), vec![0.0; self.y.len()]);
        // displacements follow an evaluation
        self.probe.derivative(self.t, &y, &mut dy)?;
        self.probe.displace(&mut y, change);
        self.probe.project(self.t, &mut y, &mut dy)?;
        Ok(y)
    }

    /// Independent rows of a projector, largest first; those that are preferred before all others.
    fn independent(&self, projector: &DMatrix<f64>, preferred: &[usize]) -> Result<Vec<usize>, Error> {
        let n = projector.nrows();
        let mut rows: Vec<Vec<f64>> = projector.row_iter().map(|row| row.iter().copied().collect()).collect();
        let norm = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = rows.iter().map(|row| norm(row)).fold(0.0, f64::max);
        let mut chosen: Vec<usize> = Vec::new();
        // of a projector that has any rank the largest row is no shorter than that
        if first * (n as f64).sqrt() < 0.5 {
            return Ok(chosen);
        }
        for round in 0..n {
            let best = match preferred.get(round) {
                Some(&k) => k,
                None => {
                    let left = (0..n).filter(|k| !chosen.contains(k));
                    // of equals the first
                    let best = left.fold((usize::MAX, 0.0), |best: (usize, f64), k| {
                        let size = norm(&rows[k]);
                        if size > best.1 * (1.0 + 1e-6) { (k, size) } else { best }
                    });
                    best.0
                }
            };
            let rest = rows.get(best).map_or(0.0, |row| norm(row));
            if rest <= DEPENDENT * first {
                break;
            }
            if rest < INDEPENDENT * first {
                return Err(self.singular(&format!(
                    "one combination of its rates is held to {:.1e} and not to zero",
                    rest / first
                )));
            }
            let unit: Vec<f64> = rows[best].iter().map(|x| x / rest).collect();
            for row in &mut rows {
                // twice is enough
                for _ in 0..2 {
                    let along: f64 = row.iter().zip(&unit).map(|(a, b)| a * b).sum();
                    row.iter_mut().zip(&unit).for_each(|(a, b)| *a -= along * b);
                }
            }
            chosen.push(best);
        }
        Ok(chosen)
    }

    fn check(
        &self,
        rates: &DMatrix<f64>,
        velocities: &[usize],
        places: &DMatrix<f64>,
        positions: &[usize],
    ) -> Result<(), Error> {
        let trace = rates.trace();
        if (trace - velocities.len() as f64).abs() > 1e-5 {
            return Err(self.singular(&format!("its rates have {trace:.5} freedoms")));
        }
        let bent = (places * places - places).amax() / places.amax().max(1.0);
        if positions.len() < velocities.len() || bent > LINEAR {
            return Err(self.singular(&format!(
                "its positions have {} freedoms and its velocities {}, and displacements are off by {bent:.1e} of their size from being linear",
                positions.len(),
                velocities.len()
            )));
        }
        Ok(())
    }

    fn singular(&self, fact: &str) -> Error {
        let fact = if fact.is_empty() { "its freedoms are not clear" } else { fact };
        Error::State(format!(
            "cannot take independent coordinates of `{}` at t = {} s: the position is singular or next to it, {fact}; take a state before or behind it",
            self.mechanism.model.name, self.t
        ))
    }

    /// Variables with equations of their own: states, filtered inputs, integrals of controllers. Not the work, counted turns, held values and accounts.
    fn dynamic_variables(&self) -> Vec<usize> {
        let interactions = &self.mechanism.interactions;
        let first = self.first_variable();
        let linear = |k: usize| {
            interactions.inputs.iter().any(|input| input.first == k && input.between == Between::Linear)
        };
        let moves = |k: &usize| !matches!(interactions.variables[*k].rate, Rate::Still) && !linear(*k);
        (0..interactions.variables.len()).filter(moves).map(|k| first + k).collect()
    }

    /// Names, units and signs; directions and L with these.
    fn name_states(&mut self) -> Result<(), Error> {
        let names = names::of_rates(self.mechanism, self.formulation, &mut self.probe)?;
        let unit = |length: bool, rate: bool| match (length, rate) {
            (true, false) => "m",
            (true, true) => "m/s",
            (false, false) => "rad",
            (false, true) => "rad/s",
        };
        let turn = |direction: &mut Vec<f64>, sign: f64| direction.iter_mut().for_each(|x| *x *= sign);
        for (i, &k) in self.positions.iter().enumerate() {
            let unit = unit(self.lengths[k], false).into();
            self.states.push(Quantity { name: names[k].position.clone(), unit });
            turn(&mut self.by_position[i], names[k].sign);
            turn(&mut self.left_inverse[i], names[k].sign);
        }
        for (i, &k) in self.velocities.iter().enumerate() {
            let unit = unit(self.lengths[k], true).into();
            self.states.push(Quantity { name: names[k].velocity.clone(), unit });
            turn(&mut self.by_velocity[i], names[k].sign);
            self.signs.push(names[k].sign);
        }
        let interactions = &self.mechanism.interactions;
        let first = self.first_variable();
        for &place in &self.auxiliary {
            let variable = &interactions.variables[place - first];
            let per_second = if variable.name.ends_with(".rate") { "/s" } else { "" };
            let unit = format!("{}{per_second}", variable.unit.0);
            self.states.push(Quantity { name: variable.name.clone(), unit });
        }
        Ok(())
    }

    /// Where the variables begin in y.
    pub(super) fn first_variable(&self) -> usize {
        self.probe.auxiliary().start + self.mechanism.interactions.variables_at()
    }

    /// The size of the unit of an auxiliary state in SI units.
    pub(super) fn unit_of(&self, place: usize) -> f64 {
        self.mechanism.interactions.variables[place - self.first_variable()].unit.1
    }

    /// (T4), and x' = L y'.
    pub(super) fn read(&self, y: &[f64], dy: &[f64], x: &mut [f64], dx: &mut [f64]) {
        let rates = self.probe.rates();
        let [positions, velocities, _] = self.counts();
        for (i, row) in self.left_inverse.iter().enumerate() {
            let q = y[..rates.start].iter().zip(&self.y).zip(row);
            x[i] = q.map(|((q, q0), l)| (q - q0) * l).sum();
            dx[i] = dy[..rates.start].iter().zip(row).map(|(dq, l)| dq * l).sum();
        }
        for (i, (&k, sign)) in self.velocities.iter().zip(&self.signs).enumerate() {
            let k = rates.start + k;
            x[positions + i] = sign * (y[k] - self.y[k]);
            dx[positions + i] = sign * dy[k];
        }
        for (i, &k) in self.auxiliary.iter().enumerate() {
            let (i, unit) = (positions + velocities + i, self.unit_of(k));
            x[i] = (y[k] - self.y[k]) / unit;
            dx[i] = dy[k] / unit;
        }
    }

    /// The state at y₀ + Σ x_k T_k, projected onto the constraints, and y' there.
    pub(super) fn displaced(&mut self, x: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let rates = self.probe.rates();
        let [positions, velocities, _] = self.counts();
        let (mut y, mut dy) = (self.y.clone(), vec![0.0; self.y.len()]);
        let mut change = vec![0.0; rates.len()];
        for (direction, x) in self.by_position.iter().zip(x).filter(|(_, x)| **x != 0.0) {
            change.iter_mut().zip(direction).for_each(|(c, d)| *c += x * d);
        }
        if x[..positions].iter().any(|x| *x != 0.0) {
            // displacements follow an evaluation
            self.probe.derivative(self.t, &y, &mut dy)?;
            self.probe.displace(&mut y, &change);
        }
        for (direction, x) in self.by_velocity.iter().zip(&x[positions..]).filter(|(_, x)| **x != 0.0) {
            y[rates.clone()].iter_mut().zip(direction).for_each(|(u, d)| *u += x * d);
        }
        for (&place, x) in self.auxiliary.iter().zip(&x[positions + velocities..]) {
            y[place] += x * self.unit_of(place);
        }
        self.probe.project(self.t, &mut y, &mut dy)?;
        Ok((y, dy))
    }

    /// The largest part, in its size, that a rate has in the direction of a state: steps are measured by it. One for auxiliary states.
    pub(super) fn reach(&self, i: usize) -> f64 {
        let [positions, velocities, _] = self.counts();
        let direction = match i {
            i if i < positions => &self.by_position[i],
            i if i < positions + velocities => &self.by_velocity[i - positions],
            i => return 1.0 / self.size_of(i, 1.0),
        };
        direction.iter().zip(&self.sizes).fold(0.0, |most: f64, (d, size)| most.max(d.abs() / size))
    }

    /// Everything there is to know near the state, in independent coordinates: at x = 0 it is the state itself. For a finite x the constraints hold, and x is met to first order.
    ///
    /// # Errors
    /// [`Error::State`] for another number of states, [`Error::Run`] if the constraints cannot be met there.
    pub fn frame_at(&mut self, x: &[f64]) -> Result<&Frame, Error> {
        if x.len() != self.len() {
            return Err(Error::State(format!("{} states are given, there are {}", x.len(), self.len())));
        }
        let (y, _) = self.displaced(x)?;
        self.probe.frame(self.t, &y)
    }

    /// The state at x as plain data; see [`frame_at`](Self::frame_at).
    ///
    /// # Errors
    /// As [`frame_at`](Self::frame_at).
    pub fn state_at(&mut self, x: &[f64]) -> Result<State, Error> {
        if x.len() != self.len() {
            return Err(Error::State(format!("{} states are given, there are {}", x.len(), self.len())));
        }
        let (y, _) = self.displaced(x)?;
        Ok(self.probe.state(self.t, &y))
    }
}

/// Takes coordinates out of a projector that stand alone in it.
fn take_out(projector: &mut DMatrix<f64>, coordinates: &[usize]) {
    for &k in coordinates {
        projector.row_mut(k).fill(0.0);
        projector.column_mut(k).fill(0.0);
    }
}

/// N⁺ = (NᵀN)⁻¹ Nᵀ; `None` if N has not full rank.
fn left_inverse(n: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    Some(n.tr_mul(n).cholesky()?.solve(&n.transpose()))
}

/// (T5) of a projector with lengths in parts of the size, which the directions have too.
fn directions(projector: &DMatrix<f64>, rows: &[usize], sizes: &[f64]) -> Option<Vec<Vec<f64>>> {
    let chosen = projector.select_rows(rows);
    let solved = (&chosen * chosen.transpose()).cholesky()?.solve(&chosen);
    let all = projector * solved.transpose();
    let column =
        |(i, &row): (usize, &usize)| (0..sizes.len()).map(|k| all[(k, i)] * sizes[k] / sizes[row]).collect();
    Some(rows.iter().enumerate().map(column).collect())
}
