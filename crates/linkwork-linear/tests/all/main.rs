//! All tests of the crate in one binary.

mod beams;
mod bicycle;
mod closed_forms;
mod formulations;
mod free_and_refused;
mod responses;
mod suite;
