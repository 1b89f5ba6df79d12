//! Elimination order for saddle-point matrices: minimum degree, points before their constraints.
//!
//! The matrix is [M Aᵀ; A −ε] with M positive definite. A constraint eliminated when the points gone before
//! it leave it nothing of its own has little more than −ε as its pivot, and everything after it would
//! drown in rounding. Which pivots are sound follows from the rows restricted to the points gone: they must
//! be independent there whenever they are independent at all. So a constraint goes
//!
//! - once all its own points are gone: nothing of it is cut off by the restriction; or
//! - early, right after a point, if no other constraint is left at that point and this one surely has a
//!   part in it; or several at once, if they are distances from the point within one body: a body's
//!   particles form a simplex, so their directions are independent in every position.
//!
//! Early ones do no harm: taken in order, each has a point (or each such bundle a block) that neither the
//! later ones nor any of the others touch, so the restricted rows are triangular there, with sound blocks on
//! the diagonal. What is left are complete rows, which depend on each other only if they truly do. The
//! early ones keep chains and stars free of fill-in.
//!
//! A rule tried before let each point release one constraint, whatever else was left there, and kept the
//! others until no point was coupled to them, fill-in counted: sound as well, but they piled up along a
//! chain of bodies in space, and its factor grew with the square of the length.
//!
//! Ties go to the smaller number. Taking the one that was touched longest ago eliminates chains from both ends, in two streams that do not wait for
//! each other; but near flat positions rows then depend on each other in another order, and other formulations passed them worse.
//!
//! Neighbours are kept as lists, fill-in included. The cost of this is about that of the factorisation
//! which it prepares, and both are refused beyond [`MAX_FACTOR_WORK`].

use std::collections::BTreeSet;

/// More multiplications than this in one factorisation are refused (some tenths of a second).
pub const MAX_FACTOR_WORK: u64 = 1_000_000_000;

/// What a constraint row touches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowPattern {
    /// Its points, each once.
    pub points: Vec<usize>,
    /// Whether the row's block at each point can never vanish.
    pub certain: Vec<bool>,
    /// The body whose particles this row keeps at a distance, if both its points are such particles.
    pub simplex: Option<usize>,
}

/// Nodes 0..points are points, the rest constraints; a point stands for `columns` unknowns. Returns the
/// nodes in elimination order, or nothing if the factorisation would take more than [`MAX_FACTOR_WORK`].
pub fn points_first(
    points: usize,
    columns: usize,
    mass_edges: &[(usize, usize)],
    rows: &[RowPattern],
) -> Option<Vec<usize>> {
    let nodes = points + rows.len();
    let mut adjacent: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    let mut couple = |i: usize, j: usize| {
        if i != j {
            adjacent[i].push(j as u32);
            adjacent[j].push(i as u32);
        }
    };
    for &(i, j) in mass_edges {
        couple(i, j);
    }
    let mut rows_at: Vec<Vec<usize>> = vec![Vec::new(); points];
    let mut points_left: Vec<usize> = rows.iter().map(|row| row.points.len()).collect();
    for (r, row) in rows.iter().enumerate() {
        for (s, &i) in row.points.iter().enumerate() {
            couple(i, points + r);
            // AᵀA couples all points of a row
            for &j in &row.points[..s] {
                couple(i, j);
            }
            rows_at[i].push(r);
        }
    }
    for list in &mut adjacent {
        list.sort_unstable();
        list.dedup();
    }
    let mut graph = Graph::new(adjacent);
    let mut ready: BTreeSet<(usize, usize)> = (0..points).map(|p| (graph.degree[p], p)).collect();
    // whether a node stands in `ready`, or did
    let mut released: Vec<bool> = (0..nodes).map(|node| node < points).collect();
    for r in (0..rows.len()).filter(|&r| points_left[r] == 0) {
        released[points + r] = true;
        ready.insert((0, points + r));
    }
    let mut order = Vec::with_capacity(nodes);
    let mut degrees = Vec::new();
    // the neighbours of the node last coupled: a number, who has it, and how many of them are left
    let mut clique = (0_u32, vec![0_u32; nodes], 0);
    let mut work = 0;
    while let Some((_, node)) = ready.pop_first() {
        order.push(node);
        let around = graph.remove(node);
        // Σ c²/2 over the columns of L that the node stands for, c entries in each; its neighbours are all
        // coupled from now on, and will take c³/6 at least
        let points_around = around.iter().filter(|&&u| (u as usize) < points).count();
        let c = (around.len() + points_around * (columns - 1)) as u64;
        work += c * c / 2 * if node < points { columns as u64 } else { 1 };
        if work + c * c * c / 6 > MAX_FACTOR_WORK {
            return None;
        }
        degrees.clear();
        degrees.extend(around.iter().map(|&u| graph.degree[u as usize]));
        if clique.1[node] == clique.0 && around.len() + 1 == clique.2 {
            // its neighbours are those of the node before: they know each other already
            clique.2 -= 1;
            around.iter().for_each(|&u| graph.degree[u as usize] -= 1);
        } else {
            graph.couple(&around);
            clique.0 += 1;
            clique.2 = around.len();
            around.iter().for_each(|&u| clique.1[u as usize] = clique.0);
        }
        for (u, &before) in around.iter().map(|&u| u as usize).zip(&degrees) {
            if released[u] && graph.degree[u] != before {
                ready.remove(&(before, u));
                ready.insert((graph.degree[u], u));
            }
        }
        if node >= points {
            continue;
        }
        let early = goes_early(node, columns, rows, rows_at[node].iter().filter(|&&r| !released[points + r]));
        for &r in &rows_at[node] {
            points_left[r] -= 1;
            if (early || points_left[r] == 0) && !std::mem::replace(&mut released[points + r], true) {
                ready.insert((graph.degree[points + r], points + r));
            }
        }
    }
    debug_assert_eq!(order.len(), nodes);
    Some(order)
}

