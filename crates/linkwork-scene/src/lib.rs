//! Mechanisms as scenes and poses, and their recorded motion.
//!
//! A [`Scene`] says what there is to draw and on which body each part sits; it does not change during a run. A [`Snapshot`] says where the
//! bodies are at an instant. The report page, the live viewer, stills, animations and glTF files are all made from these two, so that they show the same.
//!
//! A [`Recorder`] takes the frames of a run and writes them as a recording, `motion.lwm`; [`Recording`] reads it back.

pub mod motion;
pub mod pose;
pub mod posing;
pub mod recorder;
pub mod scene;

pub use motion::{MOTION_FILE, Recording, RecordingError};
pub use pose::{Placement, Section, Snapshot};
pub use posing::{Poser, place_in};
pub use recorder::Recorder;
pub use scene::Scene;
