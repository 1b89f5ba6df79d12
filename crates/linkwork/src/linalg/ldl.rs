//! Sparse LDLᵀ with a pattern fixed once: symbolic work at construction, flat loops afterwards.
//!
//! K and its factor share one array: the entries of L's pattern below the diagonal, column by column, then the diagonal. Factorising
//! overwrites the one with the other. Two ways, by the size of the job:
//!
//! - **A schedule.** Right-looking: when the pivot d_j is known, every pair of entries (p, q) of column j changes the entry at their rows,
//!   k_pq −= l_p l_q d_j. Where those stand never changes, so the places are listed once, in order, and nothing is searched.
//!   The list has a number for every multiplication, so this is for jobs up to [`MAX_SCHEDULE`].
//! - **Supernodes** (`supernodes.rs`) beyond: columns with the same rows below them go together, in dense loops.
//!
//! `factor` and `solve` allocate nothing. No pivoting: the caller orders the matrix so that pivots are sound.

use super::supernodes::Supernodes;
use std::ops::Range;

/// L with unit diagonal and D diagonal of K = L D Lᵀ.
#[derive(Clone, Debug)]
pub struct Ldl {
    n: usize,
    col_ptr: Vec<u32>,
    rows: Vec<u32>,
    way: Way,
    /// K, then L and below it the pivots.
    values: Vec<f64>,
    inv_d: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Way {
    /// For each column, for each pair of its entries p ≤ q: where (row q, row p) stands.
    Schedule(Vec<u32>),
    Supernodes(Box<Supernodes>),
}

/// More entries of L than this are refused (about 150 MB with all that goes with them), unless there are no more than
/// [`FEW_ENTRIES`] in a column: those of a long chain grow with its length, and so they should.
pub const MAX_FACTOR_ENTRIES: usize = 6_000_000;
/// Entries of a column without much fill-in.
pub const FEW_ENTRIES: usize = 16;

/// Multiplications up to which they are listed one by one, as measured: beyond, the list is worth less than dense loops.
pub const MAX_SCHEDULE: u64 = 400_000;

impl Ldl {
    /// Symbolic factorisation. `pattern[j]` lists the rows i > j of the lower triangle of K.
    /// `None` if L would have more than [`MAX_FACTOR_ENTRIES`].
    pub fn new(pattern: &[Vec<u32>]) -> Option<Self> {
        let n = pattern.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut mark = vec![usize::MAX; n];
        let mut col_ptr = vec![0];
        let mut rows: Vec<u32> = Vec::new();
        for j in 0..n {
            mark[j] = j;
            let first = rows.len();
            let mut take = |rows: &mut Vec<u32>, i: u32| {
                if mark[i as usize] != j {
                    mark[i as usize] = j;
                    rows.push(i);
                }
            };
            for &i in &pattern[j] {
                take(&mut rows, i);
            }
            for &child in &children[j] {
                for p in col_ptr[child] as usize..col_ptr[child + 1] as usize {
                    let i = rows[p];
                    take(&mut rows, i);
                }
            }
            rows[first..].sort_unstable();
            if rows.len() > MAX_FACTOR_ENTRIES.max(FEW_ENTRIES * n) {
                return None;
            }
            if let Some(&parent) = rows.get(first) {
                children[parent as usize].push(j);
            }
            col_ptr.push(rows.len() as u32);
        }
        let nnz = rows.len();
        let mut ldl = Ldl {
            n,
            col_ptr,
            rows,
            way: Way::Schedule(Vec::new()),
            values: vec![0.0; nnz + n],
            inv_d: vec![0.0; n],
        };
        ldl.way = if ldl.work() <= MAX_SCHEDULE {
            Way::Schedule(ldl.schedule())
        } else {
            Way::Supernodes(Box::new(Supernodes::new(&ldl.col_ptr, &ldl.rows)))
        };
        Some(ldl)
    }

    fn column(&self, j: usize) -> Range<usize> {
        self.col_ptr[j] as usize..self.col_ptr[j + 1] as usize
    }

    fn schedule(&self) -> Vec<u32> {
        let nnz = self.rows.len();
        let mut targets = Vec::new();
        for j in 0..self.n {
            let column = &self.rows[self.column(j)];
            for (p, &row) in column.iter().enumerate() {
                let row = row as usize;
                targets.push((nnz + row) as u32);
                let into = self.column(row);
                let mut at = into.start;
                for &below in &column[p + 1..] {
                    // both are sorted, and every row of the one is in the other
                    at += self.rows[at..into.end].iter().take_while(|&&r| r < below).count();
                    targets.push(at as u32);
                }
            }
        }
        targets
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
        let column = self.column(j);
        column.start + self.rows[column].binary_search(&(i as u32)).expect("entry is in the pattern")
    }

