//! `joints`, `tmt` and `lagrange` against `points` and each other: chains, floating bodies, loops.

use crate::suite::of_kind;
use linkwork::formulations::{Formulate, Joints, Lagrange, Tmt};
use linkwork::joints::Revolute;
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};

const TREE: [Formulation; 4] =
    [Formulation::Recursive, Formulation::Joints, Formulation::Tmt, Formulation::Lagrange];

fn settings() -> Settings {
    Settings { duration: 1.0, output_step: 0.1, tolerance: 1e-12, ..Default::default() }
}

/// A second, or the model's own duration if that is shorter: a second is thirty turns of the squeezer, whose errors grow with each.
fn settings_of(mechanism: &Mechanism) -> Settings {
    let duration = mechanism.model().settings.duration.min(1.0);
    Settings { duration, output_step: 0.1 * duration, ..settings() }
}

fn run(mechanism: &Mechanism, settings: Settings) -> Trajectory {
    let (formulation, mut settings) = (settings.formulation, settings);
    if mechanism.bodies().len() > 12 {
        settings.duration = 0.1; // `lagrange` costs n³
    }
    let mechanism = mechanism.clone().with_settings(settings);
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{} {:?}", formulation.name(), run.summary);
    run
}

/// The samples at multiples of the output step: one run may see a bounce of a rattling contact more than another. Where a run goes over to time steps over contacts they end:
/// these are of order 1, and solved to parts of a million.
fn on_the_grid(run: &Trajectory, step: f64) -> impl Iterator<Item = &linkwork::results::Frame> {
    let steps = run.summary.remarks.iter().find(|remark| remark.code == "contact-steps");
    let end = steps.map_or(f64::INFINITY, |remark| remark.t.unwrap_or(0.0));
    let frames = run.frames.iter().take_while(move |frame| frame.t < end);
    frames.filter(move |frame| (frame.t / step - (frame.t / step).round()).abs() < 1e-12)
}

