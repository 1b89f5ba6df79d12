//! How well drives move a point: condition, stiffness, transmission.
//!
//! With the drives u, the changes z_i that a unit of one of them makes while the others are locked, and x the point:
//!
//! ```text
//!   (Q1)  C z_i = 0,   ∂u_k/∂q z_i = δ_ki
//!   (Q2)  J = ∂x/∂u = [∂x/∂q z_1, ∂x/∂q z_2, …];   condition = s_max / s_min, lengths in parts of the size
//!   (Q3)  stiffness = 1 / s_max(J)²                     for drives of unit stiffness: K = (J Jᵀ)⁻¹
//!   (Q4)  sin μ = |v·a| / (|v| |a|)                     a: from the one end of a two-force body to the other, v: velocity of the end
//!                                                       away from the drive when this drive alone moves
//! ```
//!
//! (Q4) is 90° less the pressure angle. In a four-bar it is the angle between coupler and rocker, in a five-bar that between the two rods that meet, and it is defined for legs of platforms, too. Two-force
//! bodies have two joints, pins or balls, and no drive. The smallest of all drives counts [balli2002].

use super::Task;
use crate::analysis::configuration::Configuration;
use crate::analysis::position_quantity::PositionQuantity;
use crate::interactions::BodyPoint;
use crate::linalg::singular_values::SingularValues;
use crate::linalg::vec3::{Vec3, add, cross, dot, norm, sub};
use crate::mechanism::MechanismJoint;
use crate::model::JointKind;

/// Damping of (Q1), as a part of the largest singular value.
const DAMPING: f64 = 1e-9;
/// Slower than this part of the fastest is at rest.
const AT_REST: f64 = 1e-7;
/// Singular values below this part of the largest are zero.
const LOST: f64 = 1e-9;

/// Qualities at a pose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub condition: Option<f64>,
    pub transmission: Option<f64>,
    pub stiffness: Option<f64>,
    /// The sign of the determinant of J, where it is square.
    pub sign: f64,
}

/// A body that passes a force along the line between its joints, for a drive.
struct TwoForce {
    drive: usize,
    body: usize,
    input: BodyPoint,
    output: BodyPoint,
}

pub(super) struct Quality {
    bodies: Vec<TwoForce>,
}

impl Quality {
    /// Finds the two-force bodies.
    pub fn new(at: &Configuration<'_>, task: &Task) -> Self {
        let mechanism = at.mechanism;
        let joints = mechanism.joints();
        let mut bodies = Vec::new();
        let driven: Vec<Option<usize>> = task.drives.iter().map(|drive| joint_of(at, drive)).collect();
        for (drive, joint) in driven.iter().enumerate() {
            let Some(joint) = *joint else { continue };
            let far = distances(joints, mechanism.bodies().len(), joint);
            for body in 0..mechanism.bodies().len() {
                let own: Vec<usize> =
                    (0..joints.len()).filter(|&j| joints[j].bodies.contains(&Some(body))).collect();
                let plain = |&j: &usize| {
                    matches!(joints[j].kind, JointKind::Revolute | JointKind::Spherical)
                        && !driven.contains(&Some(j))
                };
                let &[a, b] = &own[..] else { continue };
                if !own.iter().all(plain) {
                    continue;
                }
                let end = |j: usize| {
                    let [first, second] = joints[j].bodies;
                    let (side, other) = if first == Some(body) { (0, second) } else { (1, first) };
                    let place = mechanism.spot(Some(body), joints[j].points[side]);
                    (other.map_or(usize::MAX, |other| far[other]), other, place)
                };
                let (mut input, mut output) = (end(a), end(b));
                if input.0 > output.0 {
                    std::mem::swap(&mut input, &mut output);
                }
                if input.0 < output.0 && output.1.is_some() {
                    bodies.push(TwoForce { drive, body, input: input.2, output: output.2 });
                }
            }
        }
        Quality { bodies }
    }

