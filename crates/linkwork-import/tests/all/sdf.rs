//! SDF.

use crate::{assert_noted, import, last, model, pushed};
use linkwork_import::{Base, Loops, Options, import_text};

const LINK: &str =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

fn sdf(version: &str, inner: &str) -> String {
    format!("<sdf version='{version}'><model name='m'>{}</model></sdf>", inner.replace("MASS", LINK))
}

/// Places of links and joints by name, at the zero pose.
fn place(imported: &linkwork_import::Import, name: &str) -> [f64; 3] {
    let robot = &imported.robot;
    let link = robot.links.iter().find(|link| link.name == name).map(|link| link.pose.origin);
    let joint = || robot.joints.iter().find(|joint| joint.name == name).map(|joint| joint.origin);
    link.or_else(joint).unwrap_or_else(|| panic!("no {name}")).into()
}

#[track_caller]
fn assert_at(found: [f64; 3], expected: [f64; 3]) {
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{found:?} and not {expected:?}");
}

/// Frames in frames: each turns by a quarter about z, so that the next step goes along the next axis.
#[test]
fn exact_relative_frames() {
    let imported = import(
        "m.sdf",
        &sdf(
            "1.9",
            "<pose degrees='true'>10 0 0 0 0 90</pose>\
             <link name='a'><pose>1 0 0 0 0 0</pose>MASS</link>\
             <frame name='f' attached_to='a'><pose degrees='true'>1 0 0 0 0 90</pose></frame>\
             <link name='b'><pose relative_to='f'>1 0 0 0 0 0</pose>MASS</link>\
             <joint name='j' type='revolute'><pose>0 0 2 0 0 0</pose><parent>f</parent><child>b</child>\
             <axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint>\
             <joint name='anchor' type='fixed'><parent>world</parent><child>a</child></joint>",
        ),
    );
    assert_at(place(&imported, "a"), [10.0, 1.0, 0.0]);
    // f is at (10, 2, 0) and looks along -x
    assert_at(place(&imported, "b"), [9.0, 2.0, 0.0]);
    assert_at(place(&imported, "j"), [9.0, 2.0, 2.0]);
    let joint = imported.robot.joints.iter().find(|joint| joint.name == "j").unwrap();
    assert_at(joint.axis.into(), [0.0, 1.0, 0.0]);
    assert_eq!(model(&imported).assemble().unwrap().degrees_of_freedom(), 1);
}

/// The frame in which an axis is given, from version to version: the child is turned by a quarter about x, the model about z.
#[test]
fn axes_of_all_versions() {
    let text = |version: &str, extra: &str| {
        sdf(
            version,
            &format!(
                "<pose>0 0 0 0 0 1.5707963267948966</pose><link name='a'>MASS</link>\
                 <link name='b'><pose>0 0 1 1.5707963267948966 0 0</pose>MASS</link><joint name='j' type='revolute'>\
                 <parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>{extra}</axis></joint>"
            ),
        )
    };
    let axis = |text: String| -> [f64; 3] { import("m.sdf", &text).robot.joints[0].axis.into() };
    let (in_model, in_joint) = ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    assert_at(axis(text("1.4", "")), in_model);
    assert_at(axis(text("1.6", "<use_parent_model_frame>1</use_parent_model_frame>")), in_model);
    assert_at(axis(text("1.6", "")), in_joint);
    assert_at(axis(text("1.7", "")), in_joint);
}

#[test]
fn nested_models_and_placement_frames() {
    let imported = import(
        "m.sdf",
        &sdf(
            "1.9",
            "<link name='base'>MASS</link><model name='arm' placement_frame='grip'><pose>0 0 5 0 0 0</pose>\
             <link name='l'>MASS</link><frame name='grip' attached_to='l'><pose>0 0 2 0 0 0</pose></frame></model>\
             <joint name='j' type='ball'><parent>base</parent><child>arm::grip</child></joint>",
        ),
    );
    assert_at(place(&imported, "arm::l"), [0.0, 0.0, 3.0]);
    assert_at(place(&imported, "j"), [0.0, 0.0, 5.0]);
    assert_eq!(model(&imported).assemble().unwrap().degrees_of_freedom(), 9);
}

