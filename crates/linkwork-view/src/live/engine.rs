//! The engine's thread: runs the model at the pace of the clock, shows frames, heeds orders.
//!
//! A run is paced, paused and steered from within, where it shows its rows. Where it must go on with another model (other parameters, another formulation, a hand),
//! that model is made ready first, from where the mechanism is; only then the run ends and the other one begins. So what cannot be done leaves everything as it was.

use super::clients::{ClientId, Clients};
use super::commands::{Command, Order, fault_text};
use super::pace::Pace;
use super::server::PageData;
use super::setup::Setup;
use super::shown::Shown;
use super::stop::Stop;
use linkwork::Error;
use linkwork::model::{Formulation, Integrator};
use linkwork::results::Frame;
use linkwork::simulation::{Observer, Status};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tungstenite::Bytes;

/// The status is told this often.
const STATUS: Duration = Duration::from_millis(250);

/// Where rows come more seldom than this, orders are heeded between them.
const SELDOM: Duration = Duration::from_millis(250);

/// Why the model does not go on by itself.
enum Standing {
    /// It goes, or would.
    Not,
    /// Its end is reached.
    Ended,
    /// It failed, and why.
    Failed(String),
}

/// What is to happen to the hand.
enum Grip {
    As,
    Release,
    Hold { body: usize, at: [f64; 3], to: [f64; 3], by: ClientId },
}

/// Orders that need another run, gathered: of many moves of a slider the last one counts.
struct Wish {
    setup: Setup,
    grip: Grip,
    /// From the start.
    anew: bool,
    /// The model is another one, not only how it is watched or held.
    other: bool,
    reload: bool,
}

