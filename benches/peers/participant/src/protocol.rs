//! The line protocol: `load FILE`, `variants`, `answer NAME STATE`, `repeat NAME K`, `batch NAME K`; every answer is one line.

use std::io::{BufRead, Write};
use std::time::Instant;

/// One way to compute what is asked for.
pub trait Variant {
    /// Accelerations in a state, or the rows of a run.
    fn answer(&mut self, state: usize) -> Result<Vec<f64>, String>;
    /// The timed work on the first state, `k` times.
    fn repeat(&mut self, k: usize) -> Result<(), String>;
    /// The timed work on all states, `k` times.
    fn batch(&mut self, _k: usize) -> Result<(), String> {
        Err("no batch".into())
    }
}

/// What `load` answers: the number of bodies, and the variants by name.
pub struct Loaded {
    pub bodies: usize,
    pub variants: Vec<(String, Box<dyn Variant>)>,
}

/// Serves until the input ends.
pub fn serve(mut load: impl FnMut(&str) -> Result<Loaded, String>) {
    let mut loaded = Loaded { bodies: 0, variants: Vec::new() };
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let words: Vec<&str> = line.split_whitespace().collect();
        let reply = match words[..] {
            ["load", file] => std::fs::read_to_string(file)
                .map_err(|e| e.to_string())
                .and_then(|text| load(&text))
                .map(|new| {
                    loaded = new;
                    format!("ok {}", loaded.bodies)
                }),
            ["variants"] => Ok(loaded.variants.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(" ")),
            [command @ ("answer" | "repeat" | "batch"), name, number] => {
                let number: Result<usize, _> = number.parse();
                match (loaded.variants.iter_mut().find(|(n, _)| n == name), number) {
                    (Some((_, variant)), Ok(k)) => perform(variant.as_mut(), command, k),
                    _ => Err(format!("no variant {name}, or no number")),
                }
            }
            _ => Err(format!("unknown command {line}")),
        };
        let reply = reply.unwrap_or_else(|fault| format!("error {}", fault.replace('\n', " ")));
        if writeln!(out, "{reply}").and_then(|_| out.flush()).is_err() {
            return;
        }
    }
}

fn perform(variant: &mut dyn Variant, command: &str, k: usize) -> Result<String, String> {
    if command == "answer" {
        let numbers = variant.answer(k)?;
        return Ok(numbers.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(" "));
    }
    let clock = Instant::now();
    if command == "repeat" {
        variant.repeat(k)?
    } else {
        variant.batch(k)?
    }
    Ok(clock.elapsed().as_secs_f64().to_string())
}
