//! Modal bodies: a floating frame of reference with the amplitudes of the modes as coordinates [shabana2020].
//!
//! Let u_k = ξ_k + Σ_j η_j Ψ_kj be the place of node k in the axes of the frame, ω the angular velocity in the same axes. The frame is the mean one, so that
//! Σ m Ψ_j = 0 and Σ m ξ × Ψ_j = 0, and with the invariants
//!
//!   (9)   P_j = Σ m_kl ξ_k Ψ_ljᵀ,   D_jl = Σ m_kl Ψ_kj Ψ_llᵀ,   m_jl = tr D_jl,   g_lj = Σ m_kl Ψ_kl × Ψ_lj = −g_jl
//!   (10)  S = S_0 + Σ_j η_j (P_j + P_jᵀ) + Σ_jl η_j η_l D_jl,   I = tr S 1 − S,   b_j = Σ_l η_l g_lj
//!
//! the kinetic energy is
//!
//!   (11)  T = ½ m ċ² + ½ ω·I ω + Σ_j η̇_j ω·b_j + ½ Σ_jl m_jl η̇_j η̇_l
//!
//! and the equations, with H = I ω + Σ_j η̇_j b_j and I_j = ∂I/∂η_j, are
//!
//!   (12)  I ω̇ + Σ_j b_j η̈_j     = −ω × H − Σ_j η̇_j I_j ω + M
//!   (13)  b_j·ω̇ + Σ_l m_jl η̈_l  = ½ ω·I_j ω − 2 Σ_l η̇_l ω·g_lj + Q_j
//!
//! (Σ_jl η̇_j η̇_l g_lj in (12) is zero, for g is antisymmetric). An interface is a body with a place q and axes e_i. It is where its node is, and turns with the
//! linearised motion D_i = R (e_i + Σ_j η_j θ_j × e_i) of the flange:
//!
//!   (14)  Φ = q − c − R (ξ + Σ_j η_j Ψ_j)                  three rows
//!   (15)  Φ = L e_2·D_3,  L e_3·D_1,  L e_1·D_2            three rows, where it turns
//!
//! The sliders of a mode, which are bodies of the mechanism at r = c + η_j d_i, have no coordinates of their own here: a force F on one is a force on the frame, a moment
//! about c, and Q_j = F·d_i. So neither the mass matrix over points nor the constraints of sliders that `points` has take part.

use super::coordinates::Layout;
use crate::interactions::{BodyWrench, Motion};
use crate::linalg::ordering::RowPattern;
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, axpy, cross, dot, scale, sub};
use crate::mechanism::{Mechanism, MechanismModalBody};
use crate::modal::InterfaceModes;

/// A modal body: its invariants, and where its amplitudes stand.
#[derive(Clone, Debug)]
pub struct ModalFrame {
    /// Its frame.
    pub body: usize,
    /// Its first amplitude among those of all modal bodies.
    pub first: usize,
    sliders: Vec<[usize; 3]>,
    /// S_0, kg m².
    second: Mat3,
    /// P_j + P_jᵀ, kg m.
    with_place: Vec<Mat3>,
    /// D_jl by j modes + l, kg.
    between: Vec<Mat3>,
    interfaces: Vec<Interface>,
    /// I, b_j and m_jl at the last place.
    now: Now,
}

#[derive(Clone, Debug, Default)]
struct Now {
    inertia: Mat3,
    coupling: Vec<Vec3>,
    /// ω and η̇ in the axes of the frame.
    spin: Vec3,
    rates: Vec<f64>,
    amplitudes: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Interface {
    body: usize,
    place: Vec3,
    modes: InterfaceModes,
}

/// A row of an interface.
#[derive(Clone, Debug)]
pub struct InterfaceRow {
    /// Which modal body and which interface of it.
    of: [usize; 2],
    what: Demand,
    /// For people.
    pub label: String,
}

#[derive(Clone, Copy, Debug)]
enum Demand {
    /// (14), a component.
    Place(usize),
    /// (15): axis of the interface, axis of the flange.
    Turn(usize, usize),
}

/// A row at an instant.
#[derive(Clone, Debug, Default)]
pub struct EvaluatedRow {
    pub phi: f64,
    pub gamma: f64,
    /// Values in the order of the pattern.
    pub values: Vec<f64>,
}

fn axis(c: usize) -> Vec3 {
    std::array::from_fn(|i| f64::from(u8::from(i == c)))
}

/// Σ m a × b from Σ m a bᵀ.
fn antisymmetric(m: &Mat3) -> Vec3 {
    [m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]]
}

