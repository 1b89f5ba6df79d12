//! Numbers that are none: whatever is put in, a run ends with an error that names it, and its good rows are kept. And the same run gives the same
//! bits, alone, again, and in several threads.

use linkwork::integrate::{StepError, Stepper, System};
use linkwork::joints::{Distance, Revolute, Screw};
use linkwork::keep::Fingerprint;
use linkwork::mechanism::Mechanism;
use linkwork::model::{
    ActsOn, Actuator, ActuatorLaw, Amount, Axis, Body, Brush, Bushing, Cable, Chain, ChainDrag, Change,
    Contact, Couple, Coupling, Drag, Driver, Extend, Force, Formula, Formulation, Inertia, Integrator,
    Interpolation, Joint, JointForces, Lock, Mass, Model, Motor, Orientation, PayOut, Propellant, Shape,
    Side, Spring, Surface, Table, Thrust, ThrustDirection, Thruster, TorsionSpring, Tyre, Winch,
};
use linkwork::results::{Frame, row};
use linkwork::simulation::{Checkpoint, Observer, RunFailure, Status, Summary};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::PathBuf;

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// A pendulum in space that all kinds of elements can be added to.
fn pendulum() -> Model {
    Model::spatial("pendulum")
        .gravity([0.0, 0.0, -9.81])
        .point("O", [0.0, 0.0, 0.0])
        .point("A", [1.0, 0.0, 0.0])
        .point("B", [2.0, 0.0, 0.0])
        .point("W", [0.0, 0.0, 1.0])
        .ground(["O", "W"])
        .body(Body::with_inertia(
            "bar",
            ["O", "A"],
            1.0,
            [0.5, 0.0, 0.0],
            Inertia::Matrix([0.1, 0.2, 0.2, 0.0, 0.0, 0.0]),
        ))
        .body(Body::with_inertia(
            "end",
            ["A", "B"],
            1.0,
            [1.5, 0.0, 0.0],
            Inertia::Matrix([0.1, 0.2, 0.2, 0.0, 0.0, 0.0]),
        ))
        .joint(Joint::new("hinge", Revolute { axis: Some(Axis::Y) }, ["ground", "bar"], "O"))
        .joint(Joint::new("elbow", Revolute { axis: Some(Axis::Y) }, ["bar", "end"], "A"))
}

type Put = fn(Model, f64) -> Model;

