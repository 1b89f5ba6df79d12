//! Columns of results on a tape: places and speeds of points, coordinates of joints, measures, kinetic energy.
//!
//! They serve instants, with their derivatives by the state and by what is varied. Columns that need accelerations or reactions are not among them.

use super::bodies::{Covered, Scribe};
use super::each::Each;
use super::tangents::fill;
use crate::formulations::Neighbours;
use crate::interactions::{Action, Coordinate};
use crate::linalg::tape::{Node, Number, Tangents, Tape, Varied, Weighed};
use crate::mechanism::{Energy, Mechanism, Quantity, describe};
use std::collections::BTreeSet;
use std::ops::Range;

/// Where a column is found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    On(Node),
    /// A component of the state behind the velocities: the work first.
    Beyond(usize, f64),
    Nowhere,
}

/// Columns of results at an instant, with what is varied in them.
#[derive(Clone, Debug)]
pub(in crate::formulations::points) struct Readings {
    tape: Tape,
    list: Vec<Reading>,
}

impl Readings {
    /// Writes those of these columns that can be written.
    pub fn new(neighbours: &Neighbours<'_>, columns: &[usize]) -> Self {
        let mechanism = neighbours.nominal();
        let mut known = Vec::new();
        // where what there is changes, columns are those of all that there may be
        if mechanism.origin.as_ref().is_none_or(|origin| origin.columns.is_empty()) {
            describe(mechanism, |_, _, quantity| known.push(quantity));
        }
        let mut scribe = Scribe::<Varied>::new(neighbours, true);
        let mut list = Vec::new();
        for &column in columns {
            let found = known.get(column).map(|&quantity| scribe.column(quantity));
            list.push(found.and_then(Result::ok).unwrap_or(Reading::Nowhere));
        }
        if neighbours.jump() {
            list.fill(Reading::Nowhere);
        }
        let nodes = list.iter().filter_map(|reading| match reading {
            Reading::On(node) => Some(*node),
            _ => None,
        });
        let outputs: Vec<Node> = nodes.collect();
        Readings { tape: scribe.tape.finish(super::tangents::ORDER + 1, &outputs), list }
    }

    /// Which columns there are.
    pub fn known(&self) -> impl Iterator<Item = bool> {
        self.list.iter().map(|reading| *reading != Reading::Nowhere)
    }

    /// Room for derivatives by some of the variables, in as many lanes or more.
    pub fn tangents(&self, variables: Range<usize>, lanes: usize) -> Tangents {
        self.tape.tangents(variables, lanes)
    }

    /// Works out everything at an instant.
    pub fn look_at(&mut self, t: f64, middle: f64, qv: [&[f64]; 2], turns: &[f64]) {
        fill(&mut self.tape, t, middle, qv, turns);
    }

    /// The derivatives of the columns, one after the other, L side by side; what is not known is left as it is. `beyond` has those of the state behind the velocities.
    pub fn vary<const L: usize>(
        &self,
        tangents: &mut Tangents,
        [dq, dv, beyond]: [&[[f64; L]]; 3],
        out: &mut [[f64; L]],
    ) {
        super::tangents::vary(&self.tape, tangents, [dq, dv]);
        for (out, reading) in out.iter_mut().zip(&self.list) {
            match *reading {
                Reading::On(node) => *out = self.tape.varied::<L>(tangents, node, 0),
                Reading::Beyond(i, w) => *out = beyond[i].map(|x| w * x),
                Reading::Nowhere => {}
            }
        }
    }
}

impl Readings {
    /// Room for so many weights side by side.
    pub fn weighed(&self, lanes: usize) -> Weighed {
        self.tape.weighed(lanes)
    }

    /// The derivatives by a variable of all that has been weighed.
    pub fn weighed_by(&self, weighed: &Weighed, variable: usize, out: &mut [f64]) {
        self.tape.weighed_by(weighed, variable, out);
    }

    /// The values of the columns at the instant; what is not known is left as it is.
    pub fn values(&self, beyond: &[f64], out: &mut [f64]) {
        for (out, reading) in out.iter_mut().zip(&self.list) {
            match *reading {
                Reading::On(node) => *out = self.tape.at(node, 0),
                Reading::Beyond(i, w) => *out = w * beyond[i],
                Reading::Nowhere => {}
            }
        }
    }

