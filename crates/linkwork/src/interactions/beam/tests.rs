//! Forces of both kinds of elements against their energies, and derivatives of forces against differences.

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
        firsts: vec![0, pieces],
        points: Vec::new(),
        pairs: Vec::new(),
        damping,
        planar: false,
    };
    let abscissas: &[f64] = if pieces == 1 { &[0.0] } else { &[-1.0 / 3f64.sqrt(), 1.0 / 3f64.sqrt()] };
    for x in [abscissas, abscissas].concat() {
        let (n, slope) = shapes(pieces, x, 0.5);
        let stiffness = [300.0, 120.0, 80.0, 3.0, 5.0, 7.0];
        beam.points.push(GaussPoint { weight: 0.5 / pieces as f64, stiffness, drawn: [0.0; 6], n, slope });
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
    effect_of(beam, bodies, false)
}

/// By elements of the first or the second kind.
fn effect_of(beam: &Beam, bodies: &[Motion], second: bool) -> (Effect, Vec<BodyWrench>) {
    let interactions = Interactions::default();
    let scene = Scene { t: 0.0, bodies, hints: &[], holds: &[], switches: &[] };
    let at = Context { interactions: &interactions, scene: &scene, measures: &[], locals: &[], late: &[] };
    let mut pulls = Wrenches::default();
    let mut scratch = Scratch::default();
    scratch.second = second;
    let effect = beam.apply(&at, &mut scratch, &mut pulls);
    (effect, pulls.list)
}

/// Forces and moments are minus the gradient of the energy, and dampers take what the power says.
#[test]
fn cross_beam_is_the_gradient_of_its_energy() {
    for (pieces, second) in [(1, false), (2, false), (1, true), (2, true)] {
        let effect = |beam: &Beam, bodies: &[Motion]| effect_of(beam, bodies, second);
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
                assert!((moment - pull.wrench.moment[k]).abs() < 1e-6, "{moment} {}", pull.wrench.moment[k]);
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
        beam.responses(&now, &[], &mut responses);
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

/// Of a beam bent and twisted along a circle and a helix both kinds of element find the same energy the sooner the shorter they are: with l².
#[test]
fn order_of_the_second_elements() {
    let apart = [8, 16].map(|count| {
        let section = |body| Section { body: Some(body), axes: IDENTITY };
        let mut beam = beam(1, 0.0);
        beam.sections = (0..=count).map(section).collect();
        let (n, slope) = shapes(1, 0.0, 1.0 / count as f64);
        let point = GaussPoint { weight: 1.0 / count as f64, n, slope, ..beam.points[0] };
        (beam.points, beam.firsts) = (vec![point; count], (0..count).collect());
        beam.settle(&(0..=count).map(|k| [k as f64 / count as f64, 0.0, 0.0]).collect::<Vec<_>>());
        let now = bodies(count + 1);
        let [first, second] = [false, true].map(|second| effect_of(&beam, &now, second).0.potential);
        (first / second - 1.0).abs()
    });
    let order = (apart[0] / apart[1]).log2();
    assert!((1.8..2.2).contains(&order) && apart[1] < 5e-3, "{apart:?}, order {order}");
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
        for kind in [false, true] {
            let [first, second] = [&now, &turned].map(|at| effect_of(&beam, at, kind).0.potential);
            assert!((first - second).abs() < 1e-12 * first, "{first} {second}");
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        beam.at_sections(&now, &mut a);
        beam.at_sections(&turned, &mut b);
        for (a, b) in a.iter().zip(&b) {
            assert!((0..6).all(|i| (a[0][i] - b[0][i]).abs() < 1e-11 * 300.0), "{a:?} {b:?}");
        }
    }
}
