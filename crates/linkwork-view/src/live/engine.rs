//! The engine's thread: advances the model at the pace of the clock, shows frames, heeds orders.
//!
//! The model is a [`Simulation`] that is stepped from frame to frame; orders are heeded between steps. A hand on a body and inputs are set in the simulation. Another formulation
//! or integrator takes the state over. Other parameters make another mechanism, which is made ready first, from where this one is: what cannot be done leaves everything as it was.

use super::clients::{ClientId, Clients};
use super::commands::{Command, Order, fault_text};
use super::pace::Pace;
use super::server::PageData;
use super::setup::{RATE, Setup};
use super::shown::{Shown, text_of};
use super::stop::Stop;
use linkwork::Error;
use linkwork::model::{Formulation, Integrator};
use linkwork::results::Frame;
use linkwork::simulation::Progress;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tungstenite::Bytes;

/// The status is reported this often.
const STATUS: Duration = Duration::from_millis(250);

/// Where frames come more seldom than this, orders are heeded between them.
const SELDOM: Duration = Duration::from_millis(100);

/// Why the model does not go on by itself.
enum Standing {
    /// It goes, or would.
    Not,
    /// Its end is reached.
    Ended,
    /// It failed, and why.
    Failed(String),
}

/// Orders that need another simulation, gathered: of many moves of a slider the last one counts.
struct Wish {
    setup: Setup,
    /// From the start.
    restart: bool,
    reload: bool,
}

/// The engine.
pub(super) struct Engine {
    shown: Shown,
    wish: Option<Wish>,
    quit: bool,
    playing: bool,
    /// Nobody has looked yet: the model waits at its start, whatever else it would do.
    unseen: bool,
    /// Frames to be shown while it pauses.
    steps: u32,
    standing: Standing,
    pace: Pace,
    last: Option<Frame>,
    /// When orders were heeded last, and when the status was sent.
    heeded_at: Instant,
    told_at: Instant,
    watched: HashMap<ClientId, Vec<Option<usize>>>,
    /// What is wrong with the file as it is now, and whether it is there.
    file_fault: Option<String>,
    /// Whether pages show a fault that is none of the file's.
    setting_fault: bool,
    clients: Arc<Clients>,
    inbox: Receiver<Order>,
    data: Arc<PageData>,
    stop: Arc<Stop>,
}

impl Engine {
    /// Shows a model as soon as somebody calls [`Engine::run`].
    pub fn new(
        shown: Shown,
        playing: bool,
        clients: Arc<Clients>,
        inbox: Receiver<Order>,
        data: Arc<PageData>,
        stop: Arc<Stop>,
    ) -> Self {
        let now = Instant::now();
        let engine = Engine {
            pace: Pace::new(shown.setup.speed),
            shown,
            wish: None,
            quit: false,
            playing,
            unseen: true,
            steps: 0,
            standing: Standing::Not,
            last: None,
            heeded_at: now,
            told_at: now,
            watched: HashMap::new(),
            file_fault: None,
            setting_fault: false,
            clients,
            inbox,
            data,
            stop,
        };
        engine.data.put(Arc::new(engine.page_data()));
        engine
    }

    /// Runs until all ends.
    pub fn run(mut self) {
        self.show();
        while !self.quits() {
            let moves = matches!(self.standing, Standing::Not) && (self.playing || self.steps > 0);
            if moves && !self.unseen && self.last.is_some() {
                self.next_frame();
            } else {
                self.wait_for_orders(STATUS);
            }
        }
    }

    fn quits(&self) -> bool {
        self.quit || self.stop.is_said()
    }

