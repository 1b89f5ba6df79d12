//! MJCF.

use linkwork::Model;
use linkwork_import::notes::{Severity, Table};
use linkwork_import::{Base, Import, Loops, Options, import_text};
use nalgebra::{Matrix3, Vector3};

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

#[track_caller]
fn read_with(text: &str, options: &Options) -> Import {
    let imported = import_text("test.xml", text, options).unwrap_or_else(|faults| panic!("{faults}"));
    imported.model().unwrap_or_else(|error| panic!("{error}\n{}", imported.toml));
    imported
}

#[track_caller]
fn read(text: &str) -> Import {
    read_with(text, &Options::default())
}

/// `inner` within a body that hangs on a hinge.
fn body(inner: &str) -> String {
    format!("<mujoco><worldbody><body name='b'><joint name='j'/>{inner}</body></worldbody></mujoco>")
}

fn refusal(text: &str) -> String {
    import_text("test.xml", text, &Options::default()).unwrap_err().to_string()
}

#[track_caller]
fn noted(imported: &Import, severity: Severity, words: &str) {
    let found = imported.notes.iter().any(|note| {
        note.severity == severity && format!("{} {} {}", note.item, note.what, note.done).contains(words)
    });
    assert!(found, "{severity:?} {words} in\n{}", Table(&imported.notes));
}

/// Values of a column of a run.
fn column(mut model: Model, duration: f64, name: &str) -> Vec<f64> {
    model.settings.duration = duration;
    model.settings.output_step = duration / 10.0;
    model.settings.tolerance = 1e-12;
    let mechanism = model.assemble().unwrap_or_else(|error| panic!("{error}"));
    let run = mechanism.simulate().unwrap_or_else(|error| panic!("{error}"));
    run.column(&mechanism, name).unwrap_or_else(|| panic!("no column {name}"))
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= tolerance, "{off:e}");
}

/// The linkage of `four_bar_connect.xml` and `four_bar_weld.xml` as a person would draw it in the plane.
const OUR_FOUR_BAR: &str = "format = 1
model.dimension = 2
model.gravity = [0, -9.81]
points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0] }
bodies.ground = { points = ['A', 'D'] }
bodies.crank = { points = ['A', 'B'], mass = 1, com = [0, 0.5], inertia = 0.0833 }
bodies.coupler = { points = ['B', 'C'], mass = 2, com = [1, 1.6], inertia = 0.5 }
bodies.rocker = { points = ['C', 'D'], mass = 1.5, com = [2, 1], inertia = 0.51 }
initial.angular_velocities.crank = -3
";

/// A loop that MuJoCo closes softly moves as our own does, whichever way it is closed and with all of its demands or the fewest.
#[test]
fn cross_four_bars_by_connect_and_weld_move_as_our_own() {
    let ours = Model::parse("ours.toml", OUR_FOUR_BAR).unwrap();
    let expected = column(ours, 2.0, "joint.A.q");
    assert!(expected.iter().any(|angle| angle.abs() > 1.0), "{expected:?}");
    for (file, redundant) in [("connect", [1, 0]), ("weld", [3, 3])] {
        let text =
            std::fs::read_to_string(format!("{}/tests/data/four_bar_{file}.xml", env!("CARGO_MANIFEST_DIR")))
                .unwrap();
        for (loops, redundant) in [Loops::AsGiven, Loops::Fewest].into_iter().zip(redundant) {
            let imported = read_with(&text, &options(|options| options.loops = loops));
            let model = imported.model().unwrap();
            let mechanism = model.clone().assemble().unwrap();
            assert_eq!(mechanism.degrees_of_freedom(), 1);
            assert_eq!(mechanism.redundancy().count, redundant, "{file} {loops:?}");
            assert_close(&column(model, 2.0, "joint.A.q"), &expected, 1e-9);
        }
    }
}

