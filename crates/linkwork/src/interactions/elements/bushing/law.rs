//! A bushing: an elastic bearing that resists every relative motion of two bodies a and b.
//!
//! With P on a, Q on b, d = r_Q − r_P, the axes A of the bushing as drawn (columns, fixed in a) and C = R_aᵀ R_b the
//! rotation of b as a sees it:
//!
//!   (E1)  x = Aᵀ R_aᵀ d,   ẋ = Aᵀ R_aᵀ (ḋ − ω_a × d)
//!   (E2)  φ = Aᵀ log C,    φ̇ = J⁻¹(φ) w,   w = Aᵀ R_aᵀ (ω_b − ω_a)      the rotation vector
//!   (E3)  J⁻¹(φ) = 1 − ½ [φ]× + β [φ]×²,   β = (1 − ½θ cot ½θ) / θ²,   θ = |φ|
//!   (E4)  V = ½ xᵀ K x + ½ φᵀ K_r φ
//!   (E5)  F = −K x − D ẋ + p,   T = −K_r φ − D_r φ̇ + p_r
//!   (E6)  on b: force R_a A F at Q, moment R_a A J⁻ᵀ T;   on a: the opposite force at Q, the opposite moment
//!
//! J is the left Jacobian of the rotation vector. Since φ̇·T = w·J⁻ᵀT, (E6) is minus the gradient of (E4) for any
//! rotation, not for small ones alone. The rotation vector is unique up to half a turn, where it jumps.

use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyIndex, BodyPoint, Wrenches, motion_of};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::quaternion;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, norm, scale, sub};

/// A bushing.
#[derive(Clone, Debug)]
pub struct Bushing {
    /// a and b.
    pub bodies: [BodyIndex; 2],
    /// P and Q.
    pub at: [BodyPoint; 2],
    /// A
    pub axes: Mat3,
    /// Diagonals of K and K_r: N/m and N m/rad.
    pub stiffness: [Vec3; 2],
    /// Diagonals of D and D_r: N s/m and N m s/rad.
    pub damping: [Vec3; 2],
    /// p and p_r: N and N m.
    pub preload: [Vec3; 2],
    /// Whether it acts in the plane, where nothing else is shown.
    pub planar: bool,
}

/// A bushing at an instant, in its own axes.
struct State {
    displacement: [Vec3; 2],
    rate: [Vec3; 2],
    /// F and T of (E5).
    effort: [Vec3; 2],
    /// J⁻ᵀ T
    moment: Vec3,
}

fn times(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// The rotation vector of a rotation matrix.
fn rotation_vector(c: &Mat3) -> Vec3 {
    let [w, x, y, z] = quaternion::of_matrix(c);
    let sine = norm([x, y, z]); // of half the angle
    let factor = match sine < 1e-3 {
        // 2 asin(s) / s, to s⁶
        true => 2.0 + sine * sine * (1.0 / 3.0 + 3.0 / 20.0 * sine * sine),
        false => 2.0 * sine.atan2(w) / sine,
    };
    scale(factor, [x, y, z])
}

/// β of (E3).
fn beta(angle: f64) -> f64 {
    let square = angle * angle;
    match angle < 1e-2 {
        true => 1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0),
        false => (1.0 - 0.5 * angle / (0.5 * angle).tan()) / square,
    }
}

/// J⁻¹(φ) u, or J⁻ᵀ(φ) u with the other sign.
fn inverse_jacobian(phi: Vec3, u: Vec3, sign: f64) -> Vec3 {
    let once = cross(phi, u);
    axpy(axpy(u, -0.5 * sign, once), beta(norm(phi)), cross(phi, once))
}

