//! Sparse symmetric matrices of finite elements.

use super::ModalError;

/// A symmetric matrix, both triangles row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    ptr: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// Entries across the diagonal may differ by this part of the largest entry: files have seven digits or more.
const ALIKE: f64 = 1e-6;

impl Symmetric {
    /// From entries (row, column, value), counted from zero; what is given several times adds up. If `both`, entries on both sides of the diagonal
    /// are given, else those of one side.
    pub fn new(
        what: &'static str,
        n: usize,
        entries: &[(u32, u32, f64)],
        both: bool,
    ) -> Result<Self, ModalError> {
        let mut all: Vec<(u32, u32, f64)> = entries.iter().filter(|e| e.2 != 0.0).copied().collect();
        if let Some(e) = all.iter().find(|e| !e.2.is_finite() || e.0 as usize >= n || e.1 as usize >= n) {
            return Err(ModalError::Entry { what, row: e.0 as usize + 1, column: e.1 as usize + 1 });
        }
        if both {
            let other: Vec<_> = all.iter().map(|&(i, j, v)| (j, i, 0.5 * v)).collect();
            all.iter_mut().for_each(|e| e.2 *= 0.5);
            let largest = all.iter().fold(0.0_f64, |s, e| s.max(e.2.abs()));
            let plain = Self::pack(n, all.clone());
            let turned = Self::pack(n, other.clone());
            for i in 0..n {
                for (j, v) in plain.row(i) {
                    if (v - turned.entry(i, j)).abs() > ALIKE * largest {
                        return Err(ModalError::NotSymmetric { what, row: i + 1, column: j + 1 });
                    }
                }
            }
            all.extend(other);
        } else {
            let other: Vec<_> = all.iter().filter(|e| e.0 != e.1).map(|&(i, j, v)| (j, i, v)).collect();
            all.extend(other);
        }
        Ok(Self::pack(n, all))
    }

    fn pack(n: usize, mut all: Vec<(u32, u32, f64)>) -> Self {
        all.sort_unstable_by_key(|e| (e.0, e.1));
        let mut matrix = Symmetric { ptr: vec![0; n + 1], columns: Vec::new(), values: Vec::new() };
        let mut last = None;
        for (i, j, v) in all {
            if last == Some((i, j)) {
                if let Some(value) = matrix.values.last_mut() {
                    *value += v;
                }
                continue;
            }
            last = Some((i, j));
            matrix.columns.push(j);
            matrix.values.push(v);
            matrix.ptr[i as usize + 1] = matrix.values.len();
        }
        for i in 0..n {
            matrix.ptr[i + 1] = matrix.ptr[i + 1].max(matrix.ptr[i]);
        }
        matrix
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.ptr.len() - 1
    }

    /// The entries of a row.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.ptr[i]..self.ptr[i + 1];
        self.columns[range.clone()].iter().map(|&j| j as usize).zip(self.values[range].iter().copied())
    }

    /// One entry.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let range = self.ptr[i]..self.ptr[i + 1];
        match self.columns[range.clone()].binary_search(&(j as u32)) {
            Ok(at) => self.values[range.start + at],
            Err(_) => 0.0,
        }
    }

    /// y = A x
    pub fn times(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.row(i).map(|(j, v)| v * x[j]).sum();
        }
    }

    /// Largest size of an entry.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |s, v| s.max(v.abs()))
    }
}
