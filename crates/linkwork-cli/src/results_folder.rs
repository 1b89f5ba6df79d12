//! The folder of a run: `results/NAME` for the model NAME.toml. Another model of that name gets a folder of its own, so that no results are lost.

use crate::output::regular;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The key of `summary.json` that has the model as the command line gave it.
pub const MODEL_FILE: &str = "model_file";

/// Folders that are tried.
const MOST: u32 = 1000;
/// A summary is not longer than this, bytes.
const MOST_BYTES: u64 = 16 << 20;

/// A folder for the results of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsFolder {
    pub path: PathBuf,
    /// The model whose results are there and will be replaced; empty if that is not known.
    pub replaces: Option<String>,
}

impl ResultsFolder {
    /// The folder that the user gives.
    pub fn given(path: PathBuf) -> Self {
        ResultsFolder { replaces: model_in(&path), path }
    }

    /// The first of `results/NAME`, `results/NAME-2` and so on that has no results of another model.
    pub fn of(model: &str) -> Self {
        let stem = Path::new(model).file_stem().filter(|_| model != "-");
        let first = Path::new("results").join(stem.unwrap_or("stdin".as_ref()));
        let mut folder = Self::given(first.clone());
        for k in 2..=MOST {
            if folder.replaces.as_ref().is_none_or(|other| other == model) {
                break;
            }
            let mut name = first.clone().into_os_string();
            name.push(format!("-{k}"));
            folder = Self::given(name.into());
        }
        folder
    }
}

/// The model whose results lie in a folder.
fn model_in(folder: &Path) -> Option<String> {
    let summary = folder.join(crate::run::SUMMARY_FILE);
    // no link, pipe or device is read
    if regular(&summary).is_err() {
        return folder.join("results.csv").exists().then(String::new);
    }
    let mut text = String::new();
    let read = File::open(summary).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    let value: Option<serde_json::Value> = read.ok().and_then(|_| serde_json::from_str(&text).ok());
    let model = value.as_ref().and_then(|value| value[MODEL_FILE].as_str());
    Some(model.unwrap_or_default().to_owned())
}
