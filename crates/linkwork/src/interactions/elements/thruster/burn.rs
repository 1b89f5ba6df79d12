//! What a thruster gives over time, and how much it has given.
//!
//!   (U1)  F(t) = f(t)  for  t_s ≤ t < t_e,  else 0
//!   (U2)  J(t) = ∫ F dt  up to t
//!
//! J of a constant and of a table are exact. Of a formula it is summed up once, over panels between the formula's corners that are halved
//! until Gauss' rule and its halves agree; within a panel it is the same rule up to t.

use crate::expressions::{Formula, Table};
use crate::linalg::jet::Jet;
use std::sync::Arc;

/// f of (U1), N.
#[derive(Clone, Debug)]
enum Profile {
    Constant(f64),
    /// A table over t − t_s, times a factor.
    Curve(Arc<Table>, f64),
    /// A formula of time; where panels begin and J there.
    Formula(Formula, Vec<(f64, f64)>),
}

/// Thrust over time.
#[derive(Clone, Debug)]
pub struct Burn {
    start: f64,
    end: f64,
    profile: Profile,
}

/// Nodes and weights of Gauss' rule of ten points, on 0 to 1 from the middle outwards.
const GAUSS: [(f64, f64); 5] = [
    (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];
/// A panel is good where its halves differ from it by less than this part of the whole.
const AGREE: f64 = 1e-14;
/// A panel is halved so often at most.
const HALVINGS: u32 = 24;
/// Panels of a formula at most.
const MOST_PANELS: usize = 20_000;

impl Burn {
    /// The same thrust, N, for a time.
    pub fn constant(thrust: f64, start: f64, burn_time: f64) -> Self {
        Burn { start, end: start + burn_time, profile: Profile::Constant(thrust) }
    }

    /// A table over the time since the start, scaled to an impulse, N s.
    pub fn curve(table: Arc<Table>, impulse: f64, start: f64) -> Self {
        let last = table.x()[table.x().len() - 1];
        let scale = impulse / table.integral(last);
        Burn { start: start + table.x()[0], end: start + last, profile: Profile::Curve(table, scale) }
    }

    /// A formula of time with its tables, N, until `end`, which may be never; J is known up to `until`. An error where the formula has no value, with the time.
    pub fn formula(formula: Formula, start: f64, end: f64, until: f64) -> Result<Self, f64> {
        if let (Some(value), true) = (formula.is_constant(), end.is_finite()) {
            return Ok(Burn { start, end, profile: Profile::Constant(value) });
        }
        let last = end.min(until).max(start);
        let mut corners: Vec<f64> = formula.time_edges();
        corners.retain(|t| *t > start && *t < last);
        corners.extend([start, last]);
        corners.sort_by(f64::total_cmp);
        corners.dedup();
        let mut panels = vec![(start, 0.0)];
        let mut stack = Vec::new();
        let rough: f64 = corners.windows(2).map(|w| gauss(&formula, w[0], w[1], &mut stack).abs()).sum();
        for w in corners.windows(2) {
            sum_up(&formula, [w[0], w[1]], (AGREE * rough, HALVINGS), &mut panels, &mut stack);
        }
        match panels.iter().find(|(_, j)| !j.is_finite()) {
            Some(&(t, _)) => Err(t),
            None => Ok(Burn { start, end, profile: Profile::Formula(formula, panels) }),
        }
    }

    /// (U1), N.
    pub fn thrust(&self, t: f64, stack: &mut Vec<Jet>) -> f64 {
        if t < self.start || t >= self.end {
            return 0.0;
        }
        match &self.profile {
            Profile::Constant(thrust) => *thrust,
            Profile::Curve(table, scale) => {
                // rounding at the ends is no reason to have no value
                let x = (t - self.start + table.x()[0]).clamp(table.x()[0], table.x()[table.x().len() - 1]);
                table.eval(x).map_or(f64::NAN, |[y, ..]| scale * y)
            }
            Profile::Formula(formula, _) => formula.eval_jet(&[Jet::time(t)], stack).x,
        }
    }

    /// (U2), N s.
    pub fn delivered(&self, t: f64, stack: &mut Vec<Jet>) -> f64 {
        let t = t.clamp(self.start, self.end);
        match &self.profile {
            Profile::Constant(thrust) => thrust * (t - self.start),
            Profile::Curve(table, scale) => scale * table.integral(t - self.start + table.x()[0]),
            Profile::Formula(formula, panels) => {
                let (from, before) = panels[panels.partition_point(|p| p.0 <= t).max(1) - 1];
                if t > from { before + gauss(formula, from, t, stack) } else { before }
            }
        }
    }

    /// (U2) in all, N s; not finite where it never ends.
    pub fn impulse(&self, stack: &mut Vec<Jet>) -> f64 {
        if self.end.is_finite() { self.delivered(self.end, stack) } else { f64::INFINITY }
    }

    /// Where it changes its course.
    pub fn edges(&self) -> Vec<f64> {
        let mut edges = vec![self.start];
        if self.end.is_finite() {
            edges.push(self.end);
        }
        match &self.profile {
            Profile::Constant(_) => {}
            Profile::Curve(table, _) => {
                let first = table.x()[0];
                edges.extend(table.corners().iter().map(|x| self.start + (x - first)));
            }
            Profile::Formula(formula, _) => edges.extend(formula.time_edges()),
        }
        edges
    }
}

/// ∫ f dt by Gauss' rule.
fn gauss(formula: &Formula, from: f64, to: f64, stack: &mut Vec<Jet>) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let mut at = |t: f64| formula.eval_jet(&[Jet::time(t)], stack).x;
    half * GAUSS.iter().map(|&(x, w)| w * (at(middle - half * x) + at(middle + half * x))).sum::<f64>()
}

