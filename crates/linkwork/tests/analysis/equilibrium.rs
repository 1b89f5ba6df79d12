//! Static equilibrium against closed forms, minimisation and force polygons.

use linkwork::Error;
use linkwork::analysis::{Equilibrium, EquilibriumOptions, Stability};
use linkwork::joints::{Prismatic, Revolute};
use linkwork::mechanism::Mechanism;
use linkwork::model::{
    ActsOn, Axis, Body, Driver, Formula, Formulation, Inertia, Joint, Model, Settings, Severity, Spring,
    TorsionSpring,
};
use std::f64::consts::PI;

const G: f64 = 9.81;

pub fn rest(model: &Model) -> (Mechanism, Equilibrium) {
    let mechanism = model.assemble().unwrap();
    let found = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    (mechanism, found)
}

fn refusal(model: &Model) -> String {
    let mechanism = model.assemble().unwrap();
    match mechanism.equilibrium(&EquilibriumOptions::default()) {
        Err(Error::Equilibrium(message)) => message,
        other => panic!("{other:?}"),
    }
}

pub fn place(mechanism: &Mechanism, found: &Equilibrium, point: &str) -> [f64; 3] {
    let i = mechanism.points().iter().position(|p| p.name == point).unwrap();
    found.frame.positions[i]
}

/// In every formulation that takes the mechanism, accelerations vanish at the equilibrium.
pub fn same_in_all_formulations(mechanism: &Mechanism, found: &Equilibrium, tolerance: f64) {
    let placed = mechanism.at_equilibrium(found);
    let mut count = 0;
    for formulation in Formulation::ALL {
        if formulation.unsupported(mechanism).iter().any(|f| f.severity == Severity::Error) {
            continue;
        }
        let placed = placed.clone().with_settings(Settings { formulation, ..Settings::default() });
        let mut simulation = placed.simulation().unwrap();
        let frame = simulation.sample().unwrap();
        let largest = frame.accelerations.iter().flatten().fold(0.0, |m: f64, a| m.max(a.abs()));
        assert!(largest < tolerance, "{formulation}: {largest:.1e}");
        count += 1;
    }
    assert!(count >= 3);
}