/// tr S 1 − S
fn inertia_of(second: &Mat3) -> Mat3 {
    let trace = second[0][0] + second[1][1] + second[2][2];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| if i == j { trace - second[i][j] } else { -second[i][j] })
    })
}

fn add_to(sum: &mut Mat3, factor: f64, m: &Mat3) {
    for (row, m) in sum.iter_mut().zip(m) {
        *row = axpy(*row, factor, *m);
    }
}

impl ModalFrame {
    fn new(mechanism: &Mechanism, modal: &MechanismModalBody, first: usize) -> Self {
        let basis = modal.basis(mechanism);
        let count = basis.modes.len();
        let [xx, yy, zz, xy, xz, yz] = basis.inertia;
        let second = [
            [0.5 * (yy + zz - xx), -xy, -xz],
            [-xy, 0.5 * (xx + zz - yy), -yz],
            [-xz, -yz, 0.5 * (xx + yy - zz)],
        ];
        let with_place = (0..count).map(|j| {
            // entry (a, i) of P_j
            let p = |a: usize, i: usize| basis.with_place[3 * j + i][a];
            std::array::from_fn(|a| std::array::from_fn(|i| p(a, i) + p(i, a)))
        });
        let size = 3 * count;
        let block = |j: usize, l: usize| -> Mat3 {
            std::array::from_fn(|i| std::array::from_fn(|p| basis.between[(3 * j + i) * size + 3 * l + p]))
        };
        let interfaces = basis.interfaces.iter().zip(&modal.interfaces);
        ModalFrame {
            body: modal.frame,
            first,
            sliders: modal.sliders.clone(),
            second,
            with_place: with_place.collect(),
            between: (0..count).flat_map(|j| (0..count).map(move |l| block(j, l))).collect(),
            interfaces: interfaces
                .map(|(modes, &body)| Interface {
                    body,
                    place: sub(modes.at, basis.com),
                    modes: modes.clone(),
                })
                .collect(),
            now: Now::default(),
        }
    }

    /// All modal bodies of a mechanism.
    pub fn list(mechanism: &Mechanism) -> Vec<Self> {
        let mut first = 0;
        let frame = |modal: &MechanismModalBody| {
            let frame = ModalFrame::new(mechanism, modal, first);
            first += modal.sliders.len();
            frame
        };
        mechanism.modal_bodies.iter().map(frame).collect()
    }

    /// How many modes it has.
    pub fn modes(&self) -> usize {
        self.sliders.len()
    }

