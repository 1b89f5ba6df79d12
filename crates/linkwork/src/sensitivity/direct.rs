//! Derivatives by integrating them along with the motion.
//!
//! With y the state in the coordinates of a formulation, y' = f(t, y; p), and S_j = ∂y/∂p_j at a given time,
//!
//!   (V1)  S'_j = f_y S_j + f_(p_j),     S_j(0) = ∂y₀/∂p_j
//!   (V2)  ∂c/∂p_j = c_y S_j + c_(p_j)                          of a column c at a given time; of its maximum at the time of the maximum, since ċ = 0 there
//!
//! All of these are derivatives along one line, that of y + ε S_j and p_j + ε, and so four evaluations with fixed mechanisms at p_j ± ε, p_j ± 2ε give each at once:
//!
//!   (V3)  dF/dε = (8 (F(ε) − F(−ε)) − (F(2ε) − F(−2ε))) / 12ε + O(ε⁴)
//!
//! M, Aᵀ, γ and forces are differentiated together with the solution for the accelerations. At an event at the time t*, where g(t, y; p) = 0 and y⁺ = J(y⁻; p),
//!
//!   (V4)  δt* = −(g_y S + g_p) / ġ,     Y_j = J_y (S_j + f⁻ δt*) + J_p,     S_j⁺ = Y_j − f⁺ δt*
//!
//! δt* and Y_j, which is the change of y⁺ from event to event, come by (V3) from neighbours that are led over the event from a time shortly before it. An integral over pieces that end by events
//! gets (c⁻ − c⁺) δt* from each. Corners of functions of time, whose times may depend on p as well, have J = 1.

use super::lines::{EPSILON, LINE, Lines, slope};
use super::record::{Record, Stretch};
use super::{Sensitivities, SensitivityError, Study, Take};
use crate::Error;
use crate::integrate::Stepper;
use crate::mechanism::Mechanism;
use crate::model::{Formulation, Settings};
use crate::results::row;
use crate::simulation::{Probe, Simulation, State};

/// Local error of the derivatives, relative to what is largest in them.
const TOLERANCE: f64 = 1e-13;
/// States that were integrated twice agree to this.
const AGREES: f64 = 1e-6;

/// Writes the whole at a time within a step.
type Look<'t> = &'t mut dyn FnMut(&mut Lines, f64, &mut [f64]) -> Result<(), SensitivityError>;

/// Derivatives of the kept columns by each variable, at the instant of an event from event to event: before and after it.
struct Passed {
    before: Vec<Vec<f64>>,
    after: Vec<Vec<f64>>,
    /// δt* by variable.
    moved: Vec<f64>,
}

/// A direct differentiation under way.
struct Direct<'m> {
    study: &'m Study<'m>,
    record: &'m Record,
    /// By variable, in the order of [`LINE`].
    mechanisms: &'m [Vec<Mechanism>],
    simulations: Vec<Vec<Simulation<'m>>>,
    base: &'m Mechanism,
    simulation: Simulation<'m>,
    lines: Lines,
    /// Derivatives by quantity and variable.
    found: Vec<Vec<f64>>,
    /// Of integrals over time, of a column and of half its square: by kept column and variable.
    areas: Vec<Vec<f64>>,
    squares: Vec<Vec<f64>>,
    row: Vec<f64>,
    /// By how much the end of the run moves, where an event ends it: by variable.
    longer: Vec<f64>,
}