fn sum_up(
    formula: &Formula,
    [from, to]: [f64; 2],
    (allowed, halvings): (f64, u32),
    panels: &mut Vec<(f64, f64)>,
    stack: &mut Vec<Jet>,
) {
    let middle = 0.5 * (from + to);
    let whole = gauss(formula, from, to, stack);
    let halves = gauss(formula, from, middle, stack) + gauss(formula, middle, to, stack);
    let last = halvings == 0 || panels.len() >= MOST_PANELS || middle <= from || middle >= to;
    if last || (whole - halves).abs() <= allowed.max(AGREE * halves.abs()) || !halves.is_finite() {
        let before = panels.last().map_or(0.0, |p| p.1);
        panels.push((to, before + halves));
        return;
    }
    for part in [[from, middle], [middle, to]] {
        sum_up(formula, part, (allowed, halvings - 1), panels, stack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::{Extend, Interpolation};

    #[test]
    fn exact_impulses() {
        let mut stack = Vec::new();
        let constant = Burn::constant(5.0, 1.0, 2.0);
        assert_eq!(constant.thrust(0.999, &mut stack), 0.0);
        assert_eq!(constant.thrust(1.0, &mut stack), 5.0);
        assert_eq!(constant.thrust(3.0, &mut stack), 0.0);
        assert_eq!(constant.delivered(2.0, &mut stack), 5.0);
        assert_eq!(constant.impulse(&mut stack), 10.0);
        // a trapezium of 3.5 units, from 1.5 s on
        let table =
            Table::new([0.5, 1.0, 4.0, 4.5], [0.0, 1.0, 1.0, 0.0], Interpolation::Linear, Extend::Hold);
        let curve = Burn::curve(Arc::new(table.unwrap()), 7.0, 1.0);
        assert!((curve.impulse(&mut stack) - 7.0).abs() < 1e-14);
        assert!((curve.thrust(3.0, &mut stack) - 2.0).abs() < 1e-15);
        assert!((curve.delivered(2.0, &mut stack) - 0.5).abs() < 1e-15);
        assert_eq!(curve.thrust(5.5, &mut stack), 0.0);
        assert_eq!(curve.edges(), [1.5, 5.5, 1.5, 2.0, 5.0, 5.5]);
        let formula = Formula::parse("if(t < 1, 3 * t^2, 20 * exp(-8 * t))").unwrap();
        let burn = Burn::formula(formula, 0.25, 2.0, 10.0).unwrap();
        let tail = |t: f64| 2.5 * ((-8f64).exp() - (-8.0 * t).exp());
        for (t, j) in [
            (0.25, 0.0),
            (0.5, 0.125 - 1.0 / 64.0),
            (1.5, 63.0 / 64.0 + tail(1.5)),
            (9.0, 63.0 / 64.0 + tail(2.0)),
        ] {
            assert!(
                (burn.delivered(t, &mut stack) - j).abs() < 1e-14,
                "{t}: {}",
                burn.delivered(t, &mut stack) - j
            );
        }
    }
}
