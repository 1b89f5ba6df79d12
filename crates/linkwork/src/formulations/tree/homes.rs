//! Which body carries each node.

use super::variables::node_on_body;
use crate::linalg::vec3::Vec3;
use crate::mechanism::{BodyIndex, Mechanism, Role};

/// Body and place as drawn of every node. A node of several bodies belongs to the first of them.
pub fn node_homes(mechanism: &Mechanism) -> Vec<(BodyIndex, Vec3)> {
    let mut r = vec![[0.0; 3]; mechanism.maps.len()];
    mechanism.maps.positions(&mechanism.start_positions, &mut r);
    let mut nodes: Vec<(BodyIndex, Vec3)> = r.iter().map(|&x| (None, x)).collect();
    for (b, body) in mechanism.bodies.iter().enumerate().rev() {
        for &node in body.nodes.iter().chain(body.others.iter().map(|o| &o.0)) {
            if mechanism.roles[node] != Role::Fixed {
                nodes[node] = (Some(b), node_on_body(mechanism, Some(b), node, &r));
            }
        }
    }
    nodes
}
