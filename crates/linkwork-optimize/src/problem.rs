//! What solvers see: numbers of scaled variables.
//!
//! A variable x between l and u is z = (x − l) / (u − l), so that 0 ≤ z ≤ 1 and one step size serves all. With residuals r, constraints c ≤ 0 and h = 0, and the amount ω ≥ 0 by which
//! the mechanism stays open,
//!
//! ```text
//!   (P1)  minimise f(z), or ½ |r(z)|²    subject to c ≤ 0, h = 0, ω = 0
//!   (P2)  violation = ω + Σ max(0, c_i) + Σ |h_j|
//! ```
//!
//! Of two points that with the smaller violation is the better one; of two without, that with the smaller objective.

/// What is known at a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// f, or |r|²; not a number where the mechanism cannot do what is asked.
    pub objective: f64,
    pub residuals: Vec<f64>,
    /// c, each in parts of what its sides are worth.
    pub inequalities: Vec<f64>,
    /// h, likewise.
    pub equalities: Vec<f64>,
    /// ω, in parts of the size; zero where the mechanism can be assembled.
    pub open: f64,
    /// Why there is no value.
    pub why: Option<String>,
}

/// Constraints within this are kept.
pub(crate) const KEPT: f64 = 1e-7;

impl Values {
    /// (P2)
    pub fn violation(&self) -> f64 {
        let above: f64 = self.inequalities.iter().map(|c| c.max(0.0)).sum();
        let off: f64 = self.equalities.iter().map(|h| h.abs()).sum();
        let all = self.open + above + off;
        match all.is_nan() || (self.open == 0.0 && !self.objective.is_finite()) {
            true => f64::INFINITY,
            false => all,
        }
    }

    pub fn is_feasible(&self) -> bool {
        self.violation() <= KEPT
    }

    /// Whether this is the better one of two points.
    pub fn beats(&self, other: &Values) -> bool {
        match (self.is_feasible(), other.is_feasible()) {
            (true, true) => self.objective < other.objective,
            (false, false) => self.violation() < other.violation(),
            (one, _) => one,
        }
    }
}

/// Numbers of scaled variables.
pub(crate) trait Problem: Sync {
    /// How many variables there are.
    fn variables(&self) -> usize;
    /// How far a difference goes, in parts of the ranges.
    fn step(&self) -> f64;
    /// The values at several points; their order says nothing about who computes them.
    fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Values>;
    /// Like `evaluate`, but by how much the mechanism stays open need not be worked out: only that it does.
    fn screen(&self, points: &[Vec<f64>]) -> Vec<Values> {
        self.evaluate(points)
    }
    /// Whether somebody wants an end: what is evaluated from then on is not known.
    fn is_stopped(&self) -> bool {
        false
    }
    /// The derivatives at a point, where there is a better way than differences.
    fn slopes(&self, _z: &[f64]) -> Option<Derivatives> {
        None
    }
}

/// The first derivatives at a point, by differences; each row has a number for every variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivatives {
    pub objective: Vec<f64>,
    pub residuals: Vec<Vec<f64>>,
    pub inequalities: Vec<Vec<f64>>,
    pub equalities: Vec<Vec<f64>>,
}

/// The points that differences at a point need: two for each variable, within the bounds.
pub(crate) fn neighbours(z: &[f64], step: f64) -> Vec<Vec<f64>> {
    let mut list = Vec::with_capacity(2 * z.len());
    for i in 0..z.len() {
        for sign in [-1.0, 1.0] {
            let mut point = z.to_vec();
            point[i] = (point[i] + sign * step).clamp(0.0, 1.0);
            list.push(point);
        }
    }
    list
}

/// The points that differences to one side need: one for each variable, on the side with more room.
pub(crate) fn one_sided(z: &[f64], step: f64) -> Vec<Vec<f64>> {
    let moved = |i: usize| {
        let mut point = z.to_vec();
        point[i] += if point[i] > 0.5 { -step } else { step };
        point
    };
    (0..z.len()).map(moved).collect()
}

