//! A viewer with a model file of its own on a free port, and pages that talk to it.
#![allow(dead_code)] // each test binary takes what it needs

use linkwork_scene::{Scene, Snapshot};
use linkwork_view::live::{Options, Stopper, Viewer};
use linkwork_view::stream::{Decoder, Quanta};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Limit for every wait: far beyond what a busy machine takes.
pub const LONG: Duration = Duration::from_secs(60);

/// A rod of length l that starts level, at rest.
pub const PENDULUM: &str = r#"
format = 1
[model]
name = "pendulum"
dimension = 2
gravity = [0, -9.81]
[parameters]
l = "1000 mm"
m = 1.0
[points]
A = [0, 0]
B = ["l", 0]
[bodies]
ground = { points = ["A"] }
rod = { points = ["A", "B"], mass = "m" }
[simulation]
duration = 1
output_step = 0.01
"#;

/// When the pendulum first hangs down: K(1/√2) √(2l / 3g).
pub fn quarter_period(l: f64) -> f64 {
    1.854_074_677_301_372 * (2.0 * l / (3.0 * 9.81)).sqrt()
}

/// A running viewer; ends when it is dropped.
pub struct Host {
    pub port: u16,
    pub token: String,
    pub file: PathBuf,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Host {
    pub fn new(text: &str) -> Host {
        Host::with(text, |_| {})
    }

    pub fn with(text: &str, change: impl FnOnce(&mut Options)) -> Host {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.toml");
        std::fs::write(&file, text).unwrap();
        let mut options = Options::new(&file);
        options.port = 0;
        options.limits.look = Duration::from_millis(10);
        change(&mut options);
        let viewer = Viewer::open(options).unwrap();
        let address = viewer.address();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        Host {
            port: port.parse().unwrap(),
            token: token.into(),
            file,
            stopper: viewer.stopper(),
            thread: Some(std::thread::spawn(|| viewer.run())),
            _folder: folder,
        }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// The answer to a request, head and all.
    pub fn ask(&self, request: &str) -> String {
        let mut stream = self.stream();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// The answer to a request with the right host and token.
    pub fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}?token={} HTTP/1.1\r\nHost: {}\r\n\r\n", self.token, self.host()))
    }

    /// Tries to open a socket, as a page of this origin that the browser has from this host.
    pub fn knock(
        &self,
        token: &str,
        host: &str,
        origin: Option<&str>,
    ) -> Result<WebSocket<TcpStream>, String> {
        let mut request = format!("ws://{}/live?token={token}", self.host()).into_client_request().unwrap();
        request.headers_mut().insert("Host", host.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        match tungstenite::client(request, self.stream()) {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().to_string())
            }
            Err(other) => Err(other.to_string()),
        }
    }

    pub fn try_socket(&self) -> Result<WebSocket<TcpStream>, String> {
        self.knock(&self.token, &self.host(), Some(&format!("http://{}", self.host())))
    }

    pub fn page(&self) -> Page {
        Page::new(self.try_socket().unwrap())
    }

    /// Writes the model file as editors do: a new one in its place.
    pub fn edit(&self, text: &str) {
        let draft = self.file.with_extension("draft");
        std::fs::write(&draft, text).unwrap();
        std::fs::rename(&draft, &self.file).unwrap();
    }

    /// Ends it; it must not take long.
    pub fn end(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        let begun = Instant::now();
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let good = thread.join().is_ok();
            let took = begun.elapsed();
            if !std::thread::panicking() {
                assert!(good && took < LONG, "{took:?}");
            }
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A frame as a page sees it.
pub struct Shot {
    pub pose: Snapshot,
    pub values: Vec<f64>,
}

/// What a page hears.
pub enum Heard {
    Text(Value),
    Frame(Shot),
}

/// A page that watches.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    pub hello: Value,
    pub scene: Scene,
    decoder: Option<Decoder>,
}

impl Page {
    pub fn new(socket: WebSocket<TcpStream>) -> Page {
        let mut page = Page { socket, hello: Value::Null, scene: Scene::default(), decoder: None };
        match page.hear() {
            Heard::Text(hello) if hello["type"] == "hello" => {}
            Heard::Text(other) => panic!("not hello first: {other}"),
            Heard::Frame(_) => panic!("a frame before hello"),
        }
        page
    }

    pub fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    pub fn say(&mut self, kind: &str) {
        self.send(json!({ "type": kind }));
    }

