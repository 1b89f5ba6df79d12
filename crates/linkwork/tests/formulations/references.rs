//! Trajectories and reactions against independent solutions.

use crate::suite;

use linkwork::model::*;
use suite::applicable;

type Table = (Vec<String>, Vec<Vec<f64>>);

fn table(text: &str) -> Table {
    let mut lines = text.lines();
    let names = lines.next().unwrap().split(',').map(String::from).collect();
    let rows = lines.map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    (names, rows)
}

fn column((names, rows): &Table, name: &str) -> Vec<f64> {
    let i = names.iter().position(|n| n == name).unwrap();
    rows.iter().map(|r| r[i]).collect()
}

/// Largest |ours − theirs| over the rows they share.
fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    ours.iter().zip(theirs).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

fn double_pendulum(phi: [f64; 2], w: [f64; 2]) -> Model {
    let (l, m, i) = (0.6, 1.0, 0.03);
    let b = [l * phi[0].cos(), l * phi[0].sin()];
    let c = [b[0] + l * phi[1].cos(), b[1] + l * phi[1].sin()];
    let mid = |p: [f64; 2], q: [f64; 2]| [(p[0] + q[0]) / 2.0, (p[1] + q[1]) / 2.0];
    Model::planar("double pendulum")
        .gravity([9.81, 0.0])
        .point("A", [0.0, 0.0])
        .point("B", b)
        .point("C", c)
        .ground(["A"])
        .body(Body::with_inertia("bar1", ["A", "B"], m, mid([0.0, 0.0], b), Inertia::Polar(i)))
        .body(Body::with_inertia("bar2", ["B", "C"], m, mid(b, c), Inertia::Polar(i)))
        .angular_velocity("bar1", [0.0, 0.0, w[0]])
        .angular_velocity("bar2", [0.0, 0.0, w[1]])
}

fn settings(duration: f64, output_step: f64) -> Settings {
    Settings { duration, output_step, tolerance: 1e-12, ..Default::default() }
}

fn check_pendulum(reference: &str, duration: f64, step: f64, every: usize, bounds: [f64; 2]) {
    let reference = table(reference);
    let half_pi = std::f64::consts::FRAC_PI_2;
    let model =
        double_pendulum([half_pi, half_pi], [0.0, 0.0]).settings(settings(duration, step * every as f64));
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        assert_eq!(mechanism.degrees_of_freedom(), 2);
        let run = mechanism.simulate().unwrap();
        let ours = |name: &str| run.column(&mechanism, name).unwrap();
        let angle =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| y.atan2(*x)).collect() };
        let (bx, by, cx, cy) = (ours("point.B.x"), ours("point.B.y"), ours("point.C.x"), ours("point.C.y"));
        let wrap = |a: Vec<f64>| -> Vec<f64> { a.iter().map(|a| a.sin().atan2(a.cos())).collect() };
        let rel = |c: &[f64], b: &[f64]| -> Vec<f64> { c.iter().zip(b).map(|(c, b)| c - b).collect() };
        let phi1 = difference(&angle(&bx, &by), &wrap(column(&reference, "phi1")));
        let phi2 = difference(&angle(&rel(&cx, &bx), &rel(&cy, &by)), &wrap(column(&reference, "phi2")));
        let mut force: f64 = 0.0;
        for (name, theirs) in
            [("A.force.x", "HA"), ("A.force.y", "VA"), ("B.force.x", "HB"), ("B.force.y", "VB")]
        {
            let theirs = column(&reference, theirs);
            let size = theirs.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            force = force.max(difference(&ours(&format!("joint.{name}")), &theirs) / size);
        }
        println!(
            "double pendulum {duration} s, {}: angles {:.1e} rad, forces {force:.1e} relative, energy {:.1e} J, {} steps, residual {:.1e} m",
            formulation.name(),
            phi1.max(phi2),
            run.summary.energy_drift,
            run.summary.steps.accepted_steps,
            run.summary.constraint_residual
        );
        assert!(phi1.max(phi2) < bounds[0], "{formulation:?}");
        assert!(force < bounds[1], "{formulation:?}");
        assert!(run.summary.constraint_residual < 1e-12 * run.summary.size);
    }
}

#[test]
fn paper_double_pendulum_half_a_second() {
    check_pendulum(include_str!("../data/schwab_double_pendulum_A_0p5s.csv"), 0.5, 0.005, 4, [1e-9, 1e-7]);
}

/// Perturbations grow 4.7e5 times within these 10 s.
#[test]
fn paper_double_pendulum_ten_seconds() {
    check_pendulum(include_str!("../data/schwab_double_pendulum_A_10s.csv"), 10.0, 0.02, 10, [1e-5, 1e-5]);
}

