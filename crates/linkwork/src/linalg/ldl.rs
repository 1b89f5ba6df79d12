//! Sparse LDLᵀ with a pattern fixed once: symbolic work at construction, flat loops afterwards.
//!
//! Left-looking: column j of K minus the updates of the columns k < j that have an entry in row j.
//! Which those are never changes, so it is listed once as (k, position of L_jk). `factor` and `solve`
//! allocate nothing. No pivoting: the caller orders the matrix so that pivots are sound.

/// L with unit diagonal, D diagonal, and the matrix K = L D Lᵀ they are computed from.
#[derive(Clone, Debug)]
pub struct Ldl {
    n: usize,
    col_ptr: Vec<usize>,
    rows: Vec<u32>,
    update_ptr: Vec<usize>,
    updates: Vec<(u32, u32)>,
    l: Vec<f64>,
    d: Vec<f64>,
    inv_d: Vec<f64>,
    work: Vec<f64>,
}

/// More entries of L than this are refused (about 150 MB with all that goes with them).
pub const MAX_FACTOR_ENTRIES: usize = 3_500_000;

impl Ldl {
    /// Symbolic factorisation. `pattern[j]` lists the rows i > j of the lower triangle of K.
    /// `None` if L would have more than [`MAX_FACTOR_ENTRIES`].
    pub fn new(pattern: &[Vec<u32>]) -> Option<Self> {
        let n = pattern.len();
        let mut columns: Vec<Vec<u32>> = Vec::with_capacity(n);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut mark = vec![usize::MAX; n];
        let mut entries = 0;
        for j in 0..n {
            mark[j] = j;
            let mut column: Vec<u32> = Vec::new();
            let from_children = children[j].iter().flat_map(|&c: &usize| columns[c].iter());
            for &i in pattern[j].iter().chain(from_children) {
                if mark[i as usize] != j {
                    mark[i as usize] = j;
                    column.push(i);
                }
            }
            column.sort_unstable();
            entries += column.len();
            if entries > MAX_FACTOR_ENTRIES {
                return None;
            }
            if let Some(&parent) = column.first() {
                children[parent as usize].push(j);
            }
            columns.push(column);
        }
        let mut col_ptr = vec![0];
        let mut rows: Vec<u32> = Vec::with_capacity(entries);
        // entries of each row, then where its list ends
        let mut update_ptr = vec![0; n + 1];
        for column in columns {
            for &i in &column {
                update_ptr[i as usize + 1] += 1;
            }
            rows.extend(column);
            col_ptr.push(rows.len());
        }
        for j in 0..n {
            update_ptr[j + 1] += update_ptr[j];
        }
        let mut next = update_ptr.clone();
        let mut updates = vec![(0, 0); entries];
        for k in 0..n {
            for p in col_ptr[k]..col_ptr[k + 1] {
                let at = &mut next[rows[p] as usize];
                updates[*at] = (k as u32, p as u32);
                *at += 1;
            }
        }
        let nnz = rows.len();
        Some(Ldl {
            n,
            col_ptr,
            rows,
            update_ptr,
            updates,
            l: vec![0.0; nnz],
            d: vec![0.0; n],
            inv_d: vec![0.0; n],
            work: vec![0.0; n],
        })
    }

    /// Length of the value array of K: the entries of L's pattern, then the diagonal.
    pub fn value_count(&self) -> usize {
        self.rows.len() + self.n
    }

    /// Where K_ij stands in the value array (i, j in any order).
    pub fn slot(&self, i: usize, j: usize) -> usize {
        if i == j {
            return self.rows.len() + i;
        }
        let (i, j) = (i.max(j), i.min(j));
        let column = &self.rows[self.col_ptr[j]..self.col_ptr[j + 1]];
        self.col_ptr[j] + column.binary_search(&(i as u32)).expect("entry is in the pattern")
    }

