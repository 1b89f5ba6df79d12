//! The tables of surfaces and contacts into the model.

use super::build::{Drawing, vector};
use super::format::{ContactTable, SurfaceTable};
use super::values::SurfaceKind;
use crate::error::names::segment;
use crate::file::decode::Reader;
use crate::file::values::Direction;
use crate::model::{
    Axis, Contact, Dimension, Fault, GROUND, Meeting, Orientation, Place, Shape, Surface, SurfaceForm,
};

/// What each type takes, and what of that it needs.
fn keys(kind: SurfaceKind) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
    match kind {
        SurfaceKind::Plane => ("plane", &["normal", "at"], &["normal"]),
        SurfaceKind::Point => ("point", &["at"], &["at"]),
        SurfaceKind::Sphere => ("sphere", &["radius", "center"], &["radius"]),
        SurfaceKind::Disc => ("disc", &["radius", "center"], &["radius"]),
        SurfaceKind::Box => ("box", &["size", "center", "axis", "side"], &["size"]),
        SurfaceKind::Cylinder => ("cylinder", &["radius", "length", "center", "axis"], &["radius"]),
        SurfaceKind::Capsule => ("capsule", &["radius", "length", "center", "axis"], &["radius"]),
        SurfaceKind::Hull => ("hull", &["points", "vertices"], &[]),
    }
}

/// A surface; one at fault becomes a point that no check objects to.
pub(super) fn surface(
    name: String,
    table: SurfaceTable,
    drawing: &Drawing,
    reader: &mut Reader<'_>,
) -> Surface {
    let path = format!("surfaces.{}", segment(&name));
    let harmless =
        |name| Surface { name, body: GROUND.into(), form: SurfaceForm::Point { at: Place::At([0.0; 3]) } };
    let body = table.body.clone().unwrap_or_else(|| GROUND.into());
    let Some(kind) = table.r#type.map(|choice| choice.0) else { return harmless(name) };
    let broken = reader.broken.iter().any(|broken| crate::file::within(broken, &path));
    if broken || !fitting(&table, kind, &path, drawing.dimension, reader) {
        return harmless(name);
    }
    let failures = reader.failures;
    let direction = |key: &str, direction: &Option<Direction>, reader: &mut Reader<'_>| {
        direction.as_ref().map(|direction| vector(&direction.0, &format!("{path}.{key}"), drawing, reader))
    };
    let center = table.center.as_ref().map(|spot| spot.0.clone());
    let at = table.at.as_ref().map(|spot| spot.0.clone());
    let pose = Orientation {
        center: center.clone(),
        axis: direction("axis", &table.axis, reader),
        side: direction("side", &table.side, reader),
    };
    // the ground has no points to take an axis from
    let on_ground = |pose: Orientation| match pose.axis {
        None if body == GROUND => Orientation { axis: Some([1.0, 0.0, 0.0]), ..pose },
        _ => pose,
    };
    let radius = table.radius.map_or(f64::NAN, |radius| radius.0);
    let form = match kind {
        SurfaceKind::Plane => {
            let up = Axis::Vector([0.0, 1.0, 0.0]);
            SurfaceForm::Plane { at, normal: table.normal.map_or(up, |normal| normal.0) }
        }
        SurfaceKind::Point => SurfaceForm::Point { at: at.unwrap_or(Place::At([0.0; 3])) },
        SurfaceKind::Sphere => SurfaceForm::Solid(Shape::Sphere { radius, center }),
        SurfaceKind::Disc => {
            let pose = Orientation { axis: Some([0.0, 0.0, 1.0]), ..pose };
            SurfaceForm::Solid(Shape::Cylinder { radius, length: None, pose })
        }
        SurfaceKind::Box => {
            let size = table.size.map_or([f64::NAN; 3], |size| size.0);
            SurfaceForm::Solid(Shape::Box { size, pose: on_ground(pose) })
        }
        SurfaceKind::Cylinder => {
            let length = table.length.map(|length| length.0);
            SurfaceForm::Solid(Shape::Cylinder { radius, length, pose: on_ground(pose) })
        }
        SurfaceKind::Capsule => {
            let length = table.length.map(|length| length.0);
            SurfaceForm::Solid(Shape::Capsule { radius, length, pose: on_ground(pose) })
        }
        SurfaceKind::Hull => SurfaceForm::Hull {
            points: table.points.clone().unwrap_or_default(),
            vertices: table.vertices.iter().flatten().map(|vertex| vertex.0).collect(),
        },
    };
    if reader.failures == failures { Surface { name, body, form } } else { harmless(name) }
}

