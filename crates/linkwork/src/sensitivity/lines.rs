//! The motion and its derivatives by all variables as one system.
//!
//! With y the state in the coordinates of a formulation, y' = f(t, y; p), and S_j = ∂y/∂p_j at a given time,
//!
//!   (V1)  S'_j = f_y S_j + f_(p_j),     S_j(0) = ∂y₀/∂p_j
//!
//! which is the derivative of f along one line, that of y + ε S_j and p_j + ε. In point coordinates it is a sum of products and one solution with the factor that y' needs anyway
//! ([`Variational`](crate::formulations::Variational)), several variables side by side; what couplings and actions give to it is taken from a tape, or is a difference along the line. In other
//! coordinates, and while contacts are closed, all of it is such a difference.
//!
//! The steps are those that y needs: the error of S is allowed to be a hundred times as large. It seldom is, but a state that rests has derivatives that move.

use super::bundle::Bundle;
use super::flow::{Flow, Pace};
use super::{Method, SensitivityError};
use crate::Error;
use crate::formulations::Directions;
use crate::integrate::{Limits, StepError, Stepper, System};

/// Local error of the state, relative to what is largest in it.
const TOLERANCE: f64 = 1e-13;
/// How much larger that of the derivatives may be.
const LOOSER: f64 = 1e4;
/// What derivatives count for at least in the control of errors, in parts of the size of the mechanism by that of the variable.
const FLOOR: f64 = 1e-2;
/// The same where differences are taken of forces, of which these make roundings by ε.
const ROUGH_FLOOR: f64 = 10.0;

/// y and all S_j under way.
pub(super) struct Lines<'v> {
    pub system: LineSystem<'v>,
    stepper: Stepper,
    pace: Pace,
}

/// y' and S'.
pub(super) struct LineSystem<'v> {
    pub bundle: Bundle<'v>,
    scales: Vec<f64>,
    sum: Vec<f64>,
    /// u̇ and λ of the instant, and what is left of couplings and actions.
    held: [Vec<f64>; 2],
    remainders: Vec<f64>,
}

impl<'v> Lines<'v> {
    pub fn new(bundle: Bundle<'v>) -> Self {
        let integrator = bundle.vicinity.nominal.model().settings.integrator;
        let n = bundle.layout.n;
        let stepper = Stepper::dop853(bundle.layout.len(), TOLERANCE)
            .with_projection(false)
            .with_limits(Limits { max_step: bundle.vicinity.nominal.longest_step(), ..Limits::default() });
        let system = LineSystem {
            bundle,
            scales: Vec::new(),
            sum: vec![0.0; n],
            held: Default::default(),
            remainders: Vec::new(),
        };
        Lines { system, stepper, pace: Pace::new(Method::Direct, integrator, [0.0; 2]) }
    }
}

fn wrong(t: f64) -> impl Fn(StepError<Error>) -> SensitivityError {
    move |error| match error {
        StepError::System { source, .. } => SensitivityError::Nominal(source),
        other => SensitivityError::Refused { method: Method::Direct, t, why: other.to_string() },
    }
}

impl<'v> Flow<'v> for Lines<'v> {
    fn bundle(&mut self) -> &mut Bundle<'v> {
        &mut self.system.bundle
    }

    fn begin(
        &mut self,
        whole: &[f64],
        [from, to]: [f64; 2],
        landing: Option<f64>,
    ) -> Result<(), SensitivityError> {
        self.system.weigh(whole);
        let integrator = self.system.bundle.vicinity.nominal.model().settings.integrator;
        self.pace = Pace::new(Method::Direct, integrator, [from, to]);
        self.stepper.start(&mut self.system, from, whole, to).map_err(wrong(from))?;
        if let Some(t) = landing {
            self.stepper.land_on(t);
        }
        Ok(())
    }

    fn step(&mut self) -> Result<[f64; 2], SensitivityError> {
        let t = self.stepper.t();
        self.stepper.step(&mut self.system).map_err(wrong(t))?;
        self.pace.step(self.stepper.t())?;
        Ok([self.stepper.t_old(), self.stepper.t()])
    }

    fn is_finished(&self) -> bool {
        self.stepper.is_finished()
    }

    fn whole(&self) -> &[f64] {
        self.stepper.y()
    }

    fn look_at(&mut self, t: f64, out: &mut [f64]) -> Result<(), SensitivityError> {
        self.stepper.interpolate(&mut self.system, t, out).map_err(wrong(t))
    }
}

