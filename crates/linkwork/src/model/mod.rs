//! What the user says: points, bodies, joints, elements, settings. No numerics.
//!
//! A [`Model`] is plain data in SI units. Write it with the builder methods here, or read it from a
//! TOML or JSON file ([`Model::from_file`]). [`Model::check`] says what is wrong with it, reading and
//! assembling refuse it then: all faults are reported at once, each with the path of the item (`bodies.coupler.mass`).

#[cfg(feature = "file")]
mod along_coordinates;
mod body;
mod chain;
mod change;
mod check;
pub(crate) mod contact;
mod coupling;
mod driver;
#[cfg(feature = "file")]
pub mod file;
mod impact_limit;
mod impulse;
mod input;
mod integrator;
mod joint;
mod joint_forces;
mod lock;
mod measure;
mod reading;
mod reference;
mod settings;

pub use crate::drawing::{Axes, Axis, Dimension, GROUND, IntoVector, Place};
pub use crate::error::names::MAX_NAME_LENGTH;
pub use crate::expressions::{
    Extend, Formula, FormulaError, Interpolation, PointFunction, Reference, TIME, Table, TableError,
    TableReference, Target,
};
pub use crate::expressions::{MAX_NUMBER, MIN_NUMBER};
pub use crate::interactions::elements::data::*;
pub use crate::joints::{JointData, JointKind};
pub use body::{Amount, Body, Inertia, Mass, Orientation, Shape};
pub use chain::{Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut, PayOutLaw, SupplyEnd};
pub use change::Change;
pub use check::{MAX_OUTPUT_ROWS, MAX_SEGMENTS, check};
pub use contact::{Contact, MAX_CONTACTS, Meeting, Surface, SurfaceForm};
pub use coupling::Coupling;
pub use driver::{Driven, Driver};
pub use impact_limit::ImpactLimit;
pub use impulse::{Blow, Impulse};
pub use input::{Between, Input, StateChange, StateVariable};
pub use integrator::{Integrator, IntegratorFacts};
pub use joint::Joint;
pub use joint_forces::JointForces;
pub use lock::Lock;
pub use measure::{Measure, NamedTable};
pub use reading::{BodyReading, ElementKind, JointReading, PointReading, Reading, Readings, WorldAxis};
pub use settings::{Formulation, ImpactLaw, Settings};

pub use crate::error::{Fault, Faults, Provenance, Severity};

use crate::interactions::elements::{Element, each_element};
use std::sync::Arc;

/// A named point of the mechanism as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The name that bodies, joints and elements use.
    pub name: String,
    /// Position in world axes, m.
    pub position: [f64; 3],
}

/// Start velocities, as far as they are given; the rest follows from the constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// Velocities of points in world axes, m/s.
    pub velocities: Vec<(String, [f64; 3])>,
    /// Angular velocities of bodies in world axes, rad/s; in the plane only z counts.
    pub angular_velocities: Vec<(String, [f64; 3])>,
    /// Coordinates and rates of joints.
    pub joints: Vec<InitialJoint>,
}

/// The initial coordinates and rates of a joint, since the drawing; those that are left out follow from the constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialJoint {
    /// The joint, by its name in results.
    pub joint: String,
    /// Its first coordinates, m or rad.
    pub q: Vec<f64>,
    /// Its first rates, m/s or rad/s.
    pub v: Vec<f64>,
}

