//! Thousands of variants of one mechanism on all cores: initial states, parameters, inputs.
//!
//! ```
//! use linkwork::batch::{Batch, Variant};
//! use linkwork::model::{Body, Integrator, Model, Settings};
//!
//! let model = Model::planar("pendulum").gravity([0.0, -9.81]).point("A", [0.0, 0.0]).point("B", [1.0, 0.0]).ground(["A"])
//!     .body(Body::rod("rod", ["A", "B"], 1.0))
//!     .settings(Settings { duration: 1.0, integrator: Integrator::Rk4, step: Some(1e-3), ..Settings::default() });
//! let base = model.assemble()?;
//! let variants: Vec<Variant> = (0..100).map(|i| Variant::new().start([0.01 * i as f64], [0.0])).collect();
//! let runs = Batch::new(&base).columns(["point.B.x", "energy.total"])?.run(&variants);
//! assert!(runs.iter().all(|run| run.is_finished() && run.in_lanes));
//! println!("the last one ends at x = {}", runs[99].rows[0][0]);
//! # Ok::<(), linkwork::model::Faults>(())
//! ```
//!
//! **Lanes.** Eight variants at a time go through the registers of the machine side by side, where they can: the formulation is `recursive` and
//! there is nothing but a tree (no loops, no couplings, no drivers), no events, no contacts and no mass that varies, the integrator is explicit
//! and its steps have a given size (`rk4`, `euler`, `semi-implicit-euler`; `dopri5`, `tsit5`, `dop853` and `auto` with `step`). The eight must share their settings
//! and the times at which functions of time have corners, and their links must hang alike. All others run one by one, and so do eight of
//! which one fails: nobody is disturbed by a neighbour. Forces, springs and formulas are worked out lane by lane.
//!
//! **Results** have the bits of the run of each variant alone, in lanes or not, whatever the number of threads and whoever the neighbours are. Only
//! [`Batch::lockstep`] gives that up.
//!
//! **What is looked at.** A run alone ends with an error if any of its rows has a number that is not finite. In lanes only rows that are kept are
//! looked at ([`Batch::rows`]); the state itself is watched at every step.

mod device;
mod outcome;
mod reduction;
mod variant;
mod worker;

pub use outcome::{BatchError, BatchRun};
pub use reduction::Reduction;
pub use variant::Variant;

use crate::error::names::nearest;
use crate::formulations::{Formulate, Recursive};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults};
use crate::recursive::lane::PACK;
use crate::results::{Column, columns};
use crate::straight::Accelerator;
use std::sync::atomic::{AtomicUsize, Ordering};
use worker::Worker;

/// Which rows of a run are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptRows {
    /// The last one.
    #[default]
    Last,
    /// All of them.
    All,
}

/// A batch of runs of one mechanism.
#[derive(Clone, Debug)]
pub struct Batch<'m> {
    mechanism: &'m Mechanism,
    threads: usize,
    /// All columns, and the indices of those that are kept.
    names: Vec<Column>,
    kept: Vec<usize>,
    rows: KeptRows,
    extremes: bool,
    lockstep: bool,
    device: Option<&'m dyn Accelerator>,
}

impl<'m> Batch<'m> {
    /// Runs with the settings of the mechanism's model, on all cores; the last row is kept, with all columns.
    pub fn new(mechanism: &'m Mechanism) -> Self {
        let names = columns(mechanism);
        Batch {
            mechanism,
            threads: 0,
            kept: (0..names.len()).collect(),
            names,
            rows: KeptRows::Last,
            extremes: false,
            lockstep: false,
            device: None,
        }
    }

    /// The mechanism of the first variant that can be had: a base for variants of which some, the first among them, may be impossible. Variants of the base itself
    /// have no model of their own and are passed over.
    ///
    /// # Errors
    /// What is wrong with the first variant, where none can be had.
    pub fn base_of(variants: &[Variant]) -> Result<Mechanism, Faults> {
        let mut first = None;
        for variant in variants {
            match variant.own_model().map(|model| model.and_then(|model| model.assemble())) {
                Some(Ok(mechanism)) => return Ok(mechanism),
                Some(Err(faults)) => first = first.or(Some(faults)),
                None => {}
            }
        }
        let none = || Faults {
            list: vec![Fault::error("variants", "there is no variant with a model of its own")],
            provenance: None,
        };
        Err(first.unwrap_or_else(none))
    }

    /// How many threads work; 0, the default: as many as the machine has cores.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Which rows are kept.
    #[must_use]
    pub fn rows(mut self, rows: KeptRows) -> Self {
        self.rows = rows;
        self
    }

    /// Whether the least and the largest value of each column over all rows are kept.
    #[must_use]
    pub fn extremes(mut self, extremes: bool) -> Self {
        self.extremes = extremes;
        self
    }

