//! Distances of a point from the places of a path.
//!
//! At given times they are what the motion says. With free timing the places p_k are passed in their order, each when the point is nearest:
//!
//! ```text
//!   (F1)  min Σ |P(t_k) − p_k|²    over t_1 ≤ t_2 ≤ …          among the samples, by dynamic programming
//!   (F2)  t ← t − P'·(P − p) / (P'² + P''·(P − p))               then to rounding; rates that the motion does not know are those of a polynomial through samples
//! ```
//!
//! Times that are eliminated like this leave the lengths of the mechanism as the only variables (variable projection).

use crate::motion::{Moving, Samples};

/// A step of (F2) that brings nothing is halved so often.
const MOST_HALVINGS: usize = 6;
/// Steps of (F2).
const MOST_STEPS: usize = 30;
/// A step of (F2) below this part of the time between samples is the last one.
const SETTLED: f64 = 1e-9;
/// Samples that rates are taken from.
const NODES: usize = 7;

/// A point among the quantities: the places of its coordinates.
#[derive(Debug)]
pub(crate) struct Point {
    pub first: usize,
    pub columns: usize,
}

impl Point {
    fn at(&self, samples: &Samples, k: usize) -> Vec<f64> {
        (0..self.columns).map(|c| samples.values[self.first + c][k]).collect()
    }
}

/// Differences from the places at given times.
pub(crate) fn timed(
    point: &Point,
    places: &[Vec<f64>],
    times: &[f64],
    samples: &Samples,
    mut ask: impl FnMut(usize, f64) -> Option<Vec<f64>>,
) -> Vec<f64> {
    let mut out = Vec::with_capacity(places.len() * point.columns);
    for (place, t) in places.iter().zip(times) {
        let k = nearest(&samples.t, *t);
        let here = match samples.t[k] == *t {
            true => point.at(samples, k),
            false => match ask(k, *t) {
                Some(values) => values[point.first..point.first + point.columns].to_vec(),
                None => between(point, samples, *t),
            },
        };
        out.extend(here.iter().zip(place).map(|(x, p)| x - p));
    }
    out
}

/// The place between samples, on the cubic through the four nearest.
fn between(point: &Point, samples: &Samples, t: f64) -> Vec<f64> {
    let n = samples.t.len();
    let after = samples.t.partition_point(|s| *s < t);
    let first = after.saturating_sub(2).min(n.saturating_sub(4));
    let nodes = first..(first + 4).min(n);
    (0..point.columns)
        .map(|c| {
            let x = &samples.values[point.first + c];
            nodes
                .clone()
                .map(|i| {
                    let others = nodes.clone().filter(|j| samples.t[*j] != samples.t[i]);
                    x[i] * others.map(|j| (t - samples.t[j]) / (samples.t[i] - samples.t[j])).product::<f64>()
                })
                .sum()
        })
        .collect()
}

fn nearest(times: &[f64], t: f64) -> usize {
    let after = times.partition_point(|s| *s < t).min(times.len() - 1);
    match after > 0 && t - times[after - 1] <= times[after] - t {
        true => after - 1,
        false => after,
    }
}

/// Differences from the places, and when they are passed, by (F1) and (F2).
pub(crate) fn free(
    point: &Point,
    places: &[Vec<f64>],
    samples: &Samples,
    motion: &mut dyn Moving,
) -> (Vec<f64>, Vec<f64>) {
    let chosen = in_order(point, places, samples);
    let end = samples.t.last().copied().unwrap_or(0.0);
    let step = samples.t.get(1).map_or(1.0, |second| second - samples.t[0]);
    let mut out = Vec::with_capacity(places.len() * point.columns);
    let mut times = Vec::with_capacity(places.len());
    let mut row = Vec::new();
    let square = |d: &[f64]| d.iter().map(|x| x * x).sum::<f64>();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for (place, k) in places.iter().zip(chosen) {
        let mut t = samples.t[k];
        let mut best: Vec<f64> = point.at(samples, k).iter().zip(place).map(|(x, p)| x - p).collect();
        motion.return_to(k);
        for _ in 0..MOST_STEPS {
            let (near, bend) = rates(point, samples, k, t);
            let rate = motion.rates(point.first, point.columns).unwrap_or(near);
            // with the curvature the step is Newton's, also where places are not met
            let full = square(&rate) + dot(&bend, &best);
            let divisor = if full > 0.1 * square(&rate) { full } else { square(&rate) };
            if divisor <= 0.0 {
                break;
            }
            let mut change = (-dot(&rate, &best) / divisor).clamp(-step, step);
            let mut moved = 0.0;
            for _ in 0..MOST_HALVINGS {
                let next = (t + change).clamp(0.0, end);
                if next == t {
                    break;
                }
                if motion.go_to(next) {
                    motion.values_into(&mut row);
                    let now: Vec<f64> = (0..point.columns).map(|c| row[point.first + c] - place[c]).collect();
                    // the last steps change the square by roundings
                    if square(&now) < square(&best) || change.abs() < 1e-3 * step {
                        moved = (next - t).abs();
                        (t, best) = (next, now);
                        break;
                    }
                }
                change *= 0.5;
            }
            if moved <= SETTLED * step {
                break;
            }
        }
        out.extend(best);
        times.push(t);
    }
    (out, times)
}

