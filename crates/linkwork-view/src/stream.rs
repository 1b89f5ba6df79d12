//! Frames as the page takes them: integers in units of a quantum, each as a variable-length one (docs/viewer-data.md).

use linkwork_scene::scene::Vector;
use linkwork_scene::{Placement, Scene, Snapshot};

/// A unit of a quaternion's components.
const TURN: f64 = 32767.0;
/// The quantum of places by the thickness of a bar.
const FINE: f64 = 1.0 / 400.0;
/// Integers beyond this are not exact in the page.
const LARGEST: f64 = 9e15;

/// In which units places and forces are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quanta {
    /// Of places, m.
    pub place: f64,
    /// Of forces, N.
    pub force: f64,
}

impl Quanta {
    /// Those that suit a scene whose contacts push with forces up to the largest, N.
    pub fn of(scene: &Scene, largest_force: f64) -> Self {
        let force =
            if largest_force > 0.0 && largest_force.is_finite() { largest_force / 4096.0 } else { 1.0 };
        Quanta { place: FINE * scene.unit, force }
    }

    /// Those that suit a recording.
    pub fn of_poses(scene: &Scene, poses: &[Snapshot]) -> Self {
        let forces = poses.iter().flat_map(|pose| &pose.contacts).flat_map(|contact| contact[1]);
        Self::of(scene, forces.fold(0.0, |most, f| most.max(f.abs())))
    }
}

/// What a body, a joint or a chain was when it was last reported.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Place and attitude as integers.
    bodies: Vec<[i64; 7]>,
    joints: Vec<bool>,
    chains: Vec<Vec<Vec<[i64; 3]>>>,
}

impl Known {
    fn nothing(bodies: usize, joints: usize, chains: usize) -> Self {
        Known { bodies: vec![[0; 7]; bodies], joints: vec![true; joints], chains: vec![Vec::new(); chains] }
    }
}

/// Turns poses into integers, each as the difference to what was there before.
#[derive(Clone, Debug)]
pub struct Encoder {
    quanta: Quanta,
    known: Known,
    /// Signs of quaternions are such that they turn little from frame to frame.
    attitudes: Vec<[f64; 4]>,
}

fn quantised(x: f64, quantum: f64) -> i64 {
    let n = (x / quantum).round();
    if n.is_finite() { n.clamp(-LARGEST, LARGEST) as i64 } else { 0 }
}

