//! Motions that drivers prescribe: positions at any time, without forces.
//!
//! With as many independent drivers as there are freedoms, the constraints alone say where the bodies are:
//!
//! ```text
//!   (K1)  Φ(q, t) = 0,  rank Φ_q = number of coordinates
//!   (K2)  q ← q − C⁺ Φ(q, t + Δt)                      the way, then the projection
//! ```
//!
//! A step is halved where the projection goes another way than (K2) began, or the determinant of C changes its sign: so a motion keeps its branch and stops at a
//! dead centre. Where it stops, the mechanism cannot be assembled further on, and
//!
//! ```text
//!   (K3)  open(t) = min |Φ(q, t)|
//! ```
//!
//! says by how much: what those who change lengths want to become zero.

use super::configuration::{Configuration, DEPENDENT, Positions};
use super::pose::apart;
use super::position_quantity::PositionQuantity;
use crate::Error;
use crate::interactions::Motion;
use crate::linalg::singular_values::SingularValues;
use crate::mechanism::Mechanism;

/// A step turns no angle further than this, rad, and moves no path by more than this part of the size.
const LONGEST: f64 = 0.5;
/// The projection goes no further from the way that was begun than this part of it.
const STRAY: f64 = 0.25;
/// A step below this part of the time that there is to go is none.
const LEAST: f64 = 1e-9;
/// Damping of (K3), as a part of the largest singular value.
const DAMPING: f64 = 1e-3;
const MAX_STEPS: usize = 40;

/// A motion that drivers prescribe: [`Mechanism::kinematics`].
pub struct Kinematics<'m> {
    at: Configuration<'m>,
    quantities: Vec<PositionQuantity>,
    /// The value of each quantity at the last place, so that angles go on.
    near: Vec<f64>,
    /// The sign of the determinant of C there.
    sign: f64,
    work: Work,
}

/// Where a step begins, and where its way leads.
#[derive(Default)]
struct Work {
    change: Vec<f64>,
    before: Vec<Motion>,
    predicted: Vec<Motion>,
}

/// Where a motion is.
#[derive(Clone, Debug)]
pub struct Instant {
    positions: Positions,
    near: Vec<f64>,
    sign: f64,
}

/// A motion that cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuck {
    /// How far it gets, s.
    pub t: f64,
    /// The constraint that cannot be kept, for people.
    pub constraint: String,
}

impl Mechanism {
    /// The motion that the drivers prescribe, at its start.
    ///
    /// ```
    /// use linkwork::model::Model;
    /// let model = Model::from_toml(r#"
    ///     format = 1
    ///     points = { O = [0, 0], A = [0.1, 0], B = [0.4, 0] }
    ///     bodies.ground = { points = ["O"] }
    ///     bodies.crank = { points = ["O", "A"], mass = 1 }
    ///     bodies.rod = { points = ["A", "B"], mass = 1 }
    ///     bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
    ///     joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
    ///     drivers.motor = { joint = "O", value = "2 * pi * t" }
    /// "#)?;
    /// let mechanism = model.assemble()?;
    /// let mut motion = mechanism.kinematics(&["point.B.x"])?;
    /// let mut x = Vec::new();
    /// motion.go_to(0.5).expect("the crank turns");
    /// motion.values_into(&mut x);
    /// assert!((x[0] - 0.2).abs() < 1e-12);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::State`] if something is driven by nothing, or a quantity depends on more than positions.
    pub fn kinematics<S: AsRef<str>>(&self, of: &[S]) -> Result<Kinematics<'_>, Error> {
        let mut at = Configuration::new(self)?;
        if !at.close() {
            let (row, gap) = at.worst().unwrap_or_default();
            return Err(Error::State(format!("cannot close the mechanism: {row} is {gap:.1e} m from it")));
        }
        let n = at.freedoms_of_tree();
        let free = n - SingularValues::new(&at.constraint_rows(), n).rank(DEPENDENT).min(n);
        if free > 0 {
            let message = format!(
                "the drivers do not prescribe the motion: {free} of its freedoms {} driven by nothing; add drivers, or compute a run",
                if free == 1 { "is" } else { "are" }
            );
            return Err(Error::State(message));
        }
        let quantities: Vec<PositionQuantity> = of
            .iter()
            .map(|text| PositionQuantity::new(&at, text.as_ref()).map_err(Error::State))
            .collect::<Result<_, _>>()?;
        let near = quantities.iter().map(|quantity| quantity.value(&at, 0.0)).collect();
        let sign = at.sign();
        Ok(Kinematics { at, quantities, near, sign, work: Work::default() })
    }
}

