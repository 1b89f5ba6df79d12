//! The papers' own particle masses, for reading beside them; the solver uses G itself.
//!
//! [attia2005] (2.1): ten masses, four primary and six halfway between them. [attia2003] (2.1): four
//! masses in the plane, three primary and one halfway between particles 1 and 3. Single masses may be
//! negative; the equivalence is exact all the same (`exact_particles_move_as_the_body`: momentum, angular
//! momentum and kinetic energy in random rigid motions). The planar form is G with G_12 = G_23 = 0, which
//! leaves G indefinite for ordinary bodies (the platform of the 3-RRR manipulator has masses
//! −0.5, 1, −0.5 and 3). It moves alike, but an indefinite M spoils a factorisation without pivoting, so our G
//! comes from the isotropic second moments I/2 instead, which is positive for every real body.

use super::{EquivalentBody, MassProperties};
use crate::linalg::vec3::{Vec3, dot, sub};

/// Masses of primary and secondary particles.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleMasses {
    /// Primary particles, in the order of the points.
    pub primary: Vec<f64>,
    /// Secondary particles: (i, j, mass) halfway between primary particles i and j.
    pub secondary: Vec<(usize, usize, f64)>,
}

/// The masses that a Gram matrix stands for: 10 for four points, 3 for a rod.
pub fn spatial_particle_masses(body: &EquivalentBody) -> ParticleMasses {
    let g = &body.gram;
    let k = body.k();
    ParticleMasses {
        primary: (0..k)
            .map(|i| (0..k).fold(0.0, |s, j| if i == j { s + g[i][i] } else { s - g[i][j] }))
            .collect(),
        secondary: (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j, 4.0 * g[i][j]))).collect(),
    }
}

