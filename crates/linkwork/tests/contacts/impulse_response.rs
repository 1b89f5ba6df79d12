//! What pulls do to rates: every formulation's response to impulses against its own accelerations, and against the others.

use linkwork::formulations::{
    Formulate, Joints, Kane, Lagrange, Momentum, NewtonEuler, Points, Recursive, Tmt, Twist, impulses,
};
use linkwork::interactions::BodyWrench;
use linkwork::linalg::spatial::Wrench;
use linkwork::linalg::vec3::{norm, sub};
use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Formulation, Inertia, Model};
use linkwork::results::Frame;

/// What a formulation says: changes of the bodies' velocities, and impulses of the joints.
fn response<F: Formulate>(
    name: &str,
    mechanism: &Mechanism,
    mut system: F,
    pulls: &[BodyWrench],
) -> (Vec<Twist>, Vec<Wrench>) {
    let y = system.start();
    let (n, bodies) = (y.len(), mechanism.bodies().len());
    let (mut free, mut loaded) = (vec![0.0; n], vec![0.0; n]);
    let none = vec![Twist::default(); bodies];
    let (mut a0, mut a1, mut change_of) = (none.clone(), none.clone(), none);
    system.derivative(0.0, &y, &mut free).unwrap();
    system.body_accelerations(&y, &free, &mut a0);
    let mut change = vec![0.0; system.rates().len()];
    system.respond(pulls, &mut change).unwrap();
    system.twists(&y, &change, &mut change_of);
    system.set_loads(pulls);
    system.derivative(0.0, &y, &mut loaded).unwrap();
    system.body_accelerations(&y, &loaded, &mut a1);
    system.set_loads(&[]);
    let mut off: f64 = 0.0;
    for (d, (a1, a0)) in change_of.iter().zip(a1.iter().zip(&a0)) {
        off = off.max(norm(sub(d.v, sub(a1.v, a0.v)))).max(norm(sub(d.w, sub(a1.w, a0.w))));
    }
    println!("{name}: response and accelerations differ by {off:.1e}");
    assert!(off < 1e-10, "{name}: {off}");
    let answer = impulses(&mut system, 0.0, &y, pulls, &mut Frame::new(mechanism)).unwrap();
    (change_of, answer.joints)
}

fn all(mechanism: &Mechanism, list: &[Formulation], pulls: &[BodyWrench]) {
    let mut first: Option<(Vec<Twist>, Vec<Wrench>)> = None;
    for &f in list {
        let of = match f {
            Formulation::Points => response("points", mechanism, Points::new(mechanism).unwrap(), pulls),
            Formulation::Recursive => {
                response("recursive", mechanism, Recursive::new(mechanism).unwrap(), pulls)
            }
            Formulation::Joints => response("joints", mechanism, Joints::new(mechanism).unwrap(), pulls),
            Formulation::Momentum => {
                response("momentum", mechanism, Momentum::new(mechanism).unwrap(), pulls)
            }
            Formulation::NewtonEuler => {
                response("newton-euler", mechanism, NewtonEuler::new(mechanism).unwrap(), pulls)
            }
            Formulation::Tmt => response("tmt", mechanism, Tmt::new(mechanism).unwrap(), pulls),
            Formulation::Lagrange => {
                response("lagrange", mechanism, Lagrange::new(mechanism).unwrap(), pulls)
            }
            Formulation::Kane => response("kane", mechanism, Kane::new(mechanism).unwrap(), pulls),
            _ => unreachable!("a new formulation belongs into this list"),
        };
        let (twists, joints) = first.get_or_insert_with(|| of.clone());
        for ((a, b), body) in twists.iter().zip(&of.0).zip(mechanism.bodies()) {
            // how a rod in space turns about itself is nobody's business
            let thin = mechanism.columns() == 3 && body.nodes.len() < 3;
            let off = norm(sub(a.v, b.v)).max(if thin { 0.0 } else { norm(sub(a.w, b.w)) });
            assert!(off < 1e-11, "{f:?}: velocities differ by {off}");
        }
        for (a, b) in joints.iter().zip(&of.1) {
            let off = norm(sub(a.force, b.force)).max(norm(sub(a.moment, b.moment)));
            assert!(off < 1e-11, "{f:?}: joint impulses differ by {off}");
        }
    }
}

#[test]
fn cross_response_in_the_plane() {
    let model = Model::planar("double pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.8, -0.6])
        .point("C", [1.5, -0.6])
        .ground(["A"])
        .body(Body::rod("upper", ["A", "B"], 2.0))
        .body(Body::rod("lower", ["B", "C"], 1.2))
        .angular_velocity("upper", [0.0, 0.0, 1.5])
        .angular_velocity("lower", [0.0, 0.0, -4.0]);
    let mechanism = model.assemble().unwrap();
    let pulls = [
        BodyWrench { body: 0, wrench: Wrench { force: [0.3, 1.0, 0.0], moment: [0.0, 0.0, 0.2] } },
        BodyWrench { body: 1, wrench: Wrench { force: [-2.0, 0.7, 0.0], moment: [0.0, 0.0, -0.4] } },
    ];
    all(&mechanism, &Formulation::ALL, &pulls);
}

#[test]
fn cross_response_in_space() {
    let model = Model::spatial("two bodies")
        .gravity([0.0, 0.0, -9.81])
        .point("A", [0.0, 0.0, 0.0])
        .point("B", [0.8, 0.1, -0.6])
        .point("C", [1.5, 0.3, -0.6])
        .point("D", [1.5, -0.3, -0.2])
        .ground(["A"])
        .body(Body::rod("upper", ["A", "B"], 2.0))
        .body(Body::rod("lower", ["B", "C"], 1.2))
        .body(Body::with_inertia(
            "last",
            ["C", "D"],
            0.7,
            [1.4, 0.1, -0.3],
            Inertia::Matrix([0.02, 0.03, 0.04, 0.002, -0.001, 0.003]),
        ))
        .angular_velocity("last", [1.0, -2.0, 0.5]);
    let mechanism = model.assemble().unwrap();
    let pulls = [
        BodyWrench { body: 0, wrench: Wrench { force: [0.3, 1.0, 0.5], moment: [0.0; 3] } },
        BodyWrench { body: 2, wrench: Wrench { force: [-2.0, 0.7, 0.2], moment: [0.3, 0.2, -0.4] } },
    ];
    let list = [
        Formulation::Points,
        Formulation::NewtonEuler,
        Formulation::Momentum,
        Formulation::Tmt,
        Formulation::Joints,
        Formulation::Lagrange,
    ];
    all(&mechanism, &list, &pulls);
}
