//! Quantiles of Student's distribution.
//!
//! ```text
//!   (S1)  P(|T| > t) = I_x(ν/2, ½),  x = ν / (ν + t²)           the regularised incomplete beta function, by its continued fraction
//! ```

/// The value that a part `p` of Student's distribution with ν degrees of freedom lies below, ½ ≤ p < 1.
///
/// ```
/// // tables: 12.706 for one degree of freedom, 2.228 for ten
/// assert!((linkwork_optimize::student_quantile(0.975, 1.0) - 12.706204736).abs() < 1e-8);
/// assert!((linkwork_optimize::student_quantile(0.975, 10.0) - 2.228138852).abs() < 1e-8);
/// ```
pub fn student_quantile(p: f64, nu: f64) -> f64 {
    let tail = |t: f64| 0.5 * incomplete_beta(0.5 * nu, 0.5, nu / (nu + t * t)); // (S1)
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > 1.0 - p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if tail(middle) > 1.0 - p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// I_x(a, b).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front * fraction(a, b, x) / a,
        false => 1.0 - front * fraction(b, a, 1.0 - x) / b,
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guarded = |x: f64| if x.abs() < TINY { TINY } else { x };
    let mut c = 1.0;
    let mut d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / guarded(1.0 + term * d);
            c = guarded(1.0 + term / c);
            value *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// ln Γ(x) for x > 0: Stirling's series, from 10 on.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut before) = (x, 0.0);
    while x < 10.0 {
        before += x.ln();
        x += 1.0;
    }
    let i = 1.0 / (x * x);
    let series = (1.0 / 12.0 - i * (1.0 / 360.0 - i * (1.0 / 1260.0 - i * (1.0 / 1680.0 - i / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_quantiles() {
        // two degrees of freedom have a closed form: t = (2p − 1) √(2 / (4p(1 − p)))
        for p in [0.6_f64, 0.9, 0.975, 0.999] {
            let exact = (2.0 * p - 1.0) * (2.0 / (4.0 * p * (1.0 - p))).sqrt();
            assert!((student_quantile(p, 2.0) / exact - 1.0).abs() < 1e-12, "{p}");
        }
        // of many it is the normal one
        assert!((student_quantile(0.975, 1e7) - 1.959_964).abs() < 1e-5);
        assert!((ln_gamma(0.5) - 0.5 * std::f64::consts::PI.ln()).abs() < 1e-14);
    }
}
