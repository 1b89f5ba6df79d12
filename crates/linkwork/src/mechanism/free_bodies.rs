//! Bodies that nothing holds: what an impulse does to one of them concerns it alone.

use super::Mechanism;
use crate::linalg::vec3::{Mat3, cross, dot, scale};

impl Mechanism {
    /// By body: the first of the bodies that joints and couplings make it move with.
    pub(crate) fn components(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.bodies.len()).collect();
        let joints = self.joints.iter().filter(|joint| !joint.kind.is_free());
        for joint in joints {
            let [a, b] = joint.bodies;
            if let (Some(a), Some(b)) = (a, b) {
                join(&mut first, a, b);
            }
        }
        for inertia in &self.joint_inertias {
            if let [Some(a), Some(b)] = self.joints[inertia.joint].bodies {
                join(&mut first, a, b);
            }
        }
        for coupling in &self.interactions.couplings {
            coupling.bodies.windows(2).for_each(|pair| join(&mut first, pair[0], pair[1]));
        }
        (0..first.len()).for_each(|body| first[body] = first_of(&mut first, body));
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

/// The first body of the component of one; the way there is shortened.
fn first_of(first: &mut [usize], mut body: usize) -> usize {
    while first[body] != body {
        first[body] = first[first[body]];
        body = first[body];
    }
    body
}

fn join(first: &mut [usize], a: usize, b: usize) {
    let [a, b] = [first_of(first, a), first_of(first, b)];
    first[a.max(b)] = a.min(b);
}
