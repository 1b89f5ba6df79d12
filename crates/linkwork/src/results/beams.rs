//! The sections of beams as comma-separated values, in long form: one line for each section at each row.

use super::{Frame, text_cell};
use crate::mechanism::Mechanism;
use std::io::{self, Write};

/// Writes the sections of all beams as rows come.
pub struct CsvBeams<'m, W: Write> {
    mechanism: &'m Mechanism,
    writer: csv::Writer<W>,
    values: Vec<[[f64; 6]; 2]>,
}

/// Stresses and strains in the plane, by their places among the six; all of them in space.
const PLANAR: [usize; 3] = [0, 1, 5];

impl<'m, W: Write> CsvBeams<'m, W> {
    /// Writes the header.
    pub fn new(mechanism: &'m Mechanism, out: W) -> io::Result<Self> {
        let mut beams = Self::append(mechanism, out);
        let planar = mechanism.model().dimension.is_planar();
        let axes = &["x", "y", "z"][..mechanism.columns()];
        let mut header: Vec<String> = ["t", "beam", "section", "s"].map(String::from).into();
        header.extend(axes.iter().map(|axis| axis.to_string()));
        header.extend(axes.iter().map(|axis| format!("v{axis}")));
        let names: [&[&str]; 2] = match planar {
            true => [&["axial_force", "shear_force", "moment"], &["stretch", "shear", "curvature"]],
            false => [
                &["axial_force", "shear_force_2", "shear_force_3", "torsion", "moment_2", "moment_3"],
                &["stretch", "shear_2", "shear_3", "twist", "curvature_2", "curvature_3"],
            ],
        };
        header.extend(names.concat().into_iter().map(String::from));
        beams.writer.write_record(header)?;
        Ok(beams)
    }

    /// Goes on where another one ended: the header is there.
    pub fn append(mechanism: &'m Mechanism, out: W) -> Self {
        CsvBeams { mechanism, writer: csv::Writer::from_writer(out), values: Vec::new() }
    }

    /// Writes the sections of a row. Forces and moments are in the axes of the section, on the side of `to`.
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        let mechanism = frame.stage.as_deref().unwrap_or(self.mechanism);
        let (d, planar) = (mechanism.columns(), mechanism.model().dimension.is_planar());
        let shown: &[usize] = if planar { &PLANAR } else { &[0, 1, 2, 3, 4, 5] };
        for beam in &mechanism.beams {
            let Some(law) = beam.law(mechanism) else { continue };
            law.at_sections(&frame.motions, &mut self.values);
            for (k, &point) in beam.points.iter().enumerate() {
                let writer = &mut self.writer;
                writer.write_field(frame.t.to_string())?;
                writer.write_field(text_cell(&beam.name).as_ref())?;
                writer.write_field(k.to_string())?;
                writer.write_field(beam.s[k].to_string())?;
                let numbers = frame.positions[point][..d].iter().chain(&frame.velocities[point][..d]);
                for number in numbers {
                    writer.write_field(number.to_string())?;
                }
                for kind in &self.values[k] {
                    for &i in shown {
                        writer.write_field(kind[i].to_string())?;
                    }
                }
                writer.write_record(None::<&[u8]>)?;
            }
        }
        Ok(())
    }

    /// The writer behind; what is buffered has not reached it.
    pub fn writer(&self) -> &W {
        self.writer.get_ref()
    }

    /// Writes out what is buffered here and in the writer behind.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
