//! Tyres, and the vehicles of the examples.

use crate::suite;

use linkwork::mechanism::Mechanism;
use linkwork::model::{Axis, Body, Brush, Formula, Formulation, Inertia, Model, Settings, Spring, Tyre};
use linkwork::simulation::Trajectory;
use std::path::PathBuf;
use suite::{G, applicable, run, settings};

fn example(name: &str) -> Model {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
    Model::from_file(file).unwrap_or_else(|e| panic!("{e}"))
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

const CORNERS: [&str; 4] = ["lf", "rf", "lr", "rr"];
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Columns of a run by the names that the reference has, in radians.
fn vehicle_columns(mechanism: &Mechanism, run: &Trajectory) -> Vec<(String, Vec<f64>)> {
    let column = |name: &str| run.column(mechanism, name).unwrap_or_else(|| panic!("{name}"));
    let angle = |name: &str| column(name).into_iter().map(|x| x * DEGREE).collect::<Vec<f64>>();
    let mut list = vec![("z".into(), column("point.centre.z")), ("pitch".into(), angle("measure.pitch"))];
    for n in CORNERS {
        list.push((format!("zw_{n}"), column(&format!("measure.height_{n}"))));
        list.push((format!("fs_{n}"), column(&format!("spring.{n}.force"))));
        list.push((format!("ft_{n}"), column(&format!("tyre.{n}.force"))));
    }
    for n in &CORNERS[..2] {
        list.push((format!("steer_{n}"), angle(&format!("measure.steer_{n}"))));
    }
    list
}

/// [attia2005]'s vehicle with our suspension points, against an independent solution (absolute coordinates, tolerance
/// 1e-12, itself within 4e-12 m of a second engine).
#[test]
fn paper_vehicle_settles() {
    let reference = include_str!("../data/attia_vehicle.csv");
    let mut lines = reference.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let model = example("vehicle");
    let mut first: Option<Vec<(String, Vec<f64>)>> = None;
    for f in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = f;
        let (mechanism, run) = run(&model);
        assert_eq!(mechanism.degrees_of_freedom(), 16);
        let ours = vehicle_columns(&mechanism, &run);
        let (mut place, mut angle, mut force): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for row in &rows {
            let at = (row[0] / 0.01).round() as usize;
            for (name, theirs) in names.iter().zip(row).skip(1) {
                let (_, values) = ours.iter().find(|(n, _)| n == name).unwrap();
                let off = (values[at] - theirs).abs();
                match &name[..1] {
                    "z" => place = place.max(off),
                    "p" | "s" => angle = angle.max(off),
                    _ => force = force.max(off / theirs.abs()),
                }
            }
        }
        let centre = mechanism.points().iter().position(|p| p.name == "centre").unwrap();
        let a = run.frames[0].accelerations[centre][2];
        let others = first.get_or_insert_with(|| ours.clone());
        let apart = ours
            .iter()
            .zip(others.iter())
            .filter(|((n, _), _)| !n.starts_with('f'))
            .fold(0.0_f64, |m, ((_, a), (_, b))| a.iter().zip(b).fold(m, |m, (a, b)| m.max((a - b).abs())));
        println!(
            "{}: heights {place:.1e} m, angles {angle:.1e} rad, forces {force:.1e} relative, a(0) = {a:.10} m/s², apart {apart:.1e}, \
             energy {:.1e} relative, {} steps",
            f.name(),
            run.summary.relative_energy_drift(),
            run.summary.steps.accepted_steps,
        );
        assert!(place < 1e-8 && angle < 1e-8, "{f:?}: {place} {angle}");
        assert!(force < 1e-5, "{f:?}: {force}");
        assert!((a + 2.295_121_939_092).abs() < 1e-11, "{f:?}: {a}");
        // local errors of 1e-9 at most, in motions that forget them
        assert!(apart < 1e-8, "{f:?}: {apart}");
        assert!(run.summary.relative_energy_drift() < 1e-8);
    }
}

