//! The model file, looked at again and again: a new text is reported when it has stopped changing.

use super::commands::{Command, Order};
use super::stop::Stop;
use linkwork::model::file::MAX_FILE_BYTES;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, SystemTime};

/// The text of a model file, up to just beyond what one may have.
pub(super) fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(file)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// By what a change is noticed.
type Mark = Option<(SystemTime, u64)>;

fn mark(file: &Path) -> io::Result<Mark> {
    let facts = std::fs::metadata(file)?;
    Ok(facts.modified().ok().map(|at| (at, facts.len())))
}

/// Watches until all ends. `known`: the text so far.
pub(super) fn watch(
    file: &Path,
    mut known: Vec<u8>,
    every: Duration,
    orders: &SyncSender<Order>,
    stop: &Stop,
) {
    let tell = |command| orders.send(Order { from: 0, command }).is_ok();
    // the text may have changed since it was read: the first look counts as news
    let (mut seen, mut settled, mut gone): (Mark, bool, bool) = (None, false, false);
    while !stop.wait(every) {
        let found = mark(file).and_then(|now| {
            let same = now.is_some() && now == seen;
            let fresh = !same || !settled;
            (seen, settled) = (now, same);
            // an editor may still be writing: look once more
            if fresh && same { read(file).map(Some) } else { Ok(None) }
        });
        match found {
            Ok(None) => {}
            Ok(Some(text)) => {
                let back = std::mem::replace(&mut gone, false);
                if (text != known || back) && !tell(Command::File(text.clone())) {
                    return;
                }
                known = text;
            }
            Err(error) => {
                (seen, settled) = (None, false);
                // some editors take the old file away before the new one is there
                if !gone && !stop.wait(every) && read(file).is_err() {
                    gone = true;
                    if !tell(Command::FileGone(error.to_string())) {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn keeps_up_with_a_file_that_changes_goes_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, "one").unwrap();
        let (orders, inbox) = sync_channel(8);
        let stop = Stop::default();
        std::thread::scope(|scope| {
            scope.spawn(|| watch(&file, b"one".to_vec(), Duration::from_millis(5), &orders, &stop));
            let next = || inbox.recv_timeout(Duration::from_secs(20)).unwrap().command;
            let quiet = || assert!(inbox.recv_timeout(Duration::from_millis(60)).is_err());
            quiet();
            std::fs::write(&file, "two").unwrap();
            assert_eq!(next(), Command::File(b"two".to_vec()));
            quiet();
            std::fs::remove_file(&file).unwrap();
            assert!(matches!(next(), Command::FileGone(_)));
            quiet();
            std::fs::write(&file, "two").unwrap();
            assert_eq!(next(), Command::File(b"two".to_vec()));
            stop.say();
        });
    }
}
