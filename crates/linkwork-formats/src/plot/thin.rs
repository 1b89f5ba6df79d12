//! Fewer places for the same picture.

use crate::drawing::BodyPoint;

/// Lines through places, split where there is none (NaN).
pub fn pieces(places: impl Iterator<Item = BodyPoint>) -> Vec<Vec<BodyPoint>> {
    let mut lines: Vec<Vec<BodyPoint>> = Vec::new();
    let mut open = false;
    for spot in places {
        if !(spot[0].is_finite() && spot[1].is_finite()) {
            open = false;
            continue;
        }
        match lines.last_mut() {
            Some(line) if open => line.push(spot),
            _ => lines.push(vec![spot]),
        }
        open = true;
    }
    lines
}

/// Of a line that runs to the right: of every column of this width the first, lowest, highest and last place, in their order. No peak is lost.
pub fn columns(line: &[BodyPoint], width: f64) -> Vec<BodyPoint> {
    let mut kept = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.first() {
        let column = (first[0] / width).floor();
        let count = rest.iter().take_while(|p| (p[0] / width).floor() == column).count();
        let (here, after) = rest.split_at(count);
        rest = after;
        let by_height = |i: &usize, k: &usize| here[*i][1].total_cmp(&here[*k][1]);
        let mut chosen = vec![0, count - 1];
        chosen.extend((0..count).min_by(by_height));
        chosen.extend((0..count).max_by(by_height));
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|i| here[i]));
    }
    kept
}

/// Of any line: places that lie on the way between their neighbours, to within a distance, are left out (Douglas and Peucker).
pub fn path(line: &[BodyPoint], within: f64) -> Vec<BodyPoint> {
    if line.len() < 3 {
        return line.to_vec();
    }
    let mut keep = vec![false; line.len()];
    keep[0] = true;
    keep[line.len() - 1] = true;
    let mut stack = vec![(0, line.len() - 1)];
    while let Some((from, to)) = stack.pop() {
        let farthest = (from + 1..to)
            .map(|i| (distance(line[i], line[from], line[to]), i))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((off, i)) = farthest.filter(|(off, _)| *off > within) {
            debug_assert!(off > within);
            keep[i] = true;
            stack.push((from, i));
            stack.push((i, to));
        }
    }
    line.iter().zip(keep).filter_map(|(spot, keep)| keep.then_some(*spot)).collect()
}

/// Distance of a place from a stretch.
fn distance(p: BodyPoint, a: BodyPoint, b: BodyPoint) -> f64 {
    let (d, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = d[0] * d[0] + d[1] * d[1];
    let s = if length > 0.0 { ((r[0] * d[0] + r[1] * d[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
    (r[0] - s * d[0]).hypot(r[1] - s * d[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peak of one place among a million is still there, and the line is short.
    #[test]
    fn keeps_peaks() {
        let mut line: Vec<BodyPoint> =
            (0..1_000_000).map(|i| [f64::from(i) * 6e-4, (f64::from(i) * 0.1).sin()]).collect();
        line[654_321][1] = 99.0;
        let thin = columns(&line, 0.5);
        assert!(thin.len() < 5_000 && thin.iter().any(|p| p[1] == 99.0));
        assert_eq!((thin[0], *thin.last().unwrap()), (line[0], *line.last().unwrap()));
        assert!(thin.windows(2).all(|w| w[0][0] <= w[1][0]));
    }

    #[test]
    fn keeps_a_circle_within_its_bound() {
        let circle: Vec<BodyPoint> = (0..=10_000)
            .map(|i| f64::from(i) * 1e-4 * std::f64::consts::TAU)
            .map(|a| [100.0 * a.cos(), 100.0 * a.sin()])
            .collect();
        let thin = path(&circle, 0.05);
        assert!(thin.len() < 300, "{}", thin.len());
        for p in &circle {
            let off = thin.windows(2).map(|w| distance(*p, w[0], w[1])).fold(f64::MAX, f64::min);
            assert!(off <= 0.05 + 1e-12);
        }
    }

    #[test]
    fn exact_gaps() {
        let lines = pieces([[0.0, 1.0], [1.0, f64::NAN], [2.0, 1.0], [3.0, 1.0]].into_iter());
        assert_eq!(lines, [vec![[0.0, 1.0]], vec![[2.0, 1.0], [3.0, 1.0]]]);
    }
}
