//! One model, every formulation: by how much their motions differ and what each one cost.
//!
//! Every formulation that takes the model is run twice, the second time with a tenth of the tolerance: the
//! difference is its own error. With beams the second run has elements of half the length as well: `newton-euler` has elements of its own, so that what formulations differ by is
//! the error of their discretisations, and that is part of their own errors. Where an own error grows beyond [`SENSITIVE`] the motion is too sensitive for any
//! comparison, as chaos is, and the comparison ends there. Two formulations agree if up to there they differ by no more than
//! [`ALLOWANCE`] times their own errors, or [`FLOOR`]; groups of them are formed by [`agreement`](super::agreement), and
//! differences are those from a reference in the largest group. Positions are compared relative to the mechanism's size, velocities and
//! reactions relative to their largest value in the run. Reactions that are not unique are left out: the open components, or, where their
//! direction turns during the run, all of the joint.
//!
//! With beams, whose elements are a few per cent off as users choose them, sensitive is what changes by [`SENSITIVE_WITH_BEAMS`] with their length.
//!
//! What all formulations take from one module can be wrong in all of them alike. Elements and rows of that kind are listed
//! with a [`Witness`] of their own.

use super::agreement::{Distances, Groups, agree};
use super::virtual_work::{Witness, witnesses};
use super::{Status, Summary};
use crate::interactions::Action;
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::mechanism::Mechanism;
use crate::model::{Beam, Fault, Faults, Formulation};
use crate::results::Frame;

/// How far beyond their own errors two formulations may be apart. The own error of a method of order one with half the step is half of
/// its true error, of any other more: 2 would do for one run, and the largest of many rows asks for a little more.
pub const ALLOWANCE: f64 = 5.0;
/// Rows are compared as long as both formulations know their own positions to this part of the size.
pub const SENSITIVE: f64 = 1e-6;
/// The same where beams are made of elements of another length.
const SENSITIVE_WITH_BEAMS: f64 = 0.1;
/// Differences below this are agreement, whatever the own errors.
pub const FLOOR: f64 = 1e-8;

/// An own error this many times the median is worth a word.
const LAGS: f64 = 100.0;

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

impl Difference {
    fn distances(&self) -> Distances {
        [self.positions, self.velocities, self.reactions]
    }
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
        /// Whether it agrees with the reference, and the reference is in a group larger than every other.
        agrees: bool,
    },
    /// It cannot honour something in the model.
    Refused(Vec<Fault>),
}

/// All formulations on one model.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The formulation that the others are measured against: one of the largest group.
    pub reference: Formulation,
    /// Every formulation, in the order of [`Formulation::ALL`].
    pub entries: Vec<(Formulation, Outcome)>,
    /// Formulations that finished, in groups that agree; the largest group first.
    pub groups: Vec<Vec<Formulation>>,
    /// Elements and constraint rows that one module evaluates for all formulations: their agreement says nothing about these.
    pub shared: Vec<Witness>,
}

