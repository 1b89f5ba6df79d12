//! Which solver, from where, and how often.
//!
//! | goal | good start | poor start, or `global` |
//! | --- | --- | --- |
//! | residuals | least squares | least squares from the best and unlike ones of random points, the promising half goes on; again and again |
//! | a number | SQP | evolution, then SQP, again and again |
//!
//! A start is poor if the mechanism cannot be assembled there. It is then closed first, by least squares of what stays open.

use crate::problem::{Problem, Values};
use crate::solver::{Descent, Evolution, LeastSquares, Probe, Record, Solver, Spent, Sqp};
use crate::{Error, Limit, Study, limits};
use linkwork::model::Goal;
use linkwork_sweep::uniform;

/// Which solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// As the goal and the start demand.
    #[default]
    Auto,
    /// Trust-region least squares; for residuals.
    LeastSquares,
    /// Sequential quadratic programming.
    Sqp,
    /// Covariance matrix adaptation.
    Evolution,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 4] = [Method::Auto, Method::LeastSquares, Method::Sqp, Method::Evolution];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::LeastSquares => "least-squares",
            Method::Sqp => "sqp",
            Method::Evolution => "evolution",
        }
    }
}

impl std::str::FromStr for Method {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Method::ALL.map(Method::name).join(", ");
        Method::ALL
            .into_iter()
            .find(|method| method.name() == text)
            .ok_or_else(|| format!("`{text}` is no method: {}", names()))
    }
}

/// How it is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Which solver.
    pub method: Method,
    /// Evaluations at most, those of differences included. Exact derivatives count as one.
    pub runs: u64,
    /// What random numbers begin with: the same seed, the same result.
    pub seed: u64,
    /// Searches the whole ranges from random points.
    pub global: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { method: Method::Auto, runs: 2000, seed: 1, global: false }
    }
}

/// An evaluation on the way.
#[derive(Clone, Debug)]
pub struct Step {
    /// How many evaluations there had been with this one.
    pub evaluation: u64,
    /// Who asked for it.
    pub solver: &'static str,
    /// The objective; not a number where there is none.
    pub objective: f64,
    /// By how much constraints are violated, in parts.
    pub violation: f64,
    /// By how much the mechanism stays open, in parts of its size.
    pub open: f64,
    /// Values of the variables, SI units.
    pub x: Vec<f64>,
}

/// A constraint at the result.
#[derive(Clone, Debug)]
pub struct ConstraintResult {
    /// Its name.
    pub name: String,
    /// As it was written.
    pub text: String,
    /// By how much its sides differ, in parts of their size; what is not above zero keeps an inequality.
    pub value: f64,
    /// Whether it holds.
    pub holds: bool,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// It converged, or it is the best of several searches.
    Converged,
    /// The evaluations are spent.
    Spent,
    /// Not all constraints can be kept.
    Violated,
    /// The mechanism cannot do what is asked, wherever it was tried.
    Impossible,
    /// Somebody wanted an end: [`Watch::stop`](crate::Watch::stop).
    Interrupted,
}

impl End {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            End::Converged => "converged",
            End::Spent => "spent",
            End::Violated => "violated",
            End::Impossible => "impossible",
            End::Interrupted => "interrupted",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Values of the variables, SI units.
    pub x: Vec<f64>,
    /// The objective there: the number to be minimised, or the sum of the squares of the residuals.
    pub objective: f64,
    /// The residuals there.
    pub residuals: Vec<f64>,
    /// The objective in the beginning; not a number if the mechanism could not do what is asked.
    pub first_objective: f64,
    /// Whether all constraints hold and the search ended by itself.
    pub success: bool,
    /// Why it ended.
    pub end: End,
    /// How it ended, in words.
    pub message: String,
    /// The solver that found it.
    pub solver: &'static str,
    /// Evaluations, those of differences included.
    pub evaluations: u64,
    /// The constraints.
    pub constraints: Vec<ConstraintResult>,
    /// What limits the result.
    pub limits: Vec<Limit>,
    /// How well the derivatives agree with differences of another step, as a part of them; not a number where there are none.
    pub gradient_check: f64,
    /// The derivative of the objective by each variable, SI units.
    pub gradient: Vec<f64>,
    /// How many directions of the variables change nothing; of least squares.
    pub undetermined: Option<usize>,
    /// The way.
    pub history: Vec<Step>,
}

