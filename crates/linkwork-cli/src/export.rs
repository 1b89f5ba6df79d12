//! `linkwork export`: results and recorded motion in other programs' formats.

use crate::Outcome;
use crate::interrupt::{Unfinished, on_signal};
use crate::output::{PendingFile, count, folder_for, short, write_bytes};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linkwork::model::Camera;
use linkwork_formats::animation::Film;
use linkwork_formats::motion::{Clock, Motion};
use linkwork_formats::plot::{Size, nice_step};
use linkwork_formats::still::Forces;
use linkwork_formats::table::Table;
use linkwork_formats::{Error, glb, parquet};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Args)]
#[command(after_help = "What is written follows from the name of the file:\n  \
    .glb      the motion in space for Blender and other 3D programs (glTF 2.0)\n  \
    .parquet  the table of results, units in its metadata\n  \
    .gif      the motion as a moving picture\n  \
    .svg      likewise, for browsers; a single picture with --at\n  \
    .png      a single picture, of the time --at\n  \
    .mp4      the motion as a video, by the program ffmpeg\n  \
    FOLDER/   pictures 00000.png, 00001.png, … for a video\n\n\
    Examples:\n  \
    linkwork export results/vehicle --to vehicle.glb\n  \
    linkwork export results/four-bar --to four-bar.gif --trace P --speed 0.5\n  \
    linkwork export results/four-bar --to frames/ --fps 60 --size 1920x1080\n\n\
    Exit code: 0 written, 2 not: something is not there or cannot be written.")]
pub struct ExportArguments {
    /// Folder with results (for .parquet also a CSV file)
    pub folder: PathBuf,
    /// The file or folder to write
    #[arg(long, short = 'o', visible_alias = "output", value_name = "FILE")]
    pub to: PathBuf,
    /// What to write, whatever the file is called
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub kind: Option<Kind>,
    /// Pictures to a second [default: 30; 20 for .gif, 15 for .svg; the recorded ones for .glb]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fps: Option<f64>,
    /// Seconds of the motion to a second of the film [default: 1, or what makes a short motion long enough and a long one short enough]
    #[arg(long, value_name = "X", value_parser = positive)]
    pub speed: Option<f64>,
    /// From this time on, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Up to this time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub until: Option<f64>,
    /// A single picture (.svg, .png) of this time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Width and height of pictures, as in 1280x720
    #[arg(long, value_name = "WxH", value_parser = crate::plot::size)]
    pub size: Option<Size>,
    /// Draw the way of this point; several options draw several
    #[arg(long, value_name = "POINT")]
    pub trace: Vec<String>,
    /// From where mechanisms in space are seen: front, top, side, iso, or azimuth and elevation of the eye in degrees, as in -60,21 [default: as the model says, or -60,21]
    #[arg(long, value_name = "VIEW", value_parser = direction, allow_hyphen_values = true)]
    pub view: Option<[f64; 2]>,
    /// Draw the forces of joints, springs and others as arrows
    #[arg(long)]
    pub arrows: bool,
    /// Write the names of points into pictures
    #[arg(long)]
    pub labels: bool,
    /// What colours show: curvature, moment, axial-force, shear-force or torsion of beams, displacement or stress of modal bodies, or none; several options for both [default: curvature and, where it is known, stress]
    #[arg(long, value_name = "FIELD")]
    pub color: Vec<String>,
    /// Show deformations of modal bodies so many times as large
    #[arg(long, value_name = "X", value_parser = positive)]
    pub enlarge: Option<f64>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Animated glTF binary
    Glb,
    /// The table of results
    Parquet,
    /// Animated GIF
    Gif,
    /// Animated SVG, or a single picture with --at
    Svg,
    /// A single picture
    Png,
    /// A video, made by ffmpeg
    Mp4,
    /// A folder of numbered PNG files
    Frames,
}

