//! Integrators, error control, what they cost, and runs: batches, checkpoints, streams.

mod batch;
mod bdf;
mod checkpoint;
mod controllers;
mod counts;
mod defaults;
mod esdirk;
mod far_from_origin;
mod fixed_step_methods;
mod integrate_allocations;
mod narrow_forces;
mod orders;
mod signals;
mod singular;
mod states;
mod stepping;
mod stiff;
mod streaming;
mod taylor;
mod time_dependence;
