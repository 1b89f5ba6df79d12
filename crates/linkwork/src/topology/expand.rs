//! A model and a structure into a plain model: chains and modal bodies become points and bodies, what is not there is left out.
//!
//! Node k of a chain is the point `NAME/k`, its segment k the body `NAME/k` between the nodes k − 1 and k. Node 0 is the chain's `from`; the last
//! one is its `to`, unless that is the exit of a container. A segment of mass m = ρ l is
//!
//!   far:     all of it in its node k                         centre of mass there, no inertia
//!   halves:  one half in each of its ends                    centre in the middle, inertia m l²/4 across
//!   rods:    a uniform rod
//!
//! A rigid segment is one body; where segments stretch, the nodes are particles and forces act between them. A lumped segment that is
//! broken leaves its masses with its ends; rods part at the node nearer to `from`.

use super::absent::leave_out;
use super::{Layout, Parting, Topology};
use crate::joints::{Distance, JointData, Revolute, Spherical};
use crate::linalg::vec3::{Vec3, axpy, scale, sub};
use crate::model::{
    BeamLayout, Body, Chain, ChainKind, Contact, Dimension, GROUND, Inertia, Joint, Lumping, Mass, Meeting,
    Model, Place, Point, SupplyEnd, Surface, SurfaceForm,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a chain has become.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainParts {
    /// Length of a segment, m.
    pub segment: f64,
    /// The points of its nodes.
    pub nodes: Vec<String>,
    /// Which segments are there: all but the broken ones.
    pub whole: Vec<bool>,
    /// The body of each segment, by its place among the bodies; none if it stretches or is broken.
    pub links: Vec<Option<usize>>,
    /// Length that is out by the law where nothing has been inserted or taken in, m, less the full segments.
    pub growing: f64,
    /// Whether its container is empty.
    pub spent: bool,
    /// Mass of each node as lumped, kg; of rods as if one half were at either end.
    pub masses: Vec<f64>,
}

/// What an expanded model was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The structure.
    pub structure: Topology,
    /// The chains.
    pub chains: Vec<ChainParts>,
    /// The beams, as drawn.
    pub beams: Vec<BeamLayout>,
    /// How many of the points the user knows: the first ones.
    pub points: usize,
    /// How many of the bodies.
    pub bodies: usize,
    /// How many of the contacts.
    pub contacts: usize,
    /// Points at which more than two meet when all is there: joints that they imply have the names of their bodies, whoever is there.
    pub crowded: HashSet<String>,
    /// Contacts that are between many when all is there: they have the names of what touches, whoever is there.
    pub of_many: HashSet<String>,
    /// Rods that have parted from those before them.
    pub snapped: Vec<Parting>,
    /// Points whose bodies are not there.
    pub alone: HashSet<String>,
}

impl Expansion {
    /// Points that some bodies do not share with others of the same name.
    pub fn partings(&self) -> impl Iterator<Item = &Parting> {
        self.structure.partings.iter().chain(&self.snapped)
    }
}

/// A model that has been spelled out, and what it was made from.
pub(crate) struct Expanded {
    /// Points, bodies and joints, those of chains included.
    pub model: Model,
    expansion: Arc<Expansion>,
}

impl Expanded {
    /// For the compiler.
    pub fn plain(&self) -> Plain<'_> {
        Plain { model: &self.model, expansion: Some(&self.expansion) }
    }
}

/// A model without chains and changes, as the compiler takes it.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'a> {
    /// The model.
    pub model: &'a Model,
    /// What it was made from, where it was spelled out.
    pub expansion: Option<&'a Arc<Expansion>>,
}

impl<'a> Plain<'a> {
    /// A model that says everything by itself.
    pub fn new(model: &'a Model) -> Self {
        Plain { model, expansion: None }
    }
}

