//! The saddle-point system of constrained motion, with a pattern fixed once:
//!
//! ```text
//!   (K1)  M x + Aᵀ λ = f
//!   (K2)  A x        = g
//! ```
//!
//! M = Ms ⊗ 1: one number per pair of points. It is solved through the quasi-definite matrix
//!
//! ```text
//!   (K3)  [ M + AᵀWA   Aᵀ ] [x]   [ f + AᵀW g ]
//!         [    A       −E ] [λ] = [     g     ]
//! ```
//!
//! with W = diag(w) the mass that each row acts on and E = diag(ε/w), then refined against (K1), (K2).
//! AᵀWA changes nothing in the answer, gives massless points that the constraints hold a sound pivot, and
//! adds no fill-in, because the points of a row are coupled by the mass of their body anyway.
//! −E keeps the pivot of a dependent row away from zero: if the rows are consistent, refinement
//! converges to a solution all the same, with x unique and λ one of the possible ones.
//!
//! E is there where it is needed. At first there is none. If a pivot of a row, times w, then is below 1e-3, the matrix is factorised
//! again with ε = 1e-10 in all rows, and at least one refinement follows every solution: with none, integrators see noise instead of a
//! smooth right-hand side and take a hundred times the steps. Elsewhere the factor solves to rounding at once, which
//! the residual confirms, and half of all solves are saved.
//!
//! Inside, vectors stand in the order of elimination, the columns of a point side by side: the factor is applied
//! to them as they are.

use super::ldl::Ldl;
use super::ordering::{self, RowPattern};
use crate::keep::{Bytes, Damaged, Keep};

pub use super::ldl::MAX_FACTOR_ENTRIES;
pub use super::ordering::MAX_FACTOR_WORK;

/// More pairs of unknowns that occur together in a row than this, over all rows, are refused.
pub const MAX_ROW_PAIRS: usize = 10_000_000;
/// Unless there are no more than this for a row, as in a long chain.
const FEW_PAIRS: usize = 40;

const EPSILON: f64 = 1e-10;
/// Where a pivot of a row is below this, times w, there is an ε.
const SOUND: f64 = 1e-3;
/// Elsewhere a first solution with a residual below this part of the right-hand side is good as it is.
const AT_ONCE: f64 = 2e-15;
/// Refinement ends when the residual is below this part of the right-hand side.
const REFINED: f64 = 1e-14;
const MAX_REFINEMENTS: u32 = 6;
/// The part of the accelerations that forces would give alone which counts where a pivot is not sound: refinement ends when nothing is gained any more.
const AT_REST: f64 = 1e-6;

/// Why a factorisation cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KktFailure {
    /// Neither mass nor constraints hold this point.
    Massless {
        /// The point block.
        point: usize,
    },
    /// A value is not finite.
    NotFinite,
}

/// How well a system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Refinement steps taken.
    pub refinements: u32,
    /// Largest residual of (K2), absolute.
    pub constraint_residual: f64,
}

/// The solver: pattern, values of A, factor and scratch.
#[derive(Clone, Debug)]
pub struct Kkt {
    points: usize,
    columns: usize,
    /// (i, j, value) with i >= j, over point blocks.
    mass: Vec<(usize, usize, f64)>,
    /// Mean of the diagonal of Ms.
    mean_mass: f64,
    row_ptr: Vec<usize>,
    row_points: Vec<usize>,
    /// Values of A: for each row, for each of its points, `columns` numbers.
    pub a: Vec<f64>,
    weights: Vec<f64>,
    ldl: Ldl,
    /// Where the unknowns of points stand in the elimination order, and those of rows.
    at: Vec<u32>,
    row_at: Vec<u32>,
    /// The diagonal of Ms by points, and what couples two of them: `at` of both, and the value.
    own_mass: Vec<f64>,
    shared_mass: Vec<(u32, u32, f64)>,
    /// `at` of the points of each row.
    block_at: Vec<u32>,
    /// Where each mass entry stands in the matrix, `columns` slots each; likewise A and AᵀWA.
    mass_slots: Vec<u32>,
    a_slots: Vec<u32>,
    outer_slots: Vec<u32>,
    outer_ptr: Vec<usize>,
    /// w in the order of elimination, infinite at points.
    guard: Vec<f64>,
    /// Whether all pivots of rows in the last factorisation were [`SOUND`].
    sound: bool,
    /// The diagonal of the last matrix that was factorised.
    diagonal: Vec<f64>,
    b: Vec<f64>,
    residual: Vec<f64>,
    solution: Vec<f64>,
    best: Vec<f64>,
    /// Right-hand sides, residuals and solutions of several systems side by side, once there are any.
    wide: Vec<f64>,
}