/// Differences of [`neighbours`] or [`one_sided`] points: central ones inside, to one side where a bound or a mechanism that does not close is in the way.
pub(crate) fn differences(z: &[f64], here: &Values, points: &[Vec<f64>], values: &[Values]) -> Derivatives {
    let n = z.len();
    let each = points.len() / n.max(1);
    let mut out = Derivatives {
        objective: vec![0.0; n],
        residuals: vec![vec![0.0; n]; here.residuals.len()],
        inequalities: vec![vec![0.0; n]; here.inequalities.len()],
        equalities: vec![vec![0.0; n]; here.equalities.len()],
    };
    let sound = |values: &Values| {
        values.open == 0.0
            && values.objective.is_finite()
            && values.residuals.len() == here.residuals.len()
            && values.inequalities.len() == here.inequalities.len()
            && values.equalities.len() == here.equalities.len()
    };
    for i in 0..n {
        let (mut a, mut za) = (here, z[i]);
        let (mut b, mut zb) = (here, z[i]);
        for k in each * i..each * (i + 1) {
            match points[k][i] {
                at if !sound(&values[k]) || at == z[i] => {}
                at if at < z[i] => (a, za) = (&values[k], at),
                at => (b, zb) = (&values[k], at),
            }
        }
        if zb <= za {
            continue;
        }
        let slope = |a: f64, b: f64| {
            let slope = (b - a) / (zb - za);
            if slope.is_finite() { slope } else { 0.0 }
        };
        out.objective[i] = slope(a.objective, b.objective);
        let lists = [
            (&mut out.residuals, &a.residuals, &b.residuals),
            (&mut out.inequalities, &a.inequalities, &b.inequalities),
            (&mut out.equalities, &a.equalities, &b.equalities),
        ];
        for (rows, a, b) in lists {
            for (row, (a, b)) in rows.iter_mut().zip(a.iter().zip(b)) {
                row[i] = slope(*a, *b);
            }
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A function as a problem.
    pub(crate) struct Written<F> {
        pub n: usize,
        pub f: F,
    }

    impl<F: Fn(&[f64]) -> Values + Sync> Problem for Written<F> {
        fn variables(&self) -> usize {
            self.n
        }
        fn step(&self) -> f64 {
            1e-5
        }
        fn evaluate(&self, points: &[Vec<f64>]) -> Vec<Values> {
            points.iter().map(|z| (self.f)(z)).collect()
        }
    }

    #[test]
    fn exact_order_of_points() {
        let at = |objective: f64, c: f64, open: f64| Values {
            objective,
            inequalities: vec![c],
            open,
            ..Values::default()
        };
        assert!(at(5.0, -1.0, 0.0).beats(&at(1.0, 0.1, 0.0)));
        assert!(at(1.0, -1.0, 0.0).beats(&at(2.0, -1.0, 0.0)));
        assert!(at(9.0, 0.1, 0.0).beats(&at(1.0, 0.0, 0.3)));
        assert!(at(9.0, 0.1, 0.0).beats(&at(f64::NAN, 0.0, 0.0)));
    }

    /// At a bound, and beside points where the mechanism does not close, differences go to one side.
    #[test]
    fn exact_differences_at_the_edge() {
        let f = |z: &[f64]| Values {
            objective: if z[1] > 0.5 { f64::NAN } else { 3.0 * z[0] - 2.0 * z[1] },
            open: if z[1] > 0.5 { 1.0 } else { 0.0 },
            ..Values::default()
        };
        let z = [0.0, 0.5];
        let points = neighbours(&z, 1e-3);
        let values: Vec<Values> = points.iter().map(|z| f(z)).collect();
        let found = differences(&z, &f(&z), &points, &values);
        assert!((found.objective[0] - 3.0).abs() < 1e-12 && (found.objective[1] + 2.0).abs() < 1e-12);
        let z = [0.9, 0.2];
        let points = one_sided(&z, 1e-3);
        let values: Vec<Values> = points.iter().map(|z| f(z)).collect();
        let found = differences(&z, &f(&z), &points, &values);
        assert!((found.objective[0] - 3.0).abs() < 1e-12 && (found.objective[1] + 2.0).abs() < 1e-12);
    }
}
