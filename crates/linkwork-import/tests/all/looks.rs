//! What imported bodies look like.

use crate::assert_noted;
use linkwork::model::{LookForm, Model, Shape};
use linkwork_import::meshes::Destination;
use linkwork_import::{Import, Options, import, import_text};
use std::fs;
use std::path::Path;

/// A box of edges 1, 2, 3 in units of the file.
const PART: &str = include_str!("../../../linkwork/tests/data/written/part.obj");

/// A robot as ROS lays it out: `urdf/robot.urdf`, and meshes beside that folder.
fn package(folder: &Path, listed: bool) -> std::path::PathBuf {
    for name in ["urdf", "meshes"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    if listed {
        fs::write(folder.join("package.xml"), "<package><name>arm_description</name></package>").unwrap();
    }
    fs::write(folder.join("meshes/arm.obj"), format!("mtllib arm.mtl\nusemtl red\n{PART}")).unwrap();
    fs::write(folder.join("meshes/arm.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
    let text = format!(
        "<robot name='arm'>\n<material name='blue'><color rgba='0 0 1 1'/></material>\n\
         <link name='base'>\n<visual><geometry><box size='1 2 3'/></geometry><material name='blue'/></visual>\n</link>\n\
         <link name='arm'>{inertial}\n\
         <visual><origin xyz='0 0 0.5' rpy='0 0 1.5707963267948966'/><geometry><mesh filename='package://arm_description/meshes/arm.obj' scale='0.001 0.001 0.001'/></geometry></visual>\n\
         <visual name='knob'><origin xyz='0.1 0 0'/><geometry><sphere radius='0.05'/></geometry><material name='blue'/></visual>\n\
         <visual><geometry><mesh filename='package://arm_description/meshes/none.obj'/></geometry></visual>\n\
         </link>\n<joint name='hinge' type='continuous'><parent link='base'/><child link='arm'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/></joint></robot>"
    );
    let file = folder.join("urdf/robot.urdf");
    fs::write(&file, text).unwrap();
    file
}

fn looks(imported: &Import) -> Vec<&str> {
    let (_, rest) = imported.toml.split_once("[looks]\n").unwrap_or(("", ""));
    rest.lines()
        .take_while(|line| !line.is_empty())
        .map(|line| line.split("  #").next().unwrap().trim_end())
        .collect()
}

#[test]
fn exact_looks_of_a_package() {
    let folder = tempfile::tempdir().unwrap();
    let file = package(folder.path(), true);
    let imported = import(&file, &Options::default()).unwrap();
    assert_eq!(
        looks(&imported),
        [
            "base = { body = \"ground\", type = \"box\", center = [0, 0, 0], size = [1, 2, 3], axis = [1, 0, 0], color = \"#0000ff\" }",
            "arm  = { file = \"../meshes/arm.obj\", scale = \"1 mm\", at = [0, 0, 1.5], axis = [0, 1, 0] }",
            "knob = { body = \"arm\", type = \"sphere\", center = [0.1, 0, 1], radius = 0.05 }",
        ]
    );
    assert_noted(&imported, &["left out", "`arm`", "none.obj` is not found"]);
    let model = imported.model().unwrap();
    assert!(matches!(&model.looks[1].form, LookForm::Mesh(mesh) if mesh.path.is_file()));
    assert!(matches!(&model.looks[2].form, LookForm::Solid(Shape::Sphere { radius, .. }) if *radius == 0.05));
}

/// Written into another folder, the meshes go with the model, and it is read there; printed, it does without them.
#[test]
fn meshes_are_copied_beside_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let file = package(&folder.path().join("arm"), true);
    let model = folder.path().join("models/arm.toml");
    fs::create_dir(folder.path().join("models")).unwrap();
    let options = Options { destination: Destination::File(model.clone()), ..Options::default() };
    let imported = import(&file, &options).unwrap();
    assert!(looks(&imported)[1].starts_with("arm  = { file = \"arm-meshes/arm.obj\""), "{}", imported.toml);
    assert!(imported.model().is_ok(), "before it is copied");
    let bytes = imported.copy_meshes(&model).unwrap();
    assert_eq!((bytes > 200, imported.meshes.len()), (true, 2), "with its materials");
    fs::write(&model, &imported.toml).unwrap();
    assert_eq!(Model::from_file(&model).unwrap().looks.len(), 3);
    let printed =
        import(&file, &Options { destination: Destination::Printed, ..Options::default() }).unwrap();
    assert_eq!(looks(&printed).len(), 2);
    assert_noted(&printed, &["left out", "`arm`", "a mesh", "`linkwork import -o` copies it there"]);
}

/// Written elsewhere within its package, the model names the meshes where they are, as seen from there.
#[test]
fn meshes_of_the_package_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = package(folder.path(), true);
    let model = folder.path().join("models/deep/arm.toml");
    fs::create_dir_all(model.parent().unwrap()).unwrap();
    let options = Options { destination: Destination::File(model.clone()), ..Options::default() };
    let imported = import(&file, &options).unwrap();
    assert!(looks(&imported)[1].contains("file = \"../../meshes/arm.obj\""), "{}", imported.toml);
    assert!(imported.model().is_ok(), "before it is written");
    assert_eq!(imported.copy_meshes(&model).unwrap(), 0);
    fs::write(&model, &imported.toml).unwrap();
    assert_eq!(Model::from_file(&model).unwrap().looks.len(), 3);
}

/// Without a `package.xml` the user says where the package is.
#[test]
fn packages_that_the_user_names_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = package(&folder.path().join("arm"), false);
    let alone = import(&file, &Options::default()).unwrap();
    assert_noted(&alone, &["left out", "`arm`", "--package"]);
    let packages = vec![("arm_description".to_owned(), folder.path().join("arm"))];
    let imported = import(&file, &Options { packages, ..Options::default() }).unwrap();
    assert!(looks(&imported)[1].contains("file = \"meshes/arm.obj\""), "{}", imported.toml);
    // in memory it is found where it is
    assert!(matches!(&imported.model().unwrap().looks[1].form, LookForm::Mesh(mesh) if mesh.path.is_file()));
}

