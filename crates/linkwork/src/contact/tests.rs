//! Every feature against differences, closed forms and each other.

use super::*;
use crate::interactions::{BodyPoint, Direction, Motion};
use crate::linalg::quaternion;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, axpy, cross, dot, norm, scale, sub, unit};

/// Numbers from -1 to 1, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self, size: f64) -> Vec3 {
        std::array::from_fn(|_| size * self.next())
    }
    fn turn(&mut self) -> Mat3 {
        let mut q: Vec<f64> = (0..4).map(|_| self.next()).collect();
        quaternion::normalise(&mut q);
        quaternion::matrix(&q)
    }
    fn motion(&mut self, c: Vec3) -> Motion {
        Motion { c, turned: self.turn(), v: self.vector(1.0), w: self.vector(1.5) }
    }
}

/// A rotation by a vector.
fn turned_by(w: Vec3, m: &Mat3) -> Mat3 {
    let angle = norm(w);
    let u = unit(w);
    let turn = |x: Vec3| {
        let (s, c) = angle.sin_cos();
        add(add(scale(c, x), scale(s, cross(u, x))), scale((1.0 - c) * dot(u, x), u))
    };
    let columns: [Vec3; 3] = std::array::from_fn(|j| turn([m[0][j], m[1][j], m[2][j]]));
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}

/// Where bodies are after a while without accelerations.
fn later(bodies: &[Motion], t: f64) -> Vec<Motion> {
    let step =
        |m: &Motion| Motion { c: axpy(m.c, t, m.v), turned: turned_by(scale(t, m.w), &m.turned), ..*m };
    bodies.iter().map(step).collect()
}

/// Value, first and second derivative at zero by central differences of fourth order.
fn differences(f: impl Fn(f64) -> f64) -> [f64; 3] {
    let h = 5e-4;
    let [a, b, o, c, d] = [f(-2.0 * h), f(-h), f(0.0), f(h), f(2.0 * h)];
    [o, (a - 8.0 * b + 8.0 * c - d) / (12.0 * h), (-a + 16.0 * b - 30.0 * o + 16.0 * c - d) / (12.0 * h * h)]
}

/// The largest errors of rate, bias, ṗ and ṅ, and of (T1).
fn errors(feature: &Feature, bodies: &[Motion]) -> [f64; 5] {
    let touch = feature.touch(bodies);
    let at = |t: f64| feature.touch(&later(bodies, t));
    let [_, rate, bias] = differences(|t| at(t).gap);
    let vector =
        |pick: fn(&Touch) -> Vec3| -> Vec3 { std::array::from_fn(|i| differences(|t| pick(&at(t))[i])[1]) };
    let p_dot = vector(|t| t.point);
    let n_dot = vector(|t| t.normal);
    let [a, b] = feature.bodies().map(|body| {
        let m = crate::interactions::motion_of(bodies, body);
        add(m.v, cross(m.w, sub(touch.point, m.c)))
    });
    let material = dot(touch.normal, sub(b, a));
    [
        (touch.rate - rate).abs(),
        (touch.bias - bias).abs(),
        norm(sub(touch.point_rate, p_dot)),
        norm(sub(touch.normal_rate, n_dot)),
        (touch.rate - material).abs(),
    ]
}

fn spot(body: usize, s: Vec3) -> BodyPoint {
    BodyPoint { body: Some(body), s }
}

