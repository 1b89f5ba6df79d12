//! Sine and cosine in lanes.
//!
//!   (T1)  x = n π/2 + r,  |r| <= π/4,  with π/2 in three parts
//!   (T2)  sin r, cos r: their series to r¹⁵ and r¹⁶, whose first neglected terms are below 5e-17 and 3e-18
//!   (T3)  n mod 4 says which of the two, and with which sign
//!
//! The error is below 1.5 units in the last place. Beyond [`FAR`] the three parts are too few: such an angle is left to the
//! standard library.

use super::lane::Lane;
use std::f64::consts::FRAC_2_PI;

/// Where the standard library takes over, rad.
const FAR: f64 = 1e5;
/// π/2 to 33 bits, the next 33, and the rest.
const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
/// Adding and subtracting this rounds to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ±1/k! for k = from, from + 2, …
const fn series<const N: usize>(from: u32) -> [f64; N] {
    let mut out = [0.0; N];
    let mut i = 0;
    while i < N {
        let mut factorial = 1.0;
        let mut k = 2;
        while k <= from + 2 * i as u32 {
            factorial *= k as f64;
            k += 1;
        }
        out[i] = if i % 2 == 0 { -1.0 / factorial } else { 1.0 / factorial };
        i += 1;
    }
    out
}

const SIN: [f64; 7] = series(3);
const COS: [f64; 8] = series(2);

#[inline(always)]
fn polynomial<L: Lane, const N: usize>(x: L, c: &[f64; N]) -> L {
    let mut sum = x.of(c[N - 1]);
    for i in (0..N - 1).rev() {
        sum = sum.mul_add(x, x.of(c[i]));
    }
    sum
}

/// (sin x, cos x)
#[inline(always)]
pub fn sin_cos<L: Lane>(x: L) -> (L, L) {
    let round = |y: L| (y + y.of(ROUND)) - y.of(ROUND);
    let n = round(x * x.of(FRAC_2_PI));
    let mut r = x;
    for part in HALF_PI {
        r = n.mul_sub(x.of(part), r);
    }
    let r2 = r * r;
    let sin = (r * r2).mul_add(polynomial(r2, &SIN), r);
    let cos = r2.mul_add(polynomial(r2, &COS), x.of(1.0));
    // the quadrant as −1/2, −1/4, 0, 1/4, 1/2 of a turn
    let quarter = n * x.of(0.25);
    let turn = quarter - round(quarter);
    let odd = (turn.abs() - x.of(0.25)).abs();
    let s = odd.pick_less(x.of(0.1), cos, sin);
    let c = odd.pick_less(x.of(0.1), sin, cos);
    let s = turn.pick_less(x.of(-0.2), -s, x.of(0.3).pick_less(turn, -s, s));
    let c = turn.pick_less(x.of(-0.3), -c, x.of(0.2).pick_less(turn, -c, c));
    let (mut s, mut c) = (s, c);
    let size = x.abs();
    // the far angle comes without its sign
    let negative = x.pick_less(x.of(0.0), x.of(-1.0), x.of(1.0));
    let (mut far_s, mut far_c) = (s * negative, c);
    size.mend(FAR, &mut far_s, &mut far_c, f64::sin_cos);
    s = far_s * negative;
    c = far_c;
    (s, c)
}

#[cfg(test)]
mod tests {
    use super::super::lane::One;
    use super::*;

    #[test]
    fn exact_against_the_standard_library() {
        let mut worst: f64 = 0.0;
        let mut check = |x: f64| {
            let (s, c) = sin_cos(One::<true>(x));
            worst = worst.max((s.0 - x.sin()).abs()).max((c.0 - x.cos()).abs());
        };
        for i in -200_000..200_000 {
            check(i as f64 * 1.234_567e-4);
            check(i as f64 * 0.731);
            check(i as f64 * std::f64::consts::FRAC_PI_4);
        }
        println!("largest error of sine and cosine: {worst:.2e}");
        assert!(worst < 2.3e-16);
        assert!(sin_cos(One::<false>(f64::NAN)).0.0.is_nan());
        assert!(sin_cos(One::<false>(f64::INFINITY)).1.0.is_nan());
        assert_eq!(sin_cos(One::<false>(-1e7)).0.0, (-1e7f64).sin());
    }
}
