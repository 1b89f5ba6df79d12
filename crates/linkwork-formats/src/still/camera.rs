//! From where a scene is looked at.

use crate::drawing::BodyPoint;
use crate::geometry::{Vector, add, cross, dot, scaled, sub, unit};
use crate::motion::{Motion, place, placement};
use crate::plot::widened;
use linkwork_scene::scene::{Body, Solid};
use linkwork_scene::{Scene, Snapshot};

/// How a motion is looked at: the same for all its pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Width and height of the picture, px.
    pub size: [f64; 2],
    /// To the right, up and towards the eye.
    axes: [Vector; 3],
    /// Pixels to a metre.
    scale: f64,
    /// What is in the middle; nothing where the view goes with the mechanism.
    middle: Option<Vector>,
    /// The body that it goes with; all of them where the model names none.
    followed: Option<usize>,
    /// Lowest and highest coordinates of all that is seen, world axes.
    bounds: [Vector; 2],
}

/// A view of one pose. Nothing gets smaller with the distance.
pub struct Camera {
    axes: [Vector; 3],
    scale: f64,
    middle: Vector,
    size: [f64; 2],
    pub bounds: [Vector; 2],
}

/// Where a motion is this many times longer than the mechanism, the view goes with it.
const FOLLOWS: f64 = 6.0;
const FOLLOWS_IN_PLANE: f64 = 25.0;
const MARGIN: f64 = 0.06;
/// Azimuth and elevation where nothing else is said, degrees, as in the page.
const OBLIQUE: [f64; 2] = [-60.0, 21.0];
/// The ground is in the picture where it is no more than this many times as large as what moves.
const GROUND: f64 = 3.0;
/// A body that gets farther from its place than this many times the size of the mechanism has left it, as in the page.
const ESCAPE: f64 = 8.0;

impl View {
    /// A view of all poses from `from` to `to`, and of other places; where no size is given it is as wide as asked and as high as it needs to be. `direction`: azimuth and
    /// elevation of the eye, degrees, of a scene in space; that of the model if left out.
    pub fn of(
        motion: &Motion,
        size: Option<[f64; 2]>,
        wide: f64,
        [from, to]: [f64; 2],
        direction: Option<[f64; 2]>,
        others: &[Vector],
    ) -> View {
        let scene = &motion.scene;
        let axes = axes(scene, direction.or(scene.view.direction).unwrap_or(OBLIQUE));
        let corners: Vec<Vec<Vector>> = scene.bodies.iter().map(|body| body_corners(scene, body)).collect();
        let mut all = Extent::default();
        let mut world = Extent::default();
        let mut largest = [0.0_f64; 2];
        let escaped = escaped(motion, &corners);
        // of very long recordings every so many
        let ends = [motion.at(from), motion.at(to)];
        let poses: Vec<&Snapshot> =
            motion.poses.iter().filter(|pose| (from..=to).contains(&pose.t)).collect();
        for pose in poses.iter().step_by(poses.len() / 2000 + 1).copied().chain(&ends) {
            let mut here = Extent::default();
            for p in seen(scene, &corners, pose, &|body| body > 0 && !escaped[body]) {
                here.add(axes.map(|axis| dot(axis, p)));
                world.add(p);
            }
            if let Some([low, high]) = here.0 {
                largest = [largest[0].max(high[0] - low[0]), largest[1].max(high[1] - low[1])];
                all.add(low);
                all.add(high);
            }
        }
        let mut fixed = Extent::default();
        let mut on_ground = Extent::default();
        for p in seen(scene, &corners, &Snapshot::default(), &|body| body == 0)
            .into_iter()
            .chain(scene.supports.iter().copied())
        {
            fixed.add(axes.map(|axis| dot(axis, p)));
            on_ground.add(p);
        }
        let extent = |e: &Extent| e.0.map_or([0.0; 2], |[low, high]| [high[0] - low[0], high[1] - low[1]]);
        let whole = extent(&all);
        // in the plane a path tells more than what moves along it
        let far = if scene.dimension == 2 { FOLLOWS_IN_PLANE } else { FOLLOWS };
        let travels = (0..2).any(|k| whole[k] > far * largest[0].max(largest[1]).max(20.0 * scene.unit));
        let follows = scene.view.follow.map_or(travels, |body| body > 0);
        // a road of a hundred metres under a car tells nothing of where to look
        let near = whole[0].max(whole[1]);
        if !follows && (near == 0.0 || extent(&fixed).into_iter().all(|x| x <= GROUND * near)) {
            for (mine, ground) in [(&mut all, &fixed), (&mut world, &on_ground)] {
                ground.0.into_iter().flatten().for_each(|corner| mine.add(corner));
            }
        }
        others.iter().filter(|_| !follows).for_each(|p| all.add(axes.map(|axis| dot(axis, *p))));
        let [low, high] = all.0.unwrap_or([[-1.0; 3], [1.0; 3]]);
        let whole = [high[0] - low[0], high[1] - low[1]];
        let smallest = 4.0 * scene.unit.max(1e-9);
        let shown = if follows { largest.map(|x| 1.3 * x) } else { whole }.map(|x| x.max(smallest));
        let size = size.unwrap_or_else(|| {
            let aspect = ((shown[1] + smallest) / (shown[0] + smallest)).clamp(0.4, 1.1);
            [wide, (wide * aspect / 2.0).round() * 2.0]
        });
        let scale = (0..2).map(|k| size[k] * (1.0 - 2.0 * MARGIN) / shown[k]).fold(f64::MAX, f64::min);
        let middle = (0..3).fold([0.0; 3], |p, k| add(p, scaled(axes[k], (low[k] + high[k]) / 2.0)));
        let bounds = world.0.unwrap_or([[-1.0; 3], [1.0; 3]]);
        let followed = scene.view.follow.filter(|body| *body > 0);
        View { size, axes, scale, middle: (!follows).then_some(middle), followed, bounds }
    }

