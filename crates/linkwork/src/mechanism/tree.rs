//! The spanning tree of a mechanism: which joints carry the bodies, and which are cut.
//!
//! Bodies are nodes, joints are edges. The tree grows from the ground in order of distance, so that
//! loops are closed as far from it as possible and each is as short as possible; among joints of equal
//! distance those that hold most carry and those that hold least are cut (a cut pin is two or three equations).
//! A joint that the model marks `cut` carries only if there is no other way. Bodies that no joint
//! connects to the ground float: the first of them gets a joint of three or six degrees of freedom.

use super::{BodyIndex, Mechanism};
use crate::model::JointKind;
use std::collections::BinaryHeap;

/// How a body hangs in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The body it hangs on; `None` is the ground.
    pub parent: BodyIndex,
    /// The joint that carries it; `None`: it floats.
    pub joint: Option<usize>,
    /// Whether the body is the first body of that joint, not the second.
    pub reversed: bool,
}

/// The spanning tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Bodies, each after its parent.
    pub order: Vec<usize>,
    /// How each body hangs, by body.
    pub branches: Vec<Branch>,
    /// Joints that close loops.
    pub cut: Vec<usize>,
}

/// How much a joint holds: the more, the sooner it carries.
fn holds(kind: JointKind) -> u8 {
    match kind {
        JointKind::Fixed => 5,
        JointKind::Prismatic => 4,
        JointKind::Cylindrical => 3,
        JointKind::Revolute => 2,
        JointKind::Spherical => 1,
        JointKind::PointOnLine => 0,
    }
}

/// A joint that could carry another body, best first: not marked cut, near the ground, holding much, early.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    not_cut: bool,
    nearness: std::cmp::Reverse<usize>,
    holds: u8,
    joint: std::cmp::Reverse<usize>,
    from: BodyIndex,
}

impl Tree {
    /// Grows the tree.
    pub fn new(mechanism: &Mechanism) -> Self {
        let n = mechanism.bodies.len();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); n + 1]; // joints at each body, ground last
        let slot = |body: BodyIndex| body.unwrap_or(n);
        for (j, joint) in mechanism.joints.iter().enumerate() {
            for body in joint.bodies {
                at[slot(body)].push(j);
            }
        }
        let mut tree = Tree {
            order: Vec::with_capacity(n),
            branches: vec![Branch { parent: None, joint: None, reversed: false }; n],
            cut: Vec::new(),
        };
        let mut depth: Vec<Option<usize>> = vec![None; n + 1];
        let mut used = vec![false; mechanism.joints.len()];
        let mut heap = BinaryHeap::new();
        let offer = |heap: &mut BinaryHeap<Candidate>, from: BodyIndex, depth: usize| {
            for &j in &at[slot(from)] {
                let joint = &mechanism.joints[j];
                heap.push(Candidate {
                    not_cut: !joint.cut,
                    nearness: std::cmp::Reverse(depth),
                    holds: holds(joint.kind),
                    joint: std::cmp::Reverse(j),
                    from,
                });
            }
        };
        depth[n] = Some(0);
        offer(&mut heap, None, 0);
        let mut next_floating = 0;
        loop {
            while let Some(candidate) = heap.pop() {
                let j = candidate.joint.0;
                let [first, second] = mechanism.joints[j].bodies;
                let to = if first == candidate.from { second } else { first };
                let Some(body) = to else { continue };
                if depth[body].is_some() {
                    continue;
                }
                used[j] = true;
                let reached = depth[slot(candidate.from)].unwrap_or(0) + 1;
                depth[body] = Some(reached);
                tree.branches[body] =
                    Branch { parent: candidate.from, joint: Some(j), reversed: first == Some(body) };
                tree.order.push(body);
                offer(&mut heap, Some(body), reached);
            }
            let Some(body) = (next_floating..n).find(|&b| depth[b].is_none()) else { break };
            next_floating = body + 1;
            depth[body] = Some(1);
            tree.order.push(body);
            offer(&mut heap, Some(body), 1);
        }
        tree.cut = (0..used.len()).filter(|&j| !used[j]).collect();
        tree
    }

    /// The kind of joint that carries a body; `None`: it floats.
    pub fn kind(&self, mechanism: &Mechanism, body: usize) -> Option<JointKind> {
        self.branches[body].joint.map(|j| mechanism.joints[j].kind)
    }
}
