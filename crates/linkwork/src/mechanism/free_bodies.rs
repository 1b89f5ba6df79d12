//! Bodies that nothing holds: what an impulse does to one of them concerns it alone.

use super::Mechanism;
use crate::linalg::vec3::{Mat3, cross, dot, scale};

impl Mechanism {
    /// By body: the first of the bodies that joints and couplings make it move with.
    pub(crate) fn components(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.bodies.len()).collect();
        let joints = self.joints.iter().filter(|joint| !joint.kind.is_free());
        let joined = joints.map(|joint| joint.bodies.into_iter().flatten().collect::<Vec<_>>());
        let coupled = self.interactions.couplings.iter().map(|coupling| coupling.bodies.clone());
        let inert = self.joint_inertias.iter();
        let inert = inert.map(|i| self.joints[i.joint].bodies.into_iter().flatten().collect::<Vec<_>>());
        for group in joined.chain(coupled).chain(inert) {
            for pair in group.windows(2) {
                let [a, b] = [first[pair[0]], first[pair[1]]];
                let (low, high) = (a.min(b), a.max(b));
                first.iter_mut().filter(|x| **x == high).for_each(|x| *x = low);
            }
        }
        first
    }

    /// By body: 1/m and the inverse of its inertia matrix about the centre of mass, as drawn, where no joint, coupling or varying inertia concerns it and it can turn in every
    /// direction.
    pub(crate) fn free_bodies(&self) -> Vec<Option<(f64, Mat3)>> {
        let mut free = vec![true; self.bodies.len()];
        for joint in self.joints.iter().filter(|joint| !joint.kind.is_free()) {
            joint.bodies.into_iter().flatten().for_each(|body| free[body] = false);
        }
        for coupling in &self.interactions.couplings {
            coupling.bodies.iter().for_each(|&body| free[body] = false);
        }
        self.masses.iter().for_each(|mass| free[mass.body] = false);
        for inertia in &self.joint_inertias {
            self.joints[inertia.joint].bodies.into_iter().flatten().for_each(|body| free[body] = false);
        }
        let inverse = |(body, free): (usize, bool)| {
            let particles = &self.bodies[body].particles;
            let properties = &particles.properties;
            let planar = self.columns() == 2;
            if !free || particles.k() < if planar { 2 } else { 4 } {
                return None;
            }
            let i = &properties.inertia_about_com;
            let inertia = match planar {
                true => [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0 / i[2][2]]],
                false => {
                    let columns = [cross(i[1], i[2]), cross(i[2], i[0]), cross(i[0], i[1])];
                    columns.map(|column| scale(1.0 / dot(i[0], columns[0]), column))
                }
            };
            Some((1.0 / properties.mass, inertia))
        };
        free.into_iter().enumerate().map(inverse).collect()
    }
}
