//! `linkwork plot`: curves of results as pictures or in the terminal.

use crate::Outcome;
use crate::output::{folder_for, print_text, write_bytes};
use clap::Args;
use linkwork_formats::Error;
use linkwork_formats::plot::{Plot, Size, Terminal};
use linkwork_formats::table::Table;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Columns are those of results.csv (docs/results.md); in patterns `*` stands for any letters: quote them for the shell.\n\
    Curves of two units have a left and a right axis, of more units a panel each.\n\n\
    Examples:\n  \
    linkwork plot results/four-bar joint.A.q\n  \
    linkwork plot results/four-bar 'energy.*' --terminal\n  \
    linkwork plot results/four-bar point.P.y --x point.P.x -o path.svg -o path.png\n  \
    linkwork plot run1 run2 joint.A.q joint.A.v --from 1 --to 2 --size 85x60mm\n\n\
    Exit code: 0 drawn, 2 not: something is not there or cannot be written."
)]
pub struct PlotArguments {
    /// Folders with results (or CSV files), then columns or patterns of columns
    #[arg(required = true, value_name = "DIR... COLUMN...")]
    pub what: Vec<String>,
    /// Draw over this column instead of over time: paths, phase plots
    #[arg(long, value_name = "COLUMN")]
    pub x: Option<String>,
    /// The picture, .svg or .png; several options write several [default: plot.svg in the first folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Width and height: 160x100mm on paper (letters of 8 points, PNG of 300 dpi), or 1200x800px
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<Size>,
    /// A line above the plot
    #[arg(long)]
    pub title: Option<String>,
    /// From this time on, s
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Up to this time, s
    #[arg(long, visible_alias = "until", value_name = "S", allow_negative_numbers = true)]
    pub to: Option<f64>,
    /// Draw in the terminal, as wide as it is
    #[arg(long)]
    pub terminal: bool,
}

/// Reads `160x100mm` or `1200x800`.
pub fn size(text: &str) -> Result<Size, String> {
    const ADVICE: &str = "give width and height as in 160x100mm or 1200x800px";
    let (numbers, paper) = match text.strip_suffix("mm") {
        Some(numbers) => (numbers, true),
        None => (text.strip_suffix("px").unwrap_or(text), false),
    };
    let (w, h) = numbers.split_once(['x', '×']).ok_or(ADVICE)?;
    let length = |text: &str| {
        text.trim().trim_end_matches("mm").trim_end_matches("px").parse::<f64>().map_err(|_| ADVICE)
    };
    let size = [length(w)?, length(h)?];
    let (least, most) = if paper { (10.0, 2000.0) } else { (16.0, 16_000.0) };
    if size.iter().all(|x| (least..=most).contains(x)) {
        Ok(if paper { Size::Paper(size) } else { Size::Pixels(size) })
    } else {
        Err(format!("each side has {least} to {most} {}", if paper { "mm" } else { "pixels" }))
    }
}

pub fn plot(args: &PlotArguments) -> Outcome {
    match try_plot(args) {
        Ok(()) => Outcome::Good,
        Err(message) => {
            eprintln!("error: {message}");
            Outcome::Refused
        }
    }
}

fn try_plot(args: &PlotArguments) -> Result<(), String> {
    let is_run = |name: &&String| Path::new(name).is_dir() || name.ends_with(".csv");
    let (runs, columns): (Vec<&String>, Vec<&String>) = args.what.iter().partition(is_run);
    let first = &args.what[0];
    if runs.is_empty() || !is_run(&first) {
        let what = if Path::new(first).exists() { "holds no results" } else { "is not there" };
        return Err(format!("`{first}` {what}: the first argument is a folder with results, or a CSV file"));
    }
    for folder in runs.iter().map(Path::new).filter(|run| run.is_dir()) {
        if let Some(by) = crate::lock::writer_of(folder) {
            crate::report::still_written(folder, &by);
        }
    }
    let tables: Vec<Table> = runs
        .iter()
        .map(|run| Table::open(Path::new(run)))
        .collect::<Result<_, Error>>()
        .map_err(|e| e.to_string())?;
    if columns.is_empty() {
        return Err(format!(
            "say which columns; {} has: {}",
            tables[0].file.display(),
            some_names(&tables[0])
        ));
    }
    let outputs = match (args.output.is_empty(), args.terminal) {
        (false, _) => args.output.clone(),
        (true, true) => Vec::new(),
        (true, false) => vec![tables[0].file.with_file_name("plot.svg")],
    };
    for file in &outputs {
        kind_of(file)?;
    }
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from > to
    {
        return Err(format!("--from {from} lies behind --to {to}"));
    }
    for (table, column) in tables.iter().flat_map(|table| columns.iter().map(move |column| (table, column))) {
        if tables.len() > 1 && table.select(column).is_err() {
            eprintln!("warning: {} has no column `{column}`", table.file.display());
        }
    }
    let columns: Vec<String> = columns.into_iter().cloned().collect();
    let mut plot =
        Plot::of(&tables, &columns, args.x.as_deref(), [args.from, args.to]).map_err(|e| e.to_string())?;
    plot.title = args.title.clone();
    plot.size = args.size;
    if args.terminal {
        print_text(&plot.to_text(terminal()));
    }
    if outputs.is_empty() {
        return Ok(());
    }
    let drawing = plot.draw();
    for file in &outputs {
        let bytes = match kind_of(file)? {
            Picture::Svg => drawing.to_svg().into_bytes(),
            Picture::Png => {
                drawing.to_pixels().and_then(|pixels| pixels.to_png()).map_err(|e| e.to_string())?
            }
        };
        folder_for(file)
            .and_then(|()| write_bytes(file, &bytes))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        eprintln!("wrote {}", file.display());
    }
    Ok(())
}

enum Picture {
    Svg,
    Png,
}

fn kind_of(file: &Path) -> Result<Picture, String> {
    match file.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
        Some("svg") => Ok(Picture::Svg),
        Some("png") => Ok(Picture::Png),
        _ => Err(format!("{}: a plot is written as .svg or .png", file.display())),
    }
}

/// The first names of a table, for those who gave none.
fn some_names(table: &Table) -> String {
    const MOST: usize = 12;
    let names: Vec<&str> = table.columns.iter().take(MOST).map(|column| column.name.as_str()).collect();
    let more = table.columns.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", names.join(", "))
}

fn terminal() -> Terminal {
    let terminal = console::Term::stdout();
    let is_there = std::io::stdout().is_terminal();
    let width = if is_there { usize::from(terminal.size().1).clamp(30, 400) } else { 80 };
    Terminal { width, colours: is_there && std::env::var_os("NO_COLOR").is_none() }
}
