//! `linkwork workspace`: maps of where a point gets to.

use crate::arguments::Format;
use crate::output::{PendingFile, print_json, print_text, write_bytes, write_whole};
use crate::source::{Setting, read_model_with, setting};
use crate::workspace_page::page;
use crate::{Outcome, refuse};
use clap::{Args, ValueEnum};
use linkwork::analysis::pose::Target;
use linkwork::analysis::workspace::{Cell, CurveKind, GridAxis, Workspace, WorkspaceOptions};
use linkwork::results::text_cell;
use linkwork::{Error, Mechanism};
use linkwork_formats::drawing::{Drawing, colour};
use linkwork_formats::plot::{Curve, Map, Marks, Patch, Plot, Size};
use linkwork_formats::table::Table;
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "The grid runs over coordinates of joints, or of the point itself (--over 'point.P.x=-1..1:41'). The map grows from cell to cell, beginning with the\n\
    drawing: branches are kept apart. The folder gets workspace.csv, workspace.parquet, curves.csv, map.svg, map.png and workspace.html.\n\n\
    Examples:\n  \
    linkwork workspace arm.toml --of point.P --over 'joint.A.q=0..90deg:61' --over 'joint.B.q=-90..90deg:61'\n  \
    linkwork workspace five-bar.toml --of point.P --over point.P.x=-1..2:61 --over point.P.y=-1..2:61 --all --quality transmission\n  \
    linkwork workspace 3rrr.toml --of point.C --over point.C.x=-1..6:61 --over point.C.y=-2..5:61 --target 'body.platform.angle = 10 deg'\n\n\
    Exit code: 0 written, 2 the model or an option was refused."
)]
pub struct WorkspaceArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// The point whose places are mapped
    #[arg(long, value_name = "POINT")]
    pub of: String,
    /// A quantity and its values, both ends included; once or twice
    #[arg(long, value_name = "QUANTITY=FROM..TO:COUNT", required = true)]
    pub over: Vec<GridAxis>,
    /// A quantity that keeps a value in all cells
    #[arg(short, long, value_name = "TARGET")]
    pub target: Vec<Target>,
    /// What drives the mechanism where the grid runs over other quantities: joint.A.q, several times
    #[arg(long, value_name = "QUANTITY")]
    pub drive: Vec<String>,
    /// What the colours of the map show [default: condition, or transmission with one drive, where drives are known]
    #[arg(long, value_enum)]
    pub quality: Option<QualityName>,
    /// Look for other branches, by random starts
    #[arg(long)]
    pub all: bool,
    /// What the random starts begin with
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The time at which drivers are held, s
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    pub at: f64,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// The folder
    #[arg(short, long, value_name = "DIR", default_value = "workspace")]
    pub output: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// What colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QualityName {
    /// The smallest transmission angle
    Transmission,
    /// One over the condition number of the drive Jacobian
    Condition,
    /// The smallest stiffness at the point for drives of unit stiffness
    Stiffness,
}

pub fn workspace(args: &WorkspaceArguments) -> Outcome {
    match try_workspace(args) {
        Ok(()) => Outcome::Good,
        Err(error) => refuse(&error, args.format),
    }
}

fn try_workspace(args: &WorkspaceArguments) -> Result<(), Error> {
    let mechanism = read_model_with(&args.model, &args.set)?.assemble()?;
    let options = WorkspaceOptions {
        at: args.at,
        hold: args.target.clone(),
        drives: args.drive.clone(),
        all: args.all,
        seed: args.seed,
    };
    let map = mechanism.workspace(&args.of, &args.over, &options)?;
    let known = |name: QualityName| map.cells.iter().any(|cell| value(cell, name).is_finite());
    // with one drive the condition number is one everywhere
    let usual = match map.drives.len() {
        0 => None,
        1 if known(QualityName::Transmission) => Some(QualityName::Transmission),
        1 if known(QualityName::Stiffness) => Some(QualityName::Stiffness),
        _ => Some(QualityName::Condition),
    };
    let quality = args.quality.or(usual);
    if let Some(name) = args.quality.filter(|name| !known(*name)) {
        let why = match (name, map.drives.is_empty()) {
            (_, true) => "nothing says what drives the mechanism; name its drives with --drive",
            (QualityName::Transmission, _) => {
                "no body with two pins or balls passes a force on; take --quality condition"
            }
            _ => "the drive Jacobian has lost its rank everywhere",
        };
        return Err(Error::State(format!("--quality: there is none: {why}")));
    }
    let folder = &args.output;
    let failed = |error: io::Error| Error::Io { file: folder.display().to_string(), source: error };
    fs::create_dir_all(folder).map_err(failed)?;
    write_tables(&map, mechanism.columns(), folder).map_err(failed)?;
    let pictures = pictures(&mechanism, &map, quality);
    let drawing = &pictures[0];
    write_whole(&folder.join("map.svg"), &drawing.to_svg()).map_err(failed)?;
    let png = drawing
        .to_pixels()
        .and_then(|pixels| pixels.to_png())
        .map_err(|e| failed(io::Error::other(e.to_string())))?;
    write_bytes(&folder.join("map.png"), &png).map_err(failed)?;
    let page = page(&mechanism, &map, &pictures);
    write_whole(&folder.join("workspace.html"), &page).map_err(failed)?;
    tell(args, &map);
    Ok(())
}

