//! The same beam with other elements: pairs of neighbouring sections and the rotation vector between them.
//!
//! What formulations share they can all have wrong. So `newton-euler` bends beams by elements of its own, which have nothing in common with (B1) to (B8) of
//! [`beam`](super::beam) but sections, lengths and stiffness. Of two sections a, b with orientations R_a, R_b (columns: their axes) at r_a, r_b, a length l of arc apart,
//!
//!   (P1)  φ = log(R_aᵀ R_b)                                        rotation vector in the axes of a
//!   (P2)  R_m = R_a exp(φ/2),   γ = R_mᵀ (r_b − r_a)/l,   κ = φ/l      the section half way
//!   (P3)  U = ½ l (ε·C ε),   ε = (γ, κ) − (γ, κ) as drawn
//!
//! This is an element of constant strain as those of Lie groups are [sonneville2014]: no interpolated directors, objective by (P1), errors of order l². With the tangent map
//! T(φ) of rotations, δφ = T(φ)⁻¹ R_aᵀ (δϑ_b − δϑ_a) and δϑ_m = δϑ_a + ½ R_a T(φ/2) δφ, so that with N, M = ∂U/∂(l γ), ∂U/∂(l κ)
//!
//!   (P4)  n = R_m N:                                  force +n on a, −n on b
//!   (P5)  p = (r_b − r_a) × n,   μ = R_a T(φ)⁻ᵀ (M − ½ T(φ/2)ᵀ R_aᵀ p):      moment p + μ on a, −μ on b
//!
//! With e = φ/|φ|, θ = |φ|:
//!
//!   (P6)  T(φ) = s 1 + (1 − s) e eᵀ + c [φ]×,   s = sin θ/θ,  c = (1 − cos θ)/θ²
//!   (P7)  T(φ)⁻¹ = a 1 + (1 − a) e eᵀ − ½ [φ]×,   a = (θ/2) cot(θ/2)
//!
//! Damping is that of the strain rates, as there. Between neighbouring sections a beam may turn by less than half a revolution. A quadratic element of three sections is two
//! pairs here: errors fall with the second power only, and what is left between the two kinds of element is the error of discretisation of this one.

use super::action::Effect;
use crate::linalg::quaternion;
use crate::linalg::vec3::{Mat3, Vec3, add, axpy, cross, dot, norm, scale, sub};

/// Two neighbouring sections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair {
    /// l, m.
    pub length: f64,
    /// C half way.
    pub stiffness: [f64; 6],
    /// (γ, κ) as drawn.
    pub drawn: [f64; 6],
}

/// A section: place, axes (rows are world vectors), velocity and angular velocity.
pub(super) type Station = (Vec3, Mat3, Vec3, Vec3);

/// Forces and moments on both sections.
pub(super) type Ends = [(Vec3, Vec3); 2];

/// Below this angle series are as exact.
const SMALL: f64 = 1e-4;

/// (P6), transposed if `sign` is −1.
fn tangent(phi: Vec3, sign: f64, x: Vec3) -> Vec3 {
    let square = dot(phi, phi);
    let theta = square.sqrt();
    let (s, c) = if theta < SMALL {
        (1.0 - square / 6.0, 0.5 - square / 24.0)
    } else {
        (theta.sin() / theta, (1.0 - theta.cos()) / square)
    };
    // (1 − s) e eᵀ x, without a direction of zero
    let along = if theta < SMALL { 1.0 / 6.0 } else { (1.0 - s) / square };
    axpy(axpy(scale(s, x), along * dot(phi, x), phi), sign * c, cross(phi, x))
}

/// (P7), transposed if `sign` is −1.
fn inverse_tangent(phi: Vec3, sign: f64, x: Vec3) -> Vec3 {
    let square = dot(phi, phi);
    let half = 0.5 * square.sqrt();
    let (a, along) = if half < SMALL {
        (1.0 - square / 12.0, 1.0 / 12.0)
    } else {
        let a = half / half.tan();
        (a, (1.0 - a) / square)
    };
    axpy(axpy(scale(a, x), along * dot(phi, x), phi), -0.5 * sign, cross(phi, x))
}

/// Components along the rows, and the vector of components.
fn into(axes: &Mat3, x: Vec3) -> Vec3 {
    axes.map(|axis| dot(axis, x))
}

