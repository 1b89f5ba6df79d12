//! Result files that grow, and where they stood at a checkpoint.
//!
//! A run without checkpoints writes under temporary names that vanish with it. One with checkpoints writes `results.csv.part`, `events.csv.part` and others such as `chains.csv.part`, which stay
//! whatever happens. A checkpoint notes how long they were and a fingerprint of their bytes; to go on, they are cut to that length. At the end of a
//! run they are renamed to what they are then: whole.
//!
//! Where nothing more can be written, on a full disk say, a run without checkpoints keeps what it has: every file is cut behind its last whole line and gets its name.

use crate::lock::is_at;
use crate::output::{PendingFile, create_fresh, regular, replaceable};
use linkwork::keep::{Bytes, Damaged, Fingerprint, Keep};
use linkwork::mechanism::Mechanism;
use linkwork::results::{CsvLong, CsvResults, Frame, LongTable};
use linkwork::simulation::{Checkpoint, CsvEvents, Event};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How long a file is, and a fingerprint of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Length {
    bytes: u64,
    print: Fingerprint,
}

/// A file that knows its length.
pub struct Counted {
    file: BufWriter<File>,
    length: Length,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.length.bytes += n as u64;
        self.length.print.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file under the name it has until it is whole.
enum Unfinished {
    Temporary(PendingFile),
    Part { part: PathBuf, path: PathBuf },
}

impl Unfinished {
    /// A new one; `lasting` if it is to stay when the run is interrupted.
    fn create(path: PathBuf, lasting: bool) -> io::Result<(Self, Counted)> {
        let (unfinished, file) = if lasting {
            let part = part_of(&path);
            let file = create_fresh(&part)?;
            (Unfinished::Part { part, path }, file)
        } else {
            let pending = PendingFile::result(path)?;
            let file = pending.file()?;
            (Unfinished::Temporary(pending), file)
        };
        Ok((unfinished, Counted { file: BufWriter::with_capacity(1 << 16, file), length: Length::default() }))
    }

