//! What is to be optimised in a model: the `[optimize]` section of its file.
//!
//! Expressions there hold *reductions*: one number of a quantity that varies over a run. `text` finds them, `file` decodes the section.

mod file;
mod text;

pub(crate) use file::OptimizationTable;

use crate::drawing::Dimension;
use crate::error::names::segment;
use crate::expressions::Formula;

/// What is to be optimised: the `[optimize]` section of a model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimization {
    /// What is to become small; `None` if only variables are given, as a fit needs them.
    pub goal: Option<Goal>,
    /// What the mechanism does for it.
    pub over: Over,
    /// What may change.
    pub variables: Vec<DesignVariable>,
    /// What must hold.
    pub constraints: Vec<DesignConstraint>,
    /// Curves that points shall follow.
    pub paths: Vec<WantedPath>,
}

/// What is to become small.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// A number.
    Minimize(Reduced),
    /// The sum of the squares of several numbers.
    Residuals(Vec<Residual>),
}

/// One of the residuals of least squares.
#[derive(Clone, Debug, PartialEq)]
pub enum Residual {
    /// A number.
    Number(Reduced),
    /// A quantity at every sample of the run: as many residuals as there are samples.
    Samples(Formula),
    /// The distances of a point from a path: two or three residuals for each place of the path.
    Path(Following),
}

/// What the mechanism does for one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// It moves as its drivers say; forces play no part.
    Kinematics,
    /// It runs.
    Run,
    /// It rests.
    Equilibrium,
}

impl Over {
    /// Every kind.
    pub const ALL: [Over; 3] = [Over::Kinematics, Over::Run, Over::Equilibrium];

    /// Its name in a file.
    pub fn name(self) -> &'static str {
        match self {
            Over::Kinematics => "kinematics",
            Over::Run => "run",
            Over::Equilibrium => "equilibrium",
        }
    }
}

/// What is made of a quantity that varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduction {
    /// Its last value.
    Final,
    /// Its value at a time, s.
    At(f64),
    /// Its largest value.
    Max,
    /// Its least value.
    Min,
    /// Its mean over time.
    Mean,
    /// The root of the mean of its square over time.
    Rms,
    /// Its integral over time.
    Integral,
}

/// A part of an expression that is one number of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A reduction of a quantity.
    Reduced(Reduction, Formula),
    /// The sum of the squares of the distances of a point from a path, m².
    Path(Following),
}

/// A point that follows a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// The point.
    pub point: String,
    /// The path, by its place in the list.
    pub path: usize,
    /// Whether the places may be passed at any times, in their order; else at those of the path.
    pub free: bool,
}

/// An expression of reductions and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// As the user wrote it.
    pub text: String,
    /// Computes the value from those of its parts.
    pub formula: Formula,
    /// What the references of the formula are, in their order.
    pub parts: Vec<Part>,
}

/// What may change.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignVariable {
    /// A parameter, a point, a coordinate of a point (`C.x`), or a number of the file by its path (`bodies.arm.mass`).
    pub name: String,
    /// How far.
    pub range: DesignRange,
}

/// How far a variable may change, SI units.
#[derive(Clone, Debug, PartialEq)]
pub enum DesignRange {
    /// Between two values; of a point there may be one for each coordinate.
    Between {
        /// The lower ones.
        from: Vec<f64>,
        /// The upper ones.
        to: Vec<f64>,
    },
    /// By so much to either side of what the file says.
    Within(f64),
}

/// What must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignConstraint {
    /// Its name.
    pub name: String,
    /// As the user wrote it.
    pub text: String,
    /// How its sides compare.
    pub relation: Relation,
    /// The left side.
    pub left: Reduced,
    /// The right side.
    pub right: Reduced,
}

/// How the sides of a constraint compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
}

/// Places that a point shall pass.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedPath {
    /// Its name.
    pub name: String,
    /// The places, m.
    pub points: Vec<[f64; 3]>,
    /// When they are passed, s; empty where the timing is free.
    pub at: Vec<f64>,
}

impl Optimization {
    /// Every expression of reductions, with the path of the key that it stands at.
    fn reduced(&self) -> Vec<(String, &Reduced)> {
        let mut out = Vec::new();
        match &self.goal {
            None => {}
            Some(Goal::Minimize(reduced)) => out.push(("optimize.minimize".to_owned(), reduced)),
            Some(Goal::Residuals(list)) => {
                out.extend(list.iter().enumerate().filter_map(|(i, one)| match one {
                    Residual::Number(reduced) => Some((format!("optimize.residuals[{i}]"), reduced)),
                    Residual::Samples(_) | Residual::Path(_) => None,
                }))
            }
        }
        for constraint in &self.constraints {
            let path = format!("optimize.constraints.{}", segment(&constraint.name));
            out.extend([(path.clone(), &constraint.left), (path, &constraint.right)]);
        }
        out
    }

    /// All formulas of quantities that vary, with the paths of the keys that they stand at.
    pub(crate) fn formulas(&self) -> Vec<(String, &Formula)> {
        let mut out = Vec::new();
        for (path, reduced) in self.reduced() {
            out.extend(reduced.parts.iter().filter_map(|part| match part {
                Part::Reduced(_, formula) => Some((path.clone(), formula)),
                Part::Path(_) => None,
            }));
        }
        if let Some(Goal::Residuals(list)) = &self.goal {
            out.extend(list.iter().enumerate().filter_map(|(i, one)| match one {
                Residual::Samples(formula) => Some((format!("optimize.residuals[{i}]"), formula)),
                Residual::Number(_) | Residual::Path(_) => None,
            }));
        }
        out
    }

    /// The times at which something is read, with the paths of the keys that say so.
    pub(crate) fn times(&self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        for (path, reduced) in self.reduced() {
            out.extend(reduced.parts.iter().filter_map(|part| match part {
                Part::Reduced(Reduction::At(t), _) => Some((path.clone(), *t)),
                _ => None,
            }));
        }
        for path in &self.paths {
            let key = format!("optimize.paths.{}.at", segment(&path.name));
            out.extend(path.at.last().map(|t| (key, *t)));
        }
        out
    }
}

impl WantedPath {
    /// A place in as many coordinates as a model has.
    pub fn place(&self, index: usize, dimension: Dimension) -> &[f64] {
        &self.points[index][..dimension.columns()]
    }
}
