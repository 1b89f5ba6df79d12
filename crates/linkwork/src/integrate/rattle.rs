//! RATTLE: half a kick, a drift onto the constraints, half a kick. Symplectic, symmetric, order 2; compositions of it.
//!
//! [andersen1983], [leimkuhler2004] section 7.2. With M v̇ + Aᵀλ = f of [`Mechanics`], from (t₀, q₀, v₀) to t₁ = t₀ + h, l an impulse:
//!
//! ```text
//!   (T1)  M (u − v₀) + A₀ᵀ l₀ = (h/2) f(t₀, q₀, u)
//!   (T2)  q₁ = q₀ + h u,   Φ(t₁, q₁) = 0
//!   (T3)  M (v₁ − u) + A₁ᵀ l₁ = (h/2) f(t₁, q₁, u)
//!   (T4)  A₁ v₁ + Φ_t(t₁, q₁) = 0
//! ```
//!
//! Both kicks see the velocity u in between, so that the step back is the step forward mirrored also where forces
//! depend on velocities; (T1) is then implicit in u. Rows that bind velocities only have ½(Φ̇₀ + Φ̇₁) = 0 at u in the place of Φ = 0. Work is
//! added by half a step of the power at either kick, with λ = 2l/h, symmetric too.
//!
//! **Solving (T1), (T2)** for u and l₀:
//!
//! ```text
//!   (T5)  [M  A₀ᵀ] [du]   [ −residual of (T1) ]
//!         [A₀  0 ] [dl] = [    −Φ(t₁, q₁)/h   ]
//! ```
//!
//! which gains a factor like |A₁ − A₀| per iteration, and leaves ∂f/∂u out. Where that is slow, ∂f/∂u is taken in, and
//! then A₁ in the lower left: with X(z) the du of (T5) for the right side [0; z], the rows are
//!
//! ```text
//!   (T6)  T z = g,   T z = A₁ X(z)
//! ```
//!
//! by GMRES, exact Newton's method for the constraints. Across a singular position A₁ X(z) ≈ z turns into A₁ X(z) ≈ −z in the
//! directions in which the rows fail, and (T5) alone runs away. GMRES takes as many solves as there are such directions, at least.
//!
//! It goes on until what is left of h du and of Φ is below [`TIGHT`] of the size, or they no longer fall and are below
//! [`STUCK`]; after [`MAX_ITERATIONS`] the step has failed, unless they are below it.
//!
//! **Order 4** ([suzuki1990]): five steps of p h, p h, (1 − 4p) h, p h, p h with p = 1/(4 − 4^(1/3)), all inside the whole step. The triple of
//! [yoshida1990] has errors some ten times larger, and steps out of it. Between the ends q is the quintic with both ends' positions,
//! velocities and accelerations, v its rate.

use super::control::{Evaluator, Failure, check_finite};
use super::krylov::Krylov;
use super::method::{Method, Tried, cubic};
use super::{Blend, Ends, Mechanics, Step, Stepper, System};

/// The iteration ends when this part of the size is left.
const TIGHT: f64 = 3e-16;
/// Corrections that fall no further below this are rounding.
const STUCK: f64 = 1e-12;
/// The most iterations of (T5) in a step.
pub(super) const MAX_ITERATIONS: u32 = 50;
/// Convergence slower than this asks for a better matrix.
const SLOW: f64 = 0.3;

/// 1/(4 − 4^(1/3))
const P: f64 = 0.414_490_771_794_375_74;
const SUZUKI: [f64; 5] = [P, P, 1.0 - 4.0 * P, P, P];

#[derive(Clone, Debug, Default)]
pub(super) struct Rattle {
    parts: &'static [f64],
    /// 0 before the first step.
    n: usize,
    scale: Vec<f64>,
    /// Where a part starts.
    y: Vec<f64>,
    dy: Vec<f64>,
    /// u of (T1), and a guess at the acceleration for the next one.
    half: Vec<f64>,
    acceleration: Vec<f64>,
    force: Vec<f64>,
    right: Vec<f64>,
    zero: Vec<f64>,
    du: Vec<f64>,
    impulse: Vec<f64>,
    lambda: Vec<f64>,
    phi: Vec<f64>,
    rates: Vec<f64>,
    dl: Vec<f64>,
    z: Vec<f64>,
    krylov: Krylov,
}

/// What (T5) is solved with.
#[derive(Clone, Copy, PartialEq)]
enum Matrix {
    Mass,
    /// With ∂f/∂u.
    Damped,
}

