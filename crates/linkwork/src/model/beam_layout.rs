//! A beam as drawn: its axis, its sections with their axes and masses, and the stiffness of its elements.
//!
//! The axis passes through the points of the beam: a straight line through two, the arc of a circle through three, a cubic spline over the chord
//! lengths through more, whose first two spans are one cubic, and so its last two ([deboor2001], "not-a-knot"): errors of a smooth axis fall with the fourth power of the
//! distance of its points, up to its ends. Sections stand at equal lengths s of arc in each span between two points. Their axes are
//!
//!   (L1)  d_1 = r',   d_3 = d_1 × up / |d_1 × up|,   d_2 = d_3 × d_1        then turned about d_1 by the twist at s
//!
//! in the plane d_2 = z × d_1, d_3 = z. Of a section with area A, second moments I_2 = ∫ x_3² dA and I_3 = ∫ x_2² dA, torsion constant J and shear factors k:
//!
//!   (L2)  rectangle (b along axis 3, h along axis 2):  A = b h,  I_2 = h b³/12,  I_3 = b h³/12,
//!         J = a c³ (16/3 − 3.36 c/a (1 − c⁴/12a⁴)),  2a ≥ 2c its sides,   k = 10 (1 + ν)/(12 + 11 ν)
//!   (L3)  tube with m = d_i/d:  A = π (d² − d_i²)/4,  I = π (d⁴ − d_i⁴)/64,  J = 2 I,
//!         k = 6 (1 + ν)(1 + m²)² / ((7 + 6 ν)(1 + m²)² + (20 + 12 ν) m²);  a disc has m = 0
//!
//! [cowper1966] for k, [young2002] for J of the rectangle. An element of length l gives its mass to its sections by the weights of Lobatto's rule: ½, ½ of two,
//! 1/6, 4/6, 1/6 of three; a section that has the mass m has the moments of inertia m (I_2 + I_3)/A, m I_2/A, m I_3/A about its axes. Where stiffness is given by
//! numbers, I/A is EI/EA.

use super::{Beam, Body, Inertia, Joint, Mass, Model, Place, Point};
use crate::drawing::Dimension;
use crate::joints::Fixed;
use crate::linalg::vec3::{Mat3, Vec3, add, apply_transposed, axpy, cross, dot, norm, scale, sub, unit};
use std::f64::consts::PI;

/// The beams of a model may have so many sections, all together.
pub const MAX_SECTIONS: usize = 100_000;

/// A cross-section: what it resists, and its mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossSection {
    /// EA, GA_2, GA_3, N; GJ, EI_2, EI_3, N m².
    pub stiffness: [f64; 6],
    /// ρA, kg/m.
    pub mass: f64,
    /// I_2/A and I_3/A, m².
    pub gyration: [f64; 2],
}

/// A section as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionPlace {
    /// The body that it is.
    pub body: String,
    /// The point on the axis.
    pub point: String,
    /// Length of arc from the beginning, m.
    pub s: f64,
    /// Where it is, m.
    pub at: Vec3,
    /// d_1, d_2, d_3 of (L1).
    pub axes: Mat3,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia about its axes, kg m².
    pub inertia: Vec3,
    /// How far its particles are apart, m.
    pub reach: f64,
}

/// An element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamElement {
    /// Its first section.
    pub first: usize,
    /// Length of its arc, m.
    pub length: f64,
    /// The cross-sections at its integration points.
    pub sections: [CrossSection; 2],
}

/// A beam as drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamLayout {
    /// Its sections.
    pub sections: Vec<SectionPlace>,
    /// Its elements; where the beam may break, the next one begins with another section at the same place.
    pub elements: Vec<BeamElement>,
    /// Its whole length, m.
    pub length: f64,
}

/// What keeps a beam from being laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unlaid {
    /// A point is not known.
    Point,
    /// Two points in a row coincide.
    Coincide(usize),
    /// The beam runs along `up` somewhere.
    Along,
    /// Too many sections.
    Many(usize),
    /// A place, a mass or a stiffness is beyond all numbers.
    Infinite,
}

/// Abscissas of the integration points, from −1 to 1.
pub(crate) const fn abscissas(pieces: usize) -> &'static [f64] {
    match pieces {
        1 => &[0.0],
        _ => &[-0.577_350_269_189_625_8, 0.577_350_269_189_625_8],
    }
}

