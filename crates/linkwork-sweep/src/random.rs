//! Random numbers that belong to a place: (seed, case, parameter) gives the number, whoever asks, in whatever order.
//!
//! The finaliser of SplitMix64 [steele2014] scrambles 64 bits, one to one. Applied in turn to the seed, the parameter and the case it is a generator with a stream for each
//! parameter of each seed.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Scrambles 64 bits, one to one.
fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 64 random bits of a place.
fn bits(seed: u64, stream: u64, counter: u64) -> u64 {
    let key = mix(seed.wrapping_add(GOLDEN));
    let key = mix(key.wrapping_add(GOLDEN.wrapping_mul(stream.wrapping_add(1))));
    mix(key.wrapping_add(GOLDEN.wrapping_mul(counter.wrapping_add(1))))
}

/// A number between 0 and 1, neither of the two.
pub fn uniform(seed: u64, stream: u64, counter: u64) -> f64 {
    ((bits(seed, stream, counter) >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
}

/// Where a random order of 0 .. n puts i: no place is given twice.
///
/// A Feistel network permutes 0 .. 4^k ≥ n; who lands outside goes on until they are inside (cycle walking), at most four times on average.
pub(crate) fn place(n: u64, seed: u64, stream: u64, i: u64) -> u64 {
    let digits = (64 - n.saturating_sub(1).leading_zeros()).max(2);
    let half = digits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut x = i;
    loop {
        let (mut left, mut right) = (x >> half, x & mask);
        for round in 0..6 {
            let scrambled = bits(seed ^ 0x5EED_0F0D, stream.wrapping_mul(8).wrapping_add(round), right);
            (left, right) = (right, left ^ (scrambled & mask));
        }
        x = left << half | right;
        if x < n {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_places_are_a_permutation() {
        for n in [1, 2, 3, 5, 64, 1000] {
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = place(n, 7, 3, i) as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "{n}: {at} twice");
            }
        }
        assert_ne!(
            (0..50).map(|i| place(50, 7, 3, i)).collect::<Vec<_>>(),
            (0..50).map(|i| place(50, 7, 4, i)).collect::<Vec<_>>()
        );
    }

    /// Mean ½ and variance 1/12 of the uniform distribution, and no correlation between streams, each to four of its own standard errors.
    #[test]
    fn exact_moments_of_uniform_numbers() {
        let n = 20_000;
        let [mut mean, mut square, mut product] = [0.0; 3];
        for i in 0..n {
            let (x, y) = (uniform(1, 0, i) - 0.5, uniform(1, 1, i) - 0.5);
            mean += x / n as f64;
            square += x * x / n as f64;
            product += x * y / n as f64;
        }
        let error = |deviation: f64| 4.0 * deviation / (n as f64).sqrt();
        assert!(mean.abs() < error(12.0_f64.sqrt().recip()), "{mean}");
        assert!((square - 1.0 / 12.0).abs() < error((1.0_f64 / 180.0).sqrt()), "{square}");
        assert!(product.abs() < error(1.0 / 12.0), "{product}");
    }
}
