//! A page that shows a sweep: how cases ended, histograms of results, results over parameters, sensitivity indices. It holds all that it shows.

use crate::html::{HEAD, escaped, table};
use crate::merge::{complete, totals};
use crate::random::uniform;
use crate::{Error, Sampling, SweepFolder, sensitivity};
use linkwork_formats::plot::{histogram, scatter};

/// So many results and parameters have plots.
const MOST_RESULTS: usize = 6;
const MOST_PARAMETERS: usize = 6;
/// About so many points are drawn in each. Of more cases some are chosen at random: every n-th point of a grid or of Sobol's sequence is no fair sample.
const MOST_POINTS: u64 = 1000;
/// A stream of random numbers that no parameter has.
const OF_PAGES: u64 = u64::MAX;
const BARS: usize = 40;
const SIZE: [f64; 2] = [400.0, 300.0];

/// The page of a whole sweep, as HTML.
///
/// # Errors
/// Parts that are missing or damaged.
pub fn page(folder: &SweepFolder) -> Result<String, Error> {
    complete(folder)?;
    let manifest = folder.manifest();
    let [_, _, finished, failed, refused] = totals(folder)?;
    let results = manifest.columns.len().min(MOST_RESULTS);
    let parameters = manifest.parameters.len().min(MOST_PARAMETERS);
    let part_drawn = MOST_POINTS as f64 / manifest.cases.max(1) as f64;
    let is_drawn = |case: u64| part_drawn >= 1.0 || uniform(0, OF_PAGES, case) < part_drawn;
    let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; results];
    let mut points: Vec<Vec<f64>> = vec![Vec::new(); parameters + results];
    for part in 0..manifest.parts() {
        let cases = folder.read(part)?;
        for (range, column) in ranges.iter_mut().zip(&cases.results) {
            for x in column.iter().filter(|x| x.is_finite()) {
                *range = [range[0].min(*x), range[1].max(*x)];
            }
        }
        let columns = cases.parameters.iter().take(parameters).chain(cases.results.iter().take(results));
        for (to, column) in points.iter_mut().zip(columns) {
            let drawn = cases.numbers.iter().zip(column).filter(|(n, _)| is_drawn(**n));
            to.extend(drawn.map(|(_, x)| *x));
        }
    }
    let mut bars = vec![vec![0_u64; BARS]; results];
    for part in 0..manifest.parts() {
        let cases = folder.read(part)?;
        for ((bars, [low, high]), column) in bars.iter_mut().zip(&ranges).zip(&cases.results) {
            for x in column.iter().filter(|x| x.is_finite()) {
                let place = (x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * BARS as f64;
                bars[if place.is_finite() { (place as usize).min(BARS - 1) } else { 0 }] += 1;
            }
        }
    }
    let name = escaped(&manifest.model.file);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>Sweep of {name}</title>\n{HEAD}</head>\n<body>\n<h1>Sweep of {name}</h1>\n"
    );
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    out.push_str(&table(&[
        vec!["".into(), "".into()],
        row("cases", manifest.cases.to_string()),
        row("finished", finished.to_string()),
        row("failed", failed.to_string()),
        row("refused", refused.to_string()),
        row("sample", format!("{}, seed {}", manifest.sample, manifest.seed)),
        row("parameters", manifest.parameter_names().collect::<Vec<_>>().join(", ")),
        row("model", format!("SHA-256 {}", manifest.model.hash)),
        row("Linkwork", manifest.linkwork.clone()),
    ]));
    if matches!(manifest.sample, Sampling::Saltelli(_)) {
        out.push_str("<h2>Sensitivity indices</h2>\n");
        match sensitivity(folder) {
            Ok(list) => {
                let head = ["result", "parameter", "first order", "total"].map(String::from).to_vec();
                let rows = list.iter().map(|index| {
                    vec![
                        index.column.clone(),
                        index.parameter.clone(),
                        format!("{:.4}", index.first),
                        format!("{:.4}", index.total),
                    ]
                });
                out.push_str(&table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()));
            }
            Err(error) => out.push_str(&format!("<p>{}</p>\n", escaped(&error.to_string()))),
        }
    }
    if part_drawn < 1.0 {
        let drawn = points.first().map_or(0, Vec::len);
        out.push_str(&format!(
            "<p>Histograms count all cases; points show {drawn} cases, chosen at random.</p>\n"
        ));
    }
    if results < manifest.columns.len() || parameters < manifest.parameters.len() {
        out.push_str(&format!(
            "<p>Plots show the first {results} results and {parameters} parameters.</p>\n"
        ));
    }
    for (k, column) in manifest.columns.iter().take(results).enumerate() {
        out.push_str(&format!("<h2>{}</h2>\n", escaped(&column.name)));
        if ranges[k][0] > ranges[k][1] {
            out.push_str("<p>No case has a value.</p>\n");
            continue;
        }
        out.push_str("<div class=\"plots\">\n");
        let label = [column.name.as_str(), column.unit.as_str()];
        out.push_str(&histogram(label, ranges[k], &bars[k], SIZE).to_svg());
        for (j, parameter) in manifest.parameter_names().take(parameters).enumerate() {
            let pairs: Vec<[f64; 2]> =
                points[j].iter().zip(&points[parameters + k]).map(|(x, y)| [*x, *y]).collect();
            out.push_str(&scatter([[parameter, ""], label], &pairs, SIZE).to_svg());
        }
        out.push_str("</div>\n");
    }
    out.push_str("</body>\n</html>\n");
    Ok(out)
}
