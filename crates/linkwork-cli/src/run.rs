//! `linkwork run`.

use crate::arguments::{Format, formulation, initial, integrator, names};
use crate::browser::open;
use crate::files::ResultFiles;
use crate::interrupt::on_signal;
use crate::lock::Lock;
use crate::motion::{MotionFile, remove_earlier, write_report};
use crate::output::{
    PendingFile, count, print_json, print_text, remove_leftovers, replace, replaceable, short,
};
use crate::results_folder::{MODEL_FILE, ResultsFolder};
use crate::source::{Setting, read_model_with, setting};
use crate::{Outcome, point_at_options, refuse, tell};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Faults, Formulation, InitialState, Integrator, Model};
use linkwork::results::{Frame, LongTable};
use linkwork::simulation::{
    Checkpoint, Event, InputSchedule, Observer, Remark, RunFailure, Status, Summary, summary_json,
};
use linkwork_view::REPORT_FILE;
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Args)]
#[command(after_help = "Exit code: 0 finished, 1 the run failed or was stopped, 2 the model was refused.\n\
    Ctrl-C ends a run early and keeps the rows so far; summary.json says so. With --checkpoint the run can be\n\
    continued: `linkwork run MODEL --resume FILE` gives the same results as a run without interruption.")]
pub struct RunArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// Folder for the results [default: results/<name of the model file>, with a number behind where results of another model are]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// A value for one of the model's [inputs], in its unit, or a table with the columns t (s) and names of inputs; several options set several
    #[arg(long, value_name = "NAME=VALUE|FILE.csv")]
    pub input: Vec<String>,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time between result rows, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// Local error per step, relative to the size of the mechanism
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Step of the fixed-step integrators, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Where the run begins: `given`, as drawn and given, or `equilibrium`, at rest in the static equilibrium next to that
    #[arg(long, value_name = "NAME", value_parser = initial)]
    pub initial: Option<InitialState>,
    #[arg(long, value_name = "NAME", value_parser = formulation, help = names("Coordinates", &Formulation::CHOICES, Formulation::name))]
    pub formulation: Option<Formulation>,
    #[arg(long, value_name = "NAME", value_parser = integrator, help = names("Method", &Integrator::ALL, Integrator::name))]
    pub integrator: Option<Integrator>,
    /// Write checkpoints to this file: at intervals, and when Ctrl-C ends the run
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Simulated time between checkpoints, s [default: a tenth of the duration]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub checkpoint_every: Option<f64>,
    /// Go on from a checkpoint of this model with the same settings; further ones go to the same file unless --checkpoint
    /// names another
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Open the report in a browser
    #[arg(long, conflicts_with = "no_report")]
    pub open: bool,
    /// Record no motion and write no report
    #[arg(long)]
    pub no_report: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// An energy drift above this part of the energies at play is reported.
pub const UNBALANCED: f64 = 1e-3;

const OUT_OF_BALANCE: &str = "the energies do not balance: is there a prescribed velocity that jumps, or is the tolerance or step too coarse?";

/// The code of a remark on energies that drift far beyond the tolerance.
const DRIFT: &str = "energy-drift";

/// That of a remark on time steps over contacts that have not kept what they are meant to.
const ACCURACY: &str = "contact-accuracy";

/// The remark on the drift, if the run has it.
fn drift_remark(summary: &Summary) -> Option<&Remark> {
    summary.remarks.iter().find(|remark| remark.code == DRIFT)
}

/// Lines of warning in a report.
const MOST_WARNINGS: usize = 50;

/// Remarks that are printed; the summary has all.
const REMARKS: usize = 3;

