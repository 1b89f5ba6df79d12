//! The vocabulary in which kinds of joints are described.

use crate::checks::Checks;
use crate::drawing::Axis;

/// What the data of a kind mean.
pub(crate) trait Describe {
    /// The axis, or the normal of the plane, fixed in the first body.
    fn axis(&self) -> Option<&Axis> {
        None
    }
    /// An axis fixed in the second body.
    fn axis2(&self) -> Option<&Axis> {
        None
    }
    /// How far apart its points stay, m; as drawn if it is not given.
    fn length(&self) -> Option<f64> {
        None
    }
    /// What it demands beyond demands between vectors.
    fn coupling(&self) -> Coupling<'_> {
        Coupling::None
    }
    /// Checks the data. Bodies and points of the joint, and its axis, have been checked before.
    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        let _ = (joint, on);
    }
}

/// A joint whose data are checked.
pub(crate) struct Checked<'j> {
    /// Its path in the file: `joints.elbow`.
    pub path: &'j str,
    /// Its bodies.
    pub bodies: &'j [String; 2],
    /// The direction of its axis, if it is known.
    pub axis: Option<[f64; 3]>,
}

impl Checked<'_> {
    /// The path of a key.
    pub fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// Checks the axis of the second body; the cosine of its angle with the first, if both are known.
    pub fn second_axis(&self, axis: &Axis, on: &mut dyn Checks) -> Option<f64> {
        let (v, u) = (on.axis(&self.key("axis2"), axis)?, self.axis?);
        let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
        // one after the other: the product of two lengths may overflow
        let (lu, lv) = (length(u), length(v));
        Some((0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum())
    }

    /// Checks the body that carries the bearings of teeth.
    pub fn carrier(&self, carrier: Option<&str>, on: &mut dyn Checks) {
        if let Some(carrier) = carrier
            && on.body(&self.key("carrier"), carrier)
            && self.bodies.iter().any(|body| body == carrier)
        {
            on.error(self.key("carrier"), format!("`{carrier}` cannot carry its own bearing"));
        }
    }
}

/// Everything about a kind of joint.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Name in the model file.
    pub name: &'static str,
    /// Other names that the file may use.
    pub aliases: &'static [&'static str],
    /// A kind that exists in space only: the advice to whoever asks for it in the plane.
    pub space_only: Option<&'static str>,
    /// How `at` is read.
    pub points: Points,
    /// Whether the axis is that of a hinge: in the plane it is z, and points that both bodies hold may show it.
    pub hinge: bool,
    /// Whether the points of the bodies may part; if not they are one point.
    pub slides: bool,
    /// How many further points the bodies may share beyond the joint's own: 0, those of a line (1), any (2). Read where `slides` is false.
    pub shares: u8,
    /// Demands and coordinates in the plane.
    pub in_plane: Freedom,
    /// Those in space.
    pub in_space: Freedom,
    /// Whether springs, friction, stops and inertia can be given along the coordinates.
    pub forces: bool,
    /// Its place in a spanning tree.
    pub part: Part,
    /// How much it holds, for the choice of the joints that carry: the more, the sooner it carries.
    pub holds: u8,
    /// The links that make it up in the articulated-body recursion, where they are other ones than [`Part`] says.
    pub steps: Option<Steps>,
    /// Whether its reaction has a moment: in the plane, in space.
    pub moment: [bool; 2],
    /// How it is drawn.
    pub symbol: Symbol,
}

impl Descriptor {
    /// A kind that demands nothing and has no keys: the others are written as what differs from it.
    pub const FREE: Descriptor = Descriptor {
        name: "",
        aliases: &[],
        space_only: None,
        points: Points::OneOrTwo,
        hinge: false,
        slides: true,
        shares: 2,
        in_plane: Freedom::NONE,
        in_space: Freedom::NONE,
        forces: true,
        part: Part::Closes,
        holds: 0,
        steps: None,
        moment: [true, true],
        symbol: Symbol::None,
    };
}

/// A direction of a joint, see the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    /// a
    Axis,
    /// s
    Side,
    /// n
    Normal,
    /// The axis of the second body.
    Axis2,
    /// An axis of the drawing.
    X,
    /// An axis of the drawing.
    Y,
    /// An axis of the drawing.
    Z,
}

