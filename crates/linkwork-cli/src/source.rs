//! Where a model comes from: a file, a robot of another program, standard input or the examples that the command carries; and values that options give for some of its keys.

use crate::examples::EXAMPLES;
use linkwork::Error;
use linkwork::model::{Model, ModelFile};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// Another value for a key of the model: a name and a value, as `--set` has them.
pub type Setting = (String, String);

/// Reads `KEY=VALUE`.
pub fn setting(text: &str) -> Result<Setting, String> {
    // a part of the key in quotes may have a sign of equality of its own
    let mut quoted = false;
    let sign = text.char_indices().find(|&(_, c)| {
        quoted ^= c == '"';
        c == '=' && !quoted
    });
    let (key, value) = sign.map(|(at, _)| (text[..at].trim(), text[at + 1..].trim())).unwrap_or_default();
    if key.is_empty() || value.is_empty() {
        return Err("write KEY=VALUE, as in l=0.5, l='50 cm' or bodies.rod.mass=2".into());
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// The built-in example that a name means where no file has it: with the name of its file, and its text.
pub fn example(model: &str) -> Option<(String, &'static str)> {
    if Path::new(model).exists() {
        return None;
    }
    let name = model.strip_suffix(".toml").unwrap_or(model);
    let (_, _, text) = EXAMPLES.iter().find(|(known, ..)| *known == name)?;
    Some((format!("{name}.toml"), text))
}

/// What a model is called in messages, and its text.
pub fn read_bytes(model: &str) -> Result<(String, Cow<'static, [u8]>), Error> {
    if let Some((name, text)) = example(model) {
        return Ok((name, Cow::Borrowed(text.as_bytes())));
    }
    if linkwork_import::is_foreign(Path::new(model)) {
        return crate::import::read(model).map(|(name, text)| (name, Cow::Owned(text.into_bytes())));
    }
    let mut text = Vec::new();
    // one byte over the limit is enough to be refused
    let limit = linkwork::model::file::MAX_FILE_BYTES as u64 + 1;
    let (name, read) = match model {
        "-" => ("<stdin>", std::io::stdin().take(limit).read_to_end(&mut text)),
        _ => (model, std::fs::File::open(model).and_then(|from| from.take(limit).read_to_end(&mut text))),
    };
    match read {
        Ok(_) => Ok((name.to_owned(), Cow::Owned(text))),
        Err(source) => Err(missing(model, source)),
    }
}

/// A file that cannot be read; one that is not there may be an example with a slip in its name.
fn missing(model: &str, source: std::io::Error) -> Error {
    let bare = !model.contains(['/', '\\', '.']);
    if source.kind() != std::io::ErrorKind::NotFound || !bare {
        return Error::Io { file: model.into(), source };
    }
    let near = EXAMPLES.iter().map(|(name, ..)| *name);
    let near = near.max_by(|a, b| strsim::jaro(model, a).total_cmp(&strsim::jaro(model, b)));
    let near = near.filter(|name| strsim::jaro(model, name) > 0.8);
    let meant = near.map_or_else(
        || "`linkwork examples` lists the built-in ones".into(),
        |name| format!("did you mean `{name}`?"),
    );
    Error::Input(format!("there is neither a file nor a built-in example `{model}`: {meant}"))
}

/// A model file, ready to be evaluated.
pub fn model_file(model: &str) -> Result<ModelFile, Error> {
    let (name, text) = read_bytes(model)?;
    ModelFile::parse_beside(&name, text)
}

/// A model.
pub fn read_model(model: &str) -> Result<Model, Error> {
    read_model_with(model, &[])
}

/// A model with other values for some of its keys.
pub fn read_model_with(model: &str, settings: &[Setting]) -> Result<Model, Error> {
    let file = model_file(model)?;
    let file = if settings.is_empty() { file } else { file.with(settings).map_err(Error::Model)? };
    file.model(&[]).map_err(Error::Model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_settings_are_split_at_the_first_sign_outside_quotes() {
        let pair = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(setting("l = 50 cm"), pair("l", "50 cm"));
        assert_eq!(setting(r#"bodies."a=b".mass=2"#), pair(r#"bodies."a=b".mass"#, "2"));
        assert_eq!(setting("bodies.rod={ mass = 2 }"), pair("bodies.rod", "{ mass = 2 }"));
        for wrong in ["l", "=2", "l="] {
            assert!(setting(wrong).unwrap_err().contains("KEY=VALUE"), "{wrong}");
        }
    }
}