/// Compares a feature on many motions; those near a change of region are left out by `smooth`.
fn compare(name: &str, many: usize, mut make: impl FnMut(&mut Random) -> (Feature, Vec<Motion>)) {
    let mut random = Random(7);
    let mut worst = [0.0_f64; 5];
    let mut used = 0;
    for _ in 0..many {
        let (feature, bodies) = make(&mut random);
        // the second derivative jumps where regions meet: a motion that crosses one has no difference to compare with
        let normal = |t: f64| feature.touch(&later(&bodies, t)).normal_rate;
        let jump = [-1, 1].map(|s| norm(sub(normal(f64::from(s) * 1e-3), normal(0.0))));
        // nor has one near a singular place, such as a cylinder that is about to stand
        let fast = norm(feature.touch(&bodies).point_rate) > 5.0;
        let within = [-1e-3, 0.0, 1e-3].iter().all(|&t| feature.beyond(&later(&bodies, t)) < 0.0);
        if jump[0].max(jump[1]) > 0.04 || fast || !within {
            continue;
        }
        used += 1;
        assert!((norm(feature.touch(&bodies).normal) - 1.0).abs() < 1e-14);
        for (w, e) in worst.iter_mut().zip(errors(&feature, &bodies)) {
            *w = w.max(e);
        }
    }
    println!(
        "{name}: {used} of {many}; rate, bias, point rate, normal rate, (T1): {}",
        worst.map(|e| format!("{e:.1e}")).join(" ")
    );
    assert!(used > many / 100, "{name}: only {used} motions");
    // differences: h⁴ times a sixth derivative, and rounding over h²
    assert!(worst[0] < 1e-7 && worst[1] < 1e-5 && worst[2] < 1e-6 && worst[3] < 1e-6, "{name}: {worst:?}");
    assert!(worst[4] < 1e-13, "{name}: {worst:?}");
}

fn block(random: &mut Random, body: usize) -> Block {
    let axes = random.turn();
    Block { centre: spot(body, random.vector(0.2)), axes, half: [0.5, 0.3, 0.4] }
}

fn can(random: &mut Random, body: usize) -> Can {
    let axis = unit(random.vector(1.0));
    Can { centre: spot(body, random.vector(0.2)), axis, radius: 0.4, half: 0.3 }
}

fn two(random: &mut Random, apart: f64) -> Vec<Motion> {
    let (a, b) = (random.vector(0.3), random.vector(apart));
    vec![random.motion(a), random.motion(b)]
}

#[test]
fn cross_rates_of_balls_meet_differences() {
    compare("ball on plane", 300, |random| {
        let bodies = two(random, 1.0);
        let normal = Direction { body: Some(0), u: unit(random.vector(1.0)) };
        let (plane, centre) = (spot(0, random.vector(0.5)), spot(1, random.vector(0.5)));
        (Feature::BallOnPlane { plane, normal, centre, radius: 0.2 }, bodies)
    });
    compare("balls", 300, |random| {
        let bodies = two(random, 2.0);
        let (first, second) = (spot(0, random.vector(0.5)), spot(1, random.vector(0.5)));
        (Feature::Balls { first, second, radii: [0.1, 0.3] }, bodies)
    });
    compare("ball on box", 3000, |random| {
        let bodies = two(random, 1.5);
        let centre = spot(1, random.vector(0.2));
        (Feature::BallOnBox { block: block(random, 0), centre, radius: 0.1 }, bodies)
    });
    compare("ball on cylinder", 3000, |random| {
        let bodies = two(random, 1.5);
        let centre = spot(1, random.vector(0.2));
        (Feature::BallOnCylinder { can: can(random, 0), centre, radius: 0.1 }, bodies)
    });
}

#[test]
fn cross_rates_of_rims_meet_differences() {
    compare("rim on plane", 300, |random| {
        let bodies = two(random, 1.0);
        let normal = Direction { body: Some(0), u: unit(random.vector(1.0)) };
        let can = can(random, 1);
        let plane = spot(0, random.vector(0.5));
        let (cap, axis) = (can.cap(1), can.direction());
        (Feature::RimOnPlane { plane, normal, cap, axis, radius: can.radius }, bodies)
    });
}

