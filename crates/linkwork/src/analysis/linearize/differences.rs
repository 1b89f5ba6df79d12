//! Differences along the states and the inputs: (L2) to (L5).

use super::columns::{InputColumn, OutputColumn};
use super::shapes::{self, Shapes};
use super::{Linearization, Tangent, Unsteady};
use crate::Error;
use crate::results::own_row;
use nalgebra::{DMatrix, DVector};

/// h of (L5), in parts of a radian or of the size.
const STEP: f64 = 1e-2;
/// Differences are good where both orders agree to this part: the sixth is then far better.
const AGREE: f64 = 1e-7;
/// Steps become smaller by this factor, so many times at most.
const SMALLER: f64 = 0.2;
const MOST_STEPS: usize = 8;
/// Worse agreement than this is said.
const ROUGH: f64 = 1e-4;
/// Entries below this part of the largest in their row, or of the fastest change, sizes of states counted, are rounding of the differences; those below the second only if
/// both orders disagree there by more than [`DOUBTFUL`], as rounding does and small forces do not.
const ROUNDING: f64 = 3e-12;
const DOUBTFUL: f64 = 1e-4;
/// A motion that changes more slowly than this is steady, in parts of what the mechanism does within a second, or within its shortest period.
const STEADY: f64 = 1e-7;
/// Time step of the look ahead, in such times.
const AHEAD: f64 = 1e-4;

/// What is differentiated, with its parts behind each other: X, F, outputs, positions of everything.
pub(super) struct Sampler<'m> {
    tangent: Tangent<'m>,
    inputs: Vec<InputColumn>,
    outputs: Vec<OutputColumn>,
    row: Vec<f64>,
    /// Positions of everything at the state: those of every state that only velocities or auxiliary states are displaced in.
    still: Vec<f64>,
    remarks: Vec<String>,
    /// What counts as a fast change, 1/s.
    frequency: f64,
}

/// Derivatives along a direction.
struct Derivative {
    column: Vec<f64>,
    /// By how much both orders differ in F.
    doubt: Vec<f64>,
    /// The largest of these, in parts of F.
    off: f64,
}

impl<'m> Sampler<'m> {
    pub fn new(
        tangent: Tangent<'m>,
        inputs: Vec<InputColumn>,
        outputs: Vec<OutputColumn>,
    ) -> Result<Self, Error> {
        let mut sampler = Sampler {
            tangent,
            inputs,
            outputs,
            row: Vec::new(),
            still: Vec::new(),
            remarks: Vec::new(),
            frequency: 1.0,
        };
        sampler.tell_of_samplers();
        Ok(sampler)
    }

    pub fn linearize(mut self) -> Result<Linearization, Error> {
        let n = self.tangent.len();
        let m = self.outputs.len();
        let [positions, velocities, _] = self.tangent.counts();
        let (y, dy) = (self.tangent.y.clone(), self.tangent.dy.clone());
        let here = self.sample(&y, &dy, true)?;
        self.still = here[2 * n + m..].to_vec();
        self.finite(&here)?;
        let rows = here.len();
        let mut along = DMatrix::zeros(rows, n);
        let mut doubts = Vec::with_capacity(n);
        for k in 0..n {
            if k == positions {
                self.frequency = self.frequency_of(&along, positions, velocities);
            }
            let found = self.along_state(k)?;
            along.set_column(k, &DVector::from_vec(found.column));
            doubts.push(found.doubt);
        }
        let mut by_input = DMatrix::zeros(rows, self.inputs.len());
        for i in 0..self.inputs.len() {
            by_input.set_column(i, &DVector::from_vec(self.along_input(i)?));
        }
        // (L3): Z dX/ds = d[F, O, positions]/ds
        let reached = along.rows(0, n).transpose();
        let solved = reached.lu().solve(&along.rows(n, rows - n).transpose());
        let by_state = solved.ok_or_else(|| self.folded())?.transpose();
        // (L4)
        let by_input = by_input.rows(n, rows - n) - &by_state * by_input.rows(0, n);
        let unsteady = self.unsteady(&here[n..2 * n])?;
        let mut a = row_by_row(&by_state.rows(0, n).into_owned());
        self.round(&mut a, &doubts);
        let frame = self.tangent.probe.frame(self.tangent.t, &y)?.clone();
        let positions_by_state = row_by_row(&by_state.rows(n + m, rows - 2 * n - m).into_owned());
        let shapes = Shapes::new(self.tangent.mechanism, &frame, &positions_by_state, n);
        let first = self.tangent.first_variable();
        let value = |input: &InputColumn| y[first + input.variable] / input.unit_size;
        let Sampler { tangent, inputs, outputs, mut remarks, .. } = self;
        if let Some(unsteady) = &unsteady {
            remarks.push(format!(
                "the motion at t = {} s is not steady: the rate of `{}` changes by {:.3e} per second, in {:.1e} s by its size; the linear system is that of one instant",
                tangent.t, unsteady.state, unsteady.change, unsteady.within
            ));
        }
        Ok(Linearization {
            model: tangent.mechanism.model.name.clone(),
            t: tangent.t,
            formulation: tangent.formulation(),
            states: tangent.states().to_vec(),
            counts: tangent.counts(),
            a,
            b: row_by_row(&by_input.rows(0, n).into_owned()),
            c: row_by_row(&by_state.rows(n, m).into_owned()),
            d: row_by_row(&by_input.rows(n, m).into_owned()),
            rates: here[n..2 * n].to_vec(),
            input_values: inputs.iter().map(value).collect(),
            output_values: here[2 * n..2 * n + m].to_vec(),
            inputs: inputs.into_iter().map(|input| input.quantity).collect(),
            outputs: outputs.into_iter().map(|output| output.quantity).collect(),
            unsteady,
            remarks,
            bodies: shapes.bodies,
            points: shapes.points,
            joints: shapes.joints,
            beams: tangent.mechanism.beams().iter().map(|beam| beam.name.clone()).collect(),
        })
    }

