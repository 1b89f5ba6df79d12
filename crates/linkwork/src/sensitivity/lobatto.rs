//! Gauss–Lobatto places on [0, 1]: both ends and the extremes of a Legendre polynomial.
//!
//!   (L1)  s_i = (1 + x_i)/2,  P'_(n−1)(x_i) = 0 within;   w_i = 1 / (n (n − 1) P_(n−1)(x_i)²)
//!   (L2)  p(s) = Σ c_i x_i/(s − s_i) / Σ c_i/(s − s_i),   c_i = 1 / Π_(j≠i) (s_i − s_j)

/// Places, weights of the integral, and weights of the polynomial through all places.
#[derive(Clone, Debug)]
pub(super) struct Lobatto {
    pub places: Vec<f64>,
    pub weights: Vec<f64>,
    barycentric: Vec<f64>,
}

impl Lobatto {
    /// With n places, two or more.
    pub fn new(n: usize) -> Self {
        let m = (n - 1) as f64;
        let mut places = Vec::with_capacity(n);
        let mut weights = Vec::with_capacity(n);
        for i in 0..n {
            // from near the Chebyshev places, by Newton on (1 − x²) P'_m, whose slope is −m (m + 1) P_m
            let mut x = -(std::f64::consts::PI * i as f64 / m).cos();
            for _ in 0..100 {
                let (before, here) = legendre(n - 1, x);
                let step = (x * here - before) / (n as f64 * here);
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            if i == 0 || i == n - 1 {
                x = if i == 0 { -1.0 } else { 1.0 };
            }
            let here = legendre(n - 1, x).1;
            places.push(0.5 * (1.0 + x));
            weights.push(1.0 / (n as f64 * m * here * here));
        }
        let weight = |i: usize| {
            let others = (0..n).filter(|&j| j != i);
            // in units in which the product stays near one
            1.0 / others.map(|j| 4.0 * (places[i] - places[j])).product::<f64>()
        };
        let barycentric = (0..n).map(weight).collect();
        Lobatto { places, weights, barycentric }
    }

    /// (L2)
    fn interpolate(&self, values: &[f64], s: f64) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for (i, &place) in self.places.iter().enumerate() {
            if s == place {
                return values[i];
            }
            let part = self.barycentric[i] / (s - place);
            above += part * values[i];
            below += part;
        }
        above / below
    }

    /// The highest value next to the place where the values are highest, and where it is: by golden sections, to the square root of a rounding, which is a rounding in the value.
    pub fn top(&self, values: &[f64], i: usize) -> (f64, f64) {
        /// (√5 − 1)/2
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let n = self.places.len();
        if n <= 2 {
            return (values[i], self.places[i]);
        }
        let (mut a, mut b) = (self.places[i.saturating_sub(1)], self.places[(i + 1).min(n - 1)]);
        let mut best = (values[i], self.places[i]);
        let (mut c, mut d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        let (mut f_c, mut f_d) = (self.interpolate(values, c), self.interpolate(values, d));
        for _ in 0..48 {
            for (f, s) in [(f_c, c), (f_d, d)] {
                if f > best.0 {
                    best = (f, s);
                }
            }
            if f_c > f_d {
                (b, d, f_d) = (d, c, f_c);
                c = b - GOLDEN * (b - a);
                f_c = self.interpolate(values, c);
            } else {
                (a, c, f_c) = (c, d, f_d);
                d = a + GOLDEN * (b - a);
                f_d = self.interpolate(values, d);
            }
        }
        (best.0, self.flat(values, best.1))
    }

    /// Where the polynomial is flat next to a place where values alone say that it is, to a rounding; that place if it is an end.
    fn flat(&self, values: &[f64], near: f64) -> f64 {
        /// Golden sections find a place to the square root of a rounding, in parts of what the values bend by over the piece.
        const OFF: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];
        let brackets = OFF.into_iter().map(|off| (near - off, near + off));
        let mut brackets = brackets.take_while(|(a, b)| *a > 0.0 && *b < 1.0);
        let turns = |(a, b): &(f64, f64)| self.slope(values, *a) > 0.0 && self.slope(values, *b) < 0.0;
        let Some((mut a, mut b)) = brackets.find(turns) else { return near };
        while b - a > 1e-15 {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            if self.slope(values, middle) > 0.0 { a = middle } else { b = middle }
        }
        0.5 * (a + b)
    }

    /// p'(s): as (L2), of the divided differences (p(s) − x_i)/(s − s_i).
    fn slope(&self, values: &[f64], s: f64) -> f64 {
        let here = self.interpolate(values, s);
        let (mut above, mut below) = (0.0, 0.0);
        for (i, &place) in self.places.iter().enumerate() {
            let part = self.barycentric[i] / (s - place);
            if !part.is_finite() {
                return self.slope(values, s + f64::EPSILON);
            }
            above += part * (here - values[i]) / (s - place);
            below += part;
        }
        above / below
    }
}

/// P_(n−1)(x) and P_n(x).
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut here) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * before) / k);
    }
    (before, here)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n places integrate polynomials of degree 2n − 3 and interpolate those of degree n − 1.
    #[test]
    fn exact_polynomials() {
        for n in [3, 8, 16, 24] {
            let rule = Lobatto::new(n);
            for degree in 0..=(2 * n - 3) {
                let sum: f64 = (0..n).map(|i| rule.weights[i] * rule.places[i].powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 4e-15, "{n} {degree}: {sum}");
            }
            let values: Vec<f64> = rule.places.iter().map(|s| s * s * (1.0 - s)).collect();
            if n >= 8 {
                assert!((rule.interpolate(&values, 0.3) - 0.09 * 0.7).abs() < 1e-14);
                // s = 2/3: 4/27
                let top = (0..n).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
                let (value, place) = rule.top(&values, top);
                assert!((value - 4.0 / 27.0).abs() < 1e-14 && (place - 2.0 / 3.0).abs() < 1e-12);
            }
        }
    }
}
