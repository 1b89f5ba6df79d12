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
//!
//! A second kind of element between the same sections stands in [`beam_pairs`](super::beam_pairs).

use super::action::{Effect, Law};
use super::beam_pairs::{Pair, Station};
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
    /// The first section of each element: that which the one before ends with, or another one where the beam may break.
    pub firsts: Vec<usize>,
    /// Its integration points, as many for each element as it has pieces.
    pub points: Vec<GaussPoint>,
    /// Its elements of the second kind, between neighbouring sections, made once the sections are settled.
    pub pairs: Vec<Pair>,
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
            let first = self.firsts[k / pieces];
            let sections = &self.sections[first..=first + pieces];
            let sums = Sums::of(point, pieces + 1, |a| (drawn[first + a], sections[a].axes));
            point.drawn = sums.strains();
        }
        let station = |k: usize| (drawn[k], self.sections[k].axes, [0.0; 3], [0.0; 3]);
        let pair = |k: usize| {
            let length = self.points[k].weight;
            let section = self.section_before(k);
            Pair::new(length, self.stiffness_half_way(k), &station(section), &station(section + 1))
        };
        self.pairs = (0..self.points.len()).map(pair).collect();
    }

    /// The section at the beginning of a pair.
    #[inline]
    fn section_before(&self, pair: usize) -> usize {
        self.firsts[pair / self.pieces] + pair % self.pieces
    }

    /// C half way between a section and the next, from the integration points of their element.
    fn stiffness_half_way(&self, k: usize) -> [f64; 6] {
        if self.pieces == 1 {
            return self.points[k].stiffness;
        }
        let first = k / 2 * 2;
        let [a, b] = [0, 1].map(|i| self.points[first + i].stiffness);
        // abscissas ∓1/√3, half way at ∓1/2
        let ahead = 0.5 * 3f64.sqrt() * if k == first { -1.0 } else { 1.0 };
        std::array::from_fn(|i| 0.5 * ((1.0 - ahead) * a[i] + (1.0 + ahead) * b[i]))
    }

    #[inline]
    fn station(&self, section: usize, bodies: &[Motion]) -> Station {
        let Placed { r, d, v, w, .. } = self.placed(section, bodies);
        (r, d, v, w)
    }

    /// What pairs of sections do to them, as [`act`](Self::act).
    fn act_by_pairs(&self, bodies: &[Motion], pulls: &mut Wrenches) -> Effect {
        let mut effect = Effect::default();
        for (k, pair) in self.pairs.iter().enumerate() {
            let section = self.section_before(k);
            let [a, b] = [section, section + 1].map(|section| self.station(section, bodies));
            let (ends, Effect { power, potential }) = pair.act(self.damping, &a, &b);
            effect.power += power;
            effect.potential += potential;
            for (a, (force, moment)) in ends.into_iter().enumerate() {
                pulls.add(self.sections[section + a].body, [0.0; 3], force, moment);
            }
        }
        effect
    }

    /// C ε at an integration point; or the stress given for it.
    #[inline]
    fn elastic(&self, k: usize, strain: &[f64; 6], given: &[[f64; 6]]) -> [f64; 6] {
        given
            .get(k)
            .copied()
            .unwrap_or_else(|| std::array::from_fn(|i| self.points[k].stiffness[i] * strain[i]))
    }

    /// Adds what the integration points of an element do to its sections; returns power and potential.
    #[inline]
    fn act(&self, element: usize, given: &[[f64; 6]], placed: &mut [Placed]) -> Effect {
        let mut effect = Effect::default();
        for k in element * self.pieces..(element + 1) * self.pieces {
            let point = &self.points[k];
            let (strain, sums) = Self::strain(point, placed);
            let mut stress = self.elastic(k, &strain, given);
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
    fn respond(&self, element: usize, bodies: &[Motion], given: &[[f64; 6]], out: &mut Vec<Response>) {
        let count = self.pieces + 1;
        let first = self.firsts[element];
        let mut placed = [Placed::default(); MOST];
        for (a, section) in placed[..count].iter_mut().enumerate() {
            *section = self.placed(first + a, bodies);
        }
        let placed = &placed[..count];
        let mut blocks = [[Response::new(0, 0); MOST]; MOST];
        let moves: &[usize] = if self.planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
        for k in element * self.pieces..(element + 1) * self.pieces {
            let point = &self.points[k];
            let (strain, sums) = Self::strain(point, placed);
            let moving = |a: usize| (placed[a].v, placed[a].d.map(|d| cross(placed[a].w, d)));
            let rates_of_sums = Sums::of(point, count, moving);
            let rates = sums.rates(&rates_of_sums);
            let elastic = self.elastic(k, &strain, given);
            let viscous = self.damping;
            let stress = std::array::from_fn(|i| {
                point.weight * (elastic[i] + viscous * point.stiffness[i] * rates[i])
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
            *section = self.placed(self.firsts[element] + a, bodies);
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
                let k = self.firsts[element] + a;
                let goes_on =
                    |e: usize| e + 1 < elements && self.firsts[e] + self.pieces == self.firsts[e + 1];
                let shared =
                    (a == 0 && element > 0 && goes_on(element - 1)) || (a == self.pieces && goes_on(element));
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
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let bodies = at.scene.bodies;
        if scratch.second {
            return self.act_by_pairs(bodies, pulls);
        }
        let mut effect = Effect::default();
        let mut placed = [Placed::default(); MOST];
        let placed = &mut placed[..=self.pieces];
        let elements = self.elements();
        for (element, &first) in self.firsts.iter().enumerate() {
            let begins = element == 0 || self.firsts[element - 1] + self.pieces != first;
            if begins {
                placed[0] = self.placed(first, bodies);
            }
            for a in 1..=self.pieces {
                placed[a] = self.placed(first + a, bodies);
            }
            let Effect { power, potential } = self.act(element, &scratch.stresses, placed);
            effect.power += power;
            effect.potential += potential;
            let goes_on = element + 1 < elements && self.firsts[element + 1] == first + self.pieces;
            // what the next element does to the last section comes on top
            for (a, section) in placed.iter().enumerate().take(self.pieces + usize::from(!goes_on)) {
                pulls.add(self.sections[first + a].body, [0.0; 3], section.force, section.moment);
            }
            placed[0] = placed[self.pieces];
        }
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

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let bodies = at.scene.bodies;
        let mut axial = [f64::NEG_INFINITY, f64::INFINITY];
        let (mut shear, mut torsion, mut moment, mut curvature, mut energy) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0);
        let mut values = [[[0.0; 6]; 2]; 2];
        for (k, (point, pair)) in self.points.iter().zip(&self.pairs).enumerate() {
            if !scratch.second && k % self.pieces == 0 {
                self.stresses(k / self.pieces, bodies, &mut values);
            }
            let ([stress, strain], weight, stiffness) = match scratch.second {
                true => {
                    let section = self.section_before(k);
                    let ends = [section, section + 1].map(|section| self.station(section, bodies));
                    (pair.stress(self.damping, &ends[0], &ends[1]), pair.length, &pair.stiffness)
                }
                false => (values[k % self.pieces], point.weight, &point.stiffness),
            };
            axial = [axial[0].max(stress[0]), axial[1].min(stress[0])];
            shear = shear.max(stress[1].hypot(stress[2]));
            torsion = torsion.max(stress[3].abs());
            moment = moment.max(stress[4].hypot(stress[5]));
            curvature = curvature.max(strain[4].hypot(strain[5]));
            energy += 0.5 * weight * (0..6).map(|i| stiffness[i] * strain[i] * strain[i]).sum::<f64>();
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
        let group = |first: &usize| &self.sections[*first..=first + self.pieces];
        self.firsts
            .iter()
            .map(|first| group(first).iter().filter_map(|section| section.body).collect())
            .collect()
    }

    fn has_responses(&self) -> bool {
        true
    }

    fn responses(&self, bodies: &[Motion], stresses: &[[f64; 6]], out: &mut Vec<Response>) {
        (0..self.elements()).for_each(|element| self.respond(element, bodies, stresses, out));
    }

    fn foretell(&self, bodies: &[Motion], out: &mut Vec<[f64; 6]>) {
        out.clear();
        let mut placed = [Placed::default(); MOST];
        let placed = &mut placed[..=self.pieces];
        for (k, point) in self.points.iter().enumerate() {
            if k % self.pieces == 0 {
                let first = self.firsts[k / self.pieces];
                (0..=self.pieces).for_each(|a| placed[a] = self.placed(first + a, bodies));
            }
            let (strain, sums) = Self::strain(point, placed);
            let rates = Self::rates(point, placed, &sums);
            out.push(std::array::from_fn(|i| point.stiffness[i] * (strain[i] + rates[i])));
        }
    }

    fn without_series(&self) -> &'static str {
        "a beam is stiff"
    }
}

#[cfg(test)]
mod tests;
