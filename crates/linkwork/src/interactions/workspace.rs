//! Interactions at an instant: rows, loads and hints, worked out from the motions that a formulation has filled in.

use super::Interactions;
use super::action::NamedAction;
use super::coupling::{Evaluated, Scene};
use super::motion::{BodyWrench, Motion, Wrenches};
use super::program::{Context, Program, Scratch};
use super::response::Response;
use super::variables::Rate;

use crate::linalg::vec3::norm;
/// Buffers of one formulation.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Where the bodies are: filled in before anything else is asked for.
    pub motions: Vec<Motion>,
    /// Which switches are on.
    pub switches: Vec<bool>,
    /// The couplings, after [`Workspace::rows`].
    pub evaluated: Vec<Evaluated>,
    rows: Wrenches,
    loads: Wrenches,
    /// Loads from elsewhere, which [`Workspace::loads`] adds: those of contacts.
    extra: Vec<BodyWrench>,
    /// Values of the measures, after [`Workspace::loads`].
    pub measures: Vec<f64>,
    pub(super) scratch: Scratch,
    /// What samples have found.
    pub(super) sampled: Vec<[f64; 2]>,
    /// What samples see of that which is known late: accelerations, reactions and forces of contacts before the sample.
    pub seen: Vec<f64>,
    /// Whether an action uses a measure.
    measured: bool,
    /// Bodies whose motions are to be filled in.
    concerned: Vec<usize>,
    /// Whether [`Workspace::loads`] leaves out what acts at body points: the formulation has that from its own points.
    but_points: bool,
    /// What [`Workspace::observe`] found.
    observed: Wrenches,
    /// Wrenches of actions that tell their derivatives, while they are held.
    held: Wrenches,
    holding: bool,
    /// Stresses that [`Workspace::foretell`] found, by actions, and whether they are taken in place of those that are there.
    foretold: Vec<Vec<[f64; 6]>>,
    taking: bool,
}

impl Workspace {
    /// Buffers for a mechanism of so many bodies.
    pub fn new(interactions: &Interactions, bodies: usize) -> Self {
        let uses = |p: &Program| p.slots().iter().any(|s| matches!(s, super::Slot::Measure(_)));
        Workspace {
            motions: vec![Motion::FIXED; bodies],
            switches: interactions.switches.clone(),
            evaluated: vec![Evaluated::default(); interactions.couplings.len()],
            measures: vec![0.0; interactions.measures.len()],
            sampled: Vec::with_capacity(interactions.samplers.len()),
            measured: interactions.actions.iter().any(|a| a.action.programs().into_iter().any(uses)),
            concerned: interactions.concerned_bodies(bodies),
            ..Default::default()
        }
    }

    /// The same for a formulation that evaluates what acts at body points by itself ([`Action::acts_at_points`](super::Action::acts_at_points)).
    pub fn for_points(interactions: &Interactions, bodies: usize) -> Self {
        Workspace { but_points: true, ..Workspace::new(interactions, bodies) }
    }

    /// Takes elements of the second kind where laws have them: of a formulation that is to share as little as possible with the others.
    pub fn with_second_elements(mut self) -> Self {
        self.scratch.second = true;
        self
    }

    /// Fills in the motions of the bodies that rows and loads depend on; the others stay as they are.
    #[inline]
    pub fn locate(&mut self, motion: impl Fn(usize) -> Motion) {
        for &b in &self.concerned {
            self.motions[b] = motion(b);
        }
    }

    /// The bodies whose motions [`Workspace::locate`] asks for.
    pub fn concerned(&self) -> &[usize] {
        &self.concerned
    }

    /// Sets the loads from elsewhere.
    pub fn set_extra(&mut self, pulls: &[BodyWrench]) {
        self.extra.clear();
        self.extra.extend_from_slice(pulls);
        self.loads.clear();
    }

    /// Whether there are any.
    pub fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Evaluates all couplings.
    pub fn rows(&mut self, interactions: &Interactions, t: f64, auxiliary: &[f64]) {
        self.rows.clear();
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        for (row, coupling) in self.evaluated.iter_mut().zip(&interactions.couplings) {
            *row = coupling.evaluate(&interactions.gauges, &scene, &mut self.scratch.jets, &mut self.rows);
        }
    }

    /// The pulls of a row.
    #[inline]
    pub fn pulls(&self, row: usize) -> &[BodyWrench] {
        let [from, to] = self.evaluated[row].pulls;
        &self.rows.list[from..to]
    }

