//! What the user says: points, bodies, joints, elements, settings. No numerics.
//!
//! A [`Model`] is plain data in SI units. Write it with the builder methods here, or read it from a
//! TOML or JSON file ([`Model::from_file`]). [`Model::check`] says what is wrong with it, reading and
//! assembling refuse it then: all faults are reported at once, each with the path of the item (`bodies.coupler.mass`).

#[cfg(feature = "file")]
mod along_coordinates;
mod beam;
mod beam_layout;
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
mod look;
mod measure;
pub(crate) mod meetings;
mod mesh_file;
mod modal_body;
#[cfg(feature = "file")]
mod modal_file;
mod named_table;
#[cfg(feature = "file")]
mod optimization;
mod reading;
mod reference;
mod settings;
mod shape;
mod view;

pub use crate::drawing::{Axes, Axis, Color, Dimension, GROUND, IntoVector, Place};
pub use crate::error::names::MAX_NAME_LENGTH;
pub use crate::expressions::{
    Extend, Formula, FormulaError, Interpolation, PointFunction, Reference, TIME, Table, TableError,
    TableReference, Target,
};
pub use crate::expressions::{MAX_NUMBER, MIN_NUMBER};
pub use crate::interactions::elements::data::*;
pub use crate::joints::{JointData, JointKind};
pub use beam::{Beam, BeamOrder, BeamSection, Material};
pub use beam_layout::{BeamElement, BeamLayout, CrossSection, MAX_SECTIONS, SectionPlace};
pub(crate) use beam_layout::{Unlaid, abscissas};
pub use body::{Amount, Body, Inertia, Mass};
pub use chain::{Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut, PayOutLaw, SupplyEnd};
pub use change::Change;
pub use check::{MAX_OUTPUT_ROWS, MAX_SEGMENTS, check};
pub use contact::{Contact, MAX_CONTACTS, Meeting, Surface, SurfaceForm};
pub use coupling::Coupling;
pub use driver::{Driven, Driver};
#[cfg(feature = "file")]
pub use file::{ModelFile, Variable, Variables};
pub use impact_limit::ImpactLimit;
pub use impulse::{Blow, Impulse};
pub use input::{Between, Input, StateChange, StateVariable};
pub use integrator::{Integrator, IntegratorFacts};
pub use joint::Joint;
pub use joint_forces::JointForces;
pub use lock::Lock;
pub use look::{Look, LookForm};
pub use measure::Measure;
pub use mesh_file::{HULL_CORNERS, HullFile, MeshFile, MeshSolid};
pub use modal_body::ModalBody;
pub use named_table::NamedTable;
#[cfg(feature = "file")]
pub use optimization::{
    DesignConstraint, DesignRange, DesignVariable, Following, Goal, Optimization, Over, Part, Reduced,
    Reduction, Relation, Residual, WantedPath,
};
pub use reading::{
    BodyReading, ContactReading, ElementKind, JointReading, PointReading, Reading, Readings, WorldAxis,
};
pub use settings::{ContactMethod, Formulation, ImpactLaw, InitialState, Settings};
pub use shape::{Orientation, Shape};
pub use view::{Camera, View};

pub use crate::error::{Fault, Faults, OpenBy, ParameterRange, Provenance, Severity};

use crate::interactions::elements::{Element, Symbol, each_element};
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

/// Calls a macro with all lists of a model: those of elements, and then those of other items. Lists of the model, sections of the file and what is written
/// follow.
macro_rules! each_list {
    ($then:ident) => {
        $crate::interactions::elements::each_element! {
            $then
            beams: Beam = beam, "Elastic beams: rigid cross-sections with elastic elements between them.";
            chains: Chain = chain, "Chains and ropes with mass.";
            modal_bodies: ModalBody = modal_body, "Deformable bodies from finite elements, reduced to a few modes.";
            tables: NamedTable = named_table, "Curves through given points, which expressions call by name: `profile(t)`.";
            measures: Measure = measure, "Named quantities computed during the run, which other expressions may use: an expression, or a table with `value` and `unit`.";
            inputs: Input = input, "Numbers that are set from outside while the mechanism moves, which expressions read as `input.NAME`: a default, or a table.";
            states: StateVariable = state, "Numbers with differential equations of their own, which expressions read as `state.NAME`: controllers, filters, motors, hydraulics.";
            couplings: Coupling = coupling, "Joint coordinates that move in proportion: belts, worm gears, differentials.";
            drivers: Driver = driver, "Prescribed motion: joint coordinates, components of points or angles of bodies as functions of the time `t`.";
            locks: Lock = lock, "Locks: joint coordinates that are held as they are, for a time or while conditions say so.";
            impulses: Impulse = impulse, "Impulses at given times: blows on bodies, and joint coordinates that get a rate.";
            surfaces: Surface = surface, "Surfaces of bodies and of the ground that contacts speak of.";
            contacts: Contact = contact, "Surfaces that touch each other: they bounce, slide, stick and rest.";
            looks: Look = look, "Meshes and solids that pictures show in the place of what follows from points, shapes and surfaces.";
            changes: Change = change, "Changes of what the mechanism consists of while it runs: joints, bodies and chains that come and go.";
        }
    };
}
#[cfg(feature = "file")]
pub(crate) use each_list;

/// The model has a list of each kind of element and of other items.
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
            /// Start velocities.
            pub initial: Initial,
            /// How to simulate.
            pub settings: Settings,
            /// What pictures and pages show at first.
            pub view: View,
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
                    initial: Initial::default(),
                    settings: Settings::default(),
                    view: View::default(),
                    expanded: false,
                    origin: [0.0; 3],
                    provenance: None,
                }
            }

            $(
                #[doc = concat!("Adds an item to [`", stringify!($list), "`](Self::", stringify!($list), ").")]
                pub fn $one(mut self, $one: $type) -> Self {
                    self.$list.push($one);
                    self
                }
            )*
        }
    };
}
each_list!(define_model);

/// What all elements of a model have in common.
macro_rules! define_elements {
    ($($list:ident: $type:ident = $one:ident, $about:literal;)*) => {
        impl Model {
            /// All elements, by the name of their list in the model and in a file.
            pub(crate) fn elements(&self) -> Vec<(&'static str, Vec<&dyn Element>)> {
                vec![$((stringify!($list), self.$list.iter().map(|element| element as &dyn Element).collect())),*]
            }

            /// Pictures of the elements that have one: the word that their columns begin with, their name, and the picture.
            pub fn symbols(&self) -> Vec<(&'static str, &str, Symbol<'_>)> {
                let mut symbols = Vec::new();
                $(
                    let drawn = self.$list.iter().filter_map(|e| Some((stringify!($one), e.name.as_str(), e.symbol()?)));
                    symbols.extend(drawn);
                )*
                symbols
            }

            /// Keeps the elements of which `keep` says so; it gets the word for the kind, too.
            pub(crate) fn retain_elements(&mut self, mut keep: impl FnMut(&'static str, &dyn Element) -> bool) {
                $(self.$list.retain(|element| keep(stringify!($one), element));)*
            }
        }
    };
}
each_element!(define_elements);

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

    /// Adds a curve that formulas call by name.
    pub fn table(mut self, name: impl Into<String>, table: Table) -> Self {
        self.tables.push(NamedTable { name: name.into(), table: Arc::new(table) });
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

    /// Sets what pictures and pages show at first.
    pub fn view(mut self, view: View) -> Self {
        self.view = view;
        self
    }

    /// Sets how the model is simulated.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }
}
