//! The machines among the examples: each against a closed form or a computation of its own, and in every formulation.

use crate::suite;

use linkwork::linalg::vec3::{Mat3, Vec3, add, apply, axpy, cross, dot, norm, scale, sub, unit};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model, Settings};
use linkwork::simulation::Trajectory;
use std::f64::consts::TAU;
use suite::{G, applicable, run};

const DOWN: Vec3 = [0.0, 0.0, -G];

fn text(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap()
}

/// An example, with parts of its text replaced.
fn example(name: &str, replaced: &[(&str, &str)]) -> Model {
    let text = replaced.iter().fold(text(name), |text, (old, new)| {
        assert!(text.contains(old), "{name}: no `{old}`");
        text.replace(old, new)
    });
    Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn with(model: &Model, formulation: Formulation, tolerance: f64) -> Model {
    model.clone().settings(Settings { formulation, tolerance, ..model.settings.clone() })
}

fn column(run: &(Mechanism, Trajectory), name: &str) -> Vec<f64> {
    run.1.column(&run.0, name).unwrap_or_else(|| panic!("no column {name}"))
}

/// Every formulation that applies, over the first seconds: places and driving forces agree.
fn all_agree(model: &Model, duration: f64, output_step: f64) {
    let base = Settings { duration, output_step, tolerance: 1e-11, ..model.settings.clone() };
    let mut first: Option<(Mechanism, Trajectory)> = None;
    for formulation in applicable(model) {
        let (mechanism, result) = run(&model.clone().settings(Settings { formulation, ..base.clone() }));
        let drift = result.summary.relative_energy_drift();
        let Some((_, reference)) = &first else {
            println!("{}, {}: energy {drift:.1e}", model.name, formulation.name());
            assert!(drift < 1e-7, "{}: {drift}", model.name);
            first = Some((mechanism, result));
            continue;
        };
        let (mut place, mut force, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (a, b) in reference.frames.iter().zip(&result.frames) {
            for (p, q) in a.positions.iter().zip(&b.positions) {
                place = place.max(norm(sub(*p, *q)));
            }
            for drive in mechanism.drives() {
                largest = largest.max(drive.force(a).abs());
                force = force.max((drive.force(a) - drive.force(b)).abs());
            }
        }
        let name = formulation.name();
        println!(
            "{}, {name}: places {place:.1e} m, drives {:.1e}, energy {drift:.1e}",
            model.name,
            force / largest
        );
        // tolerance 1e-11 for each step, and forces magnify what positions are off
        assert!(place < 1e-8 * mechanism.size().max(1.0), "{}, {name}: {place}", model.name);
        assert!(
            force < 1e-7 * largest && drift < 1e-7,
            "{}, {name}: {force} of {largest}, {drift}",
            model.name
        );
    }
}

/// `step5` of the model file, with its first and second derivative.
fn step5(t: f64, t0: f64, h0: f64, t1: f64, h1: f64) -> [f64; 3] {
    let s = ((t - t0) / (t1 - t0)).clamp(0.0, 1.0);
    let (rise, time) = (h1 - h0, t1 - t0);
    [
        h0 + rise * s.powi(3) * (10.0 - 15.0 * s + 6.0 * s * s),
        rise * 30.0 * s * s * (1.0 - s).powi(2) / time,
        rise * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (time * time),
    ]
}

/// The first derivative of order 6.
fn rate<const N: usize>(f: impl Fn(f64) -> [f64; N], x: f64, h: f64) -> [f64; N] {
    let [a, b, c] = [1.0, 2.0, 3.0].map(|k| (f(x + k * h), f(x - k * h)));
    std::array::from_fn(|i| {
        (45.0 * (a.0[i] - a.1[i]) - 9.0 * (b.0[i] - b.1[i]) + (c.0[i] - c.1[i])) / (60.0 * h)
    })
}

/// Where a rigid body is: turn since the drawing, and centre of mass.
type Pose = (Mat3, Vec3);

/// a · bᵀ
fn times_transposed(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|k| dot(a[i], b[k])))
}

