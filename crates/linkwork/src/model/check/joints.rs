//! Joints.

use super::Checker;
use crate::model::fault::segment;
use crate::model::{Joint, JointKind};

impl<'a> Checker<'a> {
    pub(super) fn joints(&mut self) {
        let model = self.model;
        self.names("joints", model.joints.iter().map(|joint| joint.name.as_str()));
        for joint in &model.joints {
            self.joint(joint);
        }
    }

    fn joint(&mut self, joint: &'a Joint) {
        let path = format!("joints.{}", segment(&joint.name));
        let [first, second] = &joint.bodies;
        for (i, body) in joint.bodies.iter().enumerate() {
            self.body(&format!("{path}.bodies[{i}]"), body);
        }
        if first == second {
            self.error(
                format!("{path}.bodies"),
                format!("a joint joins two bodies, this has `{first}` twice"),
            );
        }
        self.joint_points(joint, &path);
        let kind = joint.kind.name();
        let spatial = matches!(joint.kind, JointKind::Spherical | JointKind::Cylindrical);
        if self.planar() && spatial {
            let help = match joint.kind {
                JointKind::Spherical => "in the plane a revolute joint turns about the point",
                _ => "in the plane a prismatic joint slides along an axis",
            };
            self.error_with(format!("{path}.type"), format!("a {kind} joint exists in space only"), help);
            return;
        }
        self.joint_axis(joint, &format!("{path}.axis"));
    }

    /// A joint at one point: one of the bodies holds it, and the other gets it where it is drawn. At two
    /// points: each body holds its own.
    fn joint_points(&mut self, joint: &Joint, path: &str) {
        let [p, q] = &joint.at;
        if p != q {
            for (i, (point, body)) in joint.at.iter().zip(&joint.bodies).enumerate() {
                self.point_of(&format!("{path}.at[{i}]"), point, body);
            }
            return;
        }
        let lacks =
            |body: &String| self.held.get(body.as_str()).is_some_and(|held| !held.contains(p.as_str()));
        if !self.positions.contains_key(p.as_str()) || joint.bodies.iter().all(lacks) {
            self.point_of(&format!("{path}.at"), p, &joint.bodies[1]);
        }
    }

    /// Whether the bodies of a joint share two points.
    fn shares_axis(&mut self, joint: &'a Joint) -> bool {
        let bodies = [joint.bodies[0].as_str(), joint.bodies[1].as_str()];
        *self.shares_axis.entry(bodies).or_insert_with(|| match bodies.map(|b| self.held.get(b)) {
            [Some(a), Some(b)] => a.intersection(b).take(2).count() == 2,
            _ => false,
        })
    }

    fn joint_axis(&mut self, joint: &'a Joint, path: &str) {
        let kind = joint.kind.name();
        let needed = match joint.kind {
            JointKind::Prismatic | JointKind::Cylindrical | JointKind::PointOnLine => true,
            // in space two points that both bodies hold are an axis already
            JointKind::Revolute => !self.planar() && !self.shares_axis(joint),
            JointKind::Spherical | JointKind::Fixed => false,
        };
        let Some(axis) = &joint.axis else {
            if needed {
                let message = format!("a {kind} joint needs an `axis`");
                self.error_with(
                    path,
                    message,
                    "axis = a vector such as [1, 0], or two points [\"P\", \"Q\"]",
                );
            }
            return;
        };
        if matches!(joint.kind, JointKind::Spherical | JointKind::Fixed) {
            self.error_with(
                path,
                format!("a {kind} joint has no axis"),
                "remove `axis`, or choose another type",
            );
            return;
        }
        let vector = self.axis(path, axis);
        if !self.planar() {
            return;
        }
        match (joint.kind, vector) {
            (JointKind::Revolute, Some([x, y, _])) if x != 0.0 || y != 0.0 => {
                self.error_with(path, "a revolute joint in the plane turns about z", "remove `axis`");
            }
            (JointKind::Prismatic | JointKind::PointOnLine, Some([_, _, z])) if z != 0.0 => {
                self.error(path, "the model is planar, but the axis leaves the plane");
            }
            _ => {}
        }
    }
}
