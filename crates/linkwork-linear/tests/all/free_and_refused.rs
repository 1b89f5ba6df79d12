//! Free bodies, states that are refused, and what is said of others.

use crate::suite::{G, example, linear, model, modes};
use linkwork::analysis::LinearizeOptions;
use linkwork::model::{Body, Formulation, Model};
use linkwork_linear::Kind;

/// A body by itself: six zero pairs, each called free, with and without gravity; only without it is its rest steady.
#[test]
fn exact_free_body_has_six_zero_pairs() {
    for gravity in [0.0, -G] {
        let body = model(&format!(
            "format = 1\n[model]\ndimension = 3\ngravity = [0, 0, {gravity}]\n[points]\nP = [0.1, 0.2, 0.3]\n[bodies]\n\
             brick = {{ points = [\"P\"], mass = 2, com = [0, 0, 0], inertia = [1, 2, 2.5] }}\n"
        ));
        let linear = linear(&body, Formulation::Auto);
        assert_eq!(linear.counts, [6, 6, 0]);
        assert_eq!(linear.states[0].name, "body.brick.x");
        assert_eq!(linear.states[11].name, "body.brick.wz");
        let modes = modes(&linear);
        assert_eq!((modes.zeros, modes.list.len()), (12, 6));
        assert!(modes.list.iter().all(|mode| mode.kind == Kind::Free && mode.damping_ratio().is_none()));
        assert_eq!(linear.unsteady.is_some(), gravity != 0.0, "{:?}", linear.unsteady);
    }
}

/// A rope that is drawn level has no tension: all its eigenvalues are zero, in long blocks, and none of them grows.
#[test]
fn exact_level_rope_has_zeros_only() {
    let model = example("rope-swing", &[]);
    let linear = linear(&model, Formulation::Auto);
    let modes = modes(&linear);
    assert_eq!(modes.zeros, linear.states.len(), "{:?}", modes.eigenvalues());
    assert!(!modes.is_unstable());
}

/// A body that spins about its middle axis tumbles with λ² = Ω² (I₃ − I₂)(I₂ − I₁) / I₁ I₃; about the other two it oscillates.
#[test]
fn exact_spin_about_the_middle_axis() {
    let inertia: [f64; 3] = [1.0, 2.0, 2.5];
    for axis in 0..3 {
        let mut spin = [0.0; 3];
        spin[axis] = 3.0;
        let body = model(&format!(
            "format = 1\n[model]\ndimension = 3\n[points]\nP = [0.1, 0.2, 0.3]\n[bodies]\nbrick = {{ points = [\"P\"], mass = 2, com = [0, 0, 0], inertia = [1, 2, 2.5] }}\n\
             [initial.angular_velocities]\nbrick = {spin:?}\n"
        ));
        let linear = linear(&body, Formulation::Auto);
        let modes = modes(&linear);
        let [a, b, c] = [inertia[axis], inertia[(axis + 1) % 3], inertia[(axis + 2) % 3]];
        let square = 9.0 * (c - a) * (a - b) / (b * c);
        // in body axes the rates do not ask where the body is: these are among the eigenvalues
        let exact = square.abs().sqrt();
        let wanted = |x: &linkwork_linear::c64| match square > 0.0 {
            true => (x.re - exact).hypot(x.im),
            false => x.re.hypot(x.im - exact),
        };
        let off = modes.eigenvalues().iter().map(wanted).fold(f64::INFINITY, f64::min);
        println!("spin about axis {axis}: λ² = {square:.3}, off by {off:.1e}");
        assert!(off < 1e-8, "{:?}", modes.eigenvalues());
        assert_eq!(modes.is_unstable(), axis == 1);
    }
}

/// A flat parallelogram can go on as one or as the other: refused, with the reason.
#[test]
fn singular_position_is_refused() {
    let flat = Model::planar("flat")
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .point("C", [3.0, 0.0])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.0));
    let mechanism = flat.assemble().unwrap_or_else(|error| panic!("{error}"));
    let state = mechanism.initial_state(Formulation::Auto).expect("a state");
    for formulation in [Formulation::Auto, Formulation::Points] {
        let options = LinearizeOptions { formulation, ..Default::default() };
        let error = mechanism.linearize(&state, &options).expect_err("it is singular").to_string();
        println!("{error}");
        assert!(error.contains("singular") || error.contains("converge"), "{error}");
    }
}

/// Unknown names are told with those that there are.
#[test]
fn unknown_inputs_and_outputs_are_refused() {
    let rod = Model::planar("rod")
        .point("O", [0.0, 0.0])
        .point("A", [1.0, 0.0])
        .ground(["O"])
        .body(Body::rod("rod", ["O", "A"], 1.0));
    let mechanism = rod.assemble().unwrap_or_else(|error| panic!("{error}"));
    let state = mechanism.initial_state(Formulation::Auto).expect("a state");
    let ask = |inputs: Option<&str>, outputs: Option<&str>| {
        let list = |name: Option<&str>| name.map(|name| vec![name.to_owned()]);
        let options = LinearizeOptions { inputs: list(inputs), outputs: list(outputs), ..Default::default() };
        mechanism.linearize(&state, &options).expect_err("it is not there").to_string()
    };
    assert!(ask(Some("throttle"), None).contains("no input `throttle`"));
    assert!(ask(None, Some("joint.X.q")).contains("cannot take `joint.X.q` as an output"));
}

/// A force like a step is said to be rough, by name; one that is smoothed over a thousandth of a radian per second is not, and its slope is found.
#[test]
fn rough_forces_are_told() {
    let rod = |law: &str| {
        model(&format!(
            "format = 1\n[model]\ndimension = 2\n[points]\nO = [0, 0]\nA = [1, 0]\n[bodies]\nground = {{ points = [\"O\"] }}\nrod = {{ points = [\"O\", \"A\"], mass = 3 }}\n\
             [couples]\nfriction = {{ body = \"rod\", moment = \"{law}\" }}\n"
        ))
    };
    let smooth = linear(&rod("-0.5*tanh(body.rod.wz/0.001)"), Formulation::Auto);
    // m l²/3 = 1
    assert!(smooth.remarks.is_empty(), "{:?}", smooth.remarks);
    assert!((smooth.a[3] / -500.0 - 1.0).abs() < 1e-8, "{}", smooth.a[3]);
    let rough = linear(&rod("-0.5*sign(body.rod.wz)"), Formulation::Auto);
    assert!(rough.remarks.iter().any(|remark| remark.contains("joint.O.v")), "{:?}", rough.remarks);
}
