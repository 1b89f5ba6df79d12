//! `linkwork run`.

use crate::arguments::{Format, RunArguments};
use crate::output::{PendingFile, count, print_json, print_text, short};
use crate::{Outcome, point_at_options, read_model, refuse, tell};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Faults, Model};
use linkwork::results::{CsvResults, Frame};
use linkwork::simulation::{Observer, Status, Summary, summary_json, write_events};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An energy drift above this part of the energies at play is told.
pub const UNBALANCED: f64 = 1e-3;

pub fn run(args: RunArguments) -> Outcome {
    let prepared = read_model(&args.model).and_then(|mut model| {
        let given = overrides(&args, &mut model);
        let mechanism = model.assemble().map_err(|faults| Error::Model(point_at_options(faults, &given)))?;
        let settings = &mechanism.model.settings;
        let mut list = settings.formulation.objections(&mechanism);
        list.extend(settings.integrator.objection(&mechanism));
        let faults = point_at_options(Faults { list, provenance: model.provenance.clone() }, &given);
        if faults.any_errors() { Err(Error::Model(faults)) } else { Ok((mechanism, faults)) }
    });
    let (mechanism, objections) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return refuse(&error, args.format),
    };
    if !mechanism.warnings.is_empty() && !args.quiet && args.format == Format::Text {
        tell(&Faults { list: mechanism.warnings.clone(), provenance: mechanism.model.provenance.clone() });
    }
    if !objections.list.is_empty() && !args.quiet && args.format == Format::Text {
        tell(&objections);
    }
    if args.tolerance.is_some()
        && !args.quiet
        && let Some(reason) = mechanism.model.settings.tolerance_unused()
    {
        eprintln!("warning: --tolerance has no effect: {reason}");
    }
    let folder = args.output.clone().unwrap_or_else(|| default_folder(&args.model));
    match write_results(&mechanism, &folder, &args) {
        Ok(summary) => {
            match args.format {
                _ if args.quiet => {}
                Format::Json => print_json(&summary_json(&mechanism, &summary)),
                Format::Text => print_text(&describe(&mechanism, &summary, &folder)),
            }
            match summary.status {
                Status::Finished => Outcome::Good,
                Status::Stopped => Outcome::Failed,
                Status::Failed(failure) => {
                    if args.format == Format::Text {
                        eprintln!(
                            "error: the run failed at t = {} s (step {} s): {}",
                            short(failure.t),
                            short(failure.step),
                            failure.message
                        );
                        if !failure.advice.is_empty() {
                            eprintln!("help: {}", failure.advice);
                        }
                    }
                    Outcome::Failed
                }
            }
        }
        Err(error) => refuse(&error, args.format),
    }
}

/// Settings from the command line; returns the keys they replace.
fn overrides(args: &RunArguments, model: &mut Model) -> Vec<&'static str> {
    let settings = &mut model.settings;
    let mut given = Vec::new();
    let mut set = |key: &'static str, value: Option<f64>, target: &mut f64| {
        if let Some(value) = value {
            *target = value;
            given.push(key);
        }
    };
    set("duration", args.duration, &mut settings.duration);
    set("output_step", args.output_step, &mut settings.output_step);
    set("tolerance", args.tolerance, &mut settings.tolerance);
    if let Some(step) = args.step {
        settings.step = Some(step);
        given.push("step");
    }
    if let Some(formulation) = args.formulation {
        settings.formulation = formulation;
        given.push("formulation");
    }
    if let Some(integrator) = args.integrator {
        settings.integrator = integrator;
        given.push("integrator");
    }
    given
}

fn default_folder(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().filter(|_| model != "-");
    Path::new("results").join(stem.unwrap_or("stdin".as_ref()))
}

/// Writes rows, moves the bar, and heeds Ctrl-C.
struct Watcher<'m> {
    rows: CsvResults<'m, BufWriter<File>>,
    error: Option<io::Error>,
    bar: ProgressBar,
    duration: f64,
    stop: Arc<AtomicBool>,
}

impl Watcher<'_> {
    fn flow(&self) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) || self.error.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Observer for Watcher<'_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        if let Err(e) = self.rows.write(frame) {
            self.error = Some(e);
        }
        self.flow()
    }

    fn step(&mut self, t: f64) -> ControlFlow<()> {
        self.bar.set_position((1000.0 * t / self.duration) as u64);
        self.flow()
    }
}

fn write_results(mechanism: &Mechanism, folder: &Path, args: &RunArguments) -> Result<Summary, Error> {
    let unwritable = |source| Error::Io { file: folder.display().to_string(), source };
    run_and_write(mechanism, folder, args).map_err(unwritable)?.map_err(Error::Model)
}

