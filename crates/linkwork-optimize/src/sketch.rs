//! A study of a planar linkage without compiling it again for every value of its variables.
//!
//! Over kinematics only the drawing counts. Where the mechanism is a [`Linkage`], the drawing depends on the variables like
//!
//! ```text
//!   (S1)  P(z) = P_0 + G z
//!   (S2)  f(z, readings) = f_0(readings) + s·z              expressions with parameters that are variables
//! ```
//!
//! and quantities are formulas of positions, all numbers come from the drawing in microseconds, with exact derivatives:
//!
//! ```text
//!   (S3)  dg/dz = Σ ∂f/∂r_i r_i,z + s                       readings by (L6)
//!   (S4)  max, min: at the time where they are taken        the envelope theorem
//!   (S5)  P'·r = 0:  dt/dz = −(P'_z·r + P'·P_z) / (P'·P' + P''·r),  dr/dz = P_z + P' dt/dz      free timing
//! ```
//!
//! Whether this is so is found out by trying: what a file says is decoded at several values of the variables, and the results are compared with those of compiled mechanisms. Where anything differs, mechanisms are compiled as ever.

use crate::linkage::{Linkage, Member, Row, Slope, Spot, Walk};
use crate::motion::{Moving, grid, sampled};
use crate::problem::{Derivatives, Values};
use crate::study::{Motion, Plan, Planned, Shifts, Study, Taken, places};
use linkwork::linalg::jet::Jet;
use linkwork::mechanism::MechanismJoint;
use linkwork::model::{
    Dimension, Driven, Formula, Goal, JointKind, JointReading, Model, Optimization, Over, PointFunction,
    PointReading, Reading, Readings, Reduced, Relation,
};
use linkwork::{Mechanism, model::BodyReading};
use linkwork_sweep::uniform;

/// Steps of (S1) and (S2), in parts of the ranges.
const STEP: f64 = 0.25;
/// Random points at which (S1) and (S2) must hold, and within which part of the largest number.
const TRIED: u64 = 4;
const LINEAR: f64 = 1e-10;
/// Random points at which results are compared; one in three lies anywhere, the others near the start.
const COMPARED: u64 = 24;
/// Parts of the ranges from the start that are near.
const NEARBY: f64 = 0.02;
/// Results are the same within this part of their size.
const SAME: f64 = 1e-8;
/// Residuals are the same within this part of their size: times of a path come from rates that compiled mechanisms do not know exactly. Their squares hardly change with them.
const TIMED: f64 = 1e-3;
/// Streams of random numbers.
const OF_CHECKS: u64 = 1 << 41;
/// P'_z and P'' are differences over this part of the motion.
const INSTANT: f64 = 1e-5;

/// A number that is linear in the variables.
#[derive(Clone, Debug, Default)]
struct Affine {
    at_zero: f64,
    by: Vec<f64>,
}

impl Affine {
    fn at(&self, z: &[f64]) -> f64 {
        self.by.iter().zip(z).fold(self.at_zero, |sum, (by, z)| sum + by * z)
    }
}

/// What a formula reads.
#[derive(Clone, Debug)]
enum Term {
    Time,
    Position(Spot, usize),
    Distance([Spot; 2]),
    Turn([Member; 2]),
    Path([Spot; 2], [f64; 2]),
    /// Another quantity, before this one.
    Quantity(usize),
}

#[derive(Debug)]
struct Quantity {
    formula: Formula,
    terms: Vec<Term>,
    shift: Affine,
}

#[derive(Debug)]
pub(crate) struct Sketch {
    linkage: Linkage,
    drawing: Vec<[Affine; 2]>,
    slopes: Vec<Slope>,
    optimization: Optimization,
    plan: Plan,
    quantities: Vec<Quantity>,
    /// Those that the plan asks for.
    wanted: Vec<usize>,
    goal_shifts: Vec<Affine>,
    side_shifts: Vec<[Affine; 2]>,
    times: Vec<f64>,
    paths: Vec<(Vec<Vec<f64>>, Vec<f64>)>,
    variables: usize,
}

