//! The frames of the page: what is written is read back, and damage is reported.

use linkwork_scene::scene::{self, Scene};
use linkwork_scene::{Placement, Section, Snapshot};
use linkwork_view::stream::{Decoder, Encoder, Quanta};

/// Some numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| f64::from((size * self.next()) as f32))
    }

    fn attitude(&mut self) -> [f64; 4] {
        let q = [0; 4].map(|_| self.next());
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| f64::from((x / length) as f32))
    }
}

fn a_scene() -> Scene {
    let body = |name: &str| scene::Body { name: name.into(), ..Default::default() };
    let joint =
        |name: &str| scene::Joint { name: name.into(), kind: "revolute".into(), ..Default::default() };
    let chain = |name: &str| scene::Chain { name: name.into(), colour: 1, radius: 0.01 };
    let beam = |name: &str, pieces: usize| scene::Beam {
        name: name.into(),
        pieces,
        rings: 2,
        half: vec![[0.01, 0.02]; pieces + 1],
        large: [1.0; 5],
        ..Default::default()
    };
    // two modes of a triangle
    let surface = scene::ModalBody {
        name: "a".into(),
        body: 1,
        modes: 2,
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        displacements: scene::deformable::Packed::new(&[vec![0.5; 9], vec![-1.0; 9]], 2047.0),
        ..Default::default()
    };
    Scene {
        name: "frames".into(),
        dimension: 3,
        up: [0.0, 0.0, 1.0],
        bounds: [[-1.0; 3], [1.0; 3]],
        unit: 0.02,
        bodies: ["ground", "a", "b", "c"].map(body).into(),
        joints: ["j", "k"].map(joint).into(),
        chains: ["rope", "line"].map(chain).into(),
        beams: vec![beam("boom", 2), beam("rod", 1)],
        modal_bodies: vec![surface],
        ..Default::default()
    }
}

/// Frames in which bodies come and go, joints open and close, chains grow and break, beams come and go and bodies swing.
fn some_poses(count: usize) -> Vec<Snapshot> {
    let mut numbers = Numbers(5);
    let mut poses = Vec::new();
    for k in 0..count {
        let there = |b: usize| b != 1 || k % 7 < 4;
        let mut body = |b: usize| {
            let placement = Placement { at: numbers.vector(30.0), quat_wxyz: numbers.attitude() };
            there(b).then_some(placement)
        };
        let bodies = (0..3).map(&mut body).collect();
        let piece = |n: usize, numbers: &mut Numbers| (0..n).map(|_| numbers.vector(5.0)).collect::<Vec<_>>();
        let chains = vec![
            vec![piece(k % 5 + 1, &mut numbers), piece(3, &mut numbers)],
            (0..k % 3).map(|n| piece(n + 2, &mut numbers)).collect(),
        ];
        let contacts = (0..k % 4).map(|_| [numbers.vector(2.0), numbers.vector(1e4)]).collect();
        let joints = vec![k % 5 != 2, k < 6];
        let mut section = |_| Section {
            at: numbers.vector(3.0),
            quat_wxyz: numbers.attitude(),
            values: [0; 5].map(|_| f64::from((1e3 * numbers.next()) as f32)),
        };
        let beams = vec![
            (0..3).map(&mut section).collect(),
            (0..if k % 3 == 1 { 0 } else { 2 }).map(&mut section).collect(),
        ];
        let amplitudes = vec![
            (0..if k == 4 { 0 } else { 2 }).map(|_| f64::from((1e-3 * numbers.next()) as f32)).collect(),
        ];
        poses.push(Snapshot { t: 0.01 * k as f64, bodies, joints, chains, beams, amplitudes, contacts });
    }
    poses
}

fn near(a: &Snapshot, b: &Snapshot, quanta: Quanta) {
    let rounding = 1e-9;
    let close = |x: f64, y: f64, quantum: f64| {
        assert!(
            (x - y).abs() <= (0.5 + rounding) * quantum,
            "{x} and {y} are more than half of {quantum} apart"
        );
    };
    assert_eq!((a.t, &a.joints), (b.t, &b.joints));
    for (a, b) in a.bodies.iter().zip(&b.bodies) {
        assert_eq!(a.is_some(), b.is_some());
        let (Some(a), Some(b)) = (a, b) else { continue };
        (0..3).for_each(|i| close(a.at[i], b.at[i], quanta.place));
        let along: f64 = a.quat_wxyz.iter().zip(&b.quat_wxyz).map(|(x, y)| x * y).sum();
        (0..4).for_each(|i| close(a.quat_wxyz[i] * along.signum(), b.quat_wxyz[i], 1.0 / 32767.0));
    }
    assert_eq!(
        a.chains.iter().map(Vec::len).collect::<Vec<_>>(),
        b.chains.iter().map(Vec::len).collect::<Vec<_>>()
    );
    for (a, b) in a.chains.iter().flatten().zip(b.chains.iter().flatten()) {
        assert_eq!(a.len(), b.len());
        a.iter().flatten().zip(b.iter().flatten()).for_each(|(x, y)| close(*x, *y, quanta.place));
    }
    let count = |pose: &Snapshot| pose.beams.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(count(a), count(b));
    for (a, b) in a.beams.iter().flatten().zip(b.beams.iter().flatten()) {
        (0..3).for_each(|i| close(a.at[i], b.at[i], quanta.place));
        let along: f64 = a.quat_wxyz.iter().zip(&b.quat_wxyz).map(|(x, y)| x * y).sum();
        (0..4).for_each(|i| close(a.quat_wxyz[i] * along.signum(), b.quat_wxyz[i], 1.0 / 32767.0));
        (0..5).for_each(|i| close(a.values[i], b.values[i], quanta.beams[i]));
    }
    let count = |pose: &Snapshot| pose.amplitudes.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(count(a), count(b));
    for (x, y) in a.amplitudes.iter().flatten().zip(b.amplitudes.iter().flatten()) {
        close(*x, *y, quanta.amplitude);
    }
    assert_eq!(a.contacts.len(), b.contacts.len());
    for ([p, f], [q, g]) in a.contacts.iter().zip(&b.contacts) {
        (0..3).for_each(|i| close(p[i], q[i], quanta.place));
        (0..3).for_each(|i| close(f[i], g[i], quanta.force));
    }
}

#[test]
fn exact_frames_of_the_page_within_half_a_quantum() {
    let (scene, poses) = (a_scene(), some_poses(40));
    let quanta = Quanta::of_poses(&scene, &poses);
    let (mut encoder, mut decoder) = (Encoder::new(&scene, quanta), Decoder::new(&scene, quanta));
    let mut bytes = Vec::new();
    poses.iter().for_each(|pose| encoder.encode(pose, &mut bytes));
    let mut from = &bytes[..];
    for pose in &poses {
        near(pose, &decoder.decode(pose.t, &mut from).unwrap(), quanta);
    }
    assert!(from.is_empty());
    // by themselves, in any order
    for pose in poses.iter().rev() {
        let mut alone = Vec::new();
        encoder.encode_alone(pose, &mut alone);
        let mut from = &alone[..];
        near(pose, &decoder.decode_alone(pose.t, &mut from).unwrap(), quanta);
        assert!(from.is_empty());
    }
    for end in 0..bytes.len().min(500) {
        let mut decoder = Decoder::new(&scene, quanta);
        let mut from = &bytes[..end];
        while decoder.decode(0.0, &mut from).is_some() {}
    }
}
