use super::*;

const ORDER: usize = 12;

/// Coefficients of f at x0 by Cauchy's integral over a circle in the complex plane would need complex functions; instead every
/// operation is checked through a second series that must be equal to it by an identity, and its value by summing up.
fn sum(tape: &Tape, node: Node, tau: f64) -> f64 {
    (0..=ORDER).rev().fold(0.0, |s, m| s * tau + tape.at(node, m))
}

/// Runs a tape on x = x0 + x1 τ + x2 τ² as its only coordinate.
fn run(builder: Builder, outputs: &[Node], x: [f64; 3], t: f64) -> Tape {
    let mut tape = builder.finish(ORDER + 1, outputs);
    let start = Start { t, middle: t + 0.1, turns: &[7.0] };
    tape.begin(&start);
    for m in 0..=ORDER + 1 {
        tape.positions(m, &start, &[x.get(m).copied().unwrap_or(0.0)]);
        if m > 0 {
            tape.rates(m - 1, &start);
        }
    }
    tape
}

type Unary = (&'static str, fn(&mut Builder, Node) -> Node, fn(f64) -> f64);

/// Every operation, summed up away from the point of expansion, against the function there.
#[test]
fn exact_series_sum_up_to_the_function() {
    let all: [Unary; 20] = [
        ("square", |b, x| b.mul(x, x), |x| x * x),
        (
            "product",
            |b, x| {
                let s = b.sum(&[(x, 2.0)], 1.0);
                b.mul(x, s)
            },
            |x| x * (2.0 * x + 1.0),
        ),
        (
            "quotient",
            |b, x| {
                let d = b.sum(&[(x, 1.0)], 2.0);
                b.div(x, d)
            },
            |x| x / (2.0 + x),
        ),
        (
            "inverse",
            |b, x| {
                let one = b.constant(1.0);
                b.div(one, x)
            },
            |x| 1.0 / x,
        ),
        ("sqrt", Builder::sqrt, f64::sqrt),
        ("cbrt", Builder::cbrt, f64::cbrt),
        ("x^2.7", |b, x| b.powf(x, 2.7), |x| x.powf(2.7)),
        ("x^-3", |b, x| b.powf(x, -3.0), |x| x.powi(-3)),
        ("x^7", |b, x| b.powf(x, 7.0), |x| x.powi(7)),
        ("x^x", |b, x| b.pow(x, x), |x| x.powf(x)),
        ("exp", Builder::exp, f64::exp),
        ("ln", Builder::ln, f64::ln),
        ("sin", Builder::sin, f64::sin),
        ("cos", Builder::cos, f64::cos),
        ("tan", Builder::tan, f64::tan),
        ("tanh", Builder::tanh, f64::tanh),
        ("sinh", Builder::sinh, f64::sinh),
        (
            "asin(x/3)",
            |b, x| {
                let y = b.scale(1.0 / 3.0, x);
                b.asin(y)
            },
            |x| (x / 3.0).asin(),
        ),
        (
            "acos(x/3)",
            |b, x| {
                let y = b.scale(1.0 / 3.0, x);
                b.acos(y)
            },
            |x| (x / 3.0).acos(),
        ),
        ("atan", Builder::atan, f64::atan),
    ];
    let x = [0.8, 0.3, -0.2];
    for (name, build, function) in all {
        let mut b = Builder::default();
        let input = b.input(0);
        let node = build(&mut b, input);
        let rate = b.rate(node);
        let tape = run(b, &[node, rate], x, 0.0);
        let mut worst = 0.0_f64;
        for tau in [-0.05, 0.0, 0.03, 0.06] {
            let at = x[0] + tau * (x[1] + tau * x[2]);
            worst = worst.max((sum(&tape, node, tau) - function(at)).abs() / function(at).abs());
            // its rate by a difference of sixth order of the sum itself
            let h = 1e-2;
            let stencil = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
            let slope: f64 = stencil
                .iter()
                .map(|(k, w)| w * (sum(&tape, node, tau + k * h) - sum(&tape, node, tau - k * h)))
                .sum::<f64>()
                / (60.0 * h);
            assert!((sum(&tape, rate, tau) - slope).abs() < 1e-8 * (1.0 + slope.abs()), "{name}: rate");
        }
        println!("{name}: {worst:.1e}");
        // (0.06 / radius)^13 with radii of 1 and more in τ, and rounding
        assert!(worst < 2e-14, "{name}: {worst:.1e}");
    }
}

/// cosh against sinh, and the angle of a point against its sine and cosine, in the turn that is given.
#[test]
fn exact_identities_and_turns() {
    let mut b = Builder::default();
    let x = b.input(0);
    let (s, c) = (b.sinh(x), b.cosh(x));
    let (ss, cc) = (b.mul(s, s), b.mul(c, c));
    let one = b.sub(cc, ss);
    let (sin, cos) = (b.sin(x), b.cos(x));
    let angle = b.atan2(sin, cos, Some(0));
    let plain = b.atan2(sin, cos, None);
    let tape = run(b, &[one, angle, plain], [0.8, 0.3, -0.2], 0.0);
    for m in 0..=ORDER {
        assert!((tape.at(one, m) - f64::from(u8::from(m == 0))).abs() < 1e-14);
        let expected = [0.8 + TAU, 0.3, -0.2].get(m).copied().unwrap_or(0.0);
        assert!((tape.at(angle, m) - expected).abs() < 2e-14, "{m}: {}", tape.at(angle, m));
    }
    assert!((tape.at(plain, 0) - 0.8).abs() < 1e-15);
}

/// The piece that is taken is that of the stretch ahead, also where the series begins on the corner.
#[test]
fn exact_pieces_by_the_stretch_ahead() {
    let mut b = Builder::default();
    let (t, x) = (b.time(), b.input(0));
    let corner = b.constant(2.0);
    let square = b.mul(t, t);
    let node = b.either(t, corner, [x, square]);
    let tape = run(b.clone(), &[node], [0.8, 0.3, 0.0], 2.0);
    assert_eq!([0, 1, 2].map(|m| tape.at(node, m)), [4.0, 4.0, 1.0]);
    let tape = run(b, &[node], [0.8, 0.3, 0.0], 1.5);
    assert_eq!([0, 1, 2].map(|m| tape.at(node, m)), [0.8, 0.3, 0.0]);
}

/// What is the same is there once; constants are folded.
#[test]
fn same_formulas_are_shared() {
    let mut b = Builder::<f64>::default();
    let x = b.input(0);
    let (two, three) = (b.constant(2.0), b.constant(3.0));
    let six = b.mul(two, three);
    assert_eq!(b.value(six), Some(6.0));
    let (p, q) = (b.mul(two, x), b.add(x, x));
    assert_eq!(p, q);
    assert_eq!(b.sin(x), b.sin(x));
    let zero = b.sub(p, q);
    assert_eq!(b.value(zero), Some(0.0));
}

/// (T10): near the start values and rates are what the series say, and a bump that no series shows has its height.
#[test]
fn exact_values_away_from_the_start() {
    let mut b = Builder::default();
    let (x, t) = (b.input(0), b.time());
    let root = b.sqrt(x);
    let quotient = b.div(t, root);
    let angle = b.atan2(quotient, x, Some(0));
    let wave = b.sin(angle);
    let power = b.powf(x, 2.3);
    let sum = b.sum(&[(wave, 2.0), (power, -0.5)], 3.0);
    let rate = b.rate(sum);
    let slope = b.tanh(rate);
    let away = b.sum(&[(x, 1e4)], -1.5e4);
    let square = b.mul(away, away);
    let below = b.scale(-1.0, square);
    let bump = b.exp(below);
    let outputs = [sum, slope, bump];
    let tape = run(b, &outputs, [1.2, 0.5, -0.1], 0.3);
    let start = Start { t: 0.3, middle: 0.4, turns: &[7.0] };
    let mut values = Vec::new();
    for tau in [0.0, 0.01, -0.02, 0.05] {
        tape.values(tau, ORDER + 1, &start, &mut values);
        for node in [sum, slope] {
            let said = tape.summed(node, tau, ORDER);
            assert!((values[node.index()][0] - said).abs() < 1e-12 * said.abs().max(1.0), "{tau}: {said}");
        }
        assert!((values[sum.index()][1] - tape.summed(rate, tau, ORDER)).abs() < 1e-10);
    }
    // x = 1.5 at τ = 0.6972…
    let tau = (0.5 - f64::sqrt(0.25 - 0.12)) / 0.2;
    tape.values(tau, ORDER + 1, &start, &mut values);
    assert!((values[bump.index()][0] - 1.0).abs() < 1e-6 && tape.summed(bump, tau, ORDER) == 0.0);
}
