//! `recursive`: joint variables, solved link by link in O(n) ([`crate::recursive`]).
//!
//! The bodies hang in a spanning tree of links ([`Links`]). The kernel gives the accelerations of the tree from its coordinates,
//! its rates and the forces on its links; equations among the rates, of cut joints and of couplings, are solved on top of it
//! ([`RowSolver`]). Nothing here grows faster than the number of bodies, but for the rows.
//!
//! The state is (q, u, W, auxiliary states): coordinates with quaternions, rates, the work of dampers, couples and drivers.

mod input;
mod joint_forces;
mod kernel;
mod lanes;
mod light;
mod links;
mod loads;
mod observe;
mod positions;
mod questions;
mod rows;
mod straight;

pub use input::{Input, InputLaw};
pub(crate) use lanes::{LaneTrouble, Lanes};
pub(crate) use links::cut_rows;
pub use links::{BodyPlace, Links};
pub(crate) use positions::TreeCoordinate;

use super::kernel::{At, Core, accessors};
use super::tmt::RigidBody;
use super::tree::{Carried, CutRow, Equation, Kinematics, Loops, carried, node_homes};
use super::{Formulate, MotionError, Spin, not_finite};
use crate::interactions::{BodyWrench, Motion, Workspace};
use crate::linalg::quaternion;
use crate::linalg::spatial::{Pose, Twist, Wrench};
use crate::linalg::vec3::{Vec3, add, apply, apply_transposed, cross, dot, sub};
use crate::mechanism::{BodyIndex, Mechanism, too_large};
use crate::model::{Fault, Formulation};
use crate::recursive::{Dynamics, Kernel, LinkJoint, LinkMotion, Tree};
use crate::results::Frame;
use joint_forces::JointForces;
use kernel::paths;
use light::{LIGHT, Meeting, light_rates, weightless};
use rows::{MAX_ROWS, RowSolver};

/// More entries of M⁻¹Cᵀ than this are refused.
const MAX_ROW_ENTRIES: usize = 40_000_000;

/// The formulation with all its buffers.
pub struct Recursive<'m> {
    mechanism: &'m Mechanism,
    links: Links,
    bodies: Vec<RigidBody>,
    dynamics: Dynamics,
    /// Another set of buffers, for questions that must not disturb the factor.
    elsewhere: Option<Box<Dynamics>>,
    /// Poses of the bodies; columns and paths are not used here.
    kinematics: Kinematics,
    loops: Loops,
    /// Body and place as drawn of every node.
    homes: Vec<(BodyIndex, Vec3)>,
    rows: RowSolver,
    /// Forces on the rates from outside the model, and what they are here and now.
    input: Option<Input>,
    tau: Vec<f64>,
    /// What acts, where that is nothing but forces along coordinates of links.
    joint_forces: Option<JointForces>,
    /// A start other than the model's.
    given_start: Option<Vec<f64>>,
    /// A row of C while it is gathered; zero otherwise.
    dense: Vec<f64>,
    scratch: Vec<f64>,
    /// What given rates make of the links.
    spread: Vec<Twist>,
    /// On each body, moments about the reference point of its link.
    loads: Vec<Wrench>,
    surplus: Vec<Wrench>,
    /// Links whose coordinates hold a quaternion, and where it begins.
    quaternions: Vec<(usize, usize)>,
    /// Rates without inertia of their own, and what they were given.
    light: Vec<(usize, f64)>,
    /// Accelerations before rows and corrections.
    bare: Vec<f64>,
    /// Couplings that the tree keeps by itself: their rows are empty.
    kept: Vec<bool>,
    /// Nothing but the tree holds.
    plain: bool,
    /// Its multipliers are ν.
    core: Core,
    /// The last time and state that an evaluation was made at, and whether its factor and poses are still there.
    last: (f64, Vec<f64>),
    factored: bool,
}

