//! Springs, dampers, friction, stops and inertia within joints.

use super::{Dimension, Joint, JointKind};

/// What acts along one coordinate of a joint. Units are those of the coordinate: N, m or N m, rad.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointForces {
    /// Force per path.
    pub stiffness: f64,
    /// Force per rate.
    pub damping: f64,
    /// The coordinate without force of the spring; the assembled one if left out.
    pub rest: Option<f64>,
    /// A constant force that makes the coordinate smaller.
    pub preload: f64,
    /// Coulomb friction.
    pub friction: f64,
    /// Inertia along the coordinate, kg m² or kg: ½ J q̇² more kinetic energy. A motor's rotor behind a gear of ratio N has J = N² times its own.
    pub inertia: f64,
    /// Rate over which friction is smoothed; if left out 1e-3 rad/s, or 1e-3 of the size of the mechanism per second.
    pub friction_speed: Option<f64>,
    /// Least and largest value; infinite where there is no stop.
    pub limits: Option<[f64; 2]>,
    /// Force per path beyond a limit.
    pub limit_stiffness: f64,
    /// Force per rate beyond a limit, as long as the stop pushes.
    pub limit_damping: f64,
}

impl JointForces {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == JointForces { rest: self.rest, friction_speed: self.friction_speed, ..Default::default() }
    }
}

impl Joint {
    /// Adds forces along the next coordinate: first along the first.
    pub fn forces(mut self, forces: JointForces) -> Self {
        self.forces.push(forces);
        self
    }
}

impl JointKind {
    /// Its coordinates along which forces can be given, in their order: whether each is an angle. A thin body in space may have fewer.
    pub fn coordinates(self, dimension: Dimension) -> Vec<bool> {
        let all = self.freedom(dimension == Dimension::Planar).coordinates;
        all.iter().filter(|_| self.descriptor().forces).map(|c| c.turns()).collect()
    }
}