/// Geoms of MJCF: solids with their colours, planes, ellipsoids; those of hidden groups, and those that touch where others are there to be seen, are none.
#[test]
fn exact_looks_of_geoms() {
    let text = "<mujoco><asset><material name='m' rgba='0 1 0 1'/></asset><worldbody><geom name='floor' type='plane' size='1 1 1' rgba='.5 .5 .5 1'/>\n\
        <body name='a' pos='0 0 1'><freejoint/><geom name='leg' type='capsule' fromto='0 0 0 0 0 1' size='.1' material='m'/><geom type='ellipsoid' size='.1 .2 .3' pos='1 0 0' rgba='1 0 0 1'/></body>\n\
        <body name='b' pos='2 0 1'><freejoint/><geom type='box' size='.1 .1 .1' contype='0' conaffinity='0'/><geom type='sphere' size='.2'/><geom type='sphere' size='.3' group='3'/></body></worldbody></mujoco>";
    let imported = import_text("robot.xml", text, &Options::default()).unwrap();
    assert_eq!(
        looks(&imported),
        [
            "floor = { body = \"ground\", type = \"plane\", normal = [0, 0, 1], color = \"#808080\" }",
            "leg   = { body = \"a\", type = \"capsule\", center = [0, 0, 1.5], radius = 0.1, length = 1, axis = [0, 0, 1] }",
            "a_2   = { body = \"a\", type = \"ellipsoid\", center = [1, 0, 1], size = [0.2, 0.4, 0.6], axis = [1, 0, 0], color = \"#ff0000\" }",
            "b     = { type = \"box\", center = [2, 0, 1], size = [0.2, 0.2, 0.2], axis = [1, 0, 0] }",
        ]
    );
    assert_eq!(imported.model().unwrap().looks.len(), 4);
}
