//! What bodies look like: one line for each shape that is seen.

use std::fmt::Write;
use std::path::Path;

use nalgebra::Vector3;

use super::Writer;
use super::text::{Names, key, neat, number, string, vector};
use crate::notes::Severity;
use crate::pose::Pose;
use crate::robot::{Geometry, Link, Role, Shape, colour_text};
use crate::xml::quoted;

/// Places of what is only seen are written to a micrometre, and directions to a millionth.
const SEEN: [f64; 2] = [1e-6, 1e-6];

impl Writer<'_> {
    pub(super) fn looks(&mut self) {
        let mut taken = Names::default();
        let mut entries = Vec::new();
        let links = &self.robot.links;
        for (n, link) in links.iter().enumerate() {
            let seen: Vec<&Shape> = link.shapes.iter().filter(|shape| self.is_look(link, shape)).collect();
            for (k, shape) in seen.iter().enumerate() {
                let wanted = match (seen.len(), shape.name.is_empty(), k) {
                    (1, true, _) | (_, true, 0) => &link.name,
                    (1, ..) if !link.fixed => &link.name,
                    (_, true, _) => &format!("{}_{}", link.name, k + 1),
                    _ => &shape.name,
                };
                let Some(value) = self.look(link, shape) else { continue };
                let name = taken.take(wanted);
                let body = &self.bodies[n];
                let of = if name == *body { String::new() } else { format!("body = {}, ", string(body)) };
                let short =
                    value.strip_prefix("file = ").filter(|rest| of.is_empty() && !rest.contains(", "));
                let value = match short {
                    Some(file) => file.to_owned(),
                    None => format!("{{ {of}{value} }}"),
                };
                entries.push([key(&name), value, self.place(&shape.place)]);
            }
        }
        self.section("looks", entries);
    }

    /// Whether a shape is written as a look: it is seen, and no surface that is drawn as well.
    fn is_look(&self, link: &Link, shape: &Shape) -> bool {
        let clear = shape.colour.is_some_and(|colour| colour[3] == 0.0);
        shape.role != Role::Collision && !clear && !self.drawn_as_surfaces(link)
    }

    /// The keys of a look; `None` if it cannot be had, which is noted.
    fn look(&mut self, link: &Link, shape: &Shape) -> Option<String> {
        let pose = link.pose.then(&shape.pose);
        let item = format!("link {}", quoted(&link.name));
        let mut out = match &shape.geometry {
            Geometry::Mesh { file, scale, .. } => match self.shelf.reference(file) {
                Ok(reference) => mesh(&reference, *scale, &pose, SEEN),
                Err(why) => {
                    self.report.note(Severity::LeftOut, &shape.place, item, "a mesh", why);
                    return None;
                }
            },
            geometry => solid(geometry, &pose, SEEN)?,
        };
        let over =
            !matches!(&shape.geometry, Geometry::Mesh { file, own_colours: true, .. } if has_colours(file));
        let colour = shape.colour.filter(|_| over).map(colour_text);
        if let Some(colour) = colour.filter(|colour| link.fixed || Some(colour) != link.colour().as_ref()) {
            let _ = write!(out, ", color = \"{colour}\"");
        }
        Some(out)
    }
}

/// Whether files of this format have colours.
fn has_colours(file: &Path) -> bool {
    matches!(linkwork_mesh::ending(file).as_str(), "dae" | "obj" | "glb" | "gltf")
}

/// The keys of a mesh: its file, the scale, and where it is drawn.
pub(super) fn mesh(reference: &str, scale: Vector3<f64>, pose: &Pose, [noise, turn]: [f64; 2]) -> String {
    let mut out = format!("file = {}", string(reference));
    match (scale[0] == scale[1] && scale[0] == scale[2], scale[0]) {
        (true, 1.0) => {}
        (true, 0.001) => out.push_str(", scale = \"1 mm\""),
        (true, factor) => {
            let _ = write!(out, ", scale = {}", number(factor));
        }
        (false, _) => {
            let _ = write!(out, ", scale = {}", vector(scale, 0.0));
        }
    }
    if pose.origin.amax() > noise {
        let _ = write!(out, ", at = {}", vector(pose.origin, noise));
    }
    turned(pose, turn, &mut out);
    out
}

/// `axis` and `side`: where the first and the second axis point, as far as they say more than is so without them.
fn turned(pose: &Pose, noise: f64, out: &mut String) {
    let [x, y] = [0, 1].map(|k| pose.rotation.column(k).into_owned());
    // without a side the second axis is level
    let level = Vector3::z().cross(&x);
    let is_level = level.try_normalize(1e-6).is_some_and(|level| (level - y).amax() <= noise);
    if (x - Vector3::x()).amax() > noise {
        let _ = write!(out, ", axis = {}", vector(x, noise));
    }
    if !is_level {
        let _ = write!(out, ", side = {}", vector(y, noise));
    }
}

/// The keys of a solid; `None` for what has no form of its own.
pub(super) fn solid(geometry: &Geometry, pose: &Pose, [noise, turn]: [f64; 2]) -> Option<String> {
    let at = vector(pose.origin, noise);
    let size =
        |size: Vector3<f64>| format!("[{}, {}, {}]", number(size[0]), number(size[1]), number(size[2]));
    let along_z = || vector(pose.rotation.column(2).into_owned(), turn);
    // either end is like the other: the first component that is not zero is positive
    let axis = || {
        let z: Vector3<f64> = pose.rotation.column(2).into_owned();
        let first = z.iter().find(|x| x.abs() > 1e-9).copied().unwrap_or(1.0);
        vector(z * first.signum(), turn)
    };
    Some(match geometry {
        Geometry::Plane => {
            let through = if pose.origin.amax() > noise { format!("at = {at}, ") } else { String::new() };
            format!("type = \"plane\", {through}normal = {}", along_z())
        }
        Geometry::Sphere { radius } => {
            format!("type = \"sphere\", center = {at}, radius = {}", number(*radius))
        }
        Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
            let kind = if matches!(geometry, Geometry::Capsule { .. }) { "capsule" } else { "cylinder" };
            let [radius, length] = [number(*radius), neat(*length, noise)];
            format!(
                "type = \"{kind}\", center = {at}, radius = {radius}, length = {length}, axis = {}",
                axis()
            )
        }
        Geometry::Box { .. } | Geometry::Ellipsoid { .. } => {
            let (kind, edges) = match geometry {
                Geometry::Box { size } => ("box", *size),
                Geometry::Ellipsoid { radii } => ("ellipsoid", radii * 2.0),
                _ => return None,
            };
            let axis = vector(pose.rotation.column(0).into_owned(), turn);
            let mut out = format!("type = \"{kind}\", center = {at}, size = {}, axis = {axis}", size(edges));
            let y: Vector3<f64> = pose.rotation.column(1).into_owned();
            let level = Vector3::z().cross(&pose.rotation.column(0));
            if level.try_normalize(1e-6).is_none_or(|level| (level - y).amax() > turn) {
                let _ = write!(out, ", side = {}", vector(y, turn));
            }
            out
        }
        Geometry::Mesh { .. } => return None,
    })
}
