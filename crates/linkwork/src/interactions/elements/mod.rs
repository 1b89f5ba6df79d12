//! Elements: what acts on bodies and between them. One file or folder each, with its mathematics, data, file keys, checks, the way into a mechanism and its law.
//!
//! The list below is the only other place that knows them all: lists of the model, sections of the file, checks, what formulas may read and results
//! follow from it. The elements are below the model, so that a file here may hold all of an element: what it asks of the model is behind `Checks`, what it
//! asks of the mechanism behind `Site`.

mod acts_on;
mod actuator;
mod along;
mod applied;
mod bushing;
mod cable;
mod constant;
mod couple;
mod drag;
mod force;
mod motor;
mod site;
mod spring;
mod symbol;
mod thruster;
mod torsion_spring;
mod tyre;

pub use acts_on::ActsOn;
pub use actuator::{Actuator, ActuatorLaw, Effort, Integral, Law as ActuatorAction};
pub use along::{Along, Shows, Stop as LimitStop};
pub use applied::Applied;
pub use bushing::{Bushing, Law as BushingAction};
pub use cable::{Cable, Pulley, Side, Winch};
pub use constant::Constant;
pub use couple::Couple;
pub(crate) use couple::no_couple;
pub use drag::{Drag, Law as DragAction};
pub use force::Force;
pub use motor::{Motor, MotorAction, MotorCurve};
pub use site::Coordinate;
pub(crate) use site::{Controller, Site};
pub use spring::{Law as SpringAction, Spring};
pub use symbol::{Line, Symbol};
pub use thruster::{
    Burn, JetDirection, Law as ThrusterAction, Propellant, Thrust, ThrustDirection, Thruster,
};
pub use torsion_spring::TorsionSpring;
pub use tyre::{Brush, Law as TyreAction, Road, RoadPlace, Tyre};

/// The elements as a model has them, with the types of their parts.
pub mod data {
    pub use super::{
        ActsOn, Actuator, ActuatorLaw, Brush, Bushing, Cable, Couple, Drag, Force, Motor, MotorCurve,
    };
    pub use super::{
        Propellant, Pulley, Side, Spring, Thrust, ThrustDirection, Thruster, TorsionSpring, Tyre, Winch,
    };
}

use crate::checks;
use crate::checks::Checks;
use crate::drawing::Dimension;
use crate::expressions::units::Dims;
use crate::file::list::Named;

/// Calls a macro with all elements, in the order of the manual: what the file and the model call their list, the type, the word for one of them, which the builder
/// of a model has as a method and readings and columns begin with, and what stands in the list. More such lines may be given behind the name of the macro.
macro_rules! each_element {
    ($then:ident $($more:tt)*) => {
        $then! {
            springs: Spring = spring, "Springs with dampers between points.";
            torsion_springs: TorsionSpring = torsion_spring, "Torsion springs with dampers, between two bodies or on a joint.";
            bushings: Bushing = bushing, "Elastic bearings between two bodies.";
            forces: Force = force, "Forces on bodies.";
            couples: Couple = couple, "Couples on bodies.";
            actuators: Actuator = actuator, "Actuators: forces and torques along joints, between points or about an axis of a body.";
            motors: Motor = motor, "Motors with torque-speed curves, behind gears.";
            drags: Drag = drag, "Drag of the air on bodies.";
            thrusters: Thruster = thruster, "Thrusters: jets that push bodies and may take mass from them.";
            cables: Cable = cable, "Ropes over pulleys.";
            tyres: Tyre = tyre, "Tyres: wheels on the road.";
            $($more)*
        }
    };
}
pub(crate) use each_element;

