//! Beams as skins: each outline along a beam is a joint, moved and turned, and its corners are bound to it alone.
//!
//! The mesh is the beam at the first keyframe. A corner x there goes along with its joint, T(t) T(0)⁻¹ x; the inverse of T(0) stands in the file.

use super::File;
use crate::geometry::{Vector, cross, normalised, scaled, turned, unit};
use crate::still::palette;
use linkwork::linalg::quaternion;
use linkwork_scene::Snapshot;
use linkwork_scene::scene::Beam;
use linkwork_scene::scene::deformable::Ring;
use serde_json::json;

/// Where an outline is, and how it is turned.
#[derive(Clone, Copy)]
struct Joint {
    at: Vector,
    quat: [f64; 4],
}

impl Joint {
    fn of(ring: &Ring) -> Self {
        // interpolated axes are nearly of unit length and nearly at right angles
        let [y, z] = ring.across;
        let x = unit(cross(y, z));
        let y = unit(y);
        let z = cross(x, y);
        let m = std::array::from_fn(|i| [x[i], y[i], z[i]]);
        Joint { at: ring.at, quat: normalised(quaternion::of_matrix(&m)) }
    }

    /// The inverse of its matrix, column after column.
    fn inverse(&self) -> [f32; 16] {
        let m = quaternion::matrix(&self.quat);
        let [w, x, y, z] = self.quat;
        let back = turned([w, -x, -y, -z], scaled(self.at, -1.0));
        let mut out = [0.0; 16];
        for column in 0..3 {
            for row in 0..3 {
                out[4 * column + row] = m[column][row] as f32;
            }
            out[12 + column] = back[column] as f32;
        }
        out[15] = 1.0;
        out
    }
}

impl File {
    /// The joints of a beam, and beside them the mesh that they move. None where it is never there.
    pub(super) fn beam(&mut self, index: usize, beam: &Beam, poses: &[&Snapshot]) -> Vec<usize> {
        let rings: Vec<Vec<Ring>> = poses
            .iter()
            .map(|pose| pose.beams.get(index).map_or(Vec::new(), |sections| beam.swept(sections)))
            .collect();
        let first = rings.iter().find(|rings| !rings.is_empty());
        let Some(drawn) = first else { return Vec::new() };
        let mut top = Vec::new();
        let mut bound = Vec::new();
        for k in 0..drawn.len() {
            let node = self.node(json!({ "name": format!("{}/{k}", beam.name) }));
            bound.push(Joint::of(&drawn[k]).inverse());
            self.move_joint(node, k, &rings, Joint::of(&drawn[k]));
            top.push(node);
        }
        let corners = corners(beam, drawn);
        let small = |x: Vector| x.map(|x| x as f32);
        let places: Vec<[f32; 3]> = corners.iter().map(|(_, place, _)| small(*place)).collect();
        let normals: Vec<[f32; 3]> = corners.iter().map(|(_, _, normal)| small(*normal)).collect();
        let joints: Vec<u16> = corners.iter().map(|(ring, ..)| *ring as u16).collect();
        let weights = vec![[1.0_f32, 0.0, 0.0, 0.0]; corners.len()];
        let material = self.material(&format!("colour {}", beam.colour), palette(beam.colour), 0.1);
        let primitive = json!({
            "attributes": {
                "POSITION": self.buffer.positions(&places),
                "NORMAL": self.buffer.vectors(&normals, true),
                "JOINTS_0": self.buffer.joints(&joints),
                "WEIGHTS_0": self.buffer.vectors(&weights, true),
            },
            "material": material,
        });
        let Some(mesh) = self.mesh(&beam.name, vec![primitive]) else { return top };
        let matrices = self.buffer.matrices(&bound);
        self.skins.push(json!({ "name": beam.name, "joints": top.clone(), "inverseBindMatrices": matrices }));
        let skin = self.skins.len() - 1;
        let node = self.node(json!({ "name": beam.name, "mesh": mesh, "skin": skin }));
        self.beside.push(node);
        top
    }

    /// Moves the k-th joint; while the beam is not there it has no size.
    fn move_joint(&mut self, node: usize, k: usize, rings: &[Vec<Ring>], first: Joint) {
        let (mut places, mut turns, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = first;
        for rings in rings {
            let here = rings.get(k).map(Joint::of);
            let mut now = here.unwrap_or(last);
            // q and −q are the same attitude: take the one that is nearer to the one before
            if now.quat.iter().zip(last.quat).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                now.quat = now.quat.map(|x| -x);
            }
            let [w, x, y, z] = now.quat.map(|x| x as f32);
            places.push(now.at.map(|x| x as f32));
            turns.push([x, y, z, w]);
            sizes.push(if here.is_some() { [1.0; 3] } else { [0.0; 3] });
            last = now;
        }
        self.start_and_move(node, places, turns, sizes, true);
    }
}

/// Corners of triangles: which outline each stands on, its place, and the direction out of the beam.
fn corners(beam: &Beam, rings: &[Ring]) -> Vec<(usize, Vector, Vector)> {
    let outline = beam.outline();
    let sides: Vec<[usize; 2]> = match beam.round {
        true => (0..outline.len()).map(|k| [k, (k + 1) % outline.len()]).collect(),
        false => (0..outline.len()).step_by(2).map(|k| [k, k + 1]).collect(),
    };
    let mut list = Vec::new();
    let corner = |r: usize, k: usize| {
        let (point, out) = outline[k];
        (r, rings[r].place(point), unit(rings[r].direction(out)))
    };
    for r in 1..rings.len() {
        for &[i, j] in &sides {
            list.extend(
                [(r - 1, i), (r - 1, j), (r, j), (r - 1, i), (r, j), (r, i)].map(|(r, k)| corner(r, k)),
            );
        }
    }
    for (r, side) in [(0, -1.0), (rings.len() - 1, 1.0)] {
        let normal = scaled(unit(cross(rings[r].across[0], rings[r].across[1])), side);
        for k in 2..sides.len() {
            let (second, third) = if side > 0.0 { (k - 1, k) } else { (k, k - 1) };
            list.extend([0, second, third].map(|k| (r, rings[r].place(outline[sides[k][0]].0), normal)));
        }
    }
    list
}
