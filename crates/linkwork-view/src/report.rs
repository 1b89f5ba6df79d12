//! The report: a page made from a folder of results.

use crate::page::{blob, page_alone};
use crate::stream::{Encoder, Quanta};
use crate::table::{MOST_EVENTS, MOST_VALUES, Table, TableEvent, read_events, read_summary, read_table};
use linkwork::results::Column;
use linkwork_scene::{MOTION_FILE, Recording, RecordingError, Scene, Snapshot};
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::Path;

/// The name of the report.
pub const REPORT_FILE: &str = "report.html";

/// What the page of a report holds.
#[derive(Serialize)]
struct Data<'a> {
    format: u32,
    kind: &'static str,
    scene: &'a Scene,
    summary: serde_json::Value,
    warnings: Vec<String>,
    events: Vec<TableEvent>,
    table: Table,
    motion: Motion,
}

/// The motion as the page takes it.
#[derive(Serialize)]
struct Motion {
    frames: usize,
    #[serde(flatten)]
    quanta: Quanta,
    blob: String,
}

impl Motion {
    fn of(scene: &Scene, poses: &[Snapshot]) -> io::Result<Self> {
        let quanta = Quanta::of_poses(scene, poses);
        let mut bytes: Vec<u8> = poses.iter().flat_map(|pose| pose.t.to_le_bytes()).collect();
        let mut encoder = Encoder::new(scene, quanta);
        poses.iter().for_each(|pose| encoder.encode(pose, &mut bytes));
        let blob = blob(&bytes)?;
        Ok(Motion { frames: poses.len(), quanta, blob })
    }
}

/// Why there is no report.
#[derive(Debug)]
pub enum ReportError {
    /// The recording: its file, and what is wrong.
    Recording(String, RecordingError),
    /// Another file; the message names it.
    Io(io::Error),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::Recording(file, RecordingError::Io(error))
                if error.kind() == io::ErrorKind::NotFound =>
            {
                write!(
                    f,
                    "{file} is not there: a report needs the motion that `linkwork run` records beside its results"
                )
            }
            ReportError::Recording(file, error) => write!(f, "{file}: {error}"),
            ReportError::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ReportError {}

impl From<io::Error> for ReportError {
    fn from(error: io::Error) -> Self {
        ReportError::Io(error)
    }
}

/// The report on a folder of results (`motion.lwm`, `results.csv`, `events.csv` if there is one, `summary.json`) as one HTML file.
pub fn report(folder: &Path) -> Result<String, ReportError> {
    let file = folder.join(MOTION_FILE);
    let recording =
        Recording::read(&file).map_err(|error| ReportError::Recording(file.display().to_string(), error))?;
    report_of(folder, &recording)
}

/// Likewise, with a recording that is at hand.
pub fn report_of(folder: &Path, recording: &Recording) -> Result<String, ReportError> {
    let mut scene = recording.scene.clone();
    scene.enlarge_markers(&recording.poses);
    let (table, of_rows) = read_table(&folder.join("results.csv"), &recording.columns, MOST_VALUES)?;
    let (events, of_events) = read_events(&folder.join("events.csv"), MOST_EVENTS)?;
    let summary = read_summary(&folder.join("summary.json"))?;
    let mut warnings = recording.warnings.clone();
    warnings.extend(of_rows.into_iter().chain(of_events));
    let data = Data {
        format: 1,
        kind: "report",
        scene: &scene,
        summary,
        warnings,
        events,
        table,
        motion: Motion::of(&scene, &recording.poses)?,
    };
    Ok(page_alone(&data)?)
}

/// The page of a motion that no run has made, such as a mode of vibration: the recording and one column of numbers over its time, without events. `summary` is what the
/// page says of it, as of a run.
pub fn motion_page(
    recording: &Recording,
    name: &str,
    values: &[f64],
    summary: serde_json::Value,
) -> io::Result<String> {
    let times = recording.poses.iter().map(|pose| pose.t);
    let bytes: Vec<u8> = times.chain(values.iter().copied()).flat_map(|x| (x as f32).to_le_bytes()).collect();
    let column = |name: &str, unit: &str| Column { name: name.into(), unit: unit.into() };
    let table = Table {
        columns: vec![column("t", "s"), column(name, "")],
        rows: recording.poses.len(),
        blob: blob(&bytes)?,
    };
    let data = Data {
        format: 1,
        kind: "report",
        scene: &recording.scene,
        summary,
        warnings: recording.warnings.clone(),
        events: Vec::new(),
        table,
        motion: Motion::of(&recording.scene, &recording.poses)?,
    };
    page_alone(&data)
}