/// Calls a macro with all kinds of force that act in a mechanism, and their laws. Several elements may share one.
macro_rules! each_action {
    ($then:ident) => {
        $then! {
            /// Linear, between two body points.
            Spring($crate::interactions::elements::SpringAction),
            /// On one body, and it never changes.
            Constant($crate::interactions::elements::Constant),
            /// Along a coordinate function: springs, dampers, ropes, friction, stops.
            Along($crate::interactions::elements::Along),
            /// On one body, as formulas say.
            Applied($crate::interactions::elements::Applied),
            /// Along a coordinate function, as a formula or a controller says.
            Actuator($crate::interactions::elements::ActuatorAction),
            /// Along a coordinate function, as a torque-speed curve says.
            Motor($crate::interactions::elements::MotorAction),
            /// Elastic in all directions between two bodies.
            Bushing($crate::interactions::elements::BushingAction),
            /// Of the air on a body.
            Drag($crate::interactions::elements::DragAction),
            /// A jet on a body.
            Thruster($crate::interactions::elements::ThrusterAction),
            /// A wheel on the road.
            Tyre($crate::interactions::elements::TyreAction),
            /// Along a chain.
            Rope($crate::interactions::Rope),
            /// Between the sections of a beam.
            Beam($crate::interactions::Beam),
            /// From outside, as the caller of a simulation sets it.
            Outside($crate::interactions::Outside),
        }
    };
}
pub(crate) use each_action;

/// The lists in which elements are attached: where several act on a body, their forces are added in this order.
pub(crate) const ORDER: [&str; 11] = [
    "cables",
    "bushings",
    "springs",
    "torsion_springs",
    "drags",
    "thrusters",
    "forces",
    "couples",
    "actuators",
    "motors",
    "tyres",
];

/// When an element is attached. What formulas read comes before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Linear or constant: before all others.
    Linear,
    /// Without formulas.
    Simple,
    /// With formulas, which may read the others.
    Formulas,
}

/// Something that an element is attached to, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use<'e> {
    /// A point.
    Point(&'e str),
    /// A body, or `ground`.
    Body(&'e str),
    /// A joint, by its name in results.
    Joint(&'e str),
}

/// An element of a model.
pub(crate) trait Element: Named {
    /// Everything wrong with it. `path` is that of the element in a file.
    fn check(&self, path: &str, on: &mut dyn Checks);
    /// What it is attached to: without one of them it is out of force.
    fn uses(&self) -> Vec<Use<'_>>;
    /// Its picture; `None` if nothing is drawn of it.
    fn symbol(&self) -> Option<Symbol<'_>> {
        None
    }
    /// When it is attached.
    fn phase(&self) -> Phase {
        Phase::Simple
    }
    /// Adds its forces and constraints to a mechanism; `index` is its place in the model's list. `None` if that cannot be done, which has been reported.
    fn attach(&self, path: &str, index: usize, site: &mut dyn Site) -> Option<()>;
}

/// What formulas may read off the elements of a kind: the columns that results show of them.
pub(crate) trait Readable {
    /// The word that readings and columns begin with.
    const WORD: &'static str;
    /// What can be read.
    const OUTPUTS: &'static [Output];
}

/// A quantity that can be read off an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// Its name: `length` in `spring.front.length`.
    pub name: &'static str,
    /// Its dimension; `None` if that depends on the element.
    pub(crate) dims: Option<Dims>,
    /// Whether it exists in space only.
    pub(crate) spatial: bool,
}

impl Output {
    /// In the plane and in space.
    pub(crate) const fn both(name: &'static str, dims: Dims) -> Self {
        Output { name, dims: Some(dims), spatial: false }
    }

    /// In space only.
    pub(crate) const fn space(name: &'static str, dims: Dims) -> Self {
        Output { name, dims: Some(dims), spatial: true }
    }

    /// In the plane and in space, of a dimension that is not known beforehand.
    pub(crate) const fn of_any_dimension(name: &'static str) -> Self {
        Output { name, dims: None, spatial: false }
    }

    /// Whether it exists in the plane or in space.
    pub(crate) fn exists(&self, dimension: Dimension) -> bool {
        !(self.spatial && dimension.is_planar())
    }
}
