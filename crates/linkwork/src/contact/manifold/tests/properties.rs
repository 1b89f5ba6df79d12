//! Properties of all pairs in space at random.

use super::*;

/// All pairs of kinds, placed so that about half of them overlap; the pair's number, both, and the bodies.
fn all_pairs(many: usize, mut each: impl FnMut(&Surface, &Surface, &[Motion], &mut Random)) {
    let mut random = Random(41);
    for _ in 0..many {
        let (first, second) = (kinds(0, &mut random), kinds(1, &mut random));
        for a in &first {
            for b in &second {
                let bodies = [random.motion(0.1), random.motion(0.6)];
                each(a, b, &bodies, &mut random);
            }
        }
    }
}

/// The signed distance is the largest σ: the deepest point has the gap of its normal, and no other direction has more.
#[test]
fn cross_gap_is_the_signed_distance() {
    let (mut worst, mut overlaps, mut count) = ([0.0_f64; 2], 0, 0);
    all_pairs(30, |a, b, bodies, random| {
        let out = points(a, b, bodies, 0.3);
        let found = searched(a, b, bodies, false, random);
        if out.is_empty() {
            assert!(found > 0.3 - 1e-9 || a.reach() + b.reach() == 0.0, "{found} {a:?} {b:?}");
            return;
        }
        let gap = least(&out);
        let own = out.iter().filter(|p| p.gap <= gap + 1e-9).map(|p| sigma(a, b, bodies, p.normal));
        let own = own.fold(f64::NEG_INFINITY, f64::max);
        overlaps += usize::from(gap < 0.0);
        count += 1;
        worst = [worst[0].max((own - gap).abs()), worst[1].max(found - gap)];
        assert!(
            (own - gap).abs() < 1e-12 && found - gap < 1e-12,
            "{gap} {own} {found}\n{a:?}\n{b:?}\n{bodies:?}"
        );
    });
    println!("{count} pairs, {overlaps} overlap; gap − σ(n) {:.1e}, search − gap {:.1e}", worst[0], worst[1]);
    assert!(overlaps > count / 4);
}

/// a and b exchanged: the same gap; the same points with normals turned round, but where faces are chosen for being the first's.
#[test]
fn same_points_with_surfaces_exchanged() {
    all_pairs(40, |a, b, bodies, _| {
        let (one, two) = (points(a, b, bodies, 0.05), points(b, a, bodies, 0.05));
        assert_eq!(one.is_empty(), two.is_empty());
        if !one.is_empty() {
            assert!((least(&one) - least(&two)).abs() < 1e-12, "{one:?}\n{two:?}");
        }
        for p in &one {
            // rims cross as circles in the plane of the reference, whichever that is
            let curved = [a, b].iter().all(|s| matches!(s.form, Form::Can(_)));
            let near = if curved && p.gap > least(&one) { 1e-3 } else { 1e-7 };
            let twin = two.iter().find(|q| norm(sub(p.point, q.point)) < near);
            let twin = twin.unwrap_or_else(|| panic!("{one:?}\n{two:?}\n{a:?}\n{b:?}"));
            assert!((p.gap - twin.gap).abs() < near, "{p:?} {twin:?}");
            assert!(norm(add(p.normal, twin.normal)) < 1e-7, "{p:?} {twin:?}");
        }
    });
}

/// The whole world turned and moved: points move along.
#[test]
fn same_points_in_a_turned_world() {
    all_pairs(40, |a, b, bodies, random| {
        let world = random.motion(3.0);
        let carried: Vec<Motion> = bodies
            .iter()
            .map(|m| {
                let columns = [0, 1, 2].map(|j| apply(&world.turned, [0, 1, 2].map(|i| m.turned[i][j])));
                let turned = [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i]));
                Motion { c: add(world.c, apply(&world.turned, m.c)), turned, ..*m }
            })
            .collect();
        let (here, there) = (points(a, b, bodies, 0.05), points(a, b, &carried, 0.05));
        assert_eq!(keys(&here), keys(&there), "{a:?} {b:?}");
        for p in &here {
            let q = there.iter().find(|q| q.key == p.key).unwrap();
            let place = add(world.c, apply(&world.turned, p.point));
            // a search ends elsewhere by rounding, but as near
            assert!(
                (p.gap - q.gap).abs() < 1e-12 && norm(sub(place, q.point)) < 1e-6,
                "{p:?} {q:?}\n{a:?}\n{b:?}"
            );
            assert!(norm(sub(apply(&world.turned, p.normal), q.normal)) < 1e-7);
        }
    });
}

/// ġ = n·(v_b − v_a) at the deepest point, by differences.
#[test]
fn cross_rate_of_the_gap() {
    let h = 1e-6;
    let (mut used, mut odd) = (0, 0);
    all_pairs(30, |a, b, bodies, _| {
        let later = |t: f64| -> Vec<Motion> {
            let moved = bodies.iter().map(|m| {
                let turn = super::turned([0.0; 3], m.w, t * norm(m.w)).turned;
                let columns = [0, 1, 2].map(|j| apply(&turn, [0, 1, 2].map(|i| m.turned[i][j])));
                let turned = [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i]));
                Motion { c: axpy(m.c, t, m.v), turned, ..*m }
            });
            moved.collect()
        };
        let out = points(a, b, bodies, 0.1);
        // where several share the gap: the one whose normal has it
        let off = |p: &ContactPoint| (sigma(a, b, bodies, p.normal) - p.gap).abs();
        let deepest = out.iter().filter(|p| p.gap < least(&out) + 1e-9);
        let Some(p) = deepest.min_by(|p, q| off(p).total_cmp(&off(q))) else { return };
        let [before, after] = [-h, h].map(|t| least(&points(a, b, &later(t), 0.2)));
        let velocity = |m: &Motion| add(m.v, cross(m.w, sub(p.point, m.c)));
        let rate = dot(p.normal, sub(velocity(&bodies[1]), velocity(&bodies[0])));
        used += 1;
        // where the deepest feature changes within the step, or several share the gap, there is no derivative
        if ((after - before) / (2.0 * h) - rate).abs() > 1e-4 {
            odd += 1;
            let name = |s: &Surface| format!("{:?}", s.form)[..5].to_string();
            println!("{} {} {} {} {:x}", name(a), name(b), (after - before) / (2.0 * h), rate, p.key);
        }
    });
    println!("{odd} of {used} at a change of features");
    assert!(used > 400 && odd * 50 < used, "{odd} of {used}");
}

/// Along a straight way the gap does not jump.
#[test]
fn keeps_gap_continuous_along_a_way() {
    all_pairs(6, |a, b, bodies, random| {
        let way = random.vector(1.0);
        let steps = 400;
        let gap = |i: i32| {
            let t = f64::from(i) / f64::from(steps) - 0.5;
            least(&points(a, b, &[bodies[0], Motion { c: axpy(bodies[1].c, t, way), ..bodies[1] }], 0.5))
                .min(0.5)
        };
        for i in 0..steps {
            // a signed distance changes by no more than the way
            let change = (gap(i + 1) - gap(i)).abs();
            assert!(change <= norm(way) / f64::from(steps) + 1e-9, "{change} at {i} {a:?} {b:?}");
        }
    });
}
