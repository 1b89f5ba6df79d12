//! Coefficients of Radau IIA in three stages [hairer1996], section IV.8.
//!
//! The nodes are the zeros of d²/dx² (x² (x − 1)³), the weights those of collocation there. The inverse of the
//! weights has one real eigenvalue γ and the pair α ± iβ:
//!
//! ```text
//!   (Q1)  T⁻¹ A⁻¹ T = [γ 0 0; 0 α −β; 0 β α]
//!   (Q2)  1/γ = (6 + ∛81 − ∛9)/30,   1/(α + iβ) = (12 − ∛81 + ∛9)/60 − i √3 (∛81 + ∛9)/60
//! ```

/// √6.
const R6: f64 = 2.449_489_742_783_178;

/// Nodes.
pub(super) const C: [f64; 3] = [(4.0 - R6) / 10.0, (4.0 + R6) / 10.0, 1.0];

/// Weights A of the stages; the last row are those of the end.
pub(super) const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * R6) / 360.0, (296.0 - 169.0 * R6) / 1800.0, (-2.0 + 3.0 * R6) / 225.0],
    [(296.0 + 169.0 * R6) / 1800.0, (88.0 + 7.0 * R6) / 360.0, (-2.0 - 3.0 * R6) / 225.0],
    [(16.0 - R6) / 36.0, (16.0 + R6) / 36.0, 1.0 / 9.0],
];

/// γ, α, β of (Q1).
pub(super) const GAMMA: f64 = 3.637_834_252_744_496;
pub(super) const ALPHA: f64 = 2.681_082_873_627_752;
pub(super) const BETA: f64 = 3.050_430_199_247_411;

/// T of (Q1), its columns scaled to have ones in the last row where that is not zero.
pub(super) const T: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_24, -0.141_255_295_020_954_2, -0.030_029_194_105_147_424],
    [0.250_213_122_965_333_3, 0.204_129_352_293_799_93, 0.382_942_112_757_261_9],
    [1.0, 1.0, 0.0],
];

/// T⁻¹.
pub(super) const T_INVERSE: [[f64; 3]; 3] = [
    [4.178_718_591_551_905, 0.327_682_820_761_062_4, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_44],
    [-0.502_872_634_945_786_8, 2.571_926_949_855_605, -0.596_039_204_828_224_9],
];

/// The error estimate: how the embedded formula of order 3 differs, in terms of the z_i/h.
pub(super) const E: [f64; 3] = [-(13.0 + 7.0 * R6) / 3.0, (-13.0 + 7.0 * R6) / 3.0, -1.0 / 3.0];
