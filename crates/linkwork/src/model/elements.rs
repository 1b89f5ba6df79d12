//! Springs, forces and couples.

use super::{Axes, Formula, IntoVector};

/// A spring with a damper in parallel, between two points. What is given adds up: a linear part, a curve, a law.
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
    /// Tension, N, as a formula of `length` and `rate`.
    pub law: Option<Formula>,
    /// Name of a table of tension, N, over elongation, m.
    pub table: Option<String>,
    /// A rope: no force while it is shorter than its free length, and it never pushes.
    pub tension_only: bool,
    /// Tension that is always there, N.
    pub preload: f64,
}

impl Spring {
    /// A spring without damping.
    pub fn new(name: impl Into<String>, between: [&str; 2], stiffness: f64) -> Self {
        let between = between.map(Into::into);
        Spring {
            name: name.into(),
            between,
            stiffness,
            damping: 0.0,
            free_length: None,
            law: None,
            table: None,
            tension_only: false,
            preload: 0.0,
        }
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
    /// Adds a tension, N, that is a formula of `length` and `rate`.
    pub fn law(mut self, law: impl Into<Formula>) -> Self {
        self.law = Some(law.into());
        self
    }
    /// Adds a tension, N, that a table gives over the elongation, m.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }
    /// Makes it a rope.
    pub fn tension_only(mut self) -> Self {
        self.tension_only = true;
        self
    }
    /// Adds a constant tension, N.
    pub fn preload(mut self, preload: f64) -> Self {
        self.preload = preload;
        self
    }
    /// Whether it is linear and nothing else.
    pub fn is_plain(&self) -> bool {
        self.law.is_none() && self.table.is_none() && !self.tension_only && self.preload == 0.0
    }
}

/// The numbers of three formulas, if they are constants.
fn constants(parts: &[Formula; 3]) -> Option<[f64; 3]> {
    match parts.each_ref().map(Formula::is_constant) {
        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
        _ => None,
    }
}

/// A force on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Its name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// The point of the body it acts at; its centre of mass if left out.
    pub at: Option<String>,
    /// Its components, N.
    pub force: [Formula; 3],
    /// Their axes.
    pub axes: Axes,
}

impl Force {
    /// A constant force at a point of a body.
    pub fn new(name: impl Into<String>, body: &str, at: &str, force: impl IntoVector) -> Self {
        Force { at: Some(at.into()), ..Force::at_com(name, body, force) }
    }
    /// A constant force at the centre of mass of a body.
    pub fn at_com(name: impl Into<String>, body: &str, force: impl IntoVector) -> Self {
        Force {
            name: name.into(),
            body: body.into(),
            at: None,
            force: force.into_vector().map(Formula::constant),
            axes: Axes::World,
        }
    }
    /// Sets the components as formulas, N; in the plane the third is zero.
    pub fn formulas(mut self, force: [Formula; 3]) -> Self {
        self.force = force;
        self
    }
    /// Lets it turn with the body.
    pub fn in_body_axes(mut self) -> Self {
        self.axes = Axes::Body;
        self
    }
    /// The force, if it never changes.
    pub fn constant(&self) -> Option<[f64; 3]> {
        constants(&self.force).filter(|_| self.axes == Axes::World)
    }
}

/// A couple on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Couple {
    /// Its name.
    pub name: String,
    /// The body it acts on.
    pub body: String,
    /// The moment, N m; in the plane only z counts.
    pub moment: [Formula; 3],
    /// Its axes.
    pub axes: Axes,
}

impl Couple {
    /// A constant couple; in the plane use `[0.0, 0.0, m]`.
    pub fn new(name: impl Into<String>, body: &str, moment: [f64; 3]) -> Self {
        Couple {
            name: name.into(),
            body: body.into(),
            moment: moment.map(Formula::constant),
            axes: Axes::World,
        }
    }
    /// Sets the components as formulas, N m; in the plane the first two are zero.
    pub fn formulas(mut self, moment: [Formula; 3]) -> Self {
        self.moment = moment;
        self
    }
    /// Lets it turn with the body.
    pub fn in_body_axes(mut self) -> Self {
        self.axes = Axes::Body;
        self
    }
    /// The moment, if it never changes.
    pub fn constant(&self) -> Option<[f64; 3]> {
        constants(&self.moment).filter(|_| self.axes == Axes::World)
    }
}