/// A direction by its name, or by two angles in degrees.
fn direction(text: &str) -> Result<[f64; 2], String> {
    if let Some(camera) = Camera::ALL.into_iter().find(|camera| camera.name() == text) {
        return Ok(camera.angles().map(f64::to_degrees));
    }
    let angles = text.split_once(',').map(|(a, b)| [a, b].map(|x| x.trim().parse::<f64>().ok()));
    match angles {
        Some([Some(azimuth), Some(elevation)]) if azimuth.is_finite() && elevation.abs() <= 90.0 => {
            Ok([azimuth, elevation])
        }
        _ => Err("give front, top, side or iso, or azimuth and elevation in degrees, as in -60,21".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a number above zero".into()),
    }
}

pub fn export(args: &ExportArguments) -> Outcome {
    match try_export(args) {
        Ok(said) => {
            if !args.quiet {
                eprintln!("{said}");
            }
            Outcome::Good
        }
        Err(message) => {
            eprintln!("error: {message}");
            Outcome::Refused
        }
    }
}

fn kind_of(args: &ExportArguments) -> Result<Kind, String> {
    if let Some(kind) = args.kind {
        return Ok(kind);
    }
    let name = args.to.to_string_lossy();
    match args.to.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
        _ if name.ends_with(['/', '\\']) => Ok(Kind::Frames),
        Some("glb" | "parquet" | "pq" | "gif" | "svg" | "png" | "mp4") if args.to.is_dir() => {
            Err(format!("{name} is a folder; with a slash at its end pictures go into it"))
        }
        _ if args.to.is_dir() => Ok(Kind::Frames),
        Some("glb") => Ok(Kind::Glb),
        Some("parquet" | "pq") => Ok(Kind::Parquet),
        Some("gif") => Ok(Kind::Gif),
        Some("svg") => Ok(Kind::Svg),
        Some("png") => Ok(Kind::Png),
        Some("mp4") => Ok(Kind::Mp4),
        None => Ok(Kind::Frames),
        Some(other) => Err(format!(
            "`.{other}` is not known: write .glb, .parquet, .gif, .svg, .png, .mp4 or a folder/, or say it with --as"
        )),
    }
}

fn try_export(args: &ExportArguments) -> Result<String, String> {
    let kind = kind_of(args)?;
    suits(args, kind)?;
    let to = &args.to;
    if !args.folder.exists() {
        return Err(format!("{} is not there: give a folder with results", args.folder.display()));
    }
    if let Some(by) = crate::lock::writer_of(&args.folder) {
        crate::report::still_written(&args.folder, &by);
    }
    if kind == Kind::Parquet {
        let table = Table::open(&args.folder).map_err(reported)?;
        write_parquet(&table, to)?;
        return Ok(format!("wrote {}: {}", to.display(), count(table.columns.len(), "column", "columns")));
    }
    let motion = Motion::open(&args.folder).map_err(reported)?;
    let Some([first, last]) = motion.poses.first().zip(motion.poses.last()).map(|(a, b)| [a.t, b.t]) else {
        return Err(format!("{} has a recording without a frame", args.folder.display()));
    };
    if kind == Kind::Glb {
        let motion = cut(motion, args)?;
        write(to, &glb::write(&motion).map_err(reported)?)?;
        return Ok(format!("wrote {}: {}", to.display(), count(motion.poses.len(), "keyframe", "keyframes")));
    }
    if kind == Kind::Png || args.at.is_some() {
        let at = args.at.unwrap_or(first);
        if !(first..=last).contains(&at) {
            return Err(format!(
                "--at {at}: the recording lasts from {} s to {} s",
                short(first),
                short(last)
            ));
        }
        let clock = Clock { from: Some(at), to: Some(at), fps: 1.0, speed: 1.0 };
        // what is there at that time, or what is there during a part of the motion
        let range = match (args.from, args.until) {
            // paths are drawn from their beginning to their end
            (None, None) if !args.trace.is_empty() || !motion.scene.view.traces.is_empty() => [first, last],
            (None, None) => [at, at],
            (from, until) => {
                [from.unwrap_or(first).max(first).min(at), until.unwrap_or(last).min(last).max(at)]
            }
        };
        let film = film(&motion, args, kind, &clock, Some(range))?;
        let drawing = film.drawing(0);
        let bytes = match kind {
            Kind::Svg => drawing.to_svg().into_bytes(),
            _ => drawing.to_pixels().and_then(|pixels| pixels.to_png()).map_err(reported)?,
        };
        write(to, &bytes)?;
        return Ok(format!("wrote {}", to.display()));
    }

    let (fps, longest) = match kind {
        Kind::Gif => (20.0, 12.0),
        Kind::Svg => (15.0, 10.0),
        _ => (30.0, 60.0),
    };
    let span = args.until.unwrap_or(last).min(last) - args.from.unwrap_or(first).max(first);
    let speed = args.speed.unwrap_or_else(|| pace(span, longest));
    let clock = Clock { from: args.from, to: args.until, fps: args.fps.unwrap_or(fps), speed };
    let film = film(&motion, args, kind, &clock, None)?;
    let bar = progress(args, film.len());
    match kind {
        Kind::Gif => {
            let mut bytes = Vec::new();
            film.write_gif(&mut bytes, |done| bar.set_position(done as u64)).map_err(reported)?;
            write(to, &bytes)?;
        }
        Kind::Svg => write(to, film.to_svg().as_bytes())?,
        Kind::Mp4 => crate::video::write(&film, clock.fps, to, &bar)?,
        _ => write_frames(&film, to, &bar)?,
    }
    bar.finish_and_clear();
    let mut said = format!("wrote {}: {}", to.display(), count(film.len(), "picture", "pictures"));
    if speed != 1.0 {
        said += &format!(", {} s of the motion to a second", short(speed));
    }
    if kind == Kind::Frames {
        said += &format!("\nfor a video: {}", ffmpeg(&film, to, clock.fps));
    }
    Ok(said)
}

