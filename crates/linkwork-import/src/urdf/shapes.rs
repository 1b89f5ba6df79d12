//! Looks and collision shapes of a link.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::Context;
use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Geometry, Role, Shape};
use crate::xml::Element;

/// Colours by the name of their material.
pub(super) type Materials = HashMap<String, [f64; 4]>;

/// Materials of the robot.
pub(super) fn materials(root: &Element, report: &mut Report) -> Materials {
    let mut materials = Materials::new();
    for element in root.all("material") {
        if let (Some(name), Some(Some(colour))) = (element.attribute("name"), report.take(colour(element))) {
            materials.insert(name.to_owned(), colour);
        }
    }
    materials
}

fn colour(material: &Element) -> Result<Option<[f64; 4]>, Fault> {
    match material.child("color") {
        Some(color) => color.array::<4>("rgba"),
        None => Ok(None),
    }
}

/// All shapes of a link.
pub(super) fn shapes(
    link: &Element,
    materials: &Materials,
    context: &Context<'_>,
    report: &mut Report,
) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for element in &link.children {
        let role = match element.name.as_str() {
            "visual" => Role::Visual,
            "collision" => Role::Collision,
            _ => continue,
        };
        match shape(link, element, role, materials, context, report) {
            Ok(shape) => shapes.extend(shape),
            // a damaged look or surface does not stop the motion, but a damaged number is a fault all the same
            Err(fault) => report.fault(Fault { item: format!("{}, {}", link.item(), fault.item), ..fault }),
        }
    }
    shapes
}

fn shape(
    link: &Element,
    element: &Element,
    role: Role,
    materials: &Materials,
    context: &Context<'_>,
    report: &mut Report,
) -> Result<Option<Shape>, Fault> {
    let Some(form) = element.child("geometry").and_then(|geometry| geometry.children.first()) else {
        report.note(
            Severity::LeftOut,
            &element.place,
            link.item(),
            format!("<{}> without geometry", element.name),
            "left out",
        );
        return Ok(None);
    };
    let needed = |name: &str| -> Result<f64, Fault> {
        let value =
            form.number(name)?.ok_or_else(|| form.fault(format!("the attribute `{name}` is missing")))?;
        if value < 0.0 { Err(form.fault(format!("`{name}` is {value}"))) } else { Ok(value) }
    };
    let geometry = match form.name.as_str() {
        "sphere" => Geometry::Sphere { radius: needed("radius")? },
        "cylinder" => Geometry::Cylinder { radius: needed("radius")?, length: needed("length")? },
        "capsule" => Geometry::Capsule { radius: needed("radius")?, length: needed("length")? },
        "box" => Geometry::Box {
            size: form.vector("size")?.ok_or_else(|| form.fault("the attribute `size` is missing"))?,
        },
        "mesh" => {
            let name = form.required("filename")?;
            match context.files.resolve(name, context.trail.folder()) {
                Ok(file) => Geometry::Mesh {
                    file,
                    scale: form.vector("scale")?.unwrap_or(Vector3::new(1.0, 1.0, 1.0)),
                    own_colours: true,
                },
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
        other => {
            let what = format!("a {} shape <{}>", element.name, other.escape_debug());
            report.note(Severity::LeftOut, &form.place, link.item(), what, "left out");
            return Ok(None);
        }
    };
    let material = element.child("material");
    let own = material.map(colour).transpose()?.flatten();
    let named = || materials.get(material?.attribute("name")?).copied();
    let friction = None;
    Ok(Some(Shape {
        name: element.attribute("name").unwrap_or_default().to_owned(),
        place: element.place.clone(),
        role,
        geometry,
        pose: super::origin(element)?,
        colour: own.or_else(named),
        friction,
        smooth: false,
        bits: [1, 1],
    }))
}
