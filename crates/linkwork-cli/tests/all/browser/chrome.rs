//! A browser that does what it is told.

use super::picture::Picture;
use base64::Engine;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// One browser at a time: they want all cores.
static ONE: Mutex<()> = Mutex::new(());

/// Limit for every wait: far beyond what a busy machine takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running browser with one page.
pub struct Chrome {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    next: u64,
    /// Errors that pages have told.
    complaints: Vec<String>,
    _folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

fn program() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("CHROMIUM") {
        return Some(given.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name))).find(|file| file.is_file())
}

impl Chrome {
    /// Starts a browser with an empty page of a size; nothing, and a line that says so, where there is none.
    pub fn start(width: u32, height: u32) -> Option<Self> {
        let Some(program) = program() else {
            let wanted = std::env::var("LINKWORK_BROWSER").is_ok_and(|value| value == "required");
            assert!(!wanted, "no browser: put Chromium on the PATH or name it in CHROMIUM");
            eprintln!("skipped: no browser found; put Chromium on the PATH or name it in CHROMIUM");
            return None;
        };
        let alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"])
            .args(["--force-device-scale-factor=1", "--remote-debugging-port=0"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let port_file = folder.path().join("DevToolsActivePort");
        let began = Instant::now();
        let address = loop {
            let text = std::fs::read_to_string(&port_file).unwrap_or_default();
            if let [port, path] = text.lines().collect::<Vec<_>>()[..] {
                break format!("ws://127.0.0.1:{port}{path}");
            }
            assert!(began.elapsed() < PATIENCE, "the browser does not open its port");
            std::thread::sleep(Duration::from_millis(20));
        };
        let (socket, _) = tungstenite::connect(address).expect("the browser answers");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let (session, complaints) = (String::new(), Vec::new());
        let mut chrome =
            Chrome { child, socket, session, next: 0, complaints, _folder: folder, _alone: alone };
        let target = chrome.call("Target.createTarget", json!({ "url": "about:blank" }));
        let flat = json!({ "targetId": target["targetId"], "flatten": true });
        chrome.session = chrome.call("Target.attachToTarget", flat)["sessionId"].as_str().unwrap().into();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            chrome.call(domain, json!({}));
        }
        chrome.size(width, height);
        Some(chrome)
    }

    /// Gives the page another size.
    pub fn size(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Light or dark.
    pub fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": value });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let answer = match self.socket.read() {
                Ok(answer) => answer,
                // a signal came while this waited
                Err(tungstenite::Error::Io(e)) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => panic!("{method}: {e}"),
            };
            let Message::Text(text) = answer else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.listen(&answer);
        }
    }

    /// Notes what pages complain of.
    fn listen(&mut self, event: &Value) {
        let of = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(of["exceptionDetails"].to_string()),
            Some("Runtime.consoleAPICalled") if matches!(of["type"].as_str(), Some("error" | "warning")) => {
                self.complaints.push(of["args"].to_string());
            }
            Some("Log.entryAdded") if of["entry"]["level"] == "error" => {
                self.complaints.push(of["entry"].to_string());
            }
            _ => {}
        }
    }

    /// Errors that pages have told since the last time somebody asked.
    pub fn complaints(&mut self) -> Vec<String> {
        self.eval("0");
        std::mem::take(&mut self.complaints)
    }

    /// Goes to an address and waits for the first picture; tells how long that took.
    pub fn open(&mut self, address: &str) -> Duration {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let began = Instant::now();
        self.call("Page.navigate", json!({ "url": address }));
        self.until("window.linkwork && window.linkwork.ready");
        began.elapsed()
    }

    /// The value of an expression.
    pub fn eval(&mut self, expression: &str) -> Value {
        let question = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", question);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// A number that an expression gives.
    pub fn number(&mut self, expression: &str) -> f64 {
        self.eval(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let began = Instant::now();
        while self.eval(&format!("!!({expression})")) != json!(true) {
            let errors = self.eval("window.linkwork ? JSON.stringify(window.linkwork.errors) : ''");
            assert!(
                began.elapsed() < PATIENCE,
                "waited in vain for {expression}; {errors}, {:?}",
                self.complaints
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Moves the mouse, presses or releases its left button: `mouseMoved`, `mousePressed`, `mouseReleased`.
    pub fn mouse(&mut self, what: &str, [x, y]: [f64; 2]) {
        let held = what != "mouseReleased";
        let count = u8::from(what != "mouseMoved");
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": what, "x": x, "y": y, "button": "left", "buttons": u8::from(held), "clickCount": count }),
        );
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let code = if key == " " { "Space" } else { key };
        let text = if key == " " { " " } else { "" };
        let number = match key {
            " " => 32,
            "Home" => 36,
            "End" => 35,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Where an element is: left, top, width, height.
    pub fn place(&mut self, id: &str) -> [f64; 4] {
        let rectangle = self.eval(&format!(
            "(() => {{ const r = document.getElementById('{id}').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; }})()"
        ));
        std::array::from_fn(|i| rectangle[i].as_f64().unwrap_or_else(|| panic!("no element {id}")))
    }

    /// Clicks on an element.
    pub fn click(&mut self, id: &str) {
        let [left, top, width, height] = self.place(id);
        let middle = [left + 0.5 * width, top + 0.5 * height];
        self.mouse("mouseMoved", middle);
        self.mouse("mousePressed", middle);
        self.mouse("mouseReleased", middle);
    }

    /// Waits for two pictures: then what was asked for is on the screen.
    pub fn settle(&mut self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /// Waits for a number of pictures, in which whatever is still on its way arrives.
    pub fn pictures(&mut self, count: usize) {
        for _ in 0..count.div_ceil(2) {
            self.settle();
        }
    }

    /// A picture of the page, kept under a name where pictures are kept.
    pub fn picture(&mut self, name: &str) -> Picture {
        self.settle();
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        if let Some(folder) = std::env::var_os("LINKWORK_PICTURES") {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(PathBuf::from(folder).join(format!("{name}.png")), &bytes).unwrap();
        }
        Picture::read(&bytes)
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
