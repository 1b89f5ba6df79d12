//! How the forces of inverse dynamics change with the motion: the steps behind [`super::Derivatives`].
//!
//! A rate e moves a link and all that hangs on it with the twist S_e = (ω_e, s_e). Let V_k, A_k be velocity and acceleration (gravity
//! included) of the link before its joint, × the product of twists, (a, b) × (c, d) = (a × c, a × d + b × c), and ×* that of a twist and a wrench,
//! (a, b) ×* (n, f) = (a × n + b × f, a × f). Displaced by e, everything that hangs on the joint is carried along, and what is seen
//! from there differs only in how the ground and the world's axes pass by:
//!
//! ```text
//!   (D1)  Ψ̇ = V_k × S,   Ψ̈ = A_k × S + V_k × Ψ̇;     of an axis also Ψ̇ = V × S, Ψ̈ = A × S + V × Ψ̇ with its own V and A
//!   (D2)  seen from the links:  δV = Ψ̇,  δA = Ψ̈ − V × Ψ̇;   for a unit of the rate:  δV = S,  δA = Z − V × S,  Z = Ṡ + Ψ̇
//!   (D3)  δF = I δA + δV ×* I V + V ×* I δV = I Ψ̈ + B Ψ̇  and  I Z + B S
//! ```
//!
//! B, which [carpentier2018] keeps as a 6×6 matrix, needs little: summed over particles it is the moment of 2m ω' × ṙ, so that
//! with momentum l and angular momentum k about the reference point, and the rate of J there,
//!
//! ```text
//!   (D4)  B (ω', s') = (J̇ ω' − k × ω', 2 ω' × l),   J̇ = [ω]× J − J [ω]× + 2 (v·mc) 1 − v mcᵀ − mc vᵀ
//! ```
//!
//! Twelve numbers that add up over links like inertias do; a new reference point at r changes J̇ by 2 (r·l) 1 − r lᵀ − l rᵀ and k by r × l.
//! With I, B and F of a link and all that hangs on it, for a rate d there and a rate a on its way to the ground,
//!
//! ```text
//!   (D5)  P = I S,   Q = J̇ ω + k × ω + 2 l × s,   X = I Ψ̈ + B Ψ̇ + S ×* F,   Y = I Z + B S      (of d)
//!   (D6)  ∂τ_d/∂q_a = P·Ψ̈_a + Q·ω(Ψ̇_a),   ∂τ_d/∂u_a = P·Z_a + Q·ω_a,   ∂τ_a/∂q_d = X·S_a,   ∂τ_a/∂u_d = Y·S_a
//! ```
//!
//! **World axes.** Rates, accelerations and forces of ball joints and floating links are expressed in world axes, which are not carried along. Seen
//! from the links, a displacement by e turns them by −ω_e; and a velocity δV of the ground turns them at the rate −δω. So with j all such joints that e moves, its own
//! included, and b running over vectors of three rates of j,
//!
//! ```text
//!   (D7)  c1_d = Σ M_db × u_b,                      ∂τ_d/∂u_e += c1_d · ω_e
//!   (D8)  c2_d = Σ ∂τ_d/∂u_b × u_b + M_db × u̇_b,    ∂τ_d/∂q_e += c2_d · ω_e + c1_d · ω(Ψ̇_e),   for d in j also ω_e × τ_j
//! ```
//!
//! Both are sums over what hangs on a link: O(1) for each pair of rates.

use super::algebra::{Symmetric, V};
use super::lane::{Lane, Many, PACK, Pack, Part, Picked, Sink, Source};
use super::mass_matrix::{Composite, add_moment};
use super::posture::parts;
use pulp::Simd;

/// A twist or a wrench.
pub(super) type Six<L> = [V<L>; 2];

/// (a, b) × (c, d)
#[inline(always)]
pub(super) fn twist_cross<L: Lane>([a, b]: Six<L>, [c, d]: Six<L>) -> Six<L> {
    [a.cross(c), a.cross_add(d, b.cross(c))]
}

#[inline(always)]
pub(super) fn six_plus<L: Lane>([a, b]: Six<L>, [c, d]: Six<L>) -> Six<L> {
    [a + c, b + d]
}

