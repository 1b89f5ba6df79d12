//! Places and directions as the user draws them: the words by which bodies, joints and elements say where they are.

/// The reserved name of the body that never moves.
pub const GROUND: &str = "ground";

/// In how many directions points move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Motion in the x, y plane: two columns per point.
    Planar,
    /// Motion in space: three columns per point.
    Spatial,
}

impl Dimension {
    /// Whether motion is in the x, y plane.
    pub fn is_planar(self) -> bool {
        self == Dimension::Planar
    }

    /// Columns per point: 2 or 3.
    pub fn columns(self) -> usize {
        match self {
            Dimension::Planar => 2,
            Dimension::Spatial => 3,
        }
    }
}

/// Two or three numbers in world axes; a planar vector has z = 0.
pub trait IntoVector {
    /// The vector with three components.
    fn into_vector(self) -> [f64; 3];
}
impl IntoVector for [f64; 2] {
    fn into_vector(self) -> [f64; 3] {
        [self[0], self[1], 0.0]
    }
}
impl IntoVector for [f64; 3] {
    fn into_vector(self) -> [f64; 3] {
        self
    }
}

/// A place in the drawing: a named point or coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A named point of the model.
    Point(String),
    /// World coordinates as drawn, m.
    At([f64; 3]),
}

impl From<&str> for Place {
    fn from(name: &str) -> Self {
        Place::Point(name.into())
    }
}
impl From<[f64; 2]> for Place {
    fn from(at: [f64; 2]) -> Self {
        Place::At(at.into_vector())
    }
}
impl From<[f64; 3]> for Place {
    fn from(at: [f64; 3]) -> Self {
        Place::At(at)
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

impl Axis {
    /// Along x of the world.
    pub const X: Axis = Axis::Vector([1.0, 0.0, 0.0]);
    /// Along y of the world.
    pub const Y: Axis = Axis::Vector([0.0, 1.0, 0.0]);
    /// Along z of the world.
    pub const Z: Axis = Axis::Vector([0.0, 0.0, 1.0]);

    /// From one named point to another, as drawn.
    pub fn points(from: impl Into<String>, to: impl Into<String>) -> Self {
        Axis::Points(from.into(), to.into())
    }
}

/// In which axes the components of a force are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axes {
    /// The world's: the force keeps its direction.
    #[default]
    World,
    /// Those of the body on which it acts, parallel to the world's as drawn: the force turns with it.
    Body,
}
