//! Feeds damaged files and messages to everything in Linkwork that reads, on stable Rust and without a fuzzing engine (docs/decisions/0022-fuzzing.md).
//!
//! A target has seeds, which are sound inputs, and a reader. A case is a seed that has been damaged in ways that a number, the seed of the case, decides: so every case can be
//! made again. What must hold of each is in [`judge`]: the reader comes back, does not panic, takes no more than [`MOST_TIME`] and no more than
//! [`MOST_MEMORY`] for an input below a megabyte, and what it refuses it refuses by name.

pub mod damage;
pub mod targets;

use damage::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use targets::Target;

/// Memory that a reader may hold at a time for an input below a megabyte, bytes.
pub const MOST_MEMORY: u64 = 256 << 20;
/// Processor time that a reader may take, s. What should take one second gets three: machines that check changes may be slow.
pub const MOST_TIME: f64 = 3.0;
/// Wall time after which a case counts as hanging, whatever else the machine does.
pub const HANGS: Duration = Duration::from_secs(60);
/// Inputs are cut to this, bytes.
pub const MOST_BYTES: usize = (1 << 20) - 1;

/// What a reader made of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was taken.
    Accepted,
    /// It was refused by a message that names what it should.
    Refused,
    /// It was refused by a message that names the file, but no place in it.
    RefusedVaguely,
}

/// What became of many cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Cases.
    pub cases: u64,
    /// Inputs that were taken.
    pub accepted: u64,
    /// Inputs that were refused without a place.
    pub vague: u64,
    /// Most memory held, bytes.
    pub memory: u64,
    /// Longest wall time, s.
    pub time: f64,
}

/// A case that went wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// What was read.
    pub input: Vec<u8>,
}

/// Processor time of this thread so far, s; nothing where the system does not tell.
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // behind the name, which may hold anything: fields 14 and 15, in hundredths of a second
    let (_, rest) = stat.rsplit_once(')')?;
    let ticks: Vec<f64> = rest.split_whitespace().skip(11).take(2).filter_map(|x| x.parse().ok()).collect();
    Some(ticks.iter().sum::<f64>() / 100.0)
}

/// Reads an input and says what is wrong with how that went.
pub fn judge(target: &Target, input: &[u8], tally: &mut Tally) -> Result<(), Finding> {
    let wrong = |what: String| Finding { what, input: input.to_vec() };
    let (begun, before) = (Instant::now(), processor_time());
    let mut outcome = None;
    let counted = allocation_counter::measure(|| {
        outcome = Some(catch_unwind(AssertUnwindSafe(|| target.read(input))));
    });
    let time = begun.elapsed().as_secs_f64();
    tally.cases += 1;
    tally.memory = tally.memory.max(counted.bytes_max);
    tally.time = tally.time.max(time);
    match outcome {
        None | Some(Err(_)) => return Err(wrong("it panicked".into())),
        Some(Ok(Err(what))) => return Err(wrong(what)),
        Some(Ok(Ok(Verdict::Accepted))) => tally.accepted += 1,
        Some(Ok(Ok(Verdict::Refused))) => {}
        Some(Ok(Ok(Verdict::RefusedVaguely))) => tally.vague += 1,
    }
    if counted.bytes_max > MOST_MEMORY {
        return Err(wrong(format!("it held {} MiB", counted.bytes_max >> 20)));
    }
    // on a busy machine the wall's clock says little
    let worked = before.zip(processor_time()).map_or(time, |(before, after)| after - before);
    match time > MOST_TIME && worked > MOST_TIME {
        true => Err(wrong(format!("it took {worked:.1} s"))),
        false => Ok(()),
    }
}

/// Runs cases of a target, from the first number on, until the time is over or so many are done.
pub fn run(target: &Target, first: u64, time: Duration, most: u64) -> Result<Tally, Finding> {
    let mut tally = Tally::default();
    let current = Mutex::new(Vec::new());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let (done, waits) = channel::<()>();
        let current = &current;
        // a case that never ends cannot be ended from within: it is reported, and all ends
        scope.spawn(move || {
            loop {
                match waits.recv_timeout(HANGS) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        let input = current.lock().map(|input| input.clone()).unwrap_or_default();
                        let file = save(target.name, first, &input);
                        eprintln!("{}: hangs for {} s; the input is in {file}", target.name, HANGS.as_secs());
                        std::process::exit(1);
                    }
                }
            }
        });
        for number in first..first.saturating_add(most) {
            if begun.elapsed() >= time {
                break;
            }
            let input = damaged(target, number);
            if let Ok(mut current) = current.lock() {
                current.clone_from(&input);
            }
            judge(target, &input, &mut tally)
                .map_err(|finding| Finding { what: format!("case {number}: {}", finding.what), ..finding })?;
            let _ = done.send(());
        }
        Ok(tally)
    })
}

/// The input of a case.
pub fn damaged(target: &Target, number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut input = target.seeds[random.below(target.seeds.len())].clone();
    let other = &target.seeds[random.below(target.seeds.len())];
    // few changes reach deep into a reader, many make the first check fail
    for _ in 0..=random.below(4) {
        damage::once(&mut input, other, target.words, &mut random);
    }
    input.truncate(MOST_BYTES);
    target.mend(&mut input, &mut random);
    input
}

/// Keeps an input where it can be found, and says where that is.
pub fn save(target: &str, number: u64, input: &[u8]) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let file = folder.join(format!("{target}-{number}"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, input)) {
        Ok(()) => file.display().to_string(),
        Err(error) => format!("no file ({error})"),
    }
}
