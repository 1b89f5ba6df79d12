//! Factorisation by supernodes, for matrices with much fill-in: neighbouring columns with the same rows below them are a dense block.
//!
//! Left-looking. With K a supernode, its columns k, the rows R below it, and J a later one that holds the rows R_p..R_q of it:
//!
//! ```text
//!   (N1)  U_it = Σ_k l_ik d_k l_tk        i = t..|R|, t = p..q      dense, several k and two t at a time
//!   (N2)  K_{R_i, R_t} −= U_it            scattered into the columns of J
//! ```
//!
//! and when all K are through, J itself column by column in the same loops. Columns are stored as everywhere in [`Ldl`](super::ldl::Ldl), the shared
//! rows at their ends, so that slices of the same length can be taken from all of them, and solving does not care.

use pulp::Arch;

/// Columns of a supernode, at most: its own block is then factorised within the nearest cache.
const WIDEST: usize = 48;

/// Supernodes, who changes whom, and scratch.
#[derive(Clone, Debug)]
pub(super) struct Supernodes {
    /// First column of each, and the end.
    first: Vec<u32>,
    /// (K, p, q) of (N1) for each J, one after the other.
    changes: Vec<[u32; 3]>,
    change_ptr: Vec<u32>,
    /// Where a row stands in J.
    local: Vec<u32>,
    relative: Vec<u32>,
    u: [Vec<f64>; 2],
    d: Vec<f64>,
    arch: Arch,
}

impl Supernodes {
    pub(super) fn new(col_ptr: &[u32], rows: &[u32]) -> Self {
        let n = col_ptr.len() - 1;
        let column = |j: usize| &rows[col_ptr[j] as usize..col_ptr[j + 1] as usize];
        let mut first = Vec::new();
        let mut of = vec![0_u32; n];
        for j in 0..n {
            let joins = j > 0
                && j - (first[first.len() - 1] as usize) < WIDEST
                && column(j - 1).first() == Some(&(j as u32))
                && column(j - 1).len() == column(j).len() + 1;
            if !joins {
                first.push(j as u32);
            }
            of[j] = first.len() as u32 - 1;
        }
        let count = first.len();
        first.push(n as u32);
        // each below a supernode, as a stretch of its rows for every supernode that they are in
        let mut stretches: Vec<(u32, [u32; 3])> = Vec::new();
        let mut longest = 0;
        for k in 0..count {
            let below = column(first[k + 1] as usize - 1);
            longest = longest.max(below.len());
            let mut p = 0;
            while p < below.len() {
                let j = of[below[p] as usize];
                let q = p + below[p..].iter().take_while(|&&r| of[r as usize] == j).count();
                stretches.push((j, [k as u32, p as u32, q as u32]));
                p = q;
            }
        }
        stretches.sort_unstable();
        let mut change_ptr = vec![0; count + 1];
        for (j, _) in &stretches {
            change_ptr[*j as usize + 1] += 1;
        }
        for j in 0..count {
            change_ptr[j + 1] += change_ptr[j];
        }
        Supernodes {
            first,
            changes: stretches.into_iter().map(|s| s.1).collect(),
            change_ptr,
            local: vec![0; n],
            relative: vec![0; longest],
            u: [vec![0.0; longest], vec![0.0; longest]],
            d: vec![0.0; n],
            arch: Arch::new(),
        }
    }

    /// K to its factor, in place; `pivot` tells what to use instead of a pivot, and 0 drops it.
    pub(super) fn factor(
        &mut self,
        col_ptr: &[u32],
        rows: &[u32],
        values: &mut [f64],
        inv_d: &mut [f64],
        pivot: impl FnMut(usize, f64) -> f64,
    ) {
        self.arch.dispatch(
            #[inline(always)]
            || self.factor_here(col_ptr, rows, values, inv_d, pivot),
        );
    }

