//! What the Rust participants share: the exchange format of `models.py` and the line protocol of `drivers/tree.hpp`.

pub mod protocol;
pub mod tree;
