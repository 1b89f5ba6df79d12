//! Poses against closed forms of inverse and forward kinematics.

use linkwork::analysis::pose::{Pose, PoseOptions, Target};
use linkwork::{Error, Mechanism, Model};
use std::f64::consts::PI;

fn assembled(text: &str) -> Mechanism {
    Model::from_toml(text).unwrap().assemble().unwrap()
}

fn example(name: &str) -> Mechanism {
    let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(path).unwrap().assemble().unwrap()
}

fn point(mechanism: &Mechanism, pose: &Pose, name: &str) -> [f64; 3] {
    let i = mechanism.points().iter().position(|point| point.name == name).unwrap();
    pose.points[i]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2])
}

/// Two links of 1.0 m and 0.7 m on the ground at A, elbow B, hand P; drawn with a bent elbow.
const ARM: &str = r#"
    format = 1
    [points]
    A = [0, 0]
    B = [1, 0]
    P = [1, 0.7]
    [bodies]
    ground = { points = ["A"] }
    upper  = { points = ["A", "B"], mass = 1 }
    fore   = { points = ["B", "P"], mass = 1 }
    [measures]
    reach = "distance(A, P)"
    speed = "point.P.vx"
"#;

/// The elbows of a two-link arm from the law of cosines: both, for a hand at (x, y).
fn elbows(l1: f64, l2: f64, x: f64, y: f64) -> [[f64; 2]; 2] {
    let square = x * x + y * y;
    let cos = (l1 * l1 + square - l2 * l2) / (2.0 * l1 * square.sqrt());
    [1.0, -1.0].map(|side| {
        let angle = y.atan2(x) + side * cos.acos();
        [l1 * angle.cos(), l1 * angle.sin()]
    })
}

#[test]
fn exact_both_elbows_of_a_two_link_arm() {
    let arm = assembled(ARM);
    for [x, y] in [[1.2, 0.9], [-0.5, 0.6], [0.2, -1.1], [-1.3, -0.4]] {
        let target = [Target::at("point.P", [x, y])];
        let one = arm.pose(&target, &PoseOptions::default()).unwrap();
        assert!(one.reached && one.undetermined == 0 && one.freedoms == 2, "{one:?}");
        assert!(distance(point(&arm, &one, "P"), [x, y, 0.0]) < 1e-13);
        let all = arm.poses(&target, &PoseOptions { starts: 20, ..PoseOptions::default() }).unwrap();
        assert_eq!(all.list.len(), 2, "two elbows");
        assert!(all.isolated);
        for exact in elbows(1.0, 0.7, x, y) {
            let least = all
                .list
                .iter()
                .map(|pose| distance(point(&arm, pose, "B"), [exact[0], exact[1], 0.0]))
                .fold(f64::INFINITY, f64::min);
            // rounding, times what an angle is per metre of the hand
            assert!(least < 1e-12, "elbow {exact:?} missed by {least}");
        }
    }
}

/// Out of reach the arm is stretched towards the target, or folded; the hand ends on the circle around A.
#[test]
fn exact_nearest_point_out_of_reach() {
    let arm = assembled(ARM);
    for ([x, y], radius) in [([2.0, 1.0], 1.7), ([-3.0, 0.5], 1.7), ([0.1, 0.05], 0.3), ([-0.02, 0.1], 0.3)] {
        let pose = arm.pose(&[Target::at("point.P", [x, y])], &PoseOptions::default()).unwrap();
        let far = f64::hypot(x, y);
        let exact = [x / far * radius, y / far * radius, 0.0];
        let off = distance(point(&arm, &pose, "P"), exact);
        assert!(!pose.reached);
        // the end is found where the gradient is rounding
        assert!(off < 1e-9, "{x} {y}: {off}");
        assert!((pose.targets[0].off - (far - radius).abs()).abs() < 1e-11, "{:?}", pose.targets[0]);
        assert!(pose.is_nearly_singular(), "{}", pose.conditioning);
    }
}

