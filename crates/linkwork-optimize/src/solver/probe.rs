//! Evaluations on behalf of a solver: counted, remembered, the best one kept.

use super::Spent;
use crate::problem::{Derivatives, Problem, Values, differences, neighbours, one_sided};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An evaluation that a solver asked for; those of differences are not recorded.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// How many evaluations there had been with this one, those of differences included.
    pub evaluations: u64,
    pub solver: &'static str,
    pub z: Vec<f64>,
    pub values: Values,
}

/// A problem with a budget.
pub(crate) struct Probe<'p> {
    pub problem: &'p dyn Problem,
    inner: Mutex<Inner>,
}

struct Inner {
    left: u64,
    done: u64,
    rough: bool,
    solver: &'static str,
    best: Option<(Vec<f64>, Values)>,
    records: Vec<Record>,
    /// The last points with their values, and derivatives at the last one.
    known: Vec<(Vec<f64>, Values)>,
    slopes: Option<(Vec<f64>, bool, Derivatives)>,
}

/// So many points are remembered: solvers ask for the objective and the constraints of a point one after the other.
const REMEMBERED: usize = 4;

impl<'p> Probe<'p> {
    pub fn new(problem: &'p dyn Problem, budget: u64) -> Self {
        let inner = Inner {
            left: budget,
            done: 0,
            rough: false,
            solver: "",
            best: None,
            records: Vec::new(),
            known: Vec::new(),
            slopes: None,
        };
        Probe { problem, inner: Mutex::new(inner) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says who asks from now on.
    pub fn name(&self, solver: &'static str) {
        self.inner().solver = solver;
    }

    /// Whether it is enough to know that a mechanism stays open, and not by how much.
    pub fn rough(&self, rough: bool) {
        self.inner().rough = rough;
    }

    /// Lets a search have so many of the evaluations that are left.
    pub fn limited(&self, most: u64, search: impl FnOnce(&Self)) {
        let all = self.left();
        let part = all.min(most);
        self.inner().left = part;
        search(self);
        let mut inner = self.inner();
        inner.left += all - part;
    }

    /// None if somebody wants an end.
    pub fn left(&self) -> u64 {
        if self.problem.is_stopped() { 0 } else { self.inner().left }
    }

    /// Counts evaluations that were made elsewhere.
    pub fn count(&self, evaluations: u64) {
        let mut inner = self.inner();
        inner.left = inner.left.saturating_sub(evaluations);
        inner.done += evaluations;
    }

    pub fn evaluations(&self) -> u64 {
        self.inner().done
    }

    pub fn best(&self) -> Option<(Vec<f64>, Values)> {
        self.inner().best.clone()
    }

    pub fn into_records(self) -> Vec<Record> {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).records
    }

    /// The values at points, all of them recorded.
    pub fn all(&self, points: &[Vec<f64>]) -> Result<Vec<Values>, Spent> {
        self.take(points.len())?;
        let rough = self.inner().rough;
        let values = if rough { self.problem.screen(points) } else { self.problem.evaluate(points) };
        self.go_on()?;
        let mut inner = self.inner();
        for (z, values) in points.iter().zip(&values) {
            inner.done += 1;
            let record = Record {
                evaluations: inner.done,
                solver: inner.solver,
                z: z.clone(),
                values: Values { residuals: Vec::new(), ..values.clone() },
            };
            inner.records.push(record);
            inner.keep(z, values);
        }
        Ok(values)
    }

    /// The values at a point.
    pub fn at(&self, z: &[f64]) -> Result<Values, Spent> {
        if let Some((_, values)) = self.inner().known.iter().find(|(known, _)| known == z) {
            return Ok(values.clone());
        }
        let values = self.all(&[z.to_vec()])?.pop().unwrap_or_default();
        let mut inner = self.inner();
        if inner.known.len() == REMEMBERED {
            inner.known.remove(0);
        }
        inner.known.push((z.to_vec(), values.clone()));
        Ok(values)
    }

    /// The derivatives at a point: those of the problem, or differences to both sides or, for half the evaluations, to one.
    pub fn slopes(&self, z: &[f64], both: bool) -> Result<Derivatives, Spent> {
        if let Some((known, fine, slopes)) = &self.inner().slopes
            && known == z
            && *fine == both
        {
            return Ok(slopes.clone());
        }
        let here = self.at(z)?;
        if let Some(slopes) = self.problem.slopes(z) {
            self.take(1)?;
            let mut inner = self.inner();
            inner.done += 1;
            inner.slopes = Some((z.to_vec(), both, slopes.clone()));
            return Ok(slopes);
        }
        let step = self.problem.step();
        let points = if both { neighbours(z, step) } else { one_sided(z, step) };
        self.take(points.len())?;
        let rough = self.inner().rough;
        let values = if rough { self.problem.screen(&points) } else { self.problem.evaluate(&points) };
        self.go_on()?;
        let slopes = differences(z, &here, &points, &values);
        let mut inner = self.inner();
        inner.done += points.len() as u64;
        inner.slopes = Some((z.to_vec(), both, slopes.clone()));
        Ok(slopes)
    }

    /// Rough values at points: [`Problem::screen`]. They are counted, and what they find is not kept.
    pub fn screen(&self, points: &[Vec<f64>]) -> Result<Vec<Values>, Spent> {
        self.take(points.len())?;
        let values = self.problem.screen(points);
        self.go_on()?;
        self.inner().done += points.len() as u64;
        Ok(values)
    }

    /// Values that came while somebody wanted an end are not known.
    fn go_on(&self) -> Result<(), Spent> {
        if self.problem.is_stopped() { Err(Spent) } else { Ok(()) }
    }

    fn take(&self, count: usize) -> Result<(), Spent> {
        self.go_on()?;
        let mut inner = self.inner();
        inner.left = inner.left.checked_sub(count as u64).ok_or(Spent)?;
        Ok(())
    }
}

impl Inner {
    fn keep(&mut self, z: &[f64], values: &Values) {
        if self.best.as_ref().is_none_or(|(_, best)| values.beats(best)) {
            self.best = Some((z.to_vec(), values.clone()));
        }
    }
}
