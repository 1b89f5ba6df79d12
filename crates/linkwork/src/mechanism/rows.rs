//! The constraint rows of a mechanism, and how their gradients reach the coordinates.

use super::maps::Maps;
use crate::constraints::{Constraint, MAX_NODES};
use crate::linalg::kkt::Kkt;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, dot, sub};

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

/// A distance, as the loops over all of them like it.
#[derive(Clone, Copy, Debug)]
struct Rod {
    row: u32,
    nodes: [u32; 2],
    /// Where the values of the row start, in blocks, and how many there are, if each end is a coordinate or fixed; what the gradient by the second
    /// node is multiplied with to be the first block.
    plain: Option<(u32, u32, f64)>,
    inverse: f64,
    square: f64,
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
    rods: Vec<Rod>,
    /// The rows that are no distances, and those whose gradient is not that of a plain one.
    others: Vec<usize>,
    mixed: Vec<usize>,
}

impl Rod {
    /// From the first node to the second.
    #[inline]
    fn across(&self, r: &[Vec3]) -> Vec3 {
        sub(r[self.nodes[1] as usize], r[self.nodes[0] as usize])
    }
}

impl Rows {
    /// Works out which coordinates each row touches.
    pub fn new(list: Vec<Row>, maps: &Maps) -> Self {
        let mut rows = Rows { entry_ptr: vec![0], ..Default::default() };
        let mut start = 0;
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
            let number = rows.patterns.len();
            let blocks = pattern.points.len() as u32;
            let plain = match &row.constraint {
                Constraint::Distance(c) => {
                    let simple = |node: usize| matches!(maps.terms(node), [] | [(_, 1.0)]);
                    let terms = [c.a, c.b].map(|node| maps.terms(node).len());
                    let plain = simple(c.a) && simple(c.b) && terms[0] + terms[1] == blocks as usize;
                    let sign = if terms[0] > 0 { -1.0 } else { 1.0 };
                    rows.rods.push(Rod {
                        row: number as u32,
                        nodes: [c.a as u32, c.b as u32],
                        plain: plain.then_some((start, blocks, sign)),
                        inverse: 1.0 / c.length,
                        square: c.length * c.length,
                    });
                    plain
                }
                _ => {
                    rows.others.push(number);
                    false
                }
            };
            if !plain {
                rows.mixed.push(number);
            }
            start += blocks;
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
        for rod in &self.rods {
            let d = rod.across(r);
            phi[rod.row as usize] = 0.5 * rod.inverse * (dot(d, d) - rod.square);
        }
        for &i in &self.others {
            phi[i] = self.list[i].constraint.residual(r);
        }
    }

    /// γ of every row, m/s².
    pub fn gammas(&self, v: &[Vec3], gamma: &mut [f64]) {
        for rod in &self.rods {
            let d = rod.across(v);
            gamma[rod.row as usize] = -rod.inverse * dot(d, d);
        }
        for &i in &self.others {
            gamma[i] = self.list[i].constraint.gamma(v);
        }
    }

    /// Φ_q into the first rows of the solver.
    pub fn jacobian(&self, r: &[Vec3], columns: usize, kkt: &mut Kkt) {
        for rod in &self.rods {
            let Some((start, blocks, sign)) = rod.plain else { continue };
            let d = rod.across(r).map(|d| sign * rod.inverse * d);
            let values = &mut kkt.a[start as usize * columns..(start + blocks) as usize * columns];
            for (block, sign) in values.chunks_exact_mut(columns).zip([1.0, -1.0]) {
                for (value, d) in block.iter_mut().zip(d) {
                    *value = sign * d;
                }
            }
        }
        let mut gradient = [[0.0; 3]; MAX_NODES];
        for &i in &self.mixed {
            self.list[i].constraint.gradient(r, &mut gradient);
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
