//! Frames as the page takes them: integers in units of a quantum, each as a variable-length one (docs/viewer-data.md).

use linkwork_scene::scene::Vector;
use linkwork_scene::scene::deformable::BEAM_FIELDS;
use linkwork_scene::{Placement, Scene, Section, Snapshot};
use serde::Serialize;

/// A unit of a quaternion's components.
const TURN: f64 = 32767.0;
/// The quantum of places by the thickness of a bar.
const FINE: f64 = 1.0 / 400.0;
/// The quantum of an amplitude by the thickness of a bar: small ones are shown enlarged.
const FINER: f64 = 1.0 / 20_000.0;
/// Steps up to a large value of what colours show, or up to the largest where that is known.
const SHADES: f64 = 1000.0;
/// Integers beyond this are not exact in the page.
const LARGEST: f64 = 9e15;

/// In which units places, forces and the like are given, by the names that the page has for them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quanta {
    /// Of places, m.
    #[serde(rename = "quantum")]
    pub place: f64,
    /// Of forces, N.
    #[serde(rename = "force_quantum")]
    pub force: f64,
    /// Of amplitudes of modes, m.
    #[serde(rename = "amplitude_quantum")]
    pub amplitude: f64,
    /// Of the values that colours of beams show.
    #[serde(rename = "beam_quanta")]
    pub beams: [f64; BEAM_FIELDS.len()],
}

impl Quanta {
    /// Those that suit a scene whose contacts push with forces up to the largest, N.
    pub fn of(scene: &Scene, largest_force: f64) -> Self {
        let force =
            if largest_force > 0.0 && largest_force.is_finite() { largest_force / 4096.0 } else { 1.0 };
        // of several beams the one that resists most says what is large
        let beams = std::array::from_fn(|i| {
            let large = scene.beams.iter().map(|beam| beam.large[i]).fold(0.0, f64::max);
            if large > 0.0 { large / SHADES } else { 1.0 }
        });
        Quanta { place: FINE * scene.unit, force, amplitude: FINER * scene.unit, beams }
    }

    /// Those that suit a recording.
    pub fn of_poses(scene: &Scene, poses: &[Snapshot]) -> Self {
        let forces = poses.iter().flat_map(|pose| &pose.contacts).flat_map(|contact| contact[1]);
        let mut quanta = Self::of(scene, forces.fold(0.0, |most, f| most.max(f.abs())));
        let sections = || poses.iter().flat_map(|pose| pose.beams.iter().flatten());
        for (i, quantum) in quanta.beams.iter_mut().enumerate() {
            let largest = sections().map(|section| section.values[i].abs()).fold(0.0, f64::max);
            if largest > 0.0 && largest.is_finite() {
                *quantum = largest / SHADES;
            }
        }
        let amplitudes = poses.iter().flat_map(|pose| pose.amplitudes.iter().flatten());
        let largest = amplitudes.fold(0.0_f64, |most, x| most.max(x.abs()));
        if largest > 0.0 && largest.is_finite() {
            quanta.amplitude = largest / (10.0 * SHADES);
        }
        quanta
    }
}

/// Numbers of a section: place and attitude, and the values that colours show.
const SECTION: usize = 7 + BEAM_FIELDS.len();

/// How many there are of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    bodies: usize,
    joints: usize,
    chains: usize,
    /// Of all beams together.
    sections: usize,
    amplitudes: usize,
}

impl Counts {
    fn of(scene: &Scene) -> Self {
        Counts {
            bodies: scene.bodies.len().saturating_sub(1),
            joints: scene.joints.len(),
            chains: scene.chains.len(),
            sections: scene.beams.iter().map(|beam| beam.half.len()).sum(),
            amplitudes: scene.modal_bodies.iter().map(|body| body.modes).sum(),
        }
    }
}

/// What a body, a joint, a chain, a section or an amplitude was when it was last reported.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Place and attitude as integers.
    bodies: Vec<[i64; 7]>,
    joints: Vec<bool>,
    chains: Vec<Vec<Vec<[i64; 3]>>>,
    sections: Vec<[i64; SECTION]>,
    amplitudes: Vec<i64>,
}

impl Known {
    fn nothing(counts: Counts) -> Self {
        Known {
            bodies: vec![[0; 7]; counts.bodies],
            joints: vec![true; counts.joints],
            chains: vec![Vec::new(); counts.chains],
            sections: vec![[0; SECTION]; counts.sections],
            amplitudes: vec![0; counts.amplitudes],
        }
    }
}

