//! Pose: positions of everything at an instant.

use crate::scene::Vector;
use crate::scene::deformable::BEAM_FIELDS;

/// A body's place and attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Its centre of mass, m.
    pub at: Vector,
    /// Its rotation since the drawing, w, x, y, z.
    pub quat_wxyz: [f64; 4],
}

/// Positions of everything of a [`Scene`](crate::Scene) at an instant.
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
    /// The sections of each beam, in the scene's order; none where one is not there.
    pub beams: Vec<Vec<Section>>,
    /// The amplitudes of each modal body, in the scene's order, m; none where one is not there.
    pub amplitudes: Vec<Vec<f64>>,
    /// Places where contacts push, and the force on the second body, N; those where the road pushes tyres among them.
    pub contacts: Vec<[Vector; 2]>,
}

/// A section of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Its place on the axis, m.
    pub at: Vector,
    /// The rotation that takes x, y, z to its axes 1, 2, 3: w, x, y, z. Axis 1 is along the beam.
    pub quat_wxyz: [f64; 4],
    /// The values of [`BEAM_FIELDS`].
    pub values: [f64; BEAM_FIELDS.len()],
}
