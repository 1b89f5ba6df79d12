//! Forces of drivers, locks, limits and chains, read off a frame.

use super::Frame;
use crate::linalg::vec3::{dot, norm, sub};
use crate::mechanism::{Drive, HeldRow, Mechanism, MechanismChain};

impl Drive<'_> {
    /// The force, N, or torque, N m, that it takes: along its first coordinate, on whatever that moves.
    pub fn force(&self, frame: &Frame) -> f64 {
        -self.weight * frame.multipliers[self.coupling]
    }
}

impl HeldRow {
    /// The force, N, or torque, N m, that holds the coordinate, along it; zero while it is free.
    pub fn force(&self, frame: &Frame) -> f64 {
        match frame.switches.get(self.switch) {
            Some(true) => -self.scale * frame.multipliers[self.coupling],
            _ => 0.0,
        }
    }
}

impl MechanismChain {
    /// Tension of every segment, N: what a rigid one passes on at its end nearer to `from`, along itself.
    pub fn tensions(&self, mechanism: &Mechanism, frame: &Frame, out: &mut Vec<f64>) {
        out.clear();
        let Some(rope) = self.rope(mechanism) else { return };
        rope.tensions(&frame.motions, out);
        if rope.axial.is_some() {
            return;
        }
        for (k, joint) in self.joints.iter().enumerate() {
            let d = sub(frame.positions[self.nodes[k + 1]], frame.positions[self.nodes[k]]);
            let length = norm(d);
            out.push(match joint {
                Some((joint, sign)) if length > 0.0 && rope.whole[k] => {
                    -sign * dot(frame.reactions[*joint].force, d) / length
                }
                _ => 0.0,
            });
        }
    }

    /// Tension in the growing segment where it meets the last node, N.
    pub fn growing_tension(&self, mechanism: &Mechanism, frame: &Frame) -> f64 {
        let Some(rope) = self.rope(mechanism) else { return 0.0 };
        if let Some(coupling) = self.coupling {
            return frame.multipliers[coupling];
        }
        match (&rope.exit, rope.growing(&frame.motions)) {
            (Some(exit), Some(growing)) if growing.speed > 0.0 => {
                exit.pick_up.unwrap_or(0.0) * rope.density * growing.speed * growing.speed + exit.tension
            }
            _ => 0.0,
        }
    }
}
