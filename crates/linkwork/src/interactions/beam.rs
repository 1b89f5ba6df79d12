//! A geometrically exact beam in director form: the elastic energy between cross-sections that are rigid bodies.
//!
//! Section a stands at r_a with the axes d_i^a, d_1 along the beam. In an element of length l with shape functions N_a(s), the polynomials that are 1 at
//! section a and 0 at its others,
//!
//!   (B1)  r' = Σ N'_a r_a,   d_i = Σ N_a d_i^a,   d_i' = Σ N'_a d_i^a
//!   (B2)  Γ_i = d_i · r'                                            1: stretch, 2 and 3: shear
//!   (B3)  K_1 = ½ (d_2'·d_3 − d_3'·d_2),  K_2 and K_3 cyclic         1: twist, 2 and 3: curvature
//!   (B4)  ε = (Γ, K) − (Γ, K) as drawn,   σ = C (ε + τ ε̇),   C = diag(EA, GA_2, GA_3, GJ, EI_2, EI_3)
//!   (B5)  U = ½ Σ_g w_g ε·C ε
//!
//! over the Gauss points g of an order too low for exact integration: one of two sections, two of three. That keeps slender elements from locking. Since ε is made of
//! scalar products, it is the same in a turned world. Forces are the gradient of U: with n = σ_1…3, m = σ_4…6,
//!
//!   (B6)  ∂/∂r' = Σ n_i d_i,   ∂/∂d_1 = n_1 r' + ½ (m_2 d_3' − m_3 d_2'),   ∂/∂d_1' = ½ (m_3 d_2 − m_2 d_3),   cyclic
//!   (B7)  force on a: −Σ w_g N'_a ∂/∂r',   moment on a: −Σ_i d_i^a × Σ w_g (N_a ∂/∂d_i + N'_a ∂/∂d_i')
//!
//! Sums of (B1) are linear in r_a and d_i^a, strains bilinear in sums, the gradient bilinear in stress and sums. So the derivatives of (B7) by displacements u_b and turns
//! ϑ_b, for which δd_i^b = ϑ_b × d_i^b, are sums of the same products, exact to rounding:
//!
//!   (B8)  δσ = C (δε + τ δε̇),   δ(∂/∂x) = ∂/∂x (δσ, sums) + ∂/∂x (σ, δ sums)
//!
//! The same gradient with the stress of (B4) gives the damping; its power is −Σ w_g τ ε̇·C ε̇ [betsch2002], [romero2004].

use super::action::{Effect, Law};
use super::motion::{BodyIndex, Motion, Wrenches, motion_of};
use super::response::Response;
use crate::interactions::Interactions;
use crate::interactions::program::{Context, Scratch};
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, axpy, cross, dot, scale, sub};

/// The most sections of an element.
const MOST: usize = 3;

/// A section: which body, and its axes as drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// The body; its centre of mass is on the axis.
    pub body: BodyIndex,
    /// d_1, d_2, d_3.
    pub axes: Mat3,
}

/// An integration point of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GaussPoint {
    /// w, m.
    pub weight: f64,
    /// C
    pub stiffness: [f64; 6],
    /// (Γ, K) as drawn.
    pub drawn: [f64; 6],
    /// N_a
    pub n: [f64; MOST],
    /// N'_a, 1/m.
    pub slope: [f64; MOST],
}

/// A beam.
#[derive(Clone, Debug)]
pub struct Beam {
    /// Its sections in order.
    pub sections: Vec<Section>,
    /// Sections of an element, less one: 1 or 2.
    pub pieces: usize,
    /// Its integration points, as many for each element as it has pieces.
    pub points: Vec<GaussPoint>,
    /// τ, s.
    pub damping: f64,
    /// Whether it is in the plane.
    pub planar: bool,
}

/// A section at an instant, with what acts on it.
#[derive(Clone, Copy, Default)]
struct Placed {
    r: Vec3,
    d: Mat3,
    v: Vec3,
    w: Vec3,
    force: Vec3,
    moment: Vec3,
}

