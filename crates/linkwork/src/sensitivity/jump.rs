//! The jump rule: what an event does to derivatives.
//!
//! At an event at the time t*, where g(t, y; p) = 0 and y⁺ = J(y⁻; p),
//!
//!   (J1)  δt* = −(g_y S + g_p) / ġ,     Y_j = J_y (S_j + f⁻ δt*) + J_p,     S_j⁺ = Y_j − f⁺ δt*
//!
//! δt* and Y_j, which is the change of y⁺ from event to event, are [differences](super::stencil) of neighbours on the line of y + ε S_j and p_j + ε, which are led over the event from a time
//! shortly before it. Corners of functions of time, whose times may depend on p as well, have J = 1.

use super::bundle::Bundle;
use super::march::Place;
use super::record::{Record, Stretch};
use super::vicinity::Vicinity;
use super::{Method, SensitivityError, Study};
use crate::Error;
use crate::mechanism::Mechanism;
use crate::results::row;
use crate::simulation::{Simulation, State};

/// Neighbours come nearer by this, so often.
const NEARER: f64 = 0.25;
const ATTEMPTS: usize = 4;
/// Roundings of a state after an event, in parts of it.
const ROUNDING: f64 = 1e-15;

/// Leads neighbours over events.
pub(super) struct Jumper<'v> {
    study: &'v Study<'v>,
    record: &'v Record,
    vicinity: &'v Vicinity,
    /// By variable, in the order of the stencil; made when first asked for.
    simulations: Vec<Vec<Simulation<'v>>>,
}

/// Derivatives of the kept columns by each variable, at the instant of an event from event to event: before and after it.
pub(super) struct Passed {
    pub before: Vec<Vec<f64>>,
    pub after: Vec<Vec<f64>>,
    /// δt* by variable.
    pub moved: Vec<f64>,
}

/// A neighbour right after an event: when that was, its state, and the kept columns before and after it. Or derivatives of all that.
#[derive(Clone, Debug, Default)]
pub(super) struct Led {
    pub t: f64,
    pub y: Vec<f64>,
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

impl Led {
    /// A difference of several.
    pub fn slope(all: &[Led], slope: impl Fn(&[f64]) -> f64) -> Led {
        let each = |of: &dyn Fn(&Led) -> f64| slope(&all.iter().map(of).collect::<Vec<_>>());
        let list = |of: fn(&Led) -> &Vec<f64>| -> Vec<f64> {
            (0..of(&all[0]).len()).map(|i| each(&|led| of(led)[i])).collect()
        };
        Led {
            t: each(&|led| led.t),
            y: list(|led| &led.y),
            before: list(|led| &led.before),
            after: list(|led| &led.after),
        }
    }
}

/// Leads a simulation from a state over what happens at the end of a stretch; all but y, and the state after it. `exactly`: to the last digits of the time.
pub(super) fn led(
    record: &Record,
    stretch: &Stretch,
    simulation: &mut Simulation<'_>,
    mechanism: &Mechanism,
    state: &State,
    exactly: bool,
) -> Result<(Led, State), SensitivityError> {
    let mut known = None;
    for _ in 0..=usize::from(exactly) {
        simulation.events();
        simulation.set_state(state)?;
        record.nothing_at_once(simulation)?;
        simulation.watch_pieces(record.pieces());
        record.lead(simulation, stretch, known)?;
        known = Some(simulation.t());
    }
    let pieces = simulation.take_pieces();
    let width = record.columns.len();
    let before =
        pieces.list.last().map_or(Vec::new(), |piece| piece.rows[piece.rows.len() - width..].to_vec());
    let mut all = Vec::new();
    row(mechanism, simulation.sample()?, &mut all);
    let after = record.columns.iter().map(|&c| all[c]).collect();
    Ok((Led { t: simulation.t(), y: Vec::new(), before, after }, simulation.state()))
}

impl<'v> Jumper<'v> {
    pub fn new(study: &'v Study<'v>, record: &'v Record, vicinity: &'v Vicinity) -> Self {
        Jumper { study, record, vicinity, simulations: Vec::new() }
    }

