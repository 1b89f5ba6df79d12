//! Torsion springs, bushings, actuators and drag.

use super::{Axis, Formula, GROUND};

/// The coordinate that a torsion spring or an actuator acts along.
#[derive(Clone, Debug, PartialEq)]
pub enum ActsOn {
    /// A coordinate of a joint, counted from one.
    Joint {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates.
        coordinate: usize,
    },
    /// The distance of two points.
    Between([String; 2]),
    /// The angle by which the second body has turned against the first about an axis since the drawing.
    Turn {
        /// The bodies; the axis is fixed in the first.
        bodies: [String; 2],
        /// The axis; z in the plane.
        axis: Option<Axis>,
    },
}

impl ActsOn {
    /// The first coordinate of a joint.
    pub fn joint(joint: &str) -> Self {
        ActsOn::Joint { joint: joint.into(), coordinate: 1 }
    }

    /// The angle of a body against the ground; in space about an axis.
    pub fn body(body: &str, axis: Option<Axis>) -> Self {
        ActsOn::Turn { bodies: [GROUND.into(), body.into()], axis }
    }
}

/// A torsion spring with a damper in parallel. What is given adds up: a linear part, a curve, a law.
#[derive(Clone, Debug, PartialEq)]
pub struct TorsionSpring {
    /// Its name.
    pub name: String,
    /// The angle that it works on.
    pub of: ActsOn,
    /// Stiffness, N m/rad.
    pub stiffness: f64,
    /// Damping, N m s/rad.
    pub damping: f64,
    /// Angle without moment, rad; the assembled one if left out.
    pub free_angle: Option<f64>,
    /// Moment, N m, as a formula of `angle` and `rate`: positive where it makes the angle smaller.
    pub law: Option<Formula>,
    /// Name of a table of moment, N m, over the angle beyond the free one, rad.
    pub table: Option<String>,
    /// Moment that is always there, N m.
    pub preload: f64,
}

impl TorsionSpring {
    /// A torsion spring without damping.
    pub fn new(name: impl Into<String>, of: ActsOn, stiffness: f64) -> Self {
        let name = name.into();
        TorsionSpring {
            name,
            of,
            stiffness,
            damping: 0.0,
            free_angle: None,
            law: None,
            table: None,
            preload: 0.0,
        }
    }
    /// Sets the damping, N m s/rad.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the angle without moment, rad.
    pub fn free_angle(mut self, angle: f64) -> Self {
        self.free_angle = Some(angle);
        self
    }
    /// Adds a moment, N m, that is a formula of `angle` and `rate`.
    pub fn law(mut self, law: impl Into<Formula>) -> Self {
        self.law = Some(law.into());
        self
    }
    /// Adds a moment, N m, that a table gives over the angle beyond the free one, rad.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }
    /// Adds a constant moment, N m.
    pub fn preload(mut self, preload: f64) -> Self {
        self.preload = preload;
        self
    }
}

/// An elastic bearing: it resists every relative motion of two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Bushing {
    /// Its name.
    pub name: String,
    /// First and second body; displacements are measured in axes of the first.
    pub bodies: [String; 2],
    /// Its point on the first and on the second body: usually the same name twice. A body that does not list the
    /// point has its place where that is drawn.
    pub at: [String; 2],
    /// Directions of its first axis and of another one in the plane of the first two, as drawn; the world's if left out.
    pub axes: Option<[Axis; 2]>,
    /// Stiffness along the three axes, N/m, and about them, N m/rad.
    pub stiffness: [f64; 6],
    /// Damping along the three axes, N s/m, and about them, N m s/rad.
    pub damping: [f64; 6],
    /// Force, N, and moment, N m, on the second body that are always there.
    pub preload: [f64; 6],
}

impl Bushing {
    /// A bushing at a point; in the plane the stiffness is `[kx, ky, 0, 0, 0, k]`.
    pub fn new(name: impl Into<String>, bodies: [&str; 2], at: &str, stiffness: [f64; 6]) -> Self {
        Bushing {
            name: name.into(),
            bodies: bodies.map(Into::into),
            at: [at.into(), at.into()],
            axes: None,
            stiffness,
            damping: [0.0; 6],
            preload: [0.0; 6],
        }
    }
    /// Sets a point on each body.
    pub fn at(mut self, at: [&str; 2]) -> Self {
        self.at = at.map(Into::into);
        self
    }
    /// Sets the axes.
    pub fn axes(mut self, axes: [Axis; 2]) -> Self {
        self.axes = Some(axes);
        self
    }
    /// Sets the damping.
    pub fn damping(mut self, damping: [f64; 6]) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the preload.
    pub fn preload(mut self, preload: [f64; 6]) -> Self {
        self.preload = preload;
        self
    }
}

