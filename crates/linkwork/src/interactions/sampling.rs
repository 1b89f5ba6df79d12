//! Sampled controllers and states: at t_k = k T, for k = 0, 1, …, they are computed from the state there, and held in between (zero-order hold). All of them are variables
//! that stand still between samples, so that nothing outside of the state changes and steps that end at t_k meet the jumps.
//!
//! ```text
//!   (Z1)  states:       x ← next(t_k, y)                          all of them from the values before
//!   (Z2)  actuators:    u ← (M2), (M3)                            with the states after (Z1)
//!   (Z3)  integrals:    I ← I + T (e + (u − u_c) / (k_i T_t))     (M5) with what the sample saw, held; u has seen I before
//! ```
//!
//! What is known only once the motion is solved (accelerations, reactions, forces of contacts) is seen as it is before the sample: with the values that were held up to t_k. So
//! a sample can depend on it, which a force cannot. The first sample is taken before anything touches.
//!
//! x and I keep their values before the sample beside them: a sample can be taken again at the same instant, from an input that was set there.
//!
//! Two instants are the same up to [`SAME`] periods: multiples of different periods may differ by a rounding.

use super::Interactions;
use super::action::Action;
use super::coupling::Scene;
use super::program::{Context, Program};
use super::workspace::Workspace;

/// Times that are nearer than this part of a period are the same instant.
const SAME: f64 = 1e-9;
/// Roundings of a product and a quotient.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Something that is computed at multiples of a period.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// T, s
    pub every: f64,
    /// What it is.
    pub what: Sampled,
}

/// What is sampled.
#[derive(Clone, Debug)]
pub enum Sampled {
    /// (Z1)
    State {
        /// The variable x.
        variable: usize,
        /// Its value before the last sample.
        before: usize,
        /// What follows.
        next: Program,
    },
    /// (Z2), (Z3)
    Actuator {
        /// Which action.
        action: usize,
        /// The variable u.
        output: usize,
        /// The variables I, and I before the last sample, of a controller that integrates.
        integral: Option<[usize; 2]>,
    },
}

impl Sampler {
    /// How many samples come before a time, or at it.
    fn count(&self, t: f64) -> f64 {
        // after many periods a rounding of t is more than SAME
        let n = t / self.every;
        (n + SAME + ROUNDING * n).floor()
    }

    /// Whether a sample falls into (from, to].
    pub fn falls_into(&self, [from, to]: [f64; 2]) -> bool {
        self.count(to) > self.count(from)
    }

    /// Whether a sample falls on a time.
    pub fn falls_on(&self, t: f64) -> bool {
        (t - self.count(t) * self.every).abs() <= SAME * self.every + ROUNDING * t
    }

    /// The next sample after a time, s.
    fn next(&self, t: f64) -> f64 {
        (self.count(t) + 1.0) * self.every
    }
}

/// Which samples are meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Due {
    /// The first of all.
    First,
    /// Those after a time, up to another.
    Between([f64; 2]),
    /// Those of this instant, which have been taken, once more.
    Again(f64),
}

impl Due {
    fn takes(self, sampler: &Sampler) -> bool {
        match self {
            Due::First => true,
            Due::Between(times) => sampler.falls_into(times),
            Due::Again(t) => sampler.falls_on(t),
        }
    }
}

impl Interactions {
    /// The next sample after a time; infinite if nothing is sampled.
    pub fn next_sample(&self, t: f64) -> f64 {
        self.samplers.iter().fold(f64::INFINITY, |next, sampler| next.min(sampler.next(t)))
    }

    /// Whether any of the samples is to be taken.
    pub fn is_due(&self, due: Due) -> bool {
        self.samplers.iter().any(|sampler| due.takes(sampler))
    }
}

impl Workspace {
    /// Takes samples: the bodies are where they are, `auxiliary` change. What it has no value for is not a number afterwards.
    pub fn sample(&mut self, interactions: &Interactions, t: f64, due: Due, auxiliary: &mut [f64]) {
        if !interactions.is_due(due) {
            return;
        }
        let first = interactions.variables_at();
        if matches!(due, Due::Again(_)) {
            for sampler in interactions.samplers.iter().filter(|sampler| due.takes(sampler)) {
                let taken = match sampler.what {
                    Sampled::State { variable, before, .. } => Some([variable, before]),
                    Sampled::Actuator { integral, .. } => integral,
                };
                if let Some([now, before]) = taken {
                    auxiliary[first + now] = auxiliary[first + before];
                }
            }
        }
        let states = |sampler: &&Sampler| matches!(sampler.what, Sampled::State { .. }) && due.takes(sampler);
        let actuators =
            |sampler: &&Sampler| matches!(sampler.what, Sampled::Actuator { .. }) && due.takes(sampler);
        self.look(interactions, t, auxiliary, states);
        self.keep(interactions, auxiliary, states);
        self.look(interactions, t, auxiliary, actuators);
        self.keep(interactions, auxiliary, actuators);
    }

