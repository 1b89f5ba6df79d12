//! Motions that cannot be used, and mechanisms that cannot be supplied: refused by name.

use linkwork::Error;
use linkwork::analysis::inverse::{Columns, Motion, Settings, Smoothing};
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;

/// A pole on a cart.
const CART: &str = r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
O = [0, 0]
C = [0, 0]
P = [0, 1]
[bodies]
ground = { points = ["O"] }
cart = { points = ["C"], mass = 2, shape = { type = "box", size = [0.4, 0.2], axis = [1, 0] } }
pole = { points = ["C", "P"], mass = 0.5 }
[joints]
rail = { type = "prismatic", bodies = ["ground", "cart"], at = ["O", "C"], axis = [1, 0] }
pivot = { type = "revolute", bodies = ["cart", "pole"], at = "C" }
[actuators]
push = { joint = "rail", force = 0, limit = 50 }
[measures]
lean = { value = "joint.pivot.q", unit = "deg" }
speed = "joint.rail.v"
[simulation]
duration = 1
"#;

fn cart() -> Mechanism {
    Model::from_toml(CART).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap()
}

fn told<T>(found: Result<T, Error>, words: &[&str]) {
    let Err(error) = found else { panic!("accepted, without {words:?}") };
    let message = error.to_string();
    println!("{message}");
    assert!(matches!(error, Error::Motion(_) | Error::Io { .. }), "{error:?}");
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

fn times() -> Vec<f64> {
    (0..=50).map(|i| 0.02 * f64::from(i)).collect()
}

/// A coordinate and its course.
type Course<'a> = (&'a str, fn(f64) -> f64);

