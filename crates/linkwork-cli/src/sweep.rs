//! `linkwork sweep`.

#[path = "sweep_folder.rs"]
mod folder;

use crate::arguments::{Format, formulation, integrator, names};
use crate::interrupt::on_signal;
use crate::lock::Lock;
use crate::output::{PendingFile, count, print_text};
use crate::source::model_file;
use crate::{Outcome, point_at_options, refuse};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linkwork::Error;
use linkwork::model::{Formulation, Integrator};
use linkwork::straight::Accelerator;
use linkwork_gpu::Device;
use linkwork_sweep::{
    CaseStatus, Cases, Changes, Manifest, Plan, Progress, Sampling, Selection, Shard, Study, SweepFolder,
    Watch, split_columns, write_csv, write_csv_head,
};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

#[derive(Args, Clone)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "A sweep fills a folder with plan.json and parts of 1,000 cases, as Parquet files: columns `case`, parameters, results, `status`, `code`.\n\
    Whole parts stay whatever happens; --resume goes on, --shard shares the work between machines, and a case has the same bits on\n\
    any of them. With -o FILE.csv there is one table instead. See docs/batch.md.\n\n\
    Example: linkwork sweep pendulum.toml --set 'l=20 cm..50 cm' --set 'm=normal(2 kg, 0.1 kg)' --sample sobol:1024 --columns 'max(energy.kinetic)'\n\n\
    Exit code: 0 all finished, 1 some did not or the sweep was stopped, 2 the model or an option was refused."
)]
pub struct SweepArguments {
    #[command(subcommand)]
    pub verb: Option<folder::Verb>,
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    #[arg(required = true)]
    pub model: Option<String>,
    /// A parameter of the model's [parameters] and its values, in SI units or with units: 0.3..0.9:61, 1,2,5, log 1e3..1e6, normal(2, 0.1),
    /// uniform(1, 2), or one value; several options vary several parameters
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    pub set: Vec<String>,
    /// How cases are chosen: grid (all combinations), pairs, random:N, latin:N, sobol:N, saltelli:N (for sensitivity indices)
    #[arg(long, value_name = "HOW", default_value = "grid")]
    pub sample: Sampling,
    /// All combinations of the values: --sample grid
    #[arg(long, conflicts_with_all = ["pairs", "sample"])]
    pub grid: bool,
    /// First values together, second values together, and so on: --sample pairs
    #[arg(long, conflicts_with = "sample")]
    pub pairs: bool,
    /// Seed of random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder for the parts; or a table, FILE.csv
    #[arg(short, long, value_name = "DIR", default_value = "sweep")]
    pub output: PathBuf,
    /// What is kept of each run: final(COLUMN), at(TIME, COLUMN), max, min, mean, rms, integral of result columns; a name alone is
    /// its last value [default: all columns]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<String>,
    /// Threads; 0: as many as the machine has cores
    #[arg(long, visible_alias = "jobs", value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Cases in a part [default: 1000; 100000 on a device]
    #[arg(long, value_name = "N")]
    pub part_size: Option<u64>,
    /// Where cases run. A card moves trees that move under their weight alone, by `rk4` or `euler`, and keeps last values only; all else
    /// runs on the processor. No number changes
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = Place::Cpu)]
    pub device: Place,
    /// Go on where a sweep was interrupted: parts that are whole are kept
    #[arg(long)]
    pub resume: bool,
    /// Go on, and run cases again that did not finish
    #[arg(long)]
    pub retry_failed: bool,
    /// Work on every N-th part only, beginning with the I-th; auto: as the variables of a SLURM array or an indexed Kubernetes job say
    #[arg(long, value_name = "I/N|auto")]
    pub shard: Option<String>,
    /// Let eight cases share their steps under error control: faster, but not to the last bit what single runs give
    #[arg(long)]
    pub lockstep: bool,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time between samples, s: extremes, means and integrals are taken over them
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// Local error per step, relative to the size of the mechanism
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Steps of this size, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    #[arg(long, value_name = "NAME", value_parser = formulation, help = names("Coordinates", &Formulation::CHOICES, Formulation::name))]
    pub formulation: Option<Formulation>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Where cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// On the processor
    Cpu,
    /// On the first NVIDIA card
    Gpu,
    /// On a card if there is one
    Auto,
}

