//! Tables in long form, beside the rows: a line for each item of what there is many of, such as the nodes of a chain, at each row.
//!
//! All begin with `t`, the name of what the line belongs to, and which of its items it is; numbers follow.

use super::{Column, Frame, text_cell, text_of_cell};
use crate::mechanism::{Mechanism, MechanismBeam, MechanismChain};
use std::fmt;
use std::io::{self, Read, Write};

/// A table in long form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LongTable {
    /// Nodes of chains; their number may change.
    Chains,
    /// Sections of beams.
    Beams,
}

/// What is computed on the way to the numbers of a line.
#[derive(Default)]
struct Work {
    tensions: Vec<f64>,
    sections: Vec<[[f64; 6]; 2]>,
    numbers: Vec<f64>,
}

/// Stresses and strains of a beam in the plane, by their places among the six of space.
const PLANAR: [usize; 3] = [0, 1, 5];
const STRESSES: [(&str, &str); 6] = [
    ("axial_force", "N"),
    ("shear_force_2", "N"),
    ("shear_force_3", "N"),
    ("torsion", "N m"),
    ("moment_2", "N m"),
    ("moment_3", "N m"),
];
const STRAINS: [(&str, &str); 6] = [
    ("stretch", ""),
    ("shear_2", ""),
    ("shear_3", ""),
    ("twist", "1/m"),
    ("curvature_2", "1/m"),
    ("curvature_3", "1/m"),
];

impl LongTable {
    /// All of them.
    pub const ALL: [LongTable; 2] = [LongTable::Chains, LongTable::Beams];

    /// Its name, as in `beams`.
    pub fn name(self) -> &'static str {
        match self {
            LongTable::Chains => "chains",
            LongTable::Beams => "beams",
        }
    }

    /// The file that a run writes.
    pub fn file(self) -> &'static str {
        match self {
            LongTable::Chains => "chains.csv",
            LongTable::Beams => "beams.csv",
        }
    }

    /// What its lines are, in plural.
    pub fn items(self) -> &'static str {
        match self {
            LongTable::Chains => "nodes",
            LongTable::Beams => "sections",
        }
    }

    /// Whether a mechanism has anything to write into it.
    pub fn is_of(self, mechanism: &Mechanism) -> bool {
        match self {
            LongTable::Chains => !mechanism.chains().is_empty(),
            LongTable::Beams => !mechanism.beams().is_empty(),
        }
    }

    /// Its columns. The second one is a name, all others are numbers.
    pub fn columns(self, mechanism: &Mechanism) -> Vec<Column> {
        let planar = mechanism.model().dimension.is_planar();
        let axes = &["x", "y", "z"][..mechanism.columns()];
        let (owner, item) = match self {
            LongTable::Chains => ("chain", "node"),
            LongTable::Beams => ("beam", "section"),
        };
        let mut columns: Vec<Column> = Vec::new();
        let mut add = |name: &str, unit: &str| columns.push(Column { name: name.into(), unit: unit.into() });
        add("t", "s");
        add(owner, "");
        add(item, "");
        add("s", "m");
        axes.iter().for_each(|axis| add(axis, "m"));
        axes.iter().for_each(|axis| add(&format!("v{axis}"), "m/s"));
        match self {
            LongTable::Chains => {
                add("tension", "N");
                add("mass", "kg");
            }
            // in the plane there is one axis across, and its number would say nothing
            LongTable::Beams => {
                for list in [STRESSES, STRAINS] {
                    match planar {
                        true => PLANAR
                            .into_iter()
                            .for_each(|i| add(list[i].0.trim_end_matches(['_', '2', '3']), list[i].1)),
                        false => list.into_iter().for_each(|(name, unit)| add(name, unit)),
                    }
                }
            }
        }
        columns
    }

    /// Goes through its lines at a row: name, which item, and the numbers that follow. NaN stands where there is none.
    fn visit(
        self,
        mechanism: &Mechanism,
        frame: &Frame,
        work: &mut Work,
        line: &mut Line<'_>,
    ) -> io::Result<()> {
        let mechanism = frame.stage.as_deref().unwrap_or(mechanism);
        match self {
            LongTable::Chains => {
                mechanism.chains().iter().try_for_each(|chain| nodes(chain, mechanism, frame, work, line))
            }
            LongTable::Beams => {
                mechanism.beams().iter().try_for_each(|beam| sections(beam, mechanism, frame, work, line))
            }
        }
    }
}

impl fmt::Display for LongTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Place and velocity of a point, in as many components as there are.
fn place(point: usize, mechanism: &Mechanism, frame: &Frame, numbers: &mut Vec<f64>) {
    let d = mechanism.columns();
    numbers.extend(&frame.positions[point][..d]);
    numbers.extend(&frame.velocities[point][..d]);
}

/// Takes a line: name, which item, and the numbers that follow.
type Line<'a> = dyn FnMut(&str, usize, &[f64]) -> io::Result<()> + 'a;

/// The nodes of a chain. The tension is that of the segment that ends at the node; node 0 has none.
fn nodes(
    chain: &MechanismChain,
    mechanism: &Mechanism,
    frame: &Frame,
    work: &mut Work,
    line: &mut Line<'_>,
) -> io::Result<()> {
    chain.tensions(mechanism, frame, &mut work.tensions);
    for (k, &point) in chain.nodes.iter().enumerate() {
        let tension = k.checked_sub(1).and_then(|k| work.tensions.get(k));
        work.numbers.clear();
        work.numbers.push(chain.segment * k as f64);
        place(point, mechanism, frame, &mut work.numbers);
        work.numbers.extend([tension.copied().unwrap_or(f64::NAN), chain.masses[k]]);
        line(&chain.name, k, &work.numbers)?;
    }
    Ok(())
}

