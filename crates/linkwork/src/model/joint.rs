//! Joints that are more than a point shared by two bodies.

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
}

impl JointKind {
    /// Every kind.
    pub const ALL: [JointKind; 6] = [
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::PointOnLine,
        JointKind::Fixed,
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
    /// The joint's axis, fixed in the first body; needed by prismatic, cylindrical and
    /// point-on-line joints, and by a revolute joint in space.
    pub axis: Option<Axis>,
    /// Formulations in joint variables cut this joint, if it closes a loop; they choose if left out.
    pub cut: bool,
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
            cut: false,
        }
    }

    /// Prefers this joint to be cut where formulations in joint variables open a loop.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// Sets the direction of the axis.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }
}
