//! Files that a file names: packages, includes and meshes. Only within the folder of the file, its package and the packages that the user names.
//!
//! A name in a file is data. It is resolved, links followed, and looked at only if what comes out lies in one of the folders that may be read; what is not
//! a plain file (a pipe, a device) is not opened. The number, the depth and the total size of included files have limits, so that files that include each
//! other end.

use std::cell::Cell;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::fault::{Fault, Place};
use crate::xml;

/// Deepest chain of included files.
pub const MAX_INCLUDE_DEPTH: usize = 20;
/// Most files that are included altogether.
pub const MAX_INCLUDES: usize = 1000;
/// Total bytes of included files.
pub const MAX_INCLUDED_BYTES: usize = 4 * xml::MAX_BYTES;

/// Where files may be found, and what has been read so far.
#[derive(Debug)]
pub struct Files {
    /// Folder of the file that is imported.
    home: PathBuf,
    /// Name of a package and its folder: what the user gave, then what was found.
    packages: Vec<(String, PathBuf)>,
    /// Folders that may be read, links resolved.
    roots: Vec<PathBuf>,
    includes: Cell<usize>,
    bytes: Cell<usize>,
}

/// A file and those that included it.
#[derive(Clone, Debug)]
pub struct Trail {
    file: PathBuf,
    above: Option<Arc<Trail>>,
}

impl Trail {
    /// The file that the user named.
    pub fn of(file: &Path) -> Arc<Trail> {
        Arc::new(Trail { file: fs::canonicalize(file).unwrap_or_else(|_| file.to_owned()), above: None })
    }

    /// Folder of the file.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    fn depth(&self) -> usize {
        1 + self.above.as_ref().map_or(0, |above| above.depth())
    }

    fn holds(&self, file: &Path) -> bool {
        self.file == file || self.above.as_ref().is_some_and(|above| above.holds(file))
    }
}

impl Files {
    /// Folder of the file that is imported, packages that the user named, and the package that the file lies in (the nearest folder above it with a
    /// `package.xml`).
    pub fn new(main: &Path, packages: &[(String, PathBuf)]) -> Self {
        let folder = main.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let home = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let mut roots = vec![home.clone()];
        let mut known = packages.to_vec();
        for above in home.ancestors() {
            if above.join("package.xml").is_file() {
                let name = package_name(&above.join("package.xml"));
                let folder_name = above.file_name().map(|name| name.to_string_lossy().into_owned());
                known.extend(name.into_iter().chain(folder_name).map(|name| (name, above.to_owned())));
                roots.push(above.to_owned());
                break;
            }
        }
        roots.extend(packages.iter().filter_map(|(_, folder)| fs::canonicalize(folder).ok()));
        Files { home, packages: known, roots, includes: Cell::new(0), bytes: Cell::new(0) }
    }

    /// The file that a reference means, or why it is not read. `from`: folder of the file with the reference. References are `package://NAME/PATH`,
    /// `model://NAME/PATH`, `file://PATH` and paths, relative to `from`.
    pub fn resolve(&self, reference: &str, from: &Path) -> Result<PathBuf, String> {
        let named = xml::quoted(reference);
        if reference.chars().any(|c| c.is_control()) {
            return Err(format!("{named} is not the name of a file"));
        }
        let mut candidates = Vec::new();
        if let Some(rest) =
            reference.strip_prefix("package://").or_else(|| reference.strip_prefix("model://"))
        {
            let rest = rest.trim_start_matches('/'); // some write package:///NAME
            let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
            candidates.extend(
                self.packages.iter().filter(|(name, _)| name == package).map(|(_, folder)| folder.join(path)),
            );
            // a folder of that name beside the file, or one of the folders that it lies in: still within what may be read
            candidates.push(self.home.join(rest));
            candidates.extend(
                self.home
                    .ancestors()
                    .filter(|above| above.file_name().is_some_and(|name| name.to_string_lossy() == package))
                    .map(|above| above.join(path)),
            );
            if let Some(above) = self.home.parent() {
                candidates.push(above.join(rest));
            }
        } else if let Some((scheme, _)) = reference.split_once("://").filter(|(scheme, _)| *scheme != "file")
        {
            return Err(format!("{named}: files are not fetched by `{}`", scheme.escape_debug()));
        } else {
            let path = reference.strip_prefix("file://").unwrap_or(reference);
            candidates.push(from.join(path));
        }
        let mut outside = false;
        for candidate in candidates {
            match fs::canonicalize(&candidate) {
                Ok(found) if self.may_read(&found) => {
                    if found.is_file() {
                        return Ok(found);
                    }
                }
                Ok(_) => outside = true,
                // a file that is not there is reported as one outside is: what lies elsewhere is nobody's business
                Err(_) => outside |= leaves(&candidate, &self.roots),
            }
        }
        match outside {
            true => Err(format!(
                "{named} lies outside the folder of the file and is not read; `--package NAME=DIR` opens a folder"
            )),
            false => Err(format!("{named} is not found; `--package NAME=DIR` says where a package is")),
        }
    }

