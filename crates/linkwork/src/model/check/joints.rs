//! Joints.

use super::{Checker, Checks};
use crate::error::names::segment;
use crate::joints::{Checked, Points};
use crate::model::Joint;

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
        let kind = joint.kind();
        if let (true, Some(help)) = (self.planar(), kind.descriptor().space_only) {
            let message = format!("a {} joint exists in space only", kind.name());
            self.error_with(format!("{path}.type"), message, help);
            return;
        }
        let axis = self.joint_axis(joint, &format!("{path}.axis"));
        joint.data.described().check(&Checked { path: &path, bodies: &joint.bodies, axis }, self);
        self.impact_limits(joint, &path);
        self.joint_breaks(joint, &path);
        if kind.is_free() && joint.cut {
            let message = format!("a {} joint has no `cut`", kind.name());
            self.error_with(format!("{path}.cut"), message, "remove `cut`, or choose another type");
        }
    }

    /// A joint at one point: one of the bodies holds it, and the other gets it where it is drawn. At two
    /// points: each body holds its own.
    fn joint_points(&mut self, joint: &Joint, path: &str) {
        let [p, q] = &joint.at;
        let points = joint.kind().descriptor().points;
        if points == Points::Pitch {
            // where the pitch circles touch: a point of the carrier, or of whoever
            self.point(&format!("{path}.at"), p);
            if p != q {
                self.error_with(
                    format!("{path}.at"),
                    "teeth mesh at one point, this has two",
                    "at = the pitch point",
                );
            }
            return;
        }
        if points == Points::Rolling && p == q {
            self.error_with(
                format!("{path}.at"),
                "a rolling joint needs two points",
                "at = [\"P\", \"C\"]: P on the plane or line of the first body, C the centre of what rolls",
            );
            return;
        }
        if points == Points::Apart {
            let drawn = [p, q].map(|name| self.positions.get(name.as_str()).copied());
            if p == q || matches!(drawn, [Some(a), Some(b)] if a == b) {
                let message = match p == q {
                    true => "a distance joint keeps two points apart, this has one".to_owned(),
                    false => format!("a distance joint keeps two points apart: `{p}` and `{q}` coincide"),
                };
                self.error_with(
                    format!("{path}.at"),
                    message,
                    "at = [\"P\", \"Q\"]: P on the first body, Q on the second",
                );
                return;
            }
        }
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

    /// The direction of the axis, if it is known.
    fn joint_axis(&mut self, joint: &'a Joint, path: &str) -> Option<[f64; 3]> {
        let (kind, hinge) = (joint.kind().name(), joint.kind().descriptor().hinge);
        let Some(axis) = joint.axis() else {
            // in space two points that both bodies hold are an axis already
            if hinge && !self.planar() && !self.shares_axis(joint) {
                let help = "axis = a vector such as [1, 0, 0], or two points [\"P\", \"Q\"]";
                self.error_with(path, format!("a {kind} joint needs an `axis`"), help);
            }
            return None;
        };
        let vector = self.axis(path, axis);
        match vector {
            Some([x, y, _]) if self.planar() && hinge && (x != 0.0 || y != 0.0) => {
                self.error_with(path, format!("a {kind} joint in the plane turns about z"), "remove `axis`");
            }
            Some([_, _, z]) if self.planar() && !hinge && z != 0.0 => {
                self.error(path, "the model is planar, but the axis leaves the plane");
            }
            _ => {}
        }
        vector
    }
}
