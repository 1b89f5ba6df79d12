//! Recordings: what is written is read back, and damage is reported.

use flate2::Compression;
use linkwork::model::Model;
use linkwork_scene::motion::{MotionWriter, frame_bytes};
use linkwork_scene::scene::{self, Scene};
use linkwork_scene::{Placement, Recorder, Recording, RecordingError, Section, Snapshot};

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
        name: "</script>".into(),
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

#[test]
fn exact_recording_there_and_back() {
    let columns = vec![linkwork::results::Column { name: "t".into(), unit: "s".into() }];
    let warnings = vec!["a line".into()];
    let recording = Recording { scene: a_scene(), columns, poses: some_poses(20), warnings };
    let mut bytes = Vec::new();
    recording.write(&mut bytes).unwrap();
    assert_eq!(Recording::from_reader(&bytes[..]).unwrap(), recording);
}

/// Whatever happens to a file, reading it ends with a recording or with a reason.
#[test]
fn keeps_its_head_whatever_the_file() {
    let recording = Recording { scene: a_scene(), poses: some_poses(8), ..Default::default() };
    let mut good = Vec::new();
    recording.write(&mut good).unwrap();
    for end in 0..good.len() {
        assert!(Recording::from_reader(&good[..end]).is_err(), "cut at {end}");
    }
    let mut numbers = Numbers(11);
    let mut refused = 0;
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << ((numbers.next() * 4.0 + 4.0) as u32 % 8);
        refused += usize::from(Recording::from_reader(&bad[..]).is_err());
    }
    assert!(refused * 2 > good.len(), "{refused} of {}", good.len());
    assert!(matches!(Recording::from_reader(&b"PK"[..]), Err(RecordingError::Foreign)));
    let mut other = good.clone();
    other[8] = 9;
    assert!(matches!(Recording::from_reader(&other[..]), Err(RecordingError::Version(9))));
}

/// A count that a few bytes claim takes no memory that is not there.
#[test]
fn keeps_memory_bounded() {
    let scene = a_scene();
    let pose = Snapshot { chains: vec![Vec::new(), Vec::new()], ..some_poses(1).remove(0) };
    let mut frame = Vec::new();
    frame_bytes(&pose, &mut frame);
    let contacts = frame.len() - 4;
    frame[contacts..].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut file = MotionWriter::new(Vec::new(), &scene, &[], &[], Some(1), Compression::fast()).unwrap();
    file.write(&frame).unwrap();
    let bytes = file.finish().unwrap();
    let Err(RecordingError::Damaged(what)) = Recording::from_reader(&bytes[..]) else { panic!() };
    assert!(what.contains("too large"), "{what}");
}

/// A recorder keeps within its budget, evenly, the first and the last row included.
#[test]
fn keeps_within_the_budget() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/four-bar.toml");
    let mut model = Model::from_file(file).unwrap();
    model.settings.duration = 1.0;
    let mechanism = model.assemble().unwrap();
    for budget in [usize::MAX, 4000, 1500] {
        let mut recorder = Recorder::with_budget(&mechanism, budget);
        let mut rows = Vec::new();
        let mut observe = |frame: &linkwork::results::Frame| {
            recorder.record(&mechanism, frame);
            rows.push(frame.t);
        };
        mechanism.run(&mut observe).unwrap();
        let mut bytes = Vec::new();
        recorder.write(&mut bytes, &[]).unwrap();
        let recording = Recording::from_reader(&bytes[..]).unwrap();
        let times: Vec<f64> = recording.poses.iter().map(|pose| pose.t).collect();
        assert_eq!(times.len(), recorder.len());
        assert_eq!((times[0], times.last()), (0.0, rows.last()));
        assert_eq!(!recorder.remarks().is_empty(), budget < usize::MAX);
        if budget == usize::MAX {
            assert_eq!(times, rows);
        } else {
            let mut frame = Vec::new();
            frame_bytes(&recording.poses[0], &mut frame);
            assert!(times.len() - 1 <= budget / frame.len(), "{} frames", times.len());
            let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
            let even = &steps[..steps.len() - 1];
            assert!(even.iter().all(|step| (step - steps[0]).abs() < 1e-9), "{steps:?}");
        }
        // what an earlier run has recorded is taken over up to a time, to the bit
        let mut again = Recorder::with_budget(&mechanism, usize::MAX);
        assert!(again.go_on_from(&recording, 0.5));
        let mut bytes = Vec::new();
        again.write(&mut bytes, &[]).unwrap();
        let taken = Recording::from_reader(&bytes[..]).unwrap().poses;
        assert_eq!(taken, recording.poses[..taken.len()]);
        assert!(taken.iter().all(|pose| pose.t <= 0.5) && taken.len() * 3 > times.len());
    }
}

/// What is whole of a file that was cut off while it grew.
#[test]
fn keeps_what_a_journal_has() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pendulum.toml");
    let mut model = Model::from_file(file).unwrap();
    model.settings.duration = 1.0;
    let mechanism = model.assemble().unwrap();
    let mut recorder = Recorder::new(&mechanism);
    let mut journal = recorder.journal(Vec::new()).unwrap();
    let frames = mechanism.simulate().unwrap().frames;
    let half = frames.len() / 2;
    for frame in &frames[..half] {
        recorder.record(&mechanism, frame);
        recorder.pass_on(&mut journal).unwrap();
    }
    journal.flush().unwrap();
    let mut bytes = journal.get_ref().clone();
    for frame in &frames[half..] {
        recorder.record(&mechanism, frame);
        recorder.pass_on(&mut journal).unwrap();
    }
    bytes.extend_from_slice(b"half a frame");
    let folder = std::env::temp_dir().join(format!("linkwork-journal-{}", std::process::id()));
    std::fs::write(&folder, &bytes).unwrap();
    let whole = Recording::read_what_is_whole(&folder).unwrap();
    std::fs::remove_file(&folder).unwrap();
    let times: Vec<f64> = whole.poses.iter().map(|pose| pose.t).collect();
    let told: Vec<f64> = frames[..half].iter().map(|frame| frame.t).collect();
    assert_eq!(times, told);
    let ended = Recording::from_reader(&journal.finish().unwrap()[..]).unwrap();
    assert_eq!(ended.poses.len(), frames.len());
}
