//! Equilibria and steady motions as JSON for programs.

use super::{Equilibrium, FreeDirection, MovedJoint, MovedPoint, SteadyMotion};
use crate::mechanism::{Mechanism, MechanismJoint};
use crate::results::Frame;
use serde_json::{Value, json};

fn direction(direction: &FreeDirection) -> Value {
    json!({
        "what": direction.what,
        "joint": direction.joint,
        "body": direction.body,
        "omega_squared": direction.square,
    })
}

fn points(list: &[MovedPoint], d: usize) -> Vec<Value> {
    let of = |moved: &MovedPoint| {
        json!({
            "point": moved.point,
            "before": &moved.before[..d],
            "after": &moved.after[..d],
            "distance": moved.distance(),
        })
    };
    list.iter().map(of).collect()
}

fn coordinates(list: &[MovedJoint]) -> Vec<Value> {
    let of = |joint: &MovedJoint| {
        json!({
            "joint": joint.joint,
            "coordinate": joint.coordinate,
            "unit": if joint.turns { "rad" } else { "m" },
            "before": joint.before,
            "after": joint.after,
        })
    };
    list.iter().map(of).collect()
}

fn reactions(mechanism: &Mechanism, frame: &Frame) -> Vec<Value> {
    let d = mechanism.columns();
    let of = |(j, joint): (usize, &MechanismJoint)| {
        let wrench = &frame.reactions[j];
        json!({
            "joint": joint.name,
            "on": mechanism.body_name(joint.bodies[1]),
            "force": &wrench.force[..d],
            "moment": if d == 2 { json!(wrench.moment[2]) } else { json!(wrench.moment) },
        })
    };
    mechanism.named_joints().map(of).collect()
}

impl SteadyMotion {
    /// Everything that was found, for programs. `mechanism`: the one whose motion this is.
    pub fn to_json(&self, mechanism: &Mechanism) -> Value {
        let held = self
            .held
            .iter()
            .map(|held| json!({ "rate": held.what, "value": held.value, "force": held.force }));
        let travelling = self.travelling.iter().map(|(rate, value)| json!({ "rate": rate, "value": value }));
        json!({
            "status": "found",
            "model": mechanism.model().name,
            "t": self.state.t,
            "iterations": self.iterations,
            "residual": self.residual,
            "held": held.collect::<Vec<_>>(),
            "travelling": travelling.collect::<Vec<_>>(),
            "moved": points(&self.moved, mechanism.columns()),
            "joints": coordinates(&self.joints),
            "reactions": reactions(mechanism, &self.frame),
            "state": self.state,
        })
    }
}

impl Equilibrium {
    /// Everything that was found, for programs. `mechanism`: the one whose equilibrium this is.
    pub fn to_json(&self, mechanism: &Mechanism) -> Value {
        let d = mechanism.columns();
        let (moved, joints) = (points(&self.moved, d), coordinates(&self.joints));
        let closed = self.frame.contacts.iter().zip(mechanism.contacts()).filter(|(state, _)| state.closed);
        let contacts = closed.map(|(state, contact)| {
            json!({
                "contact": contact.name,
                "sticks": state.sticks,
                "normal": state.normal,
                "friction": &state.friction[..d],
            })
        });
        json!({
            "status": "found",
            "model": mechanism.model().name,
            "t": self.state.t,
            "method": self.method.name(),
            "iterations": self.iterations,
            "stops": self.stops,
            "residual": self.residual,
            "residual_of_weight": self.relative_residual(),
            "weight": self.weight,
            "potential_energy": self.frame.potential,
            "stability": self.stability.name(),
            "unstable": self.unstable.iter().map(direction).collect::<Vec<_>>(),
            "free": self.free.iter().map(direction).collect::<Vec<_>>(),
            "slowest_angular_frequency": self.slowest,
            "sticking_contacts": self.sticking,
            "moved": moved,
            "joints": joints,
            "reactions": reactions(mechanism, &self.frame),
            "contacts": contacts.collect::<Vec<_>>(),
            "state": self.state,
        })
    }
}
