//! Bodies that touch: gaps between surfaces, the impulses and forces that keep them open, friction.
//!
//! A [`Feature`] is one way in which two surfaces can meet (a corner and a plane, two spheres); at an instant it is a
//! [`Touch`]: how far apart, where, in which direction. Everything else speaks of touches only. A [`Surface`] is a plane or a solid
//! on a body: two of them meet in some features, and a [`Nearby`] tells which pairs are near enough to be looked at.

mod balls;
mod boxes;
mod jets;
mod nearby;
mod rims;
mod solids;
mod surface;
mod touch;

#[cfg(test)]
mod tests;

pub use nearby::{Nearby, Pair};
pub use solids::{Block, Can};
pub use surface::{Form, Surface};
pub use touch::{Feature, Touch};
