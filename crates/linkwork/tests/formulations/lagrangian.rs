//! Energies of one's own: the container crane of [schwab2002] chapter 2, and derivatives by other means.

#[allow(dead_code)]
#[path = "../../examples/container_crane.rs"]
mod container_crane;

use container_crane::Crane;
use linkwork::formulations::MotionError;
use linkwork::formulations::lagrange::{Lagrangian, LagrangianSystem, Scalar};
use linkwork::integrate::{Stepper, System};

const CRANE: Crane = Crane { cart: 2.0, load: 1.0, length: 1.5, gravity: 9.81, push: 0.0, drive: None };

fn table(text: &str) -> Vec<Vec<f64>> {
    text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
}

/// States at given times, each projected as a result row would be.
fn states<L: Lagrangian>(
    system: &mut LagrangianSystem<L>,
    start: &[f64],
    times: &[f64],
    tolerance: f64,
) -> Vec<Vec<f64>> {
    let n = start.len();
    let mut stepper = Stepper::dop853(n, tolerance);
    stepper.start(system, 0.0, start, *times.last().unwrap()).unwrap();
    let (mut out, mut y, mut dy) = (Vec::new(), start.to_vec(), vec![0.0; n]);
    for &t in times {
        while stepper.t() < t {
            stepper.step(system).unwrap();
        }
        stepper.interpolate(system, t, &mut y).unwrap();
        system.project(t, &mut y, &mut dy).unwrap();
        out.push(y.clone());
    }
    out
}

#[test]
fn paper_container_crane_free() {
    let reference = table(include_str!("../data/container_crane_free_mc.csv"));
    let times: Vec<f64> = reference.iter().map(|r| r[0]).collect();
    let mut system = LagrangianSystem::new(CRANE);
    let run = states(&mut system, &[0.0, 0.6, 0.0, 0.0], &times, 1e-12);
    let (mut off, mut accelerations, mut energy): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for (y, row) in run.iter().zip(&reference) {
        off = (0..4).fold(off, |m, i| m.max((y[i] - row[1 + i]).abs()));
        let motion = system.evaluate(row[0], y).unwrap();
        accelerations =
            (0..2).fold(accelerations, |m, i| m.max((motion.accelerations[i] - row[5 + i]).abs()));
        energy = energy.max((motion.kinetic + motion.potential + 9.81 * 1.5 * 0.6_f64.cos()).abs());
    }
    println!("crane, free: state {off:.1e}, accelerations {accelerations:.1e}, energy {energy:.1e} J");
    assert!(off < 1e-8 && accelerations < 1e-7 && energy < 1e-9);
}

/// The driving force needs the terms with ∂t that (19), (20) of the notes lack. The cart has no mass, and
/// the rope passes the vertical: M alone is singular there, M with the drive is not.
#[test]
fn paper_container_crane_driven() {
    let reference = table(include_str!("../data/container_crane_driven.csv"));
    let times: Vec<f64> = reference.iter().map(|r| r[0]).collect();
    let mut system = LagrangianSystem::new(Crane { cart: 0.0, drive: Some([2.0, 1.7]), ..CRANE });
    let run = states(&mut system, &[0.0, 0.2, 0.0, 0.0], &times, 1e-12);
    let size = reference.iter().fold(0.0, |m: f64, r| m.max(r[5].abs()));
    let (mut off, mut force, mut open): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for (y, row) in run.iter().zip(&reference) {
        let motion = system.evaluate(row[0], y).unwrap();
        for (mine, theirs) in [(y[0], row[1]), (y[1], row[2]), (y[3], row[3])] {
            off = off.max((mine - theirs).abs());
        }
        force = force.max((-motion.multipliers[0] - row[5]).abs() / size);
        open = open.max(motion.constraint_residual).max(motion.velocity_residual);
    }
    println!("crane, driven: state {off:.1e}, driving force {force:.1e} relative, drive open by {open:.1e}");
    assert!(off < 1e-8 && force < 1e-8 && open < 1e-13);
}

/// A push of Q on the whole: (m + m_c) ẍ + m l d/dt(φ̇ cos φ) = Q, so momentum grows by Q t.
#[test]
fn exact_momentum_of_a_pushed_crane() {
    let mut system = LagrangianSystem::new(Crane { push: 3.0, ..CRANE });
    let times: Vec<f64> = (1..=10).map(f64::from).collect();
    for (y, t) in states(&mut system, &[0.0, 0.6, 0.0, 0.0], &times, 1e-12).iter().zip(times) {
        let momentum = 3.0 * y[2] + 1.5 * y[3] * y[1].cos();
        assert!((momentum - 3.0 * t).abs() < 1e-9, "{momentum} at {t}");
    }
}

