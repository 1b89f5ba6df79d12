//! A sweep on the disk: `plan.json`, and parts that appear whole or not at all.
//!
//! A part is written under a temporary name and renamed. A process that is killed at any moment leaves whole parts and, at most, one file under a temporary name, which the next process that works
//! on the part takes away. Several processes may fill one folder, each its own [`Shard`].

use crate::study::{Study, Watch};
use crate::{CaseStatus, Cases, Error, Manifest, Shard};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The name of the file that says what the sweep is.
pub const PLAN_FILE: &str = "plan.json";

/// Which cases a call works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The parts of this shard.
    pub shard: Shard,
    /// Whether cases of whole parts that did not finish run again.
    pub retry_failed: bool,
}

/// What is known of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// It is not there.
    Missing,
    /// It is whole.
    Whole {
        /// Cases that finished.
        finished: u64,
        /// Cases whose run could not go on.
        failed: u64,
        /// Cases whose values make the model impossible.
        refused: u64,
    },
}

/// How far a sweep is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepStatus {
    /// Parts that are there and good.
    pub whole: u64,
    /// Cases that finished.
    pub finished: u64,
    /// Cases whose run could not go on.
    pub failed: u64,
    /// Cases whose values make the model impossible.
    pub refused: u64,
    /// What is wrong with parts that cannot be read.
    pub damaged: Vec<String>,
}

/// What a caller hears of a sweep that goes on.
pub trait Progress {
    /// A part is whole: it was there already, or has just been written.
    fn part(&mut self, part: u64, cases: &Cases, fresh: bool);
}

/// A folder with a sweep.
#[derive(Debug)]
pub struct SweepFolder {
    path: PathBuf,
    manifest: Manifest,
}

impl SweepFolder {
    /// Opens a folder that holds a sweep.
    ///
    /// # Errors
    /// No `plan.json`, or one that is damaged.
    pub fn open(path: impl Into<PathBuf>) -> Result<SweepFolder, Error> {
        let path = path.into();
        let file = path.join(PLAN_FILE);
        if !file.exists() {
            let why = format!("there is no {PLAN_FILE}: it is not the folder of a sweep");
            return Err(Error::Unfinished { folder: path, why });
        }
        Ok(SweepFolder { manifest: Manifest::read(&file)?, path })
    }