/// The model has a list of each kind of element.
macro_rules! define_model {
    ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
        /// A mechanism as its author describes it.
        #[derive(Clone, Debug)]
        pub struct Model {
            /// Shown in reports.
            pub name: String,
            /// Plane or space.
            pub dimension: Dimension,
            /// Acceleration of free fall in world axes, m/s².
            pub gravity: [f64; 3],
            /// All named points, in the order given.
            pub points: Vec<Point>,
            /// Points that never move.
            pub ground: Vec<String>,
            /// All moving bodies, in the order given.
            pub bodies: Vec<Body>,
            /// Joints that are more than a shared point, or a name for one.
            pub joints: Vec<Joint>,
            $(
                #[doc = $about]
                pub $list: Vec<$type>,
            )*
            /// Chains and ropes.
            pub chains: Vec<Chain>,
            /// Curves that formulas call by name.
            pub tables: Vec<NamedTable>,
            /// Named quantities computed from others.
            pub measures: Vec<Measure>,
            /// Numbers that are set from outside while it moves.
            pub inputs: Vec<Input>,
            /// Numbers with differential equations of their own.
            pub states: Vec<StateVariable>,
            /// Joint coordinates that move in proportion.
            pub couplings: Vec<Coupling>,
            /// Prescribed motions.
            pub drivers: Vec<Driver>,
            /// Locks of joint coordinates.
            pub locks: Vec<Lock>,
            /// Impulses at given times.
            pub impulses: Vec<Impulse>,
            /// Surfaces that contacts speak of.
            pub surfaces: Vec<Surface>,
            /// Surfaces that touch each other.
            pub contacts: Vec<Contact>,
            /// Changes of what the mechanism consists of.
            pub changes: Vec<Change>,
            /// Start velocities.
            pub initial: Initial,
            /// How to simulate.
            pub settings: Settings,
            /// Whether assembling has spelled out its chains and left out what is not there; false in a model that somebody wrote.
            pub expanded: bool,
            /// The origin that all places of it are relative to, in the world, m. Zero in a model that somebody wrote: assembling moves it where the drawing is
            /// far from the origin.
            pub origin: [f64; 3],
            /// Where each item stands in the file it was read from, if it was.
            pub provenance: Option<Arc<Provenance>>,
        }

        impl Model {
            /// An empty planar model: x to the right, y up, no gravity.
            pub fn planar(name: impl Into<String>) -> Self {
                Self::empty(name.into(), Dimension::Planar)
            }

            /// An empty spatial model: z up, no gravity.
            pub fn spatial(name: impl Into<String>) -> Self {
                Self::empty(name.into(), Dimension::Spatial)
            }

            fn empty(name: String, dimension: Dimension) -> Self {
                Model {
                    name,
                    dimension,
                    gravity: [0.0; 3],
                    points: Vec::new(),
                    ground: Vec::new(),
                    bodies: Vec::new(),
                    joints: Vec::new(),
                    $($list: Vec::new(),)*
                    chains: Vec::new(),
                    tables: Vec::new(),
                    measures: Vec::new(),
                    inputs: Vec::new(),
                    states: Vec::new(),
                    couplings: Vec::new(),
                    drivers: Vec::new(),
                    locks: Vec::new(),
                    impulses: Vec::new(),
                    surfaces: Vec::new(),
                    contacts: Vec::new(),
                    changes: Vec::new(),
                    initial: Initial::default(),
                    settings: Settings::default(),
                    expanded: false,
                    origin: [0.0; 3],
                    provenance: None,
                }
            }

            $(
                #[doc = concat!("Adds an element to [`", stringify!($list), "`](Self::", stringify!($list), ").")]
                pub fn $one(mut self, $one: $type) -> Self {
                    self.$list.push($one);
                    self
                }
            )*

            /// All elements, by the name of their list in the model and in a file.
            pub(crate) fn elements(&self) -> Vec<(&'static str, Vec<&dyn Element>)> {
                vec![$((stringify!($list), self.$list.iter().map(|element| element as &dyn Element).collect())),*]
            }

            /// Keeps the elements of which `keep` says so; it gets the word for the kind, too.
            pub(crate) fn retain_elements(&mut self, mut keep: impl FnMut(&'static str, &dyn Element) -> bool) {
                $(self.$list.retain(|element| keep(stringify!($one), element));)*
            }
        }
    };
}
each_element!(define_model);

impl Model {
    /// Sets the acceleration of free fall, m/s².
    pub fn gravity(mut self, g: impl IntoVector) -> Self {
        self.gravity = g.into_vector();
        self
    }

    /// Adds a named point where it is drawn, m.
    pub fn point(mut self, name: impl Into<String>, position: impl IntoVector) -> Self {
        self.points.push(Point { name: name.into(), position: position.into_vector() });
        self
    }

    /// Adds points to the ground.
    pub fn ground<S: Into<String>>(mut self, points: impl IntoIterator<Item = S>) -> Self {
        self.ground.extend(points.into_iter().map(Into::into));
        self
    }

    /// Adds a moving body.
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Sets the initial coordinates of a joint, m or rad since the drawing, and its rates, m/s or rad/s; empty where the constraints shall tell.
    pub fn initial_joint(
        mut self,
        joint: impl Into<String>,
        q: impl Into<Vec<f64>>,
        v: impl Into<Vec<f64>>,
    ) -> Self {
        self.initial.joints.push(InitialJoint { joint: joint.into(), q: q.into(), v: v.into() });
        self
    }

    /// Adds a chain or a rope.
    pub fn chain(mut self, chain: Chain) -> Self {
        self.chains.push(chain);
        self
    }

    /// Lets parts of the mechanism come and go.
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Adds a curve that formulas call by name.
    pub fn table(mut self, name: impl Into<String>, table: Table) -> Self {
        self.tables.push(NamedTable { name: name.into(), table: Arc::new(table) });
        self
    }

    /// Adds a named quantity computed from others.
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measures.push(measure);
        self
    }

    /// Lets joint coordinates move in proportion.
    pub fn coupling(mut self, coupling: Coupling) -> Self {
        self.couplings.push(coupling);
        self
    }

    /// Prescribes a motion.
    pub fn driver(mut self, driver: Driver) -> Self {
        self.drivers.push(driver);
        self
    }

    /// Locks a joint, for good or for a time.
    pub fn lock(mut self, lock: Lock) -> Self {
        self.locks.push(lock);
        self
    }

    /// Lets an impulse happen.
    pub fn impulse(mut self, impulse: Impulse) -> Self {
        self.impulses.push(impulse);
        self
    }

    /// Adds a surface for contacts.
    pub fn surface(mut self, surface: Surface) -> Self {
        self.surfaces.push(surface);
        self
    }

    /// Lets surfaces touch each other.
    pub fn contact(mut self, contact: Contact) -> Self {
        self.contacts.push(contact);
        self
    }

    /// Gives a point a start velocity, m/s.
    pub fn velocity(mut self, point: impl Into<String>, v: impl IntoVector) -> Self {
        self.initial.velocities.push((point.into(), v.into_vector()));
        self
    }

    /// Gives a body a start angular velocity in world axes, rad/s; in the plane use `[0.0, 0.0, w]`.
    pub fn angular_velocity(mut self, body: impl Into<String>, w: [f64; 3]) -> Self {
        self.initial.angular_velocities.push((body.into(), w));
        self
    }

    /// Sets how the model is simulated.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }
}