#[test]
fn cross_rates_of_boxes_meet_differences() {
    let mut number = 0;
    compare("corner on box", 4000, |random| {
        number += 1;
        let bodies = two(random, 1.2);
        let (block, other) = (block(random, 0), block(random, 1));
        (
            Feature::CornerOnBox { block, other, corner: other.corner(number % 8), border: number % 2 == 0 },
            bodies,
        )
    });
    compare("edges of boxes", 40_000, |random| {
        number += 1;
        let bodies = two(random, 1.2);
        let blocks = [block(random, 0), block(random, 1)];
        (Feature::EdgesOfBoxes { blocks, number: number % 16 }, bodies)
    });
}

/// Points of a solid on a grid.
fn distance_by_grid(inside: impl Fn(Vec3) -> Vec3, p: Vec3) -> f64 {
    let n = 40;
    let mut best = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n {
            for k in 0..=n {
                let x = [i, j, k].map(|i| 2.0 * f64::from(i) / f64::from(n) - 1.0);
                best = best.min(norm(sub(inside(x), p)));
            }
        }
    }
    best
}

/// Outside a solid the gap is the distance to its nearest point, whichever region that is in.
#[test]
fn cross_gaps_are_true_distances() {
    let still = [Motion::FIXED, Motion::FIXED];
    let mut random = Random(3);
    let b = Block { centre: spot(0, [0.0; 3]), axes: IDENTITY, half: [0.5, 0.3, 0.4] };
    let c = Can { centre: spot(0, [0.0; 3]), axis: [0.0, 0.0, 1.0], radius: 0.4, half: 0.3 };
    let in_block = |x: Vec3| std::array::from_fn(|k| x[k] * b.half[k]);
    let in_can = |x: Vec3| {
        let (sin, cos) = (std::f64::consts::PI * x[1]).sin_cos();
        let r = 0.5 * (x[0] + 1.0) * c.radius;
        [r * cos, r * sin, x[2] * c.half]
    };
    let mut worst = 0.0_f64;
    for _ in 0..60 {
        let p = random.vector(1.0);
        let centre = spot(1, p);
        let touch = Feature::BallOnBox { block: b, centre, radius: 0.0 }.touch(&still);
        if touch.gap > 0.0 {
            let grid = distance_by_grid(in_block, p);
            assert!(touch.gap <= grid + 1e-12);
            worst = worst.max(grid - touch.gap);
        }
        let touch = Feature::BallOnCylinder { can: c, centre, radius: 0.0 }.touch(&still);
        if touch.gap > 0.0 {
            let grid = distance_by_grid(in_can, p);
            assert!(touch.gap <= grid + 1e-12);
            worst = worst.max(grid - touch.gap);
        }
    }
    println!("largest difference from a grid of 40: {worst:.1e} m");
    // a cell of the grid is up to 0.03 m wide; near the foot the distance grows with the square of the way
    assert!(worst < 2e-2);
}

/// From face to edge to corner, and from side to rim to cap, gap and normal do not jump.
#[test]
fn keeps_gap_and_normal_continuous_between_regions() {
    let still = [Motion::FIXED, Motion::FIXED];
    let mut random = Random(5);
    let mut largest = [0.0_f64; 2];
    for _ in 0..200 {
        let (block, can) = (block(&mut random, 0), can(&mut random, 0));
        let (p, q) = (scale(1.2, unit(random.vector(1.0))), scale(1.2, unit(random.vector(1.0))));
        for on_can in [false, true] {
            let at = |t: f64| {
                let x = axpy(scale(1.0 - t, p), t, q);
                // outside the solid: regions inside it have jumps
                let centre = spot(1, scale(1.2 / norm(x), x));
                match on_can {
                    true => Feature::BallOnCylinder { can, centre, radius: 0.05 }.touch(&still),
                    false => Feature::BallOnBox { block, centre, radius: 0.05 }.touch(&still),
                }
            };
            let steps = 2000;
            for i in 0..steps {
                let (a, b) = (at(f64::from(i) / f64::from(steps)), at(f64::from(i + 1) / f64::from(steps)));
                largest[0] = largest[0].max((a.gap - b.gap).abs());
                largest[1] = largest[1].max(norm(sub(a.normal, b.normal)));
            }
        }
    }
    println!(
        "largest change of gap {:.1e} m and normal {:.1e} in a 2000th of the way",
        largest[0], largest[1]
    );
    assert!(largest[0] < 0.02 && largest[1] < 0.1, "{largest:?}");
}

