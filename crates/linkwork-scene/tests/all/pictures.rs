//! What mechanisms look like: supports, gears, drums, bodies without a shape, the floor, what the model wants to be shown.

use linkwork::joints::Symbol;
use linkwork::model::Model;
use linkwork_scene::scene::{Scene, Solid, View};

fn example(name: &str) -> Scene {
    let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scene::of(&Model::from_file(file).unwrap().assemble().unwrap())
}

fn of(text: &str) -> Scene {
    Scene::of(&Model::from_toml(text).unwrap().assemble().unwrap())
}

fn body<'s>(scene: &'s Scene, name: &str) -> &'s [Solid] {
    &scene.bodies.iter().find(|body| body.name == name).unwrap().solids
}

/// A free body with given inertia is the box of that inertia: I_x = m (b² + c²) / 12 with the edges b and c, and so on.
#[test]
fn exact_box_of_an_inertia() {
    let scene = example("spinning-body");
    let [Solid::Box { axes, half, .. }] = body(&scene, "racket") else { panic!("{:?}", scene.bodies[1]) };
    let mass = 1.2;
    for (axis, inertia) in [0.02, 0.05, 0.06].into_iter().enumerate() {
        // the edges across a world axis, in which the inertia is diagonal
        let across = (0..3).filter(|k| axes[*k][axis].abs() < 0.5).map(|k| 4.0 * half[k] * half[k]);
        let found = mass / 12.0 * across.sum::<f64>();
        assert!((found / inertia - 1.0).abs() < 1e-9, "{axis}: {found} for {inertia}");
    }
}

/// In the plane it is the disc of that inertia, I = m r²/2; a drum is as large as its winch says, and its rope runs to where the chain begins.
#[test]
fn exact_discs_and_drums() {
    let text = "format = 1\n[points]\nA = [0, 0]\nB = [4, 0]\n[bodies]\nground.points = ['A', 'B']\n\
                wheel = { points = ['A'], mass = 2, com = 'A', inertia = 0.16 }\nrod = { points = ['A', 'B'], mass = 1 }\n";
    let text = text.replace("ground.points = ['A', 'B']", "ground = { points = ['A'] }");
    let scene = of(&text);
    let [Solid::Cylinder { radius, .. }] = body(&scene, "wheel") else { panic!("{:?}", scene.bodies) };
    assert!((radius - 0.4).abs() < 1e-12, "{radius}");
    let scene = example("winch");
    let [Solid::Cylinder { radius, .. }] = body(&scene, "drum") else { panic!("{:?}", scene.bodies) };
    assert!((radius - 0.2).abs() < 1e-12);
    let rope = &scene.cables[0];
    assert!((rope.radii[1].abs() - 0.2).abs() < 1e-12 && rope.through[0].at == [0.0; 3], "{rope:?}");
}

/// Gears have teeth: corners alternate between tip and root circles; the plain disc of a gear is gone.
#[test]
fn exact_teeth_of_a_gear() {
    let scene = example("gear-train");
    // radius and module of each wheel: the least ones of the trains, 18 and 20 mm, have 12 teeth
    let (large, small) = (36.0 / 12.0, 40.0 / 12.0);
    for (name, radii) in [
        ("motor", vec![(18.0, large)]),
        ("shaft2", vec![(54.0, large), (20.0, small)]),
        ("planet", vec![(20.0, small)]),
    ] {
        let meshes: Vec<&Solid> =
            body(&scene, name).iter().filter(|solid| matches!(solid, Solid::Mesh { .. })).collect();
        assert_eq!(meshes.len(), radii.len(), "{name}");
        assert!(!body(&scene, name).iter().any(|solid| matches!(solid, Solid::Cylinder { .. })), "{name}");
        for (mesh, (radius, module)) in meshes.into_iter().zip(radii) {
            let Solid::Mesh { vertices, .. } = mesh else { unreachable!() };
            let far = vertices.iter().map(|v| 1e3 * v[0].hypot(v[1])).fold(0.0, f64::max);
            assert!((far - radius - 0.9 * module).abs() < 1e-6, "{name}: {far} of {radius}");
        }
    }
}

