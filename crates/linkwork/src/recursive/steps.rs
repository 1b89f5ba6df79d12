//! Articulated bodies in world axes, step by step.
//!
//! All quantities of a link are expressed in world axes about the reference point o of its group, which coincides with the joint
//! of the group's first link at the instant: inertias are added, never turned, and shifted only where a group ends. With
//! x, y, z the link's axes (z its joint's), p its joint, c its centre of mass from o, and the parent marked k:
//!
//! ```text
//!   (W1)  G = E Rz(ρq);  [x y z] = [x y z]_k G;  p = p_k + [x y z]_k t + σq z
//!   (W2)  S = (ρz, s),  s = ρ p × z + σz;   ω = ω_k + ρz q̇;  v = v_k + s q̇
//!   (W3)  with q̈ = 0:  α = α_k + ω × ρz q̇;  a = a_k + (ω × s + v × ρz) q̇;   on the ground α = 0, a = −g
//!   (W4)  Jc = j33 1 + h1 xᵀ + x h1ᵀ + h2 yᵀ + y h2ᵀ,  h1 = (j11−j33)/2 x + j12 y + j13 z,  h2 = (j22−j33)/2 y + j23 z
//!   (W5)  f = m [a + α × c + ω × (v + ω × c)],   n = Jc α + ω × Jc ω + c × f
//!   (W6)  J = Jc + m (c·c 1 − c cᵀ),  H = [m c]×,  M = m 1
//! ```
//!
//! ρ is the joint's turn and σ its path per unit of q. From the leaves inward,
//!
//! ```text
//!   (W7)  U = (J ρz + H s, Hᵀ ρz + M s);  D = S·U;  u = τ − S·(n, f);  W = U/D
//!         to the parent: (J, H, M) − W Uᵀ and (n, f) + W u
//!   (W8)  outward again:  q̈ = u/D − W·A_k,  A = A_k + S q̈,   A = 0 on the ground
//! ```
//!
//! where A is what the accelerations are beyond those with q̈ = 0.
//!
//! **Links do not wait for divisions.** Taken as they stand, (W7) needs 1/D of a link before U of its parent can be begun. So a link hands its weight B on as it is, with the elimination still
//! to be done, and of the child marked ',
//!
//! ```text
//!   (W12) B = (J, H, M) + B' less W' U'ᵀ of the child's child;   c = U'·S;   U = B S − (c/D') U';   D = S·B S − c (c/D')
//!         u = τ − S·(n, f) − c (u'/D')
//!   (W13) q̈ = u/D − W·A_kk − (W·S_k) q̈_k,   kk: the parent's parent
//! ```
//!
//! where all but the products with c/D' and q̈_k is known beforehand.
//!
//! **A new group** has its reference point at r from the parent's: v and a become v + ω × r, a + α × r, and what is handed
//! inward is expressed about o again:
//!
//! ```text
//!   (W9)  H' = H + [r]× M,   J' = J − H [r]× + [r]× H'ᵀ,   n' = n + r × f
//! ```
//!
//! A common reference point would do for a short tree, but its error grows with the square of the distance. So groups have a bounded depth, and what hangs
//! on a link that slides on the ground begins one: a cart may go far.
//!
//! **A ball joint** begins a group, so that only a 3×3 mass crosses the shared point:
//!
//! ```text
//!   (W10) Ma = M − Hᵀ J⁻¹ H,   fa = f + Hᵀ J⁻¹ (τ − n);   inward: J = H = 0, M = Ma, n = τ, f = fa
//!   (W11) outward: α̂ = J⁻¹ (τ − n) − J⁻¹ H â,   u̇ = α̂ − α̂_k
//! ```
//!
//! Its rate u is the relative angular velocity in world axes: α = α_k, and a loses u × v. **A floating link** is a ball joint
//! on nothing: â = Ma⁻¹ (τ_f − fa), and a = −g − ω × v.

use super::algebra::{Columns, Factor, Symmetric, V};
use super::lane::{Lane, Source};
use super::tree::Constants;
use super::trigonometry::sin_cos;

/// (W1): G, from the constants and q.
#[inline(always)]
pub(super) fn turn<L: Lane, C: Source<L>>(token: L::Token, k: &Constants<C>, q: L) -> Columns<L> {
    let e = Columns::load(token, &k.e);
    let (s, c) = sin_cos(q * k.turn.read(token));
    let [x, y, z] = e.0;
    Columns([x.scale(c).axpy(s, y), y.scale(c).axpy(-s, x), z])
}

