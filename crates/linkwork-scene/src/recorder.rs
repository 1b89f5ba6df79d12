//! Records a run as it goes, within a budget of memory.

use crate::motion::{MotionWriter, Recording, frame_bytes};
use crate::posing::Poser;
use crate::scene::Scene;
use flate2::Compression;
use linkwork::mechanism::Mechanism;
use linkwork::results::{Column, Frame, columns};
use std::io::{self, Write};

/// The frames of a recording take no more memory than this, bytes, unless set otherwise.
pub const BUDGET: usize = 48 << 20;

/// Takes the frames of a run. Where they are more than fit, every other one is left out, again and again, so that those that
/// stay are evenly spread; the last one stays always.
pub struct Recorder {
    scene: Scene,
    columns: Vec<Column>,
    poser: Poser,
    frames: Vec<Box<[u8]>>,
    bytes: usize,
    budget: usize,
    /// One of this many frames is kept.
    stride: u64,
    seen: u64,
    /// The last frame, where it is none of the kept ones.
    last: Vec<u8>,
    /// Frames since the last request.
    fresh: Vec<u8>,
    wants_fresh: bool,
}

impl Recorder {
    /// For a run of a mechanism.
    pub fn new(mechanism: &Mechanism) -> Self {
        Self::with_budget(mechanism, BUDGET)
    }

    /// For a run of a mechanism, with so many bytes for its frames.
    pub fn with_budget(mechanism: &Mechanism, budget: usize) -> Self {
        let scene = Scene::of(mechanism);
        Recorder {
            poser: Poser::new(&scene),
            scene,
            columns: columns(mechanism),
            frames: Vec::new(),
            bytes: 0,
            budget,
            stride: 1,
            seen: 0,
            last: Vec::new(),
            fresh: Vec::new(),
            wants_fresh: false,
        }
    }

    /// What is drawn.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many frames are kept.
    pub fn len(&self) -> usize {
        self.frames.len() + usize::from(!self.last.is_empty())
    }

    /// Whether there is no frame yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes a frame; `mechanism` is the one that the run began with.
    pub fn record(&mut self, mechanism: &Mechanism, frame: &Frame) {
        let pose = self.poser.pose(mechanism, frame);
        let mut bytes = std::mem::take(&mut self.last);
        bytes.clear();
        frame_bytes(&pose, &mut bytes);
        self.take(bytes);
    }

    /// Takes over what an earlier run of the same model recorded up to a time; tells whether it was of the same.
    pub fn go_on_from(&mut self, earlier: &Recording, until: f64) -> bool {
        if !self.scene.moves_like(&earlier.scene) {
            return false;
        }
        for pose in earlier.poses.iter().take_while(|pose| pose.t <= until) {
            let mut bytes = std::mem::take(&mut self.last);
            bytes.clear();
            frame_bytes(pose, &mut bytes);
            self.take(bytes);
        }
        true
    }

    fn take(&mut self, bytes: Vec<u8>) {
        let kept = self.seen.is_multiple_of(self.stride);
        self.seen += 1;
        if !kept {
            self.last = bytes;
            return;
        }
        if self.wants_fresh {
            self.fresh.extend_from_slice(&bytes);
        }
        self.bytes += bytes.len();
        self.frames.push(bytes.into_boxed_slice());
        while self.bytes > self.budget && self.frames.len() > 2 {
            self.thin();
        }
    }

    /// Leaves every other frame out.
    fn thin(&mut self) {
        self.stride *= 2;
        let last = self.frames.len() - 1;
        let mut newest = None;
        self.frames = std::mem::take(&mut self.frames)
            .into_iter()
            .enumerate()
            .filter_map(|(i, frame)| match i % 2 {
                0 => Some(frame),
                _ if i == last => {
                    newest = Some(frame);
                    None
                }
                _ => None,
            })
            .collect();
        self.bytes = self.frames.iter().map(|frame| frame.len()).sum();
        if let Some(newest) = newest {
            self.last = newest.into_vec();
        }
    }

    /// Writes the recording so far as a whole file; `warnings` are lines for people.
    pub fn write(&self, out: impl Write, warnings: &[String]) -> io::Result<()> {
        let frames = Some(self.len() as u64);
        let level = Compression::new(5);
        let mut writer = MotionWriter::new(out, &self.scene, &self.columns, warnings, frames, level)?;
        for frame in self.all() {
            writer.write(frame)?;
        }
        writer.finish()?.flush()
    }

    /// Begins a file that grows with the run and can be read however it ends: [`Recorder::pass_on`] adds to it.
    pub fn journal<W: Write>(&mut self, out: W) -> io::Result<MotionWriter<W>> {
        let mut journal = MotionWriter::new(out, &self.scene, &self.columns, &[], None, Compression::fast())?;
        for frame in self.all() {
            journal.write(frame)?;
        }
        self.wants_fresh = true;
        self.fresh.clear();
        Ok(journal)
    }

    /// Adds to a journal what has been recorded since the last time.
    pub fn pass_on<W: Write>(&mut self, journal: &mut MotionWriter<W>) -> io::Result<()> {
        journal.write(&self.fresh)?;
        self.fresh.clear();
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &[u8]> {
        let last = (!self.last.is_empty()).then_some(self.last.as_slice());
        self.frames.iter().map(|frame| &**frame).chain(last)
    }

    /// Says where frames were left out, and what of the bodies is not drawn as the model says.
    pub fn remarks(&self) -> Vec<String> {
        let thinned = (self.stride > 1).then(|| {
            let (kept, seen) = (self.len(), self.seen);
            format!("the animation shows {kept} of {seen} rows, every {}th: more did not fit", self.stride)
        });
        thinned.into_iter().chain(self.scene.remarks.iter().cloned()).collect()
    }
}
