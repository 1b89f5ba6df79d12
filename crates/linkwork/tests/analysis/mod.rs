//! Analyses: questions about a mechanism that need no run.

pub mod equilibrium;
mod equilibrium_contacts;
mod equilibrium_written;
mod inverse;
mod inverse_faults;
mod poses;
mod sensitivities;
mod steady;
mod workspaces;