/// The motions of eight rates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passing {
    /// S
    pub s: [[Pack; 3]; 2],
    /// Ψ̇
    pub psi: [[Pack; 3]; 2],
    /// Z
    pub z: [[Pack; 3]; 2],
    /// Ψ̈
    pub psi2: [[Pack; 3]; 2],
}

#[inline(always)]
pub(super) fn load_six<L: Lane, C: Source<L>>(token: L::Token, cells: &[[C; 3]; 2]) -> Six<L> {
    [V::load(token, &cells[0]), V::load(token, &cells[1])]
}

#[inline(always)]
pub(super) fn store_six<L: Lane, C: Sink<L>>(token: L::Token, [a, b]: Six<L>, cells: &mut [[C; 3]; 2]) {
    a.store(token, &mut cells[0]);
    b.store(token, &mut cells[1]);
}

/// What is summed over links: inertia, its rate and momentum, and the wrench.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load<L> {
    pub inertia: Composite<L>,
    pub rate: Symmetric<L>,
    /// k, l
    pub momentum: Six<L>,
    /// n, f
    pub wrench: Six<L>,
}

/// The same in storage; the mass is the tree's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored<C> {
    pub mass: C,
    pub mc: [C; 3],
    pub j: [C; 6],
    pub rate: [C; 6],
    pub momentum: [[C; 3]; 2],
    pub wrench: [[C; 3]; 2],
}

impl<C> Stored<C> {
    #[inline(always)]
    pub fn load<L: Lane>(&self, token: L::Token) -> Load<L>
    where
        C: Source<L>,
    {
        Load {
            inertia: Composite {
                mass: self.mass.read(token),
                mc: V::load(token, &self.mc),
                j: Symmetric::load(token, &self.j),
            },
            rate: Symmetric::load(token, &self.rate),
            momentum: load_six(token, &self.momentum),
            wrench: load_six(token, &self.wrench),
        }
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, token: L::Token, x: &Load<L>)
    where
        C: Sink<L>,
    {
        self.mass.write(token, x.inertia.mass);
        x.inertia.mc.store(token, &mut self.mc);
        x.inertia.j.store(token, &mut self.j);
        x.rate.store(token, &mut self.rate);
        store_six(token, x.momentum, &mut self.momentum);
        store_six(token, x.wrench, &mut self.wrench);
    }
}

impl<L: Lane> Load<L> {
    #[inline(always)]
    pub fn zero(token: L::Token) -> Self {
        let zero = V::splat(token, [0.0; 3]);
        let inertia = Composite::zero(token);
        Load { inertia, rate: inertia.j, momentum: [zero; 2], wrench: [zero; 2] }
    }

    /// A link alone: inertia and wrench, and (D4) for its velocity.
    #[inline(always)]
    pub fn of_link(inertia: Composite<L>, [w, v]: Six<L>, wrench: Six<L>) -> Self {
        let j = &inertia.j;
        let turned = [w.cross(j.column(0)), w.cross(j.column(1)), w.cross(j.column(2))];
        let both = |i: usize, k: usize| turned[k].0[i] + turned[i].0[k];
        let rate = Symmetric([both(0, 0), both(0, 1), both(0, 2), both(1, 1), both(1, 2), both(2, 2)]);
        let rate = add_moment(&rate, v, inertia.mc);
        Load { momentum: inertia.times([w, v]), inertia, rate, wrench }
    }

    #[inline(always)]
    pub fn plus(&self, b: &Self) -> Self {
        Load {
            inertia: self.inertia.plus(&b.inertia),
            rate: Symmetric(std::array::from_fn(|k| self.rate.0[k] + b.rate.0[k])),
            momentum: six_plus(self.momentum, b.momentum),
            wrench: six_plus(self.wrench, b.wrench),
        }
    }

    /// About the reference point before, from which this one is at r.
    #[inline(always)]
    pub fn shift(&self, r: V<L>) -> Self {
        let ([k, l], [n, f]) = (self.momentum, self.wrench);
        Load {
            inertia: self.inertia.shift(r),
            rate: add_moment(&self.rate, r, l),
            momentum: [r.cross_add(l, k), l],
            wrench: [r.cross_add(f, n), f],
        }
    }

