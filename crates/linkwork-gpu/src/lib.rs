//! Thousands to millions of variants of one mechanism on an NVIDIA card, with the bits of the processor.
//!
//! [`Device`] is a [`linkwork::straight::Accelerator`]: give it to `linkwork::Batch::on`. The kernel of a mechanism is written as PTX text ([`ptx`]) and compiled by the driver, which is opened when
//! a device is asked for: nothing of NVIDIA's is needed to build this crate, or to run a program with it on a machine without a card.

mod driver;
pub mod ptx;

pub use driver::Device;