/// A span of the axis, over a parameter from 0 to 1.
enum Span {
    Line(Vec3, Vec3),
    /// Centre, radius vector at the start, the one a quarter ahead, and the angle.
    Arc(Vec3, Vec3, Vec3, f64),
    /// r and its coefficients.
    Cubic([Vec3; 4]),
}

impl Span {
    fn at(&self, u: f64) -> (Vec3, Vec3) {
        match self {
            Span::Line(from, to) => (axpy(scale(1.0 - u, *from), u, *to), sub(*to, *from)),
            Span::Arc(centre, a, b, angle) => {
                let (sin, cos) = (u * angle).sin_cos();
                let r = add(*centre, axpy(scale(cos, *a), sin, *b));
                (r, scale(*angle, axpy(scale(-sin, *a), cos, *b)))
            }
            Span::Cubic([c0, c1, c2, c3]) => {
                let r = axpy(axpy(axpy(*c0, u, *c1), u * u, *c2), u * u * u, *c3);
                (r, axpy(axpy(*c1, 2.0 * u, *c2), 3.0 * u * u, *c3))
            }
        }
    }

    /// Length of arc from 0 to u: five points of Gauss on each of 16 parts.
    fn length(&self, u: f64) -> f64 {
        const X: [f64; 3] = [0.0, 0.538_469_310_105_683_1, 0.906_179_845_938_664];
        const W: [f64; 3] = [0.568_888_888_888_888_9, 0.478_628_670_499_366_47, 0.236_926_885_056_189_08];
        match self {
            Span::Line(from, to) => u * norm(sub(*to, *from)),
            Span::Arc(_, a, _, angle) => u * angle * norm(*a),
            Span::Cubic(_) => {
                let half = u / 32.0;
                let speed = |u: f64| norm(self.at(u).1);
                let part = |k: usize| {
                    let middle = (2 * k + 1) as f64 * half;
                    (0..3)
                        .map(|i| {
                            let both = if i == 0 {
                                speed(middle)
                            } else {
                                speed(middle - half * X[i]) + speed(middle + half * X[i])
                            };
                            half * W[i] * both
                        })
                        .sum::<f64>()
                };
                (0..16).map(part).sum()
            }
        }
    }

    /// The parameter at a part of its length.
    fn parameter(&self, part: f64) -> f64 {
        if !matches!(self, Span::Cubic(_)) || part <= 0.0 || part >= 1.0 {
            return part.clamp(0.0, 1.0);
        }
        let wanted = part * self.length(1.0);
        let mut u = part;
        for _ in 0..50 {
            let step = (self.length(u) - wanted) / norm(self.at(u).1).max(f64::MIN_POSITIVE);
            u = (u - step).clamp(0.0, 1.0);
            if step.abs() < 1e-15 {
                break;
            }
        }
        u
    }
}

/// The spans between points.
fn spans(points: &[Vec3]) -> Vec<Span> {
    match points {
        [a, b] => vec![Span::Line(*a, *b)],
        [a, b, c] => arc([*a, *b, *c]),
        _ => spline(points),
    }
}

/// The arc of a circle through three points; straight where they are in line.
fn arc([a, b, c]: [Vec3; 3]) -> Vec<Span> {
    let (u, v) = (sub(b, a), sub(c, a));
    let normal = cross(u, v);
    let square = dot(normal, normal);
    if square <= 1e-24 * dot(u, u) * dot(v, v) {
        return vec![Span::Line(a, b), Span::Line(b, c)];
    }
    let across = sub(scale(dot(u, u), cross(v, normal)), scale(dot(v, v), cross(u, normal)));
    let centre = axpy(a, 0.5 / square, across);
    let along = unit(normal);
    let angle = |p: Vec3, q: Vec3| {
        let turn = dot(cross(p, q), along).atan2(dot(p, q));
        if turn > 0.0 { turn } else { turn + 2.0 * PI }
    };
    [[a, b], [b, c]]
        .map(|[p, q]| {
            let (p, q) = (sub(p, centre), sub(q, centre));
            Span::Arc(centre, p, cross(along, p), angle(p, q))
        })
        .into()
}

