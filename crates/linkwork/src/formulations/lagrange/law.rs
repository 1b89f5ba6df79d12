//! A mechanism's energies and their derivatives.
//!
//!   (E1)  T = Σ_bodies ½ m ċ·ċ + ½ tr(Ṙ S Ṙᵀ)              S = ½ tr(I) 1 − I about the centre of mass
//!   (E2)  V = −Σ m g·c                                        gravity
//!   (E3)  Q_i = Σ f·∂ċ/∂q̇_i + m·∂ω/∂q̇_i                       actions, as `tree/couple.rs` adds them
//!
//! (E1) is the kinetic energy ½ ∫ρ ẋ·ẋ with x = c + R X. No angular velocity and no column of a Jacobian enters.
//! What is differentiated by a variable are only the bodies that it moves: the others stand still in dual
//! numbers without ε.
//!
//! Scalars: the outermost ε is time, the next ε₁ and ε₂ are the variables differentiated by.

use super::chain::{Chain, Placed};
use crate::formulations::tree::{Instant, Law, MassMatrix, Rotation, Variables};
use crate::linalg::dual::{Dual, Scalar};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Mat3, Vec3, cross};
use crate::mechanism::Mechanism;

/// ε₁
type One = Dual<f64>;
/// ε₁, then ε₂
type Two = Dual<Dual<f64>>;

/// Inertia by derivatives of energies.
pub struct EnergyLaw {
    chain: Chain,
    /// Mass, centre of mass and second moments of the body of each branch.
    bodies: Vec<(f64, Vec3, Mat3)>,
    placed: Vec<Placed<f64>>,
    buffers: Buffers,
    /// ω_p × u of (C4).
    carried: Vec<f64>,
    /// Twice by time.
    c_time: Vec<Dual<One>>,
    twice: Vec<Placed<Dual<One>>>,
}

/// What is differentiated.
#[derive(Default)]
struct Buffers {
    /// By time and one variable.
    c_one: Vec<Dual<One>>,
    still_one: Vec<Placed<Dual<One>>>,
    moved_one: Vec<Placed<Dual<One>>>,
    /// By time and two variables.
    c_two: Vec<Dual<Two>>,
    still_two: Vec<Placed<Dual<Two>>>,
    first_two: Vec<Placed<Dual<Two>>>,
    moved_two: Vec<Placed<Dual<Two>>>,
}

fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn weighed<S: Scalar>(w: Vec3, a: [S; 3]) -> S {
    a[0] * w[0] + a[1] * w[1] + a[2] * w[2]
}

impl EnergyLaw {
    /// (E1) for the body of a branch.
    #[inline]
    fn body_kinetic<X: Scalar>(&self, b: usize, placed: &Placed<Dual<X>>) -> X {
        let (mass, com, moments) = &self.bodies[b];
        let v = placed.place(*com).map(|x| x.eps);
        let mut twice = dot(v, v) * *mass;
        let column = |j: usize| placed.turned.map(|row| row[j].eps);
        for i in 0..3 {
            for j in 0..=i {
                let s = moments[i][j];
                if s != 0.0 {
                    twice += dot(column(i), column(j)) * if i == j { s } else { 2.0 * s };
                }
            }
        }
        twice * 0.5
    }

    /// ∂(T − V)/∂q_i of the bodies that the variable moves.
    fn slope(&self, at: &Instant<'_>, branch: usize, placed: &[Placed<Dual<One>>]) -> f64 {
        let mut sum = 0.0;
        for &b in &self.chain.beyond[branch] {
            let (mass, com, _) = &self.bodies[b];
            sum += self.body_kinetic(b, &placed[b]).eps;
            let c = placed[b].place(*com);
            sum += mass * weighed(at.mechanism.model.gravity, c).re.eps;
        }
        sum
    }
}

impl Law for EnergyLaw {
    const TAKES_APPLIED: bool = false;

    fn new(mechanism: &Mechanism, variables: &Variables) -> Self {
        let chain = Chain::new(variables);
        let bodies = chain
            .branches
            .iter()
            .map(|branch| {
                let p = &mechanism.bodies[branch.body].particles.properties;
                (p.mass, p.com, p.second_moments(mechanism.dimension()))
            })
            .collect();
        let n = chain.branches.len();
        EnergyLaw {
            bodies,
            placed: vec![Placed::ground(); n],
            buffers: Buffers::default(),
            carried: vec![0.0; variables.u_count],
            c_time: Vec::new(),
            twice: Vec::new(),
            chain,
        }
    }