/// Sums over the sections of an element at an integration point, (B1).
#[derive(Clone, Copy, Default)]
struct Sums {
    slope: Vec3,
    d: Mat3,
    e: Mat3,
}

impl Sums {
    #[inline]
    fn of(point: &GaussPoint, count: usize, vectors: impl Fn(usize) -> (Vec3, Mat3)) -> Self {
        let mut sums = Sums::default();
        for a in 0..count {
            let (r, d) = vectors(a);
            let (n, slope) = (point.n[a], point.slope[a]);
            sums.slope = axpy(sums.slope, slope, r);
            for i in 0..3 {
                sums.d[i] = axpy(sums.d[i], n, d[i]);
                sums.e[i] = axpy(sums.e[i], slope, d[i]);
            }
        }
        sums
    }

    /// (B2), (B3)
    #[inline]
    fn strains(&self) -> [f64; 6] {
        let Sums { slope, d, e } = self;
        let bend = |i: usize, j: usize| 0.5 * (dot(e[i], d[j]) - dot(e[j], d[i]));
        [dot(d[0], *slope), dot(d[1], *slope), dot(d[2], *slope), bend(1, 2), bend(2, 0), bend(0, 1)]
    }

    /// Their rates.
    #[inline]
    fn rates(&self, v: &Sums) -> [f64; 6] {
        let stretch = |i: usize| dot(v.d[i], self.slope) + dot(self.d[i], v.slope);
        let bend = |i: usize, j: usize| {
            0.5 * (dot(v.e[i], self.d[j]) + dot(self.e[i], v.d[j])
                - dot(v.e[j], self.d[i])
                - dot(self.e[j], v.d[i]))
        };
        [stretch(0), stretch(1), stretch(2), bend(1, 2), bend(2, 0), bend(0, 1)]
    }
}

/// ∂/∂r', ∂/∂d_i and ∂/∂d_i' of (B6).
#[derive(Clone, Copy)]
struct Gradient {
    slope: Vec3,
    d: Mat3,
    e: Mat3,
}

impl Gradient {
    /// (B6) of a stress, the weight of the point counted.
    #[inline]
    fn of([n1, n2, n3, m1, m2, m3]: [f64; 6], sums: &Sums) -> Self {
        let Sums { slope, d, e } = sums;
        let (n, m) = ([n1, n2, n3], [m1, m2, m3]);
        let mut out = Gradient {
            slope: axpy(axpy(scale(n1, d[0]), n2, d[1]), n3, d[2]),
            d: [[0.0; 3]; 3],
            e: [[0.0; 3]; 3],
        };
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            out.d[i] = axpy(axpy(scale(n[i], *slope), 0.5 * m[j], e[k]), -0.5 * m[k], e[j]);
            out.e[i] = axpy(scale(0.5 * m[k], d[j]), -0.5 * m[j], d[k]);
        }
        out
    }

    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let sum = |a: &Mat3, b: &Mat3| std::array::from_fn(|i| add(a[i], b[i]));
        Gradient { slope: add(self.slope, other.slope), d: sum(&self.d, &other.d), e: sum(&self.e, &other.e) }
    }

    /// By d_i of section a.
    #[inline]
    fn at(&self, point: &GaussPoint, a: usize, i: usize) -> Vec3 {
        axpy(scale(point.n[a], self.d[i]), point.slope[a], self.e[i])
    }
}

/// Shape functions and their derivatives with respect to the length, at an abscissa from −1 to 1.
pub(crate) fn shapes(pieces: usize, x: f64, length: f64) -> ([f64; MOST], [f64; MOST]) {
    let per = 2.0 / length;
    match pieces {
        1 => ([0.5 * (1.0 - x), 0.5 * (1.0 + x), 0.0], [-0.5 * per, 0.5 * per, 0.0]),
        _ => (
            [0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)],
            [(x - 0.5) * per, -2.0 * x * per, (x + 0.5) * per],
        ),
    }
}

