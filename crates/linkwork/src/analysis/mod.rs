//! Questions about a mechanism that need no run: where it rests, how it moves in small, what its motors must deliver, what it can reach.

mod at_positions;
mod configuration;
pub mod pose;
mod position_quantity;
pub mod workspace;