/// The plain model.
pub(crate) fn expand(model: &Model, structure: &Topology) -> Expanded {
    let author = model;
    let mut out = model.with_sections();
    let with_sections = out.clone();
    let model = if author.beams.is_empty() { author } else { &with_sections };
    let alone = leave_out(&mut out, structure);
    // the points and bodies of sections stand behind those of the author
    let sections = [model.points.len() - author.points.len(), model.bodies.len() - author.bodies.len()];
    let of_author = (out.points.len() - sections[0], out.bodies.len().saturating_sub(sections[1]));
    let contacts = out.contacts.len();
    let (points, bodies) = match out.modal_bodies.is_empty() {
        true => of_author,
        // behind them stand modal bodies, which the author speaks of
        false => out.add_modal_parts(),
    };
    let mut chains = Vec::new();
    for (c, chain) in model.chains.iter().enumerate() {
        chains.push(spell_out(&mut out, model, chain, structure, c));
    }
    let structure = structure.clone();
    let (crowded, snapped) = (crowded(model), snapped(model, &structure, &chains));
    let pairs = |contact: &Contact| match &contact.of {
        Meeting::Between([first, second]) => first.len() * second.len(),
        Meeting::Among(list) => list.len() * list.len().saturating_sub(1) / 2,
    };
    let of_many = model.contacts.iter().filter(|c| pairs(c) > 1).map(|c| c.name.clone()).collect();
    let expansion = Expansion {
        structure,
        chains,
        beams: author.beam_layouts(),
        points,
        bodies,
        contacts,
        crowded,
        of_many,
        snapped,
        alone,
    };
    out.expanded = true;
    Expanded { model: out, expansion: Arc::new(expansion) }
}

/// Where more than two meet. Points that a joint makes one count together.
fn crowded(model: &Model) -> HashSet<String> {
    let mut group: HashMap<&str, &str> = HashMap::new();
    let root = |group: &HashMap<&'_ str, &'_ str>, point: &str| -> String {
        let mut at = point;
        while let Some(&next) = group.get(at) {
            at = next;
        }
        at.to_owned()
    };
    for joint in model.joints.iter().filter(|joint| !joint.kind().slides()) {
        let [a, b] = joint.at.each_ref().map(|point| root(&group, point));
        if a != b
            && let Some(known) = model.points.iter().map(|p| p.name.as_str()).find(|p| *p == b)
            && let Some(name) = model.points.iter().map(|p| p.name.as_str()).find(|p| *p == a)
        {
            group.insert(known, name);
        }
    }
    let mut holders: HashMap<String, HashSet<(bool, &str)>> = HashMap::new();
    let mut hold = |point: &str, who| {
        holders.entry(root(&group, point)).or_default().insert(who);
    };
    model.ground.iter().for_each(|point| hold(point, (false, GROUND)));
    for body in &model.bodies {
        body.points.iter().for_each(|point| hold(point, (false, &body.name)));
    }
    for joint in model.joints.iter().filter(|joint| !joint.kind().slides()) {
        joint.at.iter().zip(&joint.bodies).for_each(|(point, body)| hold(point, (false, body)));
    }
    for chain in &model.chains {
        hold(&chain.from, (true, &chain.name));
        chain.to.iter().filter(|_| chain.pay_out.is_none()).for_each(|to| hold(to, (true, &chain.name)));
    }
    let points = model.points.iter().map(|point| &point.name);
    points
        .filter(|point| holders.get(&root(&group, point)).is_some_and(|all| all.len() > 2))
        .cloned()
        .collect()
}

/// A rod that is broken leaves the node nearer to `from`.
fn snapped(model: &Model, structure: &Topology, chains: &[ChainParts]) -> Vec<Parting> {
    let mut all = Vec::new();
    let rods = |chain: &Chain| chain.kind == ChainKind::Rods && chain.stiffness.is_none();
    for ((chain, state), parts) in model.chains.iter().zip(&structure.chains).zip(chains) {
        for &k in state.broken.iter().filter(|&&k| rods(chain) && k >= 1 && k < parts.nodes.len()) {
            let bodies = vec![format!("{}/{k}", chain.name)];
            all.push(Parting { joint: bodies[0].clone(), point: parts.nodes[k - 1].clone(), bodies });
        }
    }
    all
}

