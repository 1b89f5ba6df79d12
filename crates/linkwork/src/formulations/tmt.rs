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

use super::tree::{Instant, Law, MassMatrix, Pose, TreeSystem, Variables, Wrench};
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, scale, sub};
use crate::mechanism::{Mechanism, MechanismBody};
use crate::model::Dimension;

/// The formulation with all its buffers.
pub type Tmt<'m> = TreeSystem<'m, CentreOfMassLaw>;

/// Inertia of rigid bodies about their centres of mass: TᵀMT and Tᵀ(f − Mg).
pub struct CentreOfMassLaw {
    bodies: Vec<RigidBody>,
    /// Columns of T_q at one body: what a unit rate does to the centre of mass and to the orientation,
    columns: Vec<[Vec3; 2]>,
    /// and M times them.
    weighed: Vec<[Vec3; 2]>,
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
    pub fn kinetic(&self, pose: &Pose) -> f64 {
        let v = pose.velocity(pose.place(self.com));
        0.5 * (self.mass * dot(v, v) + dot(pose.w, self.inertia_times(pose, pose.w)))
    }

    /// I a in world axes: R I Rᵀ a.
    fn inertia_times(&self, pose: &Pose, a: Vec3) -> Vec3 {
        apply(&pose.turned, apply(&self.inertia, apply_transposed(&pose.turned, a)))
    }

    /// Force and moment about the centre of mass that an acceleration takes: (m a ; I α + ω × I ω).
    pub fn effort(&self, pose: &Pose, a: Vec3, alpha: Vec3) -> [Vec3; 2] {
        let gyroscopic = cross(pose.w, self.inertia_times(pose, pose.w));
        [scale(self.mass, a), add(self.inertia_times(pose, alpha), gyroscopic)]
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
            let applied = at.applied[b];
            let [m_a, m_alpha] = body.effort(pose, pose.bias(c), pose.alpha); // (5)
            let f = sub(applied.force, m_a);
            let moment = sub(sub(applied.moment, cross(c, applied.force)), m_alpha);
            self.columns.clear();
            self.weighed.clear();
            for &k in path {
                let column = &at.kinematics.columns[k];
                let [v, w] = [column.at(c), column.turning()];
                force[k] += dot(v, f) + dot(w, moment);
                self.columns.push([v, w]);
                self.weighed.push([scale(body.mass, v), body.inertia_times(pose, w)]);
            }
            for (s, &i) in path.iter().enumerate() {
                let [v, w] = self.columns[s];
                for (&j, [m_v, m_w]) in path[..=s].iter().zip(&self.weighed) {
                    mass.add(i, j, dot(v, *m_v) + dot(w, *m_w));
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
            let (mut a, mut alpha) = (pose.bias(c), pose.alpha);
            for &k in &at.kinematics.path[b] {
                let column = &at.kinematics.columns[k];
                a = axpy(a, acceleration[k], column.at(c)); // (2)
                alpha = axpy(alpha, acceleration[k], column.turning());
            }
            let [force, moment] = body.effort(pose, a, alpha);
            out[b] = Wrench { force, moment: add(moment, cross(c, force)) };
        }
    }
}
