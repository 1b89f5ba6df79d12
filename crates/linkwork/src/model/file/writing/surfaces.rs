//! Tyres, surfaces and contacts.

use super::super::format::{ContactTable, SurfaceTable, TyreTable};
use super::bodies::{ACROSS, posed, size};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is};
use crate::model::{
    Brush, Contact, Dimension, Formula, GROUND, Meeting, Orientation, Shape, Surface, SurfaceForm, Tyre,
};

pub(super) fn tyre(tyre: &Tyre, context: &Context<'_>) -> Item {
    let Tyre { name: _, body, centre, axis, radius, stiffness, damping, brush, road } = tyre;
    let entry = Entry::new(TyreTable::KEYS)
        .set("body", body)
        .set("centre", centre)
        .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, context.dimension)))
        .set("radius", Item::Quantity(*radius, "m"))
        .set("stiffness", Item::Quantity(*stiffness, "N/m"))
        .unless_zero("damping", *damping, "N s/m")
        .unless(*road == Formula::constant(0.0), "road", road);
    match brush {
        Some(brush) => grip(entry.set("model", "brush"), brush, context.dimension),
        None => entry.unless(true, "model", "radial"),
    }
    .into()
}

fn grip(entry: Entry, brush: &Brush, dimension: Dimension) -> Entry {
    let Brush { slip_stiffness, cornering_stiffness, friction, rolling_resistance, slip_speed } = brush;
    // in the plane no tyre slips sideways
    let sideways = dimension == Dimension::Spatial || !is(*cornering_stiffness, 0.0);
    entry
        .set("slip_stiffness", Item::Quantity(*slip_stiffness, "N"))
        .maybe("cornering_stiffness", sideways.then_some(Item::Quantity(*cornering_stiffness, "N/rad")))
        .set("friction", *friction)
        .unless(is(*rolling_resistance, 0.0), "rolling_resistance", *rolling_resistance)
        .unless(is(*slip_speed, Brush::SLIP_SPEED), "slip_speed", Item::Quantity(*slip_speed, "m/s"))
}

pub(super) fn surface(surface: &Surface, context: &Context<'_>) -> Item {
    let Surface { name: _, body, form } = surface;
    let entry =
        |kind: &str| Entry::new(SurfaceTable::KEYS).set("type", kind).unless(body == GROUND, "body", body);
    let dimension = context.dimension;
    let place = |place| Item::place(place, dimension);
    let metres = |length: &f64| Item::Quantity(*length, "m");
    // x on the ground, which has no points to take an axis from
    let posed = |entry: Entry, pose: &Orientation| match pose.axis {
        Some(axis) if body == GROUND && are(&axis, [1.0, 0.0, 0.0]) => {
            let pose = Orientation { axis: None, ..pose.clone() };
            posed(entry.unless(true, "axis", ""), &pose, dimension)
        }
        _ => posed(entry, pose, dimension),
    };
    match form {
        SurfaceForm::Plane { at, normal } => {
            entry("plane").maybe("at", at.as_ref().map(place)).set("normal", Item::axis(normal, dimension))
        }
        SurfaceForm::Point { at } => entry("point").set("at", place(at)),
        SurfaceForm::Solid(Shape::Sphere { radius, center }) => {
            entry("sphere").set("radius", metres(radius)).maybe("center", center.as_ref().map(place))
        }
        SurfaceForm::Solid(Shape::Box { size: edges, pose }) => {
            posed(entry("box").set("size", size(edges, dimension)), pose)
        }
        SurfaceForm::Solid(Shape::Cylinder {
            radius,
            length: None,
            pose: Orientation { center, axis, side: None },
        }) if dimension == Dimension::Planar && axis.is_some_and(|axis| are(&axis, ACROSS)) => {
            entry("disc").set("radius", metres(radius)).maybe("center", center.as_ref().map(place))
        }
        SurfaceForm::Solid(Shape::Cylinder { radius, length, pose }) => posed(
            entry("cylinder").set("radius", metres(radius)).maybe("length", length.as_ref().map(metres)),
            pose,
        ),
        // cannot touch: the reader says that there is no such surface
        SurfaceForm::Solid(shape @ (Shape::Rod { .. } | Shape::Polygon { .. } | Shape::Tube { .. })) => {
            entry(shape.name())
        }
    }
    .into()
}

pub(super) fn contact(contact: &Contact) -> Item {
    let Contact { name: _, of, friction, restitution, jointed } = contact;
    let side = |names: &Vec<String>| match &names[..] {
        [name] => Item::from(name),
        _ => Item::from(names),
    };
    let entry = Entry::new(ContactTable::KEYS);
    match of {
        Meeting::Between(sides) => entry.set("between", sides.iter().map(side).collect::<Vec<_>>()),
        Meeting::Among(names) => entry.set("among", names),
    }
    .unless(is(*friction, 0.0), "friction", *friction)
    .unless(is(*restitution, 0.0), "restitution", *restitution)
    .unless(!jointed, "jointed", *jointed)
    .into()
}
