//! Teeth of gears that run on each other.
//!
//! Wheels in mesh have a common pitch p = 2π r / n: the least one of a train gets the number of teeth, of those that look like a gear, for which the
//! others have the wholest ones. Where a wheel has a tooth at the pitch point the other one has a gap. With the angle α from a wheel's centre to
//! the pitch point, the angle φ of one of its teeth, and τ = (α − φ) n / 2π, teeth by which the point lies beyond a tooth,
//!
//!   (T1)  φ' = α' + (½ + τ) 2π / n'   of a wheel beside it
//!   (T2)  φ' = α' + (½ − τ) 2π / n'   of a ring around it
//!
//! since the teeth of a wheel beside it follow each other the other way round.

use super::Solid;
use linkwork::linalg::vec3::{Vec3, any_perpendicular, axpy, cross, dot, sub};
use std::f64::consts::TAU;

/// Numbers of teeth of the least wheel of a train.
const FEWEST: u32 = 12;
const MOST: u32 = 30;
/// Teeth that a wheel may be off a whole number.
const WHOLE: f64 = 0.02;
/// More teeth than this are not seen any more: the wheel stays a disc.
const TOO_MANY: u32 = 400;
/// How far tips and roots are from the pitch circle, by the module 2 r / n.
const TIP: f64 = 0.9;
const ROOT: f64 = 1.1;
/// Half the widths of a tooth at its root and at its tip, by the pitch.
const AT_ROOT: f64 = 0.33;
const AT_TIP: f64 = 0.13;

/// The pitch circle of a wheel, as drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Circle {
    pub centre: Vec3,
    pub axis: Vec3,
    pub radius: f64,
}

/// A wheel of a train.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// The scene's body that it belongs to.
    pub body: usize,
    pub circle: Circle,
    /// Its teeth look inwards.
    pub ring: bool,
    teeth: u32,
    /// The angle of one of its teeth, about the axis of the train.
    phase: f64,
}

/// Wheels and which run on each other.
#[derive(Debug, Default)]
pub(super) struct Trains {
    pub wheels: Vec<Wheel>,
    meshes: Vec<(usize, usize, Vec3)>,
}

impl Trains {
    /// Takes two wheels that meet at a pitch point; one that is there already is the same wheel.
    pub fn mesh(&mut self, wheels: [(usize, Circle, bool); 2], pitch: Vec3) {
        let [a, b] = wheels.map(|(body, circle, ring)| {
            let near = |x: Vec3, y: Vec3| dot(sub(x, y), sub(x, y)) < (1e-6 * circle.radius).powi(2);
            let same = |w: &Wheel| {
                let alike = (w.circle.radius - circle.radius).abs() < 1e-6 * circle.radius;
                w.body == body && w.ring == ring && alike && near(w.circle.centre, circle.centre)
            };
            self.wheels.iter().position(same).unwrap_or_else(|| {
                self.wheels.push(Wheel { body, circle, ring, teeth: 0, phase: 0.0 });
                self.wheels.len() - 1
            })
        });
        self.meshes.push((a, b, pitch));
    }

    /// Gives all wheels their teeth, train by train.
    pub fn cut(&mut self) {
        for first in 0..self.wheels.len() {
            if self.wheels[first].teeth == 0 {
                let train = self.train(first);
                self.number(&train);
                self.turn(&train);
            }
        }
    }

    /// The wheels that a wheel is in mesh with, over others as well: each with the one that it is reached from.
    fn train(&self, first: usize) -> Vec<(usize, Option<(usize, Vec3)>)> {
        let mut train = vec![(first, None)];
        let mut next = 0;
        while next < train.len() {
            let here = train[next].0;
            for &(a, b, pitch) in &self.meshes {
                let other = if a == here { b } else { a };
                if (a == here || b == here) && !train.iter().any(|(wheel, _)| *wheel == other) {
                    train.push((other, Some((here, pitch))));
                }
            }
            next += 1;
        }
        train
    }

