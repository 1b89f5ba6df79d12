//! What the command accepts.

use clap::{Args, Parser, Subcommand, ValueEnum};
use linkwork::model::{Formulation, Integrator};
use std::path::PathBuf;

/// Simulate mechanisms from model files.
///
/// A model names the points of a mechanism and which points each rigid body holds; Linkwork gives its
/// motion, reaction forces and energies. Start with `linkwork examples`, or `linkwork new my-model.toml`.
#[derive(Parser)]
#[command(name = "linkwork", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a model and write results.csv, summary.json and report.html
    Run(RunArguments),
    /// Run a model in real time and watch, steer and pull it in a browser
    View(ViewArguments),
    /// Say what a model is and everything that is wrong with it
    Check(CheckArguments),
    /// Run a model in every formulation and say by how much they differ
    Compare(CompareArguments),
    /// Run a model for many values of its parameters and write one table
    Sweep(SweepArguments),
    /// Draw result columns as SVG or PNG, or in the terminal
    Plot(crate::plot::PlotArguments),
    /// Write results as glTF, Parquet, GIF, SVG, or as pictures for a video
    Export(crate::export::ExportArguments),
    /// Make the report of a run again: one page that shows the motion and the results
    Report(ReportArguments),
    /// List the built-in examples, or show one
    Examples(ExamplesArguments),
    /// Write a small model to start from
    New(NewArguments),
    /// Print a model in its normal form, as TOML: sections in order, keys with their defaults left out, comments kept
    Format(FormatArguments),
    /// Print the JSON schema of the model file, for editors
    Schema,
}

/// For whom the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Args)]
#[command(after_help = "Exit code: 0 finished, 1 the run failed or was stopped, 2 the model was refused.\n\
    Ctrl-C ends a run early and keeps the rows so far; summary.json says so. With --checkpoint the run can be\n\
    continued: `linkwork run MODEL --resume FILE` gives the same results as a run without interruption.")]
pub struct RunArguments {
    /// Model file (TOML or JSON), or - for standard input
    pub model: String,
    /// Folder for the results [default: results/<name of the model file>]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Another value for a parameter of the model's [parameters], a number in SI units; several options set several
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::sweep::setting)]
    pub set: Vec<(String, f64)>,
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
    /// Record no motion and write no report
    #[arg(long)]
    pub no_report: bool,
    /// For whom the summary is
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
#[command(
    after_help = "The address that is printed has a secret token: whoever has it, on this machine, can watch and steer the run. Edits of\n\
    the model file are seen at once; its errors are shown in the page. Ctrl-C ends it. See docs/live-viewer.md."
)]
pub struct ViewArguments {
    /// Model file (TOML or JSON)
    pub model: String,
    /// Port on the loopback interface; one that is taken gives the next, 0 any that is free
    #[arg(long, value_name = "N", default_value_t = linkwork_view::live::PORT)]
    pub port: u16,
    /// Open the address in a browser
    #[arg(long)]
    pub open: bool,
    /// Begin paused
    #[arg(long)]
    pub paused: bool,
    /// Seconds of the model for a second of the clock
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    pub speed: f64,
    /// Another value for a parameter of the model's [parameters], a number in SI units; several options set several
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::sweep::setting)]
    pub set: Vec<(String, f64)>,
    /// Coordinates, as for `run`
    #[arg(long, value_name = "NAME", value_parser = formulation)]
    pub formulation: Option<Formulation>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
}

