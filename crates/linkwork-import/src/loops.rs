//! Loops that only the digits of a file keep from moving.
//!
//! A planar loop demands more than it needs: it moves because its axes are parallel. Files write angles such as 1.5708, so that axes which are parallel in truth are
//! parallel to 1e-6 only, or to 1e-3 where somebody wrote 1.57, and a mechanism that obeys them to the letter is stuck after a part of a degree. Axes of joints in loops that are that nearly parallel,
//! or square to each other, are made so exactly. Joints outside of loops keep theirs.

use nalgebra::Vector3;

use crate::notes::{Report, Severity};
use crate::robot::{JointKind, Robot};
use crate::xml::quoted;

/// Angles below this are slips of a file, rad: `1.5708` is off by 3.7e-6, `0.785` by 4e-4.
const ROUNDED: f64 = 1e-3;
/// Angles below this make no difference worth a note, rad.
const EXACT: f64 = 1e-13;

impl Robot {
    /// Makes axes in loops parallel and square that are so but for roundings.
    pub fn align_loops(&mut self, report: &mut Report) {
        let outside = self.outside_loops();
        // directions so far, each with the joint that it is from
        let mut directions: Vec<(Vector3<f64>, usize)> = Vec::new();
        for n in (0..self.joints.len()).filter(|n| !outside[*n]) {
            let joint = &self.joints[n];
            if !joint.kind.has_axis() || matches!(joint.kind, JointKind::Universal { .. }) {
                continue;
            }
            let given = joint.axis;
            let parallel = directions.iter().copied().find(|(d, _)| d.cross(&given).norm() < ROUNDED);
            let (aligned, like) = match parallel {
                Some((d, like)) => (d * d.dot(&given).signum(), Some(like)),
                None => {
                    let mut own = given;
                    let mut like = None;
                    for (d, of) in directions.iter().filter(|(d, _)| d.dot(&given).abs() < ROUNDED) {
                        own -= d * d.dot(&own);
                        like = like.or(Some(*of));
                    }
                    let own = own.normalize();
                    directions.push((own, n));
                    (own, like)
                }
            };
            let off = (aligned - given).norm();
            if let Some(like) = like.filter(|_| off > EXACT) {
                let relation = if parallel.is_some() { "parallel" } else { "square" };
                let like = quoted(&self.joints[like].name);
                let what = format!("in a loop, and within a thousandth of a radian of {relation} to {like}");
                let item = format!("joint {}", quoted(&self.joints[n].name));
                let done = format!("made {relation}, so that the loop can move");
                report.note(Severity::Assumed, &self.joints[n].place.clone(), item, what, done);
            }
            if like.is_some() {
                self.joints[n].axis = aligned;
            }
        }
    }
}
