//! Several impacts at one instant: one after the other.
//!
//! Bodies that touch each other in a row are hit at one end. Taken all at once ([`impact`]), Newton's restitution lets the whole row move off: contacts that do not approach
//! each other have nothing to give back, and stay. In a row of real balls a wave of pressure runs through it, so fast that nothing moves meanwhile, and one contact after
//! the other is struck. With the impulses p so far,
//!
//!   (Q1)  u = W p + f
//!   (Q2)  p ← p + impact of the contact that approaches fastest, as if it were alone
//!
//! until no contact approaches. Contacts that approach as fast, to a thousandth, are struck together: what is symmetric stays so. Contacts that no others join have
//! sequences of their own. Some take part from the start as supports: those that bear against the ground, those without restitution, and those
//! that are parts of faces, as corners of boxes are: they do not wait for a wave. Where these are all, as in every impact of a single pair, the first round
//! of (Q2) is the law of [`impact`] and the last.
//!
//! No round adds energy ([`impact`], (I3)), so the sequence does not. It need not end: a ball between two heavy ones is hit without end. After
//! 1000 + 10 k rounds of k contacts what is left of the approach is taken away without restitution, by all contacts at once.

use super::{ContactFailure, Problem, impact};

/// Approaches below this part of the largest velocity are rounding once something has been struck.
const ROUNDING: f64 = 1e-12;

/// Contacts that approach by this part of the fastest approach are struck with it.
const AS_FAST: f64 = 0.999;

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// p, all rounds together.
    pub p: Vec<f64>,
    /// How many rounds it took.
    pub rounds: usize,
    /// Whether it did not end by itself.
    pub cut: bool,
}

/// Impulses by (Q2). The velocities before are those of the problem; approaches above −`nothing` are none. `restitution` gives e of a contact that approaches with a
/// velocity, `support` says which contacts take part from the start.
///
/// # Panics
/// If the sizes do not fit together.
pub fn sequence(
    problem: &Problem,
    nothing: f64,
    support: &[bool],
    restitution: impl Fn(usize, f64) -> f64,
) -> Result<Sequence, ContactFailure> {
    let (d, k) = (problem.directions, problem.contacts());
    assert_eq!(support.len(), k);
    let most = 1000 + 10 * k;
    let group = problem.groups();
    let largest = problem.free.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    let mut found = Sequence { p: vec![0.0; problem.free.len()], rounds: 0, cut: false };
    loop {
        let u = if found.rounds == 0 { problem.free.clone() } else { problem.velocities(&found.p) };
        let none = if found.rounds == 0 { nothing } else { nothing.max(ROUNDING * largest) };
        let mut fastest = vec![-none; k];
        for i in 0..k {
            fastest[group[i]] = fastest[group[i]].min(u[i * d]);
        }
        let approaches = |i: usize| u[i * d] < -none && u[i * d] <= AS_FAST * fastest[group[i]];
        if !(0..k).any(approaches) {
            return Ok(found);
        }
        found.cut = found.rounds == most;
        let active: Vec<usize> = (0..k).filter(|&i| found.cut || support[i] || approaches(i)).collect();
        let e: Vec<f64> = match found.cut {
            true => vec![0.0; k],
            false => active.iter().map(|&i| restitution(i, u[i * d])).collect(),
        };
        let part = problem.part(&active, &u);
        let solution = impact(&part, &part.free, &e).map_err(|failure| failure.of(&active))?;
        for (at, &i) in active.iter().enumerate() {
            for c in 0..d {
                found.p[i * d + c] += solution.p[at * d + c];
            }
        }
        found.rounds += 1;
        // all at once: whatever approach is left is what the law of one round leaves
        if active.len() == k {
            return Ok(found);
        }
    }
}

impl Problem {
    /// A number for each contact that is the same for those that act on each other, also through others.
    fn groups(&self) -> Vec<usize> {
        let (d, k, n) = (self.directions, self.contacts(), self.free.len());
        let mut group: Vec<usize> = (0..k).collect();
        for i in 0..k {
            for j in 0..i {
                let mut entries = (0..d).flat_map(|r| (0..d).map(move |c| (i * d + r) * n + j * d + c));
                let size = (self.w[i * d * (n + 1)] * self.w[j * d * (n + 1)]).sqrt();
                if group[i] != group[j] && entries.any(|at| self.w[at].abs() > ROUNDING * size) {
                    let (from, to) = (group[i].max(group[j]), group[i].min(group[j]));
                    group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
                }
            }
        }
        group
    }

    /// Some of the contacts, with other velocities.
    fn part(&self, list: &[usize], velocities: &[f64]) -> Problem {
        let (d, n) = (self.directions, self.free.len());
        let m = list.len() * d;
        let at = |i: usize| list[i / d] * d + i % d;
        Problem {
            directions: d,
            w: (0..m * m).map(|i| self.w[at(i / m) * n + at(i % m)]).collect(),
            free: (0..m).map(|i| velocities[at(i)]).collect(),
            friction: list.iter().map(|&i| self.friction[i]).collect(),
            tangent: list.iter().map(|&i| self.tangent[i]).collect(),
        }
    }
}