fn pendulum(angle: f64) -> Model {
    Model::planar("pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [2.0 * angle.sin(), -2.0 * angle.cos()])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 3.0))
}

/// A rod hangs, whatever angle it starts from; its frequency is that of a physical pendulum, ω² = 3g/2l.
#[test]
fn exact_pendulum_hangs_from_any_angle() {
    for degrees in [1.0, 30.0, 89.9, 90.0, 135.0, 179.0, 179.999, -120.0] {
        let (mechanism, found) = rest(&pendulum(f64::to_radians(degrees)));
        let [x, y, _] = place(&mechanism, &found, "A");
        // the equations are solved to rounding
        assert!(x.abs() < 1e-12 && (y + 2.0).abs() < 1e-12, "{degrees}: {x:e} {y}");
        assert_eq!(found.stability, Stability::Stable);
        let omega = found.slowest.unwrap();
        // K comes from differences with a step of 1e-7
        assert!((omega - (1.5 * G / 2.0_f64).sqrt()).abs() < 1e-6, "{omega}");
        assert!(found.residual < 1e-12 * found.weight);
        same_in_all_formulations(&mechanism, &found, 1e-11);
    }
}

/// Upside down it stands, and is told to be unstable: it falls with ω² = −3g/2l.
#[test]
fn exact_pendulum_upside_down_is_unstable() {
    let (mechanism, found) = rest(&pendulum(PI));
    assert!((place(&mechanism, &found, "A")[1] - 2.0).abs() < 1e-12);
    assert_eq!(found.stability, Stability::Unstable);
    assert_eq!(found.unstable.len(), 1);
    assert_eq!(found.unstable[0].joint.as_deref(), Some("O"));
    assert!((found.unstable[0].square + 1.5 * G / 2.0).abs() < 1e-6, "{:?}", found.unstable);
}

/// A chain of n equal links between two supports: the force polygon. With H across and V_i at link i, V_i = V_1 − (i−1) m g, each link lies along (H, V − weight of half of it).
fn polygon(links: usize, span: f64, length: f64, weight: f64) -> Vec<[f64; 2]> {
    let n = links as f64;
    // weights m g / n of uniform links act half on each end; by symmetry the vertical force in link i is (i − (n − 1)/2) w
    let w = weight / n;
    let reach = |h: f64| -> f64 {
        (0..links)
            .map(|i| {
                let v = (i as f64 - 0.5 * (n - 1.0)) * w;
                length / n * h / h.hypot(v)
            })
            .sum()
    };
    let (mut low, mut high) = (1e-9 * weight, 1e6 * weight);
    for _ in 0..300 {
        let middle = (low * high).sqrt();
        if reach(middle) < span { low = middle } else { high = middle }
    }
    let h = (low * high).sqrt();
    let mut at = [0.0, 0.0];
    let mut places = vec![at];
    for i in 0..links {
        let v = (i as f64 - 0.5 * (n - 1.0)) * w;
        let long = length / n / h.hypot(v);
        at = [at[0] + h * long, at[1] + v * long];
        places.push(at);
    }
    places
}

pub fn hanging_chain(links: usize, span: f64, length: f64) -> Model {
    // drawn as two straight lines that meet below the middle
    let depth = 0.5 * (length * length - span * span).sqrt();
    let mut model = Model::planar("chain").gravity([0.0, -G]);
    for i in 0..=links {
        let s = i as f64 / links as f64;
        let y = -2.0 * depth * s.min(1.0 - s);
        model = model.point(format!("P{i}"), [span * s, y]);
    }
    model = model.ground(["P0".to_string(), format!("P{links}")]);
    for i in 0..links {
        let ends = [format!("P{i}"), format!("P{}", i + 1)];
        model = model.body(Body::rod(
            format!("link{i}"),
            [ends[0].as_str(), ends[1].as_str()],
            3.0 / links as f64,
        ));
    }
    model
}

/// The links of a hanging chain lie along the force polygon.
#[test]
fn exact_hanging_chain_is_a_force_polygon() {
    for links in [4, 10, 60] {
        let (mechanism, found) = rest(&hanging_chain(links, 1.0, 1.5));
        let exact = polygon(links, 1.0, 1.5, 3.0 * G);
        for (i, place_) in exact.iter().enumerate() {
            let [x, y, _] = place(&mechanism, &found, &format!("P{i}"));
            // bisection and the polygon's sums are good to 1e-13
            assert!((x - place_[0]).hypot(y - place_[1]) < 1e-10, "{links} {i}: {x} {y} {place_:?}");
        }
        assert_eq!(found.stability, Stability::Stable);
    }
}

/// The lowest point comes near that of the catenary y = a cosh(x/a) with the square of the length of a link.
#[test]
fn order_catenary() {
    // 2 a sinh(span / 2a) = length
    let (mut low, mut high): (f64, f64) = (0.05, 10.0);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > 1.5 { low = a } else { high = a }
    }
    let sag = low * ((0.5 / low).cosh() - 1.0);
    let error = |links: usize| {
        let (mechanism, found) = rest(&hanging_chain(links, 1.0, 1.5));
        (place(&mechanism, &found, &format!("P{}", links / 2))[1] + sag).abs()
    };
    let (coarse, fine) = (error(20), error(40));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.05, "{coarse:e} {fine:e} {order}");
}

/// Force of a spring of free length l between two points.
fn spring_energy(k: f64, l: f64, a: [f64; 2], b: [f64; 2]) -> f64 {
    let d = (a[0] - b[0]).hypot(a[1] - b[1]) - l;
    0.5 * k * d * d
}