/// A cubic spline over the chord lengths through four points or more.
fn spline(points: &[Vec3]) -> Vec<Span> {
    let n = points.len() - 1;
    let h: Vec<f64> = points.windows(2).map(|p| norm(sub(p[1], p[0]))).collect();
    // second derivatives m by the tridiagonal system, without m_0 = m_1 + h_0/h_1 (m_1 − m_2) and m_n likewise
    let mut m = vec![[0.0; 3]; n + 1];
    let (mut diagonal, mut above, mut right) = (vec![1.0; n + 1], h.clone(), vec![[0.0; 3]; n + 1]);
    let beyond = |outer: usize, inner: usize| h[outer] * h[outer] / h[inner];
    for i in 1..n {
        diagonal[i] = 2.0 * (h[i - 1] + h[i]);
        let mut below = h[i - 1];
        if i == 1 {
            diagonal[i] += h[0] + beyond(0, 1);
            above[i] -= beyond(0, 1);
        }
        if i == n - 1 {
            diagonal[i] += h[n - 1] + beyond(n - 1, n - 2);
            below -= beyond(n - 1, n - 2);
        }
        let slope = |k: usize| scale(1.0 / h[k], sub(points[k + 1], points[k]));
        right[i] = scale(6.0, sub(slope(i), slope(i - 1)));
        if i > 1 {
            let w = below / diagonal[i - 1];
            diagonal[i] -= w * above[i - 1];
            right[i] = axpy(right[i], -w, right[i - 1]);
        }
    }
    for i in (1..n).rev() {
        let coupled = if i == n - 1 { right[i] } else { axpy(right[i], -above[i], m[i + 1]) };
        m[i] = scale(1.0 / diagonal[i], coupled);
    }
    let outer = |of: usize, inner: usize, own: Vec3, next: Vec3| axpy(own, h[of] / h[inner], sub(own, next));
    (m[0], m[n]) = (outer(0, 1, m[1], m[2]), outer(n - 1, n - 2, m[n - 1], m[n - 2]));
    (0..n)
        .map(|i| {
            let square = h[i] * h[i];
            let first = sub(sub(points[i + 1], points[i]), scale(square / 6.0, axpy(m[i + 1], 2.0, m[i])));
            Span::Cubic([
                points[i],
                first,
                scale(0.5 * square, m[i]),
                scale(square / 6.0, sub(m[i + 1], m[i])),
            ])
        })
        .collect()
}

