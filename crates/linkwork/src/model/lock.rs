//! Locks of joint coordinates.

use super::Formula;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

keys! {
    /// Holds coordinates of a joint at the values they have when it engages, as a brake that grips at once: velocities jump, and the energy that is lost appears as (negative) work. Closed from the start if neither `from` nor `when` is given.
    Lock(name) {
        /// The joint, by its name in results.
        joint: String => required String,
        /// Which of the joint's coordinates, counted from one; all of them if left out.
        coordinate: Option<usize> => optional Count,
        /// It engages at this time, s.
        from: Option<f64> => optional Time,
        /// It lets go at this time, s.
        until: Option<f64> => optional Time,
        /// It engages when this condition becomes true, as often as it does.
        when: Option<Formula> => optional Truth,
        /// It lets go when this condition becomes true, as often as it does.
        release: Option<Formula> => optional Truth,
    }
}

#[cfg(feature = "file")]
impl Rules for Lock {}

impl Lock {
    /// Holds all coordinates of a joint from the start on.
    pub fn joint(name: impl Into<String>, joint: &str) -> Self {
        Lock {
            name: name.into(),
            joint: joint.into(),
            coordinate: None,
            from: None,
            until: None,
            when: None,
            release: None,
        }
    }

    /// Holds one coordinate only, counted from one.
    pub fn coordinate(mut self, number: usize) -> Self {
        self.coordinate = Some(number);
        self
    }

    /// Engages at a time, s.
    pub fn from(mut self, t: f64) -> Self {
        self.from = Some(t);
        self
    }

    /// Lets go at a time, s.
    pub fn until(mut self, t: f64) -> Self {
        self.until = Some(t);
        self
    }

    /// Engages when a condition becomes true.
    pub fn when(mut self, condition: impl Into<Formula>) -> Self {
        self.when = Some(condition.into());
        self
    }

    /// Lets go when a condition becomes true.
    pub fn release(mut self, condition: impl Into<Formula>) -> Self {
        self.release = Some(condition.into());
        self
    }

    /// Whether it is closed at the start.
    pub fn starts_closed(&self) -> bool {
        match self.from {
            Some(t) => t == 0.0,
            None => self.when.is_none(),
        }
    }
}
