//! Splines of degree five through points, or near them.
//!
//! A quintic spline s has four continuous derivatives. As a sum of B-splines on knots x it has six of them at any place (\[deboor2001\] chapters IX and X):
//!
//!   (Q1)  s(x) = Σ_j a_j B_j(x),   x scaled by the mean spacing T of the points
//!   (Q2)  through the points: s(x_i) = y_i; the first and the last two inner points are no knots ("not a knot"), so that no derivative is forced at the ends
//!   (Q3)  near the points: Σ w_i (y_i − s(x_i))² + λ ∫ s'''² dx is least; w_i is the mean of the intervals beside x_i
//!
//! The least of (Q3) over all functions is a spline whose third and fourth derivatives vanish at the ends \[schoenberg1964\]; it is found here over all quintic splines,
//! which contain it. What a parabola has, (Q3) keeps: its third derivative is zero.
//!
//! For evenly spaced points, far from the ends, (Q3) is a filter without phase. A wave of frequency f, in cycles per unit of x, comes out with the gain
//!
//!   (Q4)  H(f) = 1 / (1 + λ / A(f)),   A(f) = Σ_k (2π (f + k/T))⁻⁶,   k = …, −1, 0, 1, …
//!   (Q5)  λ = (√2 − 1) A(f_c)          H(f_c) = 1/√2: half the power at the cut-off frequency f_c
//!
//! A is (2πf)⁻⁶ well below the rate of the points, so H = 1 / (1 + (√2 − 1)(f/f_c)⁶): flat below f_c, and falling with the sixth power above. The weights make
//! (Q5) hold for points that are not evenly spaced, too, as long as f_c is well below half their local rate.
//!
//! Points and penalty, which is a sum over three Gauss points an interval, exact for s'''², are equations of a banded least-squares problem. Givens rotations solve
//! it row by row in O(n): the normal equations would square its condition, which is (f_N/f_c)³ with f_N = 1/2T.

use std::f64::consts::{SQRT_2, TAU};

const DEGREE: usize = 5;
const ORDER: usize = DEGREE + 1;
/// A spline of degree five needs as many points.
pub(super) const LEAST_POINTS: usize = ORDER;

/// Gauss points of an interval of width 2, and their weights: exact for degree five.
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

/// The polynomial of an interval: coefficients of u⁰ … u⁵, u from its left end.
pub(super) type Piece = [f64; ORDER];

/// (Q2): the pieces of the curve through ascending points, [`LEAST_POINTS`] at least. Not finite where points are too close to compute with.
pub(super) fn through(x: &[f64], y: &[f64]) -> Vec<Piece> {
    let (scaled, spacing) = scaled(x);
    let n = scaled.len();
    let knots = knots(&scaled, &scaled[3..n - 3]);
    let mut system = Banded::new(n);
    for (&at, &y) in scaled.iter().zip(y) {
        let span = span(&knots, at);
        system.add(span - DEGREE, derivatives(&knots, span, at)[0], y);
    }
    pieces(&knots, &system.solve(), &scaled, spacing)
}

/// (Q3): the pieces of the smooth curve near ascending points, [`LEAST_POINTS`] at least, for a cut-off frequency below [`most`].
pub(super) fn near(x: &[f64], y: &[f64], cutoff: f64) -> Vec<Piece> {
    let (scaled, spacing) = scaled(x);
    let n = scaled.len();
    let knots = knots(&scaled, &scaled[1..n - 1]);
    let penalty = penalty(cutoff * spacing).sqrt();
    let mut system = Banded::new(n + 4);
    for i in 0..n {
        let at = scaled[i];
        let (left, right) = (scaled[i.saturating_sub(1)], scaled[(i + 1).min(n - 1)]);
        let weight = (0.5 * (right - left)).sqrt();
        let here = span(&knots, at);
        system.add(here - DEGREE, derivatives(&knots, here, at)[0].map(|b| weight * b), weight * y[i]);
        if i + 1 == n {
            break;
        }
        let (middle, half) = (0.5 * (at + right), 0.5 * (right - at));
        let span = span(&knots, middle);
        for (place, share) in GAUSS {
            let size = penalty * (share * half).sqrt();
            let bend = derivatives(&knots, span, middle + half * place)[3];
            system.add(span - DEGREE, bend.map(|b| size * b), 0.0);
        }
    }
    pieces(&knots, &system.solve(), &scaled, spacing)
}

