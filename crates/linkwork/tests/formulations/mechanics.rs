//! Mechanisms with known answers: closed forms, conserved quantities, other formulations.

use crate::suite;
use crate::suite::of_kind;
use linkwork::joints::Prismatic;

use linkwork::linalg::vec3::{Vec3, add, cross, norm, scale, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use suite::{G, applicable, planar_four_bar, run, settings};

/// Moments about the pin: m L²/3 · α = m g L/2, so the free end starts at 3g/2 and the pin carries mg/4.
#[test]
fn exact_horizontal_rod() {
    let model = Model::planar("rod")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [1.5, 0.0])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], 2.0))
        .settings(settings(1e-6, 1e-6, 1e-12));
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let (_, run) = run(&model);
        let reaction = run.frames[0].reactions[0].force;
        assert!((reaction[1] - 2.0 * G / 4.0).abs() < 1e-12, "{formulation:?}: {reaction:?}");
        // v after 1 µs is a t up to t³
        let v = run.frames[1].velocities[1];
        assert!((v[1] + 1.5 * G * 1e-6).abs() < 1e-15, "{formulation:?}: {v:?}");
    }
}

fn spinning_body() -> Model {
    Model::spatial("spinning body")
        .point("G", [0.1, -0.2, 0.3])
        .point("P", [0.4, -0.2, 0.3])
        .body(Body::with_inertia(
            "box",
            ["G", "P"],
            1.3,
            "G",
            Inertia::Matrix([0.02, 0.05, 0.06, 0.0, 0.0, 0.0]),
        ))
        .angular_velocity("box", [0.05, 4.0, 0.02])
        .velocity("G", [0.1, 0.0, -0.2])
        .settings(settings(100.0, 0.5, 1e-12))
}

/// Angular momentum about the origin from the particles' Gram matrix.
fn angular_momentum(mechanism: &Mechanism, frame: &linkwork::results::Frame) -> Vec3 {
    // two points of the body and its geometry are not enough for a spin about their line, so use all
    let body = &mechanism.bodies()[0];
    let mut sum = [0.0; 3];
    for i in 0..body.nodes.len() {
        for j in 0..body.nodes.len() {
            let g = body.particles.gram[i][j];
            sum = add(sum, scale(g, cross(frame.nodes[body.nodes[i]], frame.node_velocities[body.nodes[j]])));
        }
    }
    sum
}

#[test]
fn keeps_energy_and_angular_momentum_of_a_tumbling_body() {
    let model = spinning_body();
    let (mechanism, run) = run(&model);
    assert_eq!(mechanism.degrees_of_freedom(), 6);
    let first = angular_momentum(&mechanism, &run.frames[0]);
    let (mut momentum, mut energy): (f64, f64) = (0.0, 0.0);
    for frame in &run.frames {
        momentum = momentum.max(norm(sub(angular_momentum(&mechanism, frame), first)) / norm(first));
        energy = energy.max((frame.kinetic / run.frames[0].kinetic - 1.0).abs());
    }
    println!(
        "tumbling body, 100 s: energy {energy:.1e}, angular momentum {momentum:.1e} relative, {} steps",
        run.summary.steps.accepted_steps
    );
    assert!(energy < 1e-9 && momentum < 1e-9);
}

