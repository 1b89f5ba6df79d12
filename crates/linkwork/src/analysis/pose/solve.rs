//! The nearest pose: steps along the constraints, with limits that hold steps back.
//!
//! With e the targets' residuals, A their gradients, Z a basis of the changes that keep the constraints:
//!
//! ```text
//!   (V1)  min ½|e + A Z p|² + ½ μ |p|²,   l ≤ h + ∇h Z p ≤ u      Levenberg–Marquardt; μ ~ |e|²: quadratic where targets are met
//!   (V2)  p = V (ŷ + D^-½ w),   min |w|²                          by singular values of A Z, as a shortest vector [lawson1995]
//!   (V3)  q ← project(q ⊕ Z p), limits that hold included         accepted if |e| falls, else μ grows
//!   (V4)  H p = −Zᵀ Aᵀ e                                          where targets are not met: H by differences of the projected gradient
//! ```
//!
//! H holds what the curvature of constraints and targets adds to Aᵀ A, which is what counts when e stays. A direction of negative curvature leads away from a
//! saddle, as where an arm is stretched and its target lies closer. Limits that are violated at first are targets themselves, before all others.

use super::target::{Aim, Bound, Target, bind};
use crate::Error;
use crate::analysis::configuration::{Configuration, DEPENDENT, Demands, Positions};
use crate::analysis::position_quantity::PositionQuantity;
use crate::linalg::least_distance::least_distance;
use crate::linalg::singular_values::SingularValues;
use crate::model::Faults;

/// Residuals below this, in parts of the scale, are rounding.
const EXACT: f64 = 3e-15;
/// Damping of (V1), as a part of the largest singular value squared: D in (V2) has to be inverted.
const LEAST_DAMPING: f64 = 1e-16;
/// Targets that are met up to this are met.
pub(super) const MET: f64 = 1e-11;
/// A limit is violated beyond this part of its scale.
pub(in crate::analysis) const VIOLATED: f64 = 1e-11;
/// Steps below this end the search where targets are not met.
const STILL: f64 = 1e-12;
/// A step turns no angle further than this, rad, and moves no path by more than this part of the size.
const LONGEST: f64 = 0.5;
/// Differences of (V4).
const DIFFERENCE: f64 = 1e-5;
/// Directions with less curvature than this part of the most have none.
const FLAT: f64 = 1e-7;
/// How far a saddle is left.
const KICK: f64 = 0.05;
/// Steps of (V1) before (V4) takes over where they gain little.
const PATIENCE: usize = 6;

/// What is asked of a pose.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub names: Vec<String>,
    pub aims: Vec<Aim>,
    pub bounds: Vec<Bound>,
}

impl Task {
    /// Binds targets, and lists the limits of the model's joints.
    pub fn new(configuration: &Configuration<'_>, targets: &[Target]) -> Result<Self, Error> {
        let (mut aims, mut bounds) = (Vec::new(), Vec::new());
        let faults = bind(configuration, targets, &mut aims, &mut bounds);
        if !faults.is_empty() {
            return Err(Error::Model(Faults { list: faults, provenance: None }));
        }
        bounds.extend(limits(configuration));
        let names = targets.iter().map(|target| target.quantity().to_owned()).collect();
        Ok(Task { names, aims, bounds })
    }
}

/// Limits of the model's joints: stops, soft or hard.
pub(in crate::analysis) fn limits(configuration: &Configuration<'_>) -> Vec<Bound> {
    let mechanism = configuration.mechanism;
    let mut list = Vec::new();
    for joint in &mechanism.model().joints {
        let Some(j) = mechanism.joints().iter().position(|known| known.name == joint.name) else { continue };
        let hard = joint.impact_limits.iter().map(|limit| (limit.coordinate.saturating_sub(1), limit.range));
        let soft = joint.forces.iter().enumerate().filter_map(|(i, forces)| Some((i, forces.limits?)));
        for (index, range) in hard.chain(soft) {
            if let Some(quantity) = PositionQuantity::of_joint(configuration, j, index) {
                let scale = quantity.scale(mechanism.size());
                list.push(Bound { quantity, range, scale, of_model: true });
            }
        }
    }
    list
}

