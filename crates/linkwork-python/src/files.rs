//! Files and pictures of runs, and the command.

use crate::errors::{guarded, raised, wrong};
use crate::run::unwritable;
use linkwork::model::file::schema as schema_of_files;
use linkwork::results::{LongOwner, LongValues, write_columns};
use linkwork_formats::animation::Film;
use linkwork_formats::motion::{Clock, Motion};
use linkwork_formats::plot::{Plot, Size};
use linkwork_formats::table::Table;
use linkwork_formats::{Error, glb};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The examples that are built in: name, what it shows, text.
#[pyfunction]
pub fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    linkwork_cli::EXAMPLES.to_vec()
}

/// A robot of another program as a model file, and what was assumed or changed on the way, a line each.
#[pyfunction]
pub fn imported(py: Python<'_>, file: PathBuf) -> PyResult<(String, String)> {
    guarded(py, || {
        let read = py.detach(|| linkwork_import::import(&file, &linkwork_import::Options::default()));
        let read = read.map_err(|faults| raised(py, &faults.into()))?;
        let matters =
            |note: &&linkwork_import::notes::Note| note.severity > linkwork_import::notes::Severity::LeftOut;
        let notes: Vec<_> = read.notes.iter().filter(matters).cloned().collect();
        Ok((read.toml, linkwork_import::notes::Table(&notes).to_string()))
    })
}

/// The JSON schema of model files.
#[pyfunction]
pub fn schema() -> String {
    schema_of_files().to_string()
}

/// Runs the command with its arguments, the first of which is its name; the exit code.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    guarded(py, || Ok(py.detach(|| linkwork_cli::main(arguments))))
}

/// The bytes of `results.csv`: a row of `values` for each name.
#[pyfunction]
pub fn results_csv(
    py: Python<'_>,
    names: Vec<String>,
    values: PyReadonlyArray2<'_, f64>,
) -> PyResult<Vec<u8>> {
    guarded(py, || {
        let columns: Vec<Vec<f64>> = values.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut bytes = Vec::new();
        let written = write_columns(names.iter().map(String::as_str), &columns, &mut bytes);
        written.map_err(|error| wrong(py, error.to_string())).map(|()| bytes)
    })
}

/// What lines of a table in long form belong to: its name, the times of its rows, how many lines each has, and a row of numbers for each line.
type Owner = (String, Py<PyArray1<f64>>, Vec<usize>, Py<PyArray2<f64>>);

/// A table in long form from its bytes: the names of the numbers, and what its lines belong to.
#[pyfunction]
pub fn long_table(py: Python<'_>, csv: &[u8]) -> PyResult<(Vec<String>, Vec<Owner>)> {
    guarded(py, || {
        let values = py.detach(|| LongValues::from_csv(csv)).map_err(|error| wrong(py, error.to_string()))?;
        let width = values.columns.len();
        let owner = |owner: LongOwner| {
            let lines = owner.numbers.len() / width.max(1);
            let numbers = Array2::from_shape_vec((lines, width), owner.numbers);
            let numbers = numbers.map_err(|error| wrong(py, error.to_string()))?;
            let times = PyArray1::from_vec(py, owner.times).unbind();
            Ok((owner.name, times, owner.counts, unwritable(py, numbers)?))
        };
        let owners = values.owners.into_iter().map(owner).collect::<PyResult<_>>()?;
        Ok((values.columns, owners))
    })
}

/// The report page on a folder of results.
#[pyfunction]
pub fn report(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    guarded(py, || py.detach(|| linkwork_view::report(&folder)).map_err(|error| wrong(py, error.to_string())))
}

/// How a picture is written.
fn is_png(py: Python<'_>, kind: &str) -> PyResult<bool> {
    match kind {
        "svg" => Ok(false),
        "png" => Ok(true),
        _ => Err(wrong(py, format!("a picture is written as `svg` or `png`, not as `{kind}`"))),
    }
}

