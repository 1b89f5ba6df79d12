//! Dependent constraints at the start position, by joint and component.
//!
//! Rows that depend on others come as combinations y with Aᵀ y = 0. Such a combination is a set of
//! reaction forces in balance by themselves: whatever joint reactions it produces are not determined
//! by rigid-body mechanics. A combination that produces none only concerns how a body's
//! particles share a force among themselves; it counts for the rank and is not reported.
//!
//! The rank comes from the pivots, whatever the number of dependent rows. To look into one costs a solve
//! and a recovery of reactions, so only so many are looked into ([`MAX_ANALYSED`], [`MAX_ANALYSED_WORK`]).

use super::assembly::Couplings;
use super::links::Links;
use super::reactions::NodeState;
use super::{Mechanism, ReactionWorkspace, Rows, judged_by};
use crate::interactions::CouplingOwner;
use crate::linalg::kkt::Kkt;
use crate::linalg::spatial::Wrench;
use nalgebra::DMatrix;

/// One dependent constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// The row that follows from the others, for people.
    pub row: String,
    /// Joint reactions that it leaves open: "joint `C`: moment x".
    pub open: Vec<String>,
}

/// What was found about dependent constraints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Redundancy {
    /// Independent constraint rows.
    pub rank: usize,
    /// How many redundant constraints the joints have; each row of `unlisted` is counted as one.
    pub count: usize,
    /// Dependent rows beyond those that were looked into: whether they concern joints, and which
    /// reactions they leave open, is not known.
    pub unlisted: usize,
    /// The dependent rows that concern joints.
    pub dependencies: Vec<Dependency>,
    /// For each joint: components (force x, y, z, moment x, y, z) that are not unique at the start, or in space beside it,
    /// where the bodies have turned a little.
    pub not_unique: Vec<[bool; 6]>,
}

/// A component counts as open if the combination moves it by more than this part of its largest.
const OPEN: f64 = 1e-7;
/// This many dependent rows are looked into.
pub const MAX_ANALYSED: usize = 300;
/// As many dependent rows are looked into as take about this many multiplications, but a few always.
pub const MAX_ANALYSED_WORK: usize = 100_000_000;
/// This many open reactions of one dependent row are listed; the rest is counted.
pub const MAX_OPEN_LISTED: usize = 100;
const FEW: usize = 8;

/// Analyses the mechanism with its spare rows. The solver has the pattern of the ordinary rows and unit masses;
/// afterwards it holds their Jacobian at the start.
pub(super) fn of(mechanism: &Mechanism, kkt: &mut Kkt) -> Redundancy {
    if !mechanism.spare_rows.is_empty() {
        let mut full = mechanism.clone();
        let list = full.rows.list.iter().chain(&mechanism.spare_rows).cloned().collect();
        full.rows = Rows::new(list, &full.maps);
        full.links = Links::new(&full);
        let unit: Vec<_> = (0..full.coordinates.len()).map(|i| (i, i, 1.0)).collect();
        if let Some(mut larger) = Kkt::new(full.coordinates.len(), full.columns(), &unit, &full.patterns()) {
            let found = analyse_around(&full, &mut larger);
            mechanism.start_jacobian(kkt);
            return found;
        }
    }
    let found = analyse_around(mechanism, kkt);
    mechanism.start_jacobian(kkt);
    found
}

/// In space the open direction turns with the bodies: what is open beside the start is reported as well.
fn analyse_around(mechanism: &Mechanism, kkt: &mut Kkt) -> Redundancy {
    let mut found = analyse(mechanism, kkt);
    if found.count == 0 || mechanism.columns() == 2 {
        return found;
    }
    if let Some(start_positions) = beside_the_start(mechanism, kkt) {
        let beside = analyse(&Mechanism { start_positions, ..mechanism.clone() }, kkt);
        // a start that is a singular position has neighbours of another kind
        if beside.rank == found.rank {
            for (open, more) in found.not_unique.iter_mut().flatten().zip(beside.not_unique.iter().flatten())
            {
                *open |= *more;
            }
        }
    }
    found
}

/// A position that the mechanism can reach from its start, drivers moving as well; nothing if it cannot be found.
fn beside_the_start(mechanism: &Mechanism, kkt: &mut Kkt) -> Option<Vec<f64>> {
    /// How far the farthest coordinate goes, of the size.
    const FAR: f64 = 0.02;
    const CLOSED: f64 = 1e-13;
    let (n, m, between) = (mechanism.coordinate_count(), mechanism.row_count(), mechanism.rows.len());
    // any numbers do that are the same every time
    let odd = |i: usize| ((i as f64 + 1.0) * 12.9898).sin();
    let driven =
        |row: usize| row >= between && mechanism.interactions.couplings[row - between].drive.is_some();
    mechanism.start_jacobian(kkt);
    kkt.weigh_rows();
    kkt.factor().ok()?;
    let f: Vec<f64> = (0..n).map(odd).collect();
    let g: Vec<f64> = (0..m).map(|row| if driven(row) { odd(row) } else { 0.0 }).collect();
    let (mut x, mut mu) = (vec![0.0; n], vec![0.0; m]);
    kkt.solve(&f, &g, &mut x, &mut mu);
    let farthest = x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    if !(farthest.is_finite() && farthest > 1e-9) {
        return None;
    }
    let step = FAR * mechanism.size / farthest;
    let mut q: Vec<f64> = mechanism.start_positions.iter().zip(&x).map(|(q, x)| q + step * x).collect();
    let mut couplings = Couplings::new(mechanism);
    let (mut r, mut phi) = (vec![[0.0; 3]; mechanism.maps.len()], vec![0.0; m]);
    let still = vec![0.0; n];
    let closed = CLOSED * judged_by(mechanism.size, mechanism.farthest_start());
    for _ in 0..12 {
        couplings.residuals(mechanism, &q, &mut r, &mut phi);
        let open = |(row, phi): (usize, &f64)| if driven(row) { 0.0 } else { -phi };
        let g: Vec<f64> = phi.iter().enumerate().map(open).collect();
        if g.iter().all(|g| g.abs() <= closed) {
            return Some(q);
        }
        mechanism.rows.jacobian(&r, mechanism.columns(), kkt);
        mechanism.coupling_jacobian(&couplings.ws, &r, kkt, &mut couplings.gamma);
        kkt.factor().ok()?;
        kkt.solve(&still, &g, &mut x, &mut mu);
        q.iter_mut().zip(&x).for_each(|(q, x)| *q += x);
    }
    None
}