impl Stepper {
    /// RATTLE with step `h` (s): symplectic and symmetric, of order 2. Needs [`Mechanics`].
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rattle(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Rattle::new(n, &[1.0]), h)
    }

    /// Suzuki's composition of five steps of RATTLE to a step `h` (s) of order 4. Needs [`Mechanics`].
    ///
    /// # Panics
    /// If `h` is not positive.
    pub fn rattle4(n: usize, h: f64) -> Self {
        Stepper::fixed(n, Rattle::new(n, &SUZUKI), h)
    }
}

impl Rattle {
    fn new(n: usize, parts: &'static [f64]) -> Self {
        Rattle { parts, scale: vec![1.0; n], y: vec![0.0; n], dy: vec![0.0; n], ..Rattle::default() }
    }

    fn begin<E>(&mut self, m: &dyn Mechanics<Error = E>) {
        self.n = m.coordinates();
        for x in [
            &mut self.half,
            &mut self.acceleration,
            &mut self.force,
            &mut self.right,
            &mut self.zero,
            &mut self.du,
        ] {
            x.resize(self.n, 0.0);
        }
        for x in
            [&mut self.impulse, &mut self.lambda, &mut self.phi, &mut self.rates, &mut self.dl, &mut self.z]
        {
            x.resize(m.constraints(), 0.0);
        }
    }

    /// u into the velocities of `y_new`, and the positions that belong to it.
    fn drift(&self, h: f64, y_new: &mut [f64]) {
        for i in 0..self.n {
            y_new[i] = self.y[i] + h * self.half[i];
        }
        y_new[self.n..2 * self.n].copy_from_slice(&self.half);
    }

    /// Goes back to (t₀, q₀) with the velocities u.
    fn look_back<E>(&mut self, m: &mut dyn Mechanics<Error = E>, t: f64) {
        let n = self.n;
        // v₀ is needed again: u stands in its place for the look only
        self.du.copy_from_slice(&self.y[n..2 * n]);
        self.y[n..2 * n].copy_from_slice(&self.half);
        m.look_at(t, &self.y);
        self.y[n..2 * n].copy_from_slice(&self.du);
    }

    /// Minus the residual of (T1) into `right`, where one looks at (t₀, q₀).
    fn first_kick<E>(&mut self, m: &mut dyn Mechanics<Error = E>, h: f64) {
        let n = self.n;
        m.forces(&mut self.force);
        for i in 0..n {
            self.du[i] = self.half[i] - self.y[n + i];
        }
        m.mass_times(&self.du, &mut self.right);
        m.add_transposed(&self.impulse, &mut self.right);
        for (r, f) in self.right.iter_mut().zip(&self.force) {
            *r = 0.5 * h * f - *r;
        }
    }

    /// (T1), (T2): u into `half`, q₁ and u into `y_new`, l₀.
    fn solve<E>(
        &mut self,
        m: &mut dyn Mechanics<Error = E>,
        evaluations: &mut u64,
        (t, t_new, h): (f64, f64, f64),
        y_new: &mut [f64],
    ) -> Result<(), Failure<E>> {
        let n = self.n;
        let plain = m.is_conservative();
        let failed = |source| Failure::System { t, source };
        let mut matrix = Matrix::Mass;
        let mut newton = false;
        let mut before = f64::INFINITY;
        // far from the origin the roundings of coordinates count
        let far = self.y[..n].iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        self.impulse.fill(0.0);
        for i in 0..n {
            self.half[i] = self.y[n + i] + 0.5 * h * self.acceleration[i];
        }
        for iteration in 1..=MAX_ITERATIONS {
            if iteration == 1 || !plain || newton {
                self.look_back(m, t);
                *evaluations += 1;
                if iteration == 1 {
                    m.factor().map_err(failed)?;
                }
                self.first_kick(m, h);
                if !plain {
                    m.residual_rates(&self.half, &mut self.rates);
                }
            } else {
                self.right.fill(0.0); // (T1) is linear and met, unless rows fail
            }
            self.drift(h, y_new);
            m.look_at(t_new, y_new);
            m.residuals(&mut self.phi);
            let open = self.phi.iter().fold(0.0, |m: f64, phi| if phi.abs() > m { phi.abs() } else { m });
            for phi in &mut self.phi {
                *phi /= -h;
            }
            if !plain {
                m.residual_rates(&self.half, &mut self.dl);
                for r in (0..self.phi.len()).filter(|&r| m.binds_velocities_only(r)) {
                    self.phi[r] = -0.5 * (self.rates[r] + self.dl[r]);
                }
            }
            if newton {
                self.aim(m, matrix);
            }
            solve_with(m, matrix, &self.right, &self.phi, &mut self.du, &mut self.dl);
            let (mut worst, mut size) = (0, 0.0);
            for (i, du) in self.du.iter().enumerate() {
                let part = (h * du).abs() / (self.scale[i] + self.y[i].abs()).max(0.25 * far);
                if part > size || part.is_nan() {
                    (worst, size) = (i, part);
                }
            }
            if !size.is_finite() {
                return Err(Failure::NotFinite { t: t_new, component: worst });
            }
            // rows that are open though nothing moves are not met
            size = f64::max(size, open / self.scale[worst].max(0.25 * far));
            for (u, du) in self.half.iter_mut().zip(&self.du) {
                *u += du;
            }
            for (l, dl) in self.impulse.iter_mut().zip(&self.dl) {
                *l += dl;
            }
            let rate = size / before;
            // after a change of matrix nothing is known about the rate
            let left = if before.is_finite() && rate < 1.0 { size * rate / (1.0 - rate) } else { size };
            if left <= TIGHT || (rate > 0.5 && size <= STUCK) {
                break;
            }
            if iteration == MAX_ITERATIONS && size > STUCK {
                return Err(Failure::NotSolved { t: t_new, iterations: iteration, component: worst });
            }
            before = size;
            if rate > SLOW && iteration > 2 && !newton {
                if !plain && matrix == Matrix::Mass {
                    self.look_back(m, t);
                    let blend = Blend { mass: 1.0, damping: 0.5 * h, stiffness: 0.0 };
                    if m.factor_tangent(&self.impulse, blend).is_ok() {
                        matrix = Matrix::Damped;
                    } else {
                        newton = true;
                    }
                } else {
                    newton = true;
                }
                before = f64::INFINITY;
            }
        }
        self.drift(h, y_new);
        Ok(())
    }