/// The four masses of \[attia2003\] for a planar body with primary points r_1, r_2, r_3: three primary
/// and one halfway between 1 and 3. `None` if the points lie on one line.
///
/// With p, q the coordinates of the centre of mass and of each point along r_3 − r_1 and across it, the
/// system decouples: the middle particle is the only one that the four conditions leave open.
pub fn planar_particle_masses(points: [Vec3; 3], properties: &MassProperties) -> Option<ParticleMasses> {
    let [r1, r2, r3] = points;
    let (e, d) = (sub(r2, r1), sub(r3, r1));
    let det = e[0] * d[1] - e[1] * d[0];
    if det == 0.0 {
        return None;
    }
    // Σm_i x_i = m c relative to r_1, with weights n2 of particle 2 and n3 = m_3 + m_4/2 of the line 1-3
    let c = sub(properties.com, r1);
    let m = properties.mass;
    let n2 = m * (c[0] * d[1] - c[1] * d[0]) / det;
    let n3 = m * (e[0] * c[1] - e[1] * c[0]) / det;
    // Σm_i x_i² = I_zz + m c²: m_2 e² + m_3 d² + m_4 d²/4, with m_3 = n3 − m_4/2
    let about_1 = properties.inertia_about_com[2][2] + m * dot(c, c);
    let (e2, d2) = (dot(e, e), dot(d, d));
    let m4 = 4.0 * (n3 * d2 + n2 * e2 - about_1) / d2;
    let m3 = n3 - 0.5 * m4;
    Some(ParticleMasses { primary: vec![m - n2 - m3 - m4, n2, m3], secondary: vec![(0, 2, m4)] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Dimension;
    use crate::linalg::vec3::{add, axpy, cross, norm, scale};
    use crate::particles::Candidate;
    use nalgebra::{DMatrix, DVector};

    /// The 10x10 system (2.1) of [attia2005], solved as it stands.
    #[test]
    fn paper_ten_particles() {
        let at = [[0.1, -0.2, 0.3], [1.2, 0.1, -0.2], [-0.3, 0.9, 0.1], [0.2, 0.3, 1.4]];
        let inertia = [[0.9, 0.1, -0.05], [0.1, 0.7, 0.02], [-0.05, 0.02, 0.6]];
        let properties = MassProperties { mass: 2.5, com: [0.3, 0.25, 0.4], inertia_about_com: inertia };
        let candidates = at.map(|at| Candidate { at, joint: true });
        let body = EquivalentBody::new(properties.clone(), &candidates, Dimension::Spatial);
        let masses = spatial_particle_masses(&body);

        let mut places: Vec<Vec3> = body.at.clone();
        for &(i, j, _) in &masses.secondary {
            places.push(std::array::from_fn(|c| 0.5 * (body.at[i][c] + body.at[j][c])));
        }
        // moments and products (sum of m x y, the paper's sign) about the origin of the frame
        let (m, c) = (properties.mass, properties.com);
        let i0 = |a: usize, b: usize| {
            if a == b {
                inertia[a][a] + m * (dot(c, c) - c[a] * c[a])
            } else {
                -inertia[a][b] + m * c[a] * c[b]
            }
        };
        let conditions: [fn(&Vec3) -> f64; 10] = [
            |_| 1.0,
            |x| x[0],
            |x| x[1],
            |x| x[2],
            |x| x[1] * x[1] + x[2] * x[2],
            |x| x[0] * x[0] + x[2] * x[2],
            |x| x[0] * x[0] + x[1] * x[1],
            |x| x[0] * x[1],
            |x| x[0] * x[2],
            |x| x[1] * x[2],
        ];
        let values =
            [m, m * c[0], m * c[1], m * c[2], i0(0, 0), i0(1, 1), i0(2, 2), i0(0, 1), i0(0, 2), i0(1, 2)];
        let matrix = DMatrix::from_fn(10, 10, |r, k| conditions[r](&places[k]));
        let right = DVector::from_row_slice(&values);
        let solved = matrix.lu().solve(&right).unwrap();
        let ours = masses.primary.iter().copied().chain(masses.secondary.iter().map(|s| s.2));
        for (i, (a, b)) in ours.zip(solved.iter()).enumerate() {
            assert!((a - b).abs() < 1e-11, "particle {i}: {a} {b}");
        }
    }

    /// The 4x4 system (2.1) of [attia2003], solved as it stands, and the reference's figures for the
    /// platform of side 2 m: −0.5, 1, −0.5 and 3 kg.
    #[test]
    fn paper_four_particles() {
        let h = 3.0_f64.sqrt();
        let platform = [[-1.0, -h / 3.0, 0.0], [1.0, -h / 3.0, 0.0], [0.0, 2.0 * h / 3.0, 0.0]];
        let skew = [[0.2, 0.1, 0.0], [1.5, -0.3, 0.0], [0.4, 1.1, 0.0]];
        for (points, com, m, i) in [(platform, [0.0; 3], 3.0, 1.0), (skew, [0.9, 0.4, 0.0], 2.0, 0.7)] {
            let mut inertia_about_com = [[0.0; 3]; 3];
            inertia_about_com[2][2] = i;
            let properties = MassProperties { mass: m, com, inertia_about_com };
            let masses = planar_particle_masses(points, &properties).unwrap();
            let mut places = points.to_vec();
            places.push(std::array::from_fn(|c| 0.5 * (points[0][c] + points[2][c])));
            let matrix = DMatrix::from_fn(4, 4, |r, k| match r {
                0 => 1.0,
                1 => places[k][0],
                2 => places[k][1],
                _ => dot(places[k], places[k]),
            });
            let right = DVector::from_vec(vec![m, m * com[0], m * com[1], i + m * dot(com, com)]);
            let solved = matrix.lu().solve(&right).unwrap();
            let ours = masses.primary.iter().copied().chain([masses.secondary[0].2]);
            for (a, b) in ours.zip(solved.iter()) {
                assert!((a - b).abs() < 1e-13, "{masses:?} {solved}");
            }
        }
        let mut inertia_about_com = [[0.0; 3]; 3];
        inertia_about_com[2][2] = 1.0;
        let properties = MassProperties { mass: 3.0, com: [0.0; 3], inertia_about_com };
        let masses = planar_particle_masses(platform, &properties).unwrap();
        for (a, b) in masses.primary.iter().chain([&masses.secondary[0].2]).zip([-0.5, 1.0, -0.5, 3.0]) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    /// Numbers from -1 to 1, the same every time.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
        fn vector(&mut self, columns: usize) -> Vec3 {
            std::array::from_fn(|c| if c < columns { self.next() } else { 0.0 })
        }
    }

    /// Σm v, Σm r × v and ½ Σm v² of particles and of the body, and the sums of sizes that rounding goes with.
    fn compare(
        particles: &[(Vec3, f64)],
        body: &MassProperties,
        velocity: &dyn Fn(Vec3) -> Vec3,
        w: Vec3,
    ) -> [f64; 3] {
        let v = velocity(body.com);
        let spin = crate::linalg::vec3::apply(&body.inertia_about_com, w);
        let momentum = scale(body.mass, v);
        let angular = add(cross(body.com, momentum), spin);
        let energy = 0.5 * body.mass * dot(v, v) + 0.5 * dot(w, spin);
        let (mut p, mut l, mut t) = ([0.0; 3], [0.0; 3], 0.0);
        let mut sizes = [0.0; 3];
        for &(r, m) in particles {
            let v = velocity(r);
            p = axpy(p, m, v);
            l = axpy(l, m, cross(r, v));
            t += 0.5 * m * dot(v, v);
            sizes[0] += m.abs() * norm(v);
            sizes[1] += m.abs() * norm(r) * norm(v);
            sizes[2] += 0.5 * m.abs() * dot(v, v);
        }
        [norm(sub(p, momentum)) / sizes[0], norm(sub(l, angular)) / sizes[1], (t - energy).abs() / sizes[2]]
    }

    /// The ten particles of [attia2005], the four of [attia2003] and our own six in the plane have the momentum, the angular
    /// momentum and the kinetic energy of the body in every rigid motion: 300 random bodies and motions of each kind.
    #[test]
    fn exact_particles_move_as_the_body() {
        let mut random = Random(7);
        let mut worst = [[0.0_f64; 3]; 3];
        let mut done = [0; 3];
        while done[0] < 300 || done[1] < 300 {
            // a real body: a cloud of eight masses
            let planar = done[0] >= 300;
            let columns = if planar { 2 } else { 3 };
            let cloud: Vec<(Vec3, f64)> =
                (0..8).map(|_| (random.vector(columns), 0.6 + 0.5 * random.next())).collect();
            let mass: f64 = cloud.iter().map(|c| c.1).sum();
            let com = cloud.iter().fold([0.0; 3], |s, c| axpy(s, c.1 / mass, c.0));
            let mut inertia_about_com = [[0.0; 3]; 3];
            for &(x, m) in &cloud {
                let y = sub(x, com);
                for r in 0..3 {
                    for c in 0..3 {
                        inertia_about_com[r][c] += m * (if r == c { dot(y, y) } else { 0.0 } - y[r] * y[c]);
                    }
                }
            }
            let body = MassProperties { mass, com, inertia_about_com };
            let points: Vec<Vec3> = (0..columns + 1).map(|_| random.vector(columns)).collect();
            let w = if planar { [0.0, 0.0, 3.0 * random.next()] } else { scale(3.0, random.vector(3)) };
            let v0 = random.vector(columns);
            let velocity = |x: Vec3| add(v0, cross(w, x));
            let dimension = if planar { Dimension::Planar } else { Dimension::Spatial };
            let candidates: Vec<Candidate> = points.iter().map(|&at| Candidate { at, joint: true }).collect();
            let first: Vec<usize> = (0..points.len()).collect();
            let arms: Vec<Vec3> = points[1..].iter().map(|&x| sub(x, points[0])).collect();
            let volume =
                if planar { cross(arms[0], arms[1])[2] } else { dot(cross(arms[0], arms[1]), arms[2]) };
            // flat sets of points lose digits, as they must
            if volume.abs() < 0.2 {
                continue;
            }
            let equivalent = EquivalentBody::with_primaries(body.clone(), &candidates, &first, dimension);
            assert_eq!(equivalent.at, points);
            let places = |masses: &ParticleMasses| -> Vec<(Vec3, f64)> {
                let primary = points.iter().copied().zip(masses.primary.iter().copied());
                let middle = |&(i, j, m): &(usize, usize, f64)| (scale(0.5, add(points[i], points[j])), m);
                primary.chain(masses.secondary.iter().map(middle)).collect()
            };
            let mut reported = |kind: usize, masses: ParticleMasses| {
                let off = compare(&places(&masses), &body, &velocity, w);
                (0..3).for_each(|q| worst[kind][q] = worst[kind][q].max(off[q]));
                done[kind] += 1;
            };
            match planar {
                false => reported(0, spatial_particle_masses(&equivalent)),
                true => {
                    reported(1, planar_particle_masses([points[0], points[1], points[2]], &body).unwrap());
                    reported(2, spatial_particle_masses(&equivalent));
                }
            }
        }
        println!(
            "largest differences of momentum, angular momentum and kinetic energy, relative to the sums of their sizes:"
        );
        for (kind, off) in
            ["ten particles in space", "four particles in the plane", "six particles in the plane"]
                .iter()
                .zip(worst)
        {
            println!("  {kind}: {:.1e} {:.1e} {:.1e}", off[0], off[1], off[2]);
            // the masses come from an inverse of condition 100 at most
            assert!(off.iter().all(|x| *x < 1e-13), "{kind}: {off:?}");
        }
    }

    /// A uniform rod is 1/6, 2/3 (middle), 1/6 for any length.
    #[test]
    fn paper_rod_particles() {
        let mut inertia_about_com = [[0.0; 3]; 3];
        inertia_about_com[1][1] = 0.75;
        inertia_about_com[2][2] = 0.75;
        let properties = MassProperties { mass: 1.0, com: [1.5, 0.0, 0.0], inertia_about_com };
        let ends = [[0.0; 3], [3.0, 0.0, 0.0]].map(|at| Candidate { at, joint: true });
        for dimension in [Dimension::Planar, Dimension::Spatial] {
            let masses = spatial_particle_masses(&EquivalentBody::new(properties.clone(), &ends, dimension));
            let all: Vec<f64> = masses.primary.iter().copied().chain([masses.secondary[0].2]).collect();
            for (a, b) in all.iter().zip([1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0]) {
                assert!((a - b).abs() < 1e-15, "{all:?}");
            }
        }
    }
}
