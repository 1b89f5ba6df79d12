//! Equilibrium in point coordinates, by the sparse matrices of implicit steps: [`Ground`] for mechanisms without contacts and states of their own.
//!
//! With f the forces at rest, Φ = 0 the constraints and A = Φ_q:
//!
//!   (S1)  M a + Aᵀλ = f,   A a = 0,   r = M a
//!
//! r is what the constraints leave over of f. K = ∂(Aᵀλ − f)/∂q is [`Mechanics::factor_tangent`]'s. After a step the mechanism is projected onto
//! Φ = 0, in the metric of the masses, so that r does no work on the way back. An impacting limit is a row that is switched on where a step would go beyond it,
//! and off where it would have to pull.

use super::descent::{Ground, Outcome, Step};
use crate::formulations::{Formulate, MotionError, Points};
use crate::integrate::{Blend, Mechanics, System};
use crate::interactions::Workspace;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Vec3, add, apply};
use crate::mechanism::Mechanism;
use crate::model::Fault;

/// A limit that lets go and is met this often stays.
const MOST_RELEASES: u32 = 20;

/// A coordinate that is this part of the size beyond a limit is on it.
const ON: f64 = 1e-13;

/// Forces at a place.
#[derive(Clone, Debug, Default)]
struct Forces {
    /// r of (S1), N.
    left: Vec<f64>,
    lambda: Vec<f64>,
    /// The largest component of f and the largest multiplier, N.
    load: f64,
}

/// The mechanism at a place, and at the one that is tried.
pub(super) struct Sparse<'m> {
    mechanism: &'m Mechanism,
    system: Points<'m>,
    t: f64,
    /// Number of coordinates.
    n: usize,
    start: Vec<f64>,
    y: Vec<f64>,
    trial: Vec<f64>,
    dy: Vec<f64>,
    here: Forces,
    there: Forces,
    d: Vec<f64>,
    mu: Vec<f64>,
    no_rates: Vec<f64>,
    scratch: Vec<f64>,
    /// The end that each impacting limit rests on, and how often it has let go.
    rests: Vec<Option<usize>>,
    tried_rests: Vec<Option<usize>>,
    releases: Vec<u32>,
    ws: Workspace,
    /// The shift of the last step, with which K is factored first.
    shift: f64,
    /// The least that counts as the largest force, N: at a point springs may cancel each other.
    least_load: f64,
}

impl<'m> Sparse<'m> {
    /// At the coordinates and auxiliary states of `y`, brought onto the constraints at time `t`. `rests`: limits that hold already.
    pub fn new(
        mechanism: &'m Mechanism,
        t: f64,
        y: &[f64],
        rests: Vec<Option<usize>>,
        locks: &[String],
        load: f64,
    ) -> Result<Result<Self, MotionError>, Fault> {
        let system = Points::new(mechanism)?;
        let (n, m) = (system.coordinates(), system.constraints());
        let mut sparse = Sparse {
            system,
            t,
            n,
            start: Vec::new(),
            y: y.to_vec(),
            trial: y.to_vec(),
            dy: vec![0.0; y.len()],
            here: Forces { left: vec![0.0; n], lambda: vec![0.0; m], ..Forces::default() },
            there: Forces { left: vec![0.0; n], lambda: vec![0.0; m], ..Forces::default() },
            d: vec![0.0; n],
            mu: vec![0.0; m],
            no_rates: vec![0.0; m],
            scratch: vec![0.0; n],
            tried_rests: rests.clone(),
            releases: vec![0; rests.len()],
            rests,
            ws: Workspace::new(&mechanism.interactions, mechanism.bodies.len()),
            shift: 1.0,
            least_load: load,
            mechanism,
        };
        for (switch, &on) in mechanism.interactions.switches.iter().enumerate() {
            sparse.system.switch(switch, on);
        }
        for lock in mechanism.events.locks.iter().filter(|lock| locks.contains(&lock.name)) {
            sparse.system.switch(lock.switch(), true);
        }
        Ok(sparse.settle().map(|()| sparse))
    }

    fn settle(&mut self) -> Result<(), MotionError> {
        self.switch_to_tried();
        self.look()?;
        self.y.copy_from_slice(&self.trial);
        self.start = self.y.clone();
        std::mem::swap(&mut self.here, &mut self.there);
        Ok(())
    }

