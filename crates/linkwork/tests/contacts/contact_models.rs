//! Surfaces and contacts of models: what is compiled from them, and what is refused.

use linkwork::Error;
use linkwork::contact::Feature;
use linkwork::model::{Contact, ContactMethod, Faults, Model, Surface};

fn read(text: &str) -> Result<Model, Faults> {
    Model::from_toml(text).map_err(|error| match error {
        Error::Model(faults) => faults,
        other => panic!("{other}"),
    })
}

fn model(dimension: usize, rest: &str) -> String {
    let center = |x: f64, y: f64| match dimension {
        2 => format!("[{x}, {y}]"),
        _ => format!("[{x}, 0, {y}]"),
    };
    let (size, up) = if dimension == 2 { ("[1, 1]", "[0, 1]") } else { ("[1, 1, 1]", "[0, 0, 1]") };
    let x = if dimension == 2 { "[1, 0]" } else { "[1, 0, 0]" };
    format!(
        "format = 1\n[model]\ndimension = {dimension}\n[points]\nA = {}\nB = {}\nC = {}\n[bodies]\n\
         a = {{ points = [\"A\"], mass = 1, shape = {{ type = \"box\", size = {size}, axis = {x} }} }}\n\
         b = {{ points = [\"B\"], mass = 1, shape = {{ type = \"box\", size = {size}, axis = {x} }} }}\n\
         c = {{ points = [\"C\"], mass = 1, shape = {{ type = \"sphere\", radius = 0.5 }} }}\n\
         [surfaces]\nfloor = {{ type = \"plane\", normal = {up} }}\n{rest}",
        center(0.0, 0.5),
        center(0.0, 1.5),
        center(2.0, 0.5)
    )
}

/// All faults of a model, whenever they are found.
fn faults(text: &str) -> Vec<(String, String)> {
    let faults = match read(text) {
        Err(faults) => faults,
        Ok(model) => model.assemble().expect_err("this should be refused"),
    };
    faults.list.into_iter().map(|fault| (fault.path, fault.message)).collect()
}

#[test]
fn exact_contacts_of_each_pair() {
    for (dimension, corners, boxes) in [(2, 4, 8), (3, 8, 32)] {
        let text = model(
            dimension,
            "[contacts]\nground = { between = [[\"a\", \"c\"], \"floor\"], friction = 0.3 }\n\
             all = { among = [\"a\", \"b\", \"c\"], restitution = 0.5 }",
        );
        let mechanism = read(&text).unwrap().assemble().unwrap();
        let named = |start: &str| mechanism.contacts().iter().filter(|c| c.name.starts_with(start)).count();
        assert_eq!(named("ground.a.floor."), corners);
        assert_eq!(named("ground.c.floor"), 1);
        assert_eq!(named("all.a.b."), boxes);
        assert_eq!(named("all.a.c") + named("all.b.c"), 2);
        assert_eq!(mechanism.pairs().len(), 5);
        assert_eq!(mechanism.contacts().len(), mechanism.pairs().iter().map(|p| p.count).sum::<usize>());
        assert!(mechanism.contacts().iter().all(|c| match c.name.starts_with("ground") {
            true => c.friction == 0.3 && c.restitution == 0.0,
            false => c.friction == 0.0 && c.restitution == 0.5,
        }));
    }
}

