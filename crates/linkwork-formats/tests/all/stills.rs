//! Stills: what covers what, from where one looks, what fills the picture.

use linkwork_formats::animation::Film;
use linkwork_formats::motion::{Clock, Motion};
use linkwork_scene::pose::Placement;
use linkwork_scene::scene::{Body, Solid};
use linkwork_scene::{Scene, Snapshot};

const RED: &str = "#ff0000";
const BLUE: &str = "#0000ff";

fn plate(paint: &str, axes: [[f64; 3]; 3], half: [f64; 3]) -> Body {
    let solids = vec![Solid::Box { at: [0.0; 3], axes, half }];
    Body { name: paint.into(), colour: 1, paint: Some(paint.into()), solids, ..Body::default() }
}

/// A motion of bodies that are at these places, one list for each instant.
fn motion(bodies: Vec<Body>, places: &[Vec<[f64; 3]>]) -> Motion {
    let bodies = std::iter::once(Body::default()).chain(bodies).collect();
    let scene = Scene { dimension: 3, up: [0.0, 0.0, 1.0], unit: 0.02, bodies, ..Scene::default() };
    let at = |at: &[f64; 3]| Some(Placement { at: *at, quat_wxyz: [1.0, 0.0, 0.0, 0.0] });
    let pose = |(k, places): (usize, &Vec<[f64; 3]>)| Snapshot {
        t: k as f64,
        bodies: places.iter().map(at).collect(),
        ..Snapshot::default()
    };
    Motion { scene, poses: places.iter().enumerate().map(pose).collect() }
}

/// Which of the two colours pixels of a picture have, and how many have one: at columns by parts of the width, and in all.
fn seen(film: &Film<'_>, frame: usize) -> (Vec<char>, f64) {
    let pixels = film.pixels(frame).unwrap();
    let [wide, high] = pixels.size();
    let name = |x: u32, y: u32| match pixels.at(x, y).unwrap() {
        c if c.r > c.b.saturating_add(60) => 'r',
        c if c.b > c.r.saturating_add(60) => 'b',
        _ => '-',
    };
    let row = (1..20).map(|k| name(wide * k / 20, high / 2)).collect();
    let drawn = (0..wide).flat_map(|x| (0..high).map(move |y| (x, y))).filter(|(x, y)| name(*x, *y) != '-');
    (row, drawn.count() as f64 / f64::from(wide * high))
}

fn still(motion: &Motion, direction: [f64; 2]) -> Film<'_> {
    let clock = Clock { from: Some(0.0), to: Some(0.0), fps: 1.0, speed: 1.0 };
    Film::new(motion, &clock, Some([400.0, 300.0]), 0.0, None, &[]).unwrap().seen_from(direction)
}

/// Two plates cross like the two sheets of an X, seen from above: from the front each covers the other on one side. No order of whole plates would be right.
#[test]
fn exact_crossing_plates() {
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let z = [0.0, 0.0, 1.0];
    let half = [1.0, 0.004, 0.6];
    let to_back = plate(RED, [[s, s, 0.0], [-s, s, 0.0], z], half);
    let to_front = plate(BLUE, [[s, -s, 0.0], [s, s, 0.0], z], half);
    for bodies in [vec![to_back.clone(), to_front.clone()], vec![to_front, to_back]] {
        let motion = motion(bodies, &[vec![[0.0; 3]; 2]]);
        let (row, _) = seen(&still(&motion, [-90.0, 0.0]), 0);
        // on the left the red one is nearer, on the right the blue one
        let colours: String = row.into_iter().filter(|c| *c != '-').collect();
        let (left, right) = colours.split_at(colours.len() / 2);
        let right = &right[colours.len() % 2..];
        assert!(left.len() > 5 && left.chars().all(|c| c == 'r'), "{colours}");
        assert!(right.chars().all(|c| c == 'b'), "{colours}");
    }
}

/// A box of 1 by 2 by 3 m is as wide and as high as it is from each side; the picture is as high as that needs, and it fills the picture but for a margin.
#[test]
fn exact_directions_and_framing() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let motion = motion(vec![plate(RED, axes, [0.5, 1.0, 1.5])], &[vec![[10.0, -4.0, 7.0]]]);
    for (direction, wide, high) in
        [([-90.0, 0.0], 1.0, 3.0), ([0.0, 0.0], 2.0, 3.0), ([-90.0, 90.0], 1.0, 2.0)]
    {
        let film = still(&motion, direction);
        let pixels = film.pixels(0).unwrap();
        let red = |x: u32, y: u32| pixels.at(x, y).is_some_and(|c| c.r > c.b.saturating_add(40));
        let columns = (0..400).filter(|x| (0..300).any(|y| red(*x, y))).count();
        let rows = (0..300).filter(|y| (0..400).any(|x| red(x, *y))).count();
        let ratio = columns as f64 / rows as f64;
        // two pixels of the outlines
        assert!((ratio * high / wide - 1.0).abs() < 0.03, "{direction:?}: {columns} by {rows}");
        assert!(rows as f64 / 300.0 > 0.85, "{direction:?}: {rows}");
    }
}

/// One of two boxes flies a thousand metres away: the other one stays as large as it is without that.
#[test]
fn exact_what_escapes_does_not_shrink_the_picture() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let bodies = || vec![plate(RED, axes, [0.5; 3]), plate(BLUE, axes, [0.2; 3])];
    let places = |far: f64| vec![vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![[0.0; 3], [1.0 + far, 0.0, 0.0]]];
    let drawn = |far: f64| {
        let motion = motion(bodies(), &places(far));
        let clock = Clock { from: None, to: None, fps: 1.0, speed: 1.0 };
        let film = Film::new(&motion, &clock, Some([400.0, 300.0]), 0.0, None, &[]).unwrap();
        seen(&film, 0).1
    };
    assert!(drawn(1000.0) > 0.9 * drawn(0.0), "{} {}", drawn(1000.0), drawn(0.0));
    // where all go away together the picture goes along
    let all =
        motion(bodies(), &[vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![[900.0, 0.0, 0.0], [901.0, 0.0, 0.0]]]);
    let clock = Clock { from: None, to: None, fps: 1.0, speed: 1.0 };
    let film = Film::new(&all, &clock, Some([400.0, 300.0]), 0.0, None, &[]).unwrap();
    for frame in [0, 1] {
        assert!(seen(&film, frame).1 > 0.1, "{frame}");
    }
}
