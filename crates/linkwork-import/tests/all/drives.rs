//! Actuators, tendons, keyframes and sensors of MJCF.

use crate::{assert_noted, column, last};
use linkwork_import::{Import, Options, import_text};

fn read(text: &str) -> Import {
    import_text("robot.xml", text, &Options::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn model(imported: &Import) -> linkwork::Model {
    imported.model().unwrap_or_else(|error| panic!("{error}\n{}", imported.toml))
}

/// A slide of 2 kg without gravity, and one actuator.
fn slide(actuator: &str, key: &str) -> String {
    format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='s' type='slide' axis='1 0 0' range='-3 5'/><geom size='.1' mass='2'/></body></worldbody>\n\
         <actuator>{actuator}</actuator><keyframe><key name='k' {key}/></keyframe></mujoco>"
    )
}

/// What an actuator does at the start, N, with s = 0.5 m and v = 0.25 m/s.
#[test]
fn exact_forces_of_every_kind() {
    for (actuator, control, expected) in [
        ("<motor joint='s' gear='3'/>", 0.7, 2.1),
        ("<position joint='s' kp='10' kv='2'/>", 0.7, 10.0 * 0.2 - 0.5),
        ("<position joint='s' kp='10' kv='2' gear='3'/>", 0.7, 3.0 * (10.0 * (0.7 - 1.5) - 2.0 * 0.75)),
        ("<velocity joint='s' kv='4'/>", 0.7, 4.0 * 0.45),
        ("<damper joint='s' kv='4' ctrlrange='0 1'/>", 0.7, -4.0 * 0.7 * 0.25),
        (
            "<general joint='s' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6'/>",
            0.7,
            0.7 * (1.0 + 1.0 + 0.75) + 4.0 + 2.5 + 1.5,
        ),
        ("<position joint='s' kp='10' inheritrange='1'/>", 9.0, 10.0 * 4.5),
        ("<motor joint='s' ctrlrange='-0.5 0.5'/>", 0.7, 0.5),
        ("<motor joint='s' forcerange='-0.1 0.3'/>", 0.7, 0.3),
        // ζ = 1 with 2 kg: b = 2 √(k m)
        ("<position joint='s' kp='8' dampratio='1'/>", 0.5, -2.0 * 4.0 * 0.25),
        // it begins at zero
        ("<general joint='s' dyntype='filter' dynprm='0.2' gainprm='5' biastype='none'/>", 0.7, 0.0),
    ] {
        let imported = read(&slide(actuator, &format!("qpos='0.5' qvel='0.25' ctrl='{control}'")));
        let force = column(model(&imported), 0.1, "actuator.s.force")[0];
        assert!((force - expected).abs() < 1e-12, "{actuator}: {force} {expected}\n{}", imported.toml);
    }
    let muscle = read(&slide("<muscle joint='s'/>", "ctrl='0.5'"));
    assert_noted(&muscle, &["changed", "`muscle`", "left out"]);
}

/// A filter follows its input, a(t) = u (1 − e^(−t/τ)), and an integrator runs up to its limit.
#[test]
fn exact_activations() {
    let text = "<general name='f' joint='s' dyntype='filterexact' dynprm='0.2' gainprm='5' biastype='none'/>";
    let filter = read(&slide(text, "ctrl='0.7'"));
    let a = last(model(&filter), 0.5, "state.f");
    assert!((a - 0.7 * (1.0 - (-2.5f64).exp())).abs() < 1e-8, "{a}");
    // the force of a cylinder is its pressure times its area
    let cylinder = read(&slide("<cylinder name='c' joint='s' area='3' timeconst='0.1'/>", "ctrl='0.7'"));
    let force = last(model(&cylinder), 0.5, "actuator.c.force");
    assert!((force - 3.0 * 0.7 * (1.0 - (-5.0f64).exp())).abs() < 1e-8, "{force}");
    let servo = read(&slide("<intvelocity name='i' joint='s' kp='10' actrange='-0.2 0.2'/>", "ctrl='0.7'"));
    let run = column(model(&servo), 1.0, "state.i");
    assert!((run[2] - 0.14).abs() < 1e-9 && (run[10] - 0.2).abs() < 1e-3, "{run:?}");
}

/// A free body with a ball below it, and a hinge: two keyframes.
const KEYS: &str = "<mujoco><worldbody><body name='b' pos='0 0 1'><freejoint name='root'/><geom size='.1'/><site name='s' pos='0 0 .3'/>\n\
    <body name='c' pos='1 0 0'><joint name='ball' type='ball' pos='-.5 0 0'/><geom size='.1' pos='.2 0 0'/>\n\
    <body name='d' pos='1 0 0'><joint name='h' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body></body></body></worldbody>\n\
    <keyframe><key name='stand' qpos='0 0 2 1 0 0 0 1 0 0 0 0.1'/>\n\
    <key name='lie' qpos='3 4 0.2 0.7071067811865476 0 0.7071067811865476 0 0.7071067811865476 0 0 0.7071067811865476 0' qvel='1 2 3 0.5 0 0 0 0 0 0'/>\n\
    </keyframe></mujoco>";

/// The body stands where the keyframe has it, and what hangs on it goes along: x of the body points down, then the ball turns about its z.
#[test]
fn exact_keyframes() {
    let with = |keyframe: Option<&str>| {
        let options = Options { keyframe: keyframe.map(str::to_owned), ..Options::default() };
        import_text("robot.xml", KEYS, &options)
    };
    let first = with(None).unwrap();
    assert_eq!(first.robot.links[0].pose.origin[2], 2.0);
    assert_eq!(first.robot.initial.iter().find(|initial| initial.joint == 2).unwrap().q, 0.1);
    assert_noted(&first, &["left out", "`lie`", "--keyframe"]);
    for name in ["lie", "1"] {
        let lying = with(Some(name)).unwrap();
        let at = |n: usize| lying.robot.links[n].pose.origin;
        let near = |a: nalgebra::Vector3<f64>, b: [f64; 3]| {
            assert!((a - nalgebra::Vector3::from(b)).norm() < 1e-12, "{a}");
        };
        near(at(0), [3.0, 4.0, 0.2]);
        // a quarter about y: x down, z along x; the anchor is half a metre down, the body another half along the turned x, which is y
        near(at(1), [3.0, 4.5, -0.3]);
        near(at(2), [3.0, 5.5, -0.3]);
        let motion = &lying.robot.initial_motions[0];
        near(motion.velocity, [1.0, 2.0, 3.0]);
        near(motion.angular, [0.0, 0.0, -0.5]);
        let speed = column(model(&lying), 0.01, "point.root.vy")[0];
        assert!((speed - 2.0).abs() < 1e-12, "{speed}\n{}", lying.toml);
    }
    assert_eq!(with(Some("none")).unwrap().robot.links[0].pose.origin[2], 1.0);
    let told = with(Some("jump")).unwrap_err().to_string();
    assert!(told.contains("there is no keyframe `jump`: there are `stand`, `lie`"), "{told}");
    // what `--base` takes away is still counted
    let fixed = Options { base: Some(linkwork_import::Base::Fixed), ..Options::default() };
    assert_eq!(import_text("robot.xml", KEYS, &fixed).unwrap().robot.initial.last().unwrap().q, 0.1);
}

/// What a keyframe does not move stays where it is drawn: with the hinge turned and the ball turning, the free body neither shifts nor moves.
#[test]
fn exact_keyframes_leave_the_rest_alone() {
    let rates = KEYS.replace("0 0 0 0.1'/>", "0 0 0 0.1' qvel='0 0 0 0 0 0 0.3 -0.4 0.5 0.6'/>");
    for (text, ball, hinge) in [(KEYS, [0.0; 3], 0.0), (&rates, [0.3, -0.4, 0.5], 0.6)] {
        let imported = read(text);
        let start = |name: &str| column(model(&imported), 1e-4, name)[0];
        for (name, expected) in [
            ("point.root.x", 0.0),
            ("point.root.z", 2.0),
            ("point.s.x", 0.0),
            ("point.s.vx", 0.0),
            ("point.root.vz", 0.0),
            ("joint.ball.q2", 0.0),
            ("joint.h.q", 0.1),
            ("joint.h.v", hinge),
            ("joint.ball.v", ball[0]),
            ("joint.ball.v2", ball[1]),
            ("joint.ball.v3", ball[2]),
        ] {
            let found = start(name);
            assert!((found - expected).abs() < 1e-12, "{name} {found}\n{}", imported.toml);
        }
    }
}

/// A pendulum of a site at 0.4 m, with all the sensors of an inertial unit: while it swings, the gyro is the rate, the velocity square to the rod is l times it, and
/// an accelerometer feels neither more nor less than what moves it against gravity.
#[test]
fn exact_sensors() {
    let text = "<mujoco><worldbody><body name='p'><joint name='h' axis='0 1 0' ref='30'/><geom size='.01' pos='0 0 -.4' mass='1'/>\n\
        <geom size='.01' pos='0 0 -.41' mass='1e-3'/><site name='s' pos='0 0 -.4' euler='0 0 90'/></body></worldbody>\n\
        <tendon><fixed name='t'><joint joint='h' coef='2'/></fixed></tendon><actuator><motor name='m' joint='h' gear='4'/></actuator>\n\
        <sensor><gyro name='gyro' site='s'/><velocimeter name='velocity' site='s'/><accelerometer name='acceleration' site='s'/>\n\
        <framelinacc name='free' objtype='site' objname='s'/><frameangvel name='turn' objtype='xbody' objname='p'/>\n\
        <framezaxis name='up' objtype='site' objname='s'/><jointpos name='angle' joint='h'/><tendonpos name='length' tendon='t'/>\n\
        <tendonvel name='rate' tendon='t'/><actuatorpos name='stroke' actuator='m'/><actuatorvel name='speed' actuator='m'/>\n\
        <actuatorfrc name='force' actuator='m'/><clock name='time'/><subtreecom name='com' body='p'/></sensor>\n\
        <keyframe><key qpos='0.9' ctrl='0.3'/></keyframe></mujoco>";
    let imported = read(text);
    let degrees = 30f64.to_radians();
    let mut timed = model(&imported);
    timed.settings.duration = 0.4;
    timed.settings.output_step = 0.04;
    let mechanism = timed.assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let run = mechanism.simulate().unwrap_or_else(|error| panic!("{error}"));
    let read =
        |name: &str| run.column(&mechanism, name).unwrap_or_else(|| panic!("{name}\n{}", imported.toml));
    let measure = |name: &str| read(&format!("measure.{name}"));
    let (q, v) = (read("joint.h.q"), read("joint.h.v"));
    let a = [measure("free_x"), measure("free_z")];
    let feel = ["acceleration_x", "acceleration_y", "acceleration_z"].map(measure);
    for n in 0..q.len() {
        let near = |name: &str, b: f64| {
            let a = measure(name)[n];
            assert!((a - b).abs() < 1e-9, "{name} {n}: {a} {b}");
        };
        // the site's x is the body's y, which is the axis; its y is minus the body's x, along which the site moves with -l v
        near("gyro_x", v[n]);
        near("velocity_y", 0.4 * v[n]);
        near("up_z", q[n].cos());
        near("angle", q[n] + degrees);
        near("length", 2.0 * (q[n] + degrees));
        near("rate", 2.0 * v[n]);
        near("stroke", 4.0 * (q[n] + degrees));
        near("speed", 4.0 * v[n]);
        near("force", 0.3);
        near("turn_y", v[n]);
        let size = a[0][n].powi(2) + (a[1][n] + 9.81).powi(2);
        assert!((feel.iter().map(|part| part[n] * part[n]).sum::<f64>() - size).abs() < 1e-8);
    }
    assert_eq!(measure("time"), read("t"));
    assert_noted(&imported, &["left out", "com", "`subtreecom`"]);
}

/// A motor on a tendon through three sites pulls with one force at each.
#[test]
fn exact_motor_on_a_spatial_tendon() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><site name='a' pos='0 0 1'/><site name='b' pos='0 0 0'/>\n\
        <body name='m' pos='1 0 0'><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/><site name='c'/></body></worldbody>\n\
        <tendon><spatial name='rope'><site site='a'/><site site='b'/><site site='c'/></spatial>\n\
        <spatial name='idle'><site site='a'/><site site='c'/></spatial></tendon>\n\
        <actuator><motor name='winch' tendon='rope' gear='-1' ctrlrange='0 9'/></actuator><keyframe><key ctrl='3'/></keyframe></mujoco>";
    let imported = read(text);
    // 3 N towards b: x = 1 − ½ (3/2) t²
    let x = last(model(&imported), 0.5, "joint.x.q");
    assert!((x + 0.75 * 0.25).abs() < 1e-10, "{x}\n{}", imported.toml);
    let length = last(model(&imported), 0.5, "measure.rope_length");
    assert!((length - 2.0 - x).abs() < 1e-12, "{length}");
    assert_noted(&imported, &["left out", "`idle`", "nothing acts along it"]);
}
