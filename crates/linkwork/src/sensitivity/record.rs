//! A run whose steps and events are kept, and runs of its neighbours that repeat them.
//!
//! Step sizes that error control chooses jump with every rounding, and so do differences of two runs. A neighbour therefore takes the steps of the nominal run: the same number of
//! them between the same events. With t_a, t_b the times at which a stretch of smooth motion begins and ends, and t'_a where it begins in the neighbour,
//!
//!   (S1)  h'_k = h_k (t_b − t'_a)/(t_b − t_a)     where the stretch ends at a given time: the end of the run, a corner of a function of time
//!   (S2)  h'_k = h_k                              where it ends by an event, which falls where it falls in the last step
//!
//! so that the state at the end is a smooth function of all variables. What happens must be the same: another order of events, one more or one less is an error that names the first
//! that differs.

use super::SensitivityError;
use super::lobatto::Lobatto;
use super::quantity::{Quantity, Take, highest};
use crate::Error;
use crate::mechanism::Mechanism;
use crate::model::{Formulation, Integrator};
use crate::results::columns;
use crate::simulation::{Event, EventKind, Pieces, Progress, Simulation, Status};

/// What happened, as far as neighbours must agree in it.
#[derive(Clone, Debug, PartialEq)]
struct Sign {
    kind: EventKind,
    name: String,
    coordinate: Option<usize>,
}

/// A stretch of smooth motion of the nominal run.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    /// When it begins and ends, s.
    pub from: f64,
    pub to: f64,
    /// The sizes of its steps, s.
    pub steps: Vec<f64>,
    /// Whether it ends at a given time: one at which somebody wants to know values, or the end that functions of time have given it, which a neighbour has elsewhere.
    given_end: bool,
    pub at_stop: bool,
    /// What happened at its end, in the order in which it was reported, and whether anything did.
    events: Vec<Sign>,
    pub happened: bool,
    pub finished: bool,
}

/// The nominal run.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub stretches: Vec<Stretch>,
    /// What happened at the start.
    at_start: Vec<Sign>,
    pub formulation: Formulation,
    pub integrator: Integrator,
    /// Times at which steps end, since somebody wants to know values there.
    stops: Vec<f64>,
    pub rule: Lobatto,
    /// The columns that are read off, each once, and which of them each quantity takes.
    pub columns: Vec<usize>,
    pub taken: Vec<usize>,
    pub units: Vec<String>,
    pub column_units: Vec<String>,
    /// Of extremes: when they are, if within a piece; the piece that they are at an end of, and whether that is its last one.
    pub tops: Vec<Option<f64>>,
    pub at_edge: Vec<Option<(usize, bool)>>,
    /// The kept columns at both ends of each piece.
    ends: Vec<[Vec<f64>; 2]>,
    /// The values of the quantities; `None` where nobody has looked.
    pub values: Option<Values>,
}

/// Steps more than the nominal run had in which an event may be late.
const LATE: usize = 8;
/// Times this part of the duration apart are the same.
const SAME_TIME: f64 = 1e-12;

fn signs(events: &[Event]) -> Vec<Sign> {
    let sign =
        |event: &Event| Sign { kind: event.kind, name: event.name.clone(), coordinate: event.coordinate };
    events.iter().map(sign).collect()
}

