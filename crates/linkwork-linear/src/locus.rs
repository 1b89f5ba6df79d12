//! Eigenvalues over a parameter: root loci, Campbell diagrams.
//!
//! From one value to the next each branch goes on with the eigenvalue nearest to where a straight line would take it, nearest pairs first.

use crate::{Error, Modes, c64};

/// Eigenvalues followed over a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locus {
    /// The parameter.
    pub parameter: String,
    /// Its values.
    pub values: Vec<f64>,
    /// Eigenvalues of each branch, one for each value; conjugate ones once, zeros left out where all of a branch are.
    pub branches: Vec<Vec<c64>>,
}

impl Locus {
    /// A locus without values.
    pub fn new(parameter: impl Into<String>) -> Self {
        Locus { parameter: parameter.into(), ..Locus::default() }
    }

    /// Goes on with the modes at the next value.
    ///
    /// # Errors
    /// [`Error::States`] if there is another number of states than before.
    pub fn push(&mut self, value: f64, modes: &Modes) -> Result<(), Error> {
        let found = modes.eigenvalues();
        if self.values.is_empty() {
            self.branches = found.into_iter().map(|eigenvalue| vec![eigenvalue]).collect();
            self.values.push(value);
            return Ok(());
        }
        if found.len() != self.branches.len() {
            let (found, before) = (found.len(), self.branches.len());
            return Err(Error::States { parameter: self.parameter.clone(), value, found, before });
        }
        let expected: Vec<c64> = self.branches.iter().map(|branch| self.expected(branch, value)).collect();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (b, expected) in expected.iter().enumerate() {
            pairs.extend(found.iter().enumerate().map(|(f, found)| ((found - expected).norm(), b, f)));
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut taken = [vec![false; found.len()], vec![false; found.len()]];
        for (_, b, f) in pairs {
            if !taken[0][b] && !taken[1][f] {
                (taken[0][b], taken[1][f]) = (true, true);
                self.branches[b].push(found[f]);
            }
        }
        self.values.push(value);
        Ok(())
    }

    /// Where a straight line through the last two takes a branch.
    fn expected(&self, branch: &[c64], value: f64) -> c64 {
        let n = branch.len();
        let last = branch[n - 1];
        if n < 2 || self.values[n - 1] == self.values[n - 2] {
            return last;
        }
        let part = (value - self.values[n - 1]) / (self.values[n - 1] - self.values[n - 2]);
        last + (last - branch[n - 2]) * part
    }

    /// The branches to draw: none that is zero, or has negative imaginary parts, throughout. Negative imaginary parts of the others belong to what another branch shows.
    pub fn shown(&self) -> impl Iterator<Item = &[c64]> {
        self.branches.iter().map(Vec::as_slice).filter(|branch| {
            let zero = branch.iter().all(|eigenvalue| eigenvalue.norm() == 0.0);
            let below = branch.iter().all(|eigenvalue| eigenvalue.im < 0.0);
            !zero && !below
        })
    }

    /// Values between which the largest real part changes its sign, by a straight line through both sides: limits of stability, roughly.
    pub fn limits(&self) -> Vec<f64> {
        self.crossings().map(|crossing| crossing.straight()).collect()
    }

    /// Limits of stability, with further modes at values between those of the locus: where the real part of what grows on one side is zero.
    ///
    /// # Errors
    /// Those of `modes_at`.
    pub fn exact_limits<E>(&self, mut modes_at: impl FnMut(f64) -> Result<Modes, E>) -> Result<Vec<f64>, E> {
        self.crossings().map(|crossing| crossing.refined(&mut modes_at, self.branches.len())).collect()
    }

    /// Where the largest real part of two values that follow each other has different signs.
    fn crossings(&self) -> impl Iterator<Item = Crossing> {
        let fastest = |k: usize| {
            let there = self.branches.iter().enumerate().filter(move |(_, branch)| branch[k].norm() > 0.0);
            there.max_by(|a, b| a.1[k].re.total_cmp(&b.1[k].re)).map(|(b, branch)| (b, branch[k].re))
        };
        let zeros = |k: usize| self.branches.iter().filter(|branch| branch[k].norm() == 0.0).count();
        (0..self.values.len().saturating_sub(1)).filter_map(move |k| {
            let (before, after) = (fastest(k)?, fastest(k + 1)?);
            // the branch that grows on one side
            let (b, ..) = match (before.1 > 0.0, after.1 > 0.0) {
                (true, false) => before,
                (false, true) => after,
                _ => return None,
            };
            let branch = &self.branches[b];
            Some(Crossing {
                values: [self.values[k], self.values[k + 1]],
                eigenvalues: [branch[k], branch[k + 1]],
                zeros: zeros(k).min(zeros(k + 1)),
            })
        })
    }
}

/// Two values between which the real part of an eigenvalue changes its sign.
struct Crossing {
    values: [f64; 2],
    eigenvalues: [c64; 2],
    /// Eigenvalues that are zero at both.
    zeros: usize,
}

impl Crossing {
    /// Interpolations at most; each makes the interval shorter, most of them much shorter.
    const MOST: usize = 40;
    /// The interval is short enough at this part of its values.
    const SHORT: f64 = 1e-13;
    /// Points of the last interpolation, and by how much their real parts differ at least.
    const POINTS: usize = 4;
    const APART: f64 = 8.0;