/// Width of a picture, pixels.
const WIDE: f64 = 760.0;

fn tell(args: &WorkspaceArguments, map: &Workspace) {
    let (reached, size) = (map.reached(), map.size());
    let count = |kind: CurveKind| map.curves.iter().filter(|point| point.kind == kind).count();
    let page = args.output.join("workspace.html");
    match args.format {
        Format::Json => print_json(&json!({
            "status": "written",
            "cells": size,
            "reached": reached,
            "branches": map.branches,
            "drives": map.drives,
            "curves": { "fold": count(CurveKind::Fold), "limit": count(CurveKind::Limit), "rank": count(CurveKind::Rank) },
            "page": page,
        })),
        Format::Text => print_text(&format!(
            "{reached} of {size} cells reached, {} branch{}\nedges between cells: {} at folds, {} at limits; {} where the drive Jacobian loses its rank\npage     {}\n",
            map.branches,
            if map.branches == 1 { "" } else { "es" },
            count(CurveKind::Fold),
            count(CurveKind::Limit),
            count(CurveKind::Rank),
            page.display()
        )),
    }
}

/// A quality of a cell, NaN where it has none.
fn value(cell: &Cell, quality: QualityName) -> f64 {
    match quality {
        QualityName::Transmission => cell.transmission.map_or(f64::NAN, f64::to_degrees),
        QualityName::Condition => cell.condition.map_or(f64::NAN, |c| 1.0 / c),
        QualityName::Stiffness => cell.stiffness.unwrap_or(f64::NAN),
    }
}

fn write_tables(map: &Workspace, columns: usize, folder: &Path) -> io::Result<()> {
    let names: Vec<&str> = map.axes.iter().map(|axis| axis.quantity.as_str()).collect();
    let places = ["x", "y", "z"];
    let csv = folder.join("workspace.csv");
    let pending = PendingFile::named(csv.clone())?;
    let mut out = pending.writer()?;
    let quoted: Vec<String> = names.iter().map(|name| text_cell(name).into_owned()).collect();
    write!(out, "{},i,j,reached,branch", quoted.join(","))?;
    for axis in &places[..columns] {
        write!(out, ",{axis}")?;
    }
    writeln!(out, ",condition,transmission,stiffness,margin")?;
    let blank = ",".repeat(columns + 4);
    let second = map.axes.get(1).map_or(1, |axis| axis.count);
    let mut of_place: Vec<Vec<&Cell>> = vec![Vec::new(); map.size()];
    for cell in &map.cells {
        of_place[cell.index[1] * map.axes[0].count + cell.index[0]].push(cell);
    }
    for j in 0..second {
        for i in 0..map.axes[0].count {
            let values: Vec<String> =
                map.axes.iter().zip([i, j]).map(|(axis, i)| axis.value(i).to_string()).collect();
            let head = format!("{},{i},{j}", values.join(","));
            let cells = &of_place[j * map.axes[0].count + i];
            if cells.is_empty() {
                writeln!(out, "{head},0,{blank}")?;
            }
            for cell in cells {
                write!(out, "{head},1,{}", cell.branch)?;
                for x in &cell.point[..columns] {
                    write!(out, ",{x}")?;
                }
                let shown =
                    |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(String::new(), |x| x.to_string());
                let [a, b, c, d] =
                    [cell.condition, cell.transmission, cell.stiffness, cell.margin].map(shown);
                writeln!(out, ",{a},{b},{c},{d}")?;
            }
        }
    }
    out.flush()?;
    drop(out);
    pending.keep()?;
    let pending = PendingFile::named(folder.join("workspace.parquet"))?;
    let table = Table::open(&csv).map_err(|e| io::Error::other(e.to_string()))?;
    linkwork_formats::parquet::write(&table, pending.writer()?)
        .map_err(|e| io::Error::other(e.to_string()))?;
    pending.keep()?;
    let mut text = format!("kind,branch,{}", quoted.join(","));
    places[..columns].iter().for_each(|axis| text.push_str(&format!(",{axis}")));
    text.push('\n');
    for point in &map.curves {
        text.push_str(&format!("{},{}", point.kind.name(), point.branch));
        for x in point.at[..map.axes.len()].iter().chain(&point.point[..columns]) {
            text.push_str(&format!(",{x}"));
        }
        text.push('\n');
    }
    write_whole(&folder.join("curves.csv"), &text)
}