    /// X, F, outputs and positions.
    fn sample(&mut self, y: &[f64], dy: &[f64], moved: bool) -> Result<Vec<f64>, Error> {
        let n = self.tangent.len();
        let mut out = vec![0.0; 2 * n];
        let (x, dx) = out.split_at_mut(n);
        self.tangent.read(y, dy, x, dx);
        if !moved && self.outputs.is_empty() {
            out.extend(&self.still);
            return Ok(out);
        }
        let mechanism = self.tangent.mechanism;
        let frame = self.tangent.probe.frame(self.tangent.t, y)?;
        if !self.outputs.is_empty() {
            own_row(mechanism, frame, &mut self.row);
            out.extend(self.outputs.iter().map(|output| self.row[output.place]));
        }
        shapes::positions(frame, &mut out);
        debug_assert_eq!(out.len(), 2 * n + self.outputs.len() + shapes::count(mechanism));
        Ok(out)
    }

    fn at(&mut self, x: &[f64]) -> Result<Vec<f64>, Error> {
        let (y, dy) = self.tangent.displaced(x)?;
        let [positions, ..] = self.tangent.counts();
        let moved = x[..positions].iter().any(|x| *x != 0.0);
        self.sample(&y, &dy, moved)
    }

    fn along_state(&mut self, k: usize) -> Result<Derivative, Error> {
        let [positions, velocities, _] = self.tangent.counts();
        let is_velocity = (positions..positions + velocities).contains(&k);
        let frequency = if is_velocity { self.frequency } else { 1.0 };
        let step = STEP * frequency / self.tangent.reach(k);
        let mut x = vec![0.0; self.tangent.len()];
        let found = self.difference(step, |sampler, by| {
            x[k] = by;
            sampler.at(&x)
        })?;
        if found.off > ROUGH {
            let name = &self.tangent.states()[k].name;
            self.remarks.push(rough(name, found.off));
        }
        Ok(found)
    }

    fn along_input(&mut self, i: usize) -> Result<Vec<f64>, Error> {
        let InputColumn { variable, unit_size, quantity } = self.inputs[i].clone();
        let place = self.tangent.first_variable() + variable;
        let step = STEP * self.tangent.large(place) / unit_size;
        let found = self.difference(step, |sampler, by| {
            let (mut y, mut dy) = (sampler.tangent.y.clone(), sampler.tangent.dy.clone());
            y[place] += by * unit_size;
            sampler.tangent.probe.project(sampler.tangent.t, &mut y, &mut dy)?;
            sampler.sample(&y, &dy, true)
        })?;
        if found.off > ROUGH {
            self.remarks.push(rough(&quantity.name, found.off));
        }
        Ok(found.column)
    }

    /// (L5) with the step at which both orders agree best, and how well they do.
    fn difference(
        &mut self,
        step: f64,
        mut at: impl FnMut(&mut Self, f64) -> Result<Vec<f64>, Error>,
    ) -> Result<Derivative, Error> {
        let mut best: Option<Derivative> = None;
        let mut h = step;
        for attempt in 0..MOST_STEPS {
            match self.with_step(h, &mut at) {
                Ok(found) => {
                    let off = found.off;
                    if best.as_ref().is_none_or(|best| off < best.off) {
                        best = Some(found);
                    }
                    if off <= AGREE {
                        break;
                    }
                }
                // a long step may leave what the constraints allow
                Err(error) if attempt + 1 == MOST_STEPS && best.is_none() => return Err(error),
                Err(_) => {}
            }
            h *= SMALLER;
        }
        best.ok_or_else(|| self.folded())
    }