impl Study<'_> {
    /// Derivatives by integrating them along with the motion, with the jump rule at events. As accurate as the run, 1e-10 as a rule. A variable costs
    /// about half a run where the equations can be differentiated with the factor that they leave, and otherwise as much as four and more. No errors are estimated: compare with [`Study::differences`].
    ///
    /// # Errors
    /// As [`Study::differences`]; and mechanisms that sample, or whose topology changes.
    pub fn direct(&self) -> Result<Sensitivities, SensitivityError> {
        let nominal = self.nominal();
        let settled = self.settled(&nominal)?;
        let mut base = self.assembled(&nominal, &settled)?;
        if base.interactions.next_sample(0.0).is_finite() {
            let why = "formulas that are sampled jump at each sample";
            return Err(SensitivityError::Direct { t: 0.0, why: why.into() });
        }
        let (record, values) = Record::of(&base, &self.quantities)?;
        let epsilons: Vec<f64> =
            self.designs.iter().map(|design| EPSILON * self.size(design, &base)).collect();
        let mut mechanisms = Vec::new();
        for (j, &epsilon) in epsilons.iter().enumerate() {
            mechanisms.push(self.line(j, epsilon, &settled)?);
        }
        // another formulation has the same events, and its steps serve as well
        let formulation = Lines::formulation(&base, &mechanisms, &epsilons, record.formulation)?;
        for mechanism in std::iter::once(&mut base).chain(mechanisms.iter_mut().flatten()) {
            mechanism.model.settings.formulation = formulation;
        }
        let mut direct = Direct::new(self, &record, &base, &mechanisms, epsilons, formulation)?;
        direct.run()?;
        let derivatives = direct.results(&values.values);
        let errors = vec![vec![f64::NAN; self.designs.len()]; self.quantities.len()];
        if let Some(i) = derivatives.iter().position(|row| row.iter().any(|x| !x.is_finite())) {
            let (name, events) = (self.quantities[i].name.clone(), values.events.len());
            return Err(SensitivityError::NoValue { name, events });
        }
        Ok(Sensitivities {
            quantities: self.quantities.clone(),
            units: record.units.clone(),
            values: values.values,
            variables: self.designs.clone(),
            derivatives,
            errors,
            events: values.events,
            runs: 1 + 4 * self.designs.len(),
        })
    }

    /// The mechanisms on the line of a variable.
    fn line(&self, j: usize, epsilon: f64, settled: &Settings) -> Result<Vec<Mechanism>, SensitivityError> {
        let at = |(multiple, _): &(f64, f64)| {
            let mut values = self.nominal();
            values[j] += multiple * epsilon;
            self.assembled(&values, settled).map_err(|source| SensitivityError::Variable {
                variable: self.designs[j].name.clone(),
                unit: self.designs[j].unit.clone(),
                change: multiple * epsilon,
                source: Box::new(source),
            })
        };
        LINE.iter().map(at).collect()
    }
}

/// The kept columns of a state.
fn columns(
    probe: &mut Probe,
    mechanism: &Mechanism,
    record: &Record,
    t: f64,
    y: &[f64],
    all: &mut Vec<f64>,
    kept: &mut Vec<f64>,
) -> Result<(), Error> {
    row(mechanism, probe.frame(t, y)?, all);
    kept.clear();
    kept.extend(record.columns.iter().map(|&column| all[column]));
    Ok(())
}

impl<'m> Direct<'m> {
    fn new(
        study: &'m Study<'m>,
        record: &'m Record,
        base: &'m Mechanism,
        mechanisms: &'m [Vec<Mechanism>],
        epsilons: Vec<f64>,
        formulation: Formulation,
    ) -> Result<Self, SensitivityError> {
        let each =
            |list: &'m Vec<Mechanism>| list.iter().map(Mechanism::simulation).collect::<Result<Vec<_>, _>>();
        let simulations = mechanisms.iter().map(each).collect::<Result<Vec<_>, _>>()?;
        let (results, variables) = (record.taken.len(), mechanisms.len());
        let zeros = |rows: usize| vec![vec![0.0; variables]; rows];
        Ok(Direct {
            study,
            record,
            mechanisms,
            simulations,
            base,
            simulation: base.simulation()?,
            lines: Lines::new(base, mechanisms, epsilons, formulation)?,
            // what nothing is found for is reported
            found: vec![vec![f64::NAN; variables]; results],
            areas: zeros(record.columns.len()),
            squares: zeros(record.columns.len()),
            row: Vec::new(),
            longer: vec![0.0; variables],
        })
    }