fn transposed_apply(a: &Mat3, v: Vec3) -> Vec3 {
    std::array::from_fn(|k| (0..3).map(|i| a[i][k] * v[i]).sum())
}

/// The rate of turn about a parameter: the axial vector of R' Rᵀ.
fn turning(pose: impl Fn(f64) -> Mat3, x: f64, h: f64) -> Vec3 {
    let flat = |x: f64| -> [f64; 9] {
        let m = pose(x);
        std::array::from_fn(|i| m[i / 3][i % 3])
    };
    let d = rate(flat, x, h);
    let w = times_transposed(&std::array::from_fn(|i| std::array::from_fn(|k| d[3 * i + k])), &pose(x));
    [0.5 * (w[2][1] - w[1][2]), 0.5 * (w[0][2] - w[2][0]), 0.5 * (w[1][0] - w[0][1])]
}

/// Virtual work: the generalised forces that move bodies along q(t), Q_k = Σ m (r̈ − g) · ∂r/∂q_k + Ḣ · ∂θ/∂q_k, by
/// differences of order 6 of the poses.
fn inverse_dynamics<const N: usize>(
    mechanism: &Mechanism,
    gravity: Vec3,
    poses: impl Fn([f64; N]) -> Vec<Pose>,
    motion: impl Fn(f64) -> [f64; N],
    t: f64,
    h: f64,
) -> [f64; N] {
    let q = motion(t);
    let shifted = |k: usize, x: f64| {
        let mut q = q;
        q[k] = x;
        q
    };
    let mut out = [0.0; N];
    for (b, body) in mechanism.bodies().iter().enumerate() {
        let p = &body.particles.properties;
        let place = |t: f64| poses(motion(t))[b].1;
        let momentum = |t: f64| {
            let turn = poses(motion(t))[b].0;
            let w = turning(|t| poses(motion(t))[b].0, t, h);
            apply(&turn, apply(&p.inertia_about_com, transposed_apply(&turn, w)))
        };
        let acceleration = rate(|t| rate(place, t, h), t, h);
        let (force, moment) = (scale(p.mass, sub(acceleration, gravity)), rate(momentum, t, h));
        for k in 0..N {
            // steps of the coordinates are lengths or angles of the size of 1
            let path = rate(|x| poses(shifted(k, x))[b].1, q[k], 2e-3);
            let turn = turning(|x| poses(shifted(k, x))[b].0, q[k], 2e-3);
            out[k] += dot(force, path) + dot(moment, turn);
        }
    }
    out
}

