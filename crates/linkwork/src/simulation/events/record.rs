//! What has happened, for results.

use crate::keep::{Bytes, Damaged, Keep};
use crate::linalg::vec3::Vec3;

/// What happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A lock engaged.
    Lock,
    /// A lock let go.
    Release,
    /// A coordinate hit a limit and bounced off; or bodies hit each other.
    Impact,
    /// A coordinate came to rest on a limit; or a contact closed: it pushes from now on.
    Rest,
    /// A coordinate left the limit on which it had rested; or a contact that had been closed opened.
    Lift,
    /// A closed contact that slid no longer slips.
    Stick,
    /// A closed contact that stuck slips.
    Slip,
    /// An impulse that is scheduled for this time.
    Impulse,
    /// A change of the model happened.
    Change,
    /// A joint opened, or a segment of a chain broke, because it was loaded too much.
    Break,
    /// A node of a chain came out.
    PayOut,
    /// A node of a chain went in.
    TakeIn,
    /// Nothing is left in a chain's container.
    Empty,
    /// A condition ended the run.
    #[default]
    Stop,
}

impl EventKind {
    const ALL: [EventKind; 14] = [
        EventKind::Lock,
        EventKind::Release,
        EventKind::Impact,
        EventKind::Rest,
        EventKind::Lift,
        EventKind::Stick,
        EventKind::Slip,
        EventKind::Impulse,
        EventKind::Change,
        EventKind::Break,
        EventKind::PayOut,
        EventKind::TakeIn,
        EventKind::Empty,
        EventKind::Stop,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Lock => "lock",
            EventKind::Release => "release",
            EventKind::Impact => "impact",
            EventKind::Rest => "rest",
            EventKind::Lift => "lift",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
            EventKind::Impulse => "impulse",
            EventKind::Change => "change",
            EventKind::Break => "break",
            EventKind::PayOut => "pay-out",
            EventKind::TakeIn => "take-in",
            EventKind::Empty => "empty",
            EventKind::Stop => "stop",
        }
    }
}

/// The impulse of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// On the second body, N s, world axes.
    pub impulse: Vec3,
    /// Where, m.
    pub point: Vec3,
    /// From the first body to the second, unit length.
    pub normal: Vec3,
}

/// What a joint does during an impact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointImpulse {
    /// The joint.
    pub joint: String,
    /// On its second body, N s, world axes.
    pub force: Vec3,
    /// On its second body, about the joint's point there, N m s.
    pub moment: Vec3,
}

/// Something that happened at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// When, s.
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// The lock, joint, contact or impulse; of a stop its condition.
    pub name: String,
    /// Which coordinate of the joint, counted from one; nothing for a stop.
    pub coordinate: Option<usize>,
    /// The impulse along the coordinate, N s or N m s; of a contact along its normal; of an impulse on a body its size.
    pub impulse: f64,
    /// Whether that is N m s.
    pub turns: bool,
    /// By how much the energy changed, J. Of several events at one instant the first has the change of all.
    pub energy: f64,
    /// Of an impulse on a body: world axes, N s or N m s.
    pub vector: Option<Vec3>,
    /// Of a contact that was hit.
    pub contact: Option<ContactImpulse>,
    /// What all joints do in an impact of contacts, or while an impulse acts. Of several at one instant the first has it.
    pub joints: Vec<JointImpulse>,
}

impl Event {
    /// The unit of the impulse.
    pub fn unit(&self) -> &'static str {
        if self.turns { "N m s" } else { "N s" }
    }
}

crate::keep::keep!(ContactImpulse { impulse, point, normal });

crate::keep::keep!(JointImpulse { joint, force, moment });

crate::keep::keep!(Event { t, kind, name, coordinate, impulse, turns, energy, vector, contact, joints });

impl Keep for EventKind {
    fn keep(&self, to: &mut Vec<u8>) {
        to.push(*self as u8);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let tag = u8::recalled(from)?;
        *self = EventKind::ALL.into_iter().find(|kind| *kind as u8 == tag).ok_or(Damaged)?;
        Ok(())
    }
}