    /// The transpose of [`vary`](Self::vary): adds to what the state weighs, from what columns weigh.
    pub fn pull_back<const L: usize>(
        &self,
        weighed: &mut Weighed,
        columns: &[[f64; L]],
        [q, v, beyond]: [&mut [[f64; L]]; 3],
    ) {
        weighed.clear();
        for (weights, reading) in columns.iter().zip(&self.list) {
            match *reading {
                Reading::On(node) => weighed.weigh(&self.tape, node, 0, weights),
                Reading::Beyond(i, w) => (0..L).for_each(|k| beyond[i][k] += w * weights[k]),
                Reading::Nowhere => {}
            }
        }
        super::tangents::pull_back(&self.tape, weighed, [q, v]);
    }
}

impl<N: Number> Scribe<'_, N> {
    fn column(&mut self, quantity: Quantity) -> Covered<Reading> {
        let coordinate = |scribe: &mut Self, joint: usize, i: usize, rate: bool| {
            let each = scribe.each(|m| m.joints[joint].coordinates[i]);
            let factor = scribe.number(&each.map(|c: Coordinate| c.factor));
            let value = scribe.gauge(each.first().gauge)?.value;
            let value = if rate { scribe.tape.rate(value) } else { value };
            Ok::<Node, String>(scribe.scale(factor, value))
        };
        Ok(match quantity {
            Quantity::Time => Reading::On(self.tape.time()),
            Quantity::Position(point, c) => {
                let node = self.node(self.mechanism.points[point].node);
                Reading::On(node[c])
            }
            Quantity::Velocity(point, c) => {
                let node = self.node(self.mechanism.points[point].node);
                Reading::On(self.tape.rate(node[c]))
            }
            Quantity::JointCoordinate(joint, i) => Reading::On(coordinate(self, joint, i, false)?),
            Quantity::JointRate(joint, i) => Reading::On(coordinate(self, joint, i, true)?),
            Quantity::Length(gauge) => Reading::On(self.gauge(gauge)?.value),
            Quantity::Output(place) => Reading::On(self.output_at(place)?),
            Quantity::Measure(i, _) => {
                let measure = self.each(|m| &m.interactions.measures[i]);
                let value = self.program(&measure.map(|measure| &measure.program), &[])?;
                Reading::On(self.tape.scale(1.0 / measure.first().unit_size, value))
            }
            Quantity::Variable(place, unit) => Reading::Beyond(1 + place, 1.0 / unit),
            Quantity::Energy(Energy::Kinetic) => Reading::On(self.kinetic()),
            Quantity::Energy(Energy::Work) => Reading::Beyond(0, 1.0),
            _ => return Err("it needs accelerations, reactions or potentials".into()),
        })
    }

    /// The output that stands at this place among those of all actions.
    fn output_at(&mut self, place: usize) -> Covered<Node> {
        let interactions = &self.mechanism.interactions;
        let mut first = 0;
        for (i, action) in interactions.actions.iter().enumerate() {
            let count = action.action.columns(interactions).len();
            if place < first + count {
                return match action.action {
                    Action::Along(_) | Action::Spring(_) => self.output(i, place - first),
                    _ => Err("it is no force along coordinates".into()),
                };
            }
            first += count;
        }
        Err("there is no such output".into())
    }

    /// ½ q̇ᵀ M q̇
    fn kinetic(&mut self) -> Node {
        let masses = |m: &Mechanism, entry: (usize, usize)| -> f64 {
            m.mass.iter().filter(|(i, j, _)| (*i, *j) == entry).map(|entry| entry.2).sum()
        };
        let all: Each<&[(usize, usize, f64)]> = self.each(|m| &m.mass[..]);
        let entries: BTreeSet<(usize, usize)> =
            all.0.iter().flat_map(|list| list.iter().map(|&(i, j, _)| (i, j))).collect();
        let columns = self.mechanism.columns();
        let mut terms = Vec::new();
        for (i, j) in entries {
            let mass = self.number(&self.each(|m| masses(m, (i, j))));
            let mass = if i == j { mass.times(&N::of(0.5)) } else { mass };
            for c in 0..columns {
                let [p, q] = [i, j].map(|block| self.tape.input(block * columns + c));
                let (p, q) = (self.tape.rate(p), self.tape.rate(q));
                terms.push((self.tape.mul(p, q), mass.clone()));
            }
        }
        self.tape.weighted(&terms, N::of(0.0))
    }
}