    pub(super) fn at(&self, pose: &Snapshot) -> Camera {
        let body = self.followed.and_then(|body| placement(body, pose)).map(|place| place.at);
        let middle = self.middle.or(body).unwrap_or_else(|| {
            let there: Vec<Vector> = pose.bodies.iter().flatten().map(|body| body.at).collect();
            let count = there.len().max(1) as f64;
            there.iter().fold([0.0; 3], |sum, p| add(sum, scaled(*p, 1.0 / count)))
        });
        Camera { axes: self.axes, scale: self.scale, middle, size: self.size, bounds: self.bounds }
    }
}

impl Camera {
    /// Where a place of the world is in the picture.
    pub fn spot(&self, p: Vector) -> BodyPoint {
        let r = sub(p, self.middle);
        [
            self.size[0] / 2.0 + self.scale * dot(self.axes[0], r),
            self.size[1] / 2.0 - self.scale * dot(self.axes[1], r),
        ]
    }

    /// How near a place is, m; larger is nearer.
    pub fn nearness(&self, p: Vector) -> f64 {
        dot(self.axes[2], sub(p, self.middle))
    }

    /// Towards the eye.
    pub fn back(&self) -> Vector {
        self.axes[2]
    }

    /// A length in pixels.
    pub fn pixels(&self, length: f64) -> f64 {
        self.scale * length
    }

    /// What a picture is wide and high, m.
    pub fn extent(&self) -> [f64; 2] {
        self.size.map(|x| x / self.scale)
    }

    /// What is in the middle of the picture.
    pub fn middle(&self) -> Vector {
        self.middle
    }
}

