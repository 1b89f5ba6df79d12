//! Masses that vary and thrusters: Tsiolkovsky's rocket and other closed forms, the same motion in all formulations, energy balances, contacts, locks.

use crate::suite;
use linkwork::joints::Revolute;

use linkwork::batch::{Batch, Variant};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::simulation::{EventKind, Status, Trajectory};
use suite::{G, applicable, run, settings};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn along(x: f64, y: f64) -> ThrustDirection {
    ThrustDirection::World(Axis::Vector([x, y, 0.0]))
}

fn with(model: &Model, f: Formulation) -> Model {
    let settings = Settings { formulation: f, ..model.settings.clone() };
    model.clone().settings(settings)
}

fn column(mechanism: &Mechanism, run: &Trajectory, name: &str) -> Vec<f64> {
    run.column(mechanism, name).unwrap_or_else(|| panic!("no column {name}"))
}

fn worst(found: &[f64], right: impl Iterator<Item = f64>) -> f64 {
    found.iter().zip(right).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// 10 kg of which 6 kg burn in 2 s at 1500 m/s, straight up; v = c ln(m₀/m) − g t, and what follows from it.
struct Rocket {
    m0: f64,
    flow: f64,
    c: f64,
    burn: f64,
}

const ROCKET: Rocket = Rocket { m0: 10.0, flow: 3.0, c: 1500.0, burn: 2.0 };

impl Rocket {
    fn mass(&self, t: f64) -> f64 {
        self.m0 - self.flow * t.min(self.burn)
    }
    fn velocity(&self, t: f64) -> f64 {
        self.c * (self.m0 / self.mass(t)).ln() - G * t
    }
    fn height(&self, t: f64) -> f64 {
        let s = t.min(self.burn);
        let up = self.c * (s - self.mass(s) / self.flow * (self.m0 / self.mass(s)).ln());
        up + self.c * (self.m0 / self.mass(s)).ln() * (t - s) - 0.5 * G * t * t
    }
    fn thruster(&self) -> Thruster {
        let thrust = Thrust::Constant { impulse: self.c * self.flow * self.burn, burn_time: self.burn };
        Thruster::new("motor", "rocket", along(0.0, 1.0), thrust)
    }
    fn model(&self) -> Model {
        Model::planar("rocket")
            .gravity([0.0, -G])
            .point("P", [0.0, 0.0])
            .body(Body::particle("rocket", "P", self.m0))
            .settings(settings(3.0, 0.1, 1e-12))
    }
}

/// By propellant, by exhaust velocity, by a formula of the thrust, by a law of the mass: one motion, in all formulations.
#[test]
fn exact_tsiolkovsky() {
    let rocket = ROCKET;
    let thrust = Thrust::Given { thrust: formula("if(t < 2, 4500, 0)"), burn_time: None };
    let models = [
        rocket.model().thruster(rocket.thruster().propellant(Propellant::Mass(6.0))),
        rocket.model().thruster(rocket.thruster().propellant(Propellant::ExhaustVelocity(1500.0))),
        rocket.model().thruster(Thruster {
            thrust,
            ..rocket.thruster().propellant(Propellant::ExhaustVelocity(1500.0))
        }),
        {
            let mut model = rocket.model().thruster(rocket.thruster());
            model.bodies[0] = Body::particle("rocket", "P", 10.0).mass_law(formula("10 - 3 * min(t, 2)"));
            model
        },
    ];
    for (i, model) in models.iter().enumerate() {
        for f in applicable(model) {
            let (mechanism, run) = run(&with(model, f));
            let times = || run.frames.iter().map(|frame| frame.t);
            let mass = worst(&column(&mechanism, &run, "body.rocket.mass"), times().map(|t| rocket.mass(t)));
            let v = worst(&column(&mechanism, &run, "point.P.vy"), times().map(|t| rocket.velocity(t)));
            let y = worst(&column(&mechanism, &run, "point.P.y"), times().map(|t| rocket.height(t)));
            let drift = run.summary.relative_energy_drift();
            println!("{i} {}: m {mass:.1e} kg, v {v:.1e} m/s, y {y:.1e} m, energy {drift:.1e}", f.name());
            // speeds of 1375 m/s and heights of 2800 m: parts of 1e-12
            assert!(mass < 1e-13 && v < 1e-9 && y < 1e-9, "{i} {f:?}: {mass} {v} {y}");
            assert!(drift < 1e-10, "{i} {f:?}: {drift}");
            let force = column(&mechanism, &run, "thruster.motor.force");
            for (frame, force) in run.frames.iter().zip(&force) {
                assert_eq!(*force, if frame.t < 2.0 { 4500.0 } else { 0.0 }, "{} s", frame.t);
                if frame.t == 2.0 {
                    continue; // `min` has two slopes there
                }
                let flow = if frame.t < 2.0 { 3.0 } else { 0.0 };
                let expected = -flow * frame.motions[0].v[1];
                assert!((frame.mass_flow_momentum[1] - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }
}

/// A given step: the jump of the thrust falls between two steps and costs no order.
#[test]
fn exact_orders_of_given_steps_are_kept_over_the_end_of_the_burn() {
    let rocket = Rocket { burn: 1.83, ..ROCKET };
    for (integrator, least) in [(Integrator::Rk4, 14.0), (Integrator::Dopri5, 25.0)] {
        let error = |step: f64| {
            let mut model =
                rocket.model().thruster(rocket.thruster().propellant(Propellant::ExhaustVelocity(rocket.c)));
            model.settings =
                Settings { integrator, step: Some(step), formulation: Formulation::Points, ..model.settings };
            let (mechanism, run) = run(&model);
            worst(&column(&mechanism, &run, "point.P.vy"), run.frames.iter().map(|f| rocket.velocity(f.t)))
        };
        let (coarse, fine) = (error(0.1), error(0.05));
        println!("{}: {coarse:.2e} and {fine:.2e} m/s", integrator.name());
        assert!(coarse / fine > least, "{integrator:?}: {coarse} {fine}");
    }
}

/// A rod on a pin with a particle at its tip that loses mass, turned by a couple: (I + m L²) θ̈ = τ.
#[test]
fn exact_rod_with_a_tip_that_loses_mass() {
    let (tau, m, k, l, rod) = (2.0, 3.0, 0.8, 0.7, 1.2);
    let model = Model::planar("arm")
        .point("A", [0.0, 0.0])
        .point("B", [l, 0.0])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], rod))
        .body(Body::particle("tip", "B", m).mass_law(formula("3 - 0.8 * t")))
        .couple(Couple::new("turn", "rod", [0.0, 0.0, tau]))
        .settings(settings(3.0, 0.1, 1e-11));
    let i0 = rod * l * l / 3.0 + m * l * l;
    let omega = |t: f64| -tau / (k * l * l) * (1.0 - k * l * l * t / i0).ln();
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        let off =
            worst(&column(&mechanism, &run, "joint.A.v"), run.frames.iter().map(|frame| omega(frame.t)));
        let drift = run.summary.relative_energy_drift();
        println!("{}: {off:.1e} rad/s, energy {drift:.1e}", f.name());
        assert!(off < 1e-9 && drift < 1e-9, "{f:?}: {off} {drift}");
        // the pin holds the rod and the tip on their circles
        let (mechanism, frame) = (mechanism, run.frames.last().unwrap());
        let (w, q) = (frame.joints[0][0].v, frame.joints[0][0].q);
        let (mass, alpha) = (m - k * frame.t, tau / (i0 - k * l * l * frame.t));
        let moment = (rod / 2.0 + mass) * l;
        let along = -moment * w * w;
        let expected =
            [along * q.cos() - moment * alpha * q.sin(), along * q.sin() + moment * alpha * q.cos()];
        for (i, axis) in ["x", "y"].iter().enumerate() {
            let found = *column(&mechanism, &run, &format!("joint.A.force.{axis}")).last().unwrap();
            assert!((found - expected[i]).abs() < 1e-7, "{f:?} {axis}: {found} {}", expected[i]);
        }
    }
}

/// Spin-up about a principal axis under a constant couple: ω = −τ/(k I₀) ln(1 − k t).
#[test]
fn exact_spin_up_of_a_body_whose_inertia_falls() {
    let (tau, k, i0) = (0.6, 0.25, 0.3);
    let inertia = Inertia::Matrix([0.2, 0.25, i0, 0.0, 0.0, 0.0]);
    let model = Model::spatial("satellite")
        .point("P", [0.1, 0.2, 0.3])
        .body(
            Body::with_inertia("satellite", ["P"], 8.0, "P", inertia).mass_law(formula("8 * (1 - 0.25 * t)")),
        )
        .couple(Couple::new("wheel", "satellite", [0.0, 0.0, tau]))
        .measure(Measure::new("w", formula("body.satellite.wz")))
        .settings(settings(3.0, 0.1, 1e-12));
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        let right = run.frames.iter().map(|frame| -tau / (k * i0) * (1.0 - k * frame.t).ln());
        let off = worst(&column(&mechanism, &run, "measure.w"), right);
        let drift = run.summary.relative_energy_drift();
        println!("{}: {off:.1e} rad/s, energy {drift:.1e}", f.name());
        assert!(off < 1e-9 && drift < 1e-10, "{f:?}: {off} {drift}");
    }
}

