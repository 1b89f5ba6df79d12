//! Which body carries each node, and the ends of springs.

use super::variables::node_on_body;
use crate::linalg::vec3::Vec3;
use crate::mechanism::{BodyIndex, Mechanism, Role};

/// Bodies and places as drawn.
#[derive(Clone, Debug)]
pub struct Homes {
    /// Of every node.
    pub nodes: Vec<(BodyIndex, Vec3)>,
    /// Of the ends of every spring.
    pub springs: Vec<[(BodyIndex, Vec3); 2]>,
}

impl Homes {
    /// Looks them up. A node of several bodies belongs to the first of them.
    pub fn new(mechanism: &Mechanism) -> Self {
        let mut r = vec![[0.0; 3]; mechanism.maps.len()];
        mechanism.maps.positions(&mechanism.start_positions, &mut r);
        let on = |body: BodyIndex, node: usize| (body, node_on_body(mechanism, body, node, &r));
        let mut nodes: Vec<(BodyIndex, Vec3)> = r.iter().map(|&x| (None, x)).collect();
        for (b, body) in mechanism.bodies.iter().enumerate().rev() {
            for &node in body.nodes.iter().chain(body.others.iter().map(|o| &o.0)) {
                if mechanism.roles[node] != Role::Fixed {
                    nodes[node] = on(Some(b), node);
                }
            }
        }
        let springs =
            mechanism.springs.iter().map(|s| [0, 1].map(|e| on(s.bodies[e], s.law.nodes[e]))).collect();
        Homes { nodes, springs }
    }
}
