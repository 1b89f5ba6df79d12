//! Every model file that reads is written and read again: the same model, the same text the second time, the same motion.

use linkwork::model::Model;
use linkwork::results::Frame;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

/// Examples, cases of other tests, and the models with every key: those that have no faults.
fn files() -> Vec<PathBuf> {
    let folders = ["../../examples", "tests/data/cases", "tests/data/written"];
    let all: Vec<PathBuf> = folders.iter().flat_map(|name| folder(name)).collect();
    let sound: Vec<PathBuf> = all.iter().filter(|file| Model::from_file(file).is_ok()).cloned().collect();
    println!("{} files, of which {} read", all.len(), sound.len());
    assert!(sound.len() >= 60, "{}", sound.len());
    sound
}

fn read(file: &Path, text: &str) -> Model {
    Model::parse_beside(&file.display().to_string(), text, &[])
        .unwrap_or_else(|e| panic!("{}: {e}\n{text}", file.display()))
}

fn write(model: &Model, file: &Path) -> String {
    model.to_toml().unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// A model as if somebody had built it.
fn built(model: &Model) -> Model {
    Model { provenance: None, ..model.clone() }
}

/// Everything in a model but where it stood.
fn told(model: &Model) -> String {
    format!("{:#?}", built(model))
}

/// The comments of a text, without order.
fn comments(text: &str) -> Vec<String> {
    let mut comments: Vec<String> = text
        .lines()
        .filter_map(|line| {
            // a hash in quotes begins a colour; no string of these files has quotes in it
            let mut quoted = false;
            let at = line.find(|c: char| {
                quoted ^= c == '"';
                c == '#' && !quoted
            })?;
            Some(line[at + 1..].trim_end().to_owned())
        })
        .collect();
    comments.sort();
    comments
}

#[test]
fn same_model_after_writing_every_file() {
    let (mut lines, mut bytes, mut notes, mut wide) = (0, 0, 0, 0);
    let files = files();
    for file in &files {
        let original = std::fs::read_to_string(file).unwrap();
        let model = read(file, &original);
        let text = write(&model, file);
        let again = read(file, &text);
        assert_eq!(told(&again), told(&model), "{}", file.display());
        assert_eq!(write(&again, file), text, "{}: the second time", file.display());
        assert_eq!(comments(&text), comments(&original), "{}", file.display());
        lines += text.lines().count();
        bytes += text.len();
        notes += comments(&text).len();
        // what is longer has one long string in it
        let long = |line: &&str| line.split('#').next().unwrap_or_default().trim_end().chars().count() > 100;
        for line in text.lines().filter(long) {
            wide += 1;
            assert!(line.split('"').any(|part| part.chars().count() > 60), "{}: {line}", file.display());
        }
    }
    println!(
        "{} files: {lines} lines, {bytes} bytes, {notes} comments, {wide} lines wider than 100",
        files.len()
    );
}

/// Without the file that it came from, nothing but the words is lost.
#[test]
fn same_model_after_writing_it_as_a_built_one() {
    let mut bytes = 0;
    for file in files() {
        let model = built(&Model::from_file(&file).unwrap());
        let text = write(&model, &file);
        let again = read(&file, &text);
        assert_eq!(write(&built(&again), &file), text, "{}: the second time", file.display());
        assert_eq!(write(&again, &file), text, "{}: with its file", file.display());
        assert!(!text.contains("[parameters]") && comments(&text).is_empty());
        bytes += text.len();
    }
    println!("{bytes} bytes");
}

/// A file of another syntax says the same.
#[test]
fn same_model_after_writing_json() {
    for file in files() {
        let model = Model::from_file(&file).unwrap();
        let table: toml::Table = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.with_file_name("model.json");
        let json =
            Model::parse_beside(&name.display().to_string(), serde_json::to_string(&table).unwrap(), &[]);
        let json = json.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let text = write(&json, &file);
        // the order of a JSON file made so is that of the alphabet, and may make another mechanism: compare with itself
        assert_eq!(told(&read(&file.with_file_name("model.toml"), &text)), told(&json), "{}", file.display());
        assert_eq!(json.points.len(), model.points.len());
    }
}

/// Examples of all kinds: a loop, contacts, a chain that pays out, drivers with parameters, tyres in space.
#[test]
fn same_motion_to_the_last_bit() {
    for name in ["four-bar", "newtons-cradle", "line-throwing-rocket", "excavator", "vehicle"] {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
        let mut model = Model::from_file(&file).unwrap();
        model.settings.duration = 0.4;
        let rows = |model: &Model| {
            let mechanism = model.assemble().unwrap_or_else(|e| panic!("{name}: {e}"));
            let run = mechanism.simulate().unwrap_or_else(|e| panic!("{name}: {e}"));
            let row = |f: &Frame| {
                let places = (&f.positions, &f.velocities, &f.accelerations, &f.nodes, &f.node_velocities);
                format!(
                    "{} {places:?} {:?} {:?} {:?}",
                    f.t,
                    f.reactions,
                    f.outputs,
                    (f.kinetic, f.potential, f.work)
                )
            };
            run.frames.iter().map(row).collect::<Vec<_>>()
        };
        let motion = rows(&model);
        let text = write(&model, &file);
        assert!(text.contains("duration = \"0.4 s\""), "{text}");
        assert!(rows(&read(&file, &text)) == motion, "{name}");
        assert!(rows(&read(&file, &write(&built(&model), &file))) == motion, "{name}: as a built one");
        let digits: usize = motion.iter().map(String::len).sum();
        println!("{name}: {} rows, {digits} characters of them the same", motion.len());
    }
}

/// Which keys of which table of the schema a file has.
fn keys_of(
    schema: &serde_json::Value,
    node: &serde_json::Value,
    value: &toml::Value,
    found: &mut BTreeSet<(String, String)>,
) {
    if let Some(name) = node["$ref"].as_str().and_then(|name| name.strip_prefix("#/definitions/")) {
        let table = &schema["definitions"][name];
        let keys = value.as_table().into_iter().flatten().map(|(key, _)| (name.to_owned(), key.clone()));
        found.extend(keys);
        keys_of(schema, table, value, found);
    }
    for choice in ["allOf", "anyOf"].iter().filter_map(|key| node[key].as_array()).flatten() {
        keys_of(schema, choice, value, found);
    }
    for item in value.as_array().into_iter().flatten() {
        keys_of(schema, &node["items"], item, found);
    }
    for (key, value) in value.as_table().into_iter().flatten() {
        let own = &node["properties"][key];
        keys_of(schema, if own.is_null() { &node["additionalProperties"] } else { own }, value, found);
    }
}

/// Whatever a file can say, the writer can say: each key of the schema comes out of a model that has it.
#[test]
fn every_key_of_the_schema_is_written() {
    // other words for something that is written in one way
    let others = [
        ("ShapeKeys", "wall"),
        ("Look", "wall"),
        ("ControllerTable", "kp"),
        ("ControllerTable", "kd"),
        ("Drag", "density"),
        ("Drag", "area"),
        ("Drag", "cd"),
        ("NamedTable", "points"),
        ("NamedTable", "file"),
        ("NamedTable", "columns"),
        ("NamedTable", "units"),
        ("ModalBody", "material"),
        // said by the points
        ("ModelTable", "dimension"),
    ];
    // what is to be optimised is said of a model, and no part of it
    let said_of_it = ["OptimizationTable", "RangeTable", "PathTable"];
    let schema = linkwork::model::file::schema();
    let mut found = BTreeSet::new();
    for file in folder("tests/data/written").into_iter().chain(folder("tests/data/modal_bodies")) {
        let text = write(&built(&Model::from_file(&file).unwrap_or_else(|e| panic!("{e}"))), &file);
        keys_of(&schema, &schema, &toml::Value::Table(toml::from_str(&text).unwrap()), &mut found);
    }
    let tables = schema["definitions"].as_object().unwrap();
    let keys = |(name, table): (&String, &serde_json::Value)| -> Vec<(String, String)> {
        table["properties"].as_object().unwrap().keys().map(|key| (name.clone(), key.clone())).collect()
    };
    let all: BTreeSet<(String, String)> = tables.iter().flat_map(keys).collect();
    let missing: Vec<_> = all
        .difference(&found)
        .filter(|(table, key)| !others.contains(&(table.as_str(), key.as_str())))
        .filter(|(table, _)| !said_of_it.contains(&table.as_str()))
        .collect();
    println!(
        "{} keys of {} tables, {} written, {} by another word",
        all.len(),
        tables.len(),
        found.len(),
        others.len()
    );
    assert!(missing.is_empty(), "{missing:?}");
}
