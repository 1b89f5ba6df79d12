//! Questions about a mechanism that need no run: where it rests, how it moves in small, what its motors must deliver, what it can reach.

pub mod inverse;