    #[inline(always)]
    fn factor_here(
        &mut self,
        col_ptr: &[u32],
        rows: &[u32],
        values: &mut [f64],
        inv_d: &mut [f64],
        mut pivot: impl FnMut(usize, f64) -> f64,
    ) {
        let nnz = rows.len();
        let ptr = |j: usize| col_ptr[j] as usize;
        for node in 0..self.first.len() - 1 {
            let [j0, j1] = [self.first[node] as usize, self.first[node + 1] as usize];
            for r in j0..j1 {
                self.local[r] = (r - j0) as u32;
            }
            for (i, &r) in rows[ptr(j1 - 1)..ptr(j1)].iter().enumerate() {
                self.local[r as usize] = (j1 - j0 + i) as u32;
            }
            let changes = self.change_ptr[node] as usize..self.change_ptr[node + 1] as usize;
            for &[k, p, q] in &self.changes[changes] {
                let [p, q] = [p as usize, q as usize];
                let [k0, k1] = [self.first[k as usize] as usize, self.first[k as usize + 1] as usize];
                let below = &rows[ptr(k1 - 1)..ptr(k1)];
                let relative = &mut self.relative[..below.len() - p];
                for (relative, &r) in relative.iter_mut().zip(&below[p..]) {
                    *relative = self.local[r as usize];
                }
                // the rows below start here in column k
                let base = |k: usize| ptr(k) + (k1 - 1 - k);
                let mut t = p;
                while t < q {
                    let two = t + 1 < q;
                    let len = below.len() - t;
                    let [u0, u1] = &mut self.u;
                    let (u0, u1) = (&mut u0[..len], &mut u1[..len]);
                    u0.fill(0.0);
                    u1.fill(0.0);
                    let mut k = k0;
                    // (N1)
                    while k < k1 {
                        let taken = (k1 - k).min(4);
                        let at: [usize; 4] = std::array::from_fn(|c| base(k + c.min(taken - 1)) + t);
                        let [mut c0, mut c1] = [[0.0; 4]; 2];
                        for c in 0..taken {
                            let d = self.d[k + c];
                            c0[c] = d * values[at[c]];
                            c1[c] = if two { d * values[at[c] + 1] } else { 0.0 };
                        }
                        let l = at.map(|at| &values[at..at + len]);
                        if taken == 4 {
                            add_4(u0, u1, c0, c1, l);
                        } else {
                            for c in 0..taken {
                                add_1(u0, u1, c0[c], c1[c], l[c]);
                            }
                        }
                        k += taken;
                    }
                    // (N2)
                    for (s, u) in [&*u0, &*u1].into_iter().enumerate().take(1 + usize::from(two)) {
                        let relative = &relative[t - p + s..];
                        let c = relative[0] as usize;
                        values[nnz + j0 + c] -= u[s];
                        let start = ptr(j0 + c);
                        let column = &mut values[start..ptr(j0 + c + 1)];
                        for (&at, u) in relative[1..].iter().zip(&u[s + 1..]) {
                            column[at as usize - c - 1] -= u;
                        }
                    }
                    t += 2;
                }
            }
            // J itself: the columns before c are ready
            for c in j0..j1 {
                let (ready, rest) = values.split_at_mut(ptr(c));
                let (column, rest) = rest.split_at_mut(ptr(c + 1) - ptr(c));
                let diagonal = &mut rest[nnz - ptr(c + 1) + c];
                let mut k = j0;
                while k < c {
                    let taken = (c - k).min(4);
                    let at: [usize; 4] = std::array::from_fn(|i| {
                        let k = k + i.min(taken - 1);
                        ptr(k) + (c - 1 - k)
                    });
                    let mut factors = [0.0; 4];
                    for i in 0..taken {
                        let l = ready[at[i]];
                        factors[i] = -self.d[k + i] * l;
                        *diagonal += factors[i] * l;
                    }
                    let l = at.map(|at| &ready[at + 1..at + 1 + column.len()]);
                    for i in 0..column.len() {
                        let sum = factors[0] * l[0][i] + factors[1] * l[1][i];
                        column[i] += sum + (factors[2] * l[2][i] + factors[3] * l[3][i]);
                    }
                    k += taken;
                }
                let d = pivot(c, *diagonal);
                let inv = if d == 0.0 { 0.0 } else { 1.0 / d };
                self.d[c] = d;
                inv_d[c] = inv;
                for x in column {
                    *x *= inv;
                }
            }
        }
    }
}

#[inline(always)]
fn add_4(u0: &mut [f64], u1: &mut [f64], c0: [f64; 4], c1: [f64; 4], l: [&[f64]; 4]) {
    let n = u0.len();
    let (u1, l) = (&mut u1[..n], l.map(|l| &l[..n]));
    for i in 0..n {
        let [a, b, c, d] = [l[0][i], l[1][i], l[2][i], l[3][i]];
        u0[i] += (c0[0] * a + c0[1] * b) + (c0[2] * c + c0[3] * d);
        u1[i] += (c1[0] * a + c1[1] * b) + (c1[2] * c + c1[3] * d);
    }
}

#[inline(always)]
fn add_1(u0: &mut [f64], u1: &mut [f64], c0: f64, c1: f64, l: &[f64]) {
    for ((u0, u1), l) in u0.iter_mut().zip(u1).zip(l) {
        *u0 += c0 * l;
        *u1 += c1 * l;
    }
}