    /// How far along the interval a straight line is zero.
    fn part(parts: [f64; 2]) -> f64 {
        let [a, b] = parts;
        if a == b { 0.5 } else { a / (a - b) }
    }

    fn straight(&self) -> f64 {
        let [a, b] = self.values;
        a + (b - a) * Self::part(self.eigenvalues.map(|e| e.re))
    }

    /// False position; the end that stays counts half each time (the Illinois algorithm). It ends where the eigenvalue is so small that it is lost among the zeros; the value of
    /// the parameter as a polynomial of the real part has the last digits.
    fn refined<E>(
        mut self,
        modes_at: &mut impl FnMut(f64) -> Result<Modes, E>,
        states: usize,
    ) -> Result<f64, E> {
        let mut heights = self.eigenvalues.map(|e| e.re);
        let mut known: Vec<[f64; 2]> = self.values.into_iter().zip(heights).map(|(v, re)| [re, v]).collect();
        let mut last = None;
        for _ in 0..Self::MOST {
            let [a, b] = self.values;
            let part = Self::part(heights);
            let at = a + (b - a) * part;
            if at == a || at == b || (b - a).abs() <= Self::SHORT * a.abs().max(b.abs()) {
                break;
            }
            let expected = self.eigenvalues[0] + (self.eigenvalues[1] - self.eigenvalues[0]) * part;
            let modes = modes_at(at)?;
            let lost = states.saturating_sub(modes.computed.len()) > self.zeros;
            let near = |x: &&c64, y: &&c64| (*x - expected).norm().total_cmp(&(*y - expected).norm());
            let Some(found) = modes.computed.iter().min_by(near).copied().filter(|e| !lost && e.re != 0.0)
            else {
                break;
            };
            known.push([found.re, at]);
            // the end on the same side moves here
            let end = usize::from((found.re > 0.0) == (heights[1] > 0.0));
            (self.values[end], self.eigenvalues[end], heights[end]) = (at, found, found.re);
            if last == Some(end) {
                heights[1 - end] *= 0.5;
            }
            last = Some(end);
        }
        // where the eigenvalue is no smooth function of the parameter a straight line has to do
        let [low, high] = [self.values[0].min(self.values[1]), self.values[0].max(self.values[1])];
        let found = Self::at_zero(known);
        Ok(if (low..=high).contains(&found) { found } else { self.straight() })
    }

    /// The polynomial of y over x through the points nearest to x = 0, at zero.
    fn at_zero(mut points: Vec<[f64; 2]>) -> f64 {
        points.sort_by(|a, b| a[0].abs().total_cmp(&b[0].abs()));
        let mut chosen: Vec<[f64; 2]> = Vec::new();
        for point in points {
            let apart = chosen.last().is_none_or(|last| point[0].abs() > Self::APART * last[0].abs());
            if apart && chosen.len() < Self::POINTS {
                chosen.push(point);
            }
        }
        let weight = |i: usize| -> f64 {
            let others = chosen.iter().enumerate().filter(|(k, _)| *k != i);
            others.map(|(_, other)| other[0] / (other[0] - chosen[i][0])).product()
        };
        (0..chosen.len()).map(|i| weight(i) * chosen[i][1]).sum()
    }
}