    /// The values of K, to be written before [`Ldl::factor`]; the factor is lost.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Factorises K. `pivot(j, d_j)` tells what to use instead of the pivot d_j; 0 drops it: its unknown is solved as zero.
    pub fn factor(&mut self, mut pivot: impl FnMut(usize, f64) -> f64) {
        match &mut self.way {
            Way::Schedule(targets) => {
                let (rows, n) = (self.rows.len(), self.n);
                let mut targets = &targets[..];
                let values = &mut self.values[..rows + n];
                for (j, (ends, inv_d)) in self.col_ptr.windows(2).zip(&mut self.inv_d).enumerate() {
                    let d = pivot(j, values[rows + j]);
                    let inv = if d == 0.0 { 0.0 } else { 1.0 / d };
                    *inv_d = inv;
                    let (start, end) = (ends[0] as usize, ends[1] as usize);
                    let c = end - start;
                    let (now, later) = targets.split_at(c * (c + 1) / 2);
                    targets = later;
                    match c {
                        0 => {}
                        1 => eliminate::<1>(values, start, inv, now),
                        2 => eliminate::<2>(values, start, inv, now),
                        3 => eliminate::<3>(values, start, inv, now),
                        4 => eliminate::<4>(values, start, inv, now),
                        5 => eliminate::<5>(values, start, inv, now),
                        6 => eliminate::<6>(values, start, inv, now),
                        7 => eliminate::<7>(values, start, inv, now),
                        8 => eliminate::<8>(values, start, inv, now),
                        _ => eliminate_any(values, start..end, inv, now),
                    }
                }
            }
            Way::Supernodes(supernodes) => {
                supernodes.factor(&self.col_ptr, &self.rows, &mut self.values, &mut self.inv_d, pivot);
            }
        }
    }

    /// Solves K x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        let x = &mut x[..self.n];
        for (j, ends) in self.col_ptr.windows(2).enumerate() {
            let column = ends[0] as usize..ends[1] as usize;
            let (rows, l) = (&self.rows[column.clone()], &self.values[column]);
            match rows.len() {
                0 => {}
                1 => forward::<1>(x, j, rows, l),
                2 => forward::<2>(x, j, rows, l),
                3 => forward::<3>(x, j, rows, l),
                4 => forward::<4>(x, j, rows, l),
                5 => forward::<5>(x, j, rows, l),
                6 => forward::<6>(x, j, rows, l),
                7 => forward::<7>(x, j, rows, l),
                8 => forward::<8>(x, j, rows, l),
                _ => forward::<0>(x, j, rows, l),
            }
        }
        for (j, ends) in self.col_ptr.windows(2).enumerate().rev() {
            let column = ends[0] as usize..ends[1] as usize;
            let (rows, l, inv) = (&self.rows[column.clone()], &self.values[column], self.inv_d[j]);
            match rows.len() {
                0 => x[j] *= inv,
                1 => backward::<1>(x, j, rows, l, inv),
                2 => backward::<2>(x, j, rows, l, inv),
                3 => backward::<3>(x, j, rows, l, inv),
                4 => backward::<4>(x, j, rows, l, inv),
                5 => backward::<5>(x, j, rows, l, inv),
                6 => backward::<6>(x, j, rows, l, inv),
                7 => backward::<7>(x, j, rows, l, inv),
                8 => backward::<8>(x, j, rows, l, inv),
                _ => backward::<0>(x, j, rows, l, inv),
            }
        }
    }

