//! Which joints a mechanism has: those that shared points imply, with the model's names and kinds where it
//! gives them, and those that share nothing.
//!
//! Bodies that meet at a node are joined in a tree: first the pairs that the model names, then everybody
//! else to the first of them (the ground, if it is there). Points that the same two bodies share belong to
//! one joint, unless the model has several entries for the two: then each has its own point, and the first
//! of them the points that none names. Joints that slide are further joints, whatever else their
//! bodies share: a beam on a pin and a roller. What a joint does to its second body at a node is what all bodies on that side of it feel
//! there; on the ground's side nothing is felt, so there it is the opposite of what the other side does.

use super::features::{BodyIndex, Features};
use super::joints::JointSpec;
use super::{MechanismBody, MechanismJoint};
use crate::error::names::segment;
use crate::linalg::vec3::{Vec3, axpy, cross, dot, norm, sub, unit};
use crate::model::{Dimension, Fault, GROUND, JointKind, Model};
use crate::topology::Expansion;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Directions and places that agree to this are the same.
const SAME: f64 = 1e-9;

/// What the list is made from.
pub(super) struct Nodes<'a> {
    pub model: &'a Model,
    /// What the model was made from.
    pub expansion: Option<&'a Arc<Expansion>>,
    pub features: &'a Features,
    pub bodies: &'a [MechanismBody],
    /// Bodies that hold each node.
    pub holders: &'a [BTreeSet<BodyIndex>],
    pub names: &'a [String],
    /// Places as drawn.
    pub drawn: &'a [Vec3],
    /// Node of each occurrence.
    pub node_of: &'a [usize],
}

impl Nodes<'_> {
    /// Whether more than two meet at a node; where what there is changes, whether they ever do.
    fn crowded(&self, node: usize) -> bool {
        match &self.expansion {
            None => self.holders[node].len() > 2,
            Some(expansion) => expansion.crowded.contains(&self.names[node]),
        }
    }

    /// The first point of the model that both bodies have at a node: a name that does not depend on who else is there.
    fn named_for(&self, node: usize, bodies: [BodyIndex; 2]) -> &str {
        let both = |name: &str| {
            let has =
                |body: BodyIndex| self.features.on_body(body, name).is_some_and(|o| self.node_of[o] == node);
            bodies.into_iter().all(has)
        };
        if self.expansion.is_none() || both(&self.names[node]) {
            return &self.names[node];
        }
        let names = self.model.points.iter().map(|point| point.name.as_str());
        names.into_iter().find(|name| both(name)).unwrap_or(&self.names[node])
    }
}

/// A joint of two bodies with the nodes they share.
struct Pair {
    bodies: [BodyIndex; 2],
    /// The model's entry, if it has one.
    entry: Option<usize>,
    /// Node, bodies on one side of the joint there, and the sign with which their forces count.
    shared: Vec<(usize, Vec<usize>, f64)>,
}

/// The model's entries for joints whose points stay together, by the bodies that they join.
struct Entries {
    /// Of each two bodies, in the order of the numbers.
    of: HashMap<[BodyIndex; 2], Vec<usize>>,
    /// The entry of two bodies at a node.
    at: HashMap<([BodyIndex; 2], Option<usize>), usize>,
    /// Second entries for the same two bodies at the same place.
    refused: HashSet<usize>,
}

impl Entries {
    fn new(nodes: &Nodes<'_>, specs: &[JointSpec], faults: &mut Vec<Fault>) -> Self {
        let joints = &nodes.model.joints;
        let node = |j: usize| specs.get(j).map(|spec: &JointSpec| nodes.node_of[spec.sides[1]]);
        let mut entries = Entries { of: HashMap::new(), at: HashMap::new(), refused: HashSet::new() };
        for (j, joint) in joints.iter().enumerate().filter(|(_, joint)| !joint.kind().slides()) {
            let bodies = bodies_of(nodes, j);
            let first = *entries.at.entry((bodies, node(j))).or_insert(j);
            if first == j {
                entries.of.entry(bodies).or_default().push(j);
                continue;
            }
            entries.refused.insert(j);
            let [a, b] = &joint.bodies;
            let message =
                format!("`{a}` and `{b}` are joined at this point by `{}` already", joints[first].name);
            let help = "leave one of the two entries out, or give it a point of its own";
            faults.push(Fault::error(format!("joints.{}", segment(&joint.name)), message).help(help));
        }
        entries
    }

