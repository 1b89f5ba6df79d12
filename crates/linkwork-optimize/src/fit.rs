//! Identification: parameters of a model from what was measured, with confidence intervals.
//!
//! With the residuals r_k = x(t_k; θ) − x_k of m measurements and their Jacobian J by the p parameters, at the minimum of Σ r²:
//!
//! ```text
//!   (T1)  s² = Σ r² / (m − p)
//!   (T2)  V  = s² (JᵀJ)⁻¹
//!   (T3)  θ_i ± t(97.5 %, m − p) √V_ii
//! ```
//!
//! Several columns are each measured in the size of what the fit leaves of them, which is found by fitting twice. Errors are taken as independent and of equal size within a column.

use crate::motion::{Failed, assembled, with_measures};
use crate::problem::{Problem, Values, differences, neighbours};
use crate::solver::{LeastSquares, Probe, Solver};
use crate::student::student_quantile;
use crate::study::in_parallel;
use crate::{Error, Step, Study};
use linkwork::linalg::singular_values::SingularValues;
use linkwork::model::Formula;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Times, s, ascending.
    pub t: Vec<f64>,
    /// The columns that are compared.
    pub columns: Vec<Measured>,
}

/// A column of measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its name in the file.
    pub name: String,
    /// The quantity of the model that it measures, as formulas write it; a measure may be called `measure.NAME`.
    pub quantity: String,
    /// Its values, SI units; not a number where nothing was measured.
    pub values: Vec<f64>,
}

/// A parameter that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The variable.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What the file says.
    pub first: f64,
    /// The estimate, SI units.
    pub value: f64,
    /// Its standard error; not a number if the data do not tell.
    pub error: f64,
    /// The 95 % confidence interval.
    pub interval: [f64; 2],
    /// The bound that it stands at, where its interval means nothing.
    pub at_bound: bool,
}

/// A fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The parameters.
    pub estimates: Vec<Estimate>,
    /// Their correlations, row by row.
    pub correlation: Vec<Vec<f64>>,
    /// The root of the mean square that is left of each column, SI units.
    pub left: Vec<f64>,
    /// Measurements that were compared.
    pub measurements: usize,
    /// How many directions of the parameters the data say nothing about.
    pub undetermined: usize,
    /// Whether the search ended by itself.
    pub success: bool,
    /// How it ended.
    pub message: String,
    /// Evaluations, those of differences included.
    pub evaluations: u64,
    /// What the model gives at the times, column by column: in the beginning and with the estimates.
    pub curves: [Vec<Vec<f64>>; 2],
    /// The way.
    pub history: Vec<Step>,
}

/// The residuals of a fit.
struct Task<'s> {
    study: &'s Study,
    data: &'s Data,
    formulas: Vec<Formula>,
    /// What each column is measured in.
    scales: Vec<f64>,
}

/// Singular values below this part of the largest are directions that the data say nothing about.
const FLAT: f64 = 1e-8;