    /// Opens or begins the folder of a study. Processes that begin at the same time agree on one plan.
    ///
    /// # Errors
    /// A folder that holds another sweep, which is said by name; one that has parts, unless they are to be resumed; what cannot be written.
    pub fn begin(
        path: impl Into<PathBuf>,
        study: &Study,
        part_size: u64,
        resume: bool,
    ) -> Result<SweepFolder, Error> {
        let path = path.into();
        if part_size == 0 {
            return Err(Error::wrong("--part-size", "a part has one case or more"));
        }
        let manifest = Manifest::new(study, part_size);
        fs::create_dir_all(&path).map_err(Error::io(&path))?;
        let file = path.join(PLAN_FILE);
        let fresh = !file.exists() && write_new(&file, manifest.to_json().as_bytes())?;
        let folder = match fresh {
            true => SweepFolder { path, manifest },
            false => {
                let there = SweepFolder::open(path)?;
                if let Some(what) = there.manifest.difference(&manifest) {
                    let why = format!("{what}; choose another folder with -o, or delete this one");
                    return Err(Error::Another { folder: there.path, why });
                }
                there
            }
        };
        if !resume && let Some(part) = (0..folder.manifest.parts()).find(|part| folder.part(*part).exists()) {
            let why = format!(
                "{} is there already; go on with --resume, or choose another folder with -o",
                name_of(part)
            );
            return Err(Error::Unfinished { folder: folder.path, why });
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the sweep is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The file of a part.
    pub fn part(&self, part: u64) -> PathBuf {
        self.path.join(name_of(part))
    }

    /// Reads a part.
    ///
    /// # Errors
    /// A part that is missing or damaged.
    pub fn read(&self, part: u64) -> Result<Cases, Error> {
        Cases::of_part(&self.part(part), &self.manifest, self.manifest.cases_of(part))
    }

    /// What there is of a part.
    ///
    /// # Errors
    /// A part that is damaged.
    pub fn state(&self, part: u64) -> Result<PartState, Error> {
        if !self.part(part).exists() {
            return Ok(PartState::Missing);
        }
        let cases = self.read(part)?;
        let count = |status| cases.count(status) as u64;
        Ok(PartState::Whole {
            finished: count(CaseStatus::Finished),
            failed: count(CaseStatus::Failed),
            refused: count(CaseStatus::Refused),
        })
    }

    /// How far the sweep is: all parts are read.
    pub fn status(&self) -> SweepStatus {
        let mut status = SweepStatus::default();
        for part in 0..self.manifest.parts() {
            match self.state(part) {
                Ok(PartState::Missing) => {}
                Ok(PartState::Whole { finished, failed, refused }) => {
                    status.whole += 1;
                    status.finished += finished;
                    status.failed += failed;
                    status.refused += refused;
                }
                Err(error) => status.damaged.push(error.to_string()),
            }
        }
        status
    }

    /// Runs what is missing of the selected parts, one part after the other. Tells whether it came to the end: it did not if `watch.stop` was set.
    ///
    /// # Errors
    /// A part that is damaged or cannot be written.
    pub fn run(
        &self,
        study: &Study,
        selection: Selection,
        watch: &Watch,
        progress: &mut dyn Progress,
    ) -> Result<bool, Error> {
        let mine = (0..self.manifest.parts()).filter(|part| selection.shard.has(*part));
        for part in mine {
            let path = self.part(part);
            remove_leftovers(&path);
            let range = self.manifest.cases_of(part);
            let mut cases = match path.exists() {
                false => None,
                true => Some(self.read(part)?),
            };
            watch.begun.store(0, Ordering::Relaxed);
            let again: Vec<u64> = match &cases {
                Some(cases) if selection.retry_failed => {
                    let failed = |i: &usize| cases.status[*i] != CaseStatus::Finished;
                    (0..cases.len()).filter(failed).map(|i| cases.numbers[i]).collect()
                }
                Some(_) => Vec::new(),
                None => range.collect(),
            };
            let fresh = !again.is_empty();
            if fresh {
                let ran = study.run(again, watch);
                if watch.stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                match &mut cases {
                    Some(cases) => {
                        cases.replace(&ran);
                        cases.messages = Vec::new();
                    }
                    None => cases = Some(ran),
                }
            }
            if let Some(cases) = &cases {
                if fresh {
                    replace(&path, &cases.to_part(&self.manifest)?)?;
                }
                progress.part(part, cases, fresh);
            }
        }
        Ok(true)
    }
}

fn name_of(part: u64) -> String {
    format!("part-{part:05}.parquet")
}

/// What the temporary files of a part begin with.
fn temporary(path: &Path) -> String {
    format!(".{}-", path.file_name().unwrap_or_default().to_string_lossy())
}

/// A part is written within seconds: a temporary file that nobody has written to for so long is nobody's.
const LEFT: Duration = Duration::from_secs(600);

/// Takes away what processes that were killed have left of a part.
fn remove_leftovers(path: &Path) {
    let (Some(folder), prefix) = (path.parent(), temporary(path)) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let left = entry.metadata().is_ok_and(|about| {
            about.is_file() && about.modified().is_ok_and(|at| at.elapsed().is_ok_and(|since| since > LEFT))
        });
        if left && entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn pending(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    let prefix = temporary(path);
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // results are as readable as any new file
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    let mut file = builder.tempfile_in(folder).map_err(Error::io(folder))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(Error::io(path))?;
    Ok(file)
}

/// Writes a whole file in the place of an older one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = pending(path, bytes)?;
    file.persist(path).map_err(|error| Error::io(path)(error.error))?;
    Ok(())
}

/// Writes a whole file unless there is one already; tells whether it did.
fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    match pending(path, bytes)?.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::io(path)(error.error)),
    }
}