    /// Works out samples from a state.
    fn look(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
        which: impl Fn(&&Sampler) -> bool,
    ) {
        self.sampled.clear();
        let late = std::mem::take(&mut self.seen);
        self.measure(interactions, t, auxiliary, &late);
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &late };
        for sampler in interactions.samplers.iter().filter(which) {
            match &sampler.what {
                Sampled::State { next, .. } => self.sampled.push([next.eval(&at, &mut self.scratch), 0.0]),
                Sampled::Actuator { action, integral, .. } => {
                    let Action::Actuator(actuator) = &interactions.actions[*action].action else { continue };
                    let (u, rate) = actuator.sample(&at, &mut self.scratch);
                    let rise = integral.map_or(0.0, |_| sampler.every * rate);
                    self.sampled.push([u, rise]);
                }
            }
        }
        self.seen = late;
    }

    /// Puts the samples into the state.
    fn keep(&self, interactions: &Interactions, auxiliary: &mut [f64], which: impl Fn(&&Sampler) -> bool) {
        let variables = &mut auxiliary[interactions.variables_at()..];
        for (sampler, &[value, rise]) in interactions.samplers.iter().filter(which).zip(&self.sampled) {
            match sampler.what {
                Sampled::State { variable, before, .. } => {
                    variables[before] = variables[variable]; // (Z1)
                    variables[variable] = value;
                }
                Sampled::Actuator { output, integral, .. } => {
                    variables[output] = value; // (Z2)
                    if let Some([now, before]) = integral {
                        variables[before] = variables[now]; // (Z3)
                        variables[now] += rise;
                    }
                }
            }
        }
    }

    /// The first state or actuator without a finite sample, and why. For error messages, it allocates.
    pub fn trouble_of_samples(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
    ) -> Option<(String, String)> {
        let first = interactions.variables_at();
        // states have seen what was before, actuators what is now
        let mut before_all = auxiliary.to_vec();
        for sampler in &interactions.samplers {
            if let Sampled::State { variable, before, .. } = sampler.what {
                before_all[first + variable] = auxiliary[first + before];
            }
        }
        let late = self.seen.clone();
        for (states, seen) in [(true, &before_all[..]), (false, auxiliary)] {
            self.measure(interactions, t, seen, &late);
            let (hints, holds) = seen.split_at(interactions.hints);
            let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
            // formulas of the coordinate are evaluated inside the actuator: any numbers do for it
            let locals = &[1.0, 0.0];
            let at = Context { interactions, scene: &scene, measures: &self.measures, locals, late: &late };
            for sampler in &interactions.samplers {
                let (place, name, programs) = match &sampler.what {
                    Sampled::State { variable, next, .. } if states => {
                        (*variable, &interactions.variables[*variable].name, vec![next])
                    }
                    Sampled::Actuator { output, action, .. } if !states => {
                        let action = &interactions.actions[*action];
                        (*output, &action.name, action.action.programs())
                    }
                    _ => continue,
                };
                if !auxiliary[first + place].is_finite() {
                    let why = programs.into_iter().find_map(|program| program.trouble(&at));
                    return Some((name.clone(), why.map_or(String::new(), |why| why.to_string())));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Program, Sampled, Sampler};

    /// Every multiple is met once, wherever steps end near it.
    #[test]
    fn exact_one_sample_a_period() {
        for every in [1e-3, 0.1, 1.0 / 3.0, 7e-5] {
            let what = Sampled::State { variable: 0, before: 0, next: Program::constant(0.0) };
            let sampler = Sampler { every, what };
            let (mut t, mut taken) = (0.0, 0);
            while taken < 10_000 {
                let next = sampler.next(t);
                let k = f64::from(taken + 1);
                assert!((next - k * every).abs() <= 1e-12 * next, "{next} {k}");
                // steps that end a rounding too early or too late count as there
                let ends = [next, next.next_down(), next.next_up(), next * (1.0 - 1e-15)];
                let end = ends[taken as usize % 4];
                assert!(sampler.falls_into([t, end]) && sampler.falls_on(end));
                assert!(!sampler.falls_into([end, next.next_up()]) && !sampler.falls_on(end + 0.5 * every));
                (t, taken) = (end, taken + 1);
            }
        }
    }
}
