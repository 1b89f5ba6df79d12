//! Recorded motion: the file `motion.lwm` (docs/viewer-data.md), written and read.

use crate::pose::{Placement, Section, Snapshot};
use crate::scene::deformable::BEAM_FIELDS;
use crate::scene::{Scene, Vector};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use linkwork::results::Column;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// The name of the recording in a folder of results.
pub const MOTION_FILE: &str = "motion.lwm";

const MAGIC: &[u8; 8] = b"LWMOTION";
/// Version 1 had no beams and no modal bodies; versions 1 and 2 had places of seven digits, which tremble far from the origin.
const VERSION: u32 = 3;
/// A header may be this long, bytes; a scene of ten thousand bodies has a tenth of it.
const MAX_HEADER: u32 = 256 << 20;
/// All frames of a file together may take this much memory, bytes.
pub const MAX_FRAMES_BYTES: u64 = 512 << 20;

/// What there is to see of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// What moves.
    pub scene: Scene,
    /// The columns of its results, with their units.
    pub columns: Vec<Column>,
    /// Where it is, in order of time.
    pub poses: Vec<Snapshot>,
    /// What to know about it, lines of text.
    pub warnings: Vec<String>,
}

/// What stands before the frames.
#[derive(Serialize)]
struct HeaderOut<'a> {
    scene: &'a Scene,
    columns: &'a [Column],
    frames: Option<u64>,
    warnings: &'a [String],
}

#[derive(Deserialize)]
struct HeaderIn {
    scene: Scene,
    #[serde(default)]
    columns: Vec<Column>,
    /// Nothing where the file was still growing.
    frames: Option<u64>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// Why a recording cannot be read.
#[derive(Debug)]
pub enum RecordingError {
    /// The file cannot be read.
    Io(io::Error),
    /// It is no recording.
    Foreign,
    /// It is of another version of Linkwork.
    Version(u32),
    /// It is damaged: what of it.
    Damaged(String),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Io(error) => write!(f, "{error}"),
            RecordingError::Foreign => write!(f, "this is no recorded motion"),
            RecordingError::Version(version) => {
                write!(
                    f,
                    "this recording has version {version}, but {VERSION} is read here; run the model again"
                )
            }
            RecordingError::Damaged(what) => {
                write!(f, "the recording is damaged ({what}); run the model again")
            }
        }
    }
}

impl std::error::Error for RecordingError {}

impl From<io::Error> for RecordingError {
    fn from(error: io::Error) -> Self {
        RecordingError::Io(error)
    }
}

fn damaged(what: impl Into<String>) -> RecordingError {
    RecordingError::Damaged(what.into())
}

/// Writes a recording frame by frame.
pub struct MotionWriter<W: Write> {
    frames: ZlibEncoder<W>,
}

impl<W: Write> MotionWriter<W> {
    /// Writes what stands before the frames. `frames`: how many there will be, if that is known.
    pub fn new(
        mut out: W,
        scene: &Scene,
        columns: &[Column],
        warnings: &[String],
        frames: Option<u64>,
        level: Compression,
    ) -> io::Result<Self> {
        if let Some(what) = scene.fault() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the mechanism cannot be drawn: {what}"),
            ));
        }
        let header = serde_json::to_vec(&HeaderOut { scene, columns, frames, warnings })?;
        let length = u32::try_from(header.len()).ok().filter(|length| *length <= MAX_HEADER);
        let length = length.ok_or_else(|| io::Error::other("the scene is too large for a recording"))?;
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&header)?;
        Ok(MotionWriter { frames: ZlibEncoder::new(out, level) })
    }

    /// Writes a frame that [`frame_bytes`] has made.
    pub fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        self.frames.write_all(frame)
    }

    /// Passes on what has been written so far, so that it can be read up to here.
    pub fn flush(&mut self) -> io::Result<()> {
        self.frames.flush()
    }

    /// The writer behind; what is buffered has not reached it.
    pub fn get_ref(&self) -> &W {
        self.frames.get_ref()
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<W> {
        self.frames.finish()
    }
}

