//! What a reader makes of a file: links, joints and what acts on them, in the terms that robot formats share.
//!
//! **Conventions.** SI units and radians throughout. The *zero pose* is the one in which all joint coordinates are zero; readers place all links and joints
//! there, in world axes. The joints need not form a tree: a link may have any number of joints, and a loop is a joint like the others. Joint coordinates are
//! counted from the zero pose, and a positive one moves the second link against the first along or about [`Joint::axis`].
//!
//! A reader fills a [`Robot`] and leaves to the others what all formats need: [`Robot::merge_fixed`] joins links that a fixed joint holds together,
//! [`toml`](crate::write::toml) writes the model file.

use nalgebra::{Matrix3, Vector3};

use crate::fault::Place;
use crate::pose::Pose;

/// Standard gravity of Linkwork's `gravity = "-z"`, m/s².
pub const GRAVITY: f64 = 9.81;

/// Most links, and most joints, of a robot.
pub const MAX_ITEMS: usize = 10_000;

/// The fault of a robot beyond [`MAX_ITEMS`].
pub(crate) fn too_many(place: &Place, links: usize, joints: usize) -> Option<crate::Fault> {
    let message = format!("{links} links and {joints} joints; at most {MAX_ITEMS} of each are read");
    (links.max(joints) > MAX_ITEMS).then(|| crate::Fault::new(place.clone(), "", message))
}

/// A mechanism as a file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    /// Name of the model.
    pub name: String,
    /// What it was read from, for the first line of the model file: `URDF`, `SDF 1.7`, `MJCF`.
    pub format: String,
    /// Where the robot begins in its file.
    pub place: Place,
    /// Acceleration of free fall, world axes, m/s².
    pub gravity: Vector3<f64>,
    /// Bodies. Those that are fixed to the world have [`Link::fixed`].
    pub links: Vec<Link>,
    /// Joints between them, those that close loops included.
    pub joints: Vec<Joint>,
    /// Demands on joint coordinates: mimic, gearboxes, equality of joints.
    pub couplings: Vec<Coupling>,
    /// Motors; each becomes an input and an actuator.
    pub actuators: Vec<Actuator>,
    /// Sums of joint coordinates along which springs, dampers and motors act.
    pub tendons: Vec<Tendon>,
    /// Elastic ropes through points.
    pub cables: Vec<Cable>,
    /// What is measured; each becomes a measure.
    pub sensors: Vec<Sensor>,
    /// Points with a name that are on no joint: sites.
    pub points: Vec<NamedPoint>,
    /// Where the motion begins, if not at the zero pose and at rest.
    pub initial: Vec<Initial>,
    /// How free links move at first.
    pub initial_motions: Vec<InitialMotion>,
    /// Motions that are prescribed.
    pub drivers: Vec<Driver>,
    /// Duration of a run and time between its results, s.
    pub duration: Option<[f64; 2]>,
    /// Surfaces that do not touch although they could: pairs of links. Links with a joint between them never touch.
    pub no_contact: Vec<[usize; 2]>,
    /// How two coefficients of friction make one.
    pub friction: FrictionRule,
}

impl Robot {
    /// A robot of which nothing is known yet, on the earth.
    pub fn new(name: String, format: String, place: Place) -> Self {
        Robot {
            name,
            format,
            place,
            gravity: Vector3::new(0.0, 0.0, -GRAVITY),
            links: Vec::new(),
            joints: Vec::new(),
            couplings: Vec::new(),
            actuators: Vec::new(),
            tendons: Vec::new(),
            cables: Vec::new(),
            sensors: Vec::new(),
            points: Vec::new(),
            initial: Vec::new(),
            initial_motions: Vec::new(),
            drivers: Vec::new(),
            duration: None,
            no_contact: Vec::new(),
            friction: FrictionRule::default(),
        }
    }
}

/// How friction between two shapes follows from that of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionRule {
    /// The larger coefficient counts, as in MuJoCo; else the smaller one, as in Gazebo.
    pub larger: bool,
    /// That of a shape that says nothing.
    pub default: f64,
    /// Whether shapes of the ground meet those of bodies that a joint holds on it, as in MuJoCo.
    pub ground_meets_jointed: bool,
}

