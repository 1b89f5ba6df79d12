//! Closed forms.

use super::*;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

const UP: Vec3 = [0.0, 0.0, 1.0];

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13, "{a} is not {b}");
}

/// The one point of a manifold.
fn single(out: &[ContactPoint], gap: f64, point: Vec3, normal: Vec3) {
    assert_eq!(out.len(), 1, "{out:?}");
    close(out[0].gap, gap);
    assert!(norm(sub(out[0].point, point)) < 1e-12 && norm(sub(out[0].normal, normal)) < 1e-12, "{out:?}");
}

#[test]
fn exact_round_pairs() {
    let floor = plane(UP);
    single(&points(&floor, &ball(0, 0.2), &[at([1.0, 2.0, 0.3])], 1.0), 0.1, [1.0, 2.0, 0.05], UP);
    single(
        &points(&ball(0, 0.2), &floor, &[at([1.0, 2.0, 0.1])], 1.0),
        -0.1,
        [1.0, 2.0, -0.05],
        [0.0, 0.0, -1.0],
    );
    let [one, two] = [ball(0, 0.2), ball(1, 0.3)];
    single(
        &points(&one, &two, &[at([0.0; 3]), at([0.0, 0.6, 0.0])], 1.0),
        0.1,
        [0.0, 0.25, 0.0],
        [0.0, 1.0, 0.0],
    );
    // one inside the other
    close(least(&points(&one, &two, &[at([0.0; 3]), at([0.0; 3])], 1.0)), -0.5);
    // the end of a capsule, its side, and two that cross
    let [rod, other] = [capsule(0, 1.0, 0.1), capsule(1, 1.0, 0.2)];
    let d = [0.3, 0.4, 0.0];
    let out = points(&rod, &ball(1, 0.1), &[at([0.0; 3]), at(add([1.0, 0.0, 0.0], d))], 1.0);
    single(&out, 0.3, add([1.0, 0.0, 0.0], scale(0.5, d)), scale(2.0, d));
    let out = points(&rod, &ball(1, 0.0), &[at([0.0; 3]), at([0.5, 0.0, 0.3])], 1.0);
    single(&out, 0.2, [0.5, 0.0, 0.2], UP);
    let out = points(&rod, &other, &[at([0.0; 3]), turned([0.2, 0.0, 0.25], UP, FRAC_PI_2)], 1.0);
    single(&out, -0.05, [0.2, 0.0, 0.075], UP);
    // through each other: out sideways
    let out = points(&rod, &other, &[at([0.0; 3]), turned([0.0; 3], UP, FRAC_PI_2)], 1.0);
    close(out[0].gap, -0.3);
    close(out[0].normal[2].abs(), 1.0);
    // side by side: two points
    let out = points(&rod, &other, &[at([0.0; 3]), at([0.5, 0.0, 0.25])], 1.0);
    assert_eq!(out.len(), 2);
    for (p, x) in out.iter().zip([-0.5, 1.0]) {
        close(p.gap, -0.05);
        assert!(norm(sub(p.point, [x, 0.0, 0.075])) < 1e-12 && p.normal == UP, "{p:?}");
    }
}

