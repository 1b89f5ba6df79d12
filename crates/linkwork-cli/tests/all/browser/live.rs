//! The live viewer, steered from its page.

use super::chrome::Chrome;
use super::results::{examples, linkwork};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A running viewer.
struct Viewer {
    child: Child,
    address: String,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Viewer {
    fn of(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.toml");
        std::fs::write(&file, text).unwrap();
        let mut child = linkwork()
            .arg("view")
            .arg(&file)
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Viewer { child, address: address.trim().into(), file, _folder: folder }
    }

    fn edit(&self, text: &str) {
        std::fs::write(&self.file, text).unwrap();
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

const PENDULUM: &str = "format = 1
[model]
name = \"swing\"
dimension = 2
gravity = [0, \"-g\"]
[parameters]
g = 9.81
[points]
A = [0, 0]
B = [1, 0]
[bodies]
ground = { points = [\"A\"] }
rod = { points = [\"A\", \"B\"], mass = 2 }
[simulation]
duration = 3
output_step = 0.01
";

/// Loads, runs, pauses, is pulled, is changed by a slider, reloads after an edit, shows errors and recovers.
#[test]
fn is_steered_from_its_page() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let viewer = Viewer::of(PENDULUM);
    chrome.open(&viewer.address);
    chrome.until("linkwork.time() > 0.2");
    let area = chrome.place("picture");
    assert!(chrome.picture("live-running").drawn(area) > 0.003);

    // pause
    chrome.click("play");
    chrome.until("document.getElementById('badge').textContent === 'paused'");
    let t = chrome.number("linkwork.time()");
    chrome.pictures(20);
    assert!((chrome.number("linkwork.time()") - t).abs() < 0.05);
    chrome.click("play");
    chrome.until(&format!("linkwork.time() > {}", t + 0.2));

    // without gravity it stays where it starts; a hand brings it where it wants it
    let slider = "(() => { const s = document.querySelector('#parameters input[type=range]'); s.value = 0; \
                  s.dispatchEvent(new Event('input')); return 0; })()";
    chrome.eval(slider);
    // emptied here, the field shows a value again when the engine reports its parameters
    chrome
        .eval("(() => { document.querySelector('#parameters input[type=number]').value = ''; return 0; })()");
    chrome.until("document.querySelector('#parameters input[type=number]').value === '0'");
    chrome.click("reset");
    chrome
        .until("linkwork.time() > 0.1 && linkwork.time() < 1 && linkwork.point('B') && Math.abs(linkwork.point('B')[0] - 1) < 1e-4");
    // it is held near its end and pulled up
    let pixels = ["A", "B"].map(|name| {
        let pixel = chrome.eval(&format!("linkwork.pixel('{name}')"));
        [0, 1].map(|i| area[i] + pixel[i].as_f64().unwrap())
    });
    let from = [0, 1].map(|i| pixels[0][i] + 0.8 * (pixels[1][i] - pixels[0][i]));
    let goal = [pixels[0][0], pixels[0][1] - 200.0];
    chrome.mouse("mouseMoved", from);
    chrome.mouse("mousePressed", from);
    for k in 0..=20 {
        let part = f64::from(k) / 20.0;
        chrome.mouse("mouseMoved", [0, 1].map(|i| from[i] + part * (goal[i] - from[i])));
        chrome.settle();
    }
    chrome.until("linkwork.point('B')[1] > 0.7");
    assert!(chrome.picture("live-pulled").drawn(area) > 0.003);
    chrome.mouse("mouseReleased", goal);

    // another file: the bar is longer
    viewer.edit(&PENDULUM.replace("B = [1, 0]", "B = [1.5, 0]"));
    chrome.until("linkwork.point('B') && Math.abs(Math.hypot(...linkwork.point('B')) - 1.5) < 1e-3");

    // a mistake is shown, the motion goes on; mended, it is gone
    viewer.edit(&PENDULUM.replace("mass = 2", "mass = -2"));
    chrome.until("!document.getElementById('fault').hidden");
    let told = chrome.eval("document.getElementById('fault-text').textContent");
    assert!(told.as_str().unwrap().contains("mass"), "{told}");
    chrome.picture("live-fault");
    viewer.edit(PENDULUM);
    chrome.until("document.getElementById('fault').hidden");
    chrome.until("linkwork.point('B') && Math.abs(Math.hypot(...linkwork.point('B')) - 1) < 1e-3");

    // start again
    chrome.until("linkwork.time() > 0.5");
    chrome.click("reset");
    chrome.until("linkwork.time() < 0.4");
    assert_eq!(chrome.eval("JSON.stringify(linkwork.errors)"), "[]");
    assert_eq!(chrome.complaints(), Vec::<String>::new());
}

/// The formulation changes on the way, and the motion goes on; the vehicle keeps pace.
#[test]
fn changes_its_formulation_on_the_way() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let viewer = Viewer::of(&text(&examples().join("vehicle.toml")));
    chrome.open(&viewer.address);
    chrome.until("linkwork.time() > 1");
    chrome.picture("live-vehicle");
    println!("vehicle: {}", chrome.eval("document.getElementById('factor').textContent"));
    let before = chrome.number("linkwork.time()");
    let choose = "(() => { const s = document.getElementById('formulation'); s.value = 'points'; \
                  s.dispatchEvent(new Event('change')); return 0; })()";
    chrome.eval(choose);
    chrome.until(&format!("linkwork.time() > {}", before + 0.3));
    assert!(chrome.eval("document.getElementById('fault').hidden") == true);
    assert_eq!(chrome.complaints(), Vec::<String>::new());
}
