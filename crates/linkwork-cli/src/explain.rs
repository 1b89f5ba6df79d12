//! `linkwork explain`: the pages about the codes of warnings, failures and remarks, built in.

use crate::Outcome;
use crate::arguments::Format;
use crate::output::{print_json, print_text};
use clap::Args;
use serde_json::{Value, json};
use std::io::IsTerminal;

#[derive(Args)]
#[command(after_help = "Exit code: 0 explained, 2 there is no such code.")]
pub struct ExplainArguments {
    /// The code, as messages have it in brackets; without one all codes are listed
    pub code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Code and page of each, from `docs/errors`.
macro_rules! pages {
    ($($code:literal,)*) => {
        const PAGES: &[(&str, &str)] = &[$(($code, include_str!(concat!("../errors/", $code, ".md"))),)*];
    };
}

pages! {
    "at-equilibrium",
    "branch",
    "branches",
    "cannot-move",
    "contact",
    "contact-accuracy",
    "contact-steps",
    "coupled-impacts",
    "damaged",
    "dead-centre",
    "driver-jumps",
    "drivers-contradict",
    "drivers-exceed-freedom",
    "energy-drift",
    "events-pile-up",
    "far-away",
    "far-point",
    "gear-ratio",
    "held-slide",
    "hertz-as-radians",
    "impacts-cut",
    "instant",
    "isolated-body",
    "jammed",
    "limit-beyond-turn",
    "mass-gone",
    "no-format",
    "no-mechanics",
    "not-converged",
    "not-finite",
    "not-solved",
    "not-written",
    "nothing-held",
    "open-mesh",
    "singular-position",
    "stalled",
    "step-too-long",
    "step-too-small",
    "stiff-pair",
    "stiffness",
    "stopped",
    "structure",
    "too-large",
    "too-many-rejections",
    "too-many-steps",
    "undetermined",
    "undriven-freedom",
    "unstable",
}

/// The index of the pages: tables of codes with their meanings, under the kinds of codes.
const INDEX: &str = include_str!("../errors/README.md");

/// Widest line of text, in letters.
const WIDEST: usize = 100;

/// A code in the index.
struct Entry {
    /// "Warnings", "Failures" or "Remarks".
    kind: &'static str,
    code: &'static str,
    meaning: String,
}

impl Entry {
    fn json(&self) -> Value {
        let kind = self.kind.to_lowercase();
        json!({ "code": self.code, "kind": kind.trim_end_matches('s'), "meaning": self.meaning })
    }
}

pub fn explain(args: &ExplainArguments) -> Outcome {
    let entries = entries();
    let Some(wanted) = &args.code else {
        match args.format {
            Format::Json => print_json(&entries.iter().map(Entry::json).collect()),
            Format::Text => print_text(&list(&entries)),
        }
        return Outcome::Good;
    };
    // as it is printed, in brackets
    let wanted = wanted.trim_matches(['[', ']', '`']).to_lowercase();
    let page = PAGES.iter().find(|(code, _)| *code == wanted);
    let entry = entries.iter().find(|entry| entry.code == wanted);
    let (Some((_, page)), Some(entry)) = (page, entry) else {
        refuse(&wanted, &entries, args.format);
        return Outcome::Refused;
    };
    match args.format {
        Format::Json => {
            let mut value = entry.json();
            value["page"] = (*page).into();
            print_json(&value);
        }
        Format::Text => {
            let styled = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let width = usize::from(console::Term::stdout().size().1).clamp(40, WIDEST);
            print_text(&plain(page, width, styled));
        }
    }
    Outcome::Good
}

/// Footer of messages that have codes; nothing if none has one.
pub fn hint<'a>(codes: impl IntoIterator<Item = &'a str>) -> String {
    let mut codes: Vec<&str> = codes.into_iter().collect();
    codes.sort_unstable();
    codes.dedup();
    match codes[..] {
        [] => String::new(),
        [code] => format!("for more, try `linkwork explain {code}`\n"),
        _ => format!("for more, try `linkwork explain CODE` with {}\n", codes.join(", ")),
    }
}

