//! Scenes and results of the comparison, as JSON; see ../README.md for what the numbers mean.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// A scene, of which a peer needs no more than this.
#[derive(Deserialize)]
pub struct Scene {
    pub dimension: usize,
    pub gravity: [f64; 3],
    pub size: f64,
    pub duration: f64,
    pub step: f64,
    pub output_step: f64,
    pub bodies: Vec<Body>,
    pub planes: Vec<Plane>,
}

#[derive(Deserialize)]
pub struct Plane {
    pub at: [f64; 3],
    pub normal: [f64; 3],
    pub friction: f64,
    pub restitution: f64,
}

#[derive(Deserialize)]
pub struct Body {
    /// `free`, `fixed` or `driven`, which keeps its velocity
    pub kind: String,
    pub shape: Shape,
    pub mass: f64,
    pub position: [f64; 3],
    /// w, x, y, z
    pub rotation: [f64; 4],
    pub velocity: [f64; 3],
    pub omega: [f64; 3],
    pub friction: f64,
    pub restitution: f64,
}

/// Cylinders and capsules have their axis along z of the body.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Shape {
    Sphere { radius: f64 },
    Box { size: [f64; 3] },
    Cylinder { radius: f64, length: f64 },
    Capsule { radius: f64, length: f64 },
    Hull { vertices: Vec<[f64; 3]> },
}

/// What a run gives back.
#[derive(Default, Serialize)]
pub struct Answer {
    pub status: String,
    /// CPU and wall time of all steps, s; those of getting ready beforehand.
    pub cpu: f64,
    pub wall: f64,
    pub setup: f64,
    pub steps: u64,
    /// The most contact points that pushed in one step.
    pub contacts: u64,
    pub t: Vec<f64>,
    /// For each sample and each body that moves: centre of mass, rotation (w, x, y, z), velocity, angular velocity in world axes.
    pub poses: Vec<Vec<[f64; 13]>>,
    /// What the participant itself reports.
    pub own: serde_json::Value,
}

/// CPU time of this thread so far, s.
pub fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-9
}

/// CPU and wall time that passed in a call, s.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, f64, f64) {
    let (wall, before) = (Instant::now(), cpu());
    let result = call();
    (result, cpu() - before, wall.elapsed().as_secs_f64())
}