    /// The run of a neighbour.
    pub fn simulation(&mut self, j: usize, k: usize) -> Result<&mut Simulation<'v>, Error> {
        self.simulations.resize_with(self.vicinity.variables(), Vec::new);
        if self.simulations[j].is_empty() {
            let all = self.vicinity.lines[j].iter().map(|mechanism| mechanism.simulation());
            self.simulations[j] = all.collect::<Result<Vec<_>, _>>()?;
        }
        Ok(&mut self.simulations[j][k])
    }

    /// Leads a neighbour on the line of a variable over an event, from a state at a time shortly before it.
    pub fn lead(
        &mut self,
        bundle: &mut Bundle<'v>,
        (j, k): (usize, usize),
        stretch: &Stretch,
        near: f64,
        y: &[f64],
    ) -> Result<Led, SensitivityError> {
        let (record, vicinity) = (self.record, self.vicinity);
        let state = bundle.line(j)?[k].state(near, y);
        let exactly = vicinity.stencil.is_exact();
        let simulation = self.simulation(j, k)?;
        let led = led(record, stretch, simulation, &vicinity.lines[j][k], &state, exactly);
        let (mut led, end) = led.map_err(|source| self.about(j, vicinity.epsilons[j], k, source))?;
        led.y = bundle.line(j)?[k].enter(&end)?;
        Ok(led)
    }

    fn about(&self, j: usize, epsilon: f64, k: usize, source: SensitivityError) -> SensitivityError {
        let design = &self.study.designs[j];
        SensitivityError::Variable {
            variable: design.name.clone(),
            unit: design.unit.clone(),
            change: self.vicinity.stencil.multiples[k] * epsilon,
            source: Box::new(source),
        }
    }

    /// (J1) from places shortly before the event, the last one first; `after` is the nominal state after it. Neighbours that are too far from an event to be led over it from the last place begin
    /// earlier, and where the differences of two orders do not agree, they come nearer.
    pub fn pass(
        &mut self,
        bundle: &mut Bundle<'v>,
        stretch: &Stretch,
        places: &[Place],
        whole: &mut [f64],
        after: &State,
    ) -> Result<Passed, SensitivityError> {
        let n = bundle.layout.n;
        let y_after = bundle.nominal.enter(after)?;
        let mut f_after = vec![0.0; n];
        if !stretch.finished {
            bundle.nominal.derivative(stretch.to, &y_after, &mut f_after)?;
        }
        let mut passed = Passed { before: Vec::new(), after: Vec::new(), moved: Vec::new() };
        for j in 0..self.vicinity.variables() {
            let mut best: Option<(f64, Led)> = None;
            let mut first = None;
            let mut epsilon = self.vicinity.epsilons[j];
            for attempt in 0..ATTEMPTS {
                let mut nearer = match attempt {
                    0 => None,
                    _ => Some(self.vicinity.line(self.study, j, epsilon)?),
                };
                let found = places.iter().find_map(|place| {
                    let led = match &mut nearer {
                        None => self.lead_all(bundle, j, stretch, place),
                        Some(line) => self.lead_others(bundle, (j, epsilon, line), stretch, place),
                    };
                    led.map_err(|error| first.get_or_insert(error)).ok()
                });
                if let Some(all) = found {
                    let (doubt, led) = self.judged(epsilon, &all, &f_after);
                    let better = best.as_ref().is_none_or(|best| doubt < best.0);
                    if better {
                        best = Some((doubt, led));
                    }
                    if doubt <= self.vicinity.stencil.doubt || !better {
                        break;
                    }
                }
                epsilon *= NEARER;
            }
            let Some((_, led)) = best else {
                return Err(first.unwrap_or(SensitivityError::Refused {
                    method: Method::Direct,
                    t: stretch.to,
                    why: "an event happens at once".into(),
                }));
            };
            for i in 0..n {
                whole[bundle.layout.at(j, i)] = led.y[i];
            }
            passed.before.push(led.before);
            passed.after.push(led.after);
            passed.moved.push(led.t);
        }
        whole[..n].copy_from_slice(&y_after);
        Ok(passed)
    }

