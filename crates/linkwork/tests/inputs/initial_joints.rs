//! Initial joint coordinates and rates: against closed forms of where the mechanism is then.

use crate::suite;
use linkwork::Error;
use linkwork::model::Model;

const PENDULUM: &str = "format = 1\n[model]\ngravity = '-y'\n[points]\nA = [0, 0]\nB = [1, 0]\n[bodies]\nground = { points = ['A'] }\n\
    rod = { points = ['A', 'B'], mass = 1 }\n[simulation]\nduration = 0.1\n";

/// A crank of 1 m, a coupler and a rocker; the crank does not get all round.
const FOUR_BAR: &str = "format = 1\n[points]\nA = [0, 0]\nB = [0, 1]\nC = [2, 2]\nD = [3, 0]\n[bodies]\nground = { points = ['A', 'D'] }\n\
    crank = { points = ['A', 'B'], mass = 1 }\ncoupler = { points = ['B', 'C'], mass = 1 }\nrocker = { points = ['C', 'D'], mass = 1 }\n\
    [simulation]\nduration = 0.1\n";

/// Where B and C are with the crank turned by an angle: C is where the circles about B and D meet, on the side where it is drawn.
fn four_bar(angle: f64) -> Option<[[f64; 2]; 2]> {
    let (coupler, rocker) = (5.0_f64.sqrt(), 5.0_f64.sqrt());
    let b = [-angle.sin(), angle.cos()];
    let d = [3.0 - b[0], -b[1]];
    let l = d[0].hypot(d[1]);
    let along = (l * l + coupler * coupler - rocker * rocker) / (2.0 * l);
    let height = coupler * coupler - along * along;
    let (u, n) = ([d[0] / l, d[1] / l], [-d[1] / l, d[0] / l]);
    (height >= 0.0).then(|| {
        let h = height.sqrt();
        [b, [b[0] + along * u[0] + h * n[0], b[1] + along * u[1] + h * n[1]]]
    })
}

#[test]
fn exact_pendulum() {
    let mut model =
        Model::from_toml(&format!("{PENDULUM}[initial.joints]\nA = {{ q = '30 deg', v = '2 rad/s' }}\n"))
            .unwrap_or_else(|e| panic!("{e}"));
    let (c, s) = (30.0_f64.to_radians().cos(), 0.5);
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap();
        let first = &run.frames[0];
        let off = [
            first.positions[1][0] - c,
            first.positions[1][1] - s,
            first.velocities[1][0] + 2.0 * s,
            first.velocities[1][1] - 2.0 * c,
            run.column(&mechanism, "joint.A.q").unwrap()[0] - 30.0_f64.to_radians(),
            run.column(&mechanism, "joint.A.v").unwrap()[0] - 2.0,
        ];
        let worst = off.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
        println!("{}: off by {worst:.1e}", formulation.name());
        assert!(worst < 1e-13, "{formulation:?}: {off:?}");
    }
}

/// The rest of a loop follows, from the drawing as far as the loop goes.
#[test]
fn exact_four_bar() {
    for degrees in [-80.0_f64, -45.0, 10.0, 45.0, 75.0] {
        let angle = degrees.to_radians();
        let text = format!("{FOUR_BAR}[initial.joints]\nA = {{ q = '{degrees} deg', v = 3 }}\n");
        let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let first = mechanism.simulate().unwrap().frames.swap_remove(0);
        let here = four_bar(angle).unwrap();
        let h = 1e-5;
        let [before, after] = [four_bar(angle - h).unwrap(), four_bar(angle + h).unwrap()];
        let (mut worst, mut worst_rate) = (0.0_f64, 0.0_f64);
        for (i, point) in [1, 2].into_iter().enumerate() {
            for c in 0..2 {
                worst = worst.max((first.positions[point][c] - here[i][c]).abs());
                let rate = 3.0 * (after[i][c] - before[i][c]) / (2.0 * h);
                worst_rate = worst_rate.max((first.velocities[point][c] - rate).abs());
            }
        }
        println!("crank at {degrees} deg: off by {worst:.1e} m, {worst_rate:.1e} m/s");
        // the rates are differences, good to h²
        assert!(worst < 1e-12 && worst_rate < 1e-7, "{degrees}: {worst:e} {worst_rate:e}");
    }
}

