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
    pub stencil: &'static Stencil,
}

impl Vicinity {
    /// The vicinity of a nominal mechanism.
    pub fn new(
        study: &Study<'_>,
        nominal: Mechanism,
        settled: &Settings,
        stencil: &'static Stencil,
    ) -> Result<Self, SensitivityError> {
        let epsilons: Vec<f64> =
            study.designs.iter().map(|design| stencil.epsilon * study.size(design, &nominal)).collect();
        let mut shape = nominal.shape();
        let around = |shape: &Shape| -> Result<Vec<Vec<Mechanism>>, SensitivityError> {
            epsilons.iter().enumerate().map(|(j, epsilon)| line(study, j, *epsilon, settled, stencil, shape)).collect()
        };
        let lines = around(&shape)?;
        let narrow = lines.iter().flatten().fold(false, |narrow, other| shape.widen(other) || narrow);
        let (nominal, lines) = match narrow {
            true => (study.assembled_in(&study.nominal(), settled, &shape)?, around(&shape)?),
            false => (nominal, lines),
        };
        Ok(Vicinity { nominal, lines, epsilons, stencil })
    }

    /// All of them in a formulation.
    pub fn formulate(&mut self, formulation: Formulation) {
        for mechanism in std::iter::once(&mut self.nominal).chain(self.lines.iter_mut().flatten()) {
            mechanism.model.settings.formulation = formulation;
        }
    }

    /// As the equations of motion are told of them.
    pub fn neighbours(&self) -> Neighbours<'_> {
        Neighbours::new(
            &self.nominal,
            self.lines.iter().map(Vec::as_slice),
            self.stencil.weights,
            &self.epsilons,
        )
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

/// The mechanisms on the line of a variable.
fn line(
    study: &Study<'_>,
    j: usize,
    epsilon: f64,
    settled: &Settings,
    stencil: &Stencil,
    shape: &Shape,
) -> Result<Vec<Mechanism>, SensitivityError> {
    let at = |multiple: &f64| {
        let mut values = study.nominal();
        values[j] += multiple * epsilon;
        study.assembled_in(&values, settled, shape).map_err(|source| SensitivityError::Variable {
            variable: study.designs[j].name.clone(),
            unit: study.designs[j].unit.clone(),
            change: multiple * epsilon,
            source: Box::new(source),
        })
    };
    stencil.multiples.iter().map(at).collect()
}
