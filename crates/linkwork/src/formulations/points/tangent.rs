//! The matrix of implicit steps in point coordinates: a M + b D + c K with the rows' A beside it.
//!
//! K and D come from differences of Aᵀλ − f. Coordinates whose columns have no row in common are moved together, so the
//! number of evaluations depends on how many things one point touches, not on how many points there are. The matrix is
//! made symmetric entry by entry, (k_ij + k_ji)/2.

use crate::linalg::kkt::{Kkt, KktFailure, SolveReport};
use crate::linalg::ordering::RowPattern;
use crate::mechanism::Mechanism;

/// The matrix, its factor, and which coordinates are moved together.
#[derive(Clone, Debug)]
pub(super) struct Tangent {
    kkt: Kkt,
    /// Values of the entries (i, j), i >= j.
    values: Vec<f64>,
    /// For each coordinate: the coordinates that share an entry with it, and where that is.
    neighbours: Vec<Vec<(usize, usize)>>,
    groups: Vec<Vec<usize>>,
}

impl Tangent {
    /// Works out the pattern; nothing if the factor would be too large.
    pub(super) fn new(mechanism: &Mechanism) -> Option<Self> {
        let columns = mechanism.columns();
        let blocks = mechanism.coordinates.len();
        let together = sets_of_blocks(mechanism);
        let mut beside: Vec<Vec<usize>> = (0..blocks).map(|b| vec![b]).collect();
        for set in &together {
            for &a in set {
                beside[a].extend(set);
            }
        }
        for list in &mut beside {
            list.sort_unstable();
            list.dedup();
        }
        let n = blocks * columns;
        let mut entries = Vec::new();
        let mut neighbours = vec![Vec::new(); n];
        for a in 0..blocks {
            for &b in beside[a].iter().filter(|&&b| b <= a) {
                for (i, j) in
                    (0..columns).flat_map(|c| (0..columns).map(move |d| (a * columns + c, b * columns + d)))
                {
                    if i < j {
                        continue;
                    }
                    neighbours[i].push((j, entries.len()));
                    if i != j {
                        neighbours[j].push((i, entries.len()));
                    }
                    entries.push((i, j, 0.0));
                }
            }
        }
        let rows: Vec<RowPattern> = mechanism
            .patterns()
            .iter()
            .map(|row| {
                let points: Vec<usize> =
                    row.points.iter().flat_map(|&p| (0..columns).map(move |c| p * columns + c)).collect();
                RowPattern { certain: vec![false; points.len()], points, simplex: None }
            })
            .collect();
        let kkt = Kkt::new(n, 1, &entries, &rows)?;
        let groups = colour(&beside, columns);
        Some(Tangent { kkt, values: vec![0.0; entries.len()], neighbours, groups })
    }

    /// a M and nothing else yet.
    pub(super) fn begin(&mut self, mass: &[(usize, usize, f64)], columns: usize, a: f64) {
        self.values.fill(0.0);
        for &(i, j, m) in mass {
            for c in 0..columns {
                let (i, j) = (i * columns + c, j * columns + c);
                if let Some(&(_, at)) = self.neighbours[i].iter().find(|entry| entry.0 == j) {
                    self.values[at] += a * m;
                }
            }
        }
    }

    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn group(&self, k: usize) -> &[usize] {
        &self.groups[k]
    }

    /// Adds what moving a group of coordinates has changed, times a factor.
    pub(super) fn add_differences(&mut self, group: usize, base: &[f64], moved: &[f64], factor: f64) {
        for &j in &self.groups[group] {
            for &(i, at) in &self.neighbours[j] {
                let half = if i == j { 1.0 } else { 0.5 };
                self.values[at] += half * factor * (moved[i] - base[i]);
            }
        }
    }

    /// Factors with A; a coordinate block whose pivot is not positive is told.
    pub(super) fn factor(&mut self, a: &[f64]) -> Result<(), usize> {
        self.kkt.a.copy_from_slice(a);
        self.kkt.set_mass(self.values.iter().copied());
        self.kkt.weigh_rows();
        self.kkt.factor().map_err(|failure| match failure {
            KktFailure::Massless { point } => point,
            KktFailure::NotFinite => 0,
        })
    }

    pub(super) fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]) -> SolveReport {
        self.kkt.solve(f, g, x, lambda)
    }
}

/// Coordinate blocks that something couples: bodies, rows, springs, actions.
fn sets_of_blocks(mechanism: &Mechanism) -> Vec<Vec<usize>> {
    let of_nodes = |nodes: &[usize]| -> Vec<usize> {
        nodes.iter().flat_map(|&node| mechanism.maps.terms(node)).map(|&(b, _)| b as usize).collect()
    };
    let of_bodies = |bodies: &[usize]| -> Vec<usize> {
        bodies.iter().flat_map(|&b| of_nodes(&mechanism.bodies[b].nodes)).collect()
    };
    let bodies = mechanism.bodies.iter().map(|body| of_nodes(&body.nodes));
    let rows = mechanism.patterns().into_iter().map(|row| row.points);
    let springs = mechanism.springs.iter().map(|spring| of_nodes(&spring.law.nodes));
    let interactions = &mechanism.interactions;
    // what reads measures may depend on anything they read: the bodies it pulls at is all we can say here
    let actions = interactions.actions.iter().map(|action| of_bodies(&action.action.bodies(interactions)));
    let couples = interactions.couplings.iter().map(|c| of_bodies(&c.bodies));
    bodies.chain(rows).chain(springs).chain(actions).chain(couples).collect()
}

/// Groups of coordinates whose columns have no row in common, greedily.
fn colour(beside: &[Vec<usize>], columns: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, Vec<bool>)> = Vec::new();
    for (block, rows) in beside.iter().enumerate() {
        let free = groups.iter().position(|(_, taken)| rows.iter().all(|&r| !taken[r]));
        let at = free.unwrap_or_else(|| {
            groups.push((Vec::new(), vec![false; beside.len()]));
            groups.len() - 1
        });
        groups[at].0.push(block);
        for &r in rows {
            groups[at].1[r] = true;
        }
    }
    groups
        .iter()
        .flat_map(|(blocks, _)| {
            (0..columns).map(move |c| blocks.iter().map(|b| b * columns + c).collect::<Vec<_>>())
        })
        .collect()
}
