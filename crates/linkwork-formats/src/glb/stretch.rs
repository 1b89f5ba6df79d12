//! What is moved, turned and stretched between two places: springs, cables, chains.

use super::File;
use super::shapes::{bar, coil};
use crate::drawing::colour;
use crate::geometry::{Vector, from_to, from_z, length, normalised, scaled, sub};
use crate::motion::place;
use crate::still::{cable_line, palette};
use linkwork::joints::Symbol;
use linkwork_scene::scene::SpringLook;
use linkwork_scene::{Scene, Snapshot};
use serde_json::json;

impl File {
    /// Nodes of springs, cables and chains.
    pub(super) fn stretches(&mut self, scene: &Scene, poses: &[&Snapshot]) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut looks: Vec<(SpringLook, usize)> = Vec::new();
        for spring in &scene.springs {
            let known = looks.iter().find(|(look, _)| *look == spring.look).map(|(_, mesh)| *mesh);
            let Some(mesh) = known.or_else(|| self.look(spring.look)) else { continue };
            looks.push((spring.look, mesh));
            let ends: Vec<_> = poses
                .iter()
                .map(|pose| Some([place(&spring.ends[0], pose)?, place(&spring.ends[1], pose)?]))
                .collect();
            let radius = if spring.look == SpringLook::Rope { 0.4 } else { 1.6 } * scene.unit;
            nodes.push(self.stretch(&spring.name, mesh, radius, &ends));
        }
        for joint in scene.joints.iter().filter(|joint| joint.symbol == Symbol::Rod) {
            let line =
                |pose: &Snapshot| Some(vec![place(&joint.spots[0], pose)?, place(&joint.spots[1], pose)?]);
            let lines: Vec<_> = poses.iter().map(|pose| line(pose).into_iter().collect()).collect();
            nodes.extend(self.rope(&joint.name, colour(0x7A5A35), 0.25 * scene.unit, &lines));
        }
        for cable in &scene.cables {
            let lines: Vec<_> =
                poses.iter().map(|pose| cable_line(cable, pose, 8).into_iter().collect()).collect();
            nodes.extend(self.rope(&cable.name, colour(0x55585C), 0.4 * scene.unit, &lines));
        }
        for (k, chain) in scene.chains.iter().enumerate() {
            let lines: Vec<Vec<Vec<Vector>>> =
                poses.iter().map(|pose| pose.chains.get(k).cloned().unwrap_or_default()).collect();
            nodes.extend(self.rope(&chain.name, palette(chain.colour), chain.radius, &lines));
        }
        nodes
    }

    /// A line through places as round bars: as many as it ever has.
    fn rope(
        &mut self,
        name: &str,
        ink: crate::drawing::Colour,
        radius: f64,
        lines: &[Vec<Vec<Vector>>],
    ) -> Vec<usize> {
        let segments: Vec<Vec<[Vector; 2]>> = lines
            .iter()
            .map(|pieces| pieces.iter().flat_map(|piece| piece.windows(2).map(|w| [w[0], w[1]])).collect())
            .collect();
        let most = segments.iter().map(Vec::len).max().unwrap_or(0);
        let primitive = self.triangles(&bar(0.0, 1.0, 1.0), |file| file.material(name, ink, 0.0));
        let Some(mesh) = self.mesh(name, primitive.into_iter().collect()) else { return Vec::new() };
        (0..most)
            .map(|i| {
                let ends: Vec<_> = segments.iter().map(|list| list.get(i).copied()).collect();
                self.stretch(&format!("{name}/{}", i + 1), mesh, radius, &ends)
            })
            .collect()
    }

    /// The mesh of a look, of length 1 and radius 1.
    fn look(&mut self, look: SpringLook) -> Option<usize> {
        let wire = |file: &mut File| file.material("spring", colour(0x5B6770), 0.5);
        let tube = |file: &mut File| file.material("damper", colour(0x8A939B), 0.4);
        let damper = [bar(0.0, 0.55, 0.55), bar(0.5, 1.0, 0.22)].concat();
        let primitives = match look {
            SpringLook::Spring => vec![self.triangles(&coil(), wire)],
            SpringLook::Damper | SpringLook::Actuator => vec![self.triangles(&damper, tube)],
            SpringLook::Both => vec![self.triangles(&coil(), wire), self.triangles(&damper, tube)],
            SpringLook::Rope => vec![self.triangles(&bar(0.0, 1.0, 1.0), wire)],
        };
        self.mesh("spring", primitives.into_iter().flatten().collect())
    }

    /// A node whose mesh reaches from one place to another at every keyframe.
    fn stretch(&mut self, name: &str, mesh: usize, radius: f64, ends: &[Option<[Vector; 2]>]) -> usize {
        let node = self.node(json!({ "name": name, "mesh": mesh }));
        let (mut places, mut turns, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = ends.iter().flatten().next().map_or([0.0; 3], |e| e[0]);
        let mut direction = [0.0, 0.0, 1.0];
        let mut turn: Option<[f64; 4]> = None;
        for ends in ends {
            let mut size = [0.0_f32; 3];
            if let Some([a, b]) = ends {
                at = *a;
                let long = length(sub(*b, *a));
                if long > 1e-12 {
                    let now = scaled(sub(*b, *a), 1.0 / long);
                    // from the attitude before, so that nothing turns about itself
                    turn = Some(turn.map_or_else(
                        || from_z(now),
                        |before| normalised(times(from_to(direction, now), before)),
                    ));
                    direction = now;
                    size = [radius as f32, radius as f32, long as f32];
                }
            }
            let [w, x, y, z] = turn.unwrap_or([1.0, 0.0, 0.0, 0.0]).map(|x| x as f32);
            places.push(at.map(|x| x as f32));
            turns.push([x, y, z, w]);
            sizes.push(size);
        }
        self.start_and_move(node, places, turns, sizes, false);
        node
    }
}

/// One rotation after another: q p.
fn times(q: [f64; 4], p: [f64; 4]) -> [f64; 4] {
    [
        q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
        q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
        q[0] * p[2] - q[1] * p[3] + q[2] * p[0] + q[3] * p[1],
        q[0] * p[3] + q[1] * p[2] - q[2] * p[1] + q[3] * p[0],
    ]
}