fn unit_block(body: usize) -> Block {
    Block { centre: spot(body, [0.0; 3]), axes: IDENTITY, half: [0.5; 3] }
}

fn at(c: Vec3) -> Motion {
    Motion { c, ..Motion::FIXED }
}

/// Gaps of all features of two unit boxes.
fn touching(bodies: &[Motion], tolerance: f64) -> Vec<(Feature, Touch)> {
    let (a, b) = (unit_block(0), unit_block(1));
    let [a, b] = [a, b].map(|block| Surface { at: block.centre, form: Form::Block(block) });
    let features = a.meet(&b).unwrap();
    assert_eq!(features.len(), 32);
    // all normals from the first body to the second
    let from_first = |f: &Feature, t: Touch| match f.bodies() {
        [Some(0), _] => t,
        _ => Touch { normal: scale(-1.0, t.normal), ..t },
    };
    let all = features.into_iter().map(|f| {
        let touch = from_first(&f, f.touch(bodies));
        (f, touch)
    });
    all.filter(|(_, t)| t.gap.abs() < tolerance).collect()
}

/// Two equal boxes on top of each other meet in four corners, whatever rounding does to the sides.
#[test]
fn exact_equal_boxes_stand_on_four_corners() {
    let mut random = Random(11);
    for _ in 0..100 {
        let nudge = random.vector(1e-11);
        let bodies = [at([0.0; 3]), at(add([0.0, 0.0, 1.0], nudge))];
        let found = touching(&bodies, 1e-10);
        assert_eq!(found.len(), 4, "{found:?}");
        for (feature, touch) in found {
            assert!(matches!(feature, Feature::CornerOnBox { border: true, .. }));
            assert_eq!(touch.normal, [0.0, 0.0, 1.0]);
            assert!((touch.gap - nudge[2]).abs() < 1e-15);
        }
    }
}

/// A box shifted along x and y: the patch has a corner of each and two crossings.
#[test]
fn exact_patch_of_shifted_boxes() {
    let bodies = [at([0.0; 3]), at([0.3, 0.2, 1.0])];
    let found = touching(&bodies, 1e-10);
    let mut places: Vec<[i64; 2]> =
        found.iter().map(|(_, t)| [t.point[0], t.point[1]].map(|x| (1e6 * x).round() as i64)).collect();
    places.sort_unstable();
    assert_eq!(places, [[-200000, -300000], [-200000, 500000], [500000, -300000], [500000, 500000]]);
    assert!(found.iter().all(|(_, t)| norm(sub(t.normal, [0.0, 0.0, 1.0])) < 1e-15));
    // turned by 45 degrees and centred, the patch is an octagon of crossings
    let turned = turned_by([0.0, 0.0, std::f64::consts::FRAC_PI_4], &IDENTITY);
    let found = touching(&[at([0.0; 3]), Motion { c: [0.0, 0.0, 1.0], turned, ..Motion::FIXED }], 1e-10);
    assert_eq!(found.len(), 8);
    assert!(found.iter().all(|(f, _)| matches!(f, Feature::EdgesOfBoxes { .. })));
}

/// A corner that slides over the edge hands over to the edge below it with the same normal, and nothing pushes sideways.
#[test]
fn keeps_the_normal_while_a_box_slides_off_another() {
    for i in 0..=120 {
        let x = 0.01 * f64::from(i) - 0.1;
        let bodies = [at([0.0; 3]), at([x, 0.0013, 1.0])];
        let found = touching(&bodies, 1e-10);
        assert!(found.len() >= 4 || x >= 1.0, "{x}: {}", found.len());
        let up = found.iter().all(|(_, t)| norm(sub(t.normal, [0.0, 0.0, 1.0])) < 1e-14);
        assert!(up || x >= 1.0, "{x}: {found:?}");
        let outside = touching(&bodies, f64::INFINITY).into_iter().all(|(_, t)| t.gap > -1e-12);
        assert!(outside, "{x}");
    }
}

