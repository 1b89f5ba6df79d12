//! Chains and changes in files: what they become, and what is reported of defective ones.

use super::*;
use crate::model::{
    Body, Chain, ChainContact, ChainDrag, ChainKind, Change, Formula, Lumping, PayOut, PayOutLaw, Severity,
    SupplyEnd, Surface, Winch,
};
use proptest::prelude::*;

/// Uses every key of chains, changes, and of what waits for them.
const CRANE: &str = r#"
format = 1
model = { name = "crane", dimension = 2, gravity = "-y" }

[parameters]
rho = "0.5 kg/m"
far = "3 m"

[points]
A = [0, 0]
B = ["far", 0]
C = [3, -1]
D = [6, 0]
E = [6, -2]
F = [7, 0]
G = [7, -2]
H = [5, -4]
K = [4, 0]
L = [4, -1]

[bodies]
ground = { points = ["A", "D", "F", "K", "L"] }
hook = { points = ["B", "C"], mass = 3 }
load = { points = ["E"], mass = "20 kg", com = "E", inertia = 1 }
weight = { points = ["G"], mass = 5, com = "G", inertia = 1 }
drone = { points = ["H"], mass = 2, com = "H", inertia = 0.1, present = false }
drum = { points = ["K"], mass = 2, com = "K", inertia = 0.1 }

[joints.clamp]
type = "fixed"
bodies = ["hook", "drone"]
at = ["C", "H"]
active = false
break_force = "2 kN"
break_moment = "300 N m"

[chains.rope]
from = "A"
to = "B"
length = "far + 50 cm"
segments = 7
mass_per_length = "rho"
kind = "lumped"
masses = "far"
stiffness = "30 kN"
damping = "20 N s"
bending_stiffness = "0.2 N m^2"
bending_damping = "3e-3 N m^2 s"
drag = { density = "1.2 kg/m^3", diameter = "12 mm", normal = 1.1, tangential = 0.02, linear = "0.1 N s/m^2", wind = ["2 m/s", 1] }
contact = { surface = "floor", friction = 0.3, restitution = 0.1 }
break_force = "9 kN"

[chains.tail]
from = "C"
direction = ["C", "A"]
length = 2
segment_length = "30 cm"
mass_per_length = 1
kind = "rods"

[chains.anchor]
from = "E"
to = "D"
segment_length = 0.1
mass_per_length = 2

[chains.anchor.pay_out]
length = "2 + 0.5 * t"
pick_up = 0.5
exit_tension = "10 N"
supply = "12 m"
at_end = "loose"

[chains.lift]
from = "G"
to = "F"
segment_length = 0.1
mass_per_length = 2
pay_out = { winch = { joint = "K", coordinate = 1, radius = "-15 cm" } }

[chains.heap]
from = "H"
to = "L"
segment_length = 0.1
mass_per_length = 2
pay_out = {}

[surfaces]
floor = { type = "plane", at = [0, -5], normal = [0, 1] }

[changes.arrival]
at = "2 s"
add = ["drone"]
moving_with = "hook"
attach = ["clamp"]
detach = ["B"]
cut = { rope = "1.5 m", anchor = 0.4 }

[changes.loss]
when = "point.E.y < -far"
detach = ["clamp"]
remove = ["load"]
"#;

