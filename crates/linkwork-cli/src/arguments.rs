//! Parts of the command line that several verbs share.

use clap::ValueEnum;
use linkwork::model::{Formulation, InitialState, Integrator};

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The formulation of this name.
pub fn formulation(name: &str) -> Result<Formulation, String> {
    named(name, &Formulation::CHOICES, Formulation::name)
}

/// The initial state of this name.
pub fn initial(name: &str) -> Result<InitialState, String> {
    named(name, &InitialState::ALL, InitialState::name)
}

/// The integrator of this name.
pub fn integrator(name: &str) -> Result<Integrator, String> {
    named(name, &Integrator::ALL, Integrator::name)
}

fn named<T: Copy>(name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|x| name_of(*x) == name);
    found.ok_or_else(|| format!("choose one of: {}", list(all, name_of)))
}

/// Help of an option that takes one of several names, the default first.
pub fn names<T: Copy>(what: &str, all: &[T], name_of: fn(T) -> &'static str) -> String {
    format!("{what}, by default the first: {}", list(all, name_of))
}

fn list<T: Copy>(all: &[T], name_of: fn(T) -> &'static str) -> String {
    all.iter().map(|x| name_of(*x)).collect::<Vec<_>>().join(", ")
}