/// In the plane cylinders are discs or rectangles.
#[test]
fn exact_planar_surfaces() {
    let text = model(
        2,
        "disc = { type = \"disc\", body = \"a\", radius = 0.2 }\n\
         bar = { type = \"cylinder\", body = \"b\", radius = 0.1, length = 0.6, axis = [0, 1] }\n\
         [contacts]\none = { between = [\"disc\", \"floor\"] }\ntwo = { between = [\"bar\", \"floor\"] }\n\
         three = { between = [\"bar\", \"disc\"] }",
    );
    let mechanism = read(&text).unwrap().assemble().unwrap();
    let feature =
        |name: &str| mechanism.contacts().iter().find(|c| c.name == name).map(|c| c.feature.clone());
    assert!(matches!(feature("one"), Some(Feature::BallOnPlane { radius, .. }) if radius == 0.2));
    assert!(
        matches!(feature("three"), Some(Feature::BallOnBox { block, .. }) if block.half[0] * block.half[1] == 0.03)
    );
    let lowest = (1..=4).filter_map(|i| feature(&format!("two.{i}"))).map(|f| match f {
        Feature::BallOnPlane { centre, .. } => centre.s[1],
        _ => panic!("{f:?}"),
    });
    assert_eq!(lowest.fold(f64::INFINITY, f64::min), -0.3);
}

#[test]
fn exact_faults_of_contacts() {
    let wheel =
        "wheel = { type = \"cylinder\", body = \"b\", radius = 0.1, length = 0.1, axis = [0, 1, 0] }\n";
    let wheels =
        "rim = { type = \"cylinder\", body = \"c\", radius = 0.1, length = 0.1, axis = [0, 1, 0] }\n";
    let events = "\n[simulation]\ncontact_method = \"events\"";
    let low = "low = { type = \"plane\", at = [0, 0, 0.2], normal = [0, 0, 1] }\n";
    let cases = [
        (format!("{wheel}[contacts]\nx = {{ between = [\"a\", \"wheel\"] }}{events}"), "contacts.x", "`a` and `wheel` cannot meet in events: the event-driven method has no cylinder and box in space"),
        (format!("{wheel}{wheels}[contacts]\nx = {{ between = [\"rim\", \"wheel\"] }}{events}"), "contacts.x", "has no two cylinders in space"),
        (format!("pill = {{ type = \"capsule\", body = \"b\", radius = 0.1, length = 0.1, axis = [0, 1, 0] }}\n[contacts]\nx = {{ between = [\"a\", \"pill\"] }}{events}"), "contacts.x", "`a` and `pill` cannot meet in events: the event-driven method has no capsules"),
        ("pill = { type = \"capsule\", body = \"b\", radius = 0.1, length = 0.1, axis = [0, 1, 0] }\n[contacts]\nx = { between = [\"a\", \"pill\"] }\n[simulation]\nintegrator = \"radau5\"".into(), "contacts.x", "cannot meet in events"),
        ("slope = { type = \"plane\", body = \"a\", normal = [0, 0, 1] }\n[contacts]\nx = { among = [\"slope\", \"floor\", \"b\"] }".into(), "contacts.x", "`slope` and `floor` cannot meet: both are planes"),
        ("flat = { type = \"hull\", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }".into(), "surfaces.flat", "lie in one plane"),
        ("few = { type = \"hull\", points = [\"Q\"], vertices = [[0, 0, 0]] }".into(), "surfaces.few.points[0]", "Q"),
        ("none = { type = \"hull\" }".into(), "surfaces.none", "a hull needs `points`, `vertices` or a `file`"),
        ("round = { type = \"hull\", radius = 1, vertices = [[0, 0, 0]] }".into(), "surfaces.round.radius", "a hull has no `radius`"),
        ("pill = { type = \"capsule\", radius = 0.1, center = [0, 0, 0] }".into(), "surfaces.pill", "the length of the capsule is not known"),
        ("pill = { type = \"capsule\", length = 0.1, center = [0, 0, 0] }".into(), "surfaces.pill", "a capsule needs `radius`"),
        (format!("{low}[contacts]\nx = {{ between = [\"a\", \"low\"] }}"), "contacts.x", "`a` and `low` overlap by 2.000e-1 m at the start"),
        ("[contacts]\nx = { between = [\"a\", \"floor\"] }\ny = { between = [\"floor\", \"a\"] }".into(), "contacts.y", "`floor` and `a` meet in contact `x` already"),
        ("[contacts]\nx = { between = [\"a\", \"ground\"] }".into(), "contacts.x.between[1]", "the ground has no shape of its own"),
        ("[contacts]\nx = { between = [[\"a\", \"a\"], \"floor\"] }".into(), "contacts.x.between[0][1]", "`a` is listed twice"),
        ("[contacts]\nx = { between = [\"a\", [\"a\", \"b\"]] }".into(), "contacts.x.between", "`a` stands on both sides"),
        ("[contacts]\nx = { between = [\"a\", \"flor\"] }".into(), "contacts.x.between[1]", "there is no surface or body `flor`"),
        ("[contacts]\nx = { among = [\"a\", \"b\"], friction = -1 }".into(), "contacts.x.friction", "must not be negative"),
        ("[contacts]\nx = { among = [\"a\", \"b\"], restitution = 1.5 }".into(), "contacts.x.restitution", "must be from 0 to 1"),
        ("other = { type = \"sphere\", body = \"a\", radius = 0.1 }\n[contacts]\nx = { between = [\"a\", \"other\"] }".into(), "contacts.x", "no two surfaces of contact `x` can meet"),
        ("[joints]\npin = { type = \"distance\", bodies = [\"a\", \"b\"], at = [\"A\", \"B\"] }\n[contacts]\nx = { among = [\"a\", \"b\"] }".into(), "contacts.x", "no two surfaces of contact `x` can meet"),
        ("up = { type = \"plane\", normal = [0, 1, 1] }\n[contacts]\nx = { between = [\"up\", \"floor\"] }".into(), "contacts.x", "no two surfaces"),
    ];
    for (rest, path, message) in cases {
        let found = faults(&model(3, &rest));
        assert!(found.iter().any(|(p, m)| p == path && m.contains(message)), "{rest}\n{found:?}");
    }
    // with a word they do
    let text = model(
        3,
        "[joints]\npin = { type = \"distance\", bodies = [\"a\", \"b\"], at = [\"A\", \"B\"] }\n[contacts]\nx = { among = [\"a\", \"b\"], jointed = true }",
    );
    assert_eq!(read(&text).unwrap().assemble().unwrap().pairs().len(), 1);
    // all faults at once
    assert_eq!(
        faults(&model(3, "[contacts]\nx = { between = [\"a\", \"p\"], friction = -1, restitution = 2 }"))
            .len(),
        3
    );
}

