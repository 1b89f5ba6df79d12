//! Opens pages in the user's browser.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Opens an address or a file; says whether a program was started that does so.
pub fn open(page: impl AsRef<OsStr>) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let begun = Command::new(program)
        .args(before)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match begun {
        Ok(mut child) => {
            // so that it does not stay behind when it has ended
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
