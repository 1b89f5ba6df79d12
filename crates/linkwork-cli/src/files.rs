//! Result files that grow, and where they stood at a checkpoint.
//!
//! A run without checkpoints writes under temporary names that vanish with it. One with checkpoints writes `results.csv.part`, `events.csv.part` and `chains.csv.part`, which stay
//! whatever happens. A checkpoint notes how long they were and a fingerprint of their bytes; to go on, they are cut to that length. At the end of a
//! run they are renamed to what they are then: whole.

use crate::output::PendingFile;
use linkwork::keep::{Bytes, Damaged, Fingerprint, Keep};
use linkwork::mechanism::Mechanism;
use linkwork::results::{CsvChains, CsvResults, Frame};
use linkwork::simulation::{Checkpoint, CsvEvents, Event};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
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
            let file = File::create(&part)?;
            (Unfinished::Part { part, path }, file)
        } else {
            let pending = PendingFile::create(path)?;
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
        file.set_len(length.bytes)?;
        file.seek(io::SeekFrom::End(0))?;
        let counted = Counted { file: BufWriter::with_capacity(1 << 16, file), length };
        Ok((Unfinished::Part { part, path }, counted))
    }

    fn keep(self) -> io::Result<()> {
        match self {
            Unfinished::Temporary(pending) => pending.keep(),
            Unfinished::Part { part, path } => fs::rename(part, path),
        }
    }
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Whether a file begins with bytes of that length and fingerprint.
fn begins(path: &Path, length: Length) -> io::Result<bool> {
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

/// The rows and events of a run.
pub struct ResultFiles<'m> {
    folder: PathBuf,
    lasting: bool,
    rows: (Unfinished, CsvResults<'m, Counted>),
    /// Made when there is something to write.
    events: Option<(Unfinished, CsvEvents<Counted>)>,
    /// Of a model that has chains.
    chains: Option<(Unfinished, CsvChains<'m, Counted>)>,
}

impl<'m> ResultFiles<'m> {
    /// Of a run that begins; `lasting` if checkpoints are taken.
    pub fn create(mechanism: &'m Mechanism, folder: &Path, lasting: bool) -> io::Result<Self> {
        let path = folder.join("results.csv");
        if path.is_dir() {
            return Err(io::Error::other(format!("{} is a folder", path.display())));
        }
        let (unfinished, file) = Unfinished::create(path, lasting)?;
        let rows = (unfinished, CsvResults::new(mechanism, file)?);
        let chains = match mechanism.chains.is_empty() {
            true => None,
            false => {
                let (unfinished, file) = Unfinished::create(folder.join("chains.csv"), lasting)?;
                Some((unfinished, CsvChains::new(mechanism, file)?))
            }
        };
        Ok(ResultFiles { folder: folder.into(), lasting, rows, events: None, chains })
    }

    /// Of a run that goes on.
    pub fn reopen(mechanism: &'m Mechanism, folder: &Path, checkpoint: &Checkpoint) -> io::Result<Self> {
        let [of_rows, of_events, of_chains] = read_note(&checkpoint.note).map_err(|_| {
            io::Error::other("the checkpoint says nothing of result files: it was not taken by this command")
        })?;
        let missing = |name: &str| {
            io::Error::other(format!(
                "neither {name}.part nor {name} is what it was when the checkpoint was taken at {} s; was it in another folder (-o)?",
                checkpoint.t()
            ))
        };
        let (rows, events, chains) =
            (folder.join("results.csv"), folder.join("events.csv"), folder.join("chains.csv"));
        // all before anything is touched
        let found = Unfinished::find(&rows, of_rows)?.ok_or_else(|| missing("results.csv"))?;
        let found_events = match of_events.bytes {
            0 => None,
            _ => Some(Unfinished::find(&events, of_events)?.ok_or_else(|| missing("events.csv"))?),
        };
        let found_chains = match of_chains.bytes {
            0 => None,
            _ => Some(Unfinished::find(&chains, of_chains)?.ok_or_else(|| missing("chains.csv"))?),
        };
        let (unfinished, file) = Unfinished::reopen(&found, rows, of_rows)?;
        let rows = (unfinished, CsvResults::append(mechanism, file, checkpoint.rows()));
        let events = match found_events {
            None => None,
            Some(found) => {
                let (unfinished, file) = Unfinished::reopen(&found, events, of_events)?;
                Some((unfinished, CsvEvents::append(file)))
            }
        };
        let chains = match found_chains {
            None => None,
            Some(found) => {
                let (unfinished, file) = Unfinished::reopen(&found, chains, of_chains)?;
                Some((unfinished, CsvChains::append(mechanism, file)))
            }
        };
        Ok(ResultFiles { folder: folder.into(), lasting: true, rows, events, chains })
    }

    /// Writes a row.
    pub fn row(&mut self, frame: &Frame) -> io::Result<()> {
        if let Some((_, chains)) = &mut self.chains {
            chains.write(frame)?;
        }
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
        let chains = match &mut self.chains {
            None => Length::default(),
            Some((_, chains)) => {
                chains.flush()?;
                chains.writer().file.get_ref().sync_data()?;
                chains.writer().length
            }
        };
        let mut note = Vec::new();
        [rows, events, chains].map(|length| [length.bytes, length.print.0]).keep(&mut note);
        Ok(note)
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
        let chains = self.folder.join("chains.csv");
        match self.chains {
            Some((unfinished, mut writer)) => {
                writer.flush()?;
                drop(writer);
                unfinished.keep()?;
            }
            None => remove(&chains)?,
        }
        drop(self.rows.1);
        self.rows.0.keep()
    }

    /// Takes away what a run that could not begin has made.
    pub fn discard(self) -> io::Result<()> {
        for unfinished in [Some(self.rows.0), self.chains.map(|chains| chains.0)].into_iter().flatten() {
            if let Unfinished::Part { part, .. } = unfinished {
                remove(&part)?;
            }
        }
        Ok(())
    }
}

fn read_note(note: &[u8]) -> Result<[Length; 3], Damaged> {
    let mut from = Bytes::new(note);
    let lengths = <[[u64; 2]; 3]>::recalled(&mut from)?;
    let lengths = lengths.map(|[bytes, print]| Length { bytes, print: Fingerprint(print) });
    if from.left() == 0 { Ok(lengths) } else { Err(Damaged) }
}