/// Four-bar with a spring from the coupler's point to the ground: its potential over the angle of the crank has a minimum, which golden section finds.
#[test]
fn cross_four_bar_with_spring() {
    let (a, b, c, d) = (0.3, 0.8, 0.6, 0.9);
    let joint = |phi: f64| -> [[f64; 2]; 2] {
        let p = [a * phi.cos(), a * phi.sin()];
        let (dx, dy) = (d - p[0], -p[1]);
        let f = dx.hypot(dy);
        let along = (b * b - c * c + f * f) / (2.0 * f);
        let h = (b * b - along * along).sqrt();
        let (ux, uy) = (dx / f, dy / f);
        [p, [p[0] + along * ux - h * uy, p[1] + along * uy + h * ux]]
    };
    let energy = |phi: f64| {
        let [p, q] = joint(phi);
        // uniform rods
        let weight = G * (1.0 * 0.5 * p[1] + 2.0 * 0.5 * (p[1] + q[1]) + 1.5 * 0.5 * q[1]);
        weight + spring_energy(60.0, 0.4, q, [1.6, 0.2])
    };
    let start: f64 = 1.2;
    let [p, q] = joint(start);
    let model = Model::planar("four-bar")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", p)
        .point("C", q)
        .point("D", [d, 0.0])
        .point("E", [1.6, 0.2])
        .ground(["A", "D", "E"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
        .spring(Spring::new("s", ["C", "E"], 60.0).free_length(0.4));
    let (mechanism, found) = rest(&model);
    let [x, y, _] = place(&mechanism, &found, "B");
    let phi = y.atan2(x);
    // Newton on dE/dφ by complex-free differences of sixth order, from the answer's neighbourhood and from elsewhere
    let slope = |x: f64| {
        let h = 1e-3;
        let e = |k: f64| energy(x + k * h);
        (45.0 * (e(1.0) - e(-1.0)) - 9.0 * (e(2.0) - e(-2.0)) + (e(3.0) - e(-3.0))) / (60.0 * h)
    };
    let (mut low, mut high) = (phi - 0.3, phi + 0.3);
    assert!(slope(low) < 0.0 && slope(high) > 0.0, "the answer is a minimum: {} {}", slope(low), slope(high));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    // differences of order six with a step of 1e-3: 1e-13 of rounding, 1e-16 of truncation
    assert!((phi - low).abs() < 1e-10, "{phi} {low}");
    assert_eq!(found.stability, Stability::Stable);
    same_in_all_formulations(&mechanism, &found, 1e-9);
}

/// Von Mises truss: two springs to a weight. It has two stable equilibria, above and below, k (L/l − 1) sin + weight = 0 on each side.
#[test]
fn exact_snap_through_truss() {
    let model = |h: f64| {
        Model::planar("truss")
            .gravity([0.0, -G])
            .point("A", [-1.0, 0.0])
            .point("B", [1.0, 0.0])
            .point("C", [0.0, h])
            .ground(["A", "B"])
            .body(Body::particle("mass", "C", 0.5))
            .spring(Spring::new("left", ["A", "C"], 900.0).free_length(1.05))
            .spring(Spring::new("right", ["B", "C"], 900.0).free_length(1.05))
    };
    // up: 2k (l − l0) y / l + m g = 0
    let up = |y: f64| 2.0 * 900.0 * (y.hypot(1.0) - 1.05) * y / y.hypot(1.0) + 0.5 * G;
    let root = |mut low: f64, mut high: f64| {
        let sign = up(low).signum();
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if up(middle).signum() == sign { low = middle } else { high = middle }
        }
        low
    };
    let exact = [root(0.25, 0.4), root(-0.5, -0.3)];
    for (h, exact) in [(0.33, exact[0]), (-0.2, exact[1])] {
        let (mechanism, found) = rest(&model(h));
        let y = place(&mechanism, &found, "C")[1];
        assert!((y - exact).abs() < 1e-12, "{y} {exact}");
        assert_eq!(found.stability, Stability::Stable);
    }
    // between them it is a maximum: standing there exactly it is told to be unstable
    let middle = root(-0.1, 0.1);
    let (_, found) = rest(&model(middle));
    assert_eq!(found.stability, Stability::Unstable, "{:?}", found);
    assert_eq!(found.unstable[0].body, "mass");
}

/// A cart on a rail: nothing resists, nothing moves it.
#[test]
fn exact_free_cart_stays() {
    let cart = |model: Model| {
        model
            .point("O", [0.0, 0.0])
            .point("C", [0.3, 0.0])
            .point("M", [0.3, -0.5])
            .ground(["O"])
            .body(Body::particle("cart", "C", 2.0))
            .body(Body::rod("rod", ["C", "M"], 1.0))
            .joint(Joint::between("rail", Prismatic { axis: Axis::X }, ["ground", "cart"], ["O", "C"]))
    };
    let (mechanism, found) = rest(&cart(Model::planar("cart").gravity([0.0, -G])));
    assert_eq!(place(&mechanism, &found, "C")[0], 0.3);
    assert_eq!(found.stability, Stability::Neutral);
    assert_eq!(found.free.len(), 1);
    assert_eq!(found.free[0].joint.as_deref(), Some("rail"), "{:?}", found.free);
    // a constant force along the rail
    let message = refusal(&cart(Model::planar("cart").gravity([1.0, -G])));
    assert!(message.contains("has no equilibrium"), "{message}");
    assert!(message.contains("`rail`") && message.contains("3.0000e0 N"), "{message}");
    assert!(message.contains("along x"), "{message}");
}

/// A body that floats has six free directions, and one that falls no equilibrium.
#[test]
fn exact_floating_body() {
    let floating = |gravity: [f64; 3]| {
        Model::spatial("floating")
            .gravity(gravity)
            .point("A", [0.1, 0.2, 0.3])
            .point("O", [0.0, 0.0, 0.0])
            .ground(["O"])
            .body(Body::with_inertia(
                "ball",
                ["A"],
                2.0,
                "A",
                Inertia::Matrix([0.1, 0.2, 0.25, 0.0, 0.0, 0.0]),
            ))
    };
    let (mechanism, found) = rest(&floating([0.0; 3]));
    assert_eq!(place(&mechanism, &found, "A"), [0.1, 0.2, 0.3]);
    assert_eq!((found.stability, found.free.len()), (Stability::Neutral, 6));
    let message = refusal(&floating([0.0, 0.0, -G]));
    assert!(message.contains("`ball` along -z") && message.contains("1.9620e1 N"), "{message}");
}

/// A weight on a rope that is longer than the way to it hangs where the rope is taut: a unilateral spring, which is no spring where it begins.
#[test]
fn exact_weight_on_a_rope() {
    let model = Model::planar("rope")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("W", [0.1, -0.2])
        .ground(["O"])
        .body(Body::particle("weight", "W", 4.0))
        .spring(Spring { tension_only: true, ..Spring::new("rope", ["O", "W"], 5e4).free_length(1.0) });
    let (mechanism, found) = rest(&model);
    let [x, y, _] = place(&mechanism, &found, "W");
    assert!(x.abs() < 1e-10 && (y + 1.0 + 4.0 * G / 5e4).abs() < 1e-12, "{x:e} {y}");
}

/// A closed loop in space with three redundant constraints: the same place as the planar one.
#[test]
fn cross_redundant_loop() {
    let places = [("A", [0.0, 0.0]), ("B", [0.1, 0.3]), ("C", [0.8, 0.5]), ("D", [0.9, 0.0])];
    let rods = [("crank", ["A", "B"], 1.0), ("coupler", ["B", "C"], 2.0), ("rocker", ["C", "D"], 1.5)];
    let at = |name: &str| places.iter().find(|p| p.0 == name).unwrap().1;
    let mut flat = Model::planar("flat").gravity([0.0, -G]).ground(["A", "D"]);
    let mut deep = Model::spatial("deep").gravity([0.0, 0.0, -G]).ground(["A", "D"]);
    for (name, [x, z]) in places {
        flat = flat.point(name, [x, z]);
        deep = deep.point(name, [x, 0.0, z]);
    }
    for (name, ends, mass) in rods {
        flat = flat.body(Body::rod(name, ends, mass));
        let [a, b] = ends.map(at);
        let middle = [0.5 * (a[0] + b[0]), 0.0, 0.5 * (a[1] + b[1])];
        let inertia = Inertia::Matrix([0.01, 0.01, 0.01, 0.0, 0.0, 0.0]);
        deep = deep.body(Body::with_inertia(name, ends, mass, middle, inertia));
    }
    let (mechanism, found) = rest(&flat);
    let expected = place(&mechanism, &found, "C");
    for (name, at, bodies) in [
        ("a", "A", ["ground", "crank"]),
        ("b", "B", ["crank", "coupler"]),
        ("c", "C", ["coupler", "rocker"]),
        ("d", "D", ["rocker", "ground"]),
    ] {
        deep = deep.joint(Joint::new(name, Revolute { axis: Some(Axis::Y) }, bodies, at));
    }
    let (mechanism, found) = rest(&deep);
    let [x, y, z] = place(&mechanism, &found, "C");
    assert!(mechanism.redundancy().count >= 3);
    assert!(
        (x - expected[0]).abs() < 1e-10 && y.abs() < 1e-12 && (z - expected[1]).abs() < 1e-10,
        "{x} {z} {expected:?}"
    );
    assert_eq!(found.stability, Stability::Stable);
}

/// The vehicle stands at the height that a run with damped steering comes to (docs/vehicle.md), found to its last digits by an independent solution.
#[test]
fn paper_vehicle_at_rest() {
    let model =
        Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vehicle.toml")).unwrap();
    let mechanism = model.assemble().unwrap();
    let clock = std::time::Instant::now();
    let found = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap();
    println!(
        "vehicle: {:?}, {} iterations, residual {:.1e} of the weight",
        clock.elapsed(),
        found.iterations,
        found.relative_residual()
    );
    let z = place(&mechanism, &found, "centre")[2];
    // the run that the reference is the end of is off by up to 4e-11 m
    assert!((z - 0.498927571487).abs() < 4e-11, "{z:.15}");
    same_in_all_formulations(&mechanism, &found, 1e-10);
    // along, across and about the vertical, and the spin of four wheels
    assert_eq!((found.free.len(), found.unstable.len()), (7, 0), "{:?}", found.free);
    // each told apart: four spins by their joints, the rest by the chassis
    let mut spins: Vec<&str> = found.free.iter().filter_map(|free| free.joint.as_deref()).collect();
    spins.sort_unstable();
    assert_eq!(spins, ["lf_bearing", "lr_bearing", "rf_bearing", "rr_bearing"], "{:?}", found.free);
    let mut rest: Vec<&str> =
        found.free.iter().filter(|free| free.joint.is_none()).map(|free| free.what.as_str()).collect();
    rest.sort_unstable();
    assert_eq!(rest, ["`chassis` about z", "`chassis` along x", "`chassis` along y"]);
    assert!(found.iterations < 40, "{}", found.iterations);
}

/// A ratio of rates has no value at rest: that is no matter of forces.
#[test]
fn exact_measure_without_a_value_at_rest() {
    let text = "format = 1\n[model]\ngravity = \"-y\"\n[points]\nO = [0, 0]\nA = [1, 0]\n[bodies]\nground = { points = [\"O\"] }\nrod = { points = [\"O\", \"A\"], mass = 2 }\n\
                [measures]\nratio = \"point.A.vx / joint.O.v\"\n";
    let (mechanism, found) = rest(&Model::from_toml(text).unwrap());
    assert!((place(&mechanism, &found, "A")[1] + 1.0).abs() < 1e-12);
    assert!(found.frame.measures[0].is_nan());
}

/// A torsion spring, a driver that stands still, a controller: forces that read joints.
#[test]
fn exact_driver_stands_still() {
    // the crank stands at the driver's angle at the time asked for, and a second rod hangs from it
    let model = Model::planar("driven")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .point("B", [1.5, 0.2])
        .ground(["O"])
        .body(Body::rod("crank", ["O", "A"], 1.0))
        .body(Body::rod("rod", ["A", "B"], 1.0))
        .driver(Driver::joint("motor", "O", Formula::parse("0.5*t").unwrap()));
    let mechanism = model.assemble().unwrap();
    let mut options = EquilibriumOptions::default();
    options.at = 2.0;
    let found = mechanism.equilibrium(&options).unwrap();
    let [x, y, _] = place(&mechanism, &found, "A");
    assert!((x - 1.0_f64.cos()).abs() < 1e-12 && (y - 1.0_f64.sin()).abs() < 1e-12, "{x} {y}");
    let [bx, by, _] = place(&mechanism, &found, "B");
    assert!((bx - x).abs() < 1e-11 && by < y, "{bx} {by}");
    assert_eq!(found.state.t, 2.0);
}

/// k φ = m g l/2 cos φ for a rod on a torsion spring that is relaxed when it is level.
#[test]
fn exact_torsion_spring() {
    let model = Model::planar("lever")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 2.0))
        .torsion_spring(TorsionSpring::new("s", ActsOn::joint("O"), 40.0));
    let (mechanism, found) = rest(&model);
    let [x, y, _] = place(&mechanism, &found, "A");
    let phi = -y.atan2(x);
    assert!((40.0 * phi - G * phi.cos()).abs() < 1e-11, "{phi}");
    let joint = found.joints.iter().find(|j| j.joint == "O").unwrap();
    assert!((joint.after + phi).abs() < 1e-13 && joint.before == 0.0 && joint.turns);
}

