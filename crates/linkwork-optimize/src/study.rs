//! A model file with what its section `[optimize]` says: numbers for values of the variables.

use crate::Error;
use crate::extreme::largest;
use crate::follow::{self, Point};
use crate::motion::{Failed, Samples, along_drivers, assembled, samples, with_measures};
use crate::problem::{Problem, Values};
use linkwork::analysis::Kinematics;
use linkwork::model::{
    DesignRange, Fault, Faults, Following, Formula, Goal, Model, ModelFile, Optimization, Over, Part,
    Provenance, Reduced, Reduction, Relation, Residual, Variable,
};
use linkwork_sweep::{reduced, uniform};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Differences go so far, in parts of the ranges: what positions give is exact to rounding, what runs give to their tolerance.
const FINE: f64 = 1e-5;
const COARSE: f64 = 3e-4;
/// So many random points are tried for one where the mechanism can be assembled.
const TRIED: u64 = 100;
/// Streams of random numbers.
const OF_SCALES: u64 = 1 << 40;

/// A model file, its variables and what is wanted of it.
#[derive(Debug)]
pub struct Study {
    file: ModelFile,
    optimization: Optimization,
    variables: Vec<Variable>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// What each constraint is measured in.
    scales: Vec<f64>,
    pub(crate) jobs: usize,
}

/// Something that is shown before and after: samples of a quantity, or the way of a point.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What it is.
    pub name: String,
    /// What it is drawn over: times, s, or the first coordinate of a point, m.
    pub x: Vec<f64>,
    /// Its values, SI units.
    pub y: Vec<f64>,
    /// Whether it is the way of a point.
    pub is_path: bool,
    /// The places that are wanted.
    pub wanted: Vec<[f64; 2]>,
}

/// A part of an expression, with the places of its quantities.
enum Planned {
    Reduced(Reduction, usize),
    Path(Point, usize, bool),
}

/// What is computed, and from which quantities.
struct Plan<'o> {
    quantities: Vec<Formula>,
    goal: Vec<(Option<&'o Reduced>, Vec<Planned>)>,
    constraints: Vec<[Vec<Planned>; 2]>,
}

impl<'o> Plan<'o> {
    fn new(optimization: &'o Optimization, columns: usize) -> Result<Self, Failed> {
        let mut quantities: Vec<Formula> = Vec::new();
        let mut add = |formula: &Formula| {
            quantities.push(formula.clone());
            quantities.len() - 1
        };
        let following = |of: &Following, add: &mut dyn FnMut(&Formula) -> usize| -> Result<Planned, Failed> {
            let mut first = None;
            for axis in ["x", "y", "z"].iter().take(columns) {
                let formula = Formula::parse(&format!("point.`{}`.{axis}", of.point))
                    .map_err(|error| Failed::for_good(error.to_string()))?;
                let place = add(&formula);
                first.get_or_insert(place);
            }
            Ok(Planned::Path(Point { first: first.unwrap_or(0), columns }, of.path, of.free))
        };
        let parts =
            |reduced: &Reduced, add: &mut dyn FnMut(&Formula) -> usize| -> Result<Vec<Planned>, Failed> {
                reduced
                    .parts
                    .iter()
                    .map(|part| match part {
                        Part::Reduced(kind, formula) => Ok(Planned::Reduced(*kind, add(formula))),
                        Part::Path(of) => following(of, add),
                    })
                    .collect()
            };
        let mut goal = Vec::new();
        match &optimization.goal {
            None => {}
            Some(Goal::Minimize(reduced)) => goal.push((Some(reduced), parts(reduced, &mut add)?)),
            Some(Goal::Residuals(list)) => {
                for residual in list {
                    goal.push(match residual {
                        Residual::Number(reduced) => (Some(reduced), parts(reduced, &mut add)?),
                        // the kind says nothing: every sample is taken
                        Residual::Samples(formula) => {
                            (None, vec![Planned::Reduced(Reduction::Final, add(formula))])
                        }
                        Residual::Path(of) => {
                            let alone = Reduced {
                                text: String::new(),
                                formula: Formula::constant(0.0),
                                parts: vec![Part::Path(of.clone())],
                            };
                            (None, parts(&alone, &mut add)?)
                        }
                    });
                }
            }
        }
        let mut constraints = Vec::new();
        for constraint in &optimization.constraints {
            constraints.push([parts(&constraint.left, &mut add)?, parts(&constraint.right, &mut add)?]);
        }
        Ok(Plan { quantities, goal, constraints })
    }
}

/// The samples of one evaluation, and a motion that can be asked for more.
struct Motion<'m> {
    samples: Samples,
    kinematics: Option<Kinematics<'m>>,
    paths: Vec<(Vec<Vec<f64>>, Vec<f64>)>,
}

