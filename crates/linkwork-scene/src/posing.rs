//! From frames of a run to poses of a scene.
//!
//! A frame may show another mechanism than the run began with: bodies, joints and chains are looked up by their names, once for every such stage.

use crate::pose::{Placement, Snapshot};
use crate::scene::{Scene, Vector};
use linkwork::interactions::NamedAction;
use linkwork::linalg::quaternion;
use linkwork::linalg::vec3::{Vec3, axpy, scale, sub};
use linkwork::mechanism::{Mechanism, MechanismBeam, MechanismChain};
use linkwork::model::ChainKind;
use linkwork::results::Frame;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// What a line of a scene shows: a chain or a beam of the mechanism, by its place.
#[derive(Clone, Copy, Debug)]
enum Strand {
    Chain(usize),
    Beam(usize),
}

/// Makes poses of one scene.
#[derive(Clone, Debug)]
pub struct Poser {
    bodies: Vec<String>,
    joints: Vec<String>,
    chains: Vec<String>,
    /// The stage that the lists below speak of; the mechanism at the start where there is none.
    stage: Option<Arc<Mechanism>>,
    known: bool,
    body_places: Vec<Option<usize>>,
    closed: Vec<bool>,
    chain_places: Vec<Option<Strand>>,
    /// Places of the outputs of each action.
    outputs: Vec<Range<usize>>,
}

impl Poser {
    /// For the frames of a run that this scene shows.
    pub fn new(scene: &Scene) -> Self {
        Poser {
            bodies: scene.bodies.iter().skip(1).map(|body| body.name.clone()).collect(),
            joints: scene.joints.iter().map(|joint| joint.name.clone()).collect(),
            chains: scene.chains.iter().map(|chain| chain.name.clone()).collect(),
            stage: None,
            known: false,
            body_places: Vec::new(),
            closed: Vec::new(),
            chain_places: Vec::new(),
            outputs: Vec::new(),
        }
    }

    fn look_up(&mut self, mechanism: &Mechanism, stage: Option<&Arc<Mechanism>>) {
        let same = match (&self.stage, stage) {
            (None, None) => true,
            (Some(known), Some(now)) => Arc::ptr_eq(known, now),
            _ => false,
        };
        if self.known && same {
            return;
        }
        let shown = stage.map_or(mechanism, |stage| stage);
        let index: HashMap<&str, usize> =
            shown.named_bodies().iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        self.body_places = self.bodies.iter().map(|name| index.get(name.as_str()).copied()).collect();
        let closed: std::collections::HashSet<&str> =
            shown.joints().iter().map(|joint| joint.name.as_str()).collect();
        self.closed = self.joints.iter().map(|name| closed.contains(name.as_str())).collect();
        let chain = |name: &String| {
            let chain = shown.chains().iter().position(|chain| chain.name == *name).map(Strand::Chain);
            chain.or_else(|| shown.beams().iter().position(|beam| beam.name == *name).map(Strand::Beam))
        };
        self.chain_places = self.chains.iter().map(chain).collect();
        let interactions = shown.interactions();
        let mut first = 0;
        let range = |action: &NamedAction| {
            let range = first..first + action.action.columns(interactions).len();
            first = range.end;
            range
        };
        self.outputs = interactions.actions.iter().map(range).collect();
        self.stage = stage.cloned();
        self.known = true;
    }

    /// Pose of a frame; `mechanism` is the one that the run began with.
    pub fn pose(&mut self, mechanism: &Mechanism, frame: &Frame) -> Snapshot {
        self.look_up(mechanism, frame.stage.as_ref());
        let shown = frame.stage.as_deref().unwrap_or(mechanism);
        let place = |b: &Option<usize>| {
            let motion = frame.motions.get((*b)?)?;
            let placement = Placement { at: motion.c, quat_wxyz: quaternion::of_matrix(&motion.turned) };
            let finite = placement.at.iter().chain(&placement.quat_wxyz).all(fits);
            finite.then_some(placement)
        };
        let chains = self.chain_places.iter().map(|c| match c {
            Some(Strand::Chain(c)) => pieces(shown, &shown.chains()[*c], frame),
            Some(Strand::Beam(b)) => axis(shown, &shown.beams()[*b], frame),
            None => Vec::new(),
        });
        Snapshot {
            t: frame.t,
            bodies: self.body_places.iter().map(place).collect(),
            joints: self.closed.clone(),
            chains: chains.collect(),
            contacts: contacts(shown, frame, &self.outputs),
        }
    }
}

