//! Batches: lanes and threads give the bits of single runs.

use crate::suite::of_kind;
use linkwork::batch::{Batch, BatchError, BatchRun, KeptRows, Variant};
use linkwork::formulations::{Formulate, Input, Recursive};
use linkwork::integrate::System;
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::recursive::lane::{PACK, Pack};
use linkwork::recursive::{Dynamics, Octet};
use linkwork::results::{Frame, columns, row};
use linkwork::simulation::Status;

const STEPPED: [Integrator; 5] = [
    Integrator::Rk4,
    Integrator::Euler,
    Integrator::SemiImplicitEuler,
    Integrator::Dopri5,
    Integrator::Dop853,
];

fn settings(integrator: Integrator) -> Settings {
    Settings {
        duration: 0.25,
        output_step: 0.03, // rows between the steps, and one at the end that is no multiple
        formulation: Formulation::Recursive,
        integrator,
        step: Some(0.004),
        ..Default::default()
    }
}

/// Rods in the plane, in a zig-zag.
pub(super) fn chain(n: usize) -> Model {
    let mut model = Model::planar("chain").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=n {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [0.08 * i as f64, if i % 2 == 1 { 0.06 } else { 0.0 }]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.05));
    }
    model
}

/// A floating tree in space: hinges, a slide, balls, thin rods, springs, forces and couples. `x` changes masses, places, axes and
/// gravity.
pub(super) fn tree(x: f64) -> Model {
    let kinds = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Spherical,
        JointKind::Universal,
        JointKind::Spherical,
    ];
    let at = |i: usize| {
        let i = i as f64;
        [0.4 * i, (0.15 + 0.1 * x) * (1.7 * i).sin(), 0.2 * (1.1 * i).cos()]
    };
    let mut model = Model::spatial("tree").gravity([0.3, -0.2, -9.81 + x]).point("P0", at(0));
    model = model.point("fixed", [0.2, 1.0, 0.5]).ground(["fixed"]);
    for i in 0..=kinds.len() {
        let (a, b) = (at(i), at(i + 1));
        let com = [0.5 * (a[0] + b[0]) + 0.03, 0.5 * (a[1] + b[1]) - 0.05, 0.5 * (a[2] + b[2]) + 0.04];
        // the last one, a thin rod, hangs on the body that the one before it hangs on
        let on = if i == kinds.len() { i - 1 } else { i };
        let (point, pin) = (format!("P{}", i + 1), format!("P{on}"));
        model = model.point(&point, b);
        model = model.body(if i == kinds.len() {
            Body::rod(format!("b{i}"), [&pin, &point], 0.5 + x)
        } else {
            let inertia = Inertia::Matrix([0.03, 0.04 + 0.1 * x, 0.05, 0.002, -0.001, 0.003]);
            Body::with_inertia(format!("b{i}"), [&pin, &point], 1.0 - 0.1 * i as f64 + x, com, inertia)
        });
        if i > 0 {
            let pair = [format!("b{}", on - 1), format!("b{i}")];
            let axis = match kinds[i - 1] {
                JointKind::Universal => [0.0, 1.0, x],
                _ => [0.3 + x, 1.0, 0.4 * i as f64],
            };
            let data = of_kind(kinds[i - 1], axis, [0.0, -x, 1.0]);
            model = model.joint(Joint::new(format!("J{i}"), data, [&pair[0], &pair[1]], &pin));
        }
    }
    model
        .force(Force::new("push", "b3", "P4", [1.0, -2.0, 0.5]))
        .couple(Couple::new("twist", "b2", [0.05, -0.1, 0.2]))
        .spring(Spring::new("s", ["P0", "P3"], 8.0 + x).free_length(1.2).damping(0.4))
        .spring(Spring::new("g", ["fixed", "P1"], 30.0).free_length(0.2).damping(0.1))
        .angular_velocity("b0", [0.4, -0.6 + x, 0.3])
}

