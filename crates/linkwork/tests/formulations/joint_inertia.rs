//! Inertias along coordinates of joints: closed forms, flywheels that are geared to the same joints, and all formulations among each other.

use crate::suite::{self, G};
use linkwork::batch::{Batch, Variant};
use linkwork::mechanism::{Mechanism, columns};
use linkwork::model::{Formulation, Integrator, Model};
use linkwork::simulation::Trajectory;

fn model(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The largest difference of the columns that begin as asked, each over its largest value or one.
fn apart(a: &(Mechanism, Trajectory), b: &(Mechanism, Trajectory), begins: &[&str]) -> f64 {
    let (mut most, mut compared): (f64, usize) = (0.0, 0);
    for column in columns(&a.0).iter().filter(|c| begins.iter().any(|begin| c.name.starts_with(begin))) {
        let [x, y] = [a, b].map(|(mechanism, run)| run.column(mechanism, &column.name).unwrap());
        let size = x.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        most = x.iter().zip(&y).fold(most, |most, (x, y)| most.max((x - y).abs() / size));
        compared += 1;
    }
    assert!(compared >= begins.len());
    most
}

/// Runs a model in every formulation that takes it.
fn runs(model: &Model) -> Vec<(Formulation, (Mechanism, Trajectory))> {
    let in_one = |formulation: Formulation| {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        (formulation, suite::run(&model))
    };
    suite::applicable(model).into_iter().map(in_one).collect()
}

const HEAD: &str = "format = 1\n[model]\ngravity = '-y'\n";
const RUN: &str = "[simulation]\nduration = 1.5\noutput_step = 0.1\ntolerance = 1e-11\n";

#[test]
fn exact_a_pendulum_with_a_rotor_is_one_of_more_inertia() {
    let (m, l, rotor) = (3.0, 2.0, 5.0);
    let text = |inertia: f64, joint: &str| {
        format!(
            "{HEAD}[points]\nO = [0, 0]\nA = [{l}, 0]\n[bodies]\nground = {{ points = ['O'] }}\n\
             rod = {{ points = ['O', 'A'], mass = {m}, com = [1, 0], inertia = {inertia} }}\n\
             [joints]\nO = {{ type = 'revolute', bodies = ['ground', 'rod'], at = 'O'{joint} }}\n{RUN}"
        )
    };
    let thin = m * l * l / 12.0;
    let heavy = suite::run(&model(&text(thin + rotor, "")));
    for (formulation, ours) in runs(&model(&text(thin, &format!(", inertia = '{rotor} kg m^2'")))) {
        let first = ours.1.frames[0].accelerations[1][1];
        let exact = -m * G * l / 2.0 / (m * l * l / 3.0 + rotor) * l;
        let off = apart(&heavy, &ours, &["point.", "joint.O.F", "energy."]);
        println!("{}: first acceleration {:.1e}, motion {off:.1e}", formulation.name(), first - exact);
        assert!((first - exact).abs() < 1e-12 && off < 1e-8, "{formulation:?}: {off:e}");
    }
}

/// Two rods that hang on each other, the second joint given from the outer body to the inner one.
fn arm(points: &str, bodies: &str, inertias: [&str; 2], more: &str) -> Model {
    let [shoulder, elbow] = inertias;
    model(&format!(
        "{HEAD}[points]\nO = [0, 0]\nA = [1, 0]\nB = [1.6, 0.3]\nP = [3, 0]\nQ = [5, 0]\n{points}[bodies]\n\
         ground = {{ points = ['O', 'P', 'Q'] }}\nupper = {{ points = ['O', 'A'], mass = 2 }}\n\
         lower = {{ points = ['A', 'B'], mass = 1 }}\n{bodies}\
         [joints]\nS = {{ type = 'revolute', bodies = ['ground', 'upper'], at = 'O'{shoulder} }}\n\
         E = {{ type = 'revolute', bodies = ['lower', 'upper'], at = 'A'{elbow} }}\n{more}{RUN}"
    ))
}

const ROTORS: [&str; 2] = [", inertia = 0.4", ", inertia = 1.1"];

#[test]
fn cross_rotors_are_flywheels_geared_to_the_joints() {
    // kinetic energy of a disc on the ground that turns as far as the joint does: J q̇²/2
    let discs = "disc1 = { points = ['P'], mass = 1, com = [3, 0], inertia = 0.4 }\n\
                 disc2 = { points = ['Q'], mass = 1, com = [5, 0], inertia = 1.1 }\n";
    let geared = "R1 = { type = 'revolute', bodies = ['ground', 'disc1'], at = 'P' }\n\
                  R2 = { type = 'revolute', bodies = ['ground', 'disc2'], at = 'Q' }\n\
                  [couplings]\nc1 = { joints = ['S', 'R1'], ratio = 1 }\nc2 = { joints = ['E', 'R2'], ratio = 1 }\n";
    let geared = suite::run(&arm("", discs, ["", ""], geared));
    let bare = suite::run(&arm("", "", ["", ""], ""));
    for (formulation, ours) in runs(&arm("", "", ROTORS, "")) {
        let off = apart(&ours, &geared, &["point.", "joint.S.", "joint.E.", "energy.kinetic"]);
        let without = apart(&ours, &bare, &["point."]);
        println!("{}: {off:.1e} from geared flywheels, {without:.1e} from no rotors", formulation.name());
        assert!(off < 1e-8 && without > 1e-2, "{formulation:?}: {off:e}");
    }
}

/// A chain of bodies in space by one joint of each kind that has coordinates.
fn spatial_chain() -> Model {
    let mut bodies = String::from("ground = { points = ['P0'] }\n");
    let mut points = String::new();
    for i in 0..7 {
        points += &format!("P{i} = [{}, {}, 0.1]\n", 0.5 * f64::from(i), 0.1 * f64::from(i % 2));
    }
    for i in 0..6 {
        let (x, y) = (0.5 * f64::from(i) + 0.25, 0.05);
        bodies += &format!("b{i} = {{ points = ['P{i}', 'P{}'], mass = 1, com = [{x}, {y}, 0.1], ", i + 1);
        bodies += "inertia = [0.03, 0.04, 0.05] }\n";
    }
    model(&format!(
        "format = 1\n[model]\ndimension = 3\ngravity = '-z'\n[points]\n{points}[bodies]\n{bodies}[joints]\n\
         J0 = {{ type = 'revolute', bodies = ['ground', 'b0'], at = 'P0', axis = [0, 1, 0.2], inertia = 0.3 }}\n\
         J1 = {{ type = 'cylindrical', bodies = ['b1', 'b0'], at = 'P1', axis = [0, 1, 0], inertia = [0.7, 0.2], stiffness = 90 }}\n\
         J2 = {{ type = 'universal', bodies = ['b2', 'b1'], at = 'P2', axis = [0, 1, 0], axis2 = [0, 0, 1], inertia = [0.1, 0.25] }}\n\
         J3 = {{ type = 'prismatic', bodies = ['b2', 'b3'], at = 'P3', axis = [0, 1, 1], inertia = 0.8, stiffness = 150 }}\n\
         J4 = {{ type = 'spherical', bodies = ['b3', 'b4'], at = 'P4', inertia = [0.05, 0, 0.1] }}\n\
         J5 = {{ type = 'planar', bodies = ['b5', 'b4'], at = 'P5', axis = [0, 0, 1], inertia = [0.2, 0.3, 0.1], stiffness = [80, 90] }}\n\
         [simulation]\nduration = 0.6\noutput_step = 0.05\ntolerance = 1e-11\n"
    ))
}

/// Four rods in a loop, with a rotor at each joint: whichever joint is cut has one.
fn four_bar() -> Model {
    model(&format!(
        "{HEAD}[points]\nA = [0, 0]\nB = [0, 1]\nC = [2, 1.6]\nD = [1.7, 0]\n[bodies]\nground = {{ points = ['A', 'D'] }}\n\
         crank = {{ points = ['A', 'B'], mass = 1 }}\ncoupler = {{ points = ['B', 'C'], mass = 1.5 }}\nrocker = {{ points = ['C', 'D'], mass = 2 }}\n\
         [joints]\nA = {{ type = 'revolute', bodies = ['ground', 'crank'], at = 'A', inertia = 0.5 }}\n\
         B = {{ type = 'revolute', bodies = ['crank', 'coupler'], at = 'B', inertia = 0.3 }}\n\
         C = {{ type = 'revolute', bodies = ['rocker', 'coupler'], at = 'C', inertia = 0.2 }}\n\
         D = {{ type = 'revolute', bodies = ['ground', 'rocker'], at = 'D', inertia = 0.7 }}\n{RUN}"
    ))
}

#[test]
fn cross_formulations_agree_on_inertias_of_all_coordinates() {
    for (name, model, bound) in [("chain in space", spatial_chain(), 1e-7), ("four-bar", four_bar(), 1e-8)] {
        let all = runs(&model);
        let (_, first) = &all[0];
        for (formulation, other) in &all {
            let off = apart(first, other, &["point.", "joint.", "energy.kinetic", "energy.potential"]);
            let drift = other.1.summary.energy_drift;
            println!("{name}, {}: {off:.1e}, energy {drift:.1e} J", formulation.name());
            assert!(off < bound && drift.abs() < 1e-7, "{name}, {formulation:?}: {off:e} {drift:e}");
        }
    }
}

#[test]
fn exact_at_an_instant() {
    let mechanism = arm("", "", ROTORS, "").assemble().unwrap();
    let bare = arm("", "", ["", ""], "").assemble().unwrap();
    let state = mechanism.initial_state(Formulation::Recursive).unwrap();
    let mut here = mechanism.at(&state).unwrap();
    let without = bare.at(&bare.initial_state(Formulation::Recursive).unwrap()).unwrap().mass_matrix();
    let with = here.mass_matrix();
    for (k, more) in [0.4, 0.0, 0.0, 1.1].into_iter().enumerate() {
        assert!((with[k] - without[k] - more).abs() < 1e-14, "{with:?} {without:?}");
    }
    let wanted = [0.3, -0.7];
    let forces = here.inverse_dynamics(&wanted).unwrap();
    let found = here.accelerations_under(&forces).unwrap();
    assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?}");
    // an inertia at the joint that is cut is told
    let loops = four_bar().assemble().unwrap();
    let error =
        loops.at(&loops.initial_state(Formulation::Recursive).unwrap()).unwrap().accelerations().unwrap_err();
    assert!(error.to_string().contains("the `inertia` of"), "{error}");
}

