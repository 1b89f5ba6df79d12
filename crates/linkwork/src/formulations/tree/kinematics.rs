//! Where the joint variables put the bodies, and how things move with them.
//!
//! A point X of a body, as drawn, stands at r = R X + d. Down the tree, with P the joint's point on the
//! parent and a = R u the axis as it stands:
//!
//!   (K1)  R = R_p · R_joint(q)
//!   (K2)  the body's joint point is at P + s a   (axis in the parent),  or P − s a  (axis in the body)
//!
//! Velocities are r' = B q' with one column per rate ([attia2003] (6.1)): a × (r − p) for a turn about a
//! through p, a for a slide, for every point beyond the joint. The convective term B' q' is what the
//! accelerations are with q'' = 0; it is gathered outward along the tree like the velocities.

use super::variables::Variables;
use crate::interactions::Motion;
use crate::linalg::quaternion;
use crate::linalg::spatial::{Pose, Twist, product};
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, apply_transposed, cross, scale, sub};
use crate::mechanism::{Mechanism, Rotation, Translation};

/// A body at an instant, and its accelerations with q'' = 0.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// r = R X + d of a point X as drawn.
    pub pose: Pose,
    /// A point that moves with the body,
    pub origin: Vec3,
    /// the velocity there, and of the turning,
    pub twist: Twist,
    /// and the accelerations with q'' = 0.
    pub bias: Twist,
}

impl Carried {
    /// The ground.
    pub const FIXED: Carried = Carried {
        pose: Pose::FIXED,
        origin: [0.0; 3],
        twist: Twist { v: [0.0; 3], w: [0.0; 3] },
        bias: Twist { v: [0.0; 3], w: [0.0; 3] },
    };

    /// Where a point of the body, as drawn, stands.
    #[inline]
    pub fn place(&self, x: Vec3) -> Vec3 {
        self.pose.place(x)
    }

    /// A direction of the body as it stands.
    #[inline]
    pub fn turn(&self, u: Vec3) -> Vec3 {
        apply(&self.pose.turned, u)
    }

    /// Velocity of a point of the body at r.
    #[inline]
    pub fn velocity(&self, r: Vec3) -> Vec3 {
        self.twist.velocity(sub(r, self.origin))
    }

    /// Acceleration of a point of the body at r with q'' = 0.
    #[inline]
    pub fn bias_at(&self, r: Vec3) -> Vec3 {
        let (d, w) = (sub(r, self.origin), self.twist.w);
        add(self.bias.v, add(cross(self.bias.w, d), cross(w, cross(w, d))))
    }

    /// Both accelerations, of a point of the body at r.
    #[inline]
    pub fn bias_twist(&self, r: Vec3) -> Twist {
        Twist { v: self.bias_at(r), w: self.bias.w }
    }

    /// The motion of the body, whose centre of mass lies at `com` as drawn.
    #[inline]
    pub fn motion(&self, com: Vec3) -> Motion {
        let c = self.place(com);
        Motion { c, turned: self.pose.turned, v: self.velocity(c), w: self.twist.w }
    }
}

/// A column of B: what a unit of one rate does to the points beyond its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnitTwist {
    /// a × (r − p)
    Turn {
        /// Axis.
        a: Vec3,
        /// A point of it.
        p: Vec3,
    },
    /// a
    Slide {
        /// Direction.
        a: Vec3,
    },
}

impl UnitTwist {
    /// The velocity of a point at r for a unit rate.
    #[inline]
    pub fn at(&self, r: Vec3) -> Vec3 {
        match *self {
            UnitTwist::Turn { a, p } => cross(a, sub(r, p)),
            UnitTwist::Slide { a } => a,
        }
    }

    /// The same with the angular velocity.
    #[inline]
    pub fn twist(&self, r: Vec3) -> Twist {
        match *self {
            UnitTwist::Turn { a, p } => Twist { v: cross(a, sub(r, p)), w: a },
            UnitTwist::Slide { a } => Twist { v: a, w: [0.0; 3] },
        }
    }
}

/// Poses and columns at an instant.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// By body.
    pub poses: Vec<Carried>,
    /// By rate.
    pub columns: Vec<UnitTwist>,
    /// Rates that move each body, root first.
    pub path: Vec<Vec<usize>>,
}

/// Rotation by an angle about a unit axis.
fn about(axis: Vec3, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    std::array::from_fn(|i| {
        let turned = add(
            add(scale(c, IDENTITY[i]), scale((1.0 - c) * axis[i], axis)),
            scale(-s, cross(axis, IDENTITY[i])),
        );
        // rows of R: e_iᵀ R = (Rᵀ e_i)ᵀ
        turned
    })
}

impl Kinematics {
    /// Buffers for a set of variables.
    pub fn new(variables: &Variables) -> Self {
        let bodies = variables.branches.len();
        let mut path: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for branch in &variables.branches {
            let mut own = branch.parent.map_or_else(Vec::new, |p| path[p].clone());
            own.extend(branch.u[0]..branch.u[1]);
            own.extend(branch.u[1]..branch.u[1] + branch.rotation.rates());
            path[branch.body] = own;
        }
        Kinematics {
            poses: vec![Carried::FIXED; bodies],
            columns: vec![UnitTwist::Slide { a: [0.0; 3] }; variables.u_count],
            path,
        }
    }

