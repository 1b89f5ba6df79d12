//! Gradients and biases of all coordinate functions and couplings against the motion itself.

use super::*;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot, unit};

/// Two bodies that turn and shift steadily: c = c₀ + v t, R = exp(ω t) R₀, so that c̈ = ω̇ = 0.
fn bodies(t: f64) -> Vec<Motion> {
    let steady = |c: Vec3, v: Vec3, w: Vec3, first: [f64; 4]| {
        let angle = crate::linalg::vec3::norm(w) * t;
        let (s, cos) = (0.5 * angle).sin_cos();
        let a = unit(w);
        let turn = [cos, s * a[0], s * a[1], s * a[2]];
        let (turn, mut start) = (quaternion::matrix(&turn), first);
        quaternion::normalise(&mut start);
        let start = quaternion::matrix(&start);
        let turned =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| turn[i][k] * start[k][j]).sum()));
        Motion { c: axpy(c, t, v), turned, v, w }
    };
    vec![
        steady([0.3, -0.2, 0.5], [0.4, 0.7, -0.3], [0.6, -0.9, 0.4], [0.9, 0.1, -0.2, 0.3]),
        steady([1.1, 0.4, -0.6], [-0.5, 0.2, 0.6], [-0.3, 0.8, 1.1], [0.7, -0.3, 0.2, 0.1]),
    ]
}

fn spot(body: BodyIndex, s: Vec3) -> BodyPoint {
    BodyPoint { body, s }
}

fn direction(body: BodyIndex, u: Vec3) -> Direction {
    Direction { body, u: unit(u) }
}

fn gauges() -> Vec<CoordinateFunction> {
    let (p, q) = (spot(Some(0), [0.2, 0.1, -0.3]), spot(Some(1), [-0.4, 0.3, 0.2]));
    let fixed = spot(None, [2.0, 1.0, 0.4]);
    // over a pulley, climbing along its axis: on the side on which the rope touches it
    let over = |radius: f64| {
        let stops = [(p, 0.0), (fixed, radius), (q, 0.0)].map(|(at, radius)| Stop { at, radius }).to_vec();
        CoordinateFunction::Path(Box::new(Path { stops, axis: direction(None, [0.0, 0.0, 1.0]) }))
    };
    let pulley = [over(0.05), over(-0.05)].into_iter().find(|g| g.jet(&bodies(0.0), &[]).x.is_finite());
    let mut list = vec![
        CoordinateFunction::Component { from: p, to: q, along: direction(Some(0), [1.0, 2.0, -0.5]) },
        CoordinateFunction::Component { from: p, to: q, along: direction(Some(1), [0.3, -1.0, 0.5]) },
        CoordinateFunction::Component { from: fixed, to: q, along: direction(None, [0.3, -1.0, 0.5]) },
        CoordinateFunction::Distance { from: p, to: q },
        CoordinateFunction::turn(Some(0), Some(1), unit([0.2, 0.5, 1.0]), None),
        CoordinateFunction::turn(None, Some(1), unit([0.2, 0.5, 1.0]), Some(0)),
        CoordinateFunction::Cosine {
            first: direction(Some(0), [1.0, 0.2, 0.3]),
            second: direction(Some(1), [0.1, 1.0, 0.4]),
            length: 1.7,
        },
        CoordinateFunction::Slope {
            first: direction(Some(1), [1.0, 0.2, 0.3]),
            second: direction(Some(0), [0.1, 1.0, 0.4]),
        },
        CoordinateFunction::Path(Box::new(Path {
            stops: vec![
                Stop { at: p, radius: 0.0 },
                Stop { at: fixed, radius: 0.0 },
                Stop { at: q, radius: 0.0 },
            ],
            axis: direction(None, [0.0, 0.0, 1.0]),
        })),
    ];
    list.extend(Some(pulley.expect("one of the two sides")));
    list
}