impl Default for FrictionRule {
    fn default() -> Self {
        FrictionRule { larger: false, default: 1.0, ground_meets_jointed: false }
    }
}

/// An end of a joint: a link by its number in [`Robot::links`], or the world.
pub type End = Option<usize>;

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name, unique among the links.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Its frame at the zero pose, in the world.
    pub pose: Pose,
    /// kg; zero is allowed where joints let it move only with what has mass.
    pub mass: f64,
    /// Centre of mass in the link's frame, m.
    pub com: Vector3<f64>,
    /// About the centre of mass, along the link's axes, kg m²: entries of the matrix, so that xy is minus the integral of x y dm. Zero for a particle.
    pub inertia: Matrix3<f64>,
    /// Whether it stands still in the world.
    pub fixed: bool,
    /// What it looks like and where it touches.
    pub shapes: Vec<Shape>,
    /// Links that were merged into it, for the comment behind it.
    pub merged: Vec<String>,
}

/// A joint between two links, or a link and the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, unique among the joints.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// What it leaves free.
    pub kind: JointKind,
    /// First link: the one that carries the axis.
    pub first: End,
    /// Second link: the one that positive coordinates move.
    pub second: End,
    /// Its place on the first link at the zero pose, world axes, m.
    pub origin: Vector3<f64>,
    /// Its place on the second link, if that is another one at the zero pose: loops that are not closed as drawn, and distances.
    pub origin_on_second: Option<Vector3<f64>>,
    /// Axis, or normal of a plane, at the zero pose: a unit vector in world axes. Any direction for kinds without an axis.
    pub axis: Vector3<f64>,
    /// Of a fixed joint: it stays a joint and [`Robot::merge_fixed`] leaves it, as a weld that closes a loop or has a reaction that somebody reads.
    pub keep: bool,
    /// What acts along its coordinates, in the order of [`JointKind::coordinates`]; may be shorter.
    pub coordinates: Vec<Coordinate>,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// A turn about the axis.
    Revolute,
    /// A path along the axis.
    Prismatic,
    /// Path along the axis, then turn about it.
    Cylindrical,
    /// Turns about the axis of the first and a second axis of the second link (a unit vector at the zero pose, world axes, square to the first).
    Universal {
        /// The second axis.
        axis2: Vector3<f64>,
    },
    /// Bending in any direction: both links turn alike about the axis of the first and a second axis of the second link (a unit vector at the zero pose, world axes).
    ConstantVelocity {
        /// The second axis.
        axis2: Vector3<f64>,
    },
    /// All turns.
    Spherical,
    /// Paths in a plane with the axis as its normal, and the turn about it.
    Planar,
    /// A turn about the axis that advances along it.
    Screw {
        /// Path per turn, m: positive for a right-handed thread.
        pitch: f64,
    },
    /// Nothing. [`Robot::merge_fixed`] makes one link of two.
    Fixed,
    /// Everything: the second link is free. It says only that there is no joint.
    Floating,
    /// Everything but the distance of the two places, m.
    Distance {
        /// The distance.
        length: f64,
    },
    /// A point of the second link stays in the plane through the origin with the axis as its normal; all turns.
    PointOnPlane,
    /// A point of the second link stays on the line through the origin along the axis; all turns.
    PointOnLine,
}

