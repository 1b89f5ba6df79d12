//! The motion and its derivatives by all variables as one system.
//!
//! With y the state in the coordinates of a formulation, y' = f(t, y; p), and S_j = ∂y/∂p_j at a given time,
//!
//!   (V1)  S'_j = f_y S_j + f_(p_j),     S_j(0) = ∂y₀/∂p_j
//!
//! which is the derivative of f along one line, that of y + ε S_j and p_j + ε. In point coordinates it is a sum of products and one solution with the factor that y' needs anyway
//! ([`Variational`](crate::formulations::Variational)), several variables side by side; what couplings and actions give to it is a difference along the line. In other coordinates, and while
//! contacts are closed, all of it is such a difference, by four mechanisms at p_j ± ε and p_j ± 2ε:
//!
//!   (V2)  dF/dε = (8 (F(ε) − F(−ε)) − (F(2ε) − F(−2ε))) / 12ε + O(ε⁴)

use crate::Error;
use crate::formulations::Directions;
use crate::integrate::System;
use crate::mechanism::Mechanism;
use crate::model::Formulation;
use crate::simulation::{Probe, State};

/// ε, in parts of the size of a variable.
pub(super) const EPSILON: f64 = 1e-4;
/// Multiples of ε, and weights of the values there: (V2).
pub(super) const LINE: [(f64, f64); 4] = [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)];
/// What derivatives count for at least in the control of errors, in parts of the size of the mechanism by that of the variable.
const FLOOR: f64 = 1e-2;
/// The same where (V2) is taken of forces, of which it makes roundings by ε.
const ROUGH_FLOOR: f64 = 10.0;

/// (V2) of numbers that the neighbours of a variable have.
pub(super) fn slope(epsilon: f64, values: &[f64]) -> f64 {
    let sum: f64 = LINE.iter().zip(values).map(|((_, weight), value)| weight * value).sum();
    sum / (12.0 * epsilon)
}

/// Where y and all S_j stand in one vector: y, then the derivatives of one, two or four variables side by side.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// Components of y.
    pub n: usize,
    /// The first variable of each block, and how many it has.
    blocks: Vec<(usize, usize)>,
    /// Block of each variable.
    block_of: Vec<usize>,
}

impl Columns {
    fn new(n: usize, variables: usize) -> Self {
        let mut columns = Columns { n, blocks: Vec::new(), block_of: Vec::new() };
        while columns.block_of.len() < variables {
            let first = columns.block_of.len();
            let lanes = match variables - first {
                1 => 1,
                2 | 3 => 2,
                _ => 4,
            };
            columns.block_of.resize(first + lanes, columns.blocks.len());
            columns.blocks.push((first, lanes));
        }
        columns
    }

    /// Number of components of the whole.
    pub fn len(&self) -> usize {
        self.n * (1 + self.block_of.len())
    }

    /// Where the derivatives of a block stand.
    fn range(&self, (first, lanes): (usize, usize)) -> std::ops::Range<usize> {
        self.n * (1 + first)..self.n * (1 + first + lanes)
    }

    /// Where the derivative of component i by variable j stands.
    pub fn at(&self, j: usize, i: usize) -> usize {
        let (first, lanes) = self.blocks[self.block_of[j]];
        self.n * (1 + first) + i * lanes + (j - first)
    }
}

/// The probes at p and on the line of each variable, in the order of [`LINE`], as one system: y, then all S_j.
pub(super) struct Lines {
    pub nominal: Probe,
    pub neighbours: Vec<Vec<Probe>>,
    pub epsilons: Vec<f64>,
    pub columns: Columns,
    scales: Vec<f64>,
    /// What the variables change in the compiled tables, by block; empty where the formulation does not differentiate its equations.
    directions: Vec<Directions>,
    y: Vec<f64>,
    found: Vec<f64>,
    sum: Vec<f64>,
    /// u̇ and λ of the instant, and what is left of couplings and actions.
    held: [Vec<f64>; 2],
    remainders: Vec<f64>,
    /// Whether anything is differentiated by (V2).
    rough: bool,
}

/// What a probe on a line, given by its number, tells of a state.
pub(super) type Told<'t> =
    &'t mut dyn FnMut(usize, &mut Probe, f64, &[f64], &mut Vec<f64>) -> Result<(), Error>;

