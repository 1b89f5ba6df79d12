//! Rigid bodies: which points they hold and how their mass is spread.

use super::{Formula, Place};

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name; `ground` is reserved.
    pub name: String,
    /// The named points that move with it.
    pub points: Vec<String>,
    /// How much mass, and where; at t = 0 where it varies.
    pub mass: Mass,
    /// The mass over time, kg, where it varies: a formula of `t` alone, which gives the mass above at t = 0. Centre of mass and radii of gyration
    /// stay.
    pub mass_law: Option<Formula>,
    /// For a body of two points: their true distance, where the drawing is only approximate, m.
    pub length: Option<f64>,
    /// Whether it is there from the start on; if not, a [`Change`](super::Change) lets it appear.
    pub present: bool,
    /// Points that stand for it as primary particles, before any that are chosen without being named.
    pub primary: Vec<String>,
}

/// How the mass of a body is described.
#[derive(Clone, Debug, PartialEq)]
pub enum Mass {
    /// A uniform solid shape.
    Shape(Shape, Amount),
    /// Mass, centre of mass and moments of inertia about it, as drawn.
    Given {
        /// Mass, kg.
        mass: f64,
        /// Centre of mass, as drawn.
        com: Place,
        /// Moments of inertia about the centre of mass, kg m².
        inertia: Inertia,
    },
}

/// How much of a shape there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Total mass, kg.
    Mass(f64),
    /// Mass per volume, kg/m³.
    Density(f64),
}

/// Moments of inertia about the centre of mass, world axes as drawn, kg m².
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inertia {
    /// In the plane: about z.
    Polar(f64),
    /// In space: the matrix entries xx, yy, zz, xy, xz, yz (an off-diagonal entry is minus the
    /// integral of density · x · y).
    Matrix([f64; 6]),
    /// None: all mass is in one point.
    Point,
}

/// A uniform shape. Where a place or direction is left out, it follows from the body's points: the
/// centre is their mean, the axis runs from the first to the second.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A thin rod between the body's first two points.
    Rod {
        /// Cross-section, m²; needed with a density.
        area: Option<f64>,
    },
    /// A plate whose outline runs through points of the body.
    Polygon {
        /// Corner points in order; all points of the body if empty.
        outline: Vec<String>,
        /// Thickness, m; needed with a density. Zero or left out with a mass: a thin plate.
        thickness: Option<f64>,
    },
    /// A solid box.
    Box {
        /// Edge lengths, m; in the plane the third may be left out (zero) with a mass.
        size: [f64; 3],
        /// Centre and direction of the first edge.
        pose: Orientation,
    },
    /// A solid circular cylinder.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Length along the axis, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A cylinder with a concentric bore.
    Tube {
        /// Outer radius, m.
        radius: f64,
        /// Radius of the bore, m.
        inner_radius: f64,
        /// Length along the axis, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A solid cylinder with half a sphere on both ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Length between the centres of the round ends, m; the distance of the first two points if left out.
        length: Option<f64>,
        /// Centre and axis.
        pose: Orientation,
    },
    /// A solid sphere.
    Sphere {
        /// Radius, m.
        radius: f64,
        /// Centre; the mean of the body's points if left out.
        center: Option<Place>,
    },
}

impl Shape {
    /// The name in the model file.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Rod { .. } => "rod",
            Shape::Polygon { .. } => "polygon",
            Shape::Box { .. } => "box",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Tube { .. } => "tube",
            Shape::Capsule { .. } => "capsule",
            Shape::Sphere { .. } => "sphere",
        }
    }
}

/// Where a shape lies in the drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orientation {
    /// Centre of the shape; the mean of the body's points if left out (for a cylinder, tube or capsule with
    /// two or more points: the middle of the first two).
    pub center: Option<Place>,
    /// Direction of the axis (cylinder, tube, capsule) or of the first edge (box); from the first to the
    /// second point if left out, x if the body has one point. In the plane a cylinder's axis may be
    /// `[0, 0, 1]`: a disc.
    pub axis: Option<[f64; 3]>,
    /// Box in space: a direction in the plane of the first and second edge; any if left out.
    pub side: Option<[f64; 3]>,
}

impl Body {
    /// A body with the given points and mass description.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = S>,
        mass: Mass,
    ) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Body {
            name: name.into(),
            points,
            mass,
            mass_law: None,
            length: None,
            present: true,
            primary: Vec::new(),
        }
    }

    /// A particle: all mass in one point, kg.
    pub fn particle(name: impl Into<String>, point: &str, mass: f64) -> Self {
        Self::with_inertia(name, [point], mass, point, Inertia::Point)
    }

    /// A uniform thin rod between two points, kg.
    pub fn rod(name: impl Into<String>, points: [&str; 2], mass: f64) -> Self {
        Self::new(name, points, Mass::Shape(Shape::Rod { area: None }, Amount::Mass(mass)))
    }

    /// A uniform plate whose outline runs through the points in order, kg.
    pub fn plate<S: Into<String>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = S>,
        mass: f64,
    ) -> Self {
        let shape = Shape::Polygon { outline: Vec::new(), thickness: None };
        Self::new(name, points, Mass::Shape(shape, Amount::Mass(mass)))
    }

    /// A body with known mass properties.
    pub fn with_inertia<S: Into<String>>(
        name: impl Into<String>,
        points: impl IntoIterator<Item = S>,
        mass: f64,
        com: impl Into<Place>,
        inertia: Inertia,
    ) -> Self {
        Self::new(name, points, Mass::Given { mass, com: com.into(), inertia })
    }

    /// Chooses which of its points stand for it as primary particles, in this order; what is missing is chosen as ever.
    pub fn primary<S: Into<String>>(mut self, points: impl IntoIterator<Item = S>) -> Self {
        self.primary = points.into_iter().map(Into::into).collect();
        self
    }

    /// Leaves it out until a [`Change`](super::Change) lets it appear.
    pub fn absent(mut self) -> Self {
        self.present = false;
        self
    }

    /// Lets the mass vary, kg: a formula of `t` alone that gives the mass of the body at t = 0.
    pub fn mass_law(mut self, law: impl Into<Formula>) -> Self {
        self.mass_law = Some(law.into());
        self
    }

    /// States the true distance of a two-point body's points, where the drawing is approximate.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}
