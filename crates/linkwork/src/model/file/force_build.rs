//! Decoded tables of force elements into those of a [`Model`](crate::model::Model).

use super::force_tables::{
    ActuatorTable, BushingTable, CableTable, Controller, ControllerTable, DragTable, TorsionSpringTable,
};
use super::format::{CoupleTable, ForceTable, InitialJointTable, JointTable, SpringTable};
use crate::error::names::segment;
use crate::expressions::quantity::State;
use crate::expressions::units::Dims;
use crate::file::decode::Reader;
use crate::file::values::{AnyFormula, AnyQuantity, Choice, Count, PerCoordinate};
use crate::model::{
    ActsOn, Actuator, ActuatorLaw, Bushing, Cable, Couple, Dimension, Drag, Fault, Force, Formula, GROUND,
    InitialJoint, JointForces, Pulley, Side, Spring, TorsionSpring, Winch,
};

fn zeros() -> [Formula; 3] {
    std::array::from_fn(|_| Formula::constant(0.0))
}

pub(super) fn number(count: Option<Count>) -> usize {
    count.map_or(1, |count| usize::try_from(count.0).unwrap_or(usize::MAX))
}

/// Whether something of an item could not be decoded, so that nothing more can be said of it.
fn broken(reader: &Reader<'_>, path: &str) -> bool {
    reader.broken.iter().any(|broken| crate::file::within(broken, path))
}

