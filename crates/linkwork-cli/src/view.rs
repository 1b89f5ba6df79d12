//! `linkwork view`.

use crate::arguments::{Format, formulation, integrator};
use crate::interrupt::on_signal;
use crate::output::print_text;
use crate::{Outcome, point_at_options, refuse};
use clap::Args;
use linkwork::Error;
use linkwork::model::{Formulation, Integrator};
use linkwork_view::live::{Options, Viewer};
use std::process::{Command, Stdio};

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

pub fn view(args: ViewArguments) -> Outcome {
    let mut given = Vec::new();
    given.extend(args.formulation.map(|_| "formulation"));
    given.extend(args.integrator.map(|_| "integrator"));
    let viewer = match Viewer::open(options(&args)) {
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

fn options(args: &ViewArguments) -> Options {
    Options {
        port: args.port,
        paused: args.paused,
        speed: args.speed,
        set: args.set.clone(),
        formulation: args.formulation,
        integrator: args.integrator,
        ..Options::new(&args.model)
    }
}

/// Opens the address in the user's browser; tells whether something was begun that does so.
fn open(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let begun = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match begun {
        Ok(mut child) => {
            // so that it does not stay behind when it has ended
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