/// The sections of a beam. Forces and moments are in the axes of the section, on the side of `to`.
fn sections(
    beam: &MechanismBeam,
    mechanism: &Mechanism,
    frame: &Frame,
    work: &mut Work,
    line: &mut Line<'_>,
) -> io::Result<()> {
    let Some(law) = beam.law(mechanism) else { return Ok(()) };
    let planar = mechanism.model().dimension.is_planar();
    let shown: &[usize] = if planar { &PLANAR } else { &[0, 1, 2, 3, 4, 5] };
    law.at_sections(&frame.motions, &mut work.sections);
    for (k, &point) in beam.points.iter().enumerate() {
        work.numbers.clear();
        work.numbers.push(beam.s[k]);
        place(point, mechanism, frame, &mut work.numbers);
        for kind in &work.sections[k] {
            work.numbers.extend(shown.iter().map(|&i| kind[i]));
        }
        line(&beam.name, k, &work.numbers)?;
    }
    Ok(())
}

/// Writes a table in long form as comma-separated values, as rows come.
pub struct CsvLong<'m, W: Write> {
    table: LongTable,
    mechanism: &'m Mechanism,
    writer: csv::Writer<W>,
    work: Work,
}

impl<'m, W: Write> CsvLong<'m, W> {
    /// Writes the header.
    ///
    /// # Errors
    /// What the writer says.
    pub fn new(table: LongTable, mechanism: &'m Mechanism, out: W) -> io::Result<Self> {
        let mut long = Self::append(table, mechanism, out);
        long.writer.write_record(table.columns(mechanism).iter().map(|column| &column.name))?;
        Ok(long)
    }

    /// Goes on where another one ended: the header is there.
    pub fn append(table: LongTable, mechanism: &'m Mechanism, out: W) -> Self {
        CsvLong { table, mechanism, writer: csv::Writer::from_writer(out), work: Work::default() }
    }

    /// Which table it is.
    pub fn table(&self) -> LongTable {
        self.table
    }

    /// Writes the lines of a row.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        let CsvLong { table, mechanism, writer, work } = self;
        table.visit(mechanism, frame, work, &mut |name, item, numbers| {
            writer.write_field(frame.t.to_string())?;
            writer.write_field(text_cell(name).as_ref())?;
            writer.write_field(item.to_string())?;
            for number in numbers {
                let cell = if number.is_nan() { String::new() } else { number.to_string() };
                writer.write_field(cell)?;
            }
            Ok(writer.write_record(None::<&[u8]>)?)
        })
    }

    /// The writer behind; what is buffered has not reached it.
    pub fn writer(&self) -> &W {
        self.writer.get_ref()
    }

    /// Writes out what is buffered here and in the writer behind.
    ///
    /// # Errors
    /// What the writer says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A table in long form in memory, item by item.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LongValues {
    /// The names of the numbers of a line, behind the name and the number of the item.
    pub columns: Vec<String>,
    /// What the lines belong to, in the order in which it comes.
    pub owners: Vec<LongOwner>,
}

/// What lines belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LongOwner {
    /// Its name.
    pub name: String,
    /// The times of its rows, s.
    pub times: Vec<f64>,
    /// How many lines each of its rows has.
    pub counts: Vec<usize>,
    /// The numbers of all lines, one line after the other.
    pub numbers: Vec<f64>,
}

impl LongValues {
    /// Reads what [`CsvLong`] has written.
    ///
    /// # Errors
    /// Where it is no such table, with the line.
    pub fn from_csv(from: impl Read) -> io::Result<Self> {
        let wrong = |line: u64, what: &str| {
            io::Error::new(io::ErrorKind::InvalidData, format!("line {line}: {what}"))
        };
        let mut reader = csv::Reader::from_reader(from);
        let header = reader.headers().map_err(io::Error::from)?;
        if header.len() < 3 || header.get(0) != Some("t") {
            return Err(wrong(1, "expected columns `t`, a name, a number and others"));
        }
        let mut values =
            LongValues { columns: header.iter().skip(3).map(String::from).collect(), ..Self::default() };
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(io::Error::from)? {
            let line = record.position().map_or(0, csv::Position::line);
            let number = |cell: &str| match cell {
                "" => Ok(f64::NAN),
                cell => cell.parse::<f64>().map_err(|_| wrong(line, "a cell is not a number")),
            };
            let (t, name) = (number(&record[0])?, text_of_cell(&record[1]));
            let item: usize = record[2].parse().map_err(|_| wrong(line, "an item has no number"))?;
            let place = match values.owners.iter().position(|owner| owner.name == name) {
                Some(place) => place,
                None => {
                    values.owners.push(LongOwner { name: name.into(), ..LongOwner::default() });
                    values.owners.len() - 1
                }
            };
            let owner = &mut values.owners[place];
            if item == 0 {
                owner.times.push(t);
                owner.counts.push(0);
            }
            match owner.counts.last_mut() {
                Some(count) if *count == item => *count += 1,
                _ => return Err(wrong(line, "items do not follow each other")),
            }
            for cell in record.iter().skip(3) {
                owner.numbers.push(number(cell)?);
            }
        }
        Ok(values)
    }
}