    /// The difference of neighbours that were led, with S⁺ for y; and by how much it differs from that of lower order, in parts of the largest derivative.
    fn judged(&self, epsilon: f64, all: &[Led], f_after: &[f64]) -> (f64, Led) {
        let stencil = self.vicinity.stencil;
        let of = |weights: &[f64]| {
            let mut led = Led::slope(all, |values| stencil.slope_by(weights, epsilon, values));
            led.y.iter_mut().zip(f_after).for_each(|(y, f)| *y -= f * led.t);
            led
        };
        let (best, lower) = (of(stencil.weights.best), of(stencil.weights.lower));
        let size = all.iter().flat_map(|led| &led.y).fold(0.0_f64, |most, y| most.max(y.abs()));
        let largest = best.y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        let off = best.y.iter().zip(&lower.y).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        let rounding = ROUNDING * size / epsilon;
        (if off <= rounding { 0.0 } else { off / largest.max(rounding) }, best)
    }

    /// All neighbours on the line of a variable, from a place.
    fn lead_all(
        &mut self,
        bundle: &mut Bundle<'v>,
        j: usize,
        stretch: &Stretch,
        place: &Place,
    ) -> Result<Vec<Led>, SensitivityError> {
        let epsilon = self.vicinity.epsilons[j];
        let displaced = self.displaced(bundle, j, epsilon, &place.1);
        displaced.iter().enumerate().map(|(k, y)| self.lead(bundle, (j, k), stretch, place.0, y)).collect()
    }

    /// The same with others than those of the vicinity.
    fn lead_others(
        &self,
        bundle: &mut Bundle<'v>,
        (j, epsilon, line): (usize, f64, &mut [Mechanism]),
        stretch: &Stretch,
        place: &Place,
    ) -> Result<Vec<Led>, SensitivityError> {
        let mut all = Vec::new();
        let displaced = self.displaced(bundle, j, epsilon, &place.1);
        for (k, (y, mechanism)) in displaced.iter().zip(line).enumerate() {
            mechanism.model.settings.formulation = bundle.formulation;
            let mut probe = bundle.probe_of(mechanism)?;
            let state = probe.state(place.0, y);
            let mut simulation = mechanism.simulation()?;
            let led = led(self.record, stretch, &mut simulation, mechanism, &state, true);
            let (mut led, end) = led.map_err(|source| self.about(j, epsilon, k, source))?;
            led.y = probe.enter(&end)?;
            all.push(led);
        }
        Ok(all)
    }

    /// The states on the line of a variable at a place.
    fn displaced(&self, bundle: &Bundle<'v>, j: usize, epsilon: f64, whole: &[f64]) -> Vec<Vec<f64>> {
        let at = |multiple: &f64| {
            let moved = |i: usize| whole[i] + multiple * epsilon * whole[bundle.layout.at(j, i)];
            (0..bundle.layout.n).map(moved).collect()
        };
        self.vicinity.stencil.multiples.iter().map(at).collect()
    }

    /// S over a corner of a function of time, whose time may move.
    pub fn turn_corner(
        &mut self,
        bundle: &mut Bundle<'v>,
        stretch: &Stretch,
        whole: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let n = bundle.layout.n;
        let moves = self.corner_moves(stretch);
        if moves.iter().all(|&moved| moved == 0.0) {
            return Ok(());
        }
        let [mut before, mut after] = [vec![0.0; n], vec![0.0; n]];
        bundle.nominal.derivative(stretch.to.next_down(), &whole[..n], &mut before)?;
        bundle.nominal.derivative(stretch.to, &whole[..n], &mut after)?;
        for (j, moved) in moves.into_iter().enumerate() {
            for i in 0..n {
                whole[bundle.layout.at(j, i)] += (before[i] - after[i]) * moved;
            }
        }
        Ok(())
    }

    /// By how much the corner of a function of time at the end of a stretch moves, by variable.
    pub fn corner_moves(&self, stretch: &Stretch) -> Vec<f64> {
        let moved = |(j, line): (usize, &Vec<Mechanism>)| {
            let times: Vec<f64> = line.iter().map(|mechanism| mechanism.next_edge(stretch.from)).collect();
            let stays = stretch.at_stop || times.iter().all(|&t| t == stretch.to);
            if stays { 0.0 } else { self.vicinity.slope(j, &times) }
        };
        self.vicinity.lines.iter().enumerate().map(moved).collect()
    }
}