/// The outer error is of the files, the inner one of the model.
fn run_and_write(
    mechanism: &Mechanism,
    folder: &Path,
    args: &RunArguments,
) -> io::Result<Result<Summary, Faults>> {
    std::fs::create_dir_all(folder)?;
    let results = PendingFile::create(folder.join("results.csv"))?;
    let summary_file = PendingFile::create(folder.join("summary.json"))?;
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // The first Ctrl-C ends the run in good order, the second at once.
    let _ = ctrlc::set_handler(move || {
        if heard.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    let mut watcher = Watcher {
        rows: CsvResults::new(mechanism, results.writer()?)?,
        error: None,
        bar: progress_bar(args),
        duration: mechanism.model.settings.duration,
        stop,
    };
    let outcome = mechanism.run(&mut watcher);
    watcher.bar.finish_and_clear();
    if let Some(error) = watcher.error {
        return Err(error);
    }
    let summary = match outcome {
        Ok(summary) => summary,
        Err(faults) => return Ok(Err(faults)),
    };
    watcher.rows.finish()?.flush()?;
    let text = serde_json::to_string_pretty(&summary_json(mechanism, &summary))?;
    let mut out = summary_file.writer()?;
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()?;
    let events = folder.join("events.csv");
    if summary.events.is_empty() {
        // one of an earlier run would belong to nothing
        match std::fs::remove_file(&events) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    } else {
        let file = PendingFile::create(events)?;
        write_events(&summary.events, file.writer()?)?;
        file.keep()?;
    }
    results.keep()?;
    summary_file.keep()?;
    Ok(Ok(summary))
}

fn progress_bar(args: &RunArguments) -> ProgressBar {
    if args.quiet || args.format == Format::Json || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn describe(mechanism: &Mechanism, summary: &Summary, folder: &Path) -> String {
    let settings = &mechanism.model.settings;
    let mut text = format!(
        "{}: {}, {}, {}\n",
        mechanism.model.name,
        count(mechanism.bodies.len(), "body", "bodies"),
        count(mechanism.joints.len(), "joint", "joints"),
        count(mechanism.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    );
    let ended = match &summary.status {
        Status::Finished => String::new(),
        Status::Stopped => format!(", stopped at {} s of {} s", short(summary.t), short(settings.duration)),
        Status::Failed(_) => format!(", failed at {} s of {} s", short(summary.t), short(settings.duration)),
    };
    let mut line = |name: &str, what: String| text.push_str(&format!("  {name:<21}{what}\n"));
    line(
        "solved",
        format!(
            "{} s in {} ({} rejected), {} + {}, {:.3} s wall time{ended}",
            short(summary.t),
            count(summary.steps.accepted_steps as usize, "step", "steps"),
            summary.steps.rejected_steps,
            settings.formulation.name(),
            summary.integrator.name(),
            summary.wall.as_secs_f64(),
        ),
    );
    if let Some(fallback) = &summary.fallback {
        line("note", fallback.to_string());
    }
    line(
        "energy drift",
        format!(
            "{:.1e} J, {:.1e} of the energies at play",
            summary.energy_drift,
            summary.relative_energy_drift()
        ),
    );
    if summary.relative_energy_drift() > UNBALANCED {
        line(
            "warning",
            "the energies do not balance: is there a prescribed velocity that jumps, or is the tolerance or step too coarse?".into(),
        );
    }
    line(
        "constraint residual",
        format!(
            "{:.1e} m, {:.1e} of the size",
            summary.constraint_residual,
            summary.constraint_residual / summary.size
        ),
    );
    if mechanism.redundancy.count > 0 {
        let what = count(mechanism.redundancy.count, "redundant constraint", "redundant constraints");
        line("note", format!("{what}: some reactions are not unique, see `linkwork check`"));
    }
    if let Some(worst) = mechanism.assembly.moved.first() {
        let n = mechanism.assembly.moved.len();
        let what = count(n, "point was", "points were");
        line(
            "note",
            format!("{what} moved to close the drawing, `{}` by {} m", worst.point, short(worst.distance)),
        );
    }
    for remark in &summary.remarks {
        line("note", remark.message.clone());
    }
    if let Some((condition, t)) = summary.stopped_by() {
        line("ended", format!("at {} s: {condition}", short(t)));
    }
    line("rows", format!("{} in {}", summary.rows, folder.join("results.csv").display()));
    if !summary.events.is_empty() {
        line("events", format!("{} in {}", summary.events.len(), folder.join("events.csv").display()));
    }
    line("summary", folder.join("summary.json").display().to_string());
    text
}
