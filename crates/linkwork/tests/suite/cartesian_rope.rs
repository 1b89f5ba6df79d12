//! A rocket that pulls a rope out of a container, written down directly: Cartesian nodes, tensions from a tridiagonal system, RK4, insertion located
//! by bisection. It shares nothing with the engine but the model:
//!
//!   (C1)  m_k a_k = F_k - λ_k d_k + λ_(k+1) d_(k+1)                   d_k = r_k - r_(k-1), node 0 is the rocket
//!   (C2)  d_k·(a_k - a_(k-1)) = -|ḋ_k|² - 2 c d_k·ḋ_k - c² (d_k² - l²)/2
//!   (C3)  F_n takes up -(β ρ u² + T) e and the drag of the growing segment; a node comes in with u e where |r_n| = l

type V2 = [f64; 2];

fn dot(a: V2, b: V2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn sub(a: V2, b: V2) -> V2 {
    [a[0] - b[0], a[1] - b[1]]
}

fn axpy(a: V2, k: f64, b: V2) -> V2 {
    [a[0] + k * b[0], a[1] + k * b[1]]
}

fn scale(k: f64, a: V2) -> V2 {
    [k * a[0], k * a[1]]
}

fn norm(a: V2) -> f64 {
    dot(a, a).sqrt()
}

/// c of (C2), 1/s.
const STABILISATION: f64 = 40.0;

/// What the model is made of, SI units.
#[derive(Clone, Copy, Debug)]
pub struct Rocket {
    pub angle: f64,
    pub launch_mass: f64,
    pub propellant: f64,
    pub impulse: f64,
    pub burn_time: f64,
    pub efficiency: f64,
    pub rocket_diameter: f64,
    pub rocket_cd: f64,
    pub air_density: f64,
    pub rope_density: f64,
    pub rope_diameter: f64,
    pub rope_normal_drag: f64,
    pub rope_tangential_drag: f64,
    pub segment: f64,
    pub pick_up: f64,
    pub exit_tension: f64,
    /// Thrust along the velocity, from this speed on.
    pub along_velocity: Option<f64>,
}

/// Positions and velocities of all nodes, rocket first.
#[derive(Clone, Debug)]
pub struct State {
    pub r: Vec<V2>,
    pub v: Vec<V2>,
}

impl State {
    fn moved(&self, h: f64, rate: &State) -> State {
        let add = |a: &[V2], b: &[V2]| a.iter().zip(b).map(|(&a, &b)| axpy(a, h, b)).collect();
        State { r: add(&self.r, &rate.r), v: add(&self.v, &rate.v) }
    }

    fn grown(&self) -> f64 {
        norm(self.r[self.r.len() - 1])
    }
}

impl Rocket {
    fn growing(&self, r: V2, v: V2) -> (f64, V2, f64) {
        let s = norm(r);
        let e = if s > 0.0 { scale(1.0 / s, r) } else { scale(1.0 / norm(v), v) };
        (s, e, dot(v, e))
    }

    fn drag(&self, length: f64, along: V2, v: V2) -> V2 {
        let t = dot(v, along);
        let n = axpy(v, -t, along);
        let kt =
            0.5 * self.air_density * self.rope_tangential_drag * std::f64::consts::PI * self.rope_diameter;
        let kn = 0.5 * self.air_density * self.rope_normal_drag * self.rope_diameter;
        scale(-length, axpy(scale(kt * t.abs() * t, along), kn * norm(n), n))
    }

    fn rate(&self, t: f64, burns: bool, y: &State) -> State {
        let (n, l) = (y.r.len(), self.segment);
        let node = self.rope_density * l;
        let mass = self.launch_mass - self.propellant * (t / self.burn_time).min(1.0);
        let m = |k: usize| if k == 0 { mass } else { node };
        let mut force: Vec<V2> = (0..n).map(|k| [0.0, -9.81 * m(k)]).collect();
        let v = y.v[0];
        if burns {
            let launch = [self.angle.cos(), self.angle.sin()];
            let direction = match self.along_velocity {
                Some(least) if norm(v) < least => axpy(v, least - norm(v), launch),
                Some(_) => v,
                None => launch,
            };
            let thrust = self.efficiency * self.impulse / self.burn_time;
            force[0] = axpy(force[0], thrust / norm(direction), direction);
        }
        let area = std::f64::consts::PI * self.rocket_diameter * self.rocket_diameter / 4.0;
        force[0] = axpy(force[0], -0.5 * self.air_density * self.rocket_cd * area * norm(v), v);
        let d: Vec<V2> = (1..n).map(|k| sub(y.r[k], y.r[k - 1])).collect();
        let w: Vec<V2> = (1..n).map(|k| sub(y.v[k], y.v[k - 1])).collect();
        for k in 1..n {
            let mean = scale(0.5, axpy(y.v[k], 1.0, y.v[k - 1]));
            let half = scale(0.5, self.drag(l, scale(1.0 / norm(d[k - 1]), d[k - 1]), mean));
            force[k - 1] = axpy(force[k - 1], 1.0, half);
            force[k] = axpy(force[k], 1.0, half);
        }
        // (C3): the growing segment moves with u along it, and across it in proportion to the distance from the container
        let (s, e, u) = self.growing(y.r[n - 1], y.v[n - 1]);
        let across = axpy(y.v[n - 1], -u, e);
        let mut on_node = self.drag(s, e, axpy(scale(u, e), 0.5, across));
        // it starts at rest and is pulled out at once: with `>` the first stage of the first step would miss the tension
        if u >= 0.0 {
            on_node = axpy(on_node, -(self.pick_up * self.rope_density * u * u + self.exit_tension), e);
        }
        force[n - 1] = axpy(force[n - 1], 1.0, on_node);
        // (C2), tridiagonal in λ
        let count = n - 1;
        let (mut diagonal, mut right) = (vec![0.0; count], vec![0.0; count]);
        let beside = |k: usize| -dot(d[k], d[k + 1]) / m(k + 1);
        for k in 0..count {
            let free = sub(scale(1.0 / m(k + 1), force[k + 1]), scale(1.0 / m(k), force[k]));
            let c = STABILISATION;
            let wanted =
                -dot(w[k], w[k]) - 2.0 * c * dot(d[k], w[k]) - 0.5 * c * c * (dot(d[k], d[k]) - l * l);
            diagonal[k] = dot(d[k], d[k]) * (1.0 / m(k) + 1.0 / m(k + 1));
            right[k] = dot(d[k], free) - wanted;
        }
        for k in 1..count {
            let factor = beside(k - 1) / diagonal[k - 1];
            diagonal[k] -= factor * beside(k - 1);
            right[k] -= factor * right[k - 1];
        }
        let mut lambda = right;
        for k in (0..count).rev() {
            if k + 1 < count {
                lambda[k] -= beside(k) * lambda[k + 1];
            }
            lambda[k] /= diagonal[k];
        }
        let accelerations = (0..n).map(|k| {
            let mut f = force[k];
            if k > 0 {
                f = axpy(f, -lambda[k - 1], d[k - 1]);
            }
            if k < count {
                f = axpy(f, lambda[k], d[k]);
            }
            scale(1.0 / m(k), f)
        });
        State { r: y.v.clone(), v: accelerations.collect() }
    }

    fn step(&self, t: f64, h: f64, y: &State) -> State {
        let burns = t + 0.5 * h < self.burn_time;
        let k1 = self.rate(t, burns, y);
        let k2 = self.rate(t + 0.5 * h, burns, &y.moved(0.5 * h, &k1));
        let k3 = self.rate(t + 0.5 * h, burns, &y.moved(0.5 * h, &k2));
        let k4 = self.rate(t + h, burns, &y.moved(h, &k3));
        y.moved(h / 6.0, &k1).moved(h / 3.0, &k2).moved(h / 3.0, &k3).moved(h / 6.0, &k4)
    }

    /// The states at multiples of 0.1 s up to `duration`, with steps of `h`, a part of 0.01 s in which the burning time ends too.
    pub fn fly(&self, duration: f64, h: f64) -> Vec<State> {
        let start = [1e-6 * self.angle.cos(), 1e-6 * self.angle.sin()];
        let mut y = State { r: vec![start], v: vec![[0.0; 2]] };
        let every = (0.1 / h).round() as usize;
        let mut rows = vec![y.clone()];
        for i in 0..(duration / h).round() as usize {
            let (mut t, end) = (i as f64 * h, (i + 1) as f64 * h);
            loop {
                let next = self.step(t, end - t, &y);
                if next.grown() < self.segment {
                    y = next;
                    break;
                }
                let (mut early, mut late) = (0.0, end - t);
                while late - early > 1e-14 {
                    let middle = 0.5 * (early + late);
                    match self.step(t, middle, &y).grown() < self.segment {
                        true => early = middle,
                        false => late = middle,
                    }
                    if middle == early && middle == late {
                        break;
                    }
                }
                y = self.step(t, late, &y);
                t += late;
                let last = y.r.len() - 1;
                let (_, e, u) = self.growing(y.r[last], y.v[last]);
                y.r.push([0.0; 2]);
                y.v.push(scale(u, e));
            }
            if (i + 1) % every == 0 {
                rows.push(y.clone());
            }
        }
        rows
    }
}