/// Dampers on the steering take the toe oscillation out, and nothing else: the rest is the static equilibrium.
#[test]
fn paper_vehicle_comes_to_rest() {
    let mut model = example("vehicle");
    for n in &CORNERS[..2] {
        let between = ["centre", &format!("{n}_wheel_centre")];
        model.springs.push(Spring::new(format!("{n}_steering"), between, 0.0).damping(300.0));
    }
    model.settings =
        Settings { formulation: Formulation::Joints, ..settings(40.0, 1.0, model.settings.tolerance) };
    let (mechanism, run) = run(&model);
    let last = |name: &str| *run.column(&mechanism, name).unwrap().last().unwrap();
    let figures = [
        ("point.centre.z", last("point.centre.z"), 0.498_927_571_454_04, 1e-9),
        ("measure.pitch", last("measure.pitch") * DEGREE, 0.003_375_245_863_97, 1e-9),
        ("tyre.lf.force", last("tyre.lf.force"), 2_301.477_777_843, 1e-4),
        ("tyre.rr.force", last("tyre.rr.force"), 2_176.787_222_157, 1e-4),
        ("spring.rf.force", last("spring.rf.force"), -5_240.944_553_296, 1e-4),
        ("spring.lr.force", last("spring.lr.force"), -4_711.651_653_956, 1e-4),
    ];
    for (name, ours, theirs, bound) in figures {
        println!("{name} at rest: {ours:.12}, statics {theirs:.12}, off {:.1e}", ours - theirs);
        assert!((ours - theirs).abs() < bound, "{name}");
    }
}

const MASS: f64 = 20.0;
const SPIN_INERTIA: f64 = 1.2;
const RADIUS: f64 = 0.35;
const STIFFNESS: f64 = 1.5e5;

/// A wheel alone, its centre at a height; in the plane, or in space where it rolls along x.
fn wheel(planar: bool, height: f64, tyre: impl FnOnce(Tyre) -> Tyre, brush: Option<Brush>) -> Model {
    let base = Tyre::radial("T", "wheel", "C", RADIUS, STIFFNESS);
    let axis = (!planar).then_some(Axis::Vector([0.0, 2.0, 0.0]));
    let base = match brush {
        Some(brush) => base.brush(axis, brush),
        None => base,
    };
    let model = if planar { Model::planar("wheel") } else { Model::spatial("wheel") };
    let (com, inertia) = match planar {
        true => ([0.0, height, 0.0], Inertia::Polar(SPIN_INERTIA)),
        false => ([0.0, 0.0, height], Inertia::Matrix([0.8, SPIN_INERTIA, 0.8, 0.0, 0.0, 0.0])),
    };
    let gravity = if planar { [0.0, -G, 0.0] } else { [0.0, 0.0, -G] };
    model
        .gravity(gravity)
        .point("C", com)
        .body(Body::with_inertia("wheel", ["C"], MASS, com, inertia))
        .tyre(tyre(base))
        .settings(settings(1.0, 0.02, 1e-11))
}

fn each(model: &Model, mut check: impl FnMut(Formulation, &Mechanism, &Trajectory)) {
    for f in applicable(model) {
        let mut model = model.clone();
        model.settings.formulation = f;
        let (mechanism, run) = run(&model);
        println!("{}: energy {:.1e} relative", f.name(), run.summary.relative_energy_drift());
        // kinks at the touch-down cost digits, and a swing of 1 mm has little energy
        assert!(run.summary.relative_energy_drift() < 1e-7, "{f:?}: {:?}", run.summary);
        check(f, &mechanism, &run);
    }
}

