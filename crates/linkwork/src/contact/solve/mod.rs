//! The impulses, or forces, of contacts that act on each other.
//!
//! With k contacts of d directions each, one normal and d − 1 tangential, and p what the contacts give:
//!
//!   (C1)  u = W p + f                                  relative velocities; W symmetric, positive semi-definite
//!   (C2)  0 ≤ u_n ⊥ p_n ≥ 0                            Signorini: no overlap, no pull, a push only where they stay
//!   (C3)  |p_t| ≤ μ p_n                                Coulomb
//!   (C4)  p_t = −μ p_n u_t / |u_t|  where  u_t ≠ 0
//!   (C5)  p_t = −μ p_n s                               instead of (C3), (C4) where the slip direction s is known
//!
//! (C2) to (C4) in one, for any ρ > 0, with B(r) the disc of radius r (\[alart1991\]):
//!
//!   (C6)  p_n = max(0, p_n − ρ u_n),   p_t = projection of p_t − ρ u_t on B(μ p_n)
//!
//! which is what is verified before anything is returned, so that a wrong answer cannot be given.
//!
//! **Scales.** Contacts that no entry of W joins are solved apart (`islands`). Within an island each contact is measured in
//! its own unit, p_i = c_i p̂_i and û_i = c_i u_i, with c_i such that the largest diagonal entry of its block is 1. The cones
//! stay what they are.
//!
//! **Singular W.** Four corners of a box share a load in many ways. All of them give one u; of p the shortest is wanted. So
//!
//!   (C7)  u + ε (p − p₀) instead of u, p₀ = 0 first and then the last answer (the proximal point method),
//!
//! is solved for a small ε, by sweeps of Gauss–Seidel (`sweep`) and Newton's method on (C6) (`newton`). That
//! tells for each contact whether it is open, sticks or slips; contacts that would share friction evenly but may not, for (C3), come
//! out as ones that slip with ε. With these modes one shortest solution for ε = 0 is left to do. Where that fails, the
//! complementarity problem with the disc of (C3) as a polygon is solved by pivoting (`lemke`), exact in the plane and a start
//! for Newton in space.
//!
//! **Existence.** Where all contacts obey (C3), (C4) and f is in the range of W, as velocities of bodies are, there is a
//! solution whatever μ; it need not be unique. With (C5) there may be none, or several (Painlevé): p = 0 is preferred where it is one,
//! and where none is found the answer is [`ContactFailure::Unsolved`]. Forces that do not exist are a sign that
//! velocities have to jump, by impulses with (C3), (C4).
//!
//! μ = ∞ is taken as [`ENDLESS`].

mod impact;
mod islands;
mod lemke;
mod newton;
mod poisson;
mod sequence;
mod sweep;
#[cfg(test)]
mod tests;

pub use impact::impact;
pub use poisson::poisson;
pub use sequence::{Sequence, sequence};

/// What the tangential part of a contact obeys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tangent {
    /// Coulomb's cone, (C3) and (C4).
    Cone,
    /// It slides already, along this unit vector in tangential directions (the second entry is 0 in the plane): (C5).
    Sliding([f64; 2]),
}

/// Contacts and how they act on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// d: 2 in the plane (normal, tangential), 3 in space.
    pub directions: usize,
    /// W, row by row: the change of relative velocities per unit of impulses, or of accelerations per unit of forces.
    pub w: Vec<f64>,
    /// f: relative velocities or accelerations without any, positive where they part.
    pub free: Vec<f64>,
    /// μ of each contact; 0 and infinity allowed.
    pub friction: Vec<f64>,
    /// What the tangential part of each contact obeys.
    pub tangent: Vec<Tangent>,
}

impl Problem {
    /// k
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// u of (C1).
    pub fn velocities(&self, p: &[f64]) -> Vec<f64> {
        let n = self.free.len();
        let dot = |row: &[f64]| row.iter().zip(p).map(|(w, p)| w * p).sum::<f64>();
        (0..n).map(|i| self.free[i] + dot(&self.w[i * n..(i + 1) * n])).collect()
    }
}

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Carries nothing.
    Open,
    /// Pushes and does not slip.
    Stick,
    /// Pushes with friction at its bound.
    Slip,
}

/// Impulses, or forces, that obey the laws.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// p, d entries a contact.
    pub p: Vec<f64>,
    /// What each contact does. A contact that shares its friction with others may be called slipping at u_t = 0.
    pub modes: Vec<Mode>,
}

/// A law of contact that could not be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// u_n ≥ 0
    Overlap,
    /// p_n ≥ 0
    Pull,
    /// p_n u_n = 0
    Parting,
    /// (C3), (C4)
    Friction,
}