/// Where a number stands in a fault's path, and how it gets into the model.
const NUMBERS: &[(&str, Put)] = &[
    ("model.gravity", |m, x| m.gravity([0.0, x, 0.0])),
    ("points.A", |mut m, x| {
        m.points[1].position[2] = x;
        m
    }),
    ("bodies.bar.mass", |m, x| given(m, x, [0.5, 0.0, 0.0], [0.1, 0.2, 0.2, 0.0, 0.0, 0.0])),
    ("bodies.bar.com", |m, x| given(m, 1.0, [x, 0.0, 0.0], [0.1, 0.2, 0.2, 0.0, 0.0, 0.0])),
    ("bodies.bar.inertia", |m, x| given(m, 1.0, [0.5, 0.0, 0.0], [0.1, 0.2, x, 0.0, 0.0, 0.0])),
    ("bodies.bar.inertia", |m, x| given(m, 1.0, [0.5, 0.0, 0.0], [0.1, 0.2, 0.2, 0.0, x, 0.0])),
    ("bodies.bar.mass", |m, x| shaped(m, Shape::Rod { area: None }, Amount::Mass(x))),
    ("bodies.bar.density", |m, x| shaped(m, Shape::Rod { area: Some(1e-4) }, Amount::Density(x))),
    ("bodies.bar.shape.area", |m, x| shaped(m, Shape::Rod { area: Some(x) }, Amount::Density(1000.0))),
    ("bodies.bar.shape.size", |m, x| {
        shaped(m, Shape::Box { size: [1.0, x, 1.0], pose: pose() }, Amount::Mass(1.0))
    }),
    ("bodies.bar", |m, x| {
        let pose = Orientation { center: Some([x, 0.0, 0.0].into()), ..pose() };
        shaped(m, Shape::Box { size: [1.0; 3], pose }, Amount::Mass(1.0))
    }),
    ("bodies.bar", |m, x| {
        let pose = Orientation { axis: Some([1.0, x, 0.0]), ..pose() };
        shaped(m, Shape::Cylinder { radius: 0.1, length: Some(1.0), pose }, Amount::Mass(1.0))
    }),
    ("bodies.bar.shape.radius", |m, x| {
        shaped(m, Shape::Cylinder { radius: x, length: Some(1.0), pose: pose() }, Amount::Mass(1.0))
    }),
    ("bodies.bar", |m, x| {
        shaped(m, Shape::Cylinder { radius: 0.1, length: Some(x), pose: pose() }, Amount::Mass(1.0))
    }),
    ("bodies.bar.shape.inner_radius", |m, x| {
        shaped(
            m,
            Shape::Tube { radius: 0.1, inner_radius: x, length: Some(1.0), pose: pose() },
            Amount::Mass(1.0),
        )
    }),
    ("bodies.bar.shape.radius", |m, x| {
        shaped(m, Shape::Sphere { radius: x, center: None }, Amount::Mass(1.0))
    }),
    ("bodies.bar.length", |mut m, x| {
        m.bodies[0] = Body::rod("bar", ["O", "A"], 1.0).length(x);
        m
    }),
    ("joints.hinge.axis", |mut m, x| {
        m.joints[0].data = Revolute { axis: Some(Axis::Vector([0.0, 1.0, x])) }.into();
        m
    }),
    ("joints.rod.length", |m, x| {
        m.joint(Joint::between("rod", Distance { length: Some(x) }, ["ground", "end"], ["W", "B"]))
    }),
    ("joints.screw.pitch", |m, x| {
        m.joint(Joint::between("screw", Screw { axis: Axis::X, pitch: x }, ["ground", "end"], ["O", "B"]))
    }),
    ("joints.hinge.stiffness", |m, x| along(m, |f| f.stiffness = x)),
    ("joints.hinge.damping", |m, x| along(m, |f| f.damping = x)),
    ("joints.hinge", |m, x| along(m, |f| f.rest = Some(x))),
    ("joints.hinge.preload", |m, x| along(m, |f| f.preload = x)),
    ("joints.hinge.friction", |m, x| along(m, |f| f.friction = x)),
    ("joints.hinge.inertia", |m, x| along(m, |f| f.inertia = x)),
    ("joints.hinge.friction_speed", |m, x| along(m, |f| (f.friction, f.friction_speed) = (1.0, Some(x)))),
    // an infinite limit on one side is none: no fault as −∞ below
    ("joints.hinge.limits", |m, x| {
        let low = if x == f64::NEG_INFINITY { f64::INFINITY } else { x };
        along(m, |f| (f.limits, f.limit_stiffness) = (Some([low, 1.0]), 1e3))
    }),
    ("joints.hinge.limit_stiffness", |m, x| {
        along(m, |f| (f.limits, f.limit_stiffness) = (Some([-1.0, 1.0]), x))
    }),
    ("joints.hinge.limit_damping", |m, x| {
        along(m, |f| (f.limits, f.limit_stiffness, f.limit_damping) = (Some([-1.0, 1.0]), 1e3, x))
    }),
    ("joints.hinge", |mut m, x| {
        m.joints[0] = m.joints[0].clone().impact_limit([-1.0, 1.0], x);
        m
    }),
    ("springs.s.stiffness", |m, x| m.spring(Spring::new("s", ["W", "A"], x))),
    ("springs.s.damping", |m, x| m.spring(Spring::new("s", ["W", "A"], 1.0).damping(x))),
    ("springs.s.free_length", |m, x| m.spring(Spring::new("s", ["W", "A"], 1.0).free_length(x))),
    ("springs.s.preload", |m, x| m.spring(Spring::new("s", ["W", "A"], 1.0).preload(x))),
    ("springs.s.law", |m, x| m.spring(Spring::new("s", ["W", "A"], 0.0).law(x))),
    ("torsion_springs.s.stiffness", |m, x| m.torsion_spring(TorsionSpring::new("s", hinge(), x))),
    ("torsion_springs.s.damping", |m, x| m.torsion_spring(TorsionSpring::new("s", hinge(), 1.0).damping(x))),
    ("torsion_springs.s.free_angle", |m, x| {
        m.torsion_spring(TorsionSpring::new("s", hinge(), 1.0).free_angle(x))
    }),
    ("torsion_springs.s.preload", |m, x| m.torsion_spring(TorsionSpring::new("s", hinge(), 1.0).preload(x))),
    ("bushings.b", |m, x| m.bushing(Bushing::new("b", ["ground", "bar"], "O", [1.0, 1.0, x, 1.0, 1.0, 1.0]))),
    ("bushings.b", |m, x| {
        m.bushing(Bushing::new("b", ["ground", "bar"], "O", [1.0; 6]).damping([0.0, 0.0, 0.0, x, 0.0, 0.0]))
    }),
    ("bushings.b", |m, x| {
        m.bushing(Bushing::new("b", ["ground", "bar"], "O", [1.0; 6]).preload([x, 0.0, 0.0, 0.0, 0.0, 0.0]))
    }),
    ("forces.f", |m, x| m.force(Force::new("f", "bar", "A", [0.0, x, 0.0]))),
    ("couples.c", |m, x| m.couple(Couple::new("c", "bar", [x, 0.0, 0.0]))),
    ("actuators.a", |m, x| m.actuator(Actuator::new("a", hinge(), ActuatorLaw::Torque(x.into())))),
    ("actuators.a", |m, x| m.actuator(pd(x, 1.0))),
    ("actuators.a", |m, x| m.actuator(pd(1.0, x))),
    ("actuators.a.limit", |m, x| m.actuator(pd(1.0, 1.0).limit(x))),
    ("motors.m.stall_torque", |m, x| m.motor(Motor::new("m", hinge(), x, 1.0))),
    ("motors.m.no_load_speed", |m, x| m.motor(Motor::new("m", hinge(), 1.0, x))),
    ("motors.m.command", |m, x| m.motor(Motor::new("m", hinge(), 1.0, 1.0).command(x))),
    ("motors.m.gear", |m, x| m.motor(Motor::new("m", hinge(), 1.0, 1.0).gear(x))),
    ("drags.d.coefficient", |m, x| m.drag(Drag::new("d", "bar", x))),
    ("drags.d.linear", |m, x| m.drag(Drag::new("d", "bar", 1.0).linear(x))),
    ("drags.d.wind", |m, x| m.drag(Drag::new("d", "bar", 1.0).wind([x.into(), 0.0.into(), 0.0.into()]))),
    ("thrusters.j.impulse", |m, x| m.thruster(jet(x, 1.0))),
    ("thrusters.j.burn_time", |m, x| m.thruster(jet(1.0, x))),
    ("thrusters.j.efficiency", |m, x| m.thruster(jet(1.0, 1.0).efficiency(x))),
    ("thrusters.j.start", |m, x| m.thruster(jet(1.0, 1.0).start(x))),
    ("thrusters.j.propellant", |m, x| m.thruster(jet(1.0, 1.0).propellant(Propellant::Mass(x)))),
    ("thrusters.j.exhaust_velocity", |m, x| {
        m.thruster(jet(1.0, 1.0).propellant(Propellant::ExhaustVelocity(x)))
    }),
    ("thrusters.j.thrust", |m, x| {
        let thrust = Thrust::Given { thrust: x.into(), burn_time: None };
        m.thruster(Thruster { thrust, ..jet(1.0, 1.0) })
    }),
    ("cables.c.stiffness", |m, x| m.cable(Cable::new("c", &["W", "B"], x))),
    ("cables.c.damping", |m, x| m.cable(Cable::new("c", &["W", "B"], 1.0).damping(x))),
    ("cables.c.free_length", |m, x| m.cable(Cable::new("c", &["W", "B"], 1.0).free_length(x))),
    ("cables.c", |m, x| {
        m.cable(Cable::new("c", &["W", "A", "B"], 1.0).axis(Axis::Vector([0.0, 1.0, 0.0])).pulley(
            "A",
            x,
            Side::Left,
        ))
    }),
    ("cables.c", |m, x| {
        let mut cable = Cable::new("c", &["W", "B"], 1.0);
        cable.winch = Some(Winch { joint: "hinge".into(), coordinate: 1, radius: x });
        m.cable(cable)
    }),
    ("chains.r.direction", |m, x| m.chain(rope().direction([0.0, x, 1.0]))),
    ("chains.r.length", |m, x| m.chain(rope().length(x))),
    ("chains.r.segment_length", |m, x| m.chain(rope().segment_length(x))),
    ("chains.r.mass_per_length", |m, x| m.chain(Chain { mass_per_length: x, ..rope() })),
    ("chains.r.stiffness", |m, x| m.chain(rope().elastic(x, 1.0))),
    ("chains.r.damping", |m, x| m.chain(rope().elastic(1e4, x))),
    ("chains.r.bending_stiffness", |m, x| m.chain(rope().bending(x, 0.0))),
    ("chains.r.bending_damping", |m, x| m.chain(rope().bending(0.0, x))),
    ("chains.r.break_force", |m, x| m.chain(rope().break_force(x))),
    ("chains.r.drag.density", |m, x| m.chain(rope().drag(ChainDrag { density: x, ..air() }))),
    ("chains.r.drag.diameter", |m, x| m.chain(rope().drag(ChainDrag { diameter: x, ..air() }))),
    ("chains.r.drag.normal", |m, x| m.chain(rope().drag(ChainDrag { normal: x, ..air() }))),
    ("chains.r.drag.tangential", |m, x| m.chain(rope().drag(ChainDrag { tangential: x, ..air() }))),
    ("chains.r.drag.linear", |m, x| m.chain(rope().drag(ChainDrag { linear: x, ..air() }))),
    ("chains.r.drag.wind", |m, x| m.chain(rope().drag(ChainDrag { wind: [0.0, x, 0.0], ..air() }))),
    ("chains.r.contact.friction", |m, x| on_floor(m, x, 0.5)),
    ("chains.r.contact.restitution", |m, x| on_floor(m, 0.3, x)),
    ("chains.r.pay_out.length", |m, x| paid_out(m, PayOut::length(x))),
    ("chains.r.pay_out.winch.radius", |m, x| paid_out(m, PayOut::winch("hinge", x))),
    ("chains.r.pay_out.pick_up", |m, x| paid_out(m, PayOut { pick_up: x, ..PayOut::follows() })),
    ("chains.r.pay_out.exit_tension", |m, x| paid_out(m, PayOut { exit_tension: x, ..PayOut::follows() })),
    ("chains.r.pay_out.supply", |m, x| paid_out(m, PayOut { supply: Some(x), ..PayOut::follows() })),
    ("joints.hinge.break_force", |mut m, x| {
        m.joints[0].break_force = Some(x);
        m
    }),
    ("joints.hinge.break_moment", |mut m, x| {
        m.joints[0].break_moment = Some(x);
        m
    }),
    ("changes.c.at", |m, x| m.change(Change::at("c", x).detach("elbow"))),
    ("changes.c.when", |m, x| m.change(Change::when("c", x).detach("elbow"))),
    ("changes.c.cut.r", |m, x| m.chain(rope()).change(Change::at("c", 1.0).cut("r", x))),
    ("measures.x", |m, x| m.measure(linkwork::model::Measure::new("x", x))),
    ("couplings.c", |m, x| m.coupling(Coupling::ratio("c", ["hinge", "elbow"], x))),
    ("drivers.d.value", |m, x| m.driver(Driver::joint("d", "hinge", x))),
    ("locks.l", |m, x| m.lock(Lock::joint("l", "hinge").from(x))),
    ("locks.l", |m, x| m.lock(Lock::joint("l", "hinge").until(x))),
    ("tyres.t.radius", |m, x| m.tyre(Tyre::radial("t", "end", "B", x, 1e4))),
    ("tyres.t.stiffness", |m, x| m.tyre(Tyre::radial("t", "end", "B", 0.3, x))),
    ("tyres.t.damping", |m, x| m.tyre(Tyre::radial("t", "end", "B", 0.3, 1e4).damping(x))),
    ("tyres.t.road", |m, x| m.tyre(Tyre::radial("t", "end", "B", 0.3, 1e4).road(x))),
    ("tyres.t", |m, x| m.tyre(tyre(Brush::new(x, 1e4, 0.8)))),
    ("tyres.t", |m, x| m.tyre(tyre(Brush::new(1e4, x, 0.8)))),
    ("tyres.t", |m, x| m.tyre(tyre(Brush::new(1e4, 1e4, x)))),
    ("tyres.t", |m, x| m.tyre(tyre(Brush { rolling_resistance: x, ..Brush::new(1e4, 1e4, 0.8) }))),
    ("tyres.t", |m, x| m.tyre(tyre(Brush { slip_speed: x, ..Brush::new(1e4, 1e4, 0.8) }))),
    ("surfaces.floor", |m, x| touching(m, [0.0, 0.0, x], [0.0, 0.0, 1.0], 0.1, 0.3, 0.5)),
    ("surfaces.floor", |m, x| touching(m, [0.0, 0.0, -3.0], [0.0, x, 1.0], 0.1, 0.3, 0.5)),
    ("surfaces.ball", |m, x| touching(m, [0.0, 0.0, -3.0], [0.0, 0.0, 1.0], x, 0.3, 0.5)),
    ("contacts.c.friction", |m, x| touching(m, [0.0, 0.0, -3.0], [0.0, 0.0, 1.0], 0.1, x, 0.5)),
    ("contacts.c.restitution", |m, x| touching(m, [0.0, 0.0, -3.0], [0.0, 0.0, 1.0], 0.1, 0.3, x)),
    ("initial", |m, x| m.velocity("A", [0.0, 0.0, x])),
    ("initial", |m, x| m.angular_velocity("bar", [0.0, x, 0.0])),
    ("simulation.duration", |m, x| set(m, |s| s.duration = x)),
    ("simulation.output_step", |m, x| set(m, |s| s.output_step = x)),
    ("simulation.tolerance", |m, x| set(m, |s| s.tolerance = x)),
    ("simulation.step", |m, x| set(m, |s| s.step = Some(x))),
    ("simulation.max_step", |m, x| set(m, |s| s.max_step = Some(x))),
    ("simulation.spectral_radius", |m, x| set(m, |s| s.spectral_radius = Some(x))),
    ("simulation.stop", |m, x| set(m, |s| s.stop.push(x.into()))),
];