    /// (Q1) to (Q4)
    pub fn at(&mut self, at: &Configuration<'_>, task: &Task) -> Found {
        let k = task.drives.len();
        if k == 0 {
            return Found::default();
        }
        let n = at.freedoms_of_tree();
        let size = at.mechanism.size();
        let rates = at.body_rates();
        let mut rows = at.constraint_rows();
        let of_constraints = rows.len() / n.max(1);
        let held = &task.over[task.axes.len()..];
        let mut count = of_constraints;
        let names: Vec<&str> = task.drives.iter().map(|drive| drive.name.as_str()).collect();
        for drive in &task.drives {
            rows.extend(drive.gradient(at, &rates));
            count += 1;
        }
        // what is held in all cells is no drive, but it is held
        let over_joints = task.axes.iter().all(|axis| names.contains(&axis.quantity.trim()));
        if over_joints {
            for (quantity, scale) in held {
                rows.extend(quantity.gradient(at, &rates).iter().map(|d| d / scale));
                count += 1;
            }
        }
        let values = SingularValues::new(&rows, n);
        let unit = |i: usize| {
            let mut right = vec![0.0; count];
            right[of_constraints + i] = 1.0;
            values.damped(&right, DAMPING)
        };
        let z: Vec<Vec<f64>> = (0..k).map(unit).collect();
        let along = |row: &[f64], z: &[f64]| row.iter().zip(z).map(|(a, b)| a * b).sum::<f64>();
        let gradients: Vec<Vec<f64>> =
            task.of[..task.columns].iter().map(|quantity| quantity.gradient(at, &rates)).collect();
        let plain: Vec<f64> = gradients.iter().flat_map(|row| z.iter().map(|z| along(row, z))).collect();
        let scale = |i: usize| if task.drives[i].is_angle() { 1.0 } else { size };
        let scaled: Vec<f64> = plain.iter().enumerate().map(|(e, x)| x * scale(e % k) / size).collect();
        let fewest = task.columns.min(k);
        let singular = SingularValues::new(&scaled, k);
        let (most, least) = (singular.values[0], singular.values[fewest - 1]);
        let condition = if least > LOST * most { most / least } else { f64::INFINITY };
        let stiffness = 1.0 / SingularValues::new(&plain, k).values[0].powi(2);
        let sign = match (task.columns, k) {
            // a cell on the curve itself lies on one side of it, too
            (2, 2) if scaled[0] * scaled[3] - scaled[1] * scaled[2] < 0.0 => -1.0,
            (2, 2) => 1.0,
            _ => 0.0,
        };
        Found {
            condition: Some(condition),
            transmission: self.transmission(at, &rates, &z),
            stiffness: stiffness.is_finite().then_some(stiffness),
            sign,
        }
    }

    /// (Q4)
    fn transmission(&self, at: &Configuration<'_>, rates: &[[f64; 6]], z: &[Vec<f64>]) -> Option<f64> {
        let count = at.motions.len();
        let velocity = |place: &BodyPoint, z: &[f64]| -> Vec3 {
            let Some(body) = place.body else { return [0.0; 3] };
            let arm = place.at(&at.motions).arm;
            let mut v = [0.0; 3];
            for (k, z) in z.iter().enumerate() {
                let [v0, v1, v2, w0, w1, w2] = rates[k * count + body].map(|r| r * z);
                v = add(v, add([v0, v1, v2], cross([w0, w1, w2], arm)));
            }
            v
        };
        let one = |two: &TwoForce| {
            debug_assert_eq!(two.input.body, Some(two.body));
            let (v_in, v_out) = (velocity(&two.input, &z[two.drive]), velocity(&two.output, &z[two.drive]));
            let a = sub(two.output.at(&at.motions).r, two.input.at(&at.motions).r);
            let least = AT_REST * (norm(v_in) + norm(v_out));
            (norm(v_in) > least && norm(v_out) > least && norm(a) > 0.0)
                .then(|| (dot(v_out, a).abs() / (norm(v_out) * norm(a))).min(1.0).asin())
        };
        self.bodies.iter().filter_map(one).reduce(f64::min)
    }
}

/// The joint that a drive is a coordinate of.
fn joint_of(at: &Configuration<'_>, drive: &PositionQuantity) -> Option<usize> {
    at.mechanism.joints().iter().position(|joint| {
        let rest = drive.name.strip_prefix("joint.").and_then(|rest| rest.strip_prefix(joint.name.as_str()));
        rest.is_some_and(|rest| rest.starts_with(".q"))
    })
}

/// How many joints away from the bodies of a joint each body is; the ground passes nothing on.
fn distances(joints: &[MechanismJoint], bodies: usize, from: usize) -> Vec<usize> {
    let mut far = vec![usize::MAX; bodies];
    let mut next: Vec<usize> = joints[from].bodies.into_iter().flatten().collect();
    let mut step = 0;
    while !next.is_empty() {
        next.iter().for_each(|&body| far[body] = step);
        step += 1;
        let mut beyond = Vec::new();
        for joint in
            joints.iter().filter(|joint| joint.bodies.iter().flatten().any(|body| next.contains(body)))
        {
            beyond.extend(joint.bodies.into_iter().flatten().filter(|&body| far[body] == usize::MAX));
        }
        next = beyond;
        next.sort_unstable();
        next.dedup();
    }
    far
}