pub fn run(args: RunArguments) -> Outcome {
    let mut schedules = Vec::new();
    let prepared = read_model_with(&args.model, &args.set).and_then(|mut model| {
        schedules = inputs(&args, &mut model)?;
        let given = overrides(&args, &mut model);
        let mechanism = model.assemble().map_err(|faults| Error::Model(point_at_options(faults, &given)))?;
        let settings = &mechanism.model().settings;
        let mut list = mechanism.formulation().0.unsupported(&mechanism);
        list.extend(settings.integrator.objection(&mechanism));
        let faults = point_at_options(Faults { list, provenance: model.provenance.clone() }, &given);
        if faults.any_errors() { Err(Error::Model(faults)) } else { Ok((mechanism, faults)) }
    });
    let (mechanism, unsupported) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return refuse(&error, args.format),
    };
    let warnings = crate::warnings(&mechanism);
    if !warnings.list.is_empty() && !args.quiet && args.format == Format::Text {
        tell(&warnings);
    }
    if !unsupported.list.is_empty() && !args.quiet && args.format == Format::Text {
        tell(&unsupported);
    }
    if args.tolerance.is_some()
        && !args.quiet
        && let Some(reason) = mechanism.model().settings.tolerance_unused()
    {
        eprintln!("warning: --tolerance has no effect: {reason}");
    }
    let ResultsFolder { path: folder, replaces } =
        args.output.clone().map_or_else(|| ResultsFolder::of(&args.model), ResultsFolder::given);
    match write_results(&mechanism, &folder, &args, schedules.first()) {
        Ok(summary) => {
            match args.format {
                _ if args.quiet => {}
                Format::Json => print_json(&told_as_json(&mechanism, &summary, &args.model)),
                Format::Text => {
                    let mut text = describe(&mechanism, &summary, &folder);
                    if let Some(earlier) = replaces.filter(|_| args.resume.is_none()) {
                        let of = if earlier == args.model || earlier.is_empty() {
                            String::new()
                        } else {
                            format!(" of {earlier}")
                        };
                        text.push_str(&line("replaced", &format!("the results of an earlier run{of}")));
                    }
                    let report = folder.join(REPORT_FILE);
                    if !args.no_report && report.exists() {
                        text.push_str(&line("report", &report.display().to_string()));
                    }
                    print_text(&text);
                    let file = args.checkpoint.as_ref().or(args.resume.as_ref());
                    if let Some(file) = file.filter(|_| summary.status == Status::Stopped) {
                        eprintln!("help: go on with the same options and --resume {}", file.display());
                    }
                }
            }
            let report = folder.join(REPORT_FILE);
            if args.open && !(report.exists() && open(&report)) {
                eprintln!("warning: no browser could be opened; open {} yourself", report.display());
            }
            match summary.status {
                Status::Finished => Outcome::Good,
                Status::Stopped => Outcome::Failed,
                Status::Failed(failure) => {
                    if args.format == Format::Text {
                        let step = match failure.step > 0.0 {
                            true => format!(" (step {} s)", short(failure.step)),
                            false => String::new(),
                        };
                        eprintln!(
                            "error: the run failed at t = {} s{step}: {} [{}]",
                            short(failure.t),
                            failure.message,
                            failure.code
                        );
                        if !failure.advice.is_empty() {
                            eprintln!("help: {}", failure.advice);
                        }
                        eprintln!("{}", crate::explain::hint([failure.code]).trim_end());
                    }
                    Outcome::Failed
                }
            }
        }
        Err(error) => refuse(&error, args.format),
    }
}

/// Settings from the command line; returns the keys they replace.
/// What inputs begin with, into the model; and what they do on the way.
fn inputs(args: &RunArguments, model: &mut Model) -> Result<Vec<InputSchedule>, Error> {
    let mut schedules = Vec::new();
    for option in &args.input {
        let constant = option.split_once('=').filter(|_| !Path::new(option).exists());
        if let Some((name, value)) = constant {
            let number = value.trim().parse::<f64>();
            let number =
                number.map_err(|_| Error::Input(format!("--input {option}: `{value}` is not a number")))?;
            model.set_input(name.trim(), number)?;
            continue;
        }
        if args.checkpoint.is_some() || args.resume.is_some() {
            let message = "a run whose inputs follow a table cannot be interrupted and resumed: leave out --checkpoint and --resume";
            return Err(Error::Input(message.into()));
        }
        if !schedules.is_empty() {
            return Err(Error::Input("only one table of inputs can be given: put all inputs into it".into()));
        }
        let text =
            std::fs::read_to_string(option).map_err(|source| Error::Io { file: option.clone(), source })?;
        let schedule = InputSchedule::from_csv(option, &text)?;
        schedule.begin(model)?;
        schedules.push(schedule);
    }
    Ok(schedules)
}

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
    if let Some(initial) = args.initial {
        settings.initial = initial;
        given.push("initial");
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

/// Where checkpoints go, and when the next one is due.
struct Checkpoints {
    file: PathBuf,
    every: f64,
    next: f64,
    /// Whether the file holds one of this run.
    taken: bool,
}

impl Checkpoints {
    fn new(args: &RunArguments, duration: f64, from: f64) -> Option<Self> {
        let file = args.checkpoint.clone().or_else(|| args.resume.clone())?;
        let mut checkpoints = Checkpoints {
            file,
            every: args.checkpoint_every.unwrap_or(0.1 * duration),
            next: 0.0,
            taken: false,
        };
        checkpoints.taken = args.resume.as_ref() == Some(&checkpoints.file);
        checkpoints.after(from);
        Some(checkpoints)
    }

    fn after(&mut self, t: f64) {
        self.next = ((t / self.every).floor() + 1.0) * self.every;
    }
}

/// Writes rows and events, moves the bar, takes checkpoints, and heeds Ctrl-C.
struct Watcher<'m> {
    files: ResultFiles<'m>,
    /// Nothing where no report is wanted.
    motion: Option<MotionFile<'m>>,
    checkpoints: Option<Checkpoints>,
    error: Option<io::Error>,
    bar: ProgressBar,
    duration: f64,
    stop: Arc<AtomicBool>,
    /// The last checkpoint is being taken.
    last: bool,
}