/// While it touches, an undamped wheel swings about its static height with √(K/m).
#[test]
fn exact_wheel_swings_on_its_tyre() {
    let (sag, amplitude) = (MASS * G / STIFFNESS, 1e-3);
    for planar in [true, false] {
        let up = if planar { "y" } else { "z" };
        let model = wheel(planar, RADIUS - sag + amplitude, |t| t, None);
        each(&model, |f, mechanism, run| {
            let heights = run.column(mechanism, &format!("point.C.{up}")).unwrap();
            let forces = run.column(mechanism, "tyre.T.force").unwrap();
            for (frame, (z, force)) in run.frames.iter().zip(heights.into_iter().zip(forces)) {
                let swing = amplitude * ((STIFFNESS / MASS).sqrt() * frame.t).cos();
                assert!((z - (RADIUS - sag + swing)).abs() < 1e-10, "{f:?} {}: {z}", frame.t);
                assert!((force - MASS * G + STIFFNESS * swing).abs() < 2e-5, "{f:?}: {force}");
            }
        });
    }
}

/// Dropped, it bounces and loses energy to the damper: the balance closes through touch-downs and where the force is cut off.
#[test]
fn keeps_energy_of_a_bouncing_wheel() {
    for (planar, brush) in [(true, None), (false, None), (false, Some(Brush::new(6e4, 5e4, 0.9)))] {
        let bump = |t: Tyre| t.damping(400.0).road(formula("0.02*sin(3*x) + 0.03*x"));
        let mut model = wheel(planar, 0.6, bump, brush).velocity("C", [1.0, 0.0, 0.0]);
        if brush.is_some() {
            model = model.angular_velocity("wheel", [0.3, 2.0, 0.5]);
        }
        each(&model, |f, mechanism, run| {
            let forces = run.column(mechanism, "tyre.T.force").unwrap();
            assert!(forces.contains(&0.0) && forces.iter().any(|&x| x > 1000.0), "{f:?}");
            let work = run.column(mechanism, "energy.work").unwrap();
            assert!(*work.last().unwrap() < -10.0, "{f:?}");
        });
    }
}

/// Set down spinning, it slides: v = μ g t and I ω̇ = −μ m g ρ, until it rolls with ω₀ ρ I / (I + m ρ²).
#[test]
fn exact_spinning_wheel_set_down() {
    let (mu, spin, sag) = (0.8, 40.0, MASS * G / STIFFNESS);
    let rho = RADIUS - sag;
    for planar in [true, false] {
        let brush = Brush::new(2e4, if planar { 0.0 } else { 2e4 }, mu);
        let turning = if planar { [0.0, 0.0, -spin] } else { [0.0, spin, 0.0] };
        let mut model = wheel(planar, rho, |t| t, Some(brush)).angular_velocity("wheel", turning);
        model.settings.duration = 2.0;
        each(&model, |f, mechanism, run| {
            let speed = run.column(mechanism, "point.C.vx").unwrap();
            let push = run.column(mechanism, "tyre.T.longitudinal").unwrap();
            for (frame, v) in run.frames.iter().zip(&speed).filter(|(frame, _)| frame.t < 0.4) {
                assert!((v - mu * G * frame.t).abs() < 1e-9, "{f:?} {}: {v}", frame.t);
            }
            assert!((push[1] - mu * MASS * G).abs() < 1e-6);
            let rolling = spin * rho * SPIN_INERTIA / (SPIN_INERTIA + MASS * rho * rho);
            let end = speed.last().unwrap();
            println!("{}: rolls at {end:.9} m/s, exact {rolling:.9}", f.name());
            // slip dies out as exp(−∫ C/(m' V) dt)
            assert!((end - rolling).abs() < 1e-6, "{f:?}: {end} {rolling}");
            assert!(push.last().unwrap().abs() < 1e-3);
        });
    }
}

