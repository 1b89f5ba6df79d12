//! Steps whose sizes the caller chooses, for runs that repeat those of another one.

use super::events::Events;
use super::pieces::Pieces;
use super::run::Leg;
use super::stepping::{Progress, Simulation};
use crate::Error;
use crate::interactions::Laws;
use crate::mechanism::Mechanism;

impl Mechanism {
    /// Whether its motion is one smooth stretch, whatever it does: no events, no functions of time, no laws that do something narrow.
    pub(crate) fn is_uneventful(&self) -> bool {
        let smooth = !self.timing.depends && self.masses.is_empty();
        smooth && Events::new(self, true).is_none() && Laws::new(&self.interactions).list.is_empty()
    }
}

impl Simulation<'_> {
    /// Reads results off every step from now on.
    pub(crate) fn watch_pieces(&mut self, pieces: Pieces) {
        self.with_stage(|stage| stage.ledger().pieces = Some(Box::new(pieces)));
    }

    /// What has been read off.
    pub(crate) fn take_pieces(&mut self) -> Pieces {
        self.with_stage(|stage| stage.ledger().pieces.take()).map_or_else(Pieces::default, |pieces| *pieces)
    }

    /// How many pieces have been read off.
    pub(crate) fn count_pieces(&mut self) -> usize {
        self.with_stage(|stage| stage.ledger().pieces.as_ref().map_or(0, |pieces| pieces.list.len()))
    }

    /// Size of the last step, s, also where something that happened has cut it; and the time at which the present stretch ends at the latest.
    pub(crate) fn last_step(&mut self) -> f64 {
        self.with_stage(|stage| stage.ledger().last_step)
    }

    /// The time at which the present stretch of smooth motion ends at the latest, s.
    pub(crate) fn stretch_end(&mut self) -> f64 {
        self.with_stage(|stage| stage.stretch_end())
    }

    /// One step of this size, whatever its error; shorter where the stretch ends.
    pub(crate) fn dictated_step(&mut self, h: f64) -> Result<Progress, Error> {
        self.with_stage(|stage| stage.dictate(h));
        self.go(Leg::Step)
    }
}