impl BeamLayout {
    /// Of a beam of a model.
    pub(crate) fn new(model: &Model, beam: &Beam) -> Result<Self, Unlaid> {
        let names: Vec<&String> = beam.stations().collect();
        let find = |name: &&String| model.points.iter().find(|p| p.name == **name).map(|p| p.position);
        let places: Vec<Vec3> = names.iter().map(find).collect::<Option<_>>().ok_or(Unlaid::Point)?;
        if let Some(k) = places.windows(2).position(|p| norm(sub(p[1], p[0])) <= f64::MIN_POSITIVE) {
            return Err(Unlaid::Coincide(k));
        }
        let spans = spans(&places);
        let lengths: Vec<f64> = spans.iter().map(|span| span.length(1.0)).collect();
        let length: f64 = lengths.iter().sum();
        if !length.is_finite() {
            return Err(Unlaid::Infinite);
        }
        let pieces = beam.order.pieces();
        let asked = beam.elements.unwrap_or(Beam::ELEMENTS);
        if asked > MAX_SECTIONS / pieces {
            return Err(Unlaid::Many(asked));
        }
        let planar = model.dimension.is_planar();
        let section = |s: f64| CrossSection::of(beam, s / length, planar).unwrap_or_default();
        let mut layout = BeamLayout { sections: Vec::new(), elements: Vec::new(), length };
        let mut before = 0.0;
        for (k, (span, &span_length)) in spans.iter().zip(&lengths).enumerate() {
            let count = ((asked as f64 * span_length / length).round() as usize).max(1);
            let element = span_length / count as f64;
            let breaks = k > 0 && beam.breaks_at.contains(names[k]);
            // the last section of the span before, or one of its own where the beam may break
            let counted = layout.sections.len() - usize::from(k > 0 && !breaks);
            for j in 0..=count * pieces {
                let (first, last) = (j == 0, j == count * pieces);
                if first && k > 0 && !breaks {
                    continue;
                }
                let part = j as f64 / (count * pieces) as f64;
                let (at, slope) = span.at(span.parameter(part));
                let at = if first {
                    places[k]
                } else if last {
                    places[k + 1]
                } else {
                    at
                };
                let number = layout.sections.len();
                let station = if first {
                    Some(names[k])
                } else if last {
                    Some(names[k + 1])
                } else {
                    None
                };
                let clamped = (first && k == 0 && beam.clamped_to(0).is_some())
                    || (last && k + 1 == spans.len() && beam.clamped_to(1).is_some());
                let behind = first && breaks;
                let body = match station {
                    Some(point) if behind => beam.section_behind(point),
                    Some(point) => beam.section_at(point),
                    None => format!("{}/{number}", beam.name),
                };
                let point = match station {
                    Some(point) if !clamped && !behind => point.clone(),
                    _ => body.clone(),
                };
                let s = before + part * span_length;
                let axes = [unit(slope), [0.0; 3], [0.0; 3]];
                let reach = element / pieces as f64;
                layout.sections.push(SectionPlace {
                    body,
                    point,
                    s,
                    at,
                    axes,
                    mass: 0.0,
                    inertia: [0.0; 3],
                    reach,
                });
            }
            let weights: &[f64] = if pieces == 1 { &[0.5, 0.5] } else { &[1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0] };
            for e in 0..count {
                let start = before + element * e as f64;
                for (i, weight) in weights.iter().enumerate() {
                    let place = &mut layout.sections[counted + e * pieces + i];
                    let own = section(start + element * i as f64 / pieces as f64);
                    let mass = weight * element * own.mass;
                    place.mass += mass;
                    let [about_2, about_3] = own.gyration;
                    place.inertia = axpy(place.inertia, mass, [about_2 + about_3, about_2, about_3]);
                }
                let mut sections = [CrossSection::default(); 2];
                for (place, x) in sections.iter_mut().zip(abscissas(pieces)) {
                    *place = section(start + 0.5 * (1.0 + x) * element);
                }
                layout.elements.push(BeamElement { first: counted + e * pieces, length: element, sections });
            }
            before += span_length;
        }
        layout.orient(model, beam)?;
        if layout.is_finite() { Ok(layout) } else { Err(Unlaid::Infinite) }
    }

    fn is_finite(&self) -> bool {
        let of_section = |section: &SectionPlace| {
            let axes = section.axes.as_flattened().iter();
            let numbers =
                axes.chain(&section.at).chain(&section.inertia).chain([&section.mass, &section.reach]);
            numbers.copied().all(f64::is_finite)
        };
        let of_element = |element: &BeamElement| {
            let of_place = |place: &CrossSection| {
                place
                    .stiffness
                    .iter()
                    .chain([&place.mass])
                    .chain(&place.gyration)
                    .copied()
                    .all(f64::is_finite)
            };
            element.sections.iter().all(of_place)
        };
        self.sections.iter().all(of_section) && self.elements.iter().all(of_element)
    }

    /// (L1)
    fn orient(&mut self, model: &Model, beam: &Beam) -> Result<(), Unlaid> {
        let off =
            |up: Vec3| self.sections.iter().map(|s| norm(cross(s.axes[0], up))).fold(f64::INFINITY, f64::min);
        let up = match (model.dimension, beam.up) {
            (Dimension::Planar, _) => None,
            (_, Some(up)) => Some(unit(up)),
            (_, None) => {
                let candidates = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
                Some(candidates.into_iter().find(|&up| off(up) > 0.3).ok_or(Unlaid::Along)?)
            }
        };
        if up.is_some_and(|up| off(up) < 1e-3) {
            return Err(Unlaid::Along);
        }
        let (length, twist) = (self.length, if up.is_some() { beam.twist } else { 0.0 });
        for section in &mut self.sections {
            let along = section.axes[0];
            let third = up.map_or([0.0, 0.0, 1.0], |up| unit(cross(along, up)));
            let second = cross(third, along);
            let (sin, cos) = (twist * section.s / length).sin_cos();
            let turned = [axpy(scale(cos, second), sin, third), axpy(scale(cos, third), -sin, second)];
            section.axes = [along, turned[0], turned[1]];
        }
        Ok(())
    }
}

