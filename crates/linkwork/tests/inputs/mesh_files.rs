//! Meshes from files beside the model file: what bodies weigh, touch and look like.

use super::table_files::Folder;
use linkwork::Error;
use linkwork::model::{LookForm, Mass, Model, Shape, SurfaceForm};
use linkwork::simulation::Status;
use std::fs;

/// A box of edges 1, 2 and 3, in units of the file.
const BOX: &str = include_str!("../data/written/part.obj");

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("data/part.obj", BOX);
    folder
}

fn model(folder: &Folder, rest: &str) -> Result<Model, Error> {
    folder.write(
        "model.toml",
        format!(
            "format = 1\nmodel = {{ dimension = 3, gravity = '-z' }}\npoints = {{ P = [0, 0, 0] }}\n{rest}"
        ),
    );
    Model::from_file(folder.0.join("model.toml"))
}

/// The mesh of a box weighs as the box does, also where it is turned, stretched and moved.
#[test]
fn exact_mass_of_a_mesh() {
    let folder = folder("mass");
    let [mesh, solid] = [
        "{ type = 'mesh', file = 'data/part.obj', scale = ['2 mm', 0.001, 0.003], at = [1, 2, 3], axis = [1, 1, 0], side = [-1, 1, 1] }",
        // its middle is 4.5 mm along the third edge from its origin
        "{ type = 'box', size = [0.002, 0.002, 0.009], center = [1.0018371173070873, 1.9981628826929127, 3.0036742346141747], axis = [1, 1, 0], side = [-1, 1, 1] }",
    ]
    .map(|shape| {
        let model = model(&folder, &format!("bodies.part = {{ points = ['P'], density = 2700, shape = {shape} }}\n"));
        model.unwrap_or_else(|error| panic!("{error}")).assemble().unwrap_or_else(|faults| panic!("{faults}")).bodies()[0]
            .particles
            .properties
            .clone()
    });
    assert!((mesh.mass - 2700.0 * 0.002 * 0.002 * 0.009).abs() < 1e-15);
    let off = (0..3).map(|k| (mesh.com[k] - solid.com[k]).abs()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{:?} {:?}", mesh.com, solid.com);
    let flat = |m: [[f64; 3]; 3]| m.concat();
    let size = flat(solid.inertia_about_com).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for (a, b) in flat(mesh.inertia_about_com).iter().zip(flat(solid.inertia_about_com)) {
        assert!((a - b).abs() < 1e-12 * size, "{mesh:?} {solid:?}");
    }
}

/// The hull of a mesh has the corners of the box; it stands still on a slope that friction holds, and slides on one that it does not: g (sin α − μ cos α).
#[test]
fn exact_rest_and_stick_of_the_hull_of_a_mesh() {
    let folder = folder("stick");
    // a knob on its top, so that the mesh is not convex, and as many triangles as hide its corners
    folder.write("data/part.obj", format!("{BOX}v 0 0 2\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n"));
    let angle = 20f64.to_radians();
    for friction in [0.5, 0.3] {
        let text = format!(
            "bodies.part = {{ points = ['P'], mass = 3, com = [0, 0, 0.15], inertia = [0.0325, 0.025, 0.0125] }}\n\
             [surfaces]\nfloor = {{ type = 'plane', normal = [0, 0, 1] }}\n\
             foot = {{ type = 'hull', body = 'part', file = 'data/part.obj', scale = 0.1 }}\n\
             [contacts]\nstand = {{ between = ['foot', 'floor'], friction = {friction} }}\n\
             [simulation]\nduration = 2\noutput_step = 0.5\n"
        );
        let mut model = model(&folder, &text).unwrap_or_else(|error| panic!("{error}"));
        let SurfaceForm::HullOf(hull) = &model.surfaces[1].form else { panic!() };
        assert_eq!((hull.corners.len(), hull.left_out), (8, 0.0));
        model.gravity = [0.0, 9.81 * angle.sin(), -9.81 * angle.cos()];
        let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished);
        let at = |name: &str| run.column(&mechanism, name).unwrap();
        let [x, y, z] = ["x", "y", "z"].map(|axis| *at(&format!("point.P.{axis}")).last().unwrap());
        let slides = (angle.sin() - friction * angle.cos()).max(0.0);
        let expected = 0.5 * 9.81 * slides * 4.0;
        println!("friction {friction}: [{x:.1e}, {:.1e}, {z:.1e}] off", y - expected);
        // rest is exact but for the first step's search; sliding is exact but for roundings of the steps
        assert!(x.abs() < 1e-9 && z.abs() < 1e-9 && (y - expected).abs() < 1e-6, "{x} {y} {z}");
    }
}