    /// Σ f·ċ + m·ω of a row: its rate, but for Φ_t.
    pub fn rate(&self, row: usize) -> f64 {
        self.pulls(row).iter().map(|p| p.power(&self.motions)).sum()
    }

    /// Power of the drivers for given multipliers, (C3).
    pub fn drive_power(&self, lambda: &[f64]) -> f64 {
        self.evaluated.iter().zip(lambda).map(|(row, l)| l * row.phi_t).sum()
    }

    /// Evaluates all actions: one pull for each body that feels any, and the power that no potential accounts for. Extra
    /// loads are among the pulls; of their power the caller knows.
    pub fn loads(&mut self, interactions: &Interactions, t: f64, auxiliary: &[f64]) -> (&[BodyWrench], f64) {
        if self.measured {
            self.measure(interactions, t, auxiliary, &[]);
        }
        self.loads.clear();
        self.loads.begin();
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        let mut power = 0.0;
        for (k, action) in interactions.actions.iter().enumerate() {
            let elsewhere = self.but_points && action.action.acts_at_points();
            if elsewhere || (self.holding && action.action.has_responses()) {
                continue;
            }
            if self.taking {
                self.scratch.stresses.clone_from(&self.foretold[k]);
            }
            power += action.action.apply(&at, &mut self.scratch, &mut self.loads).power;
        }
        self.scratch.stresses.clear();
        let held = self.held.list.iter().filter(|_| self.holding);
        for extra in self.extra.iter().chain(held) {
            self.loads.join(extra.body, extra.wrench);
        }
        (&self.loads.list, power)
    }

    /// From here on [`Workspace::loads`] holds the wrenches of actions that tell their derivatives, which are added; whether there are any.
    pub fn hold(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
        out: &mut Vec<Response>,
    ) -> bool {
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        self.held.clear();
        self.held.begin();
        self.holding = false;
        let exact = interactions.actions.iter().enumerate().filter(|(_, a)| a.action.has_responses());
        for (k, NamedAction { action, .. }) in exact {
            if self.taking {
                self.scratch.stresses.clone_from(&self.foretold[k]);
            }
            action.apply(&at, &mut self.scratch, &mut self.held);
            action.responses(&self.motions, &self.scratch.stresses, out);
            self.scratch.stresses.clear();
            self.holding = true;
        }
        self.holding
    }

    /// Keeps the stresses that the motions, read as displacements, lead to if strains are linear.
    pub fn foretell(&mut self, interactions: &Interactions) {
        self.foretold.resize(interactions.actions.len(), Vec::new());
        for (NamedAction { action, .. }, stresses) in interactions.actions.iter().zip(&mut self.foretold) {
            action.foretell(&self.motions, stresses);
        }
    }

    /// Whether loads are those of the stresses that [`Workspace::foretell`] kept from here on.
    pub fn take_foretold(&mut self, taking: bool) {
        self.taking = taking && !self.foretold.is_empty();
    }

    /// Ends what [`Workspace::hold`] began.
    pub fn let_go(&mut self) {
        self.holding = false;
    }

    /// The first driver or action that has no finite value here, by what its columns begin with, and why. The bodies are
    /// where they are; for error messages, it allocates.
    pub fn trouble(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
    ) -> Option<(String, String)> {
        for coupling in &interactions.couplings {
            if let Some(error) = coupling.drive.as_ref().and_then(|drive| drive.trouble(t, interactions)) {
                return Some((coupling.label.clone(), error.to_string()));
            }
        }
        self.measure(interactions, t, auxiliary, &[]);
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        interactions.actions.iter().find_map(|NamedAction { name, action }| {
            let mut pulls = Wrenches::default();
            let effect = action.apply(&at, &mut self.scratch, &mut pulls);
            let sizes = pulls.list.iter().map(|p| norm(p.wrench.force) + norm(p.wrench.moment));
            if (sizes.sum::<f64>() + effect.power.abs() + effect.potential.abs()).is_finite() {
                return None;
            }
            // formulas of the element's own names are evaluated inside it: any numbers do for the others
            let at = Context { locals: &[1.0, 0.0], ..at };
            let why = action.programs().into_iter().find_map(|program| program.trouble(&at));
            Some((name.clone(), why.map_or(String::new(), |why| why.to_string())))
        })
    }