    /// Advances the model by a frame and shows it; when it is due the next one may come. Ends early where orders want something else.
    fn next_frame(&mut self) {
        let from = self.last.as_ref().map_or(0.0, |frame| frame.t);
        let t = from + self.shown.setup.speed / RATE;
        while self.shown.simulation.t() < t {
            let end = self.shown.duration();
            match self.shown.simulation.step_toward(t.min(end)) {
                Ok(Progress::Reached | Progress::Event) => {}
                Ok(Progress::Finished) if self.shown.simulation.t() >= end => match self.shown.prolong() {
                    Ok(()) => {}
                    Err(error) => return self.stand(Standing::Failed(text_of(&error))),
                },
                Ok(Progress::Finished) => return self.stand(Standing::Ended),
                Err(error) => return self.stand(Standing::Failed(text_of(&error))),
            }
            // nobody asks for them
            self.shown.simulation.events();
            if self.heeded_at.elapsed() >= SELDOM {
                self.heed_all();
                // what the orders have changed begins with a frame of its own
                let same = self.last.as_ref().is_some_and(|frame| frame.t == from);
                if self.quits() || !same || !(self.playing || self.steps > 0) {
                    return;
                }
            }
        }
        self.show();
        if self.playing {
            self.wait_for(t);
        } else {
            self.steps = self.steps.saturating_sub(1);
            self.heed_all();
        }
    }

    /// Shows where the model is.
    fn show(&mut self) {
        match self.shown.simulation.sample() {
            Ok(frame) => {
                let frame = frame.clone();
                self.send(&frame, None);
                self.last = Some(frame);
            }
            Err(error) => self.stand(Standing::Failed(text_of(&error))),
        }
    }

    /// The model does not go on by itself: it waits until somebody wants something else.
    fn stand(&mut self, standing: Standing) {
        if self.shown.simulation.sample().is_ok() && matches!(standing, Standing::Ended) {
            // the end is between two frames
            self.show();
        }
        self.standing = standing;
        self.pace.rest();
        self.tell_status();
    }

    /// Waits until the frame of a time is due, and heeds orders meanwhile.
    fn wait_for(&mut self, t: f64) {
        while self.playing && !self.quits() {
            let now = Instant::now();
            let left = self.pace.due_in(now, t);
            if left.is_zero() {
                self.pace.reached(now, t);
                return self.heed_all();
            }
            self.wait_for_orders(left);
            // orders may have put the model elsewhere
            if self.last.as_ref().is_none_or(|frame| frame.t != t) {
                return;
            }
        }
    }

    /// Waits for an order, and heeds all that are there.
    fn wait_for_orders(&mut self, time: Duration) {
        match self.inbox.recv_timeout(time) {
            Ok(order) => {
                self.carry_out(order);
                self.heed_all();
            }
            Err(RecvTimeoutError::Timeout) => self.tell_status_in_time(),
            Err(RecvTimeoutError::Disconnected) => self.quit = true,
        }
    }

    /// Heeds all orders that are there.
    fn heed_all(&mut self) {
        self.heeded_at = Instant::now();
        while let Ok(order) = self.inbox.try_recv() {
            self.carry_out(order);
        }
        if let Some(wish) = self.wish.take() {
            self.fulfil(wish);
        }
        self.tell_status_in_time();
    }

