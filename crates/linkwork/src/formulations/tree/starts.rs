//! Where the assembly put the bodies, and how fast.

use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, axpy, cross, sub};
use crate::mechanism::{BodyIndex, Mechanism};

/// A body at the start.
#[derive(Clone, Copy, Debug)]
pub struct BodyStart {
    /// Rotation since the drawing.
    pub turned: Mat3,
    /// Angular velocity.
    pub w: Vec3,
    com: Vec3,
    at_com: Vec3,
    v_com: Vec3,
}

impl BodyStart {
    const GROUND: BodyStart =
        BodyStart { turned: IDENTITY, w: [0.0; 3], com: [0.0; 3], at_com: [0.0; 3], v_com: [0.0; 3] };

    /// Where a place as drawn stands.
    pub fn place(&self, x: Vec3) -> Vec3 {
        add(self.com, apply(&self.turned, sub(x, self.at_com)))
    }

    /// Its velocity.
    pub fn speed(&self, x: Vec3) -> Vec3 {
        add(self.v_com, cross(self.w, apply(&self.turned, sub(x, self.at_com))))
    }
}

/// All bodies at the start.
pub struct BodyStarts<'m> {
    mechanism: &'m Mechanism,
    r: Vec<Vec3>,
    v: Vec<Vec3>,
}

impl<'m> BodyStarts<'m> {
    /// From the start position and velocity of the mechanism.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let nodes = mechanism.maps.len();
        let (mut r, mut v) = (vec![[0.0; 3]; nodes], vec![[0.0; 3]; nodes]);
        mechanism.maps.positions(&mechanism.start_positions, &mut r);
        mechanism.maps.rates(&mechanism.start_velocities, &mut v);
        BodyStarts { mechanism, r, v }
    }

    /// One of them, or the ground.
    pub fn of(&self, body: BodyIndex) -> BodyStart {
        let Some(b) = body else { return BodyStart::GROUND };
        let body = &self.mechanism.bodies[b];
        let now: Vec<Vec3> = body.nodes.iter().map(|&n| self.r[n]).collect();
        let rate: Vec<Vec3> = body.nodes.iter().map(|&n| self.v[n]).collect();
        let p = &body.particles;
        let weights = p.weights(p.properties.com);
        let mix = |x: &[Vec3]| weights.iter().zip(x).fold([0.0; 3], |s, (&w, &x)| axpy(s, w, x));
        BodyStart {
            turned: p.rotation(&now),
            com: mix(&now),
            at_com: p.properties.com,
            v_com: mix(&rate),
            w: p.angular_velocity(&now, &rate),
        }
    }
}
