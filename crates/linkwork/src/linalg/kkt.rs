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
//! ε = 1e-10 and at least one refinement: with none, integrators see noise instead of a smooth
//! right-hand side and take a hundred times the steps.

use super::ldl::Ldl;
use super::ordering::{self, RowPattern};
use crate::keep::{Bytes, Damaged, Keep};

pub use super::ldl::MAX_FACTOR_ENTRIES;
pub use super::ordering::MAX_FACTOR_WORK;

/// More pairs of unknowns that occur together in a row than this, over all rows, are refused.
pub const MAX_ROW_PAIRS: usize = 10_000_000;

const EPSILON: f64 = 1e-10;
/// Refinement ends when the residual is below this part of the right-hand side.
const REFINED: f64 = 1e-14;
const MAX_REFINEMENTS: u32 = 6;

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
    /// Position in the elimination order of every unknown (coordinates, then rows).
    place: Vec<usize>,
    /// Where each mass entry stands in the matrix, `columns` slots each.
    mass_slots: Vec<u32>,
    k_mass: Vec<f64>,
    k: Vec<f64>,
    a_slots: Vec<u32>,
    outer_slots: Vec<u32>,
    outer_ptr: Vec<usize>,
    rhs: Vec<f64>,
    res_x: Vec<f64>,
    res_l: Vec<f64>,
    best: Vec<f64>,
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
        if rows.iter().map(pairs).sum::<usize>() > MAX_ROW_PAIRS {
            return None;
        }
        let edges: Vec<_> = mass.iter().map(|&(i, j, _)| (i, j)).collect();
        let order = ordering::points_first(points, columns, &edges, rows)?;
        let n = points * columns;
        let mut place = vec![0; n + rows.len()];
        let mut next = 0;
        for node in order {
            if node < points {
                for c in 0..columns {
                    place[node * columns + c] = next;
                    next += 1;
                }
            } else {
                place[n + node - points] = next;
                next += 1;
            }
        }
        let mut pattern: Vec<Vec<u32>> = vec![Vec::new(); next];
        let mut couple = |a: usize, b: usize| {
            if a != b {
                pattern[a.min(b)].push(a.max(b) as u32);
            }
        };
        for &(i, j, _) in mass {
            for c in 0..columns {
                couple(place[i * columns + c], place[j * columns + c]);
            }
        }
        for (r, row) in rows.iter().enumerate() {
            let unknowns: Vec<usize> =
                row.points.iter().flat_map(|&p| (0..columns).map(move |c| p * columns + c)).collect();
            for (s, &u) in unknowns.iter().enumerate() {
                couple(place[u], place[n + r]);
                for &w in &unknowns[..s] {
                    couple(place[u], place[w]);
                }
            }
        }
        for column in &mut pattern {
            column.sort_unstable();
            column.dedup();
        }
        let ldl = Ldl::new(&pattern)?;
        drop(pattern);

        let mut mass_slots = Vec::with_capacity(mass.len() * columns);
        for &(i, j, _) in mass {
            for c in 0..columns {
                mass_slots.push(ldl.slot(place[i * columns + c], place[j * columns + c]) as u32);
            }
        }
        let k_mass = vec![0.0; ldl.value_count()];
        let mut row_ptr = vec![0];
        let mut row_points = Vec::new();
        let (mut a_slots, mut outer_slots, mut outer_ptr) = (Vec::new(), Vec::new(), vec![0]);
        for (r, row) in rows.iter().enumerate() {
            row_points.extend_from_slice(&row.points);
            row_ptr.push(row_points.len());
            let unknowns: Vec<usize> =
                row.points.iter().flat_map(|&p| (0..columns).map(move |c| p * columns + c)).collect();
            for (s, &u) in unknowns.iter().enumerate() {
                a_slots.push(ldl.slot(place[u], place[n + r]) as u32);
                outer_slots.extend(unknowns[..=s].iter().map(|&w| ldl.slot(place[u], place[w]) as u32));
            }
            outer_ptr.push(outer_slots.len());
        }
        let m = rows.len();
        let mut kkt = Kkt {
            points,
            columns,
            mass: mass.to_vec(),
            mean_mass: 1.0,
            a: vec![0.0; row_points.len() * columns],
            row_ptr,
            row_points,
            weights: vec![1.0; m],
            place,
            k: k_mass.clone(),
            k_mass,
            a_slots,
            outer_slots,
            outer_ptr,
            rhs: vec![0.0; n + m],
            res_x: vec![0.0; n],
            res_l: vec![0.0; m],
            best: vec![0.0; n + m],
            mass_slots,
            ldl,
        };
        kkt.spread_mass();
        Some(kkt)
    }

    fn spread_mass(&mut self) {
        self.k_mass.fill(0.0);
        let diagonal = self.mass.iter().filter(|e| e.0 == e.1).map(|e| e.2).sum::<f64>();
        let mean = diagonal / self.points.max(1) as f64;
        self.mean_mass = if mean > 0.0 { mean } else { 1.0 };
        for (entry, slots) in self.mass.iter().zip(self.mass_slots.chunks_exact(self.columns)) {
            for &slot in slots {
                self.k_mass[slot as usize] += entry.2;
            }
        }
    }

    /// Changes the values of Ms, in the order in which they were given at first.
    pub fn set_mass(&mut self, values: impl IntoIterator<Item = f64>) {
        for (entry, value) in self.mass.iter_mut().zip(values) {
            entry.2 = value;
        }
        self.spread_mass();
    }

    /// Number of coordinates.
    pub fn n(&self) -> usize {
        self.points * self.columns
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
        let mut scratch = std::mem::take(&mut self.res_x);
        let diagonal = &mut scratch[..self.points];
        diagonal.fill(0.0);
        for &(i, j, v) in &self.mass {
            if i == j {
                diagonal[i] += v;
            }
        }
        let mean = diagonal.iter().sum::<f64>() / self.points.max(1) as f64;
        let floor = if mean > 0.0 { 1e-3 * mean } else { 1.0 };
        for r in 0..self.m() {
            let (start, row_points) = self.row(r);
            let (mut sum, mut inverse) = (0.0, 0.0);
            for (s, &p) in row_points.iter().enumerate() {
                let block = &self.a[start + s * self.columns..start + (s + 1) * self.columns];
                let square = block.iter().map(|v| v * v).sum::<f64>();
                sum += square;
                inverse += square / diagonal[p].max(floor);
            }
            self.weights[r] = if sum > 0.0 { sum / inverse } else { floor };
        }
        self.res_x = scratch;
    }

    /// Factorises with the present A.
    pub fn factor(&mut self) -> Result<(), KktFailure> {
        self.assemble(EPSILON);
        self.ldl.factor(&self.k, 0.0);
        // A pivot this far below its diagonal entry is what rounding leaves of zero.
        self.check_pivots(1e-13)
    }

    fn assemble(&mut self, epsilon: f64) {
        let d = self.columns;
        let nnz = self.ldl.value_count() - self.place.len();
        self.k.copy_from_slice(&self.k_mass);
        let n = self.n();
        for r in 0..self.m() {
            let values = self.row_ptr[r] * d..self.row_ptr[r + 1] * d;
            let w = self.weights[r];
            let a = &self.a[values.clone()];
            for (&slot, &v) in self.a_slots[values].iter().zip(a) {
                self.k[slot as usize] = v;
            }
            let mut outer = self.outer_slots[self.outer_ptr[r]..self.outer_ptr[r + 1]].iter();
            for (s, &u) in a.iter().enumerate() {
                let wu = w * u;
                for (&v, &slot) in a[..=s].iter().zip(&mut outer) {
                    self.k[slot as usize] += wu * v;
                }
            }
            self.k[nnz + self.place[n + r]] = -epsilon / w;
        }
    }

    /// Whether every point has a pivot that is more than `vanished` of its diagonal entry.
    pub fn check_pivots(&self, vanished: f64) -> Result<(), KktFailure> {
        let pivots = self.ldl.pivots();
        let diagonal = &self.k[self.ldl.value_count() - self.place.len()..];
        let mut finite = true;
        for point in 0..self.points {
            for c in 0..self.columns {
                let place = self.place[point * self.columns + c];
                let d = pivots[place];
                finite &= d.is_finite();
                if d <= vanished * diagonal[place] {
                    return Err(KktFailure::Massless { point });
                }
            }
        }
        if finite { Ok(()) } else { Err(KktFailure::NotFinite) }
    }

    /// How independent a row is of those that were eliminated before it, from the present factor: of the order of one
    /// for a row of its own, zero for one that depends on the others. It falls with the square of the distance from such
    /// a place.
    pub fn independence(&self, r: usize) -> f64 {
        let pivot = self.ldl.pivots()[self.place[self.n() + r]];
        (self.weights[r] * pivot.abs() - EPSILON).max(0.0)
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
        let (n, m) = (self.n(), self.m());
        x.fill(0.0);
        lambda.fill(0.0);
        self.res_x.copy_from_slice(f);
        self.res_l.copy_from_slice(g);
        let scale_f = max_abs(f);
        let scale_g = max_abs(g);
        let mut best = f64::INFINITY;
        let mut report = SolveReport::default();
        for round in 0..=MAX_REFINEMENTS {
            self.correct(x, lambda);
            self.residual(f, g, x, lambda);
            // Rows of A are unit vectors in each point, so |λ| and |x| are the sizes of what cancels.
            let size_f = (scale_f + max_abs(lambda)).max(f64::MIN_POSITIVE);
            // What cancels in A x at rest are the accelerations that forces and multipliers would give alone.
            let size_g = (scale_g + max_abs(x) + size_f / self.mean_mass).max(f64::MIN_POSITIVE);
            let res_l = max_abs(&self.res_l);
            let relative = (max_abs(&self.res_x) / size_f).max(res_l / size_g);
            report.refinements = round;
            if relative.is_nan() && round == 0 {
                return report; // there is no better answer, and the caller sees that this is none
            }
            if relative < best {
                report.constraint_residual = res_l;
                self.best[..n].copy_from_slice(x);
                self.best[n..n + m].copy_from_slice(lambda);
            } else {
                // no gain left: rounding, or rows that contradict each other
                x.copy_from_slice(&self.best[..n]);
                lambda.copy_from_slice(&self.best[n..n + m]);
                break;
            }
            let gained = relative < 0.25 * best;
            best = relative;
            if relative < wanted || (round >= 1 && (relative <= REFINED || !gained)) {
                break;
            }
        }
        report
    }

    /// Adds the solution of (K3) for the present residual to x and λ.
    fn correct(&mut self, x: &mut [f64], lambda: &mut [f64]) {
        let (n, d) = (self.n(), self.columns);
        for r in 0..self.m() {
            let w_g = self.weights[r] * self.res_l[r];
            for b in self.row_ptr[r]..self.row_ptr[r + 1] {
                let p = self.row_points[b];
                for c in 0..d {
                    self.res_x[p * d + c] += self.a[b * d + c] * w_g;
                }
            }
        }
        for (i, &v) in self.res_x.iter().chain(&self.res_l).enumerate() {
            self.rhs[self.place[i]] = v;
        }
        self.ldl.solve(&mut self.rhs);
        for (i, v) in x.iter_mut().enumerate() {
            *v += self.rhs[self.place[i]];
        }
        for (r, v) in lambda.iter_mut().enumerate() {
            *v += self.rhs[self.place[n + r]];
        }
    }

    /// Residuals of (K1) and (K2) into the buffers.
    fn residual(&mut self, f: &[f64], g: &[f64], x: &[f64], lambda: &[f64]) {
        let d = self.columns;
        self.res_x.copy_from_slice(f);
        for &(i, j, v) in &self.mass {
            for c in 0..d {
                self.res_x[i * d + c] -= v * x[j * d + c];
            }
            if i != j {
                for c in 0..d {
                    self.res_x[j * d + c] -= v * x[i * d + c];
                }
            }
        }
        for r in 0..self.m() {
            let l = lambda[r];
            let mut ax = 0.0;
            for b in self.row_ptr[r]..self.row_ptr[r + 1] {
                let p = self.row_points[b];
                for c in 0..d {
                    let a = self.a[b * d + c];
                    ax += a * x[p * d + c];
                    self.res_x[p * d + c] -= a * l;
                }
            }
            self.res_l[r] = g[r] - ax;
        }
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
        let (n, m) = (self.n(), self.m());
        let mut scale: Vec<f64> = vec![0.0; m];
        for r in 0..m {
            let values = self.row_ptr[r] * self.columns..self.row_ptr[r + 1] * self.columns;
            scale[r] = self.a[values].iter().map(|v| v * v).sum::<f64>();
        }
        self.weights.fill(1.0);
        self.assemble(0.0);
        self.ldl.factor(&self.k, DEPENDENT);
        (0..m).filter(|&r| self.ldl.pivots()[self.place[n + r]] == 0.0 || scale[r] < 1e-24).collect()
    }

    /// For a dependent row, right after [`Kkt::dependent_rows`]: the combination y (over all rows, 1 at the
    /// row itself) with Aᵀ y = 0.
    pub fn combination(&mut self, r: usize, y: &mut Vec<f64>) {
        let (n, m) = (self.n(), self.m());
        // M' x + A_Bᵀ y = −A_rᵀ, A_B x = 0
        let mut b = std::mem::take(&mut self.res_x);
        b.fill(0.0);
        self.add_row(r, -1.0, &mut b);
        self.rhs.fill(0.0);
        for (i, &v) in b.iter().enumerate() {
            self.rhs[self.place[i]] = v;
        }
        self.res_x = b;
        self.ldl.solve(&mut self.rhs);
        y.clear();
        y.extend((0..m).map(|s| self.rhs[self.place[n + s]]));
        y[r] = 1.0;
    }
}

fn max_abs(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// The pattern follows from the model, and right-hand sides are worked out anew by every solve.
impl Keep for Kkt {
    fn keep(&self, to: &mut Vec<u8>) {
        self.mass.len().keep(to);
        self.mass.iter().for_each(|entry| entry.2.keep(to));
        self.mean_mass.keep(to);
        self.a.keep(to);
        self.weights.keep(to);
        self.ldl.keep(to);
        self.k_mass.keep(to);
        self.k.keep(to);
    }

    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        if usize::recalled(from)? != self.mass.len() {
            return Err(Damaged);
        }
        self.mass.iter_mut().try_for_each(|entry| entry.2.recall(from))?;
        self.mean_mass.recall(from)?;
        self.a.recall(from)?;
        self.weights.recall(from)?;
        self.ldl.recall(from)?;
        self.k_mass.recall(from)?;
        self.k.recall(from)
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