/// Cases in a part, on the processor and on a device: that wants many at a time.
const PART: [u64; 2] = [1000, 100_000];
/// Failures that are reported one by one; the table has them all.
const MOST_TOLD: usize = 10;
/// How often the bar is drawn.
const DRAWN_EVERY: Duration = Duration::from_millis(100);

/// Reads `NAME=VALUE` with a number.
pub fn number_for(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as in l=0.5")?;
    Ok((name.trim().to_owned(), number(value)?))
}

fn number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("`{}` is not a number; values are numbers in SI units", text.trim())),
    }
}

pub fn sweep(args: &SweepArguments) -> Outcome {
    if let Some(verb) = &args.verb {
        return folder::run(verb);
    }
    match run(args) {
        Ok(outcome) => outcome,
        Err(error) => report(error, &changes(args).keys()),
    }
}

/// Tells what went wrong; settings that came from options are the options'.
fn report(error: linkwork_sweep::Error, given: &[&str]) -> Outcome {
    match error {
        linkwork_sweep::Error::Model(Error::Model(faults)) => {
            refuse(&Error::Model(point_at_options(faults, given)), Format::Text)
        }
        linkwork_sweep::Error::Model(error) => refuse(&error, Format::Text),
        other => {
            eprintln!("error: {other}");
            Outcome::Refused
        }
    }
}

fn changes(args: &SweepArguments) -> Changes {
    Changes {
        duration: args.duration,
        output_step: args.output_step,
        tolerance: args.tolerance,
        step: args.step,
        formulation: args.formulation.map(|formulation| formulation.name().into()),
        integrator: args.integrator.map(|integrator| integrator.name().into()),
    }
}

fn run(args: &SweepArguments) -> Result<Outcome, linkwork_sweep::Error> {
    let model = args.model.as_deref().unwrap_or("-");
    let sampling = if args.pairs { Sampling::Pairs } else { args.sample };
    let file = model_file(model)?;
    let plan = Plan::read(&file, &args.set, sampling, args.seed)?;
    let columns = args.columns.as_deref().map_or_else(Vec::new, split_columns);
    let shard = match &args.shard {
        Some(text) => Shard::read(text, &|name| std::env::var(name).ok())?,
        None => Shard::default(),
    };
    let device = device(args.device)?;
    let study =
        Study::new(file, plan, changes(args), &columns)?.with_lockstep(args.lockstep).with_device(device);
    let watch = Watch { threads: args.threads, ..Watch::default() };
    match is_table(&args.output) {
        true => into_table(args, &study, &watch),
        false => into_folder(args, &study, &watch, shard),
    }
}

/// The device that was asked for.
fn device(place: Place) -> Result<Option<Arc<dyn Accelerator>>, linkwork_sweep::Error> {
    match (place, Device::first()) {
        (Place::Cpu, _) | (Place::Auto, Err(_)) => Ok(None),
        (_, Ok(device)) => Ok(Some(Arc::new(device))),
        (Place::Gpu, Err(error)) => {
            Err(linkwork_sweep::Error::Wrong { what: "--device".into(), why: error.to_string() })
        }
    }
}

fn part_size(args: &SweepArguments) -> u64 {
    args.part_size.unwrap_or(PART[usize::from(args.device != Place::Cpu)])
}

/// Whether a table is wanted, not a folder: by its ending, or because something that is no folder has the name.
fn is_table(path: &Path) -> bool {
    let ending = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    match path.metadata() {
        Ok(found) => !found.is_dir(),
        Err(_) => ending,
    }
}

/// What was counted and said so far.
struct Said<'s> {
    study: &'s Study,
    model: &'s str,
    cases: u64,
    failed: u64,
    in_lanes: u64,
    on_device: u64,
    not_on_device: BTreeMap<String, usize>,
    found: u64,
    repeat: Option<String>,
    /// Cases of parts that are whole, for the bar.
    passed: Arc<AtomicU64>,
    begun: Arc<AtomicU64>,
}