/// A pendulum of several joints on one body: links without mass, in the order of the file.
#[test]
fn several_joints_stand_one_in_another() {
    let text = "<mujoco><compiler angle='radian'/><worldbody><body name='b' pos='1 2 3'>
        <joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1' armature='2'/><joint name='turn' axis='0 1 0' pos='0 0 0.5'/>
        <geom type='box' size='0.1 0.2 0.3' mass='6'/></body></worldbody></mujoco>";
    let imported = read(text);
    let robot = &imported.robot;
    assert_eq!(robot.links.iter().map(|link| link.mass).collect::<Vec<_>>(), [0.0, 0.0, 6.0]);
    assert_eq!(robot.joints[2].origin, Vector3::new(1.0, 2.0, 3.5));
    assert_eq!(robot.joints[1].coordinates[0].armature, 2.0);
    assert_eq!(imported.model().unwrap().assemble().unwrap().degrees_of_freedom(), 3);
    // the vertical slide has a rotor: z'' = -m g / (m + 2)
    let z = column(imported.model().unwrap(), 0.5, "joint.z.q");
    assert!((z.last().unwrap() + 9.81 * 6.0 / 8.0 * 0.125).abs() < 1e-10, "{z:?}");
}

/// `ref` and `springref` count from MuJoCo's zero, ours from the drawn pose.
#[test]
fn coordinates_count_from_the_drawn_pose() {
    let text = "<mujoco><worldbody><body name='b'><joint name='j' range='-10 80' ref='30' springref='45' stiffness='2' damping='0.1' frictionloss='0.3'/>
        <geom size='0.1' pos='0.2 0 0'/></body></worldbody>
        <actuator><position name='servo' joint='j' kp='5' kv='0.5' gear='2' ctrlrange='-1 1' forcerange='-3 3'/></actuator>
        <sensor><jointpos name='angle' joint='j'/><jointvel joint='j'/><actuatorfrc actuator='servo'/><magnetometer site='none'/></sensor></mujoco>";
    let imported = read(text);
    let joint = &imported.robot.joints[0].coordinates[0];
    let degrees = |x: f64| x.to_radians();
    assert!(
        (joint.limits[0] - degrees(-40.0)).abs() < 1e-15 && (joint.limits[1] - degrees(50.0)).abs() < 1e-15
    );
    assert!((joint.rest - degrees(15.0)).abs() < 1e-15);
    assert_eq!((joint.stiffness, joint.damping, joint.friction), (2.0, 0.1, 0.3));
    // force = g (kp u - kp g (q + ref) - kv g v), at most g times 3
    let motor = &imported.robot.actuators[0].drive;
    assert_eq!((motor.gain, motor.force_limits), ([10.0, 0.0, 0.0], [-6.0, 6.0]));
    assert!(
        (motor.bias[0] + 20.0 * degrees(30.0)).abs() < 1e-14
            && motor.bias[1] == -20.0
            && motor.bias[2] == -2.0
    );
    assert_eq!(imported.robot.sensors.len(), 3);
    noted(&imported, Severity::Assumed, "hard stops");
    noted(&imported, Severity::LeftOut, "a sensor of kind `magnetometer`");
}

#[test]
fn classes_nest_and_elements_win() {
    let text = "<mujoco><default><joint damping='1'/><geom density='500'/><motor gear='3'/>
        <default class='arm'><joint armature='0.1'/><default class='hand'><joint damping='2'/></default></default></default>
        <worldbody><body name='a' childclass='arm'><joint name='one'/><geom size='0.1'/>
        <body name='b' childclass='hand'><joint name='two'/><joint name='three' axis='1 0 0' class='main' damping='4'/><geom size='0.1' density='1000'/></body></body></worldbody>
        <actuator><motor joint='one'/><position joint='two' kp='7' gear='1'/></actuator></mujoco>";
    let imported = read(text);
    let along: Vec<_> = imported
        .robot
        .joints
        .iter()
        .map(|joint| (joint.coordinates[0].damping, joint.coordinates[0].armature))
        .collect();
    assert_eq!(along, [(1.0, 0.1), (2.0, 0.1), (4.0, 0.0)]);
    let masses: Vec<f64> =
        imported.robot.links.iter().map(|link| link.mass).filter(|mass| *mass > 0.0).collect();
    assert!((masses[1] / masses[0] - 2.0).abs() < 1e-15);
    let gain = |n: usize| imported.robot.actuators[n].drive.gain[0];
    assert_eq!((gain(0), gain(1)), (3.0, 7.0));
    let unknown = refusal(&body("<geom size='1' class='nobody'/>"));
    assert!(unknown.contains("test.xml:1") && unknown.contains("no default class `nobody`"), "{unknown}");
}

