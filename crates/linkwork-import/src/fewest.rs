//! `--loops fewest`: a loop of hinges with parallel axes, and slides across them, moves in a plane by itself. A joint that closes it need not hold what the others
//! hold already: the place along the normal and the two turns out of the plane. What they hold together is redundant, and its reactions are not unique.
//!
//! A hinge or a ball in such a loop becomes a point on a line along the normal: two demands in place of five or three. A weld becomes that and a second point
//! on a plane across the way that a turn would take it: three in place of six.

use nalgebra::Vector3;

use crate::notes::{Report, Severity};
use crate::robot::{End, Joint, JointKind, Robot};
use crate::xml::quoted;

/// How far axes may be from parallel, as a sine.
const PARALLEL: f64 = 1e-9;

/// The joints as a tree, and those that close loops.
struct Tree {
    /// For each link, and the ground behind them, the joints that are in the tree.
    at: Vec<Vec<usize>>,
    closing: Vec<usize>,
}

impl Robot {
    /// Takes from joints that close planar loops what the others hold already.
    pub fn fewest_constraints(&mut self, report: &mut Report) {
        let tree = self.tree();
        for number in tree.closing.iter().copied() {
            let Some(normal) = self.plane_of_loop(number, &tree) else { continue };
            let joint = &mut self.joints[number];
            let done = match joint.kind {
                JointKind::Spherical | JointKind::Revolute => "a point on a line across the plane",
                JointKind::Fixed => {
                    "a point on a line across the plane, and another point that keeps it from turning"
                }
                _ => continue,
            };
            let (what, item) =
                (format!("a {} joint closes a planar loop", joint.kind.word()), quoted(&joint.name));
            report.note(Severity::Equivalent, &joint.place, format!("joint {item}"), what, done);
            let fixed = joint.kind == JointKind::Fixed;
            (joint.kind, joint.axis) = (JointKind::PointOnLine, normal);
            if fixed {
                let second = self.second_point(number, normal);
                self.joints.push(second);
            }
        }
    }

    fn ground_or(&self, end: End) -> usize {
        end.filter(|link| !self.links[*link].fixed).unwrap_or(self.links.len())
    }

    /// Joints that nothing acts on close loops rather than others, and balls and welds rather than hinges.
    fn tree(&self) -> Tree {
        let mut order: Vec<usize> =
            (0..self.joints.len()).filter(|n| self.joints[*n].kind != JointKind::Floating).collect();
        let named: Vec<usize> =
            (self.couplings.iter().flat_map(|coupling| coupling.terms.iter().map(|term| term.0)))
                .chain(self.tendons.iter().flat_map(|tendon| tendon.terms.iter().map(|term| term.0)))
                .chain(self.actuators.iter().map(|actuator| actuator.joint))
                .chain(self.initial.iter().map(|initial| initial.joint))
                .collect();
        order.sort_by_key(|n| {
            let joint = &self.joints[*n];
            let acts = named.contains(n) || joint.coordinates.iter().any(|c| *c != Default::default());
            (joint.kind.coordinates().is_empty(), !acts)
        });
        let mut group: Vec<usize> = (0..=self.links.len()).collect();
        let mut tree = Tree { at: vec![Vec::new(); self.links.len() + 1], closing: Vec::new() };
        for n in order {
            let ends = [self.joints[n].first, self.joints[n].second].map(|end| self.ground_or(end));
            let [a, b] = ends.map(|end| top(&mut group, end));
            if a == b {
                tree.closing.push(n);
            } else {
                group[a] = b;
                ends.iter().for_each(|end| tree.at[*end].push(n));
            }
        }
        tree
    }

    /// The normal of the plane in which the loop of a joint moves.
    fn plane_of_loop(&self, number: usize, tree: &Tree) -> Option<Vector3<f64>> {
        let joint = &self.joints[number];
        let others = self.way(self.ground_or(joint.first), self.ground_or(joint.second), tree)?;
        let mut all = others.clone();
        if joint.kind == JointKind::Revolute {
            all.push(number);
        }
        let normal =
            all.iter().map(|n| &self.joints[*n]).find(|joint| joint.kind == JointKind::Revolute)?.axis;
        let planar = all.iter().map(|n| &self.joints[*n]).all(|joint| match joint.kind {
            JointKind::Revolute => joint.axis.cross(&normal).norm() <= PARALLEL,
            JointKind::Prismatic => joint.axis.dot(&normal).abs() <= PARALLEL,
            _ => false,
        });
        let acts = joint.coordinates.iter().any(|c| *c != Default::default());
        let apart = joint.origin_on_second.is_some_and(|second| {
            let apart = second - joint.origin;
            apart.dot(&normal).abs() > PARALLEL * self.reach()
        });
        (planar && !acts && !apart).then_some(normal)
    }

    /// Joints between two links along the tree.
    fn way(&self, from: usize, to: usize, tree: &Tree) -> Option<Vec<usize>> {
        let mut came: Vec<Option<(usize, usize)>> = vec![None; tree.at.len()];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &n in &tree.at[at] {
                let ends = [self.joints[n].first, self.joints[n].second].map(|end| self.ground_or(end));
                let next = if ends[0] == at { ends[1] } else { ends[0] };
                if next != from && came[next].is_none() {
                    came[next] = Some((at, n));
                    queue.push_back(next);
                }
            }
        }
        let mut out = Vec::new();
        let mut at = to;
        while at != from {
            let (before, joint) = came[at]?;
            out.push(joint);
            at = before;
        }
        Some(out)
    }

    /// The point that keeps a weld from turning in the plane.
    fn second_point(&self, number: usize, normal: Vector3<f64>) -> Joint {
        let joint = &self.joints[number];
        let across = Vector3::ith(normal.iamin(), 1.0);
        let along = normal.cross(&across).normalize() * self.reach();
        Joint {
            name: format!("{}_turn", joint.name),
            kind: JointKind::PointOnPlane,
            origin: joint.origin + along,
            origin_on_second: joint.origin_on_second.map(|second| second + along),
            axis: normal.cross(&along).normalize(),
            ..joint.clone()
        }
    }
}

fn top(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}