impl Kkt {
    /// Symbolic set-up. `mass` lists Ms as (i, j, value) with i >= j over points; `rows` the points of
    /// each constraint row. `None` if the factor would be too large ([`MAX_FACTOR_ENTRIES`],
    /// [`MAX_FACTOR_WORK`], [`MAX_ROW_PAIRS`]).
    pub fn new(
        points: usize,
        columns: usize,
        mass: &[(usize, usize, f64)],
        rows: &[RowPattern],
    ) -> Option<Self> {
        let pairs = |row: &RowPattern| (row.points.len() * columns).pow(2);
        if rows.iter().map(pairs).sum::<usize>() > MAX_ROW_PAIRS.max(FEW_PAIRS * rows.len()) {
            return None;
        }
        let edges: Vec<_> = mass.iter().map(|&(i, j, _)| (i, j)).collect();
        let order = ordering::points_first(points, columns, &edges, rows)?;
        let (n, m) = (points * columns, rows.len());
        let (mut at, mut row_at) = (vec![0_u32; points], vec![0_u32; m]);
        let mut next = 0;
        for node in order {
            match node.checked_sub(points) {
                None => at[node] = next,
                Some(r) => row_at[r] = next,
            }
            next += if node < points { columns as u32 } else { 1 };
        }
        let mut pattern: Vec<Vec<u32>> = vec![Vec::new(); n + m];
        let mut couple = |a: u32, b: u32| {
            if a != b {
                pattern[a.min(b) as usize].push(a.max(b));
            }
        };
        for &(i, j, _) in mass {
            for c in 0..columns as u32 {
                couple(at[i] + c, at[j] + c);
            }
        }
        let unknowns = |row: &RowPattern| -> Vec<u32> {
            row.points
                .iter()
                .flat_map(|&p| (0..columns as u32).map(move |c| (p, c)))
                .map(|(p, c)| at[p] + c)
                .collect()
        };
        for (row, &r) in rows.iter().zip(&row_at) {
            let unknowns = unknowns(row);
            for (s, &u) in unknowns.iter().enumerate() {
                couple(u, r);
                for &w in &unknowns[..s] {
                    couple(u, w);
                }
            }
        }
        for column in &mut pattern {
            column.sort_unstable();
            column.dedup();
        }
        let ldl = Ldl::new(&pattern)?;
        drop(pattern);

        let slot = |a: u32, b: u32| ldl.slot(a as usize, b as usize) as u32;
        let mut mass_slots = Vec::with_capacity(mass.len() * columns);
        for &(i, j, _) in mass {
            mass_slots.extend((0..columns as u32).map(|c| slot(at[i] + c, at[j] + c)));
        }
        let mut row_ptr = vec![0];
        let mut row_points = Vec::new();
        let (mut a_slots, mut outer_slots, mut outer_ptr) = (Vec::new(), Vec::new(), vec![0]);
        for (row, &r) in rows.iter().zip(&row_at) {
            row_points.extend_from_slice(&row.points);
            row_ptr.push(row_points.len());
            let unknowns = unknowns(row);
            for (s, &u) in unknowns.iter().enumerate() {
                a_slots.push(slot(u, r));
                outer_slots.extend(unknowns[..=s].iter().map(|&w| slot(u, w)));
            }
            outer_ptr.push(outer_slots.len());
        }
        let zeros = || vec![0.0; n + m];
        let mut kkt = Kkt {
            points,
            columns,
            mass: mass.to_vec(),
            mean_mass: 1.0,
            a: vec![0.0; row_points.len() * columns],
            own_mass: vec![0.0; points],
            shared_mass: Vec::with_capacity(mass.len()),
            block_at: row_points.iter().map(|&p| at[p]).collect(),
            row_ptr,
            row_points,
            weights: vec![1.0; m],
            at,
            row_at,
            a_slots,
            outer_slots,
            outer_ptr,
            mass_slots,
            guard: vec![f64::INFINITY; n + m],
            sound: false,
            diagonal: zeros(),
            b: zeros(),
            residual: zeros(),
            solution: zeros(),
            best: zeros(),
            wide: Vec::new(),
            ldl,
        };
        kkt.weigh_mass();
        kkt.set_guards();
        Some(kkt)
    }

