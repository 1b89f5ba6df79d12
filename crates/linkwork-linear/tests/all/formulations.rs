//! One linear system in different coordinates.

use crate::suite::{G, distance, eigenvalues, example, linear, model, modes};
use linkwork::Model;
use linkwork::analysis::LinearizeOptions;
use linkwork::model::{Body, Formulation};
use linkwork_linear::Response;

/// Every formulation that has nothing against a model.
fn applicable(model: &Model) -> Vec<Formulation> {
    let mechanism = model.assemble().unwrap_or_else(|error| panic!("{error}"));
    Formulation::ALL
        .into_iter()
        .filter(|formulation| formulation.unsupported(&mechanism).is_empty())
        .collect()
}

/// A mechanism at rest has the same eigenvalues in all coordinates: springs, dampers and a controller on a loop that hangs, and the bicycle that stands, with its
/// non-holonomic constraints.
#[test]
fn cross_eigenvalues_of_all_formulations() {
    for (name, model) in
        [("loop", hanging_loop()), ("bicycle", example("bicycle", &[("v", 0.0), ("knock", 0.0)]))]
    {
        let all = applicable(&model);
        assert!(all.len() >= 6, "{all:?}");
        let reference = modes(&linear(&model, Formulation::Auto));
        for formulation in all {
            let modes = modes(&linear(&model, formulation));
            let off = distance(&eigenvalues(&reference), &eigenvalues(&modes));
            println!("{name}, {}: off by {off:.1e}, {} zeros", formulation.name(), modes.zeros);
            assert_eq!(modes.zeros, reference.zeros, "{formulation}");
            assert!(off < 1e-9, "{name}, {formulation}: {off:.1e}");
        }
    }
}

/// Answers do not depend on the coordinates either.
#[test]
fn cross_responses_of_two_formulations() {
    let model = hanging_loop();
    let of = |formulation| {
        let linear = linear(&model, formulation);
        Response::new(&linear, "moment", "tip", &[0.1, 0.5, 1.0, 3.0])
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let reference = of(Formulation::Recursive);
    for formulation in [Formulation::Points, Formulation::NewtonEuler, Formulation::Lagrange] {
        for (a, b) in reference.values.iter().zip(&of(formulation).values) {
            assert!((a - b).norm() < 1e-8 * a.norm(), "{formulation}: {a} {b}");
        }
    }
}

fn hanging_loop() -> Model {
    model(
        "format = 1\n[model]\nname = \"loop\"\ndimension = 2\ngravity = \"-y\"\n[points]\nA = [0, 0]\nB = [0, -1]\nC = [2, -1]\nD = [2, 0]\nE = [1, -1]\nF = [1, -2]\n[bodies]\nground = { points = [\"A\", \"D\"] }\n\
         crank = { points = [\"A\", \"B\"], mass = 1 }\ncoupler = { points = [\"B\", \"C\", \"E\"], mass = 2, com = [1, -1], inertia = 0.6 }\nrocker = { points = [\"C\", \"D\"], mass = 1 }\nbob = { points = [\"E\", \"F\"], mass = 0.5 }\n\
         [inputs]\nmoment = { unit = \"N m\" }\n[couples]\nmotor = { body = \"crank\", moment = \"input.moment - 0.3 * body.crank.wz\" }\n\
         [actuators]\nhold = { joint = \"E\", controller = { type = \"pid\", setpoint = \"0.1*state.lag\", kp = 3, ki = 1, kd = 0.2 } }\n\
         [states]\nlag = { rate = \"(joint.A.q - state.lag) / 0.2\" }\n\
         [measures]\ntip = { value = \"point.F.x\", unit = \"mm\" }\n",
    )
}

/// In a tree of hinges the linear system is that of the analytic derivatives, at any state: A = [0 1; ∂u̇/∂q ∂u̇/∂u].
#[test]
fn cross_tree_and_analytic_derivatives() {
    let model = Model::planar("triple pendulum")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("A", [0.8, -0.3])
        .point("B", [1.1, -1.2])
        .point("C", [0.4, -1.9])
        .ground(["O"])
        .body(Body::rod("a", ["O", "A"], 2.0))
        .body(Body::rod("b", ["A", "B"], 1.0))
        .body(Body::rod("c", ["B", "C"], 3.0))
        .angular_velocity("a", [0.0, 0.0, 1.2])
        .angular_velocity("b", [0.0, 0.0, -0.8])
        .angular_velocity("c", [0.0, 0.0, 2.1]);
    let mechanism = model.assemble().unwrap_or_else(|error| panic!("{error}"));
    let state = mechanism.initial_state(Formulation::Recursive).expect("a state");
    let linear = mechanism.linearize(&state, &LinearizeOptions::default()).expect("a linear system");
    let exact = mechanism.at(&state).expect("an instant").acceleration_derivatives().expect("derivatives");
    let unsteady = linear.unsteady.expect("it falls");
    assert!(unsteady.within > 0.01 && unsteady.within < 10.0, "{unsteady:?}");
    let n = 3;
    let size = exact.by_position.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for i in 0..n {
        for k in 0..n {
            let entry = |row: usize, column: usize| linear.a[row * 2 * n + column];
            assert_eq!((entry(i, k), entry(i, n + k)), (0.0, if i == k { 1.0 } else { 0.0 }));
            let off = (entry(n + i, k) - exact.by_position[i * n + k]).abs();
            let off = off.max((entry(n + i, n + k) - exact.by_rate[i * n + k]).abs());
            // sixth order with steps of 0.01: rounding of 1e-14 over 0.01
            assert!(off < 1e-10 * size, "{i} {k}: {off:.1e} of {size:.1e}");
        }
    }
}
