//! A point of the second body that runs along a curve of the first: a cam and its follower.

use super::prelude::*;

keys! {
    /// The point of the second body runs along a curve of the first.
    PointOnCurve {
        /// The points of the first body through which the curve runs, as in ["P1", "P2", "P3"].
        curve: Vec<String> => required Vec<String>,
        /// Whether the curve returns to its first point; false if left out.
        closed: bool => default bool = false,
    }
}

/// Its description.
pub(super) const JOINT: Descriptor = Descriptor {
    name: "point-on-curve",
    aliases: &["cam"],
    in_plane: Freedom { coupled: 1, coordinates: &[Coupled { turns: false }], degrees: 2, ..Freedom::NONE },
    in_space: Freedom { coupled: 2, coordinates: &[Coupled { turns: false }], degrees: 4, ..Freedom::NONE },
    forces: false,
    moment: [false, false],
    symbol: Symbol::Runner,
    ..Descriptor::FREE
};

impl Describe for PointOnCurve {
    fn coupling(&self) -> Coupling<'_> {
        Coupling::Curve(&self.curve, self.closed)
    }

    fn check(&self, joint: &Checked<'_>, on: &mut dyn Checks) {
        let least = if self.closed { 3 } else { 2 };
        let (path, given) = (joint.key("curve"), self.curve.len());
        if given < least {
            let message = format!("the curve needs {least} points at least, it has {given}");
            on.error_with(&path, message, "curve = [\"P1\", \"P2\", ...]: points of the first body");
        }
        for (i, point) in self.curve.iter().enumerate() {
            on.point_of(&format!("{path}[{i}]"), point, &joint.bodies[0]);
        }
    }
}
