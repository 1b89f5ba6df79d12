//! The constraint rows of a mechanism, and how their gradients reach the coordinates.

use super::maps::Maps;
use crate::constraints::{Constraint, MAX_NODES};
use crate::linalg::kkt::Kkt;
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
    pub blocks: Vec<Vec<usize>>,
    entries: Vec<Entry>,
    entry_ptr: Vec<usize>,
}

impl Rows {
    /// Works out which coordinates each row touches.
    pub fn new(list: Vec<Row>, maps: &Maps) -> Self {
        let mut rows = Rows { entry_ptr: vec![0], ..Default::default() };
        for row in &list {
            let mut blocks: Vec<usize> = Vec::new();
            for (n, &node) in row.constraint.nodes().iter().enumerate() {
                for &(b, weight) in maps.terms(node) {
                    let block = blocks.iter().position(|&x| x == b as usize).unwrap_or_else(|| {
                        blocks.push(b as usize);
                        blocks.len() - 1
                    });
                    rows.entries.push(Entry { node: n as u32, block: block as u32, weight });
                }
            }
            rows.entry_ptr.push(rows.entries.len());
            rows.blocks.push(blocks);
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
            let values = &mut kkt.a[start..start + self.blocks[i].len() * columns];
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