/// A x = b by elimination with pivots.
fn solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for c in 0..N {
        let pivot = (c..N).max_by(|&i, &k| a[i][c].abs().total_cmp(&a[k][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        for r in c + 1..N {
            let f = a[r][c] / a[c][c];
            for k in c..N {
                a[r][k] -= f * a[c][k];
            }
            b[r] -= f * b[c];
        }
    }
    for c in (0..N).rev() {
        b[c] = (b[c] - (c + 1..N).map(|k| a[c][k] * b[k]).sum::<f64>()) / a[c][c];
    }
    b
}

/// Energy gained against the power put in, by Simpson's rule over the rows.
fn power_balance(run: &(Mechanism, Trajectory), power: &[f64]) -> f64 {
    let energy = column(run, "energy.total");
    let (mut worst, mut work) = (0.0_f64, 0.0);
    for i in (2..power.len()).step_by(2) {
        let dt = run.1.frames[i].t - run.1.frames[i - 2].t;
        work += dt / 6.0 * (power[i - 2] + 4.0 * power[i - 1] + power[i]);
        worst = worst.max((energy[i] - energy[0] - work).abs());
    }
    let size = energy.iter().fold(0.0_f64, |m, e| m.max((e - energy[0]).abs()));
    worst / size
}

fn drawn(model: &Model, name: &str) -> Vec3 {
    model.points.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no point {name}")).position
}

/// A spherical pendulum on a pivot that moves as the trolley does: T̈ + l ü = g + τ u with |u| = 1, by the classical method of order 4.
/// The rope's force gives what the two drives must do.
#[test]
fn exact_tower_crane() {
    let model = example("tower-crane", &[]);
    let (l, r0, r1, height) = (30.0, 40.0, 18.0, 45.0);
    let (load, trolley, jib) = (2500.0, 400.0, 4.6e6);
    let slew = |t: f64| step5(t, 0.0, 0.0, 30.0, TAU / 4.0);
    let way = |t: f64| step5(t, 10.0, r0, 30.0, r1);
    // place and acceleration of the pivot
    let pivot = |t: f64| -> (Vec3, Vec3) {
        let ([a, a1, a2], [r, v, acc]) = (slew(t), way(t));
        let (out, side) = ([a.cos(), a.sin(), 0.0], [-a.sin(), a.cos(), 0.0]);
        let acceleration = axpy(scale(acc - r * a1 * a1, out), 2.0 * v * a1 + r * a2, side);
        (axpy([0.0, 0.0, height], r, out), acceleration)
    };
    // of the rope's direction u; and the specific force of the rope on the load
    let swing = |t: f64, u: Vec3, v: Vec3| -> (Vec3, f64) {
        let f = sub(DOWN, pivot(t).1);
        let pull = -l * dot(v, v) - dot(u, f);
        (scale(1.0 / l, axpy(f, pull, u)), pull)
    };
    let (per_row, rows) = (100, 1200);
    let h = 0.05 / per_row as f64;
    let (mut u, mut v): (Vec3, Vec3) = ([0.0, 0.0, -1.0], [0.0; 3]);
    let mut exact = Vec::new();
    for k in 0..=rows * per_row {
        let t = k as f64 * h;
        if k % per_row == 0 {
            let (at, _) = pivot(t);
            let rope = scale(load * swing(t, u, v).1, u); // on the load
            let ([a, a1, a2], [r, rv, ra]) = (slew(t), way(t));
            let spin = (jib + 400.0 / 12.0 * (1.6 * 1.6 + 1.2 * 1.2) + trolley * r * r) * a2
                + 2.0 * trolley * r * rv * a1;
            let torque = spin + cross(at, rope)[2];
            let force = trolley * (ra - r * a1 * a1) + rope[0] * a.cos() + rope[1] * a.sin();
            exact.push((axpy(at, l, u), norm(rope), torque, force));
        }
        let (k1, l1) = (v, swing(t, u, v).0);
        let (k2, l2) = {
            let v2 = axpy(v, 0.5 * h, l1);
            (v2, swing(t + 0.5 * h, axpy(u, 0.5 * h, k1), v2).0)
        };
        let (k3, l3) = {
            let v3 = axpy(v, 0.5 * h, l2);
            (v3, swing(t + 0.5 * h, axpy(u, 0.5 * h, k2), v3).0)
        };
        let (k4, l4) = {
            let v4 = axpy(v, h, l3);
            (v4, swing(t + h, axpy(u, h, k3), v4).0)
        };
        let mean = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| add(add(a, d), scale(2.0, add(b, c)));
        u = axpy(u, h / 6.0, mean(k1, k2, k3, k4));
        v = axpy(v, h / 6.0, mean(l1, l2, l3, l4));
    }
    for formulation in [Formulation::Points, Formulation::Joints] {
        let run = run(&with(&model, formulation, 1e-12));
        let tension = column(&run, "measure.tension");
        let (torque, force) = (column(&run, "driver.slew.torque"), column(&run, "driver.run.force"));
        let places = run.1.positions(&run.0, "L").unwrap();
        let (out, side) = (column(&run, "measure.swing_out"), column(&run, "measure.swing_side"));
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut off = [0.0_f64; 4];
        for (i, (place, pull, moment, push)) in exact.iter().enumerate() {
            let found = [
                norm(sub(places[i], *place)),
                (1000.0 * tension[i] - pull).abs() / (load * G),
                (torque[i] - moment).abs() / largest(&torque),
                (force[i] - push).abs() / largest(&force),
            ];
            off = std::array::from_fn(|c| off[c].max(found[c]));
        }
        println!(
            "tower crane, {}: load {:.1e} m, tension {:.1e}, torque {:.1e}, force {:.1e}; swing {:.1}°, {:.1}°; {:.0} kN m, {:.1} kN",
            formulation.name(),
            off[0],
            off[1],
            off[2],
            off[3],
            largest(&out),
            largest(&side),
            1e-3 * largest(&torque),
            1e-3 * largest(&force)
        );
        assert!(off.iter().all(|x| *x < 1e-7), "{off:?}");
        assert_eq!(run.0.degrees_of_freedom(), 2);
    }
    all_agree(&model, 12.0, 0.5);
}

/// At constant speed the sleeve stands where V'(θ) = 0, with V the potential of weight, spring and centrifugal force.
#[test]
fn exact_governor() {
    let (a, b, e, f, top) = (0.25, 0.22, 0.03, 0.04, 0.6);
    let (ball, link, sleeve, k) = (2.0, 0.15, 3.0, 800.0);
    let (along, across) = (0.5 * link * 0.005_f64.powi(2), link * (b * b / 12.0 + 0.005_f64.powi(2) / 4.0));
    let height = |angle: f64| {
        let x = e + a * angle.sin() - f;
        top - a * angle.cos() - (b * b - x * x).sqrt()
    };
    let z0 = height(TAU / 12.0);
    let slope = |angle: f64, speed: f64| {
        let (x, dx, dz) = (e + a * angle.sin(), a * angle.cos(), a * angle.sin());
        let drop = (b * b - (x - f).powi(2)).sqrt();
        let ds = dz + (x - f) * dx / drop;
        let weight = G * (2.0 * ball * dz + sleeve * ds + link * (dz + ds));
        let spring = k * (height(angle) - z0) * ds;
        let inertia = 2.0
            * (2.0 * ball * x * dx
                + 0.5 * link * (x + f) * dx
                + 2.0 * (across - along) * (x - f) * dx / (b * b));
        weight + spring - 0.5 * speed * speed * inertia
    };
    let model = example("governor", &[]);
    for rpm in [110.0, 140.0, 170.0, 200.0] {
        let fast = format!("fast = \"{rpm} rpm\"");
        let model = example("governor", &[("fast = \"170 rpm\"", &fast)]);
        let run = run(&with(&model, Formulation::Joints, 1e-11));
        let speed = rpm * TAU / 60.0;
        let mut angle = TAU / 12.0;
        for _ in 0..50 {
            let h = 1e-5;
            let step = slope(angle, speed) * 2.0 * h / (slope(angle + h, speed) - slope(angle - h, speed));
            angle -= step.clamp(-0.05, 0.05); // Newton, in steps that do not leave the branch
        }
        assert!(slope(angle, speed).abs() < 1e-11); // rounding, N m
        let last = |name: &str| *column(&run, name).last().unwrap();
        let lift = last("measure.lift");
        let (off, tilt) =
            (lift / 1000.0 - (height(angle) - z0), last("measure.arm_angle").to_radians() - angle);
        println!(
            "governor at {rpm} rpm: arms {:.3}°, lift {lift:.3} mm, off {off:.1e} m, {tilt:.1e} rad, torque {:.1e} N m",
            angle.to_degrees(),
            last("driver.motor.torque")
        );
        // what is left of the swing after five seconds of damping
        assert!(off.abs() < 1e-9 && tilt.abs() < 1e-9 && last("driver.motor.torque").abs() < 1e-7);
        assert!((last("measure.speed") - rpm).abs() < 1e-9);
    }
    // two flat loops of hinges in space: three too many each. What they leave open is the force across the plane of the arms
    // and the moments in it; that plane turns with the spindle
    let mechanism = model.assemble().unwrap();
    assert_eq!((mechanism.degrees_of_freedom(), mechanism.redundancy().count), (1, 6));
    for (joint, open) in mechanism.joints().iter().zip(&mechanism.redundancy().not_unique) {
        let expected = joint.name != "bearing";
        assert_eq!(*open, [expected, expected, false, expected, expected, expected], "{}", joint.name);
    }
    all_agree(&model, 1.5, 0.05);
}

/// The turn by a rotation vector, Rodrigues.
fn rotation(v: Vec3) -> Mat3 {
    let angle = norm(v);
    let (s, c) =
        if angle < 1e-9 { (1.0, 0.5) } else { (angle.sin() / angle, (1.0 - angle.cos()) / (angle * angle)) };
    let k = [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let square: f64 = (0..3).map(|m| k[i][m] * k[m][j]).sum();
            f64::from(u8::from(i == j)) + s * k[i][j] + c * square
        })
    })
}

