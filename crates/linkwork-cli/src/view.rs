//! `linkwork view`.

use crate::arguments::{Format, formulation, integrator};
use crate::browser::open;
use crate::interrupt::on_signal;
use crate::output::print_text;
use crate::source::{Setting, example, model_file, setting};
use crate::{Outcome, point_at_options, refuse};
use clap::Args;
use linkwork::Error;
use linkwork::model::{Formulation, Integrator};
use linkwork_view::live::{Options, Viewer};
use std::path::PathBuf;
use tempfile::TempDir;

#[derive(Args)]
#[command(
    after_help = "The address that is printed has a secret token: whoever has it, on this machine, can watch and steer the run. Edits of\n\
    the model file are seen at once; its errors are shown in the page. Ctrl-C ends it. See docs/live-viewer.md."
)]
pub struct ViewArguments {
    /// Model file (TOML or JSON), or name of a built-in example
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
    /// Another value for a parameter of the model's [parameters], as in l=0.5 or l='50 cm'; several options set several
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// Coordinates, as for `run`
    #[arg(long, value_name = "NAME", value_parser = formulation)]
    pub formulation: Option<Formulation>,
    /// Method, as for `run`
    #[arg(long, value_name = "NAME", value_parser = integrator)]
    pub integrator: Option<Integrator>,
}

pub fn view(args: ViewArguments) -> Outcome {
    let mut given = Vec::new();
    given.extend(args.formulation.map(|_| "formulation"));
    given.extend(args.integrator.map(|_| "integrator"));
    // an example needs a file for the viewer to watch
    let example = match example(&args.model).map(|(name, text)| file_of(&name, text)).transpose() {
        Ok(example) => example,
        Err(error) => return refuse(&error, Format::Text),
    };
    let file = example.as_ref().map_or_else(|| PathBuf::from(&args.model), |(_, file)| file.clone());
    let viewer = match options(&args, file).and_then(Viewer::open) {
        Ok(viewer) => viewer,
        Err(Error::Model(faults)) => {
            return refuse(&Error::Model(point_at_options(faults, &given)), Format::Text);
        }
        Err(error) => return refuse(&error, Format::Text),
    };
    let stopper = viewer.stopper();
    // The first Ctrl-C ends it in good order, the second at once.
    on_signal(move || stopper.stop());
    let address = viewer.address();
    print_text(&format!("{address}\n"));
    let state = if args.paused { "is ready" } else { "runs" };
    eprintln!("{} {state}; look at it in a browser at the address above. Ctrl-C ends it.", args.model);
    if args.open && !open(&address) {
        eprintln!("warning: no browser could be opened; open the address yourself");
    }
    viewer.run();
    Outcome::Good
}

fn options(args: &ViewArguments, file: PathBuf) -> Result<Options, Error> {
    let mut set = Vec::new();
    if !args.set.is_empty() {
        let model = model_file(&args.model)?;
        for (name, value) in &args.set {
            set.push((name.clone(), model.value(name, value).map_err(Error::Model)?));
        }
    }
    Ok(Options {
        port: args.port,
        paused: args.paused,
        speed: args.speed,
        set,
        formulation: args.formulation,
        integrator: args.integrator,
        ..Options::new(file)
    })
}

/// A built-in example as a file, in a folder that goes with the viewer.
fn file_of(name: &str, text: &str) -> Result<(TempDir, PathBuf), Error> {
    let io = |source| Error::Io { file: name.to_owned(), source };
    let folder = tempfile::Builder::new().prefix("linkwork-").tempdir().map_err(io)?;
    let file = folder.path().join(name);
    std::fs::write(&file, text).map_err(io)?;
    Ok((folder, file))
}
