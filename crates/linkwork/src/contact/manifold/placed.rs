//! Convex surfaces at an instant: supports, faces and edges.
//!
//! A surface is a core with a rounding radius: a ball is a point, a capsule a segment. Places are given from a common origin near both
//! surfaces of a pair, so that nothing is lost far from the world's.
//!
//! A cylinder has two faces, its caps. The part of it that looks along d is a cap where the axis is within 45° of d, given by points of its rim
//! from the one that lies farthest along d; else it is the line of its side. Near d both begin with the same point.

use super::super::{Form, Hull, Surface};
use crate::interactions::{Motion, motion_of};
use crate::linalg::vec3::{
    Mat3, Vec3, ZERO, add, any_perpendicular, apply, apply_transposed, axpy, cross, dot, norm, scale, sub,
    unit,
};

/// The most corners of a face that are looked at; of a face with more, evenly chosen ones.
pub(super) const MAX_CORNERS: usize = 16;
/// So many points of a rim stand for a cap.
pub(super) const RIM_POINTS: usize = 8;
/// Cosine from which on a cap, not the side of a cylinder looks along a direction.
const CAP: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Sines of directions below this are rounding.
const ROUNDING: f64 = 1e-14;
/// Below this sine a cap is square to a direction, and none of its rim is the farthest along it.
const FLAT: f64 = 1e-6;

/// A corner, by its number.
pub(super) const fn corner_code(number: usize) -> u16 {
    number as u16 & 0x3fff
}
/// An edge, by the number of its first corner.
pub(super) const fn edge_code(number: usize) -> u16 {
    0x4000 | (number as u16 & 0x3fff)
}
/// A face, whichever.
pub(super) const FACE_CODE: u16 = 0x8000;
/// A point of a rim.
pub(super) const fn rim_code(number: usize) -> u16 {
    0xc000 | number as u16
}

/// A convex surface at an instant.
pub(super) struct Convex<'a> {
    /// Its middle, from the origin of the pair.
    pub centre: Vec3,
    /// What it is without its rounding.
    pub core: Core<'a>,
    /// Rounding, m.
    pub radius: f64,
    /// No point is farther from the middle, m.
    pub reach: f64,
}

pub(super) enum Core<'a> {
    Point,
    Segment { along: Vec3, half: f64 },
    Block { axes: Mat3, half: Vec3 },
    Can { axis: Vec3, radius: f64, half: f64, across: Vec3 },
    Hull { turned: &'a Mat3, hull: &'a Hull },
}

/// Corners of a face in order, counter-clockwise seen from outside; two for a line, one for a point.
pub(super) struct Loop {
    pub corners: [Vec3; MAX_CORNERS],
    pub codes: [u16; MAX_CORNERS],
    pub count: usize,
}

impl Loop {
    fn new() -> Loop {
        Loop { corners: [ZERO; MAX_CORNERS], codes: [0; MAX_CORNERS], count: 0 }
    }
    fn push(&mut self, corner: Vec3, code: u16) {
        self.corners[self.count] = corner;
        self.codes[self.count] = code;
        self.count += 1;
    }
    pub fn corners(&self) -> &[Vec3] {
        &self.corners[..self.count]
    }
}

/// The cap of a cylinder.
pub(super) struct Disc {
    pub centre: Vec3,
    pub radius: f64,
    /// Direction of the first point of the rim, and the one square to it.
    pub first: [Vec3; 2],
    /// 0 or 1.
    pub end: usize,
}

/// The part of a surface that looks along a direction.
pub(super) struct Outline {
    /// Its normal; zero for lines and points, which have none.
    pub normal: Vec3,
    pub border: Border,
}

// on the stack, one at a time: a box would be an allocation
#[allow(clippy::large_enum_variant)]
pub(super) enum Border {
    Loop(Loop),
    Disc(Disc),
}

/// A line of a surface, or a point where both ends are the same.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub ends: [Vec3; 2],
    pub codes: [u16; 2],
    pub code: u16,
}