fn motion(columns: &[Course<'_>]) -> Motion {
    let t = times();
    let motion = Motion::new(&t[..], Smoothing::Through).unwrap();
    columns.iter().fold(motion, |motion, (of, f)| {
        let values: Vec<f64> = t.iter().map(|t| f(*t)).collect();
        motion.prescribe(*of, &values).unwrap()
    })
}

fn by(names: &[&str]) -> Settings {
    Settings { actuators: Some(names.iter().map(|name| (*name).into()).collect()), ..Settings::default() }
}

/// The pole has no actuator: refused by its name with the torque that it lacks, m g l/2 sin φ and inertia; or told as a residual.
#[test]
fn exact_cart_pole_lacks_a_motor() {
    let both = motion(&[("joint.rail.q", |t| 0.1 * t * t), ("joint.pivot.q", |t| -0.3 * t)]);
    let mechanism = cart();
    told(
        mechanism.inverse(&both, &Settings::default()),
        &["push", "1 of 2", "none moves `joint.pivot.q`", "N m", "residuals"],
    );
    let settings = Settings { residuals: true, ..Settings::default() };
    let inverse = mechanism.inverse(&both, &settings).unwrap();
    let residual = inverse.residual().unwrap();
    println!("{residual:?}");
    assert_eq!(residual.rate, "joint.pivot.q");
    // m l²/3 θ̈ - m l/2 (ẍ cos θ + g sin θ), θ from upright: most at the end, with θ = -0.3
    let exact = 0.25 * (9.81 * 0.3_f64.sin() - 0.2 * 0.3_f64.cos());
    assert!((residual.size - exact).abs() < 1e-9, "{} {exact}", residual.size);
    assert!((residual.t - 1.0).abs() < 1e-12 && (residual.power - 0.3 * exact).abs() < 1e-9);
    assert!(mechanism.inverse(&both, &by(&["push", "joint.pivot"])).unwrap().residual().is_none());
}

#[test]
fn exact_what_is_prescribed_is_judged() {
    let mechanism = cart();
    let push = by(&["push", "joint.pivot"]);
    let one = motion(&[("joint.rail.q", |t| t * t)]);
    told(mechanism.inverse(&one, &push), &["1 prescribed for 2", "`joint.pivot.q`", "not prescribed"]);
    let twice = motion(&[("joint.rail.q", |t| t * t), ("point.C.x", |t| t * t)]);
    told(mechanism.inverse(&twice, &push), &["do not tell", "`joint.pivot.q`"]);
    let apart = motion(&[("joint.rail.q", |t| t * t), ("point.C.x", |t| t * t + 1e-3 * t), ("lean", |t| t)]);
    told(mechanism.inverse(&apart, &push), &["contradict", "t = 0.02 s", "1.000e-5"]);
    let wide = Settings { gap: 1e-2, ..push.clone() };
    let inverse = mechanism.inverse(&apart, &wide).unwrap();
    // two values at a distance of 1 mm at the end: the middle is half of it from both
    assert!((inverse.gap().0 - 5e-4).abs() < 1e-9, "{:?}", inverse.gap());
    for (of, words) in [
        ("joint.pivo.q", &["`joint.pivo.q` cannot be prescribed", "pivot"][..]),
        ("speed", &["`speed` cannot be prescribed", "not a function of where"]),
        ("joint.rail.q +", &["`joint.rail.q +`"]),
    ] {
        let wrong = motion(&[("joint.rail.q", |t| t * t), (of, |t| t)]);
        told(mechanism.inverse(&wrong, &push), words);
    }
    // the end of the pole, a metre long, cannot be two metres to the right of the cart
    let far = motion(&[("joint.rail.q", |_| 0.0), ("point.P.x", |t| 2.0 * t)]);
    told(
        mechanism.inverse(&far, &push),
        &["cannot follow the motion beyond t = 0.49", "point.P.x", "out of reach"],
    );
}

#[test]
fn exact_actuators_are_judged() {
    let mechanism = cart();
    let both = motion(&[("joint.rail.q", |t| t * t), ("joint.pivot.q", |t| t)]);
    told(
        mechanism.inverse(&both, &by(&["pusk"])),
        &["no actuator or joint coordinate `pusk`", "did you mean `push`"],
    );
    told(mechanism.inverse(&both, &by(&["push", "push"])), &["`push` is named twice"]);
    let weight = |name: &str, weight: f64| Settings {
        weights: vec![(name.into(), weight)],
        ..by(&["push", "joint.pivot"])
    };
    told(mechanism.inverse(&both, &weight("pole", 1.0)), &["weight of `pole`"]);
    told(mechanism.inverse(&both, &weight("push", 0.0)), &["weight of `push`", "positive"]);
    told(
        mechanism.inverse(&both, &Settings { output_step: Some(-1.0), ..by(&["push"]) }),
        &["must be positive"],
    );
    let text = CART.replace("[actuators]\npush = { joint = \"rail\", force = 0, limit = 50 }\n", "");
    let bare = Model::from_toml(&text).unwrap().assemble().unwrap();
    told(bare.inverse(&both, &Settings::default()), &["no actuators", "joint.rail"]);
    let text = CART.replace("force = 0, limit = 50", "every = \"10 ms\", force = 1");
    let sampled = Model::from_toml(&text).unwrap().assemble().unwrap();
    told(sampled.inverse(&both, &by(&["joint.rail", "joint.pivot"])), &["sampled"]);
    // as the unknown it is not sampled
    assert!(sampled.inverse(&both, &by(&["push", "joint.pivot"])).is_ok());
}

fn parse(text: &str) -> Result<Motion, Error> {
    Motion::parse(text, &cart(), &Columns::default(), Smoothing::Through)
}

#[test]
fn exact_damaged_files_are_named() {
    let rows = |n: usize| -> String { (0..n).map(|i| format!("{},{},0\n", i, i * i)).collect() };
    let head = "t,joint.rail.q,joint.pivot.q\n";
    assert!(parse(&format!("{head}{}", rows(8))).is_ok());
    told(parse(""), &["empty"]);
    told(parse(&format!("time,joint.rail.q,x\n{}", rows(8))), &["no column `t`"]);
    told(parse(&format!("t,a,b\n{}", rows(8))), &["no column is a coordinate", "`a` = `joint."]);
    told(parse(&format!("t,joint.rail.q,joint.rail.q\n{}", rows(8))), &["two columns `joint.rail.q`"]);
    told(parse(&format!("{head}0,1\n")), &["line 2", "2 cells"]);
    told(parse(&format!("{head}{}8,nan,0\n", rows(8))), &["line 10", "joint.rail.q", "nan"]);
    told(parse(&format!("{head}{}7,1,0\n", rows(8))), &["line 10", "ascend", "7 s follows 7 s"]);
    told(parse(&format!("{head}{}", rows(4))), &["joint.rail.q", "6 points", "4"]);
    told(parse(&format!("{head}{}", rows(1))), &["two samples"]);
    let columns = Columns { map: vec![("x".into(), "joint.rail.q".into())], ..Columns::default() };
    told(Motion::parse(head, &cart(), &columns, Smoothing::Through), &["no column `x`"]);
    let columns = Columns { units: vec![("joint.rail.q".into(), "parsec".into())], ..Columns::default() };
    told(Motion::parse(head, &cart(), &columns, Smoothing::Through), &["no unit `parsec`"]);
    let fast =
        Motion::parse(&format!("{head}{}", rows(8)), &cart(), &Columns::default(), Smoothing::Cutoff(0.6));
    told(fast, &["cut-off frequency", "below half the rate", "0.6"]);
    told(Motion::read("nowhere.csv", &cart(), &Columns::default(), Smoothing::Through), &["nowhere.csv"]);
}

/// Columns by other names and in other units are the same motion; a measure has its own unit.
#[test]
fn same_motion_in_other_units() {
    let text = |q: f64, phi: f64| -> String {
        (0..=50).map(|i| f64::from(i) * 0.02).map(|t| format!("{},{},{}\n", t, q * t * t, phi * t)).collect()
    };
    let mechanism = cart();
    let forces = |text: String, columns: &Columns| {
        let motion = Motion::parse(&text, &mechanism, columns, Smoothing::Through).unwrap();
        let inverse = mechanism.inverse(&motion, &by(&["push", "joint.pivot"])).unwrap();
        [inverse.forces("push").unwrap().to_vec(), inverse.forces("joint.pivot").unwrap().to_vec()]
    };
    let plain = forces(format!("t,joint.rail.q,joint.pivot.q\n{}", text(0.3, 0.5)), &Columns::default());
    let degrees = 0.5_f64.to_degrees();
    let map = |column: &str, of: &str| (column.to_owned(), of.to_owned());
    let other = Columns {
        map: vec![map("way", "joint.rail.q"), map("hip", "joint.pivot.q")],
        units: vec![map("way", "mm"), map("hip", "deg")],
    };
    let measured =
        Columns { map: vec![map("way", "point.C.x"), map("hip", "lean")], units: vec![map("way", "mm")] };
    for columns in [other, measured] {
        let found = forces(format!("t,way,hip\n{}", text(300.0, degrees)), &columns);
        for (a, b) in found.iter().flatten().zip(plain.iter().flatten()) {
            // numbers of the file are rounded, and divided by h² in the second derivative
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}