/// A free body that tumbles while its mass changes: gyration does not, so free rotation is that of a constant mass. Its angular momentum goes with m.
#[test]
fn exact_free_tumbling_does_not_see_the_mass() {
    let inertia = Inertia::Matrix([0.2, 0.5, 0.4, 0.05, -0.03, 0.02]);
    let body = Body::with_inertia("b", ["P"], 2.0, "P", inertia);
    let model = |body: Body| {
        Model::spatial("tumbling")
            .point("P", [0.0; 3])
            .body(body)
            .angular_velocity("b", [1.0, 5.0, 0.3])
            .velocity("P", [1.0, 2.0, 3.0])
            .measure(Measure::new("wx", formula("body.b.wx")))
            .settings(settings(2.0, 0.1, 1e-12))
    };
    let law = model(body.clone().mass_law(formula("2 + sin(3 * t)")));
    let (mechanism, still) = run(&with(&model(body), Formulation::NewtonEuler));
    let still = column(&mechanism, &still, "measure.wx");
    for f in applicable(&law) {
        let (mechanism, run) = run(&with(&law, f));
        let off = worst(&column(&mechanism, &run, "measure.wx"), still.iter().copied());
        let frame = run.frames.last().unwrap();
        let energy = frame.kinetic / (1.0 + 0.5 * (3.0 * frame.t).sin()) - run.frames[0].kinetic;
        println!("{}: {off:.1e} rad/s, energy {energy:.1e} J", f.name());
        assert!(off < 1e-9 && energy.abs() < 1e-9, "{f:?}: {off} {energy}");
    }
}