/// The platform goes where it should, and the six forces are those of virtual work on platform and legs, Jᵀ F = Q.
#[test]
fn exact_stewart_platform() {
    let model = example("stewart-platform", &[]);
    let mechanism = model.assemble().unwrap();
    assert_eq!((mechanism.degrees_of_freedom(), mechanism.redundancy().count), (0, 0));
    let points =
        |letter: &str| -> Vec<Vec3> { (1..=6).map(|k| drawn(&model, &format!("{letter}{k}"))).collect() };
    let (base, top, middle) = (points("B"), points("P"), drawn(&model, "C"));
    let motion = |t: f64| -> [f64; 6] {
        let w = 2.0;
        let (x, y, z) =
            (0.12 * (w * t).sin(), 0.08 * (2.0 * w * t).sin(), 0.05 * (1.0 - (2.0 * w * t).cos()));
        [x, y, z, 0.0, 0.0, 12_f64.to_radians() * (w * t).sin()]
    };
    let place = |q: [f64; 6], k: usize| -> Vec3 {
        add(add(middle, [q[0], q[1], q[2]]), apply(&rotation([q[3], q[4], q[5]]), sub(top[k], middle)))
    };
    // a leg's directions: along it, the axis of the barrel's cross, which stays square to the level axis of the ground
    let frame = |k: usize, eye: Vec3| -> Mat3 {
        let leg = sub(top[k], base[k]);
        let along = unit(sub(eye, base[k]));
        let axis = unit(cross(along, [-leg[1], leg[0], 0.0]));
        let third = cross(along, axis);
        std::array::from_fn(|i| [along[i], axis[i], third[i]])
    };
    let properties: Vec<Vec3> = mechanism.bodies().iter().map(|b| b.particles.properties.com).collect();
    let names: Vec<&str> = mechanism.bodies().iter().map(|b| b.name.as_str()).collect();
    assert_eq!((names[0], names[1], names[7]), ("platform", "barrel1", "piston1"));
    let poses = |q: [f64; 6]| -> Vec<Pose> {
        let mut list = vec![(rotation([q[3], q[4], q[5]]), add(middle, [q[0], q[1], q[2]]))];
        for piston in [false, true] {
            for k in 0..6 {
                let eye = place(q, k);
                let turn = times_transposed(&frame(k, eye), &frame(k, top[k]));
                let (now, then) = if piston { (eye, top[k]) } else { (base[k], base[k]) };
                let com = properties[list.len()];
                list.push((turn, add(now, apply(&turn, sub(com, then)))));
            }
        }
        list
    };
    let lengths = |q: [f64; 6]| -> [f64; 6] { std::array::from_fn(|k| norm(sub(place(q, k), base[k]))) };
    let forces = |mechanism: &Mechanism, t: f64| -> [f64; 6] {
        let q = motion(t);
        let wrench = inverse_dynamics(mechanism, DOWN, poses, motion, t, 5e-3);
        let jacobian_transposed: [[f64; 6]; 6] = std::array::from_fn(|k| {
            let moved = |x: f64| {
                let mut q = q;
                q[k] = x;
                lengths(q)
            };
            rate(moved, q[k], 2e-3)
        });
        solve(jacobian_transposed, wrench)
    };
    let check = |what: &str, model: &Model, formulation: Formulation| {
        let run = run(&with(model, formulation, 1e-11));
        let (yaw, places) = (column(&run, "measure.yaw"), run.1.positions(&run.0, "C").unwrap());
        let legs: Vec<Vec<f64>> = (1..=6).map(|k| column(&run, &format!("driver.leg{k}.force"))).collect();
        let (mut pose, mut worst, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (i, row) in run.1.frames.iter().enumerate() {
            let q = motion(row.t);
            pose = pose.max(norm(sub(places[i], add(middle, [q[0], q[1], q[2]]))));
            pose = pose.max((yaw[i].to_radians() - q[5]).abs());
            if i % 15 == 0 {
                let exact = forces(&run.0, row.t);
                for k in 0..6 {
                    worst = worst.max((legs[k][i] - exact[k]).abs());
                    largest = largest.max(exact[k].abs());
                }
            }
        }
        let balance = power_balance(&run, &column(&run, "measure.power"));
        println!(
            "Stewart platform, {what}, {}: pose {pose:.1e}, forces {:.1e} of {largest:.0} N, power {balance:.1e}",
            formulation.name(),
            worst / largest
        );
        // differences of order 6 leave 1e-9 of the forces; Simpson's rule in steps of 0.02 s 1e-6 of the work
        assert!(pose < 1e-9 && worst < 1e-7 * largest && balance < 1e-5);
    };
    check("legs with mass", &model, Formulation::Points);
    check("legs with mass", &model, Formulation::Joints);
    // legs without mass: the wrench on the platform alone, Σ F d = m (a − g), Σ F r × d = I ψ̈ about z
    let light =
        example("stewart-platform", &[("mass = \"9 kg\"", "mass = 0"), ("mass = \"5 kg\"", "mass = 0")]);
    let run = run(&with(&light, Formulation::NewtonEuler, 1e-11));
    let legs: Vec<Vec<f64>> = (1..=6).map(|k| column(&run, &format!("driver.leg{k}.force"))).collect();
    let mut worst = 0.0_f64;
    for (i, row) in run.1.frames.iter().enumerate() {
        let (t, w) = (row.t, 2.0);
        let acceleration = [
            -0.12 * w * w * (w * t).sin(),
            -0.32 * w * w * (2.0 * w * t).sin(),
            0.2 * w * w * (2.0 * w * t).cos(),
        ];
        let force = scale(120.0, sub(acceleration, DOWN));
        let moment = 0.5 * 120.0 * 0.55 * 0.55 * -12_f64.to_radians() * w * w * (w * t).sin();
        let q = motion(t);
        let columns: Vec<[f64; 6]> = (0..6)
            .map(|k| {
                let eye = place(q, k);
                let along = unit(sub(eye, base[k]));
                let arm = cross(sub(eye, add(middle, [q[0], q[1], q[2]])), along);
                [along[0], along[1], along[2], arm[0], arm[1], arm[2]]
            })
            .collect();
        let matrix = std::array::from_fn(|r| std::array::from_fn(|k| columns[k][r]));
        let exact = solve(matrix, [force[0], force[1], force[2], 0.0, 0.0, moment]);
        worst = (0..6).fold(worst, |m, k| m.max((legs[k][i] - exact[k]).abs()));
    }
    println!("Stewart platform, legs without mass: forces off by {worst:.1e} N");
    assert!(worst < 1e-8);
    all_agree(&model, 0.3, 0.05);
}

/// Turns about z.
fn turned(angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

fn direction(from: Vec3, to: Vec3) -> f64 {
    (to[1] - from[1]).atan2(to[0] - from[0])
}

/// The arm in closed form: triangles with the cylinders' lengths as sides, and the four-bar linkage of the bucket as two circles.
struct Arm {
    points: Vec<(String, Vec3)>,
    coms: Vec<Vec3>,
}

impl Arm {
    fn new(model: &Model, mechanism: &Mechanism) -> Arm {
        let names: Vec<&str> = mechanism.bodies().iter().map(|b| b.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "boom", "stick", "rocker", "link", "bucket", "barrel1", "piston1", "barrel2", "piston2",
                "barrel3", "piston3"
            ]
        );
        Arm {
            points: model.points.iter().map(|p| (p.name.clone(), p.position)).collect(),
            coms: mechanism.bodies().iter().map(|b| b.particles.properties.com).collect(),
        }
    }

    fn at(&self, name: &str) -> Vec3 {
        self.points.iter().find(|(known, _)| known == name).unwrap().1
    }

    /// By how much a lever has turned against the body of the cylinder's foot when the cylinder has this length.
    fn lever(&self, pivot: &str, foot: &str, eye: &str, length: f64) -> f64 {
        let (f, e) = (sub(self.at(foot), self.at(pivot)), sub(self.at(eye), self.at(pivot)));
        let (a, b) = (norm(f), norm(e));
        let angle = |c: f64| ((a * a + b * b - c * c) / (2.0 * a * b)).acos();
        cross(f, e)[2].signum() * (angle(length) - angle(norm(sub(e, f))))
    }

    /// The poses of all bodies, and the tip of the bucket.
    fn poses(&self, [boom, stick, bucket]: [f64; 3]) -> (Vec<Pose>, Vec3) {
        let at = |name: &str| self.at(name);
        let carried = |turn: f64, pivot: &str, to: Vec3, point: &str| {
            add(to, apply(&turned(turn), sub(at(point), at(pivot))))
        };
        let first = self.lever("A", "D", "E", boom);
        let on_boom = |point: &str| carried(first, "A", at("A"), point);
        let second = first + self.lever("B", "F", "G", stick);
        let on_stick = |point: &str| carried(second, "B", on_boom("B"), point);
        let third = second + self.lever("K", "H", "M", bucket);
        let m = carried(third, "K", on_stick("K"), "M");
        // L lies on circles about C and M
        let c = on_stick("C");
        let (radius, rod, gap) = (norm(sub(at("L"), at("C"))), norm(sub(at("L"), at("M"))), norm(sub(m, c)));
        let x = (radius * radius - rod * rod + gap * gap) / (2.0 * gap);
        let side = cross(sub(at("M"), at("C")), sub(at("L"), at("C")))[2].signum();
        let (along, y) = (unit(sub(m, c)), side * (radius * radius - x * x).sqrt());
        let l = add(axpy(c, x, along), [-y * along[1], y * along[0], 0.0]);
        let shovel = direction(c, l) - direction(at("C"), at("L"));
        let link = direction(m, l) - direction(at("M"), at("L"));
        let mut held = vec![
            (first, "A", at("A")),
            (second, "B", on_boom("B")),
            (third, "K", on_stick("K")),
            (link, "M", m),
            (shovel, "C", c),
        ];
        let cylinders = [
            ("D", at("D"), "E", on_boom("E")),
            ("F", on_boom("F"), "G", on_stick("G")),
            ("H", on_stick("H"), "M", m),
        ];
        for (foot, foot_now, eye, eye_now) in cylinders {
            let turn = direction(foot_now, eye_now) - direction(at(foot), at(eye));
            held.extend([(turn, foot, foot_now), (turn, eye, eye_now)]);
        }
        let place = |((turn, pivot, now), com): (&(f64, &str, Vec3), &Vec3)| -> Pose {
            (turned(*turn), add(*now, apply(&turned(*turn), sub(*com, at(pivot)))))
        };
        (held.iter().zip(&self.coms).map(place).collect(), carried(shovel, "C", c, "T"))
    }
}

/// Cylinder forces by virtual work: slowly, those of the weights alone, ∂V/∂length; at full pace with inertia.
#[test]
fn exact_excavator() {
    let gravity = [0.0, -G, 0.0];
    for (cycle, formulation) in
        [(16.0, Formulation::Points), (16.0, Formulation::Joints), (16_000.0, Formulation::Points)]
    {
        let pace = format!("cycle = \"{cycle} s\"");
        let step = format!("output_step = {}", cycle / 600.0);
        let model = example(
            "excavator",
            &[("cycle = \"16 s\"", pace.as_str()), ("output_step = 0.02", step.as_str())],
        );
        let run = run(&with(&model, formulation, 1e-11));
        assert_eq!((run.0.degrees_of_freedom(), run.0.redundancy().count), (0, 0));
        let arm = Arm::new(&model, &run.0);
        let start = ["DE", "FG", "HM"].map(|p| norm(sub(arm.at(&p[..1]), arm.at(&p[1..]))));
        let motion = |t: f64| -> [f64; 3] {
            let step = |from: f64, to: f64, rise: f64| step5(t, from * cycle, 0.0, to * cycle, rise)[0];
            [
                start[0] + step(0.0, 0.25, -0.45) + step(0.6, 1.0, 0.7),
                start[1] + step(0.0, 0.2, -0.35) + step(0.25, 0.65, 0.6),
                start[2] + step(0.05, 0.25, -0.2) + step(0.4, 0.7, 0.4),
            ]
        };
        let weight = |q: [f64; 3]| {
            let poses = arm.poses(q).0;
            let heights =
                run.0.bodies().iter().zip(&poses).map(|(b, p)| b.particles.properties.mass * G * p.1[1]);
            [heights.sum::<f64>()]
        };
        let forces = ["boom", "stick", "bucket"].map(|name| column(&run, &format!("driver.{name}.force")));
        let rates = ["boom", "stick", "bucket"].map(|name| column(&run, &format!("joint.{name}.v")));
        let tips = run.1.positions(&run.0, "T").unwrap();
        let (mut tip, mut dynamic, mut quasi_static, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for (i, row) in run.1.frames.iter().enumerate() {
            let q = motion(row.t);
            tip = tip.max(norm(sub(tips[i], arm.poses(q).1)));
            for k in 0..3 {
                largest = largest.max(forces[k][i].abs());
                let moved = |x: f64| {
                    let mut q = q;
                    q[k] = x;
                    weight(q)
                };
                quasi_static = quasi_static.max((forces[k][i] - rate(moved, q[k], 2e-3)[0]).abs());
            }
            // differences must not reach across the ends of the steps
            let h = cycle / 1200.0;
            let ends = [0.0, 0.05, 0.2, 0.25, 0.4, 0.6, 0.65, 0.7, 1.0];
            if i % 7 == 0 && ends.iter().all(|end| (row.t - end * cycle).abs() > 6.1 * h) {
                let exact = inverse_dynamics(&run.0, gravity, |q| arm.poses(q).0, motion, row.t, h);
                for k in 0..3 {
                    dynamic = dynamic.max((forces[k][i] - exact[k]).abs());
                }
            }
        }
        let power: Vec<f64> =
            (0..tips.len()).map(|i| (0..3).map(|k| forces[k][i] * rates[k][i]).sum()).collect();
        let balance = power_balance(&run, &power);
        println!(
            "excavator, {cycle} s, {}: tip {tip:.1e} m, forces {:.1e}, weights alone {:.1e} of {:.0} kN, power {balance:.1e}",
            formulation.name(),
            dynamic / largest,
            quasi_static / largest,
            1e-3 * largest
        );
        assert!(tip < 1e-9 && dynamic < 1e-7 * largest && balance < 1e-5);
        // inertia counts with 1/cycle²: up to a quarter at full pace
        assert!(quasi_static < if cycle > 100.0 { 1e-6 } else { 0.5 } * largest);
    }
    all_agree(&example("excavator", &[]), 1.0, 0.1);
}