impl Beam {
    #[inline]
    fn placed(&self, section: usize, bodies: &[Motion]) -> Placed {
        let Section { body, axes } = &self.sections[section];
        let m = motion_of(bodies, *body);
        let d = axes.map(|axis| apply(&m.turned, axis));
        Placed { r: m.c, d, v: m.v, w: m.w, ..Placed::default() }
    }

    /// Strains at an integration point between sections as they are; relative to the drawing.
    fn strain(point: &GaussPoint, placed: &[Placed]) -> ([f64; 6], Sums) {
        let sums = Sums::of(point, placed.len(), |a| (placed[a].r, placed[a].d));
        let mut strain = sums.strains();
        strain.iter_mut().zip(&point.drawn).for_each(|(now, drawn)| *now -= drawn);
        (strain, sums)
    }

    fn rates(point: &GaussPoint, placed: &[Placed], sums: &Sums) -> [f64; 6] {
        let moving = |a: usize| (placed[a].v, placed[a].d.map(|d| cross(placed[a].w, d)));
        sums.rates(&Sums::of(point, placed.len(), moving))
    }

    /// Fills in the strains of the drawing.
    pub(crate) fn settle(&mut self, drawn: &[Vec3]) {
        let pieces = self.pieces;
        for (k, point) in self.points.iter_mut().enumerate() {
            let first = k / pieces * pieces;
            let sections = &self.sections[first..=first + pieces];
            let sums = Sums::of(point, pieces + 1, |a| (drawn[first + a], sections[a].axes));
            point.drawn = sums.strains();
        }
    }

    /// Adds what the integration points of an element do to its sections; returns power and potential.
    #[inline]
    fn act(&self, element: usize, placed: &mut [Placed]) -> Effect {
        let mut effect = Effect::default();
        for point in &self.points[element * self.pieces..][..self.pieces] {
            let (strain, sums) = Self::strain(point, placed);
            let mut stress: [f64; 6] = std::array::from_fn(|i| point.stiffness[i] * strain[i]);
            effect.potential += 0.5 * point.weight * (0..6).map(|i| stress[i] * strain[i]).sum::<f64>();
            if self.damping != 0.0 {
                let rates = Self::rates(point, placed, &sums);
                for i in 0..6 {
                    let viscous = self.damping * point.stiffness[i] * rates[i];
                    stress[i] += viscous;
                    effect.power -= point.weight * viscous * rates[i];
                }
            }
            let gradient = Gradient::of(stress.map(|s| point.weight * s), &sums);
            // (B7)
            for (a, section) in placed.iter_mut().enumerate() {
                section.force = axpy(section.force, -point.slope[a], gradient.slope);
                for i in 0..3 {
                    section.moment = sub(section.moment, cross(section.d[i], gradient.at(point, a, i)));
                }
            }
        }
        effect
    }