impl JointKind {
    /// The type's name in a model file.
    pub fn word(self) -> &'static str {
        match self {
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Universal { .. } => "universal",
            JointKind::ConstantVelocity { .. } => "constant-velocity",
            JointKind::Spherical => "spherical",
            JointKind::Planar => "planar",
            JointKind::Screw { .. } => "screw",
            JointKind::Fixed => "fixed",
            JointKind::Floating => "floating",
            JointKind::Distance { .. } => "distance",
            JointKind::PointOnPlane => "point-on-plane",
            JointKind::PointOnLine => "point-on-line",
        }
    }

    /// Units of its coordinates, in the order in which Linkwork counts them: `"rad"` or `"m"`. Empty where nothing acts along coordinates.
    pub fn coordinates(self) -> &'static [&'static str] {
        match self {
            JointKind::Revolute | JointKind::Screw { .. } => &["rad"],
            JointKind::Prismatic => &["m"],
            JointKind::Cylindrical => &["m", "rad"],
            JointKind::Universal { .. } => &["rad", "rad"],
            JointKind::Planar => &["m", "m", "rad"],
            _ => &[],
        }
    }

    /// How many degrees of freedom it leaves between two links.
    pub fn freedoms(self) -> usize {
        match self {
            JointKind::Revolute | JointKind::Prismatic | JointKind::Screw { .. } => 1,
            JointKind::Cylindrical | JointKind::Universal { .. } | JointKind::ConstantVelocity { .. } => 2,
            JointKind::Spherical | JointKind::Planar => 3,
            JointKind::Fixed => 0,
            JointKind::Floating => 6,
            JointKind::Distance { .. } | JointKind::PointOnPlane => 5,
            JointKind::PointOnLine => 4,
        }
    }

    /// How many coordinates say where the second link is; zero if they do not say it all.
    pub fn pose(self) -> usize {
        match self {
            JointKind::Distance { .. } | JointKind::PointOnPlane | JointKind::PointOnLine => 0,
            kind => kind.freedoms(),
        }
    }

    /// Whether an axis says more about it.
    pub fn has_axis(self) -> bool {
        !matches!(
            self,
            JointKind::Spherical | JointKind::Fixed | JointKind::Floating | JointKind::Distance { .. }
        )
    }

    /// Whether its two places may part: then each link has a point of its own.
    pub fn slides(self) -> bool {
        matches!(
            self,
            JointKind::Prismatic
                | JointKind::Cylindrical
                | JointKind::Planar
                | JointKind::Screw { .. }
                | JointKind::Floating
                | JointKind::Distance { .. }
                | JointKind::PointOnPlane
                | JointKind::PointOnLine
        )
    }
}

/// What acts along a coordinate of a joint. Zero, `None` or infinite: nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// Least and largest coordinate, rad or m; infinite where there is no stop.
    pub limits: [f64; 2],
    /// How the stops give way; `None`: hard stops without rebound.
    pub stop: Option<Stop>,
    /// N m s/rad or N s/m.
    pub damping: f64,
    /// Coulomb friction, N m or N.
    pub friction: f64,
    /// Spring, N m/rad or N/m.
    pub stiffness: f64,
    /// Where the spring has no force, rad or m.
    pub rest: f64,
    /// Inertia along the coordinate (rotor behind its gear), kg m² or kg.
    pub armature: f64,
}

impl Default for Coordinate {
    fn default() -> Self {
        Coordinate {
            limits: [f64::NEG_INFINITY, f64::INFINITY],
            stop: None,
            damping: 0.0,
            friction: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            armature: 0.0,
        }
    }
}

/// A stop that gives way like a spring with a damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// N m/rad or N/m, more than zero.
    pub stiffness: f64,
    /// N m s/rad or N s/m.
    pub damping: f64,
}

/// Σ factor · coordinate stays as it is at the zero pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name, unique among the couplings.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Joint by its number in [`Robot::joints`], coordinate counted from zero, and factor (not zero): at least two.
    pub terms: Vec<(usize, usize, f64)>,
}

/// What a motor does along a coordinate or a length L: with u, its input or the state that follows it,
///
///   F = (gain₀ + gain₁ L + gain₂ L̇) u + bias₀ + bias₁ L + bias₂ L̇,
///
/// cut to the limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// What one unit of the input does: constant, by the length, and by its rate.
    pub gain: [f64; 3],
    /// What it does without an input, likewise.
    pub bias: [f64; 3],
    /// Least and largest input; infinite where there is none.
    pub control_limits: [f64; 2],
    /// Least and largest force, N m or N; infinite where there is none.
    pub force_limits: [f64; 2],
    /// Unit of the input: `"N m"`, `"rad"`, `"rad/s"`; empty for a plain number.
    pub unit: &'static str,
    /// The input at first.
    pub default: f64,
    /// The state that follows the input, if it does not act at once.
    pub activation: Option<Activation>,
}

