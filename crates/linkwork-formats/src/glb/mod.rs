//! Motions as binary glTF 2.0 (`.glb`): for Blender and every other program that shows things in space.
//!
//! Each body is a node with its name, moved by one animation. Bodies that are not there have the scale 0. Springs, cables and chains are nodes that
//! are moved, turned and stretched. Beams are skins over a node for each of their outlines, surfaces of modal bodies have a morph target for each mode. Named points are empty nodes on their bodies, `point.NAME`. The first node turns what is up in the model into
//! y, which is up in glTF. Lengths are in m, times in s.

mod buffer;
mod morph;
mod shapes;
mod skin;
mod stretch;

use crate::Error;
use crate::geometry::{from_to, normalised};
use crate::motion::{Motion, placement};
use crate::still::body_colour;
use buffer::Buffer;
use linkwork_scene::Snapshot;
use serde_json::{Value, json};

/// What a file is made of, as it grows.
struct File {
    buffer: Buffer,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    skins: Vec<Value>,
    /// Nodes beside the first: what moves a skin is its joints alone.
    beside: Vec<usize>,
    /// The accessor of the times; nothing where nothing moves.
    times: Option<usize>,
}

/// Makes a file from a motion.
pub fn write(motion: &Motion) -> Result<Vec<u8>, Error> {
    let scene = &motion.scene;
    let poses = keyframes(&motion.poses);
    let Some(first) = poses.first() else { return Err(Error::Empty("the recording has no frame".into())) };
    let mut file = File {
        buffer: Buffer::default(),
        meshes: Vec::new(),
        materials: Vec::new(),
        nodes: vec![Value::Null],
        samplers: Vec::new(),
        channels: Vec::new(),
        skins: Vec::new(),
        beside: Vec::new(),
        times: None,
    };
    if poses.len() > 1 {
        let start = first.t.min(0.0);
        let times: Vec<f32> = poses.iter().map(|pose| (pose.t - start) as f32).collect();
        file.times = Some(file.buffer.scalars(&times));
    }
    let mut top = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let node = file.node(json!({ "name": body.name }));
        let mut children = Vec::new();
        if let Some(mesh) = file.body_mesh(scene, body) {
            file.nodes[node]["mesh"] = mesh.into();
        }
        let surfaces = scene.modal_bodies.iter().enumerate().filter(|(_, surface)| surface.body == i);
        surfaces.for_each(|(k, surface)| file.morph(node, k, surface, body, &poses));
        for point in scene.points.iter().filter(|point| point.spot.body == i) {
            let name = format!("point.{}", point.name);
            children.push(file.node(json!({ "name": name, "translation": point.spot.at })));
        }
        if !children.is_empty() {
            file.nodes[node]["children"] = children.into();
        }
        if i > 0 {
            file.move_body(node, i, &poses);
        }
        top.push(node);
    }
    top.extend(file.stretches(scene, &poses));
    for (k, beam) in scene.beams.iter().enumerate() {
        top.extend(file.beam(k, beam, &poses));
    }
    let [w, x, y, z] = from_to(crate::geometry::unit(scene.up), [0.0, 1.0, 0.0]);
    file.nodes[0] = json!({ "name": scene.name, "rotation": [x, y, z, w] });
    if !top.is_empty() {
        file.nodes[0]["children"] = top.into();
    }
    file.finish(&scene.name)
}

/// The poses whose times rise also as the numbers of 32 bits that the file has; of several at one instant the last.
fn keyframes(poses: &[Snapshot]) -> Vec<&Snapshot> {
    let start = poses.first().map_or(0.0, |pose| pose.t.min(0.0));
    let mut kept: Vec<&Snapshot> = Vec::new();
    for pose in poses.iter().filter(|pose| ((pose.t - start) as f32).is_finite()) {
        let time = |pose: &Snapshot| (pose.t - start) as f32;
        if kept.last().is_some_and(|last| time(pose) <= time(last)) {
            kept.pop();
        }
        if kept.last().is_none_or(|last| time(pose) > time(last)) {
            kept.push(pose);
        }
    }
    kept
}

