//! Rigid motion: pose, twist and wrench. Everything is expressed in world axes.
//!
//!   (S1)  r = c + R s              pose: where a point at s stands
//!   (S2)  ṙ = v + ω × d            twist: velocity of a point at d from where v is taken
//!   (S3)  n_p = n_o − p × f        wrench: moment about the point p and about the origin o
//!
//! Accelerations with no rate changing are twists, too: v is then m/s², ω rad/s². The recursion over lanes
//! ([`recursive`](crate::recursive)) has types of its own, generic in the number of lanes.

use super::vec3::{IDENTITY, Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, scale, sub};

/// Position and rotation of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// c: where the point s = 0 stands, m.
    pub c: Vec3,
    /// R: rotation since the drawing.
    pub turned: Mat3,
}

impl Pose {
    /// The ground.
    pub const FIXED: Pose = Pose { c: [0.0; 3], turned: IDENTITY };

    /// (S1)
    #[inline]
    pub fn place(&self, s: Vec3) -> Vec3 {
        add(apply(&self.turned, s), self.c)
    }
}

impl Default for Pose {
    fn default() -> Self {
        Pose::FIXED
    }
}

/// a b
#[inline]
pub fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| apply_transposed(b, a[i]))
}

/// aᵀ b: rotation of b as seen in the axes of a.
pub fn relative_rotation(a: &Mat3, b: &Mat3) -> Mat3 {
    transposed(&std::array::from_fn(|k| apply_transposed(a, apply(b, IDENTITY[k]))))
}

/// Aᵀ
#[inline]
pub fn transposed(a: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// Velocity of a rigid body, or an acceleration: of one point of it, and of its turning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// m/s, or m/s².
    pub v: Vec3,
    /// rad/s, or rad/s².
    pub w: Vec3,
}

impl Twist {
    /// (S2)
    #[inline]
    pub fn velocity(&self, d: Vec3) -> Vec3 {
        add(self.v, cross(self.w, d))
    }

    /// self + s other, of the same point.
    #[inline]
    pub fn add(self, s: f64, other: &Twist) -> Self {
        Twist { v: axpy(self.v, s, other.v), w: axpy(self.w, s, other.w) }
    }
}

/// Force and moment on a rigid body, or their impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// N, or N s.
    pub force: Vec3,
    /// N m, or N m s.
    pub moment: Vec3,
}

impl Wrench {
    /// A force at d from the point about which moments are taken.
    #[inline]
    pub fn at(d: Vec3, force: Vec3) -> Self {
        Wrench { force, moment: cross(d, force) }
    }

    /// (S3): the same about a point p, given with the moment about the origin.
    #[inline]
    pub fn about(self, p: Vec3) -> Self {
        Wrench { force: self.force, moment: sub(self.moment, cross(p, self.force)) }
    }

    /// (S3): the same with the moment about the origin, given with that about a point p.
    #[inline]
    pub fn about_origin(self, p: Vec3) -> Self {
        Wrench { force: self.force, moment: add(cross(p, self.force), self.moment) }
    }

    /// The sum, about the same point.
    #[inline]
    pub fn plus(self, other: Wrench) -> Self {
        Wrench { force: add(self.force, other.force), moment: add(self.moment, other.moment) }
    }

    /// So many times it.
    #[inline]
    pub fn times(self, factor: f64) -> Self {
        Wrench { force: scale(factor, self.force), moment: scale(factor, self.moment) }
    }

    /// Its power, for a twist at the same point.
    #[inline]
    pub fn power(&self, twist: &Twist) -> f64 {
        dot(self.force, twist.v) + dot(self.moment, twist.w)
    }

    /// The opposite.
    #[inline]
    pub fn negative(self) -> Self {
        self.times(-1.0)
    }
}

crate::keep::keep!(Wrench { force, moment });
crate::keep::keep!(Twist { v, w });