/// Refuses options that would change nothing.
fn suits(args: &ExportArguments, kind: Kind) -> Result<(), String> {
    let still = kind == Kind::Png || args.at.is_some();
    let moves = !still && kind != Kind::Parquet;
    let pictures = !matches!(kind, Kind::Parquet | Kind::Glb);
    let given = [
        ("--at", args.at.is_some(), matches!(kind, Kind::Png | Kind::Svg), "a single picture, .svg or .png"),
        ("--fps", args.fps.is_some(), moves, "what moves"),
        ("--speed", args.speed.is_some(), moves, "what moves"),
        ("--from", args.from.is_some(), kind != Kind::Parquet, "pictures and motion"),
        ("--until", args.until.is_some(), kind != Kind::Parquet, "pictures and motion"),
        ("--size", args.size.is_some(), pictures, "pictures"),
        ("--trace", !args.trace.is_empty(), pictures, "pictures"),
        ("--view", args.view.is_some(), pictures, "pictures"),
        ("--arrows", args.arrows, pictures, "pictures"),
        ("--labels", args.labels, pictures, "pictures"),
        ("--color", !args.color.is_empty(), pictures, "pictures"),
        ("--enlarge", args.enlarge.is_some(), pictures, "pictures"),
    ];
    if let Some((option, _, _, what)) = given.into_iter().find(|(_, given, suits, _)| *given && !suits) {
        return Err(format!("{option} is for {what}"));
    }
    if let (Some(from), Some(until)) = (args.from, args.until)
        && from > until
    {
        return Err(format!("--from {from} lies behind --until {until}"));
    }
    if kind == Kind::Gif && args.fps.is_some_and(|fps| fps > 50.0) {
        return Err("a GIF shows at most 50 pictures to a second: take fewer --fps".into());
    }
    Ok(())
}

fn reported(error: Error) -> String {
    error.to_string()
}

/// A film in the size that was asked for, or one that suits the kind; `range` where more than its own time has to be in sight.
fn film<'a>(
    motion: &'a Motion,
    args: &ExportArguments,
    kind: Kind,
    clock: &Clock,
    range: Option<[f64; 2]>,
) -> Result<Film<'a>, String> {
    let (wide, usual) = match kind {
        Kind::Gif => (480.0, None),
        Kind::Svg => (640.0, None),
        Kind::Frames | Kind::Mp4 => (1280.0, Some([1280.0, 720.0])),
        _ => (1280.0, None),
    };
    let size = match args.size {
        Some(Size::Pixels(size)) => Some(size),
        Some(Size::Paper(_)) => return Err("--size: give pixels, as in 1280x720".into()),
        None => usual,
    };
    let film = Film::new(motion, clock, size, wide, range, &args.trace).map_err(reported)?;
    let film = match args.view {
        Some(_) if motion.scene.dimension == 2 => {
            return Err("--view: a planar mechanism is seen from the front".into());
        }
        Some(direction) => film.seen_from(direction),
        None => film,
    };
    let film = match args.arrows {
        true => {
            let table = Table::open(&args.folder).map_err(reported)?;
            film.with_forces(Forces::read(&table, &motion.scene).map_err(reported)?)
        }
        false => film,
    };
    let film = film.with_looks(&args.color, args.enlarge.unwrap_or(1.0)).map_err(reported)?;
    Ok(if args.labels { film.with_labels() } else { film })
}

/// How fast a film should go: a motion of less than four seconds is slowed down, one that is too long hurried, by round factors.
fn pace(span: f64, longest: f64) -> f64 {
    let wanted = if span <= 0.0 {
        1.0
    } else if span < 4.0 {
        span / 5.0
    } else if span > longest {
        span / longest
    } else {
        1.0
    };
    if wanted == 1.0 || span >= 2.0 && span <= longest {
        return 1.0;
    }
    nice_step(wanted)
}