    /// (D4)
    #[inline(always)]
    pub fn coriolis(&self, w: V<L>) -> Six<L> {
        let [k, l] = self.momentum;
        [w.cross_add(k, self.rate.times(w)), (w + w).cross(l)]
    }
}

/// (D5) of a rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach<L> {
    pub p: Six<L>,
    pub q: V<L>,
    pub x: Six<L>,
    pub y: Six<L>,
}

impl<L: Lane> Reach<L> {
    #[inline(always)]
    pub fn new(load: &Load<L>, s: Six<L>, psi: Six<L>, z: Six<L>, psi2: Six<L>) -> Self {
        let ([k, l], [n, f]) = (load.momentum, load.wrench);
        let [w, v] = s;
        let q = k.cross_add(w, (l + l).cross_add(v, load.rate.times(w)));
        let pushed = [w.cross_add(n, v.cross(f)), w.cross(f)];
        let x = six_plus(six_plus(load.inertia.times(psi2), load.coriolis(psi[0])), pushed);
        let y = six_plus(load.inertia.times(z), load.coriolis(w));
        Reach { p: load.inertia.times(s), q, x, y }
    }

    /// About the reference point before.
    #[inline(always)]
    pub fn shift(&mut self, r: V<L>) {
        for [n, f] in [&mut self.p, &mut self.x, &mut self.y] {
            *n = r.cross_add(*f, *n);
        }
    }
}

/// (D6) for a pack of rates a: by rows ∂τ_d/∂q_a, ∂τ_d/∂u_a, M_da, and ∂τ_a/∂q_d, ∂τ_a/∂u_d.
#[inline(always)]
pub(super) fn meet<S: Simd, const FUSED: bool>(
    simd: S,
    passing: &Passing,
    reach: &Reach<Picked<FUSED>>,
) -> [Pack; 5] {
    let mut out = [Pack::default(); 5];
    for token in parts(simd) {
        let one = |x: Picked<FUSED>| Many::<S>::splat(token, x.0);
        let same = |V([x, y, z]): V<Picked<FUSED>>| V([one(x), one(y), one(z)]);
        let both = |[n, f]: Six<Picked<FUSED>>| [same(n), same(f)];
        let dot = |[a, b]: Six<Many<S>>, [c, d]: Six<Many<S>>| a.dot(c) + b.dot(d);
        let s: Six<Many<S>> = load_six(token, &passing.s);
        let (p, q) = (both(reach.p), same(reach.q));
        let by_q = dot(p, load_six(token, &passing.psi2)) + q.dot(V::load(token, &passing.psi[0]));
        let by_u = dot(p, load_six(token, &passing.z)) + q.dot(s[0]);
        out[0].write(token, by_q);
        out[1].write(token, by_u);
        out[2].write(token, dot(p, s));
        out[3].write(token, dot(both(reach.x), s));
        out[4].write(token, dot(both(reach.y), s));
    }
    out
}

/// The motions of an axis, from its own velocity and acceleration.
#[inline(always)]
pub(super) fn pass_axis<S: Simd>(
    token: Part<S>,
    s: Six<Many<S>>,
    v: Six<Many<S>>,
    a: Six<Many<S>>,
    to: &mut Passing,
) {
    let psi = twist_cross(v, s);
    store_six(token, s, &mut to.s);
    store_six(token, psi, &mut to.psi);
    store_six(token, six_plus(psi, psi), &mut to.z);
    store_six(token, six_plus(twist_cross(a, s), twist_cross(v, psi)), &mut to.psi2);
}

/// Copies the motions of one rate.
#[inline(always)]
pub(super) fn copy_passing(from: &Passing, lane: usize, to: &mut Passing, to_lane: usize) {
    let pairs =
        [(&from.s, &mut to.s), (&from.psi, &mut to.psi), (&from.z, &mut to.z), (&from.psi2, &mut to.psi2)];
    for (from, to) in pairs {
        for h in 0..2 {
            for k in 0..3 {
                to[h][k].0[to_lane % PACK] = from[h][k].0[lane % PACK];
            }
        }
    }
}
