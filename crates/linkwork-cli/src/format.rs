//! `linkwork format`: a model file in its normal form.

use crate::arguments::Format;
use crate::output::{print_text, write_whole};
use crate::source::read_model;
use crate::{Outcome, refuse};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "What is printed describes the same model, with the same motion to the last bit. Expressions, units, parameters and comments of the\n\
    file stay. `linkwork format MODEL -o MODEL` tidies a file up; a JSON file becomes TOML. See docs/model-file.md.\n\n\
    Exit code: 0 written, 2 the model was refused."
)]
pub struct FormatArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// Write to this file; it may be the model file itself
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

pub fn format(args: &FormatArguments) -> Outcome {
    let text = match read_model(&args.model).and_then(|model| model.to_toml()) {
        Ok(text) => text,
        Err(error) => return refuse(&error, Format::Text),
    };
    let Some(file) = &args.output else {
        print_text(&text);
        return Outcome::Good;
    };
    if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
        eprintln!("error: `format` writes TOML; choose a name that ends in .toml");
        return Outcome::Refused;
    }
    match write_whole(file, &text) {
        Ok(()) => Outcome::Good,
        Err(error) => {
            eprintln!("error: cannot write {}: {error}", file.display());
            Outcome::Refused
        }
    }
}
