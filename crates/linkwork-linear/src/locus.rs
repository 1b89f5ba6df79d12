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

    /// Values between which the largest real part changes its sign, by a straight line through both sides: limits of stability.
    pub fn limits(&self) -> Vec<f64> {
        let most = |k: usize| {
            let parts = self.branches.iter().map(|branch| branch[k]).filter(|e| e.norm() > 0.0);
            parts.fold(f64::NEG_INFINITY, |m: f64, e| m.max(e.re))
        };
        let parts: Vec<f64> = (0..self.values.len()).map(most).collect();
        let crossing = |k: usize| {
            let (a, b) = (parts[k], parts[k + 1]);
            let crosses = a.is_finite() && b.is_finite() && (a > 0.0) != (b > 0.0);
            crosses.then(|| self.values[k] + (self.values[k + 1] - self.values[k]) * a / (a - b))
        };
        (0..parts.len().saturating_sub(1)).filter_map(crossing).collect()
    }
}