/// Down a slope it rolls with g sin θ / (1 + I / mρ²) but for the small slip that the force takes.
#[test]
fn exact_wheel_rolls_down_a_slope() {
    let angle = 0.1_f64.atan();
    let rho = RADIUS - MASS * G * angle.cos() / STIFFNESS;
    for planar in [true, false] {
        let brush = Brush::new(3e4, if planar { 0.0 } else { 3e4 }, 0.9);
        let height = rho / angle.cos();
        let mut model = wheel(planar, height, |t| t.road(formula("-0.1*x")), Some(brush));
        model.settings.duration = 0.5;
        each(&model, |f, mechanism, run| {
            let end = *run.column(mechanism, "point.C.vx").unwrap().last().unwrap();
            let exact = 0.5 * G * angle.sin() * angle.cos() / (1.0 + SPIN_INERTIA / (MASS * rho * rho));
            println!("{}: {end:.6} m/s after 0.5 s, pure rolling {exact:.6}", f.name());
            // slip of F/C = 2.2e-4, larger at the start where it is smoothed
            assert!((end / exact - 1.0).abs() < 5e-4, "{f:?}: {end} {exact}");
            let force = run.column(mechanism, "tyre.T.force").unwrap();
            assert!(force.iter().all(|n| (n - MASS * G * angle.cos()).abs() < 1e-6), "{f:?}");
        });
    }
}

/// Rolling resistance slows a wheel by c_r g m / (m + I/ρ²).
#[test]
fn exact_rolling_resistance() {
    let rho = RADIUS - MASS * G / STIFFNESS;
    let brush = Brush { rolling_resistance: 0.02, ..Brush::new(5e4, 0.0, 0.9) };
    let model = wheel(true, rho, |t| t, Some(brush))
        .velocity("C", [10.0, 0.0])
        .angular_velocity("wheel", [0.0, 0.0, -10.0 / rho]);
    each(&model, |f, mechanism, run| {
        let end = *run.column(mechanism, "point.C.vx").unwrap().last().unwrap();
        let exact = 10.0 - 0.02 * G * MASS / (MASS + SPIN_INERTIA / (rho * rho));
        // a slip of F/C = 5e-5 at 10 m/s
        assert!((end - exact).abs() < 5e-4, "{f:?}: {end} {exact}");
    });
}