impl Comparison {
    /// Whether everything that ran finished and agrees, over more than the start, and nothing shared fails its witness.
    pub fn agrees(&self) -> bool {
        self.conclusive()
            && self.contradicted().next().is_none()
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

    /// Shared elements whose forces do not do the work that their law accounts for.
    pub fn contradicted(&self) -> impl Iterator<Item = &Witness> {
        self.shared.iter().filter(|w| w.error.is_some_and(|error| error > Witness::BOUND))
    }

    /// Formulations that agree within their own errors and know the motion far less well than most: own errors of positions more
    /// than a hundred times the median, and beyond [`FLOOR`].
    pub fn less_accurate(&self) -> Vec<Formulation> {
        let known: Vec<(Formulation, f64)> = self
            .entries
            .iter()
            .filter_map(|(formulation, outcome)| match outcome {
                Outcome::Ran { own_error, agrees: true, .. } => Some((*formulation, own_error.positions)),
                _ => None,
            })
            .collect();
        let mut sorted: Vec<f64> = known.iter().map(|k| k.1).collect();
        sorted.sort_by(f64::total_cmp);
        let Some(&median) = sorted.get(sorted.len() / 2) else { return Vec::new() };
        let far = |error: f64| error > (LAGS * median).max(FLOOR);
        known.into_iter().filter(|k| far(k.1)).map(|k| k.0).collect()
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
    let mut careful = with_shorter_elements(mechanism)?;
    let settings = &mut careful.model.settings;
    match settings.fixed_step() {
        None => settings.tolerance = (0.1 * settings.tolerance).max(2e-15),
        Some(step) => settings.step = Some(0.5 * step),
    }
    let (finer, _) = frames_of(&careful)?;
    Ok(Run { frames, finer, summary })
}

/// The mechanism with twice as many elements in its beams.
fn with_shorter_elements(mechanism: &Mechanism) -> Result<Mechanism, Faults> {
    if mechanism.beams.is_empty() {
        return Ok(mechanism.clone());
    }
    let mut model = mechanism.as_written();
    for beam in &mut model.beams {
        beam.elements = Some(2 * beam.elements.unwrap_or(Beam::ELEMENTS));
    }
    model.assemble()
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
        let known: Vec<(Formulation, &Run)> =
            runs.iter().filter_map(|(f, result)| Some((*f, result.as_ref().ok()?))).collect();
        if known.is_empty() {
            let list = runs.into_iter().filter_map(|(_, r)| r.err()).flat_map(|f| f.list).collect();
            return Err(Faults { list, provenance: self.model.provenance.clone() });
        }
        let trusted: Vec<usize> = known.iter().map(|(_, run)| trusted_rows(self, run)).collect();
        let pair = |i: usize, j: usize| {
            let [a, b] = [i, j].map(|k| known[k].1);
            let rows = trusted[i].min(trusted[j]);
            let own = [a, b].map(|run| difference(self, &run.frames, &run.finer, rows));
            (difference(self, &a.frames, &b.frames, rows), own, rows)
        };
        let finished = |i: usize| known[i].1.summary.status == Status::Finished;
        let groups = Groups::new(known.len(), finished, |i, j| {
            let (d, own, _) = pair(i, j);
            (d.distances(), own.map(|own| own.distances()))
        });
        let reference = known[groups.reference];
        let entries = runs
            .iter()
            .map(|(formulation, result)| {
                let outcome = match result {
                    Err(faults) => Outcome::Refused(faults.list.clone()),
                    Ok(run) => {
                        let i = known.iter().position(|k| k.0 == *formulation).unwrap_or(0);
                        let (difference, own, rows) = pair(groups.reference, i);
                        Outcome::Ran {
                            summary: Box::new(run.summary.clone()),
                            difference,
                            own_error: own[1],
                            compared_until: run.frames.get(rows.saturating_sub(1)).map_or(0.0, |f| f.t),
                            agrees: groups.majority()
                                && agree(difference.distances(), own.map(|own| own.distances())),
                        }
                    }
                };
                (*formulation, outcome)
            })
            .collect();
        let named = |list: &Vec<usize>| list.iter().map(|&i| known[i].0).collect();
        Ok(Comparison {
            reference: reference.0,
            entries,
            groups: groups.groups.iter().map(named).collect(),
            shared: witnesses(self, &reference.1.frames),
        })
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
    let loads = mechanism.interactions.actions.iter().fold(0.0, |f: f64, named| match &named.action {
        Action::Constant(load) => f.max(norm(load.force)),
        _ => f,
    });
    [speed, acceleration, (mass * acceleration).max(loads)]
}

/// How many rows a formulation knows well enough.
fn trusted_rows(mechanism: &Mechanism, run: &Run) -> usize {
    let sensitive = if mechanism.beams.is_empty() { SENSITIVE } else { SENSITIVE_WITH_BEAMS };
    let apart = |f: &Frame, g: &Frame| {
        let [p, q] = [f, g].map(|frame| points_of(mechanism, &frame.positions));
        let far = |(p, q): (&Vec3, &Vec3)| norm(sub(*p, *q)) > sensitive * mechanism.size;
        p.len() == q.len() && p.iter().zip(q).any(far)
    };
    let rows = run.frames.len().min(run.finer.len());
    (0..rows).find(|&k| apart(&run.frames[k], &run.finer[k])).unwrap_or(rows)
}

/// Those of the points that the model names: sections of beams within are others where elements have another length.
fn points_of<'f>(mechanism: &Mechanism, of_points: &'f [Vec3]) -> &'f [Vec3] {
    match mechanism.beams.is_empty() {
        true => of_points,
        false => &of_points[..mechanism.author_model().points.len().min(of_points.len())],
    }
}

fn difference(mechanism: &Mechanism, a: &[Frame], b: &[Frame], rows: usize) -> Difference {
    let (a, b) = (&a[..rows.min(a.len())], &b[..rows.min(b.len())]);
    let named = |list: &[Vec3], out: &mut Vec<Vec3>| {
        out.clear();
        out.extend_from_slice(points_of(mechanism, list));
    };
    let positions = spread(a, b, |f, out| named(&f.positions, out)).0 / mechanism.size;
    let [speed, acceleration, force] = floors(mechanism);
    let velocities = relative(spread(a, b, |f, out| named(&f.velocities, out)), speed);
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
        relative(spread(&a[..start], &b[..start], |f, out| named(&f.accelerations, out)), acceleration);
    Difference { positions, velocities, reactions, start_reactions, start_accelerations }
}
