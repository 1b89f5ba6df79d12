//! Thrusters: jets that push a body, and may take mass from it.

use super::{Axis, Formula};

/// Which way a thruster pushes.
#[derive(Clone, Debug, PartialEq)]
pub enum ThrustDirection {
    /// A direction of the world.
    World(Axis),
    /// A direction as drawn that turns with the body.
    Body(Axis),
    /// Along the velocity of the point where it acts.
    Velocity {
        /// The direction at rest.
        launch: Axis,
        /// Up to this speed the direction goes over from `launch` to that of the velocity, m/s; 0 where only rest itself counts.
        launch_speed: f64,
    },
}

/// How large the thrust is.
#[derive(Clone, Debug, PartialEq)]
pub enum Thrust {
    /// As a formula of the time `t` of the run says, N.
    Given {
        /// N
        thrust: Formula,
        /// It ends so long after its start, s; never if left out.
        burn_time: Option<f64>,
    },
    /// Constant.
    Constant {
        /// In all, N s.
        impulse: f64,
        /// s
        burn_time: f64,
    },
    /// In proportion to a table over the time since the start.
    Curve {
        /// In all, N s.
        impulse: f64,
        /// Name of the table.
        curve: String,
    },
}

/// What a thruster takes from the mass of its body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Propellant {
    /// Nothing.
    #[default]
    None,
    /// So much in all, kg, in proportion to the impulse.
    Mass(f64),
    /// Thrust per mass flow, m/s.
    ExhaustVelocity(f64),
}

/// A thruster.
#[derive(Clone, Debug, PartialEq)]
pub struct Thruster {
    /// Its name.
    pub name: String,
    /// The body.
    pub body: String,
    /// The point of the body it acts at; its centre of mass if left out.
    pub at: Option<String>,
    /// Which way it pushes.
    pub direction: ThrustDirection,
    /// How much.
    pub thrust: Thrust,
    /// When it starts, s.
    pub start: f64,
    /// What is left of the thrust; the mass flow is not less for it.
    pub efficiency: f64,
    /// What it takes from the mass of the body.
    pub propellant: Propellant,
}

impl Thruster {
    /// A thruster at the centre of mass of a body that starts at once and takes no mass.
    pub fn new(name: impl Into<String>, body: &str, direction: ThrustDirection, thrust: Thrust) -> Self {
        Thruster {
            name: name.into(),
            body: body.into(),
            at: None,
            direction,
            thrust,
            start: 0.0,
            efficiency: 1.0,
            propellant: Propellant::None,
        }
    }
    /// Lets it act at a point of the body.
    pub fn at(mut self, point: &str) -> Self {
        self.at = Some(point.into());
        self
    }
    /// Sets when it starts, s.
    pub fn start(mut self, start: f64) -> Self {
        self.start = start;
        self
    }
    /// Sets what is left of the thrust.
    pub fn efficiency(mut self, efficiency: f64) -> Self {
        self.efficiency = efficiency;
        self
    }
    /// Sets what it takes from the mass of the body.
    pub fn propellant(mut self, propellant: Propellant) -> Self {
        self.propellant = propellant;
        self
    }
}