/// The arm is drawn stretched and its target lies on its line, closer: no gradient leads there.
#[test]
fn exact_stretched_arm_leaves_its_singular_position() {
    let arm = assembled(&ARM.replace("P = [1, 0.7]", "P = [1.7, 0]"));
    let pose = arm.pose(&[Target::at("point.P", [1.1, 0.0])], &PoseOptions::default()).unwrap();
    assert!(pose.reached, "{pose:?}");
    assert!(distance(point(&arm, &pose, "P"), [1.1, 0.0, 0.0]) < 1e-12);
    // and a target at the very edge, where the Jacobian has lost its rank
    let arm = assembled(ARM);
    let pose = arm.pose(&[Target::at("point.P", [1.7 * 0.6, 1.7 * 0.8])], &PoseOptions::default()).unwrap();
    assert!(pose.reached && pose.is_nearly_singular(), "{pose:?}");
}

#[test]
fn exact_measures_angles_ranges_and_units() {
    let arm = assembled(ARM);
    let pose = |targets: &[&str]| {
        let targets: Vec<Target> = targets.iter().map(|text| text.parse().unwrap()).collect();
        arm.pose(&targets, &PoseOptions::default()).unwrap()
    };
    let found = pose(&["measure.reach = 120 cm", "body.upper.angle = 30 deg"]);
    assert!(found.reached && found.undetermined == 0);
    let b = point(&arm, &found, "B");
    assert!(distance(b, [(PI / 6.0).cos(), 0.5, 0.0]) < 1e-13);
    assert!((distance(point(&arm, &found, "P"), [0.0; 3]) - 1.2).abs() < 1e-13);
    // one of two freedoms
    let found = pose(&["distance(A, P) = 1.2"]);
    assert!(found.reached && found.undetermined == 1, "{found:?}");
    // the range comes first: the hand ends as near to its target as a shoulder at 10 degrees lets it
    let found = pose(&["point.P = [0, 1.2] m", "joint.A.q in [-20, 10] deg"]);
    let b = [(PI / 18.0).cos(), (PI / 18.0).sin()];
    let to = [-b[0], 1.2 - b[1]];
    let length = f64::hypot(to[0], to[1]);
    let exact = [b[0] + to[0] / length * 0.7, b[1] + to[1] / length * 0.7, 0.0];
    assert!(!found.reached && found.limits.len() == 1 && found.limits[0].upper, "{found:?}");
    assert!(distance(point(&arm, &found, "P"), exact) < 1e-9, "{:?} {exact:?}", point(&arm, &found, "P"));
    assert!((found.targets[0].off - (length - 0.7)).abs() < 1e-11);
    // a range that the drawing does not keep
    let found = pose(&["joint.A.q in [40, 50] deg", "point.P.y = 0"]);
    assert!(found.reached, "{found:?}");
    assert!((40.0..=50.0).contains(&point(&arm, &found, "B")[1].asin().to_degrees().mul_add(1.0, 1e-9)));
}

/// A crank-rocker with stops on its crank, at which it ends; the coupler point of the stop in closed form.
#[test]
fn exact_limit_of_the_model_holds_a_loop() {
    let text = r#"
        format = 1
        [points]
        A = [0, 0]
        B = [0, 1]
        C = [3, 2]
        D = [3, 0]
        [bodies]
        ground  = { points = ["A", "D"] }
        crank   = { points = ["A", "B"], mass = 1 }
        coupler = { points = ["B", "C"], mass = 1 }
        rocker  = { points = ["C", "D"], mass = 1 }
        [joints]
        A = { type = "revolute", bodies = ["ground", "crank"], at = "A", impact_limits = { range = ["-40 deg", "20 deg"], restitution = 0 } }
    "#;
    let bar = assembled(text);
    // C at the stop: circles around B (length √10) and D (length 2)
    let angle: f64 = PI / 2.0 - 40f64.to_radians();
    let b = [angle.cos(), angle.sin()];
    let d = [3.0 - b[0], -b[1]];
    let far = f64::hypot(d[0], d[1]);
    let along = (10.0 - 4.0 + far * far) / (2.0 * far);
    let across = (10.0 - along * along).sqrt();
    let c = [b[0] + (along * d[0] - across * d[1]) / far, b[1] + (along * d[1] + across * d[0]) / far, 0.0];
    // far beyond what the stop allows
    let pose = bar.pose(&[Target::at("point.C", [4.9, 1.0])], &PoseOptions::default()).unwrap();
    assert!(!pose.reached && pose.limits.len() == 1 && !pose.limits[0].upper, "{pose:?}");
    assert!(pose.limits[0].of_model && pose.undetermined == 0);
    assert!(distance(point(&bar, &pose, "C"), c) < 1e-11, "{:?} {c:?}", point(&bar, &pose, "C"));
    // within: one freedom, one target
    let pose = bar.pose(&["joint.A.q = -30 deg".parse().unwrap()], &PoseOptions::default()).unwrap();
    assert!(pose.reached && pose.limits.is_empty() && pose.undetermined == 0);
}

