//! What a number of the model changes in the compiled tables: weights of nodes, lengths, masses, constant forces, springs.
//!
//! Each entry is Σ w_k x_k over neighbours of the mechanism, with the weights w_k of a difference. Almost all entries are zero and are not kept.

use crate::constraints::Constraint;
use crate::linalg::vec3::Vec3;
use crate::mechanism::Mechanism;
use std::collections::{BTreeMap, BTreeSet};

/// A direction in the numbers of a model: the derivative of its compiled tables by one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Direction {
    /// Node, coordinate block and change of its weight.
    pub(super) maps: Vec<(usize, usize, f64)>,
    /// Node and change of its constant part, m.
    pub(super) constants: Vec<(usize, Vec3)>,
    pub(super) rows: Vec<(usize, RowChange)>,
    /// Coordinate blocks and change of the mass that they share, kg.
    pub(super) mass: Vec<(usize, usize, f64)>,
    /// Coordinate and change of the constant force, N.
    pub(super) forces: Vec<(usize, f64)>,
    /// Spring and changes of k, l₀ and c.
    pub(super) springs: Vec<(usize, [f64; 3])>,
}

/// What changes in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RowChange {
    /// By what a distance or a product is multiplied, 1/m.
    Factor(f64),
    /// Nodes and the weights of them in a linear row.
    Weights(Vec<(usize, f64)>),
}

/// A slope of numbers of the neighbours, without the roundings of what they have in common.
struct Slope<'s> {
    base: &'s Mechanism,
    stencil: &'s [(f64, &'s Mechanism)],
}

impl Slope<'_> {
    fn of(&self, value: impl Fn(&Mechanism) -> f64) -> f64 {
        let here = value(self.base);
        self.stencil.iter().map(|(w, mechanism)| w * (value(mechanism) - here)).sum()
    }
}

/// By what a row is multiplied; `None` of a linear one.
fn factor(constraint: &Constraint) -> Option<f64> {
    match constraint {
        Constraint::Distance(c) => Some(1.0 / c.length),
        Constraint::Dot(c) => Some(1.0 / c.scale),
        Constraint::Linear(_) => None,
    }
}

fn terms(constraint: &Constraint) -> &[(usize, f64)] {
    match constraint {
        Constraint::Linear(c) => &c.terms,
        _ => &[],
    }
}

/// Σ of the weights of a node or block.
fn weight_of<I: Copy + PartialEq>(terms: &[(I, f64)], of: I) -> f64 {
    terms.iter().filter(|t| t.0 == of).map(|t| t.1).sum()
}

/// Whether rows say the same of the same nodes, with other numbers at most.
fn same_kind(a: &Constraint, b: &Constraint) -> bool {
    match (a, b) {
        (Constraint::Distance(a), Constraint::Distance(b)) => (a.a, a.b) == (b.a, b.b),
        (Constraint::Dot(a), Constraint::Dot(b)) => a.nodes == b.nodes,
        (Constraint::Linear(a), Constraint::Linear(b)) => a.component == b.component,
        _ => false,
    }
}

/// Whether the tables differ by numbers only.
fn same_shape(a: &Mechanism, b: &Mechanism) -> bool {
    let springs = |mechanism: &Mechanism| -> Vec<[usize; 2]> {
        mechanism.springs_between_nodes().map(|(link, _)| link.nodes).collect()
    };
    let rows = a.rows.list.iter().zip(&b.rows.list);
    a.columns() == b.columns()
        && a.coordinates == b.coordinates
        && a.maps.len() == b.maps.len()
        && a.rows.len() == b.rows.len()
        && rows.into_iter().all(|(a, b)| same_kind(&a.constraint, &b.constraint))
        && springs(a) == springs(b)
        && a.interactions.couplings.len() == b.interactions.couplings.len()
        && a.interactions.auxiliary() == b.interactions.auxiliary()
}

