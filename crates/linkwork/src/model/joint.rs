//! Joints that are more than a point shared by two bodies.

use super::ImpactLimit;

/// What a joint lets its bodies do relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turn about one axis (in the plane: about the point).
    Revolute,
    /// Space only: turn freely about the point.
    Spherical,
    /// Slide along the axis without turning.
    Prismatic,
    /// Space only: slide along the axis and turn about it.
    Cylindrical,
    /// The point of the second body slides along a line of the first and may turn; in the plane
    /// this is a pin in a slot.
    PointOnLine,
    /// Nothing: the bodies move as one.
    Fixed,
    /// Space only: turn about two axes through the point, one fixed in each body and square to each other.
    Universal,
    /// Space only: slide in a plane of the first body and turn about its normal.
    Planar,
    /// Space only: the point of the second body slides in a plane of the first; all turning.
    PointOnPlane,
    /// Everything but a change of the distance between two points: a massless rod with a ball at each end.
    Distance,
    /// Everything: the joint demands nothing.
    Floating,
}

impl JointKind {
    /// Every kind.
    pub const ALL: [JointKind; 11] = [
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::PointOnLine,
        JointKind::Fixed,
        JointKind::Universal,
        JointKind::Planar,
        JointKind::PointOnPlane,
        JointKind::Distance,
        JointKind::Floating,
    ];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Revolute => "revolute",
            JointKind::Spherical => "spherical",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::PointOnLine => "point-on-line",
            JointKind::Fixed => "fixed",
            JointKind::Universal => "universal",
            JointKind::Planar => "planar",
            JointKind::PointOnPlane => "point-on-plane",
            JointKind::Distance => "distance",
            JointKind::Floating => "floating",
        }
    }
}

/// A direction in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    /// World components as drawn; any length but zero.
    Vector([f64; 3]),
    /// From one named point to another, as drawn.
    Points(String, String),
}

/// A joint between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, used in results.
    pub name: String,
    /// What it lets the bodies do.
    pub kind: JointKind,
    /// First and second body; the reaction acts on the second. `ground` may be either.
    pub bodies: [String; 2],
    /// The joint's point on the first and on the second body: usually the same name twice. Two
    /// different points are brought together (or onto the line) by the assembly.
    pub at: [String; 2],
    /// The joint's axis, or the normal of its plane, fixed in the first body; needed by prismatic, cylindrical,
    /// point-on-line, universal, planar and point-on-plane joints, and by a revolute joint in space.
    pub axis: Option<Axis>,
    /// The other axis of a universal joint, fixed in the second body and square to the first as drawn.
    pub axis2: Option<Axis>,
    /// How far apart a distance joint holds its points, m; as drawn if left out.
    pub length: Option<f64>,
    /// Formulations in joint variables cut this joint, if it closes a loop; they choose if left out.
    pub cut: bool,
    /// Limits that its coordinates bounce off.
    pub impact_limits: Vec<ImpactLimit>,
}

impl Joint {
    /// A joint at a point that both bodies hold.
    pub fn new(name: impl Into<String>, kind: JointKind, bodies: [&str; 2], at: &str) -> Self {
        Joint {
            name: name.into(),
            kind,
            bodies: bodies.map(Into::into),
            at: [at.into(), at.into()],
            axis: None,
            axis2: None,
            length: None,
            cut: false,
            impact_limits: Vec::new(),
        }
    }

    /// A joint between a point of the first body and another one of the second.
    pub fn between(name: impl Into<String>, kind: JointKind, bodies: [&str; 2], at: [&str; 2]) -> Self {
        Joint { at: at.map(Into::into), ..Joint::new(name, kind, bodies, at[0]) }
    }

    /// Prefers this joint to be cut where formulations in joint variables open a loop.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// Lets the first coordinate bounce between two limits, rad or m; see [`ImpactLimit`].
    pub fn impact_limit(mut self, range: [f64; 2], restitution: f64) -> Self {
        self.impact_limits.push(ImpactLimit { coordinate: 1, range, restitution });
        self
    }

    /// Sets the direction of the axis.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }

    /// Sets the direction of a universal joint's axis in the second body.
    pub fn axis2(mut self, axis: Axis) -> Self {
        self.axis2 = Some(axis);
        self
    }

    /// Sets the distance that a distance joint holds, m.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}