impl Kinematics<'_> {
    /// The time, s.
    pub fn t(&self) -> f64 {
        self.at.at.t
    }

    /// The values of the quantities, SI units. Angles go on from those at the last time asked for.
    pub fn values_into(&mut self, out: &mut Vec<f64>) {
        out.clear();
        for (quantity, near) in self.quantities.iter().zip(&mut self.near) {
            *near = quantity.value(&self.at, *near);
            out.push(*near);
        }
    }

    /// Where it is, to come back to.
    pub fn instant(&self) -> Instant {
        Instant { positions: self.at.at.clone(), near: self.near.clone(), sign: self.sign }
    }

    /// Comes back.
    pub fn return_to(&mut self, instant: &Instant) {
        self.at.go_to(&instant.positions);
        self.near.clone_from(&instant.near);
        self.sign = instant.sign;
    }

    /// Goes on to a time, or back, along the branch that it is in.
    ///
    /// # Errors
    /// [`Stuck`] if it does not get there; it then is as far as it gets.
    pub fn go_to(&mut self, t: f64) -> Result<(), Stuck> {
        let from = self.at.at.t;
        if t == from {
            return Ok(());
        }
        let size = self.at.mechanism.size();
        let (mut s, mut ds) = (0.0, 1.0);
        let mut before = self.at.at.clone();
        let mut work = std::mem::take(&mut self.work);
        while s < 1.0 {
            let next = f64::min(s + ds, 1.0);
            before.clone_from(&self.at.at);
            work.before.clone_from(&self.at.motions);
            self.at.go_to_time(from + next * (t - from));
            // (K2)
            self.at.closing_change(&mut work.change);
            let longest = work.change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            let mut arrived = longest <= LONGEST;
            if arrived {
                self.at.displace(&work.change);
                work.predicted.clone_from(&self.at.motions);
                arrived = self.at.close()
                    && apart(&work.predicted, &self.at.motions, size)
                        <= STRAY * apart(&work.before, &work.predicted, size) + 1e-9;
                let now = if arrived { self.at.sign() } else { 0.0 };
                arrived &= now * self.sign >= 0.0;
                if arrived && now != 0.0 {
                    self.sign = now;
                }
            }
            if arrived {
                (s, ds) = (next, 2.0 * ds);
                continue;
            }
            self.at.go_to(&before);
            ds = 0.5 * (next - s);
            if ds < LEAST {
                self.at.go_to_time(from + next * (t - from));
                let constraint = self.at.worst().map_or_else(String::new, |(row, _)| row);
                self.at.go_to(&before);
                self.work = work;
                return Err(Stuck { t: before.t, constraint });
            }
        }
        self.work = work;
        Ok(())
    }

    /// (K3): how far the constraints stay open at a time, m, from here on; zero if the mechanism can be assembled there. It then is where they are least open.
    pub fn open_at(&mut self, t: f64) -> f64 {
        let n = self.at.freedoms_of_tree();
        self.at.go_to_time(t);
        let norm = |at: &Configuration<'_>| at.residuals().iter().map(|r| r * r).sum::<f64>().sqrt();
        let mut open = norm(&self.at);
        for _ in 0..MAX_STEPS {
            let rows = self.at.constraint_rows();
            let change = SingularValues::new(&rows, n).damped(&self.at.residuals(), DAMPING);
            let longest = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            let mut part = (LONGEST / longest).min(1.0);
            let before = self.at.at.clone();
            let mut found = false;
            for _ in 0..12 {
                let step: Vec<f64> = change.iter().map(|z| -part * z).collect();
                self.at.displace(&step);
                let now = norm(&self.at);
                if now < open {
                    found = open - now > 1e-9 * open;
                    open = now;
                    break;
                }
                self.at.go_to(&before);
                part *= 0.5;
            }
            if !found || open < 1e-14 {
                break;
            }
        }
        self.sign = self.at.sign();
        open * self.at.mechanism.size()
    }
}