/// The poses of the time that was asked for, at most so many to a second.
fn cut(mut motion: Motion, args: &ExportArguments) -> Result<Motion, String> {
    if args.fps.is_some() || args.speed.is_some() {
        let clock = Clock {
            from: args.from,
            to: args.until,
            fps: args.fps.unwrap_or(30.0),
            speed: args.speed.unwrap_or(1.0),
        };
        let times = clock.times(&motion).map_err(reported)?;
        let start = times[0];
        let poses = times.iter().map(|t| {
            let mut pose = motion.at(*t);
            pose.t = (t - start) / clock.speed;
            pose
        });
        motion.poses = poses.collect();
        return Ok(motion);
    }
    let (from, until) = (args.from.unwrap_or(f64::MIN), args.until.unwrap_or(f64::MAX));
    motion.poses.retain(|pose| (from..=until).contains(&pose.t));
    if motion.poses.is_empty() {
        return Err("the recording has no frame in that time".into());
    }
    Ok(motion)
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    folder_for(file)
        .and_then(|()| write_bytes(file, bytes))
        .map_err(|e| format!("cannot write {}: {e}", file.display()))
}

fn write_parquet(table: &Table, to: &Path) -> Result<(), String> {
    let failed = |e: io::Error| format!("cannot write {}: {e}", to.display());
    folder_for(to).map_err(failed)?;
    let pending = PendingFile::named(to.to_path_buf()).map_err(failed)?;
    let mut writer = pending.writer().map_err(failed)?;
    parquet::write(table, &mut writer).map_err(reported)?;
    writer.flush().map_err(failed)?;
    drop(writer);
    pending.keep().map_err(failed)
}

/// Writes all pictures into a folder of their own, which takes its name when they are all there.
fn write_frames(film: &Film, to: &Path, bar: &ProgressBar) -> Result<(), String> {
    let failed = |e: io::Error| format!("cannot write {}: {e}", to.display());
    // without the slash at its end, which a file cannot have
    let name = PathBuf::from(to.to_string_lossy().trim_end_matches(['/', '\\']));
    if name.is_file() {
        return Err(format!("{} is a file; choose another name for the folder", name.display()));
    }
    if name.is_symlink() {
        return Err(format!("{} leads to another folder; name that one", name.display()));
    }
    if to.exists() && !holds_only_frames(to).map_err(failed)? {
        return Err(format!(
            "{} holds other things than pictures of an earlier export; choose another folder",
            to.display()
        ));
    }
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    if to.exists() && fs::canonicalize(to).ok() == here {
        return Err("the folder that you are in cannot be replaced; choose another one".into());
    }
    folder_for(to).map_err(failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // The first Ctrl-C leaves nothing behind, the second ends at once.
    on_signal(move || heard.store(true, Ordering::Relaxed));
    let parent = to.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let make = || tempfile::Builder::new().prefix(".linkwork-").tempdir_in(parent);
    let (folder, _unfinished) = Unfinished::make(make, |folder| folder.path()).map_err(failed)?;
    for i in 0..film.len() {
        if stop.load(Ordering::Relaxed) {
            return Err("stopped; nothing has been written".into());
        }
        let png = film.pixels(i).and_then(|pixels| pixels.to_png()).map_err(reported)?;
        fs::write(folder.path().join(format!("{i:05}.png")), png).map_err(failed)?;
        bar.set_position(i as u64 + 1);
    }
    if to.exists() {
        fs::remove_dir_all(to).map_err(failed)?;
    }
    readable(folder.path()).map_err(failed)?;
    fs::rename(folder.path(), to).map_err(failed)?;
    let _ = folder.keep();
    Ok(())
}

fn holds_only_frames(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_suffix(".png").unwrap_or("");
        if number.len() < 5 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Temporary folders are private; this one is as readable as any new folder.
#[cfg(unix)]
fn readable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn readable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The command that makes a video of the pictures.
fn ffmpeg(film: &Film, to: &Path, fps: f64) -> String {
    let [wide, high] = film.size();
    // most players want even numbers
    let pad = if wide % 2 == 1 || high % 2 == 1 { " -vf pad=ceil(iw/2)*2:ceil(ih/2)*2" } else { "" };
    format!(
        "ffmpeg -framerate {fps} -i '{}' -c:v libx264 -crf 18 -pix_fmt yuv420p{pad} {}",
        to.join("%05d.png").display(),
        "motion.mp4"
    )
}

fn progress(args: &ExportArguments, length: usize) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    bar
}
