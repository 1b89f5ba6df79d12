//! Pairs in the plane.

use super::*;

fn flat_points(a: &Surface, b: &Surface, bodies: &[Motion], reach: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    manifold(a, b, bodies, true, reach, &mut out);
    check(&out, reach);
    assert!(out.iter().all(|p| p.normal[2] == 0.0 && p.point[2] == 0.0) && out.len() <= 2 + 1, "{out:?}");
    out
}

fn rectangle(body: usize, half: [f64; 2], mirrored: bool) -> Surface {
    let centre = spot(body);
    let axes = if mirrored { [IDENTITY[1], IDENTITY[0], IDENTITY[2]] } else { IDENTITY };
    Surface { at: centre, form: Form::Block(Block { centre, axes, half: [half[0], half[1], f64::INFINITY] }) }
}

fn polygon(body: usize, points: &[Vec3]) -> Surface {
    let (hull, s) = Hull::flat(points).unwrap();
    Surface { at: BodyPoint { s, ..spot(body) }, form: Form::Hull(Arc::new(hull)) }
}

fn flat_kinds(body: usize, random: &mut Random) -> Vec<Surface> {
    let cloud: Vec<Vec3> = (0..9).map(|_| [0.4 * random.next(), 0.4 * random.next(), 0.0]).collect();
    vec![
        ball(body, 0.0),
        ball(body, 0.3),
        capsule(body, 0.4, 0.15),
        rectangle(body, [0.5, 0.3], false),
        rectangle(body, [0.2, 0.6], true),
        polygon(body, &cloud),
    ]
}

fn flat_motion(random: &mut Random, size: f64) -> Motion {
    let c = [size * random.next(), size * random.next(), 0.0];
    turned(c, [0.0, 0.0, 1.0], 3.2 * random.next())
}

/// The same as in space: the largest σ; and the same with surfaces exchanged.
#[test]
fn cross_flat_gap_is_the_signed_distance() {
    let mut random = Random(47);
    let (mut count, mut overlaps) = (0, 0);
    for _ in 0..60 {
        let (first, second) = (flat_kinds(0, &mut random), flat_kinds(1, &mut random));
        for a in &first {
            for b in &second {
                let bodies = [flat_motion(&mut random, 0.1), flat_motion(&mut random, 0.7)];
                let out = flat_points(a, b, &bodies, 0.3);
                let found = searched(a, b, &bodies, true, &mut random);
                if out.is_empty() {
                    assert!(found > 0.3 - 1e-9, "{found} {a:?} {b:?}");
                    continue;
                }
                let gap = least(&out);
                let own = out.iter().filter(|p| p.gap <= gap + 1e-9).map(|p| sigma(a, b, &bodies, p.normal));
                let own = own.fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    (own - gap).abs() < 1e-12 && found - gap < 1e-12,
                    "{gap} {own} {found}\n{a:?}\n{b:?}\n{bodies:?}"
                );
                count += 1;
                overlaps += usize::from(gap < 0.0);
                let back = flat_points(b, a, &bodies, 0.3);
                assert!((least(&back) - gap).abs() < 1e-12);
            }
        }
    }
    println!("{count} pairs, {overlaps} overlap");
    assert!(overlaps > count / 4);
}

#[test]
fn keeps_points_in_the_plane() {
    let [a, b] = [rectangle(0, [0.5, 0.5], false), rectangle(1, [0.5, 0.5], true)];
    let pairs: [(Surface, Surface, Vec3, usize); 6] = [
        (a.clone(), b.clone(), [0.0, 1.0, 0.0], 2),
        (a.clone(), b.clone(), [0.3, 1.0, 0.0], 2),
        (a.clone(), rectangle(1, [0.1, 0.2], false), [0.5, 0.7, 0.0], 2),
        (a.clone(), capsule(1, 0.5, 0.1), [0.2, 0.6, 0.0], 2),
        (a.clone(), ball(1, 0.1), [0.2, 0.6, 0.0], 1),
        (plane([0.0, 1.0, 0.0]), b.clone(), [0.0, 0.5, 0.0], 2),
    ];
    let mut random = Random(19);
    for (a, b, c, count) in pairs {
        for deep in [0.0, 1e-6, -1e-6] {
            let c = axpy(c, -deep, [0.0, 1.0, 0.0]);
            let out = flat_points(&a, &b, &[at([0.0; 3]), at(c)], 1e-3);
            assert_eq!(out.len(), count, "{out:?}");
            assert!(out.iter().all(|p| (p.gap + deep).abs() < 1e-12), "{out:?}");
            for _ in 0..100 {
                let shake = [1e-9 * random.next(), 1e-9 * random.next(), 0.0];
                let shaken = [at([0.0; 3]), turned(add(c, shake), [0.0, 0.0, 1.0], 1e-9 * random.next())];
                assert_eq!(keys(&out), keys(&flat_points(&a, &b, &shaken, 1e-3)));
            }
        }
    }
}

/// A triangle's corner on a rectangle's edge; corner beside corner.
#[test]
fn exact_corners_in_the_plane() {
    let a = rectangle(0, [0.5, 0.5], false);
    let tip = polygon(1, &[[0.0; 3], [0.5, 1.0, 0.0], [-0.5, 1.0, 0.0]]);
    let out = flat_points(&a, &tip, &[at([0.0; 3]), at([0.1, 0.49, 0.0])], 1e-3);
    assert!(
        out.len() == 1 && (out[0].gap + 0.01).abs() < 1e-14 && out[0].normal == [0.0, 1.0, 0.0],
        "{out:?}"
    );
    assert!(norm(sub(out[0].point, [0.1, 0.495, 0.0])) < 1e-14);
    let out = flat_points(&a, &rectangle(1, [0.5, 0.5], false), &[at([0.0; 3]), at([1.03, 1.04, 0.0])], 0.1);
    assert!(out.len() == 1 && (out[0].gap - 0.05).abs() < 1e-14, "{out:?}");
    assert!(norm(sub(out[0].normal, [0.6, 0.8, 0.0])) < 1e-12);
}
