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
use crate::linalg::quaternion;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, apply_transposed, cross, scale, sub};
use crate::mechanism::{Rotation, Translation};

/// A body at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Rotation since the drawing.
    pub turned: Mat3,
    /// r = R X + d.
    pub shift: Vec3,
    /// Angular velocity, rad/s.
    pub w: Vec3,
    /// Angular acceleration with q'' = 0.
    pub alpha: Vec3,
    /// A point that moves with the body,
    pub origin: Vec3,
    /// its velocity,
    pub v: Vec3,
    /// and its acceleration with q'' = 0.
    pub a: Vec3,
}

impl Pose {
    /// The ground.
    pub const FIXED: Pose = Pose {
        turned: IDENTITY,
        shift: [0.0; 3],
        w: [0.0; 3],
        alpha: [0.0; 3],
        origin: [0.0; 3],
        v: [0.0; 3],
        a: [0.0; 3],
    };

    /// Where a point of the body, as drawn, stands.
    #[inline]
    pub fn place(&self, x: Vec3) -> Vec3 {
        add(apply(&self.turned, x), self.shift)
    }

    /// Velocity of a point of the body at r.
    #[inline]
    pub fn velocity(&self, r: Vec3) -> Vec3 {
        add(self.v, cross(self.w, sub(r, self.origin)))
    }

    /// Acceleration of a point of the body at r with q'' = 0.
    #[inline]
    pub fn bias(&self, r: Vec3) -> Vec3 {
        let d = sub(r, self.origin);
        add(self.a, add(cross(self.alpha, d), cross(self.w, cross(self.w, d))))
    }
}

/// A column of B: what one rate does to the points beyond its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Column {
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

impl Column {
    /// The velocity of a point at r for a unit rate.
    #[inline]
    pub fn at(&self, r: Vec3) -> Vec3 {
        match *self {
            Column::Turn { a, p } => cross(a, sub(r, p)),
            Column::Slide { a } => a,
        }
    }

    /// The angular velocity for a unit rate.
    #[inline]
    pub fn turning(&self) -> Vec3 {
        match *self {
            Column::Turn { a, .. } => a,
            Column::Slide { .. } => [0.0; 3],
        }
    }
}

/// Poses and columns at an instant.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// By body.
    pub poses: Vec<Pose>,
    /// By rate.
    pub columns: Vec<Column>,
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

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| apply_transposed(b, a[i]))
}

impl Kinematics {
    /// Buffers for a set of variables.
    pub fn new(variables: &Variables) -> Self {
        let bodies = variables.branches.len();
        let mut path: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for branch in &variables.branches {
            let mut own = branch.parent.map_or_else(Vec::new, |p| path[p].clone());
            own.extend(branch.u[0]..branch.u[1]);
            let turns = match branch.rotation {
                Rotation::None => 0,
                Rotation::Axis => 1,
                Rotation::Ball => 3,
            };
            own.extend(branch.u[1]..branch.u[1] + turns);
            path[branch.body] = own;
        }
        Kinematics {
            poses: vec![Pose::FIXED; bodies],
            columns: vec![Column::Slide { a: [0.0; 3] }; variables.u_count],
            path,
        }
    }

    /// Evaluates poses, velocities, biases and columns at q, u.
    pub fn evaluate(&mut self, variables: &Variables, q: &[f64], u: &[f64]) {
        for branch in &variables.branches {
            let parent = branch.parent.map_or(Pose::FIXED, |p| self.poses[p]);
            let [qt, qr] = branch.q;
            let [ut, ur] = branch.u;
            let p = parent.place(branch.at_parent);
            let (mut w, mut alpha) = (parent.w, parent.alpha);
            let relative = match branch.rotation {
                Rotation::None => IDENTITY,
                Rotation::Axis => {
                    let axis = variables.turning_axis(branch);
                    let a = apply(&parent.turned, axis);
                    w = add(parent.w, scale(u[ur], a));
                    alpha = add(parent.alpha, cross(parent.w, scale(u[ur], a)));
                    about(axis, q[qr])
                }
                Rotation::Ball => {
                    w = add(parent.w, [u[ur], u[ur + 1], u[ur + 2]]);
                    quaternion::matrix(&q[qr..qr + 4])
                }
            };
            let turned = product(&parent.turned, &relative);
            // the body's joint point: where it is, how fast, and the point it turns about
            let (origin, v, a, pivot);
            match branch.translation {
                Translation::None => {
                    (origin, v, a, pivot) = (p, parent.velocity(p), parent.bias(p), p);
                }
                Translation::Slide if !branch.reversed => {
                    let axis = apply(&parent.turned, branch.axis);
                    origin = add(p, scale(q[qt], axis));
                    v = add(parent.velocity(origin), scale(u[ut], axis));
                    a = add(parent.bias(origin), scale(2.0 * u[ut], cross(parent.w, axis)));
                    pivot = origin;
                    self.columns[ut] = Column::Slide { a: axis };
                }
                Translation::Slide => {
                    let axis = apply(&turned, branch.axis);
                    let (s, s_dot) = (q[qt], u[ut]);
                    origin = sub(p, scale(s, axis));
                    let swing = cross(w, axis);
                    v = sub(parent.velocity(p), add(scale(s_dot, axis), scale(s, swing)));
                    a = sub(
                        parent.bias(p),
                        add(scale(2.0 * s_dot, swing), scale(s, add(cross(alpha, axis), cross(w, swing)))),
                    );
                    pivot = p;
                    self.columns[ut] = Column::Slide { a: scale(-1.0, axis) };
                }
                Translation::Free => {
                    let mut x = [[0.0; 3]; 2];
                    for k in 0..qr - qt {
                        x[0][k] = q[qt + k];
                        x[1][k] = u[ut + k];
                        self.columns[ut + k] = Column::Slide { a: IDENTITY[k] };
                    }
                    (origin, v, a, pivot) = (x[0], x[1], [0.0; 3], x[0]);
                }
            }
            match branch.rotation {
                Rotation::None => {}
                Rotation::Axis => {
                    let axis = apply(&parent.turned, variables.turning_axis(branch));
                    self.columns[ur] = Column::Turn { a: axis, p: pivot };
                }
                Rotation::Ball => {
                    for k in 0..3 {
                        self.columns[ur + k] = Column::Turn { a: IDENTITY[k], p: pivot };
                    }
                }
            }
            let shift = sub(origin, apply(&turned, branch.at_body));
            self.poses[branch.body] = Pose { turned, shift, w, alpha, origin, v, a };
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
                    let parent = branch.parent.map_or(Pose::FIXED, |p| self.poses[p]);
                    let w = apply_transposed(&parent.turned, [u[ur], u[ur + 1], u[ur + 2]]);
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