/// Turns poses into integers, each as the difference to what was there before.
#[derive(Clone, Debug)]
pub struct Encoder {
    quanta: Quanta,
    counts: Counts,
    /// Sections of each beam, amplitudes of each modal body.
    beams: Vec<usize>,
    modes: Vec<usize>,
    known: Known,
    /// Signs of quaternions are such that they turn little from frame to frame: those of bodies, then of sections.
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
        let counts = Counts::of(scene);
        Encoder {
            quanta,
            counts,
            beams: scene.beams.iter().map(|beam| beam.half.len()).collect(),
            modes: scene.modal_bodies.iter().map(|body| body.modes).collect(),
            known: Known::nothing(counts),
            attitudes: vec![[0.0; 4]; counts.bodies + counts.sections],
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
            let now = self.integers(b, placement.at, placement.quat_wxyz);
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
        let mut first = 0;
        for (b, &count) in self.beams.clone().iter().enumerate() {
            let sections = pose.beams.get(b).filter(|sections| sections.len() == count);
            write_count(usize::from(sections.is_some()), out);
            for (k, section) in sections.into_iter().flatten().enumerate() {
                let now = self.section(first + k, section);
                for (now, before) in now.iter().zip(&self.known.sections[first + k]) {
                    write(now - before, out);
                }
                self.known.sections[first + k] = now;
            }
            first += count;
        }
        let mut first = 0;
        for (b, &count) in self.modes.iter().enumerate() {
            let amplitudes = pose.amplitudes.get(b).filter(|amplitudes| amplitudes.len() == count);
            write_count(usize::from(amplitudes.is_some()), out);
            for (amplitude, known) in
                amplitudes.into_iter().flatten().zip(&mut self.known.amplitudes[first..])
            {
                let now = quantised(*amplitude, self.quanta.amplitude);
                write(now - *known, out);
                *known = now;
            }
            first += count;
        }
        write_count(pose.contacts.len(), out);
        for [place, force] in &pose.contacts {
            place.iter().for_each(|x| write(quantised(*x, self.quanta.place), out));
            force.iter().for_each(|x| write(quantised(*x, self.quanta.force), out));
        }
    }

    /// Appends a frame by itself: all differences are to zero, and joints count as closed before.
    pub fn encode_alone(&mut self, pose: &Snapshot, out: &mut Vec<u8>) {
        self.known = Known::nothing(self.counts);
        self.encode(pose, out);
    }

    fn integers(&mut self, b: usize, at: Vector, quat_wxyz: [f64; 4]) -> [i64; 7] {
        let before = &mut self.attitudes[b];
        let along: f64 = quat_wxyz.iter().zip(&*before).map(|(x, y)| x * y).sum();
        let sign = if along < 0.0 { -1.0 } else { 1.0 };
        *before = quat_wxyz.map(|q| sign * q);
        let [x, y, z] = at.map(|x| quantised(x, self.quanta.place));
        let [w, i, j, k] = before.map(|q| quantised(q, 1.0 / TURN));
        [x, y, z, w, i, j, k]
    }

    fn section(&mut self, k: usize, section: &Section) -> [i64; SECTION] {
        let placed = self.integers(self.counts.bodies + k, section.at, section.quat_wxyz);
        let quanta = self.quanta.beams;
        std::array::from_fn(|i| match i.checked_sub(7) {
            None => placed[i],
            Some(v) => quantised(section.values[v], quanta[v]),
        })
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
    counts: Counts,
    beams: Vec<usize>,
    modes: Vec<usize>,
    known: Known,
}

impl Decoder {
    /// For the poses of a scene.
    pub fn new(scene: &Scene, quanta: Quanta) -> Self {
        let Encoder { counts, beams, modes, known, .. } = Encoder::new(scene, quanta);
        Decoder { quanta, counts, beams, modes, known }
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
        let mut first = 0;
        for &sections in &self.beams {
            let there = if read(from)? == 0 { 0 } else { sections };
            let mut beam = Vec::new();
            for known in &mut self.known.sections[first..first + there] {
                for value in known.iter_mut() {
                    *value = value.checked_add(read(from)?)?;
                }
                beam.push(Section {
                    at: [0, 1, 2].map(|i| known[i] as f64 * self.quanta.place),
                    quat_wxyz: [3, 4, 5, 6].map(|i| known[i] as f64 / TURN),
                    values: std::array::from_fn(|i| known[7 + i] as f64 * self.quanta.beams[i]),
                });
            }
            pose.beams.push(beam);
            first += sections;
        }
        let mut first = 0;
        for &modes in &self.modes {
            let there = if read(from)? == 0 { 0 } else { modes };
            let mut amplitudes = Vec::new();
            for known in &mut self.known.amplitudes[first..first + there] {
                *known = known.checked_add(read(from)?)?;
                amplitudes.push(*known as f64 * self.quanta.amplitude);
            }
            pose.amplitudes.push(amplitudes);
            first += modes;
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
        self.known = Known::nothing(self.counts);
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
