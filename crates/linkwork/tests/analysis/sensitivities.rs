//! Derivatives of results by numbers of the model, against closed forms.

use linkwork::model::ModelFile;
use linkwork::sensitivity::{Method, Quantity, Sensitivities, SensitivityError, Study, Take};

/// What each way promises.
const PROMISES: [(Method, f64); 4] =
    [(Method::Differences, 1e-8), (Method::Direct, 1e-10), (Method::Jets, 1e-13), (Method::Adjoint, 1e-9)];

fn file(text: &str) -> ModelFile {
    ModelFile::parse("model.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// In each of several ways.
fn found_by<const N: usize>(
    ways: [Method; N],
    text: &str,
    by: &[&str],
    of: &[(Take, &str)],
) -> [Sensitivities; N] {
    let file = file(text);
    let of = of.iter().map(|(take, column)| Quantity::new(*take, *column)).collect();
    let study = Study::of_file(&file, by, of).unwrap_or_else(|faults| panic!("{faults}"));
    ways.map(|way| study.derivatives(way).unwrap_or_else(|error| panic!("{way}: {error}")))
}

/// In every way, with what it promises.
fn every(text: &str, by: &[&str], of: &[(Take, &str)]) -> [(Sensitivities, f64); 4] {
    let mut found = found_by(PROMISES.map(|(way, _)| way), text, by, of).into_iter();
    PROMISES.map(|(_, tolerance)| (found.next().unwrap(), tolerance))
}

/// Each derivative to a tolerance, relative to the largest of its result.
fn assert_near(found: &Sensitivities, expected: &[&[f64]], tolerance: f64) {
    let mut wrong = String::new();
    for (i, row) in expected.iter().enumerate() {
        let scale = row.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (j, exact) in row.iter().enumerate() {
            let here = found.derivatives[i][j];
            let off = (here - exact).abs() / scale.max(f64::MIN_POSITIVE);
            let (way, of, by) = (found.method, &found.quantities[i].name, &found.variables[j].name);
            let said = format!(
                "{way}: {of} by {by}: {here} instead of {exact}, off by {off:.1e}, said {:.1e}\n",
                found.errors[i][j]
            );
            print!("{said}");
            if off.is_nan() || off >= tolerance {
                wrong += &said;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Complete elliptic integrals K and E of a modulus, by the arithmetic-geometric mean.
fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut c) = (1.0_f64, (1.0 - k * k).sqrt(), k);
    let (mut sum, mut power) = (0.5 * c * c, 0.5);
    // it converges quadratically: five steps reach the last bit
    for _ in 0..8 {
        c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        power *= 2.0;
        sum += power * c * c;
    }
    let k = std::f64::consts::FRAC_PI_2 / a;
    (k, k * (1.0 - sum))
}

const PENDULUM: &str = r#"
    format = 1
    model = { dimension = 2, gravity = [0, -9.81] }
    parameters = { l = "70 cm", a = "100 deg", m = "3 kg" }
    points = { A = [0, 0], B = ["l * sin(a)", "-l * cos(a)"] }
    bodies.ground = { points = ["A"] }
    bodies.rod = { points = ["A", "B"], mass = "m" }
    simulation = { duration = 5, stop = "point.B.x < 0" }
"#;

/// A rod released at the angle a passes below its hinge after K(sin a/2) √(2l/3g).
#[test]
fn exact_period_of_a_pendulum() {
    let (l, a, g) = (0.7_f64, 100_f64.to_radians(), 9.81);
    let k = (a / 2.0).sin();
    let (big_k, big_e) = elliptic(k);
    let unit = (2.0 * l / (3.0 * g)).sqrt();
    let quarter = big_k * unit;
    let by_k = big_e / (k * (1.0 - k * k)) - big_k / k;
    let by_a = by_k * 0.5 * (a / 2.0).cos() * unit;
    for (found, tolerance) in every(PENDULUM, &["l", "a", "m"], &[(Take::Final, "t")]) {
        assert!((found.values[0] - quarter).abs() < 1e-10);
        assert_near(&found, &[&[quarter / (2.0 * l), by_a, 0.0]], tolerance);
        assert_eq!(found.units[0], "s");
    }
}

/// The piston of a crank that turns evenly: x = r cos φ + √(l² − r² sin² φ).
#[test]
fn exact_piston_of_a_slider_crank() {
    let text = r#"
        format = 1
        model = { dimension = 2 }
        parameters = { r = "45 mm", l = "140 mm", w = 3 }
        points = { O = [0, 0], A = ["r", 0], B = ["r + l", 0] }
        bodies.ground = { points = ["O"] }
        bodies.crank = { points = ["O", "A"], mass = 2 }
        bodies.rod = { points = ["A", "B"], mass = 0.6 }
        bodies.piston = { points = ["B"], mass = 0.45, shape = { type = "box", size = ["60 mm", "80 mm"] } }
        joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
        joints.main = { type = "revolute", bodies = ["ground", "crank"], at = "O" }
        drivers.turn = { joint = "main", value = "w * t" }
        simulation = { duration = 1 }
    "#;
    let of = [
        (Take::Final, "point.B.x"),
        (Take::At(0.3), "point.B.x"),
        (Take::Max, "point.A.y"),
        (Take::Mean, "point.A.x"),
        (Take::Integral, "point.A.x"),
        (Take::Min, "point.A.x"),
        (Take::Rms, "point.A.vx"),
    ];
    let (r, l, w) = (0.045_f64, 0.14_f64, 3.0_f64);
    let at = |t: f64| {
        let (s, c) = (w * t).sin_cos();
        let root = (l * l - r * r * s * s).sqrt();
        let by_angle = -r * s - r * r * s * c / root;
        [c - r * s * s / root, l / root, by_angle * t]
    };
    let (s, c) = w.sin_cos();
    // ∫cos wt = sin w / w over the second that it takes; its square is (1 − cos 2wt)/2
    let integral = [s / w, 0.0, r * (c / w - s / (w * w))];
    let square = |w: f64| 0.5 * w * w * (1.0 - (2.0 * w).sin() / (2.0 * w));
    let by_w = w * (1.0 - (2.0 * w).sin() / (2.0 * w))
        + 0.5 * w * w * ((2.0 * w).sin() / (2.0 * w * w) - (2.0 * w).cos() / w);
    let rms = [square(w).sqrt(), 0.0, 0.5 * r * by_w / square(w).sqrt()];
    let lowest = [c, 0.0, -r * s]; // at the end: w < π
    let highest = [1.0, 0.0, 0.0];
    let expected: [&[f64]; 7] = [&at(1.0), &at(0.3), &highest, &integral, &integral, &lowest, &rms];
    // a sum over a hundred steps has the roundings of all of them
    for (found, tolerance) in every(text, &["r", "l", "w"], &of) {
        assert_near(&found, &expected, tolerance.max(5e-13));
        assert_eq!(found.units[4], "m s");
    }
}

const BALL: &str = r#"
    format = 1
    model = { dimension = 2, gravity = [0, -9.81] }
    parameters = { h = 1.1, k = 0.8 }
    points = { C = [0, "h"] }
    bodies.ball = { points = ["C"], mass = 0.5, shape = { type = "disc", radius = "10 cm" } }
    surfaces.floor = { type = "plane", normal = [0, 1] }
    contacts.bounce = { between = ["ball", "floor"], restitution = "k", friction = 0 }
    simulation = { duration = 2 }
"#;

/// After n bounces from the height h the speed is eⁿ √(2gh), and they happen at √(2h/g) (1 + 2e + … + 2eⁿ⁻¹).
#[test]
fn exact_ball_over_three_bounces() {
    let of = [
        (Take::Final, "point.C.y"),
        (Take::After(3), "t"),
        (Take::After(3), "point.C.vy"),
        (Take::Before(2), "point.C.vy"),
        (Take::Max, "point.C.vy"),
        (Take::Integral, "point.C.y"),
    ];
    let (h, e, g, end) = (1.0_f64, 0.8_f64, 9.81_f64, 2.0);
    let v = (2.0 * g * h).sqrt();
    let fall = (2.0 * h / g).sqrt();
    let (v_h, fall_h) = (v / (2.0 * h), fall / (2.0 * h));
    let times = 1.0 + 2.0 * e + 2.0 * e * e;
    let (t3, t3_h, t3_e) = (fall * times, fall_h * times, fall * (2.0 + 4.0 * e));
    let (u, u_h, u_e) = (e.powi(3) * v, e.powi(3) * v_h, 3.0 * e * e * v);
    let flight = end - t3;
    // y = u τ − g τ²/2 with τ = end − t3
    let by = |u_p: f64, t_p: f64| u_p * flight - (u - g * flight) * t_p;
    // the areas of whole flights are 2 u³ / 3 g²; of the fall h √(2h/g) 2/3
    let area = |h: f64, e: f64| {
        let (v, fall) = ((2.0 * g * h).sqrt(), (2.0 * h / g).sqrt());
        let t3 = fall * (1.0 + 2.0 * e + 2.0 * e * e);
        let (u, flight) = (e.powi(3) * v, end - t3);
        let whole: f64 = [1, 2].iter().map(|n| 2.0 * (e.powi(*n) * v).powi(3) / (3.0 * g * g)).sum();
        let radius = 0.1 * end;
        radius + 2.0 / 3.0 * h * fall + whole + 0.5 * u * flight * flight - g * flight.powi(3) / 6.0
    };
    // differences of order four of a closed form: good to 1e-12
    let d = |f: &dyn Fn(f64) -> f64| (8.0 * (f(2e-4) - f(-2e-4)) - (f(4e-4) - f(-4e-4))) / 24e-4;
    let areas = [d(&|x| area(h + x, e)), d(&|x| area(h, e + x))];
    let expected: [&[f64]; 6] =
        [&[by(u_h, t3_h), by(u_e, t3_e)], &[t3_h, t3_e], &[u_h, u_e], &[-e * v_h, -v], &[e * v_h, v], &areas];
    for (found, tolerance) in every(BALL, &["h", "k"], &of) {
        assert_eq!(found.events.len(), 3);
        assert!((found.values[5] - area(h, e)).abs() < 1e-9);
        // times of impacts are known to a rounding, which ε = 1/128 divides and three impacts add up
        assert_near(&found, &expected, tolerance.max(1e-12));
    }
}

/// `tests/data/make_variational.py`: variational equations in minimal coordinates, derived and integrated by heyoka in 128 bits.
fn witness(name: &str) -> (Vec<f64>, Vec<Vec<f64>>) {
    let all: serde_json::Value = serde_json::from_str(include_str!("../data/variational.json")).unwrap();
    let list = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let one = &all[name];
    (list(&one["y"]), one["s"].as_array().unwrap().iter().map(list).collect())
}

/// What differences hold against the witness; the others keep [their promises](PROMISES).
const WITNESS: f64 = 1e-9;

#[test]
fn cross_double_pendulum_and_variational_equations() {
    let text = r#"
        format = 1
        model = { dimension = 2, gravity = [0, -9.81] }
        parameters = { l1 = 1, l2 = 0.7, m1 = 2, m2 = 1.5, w1 = 0.4, w2 = -0.6 }
        [points]
        A = [0, 0]
        B = ["l1 * sin(90 deg)", "-l1 * cos(90 deg)"]
        C = ["l1 * sin(90 deg) + l2 * sin(60 deg)", "-l1 * cos(90 deg) - l2 * cos(60 deg)"]
        [bodies]
        ground = { points = ["A"] }
        one = { points = ["A", "B"], mass = "m1", com = "B", inertia = 0 }
        two = { points = ["B", "C"], mass = "m2", com = "C", inertia = 0 }
        [initial.angular_velocities]
        one = "w1"
        two = "w2"
        [simulation]
        duration = 2
    "#;
    let (y, s) = witness("double_pendulum");
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let of = ["joint.A.q", "joint.B.q", "joint.A.v", "joint.B.v"].map(|column| (Take::Final, column));
    let expected = [s[0].clone(), minus(&s[1], &s[0]), s[2].clone(), minus(&s[3], &s[2])];
    let expected: Vec<&[f64]> = expected.iter().map(Vec::as_slice).collect();
    for (found, promise) in every(text, &["l1", "l2", "m1", "m2", "w1", "w2"], &of) {
        assert!((found.values[0] - y[0]).abs() < 1e-9 && (found.values[2] - y[2]).abs() < 1e-9);
        assert_near(&found, &expected, promise.min(WITNESS));
    }
}

#[test]
fn cross_four_bar_and_variational_equations() {
    let text = r#"
        format = 1
        model = { dimension = 2, gravity = [0, -9.81] }
        points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0] }
        [bodies]
        ground = { points = ["A", "D"] }
        crank = { points = ["A", "B"], mass = 1 }
        coupler = { points = ["B", "C"], mass = 2 }
        rocker = { points = ["C", "D"], mass = 1.5 }
        [initial.angular_velocities]
        crank = -3
        [simulation]
        duration = 2
    "#;
    let (y, s) = witness("four_bar");
    let by = ["C", "bodies.crank.mass", "initial.angular_velocities.crank"];
    for (found, promise) in every(text, &by, &[(Take::Final, "joint.A.q"), (Take::Final, "joint.A.v")]) {
        assert!((found.values[0] - y[0]).abs() < 1e-9 && (found.values[1] - y[1]).abs() < 1e-9);
        assert_near(&found, &[&s[0], &s[1]], promise.min(WITNESS));
    }
}

/// All 20 coordinates of all hardpoints of the 3-RRR manipulator.
#[test]
fn cross_all_hardpoints_of_the_3rrr() {
    let text =
        include_str!("../../../../examples/manipulator-3rrr.toml").replace("duration = 5", "duration = 0.3");
    let of = [(Take::Final, "point.center.x"), (Take::Mean, "energy.kinetic"), (Take::Min, "point.6.vy")];
    let ways = [Method::Direct, Method::Differences, Method::Adjoint];
    let [direct, differences, adjoint] = found_by(ways, &text, &["points.*"], &of);
    assert_eq!(differences.variables.len(), 20);
    let expected: Vec<&[f64]> = direct.derivatives.iter().map(Vec::as_slice).collect();
    assert_near(&differences, &expected, 1e-6);
    // the transpose of the same equations
    assert_near(&adjoint, &expected, 1e-9);
}

/// Springs and dampers, a driver with a function of time and forces.
const COUPLED: &str = r#"
    format = 1
    model = { dimension = 3, gravity = [0, 0, -9.81] }
    parameters = { k = 300, c = 4, f = "2 N", w = 5, m = 1.2 }
    points = { O = [0, 0, 0], A = [0.5, 0.05, 0.1], B = [0.9, 0.4, -0.1], S = [0.4, 0, 0.9], R = [1.1, 0.3, 0.8] }
    bodies.ground = { points = ["O", "S", "R"] }
    bodies.arm = { points = ["O", "A"], mass = "m" }
    bodies.link = { points = ["A", "B"], mass = 0.7 }
    joints.turn = { type = "revolute", bodies = ["ground", "arm"], at = "O", axis = [0, 0, 1] }
    drivers.swing = { joint = "turn", value = "0.3 * sin(w * t)" }
    springs.s = { between = ["S", "B"], stiffness = "k", damping = "c", free_length = 0.8 }
    forces.push = { body = "link", at = "B", force = ["f * cos(3 * t)", 0, "f"] }
    simulation = { duration = 0.4 }
"#;
const ROPE: &str = "springs.r = { between = [\"R\", \"B\"], stiffness = 20, free_length = 0.3, tension_only = true }\n    simulation";
const COUPLED_BY: [&str; 9] = ["k", "c", "f", "w", "m", "A.x", "B.y", "S.z", "bodies.link.mass"];

/// What couplings and actions give is differentiated on the tape, and, for the rope, along the line.
#[test]
fn cross_couplings_and_actions() {
    let of = [(Take::Final, "point.B.x"), (Take::Final, "point.B.vz"), (Take::Mean, "driver.swing.torque")];
    for text in [COUPLED.to_owned(), COUPLED.replace("simulation", ROPE)] {
        let [direct, differences] = found_by([Method::Direct, Method::Differences], &text, &COUPLED_BY, &of);
        let expected: Vec<&[f64]> = direct.derivatives.iter().map(Vec::as_slice).collect();
        assert_near(&differences, &expected, 1e-7);
        let largest = direct.derivatives.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(largest > 0.1);
    }
}

/// Forwards, backwards and by power series: three evaluations of the same derivatives, of every kind of result. They differ by the local errors of runs, about 1e-11.
#[test]
fn cross_direct_jets_and_adjoint() {
    let of = [
        (Take::Final, "point.B.vz"),
        (Take::Final, "driver.swing.torque"),
        (Take::At(0.25), "energy.total"),
        (Take::Mean, "point.B.z"),
        (Take::Rms, "point.B.vy"),
        (Take::Max, "point.B.z"),
        (Take::Min, "spring.s.length"),
        (Take::Integral, "spring.s.length"),
    ];
    let [direct, jets, adjoint] = found_by(
        [Method::Direct, Method::Jets, Method::Adjoint],
        COUPLED,
        &["k", "c", "f", "w", "m", "A", "S.z"],
        &of,
    );
    let expected: Vec<&[f64]> = jets.derivatives.iter().map(Vec::as_slice).collect();
    assert_near(&direct, &expected, 1e-10);
    assert_near(&adjoint, &expected, 1e-9);
}

/// A way that cannot do a model says what it is that it cannot do, and another one may.
#[test]
fn refusals_name_what_a_way_cannot_do() {
    let beam = r#"
        format = 1
        model = { dimension = 2, gravity = [0, -9.81] }
        parameters = { EI = 2 }
        points = { A = [0, 0], B = [1, 0] }
        bodies.ground = { points = ["A"] }
        beams.blade = { from = "A", to = "B", clamp = ["ground", "none"], elements = 2, axial_stiffness = 1e6, bending_stiffness = "EI", mass_per_length = 1 }
        simulation = { duration = 0.006, output_step = 0.003, tolerance = 1e-8 }
    "#;
    let rope = COUPLED.replace("simulation", ROPE);
    let last = (Take::Final, "point.B.z");
    let mean = (Take::Mean, "driver.swing.torque");
    for (way, text, by, of, words) in [
        (Method::Direct, beam, "EI", (Take::Final, "point.B.y"), "stiff for explicit steps"),
        (Method::Jets, beam, "EI", (Take::Final, "point.B.y"), "blade"),
        (Method::Adjoint, beam, "EI", (Take::Final, "point.B.y"), "blade"),
        (Method::Jets, &rope, "k", last, "spring.r"),
        (Method::Adjoint, COUPLED, "k", mean, "driver.swing.torque"),
    ] {
        let file = file(text);
        let study = Study::of_file(&file, &[by], vec![Quantity::new(of.0, of.1)]).unwrap();
        let error = study.derivatives(way).unwrap_err();
        assert!(matches!(error, SensitivityError::Refused { method, .. } if method == way), "{way}: {error}");
        assert!(error.to_string().contains(words), "{way}: {error}");
    }
    let file = file(beam);
    let study = Study::of_file(&file, &["EI"], vec![Quantity::new(Take::Final, "point.B.y")]).unwrap();
    let found = study.derivatives(Method::Auto).unwrap();
    assert_eq!(found.method, Method::Differences);
    assert!(found.notes[0].contains("stiff for explicit steps"), "{:?}", found.notes);
}

/// Driven joints hold steps to the output step, and the last one is a rounding: neighbours land all the same.
/// The number is that of direct differentiation, which takes other steps and agreed to 3e-12; it is too slow to be run here.
#[test]
fn regress_driven_platform_with_even_steps() {
    let file = file(include_str!("../../../../examples/stewart-platform.toml"));
    let of = vec![Quantity::new(Take::Final, "energy.total")];
    let study =
        Study::of_file_with(&file, &["bodies.platform.mass"], of, |model| model.settings.duration = 0.1);
    let found = study.unwrap_or_else(|faults| panic!("{faults}")).differences().unwrap();
    assert!((found.derivatives[0][0] - 10.91659689).abs() < 1e-8, "{}", found.derivatives[0][0]);
}

/// A ball whose top just misses a ceiling: thrown a little faster, it bounces.
#[test]
fn exact_grazing_is_refused_with_time_and_contact() {
    // v²/2g = 0.9
    let text = r#"
        format = 1
        model = { dimension = 2, gravity = [0, -9.81] }
        parameters = { v = "sqrt(2 * 9.81 * 0.9)" }
        points = { C = [0, 0] }
        bodies.ball = { points = ["C"], mass = 0.5, shape = { type = "disc", radius = "10 cm" } }
        surfaces.ceiling = { type = "plane", at = [0, 1.0000000000001], normal = [0, -1] }
        contacts.top = { between = ["ball", "ceiling"], restitution = 0.5, friction = 0 }
        initial.velocities.C = [0, "v"]
        simulation = { duration = 0.8 }
    "#;
    let file = file(text);
    let study = Study::of_file(&file, &["v"], vec![Quantity::new(Take::Final, "point.C.y")]).unwrap();
    let error = study.differences().unwrap_err();
    let SensitivityError::Variable { variable, source, .. } = &error else { panic!("{error}") };
    assert_eq!(variable, "v");
    let message = source.to_string();
    assert!(message.contains("top") && message.contains("t = 0.4"), "{error}");
}

#[test]
fn exact_unknown_results_and_times_are_named() {
    let file = file(PENDULUM);
    let error = |take, column: &str| {
        let study = Study::of_file(&file, &["l"], vec![Quantity::new(take, column)]).unwrap();
        study.differences().unwrap_err().to_string()
    };
    assert!(error(Take::Final, "point.B.xx").contains("did you mean `point.B.x`?"));
    assert!(error(Take::At(7.0), "point.B.x").contains("from 0 to 5 s"));
    assert!(error(Take::After(3), "point.B.x").contains("1 events happened"));
    assert!(Study::of_file(&file, &["ll"], vec![]).is_err());
}
