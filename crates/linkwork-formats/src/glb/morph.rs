//! Surfaces of modal bodies: a morph target for each mode, whose weight is the amplitude.

use super::File;
use crate::geometry::{Vector, add, cross, sub, unit};
use linkwork_scene::Snapshot;
use linkwork_scene::scene::{Body, ModalBody};
use serde_json::json;

impl File {
    /// Gives the node of a frame the surface of its body. Nothing where its numbers are not known.
    pub(super) fn morph(
        &mut self,
        node: usize,
        index: usize,
        surface: &ModalBody,
        body: &Body,
        poses: &[&Snapshot],
    ) {
        let corners = surface.vertices.len();
        let Some(shapes) = surface.displacements.numbers(surface.modes, 3 * corners) else { return };
        let list: Vec<usize> = surface.triangles.as_flattened().iter().map(|&k| k as usize).collect();
        let small = |x: Vector| x.map(|x| x as f32);
        let places: Vec<[f32; 3]> = list.iter().map(|&k| small(surface.vertices[k])).collect();
        if places.is_empty() {
            return;
        }
        let normals = normals(surface);
        let normals: Vec<[f32; 3]> = list.iter().map(|&k| small(normals[k])).collect();
        let targets: Vec<_> = (0..surface.modes)
            .map(|j| {
                let of = |k: usize| -> [f32; 3] {
                    std::array::from_fn(|c| shapes[3 * (j * corners + k) + c] as f32)
                };
                let moved: Vec<[f32; 3]> = list.iter().map(|&k| of(k)).collect();
                json!({ "POSITION": self.buffer.positions(&moved) })
            })
            .collect();
        let material = self.body_material(body, body.paint.as_deref());
        let primitive = json!({
            "attributes": {
                "POSITION": self.buffer.positions(&places),
                "NORMAL": self.buffer.vectors(&normals, true),
            },
            "material": material,
            "targets": targets,
        });
        let mut last = vec![0.0; surface.modes];
        let mut weights: Vec<f32> = Vec::new();
        for pose in poses {
            if let Some(now) = pose.amplitudes.get(index).filter(|list| list.len() == surface.modes) {
                last.clone_from(now);
            }
            weights.extend(last.iter().map(|x| *x as f32));
        }
        let first: Vec<f32> = weights[..surface.modes].to_vec();
        self.meshes.push(json!({ "name": body.name, "primitives": [primitive], "weights": first }));
        self.nodes[node]["mesh"] = (self.meshes.len() - 1).into();
        if self.times.is_some() && surface.modes > 0 {
            let output = self.buffer.numbers(&weights);
            self.channel(node, "weights", output, false);
        }
    }
}

/// Directions out of the surface at its corners: the mean of those of the faces, by their areas.
fn normals(surface: &ModalBody) -> Vec<Vector> {
    let mut sums = vec![[0.0; 3]; surface.vertices.len()];
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|k| surface.vertices[k as usize]);
        let normal = cross(sub(b, a), sub(c, a));
        triangle.iter().for_each(|&k| sums[k as usize] = add(sums[k as usize], normal));
    }
    sums.into_iter().map(unit).collect()
}
