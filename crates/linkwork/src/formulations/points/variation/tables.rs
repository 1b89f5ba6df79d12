//! What a number of the model changes in the compiled tables: weights of nodes, lengths, masses, constant forces, springs.
//!
//! Each entry is a slope (N1) of [neighbours](crate::formulations::neighbours). Almost all entries are zero and are not kept.

use crate::constraints::Constraint;
use crate::formulations::Neighbours;
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

/// What of a mechanism another one does not have in common, but for numbers.
fn other_shape(a: &Mechanism, b: &Mechanism) -> Option<String> {
    let springs = |mechanism: &Mechanism| -> Vec<[usize; 2]> {
        mechanism.springs_between_nodes().map(|(link, _)| link.nodes).collect()
    };
    if let Some((body, _)) = a.bodies.iter().zip(&b.bodies).find(|(a, b)| a.nodes != b.nodes) {
        return Some(format!("other points of the body `{}` become its coordinates", body.name));
    }
    if a.coordinates != b.coordinates || a.maps.len() != b.maps.len() || a.columns() != b.columns() {
        return Some("other points become coordinates".into());
    }
    let mut rows = a.rows.list.iter().zip(&b.rows.list);
    if let Some((row, _)) = rows.find(|(a, b)| !same_kind(&a.constraint, &b.constraint)) {
        return Some(format!("{} is another constraint", row.label));
    }
    if a.rows.len() != b.rows.len() {
        return Some("the number of constraints changes".into());
    }
    let (c, d) = (&a.interactions, &b.interactions);
    let same = springs(a) == springs(b)
        && c.couplings.len() == d.couplings.len()
        && c.gauges.len() == d.gauges.len()
        && c.actions.len() == d.actions.len()
        && c.auxiliary() == d.auxiliary();
    (!same).then(|| "springs, couplings or forces are others".into())
}

fn masses(mechanism: &Mechanism) -> BTreeMap<(usize, usize), f64> {
    let mut masses: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    mechanism.mass.iter().for_each(|&(i, j, m)| *masses.entry((i, j)).or_default() += m);
    masses
}

impl Direction {
    /// The derivative of the tables by each variable, or why there is none: a neighbour has tables of another shape.
    pub fn all(neighbours: &Neighbours<'_>) -> Result<Vec<Self>, String> {
        let nominal = neighbours.nominal();
        if let Some(what) = neighbours.all().iter().find_map(|other| other_shape(nominal, other)) {
            return Err(what);
        }
        let masses: Vec<_> = neighbours.all().iter().map(|mechanism| masses(mechanism)).collect();
        let entries: BTreeSet<(usize, usize)> = masses.iter().flat_map(BTreeMap::keys).copied().collect();
        let mut all: Vec<Direction> =
            (0..neighbours.variables()).map(|j| Direction::of(neighbours, j)).collect();
        for entry in entries {
            let there: Vec<f64> =
                masses.iter().map(|masses| masses.get(&entry).copied().unwrap_or(0.0)).collect();
            let slopes = neighbours.slopes(&there);
            for (direction, &change) in all.iter_mut().zip(&slopes).filter(|(_, change)| **change != 0.0) {
                direction.mass.push((entry.0, entry.1, change));
            }
        }
        match neighbours.jump() {
            true => Err("a length, a direction or a weight of the drawing jumps".into()),
            false => Ok(all),
        }
    }

    /// All but the masses.
    fn of(neighbours: &Neighbours<'_>, j: usize) -> Self {
        let base = neighbours.nominal();
        let everyone = || std::iter::once(&base).chain(neighbours.line(j));
        let mut direction = Direction::default();
        for node in 0..base.maps.len() {
            let blocks: BTreeSet<u32> = everyone().flat_map(|m| m.maps.terms(node)).map(|t| t.0).collect();
            for block in blocks {
                let change = neighbours.slope_of(j, |mechanism| weight_of(mechanism.maps.terms(node), block));
                if change != 0.0 {
                    direction.maps.push((node, block as usize, change));
                }
            }
            let change: Vec3 = std::array::from_fn(|c| neighbours.slope_of(j, |m| m.maps.constant(node)[c]));
            if change != [0.0; 3] {
                direction.constants.push((node, change));
            }
        }
        for (r, row) in base.rows.list.iter().enumerate() {
            let change = match factor(&row.constraint) {
                Some(_) => {
                    let of = |m: &Mechanism| factor(&m.rows.list[r].constraint).unwrap_or(f64::NAN);
                    let change = neighbours.slope_of(j, of);
                    (change != 0.0).then_some(RowChange::Factor(change))
                }
                None => {
                    let nodes: BTreeSet<usize> =
                        everyone().flat_map(|m| terms(&m.rows.list[r].constraint)).map(|t| t.0).collect();
                    let of = |node: usize| {
                        neighbours.slope_of(j, |m| weight_of(terms(&m.rows.list[r].constraint), node))
                    };
                    let changes = nodes.into_iter().map(|node| (node, of(node)));
                    let changes: Vec<_> = changes.filter(|change| change.1 != 0.0).collect();
                    (!changes.is_empty()).then_some(RowChange::Weights(changes))
                }
            };
            direction.rows.extend(change.map(|change| (r, change)));
        }
        for i in 0..base.constant_force.len() {
            let change = neighbours.slope_of(j, |mechanism| mechanism.constant_force[i]);
            if change != 0.0 {
                direction.forces.push((i, change));
            }
        }
        let laws = |m: &Mechanism| -> Vec<[f64; 3]> {
            m.springs_between_nodes().map(|(_, s)| [s.stiffness, s.free_length, s.damping]).collect()
        };
        let laws: Vec<Vec<[f64; 3]>> = everyone().map(|m| laws(m)).collect();
        for (i, here) in laws[0].iter().enumerate() {
            let line = |k: usize| laws[1..].iter().map(|laws| laws[i][k]).collect::<Vec<_>>();
            let change: [f64; 3] = std::array::from_fn(|k| neighbours.slope(j, here[k], &line(k)));
            if change != [0.0; 3] {
                direction.springs.push((i, change));
            }
        }
        direction
    }

    /// Whether nodes are other functions of the coordinates.
    pub(super) fn moves_nodes(&self) -> bool {
        !self.maps.is_empty()
    }
}
