//! Assemblies of FreeCAD.

use crate::{assert_noted, column, last, model};
use linkwork_import::{Import, Options, import_text, length_unit};

const ENGINE: &str = include_str!("../data/slider-crank.asmt");
const TRAIN: &str = include_str!("../data/gears.asmt");

fn import(text: &str, unit: &str) -> Import {
    let options = Options { length_unit: length_unit(unit), ..Options::default() };
    import_text("assembly.asmt", text, &options).unwrap_or_else(|faults| panic!("{faults}"))
}

/// A driven slider-crank in millimetres: x = r cos θ + √(l² − r² sin² θ), θ = 2π t; weights 0.5, 1 and 2 kg.
#[test]
fn exact_slider_crank_in_millimetres() {
    let imported = import(ENGINE, "mm");
    assert!((imported.robot.moving_mass() - 3.5).abs() < 1e-15);
    assert!((imported.robot.gravity[1] + 9.81).abs() < 1e-15);
    let model = model(&imported);
    assert_eq!((model.settings.duration, model.settings.output_step), (1.0, 0.05));
    let read = |name: &str| column(model.clone(), 1.0, name);
    for (t, x) in read("t").into_iter().zip(read("joint.guide.q")) {
        let theta = std::f64::consts::TAU * t;
        let expected = 0.1 * theta.cos() + (0.09 - (0.1 * theta.sin()).powi(2)).sqrt() - 0.4;
        assert!((x - expected).abs() < 1e-12, "{t} {x} {expected}");
    }
    // 500 g at 50 mm, 7520 kg mm² about z: the moment of inertia of the rod about its centre
    let rod = imported.robot.links.iter().find(|link| link.name == "rod").unwrap();
    assert!((rod.world_inertia()[(2, 2)] - 7.52e-3).abs() < 1e-15);
    assert_eq!(
        imported.toml.matches("value = \"6.283185307179586*t + 0.0\"").count(),
        1,
        "{}",
        imported.toml
    );
}

/// Two gears and a rack, pulled by 9.81 m/s² along the rack: a = m g / (m + I₁/r² + I₂/(2r)²).
#[test]
fn exact_gears_and_rack() {
    let imported = import(TRAIN, "m");
    let model = model(&imported);
    let expected = 9.81 * 3.0 / (3.0 + 0.002 / 0.01 + 0.02 / 0.04);
    let travel = last(model.clone(), 0.2, "joint.guide.q");
    assert!((travel - 0.5 * expected * 0.04).abs() < 1e-10, "{travel}");
    // the pinion rolls along, the wheel turns the other way and half as far
    let [pinion, wheel] =
        ["pinion axle", "wheel axle"].map(|name| last(model.clone(), 0.2, &format!("joint.{name}.q")));
    assert!(
        (pinion - travel / 0.1).abs() < 1e-10 && (wheel + 0.5 * pinion).abs() < 1e-10,
        "{pinion} {wheel}"
    );
    let stop = imported.robot.joints.iter().find(|joint| joint.name == "wheel axle").unwrap();
    assert_eq!(stop.coordinates[0].limits, [f64::NEG_INFINITY, 1.5]);
}

/// A part that a joint of each kind holds on the assembly keeps so many degrees of freedom.
#[test]
fn exact_freedoms_of_every_kind() {
    // z of the part's marker along x of the assembly: for joints with square axes
    let square = "0\t0\t1\n1\t0\t0\n0\t1\t0";
    let level = "1\t0\t0\n0\t1\t0\n0\t0\t1";
    for (kind, more, turned, freedoms) in [
        ("RevoluteJoint", "", level, 1),
        ("TranslationalJoint", "", level, 1),
        ("CylindricalJoint", "", level, 2),
        ("SphericalJoint", "", level, 3),
        ("UniversalJoint", "", square, 2),
        ("ConstantVelocityJoint", "", level, 2),
        ("PointInLineJoint", "", level, 4),
        ("PointInPlaneJoint", "offset\t0", level, 5),
        ("PlanarJoint", "offset\t0", level, 3),
        ("LineInPlaneJoint", "offset\t0", square, 4),
        ("SphSphJoint", "distanceIJ\t0.5", level, 5),
        ("CylSphJoint", "distanceIJ\t0.5", level, 5),
        ("RevCylJoint", "distanceIJ\t0.5", level, 3),
        ("RevRevJoint", "distanceIJ\t0.5", level, 2),
        ("ParallelAxesJoint", "", level, 4),
        ("NoRotationJoint", "", level, 3),
        ("PerpendicularJoint", "", square, 5),
    ] {
        let apart = if more.starts_with("distanceIJ") { 0.5 } else { 0.0 };
        let text = held(kind, more, turned, apart);
        let imported = import(&text, "m");
        let mechanism = model(&imported)
            .assemble()
            .unwrap_or_else(|faults| panic!("{kind}: {faults}\n{}", imported.toml));
        assert_eq!(mechanism.degrees_of_freedom(), freedoms, "{kind}\n{}", imported.toml);
        let run = mechanism.simulate().unwrap();
        assert!(
            run.summary.relative_energy_drift() < 1e-8,
            "{kind}: {:e}",
            run.summary.relative_energy_drift()
        );
    }
    // fixed parts are part of the ground, and then nothing moves
    let told = import_text("a.asmt", &held("FixedJoint", "", level, 0.0), &Options::default())
        .unwrap_err()
        .to_string();
    assert!(told.contains("nothing in the file moves"), "{told}");
    let angle = import(&held("AngleJoint", "theIzJz\t0.3", level, 0.0), "m");
    assert_noted(&angle, &["changed", "joint", "`AngleJoint`", "left out"]);
}