    fn may_read(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// The text of a file that another one includes, and the trail for those that it includes itself.
    pub fn include(
        &self,
        reference: &str,
        trail: &Arc<Trail>,
        place: &Place,
    ) -> Result<(Arc<str>, String, Arc<Trail>), Fault> {
        let fault = |message: String| Fault::new(place.clone(), "<include>", message);
        let path = self.resolve(reference, trail.folder()).map_err(fault)?;
        if trail.holds(&path) {
            return Err(fault(format!("{} includes itself", xml::quoted(reference))));
        }
        if trail.depth() >= MAX_INCLUDE_DEPTH {
            return Err(fault(format!("files include each other deeper than {MAX_INCLUDE_DEPTH}")));
        }
        self.includes.set(self.includes.get() + 1);
        if self.includes.get() > MAX_INCLUDES {
            return Err(fault(format!("more than {MAX_INCLUDES} files are included")));
        }
        let file: Arc<str> = self.shown(&path).into();
        let text = read_text(&path, &file)?;
        self.bytes.set(self.bytes.get() + text.len());
        if self.bytes.get() > MAX_INCLUDED_BYTES {
            return Err(fault(format!("included files have more than {MAX_INCLUDED_BYTES} bytes together")));
        }
        Ok((file, text, Arc::new(Trail { file: path, above: Some(trail.clone()) })))
    }

    /// How messages and comments call a file: relative to the folder of the imported file where it lies there.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.home).unwrap_or(path).display().to_string()
    }
}

/// Whether a path leaves all folders by its words alone.
fn leaves(path: &Path, roots: &[PathBuf]) -> bool {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    !roots.iter().any(|root| plain.starts_with(root))
}

/// The `<name>` of a `package.xml`.
fn package_name(file: &Path) -> Option<String> {
    let shown: Arc<str> = file.display().to_string().into();
    let text = read_text(file, &shown).ok()?;
    let root = xml::parse(&shown, &text).ok()?;
    root.child_text("name").map(str::to_owned)
}

/// The text of a file of at most [`xml::MAX_BYTES`] bytes.
pub fn read_text(path: &Path, shown: &Arc<str>) -> Result<String, Fault> {
    let bytes = read_bytes(path, xml::MAX_BYTES as u64)
        .map_err(|message| Fault::new(Place::whole(shown), "", message))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Fault::new(Place::whole(shown), "", "the file is not UTF-8 text"))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The bytes of a plain file of at most so many bytes.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let unread = |error: std::io::Error| format!("cannot read the file: {error}");
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err("not a plain file".into());
    }
    let mut bytes = Vec::new();
    fs::File::open(path).map_err(unread)?.take(most + 1).read_to_end(&mut bytes).map_err(unread)?;
    match bytes.len() as u64 > most {
        true => Err(format!("the file has more than {most} bytes")),
        false => Ok(bytes),
    }
}