/// θ̈ = −(M/2 + m) g L sin θ / (M L²/3 + m L²), by a Runge–Kutta of its own with small steps.
#[test]
fn cross_pendulum_with_a_leaking_bob() {
    let mass = |t: f64| 2.0 - 1.5 * t / 2.0;
    let slope = |t: f64, [q, w]: [f64; 2]| {
        let m = mass(t);
        [w, -(0.5 + m) * G * q.sin() / (1.0 / 3.0 + m)]
    };
    let (mut y, h) = ([1.2, 0.0], 1e-4);
    for i in 0..20_000 {
        let t = f64::from(i) * h;
        let go = |k: [f64; 2], s: f64| [y[0] + s * k[0], y[1] + s * k[1]];
        let k1 = slope(t, y);
        let k2 = slope(t + 0.5 * h, go(k1, 0.5 * h));
        let k3 = slope(t + 0.5 * h, go(k2, 0.5 * h));
        let k4 = slope(t + h, go(k3, h));
        y = std::array::from_fn(|j| y[j] + h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]));
    }
    let model = Model::planar("pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [1.2f64.sin(), -(1.2f64.cos())])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], 1.0))
        .body(Body::particle("bob", "B", 2.0).mass_law(formula("2 - 1.5 * t / 2")))
        .settings(settings(2.0, 0.1, 1e-11));
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        let q = column(&mechanism, &run, "joint.A.q").last().unwrap() + 1.2;
        println!("{}: {:.1e} rad", f.name(), q - y[0]);
        assert!((q - y[0]).abs() < 1e-9, "{f:?}: {q} {}", y[0]);
    }
}

