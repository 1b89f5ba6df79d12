//! The JSON schema of the model file.

use super::format::Root;
use schemars::generate::SchemaSettings;

/// The JSON schema of the model file, for editors: draft 7, which their TOML plug-ins understand.
pub fn schema() -> serde_json::Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Root>();
    schema.insert("title".into(), "Linkwork model".into());
    schema.to_value()
}
