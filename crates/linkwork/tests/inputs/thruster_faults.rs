//! What is wrong with masses that vary and with thrusters is told: where, what, and what to do.

use linkwork::model::{Faults, Inertia, Mass, Model};

const HEAD: &str = "format = 1
points = { A = [0, 0], B = [1, 0], P = [2, 0] }
tables = { up = { x = [0, 1], y = [1, 2] }, down = { x = [0, 1], y = [1, -1] }, round = { x = [0, 1], y = [1, 1], interpolation = 'periodic' }, flat = { x = [0, 1], y = [0, 0] }, early = { x = [-1, 1], y = [1, 1] } }
simulation = { duration = 2 }
parameters = { m0 = '3 kg' }
[bodies]
ground = { points = ['A'] }
arm = { points = ['A', 'B'], mass = 1 }
";

fn faults(text: &str) -> Faults {
    match Model::from_toml(text) {
        Err(linkwork::Error::Model(faults)) => faults,
        Err(other) => panic!("{other}"),
        Ok(model) => model.assemble().err().unwrap_or_else(|| panic!("nothing wrong with\n{text}")),
    }
}

fn told(cases: &[(&str, &str, &str, &str)]) {
    for (text, path, message, help) in cases {
        let list = faults(&format!("{HEAD}{text}")).list;
        let found = list.iter().any(|fault| {
            fault.path == *path
                && fault.message.contains(message)
                && fault.help.as_deref().unwrap_or_default().contains(help)
        });
        assert!(found, "{text}\n{list:#?}");
    }
}

#[test]
#[rustfmt::skip]
fn exact_faults_of_masses() {
    told(&[
        ("p = { points = ['P'], mass = '1 + point.A.x' }", "bodies.p.mass", "may depend on the time `t` only, not on `point.A.x`", "tables"),
        ("p = { points = ['P'], mass = '2 - speed(B)' }", "bodies.p.mass", "may depend on the time `t` only", ""),
        ("p = { points = ['P'], mass = '2 - w' }\n[measures]\nw = 't'", "bodies.p.mass", "not on `w`", ""),
        ("p = { points = ['P'], mass = '2 - tt' }", "bodies.p.mass", "unknown name `tt`", "known here: m0, t"),
        ("p = { points = ['P'], mass = '2 - upp(t)' }", "bodies.p.mass", "no function or table `upp`", "did you mean `up`?"),
        ("p = { points = ['P'], mass = '2 m + t * 1 m/s' }", "bodies.p.mass", "expected", ""),
        ("p = { points = ['P'], mass = '1 - t' }", "bodies.p.mass", "must stay above zero, at t = 1.0", "burns"),
        ("p = { points = ['P'], mass = 't' }", "bodies.p.mass", "must stay above zero, at t = 0.0", ""),
        ("p = { points = ['P'], mass = '-2 + t' }", "bodies.p.mass", "must not be negative", ""),
        ("p = { points = ['P'], mass = '1 + sqrt(1 - t)' }", "bodies.p.mass", "no value at t = 1.002", ""),
        ("p = { points = ['P'], density = 1 }", "bodies.p", "does not say how its mass is spread", "a particle"),
        ("p = { points = ['P', 'A', 'B'], mass = '1 - 0.1 * t' }", "bodies.p", "does not say how its mass is spread", ""),
    ]);
}

