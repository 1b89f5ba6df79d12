//! Extremes between samples.
//!
//! The largest of samples jumps from one to the next while a variable changes, and its slope with it. The top of the parabola through the largest sample and its neighbours moves smoothly:
//!
//! ```text
//!   (X1)  x(t) ≈ x_k + x[k−1,k] (t − t_k) + x[k−1,k,k+1] (t − t_k)(t − t_{k−1})
//! ```
//!
//! Where the motion can be asked at any time, it is asked at the top, and the parabola drawn again.

/// When a quantity is largest, and its value there: the top of the parabola at the largest sample; `ask` computes a value at a time, where that can be.
pub(crate) fn largest(
    t: &[f64],
    x: &[f64],
    mut ask: Option<&mut dyn FnMut(usize, f64) -> Option<f64>>,
) -> (f64, f64) {
    let Some(k) = (0..x.len()).filter(|k| x[*k].is_finite()).max_by(|a, b| x[*a].total_cmp(&x[*b])) else {
        return (f64::NAN, f64::NAN);
    };
    if k == 0 || k + 1 >= x.len() {
        return (t[k], x[k]);
    }
    let mut three = [(t[k - 1], x[k - 1]), (t[k], x[k]), (t[k + 1], x[k + 1])];
    let Some((mut at, mut top)) = summit(three) else { return (t[k], x[k]) };
    let Some(ask) = ask.as_mut() else { return (at, top) };
    let mut best = at;
    for _ in 0..8 {
        let Some(value) = ask(k, at) else { return (at, top) };
        let nearest = three[1];
        (best, top) = if value >= nearest.1 { (at, value) } else { nearest };
        if (at - nearest.0).abs() <= 1e-9 * (three[2].0 - three[0].0).abs() {
            break;
        }
        // the three that hold the largest value
        three = match (value >= nearest.1, at > nearest.0) {
            (true, true) => [nearest, (at, value), three[2]],
            (true, false) => [three[0], (at, value), nearest],
            (false, true) => [three[0], nearest, (at, value)],
            (false, false) => [(at, value), nearest, three[2]],
        };
        let Some((next, height)) = summit(three) else { break };
        if (height - top).abs() <= 1e-15 * top.abs() {
            break;
        }
        at = next;
    }
    (best, top)
}

/// The top of a parabola through three points, where it has one between them.
fn summit([(t0, x0), (t1, x1), (t2, x2)]: [(f64, f64); 3]) -> Option<(f64, f64)> {
    if !(t0 < t1 && t1 < t2) {
        return None;
    }
    let slope = (x1 - x0) / (t1 - t0);
    let bend = ((x2 - x1) / (t2 - t1) - slope) / (t2 - t0);
    if bend >= 0.0 || !bend.is_finite() {
        return None;
    }
    // d/dt: slope + bend (2 t − t0 − t1) = 0
    let at = 0.5 * (t0 + t1 - slope / bend);
    let height = x1 + slope * (at - t1) + bend * (at - t1) * (at - t0);
    (at > t0 && at < t2).then_some((at, height.max(x1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_top_between_samples() {
        let t: Vec<f64> = (0..20).map(|k| 0.1 * f64::from(k)).collect();
        let parabola: Vec<f64> = t.iter().map(|t| 2.0 - (t - 0.77).powi(2)).collect();
        assert!((largest(&t, &parabola, None).1 - 2.0).abs() < 1e-14);
        let sine = |t: f64| (3.0 * t - 1.0).sin();
        let x: Vec<f64> = t.iter().map(|t| sine(*t)).collect();
        let mut ask = |_: usize, t: f64| Some(sine(t));
        assert!((largest(&t, &x, Some(&mut ask)).1 - 1.0).abs() < 1e-14);
        assert_eq!(largest(&[0.0, 1.0], &[3.0, 1.0], None), (0.0, 3.0));
        assert!(largest(&[0.0], &[f64::NAN], None).1.is_nan());
    }
}