impl Motion<'_> {
    /// All quantities at a time near a sample.
    fn ask(&mut self, k: usize, t: f64) -> Option<Vec<f64>> {
        let motion = self.kinematics.as_mut()?;
        motion.return_to(&self.samples.instants[k]);
        motion.go_to(t).ok()?;
        let mut row = Vec::new();
        motion.values_into(&mut row);
        Some(row)
    }

    fn off(&mut self, point: &Point, path: usize, free: bool) -> Vec<f64> {
        let (places, times) = self.paths[path].clone();
        if free && let Some(motion) = &mut self.kinematics {
            return follow::free(point, &places, &self.samples, motion);
        }
        let samples = std::mem::take(&mut self.samples);
        let instants = &samples.instants;
        let kinematics = &mut self.kinematics;
        let ask = |k: usize, t: f64| {
            let motion = kinematics.as_mut()?;
            motion.return_to(&instants[k]);
            motion.go_to(t).ok()?;
            let mut row = Vec::new();
            motion.values_into(&mut row);
            Some(row)
        };
        let off = follow::timed(point, &places, &times, &samples, ask);
        self.samples = samples;
        off
    }

    fn part(&mut self, part: &Planned) -> f64 {
        match part {
            Planned::Path(point, path, free) => self.off(point, *path, *free).iter().map(|d| d * d).sum(),
            Planned::Reduced(kind, place) => self.reduced(*kind, *place),
        }
    }

    fn reduced(&mut self, kind: Reduction, place: usize) -> f64 {
        let sign = match kind {
            Reduction::Max => 1.0,
            Reduction::Min => -1.0,
            _ => {
                if let Reduction::At(t) = kind
                    && let Some(row) =
                        self.kinematics.is_some().then(|| self.nearest(t)).and_then(|k| self.ask(k, t))
                {
                    return row[place];
                }
                return reduced(kind, &self.samples.t, &self.samples.values[place]);
            }
        };
        let t = self.samples.t.clone();
        let x: Vec<f64> = self.samples.values[place].iter().map(|x| sign * x).collect();
        if self.kinematics.is_none() {
            return sign * largest(&t, &x, None);
        }
        let mut ask = |k: usize, t: f64| self.ask(k, t).map(|row| sign * row[place]);
        sign * largest(&t, &x, Some(&mut ask))
    }

    fn nearest(&self, t: f64) -> usize {
        let after = self.samples.t.partition_point(|s| *s < t);
        after.saturating_sub(1).min(self.samples.t.len() - 1)
    }

    fn whole(&mut self, of: &Reduced, parts: &[Planned]) -> f64 {
        let values: Vec<f64> = parts.iter().map(|part| self.part(part)).collect();
        of.formula.eval(&values, &mut Vec::new())
    }
}

impl Study {
    /// A study of a file.
    ///
    /// # Errors
    /// A file without a section `[optimize]`, variables that it does not have, values that lie outside their ranges, and quantities that cannot be computed.
    pub fn new(file: ModelFile, jobs: usize) -> Result<Study, Error> {
        let (model, optimization) = file.model_and_optimization(&[])?;
        let Some(optimization) = optimization else {
            let why = "the file has no section [optimize], which says what may change and what for";
            return Err(Error::wrong(file.name(), why));
        };
        let (variables, lower, upper) = ranges(&file, &optimization, model.provenance.as_ref())?;
        let scales = vec![1.0; optimization.constraints.len()];
        let jobs = match jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let mut study = Study { file, optimization, variables, lower, upper, scales, jobs };
        study.weigh()?;
        Ok(study)
    }

    /// Finds out what the constraints are measured in, and whether anything can be computed at all.
    fn weigh(&mut self) -> Result<(), Error> {
        let count = self.scales.len();
        let first = self.compute(&self.start(), true, true);
        let mut found = match first {
            Err(failed) if !failed.curable => return Err(Error::wrong("optimize", failed.why)),
            Err(_) => None,
            Ok(sides) => Some(sides),
        };
        for k in 0..TRIED {
            if found.is_some() || count == 0 {
                break;
            }
            let z: Vec<f64> =
                (0..self.variables.len()).map(|i| uniform(0, OF_SCALES + i as u64, k)).collect();
            found = self.compute(&self.point(&z), true, false).ok();
        }
        for (i, scale) in self.scales.iter_mut().enumerate() {
            let size = found
                .as_ref()
                .map_or(1.0, |values| values.residuals[2 * i].abs().max(values.residuals[2 * i + 1].abs()));
            *scale = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        }
        Ok(())
    }

    /// The model file.
    pub fn file(&self) -> &ModelFile {
        &self.file
    }

    /// What is wanted.
    pub fn optimization(&self) -> &Optimization {
        &self.optimization
    }

