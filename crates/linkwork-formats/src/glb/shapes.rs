//! Meshes: of bodies, and of unit length for what is stretched.

use super::File;
use crate::drawing::colour;
use crate::geometry::{Vector, across, add, cross, scaled, sub};
use crate::solid::{Face, faces};
use linkwork_scene::Scene;
use linkwork_scene::scene::{Body, Solid};
use serde_json::{Value, json};
use std::f64::consts::TAU;

const LINES: u32 = 3;

impl File {
    /// The mesh of a body's solids; nothing where it has none.
    pub(super) fn body_mesh(&mut self, scene: &Scene, body: &Body) -> Option<usize> {
        let mut primitives = Vec::new();
        // one primitive for each colour
        let mut own: Vec<(Option<&str>, Vec<Face>)> = Vec::new();
        let mut tyres: Vec<Face> = Vec::new();
        for (solid, paint) in body.painted() {
            let list = match solid {
                Solid::Tyre { .. } => {
                    tyres.extend(faces(solid, 0.0).0);
                    continue;
                }
                Solid::Plane { at, normal } => vec![plane(scene, *at, *normal)],
                _ => faces(solid, 0.0).0,
            };
            match own.iter_mut().find(|(known, _)| *known == paint) {
                Some((_, known)) => known.extend(list),
                None => own.push((paint, list)),
            }
        }
        for (paint, own) in own {
            primitives.extend(self.triangles(&own, |file| file.body_material(body, paint)));
        }
        if let Some(primitive) = self.triangles(&tyres, |file| file.material("tyre", colour(0x2B2B2E), 0.0)) {
            primitives.push(primitive);
        }
        for (solid, paint) in body.painted() {
            let Solid::Line { through } = solid else { continue };
            let places = through.iter().map(|p| p.map(|x| x as f32));
            let places: Vec<[f32; 3]> = places.filter(|p| p.iter().all(|x| x.is_finite())).collect();
            if places.len() > 1 {
                let material = self.body_material(body, paint);
                let places = self.buffer.positions(&places);
                primitives.push(
                    json!({ "attributes": { "POSITION": places }, "material": material, "mode": LINES }),
                );
            }
        }
        self.mesh(&body.name, primitives)
    }

    pub(super) fn mesh(&mut self, name: &str, primitives: Vec<Value>) -> Option<usize> {
        if primitives.is_empty() {
            return None;
        }
        self.meshes.push(json!({ "name": name, "primitives": primitives }));
        Some(self.meshes.len() - 1)
    }

    pub(super) fn triangles(
        &mut self,
        faces: &[Face],
        material: impl Fn(&mut File) -> usize,
    ) -> Option<Value> {
        let (mut places, mut normals) = (Vec::new(), Vec::new());
        for face in faces {
            for k in 1..face.corners.len() - 1 {
                let corners = [0, k, k + 1];
                // a triangle without an area has no side
                let [a, b, c] = corners.map(|i| face.corners[i].map(|x| x as f32));
                if a == b || b == c || c == a || !a.iter().chain(&b).chain(&c).all(|x| x.is_finite()) {
                    continue;
                }
                for i in corners {
                    places.push(face.corners[i].map(|x| x as f32));
                    let normal =
                        face.normals.get(i).or(face.normals.first()).copied().unwrap_or([0.0, 0.0, 1.0]);
                    normals.push(crate::geometry::unit(normal).map(|x| x as f32));
                }
            }
        }
        if places.is_empty() {
            return None;
        }
        let material = material(self);
        let places = self.buffer.positions(&places);
        let normals = self.buffer.vectors(&normals, true);
        Some(json!({ "attributes": { "POSITION": places, "NORMAL": normals }, "material": material }))
    }
}

/// A piece of a plane that is large enough for the scene.
fn plane(scene: &Scene, at: Vector, normal: Vector) -> Face {
    let size = crate::geometry::length(sub(scene.bounds[1], scene.bounds[0])).max(60.0 * scene.unit);
    let p = across(normal);
    let r = cross(normal, p);
    let corner = |a: f64, b: f64| add(at, add(scaled(p, a * size), scaled(r, b * size)));
    Face {
        corners: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        normals: vec![normal],
    }
}

/// A round bar along z from one height to another.
pub(super) fn bar(from: f64, to: f64, radius: f64) -> Vec<Face> {
    faces(&Solid::Bar { ends: [[0.0, 0.0, from], [0.0, 0.0, to]], radius }, 0.0).0
}

/// A coil about z from 0 to 1, its radius 1, of a wire that is a fifth as thick.
pub(super) fn coil() -> Vec<Face> {
    const TURNS: f64 = 7.0;
    const CUTS: usize = 84;
    const WIRE: usize = 5;
    let ring = |i: usize| -> Vec<(Vector, Vector)> {
        let s = i as f64 / CUTS as f64;
        let angle = TURNS * TAU * s;
        let out = [angle.cos(), angle.sin(), 0.0];
        (0..=WIRE)
            .map(|k| (k % WIRE) as f64 * TAU / WIRE as f64)
            .map(|a| {
                // z is stretched by the length of the spring, some ten radii: thinner there
                let normal = add(scaled(out, a.cos()), [0.0, 0.0, a.sin()]);
                (
                    add(add(out, [0.0, 0.0, s]), [0.14 * normal[0], 0.14 * normal[1], 0.014 * normal[2]]),
                    normal,
                )
            })
            .collect()
    };
    let mut list = Vec::new();
    for i in 0..CUTS {
        let (here, next) = (ring(i), ring(i + 1));
        for k in 0..WIRE {
            let four = [here[k], next[k], next[k + 1], here[k + 1]];
            list.push(Face { corners: four.map(|f| f.0).to_vec(), normals: four.map(|f| f.1).to_vec() });
        }
    }
    list
}
