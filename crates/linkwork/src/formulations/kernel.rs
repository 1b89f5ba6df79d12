//! Kernels: what a formulation supplies, and all that follows from it for every formulation alike.
//!
//! The state is y = [q, u, W, auxiliary states]: coordinates, rates, the work of what no potential accounts for, Ẇ = P, and the auxiliary states of the
//! interactions. With rows A of all constraints, those of joints before those of couplings,
//!
//!   (K1)  M u̇ + Aᵀ λ = f,   A u̇ = γ
//!   (K2)  Φ(q, t) = 0,   A u + Φ_t = 0
//!
//! A kernel evaluates M, f, A, γ and Φ at an instant and solves (K1). From that [`System`] and [`Formulate`] follow here: the layout of
//! the state, rates of it, the projection onto (K2), jumps, impulses, scales, and the frame of an observation.

use super::projection::{Next, Projection};
use super::{Counters, Formulate, Jump, MotionError, NotCovered, Spin, Variational, finite, jump, largest};
use crate::integrate::{Mechanics, Series, System};
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::keep::Keep;
use crate::linalg::kkt::Kkt;
use crate::linalg::spatial::{Twist, Wrench};
use crate::mechanism::{Mechanism, judged_by};
use crate::results::{Frame, StateCoordinate};

/// Buffers and counters that every formulation has.
#[derive(Clone, Debug, Default)]
pub struct Core {
    /// Number of coordinates.
    pub nq: usize,
    /// Number of rates.
    pub nu: usize,
    /// Which coordinates and rates are lengths, m or m/s; the others are angles and quaternions.
    pub lengths: Vec<bool>,
    /// Rows of joints; those of couplings come behind them.
    pub joint_rows: usize,
    /// Couplings and actions.
    pub interactions: Workspace,
    /// Whether those have anything to do, loads from elsewhere included.
    pub active: bool,
    /// Whether they have without such loads.
    acting: bool,
    /// Whether the rows' weights are those of the rows in force.
    pub weighed: bool,
    /// Φ, or what rows are to become.
    pub phi: Vec<f64>,
    pub gamma: Vec<f64>,
    pub lambda: Vec<f64>,
    pub acceleration: Vec<f64>,
    /// The last change of rates that rows asked for.
    pub correction: Vec<f64>,
    /// Zero for each rate.
    pub zero: Vec<f64>,
    pub counters: Counters,
    rates_of_rows: Vec<f64>,
    /// The largest coordinate of a node at the start, m.
    farthest: f64,
}

impl Core {
    /// Buffers. `lengths`: of all coordinates, then of all rates. `active`: whether the interactions have anything to do.
    pub fn new(
        mechanism: &Mechanism,
        interactions: Workspace,
        active: bool,
        nq: usize,
        lengths: Vec<bool>,
        joint_rows: usize,
    ) -> Self {
        let nu = lengths.len() - nq;
        let m = joint_rows + mechanism.interactions.couplings.len();
        Core {
            nq,
            nu,
            lengths,
            joint_rows,
            interactions,
            active,
            acting: active,
            weighed: false,
            phi: vec![0.0; m],
            gamma: vec![0.0; m],
            lambda: vec![0.0; m],
            acceleration: vec![0.0; nu],
            correction: vec![0.0; nu],
            zero: vec![0.0; nu],
            counters: Counters::default(),
            rates_of_rows: vec![0.0; m],
            farthest: mechanism.farthest_start(),
        }
    }