impl<'m> Recursive<'m> {
    /// Lays out the links; a fault if there are too many equations among them.
    pub fn new(mechanism: &'m Mechanism) -> Result<Self, Fault> {
        if let Some(fault) = super::deforms(mechanism, Formulation::Recursive) {
            return Err(fault);
        }
        let mut links = Links::new(mechanism);
        let compile = |links: &Links| {
            let refuse = |fault| Fault::error("simulation.formulation", format!("`recursive`: {fault}"));
            Tree::new(&links.list, mechanism.model.gravity).map_err(refuse)
        };
        let mut tree = compile(&links)?;
        let mut light = Vec::new();
        while let Some((link, usual)) = weightless(mechanism, &links, &tree, light.len()) {
            let inertia = LIGHT * usual;
            for (i, row) in links.list[link].spare.iter_mut().enumerate() {
                row[i] += inertia;
            }
            light.push((link, inertia));
            tree = compile(&links)?;
        }
        let tree = tree;
        let light = light_rates(&links, &tree, &light);
        let path = |body: usize| {
            let mut rates = Vec::new();
            let mut at = links.places[body].link;
            while let Some(link) = at {
                let from = tree.first(link).1;
                rates.extend(from..from + links.list[link].joint.counts().1);
                at = tree.parent(link);
            }
            rates
        };
        let loops = Loops::new(mechanism, &links.spanning, &path);
        let couplings = &mechanism.interactions.couplings;
        let (n, m) = (tree.u_count(), loops.rows.len() + couplings.len());
        if m > MAX_ROWS || m * n > MAX_ROW_ENTRIES {
            return Err(too_large());
        }
        let kept: Vec<bool> = couplings.iter().map(|c| links.keeps(mechanism, c)).collect();
        let coupled = couplings.iter().zip(&kept).map(|(coupling, &kept)| {
            if kept {
                return Vec::new();
            }
            let mut rates: Vec<usize> = coupling.bodies.iter().flat_map(|&b| path(b)).collect();
            rates.sort_unstable();
            rates.dedup();
            rates
        });
        let patterns = loops.rows.iter().map(|row| row.rates.clone()).chain(coupled).collect();
        let bodies = mechanism.bodies.len();
        let nq = tree.q_count();
        let (mut quaternions, mut lengths) = (Vec::new(), vec![false; nq + n]);
        for (link, l) in links.list.iter().enumerate() {
            let ((i, k), paths) = (tree.first(link), paths(&l.joint));
            lengths[i..i + paths].fill(true);
            lengths[nq + k..nq + k + paths].fill(true);
            match l.joint {
                LinkJoint::Axis { .. } => {}
                LinkJoint::Ball => quaternions.push((link, tree.first(link).0)),
                LinkJoint::Free => quaternions.push((link, tree.first(link).0 + 3)),
            }
        }
        // a ball on another link asks for that link's rotation
        let asks = |&(link, _): &(usize, usize)| tree.parent(link).is_some();
        let plain = m == 0 && !quaternions.iter().any(asks);
        let workspace = Workspace::new(&mechanism.interactions, bodies);
        let active = !mechanism.interactions.is_idle();
        let core = Core::new(mechanism, workspace, active, nq, lengths, loops.rows.len());
        Ok(Recursive {
            bodies: RigidBody::all(mechanism),
            kinematics: Kinematics {
                poses: vec![Carried::FIXED; bodies],
                columns: Vec::new(),
                path: Vec::new(),
            },
            homes: node_homes(mechanism),
            rows: rows_of(&loops, patterns, n),
            input: None,
            tau: vec![0.0; n],
            joint_forces: JointForces::of(mechanism, &links, &tree),
            given_start: None,
            dense: vec![0.0; n],
            scratch: vec![0.0; tree.q_count()],
            spread: vec![Twist::default(); links.list.len()],
            loads: vec![Wrench::default(); bodies],
            surplus: vec![Wrench::default(); bodies],
            quaternions,
            bare: vec![0.0; if light.is_empty() { 0 } else { n }],
            light,
            kept,
            plain,
            core,
            last: (0.0, vec![0.0; tree.q_count() + n + 1 + mechanism.interactions.auxiliary()]),
            factored: false,
            dynamics: if m > 0 { Dynamics::with_kernel(tree, Kernel::Single) } else { Dynamics::new(tree) },
            elsewhere: None,
            mechanism,
            links,
            loops,
        })
    }

    /// The links of the mechanism.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// The tree that the kernel works on.
    pub fn tree(&self) -> &Tree {
        self.dynamics.tree()
    }

    fn counts(&self) -> (usize, usize) {
        (self.dynamics.tree().q_count(), self.dynamics.tree().u_count())
    }

    /// Poses of the bodies where the links are.
    fn refresh(&mut self) {
        for (place, pose) in self.links.places.iter().zip(&mut self.kinematics.poses) {
            *pose = pose_of(place, |link| self.dynamics.motion(link));
        }
    }

