//! Collision shapes as surfaces, and who meets whom.

use std::collections::BTreeSet;
use std::fmt::Write;

use nalgebra::Vector3;

use super::Writer;
use super::looks::{mesh, solid};
use super::text::{key, names, number, string, vector};
use crate::contacts::{entries, kept_apart};
use crate::notes::Severity;
use crate::pose::Pose;
use crate::robot::{Geometry, Link, Role, Shape};
use crate::xml::quoted;

/// A collision shape that is a surface.
pub(super) struct Surface {
    link: usize,
    shape: usize,
    name: String,
    value: String,
}

impl Writer<'_> {
    /// Chooses the shapes that touch, with their names and keys.
    pub(super) fn choose_surfaces(&mut self) {
        if !self.contacts {
            return;
        }
        let robot = self.robot;
        for (l, link) in robot.links.iter().enumerate() {
            let touching = link.shapes.iter().enumerate().filter(|(_, shape)| shape.role != Role::Visual);
            for (s, shape) in touching {
                let Some((word, value)) = self.surface(link, shape) else { continue };
                let body = self.bodies[l].clone();
                let wanted = match shape.name.is_empty() || self.bodies.contains(&shape.name) {
                    true => format!("{}_{word}", link.name),
                    false => shape.name.clone(),
                };
                let name = loop {
                    // a surface may not have the name of a body
                    let name = self.surface_names.take(&wanted);
                    if !self.bodies.contains(&name) {
                        break name;
                    }
                };
                let of = if link.fixed { String::new() } else { format!(", body = {}", string(&body)) };
                let (kind, rest) = value.split_once(", ").unwrap_or((&value, ""));
                let rest = if rest.is_empty() { String::new() } else { format!(", {rest}") };
                self.surfaces.push(Surface {
                    link: l,
                    shape: s,
                    name,
                    value: format!("{{ {kind}{of}{rest} }}"),
                });
            }
        }
    }

    /// The word for a surface and its keys; `None` if it cannot be had, which is noted.
    fn surface(&mut self, link: &Link, shape: &Shape) -> Option<(&'static str, String)> {
        let pose = link.pose.then(&shape.pose);
        let item = format!("link {}", quoted(&link.name));
        match &shape.geometry {
            Geometry::Mesh { file, scale, .. } => {
                let reference = match self.shelf.reference(file) {
                    Ok(reference) => reference,
                    Err(why) => {
                        self.report.note(Severity::Changed, &shape.place, item, "a collision mesh", why);
                        return None;
                    }
                };
                let read = linkwork_mesh::Mesh::read(file).map(|read| read.scaled((*scale).into()));
                let plain = linkwork::model::MeshFile::new(file);
                let most = linkwork::model::HULL_CORNERS;
                let hull = read
                    .map_err(|error| error.to_string())
                    .and_then(|read| linkwork::model::HullFile::of(plain, &read, most));
                match hull {
                    Ok(hull) => {
                        let off = if hull.left_out > 0.0 {
                            format!(", which lie up to {:.1e} m within it", hull.left_out)
                        } else {
                            String::new()
                        };
                        let done = format!("its convex hull by {} corners{off}", hull.corners.len());
                        self.report.note(Severity::Assumed, &shape.place, item, "a collision mesh", done);
                        let keys = mesh(&reference, *scale, &pose, [self.noise, super::NOISE]);
                        Some(("hull", format!("type = \"hull\", {keys}")))
                    }
                    Err(why) => {
                        let what = format!("collision mesh {}", quoted(&file.display().to_string()));
                        self.report.note(
                            Severity::Changed,
                            &shape.place,
                            item,
                            what,
                            format!("left out: {why}"),
                        );
                        None
                    }
                }
            }
            Geometry::Ellipsoid { radii } => {
                let done = format!("the hull of {} places on it", ELLIPSOID.len());
                self.report.note(Severity::Assumed, &shape.place, item, "an ellipsoid that touches", done);
                Some(("hull", ellipsoid(*radii, &pose, self.noise)))
            }
            geometry => {
                let word = match geometry {
                    Geometry::Plane => "plane",
                    Geometry::Sphere { .. } => "sphere",
                    Geometry::Box { .. } => "box",
                    Geometry::Cylinder { .. } => "cylinder",
                    _ => "capsule",
                };
                Some((word, solid(geometry, &pose, [self.noise, super::NOISE])?))
            }
        }
    }

    /// Whether all that is seen of a link are surfaces, which are drawn by themselves.
    pub(super) fn drawn_as_surfaces(&self, link: &Link) -> bool {
        let seen = || link.shapes.iter().filter(|shape| shape.role != Role::Collision);
        let same_colour =
            |shape: &Shape| link.fixed || shape.colour.map(crate::robot::colour_text) == link.colour();
        self.contacts
            && link.shapes.iter().all(|shape| shape.role != Role::Collision)
            && seen().all(|shape| {
                shape.role == Role::Both
                    && same_colour(shape)
                    && !matches!(shape.geometry, Geometry::Mesh { .. } | Geometry::Ellipsoid { .. })
            })
    }

    /// The sections `[surfaces]` and `[contacts]`.
    pub(super) fn surfaces(&mut self) {
        let robot = self.robot;
        let surfaces = std::mem::take(&mut self.surfaces);
        let shape = |surface: &Surface| &robot.links[surface.link].shapes[surface.shape];
        let lines =
            surfaces.iter().map(|s| [key(&s.name), s.value.clone(), self.place(&shape(s).place)]).collect();
        let pairs: Vec<(usize, &Shape)> = surfaces.iter().map(|s| (s.link, shape(s))).collect();
        self.section("surfaces", lines);
        let mut linked = kept_apart(robot);
        // bodies by their names again
        for pair in &self.apart {
            let [Some(a), Some(b)] =
                pair.each_ref().map(|name| self.bodies.iter().position(|known| known == name))
            else {
                continue;
            };
            linked.insert([a.min(b), a.max(b)]);
        }
        let found = entries(robot, &pairs, &linked);
        let mut apart: BTreeSet<[String; 2]> = self.apart.clone();
        for pair in kept_apart(robot) {
            let mut bodies = pair.map(|link| self.bodies[link].clone());
            bodies.sort_unstable();
            apart.insert(bodies);
        }
        let mut entries = Vec::new();
        for entry in found {
            let [first, second] = entry.sides.each_ref().map(|list| {
                names(&list.iter().map(|number| surfaces[*number].name.clone()).collect::<Vec<_>>())
            });
            let mut value = match entry.sides[1].is_empty() {
                true => format!("{{ among = {first}"),
                false => format!("{{ between = [{first}, {second}]"),
            };
            if entry.friction != 0.0 {
                let _ = write!(value, ", friction = {}", number(entry.friction));
            }
            if entry.jointed {
                value.push_str(", jointed = true");
            }
            let here: BTreeSet<&String> =
                entry.sides.iter().flatten().map(|n| &self.bodies[surfaces[*n].link]).collect();
            let except: Vec<String> = apart
                .iter()
                .filter(|pair| pair.iter().all(|body| here.contains(body)))
                .map(|pair| names(pair))
                .collect();
            if !except.is_empty() {
                let _ = write!(value, ", except = [{}]", except.join(", "));
            }
            value.push_str(" }");
            entries.push([key(&entry.name), value, String::new()]);
        }
        self.section("contacts", entries);
    }
}

/// Directions of the corners and face centres of a cube, and of its edges.
const ELLIPSOID: [[i8; 3]; 26] = {
    let mut list = [[0; 3]; 26];
    let mut n = 0;
    let mut k = 0;
    while k < 27 {
        if k != 13 {
            list[n] = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            n += 1;
        }
        k += 1;
    }
    list
};

fn ellipsoid(radii: Vector3<f64>, pose: &Pose, noise: f64) -> String {
    let place = |direction: &[i8; 3]| {
        let unit = Vector3::from(direction.map(f64::from)).normalize();
        vector(pose.point(unit.component_mul(&radii)), noise)
    };
    let vertices: Vec<String> = ELLIPSOID.iter().map(place).collect();
    format!("type = \"hull\", vertices = [{}]", vertices.join(", "))
}
