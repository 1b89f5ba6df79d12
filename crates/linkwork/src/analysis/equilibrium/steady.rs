//! Steady motion: rates that stay as they are, in joint coordinates.
//!
//! With the rates u of `recursive` and the directions N that constraints, drivers and held rates leave free, NᵀN = 1:
//!
//!   (M1)  f(ξ, u) = Nᵀ M u̇ / m = 0
//!
//! where M is the mass matrix and m its largest entry: forces along held directions do no work in N, whatever they have to be. Without held rates it is Nᵀ u̇.
//!
//! Positions on which f depends have to stay, so that their rates are zero; along the others, which are ignorable,
//!
//!   (M2)  Z: f_ξ Z = 0
//!
//! the mechanism travels, and their rates Zν are unknowns instead. Gauss and Newton's step is the smallest solution of
//!
//!   (M3)  [f_ξ, f_u N Z] [ξ; ν] = −f
//!
//! with derivatives by differences, so that ignorable positions stay where they are and rates that f does not depend on keep their values.
//!
//! That is an instant. Of a four-bar whose crank is held at a speed nothing is left in N, and yet its rocker speeds up and slows down. So the mechanism is moved on with these rates,
//!
//!   (M4)  ξ ↦ ξ ⊕ τ u,   t ↦ t + τ
//!
//! over more than a radian or the size, and both u and f have to be what they were.

use super::{MovedJoint, MovedPoint};
use crate::Error;
use crate::analysis::tangent::of_links;
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::results::Frame;
use crate::simulation::{Instant, Probe, State};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// How a steady motion is sought.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SteadyOptions {
    /// The time at which drivers have their speeds, s.
    pub at: f64,
    /// Rates that are held at values, besides those of drivers and those that `[initial]` gives.
    pub hold: Vec<Hold>,
}

/// A rate with a value that is held: `joint.NAME.v` (`v2`, `v3`), `point.NAME.vx` or `body.NAME.vx`, `vy`, `vz`, `wx`, `wy`, `wz`.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// What is held.
    pub what: String,
    /// Its value, in SI units.
    pub value: f64,
}

/// A rate that is held, and what holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldRate {
    /// What is held.
    pub what: String,
    /// Its value, in SI units.
    pub value: f64,
    /// The force or moment along it that keeps it, N or N m; `None` where it is not known.
    pub force: Option<f64>,
}

/// A steady motion: [`Mechanism::steady_motion`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SteadyMotion {
    /// The state, in the coordinates of `recursive`.
    pub state: State,
    /// Everything there is to know there.
    pub frame: Frame,
    /// Steps of Newton's method.
    pub iterations: u32,
    /// The largest component of f, m/s² or rad/s².
    pub residual: f64,
    /// Rates that are held.
    pub held: Vec<HeldRate>,
    /// Rates that are not zero, as `joint.NAME.v` and `body.NAME.vx` (in axes of that body), with their values: the mechanism travels along them.
    pub travelling: Vec<(String, f64)>,
    /// How far points have been moved from the initial state, farthest first.
    pub moved: Vec<MovedPoint>,
    /// Coordinates of joints before and after.
    pub joints: Vec<MovedJoint>,
}

/// Accelerations below this part of the usual ones are none.
const TIGHT: f64 = 1e-13;
const LOOSE: f64 = 1e-9;
/// Singular values below this part of the largest are zero.
const IGNORABLE: f64 = 1e-7;
const MOST_ITERATIONS: u32 = 60;
/// Positions change by this in an iteration at most, rad, and in parts of the size.
const REACH: f64 = 0.3;
/// Steps of difference quotients.
const DIFFERENCE: f64 = 1e-5;
const NO_DIRECTION: f64 = 1e-9;
/// (M4): strides of τ |u|, and how many.
const STRIDE: f64 = 0.05;
const STRIDES: u32 = 30;
/// Rates may change by this part of the fastest, accelerations by this part of the usual ones.
const CHANGED: f64 = 1e-6;
/// Rates below this part of that of a fall over the size are none.
const AT_REST: f64 = 1e-9;

