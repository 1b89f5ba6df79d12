//! The motion forward, with all that its way back needs.

use super::super::bundle::Bundle;
use super::super::jump::{Jumper, Led, led};
use super::super::quantity::Take;
use super::super::record::{Record, Stretch};
use super::super::stencil::FOUR;
use super::super::vicinity::Vicinity;
use super::super::{Method, SensitivityError, Study};
use super::trail::{Leg, Reader, Walker};
use crate::results::row;
use crate::simulation::{Probe, Simulation, State};
use std::ops::Range;

/// What comes one after the other.
pub(super) enum Item {
    /// A state that is entered, with its locks, limits and contacts.
    Enter(State),
    Leg(Leg),
    /// Columns that quantities take at a time, and what they show.
    Instant {
        t: f64,
        y: Vec<f64>,
        quantities: Vec<usize>,
        shown: Vec<f64>,
    },
    Event(Box<Over>),
    /// A corner of a function of time: by how much it moves by each variable, and the jump of y'.
    Corner {
        moved: Vec<f64>,
        jump: Vec<f64>,
    },
}

/// An event.
pub(super) struct Over {
    /// From the time shortly before it to the time itself, as if nothing happened.
    pub branch: Vec<Item>,
    /// (J1) by each component of the state at that time, then by each variable with that state held; y less f⁺ δt.
    pub by_state: Vec<Led>,
    pub by_variable: Vec<Led>,
    /// What is reported there, among all events, and the pieces of the run up to there.
    pub events: Range<usize>,
    pub pieces: Range<usize>,
    pub last: bool,
    pub finished: bool,
}

/// A run on its way.
pub(super) struct Way<'v> {
    pub study: &'v Study<'v>,
    pub record: &'v Record,
    pub vicinity: &'v Vicinity,
    pub bundle: Bundle<'v>,
    pub walker: Walker,
    pub items: Vec<Item>,
    /// ∂y₀/∂p_j, by variable.
    pub starts: Vec<Vec<f64>>,
    jumper: Jumper<'v>,
    /// Which quantities are taken at an event.
    pub by_event: Vec<bool>,
}

impl<'v> Way<'v> {
    pub fn new(
        study: &'v Study<'v>,
        record: &'v Record,
        vicinity: &'v Vicinity,
        bundle: Bundle<'v>,
    ) -> Result<Self, SensitivityError> {
        let walker = Walker::new(bundle.layout.n, &vicinity.nominal);
        Ok(Way {
            study,
            record,
            vicinity,
            bundle,
            walker,
            items: Vec::new(),
            starts: Vec::new(),
            jumper: Jumper::new(study, record, vicinity),
            by_event: vec![false; record.taken.len()],
        })
    }

    /// Goes through the run.
    pub fn go(&mut self) -> Result<(), SensitivityError> {
        if self.record.is_quiet() { self.go_quietly() } else { self.go_from_event_to_event() }
    }

    /// ∂y₀/∂p_j from the starts of neighbours.
    fn by_starts(&self, starts: &[Vec<f64>], j: usize) -> Vec<f64> {
        (0..self.bundle.layout.n)
            .map(|i| self.vicinity.slope(j, &starts.iter().map(|y| y[i]).collect::<Vec<_>>()))
            .collect()
    }

    /// What errors are measured against over a stretch that begins with y.
    fn weigh(&mut self, y: &[f64]) {
        let rates = self.bundle.nominal.rates();
        let size = self.vicinity.nominal.size();
        self.walker.scale.fill(f64::INFINITY);
        for part in [0..rates.start, rates.clone(), rates.end + 1..y.len()] {
            let scale = y[part.clone()].iter().fold(size, |most, x| most.max(x.abs()));
            self.walker.scale[part].fill(scale);
        }
    }

    fn go_quietly(&mut self) -> Result<(), SensitivityError> {
        let mut y = self.bundle.start(&self.vicinity.nominal)?;
        for j in 0..self.vicinity.variables() {
            let line = self.vicinity.lines[j].iter();
            let starts = line.map(|mechanism| self.bundle.start(mechanism)).collect::<Result<Vec<_>, _>>()?;
            self.starts.push(self.by_starts(&starts, j));
        }
        self.weigh(&y);
        for (s, stretch) in self.record.stretches.iter().enumerate() {
            self.instant(stretch.from, &y, |take| take == Take::At(stretch.from))?;
            self.smooth(&mut y, [stretch.from, stretch.to])?;
            if s + 1 == self.record.stretches.len() {
                self.instant(stretch.to, &y, |take| take == Take::Final || take == Take::At(stretch.to))?;
            }
        }
        Ok(())
    }

