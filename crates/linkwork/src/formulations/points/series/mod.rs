//! Point coordinates as power series in time: what Taylor's method integrates with.
//!
//! With x_m, λ_m and f_m the coefficients of coordinates, multipliers and forces, and A_m those of Φ_q, the equations (1), (2) of
//! the formulation give, order by order,
//!
//!   (S1)  M (m+1)(m+2) x_{m+2} + A₀ᵀ λ_m = f_m − Σ_{j=1..m} A_jᵀ λ_{m−j}
//!   (S2)  A₀ (m+1)(m+2) x_{m+2} = what Φ = 0 says of order m + 2
//!
//! All orders have the matrix of the first, that of the accelerations: one factor serves them all. Rows between points are
//! quadratic ([`rows`]). A coupling says A q̇ = w ḣ, so its (S2) is
//!
//!   (S3)  A₀ (m+1)(m+2) x_{m+2} = −(m+1) Σ_{j=1..m+1} A_j v_{m+1−j} + w (m+1)(m+2) h_{m+2},   v_k = (k+1) x_{k+1}
//!
//! with A of every order from a [tape](crate::linalg::tape), which also has the forces: f_m may depend on velocities, since v_m is
//! known when x_{m+2} is sought. The work is W_{m+1} = P_m / (m+1).
//!
//! Laws may do what their series at the start do not show: a bump further on, a friction that turns round. So the forces at places τ within the step, on
//! the motion that the series gives, are compared with what their series say there, and the difference is solved for with the same factor:
//!
//!   (S4)  [M A₀ᵀ; A₀ 0] [δa; δλ] = [f(τ) − Σ_{m<p} f_m τᵐ; 0]
//!
//! and a driver's h(τ) with its series, as a displacement.
//!
//! What is not analytic is refused when the tape is written, by element and with the reason.

mod bodies;
mod each;
mod expressions;
mod forces;
mod gauges;
pub(super) mod jets;
pub(super) mod readings;
mod rows;
pub(super) mod tangents;
mod text;

use super::Points;
use crate::formulations::Neighbours;
use crate::formulations::kernel::Kernel;
use crate::formulations::{MotionError, NotCovered};
use crate::integrate::Series;
use crate::linalg::tape::{Node, Start, Tape};
use crate::mechanism::Mechanism;
use gauges::RowSeries;
use rows::Quadratic;
use text::Text;

/// A mechanism as series, with all buffers.
#[derive(Clone, Debug)]
pub(super) struct Source {
    order: usize,
    tape: Tape,
    quadratic: Quadratic,
    couplings: Vec<RowSeries>,
    /// Coordinate and what it feels beyond constant forces.
    forces: Vec<(usize, Node)>,
    power: Node,
    hints: Vec<(usize, Node)>,
    /// Whether (S4) has anything to find.
    conceals: bool,
    /// When the last series began, and the values of all nodes at a place of (S4).
    began: f64,
    turns: Vec<f64>,
    values: Vec<[f64; 2]>,
    /// Coefficients of the coordinates, by order.
    x: Vec<f64>,
    /// Of the couplings' multipliers, by order.
    lambda: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    solution: Vec<f64>,
    multipliers: Vec<f64>,
}

/// How accurately (S4) is solved, and differences of forces that are roundings, relative to the forces.
const ROUGH: f64 = 1e-3;
const ROUNDING: f64 = 1e-14;

impl Source {
    /// Writes a mechanism onto a tape, for series of coordinates to order + 1.
    fn new(mechanism: &Mechanism, order: usize) -> Result<Self, Vec<NotCovered>> {
        let alone = Neighbours::none(mechanism);
        let text = Text::<f64>::new(&alone, false)?;
        let outputs = text.outputs();
        let (n, m) = (mechanism.coordinate_count(), mechanism.row_count());
        Ok(Source {
            order,
            conceals: text.scribe.conceals,
            began: 0.0,
            turns: Vec::new(),
            values: Vec::new(),
            tape: text.scribe.tape.finish(order + 1, &outputs),
            quadratic: Quadratic::new(mechanism, order + 1),
            lambda: vec![0.0; order * text.couplings.len()],
            couplings: text.couplings,
            forces: text.forces,
            power: text.power,
            hints: text.hints,
            x: vec![0.0; (order + 2) * n],
            f: vec![0.0; n],
            g: vec![0.0; m],
            solution: vec![0.0; n],
            multipliers: vec![0.0; m],
        })
    }

