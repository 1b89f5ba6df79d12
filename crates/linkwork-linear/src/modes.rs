//! Eigenmodes: motions x = Re(φ e^{λt}) that a linear system goes through without others.
//!
//! ```text
//!   (E1)  A φ = λ φ                          zeros taken out first: `staircase`; A balanced
//!   (E2)  ω_d = |Im λ|,   ω_0 = |λ|,   ζ = −Re λ/|λ|,   τ = −1/Re λ
//!   (E3)  share of a body: (m |δc|² + δθ̄·I δθ) / Σ      its part of the kinetic energy over a period, as velocities are λ times displacements
//! ```

use crate::matrix::{balance, from_rows, largest};
use crate::staircase::{Staircase, ZERO, ZERO_WITH_BEAMS};
use crate::{Error, c64};
use linkwork::analysis::Linearization;
use std::fmt;

/// Real parts below this part of the eigenvalue, or of the largest entry of A times [`ROUNDING`], are rounding: nothing damps.
const UNDAMPED: f64 = 1e-9;
const ROUNDING: f64 = 1e-11;
/// Eigenvalues below this part of the largest entry are free, too: four times √ε, as a double zero is known to √ε only.
const FREE: f64 = 6e-8;
/// Of a motion that changes within a time, eigenvalues below this part of one over that time are free, too.
const SLOW: f64 = 1e-6;
/// Parts below this part of the largest are not listed.
const LISTED: f64 = 1e-9;

/// What a mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// It grows.
    Unstable,
    /// The eigenvalue is zero: nothing brings it back and nothing drives it away.
    Free,
    /// It oscillates, damped or not.
    Oscillating,
    /// It dies away without oscillating.
    Settling,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Unstable => "unstable",
            Kind::Free => "free",
            Kind::Oscillating => "oscillating",
            Kind::Settling => "settling",
        })
    }
}

/// What takes part in a mode, and how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The body, or the result column of a joint's coordinate.
    pub name: String,
    /// Share of the kinetic energy of a body; amplitude of a joint against the largest of its kind, angles or paths.
    pub size: f64,
}

/// An eigenmode. One with an imaginary part stands for itself and its conjugate.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// λ, 1/s; the imaginary part is not negative.
    pub eigenvalue: c64,
    /// What it does.
    pub kind: Kind,
    /// φ, in the states of the linear system: the largest position is one.
    pub shape: Vec<c64>,
    /// Shares of the bodies in the kinetic energy, the largest first.
    pub bodies: Vec<Part>,
    /// Amplitudes of the joints' coordinates, the largest first; where neither body nor joint moves, those of the states.
    pub joints: Vec<Part>,
}

impl Mode {
    /// Frequency of the oscillation, Hz; zero if it does not oscillate.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.im.abs() / std::f64::consts::TAU
    }

    /// |λ|/2π, Hz: the frequency that it would have without damping.
    pub fn natural_frequency(&self) -> f64 {
        self.eigenvalue.norm() / std::f64::consts::TAU
    }

    /// ζ = −Re λ/|λ|: one if it settles without oscillating, zero if nothing damps it, negative if it grows. `None` for free modes.
    pub fn damping_ratio(&self) -> Option<f64> {
        let size = self.eigenvalue.norm();
        (self.kind != Kind::Free).then(|| -self.eigenvalue.re / size)
    }

    /// −1/Re λ, s: the time in which it dies away to 1/e, negative if it grows by e. `None` if it does neither.
    pub fn time_constant(&self) -> Option<f64> {
        (self.eigenvalue.re != 0.0).then(|| -1.0 / self.eigenvalue.re)
    }

    /// Re(s φ e^{iα}), for the phase α: what the mode adds to the states at an instant of its oscillation.
    pub fn displaced(&self, size: f64, phase: f64) -> Vec<f64> {
        let turn = c64::new(size * phase.cos(), size * phase.sin());
        self.shape.iter().map(|x| (x * turn).re).collect()
    }
}

/// The eigenmodes of a linear system: unstable ones first, then free ones, then all others by |λ|.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// The modes. Free ones are as many as there are independent free motions.
    pub list: Vec<Mode>,
    /// How many eigenvalues are zero: two for each free motion of a body, its place and its speed.
    pub zeros: usize,
    /// Eigenvalues as they were computed, before what may be rounding is taken for zero; without those that are zero by the structure of the matrix.
    pub computed: Vec<c64>,
}

