//! `linkwork report`.

use crate::Outcome;
use crate::arguments::ReportArguments;
use crate::motion::write_report;
use crate::output::print_text;
use linkwork_view::REPORT_FILE;

pub fn report(args: &ReportArguments) -> Outcome {
    let file = args.output.clone().unwrap_or_else(|| args.results.join(REPORT_FILE));
    if !args.results.is_dir() {
        eprintln!("error: {} is no folder of results", args.results.display());
        return Outcome::Refused;
    }
    match write_report(&args.results, &file) {
        Ok(()) => {
            print_text(&format!("{}\n", file.display()));
            Outcome::Good
        }
        Err(error) => {
            eprintln!("error: {error}");
            Outcome::Refused
        }
    }
}