/// The map over its axes, then that of each branch where there are several, then where the point gets to. Over one axis it is a curve for each branch.
fn pictures(mechanism: &Mechanism, map: &Workspace, quality: Option<QualityName>) -> Vec<Drawing> {
    /// Branches that are drawn one by one.
    const MOST: usize = 8;
    if let ([axis], Some(quality)) = (&map.axes[..], quality) {
        let curve = over_axis(map, axis, quality).draw();
        return vec![curve, region(mechanism, map, Some(quality)).draw(WIDE)];
    }
    let mut list = vec![over_axes(mechanism, map, quality, None)];
    if map.branches > 1 {
        list.extend(
            (0..map.branches.min(MOST)).map(|branch| over_axes(mechanism, map, quality, Some(branch))),
        );
    }
    if !is_of_places(map) {
        list.push(region(mechanism, map, quality));
    }
    list.iter().map(|map| map.draw(WIDE)).collect()
}

/// The quality over the axis, a curve for each branch.
fn over_axis(map: &Workspace, axis: &GridAxis, quality: QualityName) -> Plot {
    let factor = if map.units[0] == "rad" { 1f64.to_degrees() } else { 1.0 };
    let (name, unit) = match legend(quality).split_once(" (") {
        Some((name, unit)) => (name, unit.trim_end_matches(')')),
        None => (legend(quality), ""),
    };
    let curves = (0..map.branches).map(|branch| {
        let mut y = vec![f64::NAN; axis.count];
        let cells = map.cells.iter().filter(|cell| cell.branch == branch);
        cells.for_each(|cell| y[cell.index[0]] = value(cell, quality));
        let x = (0..axis.count).map(|i| axis.value(i) * factor).collect();
        let run = if map.branches > 1 { format!("branch {branch}") } else { String::new() };
        Curve { run, column: name.into(), unit: unit.into(), x, y }
    });
    Plot {
        title: Some(map.of.clone()),
        x_name: axis.quantity.clone(),
        x_unit: if map.units[0] == "rad" { "deg".into() } else { map.units[0].into() },
        x_logarithmic: false,
        over_time: true,
        curves: curves.collect(),
        size: Some(Size::Pixels([WIDE, 0.62 * WIDE])),
    }
}

/// Whether the map runs over places of the point.
fn is_of_places(map: &Workspace) -> bool {
    let place = if map.of.contains('.') { map.of.clone() } else { format!("point.{}", map.of) };
    map.axes.len() == 2
        && map.axes.iter().all(|axis| {
            axis.quantity.trim().strip_suffix(['x', 'y', 'z']).is_some_and(|p| p == format!("{place}."))
        })
}

fn legend(quality: QualityName) -> &'static str {
    match quality {
        QualityName::Transmission => "transmission angle (deg)",
        QualityName::Condition => "1 / condition",
        QualityName::Stiffness => "stiffness",
    }
}