    /// Order m of coordinates is known: everything that depends on them alone.
    fn advance(&mut self, m: usize, n: usize, start: &Start<'_>) {
        let x = &self.x[m * n..(m + 1) * n];
        self.quadratic.advance(m, x);
        self.tape.positions(m, start, x);
    }

    /// The right-hand sides of (S1), (S2) for order m; `on` tells which couplings are in force.
    fn sides(&mut self, m: usize, mechanism: &Mechanism, on: impl Fn(usize) -> bool) {
        let (n, first) = (self.f.len(), mechanism.rows.len());
        match m {
            0 => self.f.copy_from_slice(&mechanism.constant_force),
            _ => self.f.fill(0.0),
        }
        for &(i, node) in &self.forces {
            self.f[i] += self.tape.at(node, m);
        }
        self.quadratic.forces(m, &mut self.f);
        self.g.fill(0.0);
        self.quadratic.accelerations(m, &mut self.g);
        let rows = self.couplings.len();
        for (r, row) in self.couplings.iter().enumerate().filter(|(r, _)| on(*r)) {
            let mut moved = 0.0;
            for &(i, node) in &row.entries {
                let a = self.tape.series(node);
                let mut pull = 0.0;
                for j in 1..=m {
                    pull += a[j] * self.lambda[(m - j) * rows + r];
                }
                self.f[i] -= pull;
                for (j, a) in a.iter().enumerate().take(m + 2).skip(1) {
                    let k = m + 2 - j; // v_{k−1} = k x_k
                    moved += a * k as f64 * self.x[k * n + i];
                }
            }
            let step = (m + 1) as f64;
            let drive = row.drive.map_or(0.0, |h| (m + 2) as f64 * self.tape.at(h, m + 2));
            self.g[first + r] = step * (drive - moved); // (S3)
        }
    }

    /// The right-hand side of (S4) for the place where it is largest, into `f`; a driver's displacement per time since the start, and the difference of powers.
    /// Nothing where all is rounding.
    fn widest_gap(&mut self, places: &[f64]) -> Option<(f64, f64)> {
        let order = self.order;
        let turns = std::mem::take(&mut self.turns);
        let start = Start { t: self.began, middle: self.began, turns: &turns };
        let mut values = std::mem::take(&mut self.values);
        let (mut widest, mut found) = (0.0, None);
        for &tau in places {
            self.tape.values(tau, order + 1, &start, &mut values);
            let off = |node: Node, terms: usize| {
                let there = values[node.index()][0];
                let said = self.tape.summed(node, tau, terms);
                let off = there - said;
                if off.abs() <= ROUNDING * there.abs().max(said.abs()) { 0.0 } else { off }
            };
            let forces = self.forces.iter().fold(0.0_f64, |sum, &(_, node)| sum + off(node, order).abs());
            let drives = self.couplings.iter().filter_map(|row| row.drive);
            let drive = drives.fold(0.0_f64, |most, h| most.max(off(h, order + 2).abs()));
            let power = off(self.power, order);
            let width = forces + power.abs() + drive / tau.abs();
            if width.is_nan() || width > widest {
                widest = if width.is_nan() { f64::INFINITY } else { width };
                found = Some((drive / tau.abs(), power));
                self.f.fill(0.0);
                for &(i, node) in &self.forces {
                    self.f[i] = off(node, order);
                }
            }
        }
        (self.turns, self.values) = (turns, values);
        found
    }

    /// P_m, with what the drivers do: λ Φ_t, Φ_t = −w ḣ.
    fn power(&self, m: usize) -> f64 {
        let rows = self.couplings.len();
        let mut power = self.tape.at(self.power, m);
        for (r, row) in self.couplings.iter().enumerate() {
            if let Some(h) = row.drive {
                for j in 0..=m {
                    let rate = (m - j + 1) as f64 * self.tape.at(h, m - j + 1);
                    power -= rate * self.lambda[j * rows + r];
                }
            }
        }
        power
    }
}

impl Points<'_> {
    /// Gets ready for series of this order, or tells what of the mechanism has none.
    pub fn with_series(&mut self, order: usize) -> Result<(), Vec<NotCovered>> {
        self.series = Some(Box::new(Source::new(self.mechanism, order)?));
        Ok(())
    }

    /// Whether a mechanism has series of an order; builds no more than these.
    pub(crate) fn has_series(mechanism: &Mechanism, order: usize) -> bool {
        Source::new(mechanism, order).is_ok()
    }
}