/// Fewer corners than the mesh has: those that reach farthest, and how far the others stand off.
#[test]
fn exact_hull_of_few_corners() {
    let folder = folder("few");
    let mut ball = String::new();
    for i in 0..40 {
        for k in 0..80 {
            let (a, b) = (
                std::f64::consts::PI * (f64::from(i) + 0.5) / 40.0,
                std::f64::consts::PI * f64::from(k) / 40.0,
            );
            ball += &format!("v {} {} {}\n", a.sin() * b.cos(), a.sin() * b.sin(), a.cos());
        }
    }
    (1..3200).for_each(|n| ball += &format!("f {n} {} 1\n", n + 1));
    folder.write("data/ball.obj", ball);
    let mut last = f64::INFINITY;
    for most in [8, 30, 64, 200] {
        let text = format!(
            "bodies.part = {{ points = ['P'], mass = 3 }}\nsurfaces.s = {{ type = 'hull', body = 'part', file = 'data/ball.obj', most = {most} }}\n"
        );
        let model = model(&folder, &text).unwrap_or_else(|error| panic!("{error}"));
        let SurfaceForm::HullOf(hull) = &model.surfaces[0].form else { panic!() };
        println!("{most} corners: {:.4} of the radius left out", hull.left_out);
        // n caps of the sphere of height h cover it: 2 π h n ≥ 4 π, so that h is some 2/n; a lattice of caps needs about twice that
        assert!(hull.corners.len() <= most && hull.left_out < 8.0 / most as f64 && hull.left_out < last);
        last = hull.left_out;
    }
}

