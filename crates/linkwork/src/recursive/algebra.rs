//! Vectors and matrices of lanes.

use super::lane::{Lane, Sink, Source};
use std::ops::{Add, Neg, Sub};

/// A vector.
#[derive(Clone, Copy, Debug)]
pub struct V<L>(pub [L; 3]);

impl<L: Lane> Add for V<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        V([self.0[0] + b.0[0], self.0[1] + b.0[1], self.0[2] + b.0[2]])
    }
}

impl<L: Lane> Sub for V<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        V([self.0[0] - b.0[0], self.0[1] - b.0[1], self.0[2] - b.0[2]])
    }
}

impl<L: Lane> Neg for V<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.0;
        V([-x, -y, -z])
    }
}

impl<L: Lane> V<L> {
    /// The same vector in all lanes.
    #[inline(always)]
    pub fn splat(token: L::Token, v: [f64; 3]) -> Self {
        V([L::splat(token, v[0]), L::splat(token, v[1]), L::splat(token, v[2])])
    }

    /// From storage.
    #[inline(always)]
    pub fn load<C: Source<L>>(token: L::Token, cells: &[C; 3]) -> Self {
        V([cells[0].read(token), cells[1].read(token), cells[2].read(token)])
    }

    /// To storage.
    #[inline(always)]
    pub fn store<C: Sink<L>>(self, token: L::Token, cells: &mut [C; 3]) {
        for k in 0..3 {
            cells[k].write(token, self.0[k]);
        }
    }

    /// k self
    #[inline(always)]
    pub fn scale(self, k: L) -> Self {
        let [x, y, z] = self.0;
        V([x * k, y * k, z * k])
    }

    /// self + k b
    #[inline(always)]
    pub fn axpy(self, k: L, b: Self) -> Self {
        let (V(a), V(b)) = (self, b);
        V([b[0].mul_add(k, a[0]), b[1].mul_add(k, a[1]), b[2].mul_add(k, a[2])])
    }

    /// self · b
    #[inline(always)]
    pub fn dot(self, b: Self) -> L {
        let (V(a), V(b)) = (self, b);
        a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
    }

    /// c − self · b
    #[inline(always)]
    pub fn less_dot(self, b: Self, c: L) -> L {
        let (V(a), V(b)) = (self, b);
        a[2].mul_sub(b[2], a[1].mul_sub(b[1], a[0].mul_sub(b[0], c)))
    }

    /// self × b
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        let (V(a), V(b)) = (self, b);
        V([a[2].mul_sub(b[1], a[1] * b[2]), a[0].mul_sub(b[2], a[2] * b[0]), a[1].mul_sub(b[0], a[0] * b[1])])
    }

    /// c + self × b
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        let (V(a), V(b), V(c)) = (self, b, c);
        V([
            a[2].mul_sub(b[1], a[1].mul_add(b[2], c[0])),
            a[0].mul_sub(b[2], a[2].mul_add(b[0], c[1])),
            a[1].mul_sub(b[0], a[0].mul_add(b[1], c[2])),
        ])
    }
}

/// Three columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns<L>(pub [V<L>; 3]);

impl<L: Lane> Columns<L> {
    /// From storage.
    #[inline(always)]
    pub fn load<C: Source<L>>(token: L::Token, cells: &[[C; 3]; 3]) -> Self {
        Columns([V::load(token, &cells[0]), V::load(token, &cells[1]), V::load(token, &cells[2])])
    }

    /// To storage.
    #[inline(always)]
    pub fn store<C: Sink<L>>(self, token: L::Token, cells: &mut [[C; 3]; 3]) {
        for k in 0..3 {
            self.0[k].store(token, &mut cells[k]);
        }
    }

    /// self · v
    #[inline(always)]
    pub fn times(&self, v: V<L>) -> V<L> {
        let [x, y, z] = self.0;
        x.scale(v.0[0]).axpy(v.0[1], y).axpy(v.0[2], z)
    }

    /// a + self · v
    #[inline(always)]
    pub fn times_add(&self, v: V<L>, a: V<L>) -> V<L> {
        let [x, y, z] = self.0;
        a.axpy(v.0[0], x).axpy(v.0[1], y).axpy(v.0[2], z)
    }

    /// selfᵀ · v
    #[inline(always)]
    pub fn transposed_times(&self, v: V<L>) -> V<L> {
        V([self.0[0].dot(v), self.0[1].dot(v), self.0[2].dot(v)])
    }

    /// self · b
    #[inline(always)]
    pub fn product(&self, b: &Self) -> Self {
        Columns([self.times(b.0[0]), self.times(b.0[1]), self.times(b.0[2])])
    }
}