impl std::fmt::Display for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Law::Overlap => "the surfaces would go through each other",
            Law::Pull => "the contact would have to pull",
            Law::Parting => "the contact would push while it opens",
            Law::Friction => "friction would leave Coulomb's cone",
        })
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactFailure {
    /// A number is not finite, or a coefficient of friction negative.
    #[error("contact {contact}: not a number, or a negative coefficient of friction or restitution")]
    NotFinite {
        /// Which contact.
        contact: usize,
    },
    /// No impulses were found that obey all laws; with contacts that slide already there may be none.
    #[error("contact {contact}: {law}, by {by:.1e} of the velocities{}",
        if *sliding { "; with contacts that slide, forces need not exist (Painlevé)" } else { "" })]
    Unsolved {
        /// Where the laws are missed most in the best try.
        contact: usize,
        /// Which law.
        law: Law,
        /// By how much, as a part of the largest velocity (in units of the scales above).
        by: f64,
        /// Whether contacts that slide take part.
        sliding: bool,
    },
}

/// Taken for an infinite coefficient of friction.
pub const ENDLESS: f64 = 1e8;

/// (C6) met to this part of the terms of (C1) ends the search: a few hundred roundings.
const GOAL: f64 = 1e-13;
/// What is accepted if nothing better was found, where W is nearly singular, as a part of f.
const ACCEPT: f64 = 1e-10;
/// What is accepted in the end, as a part of f: contacts that say the same may contradict each other by as much, where the surfaces
/// are a little out of line. What is left is taken away by the projection.
const CONTRADICT: f64 = 1e-6;
/// ε of (C7), with a diagonal of W of 1.
const EPSILON: f64 = 1e-6;

/// p for all contacts, such that (C2) to (C5) hold; the shortest p found where there are many.
///
/// # Panics
/// If the sizes do not fit together.
pub fn solve(problem: &Problem) -> Result<Solution, ContactFailure> {
    check(problem)?;
    islands::each(problem, |island, _| search(island))
}

fn check(problem: &Problem) -> Result<(), ContactFailure> {
    let (d, k) = (problem.directions, problem.contacts());
    let n = d * k;
    assert!(d == 2 || d == 3, "contacts have 2 or 3 directions, not {d}");
    assert_eq!([problem.w.len(), problem.free.len(), problem.tangent.len()], [n * n, n, k]);
    for i in 0..k {
        let rows = &problem.w[i * d * n..(i + 1) * d * n];
        let finite = rows.iter().chain(&problem.free[i * d..(i + 1) * d]).all(|v| v.is_finite());
        let along = match problem.tangent[i] {
            Tangent::Cone => true,
            Tangent::Sliding(s) => s.iter().all(|v| v.is_finite()),
        };
        // NaN is not at least 0
        if !(finite && along && problem.friction[i] >= 0.0) {
            return Err(ContactFailure::NotFinite { contact: i });
        }
    }
    Ok(())
}

/// Solves one island in its own units.
fn search(problem: &Problem) -> Result<Solution, ContactFailure> {
    let k = problem.contacts();
    let mut best = Try::new(problem, vec![0.0; problem.free.len()], vec![Mode::Open; k]);
    // contacts that open by themselves are left alone, even if other solutions exist
    if best.worst.by <= 1e-15 {
        return Ok(best.into());
    }
    for start in 0..3 {
        let mut p = best.p.clone();
        let mut centre = vec![0.0; p.len()];
        for round in 0..ROUNDS {
            let near = problem.shifted(&centre);
            let solved = match start {
                0 => {
                    sweep::sweeps(&near, &mut p, 25 << (2 * round));
                    newton::newton(&near, &mut p)
                }
                1 => lemke::lemke(&near, &mut p) && newton::newton(&near, &mut p),
                // slow, but nothing is asked of Newton's method; once tells
                _ => {
                    sweep::sweeps(&near, &mut p, 20_000);
                    false
                }
            };
            newton::polish(problem, &p, &mut best);
            if best.worst.by <= GOAL {
                return Ok(best.into());
            }
            if solved {
                if jammed(problem, &p, &centre) {
                    return last_resort(problem, best);
                }
                centre.copy_from_slice(&p);
            } else if start > 0 {
                break;
            }
        }
        if best.worst.by * problem.size(&best.p) <= ACCEPT * problem.size(&vec![0.0; best.p.len()]) {
            return Ok(best.into());
        }
    }
    last_resort(problem, best)
}

fn last_resort(problem: &Problem, best: Try) -> Result<Solution, ContactFailure> {
    let good = best.worst.by * problem.size(&best.p) <= CONTRADICT * problem.size(&vec![0.0; best.p.len()]);
    if good { Ok(best.into()) } else { Err(failure(problem, &best)) }
}

fn failure(problem: &Problem, best: &Try) -> ContactFailure {
    let sliding = problem.tangent.iter().any(|t| matches!(t, Tangent::Sliding(_)));
    let Worst { contact, law, by } = best.worst;
    ContactFailure::Unsolved { contact, law, by, sliding }
}

