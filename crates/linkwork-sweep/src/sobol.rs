//! Sobol's sequence with the direction numbers of Joe and Kuo [joe2008].
//!
//! In dimension j a primitive polynomial x^s + a_1 x^(s−1) + … + a_(s−1) x + 1 and numbers m_1 … m_s give
//!
//!   (S1)  m_k = 2 a_1 m_(k−1) ⊕ 4 a_2 m_(k−2) ⊕ … ⊕ 2^s m_(k−s) ⊕ m_(k−s)
//!   (S2)  v_k = m_k / 2^k
//!   (S3)  x_n = ⊕ v_k over the digits k of n's Gray code, n ⊕ n/2, that are one
//!
//! Point 0 is the corner 0. The points are those of `scipy.stats.qmc.Sobol(scramble=False)`, in its order.

use crate::Error;
use crate::joe_kuo::DIRECTIONS;

/// Binary digits of a coordinate, and of the number of points.
const DIGITS: usize = 30;
/// Dimensions that points may have.
pub const MOST_DIMENSIONS: usize = DIRECTIONS.len();

/// Sobol's sequence of points in the unit cube.
///
/// ```
/// let sobol = linkwork_sweep::Sobol::new(2)?;
/// let mut point = [0.0; 2];
/// sobol.point(3, &mut point);
/// assert_eq!(point, [0.25, 0.75]);
/// # Ok::<(), linkwork_sweep::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sobol {
    /// v_k 2^30 of each dimension.
    directions: Vec<[u32; DIGITS]>,
}

impl Sobol {
    /// The sequence in so many dimensions.
    ///
    /// # Errors
    /// More than [`MOST_DIMENSIONS`].
    pub fn new(dimensions: usize) -> Result<Sobol, Error> {
        match DIRECTIONS.get(..dimensions) {
            Some(lines) => Ok(Sobol { directions: lines.iter().map(|line| directions(*line)).collect() }),
            None => Err(Error::wrong(
                "--sample",
                format!(
                    "Sobol points have at most {MOST_DIMENSIONS} dimensions, {dimensions} are needed (twice the parameters with `saltelli`); \
                     vary fewer parameters, or take `latin` or `random`"
                ),
            )),
        }
    }

    /// The coordinates of point n < 2³⁰.
    pub fn point(&self, n: u64, out: &mut [f64]) {
        let gray = n ^ (n >> 1);
        for (x, directions) in out.iter_mut().zip(&self.directions) {
            let digits = directions.iter().enumerate().filter(|(k, _)| gray >> k & 1 == 1);
            let sum = digits.fold(0, |sum, (_, v)| sum ^ v); // (S3)
            *x = f64::from(sum) * 2.0_f64.powi(-(DIGITS as i32));
        }
    }
}

fn directions((polynomial, first): (u32, &[u32])) -> [u32; DIGITS] {
    let degree = polynomial.ilog2() as usize;
    let mut m = [1_u32; DIGITS];
    m[..first.len()].copy_from_slice(first);
    for k in degree.max(1)..DIGITS {
        if degree == 0 {
            break; // the first dimension: all numbers are one
        }
        m[k] = m[k - degree]; // (S1)
        for i in 1..=degree {
            if polynomial >> (degree - i) & 1 == 1 {
                m[k] ^= m[k - i] << i;
            }
        }
    }
    let mut v = m;
    v.iter_mut().enumerate().for_each(|(k, v)| *v <<= DIGITS - 1 - k); // (S2)
    v
}