/// Random points of a round, for each variable.
const POINTS: usize = 10;
/// Derivatives that a local search of a global one may take.
const LOCAL_STEPS: u64 = 120;
/// An objective of least squares below this part of that of random points is zero.
const ZERO: f64 = 1e-24;

/// Searches for the best values of the variables.
///
/// # Errors
/// A method that does not fit the goal.
pub fn optimize(study: &Study, options: &Options) -> Result<Optimum, Error> {
    let residuals = match &study.optimization().goal {
        None => {
            let why = "nothing says what is wanted: give `minimize`, or `residuals`";
            return Err(Error::wrong(format!("{}: [optimize]", study.file().name()), why));
        }
        Some(goal) => matches!(goal, Goal::Residuals(_)),
    };
    if options.method == Method::LeastSquares && !residuals {
        let why = "least squares needs `residuals`, and the file has `minimize`: use auto or sqp";
        return Err(Error::wrong("--method least-squares", why));
    }
    let probe = Probe::new(study, options.runs.max(1));
    probe.name("start");
    let start = study.scaled(&study.start());
    let first = probe.at(&start).unwrap_or_default();
    let global = options.global || options.method == Method::Evolution;
    if first.open > 0.0 && !global {
        close(study, &probe, &start);
    }
    let local: &dyn Solver = match options.method {
        Method::LeastSquares => &LeastSquares,
        Method::Auto | Method::Evolution if residuals => &LeastSquares,
        _ => &Sqp,
    };
    let closed = probe.best().filter(|(_, values)| values.open == 0.0 && values.objective.is_finite());
    let searches = match closed {
        Some((z, _)) if !global => {
            local.search(&probe, &z);
            1
        }
        _ if residuals && options.method != Method::Evolution => valleys(&probe, options),
        _ => rounds(&probe, options, local, residuals),
    };
    // the best of several searches is a result, however many more there might have been
    let spent = searches <= 1 && probe.left() < 2 * start.len() as u64;
    let Some((z, values)) = probe.best() else {
        if study.watch().is_stopped() {
            return Err(Error::wrong("optimize", "interrupted before the first evaluation"));
        }
        return Err(Error::wrong("--runs", "not even one evaluation is allowed"));
    };
    // what is said of the result is true of the mechanism itself, also where a linkage has stood in for it
    let values = if study.is_linkage() { study.by_mechanism(&z, true) } else { values };
    Ok(conclude(study, probe, &z, &values, first.objective, spent, searches))
}

/// Searches of a round of least squares, and derivatives that each may take before the better half of them goes on.
const STARTS: usize = 8;
const TRIAL_STEPS: u64 = 6;
/// A search whose objective is above this part of what it was so many steps before waits.
const CRAWLING: f64 = 0.3;
/// This part of the evaluations is for the best search to come to its end.
const FOR_THE_END: u64 = 5;
/// Starts of a round are further apart than this part of the diagonal of the ranges.
const UNLIKE: f64 = 0.1;

/// Least squares from random points until the evaluations are spent, or a zero is found; how many searches there were.
fn valleys(probe: &Probe<'_>, options: &Options) -> usize {
    let (mut searches, mut typical, mut best) = (0, 0.0, None);
    probe.rough(true);
    let is_zero = |typical: f64| {
        probe.best().is_some_and(|(_, now)| now.is_feasible() && now.objective <= ZERO * typical)
    };
    probe.limited(probe.left() - probe.left() / FOR_THE_END, |probe| {
        for round in 0_u64.. {
            match valley(probe, options.seed, round, &mut typical, &mut best) {
                Ok(found) => searches += found,
                Err(Spent) => break,
            }
            if is_zero(typical) {
                break;
            }
        }
    });
    if let Some(best) = best.as_mut().filter(|_| !is_zero(typical)) {
        // what it finds is in the probe, also where its evaluations are spent
        let _: Result<(), Spent> = best.advance(probe, u64::MAX);
    }
    probe.rough(false);
    searches
}

