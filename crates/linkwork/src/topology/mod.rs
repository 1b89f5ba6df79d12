//! What a mechanism consists of at a time.
//!
//! A model whose chains pay out, whose joints break or whose bodies come and go is run as a sequence of mechanisms, each with a
//! topology that stays: how many segments a chain has, which joints are open, which bodies are there. From model and topology follows a
//! plain model of points, bodies and joints (`expand.rs`), which is compiled like any other. At a change the bodies go on
//! where they are ([`Start`](crate::mechanism::Start)); what the drawing defines — angles, centres of mass, lengths — remains that of the drawing.

mod absent;
mod drawing;
mod expand;

pub use drawing::Layout;
pub use expand::{ChainParts, Expansion};
pub(crate) use expand::{Plain, expand};

use crate::model::{GROUND, Joint, Model, PayOutLaw};

/// What there is of a chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainState {
    /// Full segments.
    pub segments: usize,
    /// Segments that are broken, counted from one.
    pub broken: Vec<usize>,
    /// Length that the drum holds beyond what the law says, m: what straightening kinks has cost so far.
    pub slack: f64,
    /// Whether the container is empty.
    pub spent: bool,
    /// How long the last piece was then, m.
    pub rest: f64,
}

/// A point at which some bodies have parted from the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parting {
    /// The joint that opened.
    pub joint: String,
    /// The point.
    pub point: String,
    /// The bodies that keep a point of their own.
    pub bodies: Vec<String>,
}

impl Parting {
    /// Of an entry at a point that both of its bodies have: one that slides keeps its sides apart as it does while it is there, the ground's or the first
    /// body's from all others; of any other the second body gets a point of its own, or the first if the second is the ground.
    pub fn of(joint: &Joint) -> Option<Self> {
        let leaves = match joint.kind().slides() {
            true => usize::from(joint.bodies[1] == GROUND),
            false => usize::from(joint.bodies[1] != GROUND),
        };
        (joint.at[0] == joint.at[1]).then(|| Parting {
            joint: joint.name.clone(),
            point: joint.at[0].clone(),
            bodies: vec![joint.bodies[leaves].clone()],
        })
    }
}

/// What a mechanism consists of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// The chains, in the model's order.
    pub chains: Vec<ChainState>,
    /// Bodies that are not there.
    pub absent: Vec<String>,
    /// Entries among the joints that do not hold.
    pub open: Vec<String>,
    /// Points that are shared no more.
    pub partings: Vec<Parting>,
    /// Changes that have happened.
    pub done: Vec<String>,
}

impl Topology {
    /// That of a model at its start.
    pub fn new(model: &Model) -> Self {
        let chains = model
            .chains
            .iter()
            .map(|chain| ChainState { segments: Layout::new(model, chain).count, ..Default::default() });
        let open = model.joints.iter().filter(|joint| !joint.active);
        Topology {
            chains: chains.collect(),
            absent: model.bodies.iter().filter(|b| !b.present).map(|b| b.name.clone()).collect(),
            partings: open.clone().filter_map(Parting::of).collect(),
            open: open.map(|joint| joint.name.clone()).collect(),
            done: Vec::new(),
        }
    }

    /// As far as another model has the same parts.
    pub(crate) fn of(&self, model: &Model) -> Self {
        let body = |name: &String| model.bodies.iter().any(|b| b.name == *name);
        let joint = |name: &String| model.joints.iter().any(|j| j.name == *name);
        let point = |name: &String| model.points.iter().any(|p| p.name == *name);
        let change = |name: &String| model.changes.iter().any(|c| c.name == *name);
        let parting = |parting: &Parting| point(&parting.point) && parting.bodies.iter().all(body);
        let kept = |list: &[String], there: &dyn Fn(&String) -> bool| -> Vec<String> {
            list.iter().filter(|name| there(name)).cloned().collect()
        };
        Topology {
            chains: match self.chains.len() == model.chains.len() {
                true => self.chains.clone(),
                false => Self::new(model).chains,
            },
            absent: kept(&self.absent, &body),
            open: kept(&self.open, &joint),
            partings: self.partings.iter().filter(|p| parting(p)).cloned().collect(),
            done: kept(&self.done, &change),
        }
    }

    /// The one with everything that a run may ever show: all bodies, all joints closed, chains with a segment at least.
    pub(crate) fn complete(model: &Model) -> Self {
        let chains = Self::new(model).chains.into_iter();
        let at_least_one = |chain: ChainState| ChainState { segments: chain.segments.max(1), ..chain };
        Topology { chains: chains.map(at_least_one).collect(), ..Default::default() }
    }
}

impl Model {
    /// Whether it consists of more than what it lists, or changes.
    pub(crate) fn has_variable_topology(&self) -> bool {
        !self.chains.is_empty()
            || !self.modal_bodies.is_empty()
            || !self.beams.is_empty()
            || !self.changes.is_empty()
            || self.joints.iter().any(|j| !j.active || j.break_force.is_some() || j.break_moment.is_some())
            || self.bodies.iter().any(|body| !body.present)
    }

    /// Whether what it consists of can change in a run.
    pub(crate) fn can_change(&self) -> bool {
        !self.changes.is_empty()
            || self.chains.iter().any(|c| c.pay_out.is_some() || c.break_force.is_some())
            || self.joints.iter().any(|j| j.break_force.is_some() || j.break_moment.is_some())
    }
}

impl PayOutLaw {
    /// Whether the length out is imposed on the motion.
    pub(crate) fn is_imposed(&self) -> bool {
        !matches!(self, PayOutLaw::Follows)
    }
}

crate::keep::keep!(ChainState { segments, broken, slack, spent, rest });
crate::keep::keep!(Parting { joint, point, bodies });
crate::keep::keep!(Topology { chains, absent, open, partings, done });
