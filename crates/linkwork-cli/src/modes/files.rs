//! The files of `linkwork modes -o`.

use super::pages;
use super::{Found, ModesArguments};
use crate::output::write_bytes;
use linkwork_formats::plot::{Curve, Plot};
use linkwork_linear::{Locus, Response};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes all files; their names.
pub fn write(found: &Found, args: &ModesArguments, folder: &Path) -> Result<Vec<PathBuf>, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut written = Vec::new();
    let mut put = |name: &str, text: &str| {
        let path = folder.join(name);
        write_bytes(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        written.push(path);
        Ok::<(), String>(())
    };
    put("modes.csv", &table(found))?;
    if let Some(locus) = &found.locus {
        put("locus.csv", &locus_table(locus))?;
        put("locus.svg", &root_locus(&found.linear.model, locus).draw().to_svg())?;
        if locus.shown().flatten().any(|eigenvalue| eigenvalue.im > 0.0) {
            put("campbell.svg", &campbell(&found.linear.model, locus).draw().to_svg())?;
        }
    }
    if let Some(response) = &found.response {
        put("bode.csv", &response_table(response))?;
        put("bode.svg", &bode(response).draw().to_svg())?;
    }
    for (name, page) in pages::all(found, args.count)? {
        put(&name, &page)?;
    }
    written.retain(|path| !pages::is_part(path));
    Ok(written)
}

/// A cell that may hold anything.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

fn table(found: &Found) -> String {
    let mut text =
        String::from("mode,kind,real,imaginary,frequency,natural_frequency,damping_ratio,time_constant");
    for body in &found.linear.bodies {
        let _ = write!(text, ",{}", cell(&format!("body.{}", body.name)));
    }
    for joint in &found.linear.joints {
        let _ = write!(text, ",{}", cell(&joint.name));
    }
    text.push('\n');
    for (i, mode) in found.modes.list.iter().enumerate() {
        let optional = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
        let _ = write!(
            text,
            "{},{},{},{},{},{},{},{}",
            i + 1,
            mode.kind,
            mode.eigenvalue.re,
            mode.eigenvalue.im,
            mode.frequency(),
            mode.natural_frequency(),
            optional(mode.damping_ratio()),
            optional(mode.time_constant())
        );
        let of = |list: &[linkwork_linear::Part], name: &str| {
            list.iter().find(|part| part.name == name).map_or(0.0, |part| part.size)
        };
        for body in &found.linear.bodies {
            let _ = write!(text, ",{}", of(&mode.bodies, &body.name));
        }
        for joint in &found.linear.joints {
            let _ = write!(text, ",{}", of(&mode.joints, &joint.name));
        }
        text.push('\n');
    }
    text
}

fn locus_table(locus: &Locus) -> String {
    let mut text = cell(&locus.parameter);
    for b in 1..=locus.branches.len() {
        let _ = write!(text, ",real{b},imaginary{b}");
    }
    text.push('\n');
    for (k, value) in locus.values.iter().enumerate() {
        let _ = write!(text, "{value}");
        for branch in &locus.branches {
            let _ = write!(text, ",{},{}", branch[k].re, branch[k].im);
        }
        text.push('\n');
    }
    text
}

/// A locus for programs.
pub fn locus_json(locus: &Locus, limits: &[f64]) -> Value {
    let branch = |branch: &Vec<linkwork_linear::c64>| -> Vec<[f64; 2]> {
        branch.iter().map(|eigenvalue| [eigenvalue.re, eigenvalue.im]).collect()
    };
    json!({
        "parameter": locus.parameter,
        "values": locus.values,
        "branches": locus.branches.iter().map(branch).collect::<Vec<_>>(),
        "limits": limits,
    })
}

fn curve(column: String, unit: &str, x: Vec<f64>, y: Vec<f64>) -> Curve {
    Curve { run: String::new(), column, unit: unit.into(), x, y }
}

fn plot(title: String, [x_name, x_unit]: [&str; 2], x_logarithmic: bool, curves: Vec<Curve>) -> Plot {
    let (x_name, x_unit) = (x_name.into(), x_unit.into());
    Plot { title: Some(title), x_name, x_unit, x_logarithmic, over_time: true, curves, size: None }
}

/// Real and imaginary parts over the parameter: the figure in which bicycles are shown.
fn root_locus(model: &str, locus: &Locus) -> Plot {
    let mut curves = Vec::new();
    for (i, branch) in locus.shown().enumerate() {
        // what a branch is at a value, and whether it is another just before or after: where two real ones meet, lines go on to each other
        let beside = |k: usize, is: fn(&linkwork_linear::c64) -> bool| {
            let near = [k.checked_sub(1), Some(k + 1)];
            near.into_iter().flatten().filter_map(|k| branch.get(k)).any(is)
        };
        // the other half of a pair is drawn once
        let real = branch.iter().enumerate().map(|(k, eigenvalue)| {
            let shown = eigenvalue.im >= 0.0 || beside(k, |e| e.im == 0.0);
            if shown { eigenvalue.re } else { f64::NAN }
        });
        curves.push(curve(format!("Re {}", i + 1), "1/s", locus.values.clone(), real.collect()));
        if branch.iter().any(|eigenvalue| eigenvalue.im > 0.0) {
            let imaginary = branch.iter().enumerate().map(|(k, eigenvalue)| {
                let shown = eigenvalue.im > 0.0 || eigenvalue.im == 0.0 && beside(k, |e| e.im > 0.0);
                if shown { eigenvalue.im } else { f64::NAN }
            });
            curves.push(curve(format!("Im {}", i + 1), "1/s", locus.values.clone(), imaginary.collect()));
        }
    }
    plot(format!("{model}: eigenvalues"), [&locus.parameter, ""], false, curves)
}

/// Frequencies over the parameter.
fn campbell(model: &str, locus: &Locus) -> Plot {
    let mut curves = Vec::new();
    for branch in locus.shown().filter(|branch| branch.iter().any(|eigenvalue| eigenvalue.im > 0.0)) {
        let frequency = |eigenvalue: &linkwork_linear::c64| {
            if eigenvalue.im > 0.0 { eigenvalue.im / TAU } else { f64::NAN }
        };
        let frequencies = branch.iter().map(frequency).collect();
        curves.push(curve(format!("mode {}", curves.len() + 1), "Hz", locus.values.clone(), frequencies));
    }
    plot(format!("{model}: frequencies"), [&locus.parameter, ""], false, curves)
}

fn response_table(response: &Response) -> String {
    let mut text = String::from("frequency,real,imaginary,magnitude,phase\n");
    for ((f, value), phase) in response.frequencies.iter().zip(&response.values).zip(response.phases()) {
        let _ = writeln!(text, "{f},{},{},{},{phase}", value.re, value.im, value.norm());
    }
    text
}

/// Magnitude in dB and phase in degrees over the logarithm of the frequency.
fn bode(response: &Response) -> Plot {
    let places: Vec<f64> = response.frequencies.iter().map(|f| f.log10()).collect();
    let magnitude = response.values.iter().map(|value| 20.0 * value.norm().log10()).collect();
    let phase = response.phases().iter().map(|phase| phase.to_degrees()).collect();
    let curves = vec![
        curve("magnitude".into(), "dB", places.clone(), magnitude),
        curve("phase".into(), "deg", places, phase),
    ];
    let unit = if response.unit.is_empty() { String::new() } else { format!(", {}", response.unit) };
    let title = format!("{} from {}{unit}", response.output, response.input);
    plot(title, ["frequency", "Hz"], true, curves)
}