impl Default for Drive {
    fn default() -> Self {
        Drive {
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            control_limits: [f64::NEG_INFINITY, f64::INFINITY],
            force_limits: [f64::NEG_INFINITY, f64::INFINITY],
            unit: "",
            default: 0.0,
            activation: None,
        }
    }
}

/// A state a that follows an input u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    /// ȧ = (u − a) / τ with this time constant, s; `None`: ȧ = u.
    pub time: Option<f64>,
    /// Least and largest state; infinite where there is none.
    pub limits: [f64; 2],
    /// The state at first.
    pub initial: f64,
}

/// A motor on a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Its name, unique among the actuators: also that of its input.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Joint by its number.
    pub joint: usize,
    /// Coordinate of the joint, counted from zero.
    pub coordinate: usize,
    /// What it does along the coordinate.
    pub drive: Drive,
}

/// A sum of joint coordinates, L = length + Σ factor · coordinate, along which a force acts: each joint takes factor times it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Its name, unique among the tendons.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Joint by its number, coordinate counted from zero, and factor (not zero): at least one.
    pub terms: Vec<(usize, usize, f64)>,
    /// L at the zero pose.
    pub length: f64,
    /// Force of a spring per change of L.
    pub stiffness: f64,
    /// Force of a damper per rate of L.
    pub damping: f64,
    /// Between these lengths the spring has no force.
    pub rest: [f64; 2],
    /// Motors along it.
    pub drives: Vec<TendonDrive>,
}

/// A motor on a tendon or cable.
#[derive(Clone, Debug, PartialEq)]
pub struct TendonDrive {
    /// Its name, unique among the actuators: also that of its input.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// What it does along the length: positive forces lengthen it.
    pub drive: Drive,
}

/// An elastic rope through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Its name, unique among the cables.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// From end to end: name of a point, its link, and where it is at the zero pose, world axes, m.
    pub through: Vec<(String, End, Vector3<f64>)>,
    /// N/m.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// Length without force, m.
    pub free_length: f64,
    /// Whether it goes slack.
    pub tension_only: bool,
    /// Motors along it.
    pub drives: Vec<TendonDrive>,
}

/// A point of a link, or of the world, that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPoint {
    /// Its name, unique among these points.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// What it moves with.
    pub link: End,
    /// Where it is at the zero pose, world axes, m.
    pub at: Vector3<f64>,
}

/// A quantity that a sensor of the file measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name, unique among the sensors.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// What it measures.
    pub quantity: Quantity,
}

/// What can be measured, and becomes an expression of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A coordinate of a joint, counted from zero, and what is added to it.
    Coordinate {
        /// Joint by its number.
        joint: usize,
        /// Coordinate.
        coordinate: usize,
        /// What the file counts at the zero pose.
        offset: f64,
    },
    /// Its rate.
    Rate {
        /// Joint by its number.
        joint: usize,
        /// Coordinate.
        coordinate: usize,
    },
    /// A component (0, 1, 2) of what a point of a link does, world axes.
    Point {
        /// Which of its quantities.
        what: Kinematic,
        /// Link by its number.
        link: usize,
        /// The point at the zero pose, world axes, m.
        at: Vector3<f64>,
        /// Component.
        component: usize,
    },
    /// The same along an axis that is fixed in the link.
    Along {
        /// Which of its quantities; accelerations less gravity, as an accelerometer has them.
        what: Kinematic,
        /// Link by its number.
        link: usize,
        /// The point at the zero pose, world axes, m.
        at: Vector3<f64>,
        /// The axis at the zero pose, world axes, unit length.
        axis: Vector3<f64>,
    },
    /// A component of the direction of such an axis, world axes.
    Direction {
        /// Link by its number.
        link: usize,
        /// The point at the zero pose, world axes, m.
        at: Vector3<f64>,
        /// The axis at the zero pose, world axes, unit length.
        axis: Vector3<f64>,
        /// Component.
        component: usize,
    },
    /// Force or torque of an actuator by its number, divided by its gear.
    ActuatorForce {
        /// Actuator.
        actuator: usize,
        /// Gear.
        gear: f64,
    },
    /// The coordinate of an actuator times its gear, or the rate of that.
    ActuatorLength {
        /// Actuator.
        actuator: usize,
        /// Gear.
        gear: f64,
        /// What the file counts at the zero pose; `None`: the rate.
        offset: Option<f64>,
    },
    /// Length of a tendon, or its rate.
    Tendon {
        /// Tendon by its number.
        tendon: usize,
        /// Whether the rate is measured.
        rate: bool,
    },
    /// A component of the force (0, 1, 2) or moment (3, 4, 5) of a joint on its second link, world axes.
    Reaction {
        /// Joint by its number.
        joint: usize,
        /// Component.
        component: usize,
    },
    /// The time, s.
    Time,
}