    /// The entry that a node which two bodies share belongs to: the one that names it, or the first.
    fn at(&self, bodies: [BodyIndex; 2], node: usize) -> Option<usize> {
        match self.of.get(&bodies)?.as_slice() {
            [only] => Some(*only),
            several => self.at.get(&(bodies, Some(node))).or(several.first()).copied(),
        }
    }
}

/// The bodies of an entry, whatever their order in the model.
fn bodies_of(nodes: &Nodes<'_>, j: usize) -> [BodyIndex; 2] {
    let mut bodies = nodes.model.joints[j].bodies.each_ref().map(|name| nodes.features.body(name));
    bodies.sort_unstable();
    bodies
}

/// Lists the joints; faults where the model's entries contradict what is shared.
pub(super) fn list(nodes: &Nodes<'_>, specs: &[JointSpec], faults: &mut Vec<Fault>) -> Vec<MechanismJoint> {
    let model = nodes.model;
    let of = |j: usize| model.joints[j].bodies.each_ref().map(|name| nodes.features.body(name));
    let entries = Entries::new(nodes, specs, faults);
    let pairs = pairs(nodes, &entries);
    let mut taken: HashMap<usize, usize> = HashMap::new(); // entry of the model -> joint
    let mut joints: Vec<MechanismJoint> = Vec::new();
    for pair in pairs {
        if let Some(j) = pair.entry {
            taken.insert(j, joints.len());
        }
        joints.push(implied(nodes, specs, &entries, pair, faults));
    }
    let sharing: HashSet<[BodyIndex; 2]> = joints.iter().map(|k| k.bodies).collect();
    for (j, (joint, spec)) in model.joints.iter().zip(specs).enumerate() {
        // one that slides is a joint of its own
        if taken.contains_key(&j) || entries.refused.contains(&j) {
            continue;
        }
        let path = format!("joints.{}", segment(&joint.name));
        if !joint.kind().slides() {
            let message = format!("the bodies at `{}` are joined by other entries already", joint.at[0]);
            faults.push(Fault::error(path, message).help("leave out the entry that follows from the others"));
            continue;
        }
        let [a, b] = of(j);
        if joint.kind().is_free() && (sharing.contains(&[a, b]) || sharing.contains(&[b, a])) {
            let message = "its bodies share a point, so neither is free of the other";
            faults.push(Fault::error(path, message).help("let only one of the two bodies list that point"));
        }
        joints.push(MechanismJoint {
            name: joint.name.clone(),
            kind: joint.kind(),
            bodies: [a, b],
            shared: vec![],
            felt_by: vec![],
            points: spec.sides.map(|o| nodes.node_of[o]),
            rows: vec![],
            axis: spec.axis,
            axis2: spec.axis2,
            cut: joint.cut,
            entry: Some(j),
            coordinates: vec![],
        });
    }
    name_apart(model, &mut joints, nodes.bodies);
    joints
}

