//! Vectors of three components as plain arrays; a planar vector has z = 0.

/// Three components in world axes.
pub type Vec3 = [f64; 3];
/// A 3x3 matrix, rows first.
pub type Mat3 = [Vec3; 3];

/// The zero vector.
pub const ZERO: Vec3 = [0.0; 3];
/// The identity matrix.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// a + b
#[inline]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
/// a − b
#[inline]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
/// s a
#[inline]
pub fn scale(s: f64, a: Vec3) -> Vec3 {
    [s * a[0], s * a[1], s * a[2]]
}
/// a + s b
#[inline]
pub fn axpy(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}
/// a · b
#[inline]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
/// a × b
#[inline]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
/// |a|
#[inline]
pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}
/// a / |a|; the zero vector stays zero.
pub fn unit(a: Vec3) -> Vec3 {
    let n = norm(a);
    if n > 0.0 { scale(1.0 / n, a) } else { ZERO }
}
/// Some unit vector perpendicular to a (unit) vector, the same for the same input.
pub fn any_perpendicular(a: Vec3) -> Vec3 {
    let smallest = (0..3).min_by(|&i, &j| a[i].abs().total_cmp(&a[j].abs())).unwrap_or(0);
    unit(cross(a, IDENTITY[smallest]))
}
/// Three axes: the first along `axis` (a unit vector), the second as near to `side` as the first allows, or across z where there is none.
pub fn triad(axis: Vec3, side: Option<Vec3>) -> Mat3 {
    let hint = side.unwrap_or_else(|| cross([0.0, 0.0, 1.0], axis));
    let v = unit(sub(hint, scale(dot(hint, axis), axis)));
    let v = if norm(v) == 0.0 { any_perpendicular(axis) } else { v };
    [axis, v, cross(axis, v)]
}
/// M a
#[inline]
pub fn apply(m: &Mat3, a: Vec3) -> Vec3 {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}
/// Mᵀ a
#[inline]
pub fn apply_transposed(m: &Mat3, a: Vec3) -> Vec3 {
    add(add(scale(a[0], m[0]), scale(a[1], m[1])), scale(a[2], m[2]))
}