impl Direction {
    /// The derivative of the tables of a mechanism, from neighbours with the weights of a difference; `None` where their tables have other shapes.
    pub fn new(base: &Mechanism, stencil: &[(f64, &Mechanism)]) -> Option<Self> {
        if !stencil.iter().all(|(_, mechanism)| same_shape(base, mechanism)) {
            return None;
        }
        let slope = Slope { base, stencil };
        let mut direction = Direction::default();
        let everyone = || std::iter::once(base).chain(stencil.iter().map(|(_, mechanism)| *mechanism));
        for node in 0..base.maps.len() {
            let blocks: BTreeSet<u32> = everyone().flat_map(|m| m.maps.terms(node)).map(|t| t.0).collect();
            for block in blocks {
                let change = slope.of(|mechanism| weight_of(mechanism.maps.terms(node), block));
                if change != 0.0 {
                    direction.maps.push((node, block as usize, change));
                }
            }
            let change: Vec3 =
                std::array::from_fn(|c| slope.of(|mechanism| mechanism.maps.constant(node)[c]));
            if change != [0.0; 3] {
                direction.constants.push((node, change));
            }
        }
        for (r, row) in base.rows.list.iter().enumerate() {
            let change = match factor(&row.constraint) {
                Some(_) => {
                    let of = |m: &Mechanism| factor(&m.rows.list[r].constraint).unwrap_or(f64::NAN);
                    let change = slope.of(of);
                    (change != 0.0).then_some(RowChange::Factor(change))
                }
                None => {
                    let nodes: BTreeSet<usize> =
                        everyone().flat_map(|m| terms(&m.rows.list[r].constraint)).map(|t| t.0).collect();
                    let of = |node: usize| slope.of(|m| weight_of(terms(&m.rows.list[r].constraint), node));
                    let changes = nodes.into_iter().map(|node| (node, of(node)));
                    let changes: Vec<_> = changes.filter(|change| change.1 != 0.0).collect();
                    (!changes.is_empty()).then_some(RowChange::Weights(changes))
                }
            };
            direction.rows.extend(change.map(|change| (r, change)));
        }
        let masses = |mechanism: &Mechanism| {
            let mut masses: BTreeMap<(usize, usize), f64> = BTreeMap::new();
            mechanism.mass.iter().for_each(|&(i, j, m)| *masses.entry((i, j)).or_default() += m);
            masses
        };
        let here = masses(base);
        let mut changes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (weight, mechanism) in stencil {
            let there = masses(mechanism);
            for &entry in here.keys().chain(there.keys().filter(|entry| !here.contains_key(entry))) {
                let of = |masses: &BTreeMap<_, f64>| masses.get(&entry).copied().unwrap_or(0.0);
                *changes.entry(entry).or_default() += weight * (of(&there) - of(&here));
            }
        }
        let changes = changes.into_iter().filter(|(_, change)| *change != 0.0);
        direction.mass.extend(changes.map(|((i, j), change)| (i, j, change)));
        for i in 0..base.constant_force.len() {
            let change = slope.of(|mechanism| mechanism.constant_force[i]);
            if change != 0.0 {
                direction.forces.push((i, change));
            }
        }
        let laws: Vec<Vec<[f64; 3]>> = everyone()
            .map(|m| {
                m.springs_between_nodes().map(|(_, s)| [s.stiffness, s.free_length, s.damping]).collect()
            })
            .collect();
        for (i, here) in laws[0].iter().enumerate() {
            let change: [f64; 3] = std::array::from_fn(|k| {
                let there = laws[1..].iter().zip(stencil);
                there.map(|(laws, (weight, _))| weight * (laws[i][k] - here[k])).sum()
            });
            if change != [0.0; 3] {
                direction.springs.push((i, change));
            }
        }
        Some(direction)
    }

    /// Whether nodes are other functions of the coordinates.
    pub(super) fn moves_nodes(&self) -> bool {
        !self.maps.is_empty()
    }
}
