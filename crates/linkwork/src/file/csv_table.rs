//! Points of a table from a CSV file beside the model file.

use crate::error::names::nearest;
use crate::expressions::number_lines::{NumberLines, WrongLine};
use std::any::Any;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a file may have.
const MAX_BYTES: usize = 64 << 20;
/// Points that a table may have.
const MAX_POINTS: usize = 100_000;

/// Points, and the line of the file that each stands in.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub lines: Vec<usize>,
}

/// What is wrong: the key that says so, what, and what to do.
pub(crate) struct Wrong {
    pub key: &'static str,
    pub message: String,
    pub help: Option<String>,
}

impl Wrong {
    fn new(key: &'static str, message: String) -> Self {
        Wrong { key, message, help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Wrong { help: Some(help.into()), ..self }
    }
}

/// What was read: the names of the file and its columns, and the bits of their sizes.
type Request = (String, [String; 2], [u64; 2]);

/// Tables that have been read: a text that is decoded many times reads each of its files once.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    tables: Mutex<HashMap<Request, Points>>,
    others: Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>,
}

impl Kept {
    /// As [`read`]; what could not be read is tried again.
    pub fn read(
        &self,
        folder: Option<&Path>,
        file: &str,
        columns: [&str; 2],
        sizes: [f64; 2],
    ) -> Result<Points, Wrong> {
        let key = (file.to_owned(), columns.map(str::to_owned), sizes.map(f64::to_bits));
        let mut kept = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(points) = kept.get(&key) {
            return Ok(points.clone());
        }
        let points = read(folder, file, columns, sizes)?;
        kept.insert(key, points.clone());
        Ok(points)
    }

    /// What else was made of files, by what was asked for; what could not be made is tried again.
    pub fn made<T: Any + Send + Sync, E>(
        &self,
        request: String,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut kept = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Ok(known)) = kept.get(&request).map(|known| Arc::clone(known).downcast::<T>()) {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        kept.insert(request, made.clone());
        Ok(made)
    }
}

/// Reads two columns of a file in a folder, in SI units: numbers of the file times `sizes`.
pub(crate) fn read(
    folder: Option<&Path>,
    file: &str,
    columns: [&str; 2],
    sizes: [f64; 2],
) -> Result<Points, Wrong> {
    points(
        file,
        &text(folder, file, MAX_BYTES, "write the numbers as `x` and `y`, or read the model from its file")?,
        columns,
        sizes,
    )
}

/// The text of a file in a folder.
pub(crate) fn text(folder: Option<&Path>, file: &str, most: usize, instead: &str) -> Result<String, Wrong> {
    let Some(folder) = folder else {
        let message =
            format!("`{file}` cannot be read: this text does not come from a file, so nothing is beside it");
        return Err(Wrong::new(".file", message).help(instead));
    };
    // a model that came from elsewhere reads nothing but what came with it
    let inside =
        Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || file.is_empty() {
        let message = format!("`{file}` is not a file beside the model file, or in a folder there");
        return Err(Wrong::new(".file", message).help("give a path relative to the model file, without `..`"));
    }
    let mut bytes = Vec::new();
    let path = folder.join(file);
    let found = match std::fs::metadata(&path) {
        Ok(about) if !about.is_file() => Err(std::io::Error::other("it is not a plain file")),
        Ok(_) => {
            std::fs::File::open(&path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes))
        }
        Err(error) => Err(error),
    };
    if let Err(error) = found {
        return Err(Wrong::new(".file", format!("`{}` cannot be read: {error}", path.display())));
    }
    if bytes.len() > most {
        return Err(Wrong::new(".file", format!("`{file}` has more than {} MiB", most >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Wrong::new(".file", format!("`{file}` is not UTF-8 text")))
}

fn points(file: &str, text: &str, columns: [&str; 2], sizes: [f64; 2]) -> Result<Points, Wrong> {
    let wrong = |WrongLine { line, what }| {
        let place = line.map_or(format!("`{file}`"), |line| format!("{file}:{line}"));
        Wrong::new(".file", format!("{place}: {what}"))
    };
    let mut lines = NumberLines::new(text).map_err(wrong)?;
    let (names, (at, head)) = (lines.names.clone(), lines.head);
    let mut places = [0; 2];
    for (place, name) in places.iter_mut().zip(columns) {
        let mut found = names.iter().enumerate().filter(|(_, known)| **known == name);
        let Some((first, _)) = found.next() else {
            let message = format!("{file}:{at}: there is no column `{name}`");
            let help = if names.len() == 1 && head.contains([';', '\t']) {
                Some("columns are separated by commas".into())
            } else {
                nearest(name, names.iter().copied())
                    .or_else(|| Some(format!("the first line names the columns: {}", shortened(&names))))
            };
            return Err(Wrong { help, ..Wrong::new(".columns", message) });
        };
        if found.next().is_some() {
            return Err(Wrong::new(".columns", format!("{file}:{at}: there are two columns `{name}`")));
        }
        *place = first;
    }
    let mut list = Points { x: Vec::new(), y: Vec::new(), lines: Vec::new() };
    let mut row = Vec::new();
    while let Some(at) = lines.next(&places, &mut row).map_err(wrong)? {
        if list.lines.len() == MAX_POINTS {
            let message = format!("{file}:{at}: a table may have {MAX_POINTS} points");
            return Err(Wrong::new(".file", message).help("keep fewer lines"));
        }
        list.x.push(row[0] * sizes[0]);
        list.y.push(row[1] * sizes[1]);
        list.lines.push(at);
    }
    Ok(list)
}

/// Some names of a list.
fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}