    fn carry_out(&mut self, Order { from, command }: Order) {
        match command {
            Command::Play => self.set_playing(true),
            Command::Pause => self.set_playing(false),
            Command::Step => {
                self.set_playing(false);
                self.steps = self.steps.saturating_add(1);
            }
            Command::Reset => self.wish().restart = true,
            Command::Speed(speed) => {
                self.shown.setup.speed = speed;
                if let Some(wish) = &mut self.wish {
                    wish.setup.speed = speed;
                }
                self.pace.set_speed(speed);
                self.tell_status();
            }
            Command::Set(name, value) => match self.shown.sliders.iter().find(|slider| slider.name == name) {
                Some(slider) => {
                    let value = slider.to_si(value);
                    self.wish().setup.set.insert(name, value);
                }
                None => self.tell_fault(&format!("the model has no parameter `{name}` that can be set")),
            },
            Command::Choose(formulation, integrator) => {
                let wish = self.wish();
                wish.setup.formulation = formulation.or(wish.setup.formulation);
                wish.setup.integrator = integrator.or(wish.setup.integrator);
            }
            Command::Input(name, value) => {
                if let Err(error) = self.shown.set_input(&name, value) {
                    self.tell_fault(&text_of(&error));
                } else if let Some(wish) = &mut self.wish {
                    wish.setup.inputs.clone_from(&self.shown.setup.inputs);
                }
            }
            Command::Grab { body, at, to } => {
                if let Err(error) = self.shown.grab(self.last.as_ref(), (body, at), to, from) {
                    self.tell_fault(&text_of(&error));
                }
            }
            Command::Move(place) => self.shown.move_hand(from, place),
            Command::Release => self.let_go(from),
            Command::Watch(names) => {
                self.watched.insert(from, self.shown.feed.places(&names));
                self.send_last(from);
            }
            Command::Join => {
                self.clients.hello(Some(from), &self.hello());
                if let Some(fault) = &self.file_fault {
                    self.clients.tell(Some(from), &fault_text(fault));
                }
                self.send_last(from);
                if std::mem::take(&mut self.unseen) {
                    self.pace.rest();
                }
                self.tell_status();
            }
            Command::Leave => {
                self.watched.remove(&from);
                self.let_go(from);
            }
            Command::File(text) => {
                let wish = self.wish();
                wish.setup.text = text.into();
                (wish.reload, wish.restart) = (true, true);
            }
            Command::FileGone(why) => {
                let text = format!(
                    "{}: {why}\nWhat is seen is the last that was read; it goes on.",
                    self.shown.setup.file
                );
                self.clients.tell(None, &fault_text(&text));
                self.file_fault = Some(text);
            }
        }
    }

    fn wish(&mut self) -> &mut Wish {
        let setup = &self.shown.setup;
        self.wish.get_or_insert_with(|| Wish { setup: setup.clone(), restart: false, reload: false })
    }

    fn set_playing(&mut self, playing: bool) {
        if self.playing != playing {
            self.playing = playing;
            self.pace.rest();
        }
        self.tell_status();
    }

    fn let_go(&mut self, from: ClientId) {
        match self.shown.let_go(from) {
            Ok(false) => {}
            // what a hand has driven into a corner may go on without it
            Ok(true) => self.standing = Standing::Not,
            // who lets go is free, even where there is no way on from here
            Err(_) => self.wish().restart = true,
        }
    }

    /// Goes on as orders want it, or tells why that cannot be.
    fn fulfil(&mut self, wish: Wish) {
        let reload = wish.reload;
        match self.made(wish) {
            Ok(hello) => {
                self.pace.set_speed(self.shown.setup.speed);
                self.standing = Standing::Not;
                if hello {
                    self.file_fault = self.file_fault.take().filter(|_| !reload);
                    self.setting_fault = false;
                    self.watched.clear();
                    self.data.put(Arc::new(self.page_data()));
                    self.clients.hello(None, &self.hello());
                    if let Some(fault) = &self.file_fault {
                        self.clients.tell(None, &fault_text(fault));
                    }
                } else if std::mem::take(&mut self.setting_fault) {
                    self.clients.tell(None, &fault_text(self.file_fault.as_deref().unwrap_or("")));
                }
                self.show();
                self.tell_status();
            }
            Err(error) => {
                let text = text_of(&error);
                if reload {
                    self.clients.tell(None, &fault_text(&text));
                    self.file_fault = Some(text);
                } else {
                    self.tell_fault(&text);
                }
            }
        }
    }

    /// Makes what is wished the model that is shown; returns whether pages need a new `hello`.
    fn made(&mut self, wish: Wish) -> Result<bool, Error> {
        if wish.restart {
            self.shown = if wish.reload { reloaded(wish.setup)? } else { Shown::new(wish.setup)? };
            self.last = None;
            self.pace.rest();
            return Ok(true);
        }
        if wish.setup.set == self.shown.setup.set {
            self.shown.choose(wish.setup)?;
            return Ok(false);
        }
        let (next, restart) = match self.last.as_ref().filter(|frame| frame.t > 0.0) {
            Some(frame) => self.shown.go_on_as(wish.setup, frame)?,
            // what has not moved yet starts as it is drawn
            None => (Shown::new(wish.setup)?, false),
        };
        let hello = restart || !next.feed.shows_the_same(&self.shown.feed);
        self.shown = next;
        if restart {
            self.last = None;
            self.pace.rest();
        }
        Ok(hello)
    }

