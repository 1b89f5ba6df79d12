//! Loops that set forces on joints and read columns: the fast ways are the same as the slow ones.

use linkwork::model::Model;
use linkwork::{Error, Mechanism, Simulation};

/// A tree with every kind of joint whose coordinates are those of links, some with the carried body first, in space.
const TREE: &str = r#"
format = 1
model = { name = "tree of many joints", dimension = 3, gravity = "-z" }
simulation = { duration = 2.0, output_step = 0.1, integrator = "dop853", tolerance = 1e-11, formulation = "recursive" }
[points]
A = [0, 0, 0]
A2 = [0, 0, 0]
B = [0.4, 0.1, 0]
B2 = [0.4, 0.1, 0]
C = [0.7, 0.3, 0.1]
C2 = [0.7, 0.3, 0.1]
D = [1.0, 0.2, 0.3]
D2 = [1.0, 0.2, 0.3]
E = [1.2, 0.5, 0.2]
E2 = [1.2, 0.5, 0.2]
F = [1.5, 0.4, 0.4]
[bodies]
ground = { points = ["A"] }
one   = { points = ["A2", "B"], mass = 2.0, com = [0.2, 0.1, 0.05], inertia = [0.2, 0.2, 0.3, 0.01, 0, 0.02] }
two   = { points = ["B2", "C"], mass = 1.5, com = [0.5, 0.2, 0.0], inertia = [0.2, 0.15, 0.2, 0, 0.01, 0] }
three = { points = ["C2", "D"], mass = 1.0, com = [0.9, 0.2, 0.2], inertia = [0.1, 0.1, 0.15, 0.01, 0, 0] }
four  = { points = ["D2", "E"], mass = 0.8, com = [1.1, 0.4, 0.2], inertia = [0.1, 0.12, 0.1, 0, 0, 0.01] }
five  = { points = ["E2", "F"], mass = 0.5, com = [1.4, 0.4, 0.3], inertia = [0.05, 0.06, 0.04, 0, 0, 0] }
[joints]
hinge    = { type = "revolute", bodies = ["one", "ground"], at = ["A2", "A"], axis = [0.2, 1, 0] }
sleeve   = { type = "cylindrical", bodies = ["one", "two"], at = ["B", "B2"], axis = [1, 0.3, 0] }
cross    = { type = "universal", bodies = ["two", "three"], at = ["C", "C2"], axis = [0, 1, 0], axis2 = [0, 0, 1] }
slide    = { type = "prismatic", bodies = ["four", "three"], at = ["D2", "D"], axis = [0, 1, 1] }
wrist    = { type = "revolute", bodies = ["four", "five"], at = ["E", "E2"], axis = [0, 0, 1] }
[initial.angular_velocities]
one = [0.2, 1.0, 0]
"#;

const COORDINATES: [(&str, usize); 7] =
    [("hinge", 1), ("sleeve", 1), ("sleeve", 2), ("cross", 1), ("cross", 2), ("slide", 1), ("wrist", 1)];

fn tree() -> Mechanism {
    Model::from_toml(TREE).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap_or_else(|e| panic!("{e}"))
}

fn names() -> Vec<String> {
    let number = |i: usize| if i == 1 { String::new() } else { i.to_string() };
    let of = |x: &'static str| COORDINATES.map(|(joint, i)| format!("joint.{joint}.{x}{}", number(i)));
    of("q").into_iter().chain(of("v")).collect()
}

/// Drives all coordinates by forces that change every hundredth of a second; with `slowly` beside a wrench of zero, which makes all forces act on bodies.
fn drive<'m>(mechanism: &'m Mechanism, slowly: bool) -> Result<(Simulation<'m>, f64), Error> {
    let mut simulation = mechanism.simulation()?;
    if slowly {
        simulation.wrench("five")?;
    }
    let forces =
        COORDINATES.map(|(joint, i)| simulation.joint_force(joint, i).unwrap_or_else(|e| panic!("{e}")));
    let before = simulation.sample()?;
    let gap = before.energy() - before.work;
    for k in 1..=100 {
        for (i, &force) in forces.iter().enumerate() {
            simulation.set(force, 2.0 * (0.3 * f64::from(k) + i as f64).sin())?;
        }
        simulation.advance_to(0.01 * f64::from(k))?;
    }
    Ok((simulation, gap))
}

