//! Pages and tables of what was found: before and after in one plot, the way there, what limits the result. A page holds all that it shows.

use crate::{Data, Fit, Optimum, Shown, Step, Study};
use linkwork_formats::plot::{Curve, Plot, Size};
use std::fmt::Write;

const SIZE: [f64; 2] = [560.0, 360.0];
/// Changes below this part of a quantity are none.
const ROUNDING: f64 = 1e-9;
/// So many quantities have plots.
const MOST_SHOWN: usize = 12;

const HEAD: &str = r#"<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 74rem; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { padding: 0.2rem 0.8rem; border-bottom: 1px solid #ddd; text-align: left }
td { font-variant-numeric: tabular-nums } .bad { color: #b00020; font-weight: 600 }
.plots { display: flex; flex-wrap: wrap; gap: 1rem } .plots svg { width: 34rem; max-width: 100%; height: auto; border: 1px solid #eee }
</style>
"#;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::from("<table>\n<tr>");
    head.iter().for_each(|cell| out.push_str(&format!("<th>{}</th>", escaped(cell))));
    out.push_str("</tr>\n");
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out + "</table>\n"
}

/// A number for people.
fn short(x: f64) -> String {
    let size = x.abs();
    match x {
        x if x.is_nan() => "none".into(),
        0.0 => "0".into(),
        x if !(1e-4..1e6).contains(&size) => format!("{x:.6e}"),
        x => {
            let text = format!("{x:.*}", (8.0 - size.log10().floor()).clamp(0.0, 12.0) as usize);
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
    }
}

fn with_unit(x: f64, unit: &str) -> String {
    format!("{} {unit}", short(x)).trim_end().to_owned()
}

/// A plot; curves that are not over time are ways of points, m.
fn picture(
    title: &str,
    [x_name, x_unit]: [&str; 2],
    over_time: bool,
    curves: Vec<(&str, Vec<f64>, Vec<f64>)>,
) -> String {
    let curves = curves.into_iter().filter(|(_, x, _)| !x.is_empty()).map(|(name, x, y)| Curve {
        run: String::new(),
        column: name.into(),
        unit: if over_time { String::new() } else { "m".into() },
        x,
        y,
    });
    let plot = Plot {
        title: Some(title.into()),
        x_name: x_name.into(),
        x_unit: x_unit.into(),
        x_logarithmic: false,
        over_time,
        curves: curves.collect(),
        size: Some(Size::Pixels(SIZE)),
    };
    if plot.curves.is_empty() { String::new() } else { plot.draw().to_svg() }
}

/// The way as a table: each evaluation that a solver asked for.
pub fn history_csv(study: &Study, history: &[Step]) -> String {
    let mut text = String::from("evaluation,solver,objective,violation,open");
    for variable in study.variables() {
        let _ = match variable.name.contains([',', '"', '\n']) {
            true => write!(text, ",\"{}\"", variable.name.replace('"', "\"\"")),
            false => write!(text, ",{}", variable.name),
        };
    }
    text.push('\n');
    let cell = |x: f64| if x.is_finite() { x.to_string() } else { String::new() };
    for step in history {
        let _ = write!(
            text,
            "{},{},{},{},{}",
            step.evaluation,
            step.solver,
            cell(step.objective),
            cell(step.violation),
            step.open
        );
        step.x.iter().for_each(|x| {
            let _ = write!(text, ",{x}");
        });
        text.push('\n');
    }
    text
}

/// The page of an optimisation, as HTML.
pub fn page(study: &Study, optimum: &Optimum) -> String {
    let name = escaped(study.file().name());
    let mut out = head(&format!("Optimisation of {name}"));
    let state = if optimum.success { "" } else { " class=\"bad\"" };
    let _ = writeln!(out, "<p{state}>{}</p>", escaped(&sentence(&optimum.message)));
    out.push_str(&table(
        &["", ""],
        &[
            vec!["objective before".into(), short(optimum.first_objective)],
            vec!["objective after".into(), short(optimum.objective)],
            vec!["found by".into(), optimum.solver.into()],
            vec!["evaluations".into(), optimum.evaluations.to_string()],
            vec![
                "gradient check".into(),
                format!(
                    "{} (derivatives against differences of another step, as a part of them)",
                    short(optimum.gradient_check)
                ),
            ],
        ],
    ));
    out.push_str("<h2>Variables</h2>\n");
    let (lower, upper) = study.bounds();
    let rows: Vec<Vec<String>> = study
        .variables()
        .iter()
        .enumerate()
        .map(|(i, variable)| {
            vec![
                variable.name.clone(),
                with_unit(variable.value, &variable.unit),
                with_unit(optimum.x[i], &variable.unit),
                format!("{} to {}", short(lower[i]), with_unit(upper[i], &variable.unit)),
                optimum.gradient.get(i).map_or_else(|| "none".into(), |g| short(*g)),
            ]
        })
        .collect();
    out.push_str(&table(&["variable", "before", "after", "range", "derivative of the objective"], &rows));
    if !optimum.constraints.is_empty() {
        out.push_str("<h2>Constraints</h2>\n");
        let rows: Vec<Vec<String>> = optimum
            .constraints
            .iter()
            .map(|one| {
                let holds = if one.holds { "holds" } else { "violated" };
                vec![one.name.clone(), one.text.clone(), short(one.value), holds.into()]
            })
            .collect();
        out.push_str(&table(&["constraint", "", "difference of its sides, in parts", ""], &rows));
    }
    out.push_str("<h2>What limits the result</h2>\n");
    out.push_str(&limits(optimum));
    let (before, after) = (study.shown(&study.start()), study.shown(&optimum.x));
    if !after.is_empty() {
        out.push_str("<h2>Before and after</h2>\n<div class=\"plots\">\n");
        let old = |shown: &Shown| before.iter().find(|old| old.name == shown.name);
        let moves = |shown: &Shown| {
            shown.is_path || shown.y.iter().any(|y| (y - shown.y[0]).abs() > ROUNDING * y.abs())
        };
        for shown in
            after.iter().filter(|shown| moves(shown) || old(shown).is_some_and(moves)).take(MOST_SHOWN)
        {
            let old = old(shown);
            let mut curves = Vec::new();
            // the first curve is drawn without gaps
            if !shown.wanted.is_empty() {
                let (x, y) = crosses(shown);
                curves.push(("wanted", x, y));
            }
            if let Some(old) = old {
                curves.push(("before", old.x.clone(), old.y.clone()));
            }
            curves.push(("after", shown.x.clone(), shown.y.clone()));
            let axis = if shown.is_path { ["x", "m"] } else { ["time", "s"] };
            out.push_str(&picture(&shown.name, axis, !shown.is_path, curves));
        }
        out.push_str("</div>\n");
    }
    out.push_str(&way(&optimum.history));
    out + "</body>\n</html>\n"
}

/// The places that are wanted, as crosses: strokes with gaps between them.
fn crosses(shown: &Shown) -> (Vec<f64>, Vec<f64>) {
    let span = |list: &[f64]| {
        list.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x))
            - list.iter().fold(f64::INFINITY, |m, x| m.min(*x))
    };
    let arm = 0.012 * span(&shown.x).max(span(&shown.y));
    let strokes = [[-arm, -arm], [arm, arm], [f64::NAN; 2], [-arm, arm], [arm, -arm], [f64::NAN; 2]];
    let cross = |p: &[f64; 2]| {
        let [x, y] = *p;
        strokes.map(|[dx, dy]| (x + dx, y + dy))
    };
    shown.wanted.iter().flat_map(cross).unzip()
}

fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>{title}</title>\n{HEAD}</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect::<String>() + ".")
}

fn limits(optimum: &Optimum) -> String {
    let mut out = String::new();
    if optimum.limits.is_empty() {
        out.push_str(
            "<p>No bound and no constraint is active: the result is a minimum inside the ranges.</p>\n",
        );
    } else {
        let rows: Vec<Vec<String>> = optimum
            .limits
            .iter()
            .map(|limit| {
                let what = match (limit.per_cent != 0.0, limit.is_equation) {
                    (true, false) => "limits",
                    (true, true) => "limits; the change is for one per cent more on its right side",
                    (false, _) => "is active, does not limit",
                };
                vec![limit.what.clone(), what.into(), short(limit.per_cent)]
            })
            .collect();
        out.push_str(&table(&["active", "", "change of the objective for one per cent of relief"], &rows));
    }
    if let Some(count) = optimum.undetermined.filter(|count| *count > 0) {
        let _ = writeln!(
            out,
            "<p>{count} direction{} of the variables change{} none of the residuals: other values are as good.</p>",
            if count == 1 { "" } else { "s" },
            if count == 1 { "s" } else { "" }
        );
    }
    out
}

/// The objective over the evaluations: of each, and the best so far that keeps the constraints. A negative one has no logarithm: then itself.
fn way(history: &[Step]) -> String {
    let finite = || history.iter().filter(|step| step.objective.is_finite());
    let is_logarithmic = finite().all(|step| step.objective >= 0.0);
    let height = |x: f64| match is_logarithmic {
        true if x > 0.0 => x.log10(),
        true => f64::NAN,
        false => x,
    };
    let each: (Vec<f64>, Vec<f64>) =
        finite().map(|step| (step.evaluation as f64, height(step.objective))).unzip();
    if each.1.iter().filter(|y| y.is_finite()).count() < 2 {
        return String::new();
    }
    let mut best = f64::INFINITY;
    let kept = finite().filter(|step| step.violation <= crate::problem::KEPT).map(|step| {
        best = best.min(step.objective);
        (step.evaluation as f64, height(best))
    });
    let best: (Vec<f64>, Vec<f64>) = kept.unzip();
    let curves = vec![("each evaluation", each.0, each.1), ("best with all constraints", best.0, best.1)];
    let title = if is_logarithmic { "log10 of the objective" } else { "objective" };
    let picture = picture(title, ["evaluations", ""], true, curves);
    format!("<h2>The way</h2>\n<div class=\"plots\">\n{picture}</div>\n")
}