    /// Evaluates poses, velocities, biases and columns at q, u.
    pub fn evaluate(&mut self, variables: &Variables, q: &[f64], u: &[f64]) {
        for branch in &variables.branches {
            let parent = branch.parent.map_or(Carried::FIXED, |p| self.poses[p]);
            let [qt, qr] = branch.q;
            let [ut, ur] = branch.u;
            let p = parent.place(branch.at_parent);
            let (mut w, mut alpha) = (parent.twist.w, parent.bias.w);
            let relative = match branch.rotation {
                Rotation::None => IDENTITY,
                Rotation::Axis => {
                    let axis = variables.turning_axis(branch);
                    let a = parent.turn(axis);
                    w = add(parent.twist.w, scale(u[ur], a));
                    alpha = add(parent.bias.w, cross(parent.twist.w, scale(u[ur], a)));
                    about(axis, q[qr])
                }
                Rotation::Ball => {
                    w = add(parent.twist.w, [u[ur], u[ur + 1], u[ur + 2]]);
                    quaternion::matrix(&q[qr..qr + 4])
                }
            };
            let turned = product(&parent.pose.turned, &relative);
            // the body's joint point: where it is, how fast, and the point it turns about
            let (origin, v, a, pivot);
            match branch.translation {
                Translation::None => {
                    (origin, v, a, pivot) = (p, parent.velocity(p), parent.bias_at(p), p);
                }
                Translation::Slide if !branch.reversed => {
                    let axis = parent.turn(branch.axis);
                    origin = add(p, scale(q[qt], axis));
                    v = add(parent.velocity(origin), scale(u[ut], axis));
                    a = add(parent.bias_at(origin), scale(2.0 * u[ut], cross(parent.twist.w, axis)));
                    pivot = origin;
                    self.columns[ut] = UnitTwist::Slide { a: axis };
                }
                Translation::Slide => {
                    let axis = apply(&turned, branch.axis);
                    let (s, s_dot) = (q[qt], u[ut]);
                    origin = sub(p, scale(s, axis));
                    let swing = cross(w, axis);
                    v = sub(parent.velocity(p), add(scale(s_dot, axis), scale(s, swing)));
                    a = sub(
                        parent.bias_at(p),
                        add(scale(2.0 * s_dot, swing), scale(s, add(cross(alpha, axis), cross(w, swing)))),
                    );
                    pivot = p;
                    self.columns[ut] = UnitTwist::Slide { a: scale(-1.0, axis) };
                }
                Translation::Free => {
                    let mut x = [[0.0; 3]; 2];
                    for k in 0..qr - qt {
                        x[0][k] = q[qt + k];
                        x[1][k] = u[ut + k];
                        self.columns[ut + k] = UnitTwist::Slide { a: IDENTITY[k] };
                    }
                    (origin, v, a, pivot) = (x[0], x[1], [0.0; 3], x[0]);
                }
            }
            match branch.rotation {
                Rotation::None => {}
                Rotation::Axis => {
                    let axis = parent.turn(variables.turning_axis(branch));
                    self.columns[ur] = UnitTwist::Turn { a: axis, p: pivot };
                }
                Rotation::Ball => {
                    for k in 0..3 {
                        self.columns[ur + k] = UnitTwist::Turn { a: IDENTITY[k], p: pivot };
                    }
                }
            }
            let pose = Pose { c: sub(origin, apply(&turned, branch.at_body)), turned };
            let (twist, bias) = (Twist { v, w }, Twist { v: a, w: alpha });
            self.poses[branch.body] = Carried { pose, origin, twist, bias };
        }
    }

    /// Motions of all bodies.
    pub fn motions(&self, mechanism: &Mechanism, out: &mut [Motion]) {
        for ((body, pose), motion) in mechanism.bodies.iter().zip(&self.poses).zip(out) {
            *motion = pose.motion(body.particles.properties.com);
        }
    }

    /// Rates of the coordinates: q' from u. A quaternion turns by ½ (0, ω) ⊗ q with ω in the parent's axes.
    pub fn coordinate_rates(&self, variables: &Variables, q: &[f64], u: &[f64], dq: &mut [f64]) {
        for branch in &variables.branches {
            let [qt, qr] = branch.q;
            let [ut, ur] = branch.u;
            dq[qt..qr].copy_from_slice(&u[ut..ur]);
            match branch.rotation {
                Rotation::None => {}
                Rotation::Axis => dq[qr] = u[ur],
                Rotation::Ball => {
                    let parent = branch.parent.map_or(Carried::FIXED, |p| self.poses[p]);
                    let w = apply_transposed(&parent.pose.turned, [u[ur], u[ur + 1], u[ur + 2]]);
                    dq[qr..qr + 4].copy_from_slice(&quaternion::rate(&q[qr..qr + 4], w));
                }
            }
        }
    }

    /// Moves coordinates by small rates δu (a step of Newton's method): q ← q + q'(δu), quaternions normalised.
    pub fn displace(&self, variables: &Variables, q: &mut [f64], du: &[f64], scratch: &mut [f64]) {
        self.coordinate_rates(variables, q, du, scratch);
        for (q, d) in q.iter_mut().zip(scratch.iter()) {
            *q += d;
        }
        normalise(variables, q);
    }
}

/// Brings quaternions back to unit length.
pub fn normalise(variables: &Variables, q: &mut [f64]) {
    for branch in variables.branches.iter().filter(|b| b.rotation == Rotation::Ball) {
        quaternion::normalise(&mut q[branch.q[1]..branch.q[1] + 4]);
    }
}
