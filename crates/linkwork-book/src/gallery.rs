//! The gallery: a picture, a plot and a paragraph for each example, made by the command `linkwork` from `docs/gallery.toml`.

use crate::BookError;
use crate::slim::slim;
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the gallery shows, as a path in the repository.
const CHOICE: &str = "docs/gallery.toml";
/// The page.
const PAGE: &str = "docs/gallery.md";
/// Its pictures.
const PICTURES: &str = "docs/images/gallery";

/// A picture is no larger than this, bytes.
pub const MAX_PICTURE: u64 = 210_000;
/// All of them together are no larger than this, bytes.
pub const MAX_PICTURES: u64 = 2_400_000;

/// What `docs/gallery.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gallery {
    part: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    title: String,
    example: Vec<Shown>,
}

/// An example in the gallery.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The file's name without its ending.
    pub name: String,
    at: f64,
    during: Option<[f64; 2]>,
    #[serde(default)]
    trace: Vec<String>,
    columns: Vec<String>,
    x: Option<String>,
    text: String,
}

/// The command that makes the pictures: a program and what comes before its own arguments.
#[derive(Clone, Debug)]
pub struct Maker {
    program: OsString,
    before: Vec<&'static str>,
}

impl Maker {
    /// A `linkwork` that is there already.
    pub fn program(path: PathBuf) -> Maker {
        // relative to where we are, not to where it will run
        Maker { program: path.canonicalize().unwrap_or(path).into(), before: Vec::new() }
    }

    /// The one of this repository, built by cargo.
    pub fn cargo() -> Maker {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Maker { program, before: vec!["run", "--release", "--quiet", "-p", "linkwork-cli", "--"] }
    }

    fn make(&self, root: &Path, arguments: &[String]) -> Result<(), BookError> {
        let mut command = Command::new(&self.program);
        command.current_dir(root).args(&self.before).args(arguments);
        let done = command.output().map_err(BookError::at(&self.program))?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        Err(BookError::Command { command: format!("linkwork {}", arguments.join(" ")), said })
    }
}

impl Gallery {
    /// Reads what is to be shown.
    ///
    /// # Errors
    /// The file cannot be read, or is no gallery.
    pub fn read(root: &Path) -> Result<Gallery, BookError> {
        let path = root.join(CHOICE);
        let text = fs::read_to_string(&path).map_err(BookError::at(&path))?;
        toml::from_str(&text).map_err(|e| BookError::Choice { path, message: e.to_string() })
    }

    /// Everything that is shown, in order.
    pub fn shown(&self) -> impl Iterator<Item = &Shown> {
        self.part.iter().flat_map(|part| &part.example)
    }

    /// Runs every example and makes page and pictures again; `tell` hears what is under way.
    ///
    /// # Errors
    /// A run or a picture fails, or a picture is too large. Nothing is changed then.
    pub fn make(&self, root: &Path, maker: &Maker, tell: &mut dyn FnMut(&str)) -> Result<(), BookError> {
        let workshop = tempfile::tempdir().map_err(BookError::at("a temporary folder"))?;
        for shown in self.shown() {
            tell(&shown.name);
            shown.make(root, workshop.path(), maker)?;
        }
        for name in self.shown().flat_map(Shown::pictures) {
            let path = workshop.path().join(name);
            let text = fs::read_to_string(&path).map_err(BookError::at(&path))?;
            fs::write(&path, slim(&text)).map_err(BookError::at(&path))?;
        }
        self.check_sizes(workshop.path())?;
        let folder = root.join(PICTURES);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(BookError::at(&folder))?;
        }
        fs::create_dir_all(&folder).map_err(BookError::at(&folder))?;
        for name in self.shown().flat_map(Shown::pictures) {
            let to = folder.join(&name);
            fs::copy(workshop.path().join(&name), &to).map_err(BookError::at(&to))?;
        }
        let page = root.join(PAGE);
        fs::write(&page, self.page()).map_err(BookError::at(&page))
    }

    fn check_sizes(&self, folder: &Path) -> Result<(), BookError> {
        let mut sum = 0;
        for name in self.shown().flat_map(Shown::pictures) {
            let path = folder.join(&name);
            let size = fs::metadata(&path).map_err(BookError::at(&path))?.len();
            if size > MAX_PICTURE {
                return Err(BookError::TooLarge { what: name, size, most: MAX_PICTURE });
            }
            sum += size;
        }
        match sum > MAX_PICTURES {
            true => Err(BookError::TooLarge {
                what: "all pictures together".into(),
                size: sum,
                most: MAX_PICTURES,
            }),
            false => Ok(()),
        }
    }

    /// The page, in Markdown.
    pub fn page(&self) -> String {
        let mut page = String::from(
            "# Gallery\n\n\
             Every example with a picture, a plot of its results and a word on what to look at. `linkwork examples NAME -o FILE` writes one to a file; `linkwork run` makes a page of it that moves.\n\
             All pictures are made by `cargo run --release -p linkwork-book -- gallery` from [`gallery.toml`](gallery.toml).\n",
        );
        page.push_str("\n<p>\n");
        for shown in self.shown() {
            page.push_str(&shown.thumbnail());
        }
        page.push_str("</p>\n");
        for part in &self.part {
            page.push_str(&format!("\n## {}\n", part.title));
            for shown in &part.example {
                page.push_str(&shown.entry());
            }
        }
        page
    }
}

impl Shown {
    /// The file names of the picture and of the plot.
    pub fn pictures(&self) -> [String; 2] {
        [format!("{}.svg", self.name), format!("{}-plot.svg", self.name)]
    }

    /// Its place on the sheet of all pictures.
    fn thumbnail(&self) -> String {
        let (name, [still, _]) = (&self.name, self.pictures());
        format!(
            "<a href=\"#{name}\"><img src=\"images/gallery/{still}\" width=\"19%\" alt=\"{name}\" title=\"{name}\"></a>\n"
        )
    }

    fn entry(&self) -> String {
        let Shown { name, at, text, .. } = self;
        let [still, plot] = self.pictures();
        let columns = self.columns.join(", ");
        let over = self.x.as_deref().unwrap_or("time");
        format!(
            "\n### {name}\n\n{text}\n\n\
             <p>\n<img src=\"images/gallery/{still}\" width=\"49%\" alt=\"{name} at t = {at} s\">\n\
             <img src=\"images/gallery/{plot}\" width=\"49%\" alt=\"{columns} over {over}\">\n</p>\n\n\
             [`{name}.toml`](../examples/{name}.toml)\n",
            text = text.trim(),
        )
    }

    fn make(&self, root: &Path, folder: &Path, maker: &Maker) -> Result<(), BookError> {
        let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let results = place(&self.name);
        let [still, plot] = self.pictures().map(|name| place(&name));
        let model = format!("examples/{}.toml", self.name);
        maker.make(root, &words(&["run", &model, "-o", &results, "--quiet"]))?;

        let at = self.at.to_string();
        let mut arguments = words(&["export", &results, "--at", &at, "--size", "640x440", "-o", &still]);
        if let Some([from, until]) = self.during {
            arguments.extend(words(&["--from", &from.to_string(), "--until", &until.to_string()]));
        }
        for point in &self.trace {
            arguments.extend(words(&["--trace", point]));
        }
        maker.make(root, &arguments)?;

        let mut arguments = words(&["plot", &results, "--size", "640x440px", "-o", &plot]);
        arguments.extend(self.columns.iter().cloned());
        if let Some(x) = &self.x {
            arguments.extend(words(&["--x", x]));
        }
        maker.make(root, &arguments)
    }
}
