//! Mass properties and shapes of a link.

use std::sync::Arc;

use nalgebra::{Matrix3, Vector3};

use crate::Context;
use crate::fault::Fault;
use crate::files::Trail;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Geometry, Link, Role, Shape};
use crate::xml::Element;

use super::frames::pose;

/// The link; its place in the world is found later.
pub(super) fn link(
    element: &Element,
    context: &Context<'_>,
    trail: &Arc<Trail>,
    report: &mut Report,
) -> Link {
    let name = element.attribute("name").unwrap_or_default();
    let mut link = Link::new(name, element.place.clone(), Pose::identity());
    let inertial = element.child("inertial");
    if inertial.is_some_and(|inertial| matches!(inertial.attribute("auto"), Some("true" | "1"))) {
        let message = "its inertia is to be made of its collision shapes (`auto`), which is not read";
        report.fault(element.fault(message).help("write `<mass>` and `<inertia>`"));
    }
    if inertial.is_none_or(|inertial| inertial.child("mass").is_none()) {
        let what = "no mass is given";
        report.note(
            Severity::Assumed,
            &element.place,
            element.item(),
            what,
            "1 kg, as the specification has it",
        );
    }
    if inertial.is_none_or(|inertial| inertial.child("inertia").is_none()) {
        let what = "no inertia is given";
        let done = "1, 1, 1 kg m², as the specification has it";
        report.note(Severity::Assumed, &element.place, element.item(), what, done);
    }
    if let Some((mass, com, inertia)) = report.take(properties(element)) {
        (link.mass, link.com, link.inertia) = (mass, com, inertia);
    }
    for child in &element.children {
        let role = match child.name.as_str() {
            "visual" => Role::Visual,
            "collision" => Role::Collision,
            "pose" | "inertial" => continue,
            "gravity" if matches!(child.text.as_str(), "true" | "1") => continue,
            "gravity" => {
                let done = "gravity acts on all bodies; left out";
                report.note(Severity::Changed, &child.place, element.item(), "a link without gravity", done);
                continue;
            }
            _ => {
                let what = format!("<{}>", child.name);
                report.note(Severity::LeftOut, &child.place, element.item(), what, "left out");
                continue;
            }
        };
        let named = |fault: Fault| Fault { item: format!("{}, {}", element.item(), fault.item), ..fault };
        match shape(element, child, role, context, trail, report) {
            Ok(shape) => link.shapes.extend(shape),
            Err(fault) => report.fault(named(fault)),
        }
    }
    link
}

/// Mass, centre of mass, and inertia about it along the link's axes.
fn properties(link: &Element) -> Result<(f64, Vector3<f64>, Matrix3<f64>), Fault> {
    let named = |fault: Fault| Fault { item: link.item(), ..fault };
    let Some(inertial) = link.child("inertial") else {
        return Ok((1.0, Vector3::zeros(), Matrix3::identity()));
    };
    let mass = inertial.child_number("mass").map_err(named)?.unwrap_or(1.0);
    if mass < 0.0 {
        return Err(named(inertial.fault(format!("the mass is {mass} kg"))));
    }
    let (frame, _) = pose(inertial).map_err(named)?;
    let mut matrix = Matrix3::identity();
    if let Some(inertia) = inertial.child("inertia") {
        let entries = [
            ("ixx", 0, 0, 1.0),
            ("iyy", 1, 1, 1.0),
            ("izz", 2, 2, 1.0),
            ("ixy", 0, 1, 0.0),
            ("ixz", 0, 2, 0.0),
            ("iyz", 1, 2, 0.0),
        ];
        for (name, a, b, default) in entries {
            let value = inertia.child_number(name).map_err(named)?.unwrap_or(default);
            matrix[(a, b)] = value;
            matrix[(b, a)] = value;
        }
    }
    if mass == 0.0 {
        matrix = Matrix3::zeros();
    }
    Ok((mass, frame.origin, frame.inertia(matrix)))
}

fn shape(
    link: &Element,
    element: &Element,
    role: Role,
    context: &Context<'_>,
    trail: &Arc<Trail>,
    report: &mut Report,
) -> Result<Option<Shape>, Fault> {
    let Some(form) = element.child("geometry").and_then(|geometry| geometry.children.first()) else {
        return Ok(None);
    };
    let needed = |name: &str| -> Result<f64, Fault> {
        let value = form.child_number(name)?.ok_or_else(|| form.fault(format!("`<{name}>` is missing")))?;
        if value < 0.0 { Err(form.fault(format!("`<{name}>` is {value}"))) } else { Ok(value) }
    };
    let mut own = Pose::identity();
    let geometry = match form.name.as_str() {
        "plane" => {
            let normal = form.child_vector("normal")?.unwrap_or(Vector3::z());
            if normal.norm() < 1e-12 {
                return Err(form.fault("the normal has no length"));
            }
            let turn = nalgebra::Rotation3::rotation_between(&Vector3::z(), &normal).unwrap_or_else(|| {
                nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
            });
            own.rotation = turn.into_inner();
            Geometry::Plane
        }
        "sphere" => Geometry::Sphere { radius: needed("radius")? },
        "cylinder" => Geometry::Cylinder { radius: needed("radius")?, length: needed("length")? },
        "capsule" => Geometry::Capsule { radius: needed("radius")?, length: needed("length")? },
        "box" => {
            let size = form.child_vector("size")?.ok_or_else(|| form.fault("`<size>` is missing"))?;
            Geometry::Box { size }
        }
        "ellipsoid" => {
            let radii = form.child_vector("radii")?.ok_or_else(|| form.fault("`<radii>` is missing"))?;
            Geometry::Ellipsoid { radii }
        }
        "mesh" => {
            let uri = form.child_text("uri").ok_or_else(|| form.fault("`<uri>` is missing"))?;
            match context.files.resolve(uri, trail.folder()) {
                Ok(file) => {
                    let scale = form.child_vector("scale")?.unwrap_or(Vector3::new(1.0, 1.0, 1.0));
                    Geometry::Mesh { file, scale, own_colours: true }
                }
                Err(message) => {
                    report.note(
                        Severity::LeftOut,
                        &form.place,
                        link.item(),
                        format!("mesh {message}"),
                        "left out",
                    );
                    return Ok(None);
                }
            }
        }
        "empty" => return Ok(None),
        other => {
            let what = format!("a {} shape <{}>", element.name, other.escape_debug());
            report.note(Severity::LeftOut, &form.place, link.item(), what, "left out");
            return Ok(None);
        }
    };
    let colour = element.child("material").and_then(|material| {
        let diffuse = material.child("diffuse").or_else(|| material.child("ambient"))?;
        diffuse.text_array::<4>().ok()
    });
    let bits =
        element.at_path(&["surface", "contact"]).map(|contact| contact.child_number("collide_bitmask"));
    let bits = bits.transpose()?.flatten().map_or(0xffff, |bits| bits as u32);
    let friction =
        element.at_path(&["surface", "friction", "ode"]).map(|ode| ode.child_number("mu")).transpose()?;
    Ok(Some(Shape {
        name: element.attribute("name").unwrap_or_default().to_owned(),
        place: element.place.clone(),
        role,
        geometry,
        pose: pose(element)?.0.then(&own),
        colour,
        friction: friction.flatten(),
        smooth: false,
        bits: [bits, bits],
    }))
}