    /// The sliders: bodies without coordinates of their own.
    pub fn sliders(&self) -> impl Iterator<Item = usize> + '_ {
        self.sliders.iter().flatten().copied()
    }

    /// Mode and axis of a slider.
    fn slider(&self, body: usize) -> Option<(usize, usize)> {
        let place = self.sliders.iter().flatten().position(|&b| b == body)?;
        Some((place / 3, place % 3))
    }

    /// The mode of a slider; `None` of another body.
    pub fn mode_of(&self, body: usize) -> Option<usize> {
        self.slider(body).map(|(mode, _)| mode)
    }

    fn g(&self, l: usize, j: usize) -> Vec3 {
        antisymmetric(&self.between[l * self.modes() + j])
    }

    /// The poses of the sliders for amplitudes and their rates. The pose of the frame is known.
    pub fn place_sliders(&self, amplitudes: &[f64], rates: &[f64], poses: &mut [Motion]) {
        let frame = poses[self.body];
        for ((mode, &eta), &rate) in self.sliders.iter().zip(amplitudes).zip(rates) {
            for (i, &body) in mode.iter().enumerate() {
                let d = apply(&frame.turned, axis(i));
                let arm = scale(eta, d);
                let v = add(frame.v, axpy(cross(frame.w, arm), rate, d));
                poses[body] = Motion { c: add(frame.c, arm), v, ..frame };
            }
        }
    }

    /// (10) for amplitudes and their rates, and a pose of the frame.
    pub fn evaluate(&mut self, amplitudes: &[f64], rates: &[f64], pose: &Motion) {
        let count = self.modes();
        let mut now = std::mem::take(&mut self.now);
        let mut second = self.second;
        now.coupling.clear();
        for j in 0..count {
            add_to(&mut second, amplitudes[j], &self.with_place[j]);
            let mut coupling = [0.0; 3];
            for l in 0..count {
                add_to(&mut second, amplitudes[j] * amplitudes[l], &self.between[j * count + l]);
                coupling = axpy(coupling, amplitudes[l], self.g(l, j));
            }
            now.coupling.push(coupling);
        }
        now.inertia = inertia_of(&second);
        now.spin = apply_transposed(&pose.turned, pose.w);
        now.rates.clear();
        now.rates.extend(rates);
        now.amplitudes.clear();
        now.amplitudes.extend(amplitudes);
        self.now = now;
    }

    /// I of (10) in world axes.
    pub fn inertia(&self, pose: &Motion) -> Mat3 {
        std::array::from_fn(|r| apply(&pose.turned, apply(&self.now.inertia, pose.turned[r])))
    }

    /// b_j in world axes.
    pub fn coupling(&self, j: usize, pose: &Motion) -> Vec3 {
        apply(&pose.turned, self.now.coupling[j])
    }

    /// m_jl
    pub fn modal_mass(&self, j: usize, l: usize) -> f64 {
        let d = &self.between[j * self.modes() + l];
        d[0][0] + d[1][1] + d[2][2]
    }

    /// The right-hand sides of (12) in world axes and of (13), without M and Q.
    pub fn forces(&self, pose: &Motion, modal: &mut [f64]) -> Vec3 {
        let Now { inertia, coupling, spin: w, rates, amplitudes } = &self.now;
        let count = self.modes();
        let momentum = coupling.iter().zip(rates).fold(apply(inertia, *w), |h, (b, rate)| axpy(h, *rate, *b));
        let mut moment = scale(-1.0, cross(*w, momentum));
        for j in 0..count {
            let mut derivative = self.with_place[j];
            for l in 0..count {
                let d = &self.between[j * count + l];
                add_to(&mut derivative, amplitudes[l], d);
                // D_lj is the transpose of D_jl
                add_to(
                    &mut derivative,
                    amplitudes[l],
                    &std::array::from_fn(|a| std::array::from_fn(|b| d[b][a])),
                );
            }
            let turned = apply(&inertia_of(&derivative), *w);
            moment = axpy(moment, -rates[j], turned);
            let coriolis: f64 = (0..count).map(|l| rates[l] * dot(*w, self.g(l, j))).sum();
            modal[j] = 0.5 * dot(*w, turned) - 2.0 * coriolis;
        }
        apply(&pose.turned, moment)
    }

    /// (11) without ½ m ċ².
    pub fn kinetic(&self) -> f64 {
        let Now { inertia, coupling, spin, rates, .. } = &self.now;
        let mut sum = 0.5 * dot(*spin, apply(inertia, *spin));
        let count = self.modes();
        for j in 0..count {
            sum += rates[j] * dot(*spin, coupling[j]);
            for l in 0..count {
                sum += 0.5 * rates[j] * rates[l] * self.modal_mass(j, l);
            }
        }
        sum
    }

    /// What a wrench on a slider does: to the frame, and to which amplitude how much. `None` of another body.
    pub fn on_slider(&self, pull: &BodyWrench, poses: &[Motion]) -> Option<(Wrench, usize, f64)> {
        let (mode, i) = self.slider(pull.body)?;
        let frame = &poses[self.body];
        let arm = sub(poses[pull.body].c, frame.c);
        let Wrench { force, moment } = pull.wrench;
        let wrench = Wrench { force, moment: add(moment, cross(arm, force)) };
        Some((wrench, mode, dot(force, apply(&frame.turned, axis(i)))))
    }

    /// Velocity of a slider for a rate of the frame and of its amplitude, or with the present rate of the amplitude its acceleration, these being rates of rates. `None` of another body.
    pub fn slider_rate(
        &self,
        body: usize,
        poses: &[Motion],
        of_frame: Twist,
        amplitudes: &[f64],
        present: Option<&[f64]>,
    ) -> Option<Twist> {
        let (mode, i) = self.slider(body)?;
        let frame = &poses[self.body];
        let d = apply(&frame.turned, axis(i));
        let arm = sub(poses[body].c, frame.c);
        let mut v = add(of_frame.v, axpy(cross(of_frame.w, arm), amplitudes[mode], d));
        if let Some(rates) = present {
            v = add(v, cross(frame.w, axpy(cross(frame.w, arm), 2.0 * rates[mode], d)));
        }
        Some(Twist { v, w: of_frame.w })
    }
}