#[test]
fn exact_capsule_on_plane_and_box() {
    let rod = capsule(0, 1.0, 0.1);
    let out = points(&plane(UP), &rod, &[at([0.0, 0.0, 0.1])], 0.01);
    assert!(out.len() == 2 && out.iter().all(|p| p.gap.abs() < 1e-15));
    // leaning by 30°: the lower end
    let leaning = turned([0.0, 0.0, 0.6], [0.0, 1.0, 0.0], FRAC_PI_2 / 3.0);
    single(&points(&plane(UP), &rod, &[leaning], 0.01), 0.0, [0.75_f64.sqrt(), 0.0, 0.0], UP);
    // over the middle of a box, over its edge, beside its edge
    let table = cuboid(1, [0.5, 0.5, 0.5]);
    let out = points(&table, &rod, &[at([0.0, 0.0, 0.605]), at([0.0; 3])], 0.01);
    assert_eq!(out.len(), 2);
    for p in &out {
        close(p.gap, 0.005);
        close(p.point[0].abs(), 0.5);
        close(p.point[2], 0.5025);
    }
    let out = points(&table, &rod, &[at([1.2, 0.0, 0.6]), at([0.0; 3])], 0.01);
    let mut x: Vec<f64> = out.iter().map(|p| p.point[0]).collect();
    x.sort_by(f64::total_cmp);
    assert_eq!(out.len(), 2);
    close(x[0], 0.2);
    close(x[1], 0.5);
    // parallel to an edge and beside it at 45°: along the edge, two points, normal at 45°
    let place = [0.0, 0.5 + 0.1 * FRAC_1_SQRT_2, 0.5 + 0.1 * FRAC_1_SQRT_2];
    let out = points(&table, &rod, &[at(place), at([0.0; 3])], 0.01);
    assert_eq!(out.len(), 2, "{out:?}");
    for p in &out {
        assert!(
            p.gap.abs() < 1e-12 && norm(sub(p.normal, [0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2])) < 1e-9,
            "{p:?}"
        );
        close(p.point[0].abs(), 0.5);
    }
    // across an edge, tilted: one point
    let tilted = turned([0.0, 0.5, 0.5], [1.0, 0.0, 0.0], -FRAC_PI_4);
    let tilted = Motion { c: add(tilted.c, scale(0.1, unit([0.0, 1.0, 1.0]))), ..tilted };
    let across = capsule(0, 1.0, 0.1);
    let out =
        points(&table, &across, &[Motion { turned: quarter(&tilted.turned), ..tilted }, at([0.0; 3])], 0.001);
    assert_eq!(out.len(), 1, "{out:?}");
    close(out[0].gap, 0.0);
    // the core inside: out through the nearest face
    let out = points(&table, &rod, &[turned([0.0, 0.0, 0.4], UP, 0.3), at([0.0; 3])], 0.01);
    close(least(&out), -0.2);
    assert!(out.iter().all(|p| p.normal == UP));
}

/// A turn by a quarter about z before another turn.
fn quarter(m: &Mat3) -> Mat3 {
    m.map(|row| [row[1], -row[0], row[2]])
}

#[test]
fn exact_crossing_edges() {
    // two cubes on their edges, crossed: edges at z = 0.5·√2 and −0.5·√2
    let [a, b] = [cuboid(0, [0.5; 3]), cuboid(1, [0.5; 3])];
    let r = 0.5 * 2.0_f64.sqrt();
    let low = turned([0.0; 3], [1.0, 0.0, 0.0], FRAC_PI_4);
    let high = turned([0.1, 0.2, 2.0 * r - 0.01], [0.0, 1.0, 0.0], FRAC_PI_4);
    single(&points(&a, &b, &[low, high], 0.001), -0.01, [0.1, 0.0, r - 0.005], UP);
    // a corner beside an edge: no contact until they are as near as that
    let beside = [at([0.0; 3]), at([1.003, 1.004, 0.0])];
    let out = points(&a, &b, &beside, 0.004);
    assert!(out.is_empty(), "{out:?}");
    let out = points(&a, &b, &beside, 0.1);
    assert_eq!(out.len(), 2);
    for p in &out {
        assert!((p.gap - 0.005).abs() < 1e-12 && norm(sub(p.normal, [0.6, 0.8, 0.0])) < 1e-9, "{p:?}");
    }
    // corner to corner
    let out = points(&a, &b, &[at([0.0; 3]), at([1.02, 1.03, 1.06])], 0.1);
    single(&out, 0.07, [0.51, 0.515, 0.53], scale(1.0 / 0.07, [0.02, 0.03, 0.06]));
}