#[derive(Args)]
pub struct CheckArguments {
    /// Model file (TOML or JSON), or - for standard input
    pub model: String,
    /// List the particles that stand for each body: masses, places, m-bar, and what they add up to
    #[arg(long)]
    pub particles: bool,
    /// For whom the report is
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args)]
#[command(
    after_help = "Exit code: 0 all that apply agree, 1 they do not or one failed, 2 the model was refused."
)]
pub struct CompareArguments {
    /// Model files (TOML or JSON), or - for standard input; each is compared by itself
    #[arg(required = true)]
    pub models: Vec<String>,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Time between compared rows, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub output_step: Option<f64>,
    /// Local error per step, relative to the size of the mechanism
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Run every formulation with every integrator and list what finishes, what is refused, what fails and why
    #[arg(long, group = "table")]
    pub matrix: bool,
    /// Compare integrators instead of formulations: what each costs for what accuracy, coarse to fine
    #[arg(long, group = "table", conflicts_with = "tolerance")]
    pub integrators: bool,
    /// Wall time that one run of an integrator may take, s
    #[arg(long, value_name = "S", default_value_t = 20.0, requires = "table")]
    pub most: f64,
    /// For whom the table is
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Args, Clone)]
#[command(
    after_help = "The table has a row for each variant: the values of the parameters, the results, and how the run ended.\n\
    With steps of a given size (--step, or `step` in the model) open chains run eight at a time in the registers of each core;\n\
    the numbers are those of single runs to the last bit. See docs/batch.md.\n\n\
    Example: linkwork sweep pendulum.toml --set l=0.1..0.5:9 --set m=1..2:3 --columns 'joint.A.q,max(energy.kinetic)'\n\n\
    Exit code: 0 all finished, 1 some did not, 2 the model or an option was refused."
)]
pub struct SweepArguments {
    /// Model file (TOML or JSON), or - for standard input
    pub model: String,
    /// A parameter of the model's [parameters] and its values in SI units, evenly spaced, both ends included; several options
    /// vary several parameters. NAME=VALUE gives one value
    #[arg(long, value_name = "NAME=FROM..TO:COUNT", required = true, value_parser = crate::sweep::range)]
    pub set: Vec<crate::sweep::Range>,
    /// All combinations of the values; the default
    #[arg(long, conflicts_with = "pairs")]
    pub grid: bool,
    /// First values together, second values together, and so on
    #[arg(long)]
    pub pairs: bool,
    /// The table
    #[arg(short, long, value_name = "FILE", default_value = "sweep.csv")]
    pub output: PathBuf,
    /// Result columns of the last row, or max(COLUMN), min(COLUMN) over all rows [default: all columns]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Threads; 0: as many as the machine has cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Let eight variants share their steps under error control: faster, but not to the last bit what single runs give
    #[arg(long)]
    pub lockstep: bool,
    /// Simulated time, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
    /// Steps of this size, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
    /// No summary
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct ReportArguments {
    /// The folder that `linkwork run` has written
    #[arg(value_name = "DIR")]
    pub results: PathBuf,
    /// Where the page goes [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct ExamplesArguments {
    /// The example to show
    pub name: Option<String>,
    /// Write the example to this file
    #[arg(short, long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct NewArguments {
    /// The file to write; it must not exist yet
    pub file: PathBuf,
    /// A spatial model instead of a planar one
    #[arg(long)]
    pub spatial: bool,
}

#[derive(Args)]
#[command(
    after_help = "What is printed describes the same model, with the same motion to the last bit. Expressions, units, parameters and comments of the\n\
    file stay. `linkwork format MODEL -o MODEL` tidies a file up; a JSON file becomes TOML. See docs/model-file.md.\n\n\
    Exit code: 0 written, 2 the model was refused."
)]
pub struct FormatArguments {
    /// Model file (TOML or JSON), or - for standard input
    pub model: String,
    /// Write to this file; it may be the model file itself
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn formulation(name: &str) -> Result<Formulation, String> {
    named(name, &Formulation::CHOICES, Formulation::name)
}

fn integrator(name: &str) -> Result<Integrator, String> {
    named(name, &Integrator::ALL, Integrator::name)
}

fn named<T: Copy>(name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|x| name_of(*x) == name);
    found.ok_or_else(|| format!("choose one of: {}", list(all, name_of)))
}

/// Help of an option that takes one of several names, the default first.
fn names<T: Copy>(what: &str, all: &[T], name_of: fn(T) -> &'static str) -> String {
    format!("{what}, by default the first: {}", list(all, name_of))
}

fn list<T: Copy>(all: &[T], name_of: fn(T) -> &'static str) -> String {
    all.iter().map(|x| name_of(*x)).collect::<Vec<_>>().join(", ")
}