    /// The first measure whose expression has no value here, as its column is called, and why: of those that the others are computed from the first. As [`Workspace::trouble`] else.
    pub fn trouble_of_measures(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
    ) -> Option<(String, String)> {
        self.measure(interactions, t, auxiliary, &[]);
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        interactions.measure_order.iter().filter(|&&i| !self.measures[i].is_finite()).find_map(|&i| {
            let measure = &interactions.measures[i];
            let why = measure.program.trouble(&at)?;
            Some((format!("measure.{}", measure.name), why.to_string()))
        })
    }

    /// The pulls that [`Workspace::loads`] found last.
    pub fn last_loads(&self) -> &[BodyWrench] {
        &self.loads.list
    }

    /// The pulls of all actions that [`Workspace::observe`] found last; loads from elsewhere are not among them.
    pub fn observed_loads(&self) -> &[BodyWrench] {
        &self.observed.list
    }

    /// Potential energy of the actions, J, and their outputs, one after the other.
    pub fn observe(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
        outputs: &mut Vec<f64>,
    ) -> f64 {
        self.measure(interactions, t, auxiliary, &[]);
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        let mut potential = 0.0;
        outputs.clear();
        self.observed.clear();
        for action in &interactions.actions {
            potential += action.action.apply(&at, &mut self.scratch, &mut self.observed).potential;
            action.action.outputs(&at, &mut self.scratch, outputs);
        }
        potential
    }

    /// Evaluates the measures; those that read what comes late only mean something with `late`.
    pub fn measure(&mut self, interactions: &Interactions, t: f64, auxiliary: &[f64], late: &[f64]) {
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        for &i in &interactions.measure_order {
            let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late };
            let value = interactions.measures[i].program.eval(&at, &mut self.scratch);
            self.measures[i] = value;
        }
    }

    /// How far a condition is from turning, once [`Workspace::measure`] has been called at this instant.
    pub fn margin(
        &mut self,
        interactions: &Interactions,
        condition: &Program,
        t: f64,
        auxiliary: &[f64],
        late: &[f64],
    ) -> f64 {
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late };
        condition.margin(&at, &mut self.scratch)
    }

    /// What a coupling's coordinate functions add up to and their rate, in force or not.
    pub fn reading(
        &self,
        interactions: &Interactions,
        coupling: usize,
        t: f64,
        auxiliary: &[f64],
    ) -> (f64, f64) {
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let jet = interactions.couplings[coupling].sum(&interactions.gauges, &scene);
        (jet.x, jet.d)
    }

    /// Rates of the auxiliary states: hints follow their coordinate functions, holds stay, variables do as they say.
    pub fn auxiliary_rates(
        &mut self,
        interactions: &Interactions,
        t: f64,
        auxiliary: &[f64],
        rates: &mut [f64],
    ) {
        rates.fill(0.0);
        if !interactions.variables.is_empty() {
            self.variable_rates(interactions, t, auxiliary, rates);
        }
        if interactions.hints == 0 {
            return;
        }
        let hints = &auxiliary[..interactions.hints];
        for gauge in &interactions.gauges {
            if let Some((h, _, rate)) = gauge.hint(&self.motions, hints) {
                rates[h] = rate;
            }
        }
    }

    fn variable_rates(&mut self, interactions: &Interactions, t: f64, auxiliary: &[f64], rates: &mut [f64]) {
        if interactions.variables.iter().any(|v| matches!(v.rate, Rate::Program(_) | Rate::Integral(_))) {
            self.measure(interactions, t, auxiliary, &[]);
        }
        let (hints, holds) = auxiliary.split_at(interactions.hints);
        let first = interactions.variables_at();
        let scene = Scene { t, bodies: &self.motions, hints, holds, switches: &self.switches };
        let at = Context { interactions, scene: &scene, measures: &self.measures, locals: &[], late: &[] };
        for (rate, variable) in rates[first..].iter_mut().zip(&interactions.variables) {
            *rate = variable.rate.value(&at, &auxiliary[first..], &mut self.scratch);
        }
    }

    /// Sets the hints to what their coordinate functions read.
    pub fn settle(&self, interactions: &Interactions, auxiliary: &mut [f64]) {
        if interactions.hints == 0 {
            return;
        }
        for gauge in &interactions.gauges {
            if let Some((h, value, _)) = gauge.hint(&self.motions, &auxiliary[..interactions.hints]) {
                auxiliary[h] = value;
            }
        }
    }
}

// All else is worked out again at every place.
crate::keep::keep!(Workspace { switches, extra, measures } but {
    motions, evaluated, rows, loads, scratch, sampled, seen, measured, concerned, but_points, observed, held, holding, foretold, taking
} if |ws| {
    ws.extra.iter().all(|pull| pull.body < ws.motions.len())
});