impl File {
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A colour of the palette as a material, made when first asked for.
    fn material(&mut self, name: &str, colour: crate::drawing::Colour, metal: f64) -> usize {
        if let Some(known) = self.materials.iter().position(|material| material["name"] == name) {
            return known;
        }
        // what screens show is not proportional to light
        let light = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        self.materials.push(json!({
            "name": name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [light(colour.r), light(colour.g), light(colour.b), 1.0],
                "metallicFactor": metal,
                "roughnessFactor": 0.6,
            },
        }));
        self.materials.len() - 1
    }

    fn body_material(&mut self, body: &linkwork_scene::scene::Body, paint: Option<&str>) -> usize {
        let name = paint.map_or_else(|| format!("colour {}", body.colour), str::to_owned);
        self.material(&name, body_colour(body, paint), 0.1)
    }

    /// Sends numbers of all keyframes to a property of a node.
    fn channel(&mut self, node: usize, path: &str, output: usize, steps: bool) {
        let Some(times) = self.times else { return };
        let interpolation = if steps { "STEP" } else { "LINEAR" };
        self.samplers.push(json!({ "input": times, "output": output, "interpolation": interpolation }));
        self.channels
            .push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    /// Moves a node along a property: one value for each keyframe.
    fn animate<const N: usize>(&mut self, node: usize, path: &str, values: &[[f32; N]], steps: bool) {
        if self.times.is_some() {
            let output = self.buffer.vectors(values, false);
            self.channel(node, path, output, steps);
        }
    }

    /// Sets where a body is at first, and moves it.
    fn move_body(&mut self, node: usize, body: usize, poses: &[&Snapshot]) {
        let mut places: Vec<[f32; 3]> = Vec::new();
        let mut turns: Vec<[f32; 4]> = Vec::new();
        let mut sizes: Vec<[f32; 3]> = Vec::new();
        // before it first comes it waits where it will come
        let mut last = poses
            .iter()
            .find_map(|pose| placement(body, pose))
            .unwrap_or(linkwork_scene::pose::Placement { at: [0.0; 3], quat_wxyz: [1.0, 0.0, 0.0, 0.0] });
        for pose in poses {
            let here = placement(body, pose);
            let mut now = here.unwrap_or(last);
            now.quat_wxyz = normalised(now.quat_wxyz);
            // q and −q are the same attitude: take the one that is nearer to the one before
            if now.quat_wxyz.iter().zip(last.quat_wxyz).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                now.quat_wxyz = now.quat_wxyz.map(|x| -x);
            }
            let [w, x, y, z] = now.quat_wxyz.map(|x| x as f32);
            places.push(now.at.map(|x| x as f32));
            turns.push([x, y, z, w]);
            sizes.push(if here.is_some() { [1.0; 3] } else { [0.0; 3] });
            last = now;
        }
        self.start_and_move(node, places, turns, sizes, true);
    }

    /// Sets the three properties of a node to their first values and animates those that change.
    fn start_and_move(
        &mut self,
        node: usize,
        places: Vec<[f32; 3]>,
        turns: Vec<[f32; 4]>,
        sizes: Vec<[f32; 3]>,
        steps: bool,
    ) {
        let to = &mut self.nodes[node];
        to["translation"] = json!(places[0]);
        to["rotation"] = json!(turns[0]);
        to["scale"] = json!(sizes[0]);
        if changes(&places) {
            self.animate(node, "translation", &places, false);
        }
        if changes(&turns) {
            self.animate(node, "rotation", &turns, false);
        }
        if changes(&sizes) {
            self.animate(node, "scale", &sizes, steps);
        }
    }

    /// Header, JSON and numbers in one.
    fn finish(self, name: &str) -> Result<Vec<u8>, Error> {
        let nodes = [&[0], &self.beside[..]].concat();
        let mut root = json!({
            "asset": { "version": "2.0", "generator": format!("linkwork {}", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name, "nodes": nodes }],
            "nodes": self.nodes,
        });
        for (key, list) in [("meshes", self.meshes), ("materials", self.materials), ("skins", self.skins)] {
            if !list.is_empty() {
                root[key] = list.into();
            }
        }
        if !self.channels.is_empty() {
            root["animations"] =
                json!([{ "name": "motion", "samplers": self.samplers, "channels": self.channels }]);
        }
        let Buffer { bytes, views, accessors } = self.buffer;
        if !bytes.is_empty() {
            root["buffers"] = json!([{ "byteLength": bytes.len() }]);
            root["bufferViews"] = views.into();
            root["accessors"] = accessors.into();
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let parts: Vec<(&[u8; 4], &[u8])> = if bytes.is_empty() {
            vec![(b"JSON", &text)]
        } else {
            vec![(b"JSON", &text), (b"BIN\0", &bytes)]
        };
        let length = 12 + parts.iter().map(|(_, part)| 8 + part.len()).sum::<usize>();
        let too_large = |_| {
            Error::TooLarge(
                "a .glb file has at most 4 GiB; export fewer frames with --fps or a shorter time".into(),
            )
        };
        let mut out = Vec::with_capacity(length);
        out.extend(b"glTF");
        out.extend(2_u32.to_le_bytes());
        out.extend(u32::try_from(length).map_err(too_large)?.to_le_bytes());
        for (kind, part) in parts {
            out.extend(u32::try_from(part.len()).map_err(too_large)?.to_le_bytes());
            out.extend(kind);
            out.extend(part);
        }
        Ok(out)
    }
}

fn changes<const N: usize>(values: &[[f32; N]]) -> bool {
    values.iter().any(|value| *value != values[0])
}