/// A floating chassis with an arm and a wheel on the road: a tyre, a motor by an expression with a corner in time, a torsion spring
/// that counts turns, drag, a measure.
fn wheeled(speed: f64, stiffness: f64) -> String {
    format!(
        r#"
        format = 1
        model = {{ name = "wheeled", gravity = "-z" }}
        parameters = {{ speed = {speed}, k = {stiffness} }}
        [points]
        C = [0, 0, 0.5]
        A = [0.3, 0, 0.45]
        H = [0.8, 0, 0.34]
        [bodies]
        chassis = {{ points = ["C", "A"], mass = 20, com = "C", inertia = [1, 1.5, 1.2] }}
        arm = {{ points = ["A", "H"], mass = 2, com = [0.55, 0.01, 0.4], inertia = [0.05, 0.06, 0.07] }}
        wheel = {{ points = ["H"], mass = 5, com = "H", inertia = [0.1, 0.2, 0.1] }}
        [joints]
        hinge = {{ type = "revolute", bodies = ["chassis", "arm"], at = "A", axis = [0, 1, 0], stiffness = "k", damping = 5 }}
        axle = {{ type = "revolute", bodies = ["arm", "wheel"], at = "H", axis = [0, 1, 0] }}
        [actuators]
        motor = {{ joint = "axle", torque = "if(t < 0.111, 40 * sin(9 * t), 3 - 0.1 * v)" }}
        [drags]
        air = {{ body = "chassis", coefficient = 0.4 }}
        [measures]
        slip = "0.35 * body.wheel.wy - body.wheel.vx"
        [tyres.front]
        body = "wheel"
        centre = "H"
        axis = [0, 1, 0]
        radius = 0.35
        stiffness = "60 N/mm"
        damping = "0.3 kN s/m"
        model = "brush"
        slip_stiffness = "20 kN"
        cornering_stiffness = "15 kN"
        friction = 0.9
        road = "0.02 * sin(4 * x)"
        [initial]
        velocities = {{ C = ["speed", 0, 0], H = ["speed", 0, 0] }}
        "#
    )
}

pub(super) fn assemble(model: &Model) -> Mechanism {
    model.assemble().unwrap_or_else(|faults| panic!("{faults}"))
}

pub(super) fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.iter().map(|x| x.to_bits()).collect()).collect()
}

/// All rows of the run of a mechanism alone.
fn alone(mechanism: &Mechanism) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    let mut one = Vec::new();
    let summary = mechanism
        .run(&mut |frame: &Frame| {
            row(mechanism, frame, &mut one);
            rows.push(one.clone());
        })
        .unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(summary.status, Status::Finished, "{summary:?}");
    rows
}

/// Eleven models in lanes (a full octet, and three) against their own runs, row by row and bit by bit.
fn compare(name: &str, models: &[Model]) {
    for integrator in STEPPED {
        let models: Vec<Model> = models.iter().map(|m| m.clone().settings(settings(integrator))).collect();
        let base = assemble(&models[0]);
        let variants: Vec<Variant> = models.iter().map(|m| Variant::of_model(m.clone())).collect();
        let batch = Batch::new(&base).rows(KeptRows::All).extremes(true);
        let runs = batch.run(&variants);
        let mut numbers = 0;
        for (model, run) in models.iter().zip(&runs) {
            assert!(run.error.is_none(), "{name}: {:?}", run.error);
            assert!(run.in_lanes, "{name} {}", integrator.name());
            let rows = alone(&assemble(model));
            assert!(rows.len() == 10 && bits(&rows) == bits(&run.rows), "{name} {}", integrator.name());
            numbers += rows.iter().map(Vec::len).sum::<usize>();
            for c in 0..rows[0].len() {
                let of = |f: fn(f64, f64) -> f64| rows.iter().map(|r| r[c]).fold(rows[0][c], f);
                assert_eq!((of(f64::min), of(f64::max)), (run.least[c], run.most[c]));
            }
        }
        let different = (1..runs.len()).all(|i| runs[i].rows != runs[0].rows);
        assert!(different, "{name}: the variants should differ");
        // last rows only: the last of all rows
        let last = Batch::new(&base).run(&variants);
        for (run, last) in runs.iter().zip(&last) {
            assert!(last.rows.len() == 1 && bits(&last.rows)[0] == bits(&run.rows)[9]);
        }
        println!("{name}, {}: {numbers} numbers have the same bits", integrator.name());
    }
}

