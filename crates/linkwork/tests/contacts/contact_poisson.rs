//! Poisson's law of impact in whole mechanisms.

use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model};
use linkwork::simulation::{Status, Trajectory};

fn run(text: &str, formulation: Formulation) -> (Mechanism, Trajectory) {
    let mut model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}"));
    model.settings.formulation = formulation;
    let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    (mechanism, run)
}

fn last((mechanism, run): &(Mechanism, Trajectory), column: &str) -> f64 {
    *run.column(mechanism, column).unwrap_or_else(|| panic!("no column {column}")).last().unwrap()
}

/// A thin rod strikes the ground with its lower end, which friction stops: (13) of the theory page, with arms of half a length and 1/J = 12.
#[test]
fn exact_rod_strikes_with_an_end_that_sticks() {
    let (angle, e) = (1.0_f64, 0.9);
    let text = format!(
        r#"format = 1
model = {{ dimension = 2, gravity = [0, 0] }}
[points]
A = [{}, {}]
B = [0, 0.1]
[bodies]
rod = {{ points = ["A", "B"], mass = 1, shape = {{ type = "rod" }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 1] }}
end = {{ type = "point", body = "rod", at = "B" }}
[contacts]
f = {{ between = ["floor", "end"], friction = 5, restitution = {e} }}
[initial.velocities]
A = [0.2, -1]
B = [0.2, -1]
[simulation]
duration = 0.15
output_step = 0.01
contact_method = "events"
impact = "poisson"
"#,
        angle.cos(),
        0.1 + angle.sin()
    );
    let [x, y] = [-0.5 * angle.cos(), -0.5 * angle.sin()];
    let [nn, nt, tt] = [1.0 + 12.0 * x * x, 12.0 * x * y, 1.0 + 12.0 * y * y];
    // the tangent is along −x
    let (s, k, un, ut) = (nn - nt * nt / tt, nt / tt, -1.0, -0.2);
    let lost = 0.5 * ((1.0 - e * e) * (un - k * ut).powi(2) / s + ut * ut / tt);
    for formulation in [Formulation::Points, Formulation::Recursive, Formulation::NewtonEuler] {
        let run = run(&text, formulation);
        let event = run.1.summary.events.iter().find(|event| event.impulse > 0.0).unwrap();
        let off = (last(&run, "energy.lost_in_impacts") - lost).abs();
        let impulse = (1.0 + e) * (k * ut - un) / s;
        println!("{}: loss off by {off:.1e} J of {lost:.4} J", formulation.name());
        // the rod flies without forces: roundings
        assert!(
            off < 1e-12 && (event.impulse - impulse).abs() < 1e-12,
            "{off:e} {} {impulse}",
            event.impulse
        );
        assert!((event.energy + lost).abs() < 1e-12, "{}", event.energy);
    }
}

/// Three equal discs in a row with e = 0.5 and 1: what has not approached gives back as well. v = (1 − 2e₁)/3, (1 + 2e₁ − e₂)/3, (1 + e₂)/3.
#[test]
fn exact_three_discs_in_a_row() {
    let text = |law: &str, method: &str| {
        format!(
            r#"format = 1
model = {{ dimension = 2, gravity = [0, 0] }}
[points]
A = [-0.3, 0]
B = [0, 0]
C = [0.2, 0]
[bodies]
a = {{ points = ["A"], mass = 1, shape = {{ type = "disc", radius = 0.1 }} }}
b = {{ points = ["B"], mass = 1, shape = {{ type = "disc", radius = 0.1 }} }}
c = {{ points = ["C"], mass = 1, shape = {{ type = "disc", radius = 0.1 }} }}
[contacts]
first = {{ between = ["a", "b"], restitution = 0.5 }}
second = {{ between = ["b", "c"], restitution = 1 }}
[initial.velocities]
A = [1, 0]
[simulation]
duration = 0.2
output_step = 0.1
impact = "{law}"
{method}
"#
        )
    };
    let events = "contact_method = \"events\"";
    let speeds = |run: &(Mechanism, Trajectory)| ["A", "B", "C"].map(|p| last(run, &format!("point.{p}.vx")));
    let poisson = run(&text("poisson", events), Formulation::Auto);
    let off = speeds(&poisson)
        .iter()
        .zip([0.0, 1.0 / 3.0, 2.0 / 3.0])
        .fold(0.0, |m: f64, (v, x)| m.max((v - x).abs()));
    println!("three discs: off by {off:.1e} m/s");
    assert!(off < 1e-13, "{:?}", speeds(&poisson));
    assert!(
        poisson
            .1
            .summary
            .remarks
            .iter()
            .any(|r| r.code == "coupled-impacts" && r.message.contains("compression"))
    );
    // impulses of the entries: 2/3 (1 + e₁) and 1/3 (1 + e₂)
    let impulses = [last(&poisson, "contact.first.impulse"), last(&poisson, "contact.second.impulse")];
    assert!((impulses[0] - 1.0).abs() < 1e-13 && (impulses[1] - 2.0 / 3.0).abs() < 1e-13, "{impulses:?}");
    // Newton's law for all at once knows no restitution of what has not approached
    let newton = run(&text("simultaneous", events), Formulation::Auto);
    assert!((speeds(&newton)[1] - speeds(&newton)[2]).abs() < 1e-13, "{:?}", speeds(&newton));
    // time steps say that they do not follow it
    let steps = run(&text("poisson", "contact_method = \"steps\"\nstep = 1e-3"), Formulation::Auto);
    let said = |run: &(Mechanism, Trajectory)| {
        run.1.summary.remarks.iter().any(|r| r.code == "coupled-impacts" && r.message.contains("Newton"))
    };
    assert!(said(&steps), "{:?}", steps.1.summary.remarks);
    let steps = run(&text("sequential", "contact_method = \"steps\"\nstep = 1e-3"), Formulation::Auto);
    assert!(said(&steps), "{:?}", steps.1.summary.remarks);
    let steps = run(&text("simultaneous", "contact_method = \"steps\"\nstep = 1e-3"), Formulation::Auto);
    assert!(!said(&steps), "{:?}", steps.1.summary.remarks);
}

/// A single ball without friction bounces as by the other laws.
#[test]
fn same_bounces_as_by_newtons_law() {
    let text = |law: &str| {
        format!(
            r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, 1.1]
[bodies]
ball = {{ points = ["C"], mass = 2, shape = {{ type = "sphere", radius = 0.1 }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["floor", "ball"], restitution = 0.7 }}
[simulation]
duration = 3
output_step = 0.1
contact_method = "events"
impact = "{law}"
"#
        )
    };
    let [newton, poisson] = ["simultaneous", "poisson"].map(|law| run(&text(law), Formulation::Auto));
    let times = |run: &(Mechanism, Trajectory)| -> Vec<(f64, &str)> {
        run.1.summary.events.iter().map(|event| (event.t, event.kind.name())).collect()
    };
    assert!(times(&newton).len() > 30, "{}", times(&newton).len());
    assert_eq!(times(&newton).len(), times(&poisson).len());
    for (a, b) in times(&newton).iter().zip(&times(&poisson)) {
        // roundings of the impulses, carried through the flights of which the last are short
        assert!((a.0 - b.0).abs() < 1e-11 && a.1 == b.1, "{a:?} {b:?}");
    }
}
