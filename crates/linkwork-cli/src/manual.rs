//! `linkwork manual`.

use crate::Outcome;
use crate::output::{count, print_text, write_bytes};
use clap::{Args, Command};
use clap_mangen::Man;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(after_help = "Example: linkwork manual -o ~/.local/share/man/man1, and then `man linkwork-run`")]
pub struct ManualArguments {
    /// Folder for the pages: linkwork.1, linkwork-run.1 and so on. Without it the first page is printed
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub fn manual(args: &ManualArguments) -> Outcome {
    let mut command = crate::description();
    command.build();
    let written = match &args.output {
        None => page(command).map(|page| print_text(&String::from_utf8_lossy(&page))),
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| write(command, folder))
            .map(|pages| print_text(&format!("{} in {}\n", count(pages, "page", "pages"), folder.display()))),
    };
    match written {
        Ok(()) => Outcome::Good,
        Err(error) => {
            eprintln!("error: {error}");
            Outcome::Refused
        }
    }
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

/// Writes the page of a command and those of its verbs; returns how many.
fn write(command: Command, folder: &Path) -> io::Result<usize> {
    let mut pages = 1;
    let verbs: Vec<Command> =
        command.get_subcommands().filter(|verb| verb.get_name() != "help").cloned().collect();
    for verb in verbs {
        pages += write(verb, folder)?;
    }
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    write_bytes(&folder.join(format!("{name}.1")), &page(command)?)?;
    Ok(pages)
}
