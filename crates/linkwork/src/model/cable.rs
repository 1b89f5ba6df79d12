//! Cables over pulleys.

use super::Axis;

/// On which side of the rope a pulley lies, looking along the rope with the axis towards the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The rope winds counter-clockwise.
    Left,
    /// The rope winds clockwise.
    Right,
}

/// A pulley of some size at a point that the rope passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulley {
    /// Its centre: one of the cable's points, not an end.
    pub point: String,
    /// Where the rope lies on it, m.
    pub radius: f64,
    /// On which side of the rope its centre is.
    pub side: Side,
}

/// A drum: the free length of the cable grows by the radius times the joint's coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Winch {
    /// The joint, by its name in results.
    pub joint: String,
    /// Which of its coordinates, counted from one.
    pub coordinate: usize,
    /// Rope given out for each radian, m; negative where turning on winds it up.
    pub radius: f64,
}

/// A rope without mass that runs without friction through points and over pulleys.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Its name.
    pub name: String,
    /// The points from end to end.
    pub through: Vec<String>,
    /// Which of the points are pulleys of some size.
    pub pulleys: Vec<Pulley>,
    /// The axis of the pulleys; z in the plane.
    pub axis: Option<Axis>,
    /// Stiffness of the whole rope, N/m.
    pub stiffness: f64,
    /// Damping of the whole rope, N s/m.
    pub damping: f64,
    /// Length without force, m; the assembled one if left out, of an inextensible cable the drawn one.
    pub free_length: Option<f64>,
    /// Whether it can push, too.
    pub pushes: bool,
    /// A constraint in place of a spring: the length stays.
    pub inextensible: bool,
    /// A drum at one end.
    pub winch: Option<Winch>,
}

impl Cable {
    /// An elastic cable.
    pub fn new(name: impl Into<String>, through: &[&str], stiffness: f64) -> Self {
        Cable {
            name: name.into(),
            through: through.iter().map(|&point| point.into()).collect(),
            pulleys: Vec::new(),
            axis: None,
            stiffness,
            damping: 0.0,
            free_length: None,
            pushes: false,
            inextensible: false,
            winch: None,
        }
    }
    /// A cable that does not stretch.
    pub fn inextensible(name: impl Into<String>, through: &[&str]) -> Self {
        Cable { inextensible: true, ..Cable::new(name, through, 0.0) }
    }
    /// Puts a pulley at one of its points.
    pub fn pulley(mut self, point: &str, radius: f64, side: Side) -> Self {
        self.pulleys.push(Pulley { point: point.into(), radius, side });
        self
    }
    /// Sets the axis of the pulleys.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }
    /// Sets the damping, N s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the length without force, m.
    pub fn free_length(mut self, length: f64) -> Self {
        self.free_length = Some(length);
        self
    }
    /// Winds it on a drum that turns with the first coordinate of a joint.
    pub fn winch(mut self, joint: &str, radius: f64) -> Self {
        self.winch = Some(Winch { joint: joint.into(), coordinate: 1, radius });
        self
    }
}
