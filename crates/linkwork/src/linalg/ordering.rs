//! Elimination order for saddle-point matrices: minimum degree, points before their constraints.
//!
//! The matrix is [M Aᵀ; A −ε] with M positive definite. Eliminated before any of its points, a
//! constraint would have −ε as its pivot and everything after it would drown in rounding. So a
//! constraint waits until all its points are gone, with one exception: each point may release one of
//! its constraints early (its pivot is then aᵀ S⁻¹ a of that point, which cannot vanish). That
//! exception keeps chains and stars free of fill-in; releasing two at one point would not be safe,
//! because they may pull in the same direction (a crank and its rod at dead centre).

use std::collections::BTreeSet;

/// Nodes 0..points are points, the rest constraints; `neighbours[c]` of a constraint lists its points.
/// Returns the nodes in elimination order.
pub fn points_first(points: usize, mass_edges: &[(usize, usize)], rows: &[Vec<usize>]) -> Vec<usize> {
    let nodes = points + rows.len();
    let mut adjacent: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes];
    for &(i, j) in mass_edges {
        if i != j {
            adjacent[i].insert(j);
            adjacent[j].insert(i);
        }
    }
    for (r, row) in rows.iter().enumerate() {
        for (s, &i) in row.iter().enumerate() {
            adjacent[i].insert(points + r);
            adjacent[points + r].insert(i);
            // AᵀA couples all points of a row
            for &j in &row[..s] {
                if i != j {
                    adjacent[i].insert(j);
                    adjacent[j].insert(i);
                }
            }
        }
    }
    // A row whose points are all gone (or that has none) is ready.
    let mut waiting: Vec<usize> = rows.iter().map(Vec::len).collect();
    let mut ready: BTreeSet<(usize, usize)> = (0..points).map(|p| (adjacent[p].len(), p)).collect();
    let mut released = vec![false; rows.len()];
    for r in 0..rows.len() {
        if waiting[r] == 0 {
            released[r] = true;
            ready.insert((0, points + r));
        }
    }
    let mut rows_at: Vec<Vec<usize>> = vec![Vec::new(); points];
    for (r, row) in rows.iter().enumerate() {
        for &p in row {
            rows_at[p].push(r);
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
        if node < points {
            let mut release = |r: usize| {
                if !std::mem::replace(&mut released[r], true) {
                    ready.insert((adjacent[points + r].len(), points + r));
                }
            };
            for &r in &rows_at[node] {
                waiting[r] -= 1;
                if waiting[r] == 0 {
                    release(r);
                }
            }
            // The one early release: the row with the fewest points left.
            let early = rows_at[node].iter().copied().filter(|&r| waiting[r] > 0);
            if let Some(r) = early.min_by_key(|&r| (waiting[r], r)) {
                release(r);
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
        let rows: Vec<Vec<usize>> = (1..n).map(|i| vec![i - 1, i]).collect();
        let order = points_first(n, &edges, &rows);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..2 * n - 1).collect::<Vec<_>>());
        for (r, row) in rows.iter().enumerate() {
            let at = |x: usize| order.iter().position(|&o| o == x).unwrap();
            assert!(at(n + r) > at(row[0]).min(at(row[1])), "row {r} before both its points");
        }
    }
}