#[test]
fn exact_an_impact_of_a_pendulum_with_a_rotor() {
    // falls from the horizontal to the vertical, where a limit throws it back with half the rate
    let text = format!(
        "{HEAD}[points]\nO = [0, 0]\nA = [1, 0]\n[bodies]\nground = {{ points = ['O'] }}\nrod = {{ points = ['O', 'A'], mass = 3 }}\n\
         [joints]\nO = {{ type = 'revolute', bodies = ['ground', 'rod'], at = 'O', inertia = 2, \
         impact_limits = {{ range = ['-90 deg', 1], restitution = 0.5 }} }}\n\
         [simulation]\nduration = 1.2\noutput_step = 0.1\ntolerance = 1e-11\n"
    );
    let before = (2.0 * 3.0 * G * 0.5 / (1.0 + 2.0)).sqrt();
    for (formulation, (mechanism, run)) in runs(&model(&text)) {
        let last = run.frames.last().unwrap();
        let energy = last.kinetic + last.potential;
        let exact = 0.5 * 3.0 * (0.5 * before).powi(2) - 3.0 * G * 0.5;
        println!("{}: energy after the impact off by {:.1e} J", formulation.name(), energy - exact);
        assert!(
            (energy - exact).abs() < 1e-8 * mechanism.model().settings.duration,
            "{formulation:?}: {energy} {exact}"
        );
    }
}

