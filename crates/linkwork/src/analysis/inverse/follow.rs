//! A mechanism that follows prescribed coordinates: positions, rates and accelerations at a time, and the forces that they need.
//!
//! In the rates u of its tree of joints, with the constraints of loops, couplings and drivers,
//!
//!   (F1)  M u̇ + h = τ − Cᵀν,   C u = b,   C u̇ = γ
//!   (F2)  N spans the null space of C: its freedoms. Rotations of thin rods about themselves, which move nothing, are no freedoms
//!   (F3)  positions: g(q) = s(t) by Newton steps N w with (G N) w = s − g, G the gradient of g, and a projection onto the constraints after each
//!   (F4)  rates: u + N w with (G N) w = ṡ − ġ(u)
//!   (F5)  accelerations: u̇ = C⁺γ + N w with (G N) w = s̈ − g̈(u, C⁺γ)
//!   (F6)  forces: τ = B a with Nᵀ B a = Nᵀ (M u̇ + h)
//!   (F7)  u̇ += N₀ z with N₀ᵀ (M u̇ + h) = 0, N₀ the turns that move nothing: of particles, and of thin rods about themselves
//!
//! (F7) comes before (F6). The tree gives such a turn an inertia of its own, and a body that is carried along without turning against the one that carries it would need a moment for it.
//!
//! (F6) is (F1) seen along the freedoms: multipliers do no work there, so that a is found without them, also where redundant constraints leave them open. The columns of B are the gradients of
//! the actuators' coordinates. More prescribed coordinates than freedoms are met in the sense of least squares; more actuators than freedoms share the work so that Σ w_i a_i² is least.
//!
//! u is scaled: angles as they are, paths by the size of the mechanism. Newton's method begins where rates and accelerations lead to from the instant before. A step that is large would change to
//! another branch: then the way there is halved.

use super::machine::{Machine, Place};
use super::motion::Demand;
use super::svd::{Svd, combine, dot};
use crate::Error;
use crate::analysis::tangent::of_links;
use crate::formulations::Twist;
use crate::interactions::Motion as BodyMotion;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{apply, axpy, norm, scale, sub};
use crate::model::Formulation;
use crate::simulation::{Instant, State};
use std::f64::consts::TAU;

/// A way of this length, in radians or sizes of the mechanism, is gone at once.
const STRIDE: f64 = 0.3;
/// A step below this is none.
const ARRIVED: f64 = 1e-14;
/// One below this that does not become smaller is a rounding.
const ROUNDING: f64 = 1e-10;
/// Newton steps.
const STEPS: usize = 20;
/// How often a way is halved.
const HALVES: u32 = 9;
/// Constraints on accelerations may be off by this part.
const CONSISTENT: f64 = 1e-7;

/// A mechanism on its way along a motion.
pub(super) struct Follower<'m> {
    machine: &'m Machine,
    here: Instant<'m>,
    sizes: Vec<f64>,
    /// Thin bodies, whose turns about themselves are no motion.
    thin: bool,
    switches: &'m [bool],
    bodies: Vec<BodyMotion>,
    twists: Vec<Twist>,
    stack: Vec<Jet>,
    names: Vec<String>,
    /// u̇ at the last instant, with u there.
    last: Option<[Vec<f64>; 2]>,
}

/// The freedoms at a position.
struct Tangent {
    /// C with rows of length one, its columns scaled.
    constraints: Svd,
    /// The length of each row.
    lengths: Vec<f64>,
    /// Columns of N.
    free: Vec<Vec<f64>>,
    /// Columns of N₀.
    idle: Vec<Vec<f64>>,
    /// G N
    demand: Svd,
    /// Nᵀ B, a column for each actuator.
    drives: Vec<Vec<f64>>,
}