impl CrossSection {
    /// At a part of the length of a beam; `None` if something is not known.
    pub(crate) fn of(beam: &Beam, part: f64, planar: bool) -> Option<Self> {
        let at = |ends: Option<[f64; 2]>| ends.map(|[a, b]| a + (b - a) * part);
        let [young, poisson, density] = beam.material.map_or([None; 3], |m| m.values().map(Some));
        let young = beam.youngs_modulus.or(young);
        let poisson = beam.poisson_ratio.or(poisson).unwrap_or(0.3);
        let density = beam.density.or(density);
        let shape = beam.section.as_ref().and_then(|section| {
            let sizes =
                (at(section.width), at(section.height), at(section.diameter), at(section.inner_diameter));
            match sizes {
                (Some(b), Some(h), None, None) => Some(rectangle(b, h, poisson)),
                (None, None, Some(d), inner) => Some(tube(d, inner.unwrap_or(0.0), poisson)),
                _ => None,
            }
        });
        let of_shape = |f: &dyn Fn(&Shape) -> f64| Some(young? * f(shape.as_ref()?));
        let shear = |f: &dyn Fn(&Shape) -> f64| Some(of_shape(f)? * 0.5 / (1.0 + poisson));
        let axial = beam.axial_stiffness.or_else(|| of_shape(&|s| s.area))?;
        let [bending_2, bending_3] = match beam.bending_stiffness {
            Some(given) => given,
            None => [of_shape(&|s| s.second[0])?, of_shape(&|s| s.second[1])?],
        };
        let by_shape = shear(&|s| s.area * s.shear).unwrap_or(axial / 3.0);
        let [shear_2, shear_3] = beam.shear_stiffness.unwrap_or([by_shape; 2]);
        let torsion = match beam.torsional_stiffness.or_else(|| shear(&|s| s.torsion)) {
            Some(torsion) => torsion,
            None if planar => bending_3,
            None => return None,
        };
        let mass = beam.mass_per_length.or_else(|| Some(density? * shape.as_ref()?.area))?;
        let gyration = match &shape {
            Some(shape) => shape.second.map(|second| second / shape.area),
            None => [bending_2 / axial, bending_3 / axial],
        };
        Some(CrossSection {
            stiffness: [axial, shear_2, shear_3, torsion, bending_2, bending_3],
            mass,
            gyration,
        })
    }
}

/// What the shape of a section says.
struct Shape {
    area: f64,
    /// I_2, I_3
    second: [f64; 2],
    torsion: f64,
    shear: f64,
}

/// (L2)
fn rectangle(b: f64, h: f64, poisson: f64) -> Shape {
    let (a, c) = (0.5 * b.max(h), 0.5 * b.min(h));
    let thin = c / a;
    Shape {
        area: b * h,
        second: [h * b.powi(3) / 12.0, b * h.powi(3) / 12.0],
        torsion: a * c.powi(3) * (16.0 / 3.0 - 3.36 * thin * (1.0 - thin.powi(4) / 12.0)),
        shear: 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson),
    }
}

/// (L3)
fn tube(d: f64, inner: f64, poisson: f64) -> Shape {
    let m = (inner / d).powi(2);
    let second = PI / 64.0 * (d.powi(4) - inner.powi(4));
    let ring = (1.0 + m) * (1.0 + m);
    Shape {
        area: 0.25 * PI * (d * d - inner * inner),
        second: [second; 2],
        torsion: 2.0 * second,
        shear: 6.0 * (1.0 + poisson) * ring / ((7.0 + 6.0 * poisson) * ring + (20.0 + 12.0 * poisson) * m),
    }
}

impl Model {
    /// The layouts of its beams; those that cannot be laid out have no sections.
    pub(crate) fn beam_layouts(&self) -> Vec<BeamLayout> {
        let empty = BeamLayout { sections: Vec::new(), elements: Vec::new(), length: 0.0 };
        self.beams.iter().map(|beam| BeamLayout::new(self, beam).unwrap_or_else(|_| empty.clone())).collect()
    }