    fn weigh_mass(&mut self) {
        self.own_mass.fill(0.0);
        self.shared_mass.clear();
        for &(i, j, v) in &self.mass {
            if i == j {
                self.own_mass[i] += v;
            } else {
                self.shared_mass.push((self.at[i], self.at[j], v));
            }
        }
        let mean = self.own_mass.iter().sum::<f64>() / self.points.max(1) as f64;
        self.mean_mass = if mean > 0.0 { mean } else { 1.0 };
    }

    fn set_guards(&mut self) {
        for (&at, &w) in self.row_at.iter().zip(&self.weights) {
            self.guard[at as usize] = w;
        }
    }

    /// Changes the values of Ms, in the order in which they were given at first.
    pub fn set_mass(&mut self, values: impl IntoIterator<Item = f64>) {
        for (entry, value) in self.mass.iter_mut().zip(values) {
            entry.2 = value;
        }
        self.weigh_mass();
    }

    /// Number of coordinates.
    pub fn n(&self) -> usize {
        self.points * self.columns
    }

    /// Coordinates of a point.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of constraint rows.
    pub fn m(&self) -> usize {
        self.weights.len()
    }

    /// Number of entries in the factor: what a factorisation and a solve go through.
    pub fn factor_entries(&self) -> usize {
        self.ldl.entries()
    }

    /// Multiplications of one factorisation.
    pub fn factor_work(&self) -> u64 {
        self.ldl.work()
    }

    /// Where the values of a row start in [`Kkt::a`], and its points.
    pub fn row(&self, r: usize) -> (usize, &[usize]) {
        let blocks = self.row_ptr[r]..self.row_ptr[r + 1];
        (blocks.start * self.columns, &self.row_points[blocks])
    }

    /// Sets w of each row to the mass it acts on, Σ|a|² / Σ(|a|²/m) over its points at the present A, with the
    /// diagonal of Ms only; points lighter than a thousandth of the mean count as that. The size of the
    /// row itself must not matter: a row that vanishes here is no heavier for it.
    pub fn weigh_rows(&mut self) {
        let mean = self.own_mass.iter().sum::<f64>() / self.points.max(1) as f64;
        let floor = if mean > 0.0 { 1e-3 * mean } else { 1.0 };
        for r in 0..self.m() {
            let (start, row_points) = self.row(r);
            let (mut sum, mut inverse) = (0.0, 0.0);
            for (s, &p) in row_points.iter().enumerate() {
                let block = &self.a[start + s * self.columns..start + (s + 1) * self.columns];
                let square = block.iter().map(|v| v * v).sum::<f64>();
                sum += square;
                inverse += square / self.own_mass[p].max(floor);
            }
            self.weights[r] = if sum > 0.0 { sum / inverse } else { floor };
        }
        self.set_guards();
    }

    /// Factorises with the present A.
    pub fn factor(&mut self) -> Result<(), KktFailure> {
        self.sound = self.factor_with(0.0) >= SOUND;
        if !self.sound {
            self.factor_with(EPSILON);
        }
        // A pivot this far below its diagonal entry is what rounding leaves of zero.
        self.check_pivots(1e-13)
    }

    /// Factorises with this ε in all rows; gives the least pivot of a row, times w.
    fn factor_with(&mut self, epsilon: f64) -> f64 {
        self.assemble();
        let guard = &self.guard[..];
        let mut least = f64::INFINITY;
        self.ldl.factor(
            #[inline(always)]
            |j, d| {
                // ε/w is nothing at points, where w is infinite
                let d = d - epsilon / guard[j];
                least = f64::min(least, guard[j] * d.abs());
                d
            },
        );
        least
    }