/// What is held.
#[derive(Clone, Copy)]
enum Rate {
    Joint(usize, usize),
    Point(usize, usize),
    Body(usize, usize),
    Turn(usize, usize),
}

impl Rate {
    fn read(self, frame: &Frame) -> f64 {
        match self {
            Rate::Joint(joint, c) => frame.joints[joint][c].v,
            Rate::Point(point, c) => frame.velocities[point][c],
            Rate::Body(body, c) => frame.motions[body].v[c],
            Rate::Turn(body, c) => frame.motions[body].w[c],
        }
    }
}

impl Mechanism {
    /// A steady motion next to the initial state: accelerations of the joint coordinates are zero, with drivers at their speeds and given rates held.
    ///
    /// Held are the rates of the options, those that `[initial.joints]` gives, and components other than zero of `[initial.velocities]` and
    /// `[initial.angular_velocities]`. Positions that accelerations depend on stay; along all others the mechanism travels, and their rates are found with the rest.
    ///
    /// # Errors
    /// [`Error::Equilibrium`] if there is none or it was not found, or a rate is not there; [`Error::Model`] if joint variables cannot describe the mechanism.
    ///
    /// ```
    /// use linkwork::analysis::{Hold, SteadyOptions};
    /// use linkwork::joints::Revolute;
    /// use linkwork::model::{Axis, Body, Inertia, Joint, Model};
    /// // a conical pendulum: g = ω² l cos φ
    /// let mechanism = Model::spatial("conical pendulum")
    ///     .gravity([0.0, 0.0, -9.81])
    ///     .point("O", [0.0, 0.0, 0.0])
    ///     .point("A", [0.3, 0.0, -0.4])
    ///     .ground(["O"])
    ///     .body(Body::with_inertia("spindle", ["O"], 1.0, "O", Inertia::Matrix([0.1, 0.1, 0.1, 0.0, 0.0, 0.0])))
    ///     .body(Body::with_inertia("ball", ["O", "A"], 2.0, "A", Inertia::Point))
    ///     .joint(Joint::new("bearing", Revolute { axis: Some(Axis::Z) }, ["ground", "spindle"], "O"))
    ///     .joint(Joint::new("arm", Revolute { axis: Some(Axis::Y) }, ["spindle", "ball"], "O"))
    ///     .assemble()?;
    /// let mut options = SteadyOptions::default();
    /// options.hold.push(Hold { what: "joint.bearing.v".into(), value: 6.0 });
    /// let steady = mechanism.steady_motion(&options)?;
    /// let height = -steady.frame.positions[1][2];
    /// assert!((height - 9.81 / 36.0).abs() < 1e-11);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn steady_motion(&self, options: &SteadyOptions) -> Result<SteadyMotion, Error> {
        Seeking::new(self, options)?.seek()
    }

    fn rate_of(&self, what: &str) -> Option<Rate> {
        let (table, rest) = what.split_once('.')?;
        let (name, rate) = rest.rsplit_once('.')?;
        let name = name.trim_matches('`');
        let axis = |letter: &str| ["x", "y", "z"].iter().position(|axis| *axis == letter);
        match table {
            "joint" => {
                let joint = self.joints.iter().position(|joint| joint.name == name)?;
                let number = rate.strip_prefix('v')?;
                let c = if number.is_empty() { 0 } else { number.parse::<usize>().ok()?.checked_sub(1)? };
                (c < self.joints[joint].coordinates.len()).then_some(Rate::Joint(joint, c))
            }
            "point" => {
                let point = self.points.iter().position(|point| point.name == name)?;
                Some(Rate::Point(point, axis(rate.strip_prefix('v')?)?))
            }
            "body" => {
                let body = self.bodies.iter().position(|body| body.name == name)?;
                match rate.split_at_checked(1)? {
                    ("v", letter) => Some(Rate::Body(body, axis(letter)?)),
                    ("w", letter) => Some(Rate::Turn(body, axis(letter)?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Rates that the model itself holds.
    fn initial_holds(&self) -> Vec<Hold> {
        let initial = &self.model.initial;
        let mut holds = Vec::new();
        for joint in &initial.joints {
            for (i, &value) in joint.v.iter().enumerate() {
                let number = if i == 0 { String::new() } else { (i + 1).to_string() };
                holds.push(Hold { what: format!("joint.{}.v{number}", joint.joint), value });
            }
        }
        let mut vectors = |table: &str, letter: &str, list: &[(String, [f64; 3])]| {
            for (name, value) in list {
                for (axis, &value) in ["x", "y", "z"].iter().zip(value).filter(|(_, value)| **value != 0.0) {
                    holds.push(Hold { what: format!("{table}.{name}.{letter}{axis}"), value });
                }
            }
        };
        vectors("point", "v", &initial.velocities);
        vectors("body", "w", &initial.angular_velocities);
        holds
    }
}

struct Seeking<'m> {
    mechanism: &'m Mechanism,
    probe: Probe,
    /// For the mass matrix, where rates are held.
    instant: Option<Instant<'m>>,
    t: f64,
    y: Vec<f64>,
    dy: Vec<f64>,
    trial: Vec<f64>,
    trial_dy: Vec<f64>,
    holds: Vec<(Hold, Rate)>,
    /// Directions that constraints leave, and those of them that held rates leave.
    allowed: DMatrix<f64>,
    basis: DMatrix<f64>,
    /// Changes of the rates that change one held rate by one each.
    levers: DMatrix<f64>,
}

impl<'m> Seeking<'m> {
    fn new(mechanism: &'m Mechanism, options: &SteadyOptions) -> Result<Self, Error> {
        let refuse = |message: String| Err(Error::Equilibrium(message));
        if mechanism.has_contacts() {
            return refuse(format!(
                "a steady motion of `{}` cannot be sought: it has contacts",
                mechanism.model.name
            ));
        }
        if !(options.at.is_finite() && options.at >= 0.0) {
            return refuse(format!(
                "a steady motion is sought at a time of zero or more, not at {} s",
                options.at
            ));
        }
        let mut list = options.hold.clone();
        let own = mechanism.initial_holds();
        // what the caller says goes before
        let new = own.into_iter().filter(|hold| options.hold.iter().all(|given| given.what != hold.what));
        list.extend(new);
        let mut holds = Vec::new();
        for hold in list {
            match mechanism.rate_of(&hold.what) {
                Some(rate) if hold.value.is_finite() => holds.push((hold, rate)),
                Some(_) => return refuse(format!("`{}` cannot be held at {}", hold.what, hold.value)),
                None => {
                    return refuse(format!(
                        "cannot hold `{}`: rates are called `joint.NAME.v`, `point.NAME.vx` and `body.NAME.wz`, with names of the model",
                        hold.what
                    ));
                }
            }
        }
        let mut probe = Probe::new(mechanism, Formulation::Recursive)?;
        let mut state = mechanism.initial_state(Formulation::Recursive)?;
        state.t = options.at;
        let mut y = probe.enter(&state)?;
        let mut dy = vec![0.0; probe.dimension()];
        probe.carry([mechanism.start_time, options.at], &mut y, &mut dy)?;
        let n = probe.rates().len();
        let instant = if holds.is_empty() { None } else { Some(mechanism.at(&state)?) };
        Ok(Seeking {
            mechanism,
            instant,
            t: options.at,
            trial: y.clone(),
            trial_dy: dy.clone(),
            y,
            dy,
            holds,
            allowed: DMatrix::zeros(n, 0),
            basis: DMatrix::zeros(n, 0),
            levers: DMatrix::zeros(n, 0),
            probe,
        })
    }

    fn seek(mut self) -> Result<SteadyMotion, Error> {
        let before = {
            let state = self.mechanism.initial_state(Formulation::Recursive)?;
            let y = self.probe.enter(&state)?;
            self.probe.frame(state.t, &y)?.clone()
        };
        let usual = crate::linalg::vec3::norm(self.mechanism.model.gravity).max(1.0);
        let mut best = f64::INFINITY;
        let mut idle = 0;
        let mut iterations = 0;
        let residual = loop {
            self.find_directions()?;
            let (f_xi, f_nu) = self.derivatives()?;
            let ignorable = null_space(&f_xi, IGNORABLE);
            self.set_rates(&ignorable)?;
            let f = self.leftover(false)?;
            let residual = f.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            idle = if residual < 0.5 * best { 0 } else { idle + 1 };
            best = best.min(residual);
            let fastest = self.y[self.probe.rates()].iter().fold(0.0, |most: f64, u| most.max(u.abs()));
            let scale = usual.max(fastest * fastest);
            if residual <= TIGHT * scale || (idle >= 3 && residual <= LOOSE * scale) {
                break residual;
            }
            if iterations >= MOST_ITERATIONS || self.basis.ncols() == 0 {
                return Err(self.not_found(residual, &f));
            }
            iterations += 1;
            let of_rates = &f_nu * &ignorable;
            let k = f_xi.ncols();
            let mut whole = DMatrix::zeros(f.len(), k + of_rates.ncols());
            whole.view_mut((0, 0), (f.len(), k)).copy_from(&f_xi);
            whole.view_mut((0, k), (f.len(), of_rates.ncols())).copy_from(&of_rates);
            let Some(step) = least(&whole, &(-&f)) else {
                return Err(self.not_found(residual, &f));
            };
            self.go(&step, k, &ignorable, residual)?;
        };
        self.check_that_it_lasts(usual, residual)?;
        self.finish(&before, iterations, (residual, usual))
    }

    /// N, without and with what is held.
    fn find_directions(&mut self) -> Result<(), Error> {
        let rates = self.probe.rates();
        let n = rates.len();
        let none = self.projected(&vec![0.0; n])?;
        let at_zero = self.held_values()?;
        let mut list: Vec<DVector<f64>> = Vec::new();
        let mut readings: Vec<Vec<f64>> = Vec::new();
        for i in 0..n {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let mut direction = DVector::from_vec(self.projected(&unit)?) - DVector::from_vec(none.clone());
            for _ in 0..2 {
                for other in &list {
                    let part = direction.dot(other);
                    direction.axpy(-part, other, 1.0);
                }
            }
            let norm = direction.norm();
            if norm > NO_DIRECTION {
                direction /= norm;
                list.push(direction);
            }
        }
        for direction in &list {
            let moving: Vec<f64> = none.iter().zip(direction.iter()).map(|(a, b)| a + b).collect();
            self.projected(&moving)?;
            readings.push(self.held_values()?.iter().zip(&at_zero).map(|(a, b)| a - b).collect());
        }
        self.allowed = DMatrix::from_fn(n, list.len(), |i, j| list[j][i]);
        let held = DMatrix::from_fn(self.holds.len(), list.len(), |h, j| readings[j][h]);
        let free = match self.holds.is_empty() {
            true => DMatrix::identity(list.len(), list.len()),
            false => null_space(&held, 1e-10),
        };
        self.basis = &self.allowed * free;
        let columns: Vec<DVector<f64>> = (0..self.holds.len())
            .filter_map(|h| {
                let mut one = DVector::zeros(self.holds.len());
                one[h] = 1.0;
                least(&held, &one)
            })
            .collect();
        let levers = DMatrix::from_fn(list.len(), columns.len(), |i, j| columns[j][i]);
        self.levers = &self.allowed * levers;
        Ok(())
    }

    /// Rates that the constraints make of given ones; the trial is there.
    fn projected(&mut self, given: &[f64]) -> Result<Vec<f64>, Error> {
        let rates = self.probe.rates();
        self.trial.copy_from_slice(&self.y);
        self.trial[rates.clone()].copy_from_slice(given);
        self.probe.project(self.t, &mut self.trial, &mut self.trial_dy)?;
        Ok(self.trial[rates].to_vec())
    }

    /// What is held, at the trial.
    fn held_values(&mut self) -> Result<Vec<f64>, Error> {
        if self.holds.is_empty() {
            return Ok(Vec::new());
        }
        let frame = self.probe.frame(self.t, &self.trial)?;
        Ok(self.holds.iter().map(|(_, rate)| rate.read(frame)).collect())
    }

    /// f at the place, or at the trial.
    fn leftover(&mut self, at_trial: bool) -> Result<DVector<f64>, Error> {
        let (y, dy) = if at_trial { (&self.trial, &self.trial_dy) } else { (&self.y, &self.dy) };
        let mut accelerations = DVector::from_column_slice(&dy[self.probe.rates()]);
        if let Some(instant) = &mut self.instant {
            instant.go_to(&self.probe.state(self.t, y))?;
            let n = accelerations.len();
            let masses = DMatrix::from_row_slice(n, n, &instant.mass_matrix());
            let largest = masses.diagonal().max();
            accelerations = masses * accelerations / largest;
        }
        Ok(self.basis.tr_mul(&accelerations))
    }

    /// f_ξ and f_u N by differences.
    fn derivatives(&mut self) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
        let k = self.basis.ncols();
        let (mut f_xi, mut f_nu) = (DMatrix::zeros(k, k), DMatrix::zeros(k, k));
        let y = self.y.clone();
        self.probe.derivative(self.t, &y, &mut self.dy)?;
        for j in 0..k {
            let column: Vec<f64> = self.basis.column(j).iter().copied().collect();
            for of_rates in [false, true] {
                let mut sides = [DVector::zeros(k), DVector::zeros(k)];
                for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                    let change: Vec<f64> = column.iter().map(|x| sign * DIFFERENCE * x).collect();
                    self.change(&change, of_rates)?;
                    *side = self.leftover(true)?;
                }
                let difference = (&sides[0] - &sides[1]) / (2.0 * DIFFERENCE);
                if of_rates { &mut f_nu } else { &mut f_xi }.set_column(j, &difference);
            }
        }
        Ok((f_xi, f_nu))
    }

    /// The trial: the place with a change of positions, or of rates.
    fn change(&mut self, change: &[f64], of_rates: bool) -> Result<(), Error> {
        self.trial.copy_from_slice(&self.y);
        let rates = self.probe.rates();
        if of_rates {
            self.trial[rates].iter_mut().zip(change).for_each(|(u, du)| *u += du);
        } else {
            self.probe.derivative(self.t, &self.trial, &mut self.trial_dy)?;
            self.probe.displace(&mut self.trial, change);
        }
        self.probe.project(self.t, &mut self.trial, &mut self.trial_dy)
    }

    /// Gives what is held its values, and takes the rates away from positions that have to stay.
    fn set_rates(&mut self, ignorable: &DMatrix<f64>) -> Result<(), Error> {
        let rates = self.probe.rates();
        let now = DVector::from_column_slice(&self.y[rates.clone()]);
        let along = self.basis.tr_mul(&now);
        let kept = ignorable * ignorable.tr_mul(&along);
        let mut wanted = &now - &self.basis * (along - kept);
        self.projected(wanted.as_slice())?;
        let off: Vec<f64> =
            self.held_values()?.iter().zip(&self.holds).map(|(now, (hold, _))| hold.value - now).collect();
        for (h, off) in off.iter().enumerate().take(self.levers.ncols()) {
            wanted += self.levers.column(h) * *off;
        }
        self.y[rates].copy_from_slice(wanted.as_slice());
        self.probe.project(self.t, &mut self.y, &mut self.dy)
    }

    /// Makes a step, a part of it where the whole is too much.
    fn go(
        &mut self,
        step: &DVector<f64>,
        k: usize,
        ignorable: &DMatrix<f64>,
        residual: f64,
    ) -> Result<(), Error> {
        let xi = &self.basis * step.rows(0, k);
        let nu = &self.basis * (ignorable * step.rows(k, step.len() - k));
        let longest = xi.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut part = if longest > REACH { REACH / longest } else { 1.0 };
        for _ in 0..12 {
            let change: Vec<f64> = xi.iter().map(|x| part * x).collect();
            let rates = self.probe.rates();
            self.trial.copy_from_slice(&self.y);
            self.probe.derivative(self.t, &self.trial, &mut self.trial_dy)?;
            self.probe.displace(&mut self.trial, &change);
            self.trial[rates].iter_mut().zip(nu.iter()).for_each(|(u, du)| *u += part * du);
            if self.probe.project(self.t, &mut self.trial, &mut self.trial_dy).is_ok() {
                let f = self.leftover(true)?;
                let there = f.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                if there < 2.0 * residual {
                    break;
                }
            }
            part *= 0.5;
        }
        std::mem::swap(&mut self.y, &mut self.trial);
        std::mem::swap(&mut self.dy, &mut self.trial_dy);
        Ok(())
    }

    fn not_found(&mut self, residual: f64, f: &DVector<f64>) -> Error {
        let accelerations = &self.basis * f;
        let worst = (0..accelerations.len())
            .max_by(|&a, &b| accelerations[a].abs().total_cmp(&accelerations[b].abs()))
            .unwrap_or(0);
        let name = self.probe.component_name(self.probe.rates().start + worst);
        Error::Equilibrium(format!(
            "no steady motion of `{}` was found: {name} changes with {residual:.3e} m/s² or rad/s²; hold a rate that something drives or brakes, as with \
             `--hold joint.NAME.v=VALUE`",
            self.mechanism.model.name
        ))
    }

    /// (M4)
    fn check_that_it_lasts(&mut self, usual: f64, residual: f64) -> Result<(), Error> {
        let rates = self.probe.rates();
        let u = self.y[rates.clone()].to_vec();
        let fastest = u.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
        if fastest <= self.slow(usual) {
            return Ok(());
        }
        let most = CHANGED * usual.max(fastest * fastest) + 10.0 * residual;
        let tau = STRIDE / fastest;
        let step: Vec<f64> = u.iter().map(|u| tau * u).collect();
        let (mut at, mut there) = (self.y.clone(), self.t);
        for _ in 0..STRIDES {
            self.trial.copy_from_slice(&at);
            self.probe.derivative(there, &self.trial, &mut self.trial_dy)?;
            self.probe.displace(&mut self.trial, &step);
            self.trial[rates.clone()].copy_from_slice(&u);
            there += tau;
            if self.probe.project(there, &mut self.trial, &mut self.trial_dy).is_err() {
                return Err(self.does_not_last("the mechanism cannot go on with these rates"));
            }
            at.copy_from_slice(&self.trial);
            let changes = self.trial[rates.clone()].iter().zip(&u).map(|(now, u)| (now - u).abs());
            let (worst, change) = changes.enumerate().fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
            if change > CHANGED * fastest {
                let (name, now) = (self.rate_name(worst)?, self.trial[rates.start + worst]);
                let what =
                    format!("`{name}` goes from {:.6} to {now:.6} within {:.1e} s", u[worst], there - self.t);
                return Err(self.does_not_last(&what));
            }
            let f = self.leftover(true)?;
            if f.iter().any(|x| x.abs() > most) {
                let accelerations = &self.basis * &f;
                let (name, now) = (self.rate_name(accelerations.iamax())?, f.amax());
                let what =
                    format!("`{name}` changes with {now:.3e} m/s² or rad/s² after {:.1e} s", there - self.t);
                return Err(self.does_not_last(&what));
            }
        }
        Ok(())
    }

    /// Rates up to this are none.
    fn slow(&self, usual: f64) -> f64 {
        AT_REST * (usual / self.mechanism.size()).sqrt()
    }

    fn rate_name(&self, rate: usize) -> Result<String, Error> {
        let names = of_links(self.mechanism)?;
        Ok(names.into_iter().nth(rate).map(|names| names.velocity).unwrap_or_default())
    }

    fn does_not_last(&self, what: &str) -> Error {
        Error::Equilibrium(format!(
            "`{}` has no steady motion with these rates: {what}; hold rates that can stay as they are, with `--hold`, or run it",
            self.mechanism.model.name
        ))
    }

    fn finish(
        mut self,
        before: &Frame,
        iterations: u32,
        (residual, usual): (f64, f64),
    ) -> Result<SteadyMotion, Error> {
        let y = self.y.clone();
        let state = self.probe.state(self.t, &y);
        let frame = self.probe.frame(self.t, &y)?.clone();
        for (hold, rate) in &self.holds {
            let is = rate.read(&frame);
            if (is - hold.value).abs() > 1e-9 * hold.value.abs().max(1e-3) {
                return Err(Error::Equilibrium(format!(
                    "cannot hold `{}` at {}: constraints, drivers and what else is held leave it {is:.6}",
                    hold.what, hold.value
                )));
            }
        }
        let mut instant = self.mechanism.at(&state)?;
        let names = of_links(self.mechanism)?;
        let rates = &self.y[self.probe.rates()];
        let fastest = rates.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
        let none = self.slow(usual).max(1e-9 * fastest);
        let travelling = names.into_iter().zip(rates).filter(|(_, u)| u.abs() > none);
        let travelling = travelling.map(|(names, u)| (names.velocity, names.sign * u));
        let forces = instant.inverse_dynamics(&vec![0.0; rates.len()]).ok();
        let held = self.holds.iter().enumerate().map(|(h, (hold, _))| {
            let lever = (h < self.levers.ncols()).then(|| self.levers.column(h));
            let work = |forces: &Vec<f64>| Some(lever?.iter().zip(forces).map(|(l, f)| l * f).sum());
            HeldRate { what: hold.what.clone(), value: hold.value, force: forces.as_ref().and_then(work) }
        });
        Ok(SteadyMotion {
            iterations,
            residual,
            held: held.collect(),
            travelling: travelling.collect(),
            moved: self.mechanism.moved(before, &frame),
            joints: self.mechanism.moved_joints(before, &frame),
            state,
            frame,
        })
    }
}

/// An orthonormal basis of x with A x = 0, up to a part of the largest singular value.
fn null_space(a: &DMatrix<f64>, part: f64) -> DMatrix<f64> {
    let k = a.ncols();
    if k == 0 || a.nrows() == 0 {
        return DMatrix::identity(k, k);
    }
    // columns whose rows differ much in size are compared with themselves first
    let eigen = SymmetricEigen::new(a.tr_mul(a));
    let largest = eigen.eigenvalues.iter().fold(0.0, |most: f64, x| most.max(*x));
    // the square of a singular value has half of its digits
    let zero = (part * part).max(1e-14) * largest;
    let columns: Vec<usize> = (0..k).filter(|&i| eigen.eigenvalues[i] <= zero).collect();
    DMatrix::from_fn(k, columns.len(), |i, j| eigen.eigenvectors[(i, columns[j])])
}

/// The smallest x for which |A x − b| is least.
fn least(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    if a.nrows() == 0 || a.ncols() == 0 {
        return None;
    }
    let svd = a.clone().svd(true, true);
    let largest = svd.singular_values.iter().fold(0.0, |most: f64, x| most.max(*x));
    svd.solve(b, IGNORABLE * largest).ok()
}