fn refuse(wanted: &str, entries: &[Entry], format: Format) {
    let likeness = |entry: &&Entry| strsim::jaro_winkler(entry.code, wanted);
    let nearest = entries.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let near = nearest.filter(|entry| likeness(entry) > 0.75);
    let advice = match near {
        Some(entry) => format!("did you mean `{}`?", entry.code),
        None => "`linkwork explain` lists all codes".into(),
    };
    match format {
        Format::Json => {
            print_json(
                &json!({ "status": "refused", "error": format!("there is no code `{wanted}`; {advice}") }),
            );
        }
        Format::Text => eprintln!("error: there is no code `{wanted}`; {advice}"),
    }
}

/// The rows of the index: `| [`code`](code.md) | meaning |`.
fn entries() -> Vec<Entry> {
    let mut kind = "";
    let mut entries = Vec::new();
    for line in INDEX.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            kind = heading;
        }
        let row = line.strip_prefix("| [`").and_then(|rest| rest.split_once("`]("));
        if let Some((code, rest)) = row
            && let Some((_, meaning)) = rest.split_once(" | ")
        {
            entries.push(Entry { kind, code, meaning: without_links(meaning.trim_end_matches(" |")) });
        }
    }
    entries
}

fn list(entries: &[Entry]) -> String {
    let width = entries.iter().map(|entry| entry.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut kind = "";
    for entry in entries {
        if entry.kind != kind {
            kind = entry.kind;
            text.push_str(&format!("{}{kind}\n", if text.is_empty() { "" } else { "\n" }));
        }
        text.push_str(&format!("  {:width$}  {}\n", entry.code, entry.meaning));
    }
    text.push_str("\nRead one with `linkwork explain CODE`.\n");
    text
}

/// A page without its markup: paragraphs in lines of this width, blocks of code indented, headings bold.
fn plain(page: &str, width: usize, styled: bool) -> String {
    let mut text = String::new();
    let mut in_block = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        } else if line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim().replace('`', "");
            text.push_str(&console::style(heading).bold().force_styling(styled).to_string());
            text.push('\n');
        } else {
            wrap(&without_links(line).replace("**", ""), width, &mut text);
        }
    }
    text
}

/// `[text](address)` becomes `text`.
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(shown, rest)| Some((shown, rest.split_once(')')?.1)));
        text.push_str(before);
        match link {
            Some((shown, behind)) if !shown.contains('[') => {
                text.push_str(shown);
                rest = behind;
            }
            _ => {
                text.push('[');
                rest = after;
            }
        }
    }
    text + rest
}

/// A paragraph in lines; what follows the sign of a list is indented.
fn wrap(paragraph: &str, width: usize, text: &mut String) {
    let indent = if paragraph.starts_with("- ") { "  " } else { "" };
    let mut used = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            text.push('\n');
            text.push_str(indent);
            used = indent.len();
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every page of `docs/errors` is built in and stands in the index, and nothing else.
    #[test]
    fn same_codes_as_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/errors");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|f| f.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|name| name != "README")
            .collect();
        files.sort();
        let built_in: Vec<&str> = PAGES.iter().map(|page| page.0).collect();
        assert_eq!(files, built_in);
        let mut listed: Vec<&str> = entries().iter().map(|entry| entry.code).collect();
        listed.sort_unstable();
        assert_eq!(listed, built_in);
    }

    #[test]
    fn pages_lose_their_markup() {
        let page =
            "# `code`\n\nSee [the **page**](../page.md) of [a, b] at last.\n\n```toml\nx = [1](2)\n```\n";
        assert_eq!(plain(page, 20, false), "code\n\nSee the page of [a,\nb] at last.\n\n    x = [1](2)\n");
        for (code, page) in PAGES {
            let text = plain(page, 80, false);
            assert!(!text.contains("](") && !text.contains("**") && !text.contains("```"), "{code}:\n{text}");
        }
    }
}