/// Two bars, both of which change, one of them driven by a thruster that turns with it: all formulations agree, and so do other compiled masses.
#[test]
fn cross_double_pendulum_in_all_formulations() {
    let model = Model::planar("double pendulum")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.6, -0.8])
        .point("C", [1.5, -0.9])
        .ground(["A"])
        .body(Body::rod("upper", ["A", "B"], 1.0).mass_law(formula("1 + 0.5 * sin(2 * t)")))
        .body(Body::rod("lower", ["B", "C"], 2.0).mass_law(formula("2 - step5(t, 0.2, 0, 0.8, 0.7)")))
        .thruster(
            Thruster::new(
                "jet",
                "lower",
                ThrustDirection::Body(Axis::Vector([0.0, 1.0, 0.0])),
                Thrust::Given { thrust: formula("20 * (1 + sin(5 * t))"), burn_time: Some(0.63) },
            )
            .at("C")
            .start(0.31)
            .efficiency(0.9)
            .propellant(Propellant::Mass(0.8)),
        )
        .settings(settings(1.5, 0.05, 1e-12));
    let names = ["joint.A.q", "joint.B.q", "joint.A.force.x", "joint.B.force.y", "body.lower.mass"];
    let mut first: Option<Vec<Vec<f64>>> = None;
    for t0 in [0.0, 0.7] {
        for f in applicable(&model) {
            let mechanism = with(&model, f).assemble_with_masses_at(t0).unwrap();
            let run = mechanism.simulate().unwrap();
            assert_eq!(run.summary.status, Status::Finished);
            let drift = run.summary.relative_energy_drift();
            let found: Vec<_> = names.iter().map(|name| column(&mechanism, &run, name)).collect();
            let right = first.get_or_insert_with(|| found.clone());
            let off: Vec<f64> = found.iter().zip(right).map(|(a, b)| worst(a, b.iter().copied())).collect();
            println!("{} from {t0} s: {off:.3?}, energy {drift:.1e}", f.name());
            // angles to 1e-9; forces are those of 1e2 N
            assert!(
                off[..2].iter().all(|off| *off < 1e-9) && off[2..4].iter().all(|off| *off < 1e-7),
                "{f:?}"
            );
            assert!(off[4] < 1e-12 && drift < 1e-9, "{f:?}: {drift}");
        }
    }
    // what burns and what flows off add up
    let lower = first.unwrap().pop().unwrap();
    assert!((lower.last().unwrap() - (2.0 - 0.7 - 0.8)).abs() < 1e-12, "{lower:?}");
}

/// A loop in space, of which one rod changes its mass.
#[test]
fn cross_loop_in_space() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/four-bar-in-space.toml"
    ));
    let mut model = Model::from_toml(&text.unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let mass = model.clone().assemble().unwrap().bodies()[1].particles.properties.mass;
    model.bodies[1].mass_law = Some(formula(&format!("{mass} * (1 + 0.4 * sin(3 * t))")));
    model.settings = settings(1.0, 0.05, 1e-11);
    let mut first: Option<Vec<f64>> = None;
    for f in applicable(&model) {
        let (_, run) = run(&with(&model, f));
        let found: Vec<f64> =
            run.frames.iter().flat_map(|frame| frame.velocities.iter().flatten().copied()).collect();
        let off = worst(&found, first.get_or_insert_with(|| found.clone()).iter().copied());
        let fastest = found.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let drift = run.summary.relative_energy_drift();
        println!("{}: {off:.1e} m/s of {fastest:.2}, energy {drift:.1e}", f.name());
        assert!(fastest > 0.5 && off < 1e-8 && drift < 1e-8, "{f:?}: {fastest} {off} {drift}");
    }
}

/// A trapezium, a spline and a formula over a table, each with the stated impulse, one after the other and with what an efficiency leaves.
#[test]
fn exact_thrust_curves_give_their_impulse() {
    let text = "format = 1
model = { dimension = 2 }
points = { P = [0, 0] }
bodies = { p = { points = ['P'], mass = '2 kg' } }
[tables]
trapezium = { x = ['0 s', '0.1 s', '1 s', '1.2 s'], y = [0, 1, 1, 0], interpolation = 'linear' }
bump = { x = [0, 1, 2, 3], y = [0, 3, 2, 0] }
ramp = { x = [3, 4], y = [0, '10 N'], interpolation = 'linear' }
[thrusters]
a = { body = 'p', at = 'P', direction = [1, 0], impulse = '12 N s', curve = 'trapezium' }
b = { body = 'p', direction = [0, 2], impulse = 7, curve = 'bump', start = 0.5, efficiency = 0.5 }
c = { body = 'p', direction = [-1, 0], thrust = 'if(t < 4, ramp(t), 0 N)' }
[simulation]
duration = 5
tolerance = 1e-12
";
    let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        let [vx, vy] =
            ["point.P.vx", "point.P.vy"].map(|name| *column(&mechanism, &run, name).last().unwrap());
        println!("{}: {:.1e} {:.1e}", f.name(), vx - 3.5, vy - 1.75);
        assert!((vx - 3.5).abs() < 1e-10 && (vy - 1.75).abs() < 1e-10, "{f:?}: {vx} {vy}");
        assert_eq!(*column(&mechanism, &run, "thruster.a.force").last().unwrap(), 0.0);
    }
}

