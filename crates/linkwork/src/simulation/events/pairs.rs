//! Pairs of boxes as a whole.
//!
//! A corner over a face and two edges that cross hold in regions only. Where boxes that overlap hand over from one to the other, each gap on its own is negative for an
//! instant only: within a step an edge may come through an edge, and the corner that takes over finds itself inside. So the distance σ of the boxes is watched as well, (X1) of
//! [`boxes`](crate::contact), which is negative wherever they overlap, whichever feature tells:
//!
//!   (P1)  −σ − σ₀ − δ,   σ₀ = max(0, −σ) when contacts were last looked at, and as much again where that is clear
//!
//! δ is nothing but rounding as long as no contact of the pair is closed. Then the dense output leaves the constraints a little, and δ is above that. Where (P1) becomes positive, whatever
//! touches is looked at, as at the root of a gap.

use super::{Events, Of};
use crate::contact::Form;
use crate::mechanism::Mechanism;

/// δ of pairs that touch, in parts of the tolerance of the size.
const OFF: f64 = 10.0;
/// And the least of it, in parts of the size.
const LEAST: f64 = 1e-9;

/// Whether a pair has features that hold in regions only.
pub(super) fn is_watched(mechanism: &Mechanism, pair: usize) -> bool {
    mechanism.pairs[pair]
        .surfaces
        .iter()
        .all(|&s| matches!(mechanism.surfaces[s].surface.form, Form::Block(_)))
}

impl Events<'_> {
    /// −σ where the bodies are, m.
    fn overlap(&self, pair: usize) -> f64 {
        let [a, b] = self.mechanism.pairs[pair].surfaces.map(|s| &self.mechanism.surfaces[s].surface);
        a.depth(b, &self.ws.motions, self.mechanism.columns() == 2)
    }

    /// (P1)
    pub(super) fn pair_margin(&self, pair: usize) -> f64 {
        let contacts = &self.contacts;
        let mut all = self.mechanism.pairs[pair].contacts();
        let tolerance = self.mechanism.model.settings.tolerance;
        let off = match all.any(|i| contacts.place[i].is_some()) {
            true => ((OFF * tolerance).max(LEAST) * self.mechanism.size).min(contacts.gone),
            false => self.no_gap,
        };
        self.overlap(pair) - contacts.pairs[pair] - off
    }

    /// σ₀ of (P1), of all pairs. What overlaps clearly and has been looked at is not looked at again before it has doubled, so that boxes between which no feature tells anything do not stop
    /// the run.
    pub(super) fn note_overlaps(&mut self) {
        for w in 0..self.watches.len() {
            let Of::Pair(pair) = self.watches[w].of else { continue };
            let [a, b] = self.mechanism.pairs[pair].surfaces.map(|s| &self.mechanism.surfaces[s].surface);
            let far = a.apart(b, &self.ws.motions) > 0.0;
            let deep = if far { 0.0 } else { self.overlap(pair).max(0.0) };
            let more = if deep > 10.0 * self.no_gap { deep.max(LEAST * self.mechanism.size) } else { 0.0 };
            self.contacts.pairs[pair] = deep + more;
        }
    }
}