    fn number(&mut self, train: &[(usize, Option<(usize, Vec3)>)]) {
        let radius = |k: &(usize, Option<(usize, Vec3)>)| self.wheels[k.0].circle.radius;
        let least = train.iter().map(radius).fold(f64::INFINITY, f64::min);
        let off = |n: u32| {
            let teeth = train.iter().map(|k| f64::from(n) * radius(k) / least);
            teeth.map(|x| (x - x.round()).abs()).fold(0.0, f64::max)
        };
        let whole = (FEWEST..=MOST).find(|n| off(*n) < WHOLE);
        let best = || (FEWEST..=MOST).min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(FEWEST);
        let n = f64::from(whole.unwrap_or_else(best));
        for (wheel, _) in train {
            let wheel = &mut self.wheels[*wheel];
            wheel.teeth = (n * wheel.circle.radius / least).round() as u32;
        }
    }

    fn turn(&mut self, train: &[(usize, Option<(usize, Vec3)>)]) {
        let axis = self.wheels[train[0].0].circle.axis;
        for (wheel, from) in train {
            let Some((from, pitch)) = from else { continue };
            let (before, now) = (&self.wheels[*from], &self.wheels[*wheel]);
            let pitches = |wheel: &Wheel| TAU / f64::from(wheel.teeth);
            let beyond = (before.angle(axis, *pitch) - before.phase) / pitches(before);
            let side = if before.ring || now.ring { -1.0 } else { 1.0 };
            // (T1), (T2)
            let phase = now.angle(axis, *pitch) + (0.5 + side * beyond) * pitches(now);
            self.wheels[*wheel].phase = phase;
        }
        for (wheel, _) in train {
            // what follows counts angles about the axis of the train
            self.wheels[*wheel].circle.axis = axis;
        }
    }
}

impl Wheel {
    /// The angle at which a place is seen from the centre.
    fn angle(&self, axis: Vec3, place: Vec3) -> f64 {
        let e = any_perpendicular(axis);
        let d = sub(place, self.circle.centre);
        dot(d, cross(axis, e)).atan2(dot(d, e))
    }