fn given(mut m: Model, mass: f64, com: [f64; 3], inertia: [f64; 6]) -> Model {
    m.bodies[0].mass = Mass::Given { mass, com: com.into(), inertia: Inertia::Matrix(inertia) };
    m
}

fn shaped(mut m: Model, shape: Shape, amount: Amount) -> Model {
    m.bodies[0].mass = Mass::Shape(shape, amount);
    m
}

fn pose() -> Orientation {
    Orientation { center: Some([0.5, 0.0, 0.0].into()), axis: Some([1.0, 0.0, 0.0]), side: None }
}

fn along(mut m: Model, set: impl FnOnce(&mut JointForces)) -> Model {
    let mut forces = JointForces::default();
    set(&mut forces);
    m.joints[0] = m.joints[0].clone().forces(forces);
    m
}

fn hinge() -> ActsOn {
    ActsOn::joint("hinge")
}

fn jet(impulse: f64, burn_time: f64) -> Thruster {
    let up = ThrustDirection::World(Axis::Vector([0.0, 0.0, 1.0]));
    Thruster::new("j", "bar", up, Thrust::Constant { impulse, burn_time })
}

fn pd(stiffness: f64, damping: f64) -> Actuator {
    let law = ActuatorLaw::Pd { setpoint: 0.0.into(), rate_setpoint: 0.0.into(), stiffness, damping };
    Actuator::new("a", hinge(), law)
}

