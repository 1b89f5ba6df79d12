//! Contacts that act on each other, apart from those that do not, each in its own unit.

use super::{ContactFailure, ENDLESS, Mode, Problem, Solution};

/// Solves each island by `solve`, which gets the island and which contacts it holds.
///
/// The scale c of a contact multiplies its velocities and divides its impulses.
pub(super) fn each(
    problem: &Problem,
    mut solve: impl FnMut(&Problem, &Island) -> Result<Solution, ContactFailure>,
) -> Result<Solution, ContactFailure> {
    let (d, k) = (problem.directions, problem.contacts());
    let mut all = Solution { p: vec![0.0; d * k], modes: vec![Mode::Open; k] };
    for contacts in groups(problem) {
        let island = Island { scale: contacts.iter().map(|&i| scale(problem, i)).collect(), contacts };
        let part = solve(&island.cut(problem), &island).map_err(|failure| island.rename(failure))?;
        for (at, (&i, c)) in island.contacts.iter().zip(&island.scale).enumerate() {
            (0..d).for_each(|e| all.p[i * d + e] = c * part.p[at * d + e]);
            all.modes[i] = part.modes[at];
        }
    }
    Ok(all)
}

/// Some of the contacts of a problem.
pub(super) struct Island {
    pub contacts: Vec<usize>,
    pub scale: Vec<f64>,
}

impl Island {
    fn cut(&self, problem: &Problem) -> Problem {
        let (d, n) = (problem.directions, problem.free.len());
        let entries: Vec<(usize, f64)> = self
            .contacts
            .iter()
            .zip(&self.scale)
            .flat_map(|(i, &c)| (0..d).map(move |e| (i * d + e, c)))
            .collect();
        let mut w = Vec::with_capacity(entries.len() * entries.len());
        for &(row, a) in &entries {
            w.extend(entries.iter().map(|&(column, b)| a * b * problem.w[row * n + column]));
        }
        Problem {
            directions: d,
            w,
            free: entries.iter().map(|&(row, c)| c * problem.free[row]).collect(),
            friction: self.contacts.iter().map(|&i| problem.friction[i].min(ENDLESS)).collect(),
            tangent: self.contacts.iter().map(|&i| problem.tangent[i]).collect(),
        }
    }

    fn rename(&self, mut failure: ContactFailure) -> ContactFailure {
        match &mut failure {
            ContactFailure::NotFinite { contact } | ContactFailure::Unsolved { contact, .. } => {
                *contact = self.contacts[*contact];
            }
        }
        failure
    }
}

/// 1/√ of the largest diagonal entry.
fn scale(problem: &Problem, contact: usize) -> f64 {
    let (d, n) = (problem.directions, problem.free.len());
    let largest = (contact * d..(contact + 1) * d).fold(0.0, |m: f64, i| m.max(problem.w[i * n + i]));
    if largest > 0.0 { 1.0 / largest.sqrt() } else { 1.0 }
}

/// Connected by blocks of W that are not zero.
fn groups(problem: &Problem) -> Vec<Vec<usize>> {
    let (d, k, n) = (problem.directions, problem.contacts(), problem.free.len());
    let joined = |i: usize, j: usize| {
        (i * d..(i + 1) * d).any(|row| problem.w[row * n + j * d..][..d].iter().any(|&w| w != 0.0))
    };
    let mut seen = vec![false; k];
    let mut groups = Vec::new();
    for first in 0..k {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut group = vec![first];
        let mut at = 0;
        while at < group.len() {
            for j in 0..k {
                if !seen[j] && joined(group[at], j) {
                    seen[j] = true;
                    group.push(j);
                }
            }
            at += 1;
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}