#[test]
fn exact_cylinders() {
    let [a, b] = [cylinder(0, 0.2, 0.5), cylinder(1, 0.3, 0.4)];
    // side on side, crossed and parallel
    let lying = |c: Vec3, about: Vec3| turned(c, about, FRAC_PI_2);
    let crossed = [lying([0.0; 3], [1.0, 0.0, 0.0]), lying([0.1, 0.2, 0.49], [0.0, 1.0, 0.0])];
    single(&points(&a, &b, &crossed, 0.01), -0.01, [0.0, 0.2, 0.195], UP);
    let parallel = [lying([0.0; 3], [1.0, 0.0, 0.0]), lying([0.0, 0.3, 0.49], [1.0, 0.0, 0.0])];
    let d = unit([0.0, 0.0, 0.49]);
    let out = points(&a, &b, &parallel, 0.01);
    assert_eq!(out.len(), 2, "{out:?}");
    let mut y: Vec<f64> = out.iter().map(|p| p.point[1]).collect();
    y.sort_by(f64::total_cmp);
    close(y[0], -0.1);
    close(y[1], 0.5);
    assert!(out.iter().all(|p| norm(sub(p.normal, d)) < 1e-9 && (p.gap + 0.01).abs() < 1e-12));
    // cap on cap, one above the other and shifted: two crossings of the rims among the points
    let out = points(&a, &b, &[at([0.0; 3]), at([0.0, 0.0, 0.9])], 0.01);
    assert!(out.len() == 8 && out.iter().all(|p| p.gap.abs() < 1e-15 && p.normal == UP));
    assert!(out.iter().all(|p| (norm([p.point[0], p.point[1], 0.0]) - 0.2).abs() < 1e-12));
    let out = points(&a, &b, &[at([0.0; 3]), at([0.3, 0.0, 0.9])], 0.01);
    let on_both = |p: &&ContactPoint| {
        let [x, y, _] = p.point;
        (x.hypot(y) - 0.2).abs() < 1e-12 && ((x - 0.3).hypot(y) - 0.3).abs() < 1e-12
    };
    assert_eq!(out.iter().filter(on_both).count(), 2, "{out:?}");
    // rim over a box: tilted by 45° above the face
    let table = cuboid(0, [0.5; 3]);
    let r = (0.3 + 0.4) * FRAC_1_SQRT_2;
    let out = points(
        &table,
        &b,
        &[at([0.0; 3]), turned([0.0, 0.0, 0.5 + r + 1e-3], [1.0, 0.0, 0.0], FRAC_PI_4)],
        0.01,
    );
    assert_eq!(out.len(), 1, "{out:?}");
    close(out[0].gap, 1e-3);
    assert_eq!(out[0].normal, UP);
    // corner of a box into the side: the box turned by 45° about z, corner edge along the cylinder's side
    let out = points(
        &table,
        &b,
        &[turned([0.0; 3], UP, FRAC_PI_4), at([0.5 * 2.0_f64.sqrt() + 0.299, 0.0, 0.0])],
        0.01,
    );
    assert_eq!(out.len(), 2, "{out:?}");
    for p in &out {
        assert!((p.gap + 1e-3).abs() < 1e-12 && norm(sub(p.normal, [1.0, 0.0, 0.0])) < 1e-9, "{p:?}");
        close(p.point[2].abs(), 0.4);
    }
    // capsule along the side of a cylinder
    let rod = capsule(1, 1.0, 0.1);
    let out = points(&a, &rod, &[lying([0.0; 3], [0.0, 1.0, 0.0]), at([0.0, 0.0, 0.3])], 0.01);
    assert_eq!(out.len(), 2, "{out:?}");
    assert!(out.iter().all(|p| p.gap.abs() < 1e-12 && (p.point[0].abs() - 0.5).abs() < 1e-12));
}

/// A cube as a hull is a box.
#[test]
fn same_hull_cube_and_box() {
    let mut random = Random(3);
    let half = [0.5, 0.3, 0.2];
    let [block, cube] = [cuboid(0, half), hull(0, &corners(half))];
    for _ in 0..300 {
        let bodies = [random.motion(0.1), random.motion(0.5)];
        for other in kinds(1, &mut random) {
            let (one, two) = (points(&block, &other, &bodies, 0.05), points(&cube, &other, &bodies, 0.05));
            assert_eq!(one.len(), two.len(), "{other:?}\n{one:?}\n{two:?} {bodies:?}");
            for p in &one {
                let near =
                    |q: &&ContactPoint| norm(sub(p.point, q.point)) < 1e-6 && (p.gap - q.gap).abs() < 1e-12;
                assert!(two.iter().any(|q| near(&q)), "{p:?} {two:?}");
            }
        }
        for p in points(&plane(UP), &block, &bodies, 0.1) {
            let twins = points(&plane(UP), &cube, &bodies, 0.1);
            assert!(twins.iter().any(|q| norm(sub(p.point, q.point)) < 1e-12));
        }
    }
}

/// A cylinder that stands on a wide box touches it, though its axis is a unit vector to rounding only.
#[test]
fn exact_cylinder_upright_on_wide_box() {
    let (floor, can) = (cuboid(0, [10.0, 6.0, 0.5]), cylinder(1, 0.1, 0.2));
    for stretch in [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0] {
        for tilt in [0.0, 1e-17, -2e-16, 1e-15] {
            let mut body = at([-5.5, 0.5, 0.7]);
            body.turned[2][2] = 1.0 + stretch * f64::EPSILON;
            body.turned[0][2] = tilt;
            let found = points(&floor, &can, &[at([0.0; 3]), body], 0.05);
            // rounding of lengths of 10 m
            assert!(least(&found).abs() < 1e-13, "{stretch} {tilt:e}: {found:?}");
        }
    }
}