/// Boxes that are apart have no gap below their separation; boxes that overlap by less than a corner's depth show it.
#[test]
fn cross_no_false_contact_between_boxes() {
    let mut random = Random(13);
    let (mut apart, mut overlapping, mut missed) = (0, 0, 0);
    for _ in 0..4000 {
        let (a, b) = (block(&mut random, 0), block(&mut random, 1));
        let bodies = two(&mut random, 1.3);
        let [a, b] = [a, b].map(|block| Surface { at: block.centre, form: Form::Block(block) });
        let features = a.meet(&b).unwrap();
        let depth = a.depth(&b, &bodies, false);
        let least = features.iter().map(|f| f.touch(&bodies).gap).fold(f64::INFINITY, f64::min);
        if depth < 0.0 {
            apart += 1;
            assert!(least > 0.0, "apart by {}, but a gap is {least}", -depth);
        } else if depth < 0.05 {
            overlapping += 1;
            // the true contact is among the features: a corner within a face or edges that cross
            missed += usize::from(least > 1e-9);
        }
    }
    println!("{apart} apart, {overlapping} overlap slightly, {missed} of these without a negative gap");
    assert!(apart > 500 && overlapping > 30 && missed == 0);
}

/// The lowest point of a rim, from 100 000 points of it.
#[test]
fn cross_rim_is_lowest() {
    let mut random = Random(17);
    let mut worst = 0.0_f64;
    for _ in 0..20 {
        let can = can(&mut random, 0);
        let m = random.motion([0.0, 0.0, 1.0]);
        let plane = BodyPoint { body: None, s: [0.0; 3] };
        let normal = Direction { body: None, u: [0.0, 0.0, 1.0] };
        let (cap, axis) = (can.cap(0), can.direction());
        let touch = Feature::RimOnPlane { plane, normal, cap, axis, radius: can.radius }.touch(&[m]);
        let e = crate::linalg::vec3::any_perpendicular(can.axis);
        let f = cross(can.axis, e);
        let lowest = (0..100_000).map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 1e5).sin_cos();
            let s = axpy(axpy(cap.s, can.radius * cos, e), can.radius * sin, f);
            BodyPoint { body: Some(0), s }.at(&[m]).r[2]
        });
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        worst = worst.max((touch.gap - lowest).abs());
        assert!((touch.point[2] - touch.gap).abs() < 1e-15);
    }
    println!("rim: {worst:.1e} m from the lowest of 100 000 points");
    // half a step of the points, squared, times the radius over two
    assert!(worst < 0.4 * 0.5 * (std::f64::consts::PI * 1e-5).powi(2) * 1.1);
}

/// Standing on a cap: seven touches. Lying on its side or rolling on a rim: two and one, never a fixed point.
#[test]
fn exact_cylinders_stand_lie_and_lean() {
    let can = Can { centre: spot(0, [0.0; 3]), axis: [0.0, 0.0, 1.0], radius: 0.2, half: 0.5 };
    let floor =
        Surface { at: BodyPoint { body: None, s: [0.0; 3] }, form: Form::Plane { normal: [0.0, 0.0, 1.0] } };
    let surface = Surface { at: can.centre, form: Form::Can(can) };
    let features = surface.meet(&floor).unwrap();
    let touching = |m: Motion| features.iter().filter(|f| f.touch(&[m]).gap.abs() < 1e-12).count();
    assert_eq!(touching(at([0.0, 0.0, 0.5])), 7);
    for i in 0..60 {
        let spin = turned_by([0.0, 0.0, 0.1 * f64::from(i)], &IDENTITY);
        let lying = turned_by([std::f64::consts::FRAC_PI_2, 0.0, 0.0], &spin);
        assert_eq!(touching(Motion { c: [0.0, 0.0, 0.2], turned: lying, ..Motion::FIXED }), 2);
        let angle = 0.7_f64;
        let leaning = turned_by([angle, 0.0, 0.0], &spin);
        let height = 0.5 * angle.cos() + 0.2 * angle.sin();
        assert_eq!(touching(Motion { c: [0.0, 0.0, height], turned: leaning, ..Motion::FIXED }), 1);
    }
}

