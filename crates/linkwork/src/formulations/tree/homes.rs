//! Which body carries each node.

use crate::linalg::vec3::Vec3;
use crate::mechanism::{BodyIndex, Mechanism, Role};

/// Body and place as drawn of every node. A node of several bodies belongs to the first of them.
pub fn node_homes(mechanism: &Mechanism) -> Vec<(BodyIndex, Vec3)> {
    let mut nodes: Vec<(BodyIndex, Vec3)> =
        mechanism.start_nodes().0.into_iter().map(|x| (None, x)).collect();
    for (b, body) in mechanism.bodies.iter().enumerate().rev() {
        for &node in body.nodes.iter().chain(body.others.iter().map(|o| &o.0)) {
            if mechanism.roles[node] != Role::Fixed {
                nodes[node] = (Some(b), body.drawn(node));
            }
        }
    }
    nodes
}