    /// K without −E.
    fn assemble(&mut self) {
        let d = self.columns;
        let nnz = self.ldl.entries();
        let k = self.ldl.values_mut();
        k.fill(0.0);
        for (entry, slots) in self.mass.iter().zip(self.mass_slots.chunks_exact(d)) {
            for &slot in slots {
                k[slot as usize] += entry.2;
            }
        }
        for (&slot, &v) in self.a_slots.iter().zip(&self.a) {
            k[slot as usize] = v;
        }
        for (r, &w) in self.weights.iter().enumerate() {
            let a = &self.a[self.row_ptr[r] * d..self.row_ptr[r + 1] * d];
            let mut outer = &self.outer_slots[self.outer_ptr[r]..self.outer_ptr[r + 1]];
            for (s, &u) in a.iter().enumerate() {
                let wu = w * u;
                let (now, later) = outer.split_at(s + 1);
                outer = later;
                for (&v, &slot) in a.iter().zip(now) {
                    k[slot as usize] += wu * v;
                }
            }
        }
        self.diagonal.copy_from_slice(&k[nnz..]);
    }

    /// Whether every point has a pivot that is more than `vanished` of its diagonal entry.
    pub fn check_pivots(&self, vanished: f64) -> Result<(), KktFailure> {
        let pivots = self.ldl.pivots();
        let mut sound = true;
        for ((d, k), guard) in pivots.iter().zip(&self.diagonal).zip(&self.guard) {
            // false for a pivot that is no number
            sound &= (*d > vanished * k && *d < f64::INFINITY) | guard.is_finite();
        }
        if sound {
            return Ok(());
        }
        let of_point = |p: usize| self.at[p] as usize..self.at[p] as usize + self.columns;
        let gone = |i: usize| pivots[i] <= vanished * self.diagonal[i];
        match (0..self.points).find(|&p| of_point(p).any(gone)) {
            Some(point) => Err(KktFailure::Massless { point }),
            None => Err(KktFailure::NotFinite),
        }
    }

    /// How independent a row is of those that were eliminated before it, from the present factor: of the order of one
    /// for a row of its own, zero for one that depends on the others. It falls with the square of the distance from such
    /// a place.
    pub fn independence(&self, r: usize) -> f64 {
        let pivot = self.ldl.pivots()[self.row_at[r] as usize];
        (-self.weights[r] * pivot).max(0.0) // without −E
    }

    /// Solves (K1), (K2) with the present factor.
    pub fn solve(&mut self, f: &[f64], g: &[f64], x: &mut [f64], lambda: &mut [f64]) -> SolveReport {
        self.solve_within(0.0, f, g, x, lambda)
    }

