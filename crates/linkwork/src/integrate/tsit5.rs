//! Tsitouras 5(4): order 5 in six stages, with smaller errors than Dormand and Prince's pair. The method is that of `pair54`.
//!
//! Coefficients of [tsitouras2011], table 1, which satisfy the first column simplifying assumption only. The free interpolant of order 4 given
//! there is y_old + h Σ b_i(s) k_i with quartics b_i. It meets values and slopes of both ends, so it is (P4), and d_i is the coefficient of s⁴ in b_i.

use super::Stepper;
use super::pair54::{Pair54, Tableau};

pub(super) const TABLEAU: Tableau = Tableau {
    c: [0.0, 0.161, 0.327, 0.9, 0.980_025_540_904_509_7, 1.0, 1.0],
    a2: [0.161],
    a3: [-0.008_480_655_492_356_989, 0.335_480_655_492_357],
    a4: [2.897_153_057_105_493_5, -6.359_448_489_975_075, 4.362_295_432_869_581_5],
    a5: [5.325_864_828_439_257, -11.748_883_564_062_828, 7.495_539_342_889_836_5, -0.092_495_066_361_755_25],
    a6: [
        5.861_455_442_946_42,
        -12.920_969_317_847_11,
        8.159_367_898_576_159,
        -0.071_584_973_281_401,
        -0.028_269_050_394_068_383,
    ],
    b: [
        0.096_460_766_818_065_23,
        0.01,
        0.479_889_650_414_499_6,
        1.379_008_574_103_742,
        -3.290_069_515_436_081,
        2.324_710_524_099_774,
    ],
    e: [
        -0.001_780_011_052_225_777,
        -0.000_816_434_459_656_746_9,
        0.007_880_878_010_261_995,
        -0.144_711_007_173_262_9,
        0.582_357_165_452_555_2,
        -0.458_082_105_929_186_97,
        1.0 / 66.0,
    ],
    d: [
        -1.053_088_497_729_021_6,
        0.1017,
        2.490_627_285_651_253,
        -16.548_102_889_244_902,
        47.379_521_962_819_28,
        -34.870_657_861_496_61,
        2.5,
    ],
};

impl Stepper {
    /// Tsitouras 5(4) for `n` components, with error control as [`dop853`](Self::dop853). Projects after each step.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn tsit5(n: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Pair54::new(n, &TABLEAU), tolerance)
    }
}
