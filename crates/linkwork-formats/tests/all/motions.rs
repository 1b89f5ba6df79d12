//! Recorded motions as glTF files and moving pictures.

use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use linkwork::results::Frame;
use linkwork_formats::animation::Film;
use linkwork_formats::motion::{Clock, Motion};
use linkwork_formats::{Error, glb};
use linkwork_scene::Recorder;
use std::collections::HashMap;

/// Rows of a run: time, and where the points are.
type Rows = Vec<(f64, HashMap<String, [f64; 3]>)>;

/// Runs an example for a while and records it.
fn record(example: &str, duration: f64, step: f64) -> (Motion, Rows, f64) {
    let file = format!("{}/../../examples/{example}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut model = Model::from_file(file).unwrap();
    model.settings.duration = duration;
    model.settings.output_step = step;
    model.settings.tolerance = model.settings.tolerance.max(1e-7);
    let mechanism = model.assemble().unwrap();
    let columns = linkwork::results::columns(&mechanism);
    let mut recorder = Recorder::new(&mechanism);
    let mut rows = Rows::new();
    let mut row = Vec::new();
    mechanism
        .run(&mut |frame: &Frame| {
            recorder.record(&mechanism, frame);
            linkwork::results::row(&mechanism, frame, &mut row);
            let mut points: HashMap<String, [f64; 3]> = HashMap::new();
            for (column, x) in columns.iter().zip(&row) {
                if let Some((name, axis)) =
                    column.name.strip_prefix("point.").and_then(|n| n.rsplit_once('.'))
                    && let Some(k) = ["x", "y", "z"].iter().position(|a| *a == axis)
                    && !x.is_nan()
                {
                    points.entry(name.to_string()).or_default()[k] = *x;
                }
            }
            rows.push((frame.t, points));
        })
        .unwrap();
    let mut file = Vec::new();
    recorder.write(&mut file, &[]).unwrap();
    let recording = linkwork_scene::Recording::from_reader(&file[..]).unwrap();
    (recording.into(), rows, size_of(&mechanism))
}

fn size_of(mechanism: &Mechanism) -> f64 {
    let scene = linkwork_scene::Scene::of(mechanism);
    (0..3).map(|k| scene.bounds[1][k] - scene.bounds[0][k]).fold(0.0, f64::max)
}

/// A node's values at every keyframe, or its fixed ones.
#[derive(Clone)]
struct Track {
    translation: Vec<[f32; 3]>,
    rotation: Vec<[f32; 4]>,
    scale: Vec<[f32; 3]>,
}

fn matrix(track: &Track, key: usize) -> [[f32; 4]; 4] {
    fn pick<T: Copy>(list: &[T], key: usize) -> T {
        if list.len() == 1 { list[0] } else { list[key] }
    }
    gltf::scene::Transform::Decomposed {
        translation: pick(&track.translation, key),
        rotation: pick(&track.rotation, key),
        scale: pick(&track.scale, key),
    }
    .matrix()
}

/// Columns of matrices: first this, then that.
fn after(m: [[f32; 4]; 4], inner: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    std::array::from_fn(|c| std::array::from_fn(|r| (0..4).map(|k| m[k][r] * inner[c][k]).sum()))
}

/// Where the origins of the nodes are in the world of the file, by name, at every keyframe, and the times.
fn positions(bytes: &[u8]) -> (Vec<f32>, Vec<HashMap<String, [f32; 3]>>) {
    let gltf = gltf::Gltf::from_slice(bytes).expect("a valid file");
    let blob = gltf.blob.clone().unwrap();
    let mut tracks: Vec<Track> = gltf
        .nodes()
        .map(|node| {
            let (t, r, s) = node.transform().decomposed();
            Track { translation: vec![t], rotation: vec![r], scale: vec![s] }
        })
        .collect();
    let mut times: Vec<f32> = Vec::new();
    for channel in gltf.animations().flat_map(|a| a.channels().collect::<Vec<_>>()) {
        let reader = channel.reader(|buffer| (buffer.index() == 0).then_some(&blob[..]));
        let keys: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert!(keys.windows(2).all(|w| w[0] < w[1]) && keys[0] >= 0.0);
        let track = &mut tracks[channel.target().node().index()];
        use gltf::animation::util::ReadOutputs;
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(list) => track.translation = list.collect(),
            ReadOutputs::Rotations(list) => track.rotation = list.into_f32().collect(),
            ReadOutputs::Scales(list) => track.scale = list.collect(),
            ReadOutputs::MorphTargetWeights(_) => panic!("nothing morphs"),
        }
        times = keys;
    }
    fn walk(
        node: &gltf::Node,
        outer: [[f32; 4]; 4],
        key: usize,
        tracks: &[Track],
        out: &mut HashMap<String, [f32; 3]>,
    ) {
        let here = after(outer, matrix(&tracks[node.index()], key));
        if matrix(&tracks[node.index()], key)[0] != [0.0; 4] {
            out.insert(node.name().unwrap().to_string(), [here[3][0], here[3][1], here[3][2]]);
            node.children().for_each(|child| walk(&child, here, key, tracks, out));
        }
    }
    let unit = std::array::from_fn(|c| std::array::from_fn(|r| if c == r { 1.0 } else { 0.0 }));
    let frames = (0..times.len())
        .map(|key| {
            let mut out = HashMap::new();
            for node in gltf.default_scene().unwrap().nodes() {
                walk(&node, unit, key, &tracks, &mut out);
            }
            out
        })
        .collect();
    (times, frames)
}

