//! `linkwork report`.

use crate::Outcome;
use crate::arguments::ReportArguments;
use crate::lock::writer_of;
use crate::motion::write_report;
use crate::output::{print_text, write_whole};
use linkwork_view::REPORT_FILE;

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
