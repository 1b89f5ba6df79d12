//! The mass matrix of joint variables.

/// The lower half of M, with the pairs of rates that lie on a common path to the ground.
#[derive(Clone, Debug)]
pub struct MassMatrix {
    /// For each row i: the columns j <= i that are kept, and where each stands in `values`.
    rows: Vec<Vec<(usize, usize)>>,
    /// The entries.
    pub(super) values: Vec<f64>,
}

impl MassMatrix {
    pub(super) fn new(rates: usize, paths: &[Vec<usize>]) -> Self {
        let mut rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); rates];
        // a rate's row is the same on every path that it lies on
        for path in paths {
            for (s, &i) in path.iter().enumerate().rev() {
                if !rows[i].is_empty() {
                    break; // so are those before it
                }
                rows[i] = path[..=s].iter().map(|&j| (j, 0)).collect();
            }
        }
        let mut next = 0;
        for row in &mut rows {
            row.sort_unstable();
            for entry in row {
                entry.1 = next;
                next += 1;
            }
        }
        MassMatrix { rows, values: vec![0.0; next] }
    }

    pub(super) fn pattern(&self) -> Vec<(usize, usize, f64)> {
        self.rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |e| (i, e.0, 0.0))).collect()
    }

    /// The columns j <= i of row i, ascending.
    pub fn columns(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows[i].iter().map(|e| e.0)
    }

    /// M_ij += value, for i >= j on a common path.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        if let Ok(at) = self.rows[i].binary_search_by_key(&j, |e| e.0) {
            self.values[self.rows[i][at].1] += value;
        }
    }

    /// f += M x.
    pub fn add_product(&self, x: &[f64], f: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            for &(j, slot) in row {
                f[i] += self.values[slot] * x[j];
                if i != j {
                    f[j] += self.values[slot] * x[i];
                }
            }
        }
    }
}
