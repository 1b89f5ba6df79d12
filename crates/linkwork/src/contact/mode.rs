//! How a closed contact holds.

use crate::keep::{Bytes, Damaged, Keep, keep};
use crate::linalg::vec3::Vec3;

/// What friction does in a closed contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum StickOrSlip {
    /// No slip: friction is whatever that takes.
    #[default]
    Stick,
    /// Slip: friction is μ N against it. The direction is that of the slip when it was last looked at, unit length, and
    /// stands for the slip where that is zero.
    Slide(Vec3),
    /// No slip, because others hold: friction is μ N against this direction, unit length.
    Full(Vec3),
}

/// A closed contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClosedContact {
    /// Which.
    pub contact: usize,
    /// How.
    pub grip: StickOrSlip,
    /// The places of both bodies, each as it lies from its centre of mass as drawn (on the ground: where it is), that stay
    /// together while the contact sticks; nothing where the contact rolls.
    pub anchor: Option<[Vec3; 2]>,
    /// The force on b that was found when the contact closed, world axes. Where contacts share loads in more ways than one,
    /// the way next to this is taken.
    pub force: Vec3,
}

keep!(ClosedContact { contact, grip, anchor, force });

impl Keep for StickOrSlip {
    fn keep(&self, to: &mut Vec<u8>) {
        match self {
            StickOrSlip::Stick => to.push(0),
            StickOrSlip::Slide(d) => (1_u8, *d).keep(to),
            StickOrSlip::Full(d) => (2_u8, *d).keep(to),
        }
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        *self = match u8::recalled(from)? {
            0 => StickOrSlip::Stick,
            1 => StickOrSlip::Slide(Vec3::recalled(from)?),
            2 => StickOrSlip::Full(Vec3::recalled(from)?),
            _ => return Err(Damaged),
        };
        Ok(())
    }
}
