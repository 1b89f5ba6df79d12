//! Who holds what: for every node and row the particles that stand for it, worked out once.
//!
//! Observation asks at every row of results which particles of a body carry a node; a search through the
//! points of the body each time would make large mechanisms quadratic.

use super::{BodyIndex, Mechanism, MechanismBody, Role};
use crate::interactions::{Action, NamedAction, Spring};
use std::collections::HashMap;

/// How a body carries a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// As this primary particle.
    Primary(usize),
    /// As this one of its other points, by weights over the primary particles.
    Other(usize),
}

/// A node that follows from a body.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    /// The body, and which of its other points the node is.
    pub body: usize,
    pub other: usize,
    /// Bodies that have it as a primary particle.
    pub primaries: Vec<(usize, usize)>,
    /// Closings at the node.
    pub closings: Vec<usize>,
}

/// Where to read the force of a joint at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A primary particle of a body.
    Particle(usize, usize),
    /// A closing.
    Closing(usize),
    /// A node that follows, by its number in the order.
    Follower(usize),
    /// Nowhere: the ground, or nobody.
    Nothing,
}

/// A node of a row, and the body on which its force acts, with how that body carries it.
pub(crate) type RowEnd = (usize, Option<(usize, Carrier)>);

/// A spring between nodes, as formulations whose coordinates are points see it.
#[derive(Clone, Debug)]
pub(crate) struct SpringLink {
    /// Which action it is.
    pub action: usize,
    /// Its ends.
    pub nodes: [usize; 2],
    /// The bodies that its ends pull at.
    pub carriers: [Option<(usize, Carrier)>; 2],
}

/// Everything that can be looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    carriers: HashMap<(usize, usize), Carrier>,
    nodes: usize,
    /// In the order in which the nodes follow.
    pub followers: Vec<Follower>,
    /// For each row, for each of its nodes: body and carrier.
    pub rows: Vec<Vec<RowEnd>>,
    /// For each joint, for each shared node: where to read, and the sign.
    pub joints: Vec<Vec<(Vec<Source>, f64)>>,
    /// For each spring.
    pub springs: Vec<SpringLink>,
}

impl Links {
    /// Looks everything up, once nodes, rows and joints are listed.
    pub fn new(mechanism: &Mechanism) -> Self {
        let mut links = Links { nodes: mechanism.maps.len(), ..Links::default() };
        let mut primaries: Vec<Vec<(usize, usize)>> = vec![Vec::new(); links.nodes];
        for (b, body) in mechanism.bodies.iter().enumerate() {
            // a node may stand for several points of one body: the first counts
            for (i, &node) in body.nodes.iter().enumerate() {
                links.carriers.entry((b, node)).or_insert_with(|| {
                    primaries[node].push((b, i));
                    Carrier::Primary(i)
                });
            }
            for (o, &(node, _)) in body.others.iter().enumerate() {
                links.carriers.entry((b, node)).or_insert(Carrier::Other(o));
            }
        }
        let mut closings: Vec<Vec<usize>> = vec![Vec::new(); links.nodes];
        let mut sources: HashMap<(usize, usize), Source> = HashMap::new();
        for (c, closing) in mechanism.closings.iter().enumerate() {
            closings[closing.node].push(c);
            sources.entry((closing.body, closing.node)).or_insert(Source::Closing(c));
        }
        for &node in &mechanism.follow_order {
            let Role::Follows(body) = mechanism.roles[node] else { continue };
            let Some(&Carrier::Other(other)) = links.carriers.get(&(body, node)) else { continue };
            sources.entry((body, node)).or_insert(Source::Follower(links.followers.len()));
            links.followers.push(Follower {
                body,
                other,
                primaries: std::mem::take(&mut primaries[node]),
                closings: std::mem::take(&mut closings[node]),
            });
        }
        for row in &mechanism.rows.list {
            let nodes = row.constraint.nodes();
            let ends = nodes.into_iter().zip(&row.acts_on).map(|(node, &on)| (node, links.carrier(on, node)));
            links.rows.push(ends.collect());
        }
        for joint in &mechanism.joints {
            let source = |b: usize, node: usize| match links.carriers.get(&(b, node)) {
                Some(&Carrier::Primary(i)) => Source::Particle(b, i),
                _ => sources.get(&(b, node)).copied().unwrap_or(Source::Nothing),
            };
            let at_node = |(&node, (felt_by, sign)): (&usize, &(Vec<usize>, f64))| {
                (felt_by.iter().map(|&b| source(b, node)).collect(), *sign)
            };
            links.joints.push(joint.shared.iter().zip(&joint.felt_by).map(at_node).collect());
        }
        links
    }

    /// How a body carries a node, if it does.
    pub fn carrier(&self, body: BodyIndex, node: usize) -> Option<(usize, Carrier)> {
        let body = body?;
        self.carriers.get(&(body, node)).map(|&carrier| (body, carrier))
    }

    /// The first body that carries each node.
    pub fn holders(&self) -> Vec<BodyIndex> {
        let mut holders = vec![None; self.nodes];
        for &(body, node) in self.carriers.keys() {
            let holder: &mut BodyIndex = &mut holders[node];
            if holder.is_none_or(|known| body < known) {
                *holder = Some(body);
            }
        }
        holders
    }

    /// Looks up the ends of the springs.
    pub fn springs(&mut self, actions: &[NamedAction], springs: &[(usize, [usize; 2])]) {
        let link = |&(action, nodes): &(usize, [usize; 2])| {
            let Action::Spring(spring) = &actions[action].action else { return None };
            let carriers = [0, 1].map(|end| self.carrier(spring.ends[end].body, nodes[end]));
            Some(SpringLink { action, nodes, carriers })
        };
        self.springs = springs.iter().filter_map(link).collect();
    }
}

impl Mechanism {
    /// The plain springs with their nodes.
    #[inline]
    pub(crate) fn springs_between_nodes(&self) -> impl Iterator<Item = (&SpringLink, &Spring)> {
        self.links.springs.iter().filter_map(|link| match &self.interactions.actions[link.action].action {
            Action::Spring(spring) => Some((link, &**spring)),
            _ => None,
        })
    }
}

impl MechanismBody {
    /// Calls `each` with the number and the weight of every primary particle that carries a point.
    #[inline]
    pub(crate) fn spread(&self, carrier: Carrier, mut each: impl FnMut(usize, f64)) {
        match carrier {
            Carrier::Primary(i) => each(i, 1.0),
            Carrier::Other(o) => {
                for (i, &w) in self.others[o].1.iter().enumerate() {
                    each(i, w);
                }
            }
        }
    }
}
