//! Derivatives that go along with the motion, from event to event.
//!
//!   (M1)  ∂c/∂p_j = c_y S_j + c_(p_j)                          of a column c at a given time; of its maximum at the time of the maximum, since ċ = 0 there
//!
//! Between events a [`Flow`] integrates S. At an event at the time t*, where g(t, y; p) = 0 and y⁺ = J(y⁻; p), there is a [`jump`](super::jump):
//!
//!   (M2)  δt* = −(g_y S + g_p) / ġ,     Y_j = J_y (S_j + f⁻ δt*) + J_p,     S_j⁺ = Y_j − f⁺ δt*
//!
//! An integral over pieces that end by events gets (c⁻ − c⁺) δt* from each.

use super::flow::Flow;
use super::jump::{Jumper, Passed};
use super::quantity::Take;
use super::record::{Record, Stretch};
use super::vicinity::Vicinity;
use super::{Method, Sensitivities, SensitivityError, Study};
use crate::simulation::Simulation;

/// States that were integrated twice agree to this.
const AGREES: f64 = 1e-6;
/// Steps after which joints count their turns: together they are less than a turn.
const STEPS_OF_A_TURN: usize = 4;

/// A run under way with its derivatives.
pub(super) struct March<'v, F> {
    study: &'v Study<'v>,
    record: &'v Record,
    vicinity: &'v Vicinity,
    method: Method,
    flow: F,
    jumper: Jumper<'v>,
    /// The nominal run once more, where anything may happen.
    simulation: Option<Simulation<'v>>,
    /// Values by quantity, and derivatives by quantity and variable.
    values: Vec<f64>,
    found: Vec<Vec<f64>>,
    /// Integrals over time of a column and of half its square, and their derivatives: by kept column, and by kept column and variable.
    areas: Vec<[f64; 2]>,
    by_area: Vec<Vec<[f64; 2]>>,
    /// Whether joints have turns to be counted.
    counts: bool,
    /// By how much the end of the run moves, where an event ends it: by variable.
    longer: Vec<f64>,
    whole: Vec<f64>,
    looked: Vec<f64>,
    kept: Vec<f64>,
}