impl Task<'_> {
    /// The columns as the model gives them.
    fn columns(&self, x: &[f64]) -> Result<Vec<Vec<f64>>, Failed> {
        let first = |faults: linkwork::Faults| {
            Failed::new(1.0, faults.list.first().map_or_else(String::new, |fault| fault.message.clone()))
        };
        let model = self.study.model(x).map_err(first)?;
        let (mut model, own) = with_measures(model, &self.formulas);
        let end = self.data.t.last().copied().unwrap_or(0.0);
        model.settings.duration = model.settings.duration.max(end);
        let mechanism = assembled(&model)?;
        let failed = |error: linkwork::Error| Failed::new(1.0, error.to_string());
        let mut simulation = mechanism.simulation().map_err(failed)?;
        let mut out = vec![Vec::with_capacity(self.data.t.len()); self.formulas.len()];
        for t in &self.data.t {
            simulation.advance_to(*t).map_err(failed)?;
            let frame = simulation.sample().map_err(failed)?;
            for (list, value) in out.iter_mut().zip(frame.measures.iter().skip(own)) {
                list.push(*value);
            }
        }
        Ok(out)
    }

    fn values(&self, z: &[f64]) -> Values {
        match self.columns(&self.study.point(z)) {
            Ok(columns) => {
                let residuals = self.residuals(&columns);
                let objective = residuals.iter().map(|r| r * r).sum();
                Values { objective, residuals, ..Values::default() }
            }
            Err(failed) => {
                Values { objective: f64::NAN, open: failed.open, why: Some(failed.why), ..Values::default() }
            }
        }
    }

    fn residuals(&self, columns: &[Vec<f64>]) -> Vec<f64> {
        let mut out = Vec::new();
        for ((column, measured), scale) in columns.iter().zip(&self.data.columns).zip(&self.scales) {
            let pairs = column.iter().zip(&measured.values).filter(|(_, value)| value.is_finite());
            out.extend(pairs.map(|(x, value)| (x - value) / scale));
        }
        out
    }

    /// The root of the mean square that is left of each column.
    fn left(&self, columns: &[Vec<f64>]) -> Vec<f64> {
        columns
            .iter()
            .zip(&self.data.columns)
            .map(|(column, measured)| {
                let squares: Vec<f64> = column
                    .iter()
                    .zip(&measured.values)
                    .filter(|(_, value)| value.is_finite())
                    .map(|(x, value)| (x - value).powi(2))
                    .collect();
                (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
            })
            .collect()
    }
}

impl Problem for Task<'_> {
    fn variables(&self) -> usize {
        self.study.variables().len()
    }
    fn step(&self) -> f64 {
        3e-5
    }
    fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Values> {
        in_parallel(self.study.jobs, points, |z| self.study.watch().unless_stopped(|| self.values(z)))
    }
    fn is_stopped(&self) -> bool {
        self.study.watch().is_stopped()
    }
}

