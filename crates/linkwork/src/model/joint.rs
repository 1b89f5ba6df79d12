//! Joints that are more than a point shared by two bodies.

use super::{Axis, ImpactLimit, JointForces};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::joints::{JointData, JointKind};

keys! {
    /// A joint between two bodies.
    Joint(name) {
        /// The two bodies; `ground` may be either. The reaction acts on the second.
        bodies: [String; 2] => required Two,
        /// The point of the joint; or two points, one on each body, that the assembly brings together (a distance joint: that stay apart).
        at: [String; 2] => required At,
        /// What it lets the bodies do: its kind, with the data of this kind.
        data: JointData => inline JointData,
        /// Formulations in joint variables cut this joint, if it closes a loop; they choose if left out.
        cut: bool => default bool = false,
        /// Springs, friction and stops along its coordinates, in their order.
        forces: Vec<JointForces> => inline Vec<JointForces>,
        /// Limits that its coordinates bounce off.
        impact_limits: Vec<ImpactLimit> => inline Vec<ImpactLimit>,
        /// Whether it holds from the start on; true if left out. If false, an entry of `changes` closes it.
        active: bool => default bool = true,
        /// It opens for good when its force is more than this, N.
        break_force: Option<f64> => optional ForceSize,
        /// It opens for good when its moment is more than this, N m.
        break_moment: Option<f64> => optional Si<2, 1, -2>,
    }
}

impl Joint {
    /// A joint at a point that both bodies hold.
    ///
    /// ```
    /// use linkwork::joints::{Revolute, Screw, Spherical};
    /// use linkwork::model::{Axis, Joint};
    /// let spindle = Joint::new("spindle", Screw { axis: Axis::X, pitch: 5e-3 }, ["ground", "nut"], "A");
    /// let hinge = Joint::new("hinge", Revolute { axis: Some(Axis::Z) }, ["ground", "door"], "B");
    /// let ball = Joint::new("ball", Spherical, ["ground", "arm"], "C");
    /// # let _ = [spindle, hinge, ball];
    /// ```
    pub fn new(name: impl Into<String>, data: impl Into<JointData>, bodies: [&str; 2], at: &str) -> Self {
        Joint::between(name, data, bodies, [at, at])
    }

    /// A joint between a point of the first body and another one of the second.
    pub fn between(
        name: impl Into<String>,
        data: impl Into<JointData>,
        bodies: [&str; 2],
        at: [&str; 2],
    ) -> Self {
        Joint {
            name: name.into(),
            bodies: bodies.map(Into::into),
            at: at.map(Into::into),
            data: data.into(),
            cut: false,
            forces: Vec::new(),
            impact_limits: Vec::new(),
            active: true,
            break_force: None,
            break_moment: None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> JointKind {
        self.data.kind()
    }

    /// Its axis, or the normal of its plane, fixed in the first body.
    pub fn axis(&self) -> Option<&Axis> {
        self.data.described().axis()
    }

    /// Its axis fixed in the second body.
    pub fn axis2(&self) -> Option<&Axis> {
        self.data.described().axis2()
    }

    /// Prefers this joint to be cut where formulations in joint variables open a loop.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// Adds forces along the next coordinate: first along the first.
    pub fn forces(mut self, forces: JointForces) -> Self {
        self.forces.push(forces);
        self
    }

    /// Lets the first coordinate bounce between two limits, rad or m; see [`ImpactLimit`].
    pub fn impact_limit(mut self, range: [f64; 2], restitution: f64) -> Self {
        self.impact_limits.push(ImpactLimit { coordinate: 1, range, restitution });
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
}

#[cfg(feature = "file")]
impl Rules for Joint {
    const FIRST: &'static [&'static str] = &["type"];
}
