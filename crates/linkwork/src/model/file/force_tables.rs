//! The tables of force elements, and the kinds of value that only they have.

use crate::file::table::{Named, table};
use crate::file::values::*;
use crate::model::Side;

table! {
    /// A torsion spring with a damper in parallel, between two bodies about an axis or on a joint. What is given adds up.
    TorsionSpringTable {
        /// The joint, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Instead of a joint: the two bodies; the angle is that of the second against the first.
        bodies: optional Two,
        /// Axis of the angle, fixed in the first body: a vector or two points; in the plane it is z.
        axis: optional Direction,
        /// Stiffness, N m/rad.
        stiffness: optional Si<2, 1, -2>,
        /// Damping, N m s/rad.
        damping: optional Si<2, 1, -1>,
        /// Angle without moment, rad; as assembled if left out.
        free_angle: optional Plain,
        /// Moment in N m as an expression of `angle` and `rate`; positive where it makes the angle smaller.
        law: optional FormulaOf<2, 1, -2, OfAngle>,
        /// Name of a table of moment over the angle less the free angle.
        table: optional String,
        /// Moment that is always there, N m; positive where it makes the angle smaller.
        preload: optional Si<2, 1, -2>,
    }
}

table! {
    /// An elastic bearing: it resists every relative motion of two bodies.
    BushingTable {
        /// The two bodies; displacements are measured in axes of the first.
        bodies: required Two,
        /// Its point, or one on each body. A body that does not list it has its place where it is drawn.
        at: required At,
        /// Two directions: the first axis, and one in the plane of the first two; world axes as drawn if left out.
        axes: optional TwoDirections,
        /// Stiffness along the axes, N/m, and about them, N m/rad: six numbers; in the plane [x, y, turn].
        stiffness: optional Six<0>,
        /// Damping along the axes, N s/m, and about them, N m s/rad: six numbers; in the plane [x, y, turn].
        damping: optional Six<1>,
        /// Force, N, and moment, N m, on the second body that are always there: six numbers; in the plane [x, y, turn].
        preload: optional Six<2>,
    }
}

table! {
    /// A motor: a force or a torque along a coordinate.
    ActuatorTable {
        /// The joint along whose coordinate it acts, by its name in results.
        joint: optional String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Instead of a joint: two points that the force pushes apart.
        between: optional Two,
        /// Instead of a joint: the body that the torque turns.
        body: optional String,
        /// The body that takes the opposite torque and carries the axis; `ground` if left out.
        against: optional String,
        /// Axis of the torque on a body: a vector or two points; in the plane it is z.
        axis: optional Direction,
        /// The force, N: an expression of `t`, readings, the coordinate `q` and its rate `v`.
        force: optional FormulaOf<1, 1, -2, OfCoordinate>,
        /// The torque, N m: an expression of `t`, readings, the coordinate `q` and its rate `v`.
        torque: optional FormulaOf<2, 1, -2, OfCoordinate>,
        /// Instead of a force or torque: a controller that holds the coordinate at a set value.
        controller: optional ControllerTable,
        /// The most that it can do either way, N or N m.
        limit: optional AnyQuantity,
        /// Period of a sampled controller, s: what it does is computed at multiples of it and held in between.
        every: optional Time,
    }
}

table! {
    /// A controller: stiffness (setpoint - q) + damping (rate_setpoint - v), with "pid" also ki times the integral of setpoint - q.
    ControllerTable {
        /// "pd": proportional and derivative; "pid": with an integral part.
        r#type: required Choice<Controller>,
        /// The value that the coordinate should have, m or rad: an expression of `t` and readings.
        setpoint: required AnyFormula,
        /// The rate that it should have, m/s or rad/s; zero if left out.
        rate_setpoint: optional AnyFormula,
        /// Force per deviation, N/m or N m/rad.
        stiffness: optional AnyQuantity,
        /// Another name of `stiffness`.
        kp: optional AnyQuantity,
        /// Force per deviation of the rate, N s/m or N m s/rad.
        damping: optional AnyQuantity,
        /// Another name of `damping`.
        kd: optional AnyQuantity,
        /// Of "pid": force per integral of the deviation, N/(m s) or N m/(rad s).
        ki: optional AnyQuantity,
        /// Of "pid" with a `limit`: time constant by which the integral is led back while the limit holds, s; kp / ki if left out.
        tracking_time: optional Time,
    }
}

table! {
    /// Drag: a force against the velocity of a point through the air.
    DragTable {
        /// The body.
        body: required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: optional String,
        /// Force per square of the speed, kg/m: half of density times area times drag coefficient.
        coefficient: optional Si<-1, 1, 0>,
        /// Density of the air, kg/m^3; with `area` and `cd` instead of `coefficient`.
        density: optional Density,
        /// Area that meets the air, m^2.
        area: optional Area,
        /// Drag coefficient.
        cd: optional Plain,
        /// Force per speed, N s/m.
        linear: optional Damping,
        /// Velocity of the air in world axes, m/s: each component a number or an expression.
        wind: optional FormulaVector<1, 0, -1>,
    }
}

table! {
    /// A rope without mass that runs without friction through points and over pulleys.
    CableTable {
        /// The points from end to end.
        through: required Vec<String>,
        /// Which of the points are pulleys of some size, by the point's name.
        pulleys: optional Named<PulleyTable>,
        /// Axis of the pulleys: a vector or two points, square to the plane of the rope; in the plane it is z.
        axis: optional Direction,
        /// Stiffness of the whole rope, N/m.
        stiffness: optional Stiffness,
        /// Damping of the whole rope, N s/m.
        damping: optional Damping,
        /// Length without force, m; as assembled if left out, of an inextensible cable as drawn.
        free_length: optional Length,
        /// Whether it goes slack instead of pushing; true if left out.
        tension_only: optional bool,
        /// The length does not change at all: a constraint, which cannot go slack.
        inextensible: optional bool,
        /// A drum that gives out rope as a joint turns.
        winch: optional WinchTable,
    }
}

table! {
    /// A pulley.
    PulleyTable {
        /// Where the rope lies, m.
        radius: required Length,
        /// Side of the rope on which the centre lies, looking along the rope with the axis towards you.
        side: required Choice<Side>,
    }
}

table! {
    /// A drum: the free length grows by the radius times the joint's angle.
    WinchTable {
        /// The joint, by its name in results.
        joint: required String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: optional Count,
        /// Rope given out for each radian, m; negative where turning on winds it up.
        radius: required Length,
    }
}

impl Choices for Side {
    const WHAT: &'static str = "side";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("left", Side::Left), ("right", Side::Right)]
    }
}

/// The kinds of controller.
#[derive(Clone, Copy, Debug)]
pub(super) enum Controller {
    Pd,
    Pid,
}

impl Choices for Controller {
    const WHAT: &'static str = "type of controller";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("pd", Controller::Pd), ("pid", Controller::Pid)]
    }
}
