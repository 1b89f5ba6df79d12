//! Chains and ropes against closed forms, and formulations against each other.

mod suite;

#[path = "ropes/agreement.rs"]
mod agreement;
#[path = "ropes/air.rs"]
mod air;
#[path = "ropes/examples.rs"]
mod examples;
#[path = "ropes/ground.rs"]
mod ground;
#[path = "ropes/hanging.rs"]
mod hanging;
#[path = "ropes/large.rs"]
mod large;
#[path = "ropes/shared.rs"]
mod shared;
#[path = "ropes/stiffness.rs"]
mod stiffness;
#[path = "ropes/supply.rs"]
mod supply;
#[path = "ropes/winch.rs"]
mod winch;
