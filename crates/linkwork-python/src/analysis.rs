//! Questions about a mechanism that are more than a run: a function for each, and one line in the module. What they answer goes to `linkwork/_analysis.py`.

use crate::errors::{guarded, refused};
use crate::model::Mechanism;
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
