//! The recording of a run and its report, beside the results.
//!
//! A run without checkpoints keeps the recording in memory and writes it in the end. One with checkpoints writes `motion.lwm.part` as well, which can be read
//! however the run ends: to go on, the frames up to the checkpoint are taken from there.

use crate::output::{PendingFile, create_fresh, regular, replace};
use linkwork::mechanism::Mechanism;
use linkwork::results::Frame;
use linkwork_scene::motion::MotionWriter;
use linkwork_scene::{MOTION_FILE, Recorder, Recording};
use linkwork_view::{REPORT_FILE, report};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A recording that grows with its run.
pub struct MotionFile<'m> {
    mechanism: &'m Mechanism,
    folder: PathBuf,
    recorder: Recorder,
    journal: Option<MotionWriter<BufWriter<File>>>,
    remarks: Vec<String>,
}

impl<'m> MotionFile<'m> {
    /// Of a run that begins; `lasting` if checkpoints are taken.
    pub fn create(mechanism: &'m Mechanism, folder: &Path, lasting: bool) -> io::Result<Self> {
        // whether they can be written is known before the run
        for name in [MOTION_FILE, REPORT_FILE] {
            drop(PendingFile::result(folder.join(name))?);
        }
        let recorder = Recorder::new(mechanism);
        let mut file =
            MotionFile { mechanism, folder: folder.into(), recorder, journal: None, remarks: Vec::new() };
        if lasting {
            file.begin_journal()?;
        }
        Ok(file)
    }

    /// Of a run that goes on at a time.
    pub fn reopen(mechanism: &'m Mechanism, folder: &Path, t: f64) -> io::Result<Self> {
        let mut file = Self::create(mechanism, folder, false)?;
        let names = [file.part(), folder.join(MOTION_FILE)];
        let earlier = names.into_iter().find_map(|name| {
            regular(&name).ok()?;
            Recording::read_what_is_whole(name).ok()
        });
        if !earlier.is_some_and(|earlier| file.recorder.go_on_from(&earlier, t)) {
            file.remarks.push(format!(
                "the animation begins at {t} s, where the run went on: what was recorded before is not there"
            ));
        }
        file.begin_journal()?;
        Ok(file)
    }

    /// What to know of the picture: meshes that were thinned out, or cannot be read.
    pub fn picture(&self) -> &[String] {
        &self.recorder.scene().remarks
    }

    fn part(&self) -> PathBuf {
        self.folder.join(format!("{MOTION_FILE}.part"))
    }

    fn begin_journal(&mut self) -> io::Result<()> {
        // an older one stays until this one has what it had
        let fresh = self.folder.join(format!("{MOTION_FILE}.part.new"));
        let begun = self.write_journal(&fresh).and_then(|()| fs::rename(&fresh, self.part()));
        if begun.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        begun
    }

    fn write_journal(&mut self, fresh: &Path) -> io::Result<()> {
        let file = BufWriter::with_capacity(1 << 16, create_fresh(fresh)?);
        self.journal = Some(self.recorder.journal(file)?);
        self.sync()
    }

    /// Takes a row.
    pub fn row(&mut self, frame: &Frame) -> io::Result<()> {
        self.recorder.record(self.mechanism, frame);
        match &mut self.journal {
            Some(journal) => self.recorder.pass_on(journal),
            None => Ok(()),
        }
    }

    /// Sees to it that all is on the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.flush()?;
        journal.get_ref().get_ref().sync_data()
    }

    /// Writes the recording under its name.
    pub fn keep(mut self, mut warnings: Vec<String>) -> io::Result<()> {
        warnings.append(&mut self.remarks);
        warnings.extend(self.recorder.remarks());
        let file = PendingFile::result(self.folder.join(MOTION_FILE))?;
        let mut out = file.writer()?;
        self.recorder.write(&mut out, &warnings)?;
        out.flush()?;
        file.keep()?;
        self.discard()
    }

    /// Takes away what is not under its name.
    pub fn discard(mut self) -> io::Result<()> {
        drop(self.journal.take());
        remove(&self.part())
    }
}

/// Takes away the recording and the report of an earlier run: they would belong to nothing.
pub fn remove_earlier(folder: &Path) -> io::Result<()> {
    let part = format!("{MOTION_FILE}.part");
    [MOTION_FILE, REPORT_FILE, &part].into_iter().try_for_each(|name| remove(&folder.join(name)))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the report of a folder of results, in it.
pub fn write_report(folder: &Path) -> io::Result<()> {
    let page = report(folder).map_err(io::Error::other)?;
    replace(&folder.join(REPORT_FILE), page.as_bytes())
}