/// The order of `fullinertia` is xx yy zz xy xz yz; an orientation turns `diaginertia`.
#[test]
fn exact_inertia() {
    let inertia = |text: &str| read(&body(text)).robot.links[0].world_inertia();
    let full = inertia("<inertial pos='0 0 0' mass='1' fullinertia='3 4 5 0.1 0.2 0.3'/>");
    assert_eq!(full, Matrix3::new(3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0));
    let turned = inertia("<inertial pos='0 0 0' mass='1' diaginertia='3 4 5' euler='0 0 90'/>");
    assert!((turned - Matrix3::from_diagonal(&Vector3::new(4.0, 3.0, 5.0))).norm() < 1e-15);
}

/// Masses of geoms: a capsule from one place to another, a box with a given mass, and both together about their common centre.
#[test]
fn exact_masses_of_geoms() {
    let imported = read(&body(
        "<geom type='capsule' size='0.1' fromto='0 0 0 1 0 0'/><geom type='box' size='1 2 3' pos='0 0 4' mass='12'/>",
    ));
    let link = &imported.robot.links[0];
    let pi = std::f64::consts::PI;
    let capsule = 1000.0 * pi * (0.01 + 4.0 / 3.0 * 0.001);
    assert!((link.mass - capsule - 12.0).abs() < 1e-12);
    let com = (Vector3::new(0.5, 0.0, 0.0) * capsule + Vector3::new(0.0, 0.0, 4.0) * 12.0) / link.mass;
    assert!((link.com - com).norm() < 1e-14);
    let bounded = "<mujoco><compiler settotalmass='10' inertiagrouprange='1 2'/><worldbody><body><joint/><geom size='1' group='1'/><geom size='9'/></body></worldbody></mujoco>";
    let imported = read(bounded);
    assert!((imported.robot.links[0].mass - 10.0).abs() < 1e-14);
    assert!((imported.robot.links[0].inertia[(0, 0)] - 4.0).abs() < 1e-14); // 2/5 m r²
}

