//! The whole book: its sources are read and checked first, then all pages are written at once.

use crate::files::{markdown_below, page_address};
use crate::layout::{self, Frame};
use crate::links::{self, Target, file_address, is_picture};
use crate::search;
use crate::summary::{self, Part, SUMMARY};
use crate::{BookError, Fault, Page, Section};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A file in the book's folder that says whose folder it is.
const MARK: &str = ".linkwork-book";

/// Sources without faults.
pub struct Book {
    root: PathBuf,
    parts: Vec<Part>,
    pages: BTreeMap<String, Page>,
    files: BTreeSet<String>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// Pages of text.
    pub pages: usize,
    /// Links and images that were checked.
    pub links: usize,
    /// Pictures, and files of the repository that pages link to.
    pub files: usize,
}

impl Book {
    /// Reads the sources of a repository and checks all their links.
    ///
    /// # Errors
    /// [`BookError::Faults`] with everything that must be mended, or a file that cannot be read.
    pub fn read(root: &Path) -> Result<Book, BookError> {
        let text = read(root, SUMMARY)?;
        let parts = summary::parts(&text);
        let mut faults = Vec::new();
        let mut listed = BTreeSet::new();
        for chapter in parts.iter().flat_map(|part| &part.chapters) {
            let tell = |message| Fault { file: SUMMARY.into(), line: chapter.line, message };
            if !chapter.path.ends_with(".md") || !root.join(&chapter.path).is_file() {
                faults.push(tell(format!("there is no page {}", chapter.path)));
            } else if !listed.insert(chapter.path.clone()) {
                faults.push(tell(format!("{} is listed twice", chapter.path)));
            }
        }
        for path in markdown_below(root, "docs")? {
            if path != SUMMARY && !listed.contains(&path) {
                let message = format!("{SUMMARY} does not list this page; add it where it belongs");
                faults.push(Fault { file: path, line: 1, message });
            }
        }
        let (pages, files) = read_pages(root, listed)?;
        faults.extend(links::faults(root, &pages));
        if faults.is_empty() {
            return Ok(Book { root: root.to_owned(), parts, pages, files });
        }
        faults.sort();
        Err(BookError::Faults(faults))
    }

    /// Writes the book into a folder, in the place of an earlier one. It is made beside it and renamed when it is whole.
    ///
    /// # Errors
    /// The folder has something else in it, or cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Built, BookError> {
        if folder.exists() && !folder.join(MARK).exists() {
            let mut entries = fs::read_dir(folder).map_err(BookError::at(folder))?;
            if entries.next().is_some() {
                return Err(BookError::Occupied(folder.to_owned()));
            }
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let part = folder.with_file_name(format!(".{name}.part"));
        if part.exists() {
            fs::remove_dir_all(&part).map_err(BookError::at(&part))?;
        }
        let written = self.write_all(&part).and_then(|()| {
            if folder.exists() {
                fs::remove_dir_all(folder).map_err(BookError::at(folder))?;
            }
            fs::rename(&part, folder).map_err(BookError::at(folder))
        });
        if let Err(error) = written {
            let _ = fs::remove_dir_all(&part); // what is left of it is no book
            return Err(error);
        }
        let links = self.pages.values().map(|page| page.links.len()).sum();
        Ok(Built { pages: self.pages.len(), links, files: self.files.len() })
    }

    /// The pages in the order of the chapters, and then those that are only linked to.
    fn in_order(&self) -> impl Iterator<Item = &Page> {
        let listed: Vec<&str> =
            self.parts.iter().flat_map(|part| &part.chapters).map(|chapter| chapter.path.as_str()).collect();
        let others: Vec<&Page> =
            self.pages.values().filter(|page| !listed.contains(&page.path.as_str())).collect();
        listed.into_iter().filter_map(|path| self.pages.get(path)).chain(others)
    }

    /// What the search of the book looks through.
    pub fn sections(&self) -> Vec<Section> {
        self.in_order().flat_map(search::sections).collect()
    }

    fn write_all(&self, folder: &Path) -> Result<(), BookError> {
        write(folder, MARK, b"made by linkwork-book\n")?;
        write(folder, "book.css", layout::STYLE.as_bytes())?;
        write(folder, "search.js", search::SCRIPT.as_bytes())?;
        write(folder, "search-index.js", search::index(self.in_order()).as_bytes())?;
        for page in self.pages.values() {
            let address = |link: &str| links::address(&self.root, &page.path, link);
            let body = page.html(address);
            let frame = Frame { parts: &self.parts, page: Some(page), title: &page.title };
            let here = page_address(&page.path);
            write(folder, &here, frame.html(&here, &body).as_bytes())?;
        }
        for path in &self.files {
            let place = file_address(&self.root, path);
            let source = self.root.join(path);
            if is_picture(path) {
                let bytes = fs::read(&source).map_err(BookError::at(&source))?;
                write(folder, &place, &bytes)?;
            } else {
                let body = layout::shown_file(path, &content(&source)?);
                let frame = Frame { parts: &self.parts, page: None, title: path };
                write(folder, &place, frame.html(&place, &body).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// The listed pages and all that they link to, pages outside of `docs` included.
fn read_pages(
    root: &Path,
    listed: BTreeSet<String>,
) -> Result<(BTreeMap<String, Page>, BTreeSet<String>), BookError> {
    let mut pages = BTreeMap::new();
    let mut files = BTreeSet::new();
    let mut waiting: Vec<String> = listed.into_iter().collect();
    while let Some(path) = waiting.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let page = Page::new(&path, read(root, &path)?);
        for link in &page.links {
            match links::target(root, &path, &link.target) {
                Ok(Target::Page(other, _)) if other != SUMMARY => waiting.push(other),
                Ok(Target::File(file)) => {
                    files.insert(file);
                }
                _ => {}
            }
        }
        pages.insert(path, page);
    }
    Ok((pages, files))
}

/// A text as it is, a folder as the list of what is in it.
fn content(path: &Path) -> Result<String, BookError> {
    if !path.is_dir() {
        let bytes = fs::read(path).map_err(BookError::at(path))?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(BookError::at(path))? {
        names.push(entry.map_err(BookError::at(path))?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names.join("\n"))
}

fn read(root: &Path, path: &str) -> Result<String, BookError> {
    let path = root.join(path);
    fs::read_to_string(&path).map_err(BookError::at(path))
}

fn write(folder: &Path, place: &str, bytes: &[u8]) -> Result<(), BookError> {
    let path = folder.join(place);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(BookError::at(parent))?;
    }
    fs::write(&path, bytes).map_err(BookError::at(path))
}