impl<'s> Said<'s> {
    fn new(study: &'s Study, args: &'s SweepArguments, watch: &Watch) -> Self {
        let model = args.model.as_deref().unwrap_or("-");
        let passed = Arc::default();
        let begun = watch.begun.clone();
        Said {
            study,
            model,
            cases: 0,
            failed: 0,
            in_lanes: 0,
            on_device: 0,
            not_on_device: BTreeMap::new(),
            found: 0,
            repeat: None,
            passed,
            begun,
        }
    }

    /// The bar moves while cases run; the function that is returned ends it.
    fn bar(&self, args: &SweepArguments, cases: u64) -> impl FnOnce() + use<> {
        let hidden = args.quiet || !io::stderr().is_terminal();
        let bar = match hidden {
            true => ProgressBar::hidden(),
            false => ProgressBar::with_draw_target(Some(cases), ProgressDrawTarget::stderr()),
        };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} cases  {eta} left") {
            bar.set_style(style);
        }
        let ended = Arc::new(AtomicBool::new(hidden));
        let (passed, begun, end) = (self.passed.clone(), self.begun.clone(), ended.clone());
        let drawing = (!hidden).then(|| {
            std::thread::spawn(move || {
                while !end.load(Ordering::Relaxed) {
                    bar.set_position(passed.load(Ordering::Relaxed) + begun.load(Ordering::Relaxed));
                    std::thread::park_timeout(DRAWN_EVERY);
                }
                bar.finish_and_clear();
            })
        });
        move || {
            ended.store(true, Ordering::Relaxed);
            if let Some(drawing) = drawing {
                drawing.thread().unpark();
                let _ = drawing.join();
            }
        }
    }

    fn take(&mut self, cases: &Cases, fresh: bool) {
        self.begun.store(0, Ordering::Relaxed);
        self.passed.fetch_add(cases.len() as u64, Ordering::Relaxed);
        self.cases += cases.len() as u64;
        self.in_lanes += cases.in_lanes as u64;
        self.on_device += cases.on_device as u64;
        for (why, count) in &cases.not_on_device {
            *self.not_on_device.entry(why.clone()).or_default() += count;
        }
        self.found += if fresh { 0 } else { cases.len() as u64 };
        let parameters = self.study.plan().parameters();
        for (i, message) in &cases.messages {
            let values = cases.parameters.iter().map(|column| column[*i]);
            let at: Vec<String> = parameters
                .iter()
                .zip(values.clone())
                .map(|(p, value)| format!("{} = {value}", p.name))
                .collect();
            if self.failed < MOST_TOLD as u64 {
                eprintln!("case {} {} ({})", cases.numbers[*i], message.trim_end(), at.join(", "));
            }
            self.failed += 1;
            if self.repeat.is_none() {
                let values: Vec<f64> = values.collect();
                let names = parameters.iter().map(|p| p.name.as_str());
                self.repeat = Some(folder::repeat(self.model, names.zip(values), self.study.changes()));
            }
        }
        // those of parts that were there, or were tried again, have no messages
        if cases.messages.is_empty() {
            self.failed += (cases.len() - cases.count(CaseStatus::Finished)) as u64;
        }
    }

    /// The end of the command, in words and as an exit code.
    fn conclude(&self, args: &SweepArguments, output: &str) -> Outcome {
        if self.failed > MOST_TOLD as u64 {
            eprintln!("... {} in all", self.failed);
        }
        if let Some(repeat) = &self.repeat {
            eprintln!("help: run the first of them alone with `{repeat}`");
        }
        if !args.quiet {
            let found = match self.found {
                0 => String::new(),
                n => format!(", {n} from before"),
            };
            let on_device = match self.study.device() {
                Some(device) => format!(", {} on {}", self.on_device, device.name()),
                None => String::new(),
            };
            for (why, cases) in &self.not_on_device {
                eprintln!("{} ran on the processor: {why}", count(*cases, "case", "cases"));
            }
            print_text(&format!(
                "{}: {}, {} without a complete result{on_device}, {} in lanes{found}\n{output}\n",
                self.study.base().model().name,
                count(self.cases as usize, "case", "cases"),
                self.failed,
                self.in_lanes,
            ));
        }
        if self.failed == 0 { Outcome::Good } else { Outcome::Failed }
    }
}