/// Whether p grows without end, along some δ that moves nothing and yet is asked for: W δ = 0 and f·δ < 0. Then f is not in the
/// range of W.
fn jammed(problem: &Problem, p: &[f64], centre: &[f64]) -> bool {
    let n = p.len();
    let delta: Vec<f64> = p.iter().zip(centre).map(|(p, c)| p - c).collect();
    let row = |i: usize| problem.w[i * n..(i + 1) * n].iter().zip(&delta).map(|(w, d)| w * d);
    let moved = (0..n).fold(0.0, |m: f64, i| m.max(row(i).sum::<f64>().abs()));
    let terms = (0..n).fold(0.0, |m: f64, i| m.max(row(i).map(f64::abs).sum()));
    let pairs = || problem.free.iter().zip(&delta).map(|(f, d)| f * d);
    moved <= 1e-14 * terms && pairs().sum::<f64>() < -1e-6 * pairs().map(f64::abs).sum::<f64>()
}

/// How often (C7) is centred again.
const ROUNDS: usize = 5;

/// Where the laws are missed most.
#[derive(Clone, Copy, Debug)]
struct Worst {
    contact: usize,
    law: Law,
    by: f64,
}

/// Impulses and how well they obey.
#[derive(Clone, Debug)]
struct Try {
    p: Vec<f64>,
    modes: Vec<Mode>,
    worst: Worst,
}

impl Try {
    fn new(problem: &Problem, p: Vec<f64>, modes: Vec<Mode>) -> Self {
        let worst = worst(problem, &p);
        Try { p, modes, worst }
    }
}

impl From<Try> for Solution {
    fn from(t: Try) -> Self {
        Solution { p: t.p, modes: t.modes }
    }
}

impl Problem {
    /// (C7)
    fn shifted(&self, centre: &[f64]) -> Problem {
        let mut near = self.clone();
        for i in 0..self.free.len() {
            near.w[i * (self.free.len() + 1)] += EPSILON;
            near.free[i] -= EPSILON * centre[i];
        }
        near
    }

    /// The direction of −p_t of a contact that slides.
    fn sliding(&self, contact: usize) -> Option<[f64; 2]> {
        match self.tangent[contact] {
            Tangent::Cone => None,
            Tangent::Sliding(s) => Some(s),
        }
    }

    /// The largest sum of the absolute terms of (C1).
    fn size(&self, p: &[f64]) -> f64 {
        let n = self.free.len();
        let row =
            |i: usize| self.w[i * n..(i + 1) * n].iter().zip(p).map(|(w, p)| (w * p).abs()).sum::<f64>();
        (0..n).fold(0.0, |m: f64, i| m.max(self.free[i].abs() + row(i)))
    }
}

/// What is missing of (C5), (C6) with ρ = 1: contact by contact the normal part, then the tangential one.
fn missing(problem: &Problem, p: &[f64], u: &[f64]) -> Vec<f64> {
    let d = problem.directions;
    let mut r = vec![0.0; p.len()];
    for i in 0..problem.contacts() {
        let (p, u, r) = (&p[i * d..][..d], &u[i * d..][..d], &mut r[i * d..][..d]);
        let bound = problem.friction[i] * p[0].max(0.0);
        r[0] = p[0] - (p[0] - u[0]).max(0.0);
        match problem.sliding(i) {
            Some(s) => (1..d).for_each(|c| r[c] = p[c] + problem.friction[i] * p[0] * s[c - 1]),
            None => {
                let length = (1..d).map(|c| (p[c] - u[c]).powi(2)).sum::<f64>().sqrt();
                let part = if length > bound { bound / length } else { 1.0 };
                (1..d).for_each(|c| r[c] = p[c] - part * (p[c] - u[c]));
            }
        }
    }
    r
}

fn worst(problem: &Problem, p: &[f64]) -> Worst {
    let d = problem.directions;
    let u = problem.velocities(p);
    let missing = missing(problem, p, &u);
    let size = problem.size(p).max(f64::MIN_POSITIVE);
    let mut worst = Worst { contact: 0, law: Law::Overlap, by: 0.0 };
    for (i, r) in missing.chunks_exact(d).enumerate() {
        let law = match (p[i * d] < 0.0, u[i * d] < 0.0) {
            (true, _) => Law::Pull,
            (_, true) => Law::Overlap,
            _ => Law::Parting,
        };
        // friction forces are as large as μ lets them be: their rounding is measured with it
        let tangential = r[1..].iter().map(|r| r * r).sum::<f64>().sqrt() / problem.friction[i].max(1.0);
        for (law, by) in [(law, r[0].abs() / size), (Law::Friction, tangential / size)] {
            if by.is_nan() || by > worst.by {
                worst = Worst { contact: i, law, by };
            }
        }
    }
    worst
}