/// What a segment is made of, as drawn.
struct Segment<'a> {
    ends: [&'a str; 2],
    at: [Vec3; 2],
    mass: f64,
    length: f64,
}

fn spell_out(
    out: &mut Model,
    model: &Model,
    chain: &Chain,
    structure: &Topology,
    index: usize,
) -> ChainParts {
    let state = &structure.chains[index];
    let layout = Layout::new(model, chain);
    let n = state.segments;
    let drawn = layout.nodes(n);
    let ground: HashSet<&str> = model.ground.iter().map(String::as_str).collect();
    let ends_at = chain.to.as_ref().filter(|_| chain.pay_out.is_none());
    let mut nodes = vec![chain.from.clone()];
    for (k, &position) in drawn.iter().enumerate().skip(1) {
        match ends_at {
            Some(to) if k == n => nodes.push(to.clone()),
            _ => {
                let name = format!("{}/{k}", chain.name);
                out.points.push(Point { name: name.clone(), position });
                nodes.push(name);
            }
        }
    }
    let mass = chain.mass_per_length * layout.segment;
    let whole: Vec<bool> = (1..=n).map(|k| !state.broken.contains(&k)).collect();
    let mut masses = vec![0.0; n + 1];
    for k in 1..=n {
        let near = if chain.masses == Lumping::Far && chain.kind == ChainKind::Lumped { 0.0 } else { 0.5 };
        masses[k - 1] += near * mass;
        masses[k] += (1.0 - near) * mass;
    }
    let mut links = vec![None; n];
    let elastic = chain.stiffness.is_some();
    if elastic {
        for (k, node) in nodes.iter().enumerate() {
            // what the ground holds does not move
            if masses[k] > 0.0 && !ground.contains(node.as_str()) {
                out.bodies.push(particle(format!("{}/{k}", chain.name), node, masses[k], model.dimension));
            }
        }
    }
    for k in (1..=n).filter(|_| !elastic) {
        let name = format!("{}/{k}", chain.name);
        let at = [drawn[k - 1], drawn[k]];
        let segment = Segment { ends: [&nodes[k - 1], &nodes[k]], at, mass, length: layout.segment };
        if whole[k - 1] || chain.kind == ChainKind::Rods {
            links[k - 1] = Some(out.bodies.len());
            out.bodies.push(link(name, chain, &segment, model.dimension));
            continue;
        }
        let near = if chain.masses == Lumping::Far { 0.0 } else { 0.5 };
        for (part, end, suffix) in [(near, 0, "-"), (1.0 - near, 1, "")] {
            if part > 0.0 && !ground.contains(segment.ends[end]) {
                let name = format!("{name}{suffix}");
                out.bodies.push(particle(name, segment.ends[end], part * mass, model.dimension));
            }
        }
    }
    if state.spent && chain.pay_out.as_ref().is_some_and(|p| p.at_end == SupplyEnd::Tied) {
        // what is left of a segment, or its node itself
        tie(out, chain, &nodes[n], if state.rest > TIED * layout.segment { state.rest } else { 0.0 });
    }
    if let Some(contact) = &chain.contact {
        touch(out, model, chain, contact, &nodes, &links);
    }
    ChainParts {
        segment: layout.segment,
        nodes,
        whole,
        links,
        growing: layout.out - n as f64 * layout.segment - state.slack,
        spent: state.spent,
        masses,
    }
}

fn particle(name: String, point: &str, mass: f64, dimension: Dimension) -> Body {
    let inertia = match dimension {
        Dimension::Planar => Inertia::Polar(0.0),
        Dimension::Spatial => Inertia::Matrix([0.0; 6]),
    };
    Body::new(name, [point], Mass::Given { mass, com: Place::Point(point.into()), inertia })
}

