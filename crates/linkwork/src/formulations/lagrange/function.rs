//! Energies of one's own: T, V, Q and constraints as functions, solved by the integrator.

use super::{Dual, Scalar};
use crate::formulations::projection::{Next, Projection};
use crate::formulations::{Counters, MotionError, largest};
use crate::integrate::System;
use crate::linalg::kkt::{Kkt, KktFailure};
use crate::linalg::ordering::RowPattern;
use nalgebra::{DMatrix, SymmetricEigen};

/// ε
type One = Dual<f64>;
/// ε₁, then ε₂
type Two = Dual<Dual<f64>>;

/// Energies, forces and constraints in coordinates of one's own choice.
///
/// Every function is written once, for any [`Scalar`], and is differentiated automatically. Units are the
/// user's; SI gives newtons, or newton metres where a coordinate is an angle.
///
/// ```
/// use linkwork::formulations::lagrange::{Lagrangian, LagrangianSystem, Scalar};
/// use linkwork::integrate::Stepper;
///
/// /// A pendulum of length 1 m, angle from the downward vertical.
/// struct Pendulum;
/// impl Lagrangian for Pendulum {
///     fn coordinates(&self) -> usize {
///         1
///     }
///     fn kinetic<S: Scalar>(&self, _q: &[S], v: &[S], _t: S) -> S {
///         v[0] * v[0] * 0.5
///     }
///     fn potential<S: Scalar>(&self, q: &[S], _t: S) -> S {
///         -q[0].cos() * 9.81
///     }
/// }
///
/// let mut system = LagrangianSystem::new(Pendulum);
/// let motion = system.evaluate(0.0, &[0.5, 0.0])?;
/// assert!((motion.accelerations[0] + 9.81 * 0.5_f64.sin()).abs() < 1e-14);
///
/// let mut stepper = Stepper::dop853(2, 1e-10);
/// stepper.start(&mut system, 0.0, &[0.5, 0.0], 10.0)?;
/// while !stepper.is_finished() {
///     stepper.step(&mut system)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lagrangian {
    /// Number of coordinates.
    fn coordinates(&self) -> usize;

    /// Kinetic energy T(q, q̇, t), J.
    fn kinetic<S: Scalar>(&self, q: &[S], v: &[S], t: S) -> S;

    /// Potential energy V(q, t), J. None by default.
    fn potential<S: Scalar>(&self, q: &[S], t: S) -> S {
        let _ = (q, t);
        S::from(0.0)
    }

    /// Forces without a potential, Q(q, q̇, t): one for each coordinate, zero on arrival. None by default.
    fn force(&self, q: &[f64], v: &[f64], t: f64, out: &mut [f64]) {
        let _ = (q, v, t, out);
    }

    /// Number of constraints.
    fn constraints(&self) -> usize {
        0
    }

    /// Constraints D_k(q, t) = 0: loops to be closed, motion that is prescribed. No velocities here.
    fn constrain<S: Scalar>(&self, q: &[S], t: S, out: &mut [S]) {
        let _ = (q, t, out);
    }

    /// What a coordinate is called in messages.
    fn coordinate_name(&self, i: usize) -> String {
        format!("coordinate {i}")
    }

    /// What a constraint is called in messages.
    fn constraint_name(&self, k: usize) -> String {
        format!("constraint {k}")
    }

    /// The size of a coordinate that counts as one for error control; its rate is measured by the same per second.
    fn coordinate_scale(&self, i: usize) -> f64 {
        let _ = i;
        1.0
    }

    /// The size of a constraint's value that counts as one for projections.
    fn constraint_scale(&self, k: usize) -> f64 {
        let _ = k;
        1.0
    }
}

/// What the equations of motion give at a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// q̈.
    pub accelerations: Vec<f64>,
    /// λ of (4): the constraint puts the force −λ_k ∂D_k/∂q_i on coordinate i. For D = q_i − f(t), the driving
    /// force is −λ.
    pub multipliers: Vec<f64>,
    /// T, J.
    pub kinetic: f64,
    /// V, J.
    pub potential: f64,
    /// Largest |D_k|.
    pub constraint_residual: f64,
    /// Largest |dD_k/dt|.
    pub velocity_residual: f64,
}

