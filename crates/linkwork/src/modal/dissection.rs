//! Elimination order for finite elements: nested dissection by the places of the nodes ([george1973]). The set is cut in half across its longest extent; nodes
//! of one half that have neighbours in the other go last, and so on within each half.

use super::Symmetric;
use crate::linalg::vec3::Vec3;

/// Sets of so many nodes are not cut again.
const SMALL: usize = 24;

/// The nodes of `kept` in elimination order. `matrix` couples 3 k + c.
pub fn order(positions: &[Vec3], matrix: &Symmetric, kept: &[usize]) -> Vec<usize> {
    let mut neighbours: Vec<Vec<u32>> = Vec::with_capacity(positions.len());
    for node in 0..positions.len() {
        let mut list: Vec<u32> =
            (0..3).flat_map(|c| matrix.row(3 * node + c)).map(|(j, _)| (j / 3) as u32).collect();
        list.sort_unstable();
        list.dedup();
        neighbours.push(list);
    }
    let mut side = vec![0_u32; positions.len()];
    let mut next = 1;
    let mut out = Vec::with_capacity(kept.len());
    // what is to be cut, and what goes once both halves are through
    enum Work {
        Cut(Vec<usize>),
        Emit(Vec<usize>),
    }
    let mut stack = vec![Work::Cut(kept.to_vec())];
    while let Some(work) = stack.pop() {
        let mut set = match work {
            Work::Emit(nodes) => {
                out.extend(nodes);
                continue;
            }
            Work::Cut(set) if set.len() <= SMALL => {
                out.extend(set);
                continue;
            }
            Work::Cut(set) => set,
        };
        let range = |c: usize| {
            let (low, high) = set.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &k| {
                (low.min(positions[k][c]), high.max(positions[k][c]))
            });
            high - low
        };
        let along = (0..3).max_by(|&a, &b| range(a).total_cmp(&range(b))).unwrap_or(0);
        set.sort_unstable_by(|&a, &b| positions[a][along].total_cmp(&positions[b][along]).then(a.cmp(&b)));
        let far = set.split_off(set.len() / 2);
        let (here, there) = (next, next + 1);
        next += 2;
        set.iter().for_each(|&k| side[k] = here);
        far.iter().for_each(|&k| side[k] = there);
        let (border, near): (Vec<usize>, Vec<usize>) =
            set.into_iter().partition(|&k| neighbours[k].iter().any(|&n| side[n as usize] == there));
        stack.push(Work::Emit(border));
        stack.push(Work::Cut(far));
        stack.push(Work::Cut(near));
    }
    out
}