    fn with_step(
        &mut self,
        h: f64,
        at: &mut impl FnMut(&mut Self, f64) -> Result<Vec<f64>, Error>,
    ) -> Result<Derivative, Error> {
        let mut sixth: Vec<f64> = Vec::new();
        let mut fourth: Vec<f64> = Vec::new();
        for (times, of_sixth, of_fourth) in
            [(1.0, 45.0 / 60.0, 8.0 / 12.0), (2.0, -9.0 / 60.0, -1.0 / 12.0), (3.0, 1.0 / 60.0, 0.0)]
        {
            let (ahead, behind) = (at(self, times * h)?, at(self, -times * h)?);
            sixth.resize(ahead.len(), 0.0);
            fourth.resize(ahead.len(), 0.0);
            for i in 0..ahead.len() {
                let difference = (ahead[i] - behind[i]) / h;
                sixth[i] += of_sixth * difference;
                fourth[i] += of_fourth * difference;
            }
        }
        self.finite(&sixth)?;
        // judged by F
        let n = self.tangent.len();
        let doubt: Vec<f64> = (n..2 * n).map(|i| (sixth[i] - fourth[i]).abs()).collect();
        let (mut off, mut large) = (0.0_f64, 0.0_f64);
        for (i, doubt) in doubt.iter().enumerate() {
            let size = self.tangent.size_of(i, self.frequency);
            off = off.max(doubt / size);
            large = large.max(sixth[n + i].abs() / size).max(sixth[i].abs() / size);
        }
        Ok(Derivative { column: sixth, doubt, off: if large > 0.0 { off / large } else { 0.0 } })
    }

    /// The largest frequency that the stiffness against one displacement makes, at least one per second.
    fn frequency_of(&self, along: &DMatrix<f64>, positions: usize, velocities: usize) -> f64 {
        let n = self.tangent.len();
        let mut most = 1.0_f64;
        for k in 0..positions {
            let step = self.tangent.size_of(k, 1.0);
            for i in positions..positions + velocities {
                most = most.max(along[(n + i, k)].abs() * step / self.tangent.size_of(i, 1.0));
            }
        }
        most.sqrt()
    }

    /// x'', by a look ahead along the motion.
    fn unsteady(&mut self, rates: &[f64]) -> Result<Option<Unsteady>, Error> {
        let n = self.tangent.len();
        let ahead = AHEAD / self.frequency;
        let (mut y, mut dy) = (self.tangent.y.clone(), self.tangent.dy.clone());
        y.iter_mut().zip(&self.tangent.dy).for_each(|(y, dy)| *y += ahead * dy);
        let t = self.tangent.t + ahead;
        self.tangent.probe.project(t, &mut y, &mut dy)?;
        let (mut x, mut later) = (vec![0.0; n], vec![0.0; n]);
        self.tangent.read(&y, &dy, &mut x, &mut later);
        // the probe is back where it was
        let (t, y) = (self.tangent.t, self.tangent.y.clone());
        self.tangent.probe.derivative(t, &y, &mut dy)?;
        let mut most: (usize, f64, f64) = (0, 0.0, 0.0);
        for i in 0..n {
            let change = (later[i] - rates[i]) / ahead;
            let part = change.abs() / (self.tangent.size_of(i, self.frequency) * self.frequency.powi(2));
            if part > most.1 {
                most = (i, part, change);
            }
        }
        let (i, part, change) = most;
        Ok((part > STEADY).then(|| Unsteady {
            state: self.tangent.states()[i].name.clone(),
            change,
            within: 1.0 / (part.sqrt() * self.frequency),
        }))
    }

    /// Takes what is rounding out of A.
    fn round(&self, a: &mut [f64], doubts: &[Vec<f64>]) {
        let n = self.tangent.len();
        let sizes: Vec<f64> = (0..n).map(|k| self.tangent.size_of(k, self.frequency)).collect();
        for (i, row) in a.chunks_mut(n.max(1)).enumerate() {
            let largest = row.iter().zip(&sizes).fold(0.0, |m: f64, (a, size)| m.max(a.abs() * size));
            let fastest = sizes[i] * self.frequency;
            for (k, a) in row.iter_mut().enumerate() {
                let size = a.abs() * sizes[k];
                let doubtful = doubts[k][i] > DOUBTFUL * a.abs() && size <= ROUNDING * fastest;
                if doubtful || size <= ROUNDING * largest {
                    *a = 0.0;
                }
            }
        }
    }

    fn tell_of_samplers(&mut self) {
        if !self.tangent.mechanism.interactions.samplers.is_empty() {
            self.remarks.push(
                "what has `every` is held as it is: sampled controllers and states are no part of the linear system".into(),
            );
        }
    }

    fn finite(&self, values: &[f64]) -> Result<(), Error> {
        let n = self.tangent.len();
        let Some(i) = values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let what = match i {
            i if i < 2 * n => self.tangent.states()[i % n].name.clone(),
            i => self.outputs.get(i - 2 * n).map_or_else(|| "a position".into(), |o| o.quantity.name.clone()),
        };
        Err(Error::State(format!(
            "cannot linearise `{}` at t = {} s: `{what}` is not a finite number near the state",
            self.tangent.mechanism.model.name, self.tangent.t
        )))
    }

    fn folded(&self) -> Error {
        Error::State(format!(
            "cannot linearise `{}` at t = {} s: displaced states do not go where they should, the position is next to a singular one",
            self.tangent.mechanism.model.name, self.tangent.t
        ))
    }
}

fn rough(name: &str, off: f64) -> String {
    format!(
        "what acts is not smooth along `{name}`: differences of two orders disagree by {off:.1e} of their size; look for dry friction, stops and tables there"
    )
}

fn row_by_row(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<f64>>()).collect()
}