/// Finds the values of the study's variables with which the model gives the measurements best.
///
/// # Errors
/// Data that do not fit the model: no times, unknown quantities, fewer measurements than variables; a model that cannot run as it stands.
pub fn fit(study: &Study, data: &Data, runs: u64) -> Result<Fit, Error> {
    check(data)?;
    let mut formulas = Vec::new();
    for column in &data.columns {
        let text = column.quantity.strip_prefix("measure.").unwrap_or(&column.quantity);
        let formula = Formula::parse(text);
        formulas.push(
            formula.map_err(|error| Error::wrong(format!("--map {}", column.name), error.to_string()))?,
        );
    }
    let ranges = data.columns.iter().map(|column| {
        let finite = || column.values.iter().copied().filter(|x| x.is_finite());
        let span = finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min);
        if span > 0.0 { span } else { 1.0 }
    });
    let mut task = Task { study, data, formulas, scales: ranges.collect() };
    let start = study.scaled(&study.start());
    let before =
        task.columns(&study.start()).map_err(|failed| Error::wrong(study.file().name(), failed.why))?;
    let measurements = task.residuals(&before).len();
    let p = start.len();
    if measurements <= p {
        let why = format!("{measurements} measurements cannot tell {p} parameters");
        return Err(Error::wrong("--data", why));
    }
    let mut z = start;
    let (mut evaluations, mut left, mut history) = (1, runs, Vec::new());
    let rounds = if data.columns.len() > 1 { 2 } else { 1 };
    let mut spent = false;
    for _ in 0..rounds {
        let probe = Probe::new(&task, left);
        LeastSquares.search(&probe, &z);
        if let Some((best, _)) = probe.best() {
            z = best;
        }
        spent = probe.left() < 2 * p as u64;
        left = probe.left();
        evaluations += probe.evaluations();
        history.extend(probe.into_records().iter().map(|record| Step {
            evaluation: record.evaluations,
            solver: record.solver,
            objective: record.values.objective,
            violation: 0.0,
            open: record.values.open,
            x: study.point(&record.z),
        }));
        // what is left of a column is the size of its errors
        if let Ok(columns) = task.columns(&study.point(&z))
            && rounds > 1
        {
            let left = task.left(&columns);
            for (scale, left) in task.scales.iter_mut().zip(left) {
                *scale = if left > 0.0 { left } else { *scale };
            }
        }
    }
    let here = task.values(&z);
    let points = neighbours(&z, task.step());
    let around = task.evaluate(&points);
    evaluations += 1 + points.len() as u64;
    let interrupted = study.watch().is_stopped();
    let slopes = differences(&z, &here, &points, &around);
    let x = study.point(&z);
    let after = task.columns(&x).map_err(|failed| Error::wrong(study.file().name(), failed.why))?;
    let freedom = measurements - p;
    let s2 = here.objective / freedom as f64; // (T1)
    let all: Vec<f64> = slopes.residuals.iter().flatten().copied().collect();
    let singular = SingularValues::new(&all, p);
    // nothing is known of errors if an end was wanted before the derivatives
    let rank = if interrupted { 0 } else { singular.rank(FLAT) };
    let covariance = covariance(&singular, p, rank, s2); // (T2)
    let quantile = student_quantile(0.975, freedom as f64);
    let (lower, upper) = study.bounds();
    let estimates = study.variables().iter().enumerate().map(|(i, variable)| {
        let error = covariance[i][i].sqrt() * (upper[i] - lower[i]);
        let half = quantile * error; // (T3)
        Estimate {
            name: variable.name.clone(),
            unit: variable.unit.clone(),
            first: variable.value,
            value: x[i],
            error,
            interval: [x[i] - half, x[i] + half],
            at_bound: z[i] <= 1e-9 || z[i] >= 1.0 - 1e-9,
        }
    });
    let correlation = (0..p)
        .map(|i| (0..p).map(|j| covariance[i][j] / (covariance[i][i] * covariance[j][j]).sqrt()).collect())
        .collect();
    Ok(Fit {
        estimates: estimates.collect(),
        correlation,
        left: task.left(&after),
        measurements,
        undetermined: if interrupted { 0 } else { p - rank },
        success: !interrupted && !spent && rank == p,
        message: match (spent, rank < p) {
            _ if interrupted => "interrupted: these are the best so far".into(),
            (true, _) => "the evaluations are spent: --runs allows more".into(),
            (_, true) => {
                "the data do not tell all parameters: fix some of them, or measure something else".into()
            }
            _ => "the search has converged".into(),
        },
        evaluations,
        curves: [before, after],
        history,
    })
}

/// (T2) in parts of the ranges; not a number where the data say nothing.
fn covariance(singular: &SingularValues, p: usize, rank: usize, s2: f64) -> Vec<Vec<f64>> {
    let mut out = vec![vec![0.0; p]; p];
    for k in 0..p {
        let v = singular.direction(k);
        for i in 0..p {
            for j in 0..p {
                let part = v[i] * v[j];
                if k < rank {
                    out[i][j] += s2 * part / singular.values[k].powi(2);
                } else if part.abs() > 1e-6 {
                    out[i][j] = f64::NAN;
                }
            }
        }
    }
    out
}

fn check(data: &Data) -> Result<(), Error> {
    let wrong = |why: String| Err(Error::wrong("--data", why));
    if data.columns.is_empty() {
        return wrong("no column is compared: say with --map which quantity a column measures".into());
    }
    if data.t.is_empty() {
        return wrong("there are no measurements".into());
    }
    if let Some(k) = (1..data.t.len()).find(|k| data.t[*k] <= data.t[k - 1]) {
        return wrong(format!(
            "the times ascend, but row {} has t = {} s after {} s",
            k + 1,
            data.t[k],
            data.t[k - 1]
        ));
    }
    if data.t[0] < 0.0 || data.t.iter().any(|t| !t.is_finite()) {
        return wrong(format!("times begin at t = 0, the first is {} s", data.t[0]));
    }
    Ok(())
}