/// What an instant of the motion needs.
pub(super) struct Supplied {
    /// Position and rates, with the forces among the variables.
    pub state: State,
    /// u̇
    pub accelerations: Vec<f64>,
    /// a
    pub forces: Vec<f64>,
    /// Rates of the actuators' coordinates.
    pub rates: Vec<f64>,
    /// Coordinates of the actuators.
    pub coordinates: Vec<f64>,
    /// Rank of Nᵀ B, and the number of freedoms.
    pub rank: [usize; 2],
    /// What is left of (F6) and the name of the rate that feels it most, in N m: forces times the size of the mechanism.
    pub residual: (f64, String),
    /// Power of what is left, W.
    pub residual_power: f64,
    /// How far prescribed coordinates are from what they should be, largest first, and which.
    pub gap: (f64, usize),
    /// The condition of G N: how much errors of the prescribed coordinates are magnified.
    pub condition: f64,
    /// How far the accelerations under these forces are from the prescribed ones.
    pub acceleration_error: f64,
}

enum Missed {
    /// The way is too long to be gone at once, or does not lead there: the coordinate that is off most.
    Far(usize),
    Wrong(Error),
}

impl From<Error> for Missed {
    fn from(error: Error) -> Self {
        Missed::Wrong(error)
    }
}

impl Supplied {
    /// Whether forward dynamics has the accelerations that were wanted, to 1e-6 of the largest one.
    pub fn is_confirmed(&self) -> bool {
        let largest = self.accelerations.iter().fold(1.0, |most: f64, a| most.max(a.abs()));
        self.acceleration_error <= 1e-6 * largest
    }
}

impl<'m> Follower<'m> {
    pub fn new(machine: &'m Machine) -> Result<Self, Error> {
        let mechanism = &machine.mechanism;
        let here = mechanism.at(&mechanism.initial_state(Formulation::Recursive)?)?;
        let sizes = here.rate_sizes();
        let names = of_links(mechanism)?.into_iter().map(|names| names.position).collect();
        let thin = mechanism.bodies.iter().any(|body| body.nodes.len() < mechanism.columns());
        Ok(Follower {
            machine,
            here,
            sizes,
            thin,
            switches: &mechanism.interactions.switches,
            bodies: Vec::new(),
            twists: Vec::new(),
            stack: Vec::new(),
            names,
            last: None,
        })
    }

    /// Names of the positions that the rates change.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Goes from where the mechanism was drawn to where a motion begins.
    pub fn begin(&mut self, t: f64, demand: &[Demand]) -> Result<(), Error> {
        let from = self.here.state().t;
        let jets = self.jets(self.here.speeds().to_vec(), 1.0)?;
        let wanted: Vec<f64> = demand.iter().map(|s| s[0]).collect();
        let way: Vec<f64> = (0..wanted.len()).map(|i| self.difference(i, wanted[i], jets[i].x)).collect();
        let still = vec![0.0; self.here.rate_count()];
        self.here.set_speeds(&still);
        let target = |part: f64| {
            let at = |i: usize| wanted[i] - (1.0 - part) * way[i];
            (from + part * (t - from), (0..wanted.len()).map(at).collect())
        };
        self.go([0.0, 1.0], &target, HALVES).map(|_| ())
    }

    /// The instant at a time: `motion` tells what is prescribed from the last instant to this one.
    pub fn advance(&mut self, t: f64, motion: &dyn Fn(f64) -> Vec<Demand>) -> Result<Supplied, Error> {
        let from = self.here.state().t;
        let target = |part: f64| -> (f64, Vec<f64>) {
            let at = if part < 1.0 { from + part * (t - from) } else { t };
            (at, motion(at).iter().map(|s| s[0]).collect())
        };
        let before = self.here.state().clone();
        let predicted = self.predict(t - from);
        let ahead = match predicted {
            true => {
                let (t, wanted) = target(1.0);
                self.here.set_time(t);
                self.reach(&wanted).ok()
            }
            false => None,
        };
        let (tangent, gap) = match ahead {
            Some(found) => found,
            None => {
                self.here.restore(&before);
                self.go([0.0, 1.0], &target, HALVES)?
            }
        };
        let supplied = self.supply(&tangent, &motion(t), gap)?;
        self.last = Some([supplied.accelerations.clone(), supplied.state.rates.clone()]);
        Ok(supplied)
    }