/// The rotation of a quaternion (w, x, y, z) of any length.
#[inline(always)]
pub(super) fn rotation<L: Lane>(q: [L; 4]) -> Columns<L> {
    let [w, x, y, z] = q;
    let square = w.mul_add(w, x.mul_add(x, y.mul_add(y, z * z)));
    let two = square.recip() * w.of(2.0);
    let (xs, ys, zs) = (x * two, y * two, z * two);
    let one = w.of(1.0);
    let (xx, yy, zz) = (x * xs, y * ys, z * zs);
    let (xy, xz, yz) = (x * ys, x * zs, y * zs);
    let (wx, wy, wz) = (w * xs, w * ys, w * zs);
    Columns([
        V([one - (yy + zz), xy + wz, xz - wy]),
        V([xy - wz, one - (xx + zz), yz + wx]),
        V([xz + wy, yz - wx, one - (xx + yy)]),
    ])
}

/// (W2): the joint's motion per unit of its rate, (ρz, s).
#[inline(always)]
pub(super) fn motion<L: Lane>(z: V<L>, p: V<L>, turn: L, slide: L) -> [V<L>; 2] {
    let rho_z = z.scale(turn);
    [rho_z, p.cross_add(rho_z, z.scale(slide))]
}

/// (W3): what is added to α and a.
#[inline(always)]
pub(super) fn drift<L: Lane>(w: V<L>, v: V<L>, motion: [V<L>; 2], rate: L) -> [V<L>; 2] {
    let [turn, slide] = motion;
    [w.cross(turn).scale(rate), w.cross_add(slide, v.cross(turn)).scale(rate)]
}

/// (W5) and (W6) of a link alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<L> {
    pub j: Symmetric<L>,
    pub mc: V<L>,
    pub n: V<L>,
    pub f: V<L>,
}

/// Inertia and forces of a link and of all that hangs on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight<L> {
    pub j: Symmetric<L>,
    pub h: Columns<L>,
    pub m: Symmetric<L>,
    pub n: V<L>,
    pub f: V<L>,
}

/// How a link moves: frame, joint, velocities, accelerations with q̈ = 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion<L> {
    pub frame: Columns<L>,
    pub p: V<L>,
    pub w: V<L>,
    pub v: V<L>,
    pub al: V<L>,
    pub a: V<L>,
}

/// (W4) to (W6). Also returns c.
#[inline(always)]
pub(super) fn weigh<L: Lane, C: Source<L>>(
    token: L::Token,
    k: &Constants<C>,
    at: &Motion<L>,
) -> (Body<L>, V<L>) {
    let [x, y, z] = at.frame.0;
    let mass = k.mass.read(token);
    let c = at.frame.times_add(V::load(token, &k.c), at.p);
    let Symmetric(j) = Symmetric::load(token, &k.j);
    let h1 = x.scale(j[1]).axpy(j[2], y).axpy(j[3], z);
    let h2 = y.scale(j[4]).axpy(j[5], z);
    // twice the diagonal of h1 xᵀ + h2 yᵀ, and both halves off it
    let twice = |k: usize| {
        let sum = h1.0[k].mul_add(x.0[k], h2.0[k] * y.0[k]);
        (sum + sum) + j[0]
    };
    let mixed = |i: usize, k: usize| {
        let sum = h1.0[i].mul_add(x.0[k], h1.0[k] * x.0[i]);
        h2.0[i].mul_add(y.0[k], h2.0[k].mul_add(y.0[i], sum))
    };
    let jc = Symmetric([twice(0), mixed(0, 1), mixed(0, 2), twice(1), mixed(1, 2), twice(2)]);
    let (w, v) = (at.w, at.v);
    let f = w.cross_add(w.cross_add(c, v), at.al.cross_add(c, at.a)).scale(mass);
    let n = c.cross_add(f, w.cross_add(jc.times(w), jc.times(at.al)));
    let mc = c.scale(mass);
    let [mx, my, mz] = mc.0;
    let [cx, cy, cz] = c.0;
    let (xx, yy, zz) = (mx * cx, my * cy, mz * cz);
    let [jxx, jxy, jxz, jyy, jyz, jzz] = jc.0;
    let j = Symmetric([
        jxx + (yy + zz),
        mx.mul_sub(cy, jxy),
        mx.mul_sub(cz, jxz),
        jyy + (xx + zz),
        my.mul_sub(cz, jyz),
        jzz + (xx + yy),
    ]);
    (Body { j, mc, n, f }, c)
}

impl<L: Lane> Body<L> {
    /// With H and M of (W6).
    #[inline(always)]
    pub fn weight(&self, mass: L) -> Weight<L> {
        let [mx, my, mz] = self.mc.0;
        let zero = mass.of(0.0);
        Weight {
            j: self.j,
            h: Columns([V([zero, mz, -my]), V([-mz, zero, mx]), V([my, -mx, zero])]),
            m: Symmetric([mass, zero, zero, mass, zero, mass]),
            n: self.n,
            f: self.f,
        }
    }

