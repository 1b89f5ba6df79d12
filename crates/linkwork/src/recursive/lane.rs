//! The numbers that the kernels of this folder work on: one `f64`, or as many as a register of the machine holds.
//!
//! A kernel is written once over a [`Lane`]. With [`One`] it solves one mechanism link by link; with [`Many`] the lanes are
//! eight neighbouring links of one mechanism, or eight variants of one link. Every operation is the same operation of IEEE
//! arithmetic in each lane, and whether a product and a sum are rounded once or twice depends on the machine, never on the
//! lane type: all kernels give the same bits on one machine.
//!
//! Which instructions there are is found out when the program runs: [`pulp`] holds the detection and the intrinsics.

use pulp::Simd;
use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// Numbers in a [`Pack`].
pub const PACK: usize = 8;

/// Eight numbers in a row, the unit of storage of everything that is worked on in lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Pack(pub [f64; PACK]);

impl Default for Pack {
    fn default() -> Self {
        Pack([0.0; PACK])
    }
}

/// A number, or several that are worked on alike.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// What it takes to make one: the instruction set, and which part of a pack is meant.
    type Token: Copy;
    /// Where it is stored.
    type Cell: Sink<Self> + Copy + Default + Debug + Send + Sync;
    /// What coordinates, rates and forces come in, and what is not kept by link.
    type Number: Sink<Self> + Copy + Default + Debug + Send + Sync;

    /// Where link i is stored: the index of its cells, and the token that reads them.
    #[inline(always)]
    fn at(token: Self::Token, i: usize) -> (usize, Self::Token) {
        (i, token)
    }
    /// The same number in all lanes.
    fn splat(token: Self::Token, x: f64) -> Self;
    /// A constant in all lanes, made from this number's token.
    fn of(self, x: f64) -> Self;
    /// self · b + c
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// c − self · b
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// self / b
    fn over(self, b: Self) -> Self;
    /// 1 / self
    #[inline(always)]
    fn recip(self) -> Self {
        self.of(1.0).over(self)
    }
    /// √self
    fn sqrt(self) -> Self;
    /// |self|
    fn abs(self) -> Self;
    /// self < bound ? yes : no
    fn pick_less(self, bound: Self, yes: Self, no: Self) -> Self;
    /// Replaces the lanes of (a, b) whose number here is not below the bound by what `f` says of that number.
    fn mend(self, bound: f64, a: &mut Self, b: &mut Self, f: impl Fn(f64) -> (f64, f64));
}

/// Something stored that a lane can be read from: a cell of its own, or one number for all lanes.
pub trait Source<L: Lane> {
    /// The value.
    fn read(&self, token: L::Token) -> L;
}

/// Something that a lane can be stored in.
pub trait Sink<L: Lane>: Source<L> {
    /// Stores a value.
    fn write(&mut self, token: L::Token, value: L);
}

/// One number. `FUSED`: the machine multiplies and adds with one rounding.
#[derive(Clone, Copy, Debug)]
pub struct One<const FUSED: bool>(pub f64);

macro_rules! single {
    ($name:ident, $cell:ty, $token:ty) => {
        single!($name, Add, add, +);
        single!($name, Sub, sub, -);
        single!($name, Mul, mul, *);

        impl<const FUSED: bool> Neg for $name<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $name(-self.0)
            }
        }

        impl<const FUSED: bool> Lane for $name<FUSED> {
            type Token = $token;
            type Cell = $cell;
            type Number = f64;

            #[inline(always)]
            fn at(token: $token, i: usize) -> (usize, $token) {
                Self::place(token, i)
            }
            #[inline(always)]
            fn splat(_: $token, x: f64) -> Self {
                $name(x)
            }
            #[inline(always)]
            fn of(self, x: f64) -> Self {
                $name(x)
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                $name(if FUSED { self.0.mul_add(b.0, c.0) } else { self.0 * b.0 + c.0 })
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                $name(if FUSED { (-self.0).mul_add(b.0, c.0) } else { c.0 - self.0 * b.0 })
            }
            #[inline(always)]
            fn over(self, b: Self) -> Self {
                $name(self.0 / b.0)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $name(self.0.sqrt())
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $name(self.0.abs())
            }
            #[inline(always)]
            fn pick_less(self, bound: Self, yes: Self, no: Self) -> Self {
                if self.0 < bound.0 { yes } else { no }
            }
            #[inline(always)]
            fn mend(self, bound: f64, a: &mut Self, b: &mut Self, f: impl Fn(f64) -> (f64, f64)) {
                if self.0 < bound {
                    return;
                }
                (a.0, b.0) = f(self.0);
            }
        }

        impl<const FUSED: bool> From<$name<FUSED>> for f64 {
            #[inline(always)]
            fn from(x: $name<FUSED>) -> f64 {
                x.0
            }
        }

        impl<const FUSED: bool> Source<$name<FUSED>> for f64 {
            #[inline(always)]
            fn read(&self, _: $token) -> $name<FUSED> {
                $name(*self)
            }
        }

        impl<const FUSED: bool> Sink<$name<FUSED>> for f64 {
            #[inline(always)]
            fn write(&mut self, _: $token, value: $name<FUSED>) {
                *self = value.0;
            }
        }
    };
    ($name:ident, $trait:ident, $method:ident, $op:tt) => {
        impl<const FUSED: bool> $trait for $name<FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                $name(self.0 $op other.0)
            }
        }
    };
}

impl<const FUSED: bool> One<FUSED> {
    #[inline(always)]
    fn place((): (), i: usize) -> (usize, ()) {
        (i, ())
    }
}
single!(One, f64, ());

