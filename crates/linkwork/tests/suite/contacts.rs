//! Contacts for tests.

use linkwork::contact::Feature;
use linkwork::interactions::{BodyPoint, Direction};
use linkwork::linalg::vec3::sub;
use linkwork::mechanism::{Mechanism, MechanismContact};
use linkwork::simulation::{Status, Trajectory};

/// A place on a body, as drawn.
pub fn spot(mechanism: &Mechanism, body: &str, at: [f64; 3]) -> BodyPoint {
    let b = mechanism.bodies().iter().position(|b| b.name == body).unwrap();
    BodyPoint { body: Some(b), s: sub(at, mechanism.bodies()[b].particles.properties.com) }
}

/// A ball about a spot (radius 0 for a corner) above a plane of the ground.
#[allow(clippy::too_many_arguments)]
pub fn against_ground(
    mechanism: &mut Mechanism,
    name: &str,
    through: [f64; 3],
    normal: [f64; 3],
    centre: BodyPoint,
    radius: f64,
    friction: f64,
    restitution: f64,
) {
    let plane = BodyPoint { body: None, s: through };
    let normal = Direction { body: None, u: normal };
    let feature = Feature::BallOnPlane { plane, normal, centre, radius };
    mechanism.add_contact(MechanismContact {
        name: name.into(),
        feature,
        friction,
        restitution,
        hidden: false,
    });
}

/// Two balls about the centres of mass of bodies.
pub fn ball_pair(
    mechanism: &mut Mechanism,
    name: &str,
    bodies: [&str; 2],
    radii: [f64; 2],
    friction: f64,
    restitution: f64,
) {
    let [first, second] = bodies.map(|name| {
        let b = mechanism.bodies().iter().position(|b| b.name == name);
        BodyPoint { body: b, s: [0.0; 3] }
    });
    let feature = Feature::Balls { first, second, radii };
    mechanism.add_contact(MechanismContact {
        name: name.into(),
        feature,
        friction,
        restitution,
        hidden: false,
    });
}

/// Runs a mechanism that must finish, meet its constraints and not sink in.
pub fn run_with(mechanism: &Mechanism) -> Trajectory {
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    assert!(run.summary.constraint_residual < 1e-12 * run.summary.size, "{:?}", run.summary);
    for frame in &run.frames {
        for state in &frame.contacts {
            assert!(state.gap > -1e-11 * run.summary.size, "t = {}: {state:?}", frame.t);
        }
    }
    run
}
