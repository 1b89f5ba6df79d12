//! Elimination order for saddle-point matrices: minimum degree, points before their constraints.
//!
//! The matrix is [M Aᵀ; A −ε] with M positive definite. Eliminated while it is still coupled to points, a
//! constraint may have little more than −ε as its pivot (all that is left of it where the points gone
//! before are held by other constraints, as at a dead centre), and everything after it would drown in
//! rounding. So a constraint waits until no point is coupled to it any more, fill-in counted, with one
//! exception: each point, once eliminated, may release one constraint early in which it surely has a
//! part: that pivot is aᵀ S⁻¹ a of the point, which cannot vanish. The exception keeps chains and stars
//! free of fill-in. Releasing two at one point would not be safe: they may pull in the same direction.

use std::collections::BTreeSet;

/// What a constraint row touches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowPattern {
    /// Its points, each once.
    pub points: Vec<usize>,
    /// Whether the row's block at each point can never vanish.
    pub certain: Vec<bool>,
}

/// Nodes 0..points are points, the rest constraints. Returns the nodes in elimination order.
pub fn points_first(points: usize, mass_edges: &[(usize, usize)], rows: &[RowPattern]) -> Vec<usize> {
    let nodes = points + rows.len();
    let mut adjacent: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes];
    let mut couple = |i: usize, j: usize| {
        if i != j {
            adjacent[i].insert(j);
            adjacent[j].insert(i);
        }
    };
    for &(i, j) in mass_edges {
        couple(i, j);
    }
    let mut certain_at: Vec<Vec<usize>> = vec![Vec::new(); points];
    for (r, row) in rows.iter().enumerate() {
        for (s, &i) in row.points.iter().enumerate() {
            couple(i, points + r);
            // AᵀA couples all points of a row
            for &j in &row.points[..s] {
                couple(i, j);
            }
            if row.certain[s] {
                certain_at[i].push(points + r);
            }
        }
    }
    let points_around = |adjacent: &[BTreeSet<usize>], node: usize| adjacent[node].range(..points).count();
    let mut ready: BTreeSet<(usize, usize)> = (0..points).map(|p| (adjacent[p].len(), p)).collect();
    let mut released = vec![false; nodes];
    for row in points..nodes {
        if adjacent[row].is_empty() {
            released[row] = true;
            ready.insert((0, row));
        }
    }
    let mut order = Vec::with_capacity(nodes);
    while let Some((_, node)) = ready.pop_first() {
        order.push(node);
        let around: Vec<usize> = std::mem::take(&mut adjacent[node]).into_iter().collect();
        for &u in &around {
            let before = (adjacent[u].len(), u);
            adjacent[u].remove(&node);
            adjacent[u].extend(around.iter().copied().filter(|&w| w != u));
            if ready.remove(&before) {
                ready.insert((adjacent[u].len(), u));
            }
        }
        let mut release = |row: usize, adjacent: &[BTreeSet<usize>]| {
            if !std::mem::replace(&mut released[row], true) {
                ready.insert((adjacent[row].len(), row));
            }
        };
        if node < points {
            let early = certain_at[node].iter().copied().filter(|r| around.contains(r));
            if let Some(row) = early.min_by_key(|&r| (points_around(&adjacent, r), r)) {
                release(row, &adjacent);
            }
        }
        for &u in around.iter().filter(|&&u| u >= points) {
            if points_around(&adjacent, u) == 0 {
                release(u, &adjacent);
            }
        }
    }
    debug_assert_eq!(order.len(), nodes);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_chain_stays_without_fill() {
        // points 0..n in a row, rods between neighbours: every node has at most 4 neighbours left
        let n = 50;
        let edges: Vec<_> = (1..n).map(|i| (i, i - 1)).collect();
        let rows: Vec<RowPattern> =
            (1..n).map(|i| RowPattern { points: vec![i - 1, i], certain: vec![true; 2] }).collect();
        let order = points_first(n, &edges, &rows);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..2 * n - 1).collect::<Vec<_>>());
        for (r, row) in rows.iter().enumerate() {
            let at = |x: usize| order.iter().position(|&o| o == x).unwrap();
            assert!(at(n + r) > at(row.points[0]).min(at(row.points[1])), "row {r} before both its points");
        }
    }
}