/// The rows of all interfaces.
pub fn rows(mechanism: &Mechanism, frames: &[ModalFrame]) -> Vec<InterfaceRow> {
    let mut list = Vec::new();
    for (f, frame) in frames.iter().enumerate() {
        let name = &mechanism.bodies[frame.body].name;
        for (i, interface) in frame.interfaces.iter().enumerate() {
            let mut push = |what: Demand, label: String| list.push(InterfaceRow { of: [f, i], what, label });
            let of = &interface.modes.name;
            for c in 0..3 {
                push(Demand::Place(c), format!("modal body `{name}`: {} of `{of}`", ["x", "y", "z"][c]));
            }
            for (e, d) in [(1, 2), (2, 0), (0, 1)].into_iter().filter(|_| interface.modes.turns) {
                push(Demand::Turn(e, d), format!("modal body `{name}`: turning of `{of}`"));
            }
        }
    }
    list
}

impl InterfaceRow {
    /// The body of the interface.
    pub fn body(&self, frames: &[ModalFrame]) -> usize {
        frames[self.of[0]].interfaces[self.of[1]].body
    }

    /// Whether it holds turns.
    pub fn holds_turns(&self) -> bool {
        matches!(self.what, Demand::Turn(..))
    }

    /// Its rates: of the frame, of the interface, and the amplitudes.
    pub fn pattern(&self, frames: &[ModalFrame], layout: &Layout) -> RowPattern {
        let frame = &frames[self.of[0]];
        let mut points: Vec<usize> = Vec::new();
        for body in [frame.body, self.body(frames)] {
            points.extend(layout.own_rates(body));
        }
        let first = layout.first_amplitude() + frame.first;
        points.extend(first..first + frame.modes());
        let sure = |k: usize| matches!(self.what, Demand::Place(c) if k == c || k == 6 + c);
        RowPattern { certain: (0..points.len()).map(sure).collect(), points, simplex: None }
    }

    /// Φ, γ and its values; rates of turning are measured at the arm `length`.
    pub fn evaluate(&self, frames: &[ModalFrame], poses: &[Motion], length: f64, out: &mut EvaluatedRow) {
        let frame = &frames[self.of[0]];
        let interface = &frame.interfaces[self.of[1]];
        let (a, b) = (&poses[frame.body], &poses[interface.body]);
        let Now { rates, amplitudes, .. } = &frame.now;
        let sum = |of: &dyn Fn(usize) -> Vec3, by: &[f64]| {
            by.iter().enumerate().fold([0.0; 3], |s, (j, factor)| axpy(s, *factor, of(j)))
        };
        out.values.clear();
        match self.what {
            Demand::Place(c) => {
                let moves = |j: usize| interface.modes.moves[j];
                let arm = apply(&a.turned, add(interface.place, sum(&moves, amplitudes)));
                let slides = apply(&a.turned, sum(&moves, rates));
                // of the node: ω × (ω × arm) + 2 ω × slides
                let bias = cross(a.w, axpy(cross(a.w, arm), 2.0, slides));
                out.phi = b.c[c] - a.c[c] - arm[c];
                out.gamma = bias[c];
                let e = axis(c);
                out.values.extend(scale(-1.0, e));
                out.values.extend(scale(-1.0 / length, cross(arm, e)));
                out.values.extend(e);
                out.values.extend([0.0; 3]);
                out.values.extend((0..rates.len()).map(|j| -apply(&a.turned, moves(j))[c]));
            }
            Demand::Turn(e, d) => {
                let leans = |j: usize| cross(interface.modes.turned[j], axis(d));
                let n = apply(&a.turned, add(axis(d), sum(&leans, amplitudes)));
                let slides = apply(&a.turned, sum(&leans, rates));
                let u = apply(&b.turned, axis(e));
                let (n_dot, u_dot) = (add(cross(a.w, n), slides), cross(b.w, u));
                // rates of n and u without those of rates
                let n_bias = cross(a.w, axpy(cross(a.w, n), 2.0, slides));
                let u_bias = cross(b.w, u_dot);
                out.phi = length * dot(u, n);
                out.gamma = -length * (dot(u, n_bias) + 2.0 * dot(u_dot, n_dot) + dot(u_bias, n));
                // u·(ω_a × n) = ω_a·(n × u), n·(ω_b × u) = ω_b·(u × n); the arm of the turning rates takes L away
                let across = cross(n, u);
                out.values.extend([0.0; 3]);
                out.values.extend(across);
                out.values.extend([0.0; 3]);
                out.values.extend(scale(-1.0, across));
                out.values.extend((0..rates.len()).map(|j| length * dot(u, apply(&a.turned, leans(j)))));
            }
        }
    }
}