/// A reader of others finds every named point where the results have it: 32 bits leave 1e-7, times the size.
#[test]
fn cross_glb_points_are_where_results_say() {
    for (example, duration, step) in [
        ("four-bar", 2.0, 0.02),
        ("vehicle", 0.3, 0.02),
        ("stewart-platform", 0.5, 0.05),
        ("breaking-chain", 2.0, 0.02),
        ("latch", 2.0, 0.02),
    ] {
        let (motion, rows, size) = record(example, duration, step);
        let bytes = glb::write(&motion).unwrap();
        let (times, frames) = positions(&bytes);
        let upright = motion.scene.up[1] > 0.9;
        assert!(times.len() > 5, "{example}");
        let mut seen = 0;
        for (time, frame) in times.iter().zip(&frames) {
            // of two rows at one instant the second counts
            let Some((_, points)) = rows.iter().rev().find(|(t, _)| *t as f32 == *time) else { continue };
            for (name, [x, y, z]) in points {
                // z up becomes y up
                let expected = if upright { [*x, *y, *z] } else { [*x, *z, -*y] };
                let Some(found) = frame.get(&format!("point.{name}")) else { continue };
                for k in 0..3 {
                    let off = (f64::from(found[k]) - expected[k]).abs();
                    assert!(
                        off < 1e-5 * size.max(1.0),
                        "{example}, {name} at {time} s: {found:?}, not {expected:?}"
                    );
                }
                seen += 1;
            }
        }
        assert!(seen > 20, "{example}: {seen}");
        for body in &motion.scene.bodies {
            assert!(
                gltf::Gltf::from_slice(&bytes).unwrap().nodes().any(|n| n.name() == Some(&body.name)),
                "{example}: {}",
                body.name
            );
        }
    }
}

/// What has no motion, no solids or nothing at all is a valid file or an error, never a broken file.
#[test]
fn exact_glb_at_the_edges() {
    let (mut motion, _, _) = record("pendulum", 0.5, 0.1);
    motion.poses.truncate(1);
    let still = gltf::Gltf::from_slice(&glb::write(&motion).unwrap()).unwrap();
    assert_eq!(still.animations().count(), 0);
    motion.scene.bodies.iter_mut().for_each(|body| body.solids.clear());
    gltf::Gltf::from_slice(&glb::write(&motion).unwrap()).unwrap();
    // the same time again and again
    let pose = motion.poses[0].clone();
    motion.poses = vec![pose.clone(), pose.clone(), pose];
    gltf::Gltf::from_slice(&glb::write(&motion).unwrap()).unwrap();
    motion.poses.clear();
    assert!(matches!(glb::write(&motion), Err(Error::Empty(_))));
}

fn film(motion: &Motion, fps: f64, size: [f64; 2]) -> Film<'_> {
    let clock = Clock { from: None, to: None, fps, speed: 1.0 };
    Film::new(motion, &clock, Some(size), 0.0, None, &[]).unwrap()
}

#[test]
fn exact_gif_frames() {
    let (motion, _, _) = record("four-bar", 1.0, 0.02);
    let film = film(&motion, 10.0, [160.0, 120.0]);
    assert_eq!(film.len(), 11);
    let mut bytes = Vec::new();
    film.write_gif(&mut bytes, |_| ()).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&bytes[..]).unwrap();
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let mut hundredths = 0;
    let mut screen = vec![0_u8; 160 * 120 * 4];
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        hundredths += frame.delay;
        // what is drawn lies over what was there
        let wide = usize::from(frame.width);
        for (i, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
            let at = (usize::from(frame.top) + i / wide) * 160 + usize::from(frame.left) + i % wide;
            screen[4 * at..4 * at + 4].copy_from_slice(pixel);
        }
        frames.push(screen.clone());
    }
    assert!(screen.chunks(4).all(|pixel| pixel[3] == 255));
    assert_eq!((frames.len(), hundredths), (11, 110));
    assert!(frames.windows(2).all(|w| w[0] != w[1]), "neighbours are equal");
    let coloured = frames[0].chunks(4).filter(|p| p[0].abs_diff(p[2]) > 40).count();
    assert!(coloured > 100, "bodies have colours: {coloured}");
    // the last picture is the one that is painted, to within the palette
    let last = film.pixels(10).unwrap();
    let off = frames[10].iter().zip(last.rgba()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>();
    assert!(off / (frames[10].len() as f64) < 2.0, "{off}");
}

