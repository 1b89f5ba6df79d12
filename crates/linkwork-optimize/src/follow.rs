//! Distances of a point from the places of a path.
//!
//! At given times they are what the motion says. With free timing the places p_k are passed in their order, each when the point is nearest:
//!
//! ```text
//!   (F1)  min Σ |P(t_k) − p_k|²    over t_1 ≤ t_2 ≤ …          among the samples, by dynamic programming
//!   (F2)  t ← t − P'·(P − p) / P'²                              then to rounding, by Gauss and Newton
//! ```
//!
//! Times that are eliminated like this leave the lengths of the mechanism as the only variables (variable projection).

use crate::motion::Samples;
use linkwork::analysis::Kinematics;

/// A step of (F2) that brings nothing is halved so often.
const MOST_HALVINGS: usize = 6;
/// Steps of (F2).
const MOST_STEPS: usize = 30;

/// A point among the quantities: the places of its coordinates.
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

/// (F1), (F2)
pub(crate) fn free(
    point: &Point,
    places: &[Vec<f64>],
    samples: &Samples,
    motion: &mut Kinematics<'_>,
) -> Vec<f64> {
    let chosen = in_order(point, places, samples);
    let end = samples.t.last().copied().unwrap_or(0.0);
    let step = samples.t.get(1).map_or(1.0, |second| second - samples.t[0]);
    let mut out = Vec::with_capacity(places.len() * point.columns);
    let mut row = Vec::new();
    for (place, k) in places.iter().zip(chosen) {
        motion.return_to(&samples.instants[k]);
        let mut off = |motion: &mut Kinematics<'_>, t: f64| -> Option<Vec<f64>> {
            motion.go_to(t).ok()?;
            motion.values_into(&mut row);
            Some((0..point.columns).map(|c| row[point.first + c] - place[c]).collect())
        };
        let square = |d: &[f64]| d.iter().map(|x| x * x).sum::<f64>();
        let mut t = samples.t[k];
        let Some(mut best) = off(motion, t) else { continue };
        let small = 1e-4 * step;
        for _ in 0..MOST_STEPS {
            let (a, b) = ((t - small).max(0.0), (t + small).min(end));
            let (Some(before), Some(after)) = (off(motion, a), off(motion, b)) else { break };
            let rate: Vec<f64> = before.iter().zip(&after).map(|(x, y)| (y - x) / (b - a)).collect();
            // with the curvature the step is Newton's, and the times are exact where places are not met
            let bend: f64 = before
                .iter()
                .zip(&after)
                .zip(&best)
                .map(|((x, y), d)| (x + y - 2.0 * d) / (small * small) * d)
                .sum();
            let full = square(&rate) + if b - a == 2.0 * small { bend } else { 0.0 };
            let divisor = if full > 0.1 * square(&rate) { full } else { square(&rate) };
            if divisor <= 0.0 {
                break;
            }
            let slope: f64 = rate.iter().zip(&best).map(|(v, d)| v * d).sum();
            let mut change = (-slope / divisor).clamp(-step, step);
            let mut found = false;
            for _ in 0..MOST_HALVINGS {
                let next = (t + change).clamp(0.0, end);
                if let Some(now) = off(motion, next)
                    && square(&now) < square(&best)
                {
                    found = next != t;
                    (t, best) = (next, now);
                    break;
                }
                change *= 0.5;
            }
            // steps become shorter by squares: the next one would be a rounding
            if !found || change.abs() < 1e-6 * step {
                break;
            }
        }
        out.extend(best);
    }
    out
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
        let samples = Samples { t, values: vec![x], instants: Vec::new() };
        let point = Point { first: 0, columns: 1 };
        let places = |list: &[f64]| list.iter().map(|x| vec![*x]).collect::<Vec<_>>();
        assert_eq!(in_order(&point, &places(&[3.0, 5.0, 3.0, 1.0]), &samples), [3, 5, 7, 9]);
        assert_eq!(in_order(&point, &places(&[5.0, 4.0]), &samples), [5, 6]);
    }

    #[test]
    fn exact_cubic_between_samples() {
        let t: Vec<f64> = (0..6).map(f64::from).collect();
        let x = t.iter().map(|t| t.powi(3) - 2.0 * t).collect();
        let samples = Samples { t, values: vec![x], instants: Vec::new() };
        let point = Point { first: 0, columns: 1 };
        for t in [0.3_f64, 2.5, 4.9] {
            assert!((between(&point, &samples, t)[0] - (t.powi(3) - 2.0 * t)).abs() < 1e-12);
        }
    }
}