#[test]
#[rustfmt::skip]
fn exact_faults_of_thrusters() {
    let cases = [
        ("direction = [1, 0]", "", "does not say how much", "`impulse` and `curve`"),
        ("direction = [1, 0], thrust = 1, impulse = 2", "", "`thrust` and `impulse` are both given", ""),
        ("direction = [1, 0], thrust = 1, curve = 'up'", "", "`thrust` and `curve` are both given", ""),
        ("direction = [1, 0], impulse = 2", "", "needs a `burn_time` or a `curve`", ""),
        ("direction = [1, 0], impulse = 2, burn_time = 1, curve = 'up'", "", "has its own end", ""),
        ("direction = [1, 0], curve = 'up'", "", "a `curve` needs an `impulse`", ""),
        ("direction = [1, 0], impulse = 2, burn_time = 0", ".burn_time", "must be more than zero", ""),
        ("direction = [1, 0], impulse = -2, burn_time = 1", ".impulse", "must not be negative", ""),
        ("direction = [1, 0], impulse = '2 N', burn_time = 1", ".impulse", "expected", ""),
        ("direction = [1, 0], impulse = 2, curve = 'ups'", ".curve", "there is no table `ups`", "did you mean `up`?"),
        ("direction = [1, 0], impulse = 2, curve = 'down'", ".curve", "falls to -1", ""),
        ("direction = [1, 0], impulse = 2, curve = 'round'", ".curve", "periodic", "interpolation"),
        ("direction = [1, 0], impulse = 2, curve = 'flat'", ".curve", "zero throughout", ""),
        ("direction = [1, 0], impulse = 2, curve = 'early'", ".curve", "begins at -1", "`start`"),
        ("direction = [1, 0], thrust = 'point.P.vx'", ".thrust", "`thrust` may depend on the time `t` only", ""),
        ("direction = [1, 0], thrust = '1 / (t - t)'", ".thrust", "no finite value", ""),
        ("direction = [0, 0], thrust = 1", ".direction", "no direction", ""),
        ("direction = [0, 0, 1], thrust = 1", ".direction", "no thrust along z", ""),
        ("direction = 'ahead', thrust = 1", ".direction", "\"velocity\"", ""),
        ("direction = 'velocity', thrust = 1", "", "`launch_direction` is missing", "launch_direction = "),
        ("direction = 'velocity', launch_direction = [0, 1], axes = 'body', thrust = 1", ".axes", "has no axes", ""),
        ("direction = [1, 0], launch_direction = [0, 1], thrust = 1", ".launch_direction", "belongs to direction = \"velocity\"", ""),
        ("direction = [1, 0], launch_speed = 1, thrust = 1", ".launch_speed", "belongs to", ""),
        ("direction = [1, 0], axes = 'body', thrust = 1", ".axes", "can carry no couple", ""),
        ("direction = [1, 0], thrust = 1, propellant = 0.1", ".propellant", "no impulse in all", "`burn_time`"),
        ("direction = [1, 0], impulse = 1, burn_time = 1, propellant = 0.1, exhaust_velocity = 10", "", "both given", ""),
        ("direction = [1, 0], thrust = 'sin(4 * t)', exhaust_velocity = 100", ".thrust", "negative at t = 0.78", "direction"),
        ("direction = [1, 0], impulse = 1, burn_time = 1, exhaust_velocity = 0", ".exhaust_velocity", "more than zero", ""),
        ("direction = [1, 0], impulse = 1, burn_time = 1, efficiency = -1", ".efficiency", "must not be negative", ""),
        ("direction = [1, 0], impulse = 1, burn_time = 1, start = -1", ".start", "must not be negative", ""),
        ("direction = [1, 0], at = 'A', thrust = 1", ".at", "not a point of `p`", ""),
        ("direction = [1, 0], thrust = 1, thrsut = 2", ".thrsut", "", "did you mean `thrust`?"),
    ];
    for (keys, key, message, help) in cases {
        let text = format!("p = {{ points = ['P'], mass = 1 }}\n[thrusters]\nj = {{ body = 'p', {keys} }}\n");
        told(&[(&text, &format!("thrusters.j{key}"), message, help)]);
    }
    told(&[
        ("p = { points = ['P'], mass = 1 }\n[thrusters]\nj = { body = 'ground', direction = [1, 0], thrust = 1 }", "thrusters.j.body", "moves nothing", ""),
        ("p = { points = ['P'], mass = 1 }\n[thrusters]\nj = { body = 'p', direction = [1, 0], impulse = 1, burn_time = 1.5, propellant = 1.2 }", "bodies.p.mass", "must stay above zero, at t = 1.25", "burns"),
        ("p = { points = ['P'], mass = 1 }\n[thrusters]\na = { body = 'p', direction = [1, 0], impulse = 1, burn_time = 1, propellant = 0.6 }\nb = { body = 'p', direction = [1, 0], thrust = 1, exhaust_velocity = 2 }", "bodies.p.mass", "must stay above zero", ""),
        ("p = { points = ['P'], mass = 1 }\n[thrusters]\nj = { body = 'p', direction = [1, 0], thrust = 1 }\n[forces]\nf = { body = 'p', force = ['thruster.j.frce', 0] }", "forces.f.force[0]", "a thruster has no `frce`", "mass_flow"),
    ]);
}

/// What a file says is what the builder makes.
#[test]
fn exact_particles_and_laws_from_files() {
    let text = format!("{HEAD}p = {{ points = ['P'], mass = 'm0 + 2 kg * up(t) - t * 0.5 kg/s' }}\n");
    let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.bodies[1].mass, Mass::Given { mass: 5.0, com: "P".into(), inertia: Inertia::Point });
    let mechanism = model.assemble().unwrap();
    assert_eq!((mechanism.masses().len(), mechanism.masses()[0].base), (1, 5.0));
    let now = mechanism.masses()[0].at(0.5, &mut Vec::new());
    assert!((now.mass - 5.75).abs() < 1e-14 && (now.rate - 1.5).abs() < 1e-13, "{now:?}");
    let later = model.assemble_with_masses_at(0.5).unwrap();
    assert!((later.bodies()[1].particles.properties.mass - 5.75).abs() < 1e-14);
    let now = later.masses()[0].at(0.5, &mut Vec::new());
    assert_eq!(now.factor, 1.0);
    // a constant in the clothes of a formula is a constant
    let text = format!("{HEAD}p = {{ points = ['P'], mass = '2 * m0' }}\n");
    let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(model.bodies[1].mass_law, None);
    assert_eq!(model.bodies[1].mass, Mass::Given { mass: 6.0, com: "P".into(), inertia: Inertia::Point });
}
