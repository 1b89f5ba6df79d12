//! Bodies in the contact problem of a step: what impulses do to their velocities.
//!
//! A body that nothing holds answers an impulse P at the arm d with Δv = P/m, Δω = I⁻¹ (d × P). Bodies that joints hold answer through the whole mechanism: the contact
//! knows how ([`Effect`](super::Effect)), and their inverse inertia here is zero, as the ground's.

use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Mat3, Vec3, cross, dot};

/// Inertia of a body that nothing holds, at an instant.
#[derive(Clone, Copy, Debug)]
pub struct FreeBody {
    /// 1/m
    pub mass: f64,
    /// Inverse of the inertia matrix about the centre of mass, world axes.
    pub inertia: Mat3,
}

/// What contacts have added to the velocity of a body, and what an impulse adds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    v: Vec3,
    w: Vec3,
    /// 1/m, and I⁻¹ in world axes; zero for what joints hold, and the ground.
    mass: f64,
    inertia: Mat3,
}

impl Moved {
    /// A body at rest.
    pub fn new(free: Option<FreeBody>) -> Self {
        match free {
            Some(FreeBody { mass, inertia }) => Moved { mass, inertia, ..Moved::default() },
            None => Moved::default(),
        }
    }

    /// Whether nothing holds it.
    pub fn is_free(&self) -> bool {
        self.mass > 0.0
    }

    /// Forgets what has been added.
    pub fn rest(&mut self) {
        (self.v, self.w) = ([0.0; 3], [0.0; 3]);
    }

    /// What has been added, linear and angular.
    #[inline]
    pub fn added(&self) -> [Vec3; 2] {
        [self.v, self.w]
    }

    /// Sets what has been added.
    #[inline]
    pub fn set(&mut self, [v, w]: [Vec3; 2]) {
        (self.v, self.w) = (v, w);
    }

    /// What has been added to the velocity of a point at an arm.
    #[inline]
    pub fn velocity(&self, arm: Vec3) -> Vec3 {
        let turn = cross(self.w, arm);
        [self.v[0] + turn[0], self.v[1] + turn[1], self.v[2] + turn[2]]
    }

    /// What an impulse at an arm does.
    pub fn answer(&self, impulse: Vec3, arm: Vec3) -> Twist {
        let mut body = Moved { v: [0.0; 3], w: [0.0; 3], ..*self };
        body.push(impulse, arm, 1.0);
        Twist { v: body.v, w: body.w }
    }

    /// M: the mass, and the inertia matrix about the centre of mass; in the plane that about its normal.
    pub fn mass_matrix(&self, planar: bool) -> [[f64; 6]; 6] {
        let mut m = [[0.0; 6]; 6];
        (0..3).for_each(|i| m[i][i] = 1.0 / self.mass);
        let i = &self.inertia;
        if planar {
            m[5][5] = 1.0 / i[2][2];
            return m;
        }
        let columns = [cross(i[1], i[2]), cross(i[2], i[0]), cross(i[0], i[1])];
        let determinant = dot(i[0], columns[0]);
        for row in 0..3 {
            for column in 0..3 {
                m[3 + row][3 + column] = columns[column][row] / determinant;
            }
        }
        m
    }

    /// Adds what an impulse at an arm does, times `sign`.
    #[inline]
    pub fn push(&mut self, impulse: Vec3, arm: Vec3, sign: f64) {
        let moment = cross(arm, impulse);
        let mass = sign * self.mass;
        for i in 0..3 {
            let row = &self.inertia[i];
            self.v[i] += mass * impulse[i];
            self.w[i] += sign * (row[0] * moment[0] + row[1] * moment[1] + row[2] * moment[2]);
        }
    }

    /// Adds s times a twist.
    #[inline]
    pub fn add(&mut self, s: f64, twist: &Twist) {
        for i in 0..3 {
            self.v[i] += s * twist.v[i];
            self.w[i] += s * twist.w[i];
        }
    }
}
