//! The constraint rows of a mechanism, and how their gradients reach the coordinates.

use super::maps::Maps;
use crate::constraints::{Constraint, MAX_NODES};
use crate::linalg::kkt::Kkt;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::Vec3;

/// Who a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A distance within a body, or a body held to a shared point.
    Body(usize),
    /// A joint.
    Joint(usize),
}

/// One constraint with its name.
#[derive(Clone, Debug)]
pub struct Row {
    /// The equation.
    pub constraint: Constraint,
    /// Who it belongs to.
    pub owner: Owner,
    /// For people: "joint `guide`: across the line".
    pub label: String,
    /// On which body each node's force acts, in the order of the nodes (`None`: ground or nobody).
    pub acts_on: Vec<Option<usize>>,
}

/// A coordinate has a certain part in a row if its weight there is at least this.
const CERTAIN: f64 = 0.3;

/// A gradient entry on its way to the matrix.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Which node of the row.
    node: u32,
    /// Which of the row's point blocks.
    block: u32,
    weight: f64,
}

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The constraints.
    pub list: Vec<Row>,
    /// Coordinate blocks that each row touches.
    pub patterns: Vec<RowPattern>,
    entries: Vec<Entry>,
    entry_ptr: Vec<usize>,
}

impl Rows {
    /// Works out which coordinates each row touches.
    pub fn new(list: Vec<Row>, maps: &Maps) -> Self {
        let mut rows = Rows { entry_ptr: vec![0], ..Default::default() };
        for row in &list {
            let mut pattern = RowPattern::default();
            let mut part: Vec<f64> = Vec::new();
            for (n, &node) in row.constraint.nodes().iter().enumerate() {
                for &(b, weight) in maps.terms(node) {
                    let block = pattern.points.iter().position(|&x| x == b as usize).unwrap_or_else(|| {
                        pattern.points.push(b as usize);
                        part.push(0.0);
                        pattern.points.len() - 1
                    });
                    part[block] += weight * row.constraint.certain_part(n);
                    rows.entries.push(Entry { node: n as u32, block: block as u32, weight });
                }
            }
            rows.entry_ptr.push(rows.entries.len());
            pattern.certain = part.iter().map(|p| p.abs() > CERTAIN).collect();
            let particles = |node: &usize| matches!(maps.terms(*node), &[(_, 1.0)]);
            pattern.simplex = match (&row.constraint, row.owner) {
                (Constraint::Distance(c), Owner::Body(b)) if [c.a, c.b].iter().all(particles) => Some(b),
                _ => None,
            };
            rows.patterns.push(pattern);
        }
        rows.list = list;
        rows
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Φ of every row, m.
    pub fn residuals(&self, r: &[Vec3], phi: &mut [f64]) {
        for (phi, row) in phi.iter_mut().zip(&self.list) {
            *phi = row.constraint.residual(r);
        }
    }

    /// γ of every row, m/s².
    pub fn gammas(&self, v: &[Vec3], gamma: &mut [f64]) {
        for (gamma, row) in gamma.iter_mut().zip(&self.list) {
            *gamma = row.constraint.gamma(v);
        }
    }

    /// Φ_q into the first rows of the solver.
    pub fn jacobian(&self, r: &[Vec3], columns: usize, kkt: &mut Kkt) {
        let mut gradient = [[0.0; 3]; MAX_NODES];
        for (i, row) in self.list.iter().enumerate() {
            row.constraint.gradient(r, &mut gradient);
            let start = kkt.row(i).0;
            let values = &mut kkt.a[start..start + self.patterns[i].points.len() * columns];
            values.fill(0.0);
            for e in &self.entries[self.entry_ptr[i]..self.entry_ptr[i + 1]] {
                let g = gradient[e.node as usize];
                let at = e.block as usize * columns;
                for c in 0..columns {
                    values[at + c] += e.weight * g[c];
                }
            }
        }
    }
}
