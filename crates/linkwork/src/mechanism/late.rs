//! Readings of formulas that are known only once the motion is solved.

use super::contact_entries::ContactOf;

/// A reading that needs accelerations or reactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// A component of a named point's acceleration.
    Acceleration(usize, usize),
    /// A component of a joint's reaction: force x, y, z, moment x, y, z.
    Reaction(usize, usize),
    /// A multiplier of a coupling.
    Multiplier(usize),
    /// The force or torque of the driver that a coupling belongs to.
    Driver(usize),
    /// An output of an action, by its place among all outputs.
    Output(usize),
    /// What contacts give.
    Contact(ContactOf, ContactResult),
    /// The sum of the forces of contacts on a body, along an axis.
    OnBody(usize, usize),
}

/// What contacts give, summed up where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactResult {
    /// Normal forces, N.
    Normal,
    /// Friction on the second surfaces along an axis, N.
    Friction(usize),
    /// All force on the second surfaces along an axis, N.
    Force(usize),
    /// How many are closed.
    Closed,
    /// Open, slips, sticks: 0, 1, 2; of several the most.
    State,
}
