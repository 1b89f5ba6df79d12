//! One run at a time in a folder of results, and one for each checkpoint file.
//!
//! Who writes holds the lock of a hidden file beside what it writes; the system takes the lock back however the process ends, so that nothing stays locked. The file says who
//! holds it, and goes with the lock. It is never replaced: who has locked one that is no longer under its name tries again.

use crate::interrupt::Unfinished;
use crate::output::regular;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The lock of a folder of results.
const OF_FOLDER: &str = ".linkwork.lock";
/// What a lock file says is no longer than this, bytes.
const MOST: u64 = 1000;

/// A lock that is held.
pub struct Lock {
    path: PathBuf,
    _file: File,
    _unfinished: Unfinished,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // the name first, while nobody else can have it
        let _ = fs::remove_file(&self.path);
    }
}

impl Lock {
    /// Of a folder of results; `what` is done there, as in "`linkwork run a.toml`".
    pub fn folder(folder: &Path, what: &str) -> io::Result<Option<Self>> {
        Self::take(folder.join(OF_FOLDER), what).map_err(|holder| match holder {
            Refused::Held(by) => io::Error::other(format!(
                "{by} is writing there: wait until it has ended, or choose another folder with -o"
            )),
            Refused::Io(error) => error,
        })
    }

    /// Of a checkpoint file.
    pub fn checkpoint(file: &Path, what: &str) -> io::Result<Option<Self>> {
        Self::take(lock_of(file), what).map_err(|holder| match holder {
            Refused::Held(by) => io::Error::other(format!(
                "{} has its checkpoints in {}: wait until it has ended, or choose another file with --checkpoint",
                by,
                file.display()
            )),
            Refused::Io(error) => error,
        })
    }

    /// Nothing where the file system knows no locks.
    fn take(path: PathBuf, what: &str) -> Result<Option<Self>, Refused> {
        loop {
            let mut file = match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    regular(&path)?;
                    match OpenOptions::new().read(true).write(true).open(&path) {
                        // it has gone meanwhile
                        Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                        other => other?,
                    }
                }
                other => other.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Refused::Held(holder(&file))),
                Err(TryLockError::Error(_)) => return Ok(None),
            }
            if !is_at(&file, &path) {
                continue;
            }
            // who holds it is said where there is room for it
            let said = format!("process {} (`{what}`)", std::process::id());
            let _ = file.set_len(0).and_then(|()| file.write_all(said.as_bytes()));
            let (_, unfinished) = Unfinished::make(|| Ok(&path), |path| path)?;
            return Ok(Some(Lock { _unfinished: unfinished, path, _file: file }));
        }
    }
}

enum Refused {
    Held(String),
    Io(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Io(error)
    }
}

/// Who writes into a folder of results now, if anybody does.
pub fn writer_of(folder: &Path) -> Option<String> {
    let path = folder.join(OF_FOLDER);
    regular(&path).ok()?;
    let file = File::open(path).ok()?;
    // given back at once: who looks keeps nobody from writing
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(holder(&file)),
        _ => None,
    }
}

/// What holds a lock says of itself.
fn holder(file: &File) -> String {
    let mut said = Vec::new();
    let _ = file.take(MOST).read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    match said.trim().is_empty() {
        true => "another process".into(),
        // one line, whatever it holds
        false => said.trim().chars().filter(|c| !c.is_control()).collect(),
    }
}

fn lock_of(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.lock"))
}

/// Whether an open file is the one under a name.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