#[test]
fn joints_of_all_types_have_their_freedoms() {
    let two = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>";
    let slanted = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>";
    let one = "<axis><xyz>0 0 1</xyz></axis>";
    for (kind, axes, freedoms) in [
        ("revolute", one, 1),
        ("continuous", one, 1),
        ("prismatic", one, 1),
        ("ball", "", 3),
        ("fixed", "", 0),
        ("universal", two, 2),
        ("revolute2", two, 2),
        ("revolute2", slanted, 2),
        ("screw", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.01</screw_thread_pitch>", 1),
    ] {
        let text = sdf(
            "1.10",
            &format!(
                "<link name='a'>MASS</link><link name='b'>MASS</link><joint name='j' type='{kind}'><parent>a</parent>\
                 <child>b</child>{axes}</joint>"
            ),
        );
        let mechanism = model(&import("m.sdf", &text)).assemble().unwrap_or_else(|e| panic!("{kind}: {e}"));
        assert_eq!(mechanism.degrees_of_freedom(), 6 + freedoms, "{kind}");
    }
}

/// A motor behind a gear of ratio 1/n: the load feels n² times the inertia of the rotor. θ₂ = -ratio θ₁.
#[test]
fn exact_gearbox() {
    let imported = import("gear.sdf", include_str!("../data/gearbox.sdf"));
    let (i_rotor, i_load, n, moment) = (0.002, 0.3, 10.0_f64, 0.4 * 9.81);
    let rate = |name: &str| last(model(&imported), 1e-3, name);
    assert!((rate("joint.motor.v") + n * rate("joint.output.v")).abs() < 1e-12);
    let expected = moment / (i_load + 0.4 * 0.4 + n * n * i_rotor) * 1e-3; // 1 kg at 0.4 m, level
    let found = rate("joint.output.v").abs();
    assert!((found - expected).abs() < 1e-6 * expected, "{found} and not {expected}");
}

/// A loop whose axes are parallel to the digits of `1.5708` turns as if they were parallel.
#[test]
fn loops_of_rounded_angles_move() {
    let text = include_str!("../data/loop.sdf");
    let imported = import("loop.sdf", text);
    assert_noted(&imported, &["assumed", "joint `C`", "parallel"]);
    let exact = import("loop.sdf", &text.replace("1.5708 ", "1.5707963267948966 "));
    assert!(exact.notes.iter().all(|note| !note.what.contains("parallel")));
    let (a, b) =
        (last(pushed(&imported, 1.0), 0.6, "joint.A.q"), last(pushed(&exact, 1.0), 0.6, "joint.A.q"));
    assert!(a.abs() > 0.1 && (a - b).abs() < 1e-4, "{a} and {b}");
}

/// Three demands of the last hinge of a planar loop are redundant; a point on a line has the other two, and the motion is the same.
#[test]
fn cross_fewest_demands_give_the_same_motion() {
    let text = include_str!("../data/loop.sdf");
    let fewest = Options { loops: Loops::Fewest, ..Options::default() };
    let weak = import_text("loop.sdf", text, &fewest).unwrap();
    assert_noted(&weak, &["assumed", "joint `D`", "`revolute`", "`point-on-line`"]);
    let given = pushed(&import("loop.sdf", text), 1.0);
    let redundant =
        |model: linkwork::Model| model.assemble().unwrap_or_else(|e| panic!("{e}")).redundancy().count;
    assert_eq!((redundant(given.clone()), redundant(model(&weak))), (3, 0));
    let (a, b) = (last(given, 0.6, "joint.A.q"), last(pushed(&weak, 1.0), 0.6, "joint.A.q"));
    assert!(a.abs() > 0.1 && (a - b).abs() < 1e-10, "{a} and {b}");
}

#[test]
fn bases() {
    let text = sdf("1.6", "<link name='a'>MASS</link><link name='b'>MASS</link>");
    assert_eq!(model(&import("m.sdf", &text)).assemble().unwrap().degrees_of_freedom(), 12);
    let fixed = Options { base: Some(Base::Fixed), ..Options::default() };
    let held = import_text("m.sdf", &text, &fixed).unwrap();
    assert_eq!(model(&held).assemble().unwrap().degrees_of_freedom(), 6);
}

#[test]
fn defaults_of_the_specification_are_told() {
    let imported = import("m.sdf", "<sdf version='1.6'><model name='m'><link name='a'/></model></sdf>");
    assert_noted(&imported, &["assumed", "link `a`", "1 kg"]);
    assert_eq!(imported.robot.moving_mass(), 1.0);
}