/// A walk with its quantities.
struct Tour<'s> {
    sketch: &'s Sketch,
    walk: Walk<'s>,
    shifts: Vec<f64>,
    values: Vec<f64>,
    stack: Vec<f64>,
}

impl Term {
    fn value(&self, walk: &Walk<'_>, known: &[f64]) -> f64 {
        match self {
            Term::Time => walk.t(),
            Term::Position(spot, c) => walk.position(*spot)[*c],
            Term::Distance(spots) => {
                let [a, b] = spots.map(|spot| walk.position(spot));
                ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt()
            }
            Term::Turn([a, b]) => walk.angle(*b) - walk.angle(*a),
            Term::Path(spots, direction) => walk.path(*spots, *direction),
            Term::Quantity(i) => known[*i],
        }
    }

    /// (S3): its derivative for a change of z and of drawn points.
    fn slope(&self, walk: &Walk<'_>, z: &[f64], drawn: &[[f64; 2]], known: &[f64]) -> f64 {
        let of = |spot: Spot| walk.moved(spot, z, drawn[spot.1]);
        match self {
            Term::Time => 0.0,
            Term::Position(spot, c) => of(*spot)[*c],
            Term::Distance(spots) => {
                let ([a, b], [va, vb]) = (spots.map(|spot| walk.position(spot)), spots.map(of));
                let d = [b[0] - a[0], b[1] - a[1]];
                let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
                (d[0] * (vb[0] - va[0]) + d[1] * (vb[1] - va[1])) / length
            }
            Term::Turn(bodies) => {
                let [a, b] = bodies.map(|of| of.map_or(0.0, |b| z[3 * b + 2]));
                b - a
            }
            Term::Path([a, b], direction) => {
                let [d, turned] = walk.direction(a.0, *direction, z);
                let (from, to, vf, vt) = (walk.position(*a), walk.position(*b), of(*a), of(*b));
                let (p, q) = (drawn[a.1], drawn[b.1]);
                (0..2)
                    .map(|c| {
                        d[c] * (vt[c] - vf[c]) + turned[c] * (to[c] - from[c]) - direction[c] * (q[c] - p[c])
                    })
                    .sum()
            }
            Term::Quantity(i) => known[*i],
        }
    }
}

impl Tour<'_> {
    fn work_out(&mut self) {
        self.values.clear();
        let mut terms = Vec::new();
        for (quantity, shift) in self.sketch.quantities.iter().zip(&self.shifts) {
            terms.clear();
            terms.extend(quantity.terms.iter().map(|term| term.value(&self.walk, &self.values)));
            self.values.push(quantity.formula.eval(&terms, &mut self.stack) + shift);
        }
    }
}

impl Moving for Tour<'_> {
    fn go_to(&mut self, t: f64) -> bool {
        self.walk.go_to(t)
    }
    fn values_into(&mut self, out: &mut Vec<f64>) {
        self.work_out();
        out.clear();
        out.extend(self.sketch.wanted.iter().map(|i| self.values[*i]));
    }
    /// Of the coordinates of a point.
    fn rates(&mut self, first: usize, count: usize) -> Option<Vec<f64>> {
        let wanted = &self.sketch.wanted[first..first + count];
        let spots: Option<Vec<(Spot, usize)>> = wanted
            .iter()
            .map(|i| match self.sketch.quantities[*i].terms[..] {
                [Term::Position(spot, c)] => Some((spot, c)),
                _ => None,
            })
            .collect();
        let z = self.walk.rates()?;
        Some(spots?.into_iter().map(|(spot, c)| self.walk.moved(spot, &z, [0.0; 2])[c]).collect())
    }
    fn mark(&mut self) {
        self.walk.mark();
    }
    fn return_to(&mut self, mark: usize) {
        self.walk.return_to(mark);
    }
}

