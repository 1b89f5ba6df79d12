//! Positions alone: residuals and rows of the constraints, motions of the bodies and their Jacobians, at zero rates.

use super::kernel::paths;
use super::*;
use crate::formulations::kernel::Kernel as _;

/// What a coordinate of the tree is, for those who choose positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TreeCoordinate {
    /// An angle about an axis, or of a screw, rad.
    Turn,
    /// A path, m.
    Path,
    /// The first of the four of a quaternion.
    Rotation,
    /// The others of a quaternion.
    RestOfRotation,
}

impl Recursive<'_> {
    /// Puts the links at positions, with rates of zero. Nothing is factored.
    pub(crate) fn place_at(&mut self, t: f64, q: &[f64], auxiliary: &[f64]) {
        let u = std::mem::take(&mut self.core.zero);
        self.linearise(At { t, q, u: &u, auxiliary });
        self.core.zero = u;
    }

    /// Residuals Φ of all rows, m, after [`place_at`](Self::place_at): those of joints, then those of couplings.
    pub(crate) fn position_residuals(&self) -> &[f64] {
        &self.core.phi
    }

    /// Number of rows of joints; those of couplings come behind them.
    pub(crate) fn joint_row_count(&self) -> usize {
        self.loops.rows.len()
    }

    /// Moves positions by a small change of the kind that rates times a second are. Follows [`place_at`](Self::place_at) there.
    pub(crate) fn displace_positions(&mut self, q: &mut [f64], change: &[f64]) {
        self.move_along(q, change);
    }

    /// Motions of all bodies where the links are.
    pub(crate) fn motions_there(&self, out: &mut [Motion]) {
        for ((pose, body), motion) in self.kinematics.poses.iter().zip(&self.bodies).zip(out) {
            *motion = pose.motion(body.com);
        }
    }

    /// Calls back with every rate that moves a body, and the power for a unit of that rate of a wrench at its centre of mass.
    pub(crate) fn each_rate_of_body(&self, body: usize, wrench: Wrench, to: impl FnMut(usize, f64)) {
        if let Some(link) = self.links.places[body].link {
            let pose = &self.kinematics.poses[body];
            let arm = sub(pose.place(self.bodies[body].com), pose.origin);
            self.dynamics.each_rate(link, wrench.about_origin(arm), to);
        }
    }

    /// What each coordinate of the tree is.
    pub(crate) fn tree_coordinates(&self) -> Vec<TreeCoordinate> {
        let mut list = Vec::new();
        for link in &self.links.list {
            let paths = paths(&link.joint);
            list.extend(std::iter::repeat_n(TreeCoordinate::Path, paths));
            match link.joint {
                LinkJoint::Axis { .. } if paths == 0 => list.push(TreeCoordinate::Turn),
                LinkJoint::Axis { turn, .. } => {
                    // a screw counts its turns
                    if let (Some(last), true) = (list.last_mut(), turn != 0.0) {
                        *last = TreeCoordinate::Turn;
                    }
                }
                LinkJoint::Ball | LinkJoint::Free => {
                    list.push(TreeCoordinate::Rotation);
                    list.extend([TreeCoordinate::RestOfRotation; 3]);
                }
            }
        }
        list
    }

    /// The coordinate of the tree that a coordinate of a joint is, and its sign; `None` where it is none.
    pub(crate) fn tree_coordinate_of(&self, joint: usize, index: usize) -> Option<(usize, f64)> {
        let own = self.links.coordinates.iter().find(|own| (own.joint, own.index) == (joint, index))?;
        Some((self.dynamics.tree().first(own.link).0, own.sign))
    }
}