    /// Where the file is that was this long at a checkpoint: under its final name where the run was stopped in good order.
    fn find(path: &Path, length: Length) -> io::Result<Option<PathBuf>> {
        for name in [part_of(path), path.to_path_buf()] {
            if begins(&name, length)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Cuts a file that was found to the length it had, and goes on there.
    fn reopen(found: &Path, path: PathBuf, length: Length) -> io::Result<(Self, Counted)> {
        let part = part_of(&path);
        if found != part {
            fs::rename(found, &part)?;
        }
        let mut file = OpenOptions::new().write(true).open(&part)?;
        if regular(&part).is_err() || !is_at(&file, &part) {
            return Err(io::Error::other(format!("{} is not what it was", part.display())));
        }
        file.set_len(length.bytes)?;
        file.seek(io::SeekFrom::End(0))?;
        let counted = Counted { file: BufWriter::with_capacity(1 << 16, file), length };
        Ok((Unfinished::Part { part, path }, counted))
    }

    fn keep(self) -> io::Result<()> {
        match self {
            Unfinished::Temporary(pending) => pending.keep(),
            Unfinished::Part { part, path } => {
                replaceable(&path)?;
                fs::rename(part, path)
            }
        }
    }

    /// Keeps the whole lines of a file that could not be written to its end; how many there are, and the last one.
    fn salvage(self) -> io::Result<(u64, String)> {
        let Unfinished::Temporary(pending) = &self else { return Ok((0, String::new())) };
        let mut file = pending.file()?;
        let (lines, last) = cut_to_lines(&mut file)?;
        self.keep()?;
        Ok((lines, last))
    }
}

/// Cuts a file behind its last whole line; how many lines there are, and the last one.
fn cut_to_lines(file: &mut File) -> io::Result<(u64, String)> {
    file.seek(io::SeekFrom::Start(0))?;
    let mut from = BufReader::with_capacity(1 << 16, &mut *file);
    let (mut line, mut last) = (Vec::new(), Vec::new());
    let (mut lines, mut end) = (0, 0);
    loop {
        line.clear();
        let n = from.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            break;
        }
        (lines, end) = (lines + 1, end + n as u64);
        std::mem::swap(&mut line, &mut last);
    }
    file.set_len(end)?;
    Ok((lines, String::from_utf8_lossy(&last).trim_end().into()))
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Whether a file begins with bytes of that length and fingerprint.
fn begins(path: &Path, length: Length) -> io::Result<bool> {
    match regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    }
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    if file.metadata()?.len() < length.bytes {
        return Ok(false);
    }
    let mut found = Length::default();
    let mut from = BufReader::new(file).take(length.bytes);
    let mut buffer = [0; 1 << 16];
    loop {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            return Ok(found == length);
        }
        found.bytes += n as u64;
        found.print.add(&buffer[..n]);
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Files whose length a checkpoint notes: rows, events, and tables in long form.
const NOTED: usize = 2 + LongTable::ALL.len();

/// The rows and events of a run.
pub struct ResultFiles<'m> {
    folder: PathBuf,
    lasting: bool,
    rows: (Unfinished, CsvResults<'m, Counted>),
    /// Made when there is something to write.
    events: Option<(Unfinished, CsvEvents<Counted>)>,
    /// Those that the model has something for.
    long: Vec<(Unfinished, CsvLong<'m, Counted>)>,
}

impl<'m> ResultFiles<'m> {
    /// Of a run that begins; `lasting` if checkpoints are taken.
    pub fn create(mechanism: &'m Mechanism, folder: &Path, lasting: bool) -> io::Result<Self> {
        let path = folder.join("results.csv");
        for name in ["results.csv", "events.csv"].into_iter().chain(LongTable::ALL.map(LongTable::file)) {
            // known before the run, not at its end
            replaceable(&folder.join(name))?;
        }
        let (unfinished, file) = Unfinished::create(path, lasting)?;
        let rows = (unfinished, CsvResults::new(mechanism, file)?);
        let mut long = Vec::new();
        for table in LongTable::ALL.into_iter().filter(|table| table.is_of(mechanism)) {
            let (unfinished, file) = Unfinished::create(folder.join(table.file()), lasting)?;
            long.push((unfinished, CsvLong::new(table, mechanism, file)?));
        }
        Ok(ResultFiles { folder: folder.into(), lasting, rows, events: None, long })
    }

    /// Of a run that goes on.
    pub fn reopen(mechanism: &'m Mechanism, folder: &Path, checkpoint: &Checkpoint) -> io::Result<Self> {
        let [of_rows, of_events, of_long @ ..] = read_note(&checkpoint.note).map_err(|_| {
            io::Error::other("the checkpoint says nothing of result files: it was not taken by this command")
        })?;
        let find = |name: &str, length: Length| {
            match length.bytes {
            0 => Ok(None),
            _ => Unfinished::find(&folder.join(name), length)?.map(Some).ok_or_else(|| {
                io::Error::other(format!(
                    "neither {name}.part nor {name} is what it was when the checkpoint was taken at {} s; was it in another folder (-o)?",
                    checkpoint.t()
                ))
            }),
        }
        };
        // all before anything is touched
        let found_rows = find("results.csv", of_rows)?
            .ok_or_else(|| io::Error::other("the checkpoint says that results.csv was empty"))?;
        let found_events = find("events.csv", of_events)?;
        let mut found_long = Vec::new();
        for (table, length) in LongTable::ALL.into_iter().zip(of_long) {
            found_long.extend(find(table.file(), length)?.map(|found| (table, found, length)));
        }
        let (unfinished, file) = Unfinished::reopen(&found_rows, folder.join("results.csv"), of_rows)?;
        let rows = (unfinished, CsvResults::append(mechanism, file, checkpoint.rows()));
        let events = match found_events {
            None => None,
            Some(found) => {
                let (unfinished, file) = Unfinished::reopen(&found, folder.join("events.csv"), of_events)?;
                Some((unfinished, CsvEvents::append(file)))
            }
        };
        let mut long = Vec::new();
        for (table, found, length) in found_long {
            let (unfinished, file) = Unfinished::reopen(&found, folder.join(table.file()), length)?;
            long.push((unfinished, CsvLong::append(table, mechanism, file)));
        }
        Ok(ResultFiles { folder: folder.into(), lasting: true, rows, events, long })
    }

    /// Writes a row.
    pub fn row(&mut self, frame: &Frame) -> io::Result<()> {
        self.long.iter_mut().try_for_each(|(_, long)| long.write(frame))?;
        self.rows.1.write(frame)
    }

    /// Writes an event.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        if self.events.is_none() {
            let (unfinished, file) = Unfinished::create(self.folder.join("events.csv"), self.lasting)?;
            self.events = Some((unfinished, CsvEvents::new(file)?));
        }
        self.events.as_mut().map_or(Ok(()), |(_, events)| events.write(event))
    }

    /// Sees to it that all is on the disk, and tells how much that is: what a checkpoint notes.
    pub fn note(&mut self) -> io::Result<Vec<u8>> {
        self.rows.1.flush()?;
        let rows = self.rows.1.writer();
        rows.file.get_ref().sync_data()?;
        let rows = rows.length;
        let events = match &mut self.events {
            None => Length::default(),
            Some((_, events)) => {
                events.flush()?;
                events.writer().file.get_ref().sync_data()?;
                events.writer().length
            }
        };
        let mut lengths = [Length::default(); NOTED];
        (lengths[0], lengths[1]) = (rows, events);
        for (_, long) in &mut self.long {
            long.flush()?;
            long.writer().file.get_ref().sync_data()?;
            let place = LongTable::ALL.iter().position(|table| *table == long.table());
            lengths[2 + place.unwrap_or_default()] = long.writer().length;
        }
        let mut note = Vec::new();
        lengths.map(|length| [length.bytes, length.print.0]).keep(&mut note);
        Ok(note)
    }

    /// Writes out what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.rows.1.flush()?;
        self.events.as_mut().map_or(Ok(()), |(_, events)| events.flush())?;
        self.long.iter_mut().try_for_each(|(_, long)| long.flush())
    }

