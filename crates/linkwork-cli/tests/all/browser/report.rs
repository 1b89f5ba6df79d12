//! The report of every example.

use super::chrome::Chrome;
use super::results::{Results, examples, run};
use linkwork::model::Model;
use std::path::{Path, PathBuf};

/// What is long is shown up to here, s.
const LONGEST: f64 = 2.0;

fn address(folder: &Path) -> String {
    format!("file://{}/report.html", folder.display())
}

fn report_of(name: &str, longest: f64) -> (tempfile::TempDir, Results) {
    let folder = tempfile::tempdir().unwrap();
    let file = examples().join(format!("{name}.toml"));
    let duration = Model::from_file(&file).unwrap().settings.duration.min(longest);
    run(&file, duration, folder.path());
    let results = Results::read(folder.path());
    (folder, results)
}

/// Every example's page opens, complains of nothing and shows points where the table has them; what moves in the table moves in the picture, there.
#[test]
fn shows_every_example_where_its_results_say() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(examples()).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() > 30);
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        // contacts by the hundred: the page is as long as the run
        let longest = if ["sand-heap", "hundred-dominoes"].contains(&name.as_str()) { 0.1 } else { LONGEST };
        let (folder, results) = report_of(&name, longest);
        let took = chrome.open(&address(folder.path()));
        chrome.eval("linkwork.pause()");
        let [left, top, width, height] = chrome.place("picture");
        // bars are drawn so thick
        let unit =
            chrome.number("JSON.parse(document.getElementById('linkwork-data').textContent).scene.unit");
        let size = std::fs::metadata(folder.path().join("report.html")).unwrap().len();
        let rows: Vec<usize> = [0.0, 0.3, 0.9]
            .iter()
            .filter_map(|part| {
                let from = (part * (results.len() - 1) as f64) as usize;
                (from..results.len()).find(|&row| results.is_alone(row))
            })
            .collect();
        let points = results.points();
        let points = &points[..points.len().min(40)];
        let chained = folder.path().join("chains.csv").exists();
        let (mut shown, mut farthest) = (Vec::new(), 0.0_f64);
        for &row in &rows {
            chrome.eval(&format!("linkwork.seek({})", results.t(row)));
            chrome.settle();
            let mut pixels = Vec::new();
            let names = serde_json::to_string(points).unwrap();
            let told = chrome.eval(&format!("{names}.map((n) => [linkwork.point(n), linkwork.pixel(n)])"));
            for (i, point) in points.iter().enumerate() {
                let Some(place) = results.point(row, point) else { continue };
                let [at, pixel] = [&told[i][0], &told[i][1]];
                if chained && at.is_null() {
                    // a node of a chain, which is drawn as a whole
                    continue;
                }
                assert!(at.is_array(), "{name}: `{point}` is not in the page at row {row}");
                let off = (0..3).map(|c| (at[c].as_f64().unwrap() - place[c]).abs()).fold(0.0, f64::max);
                farthest = farthest.max(off / unit);
                pixels.push((point.clone(), [0, 1].map(|c| pixel[c].as_f64().unwrap_or(f64::NAN))));
            }
            let number = shown.len();
            shown.push((chrome.picture(&format!("{name}-{number}")), pixels));
        }
        let drawn = shown[0].0.drawn([left, top, width, height]);
        println!(
            "{name}: {size} bytes, open in {took:?}, off by {farthest:.1e} of a bar's thickness, {:.1} % drawn",
            100.0 * drawn
        );
        assert!(farthest < 1e-2, "{name}: {farthest}");
        assert!(drawn > 0.003, "{name}: the picture is blank");
        let inside = |[x, y]: [f64; 2]| (0.0..width).contains(&x) && (0.0..height).contains(&y);
        let seen = shown.iter().flat_map(|(_, pixels)| pixels).filter(|(_, pixel)| inside(*pixel)).count();
        let all: usize = shown.iter().map(|(_, pixels)| pixels.len()).sum();
        assert!(10 * seen >= 9 * all, "{name}: only {seen} of {all} points are in the picture");
        // what has moved far is seen where it has come to
        let (mut moved, mut told) = (0, 0);
        for pair in shown.windows(2) {
            for ((point, from), (other, to)) in pair[0].1.iter().zip(&pair[1].1) {
                if point == other && inside(*to) && (from[0] - to[0]).hypot(from[1] - to[1]) > 25.0 {
                    moved += 1;
                    let there = [left + to[0] - 6.0, top + to[1] - 6.0, 12.0, 12.0];
                    // within a large body nothing changes, but the body is there
                    let covered = pair[1].0.covered(there, [left + 3.0, top + 3.0]);
                    told += usize::from(covered > 0.9 || pair[1].0.differs(&pair[0].0, there) > 0.02);
                }
            }
        }
        assert!(
            10 * told >= 7 * moved,
            "{name}: of {moved} points that moved only {told} are seen where they are"
        );
        for plot in chrome.eval("linkwork.plots()").as_array().unwrap() {
            for axis in ["across", "upright"] {
                let ticks = plot["axes"][axis].as_u64().unwrap_or(0);
                assert!((3..=7).contains(&ticks), "{name}: {plot}");
            }
        }
        assert_eq!(chrome.eval("JSON.stringify(linkwork.errors)"), "[]", "{name}");
        assert_eq!(chrome.complaints(), Vec::<String>::new(), "{name}");
    }
}