/// What is wrong with a tyre is told where it stands.
#[test]
fn exact_faults_of_tyres() {
    let file = |planar: bool, tyre: &str, more: &str| {
        let (dimension, com, inertia, second) = match planar {
            true => (2, "[0, 0.3]", "1", "[1, 0]"),
            false => (3, "[0, 0, 0.3]", "[1, 1, 1]", "[1, 0, 0]"),
        };
        let text = format!(
            "format = 1\nmodel.dimension = {dimension}\npoints = {{ C = {com}, D = {second} }}\nbodies.ground = {{ points = [\"D\"] }}\n\
             bodies.wheel = {{ points = [\"C\"], mass = 1, com = \"C\", inertia = {inertia} }}\n\
             bodies.ball = {{ points = [\"D\"], mass = 1, com = \"D\", inertia = {inertia} }}\n\
             [tyres.T]\n{tyre}\n{more}"
        );
        Model::from_toml(&text).and_then(|model| Ok(model.assemble().map(|_| ())?))
    };
    let base = "body = 'wheel'\ncentre = 'C'\nradius = 0.3\nstiffness = 1e5\n";
    let grip = "model = 'brush'\nslip_stiffness = 1e4\nfriction = 1\n";
    let corner = "cornering_stiffness = '10 kN'\n";
    for planar in [true, false] {
        file(planar, base, "").unwrap_or_else(|e| panic!("{e}"));
    }
    file(true, &format!("{base}{grip}road = '0.1*sin(x) + 0.01*t'"), "[measures]\nm = 'tyre.T.slip'")
        .unwrap();
    file(false, &format!("{base}{grip}{corner}axis = ['C', 'D']\nroad = 'x*y*t'"), "").unwrap();
    let cases: [(bool, String, &str, &str); 19] = [
        (false, base.replace("wheel", "weel"), "", "there is no body `weel`"),
        (false, base.replace("wheel", "ground"), "", "a wheel is a moving body"),
        (false, base.replace("'C'", "'D'"), "", "not a point of `wheel`"),
        (false, base.replace("0.3", "0"), "", "`radius` must be more than zero"),
        (false, base.replace("1e5", "-1"), "", "`stiffness` must be more than zero"),
        (false, base.replace("1e5", "'3 m'"), "", "expected"),
        (false, format!("{base}friction = 1"), "", "a radial tyre has no `friction`"),
        (false, format!("{base}model = 'magic'"), "", "unknown model of a tyre"),
        (false, format!("{base}{grip}axis = [0, 1, 0]"), "", "needs `cornering_stiffness`"),
        (false, format!("{base}{grip}{corner}"), "", "needs the spin `axis`"),
        (false, format!("{base}{grip}{corner}axis = [0, 0, 0]"), "", "no direction"),
        (
            false,
            format!("{base}{grip}{corner}axis = [0, 1, 0]\nslip_speed = 0"),
            "",
            "`slip_speed` must be more",
        ),
        (true, format!("{base}{grip}{corner}"), "", "no tyre slips sideways"),
        (true, format!("{base}axis = [0, 1]"), "", "remove `axis`"),
        (true, format!("{base}road = 'y'"), "", "a function of `x` and the time"),
        (false, format!("{base}road = 'point.C.z'"), "", "alone"),
        (false, format!("{base}road = '1 kg'"), "", "expected"),
        (false, base.into(), "[measures]\nm = 'tyre.T.slip'", "has no `slip`"),
        (false, base.into(), "[measures]\nm = 'tyre.U.force'", "there is no tyre `U`"),
    ];
    for (planar, tyre, more, message) in cases {
        let told = file(planar, &tyre, more).expect_err(&tyre).to_string();
        assert!(told.contains(message), "{tyre}\n{told}");
        assert!(told.contains("tyres.T") || told.contains("measures.m"), "{told}");
    }
    // sizes at the edge of what is allowed do no more than end the run
    for road in ["1e33*x", "1/x", "1e30", "-1e30", "if(x > 0, 1e300, 0)*1e300", "floor(x*1e9)"] {
        let tyre = Tyre::radial("T", "wheel", "C", 1e-30, 1e33).damping(1e33).road(formula(road));
        let tyre = tyre.brush(Some(Axis::Vector([0.0, 1.0, 0.0])), Brush::new(1e33, 1e33, 1e33));
        let mut model = wheel(false, 0.3, |_| tyre, None);
        model.settings.max_steps = 200;
        let _ = model.assemble().map(|mechanism| mechanism.simulate().map(|run| run.summary.status));
    }
}

type V = [f64; 3];