/// A five-bar with its two cranks at given angles has two assemblies, its hand at a given place four poses: all in closed form.
#[test]
fn exact_all_poses_of_a_five_bar() {
    let text = r#"
        format = 1
        [points]
        A = [0, 0]
        B = [-0.3, 0.9]
        P = [0.5, 1.7]
        C = [1.3, 0.9]
        D = [1, 0]
        [bodies]
        ground = { points = ["A", "D"] }
        left   = { points = ["A", "B"], mass = 1 }
        upper  = { points = ["B", "P"], mass = 1 }
        lower  = { points = ["P", "C"], mass = 1 }
        right  = { points = ["C", "D"], mass = 1 }
    "#;
    let bars = assembled(text);
    let options = PoseOptions { starts: 60, ..PoseOptions::default() };
    let (crank, rod) = (0.9f64.hypot(0.3), 0.8f64.hypot(0.8));
    let hand = [0.6, 1.3];
    let all = bars.poses(&[Target::at("point.P", hand)], &options).unwrap();
    assert_eq!(all.list.len(), 4, "two elbows on either side");
    for left in elbows(crank, rod, hand[0], hand[1]) {
        for right in elbows(crank, rod, hand[0] - 1.0, hand[1]) {
            let off = |pose: &Pose| {
                let b = distance(point(&bars, pose, "B"), [left[0], left[1], 0.0]);
                b.max(distance(point(&bars, pose, "C"), [right[0] + 1.0, right[1], 0.0]))
            };
            let least = all.list.iter().map(off).fold(f64::INFINITY, f64::min);
            assert!(least < 1e-12, "{least}");
        }
    }
    let cranks: [Target; 2] = ["joint.A.q = -20 deg".parse().unwrap(), "joint.D.q = 10 deg".parse().unwrap()];
    let all = bars.poses(&cranks, &options).unwrap();
    assert_eq!(all.list.len(), 2);
    // without any target there is no end of them
    let all = bars.poses(&[], &PoseOptions { starts: 5, ..options }).unwrap();
    assert!(!all.isolated && all.list[0].undetermined == 2);
}

/// The platform of the 3-RRR at a given pose: each leg has two elbows, eight working modes. Its three cranks at given angles: assemblies up to six, each of which
/// has rods of the right length.
#[test]
fn exact_working_and_assembly_modes_of_the_3_rrr() {
    let manipulator = example("manipulator-3rrr");
    let home = manipulator.pose(&[], &PoseOptions::default()).unwrap();
    assert!(home.reached && home.freedoms == 3 && home.undetermined == 3);
    let targets: [Target; 2] =
        [Target::at("point.center", [2.1, 1.4]), "body.platform.angle = 12 deg".parse().unwrap()];
    let options = PoseOptions { starts: 250, ..PoseOptions::default() };
    let all = manipulator.poses(&targets, &options).unwrap();
    assert_eq!(all.list.len(), 8, "working modes");
    let at = |pose: &Pose, name: &str| point(&manipulator, pose, name);
    for pose in &all.list {
        for (base, elbow, joint) in [("1", "2", "3"), ("7", "6", "4"), ("9", "8", "5")] {
            let (o, b, c) = (at(pose, base), at(pose, elbow), at(pose, joint));
            let known = elbows(2.0, 2.0, c[0] - o[0], c[1] - o[1]);
            let off = known.iter().map(|e| distance(b, [o[0] + e[0], o[1] + e[1], 0.0]));
            assert!(off.fold(f64::INFINITY, f64::min) < 1e-11);
        }
    }
    let cranks: Vec<Target> =
        ["1", "7", "9"].iter().map(|joint| format!("joint.{joint}.q = 0 deg").parse().unwrap()).collect();
    let all = manipulator.poses(&cranks, &options).unwrap();
    let count = sextic_roots(&home, &manipulator);
    println!("3-RRR: {} assembly modes, {count} real roots", all.list.len());
    assert_eq!(all.list.len(), count);
}

