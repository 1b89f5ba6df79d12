//! The spanning tree of a mechanism: which joints carry the bodies, and which are cut.
//!
//! Bodies are nodes, joints are edges. The tree grows from the ground in order of distance, so that
//! loops are closed as far from it as possible and each is as short as possible; among joints of equal
//! distance those that hold most carry and those that hold least are cut (a cut pin is two or three equations).
//! A joint that the model marks `cut` carries only if there is no other way. Bodies that no joint
//! connects to the ground float: the first of them gets a joint of three or six degrees of freedom.
//!
//! **Kept rows.** A branch moves its body by a translation and a rotation ([`Part::Carries`]). Where these allow more than
//! the joint does, the joint carries all the same and *keeps* the rows that take the rest away, as equations among
//! the variables like those of a cut joint. What a kept row does it does between the body and the one that it hangs
//! on, so it is part of the reaction of the branch and never a load on the bodies beside it: the
//! balance of what hangs beyond the joint gives the joint's whole reaction, kept rows included.

use super::{BodyIndex, Mechanism, MechanismJoint};
pub use crate::joints::{Part, Rotation, Translation};
use crate::model::JointKind;
use std::collections::BinaryHeap;

impl Translation {
    /// How many coordinates, and rates, it has.
    pub fn count(self, columns: usize) -> usize {
        match self {
            Translation::None => 0,
            Translation::Slide => 1,
            Translation::Free => columns,
        }
    }
}

impl Rotation {
    /// How many rates it has.
    pub fn rates(self) -> usize {
        match self {
            Rotation::None => 0,
            Rotation::Axis => 1,
            Rotation::Ball => 3,
        }
    }
}

impl MechanismJoint {
    /// The rows that the joint keeps if it carries a body.
    pub fn kept_rows(&self) -> &[usize] {
        match Part::of(self.kind) {
            Part::Carries { kept, .. } => &self.rows[self.rows.len().saturating_sub(kept)..],
            Part::Closes | Part::Nothing => &[],
        }
    }
}

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
    /// Joints that are not in the tree: all that they demand are equations.
    pub cut: Vec<usize>,
    /// Joints in the tree that keep rows ([`MechanismJoint::kept_rows`]).
    pub kept: Vec<usize>,
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
        Self::with_parts(mechanism, Part::of)
    }

    /// Grows the tree for a formulation that has its own idea of what a kind of joint can be in it.
    pub fn with_parts(mechanism: &Mechanism, part_of: fn(JointKind) -> Part) -> Self {
        let n = mechanism.bodies.len();
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); n + 1]; // joints at each body, ground last
        let slot = |body: BodyIndex| body.unwrap_or(n);
        let part = |j: usize| part_of(mechanism.joints[j].kind);
        for (j, joint) in mechanism.joints.iter().enumerate() {
            if !matches!(part(j), Part::Carries { .. }) {
                continue;
            }
            for body in joint.bodies {
                at[slot(body)].push(j);
            }
        }
        let mut tree = Tree {
            order: Vec::with_capacity(n),
            branches: vec![Branch { parent: None, joint: None, reversed: false }; n],
            cut: Vec::new(),
            kept: Vec::new(),
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
                    holds: joint.kind.descriptor().holds,
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
        tree.cut = (0..used.len()).filter(|&j| !used[j] && part(j) != Part::Nothing).collect();
        let keeps = |j: usize| matches!(part(j), Part::Carries { kept, .. } if kept > 0);
        tree.kept = (0..used.len()).filter(|&j| used[j] && keeps(j)).collect();
        tree
    }

    /// The kind of joint that carries a body; `None`: it floats.
    pub fn kind(&self, mechanism: &Mechanism, body: usize) -> Option<JointKind> {
        self.branches[body].joint.map(|j| mechanism.joints[j].kind)
    }
}