/// The pendulum's reactions in three states, bent and moving.
#[test]
fn paper_double_pendulum_reactions() {
    let (_, rows) = table(include_str!("../data/schwab_reactions.csv"));
    for row in rows {
        let model = double_pendulum([row[0], row[1]], [row[2], row[3]]).settings(settings(1e-9, 1e-9));
        for formulation in applicable(&model) {
            let mut model = model.clone();
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            let run = mechanism.simulate().unwrap();
            let (a, b) = (run.frames[0].reactions[0].force, run.frames[0].reactions[1].force);
            let ours = [a[0], a[1], b[0], b[1]];
            let off = difference(&ours, &row[4..]);
            println!("{}: reactions {ours:?}, off by {off:.1e} N", formulation.name());
            assert!(off < 1e-12, "one linear solve");
        }
    }
}

/// [schwab2002] section 1.5: explicit Euler on centre-of-mass coordinates lets the joints come apart.
#[test]
fn paper_euler_drift() {
    let reference = table(include_str!("../data/schwab_euler_drift.csv"));
    let half_pi = std::f64::consts::FRAC_PI_2;
    for (i, h) in column(&reference, "h").into_iter().enumerate() {
        let mut model = double_pendulum([half_pi, half_pi], [0.0, 0.0]).settings(settings(0.5, h));
        model.settings.formulation = Formulation::NewtonEuler;
        model.settings.integrator = Integrator::Euler;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.steps.accepted_steps as f64, column(&reference, "steps")[i]);
        let last = run.frames.last().unwrap();
        let gaps = [last.gaps[0], last.gaps[1]];
        let theirs = [column(&reference, "gap_A")[i], column(&reference, "gap_B")[i]];
        // bar 1 carries B in the table of points; C is the far end of bar 2
        let (x2, y2, p2) =
            (column(&reference, "x2")[i], column(&reference, "y2")[i], column(&reference, "phi2")[i]);
        let tip = [x2 + 0.3 * p2.cos(), y2 + 0.3 * p2.sin()];
        let off = difference(&gaps, &theirs).max(difference(&last.positions[2][..2], &tip));
        println!("euler h = {h}: gaps {:.6} {:.6} m, off by {off:.1e}", gaps[0], gaps[1]);
        assert!(off < 1e-12, "the same arithmetic up to rounding");
    }
}

#[test]
fn paper_spring() {
    let reference = table(include_str!("../data/schwab_spring_nogravity.csv"));
    let model = Model::planar("bar on a spring")
        .point("A", [0.0, 0.0])
        .point("B", [0.8, 0.0])
        .point("C", [0.0, 0.6])
        .ground(["A", "C"])
        .body(Body::with_inertia("bar", ["A", "B"], 2.0, [0.6, 0.0], Inertia::Polar(0.24)))
        .spring(Spring::new("spring", ["C", "B"], 100.0).free_length(1.2))
        .settings(settings(2.0, 0.04));
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        let ours = |name: &str| run.column(&mechanism, name).unwrap();
        let phi = difference(&ours("joint.A.q"), &column(&reference, "phi"));
        let rate = difference(&ours("joint.A.v"), &column(&reference, "dphi"));
        let energy = difference(&ours("energy.total"), &column(&reference, "E"));
        println!(
            "spring, {}: phi {phi:.1e} rad, rate {rate:.1e} rad/s, energy {energy:.1e} J",
            formulation.name()
        );
        assert!(phi < 1e-8 && rate < 1e-8 && energy < 1e-8);
        let force = run.frames[0].reactions[0].force;
        assert!(
            (force[0] + 16.0).abs() < 1e-12 && force[1].abs() < 1e-12,
            "hinge force at the start: {force:?}"
        );
    }
}

/// Point masses on massless rods: bodies without inertia of their own. `kane` is the paper's own method.
#[test]
fn paper_lu_double_pendulum() {
    let reference = table(include_str!("../data/lu_double_pendulum.csv"));
    let (s, c) = 18.0_f64.to_radians().sin_cos();
    let model = Model::planar("double pendulum of point masses")
        .gravity([0.0, -9.81])
        .point("O", [0.0, 0.0])
        .point("P1", [-s, -c])
        .point("P2", [-2.0 * s, -2.0 * c])
        .ground(["O"])
        .body(Body::with_inertia("rod1", ["O", "P1"], 1.0, "P1", Inertia::Polar(0.0)))
        .body(Body::with_inertia("rod2", ["P1", "P2"], 1.0, "P2", Inertia::Polar(0.0)))
        .settings(settings(10.0, 0.2));
    let formulations = applicable(&model);
    assert!(formulations.contains(&Formulation::Kane));
    for formulation in formulations {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        let run = mechanism.simulate().unwrap();
        let ours = |name: &str| run.column(&mechanism, name).unwrap();
        let mut off: f64 = 0.0;
        for (mine, theirs) in [("P1.x", "x1"), ("P1.y", "y1"), ("P2.x", "x2"), ("P2.y", "y2")] {
            off = off.max(difference(&ours(&format!("point.{mine}")), &column(&reference, theirs)));
        }
        // rod 2 carries no moment, so what its pin gives it is its tension; rod 1 likewise
        let mut force: f64 = 0.0;
        for (joint, theirs) in [(0, "T1"), (1, "T2")] {
            let size =
                |f: &linkwork::results::Frame| f.reactions[joint].force[0].hypot(f.reactions[joint].force[1]);
            let tension: Vec<f64> = run.frames.iter().map(size).collect();
            let theirs: Vec<f64> = column(&reference, theirs).iter().map(|t| t.abs()).collect();
            force = force.max(difference(&tension, &theirs));
        }
        let energy = difference(&ours("energy.total"), &column(&reference, "E"));
        println!(
            "lu double pendulum, {}: points {off:.1e} m, tension {force:.1e} N, energy {energy:.1e} J, {} steps",
            formulation.name(),
            run.summary.steps.accepted_steps
        );
        assert!(off < 1e-8 && force < 1e-6 && energy < 1e-8, "{formulation:?}");
    }
}