#[test]
fn same_bits_in_lanes_chain_of_different_masses() {
    let models: Vec<Model> = (0..11)
        .map(|k| {
            let mut model = chain(30);
            model.bodies[k].mass =
                Mass::Shape(Shape::Rod { area: None }, Amount::Mass(0.07 + 0.01 * k as f64));
            model.points[30].position[0] += 0.001 * k as f64;
            model
        })
        .collect();
    compare("chain", &models);
}

#[test]
fn same_bits_in_lanes_floating_tree_with_balls() {
    let models: Vec<Model> = (0..11).map(|k| tree(0.01 * k as f64)).collect();
    compare("tree", &models);
}

#[test]
fn same_bits_in_lanes_tyre_and_expressions() {
    let models: Vec<Model> = (0..11)
        .map(|k| {
            let text = wheeled(2.0 + 0.3 * k as f64, 200.0 + 7.0 * k as f64);
            Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    compare("wheeled", &models);
}

/// Starts and inputs: in lanes and one by one (an eighth neighbour that fails sends all to themselves).
#[test]
fn same_bits_with_starts_and_inputs() {
    let base = assemble(&chain(7).settings(settings(Integrator::Rk4)));
    let mut variants: Vec<Variant> = (0..16)
        .map(|k| {
            let x = 0.1 * k as f64;
            let variant = Variant::new().start(vec![x; 7], vec![1.0 - x; 7]);
            match k % 3 {
                0 => variant,
                1 => variant.input(Input::Constant(vec![0.01 * x; 7])),
                _ => variant.input(Input::law(move |t, q, u, tau| {
                    for i in 0..7 {
                        tau[i] = 0.02 * (x + t).sin() - 0.01 * q[i] - 0.001 * u[i];
                    }
                })),
            }
        })
        .collect();
    let batch = Batch::new(&base).rows(KeptRows::All);
    let lanes = batch.run(&variants);
    assert!(lanes.iter().all(|run| run.in_lanes && run.is_finished()));
    variants[7].input = Some(Input::law(|t, _, _, tau| tau[3] = if t > 0.1 { f64::NAN } else { 0.0 }));
    variants[15].input = Some(Input::Constant(vec![0.0; 6]));
    let single = batch.run(&variants);
    for k in 0..16 {
        if k % 8 == 7 {
            continue;
        }
        assert!(!single[k].in_lanes);
        assert_eq!(bits(&lanes[k].rows), bits(&single[k].rows), "variant {k}");
    }
    let Some(BatchError::Failed { variant: 7, failure }) = &single[7].error else {
        panic!("{:?}", single[7].error)
    };
    assert_eq!(failure.code, "not-finite");
    assert!(failure.message.contains("the input of joint"), "{}", failure.message);
    // rows up to the failure are those of the healthy run before its law turned bad
    assert_eq!(single[7].rows.len(), 4);
    let Some(error @ BatchError::Refused { variant: 15, .. }) = &single[15].error else {
        panic!("{:?}", single[15].error)
    };
    assert!(error.to_string().contains("variant 15"), "{error}");
    assert!(error.to_string().contains("6 forces are given, the mechanism has 7 rates"), "{error}");
}

/// The work of inputs is in the balance of energies: T + V − W stays.
#[test]
fn keeps_the_energy_balance_with_inputs() {
    let base = assemble(&tree(0.0).settings(Settings { step: Some(1e-3), ..settings(Integrator::Dop853) }));
    let (_, u) = Batch::new(&base).start().unwrap();
    // a thin rod at a ball takes no moment: about its own line nothing has inertia
    let mut forces: Vec<f64> = (0..u.len()).map(|i| 0.3 * (i as f64).cos()).collect();
    let bad = Batch::new(&base).run(&[Variant::new().input(Input::Constant(forces.clone()))]);
    assert!(
        bad[0].error.as_ref().is_some_and(|e| e.to_string().contains("joint `J6`")),
        "{:?}",
        bad[0].error
    );
    forces[u.len() - 3..].fill(0.0);
    let variants = vec![Variant::new().input(Input::Constant(forces)); 2];
    let batch = Batch::new(&base).columns(["energy.total", "energy.work"]).unwrap().rows(KeptRows::All);
    for run in batch.run(&variants) {
        assert!(run.in_lanes);
        let balance = |row: &[f64]| row[0] - row[1];
        let drift = run.rows.iter().map(|r| (balance(r) - balance(&run.rows[0])).abs()).fold(0.0, f64::max);
        println!("drift of the balance: {drift:.1e} J, work {:.3} J", run.rows[9][1]);
        assert!(drift < 1e-9 && run.rows[9][1].abs() > 0.1);
    }
}

#[test]
fn same_bytes_on_any_number_of_threads() {
    let base = assemble(&tree(0.0).settings(settings(Integrator::Rk4)));
    let (q, u) = Batch::new(&base).start().unwrap();
    let variants: Vec<Variant> = (0..37)
        .map(|k| {
            let mut q = q.clone();
            q[7] += 0.03 * k as f64;
            match k % 10 {
                9 => Variant::of_model(tree(0.02).settings(settings(Integrator::Rk4))),
                _ => Variant::new().start(q, u.clone()),
            }
        })
        .collect();
    let runs: Vec<Vec<BatchRun>> =
        [1, 2, 3, 0].map(|threads| Batch::new(&base).threads(threads).run(&variants)).into();
    assert!(runs[0].iter().all(|run| run.is_finished() && run.in_lanes && run.rows.len() == 1));
    assert_eq!(runs[0].len(), 37);
    for other in &runs[1..] {
        assert!(runs[0] == *other);
    }
    // neighbours do not matter: another order, the same results
    let mut turned = variants.clone();
    turned.reverse();
    let mut back = Batch::new(&base).run(&turned);
    back.reverse();
    for (a, b) in runs[0].iter().zip(&back) {
        assert_eq!(bits(&a.rows), bits(&b.rows));
    }
}

/// What cannot share steps runs as it would alone: error control, loops, events.
#[test]
fn same_bits_where_lanes_do_not_apply() {
    let adaptive = Settings { step: None, ..settings(Integrator::Dop853) };
    let text = r#"
        format = 1
        model.gravity = "-y"
        points = { A = [0, 0], B = [0.1, 0.3], C = [0.6, 0.35], D = [0.5, 0] }
        bodies.ground = { points = ["A", "D"] }
        bodies.a = { points = ["A", "B"], mass = 1 }
        bodies.b = { points = ["B", "C"], mass = 1 }
        bodies.c = { points = ["C", "D"], mass = 1 }
    "#;
    let four_bar = Model::from_toml(text).unwrap();
    let stops = Settings { stop: vec![Formula::parse("t > 0.1").unwrap()], ..settings(Integrator::Rk4) };
    for (name, model) in [
        ("error control", chain(5).settings(adaptive)),
        ("loop", four_bar.clone().settings(settings(Integrator::Rk4))),
        ("event", chain(5).settings(stops)),
        (
            "points",
            chain(5).settings(Settings { formulation: Formulation::Points, ..settings(Integrator::Rk4) }),
        ),
    ] {
        let base = assemble(&model);
        let runs = Batch::new(&base).rows(KeptRows::All).run(&vec![Variant::new(); 3]);
        for run in &runs {
            assert!(!run.in_lanes && run.is_finished(), "{name}: {:?}", run.error);
            assert_eq!(bits(&run.rows), bits(&alone(&base)), "{name}");
        }
    }
}

/// A shared step keeps every lane within what its tolerance gives alone.
#[test]
fn cross_lockstep_is_as_good_as_error_control() {
    let tolerance = 1e-9;
    let adaptive = Settings { step: None, duration: 1.0, tolerance, ..settings(Integrator::Dop853) };
    let base = assemble(&chain(5).settings(adaptive.clone()));
    let fine = assemble(&chain(5).settings(Settings { tolerance: 1e-13, ..adaptive }));
    let variants: Vec<Variant> =
        (0..8).map(|k| Variant::new().start(vec![0.2 * k as f64; 5], vec![0.0; 5])).collect();
    let names = ["point.P5.x", "point.P5.y"];
    let run = |m: &Mechanism, lockstep: bool| {
        Batch::new(m).columns(names).unwrap().rows(KeptRows::All).lockstep(lockstep).run(&variants)
    };
    let (truth, own, shared) = (run(&fine, false), run(&base, false), run(&base, true));
    let error = |runs: &[BatchRun], k: usize| {
        let rows = runs[k].rows.iter().zip(&truth[k].rows);
        rows.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b).abs())).fold(0.0, f64::max)
    };
    for k in 0..8 {
        assert!(shared[k].in_lanes && !own[k].in_lanes);
        let (own, shared) = (error(&own, k), error(&shared, k));
        println!("lane {k}: error {own:.1e} alone, {shared:.1e} with the others");
        assert!(shared < 3.0 * own.max(1e-9));
    }
}