/// Real assemblies of the platform for the elbows as drawn, from its angle alone: with the platform turned by φ the first two rods put its corner on two circles, and the third
/// rod's length is a function of φ on either branch, whose changes of sign are counted.
fn sextic_roots(home: &Pose, manipulator: &Mechanism) -> usize {
    let at = |name: &str| point(manipulator, home, name);
    let [e1, e2, e3] = ["2", "6", "8"].map(at);
    let [c1, c2, c3] = ["3", "4", "5"].map(at);
    let turned =
        |v: [f64; 3], phi: f64| [v[0] * phi.cos() - v[1] * phi.sin(), v[0] * phi.sin() + v[1] * phi.cos()];
    let from = |c: [f64; 3]| [c[0] - c1[0], c[1] - c1[1], 0.0];
    let third = |phi: f64, side: f64| -> Option<f64> {
        // C1 lies on circles of 2 m around E1 and E2 − R (C2 − C1)
        let (u, w) = (turned(from(c2), phi), turned(from(c3), phi));
        let o = [e2[0] - u[0], e2[1] - u[1]];
        let d = [o[0] - e1[0], o[1] - e1[1]];
        let far = f64::hypot(d[0], d[1]);
        let across = 4.0 - far * far / 4.0;
        if across < 0.0 {
            return None;
        }
        let k = side * across.sqrt() / far;
        let c = [e1[0] + d[0] / 2.0 - k * d[1], e1[1] + d[1] / 2.0 + k * d[0]];
        Some(f64::hypot(c[0] + w[0] - e3[0], c[1] + w[1] - e3[1]) - 2.0)
    };
    let steps = 40_000;
    let mut count = 0;
    for side in [1.0, -1.0] {
        let mut before = None;
        for i in 0..=steps {
            let now = third(2.0 * PI * (f64::from(i) + 0.123) / f64::from(steps), side);
            if let (Some(a), Some(b)) = (before, now)
                && a * b < 0.0f64
            {
                count += 1;
            }
            before = now;
        }
    }
    count
}

/// Legs of the Stewart platform from its pose, and its pose from its legs.
#[test]
fn cross_stewart_platform_inverse_and_forward() {
    let path = format!("{}/../../examples/stewart-platform.toml", env!("CARGO_MANIFEST_DIR"));
    let mut model = Model::from_file(path).unwrap();
    model.drivers.clear();
    model.measures.clear();
    let platform = model.assemble().unwrap();
    let targets: [Target; 4] = [
        Target::at("point.C", [0.1, -0.05, 1.2]),
        "body.platform.yaw = 10 deg".parse().unwrap(),
        "body.platform.pitch = -6 deg".parse().unwrap(),
        "body.platform.roll = 4 deg".parse().unwrap(),
    ];
    let pose = platform.pose(&targets, &PoseOptions::default()).unwrap();
    assert!(pose.reached && pose.freedoms == 6 && pose.undetermined == 0, "{:?}", pose.targets);
    // in closed form: |c + R (p − c₀) − b|
    let (z, y, x) = (10f64.to_radians(), -6f64.to_radians(), 4f64.to_radians());
    let turn = |v: [f64; 3]| {
        let v = [v[0], v[1] * x.cos() - v[2] * x.sin(), v[1] * x.sin() + v[2] * x.cos()];
        let v = [v[0] * y.cos() + v[2] * y.sin(), v[1], -v[0] * y.sin() + v[2] * y.cos()];
        [v[0] * z.cos() - v[1] * z.sin(), v[0] * z.sin() + v[1] * z.cos(), v[2]]
    };
    let base = [10.0, 110.0, 130.0, 230.0, 250.0, 350.0f64];
    let top = [50.0, 70.0, 170.0, 190.0, 290.0, 310.0f64];
    let mut legs = Vec::new();
    for i in 0..6 {
        let (a, b) = (top[i].to_radians(), base[i].to_radians());
        let p = turn([0.5 * a.cos(), 0.5 * a.sin(), 0.0]);
        let length = distance([0.1 + p[0], -0.05 + p[1], 1.2 + p[2]], [0.8 * b.cos(), 0.8 * b.sin(), 0.0]);
        let found = distance(
            point(&platform, &pose, &format!("P{}", i + 1)),
            point(&platform, &pose, &format!("B{}", i + 1)),
        );
        assert!((found - length).abs() < 1e-12, "leg {}: {found} {length}", i + 1);
        legs.push(Target::new(format!("distance(B{}, P{})", i + 1, i + 1), length));
    }
    // forward, from the drawing: the same pose
    let forward = platform.pose(&legs, &PoseOptions::default()).unwrap();
    assert!(forward.reached && forward.undetermined == 0);
    assert!(distance(point(&platform, &forward, "C"), [0.1, -0.05, 1.2]) < 1e-11);
}