/// P' and P'' at a time near a sample, of the polynomial through the nearest samples: rates of a step of (F2), whose distances are those of the motion itself.
fn rates(point: &Point, samples: &Samples, k: usize, t: f64) -> (Vec<f64>, Vec<f64>) {
    let n = samples.t.len();
    let count = NODES.min(n);
    let first = k.saturating_sub(count / 2).min(n - count);
    let nodes = &samples.t[first..first + count];
    let (mut rate, mut bend) = (vec![0.0; point.columns], vec![0.0; point.columns]);
    for (i, node) in nodes.iter().enumerate() {
        // the i-th polynomial of Lagrange with its derivatives, factor by factor
        let (mut l, mut d, mut dd) = (1.0, 0.0, 0.0);
        for (_, other) in nodes.iter().enumerate().filter(|(j, _)| *j != i) {
            let (f, slope) = ((t - other) / (node - other), 1.0 / (node - other));
            dd = dd * f + 2.0 * d * slope;
            d = d * f + l * slope;
            l *= f;
        }
        for c in 0..point.columns {
            let x = samples.values[point.first + c][first + i];
            rate[c] += d * x;
            bend[c] += dd * x;
        }
    }
    (rate, bend)
}

/// (F1): a sample for each place, in their order.
fn in_order(point: &Point, places: &[Vec<f64>], samples: &Samples) -> Vec<usize> {
    let n = samples.t.len();
    let square = |k: usize, place: &[f64]| {
        (0..point.columns).map(|c| (samples.values[point.first + c][k] - place[c]).powi(2)).sum::<f64>()
    };
    let mut cost = vec![0.0; n];
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(places.len());
    for place in places {
        // the best beginning that ends at this sample or before it
        let (mut least, mut least_at) = (f64::INFINITY, 0);
        let mut back = vec![0; n];
        let mut next = vec![0.0; n];
        for k in 0..n {
            if cost[k] < least {
                (least, least_at) = (cost[k], k);
            }
            next[k] = least + square(k, place);
            back[k] = least_at;
        }
        from.push(back);
        cost = next;
    }
    let mut k = (0..n).min_by(|a, b| cost[*a].total_cmp(&cost[*b])).unwrap_or(0);
    let mut chosen = vec![0; places.len()];
    for (i, back) in from.iter().enumerate().rev() {
        chosen[i] = k;
        k = back[k];
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_places_keep_their_order() {
        let t: Vec<f64> = (0..11).map(f64::from).collect();
        // there and back: both ways pass x = 3
        let x = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0];
        let samples = Samples { t, values: vec![x] };
        let point = Point { first: 0, columns: 1 };
        let places = |list: &[f64]| list.iter().map(|x| vec![*x]).collect::<Vec<_>>();
        assert_eq!(in_order(&point, &places(&[3.0, 5.0, 3.0, 1.0]), &samples), [3, 5, 7, 9]);
        assert_eq!(in_order(&point, &places(&[5.0, 4.0]), &samples), [5, 6]);
    }

    #[test]
    fn exact_rates_of_a_polynomial() {
        let t: Vec<f64> = (0..9).map(|k| 0.5 * f64::from(k)).collect();
        let x = t.iter().map(|t| t.powi(5) - 2.0 * t).collect();
        let samples = Samples { t, values: vec![x] };
        let point = Point { first: 0, columns: 1 };
        for (k, t) in [(0, 0.1_f64), (4, 2.2), (8, 3.9)] {
            let (rate, bend) = rates(&point, &samples, k, t);
            assert!(
                (rate[0] - (5.0 * t.powi(4) - 2.0)).abs() < 1e-9 && (bend[0] - 20.0 * t.powi(3)).abs() < 1e-9
            );
        }
    }

    #[test]
    fn exact_cubic_between_samples() {
        let t: Vec<f64> = (0..6).map(f64::from).collect();
        let x = t.iter().map(|t| t.powi(3) - 2.0 * t).collect();
        let samples = Samples { t, values: vec![x] };
        let point = Point { first: 0, columns: 1 };
        for t in [0.3_f64, 2.5, 4.9] {
            assert!((between(&point, &samples, t)[0] - (t.powi(3) - 2.0 * t)).abs() < 1e-12);
        }
    }
}
