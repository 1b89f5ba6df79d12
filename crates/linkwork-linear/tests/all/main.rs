//! All tests of the crate in one binary.

mod bicycle;
mod suite;