fn over_axes(
    mechanism: &Mechanism,
    map: &Workspace,
    quality: Option<QualityName>,
    branch: Option<usize>,
) -> Map {
    let factor = |k: usize| if map.units.get(k) == Some(&"rad") { 1f64.to_degrees() } else { 1.0 };
    let unit = |k: usize| match map.units.get(k) {
        Some(&"rad") => " (deg)",
        Some(&"m") => " (m)",
        _ => "",
    };
    let axis = |k: usize| map.axes.get(k).cloned().unwrap_or_else(|| GridAxis::new("", [0.0, 0.0], 1));
    let step = |k: usize| {
        let axis = axis(k);
        match axis.count {
            0 | 1 => 1.0,
            n => (axis.range[1] - axis.range[0]).abs() / (n - 1) as f64 * factor(k),
        }
    };
    let at = |cell: &Cell| [0, 1].map(|k| axis(k).value(cell.index[k]) * factor(k));
    // cells come branch by branch: the first one at a place is the best
    let mut seen = HashSet::new();
    let shown = |cell: &&Cell| match branch {
        Some(branch) => cell.branch == branch,
        None => seen.insert(cell.index),
    };
    let cells: Vec<&Cell> = map.cells.iter().filter(shown).collect();
    let patch = |cell: &&Cell| Patch {
        at: at(cell),
        size: [step(0), step(1)],
        value: quality.map_or(f64::NAN, |quality| value(cell, quality)),
    };
    let limits = [0, 1].map(|k| {
        let [a, b] = axis(k).range.map(|x| x * factor(k));
        [a.min(b) - 0.5 * step(k), a.max(b) + 0.5 * step(k)]
    });
    let places = is_of_places(map);
    let kinds = [
        (CurveKind::Fold, "fold", 0x22_2222),
        (CurveKind::Limit, "limit of a joint", 0xD5_5E00),
        (CurveKind::Rank, "rank lost", 0xCC_79A7),
    ];
    let marks = kinds.map(|(kind, name, rgb)| Marks {
        name: name.into(),
        colour: colour(rgb),
        at: map
            .curves
            .iter()
            .filter(|point| point.kind == kind && branch.is_none_or(|branch| point.branch == branch))
            .map(|point| [point.at[0] * factor(0), point.at[1] * factor(1)])
            .collect(),
    });
    let lines =
        if places { bodies(mechanism, [0, 1].map(|k| letter(&axis(k).quantity))) } else { Vec::new() };
    Map {
        title: match branch {
            Some(branch) => format!("{}, branch {branch}", map.of),
            None => map.of.clone(),
        },
        axes: [0, 1].map(|k| format!("{}{}", axis(k).quantity, unit(k))),
        limits,
        equal: places,
        patches: cells.iter().map(patch).collect(),
        legend: quality.map(|quality| legend(quality).to_owned()),
        lines,
        marks: marks.into(),
    }
}

/// Which coordinate a quantity ends with.
fn letter(quantity: &str) -> usize {
    match quantity.trim().as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    }
}

/// Bodies as drawn, seen along an axis: lines through their points.
fn bodies(mechanism: &Mechanism, [a, b]: [usize; 2]) -> Vec<Vec<[f64; 2]>> {
    let origin = mechanism.model().origin;
    let place = |name: &String| {
        let point = mechanism.points().iter().find(|point| point.name == *name)?;
        let r = mechanism.start_position(point.node);
        Some([r[a] + origin[a], r[b] + origin[b]])
    };
    let line = |body: &linkwork::model::Body| {
        let mut line: Vec<[f64; 2]> = body.points.iter().filter_map(place).collect();
        if line.len() > 2 {
            line.extend(line.first().copied());
        }
        line
    };
    mechanism.model().bodies.iter().map(line).collect()
}

/// Where the point gets to, with the mechanism as drawn.
fn region(mechanism: &Mechanism, map: &Workspace, quality: Option<QualityName>) -> Map {
    let span = |k: usize| {
        let list = map.cells.iter().map(|cell| cell.point[k]);
        let [low, high] = list.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
        high - low
    };
    // seen along the axis with the least of it
    let [a, b] = match mechanism.columns() {
        2 => [0, 1],
        _ => [[1, 2], [0, 2], [0, 1]]
            .into_iter()
            .min_by(|p, q| {
                let hidden = |pair: &[usize; 2]| span(3 - pair[0] - pair[1]);
                hidden(p).total_cmp(&hidden(q))
            })
            .unwrap_or([0, 1]),
    };
    let lines = bodies(mechanism, [a, b]);
    let all =
        map.cells.iter().map(|cell| [cell.point[a], cell.point[b]]).chain(lines.iter().flatten().copied());
    let mut limits = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for at in all {
        for k in 0..2 {
            limits[k] = [limits[k][0].min(at[k]), limits[k][1].max(at[k])];
        }
    }
    let wide = (limits[0][1] - limits[0][0]).max(limits[1][1] - limits[1][0]);
    let limits = limits.map(|[low, high]| [low - 0.05 * wide, high + 0.05 * wide]);
    let size = 0.9 * wide / (map.size() as f64).sqrt().max(8.0);
    let patch = |cell: &Cell| Patch {
        at: [cell.point[a], cell.point[b]],
        size: [size; 2],
        value: quality.map_or(f64::NAN, |quality| value(cell, quality)),
    };
    let names = ["x", "y", "z"];
    let marks = Marks {
        name: "edge of the map".into(),
        colour: colour(0x22_2222),
        at: map.curves.iter().map(|point| [point.point[a], point.point[b]]).collect(),
    };
    Map {
        title: format!("where {} gets to", map.of),
        axes: [a, b].map(|k| format!("{} (m)", names[k])),
        limits,
        equal: true,
        patches: map.cells.iter().map(patch).collect(),
        legend: quality.map(|quality| legend(quality).to_owned()),
        lines,
        marks: vec![marks],
    }
}