    /// Sends a frame to one or to all.
    fn send(&mut self, frame: &Frame, to: Option<ClientId>) {
        let shot = self.shown.feed.take(&self.shown.mechanism, frame);
        let mut made: HashMap<&[Option<usize>], Bytes> = HashMap::new();
        self.clients.frame(to, |id| {
            let watched = self.watched.get(&id).map_or(&[][..], Vec::as_slice);
            made.entry(watched).or_insert_with(|| shot.message(watched).into()).clone()
        });
    }

    fn send_last(&mut self, to: ClientId) {
        if let Some(frame) = self.last.take() {
            self.send(&frame, Some(to));
            self.last = Some(frame);
        }
    }

    fn state(&self) -> &'static str {
        match self.standing {
            Standing::Ended => "ended",
            Standing::Failed(_) => "failed",
            Standing::Not if self.playing => "running",
            Standing::Not => "paused",
        }
    }

    fn page_data(&self) -> Value {
        self.shown.feed.data(&self.shown.mechanism, &self.shown.warnings)
    }

    fn hello(&self) -> String {
        let [formulation, integrator] = self.shown.at_work();
        json!({
            "type": "hello",
            "data": self.page_data(),
            "parameters": self.parameters(),
            "inputs": self.shown.inputs(),
            "formulations": Formulation::CHOICES.map(Formulation::name),
            "integrators": Integrator::ALL.map(Integrator::name),
            "formulation": formulation,
            "integrator": integrator,
            "state": self.state(),
        })
        .to_string()
    }

    fn parameters(&self) -> Vec<Value> {
        let set = &self.shown.setup.set;
        self.shown.sliders.iter().map(|slider| slider.json(set.get(&slider.name).copied())).collect()
    }

    fn tell_status(&mut self) {
        self.told_at = Instant::now();
        let factor = self.pace.factor(self.told_at);
        let speed = self.shown.setup.speed;
        let message = match &self.standing {
            Standing::Failed(text) => text.clone(),
            Standing::Ended => "a stop condition of the model is met".into(),
            Standing::Not if self.playing && factor > 0.0 && factor < 0.9 * speed => {
                "the engine cannot keep up".into()
            }
            Standing::Not => String::new(),
        };
        let [formulation, integrator] = self.shown.at_work();
        let status = json!({
            "type": "status",
            "state": self.state(),
            "t": self.last.as_ref().map_or(0.0, |frame| frame.t),
            "speed": speed,
            "factor": factor,
            "message": message,
            "watchers": self.clients.count(),
            "formulation": formulation,
            "integrator": integrator,
            "parameters": self.parameters(),
            "inputs": self.shown.inputs(),
        });
        self.clients.status(&status.to_string());
    }

    fn tell_status_in_time(&mut self) {
        if self.told_at.elapsed() >= STATUS {
            self.tell_status();
        }
    }

    fn tell_fault(&mut self, text: &str) {
        self.setting_fault = true;
        self.clients.tell(None, &fault_text(text));
        self.tell_status();
    }
}

/// A changed file from its start, with what was chosen as far as it still fits.
fn reloaded(mut setup: Setup) -> Result<Shown, Error> {
    let known =
        Shown::new(Setup { set: Default::default(), formulation: None, integrator: None, ..setup.clone() });
    let names: Option<BTreeSet<String>> =
        known.as_ref().ok().map(|shown| shown.sliders.iter().map(|slider| slider.name.clone()).collect());
    if let Some(names) = names {
        setup.set.retain(|name, _| names.contains(name));
    }
    let as_read = setup.set.is_empty() && setup.formulation.is_none() && setup.integrator.is_none();
    if as_read {
        return known;
    }
    let without_choices = Setup { formulation: None, integrator: None, ..setup.clone() };
    Shown::new(setup).or_else(|_| Shown::new(without_choices)).or(known)
}
