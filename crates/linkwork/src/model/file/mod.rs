//! The model file: TOML or JSON text into a [`Model`](super::Model), with every fault where it stands.
//!
//! The text becomes a tree of spanned values (`document`), the tree is decoded by one description of
//! the format (`format`, `decode`) that also writes the schema for editors, strings are evaluated as
//! expressions with units (`expression`, `units`), and the tables become a model (`build`).

mod document;
mod expression;
mod json;
mod quantity;
mod toml;
mod units;

/// A model file may be this long, in bytes.
pub const MAX_FILE_BYTES: usize = 8 << 20;
/// Tables, lists and dotted keys may nest this deep.
pub const MAX_NESTING: usize = 32;
/// Each table and list (points, bodies, joints ...) may have this many entries.
pub const MAX_ITEMS: usize = 20_000;
/// An expression may be this long, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 1000;
/// Parentheses, signs and powers in an expression may nest this deep.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// This many faults of one file are told; the rest is counted.
pub const MAX_REPORTED_FAULTS: usize = 50;
