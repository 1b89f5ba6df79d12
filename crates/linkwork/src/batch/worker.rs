//! What one thread does: eight variants at a time in lanes, or one by one.

use super::variant::{Source, Variant};
use super::{Batch, BatchError, BatchRun, KeptRows, Reduction};
use crate::formulations::recursive::{Lanes, cut_rows};
use crate::formulations::{Formulate, Recursive};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, InitialState};
use crate::recursive::lane::PACK;
use crate::results::{Frame, columns, row};
use crate::simulation::{Status, drive_lanes, lane_stepper};
use std::borrow::Cow;

/// A run with its reduction.
type Reduced<R> = (BatchRun, R);

pub(super) struct Worker<'b, 'm, R> {
    batch: &'b Batch<'m>,
    make: &'b dyn Fn(usize) -> R,
    /// Lanes of the base mechanism, kept from one octet to the next.
    base: Option<Lanes<'m>>,
    /// Whether lanes can hold the base mechanism.
    base_suits: bool,
}

impl<'b, 'm, R: Reduction> Worker<'b, 'm, R> {
    pub fn new(batch: &'b Batch<'m>, make: &'b dyn Fn(usize) -> R) -> Self {
        Worker { batch, make, base: None, base_suits: suits(batch.mechanism) }
    }

    /// Runs at most eight variants, of which the first has this index.
    pub fn run(&mut self, first: usize, variants: &[Variant]) -> Vec<Reduced<R>> {
        let mechanisms: Vec<_> = variants.iter().map(|variant| self.batch.mechanism_of(variant)).collect();
        let mut runs: Vec<Reduced<R>> =
            (0..variants.len()).map(|i| (BatchRun::default(), (self.make)(first + i))).collect();
        let mut good: Vec<(usize, &Mechanism)> = Vec::new();
        for (i, mechanism) in mechanisms.iter().enumerate() {
            match mechanism {
                Ok(mechanism) => good.push((i, mechanism)),
                Err(faults) => {
                    let error = BatchError::Refused { variant: first + i, faults: faults.clone() };
                    runs[i].0.error = Some(error);
                }
            }
        }
        if self.side_by_side(first, variants, &good, &mut runs).is_none() {
            for (i, mechanism) in good {
                runs[i] = self.alone(first + i, mechanism, &variants[i]);
            }
        }
        runs
    }

    /// Runs one variant.
    pub fn by_itself(&mut self, index: usize, variant: &Variant) -> Reduced<R> {
        match self.batch.mechanism_of(variant) {
            Ok(mechanism) => self.alone(index, &mechanism, variant),
            Err(faults) => {
                let error = Some(BatchError::Refused { variant: index, faults });
                (BatchRun { error, ..BatchRun::default() }, (self.make)(index))
            }
        }
    }

    /// Runs the variants in lanes; nothing if they have to run one by one.
    fn side_by_side(
        &mut self,
        first: usize,
        variants: &[Variant],
        good: &[(usize, &Mechanism)],
        runs: &mut [Reduced<R>],
    ) -> Option<()> {
        let (&(_, leader), &last) = (good.first()?, good.last()?);
        let base = self.batch.mechanism;
        let fits = |m: &Mechanism| if std::ptr::eq(m, base) { self.base_suits } else { suits(m) };
        // one alone is faster by itself
        if good.len() < 2 || !good.iter().all(|(_, mechanism)| fits(mechanism)) {
            return None;
        }
        let alike = |m: &Mechanism| m.model.settings == leader.model.settings && m.timing == leader.timing;
        if !good.iter().all(|(_, mechanism)| alike(mechanism)) {
            return None;
        }
        if leader.model.settings.fixed_step().is_none() && !self.batch.lockstep {
            return None;
        }
        if good.iter().all(|(_, mechanism)| std::ptr::eq(*mechanism, base)) {
            if self.base.is_none() {
                let systems = (0..PACK).map(|_| Recursive::new(base).ok()).collect::<Option<Vec<_>>>()?;
                self.base = Lanes::new(systems).ok();
            }
            return drive((self.batch, self.make, first), self.base.as_mut()?, variants, good, runs);
        }
        let of_lane = |k: usize| good.get(k).unwrap_or(&last).1;
        let systems = (0..PACK).map(|k| Recursive::new(of_lane(k)).ok()).collect::<Option<Vec<_>>>()?;
        drive((self.batch, self.make, first), &mut Lanes::new(systems).ok()?, variants, good, runs)
    }

    /// The ordinary run of a variant.
    fn alone(&self, index: usize, mechanism: &Mechanism, variant: &Variant) -> Reduced<R> {
        let mut collector = Collector::new(self.batch, (self.make)(index));
        let mut observer = |frame: &Frame| collector.take(mechanism, frame);
        let summary = match variant.start.is_none() && variant.input.is_none() {
            true => mechanism.run(&mut observer),
            false => Recursive::new(mechanism)
                .and_then(|mut system| prepare(&mut system, variant).map(|()| system))
                .map_err(|fault| Faults { list: vec![fault], provenance: mechanism.model.provenance.clone() })
                .and_then(|system| mechanism.run_system(system, &mut observer)),
        };
        let Collector { mut run, reduction, .. } = collector;
        match summary {
            Err(faults) => run.error = Some(BatchError::Refused { variant: index, faults }),
            Ok(summary) => {
                run.statistics = summary.steps;
                if let Status::Failed(failure) = summary.status {
                    run.error = Some(BatchError::Failed { variant: index, failure });
                }
            }
        }
        (run, reduction)
    }
}

