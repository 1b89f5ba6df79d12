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

/// A colour as screens show it: red, green and blue from 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// The colours that have a name here.
    pub const NAMES: [(&'static str, Color); 16] = [
        ("black", Color([0x20, 0x24, 0x28])),
        ("white", Color([0xf4, 0xf5, 0xf6])),
        ("gray", Color([0x8a, 0x93, 0x9b])),
        ("silver", Color([0xc3, 0xc9, 0xce])),
        ("red", Color([0xd0, 0x2c, 0x2c])),
        ("orange", Color([0xe8, 0x87, 0x1e])),
        ("yellow", Color([0xe6, 0xc2, 0x29])),
        ("gold", Color([0xc7, 0xa1, 0x19])),
        ("green", Color([0x2f, 0x9e, 0x44])),
        ("teal", Color([0x15, 0x9a, 0x7f])),
        ("cyan", Color([0x4f, 0xb3, 0xe8])),
        ("blue", Color([0x2f, 0x6f, 0xd0])),
        ("navy", Color([0x1f, 0x3a, 0x6e])),
        ("purple", Color([0x8a, 0x63, 0xc4])),
        ("pink", Color([0xdf, 0x7f, 0xb8])),
        ("brown", Color([0x8c, 0x5a, 0x3c])),
    ];

    /// Reads `#rrggbb`, `#rgb` or a name.
    pub fn parse(text: &str) -> Option<Color> {
        let Some(digits) = text.strip_prefix('#') else {
            return Color::NAMES.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
        };
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize, to: usize| u8::from_str_radix(&digits[from..to], 16).ok();
        match digits.len() {
            6 => Some(Color([part(0, 2)?, part(2, 4)?, part(4, 6)?])),
            3 => Some(Color([part(0, 1)? * 17, part(1, 2)? * 17, part(2, 3)? * 17])),
            _ => None,
        }
    }
}

/// As `#rrggbb`.
impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Color([red, green, blue]) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
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