/// What a point of a link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinematic {
    /// Where it is, m.
    Position,
    /// m/s.
    Velocity,
    /// m/s².
    Acceleration,
    /// Of the link, rad/s.
    AngularVelocity,
}

/// An initial coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// Joint by its number.
    pub joint: usize,
    /// Coordinate, counted from zero.
    pub coordinate: usize,
    /// Its value, rad or m.
    pub q: f64,
    /// Its rate, rad/s or m/s.
    pub v: f64,
}

/// How a link moves at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialMotion {
    /// Link by its number.
    pub link: usize,
    /// A place of the link at the zero pose, world axes, m.
    pub at: Vector3<f64>,
    /// The velocity of that place, world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular: Vector3<f64>,
}

/// A coordinate that follows a function of time: q = value − drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Driver {
    /// Its name, unique among the drivers.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Joint by its number.
    pub joint: usize,
    /// Coordinate, counted from zero.
    pub coordinate: usize,
    /// A formula of `t`, rad or m.
    pub value: String,
    /// What the formula counts at the zero pose, rad or m.
    pub drawn: f64,
}

/// A shape of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its name; may be empty.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Seen, touched, or both.
    pub role: Role,
    /// What it is.
    pub geometry: Geometry,
    /// Its frame in the frame of the link.
    pub pose: Pose,
    /// Red, green, blue, opacity, 0 to 1.
    pub colour: Option<[f64; 4]>,
    /// Coefficient of friction.
    pub friction: Option<f64>,
    /// Whether it has friction only if what it touches has, as MuJoCo's `condim = 1`.
    pub smooth: bool,
    /// What it is, and what it touches, bit by bit: two shapes touch if what one of them is the other one touches.
    pub bits: [u32; 2],
}

/// What a shape is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is seen.
    Visual,
    /// It touches others.
    Collision,
    /// Both, as MJCF's geoms do.
    Both,
}

/// Form of a shape, along the axes of its frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A half space with its surface through the origin; z points out of it.
    Plane,
    /// About the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// About the origin.
    Box {
        /// Edges, m.
        size: Vector3<f64>,
    },
    /// Along z, the origin in the middle.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Length, m.
        length: f64,
    },
    /// A cylinder along z with half a sphere on both ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Length between the centres of the half spheres, m.
        length: f64,
    },
    /// About the origin.
    Ellipsoid {
        /// Half axes, m.
        radii: Vector3<f64>,
    },
    /// Triangles from a file.
    Mesh {
        /// The file: an existing one within the folders that may be read.
        file: std::path::PathBuf,
        /// Factors along x, y, z.
        scale: Vector3<f64>,
        /// Whether its own colours count, where it has any, rather than that of the shape.
        own_colours: bool,
    },
}