    /// Which columns are kept, by name and in this order.
    ///
    /// # Errors
    /// Names that are no columns, all of them.
    pub fn columns<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Result<Self, Faults> {
        let mut faults = Vec::new();
        self.kept.clear();
        for name in names {
            let name = name.as_ref();
            match self.names.iter().position(|column| column.name == name) {
                Some(i) => self.kept.push(i),
                None => faults.push(no_column(name, &self.names)),
            }
        }
        match faults.is_empty() {
            true => Ok(self),
            false => Err(Faults { list: faults, provenance: None }),
        }
    }

    /// Lets eight variants under error control share their steps: fast, each within the tolerance, but not the bits of the run of each alone,
    /// and who the neighbours are matters. Off by default.
    #[must_use]
    pub fn lockstep(mut self, lockstep: bool) -> Self {
        self.lockstep = lockstep;
        self
    }

    /// Lets a device move the variants that it can: trees that move under their weight alone, by `rk4` or `euler`, of which the last row is kept. All others run here, and say why
    /// ([`BatchRun::not_on_device`]). The results have the same bits.
    #[must_use]
    pub fn on(mut self, device: &'m dyn Accelerator) -> Self {
        self.device = Some(device);
        self
    }

    /// The columns that are kept.
    pub fn kept_columns(&self) -> impl Iterator<Item = &Column> {
        self.kept.iter().map(|&i| &self.names[i])
    }

    /// Coordinates and rates at the start of the base mechanism, in the order that variants give theirs.
    ///
    /// # Errors
    /// A mechanism that the formulation `recursive` refuses.
    pub fn start(&self) -> Result<(Vec<f64>, Vec<f64>), Faults> {
        let system = Recursive::new(self.mechanism).map_err(|fault| self.refuse(fault))?;
        let (nq, nu) = (system.tree().q_count(), system.tree().u_count());
        let y = Formulate::start(&system);
        Ok((y[..nq].to_vec(), y[nq..nq + nu].to_vec()))
    }

    /// What each coordinate and each rate of [`Batch::start`] is, for people.
    ///
    /// # Errors
    /// As [`Batch::start`].
    pub fn names(&self) -> Result<(Vec<String>, Vec<String>), Faults> {
        let system = Recursive::new(self.mechanism).map_err(|fault| self.refuse(fault))?;
        let (nq, nu) = (system.tree().q_count(), system.tree().u_count());
        let name = |i| system.component_name(i);
        Ok(((0..nq).map(name).collect(), (nq..nq + nu).map(name).collect()))
    }

    fn refuse(&self, fault: Fault) -> Faults {
        Faults { list: vec![fault], provenance: self.mechanism.model.provenance.clone() }
    }

    /// Runs all variants. The results are in their order; what goes wrong with one is reported in its own.
    pub fn run(&self, variants: &[Variant]) -> Vec<BatchRun> {
        self.reduce(variants, |_| ()).into_iter().map(|(run, ())| run).collect()
    }

    /// Runs all variants, and gives the rows of each, as they come, to a reduction of its own, which `make` makes for the variant of this index. Rows
    /// are not kept but for those that [`Batch::rows`] asks for. The reduction of a variant that failed has seen the rows before its failure.
    pub fn reduce<R: Reduction + Send>(
        &self,
        variants: &[Variant],
        make: impl Fn(usize) -> R + Sync,
    ) -> Vec<(BatchRun, R)> {
        if let Some(device) = self.device {
            return device::reduce(self, device, variants, &make);
        }
        let octet = |worker: &mut Worker<'_, 'm, R>, octet: usize| {
            let first = octet * PACK;
            worker.run(first, &variants[first..variants.len().min(first + PACK)])
        };
        let runs = self.share(variants.len().div_ceil(PACK), 1, || Worker::new(self, &make), octet);
        runs.into_iter().flatten().collect()
    }

    /// Works on so many items, so many at a time on each thread, and puts the results in order.
    fn share<W, T: Send>(
        &self,
        count: usize,
        at_a_time: usize,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, usize) -> T + Sync,
    ) -> Vec<T> {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if self.threads == 0 { cores() } else { self.threads }.min(count.div_ceil(at_a_time));
        let next = AtomicUsize::new(0);
        let take = || {
            let mut worker = begin();
            let mut done = Vec::new();
            loop {
                let first = next.fetch_add(at_a_time, Ordering::Relaxed);
                if first >= count {
                    return done;
                }
                let items = first..count.min(first + at_a_time);
                done.push((first, items.map(|item| work(&mut worker, item)).collect::<Vec<T>>()));
            }
        };
        let mut done = if threads <= 1 {
            take()
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
                let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                    Ok(done) => done,
                    // an input law of the caller's
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                workers.into_iter().flat_map(join).collect::<Vec<_>>()
            })
        };
        done.sort_by_key(|(first, _)| *first);
        done.into_iter().flat_map(|(_, list)| list).collect()
    }
}

/// The fault of a name that is no column.
fn no_column(name: &str, columns: &[Column]) -> Fault {
    let fault = Fault::error("columns", format!("there is no result column `{name}`"));
    Fault { help: nearest(name, columns.iter().map(|column| column.name.as_str())), ..fault }
}
