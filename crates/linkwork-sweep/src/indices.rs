//! Sensitivity indices: which part of the variance of a result comes from which parameter.
//!
//! Of two independent samples A and B of n points each, and A_B⁽ʲ⁾, which is A with the values of parameter j from B, a result has the values f. With σ² its variance over
//! A and B together,
//!
//!   (I1)  S_j  = 1/n Σ f(B) (f(A_B⁽ʲ⁾) − f(A)) / σ²          first order [saltelli2010], table 2 (b)
//!   (I2)  S_Tj = 1/2n Σ (f(A) − f(A_B⁽ʲ⁾))² / σ²              total effect [jansen1999]
//!
//! The mean over all values is taken off first: (I1) is much more accurate then. That is what SALib does. Points of which a case did not finish are left out.

use crate::merge::complete;
use crate::{Error, Sampling, SweepFolder};

/// The indices of a parameter for a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The result.
    pub column: String,
    /// The parameter.
    pub parameter: String,
    /// First order: the part of the variance that goes away when the parameter is known.
    pub first: f64,
    /// Total: the part that stays when all others are known.
    pub total: f64,
    /// Points that were used.
    pub points: u64,
    /// Points that were left out.
    pub left_out: u64,
}

/// The indices of all results of a sweep with `--sample saltelli:N`.
///
/// # Errors
/// Another plan; parts that are missing or damaged; a result that does not vary.
pub fn sensitivity(folder: &SweepFolder) -> Result<Vec<Index>, Error> {
    let manifest = folder.manifest();
    if !matches!(manifest.sample, Sampling::Saltelli(_)) {
        let why = format!("indices need a plan with --sample saltelli:N, this one has `{}`", manifest.sample);
        return Err(Error::Unfinished { folder: folder.path().into(), why });
    }
    complete(folder)?;
    let (d, results) = (manifest.parameters.len(), manifest.columns.len());
    let mut sums: Vec<Sums> = vec![Sums::new(d); results];
    for pass in 0..2 {
        let mut blocks: Vec<Vec<f64>> = vec![Vec::new(); results];
        for part in 0..manifest.parts() {
            let cases = folder.read(part)?;
            for ((sums, block), column) in sums.iter_mut().zip(&mut blocks).zip(&cases.results) {
                for value in column {
                    block.push(*value);
                    // a block is A, its neighbours, B
                    if block.len() == d + 2 {
                        if pass == 0 {
                            sums.first_pass(block)
                        } else {
                            sums.second_pass(block)
                        }
                        block.clear();
                    }
                }
            }
        }
    }
    let mut list = Vec::new();
    for (sums, column) in sums.iter().zip(&manifest.columns) {
        for (j, parameter) in manifest.parameter_names().enumerate() {
            let Some([first, total]) = sums.indices(j) else {
                let why = format!(
                    "`{}` has no variance over the {} points whose cases all finished: there is nothing to explain",
                    column.name, sums.points
                );
                return Err(Error::Unfinished { folder: folder.path().into(), why });
            };
            let (column, parameter) = (column.name.clone(), parameter.to_owned());
            list.push(Index {
                column,
                parameter,
                first,
                total,
                points: sums.points,
                left_out: sums.left_out,
            });
        }
    }
    Ok(list)
}

/// What is summed for one result.
#[derive(Clone, Debug)]
struct Sums {
    points: u64,
    left_out: u64,
    /// Of all values.
    sum: f64,
    count: f64,
    /// Of A and B, less the mean of all.
    linear: f64,
    square: f64,
    /// (I1) and (I2), parameter by parameter.
    first: Vec<f64>,
    total: Vec<f64>,
}

impl Sums {
    fn new(d: usize) -> Self {
        let zeros = vec![0.0; d];
        Sums {
            points: 0,
            left_out: 0,
            sum: 0.0,
            count: 0.0,
            linear: 0.0,
            square: 0.0,
            first: zeros.clone(),
            total: zeros,
        }
    }

    fn first_pass(&mut self, block: &[f64]) {
        if !block.iter().all(|f| f.is_finite()) {
            self.left_out += 1;
            return;
        }
        self.points += 1;
        self.sum += block.iter().sum::<f64>();
        self.count += block.len() as f64;
    }

    fn second_pass(&mut self, block: &[f64]) {
        if !block.iter().all(|f| f.is_finite()) {
            return;
        }
        let mean = self.sum / self.count;
        let (a, b) = (block[0] - mean, block[block.len() - 1] - mean);
        self.linear += a + b;
        self.square += a * a + b * b;
        for (j, value) in block[1..block.len() - 1].iter().enumerate() {
            let ab = value - mean;
            self.first[j] += b * (ab - a);
            self.total[j] += (a - ab) * (a - ab);
        }
    }

    /// First order and total; `None` where nothing varies.
    fn indices(&self, j: usize) -> Option<[f64; 2]> {
        let n = self.points as f64;
        let mean = self.linear / (2.0 * n);
        let variance = self.square / (2.0 * n) - mean * mean;
        let found = [self.first[j] / (n * variance), self.total[j] / (2.0 * n * variance)];
        found.iter().all(|index| index.is_finite()).then_some(found)
    }
}
