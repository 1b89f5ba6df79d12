//! What reads, and what it is fed with.

use crate::Verdict;
use crate::damage::{self, Random};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use linkwork::Error;
use linkwork::analysis::inverse::{Columns, Motion, Settings, Smoothing};
use linkwork::keep::Fingerprint;
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use linkwork::results::Frame;
use linkwork::simulation::{Checkpoint, CsvEvents, Event, Observer};
use linkwork_import::Loops;
use linkwork_scene::{Recorder, Recording};
use linkwork_view::live;
use std::fs;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A reader with sound inputs for it.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Sound inputs.
    pub seeds: Vec<Vec<u8>>,
    /// Words that mean something to it.
    pub words: &'static [&'static str],
    reader: Reader,
}

enum Reader {
    Model,
    Checkpoint(Vec<Mechanism>),
    Recording,
    Results(tempfile::TempDir),
    Motion(Box<Mechanism>),
    Commands,
    Import,
}

/// Words of model files.
const OF_MODELS: &[&str] = &[
    "\n[bodies]\n",
    "\n[beams.b]\n",
    "\n[chains.c]\n",
    "\n[changes.x]\n",
    "\n[joints.j]\n",
    "\n[measures]\n",
    "\n[simulation]\n",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'''",
    "= ",
    "sqrt(-1)",
    "1/0",
    "t",
    " mm",
    " kg m^2",
    "if(",
    "((((((((",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "point.A.x",
    "joint.A.q",
    "revolute",
    "prismatic",
    "ground",
    "null",
    "true",
    "1e999",
    "#",
];

const OF_COMMANDS: &[&str] = &[
    "{\"type\":\"grab\",\"body\":1,\"at\":[0,0],\"to\":[1e308,0]}",
    "\"type\":",
    "1e308",
    "-1e400",
    "null",
    "[",
    "{",
    "\"",
    "\\u0000",
    "watch",
    "columns",
    "GET ",
    "HTTP/1.1\r\n",
    "\r\n\r\n",
    "Host: a\r\n",
];

/// Words of robots of other programs.
const OF_ROBOTS: &[&str] = &[
    "<link name='base'/>",
    "<joint name='j' type='revolute'><parent link='base'/><child link='upper'/></joint>",
    "<mimic joint='elbow'/>",
    "<model name='m'>",
    "</model>",
    "<include><uri>gearbox.sdf</uri></include>",
    "<pose relative_to='b'>",
    "<frame name='f' attached_to='f'/>",
    "<axis><xyz>0 0 0</xyz></axis>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "&b;",
    "<![CDATA[",
    "<include file='robot.xml'/>",
    "<replicate count='9999'>",
    "<connect body1='b0' anchor='0 0 0'/>",
    "<default class='c'>",
    "<freejoint/>",
    "<key qpos='0 0 0'/>",
    "<fixed name='t'><joint joint='hip' coef='1'/></fixed>",
    "<gyro site='back'/>",
    "<general joint='hip' dyntype='filter' dynprm='0'/>",
    "\t\t\tRevoluteJoint",
    "package://../",
    "__model__",
    "world",
    "universal",
    "gearbox",
    "floating",
    "1e300",
    "-1e-300",
    "nan",
    "inf",
    "\"",
    "'",
    "`",
    "\u{202e}",
    "\u{0}",
];

const OF_TABLES: &[&str] =
    &[",", "\"", "\r", "\n", ";", "nan", "inf", "=1+1", "1e999", "{", "null", "\u{feff}"];

/// The names of all targets.
pub const NAMES: [&str; 7] = ["model", "checkpoint", "recording", "results", "motion", "commands", "import"];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Takes a few checkpoints, then ends the run.
struct Taker {
    taken: Vec<Vec<u8>>,
    steps: usize,
}

impl Observer for Taker {
    fn row(&mut self, _: &Frame) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn wants_checkpoint(&mut self, _: f64) -> bool {
        self.steps += 1;
        self.steps.is_multiple_of(4)
    }
    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        self.taken.push(checkpoint.to_bytes());
        if self.taken.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Ends a run soon.
struct Impatient(u32);

impl Impatient {
    fn goes_on(&mut self) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Observer for Impatient {
    fn row(&mut self, _: &Frame) -> ControlFlow<()> {
        self.goes_on()
    }
    fn event(&mut self, _: &Event) -> ControlFlow<()> {
        self.goes_on()
    }
    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.goes_on()
    }
}

/// Mechanisms of which checkpoints and recordings are made: loops, contacts, what changes.
fn small() -> Result<Vec<Mechanism>, Error> {
    ["pendulum", "four-bar", "bouncing-ball", "latch", "breaking-chain"]
        .into_iter()
        .map(|name| {
            let mut model = Model::from_file(examples().join(format!("{name}.toml")))?;
            model.settings.duration = 0.2;
            Ok(model.assemble()?)
        })
        .collect()
}

impl Target {
    /// By name.
    ///
    /// # Errors
    /// Where there is none of the name, or its seeds cannot be made.
    pub fn named(name: &str) -> Result<Self, String> {
        let reported = |error: Error| error.to_string();
        let io = |error: std::io::Error| error.to_string();
        Ok(match name {
            "model" => {
                let mut seeds = Vec::new();
                for entry in fs::read_dir(examples()).map_err(io)? {
                    let text = fs::read_to_string(entry.map_err(io)?.path()).map_err(io)?;
                    let json = toml::from_str::<toml::Table>(&text).map_err(|error| error.to_string())?;
                    seeds.push(serde_json::to_vec(&json).map_err(|error| error.to_string())?);
                    seeds.push(text.into_bytes());
                }
                // in an order of its own, whatever the folder's
                seeds.sort();
                Target { name: "model", seeds, words: OF_MODELS, reader: Reader::Model }
            }
            "checkpoint" => {
                let mechanisms = small().map_err(reported)?;
                let mut seeds = Vec::new();
                for mechanism in &mechanisms {
                    let mut taker = Taker { taken: Vec::new(), steps: 0 };
                    mechanism.run(&mut taker).map_err(|faults| faults.render(false))?;
                    seeds.append(&mut taker.taken);
                }
                Target { name: "checkpoint", seeds, words: &[], reader: Reader::Checkpoint(mechanisms) }
            }
            "recording" => {
                let seeds =
                    small().map_err(reported)?.iter().map(recording).collect::<Result<_, _>>().map_err(io)?;
                Target { name: "recording", seeds, words: OF_TABLES, reader: Reader::Recording }
            }
            "results" => {
                let mut seeds = Vec::new();
                for mechanism in small().map_err(reported)? {
                    seeds.extend(tables(&mechanism).map_err(io)?);
                }
                let folder = tempfile::tempdir().map_err(io)?;
                let first = small().map_err(reported)?.remove(0);
                fs::write(folder.path().join("motion.lwm"), recording(&first).map_err(io)?).map_err(io)?;
                Target { name: "results", seeds, words: OF_TABLES, reader: Reader::Results(folder) }
            }
            "motion" => {
                let mechanism = small().map_err(reported)?.remove(0);
                let name = &mechanism.joints()[0].name;
                let swing = |(rows, size, frequency): (u32, f64, f64)| {
                    let mut text = format!("t,joint.{name}.q,note\n");
                    for i in 0..rows {
                        let t = 0.05 * f64::from(i);
                        text.push_str(&format!("{t},{},{i}\n", size * (frequency * t).sin()));
                    }
                    text
                };
                let swings = [(20, 0.3, 3.0), (12, 0.1, 5.0), (40, 1.0, 2.0), (21, 0.0, 1.0)].map(swing);
                let lines = swings[0].replace('\n', "\r\n");
                let seeds = swings.into_iter().chain([lines]).map(String::into_bytes).collect();
                Target {
                    name: "motion",
                    seeds,
                    words: OF_TABLES,
                    reader: Reader::Motion(Box::new(mechanism)),
                }
            }
            "commands" => {
                let seeds = [
                    r#"{"type":"play"}"#,
                    r#"{"type":"speed","value":2}"#,
                    r#"{"type":"set","name":"l","value":0.5}"#,
                    r#"{"type":"choose","formulation":"points","integrator":"dop853"}"#,
                    r#"{"type":"grab","body":1,"at":[1,2],"to":[3,4,5]}"#,
                    r#"{"type":"move","to":[1,2,3]}"#,
                    r#"{"type":"release"}"#,
                    r#"{"type":"watch","columns":["point.A.x","energy.total"]}"#,
                    "GET /live?token=x HTTP/1.1\r\nHost: 127.0.0.1:4817\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                ];
                let seeds = seeds.map(|text| text.as_bytes().to_vec()).to_vec();
                Target { name: "commands", seeds, words: OF_COMMANDS, reader: Reader::Commands }
            }
            "import" => {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linkwork-import/tests/data");
                let mut seeds = Vec::new();
                for entry in fs::read_dir(folder).map_err(io)? {
                    seeds.push(fs::read(entry.map_err(io)?.path()).map_err(io)?);
                }
                seeds.sort();
                Target { name: "import", seeds, words: OF_ROBOTS, reader: Reader::Import }
            }
            other => return Err(format!("there is no target `{other}`; there are {}", NAMES.join(", "))),
        })
    }

    /// Makes sums over a damaged input right, now and then, so that more than the first check is reached.
    pub fn mend(&self, input: &mut Vec<u8>, random: &mut Random) {
        if matches!(self.reader, Reader::Recording) && random.below(4) > 0 {
            // damage behind the compression, which would else hide it
            let seed = &self.seeds[random.below(self.seeds.len())];
            if let Some(made) = repacked(seed, random) {
                *input = made;
            }
        }
        if matches!(self.reader, Reader::Checkpoint(_)) && random.below(4) > 0 && input.len() > 8 {
            input.truncate(input.len() - 8);
            let print = Fingerprint::of(input).0;
            input.extend_from_slice(&print.to_le_bytes());
        }
    }

    /// Reads an input; an error says what should not have happened.
    ///
    /// # Errors
    /// A refusal that does not name what it should.
    pub fn read(&self, input: &[u8]) -> Result<Verdict, String> {
        match &self.reader {
            Reader::Model => model(input),
            Reader::Checkpoint(mechanisms) => checkpoint(mechanisms, input),
            Reader::Recording => match Recording::from_reader(input) {
                Ok(recording) => {
                    // whatever has been read can be written, and read again
                    let mut bytes = Vec::new();
                    recording
                        .write(&mut bytes)
                        .map_err(|error| format!("what was read cannot be written: {error}"))?;
                    match Recording::from_reader(&bytes[..]) {
                        Ok(_) => Ok(Verdict::Accepted),
                        Err(error) => Err(format!("what was written cannot be read: {error}")),
                    }
                }
                Err(error) => reported(&error.to_string()),
            },
            Reader::Results(folder) => results(folder.path(), input),
            Reader::Motion(mechanism) => motion(mechanism, input),
            Reader::Import => import(input),
            Reader::Commands => {
                let text = String::from_utf8_lossy(input);
                let heard = live::hears(input);
                match live::understands(&text) {
                    Ok(()) => Ok(Verdict::Accepted),
                    Err(why) => reported(&why).map(|verdict| if heard { Verdict::Accepted } else { verdict }),
                }
            }
        }
    }
}

/// What is imported is a model file: it may have faults of the model, but it can be read.
fn import(input: &[u8]) -> Result<Verdict, String> {
    let text = String::from_utf8_lossy(input);
    // the options follow from the input, so that a case is the same each time
    let options = linkwork_import::Options {
        contacts: input.len() % 2 == 1,
        loops: if input.len() % 3 == 1 { Loops::Fewest } else { Loops::AsGiven },
        repair_inertia: input.len() % 5 == 1,
        ..linkwork_import::Options::default()
    };
    let imported = match linkwork_import::import_text("robot.xml", &text, &options) {
        Ok(imported) => imported,
        Err(faults) => return reported(&faults.to_string()),
    };
    match imported.model() {
        Ok(_) => Ok(Verdict::Accepted),
        Err(error) if error.to_string().contains("TOML syntax") => {
            Err(format!("written, but not TOML: {error}"))
        }
        Err(error) => reported(&error.to_string()),
    }
}

/// A recording whose header or frames are damaged, in a sound cover.
fn repacked(seed: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (start, rest) = seed.split_at_checked(12)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (header, frames) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let mut header = header.to_vec();
    let mut bytes = Vec::new();
    ZlibDecoder::new(frames).read_to_end(&mut bytes).ok()?;
    for _ in 0..=random.below(3) {
        match random.below(3) {
            0 => damage::once(&mut header, seed, OF_TABLES, random),
            _ => damage::once(&mut bytes, seed, &[], random),
        }
    }
    let mut out = start.to_vec();
    out.extend_from_slice(&u32::try_from(header.len()).ok()?.to_le_bytes());
    out.extend_from_slice(&header);
    let mut packed = ZlibEncoder::new(out, Compression::fast());
    packed.write_all(&bytes).ok()?;
    packed.finish().ok()
}

/// What can be read has finite forces, or is refused.
fn motion(mechanism: &Mechanism, input: &[u8]) -> Result<Verdict, String> {
    let text = String::from_utf8_lossy(input);
    let joint = format!("joint.{}", mechanism.joints()[0].name);
    let settings = Settings { actuators: Some(vec![joint.clone()]), ..Settings::default() };
    let smoothing = if input.len().is_multiple_of(2) { Smoothing::Through } else { Smoothing::Cutoff(3.0) };
    let found = Motion::parse(&text, mechanism, &Columns::default(), smoothing)
        .and_then(|motion| mechanism.inverse(&motion, &settings));
    match found {
        Ok(inverse) => match inverse.forces(&joint) {
            Some(forces) if forces.iter().all(|force| force.is_finite()) => Ok(Verdict::Accepted),
            _ => Err("a motion was accepted, and its forces are not finite".into()),
        },
        Err(error) => reported(&error.to_string()),
    }
}

/// A refusal must say something.
fn reported(why: &str) -> Result<Verdict, String> {
    if why.trim().is_empty() { Err("it is refused without a word".into()) } else { Ok(Verdict::Refused) }
}

fn model(input: &[u8]) -> Result<Verdict, String> {
    let name = if input.first() == Some(&b'{') { "fuzz.json" } else { "fuzz.toml" };
    let refused = |faults: linkwork::model::Faults| {
        let text = faults.render(false);
        let place = text.find(name).map(|at| &text[at + name.len()..]);
        match place {
            None => Err(format!("a refusal does not name the file: {text}")),
            Some(rest) if rest.starts_with(':') => Ok(Verdict::Refused),
            Some(_) => Ok(Verdict::RefusedVaguely),
        }
    };
    let mut model = match Model::parse(name, input) {
        Ok(model) => model,
        Err(Error::Model(faults)) => return refused(faults),
        Err(other) => return reported(&other.to_string()),
    };
    // what is large to begin with takes its time, and is no fault of the reader
    if model.bodies.len()
        + model.points.len()
        + model.beams.iter().map(|b| 10 * b.elements.unwrap_or(8)).sum::<usize>()
        + model.chains.iter().map(|c| c.segments.unwrap_or(60)).sum::<usize>()
        > 60
    {
        return Ok(Verdict::Accepted);
    }
    model.settings.max_steps = 10;
    match model.assemble() {
        Err(faults) => refused(faults),
        Ok(mechanism) => match mechanism.run(&mut Impatient(20)) {
            Err(faults) => refused(faults),
            Ok(summary) if !summary.t.is_finite() => Err("a run reached no time".into()),
            Ok(_) => Ok(Verdict::Accepted),
        },
    }
}

fn checkpoint(mechanisms: &[Mechanism], input: &[u8]) -> Result<Verdict, String> {
    let checkpoint = match Checkpoint::from_bytes(input) {
        Ok(checkpoint) => checkpoint,
        Err(why) => return reported(&why.to_string()),
    };
    for mechanism in mechanisms {
        match mechanism.resume(&checkpoint, &mut Impatient(10)) {
            Ok(_) => return Ok(Verdict::Accepted),
            Err(why) => drop(reported(&why.to_string())?),
        }
    }
    Ok(Verdict::Refused)
}

/// The file is known by its beginning: a table, events or a summary.
fn results(folder: &Path, input: &[u8]) -> Result<Verdict, String> {
    let io = |error: std::io::Error| format!("the test itself: {error}");
    let name = match input {
        [b'{', ..] => "summary.json",
        _ if input.windows(4).take(40).any(|part| part == b"kind") => "events.csv",
        _ => "results.csv",
    };
    for (file, sound) in
        [("summary.json", "{}"), ("events.csv", "t,kind,name\n"), ("results.csv", "t,point.A.x\n0,1\n")]
    {
        let bytes = if file == name { input } else { sound.as_bytes() };
        fs::write(folder.join(file), bytes).map_err(io)?;
    }
    let page = linkwork_view::report(folder);
    if let Ok(table) = linkwork_formats::table::Table::open(folder) {
        let places: Vec<usize> = (0..table.columns.len().min(4)).collect();
        if let Err(error) = table.read(&places)
            && !error.to_string().contains("results.csv")
        {
            return Err(format!("a refusal does not name the file: {error}"));
        }
    }
    match page {
        Ok(_) => Ok(Verdict::Accepted),
        Err(error) if !error.to_string().contains(name) => {
            Err(format!("a refusal does not name {name}: {error}"))
        }
        Err(_) => Ok(Verdict::Refused),
    }
}

fn recording(mechanism: &Mechanism) -> std::io::Result<Vec<u8>> {
    let mut recorder = Recorder::new(mechanism);
    let _ = mechanism.run(&mut |frame: &Frame| recorder.record(mechanism, frame));
    let mut bytes = Vec::new();
    recorder.write(&mut bytes, &[])?;
    Ok(bytes)
}

/// Results, events and summary of a run.
fn tables(mechanism: &Mechanism) -> std::io::Result<Vec<Vec<u8>>> {
    let mut rows = linkwork::results::CsvResults::new(mechanism, Vec::new())?;
    let mut failed = None;
    let summary = mechanism.run(&mut |frame: &Frame| failed = failed.take().or(rows.write(frame).err()));
    let summary = summary.map_err(|faults| std::io::Error::other(faults.render(false)))?;
    if let Some(error) = failed {
        return Err(error);
    }
    let mut events = Vec::new();
    let mut writer = CsvEvents::new(&mut events)?;
    summary.events.iter().try_for_each(|event| writer.write(event))?;
    writer.flush()?;
    drop(writer);
    let mut json = Vec::new();
    write!(json, "{}", linkwork::simulation::summary_json(mechanism, &summary))?;
    Ok(vec![rows.finish()?, events, json])
}