fn manipulator() -> Model {
    let base = [[0.0, 0.0], [5.0, 0.0], [2.5, 4.33]];
    let center = [1.5, -0.6];
    let h = 3.0_f64.sqrt();
    let joint = [[-1.0, -h / 3.0], [1.0, -h / 3.0], [0.0, 2.0 * h / 3.0]]
        .map(|p: [f64; 2]| [center[0] + p[0], center[1] + p[1]]);
    let elbow = |i: usize, branch: f64| {
        let d = [joint[i][0] - base[i][0], joint[i][1] - base[i][1]];
        let l = d[0].hypot(d[1]);
        let height = branch * (4.0 - l * l / 4.0).sqrt();
        [
            (joint[i][0] + base[i][0]) / 2.0 - height * d[1] / l,
            (joint[i][1] + base[i][1]) / 2.0 + height * d[0] / l,
        ]
    };
    Model::planar("3-RRR manipulator")
        .gravity([0.0, -9.81])
        .point("1", base[0])
        .point("2", elbow(0, -1.0))
        .point("3", joint[0])
        .point("4", joint[1])
        .point("5", joint[2])
        .point("6", elbow(1, 1.0))
        .point("7", base[1])
        .point("8", elbow(2, -1.0))
        .point("9", base[2])
        .point("center", center)
        .ground(["1", "7", "9"])
        .body(Body::rod("link1", ["1", "2"], 1.0))
        .body(Body::rod("link2", ["2", "3"], 1.0))
        .body(Body::with_inertia("platform", ["3", "4", "5", "center"], 3.0, "center", Inertia::Polar(1.0)))
        .body(Body::rod("link4", ["4", "6"], 1.0))
        .body(Body::rod("link5", ["6", "7"], 1.0))
        .body(Body::rod("link6", ["5", "8"], 1.0))
        .body(Body::rod("link7", ["8", "9"], 1.0))
        .force(Force::new("push", "platform", "center", [10.0, 0.0]))
        .settings(settings(5.0, 0.1))
}

#[test]
fn paper_3rrr_manipulator() {
    let reference = table(include_str!("../data/attia_3rrr_osc.csv"));
    for formulation in applicable(&manipulator()) {
        let mut model = manipulator();
        model.settings.formulation = formulation;
        let mechanism = model.assemble().unwrap();
        assert_eq!((mechanism.degrees_of_freedom(), mechanism.redundancy().count), (3, 0));
        let run = mechanism.simulate().unwrap();
        let ours = |name: &str| run.column(&mechanism, name).unwrap();
        let mut off: f64 = 0.0;
        for (mine, theirs) in [("x", "xc"), ("y", "yc"), ("vx", "vxc"), ("vy", "vyc")] {
            off = off.max(difference(&ours(&format!("point.center.{mine}")), &column(&reference, theirs)));
        }
        let mut force: f64 = 0.0;
        for (joint, theirs, sign) in [("1", "R1", 1.0), ("7", "R7", 1.0), ("9", "R9", 1.0)] {
            for axis in ["x", "y"] {
                let theirs = column(&reference, &format!("{theirs}{axis}"));
                let size = theirs.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                let mine: Vec<f64> =
                    ours(&format!("joint.{joint}.force.{axis}")).iter().map(|f| sign * f).collect();
                force = force.max(difference(&mine, &theirs) / size);
            }
        }
        let energy = difference(&ours("energy.total"), &column(&reference, "E"));
        println!(
            "3-RRR, {}: centre {off:.1e} m, reactions {force:.1e} relative, energy {energy:.1e} J, {} steps",
            formulation.name(),
            run.summary.steps.accepted_steps
        );
        assert!(off < 1e-8 && force < 1e-7 && energy < 1e-8, "{formulation:?}");
    }
}
