//! Videos: pictures go to `ffmpeg`, which makes a file of them.

use indicatif::ProgressBar;
use linkwork_formats::animation::Film;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The variable that names another program.
const PROGRAM: &str = "FFMPEG";
/// Lines of what ffmpeg says that are passed on.
const SAID: usize = 4;

/// Writes a film as a video, H.264 in MP4. The file has its name when it is whole.
pub fn write(film: &Film<'_>, fps: f64, to: &Path, bar: &ProgressBar) -> Result<(), String> {
    let failed = |e: &dyn std::fmt::Display| format!("cannot write {}: {e}", to.display());
    crate::output::folder_for(to).map_err(|e| failed(&e))?;
    let parent = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix(".linkwork-").tempdir_in(parent).map_err(|e| failed(&e))?;
    let part = folder.path().join("film.mp4");
    let program = std::env::var_os(PROGRAM).unwrap_or_else(|| OsString::from("ffmpeg"));
    let [wide, high] = film.size();
    let mut child = Command::new(&program)
        .args(["-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"])
        .args(["-video_size", &format!("{wide}x{high}"), "-framerate", &fps.to_string(), "-i", "pipe:0"])
        // most players want even numbers and this kind of colours
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"])
        .args(["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"])
        .arg(&part)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| missing(&program, &e))?;
    let told = child.stdin.take().map_or(Ok(()), |mut pipe| feed(film, &mut pipe, bar));
    let done = child.wait_with_output().map_err(|e| failed(&e))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let said: Vec<&str> = said.lines().take(SAID).collect();
        return Err(failed(&format!("ffmpeg: {}", said.join("; "))));
    }
    told?;
    std::fs::rename(&part, to).map_err(|e| failed(&e))
}

/// All pictures, pixel by pixel. Where ffmpeg has ended early it says itself why.
fn feed(film: &Film<'_>, pipe: &mut impl Write, bar: &ProgressBar) -> Result<(), String> {
    for i in 0..film.len() {
        let pixels = film.pixels(i).map_err(|e| e.to_string())?;
        match pipe.write_all(pixels.rgba()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Err("ffmpeg has ended early".into()),
            written => written.map_err(|e| format!("cannot hand a picture to ffmpeg: {e}"))?,
        }
        bar.set_position(i as u64 + 1);
    }
    Ok(())
}

fn missing(program: &OsString, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!(
            "a video needs the program `{}`, which is not there: install ffmpeg, or name it by {PROGRAM}; .gif and .svg need no other program",
            program.display()
        ),
        _ => format!("cannot start `{}`: {error}", program.display()),
    }
}
