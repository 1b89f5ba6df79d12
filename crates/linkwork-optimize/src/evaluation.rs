//! The numbers of a study at one point, with their derivatives: for optimisers of others.

use crate::problem::{Problem, differences, neighbours};
use crate::{Error, Study};
use linkwork::model::Relation;

/// What is computed at values of the variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The number to be minimised, or the sum of the squares of the residuals; not a number where the mechanism cannot do what is asked.
    pub objective: f64,
    /// Its derivative by each variable, SI units.
    pub gradient: Vec<f64>,
    /// The residuals of least squares.
    pub residuals: Vec<f64>,
    /// A row of derivatives for each of them.
    pub jacobian: Vec<Vec<f64>>,
    /// By how much the sides of each constraint differ, in parts of their size; what is not above zero keeps an inequality, and zero keeps an equation.
    pub constraints: Vec<f64>,
    /// A row of derivatives for each of them.
    pub constraint_gradients: Vec<Vec<f64>>,
    /// Why there is no objective.
    pub why: Option<String>,
}

/// So far beyond its range, in parts of it, a value is taken as being at the edge.
const ROUNDING: f64 = 1e-9;

impl Study {
    /// The objective, the residuals and the constraints at values of the variables in SI units, with their derivatives if they are wanted: exact where the mechanism is a linkage,
    /// by differences else, which cost two evaluations for each variable.
    ///
    /// # Errors
    /// As many values as there are variables, each within its range.
    pub fn evaluation(&self, x: &[f64], derivatives: bool) -> Result<Evaluation, Error> {
        let n = self.variables().len();
        if x.len() != n {
            return Err(Error::wrong("x", format!("{} values were given for {n} variables", x.len())));
        }
        let (lower, upper) = self.bounds();
        for (i, variable) in self.variables().iter().enumerate() {
            let slack = ROUNDING * (upper[i] - lower[i]);
            if !(lower[i] - slack <= x[i] && x[i] <= upper[i] + slack) {
                let why = format!(
                    "{} is outside its range from {} to {}: keep to the bounds",
                    x[i], lower[i], upper[i]
                );
                return Err(Error::wrong(&variable.name, why));
            }
        }
        let z = self.scaled(x);
        let mut here = self.values(&z, true);
        let impossible = here.open > 0.0 || !here.objective.is_finite();
        if impossible {
            here.objective = f64::NAN;
        }
        let slopes = (derivatives && !impossible).then(|| {
            self.slopes(&z).unwrap_or_else(|| {
                let points = neighbours(&z, self.step());
                differences(&z, &here, &points, &self.evaluate(&points))
            })
        });
        let in_units =
            |row: &[f64]| row.iter().zip(lower.iter().zip(upper)).map(|(d, (l, u))| d / (u - l)).collect();
        let mut found = Evaluation {
            objective: here.objective,
            gradient: Vec::new(),
            residuals: here.residuals,
            jacobian: Vec::new(),
            constraints: Vec::new(),
            constraint_gradients: Vec::new(),
            why: here.why.filter(|_| impossible),
        };
        let (mut inequalities, mut equalities) = (0, 0);
        let mut rows: Vec<&Vec<f64>> = Vec::new();
        for constraint in &self.optimization().constraints {
            let (values, slopes, place) = match constraint.relation {
                Relation::Equal => {
                    (&here.equalities, slopes.as_ref().map(|slopes| &slopes.equalities), &mut equalities)
                }
                _ => (
                    &here.inequalities,
                    slopes.as_ref().map(|slopes| &slopes.inequalities),
                    &mut inequalities,
                ),
            };
            found.constraints.push(values.get(*place).copied().unwrap_or(f64::NAN));
            rows.extend(slopes.and_then(|slopes| slopes.get(*place)));
            *place += 1;
        }
        found.constraint_gradients = rows.into_iter().map(|row| in_units(row)).collect();
        if let Some(slopes) = &slopes {
            found.gradient = in_units(&slopes.objective);
            found.jacobian = slopes.residuals.iter().map(|row| in_units(row)).collect();
        }
        Ok(found)
    }
}
