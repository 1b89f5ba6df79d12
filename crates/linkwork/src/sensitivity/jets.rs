//! Derivatives by power series in time, exact to rounding.
//!
//! y and S are expanded together ([`Variational::expand_jets`](crate::formulations::Variational)) and summed up; with the largest coefficients of order k in parts of what is largest there,
//!
//!   (T1)  h = 0.9 min_k (τ / ‖(y, S)_k‖)^(1/k),   k = p − 1, p
//!
//! so that what is cut off is below rounding. What the variables change in the numbers of the compiled mechanism comes from [differences of order ten](super::stencil::TEN).

use super::bundle::{Bundle, Tables};
use super::flow::{Flow, Pace};
use super::march::{March, reported};
use super::record::Record;
use super::stencil::TEN;
use super::vicinity::Vicinity;
use super::{Method, Sensitivities, SensitivityError, Study};
use crate::formulations::{Directions, Neighbours};
use crate::model::{Formulation, Integrator};
use crate::simulation::Probe;

/// Order of the series, and the last terms in parts of the largest numbers.
const ORDER: usize = 24;
const LAST: f64 = 1e-17;
/// Local error of the runs that find events, and of those that cannot be series.
const TOLERANCE: f64 = 1.1e-15;
const WITHOUT_SERIES: f64 = 5e-15;
/// What derivatives count for at least, in parts of the size of the mechanism by that of the variable.
const FLOOR: f64 = 1e-3;

impl Study<'_> {
    /// Derivatives by power series in time that carry them: about 1e-13 of the largest one. No errors are estimated: compare with [`Study::direct`], which takes other equations and another integrator.
    ///
    /// # Errors
    /// As [`Study::direct`]; mechanisms with elements that have no power series, with laws that do something narrow, and with contacts that stay closed.
    pub fn jets(&self) -> Result<Sensitivities, SensitivityError> {
        let (mut nominal, mut settled) = self.settled_with(|settings| {
            (settings.formulation, settings.integrator) = (Formulation::Points, Integrator::Taylor);
            (settings.tolerance, settings.step, settings.order) = (TOLERANCE, None, Some(ORDER as u64));
        })?;
        if settled.integrator != Integrator::Taylor {
            // runs over contacts have no series
            (settled.integrator, settled.tolerance, settled.order) =
                (Integrator::Dop853, WITHOUT_SERIES, None);
            nominal.model.settings = settled.clone();
        }
        self.without_samples(&nominal, Method::Jets)?;
        let t = nominal.start_time;
        let refused = |why: String| SensitivityError::Refused { method: Method::Jets, t, why };
        // what has no series may be stiff as well: it is refused before anything runs
        let alone = Neighbours::none(&nominal);
        let mut probe = Probe::new(&nominal, Formulation::Points)?;
        if let Some(directions) = probe.variational(t, |equations| Ok(equations.directions(&alone, &[]))) {
            prepare(&mut probe, &alone, &directions?.map_err(refused)?).map_err(refused)?;
        }
        drop(probe);
        let record = Record::for_derivatives(&nominal, &self.quantities)?;
        let mut vicinity = Vicinity::new(self, nominal, &settled, &TEN)?;
        let tables = Tables::new(self, &mut vicinity, &record.columns, Formulation::Points)?;
        let notes = tables.doubtful(self, &vicinity);
        if let Some(why) = &tables.why {
            return Err(refused(why.clone()));
        }
        let bundle = Bundle::new(&vicinity, tables);
        let flow = Jets::new(bundle).map_err(refused)?;
        let found = March::through(self, &record, &vicinity, Method::Jets, flow)?;
        let neighbours = vicinity.lines.iter().map(Vec::len).sum();
        reported(self, Method::Jets, record, found, neighbours, notes)
    }
}

/// y and S on their way.
struct Jets<'v> {
    bundle: Bundle<'v>,
    /// Coefficients, order by order.
    c: Vec<f64>,
    /// What is largest in each part of y and of each S.
    scales: Vec<f64>,
    span: [f64; 2],
    end: f64,
    landing: f64,
    whole: Vec<f64>,
    dy: Vec<f64>,
    pace: Pace,
}

/// Prepares equations of motion for jets, or tells what has none.
fn prepare(probe: &mut Probe, neighbours: &Neighbours<'_>, directions: &Directions) -> Result<(), String> {
    let prepared =
        probe.variational(0.0, |equations| Ok(equations.prepare_jets(neighbours, directions, ORDER)));
    prepared.ok_or_else(lacking)?.map_err(|error| error.to_string())?.map_err(|missing| {
        let each = missing
            .iter()
            .map(|missing| format!("`{}` has no power series: {}", missing.element, missing.why));
        each.collect::<Vec<_>>().join("; ")
    })
}

fn lacking() -> String {
    "its equations of motion have parts that are not differentiated".into()
}

