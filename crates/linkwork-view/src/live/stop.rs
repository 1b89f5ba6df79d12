//! The end, for all threads at once.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Says that all is to end.
#[derive(Debug, Default)]
pub(super) struct Stop {
    said: Mutex<bool>,
    wake: Condvar,
}

impl Stop {
    fn state(&self) -> MutexGuard<'_, bool> {
        self.said.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Says so.
    pub fn say(&self) {
        *self.state() = true;
        self.wake.notify_all();
    }

    /// Whether it was said.
    pub fn is_said(&self) -> bool {
        *self.state()
    }

    /// Waits for a time, or until it is said; tells whether it was.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut said = self.state();
        while !*said {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            said = self
                .wake
                .wait_timeout(said, left)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(said, _)| said);
        }
        *said
    }
}
