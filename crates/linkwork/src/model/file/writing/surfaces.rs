//! Surfaces and contacts.

use super::super::format::{ContactTable, SurfaceTable};
use super::bodies::{ACROSS, posed, size};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is};
use crate::model::{Contact, Dimension, GROUND, Meeting, Orientation, Place, Shape, Surface, SurfaceForm};

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
        SurfaceForm::Solid(Shape::Capsule { radius, length, pose }) => posed(
            entry("capsule").set("radius", metres(radius)).maybe("length", length.as_ref().map(metres)),
            pose,
        ),
        SurfaceForm::Hull { points, vertices } => {
            let at = |vertex: &[f64; 3]| Item::place(&Place::At(*vertex), dimension);
            entry("hull").unless(points.is_empty() && !vertices.is_empty(), "points", points).unless(
                vertices.is_empty(),
                "vertices",
                vertices.iter().map(at).collect::<Vec<_>>(),
            )
        }
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