/// Whether numbers can be in a frame: all are finite, and so are they with fewer digits.
fn fit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> bool {
    numbers.into_iter().all(|x| (*x as f32).is_finite())
}

/// An attitude is a quaternion of about this length.
const UNIT: std::ops::Range<f64> = 0.5..2.0;

/// The placement of a body as a frame can hold it; nothing where the body is too far away, or turned in no way that can be expressed: then it is not seen.
fn seen(placement: &Placement) -> Option<Placement> {
    let length = placement.quat_wxyz.iter().map(|q| q * q).sum::<f64>().sqrt();
    (fit(&placement.at) && fit(&placement.quat_wxyz) && UNIT.contains(&length)).then_some(*placement)
}

/// The bytes of a frame, appended. What has no place that can be expressed is left out: so what is written can be read.
pub fn frame_bytes(pose: &Snapshot, out: &mut Vec<u8>) {
    let float = |x: f64, out: &mut Vec<u8>| out.extend_from_slice(&(x as f32).to_le_bytes());
    let double = |x: f64, out: &mut Vec<u8>| out.extend_from_slice(&x.to_le_bytes());
    let number = |n: usize, out: &mut Vec<u8>| out.extend_from_slice(&(n as u32).to_le_bytes());
    out.extend_from_slice(&pose.t.to_le_bytes());
    for body in &pose.bodies {
        let body = body.as_ref().and_then(seen);
        out.push(u8::from(body.is_some()));
        let placement = body.unwrap_or(Placement { at: [0.0; 3], quat_wxyz: [1.0, 0.0, 0.0, 0.0] });
        placement.at.iter().for_each(|x| double(*x, out));
        placement.quat_wxyz.iter().for_each(|x| float(*x, out));
    }
    out.extend(pose.joints.iter().map(|closed| u8::from(*closed)));
    for chain in &pose.chains {
        let pieces = || chain.iter().filter(|piece| fit(piece.iter().flatten()));
        number(pieces().count(), out);
        for piece in pieces() {
            number(piece.len(), out);
            piece.iter().flatten().for_each(|x| double(*x, out));
        }
    }
    for sections in &pose.beams {
        let whole = sections.iter().all(|s| fit(s.at.iter().chain(&s.quat_wxyz).chain(&s.values)));
        let sections = if whole { &sections[..] } else { &[] };
        number(sections.len(), out);
        for section in sections {
            section.at.iter().for_each(|x| double(*x, out));
            section.quat_wxyz.iter().chain(&section.values).for_each(|x| float(*x, out));
        }
    }
    for amplitudes in &pose.amplitudes {
        let amplitudes = if fit(amplitudes) { &amplitudes[..] } else { &[] };
        number(amplitudes.len(), out);
        amplitudes.iter().for_each(|x| float(*x, out));
    }
    let contacts = || pose.contacts.iter().filter(|contact| fit(contact.iter().flatten()));
    number(contacts().count(), out);
    for [at, force] in contacts() {
        at.iter().for_each(|x| double(*x, out));
        force.iter().for_each(|x| float(*x, out));
    }
}

/// The memory of frames that are read, which has a limit.
struct Budget(u64);

impl Budget {
    fn take(&mut self, count: usize, size: usize) -> Result<(), RecordingError> {
        let bytes = (count as u64).saturating_mul(size as u64);
        self.0 = self.0.checked_sub(bytes).ok_or_else(|| damaged("it is too large"))?;
        Ok(())
    }
}

/// Frames one after the other.
struct Frames<R> {
    from: R,
    /// Places have seven digits.
    short: bool,
    budget: Budget,
}

