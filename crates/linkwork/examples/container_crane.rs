//! The container crane: a load on a rope under a cart, from its kinetic and potential energy alone.
//!
//!   cargo run --release -p linkwork --example container_crane
//!
//! [schwab2002] chapter 2, example 1. The coordinates are the place x of the cart and the angle φ of the rope from the
//! downward vertical. The load B, m, hangs at
//!
//!   x_B = x + l sin φ,   y_B = −l cos φ                                                        (vb1.1)
//!   T = ½ m_c ẋ² + ½ m (ẋ² + 2 ẋ l φ̇ cos φ + l² φ̇²),   V = −m g l cos φ                          (vb1.4), (vb1.5)
//!
//! and that is all there is to write down. Three runs: free, pushed by a force, and with the cart's
//! motion prescribed, x = a (1 − cos ωt)/2, where the force of the drive is part of the answer. Without the
//! cart's mass the matrix is singular where the rope hangs straight: there the cart could move sideways, with
//! the load at rest, for nothing. That is reported, unless the drive holds the cart.

use linkwork::formulations::lagrange::{Lagrangian, LagrangianSystem, Scalar};
use linkwork::integrate::Stepper;

/// A cart on a straight track with a load on a rope.
#[derive(Clone, Copy, Debug)]
pub struct Crane {
    /// m_c, kg.
    pub cart: f64,
    /// m, kg.
    pub load: f64,
    /// l, m.
    pub length: f64,
    /// g, m/s².
    pub gravity: f64,
    /// Force on the cart along +x, N.
    pub push: f64,
    /// Prescribed motion of the cart: a in m, ω in rad/s.
    pub drive: Option<[f64; 2]>,
}

impl Lagrangian for Crane {
    fn coordinates(&self) -> usize {
        2
    }

    fn kinetic<S: Scalar>(&self, q: &[S], v: &[S], _t: S) -> S {
        let (sin, cos) = q[1].sin_cos();
        let (vx, vy) = (v[0] + v[1] * cos * self.length, v[1] * sin * self.length); // (vb1.2)
        v[0] * v[0] * (0.5 * self.cart) + (vx * vx + vy * vy) * (0.5 * self.load)
    }

    fn potential<S: Scalar>(&self, q: &[S], _t: S) -> S {
        -q[1].cos() * (self.load * self.gravity * self.length)
    }

    fn force(&self, _q: &[f64], _v: &[f64], _t: f64, out: &mut [f64]) {
        out[0] = self.push;
    }

    fn constraints(&self) -> usize {
        usize::from(self.drive.is_some())
    }

    fn constrain<S: Scalar>(&self, q: &[S], t: S, out: &mut [S]) {
        if let Some([a, w]) = self.drive {
            out[0] = q[0] - (-(t * w).cos() + 1.0) * (0.5 * a);
        }
    }

    fn coordinate_name(&self, i: usize) -> String {
        ["x", "phi"][i].into()
    }

    fn constraint_name(&self, _k: usize) -> String {
        "drive of the cart".into()
    }
}

fn run(title: &str, crane: Crane, start: [f64; 4]) -> Result<(), Box<dyn std::error::Error>> {
    println!("{title}\n    t, s      x, m   phi, rad   drive, N");
    let mut system = LagrangianSystem::new(crane);
    let mut stepper = Stepper::dop853(4, 1e-10);
    stepper.start(&mut system, 0.0, &start, 4.0)?;
    let mut y = start;
    let mut row = 0;
    while !stepper.is_finished() {
        stepper.step(&mut system)?;
        while 0.5 * f64::from(row) <= stepper.t() {
            let t = 0.5 * f64::from(row);
            stepper.interpolate(&mut system, t, &mut y)?;
            // D = x − f(t) puts −λ on x: the force of the drive
            let motion = system.evaluate(t, &y)?;
            let drive = motion.multipliers.first().map_or(0.0, |lambda| -lambda);
            println!("{t:8.2} {:9.5} {:10.5} {drive:10.5}", y[0], y[1]);
            row += 1;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crane = Crane { cart: 2.0, load: 1.0, length: 1.5, gravity: 9.81, push: 0.0, drive: None };
    run("free", crane, [0.0, 0.6, 0.0, 0.0])?;
    run("pushed with 3 N", Crane { push: 3.0, ..crane }, [0.0, 0.6, 0.0, 0.0])?;
    let driven = Crane { cart: 0.0, drive: Some([2.0, 1.7]), ..crane };
    run("driven, no mass in the cart", driven, [0.0, 0.2, 0.0, 0.0])?;
    let light = Crane { cart: 0.0, ..crane };
    let hanging = LagrangianSystem::new(light).evaluate(0.0, &[0.0; 4]);
    println!("free, no mass in the cart, rope straight:\n    {}", hanging.unwrap_err());
    Ok(())
}