    /// The variables: names, values in the file, units.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The least and largest value of each variable.
    pub fn bounds(&self) -> (&[f64], &[f64]) {
        (&self.lower, &self.upper)
    }

    /// The values that the file has.
    pub fn start(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.value).collect()
    }

    /// The file with values in the place of its numbers; all else stays, comments too.
    pub fn text_with(&self, x: &[f64]) -> String {
        self.file.text_with(&self.pairs(x))
    }

    /// A point in parts of the ranges.
    pub(crate) fn scaled(&self, x: &[f64]) -> Vec<f64> {
        let part = |i: usize| ((x[i] - self.lower[i]) / (self.upper[i] - self.lower[i])).clamp(0.0, 1.0);
        (0..x.len()).map(part).collect()
    }

    /// A point in SI units.
    pub(crate) fn point(&self, z: &[f64]) -> Vec<f64> {
        (0..z.len()).map(|i| self.lower[i] + z[i] * (self.upper[i] - self.lower[i])).collect()
    }

    pub(crate) fn pairs(&self, x: &[f64]) -> Vec<(&Variable, f64)> {
        self.variables.iter().zip(x.iter().copied()).collect()
    }

    /// The model at values of the variables.
    ///
    /// # Errors
    /// What is wrong with it there.
    pub fn model(&self, x: &[f64]) -> Result<Model, Faults> {
        self.file.model_with(&self.pairs(x))
    }

    /// All numbers at values of the variables; of a motion that stops it is `measured` how far it stays open. With `sides` those of the constraints, one after the other, as residuals.
    fn compute(&self, x: &[f64], sides: bool, measured: bool) -> Result<Values, Failed> {
        let (model, optimization) = self.file.model_and_optimization(&self.pairs(x)).map_err(|faults| {
            Failed::new(1.0, faults.list.first().map_or_else(String::new, |fault| fault.message.clone()))
        })?;
        let Some(optimization) = optimization else { return Err(Failed::for_good("nothing to optimise")) };
        let columns = model.dimension.columns();
        let plan = Plan::new(&optimization, columns)?;
        let (model, own) = with_measures(model, &plan.quantities);
        let mechanism = assembled(&model)?;
        let paths = optimization.paths.iter().map(|path| {
            let places = path.points.iter().map(|point| point[..columns].to_vec()).collect();
            (places, path.at.clone())
        });
        let paths = paths.collect();
        let mut motion = match optimization.over {
            Over::Kinematics => {
                let (samples, kinematics) = along_drivers(&mechanism, plan.quantities.len(), measured)?;
                Motion { samples, kinematics: Some(kinematics), paths }
            }
            over => Motion { samples: samples(&mechanism, over, own)?, kinematics: None, paths },
        };
        let mut values = Values::default();
        for (i, (constraint, [left, right])) in
            optimization.constraints.iter().zip(&plan.constraints).enumerate()
        {
            let (left, right) =
                (motion.whole(&constraint.left, left), motion.whole(&constraint.right, right));
            if sides {
                values.residuals.extend([left, right]);
                continue;
            }
            let off = (left - right) / self.scales[i];
            match constraint.relation {
                Relation::AtMost => values.inequalities.push(off),
                Relation::AtLeast => values.inequalities.push(-off),
                Relation::Equal => values.equalities.push(off),
            }
        }
        if sides {
            // what is wanted must be there, too
            if let Some((Some(of), parts)) = plan.goal.first() {
                values.objective = motion.whole(of, parts);
            }
            return Ok(values);
        }
        let several = matches!(optimization.goal, Some(Goal::Residuals(_)));
        for (of, parts) in &plan.goal {
            match (of, &parts[..]) {
                (Some(of), _) => values.residuals.push(motion.whole(of, parts)),
                (None, [Planned::Path(point, path, free)]) => {
                    values.residuals.extend(motion.off(point, *path, *free));
                }
                (None, [Planned::Reduced(_, place)]) => {
                    values.residuals.extend(&motion.samples.values[*place]);
                }
                (None, _) => {}
            }
        }
        match several {
            true => values.objective = values.residuals.iter().map(|r| r * r).sum(),
            false => values.objective = values.residuals.pop().unwrap_or(f64::NAN),
        }
        Ok(values)
    }

    pub(crate) fn values(&self, z: &[f64], measured: bool) -> Values {
        self.compute(&self.point(z), false, measured).unwrap_or_else(|failed| Values {
            objective: f64::NAN,
            open: failed.open,
            why: Some(failed.why),
            ..Values::default()
        })
    }

    /// The quantities behind the goal and the ways of points that follow paths, at values of the variables: what a report shows.
    pub fn shown(&self, x: &[f64]) -> Vec<Shown> {
        self.show(x).unwrap_or_default()
    }

    fn show(&self, x: &[f64]) -> Option<Vec<Shown>> {
        let (model, optimization) = self.file.model_and_optimization(&self.pairs(x)).ok()?;
        let optimization = optimization?;
        if optimization.over == Over::Equilibrium {
            return None;
        }
        let plan = Plan::new(&optimization, model.dimension.columns()).ok()?;
        let (model, own) = with_measures(model, &plan.quantities);
        let mechanism = assembled(&model).ok()?;
        let samples = samples(&mechanism, optimization.over, own).ok()?;
        let mut out: Vec<Shown> = Vec::new();
        let goals = plan.goal.iter().flat_map(|(_, parts)| parts);
        let limits = plan.constraints.iter().flatten().flatten();
        for part in goals.chain(limits) {
            let shown = match part {
                Planned::Reduced(_, place) => {
                    let name =
                        plan.quantities[*place].text().split_whitespace().collect::<Vec<_>>().join(" ");
                    let (x, y) = (samples.t.clone(), samples.values[*place].clone());
                    Shown { name, x, y, is_path: false, wanted: Vec::new() }
                }
                Planned::Path(point, path, _) => {
                    let path = &optimization.paths[*path];
                    let (x, y) =
                        (samples.values[point.first].clone(), samples.values[point.first + 1].clone());
                    let wanted = path.points.iter().map(|p| [p[0], p[1]]).collect();
                    Shown { name: path.name.clone(), x, y, is_path: true, wanted }
                }
            };
            if !out.iter().any(|known| known.name == shown.name) {
                out.push(shown);
            }
        }
        Some(out)
    }
}