/// Right, up and back of a scene's view: in the plane x and y, in space by azimuth and elevation of the eye, degrees.
fn axes(scene: &Scene, [azimuth, elevation]: [f64; 2]) -> [Vector; 3] {
    if scene.dimension == 2 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let up = unit(scene.up);
    // ahead: x, or where that is up, y
    let x = if up[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let ahead = unit(sub(x, scaled(up, dot(x, up))));
    let left = cross(up, ahead);
    let (turn, rise) = (azimuth.to_radians(), elevation.to_radians());
    let level = add(scaled(ahead, turn.cos()), scaled(left, turn.sin()));
    let back = add(scaled(level, rise.cos()), scaled(up, rise.sin()));
    let right = sub(scaled(left, turn.cos()), scaled(ahead, turn.sin()));
    [right, cross(back, right), back]
}

#[derive(Default)]
struct Extent(Option<[Vector; 2]>);

impl Extent {
    fn add(&mut self, p: Vector) {
        if p.iter().all(|x| x.is_finite()) {
            let [low, high] = self.0.unwrap_or([p, p]);
            self.0 =
                Some([std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]);
        }
    }
}

/// Bodies that leave the others behind: the picture is not drawn back for them. Where all go away, none does.
fn escaped(motion: &Motion, corners: &[Vec<Vector>]) -> Vec<bool> {
    let scene = &motion.scene;
    let count = scene.bodies.len();
    let Some(first) = motion.poses.first() else { return vec![false; count] };
    let mut extent = Extent::default();
    seen(scene, corners, first, &|body| body > 0).into_iter().for_each(|p| extent.add(p));
    let size = extent.0.map_or(0.0, |[low, high]| crate::geometry::length(sub(high, low)));
    let mut start: Vec<Option<Vector>> = vec![None; count];
    let mut gone = vec![false; count];
    for pose in &motion.poses {
        for body in 1..count {
            let Some(place) = placement(body, pose) else { continue };
            let from = *start[body].get_or_insert(place.at);
            gone[body] |= crate::geometry::length(sub(place.at, from)) > ESCAPE * size;
        }
    }
    let stays = |body: usize| !gone[body] && !corners[body].is_empty();
    if (1..count).any(stays) { gone } else { vec![false; count] }
}

/// Everything of a pose that is to be in the picture, of the bodies that count.
fn seen(
    scene: &Scene,
    corners: &[Vec<Vector>],
    pose: &Snapshot,
    counts: &dyn Fn(usize) -> bool,
) -> Vec<Vector> {
    let mut list = Vec::new();
    for (i, corners) in corners.iter().enumerate().filter(|(i, _)| counts(*i)) {
        if let Some(at) = placement(i, pose) {
            list.extend(corners.iter().map(|c| add(at.at, crate::geometry::turned(at.quat_wxyz, *c))));
        }
    }
    let spots = scene.joints.iter().flat_map(|j| j.spots).chain(scene.springs.iter().flat_map(|s| s.ends));
    let spots = spots
        .chain(scene.cables.iter().flat_map(|c| c.through.iter().copied()))
        .chain(scene.points.iter().map(|p| p.spot));
    list.extend(spots.filter(|spot| counts(spot.body)).filter_map(|spot| place(&spot, pose)));
    list.extend(pose.chains.iter().flatten().flatten());
    for (beam, sections) in scene.beams.iter().zip(&pose.beams) {
        for (section, half) in sections.iter().zip(&beam.half) {
            let reach = half[0].max(half[1]);
            list.extend([add(section.at, [reach; 3]), sub(section.at, [reach; 3])]);
        }
    }
    list
}

/// The corners of the boxes about a body's solids; of the ground's none that goes on far: lines and planes.
fn body_corners(scene: &Scene, body: &Body) -> Vec<Vector> {
    let is_ground = std::ptr::eq(body, &scene.bodies[0]);
    let only_lines = body.painted().all(|(solid, _)| matches!(solid, Solid::Line { .. }));
    let mut extent = Extent::default();
    for (solid, _) in body.painted() {
        let mut ball = |at: Vector, r: f64| {
            extent.add(add(at, [r; 3]));
            extent.add(sub(at, [r; 3]));
        };
        match solid {
            Solid::Bar { ends, radius } => ends.iter().for_each(|end| ball(*end, *radius)),
            Solid::Ball { at, radius } | Solid::Tyre { at, radius, .. } => ball(*at, *radius),
            Solid::Cylinder { at, axis, radius, half, .. } => {
                ball(add(*at, scaled(*axis, *half)), *radius);
                ball(sub(*at, scaled(*axis, *half)), *radius);
            }
            Solid::Box { at, axes, half } => {
                for s in 0..8_u8 {
                    let sign = |k: u8| if s >> k & 1 == 1 { 1.0 } else { -1.0 };
                    let corner = (0..3_u8).fold(*at, |p, k| {
                        let i = usize::from(k);
                        add(p, scaled(axes[i], sign(k) * half[i]))
                    });
                    ball(corner, 0.0);
                }
            }
            Solid::Mesh { vertices, .. } => vertices.iter().for_each(|v| ball(*v, 0.0)),
            Solid::Surface(surface) => surface.bounds().into_iter().for_each(|corner| ball(corner, 0.0)),
            Solid::Line { through } if only_lines && !is_ground => through.iter().for_each(|v| ball(*v, 0.0)),
            Solid::Line { .. } | Solid::Plane { .. } => {}
        }
    }
    for surface in scene.modal_bodies.iter().filter(|s| std::ptr::eq(body, &scene.bodies[s.body])) {
        surface.vertices.iter().for_each(|vertex| extent.add(*vertex));
    }
    let Some([low, high]) = extent.0 else { return Vec::new() };
    (0..8_usize).map(|s| std::array::from_fn(|k| if s >> k & 1 == 1 { high[k] } else { low[k] })).collect()
}

/// Values of a grid that covers a range, at round steps.
pub fn grid(range: [f64; 2], about: f64) -> Vec<f64> {
    crate::plot::ticks(widened(range, 0.0), about)
}