/// The picture has the colour of a body where the body is.
#[test]
fn exact_bodies_are_painted_where_they_are() {
    for (example, body) in [("four-bar", "crank"), ("four-bar", "rocker"), ("stewart-platform", "barrel1")] {
        let (motion, _, _) = record(example, 0.4, 0.1);
        let film = film(&motion, 5.0, [900.0, 700.0]);
        let drawing = film.drawing(1);
        let index = motion.scene.bodies.iter().position(|b| b.name == body);
        let Some(index) = index else {
            panic!("{example} has {:?}", motion.scene.bodies.iter().map(|b| &b.name).collect::<Vec<_>>())
        };
        let hue = linkwork_formats::still::palette(motion.scene.bodies[index].colour);
        // any shade of the colour: compare hues
        let pixels = drawing.to_pixels().unwrap();
        let alike = (0..900)
            .flat_map(|x| (0..700).map(move |y| (x, y)))
            .filter(|(x, y)| {
                let c = pixels.at(*x, *y).unwrap();
                let parts = [(c.r, hue.r), (c.g, hue.g), (c.b, hue.b)]
                    .map(|(a, b)| (f64::from(a) - 128.0, f64::from(b) - 128.0));
                let dot: f64 = parts.iter().map(|(a, b)| a * b).sum();
                let sizes: f64 = parts.iter().map(|(a, _)| a * a).sum::<f64>().sqrt()
                    * parts.iter().map(|(_, b)| b * b).sum::<f64>().sqrt();
                dot / sizes > 0.97
            })
            .count();
        assert!(alike > 150, "{example}, {body}: {alike}");
    }
}

#[test]
fn exact_svg_plays_by_itself() {
    for example in ["four-bar", "stewart-platform"] {
        let (motion, _, _) = record(example, 1.0, 0.05);
        let film = film(&motion, 8.0, [480.0, 360.0]);
        let svg = film.to_svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let animations: Vec<_> = document.descendants().filter(|n| n.has_tag_name("animate")).collect();
        assert_eq!(animations.len(), film.len(), "{example}");
        for animation in &animations {
            let keys: Vec<f64> =
                animation.attribute("keyTimes").unwrap().split(';').map(|k| k.parse().unwrap()).collect();
            assert_eq!(keys.len(), animation.attribute("values").unwrap().split(';').count());
            assert!(keys[0] == 0.0 && keys.windows(2).all(|w| w[0] < w[1]) && keys[keys.len() - 1] <= 1.0);
        }
        let groups: Vec<_> = document.root_element().children().filter(|n| n.has_tag_name("g")).collect();
        assert!(
            groups[0].attribute("visibility").is_none()
                && groups[1].attribute("visibility") == Some("hidden")
        );
        assert!(svg.len() < 2_000_000, "{example}: {}", svg.len());
    }
}

/// Between two poses things are in between, with quaternions of length one; outside at the ends.
#[test]
fn exact_times_of_a_film() {
    let (motion, rows, _) = record("pendulum", 1.0, 0.01);
    for t in [0.005, 0.335, 0.995] {
        let pose = motion.at(t);
        let after = rows.iter().position(|(time, _)| *time > t).unwrap();
        for body in pose.bodies.iter().flatten() {
            assert!((body.quat_wxyz.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9);
        }
        let spot = &motion.scene.points.iter().find(|p| p.spot.body > 0).unwrap();
        let here = linkwork_formats::motion::place(&spot.spot, &pose).unwrap();
        let [a, b] = [after - 1, after].map(|i| rows[i].1[&spot.name]);
        for k in 0..3 {
            // the arc bends away from its chord by its curvature only
            assert!((here[k] - (a[k] + b[k]) / 2.0).abs() < 1e-3, "{t}");
        }
    }
    assert_eq!(motion.at(-1.0), motion.poses[0]);
    assert_eq!(&motion.at(99.0), motion.poses.last().unwrap());
    let clock = Clock { from: Some(0.5), to: None, fps: 10.0, speed: 0.1 };
    let times = clock.times(&motion).unwrap();
    assert_eq!((times.len(), times[0], times[50]), (51, 0.5, 1.0));
    assert!(Clock { from: Some(2.0), ..clock }.times(&motion).is_err());
    assert!(Clock { speed: 1e-9, ..clock }.times(&motion).is_err());
    assert!(Film::new(&motion, &clock, None, 300.0, None, &["nowhere".into()]).is_err());
}
