//! What has happened, for results.

use std::io;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A lock engaged.
    Lock,
    /// A lock let go.
    Release,
    /// A coordinate hit a limit and bounced off.
    Impact,
    /// A coordinate came to rest on a limit.
    Rest,
    /// A coordinate left the limit on which it had rested.
    Lift,
    /// A condition ended the run.
    Stop,
}

impl EventKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Lock => "lock",
            EventKind::Release => "release",
            EventKind::Impact => "impact",
            EventKind::Rest => "rest",
            EventKind::Lift => "lift",
            EventKind::Stop => "stop",
        }
    }
}

/// Something that happened at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// The lock or joint; of a stop its condition.
    pub name: String,
    /// Which coordinate of the joint, counted from one; nothing for a stop.
    pub coordinate: Option<usize>,
    /// The impulse along the coordinate, N s or N m s.
    pub impulse: f64,
    /// Whether that is N m s.
    pub turns: bool,
    /// By how much the energy changed, J. Of several events at one instant the first has the change of all.
    pub energy: f64,
}

impl Event {
    /// The unit of the impulse.
    pub fn unit(&self) -> &'static str {
        if self.turns { "N m s" } else { "N s" }
    }
}

/// Writes events as comma-separated values: a header, then a line for each.
pub fn write_events(events: &[Event], out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["t", "kind", "name", "coordinate", "impulse", "unit", "energy"])?;
    for event in events {
        let Event { t, kind, name, coordinate, impulse, energy, .. } = event;
        let line = (t, kind.name(), name, coordinate, impulse, event.unit(), energy);
        writer.serialize(line).map_err(io::Error::from)?;
    }
    writer.flush()
}
