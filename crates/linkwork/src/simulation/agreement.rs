//! Groups of formulations that agree: which of several computations of one motion can be believed.
//!
//! No formulation is the truth. Two runs i and j agree where their distance is explained by what each knows of its own error e,
//!
//!   (G1)  d_ij ≤ max(A (e_i + e_j), floor)                    A: [`ALLOWANCE`]
//!
//! in positions, velocities and reactions alike. Runs that are linked by (G1) form a group. The largest group is believed if it is
//! larger than every other one; with two groups of equal size nothing can be said about who is right. The reference, from which
//! differences are reported, is a member of the largest group near its middle:
//!
//!   (G2)  D_i ≤ max(2 min D, floor),   D_i = mean_j d_ij       the first one in the order of the formulations
//!
//! Runs that did not finish know a part of the motion only. They are compared with the reference and link nothing.

use super::{ALLOWANCE, FLOOR};

/// Distances between two runs, and their own errors: positions, velocities, reactions; all relative.
pub(super) type Distances = [f64; 3];

/// The groups and the reference among n runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Groups {
    /// Indices of finished runs, the largest group first, each in order.
    pub groups: Vec<Vec<usize>>,
    /// An index of the first group.
    pub reference: usize,
}

/// (G1)
pub(super) fn agree(d: Distances, own: [Distances; 2]) -> bool {
    (0..3).all(|k| d[k] <= (ALLOWANCE * (own[0][k] + own[1][k])).max(FLOOR))
}

impl Groups {
    /// Groups of n runs. `finished` tells which of them count (all, if none does); `distances(i, j)` is asked for i < j and gives their
    /// distance and own errors over the rows that both know.
    pub(super) fn new(
        n: usize,
        finished: impl Fn(usize) -> bool,
        mut distances: impl FnMut(usize, usize) -> (Distances, [Distances; 2]),
    ) -> Self {
        let mut members: Vec<usize> = (0..n).filter(|&i| finished(i)).collect();
        if members.is_empty() {
            members = (0..n).collect();
        }
        let mut apart = vec![0.0; n * n];
        let mut group: Vec<usize> = (0..n).collect();
        for (k, &i) in members.iter().enumerate() {
            for &j in &members[k + 1..] {
                let (d, own) = distances(i, j);
                (apart[i * n + j], apart[j * n + i]) = (d[0], d[0]);
                if agree(d, own) {
                    let [from, to] = [group[i].max(group[j]), group[i].min(group[j])];
                    group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &i in &members {
            match groups.iter_mut().find(|list| group[list[0]] == group[i]) {
                Some(list) => list.push(i),
                None => groups.push(vec![i]),
            }
        }
        groups.sort_by_key(|list| std::cmp::Reverse(list.len())); // stable: ties stay in order
        let reference = match groups.first() {
            None => 0,
            Some(first) => {
                let mean =
                    |i: usize| first.iter().map(|&j| apart[i * n + j]).sum::<f64>() / first.len() as f64;
                let least = first.iter().map(|&i| mean(i)).fold(f64::INFINITY, f64::min);
                let near = |&&i: &&usize| mean(i) <= (2.0 * least).max(FLOOR); // (G2)
                first.iter().find(near).copied().unwrap_or(first[0])
            }
        };
        Groups { groups, reference }
    }

    /// Whether one group is larger than every other.
    pub(super) fn majority(&self) -> bool {
        match self.groups.as_slice() {
            [first, second, ..] => first.len() > second.len(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs at places on a line, all with the same own error.
    fn on_a_line(places: &[f64], own: f64) -> Groups {
        Groups::new(places.len(), |_| true, |i, j| ([(places[i] - places[j]).abs(); 3], [[own; 3]; 2]))
    }

    #[test]
    fn outlier_is_the_one_that_stands_alone_wherever_it_comes() {
        for outlier in 0..7 {
            let mut places = [0.0, 1e-10, 2e-10, -1e-10, 3e-10, 0.0, 1e-10];
            places[outlier] = 4e-6;
            let found = on_a_line(&places, 1e-9);
            assert_eq!(found.groups.len(), 2);
            assert_eq!(found.groups[1], [outlier]);
            assert!(found.majority() && found.reference != outlier);
        }
    }

    #[test]
    fn own_errors_explain_distances_of_their_size() {
        assert_eq!(on_a_line(&[0.0, 8e-6], 1e-6).groups, [vec![0, 1]]);
        assert_eq!(on_a_line(&[0.0, 12e-6], 1e-6).groups, [vec![0], vec![1]]);
    }

    #[test]
    fn two_against_two_has_no_majority() {
        let found = on_a_line(&[0.0, 1.0, 0.0, 1.0], 1e-9);
        assert_eq!(found.groups, [vec![0, 2], vec![1, 3]]);
        assert!(!found.majority());
    }

    #[test]
    fn run_that_did_not_finish_links_nothing() {
        // the second run ended early, near both
        let places = [0.0_f64, 0.0, 1.0];
        let found = Groups::new(3, |i| i != 1, |i, j| ([(places[i] - places[j]).abs(); 3], [[0.0; 3]; 2]));
        assert_eq!(found.groups, [vec![0], vec![2]]);
        let none = Groups::new(2, |_| false, |_, _| ([0.0; 3], [[0.0; 3]; 2]));
        assert_eq!(none.groups, [vec![0, 1]]);
    }

    #[test]
    fn reference_is_the_first_near_the_middle() {
        let spread = on_a_line(&[4.0, 0.0, 1.0, 2.0], 1.0);
        assert_eq!(spread.groups.len(), 1);
        assert_eq!(spread.reference, 0); // 9/4 from the others on average; the least is 5/4
        assert_eq!(on_a_line(&[9.0, 0.0, 1.0, 2.0], 1.0).reference, 1); // 24/4, 12/4, 10/4, 10/4
    }
}
