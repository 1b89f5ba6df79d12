//! `linkwork report`.

use crate::Outcome;
use crate::lock::writer_of;
use crate::motion::write_report;
use crate::output::{print_text, write_whole};
use clap::Args;
use linkwork_view::REPORT_FILE;
use std::path::PathBuf;

#[derive(Args)]
pub struct ReportArguments {
    /// The folder that `linkwork run` has written
    #[arg(value_name = "DIR")]
    pub results: PathBuf,
    /// Where the page goes [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

pub fn report(args: &ReportArguments) -> Outcome {
    if !args.results.is_dir() {
        eprintln!("error: {} is no folder of results", args.results.display());
        return Outcome::Refused;
    }
    if let Some(by) = writer_of(&args.results) {
        if args.output.is_none() {
            eprintln!(
                "error: {}: {by} is writing there, and will write the report at its end; write another one elsewhere with -o",
                args.results.display()
            );
            return Outcome::Refused;
        }
        still_written(&args.results, &by);
    }
    let written = match &args.output {
        None => write_report(&args.results),
        Some(file) => linkwork_view::report(&args.results)
            .map_err(std::io::Error::other)
            .and_then(|page| write_whole(file, &page)),
    };
    match written {
        Ok(()) => {
            let file = args.output.clone().unwrap_or_else(|| args.results.join(REPORT_FILE));
            print_text(&format!("{}\n", file.display()));
            Outcome::Good
        }
        Err(error) => {
            eprintln!("error: {error}");
            Outcome::Refused
        }
    }
}

/// Says that what is read of a folder is not of the run that goes on there.
pub fn still_written(folder: &std::path::Path, by: &str) {
    eprintln!("warning: {}: {by} is writing there; what is shown is of a run before it", folder.display());
}
