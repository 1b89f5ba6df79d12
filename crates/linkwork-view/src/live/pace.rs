//! The clock: when an instant of the model is due, and how fast the model really goes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Who is later than this gives the lost time up, instead of running after it.
const PATIENCE: Duration = Duration::from_millis(100);

/// The factor is that of the last so long.
const LOOK_BACK: Duration = Duration::from_secs(1);

/// Model time against the clock.
pub(super) struct Pace {
    speed: f64,
    /// An instant of the clock and of the model that belong together.
    anchor: Option<(Instant, f64)>,
    passed: VecDeque<(Instant, f64)>,
}

impl Pace {
    /// So many seconds of the model for a second of the clock.
    pub fn new(speed: f64) -> Self {
        Pace { speed, anchor: None, passed: VecDeque::new() }
    }

    /// Changes the speed from now on.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.anchor = None;
    }

    /// The model stands: its time and the clock part.
    pub fn rest(&mut self) {
        self.anchor = None;
        self.passed.clear();
    }

    /// How long until an instant of the model is due. It counts as reached now.
    pub fn due_in(&mut self, now: Instant, t: f64) -> Duration {
        let (begun, from) = *self.anchor.get_or_insert((now, t));
        let since = Duration::try_from_secs_f64(((t - from) / self.speed).max(0.0)).unwrap_or(Duration::ZERO);
        let due = begun + since;
        if now > due + PATIENCE {
            self.anchor = Some((now, t));
        }
        due.saturating_duration_since(now)
    }

    /// An instant of the model has been shown.
    pub fn reached(&mut self, now: Instant, t: f64) {
        self.passed.push_back((now, t));
        // one that is older than the look-back stays, so that there is a whole one
        while self.passed.get(1).is_some_and(|(at, _)| now.duration_since(*at) > LOOK_BACK) {
            self.passed.pop_front();
        }
    }

    /// Seconds of the model for a second of the clock; 0 while it stands.
    pub fn factor(&self, now: Instant) -> f64 {
        match (self.passed.front(), self.passed.back()) {
            (Some((begun, from)), Some((_, to))) if now > *begun => {
                (to - from) / now.duration_since(*begun).as_secs_f64()
            }
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn exact_due_times() {
        let (mut pace, start) = (Pace::new(2.0), Instant::now());
        assert_eq!(pace.due_in(start, 10.0), Duration::ZERO);
        assert_eq!(pace.due_in(start, 12.0), SECOND);
        assert_eq!(pace.due_in(start + SECOND / 2, 12.0), SECOND / 2);
    }

    /// Two seconds late: the time is given up, not made up for.
    #[test]
    fn exact_falls_behind_without_a_backlog() {
        let (mut pace, start) = (Pace::new(1.0), Instant::now());
        pace.due_in(start, 0.0);
        assert_eq!(pace.due_in(start + 2 * SECOND, 0.1), Duration::ZERO);
        assert_eq!(pace.due_in(start + 2 * SECOND, 1.1), SECOND);
    }

    #[test]
    fn exact_factor_of_the_last_second() {
        let (mut pace, start) = (Pace::new(1.0), Instant::now());
        for i in 0..=300_u32 {
            // slow at first, then at speed
            let t = if i < 100 { 0.0 } else { f64::from(i - 100) / 60.0 };
            pace.reached(start + i * SECOND / 60, t);
        }
        let factor = pace.factor(start + 5 * SECOND);
        assert!((factor - 1.0).abs() < 1e-6, "{factor}");
        pace.rest();
        assert_eq!(pace.factor(start + 5 * SECOND), 0.0);
    }
}