/// An arm in space with three axes: z, then y twice. Its hand in closed form for all four poses.
#[test]
fn exact_spatial_arm_with_three_axes() {
    let text = r#"
        format = 1
        model.dimension = 3
        [points]
        O = [0, 0, 0]
        S = [0, 0, 0.4]
        E = [0.6, 0, 0.4]
        P = [0.6, 0, 0.9]
        [bodies]
        ground = { points = ["O"] }
        column = { points = ["O", "S"], mass = 1, com = [0, 0, 0.2], inertia = [1, 1, 1] }
        upper  = { points = ["S", "E"], mass = 1, com = [0.3, 0, 0.4], inertia = [1, 1, 1] }
        fore   = { points = ["E", "P"], mass = 1, com = [0.6, 0, 0.6], inertia = [1, 1, 1] }
        [joints]
        base  = { type = "revolute", bodies = ["ground", "column"], at = "O", axis = [0, 0, 1] }
        raise = { type = "revolute", bodies = ["column", "upper"], at = "S", axis = [0, 1, 0] }
        bend  = { type = "revolute", bodies = ["upper", "fore"], at = "E", axis = [0, 1, 0] }
    "#;
    let arm = assembled(text);
    let hand = [0.45, 0.5, 0.8];
    let options = PoseOptions { starts: 60, ..PoseOptions::default() };
    let all = arm.poses(&[Target::at("point.P", hand)], &options).unwrap();
    assert_eq!(all.list.len(), 4, "to the front or over the back, elbow up or down");
    let (r, z) = (f64::hypot(hand[0], hand[1]), hand[2] - 0.4);
    for [along, up] in elbows(0.6, 0.5, r, z) {
        let elbow = [hand[0] / r * along, hand[1] / r * along, 0.4 + up];
        let near = all.list.iter().filter(|pose| distance(point(&arm, pose, "E"), elbow) < 1e-12).count();
        // to the front and over the back the elbow is the same place
        assert_eq!(near, 2);
    }
}

/// Gears keep their ratio: the hand of the second wheel for an angle of the first.
#[test]
fn exact_gears_and_drivers_are_kept() {
    let text = r#"
        format = 1
        [points]
        A = [0, 0]
        B = [3, 0]
        M = [1, 0]
        P = [3, 1]
        Q = [0, 0.5]
        [bodies]
        ground = { points = ["A", "B"] }
        small  = { points = ["A", "Q"], mass = 1 }
        large  = { points = ["B", "P"], mass = 1 }
        [couplings]
        belt = { joints = ["A", "B"], ratio = 3 }
    "#;
    let gears = assembled(&text.replace("        M = [1, 0]\n", ""));
    // a whole turn of the small wheel is a third of the large one
    let pose = gears.pose(&["joint.A.q = 450 deg".parse().unwrap()], &PoseOptions::default()).unwrap();
    assert!(pose.reached && pose.undetermined == 0, "{pose:?}");
    let angle = (90.0 + 150.0f64).to_radians();
    assert!(distance(point(&gears, &pose, "P"), [3.0 + angle.cos(), angle.sin(), 0.0]) < 1e-12);
    // a driver at a time
    let driven =
        assembled(&format!("{ARM}\n[drivers]\nshoulder = {{ joint = \"A\", value = \"0.5 * t\" }}\n"));
    let options = PoseOptions { at: 2.0, ..PoseOptions::default() };
    let pose = driven.pose(&["point.P.x = 1".parse().unwrap()], &options).unwrap();
    assert!(pose.reached && pose.freedoms == 1, "{pose:?}");
    assert!(distance(point(&driven, &pose, "B"), [1f64.cos(), 1f64.sin(), 0.0]) < 1e-12);
}

