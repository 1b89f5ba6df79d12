//! The shortest vector that meets linear inequalities: min |w|², G w ≥ h.
//!
//! \[lawson1995\] chapter 23 turns the problem into one with unknowns that are not negative,
//!
//! ```text
//!   (1)  min |E u − f|,  u ≥ 0,     E = [Gᵀ; hᵀ],  f = [0; 1]
//!   (2)  r = E u − f,   w = −r_1..n / r_n+1        r = 0: the inequalities contradict each other
//!   (3)  u_i > 0: row i is met as an equality, with the multiplier −u_i / r_n+1
//! ```
//!
//! and solves that by adding one unknown after the other to those that are positive.

use super::least_squares::LeastSquares;

/// A gradient of (1) below this part of its row does not count.
const STATIONARY: f64 = 1e-12;
/// A residual of (1) below this says that the inequalities contradict each other.
const CONTRADICTION: f64 = 1e-11;

/// w, and which inequalities it meets as equalities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeastDistance {
    /// The shortest vector.
    pub w: Vec<f64>,
    /// Rows of G that hold it back.
    pub active: Vec<usize>,
}

/// Solves the problem; `None` if the inequalities contradict each other. `rows`: G, row by row, each as long as w.
pub fn least_distance(rows: &[f64], right: &[f64], n: usize) -> Option<LeastDistance> {
    let m = right.len();
    if m == 0 || right.iter().all(|h| *h <= 0.0) {
        return Some(LeastDistance { w: vec![0.0; n], active: Vec::new() });
    }
    let length =
        |i: usize| rows[i * n..(i + 1) * n].iter().map(|g| g * g).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    // w grows with h: in units in which the farthest row is one away
    let unit = (0..m).map(|i| right[i] / length(i)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // rows of one length, so that none counts more than others
    let column = |i: usize| -> Vec<f64> {
        let (row, length) = (&rows[i * n..(i + 1) * n], length(i));
        row.iter().map(|g| g / length).chain([right[i] / length / unit]).collect()
    };
    let columns: Vec<Vec<f64>> = (0..m).map(column).collect();
    let u = not_negative(&columns, n + 1);
    let mut r = vec![0.0; n + 1];
    r[n] = -1.0;
    for (column, u) in columns.iter().zip(&u) {
        r.iter_mut().zip(column).for_each(|(r, c)| *r += u * c);
    }
    let last = -r[n];
    if last <= CONTRADICTION {
        return None;
    }
    let w = r[..n].iter().map(|r| unit * r / last).collect();
    Some(LeastDistance { w, active: (0..m).filter(|&i| u[i] > 0.0).collect() })
}

/// (1), with columns of E of a given height; the last entry of f is one, the others zero.
fn not_negative(columns: &[Vec<f64>], height: usize) -> Vec<f64> {
    let m = columns.len();
    let (mut u, mut positive) = (vec![0.0; m], vec![false; m]);
    for _ in 0..3 * m + 10 {
        let mut rest = vec![0.0; height];
        rest[height - 1] = 1.0;
        for (column, u) in columns.iter().zip(&u) {
            rest.iter_mut().zip(column).for_each(|(r, c)| *r -= u * c);
        }
        let slope = |i: usize| columns[i].iter().zip(&rest).map(|(c, r)| c * r).sum::<f64>();
        let size = |i: usize| columns[i].iter().map(|c| c.abs()).sum::<f64>();
        let next = (0..m).filter(|&i| !positive[i] && slope(i) > STATIONARY * size(i));
        let Some(next) = next.max_by(|&i, &j| slope(i).total_cmp(&slope(j))) else { break };
        positive[next] = true;
        loop {
            let set: Vec<usize> = (0..m).filter(|&i| positive[i]).collect();
            let mut system = LeastSquares::new(height, set.len());
            for row in 0..height {
                let of_row: Vec<f64> = set.iter().map(|&i| columns[i][row]).collect();
                system.push(&of_row, if row + 1 == height { 1.0 } else { 0.0 }, 1.0);
            }
            let mut s = vec![0.0; set.len()];
            system.solve(&mut s);
            if s.iter().any(|s| !s.is_finite()) {
                return u;
            }
            let blocked = set.iter().zip(&s).filter(|(_, s)| **s <= 0.0);
            let way = blocked.map(|(&i, s)| u[i] / (u[i] - s).max(f64::MIN_POSITIVE)).fold(1.0, f64::min);
            for (&i, s) in set.iter().zip(&s) {
                u[i] += way * (s - u[i]);
            }
            if way >= 1.0 && s.iter().all(|s| *s > 0.0) {
                break;
            }
            let smallest = set.iter().copied().filter(|&i| u[i] <= 1e-14).collect::<Vec<_>>();
            let leaving = if smallest.is_empty() { vec![next] } else { smallest };
            for i in leaving {
                (positive[i], u[i]) = (false, 0.0);
            }
            if positive.iter().all(|p| !p) {
                break;
            }
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corner of two half-planes, one of them alone, none, and two that exclude each other.
    #[test]
    fn exact_nearest_points() {
        let rows = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0];
        let found = least_distance(&rows, &[1.0, 2.0, -5.0], 2).unwrap();
        assert!((found.w[0] - 1.0).abs() < 1e-14 && (found.w[1] - 2.0).abs() < 1e-14, "{found:?}");
        assert_eq!(found.active, [0, 1]);
        let found = least_distance(&[3.0, 4.0], &[10.0], 2).unwrap();
        assert!((found.w[0] - 1.2).abs() < 1e-14 && (found.w[1] - 1.6).abs() < 1e-14, "{found:?}");
        assert_eq!(least_distance(&rows, &[-1.0, -1.0, -1.0], 2).unwrap().active, [0usize; 0]);
        assert_eq!(least_distance(&rows, &[1.0, 0.0, 0.5], 2), None);
        // next to nothing, beside a row that is long
        let found = least_distance(&[1e8, 1.0], &[1e-12], 2).unwrap();
        assert!((found.w[0] / 1e-20 - 1.0).abs() < 1e-12 && found.active == [0], "{found:?}");
    }
}
