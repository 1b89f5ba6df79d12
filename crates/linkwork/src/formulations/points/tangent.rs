//! The matrix of implicit steps in point coordinates: a M + b D + c K with the rows' A beside it.
//!
//! K and D come from differences of Aᵀλ − f, but for actions that tell the derivatives G of their wrenches: those are held meanwhile and give
//!
//!   (T1)  K = −P G Pᵀ          P: a wrench as forces on coordinates, so that Pᵀ is the twist that displacements of the body's particles make
//!
//! Coordinates whose columns have no row in common are moved together, so the
//! number of evaluations depends on how many things one point touches, not on how many points there are. The matrix is
//! made symmetric entry by entry, (k_ij + k_ji)/2. M, D and K are kept apart, so that another blend of them costs a
//! factorisation and no evaluation.

use crate::integrate::Blend;
use crate::interactions::{BodyWrench, Response};
use crate::linalg::kkt::{Kkt, KktFailure, SolveReport};
use crate::linalg::ordering::RowPattern;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{IDENTITY, Vec3};
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
    /// Those among them that differences are taken of.
    differenced: Vec<Vec<(usize, usize)>>,
    groups: Vec<Vec<usize>>,
    /// What actions tell.
    pub(super) responses: Vec<Response>,
    spread: Spread,
    pub(super) scratch: Scratch,
}

/// P of (T1): the coordinates that a body's wrench acts on, and the force on each by the components of the wrench.
#[derive(Clone, Debug, Default)]
struct Spread {
    list: Vec<(usize, [f64; 6])>,
    /// Where each body's part is, once it is known.
    of_bodies: Vec<Option<[usize; 2]>>,
}

impl Spread {
    fn clear(&mut self, bodies: usize) {
        self.list.clear();
        self.of_bodies.clear();
        self.of_bodies.resize(bodies, None);
    }

    fn find(&mut self, mechanism: &Mechanism, r: &[Vec3], body: usize) -> [usize; 2] {
        if let Some(range) = self.of_bodies[body] {
            return range;
        }
        let columns = mechanism.columns();
        let forces: [[Vec3; 4]; 6] = std::array::from_fn(|k| {
            let wrench = match k.checked_sub(3) {
                None => Wrench { force: IDENTITY[k], moment: [0.0; 3] },
                Some(k) => Wrench { force: [0.0; 3], moment: IDENTITY[k] },
            };
            mechanism.spread_pull(&BodyWrench { body, wrench }, r)
        });
        let from = self.list.len();
        for (p, &node) in mechanism.bodies[body].nodes.iter().enumerate() {
            for &(block, weight) in mechanism.maps.terms(node) {
                for c in 0..columns {
                    let by_wrench = std::array::from_fn(|k| weight * forces[k][p][c]);
                    self.list.push((block as usize * columns + c, by_wrench));
                }
            }
        }
        let range = [from, self.list.len()];
        self.of_bodies[body] = Some(range);
        range
    }
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
        let beside = blocks_beside(blocks, &sets_of_blocks(mechanism, true));
        let felt = blocks_beside(blocks, &sets_of_blocks(mechanism, false));
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
        let groups = colour(&felt, columns);
        let is_felt = |i: usize, j: usize| felt[i / columns].binary_search(&(j / columns)).is_ok();
        let differenced: Vec<Vec<(usize, usize)>> = neighbours
            .iter()
            .enumerate()
            .map(|(j, list)| list.iter().copied().filter(|&(i, _)| is_felt(i, j)).collect())
            .collect();
        let zeros = || vec![0.0; entries.len()];
        let mut tangent = Tangent {
            kkt,
            mass: zeros(),
            damping: zeros(),
            stiffness: zeros(),
            neighbours,
            differenced,
            groups,
            responses: Vec::new(),
            spread: Spread::default(),
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
            for &(i, at) in &self.differenced[j] {
                let half = if i == j { 1.0 } else { 0.5 };
                values[at] += half * (moved[i] - self.scratch.base[i]) / step;
            }
        }
    }

    /// Adds (T1) to D or K, where the nodes are at `r`.
    pub(super) fn add_responses(&mut self, mechanism: &Mechanism, r: &[Vec3], of_velocity: bool) {
        let values = if of_velocity { &mut self.damping } else { &mut self.stiffness };
        self.spread.clear(mechanism.bodies.len());
        for response in &self.responses {
            let felt = self.spread.find(mechanism, r, response.body);
            let moved = self.spread.find(mechanism, r, response.by);
            let g = if of_velocity { &response.by_rate } else { &response.by_place };
            let list = &self.spread.list;
            for (j, twist) in &list[moved[0]..moved[1]] {
                let wrench: [f64; 6] = std::array::from_fn(|i| (0..6).map(|k| g[i][k] * twist[k]).sum());
                for (i, force) in &list[felt[0]..felt[1]] {
                    let entry = self.neighbours[*j].binary_search_by_key(i, |entry| entry.0);
                    let Ok(entry) = entry else { continue };
                    let half = if i == j { 1.0 } else { 0.5 };
                    let change: f64 = (0..6).map(|k| force[k] * wrench[k]).sum();
                    values[self.neighbours[*j][entry].1] -= half * change;
                }
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

/// For each block those that are in a set with it, in order.
fn blocks_beside(blocks: usize, together: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut beside: Vec<Vec<usize>> = (0..blocks).map(|b| vec![b]).collect();
    for set in together {
        for &a in set {
            beside[a].extend(set);
        }
    }
    for list in &mut beside {
        list.sort_unstable();
        list.dedup();
    }
    beside
}

/// Coordinate blocks that something couples: bodies, rows, springs, actions; those that tell their derivatives if asked for.
fn sets_of_blocks(mechanism: &Mechanism, with_exact: bool) -> Vec<Vec<usize>> {
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
    let of_motions = interactions
        .actions
        .iter()
        .filter(|action| !action.action.acts_at_points() && (with_exact || !action.action.has_responses()));
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

crate::keep::keep!(Tangent { kkt, mass, damping, stiffness } but { neighbours, differenced, groups, responses, spread, scratch });