fn link(name: String, chain: &Chain, segment: &Segment<'_>, dimension: Dimension) -> Body {
    let Segment { ends, at, mass, length } = *segment;
    let nothing = match dimension {
        Dimension::Planar => Inertia::Polar(0.0),
        Dimension::Spatial => Inertia::Matrix([0.0; 6]),
    };
    match (chain.kind, chain.masses) {
        (ChainKind::Rods, _) => Body::rod(name, ends, mass),
        (ChainKind::Lumped, Lumping::Far) => {
            Body::new(name, ends, Mass::Given { mass, com: Place::Point(ends[1].into()), inertia: nothing })
        }
        (ChainKind::Lumped, Lumping::Halves) => {
            let across = 0.25 * mass * length * length;
            let e = scale(1.0 / length, sub(at[1], at[0]));
            let inertia = match dimension {
                Dimension::Planar => Inertia::Polar(across),
                Dimension::Spatial => {
                    let entry = |i: usize, j: usize| across * (f64::from(u8::from(i == j)) - e[i] * e[j]);
                    Inertia::Matrix([
                        entry(0, 0),
                        entry(1, 1),
                        entry(2, 2),
                        entry(0, 1),
                        entry(0, 2),
                        entry(1, 2),
                    ])
                }
            };
            let middle = axpy(scale(0.5, at[0]), 0.5, at[1]);
            Body::new(name, ends, Mass::Given { mass, com: Place::At(middle), inertia })
        }
    }
}

/// An end nearer to the exit than this part of a segment is tied to it without a piece between.
const TIED: f64 = 1e-6;

/// Ties the end of a chain to the exit that it has left, as far from it as it is.
fn tie(out: &mut Model, chain: &Chain, node: &str, length: f64) {
    let holder = |point: &str| match out.ground.iter().any(|p| p == point) {
        true => Some(GROUND),
        false => out.bodies.iter().find(|b| b.points.iter().any(|p| p == point)).map(|b| b.name.as_str()),
    };
    let Some(to) = &chain.to else { return };
    if let (Some(first), Some(second)) = (holder(to), holder(node)) {
        let name = format!("{}/end", chain.name);
        let data: JointData = match out.dimension {
            _ if length > 0.0 => Distance { length: Some(length) }.into(),
            Dimension::Planar => Revolute { axis: None }.into(),
            Dimension::Spatial => Spherical.into(),
        };
        out.joints.push(Joint::between(name, data, [first, second], [to, node]));
    }
}

/// A point of every node that moves, and one contact of all of them with the surface. What holds `from` has contacts of its own.
fn touch(
    out: &mut Model,
    model: &Model,
    chain: &Chain,
    contact: &crate::model::ChainContact,
    nodes: &[String],
    links: &[Option<usize>],
) {
    let mut feelers = Vec::new();
    let held = model.ground.contains(&nodes[0]) || model.bodies.iter().any(|b| b.points.contains(&nodes[0]));
    for (k, node) in nodes.iter().enumerate().skip(usize::from(held)) {
        if out.ground.contains(node) {
            continue;
        }
        let name = format!("{}/{k}", chain.name);
        let link = links.get(k.max(1) - 1).copied().flatten();
        let body = match link {
            Some(b) => out.bodies[b].name.clone(),
            None => match out.bodies.iter().find(|b| b.points.contains(node)) {
                Some(body) => body.name.clone(),
                None => continue,
            },
        };
        out.surfaces.push(Surface {
            name: name.clone(),
            body,
            form: SurfaceForm::Point { at: Place::Point(node.clone()) },
        });
        feelers.push(name);
    }
    if !feelers.is_empty() {
        out.contacts.push(Contact {
            name: chain.name.clone(),
            of: Meeting::Between([vec![contact.surface.clone()], feelers]),
            friction: contact.friction,
            restitution: contact.restitution,
            jointed: true,
            except: Vec::new(),
        });
    }
}
