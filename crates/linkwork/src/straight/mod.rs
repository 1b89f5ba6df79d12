//! Kernels as straight-line code: the same operations in the same order, for machines that have no Rust.
//!
//! A kernel that is written over [`lane::Lane`](crate::recursive::lane::Lane) is run once with a lane that writes down what it is asked to do. What is left, a [`Code`], has no loops, no branches
//! and no zeros, and gives every bit that the kernel gives, but for the signs of zeros. A [`Program`] makes a run of it: steps of a given size. [`Runner`] runs it here, an [`Accelerator`] elsewhere.

mod code;
mod program;
mod recorder;
mod run;
pub(crate) mod tree;

pub use code::{Code, Guard, Op};
pub use program::{Accelerator, AcceleratorError, Columns, Method, Program, Steps};
pub(crate) use run::fuses;
pub use run::{BLOCK, Runner};
