//! Rigid bodies: which points they hold and how their mass is spread.

use super::{Color, Formula, Place, Shape};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
#[cfg(feature = "file")]
use file::MassKeys;

keys! {
    /// A rigid body. Two points and a mass make a uniform rod, one point and a mass a particle; else give a shape, or the centre of mass and the inertia.
    Body(name) {
        /// Names of the points that move with it.
        points: Vec<String> => required Vec<String>,
        /// How much mass, and where; at t = 0 where it varies.
        mass: Mass => group MassKeys,
        /// The mass over time, kg, where it varies: a formula of `t` alone, which gives the mass above at t = 0. Centre of mass and radii of gyration
        /// stay.
        mass_law: Option<Formula> => unlisted () = None,
        /// For a body of two points: their true distance, where the drawing is approximate, m.
        length: Option<f64> => optional Length,
        /// Whether it is there from the start on; true if left out. If false, an entry of `[changes]` lets it appear.
        present: bool => default bool = true,
        /// Which of its points are its primary particles, in this order; they must not lie in one line or plane. Chosen if left out.
        primary: Vec<String> => default Vec<String> = Vec::new(),
        /// Its colour in pictures: "#rrggbb" or a name such as "red". Chosen if left out.
        color: Option<Color> => optional ColorName,
        /// Whether pictures show it; true if left out.
        visible: bool => default bool = true,
    }
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

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{Amount, Body, Inertia, Mass};
    use crate::drawing::{Dimension, Place};
    use crate::expressions::units::Dims;
    use crate::file::csv_table::Kept;
    use crate::file::document::{Node, Value};
    use crate::file::prelude::*;
    use crate::model::Shape;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    table! {
        /// The mass of a body.
        MassKeys {
            /// Mass, kg: a number, or an expression of the time `t`.
            mass: optional FormulaOf<0, 1, 0>,
            /// Mass per volume, kg/m^3, instead of the mass.
            density: optional Density,
            /// A uniform shape: a name, or a table with `type` and dimensions.
            shape: optional Shape,
            /// Centre of mass as drawn: coordinates or the name of a point. Needs `inertia`.
            com: optional PlaceName,
            /// Moments of inertia about the centre of mass, kg m^2: a number in the plane; [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] in space.
            inertia: optional Moments,
        }
    }

    impl Group for MassKeys {
        type Value = Mass;

        /// What neither has a shape nor says where its mass is, is taken for a rod until its points are counted. A mass that varies is known once the tables are.
        fn build(self, reader: &mut Reader<'_>) -> Option<Mass> {
            let mass = self.mass.map(|mass| mass.0.is_constant().unwrap_or(1.0));
            let given = (mass, self.density, self.shape, self.com, self.inertia);
            let (key, message, help) = match given {
                (.., Some(_), Some(_), _) | (.., Some(_), None, Some(_)) => {
                    let help = "give either `shape`, or `com` and `inertia`";
                    (".shape", "a shape has its own centre and inertia", help)
                }
                (.., Some(_), None) => {
                    let help =
                        "inertia = about the centre of mass in kg m^2; or give a `shape` instead of both";
                    (".com", "`com` needs `inertia` beside it", help)
                }
                (.., None, Some(_)) => {
                    let help = "com = [..] or the name of a point: the centre of mass as drawn";
                    (".inertia", "`inertia` needs `com` beside it", help)
                }
                (Some(mass), None, None, Some(com), Some(inertia)) => {
                    return Some(Mass::Given { mass, com: com.0, inertia: inertia.0 });
                }
                (_, Some(_), None, Some(_), Some(_)) => {
                    (".density", "a density needs a `shape`", "give the `mass` instead")
                }
                (None, None, None, Some(_), Some(_)) => ("", "`mass` is missing", "give it in kg"),
                (Some(_), Some(_), _, None, None) => {
                    (".density", "`mass` and `density` are both given", "keep one of the two")
                }
                (Some(mass), None, shape, None, None) => {
                    return Some(Mass::Shape(shape.unwrap_or(Shape::Rod { area: None }), Amount::Mass(mass)));
                }
                (None, Some(density), shape, None, None) => {
                    let shape = shape.unwrap_or(Shape::Rod { area: None });
                    return Some(Mass::Shape(shape, Amount::Density(density.0)));
                }
                (None, None, _, None, None) => {
                    let help = "give `mass` in kg, or `density` in kg/m^3 with a `shape`";
                    ("", "the body has no mass", help)
                }
            };
            reader.refuse(key, message, help);
            None
        }

        fn stand_in() -> Mass {
            Mass::Given { mass: 1.0, com: Place::At([0.0; 3]), inertia: Inertia::Point }
        }

        fn write(mass: &Mass, entry: Entry, context: &Context<'_>) -> Entry {
            let kilograms = |mass: f64| Item::Quantity(mass, "kg");
            match mass {
                Mass::Shape(shape, amount) => match amount {
                    Amount::Mass(mass) => entry.set("mass", kilograms(*mass)),
                    Amount::Density(density) => entry.set("density", Density::write(density, context)),
                }
                .set("shape", Shape::write(shape, context)),
                Mass::Given { mass, com, inertia } => entry
                    .set("mass", kilograms(*mass))
                    .set("com", PlaceName::write(com, context))
                    .set("inertia", Moments::write(inertia, context)),
            }
        }
    }

    impl Rules for Body {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            let law = given.again::<FormulaOf<0, 1, 0>>("mass", reader).map(Kind::value);
            self.mass_law = law.filter(|law| law.is_constant().is_none());
            let spread = given.any(&["shape", "com", "inertia"]);
            match (&self.mass, &self.points[..]) {
                (Mass::Shape(Shape::Polygon { outline, .. }, _), points)
                    if given.says("shape", "triangle") =>
                {
                    let corners = if outline.is_empty() { points.len() } else { outline.len() };
                    if corners != 3 {
                        let message = format!("a triangle has three corners, this has {corners}");
                        reader.refuse(".shape", message, "name the corners with `outline`");
                    }
                }
                (Mass::Shape(_, Amount::Mass(mass)), [point]) if !spread => {
                    let com = Place::Point(point.clone());
                    self.mass = Mass::Given { mass: *mass, com, inertia: Inertia::Point };
                }
                (_, points) if !spread && points.len() != 2 => {
                    let holds = match points.len() {
                        0 => "no points".into(),
                        1 => "one point".into(),
                        n => format!("{n} points"),
                    };
                    let choices = "give a `shape` (such as \"polygon\", or a table with type = \"cylinder\", \"box\", \"sphere\"), \
                                   or `com` and `inertia`; only a body of two points is a rod by itself, and one of one point with a `mass` a particle";
                    let message = format!("a body of {holds} does not say how its mass is spread");
                    reader.refuse("", message, choices);
                    self.mass = MassKeys::stand_in();
                }
                _ => {}
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let entry = entry.maybe("mass", self.mass_law.as_ref());
            match (&self.mass, &self.points[..]) {
                (Mass::Shape(Shape::Rod { area: None }, _), [_, _]) => entry.unless(true, "shape", ""),
                (Mass::Given { com: Place::Point(com), inertia: Inertia::Point, .. }, [point])
                    if com == point =>
                {
                    entry.unless(true, "com", "").unless(true, "inertia", "")
                }
                _ => entry,
            }
        }
    }

    impl Body {
        /// Keeps what was made of its mesh for a text that names it.
        pub(in crate::model) fn keep(&self, kept: &Kept) {
            if let Mass::Shape(Shape::Mesh { mesh, solid }, _) = &self.mass {
                solid.keep(mesh, kept);
            }
        }
    }

    /// Moments of inertia: a number in the plane; three or six in space.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Moments(Inertia);

    inline_schema!(Moments, |_| {
        json_schema!({ "anyOf": [number_schema(), vector_schema(3, 3), vector_schema(6, 6)] })
    });

    impl Decode for Moments {
        fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
            let dims = Dims::new(2, 1, 0);
            let Value::Array(items) = &node.value else {
                return reader.number(node, dims).map(|polar| Moments(Inertia::Polar(polar)));
            };
            let numbers = reader.each(items, |item, reader| reader.number(item, dims));
            match items.len() {
                3 | 6 => {
                    let mut matrix = [0.0; 6];
                    matrix[..items.len()].copy_from_slice(&numbers?);
                    Some(Moments(Inertia::Matrix(matrix)))
                }
                n => reader.fault(
                    node.span.clone(),
                    format!("expected [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]; found {n} numbers"),
                ),
            }
        }
    }

    impl Kind for Moments {
        type Value = Inertia;
        fn value(self) -> Inertia {
            self.0
        }
        fn write(inertia: &Inertia, context: &Context<'_>) -> Item {
            match (inertia, context.dimension) {
                (Inertia::Polar(polar), _) => Item::Quantity(*polar, "kg m^2"),
                (Inertia::Matrix(m), _) if m[3..].iter().all(|&x| is(x, 0.0)) => numbers(&m[..3]),
                (Inertia::Matrix(m), _) => numbers(m),
                (Inertia::Point, Dimension::Planar) => Item::Number(0.0),
                (Inertia::Point, Dimension::Spatial) => numbers(&[0.0; 3]),
            }
        }
    }
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
            color: None,
            visible: true,
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