    /// Factorises K. A pivot with |d| <= `drop_below` is dropped: its unknown is solved as zero.
    pub fn factor(&mut self, k_values: &[f64], drop_below: f64) {
        let nnz = self.rows.len();
        for j in 0..self.n {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            for (&i, &v) in self.rows[column.clone()].iter().zip(&k_values[column.clone()]) {
                self.work[i as usize] = v;
            }
            let mut d_j = k_values[nnz + j];
            for &(k, p) in &self.updates[self.update_ptr[j]..self.update_ptr[j + 1]] {
                let (k, p) = (k as usize, p as usize);
                let l_jk = self.l[p];
                let c = l_jk * self.d[k];
                d_j -= l_jk * c;
                let below = p + 1..self.col_ptr[k + 1];
                for (&i, &l_ik) in self.rows[below.clone()].iter().zip(&self.l[below]) {
                    self.work[i as usize] -= c * l_ik;
                }
            }
            let (d_j, inv) = if d_j.abs() <= drop_below { (0.0, 0.0) } else { (d_j, 1.0 / d_j) };
            self.d[j] = d_j;
            self.inv_d[j] = inv;
            for (&i, l_ij) in self.rows[column.clone()].iter().zip(&mut self.l[column]) {
                *l_ij = self.work[i as usize] * inv;
            }
        }
    }

    /// Solves K x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        for j in 0..self.n {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            let x_j = x[j];
            for (&i, &l) in self.rows[column.clone()].iter().zip(&self.l[column]) {
                x[i as usize] -= l * x_j;
            }
        }
        for j in (0..self.n).rev() {
            let column = self.col_ptr[j]..self.col_ptr[j + 1];
            let mut x_j = x[j] * self.inv_d[j];
            for (&i, &l) in self.rows[column.clone()].iter().zip(&self.l[column]) {
                x_j -= l * x[i as usize];
            }
            x[j] = x_j;
        }
    }

    /// Number of entries of L below the diagonal.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// Multiplications of one factorisation: Σ c²/2 over the columns of L, c entries in each.
    pub fn work(&self) -> u64 {
        self.col_ptr.windows(2).map(|c| ((c[1] - c[0]) as u64).pow(2) / 2).sum()
    }

    /// The pivots d_j of the last factorisation; 0 where one was dropped.
    pub fn pivots(&self) -> &[f64] {
        &self.d
    }
}

crate::keep::keep!(Ldl { l, d, inv_d, work } but { n, col_ptr, rows, update_ptr, updates });

#[cfg(test)]
mod tests {
    use super::*;

    /// K = tridiagonal + one far entry, solved and multiplied back.
    #[test]
    fn exact_solves_what_it_factorised() {
        let n = 6;
        let pattern: Vec<Vec<u32>> = (0..n as u32)
            .map(|j| {
                if j == 0 {
                    vec![1, 5]
                } else if j + 1 < n as u32 {
                    vec![j + 1]
                } else {
                    vec![]
                }
            })
            .collect();
        let mut ldl = Ldl::new(&pattern).unwrap();
        let mut k = vec![0.0; ldl.value_count()];
        let mut dense = vec![vec![0.0; n]; n];
        for (j, rows) in pattern.iter().enumerate() {
            k[ldl.slot(j, j)] = 3.0 + j as f64;
            dense[j][j] = 3.0 + j as f64;
            for i in rows.iter().map(|&i| i as usize) {
                k[ldl.slot(i, j)] = -0.5 - 0.1 * i as f64;
                dense[i][j] = -0.5 - 0.1 * i as f64;
                dense[j][i] = dense[i][j];
            }
        }
        ldl.factor(&k, 0.0);
        let x_true: Vec<f64> = (0..n).map(|i| 1.0 + i as f64 * 0.3).collect();
        let mut x: Vec<f64> =
            dense.iter().map(|row| row.iter().zip(&x_true).map(|(a, b)| a * b).sum()).collect();
        ldl.solve(&mut x);
        for (a, b) in x.iter().zip(&x_true) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}
