//! Bodies at rest: as many points as the patch has corners, the same from frame to frame.

use super::*;
use std::f64::consts::FRAC_PI_2;

const UP: Vec3 = [0.0, 0.0, 1.0];

/// Keys of a pair while both bodies shake by 1e-9; they must not change.
fn steady(a: &Surface, b: &Surface, bodies: &[Motion], count: usize) -> Vec<ContactPoint> {
    let mut random = Random(17);
    let out = points(a, b, bodies, 1e-3);
    assert_eq!(out.len(), count, "{out:#?}");
    for _ in 0..200 {
        let shaken: Vec<Motion> = bodies
            .iter()
            .map(|m| {
                let turn = turned([0.0; 3], random.vector(1.0), 1e-9 * random.next()).turned;
                let columns = [0, 1, 2].map(|j| apply(&turn, [0, 1, 2].map(|i| m.turned[i][j])));
                let turned = [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i]));
                Motion { c: add(m.c, random.vector(1e-9)), turned, ..*m }
            })
            .collect();
        let now = points(a, b, &shaken, 1e-3);
        assert_eq!(keys(&out), keys(&now), "{out:#?} {now:#?}");
        for p in &out {
            let q = now.iter().find(|q| q.key == p.key).unwrap();
            assert!((p.gap - q.gap).abs() < 1e-8 && norm(sub(p.point, q.point)) < 1e-7, "{p:?} {q:?}");
            assert!(norm(sub(p.normal, q.normal)) < 1e-7);
        }
    }
    out
}

#[test]
fn keeps_points_of_boxes() {
    let [a, b] = [cuboid(0, [0.5; 3]), cuboid(1, [0.5; 3])];
    steady(&plane(UP), &a, &[at([0.0, 0.0, 0.5])], 4);
    // flush, shifted, smaller, turned by 45°, and each with a little overlap
    for deep in [0.0, 1e-6, -1e-6] {
        let on = |x: f64, y: f64| [at([0.0; 3]), at([x, y, 1.0 - deep])];
        for bodies in [on(0.0, 0.0), on(0.25, 0.0), on(0.25, 0.3), on(-0.4, 0.0)] {
            let out = steady(&a, &b, &bodies, 4);
            assert!(out.iter().all(|p| (p.gap + deep).abs() < 1e-12 && (p.normal[2] - 1.0).abs() < 1e-12));
            steady(&b, &a, &bodies, 4);
        }
        let small = cuboid(1, [0.2, 0.3, 0.5]);
        steady(&a, &small, &on(0.1, 0.1), 4);
        let out = steady(&a, &b, &[at([0.0; 3]), turned([0.0, 0.0, 1.0 - deep], UP, 0.5 * FRAC_PI_2)], 8);
        // an octagon: corners of neither are in it
        assert!(out.iter().all(|p| p.point[0].abs().max(p.point[1].abs()) < 0.5 + 1e-12));
    }
}

#[test]
fn keeps_points_of_hulls() {
    let half = [0.5; 3];
    let [a, b] = [hull(0, &corners(half)), hull(1, &corners(half))];
    steady(&plane(UP), &a, &[at([0.0, 0.0, 0.5])], 4);
    for deep in [1e-6, 0.0, -1e-6] {
        for (x, y) in [(0.0, 0.0), (0.25, 0.3), (-0.4, 0.0)] {
            steady(&a, &b, &[at([0.0; 3]), at([x, y, 1.0 - deep])], 4);
            steady(&cuboid(0, half), &b, &[at([0.0; 3]), at([x, y, 1.0 - deep])], 4);
        }
    }
    // a prism of many sides has eight points
    let prism: Vec<Vec3> = (0..60)
        .map(|i| {
            let (y, x) = (std::f64::consts::TAU * f64::from(i / 2) / 30.0).sin_cos();
            [0.2 * x, 0.2 * y, if i % 2 == 0 { 0.1 } else { -0.1 }]
        })
        .collect();
    let out = points(&plane(UP), &hull(0, &prism), &[at([0.0, 0.0, 0.1])], 1e-3);
    assert_eq!(out.len(), 8);
    let moment = |d: Vec3| out.iter().map(|p| dot(d, p.point)).fold(f64::NEG_INFINITY, f64::max);
    // it holds what the patch holds, but for the rounding of its outline
    assert!((0..40).all(|i| moment([f64::from(i).cos(), f64::from(i).sin(), 0.0]) > 0.85 * 0.2));
}

