//! What is wrong with force elements is told: where, what, and what to do.

use linkwork::model::{Faults, Model};

const HEAD: &str = "format = 1
points = { A = [0, 0], B = [1, 0], C = [2, 0], D = [0, 3] }
[bodies]
ground = { points = ['A', 'D'] }
arm = { points = ['A', 'B'], mass = 1 }
tip = { points = ['B', 'C'], mass = 1 }
[joints.elbow]
type = 'revolute'
bodies = ['arm', 'tip']
at = 'B'
";

const SPACE: &str = "format = 1
points = { A = [0, 0, 0], B = [1, 0, 0], C = [2, 0, 0] }
[bodies]
ground = { points = ['A'] }
rod = { points = ['A', 'B'], mass = 1 }
block = { points = ['C'], mass = 1, com = [2, 0, 0], inertia = [1, 1, 1] }
";

fn faults(text: &str) -> Faults {
    match Model::from_toml(text) {
        Err(linkwork::Error::Model(faults)) => faults,
        Err(other) => panic!("{other}"),
        Ok(model) => model.assemble().err().unwrap_or_else(|| panic!("nothing wrong with\n{text}")),
    }
}

fn told(head: &str, cases: &[(&str, &str, &str, &str)]) {
    for (text, path, message, help) in cases {
        let list = faults(&format!("{head}{text}")).list;
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
fn exact_faults_in_the_plane() {
    told(HEAD, &[
        ("[springs]\ns = { between = ['A', 'C'] }", "springs.s", "needs a `stiffness`", "law"),
        ("[springs]\ns = { between = ['A', 'C'], law = 'lenght' }", "springs.s.law", "unknown name `lenght`", "did you mean `length`?"),
        ("[springs]\ns = { between = ['A', 'C'], table = 'sof' }\n[tables]\nsoft = { x = [0, 1], y = [0, 1] }", "springs.s.table", "no table `sof`", "did you mean `soft`?"),
        ("[springs]\ns = { between = ['A', 'C'], law = 'point.A.ax' }", "springs.s.law", "cannot depend on accelerations", ""),
        ("[springs]\ns = { between = ['A', 'C'], law = '2 m' }", "springs.s.law", "expected", ""),
        ("[springs]\ns = { between = ['A', 'C'], law = 'sqrt(length - 5)' }", "springs.s", "no finite value where the motion starts", ""),
        ("[torsion_springs]\nt = { stiffness = 1 }", "torsion_springs.t", "acts on nothing", "joint"),
        ("[torsion_springs]\nt = { joint = 'elbow', bodies = ['arm', 'tip'], stiffness = 1 }", "torsion_springs.t", "both", ""),
        ("[torsion_springs]\nt = { joint = 'elbo', stiffness = 1 }", "torsion_springs.t.joint", "no joint `elbo`", "did you mean `elbow`?"),
        ("[torsion_springs]\nt = { joint = 'elbow', coordinate = 2, stiffness = 1 }", "torsion_springs.t.coordinate", "has 1 coordinate", ""),
        ("[torsion_springs]\nt = { bodies = ['arm', 'tpi'], stiffness = 1 }", "torsion_springs.t.bodies[1]", "no body `tpi`", "did you mean `tip`?"),
        ("[torsion_springs]\nt = { bodies = ['arm', 'arm'], stiffness = 1 }", "torsion_springs.t.bodies[1]", "against itself", ""),
        ("[torsion_springs]\nt = { bodies = ['arm', 'tip'] }", "torsion_springs.t", "needs a `stiffness`", ""),
        ("[torsion_springs]\nt = { bodies = ['arm', 'tip'], axis = [0, 1], stiffness = 1 }", "torsion_springs.t.axis", "turn about z", ""),
        ("[torsion_springs]\nt = { joint = 'elbow', stiffness = '3 N/m' }", "torsion_springs.t.stiffness", "expected", ""),
        ("[bushings]\nb = { bodies = ['arm', 'ground'], at = 'C', stiffness = [1, 1, 1] }", "bushings.b.at", "neither", "name a point"),
        ("[bushings]\nb = { bodies = ['arm', 'tip'], at = 'B', stiffness = [1, 1, 1, 1, 1, 1] }", "bushings.b.stiffness", "three numbers", ""),
        ("[bushings]\nb = { bodies = ['arm', 'tip'], at = 'B', stiffness = [1, 1, '3 N/m'] }", "bushings.b.stiffness[2]", "expected", ""),
        ("[bushings]\nb = { bodies = ['arm', 'tip'], at = 'B', stiffness = [1, 1, -1] }", "bushings.b.stiffness[2]", "negative", ""),
        ("[bushings]\nb = { bodies = ['arm', 'tip'], at = 'B', axes = [[1, 0], [2, 0]], stiffness = [1, 1, 1] }", "bushings.b.axes", "parallel", ""),
        ("[bushings]\nb = { bodies = ['arm', 'tip'], at = 'B', axes = [[1, 0], [0, -1]], stiffness = [1, 1, 1] }", "bushings.b.axes", "clockwise", "opposite"),
        ("[motors]\na = { joint = 'elbow', stall_torque = 1 }", "motors.a", "needs a `no_load_speed`", "`curve`"),
        ("[motors]\na = { joint = 'elbow' }", "motors.a", "what the motor can do", "`curve`"),
        ("[motors]\na = { joint = 'elbow', stall_torque = 1, no_load_speed = 1, curve = 'c' }", "motors.a", "which are given, too", ""),
        ("[motors]\na = { stall_torque = 1, no_load_speed = 1 }", "motors.a", "acts on nothing", "between"),
        ("[motors]\na = { joint = 'elbow', curve = 'c' }", "motors.a.curve", "no table `c`", ""),
        ("[motors]\na = { joint = 'elbow', stall_torque = 1, no_load_speed = 0 }", "motors.a.no_load_speed", "more than zero", ""),
        ("[motors]\na = { joint = 'elbow', stall_torque = 1, no_load_speed = 1, gear = 0 }", "motors.a.gear", "ratio zero", ""),
        ("[motors]\na = { joint = 'elbow', stall_torque = 1, no_load_speed = 1, gear = '2 rad/m' }", "motors.a.gear", "expected a plain number or angle", ""),
        ("[actuators]\na = { force = 1 }", "actuators.a", "acts on nothing", "between"),
        ("[actuators]\na = { joint = 'elbow', body = 'arm', torque = 1 }", "actuators.a", "one thing", ""),
        ("[actuators]\na = { joint = 'elbow' }", "actuators.a", "does nothing", "controller"),
        ("[actuators]\na = { joint = 'elbow', force = 1 }", "actuators.a.force", "an angle", "`torque`"),
        ("[actuators]\na = { between = ['A', 'C'], torque = 1 }", "actuators.a.torque", "between two points", "`force`"),
        ("[actuators]\na = { body = 'arm', coordinate = 1, torque = 1 }", "actuators.a.coordinate", "belongs to a joint", ""),
        ("[actuators]\na = { joint = 'elbow', torque = 'actuator.a.power' }", "actuators.a.torque", "worked out later", ""),
        ("[actuators]\na = { joint = 'elbow', torque = 'driver.d.torque' }\n[drivers]\nd = { joint = 'A', value = 't' }", "actuators.a.torque", "worked out later", ""),
        ("[actuators]\na = { joint = 'elbow', torque = 1 }\nb = { joint = 'A', torque = 'actuator.a.torque' }", "actuators.b.torque", "cannot depend on", ""),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pi', setpoint = 0, kp = 1 } }", "actuators.a.controller.type", "unknown type of controller `pi`", "pd"),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pd', setpoint = 0, kp = 1, stiffness = 1 } }", "actuators.a.controller.kp", "`kp` is `stiffness`", ""),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pd', setpoint = 0 } }", "actuators.a.controller", "needs a `stiffness`", ""),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pd', setpoint = 0, kp = 1, ki = 1 } }", "actuators.a.controller.ki", "`ki` belongs to an integral part", "pid"),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pd', setpoint = 0, kp = 1, tracking_time = 1 } }", "actuators.a.controller.tracking_time", "`tracking_time` belongs", "pid"),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pid', setpoint = 0, kp = 1 } }", "actuators.a.controller", "a `pid` needs a `ki`", "pd"),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pid', setpoint = 0, kp = 1, ki = 0 } }", "actuators.a.controller.ki", "must be more than zero", ""),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pid', setpoint = 0, kp = 1, ki = '3 N/m' } }", "actuators.a.controller.ki", "expected", ""),
        ("[actuators]\na = { joint = 'elbow', limit = 3, controller = { type = 'pid', setpoint = 0, kd = 1, ki = 3 } }", "actuators.a.controller", "nothing says how fast the integral is led back", "tracking_time"),
        ("[actuators]\na = { joint = 'elbow', torque = 1, every = 0 }", "actuators.a.every", "must be more than zero", ""),
        ("[actuators]\na = { joint = 'elbow', limit = 3, every = '2 s', controller = { type = 'pid', setpoint = 0, kp = 1, ki = 3 } }", "actuators.a.every", "is longer than the time in which the integral is led back", "tracking_time"),
        ("[states]\na = { next = 'state.a + 1' }", "states.a.next", "nothing says when this value is taken", "every"),
        ("[states]\na = { rate = 1, every = 1 }", "states.a.every", "`every` belongs to `next`", "remove"),
        ("[states]\na = { rate = 1, next = 1, every = 1 }", "states.a", "a `rate` or a `next`", "keep one"),
        ("[states]\na = { initial = 1 }", "states.a", "nothing says how this state changes", "rate"),
        ("[states]\na = { next = 1, every = 1, scale = 3 }", "states.a.scale", "belongs to a `rate`", ""),
        ("[states]\na = { next = 1, every = -1 }", "states.a.every", "must be more than zero", ""),
        ("[states]\na = { next = 'sqrt(t - 1)', every = 1 }", "states.a.next", "no finite value where the motion starts", ""),
        ("[actuators]\na = { joint = 'elbow', torque = 1 }\n[measures]\nm = 'actuator.a.integral'", "measures.m", "has no `integral`, it has torque, power", ""),
        ("[actuators]\na = { joint = 'elbow', controller = { type = 'pd', setpoint = '3 kg', kp = 1 } }", "actuators.a.controller.setpoint", "expected", ""),
        ("[actuators]\na = { joint = 'elbow', torque = 1, limit = -3 }", "actuators.a.limit", "negative", ""),
        ("[drags]\nd = { body = 'arm' }", "drags.d", "needs a `coefficient`", ""),
        ("[drags]\nd = { body = 'arm', density = 1, area = 1 }", "drags.d", "needs a `coefficient`", ""),
        ("[drags]\nd = { body = 'arm', coefficient = 1, cd = 1 }", "drags.d", "given, too", ""),
        ("[drags]\nd = { body = 'ground', coefficient = 1 }", "drags.d.body", "moves nothing", ""),
        ("[drags]\nd = { body = 'arm', at = 'C', coefficient = 1 }", "drags.d.at", "not a point of `arm`", ""),
        ("[drags]\nd = { body = 'arm', coefficient = 1, wind = ['x', 0] }", "drags.d.wind[0]", "unknown name `x`", ""),
        ("[cables]\nc = { through = ['A'], stiffness = 1 }", "cables.c.through", "two ends", ""),
        ("[cables]\nc = { through = ['A', 'A'], stiffness = 1 }", "cables.c.through[1]", "twice in a row", ""),
        ("[cables]\nc = { through = ['A', 'X'], stiffness = 1 }", "cables.c.through[1]", "no point `X`", ""),
        ("[cables]\nc = { through = ['A', 'C'] }", "cables.c", "needs a `stiffness`", "inextensible"),
        ("[cables]\nc = { through = ['A', 'C'], inextensible = true, stiffness = 1 }", "cables.c.stiffness", "has no `stiffness`", ""),
        ("[cables]\nc = { through = ['A', 'C'], stiffness = 1, pulleys.C = { radius = 1, side = 'left' } }", "cables.c.pulleys.C", "no pulley", "winch"),
        ("[cables]\nc = { through = ['A', 'C'], stiffness = 1, pulleys.D = { radius = 1, side = 'left' } }", "cables.c.pulleys.D", "no point of this cable", ""),
        ("[cables]\nc = { through = ['A', 'B', 'D'], stiffness = 1, pulleys.B = { radius = 2, side = 'left' } }", "cables.c.through[1]", "too near", ""),
        ("[cables]\nc = { through = ['A', 'C', 'D'], stiffness = 1, pulleys.C = { radius = 1, side = 'lef' } }", "cables.c.pulleys.C.side", "unknown side `lef`", "did you mean `left`?"),
        ("[cables]\nc = { through = ['A', 'D'], inextensible = true }", "cables.c.through", "anything that moves", ""),
        ("[cables]\nc = { through = ['A', 'C'], stiffness = 1, winch = { joint = 'no', radius = 1 } }", "cables.c.winch.joint", "no joint `no`", ""),
        ("[forces]\nf = { body = 'arm', force = [1, 't / x'] }", "forces.f.force[1]", "unknown name `x`", ""),
        ("[forces]\nf = { body = 'arm', force = [1, 0], axes = 'bdy' }", "forces.f.axes", "unknown kind of axes", "did you mean `body`?"),
        ("[couples]\nf = { body = 'arm', moment = 'poit.A.x' }", "couples.f.moment", "unknown name", "did you mean `point`?"),
        ("[measures]\nm = 'actuater.a.force'", "measures.m", "unknown name", "did you mean `actuator`?"),
        ("[measures]\nm = 'actuator.b.force'\n[actuators]\na = { joint = 'elbow', torque = 1 }", "measures.m", "no actuator `b`", "a"),
        ("[measures]\nm = 'actuator.a.force'\n[actuators]\na = { joint = 'elbow', torque = 1 }", "measures.m", "has no `force`, it has torque, power", ""),
        ("[measures]\nm = 'bushing.b.z'\n[bushings]\nb = { bodies = ['arm', 'ground'], at = 'D', stiffness = [1, 1, 1] }", "measures.m", "no `z`", "a bushing has x, y, rz"),
        ("[measures]\nm = 'force.f.x'\n[forces]\nf = { body = 'arm', force = [1, 0] }", "measures.m", "never changes", ""),
    ]);
    let joints = |keys: &str| format!("{HEAD}{keys}");
    let joint = |keys: &str, path: &str, message: &str, help: &str| {
        told(&joints(keys), &[("", path, message, help)]);
    };
    joint("stiffness = '3 N/m'", "joints.elbow.stiffness", "expected", "");
    joint("stiffness = [1, 2]", "joints.elbow.stiffness", "has one coordinate, here are 2", "");
    joint("damping = -1", "joints.elbow.damping", "negative", "");
    joint("limits = [1, 0]\nlimit_stiffness = 1", "joints.elbow.limits", "below the second", "");
    joint("limits = [-1, 1]", "joints.elbow.limits", "need a `limit_stiffness`", "");
    joint("limits = [-1, 1, 2]", "joints.elbow.limits", "two limits", "");
    joint("limit_stiffness = 1", "joints.elbow.limit_stiffness", "needs `limits`", "");
    joint("friction = 1\nfriction_speed = 0", "joints.elbow.friction_speed", "more than zero", "");
    joint("stifness = 1", "joints.elbow.stifness", "unknown key", "did you mean `stiffness`?");
    told(&HEAD.replace("revolute", "fixed"), &[("stiffness = 1", "joints.elbow.stiffness", "a fixed joint has no coordinate", "")]);
}