fn largest(a: impl Iterator<Item = f64>) -> f64 {
    a.fold(0.0, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

/// The accelerations of the joint variables at the start, from the same state.
fn start_accelerations(mechanism: &Mechanism) -> [Vec<f64>; 3] {
    fn of<F: Formulate>(mut system: F) -> Vec<f64> {
        let y = system.start();
        let mut dy = vec![0.0; y.len()];
        system.derivative(0.0, &y, &mut dy).unwrap();
        dy
    }
    let built = "the mechanism is small";
    [
        of(Joints::new(mechanism).expect(built)),
        of(Tmt::new(mechanism).expect(built)),
        of(Lagrange::new(mechanism).expect(built)),
    ]
}

/// One linear solve at the start to 1e-10, trajectories over a second to 1e-9 (relative).
fn compare(name: &str, mechanism: &Mechanism) {
    let accelerations = start_accelerations(mechanism);
    let size = largest(accelerations[0].iter().copied()).max(1e-3);
    let spread = largest(
        accelerations[1..].iter().flat_map(|a| a.iter().zip(&accelerations[0]).map(|(a, b)| (a - b) / size)),
    );
    assert!(spread < 1e-10, "{name}: accelerations differ by {spread:.1e}");
    let settings = settings_of(mechanism);
    let points = run(mechanism, Settings { formulation: Formulation::Points, ..settings.clone() });
    let step = settings.output_step;
    assert!(on_the_grid(&points, step).count() > 1, "{name}");
    let unique = |j: usize, c: usize| !mechanism.redundancy().not_unique[j][c];
    for formulation in TREE {
        if name == "linkage" && formulation == Formulation::Recursive {
            continue; // its loops lie flat on the way: `recursive` stops there, and says so
        }
        let other = run(mechanism, Settings { formulation, ..settings.clone() });
        let (mut reaction, mut motion, mut later): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for (k, (a, b)) in on_the_grid(&points, step).zip(on_the_grid(&other, step)).enumerate() {
            for (p, q) in a.positions.iter().zip(&b.positions) {
                motion = motion.max(largest((0..3).map(|i| p[i] - q[i])) / points.summary.size);
            }
            let force = largest(a.reactions.iter().flat_map(|r| r.force)).max(1e-3);
            let mut off: f64 = 0.0;
            for (j, (r, s)) in a.reactions.iter().zip(&b.reactions).enumerate() {
                for c in 0..3 {
                    if unique(j, c) {
                        off = off.max(largest([(r.force[c] - s.force[c]) / force].into_iter()));
                    }
                    if unique(j, 3 + c) {
                        let arm = force * points.summary.size;
                        off = off.max(largest([(r.moment[c] - s.moment[c]) / arm].into_iter()));
                    }
                }
            }
            if k == 0 {
                reaction = off
            } else {
                later = later.max(off)
            }
            assert!((a.potential - b.potential).abs() < 1e-8 * (1.0 + a.potential.abs()), "{name}");
            assert!((a.kinetic - b.kinetic).abs() < 1e-7 * (1.0 + a.kinetic), "{name}");
        }
        println!(
            "{name}, {}: start accelerations {spread:.1e}, start reactions {reaction:.1e}, motion {motion:.1e}, reactions {later:.1e}, {} steps, {:.0} ms",
            formulation.name(),
            other.summary.steps.accepted_steps,
            1e3 * other.summary.wall.as_secs_f64()
        );
        assert!(reaction < 1e-10, "{name}, {formulation:?}: start reactions {reaction:.1e}");
        // the rocket flies hundreds of its lengths
        let allowed = if name == "sounding-rocket" { 1e-7 } else { 1e-9 };
        assert!(motion < allowed, "{name}, {formulation:?}: motion {motion:.1e}");
        assert!(later < 1e-8, "{name}, {formulation:?}: reactions {later:.1e}");
    }
}

/// A chain in space with every kind of joint, loads of every kind, from a ground pin or floating. `turned`: the joints name
/// the bodies the other way round, so that axes are fixed in the bodies that are carried.
fn every_joint(grounded: bool, turned: bool) -> Model {
    let kinds = [
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::PointOnLine,
        JointKind::Spherical,
        JointKind::Fixed,
    ];
    let axes = [[0.3, 1.0, 0.4], [1.0, 0.2, -0.3], [0.1, 0.4, 1.0], [0.8, -0.5, 0.3]];
    let at = |i: usize| {
        let i = i as f64;
        [0.4 * i, 0.15 * (1.7 * i).sin(), 0.2 * (1.1 * i).cos()]
    };
    let mut model = Model::spatial("every joint").gravity([0.3, -0.2, -9.81]).point("P0", at(0));
    if grounded {
        model = model.ground(["P0"]);
    } else {
        model = model.point("fixed", [0.2, 1.0, 0.5]).ground(["fixed"]);
    }
    for i in 0..=kinds.len() {
        let (a, b) = (at(i), at(i + 1));
        let com = [0.5 * (a[0] + b[0]) + 0.03, 0.5 * (a[1] + b[1]) - 0.05, 0.5 * (a[2] + b[2]) + 0.04];
        let inertia = Inertia::Matrix([0.03, 0.04, 0.05, 0.002, -0.001, 0.003]);
        model = model.point(format!("P{}", i + 1), b).body(Body::with_inertia(
            format!("b{i}"),
            [format!("P{i}"), format!("P{}", i + 1)],
            1.0 - 0.1 * i as f64,
            com,
            inertia,
        ));
        if i > 0 {
            let pair = [format!("b{}", i - 1), format!("b{i}")];
            let [first, second] = if turned { [&pair[1], &pair[0]] } else { [&pair[0], &pair[1]] };
            let data = of_kind(kinds[i - 1], *axes.get(i - 1).unwrap_or(&axes[0]), axes[1]);
            model = model.joint(Joint::new(format!("J{i}"), data, [first, second], &format!("P{i}")));
        }
    }
    model
        .force(Force::new("push", "b3", "P4", [1.0, -2.0, 0.5]))
        .couple(Couple::new("twist", "b2", [0.05, -0.1, 0.2]))
        .couple(Couple::new("tip", "b5", [-0.02, 0.03, 0.01]))
        .spring(Spring::new("s", ["P0", "P5"], 8.0).free_length(1.2).damping(0.4))
        .spring(Spring::new("r", ["P2", "P7"], 5.0).free_length(1.5).damping(0.1))
        .angular_velocity("b0", [0.4, -0.6, 0.3])
        .angular_velocity("b5", [-0.3, 0.8, 1.1])
}

#[test]
fn cross_chain_with_every_joint() {
    for grounded in [true, false] {
        for turned in [false, true] {
            let name = format!(
                "every joint, {}{}",
                if grounded { "on a pin" } else { "floating" },
                if turned { ", turned" } else { "" }
            );
            compare(&name, &every_joint(grounded, turned).assemble().unwrap_or_else(|e| panic!("{e}")));
        }
    }
}

/// Rods on ball joints: each can spin about itself without inertia.
#[test]
fn cross_rods_in_space() {
    let mut model = Model::spatial("rods").gravity([0.0, 0.0, -9.81]).point("P0", [0.0; 3]).ground(["P0"]);
    let points = [[0.5, 0.1, 0.0], [0.9, 0.4, -0.2], [1.2, 0.3, -0.6]];
    for (i, p) in points.iter().enumerate() {
        model = model.point(format!("P{}", i + 1), *p).body(Body::rod(
            format!("rod{i}"),
            [&format!("P{i}"), &format!("P{}", i + 1)],
            1.0 + 0.3 * i as f64,
        ));
    }
    compare("rods in space", &model.velocity("P3", [0.5, 1.0, -0.3]).assemble().unwrap());
}

/// Every example that the library ships: planar and spatial, trees and loops, with and without too many constraints.
#[test]
fn cross_every_example() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "toml")) {
        let model = Model::from_file(file).unwrap();
        if !model.chains.is_empty() {
            continue; // long, and their joints may come and go: `conformance` and `ropes` run them
        }
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        // the large ones take `lagrange` minutes: `conformance` runs them for a shorter time
        if mechanism.bodies().len() <= 10 {
            compare(&file.file_stem().unwrap().to_string_lossy(), &mechanism);
        }
    }
}