/// Two coordinates that fit each other are no contradiction.
#[test]
fn exact_two_that_fit() {
    let of = |c: [f64; 2]| (c[1] - 0.0).atan2(c[0] - 3.0);
    let turned = of(four_bar(0.3).unwrap()[1]) - of([2.0, 2.0]);
    let text = format!("{FOUR_BAR}[initial.joints]\nA = 0.3\nD = {turned}\n");
    let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap_or_else(|e| panic!("{e}"));
    let first = mechanism.simulate().unwrap().frames.swap_remove(0);
    let off = (first.positions[2][0] - four_bar(0.3).unwrap()[1][0]).abs();
    println!("off by {off:.1e}");
    assert!(off < 1e-11, "{off:e}");
}

/// Several coordinates of one joint, in space.
#[test]
fn exact_cylindrical_joint() {
    let text = "format = 1\n[points]\nA = [0, 0, 0]\nB = [1, 0, 0]\nC = [0, 1, 0]\n[bodies]\nground = { points = ['A'] }\n\
        plate = { points = ['A', 'B', 'C'], mass = 1, shape = { type = 'box', size = [1, 1, 0.1] } }\n\
        [joints.pin]\ntype = 'cylindrical'\nbodies = ['ground', 'plate']\nat = 'A'\naxis = [0, 0, 1]\n\
        [initial.joints]\npin = { q = ['20 cm', '40 deg'], v = [0.5, 2] }\n[simulation]\nduration = 0.1\n";
    let mut model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    for formulation in suite::applicable(&model) {
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap();
        let b = mechanism.points().iter().position(|point| point.name == "B").unwrap();
        let (r, v) = (run.frames[0].positions[b], run.frames[0].velocities[b]);
        let (s, c) = 40.0_f64.to_radians().sin_cos();
        let off = [r[0] - c, r[1] - s, r[2] - 0.2, v[0] + 2.0 * s, v[1] - 2.0 * c, v[2] - 0.5];
        let worst = off.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
        println!("{}: off by {worst:.1e}", formulation.name());
        assert!(worst < 1e-12, "{formulation:?}: {off:?}");
    }
}

/// A free chain of ten hinges in pairs across each other, three of them given: what follows has a long way beside the lengths of its links, and the pull to the drawing,
/// which (A1) of the assembly has, does not fade. The steps that only close it find the place.
#[test]
fn exact_hinges_of_a_chain_that_has_far_to_go() {
    let places =
        [[0.37, 0.01, 1.27], [0.48, 0.0, 1.3], [0.69, 0.0, 1.27], [0.99, 0.0, 1.17], [1.23, 0.0, 1.07]];
    let tilts = [-0.24, 0.14, 0.32, 0.38, 0.45];
    // mass, centre and moments of what follows each pair
    let links = [
        (28, [0.45, 0.01, 1.2], [1.2, 0.5, 0.8]),
        (100, [0.63, 0.01, 1.14], [7.2, 4.2, 4.4]),
        (159, [0.84, 0.0, 1.08], [13.0, 8.5, 8.6]),
        (148, [1.07, 0.0, 0.98], [12.4, 7.8, 8.1]),
        (116, [1.26, 0.0, 0.9], [8.3, 5.1, 5.5]),
    ];
    let (mut points, mut bodies, mut joints) = (String::new(), String::new(), String::new());
    for (n, ((place, tilt), (mass, com, inertia))) in places.iter().zip(tilts).zip(&links).enumerate() {
        let next = if n < 4 { format!(", 'p{}'", n + 1) } else { String::new() };
        let before = if n > 0 { format!("b{}", n - 1) } else { "trunk".into() };
        points += &format!("p{n} = {place:?}\n");
        bodies += &format!(
            "m{n} = {{ points = ['p{n}'], mass = 0, com = 'p{n}', inertia = [0, 0, 0] }}\n\
             b{n} = {{ points = ['p{n}'{next}], mass = {mass}, com = {com:?}, inertia = {inertia:?} }}\n"
        );
        joints += &format!(
            "y{n} = {{ type = 'revolute', bodies = ['{before}', 'm{n}'], at = 'p{n}', axis = [0, -1, 0] }}\n\
             z{n} = {{ type = 'revolute', bodies = ['m{n}', 'b{n}'], at = 'p{n}', axis = [{tilt}, 0, 0.95] }}\n"
        );
    }
    let text = format!(
        "format = 1\n[model]\ndimension = 3\n[points]\no = [0, 0, 0]\n{points}[bodies]\n\
         trunk = {{ points = ['o', 'p0'], mass = 499, com = 'o', inertia = [100, 100, 100] }}\n{bodies}[joints]\n{joints}\
         [initial.joints]\nz0 = {{ q = 0.55 }}\nz1 = {{ q = 0.68 }}\nz2 = {{ q = 0 }}\n[simulation]\nduration = 1e-3\n"
    );
    let mechanism = Model::from_toml(&text).unwrap().assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap();
    for (name, given) in [("joint.z0.q", 0.55), ("joint.z1.q", 0.68), ("joint.z2.q", 0.0)] {
        let found = run.column(&mechanism, name).unwrap()[0];
        assert!((found - given).abs() < 1e-12, "{name}: {found}");
    }
}