    /// Gives the files their names.
    pub fn keep(mut self) -> io::Result<()> {
        self.rows.1.flush()?;
        let events = self.folder.join("events.csv");
        match self.events {
            Some((unfinished, mut writer)) => {
                writer.flush()?;
                drop(writer);
                unfinished.keep()?;
            }
            None => {
                // one of an earlier run would belong to nothing
                remove(&events)?;
                if self.lasting {
                    remove(&part_of(&events))?;
                }
            }
        }
        for table in LongTable::ALL {
            if !self.long.iter().any(|(_, long)| long.table() == table) {
                remove(&self.folder.join(table.file()))?;
            }
        }
        for (unfinished, mut writer) in self.long {
            writer.flush()?;
            drop(writer);
            unfinished.keep()?;
        }
        drop(self.rows.1);
        self.rows.0.keep()
    }

    /// Keeps what has been written of a run that cannot write any more: how many rows, and the time of the last, s. Nothing of one with checkpoints, whose files stay as they are.
    pub fn salvage(self) -> io::Result<Option<(u64, f64)>> {
        if self.lasting {
            return Ok(None);
        }
        let (unfinished, writer) = self.rows;
        // what is still buffered may go or not: whole lines stay
        drop(writer);
        let (lines, last) = unfinished.salvage()?;
        for name in ["events.csv"].into_iter().chain(LongTable::ALL.map(LongTable::file)) {
            remove(&self.folder.join(name))?;
        }
        if let Some((unfinished, writer)) = self.events {
            drop(writer);
            unfinished.salvage()?;
        }
        for (unfinished, writer) in self.long {
            drop(writer);
            unfinished.salvage()?;
        }
        let t = last.split(',').next().and_then(|cell| cell.parse().ok()).unwrap_or(0.0);
        Ok(Some((lines.saturating_sub(1), t)))
    }

    /// Takes away what a run that could not begin has made.
    pub fn discard(self) -> io::Result<()> {
        for unfinished in std::iter::once(self.rows.0).chain(self.long.into_iter().map(|long| long.0)) {
            if let Unfinished::Part { part, .. } = unfinished {
                remove(&part)?;
            }
        }
        Ok(())
    }
}

fn read_note(note: &[u8]) -> Result<[Length; NOTED], Damaged> {
    let mut from = Bytes::new(note);
    let lengths = <[[u64; 2]; NOTED]>::recalled(&mut from)?;
    let lengths = lengths.map(|[bytes, print]| Length { bytes, print: Fingerprint(print) });
    if from.left() == 0 { Ok(lengths) } else { Err(Damaged) }
}
