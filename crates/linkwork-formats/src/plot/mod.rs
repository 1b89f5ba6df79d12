//! Plots of results: curves over time or over another column.

mod diagram;
mod layout;
mod legend;
mod map;
mod scale;
mod terminal;
mod thin;

pub use diagram::{histogram, scatter};
pub use map::{Map, Marks, Patch};
pub use scale::nice_step;
pub(crate) use scale::widened;
pub use terminal::Terminal;

use crate::Error;
use crate::drawing::{BodyPoint, Colour, Drawing, Pen, colour};
use crate::table::Table;

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The run that it is of.
    pub run: String,
    /// The column that it shows.
    pub column: String,
    /// Its unit.
    pub unit: String,
    /// Its places; NaN where there is none.
    pub x: Vec<f64>,
    /// Its heights; NaN where there is none.
    pub y: Vec<f64>,
}

/// How large a plot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// On paper, mm: letters have 8 points.
    Paper([f64; 2]),
    /// In pixels: letters grow with the picture.
    Pixels([f64; 2]),
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What stands above it.
    pub title: Option<String>,
    /// What the curves run over.
    pub x_name: String,
    /// Its unit.
    pub x_unit: String,
    /// Whether places are logarithms to the base ten: the axis has the numbers themselves, equal ratios being equally far apart.
    pub x_logarithmic: bool,
    /// Whether curves run to the right without turning back.
    pub over_time: bool,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Its size; chosen from what it shows where there is none.
    pub size: Option<Size>,
}

/// Blue, vermilion, green, purple, orange, sky blue, black: distinguishable by colour-blind people too (Okabe and Ito, without yellow, which is too faint for thin lines).
pub const COLOURS: [Colour; 7] = [
    colour(0x0072B2),
    colour(0xD55E00),
    colour(0x009E73),
    colour(0xCC79A7),
    colour(0xE69F00),
    colour(0x56B4E9),
    colour(0x222222),
];
/// Dashes and gaps, in widths of the line.
const DASHES: [&[f64]; 4] = [&[], &[4.5, 3.0], &[7.0, 3.0, 0.8, 3.0], &[0.8, 2.6]];

impl Plot {
    /// The named columns (or patterns) of every table, over time or over the column `x`, from and to a time.
    pub fn of(
        tables: &[Table],
        columns: &[String],
        x: Option<&str>,
        [from, to]: [Option<f64>; 2],
    ) -> Result<Plot, Error> {
        let mut plot = Plot {
            title: None,
            x_name: String::new(),
            x_unit: String::new(),
            x_logarithmic: false,
            over_time: x.is_none(),
            curves: Vec::new(),
            size: None,
        };
        let labels = labels(tables);
        for wanted in columns {
            // a column may be of one run only, but not of none
            let found: Vec<_> = tables.iter().map(|table| table.select(wanted)).collect();
            if found.iter().all(Result::is_err) {
                found.into_iter().next().transpose()?;
            }
        }
        for (table, label) in tables.iter().zip(labels) {
            let across = match x {
                Some(x) => *table.select(x)?.first().unwrap_or(&0),
                None => 0,
            };
            let time = table.columns.iter().position(|column| column.name == "t").unwrap_or(0);
            if plot.x_name.is_empty() {
                plot.x_name = table.columns[across].name.clone();
                plot.x_unit = table.columns[across].unit.clone();
            }
            let mut places = vec![time, across];
            for place in columns.iter().filter_map(|wanted| table.select(wanted).ok()).flatten() {
                if !places[2..].contains(&place) {
                    places.push(place);
                }
            }
            let mut data = vec![Vec::new(); places.len()];
            table.for_each_row(&places, |row| {
                if from.is_none_or(|from| row[0] >= from) && to.is_none_or(|to| row[0] <= to) {
                    data.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
                }
                Ok(())
            })?;
            for (place, y) in places.iter().zip(&data).skip(2) {
                let column = &table.columns[*place];
                let (run, name, unit) = (label.clone(), column.name.clone(), column.unit.clone());
                plot.curves.push(Curve { run, column: name, unit, x: data[1].clone(), y: y.clone() });
            }
        }
        if !plot
            .curves
            .iter()
            .any(|curve| curve.y.iter().zip(&curve.x).any(|(y, x)| y.is_finite() && x.is_finite()))
        {
            let why = if from.is_some() || to.is_some() {
                "no row lies in the range of time"
            } else {
                "there are no numbers in these columns"
            };
            return Err(Error::Empty(why.into()));
        }
        Ok(plot)
    }