/// Curves of the columns of folders with results: a picture as `svg` or `png`.
#[pyfunction]
#[pyo3(signature = (folders, columns, *, kind="svg", x=None, title=None, start=None, end=None, size=None))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn plot(
    py: Python<'_>,
    folders: Vec<PathBuf>,
    columns: Vec<String>,
    kind: &str,
    x: Option<&str>,
    title: Option<String>,
    start: Option<f64>,
    end: Option<f64>,
    size: Option<[f64; 2]>,
) -> PyResult<Vec<u8>> {
    guarded(py, || {
        let png = is_png(py, kind)?;
        let draw = || -> Result<Vec<u8>, Error> {
            let tables: Vec<Table> =
                folders.iter().map(|folder| Table::open(folder)).collect::<Result<_, _>>()?;
            let mut plot = Plot::of(&tables, &columns, x, [start, end])?;
            plot.title = title;
            plot.size = size.map(Size::Pixels);
            let drawing = plot.draw();
            if png { drawing.to_pixels()?.to_png() } else { Ok(drawing.to_svg().into_bytes()) }
        };
        py.detach(draw).map_err(|error| wrong(py, error.to_string()))
    })
}

/// The motion in a folder of results at an instant: a picture as `svg` or `png`.
#[pyfunction]
#[pyo3(signature = (folder, at, *, kind="png", size=None, traces=Vec::new(), labels=false, colors=Vec::new(), enlarge=1.0))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn picture(
    py: Python<'_>,
    folder: PathBuf,
    at: f64,
    kind: &str,
    size: Option<[f64; 2]>,
    traces: Vec<String>,
    labels: bool,
    colors: Vec<String>,
    enlarge: f64,
) -> PyResult<Vec<u8>> {
    guarded(py, || {
        let png = is_png(py, kind)?;
        let draw = || -> Result<Vec<u8>, Error> {
            let motion = Motion::open(&folder)?;
            let clock = Clock { from: Some(at), to: Some(at), fps: 1.0, speed: 1.0 };
            let all = motion.poses.first().zip(motion.poses.last()).map(|(first, last)| [first.t, last.t]);
            let film =
                Film::new(&motion, &clock, size, 1280.0, all, &traces)?.with_looks(&colors, enlarge)?;
            let film = if labels { film.with_labels() } else { film };
            let drawing = film.drawing(0);
            if png { drawing.to_pixels()?.to_png() } else { Ok(drawing.to_svg().into_bytes()) }
        };
        py.detach(draw).map_err(|error| wrong(py, error.to_string()))
    })
}

/// The motion in a folder of results as a moving picture: `gif`, `svg`, or `glb` for 3D programs.
#[pyfunction]
#[pyo3(signature = (folder, kind, *, fps, speed, start=None, end=None, size=None, traces=Vec::new(), labels=false, colors=Vec::new(), enlarge=1.0))]
#[expect(clippy::too_many_arguments, reason = "Python gives them by name")]
pub fn film(
    py: Python<'_>,
    folder: PathBuf,
    kind: &str,
    fps: f64,
    speed: f64,
    start: Option<f64>,
    end: Option<f64>,
    size: Option<[f64; 2]>,
    traces: Vec<String>,
    labels: bool,
    colors: Vec<String>,
    enlarge: f64,
) -> PyResult<Vec<u8>> {
    guarded(py, || {
        if !["gif", "svg", "glb"].contains(&kind) {
            return Err(wrong(py, format!("a motion is written as `gif`, `svg` or `glb`, not as `{kind}`")));
        }
        if !(fps > 0.0 && speed > 0.0 && fps.is_finite() && speed.is_finite()) {
            return Err(wrong(py, "`fps` and `speed` must be positive"));
        }
        let draw = || -> Result<Vec<u8>, Error> {
            let motion = Motion::open(&folder)?;
            if kind == "glb" {
                return glb::write(&motion);
            }
            let clock = Clock { from: start, to: end, fps, speed };
            let wide = if kind == "gif" { 480.0 } else { 640.0 };
            let film = Film::new(&motion, &clock, size, wide, None, &traces)?.with_looks(&colors, enlarge)?;
            let film = if labels { film.with_labels() } else { film };
            if kind == "svg" {
                return Ok(film.to_svg().into_bytes());
            }
            let mut bytes = Vec::new();
            film.write_gif(&mut bytes, |_| ())?;
            Ok(bytes)
        };
        py.detach(draw).map_err(|error| wrong(py, error.to_string()))
    })
}