/// Along the velocity: v̇ = F/m v/|v| + g, by a Runge–Kutta of its own; and from rest along the launch direction.
#[test]
fn cross_thrust_along_the_velocity() {
    let jet = |launch_speed: f64| {
        let direction = ThrustDirection::Velocity { launch: Axis::Vector([3.0, 4.0, 0.0]), launch_speed };
        Thruster::new("jet", "p", direction, Thrust::Given { thrust: 30.0.into(), burn_time: Some(2.0) })
    };
    let particle = || {
        Model::planar("p")
            .point("P", [0.0, 0.0])
            .body(Body::particle("p", "P", 2.0))
            .settings(settings(2.0, 0.5, 1e-12))
    };
    let (mut v, h) = ([4.0, 5.0], 1e-4);
    let slope = |v: [f64; 2]| {
        let s = v[0].hypot(v[1]);
        [15.0 * v[0] / s, 15.0 * v[1] / s - G]
    };
    for _ in 0..20_000 {
        let go = |k: [f64; 2], s: f64| [v[0] + s * k[0], v[1] + s * k[1]];
        let k1 = slope(v);
        let k2 = slope(go(k1, 0.5 * h));
        let k3 = slope(go(k2, 0.5 * h));
        let k4 = slope(go(k3, h));
        v = std::array::from_fn(|j| v[j] + h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j]));
    }
    let flying = particle().gravity([0.0, -G]).velocity("P", [4.0, 5.0]).thruster(jet(0.0));
    let from_rest = [particle().thruster(jet(0.0)), particle().thruster(jet(3.0))];
    for f in applicable(&flying) {
        let end = |model: &Model| {
            let (mechanism, run) = run(&with(model, f));
            ["point.P.vx", "point.P.vy"].map(|name| *column(&mechanism, &run, name).last().unwrap())
        };
        let found = end(&flying);
        println!("{}: {:.1e} {:.1e}", f.name(), found[0] - v[0], found[1] - v[1]);
        assert!((0..2).all(|i| (found[i] - v[i]).abs() < 1e-9), "{f:?}: {found:?} {v:?}");
        for model in &from_rest {
            let found = end(model);
            assert!((found[0] - 18.0).abs() < 1e-9 && (found[1] - 24.0).abs() < 1e-9, "{f:?}: {found:?}");
        }
    }
}

/// A ball on a motor: burns, flies, falls, bounces with the mass that is left, and rests.
#[test]
fn exact_rocket_that_lands_and_bounces() {
    let text = "format = 1
model = { gravity = [0, -9.81], dimension = 2 }
points = { P = [0, 0.1] }
bodies = { p = { points = ['P'], mass = 3, shape = { type = 'disc', radius = 0.1 } } }
surfaces = { floor = { type = 'plane', normal = [0, 1] } }
contacts = { landing = { between = ['p', 'floor'], restitution = 0.5, friction = 0.2 } }
thrusters = { m = { body = 'p', direction = [0, 1], impulse = 90, burn_time = 1, propellant = 1 } }
simulation = { duration = 18, output_step = 0.1, tolerance = 1e-12 }
";
    let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let rocket = Rocket { m0: 3.0, flow: 1.0, c: 90.0, burn: 1.0 };
    let (v, h) = (rocket.velocity(1.0), rocket.height(1.0));
    let fall = (v * v + 2.0 * G * h).sqrt();
    let first = 1.0 + (v + fall) / G;
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        let impacts: Vec<_> = run.summary.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
        let off = [impacts[0].t - first, impacts[1].t - first - fall / G];
        let rest = run.frames.last().unwrap();
        let drift = run.summary.relative_energy_drift();
        println!(
            "{}: {} impacts, first {:.1e} s, second {:.1e} s, impulse {:.1e} N s, at rest {:.1e} N, energy {drift:.1e}",
            f.name(),
            impacts.len(),
            off[0],
            off[1],
            impacts[0].impulse - 2.0 * 1.5 * fall,
            rest.contacts[0].normal - 2.0 * G
        );
        assert!(off.iter().all(|off| off.abs() < 1e-9), "{f:?}: {off:?}");
        assert!((impacts[0].impulse - 3.0 * fall).abs() < 1e-8, "{f:?}");
        assert!((rest.contacts[0].normal - 2.0 * G).abs() < 1e-9 && drift < 1e-9, "{f:?}: {drift}");
        assert_eq!(*column(&mechanism, &run, "body.p.mass").last().unwrap(), 2.0);
    }
}

