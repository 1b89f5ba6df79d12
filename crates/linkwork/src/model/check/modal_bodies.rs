//! Modal bodies.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Fault, Model};

impl Checker<'_> {
    /// Of the model as its author wrote it.
    pub(super) fn modal_bodies(&mut self, author: &Model) {
        for body in &author.modal_bodies {
            let path = format!("modal_bodies.{}", segment(&body.name));
            if author.dimension.is_planar() {
                let help = "set the model's dimension to 3, and gravity along its axis";
                self.error_with(&path, "a modal body deforms in space, but the model is planar", help);
                continue;
            }
            self.number(&format!("{path}.damping"), body.damping, Sign::NotNegative);
            self.vector(&format!("{path}.at"), body.at);
            for interface in &body.basis.interfaces {
                if let Some((off, place)) = author.misdrawn_interface(body, &interface.name) {
                    let [x, y, z] = place;
                    let message = format!(
                        "the point `{0}` is drawn {off:.3e} m from the nodes of the interface `{0}`, which are at [{x}, {y}, {z}]",
                        interface.name
                    );
                    let help = "draw it there, or leave it out of `points`: then it is there by itself; `units` and `at` say where the nodes are";
                    self.faults.push(
                        Fault::error(format!("points.{}", segment(&interface.name)), message).help(help),
                    );
                }
            }
        }
        let frame = |name: &String| author.modal_bodies.iter().find(|body| body.name == *name);
        for joint in &author.joints {
            if let Some(body) = joint.bodies.iter().find_map(frame) {
                let interfaces: Vec<String> =
                    body.basis.interfaces.iter().map(|i| format!("`{}/{}`", body.name, i.name)).collect();
                let message =
                    format!("`{}` is the mean frame of a modal body, which no joint can hold", body.name);
                let path = format!("joints.{}.bodies", segment(&joint.name));
                self.error_with(
                    path,
                    message,
                    format!("name one of its interfaces: {}", interfaces.join(", ")),
                );
            }
        }
    }
}
