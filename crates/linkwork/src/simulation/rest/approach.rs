//! The way of beams to near an equilibrium: Newton's method with stresses foretold.
//!
//! A slender element that turns by θ in a step along its tangent is stretched by θ²/2 of its length, and its axial force is then larger than all other forces by EA l²/EI.
//! [`descent`](super::descent) has to keep its steps short, or that force spoils the next K. So here, as in mixed methods ([magisano2017]), the geometric part of K is that of
//! the stresses σ that the last step meant and not of those that it left; forces are those of the place:
//!
//!   (P1)  σ⁺ = C (ε(q) + ε_q d)
//!   (P2)  (K(q, σ) + s M) d + Aᵀμ = r(q),   A d = 0
//!   (P3)  sections turn by the whole rotation that d means; then everything is moved onto Φ = 0
//!
//! K(q, σ) is the derivative of the forces that σ makes, with the multipliers that keep those forces in balance. Nothing watches over the work here: what has not come near an
//! equilibrium after [`MOST`] steps is given up, and the descent begins from the start.

use super::descent::Scale;
use super::sparse::Sparse;

/// The most steps.
const MOST: u32 = 40;
/// Steps this short, as a part of the size, are left to the descent.
const NEAR: f64 = 1e-7;
/// Nothing goes this far in a step, in sizes, on the way to an equilibrium.
const FAR: f64 = 1e2;
/// s of (P2), as a part of the square of a typical rate.
const SHIFT: f64 = 1e-9;

/// Steps taken to near an equilibrium; `None` if none was found, and the mechanism is where it was.
pub(super) fn approach(sparse: &mut Sparse<'_>, scale: Scale) -> Option<u32> {
    let start = sparse.y().to_vec();
    let steps = (1..=MOST).find_map(|step| match sparse.step_foretold(SHIFT * scale.rate) {
        Some(longest) if longest <= NEAR * scale.size => Some(Some(step)),
        Some(longest) if longest <= FAR * scale.size => None,
        _ => Some(None),
    });
    let steps = steps.flatten();
    if steps.is_none() {
        sparse.put(&start);
    }
    steps
}