/// Every pin, ball, cross, block and rod at the ground stands on a support, in all examples.
#[test]
fn exact_supports_of_all_connections_to_the_ground() {
    for file in crate::examples::examples() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let model = Model::from_file(&file).unwrap();
        if model.looks.iter().any(|look| look.body == "ground") {
            continue;
        }
        let scene = Scene::of(&model.assemble().unwrap());
        let stands = [Symbol::Pin, Symbol::Ball, Symbol::Cross, Symbol::Block, Symbol::Rod];
        let joints = scene.joints.iter().filter(|joint| stands.contains(&joint.symbol));
        for spot in joints.flat_map(|joint| &joint.spots).filter(|spot| spot.body == 0) {
            let near = |at: &[f64; 3]| (0..3).all(|k| (at[k] - spot.at[k]).abs() < 0.02 * scene.unit);
            let held = match scene.dimension {
                2 => scene.supports.iter().any(near),
                _ => scene.bodies[0].solids.iter().any(|solid| match solid {
                    Solid::Mesh { vertices, .. } => near(&vertices[0]),
                    _ => false,
                }),
            };
            assert!(held, "{name}: nothing holds {:?}", spot.at);
        }
    }
}

/// The jib of the crane is 45 m above the origin, which is the floor: it stands on a mast of about that height. A floor of the model's own is where it says.
#[test]
fn exact_floor_and_masts() {
    let scene = example("tower-crane");
    assert_eq!(scene.floor, Some(0.0));
    let mast = |scene: &Scene| {
        let height = |solid: &Solid| match solid {
            Solid::Box { half, .. } => 2.0 * half[2],
            _ => 0.0,
        };
        scene.bodies[0].solids.iter().map(height).fold(0.0, f64::max)
    };
    assert!((mast(&scene) - (45.0 - 2.6 * scene.unit)).abs() < 1e-9, "{}", mast(&scene));
    let text = "format = 1\ngravity = 1\n".replace("gravity = 1\n", "")
        + "[points]\nA = [0, 0, 0]\nB = [1, 0, 0]\n[bodies]\nground = { points = ['A'] }\nrod = { points = ['A', 'B'], mass = 1 }\n";
    let level = of(&text);
    assert!((level.floor.unwrap() + 2.85 * level.unit).abs() < 1e-12, "{:?}", level.floor);
    let said = of(&format!("{text}[view]\nfloor = -2\n"));
    assert_eq!(said.floor, Some(-2.0));
    assert!((mast(&said) - (2.0 - 2.6 * said.unit)).abs() < 1e-9);
    // a road is a floor already
    assert_eq!(example("vehicle").floor, None);
}

/// What the model wants to be shown at first is in the scene, by numbers.
#[test]
fn exact_view_of_the_model() {
    let text = "format = 1\n[points]\nA = [0, 0, 0]\nB = [1, 0, 0]\n[bodies]\nground = { points = ['A'] }\nrod = { points = ['A', 'B'], mass = 1 }\n";
    assert!(of(text).view.is_empty());
    let view =
        "[view]\ncamera = 'iso'\nfollow = 'rod'\ntraces = ['B']\nplots = ['energy.*']\nlabels = true\n";
    let View { direction, follow, traces, plots, labels } = of(&format!("{text}{view}")).view;
    let [azimuth, elevation] = direction.unwrap();
    assert!((azimuth + 45.0).abs() < 1e-12 && (elevation - 35.264_389_682_754_654).abs() < 1e-12);
    assert_eq!((follow, traces, plots, labels), (Some(1), vec![1], vec!["energy.*".to_owned()], true));
    for (key, word) in [
        ("traces = ['C']", "there is no point `C`"),
        ("follow = 'nobody'", "there is no body `nobody`"),
        ("camera = 'behind'", "behind"),
        ("elevation = '91 deg'", "at most 90 degrees"),
        ("camera = 'top'\nazimuth = 0", "remove one of them"),
    ] {
        let error = match Model::from_toml(&format!("{text}[view]\n{key}\n")) {
            Err(error) => error.to_string(),
            Ok(model) => model.assemble().unwrap_err().to_string(),
        };
        assert!(error.contains(word), "{key}: {error}");
    }
}
