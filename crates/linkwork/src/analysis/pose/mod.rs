//! Poses: where a mechanism stands when points, joints, bodies and measures are where they should be. Inverse and forward kinematics of chains and loops.
//!
//! ```text
//!   (I1)  min ½ Σ w_i² (g_i(q) − g_i*)² / s_i²          s_i: the size of the mechanism for lengths, a radian for angles
//!   (I2)  Φ(q, t) = 0,   l_j ≤ h_j(q) ≤ u_j             loops, couplings and drivers; limits of joints and ranges
//! ```
//!
//! [`Mechanism::pose`] solves it from the drawing, [`Mechanism::poses`] from many random starts.

mod restarts;
mod result;
mod solve;
mod target;

pub use result::{ActiveLimit, Pose, Poses, TargetResult};
pub use target::Target;

pub(super) use restarts::{Random, apart};
pub(super) use result::visible;
pub(super) use solve::{Search, VIOLATED, limits};
pub(super) use target::{Bound, held_values};

use super::configuration::Configuration;
use crate::Error;
use crate::mechanism::Mechanism;
use solve::{Solver, Task};

/// How a pose is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseOptions {
    /// The time at which drivers are held, s.
    pub at: f64,
    /// What the random starts of [`Mechanism::poses`] begin with: the same seed, the same starts.
    pub seed: u64,
    /// How many random starts there are.
    pub starts: usize,
    /// Steps of the solver from one start, at most.
    pub iterations: usize,
}

impl Default for PoseOptions {
    /// At t = 0, with 200 starts.
    fn default() -> Self {
        PoseOptions { at: 0.0, seed: 1, starts: 200, iterations: 200 }
    }
}

impl Mechanism {
    /// The pose in which the targets are met, or come nearest to it: from the drawing on, with loops closed, couplings and drivers kept, limits of joints respected.
    ///
    /// ```
    /// use linkwork::Model;
    /// use linkwork::analysis::pose::{PoseOptions, Target};
    /// use linkwork::model::Body;
    /// let arm = Model::planar("arm")
    ///     .point("A", [0.0, 0.0])
    ///     .point("B", [1.0, 0.0])
    ///     .point("P", [1.0, 1.0])
    ///     .ground(["A"])
    ///     .body(Body::rod("upper", ["A", "B"], 1.0))
    ///     .body(Body::rod("fore", ["B", "P"], 1.0))
    ///     .assemble()?;
    /// let pose = arm.pose(&[Target::at("point.P", [1.2, 0.9])], &PoseOptions::default())?;
    /// assert!(pose.reached && pose.undetermined == 0);
    /// // out of reach: as near as it gets
    /// let pose = arm.pose(&[Target::at("point.P", [3.0, 0.0])], &PoseOptions::default())?;
    /// assert!(!pose.reached && (pose.targets[0].off - 1.0).abs() < 1e-9);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Model`] for targets that the mechanism does not have, all at once; [`Error::State`] if drivers cannot get to the time.
    pub fn pose(&self, targets: &[Target], options: &PoseOptions) -> Result<Pose, Error> {
        let (mut configuration, task) = prepared(self, targets, options)?;
        let outcome = Solver { configuration: &mut configuration, task: &task }.solve(options.iterations);
        Ok(result::pose(&mut configuration, &task, &outcome))
    }

    /// All poses that random starts find in which the targets are met, each once: that from the drawing first, the others by how far they are from it. Without targets
    /// these are the ways in which the mechanism can be assembled, as drivers and ranges have it. There may be more than are found.
    ///
    /// # Errors
    /// As [`Mechanism::pose`].
    pub fn poses(&self, targets: &[Target], options: &PoseOptions) -> Result<Poses, Error> {
        let (configuration, task) = prepared(self, targets, options)?;
        Ok(restarts::search(configuration, &task, options))
    }
}

/// The mechanism at the time, and what is asked of it.
fn prepared<'m>(
    mechanism: &'m Mechanism,
    targets: &[Target],
    options: &PoseOptions,
) -> Result<(Configuration<'m>, Task), Error> {
    let mut configuration = Configuration::new(mechanism)?;
    let task = Task::new(&configuration, targets)?;
    if !options.at.is_finite() {
        return Err(Error::State(format!("the time of a pose is a number, not {}", options.at)));
    }
    let closed = configuration.close();
    if !closed {
        let (row, gap) = configuration.worst().unwrap_or_default();
        let message = format!("cannot close the mechanism at t = 0: {row} is {gap:.1e} m from it");
        return Err(Error::State(message));
    }
    configuration.advance_to(options.at).map_err(|reached| {
        let at = options.at;
        let message = format!(
            "cannot pose the mechanism at t = {at} s: the drivers get to t = {reached} s only; give a time before that"
        );
        Error::State(message)
    })?;
    Ok((configuration, task))
}
