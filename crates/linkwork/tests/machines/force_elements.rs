//! Force elements against closed forms, in every formulation, with the energy balance of each.

use crate::suite;

use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model, Settings};
use linkwork::simulation::Trajectory;
use suite::{G, applicable, run, settings};

fn model(text: &str) -> Model {
    Model::from_toml(&format!("format = 1\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

/// A run with what the checks read.
struct Run {
    formulation: Formulation,
    mechanism: Mechanism,
    result: Trajectory,
}

impl Run {
    /// Largest difference of a column from a function of time, over the rows up to a time.
    fn off(&self, column: &str, until: f64, exact: impl Fn(f64) -> f64) -> f64 {
        let values = self.result.column(&self.mechanism, column).unwrap_or_else(|| panic!("no {column}"));
        let rows = self.result.frames.iter().zip(values).filter(|(frame, _)| frame.t <= until);
        rows.fold(0.0, |worst: f64, (frame, value)| worst.max((value - exact(frame.t)).abs()))
    }

    fn last(&self, column: &str) -> f64 {
        *self.result.column(&self.mechanism, column).unwrap_or_else(|| panic!("no {column}")).last().unwrap()
    }
}

/// Runs every formulation and holds it to E − E₀ = W, J.
fn all(model: &Model, duration: f64, balance: f64, check: impl Fn(&Run)) {
    for formulation in applicable(model) {
        let settings = Settings { formulation, ..settings(duration, duration / 50.0, 1e-11) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        let drift = result.summary.energy_drift;
        println!("{}: |E - E0 - W| {drift:.1e} J", formulation.name());
        assert!(drift < balance, "{formulation:?}: {drift}");
        check(&Run { formulation, mechanism, result });
    }
}

macro_rules! close {
    ($run:expr, $off:expr, $bound:expr) => {
        let off = $off;
        assert!(off < $bound, "{:?}: {off}", $run.formulation);
    };
}

/// A disc on a pin: twenty turns per swing, so that turns must be counted.
#[test]
fn exact_torsion_pendulum_over_many_turns() {
    for (element, factor) in [
        ("joint = 'A', stiffness = 0.8", 1.0),
        ("bodies = ['ground', 'disc'], stiffness = 0.8", 1.0),
        ("bodies = ['disc', 'ground'], stiffness = 0.8", -1.0),
        ("joint = 'A', law = '0.8 * angle'", 1.0),
        ("joint = 'A', table = 'line'", 1.0),
        ("joint = 'A', stiffness = 0.8, free_angle = 0.5, preload = '0.4 N m'", 1.0),
    ] {
        let model = model(&format!(
            "points = {{ A = [0, 0] }}
            bodies.ground = {{ points = ['A'] }}
            bodies.disc = {{ points = ['A'], mass = 1, com = [0, 0], inertia = 0.2 }}
            torsion_springs.s = {{ {element} }}
            tables.line = {{ x = [0, 1], y = [0, 0.8], interpolation = 'linear', extend = 'linear' }}
            measures.moment = 'torsion_spring.s.moment'
            initial.angular_velocities.disc = 250"
        ));
        let w: f64 = (0.8 / 0.2_f64).sqrt();
        let exact = |t: f64| 250.0 / w * (w * t).sin();
        all(&model, 3.0, 1e-6, |run| {
            // 125 rad; the tolerance is relative to that
            close!(run, run.off("torsion_spring.s.angle", 3.0, |t| factor * exact(t)), 1e-7);
            close!(run, run.off("torsion_spring.s.moment", 3.0, |t| factor * 0.8 * exact(t)), 1e-7);
            close!(run, run.off("measure.moment", 3.0, |t| factor * 0.8 * exact(t)), 1e-7);
        });
    }
}

const SLIDER: &str = "points = { A = [0, 0], B = [1, 0] }
    bodies.ground = { points = ['A'] }
    bodies.mass = { points = ['B'], mass = 2, com = [1, 0], inertia = 0.1 }
    joints.guide.type = 'prismatic'
    joints.guide.bodies = ['ground', 'mass']
    joints.guide.at = ['A', 'B']
    joints.guide.axis = [1, 0]
    ";

/// The same linear spring said in four ways.
#[test]
fn exact_spring_by_law_table_and_preload() {
    for spring in [
        "law = '50 * (length - 0.8)'",
        "table = 'line', free_length = 0.8",
        "stiffness = 50, preload = 10",
        "stiffness = 20, free_length = 0.8, law = '30 * (length - 0.8)'",
    ] {
        let model = model(&format!(
            "{SLIDER}
            springs.s = {{ between = ['A', 'B'], {spring} }}
            tables.line = {{ x = [0, 1], y = [0, 50], interpolation = 'linear', extend = 'linear' }}"
        ));
        all(&model, 2.0, 1e-9, |run| {
            let exact = |t: f64| 0.8 + 0.2 * (5.0 * t).cos();
            close!(run, run.off("spring.s.length", 2.0, exact), 1e-9);
            close!(run, run.off("spring.s.force", 2.0, |t| 50.0 * (exact(t) - 0.8)), 1e-7);
        });
    }
}

/// m ẍ + k e + k₃ e³ = 0: the speed follows from the energy.
#[test]
fn exact_duffing_spring() {
    let model = model(&format!(
        "{SLIDER} springs.s = {{ between = ['A', 'B'], law = '8*(length-0.6) + 90*(length-0.6)^3' }}"
    ));
    let v = |e: f64| 4.0 * e * e + 22.5 * e.powi(4);
    all(&model, 3.0, 1e-9, |run| {
        let length = run.result.column(&run.mechanism, "spring.s.length").unwrap();
        let rate = run.result.column(&run.mechanism, "spring.s.rate").unwrap();
        for (l, r) in length.iter().zip(rate) {
            close!(run, (r * r + v(l - 0.6) - v(0.4)).abs(), 1e-9);
        }
    });
}

/// A mass flies off at 0.5 m/s until the rope of 1.1 m is taut, is thrown back after half a period and flies on.
#[test]
fn exact_rope_goes_slack() {
    let model = model(&format!(
        "{SLIDER} springs.s = {{ between = ['A', 'B'], stiffness = 800, free_length = 1.1, tension_only = true }}
        initial.velocities.B = [0.5, 0]"
    ));
    all(&model, 1.0, 1e-8, |run| {
        let half = std::f64::consts::PI / 20.0;
        let exact = |t: f64| match t {
            t if t < 0.2 => 1.0 + 0.5 * t,
            t if t < 0.2 + half => 1.1 + 0.025 * (20.0 * (t - 0.2)).sin(),
            t => 1.1 - 0.5 * (t - 0.2 - half),
        };
        // the force has a kink where the rope is taut
        close!(run, run.off("point.B.x", 1.0, exact), 1e-8);
        let pull = |t: f64| 800.0 * (exact(t) - 1.1).max(0.0);
        close!(run, run.off("spring.s.force", 1.0, pull), 1e-5);
    });
}

/// A rod held level by a controller settles where k (0.3 − θ) = m g l/2 cos θ.
#[test]
fn exact_static_error_of_a_controlled_arm() {
    let model = model(
        "model.gravity = '-y'
        points = { A = [0, 0], B = [1, 0] }
        bodies.ground = { points = ['A'] }
        bodies.arm = { points = ['A', 'B'], mass = 3 }
        [actuators.hold]
        joint = 'A'
        controller = { type = 'pd', setpoint = '0.3', kp = '90 N m/rad', kd = '20 N m s/rad' }
        ",
    );
    all(&model, 12.0, 1e-8, |run| {
        let (angle, torque) = (run.last("joint.A.q"), run.last("actuator.hold.torque"));
        let weight = 1.5 * G * angle.cos();
        close!(run, (torque - weight).abs(), 1e-6);
        close!(run, (90.0 * (0.3 - angle) - weight).abs(), 1e-6);
        close!(run, run.last("actuator.hold.power").abs(), 1e-5);
    });
}

/// A controller that is saturated turns a disc with constant acceleration; another one moves with its setpoint.
#[test]
fn exact_limit_of_an_actuator() {
    let model = model(
        "points = { A = [0, 0], B = [2, 0] }
        bodies.ground = { points = ['A', 'B'] }
        bodies.disc = { points = ['A'], mass = 1, com = [0, 0], inertia = 0.5 }
        bodies.wheel = { points = ['B'], mass = 1, com = [2, 0], inertia = 0.5 }
        actuators.far = { body = 'disc', controller = { type = 'pd', setpoint = 1000, stiffness = 10 }, limit = 2 }
        actuators.follow = { body = 'wheel', torque = 'if(t < 5, -0.25 * sin(t), 0) + 0 * q * v' }
        ",
    );
    all(&model, 2.0, 1e-8, |run| {
        close!(run, run.off("joint.A.q", 2.0, |t| 2.0 * t * t), 1e-9);
        close!(run, run.off("actuator.far.torque", 2.0, |_| 2.0), 1e-12);
        close!(run, run.off("actuator.far.power", 2.0, |t| 8.0 * t), 1e-8);
        close!(run, run.off("joint.B.q", 2.0, |t| 0.5 * (t.sin() - t)), 1e-9);
    });
}

/// Two free masses are pushed apart, each by the whole force.
#[test]
fn exact_actuator_between_points() {
    let model = model(
        "points = { P = [0, 0], Q = [1, 0] }
        bodies.p = { points = ['P'], mass = 1, com = [0, 0], inertia = 0 }
        bodies.q = { points = ['Q'], mass = 3, com = [1, 0], inertia = 0 }
        actuators.push = { between = ['P', 'Q'], force = '6 * t' }
        measures.power = 'actuator.push.power'",
    );
    all(&model, 1.0, 1e-9, |run| {
        close!(run, run.off("point.P.x", 1.0, |t| -t.powi(3)), 1e-10);
        close!(run, run.off("point.Q.x", 1.0, |t| 1.0 + t.powi(3) / 3.0), 1e-10);
        close!(run, run.off("measure.power", 1.0, |t| 6.0 * t * 4.0 * t * t), 1e-8);
    });
}

/// J ω̇ = N τ_s (c − N ω/ω₀): ω = (c ω₀/N)(1 − e^(−t/T)), T = J ω₀/(N² τ_s). The same from a table of the straight line, where the command is full; a command
/// beyond one is cut. And along a path: m v̇ = N τ_s (c − N v/ω₀).
#[test]
fn exact_motor_runs_up() {
    let model = model(
        "points = { A = [0, 0], B = [2, 0], C = [4, 0], O = [0, 5], P = [1, 5] }
        bodies.ground = { points = ['A', 'B', 'C', 'O'] }
        bodies.disc = { points = ['A'], mass = 1, com = [0, 0], inertia = 0.5 }
        bodies.wheel = { points = ['B'], mass = 1, com = [2, 0], inertia = 0.5 }
        bodies.back = { points = ['C'], mass = 1, com = [4, 0], inertia = 0.5 }
        bodies.slider = { points = ['P'], mass = 2 }
        motors.a = { joint = 'A', stall_torque = 1, no_load_speed = '250 rad/s', gear = 5, command = '-0.6 + 0 * q * v' }
        motors.b = { joint = 'B', curve = 'falling', gear = 5, command = 7 }
        motors.c = { body = 'back', curve = 'falling', gear = -5 }
        motors.d = { between = ['O', 'P'], stall_torque = 1, no_load_speed = '250 rad/s', gear = '10 rad/m' }
        tables.falling = { x = [0, 250], y = [1, 0], interpolation = 'linear', extend = 'linear' }
        measures.power = 'motor.a.power + motor.b.power'
        ",
    );
    all(&model, 6.0, 1e-7, |run| {
        let up = |t: f64, end: f64, time: f64| end * (1.0 - (-t / time).exp());
        let time = 0.5 * 250.0 / 25.0;
        // steps of 1e-11 of the size of the mechanism add up over six seconds; shafts turn five times as fast as joints, and power is a product of both
        close!(run, run.off("joint.A.v", 6.0, |t| up(t, -0.6 * 50.0, time)), 1e-7);
        close!(run, run.off("joint.B.v", 6.0, |t| up(t, 50.0, time)), 1e-7);
        close!(run, run.off("joint.C.v", 6.0, |t| up(t, -50.0, time)), 1e-7);
        close!(run, run.off("motor.b.speed", 6.0, |t| up(t, 250.0, time)), 1e-6);
        close!(run, run.off("motor.b.torque", 6.0, |t| 5.0 * (-t / time).exp()), 1e-8);
        close!(run, run.off("point.P.vx", 6.0, |t| up(t, 25.0, 2.0 * 250.0 / 100.0)), 1e-7);
        close!(run, run.off("motor.d.force", 6.0, |t| 10.0 * (-t / 5.0).exp()), 1e-8);
        let power = |t: f64| {
            let (a, b) = (-0.6 * (-t / time).exp(), (-t / time).exp());
            5.0 * (a * up(t, -30.0, time) + b * up(t, 50.0, time))
        };
        close!(run, run.off("measure.power", 6.0, power), 1e-6);
    });
}

/// a = g (m₁ − m₂)/(m₁ + m₂), T = 2 m₁ m₂ g/(m₁ + m₂), over a pulley of some size.
#[test]
fn exact_atwood_machine() {
    let machine = |cable: &str| {
        model(&format!(
            "model.gravity = '-y'
            points = {{ P = [0, 0], A = [-0.2, -1.5], B = [0.2, -1] }}
            bodies.ground = {{ points = ['P'] }}
            bodies.a = {{ points = ['A'], mass = 2, com = [-0.2, -1.5], inertia = 0 }}
            bodies.b = {{ points = ['B'], mass = 3, com = [0.2, -1], inertia = 0 }}
            cables.rope = {{ through = ['A', 'P', 'B'], pulleys.P = {{ radius = 0.2, side = 'right' }}, {cable} }}
            measures = {{ tension = 'cable.rope.force', length = 'cable.rope.length' }}"
        ))
    };
    let (a, tension) = (G / 5.0, 12.0 * G / 5.0);
    let length = 2.5 + 0.2 * std::f64::consts::PI;
    all(&machine("inextensible = true"), 0.8, 1e-9, |run| {
        close!(run, run.off("point.B.y", 0.8, |t| -1.0 - 0.5 * a * t * t), 1e-9);
        close!(run, run.off("point.A.y", 0.8, |t| -1.5 + 0.5 * a * t * t), 1e-9);
        close!(run, run.off("cable.rope.force", 0.8, |_| tension), 1e-8);
        close!(run, run.off("measure.tension", 0.8, |_| tension), 1e-8);
        close!(run, run.off("cable.rope.length", 0.8, |_| length), 1e-10);
    });
    // the elastic rope swings about the same tension: T = T₀ (1 − cos ωt), ω² = k (1/m₁ + 1/m₂)
    let k: f64 = 4000.0;
    let w = (k * (0.5 + 1.0 / 3.0)).sqrt();
    // of some 60 J
    all(&machine("stiffness = '4 kN/m'"), 0.8, 1e-7, |run| {
        let exact = |t: f64| tension * (1.0 - (w * t).cos());
        // once in a period it is just not slack
        close!(run, run.off("cable.rope.force", 0.8, exact), 1e-5);
        close!(run, run.off("measure.length", 0.8, |t| length + exact(t) / k), 1e-8);
    });
}

/// A load of 5 kg on a loose pulley against 2 kg on the free end: a = g (M − 2m)/(M + 4m), one part of the tension is T.
#[test]
fn exact_block_and_tackle() {
    let model = model(
        "model.gravity = '-y'
        points = { A = [-0.1, 0], P = [0, -1], Q = [0.2, 0], W = [0.3, -0.8] }
        bodies.ground = { points = ['A', 'Q'] }
        bodies.load = { points = ['P'], mass = 5, com = [0, -1], inertia = 0 }
        bodies.weight = { points = ['W'], mass = 2, com = [0.3, -0.8], inertia = 0 }
        [cables.rope]
        through = ['A', 'P', 'Q', 'W']
        pulleys = { P = { radius = 0.1, side = 'left' }, Q = { radius = 0.1, side = 'right' } }
        inextensible = true",
    );
    let a = G * (5.0 - 4.0) / (5.0 + 8.0);
    all(&model, 1.0, 1e-9, |run| {
        close!(run, run.off("point.P.y", 1.0, |t| -1.0 - 0.5 * a * t * t), 1e-9);
        close!(run, run.off("point.W.y", 1.0, |t| -0.8 + a * t * t), 1e-9);
        close!(run, run.off("cable.rope.force", 1.0, |_| 2.5 * (G - a)), 1e-8);
    });
}

/// A driven drum lets a load down: T = m (g − r α), torque I α − r T.
#[test]
fn exact_winch() {
    let winch = |cable: &str| {
        model(&format!(
            "model.gravity = '-y'
            points = {{ D = [0, 0], L = [0, -1] }}
            bodies.ground = {{ points = ['D'] }}
            bodies.drum = {{ points = ['D'], mass = 4, com = [0, 0], inertia = 0.3 }}
            bodies.load = {{ points = ['L'], mass = 2, com = [0, -1], inertia = 0 }}
            drivers.motor = {{ joint = 'D', value = '2 * t^2' }}
            cables.rope = {{ through = ['D', 'L'], winch = {{ joint = 'D', radius = '0.15 m' }}, {cable} }}
            measures.torque = 'driver.motor.torque'"
        ))
    };
    let tension = 2.0 * (G - 0.6);
    all(&winch("inextensible = true"), 2.0, 1e-8, |run| {
        close!(run, run.off("point.L.y", 2.0, |t| -1.0 - 0.3 * t * t), 1e-9);
        close!(run, run.off("cable.rope.force", 2.0, |_| tension), 1e-7);
        let torque = 1.2 - 0.15 * tension;
        close!(run, run.off("driver.motor.torque", 2.0, |_| torque), 1e-7);
        close!(run, run.off("measure.torque", 2.0, |_| torque), 1e-7);
    });
    let w = (50.0_f64 / 2.0).sqrt();
    all(&winch("stiffness = 50, free_length = 1"), 2.0, 1e-8, |run| {
        close!(run, run.off("cable.rope.force", 2.0, |t| tension * (1.0 - (w * t).cos())), 1e-7);
    });
}

/// v = v_t tanh(g t/v_t) in falling, and a body that a wind takes along.
#[test]
fn exact_drag() {
    let model = model(
        "model.gravity = [0, 0, -9.81]
        points = { P = [0, 0, 0], Q = [3, 0, 0] }
        bodies.p = { points = ['P'], mass = 0.5, com = [0, 0, 0], inertia = [0, 0, 0] }
        bodies.q = { points = ['Q'], mass = 0.5, com = [3, 0, 0], inertia = [0, 0, 0] }
        drags.fall = { body = 'p', density = 1.2, area = '0.1 m^2', cd = 1.1 }
        drags.wind = { body = 'q', at = 'Q', linear = '0.4 N s/m', wind = ['7 + 0 * t', 0, 0] }
        forces.lift = { body = 'q', force = [0, 0, '0.5 * 9.81'] }",
    );
    let end: f64 = (0.5 * G / 0.066).sqrt();
    all(&model, 3.0, 1e-8, |run| {
        let exact = |t: f64| -end * (G * t / end).tanh();
        close!(run, run.off("point.P.vz", 3.0, exact), 1e-8);
        close!(run, run.off("drag.fall.z", 3.0, |t| 0.066 * exact(t).powi(2)), 1e-7);
        close!(run, run.off("drag.fall.speed", 3.0, |t| -exact(t)), 1e-8);
        close!(run, run.off("point.Q.vx", 3.0, |t| 7.0 * (1.0 - (-0.8 * t).exp())), 1e-8);
    });
}

/// A thrust that turns with a spinning body: v = F/(m ω) (sin ωt, 1 − cos ωt); another force in world axes, of time.
#[test]
fn exact_forces_by_formulas() {
    let model = model(
        "points = { P = [0, 0], Q = [5, 0] }
        bodies.p = { points = ['P'], mass = 2, com = [0, 0], inertia = 0.3 }
        bodies.q = { points = ['Q'], mass = 2, com = [5, 0], inertia = 0.3 }
        forces.thrust = { body = 'p', force = [6, 0], axes = 'body' }
        forces.shake = { body = 'q', at = 'Q', force = [0, '4 N * sin(3 * t)'] }
        couples.brake = { body = 'q', moment = '-0.6 * body.q.wz' }
        initial.angular_velocities = { p = 4, q = 10 }",
    );
    all(&model, 3.0, 1e-8, |run| {
        close!(run, run.off("point.P.vx", 3.0, |t| 0.75 * (4.0 * t).sin()), 1e-9);
        close!(run, run.off("point.P.vy", 3.0, |t| 0.75 * (1.0 - (4.0 * t).cos())), 1e-9);
        close!(run, run.off("force.thrust.y", 3.0, |t| 6.0 * (4.0 * t).sin()), 1e-8);
        close!(run, run.off("point.Q.vy", 3.0, |t| 2.0 / 3.0 * (1.0 - (3.0 * t).cos())), 1e-9);
        close!(run, run.off("couple.brake.z", 3.0, |t| -6.0 * (-2.0 * t).exp()), 1e-8);
    });
}

/// A couple in axes of a symmetric top about its own axis: ω̇ = M/I, wherever the axis points.
#[test]
fn exact_couple_in_body_axes() {
    let model = model(
        "points = { P = [0, 0, 0] }
        bodies.top = { points = ['P'], mass = 2, com = [0, 0, 0], inertia = [0.3, 0.3, 0.5] }
        couples.spin = { body = 'top', moment = [0, 0, 'if(t < 9, 1.5, 0)'], axes = 'body' }
        initial.angular_velocities.top = [0.4, 0, 1]",
    );
    all(&model, 2.0, 1e-8, |run| {
        for frame in &run.result.frames {
            let m = &frame.motions[0];
            let about: f64 = (0..3).map(|i| m.turned[i][2] * m.w[i]).sum();
            close!(run, (about - 1.0 - 3.0 * frame.t).abs(), 1e-8);
        }
    });
}

/// Friction stops a slider evenly: v = v₀ − F t/m, and holds it then.
#[test]
fn exact_coulomb_friction() {
    let model = model(&format!(
        "{SLIDER} joints.guide.friction = '3 N'
        initial.velocities.B = [1.5, 0]"
    ));
    all(&model, 1.2, 1e-8, |run| {
        // until the speed is 20 times that over which friction is smoothed
        close!(run, run.off("joint.guide.v", 0.96, |t| 1.5 - 1.5 * t), 1e-9);
        close!(run, run.last("joint.guide.v").abs(), 1e-3);
        close!(run, (run.last("energy.work") + 2.25).abs(), 1e-3);
    });
}

/// A slider runs against a stop and is thrown back with all of its energy; a damped stop keeps some.
#[test]
fn exact_rebound_from_a_stop() {
    let stop = |more: &str| {
        model(&format!(
            "{SLIDER} joints.guide.limits = ['none', '1.2 m']
            joints.guide.limit_stiffness = '1800 N/m'
            {more}
            initial.velocities.B = [2, 0]"
        ))
    };
    all(&stop(""), 0.5, 1e-8, |run| {
        let half = std::f64::consts::PI / 30.0;
        let exact = |t: f64| match t {
            t if t < 0.1 => 1.0 + 2.0 * t,
            t if t < 0.1 + half => 1.2 + (30.0 * (t - 0.1)).sin() / 15.0,
            t => 1.2 - 2.0 * (t - 0.1 - half),
        };
        // the force has a kink at the stop
        close!(run, run.off("joint.guide.q", 0.5, exact), 1e-8);
    });
    all(&stop("joints.guide.limit_damping = 20"), 0.5, 1e-7, |run| {
        let v = run.last("joint.guide.v");
        assert!(v > -2.0 && v < -1.0, "{:?}: {v}", run.formulation);
        close!(run, (run.last("energy.work") - (v * v - 4.0)).abs(), 1e-7);
    });
}

/// Every coordinate of a cylindrical joint has its own spring: two oscillations that know nothing of each other.
#[test]
fn exact_forces_along_several_coordinates() {
    let model = model(
        "points = { A = [0, 0, 0] }
        bodies.ground = { points = ['A'] }
        bodies.spool = { points = ['A'], mass = 2, com = [0, 0, 0], inertia = [0.3, 0.3, 0.5] }
        [joints.bearing]
        type = 'cylindrical'
        bodies = ['ground', 'spool']
        at = 'A'
        axis = [0, 0, 1]
        stiffness = ['72 N/m', '8 N m/rad']
        damping = [0, '0.6 N m s']
        rest = [0.5, 0]
        [initial]
        angular_velocities.spool = [0, 0, 30]
        ",
    );
    // of 225 J
    all(&model, 2.0, 1e-7, |run| {
        close!(run, run.off("joint.bearing.q", 2.0, |t| 0.5 - 0.5 * (6.0 * t).cos()), 1e-9);
        let (d, w) = (0.6_f64, (16.0 - 0.36_f64).sqrt());
        close!(run, run.off("joint.bearing.q2", 2.0, |t| 30.0 / w * (-d * t).exp() * (w * t).sin()), 1e-8);
    });
}

/// A body on a bushing alone: three oscillations along its turned axes, one about z.
#[test]
fn exact_bushing() {
    let spatial = model(
        "points = { O = [0, 0, 0], P = [0, 0, 0] }
        bodies.ground = { points = ['O'] }
        bodies.block = { points = ['P'], mass = 2, com = [0, 0, 0], inertia = [0.3, 0.4, 0.5] }
        [bushings.mount]
        bodies = ['ground', 'block']
        at = 'O'
        axes = [[0, 1, 0], [-1, 0, 0]]
        stiffness = ['18 N/m', 32, 50, 3, 4, 8]
        preload = [0, 0, 5, 0, 0, 0]
        [initial]
        velocities.P = [1, 1, 0]
        angular_velocities.block = [0, 0, 3]
        ",
    );
    all(&spatial, 2.0, 1e-8, |run| {
        close!(run, run.off("point.P.y", 2.0, |t| (3.0 * t).sin() / 3.0), 1e-9);
        close!(run, run.off("point.P.x", 2.0, |t| (4.0 * t).sin() / 4.0), 1e-9);
        close!(run, run.off("point.P.z", 2.0, |t| 0.1 * (1.0 - (5.0 * t).cos())), 1e-9);
        close!(run, run.off("bushing.mount.rz", 2.0, |t| 0.75 * (4.0 * t).sin()), 1e-9);
        close!(run, run.off("bushing.mount.mz", 2.0, |t| -6.0 * (4.0 * t).sin()), 1e-8);
        close!(run, run.off("bushing.mount.x", 2.0, |t| (3.0 * t).sin() / 3.0), 1e-9);
        close!(run, run.off("bushing.mount.fx", 2.0, |t| -6.0 * (3.0 * t).sin()), 1e-8);
    });
    let planar = model(
        "points = { P = [0, 0] }
        bodies.ground = { points = [] }
        bodies.block = { points = ['P'], mass = 2, com = [0, 0], inertia = 0.5 }
        bushings.mount = { bodies = ['ground', 'block'], at = 'P', stiffness = [18, 32, 8], damping = [0, 0, 0.6] }
        initial.velocities.P = [1, 1]
        initial.angular_velocities.block = 2",
    );
    all(&planar, 2.0, 1e-8, |run| {
        close!(run, run.off("bushing.mount.x", 2.0, |t| (3.0 * t).sin() / 3.0), 1e-9);
        close!(run, run.off("bushing.mount.y", 2.0, |t| (4.0 * t).sin() / 4.0), 1e-9);
        let (d, w) = (0.6_f64, (16.0 - 0.36_f64).sqrt());
        close!(run, run.off("bushing.mount.rz", 2.0, |t| 2.0 / w * (-d * t).exp() * (w * t).sin()), 1e-9);
    });
}

/// Two free bodies that tumble on a bushing and a torsion spring: momentum and angular momentum stay, energy stays.
#[test]
fn keeps_momentum_of_two_bodies_on_a_bushing() {
    let model = model(
        "points = { P = [0, 0, 0], Q = [1, 0, 0], M = [0.5, 0.1, 0] }
        bodies.p = { points = ['P', 'M'], mass = 2, com = [0, 0, 0], inertia = [0.3, 0.4, 0.5] }
        bodies.q = { points = ['Q'], mass = 3, com = [1, 0, 0], inertia = [0.2, 0.35, 0.45] }
        bushings.mount = { bodies = ['p', 'q'], at = 'M', stiffness = [80, 60, 50, 4, 3, 5] }
        torsion_springs.twist = { bodies = ['q', 'p'], axis = [0.3, 0.2, 1], stiffness = 2, damping = 0.1 }
        initial.velocities = { P = [0.3, 0.2, -0.1] }
        initial.angular_velocities = { p = [1.5, 0.4, -0.8], q = [-0.6, 1, 0.7] }",
    );
    let mut ends: Vec<[f64; 3]> = Vec::new();
    let inertia = [[0.3, 0.4, 0.5], [0.2, 0.35, 0.45]];
    for formulation in applicable(&model) {
        let settings = Settings { formulation, ..settings(3.0, 0.1, 1e-11) };
        let (_, result) = run(&model.clone().settings(settings));
        let momenta = |frame: &linkwork::results::Frame| {
            let mut sum = [0.0; 6];
            for (b, m) in frame.motions.iter().enumerate() {
                let mass = [2.0, 3.0][b];
                // in body axes L = I ω, as drawn axes are principal
                let body: [f64; 3] = std::array::from_fn(|i| {
                    inertia[b][i] * (0..3).map(|k| m.turned[k][i] * m.w[k]).sum::<f64>()
                });
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    sum[i] += mass * m.v[i];
                    sum[3 + i] += (0..3).map(|c| m.turned[i][c] * body[c]).sum::<f64>()
                        + mass * (m.c[j] * m.v[k] - m.c[k] * m.v[j]);
                }
            }
            sum
        };
        let start = momenta(&result.frames[0]);
        for frame in &result.frames {
            for (now, start) in momenta(frame).into_iter().zip(start) {
                assert!((now - start).abs() < 1e-9, "{formulation:?} at {}: {now} {start}", frame.t);
            }
        }
        println!("{}: |E - E0 - W| {:.1e} J", formulation.name(), result.summary.energy_drift);
        assert!(result.summary.energy_drift < 1e-9, "{formulation:?}");
        ends.push(result.frames.last().unwrap().motions[1].c);
    }
    for end in &ends {
        for i in 0..3 {
            assert!((end[i] - ends[0][i]).abs() < 1e-8, "{end:?} {:?}", ends[0]);
        }
    }
}

/// A four-bar linkage with a bit of everything: all formulations find the same reactions, forces and energies.
#[test]
fn cross_linkage_with_everything() {
    let model = model(
        "model.gravity = '-y'
        points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0], E = [3, 1] }
        [bodies]
        ground = { points = ['A', 'D', 'E'] }
        crank = { points = ['A', 'B'], mass = 1 }
        coupler = { points = ['B', 'C'], mass = 2 }
        rocker = { points = ['C', 'D'], mass = 1.5 }
        [joints.crank_pin]
        type = 'revolute'
        bodies = ['ground', 'crank']
        at = 'A'
        stiffness = 2
        damping = 0.3
        friction = 0.2
        friction_speed = 0.5
        limits = [-1, 1]
        limit_stiffness = 60
        limit_damping = 1
        [springs]
        a = { between = ['B', 'D'], law = '30 * (length - 2) + 4 * rate * abs(rate)' }
        rope = { between = ['B', 'E'], stiffness = 40, free_length = 3.1, tension_only = true, damping = 2 }
        [torsion_springs]
        knee = { bodies = ['coupler', 'rocker'], stiffness = 6, law = '0.5 * angle^3' }
        [cables]
        line = { through = ['B', 'E', 'C'], stiffness = 25, free_length = 4 }
        [actuators]
        motor = { joint = 'crank_pin', torque = '5 * sin(3 * t) - 0.1 * v' }
        hold = { joint = 'D', controller = { type = 'pd', setpoint = '0.1 * t', stiffness = 10, damping = 1 }, limit = 3 }
        [motors]
        drive = { joint = 'crank_pin', stall_torque = 2, no_load_speed = 40, gear = 3, command = '0.4 * cos(2 * t) - 0.01 * q' }
        [drags]
        air = { body = 'coupler', coefficient = 0.4, wind = ['2 * cos(t)', 0] }
        [forces]
        jet = { body = 'coupler', at = 'C', force = ['3', 'spring.rope.force / 10'], axes = 'body' }
        [bushings]
        mount = { bodies = ['ground', 'rocker'], at = ['E', 'C'], stiffness = [3, 4, 0] }
        [measures]
        m = 'torsion_spring.knee.moment + cable.line.force + actuator.motor.power + motor.drive.speed + drag.air.x + force.jet.y + bushing.mount.fx'
        ",
    );
    let mut first: Option<Vec<f64>> = None;
    for formulation in applicable(&model) {
        let settings = Settings { formulation, ..settings(1.5, 0.05, 1e-11) };
        let (mechanism, result) = run(&model.clone().settings(settings));
        println!("{}: |E - E0 - W| {:.1e} J", formulation.name(), result.summary.energy_drift);
        assert!(result.summary.energy_drift < 1e-7, "{formulation:?}: {}", result.summary.energy_drift);
        let mut row = Vec::new();
        linkwork::results::row(&mechanism, result.frames.last().unwrap(), &mut row);
        row.pop(); // the residual
        match &first {
            None => first = Some(row),
            Some(first) => {
                for (i, column) in linkwork::results::columns(&mechanism)[..row.len()].iter().enumerate() {
                    let off = (row[i] - first[i]).abs();
                    // kinks of rope and limits cost some digits
                    assert!(
                        off < 1e-6 * (1.0 + first[i].abs()),
                        "{formulation:?}: {} off by {off}",
                        column.name
                    );
                }
            }
        }
    }
}