/// Joins the bodies at every node in a tree, and gathers what the same two bodies share.
fn pairs(nodes: &Nodes<'_>, entries: &Entries) -> Vec<Pair> {
    let mut partners: HashMap<BodyIndex, Vec<BodyIndex>> = HashMap::new();
    for &[a, b] in entries.of.keys() {
        partners.entry(a).or_default().push(b);
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut index: HashMap<([BodyIndex; 2], Option<usize>), usize> = HashMap::new();
    for (node, held) in nodes.holders.iter().enumerate().filter(|(_, held)| held.len() > 1) {
        let here: Vec<BodyIndex> = held.iter().copied().collect();
        let number: HashMap<BodyIndex, usize> = here.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut group: Vec<usize> = (0..here.len()).collect();
        let root = |group: &[usize], mut i: usize| {
            while group[i] != i {
                i = group[i];
            }
            i
        };
        let mut named: Vec<(usize, usize, usize)> = Vec::new();
        for &body in &here {
            for &other in partners.get(&body).into_iter().flatten().filter(|other| number.contains_key(other))
            {
                if let Some(j) = entries.at([body, other], node) {
                    let bodies = nodes.model.joints[j].bodies.each_ref();
                    let [i, k] = bodies.map(|name| number[&nodes.features.body(name)]);
                    named.push((j, i, k));
                }
            }
        }
        named.sort_unstable();
        let rest = (1..here.len()).map(|k| (usize::MAX, 0, k));
        let mut edges: Vec<(usize, usize, usize)> = Vec::new();
        for (j, i, k) in named.into_iter().chain(rest) {
            let (a, b) = (root(&group, i), root(&group, k));
            if a != b {
                group[a.max(b)] = a.min(b);
                edges.push((j, i, k));
            }
        }
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); here.len()];
        for &(_, i, k) in &edges {
            around[i].push(k);
            around[k].push(i);
        }
        for &(j, i, k) in &edges {
            let entry = (j != usize::MAX).then_some(j);
            let bodies = [here[i], here[k]];
            let mut side = beyond(&around, i, k);
            let mut sign = 1.0;
            if side.iter().any(|&s| here[s].is_none()) {
                side = beyond(&around, k, i);
                sign = -1.0;
            }
            let felt: Vec<usize> = side.into_iter().filter_map(|s| here[s]).collect();
            let at = *index.entry((bodies, entry)).or_insert_with(|| {
                pairs.push(Pair { bodies, entry, shared: Vec::new() });
                pairs.len() - 1
            });
            pairs[at].shared.push((node, felt, sign));
        }
    }
    pairs
}

/// The members on the far side of the edge from i to k.
fn beyond(around: &[Vec<usize>], i: usize, k: usize) -> Vec<usize> {
    let (mut found, mut next) = (vec![k], vec![(k, i)]);
    while let Some((at, from)) = next.pop() {
        for &n in around[at].iter().filter(|&&n| n != from) {
            found.push(n);
            next.push((n, at));
        }
    }
    found
}

