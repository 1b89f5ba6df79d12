//! How bodies, points and joints move with the states: what mode shapes and their energies are read off.
//!
//!   (M1)  δθ = ½ axial(δR Rᵀ − R δRᵀ)          small rotation of a body, world axes

use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed};
use crate::mechanism::Mechanism;
use crate::results::Frame;

/// How a body moves with the states.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMotion {
    /// Its name.
    pub name: String,
    /// kg
    pub mass: f64,
    /// About the centre of mass, world axes at the state, kg m².
    pub inertia: Mat3,
    /// Displacement of the centre of mass, then rotation, world axes: six rows of as many numbers as there are states.
    pub by_state: Vec<f64>,
}

/// How a named point moves with the states.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMotion {
    /// Its name.
    pub name: String,
    /// Where it is at the state, m.
    pub at: Vec3,
    /// Its displacement: three rows of as many numbers as there are states.
    pub by_state: Vec<f64>,
}

/// How a coordinate of a joint changes with the states.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    /// Name of its result column, as in `joint.A.q`.
    pub name: String,
    /// Whether it is an angle, rad; else a path, m.
    pub turns: bool,
    /// Its change: as many numbers as there are states.
    pub by_state: Vec<f64>,
}

/// Positions as plain numbers: what differences are taken of.
pub(super) fn positions(frame: &Frame, out: &mut Vec<f64>) {
    for motion in &frame.motions {
        out.extend(motion.c);
        out.extend(motion.turned.iter().flatten());
    }
    out.extend(frame.positions.iter().flatten());
    out.extend(frame.joints.iter().flatten().map(|joint| joint.q));
}

/// How many numbers that are.
pub(super) fn count(mechanism: &Mechanism) -> usize {
    let joints: usize = mechanism.joints.iter().map(|joint| joint.coordinates.len()).sum();
    12 * mechanism.bodies.len() + 3 * mechanism.points.len() + joints
}

/// What moves, from the rows of derivatives of those numbers by the states.
pub(super) struct Shapes {
    pub bodies: Vec<BodyMotion>,
    pub points: Vec<PointMotion>,
    pub joints: Vec<JointMotion>,
}

impl Shapes {
    /// `rows`: derivatives, a row of `n` states for each number of [`positions`].
    pub fn new(mechanism: &Mechanism, frame: &Frame, rows: &[f64], n: usize) -> Self {
        let row = |i: usize| &rows[i * n..(i + 1) * n];
        let mut next = 0;
        let mut bodies = Vec::new();
        for (body, motion) in mechanism.bodies.iter().zip(&frame.motions) {
            let properties = &body.particles.properties;
            let mut by_state = vec![0.0; 6 * n];
            for c in 0..3 {
                by_state[c * n..(c + 1) * n].copy_from_slice(row(next + c));
            }
            for k in 0..n {
                let turned: Mat3 =
                    std::array::from_fn(|r| std::array::from_fn(|c| row(next + 3 + 3 * r + c)[k]));
                let theta = axial(&turned, &motion.turned);
                (0..3).for_each(|c| by_state[(3 + c) * n + k] = theta[c]);
            }
            next += 12;
            bodies.push(BodyMotion {
                name: body.name.clone(),
                mass: properties.mass,
                inertia: in_world(&motion.turned, &properties.inertia_about_com),
                by_state,
            });
        }
        let mut points = Vec::new();
        for (point, at) in mechanism.points.iter().zip(&frame.positions) {
            points.push(PointMotion {
                name: point.name.clone(),
                at: *at,
                by_state: rows[next * n..(next + 3) * n].to_vec(),
            });
            next += 3;
        }
        let mut joints = Vec::new();
        for joint in &mechanism.joints {
            for (i, coordinate) in joint.coordinates.iter().enumerate() {
                let number = if i == 0 { String::new() } else { (i + 1).to_string() };
                joints.push(JointMotion {
                    name: format!("joint.{}.q{number}", joint.name),
                    turns: mechanism.interactions.gauges[coordinate.gauge].is_angle(),
                    by_state: row(next).to_vec(),
                });
                next += 1;
            }
        }
        Shapes { bodies, points, joints }
    }
}

/// (M1)
fn axial(change: &Mat3, turned: &Mat3) -> Vec3 {
    // column c of (δR Rᵀ)ᵀ is R times row c of δR
    let product: [Vec3; 3] = std::array::from_fn(|r| apply(turned, change[r]));
    [
        0.5 * (product[2][1] - product[1][2]),
        0.5 * (product[0][2] - product[2][0]),
        0.5 * (product[1][0] - product[0][1]),
    ]
}

/// R I Rᵀ
fn in_world(turned: &Mat3, inertia: &Mat3) -> Mat3 {
    let column = |k: usize| {
        let unit: Vec3 = std::array::from_fn(|c| f64::from(u8::from(c == k)));
        apply(turned, apply(inertia, apply_transposed(turned, unit)))
    };
    let columns: [Vec3; 3] = std::array::from_fn(column);
    std::array::from_fn(|r| std::array::from_fn(|c| columns[c][r]))
}

impl BodyMotion {
    /// m |δc|² + δθ·I δθ of a change of the states; times a squared frequency, twice the kinetic energy.
    pub fn inertia_of(&self, states: &[f64]) -> f64 {
        let moved = self.moved(states);
        let [c, theta] = [0, 3].map(|from| -> Vec3 { std::array::from_fn(|i| moved[from + i]) });
        let turned = apply(&self.inertia, theta);
        let dot = |a: Vec3, b: Vec3| a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
        self.mass * dot(c, c) + dot(theta, turned)
    }

    /// Displacement and rotation for a change of the states.
    fn moved(&self, states: &[f64]) -> [f64; 6] {
        let n = states.len();
        std::array::from_fn(|r| {
            self.by_state[r * n..(r + 1) * n].iter().zip(states).map(|(m, x)| m * x).sum()
        })
    }
}

impl PointMotion {
    /// Where it is for a small change of the states, m.
    pub fn moved(&self, states: &[f64]) -> Vec3 {
        let n = states.len();
        let along = |r: usize| self.by_state[r * n..(r + 1) * n].iter().zip(states).map(|(m, x)| m * x).sum();
        add(self.at, std::array::from_fn(along))
    }
}