/// Rectangles in the plane.
#[test]
fn exact_rectangles_in_the_plane() {
    let flat = |body| Block { half: [0.5, 0.5, f64::INFINITY], ..unit_block(body) };
    let [a, b] = [flat(0), flat(1)].map(|block| Surface { at: block.centre, form: Form::Block(block) });
    let features = a.meet(&b).unwrap();
    assert_eq!(features.len(), 8);
    let gaps = |bodies: &[Motion]| {
        let all = features.iter().map(|f| f.touch(bodies));
        all.filter(|t| t.gap.abs() < 1e-12).map(|t| (t.point, t.normal)).collect::<Vec<_>>()
    };
    assert_eq!(gaps(&[at([0.0; 3]), at([0.0, 1.0, 0.0])]).len(), 2);
    let shifted = gaps(&[at([0.0; 3]), at([0.25, 1.0, 0.0])]);
    assert_eq!(shifted.len(), 2);
    assert!(shifted.iter().any(|(p, _)| (p[0] + 0.25).abs() < 1e-15));
    // of a's corner on b's face the normal points from b to a
    assert!(shifted.iter().any(|(p, n)| (p[0] - 0.5).abs() < 1e-15 && n[1] == -1.0));
    // side by side
    let beside = gaps(&[at([0.0; 3]), at([1.0, 0.0, 0.0])]);
    assert!(beside.len() == 2 && beside.iter().all(|(_, n)| n[0] == 1.0));
    let ball = Surface { at: spot(1, [0.0; 3]), form: Form::Ball { radius: 0.1 } };
    let [on_edge] = &ball.meet(&a).unwrap()[..] else { panic!() };
    let touch = on_edge.touch(&[at([0.0; 3]), at([0.53, 0.54, 0.0])]);
    assert!((touch.gap + 0.05).abs() < 1e-15 && norm(sub(touch.normal, [0.6, 0.8, 0.0])) < 1e-14);
}

/// A thousand spheres, all with all: the pairs that brute force finds, no more, and none missed along the way.
#[test]
fn cross_nearby_finds_what_brute_force_does() {
    let mut random = Random(23);
    let n = 1000;
    let ball = |i: usize| Surface { at: spot(i, [0.0; 3]), form: Form::Ball { radius: 0.05 } };
    let surfaces: Vec<Surface> = (0..n).map(ball).collect();
    let mut pairs = Vec::new();
    for a in 0..n {
        for b in a + 1..n {
            pairs.push(Pair { surfaces: [a, b], of: 0, first: pairs.len(), count: 1 });
        }
    }
    let from: Vec<Motion> = (0..n)
        .map(|_| {
            let c = random.vector(0.6);
            random.motion(c)
        })
        .collect();
    let h = 0.01;
    let to = later(&from, h);
    let mut nearby = Nearby::new(&surfaces, &pairs, &Crowds::default());
    let mut near = Vec::new();
    let start = std::time::Instant::now();
    nearby.find(&surfaces, &pairs, &from, &to, h, 0.0, &mut near);
    let first = start.elapsed();
    let capacity = near.capacity();
    let start = std::time::Instant::now();
    nearby.find(&surfaces, &pairs, &from, &to, h, 0.0, &mut near);
    println!("{} near of {}; {:?}, then {:?}", near.len(), pairs.len(), first, start.elapsed());
    assert_eq!(capacity, near.capacity());
    let boxes_meet = |p: &Pair| {
        let [a, b] = p.surfaces;
        (0..3).all(|i| {
            let low = |s: usize| from[s].c[i].min(to[s].c[i]) - 0.05;
            let high = |s: usize| from[s].c[i].max(to[s].c[i]) + 0.05;
            low(a) <= high(b) + 1e-12 && low(b) <= high(a) + 1e-12
        })
    };
    let brute: Vec<usize> = (0..pairs.len()).filter(|&p| boxes_meet(&pairs[p])).collect();
    let missing = brute.iter().filter(|p| near.binary_search(p).is_err()).count();
    let more = near.iter().filter(|p| brute.binary_search(p).is_err()).count();
    println!("brute force: {}; missing {missing}, more {more}", brute.len());
    // straight ways have no bend, so both see the same boxes but for rounding
    assert!(missing == 0 && more <= brute.len() / 1000, "{missing} {more}");
    assert!(near.windows(2).all(|w| w[0] < w[1]));
}