/// The derivatives of quantities at the time where a tour is.
struct Rows<'t, 's> {
    tour: &'t mut Tour<'s>,
    sensitivities: Vec<f64>,
    /// Drawn points for a unit of each variable.
    drawn: Vec<Vec<[f64; 2]>>,
    still: Vec<[f64; 2]>,
    at: Option<f64>,
    sound: bool,
}

impl Rows<'_, '_> {
    fn go_to(&mut self, t: f64) {
        if self.at == Some(t) {
            return;
        }
        let sketch = self.tour.sketch;
        let mark = sketch.times.partition_point(|s| *s <= t).saturating_sub(1);
        self.tour.walk.return_to(mark);
        self.sound &= self.tour.walk.go_to(t)
            && self.tour.walk.sensitivities(&sketch.slopes, sketch.variables, &mut self.sensitivities);
        self.tour.work_out();
        self.at = Some(t);
    }

    /// The derivatives of quantities that the plan asks for, with changes of z and of drawn points by a variable, or by the time.
    fn along<const N: usize>(
        &self,
        of: [usize; N],
        z: &[f64],
        drawn: &[[f64; 2]],
        variable: Option<usize>,
    ) -> [f64; N] {
        let (tour, sketch) = (&*self.tour, self.tour.sketch);
        let mut known = Vec::new();
        let (mut jets, mut stack): (Vec<Jet>, Vec<Jet>) = Default::default();
        let mut one = |i: usize, known: &[f64]| {
            let quantity = &sketch.quantities[i];
            jets.clear();
            jets.extend(quantity.terms.iter().map(|term| {
                let slope = match (term, variable) {
                    (Term::Time, None) => 1.0,
                    _ => term.slope(&tour.walk, z, drawn, known),
                };
                Jet::new(term.value(&tour.walk, &tour.values), slope, 0.0)
            }));
            let shift = variable.map_or(0.0, |x| quantity.shift.by[x]);
            quantity.formula.eval_jet(&jets, &mut stack).d + shift
        };
        // measures stand before what the plan asks for
        for i in 0..sketch.wanted.first().copied().unwrap_or(0) {
            let slope = one(i, &known);
            known.push(slope);
        }
        of.map(|place| one(sketch.wanted[place], &known))
    }

    /// (S3) at a time: for each variable the derivatives of quantities that the plan asks for.
    fn slopes<const N: usize>(&mut self, t: f64, of: [usize; N]) -> Vec<[f64; N]> {
        self.go_to(t);
        let n = 3 * self.tour.sketch.linkage.bodies;
        (0..self.tour.sketch.variables)
            .map(|x| self.along(of, &self.sensitivities[n * x..n * (x + 1)], &self.drawn[x], Some(x)))
            .collect()
    }

    /// The rates of quantities that the plan asks for.
    fn rates<const N: usize>(&mut self, t: f64, of: [usize; N]) -> [f64; N] {
        self.go_to(t);
        let rates = self.tour.walk.rates();
        match rates {
            Some(rates) => self.along(of, &rates, &self.still, None),
            None => {
                self.sound = false;
                [f64::NAN; N]
            }
        }
    }