pub(super) fn spring(name: String, table: Option<SpringTable>, reader: &mut Reader<'_>) -> Spring {
    let path = format!("springs.{}", segment(&name));
    if let Some(SpringTable { stiffness: None, damping: None, law: None, table: None, preload: None, .. }) =
        table
        && !broken(reader, &path)
    {
        let fault = Fault::error(path, "a spring needs a `stiffness` or a `damping`");
        reader.reject(fault.help("stiffness in N/m, damping in N s/m; or a `law`, a `table`, a `preload`"));
    }
    let table = table.unwrap_or_default();
    Spring {
        name,
        between: table.between.map_or_else(Default::default, |two| two.0),
        stiffness: table.stiffness.map_or(0.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        free_length: table.free_length.map(|value| value.0),
        law: table.law.map(|law| law.0),
        table: table.table,
        tension_only: table.tension_only.unwrap_or(false),
        preload: table.preload.map_or(0.0, |value| value.0),
    }
}

pub(super) fn force(name: String, table: ForceTable) -> Force {
    Force {
        name,
        body: table.body.unwrap_or_default(),
        at: table.at,
        force: table.force.map_or_else(zeros, |force| force.0),
        axes: table.axes.map(|choice| choice.0).unwrap_or_default(),
    }
}

pub(super) fn couple(name: String, table: CoupleTable) -> Couple {
    Couple {
        name,
        body: table.body.unwrap_or_default(),
        moment: table.moment.map_or_else(zeros, |moment| moment.0),
        axes: table.axes.map(|choice| choice.0).unwrap_or_default(),
    }
}

/// Nothing if it does not say what it acts on; it has been reported.
pub(super) fn torsion_spring(
    name: String,
    table: TorsionSpringTable,
    reader: &mut Reader<'_>,
) -> Option<TorsionSpring> {
    let path = format!("torsion_springs.{}", segment(&name));
    if broken(reader, &path) {
        return None;
    }
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let of = match (table.joint, table.bodies) {
        (Some(joint), None) => {
            if table.axis.is_some() {
                refuse(".axis", "`axis` belongs to `bodies`", "remove it: a joint has its own axis");
            }
            ActsOn::Joint { joint, coordinate: number(table.coordinate) }
        }
        (None, Some(bodies)) => {
            if table.coordinate.is_some() {
                refuse(".coordinate", "`coordinate` belongs to `joint`", "remove it");
            }
            ActsOn::Turn { bodies: bodies.0, axis: table.axis.map(|axis| axis.0) }
        }
        (joint, _) => {
            let message =
                if joint.is_some() { "both `joint` and `bodies` are given" } else { "this acts on nothing" };
            refuse("", message, "name a `joint`, or two `bodies`");
            return None;
        }
    };
    let nothing = table.stiffness.is_none() && table.damping.is_none() && table.preload.is_none();
    if nothing && table.law.is_none() && table.table.is_none() {
        let help = "stiffness in N m/rad, damping in N m s/rad; or a `law`, a `table`, a `preload`";
        refuse("", "a torsion spring needs a `stiffness` or a `damping`", help);
    }
    Some(TorsionSpring {
        name,
        of,
        stiffness: table.stiffness.map_or(0.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        free_angle: table.free_angle.map(|value| value.0),
        law: table.law.map(|law| law.0),
        table: table.table,
        preload: table.preload.map_or(0.0, |value| value.0),
    })
}

pub(super) fn bushing(name: String, table: BushingTable) -> Bushing {
    Bushing {
        name,
        bodies: table.bodies.map_or_else(Default::default, |two| two.0),
        at: table.at.map_or_else(Default::default, |at| at.0),
        axes: table.axes.map(|two| two.0.map(|direction| direction.0)),
        stiffness: table.stiffness.map_or([0.0; 6], |six| six.0),
        damping: table.damping.map_or([0.0; 6], |six| six.0),
        preload: table.preload.map_or([0.0; 6], |six| six.0),
    }
}

/// Tells a dimension that does not fit; `turns` if it is known whether an angle is meant.
fn fits(
    reader: &mut Reader<'_>,
    path: &str,
    found: State,
    turns: Option<bool>,
    [path_dims, angle_dims]: [Dims; 2],
) {
    let Some(dims) = found.measured() else { return };
    let expected = match turns {
        Some(true) => vec![angle_dims],
        Some(false) => vec![path_dims],
        None => vec![path_dims, angle_dims],
    };
    if !expected.contains(&dims) {
        let help = reader.said(path).and_then(|text| reader.misfit(text, found, &expected));
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        let message = format!("expected {}, found {dims}", expected.join(" or "));
        reader.push(Fault { help, ..Fault::error(path, message) });
    }
}

fn stiffness_dims() -> [Dims; 2] {
    [Dims::new(0, 1, -2), Dims::new(2, 1, -2)]
}

fn damping_dims() -> [Dims; 2] {
    [Dims::new(0, 1, -1), Dims::new(2, 1, -1)]
}

fn integral_dims() -> [Dims; 2] {
    [Dims::new(0, 1, -3), Dims::new(2, 1, -3)]
}

fn force_dims() -> [Dims; 2] {
    [Dims::new(1, 1, -2), Dims::new(2, 1, -2)]
}

fn inertia_dims() -> [Dims; 2] {
    [Dims::new(0, 1, 0), Dims::new(2, 1, 0)]
}

fn coordinate_dims() -> [Dims; 2] {
    [Dims::new(1, 0, 0), Dims::NONE]
}

fn rate_dims() -> [Dims; 2] {
    [Dims::new(1, 0, -1), Dims::new(0, 0, -1)]
}

/// Nothing if it does not say what it acts on, or what it does; it has been reported.
pub(super) fn actuator(name: String, table: ActuatorTable, reader: &mut Reader<'_>) -> Option<Actuator> {
    let path = format!("actuators.{}", segment(&name));
    if broken(reader, &path) {
        return None;
    }
    let by_joint = table.joint.as_ref().and_then(|joint| reader.turns(joint, number(table.coordinate)));
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let given = [table.joint.is_some(), table.between.is_some(), table.body.is_some()];
    match given.iter().filter(|given| **given).count() {
        0 => {
            refuse("", "this acts on nothing", "name a `joint`, two points with `between`, or a `body`");
            return None;
        }
        1 => {}
        _ => {
            refuse("", "an actuator acts on one thing", "keep one of `joint`, `between` and `body`");
            return None;
        }
    }
    let strays = [
        ("coordinate", table.coordinate.is_some() && table.joint.is_none(), "a joint"),
        ("against", table.against.is_some() && table.body.is_none(), "a body"),
        ("axis", table.axis.is_some() && table.body.is_none(), "a body"),
    ];
    for (key, _, of) in strays.iter().filter(|(_, stray, _)| *stray) {
        refuse(&format!(".{key}"), &format!("`{key}` belongs to {of}"), "remove it");
    }
    // whether there is such a joint is known once the mechanism is
    let (of, turns) = if let Some(joint) = table.joint {
        (ActsOn::Joint { joint, coordinate: number(table.coordinate) }, None)
    } else if let Some(two) = table.between {
        (ActsOn::Between(two.0), Some(false))
    } else {
        let against = table.against.unwrap_or_else(|| GROUND.into());
        let bodies = [against, table.body.unwrap_or_default()];
        (ActsOn::Turn { bodies, axis: table.axis.map(|axis| axis.0) }, Some(true))
    };
    let wrong = match turns {
        Some(true) if table.force.is_some() => Some(("force", "torque", "this turns a body")),
        Some(false) if table.torque.is_some() => Some(("torque", "force", "this acts between two points")),
        _ => None,
    };
    if let Some((key, other, message)) = wrong {
        refuse(&format!(".{key}"), message, &format!("give `{other}` instead"));
        return None;
    }
    let turns = turns.or(by_joint);
    let law = match (table.force, table.torque, table.controller) {
        (Some(force), None, None) => ActuatorLaw::Force(force.0),
        (None, Some(torque), None) => ActuatorLaw::Torque(torque.0),
        (None, None, Some(controller)) => self::controller(controller, &path, turns, reader),
        (force, torque, controller) => {
            let none = force.is_none() && torque.is_none() && controller.is_none();
            let message = if none { "this does nothing" } else { "an actuator does one thing" };
            refuse("", message, "give one of `force`, `torque` and `controller`");
            return None;
        }
    };
    if let Some(limit) = table.limit {
        fits(reader, &format!("{path}.limit"), limit.1, turns, force_dims());
    }
    let every = table.every.map(|every| every.0);
    Some(Actuator { name, of, law, limit: table.limit.map(|limit| limit.0), every })
}

/// The initial coordinates and rates of a joint.
pub(super) fn initial_joint(
    joint: String,
    table: InitialJointTable,
    reader: &mut Reader<'_>,
) -> InitialJoint {
    let path = format!("initial.joints.{}", segment(&joint));
    if table.q.is_none() && table.v.is_none() && !broken(reader, &path) {
        let fault = Fault::error(path.clone(), "this says nothing of the joint");
        reader.reject(fault.help("give its coordinate `q`, its rate `v`, or both"));
    }
    let mut numbers = |key: &str, list: Option<PerCoordinate>, dims: [Dims; 2]| -> Vec<f64> {
        let list = list.map_or(Vec::new(), |list| list.0);
        for (i, AnyQuantity(_, state)) in list.iter().enumerate() {
            let whole = format!("{path}.{key}");
            let path = if reader.spans.contains_key(&whole) { &whole } else { &path };
            let turns = reader.turns(&joint, i + 1);
            fits(reader, path, *state, turns, dims);
        }
        list.into_iter().map(|quantity| quantity.0).collect()
    };
    let (q, v) = (numbers("q", table.q, coordinate_dims()), numbers("v", table.v, rate_dims()));
    InitialJoint { joint, q, v }
}

fn controller(
    table: ControllerTable,
    path: &str,
    turns: Option<bool>,
    reader: &mut Reader<'_>,
) -> ActuatorLaw {
    let path = format!("{path}.controller");
    let gains = [
        ("stiffness", "kp", table.stiffness, table.kp, stiffness_dims()),
        ("damping", "kd", table.damping, table.kd, damping_dims()),
    ];
    let gains = gains.map(|(key, other, value, same, dims)| {
        if value.is_some() && same.is_some() {
            let fault =
                Fault::error(format!("{path}.{other}"), format!("`{other}` is `{key}`, which is given, too"));
            reader.reject(fault.help("keep one of the two"));
        }
        let (key, gain) = if value.is_some() { (key, value) } else { (other, same) };
        if let Some(AnyQuantity(_, state)) = gain {
            fits(reader, &format!("{path}.{key}"), state, turns, dims);
        }
        gain.map(|gain| gain.0)
    });
    let integrates = matches!(table.r#type, Some(Choice(Controller::Pid)));
    for (key, _) in [("ki", table.ki.is_some()), ("tracking_time", table.tracking_time.is_some())]
        .into_iter()
        .filter(|&(_, given)| given && !integrates)
    {
        let fault = Fault::error(format!("{path}.{key}"), format!("`{key}` belongs to an integral part"));
        reader.reject(fault.help("write `type = \"pid\"`, or remove it"));
    }
    if integrates && table.ki.is_none() {
        let fault = Fault::error(path.clone(), "a `pid` needs a `ki`");
        reader.reject(fault.help("ki in N/(m s) or N m/(rad s); without an integral part it is a `pd`"));
    }
    if gains == [None, None] && !integrates {
        let fault = Fault::error(path.clone(), "a controller needs a `stiffness` or a `damping`");
        reader.reject(fault.help("stiffness in N/m or N m/rad, damping in N s/m or N m s/rad"));
    }
    let mut formula = |key: &str, formula: Option<AnyFormula>, dims: [Dims; 2]| match formula {
        Some(AnyFormula(formula, state)) => {
            fits(reader, &format!("{path}.{key}"), state, turns, dims);
            formula
        }
        None => Formula::constant(0.0),
    };
    let setpoint = formula("setpoint", table.setpoint, coordinate_dims());
    let rate_setpoint = formula("rate_setpoint", table.rate_setpoint, rate_dims());
    let [stiffness, damping] = gains.map(|gain| gain.unwrap_or(0.0));
    if !integrates {
        return ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping };
    }
    if let Some(AnyQuantity(_, state)) = table.ki {
        fits(reader, &format!("{path}.ki"), state, turns, integral_dims());
    }
    let integral = table.ki.map_or(0.0, |ki| ki.0);
    let tracking_time = table.tracking_time.map(|time| time.0);
    ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time }
}

/// Nothing if it does not say how large it is; it has been reported.
pub(super) fn drag(name: String, table: DragTable, reader: &mut Reader<'_>) -> Option<Drag> {
    let path = format!("drags.{}", segment(&name));
    if broken(reader, &path) {
        return None;
    }
    let parts = [table.density.map(|x| x.0), table.area.map(|x| x.0), table.cd.map(|x| x.0)];
    let coefficient = match (table.coefficient, parts) {
        (Some(coefficient), [None, None, None]) => coefficient.0,
        (None, [Some(density), Some(area), Some(cd)]) => {
            for (key, value) in [("density", density), ("area", area), ("cd", cd)] {
                if value < 0.0 {
                    let message = format!("`{key}` must not be negative, it is {value}");
                    reader.reject(Fault::error(format!("{path}.{key}"), message));
                    return None;
                }
            }
            0.5 * density * area * cd
        }
        (None, [None, None, None]) if table.linear.is_some() => 0.0,
        (coefficient, _) => {
            let message = match coefficient {
                Some(_) => "`coefficient` stands for density, area and cd, some of which are given, too",
                None => "drag needs a `coefficient`, or all of `density`, `area` and `cd`, or `linear`",
            };
            let help = "coefficient = half of density times area times drag coefficient, in kg/m";
            reader.reject(Fault::error(path, message).help(help));
            return None;
        }
    };
    Some(Drag {
        name,
        body: table.body.unwrap_or_default(),
        at: table.at,
        coefficient,
        linear: table.linear.map_or(0.0, |value| value.0),
        wind: table.wind.map(|wind| wind.0),
    })
}

/// Nothing if it does not say how it holds; it has been reported.
pub(super) fn cable(name: String, table: CableTable, reader: &mut Reader<'_>) -> Option<Cable> {
    let path = format!("cables.{}", segment(&name));
    if broken(reader, &path) {
        return None;
    }
    let mut refuse = |key: &str, message: &str, help: &str| {
        reader.reject(Fault::error(format!("{path}{key}"), message).help(help));
    };
    let inextensible = table.inextensible.unwrap_or(false);
    let strays = [
        ("stiffness", table.stiffness.is_some()),
        ("damping", table.damping.is_some()),
        ("tension_only", table.tension_only.is_some()),
    ];
    for (key, _) in strays.iter().filter(|(_, given)| *given && inextensible) {
        let message = format!("an inextensible cable has no `{key}`");
        refuse(&format!(".{key}"), &message, "remove it, or `inextensible`");
    }
    if !inextensible && table.stiffness.is_none() && table.damping.is_none() {
        let help = "stiffness in N/m, damping in N s/m; or inextensible = true";
        refuse("", "a cable needs a `stiffness` or a `damping`", help);
        return None;
    }
    let pulleys = table.pulleys.map_or(Vec::new(), |named| named.0);
    let pulley = |(point, table): (String, Option<super::force_tables::PulleyTable>)| {
        let table = table.unwrap_or_default();
        let side = table.side.map_or(Side::Left, |choice| choice.0);
        Pulley { point, radius: table.radius.map_or(0.0, |radius| radius.0), side }
    };
    Some(Cable {
        name,
        through: table.through.unwrap_or_default(),
        pulleys: pulleys.into_iter().map(pulley).collect(),
        axis: table.axis.map(|axis| axis.0),
        stiffness: table.stiffness.map_or(0.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        free_length: table.free_length.map(|value| value.0),
        pushes: !inextensible && !table.tension_only.unwrap_or(true),
        inextensible,
        winch: table.winch.map(|winch| Winch {
            joint: winch.joint.unwrap_or_default(),
            coordinate: number(winch.coordinate),
            radius: winch.radius.map_or(0.0, |radius| radius.0),
        }),
    })
}

/// What acts along the coordinates of a joint.
pub(super) fn joint_forces(
    name: &str,
    table: &JointTable,
    dimension: Dimension,
    reader: &mut Reader<'_>,
) -> Vec<JointForces> {
    // without a kind nobody knows which of these belong
    let Some(kind) = &table.r#type else { return Vec::new() };
    let (kind, turns) = (kind.0.name(), kind.0.coordinates(dimension));
    let path = format!("joints.{}", segment(name));
    let mut forces = vec![JointForces::default(); turns.len()];
    let mut fits_all = |key: &str, list: &[State], listed: bool, dims: [Dims; 2]| {
        if list.len() > turns.len() {
            let has = match turns.len() {
                0 => "no coordinate along which anything acts".into(),
                1 => "one coordinate".into(),
                n => format!("{n} coordinates"),
            };
            let message = format!("a {kind} joint has {has}, here are {}", list.len());
            let message = if turns.is_empty() { format!("a {kind} joint has {has}") } else { message };
            reader.push(Fault::error(format!("{path}.{key}"), message));
            return;
        }
        for (i, (state, turns)) in list.iter().zip(&turns).enumerate() {
            let path = if listed { format!("{path}.{key}[{i}]") } else { format!("{path}.{key}") };
            fits(reader, &path, *state, Some(*turns), dims);
        }
    };
    /// A key, its values, its dimensions and the field it sets.
    type Key<'t> = (&'static str, &'t Option<PerCoordinate>, [Dims; 2], fn(&mut JointForces, f64));
    let keys: [Key<'_>; 9] = [
        ("stiffness", &table.stiffness, stiffness_dims(), |f, x| f.stiffness = x),
        ("damping", &table.damping, damping_dims(), |f, x| f.damping = x),
        ("rest", &table.rest, coordinate_dims(), |f, x| f.rest = Some(x)),
        ("preload", &table.preload, force_dims(), |f, x| f.preload = x),
        ("friction", &table.friction, force_dims(), |f, x| f.friction = x),
        ("friction_speed", &table.friction_speed, rate_dims(), |f, x| f.friction_speed = Some(x)),
        ("inertia", &table.inertia, inertia_dims(), |f, x| f.inertia = x),
        ("limit_stiffness", &table.limit_stiffness, stiffness_dims(), |f, x| f.limit_stiffness = x),
        ("limit_damping", &table.limit_damping, damping_dims(), |f, x| f.limit_damping = x),
    ];
    for (key, values, dims, set) in keys {
        let Some(PerCoordinate(list, listed)) = values else { continue };
        fits_all(key, &list.iter().map(|x| x.1).collect::<Vec<_>>(), *listed, dims);
        for (forces, value) in forces.iter_mut().zip(list) {
            set(forces, value.0);
        }
    }
    if let Some(limits) = &table.limits {
        for side in 0..2 {
            let states = limits.0.iter().map(|pair| pair.map_or(State::Number, |pair| pair[side].1));
            fits_all("limits", &states.collect::<Vec<_>>(), limits.1, coordinate_dims());
            if limits.0.len() > turns.len() {
                break;
            }
        }
        for (forces, pair) in forces.iter_mut().zip(&limits.0) {
            forces.limits = pair.map(|pair| pair.map(|limit| limit.0));
        }
    }
    if forces.iter().all(|forces| *forces == JointForces::default()) { Vec::new() } else { forces }
}