#[test]
#[rustfmt::skip]
fn exact_faults_in_space() {
    told(SPACE, &[
        ("[torsion_springs]\nt = { bodies = ['ground', 'block'], stiffness = 1 }", "torsion_springs.t", "needs an `axis`", ""),
        ("[torsion_springs]\nt = { bodies = ['ground', 'rod'], axis = [1, 1, 0], stiffness = 1 }", "torsion_springs.t.axis", "turned about itself", "thickness"),
        ("[actuators]\na = { body = 'rod', axis = [1, 0, 0], torque = 1 }", "actuators.a.axis", "turned about itself", ""),
        ("[couples]\nc = { body = 'rod', moment = ['t', 0, 0] }", "couples.c", "can carry no couple", ""),
        ("[bushings]\nb = { bodies = ['ground', 'rod'], at = 'B', stiffness = [1, 1, 1, 1, 1, 1] }", "bushings.b.bodies[1]", "can carry no couple", ""),
        ("[bushings]\nb = { bodies = ['ground', 'block'], at = 'C', stiffness = [1, 1, 1] }", "bushings.b.stiffness", "six numbers", ""),
        ("[cables]\nc = { through = ['A', 'B', 'C'], stiffness = 1, pulleys.B = { radius = 0.1, side = 'left' } }", "cables.c", "need an `axis`", ""),
        ("[forces]\nf = { body = 'block', force = ['t', 0] }", "forces.f.force", "three numbers", ""),
    ]);
}