    /// (S5): for each place its two differences, each with its derivatives.
    fn path(&mut self, first: usize, free: bool, times: &[f64], off: &[f64]) -> Vec<Vec<f64>> {
        let variables = self.tour.sketch.variables;
        let end = self.tour.sketch.times.last().copied().unwrap_or(0.0);
        let mut out = Vec::with_capacity(off.len());
        let of = [first, first + 1];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        for (t, r) in times.iter().zip(off.chunks(2)) {
            let r = [r[0], r[1]];
            let mut rows = [vec![0.0; variables], vec![0.0; variables]];
            for (x, [along_x, along_y]) in self.slopes(*t, of).into_iter().enumerate() {
                (rows[0][x], rows[1][x]) = (along_x, along_y);
            }
            let h = INSTANT * end;
            if free && *t > h && *t < end - h {
                let rate = self.rates(*t, of);
                let (less, slower) = (self.slopes(*t - h, of), self.rates(*t - h, of));
                let (more, faster) = (self.slopes(*t + h, of), self.rates(*t + h, of));
                let change = |a: [f64; 2], b: [f64; 2]| [0, 1].map(|c| (b[c] - a[c]) / (2.0 * h));
                let square = dot(rate, rate);
                let full = square + dot(change(slower, faster), r);
                let bends = full > 0.1 * square;
                for x in 0..variables {
                    let turned = if bends { dot(change(less[x], more[x]), r) } else { 0.0 };
                    let divisor = if bends { full } else { square };
                    let later = -(turned + dot(rate, [rows[0][x], rows[1][x]])) / divisor;
                    if later.is_finite() {
                        rows[0][x] += rate[0] * later;
                        rows[1][x] += rate[1] * later;
                    }
                }
            }
            out.extend(rows);
        }
        out
    }

    /// The derivatives of an expression, whose parts have been taken where `taken` says; nothing where one was made of all samples.
    fn whole(
        &mut self,
        of: &Reduced,
        parts: &[Planned],
        shift: &Affine,
        taken: &mut std::slice::Iter<'_, Taken>,
    ) -> Option<Vec<f64>> {
        let variables = self.tour.sketch.variables;
        let mut jets = Vec::with_capacity(parts.len());
        let mut rows = Vec::with_capacity(parts.len());
        for part in parts {
            match (part, taken.next()?) {
                (Planned::Path(point, _, free), Taken::Path(times, off)) => {
                    let slopes = self.path(point.first, *free, times, off);
                    let row = |x: usize| off.iter().zip(&slopes).map(|(r, row)| 2.0 * r * row[x]).sum();
                    rows.push((0..variables).map(row).collect::<Vec<f64>>());
                    jets.push(Jet::from(off.iter().map(|r| r * r).sum::<f64>()));
                }
                (Planned::Reduced(_, place), Taken::At(t)) => {
                    rows.push(self.slopes(*t, [*place]).into_iter().flatten().collect());
                    jets.push(Jet::from(self.tour.values[self.tour.sketch.wanted[*place]]));
                }
                _ => return None,
            }
        }
        let mut stack = Vec::new();
        let row = |x: usize| {
            jets.iter_mut().zip(&rows).for_each(|(jet, row)| jet.d = row[x]);
            of.formula.eval_jet(&jets, &mut stack).d + shift.by[x]
        };
        Some((0..variables).map(row).collect())
    }
}

impl Sketch {
    /// The sketch of a study, if its mechanism is a planar linkage that can be worked out like this, and the results are the same.
    pub fn new(study: &Study) -> Option<Sketch> {
        if study.optimization().over != Over::Kinematics {
            return None;
        }
        let sketch = built(study)?;
        sketch.agrees(study).then_some(sketch)
    }

    fn tour<'s>(&'s self, points: &'s [[f64; 2]], z: &[f64]) -> Option<Tour<'s>> {
        let first = self.times.first().copied().unwrap_or(0.0);
        let walk = self.linkage.walk(points, first)?;
        let shifts = self.quantities.iter().map(|quantity| quantity.shift.at(z)).collect();
        Some(Tour { sketch: self, walk, shifts, values: Vec::new(), stack: Vec::new() })
    }

    fn points(&self, z: &[f64]) -> Vec<[f64; 2]> {
        self.drawing.iter().map(|[x, y]| [x.at(z), y.at(z)]).collect()
    }

    fn shifts(&self, z: &[f64]) -> Shifts {
        Shifts {
            goal: self.goal_shifts.iter().map(|shift| shift.at(z)).collect(),
            constraints: self.side_shifts.iter().map(|both| [both[0].at(z), both[1].at(z)]).collect(),
        }
    }

