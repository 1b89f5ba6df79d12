//! Results within steps, read off at the same parts of every stretch of smooth motion: what integrals and extremes are made of that do not depend on where rows fall.

use super::Status;
use super::run::{Run, observe};
use crate::formulations::Formulate;
use crate::integrate::StepError;
use crate::results::row;

/// A piece of smooth motion: a step, or its part up to an event.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// When it begins and ends, s.
    pub from: f64,
    pub to: f64,
    /// The columns at each of the places, one after the other.
    pub rows: Vec<f64>,
}

/// The pieces of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    /// Parts of a piece, from 0 to 1, at which results are read off.
    pub places: Vec<f64>,
    /// Which columns of the results are kept.
    pub columns: Vec<usize>,
    pub list: Vec<Piece>,
    row: Vec<f64>,
}

impl Pieces {
    pub fn new(places: Vec<f64>, columns: Vec<usize>) -> Self {
        Pieces { places, columns, ..Pieces::default() }
    }
}

impl<F: Formulate> Run<'_, F> {
    /// Reads off the last step up to a time, if somebody wants it.
    pub(super) fn take_piece(&mut self, to: f64) -> Result<(), Status> {
        let Some(mut pieces) = self.ledger.pieces.take() else { return Ok(()) };
        let from = self.stepper.t_old();
        let mut rows = Vec::with_capacity(pieces.places.len() * pieces.columns.len());
        for &place in &pieces.places {
            let t = match place {
                0.0 => from,
                1.0 => to,
                place => from + (to - from) * place,
            };
            self.look_at(t)?;
            let shown = observe(self.mechanism, &mut self.system, t, &self.y, &mut self.frame, &mut self.row);
            shown.map_err(|source| self.failed(t, &StepError::System { t, source }))?;
            row(self.mechanism, &self.frame, &mut pieces.row);
            rows.extend(pieces.columns.iter().map(|&column| pieces.row[column]));
        }
        pieces.list.push(Piece { from, to, rows });
        self.ledger.pieces = Some(pieces);
        Ok(())
    }
}