fn accept(text: &str) -> Model {
    Model::parse("model.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn refuse(text: &str) -> Faults {
    match Model::parse("model.toml", text) {
        Err(Error::Model(faults)) => faults,
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn exact_every_key_is_read() {
    let model = accept(CRANE);
    assert!(model.check().list.is_empty(), "{}", model.check());
    let drag = ChainDrag {
        density: 1.2,
        diameter: 0.012,
        normal: 1.1,
        tangential: 0.02,
        linear: 0.1,
        wind: [2.0, 1.0, 0.0],
    };
    let rope = Chain {
        name: "rope".into(),
        from: "A".into(),
        to: Some("B".into()),
        direction: None,
        length: Some(3.5),
        segments: Some(7),
        segment_length: None,
        mass_per_length: 0.5,
        kind: ChainKind::Lumped,
        masses: Lumping::Far,
        stiffness: Some(3e4),
        damping: 20.0,
        bending_stiffness: 0.2,
        bending_damping: 3e-3,
        drag: Some(drag),
        contact: Some(ChainContact { surface: "floor".into(), friction: 0.3, restitution: 0.1 }),
        break_force: Some(9e3),
        pay_out: None,
    };
    assert_eq!(model.chains[0], rope);
    let tail = Chain::new("tail", "C", 1, 1.0).direction([-3.0, 1.0]).length(2.0).segment_length(0.3).rods();
    assert_eq!(model.chains[1], tail);
    let anchor = model.chains[2].pay_out.as_ref().unwrap();
    let PayOutLaw::Length(law) = &anchor.law else { panic!("{anchor:?}") };
    assert_eq!(law.eval(&[3.0], &mut Vec::new()), 3.5);
    assert_eq!((anchor.pick_up, anchor.exit_tension, anchor.supply), (0.5, 10.0, Some(12.0)));
    assert_eq!(anchor.at_end, SupplyEnd::Loose);
    let winch = PayOutLaw::Winch(Winch { joint: "K".into(), coordinate: 1, radius: -0.15 });
    assert_eq!(model.chains[3].pay_out, Some(PayOut { law: winch, ..PayOut::follows() }));
    assert_eq!(model.chains[4].pay_out, Some(PayOut::follows()));
    let arrival = Change::at("arrival", 2.0).add("drone").moving_with("hook").attach("clamp").detach("B");
    assert_eq!(model.changes[0], arrival.cut("rope", 1.5).cut("anchor", 0.4));
    let loss = &model.changes[1];
    assert_eq!(
        (loss.at, &loss.detach[..], &loss.remove[..]),
        (None, &["clamp".into()][..], &["load".into()][..])
    );
    let condition = loss.when.as_ref().unwrap();
    assert_eq!(condition.eval(&[-3.1], &mut Vec::new()), 1.0, "the parameter is folded in");
    let clamp = &model.joints[0];
    assert_eq!((clamp.active, clamp.break_force, clamp.break_moment), (false, Some(2e3), Some(300.0)));
    assert!(model.bodies[0].present && !model.bodies[3].present);
}

/// The same model in both syntaxes, over serde's reading of the TOML, which the schema accepts.
#[test]
fn same_chains_from_toml_and_json() {
    let value: serde_json::Value = ::toml::from_str(CRANE).unwrap();
    let json = Model::from_json(&value.to_string()).unwrap_or_else(|error| panic!("{error}"));
    // serde sorts the keys
    let plain = |mut model: Model| {
        model.chains.sort_by(|a, b| a.name.cmp(&b.name));
        model.changes.iter_mut().for_each(|change| change.cut.sort_by(|a, b| a.0.cmp(&b.0)));
        format!("{:?} {:?} {:?}", model.chains, model.changes, model.joints)
    };
    assert_eq!(plain(accept(CRANE)), plain(json));
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("linkwork.json", schema()).unwrap();
    let mut schemas = boon::Schemas::new();
    let index = compiler.compile("linkwork.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(schemas.validate(&value, index).is_ok());
}

/// The builder says the same as the file.
#[test]
fn cross_chain_and_change_from_file_and_builder() {
    let text = r#"
        format = 1
        model = { name = "tether", gravity = "-y" }
        points = { A = [0, 0], B = [0, -2] }
        bodies.ground = { points = ["A"] }
        bodies.bob = { points = ["B"], mass = 1, com = "B", inertia = 0, present = true }
        chains.rope = { from = "A", to = "B", length = 2.5, segments = 20, mass_per_length = 0.1, masses = "far", stiffness = 1e4, damping = 5, bending_stiffness = 0.1, bending_damping = 0.01, contact = { surface = "floor", friction = 0.2, restitution = 0.5 }, drag = { diameter = 0.01, normal = 1 }, break_force = 500 }
        surfaces.floor = { type = "plane", at = [0, -3], normal = [0, 1] }
        changes.snap = { when = "t > 1", cut = { rope = 1 } }
    "#;
    let drag = ChainDrag { diameter: 0.01, normal: 1.0, ..ChainDrag::default() };
    let rope = Chain::new("rope", "A", 20, 0.1)
        .to("B")
        .length(2.5)
        .masses(Lumping::Far)
        .elastic(1e4, 5.0)
        .bending(0.1, 0.01)
        .contact("floor", 0.2, 0.5)
        .drag(drag)
        .break_force(500.0);
    let built = Model::planar("tether")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, -2.0])
        .ground(["A"])
        .body(Body::with_inertia("bob", ["B"], 1.0, "B", crate::model::Inertia::Polar(0.0)))
        .chain(rope)
        .surface(Surface::plane("floor", [0.0, -3.0, 0.0], [0.0, 1.0, 0.0]))
        .change(Change::when("snap", Formula::parse("t > 1").unwrap()).cut("rope", 1.0));
    let plain = |model: &Model| format!("{:?}", Model { provenance: None, ..model.clone() });
    assert_eq!(plain(&Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"))), plain(&built));
}

/// What is added to a pendulum, where the fault is reported, a word of it.
#[test]
#[rustfmt::skip]
fn exact_defective_chains_and_changes_are_told_where_and_why() {
    const BASE: &str = "format = 1\nmodel.dimension = 2\nmodel.gravity = '-y'\n\
        points.A = [0, 0]\npoints.B = [3, 0]\npoints.C = [3, -4]\npoints.P = [1, 0]\n\
        bodies.ground = { points = ['A', 'P'] }\nbodies.arm = { points = ['A', 'B'], mass = 1 }\n\
        bodies.late = { points = ['B', 'C'], mass = 1, present = false }\n\
        joints.pin = { type = 'revolute', bodies = ['ground', 'arm'], at = 'A' }\n\
        joints.open = { type = 'fixed', bodies = ['ground', 'late'], at = ['P', 'C'], active = false }\n\
        surfaces.floor = { type = 'plane', normal = [0, 1] }\n\
        changes.good = { at = 1, add = ['late'], attach = ['open'] }\n";
    assert!(accept(BASE).check().list.is_empty(), "{}", accept(BASE).check());
    // the keys of a chain from A to C, 5 m long; of one that hangs from B; of one paid out at A; of a change
    let chain = |keys: &str| format!("chains.r = {{ from = 'A', to = 'C', mass_per_length = 1, {keys} }}");
    let hanging = |keys: &str| format!("chains.r = {{ from = 'B', mass_per_length = 1, {keys} }}");
    let paid = |keys: &str| format!("chains.r = {{ from = 'C', to = 'A', mass_per_length = 1, segment_length = 0.1, pay_out = {{ {keys} }} }}");
    let change = |keys: &str| format!("changes.c = {{ {keys} }}");
    for text in [
        chain("segments = 5"), chain("segment_length = 7"), chain("segments = 1, length = 5"), chain("segments = 1, length = 5.0000000001"),
        chain("segments = 1, length = 4, stiffness = 100"), hanging("segments = 3, length = 2, direction = [0, 1]"),
        hanging("segments = 3, length = '2 m', drag = { linear = 1 }"), paid(""), paid("length = '5 + t'"), paid("winch = { joint = 'A', radius = 0.1 }"),
        paid("winch = { joint = 'pin', radius = -0.1 }, supply = 5"), change("at = 10, detach = ['pin']"), change("when = 't > 1', detach = ['B'], remove = ['arm']"),
    ] {
        let model = accept(&format!("{BASE}{text}"));
        assert!(model.check().list.is_empty(), "{text}: {}", model.check());
    }
    let defects = [
        (chain("segments = 5").replace("from = 'A'", "from = 'X'"), "chains.r.from", "no point `X`"),
        (chain("segments = 5").replace("to = 'C'", "to = 'X'"), "chains.r.to", "no point `X`"),
        (chain("segments = 5").replace("to = 'C'", "to = 'A'"), "chains.r.to", "`A` twice"),
        (chain("segments = 5").replace("from = 'A', ", ""), "chains.r", "`from` is missing"),
        (chain("segments = 5").replace("mass_per_length = 1", "colour = 1"), "chains.r", "`mass_per_length` is missing"),
        (chain("segments = 5").replace("mass_per_length = 1", "mass_per_length = 0"), "chains.r.mass_per_length", "more than zero"),
        (chain("segments = 5").replace("mass_per_length = 1", "mass_per_length = '3 kg'"), "chains.r.mass_per_length", "found a mass (kg)"),
        (chain("segments = 5, segment_length = 1"), "chains.r.segment_length", "both given"),
        (chain("length = 6"), "chains.r", "`segments` or `segment_length` is missing"),
        (chain("segments = 0"), "chains.r.segments", "one or more"),
        (chain("segments = 100001"), "chains.r.segments", "from 1 to 100000, it is 100001"),
        (chain("segment_length = 1e-5"), "chains.r.segment_length", "500000 segments"),
        (chain("segment_length = -1"), "chains.r.segment_length", "more than zero"),
        (chain("segments = 5, length = 4"), "chains.r.length", "4 m is too short to reach: `A` and `C` are 5 m apart"),
        (chain("segments = 1, length = 6"), "chains.r.length", "one rigid segment of 6 m is too long: `A` and `C` are 5 m apart"),
        (chain("segments = 5, length = 0"), "chains.r.length", "more than zero"),
        (chain("segments = 5, direction = [1, 0]"), "chains.r.direction", "needs no `direction`"),
        (chain("segments = 5, kind = 'rope'"), "chains.r.kind", "unknown kind of chain"),
        (chain("segments = 5, masses = 'near'"), "chains.r.masses", "unknown way"),
        (chain("segments = 5, kind = 'rods', masses = 'halves'"), "chains.r.masses", "along themselves"),
        (chain("segments = 5, kind = 'rods', stiffness = 10, damping = 1"), "chains.r.stiffness", "rods are rigid"),
        (chain("segments = 5, damping = 10"), "chains.r.damping", "a rigid chain has no `damping`"),
        (chain("segments = 5, stiffness = '10 N/m'"), "chains.r.stiffness", "expected a force (N)"),
        (chain("segments = 5, stiffness = 0"), "chains.r.stiffness", "more than zero"),
        (chain("segments = 5, stiffness = '1 N*kg', damping = 10"), "chains.r.stiffness", "expected a force (N)"),
        (chain("segments = 5, bending_stiffness = -1"), "chains.r.bending_stiffness", "negative"),
        (chain("segments = 5, bending_damping = -1"), "chains.r.bending_damping", "negative"),
        (chain("segments = 5, break_force = 0"), "chains.r.break_force", "more than zero"),
        (chain("segments = 5, drag = {}"), "chains.r.drag", "needs a coefficient"),
        (chain("segments = 5, drag = { normal = 1 }"), "chains.r.drag", "need the `diameter`"),
        (chain("segments = 5, drag = { tangential = 1, diameter = -1 }"), "chains.r.drag.diameter", "negative"),
        (chain("segments = 5, drag = { linear = 1, wind = [0, 0, 1] }"), "chains.r.drag.wind", "planar"),
        (chain("segments = 5, contact = { friction = 1 }"), "chains.r.contact", "`surface` is missing"),
        (chain("segments = 5, contact = { surface = 'flor' }"), "chains.r.contact.surface", "no surface `flor`"),
        (chain("segments = 5, contact = { surface = 'floor', friction = -1 }"), "chains.r.contact.friction", "negative"),
        (chain("segments = 5, contact = { surface = 'floor', restitution = 1.5 }"), "chains.r.contact.restitution", "from 0 to 1"),
        (hanging("segments = 5"), "chains.r", "how long this chain is"),
        (hanging("segments = 5, length = 1, direction = [0, 0]"), "chains.r.direction", "zero"),
        (hanging("segments = 5, length = 1, direction = ['A', 'X']"), "chains.r.direction[1]", "no point `X`"),
        (hanging("segments = 5, length = 1, direction = [0, 0, 1]"), "chains.r.direction", "planar"),
        (hanging("segment_length = 1, pay_out = {}"), "chains.r", "needs its exit `to`"),
        (paid("length = '5 + t', winch = { joint = 'A', radius = 1 }"), "chains.r.pay_out", "both say how much"),
        (paid("").replace("segment_length = 0.1", "segments = 10"), "chains.r.segments", "come and go"),
        (paid("").replace("segment_length = 0.1, ", ""), "chains.r", "`segment_length` is missing"),
        (paid("").replace("segment_length = 0.1", "segment_length = 0.1, length = 5"), "chains.r.length", "the distance of `from` and `to`"),
        (paid("pick_up = -1"), "chains.r.pay_out.pick_up", "negative"),
        (paid("exit_tension = -1"), "chains.r.pay_out.exit_tension", "negative"),
        (paid("supply = 0"), "chains.r.pay_out.supply", "more than zero"),
        (paid("supply = 4"), "chains.r.pay_out.supply", "has 4 m, but 5 m"),
        (paid("at_end = 'lose'"), "chains.r.pay_out.at_end", "unknown end"),
        (paid("length = 'point.B.y'"), "chains.r.pay_out.length", "of the time `t` alone"),
        (paid("length = '5 s + t'"), "chains.r.pay_out.length", "expected a length (m)"),
        (paid("length = '5 + sqrt(t)'"), "chains.r.pay_out.length", "no value at t = 0"),
        (paid("length = 't'"), "chains.r.pay_out.length", "at t = 0 it is 0 m"),
        (paid("length = '6 + t'"), "chains.r.pay_out.length", "at t = 0 this is 6 m, but `from` and `to` are 5 m apart"),
        (paid("winch = { joint = 'X', radius = 1 }"), "chains.r.pay_out.winch.joint", "no joint `X`"),
        (paid("winch = { joint = 'A', radius = 1, coordinate = 0 }"), "chains.r.pay_out.winch.coordinate", "one or more"),
        (paid("winch = { joint = 'A' }"), "chains.r.pay_out.winch", "`radius` is missing"),
        (format!("{}\npoints.E = [9, 9]", paid("").replace("to = 'A'", "to = 'E'")), "chains.r.to", "no body holds the exit `E`"),
        (format!("{}\npoints.\"r/2\" = [0, 0]\nbodies.b = {{ points = ['r/2'], mass = 1, com = 'A', inertia = 1 }}", chain("segments = 5")), "points.\"r/2\"", "one of its nodes"),
        (format!("{}\nbodies.\"r/12\" = {{ points = ['A', 'B'], mass = 1 }}", chain("segments = 5")), "bodies.\"r/12\"", "one of its nodes"),
        (format!("{}\nchains.q = {{ from = 'B', to = 'A', segments = 60000, mass_per_length = 1 }}", chain("segments = 60000")), "chains", "together have 120000 segments"),
        (change("detach = ['pin']"), "changes.c", "never happens"),
        (change("at = 1, when = 't > 1', detach = ['pin']"), "changes.c", "both given"),
        (change("at = 1"), "changes.c", "changes nothing"),
        (change("at = -1, detach = ['pin']"), "changes.c.at", "negative"),
        (change("at = '1 m', detach = ['pin']"), "changes.c.at", "expected a time (s)"),
        (change("when = '2 > 1', detach = ['pin']"), "changes.c.when", "always true"),
        (change("when = 'point.X.y > 1', detach = ['pin']"), "changes.c.when", "no point `X`"),
        (change("at = 1, detach = ['pni']"), "changes.c.detach[0]", "no joint `pni`"),
        (change("at = 1, detach = ['P']"), "changes.c.detach[0]", "no joint `P`"),
        (change("at = 1, detach = ['pin', 'pin']"), "changes.c.detach[1]", "twice"),
        (change("at = 1, attach = ['X']"), "changes.c.attach[0]", "no joint `X`"),
        (change("at = 1, attach = ['B']"), "changes.c.attach[0]", "only entries of `[joints]`"),
        (change("at = 1, attach = ['open'], detach = ['open']"), "changes.c.attach[0]", "at once"),
        (change("at = 1, add = ['X']"), "changes.c.add[0]", "no body `X`"),
        (change("at = 1, add = ['arm']"), "changes.c.add[0]", "there from the start"),
        (change("at = 1, add = ['ground']"), "changes.c.add[0]", "always there"),
        (change("at = 1, add = ['late'], moving_with = 'late'"), "changes.c.moving_with", "appears itself"),
        (change("at = 1, add = ['late'], moving_with = 'arm', remove = ['arm']"), "changes.c.moving_with", "vanishes itself"),
        (change("at = 1, remove = ['arm'], moving_with = 'arm'"), "changes.c.moving_with", "`add` is missing"),
        (change("at = 1, add = ['late'], moving_with = 'X'"), "changes.c.moving_with", "no body `X`"),
        (change("at = 1, add = ['late'], remove = ['late']"), "changes.c.remove[0]", "at once"),
        (change("at = 1, remove = ['ground']"), "changes.c.remove[0]", "always there"),
        (change("at = 1, remove = ['X']"), "changes.c.remove[0]", "no body `X`"),
        (change("at = 1, cut = { r = 1 }"), "changes.c.cut.r", "no chain `r`"),
        (format!("{}\n{}", chain("segments = 5, length = 6"), change("at = 1, cut = { r = 0 }")), "changes.c.cut.r", "more than zero"),
        (format!("{}\n{}", chain("segments = 5, length = 6"), change("at = 1, cut = { r = 6 }")), "changes.c.cut.r", "has 6 m"),
        (change("at = 1, cut = 1"), "changes.c.cut", "expected a table"),
        (change("at = 1, detach = 'pin'"), "changes.c.detach", "expected a list"),
        ("joints.q = { type = 'revolute', bodies = ['arm', 'late'], at = 'B', break_force = 0 }".into(), "joints.q.break_force", "more than zero"),
        ("joints.q = { type = 'revolute', bodies = ['arm', 'late'], at = 'B', break_moment = -1 }".into(), "joints.q.break_moment", "more than zero"),
        ("joints.q = { type = 'revolute', bodies = ['arm', 'late'], at = 'B', active = 1 }".into(), "joints.q.active", "true or false"),
        ("joints.q = { type = 'floating', bodies = ['arm', 'ground'], at = 'P', break_force = 1 }".into(), "joints.q.break_force", "holds nothing"),
        ("bodies.x = { points = ['A', 'B'], mass = 1, present = 'no' }".into(), "bodies.x.present", "true or false"),
    ];
    for (text, path, word) in defects {
        let faults = refuse(&format!("{BASE}{text}"));
        let found = faults.list.iter().any(|fault| fault.path == path && fault.message.contains(word));
        assert!(found, "{text}: no fault at {path} with `{word}` in {:#?}", faults.list);
        // and nothing that merely follows from it
        let errors = faults.list.iter().filter(|fault| fault.severity == Severity::Error).count();
        assert!(errors == 1 || text.contains("colour"), "{text}: {faults}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Reading ends with a model or faults that render, whatever has become of the text.
    #[test]
    fn keeps_calm_with_mutated_chains(at in 0..CRANE.len(), length in 0..20usize, with in "[-0-9.e'\"a-zA-Z{}=, ]{0,6}") {
        let end = (at + length).min(CRANE.len());
        let text = format!("{}{with}{}", &CRANE[..at], &CRANE[end..]);
        if let Err(error) = Model::parse("x.toml", &text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