impl Series for Points<'_> {
    type Error = MotionError;

    fn expand(&mut self, t: f64, y: &[f64], wanted: &[f64], out: &mut [f64]) -> Result<(), MotionError> {
        self.accelerate(self.core.at(t, y), true)?;
        out.fill(f64::NAN);
        let Some(mut source) = self.series.take() else { return Ok(()) };
        if source.order >= wanted.len() {
            self.fill_series(&mut source, t, y, wanted, out);
        }
        self.series = Some(source);
        Ok(())
    }

    fn conceals(&self) -> bool {
        self.series.as_ref().is_some_and(|source| source.conceals)
    }

    fn gap(&mut self, places: &[f64], out: &mut [f64]) -> bool {
        let Some(mut source) = self.series.take() else { return false };
        let found = source.widest_gap(places);
        if let Some((drive, power)) = found {
            let (x, lambda) = (&mut source.solution, &mut source.multipliers);
            source.g.fill(0.0);
            let report = self.kkt.solve_within(ROUGH, &source.f, &source.g, x, lambda);
            self.core.counters.solves += 1 + u64::from(report.refinements);
            let n = self.core.nq;
            out.fill(0.0);
            // how far a driver is off has no place in y'; one coordinate stands for it
            out[0] = drive;
            out[n..2 * n].copy_from_slice(&source.solution);
            out[2 * n] = power;
        }
        self.series = Some(source);
        found.is_some()
    }
}

impl Points<'_> {
    /// All coefficients, with the factor of the place; where one is not finite, those from there on are left as they are.
    fn fill_series(&mut self, source: &mut Source, t: f64, y: &[f64], wanted: &[f64], out: &mut [f64]) {
        let order = wanted.len();
        let mechanism = self.mechanism;
        let (n, size) = (self.core.nq, y.len());
        let auxiliary = &y[2 * n + 1..];
        let next = mechanism.next_edge(t);
        let middle = if next > t { 0.5 * (t + next) } else { t + 1e-9 * (1.0 + t.abs()) };
        let start = Start { t, middle, turns: &auxiliary[..mechanism.interactions.hints] };
        let (first, rows) = (mechanism.rows.len(), source.couplings.len());
        source.x[..2 * n].copy_from_slice(&y[..2 * n]);
        source.began = t;
        source.turns.clear();
        source.turns.extend_from_slice(start.turns);
        source.tape.begin(&start);
        source.advance(0, n, &start);
        source.advance(1, n, &start);
        let finite = |v: &[f64]| v.iter().fold(true, |all, x| all & x.is_finite());
        let mut work = y[2 * n];
        for m in 0..=order {
            let row = &mut out[m * size..(m + 1) * size];
            row[..n].copy_from_slice(&source.x[m * n..(m + 1) * n]);
            row[2 * n + 1..].fill(0.0);
            row[2 * n] = work;
            for &(hint, node) in &source.hints {
                row[2 * n + 1 + hint] = source.tape.at(node, m);
            }
            if m == order {
                break;
            }
            source.tape.rates(m, &start);
            if m == 0 {
                row[2 * n..].copy_from_slice(&y[2 * n..]);
            }
            // what is known already would be the piece behind, at a corner of time
            if m == 0 && !source.tape.has_pieces() {
                source.solution.copy_from_slice(&self.core.acceleration);
                source.multipliers.copy_from_slice(&self.core.lambda);
            } else {
                let couplings = &mechanism.interactions.couplings;
                let switches = &self.core.interactions.switches;
                source.sides(m, mechanism, |r| couplings[r].held.is_none_or(|(switch, _)| switches[switch]));
                if !finite(&source.f) || !finite(&source.g) {
                    return;
                }
                let (x, lambda) = (&mut source.solution, &mut source.multipliers);
                let report = self.kkt.solve_within(wanted[m], &source.f, &source.g, x, lambda);
                self.core.counters.solves += 1 + u64::from(report.refinements);
            }
            let scale = 1.0 / ((m + 1) * (m + 2)) as f64;
            for (x, a) in source.x[(m + 2) * n..].iter_mut().zip(&source.solution) {
                *x = scale * a;
            }
            source.quadratic.keep(m, &source.multipliers);
            source.lambda[m * rows..(m + 1) * rows].copy_from_slice(&source.multipliers[first..]);
            work = source.power(m) / (m + 1) as f64;
            if m + 2 <= order {
                source.advance(m + 2, n, &start);
            }
        }
        // v_k = (k+1) x_{k+1}
        for k in 0..=order {
            let v = &mut out[k * size + n..k * size + 2 * n];
            for (v, x) in v.iter_mut().zip(&source.x[(k + 1) * n..]) {
                *v = (k + 1) as f64 * x;
            }
        }
    }
}