fn describe(signs: &[Sign]) -> String {
    match signs {
        [] => "nothing".into(),
        list => list
            .iter()
            .map(|sign| format!("{} `{}`", sign.kind.name(), sign.name))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn sequence(t: f64, expected: &[Sign], found: &[Sign]) -> SensitivityError {
    let found = match expected == found {
        true => "the same at a time on the other side of that".into(),
        false => describe(found),
    };
    SensitivityError::Sequence { t, expected: describe(expected), found }
}

/// The values of the quantities, and when each event happened.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub values: Vec<f64>,
    pub events: Vec<f64>,
}

impl Record {
    /// Runs a mechanism and keeps how.
    pub fn of(mechanism: &Mechanism, quantities: &[Quantity]) -> Result<(Record, Values), SensitivityError> {
        let mut simulation = mechanism.simulation()?;
        let mut record =
            Record::empty(mechanism, quantities, simulation.formulation(), simulation.integrator())?;
        let values = record.run(&mut simulation, quantities)?;
        Ok((record, values))
    }

    /// What there is to know of a run whose derivatives are integrated along with it: all of it, or, where nothing can happen and no extremes are wanted, no more than that.
    pub fn for_derivatives(
        mechanism: &Mechanism,
        quantities: &[Quantity],
    ) -> Result<Record, SensitivityError> {
        let extremes = quantities.iter().any(|quantity| matches!(quantity.take, Take::Max | Take::Min));
        let counts =
            quantities.iter().any(|quantity| matches!(quantity.take, Take::Before(_) | Take::After(_)));
        if extremes || counts || !mechanism.is_uneventful() {
            let (mut record, values) = Record::of(mechanism, quantities)?;
            record.values = Some(values);
            return Ok(record);
        }
        let settings = &mechanism.model().settings;
        let mut record = Record::empty(mechanism, quantities, settings.formulation, settings.integrator)?;
        let near = SAME_TIME * settings.duration;
        let within = |t: &f64| *t > mechanism.start_time + near && *t < settings.duration - near;
        let mut ends: Vec<f64> = record.stops.iter().copied().filter(within).collect();
        ends.push(settings.duration);
        ends.dedup();
        let mut from = mechanism.start_time;
        for to in ends {
            let at_stop = to < settings.duration;
            record.stretches.push(Stretch {
                from,
                to,
                given_end: true,
                at_stop,
                finished: !at_stop,
                ..Stretch::default()
            });
            from = to;
        }
        Ok(record)
    }

    /// The columns that quantities take, and nothing of a run.
    fn empty(
        mechanism: &Mechanism,
        quantities: &[Quantity],
        formulation: Formulation,
        integrator: Integrator,
    ) -> Result<Record, SensitivityError> {
        let known = columns(mechanism);
        let mut kept: Vec<usize> = Vec::new();
        let (mut taken, mut units) = (Vec::new(), Vec::new());
        for quantity in quantities {
            let measure = format!("measure.{}", quantity.column);
            let found = known.iter().position(|column| column.name == quantity.column);
            let found = found.or_else(|| known.iter().position(|column| column.name == measure));
            let Some(index) = found.filter(|&i| !known[i].name.starts_with("balance.")) else {
                let names = known.iter().map(|column| column.name.as_str());
                let help = crate::error::names::nearest(&quantity.column, names);
                return Err(SensitivityError::Column { name: quantity.column.clone(), help });
            };
            units.push(quantity.unit(&known[index].unit));
            taken.push(kept.iter().position(|&known| known == index).unwrap_or_else(|| {
                kept.push(index);
                kept.len() - 1
            }));
        }
        let duration = mechanism.model().settings.duration;
        let mut stops = Vec::new();
        for quantity in quantities {
            if let Take::At(t) = quantity.take {
                if !(0.0..=duration).contains(&t) {
                    return Err(SensitivityError::Time { name: quantity.name.clone(), duration });
                }
                stops.push(t);
            }
        }
        stops.sort_by(f64::total_cmp);
        let within = quantities.iter().any(|quantity| quantity.take.looks_within());
        let rule = Lobatto::new(match (within, integrator) {
            (false, _) => 2,
            (true, Integrator::Taylor) => 24,
            (true, _) => 16,
        });
        let column_units = kept.iter().map(|&column| known[column].unit.clone()).collect();
        Ok(Record {
            values: None,
            stretches: Vec::new(),
            at_start: Vec::new(),
            formulation,
            integrator,
            stops,
            rule,
            columns: kept,
            taken,
            units,
            column_units,
            tops: Vec::new(),
            at_edge: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Whether nothing can happen on the way, so that nobody has looked.
    pub fn is_quiet(&self) -> bool {
        self.values.is_none()
    }

    fn run(
        &mut self,
        simulation: &mut Simulation<'_>,
        quantities: &[Quantity],
    ) -> Result<Values, SensitivityError> {
        let duration = simulation.mechanism().model().settings.duration;
        let near = SAME_TIME * duration;
        self.at_start = signs(&simulation.events());
        let mut happened = Happened::default();
        simulation.watch_pieces(self.pieces());
        let mut stretch = Stretch { from: simulation.t(), ..Stretch::default() };
        while simulation.status().is_none() {
            let end = simulation.stretch_end();
            let stop = self.stops.iter().copied().find(|&t| t > simulation.t() + near && t < duration - near);
            let progress = match stop {
                Some(t) => simulation.step_toward(t)?,
                None => simulation.step()?,
            };
            let method = simulation.integrator();
            if method != self.integrator || method == Integrator::Moreau {
                return Err(SensitivityError::Unsteady {
                    t: simulation.t(),
                    from: self.integrator,
                    to: method,
                });
            }
            stretch.steps.push(simulation.last_step());
            let events = simulation.events();
            happened.add(simulation, &events);
            stretch.to = simulation.t();
            stretch.at_stop = stop == Some(stretch.to);
            stretch.given_end = stretch.to == end || stretch.at_stop;
            stretch.events = signs(&events);
            stretch.finished = progress == Progress::Finished;
            stretch.happened = progress == Progress::Event || !events.is_empty();
            if stretch.given_end || stretch.happened || stretch.finished {
                self.stretches.push(std::mem::take(&mut stretch));
                stretch.from = simulation.t();
            }
        }
        let pieces = simulation.take_pieces();
        self.keep_ends(&pieces, quantities);
        self.evaluate(simulation, &pieces, quantities, &happened)
    }

    fn keep_ends(&mut self, pieces: &Pieces, quantities: &[Quantity]) {
        let width = self.columns.len();
        let ends = |rows: &Vec<f64>| [rows[..width].to_vec(), rows[rows.len() - width..].to_vec()];
        self.ends = pieces.list.iter().map(|piece| ends(&piece.rows)).collect();
        for (quantity, &place) in quantities.iter().zip(&self.taken) {
            let sign = match quantity.take {
                Take::Max => 1.0,
                Take::Min => -1.0,
                _ => {
                    self.tops.push(None);
                    self.at_edge.push(None);
                    continue;
                }
            };
            let top = highest(pieces, place, sign, &self.rule);
            self.tops.push(top.map(|top| {
                let piece = &pieces.list[top.piece];
                if top.place == 1.0 { piece.to } else { piece.from + top.place * (piece.to - piece.from) }
            }));
            let edge = top.filter(|top| top.place == 0.0 || top.place == 1.0);
            self.at_edge.push(edge.map(|top| (top.piece, top.place == 1.0)));
        }
    }

    /// The kept columns before and after the instant that this many pieces come before.
    pub fn around(&self, pieces: usize) -> (&[f64], &[f64]) {
        let before = pieces.checked_sub(1).and_then(|i| self.ends.get(i)).map_or(&[][..], |ends| &ends[1]);
        let after = self.ends.get(pieces).map_or(before, |ends| &ends[0]);
        (before, after)
    }

    /// What is read off runs.
    pub fn pieces(&self) -> Pieces {
        Pieces::new(self.rule.places.clone(), self.columns.clone())
    }

    /// When the run begins and ends, s.
    pub fn begin(&self) -> f64 {
        self.stretches.first().map_or(0.0, |stretch| stretch.from)
    }

    /// When the run ends, s.
    pub fn end(&self) -> f64 {
        self.stretches.last().map_or(0.0, |stretch| stretch.to)
    }

    /// Leads a neighbour, which is shortly before the end of a stretch, over what happens there, by even steps that are half as long as those of the nominal run at most. What happens there happens in
    /// the middle of the last one, so that it does for all neighbours. Where its time is known already, the last step is a short one about it: dense output over a long step has more roundings.
    pub fn lead(
        &self,
        simulation: &mut Simulation<'_>,
        stretch: &Stretch,
        known: Option<f64>,
    ) -> Result<(), SensitivityError> {
        /// A short step, in parts of the longest of the stretch.
        const SHORT: f64 = 1.0 / 1024.0;
        let from = simulation.t();
        let longest = stretch.steps.iter().fold(0.0_f64, |most, h| most.max(*h));
        let rest = known.unwrap_or(stretch.to) - from;
        let last = SHORT * longest;
        let steps = match known.filter(|_| rest > 2.0 * last) {
            Some(_) => {
                let even = (2.0 * (rest - last) / longest).ceil().max(1.0);
                let mut steps = vec![(rest - last) / even; even as usize];
                steps.push(1.5 * last);
                steps
            }
            None => {
                let even = (2.0 * rest / longest + 1.0 / 3.0).ceil().max(1.0);
                vec![rest / (even - 1.0 / 3.0); even as usize]
            }
        };
        self.follow(simulation, &Stretch { from, steps, ..stretch.clone() }, &mut Happened::default())
    }

    /// An error if something happened where a neighbour was put.
    pub fn nothing_at_once(&self, simulation: &mut Simulation<'_>) -> Result<(), SensitivityError> {
        let found = signs(&simulation.events());
        if found.is_empty() { Ok(()) } else { Err(sequence(simulation.t(), &[], &found)) }
    }

    /// Repeats the run with a neighbour of its mechanism.
    pub fn repeat(&self, mechanism: &Mechanism, quantities: &[Quantity]) -> Result<Values, SensitivityError> {
        let mut simulation = mechanism.simulation()?;
        let found = signs(&simulation.events());
        if found != self.at_start {
            return Err(sequence(simulation.t(), &self.at_start, &found));
        }
        let mut happened = Happened::default();
        simulation.watch_pieces(self.pieces());
        for stretch in &self.stretches {
            self.follow(&mut simulation, stretch, &mut happened)?;
        }
        if simulation.status().is_none() {
            return Err(sequence(simulation.t(), &[], &[]));
        }
        let pieces = simulation.take_pieces();
        self.evaluate(&simulation, &pieces, quantities, &happened)
    }

    /// A stretch of the run in a neighbour.
    pub fn follow(
        &self,
        simulation: &mut Simulation<'_>,
        stretch: &Stretch,
        happened: &mut Happened,
    ) -> Result<(), SensitivityError> {
        let begin = simulation.t();
        let end = if stretch.at_stop { stretch.to } else { simulation.stretch_end() };
        let factor = match stretch.given_end {
            true => (end - begin) / (stretch.to - stretch.from), // (S1)
            false => 1.0,                                        // (S2)
        };
        let near = SAME_TIME * simulation.mechanism().model().settings.duration;
        let count = stretch.steps.len();
        for k in 0..count + LATE {
            let last = k + 1 >= count;
            let h = match stretch.given_end && last {
                true => end - simulation.t(),
                false => factor * stretch.steps[k.min(count - 1)],
            };
            if h < 0.0 {
                return Err(sequence(stretch.to, &stretch.events, &stretch.events));
            }
            let progress = simulation.dictated_step(h)?;
            let events = simulation.events();
            happened.add(simulation, &events);
            let found = signs(&events);
            let finished = progress == Progress::Finished;
            let happens = progress == Progress::Event || !found.is_empty();
            // where the last step of the nominal run is a rounding, the one before may have landed
            let last = last || (stretch.given_end && simulation.t() >= end - near);
            let ends = happens || finished || (last && stretch.given_end);
            if !ends {
                continue;
            }
            let same = found == stretch.events && happens == stretch.happened && finished == stretch.finished;
            return match same && (last || !stretch.given_end) {
                true => Ok(()),
                false => Err(sequence(simulation.t(), &stretch.events, &found)),
            };
        }
        Err(sequence(stretch.to, &stretch.events, &[]))
    }

    fn evaluate(
        &self,
        simulation: &Simulation<'_>,
        pieces: &Pieces,
        quantities: &[Quantity],
        happened: &Happened,
    ) -> Result<Values, SensitivityError> {
        if let Some(Status::Failed(failure)) = simulation.status() {
            return Err(Error::Run(failure.clone()).into());
        }
        let mut values = Vec::with_capacity(quantities.len());
        for (quantity, &place) in quantities.iter().zip(&self.taken) {
            let value = quantity.take.value(pieces, place, &happened.pieces, &self.rule);
            if !value.is_finite() {
                return Err(SensitivityError::NoValue {
                    name: quantity.name.clone(),
                    events: happened.pieces.len(),
                });
            }
            values.push(value);
        }
        Ok(Values { values, events: happened.times.clone() })
    }
}

/// The events of a run: when, and after how many pieces.
#[derive(Default)]
pub(super) struct Happened {
    pieces: Vec<usize>,
    pub times: Vec<f64>,
}

impl Happened {
    fn add(&mut self, simulation: &mut Simulation<'_>, events: &[Event]) {
        let pieces = simulation.count_pieces();
        self.pieces.extend(events.iter().map(|_| pieces));
        self.times.extend(events.iter().map(|event| event.t));
    }
}