    /// Notes the quantities that are taken at an instant.
    fn instant(&mut self, t: f64, y: &[f64], wanted: impl Fn(Take) -> bool) -> Result<(), SensitivityError> {
        let quantities = self.study.quantities.iter().enumerate();
        let quantities: Vec<usize> = quantities.filter(|(_, q)| wanted(q.take)).map(|(i, _)| i).collect();
        if !quantities.is_empty() {
            let mut shown = Vec::new();
            self.bundle.columns(self.record, t, y, &mut shown)?;
            self.items.push(Item::Instant { t, y: y.to_vec(), quantities, shown });
        }
        Ok(())
    }

    /// A stretch without anything in it. Where joints have turns to be counted, columns are read on the way.
    fn smooth(&mut self, y: &mut [f64], span: [f64; 2]) -> Result<(), SensitivityError> {
        let (record, vicinity) = (self.record, self.vicinity);
        let mut all = Vec::new();
        let mut read = |probe: &mut Probe, t: f64, y: &[f64]| {
            row(&vicinity.nominal, probe.frame(t, y)?, &mut all);
            Ok(record.columns.iter().map(|&column| all[column]).collect())
        };
        let turns = record.column_units.iter().any(|unit| unit == "rad");
        let reader: Option<Reader<'_>> =
            if turns && vicinity.nominal.has_uncounted_angles() { Some(&mut read) } else { None };
        let leg = self.walker.go(&mut self.bundle.nominal, y, span, reader)?;
        self.items.push(Item::Leg(leg));
        Ok(())
    }

    /// A smooth stretch, with the extremes that lie in it.
    fn leg(&mut self, y: &mut [f64], [from, to]: [f64; 2]) -> Result<(), SensitivityError> {
        let within = |t: &f64| from < *t && *t <= to || *t == from && from == self.record.begin();
        let tops = self.record.tops.iter().enumerate();
        let mut tops: Vec<(f64, usize)> = tops.filter_map(|(i, t)| Some((t.filter(within)?, i))).collect();
        tops.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut now = from;
        for (t, i) in tops {
            if t > now {
                self.smooth(y, [now, t])?;
                now = t;
            }
            let mut shown = Vec::new();
            self.bundle.columns(self.record, t, y, &mut shown)?;
            self.items.push(Item::Instant { t, y: y.to_vec(), quantities: vec![i], shown });
        }
        if to > now {
            self.smooth(y, [now, to])?;
        }
        Ok(())
    }

    fn go_from_event_to_event(&mut self) -> Result<(), SensitivityError> {
        let record = self.record;
        let mut simulation = self.vicinity.nominal.simulation()?;
        let mut scout = self.vicinity.nominal.simulation()?;
        let state = simulation.state();
        let topology = state.topology;
        let mut y = self.bundle.enter(&state)?;
        for j in 0..self.vicinity.variables() {
            let mut starts = Vec::new();
            for k in 0..self.vicinity.lines[j].len() {
                let state = self.jumper.simulation(j, k)?.state();
                starts.push(self.bundle.line(j)?[k].enter(&state)?);
            }
            self.starts.push(self.by_starts(&starts, j));
        }
        simulation.watch_pieces(record.pieces());
        let (mut events, mut piece) = (0, 0);
        for (s, stretch) in record.stretches.iter().enumerate() {
            let state = simulation.state();
            self.bundle.enter(&state)?;
            self.items.push(Item::Enter(state.clone()));
            self.weigh(&y);
            self.instant(stretch.from, &y, |take| take == Take::At(stretch.from))?;
            let last = s + 1 == record.stretches.len();
            let before = stretch.from + stretch.steps[..stretch.steps.len() - 1].iter().sum::<f64>();
            let near = before.min(stretch.to) + 0.5 * (stretch.to - before.min(stretch.to));
            let end = if stretch.happened { near } else { stretch.to };
            self.leg(&mut y, [stretch.from, end])?;
            let mut happened = Default::default();
            record.follow(&mut simulation, stretch, &mut happened)?;
            let after = simulation.state();
            if after.topology != topology {
                let why = "what the mechanism consists of changes".into();
                return Err(SensitivityError::Refused { method: Method::Adjoint, t: stretch.to, why });
            }
            let reported = events..events + happened.times.len();
            let pieces = piece..simulation.count_pieces();
            (events, piece) = (reported.end, pieces.end);
            if stretch.happened {
                let over =
                    self.over(&mut scout, stretch, near, &y, &state, &after, (reported, pieces, last))?;
                self.items.push(Item::Event(Box::new(over)));
                y = self.bundle.nominal.enter(&after)?;
            } else if last {
                self.instant(stretch.to, &y, |take| take == Take::Final || take == Take::At(stretch.to))?;
            } else {
                self.corner(stretch, &y)?;
                y = self.bundle.nominal.enter(&after)?;
            }
        }
        Ok(())
    }

