//! The command `linkwork`: a thin door to the library.
//!
//! [`main`] is the whole command, for programs that carry it along, such as the Python package.

/// As those of the standard library, but a standard error that cannot be written is no reason to panic.
macro_rules! eprint {
    ($($what:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($what)*));
    }};
}
macro_rules! eprintln {
    ($($what:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", format_args!($($what)*)));
    }};
}

mod arguments;
mod browser;
mod check;
mod compare;
mod completions;
mod equilibrium;
mod examples;
mod explain;
mod export;
mod files;
mod fit;
mod format;
mod import;
mod interrupt;
mod inverse;
mod linear;
mod linearize;
mod lock;
mod manual;
mod matrix;
mod modes;
mod motion;
mod new;
mod optimize;
mod output;
mod plot;
mod pose;
mod report;
mod results_folder;
mod run;
mod schema;
mod sensitivity;
mod source;
mod sweep;
mod video;
mod view;
mod work_precision;
mod workspace;
mod workspace_page;

pub use check::describe as check_text;
pub use compare::report as compare_json;
pub use examples::EXAMPLES;
pub use fit::as_json as fit_json;
pub use linear::{At, state_at};
pub use optimize::as_json as optimum_json;
pub use pose::as_json as poses_json;
pub use run::warnings as report_warnings;
pub use sensitivity::{Agreement, as_json as sensitivity_json, quantity};

use arguments::Format;
use clap::{Parser, Subcommand};
use linkwork::Error;
use linkwork::model::Faults;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};

/// How a command ended, as exit codes, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// 0
    Good,
    /// 1: the run failed or was stopped.
    Failed,
    /// 2: bad input, misuse, or files that cannot be read or written.
    Refused,
}

/// Lists the verbs: help, variant with its arguments, and what runs it.
macro_rules! verbs {
    ($($(#[$help:meta])* $verb:ident($arguments:ty) => $run:expr,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$help])* $verb($arguments),)*
        }

        impl Command {
            fn run(self) -> Outcome {
                match self {
                    $(Command::$verb(arguments) => {
                        let run: fn($arguments) -> Outcome = $run;
                        run(arguments)
                    })*
                }
            }
        }
    };
}

verbs! {
    /// Run a model and write results.csv, summary.json and report.html
    Run(run::RunArguments) => run::run,
    /// Run a model in real time and watch, steer and pull it in a browser
    View(view::ViewArguments) => view::view,
    /// Say what a model is and everything that is wrong with it
    Check(check::CheckArguments) => |args| check::check(&args),
    /// Run a model in every formulation and say by how much they differ
    Compare(compare::CompareArguments) => |args| compare::compare(&args),
    /// Run a model for many values of its parameters and write one table
    Sweep(sweep::SweepArguments) => |args| sweep::sweep(&args),
    /// Take derivatives of results by parameters, points, masses and other numbers of a model
    Sensitivity(sensitivity::SensitivityArguments) => |args| sensitivity::sensitivity(&args),
    /// Find the best values for numbers of a model, as its section [optimize] says
    Optimize(optimize::OptimizeArguments) => |args| optimize::run(&args),
    /// Find parameters of a model from measurements, with confidence intervals
    Fit(fit::FitArguments) => |args| fit::run(&args),
    /// Find where a model stays at rest, or moves steadily, and whether that is stable
    Equilibrium(equilibrium::EquilibriumArguments) => |args| equilibrium::equilibrium(&args),
    /// Linearise a model at a state and write A, B, C, D
    Linearize(linearize::LinearizeArguments) => |args| linearize::linearize(&args),
    /// Find the eigenmodes of a model, play them, and follow them over a parameter
    Modes(modes::ModesArguments) => |args| modes::modes(&args),
    /// Find the forces of actuators that a motion from a file needs
    Inverse(inverse::InverseArguments) => |args| inverse::inverse(&args),
    /// Say where a mechanism stands when points, joints and measures are where they should be
    Pose(pose::PoseArguments) => |args| pose::pose(&args),
    /// Map where a point gets to while one or two quantities run over a grid
    Workspace(workspace::WorkspaceArguments) => |args| workspace::workspace(&args),
    /// Draw result columns as SVG or PNG, or in the terminal
    Plot(plot::PlotArguments) => |args| plot::plot(&args),
    /// Write results as glTF, Parquet, GIF, SVG, or as pictures for a video
    Export(export::ExportArguments) => |args| export::export(&args),
    /// Make the report of a run again: one page that shows the motion and the results
    Report(report::ReportArguments) => |args| report::report(&args),
    /// List the built-in examples, or show one
    Examples(examples::ExamplesArguments) => |args| examples::examples(&args),
    /// Write a small model to start from
    New(new::NewArguments) => |args| new::new(&args),
    /// Print a model in its normal form, as TOML: sections in order, keys with their defaults left out, comments kept
    Format(format::FormatArguments) => |args| format::format(&args),
    /// Read a robot of another program (URDF, SDF, MJCF, ASMT) and print it as a model file
    Import(import::ImportArguments) => |args| import::import(&args),
    /// Print the JSON schema of the model file, for editors
    Schema(schema::SchemaArguments) => schema::schema,
    /// Print what a shell needs to complete commands and options with the Tab key
    Completions(completions::CompletionsArguments) => |args| completions::completions(&args),
    /// Write the manual pages, one for each command
    Manual(manual::ManualArguments) => |args| manual::manual(&args),
    /// Say what the code of a warning, failure or remark means, and what to do
    Explain(explain::ExplainArguments) => |args| explain::explain(&args),
}

/// Simulate mechanisms from model files.
///
/// A model names the points of a mechanism and which points each rigid body holds; Linkwork gives its
/// motion, reaction forces and energies. Start with `linkwork examples`, or `linkwork new my-model.toml`.
#[derive(Parser)]
#[command(name = "linkwork", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The command as clap knows it, for what is made of its description.
pub(crate) fn description() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Runs the command with its arguments, the first of which is its name, and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    interrupt::listen();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(reported) if reported.use_stderr() => {
            let _ = reported.print();
            return u8::try_from(reported.exit_code()).unwrap_or(2);
        }
        Err(asked) => {
            // help and version are results: that they did not arrive is reported
            output::arrived(asked.print());
            return code(output::checked(Outcome::Good));
        }
    };
    code(output::checked(arguments.command.run()))
}

fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Good => 0,
        Outcome::Failed => 1,
        Outcome::Refused => 2,
    }
}

/// Tells what is wrong: for people on standard error, for programs on standard output.
pub(crate) fn refuse(error: &Error, format: Format) -> Outcome {
    match (format, error) {
        (Format::Json, Error::Model(faults)) => {
            output::print_json(&serde_json::json!({ "status": "refused", "faults": faults.to_json() }));
        }
        (Format::Json, other) => {
            output::print_json(&serde_json::json!({ "status": "refused", "error": other.to_string() }));
        }
        (Format::Text, Error::Model(faults)) => tell(faults),
        (Format::Text, other) => eprintln!("error: {other}"),
    }
    Outcome::Refused
}

/// What a model's check and its assembly warn of, and what is probably a mistake.
pub(crate) fn warnings(mechanism: &linkwork::mechanism::Mechanism) -> Faults {
    let list = mechanism.warnings().iter().cloned().chain(mechanism.doubts()).collect();
    Faults { list, provenance: mechanism.model().provenance.clone() }
}

/// Faults for people, in colour where the terminal has it.
pub(crate) fn tell(faults: &Faults) {
    let styled = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text = faults.render(styled) + &explain::hint(faults.list.iter().filter_map(|fault| fault.code));
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A fault in a setting that came from an option is the option's, not the file's.
pub(crate) fn point_at_options(mut faults: Faults, given: &[&str]) -> Faults {
    for fault in &mut faults.list {
        if let Some(key) = fault.path.strip_prefix("simulation.").filter(|k| given.contains(k)) {
            fault.path = format!("--{}", key.replace('_', "-"));
        }
    }
    if faults.list.iter().all(|f| f.path.starts_with("--")) {
        faults.provenance = None; // nothing of this stands in the file
    }
    faults
}