    /// Goes where rates and accelerations lead to; whether they are known.
    fn predict(&mut self, dt: f64) -> bool {
        let Some([accelerations, rates]) = &self.last else { return false };
        let change: Vec<f64> =
            rates.iter().zip(accelerations).map(|(u, a)| dt * (u + 0.5 * dt * a)).collect();
        let way = change.iter().zip(&self.sizes).map(|(x, s)| (x / s).powi(2)).sum::<f64>().sqrt();
        // farther than that it is no better than where it comes from
        let good = way.is_finite() && way < STRIDE;
        if good {
            self.here.displace(&change);
        }
        good
    }

    fn go(
        &mut self,
        [from, to]: [f64; 2],
        target: &dyn Fn(f64) -> (f64, Vec<f64>),
        halves: u32,
    ) -> Result<(Tangent, (f64, usize)), Error> {
        let before = self.here.state().clone();
        let (t, wanted) = target(to);
        self.here.set_time(t);
        match self.reach(&wanted) {
            Ok(found) => Ok(found),
            Err(Missed::Wrong(error)) => Err(error),
            Err(Missed::Far(i)) if halves == 0 => {
                let (of, last) = (&self.machine.prescribed[i].of, before.t);
                Err(Error::Motion(format!(
                    "cannot follow the motion beyond t = {last} s: `{of}` does not come to {} at {t} s; it is out of reach, or the way there leads through a singular position",
                    wanted[i]
                )))
            }
            Err(Missed::Far(_)) => {
                self.here.restore(&before);
                let middle = 0.5 * (from + to);
                self.go([from, middle], target, halves - 1)?;
                self.go([middle, to], target, halves - 1)
            }
        }
    }

    /// (F3)
    fn reach(&mut self, wanted: &[f64]) -> Result<(Tangent, (f64, usize)), Missed> {
        let (mut last, mut way) = (f64::INFINITY, 0.0);
        let mut worst = (f64::INFINITY, 0);
        for _ in 0..STEPS {
            if self.here.project().is_err() {
                return Err(Missed::Far(worst.1));
            }
            let jets = self.jets(self.here.speeds().to_vec(), 1.0)?;
            let off: Vec<f64> = (0..wanted.len()).map(|i| self.difference(i, wanted[i], jets[i].x)).collect();
            worst = largest(&off);
            let tangent = self.tangent()?;
            self.check_freedoms(&tangent)?;
            let w = tangent.demand.solve(&off);
            let step = dot(&w, &w).sqrt();
            if step <= ARRIVED || (step < ROUNDING && step >= 0.5 * last) || tangent.free.is_empty() {
                return Ok((tangent, worst));
            }
            way += step;
            if way > STRIDE || step > 2.0 * last || !step.is_finite() {
                return Err(Missed::Far(worst.1));
            }
            last = step;
            let change = combine(&tangent.free, &w, self.sizes.len());
            self.here.displace(&change);
        }
        Err(Missed::Far(worst.1))
    }

    /// From a value to a prescribed one, by the shorter way round where whole turns are not known.
    fn difference(&self, i: usize, wanted: f64, value: f64) -> f64 {
        let off = wanted - value;
        if self.machine.prescribed[i].turns { off - TAU * (off / TAU).round() } else { off }
    }

    /// The prescribed coordinates, for given rates.
    fn jets(&mut self, speeds: Vec<f64>, clock: f64) -> Result<Vec<Jet>, Error> {
        let mut bodies = std::mem::take(&mut self.bodies);
        self.here.motions(&speeds, &mut bodies);
        let read = self.read(&bodies, clock);
        self.bodies = bodies;
        read
    }

    fn read(&mut self, bodies: &[BodyMotion], clock: f64) -> Result<Vec<Jet>, Error> {
        let mut stack = std::mem::take(&mut self.stack);
        let place = self.place(bodies);
        let list = 0..self.machine.prescribed.len();
        let read = list.map(|i| self.machine.jet(i, &place, clock, &mut stack)).collect();
        self.stack = stack;
        read
    }