fn tyre(brush: Brush) -> Tyre {
    Tyre::radial("t", "end", "B", 0.3, 1e4).brush(Some(Axis::Vector([0.0, 1.0, 0.0])), brush)
}

fn touching(m: Model, at: [f64; 3], normal: [f64; 3], radius: f64, friction: f64, restitution: f64) -> Model {
    m.surface(Surface::plane("floor", at, normal))
        .surface(Surface::sphere("ball", "B", radius).on("end"))
        .contact(Contact::between("c", "floor", "ball").friction(friction).restitution(restitution))
}

fn rope() -> Chain {
    Chain::new("r", "B", 5, 0.1).length(1.0)
}

fn air() -> ChainDrag {
    ChainDrag { diameter: 0.01, normal: 1.0, ..ChainDrag::default() }
}

fn on_floor(m: Model, friction: f64, restitution: f64) -> Model {
    let floor = Surface::plane("floor", [0.0, 0.0, -3.0], [0.0, 0.0, 1.0]);
    m.surface(floor).chain(rope().contact("floor", friction, restitution))
}

fn paid_out(m: Model, pay_out: PayOut) -> Model {
    m.chain(Chain::new("r", "B", 1, 0.1).to("W").segment_length(0.1).pay_out(pay_out))
}

fn set(mut m: Model, change: impl FnOnce(&mut linkwork::model::Settings)) -> Model {
    change(&mut m.settings);
    m
}

