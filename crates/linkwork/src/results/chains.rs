//! The nodes of chains as comma-separated values, in long form: one line for each node at each row. Their number may change.

use super::{Frame, text_cell};
use crate::mechanism::Mechanism;
use std::io::{self, Write};

/// Writes the nodes of all chains as rows come.
pub struct CsvChains<'m, W: Write> {
    mechanism: &'m Mechanism,
    writer: csv::Writer<W>,
    tensions: Vec<f64>,
}

impl<'m, W: Write> CsvChains<'m, W> {
    /// Writes the header.
    pub fn new(mechanism: &'m Mechanism, out: W) -> io::Result<Self> {
        let mut chains = Self::append(mechanism, out);
        let axes = &["x", "y", "z"][..mechanism.columns()];
        let velocities = axes.iter().map(|axis| format!("v{axis}"));
        let places = axes.iter().map(|axis| axis.to_string());
        let first = ["t", "chain", "node", "s"].map(String::from).into_iter();
        let last = ["tension", "mass"].map(String::from);
        chains.writer.write_record(first.chain(places).chain(velocities).chain(last))?;
        Ok(chains)
    }

    /// Goes on where another one ended: the header is there.
    pub fn append(mechanism: &'m Mechanism, out: W) -> Self {
        CsvChains { mechanism, writer: csv::Writer::from_writer(out), tensions: Vec::new() }
    }

    /// Writes the nodes of a row. The tension is that of the segment that ends at the node; node 0 has none.
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        let mechanism = frame.stage.as_deref().unwrap_or(self.mechanism);
        let d = mechanism.columns();
        for chain in &mechanism.chains {
            chain.tensions(mechanism, frame, &mut self.tensions);
            for (k, &point) in chain.nodes.iter().enumerate() {
                let writer = &mut self.writer;
                writer.write_field(frame.t.to_string())?;
                writer.write_field(text_cell(&chain.name).as_ref())?;
                writer.write_field(k.to_string())?;
                let numbers = frame.positions[point][..d].iter().chain(&frame.velocities[point][..d]);
                writer.write_field((chain.segment * k as f64).to_string())?;
                for number in numbers {
                    writer.write_field(number.to_string())?;
                }
                match k.checked_sub(1).and_then(|k| self.tensions.get(k)) {
                    Some(tension) => writer.write_field(tension.to_string())?,
                    None => writer.write_field("")?,
                }
                writer.write_field(chain.masses[k].to_string())?;
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
