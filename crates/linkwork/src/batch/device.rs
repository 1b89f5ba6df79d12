//! Variants on a device: thousands at a time, as columns of numbers.
//!
//! What goes to the device is a [`Program`] of the base mechanism, the states at the start, and those numbers in which the variants differ. What comes back are the states at the end: the rows
//! are made of them here, by the code that every run uses. A variant that the device cannot move runs here, too, and says why.

use super::worker::{Collector, Worker, prepare, suits};
use super::{Batch, BatchRun, KeptRows, Reduction, Variant};
use crate::formulations::Recursive;
use crate::integrate::{Statistics, given_steps};
use crate::mechanism::Mechanism;
use crate::model::Integrator;
use crate::recursive::Tree;
use crate::results::Frame;
use crate::simulation::observe;
use crate::straight::tree::flat;
use crate::straight::{Accelerator, Columns, Method, Program, Steps, fuses};
use std::borrow::Cow;
use std::sync::Arc;

/// Variants with models of their own that are held at a time, at most: a compiled mechanism takes tens of kilobytes.
const MOST_MODELS: usize = 1 << 14;
/// Variants that a thread takes at a time.
const SHARE: usize = 64;

/// A variant that can go to the device.
struct Ready<'m> {
    mechanism: Cow<'m, Mechanism>,
    start: Vec<f64>,
    /// All numbers of its tree; nothing if they are those of the base.
    numbers: Vec<f64>,
}

/// A variant with its run, its reduction, and the reason why it does not go to the device.
type Kept<R> = (BatchRun, R, Option<Arc<str>>);

/// What all variants on the device share.
struct Common {
    tree: Tree,
    numbers: Vec<f64>,
    method: Method,
    steps: Steps,
    settles: bool,
    statistics: Statistics,
}

/// Runs all variants, on the device where it can.
pub(super) fn reduce<'m, R: Reduction + Send>(
    batch: &Batch<'m>,
    device: &dyn Accelerator,
    variants: &[Variant],
    make: &(dyn Fn(usize) -> R + Sync),
) -> Vec<(BatchRun, R)> {
    let common = match Common::of(batch) {
        Ok(common) => common,
        Err(why) => return alone(batch, variants, make, &Arc::from(why)),
    };
    let own_models = variants.iter().any(|variant| !variant.is_of_base());
    let most = device.variants_at_a_time().max(1);
    let at_a_time = if own_models { most.min(MOST_MODELS) } else { most };
    let mut program: Option<(Vec<bool>, Program)> = None;
    let mut all = Vec::with_capacity(variants.len());
    for (chunk, list) in variants.chunks(at_a_time).enumerate() {
        let first = chunk * at_a_time;
        let prepare = |preparing: &mut Preparing<'_, 'm>, i: usize| preparing.prepare(&list[i]);
        let ready = batch.share(list.len(), SHARE, || Preparing::new(batch, &common), prepare);
        let moved = common.moved(batch, device, &ready, &mut program);
        let finish = |finishing: &mut Finishing<'_, 'm, R>, i: usize| {
            finishing.run(first + i, &list[i], &ready[i], (&moved, i))
        };
        all.extend(batch.share(list.len(), SHARE, || Finishing::new(batch, make, &common), finish));
    }
    all.into_iter().map(|(run, reduction, why)| (BatchRun { not_on_device: why, ..run }, reduction)).collect()
}

/// All variants here, for a reason.
fn alone<R: Reduction + Send>(
    batch: &Batch<'_>,
    variants: &[Variant],
    make: &(dyn Fn(usize) -> R + Sync),
    why: &Arc<str>,
) -> Vec<(BatchRun, R)> {
    let runs = Batch { device: None, ..batch.clone() }.reduce(variants, make);
    let told = |(run, reduction)| (BatchRun { not_on_device: Some(Arc::clone(why)), ..run }, reduction);
    runs.into_iter().map(told).collect()
}

