//! The works that are cited: `docs/references.bib`, and the page that lists them.
//!
//! A citation is a key in brackets, `[attia2003]`. In the book it is a link to the list.

use crate::BookError;
use std::fs;
use std::path::Path;

/// The works, as a path in the repository.
pub const BIBLIOGRAPHY: &str = "docs/references.bib";
/// The page that lists them.
pub const REFERENCES: &str = "docs/references.md";
/// What the address of a citation begins with, until it is known where the list is.
pub const CITED: &str = "cite:";

const HEAD: &str = "# References\n\nWorks that the documentation and the code cite by key, as `[attia2003]`. This page is made from [`references.bib`](references.bib) by\n\
                    `cargo run -p linkwork-book -- references`.\n\n";

/// One entry of the bibliography.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// What it is cited by.
    pub key: String,
    /// Names and values, in order, without marks of TeX.
    pub fields: Vec<(String, String)>,
}

/// All works, by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    works: Vec<Work>,
}

impl References {
    /// Reads the bibliography of a repository.
    ///
    /// # Errors
    /// It cannot be read, or is not what BibTeX would read.
    pub fn read(root: &Path) -> Result<References, BookError> {
        let path = root.join(BIBLIOGRAPHY);
        let text = fs::read_to_string(&path).map_err(BookError::at(&path))?;
        References::parse(&text).map_err(|message| BookError::Choice { path, message })
    }

    /// Reads a bibliography. The error says what is wrong with it.
    pub fn parse(text: &str) -> Result<References, String> {
        let mut works: Vec<Work> = Vec::new();
        let code: String =
            text.lines().filter(|line| !line.starts_with('%')).map(|line| format!("{line}\n")).collect();
        for entry in code
            .split("\n@")
            .map(|entry| entry.trim().trim_start_matches('@'))
            .filter(|entry| !entry.is_empty())
        {
            let (_, rest) = entry.split_once('{').ok_or_else(|| format!("no brace in `{entry}`"))?;
            let (key, rest) = rest.split_once(',').ok_or_else(|| format!("no fields in `{entry}`"))?;
            let key = key.trim().to_owned();
            let body = rest
                .trim_end()
                .strip_suffix('}')
                .ok_or_else(|| format!("`{key}` does not end with a brace"))?;
            let fields =
                fields(body).ok_or_else(|| format!("`{key}`: write fields as `name = {{value}}`"))?;
            if works.iter().any(|work| work.key == key) {
                return Err(format!("`{key}` is there twice"));
            }
            works.push(Work { key, fields });
        }
        works.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(References { works })
    }

    /// The works, sorted by their keys.
    pub fn works(&self) -> &[Work] {
        &self.works
    }

    /// The page that lists them.
    pub fn page(&self) -> String {
        let lines =
            self.works.iter().map(|work| format!("- <a id=\"{0}\"></a>`{0}`: {1}\n", work.key, work.line()));
        HEAD.to_owned() + &lines.collect::<String>()
    }

    /// Writes the page into a repository.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, root: &Path) -> Result<(), BookError> {
        let path = root.join(REFERENCES);
        fs::write(&path, self.page()).map_err(BookError::at(path))
    }
}

impl Work {
    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Authors: title. Where it was published, year. What else there is to say.
    fn line(&self) -> String {
        let people = self.field("author").map(names);
        let people =
            people.or_else(|| self.field("editor").map(|editors| format!("{} (editors)", names(editors))));
        let mut line = people.unwrap_or_default();
        if let Some(title) = self.field("title") {
            line += &format!(": *{title}*");
        }
        let edition = self.field("edition").map(|edition| match edition {
            "2" => "2nd edition".to_owned(),
            "3" => "3rd edition".to_owned(),
            other => format!("{other}th edition"),
        });
        let journal = self.field("journal").map(|journal| {
            let volume = self.field("volume").map_or_else(String::new, |volume| format!(" {volume}"));
            let number = self.field("number").map_or_else(String::new, |number| format!(" ({number})"));
            format!("{journal}{volume}{number}")
        });
        let others =
            ["booktitle", "publisher", "pages", "year"].map(|name| self.field(name).map(str::to_owned));
        let places: Vec<String> = [edition, journal].into_iter().chain(others).flatten().collect();
        line += &format!(". {}.", places.join(", "));
        if let Some(note) = self.field("note") {
            line += &format!(" {}.", note.trim_end_matches('.'));
        }
        if let Some(doi) = self.field("doi") {
            line += &format!(" [doi:{doi}](https://doi.org/{})", doi.replace('(', "%28").replace(')', "%29"));
        }
        line
    }
}

/// Whether a text in brackets is a citation: a name in small letters and a year.
pub fn is_key(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text.len() == name.len() + 4 && !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())
}

/// `name = {value}`, separated by commas, with any braces inside of values.
fn fields(body: &str) -> Option<Vec<(String, String)>> {
    let mut fields = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (name, value) = rest.split_once('=')?;
        let value = value.trim_start().strip_prefix('{')?;
        let mut depth = 1;
        let end = value.char_indices().find_map(|(at, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            (depth == 0).then_some(at)
        })?;
        fields.push((name.trim().to_owned(), plain(&value[..end])));
        rest = value[end + 1..].trim_start().trim_start_matches(',').trim_start();
    }
    Some(fields)
}

/// The marks of TeX that the bibliography has.
fn plain(value: &str) -> String {
    let marks = [
        ("{\\o}", "ø"),
        ("{\\\"a}", "ä"),
        ("{\\\"u}", "ü"),
        ("{\\'e}", "é"),
        ("{\\'i}", "í"),
        ("{\\'o}", "ó"),
        ("{\\`A}", "À"),
        ("$\\alpha$", "α"),
        ("``", "“"),
        ("''", "”"),
        ("--", "–"),
    ];
    let text = marks.iter().fold(value.to_owned(), |text, (mark, letter)| text.replace(mark, letter));
    text.replace(['{', '}'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `Last, First and Last, First` as one reads names.
fn names(people: &str) -> String {
    let named = people.split(" and ").map(|person| match person.split_once(", ") {
        Some((last, first)) => format!("{first} {last}"),
        None => person.to_owned(),
    });
    let all: Vec<String> = named.collect();
    match &all[..] {
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_line_of_a_work() {
        let read = References::parse(
            "% works\n\n@article{b1990,\n  author = {Br{\\\"u}ls, Olivier and B, C.},\n  title = {On {X}},\n  journal = {J},\n  volume = {1},\n  pages = {2--3},\n  year = {1990}\n}\n\n@book{a1980,\n  editor = {A, B},\n  edition = {2},\n  year = {1980}\n}\n",
        )
        .unwrap();
        let lines: Vec<String> = read.works().iter().map(Work::line).collect();
        assert_eq!(
            lines,
            ["B A (editors). 2nd edition, 1980.", "Olivier Brüls and C. B: *On X*. J 1, 2–3, 1990."]
        );
        assert!(read.page().contains("- <a id=\"a1980\"></a>`a1980`: B A"));
    }

    #[test]
    fn exact_faults_of_a_bibliography() {
        assert!(References::parse("@book{a1980,\n  year = 1980\n}\n").unwrap_err().contains("`a1980`"));
        let twice = "@book{a1980,\n  year = {1980}\n}\n".repeat(2);
        assert_eq!(References::parse(&twice).unwrap_err(), "`a1980` is there twice");
    }

    #[test]
    fn exact_keys() {
        assert!(
            is_key("attia2003")
                && !is_key("2003")
                && !is_key("r_1")
                && !is_key("Attia2003")
                && !is_key("a20031")
        );
    }
}