/// What the model asks for comes first, with units; angles are shown in degrees where one wants them so.
#[test]
fn exact_first_plots_and_angles() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let (folder, _) = report_of("tower-crane", 40.0);
    chrome.open(&address(folder.path()));
    chrome.eval("linkwork.pause()");
    let plots = chrome.eval("linkwork.plots()");
    let titles: Vec<&str> =
        plots.as_array().unwrap().iter().map(|plot| plot["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Measures", "Measures", "Drives", "Drives", "Joint coordinates", "Energies"]);
    let of = |plots: &serde_json::Value| {
        let plots = plots.as_array().unwrap();
        let plot = plots.iter().find(|plot| plot["columns"][0] == "joint.slewing.q").unwrap();
        (plot["axes"]["unit"].as_str().unwrap().to_owned(), plot["legend"][0].as_str().unwrap().to_owned())
    };
    // the jib slews by a quarter of a turn
    let (unit, legend) = of(&plots);
    assert!(unit == "rad" && legend.contains("0 … 1.571"), "{unit} {legend}");
    chrome.eval("document.getElementById('degrees').click()");
    chrome.settle();
    let (unit, legend) = of(&chrome.eval("linkwork.plots()"));
    assert!(unit == "deg" && legend.contains("0 … 90"), "{unit} {legend}");
}

/// Playing, pausing, stepping, scrubbing, by buttons and keys; dark and narrow.
#[test]
fn plays_steps_and_scrubs() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let (folder, results) = report_of("four-bar", 5.0);
    chrome.open(&address(folder.path()));
    let end = results.t(results.len() - 1);
    chrome.until("linkwork.time() > 0.05");
    chrome.click("play");
    let paused = chrome.number("linkwork.time()");
    chrome.pictures(20);
    assert_eq!(chrome.number("linkwork.time()"), paused);
    chrome.click("forward");
    let next = chrome.number("linkwork.time()");
    assert!(next > paused && next - paused < 0.03, "{paused} {next}");
    chrome.click("back");
    chrome.click("back");
    assert!(chrome.number("linkwork.time()") < next);
    chrome.eval("document.getElementById('picture').focus()");
    chrome.key("End");
    assert!((chrome.number("linkwork.time()") - end).abs() < 1e-9);
    chrome.key("Home");
    assert_eq!(chrome.number("linkwork.time()"), 0.0);
    chrome.key(" ");
    chrome.until("linkwork.time() > 0.1");
    chrome.key(" ");
    let scrub = "(() => { const s = document.getElementById('time'); s.value = s.min * 0.5 + s.max * 0.5; \
                 s.dispatchEvent(new Event('input')); return 0; })()";
    chrome.eval(scrub);
    let middle = chrome.number("linkwork.time()");
    assert!((middle - 0.5 * end).abs() < 0.02, "{middle}");
    for (name, width, height, dark) in [("wide-dark", 1280, 800, true), ("narrow", 480, 900, false)] {
        chrome.size(width, height);
        chrome.dark(dark);
        let area = chrome.place("picture");
        assert!(
            area[2] > 100.0 && area[3] > 100.0 && area[0] + area[2] <= f64::from(width) + 1.0,
            "{area:?}"
        );
        let overflow =
            chrome.number("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert!(overflow <= 0.0, "{name}: {overflow} pixels stick out");
        assert!(chrome.picture(&format!("four-bar-{name}")).drawn(area) > 0.003);
    }
    assert_eq!(chrome.complaints(), Vec::<String>::new());
}

