//! Collision shapes as surfaces that touch.

use crate::{assert_noted, last};
use linkwork::model::{Meeting, SurfaceForm};
use linkwork_import::{Import, Options, import, import_text};
use std::fs;

fn touching(name: &str, text: &str) -> Import {
    let options = Options { contacts: true, ..Options::default() };
    import_text(name, text, &options).unwrap_or_else(|faults| panic!("{faults}"))
}

/// All pairs of surfaces that can meet, with their coefficient of friction.
fn pairs(imported: &Import) -> Vec<(String, String, f64)> {
    let model = imported.model().unwrap_or_else(|error| panic!("{error}\n{}", imported.toml));
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}\n{}", imported.toml));
    let mut pairs: Vec<_> = mechanism
        .pairs()
        .iter()
        .map(|pair| {
            let mut names = pair.surfaces.map(|surface| mechanism.surfaces()[surface].name.clone());
            names.sort();
            let [a, b] = names;
            (a, b, model.contacts[pair.of].friction)
        })
        .collect();
    pairs.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    pairs
}

fn named<'a>(pairs: &'a [(String, String, f64)]) -> Vec<(&'a str, &'a str, f64)> {
    pairs.iter().map(|(a, b, friction)| (a.as_str(), b.as_str(), *friction)).collect()
}

/// MuJoCo's rules: bits, the larger friction, none between two smooth shapes, none between a body and its parent, but with the ground.
#[test]
fn exact_pairs_of_mujoco() {
    let imported = touching(
        "robot.xml",
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' condim='1'/>\n\
         <body name='a' pos='0 0 2'><freejoint/><geom name='ga' size='.1' friction='0.3'/>\
         <body name='b' pos='0 0 1'><joint type='hinge'/><joint type='hinge' axis='1 0 0'/><geom name='gb' size='.1' friction='0.5'/>\
         <body name='c' pos='0 0 1'><joint type='hinge'/><geom name='gc' size='.1' condim='1'/></body></body></body>\n\
         <body name='d' pos='5 0 2'><joint type='slide' axis='0 0 1'/><geom name='gd' size='.1' contype='2' conaffinity='2'/></body>\n\
         <body name='e' pos='9 0 2'><joint type='slide' axis='0 0 1'/><geom name='ge' size='.1' friction='0.5'/></body>\n\
         </worldbody><contact><exclude body1='a' body2='c'/></contact></mujoco>",
    );
    assert_eq!(
        named(&pairs(&imported)),
        // condim = 1 is smooth with its like only; the floor's own coefficient is 1
        [
            ("floor", "ga", 1.0),
            ("floor", "gb", 1.0),
            ("floor", "gc", 0.0),
            ("floor", "ge", 1.0),
            ("ga", "ge", 0.5),
            ("gb", "ge", 0.5),
            ("gc", "ge", 1.0)
        ]
    );
    assert!(imported.toml.contains("except = [[\"a\", \"b\"]]"), "{}", imported.toml);
    assert!(imported.toml.contains("jointed = true"), "{}", imported.toml);
}

/// A box on a plane that is inclined by gravity: it sticks where friction holds it, to rounding.
#[test]
fn exact_rest_of_an_imported_box() {
    let text = "<mujoco><option gravity='2 0 -9.6'/><worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.1'/>\n\
        <body name='box' pos='0 0 0.1'><freejoint/><geom type='box' size='.2 .2 .1' density='1000' friction='0.5'/></body></worldbody></mujoco>";
    let imported = touching("box.xml", text);
    let model = imported.model().unwrap();
    let z = last(model.clone(), 1.0, "point.box.z");
    let x = last(model, 1.0, "point.box.x");
    assert!(x.abs() < 1e-9 && (z - 0.1).abs() < 1e-9, "{x:e} {z}");
    // what is a surface is not drawn twice
    assert!(!imported.toml.contains("[looks]"), "{}", imported.toml);
}

/// URDF with meshes: their hulls, at most 64 corners, and pairs that overlap as drawn are kept apart.
#[test]
fn exact_hulls_of_a_robot() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("part.obj"), include_str!("../../../linkwork/tests/data/written/part.obj"))
        .unwrap();
    let link = |name: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
             <collision><geometry><mesh filename='part.obj' scale='0.1 0.1 0.1'/></geometry></collision></link>\n"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 {z}'/><axis xyz='0 1 0'/></joint>\n"
        )
    };
    let text = format!(
        "<robot name='r'><link name='base'><collision><geometry><capsule radius='0.1' length='0.2'/></geometry></collision></link>\n{}{}{}{}{}{}</robot>",
        link("one"),
        link("two"),
        link("three"),
        joint("a", "base", "one", 0.5),
        joint("b", "one", "two", 0.35),
        // it overlaps with the first one
        joint("c", "two", "three", -0.2)
    );
    let file = folder.path().join("r.urdf");
    fs::write(&file, text).unwrap();
    let imported = import(&file, &Options { contacts: true, ..Options::default() }).unwrap();
    let model = imported.model().unwrap();
    let SurfaceForm::HullOf(hull) = &model.surfaces[1].form else { panic!("{}", imported.toml) };
    assert_eq!(hull.corners.len(), 8);
    assert_eq!(model.contacts.len(), 1);
    assert!(matches!(&model.contacts[0].of, Meeting::Among(list) if list.len() == 4));
    assert_eq!(model.contacts[0].except, [["one".to_owned(), "three".to_owned()]]);
    assert_eq!(
        named(&pairs(&imported)),
        [("base_capsule", "three_hull", 1.0), ("base_capsule", "two_hull", 1.0)]
    );
    assert_noted(&imported, &["changed", "`one` and `three`", "overlap by"]);
    assert_noted(&imported, &["assumed", "`one`", "its convex hull by 8 corners"]);
    // without them nothing touches, and that is told
    let alone = import(&file, &Options::default()).unwrap();
    assert_noted(&alone, &["left out", "`one`", "collision shapes", "--contacts"]);
}
