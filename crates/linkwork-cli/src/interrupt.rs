//! Signals: what a command leaves behind when it is asked to end.
//!
//! Ctrl-C, SIGTERM and SIGHUP end a command. One that has said how it ends in good order gets the first signal and is left alone until the second; any other ends
//! at once, after the temporary files it has made are gone.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

type End = Box<dyn FnMut() + Send>;

/// How the command ends in good order, if it can and has not begun to.
static END: Mutex<Option<End>> = Mutex::new(None);

/// Files and folders that must not stay.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Heeds signals from now on.
pub fn listen() {
    let _ = ctrlc::set_handler(|| match lock(&END).take() {
        Some(mut end) => end(),
        None => {
            // nobody makes another one from now on
            let mut unfinished = lock(&UNFINISHED);
            clean_up(&mut unfinished);
            std::process::exit(130);
        }
    });
    // a file that reaches the limit of its size (ulimit -f) is an error of the write, as on a full disk, and no reason to be killed
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
}

/// Says how the command ends in good order. The first signal calls it, the second ends at once.
pub fn on_signal(end: impl FnMut() + Send + 'static) {
    *lock(&END) = Some(Box::new(end));
}

fn clean_up(unfinished: &mut Vec<PathBuf>) {
    for path in unfinished.drain(..) {
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
}

/// Something under a temporary name: a signal takes it away for as long as this lives.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes something, which has a path. No signal comes between the making and the knowing of it.
    pub fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut unfinished = lock(&UNFINISHED);
        let made = make()?;
        let path = path(&made).to_path_buf();
        unfinished.push(path.clone());
        Ok((made, Unfinished(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        lock(&UNFINISHED).retain(|path| *path != self.0);
    }
}
