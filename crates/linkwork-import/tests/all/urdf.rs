//! URDF.

use crate::{assert_noted, column, import, last, model, pushed};
use linkwork_import::{Base, Options, import_text};

/// A double pendulum with a camera on its end, dampers and limits.
const ARM: &str = include_str!("../data/arm.urdf");
/// A four-bar linkage of three moving links; its loop is written in each convention.
const FOUR_BAR: &str = include_str!("../data/four-bar.urdf");

#[test]
fn what_is_written_reads_well() {
    let imported = import("arm.urdf", ARM);
    let line = |start: &str| {
        imported.toml.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned()
    };
    assert_eq!(line("elbow    ="), "elbow    = [0, 0, 0.5]  # line 42", "{}", imported.toml);
    assert!(line("ground").starts_with("ground = { points = [\"shoulder\"] }"), "{}", imported.toml);
    assert!(line("lower").contains("with camera"), "{}", imported.toml);
    assert!(
        line("elbow    = { type").contains("impact_limits = { range = [-2, 2], restitution = 0 }"),
        "{}",
        imported.toml
    );
    assert_noted(&imported, &["equivalent", "link `camera`", "merged"]);
    assert_noted(&imported, &["left out", "joint `elbow`", "velocity"]);
    let model = model(&imported);
    assert_eq!(model.assemble().unwrap().degrees_of_freedom(), 2);
}

/// Two links fixed together are one body: masses add, and the inertia is that about the common centre.
#[test]
fn exact_merged_links() {
    let imported = import("arm.urdf", ARM);
    let lower = imported.robot.links.iter().find(|link| link.name == "lower").unwrap();
    assert!((lower.mass - 1.2).abs() < 1e-15);
    // 1 kg at z = 0.75, 0.2 kg at (0.1, 0, 1.0)
    let com = lower.world_com();
    assert!((com[2] - (0.75 + 0.2) / 1.2).abs() < 1e-14 && (com[0] - 0.02 / 1.2).abs() < 1e-15, "{com}");
    let reduced = 1.0 * 0.2 / 1.2;
    let inertia = lower.world_inertia();
    let expected = 0.02 + 0.001 + reduced * (0.25_f64.powi(2) + 0.1_f64.powi(2));
    assert!((inertia[(1, 1)] - expected).abs() < 1e-15, "{inertia}");
    assert!((inertia[(0, 2)] + reduced * 0.1 * 0.25).abs() < 1e-15, "{inertia}");
}

#[test]
fn loops_of_all_conventions_are_one_mechanism() {
    let isaac = "<loop_joint name='D' type='revolute'><axis xyz='0 1 0'/><link1 link='base' xyz='2 0 0' rpy='0 0 0'/>\
        <link2 link='rocker' xyz='0 0 -2' rpy='0 0 0'/></loop_joint>";
    let urdfdom = "<constraint name='D' type='revolute'><parent link='base'/><parent_origin xyz='2 0 0'/><parent_axis xyz='0 1 0'/>\
        <child link='rocker'/><child_origin xyz='0 0 -2'/><child_axis xyz='0 1 0'/></constraint>";
    let mut angles = Vec::new();
    for closing in [isaac, urdfdom] {
        let imported = import("four-bar.urdf", &FOUR_BAR.replace("<!-- loop -->", closing));
        let model = pushed(&imported, 1.0);
        assert_eq!(model.clone().assemble().unwrap().degrees_of_freedom(), 1, "{}", imported.toml);
        angles.push(last(model, 0.5, "joint.A.q"));
    }
    assert!(angles[0].abs() > 0.1);
    assert_eq!(angles[0], angles[1]);
    // a pin that is the child of coupler and rocker
    let pin = "<link name='pin'/><joint name='D' type='continuous'><parent link='base'/><child link='rocker'/><origin xyz='2 0 0'/>\
        <axis xyz='0 1 0'/></joint><joint name='hold' type='fixed'><parent link='rocker'/><child link='pin'/><origin xyz='0 0 2'/></joint>";
    let two_parents = FOUR_BAR
        .replace("<!-- loop -->", pin)
        .replace("<child link=\"rocker\"/>", "<child link=\"pin\"/>")
        .replace("xyz=\"0 0 -1\"", "xyz=\"0 0 1\"");
    let imported = import("four-bar.urdf", &two_parents);
    assert_noted(&imported, &["equivalent", "link `pin`", "fixed to `rocker`"]);
    let model = pushed(&imported, 1.0);
    assert_eq!(model.clone().assemble().unwrap().degrees_of_freedom(), 1, "{}", imported.toml);
    let angle = last(model, 0.5, "joint.A.q");
    assert!((angle - angles[0]).abs() < 1e-10, "{angle} and {}", angles[0]);
}

