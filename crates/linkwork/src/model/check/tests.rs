use super::*;
use crate::model::{
    Amount, Chain, Change, Couple, Force, Impulse, Inertia, Joint, JointKind, Lumping, Mass, Orientation,
    PayOut, Severity, Shape, Spring, SupplyEnd,
};

fn four_bar() -> Model {
    Model::planar("four-bar")
        .gravity([0.0, -9.81])
        .point("A", [0.0, 0.0])
        .point("B", [0.0, 1.0])
        .point("C", [2.0, 2.0])
        .point("D", [2.0, 0.0])
        .ground(["A", "D"])
        .body(Body::rod("crank", ["A", "B"], 1.0))
        .body(Body::rod("coupler", ["B", "C"], 2.0))
        .body(Body::rod("rocker", ["C", "D"], 1.5))
}

fn spatial() -> Model {
    let inertia = Inertia::Matrix([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    Model::spatial("block")
        .point("O", [0.0, 0.0, 0.0])
        .point("P", [1.0, 0.0, 0.0])
        .ground(["O"])
        .body(Body::with_inertia("block", ["O", "P"], 1.0, [0.5, 0.0, 0.0], inertia))
}

#[track_caller]
fn expect(model: Model, path: &str, word: &str) {
    let faults = check(&model);
    let found = faults.iter().any(|fault| fault.path == path && fault.message.contains(word));
    assert!(found, "no fault at {path} with `{word}` in {faults:#?}");
}

#[test]
fn exact_sound_models_have_no_faults() {
    for model in [four_bar(), spatial()] {
        assert_eq!(check(&model), []);
    }
}

#[test]
fn exact_fault_of_a_model_that_assembling_has_spelled_out() {
    expect(Model { expanded: true, ..four_bar() }, "", "made by assembling");
}

#[test]
fn exact_faults_of_names() {
    expect(four_bar().point("A", [1.0, 1.0]), "points.A", "twice");
    expect(four_bar().body(Body::rod("crank", ["A", "C"], 1.0)), "bodies.crank", "twice");
    expect(four_bar().body(Body::rod("ground", ["A", "C"], 1.0)), "bodies.ground", "never moves");
    expect(four_bar().point("", [1.0, 1.0]), "points.\"\"", "empty");
    expect(four_bar().point("a\u{1b}b", [1.0, 1.0]), "points.\"a\\u{1b}b\"", "control");
    expect(four_bar().point("x".repeat(101), [1.0, 1.0]), &format!("points.\"{}…\"", "x".repeat(100)), "100");
    expect(four_bar().point("E", [1.0, 1.0]), "points.E", "no body holds");
    expect(four_bar().body(Body::rod("x", ["A", "Z"], 1.0)), "bodies.x.points[1]", "no point `Z`");
    expect(four_bar().ground(["A"]), "bodies.ground.points[2]", "listed twice");
    expect(four_bar().body(Body::plate("x", Vec::<String>::new(), 1.0)), "bodies.x.points", "no points");
    let help = check(&four_bar().body(Body::rod("x", ["A", "c"], 1.0)))[0].help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `C`?"));
}

#[test]
fn exact_faults_of_bodies() {
    let add = |shape, amount| four_bar().body(Body::new("x", ["A", "B"], Mass::Shape(shape, amount)));
    let mass = Amount::Mass(1.0);
    let pose = Orientation::default();
    expect(four_bar().body(Body::rod("x", ["A", "C"], -1.0)), "bodies.x.mass", "negative");
    expect(four_bar().body(Body::rod("x", ["A", "C"], f64::NAN)), "bodies.x.mass", "finite");
    expect(
        four_bar().point("A'", [0.0, 0.0]).body(Body::rod("x", ["A", "A'"], 1.0)),
        "bodies.x.points",
        "length zero",
    );
    expect(add(Shape::Rod { area: None }, Amount::Density(7.8e3)), "bodies.x.density", "area");
    expect(add(Shape::Rod { area: Some(1.0) }, Amount::Density(0.0)), "bodies.x.density", "more than zero");
    expect(add(Shape::Polygon { outline: vec![], thickness: None }, mass), "bodies.x.shape", "three corners");
    let outline = vec!["A".into(), "B".into(), "D".into()];
    expect(
        add(Shape::Polygon { outline, thickness: None }, mass),
        "bodies.x.shape.outline[2]",
        "not a point of",
    );
    expect(add(Shape::Sphere { radius: 0.0, center: None }, mass), "bodies.x.shape.radius", "more than zero");
    expect(
        add(Shape::Sphere { radius: 1.0, center: Some("Z".into()) }, mass),
        "bodies.x.shape.center",
        "no point",
    );
    let tube = Shape::Tube { radius: 1.0, inner_radius: 1.0, length: None, pose: pose.clone() };
    expect(add(tube, mass), "bodies.x.shape.inner_radius", "smaller");
    let size = [1.0, 0.0, 0.0];
    expect(add(Shape::Box { size, pose: pose.clone() }, mass), "bodies.x.shape.size[1]", "more than zero");
    let axis = Orientation { axis: Some([0.0; 3]), ..pose };
    expect(
        add(Shape::Cylinder { radius: 1.0, length: None, pose: axis }, mass),
        "bodies.x.shape.axis",
        "zero",
    );
    expect(four_bar().body(Body::rod("x", ["A", "C"], 1.0).length(0.0)), "bodies.x.length", "more than zero");
    let polar = Body::with_inertia("x", ["O"], 1.0, "O", Inertia::Polar(1.0));
    expect(spatial().body(polar), "bodies.x.inertia", "in space");
    let com = Body::with_inertia("x", ["A"], 1.0, [0.0, 0.0, 1.0], Inertia::Polar(1.0));
    expect(four_bar().body(com), "bodies.x.com", "planar");
    expect(Model::planar("x"), "bodies", "no moving body");
}

#[test]
fn exact_faults_of_joints() {
    let planar = |kind, bodies, at| four_bar().joint(Joint::new("J", kind, bodies, at));
    expect(planar(JointKind::Revolute, ["crank", "crank"], "A"), "joints.J.bodies", "twice");
    expect(planar(JointKind::Revolute, ["crank", "cuopler"], "B"), "joints.J.bodies[1]", "no body");
    expect(planar(JointKind::Revolute, ["crank", "coupler"], "D"), "joints.J.at", "not a point of `coupler`");
    expect(planar(JointKind::Revolute, ["crank", "coupler"], "X"), "joints.J.at", "no point");
    expect(planar(JointKind::Spherical, ["crank", "coupler"], "B"), "joints.J.type", "space only");
    expect(planar(JointKind::Prismatic, ["crank", "coupler"], "B"), "joints.J.axis", "needs an `axis`");
    let slide =
        |axis| four_bar().joint(Joint::new("J", JointKind::Prismatic, ["crank", "coupler"], "B").axis(axis));
    expect(slide(Axis::Vector([0.0; 3])), "joints.J.axis", "zero");
    expect(slide(Axis::Vector([1.0, 0.0, 1.0])), "joints.J.axis", "leaves the plane");
    expect(slide(Axis::Points("A".into(), "A".into())), "joints.J.axis", "coincide");
    expect(slide(Axis::Points("A".into(), "X".into())), "joints.J.axis[1]", "no point");
    expect(slide(Axis::Vector([f64::INFINITY, 0.0, 0.0])), "joints.J.axis", "finite");
    let hinge = spatial().joint(Joint::new("J", JointKind::Revolute, ["ground", "block"], "O"));
    expect(hinge, "joints.J.axis", "needs an `axis`");
    let weld =
        Joint::new("J", JointKind::Fixed, ["ground", "block"], "O").axis(Axis::Vector([1.0, 0.0, 0.0]));
    expect(spatial().joint(weld), "joints.J.axis", "has no axis");
    for kind in [JointKind::Universal, JointKind::Planar, JointKind::PointOnPlane] {
        expect(planar(kind, ["crank", "coupler"], "B"), "joints.J.type", "space only");
        let bare = spatial().joint(Joint::new("J", kind, ["ground", "block"], "O"));
        expect(bare, "joints.J.axis", "needs an `axis`");
    }
    let cross = |axis2: Option<[f64; 3]>| {
        let joint = Joint::new("J", JointKind::Universal, ["ground", "block"], "O")
            .axis(Axis::Vector([2.0, 0.0, 0.0]));
        spatial().joint(Joint { axis2: axis2.map(Axis::Vector), ..joint })
    };
    expect(cross(None), "joints.J.axis2", "needs an `axis2`");
    expect(cross(Some([1.0, 1.0, 0.0])), "joints.J.axis2", "stand at 45.000 deg");
    expect(cross(Some([1e-5, 1.0, 0.0])), "joints.J.axis2", "square to each other");
    assert!(check(&cross(Some([1e-7, 3.0, 0.0]))).is_empty());
    let distance = |at: [&str; 2]| Joint::between("J", JointKind::Distance, ["crank", "rocker"], at);
    expect(planar(JointKind::Distance, ["crank", "coupler"], "B"), "joints.J.at", "this has one");
    expect(
        four_bar().point("B'", [0.0, 1.0]).joint(Joint::between(
            "J",
            JointKind::Distance,
            ["crank", "ground"],
            ["B", "B'"],
        )),
        "joints.J.at",
        "coincide",
    );
    expect(four_bar().joint(distance(["B", "C"]).length(-1.0)), "joints.J.length", "more than zero");
    assert!(check(&four_bar().joint(distance(["B", "C"]).length(1.0))).is_empty());
    // keys that a kind does not use
    let along = Axis::Vector([1.0, 0.0, 0.0]);
    let two = distance(["B", "C"]);
    expect(four_bar().joint(two.clone().axis(along.clone())), "joints.J.axis", "has no axis");
    expect(four_bar().joint(two.axis2(along.clone())), "joints.J.axis2", "has no `axis2`");
    let pin = Joint::new("J", JointKind::Revolute, ["crank", "coupler"], "B");
    expect(four_bar().joint(pin.clone().length(1.0)), "joints.J.length", "has no `length`");
    expect(four_bar().joint(pin.axis2(along.clone())), "joints.J.axis2", "has no `axis2`");
    let free = Joint::new("J", JointKind::Floating, ["crank", "coupler"], "B");
    expect(four_bar().joint(free.clone().axis(along)), "joints.J.axis", "has no axis");
    expect(four_bar().joint(free.cut()), "joints.J.cut", "has no `cut`");
}

#[test]
fn exact_faults_of_elements() {
    expect(four_bar().spring(Spring::new("S", ["A", "A"], 1.0)), "springs.S.between", "twice");
    expect(four_bar().spring(Spring::new("S", ["A", "X"], 1.0)), "springs.S.between[1]", "no point");
    expect(four_bar().spring(Spring::new("S", ["A", "C"], -1.0)), "springs.S.stiffness", "negative");
    expect(
        four_bar().spring(Spring::new("S", ["A", "C"], 1.0).damping(-1.0)),
        "springs.S.damping",
        "negative",
    );
    expect(
        four_bar().force(Force::new("F", "crank", "C", [1.0, 0.0])),
        "forces.F.at",
        "not a point of `crank`",
    );
    expect(four_bar().force(Force::at_com("F", "ground", [1.0, 0.0])), "forces.F.body", "ground");
    expect(four_bar().force(Force::at_com("F", "crank", [1.0, 0.0, 2.0])), "forces.F.force", "planar");
    expect(four_bar().couple(Couple::new("M", "crank", [1.0, 0.0, 0.0])), "couples.M.moment", "z component");
    expect(four_bar().couple(Couple::new("M", "crnk", [0.0; 3])), "couples.M.body", "no body");
    expect(four_bar().velocity("A", [1.0, 0.0]), "initial.velocities.A", "ground");
    expect(four_bar().velocity("X", [1.0, 0.0]), "initial.velocities.X", "no point");
    expect(four_bar().angular_velocity("ground", [0.0; 3]), "initial.angular_velocities.ground", "not turn");
    expect(four_bar().gravity([0.0, 0.0, -9.81]), "model.gravity", "planar");
    expect(four_bar().gravity([0.0, f64::NAN]), "model.gravity", "finite");
    expect(four_bar().gravity([0.0, 1e300]), "model.gravity", "larger than 1e33");
    expect(four_bar().spring(Spring::new("S", ["A", "C"], 1e40)), "springs.S.stiffness", "too large");
    expect(four_bar().body(Body::rod("x", ["A", "C"], 1e-300)), "bodies.x.mass", "too small");
}

#[test]
fn exact_faults_of_settings() {
    let with = |change: fn(&mut crate::model::Settings)| {
        let mut model = four_bar();
        change(&mut model.settings);
        model
    };
    expect(with(|s| s.duration = 0.0), "simulation.duration", "more than zero");
    expect(with(|s| s.output_step = -1.0), "simulation.output_step", "more than zero");
    expect(with(|s| s.output_step = 1e-9), "simulation.output_step", "rows");
    expect(with(|s| s.tolerance = 0.1), "simulation.tolerance", "at most");
    expect(with(|s| s.tolerance = f64::NAN), "simulation.tolerance", "at most");
    expect(with(|s| s.step = Some(0.0)), "simulation.step", "more than zero");
    expect(with(|s| s.max_steps = 0), "simulation.max_steps", "one or more");
    let faults = check(&with(|s| s.output_step = 20.0));
    assert_eq!(faults[0].severity, Severity::Warning);
}

#[test]
fn exact_ends_of_chains_may_be_free() {
    let rope = |to: &str| Chain::new("rope", "B", 5, 1.0).to(to);
    let free = four_bar().point("E", [5.0, 1.0]).chain(rope("E"));
    assert_eq!(check(&free), []);
    assert_eq!(check(&free.clone().impulse(Impulse::at_point("kick", 1.0, "E", [1.0, 0.0]))), []);
    assert_eq!(check(&free.velocity("E", [1.0, 0.0])), []);
    let loose = Chain { segments: None, segment_length: Some(0.1), ..rope("E") };
    let exit = four_bar().point("E", [5.0, 1.0]).chain(loose.pay_out(PayOut::follows()));
    expect(exit, "chains.rope.to", "no body holds the exit `E`");
    // a chain alone is a mechanism
    let alone = Model::planar("alone").point("A", [0.0, 0.0]).point("B", [1.0, 0.0]);
    assert_eq!(check(&alone.chain(Chain::new("rope", "A", 5, 1.0).to("B"))), []);
    let coinciding = four_bar().point("E", [0.0, 1.0]);
    expect(coinciding.clone().chain(rope("E")), "chains.rope", "coincide");
    assert_eq!(check(&coinciding.chain(rope("E").length(2.0))), []);
}

#[test]
fn exact_faults_of_chains() {
    let hanging = Chain::new("rope", "B", 5, 1.0).length(2.0);
    assert_eq!(check(&four_bar().chain(hanging.clone())), []);
    let weightless = four_bar().gravity([0.0, 0.0]);
    expect(weightless.clone().chain(hanging.clone()), "chains.rope", "there is no gravity");
    assert_eq!(check(&weightless.chain(hanging.clone().direction([1.0, 0.0]))), []);
    expect(four_bar().chain(hanging.clone()).chain(hanging.clone()), "chains.rope", "twice");
    expect(four_bar().chain(hanging.clone().rods().masses(Lumping::Far)), "chains.rope.masses", "along");
    expect(four_bar().chain(Chain { segments: Some(0), ..hanging }), "chains.rope.segments", "it is 0");
    let mut pay_out = PayOut::winch("A", 0.1);
    pay_out.at_end = SupplyEnd::Loose;
    let paid = Chain::new("rope", "C", 1, 1.0).to("A").segment_length(0.1).pay_out(pay_out);
    let faults = check(&four_bar().chain(paid.clone()));
    assert_eq!((faults.len(), faults[0].severity), (1, Severity::Warning));
    assert!(faults[0].path == "chains.rope.pay_out.at_end" && faults[0].message.contains("no end"));
    let pay_out = PayOut::winch("nobody", 0.1);
    expect(four_bar().chain(paid.pay_out(pay_out)), "chains.rope.pay_out.winch.joint", "no joint `nobody`");
}

/// What can be used, but probably is not what was meant.
#[test]
fn exact_what_waits_in_vain_is_a_warning() {
    #[track_caller]
    fn warns(model: Model, path: &str, word: &str) {
        let faults = check(&model);
        assert!(faults.iter().all(|fault| fault.severity == Severity::Warning), "{faults:#?}");
        let found = faults.iter().any(|fault| fault.path == path && fault.message.contains(word));
        assert!(found, "no warning at {path} with `{word}` in {faults:#?}");
    }
    let pin = Joint::new("pin", JointKind::Revolute, ["ground", "crank"], "A");
    warns(four_bar().joint(pin.clone().inactive()), "joints.pin.active", "no change closes");
    let closes = Change::at("c", 1.0).attach("pin");
    assert_eq!(check(&four_bar().joint(pin.clone().inactive()).change(closes.clone())), []);
    warns(
        four_bar().joint(pin.clone()).change(closes.clone()),
        "changes.c.attach[0]",
        "closed from the start",
    );
    assert_eq!(check(&four_bar().joint(pin.clone().break_force(10.0)).change(closes.clone())), []);
    let opens = Change::at("o", 0.5).detach("pin");
    assert_eq!(check(&four_bar().joint(pin).change(closes).change(opens)), []);
    let late = four_bar().body(Body::rod("late", ["A", "C"], 1.0).absent());
    warns(late.clone(), "bodies.late.present", "no change lets");
    assert_eq!(check(&late.change(Change::at("c", 1.0).add("late"))), []);
    warns(four_bar().change(Change::at("c", 11.0).detach("A")), "changes.c.at", "the run has ended");
    let mut nobody = four_bar().change(Change::at("c", 1.0).add("crank").add("coupler").add("rocker"));
    nobody.bodies.iter_mut().for_each(|body| body.present = false);
    expect(nobody, "bodies", "no moving body");
}