/// A part of 2 kg whose marker is `apart` along x of that of the assembly, and a joint between the two.
fn held(kind: &str, more: &str, turned: &str, apart: f64) -> String {
    let indent = |depth: usize, lines: &str| -> String {
        lines.lines().map(|line| format!("{}{line}\n", "\t".repeat(depth))).collect()
    };
    let more = match more.split_once('\t') {
        Some((key, value)) => indent(4, &format!("{key}\n\t{value}")),
        None => String::new(),
    };
    let marker = |depth: usize, at: f64, turned: &str| {
        indent(
            depth,
            "RefPoints\n\tRefPoint\n\t\tMarkers\n\t\t\tMarker\n\t\t\t\tName\n\t\t\t\t\tM\n\t\t\t\tPosition3D",
        ) + &indent(depth + 5, &format!("{at}\t0\t0"))
            + &indent(depth + 4, "RotationMatrix")
            + &indent(depth + 5, turned)
    };
    "OndselSolver\nAssembly\n".to_owned()
        + &indent(1, "Name\n\ta")
        + &marker(1, 0.0, "1\t0\t0\n0\t1\t0\n0\t0\t1")
        + &indent(
            1,
            "Parts\n\tPart\n\t\tName\n\t\t\tp\n\t\tPrincipalMassMarker\n\t\t\tPosition3D\n\t\t\t\t0.2\t0.3\t0.1\n\t\t\tMass\n\t\t\t\t2\n\t\t\tMomentOfInertias\n\t\t\t\t0.1\t0.2\t0.25",
        )
        + &marker(3, apart, turned)
        + &indent(1, "ConstraintSets\n\tJoints")
        + &indent(3, kind)
        + &indent(4, "Name\n\tj\nMarkerI\n\t/a/M\nMarkerJ\n\t/a/p/M")
        + &more
        + &indent(1, "ConstantGravity\n\t1\t-2\t-9\nSimulationParameters\n\ttend\n\t\t0.3")
}

/// Motions count from where x of both markers coincide: the drawn angle is taken off.
#[test]
fn exact_motion_of_a_drawn_angle() {
    let (s, c) = 0.3f64.sin_cos();
    let text = held("RevoluteJoint", "", &format!("{c}\t{}\t0\n{s}\t{c}\t0\n0\t0\t1", -s), 0.0);
    let motion = "\t\tMotions\n\t\t\tRotationalMotion\n\t\t\t\tName\n\t\t\t\t\tm\n\t\t\t\tMotionJoint\n\t\t\t\t\t/a/j\n\t\t\t\tRotationZ\n\t\t\t\t\t0.5*time^2\n";
    let imported = import(&text.replace("\tConstantGravity", &format!("{motion}\tConstantGravity")), "m");
    let q = column(model(&imported), 0.4, "joint.j.q");
    assert!((q[0] + 0.3).abs() < 1e-12 && (q[10] - 0.5 * 0.16 + 0.3).abs() < 1e-12, "{q:?}");
}

#[test]
fn damaged_assemblies_are_refused() {
    let told = |text: &str| import_text("a.asmt", text, &Options::default()).unwrap_err().to_string();
    assert!(told("OndselSolver\n").contains("there is no line `Assembly`"));
    assert!(
        told("Assembly\n\t\t\tName\n").contains("a.asmt:2")
            && told("Assembly\n\t\t\tName\n").contains("3 tabs deep")
    );
    assert!(
        told(&format!(
            "Assembly\n\tName\n\t\ta\n{}",
            (0..200).map(|n| "\t".repeat(n + 1) + "x\n").collect::<String>()
        ))
        .contains("deeper than 100")
    );
    for (old, new, said) in [
        ("/Engine/crank/A", "/Engine/crank/Z", "there is no marker `/Engine/crank/Z`"),
        ("\t\t\t\t1\t0\t0\t\n", "\t\t\t\t1\t1\t0\t\n", "`RotationMatrix` is no rotation"),
        ("\t\t\t\t\t0.5\n", "\t\t\t\t\t-0.5\n", "the mass is -0.5 kg"),
        ("\t\t\t\t\t0.5\n", "\t\t\t\t\thalf\n", "`Mass`: `half` is not a number"),
        ("\t\t\t\t\t/Engine/A\n", "\t\t\t\t\t/Engine/crank/B\n", "both markers are on one part"),
    ] {
        let text = ENGINE.replacen(old, new, 1);
        assert_ne!(text, ENGINE);
        assert!(told(&text).contains(said), "{}", told(&text));
    }
    // a function that cannot be read is listed, and so is what FreeCAD writes where it knows no mass
    let odd = ENGINE
        .replace("6.283185307179586*time + 0.0", "rampstep(time, 0, 1)")
        .replace("50\t400\t420", "1\t1\t1")
        .replacen("\t\t\t\t\t0.5\n", "\t\t\t\t\t1\n", 1);
    let imported = import(&odd, "mm");
    assert_noted(&imported, &["changed", "drive", "rampstep", "left out"]);
    assert_noted(&imported, &["assumed", "crank", "as FreeCAD writes"]);
}