impl Common {
    /// Of the base mechanism; why no variant can go to the device.
    fn of(batch: &Batch<'_>) -> Result<Common, &'static str> {
        let base = batch.mechanism;
        let settings = &base.model.settings;
        let method = match settings.integrator {
            Integrator::Rk4 => Method::RK4,
            Integrator::Euler => Method::EULER,
            _ => return Err("only `rk4` and `euler` run on a device"),
        };
        if batch.rows == KeptRows::All || batch.extremes {
            return Err("rows on the way are asked for, and a device gives the last one only");
        }
        if !suits(base) {
            return Err("it has loops, events, contacts, couplings or another formulation than `recursive`");
        }
        let Ok(system) = Recursive::new(base) else { return Err("`recursive` refuses it") };
        if let Some(why) = system.not_straight() {
            return Err(why);
        }
        let plain = ["point.", "body.", "energy.", "constraint"];
        let counted = |name: &str| name != "t" && !plain.iter().any(|own| name.starts_with(own));
        if !system.counts_turns() && batch.kept_columns().any(|column| counted(&column.name)) {
            return Err(
                "turns of a ball joint have to be counted from row to row: keep columns of points, bodies and energies",
            );
        }
        let (Some(size), end) = (settings.fixed_step(), settings.duration) else {
            return Err("its steps have no given size");
        };
        let (count, last) = given_steps(size, end);
        if base.next_edge(0.0) < end || count > settings.max_steps || count == 0 {
            return Err("its run is cut in pieces, too long or over at once");
        }
        let mut numbers = Vec::new();
        flat(system.tree(), &mut numbers);
        let stages = method.weights.len() as u64;
        let projects = settings.projects();
        let whole = if last == size { count } else { count - 1 };
        let statistics = Statistics {
            accepted_steps: count,
            derivative_evaluations: stages * count,
            projections: if projects { count } else { 0 },
            smallest_step: if whole > 0 { size } else { 0.0 },
            largest_step: if whole > 0 { size } else { 0.0 },
            last_step: last,
            ..Statistics::default()
        };
        Ok(Common {
            tree: system.tree().clone(),
            numbers,
            method,
            steps: Steps { count, size, last },
            settles: projects,
            statistics,
        })
    }

    /// The columns at the end of the run; why there are none.
    fn moved(
        &self,
        batch: &Batch<'_>,
        device: &dyn Accelerator,
        ready: &[Result<Ready<'_>, Arc<str>>],
        known: &mut Option<(Vec<bool>, Program)>,
    ) -> Result<Columns, Arc<str>> {
        let numbers = |ready: &Ready<'_>, k: usize| *ready.numbers.get(k).unwrap_or(&self.numbers[k]);
        let varies: Vec<bool> = (0..self.numbers.len())
            .map(|k| ready.iter().flatten().any(|ready| numbers(ready, k) != self.numbers[k]))
            .collect();
        if known.as_ref().is_none_or(|(before, _)| *before != varies) {
            let system = Recursive::new(batch.mechanism).map_err(|fault| Arc::from(fault.message))?;
            *known =
                Some((varies.clone(), system.program(&varies, self.method.clone(), self.settles, fuses())));
        }
        let Some((_, program)) = known else { return Err(Arc::from("there is no program")) };
        if program.rates.operations() > device.most_operations() {
            let operations = program.rates.operations();
            return Err(format!(
                "{operations} operations an evaluation are more than {} of {}",
                device.most_operations(),
                device.name()
            )
            .into());
        }
        let n = ready.len();
        let (states, varying) = (program.states(), || (0..varies.len()).filter(|&k| varies[k]));
        let mut columns = Columns {
            variants: n,
            states: vec![0.0; states * n],
            parameters: vec![0.0; varying().count() * n],
            void: Vec::new(),
        };
        for (v, ready) in ready.iter().enumerate() {
            // a place without a variant stands still
            let Ok(ready) = ready else { continue };
            for (i, x) in ready.start.iter().enumerate() {
                columns.states[i * n + v] = *x;
            }
        }
        for (i, k) in varying().enumerate() {
            for (v, ready) in ready.iter().enumerate() {
                columns.parameters[i * n + v] =
                    ready.as_ref().map_or(self.numbers[k], |ready| numbers(ready, k));
            }
        }
        device.run(program, self.steps, &mut columns).map_err(|error| Arc::from(error.to_string()))?;
        Ok(columns)
    }
}

/// Gets variants ready, on one thread.
struct Preparing<'b, 'm> {
    batch: &'b Batch<'m>,
    common: &'b Common,
    base: Option<Recursive<'m>>,
}

impl<'b, 'm> Preparing<'b, 'm> {
    fn new(batch: &'b Batch<'m>, common: &'b Common) -> Self {
        Preparing { batch, common, base: Recursive::new(batch.mechanism).ok() }
    }

    /// A variant for the device; why it is none. What is wrong with a variant is found again, and reported, by its run here.
    fn prepare(&mut self, variant: &Variant) -> Result<Ready<'m>, Arc<str>> {
        if variant.input.is_some() {
            return Err(Arc::from("it has an input"));
        }
        let refused = || Arc::from("it is refused");
        let mechanism = self.batch.mechanism_of(variant).map_err(|_| refused())?;
        if let Cow::Borrowed(_) = mechanism {
            let system = self.base.as_mut().ok_or_else(refused)?;
            prepare(system, variant).map_err(|_| refused())?;
            return Ok(Ready { start: system.straight_start(), numbers: Vec::new(), mechanism });
        }
        let base = self.batch.mechanism;
        let alike = mechanism.model.settings == base.model.settings && mechanism.timing == base.timing;
        if !alike || !suits(&mechanism) {
            return Err(Arc::from("its settings or elements are other ones than those of the base"));
        }
        let (start, numbers) = self.own(&mechanism, variant)?;
        Ok(Ready { start, numbers, mechanism })
    }

    /// Start and numbers of a mechanism of its own.
    fn own(&self, mechanism: &Mechanism, variant: &Variant) -> Result<(Vec<f64>, Vec<f64>), Arc<str>> {
        let refused = || Arc::from("it is refused");
        let mut system = Recursive::new(mechanism).map_err(|_| refused())?;
        if let Some(why) = system.not_straight() {
            return Err(Arc::from(why));
        }
        if !system.tree().is_like(&self.common.tree) {
            return Err(Arc::from("its links hang otherwise than those of the base"));
        }
        prepare(&mut system, variant).map_err(|_| refused())?;
        let mut numbers = Vec::new();
        flat(system.tree(), &mut numbers);
        Ok((system.straight_start(), numbers))
    }
}

/// Makes runs of states at the end, on one thread.
struct Finishing<'b, 'm, R> {
    batch: &'b Batch<'m>,
    make: &'b dyn Fn(usize) -> R,
    common: &'b Common,
    worker: Worker<'b, 'm, R>,
    base: Option<Recursive<'m>>,
    y: Vec<f64>,
    row: Vec<f64>,
}

impl<'b, 'm, R: Reduction> Finishing<'b, 'm, R> {
    fn new(batch: &'b Batch<'m>, make: &'b dyn Fn(usize) -> R, common: &'b Common) -> Self {
        let base = Recursive::new(batch.mechanism).ok();
        Finishing {
            batch,
            make,
            common,
            worker: Worker::new(batch, make),
            base,
            y: Vec::new(),
            row: Vec::new(),
        }
    }