    pub fn hear(&mut self) -> Heard {
        loop {
            let message = match self.socket.read() {
                // a signal came while this waited
                Err(tungstenite::Error::Io(e)) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                read => read.unwrap(),
            };
            match message {
                Message::Text(text) => {
                    let message: Value = serde_json::from_str(&text).unwrap();
                    if message["type"] == "hello" {
                        self.greeted(&message);
                    }
                    return Heard::Text(message);
                }
                Message::Binary(bytes) => return Heard::Frame(self.read_frame(&bytes)),
                Message::Close(why) => panic!("closed: {why:?}"),
                _ => {}
            }
        }
    }

    fn greeted(&mut self, hello: &Value) {
        let data = &hello["data"];
        self.scene = serde_json::from_value(data["scene"].clone()).unwrap();
        let number = |key: &str| data["motion"][key].as_f64().unwrap();
        let quanta = Quanta {
            place: number("quantum"),
            force: number("force_quantum"),
            amplitude: number("amplitude_quantum"),
            beams: std::array::from_fn(|i| data["motion"]["beam_quanta"][i].as_f64().unwrap()),
        };
        self.decoder = Some(Decoder::new(&self.scene, quanta));
        self.hello = hello.clone();
    }

    fn read_frame(&mut self, bytes: &[u8]) -> Shot {
        assert_eq!(bytes[0], 1);
        let t = f64::from_le_bytes(bytes[1..9].try_into().unwrap());
        let count = u32::from_le_bytes(bytes[9..13].try_into().unwrap()) as usize;
        let (values, mut motion) = bytes[13..].split_at(4 * count);
        let values = values.chunks(4).map(|x| f64::from(f32::from_le_bytes(x.try_into().unwrap()))).collect();
        let pose = self.decoder.as_mut().unwrap().decode_alone(t, &mut motion).unwrap();
        assert!(motion.is_empty(), "a frame has nothing behind it");
        Shot { pose, values }
    }

    /// The next frame.
    pub fn frame(&mut self) -> Shot {
        let until = Instant::now() + LONG;
        while Instant::now() < until {
            if let Heard::Frame(shot) = self.hear() {
                return shot;
            }
        }
        panic!("no frame came");
    }

    /// The first frame that is as it should be.
    pub fn frame_that(&mut self, is: impl Fn(&Shot) -> bool) -> Shot {
        let until = Instant::now() + LONG;
        while Instant::now() < until {
            let shot = self.frame();
            if is(&shot) {
                return shot;
            }
        }
        panic!("no such frame came");
    }

    /// The next message of a kind that is as it should be.
    pub fn told(&mut self, kind: &str, is: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + LONG;
        let mut last = Value::Null;
        while Instant::now() < until {
            if let Heard::Text(message) = self.hear()
                && message["type"] == kind
            {
                if is(&message) {
                    return message;
                }
                last = message;
            }
        }
        panic!("no such {kind} came, the last was {last}");
    }

    pub fn told_state(&mut self, state: &str) -> Value {
        self.told("status", |status| status["state"] == state)
    }

    /// Number of frames while the model's time advances by so many seconds.
    pub fn frames_during(&mut self, seconds: f64) -> usize {
        let (until, from) = (Instant::now() + LONG, self.frame().pose.t);
        for count in 1.. {
            assert!(Instant::now() < until, "the model's time stands still");
            if self.frame().pose.t > from + seconds {
                return count;
            }
        }
        unreachable!()
    }

    /// Waits until the engine reports its state, which it does all the time, four times in a row without a frame in between.
    pub fn until_still(&mut self) {
        let (until, mut reports) = (Instant::now() + LONG, 0);
        while reports < 4 {
            assert!(Instant::now() < until, "frames keep coming");
            reports = match self.hear() {
                Heard::Frame(_) => 0,
                Heard::Text(message) => reports + usize::from(message["type"] == "status"),
            };
        }
    }

    /// Asks for columns, and waits until they come.
    pub fn watch(&mut self, columns: &[&str]) {
        self.send(json!({ "type": "watch", "columns": columns }));
        self.frame_that(|shot| shot.values.len() == columns.len());
    }

    /// Which of the scene's bodies has a name.
    pub fn body(&self, name: &str) -> usize {
        self.scene.bodies.iter().position(|body| body.name == name).unwrap()
    }
}