/// The engine.
pub(super) struct Engine {
    shown: Shown,
    next: Option<Shown>,
    wish: Option<Wish>,
    quit: bool,
    playing: bool,
    /// Frames to be shown while it pauses.
    steps: u32,
    standing: Standing,
    pace: Pace,
    last: Option<Frame>,
    /// The clock at the last row, and the model's time at the last frame that was sent.
    row_at: Instant,
    sent: f64,
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
            next: None,
            wish: None,
            quit: false,
            playing,
            steps: 0,
            standing: Standing::Not,
            last: None,
            row_at: now,
            sent: f64::NEG_INFINITY,
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
        while !self.quits() {
            self.standing = Standing::Not;
            let mechanism = Arc::clone(&self.shown.mechanism);
            let outcome = mechanism.run(&mut self);
            if self.next.is_none() && !self.quits() {
                self.stand(match outcome {
                    Ok(summary) => match summary.status {
                        Status::Failed(failure) => {
                            let advice = if failure.advice.is_empty() {
                                String::new()
                            } else {
                                format!("\n{}", failure.advice)
                            };
                            Standing::Failed(format!(
                                "at t = {:.4} s: {}{advice}",
                                failure.t, failure.message
                            ))
                        }
                        Status::Finished if summary.t < self.shown.duration() => Standing::Ended,
                        Status::Finished | Status::Stopped => Standing::Not,
                    },
                    Err(faults) => Standing::Failed(faults.render(false)),
                });
            }
            if let Some(next) = self.next.take() {
                if !next.feed.shows_the_same(&self.shown.feed) {
                    // it is of what was there before
                    self.last = None;
                }
                self.shown = next;
            }
        }
    }

    fn quits(&self) -> bool {
        self.quit || self.stop.is_said()
    }

    /// A run has ended by itself: goes on, or waits until somebody wants something else.
    fn stand(&mut self, standing: Standing) {
        self.standing = standing;
        if matches!(self.standing, Standing::Not) {
            // only this run is over, not the motion
            let setup = self.shown.setup.clone();
            let held = self.shown.held.clone();
            match self.last.as_ref().map(|frame| self.shown.go_on(setup, held, frame)) {
                Some(Ok(next)) => return self.next = Some(next),
                Some(Err(error)) => self.standing = Standing::Failed(text_of(&error)),
                None => self.standing = Standing::Ended,
            }
        }
        if let Some(frame) = self.last.take() {
            // the very last row may have been too near to the one before
            self.send(&frame, None);
            self.last = Some(frame);
        }
        self.pace.rest();
        self.tell_status();
        while self.next.is_none() && !self.quits() {
            self.wait_for_orders(STATUS);
        }
    }

    /// Waits for an order, and heeds all that are there.
    fn wait_for_orders(&mut self, time: Duration) {
        match self.inbox.recv_timeout(time) {
            Ok(order) => {
                self.heed(order);
                self.heed_all();
            }
            Err(RecvTimeoutError::Timeout) => self.tell_status_in_time(),
            Err(RecvTimeoutError::Disconnected) => self.quit = true,
        }
    }

    /// Heeds all orders that are there.
    fn heed_all(&mut self) {
        while let Ok(order) = self.inbox.try_recv() {
            self.heed(order);
        }
        if let Some(wish) = self.wish.take() {
            self.fulfil(wish);
        }
        self.tell_status_in_time();
    }

    fn heed(&mut self, Order { from, command }: Order) {
        match command {
            Command::Play => self.set_playing(true),
            Command::Pause => self.set_playing(false),
            Command::Step => {
                self.set_playing(false);
                self.steps = self.steps.saturating_add(1);
            }
            Command::Reset => self.wish().anew = true,
            Command::Speed(speed) => {
                self.wish().setup.speed = speed;
                self.pace.set_speed(speed);
            }
            Command::Set(name, value) => match self.shown.sliders.iter().find(|slider| slider.name == name) {
                Some(slider) => {
                    let value = slider.to_si(value);
                    let wish = self.wish();
                    wish.setup.set.insert(name, value);
                    wish.other = true;
                }
                None => self.tell_fault(&format!("the model has no parameter `{name}` that can be set")),
            },
            Command::Choose(formulation, integrator) => {
                let wish = self.wish();
                wish.setup.formulation = formulation.or(wish.setup.formulation);
                wish.setup.integrator = integrator.or(wish.setup.integrator);
                wish.other = true;
            }
            Command::Grab { body, at, to } => self.wish().grip = Grip::Hold { body, at, to, by: from },
            Command::Move(place) => self.move_hand(from, place),
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
                self.tell_status();
            }
            Command::Leave => {
                self.watched.remove(&from);
                self.let_go(from);
            }
            Command::File(text) => {
                let wish = self.wish();
                wish.setup.text = text.into();
                (wish.reload, wish.anew) = (true, true);
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
        self.wish.get_or_insert_with(|| Wish {
            setup: setup.clone(),
            grip: Grip::As,
            anew: false,
            other: false,
            reload: false,
        })
    }

    fn set_playing(&mut self, playing: bool) {
        if self.playing != playing {
            self.playing = playing;
            self.pace.rest();
        }
        self.tell_status();
    }

    fn move_hand(&mut self, from: ClientId, place: [f64; 3]) {
        // it may not have been taken yet
        if let Some(Wish { grip: Grip::Hold { to, by, .. }, .. }) = &mut self.wish
            && *by == from
        {
            *to = place;
        } else if let Some(held) = self.shown.held.as_ref().filter(|held| held.by == from) {
            let origin = self.shown.mechanism.model().origin;
            held.hand.pull_to(std::array::from_fn(|c| place[c] + origin[c]));
        }
    }

    fn let_go(&mut self, from: ClientId) {
        let wished = matches!(&self.wish, Some(Wish { grip: Grip::Hold { by, .. }, .. }) if *by == from);
        if wished || self.shown.held.as_ref().is_some_and(|held| held.by == from) {
            self.wish().grip = Grip::Release;
        }
    }

    /// Makes the next run ready, or tells why it cannot be.
    fn fulfil(&mut self, wish: Wish) {
        let reload = wish.reload;
        match self.made(wish) {
            Ok((next, hello)) => {
                self.pace.set_speed(next.setup.speed);
                self.standing = Standing::Not;
                if hello {
                    self.file_fault = self.file_fault.take().filter(|_| !reload);
                    self.setting_fault = false;
                    self.watched.clear();
                }
                let before = std::mem::replace(&mut self.shown, next);
                if hello {
                    self.data.put(Arc::new(self.page_data()));
                    self.clients.hello(None, &self.hello());
                    if let Some(fault) = &self.file_fault {
                        self.clients.tell(None, &fault_text(fault));
                    }
                } else if std::mem::take(&mut self.setting_fault) {
                    self.clients.tell(None, &fault_text(self.file_fault.as_deref().unwrap_or("")));
                }
                // the run that is under way still shows the one before
                let next = std::mem::replace(&mut self.shown, before);
                self.next = Some(next);
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

    /// The next run, and whether pages must be told what there is to see.
    fn made(&mut self, wish: Wish) -> Result<(Shown, bool), Error> {
        if wish.anew {
            let next = if wish.reload { reloaded(wish.setup)? } else { Shown::new(wish.setup)? };
            self.last = None;
            self.pace.rest();
            return Ok((next, true));
        }
        let releases = matches!(wish.grip, Grip::Release);
        let held = match wish.grip {
            Grip::As => self.shown.held.clone(),
            Grip::Release => None,
            Grip::Hold { body, at, to, by } => {
                Some(self.shown.hold(self.last.as_ref(), (body, at), to, by)?)
            }
        };
        let Some(frame) = self.last.as_ref() else {
            // it has not begun yet
            let next = Shown::new(wish.setup)?;
            let hello = !next.feed.shows_the_same(&self.shown.feed);
            return Ok((next, hello));
        };
        if !wish.other {
            return match self.shown.go_on(wish.setup.clone(), held, frame) {
                // who lets go is free, even where there is no way on from here
                Err(_) if releases => {
                    let next = Shown::new(wish.setup)?;
                    self.last = None;
                    self.pace.rest();
                    Ok((next, true))
                }
                other => Ok((other?, false)),
            };
        }
        let (next, anew) = match frame.t > 0.0 || held.is_some() {
            true => self.shown.go_on_as(wish.setup, held, frame)?,
            // what has not moved yet starts as it is drawn
            false => (Shown::new(wish.setup)?, false),
        };
        if anew {
            self.last = None;
            self.pace.rest();
        }
        let hello = anew || !next.feed.shows_the_same(&self.shown.feed);
        Ok((next, hello))
    }

    /// Waits until a row is due, and heeds orders meanwhile.
    fn wait_for(&mut self, t: f64) -> ControlFlow<()> {
        loop {
            if self.next.is_some() || self.quits() {
                return ControlFlow::Break(());
            }
            if self.playing {
                let now = Instant::now();
                let left = self.pace.due_in(now, t);
                if left.is_zero() {
                    self.pace.reached(now, t);
                    self.heed_all();
                    if self.next.is_none() && self.playing && !self.quits() {
                        return ControlFlow::Continue(());
                    }
                } else {
                    self.wait_for_orders(left);
                }
            } else if self.steps > 0 {
                self.steps -= 1;
                return ControlFlow::Continue(());
            } else {
                self.wait_for_orders(STATUS);
            }
        }
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
        let [formulation, integrator] = self.shown.at_work;
        json!({
            "type": "hello",
            "data": self.page_data(),
            "parameters": self.parameters(),
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
        let [formulation, integrator] = self.shown.at_work;
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

impl Observer for Engine {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.row_at = Instant::now();
        // two rows of one instant are one picture
        let near = frame.t >= self.sent
            && frame.t - self.sent < 0.5 * self.shown.mechanism.model().settings.output_step;
        self.last = Some(frame.clone());
        if !near || !self.playing {
            self.sent = frame.t;
            self.send(frame, None);
        }
        self.wait_for(frame.t)
    }

    fn step(&mut self, _: f64) -> ControlFlow<()> {
        if self.row_at.elapsed() >= SELDOM {
            self.heed_all();
        }
        if self.next.is_some() || self.quits() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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

/// What is wrong, for people.
fn text_of(error: &Error) -> String {
    match error {
        Error::Model(faults) => faults.render(false),
        other => other.to_string(),
    }
}