    /// (B8): adds how what acts on the sections of an element changes with their motions.
    fn respond(&self, element: usize, bodies: &[Motion], out: &mut Vec<Response>) {
        let count = self.pieces + 1;
        let first = element * self.pieces;
        let mut placed = [Placed::default(); MOST];
        for (a, section) in placed[..count].iter_mut().enumerate() {
            *section = self.placed(first + a, bodies);
        }
        let placed = &placed[..count];
        let mut blocks = [[Response::new(0, 0); MOST]; MOST];
        let moves: &[usize] = if self.planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        for point in &self.points[element * self.pieces..][..self.pieces] {
            let (strain, sums) = Self::strain(point, placed);
            let moving = |a: usize| (placed[a].v, placed[a].d.map(|d| cross(placed[a].w, d)));
            let rates_of_sums = Sums::of(point, count, moving);
            let rates = sums.rates(&rates_of_sums);
            let stress = std::array::from_fn(|i| {
                point.weight * point.stiffness[i] * (strain[i] + self.damping * rates[i])
            });
            let gradient = Gradient::of(stress, &sums);
            for (b, section) in placed.iter().enumerate() {
                let at_b = |r: Vec3, d: Mat3| Sums {
                    slope: scale(point.slope[b], r),
                    d: d.map(|d| scale(point.n[b], d)),
                    e: d.map(|d| scale(point.slope[b], d)),
                };
                for &k in moves {
                    let (r, d) = match k.checked_sub(3) {
                        None => (IDENTITY[k], [[0.0; 3]; 3]),
                        Some(k) => ([0.0; 3], section.d.map(|d| cross(IDENTITY[k], d))),
                    };
                    let varied = at_b(r, d);
                    let along = sums.rates(&varied);
                    let mut stretched = along;
                    if self.damping != 0.0 {
                        let turned = at_b([0.0; 3], d.map(|d| cross(section.w, d)));
                        let (by_sums, by_rates) = (varied.rates(&rates_of_sums), sums.rates(&turned));
                        for i in 0..6 {
                            stretched[i] += self.damping * (by_sums[i] + by_rates[i]);
                        }
                    }
                    let stiff = |i: usize| point.weight * point.stiffness[i];
                    let by_stress = Gradient::of(std::array::from_fn(|i| stiff(i) * stretched[i]), &sums);
                    let change = by_stress.plus(&Gradient::of(stress, &varied));
                    let viscous = (self.damping != 0.0).then(|| {
                        Gradient::of(std::array::from_fn(|i| self.damping * stiff(i) * along[i]), &sums)
                    });
                    for (a, felt) in placed.iter().enumerate() {
                        let mut put = |of_rate: bool, change: &Gradient, own: bool| {
                            let force = scale(-point.slope[a], change.slope);
                            let mut moment = [0.0; 3];
                            for i in 0..3 {
                                moment = sub(moment, cross(felt.d[i], change.at(point, a, i)));
                                if own {
                                    moment = sub(moment, cross(d[i], gradient.at(point, a, i)));
                                }
                            }
                            let block = &mut blocks[a][b];
                            let rows = if of_rate { &mut block.by_rate } else { &mut block.by_place };
                            for i in 0..3 {
                                rows[i][k] += force[i];
                                rows[3 + i][k] += moment[i];
                            }
                        };
                        put(false, &change, a == b);
                        if let Some(viscous) = &viscous {
                            put(true, viscous, false);
                        }
                    }
                }
            }
        }
        let body = |a: usize| self.sections[first + a].body;
        for (a, row) in blocks[..count].iter().enumerate() {
            for (b, block) in row[..count].iter().enumerate() {
                if let (Some(body), Some(by)) = (body(a), body(b)) {
                    out.push(Response { body, by, ..*block });
                }
            }
        }
    }

    /// Stresses at the integration points of an element, those of damping included: N, Q_2, Q_3, T, M_2, M_3; and the strains relative to the drawing.
    fn stresses(&self, element: usize, bodies: &[Motion], out: &mut [[[f64; 6]; 2]; 2]) {
        let mut placed = [Placed::default(); MOST];
        let placed = &mut placed[..=self.pieces];
        for (a, section) in placed.iter_mut().enumerate() {
            *section = self.placed(element * self.pieces + a, bodies);
        }
        for (point, out) in self.points[element * self.pieces..][..self.pieces].iter().zip(out) {
            let (strain, sums) = Self::strain(point, placed);
            let rates = Self::rates(point, placed, &sums);
            out[0] = std::array::from_fn(|i| point.stiffness[i] * (strain[i] + self.damping * rates[i]));
            out[1] = strain;
        }
    }

    /// The largest stiffness of an element against stretching, N/m.
    pub(crate) fn stiffest_stretch(&self) -> f64 {
        let of_point = |point: &GaussPoint| {
            let steepest = point.slope.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
            point.weight * point.stiffness[0] * steepest * steepest
        };
        self.points.iter().map(of_point).fold(0.0, f64::max)
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.points.len() / self.pieces
    }

