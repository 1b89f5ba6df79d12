//! What the tests of ropes share.

use linkwork::linalg::vec3::Vec3;
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use linkwork::results::Frame;
use linkwork::simulation::{Status, Trajectory};

/// Runs a model that must finish.
pub fn finish(model: &Model) -> (Mechanism, Trajectory) {
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    (mechanism, run)
}

/// The mechanism that a frame shows.
pub fn shown<'a>(mechanism: &'a Mechanism, frame: &'a Frame) -> &'a Mechanism {
    frame.stage.as_deref().unwrap_or(mechanism)
}

/// The nodes of the first chain.
pub fn nodes(mechanism: &Mechanism, frame: &Frame) -> Vec<Vec3> {
    shown(mechanism, frame).chains()[0].nodes.iter().map(|&node| frame.positions[node]).collect()
}

/// The tensions in it, N.
pub fn tensions(mechanism: &Mechanism, frame: &Frame) -> Vec<f64> {
    let mut out = Vec::new();
    let mechanism = shown(mechanism, frame);
    mechanism.chains()[0].tensions(mechanism, frame, &mut out);
    out
}

/// ω of x(t) = a cos ωt + b sin ωt + c, sampled at equal times: x(t + h) + x(t − h) = 2 cos(ωh) x(t) + const, by least squares.
pub fn frequency(x: &[f64], h: f64) -> f64 {
    let n = (x.len() - 2) as f64;
    let (mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0);
    for w in x.windows(3) {
        let (a, b) = (w[1], w[0] + w[2]);
        (sx, sy, sxx, sxy) = (sx + a, sy + b, sxx + a * a, sxy + a * b);
    }
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    (0.5 * slope).acos() / h
}

/// The orders at which errors fall where segments are halved.
pub fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}