impl Bound {
    /// Its value now, where turns that nothing counts are those nearest to the range.
    pub fn value(&self, at: &Configuration<'_>) -> f64 {
        self.quantity.value(at, 0.5 * (self.range[0] + self.range[1]))
    }

    /// How far it is beyond its range, in parts of its scale; below zero at the lower end.
    pub fn excess(&self, at: &Configuration<'_>) -> f64 {
        let value = self.value(at);
        if value.is_nan() {
            return f64::INFINITY;
        }
        (value - value.clamp(self.range[0], self.range[1])) / self.scale
    }
}

/// A limit that is held: its place in the task, and whether its upper end is.
pub(super) type Held = (usize, bool);

/// Quantities that are to have values, from where a mechanism is.
pub(in crate::analysis) struct Search(Task);

impl Search {
    /// Quantities with their scales, their values, and limits.
    pub fn new(over: &[(PositionQuantity, f64)], values: &[f64], limits: &[Bound]) -> Self {
        let aim = |((quantity, scale), value): (&(PositionQuantity, f64), &f64)| Aim {
            quantity: quantity.clone(),
            value: *value,
            weight: 1.0,
            scale: *scale,
            target: 0,
        };
        let aims = over.iter().zip(values).map(aim).collect();
        Search(Task { names: Vec::new(), aims, bounds: limits.to_vec() })
    }

    /// Goes there; whether it arrives with limits kept.
    pub fn go(&self, configuration: &mut Configuration<'_>) -> bool {
        /// Cells that are reached are reached sooner.
        const STEPS: usize = 60;
        Solver { configuration, task: &self.0 }.solve(STEPS).reached
    }
}

/// How a search ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// Whether all targets are met, and no limit is violated.
    pub reached: bool,
    pub held: Vec<Held>,
    pub iterations: usize,
}

/// A search for a pose.
pub(super) struct Solver<'c, 'm> {
    pub configuration: &'c mut Configuration<'m>,
    pub task: &'c Task,
}

/// Either the targets, or limits that are violated.
struct Stage<'t> {
    /// Quantity, value, factor.
    aims: Vec<(&'t PositionQuantity, f64, f64)>,
    bounds: Vec<usize>,
}

/// Everything at a pose, to first order.
struct Linear {
    e: Vec<f64>,
    /// A, row by row.
    a: Vec<f64>,
    /// Value and gradient of each limit, in parts of its scale.
    limits: Vec<(f64, Vec<f64>)>,
    /// Z, one direction after the other.
    z: Vec<Vec<f64>>,
}