/// A [`Lagrangian`] as a first-order system. The state is (q, q̇).
pub struct LagrangianSystem<L> {
    lagrangian: L,
    n: usize,
    kkt: Kkt,
    /// Lower half of M, by rows.
    mass: Vec<f64>,
    force: Vec<f64>,
    gamma: Vec<f64>,
    d: Vec<f64>,
    d_dot: Vec<f64>,
    zero: Vec<f64>,
    correction: Vec<f64>,
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    q_one: Vec<One>,
    v_one: Vec<One>,
    d_one: Vec<One>,
    q_two: Vec<Two>,
    v_two: Vec<Two>,
    d_two: Vec<Two>,
    weighed: bool,
    counters: Counters,
}

impl<L: Lagrangian> LagrangianSystem<L> {
    /// Buffers for a set of functions.
    ///
    /// # Panics
    /// With more than some 800 coordinates: the mass matrix is dense, and its factorisation then takes longer
    /// than [`crate::linalg::ordering::MAX_FACTOR_WORK`] allows.
    pub fn new(lagrangian: L) -> Self {
        let (n, m) = (lagrangian.coordinates(), lagrangian.constraints());
        let pattern: Vec<(usize, usize, f64)> =
            (0..n).flat_map(|i| (0..=i).map(move |j| (i, j, 0.0))).collect();
        let rows = vec![RowPattern { points: (0..n).collect(), certain: vec![false; n], simplex: None }; m];
        LagrangianSystem {
            kkt: Kkt::new(n, 1, &pattern, &rows).expect("a dense matrix of this size fits"),
            mass: vec![0.0; pattern.len()],
            force: vec![0.0; n],
            gamma: vec![0.0; m],
            d: vec![0.0; m],
            d_dot: vec![0.0; m],
            zero: vec![0.0; n],
            correction: vec![0.0; n],
            acceleration: vec![0.0; n],
            lambda: vec![0.0; m],
            q_one: vec![One::from(0.0); n],
            v_one: vec![One::from(0.0); n],
            d_one: vec![One::from(0.0); m],
            q_two: vec![Two::from(0.0); n],
            v_two: vec![Two::from(0.0); n],
            d_two: vec![Two::from(0.0); m],
            weighed: false,
            counters: Counters::default(),
            n,
            lagrangian,
        }
    }

    /// The functions.
    pub fn lagrangian(&self) -> &L {
        &self.lagrangian
    }

    /// Work done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// M(q, q̇, t) = ∂²T/∂q̇∂q̇, rows first.
    pub fn mass_matrix(&mut self, t: f64, y: &[f64]) -> Vec<Vec<f64>> {
        let (q, v) = y.split_at(self.n);
        self.differentiate(t, q, v);
        (0..self.n).map(|i| (0..self.n).map(|j| self.mass[packed(i, j)]).collect()).collect()
    }

    /// Accelerations, multipliers and energies at a state.
    ///
    /// # Errors
    /// [`MotionError::SingularMass`] where a motion has no inertia, [`MotionError::NotFinite`].
    pub fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<Motion, MotionError> {
        let (q, v) = y.split_at(self.n);
        self.accelerate(t, q, v)?;
        Ok(Motion {
            accelerations: self.acceleration.clone(),
            multipliers: self.lambda.clone(),
            kinetic: self.lagrangian.kinetic(q, v, t),
            potential: self.lagrangian.potential(q, t),
            constraint_residual: largest(&self.d).1,
            velocity_residual: largest(&self.d_dot).1,
        })
    }