/// Each bad variant is told by its index, and no neighbour is disturbed.
#[test]
fn exact_faults_of_bad_variants() {
    let base = assemble(&chain(4).settings(settings(Integrator::Rk4)));
    let mut light = chain(4).settings(settings(Integrator::Rk4));
    light.bodies[2].mass = Mass::Shape(Shape::Rod { area: None }, Amount::Mass(-1.0));
    let mut variants = vec![Variant::new(); 12];
    variants[2] = Variant::of_model(light);
    variants[3] = Variant::of_model(chain(5).settings(settings(Integrator::Rk4)));
    variants[5] = Variant::new().velocity("nowhere", [1.0, 0.0, 0.0]);
    variants[9] = Variant::new().start([0.0; 3], [0.0; 4]);
    variants[10] = Variant::new().start([f64::NAN; 4], [0.0; 4]);
    let runs = Batch::new(&base).run(&variants);
    for (k, words) in [
        (2, "bodies.rod3"),
        (3, "the results are other ones"),
        (5, "nowhere"),
        (9, "3 coordinates are given, the mechanism has 4 coordinates"),
        (10, "not finite"),
    ] {
        let error = runs[k].error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(error.contains(&format!("variant {k} was refused")) && error.contains(words), "{k}: {error}");
        assert!(runs[k].rows.is_empty());
    }
    let healthy = bits(&[alone(&base).pop().unwrap()]);
    for k in [0, 1, 4, 6, 7, 8, 11] {
        assert_eq!(bits(&runs[k].rows), healthy, "variant {k}");
    }
    // the first octet lost three lanes, the second ran one by one
    assert!(runs[0].in_lanes && !runs[8].in_lanes);
    let faults = Batch::new(&base).columns(["point.P1.x", "point.P1.q", "zzzzzzzz"]).unwrap_err();
    assert_eq!(faults.list.len(), 2);
    assert!(faults.to_string().contains("no result column `point.P1.q`"), "{faults}");
    assert!(Batch::new(&base).run(&[]).is_empty());
}

