//! Files that mean harm are refused by name, never followed.

use linkwork_import::{Options, import, import_text};
use std::fs;
use std::path::Path;

fn refusal(text: &str) -> String {
    import_text("hostile.xml", text, &Options::default()).unwrap_err().to_string()
}

#[test]
fn entity_bombs_are_refused() {
    let bomb =
        "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><robot name=\"&b;\"/>";
    assert!(refusal(bomb).contains("has a DTD"), "{}", refusal(bomb));
    assert!(refusal("<robot name=\"&b;\"/>").contains("not well-formed"));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}{}", "<robot>".repeat(100_000), "</robot>".repeat(100_000));
    assert!(refusal(&deep).contains("nested deeper than 100"), "{}", refusal(&deep));
}

#[test]
fn unknown_roots_are_named() {
    assert!(refusal("<html/>").contains("<html> is the root of no format"));
}

#[test]
fn absurd_numbers_are_refused_with_line_and_item() {
    let mass = |mass: &str| {
        refusal(&format!(
            "<robot name='r'>\n<link name='base'><inertial>\n<mass value='{mass}'/></inertial></link></robot>"
        ))
    };
    for (number, words) in [
        ("1e400", "not finite"),
        ("nan", "not finite"),
        ("1e99", "larger than"),
        ("-2", "the mass is -2 kg"),
        ("two", "not a number"),
        ("1 2", "2 numbers and needs 1"),
    ] {
        let told = mass(number);
        assert!(told.contains(words) && told.contains("hostile.xml:"), "{number}: {told}");
    }
    assert!(mass("two").contains("hostile.xml:3"), "{}", mass("two"));
}

/// A robot that shows a mesh.
fn with_mesh(file: &str) -> String {
    format!(
        "<robot name='r'><link name='base'><inertial><mass value='1'/></inertial>\
         <visual><geometry><mesh filename='{file}'/></geometry></visual></link></robot>"
    )
}

/// What is told of the mesh.
fn told_of(folder: &Path, reference: &str) -> String {
    let file = folder.join("robot.urdf");
    fs::write(&file, with_mesh(reference)).unwrap();
    let imported = import(&file, &Options::default()).unwrap();
    linkwork_import::notes::Table(&imported.notes).to_string()
}

#[test]
fn paths_outside_are_not_followed() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("robot");
    fs::create_dir(&folder).unwrap();
    fs::write(outer.path().join("secret.stl"), "solid").unwrap();
    fs::write(folder.join("own.stl"), "solid").unwrap();
    assert!(!told_of(&folder, "own.stl").contains("outside"));
    for reference in [
        "../secret.stl",
        "/etc/passwd",
        "file:///etc/passwd",
        "package://../secret.stl",
        "own.stl/../../secret.stl",
    ] {
        let told = told_of(&folder, reference);
        assert!(told.contains("outside the folder") || told.contains("not found"), "{reference}: {told}");
    }
    assert!(told_of(&folder, "http://example.com/a.stl").contains("not fetched"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path().join("secret.stl"), folder.join("link.stl")).unwrap();
        assert!(told_of(&folder, "link.stl").contains("outside the folder"));
    }
}

#[test]
fn files_that_include_each_other_end() {
    let folder = tempfile::tempdir().unwrap();
    let including = |name: &str| {
        format!(
            "<sdf version='1.7'><model name='m'><link name='a'/><include><uri>{name}</uri></include></model></sdf>"
        )
    };
    fs::write(folder.path().join("a.sdf"), including("b.sdf")).unwrap();
    fs::write(folder.path().join("b.sdf"), including("a.sdf")).unwrap();
    let told = import(folder.path().join("a.sdf"), &Options::default()).unwrap_err().to_string();
    assert!(told.contains("`a.sdf` includes itself"), "{told}");
    // each file includes the next one twice: 2^n files
    for n in 0..15 {
        let next = format!("<include><uri>{}.sdf</uri><name>NAME</name></include>", n + 1);
        let two = next.replace("NAME", "x") + &next.replace("NAME", "y");
        let text = format!("<sdf version='1.7'><model name='m'><link name='a'/>{two}</model></sdf>");
        fs::write(folder.path().join(format!("{n}.sdf")), text).unwrap();
    }
    fs::write(
        folder.path().join("15.sdf"),
        "<sdf version='1.7'><model name='m'><link name='a'/></model></sdf>",
    )
    .unwrap();
    let told = import(folder.path().join("0.sdf"), &Options::default()).unwrap_err().to_string();
    assert!(told.contains("more than 1000 files"), "{told}");
}

#[test]
fn frames_in_a_circle_are_refused() {
    let told = refusal(
        "<sdf version='1.7'><model name='m'><link name='l'><pose relative_to='a'/></link>\
         <frame name='a'><pose relative_to='b'/></frame><frame name='b'><pose relative_to='a'/></frame></model></sdf>",
    );
    assert!(told.contains("circle of frames"), "{told}");
}

#[test]
fn robots_without_end_are_refused() {
    let links: String = (0..20_000).map(|n| format!("<link name='l{n}'/>")).collect();
    assert!(refusal(&format!("<robot name='r'>{links}</robot>")).contains("20000 links"));
    let links = links.replace("/>", "></link>");
    assert!(
        refusal(&format!("<sdf version='1.6'><model name='m'>{links}</model></sdf>")).contains("20000 links")
    );
}