    /// As [`Ldl::solve`], for N right-hand sides side by side.
    #[inline(always)]
    pub fn solve_lanes<const N: usize>(&self, x: &mut [[f64; N]]) {
        if N == 1 {
            return self.solve(x.as_flattened_mut());
        }
        let x = &mut x[..self.n];
        for (j, ends) in self.col_ptr.windows(2).enumerate() {
            let (column, x_j) = (ends[0] as usize..ends[1] as usize, x[j]);
            for (&row, l) in self.rows[column.clone()].iter().zip(&self.values[column]) {
                let to = &mut x[row as usize];
                (0..N).for_each(|k| to[k] -= l * x_j[k]);
            }
        }
        for (j, (ends, &inv)) in self.col_ptr.windows(2).zip(&self.inv_d).enumerate().rev() {
            let column = ends[0] as usize..ends[1] as usize;
            let mut x_j = x[j].map(|x| x * inv);
            // the nearest ones last: they are the last to be known
            for (&row, l) in self.rows[column.clone()].iter().zip(&self.values[column]).rev() {
                let from = &x[row as usize];
                (0..N).for_each(|k| x_j[k] -= l * from[k]);
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
        self.col_ptr.windows(2).map(|c| u64::from(c[1] - c[0]).pow(2) / 2).sum()
    }

    /// The pivots d_j of the last factorisation, as they came.
    pub fn pivots(&self) -> &[f64] {
        &self.values[self.rows.len()..]
    }

    /// Whether the pivot d_j of the last factorisation was dropped.
    pub fn is_dropped(&self, j: usize) -> bool {
        self.inv_d[j] == 0.0
    }
}

/// A column of C entries: unrolled, with the column in registers.
#[inline(always)]
fn eliminate<const C: usize>(values: &mut [f64], start: usize, inv: f64, targets: &[u32]) {
    let mut column = [0.0; C];
    column.copy_from_slice(&values[start..start + C]);
    let mut next = 0;
    for p in 0..C {
        let l = column[p] * inv;
        for q in p..C {
            values[targets[next] as usize] -= l * column[q];
            next += 1;
        }
        values[start + p] = l;
    }
}

fn eliminate_any(values: &mut [f64], column: Range<usize>, inv: f64, mut targets: &[u32]) {
    for p in column.clone() {
        let l = values[p] * inv;
        let (now, later) = targets.split_at(column.end - p);
        targets = later;
        for (k, &target) in now.iter().enumerate() {
            values[target as usize] -= l * values[p + k];
        }
        values[p] = l;
    }
}

/// Takes x_j out of the others; C entries, or any number if it is 0.
#[inline(always)]
fn forward<const C: usize>(x: &mut [f64], j: usize, rows: &[u32], l: &[f64]) {
    let c = if C == 0 { rows.len() } else { C };
    let (rows, l, x_j) = (&rows[..c], &l[..c], x[j]);
    for k in 0..c {
        x[rows[k] as usize] -= l[k] * x_j;
    }
}

/// x_j from the others.
#[inline(always)]
fn backward<const C: usize>(x: &mut [f64], j: usize, rows: &[u32], l: &[f64], inv: f64) {
    let c = if C == 0 { rows.len() } else { C };
    let (rows, l) = (&rows[..c], &l[..c]);
    // the nearest ones last: they are the last to be known
    let mut x_j = x[j] * inv;
    for k in (0..c).rev() {
        x_j -= l[k] * x[rows[k] as usize];
    }
    x[j] = x_j;
}

crate::keep::keep!(Ldl { values, inv_d } but { n, col_ptr, rows, way });

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix by its pattern: dominant diagonal, entries that differ.
    fn solve_back(pattern: &[Vec<u32>], ldl: &mut Ldl) -> f64 {
        let n = pattern.len();
        let entry = |i: usize, j: usize| -0.5 - 0.1 * ((i * 7 + j * 3) % 11) as f64;
        let mut diagonal: Vec<f64> = (0..n).map(|j| 3.0 + (j % 5) as f64).collect();
        let x_true: Vec<f64> = (0..n).map(|i| 1.0 + (i % 13) as f64 * 0.3).collect();
        let mut x = vec![0.0; n];
        for (j, rows) in pattern.iter().enumerate() {
            for i in rows.iter().map(|&i| i as usize) {
                diagonal[i] += entry(i, j).abs();
                diagonal[j] += entry(i, j).abs();
                x[i] += entry(i, j) * x_true[j];
                x[j] += entry(i, j) * x_true[i];
            }
        }
        ldl.values_mut().fill(0.0);
        for (j, rows) in pattern.iter().enumerate() {
            let at = ldl.slot(j, j);
            // indefinite, as saddle points are
            let d = if j % 3 == 2 { -diagonal[j] } else { diagonal[j] };
            ldl.values_mut()[at] = d;
            x[j] += d * x_true[j];
            for i in rows.iter().map(|&i| i as usize) {
                let at = ldl.slot(i, j);
                ldl.values_mut()[at] = entry(i, j);
            }
        }
        ldl.factor(|_, d| d);
        ldl.solve(&mut x);
        x.iter().zip(&x_true).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// K = tridiagonal + one far entry, solved and multiplied back.
    #[test]
    fn exact_solves_what_it_factorised() {
        let n = 6;
        let mut pattern: Vec<Vec<u32>> =
            (0..n).map(|j| if j + 1 < n { vec![j + 1] } else { vec![] }).collect();
        pattern[0].push(5);
        let mut ldl = Ldl::new(&pattern).unwrap();
        assert!(solve_back(&pattern, &mut ldl) < 1e-14);
    }

    /// A grid has fill-in of all sizes: both ways of factorising it solve it.
    #[test]
    fn exact_both_ways() {
        let (width, height) = (23, 40);
        let mut pattern = vec![Vec::new(); width * height];
        for k in 0..width * height {
            if k % width + 1 < width {
                pattern[k].push(k as u32 + 1);
            }
            if k + width < width * height {
                pattern[k].push((k + width) as u32);
            }
        }
        let mut ldl = Ldl::new(&pattern).unwrap();
        assert!(matches!(ldl.way, Way::Schedule(_)), "{}", ldl.work());
        let scheduled = solve_back(&pattern, &mut ldl);
        let one = ldl.values.clone();
        ldl.way = Way::Supernodes(Box::new(Supernodes::new(&ldl.col_ptr, &ldl.rows)));
        let dense = solve_back(&pattern, &mut ldl);
        let differ = one.iter().zip(&ldl.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("errors {scheduled:.1e} and {dense:.1e}, factors differ by {differ:.1e}");
        assert!(scheduled < 1e-13 && dense < 1e-13 && differ < 1e-12);
    }
}
