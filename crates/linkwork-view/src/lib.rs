//! Mechanisms in the browser: the report page and the live viewer.
//!
//! Both show one page ([`page`]) with a [`Scene`](linkwork_scene::Scene) and its poses. [`report()`] makes it from a recording and the
//! other results of a run; [`live`] shows a model that runs now. [`stream`] has the frames that the page takes.

pub mod live;
pub mod page;
pub mod report;
pub mod stream;
pub mod table;

pub use report::{REPORT_FILE, ReportError, motion_page, report};
