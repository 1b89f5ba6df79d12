//! The nominal mechanism and its neighbours along each variable, all of one shape.
//!
//! What a variable does to the compiled model is differentiated by neighbours at the places of a [`Stencil`]. They take the primary points of the nominal mechanism, so that they have the same
//! coordinates; where these do not span a body of theirs, as of a rod of which one point leaves the line, all take points that do.

use super::stencil::Stencil;
use super::{SensitivityError, Study};
use crate::formulations::Neighbours;
use crate::mechanism::{Mechanism, Shape};
use crate::model::{Formulation, Settings};

pub(super) struct Vicinity {
    pub nominal: Mechanism,
    /// By variable, in the order of the stencil.
    pub lines: Vec<Vec<Mechanism>>,
    /// ε by variable, in SI units.
    pub epsilons: Vec<f64>,
    /// Sizes of the variables, in SI units.
    sizes: Vec<f64>,
    pub stencil: &'static Stencil,
    /// The shape of all, and their settings.
    shape: Shape,
    settled: Settings,
}

/// ε is made smaller by this, so often at most.
const SMALLER: f64 = 0.25;
const TRIES: usize = 6;

impl Vicinity {
    /// The vicinity of a nominal mechanism.
    pub fn new(
        study: &Study<'_>,
        nominal: Mechanism,
        settled: &Settings,
        stencil: &'static Stencil,
    ) -> Result<Self, SensitivityError> {
        let sizes: Vec<f64> = study.designs.iter().map(|design| study.size(design, &nominal)).collect();
        let shape = nominal.shape();
        let mut vicinity = Vicinity {
            epsilons: sizes.iter().map(|size| power_of_two(stencil.epsilon * size)).collect(),
            lines: Vec::new(),
            nominal,
            sizes,
            stencil,
            shape,
            settled: settled.clone(),
        };
        for j in 0..vicinity.epsilons.len() {
            // what cannot be assembled so far away may be nearer
            for attempt in 0.. {
                match vicinity.line(study, j, vicinity.epsilons[j]) {
                    Ok(line) => {
                        vicinity.lines.push(line);
                        break;
                    }
                    Err(error) if attempt == TRIES => return Err(error),
                    Err(_) => vicinity.epsilons[j] *= SMALLER,
                }
            }
        }
        let mut shape = vicinity.shape.clone();
        let mut narrow = false;
        for other in vicinity.lines.iter().flatten() {
            narrow |= shape.widen(other);
        }
        if narrow {
            vicinity.shape = shape;
            vicinity.nominal = study.assembled_in(&study.nominal(), settled, &vicinity.shape)?;
            for j in 0..vicinity.epsilons.len() {
                vicinity.lines[j] = vicinity.line(study, j, vicinity.epsilons[j])?;
            }
        }
        Ok(vicinity)
    }

    /// The mechanisms on the line of a variable.
    pub fn line(
        &self,
        study: &Study<'_>,
        j: usize,
        epsilon: f64,
    ) -> Result<Vec<Mechanism>, SensitivityError> {
        let at = |multiple: &f64| {
            let mut values = study.nominal();
            values[j] += multiple * epsilon;
            study.assembled_in(&values, &self.settled, &self.shape).map_err(|source| {
                SensitivityError::Variable {
                    variable: study.designs[j].name.clone(),
                    unit: study.designs[j].unit.clone(),
                    change: multiple * epsilon,
                    source: Box::new(source),
                }
            })
        };
        self.stencil.multiples.iter().map(at).collect()
    }

    /// Comes nearer where a doubt of the tables is too large for ε, as long as that helps; what is left of the doubts. `doubts` are those of the tables, of these neighbours.
    pub fn come_nearer(
        &mut self,
        study: &Study<'_>,
        mut doubts: Vec<f64>,
        of: impl Fn(&Neighbours<'_>) -> Result<Vec<f64>, SensitivityError>,
    ) -> Result<Vec<f64>, SensitivityError> {
        for j in 0..self.epsilons.len() {
            for _ in 0..TRIES {
                if doubts[j] <= self.stencil.doubt {
                    break;
                }
                let epsilon = SMALLER * self.epsilons[j];
                let line = self.line(study, j, epsilon)?;
                let steps = vec![(epsilon, self.sizes[j])];
                let alone = Neighbours::new(&self.nominal, [&line[..]], self.stencil.weights, steps);
                let doubt = of(&alone)?[0];
                if doubt >= doubts[j] {
                    break;
                }
                doubts[j] = doubt;
                (self.epsilons[j], self.lines[j]) = (epsilon, line);
            }
        }
        Ok(doubts)
    }

    /// All of them in a formulation.
    pub fn formulate(&mut self, formulation: Formulation) {
        for mechanism in std::iter::once(&mut self.nominal).chain(self.lines.iter_mut().flatten()) {
            mechanism.model.settings.formulation = formulation;
        }
    }

    /// As the equations of motion are told of them.
    pub fn neighbours(&self) -> Neighbours<'_> {
        let steps = self.epsilons.iter().copied().zip(self.sizes.iter().copied()).collect();
        Neighbours::new(&self.nominal, self.lines.iter().map(Vec::as_slice), self.stencil.weights, steps)
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.epsilons.len()
    }

    /// (C1) along a variable.
    pub fn slope(&self, variable: usize, values: &[f64]) -> f64 {
        self.stencil.slope(self.epsilons[variable], values)
    }
}

/// The power of two at a number or below it.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !((1 << 52) - 1))
}