impl Lines {
    /// The formulation to differentiate in: point coordinates where the equations can be differentiated there, and otherwise that of the run.
    pub fn formulation(
        base: &Mechanism,
        mechanisms: &[Vec<Mechanism>],
        epsilons: &[f64],
        run: Formulation,
    ) -> Result<Formulation, Error> {
        let mut probe = Probe::new(base, Formulation::Points)?;
        let columns = Columns::new(probe.dimension(), mechanisms.len());
        Ok(match directions(&mut probe, &columns, mechanisms, epsilons).is_empty() {
            true => run,
            false => Formulation::Points,
        })
    }

    /// In a formulation, which is that of all mechanisms.
    pub fn new(
        base: &Mechanism,
        mechanisms: &[Vec<Mechanism>],
        epsilons: Vec<f64>,
        formulation: Formulation,
    ) -> Result<Self, Error> {
        let mut nominal = Probe::new(base, formulation)?;
        let n = nominal.dimension();
        let columns = Columns::new(n, mechanisms.len());
        let directions = directions(&mut nominal, &columns, mechanisms, &epsilons);
        let probes = |list: &Vec<Mechanism>| {
            list.iter().map(|mechanism| Probe::new(mechanism, formulation)).collect::<Result<Vec<_>, _>>()
        };
        let neighbours = mechanisms.iter().map(probes).collect::<Result<Vec<_>, _>>()?;
        Ok(Lines {
            rough: directions.is_empty() || directions.iter().any(Directions::are_on_line),
            nominal,
            neighbours,
            epsilons,
            columns,
            scales: Vec::new(),
            directions,
            y: vec![0.0; n],
            found: Vec::new(),
            sum: vec![0.0; n],
            held: Default::default(),
            remainders: Vec::new(),
        })
    }

    /// (V2) of something that a probe tells of a state, into `out`.
    pub fn along(
        &mut self,
        j: usize,
        t: f64,
        whole: &[f64],
        out: &mut [f64],
        of: Told<'_>,
    ) -> Result<(), Error> {
        out.fill(0.0);
        let epsilon = self.epsilons[j];
        for (k, (multiple, weight)) in LINE.iter().enumerate() {
            for (i, y) in self.y.iter_mut().enumerate() {
                *y = whole[i] + multiple * epsilon * whole[self.columns.at(j, i)];
            }
            of(k, &mut self.neighbours[j][k], t, &self.y, &mut self.found)?;
            out.iter_mut().zip(&self.found).for_each(|(sum, found)| *sum += weight * found);
        }
        out.iter_mut().for_each(|x| *x /= 12.0 * epsilon);
        Ok(())
    }

    /// A state with its locks, limits and contacts, in all probes; its y.
    pub fn enter(&mut self, state: &State) -> Result<Vec<f64>, Error> {
        for probe in self.neighbours.iter_mut().flatten() {
            probe.enter(state)?;
        }
        self.nominal.enter(state)
    }

    /// Sets what errors are measured against over a stretch that begins with `whole`: the coordinates of y and of each S_j by the largest of them, and likewise their rates. Work is as
    /// accurate as what does it. `size`: of the mechanism.
    pub fn weigh(&mut self, whole: &[f64], size: f64) {
        let n = self.columns.n;
        let rates = self.nominal.rates();
        let parts = [0..rates.start, rates.clone(), rates.end + 1..n];
        self.scales.clear();
        self.scales.resize(whole.len(), f64::INFINITY);
        let floor = if self.rough { ROUGH_FLOOR } else { FLOOR };
        for part in parts {
            let largest = |of: &dyn Fn(usize) -> f64, least: f64| {
                part.clone().fold(least, |most, i| most.max(of(i).abs()))
            };
            let scale = largest(&|i| whole[i], size);
            part.clone().for_each(|i| self.scales[i] = scale);
            for (j, epsilon) in self.epsilons.iter().enumerate() {
                let least = floor * size * EPSILON / epsilon;
                let scale = largest(&|i| whole[self.columns.at(j, i)], least);
                part.clone().for_each(|i| self.scales[self.columns.at(j, i)] = scale);
            }
        }
    }

