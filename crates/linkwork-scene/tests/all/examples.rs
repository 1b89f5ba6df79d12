//! Every example as a scene: what stands where, whatever happens to the mechanism.

use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use linkwork_scene::scene::{Scene, Solid};
use linkwork_scene::{Poser, place_in};
use std::collections::HashSet;
use std::path::PathBuf;

pub fn examples() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() > 30, "where are the examples?");
    files
}

/// The example, cut short where its run takes long.
fn mechanism(file: &PathBuf) -> Mechanism {
    let mut model = Model::from_file(file).unwrap();
    let longest = match file.file_stem().unwrap().to_str().unwrap() {
        "sand-heap" => 0.02,
        "paper-clip" => 0.004,
        "hundred-dominoes" | "brick-wall" | "flexible-robot" | "leaf-spring" => 0.1,
        "breaking-chain" | "line-throwing-rocket" | "latch" | "winch" => 3.0,
        _ => 0.5,
    };
    model.settings.duration = model.settings.duration.min(longest);
    model.settings.tolerance = model.settings.tolerance.max(1e-7);
    model.assemble().unwrap()
}

fn check_scene(name: &str, mechanism: &Mechanism, scene: &Scene) {
    assert_eq!(scene.fault(), None, "{name}");
    let [low, high] = scene.bounds;
    assert!((0..3).all(|i| high[i] > low[i]), "{name}: {low:?} {high:?}");
    assert!(scene.unit > 0.0);
    let columns: HashSet<String> =
        linkwork::results::columns(mechanism).into_iter().map(|column| column.name).collect();
    for arrow in &scene.arrows {
        assert!(!arrow.columns.is_empty());
        assert!(arrow.columns.iter().all(|column| columns.contains(column)), "{name}: {arrow:?}");
    }
    for (b, body) in scene.bodies.iter().enumerate().skip(1).filter(|(_, body)| !body.auxiliary) {
        let real = |solid: &Solid| !matches!(solid, Solid::Line { .. } | Solid::Plane { .. });
        let surface = scene.modal_bodies.iter().any(|surface| surface.body == b);
        assert!(
            surface || body.painted().any(|(solid, _)| real(solid)),
            "{name}: nothing to see of {}",
            body.name
        );
        assert!(body.colour > 0 && body.colour < 10);
        for joint in &scene.joints {
            let [p, q] = joint.spots.map(|spot| spot.body);
            let auxiliary = [p, q].iter().any(|b| scene.bodies[*b].auxiliary);
            assert!(
                auxiliary || p == q || scene.bodies[p].colour != scene.bodies[q].colour || b == 0,
                "{name}"
            );
        }
    }
}

/// c + R s is where the results say that a point is, at every row, after changes of structure as well.
#[test]
fn cross_points_stand_where_results_say() {
    let mut changed = Vec::new();
    for file in examples() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mechanism = mechanism(&file);
        let scene = Scene::of(&mechanism);
        check_scene(&name, &mechanism, &scene);
        let mut poser = Poser::new(&scene);
        let trajectory = mechanism.simulate().unwrap();
        let size = scene.bounds[1].iter().zip(scene.bounds[0]).map(|(h, l)| h - l).fold(0.0, f64::max);
        let mut looked = 0;
        for frame in &trajectory.frames {
            let stage = frame.stage.as_deref().unwrap_or(&mechanism);
            if frame.stage.is_some() && changed.last() != Some(&name) {
                changed.push(name.clone());
            }
            let pose = poser.pose(&mechanism, frame);
            assert_eq!(pose.bodies.len() + 1, scene.bodies.len());
            for (beam, sections) in scene.beams.iter().zip(&pose.beams) {
                let rings = beam.swept(sections);
                let (r, s) = (&rings, sections);
                let apart = |k: usize| (0..3).map(move |c| (r[k * beam.rings].at[c] - s[k].at[c]).abs());
                let off = (0..sections.len()).flat_map(apart).fold(0.0, f64::max);
                assert!(!rings.is_empty() && off < 1e-12 * size, "{name}: {} is off by {off:e}", beam.name);
            }
            let alone = stage.expansion().map(|e| &e.alone);
            for (point, r) in stage.points().iter().zip(&frame.positions).take(stage.shown().points) {
                if alone.is_some_and(|alone| alone.contains(&point.name)) {
                    continue;
                }
                let Some(known) = scene.points.iter().find(|p| p.name == point.name) else { continue };
                let Some(at) = place_in(&pose, &known.spot) else { continue };
                let off = (0..3).map(|i| (at[i] - r[i]).abs()).fold(0.0, f64::max);
                // rows of long ways round more
                let far = r.iter().fold(size, |s, x| s.max(x.abs()));
                assert!(
                    off <= 1e-9 * far,
                    "{name}: {} at {} s is off by {off:e} of {far}",
                    point.name,
                    frame.t
                );
                looked += 1;
            }
        }
        assert!(looked >= trajectory.frames.len(), "{name}: {looked}");
    }
    println!("changed while they ran: {changed:?}");
    assert!(changed.len() >= 3, "{changed:?}");
}

/// Bodies have the colour that the model gives them; hidden ones have nothing to be seen.
#[test]
fn exact_colours_and_hidden_bodies() {
    let file = |rod: &str| {
        let text = format!(
            "format = 1\npoints = {{ A = [0, 0], B = [1, 0], C = [2, 0] }}\nbodies.ground = {{ points = ['A'] }}\n\
             bodies.rod = {{ points = ['A', 'B'], mass = 1{rod} }}\nbodies.end = {{ points = ['B', 'C'], mass = 1 }}\n"
        );
        Model::from_toml(&text).map(|model| Scene::of(&model.assemble().unwrap()))
    };
    let painted = file(", color = '#F80'").unwrap();
    assert_eq!(painted.bodies[1].paint.as_deref(), Some("#ff8800"));
    assert_eq!((painted.bodies[2].paint.as_deref(), painted.fault()), (None, None));
    assert_eq!(file(", color = 'teal'").unwrap().bodies[1].paint.as_deref(), Some("#159a7f"));
    let hidden = file(", visible = false").unwrap();
    assert!(hidden.bodies[1].solids.is_empty() && !hidden.bodies[2].solids.is_empty());
    let refused = file(", color = 'tael'").unwrap_err().to_string();
    assert!(
        refused.contains("`tael` is not a colour") && refused.contains("did you mean `teal`?"),
        "{refused}"
    );
}
