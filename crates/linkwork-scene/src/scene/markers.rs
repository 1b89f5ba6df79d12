//! Bodies that are mere points: as large as their way needs.

use super::{Scene, Solid, Vector};
use crate::pose::Snapshot;
use linkwork::linalg::vec3::scale;

/// A marker's radius by the extent of what it moves through.
const MARKER: f64 = 1.0 / 40.0;
/// A scene no larger than this many bars has nothing but markers.
const NOTHING: f64 = 4.0;

impl Scene {
    /// Draws bodies larger that would be lost on their way: those of a scene in which there is nothing else to see than points, which tell nothing of sizes.
    pub fn enlarge_markers(&mut self, poses: &[Snapshot]) {
        let [low, high] = self.bounds;
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let more = self.chains.len() + self.beams.len() + self.modal_bodies.len() + self.joints.len();
        if more > 0 || size > NOTHING * self.unit {
            return;
        }
        let places = || poses.iter().flat_map(|pose| pose.bodies.iter().flatten().map(|body| body.at));
        let range = |k: usize| {
            let along = places().map(move |at| at[k]).filter(|x| x.is_finite());
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
        };
        let way = (0..3).map(range).map(|[low, high]| high - low).fold(0.0, f64::max);
        let factor = MARKER * way / self.unit;
        if !(factor > 1.0 && factor.is_finite()) {
            return;
        }
        self.unit *= factor;
        for solid in self.bodies.iter_mut().skip(1).flat_map(|body| &mut body.solids) {
            solid.enlarge(factor);
        }
        for k in 0..3 {
            let (middle, half) = (0.5 * (low[k] + high[k]), 0.5 * factor * (high[k] - low[k]));
            (self.bounds[0][k], self.bounds[1][k]) = (middle - half, middle + half);
        }
    }
}

impl Solid {
    /// A round solid or a box becomes larger by a factor, about the body's centre of mass.
    fn enlarge(&mut self, factor: f64) {
        let grow = |at: &mut Vector| *at = scale(factor, *at);
        match self {
            Solid::Ball { at, radius } => {
                grow(at);
                *radius *= factor;
            }
            Solid::Cylinder { at, radius, bore, half, .. } => {
                grow(at);
                [radius, bore, half].into_iter().for_each(|x| *x *= factor);
            }
            Solid::Box { at, half, .. } => {
                grow(at);
                half.iter_mut().for_each(|x| *x *= factor);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Placement;
    use crate::scene::Body;

    /// A ball of 1 cm that flies 200 m is drawn with a radius of 5 m; one with a bar beside it stays.
    #[test]
    fn exact_markers() {
        let ball = Solid::Ball { at: [0.0; 3], radius: 0.01 };
        let body = |solids: Vec<Solid>| Body { solids, ..Body::default() };
        let mut scene = Scene {
            unit: 0.01,
            bounds: [[-0.01; 3], [0.01; 3]],
            bodies: vec![Body::default(), body(vec![ball.clone()])],
            ..Scene::default()
        };
        let pose = |x: f64| Snapshot {
            bodies: vec![Some(Placement { at: [x, 0.0, 0.0], quat_wxyz: [1.0, 0.0, 0.0, 0.0] })],
            ..Snapshot::default()
        };
        let poses = [pose(0.0), pose(200.0)];
        let mut large = scene.clone();
        large.bounds = [[-1.0; 3], [1.0; 3]];
        let before = large.clone();
        large.enlarge_markers(&poses);
        assert_eq!(large, before);
        scene.enlarge_markers(&poses);
        let Solid::Ball { radius, .. } = scene.bodies[1].solids[0] else { panic!("no ball") };
        assert!((radius - 5.0).abs() < 1e-12 && (scene.bounds[1][0] - 5.0).abs() < 1e-12, "{scene:?}");
    }
}
