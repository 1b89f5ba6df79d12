//! Joints.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::joints::{AxisKey, Key, Points, SecondAxis};
use crate::model::Joint;

/// Axes whose cosine is below this are square to each other; the mechanism makes them exactly so.
const SQUARE: f64 = 1e-6;

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
        if let (true, Some(help)) = (self.planar(), joint.kind.descriptor().space_only) {
            self.error_with(format!("{path}.type"), format!("a {kind} joint exists in space only"), help);
            return;
        }
        let axis = self.joint_axis(joint, &format!("{path}.axis"));
        self.second_axis(joint, axis, &format!("{path}.axis2"));
        match joint.length {
            Some(length) if joint.kind.has(Key::Length) => {
                self.number(&format!("{path}.length"), length, Sign::Positive);
            }
            Some(_) => self.no_such_key(joint, &path, "length"),
            None => {}
        }
        self.coupling_keys(joint, &path);
        self.impact_limits(joint, &path);
        self.joint_breaks(joint, &path);
        if joint.kind.is_free() && joint.cut {
            self.no_such_key(joint, &path, "cut");
        }
    }

    /// Keys of screws, gears, wheels and curves.
    fn coupling_keys(&mut self, joint: &'a Joint, path: &str) {
        match joint.pitch {
            Some(pitch) if joint.kind.has(Key::Pitch) => {
                self.number(&format!("{path}.pitch"), pitch.abs(), Sign::Positive);
            }
            Some(_) => self.no_such_key(joint, path, "pitch"),
            None if joint.kind.has(Key::Pitch) => {
                let message = format!("a {} joint needs a `pitch`", joint.kind.name());
                let help = "pitch = how far it advances in one turn, as in \"5 mm\"; negative for a left-handed thread";
                self.error_with(path, message, help);
            }
            None => {}
        }
        match joint.radius {
            Some(radius) if joint.kind.has(Key::Radius) => {
                self.number(&format!("{path}.radius"), radius, Sign::Positive);
            }
            Some(_) => self.no_such_key(joint, path, "radius"),
            None => {}
        }
        match &joint.carrier {
            Some(carrier) if joint.kind.has(Key::Carrier) => {
                let known = self.body(&format!("{path}.carrier"), carrier);
                if known && joint.bodies.contains(carrier) {
                    let message = format!("`{carrier}` cannot carry its own bearing");
                    self.error(format!("{path}.carrier"), message);
                }
            }
            Some(_) => self.no_such_key(joint, path, "carrier"),
            None => {}
        }
        match joint.kind.has(Key::Curve) {
            true => {
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
        let points = joint.kind.descriptor().points;
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
        let kind = joint.kind.name();
        let key = joint.kind.descriptor().axis;
        let needed = match key {
            AxisKey::None => false,
            AxisKey::Needed => true,
            // in space two points that both bodies hold are an axis already
            AxisKey::Hinge => !self.planar() && !self.shares_axis(joint),
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
        if key == AxisKey::None {
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
        match (key, vector) {
            (AxisKey::Hinge, Some([x, y, _])) if x != 0.0 || y != 0.0 => {
                self.error_with(path, format!("a {kind} joint in the plane turns about z"), "remove `axis`");
            }
            (AxisKey::Needed, Some([_, _, z])) if z != 0.0 => {
                self.error(path, "the model is planar, but the axis leaves the plane");
            }
            _ => {}
        }
        vector
    }

    /// The axis of a universal joint in its second body stands square to the other one.
    fn second_axis(&mut self, joint: &'a Joint, first: Option<[f64; 3]>, path: &str) {
        let kind = joint.kind.name();
        match (joint.kind.descriptor().axis2, &joint.axis2) {
            (SecondAxis::Arm, Some(axis)) => {
                let (Some(u), Some(v)) = (first, self.axis(path, axis)) else { return };
                let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
                // one after the other: the product of two lengths may overflow
                let (lu, lv) = (length(u), length(v));
                let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
                if cosine.abs() > SQUARE {
                    let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
                    let message = format!(
                        "`axis` and `axis2` of a {kind} joint are square to each other; as drawn they stand at {angle:.3} deg"
                    );
                    self.error_with(
                        path,
                        message,
                        "give the two arms of the cross, which is carried by both forks",
                    );
                }
            }
            (SecondAxis::Shaft, Some(axis)) => {
                let (Some(u), Some(v)) = (first, self.axis(path, axis)) else { return };
                let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
                let (lu, lv) = (length(u), length(v));
                let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
                if cosine < -0.9 {
                    self.error_with(
                        path,
                        format!("the shafts of a {kind} joint run back along each other"),
                        "both directions point the same way through the joint: turn one of them round",
                    );
                }
            }
            (SecondAxis::Wheel, Some(axis)) if !self.planar() => {
                self.axis(path, axis);
            }
            (SecondAxis::Arm, None) => self.error_with(
                path,
                format!("a {kind} joint needs an `axis2`, fixed in its second body"),
                "axis2 = a vector such as [0, 1, 0], or two points [\"P\", \"Q\"], square to `axis`",
            ),
            (_, Some(_)) => self.no_such_key(joint, path.trim_end_matches(".axis2"), "axis2"),
            (_, None) => {}
        }
    }
}