#[test]
fn exact_every_bad_number_is_a_fault_that_names_it() {
    let good = pendulum().assemble();
    assert!(good.is_ok(), "{:?}", good.err().map(|e| e.to_string()));
    let mut wrong = Vec::new();
    for (i, (path, put)) in NUMBERS.iter().enumerate() {
        for x in BAD {
            match put(pendulum(), x).assemble() {
                Err(faults) if faults.list.iter().any(|f| f.path.starts_with(path)) => {}
                Err(faults) => wrong.push(format!("{i} {path} = {x}: {:?}", faults.list)),
                Ok(_) => wrong.push(format!("{i} {path} = {x} was accepted")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for x in BAD {
        assert!(
            Table::new(vec![0.0, x, 2.0], vec![0.0, 1.0, 2.0], Interpolation::Linear, Extend::Hold).is_err()
        );
        assert!(
            Table::new(vec![0.0, 1.0, 2.0], vec![0.0, x, 2.0], Interpolation::Linear, Extend::Hold).is_err()
        );
    }
    println!("{} numbers, each as {BAD:?}", NUMBERS.len());
}

/// Rows as bits, and checkpoints where they are wanted.
#[derive(Default)]
struct Rows {
    list: Vec<Vec<f64>>,
    taken: Option<Checkpoint>,
    at: Option<f64>,
}

struct Watch<'m, 'r>(&'m Mechanism, &'r mut Rows);

impl Observer for Watch<'_, '_> {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        let mut out = Vec::new();
        row(self.0, frame, &mut out);
        self.1.list.push(out);
        ControlFlow::Continue(())
    }
    fn wants_checkpoint(&mut self, t: f64) -> bool {
        self.1.at.is_some_and(|at| t >= at) && self.1.taken.is_none()
    }
    fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
        self.1.taken = Some(checkpoint);
        ControlFlow::Continue(())
    }
}

fn run(mechanism: &Mechanism) -> (Summary, Rows) {
    let mut rows = Rows::default();
    let summary = mechanism.run(&mut Watch(mechanism, &mut rows)).unwrap();
    (summary, rows)
}

fn failure(summary: &Summary) -> &RunFailure {
    match &summary.status {
        Status::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap()
}

/// Formulas that have no value from half a second on.
#[test]
fn exact_formulas_that_lose_their_value_end_the_run_and_are_named() {
    let zero = || Formula::constant(0.0);
    let cases: Vec<(&str, Model)> = vec![
        (
            "`pull`",
            pendulum().force(Force::new("pull", "bar", "A", [0.0; 3]).formulas([
                formula("1 + 0*sqrt(0.5 - t)"),
                zero(),
                zero(),
            ])),
        ),
        (
            "`twist`",
            pendulum().couple(Couple::new("twist", "bar", [0.0; 3]).formulas([
                zero(),
                formula("1 + 0*ln(0.5 - t)"),
                zero(),
            ])),
        ),
        (
            "`motor`",
            pendulum().actuator(Actuator::new(
                "motor",
                hinge(),
                ActuatorLaw::Torque(formula("1 + 0*sqrt(0.5 - t)")),
            )),
        ),
        ("`law`", pendulum().spring(Spring::new("law", ["W", "A"], 0.0).law(formula("1 + 0*sqrt(0.5 - t)")))),
        (
            "`air`",
            pendulum().drag(Drag::new("air", "bar", 1.0).wind([
                formula("1 + 0*sqrt(0.5 - t)"),
                zero(),
                zero(),
            ])),
        ),
        ("`turn`", pendulum().driver(Driver::joint("turn", "hinge", formula("1 + 0*sqrt(0.5 - t)")))),
        (
            "`shown`",
            pendulum().measure(linkwork::model::Measure::new("shown", formula("1 + 0*sqrt(0.5 - t)"))),
        ),
        ("sqrt(0.5 - t)", set(pendulum(), |s| s.stop.push(formula("0*sqrt(0.5 - t) > 3")))),
        ("sqrt(0.5 - t)", pendulum().lock(Lock::joint("l", "hinge").when(formula("0*sqrt(0.5 - t) > 3")))),
    ];
    for (name, model) in cases {
        for formulation in
            [Formulation::Points, Formulation::NewtonEuler, Formulation::Joints, Formulation::Momentum]
        {
            for integrator in [Integrator::Dop853, Integrator::Radau5, Integrator::Rk4] {
                let mut model = model.clone();
                model.settings.duration = 1.0;
                model.settings.output_step = 0.01;
                model.settings.formulation = formulation;
                model.settings.integrator = integrator;
                let mechanism = model.assemble().unwrap();
                let (summary, rows) = run(&mechanism);
                let failure = failure(&summary);
                let what = format!("{name}, {}, {}: {failure:?}", formulation.name(), integrator.name());
                let plain = name.trim_matches('`');
                assert!(failure.message.contains(plain), "{what}");
                assert_eq!(failure.code, "not-finite", "{what}");
                assert!((0.4..=0.52).contains(&failure.t), "{what}");
                // the last good state is kept
                assert!(rows.list.len() >= 40, "{what}: {} rows", rows.list.len());
                assert!(rows.list.iter().flatten().all(|x| x.is_finite()), "{what}");
                assert!(summary.t <= failure.t + 1e-12, "{what}");
            }
        }
    }
}

/// y' = y for component 0; component 1 becomes what it is told at t = 1.
struct Spoiled(f64);

impl System for Spoiled {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        2
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        dy[0] = y[0];
        dy[1] = if t > 1.0 { self.0 } else { 0.0 };
        Ok(())
    }
}

#[test]
fn exact_a_spoiled_derivative_is_named_and_the_last_good_state_kept() {
    let methods: [fn() -> Stepper; 5] = [
        || Stepper::dop853(2, 1e-9),
        || Stepper::dopri5(2, 1e-9),
        || Stepper::radau5(2, 1e-9),
        || Stepper::rk4(2, 0.01),
        || Stepper::euler(2, 0.01),
    ];
    for bad in BAD {
        for new in methods {
            let mut stepper = new();
            stepper.start(&mut Spoiled(bad), 0.0, &[1.0, 0.0], 2.0).unwrap();
            let error = loop {
                if let Err(error) = stepper.step(&mut Spoiled(bad)) {
                    break error;
                }
            };
            assert!(matches!(error, StepError::NotFinite { component: 1, .. }), "{bad}: {error:?}");
            assert!(stepper.t() > 0.9 && stepper.t() <= 1.01, "{}", stepper.t());
            assert!(stepper.y().iter().all(|y| y.is_finite()));
        }
        // and one that is spoiled before it begins
        let mut stepper = Stepper::dop853(2, 1e-9);
        let error = stepper.start(&mut Spoiled(0.0), 0.0, &[1.0, bad], 2.0).unwrap_err();
        assert!(matches!(error, StepError::NotFinite { component: 1, .. }), "{error:?}");
    }
}

/// A NaN at places all over a checkpoint, the fingerprint made right again: an error, or a number that nothing depends on.
#[test]
fn exact_a_spoiled_checkpoint_ends_with_an_error_that_names_the_component() {
    let cases = [
        (Formulation::Points, Integrator::Dop853),
        (Formulation::NewtonEuler, Integrator::Rk4),
        (Formulation::Tmt, Integrator::Radau5),
    ];
    for (formulation, integrator) in cases {
        let mut model = pendulum();
        (model.settings.duration, model.settings.output_step) = (0.6, 0.02);
        // what is spoiled may be a speed that no step size is small enough for
        model.settings.max_steps = 20_000;
        (model.settings.formulation, model.settings.integrator) = (formulation, integrator);
        let mechanism = model.assemble().unwrap();
        let mut rows = Rows { at: Some(0.5), ..Rows::default() };
        mechanism.run(&mut Watch(&mechanism, &mut rows)).unwrap();
        let bytes = rows.taken.unwrap().to_bytes();
        let (mut named, mut refused, mut idle) = (0, 0, 0);
        // all places of a byte within a number come in turn
        for at in (bytes.len() / 16..bytes.len() - 16).step_by(43) {
            let checkpoint = spoil(&bytes, at);
            let mut rest = Rows::default();
            let outcome =
                checkpoint.map(|c| mechanism.resume(&c, &mut Watch(&mechanism, &mut rest)).map(|s| s.status));
            match outcome {
                Err(_) | Ok(Err(_)) => refused += 1,
                Ok(Ok(Status::Failed(failure))) => {
                    named += 1;
                    assert!(failure.code != "not-finite" || failure.message.contains("the "), "{failure:?}");
                }
                Ok(Ok(_)) => idle += 1,
            }
            // whatever was spoiled, no row that is shown has a NaN in it
            assert!(rest.list.iter().flatten().all(|x| x.is_finite()), "{at}");
        }
        println!(
            "{}, {}: {named} failed, {refused} refused, {idle} of no account",
            formulation.name(),
            integrator.name()
        );
        assert!(named > 0);
        println!("  {}", spoil_time(&mechanism, &bytes));
    }
}

/// A checkpoint with a NaN at a place, and the fingerprint that belongs to it.
fn spoil(bytes: &[u8], at: usize) -> Result<Checkpoint, linkwork::simulation::CheckpointError> {
    let mut spoiled = bytes.to_vec();
    spoiled[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let n = spoiled.len() - 8;
    let print = Fingerprint::of(&spoiled[..n]).0.to_le_bytes();
    spoiled[n..].copy_from_slice(&print);
    Checkpoint::from_bytes(&spoiled)
}

/// A NaN in the place of the stepper's time.
fn spoil_time(mechanism: &Mechanism, bytes: &[u8]) -> String {
    let t = Checkpoint::from_bytes(bytes).unwrap().t().to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 8).filter(|&i| bytes[i..i + 8] == t).collect();
    assert!(places.len() >= 2, "in the head and in the stepper");
    let checkpoint = spoil(bytes, places[1]).unwrap();
    mechanism.resume(&checkpoint, &mut |_: &Frame| panic!("a row")).unwrap_err().to_string()
}

fn example(name: &str) -> Model {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    Model::from_file(folder.join(format!("{name}.toml"))).unwrap()
}

/// One assembled mechanism in four threads at once, and one assembled anew in each.
#[test]
fn same_bits_again_and_in_threads() {
    for (name, duration) in [("four-bar", 0.3), ("bouncing-ball", 0.8), ("block-on-incline", 0.5)] {
        for formulation in [Formulation::Points, Formulation::Joints] {
            let mut model = example(name);
            model.settings.duration = duration;
            model.settings.formulation = formulation;
            let mechanism = model.assemble().unwrap();
            let bits = |rows: Rows| -> Vec<u64> { rows.list.iter().flatten().map(|x| x.to_bits()).collect() };
            let first = bits(run(&mechanism).1);
            assert_eq!(first, bits(run(&mechanism).1), "{name} again");
            std::thread::scope(|scope| {
                let (mechanism, first, model) = (&mechanism, &first, &model);
                let threads: Vec<_> = (0..4)
                    .map(|i| {
                        scope.spawn(move || {
                            let rows = match i % 2 {
                                0 => run(mechanism).1,
                                _ => run(&model.clone().assemble().unwrap()).1,
                            };
                            assert!(&bits(rows) == first, "{name}, thread {i}");
                        })
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            });
        }
    }
}

fn from_text(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Fixed steps beyond the bounds of stability break whatever is weakest. The step is to blame, and one that works is told.
#[test]
fn exact_a_step_that_is_too_long_is_told() {
    let text = r#"
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
O = [0, 0]
A = [1, 0]
B = [1, -1]
C = [0.2, -1]
[bodies]
ground = { points = ["O", "C"] }
a = { points = ["O", "A"], mass = 1 }
b = { points = ["A", "B"], mass = 0.1 }
[springs]
s = { between = ["B", "C"], stiffness = 1e5, damping = 1 }
[simulation]
duration = 2
output_step = 0.1
"#;
    let mut told = 0;
    let formulations = [
        Formulation::Points,
        Formulation::Recursive,
        Formulation::Joints,
        Formulation::Momentum,
        Formulation::NewtonEuler,
        Formulation::Tmt,
    ];
    for formulation in formulations {
        for (integrator, step) in [
            (Integrator::Rk4, 0.02),
            (Integrator::Rk4, 0.1),
            (Integrator::SemiImplicitEuler, 0.02),
            (Integrator::Dop853, 0.1),
        ] {
            let mut model = from_text(text);
            model.settings.formulation = formulation;
            (model.settings.integrator, model.settings.step) = (integrator, Some(step));
            let (summary, _) = run(&model.assemble().unwrap());
            let Status::Failed(failure) = &summary.status else { continue };
            println!("{formulation:?} {integrator:?} {step}: {} {}", failure.code, failure.message);
            assert_eq!(failure.code, "step-too-long", "{formulation:?} {integrator:?}: {failure:?}");
            assert!(failure.message.contains(&format!("the step of {step} s is too long")));
            // what is recommended works
            let works: f64 = failure.advice.split_whitespace().nth(3).unwrap().parse().unwrap();
            model.settings.step = Some(works);
            model.settings.duration = failure.t + step;
            let (summary, _) = run(&model.assemble().unwrap());
            assert_eq!(summary.status, Status::Finished, "{formulation:?} {integrator:?} {works}");
            told += 1;
        }
    }
    assert!(told >= 10, "{told}");
    // what no step cures keeps its own cause
    let bad = text.replace("stiffness = 1e5", "stiffness = 10")
        + "[forces]\nf = { body = \"b\", at = \"B\", force = [\"sqrt(0.5 - t)\", 0] }\n";
    let mut model = from_text(&bad);
    (model.settings.integrator, model.settings.step) = (Integrator::Rk4, Some(0.01));
    let (summary, _) = run(&model.assemble().unwrap());
    assert_eq!(failure(&summary).code, "not-finite", "{summary:?}");
}

/// A run that would never end says so at once, with what is to blame. Measured in steps, so that it is the same everywhere.
#[test]
fn exact_stuck_runs_end_and_name_the_culprit() {
    let text = |gravity: &str, mass: &str, spring: &str, duration: &str| {
        format!(
            r#"
format = 1
[model]
dimension = 2
gravity = [0, {gravity}]
[points]
O = [0, 0]
A = [1, 0.1]
B = [2, 0]
[bodies]
ground = {{ points = ["O"] }}
a = {{ points = ["O", "A"], mass = 1 }}
b = {{ points = ["A", "B"], mass = {mass} }}
[springs]
tie = {{ between = ["O", "B"], stiffness = {spring} }}
[simulation]
duration = {duration}
output_step = {duration}
"#
        )
    };
    for (name, model, culprit) in [
        ("gravity", text("-1e17", "1", "1", "10"), ""),
        ("light body on a stiff spring", text("-9.81", "1e-12", "1e12", "10"), "tie"),
        ("spring of 1e28 N/m", text("-9.81", "1", "1e28", "10"), "tie"),
        ("a duration of 1e16 s", text("-9.81", "1", "1", "1e16"), ""),
    ] {
        for formulation in [Formulation::Auto, Formulation::Points, Formulation::Joints] {
            let mut model = from_text(&model);
            model.settings.formulation = formulation;
            let (summary, _) = run(&model.assemble().unwrap());
            let steps = summary.steps.accepted_steps + summary.steps.rejected_steps;
            match &summary.status {
                // a stiff spring that nothing excites is no hindrance
                Status::Finished => println!("{name}, {formulation:?}: finished in {steps} steps"),
                Status::Failed(failure) => {
                    println!("{name}, {formulation:?}: {steps} steps, {}: {}", failure.code, failure.message);
                    assert!(failure.message.contains(culprit), "{name}: {failure:?}");
                }
                Status::Stopped => panic!("nobody stops it"),
            }
            assert!(steps < 60_000, "{name}, {formulation:?}: {steps}");
        }
    }
}