#[test]
fn frames_and_replicas_move_what_is_in_them() {
    let text = "<mujoco><worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='1 0 0'><freejoint/><geom size='0.1'/></body></frame>
        <replicate count='3' offset='0 0 1' sep='-'><body name='c'><joint/><geom size='0.1' pos='0.2 0 0'/></body></replicate></worldbody></mujoco>";
    let robot = read(text).robot;
    let places: Vec<_> = robot.links.iter().map(|link| (link.name.as_str(), link.pose.origin)).collect();
    assert!((places[0].1 - Vector3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
    assert_eq!(places[1..].iter().map(|place| place.0).collect::<Vec<_>>(), ["c-0", "c-1", "c-2"]);
    assert_eq!(places[3].1, Vector3::new(0.0, 0.0, 2.0));
}

/// Two hinges on a fixed tendon with a spring: L = 2 q1 - q2, so both move as the sum of factors wants.
#[test]
fn cross_fixed_tendons_pull_by_their_factors() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>
        <body name='a'><joint name='p'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>
        <body name='b' pos='1 0 0'><joint name='q'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 2'/></body></worldbody>
        <tendon><fixed name='t' stiffness='3' springlength='0.4'><joint joint='p' coef='2'/><joint joint='q' coef='-1'/></fixed></tendon>
        <actuator><motor name='m' tendon='t' gear='2' ctrlrange='-1 1'/></actuator></mujoco>";
    let imported = read(text);
    // M = diag(1, 2), J = (2, -1), L'' = -k (4/1 + 1/2) (L - 0.4), L(0) = 0
    let rate = (3.0f64 * 4.5).sqrt();
    let times: Vec<f64> = (0..=10).map(|n| 0.1 * f64::from(n)).collect();
    let expected: Vec<f64> = times.iter().map(|t| 0.4 * (1.0 - (rate * t).cos())).collect();
    assert_close(&column(imported.model().unwrap(), 1.0, "measure.t_length"), &expected, 1e-9);
}

#[test]
fn spatial_tendons_become_cables() {
    let text = "<mujoco><worldbody><site name='s' pos='0 0 1'/><body name='b'><freejoint/><geom size='0.1'/><site name='e' pos='0 0 0.1'/></body></worldbody>
        <tendon><spatial name='rope' stiffness='50' springlength='0 0.5'><site site='s'/><site site='e'/></spatial>
        <spatial name='wrapped'><site site='s'/><geom geom='g'/><site site='e'/></spatial></tendon></mujoco>";
    let imported = read(text);
    let cable = &imported.robot.cables[0];
    assert_eq!((cable.free_length, cable.tension_only), (0.5, true));
    noted(&imported, Severity::Changed, "a tendon with <geom>");
}

/// What cannot be had is told, with its line, and `--strict` refuses it.
#[test]
fn nothing_is_left_out_in_silence() {
    let text = "<mujoco>\n<option timestep='0.01' viscosity='2'/>\n<worldbody>\n<body name='b' mocap='true'/>\n<body name='c' gravcomp='1'><joint type='ball' damping='3'/><geom size='1' solref='0.1 1'/>\n<composite type='cable'/></body></worldbody>
        <deformable/><actuator><muscle joint='x'/></actuator><contact><pair geom1='a' geom2='b'/></contact></mujoco>";
    let imported = read(text);
    for words in [
        "viscosity",
        "motion capture",
        "`gravcomp`",
        "damping of a ball",
        "<composite>",
        "<deformable>",
        "`muscle`",
        "<pair>",
    ] {
        noted(&imported, Severity::Changed, words);
    }
    noted(&imported, Severity::Assumed, "`solref`");
    noted(&imported, Severity::Equivalent, "timestep");
    let composite = imported.notes.iter().find(|note| note.what == "<composite>").unwrap();
    assert_eq!(composite.place.line, 6);
    let strict =
        import_text("test.xml", text, &options(|options| options.strict = true)).unwrap_err().to_string();
    assert!(strict.contains("test.xml:6"), "{strict}");
}

#[test]
fn base_fixed_and_floating() {
    let free = "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/><body name='c'><joint/><geom size='1'/></body></body></worldbody></mujoco>";
    let count = |text: &str, base| {
        read_with(text, &options(|options| options.base = base))
            .model()
            .unwrap()
            .assemble()
            .unwrap()
            .degrees_of_freedom()
    };
    assert_eq!(count(free, None), 7);
    assert_eq!(count(free, Some(Base::Fixed)), 1);
    assert_eq!(count(&free.replace("<freejoint/>", ""), Some(Base::Floating)), 7);
}

#[test]
fn equalities_of_joints_and_held_joints() {
    let text = |equality: &str| {
        format!("<mujoco><worldbody><body name='a'><joint name='p'/><geom size='0.1'/></body>
        <body name='b' pos='1 0 0'><joint name='q'/><geom size='0.1'/></body></worldbody><equality>{equality}</equality></mujoco>")
    };
    let imported = read(&text("<joint joint1='p' joint2='q' polycoef='0 2 0 0 0'/>"));
    assert_eq!(imported.robot.couplings[0].terms, [(0, 0, 1.0), (1, 0, -2.0)]);
    noted(&imported, Severity::Assumed, "gives way");
    assert_eq!(read(&text("<joint joint1='p'/>")).robot.joints.len(), 1);
    noted(
        &read(&text("<joint joint1='p' joint2='q' polycoef='0.1 1 3'/>")),
        Severity::Changed,
        "powers in `polycoef`",
    );
    noted(&read(&text("<distance geom1='x' geom2='y'/>")), Severity::Changed, "MuJoCo itself removed");
    assert!(refusal(&text("<joint joint1='nobody'/>")).contains("there is no joint `nobody`"));
}

#[test]
fn included_files_are_put_in_place_and_cycles_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "arm.xml",
        "<mujocoinclude><body name='arm'><joint/><geom type='mesh' mesh='cube'/></body></mujocoinclude>",
    );
    write("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write(
        "main.xml",
        "<mujoco><asset><mesh file='cube.obj' scale='2 2 2'/></asset><worldbody><include file='arm.xml'/></worldbody></mujoco>",
    );
    write("loop.xml", "<mujoco><include file='loop.xml'/></mujoco>");
    let imported = linkwork_import::import(folder.path().join("main.xml"), &Options::default()).unwrap();
    assert!(
        (imported.robot.links[0].mass - 1000.0 * 8.0 / 6.0).abs() < 1e-9,
        "{}",
        imported.robot.links[0].mass
    );
    let cycle =
        linkwork_import::import(folder.path().join("loop.xml"), &Options::default()).unwrap_err().to_string();
    assert!(cycle.contains("includes itself"), "{cycle}");
}