    /// All numbers; `None` where the linkage does not close, or stops on its way.
    pub fn values(&self, z: &[f64], scales: &[f64]) -> Option<Values> {
        let points = self.points(z);
        let mut tour = self.tour(&points, z)?;
        let samples = sampled(&mut tour, &self.times, self.wanted.len()).ok()?;
        let mut motion = Motion { samples, moving: Some(&mut tour), paths: &self.paths, taken: Vec::new() };
        Some(motion.numbers(&self.optimization, &self.plan, &self.shifts(z), scales))
    }

    /// All derivatives; `None` where there are none, or a number is made of all samples.
    pub fn slopes(&self, z: &[f64], scales: &[f64]) -> Option<Derivatives> {
        let points = self.points(z);
        let mut tour = self.tour(&points, z)?;
        let samples = sampled(&mut tour, &self.times, self.wanted.len()).ok()?;
        let mut motion = Motion { samples, moving: Some(&mut tour), paths: &self.paths, taken: Vec::new() };
        let values = motion.numbers(&self.optimization, &self.plan, &self.shifts(z), scales);
        let taken = motion.taken;
        let mut taken = taken.iter();
        let drawn = (0..self.variables)
            .map(|x| self.drawing.iter().map(|[a, b]| [a.by[x], b.by[x]]).collect())
            .collect();
        let still = vec![[0.0; 2]; points.len()];
        let mut rows =
            Rows { tour: &mut tour, sensitivities: Vec::new(), drawn, still, at: None, sound: true };
        let mut out = Derivatives::default();
        let sides = self.optimization.constraints.iter().zip(&self.plan.constraints).zip(&self.side_shifts);
        for (((constraint, [left, right]), shifts), scale) in sides.zip(scales) {
            let left = rows.whole(&constraint.left, left, &shifts[0], &mut taken)?;
            let right = rows.whole(&constraint.right, right, &shifts[1], &mut taken)?;
            let sign = if constraint.relation == Relation::AtLeast { -1.0 } else { 1.0 };
            let row = left.iter().zip(&right).map(|(l, r)| sign * (l - r) / scale).collect();
            match constraint.relation {
                Relation::Equal => out.equalities.push(row),
                _ => out.inequalities.push(row),
            }
        }
        for ((of, parts), shift) in self.plan.goal.iter().zip(&self.goal_shifts) {
            match (of, &parts[..]) {
                (Some(of), _) => out.residuals.push(rows.whole(of, parts, shift, &mut taken)?),
                (None, [Planned::Path(point, _, free)]) => match taken.next()? {
                    Taken::Path(times, off) => {
                        out.residuals.extend(rows.path(point.first, *free, times, off));
                    }
                    _ => return None,
                },
                (None, [Planned::Reduced(_, place)]) => {
                    for t in &self.times {
                        out.residuals.push(rows.slopes(*t, [*place]).into_iter().flatten().collect());
                    }
                }
                (None, _) => {}
            }
        }
        out.objective = match self.optimization.goal {
            Some(Goal::Residuals(_)) => {
                let part = |x: usize| {
                    values.residuals.iter().zip(&out.residuals).map(|(r, row)| 2.0 * r * row[x]).sum()
                };
                (0..self.variables).map(part).collect()
            }
            _ => out.residuals.pop()?,
        };
        rows.sound.then_some(out)
    }

