//! What is written of a mechanism onto a tape: what coordinates feel, rows of couplings, powers and joint angles. Rows between points, masses and constant forces are not.

use super::bodies::Scribe;
use super::gauges::RowSeries;
use crate::formulations::Neighbours;
use crate::formulations::NotCovered;
use crate::interactions::{Action, CoordinateFunction, Interactions};
use crate::linalg::tape::{Node, Number};
use crate::mechanism::Mechanism;

/// The outputs of a tape, and who writes it.
pub(super) struct Text<'m, N: Number> {
    pub scribe: Scribe<'m, N>,
    /// Rows of couplings.
    pub couplings: Vec<RowSeries>,
    /// Coordinate and what it feels beyond constant forces.
    pub forces: Vec<(usize, Node)>,
    /// Power of what no potential accounts for, but for drivers.
    pub power: Node,
    /// Hint and the angle that it follows.
    pub hints: Vec<(usize, Node)>,
}

/// Who an action belongs to, for people.
fn owner(mechanism: &Mechanism, action: &Action, name: &str) -> String {
    if !name.is_empty() {
        return name.to_owned();
    }
    let Action::Along(along) = action else { return "a force".into() };
    let of = |g: usize| mechanism.joints.iter().find(|j| j.coordinates.iter().any(|c| c.gauge == g));
    let joint = along.terms.first().and_then(|t| of(t.0));
    joint.map_or("a joint".into(), |joint| format!("joint.{}", joint.name))
}

impl<'m, N: Number> Text<'m, N> {
    /// Writes a mechanism, or tells what of it cannot be written. `at_instants`: the tape serves no more than instants, and may have corners.
    pub fn new(neighbours: &'m Neighbours<'m>, at_instants: bool) -> Result<Self, Vec<NotCovered>> {
        let mechanism = neighbours.nominal();
        if mechanism.interactions.has_variables_besides_contacts() {
            let why = "they change by themselves or from outside".into();
            return Err(vec![NotCovered { element: "inputs and states".into(), why }]);
        }
        let mut scribe = Scribe::<N>::new(neighbours, at_instants);
        let mut missing = Vec::new();
        let mut note = |element: String, why: String| missing.push(NotCovered { element, why });
        for i in 0..mechanism.springs_between_nodes().count() {
            if let Err(why) = scribe.spring(i) {
                note("a spring".into(), why);
            }
        }
        let Interactions { actions, couplings, gauges, .. } = &mechanism.interactions;
        for (i, action) in actions.iter().enumerate() {
            if let Err(why) = scribe.action(i) {
                note(owner(mechanism, &action.action, &action.name), why);
            }
        }
        scribe.spread_loads();
        let mut rows = Vec::new();
        for (i, coupling) in couplings.iter().enumerate() {
            match scribe.row(i) {
                Ok(row) => rows.push(row),
                Err(why) => note(coupling.label.clone(), why),
            }
        }
        let mut hints = Vec::new();
        for (g, gauge) in gauges.iter().enumerate() {
            let hint = match gauge {
                CoordinateFunction::Angle { hint: Some(hint), .. } => *hint,
                CoordinateFunction::Curve(curve) => curve.hint,
                _ => continue,
            };
            match scribe.gauge(g) {
                Ok(reading) => hints.push((hint, reading.value)),
                Err(why) => note("a joint coordinate".into(), why),
            }
        }
        if neighbours.jump() {
            let why = "a direction or a length of it is chosen otherwise in a neighbour".into();
            note("the drawing".into(), why);
        }
        missing.dedup();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut forces = Vec::new();
        for (i, terms) in std::mem::take(&mut scribe.forces).into_iter().enumerate() {
            let node = scribe.tape.weighted(&terms, N::of(0.0));
            if !scribe.tape.is_zero(node) {
                forces.push((i, node));
            }
        }
        let powers = std::mem::take(&mut scribe.power);
        let power = scribe.tape.weighted(&powers, N::of(0.0));
        Ok(Text { scribe, couplings: rows, forces, power, hints })
    }

    /// All that the equations of motion take from the tape.
    pub fn outputs(&self) -> Vec<Node> {
        let mut outputs = vec![self.power];
        outputs.extend(self.forces.iter().chain(&self.hints).map(|f| f.1));
        for row in &self.couplings {
            outputs.extend(row.entries.iter().map(|e| e.1).chain(row.drive));
        }
        outputs
    }
}
