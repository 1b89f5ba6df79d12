//! All parts as one table.
//!
//! Rows are grouped by their number alone, so that the bytes do not depend on how the sweep was cut, interrupted or shared.

use crate::folder::PartState;
use crate::{Cases, Error, Manifest, SweepFolder};
use linkwork::results::text_cell;
use linkwork_formats::cells::{CellColumn, CellWriter, Cells};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Rows of a group of the Parquet file.
const ROWS_OF_A_GROUP: usize = 1 << 16;

/// The kind of a table with all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Parquet.
    Parquet,
    /// CSV.
    Csv,
}

impl Whole {
    /// By the ending of the file.
    ///
    /// # Errors
    /// Another ending.
    pub fn of(path: &Path) -> Result<Whole, Error> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("parquet") => Ok(Whole::Parquet),
            Some("csv") => Ok(Whole::Csv),
            _ => Err(Error::wrong(format!("-o {}", path.display()), "the file must end in .parquet or .csv")),
        }
    }
}

/// Writes all cases into one file, which is whole or not there. Tells how many there are.
///
/// # Errors
/// Parts that are missing or damaged, by name; what cannot be written.
pub fn merge(folder: &SweepFolder, path: &Path) -> Result<u64, Error> {
    let kind = Whole::of(path)?;
    let manifest = folder.manifest();
    complete(folder)?;
    let beside = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".linkwork-merge-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    let pending = builder.tempfile_in(beside).map_err(Error::io(beside))?;
    let file = pending.as_file().try_clone().map_err(Error::io(path))?;
    match kind {
        Whole::Csv => {
            let mut to = BufWriter::new(file);
            write_csv_head(manifest, &mut to).map_err(Error::io(path))?;
            for part in 0..manifest.parts() {
                write_csv(&folder.read(part)?, &mut to).map_err(Error::io(path))?;
            }
            to.flush().map_err(Error::io(path))?;
        }
        Whole::Parquet => write_parquet(folder, file)?,
    }
    pending.persist(path).map_err(|error| Error::io(path)(error.error))?;
    Ok(manifest.cases)
}

/// An error unless all parts are there.
pub(crate) fn complete(folder: &SweepFolder) -> Result<(), Error> {
    let parts = folder.manifest().parts();
    let missing: Vec<u64> = (0..parts).filter(|part| !folder.part(*part).exists()).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let why = format!(
        "{} of {parts} parts are missing, the first is {}; run the sweep with --resume",
        missing.len(),
        folder.part(*first).file_name().unwrap_or_default().to_string_lossy()
    );
    Err(Error::Unfinished { folder: folder.path().into(), why })
}

fn write_parquet(folder: &SweepFolder, to: File) -> Result<(), Error> {
    let manifest = folder.manifest();
    let mut held = Cases::default().columns_of(manifest);
    let metadata = [("linkwork.plan", manifest.hash.as_str())];
    let mut writer = CellWriter::new(&held, &metadata, BufWriter::new(to))?;
    for part in 0..manifest.parts() {
        let columns = folder.read(part)?.columns_of(manifest);
        held.iter_mut().zip(columns).for_each(|(held, more)| append(held, more.cells));
        while length(&held) >= ROWS_OF_A_GROUP {
            let rest: Vec<CellColumn> = held.iter_mut().map(|held| cut(held, ROWS_OF_A_GROUP)).collect();
            writer.group(&held)?;
            held = rest;
        }
    }
    if length(&held) > 0 {
        writer.group(&held)?;
    }
    Ok(writer.close()?)
}

fn length(columns: &[CellColumn]) -> usize {
    columns.first().map_or(0, |column| match &column.cells {
        Cells::Integers(list) => list.len(),
        Cells::Numbers(list) => list.len(),
        Cells::Words(list) => list.len(),
    })
}

fn append(to: &mut CellColumn, more: Cells) {
    match (&mut to.cells, more) {
        (Cells::Integers(list), Cells::Integers(more)) => list.extend(more),
        (Cells::Numbers(list), Cells::Numbers(more)) => list.extend(more),
        (Cells::Words(list), Cells::Words(more)) => list.extend(more),
        // columns of one plan are alike
        _ => {}
    }
}

/// Leaves so many rows and gives the rest.
fn cut(column: &mut CellColumn, rows: usize) -> CellColumn {
    let cells = match &mut column.cells {
        Cells::Integers(list) => Cells::Integers(list.split_off(rows)),
        Cells::Numbers(list) => Cells::Numbers(list.split_off(rows)),
        Cells::Words(list) => Cells::Words(list.split_off(rows)),
    };
    CellColumn { name: column.name.clone(), unit: column.unit.clone(), cells }
}

impl Cases {
    /// The columns, also where there are no cases.
    fn columns_of(&self, manifest: &Manifest) -> Vec<CellColumn> {
        let mut full = self.clone();
        full.parameters.resize(manifest.parameter_names().count(), Vec::new());
        full.results.resize(manifest.columns.len(), Vec::new());
        full.columns(manifest)
    }
}

/// The head of a CSV table.
///
/// # Errors
/// What cannot be written.
pub fn write_csv_head(manifest: &Manifest, to: &mut dyn Write) -> io::Result<()> {
    let results = manifest.columns.iter().map(|column| column.name.as_str());
    let names =
        std::iter::once("case").chain(manifest.parameter_names()).chain(results).chain(["status", "code"]);
    let cells: Vec<String> = names.map(quoted).collect();
    writeln!(to, "{}", cells.join(","))
}

/// Rows of a CSV table: numbers in the shortest form that reads back to the same bits, what is missing empty.
///
/// # Errors
/// What cannot be written.
pub fn write_csv(cases: &Cases, to: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for (i, number) in cases.numbers.iter().enumerate() {
        use std::fmt::Write as _;
        line.clear();
        let _ = write!(line, "{number}");
        for x in cases.parameters.iter().chain(&cases.results).map(|column| column[i]) {
            let _ = if x.is_nan() { write!(line, ",") } else { write!(line, ",{x:?}") };
        }
        let _ = write!(line, ",{},{}", cases.status[i].name(), cases.codes[i]);
        writeln!(to, "{line}")?;
    }
    Ok(())
}

/// A cell of text.
fn quoted(text: &str) -> String {
    let text = &*text_cell(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// How many cases of a folder ended how: parts there, parts missing, finished, failed, refused.
pub(crate) fn totals(folder: &SweepFolder) -> Result<[u64; 5], Error> {
    let mut sums = [0; 5];
    for part in 0..folder.manifest().parts() {
        match folder.state(part)? {
            PartState::Missing => sums[1] += 1,
            PartState::Whole { finished, failed, refused } => {
                sums[0] += 1;
                sums[2] += finished;
                sums[3] += failed;
                sums[4] += refused;
            }
        }
    }
    Ok(sums)
}