/// A rope over two pulleys with a weight at each end and one that slides on it between them: 2 m sin φ = M, wherever the ends hang.
#[test]
fn exact_rope_over_pulleys() {
    let model = Model::from_toml(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        A = [-1, 0]
        B = [1, 0]
        L = [-1, -2]
        R = [1, -1.7]
        C = [0.1, -0.3]
        [bodies]
        ground = { points = ["A", "B"] }
        left = { points = ["L"], mass = 5 }
        right = { points = ["R"], mass = 5 }
        middle = { points = ["C"], mass = 6 }
        [cables]
        rope = { through = ["L", "A", "C", "B", "R"], inextensible = true }
        "#,
    )
    .unwrap();
    let (mechanism, found) = rest(&model);
    let [x, y, _] = place(&mechanism, &found, "C");
    let phi = (6.0_f64 / 10.0).asin();
    assert!(x.abs() < 1e-9 && (y + phi.tan()).abs() < 1e-9, "{x} {y}");
    let tension: f64 = found.frame.multipliers.iter().map(|l| l.abs()).sum();
    assert!((tension - 5.0 * G).abs() < 1e-8, "{tension}");
    // one end sinks as the other rises
    assert_eq!((found.stability, found.free.len()), (Stability::Neutral, 1), "{:?}", found.unstable);
}