/// The vehicle's report is small; many bodies and a long rope play: five pictures come. Times are printed, not judged: machines differ.
#[test]
fn stays_small_and_smooth() {
    let Some(mut chrome) = Chrome::start(1280, 800) else { return };
    let (folder, _) = report_of("vehicle", 5.0);
    let size = std::fs::metadata(folder.path().join("report.html")).unwrap().len();
    let took = chrome.open(&address(folder.path()));
    println!("vehicle, 5 s: {size} bytes, open in {took:?}");
    assert!(size < 3_000_000, "{size}");
    let paced = |chrome: &mut Chrome| {
        chrome.eval("linkwork.play()");
        let before = chrome.number("linkwork.frames()");
        let began = std::time::Instant::now();
        chrome.until(&format!("linkwork.frames() >= {before} + 5"));
        let after = chrome.number("linkwork.frames()");
        let stats = chrome.eval("JSON.stringify(linkwork.stats())");
        ((after - before) / began.elapsed().as_secs_f64(), stats)
    };
    println!("vehicle: {:?} pictures a second", paced(&mut chrome));
    chrome.open(&format!("{}?paint", address(folder.path())));
    println!("vehicle, painted without WebGL: {:?} pictures a second", paced(&mut chrome));
    assert_eq!(chrome.complaints(), Vec::<String>::new());
    let chain = |links: usize| {
        let mut text = String::from(
            "format = 1\n[model]\nname = \"many\"\ndimension = 3\ngravity = [0, 0, -9.81]\n[points]\n",
        );
        for i in 0..=links {
            text += &format!("P{i} = [{}, {}, 0]\n", 0.1 * i as f64, 0.03 * (i % 2) as f64);
        }
        text += "[bodies]\nground = { points = [\"P0\"] }\n";
        for i in 0..links {
            text += &format!("b{i} = {{ points = [\"P{i}\", \"P{}\"], mass = 1 }}\n", i + 1);
        }
        text += "[simulation]\nduration = 0.5\noutput_step = 0.02\ntolerance = 1e-6\n";
        text
    };
    let rope = "format = 1\n[model]\nname = \"rope\"\ndimension = 2\ngravity = [0, -9.81]\n[points]\nA = [0, 0]\n\
                B = [10, 0]\n[bodies]\nground = { points = [\"A\"] }\n[chains.rope]\nfrom = \"A\"\nto = \"B\"\nsegments = 1000\n\
                mass_per_length = 0.1\n[simulation]\nduration = 0.3\noutput_step = 0.02\ntolerance = 1e-5\n";
    for (name, text) in [("hundred", chain(100)), ("rope-1000", rope.to_owned())] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("model.toml");
        std::fs::write(&file, text).unwrap();
        run(&file, 0.3, folder.path());
        let took = chrome.open(&address(folder.path()));
        let pace = paced(&mut chrome);
        println!("{name}: open in {took:?}, {pace:?} pictures a second");
        let area = chrome.place("picture");
        assert!(chrome.picture(name).drawn(area) > 0.002, "{name}");
        chrome.open(&format!("{}?paint", address(folder.path())));
        println!("{name}, painted without WebGL: {:?} pictures a second", paced(&mut chrome));
        assert!(chrome.picture(&format!("{name}-painted")).drawn(area) > 0.002, "{name}");
        assert_eq!(chrome.complaints(), Vec::<String>::new());
    }
}

/// What somebody puts into a report does not run, and nothing is fetched: its policy allows its own script and style alone.
#[test]
fn runs_nothing_but_its_own_script() {
    let Some(mut chrome) = Chrome::start(800, 600) else { return };
    let (folder, _) = report_of("four-bar", 0.2);
    chrome.open(&address(folder.path()));
    chrome.settle();
    assert_eq!(chrome.complaints(), Vec::<String>::new());
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    let intruder = "<main><script>window.intruder = 1</script><img src=\"https://example.com/a.png\" onerror=\"window.intruder = 2\">";
    let changed = html.replacen("<main>", intruder, 1);
    assert_ne!(html, changed);
    std::fs::write(folder.path().join("report.html"), changed).unwrap();
    chrome.open(&address(folder.path()));
    chrome.settle();
    assert_eq!(chrome.eval("window.intruder === undefined"), serde_json::json!(true));
    assert!(chrome.complaints().len() >= 2, "the browser says what it has kept out");
}

/// The report of a model that is written here, in a folder of its own.
fn report_of_text(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.toml");
    std::fs::write(&file, text).unwrap();
    let duration = Model::from_file(&file).unwrap().settings.duration;
    run(&file, duration, folder.path());
    folder
}

const SWING: &str = "format = 1\nmodel = { name = \"swing\", gravity = \"-z\" }\n[points]\nA = [0, 0, 2]\nB = [1, 0, 2]\n[bodies]\nground = { points = [\"A\"] }\n\
    rod = { points = [\"A\", \"B\"], mass = 1 }\n[simulation]\nduration = 1\noutput_step = 0.02\n";