    /// (V1) with the factor of y'; `None` where the formulation does not differentiate its equations as things stand.
    fn with_factor(&mut self, t: f64, whole: &[f64], d_whole: &mut [f64]) -> Option<Result<(), Error>> {
        let n = self.columns.n;
        let (y, dy) = (&whole[..n], &mut d_whole[..n]);
        let Lines { nominal, held, .. } = &mut *self;
        let begun = nominal.variational(t, |equations| {
            equations.begin(t, y, dy)?;
            for (kept, now) in held.iter_mut().zip(equations.held()) {
                kept.clear();
                kept.extend_from_slice(now);
            }
            Ok(equations.remainders())
        })?;
        let each = match begun {
            Ok(each) => each,
            Err(error) => return Some(Err(error)),
        };
        for b in 0..self.columns.blocks.len() {
            let (first, lanes) = self.columns.blocks[b];
            let mut remainders = std::mem::take(&mut self.remainders);
            remainders.clear();
            if self.directions[b].are_on_line() {
                remainders.resize(each * lanes, 0.0);
                for (k, out) in remainders.chunks_exact_mut(each).enumerate() {
                    let held = std::mem::take(&mut self.held);
                    let found = self.along(first + k, t, whole, out, &mut |_, probe, t, y, found| {
                        found.resize(each, 0.0);
                        let held = [&held[0][..], &held[1][..]];
                        let asked = probe.variational(t, |equations| {
                            equations.remain(t, y, held, found);
                            Ok(())
                        });
                        // a neighbour stands as the nominal mechanism does
                        asked.unwrap_or(Ok(()))
                    });
                    self.held = held;
                    if let Err(error) = found {
                        return Some(Err(error));
                    }
                }
            }
            let range = self.columns.range((first, lanes));
            let (s, ds) = (&whole[range.clone()], &mut d_whole[range]);
            let directions = &mut self.directions[b];
            let found = self.nominal.variational(t, |equations| {
                equations.vary(y, directions, &remainders, s, ds);
                Ok(())
            })?;
            self.remainders = remainders;
            if let Err(error) = found {
                return Some(Err(error));
            }
        }
        Some(Ok(()))
    }
}

/// What the variables change in the compiled tables, by block; nothing where the formulation of a probe does not differentiate its equations, or where tables have other shapes.
fn directions(
    probe: &mut Probe,
    columns: &Columns,
    mechanisms: &[Vec<Mechanism>],
    epsilons: &[f64],
) -> Vec<Directions> {
    let found = probe.variational(0.0, |equations| {
        let block = |&(first, lanes): &(usize, usize)| {
            let stencil = |j: usize| -> Vec<(f64, &Mechanism)> {
                let weights = LINE.iter().map(|(_, weight)| weight / (12.0 * epsilons[j]));
                weights.zip(&mechanisms[j]).collect()
            };
            equations.directions(&(first..first + lanes).map(stencil).collect::<Vec<_>>())
        };
        Ok(columns.blocks.iter().map(block).collect::<Option<Vec<_>>>())
    });
    found.and_then(Result::ok).flatten().unwrap_or_default()
}

impl System for Lines {
    type Error = Error;

    fn dimension(&self) -> usize {
        self.columns.len()
    }

    fn derivative(&mut self, t: f64, whole: &[f64], d_whole: &mut [f64]) -> Result<(), Error> {
        if !self.directions.is_empty()
            && let Some(found) = self.with_factor(t, whole, d_whole)
        {
            return found;
        }
        let n = self.columns.n;
        self.nominal.derivative(t, &whole[..n], &mut d_whole[..n])?;
        for j in 0..self.neighbours.len() {
            let mut sum = std::mem::take(&mut self.sum);
            let found = self.along(j, t, whole, &mut sum, &mut |_, probe, t, y, found| {
                found.resize(y.len(), 0.0);
                probe.derivative(t, y, found)
            });
            sum.iter().enumerate().for_each(|(i, x)| d_whole[self.columns.at(j, i)] = *x);
            self.sum = sum;
            found?;
        }
        Ok(())
    }

    fn error_scale(&self, scale: &mut [f64]) {
        scale.copy_from_slice(&self.scales);
    }
}