#[test]
fn same_motion_by_forces_on_rates_and_on_bodies() {
    let mechanism = tree();
    let (mut fast, before) = drive(&mechanism, false).unwrap();
    let (mut slow, _) = drive(&mechanism, true).unwrap();
    let read = |simulation: &mut Simulation<'_>| {
        let mut outputs = simulation.outputs(names()).unwrap();
        let mut y = [0.0; 2 * COORDINATES.len()];
        simulation.read(&mut outputs, &mut y).unwrap();
        y
    };
    let (a, b) = (read(&mut fast), read(&mut slow));
    let moved = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let off = a.iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    println!("{off:.1e} of {moved:.1}");
    assert!(off < 1e-8 && moved > 1.0, "{off:.1e} of {moved:.1}");
    // the work counts, and the reactions are those without the forces
    let (one, other) = (fast.sample().unwrap().clone(), slow.sample().unwrap().clone());
    assert!((one.energy() - one.work - before).abs() < 1e-8);
    for (a, b) in one.reactions.iter().zip(&other.reactions) {
        let apart = (0..3).map(|c| (a.force[c] - b.force[c]).abs().max((a.moment[c] - b.moment[c]).abs()));
        assert!(apart.fold(0.0, f64::max) < 1e-6);
    }
}

/// Outputs are what rows show, turns included, at any time, and reading coordinates of joints evaluates nothing.
#[test]
fn same_outputs_and_rows() {
    let mechanism = tree();
    let columns: Vec<String> = linkwork::results::columns(&mechanism).into_iter().map(|c| c.name).collect();
    let others = ["t", "point.F.x", "energy.total", "joint.hinge.force.z"].map(String::from);
    let all: Vec<String> = names().into_iter().chain(others).collect();
    let place = |name: &String| columns.iter().position(|column| column == name).unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    let torque = simulation.joint_force("wrist", 1).unwrap();
    simulation.set(torque, 0.4).unwrap();
    let (mut quick, mut full) = (simulation.outputs(names()).unwrap(), simulation.outputs(&all[..]).unwrap());
    let (mut y, mut z) = (vec![0.0; names().len()], vec![0.0; all.len()]);
    simulation.read(&mut quick, &mut y).unwrap();
    let saved = simulation.save();
    let mut farthest: f64 = 0.0;
    for k in 1..=20 {
        // some of them far apart, and one from before
        if k == 12 {
            simulation.restore(&saved).unwrap();
        }
        simulation.advance_to(0.1 * f64::from(k)).unwrap();
        simulation.read(&mut quick, &mut y).unwrap();
        if k % 4 > 0 {
            continue;
        }
        let mut row = Vec::new();
        linkwork::results::row(&mechanism, simulation.sample().unwrap(), &mut row);
        for (value, name) in y.iter().zip(names()) {
            let off = (value - row[place(&name)]).abs();
            assert!(off < 1e-11 * (1.0 + value.abs()), "{name}: {value}, {off:.1e}");
        }
        farthest = y[..COORDINATES.len()].iter().fold(farthest, |m, q| m.max(q.abs()));
        simulation.read(&mut full, &mut z).unwrap();
        for (value, name) in z.iter().zip(&all) {
            assert_eq!(value.to_bits(), row[place(name)].to_bits(), "{name}");
        }
    }
    println!("the farthest coordinate is {farthest:.1}");
    assert!(farthest > std::f64::consts::PI, "no joint has made a turn");
    assert!(simulation.outputs(["joint.hinge.x"]).unwrap_err().to_string().contains("joint.hinge.x"));
    assert!(simulation.read(&mut quick, &mut [0.0]).is_err());
}

#[test]
fn reading_joints_evaluates_nothing() {
    let mechanism = tree();
    let cost = |reads: bool| {
        let mut simulation = mechanism.simulation().unwrap();
        let mut outputs = simulation.outputs(names()).unwrap();
        let mut y = vec![0.0; names().len()];
        simulation.read(&mut outputs, &mut y).unwrap();
        for k in 1..=20 {
            simulation.advance_to(0.05 * f64::from(k)).unwrap();
            if reads {
                simulation.read(&mut outputs, &mut y).unwrap();
            }
        }
        simulation.finish().counters.factorisations
    };
    assert_eq!(cost(true), cost(false));
}