/// One number of a pack, whose numbers belong to neighbouring links. The token says which.
#[derive(Clone, Copy, Debug)]
pub struct Picked<const FUSED: bool>(pub f64);

impl<const FUSED: bool> Picked<FUSED> {
    #[inline(always)]
    fn place(_: usize, i: usize) -> (usize, usize) {
        (i / PACK, i % PACK)
    }
}
single!(Picked, Pack, usize);

impl<const FUSED: bool> Source<Picked<FUSED>> for Pack {
    #[inline(always)]
    fn read(&self, lane: usize) -> Picked<FUSED> {
        Picked(self.0[lane % PACK])
    }
}

impl<const FUSED: bool> Sink<Picked<FUSED>> for Pack {
    #[inline(always)]
    fn write(&mut self, lane: usize, value: Picked<FUSED>) {
        self.0[lane % PACK] = value.0;
    }
}

/// As many numbers as a register of the instruction set `S` holds.
#[derive(Clone, Copy, Debug)]
pub struct Many<S: Simd> {
    value: S::f64s,
    simd: S,
}

/// An instruction set, and which part of each pack is worked on.
#[derive(Clone, Copy, Debug)]
pub struct Part<S: Simd> {
    /// Proof that the instructions are there.
    pub simd: S,
    /// Registers before this one in a pack.
    pub part: usize,
}

impl<S: Simd> Many<S> {
    /// Registers in a pack.
    pub const PARTS: usize = PACK / S::F64_LANES;

    /// The register at a part of eight numbers.
    #[inline(always)]
    fn get(token: Part<S>, pack: &[f64; PACK]) -> Self {
        Many { value: S::as_simd_f64s(pack).0[token.part], simd: token.simd }
    }

    /// Writes a part of eight numbers.
    #[inline(always)]
    fn put(self, token: Part<S>, pack: &mut [f64; PACK]) {
        S::as_mut_simd_f64s(pack).0[token.part] = self.value;
    }
}

impl<S: Simd> Add for Many<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Many { value: self.simd.add_f64s(self.value, other.value), simd: self.simd }
    }
}

impl<S: Simd> Sub for Many<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Many { value: self.simd.sub_f64s(self.value, other.value), simd: self.simd }
    }
}

impl<S: Simd> Mul for Many<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Many { value: self.simd.mul_f64s(self.value, other.value), simd: self.simd }
    }
}

impl<S: Simd> Neg for Many<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Many { value: self.simd.neg_f64s(self.value), simd: self.simd }
    }
}

impl<S: Simd> Lane for Many<S> {
    type Token = Part<S>;
    type Cell = Pack;
    type Number = Pack;

    #[inline(always)]
    fn splat(token: Part<S>, x: f64) -> Self {
        Many { value: token.simd.splat_f64s(x), simd: token.simd }
    }
    #[inline(always)]
    fn of(self, x: f64) -> Self {
        Many { value: self.simd.splat_f64s(x), simd: self.simd }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Many { value: self.simd.mul_add_e_f64s(self.value, b.value, c.value), simd: self.simd }
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Many { value: self.simd.negate_mul_add_e_f64s(self.value, b.value, c.value), simd: self.simd }
    }
    #[inline(always)]
    fn over(self, b: Self) -> Self {
        Many { value: self.simd.div_f64s(self.value, b.value), simd: self.simd }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Many { value: self.simd.sqrt_f64s(self.value), simd: self.simd }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Many { value: self.simd.abs_f64s(self.value), simd: self.simd }
    }
    #[inline(always)]
    fn pick_less(self, bound: Self, yes: Self, no: Self) -> Self {
        let mask = self.simd.less_than_f64s(self.value, bound.value);
        Many { value: self.simd.select_f64s(mask, yes.value, no.value), simd: self.simd }
    }
    #[inline(always)]
    fn mend(self, bound: f64, a: &mut Self, b: &mut Self, f: impl Fn(f64) -> (f64, f64)) {
        let bounds = self.simd.splat_f64s(bound);
        let one = self.simd.splat_f64s(1.0);
        let zero = self.simd.splat_f64s(0.0);
        let mask = self.simd.less_than_f64s(self.value, bounds);
        // a NaN is not below anything
        if self.simd.reduce_sum_f64s(self.simd.select_f64s(mask, zero, one)) == 0.0 {
            return;
        }
        let token = Part { simd: self.simd, part: 0 };
        let (mut x, mut ya, mut yb) = ([0.0; PACK], [0.0; PACK], [0.0; PACK]);
        self.put(token, &mut x);
        a.put(token, &mut ya);
        b.put(token, &mut yb);
        for i in 0..S::F64_LANES {
            if x[i] < bound {
                continue;
            }
            (ya[i], yb[i]) = f(x[i]);
        }
        (*a, *b) = (Self::get(token, &ya), Self::get(token, &yb));
    }
}

impl<S: Simd> Source<Many<S>> for Pack {
    #[inline(always)]
    fn read(&self, token: Part<S>) -> Many<S> {
        Many::get(token, &self.0)
    }
}

impl<S: Simd> Sink<Many<S>> for Pack {
    #[inline(always)]
    fn write(&mut self, token: Part<S>, value: Many<S>) {
        value.put(token, &mut self.0);
    }
}

impl<S: Simd> Source<Many<S>> for f64 {
    #[inline(always)]
    fn read(&self, token: Part<S>) -> Many<S> {
        Many::splat(token, *self)
    }
}