/// The joint of a pair, after the model's entry if there is one.
fn implied(
    nodes: &Nodes<'_>,
    specs: &[JointSpec],
    entries: &Entries,
    mut pair: Pair,
    faults: &mut Vec<Fault>,
) -> MechanismJoint {
    let model = nodes.model;
    let planar = model.dimension == Dimension::Planar;
    // the joint is called after the point that the model lists first
    pair.shared.sort_by_key(|(node, ..)| nodes.features.point_index.get(&nodes.names[*node]));
    let places: Vec<Vec3> = pair.shared.iter().map(|(node, ..)| nodes.drawn[*node]).collect();
    let line = shared_line(&places);
    let (kind, line) = match (planar, places.len(), line) {
        (true, 1, _) => (JointKind::Revolute, Some([0.0, 0.0, 1.0])),
        (false, 1, _) => (JointKind::Spherical, None),
        (false, _, Some(line)) => (JointKind::Revolute, Some(line)),
        _ => (JointKind::Fixed, None),
    };
    let first = pair.shared[0].0;
    let mut joint = MechanismJoint {
        name: match pair.bodies[1] {
            Some(b) if nodes.crowded(first) => {
                format!("{}.{}", nodes.named_for(first, pair.bodies), nodes.bodies[b].name)
            }
            _ => nodes.names[first].clone(),
        },
        kind,
        bodies: pair.bodies,
        shared: pair.shared.iter().map(|s| s.0).collect(),
        felt_by: pair.shared.into_iter().map(|s| (s.1, s.2)).collect(),
        points: [first, first],
        rows: vec![],
        axis: line,
        axis2: None,
        cut: false,
        entry: pair.entry,
        coordinates: vec![],
    };
    let Some(j) = pair.entry else { return joint };
    let said = &model.joints[j];
    let path = format!("joints.{}", segment(&said.name));
    let given = said.axis().and_then(|a| super::joints::direction(a, nodes.features));
    let held = |kind: JointKind| kind.descriptor().shares;
    if held(said.kind()) < held(kind) {
        let message = format!(
            "`{}` and `{}` share {} points, which makes a {} joint of it, not a {} one",
            said.bodies[0],
            said.bodies[1],
            joint.shared.len(),
            kind.name(),
            said.kind().name()
        );
        let help = "let only one of the two bodies list the points that they should not share";
        faults.push(Fault::error(format!("{path}.type"), message).help(help));
    }
    if let (false, JointKind::Revolute, Some(given), Some(line)) = (planar, kind, given, line)
        && norm(cross(given, line)) > 1e-6
    {
        let message = "the axis does not run along the points that the bodies share";
        faults.push(
            Fault::error(format!("{path}.axis"), message).help("leave `axis` out: those points are the axis"),
        );
    }
    joint.name.clone_from(&said.name);
    joint.kind = said.kind();
    joint.axis2 = specs.get(j).and_then(|spec| spec.axis2);
    joint.cut = said.cut;
    if !planar {
        joint.axis = if kind == JointKind::Revolute { line } else { given };
        // one of several hinges turns about the line through them all
        let several = entries.of.get(&bodies_of(nodes, j)).is_some_and(|all| all.len() > 1);
        if several && joint.axis.is_none() && said.kind() == JointKind::Revolute {
            joint.axis = specs.get(j).and_then(|spec| spec.axis);
        }
    }
    // the entry's own point comes first
    if let Some(at) = nodes.features.on_body(pair.bodies[1], &said.at[1])
        && joint.shared.contains(&nodes.node_of[at])
    {
        joint.points = [nodes.node_of[at]; 2];
    }
    joint
}

/// The direction of the line that two or more different places lie on, if they do.
fn shared_line(places: &[Vec3]) -> Option<Vec3> {
    let o = *places.first()?;
    let far = places.iter().map(|&p| sub(p, o)).max_by(|a, b| norm(*a).total_cmp(&norm(*b)))?;
    let length = norm(far);
    if length == 0.0 {
        return None;
    }
    let u = unit(far);
    let on_line = |&p: &Vec3| {
        let d = sub(p, o);
        norm(axpy(d, -dot(d, u), u)) <= SAME * length
    };
    // towards the second point, as one reads
    let second = sub(*places.get(1)?, o);
    places.iter().all(on_line).then(|| if dot(u, second) < 0.0 { u.map(|c| -c) } else { u })
}

/// Implied names must differ from given ones and from each other.
fn name_apart(model: &Model, joints: &mut [MechanismJoint], bodies: &[MechanismBody]) {
    let mut seen: HashSet<String> = model.joints.iter().map(|j| j.name.clone()).collect();
    let mut primes: HashMap<String, usize> = HashMap::new();
    for joint in joints.iter_mut().filter(|j| j.entry.is_none()) {
        if seen.insert(joint.name.clone()) {
            continue;
        }
        let longer = format!("{}.{}", joint.name, joint.bodies[1].map_or(GROUND, |b| &bodies[b].name));
        if seen.insert(longer.clone()) {
            joint.name = longer;
            continue;
        }
        // the first ones get primes, as one writes; many get numbers
        let count = primes.entry(joint.name.clone()).or_insert(0);
        loop {
            *count += 1;
            let prime = if *count <= 3 { "'".repeat(*count) } else { format!("'{count}") };
            let name = format!("{}{prime}", joint.name);
            if seen.insert(name.clone()) {
                joint.name = name;
                break;
            }
        }
    }
}