impl<'a> Convex<'a> {
    /// A surface that is not a plane.
    pub fn new(surface: &'a Surface, bodies: &'a [Motion], origin: Vec3) -> Self {
        let motion = motion_of(bodies, surface.body());
        let turned = &motion.turned;
        let centre = add(sub(motion.c, origin), apply(turned, surface.at.s));
        let (core, radius) = match &surface.form {
            Form::Plane { .. } => (Core::Point, f64::NAN),
            Form::Ball { radius } => (Core::Point, *radius),
            Form::Capsule { axis, half, radius } => {
                (Core::Segment { along: apply(turned, *axis), half: *half }, *radius)
            }
            Form::Block(block) => {
                (Core::Block { axes: block.axes.map(|u| apply(turned, u)), half: block.half }, 0.0)
            }
            Form::Can(can) => {
                let across = apply(turned, any_perpendicular(can.axis));
                (Core::Can { axis: apply(turned, can.axis), radius: can.radius, half: can.half, across }, 0.0)
            }
            Form::Hull(hull) => (Core::Hull { turned, hull }, 0.0),
        };
        Convex { centre, core, radius, reach: surface.reach() }
    }

    /// The point of the core that lies farthest along d.
    pub fn support(&self, d: Vec3) -> Vec3 {
        match &self.core {
            Core::Point => self.centre,
            Core::Segment { along, half } => axpy(self.centre, half.copysign(dot(d, *along)), *along),
            Core::Block { axes, half } => {
                (0..3).fold(self.centre, |p, k| axpy(p, half[k].copysign(dot(d, axes[k])), axes[k]))
            }
            Core::Can { axis, radius, half, .. } => {
                let along = dot(d, *axis);
                let end = axpy(self.centre, half.copysign(along), *axis);
                let m = across(d, *axis);
                let length = norm(m);
                // along the axis all points of the cap are as far, and what is left of d is rounding
                if length > ROUNDING * norm(d) { axpy(end, radius / length, m) } else { end }
            }
            Core::Hull { turned, hull } => {
                let local = apply_transposed(turned, d);
                add(self.centre, apply(turned, hull.corners()[hull.farthest(local)]))
            }
        }
    }

    /// A corner of a box.
    fn block_corner(&self, axes: &Mat3, half: &Vec3, number: usize) -> Vec3 {
        let side = |k: usize| if number >> k & 1 == 0 { -half[k] } else { half[k] };
        (0..3).fold(self.centre, |p, k| axpy(p, side(k), axes[k]))
    }

    /// The normal of the face that looks along d most, if there are faces.
    pub fn facing(&self, d: Vec3) -> Option<Vec3> {
        match &self.core {
            Core::Point | Core::Segment { .. } => None,
            Core::Block { axes, .. } => {
                let along = axes.map(|a| dot(a, d));
                let k = largest(along);
                Some(scale(1.0_f64.copysign(along[k]), axes[k]))
            }
            Core::Can { axis, .. } => Some(scale(1.0_f64.copysign(dot(*axis, d)), *axis)),
            Core::Hull { turned, hull } => {
                let face = hull.facing(apply_transposed(turned, d));
                Some(apply(turned, hull.normal(face)))
            }
        }
    }

    /// The face or line that looks along d most.
    pub fn outline(&self, d: Vec3) -> Outline {
        let mut list = Loop::new();
        let mut normal = ZERO;
        match &self.core {
            Core::Point => list.push(self.centre, 0),
            Core::Segment { along, half } => {
                list.push(axpy(self.centre, -half, *along), corner_code(0));
                list.push(axpy(self.centre, *half, *along), corner_code(1));
            }
            Core::Block { axes, half } => {
                let along = axes.map(|a| dot(a, d));
                let k = largest(along);
                let up = along[k] >= 0.0;
                normal = scale(if up { 1.0 } else { -1.0 }, axes[k]);
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                // counter-clockwise about axis k, or about its opposite
                let around = if up { [0, 1, 3, 2] } else { [0, 2, 3, 1] };
                // axes may be drawn left-handed
                let right = dot(cross(axes[i], axes[j]), axes[k]) > 0.0;
                for n in 0..4 {
                    let at = around[if right { n } else { 3 - n }];
                    let number = ((at & 1) << i) | ((at >> 1) << j) | (usize::from(up) << k);
                    list.push(self.block_corner(axes, half, number), corner_code(number));
                }
            }
            Core::Hull { turned, hull } => {
                let face = hull.facing(apply_transposed(turned, d));
                normal = apply(turned, hull.normal(face));
                let corners = hull.face(face);
                let stride = corners.len().div_ceil(MAX_CORNERS).max(1);
                for &c in corners.iter().step_by(stride) {
                    let at = add(self.centre, apply(turned, hull.corners()[c as usize]));
                    list.push(at, corner_code(c as usize));
                }
            }
            Core::Can { axis, radius, half, across: fixed } => {
                let along = dot(d, *axis);
                let m = across(d, *axis);
                let s = norm(m);
                if along.abs() < CAP {
                    let side = axpy(self.centre, radius / s, m);
                    list.push(axpy(side, -half, *axis), rim_code(0));
                    list.push(axpy(side, *half, *axis), rim_code(RIM_POINTS));
                } else {
                    let normal = scale(1.0_f64.copysign(along), *axis);
                    let e = if s > FLAT { scale(1.0 / s, m) } else { *fixed };
                    let centre = axpy(self.centre, *half, normal);
                    let end = usize::from(along >= 0.0);
                    let disc = Disc { centre, radius: *radius, first: [e, cross(*axis, e)], end };
                    return Outline { normal, border: Border::Disc(disc) };
                }
            }
        }
        Outline { normal, border: Border::Loop(list) }
    }