    /// The sum with what hangs on it.
    #[inline(always)]
    pub fn plus(&self, mass: L, b: &Weight<L>) -> Weight<L> {
        let [mx, my, mz] = self.mc.0;
        let [V(h0), V(h1), V(h2)] = b.h.0;
        let m = b.m.0;
        Weight {
            j: self.j.plus(&b.j),
            h: Columns([
                V([h0[0], h0[1] + mz, h0[2] - my]),
                V([h1[0] - mz, h1[1], h1[2] + mx]),
                V([h2[0] + my, h2[1] - mx, h2[2]]),
            ]),
            m: Symmetric([m[0] + mass, m[1], m[2], m[3] + mass, m[4], m[5] + mass]),
            n: self.n + b.n,
            f: self.f + b.f,
        }
    }
}

impl<L: Lane> Weight<L> {
    /// Nothing.
    #[inline(always)]
    pub fn zero(token: L::Token) -> Self {
        let zero = V::splat(token, [0.0; 3]);
        let symmetric = Symmetric([L::splat(token, 0.0); 6]);
        Weight { j: symmetric, h: Columns([zero; 3]), m: symmetric, n: zero, f: zero }
    }

    /// The sum.
    #[inline(always)]
    pub fn plus(&self, b: &Self) -> Self {
        Weight {
            j: self.j.plus(&b.j),
            h: Columns([self.h.0[0] + b.h.0[0], self.h.0[1] + b.h.0[1], self.h.0[2] + b.h.0[2]]),
            m: self.m.plus(&b.m),
            n: self.n + b.n,
            f: self.f + b.f,
        }
    }
}

/// What is kept of the elimination of an axis: W, u/D and 1/D.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisSolution<L> {
    pub w: [V<L>; 2],
    pub rate: L,
    pub inverse: L,
}

/// What a link hands to its parent: a weight from which its axis has still to be eliminated, U, and what is kept of the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handed<L> {
    pub weight: Weight<L>,
    pub u: [V<L>; 2],
    pub kept: AxisSolution<L>,
}

impl<L: Lane> Handed<L> {
    /// A weight without an axis to be eliminated.
    #[inline(always)]
    pub fn plain(token: L::Token, weight: Weight<L>) -> Self {
        let zero = L::splat(token, 0.0);
        let none = [V([zero; 3]); 2];
        Handed { weight, u: none, kept: AxisSolution { w: none, rate: zero, inverse: zero } }
    }

    /// (W7): the weight without the axis.
    #[inline(always)]
    pub fn eliminated(&self) -> Weight<L> {
        self.eliminated_from(&self.weight)
    }

    /// The same of a weight that the link's own is a part of.
    #[inline(always)]
    pub fn eliminated_from(&self, at: &Weight<L>) -> Weight<L> {
        let ([turning, sliding], AxisSolution { w, rate, .. }) = (self.u, self.kept);
        let less = |k: usize| at.h.0[k].axpy(-sliding.0[k], w[0]);
        Weight {
            j: at.j.less_product(w[0], turning),
            h: Columns([less(0), less(1), less(2)]),
            m: at.m.less_product(w[1], sliding),
            n: at.n.axpy(rate, turning),
            f: at.f.axpy(rate, sliding),
        }
    }

    /// (W7) of the parent by (W12), with its own weight added to what is handed: what it hands on, and what is kept.
    #[inline(always)]
    pub fn next(&self, at: &Weight<L>, motion: [V<L>; 2], force: L, spare: L) -> Self {
        let [turn, slide] = motion;
        // sums are split so that few operations follow each other
        let turning = at.h.times(slide) + at.j.times(turn);
        let sliding = at.h.transposed_times(turn) + at.m.times(slide);
        let both = |[a, b]: [V<L>; 2], c: L| {
            let ([t0, t1, t2], [s0, s1, s2]) = (turn.0, slide.0);
            let ([u0, u1, u2], [v0, v1, v2]) = (a.0, b.0);
            (t1.mul_add(u1, t0 * u0) + s1.mul_add(v1, s0 * v0)) + s2.mul_add(v2, t2.mul_add(u2, c))
        };
        let d = both([turning, sliding], spare);
        let c = both(self.u, spare.of(0.0));
        let rest = (force - turn.dot(at.n)) - slide.dot(at.f);
        // from here on the child's 1/D is waited for
        let k = c * self.kept.inverse;
        let u = [turning.axpy(-k, self.u[0]), sliding.axpy(-k, self.u[1])];
        let inverse = c.mul_sub(k, d).recip();
        let rest = c.mul_sub(self.kept.rate, rest);
        let kept =
            AxisSolution { w: [u[0].scale(inverse), u[1].scale(inverse)], rate: rest * inverse, inverse };
        Handed { weight: self.eliminated_from(at), u, kept }
    }
}

