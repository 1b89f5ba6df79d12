//! How coarsely coordinates are rounded where a mechanism is.
//!
//! At a distance D from the origin a coordinate is known to ε D/2, and a residual between two points to some 2e-16 D. Tests of residuals against the size
//! of the mechanism have to allow for it, or they fail because of the distance alone.

use super::Mechanism;
use crate::linalg::vec3::Vec3;

/// What residuals are judged against: the size, or a quarter of the largest coordinate where the mechanism is far from the origin. Tests
/// ask for 2e-15 of the size or more, so for twice the roundings or more.
pub fn judged_by(size: f64, farthest: f64) -> f64 {
    size.max(0.25 * farthest)
}

/// The largest coordinate of all nodes.
pub fn farthest(nodes: &[Vec3]) -> f64 {
    nodes.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
}

impl Mechanism {
    /// The largest coordinate of a node at the start, m.
    pub(crate) fn farthest_start(&self) -> f64 {
        farthest(&self.start_nodes().0)
    }
}
