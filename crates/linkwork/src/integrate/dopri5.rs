//! Dormand–Prince 5(4): order 5 in six stages, an embedded error estimate, dense output of order 4. The method is that of `pair54`.
//!
//! Coefficients of [hairer1993], table II.5.2 and section II.6.

use super::Stepper;
use super::pair54::{Pair54, Tableau};

pub(super) const TABLEAU: Tableau = Tableau {
    c: [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    a2: [0.2],
    a3: [3.0 / 40.0, 9.0 / 40.0],
    a4: [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    a5: [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    a6: [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    b: [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    e: [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0],
    d: [
        -12_715_105_075.0 / 11_282_082_432.0,
        0.0,
        87_487_479_700.0 / 32_700_410_799.0,
        -10_690_763_975.0 / 1_880_347_072.0,
        701_980_252_875.0 / 199_316_789_632.0,
        -1_453_857_185.0 / 822_651_844.0,
        69_997_945.0 / 29_380_423.0,
    ],
};

impl Stepper {
    /// Dormand–Prince 5(4) for `n` components, with error control as [`dop853`](Self::dop853). Projects after each step.
    ///
    /// # Panics
    /// If `tolerance` is not positive.
    pub fn dopri5(n: usize, tolerance: f64) -> Self {
        Stepper::adaptive(n, Pair54::new(n, &TABLEAU), tolerance)
    }
}