    /// The parts of a state.
    #[inline]
    pub fn at<'y>(&self, t: f64, y: &'y [f64]) -> At<'y> {
        let work = self.nq + self.nu;
        At { t, q: &y[..self.nq], u: &y[self.nq..work], auxiliary: &y[work + 1..] }
    }

    /// Φ_t of a row: zero but for driven couplings.
    #[inline]
    pub fn moves(&self, row: usize) -> f64 {
        row.checked_sub(self.joint_rows).map_or(0.0, |i| self.interactions.evaluated[i].phi_t)
    }

    /// What each coupling does to each of its bodies, moments about the origin: (coupling, body, wrench).
    pub fn coupling_wrenches(&self) -> Vec<(usize, usize, Wrench)> {
        let mut all = Vec::new();
        for (i, lambda) in self.lambda[self.joint_rows..].iter().enumerate() {
            for &BodyWrench { body, wrench } in self.interactions.pulls(i) {
                let c = self.interactions.motions[body].c;
                all.push((i, body, wrench.times(-lambda).about_origin(c)));
            }
        }
        all
    }

    /// Solves (K1) with a factor for a force and γ; returns the power of the drivers.
    pub fn solve(&mut self, kkt: &mut Kkt, force: &[f64]) -> f64 {
        let report = kkt.solve(force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        if self.active { self.drive_power() } else { 0.0 }
    }

    /// What forces do to the rates with a factor, rows kept: [`Kernel::answer`].
    pub fn answer(&mut self, kkt: &mut Kkt, force: &[f64], change: &mut [f64]) {
        self.phi.fill(0.0);
        let report = kkt.solve(force, &self.phi, change, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
    }

    /// The least change of rates with a factor: [`Kernel::correct`].
    pub fn correct(&mut self, kkt: &mut Kkt) -> u64 {
        let report = kkt.solve(&self.zero, &self.phi, &mut self.correction, &mut self.lambda);
        1 + u64::from(report.refinements)
    }

    /// Power of the drivers for the multipliers at hand.
    pub fn drive_power(&self) -> f64 {
        self.interactions.drive_power(&self.lambda[self.joint_rows..])
    }
}

/// An instant: time, coordinates, rates and auxiliary states.
#[derive(Clone, Copy, Debug)]
pub struct At<'y> {
    pub t: f64,
    pub q: &'y [f64],
    pub u: &'y [f64],
    pub auxiliary: &'y [f64],
}

/// Equations of motion in some coordinates: what differs between formulations.
pub trait Kernel: Keep + Send {
    /// The mechanism and the common buffers.
    fn parts(&mut self) -> (&Mechanism, &mut Core);
    /// The mechanism.
    fn mechanism(&self) -> &Mechanism;
    /// The common buffers.
    fn core(&self) -> &Core;