/// A block at rest on the floor that gets lighter: the floor carries m(t) g. A blow then gives it J/m.
#[test]
fn exact_blocks_at_rest_and_blows_see_the_mass() {
    let text = "format = 1
model = { gravity = [0, -9.81], dimension = 2 }
points = { P = [0, 0.1] }
bodies = { p = { points = ['P'], mass = '5 kg - t * 1 kg/s', shape = { type = 'disc', radius = 0.1 } } }
surfaces = { floor = { type = 'plane', normal = [0, 1] } }
contacts = { floor = { between = ['p', 'floor'], restitution = 0, friction = 0 } }
impulses = { kick = { at = 2, body = 'p', impulse = [6, 0] } }
simulation = { duration = 3, output_step = 0.1, tolerance = 1e-11 }
";
    let model = Model::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    for f in applicable(&model) {
        let (mechanism, run) = run(&with(&model, f));
        for frame in run.frames.iter().filter(|frame| frame.contacts[0].closed) {
            let off = frame.contacts[0].normal - (5.0 - frame.t) * G;
            assert!(off.abs() < 1e-9, "{f:?} at {}: {off}", frame.t);
        }
        assert!(run.frames.iter().filter(|frame| frame.contacts[0].closed).count() > 25);
        let v = *column(&mechanism, &run, "point.P.vx").last().unwrap();
        assert!((v - 2.0).abs() < 1e-10, "{f:?}: {v}");
        let drift = run.summary.relative_energy_drift();
        println!("{}: v {:.1e}, energy {drift:.1e}", f.name(), v - 2.0);
        assert!(drift < 1e-9, "{f:?}: {drift}");
    }
}

/// Locks, limits and rates: masses change while all rests, and then jumps are those of bodies that had these masses from the start.
#[test]
fn cross_jumps_are_those_of_the_masses_at_that_time() {
    let chain = |upper: Body, lower: Body| {
        let mut model = Model::planar("chain")
            .point("A", [0.0, 0.0])
            .point("B", [0.0, -1.0])
            .point("C", [0.4, -1.7])
            .ground(["A"])
            .body(upper)
            .body(lower)
            .joint(Joint::new("elbow", Revolute { axis: None }, ["upper", "lower"], "B"))
            .joint(Joint::new("pin", Revolute { axis: None }, ["ground", "upper"], "A"))
            .impulse(Impulse {
                name: "kick".into(),
                at: vec![1.0],
                gives: Blow::Rate { joint: "elbow".into(), coordinate: None, rate: 2.0 },
            })
            .settings(settings(2.5, 0.05, 1e-12));
        model.joints[0].impact_limits =
            vec![ImpactLimit { coordinate: 1, range: [-0.5, 0.5], restitution: 0.6 }];
        model.locks = vec![Lock {
            name: "hold".into(),
            joint: "elbow".into(),
            coordinate: None,
            from: Some(2.0),
            until: None,
            when: None,
            release: None,
        }];
        model
    };
    let varying = chain(
        Body::rod("upper", ["A", "B"], 1.0).mass_law(formula("1 + 2 * min(t, 0.5)")),
        Body::rod("lower", ["B", "C"], 3.0).mass_law(formula("3 - 4 * min(t, 0.5)")),
    );
    let (mechanism, still) =
        run(&chain(Body::rod("upper", ["A", "B"], 2.0), Body::rod("lower", ["B", "C"], 1.0)));
    let names = ["joint.pin.q", "joint.elbow.q", "energy.kinetic", "energy.work"];
    let right: Vec<_> = names.iter().map(|name| column(&mechanism, &still, name)).collect();
    for f in applicable(&varying) {
        let (mechanism, run) = run(&with(&varying, f));
        let found: Vec<_> = names.iter().map(|name| column(&mechanism, &run, name)).collect();
        let off: Vec<f64> = found.iter().zip(&right).map(|(a, b)| worst(a, b.iter().copied())).collect();
        let events =
            |run: &Trajectory| run.summary.events.iter().map(|e| (e.kind, e.impulse)).collect::<Vec<_>>();
        let (here, there) = (events(&run), events(&still));
        assert_eq!(here.len(), there.len(), "{here:?} {there:?}");
        let kinds = [EventKind::Impulse, EventKind::Impact, EventKind::Lock];
        assert!(here.iter().map(|event| event.0).eq(kinds), "{here:?}");
        let impulses = here.iter().zip(&there).fold(0.0_f64, |m, (a, b)| m.max((a.1 - b.1).abs()));
        let drift = run.summary.relative_energy_drift();
        println!("{}: {off:.3?}, impulses {impulses:.1e} of {there:.3?}, energy {drift:.1e}", f.name());
        assert!(off.iter().all(|off| *off < 1e-9) && impulses < 1e-9 && drift < 1e-9, "{f:?}: {off:?}");
    }
}