/// One round of them. `typical` is the objective of random points, at most; `last` the best search of all rounds.
fn valley(
    probe: &Probe<'_>,
    seed: u64,
    round: u64,
    typical: &mut f64,
    last: &mut Option<Descent>,
) -> Result<usize, Spent> {
    let n = probe.problem.variables();
    let count = ((POINTS * n) as u64).min(probe.left());
    if count == 0 {
        return Err(Spent);
    }
    probe.name("random");
    let drawn = round * (POINTS * n) as u64;
    let point = |k: u64| (0..n as u64).map(|i| uniform(seed, i, drawn + k)).collect();
    let points: Vec<Vec<f64>> = (0..count).map(point).collect();
    let mut found: Vec<(Vec<f64>, Values)> = points.iter().cloned().zip(probe.screen(&points)?).collect();
    found.retain(|(_, values)| values.open == 0.0 && values.objective.is_finite());
    if found.is_empty() {
        // one that does not close is closed
        let most = TRIAL_STEPS * (2 * n as u64 + 1);
        probe.at(&points[0])?;
        probe.limited(most, |probe| close(probe.problem, probe, &points[0]));
        let closed = probe.best().filter(|(_, values)| values.open == 0.0 && values.objective.is_finite());
        found.extend(closed);
    }
    let objectives = found.iter().map(|(_, values)| values.objective);
    *typical = objectives.fold(*typical, f64::max);
    let cost = |values: &Values| match values.is_feasible() {
        true => values.objective,
        false => values.objective + *typical * values.violation(),
    };
    found.sort_by(|a, b| cost(&a.1).total_cmp(&cost(&b.1)));
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let mut list: Vec<Descent> = Vec::new();
    for (z, values) in found {
        if list.len() < STARTS && list.iter().all(|one| apart(&one.z, &z) > UNLIKE * (n as f64).sqrt()) {
            list.extend(Descent::new(&z, values));
        }
    }
    probe.name(LeastSquares.name());
    let searches = list.len();
    while list.len() > 1 {
        for one in &mut list {
            one.advance(probe, TRIAL_STEPS * (n as u64 + 2))?;
        }
        list.sort_by(|a, b| cost(&a.values).total_cmp(&cost(&b.values)));
        list.truncate(list.len().div_ceil(2));
    }
    if let Some(one) = list.first_mut() {
        // zeros are reached in a few steps; what crawls can wait until nothing better is found
        let mut before = f64::INFINITY;
        while !one.ended && cost(&one.values) < CRAWLING * before {
            before = cost(&one.values);
            one.advance(probe, TRIAL_STEPS * (2 * n as u64 + 2))?;
        }
        if last.as_ref().is_none_or(|last| cost(&one.values) < cost(&last.values)) {
            *last = list.pop();
        }
    }
    Ok(searches)
}

/// Random points, the best of them improved, until the evaluations are spent; how many searches there were.
fn rounds(probe: &Probe<'_>, options: &Options, local: &dyn Solver, residuals: bool) -> usize {
    let n = probe.problem.variables();
    let mut best = f64::INFINITY;
    let mut drawn = 0;
    let mut typical = 0.0_f64;
    let mut searches = 0;
    for round in 0_u64.. {
        probe.name("random");
        let count = (POINTS * n).min(probe.left() as usize);
        if count == 0 {
            return searches;
        }
        let points: Vec<Vec<f64>> = (0..count as u64)
            .map(|k| (0..n as u64).map(|i| uniform(options.seed, i, drawn + k)).collect())
            .collect();
        drawn += count as u64;
        let Ok(values) = probe.all(&points) else { return searches };
        typical = values.iter().map(|v| v.objective).filter(|f| f.is_finite()).fold(typical, f64::max);
        let Some(k) = (0..count).reduce(|a, b| if values[b].beats(&values[a]) { b } else { a }) else {
            return searches;
        };
        let mut from = points[k].clone();
        let most = LOCAL_STEPS * (2 * n as u64 + 1);
        if values[k].open > 0.0 {
            probe.limited(most / 4, |probe| close(probe.problem, probe, &from));
            match probe.best() {
                Some((z, values)) if values.open == 0.0 => from = z,
                _ => continue,
            }
        }
        if !residuals || options.method == Method::Evolution {
            let evolution = Evolution { seed: options.seed.wrapping_add(round), width: 0.3 };
            probe.limited(most.max(probe.left() / 3), |probe| evolution.search(probe, &from));
            if let Some((z, _)) = probe.best() {
                from = z;
            }
        }
        probe.limited(most, |probe| local.search(probe, &from));
        searches += 1;
        let Some((_, now)) = probe.best() else { return searches };
        let gained = now.objective < best - 1e-9 * best.abs() || best.is_infinite();
        best = best.min(now.objective);
        if residuals && now.is_feasible() && now.objective <= ZERO * typical {
            return searches;
        }
        // a number has been searched as a whole each time
        if !residuals && !gained && round > 1 {
            return searches;
        }
    }
    searches
}