#[test]
fn same_bits_in_batches() {
    let mut model = arm("", "", ROTORS, "");
    model.settings.step = Some(0.01);
    model.settings.integrator = Integrator::Rk4;
    let mechanism = model.assemble().unwrap();
    let variants: Vec<Variant> =
        (0..9).map(|i| Variant::new().velocity("A", [0.0, 0.1 * f64::from(i), 0.0])).collect();
    let together = Batch::new(&mechanism).run(&variants);
    assert!(together.iter().take(8).all(|run| run.in_lanes));
    for (variant, run) in variants.iter().zip(&together) {
        let alone = Batch::new(&mechanism).run(std::slice::from_ref(variant));
        assert!(!alone[0].in_lanes);
        assert_eq!(alone[0].last(), run.last());
    }
}

#[test]
fn tells_what_it_does_not_take() {
    let mut model = arm("", "", ROTORS, "");
    model.settings.integrator = Integrator::Index3;
    let told = model.assemble().and_then(|m| m.simulate().map(|_| ())).unwrap_err().to_string();
    assert!(told.contains("inertias of joints, as `S` has one"), "{told}");
    let told = Model::from_toml(&format!(
        "{HEAD}[points]\nO = [0, 0]\nA = [1, 0]\n[bodies]\nground = {{ points = ['O'] }}\nrod = {{ points = ['O', 'A'], mass = 3 }}\n\
         [joints]\nO = {{ type = 'revolute', bodies = ['ground', 'rod'], at = 'O', inertia = '2 kg' }}\n{RUN}"
    ))
    .unwrap_err()
    .to_string();
    assert!(told.contains("joints.O.inertia"), "{told}");
}
