//! Quantiles of the normal distribution.
//!
//! [wichura1988] (AS 241, PPND16): rational functions of q = p − ½ in the middle, and of r = √(−ln p) in the tails,
//!
//!   (N1)  |q| ≤ 0.425:  x = q A(0.180625 − q²) / B(0.180625 − q²)
//!   (N2)  r ≤ 5:        x = ± C(r − 1.6) / D(r − 1.6)
//!   (N3)  r > 5:        x = ± E(r − 5) / F(r − 5)
//!
//! with a relative error of about 1e-16.

/// The value below which a standard normal variable lies with probability `p`: −∞ for 0, ∞ for 1; not a number outside.
///
/// ```
/// use linkwork_sweep::normal_quantile;
/// assert_eq!(normal_quantile(0.5), 0.0);
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-14);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return if p == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * horner(&A, r) / horner(&B, r); // (N1)
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = (-tail.ln()).sqrt();
    let x = if r <= 5.0 {
        horner(&C, r - 1.6) / horner(&D, r - 1.6) // (N2)
    } else {
        horner(&E, r - 5.0) / horner(&F, r - 5.0) // (N3)
    };
    if q < 0.0 { -x } else { x }
}

/// A polynomial, its constant first.
fn horner(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[rustfmt::skip]
#[allow(clippy::excessive_precision)] // as published
mod coefficients {
    pub const A: [f64; 8] = [3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3];
    pub const B: [f64; 8] = [1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3];
    pub const C: [f64; 8] = [1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
        1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4];
    pub const D: [f64; 8] = [1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9];
    pub const E: [f64; 8] = [6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
        2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7];
    pub const F: [f64; 8] = [1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15];
}
use coefficients::{A, B, C, D, E, F};

#[cfg(test)]
mod tests {
    use super::*;

    /// Φ(x) of round x from the error function (`scipy.special.ndtr` of scipy 1.17.1): the quantile leads back.
    #[test]
    fn exact_quantiles_lead_back() {
        let known = [
            (-30.0, 4.906713927148187e-198),
            (-8.0, 6.220960574271785e-16),
            (-6.0, 9.865876450376946e-10),
            (-3.0, 0.0013498980316300933),
            (-1.0, 0.15865525393145707),
            (-0.5, 0.3085375387259869),
            (0.0, 0.5),
            (1.0, 0.8413447460685429),
            (2.0, 0.9772498680518208),
        ];
        for (x, p) in known {
            let found = normal_quantile(p);
            // Φ itself is given to 1e-16 of its value, and there dx = dp / φ(x)
            assert!((found - x).abs() <= 1e-12 * f64::max(1.0, f64::abs(x)), "{x}: {found}");
        }
        // the quartile: half of all within 0.6744897501960817
        assert!((normal_quantile(0.75) - 0.674_489_750_196_081_7).abs() < 1e-15);
        assert!(normal_quantile(0.0).is_infinite() && normal_quantile(1.5).is_nan());
    }

    #[test]
    fn exact_quantiles_are_odd() {
        for i in 1..500 {
            let p = f64::from(i) / 1024.0; // 1 - p has no rounding
            assert_eq!(normal_quantile(p), -normal_quantile(1.0 - p));
        }
    }
}