/// The four-bar of a URDF against the same one as its own model file, written by hand.
#[test]
fn cross_four_bar_by_hand() {
    let closing = "<loop_joint name='D' type='revolute'><axis xyz='0 1 0'/><link1 link='base' xyz='2 0 0' rpy='0 0 0'/>\
        <link2 link='rocker' xyz='0 0 -2' rpy='0 0 0'/></loop_joint>";
    let imported = import("four-bar.urdf", &FOUR_BAR.replace("<!-- loop -->", closing));
    let by_hand = "format = 1\nmodel = { dimension = 2, gravity = \"-y\" }\n\
        points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0] }\n[bodies]\nground = { points = [\"A\", \"D\"] }\n\
        crank = { points = [\"A\", \"B\"], mass = 1, com = [0, 0.5], inertia = 0.1 }\n\
        coupler = { points = [\"B\", \"C\"], mass = 2, com = [1, 1.5], inertia = 0.8 }\n\
        rocker = { points = [\"C\", \"D\"], mass = 1.5, com = [2, 1], inertia = 0.5 }\n\
        [initial.joints]\nA = { q = 0, v = -1 }\n";
    let hand = linkwork::Model::from_toml(by_hand).unwrap();
    // about y in space is clockwise as seen in x, z
    let (a, b) = (last(pushed(&imported, 1.0), 1.0, "joint.A.q"), last(hand, 1.0, "joint.A.q"));
    assert!(a.abs() > 0.1 && (a + b).abs() < 1e-9, "{a} and {b}");
}

/// A finger of a gripper that follows another one, drawn at its offset.
#[test]
fn exact_mimic_with_offset() {
    let imported = import("gripper.urdf", include_str!("../data/gripper.urdf"));
    assert!(imported.toml.contains("ratio = 0.5"), "{}", imported.toml);
    assert_noted(&imported, &["assumed", "joint `right`", "offset"]);
    // drawn 0.02 along -y from 0.05
    let right = imported.robot.joints.iter().find(|joint| joint.name == "right").unwrap();
    assert!((right.origin[1] + 0.07).abs() < 1e-15, "{}", right.origin);
    let along = |name: &str| column(model(&imported), 0.1, name);
    let (left, right) = (along("joint.left.q"), along("joint.right.q"));
    assert!(left.last().unwrap().abs() > 1e-3);
    for (left, right) in left.iter().zip(right.iter()) {
        assert!((right - 0.5 * left).abs() < 1e-13);
    }
}

#[test]
fn bases_and_lone_links() {
    let floating = Options { base: Some(Base::Floating), ..Options::default() };
    let free = import_text("arm.urdf", ARM, &floating).unwrap();
    assert_eq!(model(&free).assemble().unwrap().degrees_of_freedom(), 8);
    let lone = import(
        "stone.urdf",
        "<robot name='stone'><link name='stone'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
    );
    assert_noted(&lone, &["assumed", "stone", "free"]);
    assert_eq!(model(&lone).assemble().unwrap().degrees_of_freedom(), 6);
}

#[test]
fn joints_of_all_types_have_their_freedoms() {
    for (kind, freedoms) in [
        ("revolute", 1),
        ("continuous", 1),
        ("prismatic", 1),
        ("floating", 6),
        ("planar", 3),
        ("spherical", 3),
    ] {
        let text = format!(
            "<robot name='r'><link name='base'/><link name='a'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='1'/>\
             <inertia ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='{kind}'><parent link='base'/><child link='a'/>\
             <axis xyz='1 2 3'/></joint></robot>"
        );
        let mechanism = model(&import("r.urdf", &text)).assemble().unwrap_or_else(|e| panic!("{kind}: {e}"));
        assert_eq!(mechanism.degrees_of_freedom(), freedoms, "{kind}");
    }
}

#[test]
fn impossible_inertia_is_refused_or_replaced_by_name() {
    let arm = |inertia: &str| ARM.replace("ixx=\"0.01\" iyy=\"0.01\" izz=\"0.001\"", inertia);
    let indefinite = arm("ixx=\"-0.5\" iyy=\"0.01\" izz=\"0.001\"");
    assert_ne!(indefinite, ARM);
    let told = import_text("arm.urdf", &indefinite, &Options::default()).unwrap_err().to_string();
    assert!(told.contains("link `upper`: the inertia is indefinite"), "{told}");
    let repaired = Options { repair_inertia: true, ..Options::default() };
    assert!(model(&import_text("arm.urdf", &indefinite, &repaired).unwrap()).assemble().is_ok());
    // 0, 0, 3: the nearest is 1.5, 1.5, 3
    let imported = import("arm.urdf", &arm("ixx=\"0\" iyy=\"0\" izz=\"3\""));
    assert_noted(&imported, &["changed", "link `upper`", "which no body has"]);
    let upper = imported.robot.links.iter().find(|link| link.name == "upper").unwrap();
    assert!(
        (upper.inertia.diagonal() - nalgebra::Vector3::new(1.5, 1.5, 3.0)).norm() < 1e-14,
        "{}",
        upper.inertia
    );
}