impl Watcher<'_> {
    fn check_written(&mut self, outcome: io::Result<()>) -> ControlFlow<()> {
        self.error = self.error.take().or(outcome.err());
        // with checkpoints a run ends behind one, not among the rows of a step
        let stop = if self.checkpoints.is_some() { self.last } else { self.stop.load(Ordering::Relaxed) };
        if stop || self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn write(&mut self, mut checkpoint: Checkpoint) -> io::Result<()> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(()) };
        checkpoints.after(checkpoint.t());
        checkpoint.note = self.files.note()?;
        if let Some(motion) = &mut self.motion {
            motion.sync()?;
        }
        replace(&checkpoints.file, &checkpoint.to_bytes())
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", checkpoints.file.display())))?;
        checkpoints.taken = true;
        Ok(())
    }
}

impl Observer for Watcher<'_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        let written = self.files.row(frame);
        let written = written.and_then(|()| self.motion.as_mut().map_or(Ok(()), |motion| motion.row(frame)));
        self.check_written(written)
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        let written = self.files.event(event);
        self.check_written(written)
    }

    fn wants_checkpoint(&mut self, t: f64) -> bool {
        let Some(checkpoints) = &self.checkpoints else { return false };
        self.last = self.stop.load(Ordering::Relaxed);
        self.last || t >= checkpoints.next
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        let written = self.write(checkpoint);
        self.check_written(written)
    }

    fn step(&mut self, t: f64) -> ControlFlow<()> {
        self.bar.set_position((1000.0 * t / self.duration) as u64);
        self.check_written(Ok(()))
    }
}

fn write_results(
    mechanism: &Mechanism,
    folder: &Path,
    args: &RunArguments,
    schedule: Option<&InputSchedule>,
) -> Result<Summary, Error> {
    let of_file = |path: &Path, source| Error::Io { file: path.display().to_string(), source };
    if let Some(every) = args.checkpoint_every
        && !(every > 0.0 && every.is_finite())
    {
        let source = io::Error::other("the time between checkpoints must be positive");
        return Err(Error::Io { file: "--checkpoint-every".into(), source });
    }
    let in_folder = |source| of_file(folder, source);
    // two runs that write to the same place would mix their rows
    let what = format!("linkwork run {}", args.model);
    std::fs::create_dir_all(folder).map_err(in_folder)?;
    let _folder = Lock::folder(folder, &what).map_err(in_folder)?;
    remove_leftovers(folder);
    if let Some(file) = &args.checkpoint {
        replaceable(file).map_err(|source| of_file(file, source))?;
    }
    let mut locks = Vec::new();
    for file in [&args.checkpoint, &args.resume].into_iter().flatten() {
        if args.checkpoint != args.resume || locks.is_empty() {
            locks.extend(Lock::checkpoint(file, &what).map_err(|source| of_file(file, source))?);
        }
    }
    let resumed = args.resume.as_ref().map(Checkpoint::read).transpose()?;
    if let Some(checkpoint) = &resumed {
        checkpoint.belongs_to(mechanism)?;
    }
    run_and_write(mechanism, folder, args, (resumed, schedule)).map_err(in_folder)?
}