    /// The plot as a picture.
    pub fn draw(&self) -> Drawing {
        layout::draw(self)
    }

    /// The units of the curves, each once, in their order.
    fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = Vec::new();
        for curve in &self.curves {
            if !units.contains(&curve.unit.as_str()) {
                units.push(&curve.unit);
            }
        }
        units
    }

    fn has_several_runs(&self) -> bool {
        self.curves.iter().any(|curve| curve.run != self.curves[0].run)
    }

    fn has_several_columns(&self) -> bool {
        self.curves.iter().any(|curve| curve.column != self.curves[0].column)
    }

    /// What a curve is called in the legend.
    fn name_of(&self, curve: &Curve) -> String {
        match (self.has_several_runs(), self.has_several_columns()) {
            (true, true) => format!("{}: {}", curve.run, curve.column),
            (true, false) => curve.run.clone(),
            _ => curve.column.clone(),
        }
    }

    /// The pen of a curve: of several runs and columns the column gives the colour and the run the dashes.
    fn pen_of(&self, index: usize, width: f64) -> Pen {
        let curve = &self.curves[index];
        let distinct = |of: fn(&Curve) -> &String| {
            let mut seen: Vec<&String> = Vec::new();
            for other in &self.curves {
                if !seen.contains(&of(other)) {
                    seen.push(of(other));
                }
            }
            seen.iter().position(|name| *name == of(curve)).unwrap_or(0)
        };
        let both = self.has_several_runs() && self.has_several_columns();
        let (hue, dash) = if both { (distinct(|c| &c.column), distinct(|c| &c.run)) } else { (index, index) };
        let dashes = DASHES[dash % DASHES.len()].iter().map(|length| length * width).collect();
        Pen { colour: COLOURS[hue % COLOURS.len()], width, dashes }
    }

    /// Whether a length is a length in both directions.
    fn has_equal_scales(&self) -> bool {
        !self.over_time && self.x_unit == "m" && self.units() == ["m"]
    }
}

/// What the runs are called: the names of their folders, or where some are the same, their files.
fn labels(tables: &[Table]) -> Vec<String> {
    let same = |table: &Table| tables.iter().filter(|other| other.label == table.label).count() > 1;
    tables
        .iter()
        .map(|table| {
            if same(table) {
                table.file.with_extension("").display().to_string()
            } else {
                table.label.clone()
            }
        })
        .collect()
}

/// What is measured in a unit, for the label of an axis that several columns share.
fn quantity(unit: &str) -> &str {
    match unit {
        "s" => "time",
        "Hz" => "frequency",
        "1/s" => "rate",
        "m" | "mm" | "cm" => "length",
        "rad" | "deg" | "°" => "angle",
        "m/s" | "km/h" | "mm/s" => "speed",
        "rad/s" | "rpm" | "deg/s" => "angular speed",
        "m/s^2" => "acceleration",
        "N" | "kN" => "force",
        "N m" => "moment",
        "N s" => "impulse",
        "J" => "energy",
        "W" | "kW" => "power",
        "kg" => "mass",
        _ => "",
    }
}

/// A name with its unit, as an axis has it.
fn with_unit(name: &str, unit: &str) -> String {
    let unit = unit.replace("^2", "²").replace("^3", "³").replace('*', "·");
    match (name, unit.as_str()) {
        (name, "") => name.to_string(),
        ("", unit) => format!("({unit})"),
        ("t", unit) => format!("time ({unit})"),
        (name, unit) => format!("{name} ({unit})"),
    }
}

/// Round values within limits, about so many.
pub(crate) fn ticks(limits: [f64; 2], about: f64) -> Vec<f64> {
    scale::Scale::new(limits, about).ticks
}

/// A line without the places that lie on the way between their neighbours, to within a distance.
pub(crate) fn thinned(line: &[BodyPoint], within: f64) -> Vec<BodyPoint> {
    thin::path(line, within)
}