/// What stays open, as a residual.
struct Open<'p>(&'p dyn Problem);

impl Problem for Open<'_> {
    fn variables(&self) -> usize {
        self.0.variables()
    }
    fn step(&self) -> f64 {
        self.0.step()
    }
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
    fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Values> {
        let of = |values: Values| {
            let open = values.open;
            Values { objective: open * open, residuals: vec![open], ..Values::default() }
        };
        self.0.evaluate(points).into_iter().map(of).collect()
    }
}

/// Goes to where the mechanism can be assembled, if least squares of what stays open lead there.
fn close(problem: &dyn Problem, probe: &Probe<'_>, from: &[f64]) {
    let open = Open(problem);
    let inner = Probe::new(&open, probe.left() / 2);
    LeastSquares.search(&inner, from);
    probe.name("assembly");
    probe.count(inner.evaluations());
    if let Some((z, _)) = inner.best() {
        let _ = probe.at(&z);
        // a little further: on the edge the mechanism closes from one side only
        let beyond: Vec<f64> =
            z.iter().zip(from).map(|(z, f)| (z + 0.05 * (z - f)).clamp(0.0, 1.0)).collect();
        let _ = probe.at(&beyond);
    }
}

fn conclude(
    study: &Study,
    probe: Probe<'_>,
    z: &[f64],
    values: &Values,
    first_objective: f64,
    spent: bool,
    searches: usize,
) -> Optimum {
    let evaluations = probe.evaluations();
    // derivatives are not known if an end was wanted
    let mut found = limits::at(study, z, values);
    let interrupted = study.watch().is_stopped();
    if interrupted {
        let unknown = vec![f64::NAN; z.len()];
        found = limits::Found { check: f64::NAN, gradient: unknown, ..limits::Found::default() };
    }
    let records = probe.into_records();
    let solver = records.iter().rev().find(|record| record.z == z).map_or("start", |record| record.solver);
    let feasible = values.is_feasible();
    let end = match (&values.why, feasible, spent) {
        _ if interrupted => End::Interrupted,
        (Some(_), ..) => End::Impossible,
        (None, false, _) => End::Violated,
        (None, true, true) => End::Spent,
        (None, true, false) => End::Converged,
    };
    let message = match end {
        End::Interrupted if feasible => "interrupted: this is the best so far".to_owned(),
        End::Interrupted => "interrupted before the constraints could be kept".to_owned(),
        End::Impossible => format!(
            "no values of the variables were found with which the mechanism can do what is asked: {}",
            values.why.as_deref().unwrap_or_default()
        ),
        End::Violated => format!(
            "not all constraints can be kept: the best point violates them by {:.1e}",
            values.violation()
        ),
        End::Spent => "the evaluations are spent: --runs allows more".to_owned(),
        End::Converged if searches > 1 => format!("the best of {searches} searches"),
        End::Converged => "the search has converged".to_owned(),
    };
    let (mut inequalities, mut equalities) = (values.inequalities.iter(), values.equalities.iter());
    let constraints = study.optimization().constraints.iter().map(|constraint| {
        let is_equal = constraint.relation == linkwork::model::Relation::Equal;
        let value = if is_equal { equalities.next() } else { inequalities.next() };
        let value = value.copied().unwrap_or(f64::NAN);
        let off = if is_equal { value.abs() } else { value };
        ConstraintResult {
            name: constraint.name.clone(),
            text: constraint.text.clone(),
            value,
            holds: off <= crate::problem::KEPT,
        }
    });
    Optimum {
        x: study.point(z),
        objective: values.objective,
        residuals: values.residuals.clone(),
        first_objective,
        success: end == End::Converged,
        end,
        message,
        solver,
        evaluations,
        constraints: constraints.collect(),
        limits: found.limits,
        gradient_check: found.check,
        gradient: found.gradient,
        undetermined: found.undetermined,
        history: records.iter().map(|record| step(study, record)).collect(),
    }
}

fn step(study: &Study, record: &Record) -> Step {
    Step {
        evaluation: record.evaluations,
        solver: record.solver,
        objective: record.values.objective,
        violation: record.values.violation(),
        open: record.values.open,
        x: study.point(&record.z),
    }
}
