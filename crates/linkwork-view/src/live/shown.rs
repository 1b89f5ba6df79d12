//! What runs now, and how it comes from what ran before.

use super::clients::ClientId;
use super::feed::Feed;
use super::setup::Setup;
use super::sliders::Slider;
use linkwork::Error;
use linkwork::mechanism::{Hand, Mechanism};
use linkwork::model::{Fault, Faults, Model};
use linkwork::results::Frame;
use linkwork::simulation::{HandId, Simulation};
use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::sync::Arc;

/// How fast what is held swings about the hand, 1/s: slow enough to be seen, fast enough to follow.
const HAND_FREQUENCY: f64 = 1.5;

/// Of what would not swing at all.
const HAND_DAMPING: f64 = 0.8;

/// A body is pulled as if no more than this many of its kind hung on it: what is small in a large machine is not torn about.
const MOST_HANGS: f64 = 100.0;

/// A hand pulls no harder than from so many sizes of the mechanism: a pointer that leaves the page far behind is no catapult.
const REACH: f64 = 3.0;

/// A hand on a body, where it pulls to in the world, and whose it is.
struct Held {
    hand: Hand,
    target: [f64; 3],
    id: HandId,
    by: ClientId,
}

/// What runs.
pub(super) struct Shown {
    pub setup: Setup,
    /// As the file and the parameters say.
    model: Model,
    pub sliders: Vec<Slider>,
    /// As it began.
    pub mechanism: Arc<Mechanism>,
    pub simulation: Simulation<'static>,
    pub feed: Feed,
    held: Option<Held>,
    pub warnings: Vec<String>,
}

/// What is wrong, for people.
pub(super) fn text_of(error: &Error) -> String {
    match error {
        Error::Model(faults) => faults.render(false),
        Error::Run(failure) if failure.advice.is_empty() => {
            format!("at t = {:.4} s: {}", failure.t, failure.message)
        }
        Error::Run(failure) => format!("at t = {:.4} s: {}\n{}", failure.t, failure.message, failure.advice),
        other => other.to_string(),
    }
}

fn refuse(message: String) -> Error {
    Error::Model(Faults { list: vec![Fault::error("hand", message)], provenance: None })
}

impl Shown {
    /// From its start.
    pub fn new(setup: Setup) -> Result<Shown, Error> {
        let mut model = setup.read()?;
        model.settings = setup.live(&model.settings, 0.0);
        let mechanism = model.assemble().map_err(Error::Model)?;
        Self::of(setup, model, mechanism)
    }

    fn of(setup: Setup, model: Model, mechanism: Mechanism) -> Result<Shown, Error> {
        let warnings = mechanism.warnings().iter();
        let warnings = warnings.map(|fault| format!("{}: {}", fault.path, fault.message)).collect();
        let mechanism = Arc::new(mechanism);
        let mut shown = Shown {
            simulation: Simulation::owned(Arc::clone(&mechanism))?,
            sliders: Slider::all(&model),
            feed: Feed::new(&mechanism),
            mechanism,
            held: None,
            setup,
            model,
            warnings,
        };
        shown.set_inputs();
        Ok(shown)
    }

    /// Names of the formulation and the integrator at work.
    pub fn at_work(&self) -> [&'static str; 2] {
        [self.simulation.formulation().name(), self.simulation.integrator().name()]
    }

    /// Goes on with another formulation or integrator, or for longer, from where it is; where that cannot be, all is as it was.
    pub fn choose(&mut self, setup: Setup) -> Result<(), Error> {
        let t = self.simulation.t();
        let settings = setup.live(&self.setup.read()?.settings, t);
        let changed = self.simulation.sample()?.stage.is_some();
        if changed {
            // what it consists of has changed since: its parts are put together where they are
            let frame = self.simulation.sample()?.clone();
            let model = Model { settings, ..self.model.clone() };
            let next = self.mechanism.go_on_as(&model, &frame).map_err(Error::Model)?;
            let simulation = Simulation::owned(Arc::new(next))?;
            return self.take(setup, simulation);
        }
        let mechanism = Arc::new(Mechanism::clone(&self.mechanism).with_settings(settings));
        let mut simulation = Simulation::owned(mechanism)?;
        if t > 0.0 {
            simulation.set_state(&self.simulation.state())?;
        }
        self.take(setup, simulation)
    }

    /// The same things in another simulation, held where they were held.
    fn take(&mut self, setup: Setup, simulation: Simulation<'static>) -> Result<(), Error> {
        let before = std::mem::replace(&mut self.simulation, simulation);
        if let Some(held) = &mut self.held {
            match self.simulation.grab(held.hand.clone(), held.target) {
                Ok(id) => held.id = id,
                Err(error) => {
                    self.simulation = before;
                    return Err(error);
                }
            }
        }
        self.setup = setup;
        self.set_inputs();
        Ok(())
    }