/// Start velocities by points: the model with those velocities.
#[test]
fn same_velocities_by_point() {
    let model = chain(3).settings(settings(Integrator::Rk4));
    let base = assemble(&model);
    let variants: Vec<Variant> =
        (0..5).map(|k| Variant::new().velocity("P1", [-0.06 * k as f64, 0.08 * k as f64, 0.0])).collect();
    for (k, run) in Batch::new(&base).rows(KeptRows::All).run(&variants).iter().enumerate() {
        assert!(run.in_lanes, "{:?}", run.error);
        let own = model.clone().velocity("P1", [-0.06 * k as f64, 0.08 * k as f64]);
        assert_eq!(bits(&run.rows), bits(&alone(&assemble(&own))));
    }
}

/// A run twice as long allocates as often: steps allocate nothing.
#[test]
fn keeps_to_its_buffers() {
    let wheeled = Model::from_toml(&wheeled(3.0, 200.0)).unwrap();
    for (name, model) in [("chain", chain(30)), ("tree", tree(0.0)), ("wheeled", wheeled)] {
        for integrator in STEPPED {
            let count = |duration: f64| {
                let settings = Settings { duration, ..settings(integrator) };
                let base = assemble(&model.clone().settings(settings));
                let batch = Batch::new(&base).threads(1);
                let variants = vec![Variant::new(); 16];
                let mut runs = Vec::new();
                let counted = allocation_counter::measure(|| runs = batch.run(&variants));
                assert!(runs.iter().all(|run| run.in_lanes && run.is_finished()));
                counted.count_total
            };
            // both pass the corner of the motor's formula
            let [short, long] = [0.2, 0.4].map(count);
            println!("{name}, {}: {short} allocations, {long} in a run twice as long", integrator.name());
            assert_eq!(short, long, "{name} {}", integrator.name());
        }
    }
}