    /// Whether compiled mechanisms give the same results, near the start and elsewhere.
    fn agrees(&self, study: &Study) -> bool {
        let start = study.scaled(&study.start());
        let mut same = 0;
        for k in 0..COMPARED {
            let random = |i: usize| uniform(1, OF_CHECKS + i as u64, k);
            let z: Vec<f64> = match k {
                0 => start.clone(),
                k if k % 3 == 0 => (0..start.len()).map(random).collect(),
                _ => (0..start.len())
                    .map(|i| (start[i] + NEARBY * (2.0 * random(i) - 1.0)).clamp(0.0, 1.0))
                    .collect(),
            };
            let (ours, theirs) = (self.values(&z, study.scales()), study.by_mechanism(&z, false));
            match ours {
                None if theirs.open > 0.0 => {}
                Some(ours) if theirs.open == 0.0 => {
                    if !is_same(&ours, &theirs) {
                        return false;
                    }
                    same += 1;
                }
                _ => return false,
            }
        }
        same >= 3
    }
}

fn is_same(a: &Values, b: &Values) -> bool {
    let near = |a: &[f64], b: &[f64], part: f64| {
        let size = b.iter().fold(1e-3, |m: f64, x| m.max(x.abs()));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a - b).abs() <= part * size)
    };
    near(&[a.objective], &[b.objective], SAME)
        && near(&a.residuals, &b.residuals, TIMED)
        && near(&a.inequalities, &b.inequalities, SAME)
        && near(&a.equalities, &b.equalities, SAME)
}

/// What a file says at some values of the variables.
struct Said {
    model: Model,
    optimization: Optimization,
    plan: Plan,
}

fn said(study: &Study, z: &[f64]) -> Option<Said> {
    let (model, optimization) = study.file().model_and_optimization(&study.pairs(&study.point(z))).ok()?;
    let optimization = optimization?;
    let plan = Plan::new(&optimization, model.dimension.columns()).ok()?;
    Some(Said { model, optimization, plan })
}

/// The formulas that may be shifted, each with the number of its readings: measures, quantities, the goal, the sides of constraints.
fn formulas(said: &Said) -> Vec<&Formula> {
    let mut list: Vec<&Formula> = said.model.measures.iter().map(|measure| &measure.value).collect();
    list.extend(&said.plan.quantities);
    list.extend(said.plan.goal.iter().filter_map(|(of, _)| of.as_ref()).map(|of| &of.formula));
    list.extend(said.optimization.constraints.iter().flat_map(|c| [&c.left.formula, &c.right.formula]));
    list
}

/// Numbers that must be linear in the variables: the drawing, formulas at some readings. And numbers that must not change at all: formulas at other readings less those, drivers, times, places.
fn numbers(said: &Said) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut linear: Vec<f64> =
        said.model.points.iter().flat_map(|point| [point.position[0], point.position[1]]).collect();
    let mut fixed = vec![said.model.settings.duration, said.model.settings.output_step];
    let readings = Readings::new(&said.model);
    let mut stack = Vec::new();
    for (k, formula) in formulas(said).into_iter().enumerate() {
        // formulas of reductions refer to their parts; all others to readings, perhaps in tables
        let formula = match k < said.model.measures.len() + said.plan.quantities.len() {
            true => readings.resolve(formula, &[]).ok()?.0,
            false => formula.clone(),
        };
        let mut at = |seed: u64| {
            let values: Vec<f64> =
                (0..formula.references().len() as u64).map(|i| 0.5 + uniform(seed, i, 0)).collect();
            formula.eval(&values, &mut stack)
        };
        let first = at(1);
        linear.push(first);
        fixed.extend([2, 3, 4].map(|seed| at(seed) - first));
    }
    for driver in &said.model.drivers {
        let formula = &driver.value;
        fixed.extend([0.0, 0.37, 1.0].map(|part| {
            let t = part * said.model.settings.duration;
            formula.eval(&vec![t; formula.references().len()], &mut stack)
        }));
    }
    fixed.extend(
        said.optimization
            .paths
            .iter()
            .flat_map(|path| path.points.iter().flatten().chain(&path.at).copied().collect::<Vec<f64>>()),
    );
    Some((linear, fixed))
}