    /// Coordinates and rates at the start.
    fn initial(&self) -> (Vec<f64>, Vec<f64>);
    /// Evaluates and solves (K1): accelerations and multipliers into the core; returns the power that no potential accounts for. `observed`: a
    /// description follows, which may need more than the accelerations do.
    fn accelerate(&mut self, at: At<'_>, observed: bool) -> Result<f64, MotionError>;
    /// What [`accelerate`](Self::accelerate) would return, if it is known without accelerations, and the rates of coordinates follow from coordinates and rates alone.
    fn power_alone(&self, at: At<'_>) -> Option<f64> {
        let _ = at;
        None
    }
    /// Rates of the coordinates, at the instant of the last evaluation.
    fn coordinate_rates(&mut self, q: &[f64], u: &[f64], dq: &mut [f64]);
    /// Moves coordinates by a small change of the kind that rates times a second are.
    fn move_along(&mut self, q: &mut [f64], change: &[f64]);
    /// Where the bodies are and how fast; solves nothing, and leaves the factor alone.
    fn motions(&mut self, q: &[f64], u: &[f64], out: &mut [Motion]);
    /// Velocities of the bodies for given rates, or with `biased` their accelerations for given rates of rates.
    fn rigid_rates(&mut self, q: &[f64], u: &[f64], rates: &[f64], biased: bool, out: &mut [Twist]);
    /// Changes of rates that impulses on the bodies make with the present factor, rows kept; their multipliers into the core.
    fn answer(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<(), MotionError>;
    /// Points, motions, energies, reactions and gaps at the instant of the last evaluation. Residuals are in the core afterwards.
    fn describe(&mut self, at: At<'_>, frame: &mut Frame);
    /// Number of unknowns in the equations for accelerations and multipliers.
    fn unknowns(&self) -> usize {
        self.core().nu + self.core().lambda.len()
    }
    /// What a coordinate or rate is, for people, and the bodies that it belongs to.
    fn component(&self, i: usize) -> (String, Vec<usize>);

    /// Evaluates (K1) and Φ at an instant and solves nothing. Only where there are rows, as all that follows up to the labels.
    fn linearise(&mut self, at: At<'_>) {
        let _ = at;
    }
    /// Factors what was evaluated last.
    fn factor(&mut self) -> Result<(), MotionError> {
        Ok(())
    }
    /// Makes the factor of the last evaluation again, where that has left none: before answers and independences.
    fn restore(&mut self) -> Result<(), MotionError> {
        Ok(())
    }
    /// The least change of rates that gives the rows the rates in `phi`, into the core with its multipliers; returns the number of linear solves.
    fn correct(&mut self) -> u64 {
        0
    }
    /// A u of all rows.
    fn rates_of_rows(&mut self, u: &[f64], out: &mut [f64]) {
        let _ = (u, out);
    }
    /// How far a row is from depending on others ([`System::independence`]).
    fn independence_of(&self, row: usize) -> f64 {
        let _ = row;
        1.0
    }
    /// What a row of a joint is called.
    fn joint_row_label(&self, row: usize) -> &str {
        let _ = row;
        ""
    }

    /// Brings quaternions to unit length.
    fn normalise(&self, q: &mut [f64]) {
        let _ = q;
    }
    /// Moves a state onto (K2) and evaluates it there.
    fn project_state(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        project(self, t, y, dy)
    }
    /// Forgets what was kept from the last evaluation: switches or loads are others now.
    fn forget(&mut self) {}
    /// See [`Formulate::spins`].
    fn free_spins(&self) -> Vec<Spin> {
        Vec::new()
    }
    /// See [`Formulate::is_bound`].
    fn may_drift(&self) -> bool {
        true
    }
    /// See [`Formulate::joint_coordinates`].
    fn coordinates_of_joints(&self) -> Vec<StateCoordinate> {
        Vec::new()
    }
    /// See [`Formulate::has_joint_inertia`].
    fn carries_inertia(&self, index: usize) -> bool {
        let _ = index;
        false
    }
    /// A start other than the model's.
    fn given_start(&self) -> Option<&[f64]> {
        None
    }
    /// See [`Formulate::begin_series`].
    fn prepare_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>> {
        let _ = order;
        let why = "series are known in point coordinates only".into();
        Err(vec![NotCovered { element: "the formulation".into(), why }])
    }
    /// See [`System::evaluate_independence`].
    fn prepare_independence(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.derivative(t, y, dy)
    }
    /// See [`Formulate::variational`].
    fn differentiated(&mut self) -> Option<&mut dyn Variational> {
        None
    }
    /// See [`System::series`].
    fn power_series(&mut self) -> Option<&mut dyn Series<Error = MotionError>> {
        None
    }
    /// See [`System::mechanics`].
    fn as_mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = MotionError>> {
        None
    }
}

/// Writes the accessors of a [`Kernel`] that has the fields `mechanism` and `core`.
macro_rules! accessors {
    () => {
        fn parts(&mut self) -> (&$crate::mechanism::Mechanism, &mut $crate::formulations::kernel::Core) {
            (self.mechanism, &mut self.core)
        }
        fn mechanism(&self) -> &$crate::mechanism::Mechanism {
            self.mechanism
        }
        fn core(&self) -> &$crate::formulations::kernel::Core {
            &self.core
        }
    };
}
pub(super) use accessors;

/// What a row is called.
pub fn row_label<K: Kernel + ?Sized>(kernel: &K, row: usize) -> &str {
    match row.checked_sub(kernel.core().joint_rows) {
        None => kernel.joint_row_label(row),
        Some(coupling) => &kernel.mechanism().interactions.couplings[coupling].label,
    }
}

/// A u of all rows, in a buffer of the core.
fn rates_of_rows<K: Kernel + ?Sized>(kernel: &mut K, u: &[f64]) {
    let mut rates = std::mem::take(&mut kernel.parts().1.rates_of_rows);
    kernel.rates_of_rows(u, &mut rates);
    kernel.parts().1.rates_of_rows = rates;
}

/// Time, work, auxiliary states and residuals of a state that has been evaluated.
pub fn note_residuals<K: Kernel + ?Sized>(kernel: &mut K, t: f64, y: &[f64], frame: &mut Frame) {
    let at = kernel.core().at(t, y);
    rates_of_rows(kernel, at.u);
    let core = kernel.core();
    frame.t = t;
    frame.constraint_residual = largest(&core.phi).1;
    let rates = core.rates_of_rows.iter().enumerate();
    frame.velocity_residual = rates.fold(0.0, |m: f64, (r, rate)| m.max((rate + core.moves(r)).abs()));
    frame.work = y[core.nq + core.nu];
    frame.auxiliary.clear();
    frame.auxiliary.extend(at.auxiliary);
}

/// The projection: Newton steps onto Φ = 0, each the least change in the sense of kinetic energy, then the least change of the rates.
fn project<K: Kernel + ?Sized>(
    kernel: &mut K,
    t: f64,
    y: &mut [f64],
    dy: &mut [f64],
) -> Result<(), MotionError> {
    let (nq, nu) = (kernel.core().nq, kernel.core().nu);
    let (q, rest) = y.split_at_mut(nq);
    let (u, rest) = rest.split_at_mut(nu);
    let auxiliary = &mut rest[1..];
    kernel.normalise(q);
    if !kernel.core().phi.is_empty() {
        let core = kernel.core();
        let places = q.iter().zip(&core.lengths).filter(|x| *x.1);
        let far = core.farthest + places.fold(0.0, |m: f64, (x, _)| m.max(x.abs()));
        let mut projection = Projection::new(judged_by(kernel.mechanism().size, far));
        loop {
            kernel.linearise(At { t, q, u, auxiliary });
            let (worst, residual) = largest(&kernel.core().phi);
            if projection.next(residual, || row_label(kernel, worst).into())? == Next::Done {
                break;
            }
            kernel.factor()?;
            kernel.parts().1.phi.iter_mut().for_each(|p| *p = -*p);
            kernel.correct();
            let core = kernel.parts().1;
            core.counters.projection_steps += 1;
            let change = std::mem::take(&mut core.correction);
            kernel.move_along(q, &change);
            kernel.parts().1.correction = change;
        }
        kernel.factor()?;
        rates_of_rows(kernel, u);
        let core = kernel.parts().1;
        for r in 0..core.phi.len() {
            core.phi[r] = -core.rates_of_rows[r] - core.moves(r);
        }
        kernel.correct();
        u.iter_mut().zip(&kernel.core().correction).for_each(|(u, du)| *u += du);
    }
    if kernel.mechanism().interactions.hints > 0 {
        let mut motions = std::mem::take(&mut kernel.parts().1.interactions.motions);
        kernel.motions(q, u, &mut motions);
        let (mechanism, core) = kernel.parts();
        core.interactions.motions = motions;
        core.interactions.settle(&mechanism.interactions, auxiliary);
    }
    kernel.derivative(t, y, dy)
}

impl<K: Kernel + ?Sized> System for K {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        let core = self.core();
        core.nq + core.nu + 1 + self.mechanism().interactions.auxiliary()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let at = self.core().at(t, y);
        let power = self.accelerate(at, false)?;
        let (nq, work) = (at.q.len(), at.q.len() + at.u.len());
        self.coordinate_rates(at.q, at.u, &mut dy[..nq]);
        let (mechanism, core) = self.parts();
        dy[nq..work].copy_from_slice(&core.acceleration);
        dy[work] = power;
        core.interactions.auxiliary_rates(&mechanism.interactions, t, at.auxiliary, &mut dy[work + 1..]);
        Ok(())
    }

    fn derivative_beside_rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let at = self.core().at(t, y);
        let Some(power) = self.power_alone(at) else { return self.derivative(t, y, dy) };
        let work = at.q.len() + at.u.len();
        self.coordinate_rates(at.q, at.u, &mut dy[..at.q.len()]);
        dy[work] = power;
        let (mechanism, core) = self.parts();
        core.interactions.auxiliary_rates(&mechanism.interactions, t, at.auxiliary, &mut dy[work + 1..]);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.project_state(t, y, dy)
    }

    fn series(&mut self) -> Option<&mut dyn Series<Error = MotionError>> {
        self.power_series()
    }

    fn mechanics(&mut self) -> Option<&mut dyn Mechanics<Error = MotionError>> {
        self.as_mechanics()
    }

    fn rates(&self) -> std::ops::Range<usize> {
        let core = self.core();
        core.nq..core.nq + core.nu
    }

    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
        if self.restore().is_ok() {
            out.extend((0..self.core().phi.len()).map(|r| self.independence_of(r)));
        }
    }

