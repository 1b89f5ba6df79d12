//! Vectors and rotations.

pub use linkwork_scene::scene::Vector;

pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn scaled(a: Vector, by: f64) -> Vector {
    a.map(|x| x * by)
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The direction of a vector; z where it has none.
pub fn unit(a: Vector) -> Vector {
    let size = length(a);
    if size > 1e-300 { scaled(a, 1.0 / size) } else { [0.0, 0.0, 1.0] }
}

/// A direction across another.
pub fn across(a: Vector) -> Vector {
    let smallest = (0..3).min_by(|&i, &k| a[i].abs().total_cmp(&a[k].abs())).unwrap_or(0);
    let mut e = [0.0; 3];
    e[smallest] = 1.0;
    unit(cross(a, e))
}

/// A place between two.
pub fn between(a: Vector, b: Vector, s: f64) -> Vector {
    add(a, scaled(sub(b, a), s))
}

/// Turns a vector by a quaternion w, x, y, z.
pub fn turned(q: [f64; 4], a: Vector) -> Vector {
    let v = [q[1], q[2], q[3]];
    let t = scaled(cross(v, a), 2.0);
    add(add(a, scaled(t, q[0])), cross(v, t))
}

/// The quaternion w, x, y, z that turns z into a direction of unit length.
pub fn from_z(to: Vector) -> [f64; 4] {
    from_to([0.0, 0.0, 1.0], to)
}

/// The shortest rotation of one direction into another.
pub fn from_to(from: Vector, to: Vector) -> [f64; 4] {
    let w = 1.0 + dot(from, to);
    if w < 1e-12 {
        let n = across(from);
        return [0.0, n[0], n[1], n[2]];
    }
    let v = cross(from, to);
    normalised([w, v[0], v[1], v[2]])
}

/// A quaternion of length one.
pub fn normalised(q: [f64; 4]) -> [f64; 4] {
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if size > 1e-300 && size.is_finite() { q.map(|x| x / size) } else { [1.0, 0.0, 0.0, 0.0] }
}
