//! Readings of formulas that are known only once the motion is solved.

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
}