/// Whether a surface has the keys that its type takes and needs; tells where it has not.
fn fitting(
    table: &SurfaceTable,
    kind: SurfaceKind,
    path: &str,
    dimension: Dimension,
    reader: &mut Reader<'_>,
) -> bool {
    let given = [
        ("at", table.at.is_some()),
        ("normal", table.normal.is_some()),
        ("center", table.center.is_some()),
        ("radius", table.radius.is_some()),
        ("length", table.length.is_some()),
        ("size", table.size.is_some()),
        ("axis", table.axis.is_some()),
        ("side", table.side.is_some()),
        ("points", table.points.is_some()),
        ("vertices", table.vertices.is_some()),
    ];
    let (what, takes, needs) = keys(kind);
    let failures = reader.failures;
    for (key, _) in given.iter().filter(|(key, given)| *given && !takes.contains(key)) {
        let fault = Fault::error(format!("{path}.{key}"), format!("a {what} has no `{key}`"));
        reader.reject(fault.help(format!("a {what} takes {}", takes.join(", "))));
    }
    for key in needs {
        if given.contains(&(key, false)) {
            reader.reject(Fault::error(path, format!("a {what} needs `{key}`")));
        }
    }
    if kind == SurfaceKind::Hull && table.points.is_none() && table.vertices.is_none() {
        let fault = Fault::error(path, "a hull needs `points` or `vertices`");
        reader.reject(fault.help("points = names of points of the body, vertices = coordinates as drawn"));
    }
    if kind == SurfaceKind::Disc && dimension == Dimension::Spatial {
        let fault = Fault::error(path, "a disc is a surface of planar models");
        reader.reject(fault.help("in space: type = \"cylinder\" with radius, length and axis"));
    }
    reader.failures == failures
}

/// Nothing if it does not say who meets whom; it has been reported.
pub(super) fn contact(name: String, table: ContactTable, reader: &mut Reader<'_>) -> Option<Contact> {
    let path = format!("contacts.{}", segment(&name));
    let (message, help) = match (table.between, table.among) {
        (Some(sides), None) => {
            return Some(with_laws(
                name,
                Meeting::Between(sides.0),
                &table.friction,
                &table.restitution,
                table.jointed,
            ));
        }
        (None, Some(names)) => {
            return Some(with_laws(
                name,
                Meeting::Among(names),
                &table.friction,
                &table.restitution,
                table.jointed,
            ));
        }
        (Some(_), Some(_)) => ("`between` and `among` are both given", "keep one of the two"),
        (None, None) if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) => return None,
        (None, None) => {
            ("this does not say what meets", "between = [\"ball\", \"floor\"], or among = a list of surfaces")
        }
    };
    reader.reject(Fault::error(path, message).help(help));
    None
}

fn with_laws(
    name: String,
    of: Meeting,
    friction: &Option<crate::file::values::Plain>,
    restitution: &Option<crate::file::values::Plain>,
    jointed: Option<bool>,
) -> Contact {
    Contact {
        name,
        of,
        friction: friction.map_or(0.0, |value| value.0),
        restitution: restitution.map_or(0.0, |value| value.0),
        jointed: jointed.unwrap_or(false),
    }
}