/// What an actuator does.
#[derive(Clone, Debug, PartialEq)]
pub enum ActuatorLaw {
    /// A force, N, as a formula; `q` and `v` are the coordinate and its rate.
    Force(Formula),
    /// A torque, N m, as a formula; `q` and `v` are the coordinate and its rate.
    Torque(Formula),
    /// Proportional and derivative control: stiffness · (setpoint − q) + damping · (rate_setpoint − v).
    Pd {
        /// Where the coordinate should be, m or rad.
        setpoint: Formula,
        /// How fast it should change, m/s or rad/s.
        rate_setpoint: Formula,
        /// N/m or N m/rad.
        stiffness: f64,
        /// N s/m or N m s/rad.
        damping: f64,
    },
    /// Proportional, integral and derivative control: as `Pd`, plus integral · ∫ (setpoint − q) dt. Where the actuator has a limit, the integral
    /// does not wind up: it is led back with the time constant `tracking_time`.
    Pid {
        /// Where the coordinate should be, m or rad.
        setpoint: Formula,
        /// How fast it should change, m/s or rad/s.
        rate_setpoint: Formula,
        /// N/m or N m/rad.
        stiffness: f64,
        /// N/(m s) or N m/(rad s).
        integral: f64,
        /// N s/m or N m s/rad.
        damping: f64,
        /// s; stiffness / integral if left out.
        tracking_time: Option<f64>,
    },
}

impl ActuatorLaw {
    /// A controller of the three parts of the deviation from a setpoint: itself, N/m or N m/rad, its integral, N/(m s) or N m/(rad s), and its rate, N s/m or N m s/rad.
    pub fn pid(setpoint: impl Into<Formula>, [stiffness, integral, damping]: [f64; 3]) -> Self {
        let rate_setpoint = Formula::constant(0.0);
        ActuatorLaw::Pid {
            setpoint: setpoint.into(),
            rate_setpoint,
            stiffness,
            integral,
            damping,
            tracking_time: None,
        }
    }
}

/// A motor: a force or a torque along a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// What it acts along: positive makes the coordinate larger.
    pub of: ActsOn,
    /// What it does.
    pub law: ActuatorLaw,
    /// The most that it can do, N or N m.
    pub limit: Option<f64>,
    /// Period of a sampled controller, s: what it does is computed at multiples of it and held in between.
    pub every: Option<f64>,
}

impl Actuator {
    /// An actuator without a limit.
    pub fn new(name: impl Into<String>, of: ActsOn, law: ActuatorLaw) -> Self {
        Actuator { name: name.into(), of, law, limit: None, every: None }
    }
    /// Sets the most that it can do, N or N m.
    pub fn limit(mut self, limit: f64) -> Self {
        self.limit = Some(limit);
        self
    }
    /// Samples it with a period, s.
    pub fn every(mut self, period: f64) -> Self {
        self.every = Some(period);
        self
    }
}

/// Drag: a force against the velocity of a point through the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Drag {
    /// Its name.
    pub name: String,
    /// The body.
    pub body: String,
    /// The point of the body it acts at; its centre of mass if left out.
    pub at: Option<String>,
    /// Force per square of the speed, ½ ρ c_d A, kg/m.
    pub coefficient: f64,
    /// Force per speed, N s/m.
    pub linear: f64,
    /// Velocity of the air in world axes, m/s.
    pub wind: Option<[Formula; 3]>,
}

impl Drag {
    /// Drag at the centre of mass of a body, kg/m.
    pub fn new(name: impl Into<String>, body: &str, coefficient: f64) -> Self {
        Drag { name: name.into(), body: body.into(), at: None, coefficient, linear: 0.0, wind: None }
    }
    /// Lets it act at a point of the body.
    pub fn at(mut self, point: &str) -> Self {
        self.at = Some(point.into());
        self
    }
    /// Adds a force per speed, N s/m.
    pub fn linear(mut self, linear: f64) -> Self {
        self.linear = linear;
        self
    }
    /// Sets the velocity of the air, m/s; in the plane the third component is zero.
    pub fn wind(mut self, wind: [Formula; 3]) -> Self {
        self.wind = Some(wind);
        self
    }
}
