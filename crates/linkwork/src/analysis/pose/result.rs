//! What a pose is: its state, what is left of the targets, limits that hold it, freedoms that nothing determines.

use super::solve::{Outcome, Task, VIOLATED};
use crate::analysis::configuration::{Configuration, DEPENDENT};
use crate::analysis::position_quantity::shown;
use crate::expressions::units::Dims;
use crate::linalg::singular_values::SingularValues;
use crate::linalg::vec3::Vec3;
use crate::simulation::State;
use std::fmt;

/// Below this ratio of singular values a pose is next to a singular one.
const NEARLY_SINGULAR: f64 = 1e-3;

/// A pose of a mechanism.
#[derive(Clone, Debug)]
pub struct Pose {
    /// The mechanism at rest there, in the coordinates of `recursive`.
    pub state: State,
    /// Where the named points are, in the mechanism's order, m.
    pub points: Vec<Vec3>,
    /// Whether all targets are met and all limits are kept.
    pub reached: bool,
    /// The targets, in the order given; ranges are among the limits.
    pub targets: Vec<TargetResult>,
    /// Limits and ranges that hold the mechanism, or that it cannot keep.
    pub limits: Vec<ActiveLimit>,
    /// Freedoms that the mechanism has at this pose, at the time at which drivers are held.
    pub freedoms: usize,
    /// Freedoms that neither targets nor active limits determine.
    pub undetermined: usize,
    /// Smallest over largest singular value of the targets' Jacobian along the freedoms, scaled; one without targets. Next to zero a singular pose is near.
    pub conditioning: f64,
    /// Steps of the solver.
    pub iterations: usize,
}

/// A target at a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetResult {
    /// The quantity, as it was given.
    pub quantity: String,
    /// What it should be, SI units: a value for each coordinate of a point.
    pub wanted: Vec<f64>,
    /// What it is.
    pub value: Vec<f64>,
    /// How far off it is: of a point the distance, SI units.
    pub off: f64,
    dims: Option<Dims>,
}

/// A limit or a range at a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveLimit {
    /// The quantity.
    pub quantity: String,
    /// The end that holds it, SI units.
    pub end: f64,
    /// Whether that is the upper end.
    pub upper: bool,
    /// How far the quantity is beyond it: zero, unless limits cannot be kept.
    pub beyond: f64,
    /// Whether it is a limit of the model, not a range that was asked for.
    pub of_model: bool,
    dims: Option<Dims>,
}

/// Poses that were found.
#[derive(Clone, Debug)]
pub struct Poses {
    /// Distinct poses: that from the drawing first, if it is one.
    pub list: Vec<Pose>,
    /// How many starts led to a pose.
    pub arrived: usize,
    /// How many starts there were.
    pub starts: usize,
    /// Whether poses are isolated: else there are infinitely many beside those listed.
    pub isolated: bool,
    /// The nearest pose from the drawing, where no start meets the targets.
    pub nearest: Option<Box<Pose>>,
}

impl Pose {
    /// Whether the pose is next to a singular one, where targets cannot be followed in some direction.
    pub fn is_nearly_singular(&self) -> bool {
        self.conditioning < NEARLY_SINGULAR
    }
}

/// A pose where the solver has come to.
pub(super) fn pose(at: &mut Configuration<'_>, task: &Task, outcome: &Outcome) -> Pose {
    let mut targets: Vec<TargetResult> = task
        .names
        .iter()
        .map(|name| TargetResult {
            quantity: name.clone(),
            wanted: Vec::new(),
            value: Vec::new(),
            off: 0.0,
            dims: None,
        })
        .collect();
    for aim in &task.aims {
        let target = &mut targets[aim.target];
        target.wanted.push(aim.value);
        target.value.push(aim.value + aim.quantity.off(at, aim.value));
        target.off = target.off.hypot(aim.quantity.off(at, aim.value));
        target.dims = aim.quantity.dims;
    }
    targets.retain(|target| !target.wanted.is_empty());
    let mut limits = Vec::new();
    for (i, bound) in task.bounds.iter().enumerate() {
        let excess = bound.excess(at);
        let held = outcome.held.iter().find(|held| held.0 == i).map(|held| held.1);
        let upper = if excess.abs() > VIOLATED {
            excess > 0.0
        } else if let Some(upper) = held {
            upper
        } else {
            continue;
        };
        limits.push(ActiveLimit {
            quantity: bound.quantity.name.clone(),
            end: bound.range[usize::from(upper)],
            upper,
            beyond: if excess.abs() > VIOLATED { (excess * bound.scale).abs() } else { 0.0 },
            of_model: bound.of_model,
            dims: bound.quantity.dims,
        });
    }
    let Freedoms { freedoms, undetermined, conditioning } = count(at, task, outcome);
    Pose {
        state: at.state(),
        points: at.points(),
        reached: outcome.reached,
        targets,
        limits,
        freedoms,
        undetermined,
        conditioning,
        iterations: outcome.iterations,
    }
}