impl<R: Read> Frames<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], RecordingError> {
        let mut bytes = [0; N];
        match self.from.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(damaged("a frame ends early")),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Err(damaged("its frames")),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged("its frames")),
            Err(error) => Err(RecordingError::Io(error)),
        }
    }

    fn float(&mut self) -> Result<f64, RecordingError> {
        let value = f32::from_le_bytes(self.bytes()?);
        if value.is_finite() { Ok(f64::from(value)) } else { Err(damaged("a number in a frame")) }
    }

    fn vector(&mut self) -> Result<Vector, RecordingError> {
        Ok([self.float()?, self.float()?, self.float()?])
    }

    fn double(&mut self) -> Result<f64, RecordingError> {
        let value = f64::from_le_bytes(self.bytes()?);
        // no farther than what is written
        if (value as f32).is_finite() { Ok(value) } else { Err(damaged("a place in a frame")) }
    }

    fn place(&mut self) -> Result<Vector, RecordingError> {
        if self.short {
            return self.vector();
        }
        Ok([self.double()?, self.double()?, self.double()?])
    }

    fn flag(&mut self) -> Result<bool, RecordingError> {
        match self.bytes::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(damaged("a flag in a frame")),
        }
    }

    /// A count of things of a size in memory.
    fn count(&mut self, size: usize) -> Result<usize, RecordingError> {
        let count = u32::from_le_bytes(self.bytes()?) as usize;
        self.budget.take(count, size)?;
        Ok(count)
    }

    /// The next frame; nothing at the end.
    fn next(&mut self, scene: &Scene) -> Result<Option<Snapshot>, RecordingError> {
        let mut first = [0; 1];
        match self.from.read(&mut first) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged("its end")),
            Err(_) => return Err(damaged("its frames")),
        }
        let rest: [u8; 7] = self.bytes()?;
        let mut time = [0; 8];
        time[0] = first[0];
        time[1..].copy_from_slice(&rest);
        let t = f64::from_le_bytes(time);
        if !t.is_finite() {
            return Err(damaged("the time of a frame"));
        }
        let bodies = scene.bodies.len().saturating_sub(1);
        self.budget.take(bodies, size_of::<Option<Placement>>())?;
        self.budget.take(scene.joints.len(), 1)?;
        let lists = scene.chains.len() + scene.beams.len() + scene.modal_bodies.len();
        self.budget.take(lists, size_of::<Vec<Vec<Vector>>>())?;
        let mut pose = Snapshot { t, ..Snapshot::default() };
        for _ in 0..bodies {
            let there = self.flag()?;
            let at = self.place()?;
            let mut quat_wxyz = [0.0; 4];
            for q in &mut quat_wxyz {
                *q = self.float()?;
            }
            let length = quat_wxyz.iter().map(|q| q * q).sum::<f64>().sqrt();
            if there && !UNIT.contains(&length) {
                return Err(damaged("an attitude in a frame"));
            }
            pose.bodies.push(there.then_some(Placement { at, quat_wxyz }));
        }
        for _ in 0..scene.joints.len() {
            pose.joints.push(self.flag()?);
        }
        for _ in 0..scene.chains.len() {
            let mut chain = Vec::new();
            for _ in 0..self.count(size_of::<Vec<Vector>>())? {
                let nodes = self.count(size_of::<Vector>())?;
                let mut piece = Vec::new();
                for _ in 0..nodes {
                    piece.push(self.place()?);
                }
                chain.push(piece);
            }
            pose.chains.push(chain);
        }
        for beam in &scene.beams {
            let mut sections = Vec::new();
            for _ in 0..self.count(size_of::<Section>())? {
                let at = self.place()?;
                let mut quat_wxyz = [0.0; 4];
                for q in &mut quat_wxyz {
                    *q = self.float()?;
                }
                let mut values = [0.0; BEAM_FIELDS.len()];
                for value in &mut values {
                    *value = self.float()?;
                }
                sections.push(Section { at, quat_wxyz, values });
            }
            if !sections.is_empty() && sections.len() != beam.half.len() {
                return Err(damaged("the sections of a beam in a frame"));
            }
            pose.beams.push(sections);
        }
        for body in &scene.modal_bodies {
            let mut amplitudes = Vec::new();
            for _ in 0..self.count(size_of::<f64>())? {
                amplitudes.push(self.float()?);
            }
            if !amplitudes.is_empty() && amplitudes.len() != body.modes {
                return Err(damaged("the amplitudes of a modal body in a frame"));
            }
            pose.amplitudes.push(amplitudes);
        }
        for _ in 0..self.count(size_of::<[Vector; 2]>())? {
            pose.contacts.push([self.place()?, self.vector()?]);
        }
        Ok(Some(pose))
    }
}