/// M = [[m_c + m, m l cos φ], [m l cos φ, m l²]]: det M = m l² (m_c + m sin² φ).
#[test]
fn exact_singular_mass_matrix_is_named() {
    let mut system = LagrangianSystem::new(Crane { cart: 0.0, ..CRANE });
    let m = system.mass_matrix(0.0, &[0.0, 0.6, 0.0, 0.0]);
    let expected = [[1.0, 1.5 * 0.6_f64.cos()], [1.5 * 0.6_f64.cos(), 2.25]];
    for i in 0..2 {
        for j in 0..2 {
            assert!((m[i][j] - expected[i][j]).abs() < 1e-15);
        }
    }
    assert!(system.evaluate(0.0, &[0.0, 0.6, 0.0, 0.0]).is_ok());
    let error = system.evaluate(0.0, &[0.0; 4]).unwrap_err();
    let text = error.to_string();
    println!("{text}");
    assert!(matches!(&error, MotionError::SingularMass { coordinates } if coordinates == &["`x`", "`phi`"]));
    assert!(text.contains("singular") && text.contains("`x`") && text.contains("`phi`"), "{text}");
}

/// Every term at once: T with explicit time and position, V with time, two constraints of which one moves.
struct Odd;

impl Lagrangian for Odd {
    fn coordinates(&self) -> usize {
        4
    }
    fn kinetic<S: Scalar>(&self, q: &[S], v: &[S], t: S) -> S {
        let a = v[0] * (q[1].sin() + 2.0) + v[1] * q[0] * 0.3 + t * 0.2;
        let b = v[1] + v[2] * (q[3] * t).cos() * 0.5;
        let c = v[2] * (q[0] * 0.1).exp() - v[3] * 0.4;
        a * a * 0.5 + b * b + c * c * 0.7 + v[3] * v[3] * (q[2] * q[2] + 1.0) * 0.5
    }
    fn potential<S: Scalar>(&self, q: &[S], t: S) -> S {
        (q[0] * q[1] + t).sin() + q[2].powi(2) * 0.8 + (q[3] * q[3] + q[2] * q[2] + 1.0).sqrt()
    }
    fn force(&self, q: &[f64], v: &[f64], t: f64, out: &mut [f64]) {
        out[0] = -0.3 * v[0] + t;
        out[3] = q[1] - 0.1 * v[3];
    }
    fn constraints(&self) -> usize {
        2
    }
    fn constrain<S: Scalar>(&self, q: &[S], t: S, out: &mut [S]) {
        out[0] = q[0] * q[0] + q[1] - (t * 0.7).sin() * q[2] - 0.5;
        out[1] = q[3] - q[2] * t * 0.5;
    }
}

/// (1) holds along the computed motion, with all derivatives by differences.
#[test]
fn cross_lagrange_equations_by_finite_differences() {
    let mut system = LagrangianSystem::new(Odd);
    let t0 = 0.4;
    let (mut y, mut dy) = (vec![0.6, 0.2, 0.3, 0.1, 0.5, -0.4, 0.8, 0.2], vec![0.0; 8]);
    system.project(t0, &mut y, &mut dy).unwrap();
    let motion = system.evaluate(t0, &y).unwrap();
    assert!(motion.constraint_residual < 1e-14 && motion.velocity_residual < 1e-14, "{motion:?}");
    let h = 1e-3;
    // sixth order
    let slope = |f: &dyn Fn(f64) -> f64| {
        (45.0 * (f(h) - f(-h)) - 9.0 * (f(2.0 * h) - f(-2.0 * h)) + (f(3.0 * h) - f(-3.0 * h))) / (60.0 * h)
    };
    let with = |x: &[f64], i: usize, s: f64| {
        let mut x = x.to_vec();
        x[i] += s;
        x
    };
    // along the motion: q + v s + a s²/2, v + a s
    let (q, v) = (y[..4].to_vec(), y[4..].to_vec());
    let a = &motion.accelerations;
    let moved = |s: f64| -> (Vec<f64>, Vec<f64>) {
        (
            (0..4).map(|i| q[i] + v[i] * s + 0.5 * a[i] * s * s).collect(),
            (0..4).map(|i| v[i] + a[i] * s).collect(),
        )
    };
    let constraint = |q: &[f64], t: f64, k: usize| {
        let mut d = [0.0; 2];
        Odd.constrain(q, t, &mut d);
        d[k]
    };
    let mut q_force = [0.0; 4];
    Odd.force(&q, &v, t0, &mut q_force);
    for i in 0..4 {
        let rate = slope(&|s| {
            let (q, v) = moved(s);
            slope(&|e| Odd.kinetic(&q, &with(&v, i, e), t0 + s))
        });
        let t_q = slope(&|e| Odd.kinetic(&with(&q, i, e), &v, t0));
        let v_q = slope(&|e| Odd.potential(&with(&q, i, e), t0));
        let held: f64 =
            (0..2).map(|k| slope(&|e| constraint(&with(&q, i, e), t0, k)) * motion.multipliers[k]).sum();
        let left = rate - t_q + v_q - q_force[i] + held;
        assert!(left.abs() < 1e-9, "coordinate {i}: {left:.1e}"); // rounding over h²
    }
    // (3): the constraints stay met
    for k in 0..2 {
        let second = slope(&|s| slope(&|e| constraint(&moved(s + e).0, t0 + s + e, k)));
        assert!(second.abs() < 1e-9, "constraint {k}: {second:.1e}");
    }
}