impl Modes {
    /// The eigenmodes of a linear system.
    ///
    /// # Errors
    /// [`Error::Eigenvalues`] if the iteration does not converge.
    pub fn new(linear: &Linearization) -> Result<Self, Error> {
        let n = linear.states.len();
        let refuse = || Error::Eigenvalues { model: linear.model.clone(), states: n };
        let mut a = from_rows(n, n, &linear.a);
        let scale = balance(&mut a);
        let most = largest(&a);
        let rounding = ROUNDING * most;
        let part = if linear.beams.is_empty() { ZERO } else { ZERO_WITH_BEAMS };
        let stairs = Staircase::new(&a, part).ok_or_else(refuse)?;
        let back = |z: Vec<c64>| -> Vec<c64> { z.iter().zip(&scale).map(|(z, s)| z * *s).collect() };
        let (mut list, mut zeros, mut computed) = (Vec::new(), stairs.zeros(), Vec::new());
        // of a motion that is not steady one instant says nothing about what takes so much longer than it lasts
        let slow = linear.unsteady.as_ref().map_or(0.0, |unsteady| SLOW / unsteady.within);
        for vector in stairs.null_space() {
            let shape = back(vector.into_iter().map(|x| c64::new(x, 0.0)).collect());
            list.push(described(linear, c64::new(0.0, 0.0), Kind::Free, shape));
        }
        if stairs.rest.nrows() > 0 {
            let found = stairs.rest.eigen().map_err(|_| refuse())?;
            let values = found.S().column_vector();
            computed.extend((0..values.nrows()).map(|k| values[k]));
            for k in 0..values.nrows() {
                let mut eigenvalue = values[k];
                if eigenvalue.im < 0.0 {
                    continue;
                }
                if eigenvalue.re.abs() <= (UNDAMPED * eigenvalue.norm()).max(rounding)
                    && eigenvalue.im > rounding
                {
                    eigenvalue.re = 0.0;
                }
                if eigenvalue.norm() <= (FREE * most).max(slow) {
                    zeros += if eigenvalue.im == 0.0 { 1 } else { 2 };
                    eigenvalue = c64::new(0.0, 0.0);
                }
                let kind = match eigenvalue {
                    c64 { re: 0.0, im: 0.0 } => Kind::Free,
                    c64 { re, .. } if re > 0.0 => Kind::Unstable,
                    c64 { im, .. } if im > 0.0 => Kind::Oscillating,
                    _ => Kind::Settling,
                };
                let vector = (0..stairs.rest.nrows()).map(|i| found.U()[(i, k)]).collect();
                let shape = back(stairs.whole(values[k], vector));
                list.push(described(linear, eigenvalue, kind, shape));
            }
        }
        let rank = |mode: &Mode| match mode.kind {
            Kind::Unstable => 0,
            Kind::Free => 1,
            _ => 2,
        };
        list.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.eigenvalue.norm().total_cmp(&b.eigenvalue.norm())));
        Ok(Modes { list, zeros, computed })
    }

    /// All eigenvalues, conjugate ones and zeros included.
    pub fn eigenvalues(&self) -> Vec<c64> {
        let mut all = vec![c64::new(0.0, 0.0); self.zeros];
        for mode in self.list.iter().filter(|mode| mode.kind != Kind::Free) {
            all.push(mode.eigenvalue);
            if mode.eigenvalue.im > 0.0 {
                all.push(mode.eigenvalue.conj());
            }
        }
        all
    }

    /// Whether anything grows.
    pub fn is_unstable(&self) -> bool {
        self.list.iter().any(|mode| mode.kind == Kind::Unstable)
    }
}

/// A mode with its parts.
fn described(linear: &Linearization, eigenvalue: c64, kind: Kind, mut shape: Vec<c64>) -> Mode {
    let [positions, ..] = linear.counts;
    let of = |range: &[c64]| {
        range
            .iter()
            .copied()
            .fold(c64::new(0.0, 0.0), |a, b| if b.norm() > a.norm() * (1.0 + 1e-9) { b } else { a })
    };
    let all = of(&shape);
    let first = of(&shape[..positions]);
    // a mode of velocities or auxiliary states alone moves nothing
    let unit = if first.norm() > LISTED * all.norm() { first } else { all };
    if unit.norm() > 0.0 {
        shape.iter_mut().for_each(|x| *x /= unit);
    }
    let (re, im): (Vec<f64>, Vec<f64>) = shape.iter().map(|x| (x.re, x.im)).unzip();
    let energies: Vec<f64> =
        linear.bodies.iter().map(|body| body.inertia_of(&re) + body.inertia_of(&im)).collect();
    let total: f64 = energies.iter().sum();
    let mut bodies: Vec<Part> = Vec::new();
    if total > 0.0 {
        let shares = linear.bodies.iter().zip(&energies);
        bodies.extend(shares.map(|(body, energy)| Part { name: body.name.clone(), size: energy / total }));
    }
    let amplitude = |by_state: &[f64]| by_state.iter().zip(&shape).map(|(m, x)| x * *m).sum::<c64>().norm();
    let amplitudes: Vec<(bool, f64)> =
        linear.joints.iter().map(|joint| (joint.turns, amplitude(&joint.by_state))).collect();
    let most =
        |turns: bool| amplitudes.iter().filter(|a| a.0 == turns).fold(0.0_f64, |most, a| most.max(a.1));
    let most = [most(false), most(true)];
    let mut joints: Vec<Part> = Vec::new();
    for (joint, (turns, amplitude)) in linear.joints.iter().zip(&amplitudes) {
        let against = most[usize::from(*turns)];
        if against > LISTED {
            joints.push(Part { name: joint.name.clone(), size: amplitude / against });
        }
    }
    if bodies.is_empty() && joints.is_empty() {
        let amplitudes = shape.iter().map(|x| x.norm());
        let most = amplitudes.clone().fold(0.0_f64, f64::max).max(f64::MIN_POSITIVE);
        let states = linear.states.iter().zip(amplitudes);
        joints.extend(states.map(|(state, size)| Part { name: state.name.clone(), size: size / most }));
    }
    for list in [&mut bodies, &mut joints] {
        list.retain(|part| part.size > LISTED);
        list.sort_by(|a, b| b.size.total_cmp(&a.size));
    }
    Mode { eigenvalue, kind, shape, bodies, joints }
}