impl<'v> Jets<'v> {
    fn new(mut bundle: Bundle<'v>) -> Result<Self, String> {
        let neighbours = bundle.vicinity.neighbours();
        let Bundle { nominal, directions, layout, .. } = &mut bundle;
        let (n, length) = (layout.n, layout.len());
        prepare(nominal, &neighbours, directions.as_ref().ok_or_else(lacking)?)?;
        Ok(Jets {
            bundle,
            c: vec![0.0; (ORDER + 1) * length],
            scales: vec![1.0; length],
            span: [0.0; 2],
            end: 0.0,
            landing: f64::INFINITY,
            whole: vec![0.0; length],
            dy: vec![0.0; n],
            pace: Pace::new(Method::Jets, Integrator::Taylor, [0.0; 2]),
        })
    }

    fn refused(&self, why: &str) -> SensitivityError {
        SensitivityError::Refused { method: Method::Jets, t: self.span[1], why: why.into() }
    }

    /// What coefficients are measured against: the largest of y and of each S, positions and rates alike but for the time in which the mechanism moves by its size.
    fn weigh(&mut self) {
        let Bundle { layout, vicinity, nominal, .. } = &self.bundle;
        let size = vicinity.nominal.size();
        let rates = nominal.rates();
        let parts = [0..rates.start, rates.clone(), rates.end..rates.end + 1, rates.end + 1..layout.n];
        self.scales.fill(f64::INFINITY);
        for (p, part) in parts.into_iter().enumerate() {
            let work = p == 2;
            let largest = |of: &dyn Fn(usize) -> f64, least: f64| {
                part.clone().fold(least, |most, i| most.max(of(i).abs()))
            };
            let scale = largest(&|i| self.whole[i], size);
            for i in part.clone().filter(|_| !work) {
                self.scales[i] = scale;
            }
            for (j, epsilon) in vicinity.epsilons.iter().enumerate() {
                let least = FLOOR * size * vicinity.stencil.epsilon / epsilon;
                let scale = largest(&|i| self.whole[layout.at(j, i)], least);
                for i in part.clone().filter(|_| !work) {
                    self.scales[layout.at(j, i)] = scale;
                }
            }
        }
    }

    /// ‖(y, S)_k‖
    fn norm(&self, k: usize) -> f64 {
        let length = self.whole.len();
        let c = &self.c[k * length..(k + 1) * length];
        c.iter().zip(&self.scales).fold(0.0, |most, (c, scale)| {
            let size = c.abs() / scale;
            if size.is_nan() { f64::NAN } else { most.max(size) }
        })
    }

    /// (T1)
    fn size(&self) -> f64 {
        let h = |k: usize| (LAST / self.norm(k)).powf(1.0 / k as f64);
        0.9 * h(ORDER - 1).min(h(ORDER))
    }

    fn sum(&self, tau: f64, out: &mut [f64]) {
        let length = out.len();
        out.copy_from_slice(&self.c[ORDER * length..]);
        for k in (0..ORDER).rev() {
            for (out, c) in out.iter_mut().zip(&self.c[k * length..(k + 1) * length]) {
                *out = *out * tau + c;
            }
        }
    }
}

impl<'v> Flow<'v> for Jets<'v> {
    fn bundle(&mut self) -> &mut Bundle<'v> {
        &mut self.bundle
    }

    fn begin(
        &mut self,
        whole: &[f64],
        [from, to]: [f64; 2],
        landing: Option<f64>,
    ) -> Result<(), SensitivityError> {
        self.whole.copy_from_slice(whole);
        (self.span, self.end) = ([from; 2], to);
        self.landing = landing.unwrap_or(f64::INFINITY);
        self.pace = Pace::new(Method::Jets, Integrator::Taylor, [from, to]);
        Ok(())
    }

    fn step(&mut self) -> Result<[f64; 2], SensitivityError> {
        let t = self.span[1];
        self.weigh();
        let Jets { bundle, whole, c, .. } = &mut *self;
        let expanded = bundle.nominal.variational(t, |equations| equations.expand_jets(t, whole, c));
        expanded.ok_or_else(|| {
            self.refused("while contacts are closed equations of motion are not differentiated")
        })??;
        if !self.c.iter().all(|x| x.is_finite()) {
            return Err(self.refused("the motion has no power series here: a length or a root vanishes"));
        }
        let longest = self.bundle.vicinity.nominal.longest_step();
        let next = if self.landing > t { self.landing.min(self.end) } else { self.end };
        let h = self.size().min(longest);
        if t + h <= t {
            return Err(self.refused("steps become too short: the motion is near a singular position"));
        }
        // a last step is no sliver
        let to = if t + 1.01 * h >= next { next } else { t + h };
        let mut whole = std::mem::take(&mut self.whole);
        self.sum(to - t, &mut whole);
        let n = self.bundle.layout.n;
        self.bundle.nominal.project(to, &mut whole[..n], &mut self.dy)?;
        self.whole = whole;
        self.span = [t, to];
        self.pace.step(to)?;
        Ok(self.span)
    }

    fn is_finished(&self) -> bool {
        self.span[1] >= self.end
    }

    fn whole(&self) -> &[f64] {
        &self.whole
    }

    fn look_at(&mut self, t: f64, out: &mut [f64]) -> Result<(), SensitivityError> {
        if t == self.span[1] {
            out.copy_from_slice(&self.whole);
        } else {
            self.sum(t - self.span[0], out);
        }
        Ok(())
    }
}