/// sn, cn and dn for parameter m = k² by the arithmetic-geometric mean ([abramowitz] 16.4).
fn jacobi(u: f64, m: f64) -> [f64; 3] {
    let (mut a, mut c) = (vec![1.0_f64], vec![m.sqrt()]);
    let mut b = (1.0 - m).sqrt();
    while c.last().unwrap().abs() > 1e-17 && a.len() < 30 {
        let last = *a.last().unwrap();
        a.push(0.5 * (last + b));
        c.push(0.5 * (last - b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = 2_f64.powi(n as i32) * a[n] * u;
    let mut before = phi;
    for i in (1..=n).rev() {
        before = phi;
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    let dn = if n == 0 { 1.0 } else { phi.cos() / (before - phi).cos() };
    [sn, cn, dn]
}

/// The tumbling body of the examples, 100 s: its angular velocity in its own axes by Jacobi's elliptic functions, its orientation by Euler's equations with
/// steps of 0.25 ms and the method of Runge and Kutta. With angular velocities in world axes these runs were off by 8e-5 m at this tolerance.
#[test]
fn exact_torque_free_rotation() {
    let (inertia, start, duration): (Vec3, Vec3, f64) = ([0.02, 0.05, 0.06], [0.1, 5.0, 0.01], 100.0);
    let rates = |y: &[f64; 7]| -> [f64; 7] {
        let [q0, q1, q2, q3, a, b, c] = *y;
        [
            -0.5 * (q1 * a + q2 * b + q3 * c),
            0.5 * (q0 * a + q2 * c - q3 * b),
            0.5 * (q0 * b + q3 * a - q1 * c),
            0.5 * (q0 * c + q1 * b - q2 * a),
            (inertia[1] - inertia[2]) / inertia[0] * b * c,
            (inertia[2] - inertia[0]) / inertia[1] * c * a,
            (inertia[0] - inertia[1]) / inertia[2] * a * b,
        ]
    };
    let mut y = [1.0, 0.0, 0.0, 0.0, start[0], start[1], start[2]];
    let (steps, h) = (400_000, duration / 400_000.0);
    for _ in 0..steps {
        let go = |k: &[f64; 7], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
        let k1 = rates(&y);
        let k2 = rates(&go(&k1, 0.5 * h));
        let k3 = rates(&go(&k2, 0.5 * h));
        let k4 = rates(&go(&k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    let turned = linkwork::linalg::quaternion::matrix(&y[..4]);
    let exact: Vec3 = std::array::from_fn(|i| 0.3 * turned[i][0]);
    // [landau1976] section 37: 2T I_2 > L², so that 1 and 3 change their roles; ω_2 passes its largest value where sn = 1
    let energy: f64 = inertia.iter().zip(start).map(|(i, w)| i * w * w).sum();
    let momentum: f64 = inertia.iter().zip(start).map(|(i, w)| (i * w).powi(2)).sum();
    let [i3, i2, i1] = inertia;
    assert!(momentum < energy * i2);
    let p = ((i3 - i2) * (momentum - energy * i1) / (i1 * i2 * i3)).sqrt();
    let m = (i2 - i1) * (energy * i3 - momentum) / ((i3 - i2) * (momentum - energy * i1));
    let size2 = ((energy * i3 - momentum) / (i2 * (i3 - i2))).sqrt();
    let size3 = ((momentum - energy * i1) / (i3 * (i3 - i1))).sqrt();
    // the phase at the start from dn, by bisection between two neighbouring extremes: sn > 0 and rising or falling as ω_1 ω_3 says
    let half = {
        let (mut a, mut b) = (1.0_f64, (1.0 - m).sqrt());
        while (a - b).abs() > 1e-16 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        std::f64::consts::PI / (2.0 * a)
    };
    let (mut low, mut high) = (0.0, half);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if size2 * jacobi(middle, m)[0] < start[1] { low = middle } else { high = middle }
    }
    // ω_2' = (I_3 − I_1) ω_3 ω_1 / I_2 > 0: rising towards K
    let [sn, _, dn] = jacobi(p * duration + low, m);
    println!(
        "closed form: ω_2 = {:.9}, |ω| along the least axis {:.9}; by steps {:.9}, {:.9}",
        size2 * sn,
        size3 * dn,
        y[5],
        y[4]
    );
    // sn near its top gives the phase to the root of a rounding only
    assert!((size2 * sn - y[5]).abs() < 1e-5 && (size3 * dn - y[4].abs()).abs() < 1e-5);
    for (formulation, most) in [
        (Formulation::Recursive, 1e-7),
        (Formulation::Joints, 1e-6),
        (Formulation::Tmt, 1e-6),
        (Formulation::Lagrange, 1e-6),
        (Formulation::NewtonEuler, 1e-6),
    ] {
        // a thousandth of the size is 3e-4 m; the errors of ν grow with the square of the time
        let model = Model::spatial("tumbling")
            .point("G", [0.0, 0.0, 0.0])
            .point("P", [0.3, 0.0, 0.0])
            .body(Body::with_inertia(
                "box",
                ["G", "P"],
                1.2,
                "G",
                Inertia::Matrix([0.02, 0.05, 0.06, 0.0, 0.0, 0.0]),
            ))
            .angular_velocity("box", start)
            .settings(Settings {
                formulation,
                integrator: Integrator::Dop853,
                ..settings(duration, duration, 1e-10)
            });
        let (_, run) = run(&model);
        let off = norm(sub(run.frames.last().unwrap().positions[1], exact));
        println!(
            "{:12} 100 s: off by {off:.1e} m, {} steps",
            formulation.name(),
            run.summary.steps.accepted_steps
        );
        assert!(off < most, "{formulation:?}: {off:.1e}");
    }
}

/// About a ball joint that the body hangs on, and with a spring to it, every formulation has the same motion.
#[test]
fn cross_heavy_top_in_body_axes() {
    let model = Model::spatial("top")
        .gravity([0.0, 0.0, -G])
        .point("O", [0.0, 0.0, 0.0])
        .point("G", [0.1, 0.0, 0.3])
        .point("S", [0.5, 0.5, 0.5])
        .ground(["O", "S"])
        .body(Body::with_inertia(
            "top",
            ["O", "G"],
            0.7,
            "G",
            Inertia::Matrix([0.004, 0.005, 0.002, 0.0, 0.0, 0.0]),
        ))
        .spring(Spring::new("s", ["G", "S"], 20.0))
        .angular_velocity("top", [1.0, -0.5, 30.0])
        .settings(settings(2.0, 0.1, 1e-11));
    let mut first: Option<Vec<Vec3>> = None;
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        model.settings.integrator = Integrator::Dop853;
        let (_, run) = run(&model);
        let path: Vec<Vec3> = run.frames.iter().map(|f| f.positions[1]).collect();
        let first = first.get_or_insert_with(|| path.clone());
        let off = path.iter().zip(first.iter()).fold(0.0, |m: f64, (a, b)| m.max(norm(sub(*a, *b))));
        println!(
            "{:12} top: off by {off:.1e} m, {} steps",
            formulation.name(),
            run.summary.steps.accepted_steps
        );
        // 60 rad at 1e-11 a step
        assert!(off < 1e-7, "{formulation:?}: {off:.1e}");
    }
}

/// The same linkage in space, every joint an ordinary revolute one: two shared points each.
fn spatial_four_bar() -> Model {
    let mut model =
        Model::spatial("four-bar in space").gravity([0.0, -G, 0.0]).settings(settings(2.0, 0.02, 1e-11));
    let flat = planar_four_bar();
    for p in &flat.points {
        let [x, y, _] = p.position;
        model = model.point(&p.name, [x, y, -0.1]).point(format!("{}'", p.name), [x, y, 0.1]);
    }
    model = model.ground(["A", "A'", "D", "D'"]);
    for (name, [p, q], mass) in
        [("crank", ["A", "B"], 1.0), ("coupler", ["B", "C"], 2.0), ("rocker", ["C", "D"], 1.5)]
    {
        let at = |n: &str| flat.points.iter().find(|x| x.name == n).unwrap().position;
        let d = sub(at(q), at(p));
        let com = scale(0.5, add(at(p), at(q)));
        // the rod's inertia about z; something real across
        let i = mass * norm(d) * norm(d) / 12.0;
        let e = [d[0] / norm(d), d[1] / norm(d)];
        let (along, across) = (1e-3, i);
        let xx = along * e[0] * e[0] + across * e[1] * e[1];
        let yy = along * e[1] * e[1] + across * e[0] * e[0];
        let xy = (along - across) * e[0] * e[1];
        model = model.body(Body::with_inertia(
            name,
            [p.to_string(), format!("{p}'"), q.to_string(), format!("{q}'")],
            mass,
            com,
            Inertia::Matrix([xx, yy, i, xy, 0.0, 0.0]),
        ));
    }
    model
}

/// 3 bodies · 6 − 4 joints · 5 = −2, yet it moves: three constraints too many. It moves as the planar
/// one does, and the forces in the plane agree.
#[test]
fn cross_four_bar_in_space_has_three_redundant_constraints() {
    let (flat, flat_run) = run(&planar_four_bar());
    let (space, space_run) = run(&spatial_four_bar());
    assert_eq!((flat.degrees_of_freedom(), flat.redundancy().count), (1, 0));
    assert_eq!((space.degrees_of_freedom(), space.redundancy().count), (1, 3));
    for d in &space.redundancy().dependencies {
        println!("redundant: {} leaves open {}", d.row, d.open.join(", "));
    }
    let mut off: f64 = 0.0;
    for name in
        ["point.B.x", "point.C.y", "joint.A.q", "joint.A.force.x", "joint.B.force.y", "joint.D.force.y"]
    {
        let a = flat_run.column(&flat, name).unwrap();
        let b = space_run.column(&space, name).unwrap();
        off = a.iter().zip(&b).fold(off, |m, (a, b)| m.max((a - b).abs() / (1.0 + a.abs())));
        let j = space.joints().iter().position(|j| name.contains(&format!(".{}.", j.name)));
        if let (Some(j), true) = (j, name.contains("force")) {
            assert!(!space.redundancy().not_unique[j][0] && !space.redundancy().not_unique[j][1], "{name}");
        }
    }
    println!("four-bar in space against the plane: {off:.1e}");
    assert!(off < 1e-8);
    // what is open is told: bending moments and axial forces of the hinges
    assert!(space.redundancy().not_unique.iter().any(|c| c[2] || c[3] || c[4]));
}

/// Slider-crank: the slider's place follows from the crank angle in closed form.
#[test]
fn exact_slider_crank() {
    let (r, l) = (0.3_f64, 0.8_f64);
    let crank_angle = 0.7_f64;
    let b = [r * crank_angle.cos(), r * crank_angle.sin()];
    let c = [b[0] + (l * l - b[1] * b[1]).sqrt(), 0.0];
    for listed_by_ground in [false, true] {
        let mut ground = vec!["A"];
        if listed_by_ground {
            ground.push("C");
        }
        let model = Model::planar("slider-crank")
            .gravity([0.0, -G])
            .point("A", [0.0, 0.0])
            .point("B", b)
            .point("C", c)
            .ground(ground)
            .body(Body::rod("crank", ["A", "B"], 1.0))
            .body(Body::rod("rod", ["B", "C"], 1.0))
            .body(Body::with_inertia("slider", ["C"], 0.5, "C", Inertia::Polar(1e-3)))
            .joint(Joint::new("guide", Prismatic { axis: Axis::X }, ["ground", "slider"], "C"))
            .angular_velocity("crank", [0.0, 0.0, 12.0])
            .settings(settings(2.0, 0.01, 1e-11));
        for formulation in applicable(&model) {
            let mut model = model.clone();
            model.settings.formulation = formulation;
            let (mechanism, run) = run(&model);
            assert_eq!(mechanism.degrees_of_freedom(), 1);
            let q = run.column(&mechanism, "joint.A.q").unwrap();
            let x = run.column(&mechanism, "point.C.x").unwrap();
            let guide = run.column(&mechanism, "joint.guide.q").unwrap();
            let mut off: f64 = 0.0;
            for i in 0..q.len() {
                let a = crank_angle + q[i];
                let expected = r * a.cos() + (l * l - (r * a.sin()).powi(2)).sqrt();
                off = off.max((x[i] - expected).abs()).max((guide[i] - (expected - c[0])).abs());
            }
            println!(
                "slider-crank, {}: {off:.1e} m, turned {:.1} rad, dE {:.1e}",
                formulation.name(),
                q[q.len() - 1],
                run.summary.energy_drift
            );
            assert!(off < 1e-12 && q[q.len() - 1] > 15.0, "angles are counted on");
            // vertical balance of everything: guide + pin A carry weight plus inertia; horizontally the guide gives none
            let f = run.column(&mechanism, "joint.guide.force.x").unwrap();
            assert!(f.iter().all(|f| f.abs() < 1e-9));
        }
    }
}

/// Every joint kind in space: the bodies keep what the joint forbids, and energy is kept.
#[test]
fn keeps_what_each_joint_forbids() {
    let kinds = [
        (JointKind::Spherical, 3),
        (JointKind::Revolute, 1),
        (JointKind::Prismatic, 1),
        (JointKind::Cylindrical, 2),
        (JointKind::PointOnLine, 4),
        (JointKind::Fixed, 0),
    ];
    for (kind, freedom) in kinds {
        let inertia = Inertia::Matrix([0.03, 0.04, 0.05, 0.002, -0.001, 0.003]);
        let model = Model::spatial("pair")
            .gravity([0.3, -0.2, -G])
            .point("O", [0.0, 0.0, 0.0])
            .point("P", [0.4, 0.1, 0.2])
            .point("Q", [0.9, -0.2, 0.5])
            .ground(["O"])
            .body(Body::with_inertia("arm", ["O", "P"], 1.0, [0.2, 0.1, 0.0], inertia))
            .body(Body::with_inertia("hand", ["P", "Q"], 0.7, [0.6, 0.0, 0.3], inertia))
            .joint(Joint::new("J", of_kind(kind, [0.3, 1.0, 0.4], [0.0; 3]), ["arm", "hand"], "P"))
            .settings(settings(1.0, 0.02, 1e-11));
        for formulation in applicable(&model) {
            let mut model = model.clone();
            model.settings.formulation = formulation;
            let (mechanism, run) = run(&model);
            assert_eq!(mechanism.degrees_of_freedom(), 3 + freedom, "{kind:?}");
            println!(
                "{kind:?}, {}: dE {:.1e} J, {} steps",
                formulation.name(),
                run.summary.energy_drift,
                run.summary.steps.accepted_steps
            );
            assert!(run.summary.energy_drift < 1e-8, "{kind:?}");
            assert_eq!(mechanism.redundancy().count, 0, "{kind:?}");
        }
    }
}

/// Newton and Euler for one body of a chain: forces of both its joints and gravity give its acceleration.
/// Here by turning the world: the same motion and forces in turned axes.
#[test]
fn same_motion_in_a_turned_world() {
    // a proper rotation: x -> y -> z -> x, then a 3-4-5 turn about z
    let turn = |p: Vec3| {
        let [x, y, z] = [p[2], p[0], p[1]];
        [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, z]
    };
    let base = |map: &dyn Fn(Vec3) -> Vec3| {
        let mut model = Model::spatial("two links on a ball and a hinge").gravity(map([0.0, 0.0, -G]));
        for (n, p) in
            [("O", [0.0, 0.0, 0.0]), ("P", [0.5, 0.1, 0.0]), ("H", [0.5, 0.4, 0.1]), ("Q", [1.1, 0.2, 0.3])]
        {
            model = model.point(n, map(p));
        }
        model
            .ground(["O"])
            .body(Body::plate("plate", ["O", "P", "H"], 1.0))
            .body(Body::plate("flap", ["P", "H", "Q"], 0.6))
            .couple(Couple::new("c", "flap", map([0.1, 0.2, -0.3])))
            .spring(Spring::new("s", ["O", "Q"], 20.0).damping(0.5))
            .angular_velocity("plate", map([1.0, -2.0, 0.5]))
            .settings(settings(1.0, 0.05, 1e-12))
    };
    let (a, run_a) = run(&base(&|p| p));
    let (_, run_b) = run(&base(&turn));
    assert_eq!(a.degrees_of_freedom(), 4, "a ball and a hinge");
    assert_eq!(a.redundancy().count, 0);
    let mut off: f64 = 0.0;
    for (f, g) in run_a.frames.iter().zip(&run_b.frames) {
        for (p, q) in f.positions.iter().zip(&g.positions) {
            off = off.max(norm(sub(turn(*p), *q)));
        }
        for (p, q) in f.reactions.iter().zip(&g.reactions) {
            off = off.max(norm(sub(turn(p.force), q.force)) / (1.0 + norm(p.force)));
            off = off.max(norm(sub(turn(p.moment), q.moment)));
        }
    }
    println!(
        "turned world: {off:.1e}; energy balance with damper and couple {:.1e} J",
        run_a.summary.energy_drift
    );
    assert!(off < 1e-9);
    assert!(run_a.summary.energy_drift < 1e-9, "work of damper and couple closes the balance");
}

/// A body with five pins: more joints than primary particles. Rods hang on it; its reactions balance it.
#[test]
fn cross_body_with_more_joints_than_primary_points() {
    let hanger = || {
        let mut model = Model::planar("hanger").gravity([0.0, -G]);
        let pins = [[0.0, 0.0], [1.0, 0.2], [0.4, 0.7], [-0.6, 0.3], [0.2, -0.5]];
        let mut names = Vec::new();
        for (i, p) in pins.iter().enumerate() {
            model = model.point(format!("P{i}"), *p);
            if i > 0 {
                model = model.point(format!("E{i}"), [p[0] + 0.3, p[1] - 0.4]);
            }
            names.push(format!("P{i}"));
        }
        model = model
            .ground(["P0"])
            .body(Body::with_inertia("hub", names, 2.0, [0.3, 0.2], Inertia::Polar(0.4)))
            .settings(settings(1.0, 0.02, 1e-12));
        for i in 1..5 {
            model = model.body(Body::rod(format!("rod{i}"), [&format!("P{i}"), &format!("E{i}")], 0.5));
        }
        model
    };
    for formulation in applicable(&hanger()) {
        let mut model = hanger();
        model.settings.formulation = formulation;
        let (mechanism, run) = run(&model);
        assert_eq!(mechanism.degrees_of_freedom(), 5);
        // Ground carries everything: R = Σ m (a − g); compare with the rate of momentum through the energy
        // balance instead of differencing: it is the other formulation that checks the numbers.
        let mut other = model.clone();
        other.settings.formulation = Formulation::NewtonEuler;
        let (m2, r2) = suite::run(&other);
        let mut off: f64 = 0.0;
        for column in
            run.columns.iter().filter(|c| c.name.contains(".force.") || c.name.starts_with("point.E"))
        {
            let (a, b) =
                (run.column(&mechanism, &column.name).unwrap(), r2.column(&m2, &column.name).unwrap());
            off = a.iter().zip(&b).fold(off, |m, (a, b)| m.max((a - b).abs()));
        }
        println!("hanger, {}: {off:.1e} against newton-euler", formulation.name());
        assert!(off < 1e-8);
    }
}

/// Three bars on one pin, none of them ground: forces on the pin sum to zero.
#[test]
fn exact_forces_at_a_crowded_pin_balance() {
    let model = Model::planar("three bars")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [1.0, 0.0])
        .point("Q", [1.5, -0.5])
        .point("R", [1.5, 0.6])
        .ground(["O"])
        .body(Body::rod("a", ["O", "P"], 1.0))
        .body(Body::rod("b", ["P", "Q"], 1.0))
        .body(Body::rod("c", ["P", "R"], 1.0))
        .settings(settings(0.5, 0.05, 1e-12));
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let (mechanism, run) = run(&model);
        let names: Vec<&str> = mechanism.joints().iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["O", "P.b", "P.c"]);
        // Newton for bars b and c, each on the pin alone: F = m (a_com − g), and for bar a with the ground
        for frame in &run.frames {
            let half = |i: usize, j: usize| scale(0.5, add(frame.accelerations[i], frame.accelerations[j]));
            let needed = |a: Vec3| sub(a, [0.0, -G, 0.0]);
            let force = |j: usize| frame.reactions[j].force;
            let on_a = sub(sub(force(0), force(1)), force(2));
            for (force, a) in [(force(1), half(1, 2)), (force(2), half(1, 3)), (on_a, half(0, 1))] {
                let off = norm(sub(force, needed(a)));
                // rounding of one solve: forces of some 10 N
                assert!(off < 1e-11, "{formulation:?} at {} s: off by {off:.1e} N", frame.t);
            }
        }
    }
}

/// A loop drawn roughly, with the true lengths given: the assembly closes it and says what moved.
#[test]
fn exact_assembly_closes_a_rough_drawing() {
    let rough = |length: f64| {
        Model::planar("rough")
            .point("A", [0.0, 0.0])
            .point("B", [0.1, 0.9])
            .point("C", [2.1, 1.8])
            .point("D", [2.0, 0.0])
            .ground(["A", "D"])
            .body(Body::rod("crank", ["A", "B"], 1.0).length(1.0))
            .body(Body::rod("coupler", ["B", "C"], 2.0).length(length))
            .body(Body::rod("rocker", ["C", "D"], 1.5).length(2.0))
            .settings(settings(0.1, 0.01, 1e-10))
    };
    let mechanism = rough(5.0_f64.sqrt()).assemble().unwrap();
    let report = mechanism.assembly();
    println!("{report:?}");
    assert!(report.residual_before > 0.01 && report.residual_after < 1e-14);
    let moved: Vec<&str> = report.moved.iter().map(|m| m.point.as_str()).collect();
    assert!(moved.contains(&"B") && moved.contains(&"C") && moved.len() == 2);
    assert!(report.moved.iter().all(|m| m.distance < 0.25), "least movement");
    // no position closes this one: 1 + 5 + … the coupler is too long
    let faults = rough(7.0).assemble().unwrap_err();
    let text = faults.to_string();
    assert!(text.contains("cannot be assembled") && text.contains("open by"), "{text}");
}

/// Partial start velocities: the crank's rate fixes the whole linkage; a contradiction is refused.
#[test]
fn exact_start_velocities_follow() {
    let model = planar_four_bar().angular_velocity("crank", [0.0, 0.0, 2.0]);
    let mechanism = model.assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let v = run.frames[0].velocities[1];
    assert!(norm(sub(v, [-2.0, 0.0, 0.0])) < 1e-12, "{v:?}");
    assert!(run.frames[0].velocity_residual < 1e-12);
    let wrong = planar_four_bar().velocity("B", [0.0, 1.0]);
    let text = wrong.assemble().unwrap_err().to_string();
    assert!(text.contains("initial.velocities.B") && text.contains("contradicts"), "{text}");
}

/// A massless link between two masses is an ordinary body; a free massless end is named.
#[test]
fn exact_massless_links() {
    let link = |end: f64| {
        Model::planar("link")
            .gravity([0.0, -G])
            .point("O", [0.0, 0.0])
            .point("P", [1.0, 0.0])
            .point("Q", [2.0, 0.0])
            .ground(["O"])
            .body(Body::rod("first", ["O", "P"], 0.0))
            .body(Body::with_inertia("bob", ["P", "Q"], end, "Q", Inertia::Polar(0.0)))
            .settings(settings(1.0, 0.1, 1e-10))
    };
    // P has no mass of its own and nothing but two rods in line: its sideways motion is undetermined
    let text = link(1.0).assemble().unwrap_err().to_string();
    assert!(text.contains("nothing with mass moves with P"), "{text}");
    let text = link(0.0).assemble().unwrap_err().to_string();
    assert!(text.contains("nothing with mass"), "{text}");
}

/// Through the singular position: a parallelogram passes its flat positions, where the constraint rows
/// lose rank, and keeps energy.
#[test]
fn keeps_energy_through_singular_positions() {
    let model = Model::planar("parallelogram")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [1.0, 1.0])
        .point("D", [1.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("left", ["A", "B"], 1.0))
        .body(Body::rod("top", ["B", "C"], 1.0))
        .body(Body::rod("right", ["C", "D"], 1.0))
        .velocity("B", [1.0, 0.0])
        .settings(settings(10.0, 0.01, 1e-10));
    let (mechanism, run) = run(&model);
    println!(
        "parallelogram, 10 s: dE {:.1e} J, {} steps",
        run.summary.energy_drift, run.summary.steps.accepted_steps
    );
    // on its branch: the top stays parallel to the ground
    let (b, c) = (run.column(&mechanism, "point.B.y").unwrap(), run.column(&mechanism, "point.C.y").unwrap());
    let off = b.iter().zip(&c).fold(0.0, |m: f64, (b, c)| m.max((b - c).abs()));
    assert!(off < 1e-6, "left the branch: {off}");
    assert!(run.summary.energy_drift < 1e-6);
}