    /// Puts the links at a state, gathers loads and rows; returns the power of dampers, couples and actions.
    fn place_links(&mut self, At { t, q, u, auxiliary }: At<'_>) -> f64 {
        self.factored = false;
        self.drive(t, q, u);
        self.dynamics.place(q, u);
        self.refresh();
        let power = self.gather_loads(t, auxiliary);
        for i in 0..self.loops.rows.len() {
            self.core.gamma[i] = self.cut_row(i);
            self.core.phi[i] = self.loops.rows[i].residual(&self.kinematics);
        }
        power
    }

    /// A row of C of a cut joint; returns γ.
    fn cut_row(&mut self, i: usize) -> f64 {
        let row: &CutRow = &self.loops.rows[i];
        let r = row.points(&self.kinematics);
        let gradient = row.gradient(&self.kinematics, &r);
        let mut v = [[0.0; 3]; crate::constraints::MAX_NODES];
        let mut bias = 0.0;
        for (end, (body, _)) in row.ends.iter().enumerate() {
            let Some(b) = *body else { continue };
            let pose = &self.kinematics.poses[b];
            v[end] = pose.velocity(r[end]);
            bias += dot(gradient[end], pose.bias_at(r[end]));
            if let Some(link) = self.links.places[b].link {
                let dense = &mut self.dense;
                let arm = sub(r[end], pose.origin);
                let wrench = Wrench::at(arm, gradient[end]);
                self.dynamics.each_rate(link, wrench, |k, power| dense[k] += power);
            }
        }
        let gamma = row.gamma(&v) - bias;
        self.collect_row(i);
        gamma
    }

    /// Takes a gathered row over.
    fn collect_row(&mut self, i: usize) {
        let row = &mut self.rows.rows[i];
        for (&k, value) in row.rates.iter().zip(&mut row.values) {
            *value = std::mem::take(&mut self.dense[k]);
        }
    }

    /// Eliminates the links and the rows. The accelerations without rows are in `acceleration` then.
    fn factor_links(&mut self) -> Result<(), MotionError> {
        self.dynamics.solve(&self.tau, &mut self.core.acceleration);
        self.core.counters.factorisations += 1;
        if let Some(link) = self.dynamics.without_inertia() {
            let finite = self.core.acceleration.iter().all(|a| a.is_finite());
            // a state that is not finite has no inertia either
            if finite || self.last.1.iter().all(|x| x.is_finite()) {
                return Err(MotionError::SingularMass { coordinates: vec![self.link_name(link)] });
            }
        }
        self.rows.factor(&mut self.dynamics);
        self.factored = true;
        Ok(())
    }

    fn link_name(&self, link: usize) -> String {
        let body = self.links.of_link[link];
        match self.links.spanning.branches[body].joint {
            Some(j) => format!("joint `{}`", self.mechanism.joints[j].name),
            None => format!("body `{}`", self.mechanism.bodies[body].name),
        }
    }

    fn remember(&mut self, At { t, q, u, auxiliary }: At<'_>) {
        let (last_t, last) = &mut self.last;
        *last_t = t;
        last.clear();
        last.extend_from_slice(q);
        last.extend_from_slice(u);
        last.push(0.0);
        last.extend_from_slice(auxiliary);
    }

    /// Whether accelerations follow from the tree and forces on its rates alone. Where a caller gives such forces by themselves, nothing else may act.
    fn needs_no_poses(&self) -> bool {
        let idle = !self.core.active;
        let only_forces = self.joint_forces.is_some() && !self.core.interactions.has_extra();
        self.plain && (idle || (only_forces && self.input.is_none()))
    }

    /// Accelerations and multipliers; returns the power of everything that no potential accounts for.
    fn accelerate_links(&mut self, at: At<'_>, poses: bool) -> Result<f64, MotionError> {
        self.remember(at);
        let At { t, q, u, .. } = at;
        let mut power = 0.0;
        if !poses && self.needs_no_poses() {
            self.factored = false;
            self.drive(t, q, u);
            if let Some(forces) = &self.joint_forces {
                forces.add_to(at.auxiliary, &mut self.tau);
                power = forces.power(at.auxiliary, u);
            }
            self.dynamics.forward(q, u, &self.tau, &mut self.core.acceleration);
            self.core.counters.factorisations += 1;
            if self.input.is_none() {
                self.tau.fill(0.0);
            }
        } else {
            power = self.place_links(at);
            self.factor_links()?;
            if !self.rows.is_empty() {
                let refined = Self::meet(
                    &mut self.rows,
                    &mut self.dynamics,
                    &self.light,
                    &mut self.bare,
                    Meeting {
                        gamma: &self.core.gamma,
                        x: &mut self.core.acceleration,
                        nu: &mut self.core.lambda,
                        scratch: &mut self.dense,
                    },
                );
                self.core.counters.solves += 1 + refined;
                power += self.core.drive_power();
            }
        }
        if self.input.is_some() {
            power += input::power(self.tau.iter().copied(), u.iter().copied());
        }
        match self.core.acceleration.iter().position(|a| !a.is_finite()) {
            None => Ok(power),
            Some(i) => Err(self.trouble(i, at)),
        }
    }

