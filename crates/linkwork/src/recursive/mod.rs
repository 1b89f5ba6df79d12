//! Open chains and trees in O(n): articulated bodies in world axes, one source for one mechanism and for many.
//!
//! A [`Tree`] of [`Link`]s is compiled once. [`Dynamics`] gives the accelerations of one state, [`Octet`] those of eight at a time; the
//! equations are in `steps.rs`. The kernels are generic over a [`lane::Lane`], so that single links, neighbouring links
//! side by side and variants of a mechanism side by side run the same code and give the same bits. Which instructions the machine
//! has is found out at run time.

pub mod algebra;
mod dynamics;
pub mod lane;
mod octet;
mod packed;
mod response;
mod steps;
mod sweeps;
mod tree;
mod trigonometry;
mod work;

pub use dynamics::{Dynamics, Kernel, LinkMotion};
pub use octet::Octet;
pub use tree::{Link, LinkJoint, Tree, TreeFault, shifted_inertia};
