//! `cargo run -p linkwork-book`: the documentation as a book under `target/book`.

use clap::{Args, Parser, Subcommand};
use linkwork_book::{Book, BookError, Gallery, Maker, References};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Build the documentation as a book of HTML pages and check its links.
#[derive(Parser)]
#[command(name = "linkwork-book", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    build: BuildArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Build the book (what happens without a subcommand)
    Build(BuildArguments),
    /// Check the sources and write nothing
    Check,
    /// Run every example and make docs/gallery.md and its pictures again
    Gallery(GalleryArguments),
    /// Make docs/references.md from docs/references.bib
    References,
}

#[derive(Args)]
struct BuildArguments {
    /// Folder for the book [default: target/book of the repository]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct GalleryArguments {
    /// The command that makes the pictures [default: that of this repository, built by cargo]
    #[arg(long, value_name = "FILE")]
    linkwork: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let done = match arguments.command {
        None => build(&root, arguments.build.output),
        Some(Command::Build(options)) => build(&root, options.output),
        Some(Command::Check) => Book::read(&root).map(|_| println!("no faults")),
        Some(Command::References) => References::read(&root).and_then(|references| references.write(&root)),
        Some(Command::Gallery(options)) => gallery(&root, options.linkwork),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build(root: &Path, output: Option<PathBuf>) -> Result<(), BookError> {
    let folder = output.unwrap_or_else(|| root.join("target/book"));
    let built = Book::read(root)?.write(&folder)?;
    let place = folder.canonicalize().unwrap_or(folder);
    println!("{} pages, {} links checked, {} files", built.pages, built.links, built.files);
    println!("{}", place.join("index.html").display());
    Ok(())
}

fn gallery(root: &Path, linkwork: Option<PathBuf>) -> Result<(), BookError> {
    let maker = linkwork.map_or_else(Maker::cargo, Maker::program);
    Gallery::read(root)?.make(root, &maker, &mut |name| eprintln!("{name}"))
}