    /// For each section: axial force, shear forces along axes 2 and 3, N; torsion and bending moments about axes 2 and 3, N m; and the strains that belong to them.
    /// Those of an element go on evenly from its integration points to its ends; where two elements meet, it is the mean.
    pub fn at_sections(&self, bodies: &[Motion], out: &mut Vec<[[f64; 6]; 2]>) {
        out.clear();
        out.resize(self.sections.len(), [[0.0; 6]; 2]);
        let elements = self.elements();
        for element in 0..elements {
            let mut at = [[[0.0; 6]; 2]; 2];
            self.stresses(element, bodies, &mut at);
            for a in 0..=self.pieces {
                let k = element * self.pieces + a;
                let shared = (a == 0 && element > 0) || (a == self.pieces && element + 1 < elements);
                let share = if shared { 0.5 } else { 1.0 };
                // along the line through both points, whose abscissas are ∓1/√3
                let ahead = 3f64.sqrt() * (a as f64 - 1.0);
                let weights =
                    if self.pieces == 1 { [1.0, 0.0] } else { [0.5 * (1.0 - ahead), 0.5 * (1.0 + ahead)] };
                for kind in 0..2 {
                    for i in 0..6 {
                        out[k][kind][i] +=
                            share * (weights[0] * at[0][kind][i] + weights[1] * at[1][kind][i]);
                    }
                }
            }
        }
    }
}

impl Law for Beam {
    fn apply(&self, at: &Context<'_>, _: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let bodies = at.scene.bodies;
        let mut effect = Effect::default();
        let mut placed = [Placed::default(); MOST];
        let placed = &mut placed[..=self.pieces];
        placed[0] = self.placed(0, bodies);
        for element in 0..self.elements() {
            let first = element * self.pieces;
            for a in 1..=self.pieces {
                placed[a] = self.placed(first + a, bodies);
            }
            let Effect { power, potential } = self.act(element, placed);
            effect.power += power;
            effect.potential += potential;
            for (a, section) in placed.iter().enumerate().take(self.pieces) {
                pulls.add(self.sections[first + a].body, [0.0; 3], section.force, section.moment);
            }
            placed[0] = placed[self.pieces];
        }
        let last = &placed[0];
        pulls.add(self.sections[self.sections.len() - 1].body, [0.0; 3], last.force, last.moment);
        effect
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let mut columns = vec![("axial_force.max", "N"), ("axial_force.min", "N"), ("shear_force.max", "N")];
        if !self.planar {
            columns.push(("torsion.max", "N m"));
        }
        columns.extend([("moment.max", "N m"), ("curvature.max", "1/m"), ("energy", "J")]);
        columns
    }

