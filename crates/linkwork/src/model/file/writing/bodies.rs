//! Bodies and their shapes.

use super::super::format::{BodyTable, GroundTable, ShapeTable};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is, numbers};
use crate::model::{Amount, Body, Dimension, Inertia, Mass, Orientation, Place, Shape};

/// The body that never moves.
pub(super) fn ground(points: &[String]) -> Item {
    Entry::new(GroundTable::KEYS).set("points", points).into()
}

pub(super) fn body(body: &Body, context: &Context<'_>) -> Item {
    let Body { name: _, points, mass, mass_law, length, present, primary } = body;
    let entry = Entry::new(BodyTable::KEYS)
        .set("points", points)
        .maybe("length", length.map(|length| Item::Quantity(length, "m")))
        .unless(*present, "present", *present)
        .unless(primary.is_empty(), "primary", primary);
    let weighs = |entry: Entry, mass: f64| match mass_law {
        Some(law) => entry.set("mass", law),
        None => entry.set("mass", Item::Quantity(mass, "kg")),
    };
    match mass {
        Mass::Shape(shape, amount) => {
            let entry = match amount {
                Amount::Mass(mass) => weighs(entry, *mass),
                Amount::Density(density) => {
                    entry.set("density", Item::Quantity(*density, "kg/m^3")).maybe("mass", mass_law.as_ref())
                }
            };
            let rod = *shape == Shape::Rod { area: None } && points.len() == 2;
            entry.unless(rod, "shape", self::shape(shape, context.dimension)).into()
        }
        Mass::Given { mass, com, inertia } => {
            let entry = weighs(entry, *mass);
            match (inertia, com) {
                (Inertia::Point, Place::Point(point)) if points[..] == [point.clone()] => entry.into(),
                _ => {
                    let com = Item::place(com, context.dimension);
                    entry.set("com", com).set("inertia", self::inertia(inertia, context.dimension)).into()
                }
            }
        }
    }
}

fn inertia(inertia: &Inertia, dimension: Dimension) -> Item {
    match (inertia, dimension) {
        (Inertia::Polar(polar), _) => Item::Quantity(*polar, "kg m^2"),
        (Inertia::Matrix(m), _) if m[3..].iter().all(|&x| is(x, 0.0)) => numbers(&m[..3]),
        (Inertia::Matrix(m), _) => numbers(m),
        (Inertia::Point, Dimension::Planar) => Item::Number(0.0),
        (Inertia::Point, Dimension::Spatial) => numbers(&[0.0; 3]),
    }
}

/// The axis of a disc in the plane.
pub(super) const ACROSS: [f64; 3] = [0.0, 0.0, 1.0];

fn shape(shape: &Shape, dimension: Dimension) -> Item {
    let entry = |name: &str| Entry::new(ShapeTable::KEYS).alone("type").set("type", name);
    let length = |length: &f64| Item::Quantity(*length, "m");
    let place = |place: &Place| Item::place(place, dimension);
    match shape {
        Shape::Rod { area } => entry("rod").maybe("area", area.map(|area| Item::Quantity(area, "m^2"))),
        Shape::Polygon { outline, thickness } => entry("polygon")
            .unless(outline.is_empty(), "outline", outline)
            .maybe("thickness", thickness.as_ref().map(length)),
        Shape::Box { size, pose } => {
            posed(entry("box").set("size", self::size(size, dimension)), pose, dimension)
        }
        Shape::Cylinder { radius, length: thickness, pose: Orientation { center, axis, side: None } }
            if dimension == Dimension::Planar && axis.is_some_and(|axis| are(&axis, ACROSS)) =>
        {
            entry("disc")
                .set("radius", length(radius))
                .maybe("thickness", thickness.as_ref().map(length))
                .maybe("center", center.as_ref().map(place))
        }
        Shape::Cylinder { radius, length: long, pose } => posed(
            entry("cylinder").set("radius", length(radius)).maybe("length", long.as_ref().map(length)),
            pose,
            dimension,
        ),
        Shape::Capsule { radius, length: long, pose } => posed(
            entry("capsule").set("radius", length(radius)).maybe("length", long.as_ref().map(length)),
            pose,
            dimension,
        ),
        Shape::Tube { radius, inner_radius, length: long, pose } => posed(
            entry("tube")
                .set("radius", length(radius))
                .set("inner_radius", length(inner_radius))
                .maybe("length", long.as_ref().map(length)),
            pose,
            dimension,
        ),
        Shape::Sphere { radius, center } => {
            entry("sphere").set("radius", length(radius)).maybe("center", center.as_ref().map(place))
        }
    }
    .into()
}

/// Edge lengths: in the plane two where the third is zero.
pub(super) fn size(size: &[f64; 3], dimension: Dimension) -> Item {
    Item::direction(size, dimension)
}

/// Adds where a shape lies.
pub(super) fn posed(entry: Entry, pose: &Orientation, dimension: Dimension) -> Entry {
    let Orientation { center, axis, side } = pose;
    let direction = |axis: &[f64; 3]| Item::direction(axis, dimension);
    entry
        .maybe("center", center.as_ref().map(|place| Item::place(place, dimension)))
        .maybe("axis", axis.as_ref().map(direction))
        .maybe("side", side.as_ref().map(direction))
}