/// A page begins with the view of the model; views by name look without perspective from there; a picture can be saved.
#[test]
fn exact_views_of_the_model_and_by_name() {
    let Some(mut chrome) = Chrome::start(1000, 700) else { return };
    let view = "[view]\nazimuth = \"-30 deg\"\nelevation = \"10 deg\"\ntraces = [\"B\"]\nplots = [\"joint.*.q*\", \"energy.kinetic energy.potential\"]\nlabels = true\n";
    let folder = report_of_text(&format!("{SWING}{view}"));
    chrome.open(&address(folder.path()));
    chrome.eval("linkwork.pause()");
    let degrees =
        |chrome: &mut Chrome, key: &str| chrome.number(&format!("linkwork.camera().{key} * 180 / Math.PI"));
    assert!(
        (degrees(&mut chrome, "yaw") + 30.0).abs() < 1e-9
            && (degrees(&mut chrome, "pitch") - 10.0).abs() < 1e-9
    );
    assert_eq!(chrome.eval("linkwork.camera().parallel"), false);
    let titles = chrome.eval("linkwork.plots().map((plot) => plot.title).join('; ')");
    assert!(titles.as_str().unwrap().ends_with("energy.kinetic energy.potential"), "{titles}");
    assert_eq!(chrome.eval("document.getElementById('label-points').checked"), true);
    assert_eq!(chrome.eval("document.querySelectorAll('#trace-list input:checked').length"), 1);
    // from above A hides what is below it: a point on the vertical through A is where A is
    for (name, level) in [("front", [0, 2]), ("top", [0, 1]), ("side", [1, 2])] {
        chrome.eval(&format!("document.querySelector('[data-from={name}]').click()"));
        chrome.settle();
        assert_eq!(chrome.eval("linkwork.camera().parallel"), true);
        let scale = chrome.number(
            "document.getElementById('picture').getBoundingClientRect().height / 2 / linkwork.camera().half",
        );
        chrome.eval("linkwork.seek(0.4)");
        chrome.settle();
        let of = |chrome: &mut Chrome, what: &str, k: usize| {
            chrome.number(&format!("linkwork.{what}('B')[{k}] - linkwork.{what}('A')[{k}]"))
        };
        let across = [of(&mut chrome, "pixel", 0), -of(&mut chrome, "pixel", 1)];
        let world = level.map(|k| of(&mut chrome, "point", k));
        for k in 0..2 {
            assert!((across[k] - scale * world[k]).abs() < 0.5, "{name}: {across:?}, {world:?} by {scale}");
        }
    }
    let size = chrome
        .number("linkwork.screenshot().then((picture) => picture.type === 'image/png' ? picture.size : 0)");
    assert!(size > 2000.0, "{size}");
    assert_eq!(chrome.complaints(), Vec::<String>::new());
}

/// A body that flies away does not shrink the picture: it is as large as without that body; and a mechanism a thousand kilometres from the origin looks as one at it.
#[test]
fn same_picture_with_what_escapes_and_far_away() {
    let Some(mut chrome) = Chrome::start(1000, 700) else { return };
    let free = SWING
        .replace("[bodies]", "C = [0.5, 0.5, 2]\n[bodies]\nstone = { points = [\"C\"], mass = 1 }")
        + "[initial.velocities]\nC = [0, 0, 400]\n";
    let far = SWING.replace("[0, 0, 2]", "[1e6, -1e6, 2]").replace("[1, 0, 2]", "[1000001, -1e6, 2]");
    let mut shown = Vec::new();
    for text in [SWING, &free, &far] {
        let folder = report_of_text(text);
        chrome.open(&address(folder.path()));
        chrome.eval("linkwork.pause(); linkwork.seek(0.4)");
        chrome.settle();
        let area = chrome.place("picture");
        let half = chrome.number("linkwork.camera().half");
        shown.push((half, chrome.picture("same"), area));
        assert_eq!(chrome.complaints(), Vec::<String>::new());
    }
    assert!((shown[1].0 / shown[0].0 - 1.0).abs() < 0.25, "{} {}", shown[1].0, shown[0].0);
    assert!((shown[2].0 / shown[0].0 - 1.0).abs() < 1e-3, "{} {}", shown[2].0, shown[0].0);
    let differs = shown[2].1.differs(&shown[0].1, shown[0].2);
    println!("a thousand kilometres away {differs:.2e} of the picture differs");
    // the grid of the floor lies elsewhere
    assert!(differs < 0.05, "{differs}");
}