impl Progress for Said<'_> {
    fn part(&mut self, _: u64, cases: &Cases, fresh: bool) {
        self.take(cases, fresh);
    }
}

/// One table, whole or not there.
fn into_table(args: &SweepArguments, study: &Study, watch: &Watch) -> Result<Outcome, linkwork_sweep::Error> {
    if args.resume || args.retry_failed || args.shard.is_some() {
        let option = if args.shard.is_some() { "--shard" } else { "--resume" };
        let why = "a table is written in one go: give a folder with -o, then `linkwork sweep merge` makes one table".into();
        return Err(linkwork_sweep::Error::Wrong { what: option.into(), why });
    }
    let io = |source| linkwork_sweep::Error::Io { file: args.output.clone(), source };
    let pending = PendingFile::named(args.output.clone()).map_err(io)?;
    let mut out = pending.writer().map_err(io)?;
    let manifest = Manifest::new(study, part_size(args).max(1));
    let mut said = Said::new(study, args, watch);
    let end = said.bar(args, manifest.cases);
    let mut written = write_csv_head(&manifest, &mut out);
    for part in 0..manifest.parts() {
        if written.is_err() {
            break;
        }
        let cases = study.run(manifest.cases_of(part), watch);
        said.take(&cases, true);
        written = write_csv(&cases, &mut out);
    }
    end();
    written.and_then(|()| out.flush()).map_err(io)?;
    drop(out);
    pending.keep().map_err(io)?;
    Ok(said.conclude(args, &args.output.display().to_string()))
}

/// A folder of parts.
fn into_folder(
    args: &SweepArguments,
    study: &Study,
    watch: &Watch,
    shard: Shard,
) -> Result<Outcome, linkwork_sweep::Error> {
    let resume = args.resume || args.retry_failed || args.shard.is_some();
    let folder = SweepFolder::begin(&args.output, study, part_size(args), resume)?;
    let what = format!("linkwork sweep {}", args.model.as_deref().unwrap_or("-"));
    // shards share a folder, but two processes on one shard would do the same work twice
    let _lock = match shard.is_whole() {
        true => Lock::folder(folder.path(), &what)
            .map_err(|source| linkwork_sweep::Error::Io { file: folder.path().into(), source })?,
        false => None,
    };
    let stop = watch.stop.clone();
    on_signal(move || stop.store(true, Ordering::Relaxed));
    let manifest = folder.manifest();
    let mine: Vec<u64> = (0..manifest.parts()).filter(|part| shard.has(*part)).collect();
    let cases = mine.iter().map(|part| manifest.cases_of(*part)).map(|range| range.end - range.start).sum();
    if mine.is_empty() && !args.quiet {
        eprintln!(
            "warning: shard {shard} has nothing to do: the sweep has {}; a smaller --part-size makes more",
            count(manifest.parts() as usize, "part", "parts")
        );
    }
    let mut said = Said::new(study, args, watch);
    let end = said.bar(args, cases);
    let selection = Selection { shard, retry_failed: args.retry_failed };
    let finished = folder.run(study, selection, watch, &mut said);
    end();
    if !finished? {
        eprintln!("stopped after {} of {cases} cases: go on with the same options and --resume", said.cases);
        return Ok(Outcome::Failed);
    }
    let output = match shard.is_whole() {
        true => format!("{}: {}", args.output.display(), count(mine.len(), "part", "parts")),
        false => format!("{}: shard {shard}, {}", args.output.display(), count(mine.len(), "part", "parts")),
    };
    Ok(said.conclude(args, &output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_settings() {
        assert_eq!(number_for(" m = -2e-3").unwrap(), ("m".into(), -2e-3));
        for bad in ["m", "m=", "m=1..2:3", "m=nan", "m=30 deg"] {
            assert!(number_for(bad).is_err(), "{bad}");
        }
    }
}
