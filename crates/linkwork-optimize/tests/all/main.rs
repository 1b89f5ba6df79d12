//! Tests of the crate.

mod fit;
mod pages;
mod section;
mod suspension;
mod synthesis;

use linkwork::model::ModelFile;
use linkwork_optimize::Study;

fn study(name: &str, text: &str) -> Study {
    let file = ModelFile::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
    Study::new(file, 1).unwrap_or_else(|error| panic!("{error}"))
}

/// What is said of a section that is wrong.
fn refusal(text: &str) -> String {
    match ModelFile::parse("model.toml", text).map(|file| Study::new(file, 1)) {
        Ok(Err(error)) => error.to_string(),
        Ok(Ok(_)) => panic!("nothing was said of\n{text}"),
        Err(error) => error.to_string(),
    }
}
