//! Open chains and trees in O(n): articulated bodies in world axes, one source for one mechanism and for many.
//!
//! A [`Tree`] of [`Link`]s is compiled once. [`Dynamics`] gives the accelerations of one state, [`Octet`] those of eight at a time; the
//! equations are in `steps.rs`. The kernels are generic over a [`lane::Lane`], so that single links, neighbouring links
//! side by side and variants of a mechanism side by side run the same code and give the same bits. Which instructions the machine
//! has is found out at run time.
//!
//! Around it: [`Inverse`] dynamics with energy and momentum, the [`MassMatrix`] and its inverse, [`Jacobians`] of places, and analytic
//! [`Derivatives`] of inverse and forward dynamics. They begin with the same first sweep. `docs/theory/recursive.md` has their mathematics.
//!
//! Sources: articulated bodies \[featherstone1983\], \[brandl1986\], \[featherstone2008\]; the mass matrix by composite bodies \[walker1982\]; inverse dynamics \[luh1980\]; derivatives
//! \[carpentier2018\].

pub mod algebra;
mod by_columns;
mod derivatives;
mod dynamics;
mod inverse;
mod jacobian;
pub mod lane;
mod mass_matrix;
mod octet;
mod packed;
mod posture;
mod response;
mod steps;
pub(crate) mod sweeps;
pub(crate) mod tree;
mod trigonometry;
mod variations;
pub(crate) mod work;

pub use derivatives::{Derivatives, NoInertia};
pub use dynamics::{Dynamics, Kernel, LinkMotion};
pub use inverse::{Inverse, Load, Totals};
pub use jacobian::Jacobians;
pub use mass_matrix::MassMatrix;
pub use octet::Octet;
pub use tree::{Link, LinkJoint, Tree, TreeFault, shifted_inertia};
