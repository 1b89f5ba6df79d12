//! Errors of the engine as exceptions of the package, which `linkwork._errors` makes.

use linkwork::Error;
use linkwork::model::{Fault, Faults};
use linkwork::simulation::RunFailure;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls something, and makes an exception of a panic in it.
pub fn guarded<T>(py: Python<'_>, act: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| Err(internal(py, &*panic)))
}

/// The exception of a panic.
pub fn internal(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    made(py, "internal_error", (said,))
}

/// An exception that a function of `linkwork._errors` makes.
pub fn made<'py>(py: Python<'py>, maker: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let maker = py.import("linkwork._errors").and_then(|errors| errors.getattr(maker));
    maker.and_then(|maker| maker.call1(arguments)).map_or_else(|error| error, PyErr::from_value)
}

/// The exception of an error of the engine.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Model(faults) => refused(py, faults),
        Error::Run(failure) => failed(py, failure),
        Error::Io { file, source } => {
            made(py, "file_error", (file.as_str(), source.to_string(), source.raw_os_error()))
        }
        other => wrong(py, other.to_string()),
    }
}

/// `ModelError`.
pub fn refused(py: Python<'_>, faults: &Faults) -> PyErr {
    made(py, "model_error", (faults.to_string(), faults.to_json().to_string()))
}

/// `RunFailure`, without the rows.
pub fn failed(py: Python<'_>, failure: &RunFailure) -> PyErr {
    made(py, "run_failure", (failure.code, failure.t, failure.message.as_str(), failure.advice.as_str()))
}

/// `InputError`.
pub fn wrong(py: Python<'_>, message: impl AsRef<str>) -> PyErr {
    made(py, "input_error", (message.as_ref(),))
}

/// An error among those of a model.
pub fn as_faults(error: Error) -> Faults {
    match error {
        Error::Model(faults) => faults,
        other => Faults { list: vec![Fault::error("", other.to_string())], provenance: None },
    }
}
