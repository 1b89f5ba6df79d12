//! How a closed contact holds.

use crate::linalg::vec3::Vec3;

/// What friction does in a closed contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// No slip: friction is whatever that takes.
    Stick,
    /// Slip: friction is μ N against it. The direction is that of the slip when it was last looked at, unit length, and
    /// stands for the slip where that is zero.
    Slide(Vec3),
    /// No slip, because others hold: friction is μ N against this direction, unit length.
    Full(Vec3),
}

/// A closed contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Which.
    pub contact: usize,
    /// How.
    pub grip: Grip,
    /// The places of both bodies, each as it lies from its centre of mass as drawn (on the ground: where it is), that stay
    /// together while the contact sticks; nothing where the contact rolls.
    pub anchor: Option<[Vec3; 2]>,
    /// The force on b that was found when the contact closed, world axes. Where contacts share loads in more ways than one,
    /// the way next to this is taken.
    pub force: Vec3,
}
