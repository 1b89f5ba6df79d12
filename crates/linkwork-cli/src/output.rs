//! Files that are whole or not there, and numbers for people.

use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is complete.
pub struct PendingFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl PendingFile {
    /// Opens a temporary file beside the final one. The folder exists.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.is_dir() {
            return Err(io::Error::other(format!("{} is a folder", path.display())));
        }
        let file = tempfile::Builder::new()
            .prefix(".linkwork-")
            .suffix(".part")
            .tempfile_in(folder)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {}", folder.display(), e.kind())))?;
        Ok(PendingFile { path, file })
    }

    /// The file, to be written to.
    pub fn file(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// A buffered writer to it.
    pub fn writer(&self) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::with_capacity(1 << 16, self.file()?))
    }

    /// Gives the file its name, replacing an older one.
    pub fn keep(self) -> io::Result<()> {
        readable_by_others(self.file.as_file())?;
        self.file.persist(&self.path).map_err(|e| e.error)?;
        Ok(())
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

/// Writes a whole file under its name at once.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Likewise; on the disk before it replaces an older one.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let pending = PendingFile::create(path.to_path_buf())?;
    pending.file.as_file().write_all(bytes)?;
    pending.file.as_file().sync_data()?;
    pending.keep()
}

/// Makes the folder that a file will lie in.
pub fn folder_for(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder),
        _ => Ok(()),
    }
}

/// JSON to standard output. A reader that went away is no fault of ours.
pub fn print_json(value: &Value) {
    print_text(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// Text to standard output, likewise.
pub fn print_text(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
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