/// The page of a fit, as HTML.
pub fn fit_page(study: &Study, data: &Data, fit: &Fit) -> String {
    let name = escaped(study.file().name());
    let mut out = head(&format!("Fit of {name}"));
    let state = if fit.success { "" } else { " class=\"bad\"" };
    let _ = writeln!(out, "<p{state}>{}</p>", escaped(&sentence(&fit.message)));
    let rows: Vec<Vec<String>> = fit
        .estimates
        .iter()
        .map(|one| {
            vec![
                one.name.clone(),
                with_unit(one.first, &one.unit),
                with_unit(one.value, &one.unit),
                with_unit(one.error, &one.unit),
                format!("{} to {}", short(one.interval[0]), with_unit(one.interval[1], &one.unit)),
                if one.at_bound { "at its bound: the interval means nothing".into() } else { String::new() },
            ]
        })
        .collect();
    out.push_str(&table(
        &["parameter", "in the file", "estimate", "standard error", "95 % interval", ""],
        &rows,
    ));
    let rows: Vec<Vec<String>> = data
        .columns
        .iter()
        .zip(&fit.left)
        .map(|(column, left)| vec![column.name.clone(), column.quantity.clone(), short(*left)])
        .collect();
    out.push_str(&table(&["column", "quantity", "left over (root mean square)"], &rows));
    let _ = writeln!(out, "<p>{} measurements, {} evaluations.</p>", fit.measurements, fit.evaluations);
    if fit.estimates.len() > 1 {
        out.push_str("<h2>Correlations</h2>\n");
        let names: Vec<&str> =
            std::iter::once("").chain(fit.estimates.iter().map(|one| one.name.as_str())).collect();
        let rows: Vec<Vec<String>> = fit
            .estimates
            .iter()
            .zip(&fit.correlation)
            .map(|(one, row)| {
                std::iter::once(one.name.clone())
                    .chain(row.iter().map(|c| if c.is_finite() { format!("{c:.3}") } else { "none".into() }))
                    .collect()
            })
            .collect();
        out.push_str(&table(&names, &rows));
    }
    out.push_str("<h2>Before and after</h2>\n<div class=\"plots\">\n");
    for (i, column) in data.columns.iter().enumerate().take(MOST_SHOWN) {
        let curves = vec![
            ("measured", data.t.clone(), column.values.clone()),
            ("before", data.t.clone(), fit.curves[0][i].clone()),
            ("after", data.t.clone(), fit.curves[1][i].clone()),
        ];
        out.push_str(&picture(&column.name, ["time", "s"], true, curves));
        let left: Vec<f64> =
            fit.curves[1][i].iter().zip(&column.values).map(|(x, value)| x - value).collect();
        let title = format!("{}: what is left over", column.name);
        out.push_str(&picture(&title, ["time", "s"], true, vec![("after - measured", data.t.clone(), left)]));
    }
    out + "</div>\n</body>\n</html>\n"
}