/// Looks have no mass and touch nothing: the motion is the same bits.
#[test]
fn same_motion_with_looks() {
    let folder = folder("looks");
    let pendulum = "bodies.ground = { points = ['P'] }\nbodies.arm = { points = ['P'], mass = 1, com = [0.5, 0, 0], inertia = [0.1, 0.1, 0.1] }\n\
                    joints.hinge = { type = 'revolute', bodies = ['ground', 'arm'], at = 'P', axis = [0, 1, 0] }\nsimulation.duration = 1\n";
    let looks = "[looks]\narm = 'data/part.obj'\nbase = { body = 'ground', type = 'box', size = [1, 1, 1], center = [0, 0, -1], color = 'red' }\n";
    let bits = [pendulum.to_owned(), format!("{pendulum}{looks}")].map(|text| {
        let model = model(&folder, &text).unwrap_or_else(|error| panic!("{error}"));
        let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
        let run = mechanism.simulate().unwrap();
        run.column(&mechanism, "joint.hinge.q").unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert_eq!(bits[0], bits[1]);
    let model = model(&folder, &format!("{pendulum}{looks}")).unwrap();
    assert!(matches!(&model.looks[0].form, LookForm::Mesh(mesh) if mesh.path.ends_with("data/part.obj")));
    assert_eq!((model.looks[0].body.as_str(), model.looks[1].body.as_str()), ("arm", "ground"));
    // written, it names the files that it was read with
    let text = model.to_toml().unwrap();
    assert!(text.contains("arm  = \"data/part.obj\"\nbase = { body = \"ground\", type"), "{text}");
}

#[test]
fn exact_faults_of_meshes() {
    let folder = folder("faults");
    folder.write("data/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write(
        "data/inside-out.obj",
        BOX.replace("f 4 3 2 1", "f 1 2 3 4")
            .replace("f 5 6 7 8", "f 8 7 6 5")
            .replace("f 1 2 6 5", "f 5 6 2 1")
            .replace("f 2 3 7 6", "f 6 7 3 2")
            .replace("f 3 4 8 7", "f 7 8 4 3")
            .replace("f 4 1 5 8", "f 8 5 1 4"),
    );
    folder.write("data/damaged.stl", "solid\nvertex 1 2\n");
    folder.write("data/notes.txt", "no mesh");
    let body = "bodies.part = { points = ['P'], mass = 1 }\n";
    for (rest, path, message) in [
        (format!("{body}looks.part = 'data/none.stl'"), "looks.part.file", "`data/none.stl` is not there"),
        (format!("{body}looks.part = '../part.stl'"), "looks.part.file", "`../part.stl` does not lie in the folder of the model file"),
        (format!("{body}looks.part = '/etc/hostname'"), "looks.part.file", "does not lie in the folder"),
        (format!("{body}looks.part = 'data'"), "looks.part.file", "`data` is not a plain file"),
        (format!("{body}looks.part = 'data/notes.txt'"), "looks.part.file", "no mesh by its ending"),
        (format!("{body}looks.prat = 'data/part.obj'"), "looks.prat", "there is no body `prat`"),
        (format!("{body}looks.a = {{ body = 'prat', file = 'data/part.obj' }}"), "looks.a.body", "there is no body `prat`"),
        (format!("{body}looks.part = {{ file = 'data/part.obj', scale = 0 }}"), "looks.part.scale", "a scale of zero"),
        (format!("{body}looks.part = {{ file = 'data/part.obj', radius = 1 }}"), "looks.part.radius", "a mesh has no `radius`"),
        (format!("{body}looks.part = {{ file = 'data/part.obj', axis = [0, 0, 0] }}"), "looks.part.axis", "the axis has no direction"),
        (format!("{body}looks.part = {{ color = 'red' }}"), "looks.part", "does not say what is seen"),
        (format!("{body}looks.part = {{ type = 'sphere' }}"), "looks.part", "a sphere needs `radius`"),
        (format!("{body}looks.part = {{ type = 'ball', radius = 1 }}"), "looks.part.type", "unknown type of look `ball`"),
        (format!("{body}looks.lid = {{ body = 'ground', type = 'sphere', radius = 1 }}"), "looks.lid", "needs its `center`"),
        (format!("{body}surfaces.s = {{ type = 'hull', body = 'part', file = 'data/flat.obj' }}"), "surfaces.s.file", "all of it lies in one plane"),
        (format!("{body}surfaces.s = {{ type = 'hull', body = 'part', file = 'data/damaged.stl' }}"), "surfaces.s.file", "`data/damaged.stl`: line 2: a vertex needs three numbers"),
        (format!("{body}surfaces.s = {{ type = 'hull', body = 'part', file = 'data/part.obj', vertices = [[0, 0, 0]] }}"), "surfaces.s.vertices", "a hull of a mesh has no `vertices`"),
        ("bodies.part = { points = ['P'], mass = 1, shape = { type = 'mesh', file = 'data/flat.obj' } }".into(), "bodies.part.shape.file", "enclose no volume"),
        ("bodies.part = { points = ['P'], mass = 1, shape = { type = 'mesh', file = 'data/inside-out.obj' } }".into(), "bodies.part.shape.file", "look inwards"),
        ("bodies.part = { points = ['P'], mass = 1, shape = { type = 'mesh' } }".into(), "bodies.part.shape", "a mesh needs `file`"),
        (format!("{body}contacts.c = {{ among = ['part', 'part'], except = [['part', 'prat']] }}"), "contacts.c.except[0][1]", "there is no body `prat`"),
    ] {
        let Err(Error::Model(faults)) = model(&folder, &rest) else { panic!("{rest} is taken") };
        let found = faults.list.iter().any(|fault| fault.path == path && fault.message.contains(message));
        assert!(found, "{rest}\n{faults}");
    }
    // a text without a place has nothing beside it
    let text = fs::read(folder.0.join("model.toml")).unwrap();
    let told = Model::parse(
        "<stdin>",
        String::from_utf8(text).unwrap().replace("contacts.c", "looks.part = 'a.stl'\ncontacts.c"),
    );
    assert!(told.unwrap_err().to_string().contains("does not come from a file"));
}

/// An open surface has a volume all the same, and a warning says what it is worth.
#[test]
fn open_meshes_are_warned_of() {
    let folder = folder("open");
    folder.write("data/part.obj", BOX.replace("f 5 6 7 8\n", ""));
    let text =
        "bodies.part = { points = ['P'], mass = 1, shape = { type = 'mesh', file = 'data/part.obj' } }";
    let faults = model(&folder, text).unwrap().check();
    assert!(
        faults.list.iter().any(|fault| fault.code == Some("open-mesh") && fault.message.contains("4 edges")),
        "{faults}"
    );
}

/// A mesh elsewhere in the package that the model lies in, below a `package.xml`.
#[test]
fn meshes_of_the_own_package_are_read() {
    let folder = folder("package");
    fs::create_dir_all(folder.0.join("models")).unwrap();
    folder.write("models/arm.toml", "format = 1\nmodel.dimension = 3\npoints.P = [0, 0, 0]\nbodies.arm = { points = ['P'], mass = 1 }\nlooks.arm = '../data/part.obj'\n");
    let read = || Model::from_file(folder.0.join("models/arm.toml"));
    assert!(read().is_err());
    folder.write("package.xml", "<package/>");
    assert_eq!(read().unwrap_or_else(|error| panic!("{error}")).looks.len(), 1);
}

/// In code: a solid of a file as the shape of a body.
#[test]
fn exact_mesh_in_code() {
    use linkwork::model::{Amount, Body, MeshFile};
    let folder = folder("code");
    let shape = MeshFile::new(folder.0.join("data/part.obj")).scale(0.1).at("P").solid().unwrap();
    assert!(matches!(&shape, Shape::Mesh { solid, .. } if (solid.volume - 6e-3).abs() < 1e-15));
    let model = Model::spatial("block").point("P", [0.0, 0.0, 0.0]).body(Body::new(
        "block",
        ["P"],
        Mass::Shape(shape, Amount::Density(1000.0)),
    ));
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let properties = &mechanism.bodies()[0].particles.properties;
    assert!((properties.mass - 6.0).abs() < 1e-12 && (properties.com[2] - 0.15).abs() < 1e-12);
    assert!(MeshFile::new(folder.0.join("none.stl")).solid().is_err());
}