#[test]
fn keeps_points_of_cylinders() {
    let can = cylinder(1, 0.2, 0.5);
    let table = cuboid(0, [1.0, 1.0, 0.5]);
    for deep in [0.0, 1e-6, -1e-6] {
        let standing = at([0.1, 0.0, 1.0 - deep]);
        let out = steady(&table, &can, &[at([0.0; 3]), standing], 8);
        assert!(out.iter().all(|p| (p.gap + deep).abs() < 1e-8));
        steady(&can, &table, &[at([0.0; 3]), standing], 8);
        let lying = turned([0.1, 0.0, 0.7 - deep], [1.0, 0.0, 0.0], FRAC_PI_2);
        steady(&table, &can, &[at([0.0; 3]), lying], 2);
        // over the edge of the table: an end on it, and the edge itself
        let over = turned([0.1, 0.8, 0.7 - deep], [1.0, 0.0, 0.0], FRAC_PI_2);
        let out = steady(&table, &can, &[at([0.0; 3]), over], 2);
        let mut y: Vec<f64> = out.iter().map(|p| p.point[1]).collect();
        y.sort_by(f64::total_cmp);
        assert!((y[0] - 0.3).abs() < 1e-9 && (y[1] - 1.0).abs() < 1e-9, "{y:?}");
        // a stack of two
        let other = cylinder(0, 0.2, 0.5);
        steady(&other, &can, &[at([0.0; 3]), at([0.0, 0.0, 1.0 - deep])], 8);
        // half over the edge of the table
        steady(&table, &can, &[at([0.0; 3]), at([0.95, 0.0, 1.0 - deep])], 7);
    }
    let floor = plane(UP);
    let can = cylinder(0, 0.2, 0.5);
    steady(&floor, &can, &[at([0.0, 0.0, 0.5])], 8);
    steady(&floor, &can, &[turned([0.0, 0.0, 0.2], [1.0, 0.0, 0.0], FRAC_PI_2)], 2);
    // on its rim: one point, the lowest
    let s = 0.4_f64;
    let height = 0.5 * s.cos() + 0.2 * s.sin();
    let out = steady(&floor, &can, &[turned([0.0, 0.0, height], [1.0, 0.0, 0.0], s)], 1);
    assert!(out[0].gap.abs() < 1e-14);
}

#[test]
fn keeps_points_of_capsules() {
    let rod = capsule(1, 0.5, 0.1);
    let table = cuboid(0, [1.0, 1.0, 0.5]);
    for deep in [0.0, 1e-6, -1e-6] {
        steady(&table, &rod, &[at([0.0; 3]), at([0.1, 0.0, 0.6 - deep])], 2);
        steady(&table, &rod, &[at([0.0; 3]), at([0.8, 0.0, 0.6 - deep])], 2);
        steady(&capsule(0, 0.5, 0.1), &rod, &[at([0.0; 3]), at([0.2, 0.0, 0.2 - deep])], 2);
        steady(&hull(0, &corners([1.0, 1.0, 0.5])), &rod, &[at([0.0; 3]), at([0.1, 0.0, 0.6 - deep])], 2);
    }
}

/// Surfaces that are farther apart than the reach have no points.
#[test]
fn reaches_of_zero_and_far_surfaces_give_nothing() {
    let mut random = Random(9);
    for a in kinds(0, &mut random) {
        for b in kinds(1, &mut random) {
            assert!(points(&a, &b, &[at([0.0; 3]), at([5.0, 0.0, 0.0])], 1.0).is_empty());
            assert!(points(&a, &b, &[at([0.0; 3]), at([1.6, 0.0, 0.0])], 0.0).is_empty());
        }
        assert!(points(&plane(UP), &a, &[at([0.0, 0.0, 3.0])], 0.1).is_empty());
    }
}

/// A hull whose lower face has this many corners.
fn prism(body: usize, corners: usize, random: &mut Random) -> Surface {
    let mut list = Vec::new();
    for k in 0..corners {
        let angle = std::f64::consts::TAU * k as f64 / corners as f64;
        let radius = 0.3 + if corners.is_multiple_of(2) { 0.0 } else { 0.02 * random.next() };
        let at = [radius * angle.cos(), radius * angle.sin()];
        list.extend([[at[0], at[1], -0.25], [0.8 * at[0], 0.8 * at[1], 0.25]]);
    }
    hull(body, &list)
}

/// Faces on faces at random places and turned at random, flush or a little apart or in each other: the same points with the same normals while both bodies shake.
#[test]
fn keeps_points_of_faces_at_random() {
    let mut random = Random(41);
    let table = |kind: usize| match kind {
        0 => (plane(UP), 0.0),
        1 => (cuboid(0, [0.6, 0.5, 0.4]), 0.4),
        2 => (cylinder(0, 0.5, 0.3), 0.3),
        _ => (hull(0, &corners([0.5, 0.6, 0.3])), 0.3),
    };
    let (mut cases, mut seen) = (0, 0);
    for round in 0..12 {
        let tops = [
            (cuboid(1, [0.3, 0.2, 0.25]), 0.25),
            (cuboid(1, [0.6, 0.5, 0.25]), 0.25),
            (cylinder(1, 0.3, 0.25), 0.25),
            (prism(1, 4, &mut random), 0.25),
            (prism(1, 7, &mut random), 0.25),
            (prism(1, 12, &mut random), 0.25),
            (prism(1, 16, &mut random), 0.25),
        ];
        for kind in 0..4 {
            for (top, height) in &tops {
                let (base, level) = table(kind);
                let deep = [0.0, 1e-7, -1e-7][round % 3];
                let [x, y, _] = random.vector(0.3);
                let up = level + height - deep;
                let yaw = if round % 4 == 3 { 0.0 } else { 3.0 * random.next() };
                let bodies = [at([0.0; 3]), turned([x, y, up], UP, yaw)];
                let out = points(&base, top, &bodies, 1e-3);
                assert!(out.len() >= 3, "{kind} {top:?} {bodies:?} {out:?}");
                steady(&base, top, &bodies, out.len());
                if kind > 0 {
                    steady(top, &base, &bodies, points(top, &base, &bodies, 1e-3).len());
                }
                (cases, seen) = (cases + 1, seen + out.len());
            }
        }
    }
    println!("{cases} places, {seen} points");
}