/// (S1), (S2)
fn linear(study: &Study, start: &[f64]) -> Option<Vec<Affine>> {
    let n = start.len();
    let at = |z: &[f64]| numbers(&said(study, z)?);
    let (base, fixed) = at(start)?;
    let mut list: Vec<Affine> = base.iter().map(|x| Affine { at_zero: *x, by: vec![0.0; n] }).collect();
    for i in 0..n {
        let mut z = start.to_vec();
        z[i] += if z[i] > 0.5 { -STEP } else { STEP };
        let (moved, _) = at(&z)?;
        if moved.len() != base.len() {
            return None;
        }
        for ((affine, a), b) in list.iter_mut().zip(&base).zip(&moved) {
            let slope = (b - a) / (z[i] - start[i]);
            // what does not change must not seem to
            affine.by[i] = if (b - a).abs() <= 1e-14 * a.abs().max(b.abs()) { 0.0 } else { slope };
            affine.at_zero -= affine.by[i] * start[i];
        }
    }
    for k in 0..TRIED {
        let z: Vec<f64> = (0..n).map(|i| uniform(2, OF_CHECKS + i as u64, k)).collect();
        let (there, fixed_there) = at(&z)?;
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= LINEAR * size;
        let size = there.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let is_linear = there.len() == list.len()
            && list.iter().zip(&there).all(|(affine, x)| near(affine.at(&z), *x, size));
        let is_fixed = fixed.len() == fixed_there.len()
            && fixed.iter().zip(&fixed_there).all(|(a, b)| near(*a, *b, 1.0 + a.abs()));
        if !is_linear || !is_fixed {
            return None;
        }
    }
    Some(list)
}

/// The spot of a point, on the first body that holds it.
fn spot(model: &Model, point: usize) -> Option<Spot> {
    let name = &model.points[point].name;
    if model.ground.contains(name) {
        return Some((None, point));
    }
    let body = model.bodies.iter().position(|body| body.points.contains(name))?;
    Some((Some(body), point))
}

/// The place of a joint on both of its bodies: a point as it is drawn, which need not have a name on each.
fn spots(mechanism: &Mechanism, joint: &MechanismJoint) -> Option<[Spot; 2]> {
    let model = mechanism.model();
    let point = |node: usize| {
        let named = mechanism.points().iter().find(|point| point.node == node)?;
        model.points.iter().position(|point| point.name == named.name)
    };
    let [a, b] = joint.points.map(point);
    let drawn = a.or(b)?;
    Some(joint.bodies.map(|of| (of, drawn)))
}