impl Bushing {
    fn state(&self, at: &Context<'_>) -> State {
        let bodies = at.scene.bodies;
        let [a, b] = self.bodies.map(|body| motion_of(bodies, body));
        let [p, q] = self.at.map(|spot| spot.at(bodies));
        let d = sub(q.r, p.r);
        let own = |u: Vec3| apply_transposed(&self.axes, apply_transposed(&a.turned, u));
        let turned: Mat3 = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..3).map(|k| a.turned[k][i] * b.turned[k][j]).sum())
        });
        let phi = apply_transposed(&self.axes, rotation_vector(&turned)); // (E2)
        let displacement = [own(d), phi];
        let swing = sub(sub(q.v, p.v), cross(a.w, d));
        let rate = [own(swing), inverse_jacobian(phi, own(sub(b.w, a.w)), 1.0)]; // (E1), (E2)
        let effort: [Vec3; 2] = std::array::from_fn(|i| {
            let elastic = times(self.stiffness[i], displacement[i]);
            sub(self.preload[i], add(elastic, times(self.damping[i], rate[i]))) // (E5)
        });
        let moment = inverse_jacobian(phi, effort[1], -1.0);
        State { displacement, rate, effort, moment }
    }

    /// The components of displacements and forces, and of turns and moments, that results show.
    fn shown(&self) -> [std::ops::Range<usize>; 2] {
        if self.planar { [0..2, 2..3] } else { [0..3, 0..3] }
    }
}

