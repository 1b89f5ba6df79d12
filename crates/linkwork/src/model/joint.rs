//! Joints that are more than a point shared by two bodies.

use super::{Axis, ImpactLimit, JointForces};
use crate::joints::JointKind;

/// A joint between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, used in results.
    pub name: String,
    /// What it lets the bodies do.
    pub kind: JointKind,
    /// First and second body; the reaction acts on the second. `ground` may be either.
    pub bodies: [String; 2],
    /// The joint's point on the first and on the second body: usually the same name twice. Two
    /// different points are brought together (or onto the line) by the assembly.
    pub at: [String; 2],
    /// The joint's axis, or the normal of its plane, fixed in the first body; needed by prismatic, cylindrical,
    /// point-on-line, universal, planar and point-on-plane joints, and by a revolute joint in space.
    pub axis: Option<Axis>,
    /// The other axis of a universal joint, fixed in the second body and square to the first as drawn; the second
    /// shaft of a constant-velocity joint; the axis of a rolling wheel (a ball has none).
    pub axis2: Option<Axis>,
    /// How far apart a distance joint holds its points, m; as drawn if left out.
    pub length: Option<f64>,
    /// How far a screw advances in one turn, m; negative for a left-handed thread.
    pub pitch: Option<f64>,
    /// Radius of a rolling wheel, ball or disc, m; as drawn if left out.
    pub radius: Option<f64>,
    /// The body that carries the bearings of a gear pair, or of pinion and rack; found if left out.
    pub carrier: Option<String>,
    /// The points, held by the first body, through which the curve of a point-on-curve joint runs.
    pub curve: Vec<String>,
    /// Whether that curve returns to its first point.
    pub closed: bool,
    /// Formulations in joint variables cut this joint, if it closes a loop; they choose if left out.
    pub cut: bool,
    /// Springs, friction and stops along its coordinates, in their order.
    pub forces: Vec<JointForces>,
    /// Limits that its coordinates bounce off.
    pub impact_limits: Vec<ImpactLimit>,
    /// Whether it holds from the start on; if not, a [`Change`](super::Change) closes it.
    pub active: bool,
    /// It opens for good when its force is more than this, N.
    pub break_force: Option<f64>,
    /// It opens for good when its moment is more than this, N m.
    pub break_moment: Option<f64>,
}

impl Joint {
    /// A joint at a point that both bodies hold.
    pub fn new(name: impl Into<String>, kind: JointKind, bodies: [&str; 2], at: &str) -> Self {
        Joint {
            name: name.into(),
            kind,
            bodies: bodies.map(Into::into),
            at: [at.into(), at.into()],
            axis: None,
            axis2: None,
            length: None,
            pitch: None,
            radius: None,
            carrier: None,
            curve: Vec::new(),
            closed: false,
            cut: false,
            forces: Vec::new(),
            impact_limits: Vec::new(),
            active: true,
            break_force: None,
            break_moment: None,
        }
    }

    /// A joint between a point of the first body and another one of the second.
    pub fn between(name: impl Into<String>, kind: JointKind, bodies: [&str; 2], at: [&str; 2]) -> Self {
        Joint { at: at.map(Into::into), ..Joint::new(name, kind, bodies, at[0]) }
    }

    /// Prefers this joint to be cut where formulations in joint variables open a loop.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// Lets the first coordinate bounce between two limits, rad or m; see [`ImpactLimit`].
    pub fn impact_limit(mut self, range: [f64; 2], restitution: f64) -> Self {
        self.impact_limits.push(ImpactLimit { coordinate: 1, range, restitution });
        self
    }

    /// Sets the direction of the axis.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }

    /// Sets the direction of a universal joint's axis in the second body.
    pub fn axis2(mut self, axis: Axis) -> Self {
        self.axis2 = Some(axis);
        self
    }

    /// Sets how far a screw advances in one turn, m.
    pub fn pitch(mut self, pitch: f64) -> Self {
        self.pitch = Some(pitch);
        self
    }

    /// Sets the radius of what rolls, m.
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = Some(radius);
        self
    }

    /// Names the body that carries the bearings of gears, or of pinion and rack.
    pub fn carrier(mut self, body: impl Into<String>) -> Self {
        self.carrier = Some(body.into());
        self
    }

    /// Sets the points of the curve that a point runs along, and whether it closes.
    pub fn curve<S: Into<String>>(mut self, points: impl IntoIterator<Item = S>, closed: bool) -> Self {
        self.curve = points.into_iter().map(Into::into).collect();
        self.closed = closed;
        self
    }

    /// Leaves it open until a [`Change`](super::Change) closes it.
    pub fn inactive(mut self) -> Self {
        self.active = false;
        self
    }

    /// Lets it open for good when its force is more than this, N.
    pub fn break_force(mut self, force: f64) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Lets it open for good when its moment is more than this, N m.
    pub fn break_moment(mut self, moment: f64) -> Self {
        self.break_moment = Some(moment);
        self
    }

    /// Sets the distance that a distance joint holds, m.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}
