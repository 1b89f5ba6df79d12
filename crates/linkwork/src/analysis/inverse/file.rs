//! Motions from files: a line of column names, then lines of numbers, separated by commas. Results of a run are such a file.

use super::Smoothing;
use super::machine::{columns_of, unit_of};
use super::motion::Motion;
use crate::Error;
use crate::error::names::nearest;
use crate::expressions::number_lines::{NumberLines, WrongLine};
use crate::expressions::{TIME, units};
use crate::mechanism::Mechanism;
use std::io::Read;
use std::path::Path;

/// Bytes that a file may have.
const MAX_BYTES: u64 = 256 << 20;
/// Lines that a motion may have.
const MAX_LINES: usize = 1_000_000;

/// Which columns of a file prescribe which coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Column and coordinate, such as `hip` and `joint.hip.q`. If there are none, those columns are taken that have names of coordinates of joints; if there are none of these, positions of
    /// points and measures.
    pub map: Vec<(String, String)>,
    /// Column and unit, such as `hip` and `deg`; SI units, and of a measure its own, if left out.
    pub units: Vec<(String, String)>,
}

impl Motion {
    /// Reads a motion of a mechanism from a file with a column `t`.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::Motion`] if it is damaged, with the line.
    pub fn read(
        file: impl AsRef<Path>,
        mechanism: &Mechanism,
        columns: &Columns,
        smoothing: Smoothing,
    ) -> Result<Motion, Error> {
        let file = file.as_ref();
        let name = file.display().to_string();
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|source| Error::Io { file: name.clone(), source })?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Error::Motion(format!("{name}: more than {} MiB", MAX_BYTES >> 20)));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| Error::Motion(format!("{name}: it is not UTF-8 text")))?;
        Motion::parse(&text, mechanism, columns, smoothing).map_err(|error| match error {
            Error::Motion(message) => Error::Motion(format!("{name}: {message}")),
            other => other,
        })
    }

    /// Reads a motion from the text of such a file.
    ///
    /// # Errors
    /// [`Error::Motion`] if it is damaged, with the line.
    pub fn parse(
        text: &str,
        mechanism: &Mechanism,
        columns: &Columns,
        smoothing: Smoothing,
    ) -> Result<Motion, Error> {
        let wrong = |WrongLine { line, what }| {
            let place = line.map_or(String::new(), |line| format!("line {line}: "));
            Error::Motion(format!("{place}{what}"))
        };
        let mut lines = NumberLines::new(text).map_err(wrong)?;
        let names = lines.names.clone();
        let place = |name: &str| place_of(&names, name);
        let (chosen, sizes) = columns.choose(&names, mechanism)?;
        let mut places = vec![place(TIME)?];
        for (column, _) in &chosen {
            places.push(place(column)?);
        }
        let scale = |name: &str| sizes.iter().find(|(known, _)| known == name).map_or(1.0, |(_, size)| *size);
        let (mut numbers, mut row) = (vec![Vec::new(); places.len()], Vec::new());
        let mut at = Vec::new();
        while let Some(line) = lines.next(&places, &mut row).map_err(wrong)? {
            if at.len() == MAX_LINES {
                return Err(Error::Motion(format!("line {line}: a motion may have {MAX_LINES} samples")));
            }
            at.push(line);
            numbers.iter_mut().zip(&row).for_each(|(column, x)| column.push(*x));
        }
        let units = [scale(TIME)].into_iter().chain(chosen.iter().map(|(column, of)| {
            sizes
                .iter()
                .find(|(known, _)| known == column)
                .map_or_else(|| unit_of(mechanism, of), |(_, size)| *size)
        }));
        for (column, size) in numbers.iter_mut().zip(units) {
            column.iter_mut().for_each(|x| *x *= size);
        }
        let mut numbers = numbers.into_iter();
        let mut motion = Motion::of_lines(numbers.next().unwrap_or_default(), smoothing, at)?;
        for ((_, of), values) in chosen.iter().zip(numbers) {
            motion = motion.prescribe(of.as_str(), &values)?;
        }
        Ok(motion)
    }
}

fn place_of(names: &[&str], name: &str) -> Result<usize, Error> {
    let mut found = names.iter().enumerate().filter(|(_, known)| **known == name);
    match (found.next(), found.next()) {
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => Err(Error::Motion(format!("line 1: there are two columns `{name}`"))),
        (None, _) => {
            let help = nearest(name, names.iter().copied()).map_or(String::new(), |help| format!("; {help}"));
            Err(Error::Motion(format!("there is no column `{name}`{help}")))
        }
    }
}

/// Column and coordinate.
type Chosen = Vec<(String, String)>;
/// Column, and how much its unit is in SI units.
type Sizes = Vec<(String, f64)>;

impl Columns {
    fn choose(&self, names: &[&str], mechanism: &Mechanism) -> Result<(Chosen, Sizes), Error> {
        let mut sizes = Vec::new();
        for (column, unit) in &self.units {
            place_of(names, column)?;
            let (size, _) = units::parse(unit)
                .ok_or_else(|| Error::Motion(format!("the unit of `{column}`: there is no unit `{unit}`")))?;
            sizes.push((column.clone(), size));
        }
        if !self.map.is_empty() {
            return Ok((self.map.clone(), sizes));
        }
        let own = columns_of(mechanism, names);
        if own.is_empty() && mechanism.degrees_of_freedom() > 0 {
            let joint = mechanism.joints().iter().find(|joint| !joint.coordinates.is_empty());
            let point = mechanism.points().first().map_or("P", |point| point.name.as_str());
            let example = joint.map_or(format!("point.{point}.x"), |joint| format!("joint.{}.q", joint.name));
            let column = names.iter().find(|name| **name != TIME).copied().unwrap_or("angle");
            return Err(Error::Motion(format!(
                "no column is a coordinate of a joint, a position of a point or a measure; say what the columns are: `{column}` = `{example}`"
            )));
        }
        Ok((own.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect(), sizes))
    }
}