    /// Changes the right side `phi` of (T5) to the z of (T6), so that its answer is that of Newton's method. One looks at (t₁, q₁).
    fn aim<E>(&mut self, m: &mut dyn Mechanics<Error = E>, matrix: Matrix) {
        let Rattle { right, zero, du, dl, z, phi, rates, krylov, .. } = self;
        m.residual_rates(zero, rates); // Φ_t
        // what the kick alone does to the rows, apart from what the right side asks for
        let applied = |m: &mut dyn Mechanics<Error = E>, du: &[f64], z: Option<&[f64]>, out: &mut [f64]| {
            m.residual_rates(du, out);
            for (r, out) in out.iter_mut().enumerate() {
                *out -= rates[r];
                if m.binds_velocities_only(r) {
                    *out = 0.5 * (*out + z.map_or(0.0, |z| z[r]));
                }
            }
        };
        z.fill(0.0);
        solve_with(m, matrix, right, z, du, dl);
        applied(m, du, None, z);
        for (phi, z) in phi.iter_mut().zip(&*z) {
            *phi -= z;
        }
        krylov.solve(phi, z, |x, out| {
            solve_with(m, matrix, zero, x, du, dl);
            applied(m, du, Some(x), out);
        });
        phi.copy_from_slice(z);
    }

    /// A part of the step: from `y` to `y_new`.
    fn advance<E>(
        &mut self,
        m: &mut dyn Mechanics<Error = E>,
        evaluations: &mut u64,
        (t, t_new, h): (f64, f64, f64),
        y_new: &mut [f64],
    ) -> Result<(), Failure<E>> {
        let n = self.n;
        for i in 2 * n..y_new.len() {
            y_new[i] = self.y[i] + h * self.dy[i];
        }
        y_new[2 * n] = self.y[2 * n];
        self.solve(m, evaluations, (t, t_new, h), y_new)?;
        check_finite(t_new, y_new)?;
        let plain = m.is_conservative();
        if !plain {
            self.look_back(m, t);
            m.forces(&mut self.force);
            self.add_work(m, h, y_new);
        }

        // (T3), (T4)
        m.look_at(t_new, y_new);
        *evaluations += 1;
        m.forces(&mut self.force);
        m.factor().map_err(|source| Failure::System { t: t_new, source })?;
        m.residual_rates(&self.half, &mut self.rates);
        for rate in &mut self.rates {
            *rate = -*rate;
        }
        for f in &mut self.force {
            *f *= 0.5 * h;
        }
        m.solve(&self.force, &self.rates, &mut self.du, &mut self.impulse);
        if !plain {
            self.add_work(m, h, y_new);
        }
        for i in 0..n {
            y_new[n + i] += self.du[i];
            self.acceleration[i] = 2.0 * self.du[i] / h;
        }
        m.settle(y_new);
        Ok(())
    }