fn built(study: &Study) -> Option<Sketch> {
    let start = study.scaled(&study.start());
    let Said { model, optimization, plan } = said(study, &start)?;
    let is_plain = model.dimension == Dimension::Planar
        && model.chains.is_empty()
        && model.changes.is_empty()
        && model.couplings.is_empty()
        && model.locks.is_empty()
        && model.bodies.iter().all(|body| body.length.is_none() && body.present)
        && model.initial == Default::default();
    if !is_plain {
        return None;
    }
    let mechanism = model.assemble().ok()?;
    if mechanism.bodies().len() != model.bodies.len() {
        return None;
    }
    let mut rows = Vec::new();
    for joint in mechanism.joints() {
        let spots = spots(&mechanism, joint)?;
        match joint.kind {
            JointKind::Revolute => rows.push(Row::Pin(spots)),
            JointKind::Prismatic => {
                let [x, y, _] = joint.axis?;
                rows.push(Row::Turn(joint.bodies, None));
                rows.push(Row::Path(spots, [-y, x], None));
            }
            _ => return None,
        }
    }
    let readings = Readings::new(&model);
    let named = |name: &str| mechanism.joints().iter().find(|joint| joint.name == name);
    for driver in &model.drivers {
        let (value, read) = readings.resolve(&driver.value, &[]).ok()?;
        if read.iter().any(|reading| *reading != Reading::Time) {
            return None;
        }
        match &driver.of {
            Driven::Joint { joint, .. } => {
                let joint = named(joint)?;
                match joint.kind {
                    JointKind::Revolute => rows.push(Row::Turn(joint.bodies, Some(value))),
                    _ => {
                        let [x, y, _] = joint.axis?;
                        rows.push(Row::Path(spots(&mechanism, joint)?, [x, y], Some(value)));
                    }
                }
            }
            _ => return None,
        }
    }
    let middle = |c: usize| {
        model.points.iter().map(|point| point.position[c]).sum::<f64>() / model.points.len().max(1) as f64
    };
    let linkage =
        Linkage { bodies: model.bodies.len(), rows, origin: [middle(0), middle(1)], size: mechanism.size() };
    if linkage.equations() != 3 * linkage.bodies {
        return None;
    }
    let term = |reading: &Reading| -> Option<Term> {
        Some(match reading {
            Reading::Time => Term::Time,
            Reading::Measure(i) => Term::Quantity(*i),
            Reading::Point { index, what: PointReading::Position(c) } => {
                Term::Position(spot(&model, *index)?, *c)
            }
            Reading::Between { function: PointFunction::Distance, points } => {
                Term::Distance([spot(&model, points[0])?, spot(&model, points[1])?])
            }
            Reading::Body { index, what: BodyReading::Angle } => Term::Turn([None, Some(*index)]),
            Reading::Joint { name, what: JointReading::Coordinate(0) } => {
                let joint = named(name)?;
                match joint.kind {
                    JointKind::Revolute => Term::Turn(joint.bodies),
                    _ => {
                        let [x, y, _] = joint.axis?;
                        Term::Path(spots(&mechanism, joint)?, [x, y])
                    }
                }
            }
            _ => return None,
        })
    };
    let mut affine = linear(study, &start)?.into_iter();
    let drawing: Vec<[Affine; 2]> =
        model.points.iter().map(|_| Some([affine.next()?, affine.next()?])).collect::<Option<_>>()?;
    let slope = |affine: &Affine| {
        affine.by.iter().copied().enumerate().filter(|(_, by)| *by != 0.0).collect::<Vec<_>>()
    };
    let slopes = drawing.iter().map(|[x, y]| [slope(x), slope(y)]).collect();
    let measures = model.measures.iter().map(|measure| &measure.value);
    let mut quantities = Vec::new();
    for formula in measures.chain(&plan.quantities) {
        let (formula, read) = readings.resolve(formula, &[]).ok()?;
        let terms = read.iter().map(term).collect::<Option<Vec<Term>>>()?;
        // measures that come later have no value yet
        if terms.iter().any(|term| matches!(term, Term::Quantity(i) if *i >= quantities.len())) {
            return None;
        }
        quantities.push(Quantity { formula, terms, shift: affine.next()? });
    }
    // as formulas are read for themselves first, shifts begin at zero where the start is
    let from_start = |mut affine: Affine| {
        affine.at_zero = -affine.by.iter().zip(&start).map(|(by, z)| by * z).sum::<f64>();
        affine
    };
    for quantity in &mut quantities {
        quantity.shift = from_start(std::mem::take(&mut quantity.shift));
    }
    let mut goal_shifts = Vec::new();
    for (of, _) in &plan.goal {
        goal_shifts.push(match of {
            Some(_) => from_start(affine.next()?),
            None => Affine { at_zero: 0.0, by: vec![0.0; start.len()] },
        });
    }
    let side_shifts = optimization
        .constraints
        .iter()
        .map(|_| Some([from_start(affine.next()?), from_start(affine.next()?)]))
        .collect::<Option<_>>()?;
    Some(Sketch {
        linkage,
        drawing,
        slopes,
        wanted: (model.measures.len()..quantities.len()).collect(),
        quantities,
        goal_shifts,
        side_shifts,
        times: grid(&model),
        paths: places(&optimization, 2),
        variables: start.len(),
        optimization,
        plan,
    })
}
