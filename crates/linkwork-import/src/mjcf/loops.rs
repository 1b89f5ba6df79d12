//! `--loops fewest`: a loop of parallel hinges and slides across them moves in a plane. A `connect` there demands one thing more than needed, the place
//! along the normal, and a `weld` three: that place and the two turns out of the plane.
//!
//! A connect becomes a point on a line along the normal. A weld becomes that and a second point on a plane along the line through both: two places and one turn,
//! which is all that a plane has.

use nalgebra::Vector3;

use crate::notes::{Report, Severity};
use crate::robot::{End, Joint, JointKind};
use crate::xml::quoted;

use super::Reading;

/// How far axes may be from parallel, as a sine.
const PARALLEL: f64 = 1e-9;

impl Reading<'_> {
    pub(super) fn fewest(&mut self, report: &mut Report) {
        for number in self.loops.clone() {
            let Some(normal) = self.plane_of_loop(number) else { continue };
            let joint = &mut self.robot.joints[number];
            let item = format!("joint {}", quoted(&joint.name));
            match joint.kind {
                JointKind::Spherical => {
                    joint.kind = JointKind::PointOnLine;
                    joint.axis = normal;
                    let (what, done) = ("a connect in a planar loop", "a point on a line across the plane");
                    report.note(Severity::Equivalent, &joint.place, item, what, done);
                }
                JointKind::Fixed => {
                    let second = self.second_point(number, normal);
                    let joint = &mut self.robot.joints[number];
                    joint.kind = JointKind::PointOnLine;
                    joint.axis = normal;
                    let (what, done) = (
                        "a weld in a planar loop",
                        "a point on a line across the plane, and another point on a plane",
                    );
                    report.note(Severity::Equivalent, &joint.place, item, what, done);
                    self.robot.joints.push(second);
                }
                _ => {}
            }
        }
    }

    /// The point that keeps a weld from turning in the plane: at some distance along a direction in the plane, on a plane that holds this direction.
    fn second_point(&self, number: usize, normal: Vector3<f64>) -> Joint {
        let joint = &self.robot.joints[number];
        let least = normal.iamin();
        let along = normal.cross(&Vector3::ith(least, 1.0)).normalize();
        let reach = self.robot.reach();
        Joint {
            name: format!("{}_turn", joint.name),
            kind: JointKind::PointOnPlane,
            origin: joint.origin + along * reach,
            origin_on_second: joint.origin_on_second.map(|second| second + along * reach),
            axis: normal.cross(&along),
            ..joint.clone()
        }
    }

    /// The normal of the plane in which a loop moves, by the joints from its ends to where they meet.
    fn plane_of_loop(&self, number: usize) -> Option<Vector3<f64>> {
        let joint = &self.robot.joints[number];
        let (one, two) = (self.way(joint.first), self.way(joint.second));
        let on_loop: Vec<usize> = one
            .iter()
            .filter(|n| !two.contains(n))
            .chain(two.iter().filter(|n| !one.contains(n)))
            .copied()
            .collect();
        let joints =
            || on_loop.iter().map(|n| &self.robot.joints[*n]).filter(|joint| joint.kind != JointKind::Fixed);
        let normal = joints().find(|joint| joint.kind == JointKind::Revolute)?.axis;
        let planar = joints().all(|joint| match joint.kind {
            JointKind::Revolute => joint.axis.cross(&normal).norm() <= PARALLEL,
            JointKind::Prismatic => joint.axis.dot(&normal).abs() <= PARALLEL,
            _ => false,
        });
        planar.then_some(normal)
    }

    /// Joints from a link to the world, along the tree of bodies.
    fn way(&self, from: End) -> Vec<usize> {
        let mut out = Vec::new();
        let mut at = from;
        while let Some(link) = at {
            let Some(n) = self.robot.joints.iter().position(|joint| joint.second == Some(link)) else {
                break;
            };
            if out.contains(&n) || self.loops.contains(&n) {
                break;
            }
            out.push(n);
            at = self.robot.joints[n].first;
        }
        out
    }
}
