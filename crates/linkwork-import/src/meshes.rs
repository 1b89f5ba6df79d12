//! Meshes that a model file names: where they are as seen from it, and those that are copied beside it.
//!
//! A model reads what lies in its own folder, in folders there, or in the package that it lies in (below a `package.xml`). A mesh that lies there is named where it is. One
//! from elsewhere is copied into a folder beside the model that is written, with the files that it needs; a model that is only printed, or only run, does without it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use linkwork_mesh::Mesh;

/// Where the model file will be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// Nowhere: it is read from memory, as if it stood beside the file that was imported. [`Import::model`](crate::Import::model) finds meshes from elsewhere where they are.
    #[default]
    Memory,
    /// On standard output: it is taken to end up in the current folder.
    Printed,
    /// In a file. Meshes from elsewhere are copied into a folder beside it.
    File(PathBuf),
}

/// A mesh of a model, or a file that a mesh needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshPlace {
    /// Where it is.
    pub from: PathBuf,
    /// What the model calls it: its place relative to the folder of the model file.
    pub to: String,
    /// Whether it has to be copied there.
    pub copied: bool,
}

/// Names of meshes as seen from the model file.
pub(crate) struct Shelf {
    /// Folder of the model file, links resolved.
    home: PathBuf,
    /// What it may read.
    root: PathBuf,
    /// Name of the folder for copies, if there are any.
    folder: Option<String>,
    taken: HashMap<String, PathBuf>,
    known: HashMap<PathBuf, Result<String, String>>,
    places: Vec<MeshPlace>,
}

impl Shelf {
    pub(crate) fn new(imported: &Path, destination: &Destination) -> Self {
        let beside = |file: &Path| match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let (home, folder) = match destination {
            Destination::Memory => (beside(imported), Some("meshes".to_owned())),
            Destination::Printed => (PathBuf::from("."), None),
            Destination::File(file) => {
                let stem = file.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
                (beside(file), Some(format!("{stem}-meshes")))
            }
        };
        let home = fs::canonicalize(&home).unwrap_or(home);
        let package = home.ancestors().find(|above| above.join("package.xml").is_file());
        let root = package.unwrap_or(&home).to_owned();
        Shelf { home, root, folder, taken: HashMap::new(), known: HashMap::new(), places: Vec::new() }
    }

    /// What the model file calls a mesh, links resolved; or why it cannot have it.
    pub(crate) fn reference(&mut self, mesh: &Path) -> Result<String, String> {
        if let Some(known) = self.known.get(mesh) {
            return known.clone();
        }
        let found = match mesh.starts_with(&self.root) {
            true => {
                let to = seen_from(&self.home, mesh);
                self.places.push(MeshPlace { from: mesh.to_owned(), to: to.clone(), copied: false });
                Ok(to)
            }
            false => self.copied(mesh),
        };
        self.known.insert(mesh.to_owned(), found.clone());
        found
    }

    fn copied(&mut self, mesh: &Path) -> Result<String, String> {
        let name = mesh.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(folder) = self.folder.clone() else {
            return Err(
                "left out: it lies outside the folder of the model; `linkwork import -o` copies it there"
                    .into(),
            );
        };
        let needed = Mesh::companions(mesh).map_err(|error| error.to_string())?;
        let beside = mesh.parent().unwrap_or(Path::new("."));
        let files: Vec<(String, PathBuf)> = [name.clone()]
            .into_iter()
            .chain(needed)
            .filter(|name| Path::new(name).components().all(|part| matches!(part, Component::Normal(_))))
            .map(|name| (name.clone(), beside.join(&name)))
            .collect();
        for number in 1.. {
            let within = if number == 1 { folder.clone() } else { format!("{folder}/{number}") };
            let free = |(name, file): &(String, PathBuf)| {
                self.taken.get(&format!("{within}/{name}")).is_none_or(|other| other == file)
            };
            if files.iter().all(free) {
                for (name, from) in files {
                    let to = format!("{within}/{name}");
                    if self.taken.insert(to.clone(), from.clone()).is_none() {
                        self.places.push(MeshPlace { from, to, copied: true });
                    }
                }
                return Ok(format!("{within}/{name}"));
            }
        }
        unreachable!("numbers do not end")
    }

    pub(crate) fn places(self) -> Vec<MeshPlace> {
        self.places
    }
}

/// A path from a folder, both without links.
fn seen_from(folder: &Path, file: &Path) -> String {
    let shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = file.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Copies files into the folder of a model file: how many bytes they have. What a mesh names and is not there is left out.
pub(crate) fn copy(places: &[MeshPlace], folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for MeshPlace { from, to, .. } in places.iter().filter(|place| place.copied && place.from.is_file()) {
        let to = folder.join(to);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        bytes += fs::copy(from, to)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_paths() {
        let seen = |folder: &str, file: &str| seen_from(Path::new(folder), Path::new(file));
        assert_eq!(seen("/a/b", "/a/b/c/d.stl"), "c/d.stl");
        assert_eq!(seen("/a/b/urdf", "/a/b/meshes/d.stl"), "../meshes/d.stl");
    }

    /// Two meshes of one name, and materials of one name that are not the same.
    #[test]
    fn copies_keep_apart() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        for side in ["left", "right"] {
            fs::create_dir_all(home.join(side)).unwrap();
            fs::write(home.join(side).join("hand.obj"), "mtllib hand.mtl\n").unwrap();
            fs::write(home.join(side).join("hand.mtl"), side).unwrap();
        }
        fs::create_dir(home.join("model")).unwrap();
        let output = home.join("model/robot.toml");
        let mut shelf = Shelf::new(Path::new("robot.urdf"), &Destination::File(output));
        assert_eq!(shelf.reference(&home.join("left/hand.obj")).unwrap(), "robot-meshes/hand.obj");
        assert_eq!(shelf.reference(&home.join("right/hand.obj")).unwrap(), "robot-meshes/2/hand.obj");
        assert_eq!(shelf.reference(&home.join("left/hand.obj")).unwrap(), "robot-meshes/hand.obj");
        assert_eq!(shelf.reference(&home.join("model/own.stl")).unwrap(), "own.stl");
        copy(&shelf.places(), &home.join("model")).unwrap();
        assert_eq!(fs::read_to_string(home.join("model/robot-meshes/2/hand.mtl")).unwrap(), "right");
        let mut printed = Shelf::new(&home.join("model/robot.urdf"), &Destination::Printed);
        assert!(printed.reference(&home.join("left/hand.obj")).unwrap_err().contains("outside"));
    }
}
