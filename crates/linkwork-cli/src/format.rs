//! `linkwork format`: a model file in its normal form.

use crate::arguments::{Format, FormatArguments};
use crate::output::{print_text, write_whole};
use crate::{Outcome, read_model, refuse};

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