    /// M, the right-hand sides of (4), D, dD/dt and the rows of D_q.
    fn differentiate(&mut self, t: f64, q: &[f64], v: &[f64]) {
        let n = self.n;
        let l = &self.lagrangian;
        self.force.fill(0.0);
        l.force(q, v, t, &mut self.force);

        // ∂T/∂q_i − ∂V/∂q_i
        for i in 0..n {
            self.q_one[i] = One::from(q[i]);
            self.v_one[i] = One::from(v[i]);
        }
        for i in 0..n {
            self.q_one[i].eps = 1.0;
            let t = One::from(t);
            self.force[i] += l.kinetic(&self.q_one, &self.v_one, t).eps - l.potential(&self.q_one, t).eps;
            self.q_one[i].eps = 0.0;
        }

        // −∂²T/∂q̇_i∂q_j q̇_j − ∂²T/∂q̇_i∂t: ε₁ in q̇_i, ε₂ along the motion
        for i in 0..n {
            self.q_two[i] = Two::new(One::new(q[i], v[i]), 0.0.into());
            self.v_two[i] = Two::from(v[i]);
        }
        let along = Two::new(One::new(t, 1.0), 0.0.into());
        for i in 0..n {
            self.v_two[i].eps.re = 1.0;
            self.force[i] -= l.kinetic(&self.q_two, &self.v_two, along).eps.eps;
            self.v_two[i].eps.re = 0.0;
        }

        // M_ij: ε₁ in q̇_i, ε₂ in q̇_j
        for i in 0..n {
            self.q_two[i] = Two::from(q[i]);
        }
        for i in 0..n {
            self.v_two[i].eps.re = 1.0;
            for j in 0..=i {
                self.v_two[j].re.eps = 1.0;
                self.mass[packed(i, j)] = l.kinetic(&self.q_two, &self.v_two, Two::from(t)).eps.eps;
                self.v_two[j].re.eps = 0.0;
            }
            self.v_two[i].eps.re = 0.0;
        }

        if self.d.is_empty() {
            return;
        }
        // D_k,i
        for i in 0..n {
            self.q_one[i].eps = 1.0;
            l.constrain(&self.q_one, One::from(t), &mut self.d_one);
            for (k, d) in self.d_one.iter().enumerate() {
                let start = self.kkt.row(k).0;
                self.kkt.a[start + i] = d.eps;
            }
            self.q_one[i].eps = 0.0;
        }
        // D, its rate and −γ: both ε along the motion, so that ε₁ε₂ holds every term of (3)
        for i in 0..n {
            self.q_two[i] = Two::new(One::new(q[i], v[i]), One::new(v[i], 0.0));
        }
        let along = Two::new(One::new(t, 1.0), One::new(1.0, 0.0));
        l.constrain(&self.q_two, along, &mut self.d_two);
        for (k, d) in self.d_two.iter().enumerate() {
            self.d[k] = d.re.re;
            self.d_dot[k] = d.eps.re;
            self.gamma[k] = -d.eps.eps; // (3)
        }
    }

    fn factor(&mut self) -> Result<(), MotionError> {
        self.kkt.set_mass(self.mass.iter().copied());
        if !self.weighed {
            self.kkt.weigh_rows();
            self.weighed = true;
        }
        self.counters.factorisations += 1;
        match self.kkt.factor() {
            Ok(()) => Ok(()),
            Err(KktFailure::Massless { .. }) => {
                Err(MotionError::SingularMass { coordinates: self.motion_without_inertia() })
            }
            Err(KktFailure::NotFinite) => Err(MotionError::NotFinite { what: "the mass matrix".into() }),
        }
    }

