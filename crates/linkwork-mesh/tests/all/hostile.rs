//! Files that are damaged, or mean harm.

use super::{boxed, gltf, read};
use linkwork_mesh::{Mesh, MeshError};
use std::fs;

fn refusal(ending: &str, bytes: impl AsRef<[u8]>) -> String {
    read(ending, bytes).unwrap_err().to_string()
}

#[test]
fn damaged_texts_are_refused_with_their_line() {
    assert_eq!(refusal("stl", "solid\nvertex 1 2\n"), "line 2: a vertex needs three numbers");
    assert_eq!(refusal("stl", [0; 100]), "neither a binary nor an ASCII STL file");
    assert_eq!(refusal("obj", "v 0 0 0\nf 1 2 3\n"), "line 2: there is no vertex 2");
    assert!(refusal("obj", "v 0 0 1e300\n").contains("line 1: `1e300` is no coordinate"));
    assert!(refusal("obj", "v 0 0 nan\n").contains("no coordinate"));
    assert!(refusal("fbx", "").contains("files ending in `.fbx` are not read"));
    assert!(refusal("dae", "<!DOCTYPE x [<!ENTITY a \"b\">]><COLLADA/>").contains("has a DTD"));
    assert!(refusal("dae", "<html/>").contains("<html> is not the root"));
}

#[test]
fn binary_stl_with_numbers_that_are_none_is_refused() {
    let mut bytes = vec![0; 80];
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0xff; 50]);
    assert!(refusal("stl", bytes).contains("a coordinate is NaN"));
}

/// Offsets, counts and references of glTF that lead nowhere, circles of nodes, and what is compressed.
#[test]
fn gltf_that_leads_nowhere_is_refused() {
    let sound = gltf(&boxed(), "", "");
    assert!(read("gltf", &sound).is_ok());
    for (old, new, said) in [
        (r#""count":8"#, r#""count":9"#, "accessor 0 is outside its buffer view"),
        (r#""count":8"#, r#""count":18446744073709551615"#, "more than 15000000 vertices"),
        (r#""count":8"#, r#""count":7"#, "there is no vertex 7"),
        (r#""bufferView":1"#, r#""bufferView":7"#, "accessor 1 has no buffer view"),
        (r#""componentType":5126"#, r#""componentType":5130"#, "numbers of an unknown type"),
        (r#""byteOffset":96"#, r#""byteOffset":18446744073709551600"#, "outside its buffer"),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"children":[0]}"#, "nested deeper than 100"),
        (r#"{"mesh":0}"#, r#"{"mesh":3}"#, "there is no mesh 3"),
        (r#""nodes":[0]"#, r#""nodes":[5]"#, "there is no node 5"),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_draco_mesh_compression"],"scene":0"#,
            "`KHR_draco_mesh_compression` is not read",
        ),
        (r#""uri":"data:application/octet-stream;base64,"#, r#""uri":"http://example.org/"#, "is not there"),
    ] {
        let damaged = sound.replacen(old, new, 1);
        assert_ne!(damaged, sound, "{old}");
        let told = refusal("gltf", &damaged);
        assert!(told.contains(said), "{new}: {told}");
    }
}

/// A buffer outside of the folder is not read, nor one behind a link that leads out of it.
#[test]
fn buffers_outside_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("meshes");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("secret.bin"), vec![0; 1000]).unwrap();
    let text = gltf(&boxed(), "", "");
    let start = text.find("data:").unwrap();
    let end = start + text[start..].find('"').unwrap();
    let file = inner.join("box.gltf");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.bin"), inner.join("link.bin")).unwrap();
    for name in [
        "../secret.bin",
        "/etc/hostname",
        "..%2Fsecret.bin",
        #[cfg(unix)]
        "link.bin",
    ] {
        fs::write(&file, format!("{}{name}{}", &text[..start], &text[end..])).unwrap();
        let told = Mesh::read(&file).unwrap_err();
        assert!(
            matches!(&told, MeshError::Unreadable(why) if why.contains("does not lie in the folder")),
            "{name}: {told}"
        );
    }
}

/// Nodes of Collada that hold each other.
#[test]
fn collada_in_a_circle_is_refused() {
    let text = r##"<COLLADA><library_nodes><node id="a"><instance_node url="#a"/></node></library_nodes>
        <library_visual_scenes><visual_scene id="s"><instance_node url="#a"/></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    assert!(refusal("dae", text).contains("nested deeper than 100"));
    let doubling: String = (0..40)
        .map(|n| {
            format!(
                "<node id=\"n{n}\"><instance_node url=\"#n{0}\"/><instance_node url=\"#n{0}\"/></node>",
                n + 1
            )
        })
        .collect();
    let text = text.replace(
        "<node id=\"a\"><instance_node url=\"#a\"/></node>",
        &format!("{doubling}<node id=\"n40\"/>"),
    );
    assert!(refusal("dae", text.replace("#a", "#n0")).contains("more than 100000 nodes"));
}
