//! Bodies that touch: gaps between surfaces, the impulses and forces that keep them open, friction.
//!
//! A [`Feature`] is one way in which two surfaces can meet (a corner and a plane, two spheres); at an instant it is a
//! [`Touch`]: how far apart, where, in which direction. Everything else speaks of touches only.

pub mod solve;
mod touch;

pub use solve::ContactFailure;
pub use touch::{Feature, Touch};