/// A symmetric matrix: xx, xy, xz, yy, yz, zz.
#[derive(Clone, Copy, Debug)]
pub struct Symmetric<L>(pub [L; 6]);

impl<L: Lane> Symmetric<L> {
    /// From storage.
    #[inline(always)]
    pub fn load<C: Source<L>>(token: L::Token, cells: &[C; 6]) -> Self {
        let [a, b, c, d, e, f] = cells;
        Symmetric([a.read(token), b.read(token), c.read(token), d.read(token), e.read(token), f.read(token)])
    }

    /// To storage.
    #[inline(always)]
    pub fn store<C: Sink<L>>(self, token: L::Token, cells: &mut [C; 6]) {
        for k in 0..6 {
            cells[k].write(token, self.0[k]);
        }
    }

    /// The sum.
    #[inline(always)]
    pub fn plus(&self, b: &Self) -> Self {
        let (a, b) = (&self.0, &b.0);
        Symmetric([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]])
    }

    /// Column k.
    #[inline(always)]
    pub fn column(&self, k: usize) -> V<L> {
        let m = &self.0;
        V(match k {
            0 => [m[0], m[1], m[2]],
            1 => [m[1], m[3], m[4]],
            _ => [m[2], m[4], m[5]],
        })
    }

    /// self · v
    #[inline(always)]
    pub fn times(&self, v: V<L>) -> V<L> {
        self.column(0).scale(v.0[0]).axpy(v.0[1], self.column(1)).axpy(v.0[2], self.column(2))
    }

    /// a + self · v
    #[inline(always)]
    pub fn times_add(&self, v: V<L>, a: V<L>) -> V<L> {
        a.axpy(v.0[0], self.column(0)).axpy(v.0[1], self.column(1)).axpy(v.0[2], self.column(2))
    }

    /// self − a bᵀ, which is known to be symmetric.
    #[inline(always)]
    pub fn less_product(&self, a: V<L>, b: V<L>) -> Self {
        let (V(a), V(b), m) = (a, b, &self.0);
        Symmetric([
            a[0].mul_sub(b[0], m[0]),
            a[0].mul_sub(b[1], m[1]),
            a[0].mul_sub(b[2], m[2]),
            a[1].mul_sub(b[1], m[3]),
            a[1].mul_sub(b[2], m[4]),
            a[2].mul_sub(b[2], m[5]),
        ])
    }

    /// L D Lᵀ with unit L. The pivots are worked out as fractions, so that all three divisions go on at once.
    #[inline(always)]
    pub fn factor(&self) -> Factor<L> {
        let [a, b, c, d, e, f] = self.0;
        // a times the matrix that is left without the first row, and a² a' times the last pivot
        let (d, e, f) = (b.mul_sub(b, a * d), b.mul_sub(c, a * e), c.mul_sub(c, a * f));
        let last = e.mul_sub(e, d * f);
        let (i0, i1, i2) = (a.recip(), d.recip(), last.recip());
        Factor { below: [b * i0, c * i0, e * i1], inverse: [i0, a * i1, (a * d) * i2] }
    }
}

/// L D Lᵀ: what stands below the ones of L, and 1/D.
#[derive(Clone, Copy, Debug)]
pub struct Factor<L> {
    /// l10, l20, l21
    pub below: [L; 3],
    /// 1/D
    pub inverse: [L; 3],
}

impl<L: Lane> Factor<L> {
    /// L⁻¹ b
    #[inline(always)]
    pub fn lower(&self, b: V<L>) -> V<L> {
        let [l10, l20, l21] = self.below;
        let V([b0, b1, b2]) = b;
        let y1 = l10.mul_sub(b0, b1);
        V([b0, y1, l21.mul_sub(y1, l20.mul_sub(b0, b2))])
    }

    /// D⁻¹ y
    #[inline(always)]
    pub fn scale(&self, y: V<L>) -> V<L> {
        V([y.0[0] * self.inverse[0], y.0[1] * self.inverse[1], y.0[2] * self.inverse[2]])
    }

    /// L⁻ᵀ x
    #[inline(always)]
    pub fn upper(&self, x: V<L>) -> V<L> {
        let [l10, l20, l21] = self.below;
        let V([x0, x1, x2]) = x;
        let x1 = l21.mul_sub(x2, x1);
        V([l10.mul_sub(x1, l20.mul_sub(x2, x0)), x1, x2])
    }

    /// The solution for a right-hand side.
    #[inline(always)]
    pub fn solve(&self, b: V<L>) -> V<L> {
        self.upper(self.scale(self.lower(b)))
    }
}
