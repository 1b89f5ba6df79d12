//! Exact derivatives of wrenches by the motions of bodies: what implicit methods take in place of differences.
//!
//! A law that is much stiffer one way than another, as a beam is along its axis and across, loses the weaker stiffness in the rounding of differences.

/// How the wrench on a body changes with the motion of a body: rows are force and moment, columns a displacement and a turn, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// The body that feels it.
    pub body: usize,
    /// The body that moves.
    pub by: usize,
    /// By a displacement of the centre of mass, 1/m, and a turn, 1/rad, twists held.
    pub by_place: [[f64; 6]; 6],
    /// By velocity and angular velocity.
    pub by_rate: [[f64; 6]; 6],
}

impl Response {
    /// None yet.
    pub fn new(body: usize, by: usize) -> Self {
        Response { body, by, by_place: [[0.0; 6]; 6], by_rate: [[0.0; 6]; 6] }
    }
}