#[test]
fn strict_refuses_what_is_substituted() {
    let strict = Options { strict: true, ..Options::default() };
    let told = import_text("arm.urdf", ARM, &strict).unwrap_err().to_string();
    assert!(told.contains("a limit of the velocity") && !told.contains("merged"), "{told}");
    let plain = ARM.replace(" velocity=\"3\"", "");
    import_text("arm.urdf", &plain, &strict).unwrap_or_else(|faults| panic!("{faults}"));
}

#[test]
fn a_start_outside_the_limits_is_moved_within() {
    let imported = import("arm.urdf", &ARM.replace("lower=\"-2\" upper=\"2\"", "lower=\"0.5\" upper=\"2\""));
    assert_noted(&imported, &["assumed", "joint `elbow`", "outside the limits"]);
    assert!(imported.toml.contains("[initial.joints]\nshoulder = 0\nelbow    = 0.65\n"), "{}", imported.toml);
    assert!((column(model(&imported), 0.01, "joint.elbow.q")[0] - 0.65).abs() < 1e-14);
}

#[test]
fn faults_come_at_once_with_their_lines() {
    let text = "<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n<joint name='j' type='wobbly'>\n<parent link='a'/><child link='b'/></joint>\n\
        <joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint></robot>";
    let told = import_text("r.urdf", text, &Options::default()).unwrap_err().to_string();
    for words in [
        "r.urdf:3: link `a`: another link",
        "r.urdf:4: joint `j`: `wobbly`",
        "r.urdf:6: joint `k`: its child `c` is no link",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

/// A body has the colour of the first of its looks.
#[test]
fn exact_colours_of_materials() {
    let paint = r#"<material name="paint"><color rgba="1 0.5 0 1"/></material>"#;
    let look = r#"<visual><geometry><box size="0.1 0.1 0.5"/></geometry><material name="paint"/></visual>"#;
    let text = ARM.replace(r#"<link name="upper">"#, &format!(r#"{paint}<link name="upper">{look}"#));
    let imported = import("arm.urdf", &text);
    let upper = imported.toml.lines().find(|line| line.starts_with("upper")).unwrap().to_owned();
    assert!(upper.contains(r##"color = "#ff8000""##), "{upper}");
    let model = model(&imported);
    let colour = |name: &str| model.bodies.iter().find(|body| body.name == name).unwrap().color;
    assert_eq!(
        [colour("upper").map(|c| c.to_string()), colour("lower").map(|c| c.to_string())],
        [Some("#ff8000".into()), None]
    );
}

/// A transmission makes an input and carries the inertia of its rotor, n² J; a joint without one is not driven, and says so.
#[test]
fn exact_transmissions() {
    let driven = "<transmission name=\"t\"><joint name=\"elbow\"><mechanicalReduction>50</mechanicalReduction></joint>\n\
        <actuator name=\"m\"><drake:rotor_inertia value=\"2e-5\"/><drake:gear_ratio value=\"50\"/></actuator></transmission></robot>";
    let text =
        ARM.replace("</robot>", driven).replace("<robot ", "<robot xmlns:drake=\"http://drake.mit.edu\" ");
    let imported = import("arm.urdf", &text);
    let elbow = imported.robot.joints.iter().find(|joint| joint.name == "elbow").unwrap();
    assert!((elbow.coordinates[0].armature - 0.05).abs() < 1e-15);
    assert_eq!(imported.robot.actuators.len(), 1);
    assert_noted(&imported, &["equivalent", "<mechanicalReduction>", "behind the gear"]);
    let is_of_effort =
        |import: &linkwork_import::Import| import.notes.iter().any(|note| note.what.contains("effort"));
    let plain = import("arm.urdf", ARM);
    assert!(!is_of_effort(&imported) && is_of_effort(&plain));
    assert_noted(&plain, &["equivalent", "joint `elbow`", "nothing drives the joint"]);
}

/// A joint may hang on the world without a link of that name; what names another link that is not there is refused.
#[test]
fn exact_world_without_a_link() {
    let weld = |parent: &str| {
        format!(
            r#"<joint name="weld" type="fixed"><parent link="{parent}"/><child link="base"/></joint><link name="upper">"#
        )
    };
    let text = |parent: &str| ARM.replace(r#"<link name="upper">"#, &weld(parent));
    let hung = model(&import("arm.urdf", &text("world")));
    let plain = model(&import("arm.urdf", ARM));
    assert_eq!(hung.ground.len(), plain.ground.len());
    assert_eq!(hung.bodies, plain.bodies);
    let refused = import_text("arm.urdf", &text("word"), &Options::default()).unwrap_err().to_string();
    assert!(refused.contains("its parent `word` is no link"), "{refused}");
}
