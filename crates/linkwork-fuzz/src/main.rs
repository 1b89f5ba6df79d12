//! `linkwork-fuzz`: damaged files and messages for everything that reads.

use clap::Parser;
use linkwork_fuzz::targets::{NAMES, Target};
use linkwork_fuzz::{Tally, judge, run, save};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Feed damaged inputs to everything in Linkwork that reads: model files, checkpoints, recordings, results, messages of the viewer, robots of other programs.
///
/// A longer run: cargo run --release -p linkwork-fuzz -- --seconds 3600
#[derive(Parser)]
struct Arguments {
    /// Which: model, checkpoint, recording, results, motion, commands, import [default: all]
    targets: Vec<String>,
    /// Time for each target, s
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The number of the first case; the same number gives the same cases [default: by the clock]
    #[arg(long)]
    first: Option<u64>,
    /// At most so many cases of each target
    #[arg(long, default_value_t = u64::MAX)]
    most: u64,
    /// So many targets at a time; 0: as many as the machine has cores
    #[arg(long, default_value_t = 0)]
    jobs: usize,
    /// Read this file once, and do nothing else
    #[arg(long, value_name = "FILE", requires = "targets")]
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let names: Vec<String> = match arguments.targets.is_empty() {
        true => NAMES.map(String::from).to_vec(),
        false => arguments.targets.clone(),
    };
    if let Some(file) = &arguments.replay {
        return replay(&names[0], file);
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // numbers of two runs are far from each other
    let first = arguments.first.unwrap_or_else(|| now() << 24);
    let jobs = match arguments.jobs {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        jobs => jobs,
    };
    println!("{} s each, {jobs} at a time, cases from {first}", arguments.seconds);
    let (waiting, good) = (Mutex::new(names.into_iter().rev().collect::<Vec<_>>()), AtomicBool::new(true));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(name) = waiting.lock().ok().and_then(|mut names| names.pop()) {
                    if !one(&name, first, &arguments) {
                        good.store(false, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if good.load(Ordering::Relaxed) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one target and tells how that went.
fn one(name: &str, first: u64, arguments: &Arguments) -> bool {
    let target = match Target::named(name) {
        Ok(target) => target,
        Err(why) => {
            eprintln!("{name}: {why}");
            return false;
        }
    };
    match run(&target, first, Duration::from_secs(arguments.seconds), arguments.most) {
        Ok(tally) => {
            tell(name, &tally);
            true
        }
        Err(finding) => {
            let file = save(name, first, &finding.input);
            eprintln!(
                "{name}: {}\n  the input is in {file}\n  again: cargo run -p linkwork-fuzz -- {name} --replay {file}",
                finding.what
            );
            false
        }
    }
}

fn tell(name: &str, tally: &Tally) {
    println!(
        "{name:<12}{:>9} cases, {:>5.1} % accepted, {:>5.2} % refused without a place, most {:.1} MiB, {:.2} s",
        tally.cases,
        percent(tally.accepted, tally.cases),
        percent(tally.vague, tally.cases),
        tally.memory as f64 / f64::from(1 << 20),
        tally.time
    );
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn replay(name: &str, file: &PathBuf) -> ExitCode {
    let read = Target::named(name).and_then(|target| {
        let input = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut tally = Tally::default();
        judge(&target, &input, &mut tally).map_err(|finding| finding.what)?;
        tell(name, &tally);
        Ok(())
    });
    match read {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }
    }
}