    /// The edge that lies across d and farthest along it, up to a small angle; a corner where there is none.
    pub fn edge(&self, d: Vec3, angle: f64) -> Edge {
        let (ends, codes) = match &self.core {
            Core::Segment { along, half } if dot(*along, d).abs() < angle => {
                ([-half, *half].map(|h| axpy(self.centre, h, *along)), [0, 1])
            }
            Core::Can { axis, radius, half, .. } if dot(*axis, d).abs() < angle => {
                let m = unit(across(d, *axis));
                let side = axpy(self.centre, *radius, m);
                ([-half, *half].map(|h| axpy(side, h, *axis)), [0, 1])
            }
            Core::Block { axes, half } => {
                let along = axes.map(|a| dot(a, d));
                let k = (1..3).fold(0, |best, k| if along[k].abs() < along[best].abs() { k } else { best });
                let number = (0..3).fold(0, |bits, k| bits | (usize::from(along[k] >= 0.0) << k));
                let low = if along[k].abs() < angle { number & !(1 << k) } else { number };
                let high = if along[k].abs() < angle { number | (1 << k) } else { number };
                ([low, high].map(|number| self.block_corner(axes, half, number)), [low, high])
            }
            Core::Hull { turned, hull } => {
                let codes = hull.edge(apply_transposed(turned, d), angle);
                (codes.map(|c| add(self.centre, apply(turned, hull.corners()[c]))), codes)
            }
            _ => ([self.support(d); 2], [0, 0]),
        };
        // an edge has the code of its first corner, and for boxes of its direction
        let code = edge_code(codes[0] | (codes[0] ^ codes[1]) << 7);
        Edge { ends, codes: codes.map(corner_code), code }
    }
}

impl Disc {
    /// A point of the rim; the first is the farthest along the direction that was asked for.
    pub fn point(&self, number: usize) -> Vec3 {
        let (sin, cos) = (std::f64::consts::TAU * number as f64 / RIM_POINTS as f64).sin_cos();
        let [e, f] = self.first;
        axpy(axpy(self.centre, self.radius * cos, e), self.radius * sin, f)
    }
    pub fn code(&self, number: usize) -> u16 {
        rim_code(RIM_POINTS * self.end + number)
    }
}

/// The index of the largest number by amount.
fn largest(x: Vec3) -> usize {
    (1..3).fold(0, |best, k| if x[k].abs() > x[best].abs() { k } else { best })
}

/// The part of d across an axis, also where little is left of it.
fn across(d: Vec3, axis: Vec3) -> Vec3 {
    let m = axpy(d, -dot(d, axis), axis);
    axpy(m, -dot(m, axis), axis)
}

impl Convex<'_> {
    /// Whether it is curved, so that searches by supports do not end with a feature.
    pub fn is_curved(&self) -> bool {
        matches!(self.core, Core::Can { .. })
    }

    /// The point that lies farthest along d, if it is a corner or a point of a rim, by far.
    pub fn corner(&self, d: Vec3, angle: f64) -> Option<Vec3> {
        match &self.core {
            Core::Can { axis, .. } => {
                let along = dot(d, *axis).abs();
                (along > angle && along < 1.0 - 1e-9).then(|| self.support(d))
            }
            _ => {
                let [p, q] = self.edge(d, angle).ends;
                (p == q).then_some(p)
            }
        }
    }
}