/// A particle can be pushed through its centre only; a rod in space along its axis.
#[test]
fn exact_faults_of_thin_bodies() {
    let text = |friction: f64, radius: f64| {
        format!(
            "format = 1\n[model]\ndimension = 3\n[points]\nA = [0, 0, 2]\nB = [1, 0, 2]\n[bodies]\nrod = {{ points = [\"A\", \"B\"], mass = 1 }}\n\
             [surfaces]\nfloor = {{ type = \"plane\", normal = [0, 0, 1] }}\n\
             tip = {{ type = \"sphere\", body = \"rod\", center = \"A\", radius = {radius} }}\n\
             [contacts]\nx = {{ between = [\"tip\", \"floor\"], friction = {friction} }}"
        )
    };
    assert!(read(&text(0.0, 0.1)).unwrap().assemble().is_ok());
    assert!(faults(&text(0.2, 0.1))[0].1.contains("spin it infinitely fast"));
    let point = text(0.2, 0.1).replace("type = \"sphere\"", "type = \"point\"");
    let point = point.replace("center = \"A\", radius = 0.1", "at = \"A\"");
    assert!(read(&point).unwrap().assemble().is_ok());
    let beside = point.replace("at = \"A\"", "at = [0, 0.1, 2]");
    assert!(faults(&beside)[0].1.contains("cannot be pushed beside it"));
}

