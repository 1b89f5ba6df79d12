//! Files that a model names: beside the model file, in a folder there, or in the package that the model file lies in. A name in a file is data: it is resolved, links are
//! followed, and what lies elsewhere is not looked at.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Why a file is not read, and what to do.
pub(crate) type Refusal = (String, &'static str);

/// The plain file of a name, relative to the folder of a model file.
pub(crate) fn find(folder: Option<&Path>, name: &str) -> Result<PathBuf, Refusal> {
    let Some(folder) = folder else {
        let why = "this text does not come from a file, so nothing is beside it";
        return Err((
            format!("`{name}` cannot be read: {why}"),
            "keep the model in a file, with this one beside it",
        ));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let outside = || {
        let help =
            "put it beside the model file, or in a folder there; `linkwork import -o` copies meshes there";
        (format!("`{name}` does not lie in the folder of the model file"), help)
    };
    let path = Path::new(name);
    if name.is_empty()
        || path.components().any(|part| matches!(part, Component::RootDir | Component::Prefix(_)))
    {
        return Err(outside());
    }
    let home = fs::canonicalize(folder).map_err(|_| outside())?;
    let root = home.ancestors().find(|above| above.join("package.xml").is_file()).unwrap_or(&home);
    match fs::canonicalize(folder.join(path)) {
        Ok(found) if !found.starts_with(root) && !found.starts_with(&home) => Err(outside()),
        Ok(found) if found.is_file() => Ok(folder.join(path)),
        Ok(_) => Err((format!("`{name}` is not a plain file"), "name a file")),
        // what is not there is reported as what lies outside where its name leaves the folder
        Err(_) if path.components().any(|part| part == Component::ParentDir) => Err(outside()),
        Err(_) => Err((format!("`{name}` is not there"), "give its path relative to the model file")),
    }
}
