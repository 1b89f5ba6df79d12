//! Beams against closed forms and published results.

mod motions;
mod statics;

use crate::suite;

use linkwork::analysis::EquilibriumOptions;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Beam, BeamOrder, Body, Force, Formulation, Integrator, Model, Settings};
use linkwork::results::{CsvLong, LongTable, LongValues};
use linkwork::simulation::{Outcome, Status};

fn assemble(model: &Model) -> Mechanism {
    model.assemble().unwrap_or_else(|e| panic!("{e}"))
}

/// Where a point is at the equilibrium.
fn rest(model: &Model, point: &str) -> [f64; 3] {
    let mechanism = assemble(model);
    let rest = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let k = mechanism.points().iter().position(|p| p.name == point).expect("a point");
    println!("  {} iterations, {:?}", rest.iterations, rest.method);
    // slender or not, bent into a circle or not: Newton's method with stresses foretold is soon there
    assert!(rest.iterations <= 20, "{} iterations", rest.iterations);
    rest.frame.positions[k]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// EA, GA and EI of a beam 10 m long, thin as a steel ruler.
fn cantilever(elements: usize, order: BeamOrder) -> Model {
    Model::planar("cantilever").point("A", [0.0, 0.0]).point("B", [10.0, 0.0]).ground(["A"]).beam(
        Beam::new("beam", "A", "B")
            .stiffness(1e4, [100.0; 2], 1.0)
            .shear([4e3; 2])
            .elements(elements, order)
            .clamp("ground", "none"),
    )
}

/// A force across the tip, small: F L³/3EI + F L/GA.
#[test]
fn exact_deflection_of_a_cantilever() {
    let force = 1e-5;
    let model = cantilever(4, BeamOrder::Quadratic).force(Force::new("f", "beam/B", "B", [0.0, -force, 0.0]));
    let tip = rest(&model, "B");
    let exact = force * 1000.0 / 300.0 + force * 10.0 / 4e3;
    assert!((tip[1] / -exact - 1.0).abs() < 1e-7, "{} {exact}", tip[1]);
}

/// A pendulum that bends while it falls: the same in two formulations and by two integrators, nearly the same with the other elements of `newton-euler`, and all keep their energy.
#[test]
fn cross_and_keeps_a_flexible_pendulum() {
    let model = Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .ground(["A"])
        .beam(
            Beam::new("rod", "A", "B")
                .stiffness(1e4, [1.0; 2], 1.0)
                .shear([4e3; 2])
                .elements(2, BeamOrder::Quadratic),
        );
    let mut tips = Vec::new();
    for (formulation, integrator, step) in [
        (Formulation::Points, Integrator::Radau5, None),
        (Formulation::NewtonEuler, Integrator::Radau5, None),
        (Formulation::Recursive, Integrator::Radau5, None),
        (Formulation::Points, Integrator::Index3, Some(2e-4)),
    ] {
        let settings = Settings { formulation, integrator, step, ..suite::settings(0.1, 0.02, 1e-8) };
        let mechanism = assemble(&model.clone().settings(settings));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
        let k = mechanism.points().iter().position(|p| p.name == "B").expect("a point");
        let tip = run.frames.last().expect("a row").positions[k];
        println!("{formulation:?} {integrator:?}: {tip:?}, drift {:.1e} J", run.summary.energy_drift);
        assert!(run.summary.energy_drift < 2e-6, "{formulation:?}: {}", run.summary.energy_drift);
        tips.push(tip);
    }
    // two pairs an element are a coarse mesh
    assert!(distance(tips[0], tips[1]) < 5e-3, "{tips:?}");
    assert!(distance(tips[0], tips[2]) < 1e-6, "{tips:?}");
    // of order 2
    assert!(distance(tips[0], tips[3]) < 1e-4, "{tips:?}");
}

/// What runs where nothing is said, and what is refused, with its reason.
#[test]
fn auto_takes_an_implicit_method_and_dense_formulations_refuse() {
    let mechanism = assemble(&cantilever(2, BeamOrder::Quadratic));
    assert_eq!(mechanism.formulation().0, Formulation::Points);
    for formulation in [
        Formulation::Joints,
        Formulation::Tmt,
        Formulation::Momentum,
        Formulation::Lagrange,
        Formulation::Kane,
    ] {
        let faults = formulation.unsupported(&mechanism);
        assert!(faults.iter().any(|f| f.message.contains("`beam`") && f.help.is_some()), "{formulation:?}");
    }
    for (step, integrator) in [(None, Integrator::Esdirk4), (Some(1e-3), Integrator::Index3)] {
        let settings = Settings { step, ..suite::settings(0.002, 0.001, 1e-6) };
        let model = cantilever(2, BeamOrder::Quadratic).gravity([0.0, -9.81]).settings(settings);
        let summary = assemble(&model).simulate().unwrap_or_else(|e| panic!("{e}")).summary;
        assert_eq!((summary.integrator, summary.status), (integrator, Status::Finished));
    }
}

/// A section is a body: a hinge in the middle of a beam, and a joint that opens.
#[test]
fn bodies_share_points_of_a_beam() {
    let model = Model::planar("beam on three supports")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("C", [1.0, 0.0])
        .point("B", [2.0, 0.0])
        .point("D", [1.0, -1.0])
        .ground(["A", "B"])
        .body(Body::rod("weight", ["C", "D"], 3.0))
        .beam(
            Beam::new("beam", "A", "B")
                .through(["C"])
                .stiffness(1e5, [50.0; 2], 1.0)
                .elements(4, BeamOrder::Quadratic),
        );
    let mechanism = assemble(&model);
    let rest = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap();
    let reaction = |name: &str| {
        let k = mechanism.joints().iter().position(|j| j.name == name).expect("a joint");
        rest.frame.reactions[k].force
    };
    // the beam weighs 2 kg, half of all on each end
    for end in ["A", "B"] {
        assert!((reaction(end)[1].abs() - 2.5 * 9.81).abs() < 1e-6, "{:?}", reaction(end));
    }
    assert!((reaction("C")[1].abs() - 3.0 * 9.81).abs() < 1e-6, "{:?}", reaction("C"));
}

/// The table of sections: under a force F across the tip the moment is F (L − s) and the shear force F at every section.
#[test]
fn exact_moments_of_a_cantilever_in_the_table_of_sections() {
    let force = 1e-5;
    for (order, tolerance) in [(BeamOrder::Linear, 1e-6), (BeamOrder::Quadratic, 1e-6)] {
        let model = cantilever(4, order).force(Force::new("f", "beam/B", "B", [0.0, -force, 0.0]));
        let mechanism = assemble(&model);
        let rest = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut table = CsvLong::new(LongTable::Beams, &mechanism, Vec::new()).expect("a table");
        table.write(&rest.frame).expect("a row");
        table.flush().expect("a row");
        let text = String::from_utf8(table.writer().clone()).expect("text");
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        assert_eq!(
            header,
            "t,beam,section,s,x,y,vx,vy,axial_force,shear_force,moment,stretch,shear,curvature"
        );
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
        let read = LongValues::from_csv(text.as_bytes()).expect("a table");
        assert_eq!(read.columns, header.split(',').skip(3).collect::<Vec<_>>());
        let [owner] = &read.owners[..] else { panic!("{read:?}") };
        assert_eq!(
            (owner.name.as_str(), &owner.times[..], owner.counts[0]),
            ("beam", &[0.0][..], rows.len())
        );
        assert_eq!(rows[1][10].parse(), Ok(owner.numbers[read.columns.len() + 7]));
        assert_eq!(rows.len(), if order == BeamOrder::Linear { 5 } else { 9 });
        for (k, row) in rows.iter().enumerate() {
            let number = |column: usize| row[column].parse::<f64>().expect("a number");
            assert_eq!((row[1], row[2]), ("beam", k.to_string().as_str()));
            let s = 10.0 * k as f64 / (rows.len() - 1) as f64;
            assert!((number(3) - s).abs() < 1e-12 && (number(4) - s).abs() < 1e-6, "{row:?}");
            // stresses of a linear element are those of its middle, and the mean of two at a section between them
            let moment = match order {
                BeamOrder::Linear => force * (10.0 - s.clamp(1.25, 8.75)),
                BeamOrder::Quadratic => force * (10.0 - s),
            };
            assert!((number(10) + moment).abs() < tolerance * 10.0 * force, "{row:?}, {moment}");
            assert!((number(9) + force).abs() < tolerance * force, "{row:?}");
            assert!((number(13) - number(10) / 100.0).abs() < 1e-12 * force, "{row:?}");
        }
    }
}

/// `newton-euler` bends beams by elements of its own, so what it differs by from the others is the error of both kinds: `compare` knows how large that is, from runs with elements of half the
/// length. It falls with the square of their length.
#[test]
fn cross_two_kinds_of_elements_agree_in_comparisons() {
    let apart = [2, 4].map(|elements| {
        let model = Model::planar("pendulum")
            .gravity([0.0, -9.81])
            .point("A", [0.0, 0.0])
            .point("B", [1.0, 0.0])
            .ground(["A"])
            .beam(
                Beam::new("rod", "A", "B")
                    .stiffness(1e3, [2.0; 2], 1.0)
                    .shear([4e2; 2])
                    .elements(elements, BeamOrder::Quadratic)
                    .clamp("ground", "none")
                    .damping(1e-3),
            )
            .settings(suite::settings(0.2, 0.02, 1e-7));
        let comparison = assemble(&model).compare().unwrap_or_else(|e| panic!("{e}"));
        let found: Vec<_> = comparison
            .entries
            .iter()
            .filter_map(|(formulation, outcome)| match outcome {
                Outcome::Ran { difference, own_error, agrees, .. } => {
                    println!(
                        "{elements} {formulation:?}: {:.1e}, own error {:.1e}",
                        difference.positions, own_error.positions
                    );
                    assert!(agrees, "{formulation:?}");
                    Some((*formulation, difference.positions))
                }
                Outcome::Refused(_) => None,
            })
            .collect();
        let names: Vec<_> = found.iter().map(|f| f.0).collect();
        assert!(comparison.agrees());
        assert!(
            names.contains(&Formulation::Points) && names.contains(&Formulation::NewtonEuler),
            "{names:?}"
        );
        found.iter().map(|f| f.1).fold(0.0, f64::max)
    });
    let order = (apart[0] / apart[1]).log2();
    println!("order {order:.2}");
    // not zero, or one kind would be compared with itself
    assert!(apart[1] > 1e-6 && (1.6..2.6).contains(&order), "{apart:?}, order {order}");
}