/// What is kept of the elimination of a ball joint: J⁻¹ H by columns, J⁻¹ (τ − n).
#[derive(Clone, Copy, Debug)]
pub(super) struct BallSolution<L> {
    pub k: Columns<L>,
    pub rate: V<L>,
    pub factor: Factor<L>,
}

/// (W10): the mass and the force that cross the joint, and what is kept.
#[inline(always)]
pub(super) fn eliminate_ball<L: Lane>(
    at: &Weight<L>,
    moment: V<L>,
    spare: Option<Symmetric<L>>,
) -> (Symmetric<L>, V<L>, BallSolution<L>) {
    let j = match spare {
        None => at.j,
        Some(spare) => at.j.plus(&spare),
    };
    let factor = j.factor();
    // with Y = L⁻¹ H and J = L D Lᵀ: Hᵀ J⁻¹ H = Yᵀ D⁻¹ Y, which needs half a solution only
    // (spelled out: what goes through `map` is not always inlined, and has no wide instructions then)
    let [h0, h1, h2] = at.h.0;
    let y = [factor.lower(h0), factor.lower(h1), factor.lower(h2)];
    let scaled = [factor.scale(y[0]), factor.scale(y[1]), factor.scale(y[2])];
    let m = at.m.0;
    let less = |i: usize, j: usize, m: L| m - y[i].dot(scaled[j]);
    let mass = Symmetric([
        less(0, 0, m[0]),
        less(0, 1, m[1]),
        less(0, 2, m[2]),
        less(1, 1, m[3]),
        less(1, 2, m[4]),
        less(2, 2, m[5]),
    ]);
    let rest = factor.lower(moment - at.n);
    let force = at.f + V([scaled[0].dot(rest), scaled[1].dot(rest), scaled[2].dot(rest)]);
    let k = Columns([factor.upper(scaled[0]), factor.upper(scaled[1]), factor.upper(scaled[2])]);
    let rate = factor.upper(factor.scale(rest));
    (mass, force, BallSolution { k, rate, factor })
}

/// [r]× M by columns.
#[inline(always)]
fn cross_columns<L: Lane>(r: V<L>, m: &Symmetric<L>) -> Columns<L> {
    Columns([r.cross(m.column(0)), r.cross(m.column(1)), r.cross(m.column(2))])
}

/// (W9) for a mass at r that nothing else comes with.
#[inline(always)]
pub(super) fn shift_mass<L: Lane>(mass: Symmetric<L>, n: V<L>, f: V<L>, r: V<L>) -> Weight<L> {
    let h = cross_columns(r, &mass);
    // [r]× H'ᵀ: column j of H'ᵀ is row j of H'
    let row = |j: usize| V([h.0[0].0[j], h.0[1].0[j], h.0[2].0[j]]);
    let columns = [r.cross(row(0)), r.cross(row(1)), r.cross(row(2))];
    let j = Symmetric([
        columns[0].0[0],
        columns[0].0[1],
        columns[0].0[2],
        columns[1].0[1],
        columns[1].0[2],
        columns[2].0[2],
    ]);
    Weight { j, h, m: mass, n: r.cross_add(f, n), f }
}

/// (W9): a weight about a reference point that lies at r, expressed about the one before.
#[inline(always)]
pub(super) fn shift<L: Lane>(at: &Weight<L>, r: V<L>) -> Weight<L> {
    let rm = cross_columns(r, &at.m);
    let h = Columns([at.h.0[0] + rm.0[0], at.h.0[1] + rm.0[1], at.h.0[2] + rm.0[2]]);
    let row = |j: usize| V([h.0[0].0[j], h.0[1].0[j], h.0[2].0[j]]);
    let right = [r.cross(row(0)), r.cross(row(1)), r.cross(row(2))];
    // −H [r]×: column j is −H (r × e_j)
    let [rx, ry, rz] = r.0;
    let zero = rx.of(0.0);
    let left =
        [at.h.times(V([zero, -rz, ry])), at.h.times(V([rz, zero, -rx])), at.h.times(V([-ry, rx, zero]))];
    let entry = |i: usize, j: usize, old: L| (old + left[j].0[i]) + right[j].0[i];
    let [jxx, jxy, jxz, jyy, jyz, jzz] = at.j.0;
    let j = Symmetric([
        entry(0, 0, jxx),
        entry(0, 1, jxy),
        entry(0, 2, jxz),
        entry(1, 1, jyy),
        entry(1, 2, jyz),
        entry(2, 2, jzz),
    ]);
    Weight { j, h, m: at.m, n: r.cross_add(at.f, at.n), f: at.f }
}