    /// The coordinates of the free motion with the least kinetic energy, the largest part first.
    fn motion_without_inertia(&self) -> Vec<String> {
        // A part smaller than this of the largest is not worth naming.
        const WORTH_NAMING: f64 = 0.1;
        let n = self.n;
        // coordinates in units in which each alone has the inertia one
        let size: Vec<f64> = (0..n)
            .map(|i| match self.mass[packed(i, i)] {
                m if m > 0.0 => m.sqrt(),
                _ => 1.0,
            })
            .collect();
        let mut matrix = DMatrix::from_fn(n, n, |i, j| self.mass[packed(i, j)] / (size[i] * size[j]));
        for k in 0..self.d.len() {
            let start = self.kkt.row(k).0;
            let row: Vec<f64> = (0..n).map(|i| self.kkt.a[start + i] / size[i]).collect();
            let square = row.iter().map(|a| a * a).sum::<f64>();
            if square > 0.0 {
                matrix += DMatrix::from_fn(n, n, |i, j| row[i] * row[j] / square);
            }
        }
        let eigen = SymmetricEigen::new(matrix);
        let Some(least) = (0..n).min_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]))
        else {
            return Vec::new();
        };
        let part = |i: usize| eigen.eigenvectors[(i, least)].abs();
        let most = (0..n).map(part).fold(0.0, f64::max);
        let mut named: Vec<usize> = (0..n).filter(|&i| part(i) > WORTH_NAMING * most).collect();
        // rounding must not decide between equal parts
        named.sort_by_key(|&i| (-(part(i) / most * 1e6).round()) as i64);
        named.into_iter().map(|i| format!("`{}`", self.lagrangian.coordinate_name(i))).collect()
    }

    fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), MotionError> {
        self.differentiate(t, q, v);
        self.factor()?;
        let report = self.kkt.solve(&self.force, &self.gamma, &mut self.acceleration, &mut self.lambda);
        self.counters.solves += 1 + u64::from(report.refinements);
        match self.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(()),
            Some(i) => Err(MotionError::NotFinite {
                what: format!("the acceleration of `{}`", self.lagrangian.coordinate_name(i)),
            }),
        }
    }

    /// The constraint that is worst in terms of its scale, and by how many scales.
    fn worst(&self) -> (usize, f64) {
        let scaled: Vec<f64> =
            self.d.iter().enumerate().map(|(k, d)| d / self.lagrangian.constraint_scale(k)).collect();
        largest(&scaled)
    }
}

/// Where M_ij stands in the lower half.
fn packed(i: usize, j: usize) -> usize {
    let (i, j) = (i.max(j), i.min(j));
    i * (i + 1) / 2 + j
}

impl<L: Lagrangian> System for LagrangianSystem<L> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        2 * self.n
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (q, v) = y.split_at(self.n);
        self.accelerate(t, q, v)?;
        dy[..self.n].copy_from_slice(v);
        dy[self.n..].copy_from_slice(&self.acceleration);
        Ok(())
    }

    /// Onto D = 0, then onto dD/dt = D_q q̇ + D_t = 0, both by the least movement in terms of M.
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        if !self.d.is_empty() {
            let (q, v) = y.split_at_mut(self.n);
            let mut projection = Projection::new(1.0);
            loop {
                self.differentiate(t, q, v);
                self.factor()?;
                let (k, residual) = self.worst();
                if projection.next(residual, || self.lagrangian.constraint_name(k))? == Next::Done {
                    break;
                }
                self.d.iter_mut().for_each(|d| *d = -*d);
                self.kkt.solve(&self.zero, &self.d, &mut self.correction, &mut self.lambda);
                self.counters.projection_steps += 1;
                for (q, dq) in q.iter_mut().zip(&self.correction) {
                    *q += dq;
                }
            }
            self.d_dot.iter_mut().for_each(|d| *d = -*d);
            self.kkt.solve(&self.zero, &self.d_dot, &mut self.correction, &mut self.lambda);
            for (v, dv) in v.iter_mut().zip(&self.correction) {
                *v += dv;
            }
        }
        self.derivative(t, y, dy)
    }

    fn rates(&self) -> std::ops::Range<usize> {
        self.n..2 * self.n
    }

    fn error_scale(&self, out: &mut [f64]) {
        for i in 0..self.n {
            out[i] = self.lagrangian.coordinate_scale(i);
            out[self.n + i] = out[i];
        }
    }
}