/// Whether the rows left at a point that was just eliminated may go right after it.
fn goes_early<'r>(
    point: usize,
    columns: usize,
    rows: &[RowPattern],
    mut left: impl Iterator<Item = &'r usize>,
) -> bool {
    let sure =
        |row: &RowPattern| row.points.iter().zip(&row.certain).any(|(&p, &certain)| p == point && certain);
    let Some(first) = left.next().map(|&r| &rows[r]) else { return false };
    let mut count = 1;
    let bundle = left.map(|&r| &rows[r]).all(|row| {
        count += 1;
        count <= columns && first.simplex.is_some() && row.simplex == first.simplex && sure(row)
    });
    bundle && sure(first)
}

/// Who is coupled to whom among the nodes that are left.
struct Graph {
    /// Neighbours of each node in any order; some may be gone.
    adjacent: Vec<Vec<u32>>,
    gone: Vec<bool>,
    /// How many neighbours are left.
    degree: Vec<usize>,
    /// Marks are numbers that only grow, so that they need not be cleared.
    mark: u32,
    marks: Vec<u32>,
}

impl Graph {
    fn new(adjacent: Vec<Vec<u32>>) -> Self {
        let n = adjacent.len();
        let degree = adjacent.iter().map(Vec::len).collect();
        Graph { adjacent, gone: vec![false; n], degree, mark: 0, marks: vec![0; n] }
    }

    /// Takes a node out; returns its neighbours.
    fn remove(&mut self, node: usize) -> Vec<u32> {
        self.gone[node] = true;
        let mut around = std::mem::take(&mut self.adjacent[node]);
        around.retain(|&u| !self.gone[u as usize]);
        around
    }

    /// Couples the neighbours of a node that is gone with each other.
    fn couple(&mut self, around: &[u32]) {
        /// The list of a node with so many times more neighbours than that is not gone through.
        const MANY: usize = 16;
        let hub = |list: &Vec<u32>| list.len() > MANY * around.len();
        // Hubs first, while the lists of the others still tell who knew them.
        let mut new: Vec<(u32, u32)> = Vec::new();
        for &u in around.iter().filter(|&&u| hub(&self.adjacent[u as usize])) {
            self.degree[u as usize] -= 1;
            for &w in around.iter().filter(|&&w| w != u) {
                let lists = [(u, w), (w, u)].map(|(of, other)| (&self.adjacent[of as usize], other));
                let (shorter, other) = if lists[0].0.len() < lists[1].0.len() { lists[0] } else { lists[1] };
                if !shorter.contains(&other) {
                    new.push((u, w));
                }
            }
        }
        for &u in around {
            if !hub(&self.adjacent[u as usize]) {
                self.join(u, around);
            }
        }
        for (u, w) in new {
            self.adjacent[u as usize].push(w);
            self.degree[u as usize] += 1;
        }
    }

    fn join(&mut self, u: u32, around: &[u32]) {
        let list = &mut self.adjacent[u as usize];
        self.mark += 1;
        let (gone, marks, mark) = (&self.gone, &mut self.marks, self.mark);
        list.retain(|&w| {
            marks[w as usize] = mark;
            !gone[w as usize]
        });
        marks[u as usize] = mark;
        list.extend(around.iter().filter(|&&w| marks[w as usize] != mark));
        self.degree[u as usize] = list.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_chain_stays_without_fill() {
        // points 0..n in a row, rods between neighbours: every node has at most 4 neighbours left
        let n = 50;
        let edges: Vec<_> = (1..n).map(|i| (i, i - 1)).collect();
        let rows: Vec<RowPattern> = (1..n)
            .map(|i| RowPattern { points: vec![i - 1, i], certain: vec![true; 2], simplex: None })
            .collect();
        let order = points_first(n, 2, &edges, &rows).unwrap();
        let mut seen = order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..2 * n - 1).collect::<Vec<_>>());
        for (r, row) in rows.iter().enumerate() {
            let at = |x: usize| order.iter().position(|&o| o == x).unwrap();
            assert!(at(n + r) > at(row.points[0]).min(at(row.points[1])), "row {r} before both its points");
        }
    }
}