impl Problem for Study {
    fn variables(&self) -> usize {
        self.variables.len()
    }

    fn step(&self) -> f64 {
        if self.optimization.over == Over::Run { COARSE } else { FINE }
    }

    fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Values> {
        in_parallel(self.jobs, points, |z| self.values(z, true))
    }

    fn screen(&self, points: &[Vec<f64>]) -> Vec<Values> {
        in_parallel(self.jobs, points, |z| self.values(z, false))
    }
}

/// The results of a function for all items, in their order, whoever computes them.
pub(crate) fn in_parallel<T: Sync, R: Send>(jobs: usize, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = jobs.min(items.len());
    if threads <= 1 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let mut found: Vec<(usize, R)> = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(i) else { return mine };
                mine.push((i, f(item)));
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    });
    found.sort_by_key(|(i, _)| *i);
    found.into_iter().map(|(_, result)| result).collect()
}

type Ranges = (Vec<Variable>, Vec<f64>, Vec<f64>);

/// The variables with their ranges; all faults at once, where they stand.
fn ranges(
    file: &ModelFile,
    optimization: &Optimization,
    provenance: Option<&Arc<Provenance>>,
) -> Result<Ranges, Error> {
    let known = file.variables()?;
    let (mut variables, mut lower, mut upper): Ranges = Default::default();
    let mut faults = Vec::new();
    for wanted in &optimization.variables {
        let name = match wanted.name.contains(['.', ' ']) {
            true => format!("\"{}\"", wanted.name),
            false => wanted.name.clone(),
        };
        let path = format!("optimize.variables.{name}");
        let list = match known.find(&wanted.name) {
            Ok(list) => list,
            Err(more) => {
                faults.extend(more.list.into_iter().map(|fault| Fault { path: path.clone(), ..fault }));
                continue;
            }
        };
        let mut refuse = |message: String, help: &str| faults.push(Fault::error(&path, message).help(help));
        for (i, variable) in list.iter().enumerate() {
            let x = variable.value;
            let (from, to) = match &wanted.range {
                DesignRange::Within(within) => (x - within, x + within),
                DesignRange::Between { from, to } => {
                    let most = from.len().max(to.len());
                    if most > 1 && most != list.len() {
                        let message =
                            format!("`{}` has {} numbers, its range has {most}", wanted.name, list.len());
                        refuse(message, "give one value for all, or as many");
                        break;
                    }
                    (from[i.min(from.len() - 1)], to[i.min(to.len() - 1)])
                }
            };
            if !(from <= x && x <= to) {
                let unit = &variable.unit;
                let message = format!(
                    "`{}` is {x} {unit} in the file, outside its range from {from} to {to}",
                    variable.name
                );
                refuse(message.replace("  ", " "), "begin inside: change the value or the range");
                continue;
            }
            if variables.iter().any(|known: &Variable| known.path == variable.path) {
                refuse(format!("`{}` is a variable twice", variable.name), "leave one of them out");
                continue;
            }
            variables.push((*variable).clone());
            lower.push(from);
            upper.push(to);
        }
    }
    match faults.is_empty() {
        true => Ok((variables, lower, upper)),
        false => Err(Faults { list: faults, provenance: provenance.cloned() }.into()),
    }
}