    /// As [`Kkt::solve`], content with residuals of this part of the right-hand side, before any refinement too.
    pub fn solve_within(
        &mut self,
        wanted: f64,
        f: &[f64],
        g: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> SolveReport {
        match self.columns {
            1 => self.solve_in::<1>(wanted, f, g, x, lambda),
            2 => self.solve_in::<2>(wanted, f, g, x, lambda),
            3 => self.solve_in::<3>(wanted, f, g, x, lambda),
            _ => self.solve_in::<0>(wanted, f, g, x, lambda),
        }
    }

    /// `D` columns, or as many as there are if it is 0.
    fn solve_in<const D: usize>(
        &mut self,
        wanted: f64,
        f: &[f64],
        g: &[f64],
        x: &mut [f64],
        lambda: &mut [f64],
    ) -> SolveReport {
        let d = if D == 0 { self.columns } else { D };
        let (mut scale_f, mut scale_g) = (0.0_f64, 0.0_f64);
        for (&at, f) in self.at.iter().zip(f.chunks_exact(d)) {
            let b = &mut self.b[at as usize..][..d];
            for c in 0..d {
                b[c] = f[c];
                scale_f = scale_f.max(f[c].abs());
            }
        }
        for (&at, &g) in self.row_at.iter().zip(g) {
            self.b[at as usize] = g;
            scale_g = scale_g.max(g.abs());
        }
        self.residual.copy_from_slice(&self.b);
        let mut best = f64::INFINITY;
        let mut report = SolveReport::default();
        for round in 0..=MAX_REFINEMENTS {
            self.correct::<D>(round == 0);
            let sizes = self.remain::<D>();
            // Rows of A are unit vectors in each point, so |λ| and |x| are the sizes of what cancels.
            let size_f = (scale_f + sizes.lambda).max(f64::MIN_POSITIVE);
            // What cancels in A x at rest are the accelerations that forces and multipliers would give alone. Where rows nearly depend on each other
            // those are a bad measure: multipliers are large, and what is left of a row goes into x many times over.
            let rest = if self.sound { 1.0 } else { AT_REST };
            let size_g = (scale_g + sizes.x + rest * size_f / self.mean_mass).max(f64::MIN_POSITIVE);
            let relative = (sizes.residual_f / size_f).max(sizes.residual_g / size_g);
            report.refinements = round;
            let lost = sizes.lost || !relative.is_finite();
            if lost && round == 0 {
                break; // there is no better answer, and the caller sees that this is none
            }
            if lost || relative >= best {
                // no gain left: rounding, or rows that contradict each other
                self.solution.copy_from_slice(&self.best);
                break;
            }
            report.constraint_residual = sizes.residual_g;
            let gained = relative < 0.25 * best;
            best = relative;
            let refined = if round >= 1 { relative <= REFINED } else { relative <= AT_ONCE && self.sound };
            if relative < wanted || refined || (round >= 1 && !gained) {
                break;
            }
            self.best.copy_from_slice(&self.solution);
        }
        for (&at, x) in self.at.iter().zip(x.chunks_exact_mut(d)) {
            x.copy_from_slice(&self.solution[at as usize..][..d]);
        }
        for (&at, lambda) in self.row_at.iter().zip(lambda) {
            *lambda = self.solution[at as usize];
        }
        report
    }

    /// Solves (K1), (K2) with the present factor for L right-hand sides side by side, with as many refinements as said.
    #[inline(always)]
    pub fn solve_lanes<const L: usize>(
        &mut self,
        refinements: u32,
        f: &[[f64; L]],
        g: &[[f64; L]],
        x: &mut [[f64; L]],
        lambda: &mut [[f64; L]],
    ) {
        let (d, n) = (self.columns, self.b.len());
        let mut wide = std::mem::take(&mut self.wide);
        wide.resize(3 * n * L, 0.0);
        let (residual, rest) = wide.as_chunks_mut::<L>().0.split_at_mut(n);
        let (b, solution) = rest.split_at_mut(n);
        for (&at, f) in self.at.iter().zip(f.chunks_exact(d)) {
            residual[at as usize..][..d].copy_from_slice(f);
        }
        for (&at, g) in self.row_at.iter().zip(g) {
            residual[at as usize] = *g;
        }
        if refinements > 0 {
            b.copy_from_slice(residual);
            solution.fill([0.0; L]);
        }
        for round in 0..=refinements {
            // (K3), as in `correct`
            for (r, &at) in self.row_at.iter().enumerate() {
                let w_g = residual[at as usize].map(|g| self.weights[r] * g);
                let blocks = self.row_ptr[r]..self.row_ptr[r + 1];
                let values = self.a[blocks.start * d..blocks.end * d].chunks_exact(d);
                for (&at, a) in self.block_at[blocks].iter().zip(values) {
                    for (to, a) in residual[at as usize..][..d].iter_mut().zip(a) {
                        (0..L).for_each(|k| to[k] += a * w_g[k]);
                    }
                }
            }
            self.ldl.solve_lanes(residual);
            if refinements == 0 {
                break;
            }
            for (x, dx) in solution.iter_mut().zip(&*residual) {
                (0..L).for_each(|k| x[k] += dx[k]);
            }
            if round < refinements {
                self.remain_lanes(b, solution, residual);
            }
        }
        let solution = if refinements == 0 { &*residual } else { &*solution };
        for (&at, x) in self.at.iter().zip(x.chunks_exact_mut(d)) {
            x.copy_from_slice(&solution[at as usize..][..d]);
        }
        for (&at, lambda) in self.row_at.iter().zip(lambda) {
            *lambda = solution[at as usize];
        }
        self.wide = wide;
    }

    /// What solutions leave of (K1) and (K2).
    #[inline(always)]
    fn remain_lanes<const L: usize>(&self, b: &[[f64; L]], x: &[[f64; L]], residual: &mut [[f64; L]]) {
        let d = self.columns;
        residual.copy_from_slice(b);
        let mut take = |to: usize, a: f64, from: usize| {
            (0..L).for_each(|k| residual[to][k] -= a * x[from][k]);
        };
        for (&at, &m) in self.at.iter().zip(&self.own_mass) {
            (0..d).for_each(|c| take(at as usize + c, m, at as usize + c));
        }
        for &(i, j, v) in &self.shared_mass {
            let (i, j) = (i as usize, j as usize);
            for c in 0..d {
                take(i + c, v, j + c);
                take(j + c, v, i + c);
            }
        }
        for (r, &row) in self.row_at.iter().enumerate() {
            let blocks = self.row_ptr[r]..self.row_ptr[r + 1];
            let values = self.a[blocks.start * d..blocks.end * d].chunks_exact(d);
            for (&at, a) in self.block_at[blocks].iter().zip(values) {
                for (c, &a) in a.iter().enumerate() {
                    take(row as usize, a, at as usize + c);
                    take(at as usize + c, a, row as usize);
                }
            }
        }
    }

    /// Adds the solution of (K3) for the present residual to the solution, which is zero at first.
    fn correct<const D: usize>(&mut self, first: bool) {
        let d = if D == 0 { self.columns } else { D };
        for (r, &at) in self.row_at.iter().enumerate() {
            let w_g = self.weights[r] * self.residual[at as usize];
            if w_g == 0.0 {
                continue;
            }
            let blocks = self.row_ptr[r]..self.row_ptr[r + 1];
            let values = self.a[blocks.start * d..blocks.end * d].chunks_exact(d);
            for (&at, a) in self.block_at[blocks].iter().zip(values) {
                let f = &mut self.residual[at as usize..][..d];
                for c in 0..d {
                    f[c] += a[c] * w_g;
                }
            }
        }
        self.ldl.solve(&mut self.residual);
        if first {
            std::mem::swap(&mut self.solution, &mut self.residual);
        } else {
            self.solution.iter_mut().zip(&self.residual).for_each(|(x, dx)| *x += dx);
        }
    }

    /// What the solution leaves of (K1) and (K2), and the sizes of all that.
    fn remain<const D: usize>(&mut self) -> Sizes {
        let d = if D == 0 { self.columns } else { D };
        let (x, residual) = (&self.solution[..], &mut self.residual[..]);
        let mut sizes = Sizes::default();
        for (&at, m) in self.at.iter().zip(&self.own_mass) {
            let at = at as usize..at as usize + d;
            let (to, x, b) = (&mut residual[at.clone()], &x[at.clone()], &self.b[at]);
            for c in 0..d {
                to[c] = b[c] - m * x[c];
                sizes.x = sizes.x.max(x[c].abs());
            }
        }
        for &(i, j, v) in &self.shared_mass {
            let (i, j) = (i as usize, j as usize);
            for c in 0..d {
                residual[i + c] -= v * x[j + c];
                residual[j + c] -= v * x[i + c];
            }
        }
        let mut sum = 0.0; // not finite if anything is not
        for (r, &at) in self.row_at.iter().enumerate() {
            let l = x[at as usize];
            let mut left = self.b[at as usize];
            let blocks = self.row_ptr[r]..self.row_ptr[r + 1];
            let values = self.a[blocks.start * d..blocks.end * d].chunks_exact(d);
            for (&at, a) in self.block_at[blocks].iter().zip(values) {
                let to = &mut residual[at as usize..][..d];
                let from = &x[at as usize..][..d];
                for c in 0..d {
                    left -= a[c] * from[c];
                    to[c] -= a[c] * l;
                }
            }
            residual[at as usize] = left;
            sizes.lambda = sizes.lambda.max(l.abs());
            sizes.residual_g = sizes.residual_g.max(left.abs());
            sum += left;
        }
        for &at in &self.at {
            let left = &residual[at as usize..][..d];
            for c in 0..d {
                sizes.residual_f = sizes.residual_f.max(left[c].abs());
                sum += left[c];
            }
        }
        sizes.lost = !sum.is_finite();
        sizes
    }

    /// y = M x.
    pub fn apply_mass(&self, x: &[f64], y: &mut [f64]) {
        let d = self.columns;
        y.fill(0.0);
        for &(i, j, v) in &self.mass {
            for c in 0..d {
                y[i * d + c] += v * x[j * d + c];
                if i != j {
                    y[j * d + c] += v * x[i * d + c];
                }
            }
        }
    }

    /// The row r of A times x.
    pub fn row_times(&self, r: usize, x: &[f64]) -> f64 {
        let d = self.columns;
        let mut sum = 0.0;
        for b in self.row_ptr[r]..self.row_ptr[r + 1] {
            let p = self.row_points[b];
            for c in 0..d {
                sum += self.a[b * d + c] * x[p * d + c];
            }
        }
        sum
    }

    /// f += s · (row r of A)ᵀ.
    pub fn add_row(&self, r: usize, s: f64, f: &mut [f64]) {
        let d = self.columns;
        for b in self.row_ptr[r]..self.row_ptr[r + 1] {
            let p = self.row_points[b];
            for c in 0..d {
                f[p * d + c] += s * self.a[b * d + c];
            }
        }
    }

    /// Rows that depend on others at the present A. M should be the identity here, so that a pivot measures distance.
    pub fn dependent_rows(&mut self) -> Vec<usize> {
        // Squared distance of a unit row from the span of the others: below this it depends on them.
        const DEPENDENT: f64 = 1e-11;
        let m = self.m();
        let mut scale: Vec<f64> = vec![0.0; m];
        for r in 0..m {
            let values = self.row_ptr[r] * self.columns..self.row_ptr[r + 1] * self.columns;
            scale[r] = self.a[values].iter().map(|v| v * v).sum::<f64>();
        }
        self.weights.fill(1.0);
        self.set_guards();
        self.assemble();
        self.ldl.factor(|_, d| if d.abs() <= DEPENDENT { 0.0 } else { d });
        (0..m).filter(|&r| self.ldl.is_dropped(self.row_at[r] as usize) || scale[r] < 1e-24).collect()
    }

    /// For a dependent row, right after [`Kkt::dependent_rows`]: the combination y (over all rows, 1 at the
    /// row itself) with Aᵀ y = 0.
    pub fn combination(&mut self, r: usize, y: &mut Vec<f64>) {
        let d = self.columns;
        // M' x + A_Bᵀ y = −A_rᵀ, A_B x = 0
        self.residual.fill(0.0);
        for b in self.row_ptr[r]..self.row_ptr[r + 1] {
            for c in 0..d {
                self.residual[self.block_at[b] as usize + c] -= self.a[b * d + c];
            }
        }
        self.ldl.solve(&mut self.residual);
        y.clear();
        y.extend(self.row_at.iter().map(|&at| self.residual[at as usize]));
        y[r] = 1.0;
    }
}

/// The largest of everything.
#[derive(Default)]
struct Sizes {
    x: f64,
    lambda: f64,
    residual_f: f64,
    residual_g: f64,
    /// Whether a residual is no number.
    lost: bool,
}

/// The pattern follows from the model, and right-hand sides are worked out again by every solve.
impl Keep for Kkt {
    fn keep(&self, to: &mut Vec<u8>) {
        self.mass.len().keep(to);
        self.mass.iter().for_each(|entry| entry.2.keep(to));
        self.mean_mass.keep(to);
        self.a.keep(to);
        self.weights.keep(to);
        self.ldl.keep(to);
        self.sound.keep(to);
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        if usize::recalled(from)? != self.mass.len() {
            return Err(Damaged);
        }
        self.mass.iter_mut().try_for_each(|entry| entry.2.recall(from))?;
        self.weigh_mass();
        self.mean_mass.recall(from)?;
        self.a.recall(from)?;
        self.weights.recall(from)?;
        self.set_guards();
        self.ldl.recall(from)?;
        self.sound.recall(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(points: [usize; 2]) -> RowPattern {
        RowPattern { points: points.to_vec(), certain: vec![true; 2], simplex: None }
    }

    /// A massless point held by two rods between two masses, plus the same row twice.
    fn solver(duplicate: bool) -> Kkt {
        let mass = [(0, 0, 2.0), (1, 1, 0.0), (2, 2, 3.0)];
        let mut rows = vec![row([0, 1]), row([1, 2])];
        if duplicate {
            rows.push(row([0, 1]));
        }
        let mut kkt = Kkt::new(3, 2, &mass, &rows).unwrap();
        kkt.a[..8].copy_from_slice(&[-0.6, -0.8, 0.6, 0.8, -0.6, 0.8, 0.6, -0.8]);
        if duplicate {
            kkt.a[8..12].copy_from_slice(&[-0.6, -0.8, 0.6, 0.8]);
        }
        kkt.weigh_rows();
        kkt
    }

    #[test]
    fn exact_massless_point_and_dependent_row() {
        for duplicate in [false, true] {
            let mut kkt = solver(duplicate);
            kkt.factor().unwrap();
            let f = [1.0, -2.0, 0.0, 0.0, 0.5, 0.25];
            let g = vec![0.3, -0.7, 0.3][..kkt.m()].to_vec();
            let (mut x, mut l) = (vec![0.0; 6], vec![0.0; kkt.m()]);
            kkt.solve(&f, &g, &mut x, &mut l);
            let mut balance = vec![0.0; 6];
            kkt.apply_mass(&x, &mut balance);
            for r in 0..kkt.m() {
                kkt.add_row(r, l[r], &mut balance);
                assert!((kkt.row_times(r, &x) - g[r]).abs() < 1e-13);
            }
            for (b, f) in balance.iter().zip(&f) {
                assert!((b - f).abs() < 1e-12, "{balance:?}");
            }
        }
    }

    /// Right-hand sides that go side by side have the solutions that they have alone.
    #[test]
    fn exact_several_right_hand_sides() {
        for duplicate in [false, true] {
            let mut kkt = solver(duplicate);
            kkt.factor().unwrap();
            let f = [[1.0, 0.2], [-2.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.5, -0.3], [0.25, 4.0]];
            let g = &[[0.3, 1.5], [-0.7, 0.0], [0.3, 1.5]][..kkt.m()];
            let (mut x, mut l) = ([[0.0; 2]; 6], vec![[0.0; 2]; kkt.m()]);
            kkt.solve_lanes(u32::from(duplicate), &f, g, &mut x, &mut l);
            for k in 0..2 {
                let (f, g): (Vec<f64>, Vec<f64>) =
                    (f.iter().map(|f| f[k]).collect(), g.iter().map(|g| g[k]).collect());
                let (mut alone, mut lambda) = (vec![0.0; 6], vec![0.0; kkt.m()]);
                kkt.solve(&f, &g, &mut alone, &mut lambda);
                for (x, alone) in x.iter().zip(&alone) {
                    assert!((x[k] - alone).abs() < 1e-12, "{x:?} {alone}");
                }
            }
        }
    }

    #[test]
    fn exact_names_the_dependent_row() {
        let mass = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)];
        let mut kkt = Kkt::new(3, 2, &mass, &[row([0, 1]), row([1, 2]), row([0, 1])]).unwrap();
        kkt.a.copy_from_slice(&[-0.6, -0.8, 0.6, 0.8, -0.6, 0.8, 0.6, -0.8, -0.6, -0.8, 0.6, 0.8]);
        let dependent = kkt.dependent_rows();
        assert_eq!(dependent.len(), 1);
        let mut y = Vec::new();
        kkt.combination(dependent[0], &mut y);
        assert!(y[1].abs() < 1e-12 && (y[0] + y[2]).abs() < 1e-12 && y[0].abs() > 0.5, "{y:?}");
        assert!(solver(false).dependent_rows().is_empty());
    }

    #[test]
    fn exact_free_massless_point_is_named() {
        let mut kkt = Kkt::new(2, 2, &[(0, 0, 1.0), (1, 1, 0.0)], &[row([0, 1])]).unwrap();
        kkt.a.copy_from_slice(&[-1.0, 0.0, 1.0, 0.0]);
        kkt.weigh_rows();
        assert_eq!(kkt.factor(), Err(KktFailure::Massless { point: 1 }));
    }
}