    fn run(&mut self) -> Result<(), SensitivityError> {
        let record = self.record;
        let n = self.lines.columns.n;
        let variables = self.mechanisms.len();
        let topology = self.simulation.state().topology;
        let mut whole = vec![0.0; self.lines.columns.len()];
        let y = self.lines.enter(&self.simulation.state())?;
        whole[..n].copy_from_slice(&y);
        for j in 0..variables {
            let mut starts = Vec::with_capacity(LINE.len());
            for k in 0..LINE.len() {
                let state = self.simulations[j][k].state();
                starts.push(self.lines.neighbours[j][k].enter(&state)?);
            }
            for i in 0..n {
                let values: Vec<f64> = starts.iter().map(|y| y[i]).collect();
                whole[self.lines.columns.at(j, i)] = slope(self.lines.epsilons[j], &values);
            }
        }
        self.simulation.watch_pieces(record.pieces());
        let mut events = 0;
        let mut piece = 0;
        for (s, stretch) in record.stretches.iter().enumerate() {
            let state = self.simulation.state();
            self.lines.enter(&state)?;
            self.at_instant(stretch.from, &whole, |take| take == Take::At(stretch.from))?;
            // a neighbour is led over an event from here
            let before = stretch.from + stretch.steps[..stretch.steps.len() - 1].iter().sum::<f64>();
            let near = before.min(stretch.to) + 0.5 * (stretch.to - before.min(stretch.to));
            let led = stretch.happened.then_some(near);
            let last = s + 1 == record.stretches.len();
            let start = whole.clone();
            let at_near = self.integrate(stretch, led, &mut whole)?;
            if last && s == 0 && !stretch.happened {
                // one smooth stretch: nothing has to be seen again
                self.at_instant(stretch.to, &whole, |take| {
                    take == Take::Final || take == Take::At(stretch.to)
                })?;
                break;
            }
            let mut happened = Default::default();
            record.follow(&mut self.simulation, stretch, &mut happened)?;
            let reported = happened.times.len();
            let after_state = self.simulation.state();
            if after_state.topology != topology {
                return Err(self.not_direct(stretch.to, "what the mechanism consists of changes"));
            }
            let pieces = self.simulation.count_pieces();
            if stretch.happened {
                let from = at_near.as_deref().unwrap_or(&start);
                let passed = self.pass(stretch, near, from, &mut whole, &after_state)?;
                self.at_event(&passed, events..events + reported, piece..pieces, last, stretch.finished);
            } else if last {
                self.at_instant(stretch.to, &whole, |take| {
                    take == Take::Final || take == Take::At(stretch.to)
                })?;
            } else {
                self.turn_corner(stretch, &mut whole)?;
                let y = self.lines.nominal.enter(&after_state)?;
                let size = y.iter().fold(self.base.size(), |most, x| most.max(x.abs()));
                if y.iter().zip(&whole).any(|(a, b)| (a - b).abs() > AGREES * size) {
                    return Err(self.not_direct(stretch.to, "the state jumps without an event"));
                }
                whole[..n].copy_from_slice(&y);
            }
            events += reported;
            piece = pieces;
        }
        Ok(())
    }

    fn not_direct(&self, t: f64, why: &str) -> SensitivityError {
        SensitivityError::Direct { t, why: why.into() }
    }

    /// (V2) at an instant, for the quantities that are taken there.
    fn at_instant(
        &mut self,
        t: f64,
        whole: &[f64],
        wanted: impl Fn(Take) -> bool,
    ) -> Result<(), SensitivityError> {
        let quantities = &self.study.quantities;
        if !quantities.iter().any(|quantity| wanted(quantity.take)) {
            return Ok(());
        }
        for j in 0..self.mechanisms.len() {
            let slopes = self.slopes(j, t, whole)?;
            for (i, quantity) in quantities.iter().enumerate() {
                if wanted(quantity.take) {
                    self.found[i][j] = slopes[self.record.taken[i]];
                }
            }
        }
        Ok(())
    }

    /// (V2) of all kept columns.
    fn slopes(&mut self, j: usize, t: f64, whole: &[f64]) -> Result<Vec<f64>, SensitivityError> {
        let mut out = vec![0.0; self.record.columns.len()];
        let Direct { lines, mechanisms, record, row, .. } = self;
        lines.along(j, t, whole, &mut out, &mut |k, probe, t, y, kept| {
            columns(probe, &mechanisms[j][k], record, t, y, row, kept)
        })?;
        Ok(out)
    }

