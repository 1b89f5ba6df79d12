//! Questions about a mechanism that are more than a run: a function for each, and one line in the module. What they answer goes to `linkwork/_analysis.py`.

use crate::errors::{guarded, raised, refused, wrong};
use crate::model::Mechanism;
use linkwork::Error;
use linkwork::analysis::inverse::{Motion, Settings, Smoothing};
use linkwork::analysis::pose::{PoseOptions, Poses, Target};
use linkwork::analysis::{EquilibriumOptions, Hold, Linearization, LinearizeOptions, SteadyOptions};
use linkwork::model::Formulation;
use linkwork_cli::At;
use linkwork_linear::{Modes, write};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Runs a mechanism in every formulation that applies; by how much they differ, as JSON.
#[pyfunction]
pub fn compare(py: Python<'_>, mechanism: &Mechanism) -> PyResult<String> {
    guarded(py, || {
        let compared = py.detach(|| mechanism.assembled.compare());
        let compared = compared.map_err(|faults| refused(py, &faults))?;
        Ok(linkwork_cli::compare_json(&mechanism.assembled, &compared).to_string())
    })
}

/// Static equilibrium with time standing still, as JSON, and the model that begins there, as TOML; nothing where no model file can say so.
#[pyfunction]
pub fn equilibrium(py: Python<'_>, mechanism: &Mechanism, at: f64) -> PyResult<(String, Option<String>)> {
    guarded(py, || {
        let assembled = &*mechanism.assembled;
        let mut options = EquilibriumOptions::default();
        options.at = at;
        let found = py.detach(|| assembled.equilibrium(&options)).map_err(|error| raised(py, &error))?;
        let model = found.redrawn(assembled, &mechanism.said).and_then(|redrawn| redrawn.model.to_toml());
        Ok((found.to_json(assembled).to_string(), model.ok()))
    })
}

/// A steady motion with rates that are held, as JSON.
#[pyfunction]
pub fn steady_motion(
    py: Python<'_>,
    mechanism: &Mechanism,
    at: f64,
    hold: Vec<(String, f64)>,
) -> PyResult<String> {
    guarded(py, || {
        let assembled = &*mechanism.assembled;
        let mut options = SteadyOptions::default();
        options.at = at;
        options.hold = hold.into_iter().map(|(what, value)| Hold { what, value }).collect();
        let found = py.detach(|| assembled.steady_motion(&options)).map_err(|error| raised(py, &error))?;
        Ok(found.to_json(assembled).to_string())
    })
}

/// A linear system at a state, as JSON.
#[pyfunction]
pub fn linearize(
    py: Python<'_>,
    mechanism: &Mechanism,
    at: &str,
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
    formulation: Option<&str>,
) -> PyResult<String> {
    guarded(py, || {
        let linear = linearized(py, mechanism, at, inputs, outputs, formulation)?;
        Ok(write::json(&linear).to_string())
    })
}

/// The eigenmodes at a state, as JSON.
#[pyfunction]
pub fn modes(py: Python<'_>, mechanism: &Mechanism, at: &str, formulation: Option<&str>) -> PyResult<String> {
    guarded(py, || {
        let linear = linearized(py, mechanism, at, Some(Vec::new()), Some(Vec::new()), formulation)?;
        let modes = py.detach(|| Modes::new(&linear)).map_err(|error| wrong(py, error.to_string()))?;
        Ok(write::modes_json(&linear, &modes).to_string())
    })
}

fn linearized(
    py: Python<'_>,
    mechanism: &Mechanism,
    at: &str,
    inputs: Option<Vec<String>>,
    outputs: Option<Vec<String>>,
    formulation: Option<&str>,
) -> PyResult<Linearization> {
    let at: At = at.parse().map_err(|message: String| wrong(py, message))?;
    let formulation: Formulation = match formulation {
        None => Formulation::Auto,
        Some(name) => {
            let known = Formulation::CHOICES.iter().copied().find(|choice| choice.name() == name);
            known.ok_or_else(|| wrong(py, format!("there is no formulation `{name}`")))?
        }
    };
    let options = LinearizeOptions { formulation, inputs, outputs };
    let linear = py.detach(|| {
        let (there, state) = linkwork_cli::state_at(mechanism.assembled.as_ref().clone(), at)?;
        there.linearize(&state, &options)
    });
    linear.map_err(|error| raised(py, &error))
}