    fn equations(&mut self, at: &Instant<'_>, mass: &mut MassMatrix, force: &mut [f64]) {
        self.chain.settle(at.q, &mut self.placed);
        let n = at.u.len();
        // taken out while the rest of self is read
        let mut buffers = std::mem::take(&mut self.buffers);
        let Buffers { c_one, still_one, moved_one, c_two, still_two, first_two, moved_two } = &mut buffers;
        let chain = &self.chain;

        // ∂T/∂q_i − ∂V/∂q_i
        c_one.clear();
        c_one.extend(chain.c.iter().zip(at.u).map(|(&q, &v)| Dual::new(One::from(q), One::from(v))));
        chain.carry_all(c_one, still_one);
        moved_one.clone_from(still_one);
        for i in 0..n {
            let branch = chain.branch_of_rate[i];
            c_one[i].re.eps = 1.0;
            chain.carry_beyond(branch, c_one, moved_one);
            force[i] += self.slope(at, branch, moved_one);
            c_one[i].re.eps = 0.0;
            for &b in &chain.beyond[branch] {
                moved_one[b] = still_one[b];
            }
        }

        // −Σ_j ∂²T/∂q̇_i∂q_j q̇_j: ε₁ in q̇_i, ε₂ along the motion
        c_two.clear();
        c_two.extend(
            chain
                .c
                .iter()
                .zip(at.u)
                .map(|(&q, &v)| Dual::new(Two::new(One::new(q, v), 0.0.into()), v.into())),
        );
        chain.carry_all(c_two, still_two);
        moved_two.clone_from(still_two);
        for i in 0..n {
            let branch = chain.branch_of_rate[i];
            c_two[i].eps.eps.re = 1.0;
            chain.carry_beyond(branch, c_two, moved_two);
            for &b in &chain.beyond[branch] {
                force[i] -= self.body_kinetic(b, &moved_two[b]).eps.eps;
            }
            c_two[i].eps.eps.re = 0.0;
            for &b in &chain.beyond[branch] {
                moved_two[b] = still_two[b];
            }
        }

        // M_ij = ∂²T/∂q̇_i∂q̇_j: ε₁ in q̇_j, ε₂ in q̇_i
        c_two.clear();
        c_two.extend(chain.c.iter().zip(at.u).map(|(&q, &v)| Dual::new(Two::from(q), Two::from(v))));
        chain.carry_all(c_two, still_two);
        first_two.clone_from(still_two);
        moved_two.clone_from(still_two);
        for j in 0..n {
            let near = chain.branch_of_rate[j];
            c_two[j].eps.eps.re = 1.0;
            chain.carry_beyond(near, c_two, first_two);
            for &b in &chain.beyond[near] {
                moved_two[b] = first_two[b];
            }
            for i in chain.rates_beyond(near).filter(|&i| i >= j) {
                let far = chain.branch_of_rate[i];
                c_two[i].eps.re.eps = 1.0;
                chain.carry_beyond(far, c_two, moved_two);
                let entry = chain.beyond[far]
                    .iter()
                    .fold(0.0, |sum, &b| sum + self.body_kinetic(b, &moved_two[b]).eps.eps);
                mass.add(i, j, entry);
                c_two[i].eps.re.eps = 0.0;
                for &b in &chain.beyond[far] {
                    moved_two[b] = first_two[b];
                }
            }
            c_two[j].eps.eps.re = 0.0;
            for &b in &chain.beyond[near] {
                first_two[b] = still_two[b];
                moved_two[b] = still_two[b];
            }
        }

        // (C4): M δ̈ = f is M u̇ = f + M (ω_p × u)
        self.carried.fill(0.0);
        for (b, branch) in chain.branches.iter().enumerate() {
            if let (Rotation::Ball, Some(p)) = (branch.rotation, chain.parents[b]) {
                let ur = branch.u[1];
                let spin = still_one[p].spin().map(Scalar::value);
                let turned = cross(spin, [at.u[ur], at.u[ur + 1], at.u[ur + 2]]);
                self.carried[ur..ur + 3].copy_from_slice(&turned);
            }
        }
        mass.add_product(&self.carried, force);

        self.buffers = buffers;
    }

    fn kinetic(&mut self, _: &Instant<'_>) -> f64 {
        self.buffers.still_one.iter().enumerate().fold(0.0, |sum, (b, p)| sum + self.body_kinetic(b, p).re)
    }

    /// Twice by time: m c̈, and ∫ρ x × ẍ, which is the axial vector of R S R̈ᵀ.
    fn momentum_rates(&mut self, at: &Instant<'_>, acceleration: &[f64], out: &mut [Wrench]) {
        self.c_time.clear();
        for (i, (&q, &v)) in self.chain.c.iter().zip(at.u).enumerate() {
            let a = acceleration[i] - self.carried[i]; // (C4)
            self.c_time.push(Dual::new(One::new(q, v), One::new(v, a)));
        }
        self.chain.carry_all(&self.c_time, &mut self.twice);
        for (b, placed) in self.twice.iter().enumerate() {
            let (mass, com, moments) = &self.bodies[b];
            let c = placed.place(*com);
            let force = c.map(|x| mass * x.eps.eps);
            let (r, r_pp) = (
                placed.turned.map(|row| row.map(Scalar::value)),
                placed.turned.map(|row| row.map(|x| x.eps.eps)),
            );
            // (R S R̈ᵀ)_jk
            let product = |j: usize, k: usize| -> f64 {
                (0..3).map(|s| (0..3).map(|t| r[j][s] * moments[s][t] * r_pp[k][t]).sum::<f64>()).sum()
            };
            let moment =
                [product(1, 2) - product(2, 1), product(2, 0) - product(0, 2), product(0, 1) - product(1, 0)];
            let arm = c.map(Scalar::value);
            out[self.chain.branches[b].body] = Wrench { force, moment }.about_origin(arm);
        }
    }
}