impl Law for Bushing {
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let state = self.state(at);
        let bodies = at.scene.bodies;
        let a = motion_of(bodies, self.bodies[0]);
        let world = |u: Vec3| apply(&a.turned, apply(&self.axes, u));
        let (force, moment) = (world(state.effort[0]), world(state.moment)); // (E6)
        let q = self.at[1].at(bodies);
        pulls.add(self.bodies[1], q.arm, force, moment);
        pulls.add(self.bodies[0], sub(q.r, a.c), scale(-1.0, force), scale(-1.0, moment));
        let (mut power, mut potential) = (0.0, 0.0);
        for i in 0..2 {
            let elastic = times(self.stiffness[i], state.displacement[i]);
            potential += 0.5 * dot(elastic, state.displacement[i]); // (E4)
            power += dot(add(state.effort[i], elastic), state.rate[i]);
        }
        Effect { power, potential }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let names = [["x", "y", "z"], ["rx", "ry", "rz"], ["fx", "fy", "fz"], ["mx", "my", "mz"]];
        let mut columns = Vec::new();
        for (i, (names, unit)) in names.into_iter().zip(["m", "rad", "N", "N m"]).enumerate() {
            columns.extend(self.shown()[i % 2].clone().map(|c| (names[c], unit)));
        }
        columns
    }

    fn outputs(&self, at: &Context<'_>, _: &mut Scratch, out: &mut Vec<f64>) {
        let state = self.state(at);
        let [x, phi] = state.displacement;
        for (i, vector) in [x, phi, state.effort[0], state.moment].into_iter().enumerate() {
            out.extend_from_slice(&vector[self.shown()[i % 2].clone()]);
        }
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.bodies.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactions::coupling::Scene;
    use crate::interactions::motion::Motion;
    use crate::interactions::{Interactions, Wrenches};
    use crate::linalg::vec3::unit;

    fn turn(axis: Vec3, angle: f64) -> Mat3 {
        let (s, c) = (0.5 * angle).sin_cos();
        let a = unit(axis);
        quaternion::matrix(&[c, s * a[0], s * a[1], s * a[2]])
    }

    fn product(a: &Mat3, b: &Mat3) -> Mat3 {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    fn bushing(preload: [Vec3; 2]) -> Bushing {
        Bushing {
            bodies: [Some(0), Some(1)],
            at: [
                BodyPoint { body: Some(0), s: [0.2, 0.1, -0.3] },
                BodyPoint { body: Some(1), s: [-0.4, 0.3, 0.2] },
            ],
            axes: turn([1.0, -2.0, 0.5], 0.8),
            stiffness: [[300.0, 200.0, 50.0], [20.0, 7.0, 11.0]],
            damping: [[0.0; 3]; 2],
            preload,
            planar: false,
        }
    }

    fn effect(bushing: &Bushing, bodies: &[Motion]) -> (Effect, Vec<crate::interactions::BodyWrench>) {
        let interactions = Interactions::default();
        let scene = Scene { t: 0.0, bodies, hints: &[], holds: &[], switches: &[] };
        let at =
            Context { interactions: &interactions, scene: &scene, measures: &[], locals: &[], late: &[] };
        let mut pulls = Wrenches::default();
        let effect = bushing.apply(&at, &mut Scratch::default(), &mut pulls);
        (effect, pulls.list)
    }

    /// From hardly turned at all to nearly half a turn.
    fn places() -> Vec<Vec<Motion>> {
        let first = turn([0.3, 1.0, -0.4], 0.9);
        [1e-9, 3e-4, 0.009, 0.02, 0.7, 2.1, 3.0]
            .map(|angle| {
                let second = product(&first, &turn([1.0, 0.4, -0.7], angle));
                let at = |c: Vec3, turned: Mat3| Motion { c, turned, v: [0.0; 3], w: [0.0; 3] };
                vec![at([0.3, -0.2, 0.5], first), at([1.1, 0.4, -0.6], second)]
            })
            .into()
    }

    /// Force and moment on both bodies are minus the gradient of the potential, for turns of any size.
    #[test]
    fn cross_bushing_is_the_gradient_of_its_potential() {
        let bushing = bushing([[0.0; 3]; 2]);
        let h = 1e-6;
        for now in places() {
            let (_, pulls) = effect(&bushing, &now);
            for body in 0..2 {
                let pull = pulls.iter().find(|p| p.body == body).unwrap();
                for (k, axis) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate() {
                    let potential = |move_by: f64, turn_by: f64| {
                        let mut moved = now.clone();
                        moved[body].c = axpy(moved[body].c, move_by, axis);
                        moved[body].turned = product(&turn(axis, turn_by), &moved[body].turned);
                        effect(&bushing, &moved).0.potential
                    };
                    let force = -(potential(h, 0.0) - potential(-h, 0.0)) / (2.0 * h);
                    let moment = -(potential(0.0, h) - potential(0.0, -h)) / (2.0 * h);
                    // rounding of the potential over h
                    assert!((force - pull.wrench.force[k]).abs() < 1e-6, "{force} {}", pull.wrench.force[k]);
                    assert!(
                        (moment - pull.wrench.moment[k]).abs() < 1e-6,
                        "{moment} {}",
                        pull.wrench.moment[k]
                    );
                }
            }
        }
    }

    /// What it does to the two bodies balances, with moments about the origin.
    #[test]
    fn keeps_forces_and_moments_of_a_bushing_in_balance() {
        let mut bushing = bushing([[3.0, -4.0, 5.0], [0.3, 0.2, -0.1]]);
        bushing.damping = [[2.0, 1.0, 3.0], [0.4, 0.2, 0.3]];
        for mut now in places() {
            now[0].w = [0.4, -0.3, 0.8];
            now[1].v = [1.0, 2.0, -0.5];
            let (_, pulls) = effect(&bushing, &now);
            let force = pulls.iter().fold([0.0; 3], |s, p| add(s, p.wrench.force));
            let about = |p: &crate::interactions::BodyWrench| {
                add(p.wrench.moment, cross(now[p.body].c, p.wrench.force))
            };
            let moment = pulls.iter().fold([0.0; 3], |s, p| add(s, about(p)));
            // rounding of some 1e3 N
            assert!(norm(force) < 1e-12 && norm(moment) < 1e-11, "{force:?} {moment:?}");
        }
    }

    /// The power that no potential accounts for is the rest: V̇ = −Σ(f·v + m·ω) + power.
    #[test]
    fn cross_power_of_a_bushing() {
        let mut bushing = bushing([[3.0, -4.0, 5.0], [0.3, 0.2, -0.1]]);
        bushing.damping = [[2.0, 1.0, 3.0], [0.4, 0.2, 0.3]];
        for mut now in places() {
            (now[0].v, now[0].w) = ([0.1, -0.6, 0.2], [0.4, -0.3, 0.8]);
            (now[1].v, now[1].w) = ([1.0, 2.0, -0.5], [-0.7, 0.2, 0.5]);
            let (effect_now, pulls) = effect(&bushing, &now);
            let done: f64 = pulls.iter().map(|p| p.power(&now)).sum();
            let later = |h: f64| {
                let mut moved = now.clone();
                for m in &mut moved {
                    m.c = axpy(m.c, h, m.v);
                    m.turned = product(&turn(m.w, h * norm(m.w)), &m.turned);
                }
                effect(&bushing, &moved).0.potential
            };
            let change = (later(1e-6) - later(-1e-6)) / 2e-6;
            // rounding of the potential over the step
            assert!((change + done - effect_now.power).abs() < 1e-5, "{change} {done}");
        }
    }
}