/// The pose that meets targets, or all poses that random starts find, as JSON.
#[pyfunction]
pub fn poses(
    py: Python<'_>,
    mechanism: &Mechanism,
    targets: Vec<(String, f64)>,
    all: bool,
    starts: usize,
    seed: u64,
    at: f64,
) -> PyResult<String> {
    guarded(py, || {
        let targets: Result<Vec<Target>, String> =
            targets.iter().map(|(text, weight)| Ok(text.parse::<Target>()?.weight(*weight))).collect();
        let targets = targets.map_err(|message| wrong(py, message))?;
        let options = PoseOptions { at, seed, starts, ..PoseOptions::default() };
        let assembled = &*mechanism.assembled;
        let found: Result<Poses, Error> = py.detach(|| match all {
            true => assembled.poses(&targets, &options),
            false => {
                let pose = assembled.pose(&targets, &options)?;
                let (list, nearest) =
                    if pose.reached { (vec![pose], None) } else { (Vec::new(), Some(Box::new(pose))) };
                Ok(Poses { arrived: list.len(), list, starts: 0, isolated: true, nearest })
            }
        });
        let found = found.map_err(|error| raised(py, &error))?;
        Ok(linkwork_cli::poses_json(assembled, &found, all).to_string())
    })
}

/// Name and unit of an actuator, its forces, coordinates and rates.
type Supply = (String, String, Py<PyArray1<f64>>, Py<PyArray1<f64>>, Py<PyArray1<f64>>);

/// What inverse dynamics has found.
#[pyclass(frozen, get_all, module = "linkwork._native")]
pub struct InverseData {
    /// Times, s.
    t: Py<PyArray1<f64>>,
    /// Name and unit of each actuator, its forces, coordinates and rates.
    supplies: Vec<Supply>,
    /// How many ways there are to share the forces, less one.
    multiplicity: usize,
    /// The largest condition number on the way, and when.
    condition: (f64, f64),
    /// What no actuator supplies: its size, time and rate.
    residual: Option<(f64, f64, String)>,
}

/// Forces of actuators along a motion: coordinates by name, with their values at the times.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn inverse(
    py: Python<'_>,
    mechanism: &Mechanism,
    t: PyReadonlyArray1<'_, f64>,
    coordinates: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    cutoff: Option<f64>,
    actuators: Option<Vec<String>>,
    weights: Vec<(String, f64)>,
    residuals: bool,
) -> PyResult<InverseData> {
    guarded(py, || {
        let smoothing = cutoff.map_or(Smoothing::Through, Smoothing::Cutoff);
        let motion = || -> Result<Motion, Error> {
            let mut motion = Motion::new(t.as_array().to_vec(), smoothing)?;
            for (name, values) in &coordinates {
                motion = motion.prescribe(name.as_str(), &values.as_array().to_vec())?;
            }
            Ok(motion)
        };
        let motion = motion().map_err(|error| raised(py, &error))?;
        let settings = Settings { actuators, weights, residuals, ..Settings::default() };
        let found = py.detach(|| mechanism.assembled.inverse(&motion, &settings));
        let found = found.map_err(|error| raised(py, &error))?;
        let array = |values: &[f64]| PyArray1::from_slice(py, values).unbind();
        let supplies = found.supplies().iter().map(|supply| {
            let unit = if supply.turns { "N m" } else { "N" };
            let [forces, coordinates, rates] =
                [&supply.forces, &supply.coordinates, &supply.rates].map(|values| array(values));
            (supply.name.clone(), unit.to_owned(), forces, coordinates, rates)
        });
        Ok(InverseData {
            t: array(found.times()),
            supplies: supplies.collect(),
            multiplicity: found.multiplicity(),
            condition: found.condition(),
            residual: found.residual().map(|residual| (residual.size, residual.t, residual.rate.clone())),
        })
    })
}