    /// Its end has come, but not that of the motion.
    pub fn prolong(&mut self) -> Result<(), Error> {
        self.choose(self.setup.clone())
    }

    /// With other parameters, from a frame on. Where they leave no way to go on from there, it starts again: that is reported beside it.
    pub fn go_on_as(&self, setup: Setup, frame: &Frame) -> Result<(Shown, bool), Error> {
        let drawn = Shown::new(setup)?;
        let mut model = drawn.model.clone();
        model.settings = drawn.setup.live(&model.settings, frame.t);
        let later = self.mechanism.go_on_as(&model, frame).map_err(Error::Model);
        let later = later.and_then(|mechanism| {
            let feed = Feed::again(&drawn.feed);
            Shown::of(drawn.setup.clone(), model, mechanism).map(|next| Shown { feed, ..next })
        });
        match later {
            Ok(mut next) => {
                if let Some(Held { hand, target, by, .. }) = &self.held {
                    let id = next.simulation.grab(hand.clone(), *target)?;
                    next.held = Some(Held { hand: hand.clone(), target: *target, id, by: *by });
                }
                Ok((next, false))
            }
            Err(_) => Ok((drawn, true)),
        }
    }

    /// Sets all inputs that have been set before.
    fn set_inputs(&mut self) {
        for (name, value) in &self.setup.inputs {
            // one that is not there any more is left out
            if let Ok(id) = self.simulation.input(name) {
                let _ = self.simulation.set(id, *value);
            }
        }
    }

    /// Sets an input of the model, in its unit.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), Error> {
        let id = self.simulation.input(name)?;
        self.simulation.set(id, value)?;
        self.setup.inputs.insert(name.into(), value);
        Ok(())
    }

    /// Inputs that have limits, for sliders.
    pub fn inputs(&self) -> Vec<Value> {
        let of = |input: &linkwork::model::Input| {
            let [low, high] = input.limits?;
            let size = input.unit_size()?;
            let value = self.setup.inputs.get(&input.name).copied().unwrap_or(input.default / size);
            Some(json!({
                "name": input.name, "value": value, "low": low / size, "high": high / size, "unit": input.unit,
            }))
        };
        self.model.inputs.iter().filter_map(of).collect()
    }

    /// Takes hold of a body of the scene, at a place of it, and pulls towards a place; who held something lets it go.
    pub fn grab(
        &mut self,
        last: Option<&Frame>,
        (body, at): (usize, [f64; 3]),
        to: [f64; 3],
        by: ClientId,
    ) -> Result<(), Error> {
        let name = match self.feed.scene.bodies.get(body) {
            None => return Err(refuse("there is no such body".into())),
            Some(_) if body == 0 => return Err(refuse("the ground does not move".into())),
            Some(body) => body.name.clone(),
        };
        let now = last.and_then(|frame| frame.stage.as_deref()).unwrap_or(&self.mechanism);
        let bodies = now.bodies();
        let Some(held) = bodies.iter().find(|body| body.name == name) else {
            return Err(refuse(format!("`{name}` is not there now")));
        };
        let own = &held.particles.properties;
        // the scene is relative to the origin of the model, a hand is in the world
        let origin = now.model().origin;
        let place = std::array::from_fn(|c| own.com[c] + at[c] + origin[c]);
        let target = std::array::from_fn(|c| to[c] + origin[c]);
        let total: f64 = bodies.iter().map(|body| body.particles.properties.mass).sum();
        let mass = match own.mass > 0.0 {
            true => total.min(MOST_HANGS * own.mass),
            false => total,
        };
        let rate = TAU * HAND_FREQUENCY;
        let (stiffness, damping) = (mass * rate * rate, 2.0 * HAND_DAMPING * mass * rate);
        let hand = Hand { body: name, at: place, stiffness, damping, reach: REACH * now.size() };
        self.release()?;
        let id = self.simulation.grab(hand.clone(), target)?;
        self.held = Some(Held { hand, target, id, by });
        Ok(())
    }

    /// Moves the hand of somebody.
    pub fn move_hand(&mut self, from: ClientId, place: [f64; 3]) {
        let origin = self.mechanism.model().origin;
        if let Some(held) = self.held.as_mut().filter(|held| held.by == from) {
            let target = std::array::from_fn(|c| place[c] + origin[c]);
            // places of messages are finite
            if self.simulation.pull_to(held.id, target).is_ok() {
                held.target = target;
            }
        }
    }

    /// Lets go what somebody holds; tells whether they held anything.
    pub fn let_go(&mut self, from: ClientId) -> Result<bool, Error> {
        match self.held.as_ref().is_some_and(|held| held.by == from) {
            true => self.release().map(|()| true),
            false => Ok(false),
        }
    }

    fn release(&mut self) -> Result<(), Error> {
        self.held = None;
        self.simulation.clear_forces()
    }

    /// How long its simulation lasts, s.
    pub fn duration(&self) -> f64 {
        self.simulation.mechanism().model().settings.duration
    }
}