    fn place<'a>(&'a self, bodies: &'a [BodyMotion]) -> Place<'a> {
        Place {
            t: self.here.state().t,
            bodies,
            auxiliary: self.here.auxiliary(),
            hints: self.machine.mechanism.interactions.hints,
            switches: self.switches,
        }
    }

    /// (F2), and how prescribed and actuated coordinates change along the freedoms.
    fn tangent(&mut self) -> Result<Tangent, Error> {
        let n = self.sizes.len();
        let (c, _) = self.here.constraints()?;
        let rows: Vec<Vec<f64>> =
            c.chunks(n.max(1)).map(|row| row.iter().zip(&self.sizes).map(|(c, s)| c * s).collect()).collect();
        let lengths: Vec<f64> = rows.iter().map(|row| dot(row, row).sqrt()).collect();
        let column = |k: usize| {
            let entry = |(row, length): (&Vec<f64>, &f64)| if *length > 0.0 { row[k] / length } else { 0.0 };
            rows.iter().zip(&lengths).map(entry).collect()
        };
        let constraints = Svd::new((0..n).map(column).collect());
        let scaled = |v: Vec<f64>| -> Vec<f64> { v.iter().zip(&self.sizes).map(|(v, s)| v * s).collect() };
        let mut free: Vec<Vec<f64>> = constraints.null().into_iter().map(scaled).collect();
        let mut idle = Vec::new();
        if self.thin {
            [free, idle] = self.moving_and_idle(&free);
        }
        let (mut demand, mut drives) = (Vec::new(), vec![Vec::new(); self.machine.drives.len()]);
        for direction in &free {
            let mut bodies = std::mem::take(&mut self.bodies);
            self.here.motions(direction, &mut bodies);
            let read = self.read(&bodies, 0.0)?;
            demand.push(read.iter().map(|jet| jet.d).collect());
            let place = self.place(&bodies);
            for (drive, column) in self.machine.drives.iter().zip(&mut drives) {
                column.push(self.machine.drive_jet(drive, &place).d);
            }
            self.bodies = bodies;
        }
        Ok(Tangent { constraints, lengths, free, idle, demand: Svd::new(demand), drives })
    }

    /// Of these directions those that move something, and those that do not.
    fn moving_and_idle(&mut self, free: &[Vec<f64>]) -> [Vec<Vec<f64>>; 2] {
        let mechanism = &self.machine.mechanism;
        let mut bodies = std::mem::take(&mut self.bodies);
        let mut columns = Vec::new();
        for direction in free {
            self.here.motions(direction, &mut bodies);
            let mut column = Vec::new();
            for (motion, body) in bodies.iter().zip(&mechanism.bodies) {
                column.extend(motion.v.map(|v| v / mechanism.size));
                let turning = match body.particles.at.as_slice() {
                    [_] => [0.0; 3],
                    [p, q] if mechanism.columns() == 3 => {
                        let line = apply(&motion.turned, sub(*q, *p));
                        let line = scale(1.0 / norm(line), line);
                        axpy(motion.w, -dot(&motion.w, &line), line)
                    }
                    _ => motion.w,
                };
                column.extend(turning);
            }
            columns.push(column);
        }
        self.bodies = bodies;
        let n = self.sizes.len();
        let svd = Svd::new(columns);
        [svd.row_space(), svd.null()].map(|list| list.iter().map(|x| combine(free, x, n)).collect())
    }

    /// What prescribed coordinates leave open.
    fn check_freedoms(&self, tangent: &Tangent) -> Result<(), Error> {
        let (k, freedoms) = (self.machine.prescribed.len(), tangent.free.len());
        let open = tangent.demand.null();
        let Some(direction) = open.first().filter(|_| tangent.demand.rank() < freedoms) else {
            return Ok(());
        };
        let name = self.strongest(&combine(&tangent.free, direction, self.sizes.len()));
        let said = match k < freedoms {
            true => format!(
                "{k} prescribed for {freedoms} degrees of freedom: the motion of `{name}` is not prescribed; give a coordinate that says it, or a driver in the model"
            ),
            false => format!(
                "the prescribed coordinates do not tell how `{name}` moves at t = {} s: they depend on each other there, or the position is singular",
                self.here.state().t
            ),
        };
        Err(Error::Motion(said))
    }