impl<'m> Batch<'m> {
    /// The mechanism of a variant.
    pub(super) fn mechanism_of(&self, variant: &Variant) -> Result<Cow<'m, Mechanism>, Faults> {
        let base = self.mechanism;
        let mut model = match &variant.source {
            Source::Base if variant.velocities.is_none() => return Ok(Cow::Borrowed(base)),
            Source::Base => Cow::Owned(base.as_written()),
            Source::Model(model) => Cow::Borrowed(&**model),
            Source::Make(make) => Cow::Owned(make()?),
        };
        if let Some(velocities) = &variant.velocities {
            model.to_mut().initial.velocities.clone_from(velocities);
        }
        let mechanism = model.assemble()?;
        let own = columns(&mechanism);
        if own != self.names {
            let names = &self.names;
            let differ = own.iter().zip(names).find(|(a, b)| a != b);
            let what = match differ {
                Some((own, base)) => format!("`{}` where the base has `{}`", own.name, base.name),
                None => format!("{} columns where the base has {}", own.len(), names.len()),
            };
            let fault = Fault::error("variant", format!("the results are other ones: {what}"))
                .help("variants of a batch have the same points, joints and elements");
            return Err(Faults { list: vec![fault], provenance: model.provenance.clone() });
        }
        Ok(Cow::Owned(mechanism))
    }
}

/// Runs variants in lanes; those that are left over repeat the last variant.
fn drive<R: Reduction>(
    (batch, make, first): (&Batch<'_>, &dyn Fn(usize) -> R, usize),
    lanes: &mut Lanes<'_>,
    variants: &[Variant],
    good: &[(usize, &Mechanism)],
    runs: &mut [Reduced<R>],
) -> Option<()> {
    let (&(_, leader), last) = (good.first()?, good.last()?);
    for k in 0..PACK {
        prepare(lanes.lane(k), &variants[good.get(k).unwrap_or(last).0]).ok()?;
    }
    lanes.refresh_inputs();
    let y = lanes.lane(0).start();
    let stepper = lane_stepper(leader, lanes.lane(0), &y, PACK * y.len(), batch.lockstep)?;
    let list: Vec<&Mechanism> = good.iter().map(|(_, mechanism)| *mechanism).collect();
    let mut collectors: Vec<Collector<R>> =
        good.iter().map(|(i, _)| Collector::new(batch, make(first + i))).collect();
    let reduced = collectors.iter().any(|collector| collector.reduction.wants_every_row());
    let all = batch.rows == KeptRows::All || batch.extremes || reduced;
    let mut take = |k: usize, frame: &Frame| collectors[k].take(list[k], frame);
    let statistics = drive_lanes(lanes, &list, stepper, all, &mut take).ok()?;
    for ((i, _), collector) in good.iter().zip(collectors) {
        let run = BatchRun { statistics, in_lanes: true, ..collector.run };
        runs[*i] = (run, collector.reduction);
    }
    Some(())
}

/// Whether a mechanism is one that lanes can hold.
pub(super) fn suits(mechanism: &Mechanism) -> bool {
    let settings = &mechanism.model.settings;
    matches!(settings.formulation, Formulation::Auto | Formulation::Recursive)
        && !settings.integrator.facts().needs_points
        && settings.initial == InitialState::Given
        && mechanism.events.is_empty()
        && !mechanism.has_contacts()
        && !mechanism.author_model().can_change()
        && mechanism.masses.is_empty()
        && mechanism.interactions.couplings.is_empty()
        && mechanism.interactions.samplers.is_empty()
        && cut_rows(mechanism) == 0
}

/// Gives a system the start and the input of a variant.
pub(super) fn prepare(system: &mut Recursive<'_>, variant: &Variant) -> Result<(), Fault> {
    system.set_input(variant.input.clone())?;
    system.set_start(variant.start.as_ref().map(|(q, u)| (q.as_slice(), u.as_slice())))
}

/// Keeps what was asked for of the rows that go by.
pub(super) struct Collector<'b, R> {
    batch: &'b Batch<'b>,
    row: Vec<f64>,
    /// The columns that are kept.
    kept: Vec<f64>,
    pub run: BatchRun,
    pub reduction: R,
}

impl<'b, R: Reduction> Collector<'b, R> {
    pub fn new(batch: &'b Batch<'_>, reduction: R) -> Self {
        Collector { batch, row: Vec::new(), kept: Vec::new(), run: BatchRun::default(), reduction }
    }

    pub fn take(&mut self, mechanism: &Mechanism, frame: &Frame) {
        row(mechanism, frame, &mut self.row);
        self.run.t = frame.t;
        self.kept.clear();
        self.kept.extend(self.batch.kept.iter().map(|&i| self.row[i]));
        self.reduction.row(frame.t, &self.kept);
        let kept = self.kept.iter().copied();
        if self.batch.extremes {
            if self.run.least.is_empty() {
                self.run.least.extend(kept.clone());
                self.run.most.extend(kept.clone());
            }
            for ((x, least), most) in kept.clone().zip(&mut self.run.least).zip(&mut self.run.most) {
                *least = least.min(x);
                *most = most.max(x);
            }
        }
        match self.run.rows.first_mut() {
            Some(last) if self.batch.rows == KeptRows::Last => {
                last.clear();
                last.extend(kept);
            }
            _ => self.run.rows.push(kept.collect()),
        }
    }
}