    /// (V1) over a stretch, with what is taken on the way. Gives what there is at a time near its end, where that is asked for.
    fn integrate(
        &mut self,
        stretch: &Stretch,
        near: Option<f64>,
        whole: &mut [f64],
    ) -> Result<Option<Vec<f64>>, SensitivityError> {
        self.lines.weigh(whole, self.base.size());
        let mut stepper = Stepper::dop853(whole.len(), TOLERANCE);
        let wrong = |error: crate::integrate::StepError<Error>| match error {
            crate::integrate::StepError::System { source, .. } => SensitivityError::Nominal(source),
            other => SensitivityError::Direct { t: stretch.from, why: other.to_string() },
        };
        stepper.start(&mut self.lines, stretch.from, whole, stretch.to).map_err(wrong)?;
        if let Some(near) = near {
            stepper.land_on(near);
        }
        let mut at_near = None;
        let within = self.study.quantities.iter().any(|quantity| quantity.take.looks_within());
        while !stepper.is_finished() {
            stepper.step(&mut self.lines).map_err(wrong)?;
            if near == Some(stepper.t()) {
                at_near = Some(stepper.y().to_vec());
            }
            if within {
                let (from, to) = (stepper.t_old(), stepper.t());
                self.read(
                    &mut |lines: &mut Lines, t: f64, out: &mut [f64]| {
                        stepper.interpolate(lines, t, out).map_err(wrong)
                    },
                    [from, to],
                    whole.len(),
                )?;
            }
        }
        whole.copy_from_slice(stepper.y());
        Ok(at_near)
    }

    /// Integrals over a step, and extremes within it.
    fn read(&mut self, look: Look<'_>, [from, to]: [f64; 2], length: usize) -> Result<(), SensitivityError> {
        let record = self.record;
        let mut whole = vec![0.0; length];
        let sums =
            self.study.quantities.iter().any(|q| matches!(q.take, Take::Mean | Take::Rms | Take::Integral));
        if sums {
            for (&place, &weight) in record.rule.places.iter().zip(&record.rule.weights) {
                let t = if place == 1.0 { to } else { from + (to - from) * place };
                look(&mut self.lines, t, &mut whole)?;
                let mut values = Vec::new();
                let n = self.lines.columns.n;
                columns(
                    &mut self.lines.nominal,
                    self.base,
                    record,
                    t,
                    &whole[..n],
                    &mut self.row,
                    &mut values,
                )?;
                for j in 0..self.mechanisms.len() {
                    for (c, slope) in self.slopes(j, t, &whole)?.into_iter().enumerate() {
                        let part = weight * (to - from) * slope;
                        self.areas[c][j] += part;
                        self.squares[c][j] += part * values[c];
                    }
                }
            }
        }
        for i in 0..record.taken.len() {
            let Some(t) =
                record.tops[i].filter(|&t| from < t && t <= to || t == from && from == record.begin())
            else {
                continue;
            };
            look(&mut self.lines, t, &mut whole)?;
            for j in 0..self.mechanisms.len() {
                self.found[i][j] = self.slopes(j, t, &whole)?[record.taken[i]];
            }
        }
        Ok(())
    }

