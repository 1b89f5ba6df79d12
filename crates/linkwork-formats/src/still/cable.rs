//! The way of a cable over its pulleys.
//!
//! With pulleys at c₁ and c₂ of radii s₁ and s₂, positive where the cable goes round counter-clockwise about the axis a, the free stretch along u
//! touches them at cᵢ + sᵢ n, n = u × a, and n · (c₂ − c₁) = s₁ − s₂.

use crate::geometry::{Vector, across, add, cross, dot, scaled, sub};
use crate::motion::place;
use linkwork_scene::Snapshot;
use linkwork_scene::scene::Cable;
use std::f64::consts::TAU;

/// The way of a cable in a pose, arcs cut into so many stretches; nothing while one of its places is not there.
pub fn cable_line(cable: &Cable, pose: &Snapshot, cuts: usize) -> Option<Vec<Vector>> {
    let places: Vec<Vector> = cable.through.iter().map(|spot| place(spot, pose)).collect::<Option<_>>()?;
    let radius = |i: usize| cable.radii.get(i).copied().unwrap_or(0.0);
    let p = across(cable.axis);
    let r = cross(cable.axis, p);
    let out = |angle: f64| add(scaled(p, angle.cos()), scaled(r, angle.sin()));
    // the direction n of every free stretch, as an angle about the axis
    let angles: Vec<f64> = (1..places.len())
        .map(|i| {
            let d = sub(places[i], places[i - 1]);
            let (x, y) = (dot(d, p), dot(d, r));
            let size = x.hypot(y).max(1e-300);
            y.atan2(x) - ((radius(i - 1) - radius(i)) / size).clamp(-1.0, 1.0).acos()
        })
        .collect();
    let mut line = Vec::new();
    for (i, at) in places.iter().enumerate() {
        let s = radius(i);
        let (come, go) = (i.checked_sub(1).and_then(|k| angles.get(k)), angles.get(i));
        match (come, go) {
            _ if s == 0.0 => line.push(*at),
            (Some(come), Some(go)) => {
                let turn = if s > 0.0 { (go - come).rem_euclid(TAU) } else { -(come - go).rem_euclid(TAU) };
                // nearly a whole turn is nearly none
                let turn = if turn.abs() > TAU - 1e-6 { 0.0 } else { turn };
                for k in 0..=cuts {
                    line.push(add(*at, scaled(out(come + turn * k as f64 / cuts.max(1) as f64), s)));
                }
            }
            (Some(angle), None) | (None, Some(angle)) => line.push(add(*at, scaled(out(*angle), s))),
            (None, None) => line.push(*at),
        }
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkwork_scene::scene::BodyPoint;

    /// Over the top of a pulley: up on one side, half a turn, down on the other.
    #[test]
    fn exact_over_a_pulley() {
        let spot = |x: f64, y: f64| BodyPoint { body: 0, at: [x, y, 0.0] };
        let cable = Cable {
            through: vec![spot(-1.0, 0.0), spot(0.0, 5.0), spot(1.0, 0.0)],
            radii: vec![0.0, -1.0, 0.0],
            axis: [0.0, 0.0, 1.0],
            ..Cable::default()
        };
        let line = cable_line(&cable, &Snapshot::default(), 8).unwrap();
        for (place, expected) in
            [(0, [-1.0, 0.0]), (1, [-1.0, 5.0]), (5, [0.0, 6.0]), (9, [1.0, 5.0]), (10, [1.0, 0.0])]
        {
            let off = sub(line[place], [expected[0], expected[1], 0.0]);
            assert!(off.iter().all(|x| x.abs() < 1e-12), "{place}: {:?}", line[place]);
        }
    }
}