impl Solver<'_, '_> {
    /// Goes to the nearest pose.
    pub fn solve(&mut self, iterations: usize) -> Outcome {
        let task = self.task;
        let mut used = 0;
        let violated: Vec<usize> = (0..task.bounds.len()).filter(|&i| !self.keeps(i)).collect();
        let mut kept = true;
        if !violated.is_empty() {
            let end = |i: usize, at: &Configuration<'_>| {
                let bound = &task.bounds[i];
                bound.range[usize::from(bound.excess(at) > 0.0)]
            };
            let aims = violated
                .iter()
                .map(|&i| (&task.bounds[i].quantity, end(i, self.configuration), 1.0 / task.bounds[i].scale));
            let stage = Stage {
                aims: aims.collect(),
                bounds: (0..task.bounds.len()).filter(|i| !violated.contains(i)).collect(),
            };
            used += self.descend(&stage, iterations).iterations;
            kept = (0..task.bounds.len()).all(|i| self.keeps(i));
        }
        let aims = task.aims.iter().map(|aim| (&aim.quantity, aim.value, aim.weight / aim.scale));
        let bounds = (0..task.bounds.len()).filter(|&i| self.keeps(i));
        let stage = Stage { aims: aims.collect(), bounds: bounds.collect() };
        if !kept {
            // limits come first: there is no pose to look for
            return Outcome { reached: false, held: Vec::new(), iterations: used };
        }
        let outcome = self.descend(&stage, iterations);
        let met = task
            .aims
            .iter()
            .all(|aim| (aim.quantity.off(self.configuration, aim.value) / aim.scale).abs() <= MET);
        Outcome { reached: met && outcome.reached, held: outcome.held, iterations: used + outcome.iterations }
    }

    /// Whether a limit is kept.
    fn keeps(&self, bound: usize) -> bool {
        self.task.bounds[bound].excess(self.configuration).abs() <= VIOLATED
    }

    fn residuals(&self, stage: &Stage<'_>) -> Vec<f64> {
        stage
            .aims
            .iter()
            .map(|(quantity, value, factor)| quantity.off(self.configuration, *value) * factor)
            .collect()
    }

    fn linear(&self, stage: &Stage<'_>, held: &[Held]) -> Linear {
        let at = &*self.configuration;
        let n = at.freedoms_of_tree();
        let rates = at.body_rates();
        let mut a = Vec::with_capacity(n * stage.aims.len());
        for (quantity, _, factor) in &stage.aims {
            a.extend(quantity.gradient(at, &rates).iter().map(|d| d * factor));
        }
        let limit = |&i: &usize| {
            let bound = &self.task.bounds[i];
            let gradient = bound.quantity.gradient(at, &rates).iter().map(|d| d / bound.scale).collect();
            (bound.value(at) / bound.scale, gradient)
        };
        let limits: Vec<(f64, Vec<f64>)> = stage.bounds.iter().map(limit).collect();
        let mut rows = at.constraint_rows();
        for (place, _) in stage.bounds.iter().enumerate().filter(|(_, i)| held.iter().any(|h| h.0 == **i)) {
            rows.extend(&limits[place].1);
        }
        let values = SingularValues::new(&rows, n);
        let z = values.null_space(values.rank(DEPENDENT));
        Linear { e: self.residuals(stage), a, limits, z }
    }

    /// (V3): moves along a change of the tree, onto the constraints, and back from limits that it goes beyond. Whether it arrives.
    fn move_along(&mut self, stage: &Stage<'_>, change: &[f64], held: &[Held]) -> bool {
        self.configuration.displace(change);
        let mut held = held.to_vec();
        let task = self.task;
        for _ in 0..4 {
            let ends: Vec<(usize, f64)> =
                held.iter().map(|&(i, upper)| (i, task.bounds[i].range[usize::from(upper)])).collect();
            if !self.configuration.project(|at| demands(task, &ends, at)) {
                return false;
            }
            let beyond: Vec<Held> = stage
                .bounds
                .iter()
                .filter(|i| !held.iter().any(|h| h.0 == **i))
                .filter_map(|&i| {
                    let excess = task.bounds[i].excess(self.configuration);
                    (excess.abs() > VIOLATED).then_some((i, excess > 0.0))
                })
                .collect();
            if beyond.is_empty() {
                return true;
            }
            held.extend(beyond);
        }
        false
    }

    fn descend(&mut self, stage: &Stage<'_>, iterations: usize) -> Outcome {
        let mut tau = 1e-2;
        let mut held: Vec<Held> = Vec::new();
        let (mut slow, mut last, mut before) = (0, f64::INFINITY, f64::INFINITY);
        let mut kicks = 0;
        let mut iteration = 0;
        while iteration < iterations {
            iteration += 1;
            let linear = self.linear(stage, &[]);
            let e = square(&linear.e);
            let worst = linear.e.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
            let arrived = worst <= EXACT || (worst <= MET && e > 0.25 * before);
            before = e;
            if arrived || linear.z.is_empty() || stage.aims.is_empty() {
                held = self.touched(stage);
                break;
            }
            let at = self.configuration.at.clone();
            if slow < PATIENCE {
                let Some((change, active)) = self.damped_step(stage, &linear, tau * e.min(1.0)) else {
                    slow = PATIENCE;
                    continue;
                };
                let length = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
                held = active;
                let moved = length > STILL && self.move_along(stage, &change, &held);
                let now = if moved { square(&self.residuals(stage)) } else { f64::INFINITY };
                if now < e {
                    // linear convergence says that the residual stays
                    slow = if now > 0.81 * e || length > 0.5 * last { slow + 1 } else { 0 };
                    last = length;
                    tau = (tau * if now < 0.5 * e { 0.2 } else { 0.7 }).max(1e-10);
                } else {
                    self.configuration.go_to(&at);
                    if length <= STILL || tau > 1e8 {
                        slow = PATIENCE;
                    }
                    tau *= 8.0;
                }
                continue;
            }
            match self.curved_step(stage, &held, e, &at, &mut kicks) {
                Curved::Moved => {
                    let Some((_, active)) = self.damped_step(stage, &self.linear(stage, &[]), 1e-8) else {
                        break;
                    };
                    held = active;
                }
                Curved::Kicked => (slow, tau, last) = (0, 1e-2, f64::INFINITY),
                Curved::Ended => break,
            }
        }
        let worst = self.residuals(stage).iter().fold(0.0, |m: f64, e| m.max(e.abs()));
        Outcome { reached: worst <= 100.0 * MET, held, iterations: iteration }
    }

    /// Limits of the stage that are touched.
    fn touched(&self, stage: &Stage<'_>) -> Vec<Held> {
        let end = |&i: &usize| {
            let bound = &self.task.bounds[i];
            let value = bound.value(self.configuration);
            let on = |end: f64| ((value - end) / bound.scale).abs() <= 10.0 * VIOLATED;
            (on(bound.range[0]) || on(bound.range[1])).then(|| (i, on(bound.range[1])))
        };
        stage.bounds.iter().filter_map(end).collect()
    }

    /// (V1) by (V2): a change of the tree and the limits that hold it back.
    fn damped_step(&self, stage: &Stage<'_>, linear: &Linear, mu: f64) -> Option<(Vec<f64>, Vec<Held>)> {
        let Linear { e, a, limits, z } = linear;
        let n = self.configuration.freedoms_of_tree();
        let f = z.len();
        let along = |row: &[f64]| -> Vec<f64> { z.iter().map(|z| dot(row, z)).collect() };
        let az: Vec<f64> = a.chunks(n.max(1)).flat_map(along).collect();
        let values = SingularValues::new(&az, f);
        let largest = values.values.first().copied().unwrap_or(0.0);
        let mu = (mu.max(LEAST_DAMPING) * largest * largest).max(f64::MIN_POSITIVE);
        let d: Vec<f64> = values.values.iter().map(|s| s * s + mu).collect();
        let mut y: Vec<f64> = (0..f).map(|i| -values.seen(i, e) / d[i]).collect();
        let mut rows = Vec::new();
        let mut right = Vec::new();
        let mut which = Vec::new();
        for (&i, (value, gradient)) in stage.bounds.iter().zip(limits) {
            let g = along(gradient);
            let reach: f64 = g.iter().map(|g| g.abs()).sum::<f64>() * LONGEST;
            let [low, high] = self.task.bounds[i].range.map(|end| end / self.task.bounds[i].scale);
            for (sign, rest, upper) in [(1.0, low - value, false), (-1.0, value - high, true)] {
                if -rest > reach {
                    continue;
                }
                let row: Vec<f64> =
                    (0..f).map(|k| sign * dot(&g, values.direction(k)) / d[k].sqrt()).collect();
                let there: f64 = (0..f).map(|k| row[k] * d[k].sqrt() * y[k]).sum();
                right.push(rest.min(0.0) - there);
                rows.extend(row);
                which.push((i, upper));
            }
        }
        let mut active = Vec::new();
        // within the limits no step at all is one: they never contradict each other
        let found = least_distance(&rows, &right, f)?;
        for (y, (w, d)) in y.iter_mut().zip(found.w.iter().zip(&d)) {
            *y += w / d.sqrt();
        }
        active.extend(found.active.into_iter().map(|row| which[row]));
        let mut change = vec![0.0; n];
        for (k, y) in y.iter().enumerate() {
            for (c, z) in values.direction(k).iter().zip(z) {
                change.iter_mut().zip(z).for_each(|(out, z)| *out += y * c * z);
            }
        }
        shorten(&mut change);
        Some((change, active))
    }

    /// The gradient of ½|e|² along the constraints and held limits.
    fn projected_gradient(&self, stage: &Stage<'_>, held: &[Held]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let n = self.configuration.freedoms_of_tree();
        let Linear { e, a, z, .. } = self.linear(stage, held);
        let mut gradient = vec![0.0; n];
        for (row, e) in a.chunks(n.max(1)).zip(&e) {
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g += a * e);
        }
        let mut along = vec![0.0; n];
        for z in &z {
            let part = dot(&gradient, z);
            along.iter_mut().zip(z).for_each(|(out, z)| *out += part * z);
        }
        (along, z)
    }

    /// A step of (V4).
    fn curved_step(
        &mut self,
        stage: &Stage<'_>,
        held: &[Held],
        e: f64,
        at: &Positions,
        kicks: &mut usize,
    ) -> Curved {
        let (gradient, z) = self.projected_gradient(stage, held);
        let f = z.len();
        let mut h = vec![0.0; f * f];
        for (j, direction) in z.iter().enumerate() {
            let mut ends = Vec::new();
            for sign in [1.0, -1.0] {
                let change: Vec<f64> = direction.iter().map(|z| sign * DIFFERENCE * z).collect();
                let arrived = self.move_along(stage, &change, held);
                ends.push(self.projected_gradient(stage, held).0);
                self.configuration.go_to(at);
                if !arrived {
                    return Curved::Ended;
                }
            }
            for (i, z) in z.iter().enumerate() {
                let value = (dot(&ends[0], z) - dot(&ends[1], z)) / (2.0 * DIFFERENCE);
                h[i * f + j] += 0.5 * value;
                h[j * f + i] += 0.5 * value;
            }
        }
        let values = SingularValues::new(&h, f);
        let most = values.values.first().copied().unwrap_or(0.0);
        let g: Vec<f64> = z.iter().map(|z| dot(&gradient, z)).collect();
        let mut p = vec![0.0; f];
        let mut away = None;
        for i in 0..f {
            let v = values.direction(i);
            let bent: f64 = (0..f).map(|r| v[r] * dot(&h[r * f..(r + 1) * f], v)).sum();
            if values.values[i] <= FLAT * most {
                continue;
            }
            if bent < -1e3 * FLAT * most && away.is_none() {
                away = Some(v.to_vec());
            }
            let part = dot(&g, v) / bent.abs().max(FLAT * most);
            p.iter_mut().zip(v).for_each(|(p, v)| *p -= part * v);
        }
        let tree = |p: &[f64]| {
            let mut change = vec![0.0; self.configuration.freedoms_of_tree()];
            for (p, z) in p.iter().zip(&z) {
                change.iter_mut().zip(z).for_each(|(out, z)| *out += p * z);
            }
            change
        };
        let mut change = tree(&p);
        let length = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
        if let Some(away) = away.filter(|_| length < KICK * KICK && *kicks < 8) {
            *kicks += 1;
            let kick = tree(&away);
            let largest = kick.iter().fold(0.0, |m: f64, z| if z.abs() > m.abs() { *z } else { m });
            for sign in [1.0, -1.0] {
                let change: Vec<f64> = kick.iter().map(|z| sign * KICK * z / largest).collect();
                if self.move_along(stage, &change, &[]) && square(&self.residuals(stage)) < e {
                    return Curved::Kicked;
                }
                self.configuration.go_to(at);
            }
        }
        shorten(&mut change);
        for _ in 0..12 {
            let length = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            if length <= STILL {
                return Curved::Ended;
            }
            let moved = self.move_along(stage, &change, held);
            let now = if moved { square(&self.residuals(stage)) } else { f64::INFINITY };
            // near the end the gradient falls when the residual no longer can
            let small = length < 1e-4 && now <= e * (1.0 + 1e-12);
            if now < e && length > 1e-6
                || small && norm(&self.projected_gradient(stage, held).0) < 0.5 * norm(&gradient)
            {
                return Curved::Moved;
            }
            self.configuration.go_to(at);
            change.iter_mut().for_each(|z| *z *= 0.25);
        }
        Curved::Ended
    }
}

/// What a step with curvature did.
enum Curved {
    Moved,
    Kicked,
    Ended,
}

/// Limits that are held at their ends.
fn demands(task: &Task, ends: &[(usize, f64)], at: &Configuration<'_>) -> Demands {
    if ends.is_empty() {
        return Demands::default();
    }
    let rates = at.body_rates();
    let mut demands = Demands::default();
    for &(i, end) in ends {
        let bound = &task.bounds[i];
        demands.rows.extend(bound.quantity.gradient(at, &rates).iter().map(|d| d / bound.scale));
        demands.missing.push((end - bound.value(at)) / bound.scale);
    }
    demands
}

fn shorten(change: &mut [f64]) {
    let longest = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
    if longest > LONGEST {
        change.iter_mut().for_each(|z| *z *= LONGEST / longest);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn square(e: &[f64]) -> f64 {
    dot(e, e)
}
