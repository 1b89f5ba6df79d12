//! Many starts: the ways in which targets can be met, or a mechanism assembled.
//!
//! A start has random angles, paths and rotations in the tree, within limits where these are known; it is projected onto the constraints and then goes to the
//! targets. Poses are distinct if a body stands elsewhere. The numbers come from a counter and a seed [steele2014], so that the same options give the same list.

use super::PoseOptions;
use super::result::{self, Pose, Poses};
use super::solve::{Solver, Task};
use super::target::Bound;
use crate::analysis::configuration::{Configuration, Positions};
use crate::formulations::TreeCoordinate;
use crate::interactions::Motion;
use crate::linalg::vec3::{norm, sub};
use std::f64::consts::{PI, TAU};

/// Poses are the same if bodies stand within this part of the size of each other, and are turned alike up to this.
const SAME: f64 = 1e-6;
/// Likewise where a pose is singular: it is known to the root of what the targets are.
const SAME_SINGULAR: f64 = 1e-4;
/// Where poses are not isolated, so many stand for all.
const MOST_OF_MANY: usize = 20;

/// Numbers that are the same in every run [steele2014].
pub(in crate::analysis) struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Positions of the tree at random, within limits.
    pub fn positions(&mut self, at: &Configuration<'_>, limits: &[Bound]) -> Positions {
        let size = at.mechanism.size();
        scattered(&at.at, &at.kinds(), &ranges(at, limits), size, self)
    }

    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A pose and where its bodies are.
struct Found {
    pose: Pose,
    motions: Vec<Motion>,
    /// From the drawing.
    distance: f64,
}

/// Goes to poses from the drawing and from random starts.
pub(super) fn search(mut configuration: Configuration<'_>, task: &Task, options: &PoseOptions) -> Poses {
    let drawing = configuration.at.clone();
    let size = configuration.mechanism.size();
    let home = configuration.motions.clone();
    let kinds = configuration.kinds();
    let ranges = ranges(&configuration, &task.bounds);
    let mut random = Random::new(options.seed);
    let mut list: Vec<Found> = Vec::new();
    let mut arrived = 0;
    let mut nearest = None;
    for start in 0..=options.starts {
        configuration.go_to(&drawing);
        if start > 0 {
            let at = scattered(&drawing, &kinds, &ranges, size, &mut random);
            configuration.go_to(&at);
            if !configuration.close() {
                continue;
            }
        }
        let outcome = Solver { configuration: &mut configuration, task }.solve(options.iterations);
        if !outcome.reached {
            if start == 0 {
                nearest = Some(Box::new(result::pose(&mut configuration, task, &outcome)));
            }
            continue;
        }
        arrived += 1;
        let pose = result::pose(&mut configuration, task, &outcome);
        let within = if pose.undetermined > 0 { SAME_SINGULAR } else { SAME };
        let apart = |motions: &[Motion]| apart(motions, &configuration.motions, size);
        if list.iter().all(|known| apart(&known.motions) > within) {
            let (motions, distance) =
                (configuration.motions.clone(), if start == 0 { 0.0 } else { apart(&home) });
            list.push(Found { pose, motions, distance });
        }
    }
    list.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let isolated = list.iter().all(|found| found.pose.undetermined == 0 || found.pose.is_nearly_singular());
    if !isolated {
        list.truncate(MOST_OF_MANY);
    }
    let nearest = nearest.filter(|_| list.is_empty());
    let list = list.into_iter().map(|found| found.pose).collect();
    Poses { list, arrived, starts: options.starts, isolated, nearest }
}

/// How far apart bodies stand, in parts of the size.
pub(in crate::analysis) fn apart(a: &[Motion], b: &[Motion], size: f64) -> f64 {
    let one = |(a, b): (&Motion, &Motion)| {
        let turned = (0..3).map(|i| norm(sub(a.turned[i], b.turned[i]))).fold(0.0, f64::max);
        turned.max(norm(sub(a.c, b.c)) / size)
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}

/// Ranges of coordinates of the tree that limits give.
fn ranges(configuration: &Configuration<'_>, bounds: &[Bound]) -> Vec<Option<[f64; 2]>> {
    let mut list = vec![None; configuration.at.q.len()];
    for bound in bounds {
        if let Some((k, sign)) = bound.quantity.tree_coordinate() {
            let [low, high] = bound.range;
            list[k] = Some(if sign > 0.0 { [low, high] } else { [-high, -low] });
        }
    }
    list
}

fn scattered(
    drawing: &Positions,
    kinds: &[TreeCoordinate],
    ranges: &[Option<[f64; 2]>],
    size: f64,
    random: &mut Random,
) -> Positions {
    let mut at = drawing.clone();
    let mut k = 0;
    while k < kinds.len() {
        match kinds[k] {
            TreeCoordinate::Turn | TreeCoordinate::Path => {
                let usual = if kinds[k] == TreeCoordinate::Turn { PI } else { size };
                let [low, high] = ranges[k].unwrap_or([at.q[k] - usual, at.q[k] + usual]);
                at.q[k] = random.between(low.max(at.q[k] - 10.0 * usual), high.min(at.q[k] + 10.0 * usual));
                k += 1;
            }
            TreeCoordinate::Rotation => {
                // uniform over all rotations
                let (x, a, b) = (random.next(), random.between(0.0, TAU), random.between(0.0, TAU));
                let (s, c) = ((1.0 - x).sqrt(), x.sqrt());
                at.q[k..k + 4].copy_from_slice(&[s * a.sin(), s * a.cos(), c * b.sin(), c * b.cos()]);
                k += 4;
            }
            TreeCoordinate::RestOfRotation => k += 1,
        }
    }
    at
}