fn write(value: i64, out: &mut Vec<u8>) {
    // small numbers of either sign are small without one
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn write_count(count: usize, out: &mut Vec<u8>) {
    write(count as i64, out);
}

impl Encoder {
    /// For the poses of a scene.
    pub fn new(scene: &Scene, quanta: Quanta) -> Self {
        let bodies = scene.bodies.len().saturating_sub(1);
        Encoder {
            quanta,
            known: Known::nothing(bodies, scene.joints.len(), scene.chains.len()),
            attitudes: vec![[0.0; 4]; bodies],
        }
    }

    /// Appends a frame as differences to the one before.
    pub fn encode(&mut self, pose: &Snapshot, out: &mut Vec<u8>) {
        for (b, body) in pose.bodies.iter().enumerate() {
            let Some(placement) = body else {
                write(0, out);
                continue;
            };
            write(1, out);
            let now = self.integers(b, placement);
            for (now, before) in now.iter().zip(&self.known.bodies[b]) {
                write(now - before, out);
            }
            self.known.bodies[b] = now;
        }
        let changed: Vec<usize> =
            (0..pose.joints.len()).filter(|&j| pose.joints[j] != self.known.joints[j]).collect();
        write_count(changed.len(), out);
        for j in changed {
            write_count(j, out);
            self.known.joints[j] = pose.joints[j];
        }
        for (chain, known) in pose.chains.iter().zip(&mut self.known.chains) {
            let quantum = self.quanta.place;
            let now: Vec<Vec<[i64; 3]>> = chain
                .iter()
                .map(|piece| piece.iter().map(|node| node.map(|x| quantised(x, quantum))).collect())
                .collect();
            write_count(now.len(), out);
            for (p, piece) in now.iter().enumerate() {
                write_count(piece.len(), out);
                for (n, node) in piece.iter().enumerate() {
                    let before = reference(known, piece, p, n);
                    for i in 0..3 {
                        write(node[i] - before[i], out);
                    }
                }
            }
            *known = now;
        }
        write_count(pose.contacts.len(), out);
        for [place, force] in &pose.contacts {
            place.iter().for_each(|x| write(quantised(*x, self.quanta.place), out));
            force.iter().for_each(|x| write(quantised(*x, self.quanta.force), out));
        }
    }

    /// Appends a frame by itself: all differences are to zero, and joints count as closed before.
    pub fn encode_alone(&mut self, pose: &Snapshot, out: &mut Vec<u8>) {
        self.known = Known::nothing(pose.bodies.len(), pose.joints.len(), pose.chains.len());
        self.encode(pose, out);
    }

    fn integers(&mut self, b: usize, placement: &Placement) -> [i64; 7] {
        let before = &mut self.attitudes[b];
        let along: f64 = placement.quat_wxyz.iter().zip(&*before).map(|(x, y)| x * y).sum();
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        *before = placement.quat_wxyz.map(|q| sign * q);
        let [x, y, z] = placement.at.map(|x| quantised(x, self.quanta.place));
        let [w, i, j, k] = before.map(|q| quantised(q, 1.0 / TURN));
        [x, y, z, w, i, j, k]
    }
}

/// What a node is compared with: the same one in the frame before, or the one before it in its piece.
fn reference(known: &[Vec<[i64; 3]>], piece: &[[i64; 3]], p: usize, n: usize) -> [i64; 3] {
    let before = known.get(p).and_then(|piece| piece.get(n)).copied();
    before.or_else(|| n.checked_sub(1).map(|n| piece[n])).unwrap_or_default()
}

/// Reads what [`Encoder`] writes: the page's reader in Rust.
#[derive(Clone, Debug)]
pub struct Decoder {
    quanta: Quanta,
    known: Known,
}

impl Decoder {
    /// For the poses of a scene.
    pub fn new(scene: &Scene, quanta: Quanta) -> Self {
        let bodies = scene.bodies.len().saturating_sub(1);
        Decoder { quanta, known: Known::nothing(bodies, scene.joints.len(), scene.chains.len()) }
    }

    /// The next frame; nothing where the bytes are at fault.
    pub fn decode(&mut self, t: f64, from: &mut &[u8]) -> Option<Snapshot> {
        let mut pose = Snapshot { t, ..Snapshot::default() };
        for b in 0..self.known.bodies.len() {
            if read(from)? == 0 {
                pose.bodies.push(None);
                continue;
            }
            let known = &mut self.known.bodies[b];
            for value in known.iter_mut() {
                *value = value.checked_add(read(from)?)?;
            }
            let at = [0, 1, 2].map(|i| known[i] as f64 * self.quanta.place);
            let quat_wxyz = [3, 4, 5, 6].map(|i| known[i] as f64 / TURN);
            pose.bodies.push(Some(Placement { at, quat_wxyz }));
        }
        for _ in 0..count(from)? {
            let joint = self.known.joints.get_mut(count(from)?)?;
            *joint = !*joint;
        }
        pose.joints = self.known.joints.clone();
        for known in &mut self.known.chains {
            let mut now: Vec<Vec<[i64; 3]>> = Vec::new();
            for p in 0..count(from)? {
                let mut piece: Vec<[i64; 3]> = Vec::new();
                for n in 0..count(from)? {
                    let mut node = reference(known, &piece, p, n);
                    for value in &mut node {
                        *value = value.checked_add(read(from)?)?;
                    }
                    piece.push(node);
                }
                now.push(piece);
            }
            let place = |node: &[i64; 3]| node.map(|x| x as f64 * self.quanta.place);
            pose.chains.push(now.iter().map(|piece| piece.iter().map(place).collect()).collect());
            *known = now;
        }
        for _ in 0..count(from)? {
            let mut both: [Vector; 2] = [[0.0; 3]; 2];
            for (vector, quantum) in both.iter_mut().zip([self.quanta.place, self.quanta.force]) {
                for x in vector {
                    *x = read(from)? as f64 * quantum;
                }
            }
            pose.contacts.push(both);
        }
        Some(pose)
    }

    /// A frame by itself.
    pub fn decode_alone(&mut self, t: f64, from: &mut &[u8]) -> Option<Snapshot> {
        let Known { bodies, joints, chains } = &self.known;
        self.known = Known::nothing(bodies.len(), joints.len(), chains.len());
        self.decode(t, from)
    }
}

fn read(from: &mut &[u8]) -> Option<i64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    None
}

/// A number of things: no more than there are bytes left to tell them.
fn count(from: &mut &[u8]) -> Option<usize> {
    let count = usize::try_from(read(from)?).ok()?;
    (count <= from.len().max(1 << 20)).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_integers_there_and_back() {
        let numbers = [0, 1, -1, 63, -64, 64, 127, 128, -129, 1 << 20, -(1 << 40), i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|n| write(*n, &mut bytes));
        assert_eq!(&bytes[..4], [0, 2, 1, 126]);
        let mut from = &bytes[..];
        for n in numbers {
            assert_eq!(read(&mut from), Some(n));
        }
        assert_eq!(read(&mut from), None);
        assert_eq!(read(&mut &[0xff; 12][..]), None);
    }
}