    /// (V4)
    fn pass(
        &mut self,
        stretch: &Stretch,
        near: f64,
        from: &[f64],
        whole: &mut [f64],
        after: &State,
    ) -> Result<Passed, SensitivityError> {
        let n = self.lines.columns.n;
        let y_after = self.lines.nominal.enter(after)?;
        let mut f_after = vec![0.0; n];
        if !stretch.finished {
            self.lines.nominal.derivative(stretch.to, &y_after, &mut f_after)?;
        }
        let mut passed = Passed { before: Vec::new(), after: Vec::new(), moved: Vec::new() };
        for j in 0..self.mechanisms.len() {
            let epsilon = self.lines.epsilons[j];
            let (mut times, mut ends, mut rows) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
            for (k, (multiple, _)) in LINE.iter().enumerate() {
                let moved = |i: usize| from[i] + multiple * epsilon * from[self.lines.columns.at(j, i)];
                let y: Vec<f64> = (0..n).map(moved).collect();
                let probe = &mut self.lines.neighbours[j][k];
                let state = probe.state(near, &y);
                let simulation = &mut self.simulations[j][k];
                simulation.events();
                simulation.set_state(&state)?;
                simulation.events();
                simulation.watch_pieces(self.record.pieces());
                self.record.lead(simulation, stretch, 1.5 * (stretch.to - near)).map_err(|source| {
                    SensitivityError::Variable {
                        variable: self.study.designs[j].name.clone(),
                        unit: self.study.designs[j].unit.clone(),
                        change: multiple * epsilon,
                        source: Box::new(source),
                    }
                })?;
                times.push(simulation.t());
                ends.push(probe.enter(&simulation.state())?);
                let pieces = simulation.take_pieces();
                let width = self.record.columns.len();
                let end = pieces.list.last().map_or(&[][..], |piece| &piece.rows[piece.rows.len() - width..]);
                rows[0].push(end.to_vec());
                row(&self.mechanisms[j][k], simulation.sample()?, &mut self.row);
                rows[1].push(self.record.columns.iter().map(|&c| self.row[c]).collect());
            }
            let moved = slope(epsilon, &times);
            for i in 0..n {
                let values: Vec<f64> = ends.iter().map(|y| y[i]).collect();
                whole[self.lines.columns.at(j, i)] = slope(epsilon, &values) - f_after[i] * moved;
            }
            let by_column = |rows: &[Vec<f64>]| -> Vec<f64> {
                (0..self.record.columns.len())
                    .map(|c| slope(epsilon, &rows.iter().map(|row| row[c]).collect::<Vec<_>>()))
                    .collect()
            };
            passed.before.push(by_column(&rows[0]));
            passed.after.push(by_column(&rows[1]));
            passed.moved.push(moved);
        }
        whole[..n].copy_from_slice(&y_after);
        Ok(passed)
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
        for j in 0..self.mechanisms.len() {
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
                self.areas[c][j] += (x - next) * passed.moved[j];
                self.squares[c][j] += 0.5 * (x * x - next * next) * passed.moved[j];
            }
            if last {
                self.longer[j] = passed.moved[j];
            }
        }
    }

    /// S over a corner of a function of time, whose time may move.
    fn turn_corner(&mut self, stretch: &Stretch, whole: &mut [f64]) -> Result<(), SensitivityError> {
        if stretch.at_stop {
            return Ok(());
        }
        let n = self.lines.columns.n;
        for j in 0..self.mechanisms.len() {
            let times: Vec<f64> =
                self.mechanisms[j].iter().map(|mechanism| mechanism.next_edge(stretch.from)).collect();
            if times.iter().all(|&t| t == stretch.to) {
                continue;
            }
            let moved = slope(self.lines.epsilons[j], &times);
            let [mut before, mut after] = [vec![0.0; n], vec![0.0; n]];
            self.lines.nominal.derivative(stretch.to.next_down(), &whole[..n], &mut before)?;
            self.lines.nominal.derivative(stretch.to, &whole[..n], &mut after)?;
            for i in 0..n {
                whole[self.lines.columns.at(j, i)] += (before[i] - after[i]) * moved;
            }
        }
        Ok(())
    }

    /// The derivatives; means and roots of mean squares from integrals.
    fn results(&self, values: &[f64]) -> Vec<Vec<f64>> {
        let mut found = self.found.clone();
        let record = self.record;
        let time = record.end() - record.begin();
        for (i, quantity) in self.study.quantities.iter().enumerate() {
            let column = record.taken[i];
            for j in 0..self.mechanisms.len() {
                let area = self.areas[column][j];
                // an event that ends the run moves its end
                let longer = self.longer[j];
                found[i][j] = match quantity.take {
                    Take::Integral => area,
                    Take::Mean => (area - values[i] * longer) / time,
                    Take::Rms if values[i] == 0.0 => 0.0,
                    Take::Rms => {
                        (2.0 * self.squares[column][j] - values[i] * values[i] * longer)
                            / (2.0 * values[i] * time)
                    }
                    _ => found[i][j],
                };
            }
        }
        found
    }
}