/// The outer error is of the files, the inner one of the model or the checkpoint.
fn run_and_write(
    mechanism: &Mechanism,
    folder: &Path,
    args: &RunArguments,
    (resumed, schedule): (Option<Checkpoint>, Option<&InputSchedule>),
) -> io::Result<Result<Summary, Error>> {
    let duration = mechanism.model().settings.duration;
    let checkpoints = Checkpoints::new(args, duration, resumed.as_ref().map_or(0.0, Checkpoint::t));
    let files = match &resumed {
        None => ResultFiles::create(mechanism, folder, checkpoints.is_some())?,
        Some(checkpoint) => ResultFiles::reopen(mechanism, folder, checkpoint)?,
    };
    let motion = match &resumed {
        _ if args.no_report => Ok(None),
        None => MotionFile::create(mechanism, folder, checkpoints.is_some()).map(Some),
        Some(checkpoint) => MotionFile::reopen(mechanism, folder, checkpoint.t()).map(Some),
    };
    // a run that cannot begin leaves nothing behind, one that goes on what it had
    let motion = match motion {
        Ok(motion) => motion,
        Err(error) if resumed.is_some() => return Err(error),
        Err(error) => return files.discard().and(Err(error)),
    };
    if let Some(motion) = motion.as_ref().filter(|_| !args.quiet && args.format == Format::Text) {
        motion.picture().iter().for_each(|remark| eprintln!("note: {remark}"));
    }
    // whether it can be written is known before the run
    let reserve = match Reserve::new(folder) {
        Ok(reserve) => reserve,
        Err(error) => {
            if resumed.is_none() {
                files.discard()?;
                motion.map_or(Ok(()), MotionFile::discard)?;
            }
            return Err(error);
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    // The first Ctrl-C ends the run in good order, the second at once.
    on_signal(move || heard.store(true, Ordering::Relaxed));
    let bar = progress_bar(args);
    let mut watcher = Watcher { files, motion, checkpoints, error: None, bar, duration, stop, last: false };
    let outcome = match resumed {
        None => match schedule {
            None => mechanism.run(&mut watcher).map_err(Error::Model),
            Some(schedule) => mechanism.run_with_inputs(schedule, &mut watcher),
        },
        Some(checkpoint) => mechanism.resume(&checkpoint, &mut watcher),
    };
    watcher.bar.finish_and_clear();
    let mut summary = match outcome {
        Ok(summary) => summary,
        Err(error) => {
            if args.resume.is_none() {
                watcher.files.discard()?;
                watcher.motion.map_or(Ok(()), MotionFile::discard)?;
            }
            return Ok(Err(error));
        }
    };
    drop(reserve);
    let mut files = watcher.files;
    let error = watcher.error.or_else(|| files.flush().err());
    match &error {
        None => files.keep()?,
        // rows that could not be written are no reason to lose those that were
        Some(error) => match files.salvage()? {
            Some((rows, t)) => {
                (summary.rows, summary.t) = (rows, t);
                let advice = "the rows so far are kept; make room and run again, or write elsewhere with -o";
                summary.status = unwritten(&summary, error, advice);
            }
            None => {
                let taken = watcher.checkpoints.filter(|checkpoints| checkpoints.taken);
                let advice = match taken {
                    Some(Checkpoints { file, .. }) => {
                        format!("make room, then go on with the same options and --resume {}", file.display())
                    }
                    None => "make room and run again, or write elsewhere with -o".into(),
                };
                summary.status = unwritten(&summary, error, &advice);
                return Ok(Ok(summary));
            }
        },
    }
    write_summary(mechanism, folder, &summary, &args.model)?;
    let Some(motion) = watcher.motion else {
        remove_earlier(folder)?;
        return Ok(Ok(summary));
    };
    let recorded = motion.keep(warnings(mechanism, &summary)).and_then(|()| write_report(folder));
    if let Err(cause) = recorded {
        // one of an earlier run would belong to nothing
        remove_earlier(folder)?;
        if cause.kind() == io::ErrorKind::InvalidData {
            // the results are good: there is only nothing to be seen of them
            eprintln!("warning: no recording and no report: {cause}");
        } else if error.is_none() {
            let advice = "results.csv and summary.json are whole; make room and run again for motion.lwm and report.html";
            summary.status = unwritten(&summary, &cause, advice);
            write_summary(mechanism, folder, &summary, &args.model)?;
        }
    }
    Ok(Ok(summary))
}

/// Room on the disk for the summary of a run that has filled it with rows. Where there is none from the start the run goes on without.
struct Reserve {
    _file: PendingFile,
}

impl Reserve {
    /// Bytes.
    const SIZE: usize = 32 << 10;

    fn new(folder: &Path) -> io::Result<Self> {
        let file = PendingFile::result(folder.join(SUMMARY_FILE))?;
        let _ = file.file()?.write_all(&[0; Self::SIZE]);
        Ok(Reserve { _file: file })
    }
}

pub const SUMMARY_FILE: &str = "summary.json";

/// The summary of a run with the warnings about its model, and where that came from.
fn told_as_json(mechanism: &Mechanism, summary: &Summary, model: &str) -> serde_json::Value {
    let mut value = summary_json(mechanism, summary);
    value[MODEL_FILE] = model.into();
    value["warnings"] = crate::warnings(mechanism).to_json();
    value
}

fn write_summary(mechanism: &Mechanism, folder: &Path, summary: &Summary, model: &str) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(&told_as_json(mechanism, summary, model))?;
    text.push('\n');
    let file = PendingFile::result(folder.join(SUMMARY_FILE))?;
    file.file()?.write_all(text.as_bytes())?;
    file.keep()
}

fn unwritten(summary: &Summary, error: &io::Error, advice: &str) -> Status {
    Status::Failed(RunFailure {
        t: summary.t,
        step: 0.0,
        code: "not-written",
        message: format!("the results could not be written: {error}"),
        advice: advice.into(),
    })
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

/// A line of the summary.
fn line(name: &str, what: &str) -> String {
    format!("  {name:<21}{what}\n")
}

/// What there is to know about a mechanism before it runs.
fn notes(mechanism: &Mechanism) -> Vec<String> {
    let mut notes = Vec::new();
    if mechanism.redundancy().count > 0 {
        let what = count(mechanism.redundancy().count, "redundant constraint", "redundant constraints");
        notes.push(format!("{what}: some reactions are not unique, see `linkwork check`"));
    }
    if let Some(worst) = mechanism.assembly().moved.first() {
        let what = count(mechanism.assembly().moved.len(), "point was", "points were");
        let far = short(worst.distance);
        notes.push(format!("{what} moved to close the drawing, `{}` by {far} m", worst.point));
    }
    notes
}

/// What a report says about a run, lines for people: the worst first.
pub fn warnings(mechanism: &Mechanism, summary: &Summary) -> Vec<String> {
    let mut list = Vec::new();
    match &summary.status {
        Status::Finished => {}
        Status::Stopped => list.push(format!("the run was stopped at {} s", short(summary.t))),
        Status::Failed(failure) => {
            list.push(format!("the run failed at {} s: {}", short(failure.t), failure.message));
            list.extend(Some(failure.advice.clone()).filter(|advice| !advice.is_empty()));
        }
    }
    if summary.relative_energy_drift() > UNBALANCED && drift_remark(summary).is_none() {
        list.push(OUT_OF_BALANCE.into());
    }
    list.extend(
        crate::warnings(mechanism).list.iter().map(|fault| format!("{}: {}", fault.path, fault.message)),
    );
    list.extend(summary.fallback.iter().map(ToString::to_string));
    list.extend(notes(mechanism));
    list.extend(summary.remarks.iter().map(|remark| remark.message.clone()));
    let more = list.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        list.truncate(MOST_WARNINGS);
        list.push(format!("and {more} more: see summary.json"));
    }
    list
}

fn describe(mechanism: &Mechanism, summary: &Summary, folder: &Path) -> String {
    let settings = &mechanism.model().settings;
    let mut text = format!(
        "{}: {}, {}, {}\n",
        mechanism.model().name,
        count(mechanism.bodies().len(), "body", "bodies"),
        count(mechanism.joints().len(), "joint", "joints"),
        count(mechanism.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
    );
    let ended = match &summary.status {
        Status::Finished => String::new(),
        Status::Stopped => format!(", stopped at {} s of {} s", short(summary.t), short(settings.duration)),
        Status::Failed(_) => format!(", failed at {} s of {} s", short(summary.t), short(settings.duration)),
    };
    let mut line = |name: &str, what: String| text.push_str(&line(name, &what));
    line(
        "solved",
        format!(
            "{} s in {} ({} rejected), {} + {}, {:.3} s wall time{ended}",
            short(summary.t),
            count(summary.steps.accepted_steps as usize, "step", "steps"),
            summary.steps.rejected_steps,
            summary.formulation.name(),
            summary.integrator.name(),
            summary.wall.as_secs_f64(),
        ),
    );
    if let Some(fallback) = &summary.fallback {
        line("note", fallback.to_string());
    }
    if let Some(why) = &summary.formulation_chosen {
        line("formulation", format!("{} was chosen: {why}", summary.formulation.name()));
    }
    if let Some(why) = &summary.chosen {
        line("integrator", format!("{} was chosen: {why}", summary.integrator.name()));
    }
    line(
        "energy drift",
        format!(
            "{:.1e} J, {:.1e} of the energies at play",
            summary.energy_drift,
            summary.relative_energy_drift()
        ),
    );
    match drift_remark(summary) {
        Some(remark) => line("warning", remark.message.clone()),
        None if summary.relative_energy_drift() > UNBALANCED => line("warning", OUT_OF_BALANCE.into()),
        None => {}
    }
    for remark in summary.remarks.iter().filter(|remark| remark.code == ACCURACY) {
        line("warning", remark.message.clone());
    }
    line(
        "constraint residual",
        format!(
            "{:.1e} m, {:.1e} of the size",
            summary.constraint_residual,
            summary.constraint_residual / summary.size
        ),
    );
    if let Some(counts) = &summary.contact_steps {
        line(
            "contacts",
            format!(
                "{} steps with up to {} contacts; overlap up to {:.1e} m, {:.1e} of the size; velocities within {:.1e} m/s",
                counts.steps,
                counts.most,
                counts.overlap,
                counts.overlap / summary.size,
                counts.residual
            ),
        );
        if counts.most_asleep > 0 {
            line("asleep", format!("{} bodies at the end, {} at most", counts.asleep, counts.most_asleep));
        }
    }
    if let Some(lost) = summary.contact_losses.filter(|lost| lost.impacts != 0.0 || lost.friction != 0.0) {
        let (impacts, friction) = (short(lost.impacts), short(lost.friction));
        line("lost in contacts", format!("{impacts} J in impacts, {friction} J in friction"));
    }
    for note in notes(mechanism) {
        line("note", note);
    }
    let others = || summary.remarks.iter().filter(|remark| ![DRIFT, ACCURACY].contains(&remark.code));
    for remark in others().take(REMARKS) {
        line("note", remark.message.clone());
    }
    if let Some(more) = others().count().checked_sub(REMARKS + 1) {
        line("note", format!("and {} more of the kind: see summary.json", more + 1));
    }
    if let Some((condition, t)) = summary.stopped_by() {
        line("ended", format!("at {} s: {condition}", short(t)));
    }
    let rows = ["results.csv.part", "results.csv"].map(|name| folder.join(name));
    let rows = if rows[0].exists() { &rows[0] } else { &rows[1] };
    line("rows", format!("{} in {}", summary.rows, rows.display()));
    if summary.event_count > 0 {
        line("events", format!("{} in {}", summary.event_count, folder.join("events.csv").display()));
    }
    for table in LongTable::ALL.into_iter().filter(|table| table.is_of(mechanism)) {
        line(table.name(), format!("their {} in {}", table.items(), folder.join(table.file()).display()));
    }
    if let Some(balances) = &summary.balances {
        let part = |gap: f64, most: f64| if most > 0.0 { gap / most } else { gap };
        line(
            "balances",
            format!(
                "momentum within {:.1e}, energy within {:.1e} of the largest",
                part(balances.momentum, balances.largest_momentum),
                part(balances.energy, balances.largest_energy)
            ),
        );
    }
    if rows.ends_with("results.csv") {
        line("summary", folder.join("summary.json").display().to_string());
    }
    text
}