    fn run(
        &mut self,
        index: usize,
        variant: &Variant,
        ready: &Result<Ready<'m>, Arc<str>>,
        (moved, v): (&Result<Columns, Arc<str>>, usize),
    ) -> Kept<R> {
        let why = match (ready, moved) {
            (Err(why), _) | (_, Err(why)) => Arc::clone(why),
            (Ok(ready), Ok(columns)) => {
                self.y.clear();
                self.y.extend((0..ready.start.len()).map(|i| columns.states[i * columns.variants + v]));
                if columns.void[v] {
                    Arc::from("an angle went beyond what the device takes, or a joint has no inertia to move")
                } else if !self.y.iter().all(|x| x.is_finite()) {
                    Arc::from("a number is not finite")
                } else {
                    let reduction = (self.make)(index);
                    if reduction.wants_every_row() {
                        Arc::from("rows on the way are asked for, and a device gives the last one only")
                    } else if let Some((run, reduction)) = self.finish(ready, reduction) {
                        return (run, reduction, None);
                    } else {
                        Arc::from("the state at its end cannot be observed")
                    }
                }
            }
        };
        let (run, reduction) = self.worker.by_itself(index, variant);
        (run, reduction, Some(why))
    }

    /// The run with its last row; nothing if that cannot be had.
    fn finish(&mut self, ready: &Ready<'m>, reduction: R) -> Option<(BatchRun, R)> {
        let mut frame = Frame::new(&ready.mechanism);
        match &ready.mechanism {
            Cow::Borrowed(mechanism) => {
                let system = self.base.as_mut()?;
                at_end(mechanism, system, (&ready.start, &mut self.y), &mut frame, &mut self.row)?;
            }
            Cow::Owned(mechanism) => {
                let mut system = Recursive::new(mechanism).ok()?;
                at_end(mechanism, &mut system, (&ready.start, &mut self.y), &mut frame, &mut self.row)?;
            }
        }
        let mut collector = Collector::new(self.batch, reduction);
        collector.take(&ready.mechanism, &frame);
        let Collector { run, reduction, .. } = collector;
        Some((BatchRun { statistics: self.common.statistics, on_device: true, ..run }, reduction))
    }
}

/// Everything there is to know at the end of a run; nothing if a result is not finite.
fn at_end(
    mechanism: &Mechanism,
    system: &mut Recursive<'_>,
    (start, y): (&[f64], &mut Vec<f64>),
    frame: &mut Frame,
    row: &mut Vec<f64>,
) -> Option<()> {
    // turns are counted from the start on
    let mut begin = start.to_vec();
    system.take_straight(&mut begin);
    system.count_joints(0.0, &begin, frame);
    system.take_straight(y);
    observe(mechanism, system, mechanism.model.settings.duration, y, frame, row).ok()
}
