//! One model, every formulation: by how much their motions differ and what each one cost.
//!
//! Every formulation that takes the model is run twice, the second time with a tenth of the tolerance: the
//! difference is its own error. The first of them is the reference. Where an own error grows beyond
//! [`SENSITIVE`] the motion is too sensitive for any comparison, as chaos is, and the comparison ends there.
//! A formulation agrees if up to there it differs from the reference by no more than [`ALLOWANCE`] times the own
//! errors of the two, or [`FLOOR`]. Positions are compared relative to the mechanism's size, velocities and
//! reactions relative to their largest value in the run. Reactions that are not unique are left out: the open components, or, where their
//! direction turns during the run, all of the joint.

use super::{Status, Summary};
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation};
use crate::results::Frame;

/// How far beyond their own errors two formulations may be apart.
pub const ALLOWANCE: f64 = 100.0;
/// Rows are compared as long as both formulations know their own positions to this part of the size.
pub const SENSITIVE: f64 = 1e-6;
/// Differences below this are agreement, whatever the own errors.
pub const FLOOR: f64 = 1e-8;

/// Largest differences of two runs over all rows, relative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Positions of named points, of the mechanism's size.
    pub positions: f64,
    /// Velocities of named points, of the largest.
    pub velocities: f64,
    /// Reactions that are unique, of the largest force (moments: of the largest force times the size).
    pub reactions: f64,
    /// Reactions at the first row, before any step: one linear solve each.
    pub start_reactions: f64,
    /// Accelerations of named points at the first row, of the largest.
    pub start_accelerations: f64,
}

/// What became of one formulation.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It ran.
    Ran {
        /// How it went.
        summary: Box<Summary>,
        /// How far it is from the reference; zero for the reference itself.
        difference: Difference,
        /// Its own error: against its run with a tenth of the tolerance.
        own_error: Difference,
        /// The time up to which it is compared, s.
        compared_until: f64,
        /// Whether it agrees with the reference.
        agrees: bool,
    },
    /// It cannot honour something in the model.
    Refused(Vec<Fault>),
}

/// All formulations on one model.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The formulation that the others are measured against.
    pub reference: Formulation,
    /// Every formulation, in the order of [`Formulation::ALL`].
    pub entries: Vec<(Formulation, Outcome)>,
}

impl Comparison {
    /// Whether everything that ran finished and agrees, over more than the start.
    pub fn agrees(&self) -> bool {
        self.conclusive()
            && self.entries.iter().all(|(_, outcome)| match outcome {
                Outcome::Ran { summary, agrees, .. } => *agrees && summary.status == Status::Finished,
                Outcome::Refused(_) => true,
            })
    }

    /// Whether there is a row beyond the start that could be compared in every formulation that ran.
    pub fn conclusive(&self) -> bool {
        self.entries.iter().all(|(_, outcome)| match outcome {
            Outcome::Ran { compared_until, .. } => *compared_until > 0.0,
            Outcome::Refused(_) => true,
        })
    }

    /// How many formulations ran.
    pub fn ran(&self) -> usize {
        self.entries.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Ran { .. })).count()
    }
}

/// A run kept for comparison, with the one that tells its error.
struct Run {
    frames: Vec<Frame>,
    finer: Vec<Frame>,
    summary: Summary,
}

fn frames_of(mechanism: &Mechanism) -> Result<(Vec<Frame>, Summary), Faults> {
    let mut frames = Vec::new();
    let summary = mechanism.run(&mut |frame: &Frame| frames.push(frame.clone()))?;
    keep_grid(&mut frames, mechanism.model.settings.output_step);
    Ok((frames, summary))
}

/// Leaves the rows on the grid of the output step, the later of two at one time, and the last: events have rows of their own, and not
/// every formulation sees each of them at the same instant.
fn keep_grid(frames: &mut Vec<Frame>, output_step: f64) {
    let on_grid = |t: f64| (t - (t / output_step).round() * output_step).abs() <= 1e-9 * output_step;
    let times: Vec<f64> = frames.iter().map(|f| f.t).collect();
    let mut k = 0;
    frames.retain(|frame| {
        k += 1;
        match times.get(k) {
            None => true,
            Some(&next) => on_grid(frame.t) && next != frame.t,
        }
    });
}

fn run(mechanism: &Mechanism) -> Result<Run, Faults> {
    let (frames, summary) = frames_of(mechanism)?;
    let mut careful = mechanism.clone();
    let settings = &mut careful.model.settings;
    match settings.fixed_step() {
        None => settings.tolerance = (0.1 * settings.tolerance).max(2e-15),
        Some(step) => settings.step = Some(0.5 * step),
    }
    let (finer, _) = frames_of(&careful)?;
    Ok(Run { frames, finer, summary })
}

impl Mechanism {
    /// Runs every formulation on this mechanism with its settings. An error means that none could begin.
    pub fn compare(&self) -> Result<Comparison, Faults> {
        self.compare_watched(&mut |_| {})
    }