fn out_of(axes: &Mat3, x: Vec3) -> Vec3 {
    axpy(axpy(scale(x[0], axes[0]), x[1], axes[1]), x[2], axes[2])
}

/// What (P1) and (P2) say of two sections.
struct Shape {
    phi: Vec3,
    middle: Mat3,
    apart: Vec3,
    strain: [f64; 6],
}

impl Shape {
    fn new(length: f64, a: &Station, b: &Station) -> Self {
        let between: Mat3 = std::array::from_fn(|i| into(&b.1, a.1[i]));
        let [w, x, y, z] = quaternion::of_matrix(&between);
        let sine = norm([x, y, z]);
        let phi = if sine > 0.0 { scale(2.0 * sine.atan2(w) / sine, [x, y, z]) } else { [0.0; 3] };
        let half = quaternion::matrix(&quaternion::of_rotation(scale(0.5, phi)));
        let middle: Mat3 = std::array::from_fn(|i| out_of(&a.1, [half[0][i], half[1][i], half[2][i]]));
        let apart = sub(b.0, a.0);
        let (gamma, kappa) = (scale(1.0 / length, into(&middle, apart)), scale(1.0 / length, phi));
        Shape { phi, middle, apart, strain: [gamma[0], gamma[1], gamma[2], kappa[0], kappa[1], kappa[2]] }
    }

    /// Rates of γ and κ.
    fn rates(&self, length: f64, a: &Station, b: &Station) -> [f64; 6] {
        let phi = inverse_tangent(self.phi, 1.0, into(&a.1, sub(b.3, a.3)));
        let turning = axpy(a.3, 0.5, out_of(&a.1, tangent(scale(0.5, self.phi), 1.0, phi)));
        let gamma = into(&self.middle, sub(sub(b.2, a.2), cross(turning, self.apart)));
        [gamma[0], gamma[1], gamma[2], phi[0], phi[1], phi[2]].map(|x| x / length)
    }
}

impl Pair {
    /// Of a length and a stiffness, between sections as drawn.
    pub(super) fn new(length: f64, stiffness: [f64; 6], a: &Station, b: &Station) -> Self {
        Pair { length, stiffness, drawn: Shape::new(length, a, b).strain }
    }

    /// Stress, that of damping included, and strain relative to the drawing.
    pub(super) fn stress(&self, damping: f64, a: &Station, b: &Station) -> [[f64; 6]; 2] {
        let shape = Shape::new(self.length, a, b);
        let rates = shape.rates(self.length, a, b);
        let strain: [f64; 6] = std::array::from_fn(|i| shape.strain[i] - self.drawn[i]);
        [std::array::from_fn(|i| self.stiffness[i] * (strain[i] + damping * rates[i])), strain]
    }

    /// (P4), (P5); power and potential.
    pub(super) fn act(&self, damping: f64, a: &Station, b: &Station) -> (Ends, Effect) {
        let shape = Shape::new(self.length, a, b);
        let strain: [f64; 6] = std::array::from_fn(|i| shape.strain[i] - self.drawn[i]);
        let mut stress: [f64; 6] = std::array::from_fn(|i| self.stiffness[i] * strain[i]);
        let energy = 0.5 * self.length * (0..6).map(|i| stress[i] * strain[i]).sum::<f64>();
        let mut effect = Effect { power: 0.0, potential: energy };
        if damping != 0.0 {
            for (i, rate) in shape.rates(self.length, a, b).into_iter().enumerate() {
                let viscous = damping * self.stiffness[i] * rate;
                stress[i] += viscous;
                effect.power -= self.length * viscous * rate;
            }
        }
        let [n1, n2, n3, m1, m2, m3] = stress;
        let n = out_of(&shape.middle, [n1, n2, n3]);
        let p = cross(shape.apart, n);
        let by_middle = tangent(scale(0.5, shape.phi), -1.0, into(&a.1, p));
        let mu = out_of(&a.1, inverse_tangent(shape.phi, -1.0, axpy([m1, m2, m3], -0.5, by_middle)));
        ([(n, add(p, mu)), (scale(-1.0, n), scale(-1.0, mu))], effect)
    }
}