    fn evaluate_independence(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        self.prepare_independence(t, y, dy)
    }

    fn error_scale(&self, scale: &mut [f64]) {
        // lengths against the mechanism's size, velocities against size per second, angles and quaternions against one
        let (mechanism, core) = (self.mechanism(), self.core());
        for (scale, &length) in scale.iter_mut().zip(&core.lengths) {
            *scale = if length { mechanism.size } else { 1.0 };
        }
        let work = core.nq + core.nu;
        scale[work] = mechanism.work_scale();
        // hints are corrected at every step and steer nothing
        mechanism.interactions.scale_auxiliary(&mut scale[work + 1..]);
    }

    fn is_place(&self, i: usize) -> bool {
        i < self.core().nq && self.core().lengths[i]
    }
}

impl<K: Kernel> Formulate for K {
    fn begin_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>> {
        self.prepare_series(order)
    }

    fn variational(&mut self) -> Option<&mut dyn Variational> {
        self.differentiated()
    }

    fn start(&self) -> Vec<f64> {
        if let Some(start) = self.given_start() {
            return start.to_vec();
        }
        let (q, u) = self.initial();
        q.into_iter().chain(u).chain([0.0]).chain(self.mechanism().initial_auxiliary()).collect()
    }

    fn observe(&mut self, t: f64, y: &[f64], frame: &mut Frame) -> Result<(), MotionError> {
        let at = self.core().at(t, y);
        self.accelerate(at, true)?;
        self.describe(at, frame);
        note_residuals(self, t, y, frame);
        let (mechanism, core) = self.parts();
        frame.multipliers.clear();
        frame.multipliers.extend(&core.lambda[core.joint_rows..]);
        frame.read(mechanism, &mut core.interactions);
        Ok(())
    }

