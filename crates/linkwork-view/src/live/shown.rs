//! What runs now, and how it comes from what ran before.

use super::clients::ClientId;
use super::feed::Feed;
use super::setup::Setup;
use super::sliders::Slider;
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Fault, Faults, Hand, Model, Severity};
use linkwork::results::Frame;
use linkwork::simulation::Observer;
use std::f64::consts::TAU;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How fast what is held swings about the hand, 1/s: slow enough to be seen, fast enough to follow.
const HAND_FREQUENCY: f64 = 1.5;

/// Of what would not swing at all.
const HAND_DAMPING: f64 = 0.8;

/// A body is pulled as if no more than this many of its kind hung on it: what is small in a large machine is not torn about.
const MOST_HANGS: f64 = 100.0;

/// A hand pulls no harder than from so many sizes of the mechanism: a pointer that leaves the page far behind is no catapult.
const REACH: f64 = 3.0;

/// A hand and whose it is.
#[derive(Clone)]
pub(super) struct Held {
    pub hand: Arc<Hand>,
    pub by: ClientId,
}

/// What runs.
pub(super) struct Shown {
    pub setup: Setup,
    /// As the file and the choices say.
    model: Model,
    pub sliders: Vec<Slider>,
    pub mechanism: Arc<Mechanism>,
    pub feed: Feed,
    pub held: Option<Held>,
    /// Names of formulation and integrator.
    pub at_work: [&'static str; 2],
    pub warnings: Vec<String>,
}

/// Looks at a start and no further.
struct Glance;

impl Observer for Glance {
    fn row(&mut self, _: &Frame) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Names of the formulation and the integrator that a run of this mechanism takes; an error if it cannot begin.
fn at_work(mechanism: &Mechanism) -> Result<[&'static str; 2], Error> {
    let settings = &mechanism.model().settings;
    let mut list = mechanism.formulation().0.objections(mechanism);
    list.extend(settings.integrator.objection(mechanism));
    list.retain(|fault| fault.severity == Severity::Error);
    if !list.is_empty() {
        return Err(Error::Model(Faults { list, provenance: mechanism.model().provenance.clone() }));
    }
    let summary = mechanism.run(&mut Glance).map_err(Error::Model)?;
    Ok([summary.formulation.name(), summary.integrator.name()])
}

impl Shown {
    /// From its start.
    pub fn new(setup: Setup) -> Result<Shown, Error> {
        let model = setup.read()?;
        let mechanism = setup.live(&model, 0.0).assemble().map_err(Error::Model)?;
        let warnings =
            mechanism.warnings().iter().map(|fault| format!("{}: {}", fault.path, fault.message)).collect();
        Ok(Shown {
            at_work: at_work(&mechanism)?,
            sliders: Slider::all(&model),
            feed: Feed::new(&mechanism),
            mechanism: Arc::new(mechanism),
            held: None,
            setup,
            model,
            warnings,
        })
    }

    /// The same from a frame on, held or not, at another speed or for another while.
    pub fn go_on(&self, mut setup: Setup, held: Option<Held>, frame: &Frame) -> Result<Shown, Error> {
        // anything else takes `go_on_as`
        setup.text = Arc::clone(&self.setup.text);
        let mechanism = self.later(&setup, &self.model, held.as_ref(), frame)?;
        Ok(Shown {
            feed: Feed::again(&self.feed),
            sliders: self.sliders.clone(),
            warnings: self.warnings.clone(),
            model: self.model.clone(),
            at_work: self.at_work,
            mechanism: Arc::new(mechanism),
            held,
            setup,
        })
    }

    /// With other parameters, another formulation or integrator, from a frame on. Where other parameters leave no way to go on from there, it starts anew:
    /// that is told beside it.
    pub fn go_on_as(&self, setup: Setup, held: Option<Held>, frame: &Frame) -> Result<(Shown, bool), Error> {
        let drawn = Shown::new(setup)?;
        let later = self.later(&drawn.setup, &drawn.model, held.as_ref(), frame);
        match later.and_then(|mechanism| Ok((at_work(&mechanism)?, mechanism))) {
            Ok((at_work, mechanism)) => {
                Ok((Shown { mechanism: Arc::new(mechanism), held, at_work, ..drawn }, false))
            }
            Err(_) if drawn.setup.set != self.setup.set => Ok((drawn, true)),
            Err(error) => Err(error),
        }
    }

    fn later(
        &self,
        setup: &Setup,
        model: &Model,
        held: Option<&Held>,
        frame: &Frame,
    ) -> Result<Mechanism, Error> {
        let mut live = setup.live(model, frame.t);
        live.hand = held.map(|held| Arc::clone(&held.hand));
        self.mechanism.go_on_as(&live, frame).map_err(Error::Model)
    }

    /// A hand on a body of the scene, at a place of it, that pulls towards a place of the world.
    pub fn hold(
        &self,
        last: Option<&Frame>,
        (body, at): (usize, [f64; 3]),
        to: [f64; 3],
        by: ClientId,
    ) -> Result<Held, Error> {
        let refuse = |message: String| {
            Error::Model(Faults { list: vec![Fault::error("hand", message)], provenance: None })
        };
        let name = match self.feed.scene.bodies.get(body) {
            None => return Err(refuse("there is no such body".into())),
            Some(_) if body == 0 => return Err(refuse("the ground does not move".into())),
            Some(body) => body.name.as_str(),
        };
        let now = last.and_then(|frame| frame.stage.as_deref()).unwrap_or(&self.mechanism);
        let bodies = now.bodies();
        let Some(held) = bodies.iter().find(|body| body.name == name) else {
            return Err(refuse(format!("`{name}` is not there now")));
        };
        let own = &held.particles.properties;
        // the scene is relative to the origin of the model, a hand speaks of the world
        let origin = now.model().origin;
        let place = std::array::from_fn(|c| own.com[c] + at[c] + origin[c]);
        let to = std::array::from_fn(|c| to[c] + origin[c]);
        let total: f64 = bodies.iter().map(|body| body.particles.properties.mass).sum();
        let mass = match own.mass > 0.0 {
            true => total.min(MOST_HANGS * own.mass),
            false => total,
        };
        let rate = TAU * HAND_FREQUENCY;
        let (stiffness, damping) = (mass * rate * rate, 2.0 * HAND_DAMPING * mass * rate);
        let hand = Hand::new(name, place, to, stiffness, damping).reach(REACH * now.size());
        Ok(Held { hand: Arc::new(hand), by })
    }

    /// How long its run lasts, s.
    pub fn duration(&self) -> f64 {
        self.mechanism.model().settings.duration
    }
}
