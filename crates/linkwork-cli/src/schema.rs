//! `linkwork schema`: the JSON schema of the model file.

use crate::Outcome;
use crate::output::print_json;
use clap::Args;

#[derive(Args)]
pub struct SchemaArguments {}

pub fn schema(_: SchemaArguments) -> Outcome {
    print_json(&linkwork::model::file::schema());
    Outcome::Good
}