/// A colour as `#rrggbb`.
pub(crate) fn colour_text(colour: [f64; 4]) -> String {
    let part = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let [red, green, blue] = [part(colour[0]), part(colour[1]), part(colour[2])];
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl Link {
    /// The colour of the first of its shapes that is seen and has one, as `#rrggbb`.
    pub fn colour(&self) -> Option<String> {
        let mut seen = self.shapes.iter().filter(|shape| shape.role != Role::Collision);
        seen.find_map(|shape| shape.colour).map(colour_text)
    }

    /// A link without mass and shapes.
    pub fn new(name: impl Into<String>, place: Place, pose: Pose) -> Self {
        Link {
            name: name.into(),
            place,
            pose,
            mass: 0.0,
            com: Vector3::zeros(),
            inertia: Matrix3::zeros(),
            fixed: false,
            shapes: Vec::new(),
            merged: Vec::new(),
        }
    }

    /// Centre of mass at the zero pose, world axes, m.
    pub fn world_com(&self) -> Vector3<f64> {
        self.pose.point(self.com)
    }

    /// Inertia about the centre of mass, world axes at the zero pose, kg m².
    pub fn world_inertia(&self) -> Matrix3<f64> {
        self.pose.inertia(self.inertia)
    }

    /// Takes over mass, shapes and names of another link that does not move against this one.
    pub fn absorb(&mut self, other: Link) {
        let there = self.pose.inverse().then(&other.pose); // the other frame in this one
        let com_b = there.point(other.com);
        let inertia_b = there.inertia(other.inertia);
        let mass = self.mass + other.mass;
        self.inertia += inertia_b;
        if mass > 0.0 {
            let com = (self.com * self.mass + com_b * other.mass) / mass;
            self.inertia += about(self.mass, self.com - com) + about(other.mass, com_b - com);
            self.com = com;
        }
        self.mass = mass;
        self.shapes.extend(other.shapes.into_iter().map(|shape| {
            let name = if shape.name.is_empty() { other.name.clone() } else { shape.name };
            Shape { name, pose: there.then(&shape.pose), ..shape }
        }));
        self.merged.push(other.name);
        self.merged.extend(other.merged);
    }
}

/// Inertia of a point mass at a distance: m (d·d 1 − d dᵀ).
pub fn about(mass: f64, d: Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * d.dot(&d) - d * d.transpose()) * mass
}

/// What is wrong with an inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impossible {
    /// The least principal moment is negative, kg m².
    Indefinite(f64),
    /// The principal moments, ascending, break the triangle inequality, kg m².
    Triangle([f64; 3]),
}

/// Moments below this are zero: what is left of them are roundings, kg m².
const NO_INERTIA: f64 = 1e-15;

/// An inertia that a body can have, and what was wrong with the given one.
///
/// With Σ = ½ tr(I) 1 − I, the second moments of the mass, a body needs Σ ≥ 0; negative principal values of Σ become zero, which is the nearest one in the
/// Frobenius norm of Σ. Within the room of the digits of a file nothing is noted.
pub fn possible_inertia(inertia: &Matrix3<f64>) -> (Matrix3<f64>, Option<Impossible>) {
    let eigen = nalgebra::SymmetricEigen::new(*inertia);
    let mut moments = [eigen.eigenvalues[0], eigen.eigenvalues[1], eigen.eigenvalues[2]];
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments;
    if c.max(-a) <= NO_INERTIA {
        return (Matrix3::zeros(), None);
    }
    // the engine's own check allows for less than the digits of files give
    let (noted, silent) = (1e-6 * c.abs(), 1e-12 * c.abs());
    if a + b >= c + silent.min(0.0) && a >= 0.0 && a + b - c >= -silent {
        return (*inertia, None);
    }
    let half = 0.5 * eigen.eigenvalues.sum();
    let second = eigen.eigenvalues.map(|moment| (half - moment).max(0.0));
    let moments = Matrix3::from_diagonal(&second.map(|value| second.sum() - value));
    let turned = eigen.eigenvectors * moments * eigen.eigenvectors.transpose();
    let possible = (turned + turned.transpose()) * 0.5;
    let what = match a < -noted {
        true => Some(Impossible::Indefinite(a)),
        false if a + b < c - noted => Some(Impossible::Triangle([a, b, c])),
        false => None,
    };
    (possible, what)
}