    fn outputs(&self, at: &Context<'_>, _: &mut Scratch, out: &mut Vec<f64>) {
        let bodies = at.scene.bodies;
        let mut axial = [f64::NEG_INFINITY, f64::INFINITY];
        let (mut shear, mut torsion, mut moment, mut curvature, mut energy) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0);
        for element in 0..self.elements() {
            let mut values = [[[0.0; 6]; 2]; 2];
            self.stresses(element, bodies, &mut values);
            for (point, [stress, strain]) in
                self.points[element * self.pieces..].iter().zip(&values[..self.pieces])
            {
                axial = [axial[0].max(stress[0]), axial[1].min(stress[0])];
                shear = shear.max(stress[1].hypot(stress[2]));
                torsion = torsion.max(stress[3].abs());
                moment = moment.max(stress[4].hypot(stress[5]));
                curvature = curvature.max(strain[4].hypot(strain[5]));
                let density: f64 = (0..6).map(|i| point.stiffness[i] * strain[i] * strain[i]).sum();
                energy += 0.5 * point.weight * density;
            }
        }
        out.extend([axial[0], axial[1], shear]);
        if !self.planar {
            out.push(torsion);
        }
        out.extend([moment, curvature, energy]);
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.sections.iter().filter_map(|section| section.body).collect()
    }

    fn groups(&self, _: &Interactions) -> Vec<Vec<usize>> {
        let group = |e: usize| &self.sections[e * self.pieces..=(e + 1) * self.pieces];
        (0..self.elements()).map(|e| group(e).iter().filter_map(|section| section.body).collect()).collect()
    }

    fn has_responses(&self) -> bool {
        true
    }

    fn responses(&self, bodies: &[Motion], out: &mut Vec<Response>) {
        (0..self.elements()).for_each(|element| self.respond(element, bodies, out));
    }

    fn without_series(&self) -> &'static str {
        "a beam is stiff"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactions::coupling::Scene;
    use crate::interactions::{BodyWrench, Interactions};
    use crate::linalg::quaternion;
    use crate::linalg::vec3::unit;

    fn turn(axis: Vec3, angle: f64) -> Mat3 {
        let (s, c) = (0.5 * angle).sin_cos();
        let a = unit(axis);
        quaternion::matrix(&[c, s * a[0], s * a[1], s * a[2]])
    }

    fn product(a: &Mat3, b: &Mat3) -> Mat3 {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    /// Two elements, drawn along x.
    fn beam(pieces: usize, damping: f64) -> Beam {
        let section = |body| Section { body: Some(body), axes: IDENTITY };
        let mut beam = Beam {
            sections: (0..=2 * pieces).map(section).collect(),
            pieces,
            points: Vec::new(),
            damping,
            planar: false,
        };
        let abscissas: &[f64] = if pieces == 1 { &[0.0] } else { &[-1.0 / 3f64.sqrt(), 1.0 / 3f64.sqrt()] };
        for x in [abscissas, abscissas].concat() {
            let (n, slope) = shapes(pieces, x, 0.5);
            let stiffness = [300.0, 120.0, 80.0, 3.0, 5.0, 7.0];
            beam.points.push(GaussPoint {
                weight: 0.5 / pieces as f64,
                stiffness,
                drawn: [0.0; 6],
                n,
                slope,
            });
        }
        let drawn = |k: usize| [0.5 * k as f64 / pieces as f64, 0.0, 0.0];
        beam.settle(&(0..=2 * pieces).map(drawn).collect::<Vec<_>>());
        beam
    }

    /// A bent, stretched, twisted and moving place.
    fn bodies(count: usize) -> Vec<Motion> {
        (0..count)
            .map(|k| {
                let x = k as f64 / (count - 1) as f64;
                Motion {
                    c: [1.1 * x, 0.4 * x * x, -0.2 * x],
                    turned: product(&turn([0.0, 0.3, 1.0], 1.1 * x), &turn([1.0, 0.2, 0.0], 0.7 * x)),
                    v: [x.sin(), 0.3 * x, -x],
                    w: [0.4, 2.0 * x, -1.0],
                }
            })
            .collect()
    }

    fn effect(beam: &Beam, bodies: &[Motion]) -> (Effect, Vec<BodyWrench>) {
        let interactions = Interactions::default();
        let scene = Scene { t: 0.0, bodies, hints: &[], holds: &[], switches: &[] };
        let at =
            Context { interactions: &interactions, scene: &scene, measures: &[], locals: &[], late: &[] };
        let mut pulls = Wrenches::default();
        let effect = beam.apply(&at, &mut Scratch::default(), &mut pulls);
        (effect, pulls.list)
    }

    /// Forces and moments are minus the gradient of the energy, and dampers take what the power says.
    #[test]
    fn cross_beam_is_the_gradient_of_its_energy() {
        for pieces in [1, 2] {
            let elastic = beam(pieces, 0.0);
            let now = bodies(2 * pieces + 1);
            let (_, pulls) = effect(&elastic, &now);
            let h = 1e-6;
            for pull in &pulls {
                for (k, axis) in IDENTITY.into_iter().enumerate() {
                    let energy = |move_by: f64, turn_by: f64| {
                        let mut moved = now.clone();
                        moved[pull.body].c = axpy(moved[pull.body].c, move_by, axis);
                        moved[pull.body].turned = product(&turn(axis, turn_by), &moved[pull.body].turned);
                        effect(&elastic, &moved).0.potential
                    };
                    let force = -(energy(h, 0.0) - energy(-h, 0.0)) / (2.0 * h);
                    let moment = -(energy(0.0, h) - energy(0.0, -h)) / (2.0 * h);
                    // rounding of the energy over h
                    assert!((force - pull.wrench.force[k]).abs() < 1e-6, "{force} {}", pull.wrench.force[k]);
                    assert!(
                        (moment - pull.wrench.moment[k]).abs() < 1e-6,
                        "{moment} {}",
                        pull.wrench.moment[k]
                    );
                }
            }
            let damped = beam(pieces, 0.02);
            let (with, damped_pulls) = effect(&damped, &now);
            let work = |pulls: &[BodyWrench]| pulls.iter().map(|p| p.power(&now)).sum::<f64>();
            let lost = work(&damped_pulls) - work(&pulls);
            assert!(with.power < -0.1 && (lost - with.power).abs() < 1e-9, "{lost} {}", with.power);
        }
    }

    /// Derivatives of forces and moments against differences of them, by places and by rates.
    #[test]
    fn cross_beam_tells_the_derivatives_of_its_wrenches() {
        for pieces in [1, 2] {
            let (beam, now) = (beam(pieces, 0.02), bodies(2 * pieces + 1));
            let mut responses = Vec::new();
            beam.responses(&now, &mut responses);
            let wrenches = |bodies: &[Motion]| {
                let mut out = vec![[0.0; 6]; bodies.len()];
                for pull in effect(&beam, bodies).1 {
                    let (f, m) = (pull.wrench.force, pull.wrench.moment);
                    out[pull.body] = [f[0], f[1], f[2], m[0], m[1], m[2]];
                }
                out
            };
            let h = 1e-6;
            let mut largest: f64 = 0.0;
            for (by, k, of_rate) in (0..now.len()).flat_map(|by| (0..12).map(move |k| (by, k % 6, k >= 6))) {
                let moved = |step: f64| {
                    let mut moved = now.clone();
                    let m = &mut moved[by];
                    let axis = IDENTITY[k % 3];
                    match (of_rate, k < 3) {
                        (false, true) => m.c = axpy(m.c, step, axis),
                        (false, false) => m.turned = product(&turn(axis, step), &m.turned),
                        (true, true) => m.v = axpy(m.v, step, axis),
                        (true, false) => m.w = axpy(m.w, step, axis),
                    }
                    wrenches(&moved)
                };
                let (ahead, behind) = (moved(h), moved(-h));
                for body in 0..now.len() {
                    for i in 0..6 {
                        let difference = (ahead[body][i] - behind[body][i]) / (2.0 * h);
                        let stated: f64 = responses
                            .iter()
                            .filter(|r| r.body == body && r.by == by)
                            .map(|r| if of_rate { r.by_rate[i][k] } else { r.by_place[i][k] })
                            .sum();
                        largest = largest.max(stated.abs());
                        assert!(
                            (stated - difference).abs() < 2e-6,
                            "{pieces} {body} {by} {i} {k} {of_rate}: {stated} {difference}"
                        );
                    }
                }
            }
            assert!(largest > 100.0, "{largest}");
        }
    }

    /// In a turned and shifted world the energy is the same, and so are the stresses.
    #[test]
    fn same_strains_in_a_turned_world() {
        let world = turn([1.0, -2.0, 0.7], 2.9);
        for pieces in [1, 2] {
            let (beam, now) = (beam(pieces, 0.0), bodies(2 * pieces + 1));
            let turned: Vec<Motion> = now
                .iter()
                .map(|m| Motion {
                    c: add(apply(&world, m.c), [3.0, -1.0, 2.0]),
                    turned: product(&world, &m.turned),
                    ..*m
                })
                .collect();
            let (first, second) = (effect(&beam, &now).0.potential, effect(&beam, &turned).0.potential);
            assert!((first - second).abs() < 1e-12 * first, "{first} {second}");
            let (mut a, mut b) = (Vec::new(), Vec::new());
            beam.at_sections(&now, &mut a);
            beam.at_sections(&turned, &mut b);
            for (a, b) in a.iter().zip(&b) {
                assert!((0..6).all(|i| (a[0][i] - b[0][i]).abs() < 1e-11 * 300.0), "{a:?} {b:?}");
            }
        }
    }
}