    /// (J1) over an event by the whole state and by all variables, from the state y at a time near it.
    #[expect(clippy::too_many_arguments, reason = "what is known of the event")]
    fn over(
        &mut self,
        scout: &mut Simulation<'v>,
        stretch: &Stretch,
        near: f64,
        y: &[f64],
        state: &State,
        after: &State,
        (events, pieces, last): (Range<usize>, Range<usize>, bool),
    ) -> Result<Over, SensitivityError> {
        let record = self.record;
        // from there to the event, as if nothing happened
        let before = std::mem::take(&mut self.items);
        let mut end = y.to_vec();
        let within = self.study.quantities.iter().any(|quantity| quantity.take.looks_within());
        if within && stretch.to > near {
            self.leg(&mut end, [near, stretch.to])?;
        }
        let branch = std::mem::replace(&mut self.items, before);
        let formulation = self.bundle.formulation;
        let mut reader = Probe::new(&self.vicinity.nominal, formulation)?;
        let mut by_state = Vec::new();
        for i in 0..y.len() {
            let scale = self.walker.scale[i];
            let epsilon = FOUR.epsilon * if scale.is_finite() { scale } else { 1.0 };
            let mut all = Vec::new();
            for multiple in FOUR.multiples {
                let mut y = y.to_vec();
                y[i] += multiple * epsilon;
                let displaced = self.bundle.nominal.state(near, &y);
                let (mut one, end) = led(record, stretch, scout, &self.vicinity.nominal, &displaced, false)?;
                one.y = reader.enter(&end)?;
                all.push(one);
            }
            by_state.push(Led::slope(&all, |values| FOUR.slope(epsilon, values)));
        }
        let mut by_variable = Vec::new();
        for j in 0..self.vicinity.variables() {
            let mut all = Vec::new();
            for k in 0..self.vicinity.lines[j].len() {
                all.push(self.jumper.lead(&mut self.bundle, (j, k), stretch, near, y)?);
            }
            by_variable.push(Led::slope(&all, |values| self.vicinity.slope(j, values)));
        }
        if !stretch.finished {
            let y_after = self.bundle.nominal.enter(after)?;
            let mut f_after = vec![0.0; y.len()];
            self.bundle.nominal.derivative(stretch.to, &y_after, &mut f_after)?;
            for led in by_state.iter_mut().chain(&mut by_variable) {
                led.y.iter_mut().zip(&f_after).for_each(|(y, f)| *y -= f * led.t);
            }
        }
        for (i, quantity) in self.study.quantities.iter().enumerate() {
            self.by_event[i] |= match quantity.take {
                Take::Final => last,
                Take::Before(k) | Take::After(k) => k > 0 && events.contains(&(k - 1)),
                Take::Max | Take::Min => match record.at_edge[i] {
                    Some((piece, true)) => piece + 1 == pieces.end,
                    Some((piece, false)) => piece == pieces.end,
                    None => false,
                },
                _ => false,
            };
        }
        let finished = stretch.finished;
        // on the way back it stands as it did before
        self.bundle.nominal.enter(state)?;
        Ok(Over { branch, by_state, by_variable, events, pieces, last, finished })
    }

    fn corner(&mut self, stretch: &Stretch, y: &[f64]) -> Result<(), SensitivityError> {
        let moved = self.jumper.corner_moves(stretch);
        if moved.iter().all(|&moved| moved == 0.0) {
            return Ok(());
        }
        let [mut before, mut jump] = [vec![0.0; y.len()], vec![0.0; y.len()]];
        self.bundle.nominal.derivative(stretch.to.next_down(), y, &mut before)?;
        self.bundle.nominal.derivative(stretch.to, y, &mut jump)?;
        jump.iter_mut().zip(&before).for_each(|(jump, before)| *jump = before - *jump);
        self.items.push(Item::Corner { moved, jump });
        Ok(())
    }
}
