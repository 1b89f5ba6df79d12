//! Pictures of elements, described in names of the model: what a page draws of an element without knowing its kind.

use crate::drawing::Axis;

/// Picture of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum Symbol<'e> {
    /// Something that acts along the line between two points.
    Line {
        /// How it looks.
        look: Line,
        /// The points.
        ends: &'e [String; 2],
    },
    /// A rope through points.
    Rope {
        /// The points, from one end to the other.
        through: &'e [String],
        /// Radius of the pulley at each point, m: positive if it lies to the left of the rope, negative to the right, zero if there is none.
        radii: Vec<f64>,
        /// Axis of the pulleys; z if there is none.
        axis: Option<&'e Axis>,
    },
    /// An arrow of a force on a body.
    Arrow {
        /// The body.
        body: &'e str,
        /// The point; the centre of mass if there is none.
        at: Option<&'e str>,
    },
    /// A wheel of a body.
    Wheel {
        /// The body.
        body: &'e str,
        /// Its centre.
        centre: &'e str,
        /// Its axis; that of a hinge of the body if there is none.
        axis: Option<&'e Axis>,
        /// Its radius, m.
        radius: f64,
    },
    /// Nothing but the points that it holds.
    Points(&'e [String]),
}

/// Look of what acts along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A coil.
    Coil,
    /// A cylinder with a piston.
    Damper,
    /// A coil about a damper.
    CoilAndDamper,
    /// A rope: straight while it pulls.
    Rope,
    /// A drive.
    Actuator,
}

impl<'e> Symbol<'e> {
    /// Points of the model that the picture marks.
    pub fn points(&self) -> Vec<&'e str> {
        match self {
            Symbol::Line { ends, .. } => ends.iter().map(String::as_str).collect(),
            Symbol::Rope { through: points, .. } | Symbol::Points(points) => {
                points.iter().map(String::as_str).collect()
            }
            Symbol::Arrow { at, .. } => at.iter().copied().collect(),
            Symbol::Wheel { centre, .. } => vec![centre],
        }
    }
}