/// Too many pairs for events are told before they fill the memory; time steps take them.
#[test]
fn exact_too_many_contacts() {
    let mut model = Model::planar("many");
    let n = 500;
    let mut names = Vec::new();
    for i in 0..n {
        let (point, name) = (format!("P{i}"), format!("b{i}"));
        model = model.point(&point, [0.1 * f64::from(i), 0.0]);
        model = model.body(linkwork::model::Body::new(
            &name,
            [point.as_str()],
            linkwork::model::Mass::Shape(
                linkwork::model::Shape::Sphere { radius: 0.01, center: None },
                linkwork::model::Amount::Mass(1.0),
            ),
        ));
        names.push(name);
    }
    let model = model
        .surface(Surface::plane("floor", [0.0, -1.0], [0.0, 1.0]))
        .contact(Contact::among("heap", names).friction(0.1).restitution(0.2));
    let mut events = model.clone();
    events.settings.contact_method = ContactMethod::Events;
    let faults = events.assemble().unwrap_err();
    assert!(faults.list.iter().any(|f| f.message.contains("124750 pairs")), "{:?}", faults.list);
    let mechanism = model.assemble().unwrap();
    assert!(mechanism.pairs().is_empty() && mechanism.contacts().is_empty() && mechanism.has_contacts());
    assert_eq!(mechanism.crowds().list().len(), 1);
    // settings may be exchanged later
    let again = mechanism.with_settings(events.settings.clone());
    assert!(again.simulation().is_err());
}

/// Thirty discs at different heights over a floor, all of which could meet each other: more contacts than are looked at one by
/// one. Half of them fly sideways into their neighbours' ways and hit them in mid-air. Every first bounce comes at √(2h/g), the
/// mid-air hits where the discs' ways say.
#[test]
fn exact_no_meeting_is_missed_among_many() {
    const N: usize = 30;
    let height = |i: usize| 0.3 + 0.05 * i as f64;
    let mut text = String::from("format = 1\n[model]\ndimension = 2\ngravity = [0, -10]\n[points]\n");
    for i in 0..N {
        text += &format!("P{i} = [{}, {}]\n", i as f64, height(i) + 0.1);
    }
    // two that fly towards each other, high above the rest
    text += "L = [0, 20]\nR = [4, 20]\n[bodies]\n";
    let mut names: Vec<String> = (0..N).map(|i| format!("d{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        text += &format!(
            "{name} = {{ points = [\"P{i}\"], mass = 1, shape = {{ type = \"sphere\", radius = 0.1 }} }}\n"
        );
    }
    for (name, point) in [("left", "L"), ("right", "R")] {
        text += &format!(
            "{name} = {{ points = [\"{point}\"], mass = 1, shape = {{ type = \"sphere\", radius = 0.1 }} }}\n"
        );
        names.push(name.into());
    }
    let list = names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = [0, 1] }}\n[contacts]\n\
         ground = {{ between = [[{list}], \"floor\"], restitution = 0.5 }}\nall = {{ among = [{list}], restitution = 1 }}\n\
         [initial.velocities]\nL = [19, 0]\nR = [-19, 0]\n[simulation]\nduration = 0.62\noutput_step = 0.31\ncontact_method = \"events\"\n"
    );
    let mechanism = read(&text).unwrap().assemble().unwrap();
    assert!(mechanism.contacts().len() > 500, "{}", mechanism.contacts().len());
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, linkwork::simulation::Status::Finished);
    let first = |name: &str| {
        let hit =
            run.summary.events.iter().find(|e| e.name.contains(name)).unwrap_or_else(|| panic!("{name}"));
        hit.t
    };
    let mut worst = 0.0_f64;
    for i in 0..N {
        worst = worst.max((first(&format!("ground.d{i}.")) - (2.0 * height(i) / 10.0).sqrt()).abs());
    }
    // the gap of 3.8 m closes at 38 m/s
    worst = worst.max((first("all.left.right") - 0.1).abs());
    println!(
        "{} contacts, {} events, times off by {worst:.1e} s",
        mechanism.contacts().len(),
        run.summary.events.len()
    );
    assert!(worst < 1e-11);
}