impl Recording {
    /// Writes the file.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let frames = Some(self.poses.len() as u64);
        let level = Compression::default();
        let mut writer = MotionWriter::new(out, &self.scene, &self.columns, &self.warnings, frames, level)?;
        let mut bytes = Vec::new();
        for pose in &self.poses {
            bytes.clear();
            frame_bytes(pose, &mut bytes);
            writer.write(&bytes)?;
        }
        writer.finish()?.flush()
    }

    /// Reads a file.
    pub fn read(file: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::from_reader(BufReader::new(std::fs::File::open(file)?))
    }

    /// Reads what is whole of a file that may have been cut off while it grew.
    pub fn read_what_is_whole(file: impl AsRef<Path>) -> Result<Self, RecordingError> {
        Self::parse(BufReader::new(std::fs::File::open(file)?), true)
    }

    /// Reads a recording from anywhere.
    pub fn from_reader(from: impl Read) -> Result<Self, RecordingError> {
        Self::parse(from, false)
    }

    fn parse(mut from: impl Read, leniently: bool) -> Result<Self, RecordingError> {
        let mut start = [0; 16];
        from.read_exact(&mut start).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => RecordingError::Foreign,
            _ => RecordingError::Io(error),
        })?;
        let word = |i: usize| u32::from_le_bytes([start[i], start[i + 1], start[i + 2], start[i + 3]]);
        if start[..8] != MAGIC[..] {
            return Err(RecordingError::Foreign);
        }
        if !(1..=VERSION).contains(&word(8)) {
            return Err(RecordingError::Version(word(8)));
        }
        let length = word(12);
        if length > MAX_HEADER {
            return Err(damaged("the length of its header"));
        }
        // memory grows with what is there, not with what the file says
        let mut header = Vec::new();
        from.by_ref().take(u64::from(length)).read_to_end(&mut header)?;
        if header.len() < length as usize {
            return Err(damaged("its header ends early"));
        }
        let header: HeaderIn =
            serde_json::from_slice(&header).map_err(|error| damaged(format!("its header: {error}")))?;
        if let Some(what) = header.scene.fault() {
            return Err(damaged(what));
        }
        let mut recording = Recording {
            scene: header.scene,
            columns: header.columns,
            poses: Vec::new(),
            warnings: header.warnings,
        };
        // what a piece of the stream holds is lost with it where it is damaged: pieces of a byte lose nothing
        let piece = if leniently { 1 } else { 1 << 15 };
        let from = BufReader::new(ZlibDecoder::new_with_buf(from, vec![0; piece]));
        let mut frames = Frames { from, short: word(8) < 3, budget: Budget(MAX_FRAMES_BYTES) };
        loop {
            match frames.next(&recording.scene) {
                Ok(Some(pose)) => match frames.budget.take(1, size_of::<Snapshot>()) {
                    Ok(()) => recording.poses.push(pose),
                    Err(_) if leniently => break,
                    Err(error) => return Err(error),
                },
                Ok(None) => break,
                Err(_) if leniently => break,
                Err(error) => return Err(error),
            }
        }
        let counted = recording.poses.len() as u64;
        match header.frames {
            Some(frames) if frames != counted && !leniently => {
                Err(damaged(format!("it has {counted} frames of {frames}")))
            }
            _ => Ok(recording),
        }
    }
}
