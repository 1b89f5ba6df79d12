//! What a written model looks like, what stays of the file that it was read from, and what cannot be written.

use linkwork::Error;
use linkwork::joints::{Floating, Revolute};
use linkwork::model::{
    ActsOn, Body, Contact, Faults, Formula, Inertia, Joint, JointForces, Mass, Model, Shape, Spring, Surface,
    SurfaceForm, TorsionSpring,
};

fn pendulum() -> Model {
    Model::planar("pendulum")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.3, 0.0])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], 0.2))
}

fn refused(model: &Model) -> Faults {
    match model.to_toml() {
        Err(Error::Model(faults)) => faults,
        Err(other) => panic!("{other}"),
        Ok(text) => panic!("written:\n{text}"),
    }
}

#[test]
fn files_keep_their_words_and_comments() {
    let original = r#"
# A pendulum,
# as short as can be.

format = 1
[simulation]
output_step = 0.01  # the default, but somebody cares
duration   =   1_0.0
stop=["joint.hinge.q > limit"]     # far enough

[springs.band]  # rubber
between = ["A",   # the pin
    "B"]
damping = 0
stiffness = "k"
tension_only = false
law = '''k2 * length'''
[model]
name = "swing"
dimension = 2
gravity = [0, -9.81]


# where things are
[points] # metres
A = [0.0, 0.00]

# the end
B = ["l", 0]
[bodies]
rod = { points = ["A", "B"], mass = "200 g" }       # uniform
ground.points = ["A"]    # the wall
[joints]
hinge = { type = "hinge", bodies = ["ground", "rod"], at = "A" }
[parameters]
l = "30 cm"
k = "250 N/mm"    # stiff
k2 = "k / 100"
limit = "60 deg"
# that is all
"#;
    let written = r#"# A pendulum,
# as short as can be.

format = 1

[model]
name = "swing"
gravity = [0, -9.81]

[parameters]
l = "30 cm"
k = "250 N/mm"  # stiff
k2 = "k / 100"
limit = "60 deg"

# where things are
[points]  # metres
A = [0, 0]

# the end
B = ["l", 0]

[bodies]
ground = { points = ["A"] }                       # the wall
rod    = { points = ["A", "B"], mass = "200 g" }  # uniform

[joints]
hinge = { type = "hinge", bodies = ["ground", "rod"], at = "A" }

[springs.band]  # rubber
# the pin
between = ["A", "B"]
stiffness = "k"
law = "k2 * length"

[simulation]
output_step = 0.01                # the default, but somebody cares
stop = ["joint.hinge.q > limit"]  # far enough

# that is all
"#;
    let model = Model::parse("swing.toml", original).unwrap();
    let text = model.to_toml().unwrap();
    assert_eq!(text, written);
    let again = Model::parse("swing.toml", &text).unwrap();
    assert_eq!(again.to_toml().unwrap(), text);
    assert_eq!(again.springs, model.springs);
}

/// What was changed since has its number; the rest stays in the words of its author.
#[test]
fn changed_models_keep_what_still_holds() {
    let file = r#"
        format = 1
        parameters = { l = "30 cm", k = "250 N/mm", unused = 3, gone = "2 s" }
        points = { A = [0, 0], B = ["l", 0] }
        bodies.ground = { points = ["A"] }
        bodies.rod = { points = ["A", "B"], mass = "200 g" }
        springs.band = { between = ["A", "B"], stiffness = "k", damping = "1 N s/mm", law = "k * rate * 0.1 s" }
        simulation = { duration = "gone", output_step = "1 ms" }
    "#;
    let mut model = Model::from_toml(file).unwrap();
    model.springs[0].stiffness = 800.0;
    model.settings.duration = 3.0;
    model.points[1].position[1] = 0.1;
    let text = model.to_toml().unwrap();
    assert_eq!(
        text,
        r#"format = 1

[model]
name = "model"

[parameters]
l = "30 cm"
k = "250 N/mm"

[points]
A = [0, 0]
B = ["l", 0.1]

[bodies]
ground = { points = ["A"] }
rod    = { points = ["A", "B"], mass = "200 g" }

[springs.band]
between = ["A", "B"]
stiffness = "800 N/m"
damping = "1 N s/mm"
law = "k * rate * 0.1 s"

[simulation]
duration = "3 s"
output_step = "1 ms"
"#
    );
    assert_eq!(Model::from_toml(&text).unwrap().springs, model.springs);
}

/// Values that came from elsewhere are not those of the file: what follows from them is written as numbers.
#[test]
fn other_parameters_become_numbers() {
    let file = r#"
        format = 1
        parameters = { l = "30 cm", k = "250 N/m", k2 = "2 * k" }
        points = { A = [0, 0], B = ["l", 0] }
        bodies.ground = { points = ["A"] }
        bodies.rod = { points = ["A", "B"], mass = "200 g" }
        springs.band = { between = ["A", "B"], law = "k2 * (length - l) - max(rate, 0) * 3" }
        springs.other = { between = ["A", "B"], law = "2 * length", free_length = "l" }
    "#;
    let model = Model::parse_with("x.toml", file, &[("k", 100.0)]).unwrap();
    let text = model.to_toml().unwrap();
    assert!(text.contains("[parameters]\nl = \"30 cm\"\n\n"), "{text}");
    assert!(text.contains("law = \"200 * (length - 0.3) - max(rate, 0) * 3\""), "{text}");
    assert!(text.contains("law = \"2 * length\" }") && text.contains("free_length = \"l\""), "{text}");
    let again = Model::parse("x.toml", &text).unwrap();
    let force = |model: &Model| model.springs[0].law.as_ref().unwrap().eval(&[0.7, 0.1], &mut Vec::new());
    assert_eq!(force(&again).to_bits(), force(&model).to_bits());
    assert_eq!(again.to_toml().unwrap(), text);
}