/// Rates against the pulls, and rates and biases against central differences of the value.
#[test]
fn cross_gauges_meet_finite_differences() {
    let hints = [0.7];
    let h = 1e-4;
    for gauge in gauges() {
        let value = |t: f64| gauge.jet(&bodies(t), &hints).x;
        let now = bodies(0.0);
        let jet = gauge.jet(&now, &hints);
        let mut pulls = Wrenches::default();
        gauge.pull(&now, &hints, 1.0, &mut pulls);
        let along: f64 = pulls.list.iter().map(|p| p.power(&now)).sum();
        let first = (value(h) - value(-h)) / (2.0 * h);
        let second = (value(h) - 2.0 * value(0.0) + value(-h)) / (h * h);
        // h² of the third derivative, and rounding over h²
        assert!((jet.d - first).abs() < 1e-7, "{gauge:?}: {} {first}", jet.d);
        assert!((jet.dd - second).abs() < 1e-6, "{gauge:?}: {} {second}", jet.dd);
        assert!((along - jet.d).abs() < 1e-13, "{gauge:?}: {along} {}", jet.d);
        // moments of the pulls about the origin balance wherever no ground takes part
        if gauge.bodies().len() == 2 && !matches!(gauge, CoordinateFunction::Path(_)) {
            let force = pulls.list.iter().fold([0.0; 3], |s, p| add(s, p.wrench.force));
            let moment = pulls
                .list
                .iter()
                .fold([0.0; 3], |s, p| add(s, add(p.wrench.moment, cross(now[p.body].c, p.wrench.force))));
            assert!(dot(force, force) < 1e-28 && dot(moment, moment) < 1e-26, "{gauge:?}");
        }
    }
}

/// γ of rows that act at a moving point: the rate of Σ f·ċ + m·ω along the steady motion.
#[test]
fn cross_rows_at_moving_points_meet_finite_differences() {
    let rolling = |axis: Option<Direction>| Rolling {
        plane: spot(Some(0), [0.0; 3]),
        normal: direction(Some(0), [0.2, 0.1, 1.0]),
        centre: spot(Some(1), [0.1, -0.2, 0.3]),
        axis,
        radius: 0.4,
    };
    let mesh = Mesh {
        bodies: [Some(0), Some(1)],
        at: spot(Some(0), [0.3, 0.2, 0.1]),
        along: direction(Some(1), [1.0, 0.3, -0.2]),
    };
    let ground = Mesh { bodies: [Some(1), None], at: spot(Some(0), [0.3, 0.2, 0.1]), ..mesh.clone() };
    let wheel = rolling(Some(direction(Some(1), [1.0, 0.2, 0.1])));
    let ball = rolling(None);
    let mut touches = vec![Touch::Mesh(mesh), Touch::Mesh(ground)];
    for k in 0..3 {
        touches.push(Touch::Rolling(Box::new(wheel.clone()), k));
        touches.push(Touch::Rolling(Box::new(ball.clone()), k));
    }
    for touch in touches {
        let coupling = Coupling {
            terms: vec![],
            offset: 0.0,
            drive: None,
            touch,
            owner: CouplingOwner::Joint(0),
            label: String::new(),
            bodies: vec![0, 1],
            held: None,
        };
        let rate = |t: f64| {
            let now = bodies(t);
            let scene = Scene { t, bodies: &now, hints: &[], holds: &[], switches: &[] };
            let mut pulls = Wrenches::default();
            let row = coupling.evaluate(&[], &scene, &mut Vec::new(), &mut pulls);
            let sum: f64 = pulls.list.iter().map(|p| p.power(&now)).sum();
            (sum, row)
        };
        let h = 1e-5;
        let change = (rate(h).0 - rate(-h).0) / (2.0 * h);
        let (_, row) = rate(0.0);
        assert!((row.gamma + change).abs() < 1e-8, "{:?}: {} {change}", coupling.touch, row.gamma);
        if matches!(&coupling.touch, Touch::Rolling(_, Rolling::NORMAL)) {
            let first = (rate(h).1.phi - rate(-h).1.phi) / (2.0 * h);
            assert!((rate(0.0).0 - first).abs() < 1e-8, "{:?}: {first}", coupling.touch);
        }
    }
}
