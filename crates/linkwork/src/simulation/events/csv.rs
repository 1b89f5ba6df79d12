//! Events as comma-separated values.

use super::{Event, JointImpulse};
use crate::linalg::vec3::{Vec3, norm};
use crate::results::text_cell;
use std::io;

/// Writes events as they come, as comma-separated values: a header, then a line for each. Behind an impact of contacts, and behind an impulse, there is a line of the
/// kind `joint` for every joint with an impulse, and one for its moment if it has any.
pub struct CsvEvents<W: io::Write> {
    writer: csv::Writer<W>,
}

impl<W: io::Write> CsvEvents<W> {
    /// Writes the header.
    pub fn new(out: W) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record([
            "t",
            "kind",
            "name",
            "coordinate",
            "impulse",
            "unit",
            "energy",
            "x",
            "y",
            "z",
        ])?;
        Ok(CsvEvents { writer })
    }

    /// Goes on where another one ended: the header is there.
    pub fn append(out: W) -> Self {
        CsvEvents { writer: csv::Writer::from_writer(out) }
    }

    /// Writes an event.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        type Line<'a> = (f64, &'a str, &'a str, Option<usize>, f64, &'a str, f64, Option<Vec3>);
        let mut write = |(t, kind, name, coordinate, impulse, unit, energy, vector): Line<'_>| {
            let [x, y, z] = vector.map_or([None; 3], |v| v.map(Some));
            let name = text_cell(name);
            let line = (t, kind, name.as_ref(), coordinate, impulse, unit, energy, x, y, z);
            self.writer.serialize(line).map_err(io::Error::from)
        };
        let Event { t, kind, name, coordinate, impulse, energy, .. } = event;
        let vector = event.contact.map(|c| c.impulse).or(event.vector);
        write((*t, kind.name(), name, *coordinate, *impulse, event.unit(), *energy, vector))?;
        for JointImpulse { joint, force, moment } in &event.joints {
            for (v, unit) in [(force, "N s"), (moment, "N m s")] {
                if norm(*v) > 0.0 {
                    write((*t, "joint", joint, None, norm(*v), unit, 0.0, Some(*v)))?;
                }
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

/// Writes a list of events, see [`CsvEvents`].
pub fn write_events(events: &[Event], out: impl io::Write) -> io::Result<()> {
    let mut writer = CsvEvents::new(out)?;
    events.iter().try_for_each(|event| writer.write(event))?;
    writer.flush()
}
