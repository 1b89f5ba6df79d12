//! Tables: the named curves that formulas call.

use crate::expressions::Table;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use std::sync::Arc;

keys! {
    /// A curve y(x) through given points, or near them if it is smoothed, which formulas call by its name: `profile(t)`. Its points are `x` and `y`, or `points`, or columns of a file.
    NamedTable(name) {
        /// The curve.
        table: Arc<Table> => group CurveKeys,
    }
}

#[cfg(feature = "file")]
impl Rules for NamedTable {}

#[cfg(feature = "file")]
use file::CurveKeys;

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use crate::expressions::{Extend, Interpolation, Table, TableError, units};
    use crate::file::csv_table::{self, Points, Wrong};
    use crate::file::prelude::*;
    use std::sync::Arc;

    table! {
        /// The points of a curve, and what it does between and beyond them.
        CurveKeys {
            /// The x of the points, ascending.
            x: optional Column,
            /// The y of the points, as many.
            y: optional Column,
            /// The points as pairs [x, y], instead of `x` and `y`.
            points: optional Pairs,
            /// Instead of points: a CSV file, by its path from the model file.
            file: optional String,
            /// The names of the columns of the file that are x and y.
            columns: optional Two,
            /// The units of these columns, such as ["ms", "kN"]; SI if left out.
            units: optional Vec<UnitName>,
            /// What the curve does between its points; cubic if left out.
            interpolation: optional Choice<Interpolation>,
            /// Smooths the points: the cut-off frequency of a quintic smoothing spline, such as "6 Hz" over a time; in cycles per unit of x. `interpolation` is left out then.
            smooth: optional Frequency,
            /// What it does before the first and after the last point: keep the value (the default), go on straight, or end the run with an error.
            extend: optional Choice<Extend>,
        }
    }

    impl CurveKeys {
        /// The points, with their lines where they come from a file.
        fn points(&self, reader: &Reader<'_>) -> Result<Points, Wrong> {
            let wrong = |key, message: &str, help: &str| {
                Err(Wrong { key, message: message.into(), help: Some(help.into()) })
            };
            let pairs = |pairs: &Pairs| pairs.0.iter().map(|&[x, y]| (x, y)).unzip();
            let ((x, y), lines) = match (&self.x, &self.y, &self.points, &self.file) {
                (None, None, None, Some(file)) => return self.of_file(file, reader),
                (.., Some(file)) => {
                    let message = format!("the points are given beside the file `{file}`");
                    return wrong("", &message, "keep one of the two");
                }
                (Some(x), Some(y), None, None) => ((x.0.clone(), y.0.clone()), Vec::new()),
                (None, None, Some(points), None) => (pairs(points), Vec::new()),
                (x, y, points, None) => {
                    let message = match (points, x.is_some() || y.is_some()) {
                        (Some(_), true) => "`points` are given beside `x` or `y`",
                        (None, true) => "a table needs both `x` and `y`",
                        _ => "a table needs points",
                    };
                    return wrong(
                        "",
                        message,
                        "give two lists `x` and `y`, or one list `points` of pairs [x, y]",
                    );
                }
            };
            Ok(Points { x, y, lines })
        }

        /// The points of a file.
        fn of_file(&self, file: &str, reader: &Reader<'_>) -> Result<Points, Wrong> {
            let Some(Two(columns)) = &self.columns else {
                let message = format!("nothing says which columns of `{file}` are x and y");
                let help = Some("give their names: `columns = [\"time\", \"force\"]`".into());
                return Err(Wrong { key: "", message, help });
            };
            let sizes = match self.units.as_deref() {
                None => [1.0; 2],
                Some([x, y]) => [x, y].map(|unit| units::parse(&unit.0).map_or(1.0, |(size, _)| size)),
                Some(list) => {
                    let message = format!("these are the units of x and y; there are {}", list.len());
                    return Err(Wrong { key: ".units", message, help: None });
                }
            };
            csv_table::read(reader.folder, file, columns.each_ref().map(String::as_str), sizes)
        }
    }

    impl Group for CurveKeys {
        type Value = Arc<Table>;

        fn build(self, reader: &mut Reader<'_>) -> Option<Arc<Table>> {
            let strays = [("columns", self.columns.is_some()), ("units", self.units.is_some())];
            if let Some((key, _)) = strays.into_iter().find(|&(_, given)| given && self.file.is_none()) {
                let message = format!("`{key}` belongs to a `file`");
                reader.refuse(&format!(".{key}"), message, "remove it, or name the file");
                return None;
            }
            let Points { x, y, lines } = match self.points(reader) {
                Ok(points) => points,
                Err(Wrong { key, message, help }) => {
                    let path = format!("{}{key}", reader.path());
                    reader.reject(Fault { help, ..Fault::error(path, message) });
                    return None;
                }
            };
            let interpolation = self.interpolation.map_or_else(Interpolation::default, Kind::value);
            if interpolation == Interpolation::Periodic && self.extend.is_some() {
                reader.refuse(".extend", "a periodic table has no ends", "leave `extend` out");
                return None;
            }
            if self.smooth.is_some() && self.interpolation.is_some() {
                let help = "a smoothed table is a quintic spline: leave `interpolation` out";
                reader.refuse(
                    ".interpolation",
                    "this table has `smooth` and does not go through its points",
                    help,
                );
                return None;
            }
            let extend = self.extend.map_or_else(Extend::default, Kind::value);
            let made = match self.smooth {
                Some(cutoff) => Table::smoothed(x, y, cutoff.0, extend),
                None => Table::new(x, y, interpolation, extend),
            };
            let TableError { index, in_y, message } = match made {
                Ok(table) => return Some(Arc::new(table)),
                Err(error) => error,
            };
            let column = if in_y { "y" } else { "x" };
            let (key, message) = match (index, self.file) {
                (Some(index), Some(file)) => {
                    let place = lines.get(index).map_or(file.clone(), |line| format!("{file}:{line}"));
                    (".file".into(), format!("{place}: {message}"))
                }
                (Some(index), None) if self.points.is_some() => (format!(".points[{index}]"), message),
                (Some(index), None) => (format!(".{column}[{index}]"), message),
                (None, _) => (if self.smooth.is_some() { ".smooth".into() } else { String::new() }, message),
            };
            reader.reject(Fault::error(format!("{}{key}", reader.path()), message));
            None
        }

        fn stand_in() -> Arc<Table> {
            let line = Table::new([0.0, 1.0], [0.0, 0.0], Interpolation::Linear, Extend::Hold);
            Arc::new(line.unwrap_or_else(|_| unreachable!("two points make a line")))
        }

        fn write(table: &Arc<Table>, entry: Entry, _: &Context<'_>) -> Entry {
            let (interpolation, extend) = (table.interpolation(), table.extend());
            let plain = interpolation == Interpolation::default() || table.smooth().is_some();
            entry
                .set("x", numbers(table.x()))
                .set("y", numbers(table.y()))
                .unless(plain, "interpolation", interpolation.name())
                .maybe("smooth", table.smooth().map(|cutoff| Item::Quantity(cutoff, "Hz")))
                .unless(extend == Extend::default(), "extend", extend.name())
        }
    }
}
