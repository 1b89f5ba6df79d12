//! Actuators and thrusters.

use super::super::force_tables::{ActuatorTable, ControllerTable};
use super::super::thruster_build::ThrusterTable;
use super::elements::with_axes;
use crate::file::writing::context::{Context, DAMPING, FORCE, INTEGRAL, STIFFNESS, unit};
use crate::file::writing::item::{Entry, Item, is};
use crate::model::{
    ActsOn, Actuator, ActuatorLaw, Axes, Formula, GROUND, Propellant, Thrust, ThrustDirection, Thruster,
};

pub(super) fn actuator(actuator: &Actuator, context: &Context<'_>) -> Item {
    let Actuator { name: _, of, law, limit, every } = actuator;
    let entry = Entry::new(ActuatorTable::KEYS);
    let (entry, turns) = match of {
        ActsOn::Joint { joint, coordinate } => (
            entry.set("joint", joint).unless(*coordinate == 1, "coordinate", *coordinate),
            context.turns(joint, *coordinate),
        ),
        ActsOn::Between(points) => (entry.set("between", points), Some(false)),
        ActsOn::Turn { bodies: [against, body], axis } => (
            entry
                .set("body", body)
                .unless(against == GROUND, "against", against)
                .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, context.dimension))),
            Some(true),
        ),
    };
    let (entry, turns) = match law {
        ActuatorLaw::Force(force) => (entry.set("force", force), Some(false)),
        ActuatorLaw::Torque(torque) => (entry.set("torque", torque), Some(true)),
        ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping } => {
            let idle = is(*stiffness, 0.0) && !is(*damping, 0.0);
            let controller = Entry::new(ControllerTable::KEYS)
                .set("type", "pd")
                .set("setpoint", setpoint)
                .unless(*rate_setpoint == Formula::constant(0.0), "rate_setpoint", rate_setpoint)
                .unless(idle, "stiffness", Item::Quantity(*stiffness, unit(turns, STIFFNESS)))
                .unless_zero("damping", *damping, unit(turns, DAMPING));
            (entry.set("controller", controller), turns)
        }
        ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time } => {
            let controller = Entry::new(ControllerTable::KEYS)
                .set("type", "pid")
                .set("setpoint", setpoint)
                .unless(*rate_setpoint == Formula::constant(0.0), "rate_setpoint", rate_setpoint)
                .unless_zero("stiffness", *stiffness, unit(turns, STIFFNESS))
                .unless_zero("damping", *damping, unit(turns, DAMPING))
                .set("ki", Item::Quantity(*integral, unit(turns, INTEGRAL)))
                .maybe("tracking_time", tracking_time.map(|time| Item::Quantity(time, "s")));
            (entry.set("controller", controller), turns)
        }
    };
    entry
        .maybe("limit", limit.map(|limit| Item::Quantity(limit, unit(turns, FORCE))))
        .maybe("every", every.map(|every| Item::Quantity(every, "s")))
        .into()
}

pub(super) fn thruster(thruster: &Thruster, context: &Context<'_>) -> Item {
    let Thruster { name: _, body, at, direction, thrust, start, efficiency, propellant } = thruster;
    let entry = Entry::new(ThrusterTable::KEYS).set("body", body).maybe("at", at.as_ref());
    let axis = |axis| Item::axis(axis, context.dimension);
    let entry = match direction {
        ThrustDirection::World(along) => with_axes(entry.set("direction", axis(along)), Axes::World),
        ThrustDirection::Body(along) => with_axes(entry.set("direction", axis(along)), Axes::Body),
        ThrustDirection::Velocity { launch, launch_speed } => entry
            .set("direction", "velocity")
            .set("launch_direction", axis(launch))
            .unless_zero("launch_speed", *launch_speed, "m/s"),
    };
    let seconds = |time: &f64| Item::Quantity(*time, "s");
    let entry = match thrust {
        Thrust::Given { thrust, burn_time } => {
            entry.set("thrust", thrust).maybe("burn_time", burn_time.as_ref().map(seconds))
        }
        Thrust::Constant { impulse, burn_time } => {
            entry.set("impulse", Item::Quantity(*impulse, "N s")).set("burn_time", seconds(burn_time))
        }
        Thrust::Curve { impulse, curve } => {
            entry.set("impulse", Item::Quantity(*impulse, "N s")).set("curve", curve)
        }
    };
    let entry = match propellant {
        Propellant::None => entry,
        Propellant::Mass(mass) => entry.set("propellant", Item::Quantity(*mass, "kg")),
        Propellant::ExhaustVelocity(speed) => entry.set("exhaust_velocity", Item::Quantity(*speed, "m/s")),
    };
    entry.unless_zero("start", *start, "s").unless(is(*efficiency, 1.0), "efficiency", *efficiency).into()
}
