//! Where everything is at an instant.

use crate::scene::Vector;

/// A body's place and attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Its centre of mass, m.
    pub at: Vector,
    /// Its rotation since the drawing, w, x, y, z.
    pub quat_wxyz: [f64; 4],
}

/// Where everything of a [`Scene`](crate::Scene) is at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Time, s.
    pub t: f64,
    /// The bodies in the scene's order, without the ground; nothing where one is not there.
    pub bodies: Vec<Option<Placement>>,
    /// Which of the scene's joints are closed.
    pub joints: Vec<bool>,
    /// The pieces of each chain, in the scene's order: a piece is a line through nodes. There is more than one where a chain has broken; the growing segment
    /// ends at its exit.
    pub chains: Vec<Vec<Vec<Vector>>>,
    /// Places where contacts push, and the force on the second body, N; those where the road pushes tyres among them.
    pub contacts: Vec<[Vector; 2]>,
}
