//! Springs, dampers and constant loads.

use super::IntoVector;

/// A linear spring with a damper in parallel, between two points.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Its name.
    pub name: String,
    /// The points it pulls together. At a point that several bodies share the force acts on the
    /// ground if it holds the point, else on the first of them.
    pub between: [String; 2],
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// Length without force, m; the drawn (assembled) distance if left out.
    pub free_length: Option<f64>,
}

impl Spring {
    /// A spring without damping.
    pub fn new(name: impl Into<String>, between: [&str; 2], stiffness: f64) -> Self {
        let between = between.map(Into::into);
        Spring { name: name.into(), between, stiffness, damping: 0.0, free_length: None }
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
}

/// A constant force on a body, in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Its name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// The point of the body it acts at; its centre of mass if left out.
    pub at: Option<String>,
    /// The force, N.
    pub force: [f64; 3],
}

impl Force {
    /// A force at a point of a body.
    pub fn new(name: impl Into<String>, body: &str, at: &str, force: impl IntoVector) -> Self {
        Force { name: name.into(), body: body.into(), at: Some(at.into()), force: force.into_vector() }
    }
    /// A force at the centre of mass of a body.
    pub fn at_com(name: impl Into<String>, body: &str, force: impl IntoVector) -> Self {
        Force { name: name.into(), body: body.into(), at: None, force: force.into_vector() }
    }
}

/// A constant couple on a body, in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Couple {
    /// Its name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// The moment, N m; in the plane only z counts.
    pub moment: [f64; 3],
}

impl Couple {
    /// A couple; in the plane use `[0.0, 0.0, m]`.
    pub fn new(name: impl Into<String>, body: &str, moment: [f64; 3]) -> Self {
        Couple { name: name.into(), body: body.into(), moment }
    }
}
