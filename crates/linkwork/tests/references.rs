//! Trajectories and reactions against independent solutions.

use linkwork::model::*;

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
    for formulation in Formulation::ALL {
        let mut model =
            double_pendulum([half_pi, half_pi], [0.0, 0.0]).settings(settings(duration, step * every as f64));
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
    check_pendulum(include_str!("data/schwab_double_pendulum_A_0p5s.csv"), 0.5, 0.005, 4, [1e-9, 1e-7]);
}

/// Perturbations grow 4.7e5 times within these 10 s.
#[test]
fn paper_double_pendulum_ten_seconds() {
    check_pendulum(include_str!("data/schwab_double_pendulum_A_10s.csv"), 10.0, 0.02, 10, [1e-5, 1e-5]);
}