fn minus(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// exp(θ) x, by Rodrigues.
fn turn(theta: V, x: V) -> V {
    let size = dot(theta, theta).sqrt();
    if size == 0.0 {
        return x;
    }
    let u = theta.map(|t| t / size);
    let (s, c) = size.sin_cos();
    let side = cross(u, x);
    std::array::from_fn(|i| c * x[i] + s * side[i] + (1.0 - c) * dot(u, x) * u[i])
}

/// Gauss with pivots.
fn solve(mut a: [[f64; 6]; 6], mut b: [f64; 6]) -> [f64; 6] {
    for k in 0..6 {
        let pivot = (k..6).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            for j in k..6 {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..6).rev() {
        b[k] = (b[k] - (k + 1..6).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// Where the points of a knuckle are when the wheel (the first of them) is at a height and the links keep their lengths:
/// Newton on six equations for a shift and a turn, from where they were.
fn knuckle_at(height: f64, inner: &[V; 5], links: &[f64; 5], points: &mut [V]) {
    for _ in 0..50 {
        let wheel = points[0];
        let (mut a, mut b) = ([[0.0; 6]; 6], [0.0; 6]);
        for i in 0..5 {
            let d = minus(points[1 + i], inner[i]);
            let moment = cross(minus(points[1 + i], wheel), d);
            for k in 0..3 {
                (a[i][k], a[i][k + 3]) = (2.0 * d[k], 2.0 * moment[k]);
            }
            b[i] = links[i] * links[i] - dot(d, d);
        }
        a[5][2] = 1.0;
        b[5] = height - wheel[2];
        let x = solve(a, b);
        let (shift, theta) = ([x[0], x[1], x[2]], [x[3], x[4], x[5]]);
        for p in points.iter_mut() {
            let arm = turn(theta, minus(*p, wheel));
            *p = std::array::from_fn(|k| wheel[k] + arm[k] + shift[k]);
        }
        if x.iter().all(|x| x.abs() < 1e-14) {
            return;
        }
    }
    panic!("no convergence at {height}");
}

const KNUCKLE: [&str; 8] = ["wheel", "B1", "B2", "B3", "B4", "B5", "axle", "contact"];

/// Runs a five-link suspension in every formulation; `check` gets travel, camber, toe, track and wheelbase of each row, SI, and the time.
fn suspension(model: &Model, mut check: impl FnMut(Formulation, f64, [f64; 5])) {
    for f in applicable(model) {
        let mut model = model.clone();
        model.settings.formulation = f;
        let (mechanism, run) = run(&model);
        assert_eq!(mechanism.degrees_of_freedom(), 0);
        assert!(run.summary.relative_energy_drift() < 1e-8, "{f:?}: {:?}", run.summary);
        let columns = [
            ("travel", 1e-3),
            ("camber", DEGREE),
            ("toe_in", DEGREE),
            ("track_change", 1e-3),
            ("wheelbase_change", 1e-3),
        ]
        .map(|(name, unit)| (run.column(&mechanism, &format!("measure.{name}")).unwrap(), unit));
        for (i, frame) in run.frames.iter().enumerate() {
            check(f, frame.t, std::array::from_fn(|k| columns[k].0[i] * columns[k].1));
        }
    }
}

/// The example against Newton's method on the lengths of its links.
#[test]
fn cross_five_links_by_newton() {
    let model = example("suspension");
    let drawn = |name: &str| model.points.iter().find(|p| p.name == name).unwrap().position;
    let inner = ["A1", "A2", "A3", "A4", "A5"].map(drawn);
    let start = KNUCKLE.map(drawn);
    let links: [f64; 5] = std::array::from_fn(|i| {
        let d = minus(start[1 + i], inner[i]);
        dot(d, d).sqrt()
    });
    let mut points = start;
    let mut worst = [0.0_f64; 5];
    let mut reach = [[0.0_f64; 2]; 5];
    suspension(&model, |_, t, ours| {
        if t == 0.0 {
            points = start;
        }
        knuckle_at(start[0][2] + 0.08 * (std::f64::consts::TAU * t / 4.0).sin(), &inner, &links, &mut points);
        let [wheel, .., axle, contact] = points;
        let axis = minus(axle, wheel);
        let theirs = [
            wheel[2] - start[0][2],
            (-axis[2] / 0.1).asin(),
            axis[0].atan2(axis[1]),
            contact[1] - start[7][1],
            wheel[0],
        ];
        for k in 0..5 {
            worst[k] = worst[k].max((ours[k] - theirs[k]).abs());
            reach[k] = [reach[k][0].min(ours[k]), reach[k][1].max(ours[k])];
        }
    });
    for (k, name) in ["travel", "camber", "toe", "track", "wheelbase"].into_iter().enumerate() {
        println!("{name}: from {:.6} to {:.6}, off by {:.1e}", reach[k][0], reach[k][1], worst[k]);
        assert!(worst[k] < 1e-10, "{name}: {}", worst[k]);
    }
    // the drawing is a suspension: the wheel leans in as it rises, and hardly steers
    assert!(reach[1][0] < -2.9 * DEGREE && reach[2][1] - reach[2][0] < 0.25 * DEGREE);
}

/// Two equal, parallel and symmetric pairs of links and a toe link parallel to one of them shift the knuckle along a circle: no camber, no toe, no change
/// of wheelbase, and the track changes by √(l² − z²) − l, with l the reach of the links across the car.
#[test]
fn exact_parallel_links_do_not_turn_the_wheel() {
    let mut model = example("suspension");
    let reach = 0.35;
    let inner =
        [[0.15, 0.3, 0.25], [-0.15, 0.3, 0.25], [0.15, 0.35, 0.45], [-0.15, 0.35, 0.45], [-0.05, 0.4, 0.3]];
    let along = [-0.15, 0.15, -0.15, 0.15, -0.15];
    for i in 0..5 {
        let outer = [inner[i][0] + along[i], inner[i][1] + reach, inner[i][2]];
        for (name, at) in [(format!("A{}", i + 1), inner[i]), (format!("B{}", i + 1), outer)] {
            model.points.iter_mut().find(|p| p.name == name).unwrap().position = at;
        }
    }
    suspension(&model, |f, t, [travel, camber, toe, track, wheelbase]| {
        let z = 0.08 * (std::f64::consts::TAU * t / 4.0).sin();
        let exact = (reach * reach - z * z).sqrt() - reach;
        assert!((travel - z).abs() < 1e-12, "{f:?} {t}");
        assert!(camber.abs() < 1e-11 && toe.abs() < 1e-11 && wheelbase.abs() < 1e-12, "{f:?} {t}");
        assert!((track - exact).abs() < 1e-12, "{f:?} {t}: {track} {exact}");
    });
}

fn mean(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| (a + b) / 2.0).collect()
}

/// Yaw rate and lateral acceleration of the linear single-track model for given steering and speed, by the method of Runge and Kutta on the rows.
fn single_track(steer: &[f64], speed: f64, step: f64) -> (Vec<f64>, Vec<f64>) {
    // sums over the bodies of the example: mass, moment about the vertical, distances of the axles from the centre of mass
    let parts = [(800.0, 0.0, 0.0, 200.0), (4.0, 1.27, 0.0, 0.1)].into_iter();
    let corners =
        [(1.15, [(20.0, 0.7, 2.0), (5.0, 0.62, 1.0), (0.5, 0.41, 0.5), (0.5, 0.44, 0.5)].as_slice())];
    let rear = [(-1.25, [(30.0, 0.7, 2.0), (0.5, 0.42, 0.5)].as_slice())];
    let wheels = corners
        .into_iter()
        .chain(rear)
        .flat_map(|(x, list)| list.iter().flat_map(move |&(m, y, i)| [(m, x, y, i), (m, x, -y, i)]));
    let all: Vec<(f64, f64, f64, f64)> = parts.chain(wheels).collect();
    let mass: f64 = all.iter().map(|p| p.0).sum();
    let x = all.iter().map(|p| p.0 * p.1).sum::<f64>() / mass;
    let yaw: f64 = all.iter().map(|p| p.3 + p.0 * ((p.1 - x).powi(2) + p.2 * p.2)).sum();
    let (front, rear, axle) = (1.15 - x, 1.25 + x, 2.0 * 40e3);
    let forces = |[v, r]: [f64; 2], steer: f64| {
        [-axle * ((v + front * r) / speed - steer), -axle * (v - rear * r) / speed]
    };
    let rate = |y: [f64; 2], steer: f64| {
        let [f, r] = forces(y, steer);
        [(f + r) / mass - speed * y[1], (front * f - rear * r) / yaw]
    };
    let mut y = [0.0; 2];
    let (mut yaw_rates, mut accelerations) = (Vec::new(), Vec::new());
    for (i, &now) in steer.iter().enumerate() {
        yaw_rates.push(y[1]);
        let [f, r] = forces(y, now);
        accelerations.push((f + r) / mass);
        let next = steer.get(i + 1).copied().unwrap_or(now);
        let go = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
        let k1 = rate(y, now);
        let k2 = rate(go(k1, step / 2.0), (now + next) / 2.0);
        let k3 = rate(go(k2, step / 2.0), (now + next) / 2.0);
        let k4 = rate(go(k3, step), next);
        y = std::array::from_fn(|i| y[i] + step / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    (yaw_rates, accelerations)
}

/// Over the bump and into the next lane: it ends up there, the formulations agree, the energy balance closes, and the yaw rate is about that of a single-track
/// model with the same tyres.
#[test]
fn cross_car_over_a_bump_and_into_the_next_lane() {
    let model = example("bump");
    let mut first: Option<[Vec<f64>; 3]> = None;
    for f in [Formulation::Joints, Formulation::Points, Formulation::NewtonEuler, Formulation::Tmt] {
        let mut model = model.clone();
        model.settings.formulation = f;
        let (mechanism, run) = run(&model);
        let column = |name: &str| run.column(&mechanism, name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(mechanism.degrees_of_freedom(), 14);
        assert!(run.summary.relative_energy_drift() < 1e-7, "{f:?}: {:?}", run.summary);
        let ours = [column("point.centre.x"), column("point.centre.y"), column("point.centre.z")];
        let others = first.get_or_insert_with(|| ours.clone());
        let apart = ours
            .iter()
            .zip(others.iter())
            .fold(0.0_f64, |m, (a, b)| a.iter().zip(b).fold(m, |m, (a, b)| m.max((a - b).abs())));
        let radians = |name: &str| column(name).into_iter().map(|x| x * DEGREE).collect::<Vec<f64>>();
        let steer = mean(&radians("measure.steer_lf"), &radians("measure.steer_rf"));
        let yaw_rate = radians("measure.yaw_rate");
        let acceleration = column("measure.lateral_acceleration");
        // the speed in the middle of the lane change
        let (linear_rate, linear_acceleration) = single_track(&steer, column("point.centre.vx")[600], 0.01);
        let off = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let peak = |a: &[f64]| a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let (rate_off, acceleration_off) = (
            off(&yaw_rate, &linear_rate) / peak(&yaw_rate),
            off(&acceleration, &linear_acceleration) / peak(&acceleration),
        );
        let end = [900, 1000].map(|i| ours[1][i]);
        println!(
            "{}: y(8 s) = {:.6} m, y(10 s) = {:.6} m, yaw rate up to {:.3} deg/s, lateral acceleration up to {:.3} m/s², \
             off the single track by {:.1} % and {:.1} %, apart {apart:.1e} m, energy {:.1e}, {} steps",
            f.name(),
            ours[1][800],
            end[1],
            peak(&yaw_rate) / DEGREE,
            peak(&acceleration),
            100.0 * rate_off,
            100.0 * acceleration_off,
            run.summary.relative_energy_drift(),
            run.summary.steps.accepted_steps,
        );
        assert!((ours[1][800] - 3.5).abs() < 0.1 && (end[1] - end[0]).abs() < 0.1);
        assert!(yaw_rate[1000].abs() < 1e-4 && acceleration[1000].abs() < 1e-3);
        // roll, load transfer and the suspension's own steer are not in the single-track model
        assert!(rate_off < 0.1 && acceleration_off < 0.1, "{rate_off} {acceleration_off}");
        // local errors at the kinks of the bump, and a free direction of travel
        assert!(apart < 1e-6, "{f:?}: {apart}");
        // the front wheels meet the bump hard, leave the road behind its top, and are back on the ground soon
        let load = column("tyre.lf.force");
        let x = column("point.lf_wheel_centre.x");
        let on_bump = |i: usize| (29.5..32.0).contains(&x[i]);
        let loads: Vec<f64> = (0..load.len()).filter(|&i| on_bump(i)).map(|i| load[i]).collect();
        assert!(peak(&loads) > 6e3 && loads.contains(&0.0), "{loads:?}");
        // later the left wheels are unloaded first, and all that is carried is the weight
        let sum = |i: usize| CORNERS.iter().map(|n| column(&format!("tyre.{n}.force"))[i]).sum::<f64>();
        let mass: f64 = mechanism.bodies().iter().map(|b| b.particles.properties.mass).sum();
        assert!((sum(1000) / (mass * G) - 1.0).abs() < 1e-3, "{}", sum(1000));
        assert!(load[520] < column("tyre.rf.force")[520] - 200.0);
    }
}
