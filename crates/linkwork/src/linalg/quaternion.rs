//! Rotations as quaternions (w, x, y, z) and as matrices; plain geometry.

use super::vec3::{Mat3, Vec3, add, cross, dot, scale};

/// The matrix of a quaternion of any length.
pub fn matrix(q: &[f64]) -> Mat3 {
    let n = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    [
        [1.0 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)],
        [n * (x * y + w * z), 1.0 - n * (x * x + z * z), n * (y * z - w * x)],
        [n * (x * z - w * y), n * (y * z + w * x), 1.0 - n * (x * x + y * y)],
    ]
}

/// The quaternion of a rotation about the direction of a vector by its length, rad.
pub fn of_rotation(vector: Vec3) -> [f64; 4] {
    let angle = dot(vector, vector).sqrt();
    let (sin, cos) = (0.5 * angle).sin_cos();
    let [x, y, z] = if angle > 0.0 { scale(sin / angle, vector) } else { scale(0.5, vector) };
    [cos, x, y, z]
}

/// The quaternion of a rotation matrix, w >= 0.
pub fn of_matrix(m: &Mat3) -> [f64; 4] {
    // the largest of the four squares, so that no small number is divided by
    let squares = [
        1.0 + m[0][0] + m[1][1] + m[2][2],
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
    ];
    let largest = (0..4).max_by(|&i, &j| squares[i].total_cmp(&squares[j])).unwrap_or(0);
    let s = 2.0 * squares[largest].sqrt();
    let (wx, wy, wz) = (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]);
    let (xy, xz, yz) = (m[0][1] + m[1][0], m[0][2] + m[2][0], m[1][2] + m[2][1]);
    let mut q = match largest {
        0 => [s * s / 4.0, wx, wy, wz],
        1 => [wx, s * s / 4.0, xy, xz],
        2 => [wy, xy, s * s / 4.0, yz],
        _ => [wz, xz, yz, s * s / 4.0],
    };
    for c in &mut q {
        *c /= s;
    }
    if q[0] < 0.0 { q.map(|c| -c) } else { q }
}

/// The rate of a quaternion under an angular velocity in the axes it turns into: ½ (0, ω) ⊗ q.
pub fn rate(q: &[f64], w: Vec3) -> [f64; 4] {
    let (s, v) = (q[0], [q[1], q[2], q[3]]);
    let vector = scale(0.5, add(scale(s, w), cross(w, v)));
    [-0.5 * dot(w, v), vector[0], vector[1], vector[2]]
}

/// The rate of a quaternion under an angular velocity in the axes that turn with it: ½ q ⊗ (0, ν).
pub fn rate_in_body(q: &[f64], nu: Vec3) -> [f64; 4] {
    let (s, v) = (q[0], [q[1], q[2], q[3]]);
    let vector = scale(0.5, add(scale(s, nu), cross(v, nu)));
    [-0.5 * dot(v, nu), vector[0], vector[1], vector[2]]
}

/// Brings a quaternion back to unit length. One that has it up to roundings keeps every bit.
pub fn normalise(q: &mut [f64]) {
    let square = q.iter().map(|c| c * c).sum::<f64>();
    if (square - 1.0).abs() <= 4.0 * f64::EPSILON {
        return;
    }
    let n = square.sqrt();
    q.iter_mut().for_each(|c| *c /= n);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vec3::{apply, apply_transposed};

    #[test]
    fn exact_there_and_back() {
        for q in [[0.1, -0.7, 0.3, 0.2], [0.9, 0.1, 0.0, -0.4], [0.0, 0.2, -0.1, 0.9], [0.0, 0.1, 0.9, 0.1]] {
            let mut q: [f64; 4] = q;
            normalise(&mut q);
            let back = of_matrix(&matrix(&q));
            let sign = if back.iter().zip(&q).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            assert!(back.iter().zip(&q).all(|(a, b)| (sign * a - b).abs() < 1e-15), "{q:?} {back:?}");
        }
    }

    /// d/dt (R x) = ω × R x, by central differences.
    #[test]
    fn cross_rate_turns_vectors() {
        let (q, w, x) = ([0.5, -0.5, 0.5, 0.5], [0.3, -1.2, 0.7], [0.2, 1.0, -0.4]);
        let dq = rate(&q, w);
        let h = 1e-6;
        let at = |s: f64| {
            let moved: Vec<f64> = q.iter().zip(dq).map(|(q, d)| q + s * d).collect();
            apply(&matrix(&moved), x)
        };
        let difference = scale(0.5 / h, add(at(h), scale(-1.0, at(-h))));
        let exact = cross(w, apply(&matrix(&q), x));
        assert!(difference.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-9));
        // the same turning, given in the axes that turn: roundings, of a quaternion of any length
        let long = q.map(|c| 1.3 * c);
        let nu = apply_transposed(&matrix(&long), w);
        for (a, b) in rate(&long, w).iter().zip(rate_in_body(&long, nu)) {
            assert!((a - b).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn exact_normalised_once_is_normalised() {
        for i in 0..1000 {
            let f = |k: u32| (f64::from(i * 7 + k) * 12.9898).sin() * 1.7;
            let mut q = [f(1), f(2), f(3), f(5)];
            normalise(&mut q);
            let once = q;
            normalise(&mut q);
            assert_eq!(once, q);
        }
    }
}
