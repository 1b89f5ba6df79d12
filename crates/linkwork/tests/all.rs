//! All tests of the library with files, in one binary: compiling and linking it takes longer than most tests.

mod analysis;
mod architecture;
mod contacts;
mod formulations;
mod inputs;
mod integration;
mod machines;
mod suite;