/// A parallelogram with a third crank has constraints that depend on each other.
#[test]
fn exact_redundant_loop() {
    let text = r#"
        format = 1
        [points]
        A = [0, 0]
        B = [0, 1]
        C = [2, 1]
        D = [2, 0]
        E = [1, 0]
        F = [1, 1]
        [bodies]
        ground  = { points = ["A", "D", "E"] }
        one     = { points = ["A", "B"], mass = 1 }
        two     = { points = ["D", "C"], mass = 1 }
        three   = { points = ["E", "F"], mass = 1 }
        coupler = { points = ["B", "F", "C"], mass = 1, shape = "cuboid", size = [2, 0.1, 0.1] }
    "#;
    let text = text.replace(r#", shape = "cuboid", size = [2, 0.1, 0.1]"#, ", com = [1, 1], inertia = 1");
    let bars = assembled(&text);
    let pose = bars.pose(&["point.F.x = 1.5".parse().unwrap()], &PoseOptions::default()).unwrap();
    assert!(pose.reached && pose.freedoms == 1 && pose.undetermined == 0, "{pose:?}");
    let height = 0.75f64.sqrt();
    assert!(distance(point(&bars, &pose, "C"), [2.5, height, 0.0]) < 1e-11);
}

#[test]
fn same_seed_gives_the_same_list() {
    let arm = assembled(ARM);
    let target = [Target::at("point.P", [0.3, 0.8])];
    let list = |seed: u64| {
        let options = PoseOptions { seed, starts: 8, ..PoseOptions::default() };
        let all = arm.poses(&target, &options).unwrap();
        all.list.into_iter().map(|pose| pose.state.coordinates).collect::<Vec<_>>()
    };
    assert_eq!(list(7), list(7));
}

#[test]
fn targets_that_make_no_sense_are_refused_by_name() {
    let arm = assembled(ARM);
    let refused = |targets: &[Target]| match arm.pose(targets, &PoseOptions::default()) {
        Err(Error::Model(faults)) => {
            faults.list.iter().map(|f| format!("{}: {}", f.path, f.message)).collect()
        }
        other => vec![format!("{other:?}")],
    };
    for (target, words) in [
        (Target::new("point.Q.x", 1.0), "Q"),
        (Target::new("joint.Z.q", 1.0), "there is no joint `Z`"),
        (Target::new("joint.A.q2", 1.0), "1 coordinates"),
        (Target::new("measure.speed", 1.0), "more than positions"),
        (Target::new("point.P.vx", 1.0), "more than positions"),
        (Target::at("point.P", [1.0]), "2 values, and 1 are given"),
        (Target::new("point.P.x", f64::NAN), "finite"),
        (Target::new("point.P.x", 1.0).weight(-1.0), "weight"),
        (Target::within("joint.A.q", [2.0, 1.0]), "before it begins"),
        ("point.P.x = 30 deg".parse().unwrap(), "unit"),
        (Target::new("2 + 3", 5.0), "reads nothing"),
    ] {
        let all: Vec<String> = refused(&[target.clone(), Target::new("point.P.x", 0.0)]);
        assert!(all.len() == 1 && all[0].contains(words), "{target:?}: {all:?}");
        assert!(all[0].contains(target.quantity()), "{all:?}");
    }
    for text in
        ["point.P", "point.P = ", "joint.A.q in 3", "joint.A.q in [3, 1]", "joint.A.q = [1, 2", "x = y"]
    {
        assert!(text.parse::<Target>().is_err(), "{text}");
    }
}

/// A random start may turn a joint all around; the model that begins in such a pose has the angle within half a turn, where nothing counts turns.
#[test]
fn same_pose_in_the_written_model() {
    let arm = assembled(
        r#"
        format = 1
        [points]
        A = [0, 0]
        B = [0.5, 0]
        P = [0.5, 0.35]
        [bodies]
        ground = { points = ["A"] }
        upper = { points = ["A", "B"], mass = 1 }
        fore = { points = ["B", "P"], mass = 1 }
        [joints.A]
        type = "revolute"
        bodies = ["ground", "upper"]
        at = "A"
        impact_limits = { range = ["-30 deg", "120 deg"], restitution = 0 }
    "#,
    );
    let all = arm.poses(&[Target::at("point.P", [0.4, 0.55])], &PoseOptions::default()).unwrap();
    assert_eq!(all.list.len(), 2);
    for pose in &all.list {
        let mechanism = arm.model_at(&pose.state).unwrap().assemble().unwrap();
        let again = mechanism.pose(&[], &PoseOptions::default()).unwrap();
        for name in ["B", "P"] {
            assert!(distance(point(&mechanism, &again, name), point(&arm, pose, name)) < 1e-9);
        }
    }
}