impl ContactFailure {
    /// Of a part, said of the whole.
    fn of(self, list: &[usize]) -> Self {
        match self {
            ContactFailure::NotFinite { contact } => ContactFailure::NotFinite { contact: list[contact] },
            ContactFailure::Unsolved { contact, law, by, sliding } => {
                ContactFailure::Unsolved { contact: list[contact], law, by, sliding }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::solve::Tangent;

    /// Balls on a line that touch: contact i is between balls i and i + 1.
    fn row(masses: &[f64], velocities: &[f64]) -> Problem {
        let k = masses.len() - 1;
        let mut problem = Problem {
            directions: 2,
            w: vec![0.0; 4 * k * k],
            free: (0..2 * k)
                .map(|i| if i % 2 == 0 { velocities[i / 2 + 1] - velocities[i / 2] } else { 0.0 })
                .collect(),
            friction: vec![0.0; k],
            tangent: vec![Tangent::Cone; k],
        };
        for i in 0..k {
            problem.w[2 * i * (2 * k) + 2 * i] = 1.0 / masses[i] + 1.0 / masses[i + 1];
            problem.w[(2 * i + 1) * (2 * k) + 2 * i + 1] = 1.0;
            if i > 0 {
                let between = -1.0 / masses[i];
                problem.w[2 * i * (2 * k) + 2 * (i - 1)] = between;
                problem.w[2 * (i - 1) * (2 * k) + 2 * i] = between;
            }
        }
        problem
    }

    fn after(masses: &[f64], velocities: &[f64], p: &[f64]) -> Vec<f64> {
        let mut v = velocities.to_vec();
        for i in 0..masses.len() - 1 {
            v[i] -= p[2 * i] / masses[i];
            v[i + 1] += p[2 * i] / masses[i + 1];
        }
        v
    }

    fn energy(masses: &[f64], v: &[f64]) -> f64 {
        masses.iter().zip(v).map(|(m, v)| 0.5 * m * v * v).sum()
    }

    /// Newton's cradle: as many leave as arrive.
    #[test]
    fn exact_as_many_equal_balls_leave_as_arrive() {
        let mut worst = 0.0_f64;
        for n in 2..8 {
            for moving in 1..n {
                let masses = vec![0.3; n];
                let v: Vec<f64> = (0..n).map(|i| if i < moving { 1.5 } else { 0.0 }).collect();
                let found = sequence(&row(&masses, &v), 0.0, &vec![false; n - 1], |_, _| 1.0).unwrap();
                let v = after(&masses, &v, &found.p);
                for (i, v) in v.iter().enumerate() {
                    let exact = if i + moving >= n { 1.5 } else { 0.0 };
                    worst = worst.max((v - exact).abs());
                }
                assert!(!found.cut && found.rounds <= 2 * n, "{n} {moving}: {} rounds", found.rounds);
            }
        }
        println!("equal balls: off by {worst:.1e}");
        // exchanges of equal masses: roundings only
        assert!(worst < 1e-14, "{worst:.1e}");
    }

    /// Two balls run into a third from both sides, one twice as fast: equal masses exchange velocities, so the order is reversed.
    #[test]
    fn exact_equal_balls_from_both_sides_exchange_velocities() {
        let (masses, v) = ([0.3; 3], [1.0, 0.0, -0.5]);
        let found = sequence(&row(&masses, &v), 0.0, &[false; 2], |_, _| 1.0).unwrap();
        let w = after(&masses, &v, &found.p);
        assert!(w.iter().zip([-0.5, 0.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-15), "{w:?}");
        // a little approach of others, as roundings leave it, changes nothing
        let v = [1.0, 0.0, -1e-14, 1e-14, -1e-14];
        let found = sequence(&row(&[0.3; 5], &v), 0.0, &[false; 4], |_, _| 1.0).unwrap();
        let w = after(&[0.3; 5], &v, &found.p);
        assert!((w[4] - 1.0).abs() < 1e-12 && w[..4].iter().all(|v| v.abs() < 1e-12), "{w:?}");
    }

    /// Each heavier than the next, each contact is struck once, from one end to the other: v_{i+1} = (1 + e) m_i / (m_i + m_{i+1}) v_i.
    #[test]
    fn exact_falling_masses_are_struck_one_by_one() {
        let masses = [1.0, 0.7, 0.4, 0.1];
        for e in [1.0, 0.8] {
            let v = [2.0, 0.0, 0.0, 0.0];
            let found = sequence(&row(&masses, &v), 0.0, &[false; 3], |_, _| e).unwrap();
            let mut exact = v;
            for i in 0..3 {
                let (m, n, u) = (masses[i], masses[i + 1], exact[i]);
                exact[i] = u * (m - e * n) / (m + n);
                exact[i + 1] = u * (1.0 + e) * m / (m + n);
            }
            let v = after(&masses, &v, &found.p);
            println!("falling masses, e = {e}: {v:?}, {} rounds", found.rounds);
            assert_eq!(found.rounds, 3);
            assert!(v.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-14), "{v:?} {exact:?}");
        }
    }

    /// Whatever masses and restitution: it ends, nothing approaches then, energy does not grow, momentum stays.
    #[test]
    fn keeps_energy_from_growing_and_ends() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut longest, mut cut) = (0, 0);
        for _ in 0..300 {
            let n = 2 + (7.0 * random()) as usize;
            let masses: Vec<f64> = (0..n).map(|_| 10_f64.powf(4.0 * random() - 2.0)).collect();
            let v: Vec<f64> = (0..n).map(|_| 2.0 * random() - 1.0).collect();
            let e = if random() < 0.3 { 1.0 } else { random() };
            let found = sequence(&row(&masses, &v), 0.0, &vec![false; n - 1], |_, _| e).unwrap();
            let w = after(&masses, &v, &found.p);
            let (before, then) = (energy(&masses, &v), energy(&masses, &w));
            assert!(then <= before * (1.0 + 1e-12), "{masses:?} {e}: {before} {then}");
            for i in 0..n - 1 {
                assert!(w[i + 1] - w[i] > -1e-9, "{masses:?} {e} {w:?}");
            }
            (longest, cut) = (longest.max(found.rounds), cut + usize::from(found.cut));
        }
        println!("300 rows: at most {longest} rounds, {cut} cut short");
    }
}