/// A tetrahedron of the unit axes in MuJoCo's binary format.
#[test]
fn exact_mesh_of_msh() {
    let mut bytes: Vec<u8> = [4i32, 0, 0, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
    for x in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] {
        bytes.extend(x.to_le_bytes());
    }
    for n in [0i32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] {
        bytes.extend(n.to_le_bytes());
    }
    let read = |bytes: &[u8]| linkwork_mesh::Mesh::from_bytes("msh", bytes, &linkwork_mesh::alone);
    let mesh = read(&bytes).unwrap();
    let (signed, unsigned) = (mesh.volume().unwrap(), mesh.unsigned_volume().unwrap());
    assert!((signed.volume - 1.0 / 6.0).abs() < 1e-15);
    assert!(
        (unsigned.volume - signed.volume).abs() < 1e-15 && (unsigned.inertia - signed.inertia).norm() < 1e-15
    );
    assert!(read(&bytes[..bytes.len() - 4]).unwrap_err().to_string().contains("do not fit"));
    bytes[0] = 3;
    assert!(read(&bytes).is_err());
}

/// Damaged files end in a fault or in a model, and soon.
#[test]
fn mutated_files_neither_panic_nor_hang() {
    let whole = include_str!("../data/mixed.xml");
    assert!(import_text("test.xml", whole, &options(|options| options.loops = Loops::Fewest)).is_ok());
    let tokens = [
        "'", "-1", "1e30", "nan", "0", "", "b0", "<body>", "99999999", "count", "world", "/>", "free", "ball",
    ];
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for _ in 0..1500 {
        let mut text = whole.to_owned();
        for _ in 0..=random(2) {
            let (at, length) = (random(text.len()), random(12));
            let end = (at + length).min(text.len());
            text.replace_range(at..end, tokens[random(tokens.len())]);
        }
        if let Ok(imported) =
            import_text("test.xml", &text, &options(|options| options.loops = Loops::Fewest))
            && let Err(error) = imported.model()
        {
            assert!(!error.to_string().contains("TOML syntax"), "{error}\n{}", imported.toml);
        }
    }
}

#[test]
fn replicas_have_limits() {
    let nested = |inner: String| format!("<replicate count='99999' offset='1 0 0'>{inner}</replicate>");
    let text =
        format!("<mujoco><worldbody>{}</worldbody></mujoco>", nested(nested(nested("<geom/>".into()))));
    assert!(refusal(&text).contains("elements, replicas counted"));
    let many = nested("<body><joint/></body>".into());
    assert!(refusal(&format!("<mujoco><worldbody>{many}</worldbody></mujoco>")).contains("at most 10000"));
}
