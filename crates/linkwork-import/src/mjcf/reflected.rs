//! Inertia that a joint feels while all others are free, as drawn: what MuJoCo takes for `springdamper`.
//!
//! With the mass matrix M of the joint coordinates that is 1 / (M⁻¹)_jj. Twists and wrenches are about the origin of the world, so that those of several links add as they
//! are. For a link with the inertia I, the columns S of its joint and the inertia A of rotors, from the tips to the roots
//!
//!   (I1)  Iᵃ = I + Σ (I_c − U_c D_c⁻¹ U_cᵀ) over what hangs on it,   U = Iᵃ S,   D = Sᵀ U + A
//!
//! as in the articulated-body algorithm [featherstone2008]. A unit force at the joint j meets on its way to the root
//!
//!   (I2)  u_j = 1, u = −Sᵀ p above it;   p ← p + U D⁻¹ u
//!
//! and on the way back
//!
//!   (I3)  q̈ = D⁻¹ (u − Uᵀ a),   a ← a + S q̈;   (M⁻¹)_jj = q̈_j

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3, Vector6};

use crate::robot::{Joint, JointKind, Robot, about};

/// Inertias of a tree that a force at a joint meets.
pub(super) struct Reflected {
    /// For each link: the link that carries it, and what its joint does.
    carried: Vec<Option<Carried>>,
}

struct Carried {
    by: Option<usize>,
    /// S and U, a column for each coordinate.
    columns: [DMatrix<f64>; 2],
    /// D⁻¹.
    inverse: DMatrix<f64>,
}

impl Reflected {
    /// `parents`: for each link the one that carries it, which comes before it.
    pub(super) fn new(robot: &Robot, parents: &[Option<usize>]) -> Self {
        let mut inertias: Vec<Matrix6<f64>> = robot
            .links
            .iter()
            .map(|link| about_origin(link.mass, link.world_com(), link.world_inertia()))
            .collect();
        let mut joints: Vec<Option<&Joint>> = vec![None; robot.links.len()];
        for joint in &robot.joints {
            if let Some(link) = joint.second {
                joints[link].get_or_insert(joint);
            }
        }
        let mut carried: Vec<Option<Carried>> = robot.links.iter().map(|_| None).collect();
        for link in (0..robot.links.len()).rev().filter(|link| !robot.links[*link].fixed) {
            let motions = joints[link].map_or_else(Vec::new, motions);
            let columns = DMatrix::from_fn(6, motions.len(), |row, column| motions[column][row]);
            let against = DMatrix::from_column_slice(6, 6, inertias[link].as_slice()) * &columns;
            let mut within = columns.transpose() * &against;
            for (k, along) in joints[link].iter().flat_map(|joint| &joint.coordinates).enumerate() {
                if k < motions.len() {
                    within[(k, k)] += along.armature;
                }
            }
            // what has no inertia along its joint takes up no force there
            let inverse = within
                .try_inverse()
                .filter(|inverse| inverse.iter().all(|value| value.is_finite()))
                .unwrap_or_else(|| DMatrix::zeros(motions.len(), motions.len()));
            if let Some(parent) = parents[link] {
                let taken = &against * &inverse * against.transpose();
                let felt = inertias[link] - Matrix6::from_fn(|row, column| taken[(row, column)]);
                inertias[parent] += felt; // (I1)
            }
            carried[link] = Some(Carried { by: parents[link], columns: [columns, against], inverse });
        }
        Reflected { carried }
    }

    /// 1 / (M⁻¹)_jj of the joint with one coordinate that moves this link; infinite if nothing moves it.
    pub(super) fn inertia(&self, link: usize) -> f64 {
        let mut way: Vec<(&Carried, DVector<f64>)> = Vec::new();
        let mut wrench = DVector::zeros(6);
        let mut next = Some(link);
        while let Some(carried) = next.and_then(|link| self.carried[link].as_ref()) {
            let [columns, against] = &carried.columns;
            let force = match way.is_empty() {
                true => DVector::from_element(columns.ncols(), 1.0),
                false => -(columns.transpose() * &wrench),
            };
            wrench += against * (&carried.inverse * &force); // (I2)
            way.push((carried, force));
            next = carried.by;
        }
        let mut acceleration = DVector::zeros(6);
        let mut last = 0.0;
        for (carried, force) in way.iter().rev() {
            let [columns, against] = &carried.columns;
            let rate = &carried.inverse * (force - against.transpose() * &acceleration);
            acceleration += columns * &rate; // (I3)
            last = rate.get(0).copied().unwrap_or(0.0);
        }
        1.0 / last
    }
}

/// Inertia for twists (turn, path) about the origin.
fn about_origin(mass: f64, com: Vector3<f64>, inertia: Matrix3<f64>) -> Matrix6<f64> {
    let lever = com.cross_matrix() * mass;
    let mut whole = Matrix6::zeros();
    whole.fixed_view_mut::<3, 3>(0, 0).copy_from(&(inertia + about(mass, com)));
    whole.fixed_view_mut::<3, 3>(0, 3).copy_from(&lever);
    whole.fixed_view_mut::<3, 3>(3, 0).copy_from(&lever.transpose());
    whole.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * mass));
    whole
}

/// Twists of a joint's coordinates.
fn motions(joint: &Joint) -> Vec<Vector6<f64>> {
    let turn = |axis: Vector3<f64>| {
        let path = joint.origin.cross(&axis);
        Vector6::new(axis[0], axis[1], axis[2], path[0], path[1], path[2])
    };
    let path = |axis: Vector3<f64>| Vector6::new(0.0, 0.0, 0.0, axis[0], axis[1], axis[2]);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    match joint.kind {
        JointKind::Revolute => vec![turn(joint.axis)],
        JointKind::Prismatic => vec![path(joint.axis)],
        JointKind::Spherical => axes.map(turn).into(),
        JointKind::Floating => axes.map(path).into_iter().chain(axes.map(turn)).collect(),
        _ => Vec::new(),
    }
}
