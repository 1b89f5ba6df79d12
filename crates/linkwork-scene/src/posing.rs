//! From frames of a run to poses of a scene.
//!
//! A frame may show another mechanism than the run began with: bodies, joints, chains and beams are looked up by their names, once for every such stage.

use crate::pose::{Placement, Section, Snapshot};
use crate::scene::{Scene, Vector};
use linkwork::interactions::NamedAction;
use linkwork::linalg::quaternion;
use linkwork::linalg::vec3::{Vec3, apply, axpy, scale, sub};
use linkwork::mechanism::{Mechanism, MechanismBeam, MechanismChain};
use linkwork::model::ChainKind;
use linkwork::results::Frame;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Makes poses of one scene.
#[derive(Clone, Debug)]
pub struct Poser {
    bodies: Vec<String>,
    joints: Vec<String>,
    chains: Vec<String>,
    beams: Vec<String>,
    modal_bodies: Vec<String>,
    /// The stage that the lists below speak of; the mechanism at the start where there is none.
    stage: Option<Arc<Mechanism>>,
    known: bool,
    body_places: Vec<Option<usize>>,
    closed: Vec<bool>,
    chain_places: Vec<Option<usize>>,
    beam_places: Vec<Option<usize>>,
    modal_places: Vec<Option<usize>>,
    /// Stresses and strains of sections.
    sections: Vec<[[f64; 6]; 2]>,
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
            beams: scene.beams.iter().map(|beam| beam.name.clone()).collect(),
            modal_bodies: scene.modal_bodies.iter().map(|body| body.name.clone()).collect(),
            stage: None,
            known: false,
            body_places: Vec::new(),
            closed: Vec::new(),
            chain_places: Vec::new(),
            beam_places: Vec::new(),
            modal_places: Vec::new(),
            sections: Vec::new(),
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
            shown.bodies().iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        self.body_places = self.bodies.iter().map(|name| index.get(name.as_str()).copied()).collect();
        let closed: std::collections::HashSet<&str> =
            shown.joints().iter().map(|joint| joint.name.as_str()).collect();
        self.closed = self.joints.iter().map(|name| closed.contains(name.as_str())).collect();
        let chain = |name: &String| shown.chains().iter().position(|chain| chain.name == *name);
        self.chain_places = self.chains.iter().map(chain).collect();
        let beam = |name: &String| shown.beams().iter().position(|beam| beam.name == *name);
        self.beam_places = self.beams.iter().map(beam).collect();
        let modal = |name: &String| shown.modal_bodies().iter().position(|body| body.name == *name);
        self.modal_places = self.modal_bodies.iter().map(modal).collect();
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
        let chain = |c: &Option<usize>| c.map_or(Vec::new(), |c| pieces(shown, &shown.chains()[c], frame));
        let mut pose = Snapshot {
            t: frame.t,
            bodies: self.body_places.iter().map(place).collect(),
            joints: self.closed.clone(),
            chains: self.chain_places.iter().map(chain).collect(),
            contacts: contacts(shown, frame, &self.outputs),
            ..Snapshot::default()
        };
        for place in &self.beam_places {
            let beam = place.map(|b| &shown.beams()[b]);
            pose.beams.push(beam.map_or(Vec::new(), |beam| sections(shown, beam, frame, &mut self.sections)));
        }
        for place in &self.modal_places {
            let amplitudes = place.map(|b| shown.modal_bodies()[b].amplitudes(&frame.motions));
            pose.amplitudes.push(amplitudes.filter(|list| list.iter().all(fits)).unwrap_or_default());
        }
        pose
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

/// The sections of a beam, and the values of its fields there.
fn sections(
    mechanism: &Mechanism,
    beam: &MechanismBeam,
    frame: &Frame,
    computed: &mut Vec<[[f64; 6]; 2]>,
) -> Vec<Section> {
    let Some(law) = beam.law(mechanism) else { return Vec::new() };
    law.at_sections(&frame.motions, computed);
    let section = |(of, [stress, strain]): (&linkwork::interactions::BeamSection, &[[f64; 6]; 2])| {
        let motion = frame.motions.get(of.body?)?;
        let axes = of.axes.map(|axis| apply(&motion.turned, axis));
        // the axes are the columns
        let turned = std::array::from_fn(|i| std::array::from_fn(|k| axes[k][i]));
        let section = Section {
            at: motion.c,
            quat_wxyz: quaternion::of_matrix(&turned),
            values: [
                strain[4].hypot(strain[5]),
                stress[4].hypot(stress[5]),
                stress[0],
                stress[1].hypot(stress[2]),
                stress[3],
            ],
        };
        let finite = section.at.iter().chain(&section.quat_wxyz).chain(&section.values).all(fits);
        finite.then_some(section)
    };
    law.sections.iter().zip(&*computed).map(section).collect::<Option<_>>().unwrap_or_default()
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