    /// Coordinates, zero velocities, work, auxiliary states.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The ends of impacting limits that hold.
    pub fn rests(&self) -> &[Option<usize>] {
        &self.rests
    }

    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        self.n
    }

    /// Whether it has beams.
    pub fn bends(&self) -> bool {
        !self.mechanism.beams.is_empty()
    }

    /// out = M x.
    pub fn mass_times(&self, x: &[f64], out: &mut [f64]) {
        self.system.mass_times(x, out);
    }

    /// Moves the mechanism by a small displacement and stays there.
    pub fn displace(&mut self, displacement: &[f64]) -> Result<(), MotionError> {
        self.d.copy_from_slice(displacement);
        self.attempt(1.0)?;
        self.accept()
    }

    /// Goes back to a state that it has been at.
    pub fn put(&mut self, y: &[f64]) {
        self.trial.copy_from_slice(y);
        self.tried_rests.copy_from_slice(&self.rests);
        if self.look().is_ok() {
            std::mem::swap(&mut self.y, &mut self.trial);
            std::mem::swap(&mut self.here, &mut self.there);
        }
    }

    /// A step of (P2) of `approach`; how far it goes at most, m, if it can be made.
    pub fn step_foretold(&mut self, shift: f64) -> Option<f64> {
        self.linearise_foretold().ok()?;
        self.factor(shift);
        self.system.solve_tangent(&self.here.left, &self.no_rates, &mut self.d, &mut self.mu);
        let longest = self
            .d
            .iter()
            .fold(0.0, |most: f64, d| if d.is_finite() { most.max(d.abs()) } else { f64::INFINITY });
        if longest == f64::INFINITY {
            return None;
        }
        self.trial.copy_from_slice(&self.y);
        self.trial[self.n..2 * self.n].copy_from_slice(&self.d);
        self.system.foretell(self.t, &self.trial); // (P1)
        self.system.locate_bodies(&self.trial, &mut self.ws.motions);
        self.trial[self.n..2 * self.n].fill(0.0);
        for (q, d) in self.trial.iter_mut().zip(&self.d) {
            *q += d;
        }
        self.turn_sections();
        self.tried_rests.copy_from_slice(&self.rests);
        self.look().ok()?;
        self.accept().ok()?;
        Some(longest)
    }

    /// K of the stresses foretold, if there are any.
    fn linearise_foretold(&mut self) -> Result<(), MotionError> {
        self.system.take_foretold(true);
        let linearised = self.balance_foretold();
        self.system.take_foretold(false);
        linearised
    }

    fn balance_foretold(&mut self) -> Result<(), MotionError> {
        let Sparse { system, y, scratch, no_rates, d, mu, t, shift, .. } = self;
        system.look_at(*t, y);
        system.forces(scratch);
        system.factor()?;
        system.solve(scratch, no_rates, d, mu);
        // a matrix that is not positive is no fault on the way
        match system.factor_tangent(mu, Blend { mass: *shift, damping: 0.0, stiffness: 1.0 }) {
            Ok(()) | Err(MotionError::Indefinite { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// (P3): the particles of sections where the motions, read as displacements, turn them.
    fn turn_sections(&mut self) {
        let mechanism = self.mechanism;
        let columns = mechanism.columns();
        for &b in mechanism.beams.iter().flat_map(|beam| &beam.bodies) {
            let motion = &self.ws.motions[b];
            let turn = quaternion::matrix(&quaternion::of_rotation(motion.w));
            for &node in &mechanism.bodies[b].nodes {
                let &[(block, 1.0)] = mechanism.maps.terms(node) else { continue };
                let at = block as usize * columns;
                let from_centre: Vec3 =
                    std::array::from_fn(|c| if c < columns { self.y[at + c] - motion.c[c] } else { 0.0 });
                let moved = add(add(motion.c, motion.v), apply(&turn, from_centre));
                self.trial[at..at + columns].copy_from_slice(&moved[..columns]);
            }
        }
    }

    /// r a displacement away, N; the place stays.
    pub fn left_at(&mut self, displacement: &[f64]) -> Result<Vec<f64>, MotionError> {
        self.d.copy_from_slice(displacement);
        self.attempt(1.0)?;
        Ok(self.there.left.clone())
    }

    /// x of (K + σM) x + Aᵀμ = f, A x = 0, with K of the last [`Ground::linearise`]; whether the matrix is known to be positive.
    pub fn solve_shifted(&mut self, shift: f64, f: &[f64], x: &mut [f64]) -> bool {
        let sound = self.factor(shift);
        self.system.solve_tangent(f, &self.no_rates, x, &mut self.mu);
        sound && x.iter().all(|x| x.is_finite())
    }

    /// As [`solve_shifted`](Self::solve_shifted), with its matrix once more.
    pub fn solve_again(&mut self, f: &[f64], x: &mut [f64]) {
        self.system.solve_tangent(f, &self.no_rates, x, &mut self.mu);
    }

    fn factor(&mut self, shift: f64) -> bool {
        // something else may have been looked at since
        self.system.look_at(self.t, &self.y);
        self.system.refactor_tangent(Blend { mass: shift, damping: 0.0, stiffness: 1.0 }).is_ok()
    }

    fn switch_to_tried(&mut self) {
        let holds = 2 * self.n + 1 + self.mechanism.interactions.hints;
        for (limit, rests) in self.mechanism.events.limits.iter().zip(&self.tried_rests) {
            self.system.switch(limit.row.switch, rests.is_some());
            if let Some(end) = rests {
                self.trial[holds + limit.row.hold] = limit.range[*end];
            }
        }
    }

    /// Projects the place that is tried, switches limits on that it is beyond, and works out the forces there.
    fn look(&mut self) -> Result<(), MotionError> {
        self.system.project(self.t, &mut self.trial, &mut self.dy)?;
        if self.beyond_limits() {
            self.switch_to_tried();
            self.system.project(self.t, &mut self.trial, &mut self.dy)?;
        }
        let n = self.n;
        self.trial[n..2 * n].fill(0.0);
        let Sparse { system, trial, there, scratch, no_rates, t, .. } = self;
        system.look_at(*t, trial);
        system.forces(scratch);
        there.load = scratch.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        system.factor()?;
        // accelerations in the buffer of r for a moment
        system.solve(scratch, no_rates, &mut there.left, &mut there.lambda);
        there.load = there.lambda.iter().fold(there.load, |most: f64, l| most.max(l.abs()));
        system.mass_times(&there.left, scratch);
        there.left.copy_from_slice(scratch);
        match there.left.iter().all(|r| r.is_finite()) {
            true => Ok(()),
            false => Err(MotionError::NotFinite { what: "a force at rest".into() }),
        }
    }

    /// Lets limits hold that the place tried is beyond; whether there are any.
    fn beyond_limits(&mut self) -> bool {
        if self.tried_rests.is_empty() {
            return false;
        }
        self.system.locate_bodies(&self.trial, &mut self.ws.motions);
        let auxiliary = &self.trial[2 * self.n + 1..];
        let mut any = false;
        for (limit, rests) in self.mechanism.events.limits.iter().zip(&mut self.tried_rests) {
            if rests.is_some() {
                continue;
            }
            let interactions = &self.mechanism.interactions;
            let (x, _) = self.ws.reading(interactions, limit.row.coupling, self.t, auxiliary);
            let beyond = [limit.range[0] - x, x - limit.range[1]];
            if let Some(end) = beyond.iter().position(|&gap| gap > ON * self.mechanism.size) {
                *rests = Some(end);
                any = true;
            }
        }
        any
    }

    /// Lets go of limits that would have to pull.
    fn release(&mut self) -> bool {
        let rows = self.mechanism.rows.len();
        let mut any = false;
        for (i, limit) in self.mechanism.events.limits.iter().enumerate() {
            let Some(end) = self.tried_rests[i] else { continue };
            let multiplier = self.there.lambda[rows + limit.row.coupling];
            let push = if end == 0 { -multiplier } else { multiplier };
            if push < -1e-12 * self.there.load && self.releases[i] < MOST_RELEASES {
                self.releases[i] += 1;
                self.tried_rests[i] = None;
                any = true;
            }
        }
        any
    }
}

impl Ground for Sparse<'_> {
    fn residual(&self) -> f64 {
        self.here.left.iter().fold(0.0, |most: f64, r| most.max(r.abs()))
    }

    fn load(&self) -> f64 {
        self.here.load.max(self.least_load)
    }

    fn linearise(&mut self) -> Result<(), MotionError> {
        self.system.look_at(self.t, &self.y);
        // an indefinite K is no fault here: it is factored again with a shift
        let blend = Blend { mass: self.shift, damping: 0.0, stiffness: 1.0 };
        match self.system.factor_tangent(&self.here.lambda, blend) {
            Ok(()) | Err(MotionError::Indefinite { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn direction(&mut self, shift: f64) -> Option<Step> {
        self.shift = shift;
        let sound = self.factor(shift);
        self.system.solve_tangent(&self.here.left, &self.no_rates, &mut self.d, &mut self.mu);
        let gain: f64 = self.d.iter().zip(&self.here.left).map(|(d, r)| d * r).sum();
        self.system.mass_times(&self.d, &mut self.scratch);
        let weighed: f64 = self.d.iter().zip(&self.scratch).map(|(d, m)| d * m).sum();
        let longest = self.d.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        let step = Step { gain, bend: gain - shift * weighed, longest, sound };
        (gain > 0.0 && gain.is_finite() && longest.is_finite()).then_some(step)
    }

    fn attempt(&mut self, part: f64) -> Result<Outcome, MotionError> {
        self.trial.copy_from_slice(&self.y);
        self.tried_rests.copy_from_slice(&self.rests);
        self.switch_to_tried();
        for (q, d) in self.trial.iter_mut().zip(&self.d) {
            *q += part * d;
        }
        self.look()?;
        let mut work = 0.0;
        for i in 0..self.n {
            work += 0.5 * (self.here.left[i] + self.there.left[i]) * (self.trial[i] - self.y[i]);
        }
        let residual = self.there.left.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        Ok(Outcome { work, residual })
    }

    fn accept(&mut self) -> Result<(), MotionError> {
        if self.release() {
            self.switch_to_tried();
            self.look()?;
        }
        std::mem::swap(&mut self.y, &mut self.trial);
        std::mem::swap(&mut self.here, &mut self.there);
        self.rests.copy_from_slice(&self.tried_rests);
        Ok(())
    }

    fn moved(&self) -> f64 {
        let apart = self.y[..self.n].iter().zip(&self.start);
        apart.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
    }
}