    /// The wheel as drawn, so thick on both sides of its middle; nothing of one with more teeth than can be seen.
    pub fn solid(&self, half: f64) -> Option<Solid> {
        let Circle { centre, axis, radius } = self.circle;
        if !(3..=TOO_MANY).contains(&self.teeth) {
            return None;
        }
        let e = any_perpendicular(axis);
        let f = cross(axis, e);
        let pitch = TAU / f64::from(self.teeth);
        let module = 2.0 * radius / f64::from(self.teeth);
        let out = if self.ring { -module } else { module };
        let [tip, root] = [radius + TIP * out, radius - ROOT * out];
        let corner = |[angle, r]: [f64; 2], side: f64| {
            let (sin, cos) = angle.sin_cos();
            axpy(axpy(axpy(centre, r * cos, e), r * sin, f), side * half, axis)
        };
        let flank = [[-AT_ROOT, root], [-AT_TIP, tip], [AT_TIP, tip], [AT_ROOT, root]];
        let profile: Vec<[f64; 2]> = (0..self.teeth)
            .flat_map(|k| flank.map(|[s, r]| [self.phase + (f64::from(k) + s) * pitch, r]))
            .collect();
        // the other end of the faces: the centre, or the outside of a ring
        let far = if self.ring { radius + 3.0 * module } else { 0.0 };
        let n = profile.len() as u32;
        let mut vertices = Vec::new();
        for side in [-1.0, 1.0] {
            vertices.extend(profile.iter().map(|p| corner(*p, side)));
            vertices.extend(profile.iter().map(|p| corner([p[0], far], side)));
        }
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let mut edges: Vec<[u32; 2]> = Vec::new();
        let (top, beyond) = (2 * n, n);
        for i in 0..n {
            let j = (i + 1) % n;
            // below, above, and the flank between them
            let mut faces = vec![
                [i, i + beyond, j],
                [i + top, j + top, i + beyond + top],
                [i, j, j + top],
                [i, j + top, i + top],
            ];
            if self.ring {
                faces.extend([
                    [j, i + beyond, j + beyond],
                    [j + top, j + beyond + top, i + beyond + top],
                    [i + beyond, j + beyond + top, j + beyond],
                    [i + beyond, i + beyond + top, j + beyond + top],
                ]);
                edges.extend([[i + beyond, j + beyond], [i + beyond + top, j + beyond + top]]);
            }
            edges.extend([[i, j], [i + top, j + top]]);
            triangles.extend(faces);
        }
        // seen from outside, the profile of a ring runs the other way round
        if self.ring {
            triangles.iter_mut().for_each(|face| face.swap(1, 2));
        }
        Some(Solid::Mesh { vertices, triangles, edges })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const Z: Vec3 = [0.0, 0.0, 1.0];

    fn circle(x: f64, radius: f64) -> Circle {
        Circle { centre: [x, 0.0, 0.0], axis: Z, radius }
    }

    /// The pitch angle of a tooth nearest to an angle, in pitches.
    fn beyond(wheel: &Wheel, place: Vec3) -> f64 {
        let teeth = (wheel.angle(Z, place) - wheel.phase) * f64::from(wheel.teeth) / TAU;
        teeth - teeth.round()
    }

    /// The train of the example: 18 on 54; sun and planet of 20 within a ring of 60. Teeth are in the proportion of the radii, and where one wheel has a tooth the other has a gap.
    #[test]
    fn exact_teeth_in_mesh() {
        let mut trains = Trains::default();
        trains.mesh([(1, circle(0.0, 18.0), false), (2, circle(72.0, 54.0), false)], [18.0, 0.0, 0.0]);
        trains.mesh([(3, circle(0.0, 20.0), false), (4, circle(40.0, 20.0), false)], [20.0, 0.0, 0.0]);
        trains.mesh([(0, circle(0.0, 60.0), true), (4, circle(40.0, 20.0), false)], [60.0, 0.0, 0.0]);
        trains.cut();
        let teeth: Vec<u32> = trains.wheels.iter().map(|wheel| wheel.teeth).collect();
        assert_eq!(teeth, [12, 36, 12, 12, 36]);
        for (a, b, pitch) in &trains.meshes {
            let [a, b] = [a, b].map(|k| beyond(&trains.wheels[*k], *pitch));
            assert!(((a - b).abs() - 0.5).abs() < 1e-9 || ((a + b).abs() - 0.5).abs() < 1e-9, "{a} {b}");
        }
        // 18 : 54 : 20 : 60 have no common pitch with fewer teeth than 18
        let mut train = Trains::default();
        train.mesh([(1, circle(0.0, 18.0), false), (2, circle(38.0, 20.0), false)], [18.0, 0.0, 0.0]);
        train.cut();
        assert_eq!(train.wheels[0].teeth, 18);
    }

    /// Every edge of the faces has a face on both sides, and the faces look outwards: the volume is positive, near that of a disc or a ring.
    #[test]
    fn exact_closed_wheels() {
        let mut trains = Trains::default();
        trains.mesh([(0, circle(0.0, 60.0), true), (1, circle(40.0, 20.0), false)], [60.0, 0.0, 0.0]);
        trains.cut();
        for wheel in &trains.wheels {
            let Some(Solid::Mesh { vertices, triangles, .. }) = wheel.solid(1.0) else { panic!("no faces") };
            let six = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|k| vertices[k as usize]);
                dot(a, cross(b, c))
            };
            let volume = triangles.iter().map(six).sum::<f64>() / 6.0;
            let r = wheel.circle.radius;
            let far = r + 6.0 * r / f64::from(wheel.teeth);
            let disc = TAU * if wheel.ring { far * far - r * r } else { r * r };
            assert!((volume / disc - 1.0).abs() < 0.1, "{volume} of {disc}");
        }
    }
}