/// A body that is drawn by points that have moved since: the words of the file would mean something else.
#[test]
fn words_that_would_change_their_meaning_are_not_kept() {
    let file = r#"
        format = 1
        points = { A = [0, 0, 0], B = [1, 0, 0], C = [0, 1, 0] }
        bodies.tank = { points = ["A", "B", "C"], mass = 1, shape = { type = "cylinder", radius = 0.1, length = 1, axis = ["A", "C"] } }
    "#;
    let mut model = Model::from_toml(file).unwrap();
    model.points[2].position = [0.0, 0.0, 1.0];
    let text = model.to_toml().unwrap();
    assert!(text.contains("axis = [0, 1, 0]"), "{text}");
    assert_eq!(Model::from_toml(&text).unwrap().bodies, model.bodies);
}

#[test]
fn built_models_have_units() {
    let joint = Joint::new("hinge", Revolute { axis: None }, ["ground", "rod"], "A").forces(JointForces {
        stiffness: 3.0,
        rest: Some(20f64.to_radians()),
        limits: Some([-0.1, f64::INFINITY]),
        friction: 0.5,
        friction_speed: Some(20.0 * std::f64::consts::TAU / 60.0),
        limit_stiffness: 2.1e11,
        ..JointForces::default()
    });
    let spring = Spring::new("A 1", ["A", "B"], 0.0).preload(1e-7).free_length(45.0 * 1e-3);
    let model = pendulum().joint(joint).spring(spring);
    let text = model.to_toml().unwrap();
    let lines = [
        r#"stiffness = "3 N m/rad""#,
        r#"rest = "20 deg""#,
        r#"limits = ["-0.1 rad", "none"]"#,
        r#"friction_speed = "20 rpm""#,
        r#"limit_stiffness = "2.1e11 N m/rad""#,
        r#""A 1" = { between = ["A", "B"], free_length = "45 mm", preload = "1e-7 N" }"#,
    ];
    for line in lines {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
    assert_eq!(Model::from_toml(&text).unwrap().joints, model.joints);
}

/// Where a built model has two ways to say one thing, the file has one.
#[test]
fn same_thing_said_in_the_way_of_a_file() {
    let mut model = pendulum();
    model.bodies[0].mass = Mass::Given { mass: 1.0, com: "B".into(), inertia: Inertia::Point };
    let spool = Joint::new("slot", Floating, ["ground", "rod"], "A")
        .forces(JointForces { damping: 2.0, ..JointForces::default() });
    let text = model.joint(spool).to_toml().unwrap();
    assert!(text.contains("com = \"B\", inertia = 0 }"), "{text}");
    let again = Model::from_toml(&text).unwrap();
    assert_eq!(again.joints[0].forces.len(), 3);
}

#[test]
fn what_no_file_can_say_is_named() {
    let told = |model: &Model| -> Vec<String> {
        let faults = refused(model).list;
        faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message)).collect()
    };
    let model = pendulum().spring(Spring::new("k", ["A", "B"], f64::NAN));
    assert_eq!(told(&model), ["springs.k.stiffness: this number is not finite"]);

    let twice =
        pendulum().spring(Spring::new("k", ["A", "B"], 1.0)).spring(Spring::new("k", ["A", "B"], 2.0));
    assert!(told(&twice)[0].starts_with("springs.k: a model file cannot have two"), "{:?}", told(&twice));

    let deep = pendulum().point("C", [0.0, 0.0, 1.0]);
    assert!(told(&deep)[0].starts_with("points.C: a model file cannot say this"), "{:?}", told(&deep));

    let between = ActsOn::Between(["A".into(), "B".into()]);
    let odd = pendulum().torsion_spring(TorsionSpring::new("t", between, 1.0));
    assert_eq!(told(&odd), ["torsion_springs.t: this acts on nothing"]);

    let rod = SurfaceForm::Solid(Shape::Rod { area: None });
    let edge = pendulum().surface(Surface { form: rod, ..Surface::point("edge", "A") });
    assert_eq!(told(&edge), ["surfaces.edge.type: unknown type of surface `rod`"]);

    // of two rests the second alone cannot be given
    let forces = |rest| JointForces { stiffness: 1.0, rest, ..JointForces::default() };
    let slot = Joint::new("slot", Floating, ["ground", "rod"], "A");
    let half = pendulum().joint(slot.forces(forces(None)).forces(forces(Some(1.0))));
    assert!(told(&half)[0].starts_with("joints.slot: a model file cannot say this"), "{:?}", told(&half));

    let mut heavy = pendulum();
    heavy.bodies[0] = heavy.bodies[0].clone().mass_law(Formula::parse("3 - t").unwrap());
    assert!(told(&heavy)[0].starts_with("bodies.rod: a model file cannot say this"), "{:?}", told(&heavy));

    // and a model that was assembled is not what its author wrote
    let far = Model { origin: [1.0, 0.0, 0.0], ..pendulum() };
    assert!(told(&far)[0].contains("assembling"), "{:?}", told(&far));
}

/// A model with faults may be written, for somebody to mend them.
#[test]
fn faults_of_a_model_do_not_hinder() {
    let model =
        pendulum().contact(Contact::between("c", "nobody", "rod")).spring(Spring::new("s", ["A", "Z"], 1.0));
    assert!(model.check().list.len() >= 2);
    let text = model.to_toml().unwrap();
    assert!(text.contains("c = { between = [\"nobody\", \"rod\"] }"), "{text}");
    assert!(Model::from_toml(&text).is_err());
}
