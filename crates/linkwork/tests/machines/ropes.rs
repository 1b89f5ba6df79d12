//! Chains and ropes against closed forms, and formulations against each other.

mod agreement;
mod air;
mod examples;
mod ground;
mod hanging;
mod large;
mod shared;
mod stiffness;
mod supply;
mod winch;