struct Freedoms {
    freedoms: usize,
    undetermined: usize,
    conditioning: f64,
}

fn count(at: &Configuration<'_>, task: &Task, outcome: &Outcome) -> Freedoms {
    let n = at.freedoms_of_tree();
    let rates = at.body_rates();
    let mut rows = at.constraint_rows();
    let values = SingularValues::new(&rows, n);
    let z = values.null_space(values.rank(DEPENDENT));
    let mut of_targets = Vec::new();
    for aim in &task.aims {
        let gradient: Vec<f64> =
            aim.quantity.gradient(at, &rates).iter().map(|d| d / aim.scale * aim.weight).collect();
        of_targets.extend(z.iter().map(|z| gradient.iter().zip(z).map(|(g, z)| g * z).sum::<f64>()));
        rows.extend(gradient);
    }
    for &(i, _) in &outcome.held {
        let bound = &task.bounds[i];
        rows.extend(bound.quantity.gradient(at, &rates).iter().map(|d| d / bound.scale));
    }
    let all = SingularValues::new(&rows, n);
    let left = all.null_space(all.rank(DEPENDENT));
    let conditioning = match (task.aims.is_empty(), z.len()) {
        (false, 1..) => {
            let values = SingularValues::new(&of_targets, z.len());
            let least = values.values.get(task.aims.len().min(z.len()) - 1).copied().unwrap_or(0.0);
            let most = values.values[0];
            if most > 0.0 { least / most } else { 0.0 }
        }
        _ => 1.0,
    };
    Freedoms { freedoms: visible(at, &rates, &z), undetermined: visible(at, &rates, &left), conditioning }
}

/// How many of these changes show: a rod between two balls turns about its own line unseen.
pub(in crate::analysis) fn visible(
    at: &Configuration<'_>,
    rates: &[[f64; 6]],
    changes: &[Vec<f64>],
) -> usize {
    let mechanism = at.mechanism;
    let (bodies, size) = (mechanism.bodies(), mechanism.size());
    let mut rows = Vec::new();
    for (b, body) in bodies.iter().enumerate() {
        // of a rod or a particle the nodes tell all
        let thick = body.nodes.len() >= mechanism.columns();
        let twist = |z: &[f64]| {
            let mut sum = [0.0; 6];
            for (k, z) in z.iter().enumerate() {
                sum.iter_mut().zip(&rates[k * bodies.len() + b]).for_each(|(sum, r)| *sum += z * r);
            }
            sum
        };
        let twists: Vec<[f64; 6]> = changes.iter().map(|z| twist(z)).collect();
        for c in 0..3 {
            rows.extend(twists.iter().map(|t| t[c] / size));
        }
        if thick {
            for c in 3..6 {
                rows.extend(twists.iter().map(|t| t[c]));
            }
            continue;
        }
        for &node in &body.nodes {
            let arm = mechanism.spot(Some(b), node).at(&at.motions).arm;
            for c in 0..3 {
                rows.extend(twists.iter().map(|t| {
                    let swing = crate::linalg::vec3::cross([t[3], t[4], t[5]], arm);
                    (t[c] + swing[c]) / size
                }));
            }
        }
    }
    SingularValues::new(&rows, changes.len()).rank(1e-9)
}

impl fmt::Display for TargetResult {
    /// The target and how it is met.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[f64]| match values {
            [one] => shown(*one, self.dims),
            several => {
                let parts: Vec<String> = several.iter().map(|x| shown(*x, None)).collect();
                format!("[{}] m", parts.join(", "))
            }
        };
        write!(f, "{} = {}", self.quantity, list(&self.value))?;
        if self.off > 1e-9 {
            write!(f, ", {} off {}", shown(self.off, self.dims), list(&self.wanted))?;
        }
        Ok(())
    }
}

impl fmt::Display for ActiveLimit {
    /// The limit and its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.of_model { "limit" } else { "range" };
        let end = if self.upper { "upper" } else { "lower" };
        write!(f, "{} at the {end} end of its {kind}, {}", self.quantity, shown(self.end, self.dims))?;
        if self.beyond > 0.0 {
            write!(f, ": {} beyond it", shown(self.beyond, self.dims))?;
        }
        Ok(())
    }
}