/// Cut-off frequencies are below this: half the mean rate of the points.
pub(super) fn most(x: &[f64]) -> f64 {
    0.5 * (x.len() - 1) as f64 / (x[x.len() - 1] - x[0])
}

/// (Q5) for points at a distance of one.
fn penalty(cutoff: f64) -> f64 {
    // Σ_k (θ + 2πk)⁻⁶ in closed form, θ = 2πf: (33 + 26 cos θ + cos 2θ) / (60 (2 − 2 cos θ)³)
    let theta = TAU * cutoff;
    let chord = 2.0 * (0.5 * theta).sin();
    let sum = (33.0 + 26.0 * theta.cos() + (2.0 * theta).cos()) / (60.0 * chord.powi(6));
    (SQRT_2 - 1.0) * sum
}

/// Places from the first one in units of their mean distance, and that distance.
fn scaled(x: &[f64]) -> (Vec<f64>, f64) {
    let spacing = (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64;
    (x.iter().map(|at| (at - x[0]) / spacing).collect(), spacing)
}

/// The ends six times, with inner knots between them.
fn knots(x: &[f64], inner: &[f64]) -> Vec<f64> {
    let ends = [x[0], x[x.len() - 1]].map(|end| std::iter::repeat_n(end, ORDER));
    let [first, last] = ends;
    first.chain(inner.iter().copied()).chain(last).collect()
}

/// The last knot at or before a place, of those with an interval behind it.
fn span(knots: &[f64], at: f64) -> usize {
    knots.partition_point(|knot| *knot <= at).clamp(ORDER, knots.len() - ORDER) - 1
}

/// The six B-splines of an interval of knots, and their derivatives up to the fifth, at a place (\[piegl1997\] algorithm A2.3).
fn derivatives(knots: &[f64], span: usize, at: f64) -> [[f64; ORDER]; ORDER] {
    // below the diagonal differences of knots, on and above it the B-splines of each degree
    let mut table = [[0.0; ORDER]; ORDER];
    let (mut left, mut right) = ([0.0; ORDER], [0.0; ORDER]);
    table[0][0] = 1.0;
    for j in 1..ORDER {
        left[j] = at - knots[span + 1 - j];
        right[j] = knots[span + j] - at;
        let mut saved = 0.0;
        for r in 0..j {
            table[j][r] = right[r + 1] + left[j - r];
            let share = table[r][j - 1] / table[j][r];
            table[r][j] = saved + right[r + 1] * share;
            saved = left[j - r] * share;
        }
        table[j][j] = saved;
    }
    let mut out = [[0.0; ORDER]; ORDER];
    for r in 0..ORDER {
        out[0][r] = table[r][DEGREE];
        let mut now = [0.0; ORDER];
        now[0] = 1.0;
        for k in 1..ORDER {
            let mut next = [0.0; ORDER];
            let mut sum = 0.0;
            // differences of the coefficients 1 at r, k times
            for j in 0..=k {
                let Some(row) = (r + j).checked_sub(k) else { continue };
                if row > DEGREE - k {
                    continue;
                }
                let (before, here) = (if j > 0 { now[j - 1] } else { 0.0 }, if j < k { now[j] } else { 0.0 });
                next[j] = (here - before) / table[DEGREE + 1 - k][row];
                sum += next[j] * table[row][DEGREE - k];
            }
            out[k][r] = sum;
            now = next;
        }
    }
    let mut factor = 1.0;
    for (k, row) in out.iter_mut().enumerate().skip(1) {
        factor *= (ORDER - k) as f64;
        row.iter_mut().for_each(|value| *value *= factor);
    }
    out
}

/// (Q1) as polynomials between the points.
fn pieces(knots: &[f64], a: &[f64], scaled: &[f64], spacing: f64) -> Vec<Piece> {
    let piece = |ends: &[f64]| {
        let span = span(knots, 0.5 * (ends[0] + ends[1]));
        let all = derivatives(knots, span, ends[0]);
        let mut size = 1.0;
        std::array::from_fn(|k| {
            if k > 0 {
                size /= k as f64 * spacing;
            }
            let sum: f64 = all[k].iter().zip(&a[span - DEGREE..]).map(|(b, a)| b * a).sum();
            sum * size
        })
    };
    scaled.windows(2).map(piece).collect()
}

/// The least and the greatest value of a polynomial between two places: at the ends, and where its derivative changes its sign.
pub(super) fn extremes(piece: &Piece, [from, to]: [f64; 2]) -> (f64, f64) {
    // roots of the derivatives, highest first: between two of one lies at most one of the next
    let mut marks = vec![from, to];
    for order in (1..DEGREE).rev() {
        let mut next = vec![from];
        for ends in marks.windows(2) {
            next.extend(root(|u| derivative(piece, order, u), [ends[0], ends[1]]));
        }
        next.push(to);
        marks = next;
    }
    let values = marks.iter().map(|&u| derivative(piece, 0, u));
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
}

fn derivative(piece: &Piece, order: usize, u: f64) -> f64 {
    let factor = |k: usize| (0..order).map(|i| (k - i) as f64).product::<f64>();
    (order..ORDER).rev().fold(0.0, |sum, k| sum * u + factor(k) * piece[k])
}

/// The zero between two places of different sign, to the last bit.
fn root(f: impl Fn(f64) -> f64, [mut a, mut b]: [f64; 2]) -> Option<f64> {
    let (at_a, at_b) = (f(a), f(b));
    if at_a == 0.0 || at_b == 0.0 || (at_a < 0.0) == (at_b < 0.0) {
        return None;
    }
    loop {
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b {
            return Some(middle);
        }
        if (f(middle) < 0.0) == (at_a < 0.0) {
            a = middle;
        } else {
            b = middle;
        }
    }
}

/// Least squares with six unknowns in a row an equation, as an upper triangle that grows by rotations.
struct Banded {
    rows: Vec<[f64; ORDER]>,
    right: Vec<f64>,
}

impl Banded {
    fn new(unknowns: usize) -> Self {
        Banded { rows: vec![[0.0; ORDER]; unknowns], right: vec![0.0; unknowns] }
    }

    /// Takes an equation whose first unknown is `first`.
    fn add(&mut self, first: usize, mut row: [f64; ORDER], mut right: f64) {
        for k in first..(first + ORDER).min(self.rows.len()) {
            let [pivot, old] = [row[0], self.rows[k][0]];
            if pivot != 0.0 {
                let size = old.hypot(pivot);
                let (c, s) = (old / size, pivot / size);
                for (mine, other) in self.rows[k].iter_mut().zip(&mut row) {
                    (*mine, *other) = (c * *mine + s * *other, c * *other - s * *mine);
                }
                (self.right[k], right) = (c * self.right[k] + s * right, c * right - s * self.right[k]);
            }
            row.rotate_left(1);
            row[DEGREE] = 0.0;
        }
    }

    fn solve(&self) -> Vec<f64> {
        let n = self.rows.len();
        let mut a = vec![0.0; n];
        for k in (0..n).rev() {
            let known: f64 = self.rows[k][1..].iter().zip(&a[k + 1..]).map(|(r, a)| r * a).sum();
            a[k] = (self.right[k] - known) / self.rows[k][0];
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places that are not evenly spaced.
    fn places(n: usize) -> Vec<f64> {
        (0..n).map(|i| 0.1 * i as f64 + 0.03 * (1.7 * i as f64).sin()).collect()
    }

    fn value(pieces: &[Piece], x: &[f64], at: f64) -> [f64; 3] {
        let i = x.partition_point(|knot| *knot <= at).clamp(1, pieces.len()) - 1;
        let u = at - x[i];
        let mut out = [0.0; 3];
        for c in pieces[i].iter().rev() {
            out[2] = out[2] * u + 2.0 * out[1];
            out[1] = out[1] * u + out[0];
            out[0] = out[0] * u + c;
        }
        out
    }

    /// B-splines sum up to one, their derivatives to zero, and each derivative is that of the one before.
    #[test]
    fn cross_derivatives_of_b_splines() {
        let x = places(9);
        let knots = knots(&x, &x[1..8]);
        for i in 0..=80 {
            let at = x[0] + (x[8] - x[0]) * f64::from(i) / 80.0 * 0.999;
            let span = span(&knots, at);
            let all = derivatives(&knots, span, at);
            assert!((all[0].iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let h = 1e-6;
            let (back, on) = (derivatives(&knots, span, at - h), derivatives(&knots, span, at + h));
            for k in 1..ORDER {
                let size = all[k].iter().fold(0.0_f64, |m, b| m.max(b.abs()));
                assert!(all[k].iter().sum::<f64>().abs() < 1e-13 * size);
                for r in 0..ORDER {
                    let difference = (on[k - 1][r] - back[k - 1][r]) / (2.0 * h);
                    // h² of the next derivatives, ε/h of the values
                    assert!(
                        (all[k][r] - difference).abs() < 1e-6 * size,
                        "{k} {r}: {} {difference}",
                        all[k][r]
                    );
                }
            }
        }
    }

    /// Σ_k (θ + 2πk)⁻⁶ as far as it matters.
    #[test]
    fn exact_sum_of_aliases() {
        for cutoff in [0.01, 0.1, 0.3, 0.49] {
            let sum: f64 = (-400..=400).map(|k| (TAU * (cutoff + f64::from(k))).powi(-6)).sum();
            let found = penalty(cutoff) / (SQRT_2 - 1.0);
            assert!((found / sum - 1.0).abs() < 1e-10, "{cutoff}: {found} {sum}");
        }
    }

    /// The curve through points keeps every polynomial of degree five, the one near points every parabola, wherever the points are.
    #[test]
    fn exact_polynomials_are_kept() {
        let x = places(40);
        let quintic = |x: f64| 1.0 - x + 0.5 * x.powi(3) - 0.2 * x.powi(4) + 0.03 * x.powi(5);
        let y: Vec<f64> = x.iter().map(|x| quintic(*x)).collect();
        let curve = through(&x, &y);
        let parabola: Vec<f64> = x.iter().map(|x| 3.0 - 2.0 * x + 0.7 * x * x).collect();
        let smooth = near(&x, &parabola, 0.4);
        for i in 0..=400 {
            let at = x[39] * f64::from(i) / 400.0;
            let bend = 3.0 * at - 2.4 * at * at + 0.6 * at.powi(3);
            let found = value(&curve, &x, at);
            // the second derivative divides roundings by the square of the spacing
            assert!(
                (found[0] - quintic(at)).abs() < 1e-12 && (found[2] - bend).abs() < 1e-9,
                "{at} {found:?}"
            );
            let found = value(&smooth, &x, at);
            assert!((found[0] - (3.0 - 2.0 * at + 0.7 * at * at)).abs() < 1e-10, "{at} {found:?}");
            assert!((found[2] - 1.4).abs() < 1e-8, "{at} {found:?}");
        }
    }

    /// The error of the curve through points falls with the sixth power of the spacing, that of its second derivative with the fourth, the ends included.
    #[test]
    fn order_of_the_curve_through_points() {
        let errors = |n: usize| {
            let x: Vec<f64> = (0..=n).map(|i| 3.0 * i as f64 / n as f64).collect();
            let y: Vec<f64> = x.iter().map(|x| (2.0 * x).sin()).collect();
            let curve = through(&x, &y);
            (0..=997).fold([0.0_f64; 2], |most, i| {
                let at = 3.0 * f64::from(i) / 997.0;
                let found = value(&curve, &x, at);
                let wrong = [found[0] - (2.0 * at).sin(), found[2] + 4.0 * (2.0 * at).sin()];
                [most[0].max(wrong[0].abs()), most[1].max(wrong[1].abs())]
            })
        };
        let (coarse, fine) = (errors(40), errors(80));
        let order = [0, 1].map(|k| (coarse[k] / fine[k]).log2());
        println!("{coarse:?} {fine:?}: orders {order:?}");
        assert!((order[0] - 6.0).abs() < 0.4 && (order[1] - 4.0).abs() < 0.4, "{order:?}");
    }

    /// The least-squares problem against the equations of the natural smoothing spline: s(x_i) = y_i − λ/w_i d_i, where d_i is the jump of the fifth derivative.
    #[test]
    fn cross_jumps_of_the_fifth_derivative() {
        let x = places(30);
        let y: Vec<f64> = x.iter().map(|x| (3.0 * x).sin() + 0.3 * (17.0 * x).cos()).collect();
        let cutoff = 1.2;
        let smooth = near(&x, &y, cutoff);
        let spacing = (x[29] - x[0]) / 29.0;
        let lambda = penalty(cutoff * spacing) * spacing.powi(6);
        for i in 1..29 {
            let jump = 120.0 * (smooth[i][5] - smooth[i - 1][5]);
            let weight = 0.5 * (x[i + 1] - x[i - 1]);
            let wrong = y[i] - smooth[i][0] + lambda / weight * jump;
            assert!(wrong.abs() < 1e-9, "{i}: {wrong} of {}", y[i] - smooth[i][0]);
        }
        // natural: no third and fourth derivative at the ends
        assert!(smooth[0][3].abs() < 1e-8 && smooth[0][4].abs() < 1e-7, "{:?}", smooth[0]);
    }

    /// Half the power at the cut-off frequency, and (Q4) above and below.
    #[test]
    fn exact_gain() {
        let (n, rate) = (4001, 100.0);
        let x: Vec<f64> = (0..n).map(|i| i as f64 / rate).collect();
        for (f, cutoff) in [(6.0, 6.0), (3.0, 6.0), (12.0, 6.0), (25.0, 25.0), (45.0, 45.0), (0.5, 0.5)] {
            let wave = |at: f64| (TAU * f * at).cos();
            let y: Vec<f64> = x.iter().map(|x| wave(*x)).collect();
            let smooth = near(&x, &y, cutoff);
            let aliases =
                |f: f64| (-50..=50).map(|k| (TAU * (f + rate * f64::from(k))).powi(-6)).sum::<f64>();
            let gain = 1.0 / (1.0 + (SQRT_2 - 1.0) * aliases(cutoff) / aliases(f));
            if f == cutoff {
                assert!((gain - 0.5_f64.sqrt()).abs() < 1e-15);
            }
            // away from the ends, whose effect dies out within a few periods of the cut-off
            let wrong =
                (n / 4..3 * n / 4).fold(0.0_f64, |most, i| most.max((smooth[i][0] - gain * y[i]).abs()));
            println!("{f} Hz with a cut-off of {cutoff} Hz: gain {gain:.6}, off by {wrong:.1e}");
            // the slowest has five periods to the ends on either side
            assert!(wrong < 2e-8, "{f} {cutoff}: {wrong}");
        }
    }

    /// The same gain where the points are scattered, up to what sampling at random places does: (spacing · frequency)² of the weights.
    #[test]
    fn exact_gain_of_scattered_points() {
        let n = 6000;
        // the golden ratio spreads the distances between 0.4 and 1.6 of their mean
        let mut at = 0.0;
        let x: Vec<f64> = (0..n)
            .map(|i| {
                at += 0.005 * (0.4 + 1.2 * (i as f64 * 0.618_033_988_749_895).fract());
                at
            })
            .collect();
        let cutoff = 4.0;
        let y: Vec<f64> = x.iter().map(|x| (TAU * cutoff * x).sin()).collect();
        let smooth = near(&x, &y, cutoff);
        let wrong = (n / 4..3 * n / 4)
            .fold(0.0_f64, |most, i| most.max((smooth[i][0] - 0.5_f64.sqrt() * y[i]).abs()));
        println!("gain of scattered points off by {wrong:.1e}");
        assert!(wrong < 2e-3, "{wrong}");
    }

    /// What smoothing takes from a wave far below the cut-off falls with the sixth power of its frequency: data without noise are kept.
    #[test]
    fn order_of_the_loss_below_the_cutoff() {
        let x: Vec<f64> = (0..4000).map(|i| 0.005 * f64::from(i)).collect();
        let loss = |f: f64| {
            let y: Vec<f64> = x.iter().map(|x| (TAU * f * x).sin()).collect();
            let smooth = near(&x, &y, 8.0);
            (1500..2500).fold(0.0_f64, |most, i| most.max((smooth[i][0] - y[i]).abs()))
        };
        let (slow, fast) = (loss(1.0), loss(2.0));
        println!("loss at 1 and 2 of 8 Hz: {slow:.2e}, {fast:.2e}, order {:.3}", (fast / slow).log2());
        assert!(((fast / slow).log2() - 6.0).abs() < 0.02);
        assert!((slow - (SQRT_2 - 1.0) * 8.0_f64.powi(-6)).abs() < 1e-8);
    }

    /// A cut-off a thousand times below the rate of the points: the condition is (500)³, and its square would leave no digit of the second derivative.
    #[test]
    fn exact_far_below_the_rate() {
        let x: Vec<f64> = (0..20_001).map(|i| 0.001 * f64::from(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.0 + 2.0 * x - 0.5 * x * x).collect();
        let smooth = near(&x, &y, 0.5);
        let wrong = smooth.iter().fold(0.0_f64, |most, piece| most.max((2.0 * piece[2] + 1.0).abs()));
        println!("second derivative off by {wrong:.1e}");
        // roundings of values up to 160, times the condition, times the square of the cut-off
        assert!(wrong < 1e-4, "{wrong}");
    }
}