/// Two crowds and a plane that turns: the pairs that brute force finds among those that may meet, each with its contact.
#[test]
fn cross_crowds_find_what_brute_force_does() {
    let mut random = Random(31);
    let n = 400;
    let mut surfaces: Vec<Surface> = (0..n)
        .map(|i| {
            let radius = 0.03 * (1.0 + random.next().abs());
            // two surfaces on every third body
            Surface { at: spot(i - usize::from(i % 3 == 2), [0.0; 3]), form: Form::Ball { radius } }
        })
        .collect();
    surfaces.push(Surface { at: spot(n, [0.0; 3]), form: Form::Plane { normal: [0.0, 0.0, 1.0] } });
    let list = |from: usize, to: usize| (from..to).collect::<Vec<_>>();
    let mut except: Vec<[Option<usize>; 2]> =
        (0..n).map(|i| [Some((5 * i) % n), Some((13 * i + 1) % n)]).collect();
    except.iter_mut().for_each(|pair| pair.sort_unstable());
    except.sort_unstable();
    let among = Crowd { of: 3, sides: [list(0, 250), list(0, 250)], jointed: false, except: except.clone() };
    let between =
        Crowd { of: 5, sides: [list(250, n + 1), list(100, 200)], jointed: true, except: Vec::new() };
    let joined = (0..n).map(|i| [Some((7 * i) % n), Some((11 * i) % n)]);
    let joined: Vec<[Option<usize>; 2]> = joined.collect();
    let crowds = Crowds::new(vec![among.clone(), between.clone()], joined.iter().copied());
    let mut bodies: Vec<Motion> = (0..=n)
        .map(|_| {
            let c = random.vector(0.5);
            random.motion(c)
        })
        .collect();
    bodies[n].c = [0.0, 0.0, -0.4];
    let mut nearby = Nearby::new(&surfaces, &[], &crowds);
    let (h, mut near) = (0.02, Vec::new());
    nearby.around(&surfaces, &[], &bodies, h, 0.0, &mut near);
    let found = nearby.crowded().to_vec();
    let key = |pair: &CrowdPair| {
        let [a, b] = pair.surfaces;
        [a.min(b), a.max(b)]
    };
    assert!(near.is_empty() && found.windows(2).all(|w| key(&w[0]) < key(&w[1])));
    // each as its contact lists it
    let listed = |x: &CrowdPair| if x.of == 3 { x.surfaces[0] < x.surfaces[1] } else { x.surfaces[0] >= 250 };
    assert!(found.iter().all(listed));
    nearby.around(&surfaces, &[], &bodies, h, 0.0, &mut near);
    assert_eq!(found, nearby.crowded());
    let meets = |of: usize, a: usize, b: usize| {
        let [p, q] = [a, b].map(|s| surfaces[s].body());
        let apart = joined.iter().chain(&except).any(|pair| *pair == [p, q] || *pair == [q, p]);
        match of {
            3 => p != q && !apart && a < 250 && b < 250,
            _ => p != q && (a >= 250 && (100..200).contains(&b) || b >= 250 && (100..200).contains(&a)),
        }
    };
    let mut expected = 0;
    for a in 0..=n {
        for b in a + 1..=n {
            let [p, q] = [a, b].map(|s| surfaces[s].at.at(&bodies));
            let [r, s] = [a, b].map(|s| surfaces[s].reach());
            let listed: Vec<&CrowdPair> =
                found.iter().filter(|x| x.surfaces == [a, b] || x.surfaces == [b, a]).collect();
            let of: Vec<usize> = [3, 5].into_iter().filter(|&of| meets(of, a, b)).collect();
            assert!(listed.len() <= of.len() && listed.iter().all(|x| of.contains(&x.of)));
            // what gets nearer than 0 within h at these speeds has to be there
            let close = match s.is_finite() {
                true => norm(sub(p.r, q.r)) - r - s - h * norm(sub(p.v, q.v)),
                false => surfaces[a].apart(&surfaces[b], &bodies),
            };
            if close <= 0.0 && !of.is_empty() {
                expected += 1;
                assert_eq!(listed.len(), 1, "{a} {b}");
            }
        }
    }
    println!("{} found, {expected} within reach", found.len());
    assert!(expected > 100 && found.len() < 3 * expected);
}

