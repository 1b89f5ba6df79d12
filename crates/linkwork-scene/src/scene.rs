//! What there is to draw. All lengths are in m, all places and directions of a body are in its own axes: parallel to the world's as drawn, from its centre
//! of mass as drawn. A place s of a body whose pose is (c, R) stands at c + R s. The ground is body 0: its pose never changes, c = 0 and R = 1.
//!
//! It is JSON for the page, with the names of the fields here. What is not there at an instant (bodies that come and go, nodes of chains) the
//! [`Snapshot`](crate::Snapshot) tells.

mod arrows;
mod beams;
mod bodies;
mod build;
mod colours;
pub mod deformable;
mod elements;
mod extent;
mod ground;
mod hull;
mod joints;
mod looks;
mod markers;
mod modal;
mod nearest;
mod rims;
mod roads;
mod shapes;
mod sound;
mod surface;
mod teeth;

pub use looks::MOST_TRIANGLES;
pub use surface::Surface;

pub use deformable::{Beam, ModalBody};
use linkwork::joints::Symbol;
use serde::{Deserialize, Serialize};

/// A place, a direction or a size.
pub type Vector = [f64; 3];

/// What a mechanism looks like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The model's name.
    pub name: String,
    /// 2: everything moves in the plane z = 0 and is looked at along −z; 3: in space.
    pub dimension: u8,
    /// Against gravity, unit length; y in the plane and z in space where there is none.
    pub up: Vector,
    /// Lowest and highest coordinates of all that is drawn at the start, without planes.
    pub bounds: [Vector; 2],
    /// A length that suits the mechanism: how thick a bar is, how large a joint. About a sixtieth of its extent, and no more than a quarter of a typical
    /// distance of neighbouring points.
    pub unit: f64,
    /// All bodies that may ever be there, the ground first. Those that chains consist of are not among them, and of the sections of beams only those at named points.
    pub bodies: Vec<Body>,
    /// Named points.
    pub points: Vec<Point>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Springs, dampers and whatever else pulls along a line between two places.
    pub springs: Vec<Spring>,
    /// Cables.
    pub cables: Vec<Cable>,
    /// Chains.
    pub chains: Vec<Chain>,
    /// Beams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beams: Vec<Beam>,
    /// Surfaces of modal bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modal_bodies: Vec<ModalBody>,
    /// Forces that can be shown as arrows.
    pub arrows: Vec<Arrow>,
    /// Places of the ground, in the plane, that carry something; in space supports are solids of the ground.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<Vector>,
    /// How high the floor lies along `up`, m; nothing where the model has a floor or a road of its own, or nothing that stands on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// What is shown at first, as the model says.
    #[serde(default, skip_serializing_if = "View::is_empty")]
    pub view: View,
    /// What to know of the picture: meshes that are not there, and those that were thinned out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// What is shown at first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    /// Azimuth and elevation of the eye, degrees, as the model gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 2]>,
    /// The body that the picture goes along with; 0 if with none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<usize>,
    /// Named points, by their places among the scene's, whose paths are drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<usize>,
    /// Plots: columns, separated by spaces, with `*` for any letters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<String>,
    /// Names at the points.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub labels: bool,
}

impl View {
    /// Whether the model says nothing.
    pub fn is_empty(&self) -> bool {
        *self == View::default()
    }
}

/// A body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Which colour of the palette it has; the ground has 0, neighbours differ.
    pub colour: usize,
    /// The colour that the model gives it instead, `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paint: Option<String>,
    /// What it is made of; nothing where the model hides it, or says what it looks like.
    pub solids: Vec<Solid>,
    /// What it looks like, where the model says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Look>,
    /// Whether it only carries points: a section of a beam.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auxiliary: bool,
}

/// A part of a body with a colour of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Its colour, `#rrggbb`; that of the body if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paint: Option<String>,
    /// What it is.
    pub solid: Solid,
}

