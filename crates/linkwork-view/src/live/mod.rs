//! The live viewer: a model runs in real time and is watched and steered from pages in browsers of this machine.
//!
//! Threads and who owns what: the engine's thread (`engine.rs`) owns the model and everything that is shown. Connections have a thread each that reads and, once they are sockets,
//! another that writes; they reach the engine by a bounded channel of orders, and it reaches them by queues that never make it wait (`clients.rs`). One more thread looks
//! after the model file. Nothing else is shared.
//!
//! What is safe about it, and why, stands in docs/live-viewer.md.

mod clients;
mod commands;
mod engine;
mod feed;
mod gate;
mod http;
mod pace;
mod page;
mod server;
mod setup;
mod shown;
mod sliders;
mod socket;
mod stop;
mod watch_file;

use clients::Clients;
use engine::Engine;
use gate::Gate;
use linkwork::Error;
use linkwork::model::{Fault, Faults, Formulation, Integrator};
use server::{PageData, Server};
use setup::Setup;
use shown::Shown;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use stop::Stop;

/// The first port that is tried.
pub const PORT: u16 = 4817;

/// Orders that wait for the engine; who sends more waits.
const WAITING_ORDERS: usize = 256;

/// Whether a message of a page means something; the error is what the page is answered.
///
/// # Errors
/// What is wrong with it, for people.
pub fn understands(message: &str) -> Result<(), String> {
    commands::Command::parse(message).map(drop)
}

/// Whether bytes are the whole head of a request.
pub fn hears(head: &[u8]) -> bool {
    http::is_request(head)
}

/// What is to be viewed, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The model file.
    pub file: PathBuf,
    /// The first port that is tried; 0 takes any that is free.
    pub port: u16,
    /// Begins paused.
    pub paused: bool,
    /// Seconds of the model for a second of the clock.
    pub speed: f64,
    /// Other values for parameters, SI units.
    pub set: Vec<(String, f64)>,
    /// Another formulation than the model's.
    pub formulation: Option<Formulation>,
    /// Another integrator than the model's.
    pub integrator: Option<Integrator>,
    /// Bounds of what clients may do.
    pub limits: Limits,
}

impl Options {
    /// A file as it is.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Options {
            file: file.into(),
            port: PORT,
            paused: false,
            speed: 1.0,
            set: Vec::new(),
            formulation: None,
            integrator: None,
            limits: Limits::default(),
        }
    }
}

/// Bounds of what clients may do, and how often the file is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Pages that watch at a time.
    pub clients: usize,
    /// Connections at a time, pages that watch included.
    pub connections: usize,
    /// The head of a request must be there within this time.
    pub head: Duration,
    /// Who is not heard for so long is dropped; pings go out three times as often.
    pub idle: Duration,
    /// Who takes nothing for so long is dropped.
    pub send: Duration,
    /// The model file is looked at this often.
    pub look: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            clients: 16,
            connections: 64,
            head: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            send: Duration::from_secs(10),
            look: Duration::from_millis(250),
        }
    }
}

/// A viewer: its port is open, its model is read.
pub struct Viewer {
    listener: TcpListener,
    port: u16,
    gate: Gate,
    shown: Shown,
    options: Options,
    stop: Arc<Stop>,
}

/// Ends a viewer from anywhere.
#[derive(Clone, Debug)]
pub struct Stopper {
    stop: Arc<Stop>,
    port: u16,
}

impl Stopper {
    /// Ends it: [`Viewer::run`] returns soon.
    pub fn stop(&self) {
        self.stop.say();
        // somebody must knock for the door to be looked at
        let _ = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, self.port).into(), Duration::from_secs(1));
    }
}

impl Viewer {
    /// Reads the model and opens a port on the loopback interface.
    ///
    /// # Errors
    /// If the model is refused, the speed is none, or no port can be had.
    pub fn open(options: Options) -> Result<Self, Error> {
        let file = options.file.display().to_string();
        let speed = commands::check_speed(options.speed).map_err(|what| {
            Error::Model(Faults { list: vec![Fault::error("--speed", what)], provenance: None })
        })?;
        let text =
            watch_file::read(&options.file).map_err(|source| Error::Io { file: file.clone(), source })?;
        let setup = Setup {
            file,
            text: text.into(),
            set: options.set.iter().cloned().collect(),
            inputs: Default::default(),
            formulation: options.formulation,
            integrator: options.integrator,
            speed,
        };
        let shown = Shown::new(setup)?;
        let of_port = |source| Error::Io { file: format!("127.0.0.1:{}", options.port), source };
        let listener = server::bind(options.port).map_err(of_port)?;
        let port = listener.local_addr().map_err(of_port)?.port();
        let gate = Gate::new(port).map_err(of_port)?;
        Ok(Viewer { listener, port, gate, shown, options, stop: Arc::default() })
    }

    /// The address for the browser, with the token that lets it in.
    pub fn address(&self) -> String {
        self.gate.address()
    }

    /// To end it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper { stop: Arc::clone(&self.stop), port: self.port }
    }

    /// Runs the model and serves pages until it is stopped. All threads have ended when it returns.
    pub fn run(self) {
        let stopper = self.stopper();
        let Viewer { listener, gate, shown, options, stop, .. } = self;
        let (clients, data) = (Arc::new(Clients::default()), Arc::new(PageData::default()));
        let (orders, inbox) = sync_channel(WAITING_ORDERS);
        let known = shown.setup.text.to_vec();
        let engine = Engine::new(
            shown,
            !options.paused,
            Arc::clone(&clients),
            inbox,
            Arc::clone(&data),
            Arc::clone(&stop),
        );
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // whatever ends the engine ends all
                let _guard = StopAtLast(stopper);
                engine.run();
            });
            let (to_engine, stop) = (orders.clone(), &stop);
            let (file, look) = (&options.file, options.limits.look);
            scope.spawn(move || watch_file::watch(file, known, look, &to_engine, stop));
            Server {
                gate: &gate,
                data: &data,
                clients: &clients,
                orders: &orders,
                limits: &options.limits,
                stop,
            }
            .serve(&listener);
        });
    }
}

/// Stops when it is dropped.
struct StopAtLast(Stopper);

impl Drop for StopAtLast {
    fn drop(&mut self) {
        self.0.stop();
    }
}