/// A batch of rockets runs one by one, with the bits of each alone.
#[test]
fn keeps_to_single_runs_in_batches() {
    let mut model = ROCKET.model().thruster(ROCKET.thruster().propellant(Propellant::Mass(6.0)));
    model.settings = Settings { integrator: Integrator::Rk4, step: Some(0.01), ..model.settings };
    let base = model.assemble().unwrap();
    let runs = Batch::new(&base).run(&[Variant::new(), Variant::new(), Variant::new()]);
    let alone = base.simulate().unwrap();
    let mut row = Vec::new();
    linkwork::results::row(&base, alone.frames.last().unwrap(), &mut row);
    for run in runs {
        assert!(run.is_finished() && !run.in_lanes, "{:?}", run.error);
        assert_eq!(run.rows[0], row);
    }
}

/// What cannot be done is refused, with the place and the reason.
#[test]
fn exact_refusals() {
    let mut model = ROCKET.model().thruster(ROCKET.thruster().propellant(Propellant::Mass(6.0)));
    for integrator in
        [Integrator::Index3, Integrator::GeneralizedAlpha, Integrator::Rattle, Integrator::Rattle4]
    {
        model.settings = Settings { integrator, step: Some(0.01), ..model.settings };
        let faults = model.assemble().unwrap().simulate().unwrap_err();
        assert!(faults.list[0].message.contains("masses that vary, as that of `rocket`"), "{faults}");
    }
    model.settings = Settings {
        integrator: Integrator::Taylor,
        step: None,
        formulation: Formulation::Points,
        ..model.settings
    };
    let (_, taylor) = run(&model);
    let fallback = taylor.summary.fallback.unwrap();
    assert_eq!(fallback.integrator, Integrator::Dop853);
    assert_eq!(fallback.reasons[0].element, "body `rocket`");
    // a builder's law that does not fit
    let mut model = ROCKET.model();
    model.bodies[0].mass_law = Some(formula("9 - t"));
    let faults = model.assemble().unwrap_err();
    assert_eq!(faults.list[0].path, "bodies.rocket.mass");
    assert!(faults.list[0].message.contains("9 kg at t = 0, but the body has 10 kg"), "{faults}");
}

/// A mass that vanishes between the times that are looked at before the run ends it, and says whose it is.
#[test]
fn exact_a_mass_that_vanishes_ends_the_run() {
    let mut model = ROCKET.model();
    model.settings = settings(3.0, 0.0004, 1e-8);
    // a dip of 1 ms between two looks
    model.bodies[0].mass_law = Some(formula("10 - 11 * exp(-((t - 1.00151) / 0.0005)^2)"));
    model.bodies[0].mass = Mass::Given { mass: 10.0, com: "P".into(), inertia: Inertia::Point };
    let run = model.assemble().unwrap().simulate().unwrap();
    let Status::Failed(failure) = run.summary.status else { panic!("{:?}", run.summary.status) };
    assert_eq!(failure.code, "mass-gone");
    assert!(failure.message.contains("mass of `rocket` must stay above zero"), "{}", failure.message);
}
