//! What derivatives are taken of: one number made of a column of the results over a run.
//!
//! Every step is read off at the Gauss–Lobatto places s_i with weights w_i, so that with h the length of a piece of smooth motion
//!
//!   (Q1)  integral = Σ_pieces h Σ_i w_i x(s_i),   mean = integral / Σ h,   rms² = Σ_pieces h Σ_i w_i x(s_i)² / Σ h
//!   (Q2)  max = the highest value of the polynomials through the x(s_i): located within its step, so that it moves smoothly with a variable
//!
//! and do not depend on where result rows fall.

use super::lobatto::Lobatto;
use crate::simulation::{Piece, Pieces};

/// What is made of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Take {
    /// Its last value.
    Final,
    /// Its value at a time, s; where something happens then, the value after it.
    At(f64),
    /// Its largest value, also between result rows.
    Max,
    /// Its least value.
    Min,
    /// Its mean over time.
    Mean,
    /// The root of the mean of its square over time.
    Rms,
    /// Its integral over time.
    Integral,
    /// Its value right before the event of this number, counted from one.
    Before(usize),
    /// Its value right after that event.
    After(usize),
}

/// A number made of a column of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name in what is reported.
    pub name: String,
    /// What is made of the column.
    pub take: Take,
    /// The column of the results: `point.B.x`, `energy.kinetic`, or `t` for the time.
    pub column: String,
}

impl Quantity {
    /// A quantity under the name `final(point.B.x)`, `at(0.5, point.B.x)`, `before(3, point.B.vy)`.
    pub fn new(take: Take, column: impl Into<String>) -> Self {
        let column = column.into();
        let name = match take {
            Take::Final => format!("final({column})"),
            Take::At(t) => format!("at({t}, {column})"),
            Take::Max => format!("max({column})"),
            Take::Min => format!("min({column})"),
            Take::Mean => format!("mean({column})"),
            Take::Rms => format!("rms({column})"),
            Take::Integral => format!("integral({column})"),
            Take::Before(k) => format!("before({k}, {column})"),
            Take::After(k) => format!("after({k}, {column})"),
        };
        Quantity { name, take, column }
    }

    /// Its unit, where the column has this one.
    pub(super) fn unit(&self, column: &str) -> String {
        match (self.take, column) {
            (Take::Integral, "") => "s".into(),
            (Take::Integral, unit) => format!("{unit} s"),
            (_, unit) => unit.to_owned(),
        }
    }
}

impl Take {
    /// Whether steps have to be read off between their ends.
    pub(super) fn looks_within(self) -> bool {
        matches!(self, Take::Max | Take::Min | Take::Mean | Take::Rms | Take::Integral)
    }

    /// The value over a run, of the column at `place` among those that are kept. `events` are the numbers of pieces before each event. Not a number where there is none.
    pub(super) fn value(self, pieces: &Pieces, place: usize, events: &[usize], rule: &Lobatto) -> f64 {
        let width = pieces.columns.len();
        let at = |piece: &Piece, node: usize| piece.rows[node * width + place];
        let last = pieces.places.len() - 1;
        let sum = |of: &dyn Fn(f64) -> f64| {
            let (mut sum, mut time) = (0.0, 0.0);
            for piece in &pieces.list {
                let h = piece.to - piece.from;
                let part: f64 = (0..=last).map(|i| rule.weights[i] * of(at(piece, i))).sum();
                if part.is_finite() {
                    sum += h * part;
                    time += h;
                }
            }
            (sum, time)
        };
        let (Some(begin), Some(end)) = (pieces.list.first(), pieces.list.last()) else { return f64::NAN };
        match self {
            Take::Final => at(end, last),
            Take::At(t) => {
                let near = 1e-12 * (end.to - begin.from);
                if let Some(piece) = pieces.list.iter().find(|piece| (piece.from - t).abs() <= near) {
                    return at(piece, 0);
                }
                let piece = pieces.list.iter().find(|piece| (piece.to - t).abs() <= near);
                piece.map_or(f64::NAN, |piece| at(piece, last))
            }
            Take::Max => highest(pieces, place, 1.0, rule).map_or(f64::NAN, |top| top.value),
            Take::Min => highest(pieces, place, -1.0, rule).map_or(f64::NAN, |top| -top.value),
            Take::Integral => sum(&|x| x).0,
            Take::Mean => {
                let (sum, time) = sum(&|x| x);
                sum / time
            }
            Take::Rms => {
                let (sum, time) = sum(&|x| x * x);
                (sum / time).max(0.0).sqrt()
            }
            Take::Before(k) | Take::After(k) => {
                let Some(&done) = k.checked_sub(1).and_then(|k| events.get(k)) else { return f64::NAN };
                let before = done.checked_sub(1).map(|i| at(&pieces.list[i], last));
                let after = pieces.list.get(done).map(|piece| at(piece, 0));
                let (first, second) =
                    if matches!(self, Take::Before(_)) { (before, after) } else { (after, before) };
                first.or(second).unwrap_or(f64::NAN)
            }
        }
    }
}

/// Where a column is highest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Top {
    pub value: f64,
    /// In which piece, and where in it, from 0 to 1.
    pub piece: usize,
    pub place: f64,
}

/// (Q2) of a column times `sign`; `None` of a column that is never there.
pub(super) fn highest(pieces: &Pieces, column: usize, sign: f64, rule: &Lobatto) -> Option<Top> {
    let width = pieces.columns.len();
    let nodes = pieces.places.len();
    let mut values = vec![0.0; nodes];
    let mut best: Option<Top> = None;
    for (piece, read) in pieces.list.iter().enumerate() {
        for (i, value) in values.iter_mut().enumerate() {
            *value = sign * read.rows[i * width + column];
        }
        let (mut low, mut high, mut top) = (f64::INFINITY, f64::NEG_INFINITY, 0);
        for (i, &value) in values.iter().enumerate() {
            low = low.min(value);
            if value > high {
                (high, top) = (value, i);
            }
        }
        // between two places it rises by no more than it varies over the piece
        if !high.is_finite() || best.is_some_and(|best| high + (high - low) < best.value) {
            continue;
        }
        let (value, place) = rule.top(&values, top);
        if best.is_none_or(|best| value > best.value) {
            best = Some(Top { value, piece, place });
        }
    }
    best
}