impl Body {
    /// All of its solids, and the colours that the model gives them.
    pub fn painted(&self) -> impl Iterator<Item = (&Solid, Option<&str>)> {
        let own = self.paint.as_deref();
        let solids = self.solids.iter().map(move |solid| (solid, own));
        solids.chain(self.looks.iter().map(move |look| (&look.solid, look.paint.as_deref().or(own))))
    }
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
pub enum Solid {
    /// A round bar.
    Bar {
        /// Its ends.
        ends: [Vector; 2],
        /// Its radius.
        radius: f64,
    },
    /// A ball.
    Ball {
        /// Its middle.
        at: Vector,
        /// Its radius.
        radius: f64,
    },
    /// A box.
    Box {
        /// Its middle.
        at: Vector,
        /// Directions of its edges, unit length, right-handed.
        axes: [Vector; 3],
        /// Half the lengths of its edges.
        half: Vector,
    },
    /// A cylinder, or a ring where there is a bore.
    Cylinder {
        /// Its middle.
        at: Vector,
        /// Its axis, unit length.
        axis: Vector,
        /// Its radius.
        radius: f64,
        /// Radius of the bore; 0 where there is none.
        bore: f64,
        /// Half its length.
        half: f64,
    },
    /// Faces: plates and hulls.
    Mesh {
        /// Corners.
        vertices: Vec<Vector>,
        /// Triangles, counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
        /// Edges to be drawn as lines.
        edges: Vec<[u32; 2]>,
    },
    /// A surface of many triangles, round where it bends little.
    Surface(Surface),
    /// A plane that goes on for ever, solid behind.
    Plane {
        /// A place of it.
        at: Vector,
        /// Out of what is solid, unit length.
        normal: Vector,
    },
    /// A tyre.
    Tyre {
        /// The wheel's centre.
        at: Vector,
        /// The wheel's axis, unit length.
        axis: Vector,
        /// Its radius.
        radius: f64,
        /// Its width.
        width: f64,
    },
    /// A line through places, such as a guide or the profile of a road.
    Line {
        /// The places in order.
        through: Vec<Vector>,
    },
}

/// A place on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyPoint {
    /// The body, by its place among the scene's.
    pub body: usize,
    /// Where on it.
    pub at: Vector,
}

/// A named point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// On a body that holds it.
    pub spot: BodyPoint,
}

/// A joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// As in the model file: `revolute`, `prismatic`, …
    pub kind: String,
    /// How it is drawn.
    #[serde(default)]
    pub symbol: Symbol,
    /// Its place on the first and on the second body.
    pub spots: [BodyPoint; 2],
    /// Its axis in the first body, unit length, where it has one.
    pub axis: Option<Vector>,
}

/// What pulls along a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpringLook {
    /// A coil.
    #[default]
    Spring,
    /// A cylinder with a piston.
    Damper,
    /// A coil about a damper.
    Both,
    /// A rope: straight while it pulls.
    Rope,
    /// A motor along a line.
    Actuator,
}

/// A spring, a damper, both, a rope or an actuator between two places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Its name.
    pub name: String,
    /// How it looks.
    pub look: SpringLook,
    /// Its ends.
    pub ends: [BodyPoint; 2],
}

/// A cable through places and over pulleys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cable {
    /// Its name.
    pub name: String,
    /// The places in order.
    pub through: Vec<BodyPoint>,
    /// Radius of the pulley at each place, 0 where there is none; negative where the cable winds clockwise about the axis.
    pub radii: Vec<f64>,
    /// The axis of the pulleys, unit length, in the axes of the ground.
    pub axis: Vector,
}

/// A chain: a line through its nodes, which poses give.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// Which colour of the palette it has.
    pub colour: usize,
    /// How thick it is drawn.
    pub radius: f64,
}

/// What an arrow shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrowKind {
    /// The force of a joint on its second body.
    #[default]
    Reaction,
    /// A spring, damper, rope or actuator: its force along the line between its ends.
    Spring,
    /// Any other force on a body.
    Force,
}

/// A force that can be shown as an arrow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arrow {
    /// What it belongs to, as in `joint.A`.
    pub name: String,
    /// What it is.
    pub kind: ArrowKind,
    /// Where it acts.
    pub at: BodyPoint,
    /// The other end of what pulls along a line.
    pub towards: Option<BodyPoint>,
    /// The result columns that give it, N: components in world axes, or one column, positive where it pulls `at` towards `towards`.
    pub columns: Vec<String>,
}
