//! Mechanisms to look at.
//!
//! A [`Scene`] says what there is to draw and on which body each part sits; it does not change during a run. A [`Pose`] says where the
//! bodies are at an instant. The report page, the live viewer, stills, animations and glTF files are all made from these two, so that they show the same.

pub mod pose;
pub mod scene;

pub use pose::Pose;
pub use scene::Scene;
