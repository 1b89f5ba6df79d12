//! Answer of an output to a harmonic input, over frequencies.
//!
//! ```text
//!   (R1)  G(s) = C (s1 − A)⁻¹ B + D,   s = iω
//!   (R2)  A = Q H Qᵀ,   (s1 − H) z = Qᵀ b,   G = (C Q) z + d        H: upper Hessenberg, once; then n² operations a frequency [laub1981]
//! ```

use crate::{Error, c64};
use linkwork::analysis::Linearization;

/// G over frequencies.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Name of the input.
    pub input: String,
    /// Name of the output.
    pub output: String,
    /// Unit of the output over that of the input.
    pub unit: String,
    /// Frequencies, Hz.
    pub frequencies: Vec<f64>,
    /// G at each; not finite where an undamped mode is met.
    pub values: Vec<c64>,
}

/// So many frequencies from one to another, Hz, in equal ratios.
pub fn frequencies(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|i| from * (to / from).powf(i as f64 / last)).collect()
}

impl Response {
    /// The answer of an output to an input, by their names; `input.` and `measure.` may be left out.
    ///
    /// # Errors
    /// [`Error::Unknown`] if one of them is not there.
    pub fn new(
        linear: &Linearization,
        input: &str,
        output: &str,
        frequencies: &[f64],
    ) -> Result<Self, Error> {
        let names = |list: &[linkwork::analysis::Quantity]| {
            let names: Vec<&str> = list.iter().map(|quantity| quantity.name.as_str()).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let find = |list: &[linkwork::analysis::Quantity], name: &str, prefix: &str| {
            let is = |wanted: &str| list.iter().position(|quantity| quantity.name == wanted);
            is(name).or_else(|| is(&format!("{prefix}.{name}")))
        };
        let (Some(i), Some(o)) =
            (find(&linear.inputs, input, "input"), find(&linear.outputs, output, "measure"))
        else {
            return Err(Error::Unknown {
                input: input.into(),
                output: output.into(),
                inputs: names(&linear.inputs),
                outputs: names(&linear.outputs),
            });
        };
        let (n, m) = (linear.states.len(), linear.inputs.len());
        let mut b: Vec<f64> = (0..n).map(|r| linear.b[r * m + i]).collect();
        let mut c = linear.c[o * n..(o + 1) * n].to_vec();
        let d = linear.d[o * m + i];
        let mut h: Vec<Vec<f64>> = linear.a.chunks(n.max(1)).map(<[f64]>::to_vec).collect();
        hessenberg(&mut h, &mut b, &mut c);
        let at = |f: &f64| gain(&h, &b, &c, d, c64::new(0.0, std::f64::consts::TAU * f));
        let units = [&linear.outputs[o].unit, &linear.inputs[i].unit];
        let unit = match units.map(String::as_str) {
            [over, ""] => over.into(),
            ["", under] => format!("1/{under}"),
            [over, under] if under.contains(' ') || under.contains('/') => format!("{over}/({under})"),
            [over, under] => format!("{over}/{under}"),
        };
        Ok(Response {
            input: linear.inputs[i].name.clone(),
            output: linear.outputs[o].name.clone(),
            unit,
            values: frequencies.iter().map(at).collect(),
            frequencies: frequencies.to_vec(),
        })
    }

    /// Phases, rad, without jumps of a turn.
    pub fn phases(&self) -> Vec<f64> {
        let mut last = 0.0;
        let on = |(k, value): (usize, &c64)| {
            let phase = value.arg();
            last = if k == 0 {
                phase
            } else {
                phase - ((phase - last) / std::f64::consts::TAU).round() * std::f64::consts::TAU
            };
            last
        };
        self.values.iter().enumerate().map(on).collect()
    }
}

/// (R2) in place, by Householder reflections.
fn hessenberg(h: &mut [Vec<f64>], b: &mut [f64], c: &mut [f64]) {
    let n = h.len();
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| h[i][k]).collect();
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm == 0.0 {
            continue;
        }
        v[0] += if v[0] < 0.0 { -norm } else { norm };
        let square: f64 = v.iter().map(|x| x * x).sum();
        for column in 0..n {
            let along: f64 =
                2.0 / square * v.iter().enumerate().map(|(i, v)| v * h[k + 1 + i][column]).sum::<f64>();
            v.iter().enumerate().for_each(|(i, v)| h[k + 1 + i][column] -= along * v);
        }
        let reflect = |row: &mut [f64]| {
            let along: f64 = 2.0 / square * v.iter().zip(&row[k + 1..]).map(|(v, x)| v * x).sum::<f64>();
            row[k + 1..].iter_mut().zip(&v).for_each(|(x, v)| *x -= along * v);
        };
        h.iter_mut().for_each(|row| reflect(row));
        reflect(b);
        reflect(c);
        (k + 2..n).for_each(|i| h[i][k] = 0.0);
    }
}

/// c (s1 − H)⁻¹ b + d by elimination with pivots of neighbouring rows.
fn gain(h: &[Vec<f64>], b: &[f64], c: &[f64], d: f64, s: c64) -> c64 {
    let n = h.len();
    let entry = |i: usize, k: usize| {
        let diagonal = if i == k { s } else { c64::new(0.0, 0.0) };
        diagonal - h[i][k]
    };
    let mut rows: Vec<Vec<c64>> = (0..n).map(|i| (0..n).map(|k| entry(i, k)).collect()).collect();
    let mut z: Vec<c64> = b.iter().map(|b| c64::new(*b, 0.0)).collect();
    for k in 0..n.saturating_sub(1) {
        if rows[k + 1][k].norm() > rows[k][k].norm() {
            rows.swap(k, k + 1);
            z.swap(k, k + 1);
        }
        if rows[k + 1][k].norm() == 0.0 {
            continue;
        }
        let by = rows[k + 1][k] / rows[k][k];
        let (above, below) = rows.split_at_mut(k + 1);
        below[0][k..].iter_mut().zip(&above[k][k..]).for_each(|(x, pivot)| *x -= by * pivot);
        let lead = z[k];
        z[k + 1] -= by * lead;
    }
    for k in (0..n).rev() {
        let known: c64 = (k + 1..n).map(|j| rows[k][j] * z[j]).sum();
        z[k] = (z[k] - known) / rows[k][k];
    }
    z.iter().zip(c).map(|(z, c)| z * *c).sum::<c64>() + d
}