/// Eight trees side by side against eight alone: accelerations, motions, loads.
#[test]
fn same_kernel_in_lanes() {
    let mechanisms: Vec<Mechanism> = (0..PACK).map(|k| assemble(&tree(0.02 * k as f64))).collect();
    let systems: Vec<Recursive> = mechanisms.iter().map(|m| Recursive::new(m).unwrap()).collect();
    let mut octet = Octet::of_trees(std::array::from_fn(|k| systems[k].tree())).unwrap();
    let mut dynamics: Vec<Dynamics> = systems.iter().map(|s| Dynamics::new(s.tree().clone())).collect();
    let starts: Vec<Vec<f64>> = systems.iter().map(Formulate::start).collect();
    let (nq, nu) = (systems[0].tree().q_count(), systems[0].tree().u_count());
    let pack = |from: usize, n: usize| -> Vec<Pack> {
        (from..from + n).map(|i| Pack(std::array::from_fn(|k| starts[k][i]))).collect()
    };
    let (q, u) = (pack(0, nq), pack(nq, nu));
    let (tau, mut out) = (vec![Pack([0.3; PACK]); nu], vec![Pack::default(); nu]);
    octet.place(&q, &u);
    for k in 0..PACK {
        dynamics[k].place(&starts[k][..nq], &starts[k][nq..nq + nu]);
        for link in 0..systems[k].tree().len() {
            assert_eq!(octet.motion(link, k), dynamics[k].motion(link));
            let (r, force, moment) = ([0.1, 0.2, 0.3], [1.0, k as f64, 2.0], [0.5, 0.1, 0.2]);
            octet.load(link, k, r, force, moment);
            dynamics[k].load(link, r, force, moment);
        }
    }
    octet.solve(&tau, &mut out);
    assert!(octet.is_sound());
    let mut one = vec![0.0; nu];
    for k in 0..PACK {
        dynamics[k].solve(&vec![0.3; nu], &mut one);
        let lane: Vec<f64> = out.iter().map(|x| x.0[k]).collect();
        assert_eq!(lane, one);
    }
    octet.forward(&q, &u, &tau, &mut out);
    for k in 0..PACK {
        dynamics[k].forward(&starts[k][..nq], &starts[k][nq..nq + nu], &vec![0.3; nu], &mut one);
        let lane: Vec<f64> = out.iter().map(|x| x.0[k]).collect();
        assert_eq!(lane, one);
    }
    let other = Recursive::new(&mechanisms[0]).unwrap();
    assert!(other.dimension() > nq + nu);
    let chain = assemble(&chain(3));
    let different = Recursive::new(&chain).unwrap();
    let trees = std::array::from_fn(|k| if k == 3 { different.tree() } else { systems[k].tree() });
    assert!(Octet::of_trees(trees).is_none());
    assert!(!columns(&chain).is_empty());
}

#[test]
fn exact_turns_are_counted_however_far_rows_are_apart() {
    // a rod that gets faster and faster, ten turns between two rows
    let mut model = Model::planar("spinner").point("O", [0.0, 0.0]).point("A", [1.0, 0.0]).ground(["O"]);
    model =
        model.body(Body::rod("rod", ["O", "A"], 3.0)).couple(Couple::new("motor", "rod", [0.0, 0.0, 4.0]));
    model.settings = Settings { duration: 20.0, output_step: 10.0, ..settings(Integrator::Rk4) };
    let mechanism = model.assemble().unwrap();
    let exact = 0.5 * 4.0 * 20.0_f64.powi(2);
    let variants: Vec<Variant> = (0..PACK).map(|_| Variant::new()).collect();
    for rows in [KeptRows::Last, KeptRows::All] {
        let batch = Batch::new(&mechanism).rows(rows).columns(["joint.O.q"]).unwrap();
        let run = &batch.run(&variants)[0];
        assert!(run.in_lanes);
        assert!((run.last().unwrap()[0] - exact).abs() < 1e-6, "{:?} {exact}", run.last());
    }
    let alone = mechanism.simulate().unwrap();
    assert!((alone.column(&mechanism, "joint.O.q").unwrap()[2] - exact).abs() < 1e-6);
}
