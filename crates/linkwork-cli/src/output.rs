//! Files that are whole or not there, standard output, and numbers for people.
//!
//! A file is written beside its final name, under a name that nobody can guess and that was not there before, and takes its final name when it is whole. Nothing but an
//! ordinary file is ever replaced. Where a user names a device or a named pipe, such as `/dev/stdout`, it is written to as it is; a link that a user names leads to its file.

use crate::Outcome;
use crate::interrupt::Unfinished;
use serde_json::Value;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// Temporary names of runs: whoever has the lock of a folder may take them away.
const OF_RUNS: &str = ".linkwork-run-";
/// Those of all others.
const OF_OTHERS: &str = ".linkwork-";
const SUFFIX: &str = ".part";

/// A file that appears under its name only when it is complete.
pub enum PendingFile {
    /// It takes the place of what has its name.
    Beside {
        /// Its name.
        path: PathBuf,
        /// What there is of it.
        file: NamedTempFile,
        /// It goes when the command is asked to end.
        _unfinished: Unfinished,
    },
    /// A device or pipe, which has no whole.
    Stream(File),
}

impl PendingFile {
    /// A result file of a run: what has its name must be an ordinary file. The folder exists.
    pub fn result(path: PathBuf) -> io::Result<Self> {
        Self::beside(path, OF_RUNS)
    }

    /// A file that the user names. The folder exists.
    pub fn named(path: PathBuf) -> io::Result<Self> {
        let Ok(found) = fs::metadata(&path) else { return Self::beside(path, OF_OTHERS) };
        let open = |append: bool| {
            let file = OpenOptions::new().write(true).append(append).open(&path);
            file.map(PendingFile::Stream).map_err(|e| at(&path, e))
        };
        if is_stream(found.file_type()) {
            return open(false);
        }
        match path.is_symlink() && found.is_file() {
            // /dev/stdout of a shell that writes to a file
            true if path.starts_with("/dev") || path.starts_with("/proc") => open(true),
            true => Self::beside(fs::canonicalize(&path)?, OF_OTHERS),
            false => Self::beside(path, OF_OTHERS),
        }
    }

    fn beside(path: PathBuf, prefix: &str) -> io::Result<Self> {
        replaceable(&path)?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        let make = || builder.prefix(prefix).suffix(SUFFIX).tempfile_in(folder);
        let (file, unfinished) = Unfinished::make(make, |file| file.path())
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {}", folder.display(), e.kind())))?;
        Ok(PendingFile::Beside { path, file, _unfinished: unfinished })
    }

    /// The file, to be written to.
    pub fn file(&self) -> io::Result<File> {
        match self {
            PendingFile::Beside { file, .. } => file.as_file().try_clone(),
            PendingFile::Stream(file) => file.try_clone(),
        }
    }

    /// A buffered writer to it.
    pub fn writer(&self) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::with_capacity(1 << 16, self.file()?))
    }

    /// Gives the file its name, replacing an older one.
    pub fn keep(self) -> io::Result<()> {
        let PendingFile::Beside { path, file, .. } = self else { return Ok(()) };
        replaceable(&path)?;
        readable_by_others(file.as_file())?;
        file.persist(&path).map_err(|e| e.error)?;
        Ok(())
    }
}

fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Whether something is written to rather than replaced.
#[cfg(unix)]
fn is_stream(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_: FileType) -> bool {
    false
}

/// What stands under a name, for people.
#[cfg(unix)]
fn kind_of(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_symlink() => "a link",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind_of(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "no ordinary file" }
}

/// An error unless an ordinary file stands under the name itself: no link, folder, pipe or device.
pub fn regular(path: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(path).map_err(|e| at(path, e))?.file_type();
    match kind.is_file() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{} is {}: only ordinary files are written or replaced",
            path.display(),
            kind_of(kind)
        ))),
    }
}

/// An error if what stands under a name must stay.
pub fn replaceable(path: &Path) -> io::Result<()> {
    match regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A new file under a name that others can guess: what was there, an earlier file or a link, goes first and is not followed.
pub fn create_fresh(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path).map(|found| found.file_type()) {
        Ok(kind) if kind.is_file() || kind.is_symlink() => fs::remove_file(path).map_err(|e| at(path, e))?,
        Ok(_) => regular(path)?,
        Err(_) => {}
    }
    OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(|e| at(path, e))
}

/// Takes away what runs that were killed have left in a folder. Its lock is held.
pub fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(OF_RUNS) && name.ends_with(SUFFIX) && regular(&entry.path()).is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Temporary files are private; results are as readable as any new file.
#[cfg(unix)]
fn readable_by_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Writes a whole file that the user names.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Likewise.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(PendingFile::named(path.to_path_buf())?, bytes)
}

/// Writes a whole file of a run; on the disk before it replaces an older one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(PendingFile::result(path.to_path_buf())?, bytes)
}

fn put(pending: PendingFile, bytes: &[u8]) -> io::Result<()> {
    match &pending {
        PendingFile::Beside { file, .. } => {
            file.as_file().write_all(bytes)?;
            file.as_file().sync_data()?;
        }
        PendingFile::Stream(stream) => (&mut &*stream).write_all(bytes)?,
    }
    pending.keep()
}

/// Makes the folder that a file will lie in.
pub fn folder_for(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder),
        _ => Ok(()),
    }
}

/// Why standard output could not be written, if so.
static UNWRITTEN: Mutex<Option<String>> = Mutex::new(None);

/// JSON to standard output.
pub fn print_json(value: &Value) {
    print_text(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// Text to standard output. A reader that went away is no fault of ours; any other failure is reported at the end, by [`checked`].
pub fn print_text(text: &str) {
    let mut out = io::stdout();
    arrived(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Remembers that something did not reach standard output.
pub fn arrived(written: io::Result<()>) {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let mut unwritten = UNWRITTEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            unwritten.get_or_insert_with(|| error.to_string());
        }
        _ => {}
    }
}

/// How a command ended, once it is known whether what it printed has arrived.
pub fn checked(outcome: Outcome) -> Outcome {
    let unwritten = UNWRITTEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match unwritten.as_ref() {
        Some(why) => {
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {why}");
            outcome.max(Outcome::Failed)
        }
        None => outcome,
    }
}

/// A number for people: short, with an exponent where it is far from one.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&size) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        format!("{x:.3e}")
    }
}

/// "1 body", "3 bodies".
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