    /// Half a step of the power where one looks, forces known, with the multipliers of the impulse.
    fn add_work<E>(&mut self, m: &mut dyn Mechanics<Error = E>, h: f64, y_new: &mut [f64]) {
        for (lambda, l) in self.lambda.iter_mut().zip(&self.impulse) {
            *lambda = 2.0 * l / h;
        }
        let first = 2 * self.n;
        m.rest_rates(y_new, &self.lambda, &mut self.dy[first..]);
        y_new[first] += 0.5 * h * self.dy[first];
    }

    /// y' at the end: the factor is that of the second kick.
    fn finish<E>(&mut self, m: &mut dyn Mechanics<Error = E>, t: f64, y: &[f64]) {
        let n = self.n;
        m.look_at(t, y);
        m.forces(&mut self.force);
        m.curvatures(&mut self.phi);
        m.solve(&self.force, &self.phi, &mut self.acceleration, &mut self.lambda);
        self.dy[..n].copy_from_slice(&y[n..2 * n]);
        self.dy[n..2 * n].copy_from_slice(&self.acceleration);
        m.rest_rates(y, &self.lambda, &mut self.dy[2 * n..]);
    }
}

fn solve_with<E>(
    m: &mut dyn Mechanics<Error = E>,
    matrix: Matrix,
    f: &[f64],
    g: &[f64],
    x: &mut [f64],
    lambda: &mut [f64],
) {
    match matrix {
        Matrix::Mass => m.solve(f, g, x, lambda),
        Matrix::Damped => m.solve_tangent(f, g, x, lambda),
    }
}

impl Method for Rattle {
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
        let &Step { t, t_new, h, y, dy, .. } = step;
        if self.n == 0 {
            f.system.error_scale(&mut self.scale);
        }
        let m = f.system.mechanics().ok_or(Failure::NoMechanics)?;
        if self.n == 0 {
            self.begin(m);
        }
        let n = self.n;
        let evaluations = &mut f.statistics.derivative_evaluations;
        self.y.copy_from_slice(y);
        self.dy.copy_from_slice(dy);
        self.acceleration.copy_from_slice(&dy[n..2 * n]);
        let mut done = 0.0;
        let mut from = t;
        for (k, part) in self.parts.iter().enumerate() {
            done += part;
            let to = if k + 1 == self.parts.len() { t_new } else { t + done * h };
            self.advance(m, evaluations, (from, to, part * h), y_new)?;
            self.y.copy_from_slice(y_new);
            from = to;
        }
        self.finish(m, t_new, y_new);
        *evaluations += 1;
        check_finite(t_new, &self.dy)?;
        Ok(0.0)
    }

    fn rates(&self) -> Option<&[f64]> {
        Some(&self.dy)
    }

    fn restart(&mut self) {
        self.n = 0;
    }

    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        cubic(ends, s, out);
        if self.parts.len() > 1 {
            quintic(ends, self.n, s, out);
        }
    }
}

/// Positions from both ends' positions, velocities and accelerations at the fraction `s` of the step; velocities as their rate.
fn quintic(ends: &Ends, n: usize, s: f64, out: &mut [f64]) {
    let &Ends { h, y_old, dy_old, y, dy, .. } = ends;
    for i in 0..n {
        let (v, a) = (h * y_old[n + i], h * h * dy_old[n + i]);
        let r0 = y[i] - y_old[i] - v - 0.5 * a;
        let r1 = h * y[n + i] - v - a;
        let r2 = h * h * dy[n + i] - a;
        let c3 = 10.0 * r0 - 4.0 * r1 + 0.5 * r2;
        let c4 = -15.0 * r0 + 7.0 * r1 - r2;
        let c5 = 6.0 * r0 - 3.0 * r1 + 0.5 * r2;
        out[i] = y_old[i] + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5))));
        out[n + i] = (v + s * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h;
    }
}

crate::keep::keep!(Rattle { n, scale, y, dy, half, acceleration, force, right, zero, du, impulse, lambda, phi, rates, dl, z } but { parts, krylov } if |r| {
    let points = [&r.half, &r.acceleration, &r.force, &r.right, &r.zero, &r.du];
    let rows = [&r.lambda, &r.phi, &r.rates, &r.dl, &r.z];
    r.n == 0
        || (points.iter().all(|x| x.len() == r.n)
            && rows.iter().all(|x| x.len() == r.impulse.len())
            && 2 * r.n < r.y.len())
});