    /// The rate that moves most in a direction.
    fn strongest(&self, direction: &[f64]) -> String {
        let sizes = direction.iter().zip(&self.sizes).map(|(x, s)| (x / s).abs());
        let most = sizes
            .enumerate()
            .fold((0, -1.0), |most, (k, x)| if x > most.1 * (1.0 + 1e-9) { (k, x) } else { most });
        self.names.get(most.0).cloned().unwrap_or_default()
    }

    /// (F4) to (F6)
    fn supply(&mut self, tangent: &Tangent, demand: &[Demand], gap: (f64, usize)) -> Result<Supplied, Error> {
        let n = self.sizes.len();
        let free = &tangent.free;
        // (F4)
        let mut u = self.here.speeds().to_vec();
        let jets = self.jets(u.clone(), 1.0)?;
        let missing: Vec<f64> = demand.iter().zip(&jets).map(|(s, g)| s[1] - g.d).collect();
        add(&mut u, &combine(free, &tangent.demand.solve(&missing), n));
        self.here.set_speeds(&u);
        // (F5)
        let mut accelerations = self.least_accelerations(tangent)?;
        let jets = self.jets(u.clone(), 1.0)?;
        let swept = self.rates_of_accelerations(&accelerations)?;
        let missing: Vec<f64> =
            demand.iter().zip(&jets).zip(&swept).map(|((s, g), more)| s[2] - g.dd - more).collect();
        add(&mut accelerations, &combine(free, &tangent.demand.solve(&missing), n));
        let needed = self.needed(tangent, &mut accelerations)?;
        // (F6)
        let b: Vec<f64> = free.iter().map(|direction| dot(direction, &needed)).collect();
        let drives = &self.machine.drives;
        let shares: Vec<f64> = drives.iter().map(|drive| drive.weight.sqrt().recip()).collect();
        let weighed = tangent.drives.iter().zip(&shares).map(|(c, s)| c.iter().map(|c| c * s).collect());
        let svd = Svd::new(weighed.collect());
        if !accelerations.iter().chain(&b).all(|x| x.is_finite()) {
            let t = self.here.state().t;
            return Err(Error::Motion(format!("the motion at t = {t} s is too fast to compute with")));
        }
        let forces: Vec<f64> = svd.solve(&b).iter().zip(&shares).map(|(z, s)| z * s).collect();
        let supplied = combine(&tangent.drives, &forces, b.len());
        let left: Vec<f64> = b.iter().zip(&supplied).map(|(b, a)| b - a).collect();
        let size = dot(&left, &left).sqrt();
        let name = self.strongest(&combine(free, &left, n));
        let speeds: Vec<f64> = free.iter().map(|v| scaled_product(v, &u, &self.sizes)).collect();
        let [coordinates, rates] = self.drives_at(&u);
        for (drive, force) in drives.iter().zip(&forces) {
            self.here.set_variable(drive.variable, *force);
        }
        let state = self.here.state().clone();
        let acceleration_error = self.difference_of_accelerations(&accelerations)?;
        for drive in drives {
            self.here.set_variable(drive.variable, 0.0);
        }
        Ok(Supplied {
            state,
            accelerations,
            forces,
            rates,
            coordinates,
            rank: [svd.rank(), free.len()],
            residual: (size, name),
            residual_power: dot(&left, &speeds),
            gap: (gap.0.abs(), gap.1),
            condition: tangent.demand.condition(),
            acceleration_error,
        })
    }