fn analyse(mechanism: &Mechanism, kkt: &mut Kkt) -> Redundancy {
    let rows = mechanism.row_count();
    let mut found =
        Redundancy { rank: rows, not_unique: vec![[false; 6]; mechanism.joints.len()], ..Default::default() };
    let (r, interactions) = mechanism.start_jacobian(kkt);
    let dependent = kkt.dependent_rows();
    // Where a structure locks, rows may be distinguished by rounding only; more than there are coordinates
    // cannot be independent.
    found.rank = (rows - dependent.len()).min(mechanism.coordinate_count());

    let (forces, moments) = mechanism.reaction_components();
    let names = ["force x", "force y", "force z", "moment x", "moment y", "moment z"];
    let components: Vec<usize> = forces.iter().copied().chain(moments.iter().map(|m| m + 3)).collect();
    let kkt_entries = kkt.factor_entries();
    let mut ws = ReactionWorkspace::default();
    let mut reactions: Vec<Wrench> = Vec::new();
    let mut effects: Vec<Vec<f64>> = Vec::new();
    let mut y = Vec::new();
    // a solve, the recovery of reactions, and the comparison with the rows before
    let components_of_all = 6 * mechanism.joints.len();
    let cost = |others: usize| 2 * kkt_entries + 20 * rows + others * components_of_all;
    let mut work = 0;
    let mut analysed = 0;
    for &row in &dependent {
        work += cost(analysed);
        if analysed >= MAX_ANALYSED || (analysed >= FEW && work > MAX_ANALYSED_WORK) {
            break;
        }
        analysed += 1;
        kkt.combination(row, &mut y);
        let state = NodeState { r: &r, v: &[], a: &[] };
        mechanism.reactions(state, &y, &interactions, &mut ws, &mut reactions);
        // moments in units of force times size, so that one threshold serves all
        let effect: Vec<[f64; 6]> = reactions
            .iter()
            .map(|j| {
                std::array::from_fn(|c| if c < 3 { j.force[c] } else { j.moment[c - 3] / mechanism.size })
            })
            .collect();
        let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let mut open = Vec::new();
        let mut more = 0;
        for (j, values) in effect.iter().enumerate() {
            for &c in &components {
                if values[c].abs() > OPEN * largest {
                    found.not_unique[j][c] = true;
                    if open.len() == MAX_OPEN_LISTED {
                        more += 1;
                        continue;
                    }
                    open.push(format!("joint `{}`: {}", mechanism.joints[j].name, names[c]));
                }
            }
        }
        // forces of drivers, cables and other couplings that no joint feels
        let mut of_couplings = Vec::new();
        let forces = y[mechanism.rows.len()..].iter().enumerate();
        for (coupling, (i, &value)) in mechanism.interactions.couplings.iter().zip(forces) {
            // a lock that is open is no constraint
            let own = !matches!(coupling.owner, CouplingOwner::Joint(_)) && !interactions.pulls(i).is_empty();
            of_couplings.push(if own { value } else { 0.0 });
            if own && value.abs() > OPEN * largest && open.len() < MAX_OPEN_LISTED {
                open.push(format!("{}: its force", coupling.label));
            }
        }
        if more > 0 {
            open.push(format!("{more} more"));
        }
        if !open.is_empty() {
            found.dependencies.push(Dependency { row: mechanism.row_label(row).into(), open });
            let all = effect.into_iter().flatten().chain(of_couplings);
            effects.push(all.map(|v| v / largest).collect());
        }
    }
    if mechanism.columns() == 2 {
        // the open direction turns with the bodies, in the plane into both components
        for open in &mut found.not_unique {
            (open[0], open[1]) = (open[0] || open[1], open[0] || open[1]);
        }
    }
    found.unlisted = rows - found.rank - analysed;
    found.count = rank(&effects) + found.unlisted;
    found
}

fn rank(rows: &[Vec<f64>]) -> usize {
    if rows.is_empty() {
        return 0;
    }
    let matrix = DMatrix::from_fn(rows.len(), rows.len(), |i, j| {
        rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum::<f64>()
    });
    let eigenvalues = matrix.symmetric_eigenvalues();
    let largest = eigenvalues.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    eigenvalues.iter().filter(|v| **v > 1e-10 * largest).count()
}