impl Snapshot {
    /// Pose of a scene in a frame; `mechanism` is the one that the run began with. For many frames take a [`Poser`].
    pub fn of(scene: &Scene, mechanism: &Mechanism, frame: &Frame) -> Self {
        Poser::new(scene).pose(mechanism, frame)
    }
}

/// The lines through the nodes of a chain: a new one begins behind every broken segment.
fn pieces(mechanism: &Mechanism, chain: &MechanismChain, frame: &Frame) -> Vec<Vec<Vector>> {
    let Some(rope) = chain.rope(mechanism) else { return Vec::new() };
    let own = |r: &Vec3| sub(*r, mechanism.model().origin);
    let nodes = chain.nodes.iter().map(|&node| frame.positions.get(node).map(own));
    let Some(nodes) = nodes.collect::<Option<Vec<Vec3>>>() else {
        return Vec::new();
    };
    let links = rods(mechanism, &chain.name);
    let mut all = Vec::new();
    let mut piece: Vec<Vector> = Vec::new();
    for (k, &node) in nodes.iter().enumerate() {
        if k > 0 && !rope.whole.get(k - 1).copied().unwrap_or(true) {
            all.push(std::mem::take(&mut piece));
            // a rod parts at its end nearer to `from`, which stands across its middle from the other
            let rod = links.and_then(|links| links.get(k - 1).copied().flatten());
            if let Some(motion) = rod.and_then(|b| frame.motions.get(b)) {
                piece.push(axpy(scale(2.0, motion.c), -1.0, node));
            }
        }
        piece.push(node);
    }
    if let (Some(exit), Some(&last)) = (&rope.exit, piece.last()) {
        let at: Vec3 = exit.at.at(&frame.motions).r;
        if sub(at, last) != [0.0; 3] {
            piece.push(at);
        }
    }
    all.push(piece);
    all.retain(|piece| !piece.is_empty() && piece.iter().flatten().all(fits));
    all
}

/// The line through the sections of a beam.
fn axis(mechanism: &Mechanism, beam: &MechanismBeam, frame: &Frame) -> Vec<Vec<Vector>> {
    let own = |r: &Vec3| sub(*r, mechanism.model().origin);
    let sections: Option<Vec<Vec3>> = beam.points.iter().map(|&p| frame.positions.get(p).map(own)).collect();
    sections.filter(|line| line.iter().flatten().all(fits)).into_iter().collect()
}

/// The bodies of a chain's segments, where they are rods.
fn rods<'m>(mechanism: &'m Mechanism, chain: &str) -> Option<&'m [Option<usize>]> {
    let expansion = mechanism.expansion()?;
    let c = mechanism.model().chains.iter().position(|c| c.name == chain && c.kind == ChainKind::Rods)?;
    Some(&expansion.chains.get(c)?.links)
}

/// Whether a recording, which has 32 bits, can hold it.
fn fits(x: &f64) -> bool {
    (*x as f32).is_finite()
}

/// Points and forces of closed contacts, on the second body; contacts of elements likewise, as of wheels with the road.
fn contacts(mechanism: &Mechanism, frame: &Frame, outputs: &[Range<usize>]) -> Vec<[Vector; 2]> {
    // time steps know their points, also those that no contact of the mechanism shows
    let stepped = frame.pushes.iter().map(|push| [push.point, push.force]);
    let events = frame.pushes.is_empty();
    let closed = frame.contacts.iter().zip(mechanism.contacts()).filter(|(state, _)| events && state.closed);
    let push = closed.map(|(state, contact)| {
        let touch = contact.feature.touch(&frame.motions);
        [touch.point, axpy(state.friction, state.normal, touch.normal)]
    });
    let actions = mechanism.interactions().actions.iter().zip(outputs);
    let of_elements = actions.filter_map(|(named, outputs)| {
        named.action.contact_force(&frame.motions, frame.t, frame.outputs.get(outputs.clone())?)
    });
    push.chain(stepped).chain(of_elements).filter(|both| both.iter().flatten().all(fits)).collect()
}

/// A place of a body, or of the ground, in a pose; nothing where the body is not there.
pub fn place_in(pose: &Snapshot, spot: &crate::scene::BodyPoint) -> Option<Vector> {
    let Some(b) = spot.body.checked_sub(1) else { return Some(spot.at) };
    let placement = pose.bodies.get(b)?.as_ref()?;
    Some(placement.place(spot.at))
}

impl Placement {
    /// Position of a point of the body: c + R s.
    pub fn place(&self, s: Vector) -> Vector {
        let m = quaternion::matrix(&self.quat_wxyz);
        let turned = linkwork::linalg::vec3::apply(&m, s);
        linkwork::linalg::vec3::add(self.at, turned)
    }
}
