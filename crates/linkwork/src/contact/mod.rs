//! Bodies that touch: gaps between surfaces, the impulses and forces that keep them open, friction.
//!
//! A [`Feature`] is one way in which two surfaces can meet (a corner and a plane, two spheres); at an instant it is a
//! [`Touch`]: how far apart, where, in which direction. Everything else speaks of touches only. A [`Surface`] is a plane or a solid
//! on a body: two of them meet in some features, and a [`Nearby`] tells which pairs are near enough to be looked at.
//!
//! Contacts are no rows of a formulation's equations: they act as forces on bodies, found in the space of the contacts
//! ([`Site`]) with what the formulation answers to unit forces there. So the equations keep their pattern whatever touches, and contacts
//! may be redundant. [`solve`] knows the laws; the decorator [`Contacting`](crate::formulations::Contacting) moves a mechanism while contacts are closed; what
//! happens when they close, open, slip or stick is an event of the [simulation](crate::simulation).

mod balls;
mod boxes;
mod crowd;
mod grid;
mod hull;
mod jets;
pub mod manifold;
mod mode;
mod nearby;
mod rims;
mod site;
mod solids;
pub mod solve;
mod space;
pub mod steps;
mod surface;
mod touch;

#[cfg(test)]
mod tests;

pub use crowd::{Crowd, CrowdPair, Crowds};
pub use hull::Hull;
pub use manifold::{ContactPoint, manifold};
pub use mode::{ClosedContact, StickOrSlip};
pub use nearby::{Nearby, Pair};
pub use site::Site;
pub use solids::{Block, Can};
pub use solve::ContactFailure;
pub use space::{Along, Block as SpaceBlock, ContactSpace};
pub use surface::{Form, Surface};
pub use touch::{Feature, SurfacePair, Touch};
