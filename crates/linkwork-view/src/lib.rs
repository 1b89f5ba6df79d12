//! Mechanisms to look at.
//!
//! A [`Scene`] says what there is to draw and on which body each part sits; it does not change during a run. A [`Pose`] says where the
//! bodies are at an instant. The report page, the live viewer, stills, animations and glTF files are all made from these two, so that they show the same.
//!
//! A [`Recorder`] takes the frames of a run and writes them as a recording, `motion.lwm`; [`Recording`] reads it back, and [`report()`] makes a page of it and
//! the other results of a run. [`stream`] has the frames that the page takes. [`live`] shows a
//! model that runs now.

pub mod live;
pub mod motion;
pub mod page;
pub mod pose;
pub mod posing;
pub mod recorder;
pub mod report;
pub mod scene;
pub mod stream;
pub mod table;
mod tyres;

pub use motion::{Recording, RecordingError};
pub use pose::{Placement, Pose};
pub use posing::{Poser, place_in};
pub use recorder::Recorder;
pub use report::{MOTION_FILE, REPORT_FILE, ReportError, report};
pub use scene::Scene;