/// A long chain is solved all the same, after a word about the cost.
#[test]
fn exact_many_variables_are_told() {
    let mut model = Model::planar("rope").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 0..61 {
        model = model.point(format!("P{}", i + 1), [0.1 * f64::from(i + 1), 0.0]).body(Body::rod(
            format!("r{i}"),
            [&format!("P{i}"), &format!("P{}", i + 1)],
            0.1,
        ));
    }
    let mechanism = model.assemble().unwrap();
    let faults = Formulation::Lagrange.unsupported(&mechanism);
    assert_eq!((faults.len(), faults[0].severity), (1, Severity::Warning));
    assert!(faults[0].message.contains("61 joint variables"), "{}", faults[0].message);
    assert!(Formulation::Tmt.unsupported(&mechanism).is_empty());
}

/// A rod in a bearing along itself has no inertia about its only axis: the spin is idle, the rod stays, and the
/// bearing carries its weight and m g L/2.
#[test]
fn exact_idle_spin_moves_nothing() {
    let mechanism = Model::spatial("rod in a bearing")
        .gravity([0.0, 0.0, -9.81])
        .point("O", [0.0; 3])
        .point("P", [1.0, 0.0, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "P"], 1.0))
        .joint(Joint::new("bearing", Revolute { axis: Some(Axis::X) }, ["ground", "rod"], "O"))
        .assemble()
        .unwrap();
    let others = [Formulation::Points, Formulation::Momentum, Formulation::NewtonEuler];
    for formulation in TREE.into_iter().chain(others) {
        let mechanism = mechanism.clone().with_settings(Settings { formulation, ..settings() });
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished, "{formulation:?}");
        let last = run.frames.last().unwrap();
        // rounding, where a formulation holds the rod by equations
        let moved =
            linkwork::linalg::vec3::norm(linkwork::linalg::vec3::sub(last.positions[1], [1.0, 0.0, 0.0]));
        assert!(moved < 1e-14, "{formulation:?}: {moved:.1e}");
        let reaction = last.reactions[0];
        let off = (reaction.force[2] - 9.81).abs() + (reaction.moment[1] + 9.81 / 2.0).abs();
        assert!(off < 1e-12, "{formulation:?}: {reaction:?}");
    }
}