    /// (F7), and the forces on the rates that the accelerations need then.
    fn needed(&mut self, tangent: &Tangent, accelerations: &mut [f64]) -> Result<Vec<f64>, Error> {
        let needed = self.here.forces_for(accelerations)?;
        if tangent.idle.is_empty() {
            return Ok(needed);
        }
        let along = |forces: &[f64]| -> Vec<f64> { tangent.idle.iter().map(|d| dot(d, forces)).collect() };
        let mut inertia = Vec::new();
        for direction in &tangent.idle {
            let more: Vec<f64> = accelerations.iter().zip(direction).map(|(a, d)| a + d).collect();
            let forces = self.here.forces_for(&more)?;
            let added: Vec<f64> = forces.iter().zip(&needed).map(|(more, here)| more - here).collect();
            inertia.push(along(&added));
        }
        let missing: Vec<f64> = along(&needed).iter().map(|force| -force).collect();
        let turns = Svd::new(inertia).solve(&missing);
        add(accelerations, &combine(&tangent.idle, &turns, accelerations.len()));
        self.here.forces_for(accelerations)
    }

    /// C⁺γ
    fn least_accelerations(&mut self, tangent: &Tangent) -> Result<Vec<f64>, Error> {
        let (c, gamma) = self.here.constraints()?;
        let right = gamma.iter().zip(&tangent.lengths);
        let right: Vec<f64> = right.map(|(g, length)| if *length > 0.0 { g / length } else { 0.0 }).collect();
        let found = tangent.constraints.solve(&right);
        let found: Vec<f64> = found.iter().zip(&self.sizes).map(|(x, s)| x * s).collect();
        let n = found.len().max(1);
        for (r, (row, gamma)) in c.chunks(n).zip(&gamma).enumerate() {
            let off = dot(row, &found) - gamma;
            let size = row.iter().zip(&found).fold(gamma.abs(), |sum, (c, x)| sum + (c * x).abs());
            if off.abs() > CONSISTENT * size && tangent.lengths[r] > 0.0 {
                let t = self.here.state().t;
                return Err(Error::Motion(format!(
                    "the constraints contradict each other at t = {t} s: accelerations would open one by {off:.1e} m/s²; the position is singular"
                )));
            }
        }
        Ok(found)
    }

    /// What accelerations of the rates, with the velocities here, make of the second derivatives of the prescribed coordinates.
    fn rates_of_accelerations(&mut self, accelerations: &[f64]) -> Result<Vec<f64>, Error> {
        let mut twists = std::mem::take(&mut self.twists);
        self.here.body_accelerations(accelerations, &mut twists);
        let mut bodies = self.bodies.clone();
        for (body, twist) in bodies.iter_mut().zip(&twists) {
            (body.v, body.w) = (twist.v, twist.w);
        }
        self.twists = twists;
        Ok(self.read(&bodies, 0.0)?.iter().map(|jet| jet.d).collect())
    }

    /// By how much the accelerations under the forces found miss those of the prescribed coordinates: what forward dynamics says.
    fn difference_of_accelerations(&mut self, accelerations: &[f64]) -> Result<f64, Error> {
        let found = self.here.accelerations()?;
        let off: Vec<f64> = found.iter().zip(accelerations).map(|(a, b)| a - b).collect();
        let jets = self.jets(off, 0.0)?;
        Ok(jets.iter().fold(0.0, |most: f64, jet| most.max(jet.d.abs())))
    }

    /// Coordinates of the actuators, and their rates.
    fn drives_at(&mut self, u: &[f64]) -> [Vec<f64>; 2] {
        let mut bodies = std::mem::take(&mut self.bodies);
        self.here.motions(u, &mut bodies);
        let place = self.place(&bodies);
        let jets: Vec<Jet> =
            self.machine.drives.iter().map(|drive| self.machine.drive_jet(drive, &place)).collect();
        self.bodies = bodies;
        [jets.iter().map(|jet| jet.x).collect(), jets.iter().map(|jet| jet.d).collect()]
    }
}

fn add(to: &mut [f64], more: &[f64]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to += more);
}

/// The share of u along a direction, both scaled.
fn scaled_product(direction: &[f64], u: &[f64], sizes: &[f64]) -> f64 {
    direction.iter().zip(u).zip(sizes).map(|((d, u), s)| d * u / (s * s)).sum()
}

fn largest(list: &[f64]) -> (f64, usize) {
    list.iter().enumerate().fold((0.0, 0), |most, (i, x)| if x.abs() > most.0 { (x.abs(), i) } else { most })
}