fn refused(text: &str) -> (String, String) {
    let faults =
        match Model::from_toml(text).and_then(|model| model.assemble().map(|_| ()).map_err(Error::Model)) {
            Err(Error::Model(faults)) => faults,
            other => panic!("{text}: {other:?}"),
        };
    println!("{}: {}", faults.list[0].path, faults.list[0].message);
    (faults.list[0].path.clone(), faults.list[0].message.clone())
}

/// What cannot be reached is named, with how far the mechanism gets.
#[test]
fn exact_out_of_reach() {
    let (path, message) = refused(&format!("{FOUR_BAR}[initial.joints]\nA = '30 deg'\nD = '-30 deg'\n"));
    assert_eq!(path.split('.').next_back().map(|joint| ["A", "D"].contains(&joint)), Some(true), "{path}");
    assert!(message.contains("short of it"), "{message}");
    // a shorter rocker
    let short = FOUR_BAR.replace("C = [2, 2]", "C = [1.5, 1.2]");
    let (path, message) = refused(&format!("{short}[initial.joints]\nA = '120 deg'\n"));
    assert_eq!(path, "initial.joints.A");
    // |BD|² = 10 + 6 sin θ, stretched at (|BC| + |CD|)²
    let stretched = 1.5_f64.hypot(0.2) + 1.5_f64.hypot(1.2);
    let reach = ((stretched * stretched - 10.0) / 6.0).asin().to_degrees();
    let told: f64 = message.split("it gets to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    println!("it gets to {told} deg, the closed form says {reach:.4} deg");
    assert!((told - reach).abs() < 0.01, "{told} {reach}");
}

#[test]
fn exact_faults() {
    let cases = [
        ("X = 1", "initial.joints.X", "there is no joint `X`"),
        ("A = [1, 2]", "initial.joints.A", "has 1 coordinates, not 2"),
        ("A = '200 deg'", "initial.joints.A", "half a turn"),
        ("A = '3 mm'", "initial.joints.A", "expected"),
        ("A = { v = '3 m/s' }", "initial.joints.A.v", "expected"),
        ("A = {}", "initial.joints.A", "says nothing"),
        ("A = { v = 1 }\nD = { v = 1 }", "initial.joints.", "contradicts the constraints"),
    ];
    for (entry, path, message) in cases {
        let found = refused(&format!("{FOUR_BAR}[initial.joints]\n{entry}\n"));
        assert!(found.0.starts_with(path) && found.1.contains(message), "{entry}: {found:?}");
    }
}
