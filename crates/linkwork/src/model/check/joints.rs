//! Joints.

use super::{Checker, Sign};
use crate::model::fault::segment;
use crate::model::{Joint, JointKind};

/// Axes whose cosine is below this are square to each other; the mechanism makes them exactly so.
const SQUARE: f64 = 1e-6;

/// What to take in the plane instead of a joint that exists in space only.
fn in_the_plane(kind: JointKind) -> Option<&'static str> {
    match kind {
        JointKind::Spherical | JointKind::Universal | JointKind::ConstantVelocity => {
            Some("in the plane a revolute joint turns about the point")
        }
        JointKind::Cylindrical => Some("in the plane a prismatic joint slides along an axis"),
        JointKind::Planar => Some("in the plane every body moves like this: leave the joint out"),
        JointKind::Screw => Some("in the plane a rack-and-pinion joint couples a turn and a path"),
        JointKind::PointOnPlane => Some("in the plane a point-on-line joint keeps a point on a line"),
        _ => None,
    }
}

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
        if let (true, Some(help)) = (self.planar(), in_the_plane(joint.kind)) {
            self.error_with(format!("{path}.type"), format!("a {kind} joint exists in space only"), help);
            return;
        }
        let axis = self.joint_axis(joint, &format!("{path}.axis"));
        self.second_axis(joint, axis, &format!("{path}.axis2"));
        match (joint.kind, joint.length) {
            (JointKind::Distance, Some(length)) => {
                self.number(&format!("{path}.length"), length, Sign::Positive);
            }
            (_, Some(_)) => self.no_such_key(joint, &path, "length"),
            (_, None) => {}
        }
        self.coupling_keys(joint, &path);
        self.impact_limits(joint, &path);
        self.joint_breaks(joint, &path);
        if joint.kind == JointKind::Floating && joint.cut {
            self.no_such_key(joint, &path, "cut");
        }
    }

    /// Keys of screws, gears, wheels and curves.
    fn coupling_keys(&mut self, joint: &'a Joint, path: &str) {
        match (joint.kind, joint.pitch) {
            (JointKind::Screw, Some(pitch)) => {
                self.number(&format!("{path}.pitch"), pitch.abs(), Sign::Positive);
            }
            (JointKind::Screw, None) => {
                let help = "pitch = how far it advances in one turn, as in \"5 mm\"; negative for a left-handed thread";
                self.error_with(path, "a screw joint needs a `pitch`", help);
            }
            (_, Some(_)) => self.no_such_key(joint, path, "pitch"),
            (_, None) => {}
        }
        match (joint.kind, joint.radius) {
            (JointKind::Rolling, Some(radius)) => {
                self.number(&format!("{path}.radius"), radius, Sign::Positive);
            }
            (_, Some(_)) => self.no_such_key(joint, path, "radius"),
            (_, None) => {}
        }
        let meshes = matches!(joint.kind, JointKind::Gear | JointKind::RackAndPinion);
        match &joint.carrier {
            Some(carrier) if meshes => {
                let known = self.body(&format!("{path}.carrier"), carrier);
                if known && joint.bodies.contains(carrier) {
                    let message = format!("`{carrier}` cannot carry its own bearing");
                    self.error(format!("{path}.carrier"), message);
                }
            }
            Some(_) => self.no_such_key(joint, path, "carrier"),
            None => {}
        }
        match joint.kind {
            JointKind::PointOnCurve => {
                let least = if joint.closed { 3 } else { 2 };
                if joint.curve.len() < least {
                    let message =
                        format!("the curve needs {least} points at least, it has {}", joint.curve.len());
                    let help = "curve = [\"P1\", \"P2\", ...]: points of the first body";
                    let curve = format!("{path}.curve");
                    self.error_with(if joint.curve.is_empty() { path } else { &curve }, message, help);
                }
                for (i, point) in joint.curve.iter().enumerate() {
                    self.point_of(&format!("{path}.curve[{i}]"), point, &joint.bodies[0]);
                }
            }
            _ if !joint.curve.is_empty() => self.no_such_key(joint, path, "curve"),
            _ if joint.closed => self.no_such_key(joint, path, "closed"),
            _ => {}
        }
    }

    fn no_such_key(&mut self, joint: &Joint, path: &str, key: &str) {
        let message = format!("a {} joint has no `{key}`", joint.kind.name());
        self.error_with(format!("{path}.{key}"), message, format!("remove `{key}`, or choose another type"));
    }

    /// A joint at one point: one of the bodies holds it, and the other gets it where it is drawn. At two
    /// points: each body holds its own.
    fn joint_points(&mut self, joint: &Joint, path: &str) {
        let [p, q] = &joint.at;
        if matches!(joint.kind, JointKind::Gear | JointKind::RackAndPinion) {
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
        if joint.kind == JointKind::Rolling && p == q {
            self.error_with(
                format!("{path}.at"),
                "a rolling joint needs two points",
                "at = [\"P\", \"C\"]: P on the plane or line of the first body, C the centre of what rolls",
            );
            return;
        }
        if joint.kind == JointKind::Distance {
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

    /// The direction of the axis, if it can be told.
    fn joint_axis(&mut self, joint: &'a Joint, path: &str) -> Option<[f64; 3]> {
        let kind = joint.kind.name();
        let (needed, has) = match joint.kind {
            JointKind::Prismatic | JointKind::Cylindrical | JointKind::PointOnLine => (true, true),
            JointKind::Universal | JointKind::Planar | JointKind::PointOnPlane => (true, true),
            JointKind::Screw | JointKind::ConstantVelocity | JointKind::Rolling => (true, true),
            JointKind::Gear | JointKind::RackAndPinion | JointKind::PointOnCurve => (false, false),
            // in space two points that both bodies hold are an axis already
            JointKind::Revolute => (!self.planar() && !self.shares_axis(joint), true),
            JointKind::Spherical | JointKind::Fixed | JointKind::Distance | JointKind::Floating => {
                (false, false)
            }
        };
        let Some(axis) = &joint.axis else {
            if needed {
                let message = format!("a {kind} joint needs an `axis`");
                let vector = if self.planar() { "[1, 0]" } else { "[1, 0, 0]" };
                let help = format!("axis = a vector such as {vector}, or two points [\"P\", \"Q\"]");
                self.error_with(path, message, help);
            }
            return None;
        };
        if !has {
            self.error_with(
                path,
                format!("a {kind} joint has no axis"),
                "remove `axis`, or choose another type",
            );
            return None;
        }
        let vector = self.axis(path, axis);
        if !self.planar() {
            return vector;
        }
        match (joint.kind, vector) {
            (JointKind::Revolute, Some([x, y, _])) if x != 0.0 || y != 0.0 => {
                self.error_with(path, "a revolute joint in the plane turns about z", "remove `axis`");
            }
            (JointKind::Prismatic | JointKind::PointOnLine | JointKind::Rolling, Some([_, _, z]))
                if z != 0.0 =>
            {
                self.error(path, "the model is planar, but the axis leaves the plane");
            }
            _ => {}
        }
        vector
    }

    /// The axis of a universal joint in its second body stands square to the other one.
    fn second_axis(&mut self, joint: &'a Joint, first: Option<[f64; 3]>, path: &str) {
        let kind = joint.kind.name();
        match (joint.kind, &joint.axis2) {
            (JointKind::Universal, Some(axis)) => {
                let (Some(u), Some(v)) = (first, self.axis(path, axis)) else { return };
                let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
                // one after the other: the product of two lengths may overflow
                let (lu, lv) = (length(u), length(v));
                let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
                if cosine.abs() > SQUARE {
                    let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
                    let message = format!(
                        "`axis` and `axis2` of a universal joint are square to each other; as drawn they stand at {angle:.3} deg"
                    );
                    self.error_with(
                        path,
                        message,
                        "give the two arms of the cross, which is carried by both forks",
                    );
                }
            }
            (JointKind::ConstantVelocity, Some(axis)) => {
                let (Some(u), Some(v)) = (first, self.axis(path, axis)) else { return };
                let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
                let (lu, lv) = (length(u), length(v));
                let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
                if cosine < -0.9 {
                    self.error_with(
                        path,
                        "the shafts of a constant-velocity joint run back along each other",
                        "both directions point the same way through the joint: turn one of them round",
                    );
                }
            }
            (JointKind::Rolling, Some(axis)) if !self.planar() => {
                self.axis(path, axis);
            }
            (JointKind::Universal, None) => self.error_with(
                path,
                format!("a {kind} joint needs an `axis2`, fixed in its second body"),
                "axis2 = a vector such as [0, 1, 0], or two points [\"P\", \"Q\"], square to `axis`",
            ),
            (_, Some(_)) => self.no_such_key(joint, path.trim_end_matches(".axis2"), "axis2"),
            (_, None) => {}
        }
    }
}
