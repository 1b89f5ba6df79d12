//! The matrix of implicit steps in point coordinates: a M + b D + c K with the rows' A beside it.
//!
//! K and D come from differences of Aᵀλ − f. Coordinates whose columns have no row in common are moved together, so the
//! number of evaluations depends on how many things one point touches, not on how many points there are. The matrix is
//! made symmetric entry by entry, (k_ij + k_ji)/2. M, D and K are kept apart, so that another blend of them costs a
//! factorisation and no evaluation.

use crate::integrate::Blend;
use crate::linalg::kkt::{Kkt, KktFailure, SolveReport};
use crate::linalg::ordering::RowPattern;
use crate::mechanism::Mechanism;

/// The matrix, its factor, and which coordinates are moved together.
#[derive(Clone, Debug)]
pub(super) struct Tangent {
    kkt: Kkt,
    /// M, D and K at the entries (i, j), i >= j.
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// For each coordinate: the coordinates that share an entry with it, and where that is.
    neighbours: Vec<Vec<(usize, usize)>>,
    groups: Vec<Vec<usize>>,
    pub(super) scratch: Scratch,
}

/// Positions, velocities and the imbalance that differences start from.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) base: Vec<f64>,
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
        let zeros = || vec![0.0; entries.len()];
        let mut tangent = Tangent {
            kkt,
            mass: zeros(),
            damping: zeros(),
            stiffness: zeros(),
            neighbours,
            groups,
            scratch: Scratch { q: vec![0.0; n], v: vec![0.0; n], base: vec![0.0; n] },
        };
        for &(i, j, m) in &mechanism.mass {
            for c in 0..columns {
                let (i, j) = (i * columns + c, j * columns + c);
                if let Some(&(_, at)) = tangent.neighbours[i].iter().find(|entry| entry.0 == j) {
                    tangent.mass[at] += m;
                }
            }
        }
        Some(tangent)
    }

    /// D, or K, is made of differences from here on.
    pub(super) fn begin(&mut self, of_velocity: bool) {
        if of_velocity { &mut self.damping } else { &mut self.stiffness }.fill(0.0);
    }

    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn group(&self, k: usize) -> &[usize] {
        &self.groups[k]
    }

    /// Adds what moving a group of coordinates by a step has changed, to D or K.
    pub(super) fn add_differences(&mut self, group: usize, of_velocity: bool, moved: &[f64], step: f64) {
        let values = if of_velocity { &mut self.damping } else { &mut self.stiffness };
        for &j in &self.groups[group] {
            for &(i, at) in &self.neighbours[j] {
                let half = if i == j { 1.0 } else { 0.5 };
                values[at] += half * (moved[i] - self.scratch.base[i]) / step;
            }
        }
    }

    /// Factors a blend with A; a coordinate whose pivot is not positive is reported.
    pub(super) fn factor(&mut self, a: &[f64], blend: Blend) -> Result<(), usize> {
        self.kkt.a.copy_from_slice(a);
        let parts = self.mass.iter().zip(&self.damping).zip(&self.stiffness);
        let blended = parts.map(|((m, d), k)| blend.mass * m + blend.damping * d + blend.stiffness * k);
        self.kkt.set_mass(blended);
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
    let springs = mechanism.links.springs.iter().map(|spring| of_nodes(&spring.nodes));
    let interactions = &mechanism.interactions;
    // what reads measures may depend on anything they read: the bodies it pulls at is all we can say here
    let of_motions = interactions.actions.iter().filter(|action| !action.action.acts_at_points());
    let groups = of_motions.flat_map(|action| action.action.groups(interactions));
    let actions = groups.map(|group| of_bodies(&group));
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

crate::keep::keep!(Tangent { kkt, mass, damping, stiffness } but { neighbours, groups, scratch });
