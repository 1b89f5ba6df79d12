//! Equilibrium with contacts, limits and states of their own.

use super::equilibrium::{place, rest};
use linkwork::Error;
use linkwork::analysis::{EquilibriumOptions, Stability};
use linkwork::model::Model;
use linkwork::simulation::{Progress, RestMethod};

fn model(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A box on a slope of 20 degrees, from a gap of `gap`.
fn slope(friction: f64, gap: f64) -> Model {
    model(&format!(
        r#"
        format = 1
        [model]
        name = "slope"
        gravity = "-y"
        dimension = 2
        [parameters]
        angle = "20 deg"
        [points]
        C = ["-(0.1 + {gap}) * sin(angle)", "(0.1 + {gap}) * cos(angle)"]
        [bodies]
        block = {{ points = ["C"], mass = 2, shape = {{ type = "box", size = [0.4, 0.2], axis = ["cos(angle)", "sin(angle)"] }} }}
        [surfaces.incline]
        type = "plane"
        normal = ["-sin(angle)", "cos(angle)"]
        [contacts.slide]
        between = ["block", "incline"]
        friction = {friction}
        "#
    ))
}

/// tan 20° = 0.364: with more friction than that a box rests where it is put, and a run from there stays. Friction and push are those of the slope.
#[test]
fn exact_box_on_a_rough_slope() {
    let (mechanism, found) = rest(&slope(0.5, 0.0));
    let (sin, cos) = (20_f64.to_radians().sin(), 20_f64.to_radians().cos());
    let [x, y, _] = place(&mechanism, &found, "C");
    assert!((x + 0.1 * sin).abs() < 1e-9 && (y - 0.1 * cos).abs() < 1e-9, "{x} {y}");
    let closed = found.frame.contacts.iter().filter(|contact| contact.closed);
    let normal: f64 = closed.map(|contact| contact.normal).sum();
    assert!((normal - 2.0 * 9.81 * cos).abs() < 1e-9, "{normal}");
    assert_eq!(found.sticking.len(), 2);
    assert_eq!(found.stability, Stability::Held);
    assert_eq!(found.method, RestMethod::Relaxation);
    // a run that starts there stays
    let mut simulation = mechanism.simulation().unwrap();
    let state = mechanism.converted(&found.state, simulation.formulation()).unwrap();
    simulation.set_state(&state).unwrap();
    assert_eq!(simulation.advance_to(1.0).unwrap(), Progress::Reached);
    let after = simulation.sample().unwrap().positions[0];
    assert!((after[0] - x).abs() < 1e-12 && (after[1] - y).abs() < 1e-12, "{after:?}");
}

/// Dropped from a small height it rests somewhere on the slope.
#[test]
fn exact_box_that_falls_on_a_slope() {
    let (mechanism, found) = rest(&slope(0.6, 0.02));
    let [x, y, _] = place(&mechanism, &found, "C");
    let (sin, cos) = (20_f64.to_radians().sin(), 20_f64.to_radians().cos());
    // the distance from the slope is half its height
    assert!((-x * sin + y * cos - 0.1).abs() < 1e-10, "{x} {y}");
    assert_eq!(found.sticking.len(), 2);
}

/// A lever that falls onto its limit rests there, and the limit holds m g l/2 cos φ.
#[test]
fn exact_limit_holds() {
    let lever = model(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        O = [0, 0]
        A = [1, 0]
        [bodies]
        ground = { points = ["O"] }
        rod = { points = ["O", "A"], mass = 2 }
        [joints]
        pin = { type = "revolute", bodies = ["ground", "rod"], at = "O", impact_limits = { range = ["-30 deg", "60 deg"], restitution = 0.3 } }
        "#,
    );
    let (mechanism, found) = rest(&lever);
    let [x, y, _] = place(&mechanism, &found, "A");
    let (sin, cos) = (30_f64.to_radians().sin(), 30_f64.to_radians().cos());
    assert!((x - cos).abs() < 1e-12 && (y + sin).abs() < 1e-12, "{x} {y}");
    assert_eq!(found.state.modes.limits.len(), 1);
    assert!(!found.state.modes.limits[0].upper);
    assert_eq!(found.stability, Stability::Held);
    // the moment about the pin, which the limit gives
    // the row reads the angle times the size
    let moment: f64 = found.frame.multipliers.iter().map(|l| l.abs() * mechanism.size()).sum();
    assert!((moment - 2.0 * 9.81 * 0.5 * cos).abs() < 1e-9, "{moment}");
}

/// The integral of a controller takes what the weight asks for: ki I = m g l/2, at the setpoint.
#[test]
fn exact_controller_holds_its_setpoint() {
    let arm = model(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        O = [0, 0]
        A = [1, 0]
        [bodies]
        ground = { points = ["O"] }
        rod = { points = ["O", "A"], mass = 2 }
        [joints]
        pin = { type = "revolute", bodies = ["ground", "rod"], at = "O" }
        [actuators]
        servo = { joint = "pin", controller = { type = "pid", setpoint = 0.3, kp = 40, ki = 25, kd = 5 } }
        "#,
    );
    let (mechanism, found) = rest(&arm);
    let [x, y, _] = place(&mechanism, &found, "A");
    assert!((y.atan2(x) - 0.3).abs() < 1e-12, "{}", y.atan2(x));
    assert_eq!(found.method, RestMethod::ReducedNewton);
    let integral = found.state.auxiliary.last().unwrap();
    assert!((25.0 * integral - 9.81 * 0.3_f64.cos()).abs() < 1e-10, "{integral}");
    let mut simulation = mechanism.simulation().unwrap();
    let state = mechanism.converted(&found.state, simulation.formulation()).unwrap();
    simulation.set_state(&state).unwrap();
    simulation.advance_to(1.0).unwrap();
    let after = simulation.sample().unwrap().positions[1];
    assert!((after[0] - x).abs() < 1e-10 && (after[1] - y).abs() < 1e-10, "{after:?}");
}

/// A state of the user's comes to rest with the mechanism: ẋ = (force − x)/τ, whose value pushes the cart against a spring.
#[test]
fn exact_state_comes_to_rest() {
    let cart = model(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        O = [0, 0]
        C = [1, 0]
        [bodies]
        ground = { points = ["O"] }
        cart = { points = ["C"], mass = 2 }
        [joints]
        rail = { type = "prismatic", bodies = ["ground", "cart"], at = ["O", "C"], axis = [1, 0] }
        [springs]
        s = { between = ["O", "C"], stiffness = 100, free_length = 1 }
        [states]
        push = { initial = 0, rate = "(30 - 50*joint.rail.q - state.push) / 0.2" }
        [forces]
        f = { body = "cart", at = "C", force = ["state.push", 0] }
        "#,
    );
    let (mechanism, found) = rest(&cart);
    // 100 (q − 1) = p and p = 30 − 50 q, the coordinate of the rail being 1 as drawn
    let x = place(&mechanism, &found, "C")[0];
    assert!((x - 130.0 / 150.0).abs() < 1e-12, "{x}");
}

/// Contacts that are not spelled out are refused with the reason and what to do; what slides without end is named.
#[test]
fn refusals_name_what_it_is() {
    let path = format!("{}/../../examples/rolling-bearing.toml", env!("CARGO_MANIFEST_DIR"));
    let mechanism = Model::from_file(path).unwrap().assemble().unwrap();
    let error = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_err().to_string();
    assert!(error.contains("stepped over") && error.contains("contact_method"), "{error}");
    // with less friction than the slope it slides without end
    let mechanism = slope(0.2, 0.0).assemble().unwrap();
    let error = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Equilibrium(_)), "{error}");
    let error = error.to_string();
    assert!(error.contains("still moves") && error.contains("`block` fastest"), "{error}");
}