    /// The same, telling which formulation is about to run.
    pub fn compare_watched(&self, watch: &mut dyn FnMut(Formulation)) -> Result<Comparison, Faults> {
        let mut mechanism = self.clone();
        let mut runs: Vec<(Formulation, Result<Run, Faults>)> = Vec::new();
        for formulation in Formulation::ALL {
            mechanism.model.settings.formulation = formulation;
            watch(formulation);
            runs.push((formulation, run(&mechanism)));
        }
        let Some((reference, Ok(first))) = runs.iter().find(|(_, run)| run.is_ok()) else {
            let list = runs.into_iter().filter_map(|(_, r)| r.err()).flat_map(|f| f.list).collect();
            return Err(Faults { list, provenance: self.model.provenance.clone() });
        };
        let trusted = trusted_rows(self, first);
        let entries = runs
            .iter()
            .map(|(formulation, result)| {
                let outcome = match result {
                    Err(faults) => Outcome::Refused(faults.list.clone()),
                    Ok(run) => {
                        let rows = trusted.min(trusted_rows(self, run));
                        let d = difference(self, &first.frames, &run.frames, rows);
                        let own_error = difference(self, &run.frames, &run.finer, rows);
                        let theirs = difference(self, &first.frames, &first.finer, rows);
                        let within = |d: f64, a: f64, b: f64| d <= (ALLOWANCE * (a + b)).max(FLOOR);
                        Outcome::Ran {
                            summary: Box::new(run.summary.clone()),
                            difference: d,
                            own_error,
                            compared_until: run.frames.get(rows.saturating_sub(1)).map_or(0.0, |f| f.t),
                            agrees: within(d.positions, own_error.positions, theirs.positions)
                                && within(d.velocities, own_error.velocities, theirs.velocities)
                                && within(d.reactions, own_error.reactions, theirs.reactions),
                        }
                    }
                };
                (*formulation, outcome)
            })
            .collect();
        Ok(Comparison { reference: *reference, entries })
    }
}

/// Largest |a − b| over rows, and largest |a|.
fn spread(a: &[Frame], b: &[Frame], of: impl Fn(&Frame, &mut Vec<Vec3>)) -> (f64, f64) {
    let (mut off, mut size): (f64, f64) = (0.0, 0.0);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (f, g) in a.iter().zip(b) {
        of(f, &mut x);
        of(g, &mut y);
        // where one is a rounding ahead, other parts may be there
        for (p, q) in x.iter().zip(&y).filter(|_| x.len() == y.len()) {
            off = off.max(norm(sub(*p, *q)));
            size = size.max(norm(*p));
        }
    }
    (off, size)
}

/// A difference relative to the largest value, or to what counts as large where everything rests.
fn relative((off, size): (f64, f64), floor: f64) -> f64 {
    let size = size.max(floor);
    if size > 0.0 { off / size } else { off }
}

/// Speed, acceleration and force that count as large in a mechanism: of free fall over its size, of crossing
/// its size within the run, of its weight and loads.
fn floors(mechanism: &Mechanism) -> [f64; 3] {
    let settings = &mechanism.model.settings;
    let (g, size) = (norm(mechanism.model.gravity), mechanism.size);
    let speed = (g * size).sqrt().max(size / settings.duration);
    let acceleration = g.max(size / settings.duration.powi(2));
    let mass: f64 = mechanism.bodies.iter().map(|b| b.particles.properties.mass).sum();
    let loads = mechanism.forces.iter().fold(0.0, |f: f64, force| f.max(norm(force.force)));
    [speed, acceleration, (mass * acceleration).max(loads)]
}

/// How many rows a formulation knows well enough.
fn trusted_rows(mechanism: &Mechanism, run: &Run) -> usize {
    let apart = |f: &Frame, g: &Frame| {
        f.positions.len() == g.positions.len()
            && f.positions
                .iter()
                .zip(&g.positions)
                .any(|(p, q)| norm(sub(*p, *q)) > SENSITIVE * mechanism.size)
    };
    let rows = run.frames.len().min(run.finer.len());
    (0..rows).find(|&k| apart(&run.frames[k], &run.finer[k])).unwrap_or(rows)
}

fn difference(mechanism: &Mechanism, a: &[Frame], b: &[Frame], rows: usize) -> Difference {
    let (a, b) = (&a[..rows.min(a.len())], &b[..rows.min(b.len())]);
    let positions = spread(a, b, |f, out| out.clone_from(&f.positions)).0 / mechanism.size;
    let [speed, acceleration, force] = floors(mechanism);
    let velocities = relative(spread(a, b, |f, out| out.clone_from(&f.velocities)), speed);
    let stage = |f: &Frame| f.stage.clone();
    let unique = |f: &Frame, out: &mut Vec<Vec3>| {
        out.clear();
        let stage = stage(f);
        let not_unique = &stage.as_deref().unwrap_or(mechanism).redundancy.not_unique;
        for (reaction, open) in f.reactions.iter().zip(not_unique) {
            out.push(std::array::from_fn(|c| if open[c] { 0.0 } else { reaction.force[c] }));
            out.push(std::array::from_fn(|c| {
                if open[c + 3] { 0.0 } else { reaction.moment[c] / mechanism.size }
            }));
        }
    };
    // Open directions turn with the bodies: beyond the start only joints without any are sure.
    let sure = |f: &Frame, out: &mut Vec<Vec3>| {
        out.clear();
        let stage = stage(f);
        let not_unique = &stage.as_deref().unwrap_or(mechanism).redundancy.not_unique;
        for (reaction, _) in f.reactions.iter().zip(not_unique).filter(|(_, open)| !open.contains(&true)) {
            out.extend([reaction.force, reaction.moment.map(|m| m / mechanism.size)]);
        }
    };
    let mut reactions = relative(spread(a, b, unique), force);
    if reactions > SENSITIVE {
        reactions = relative(spread(a, b, sure), force);
    }
    let start = a.len().min(b.len()).min(1);
    let start_reactions = relative(spread(&a[..start], &b[..start], unique), force);
    let start_accelerations =
        relative(spread(&a[..start], &b[..start], |f, out| out.clone_from(&f.accelerations)), acceleration);
    Difference { positions, velocities, reactions, start_reactions, start_accelerations }
}