    /// The model with the sections of its beams among its points, bodies and joints, behind those it has.
    pub(crate) fn with_sections(&self) -> Model {
        let mut out = self.clone();
        for (beam, layout) in self.beams.iter().zip(self.beam_layouts()) {
            for section in &layout.sections {
                add_section(&mut out, section);
            }
            for (end, section) in [layout.sections.first(), layout.sections.last()].into_iter().enumerate() {
                if let (Some(body), Some(section)) = (beam.clamped_to(end), section) {
                    let at = [&beam.from, &beam.to][end];
                    let weld =
                        Joint::between(&section.body, Fixed {}, [body, &section.body], [at, &section.point]);
                    out.joints.push(weld);
                }
            }
            for point in &beam.breaks_at {
                let sides = [beam.section_at(point), beam.section_behind(point)];
                let mut weld =
                    Joint::between(&sides[0], Fixed {}, [&sides[0], &sides[1]], [point, &sides[1]]);
                (weld.break_force, weld.break_moment) = (beam.break_force, beam.break_moment);
                out.joints.push(weld);
            }
        }
        out
    }
}

fn add_section(out: &mut Model, section: &SectionPlace) {
    let SectionPlace { body, point, at, axes, reach, .. } = section;
    let planar = out.dimension.is_planar();
    let mut points = vec![point.clone()];
    // a point of the model is there already
    if point == body {
        out.points.push(Point { name: point.clone(), position: *at });
    }
    // particles as far off the axis as sections are apart: those of a thin section would be too near to each other for an accurate direction
    for (k, axis) in axes.iter().enumerate().filter(|(k, _)| !planar || *k == 1) {
        let name = format!("{body}.{}", k + 1);
        out.points.push(Point { name: name.clone(), position: axpy(*at, *reach, *axis) });
        points.push(name);
    }
    let inertia = match planar {
        true => Inertia::Polar(section.inertia[2]),
        false => {
            let rows: Mat3 = std::array::from_fn(|i| scale(section.inertia[i], axes[i]));
            let entry = |i: usize, j: usize| apply_transposed(axes, [rows[0][j], rows[1][j], rows[2][j]])[i];
            Inertia::Matrix([entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)])
        }
    };
    let mass = Mass::Given { mass: section.mass, com: Place::Point(point.clone()), inertia };
    out.bodies.push(Body::new(body, points, mass));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Length, ends and curvature of an arc of 45° and of a spline near it.
    #[test]
    fn exact_arc_through_three_points() {
        let at = |angle: f64| [100.0 * angle.sin(), 0.0, 100.0 * (1.0 - angle.cos())];
        let arc = arc([at(0.0), at(0.3), at(PI / 4.0)]);
        let length: f64 = arc.iter().map(|span| span.length(1.0)).sum();
        assert!((length - 25.0 * PI).abs() < 1e-11, "{length}");
        let (r, slope) = arc[1].at(0.5);
        let angle = 0.5 * (0.3 + PI / 4.0);
        assert!(norm(sub(r, at(angle))) < 1e-12);
        assert!(norm(sub(unit(slope), [angle.cos(), 0.0, angle.sin()])) < 1e-13);
        let places: Vec<Vec3> = (0..=16).map(|k| at(f64::from(k) * PI / 64.0)).collect();
        let spline = spline(&places);
        let length: f64 = spline.iter().map(|span| span.length(1.0)).sum();
        // 3e-9 of the length: the fourth power of 1/16 times an angle
        assert!((length - 25.0 * PI).abs() < 1e-6, "{length}");
        // the first two spans are one cubic: the same third derivative by length
        let third = |k: usize| match &spline[k] {
            Span::Cubic(c) => scale(norm(sub(places[k + 1], places[k])).powi(-3), c[3]),
            _ => unreachable!("a spline"),
        };
        assert!(norm(sub(third(0), third(1))) < 1e-14, "{:?} {:?}", third(0), third(1));
        assert!((spline[7].length(spline[7].parameter(0.25)) - 0.25 * spline[7].length(1.0)).abs() < 1e-12);
    }

    /// A square has J = 0.1406 a⁴, a thin strip b t³/3, a thin tube 2π r³ t.
    #[test]
    fn exact_torsion_constants() {
        assert!((rectangle(1.0, 1.0, 0.3).torsion - 0.1406).abs() < 5e-4);
        assert!((rectangle(1.0, 1e-3, 0.3).torsion / (1e-9 / 3.0) - 1.0).abs() < 1e-3);
        assert!((tube(2.0005, 1.9995, 0.3).torsion / (2.0 * PI * 5e-4) - 1.0).abs() < 1e-3);
        assert!((tube(1.0, 0.0, 0.3).shear - 6.0 * 1.3 / (7.0 + 1.8)).abs() < 1e-15);
    }
}