/// What a joint demands of its bodies beyond a point that they share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// d has no part along a vector of the first body.
    Across(Vector, &'static str),
    /// A vector of the first body and one of the second stay square to each other.
    Square(Vector, Vector, &'static str),
    /// |d| stays as it is.
    Distance(&'static str),
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// The part of d along a vector of the first body, m.
    Path(Vector),
    /// Turn of the second body about a vector of the first, rad.
    Turn(Vector),
    /// Turn about the axis of the first body, as the axis of the second shows it.
    TurnOfAxis2,
    /// Turn about the axis of the second body, as the axis of the first shows it.
    TurnAboutAxis2,
    /// Roll, pitch or yaw (0, 1, 2) of the second body against the first: turns about x, y and z of the first, in that order.
    Angle(u8),
    /// Angle between the shafts, towards a vector across the first.
    Bend(Vector),
    /// Given by the coupling: an angle, or a path.
    Coupled {
        /// Whether it is an angle.
        turns: bool,
    },
}

impl Coordinate {
    /// Whether it is an angle.
    pub const fn turns(self) -> bool {
        match self {
            Coordinate::Path(_) => false,
            Coordinate::Coupled { turns } => turns,
            _ => true,
        }
    }

    /// Whether it is, but for its sign, the coordinate of a link that moves by this step.
    pub fn is_of(self, step: LinkStep) -> bool {
        match self {
            Coordinate::Path(along) => step == LinkStep::Slide(along),
            Coordinate::Turn(about) => step == LinkStep::Turn(about),
            Coordinate::TurnOfAxis2 => step == LinkStep::Turn(Vector::Axis),
            Coordinate::TurnAboutAxis2 => step == LinkStep::Turn(Vector::Axis2),
            _ => false,
        }
    }
}

/// What a kind demands and what it leaves free.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// Demands beyond the shared point. Those that a tree keeps as equations ([`Part::Carries`]) stand last.
    pub demands: &'static [Demand],
    /// How many demands the coupling adds.
    pub coupled: usize,
    /// Coordinates, in the order of the columns `q`, `q2` …
    pub coordinates: &'static [Coordinate],
    /// Degrees of freedom.
    pub degrees: usize,
}

impl Freedom {
    /// Nothing at all: of a kind that does not exist in the plane.
    pub const NONE: Freedom = Freedom { demands: &[], coupled: 0, coordinates: &[], degrees: 0 };
}

/// How `at` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// One point that the bodies share, or one of each.
    OneOrTwo,
    /// One of each body, some way apart as drawn.
    Apart,
    /// A point on the plane or line of the first body, and the centre of what rolls on it.
    Rolling,
    /// The point where teeth meet.
    Pitch,
}

/// Demands that are more than relations between vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coupling<'j> {
    /// None.
    None,
    /// The second coordinate in proportion to the first: how far it advances in one turn, m.
    Thread(f64),
    /// Shafts turn equally fast.
    EqualTurns,
    /// Teeth of two gears: the body that carries their bearings, if it is named.
    Teeth(Option<&'j str>),
    /// Teeth of a pinion and a rack: the body that carries their bearings, if it is named.
    Rack(Option<&'j str>),
    /// No slip, and no parting: the radius, m; as drawn if left out.
    Rolling(Option<f64>),
    /// A point on a curve through points of the first body, which may return to the first of them.
    Curve(&'j [String], bool),
}

/// How a body may shift relative to its parent in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translation {
    /// Not at all.
    None,
    /// Along the joint's axis.
    Slide,
    /// Anywhere: a floating body.
    Free,
}

/// How a body may turn relative to its parent in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Not at all.
    None,
    /// About the joint's axis.
    Axis,
    /// Any way.
    Ball,
}

/// The place of a kind of joint in a spanning tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It may carry a body, which then moves like this relative to its parent (in the plane any turn is one
    /// about z). The last `kept` of the joint's rows are not met by such a motion and are kept.
    Carries {
        /// How the body shifts.
        translation: Translation,
        /// How it turns.
        rotation: Rotation,
        /// How many rows are kept.
        kept: usize,
    },
    /// It is never in the tree; its bodies float or hang on other joints, and all its rows are equations.
    Closes,
    /// It demands nothing, so it is neither in the tree nor cut.
    Nothing,
}

impl Part {
    /// Carries by a translation and a rotation, and keeps no rows.
    pub const fn carries(translation: Translation, rotation: Rotation) -> Part {
        Part::Carries { translation, rotation, kept: 0 }
    }

    /// The part of a kind.
    pub const fn of(kind: super::JointKind) -> Part {
        kind.descriptor().part
    }

    /// How a body moves on a joint that carries it; a body that no joint carries floats.
    pub fn motion(self) -> (Translation, Rotation) {
        match self {
            Part::Carries { translation, rotation, .. } => (translation, rotation),
            Part::Closes | Part::Nothing => (Translation::Free, Rotation::Ball),
        }
    }
}

/// A link of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStep {
    /// Turns about a vector.
    Turn(Vector),
    /// Slides along a vector.
    Slide(Vector),
    /// Turns about the axis and moves on along it.
    Screw,
}

/// Links of one coordinate each, from the first body outward.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The links.
    pub list: &'static [LinkStep],
    /// Whether they come in the opposite order from the second body outward.
    pub turn_round: bool,
}

/// How a joint is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symbol {
    /// By its bodies alone.
    #[default]
    None,
    /// A pin.
    Pin,
    /// A ball.
    Ball,
    /// A ball that runs along a line, a plane or a curve.
    Runner,
    /// The cross of a universal joint.
    Cross,
    /// A sleeve on a guide.
    Sleeve,
    /// A round sleeve on a guide.
    Tube,
    /// A pin in a slot.
    Slot,
    /// A block.
    Block,
    /// A plate.
    Plate,
    /// A ball on a plate.
    BallOnPlate,
    /// A rod between the two points.
    Rod,
}

impl Symbol {
    /// Whether it sits on a guide along the axis.
    pub const fn is_guided(self) -> bool {
        matches!(self, Symbol::Sleeve | Symbol::Tube | Symbol::Slot)
    }
}
