//! Derivatives by differences of runs that repeat the steps and events of the nominal one.
//!
//! With x(v) a result at the value v of a variable, and h a small part of the variable's size,
//!
//!   (D1)  d(h) = (x(v + h) − x(v − h)) / 2h                    = x' + O(h²)
//!   (D2)  r(h) = (4 d(h/2) − d(h)) / 3                         = x' + O(h⁴)
//!   (D3)  x'  ≈ (16 r(h/2) − r(h)) / 15,  error ≈ |x' − r(h/2)|  = O(h⁶)
//!
//! Where the error is not small, h was too large for a result that bends strongly, or for the events: a smaller h is tried, and the better derivative taken.

use super::record::{Record, Values};
use super::{Method, Sensitivities, SensitivityError, Study};
use crate::mechanism::Mechanism;
use crate::model::{Integrator, Settings};
use std::sync::atomic::{AtomicUsize, Ordering};

/// h, as parts of the variable's size, largest first.
const CHANGES: [f64; 4] = [2e-3, 2e-4, 2e-5, 2e-6];
/// Relative errors below this are small.
const SMALL: f64 = 1e-9;

/// A derivative of each quantity, and its error.
type Column = Vec<(f64, f64)>;

impl Study<'_> {
    /// Derivatives by differences: 6 runs a variable, 1e-8 and better as a rule. Where a difference is not good to that, its error says so.
    ///
    /// # Errors
    /// A nominal run that is impossible, quantities that it does not have, and variables of which the least change makes other events: grazing impacts, and
    /// mechanisms that cannot be assembled any more.
    pub fn differences(&self) -> Result<Sensitivities, SensitivityError> {
        let (mechanism, settled) = self.settled()?;
        let (record, nominal) = Record::of(&mechanism, &self.quantities)?;
        let count = self.designs.len();
        let next = AtomicUsize::new(0);
        let runs = AtomicUsize::new(1);
        let work = || {
            let mut done = Vec::new();
            loop {
                let j = next.fetch_add(1, Ordering::Relaxed);
                if j >= count {
                    return done;
                }
                done.push((j, self.difference(j, &mechanism, &settled, &record, &nominal, &runs)));
            }
        };
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = if self.threads == 0 { cores() } else { self.threads }.min(count);
        let mut columns = if threads <= 1 {
            work()
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                    Ok(done) => done,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                workers.into_iter().flat_map(join).collect::<Vec<_>>()
            })
        };
        columns.sort_by_key(|(j, _)| *j);
        let columns: Vec<Column> = columns.into_iter().map(|(_, column)| column).collect::<Result<_, _>>()?;
        let part = |of: fn(&(f64, f64)) -> f64| {
            (0..self.quantities.len())
                .map(|i| columns.iter().map(|column| of(&column[i])).collect())
                .collect()
        };
        Ok(Sensitivities {
            method: Method::Differences,
            quantities: self.quantities.clone(),
            units: record.units,
            values: nominal.values,
            variables: self.designs.clone(),
            derivatives: part(|(derivative, _)| *derivative),
            errors: part(|(_, error)| *error),
            events: nominal.events,
            runs: runs.into_inner(),
            notes: Vec::new(),
        })
    }

    /// The settings of the nominal run, with formulation and integrator named: neighbours take the same.
    pub(super) fn settled(&self) -> Result<(Mechanism, Settings), SensitivityError> {
        self.settled_with(|_| {})
    }

    /// The same with other settings.
    pub(super) fn settled_with(
        &self,
        change: impl FnOnce(&mut Settings),
    ) -> Result<(Mechanism, Settings), SensitivityError> {
        let mut mechanism = self.model(&self.nominal())?.assemble()?;
        change(&mut mechanism.model.settings);
        let simulation = mechanism.simulation()?;
        let mut settings = mechanism.model().settings.clone();
        (settings.formulation, settings.integrator) = (simulation.formulation(), simulation.integrator());
        drop(simulation);
        mechanism.model.settings = settings.clone();
        if settings.integrator == Integrator::Moreau {
            let (from, to) = (Integrator::Moreau, Integrator::Moreau);
            return Err(SensitivityError::Unsteady { t: 0.0, from, to });
        }
        Ok((mechanism, settings))
    }

    /// The mechanism of other values.
    fn assembled(&self, values: &[f64], settled: &Settings) -> Result<Mechanism, SensitivityError> {
        let mut model = self.model(values)?;
        model.settings = settled.clone();
        Ok(model.assemble()?)
    }

    fn difference(
        &self,
        j: usize,
        mechanism: &Mechanism,
        settled: &Settings,
        record: &Record,
        nominal: &Values,
        runs: &AtomicUsize,
    ) -> Result<Column, SensitivityError> {
        let design = &self.designs[j];
        let size = self.size(design, mechanism);
        let at = |change: f64| {
            let mut values = self.nominal();
            values[j] += change;
            runs.fetch_add(1, Ordering::Relaxed);
            let moved = values[j] - design.value;
            let mechanism = self.assembled(&values, settled)?;
            Ok::<_, SensitivityError>((moved, record.repeat(&mechanism, &self.quantities)?.values))
        };
        let mut best: Option<Column> = None;
        let mut failure = None;
        for part in CHANGES {
            let h = part * size;
            match extrapolated(h, &at) {
                Ok(column) => {
                    let better =
                        |(new, old): (&(f64, f64), &(f64, f64))| if new.1 < old.1 { *new } else { *old };
                    best = Some(match best {
                        None => column,
                        Some(old) => column.iter().zip(&old).map(better).collect(),
                    });
                }
                Err(source) => failure = Some((h, source)),
            }
            let good = |((derivative, error), value): (&(f64, f64), &f64)| {
                *error <= SMALL * derivative.abs().max(value.abs() / size)
            };
            if best.as_ref().is_some_and(|best| best.iter().zip(&nominal.values).all(good)) {
                break;
            }
        }
        match (best, failure) {
            (Some(best), _) => Ok(best),
            (None, Some((change, source))) => Err(SensitivityError::Variable {
                variable: design.name.clone(),
                unit: design.unit.clone(),
                change,
                source: Box::new(source),
            }),
            (None, None) => unreachable!("every change gives a derivative or a failure"),
        }
    }
}

/// (D3) for all results.
pub(super) fn extrapolated<E>(h: f64, at: &dyn Fn(f64) -> Result<(f64, Vec<f64>), E>) -> Result<Column, E> {
    let mut central = Vec::with_capacity(3);
    for h in [h, 0.5 * h, 0.25 * h] {
        let ((above, x_above), (below, x_below)) = (at(h)?, at(-h)?);
        // what the values really differ by
        let d: Vec<f64> = x_above.iter().zip(&x_below).map(|(a, b)| (a - b) / (above - below)).collect(); // (D1)
        central.push(d);
    }
    let result = |i: usize| {
        let [d1, d2, d3] = [central[0][i], central[1][i], central[2][i]];
        let (coarse, fine) = ((4.0 * d2 - d1) / 3.0, (4.0 * d3 - d2) / 3.0); // (D2)
        let best = (16.0 * fine - coarse) / 15.0; // (D3)
        (best, (best - fine).abs())
    };
    Ok((0..central[0].len()).map(result).collect())
}