/// A table that ends, and a formula that has no value later on, end the run with an error instead of a number.
#[test]
fn exact_runs_end_where_a_force_has_no_value() {
    let text = "[springs]\ns = { between = ['D', 'C'], law = 'sqrt(0.2 - t)' }\n[simulation]\nduration = 1";
    let mechanism = Model::from_toml(&format!("{HEAD}{text}")).unwrap().assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let linkwork::simulation::Status::Failed(failure) = &run.summary.status else {
        panic!("{:?}", run.summary)
    };
    assert!((failure.t - 0.2).abs() < 1e-3, "{failure:?}");
    assert_eq!(failure.code, "not-finite", "{failure:?}");
}

/// What is infinite or has no value is told with its place, whatever would swallow it: at the start and later, in forces, drivers, measures and tables.
#[test]
fn exact_nothing_swallows_what_is_infinite() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/infinite-swallowed-by-limit.toml");
    let mechanism = Model::from_file(case).unwrap().assemble().unwrap();
    let run = mechanism.simulate().unwrap();
    let linkwork::simulation::Status::Failed(failure) = &run.summary.status else {
        panic!("{:?}", run.summary)
    };
    println!("{}", failure.message);
    assert!(failure.t >= 0.39 && failure.t <= 0.4, "{failure:?}");
    for word in ["actuator.m1", "infinite", "`1/(t - t)`"] {
        assert!(failure.message.contains(word), "{failure:?}");
    }
    let later = "[simulation]\nduration = 1\noutput_step = 0.1";
    for (text, name, place) in [
        (
            "[couples]\nc = { body = 'arm', moment = 'clamp(if(t > 0.3, 1/(t-t), 0), -1, 1)' }",
            "couple.c",
            "1/(t-t)",
        ),
        (
            "[couples]\nc = { body = 'arm', moment = 'min(if(t > 0.3, sqrt(0.2 - t), 0), 1)' }",
            "couple.c",
            "sqrt(0.2 - t)",
        ),
        (
            "[couples]\nc = { body = 'arm', moment = 'if(t > 0.3, min(exp(2000*t), 1), 0)' }",
            "couple.c",
            "exp(2000*t)",
        ),
        (
            "[springs]\ns = { between = ['D', 'C'], law = 'max(0, 1/(if(t > 0.3, 0, 1)))' }",
            "spring.s",
            "1/(if(t > 0.3, 0, 1))",
        ),
        (
            "[drivers]\nd = { joint = 'A', value = 'if(t < 0.35, t, min(1/(t-t), 1))' }",
            "driver `d`",
            "1/(t-t)",
        ),
        ("[measures]\nx = 'if(t > 0.3, min(1/(t-t), 2), 0)'", "measure.x", "1/(t-t)"),
        ("[measures]\nx = 'if(t > 0.3, ln(t-t), 0)'\ny = 'x > 1'", "measure.x", "ln(t-t)"),
        (
            "[tables.p]\nx = [0, 1]\ny = [0, 1]\n[measures]\nx = 'p(1/(if(t > 0.3, 0, 1)))'",
            "measure.x",
            "1/(if(t > 0.3, 0, 1))",
        ),
    ] {
        let model = Model::from_toml(&format!("{HEAD}{text}\n{later}"))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let run = model
            .assemble()
            .unwrap_or_else(|faults| panic!("{text}: {}", faults.render(false)))
            .simulate()
            .unwrap();
        let linkwork::simulation::Status::Failed(failure) = &run.summary.status else {
            panic!("{text}: swallowed")
        };
        println!("{}: {}", failure.t, failure.message);
        assert!((0.29..=0.41).contains(&failure.t), "{text}: {failure:?}");
        assert!(
            failure.message.contains(name) && failure.message.contains(&format!("`{place}`")),
            "{text}: {failure:?}"
        );
    }
    // and at the start, before anything runs
    for (text, place) in [
        ("[couples]\nc = { body = 'arm', moment = 'min(1/0, 5)' }", "infinite"),
        ("[couples]\nc = { body = 'arm', moment = 'min(1/(t - t), 5)' }", "infinite"),
        ("[drivers]\nd = { joint = 'A', value = 'min(1/(t-t), 1)' }", "infinite"),
        ("[measures]\nx = '1/0'", "infinite"),
        ("[measures]\nx = 'max(0/0, 1)'", "not a number"),
    ] {
        let told = faults(&format!("{HEAD}{text}")).list;
        assert!(told.iter().any(|fault| fault.message.contains(place)), "{text}: {told:?}");
    }
}