impl<'v, F: Flow<'v>> March<'v, F> {
    /// Goes through a run. The values are those of the record, or where it has none, of this way.
    pub fn through(
        study: &'v Study<'v>,
        record: &'v Record,
        vicinity: &'v Vicinity,
        method: Method,
        mut flow: F,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), SensitivityError> {
        let (columns, variables) = (record.columns.len(), vicinity.variables());
        let length = flow.bundle().layout.len();
        let mut march = March {
            study,
            record,
            vicinity,
            method,
            flow,
            jumper: Jumper::new(study, record, vicinity),
            simulation: None,
            // what nothing is found for is reported
            values: vec![f64::NAN; record.taken.len()],
            found: vec![vec![f64::NAN; variables]; record.taken.len()],
            areas: vec![[0.0; 2]; columns],
            by_area: vec![vec![[0.0; 2]; variables]; columns],
            counts: vicinity.nominal.has_uncounted_angles(),
            longer: vec![0.0; variables],
            whole: vec![0.0; length],
            looked: vec![0.0; length],
            kept: Vec::new(),
        };
        march.start()?;
        match record.is_quiet() {
            true => march.go_quietly()?,
            false => march.go()?,
        }
        Ok(march.results())
    }

    /// y and S at the start.
    fn start(&mut self) -> Result<(), SensitivityError> {
        let n = self.flow.bundle().layout.n;
        let quiet = self.record.is_quiet();
        let y = match quiet {
            true => self.flow.bundle().start(&self.vicinity.nominal)?,
            false => {
                let mut simulation = self.vicinity.nominal.simulation()?;
                let state = simulation.state();
                self.simulation = Some(simulation);
                self.flow.bundle().enter(&state)?
            }
        };
        self.whole[..n].copy_from_slice(&y);
        for j in 0..self.vicinity.variables() {
            let mut starts = Vec::with_capacity(self.vicinity.lines[j].len());
            for (k, mechanism) in self.vicinity.lines[j].iter().enumerate() {
                starts.push(match quiet {
                    true => self.flow.bundle().start(mechanism)?,
                    false => {
                        let state = self.jumper.simulation(j, k)?.state();
                        self.flow.bundle().line(j)?[k].enter(&state)?
                    }
                });
            }
            for i in 0..n {
                let values: Vec<f64> = starts.iter().map(|y| y[i]).collect();
                let at = self.flow.bundle().layout.at(j, i);
                self.whole[at] = self.vicinity.slope(j, &values);
            }
        }
        Ok(())
    }

    /// Stretches at whose ends nothing happens.
    fn go_quietly(&mut self) -> Result<(), SensitivityError> {
        let (begin, n) = (self.record.begin(), self.flow.bundle().layout.n);
        let bundle = self.flow.bundle();
        bundle.columns(self.record, begin, &self.whole[..n], &mut self.kept)?;
        for (s, stretch) in self.record.stretches.iter().enumerate() {
            self.at_instant(stretch.from, |take| take == Take::At(stretch.from))?;
            self.integrate(stretch, None)?;
            let last = s + 1 == self.record.stretches.len();
            self.at_instant(stretch.to, |take| {
                last && (take == Take::Final || take == Take::At(stretch.to))
            })?;
        }
        Ok(())
    }

    fn go(&mut self) -> Result<(), SensitivityError> {
        let record = self.record;
        let n = self.flow.bundle().layout.n;
        let Some(mut simulation) = self.simulation.take() else { return Ok(()) };
        let topology = simulation.state().topology;
        simulation.watch_pieces(record.pieces());
        let mut events = 0;
        let mut piece = 0;
        for (s, stretch) in record.stretches.iter().enumerate() {
            let state = simulation.state();
            self.flow.bundle().enter(&state)?;
            self.at_instant(stretch.from, |take| take == Take::At(stretch.from))?;
            // a neighbour is led over an event from here
            let before = stretch.from + stretch.steps[..stretch.steps.len() - 1].iter().sum::<f64>();
            let near = before.min(stretch.to) + 0.5 * (stretch.to - before.min(stretch.to));
            let led = stretch.happened.then_some(near);
            let last = s + 1 == record.stretches.len();
            let places = self.integrate(stretch, led)?;
            let finally = |take| take == Take::Final || take == Take::At(stretch.to);
            if last && s == 0 && !stretch.happened {
                // one smooth stretch: nothing has to be seen again
                return self.at_instant(stretch.to, finally);
            }
            let mut happened = Default::default();
            record.follow(&mut simulation, stretch, &mut happened)?;
            let reported = happened.times.len();
            let after_state = simulation.state();
            if after_state.topology != topology {
                return Err(self.refused(stretch.to, "what the mechanism consists of changes"));
            }
            let pieces = simulation.count_pieces();
            if stretch.happened {
                let passed =
                    self.jumper.pass(self.flow.bundle(), stretch, &places, &mut self.whole, &after_state)?;
                self.at_event(&passed, events..events + reported, piece..pieces, last, stretch.finished);
            } else if last {
                self.at_instant(stretch.to, finally)?;
            } else {
                self.jumper.turn_corner(self.flow.bundle(), stretch, &mut self.whole)?;
                let bundle = self.flow.bundle();
                let y = bundle.nominal.enter(&after_state)?;
                let size = y.iter().fold(self.vicinity.nominal.size(), |most, x| most.max(x.abs()));
                if y.iter().zip(&self.whole).any(|(a, b)| (a - b).abs() > AGREES * size) {
                    return Err(self.refused(stretch.to, "the state jumps without an event"));
                }
                self.whole[..n].copy_from_slice(&y);
            }
            events += reported;
            piece = pieces;
        }
        Ok(())
    }

    fn refused(&self, t: f64, why: &str) -> SensitivityError {
        SensitivityError::Refused { method: self.method, t, why: why.into() }
    }

    /// (M1) at an instant, for the quantities that are taken there.
    fn at_instant(&mut self, t: f64, wanted: impl Fn(Take) -> bool) -> Result<(), SensitivityError> {
        let quantities = &self.study.quantities;
        if !quantities.iter().any(|quantity| wanted(quantity.take)) {
            return Ok(());
        }
        let (record, variables) = (self.record, self.vicinity.variables());
        let bundle = self.flow.bundle();
        let slopes = bundle.slopes(record, t, &self.whole)?;
        bundle.columns(record, t, &self.whole[..bundle.layout.n], &mut self.kept)?;
        for (i, quantity) in quantities.iter().enumerate() {
            if wanted(quantity.take) {
                let column = record.taken[i];
                self.values[i] = self.kept[column];
                self.found[i].copy_from_slice(&slopes[column * variables..][..variables]);
            }
        }
        Ok(())
    }

    /// S over a stretch, with what is taken on the way. Where a time near its end is asked for, gives what there is then and before: places from which neighbours may be led over an event, the last
    /// one first.
    fn integrate(&mut self, stretch: &Stretch, near: Option<f64>) -> Result<Vec<Place>, SensitivityError> {
        self.flow.begin(&self.whole, [stretch.from, stretch.to], near)?;
        let mut places: Vec<Place> = Vec::new();
        let early = near.map_or(Vec::new(), |near| {
            let parts = EARLY.iter().map(|part| stretch.to - part * (stretch.to - stretch.from));
            parts.filter(|t| *t < near).collect()
        });
        let mut uncounted = 0;
        let within = self.study.quantities.iter().any(|quantity| quantity.take.looks_within());
        while !self.flow.is_finished() {
            let span = self.flow.step()?;
            for t in early.iter().copied().filter(|t| span[0] < *t && *t <= span[1]) {
                self.flow.look_at(t, &mut self.looked)?;
                places.push((t, self.looked.clone()));
            }
            if near == Some(span[1]) {
                places.push((span[1], self.flow.whole().to_vec()));
            }
            if within {
                self.read(span)?;
            }
            uncounted += 1;
            if self.record.is_quiet() && self.counts && uncounted % STEPS_OF_A_TURN == 0 {
                self.look_round(span[1])?;
            }
        }
        self.whole.copy_from_slice(self.flow.whole());
        places.reverse();
        Ok(places)
    }

    /// Reads columns off the present state, so that joints count their turns.
    fn look_round(&mut self, t: f64) -> Result<(), SensitivityError> {
        let n = self.flow.bundle().layout.n;
        self.looked.copy_from_slice(self.flow.whole());
        Ok(self.flow.bundle().columns(self.record, t, &self.looked[..n], &mut self.kept)?)
    }

    /// Integrals over a step, and extremes within it.
    fn read(&mut self, [from, to]: [f64; 2]) -> Result<(), SensitivityError> {
        let (record, variables) = (self.record, self.vicinity.variables());
        let mut whole = std::mem::take(&mut self.looked);
        let sums =
            self.study.quantities.iter().any(|q| matches!(q.take, Take::Mean | Take::Rms | Take::Integral));
        if sums {
            for (&place, &weight) in record.rule.places.iter().zip(&record.rule.weights) {
                let t = if place == 1.0 { to } else { from + (to - from) * place };
                self.flow.look_at(t, &mut whole)?;
                let bundle = self.flow.bundle();
                let n = bundle.layout.n;
                bundle.columns(record, t, &whole[..n], &mut self.kept)?;
                let slopes = bundle.slopes(record, t, &whole)?;
                let part = weight * (to - from);
                for (c, x) in self.kept.iter().enumerate() {
                    self.areas[c][0] += part * x;
                    self.areas[c][1] += part * 0.5 * x * x;
                    for (sums, slope) in self.by_area[c].iter_mut().zip(&slopes[c * variables..]) {
                        sums[0] += part * slope;
                        sums[1] += part * slope * x;
                    }
                }
            }
        }
        for i in 0..record.taken.len() {
            let top = record.tops.get(i).copied().flatten();
            let here = |t: &f64| from < *t && *t <= to || *t == from && from == record.begin();
            let Some(t) = top.filter(here) else { continue };
            self.flow.look_at(t, &mut whole)?;
            let slopes = self.flow.bundle().slopes(record, t, &whole)?;
            self.found[i].copy_from_slice(&slopes[record.taken[i] * variables..][..variables]);
        }
        self.looked = whole;
        Ok(())
    }

    /// What is taken at an event, and what its time adds to integrals.
    fn at_event(
        &mut self,
        passed: &Passed,
        events: std::ops::Range<usize>,
        pieces: std::ops::Range<usize>,
        last: bool,
        finished: bool,
    ) {
        let record = self.record;
        let (before, after) = record.around(pieces.end);
        for j in 0..self.vicinity.variables() {
            for (i, quantity) in self.study.quantities.iter().enumerate() {
                let column = record.taken[i];
                let (from, to) = (passed.before[j][column], passed.after[j][column]);
                match quantity.take {
                    Take::Final if last => self.found[i][j] = from,
                    Take::Before(k) if k > 0 && events.contains(&(k - 1)) => self.found[i][j] = from,
                    Take::After(k) if k > 0 && events.contains(&(k - 1)) => {
                        self.found[i][j] = if finished { from } else { to }
                    }
                    Take::Max | Take::Min => match record.at_edge[i] {
                        Some((piece, true)) if piece + 1 == pieces.end => self.found[i][j] = from,
                        Some((piece, false)) if piece == pieces.end => self.found[i][j] = to,
                        _ => {}
                    },
                    _ => {}
                }
            }
            for c in 0..record.columns.len() {
                let (x, next) = (before[c], if last { 0.0 } else { after[c] });
                self.by_area[c][j][0] += (x - next) * passed.moved[j];
                self.by_area[c][j][1] += 0.5 * (x * x - next * next) * passed.moved[j];
            }
            if last {
                self.longer[j] = passed.moved[j];
            }
        }
    }

    /// Values and derivatives; means and roots of mean squares from integrals.
    fn results(mut self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let record = self.record;
        let time = record.end() - record.begin();
        for (i, quantity) in self.study.quantities.iter().enumerate() {
            let column = record.taken[i];
            let [area, half] = self.areas[column];
            let value = match quantity.take {
                Take::Integral => area,
                Take::Mean => area / time,
                Take::Rms => (2.0 * half / time).max(0.0).sqrt(),
                _ => self.values[i],
            };
            self.values[i] = record.values.as_ref().map_or(value, |values| values.values[i]);
            let value = self.values[i];
            for j in 0..self.vicinity.variables() {
                let [area, half] = self.by_area[column][j];
                // an event that ends the run moves its end
                let longer = self.longer[j];
                self.found[i][j] = match quantity.take {
                    Take::Integral => area,
                    Take::Mean => (area - value * longer) / time,
                    Take::Rms if value == 0.0 => 0.0,
                    Take::Rms => (2.0 * half - value * value * longer) / (2.0 * value * time),
                    _ => self.found[i][j],
                };
            }
        }
        (self.values, self.found)
    }
}

/// A time, and y and S then.
pub(super) type Place = (f64, Vec<f64>);

/// From where neighbours are led over an event that they do not meet from nearby: parts of the stretch before it.
const EARLY: [f64; 4] = [0.6, 0.4, 0.2, 0.1];

/// Derivatives that are all there, as they are reported.
pub(super) fn reported(
    study: &Study<'_>,
    method: Method,
    record: Record,
    (values, derivatives): (Vec<f64>, Vec<Vec<f64>>),
    neighbours: usize,
    notes: Vec<String>,
) -> Result<Sensitivities, SensitivityError> {
    let events = record.values.map_or_else(Vec::new, |values| values.events);
    if let Some(i) = derivatives.iter().position(|row| row.iter().any(|x| !x.is_finite())) {
        return Err(SensitivityError::NoValue {
            name: study.quantities[i].name.clone(),
            events: events.len(),
        });
    }
    let errors = vec![vec![f64::NAN; study.designs.len()]; study.quantities.len()];
    Ok(Sensitivities {
        method,
        quantities: study.quantities.clone(),
        units: record.units,
        values,
        variables: study.designs.clone(),
        derivatives,
        errors,
        events,
        runs: 1 + neighbours,
        notes,
    })
}
