//! One box in all formats.

use super::{BOX, boxed, gltf, read};
use linkwork_mesh::Mesh;
use std::fs;

/// Volume, centre and inertia of the box, and twelve triangles, within the digits of single precision.
fn is_the_box(mesh: &Mesh) {
    assert_eq!((mesh.triangles.len(), mesh.open_edges()), (12, 0));
    let (found, expected) = (mesh.volume().unwrap(), boxed().volume().unwrap());
    assert!((found.volume - expected.volume).abs() < 1e-6, "{found:?}");
    assert!((found.com - expected.com).norm() < 1e-6 && (found.inertia - expected.inertia).norm() < 1e-6);
}

#[test]
fn same_box_in_both_kinds_of_stl() {
    let mesh = boxed();
    let mut binary = vec![0; 80];
    let mut ascii = "solid box\n".to_owned();
    binary.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        binary.extend([0; 12]);
        ascii.push_str("facet normal 0 0 0\nouter loop\n");
        for corner in mesh.corners(*triangle) {
            corner.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
            ascii.push_str(&format!("vertex {} {:e} {}\n", corner[0], corner[1], corner[2]));
        }
        binary.extend([0; 2]);
        ascii.push_str("endloop\nendfacet\n");
    }
    ascii.push_str("endsolid box\n");
    let [binary, ascii] = [read("stl", binary).unwrap(), read("stl", ascii).unwrap()];
    assert_eq!(binary, ascii);
    is_the_box(&binary);
    assert_eq!((binary.vertices.len(), binary.welded().vertices.len()), (36, 8));
}

/// A node that turns, stretches and mirrors: the box is put together again by what undoes it.
#[test]
fn same_box_in_gltf() {
    let mesh = boxed();
    is_the_box(&read("gltf", gltf(&mesh, "", "")).unwrap());
    // x' = −y, y' = 2x, z' = z, moved by (1, 2, 3): a turn by a quarter about z behind a stretch of x
    let moved = mesh.clone().placed([[0.0, 0.5, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [-1.0, 1.0, -3.0]);
    let half = 0.5f64.sqrt();
    let node = format!(r#","translation":[1,2,3],"rotation":[0,0,{half},{half}],"scale":[2,1,1]"#);
    is_the_box(&read("gltf", gltf(&moved, &node, "")).unwrap());
    let mirrored = mesh.clone().scaled([-1.0, 1.0, 1.0]);
    let matrix = r#","matrix":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]"#;
    is_the_box(&read("gltf", gltf(&mirrored, matrix, "")).unwrap());
    // 0.214041 of the light is half of what a screen shows
    let colour = read("gltf", gltf(&mesh, "", "")).unwrap().parts[0].colour.unwrap();
    assert!(
        (colour[0] - 1.0).abs() < 1e-6 && colour[1] == 0.0 && (colour[2] - 0.5).abs() < 1e-6,
        "{colour:?}"
    );
}

/// The same as GLB, the numbers within the file.
#[test]
fn same_box_in_glb() {
    let text = gltf(&boxed(), "", "");
    let (head, coded) = text.split_once(r#","uri":"data:application/octet-stream;base64,"#).unwrap();
    let (_, tail) = coded.split_once('"').unwrap();
    let mut json = format!("{head}{tail}").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mesh = boxed();
    let mut inside: Vec<u8> =
        mesh.vertices.iter().flatten().flat_map(|x| (*x as f32).to_le_bytes()).collect();
    inside.extend(mesh.triangles.iter().flatten().flat_map(|vertex| (*vertex as u16).to_le_bytes()));
    let mut glb = b"glTF".to_vec();
    glb.extend(2u32.to_le_bytes());
    glb.extend(((28 + json.len() + inside.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &inside)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(chunk);
    }
    is_the_box(&read("glb", &glb).unwrap());
    assert!(read("glb", &glb[..glb.len() - 9]).is_err());
}

/// Collada in inches, with a list of polygons, a node that turns, and a colour.
#[test]
fn same_box_in_collada() {
    let mesh = boxed();
    let places: Vec<String> = mesh
        .vertices
        .iter()
        .map(|[x, y, z]| format!("{} {} {}", y / 0.0254, -x / 0.0254, z / 0.0254))
        .collect();
    let corners: Vec<String> = mesh.triangles.iter().flatten().map(|vertex| format!("{vertex} 0")).collect();
    let text = format!(
        r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit name="inch" meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
        <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>0.1 0.2 0.3 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
        <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
        <library_geometries><geometry id="g"><mesh>
          <source id="p"><float_array id="f" count="24">{}</float_array><technique_common><accessor source="#f" count="8" stride="3"/></technique_common></source>
          <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
          <polylist count="12" material="red"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#p" offset="1"/>
            <vcount>{}</vcount><p>{}</p></polylist>
        </mesh></geometry></library_geometries>
        <library_visual_scenes><visual_scene id="s"><node><rotate>0 0 1 90</rotate>
          <instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="red" target="#m"/></technique_common></bind_material></instance_geometry>
        </node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
        places.join(" "),
        vec!["3"; 12].join(" "),
        corners.join(" ")
    );
    let found = read("dae", &text).unwrap();
    is_the_box(&found);
    assert_eq!(found.parts[0].colour, Some([0.1, 0.2, 0.3, 1.0]));
    assert!(
        read("dae", text.replace("\"#p\"/></vertices>", "\"#q\"/></vertices>"))
            .unwrap_err()
            .to_string()
            .contains("no positions")
    );
    assert!(
        read("dae", text.replace(">7 0", ">70 0").replace(" 7 0", " 70 0"))
            .unwrap_err()
            .to_string()
            .contains("no vertex 70")
    );
}

/// Materials of OBJ, in a file beside; one that is elsewhere is not read.
#[test]
fn exact_colours_of_obj() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("meshes");
    fs::create_dir(&inner).unwrap();
    let library = "newmtl dark steel\nKd 0.25 0.5 0.75\nnewmtl other\nKd 1 0 0\n";
    fs::write(inner.join("box.mtl"), library).unwrap();
    fs::write(folder.path().join("outside.mtl"), library).unwrap();
    let file = inner.join("box.obj");
    for (name, expected) in
        [("box.mtl", Some([0.25, 0.5, 0.75, 1.0])), ("../outside.mtl", None), ("none.mtl", None)]
    {
        fs::write(&file, format!("mtllib {name}\nusemtl dark steel\n{BOX}")).unwrap();
        let mesh = Mesh::read(&file).unwrap();
        is_the_box(&mesh);
        assert_eq!(mesh.parts[0].colour, expected, "{name}");
        assert_eq!(Mesh::companions(&file).unwrap(), [name]);
    }
}