    /// Why an acceleration is not finite.
    fn trouble(&mut self, i: usize, at: At<'_>) -> MotionError {
        self.place_links(at);
        if let Some(i) = self.tau.iter().position(|force| !force.is_finite()) {
            let link = self.links.link_of(self.dynamics.tree(), i, true);
            return MotionError::NotFinite { what: format!("the input of {}", self.link_name(link)) };
        }
        if let Err(error) = self.factor_links() {
            return error;
        }
        let link = self.links.link_of(self.dynamics.tree(), i, true);
        let found = format!("the acceleration of {}", self.link_name(link));
        not_finite(self.mechanism, &mut self.core.interactions, (at.t, at.auxiliary), found)
    }

    /// The factor of the last evaluation, made again if it is gone.
    fn restore_factor(&mut self) -> Result<(), MotionError> {
        if self.factored {
            return Ok(());
        }
        let (t, y) = std::mem::take(&mut self.last);
        self.place_links(self.core.at(t, &y));
        self.last = (t, y);
        self.factor_links()
    }

    /// Rates of the coordinates. A quaternion turns by ½ (0, ω) ⊗ q with ω in the parent's axes.
    fn link_rates(&self, q: &[f64], u: &[f64], dq: &mut [f64]) {
        let tree = self.dynamics.tree();
        if self.quaternions.is_empty() {
            dq.copy_from_slice(u);
            return;
        }
        let mut next = self.quaternions.iter().peekable();
        for (link, l) in self.links.list.iter().enumerate() {
            let (i, k) = tree.first(link);
            if next.peek().is_none_or(|at| at.0 != link) {
                dq[i] = u[k];
                continue;
            }
            next.next();
            let (i, k) = match l.joint {
                LinkJoint::Free => {
                    dq[i..i + 3].copy_from_slice(&u[k..k + 3]);
                    (i + 3, k + 3)
                }
                _ => (i, k),
            };
            let mut w = [u[k], u[k + 1], u[k + 2]];
            if let Some(parent) = tree.parent(link) {
                w = apply_transposed(&self.dynamics.motion(parent).rotation, w);
            }
            dq[i..i + 4].copy_from_slice(&quaternion::rate(&q[i..i + 4], w));
        }
    }

    /// The other buffers, with the links at a state.
    fn elsewhere(&mut self, q: &[f64], u: &[f64]) -> &mut Dynamics {
        let dynamics = &self.dynamics;
        let other = self.elsewhere.get_or_insert_with(|| Box::new(dynamics.clone()));
        other.place(q, u);
        other
    }
}

/// The solver of the rows: those of loops, of which the axes of a coincidence belong together, and those of couplings.
fn rows_of(loops: &Loops, patterns: Vec<Vec<usize>>, n: usize) -> RowSolver {
    let mut solver = RowSolver::new(patterns, n);
    for (r, (row, of_loop)) in solver.rows.iter_mut().zip(&loops.rows).enumerate() {
        if let Equation::Coincidence { axis, carrier: Some(_) } = of_loop.equation {
            row.together = r - axis..r - axis + 3;
        }
    }
    solver
}

/// Where a body is. The reference point of its link is a point that moves with it.
fn pose_of(place: &BodyPlace, motion: impl Fn(usize) -> LinkMotion) -> Carried {
    let Some(link) = place.link else {
        let pose = Pose { c: sub([0.0; 3], place.origin), ..Pose::FIXED };
        return Carried { pose, ..Carried::FIXED };
    };
    let LinkMotion { rotation, base, p, twist, bias } = motion(link);
    let c = add(base, sub(p, apply(&rotation, place.origin)));
    let bias = Twist { v: add(bias.v, cross(twist.w, twist.v)), w: bias.w };
    Carried { pose: Pose { c, turned: rotation }, origin: base, twist, bias }
}
