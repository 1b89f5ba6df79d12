//! Rigid poses: where a frame is in another one, as the formats state it.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// A frame seen from another one: x_outer = R x_inner + p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// R: the axes of the inner frame, column by column, in the outer one.
    pub rotation: Matrix3<f64>,
    /// p: the origin of the inner frame in the outer one, m.
    pub origin: Vector3<f64>,
}

impl Pose {
    /// The same frame.
    pub fn identity() -> Self {
        Pose { rotation: Matrix3::identity(), origin: Vector3::zeros() }
    }

    /// A frame that is moved and not turned.
    pub fn at(origin: Vector3<f64>) -> Self {
        Pose { rotation: Matrix3::identity(), origin }
    }

    /// Roll about x, then pitch about y, then yaw about z, all about fixed axes (rad): R = Rz Ry Rx, as in URDF and SDF.
    pub fn from_rpy(origin: Vector3<f64>, rpy: Vector3<f64>) -> Self {
        let [(sr, cr), (sp, cp), (sy, cy)] = [rpy[0].sin_cos(), rpy[1].sin_cos(), rpy[2].sin_cos()];
        let rotation = Matrix3::new(
            cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr,
        );
        Pose { rotation, origin }
    }

    /// A unit quaternion w, x, y, z; it is made a unit one. `None` if it is zero or not finite.
    pub fn from_quaternion(origin: Vector3<f64>, wxyz: [f64; 4]) -> Option<Self> {
        let q = nalgebra::Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
        let norm = q.norm();
        if !norm.is_finite() || norm < 1e-9 {
            return None;
        }
        let rotation = UnitQuaternion::new_normalize(q).to_rotation_matrix().into_inner();
        Some(Pose { rotation, origin })
    }

    /// A turn about an axis (of any length but zero) through the origin, rad.
    pub fn turn(axis: Vector3<f64>, angle: f64) -> Self {
        let axis = nalgebra::Unit::new_normalize(axis);
        Pose { rotation: Rotation3::from_axis_angle(&axis, angle).into_inner(), origin: Vector3::zeros() }
    }

    /// This frame, then one given in it.
    pub fn then(&self, inner: &Pose) -> Pose {
        Pose { rotation: self.rotation * inner.rotation, origin: self.point(inner.origin) }
    }

    /// The outer frame seen from the inner one.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.transpose();
        Pose { rotation, origin: -(rotation * self.origin) }
    }

    /// A place in the inner frame, in the outer one.
    pub fn point(&self, inner: Vector3<f64>) -> Vector3<f64> {
        self.rotation * inner + self.origin
    }

    /// A direction in the inner frame, in the outer one.
    pub fn direction(&self, inner: Vector3<f64>) -> Vector3<f64> {
        self.rotation * inner
    }

    /// An inertia matrix about a point, given in the inner axes, in the outer ones.
    pub fn inertia(&self, inner: Matrix3<f64>) -> Matrix3<f64> {
        let turned = self.rotation * inner * self.rotation.transpose();
        (turned + turned.transpose()) * 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_rpy_is_three_turns_about_fixed_axes() {
        let rpy = Vector3::new(0.3, -0.7, 1.9);
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let turns = Pose::turn(z, rpy[2]).then(&Pose::turn(y, rpy[1])).then(&Pose::turn(x, rpy[0]));
        assert!((Pose::from_rpy(Vector3::zeros(), rpy).rotation - turns.rotation).norm() < 1e-15);
    }

    #[test]
    fn keeps_the_place_there_and_back() {
        let pose = Pose::from_rpy(Vector3::new(1.0, 2.0, -3.0), Vector3::new(0.1, 0.2, 0.3));
        let there_and_back = pose.then(&pose.inverse());
        assert!((there_and_back.rotation - Matrix3::identity()).norm() < 1e-15);
        assert!(there_and_back.origin.norm() < 1e-15);
    }
}