impl LineSystem<'_> {
    /// Sets what errors are measured against over a stretch that begins with `whole`: the coordinates of y and of each S_j by the largest of them, and likewise their rates. Work is as
    /// accurate as what does it.
    fn weigh(&mut self, whole: &[f64]) {
        let bundle = &self.bundle;
        let (layout, vicinity) = (&bundle.layout, bundle.vicinity);
        let size = vicinity.nominal.size();
        let rates = bundle.nominal.rates();
        let parts = [0..rates.start, rates.clone(), rates.end + 1..layout.n];
        self.scales.clear();
        self.scales.resize(whole.len(), f64::INFINITY);
        let rough = bundle.directions.as_ref().is_none_or(|directions| !directions.on_line().is_empty());
        let floor = if rough { ROUGH_FLOOR } else { FLOOR };
        for part in parts {
            let largest = |of: &dyn Fn(usize) -> f64, least: f64| {
                part.clone().fold(least, |most, i| most.max(of(i).abs()))
            };
            let scale = largest(&|i| whole[i], size);
            part.clone().for_each(|i| self.scales[i] = scale);
            for (j, epsilon) in vicinity.epsilons.iter().enumerate() {
                let least = floor * size * vicinity.stencil.epsilon / epsilon;
                let scale = LOOSER * largest(&|i| whole[layout.at(j, i)], least);
                part.clone().for_each(|i| self.scales[layout.at(j, i)] = scale);
            }
        }
    }

    /// (V1) with the factor of y'; `None` where the formulation does not differentiate its equations as things stand.
    fn with_factor(
        &mut self,
        t: f64,
        whole: &[f64],
        d_whole: &mut [f64],
        directions: &mut Directions,
    ) -> Option<Result<(), Error>> {
        let n = self.bundle.layout.n;
        let (y, dy) = (&whole[..n], &mut d_whole[..n]);
        let on_line = !directions.on_line().is_empty();
        let held = &mut self.held;
        let begun = self.bundle.nominal.variational(t, |equations| {
            equations.begin(t, y, dy)?;
            if on_line {
                for (kept, now) in held.iter_mut().zip(equations.held()) {
                    kept.clear();
                    kept.extend_from_slice(now);
                }
            }
            Ok(equations.remainders())
        })?;
        let each = match begun {
            Ok(each) => each,
            Err(error) => return Some(Err(error)),
        };
        for b in 0..self.bundle.layout.blocks().len() {
            let variables = self.bundle.layout.blocks()[b].variables.clone();
            if on_line && let Err(error) = self.remain(t, whole, each, variables) {
                return Some(Err(error));
            }
            let Bundle { nominal, layout, .. } = &mut self.bundle;
            let range = layout.blocks()[b].range.clone();
            let (s, ds) = (&whole[range.clone()], &mut d_whole[range]);
            let found = nominal.variational(t, |equations| {
                equations.vary(y, directions, b, &self.remainders, s, ds);
                Ok(())
            })?;
            if let Err(error) = found {
                return Some(Err(error));
            }
        }
        Some(Ok(()))
    }

    /// What couplings and actions leave along the lines of some variables, one after the other.
    fn remain(
        &mut self,
        t: f64,
        whole: &[f64],
        each: usize,
        variables: std::ops::Range<usize>,
    ) -> Result<(), Error> {
        let LineSystem { bundle, held, remainders, .. } = self;
        remainders.clear();
        remainders.resize(each * variables.len(), 0.0);
        for (j, out) in variables.zip(remainders.chunks_exact_mut(each)) {
            bundle.along(j, t, whole, out, &mut |_, probe, t, y, found| {
                found.resize(each, 0.0);
                let held = [&held[0][..], &held[1][..]];
                let asked = probe.variational(t, |equations| {
                    equations.remain(t, y, held, found);
                    Ok(())
                });
                // a neighbour stands as the nominal mechanism does
                asked.unwrap_or(Ok(()))
            })?;
        }
        Ok(())
    }
}

impl System for LineSystem<'_> {
    type Error = Error;

    fn dimension(&self) -> usize {
        self.bundle.layout.len()
    }

    fn derivative(&mut self, t: f64, whole: &[f64], d_whole: &mut [f64]) -> Result<(), Error> {
        if let Some(mut directions) = self.bundle.directions.take() {
            let found = self.with_factor(t, whole, d_whole, &mut directions);
            self.bundle.directions = Some(directions);
            if let Some(found) = found {
                return found;
            }
        }
        let n = self.bundle.layout.n;
        d_whole[n..].fill(0.0);
        self.bundle.nominal.derivative(t, &whole[..n], &mut d_whole[..n])?;
        let mut sum = std::mem::take(&mut self.sum);
        let found = (0..self.bundle.vicinity.variables()).try_for_each(|j| {
            self.bundle.along(j, t, whole, &mut sum, &mut |_, probe, t, y, found| {
                found.resize(y.len(), 0.0);
                probe.derivative(t, y, found)
            })?;
            sum.iter().enumerate().for_each(|(i, x)| d_whole[self.bundle.layout.at(j, i)] = *x);
            Ok(())
        });
        self.sum = sum;
        found
    }

    fn error_scale(&self, scale: &mut [f64]) {
        scale.copy_from_slice(&self.scales);
    }
}
