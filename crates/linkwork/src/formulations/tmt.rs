//! `tmt`: independent coordinates by the transformation to centres of mass ([schwab2002] chapter 3).
//!
//! x are the centres of mass and orientations of all bodies, a function of the joint variables q:
//!
//!   (1)  x = T(q),  ẋ = T_q q̇                                        (3), (4)
//!   (2)  ẍ = T_q q̈ + g                                               (7), (8)
//!   (3)  T_qᵀ M T_q q̈ = T_qᵀ (f − M g)                                (10), (13) with springs in f
//!   (4)  [ T_qᵀ M T_q  Cᵀ ] [q̈]   [ T_qᵀ (f − M g) ]
//!        [      C      0  ] [ν] = [        γ       ]                 loops closed at cut joints
//!
//! A column of T_q for a turn about the axis a through p is (a × (c − p), a), for a slide along a (a, 0),
//! with c the body's centre of mass. In the plane M = diag(m, m, I) and the notes' equations hold as they
//! stand. In space M = diag(m, m, m, I) with I the inertia in world axes, which turns with the body, so that the rate
//! of angular momentum is I ω̇ + ω × I ω; the second part joins M g:
//!
//!   (5)  M g = ( m c̈₀ ;  I ω̇₀ + ω × I ω ),   c̈₀, ω̇₀ the accelerations with q̈ = 0
//!
//! Nothing here knows a particle: mass, centre of mass and inertia are all that counts. The loops, the state
//! and the reactions are those of every formulation in joint variables: [`TreeSystem`].

use super::tree::{Carried, Instant, Law, MassMatrix, TreeSystem, Variables};
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, cross, dot, scale};
use crate::mechanism::{Mechanism, MechanismBody};
use crate::model::Dimension;

/// The formulation with all its buffers.
pub type Tmt<'m> = TreeSystem<'m, CentreOfMassLaw>;

/// Inertia of rigid bodies about their centres of mass: TᵀMT and Tᵀ(f − Mg).
pub struct CentreOfMassLaw {
    bodies: Vec<RigidBody>,
    /// Columns of T_q at one body: what a unit rate does to the centre of mass and to the orientation,
    columns: Vec<Twist>,
    /// and M times them.
    weighed: Vec<Wrench>,
}

/// Mass, centre of mass and inertia about it, as drawn.
pub(super) struct RigidBody {
    pub mass: f64,
    pub com: Vec3,
    inertia: Mat3,
}

impl RigidBody {
    /// Those of all bodies.
    pub fn all(mechanism: &Mechanism) -> Vec<Self> {
        let of = |body: &MechanismBody| {
            let p = &body.particles.properties;
            let inertia = match mechanism.dimension() {
                // the polar moment is all a planar body has
                Dimension::Planar => [[0.0; 3], [0.0; 3], [0.0, 0.0, p.inertia_about_com[2][2]]],
                Dimension::Spatial => p.inertia_about_com,
            };
            RigidBody { mass: p.mass, com: p.com, inertia }
        };
        mechanism.bodies.iter().map(of).collect()
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self, pose: &Carried) -> f64 {
        let v = pose.velocity(pose.place(self.com));
        0.5 * (self.mass * dot(v, v) + dot(pose.twist.w, self.inertia_times(pose, pose.twist.w)))
    }

    /// I a in world axes: R I Rᵀ a.
    fn inertia_times(&self, pose: &Carried, a: Vec3) -> Vec3 {
        pose.turn(apply(&self.inertia, apply_transposed(&pose.pose.turned, a)))
    }

    /// The wrench at the centre of mass that an acceleration takes: (m a ; I α + ω × I ω).
    pub fn effort(&self, pose: &Carried, acceleration: &Twist) -> Wrench {
        let gyroscopic = cross(pose.twist.w, self.inertia_times(pose, pose.twist.w));
        let moment = add(self.inertia_times(pose, acceleration.w), gyroscopic);
        Wrench { force: scale(self.mass, acceleration.v), moment }
    }
}

impl Law for CentreOfMassLaw {
    fn new(mechanism: &Mechanism, _: &Variables) -> Self {
        let bodies = RigidBody::all(mechanism);
        CentreOfMassLaw { bodies, columns: Vec::new(), weighed: Vec::new() }
    }

    fn equations(&mut self, at: &Instant<'_>, mass: &mut MassMatrix, force: &mut [f64]) {
        for (b, body) in self.bodies.iter().enumerate() {
            let pose = &at.kinematics.poses[b];
            let path = &at.kinematics.path[b];
            let c = pose.place(body.com);
            let effort = body.effort(pose, &pose.bias_twist(c)); // (5)
            let left = at.applied[b].about(c).plus(effort.negative());
            self.columns.clear();
            self.weighed.clear();
            for &k in path {
                let column = at.kinematics.columns[k].twist(c);
                force[k] += left.power(&column);
                self.columns.push(column);
                let (force, moment) = (scale(body.mass, column.v), body.inertia_times(pose, column.w));
                self.weighed.push(Wrench { force, moment });
            }
            for (s, &i) in path.iter().enumerate() {
                for (&j, weighed) in path[..=s].iter().zip(&self.weighed) {
                    mass.add(i, j, weighed.power(&self.columns[s]));
                }
            }
        }
    }

    fn kinetic(&mut self, at: &Instant<'_>) -> f64 {
        self.bodies.iter().zip(&at.kinematics.poses).map(|(body, pose)| body.kinetic(pose)).sum()
    }

    fn momentum_rates(&mut self, at: &Instant<'_>, acceleration: &[f64], out: &mut [Wrench]) {
        for (b, body) in self.bodies.iter().enumerate() {
            let pose = &at.kinematics.poses[b];
            let c = pose.place(body.com);
            let add = |sum: Twist, &k: &usize| sum.add(acceleration[k], &at.kinematics.columns[k].twist(c));
            let sum = at.kinematics.path[b].iter().fold(pose.bias_twist(c), add); // (2)
            out[b] = body.effort(pose, &sum).about_origin(c);
        }
    }
}
