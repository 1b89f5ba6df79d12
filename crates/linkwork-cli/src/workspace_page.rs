//! The page of a map: what it is, and its pictures, in one file.

use crate::output::short;
use linkwork::Mechanism;
use linkwork::analysis::workspace::Workspace;
use linkwork_formats::drawing::Drawing;
use std::fmt::Write as _;

const STYLE: &str = "
:root { color-scheme: light; --ink: #1d2430; --soft: #5b6675; --line: #dde2e8; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: #f6f7f9; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
p.lead { color: var(--soft); margin: 0 0 1.2rem; }
table { border-collapse: collapse; margin: 0 0 1.4rem; }
td { padding: .15rem 1.4rem .15rem 0; vertical-align: top; }
td:first-child { color: var(--soft); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); gap: 18px; align-items: start; }
figure { margin: 0; max-width: 760px; background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
figure svg { display: block; width: 100%; height: auto; }
footer { margin-top: 1.6rem; color: var(--soft); font-size: .85rem; }
";

/// The page.
pub fn page(mechanism: &Mechanism, map: &Workspace, pictures: &[Drawing]) -> String {
    let name = escaped(&mechanism.model().name);
    let title = format!(
        "Workspace of {} in {}",
        escaped(&map.of),
        if name.is_empty() { "a mechanism" } else { &name }
    );
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"lead\">{} of {} cells reached</p>\n<table>\n",
        map.reached(),
        map.size()
    );
    let mut row = |what: &str, value: String| {
        let _ = writeln!(out, "<tr><td>{what}</td><td>{value}</td></tr>");
    };
    for (axis, unit) in map.axes.iter().zip(&map.units) {
        let (factor, unit) = if *unit == "rad" { (1f64.to_degrees(), "deg") } else { (1.0, *unit) };
        let [from, to] = axis.range.map(|x| x * factor);
        row(
            "over",
            format!(
                "{} from {} to {} {unit}, {} values",
                escaped(&axis.quantity),
                short(from),
                short(to),
                axis.count
            ),
        );
    }
    row("branches", map.branches.to_string());
    if !map.drives.is_empty() {
        row("drives", escaped(&map.drives.join(", ")));
    }
    let range = |values: Vec<f64>| -> Option<[f64; 2]> {
        values.into_iter().filter(|x| x.is_finite()).fold(None, |range, x| {
            Some(range.map_or([x, x], |[low, high]: [f64; 2]| [low.min(x), high.max(x)]))
        })
    };
    let conditions = range(map.cells.iter().filter_map(|cell| cell.condition).collect());
    if let Some([low, high]) = conditions {
        row("condition number", format!("{} to {}", short(low), short(high)));
    }
    if let Some([low, high]) = range(map.cells.iter().filter_map(|cell| cell.transmission).collect()) {
        row("transmission angle", format!("{:.1} to {:.1} deg", low.to_degrees(), high.to_degrees()));
    }
    if let Some([low, _]) = range(map.cells.iter().filter_map(|cell| cell.margin).collect()) {
        row("nearest to a limit", format!("{:.1} % of its range", 100.0 * low.max(0.0)));
    }
    out.push_str("</table>\n<div class=\"pictures\">\n");
    for (i, picture) in pictures.iter().enumerate() {
        // names of clips are those of one file
        let own = |mark: &str| format!("{mark}map{i}-");
        let svg = picture.to_svg();
        let svg = svg.replace("id=\"", &own("id=\"")).replace("url(#", &own("url(#"));
        let from = svg.find("<svg").unwrap_or(0);
        let _ = writeln!(out, "<figure>{}</figure>", &svg[from..]);
    }
    out.push_str("</div>\n<footer>Pale: not reached; grey: the quality is not known there. Numbers: workspace.csv and workspace.parquet, curves.csv.</footer>\n</main>\n</body>\n</html>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