/// Boxes that spin and fly on curved ways past each other and over a plane: whatever overlaps somewhere in the step is near.
#[test]
fn cross_nearby_misses_nothing_within_a_step() {
    let mut random = Random(29);
    let n = 30;
    let mut surfaces = vec![Surface {
        at: BodyPoint { body: None, s: [0.0; 3] },
        form: Form::Plane { normal: [0.0, 0.0, 1.0] },
    }];
    for i in 0..n {
        let block = Block { centre: spot(i, [0.05, 0.0, 0.0]), axes: IDENTITY, half: [0.1, 0.05, 0.15] };
        surfaces.push(Surface { at: block.centre, form: Form::Block(block) });
    }
    let mut pairs = Vec::new();
    for a in 0..surfaces.len() {
        for b in a + 1..surfaces.len() {
            pairs.push(Pair { surfaces: [a, b], of: 0, first: 0, count: 0 });
        }
    }
    let mut nearby = Nearby::new(&surfaces, &pairs, &Crowds::default());
    let (mut near, mut met, mut listed) = (Vec::new(), 0, 0);
    for _ in 0..40 {
        let from: Vec<Motion> = (0..n)
            .map(|_| {
                let c = add(random.vector(0.8), [0.0, 0.0, 0.5]);
                Motion { v: random.vector(3.0), w: random.vector(8.0), ..random.motion(c) }
            })
            .collect();
        // a parabola: the acceleration is such that the way bends back on itself
        let h = 0.1;
        let g: Vec<Vec3> = (0..n).map(|_| random.vector(40.0)).collect();
        let state = |t: f64| -> Vec<Motion> {
            let moved = later(&from, t);
            let bent = moved.into_iter().zip(&g);
            bent.map(|(m, g)| Motion { c: axpy(m.c, 0.5 * t * t, *g), v: axpy(m.v, t, *g), ..m }).collect()
        };
        nearby.find(&surfaces, &pairs, &from, &state(h), h, 0.0, &mut near);
        listed += near.len();
        for (p, pair) in pairs.iter().enumerate() {
            let [a, b] = pair.surfaces.map(|s| &surfaces[s]);
            let overlaps = |i: i32| a.depth(b, &state(h * f64::from(i) / 20.0), false) >= 0.0;
            if (0..=20).any(overlaps) {
                met += 1;
                assert!(near.binary_search(&p).is_ok(), "{pair:?} meet, but are not near");
            }
        }
    }
    println!("{met} pairs met in 40 steps, {listed} were near, of {}", 40 * pairs.len());
    assert!(met > 300 && listed < 40 * pairs.len() / 2);
}
