//! A scene with its poses: what it is at any time.

use crate::Error;
use crate::geometry::{Vector, add, between, normalised, turned};
use linkwork_scene::pose::Placement;
use linkwork_scene::scene::BodyPoint;
use linkwork_scene::{MOTION_FILE, Recording, Scene, Snapshot};
use std::path::Path;

/// A recorded motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// What moves.
    pub scene: Scene,
    /// Where it is, at times that do not fall.
    pub poses: Vec<Snapshot>,
}

impl From<Recording> for Motion {
    fn from(recording: Recording) -> Motion {
        let Recording { mut scene, poses, .. } = recording;
        scene.enlarge_markers(&poses);
        Motion { scene, poses }
    }
}

/// Which instants of a motion are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// From this time on, s; the beginning where there is none.
    pub from: Option<f64>,
    /// Up to this time, s; the end where there is none.
    pub to: Option<f64>,
    /// Pictures to a second of showing.
    pub fps: f64,
    /// Seconds of the motion to a second of showing.
    pub speed: f64,
}

/// The most pictures of a sequence.
pub const MOST_FRAMES: usize = 100_000;

impl Clock {
    /// The instants.
    pub fn times(&self, motion: &Motion) -> Result<Vec<f64>, Error> {
        let (Some(first), Some(last)) = (motion.poses.first(), motion.poses.last()) else {
            return Err(Error::Empty("the recording has no frame".into()));
        };
        let (from, to) = (self.from.unwrap_or(first.t).max(first.t), self.to.unwrap_or(last.t).min(last.t));
        if from > to {
            return Err(Error::Empty(format!("the recording lasts from {} s to {} s", first.t, last.t)));
        }
        let step = self.speed / self.fps;
        let count = ((to - from) / step + 1e-9).floor() + 1.0;
        // a step of nothing makes no number of pictures
        if step <= 0.0 || count.is_nan() || count > MOST_FRAMES as f64 {
            return Err(Error::TooLarge(format!(
                "{count} pictures are too many; take fewer --fps, more --speed or a shorter time"
            )));
        }
        Ok((0..count as usize).map(|i| (from + i as f64 * step).min(to)).collect())
    }
}

impl Motion {
    /// Reads the recording `motion.lwm` of a folder with results, or a recording.
    pub fn open(path: &Path) -> Result<Motion, Error> {
        let mut file = path.to_path_buf();
        if path.is_dir() {
            file = path.join(MOTION_FILE);
            if !file.exists() {
                return Err(Error::Missing { folder: path.into(), what: MOTION_FILE });
            }
        }
        let recording =
            Recording::read(&file).map_err(|error| Error::Unreadable { file, what: error.to_string() })?;
        Ok(recording.into())
    }

    /// Where everything is at a time: between two poses in between. What there is, is that of the pose before.
    pub fn at(&self, t: f64) -> Snapshot {
        // of two poses at one instant the second
        let after = self.poses.partition_point(|pose| pose.t <= t);
        let Some(before) = self.poses.get(after.saturating_sub(1)) else { return Snapshot::default() };
        let Some(next) = self.poses.get(after).filter(|next| next.t > before.t && t > before.t) else {
            return before.clone();
        };
        mixed(before, next, (t - before.t) / (next.t - before.t), t)
    }

    /// The way of a named point, split where its body is not there.
    pub fn path_of(&self, point: &str, from: f64, to: f64) -> Option<Vec<Vec<Vector>>> {
        let spot = self.scene.points.iter().find(|p| p.name == point)?.spot;
        let mut lines: Vec<Vec<Vector>> = vec![Vec::new()];
        for pose in self.poses.iter().filter(|pose| (from..=to).contains(&pose.t)) {
            match place(&spot, pose) {
                Some(at) => lines.last_mut()?.push(at),
                None => lines.push(Vec::new()),
            }
        }
        lines.retain(|line| line.len() > 1);
        Some(lines)
    }
}

/// Where a spot is in the world; nowhere while its body is not there.
pub fn place(spot: &BodyPoint, pose: &Snapshot) -> Option<Vector> {
    let Placement { at, quat_wxyz } = placement(spot.body, pose)?;
    Some(add(at, turned(quat_wxyz, spot.at)))
}

/// Where a body of the scene is; the ground is at its place always.
pub fn placement(body: usize, pose: &Snapshot) -> Option<Placement> {
    match body {
        0 => Some(Placement { at: [0.0; 3], quat_wxyz: [1.0, 0.0, 0.0, 0.0] }),
        body => pose.bodies.get(body - 1).copied().flatten(),
    }
}

fn mixed(a: &Snapshot, b: &Snapshot, s: f64, t: f64) -> Snapshot {
    let mut pose = a.clone();
    pose.t = t;
    for (mine, other) in pose.bodies.iter_mut().zip(&b.bodies) {
        if let (Some(mine), Some(other)) = (mine, other) {
            mine.at = between(mine.at, other.at, s);
            mine.quat_wxyz = between_turns(mine.quat_wxyz, other.quat_wxyz, s);
        }
    }
    for (mine, other) in pose.chains.iter_mut().zip(&b.chains) {
        let alike = mine.len() == other.len() && mine.iter().zip(other).all(|(p, q)| p.len() == q.len());
        if alike {
            for (p, q) in mine.iter_mut().flatten().zip(other.iter().flatten()) {
                *p = between(*p, *q, s);
            }
        }
    }
    for (mine, other) in pose.beams.iter_mut().zip(&b.beams).filter(|(mine, other)| mine.len() == other.len())
    {
        for (mine, other) in mine.iter_mut().zip(other) {
            mine.at = between(mine.at, other.at, s);
            mine.quat_wxyz = between_turns(mine.quat_wxyz, other.quat_wxyz, s);
            mine.values = std::array::from_fn(|i| mine.values[i] + s * (other.values[i] - mine.values[i]));
        }
    }
    let amplitudes = pose.amplitudes.iter_mut().zip(&b.amplitudes);
    for (mine, other) in amplitudes.filter(|(mine, other)| mine.len() == other.len()) {
        mine.iter_mut().zip(other).for_each(|(x, y)| *x += s * (y - *x));
    }
    pose
}

/// A rotation between two, straight from quaternion to quaternion.
fn between_turns(a: [f64; 4], b: [f64; 4], s: f64) -> [f64; 4] {
    let same = a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() >= 0.0;
    let sign = if same { s } else { -s };
    normalised(std::array::from_fn(|i| a[i] * (1.0 - s) + b[i] * sign))
}
