//! The engine for Python: the module `linkwork._native`.
//!
//! It is the smallest set of calls that the pure part of the package, `python/linkwork`, is made of: models are read, mechanisms assembled, runs
//! and batches computed without Python's lock, and their numbers handed over as arrays without a copy. What is comfortable to use is written in Python.
//!
//! No call lets a panic out: it becomes `linkwork.InternalError` ([`errors::guarded`]).

mod analysis;
mod batch;
mod errors;
mod files;
mod model;
mod optimize;
mod run;
mod sensitivity;
mod settings;
mod simulation;
mod sweep;
mod watch;

/// The engine, as the package `linkwork` uses it.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::analysis::{
        InverseData, compare, equilibrium, inverse, linearize, modes, poses, steady_motion,
    };
    #[pymodule_export]
    use crate::batch::{BatchData, batch_start, run_batch};
    #[pymodule_export]
    use crate::files::{
        command, examples, film, imported, long_table, picture, plot, report, results_csv, schema,
    };
    #[pymodule_export]
    use crate::model::{Mechanism, Model, with_values};
    #[pymodule_export]
    use crate::optimize::{Objective, fit, measured, optimize};
    #[pymodule_export]
    use crate::run::{RunData, simulate};
    #[pymodule_export]
    use crate::sensitivity::{sensitivity, variables};
    #[pymodule_export]
    use crate::simulation::{Port, Saved, Simulation, advance_all};
    #[pymodule_export]
    use crate::sweep::{Sweep, plan_values, sweep_indices, sweep_merge, sweep_page, sweep_status};
}