    fn work_index(&self) -> usize {
        self.core().nq + self.core().nu
    }

    fn is_bound(&self) -> bool {
        self.may_drift()
    }

    fn locate_bodies(&mut self, y: &[f64], motions: &mut [Motion]) {
        let at = self.core().at(0.0, y);
        self.motions(at.q, at.u, motions);
    }

    fn switch(&mut self, switch: usize, on: bool) {
        self.forget();
        let core = self.parts().1;
        core.interactions.switches[switch] = on;
        core.weighed = false;
    }

    fn jump(&mut self, t: f64, y: &mut [f64], wanted: &[(usize, f64)]) -> Result<Jump, MotionError> {
        if self.core().phi.is_empty() {
            return Ok(Jump::default());
        }
        let at = self.core().at(t, y);
        self.linearise(at);
        self.factor()?;
        rates_of_rows(self, at.u);
        let core = self.parts().1;
        let (first, before) = (core.joint_rows, core.rates_of_rows.clone());
        let mut b = vec![0.0; before.len()];
        for &(row, rate) in wanted {
            b[first + row] = rate - before[first + row] - core.interactions.evaluated[row].phi_t;
        }
        core.phi.copy_from_slice(&b);
        let solves = self.correct();
        self.parts().1.counters.solves += solves;
        let rates = self.core().nq..self.core().nq + self.core().nu;
        let u = &mut y[rates];
        u.iter_mut().zip(&self.core().correction).for_each(|(u, du)| *u += du);
        rates_of_rows(self, u);
        self.forget();
        let core = self.core();
        let label = |row: usize| row_label(self, row).into();
        let jump = jump::sum_up(&before, &core.rates_of_rows, &b, &core.lambda, first, label)?;
        y[core.nq + core.nu] += jump.work;
        Ok(jump)
    }

    fn row_name(&self, row: usize) -> String {
        row_label(self, row).into()
    }

    fn set_loads(&mut self, pulls: &[BodyWrench]) {
        self.forget();
        let core = self.parts().1;
        core.interactions.set_extra(pulls);
        core.active = core.acting || !pulls.is_empty();
    }

    fn respond(&mut self, pulls: &[BodyWrench], change: &mut [f64]) -> Result<f64, MotionError> {
        self.restore()?;
        self.answer(pulls, change)?;
        finite(change)?;
        Ok(self.core().drive_power())
    }

    fn twists(&mut self, y: &[f64], rates: &[f64], out: &mut [Twist]) {
        let at = self.core().at(0.0, y);
        self.rigid_rates(at.q, at.u, rates, false, out);
    }

    fn body_accelerations(&mut self, y: &[f64], dy: &[f64], out: &mut [Twist]) {
        let (at, rates) = (self.core().at(0.0, y), self.core().at(0.0, dy).u);
        self.rigid_rates(at.q, at.u, rates, true, out);
    }

    fn displace(&mut self, y: &mut [f64], change: &[f64]) {
        let (nq, nu) = (self.core().nq, self.core().nu);
        self.move_along(&mut y[..nq], &change[..nu]);
    }

    fn spins(&self) -> Vec<Spin> {
        self.free_spins()
    }

    fn joint_coordinates(&self) -> Vec<StateCoordinate> {
        self.coordinates_of_joints()
    }

    fn has_joint_inertia(&self, index: usize) -> bool {
        self.carries_inertia(index)
    }

    fn sizes(&self) -> (usize, usize) {
        (self.core().nq, self.unknowns())
    }

    fn counters(&self) -> Counters {
        self.core().counters
    }

    fn component_name(&self, i: usize) -> String {
        if i >= self.work_index() {
            return "the work of dampers and couples".into();
        }
        self.component(i).0
    }

    fn component_bodies(&self, i: usize) -> Vec<usize> {
        if i >= self.work_index() { Vec::new() } else { self.component(i).1 }
    }
}

crate::keep::keep!(Core { acceleration, lambda, counters, interactions, active, weighed } but {
    nq, nu, lengths, joint_rows, acting, phi, gamma, correction, zero, rates_of_rows, farthest
});
