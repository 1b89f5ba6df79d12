//! A model file with what its section `[optimize]` says: numbers for values of the variables.

use crate::Error;
use crate::extreme::largest;
use crate::follow::{self, Point};
use crate::motion::{Failed, Moving, Samples, along_drivers, assembled, samples, with_measures};
use crate::problem::{Derivatives, Problem, Values};
use crate::sketch::Sketch;
use crate::watch::Watch;
use linkwork::model::{
    DesignRange, Fault, Faults, Following, Formula, Goal, Model, ModelFile, Optimization, Over, Part,
    Provenance, Reduced, Reduction, Relation, Residual, Variable, WantedPath,
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
    /// The mechanism as a linkage that need not be compiled, where it is one.
    sketch: Option<Sketch>,
    pub(crate) watch: Watch,
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
#[derive(Debug)]
pub(crate) enum Planned {
    Reduced(Reduction, usize),
    Path(Point, usize, bool),
}

/// What is computed, and from which quantities.
#[derive(Debug)]
pub(crate) struct Plan {
    pub quantities: Vec<Formula>,
    pub goal: Vec<(Option<Reduced>, Vec<Planned>)>,
    pub constraints: Vec<[Vec<Planned>; 2]>,
}

impl Plan {
    pub fn new(optimization: &Optimization, columns: usize) -> Result<Self, Failed> {
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
            Some(Goal::Minimize(reduced)) => goal.push((Some(reduced.clone()), parts(reduced, &mut add)?)),
            Some(Goal::Residuals(list)) => {
                for residual in list {
                    goal.push(match residual {
                        Residual::Number(reduced) => (Some(reduced.clone()), parts(reduced, &mut add)?),
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
pub(crate) struct Motion<'m> {
    pub samples: Samples,
    pub moving: Option<&'m mut dyn Moving>,
    pub paths: &'m [(Vec<Vec<f64>>, Vec<f64>)],
    /// Where the parts of expressions have got their values, in the order in which they were computed.
    pub taken: Vec<Taken>,
}

/// Where a part of an expression has got its value.
pub(crate) enum Taken {
    /// A quantity at a time.
    At(f64),
    /// A point at the times of a path, with its differences from the places.
    Path(Vec<f64>, Vec<f64>),
    /// From all samples.
    Samples,
}

/// What is added to expressions, because variables stand in them as numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shifts {
    pub goal: Vec<f64>,
    pub constraints: Vec<[f64; 2]>,
}

/// The places and times of paths.
pub(crate) fn places(optimization: &Optimization, columns: usize) -> Vec<(Vec<Vec<f64>>, Vec<f64>)> {
    let of = |path: &WantedPath| {
        (path.points.iter().map(|point| point[..columns].to_vec()).collect(), path.at.clone())
    };
    optimization.paths.iter().map(of).collect()
}

impl Motion<'_> {
    /// A quantity at a time near a sample.
    fn ask(&mut self, k: usize, t: f64, place: usize) -> Option<f64> {
        let moving = self.moving.as_deref_mut()?;
        moving.return_to(k);
        let mut row = Vec::new();
        moving.go_to(t).then(|| moving.values_into(&mut row))?;
        Some(row[place])
    }

    fn off(&mut self, point: &Point, path: usize, free: bool) -> Vec<f64> {
        let (places, times) = &self.paths[path];
        let (off, when) = match self.moving.as_deref_mut() {
            Some(moving) if free => follow::free(point, places, &self.samples, moving),
            mut moving => {
                let ask = |k: usize, t: f64| {
                    let moving = moving.as_deref_mut()?;
                    moving.return_to(k);
                    let mut row = Vec::new();
                    moving.go_to(t).then(|| moving.values_into(&mut row))?;
                    Some(row)
                };
                (follow::timed(point, places, times, &self.samples, ask), times.clone())
            }
        };
        self.taken.push(Taken::Path(when, off.clone()));
        off
    }

    fn part(&mut self, part: &Planned) -> f64 {
        match part {
            Planned::Path(point, path, free) => self.off(point, *path, *free).iter().map(|d| d * d).sum(),
            Planned::Reduced(kind, place) => {
                let (taken, value) = self.reduced(*kind, *place);
                self.taken.push(taken);
                value
            }
        }
    }

    fn reduced(&mut self, kind: Reduction, place: usize) -> (Taken, f64) {
        let sign = match kind {
            Reduction::Max => 1.0,
            Reduction::Min => -1.0,
            Reduction::At(t) if self.moving.is_some() => {
                if let Some(value) = self.ask(self.nearest(t), t, place) {
                    return (Taken::At(t), value);
                }
                return (Taken::Samples, reduced(kind, &self.samples.t, &self.samples.values[place]));
            }
            _ => {
                let value = reduced(kind, &self.samples.t, &self.samples.values[place]);
                let end = self.samples.t.last().copied().filter(|_| kind == Reduction::Final);
                return (end.map_or(Taken::Samples, Taken::At), value);
            }
        };
        let t = self.samples.t.clone();
        let x: Vec<f64> = self.samples.values[place].iter().map(|x| sign * x).collect();
        if self.moving.is_none() {
            return (Taken::Samples, sign * largest(&t, &x, None).1);
        }
        let mut ask = |k: usize, t: f64| self.ask(k, t, place).map(|x| sign * x);
        let (at, top) = largest(&t, &x, Some(&mut ask));
        (Taken::At(at), sign * top)
    }

    fn nearest(&self, t: f64) -> usize {
        let after = self.samples.t.partition_point(|s| *s < t);
        after.saturating_sub(1).min(self.samples.t.len() - 1)
    }

    fn whole(&mut self, of: &Reduced, parts: &[Planned], shift: f64) -> f64 {
        let values: Vec<f64> = parts.iter().map(|part| self.part(part)).collect();
        of.formula.eval(&values, &mut Vec::new()) + shift
    }

    /// The sides of the constraints.
    fn sides(&mut self, optimization: &Optimization, plan: &Plan, shifts: &Shifts) -> Vec<[f64; 2]> {
        let mut out = Vec::with_capacity(plan.constraints.len());
        for (i, (constraint, [left, right])) in
            optimization.constraints.iter().zip(&plan.constraints).enumerate()
        {
            let [of_left, of_right] = shifts.constraints.get(i).copied().unwrap_or_default();
            out.push([
                self.whole(&constraint.left, left, of_left),
                self.whole(&constraint.right, right, of_right),
            ]);
        }
        out
    }

    /// All numbers of a problem, with constraints measured in their scales.
    pub fn numbers(
        &mut self,
        optimization: &Optimization,
        plan: &Plan,
        shifts: &Shifts,
        scales: &[f64],
    ) -> Values {
        let mut values = Values::default();
        let sides = self.sides(optimization, plan, shifts);
        for ((constraint, [left, right]), scale) in optimization.constraints.iter().zip(sides).zip(scales) {
            let off = (left - right) / scale;
            match constraint.relation {
                Relation::AtMost => values.inequalities.push(off),
                Relation::AtLeast => values.inequalities.push(-off),
                Relation::Equal => values.equalities.push(off),
            }
        }
        for (i, (of, parts)) in plan.goal.iter().enumerate() {
            let shift = shifts.goal.get(i).copied().unwrap_or(0.0);
            match (of, &parts[..]) {
                (Some(of), _) => values.residuals.push(self.whole(of, parts, shift)),
                (None, [Planned::Path(point, path, free)]) => {
                    values.residuals.extend(self.off(point, *path, *free));
                }
                (None, [Planned::Reduced(_, place)]) => {
                    values.residuals.extend(&self.samples.values[*place]);
                }
                (None, _) => {}
            }
        }
        values.objective = match optimization.goal {
            Some(Goal::Residuals(_)) => values.residuals.iter().map(|r| r * r).sum(),
            _ => values.residuals.pop().unwrap_or(f64::NAN),
        };
        values
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
        let mut study = Study {
            file,
            optimization,
            variables,
            lower,
            upper,
            scales,
            jobs,
            sketch: None,
            watch: Watch::default(),
        };
        study.weigh()?;
        study.sketch = Sketch::new(&study);
        Ok(study)
    }

    /// Finds out what the constraints are measured in, and whether anything can be computed at all.
    fn weigh(&mut self) -> Result<(), Error> {
        let count = self.scales.len();
        let first = self.sides(&self.start(), true);
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
            found = self.sides(&self.point(&z), false).ok();
        }
        for (i, scale) in self.scales.iter_mut().enumerate() {
            let size = found.as_ref().map_or(1.0, |sides| sides[i][0].abs().max(sides[i][1].abs()));
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

    /// How far its searches are, and an end to them.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The text of the file with values in the place of its numbers; all else stays, comments too. What was given along with the file is not part of it.
    pub fn text_with(&self, x: &[f64]) -> String {
        self.file.text_with(&self.pairs(x))
    }

    pub(crate) fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Whether numbers come from a linkage that is not compiled: planar, of pins and slides, over kinematics. They then take microseconds, and their derivatives are exact.
    pub fn is_linkage(&self) -> bool {
        self.sketch.is_some()
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

    /// What is computed at values of the variables, from a mechanism that is compiled for them; of a motion that stops it is `measured` how far it stays open.
    fn compiled<T>(
        &self,
        x: &[f64],
        measured: bool,
        then: impl FnOnce(&Optimization, &Plan, Motion<'_>) -> T,
    ) -> Result<T, Failed> {
        let (model, optimization) = self.file.model_and_optimization(&self.pairs(x)).map_err(|faults| {
            Failed::new(1.0, faults.list.first().map_or_else(String::new, |fault| fault.message.clone()))
        })?;
        let Some(optimization) = optimization else { return Err(Failed::for_good("nothing to optimise")) };
        let columns = model.dimension.columns();
        let plan = Plan::new(&optimization, columns)?;
        let (model, own) = with_measures(model, &plan.quantities);
        let mechanism = assembled(&model)?;
        let paths = &places(&optimization, columns);
        let taken = Vec::new();
        if optimization.over == Over::Kinematics {
            let (samples, mut moving) = along_drivers(&mechanism, plan.quantities.len(), measured)?;
            return Ok(then(
                &optimization,
                &plan,
                Motion { samples, moving: Some(&mut moving), paths, taken },
            ));
        }
        let samples = samples(&mechanism, optimization.over, own)?;
        Ok(then(&optimization, &plan, Motion { samples, moving: None, paths, taken }))
    }

    /// The sides of the constraints; the goal must have a value, too.
    fn sides(&self, x: &[f64], measured: bool) -> Result<Vec<[f64; 2]>, Failed> {
        let none = Shifts::default();
        self.compiled(x, measured, |optimization, plan, mut motion| {
            let sides = motion.sides(optimization, plan, &none);
            motion.numbers(optimization, plan, &none, &self.scales);
            sides
        })
    }

    /// All numbers in parts of the ranges, from a mechanism that is compiled for them.
    pub(crate) fn by_mechanism(&self, z: &[f64], measured: bool) -> Values {
        let numbers = |optimization: &Optimization, plan: &Plan, mut motion: Motion<'_>| {
            motion.numbers(optimization, plan, &Shifts::default(), &self.scales)
        };
        self.compiled(&self.point(z), measured, numbers).unwrap_or_else(|failed| Values {
            objective: f64::NAN,
            open: failed.open,
            why: Some(failed.why),
            ..Values::default()
        })
    }

    /// All numbers in parts of the ranges; of a motion that stops it is `measured` how far it stays open.
    pub(crate) fn values(&self, z: &[f64], measured: bool) -> Values {
        match self.sketch.as_ref().map(|sketch| sketch.values(z, &self.scales)) {
            Some(Some(values)) => values,
            Some(None) if !measured => Values {
                objective: f64::NAN,
                open: 1.0,
                why: Some("the motion stops".to_owned()),
                ..Values::default()
            },
            _ => self.by_mechanism(z, measured),
        }
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
        in_parallel(self.jobs, points, |z| self.watch.unless_stopped(|| self.values(z, true)))
    }

    fn screen(&self, points: &[Vec<f64>]) -> Vec<Values> {
        in_parallel(self.jobs, points, |z| self.watch.unless_stopped(|| self.values(z, false)))
    }

    fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }

    fn slopes(&self, z: &[f64]) -> Option<Derivatives> {
        let sketch = self.sketch.as_ref()?;
        self.watch.unless_stopped(|| sketch.slopes(z, &self.scales))
    }
}

/// The results of a function for all items, in their order, whoever computes them. A panic of one of them is that of all.
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
        let join = |handle: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match handle.join() {
            Ok(mine) => mine,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().flat_map(join).collect()
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
            if variable.span.start >= file.text().len() {
                let message = format!(
                    "`{}` was given along with the file: what is found has no place in it",
                    variable.name
                );
                refuse(message, "write its value into the file");
                continue;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn study(text: &str) -> Study {
        Study::new(ModelFile::parse("model.toml", text).unwrap(), 1).unwrap()
    }

    /// Linkages that give the numbers of compiled mechanisms, or they would not be there. Their derivatives are those of differences: pins, slides, parameters, reductions, given and free timing.
    #[test]
    fn cross_linkages_and_mechanisms() {
        let slider = r#"format = 1
parameters = { r = "30 mm", l = "120 mm" }
points = { O = [0, 0], A = ["r", 0], B = ["r + l", 0.01] }
bodies.ground = { points = ["O"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1 }
bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0.1] }
drivers.motor = { joint = "O", value = "2 * pi * t" }
measures.lift = "point.B.x - l"
simulation = { duration = 1, output_step = 0.02 }
[optimize]
over = "kinematics"
residuals = ["max(lift) - min(joint.guide.q) + r", "distance(O, B) - 0.1 * t", "path(B, way)", "at(0.3, joint.A.q * body.rod.angle)"]
variables = { r = { from = 0.01, to = 0.06 }, l = { from = 0.1, to = 0.3 }, "B.y" = { within = 0.01 } }
constraints = { slim = "l >= 3 * r", near = "max(distance(O, B)) <= 0.2", at_end = "final(point.A.x) == r + 0.01" }
paths.way = { points = [[0.12, 0], [0.1, 0.01]], at = [0.1, 0.55] }
"#;
        for (text, zs) in [
            (include_str!("../tests/data/path-free.toml"), None),
            (include_str!("../tests/data/path-timed.toml"), None),
            (slider, Some(vec![0.5, 0.3, 0.6])),
        ] {
            let study = study(text);
            assert!(study.sketch.is_some(), "{text}");
            let z = zs.unwrap_or_else(|| study.scaled(&study.start()));
            let exact = Problem::slopes(&study, &z).unwrap();
            let here = study.values(&z, false);
            let points = crate::problem::neighbours(&z, 1e-6);
            let around: Vec<Values> = points.iter().map(|z| study.values(z, false)).collect();
            let found = crate::problem::differences(&z, &here, &points, &around);
            let rows = |d: &Derivatives| {
                let lists = [&d.residuals, &d.inequalities, &d.equalities];
                lists.into_iter().flatten().chain([&d.objective]).cloned().collect::<Vec<Vec<f64>>>()
            };
            assert_eq!(rows(&exact).len(), rows(&found).len());
            for (k, (a, b)) in rows(&exact).iter().zip(rows(&found)).enumerate() {
                let size = a.iter().chain(&b).fold(1e-3, |m: f64, x| m.max(x.abs()));
                for (a, b) in a.iter().zip(&b) {
                    // differences of 1e-6 have lost half of the digits
                    assert!((a - b).abs() < 1e-5 * size, "row {k}: {a} {b}\n{text}");
                }
            }
        }
    }
}
