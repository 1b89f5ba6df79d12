//! Files of named items in TOML or JSON: text into a tree of values with their places, and the tree into typed tables, with every fault where it stands.
//!
//! `document` is the tree, `decode` goes through it and gathers the faults, `values` are the kinds of value behind keys, `table` and `keys` list the keys of a
//! table once for decoding, schema and writing, `parameters` evaluates the named numbers of a file, `writing` is the way back. Which tables there are is not known here.

#[cfg(feature = "file")]
pub(crate) mod along_coordinate;
#[cfg(feature = "file")]
pub(crate) mod beside;
#[cfg(feature = "file")]
pub(crate) mod csv_table;
#[cfg(feature = "file")]
pub(crate) mod decode;
#[cfg(feature = "file")]
pub(crate) mod document;
#[cfg(feature = "file")]
pub(crate) mod json;
#[cfg(feature = "file")]
pub(crate) mod keys;
pub(crate) mod list;
#[cfg(feature = "file")]
pub(crate) mod parameters;
#[cfg(feature = "file")]
pub(crate) mod prelude;
#[cfg(feature = "file")]
pub(crate) mod table;
#[cfg(feature = "file")]
pub(crate) mod toml;
#[cfg(feature = "file")]
pub(crate) mod values;
#[cfg(feature = "file")]
pub(crate) mod writing;

/// Tables, lists and dotted keys may nest this deep.
#[cfg(feature = "file")]
pub const MAX_NESTING: usize = 32;
/// Each table and list (points, bodies, joints ...) may have this many entries.
#[cfg(feature = "file")]
pub const MAX_ITEMS: usize = 20_000;
/// This many faults of one file are reported; the rest is counted.
#[cfg(feature = "file")]
pub const MAX_REPORTED_FAULTS: usize = 50;
#[cfg(feature = "file")]
/// This many faults are kept to be put in order; later ones are counted.
pub(crate) const MAX_COLLECTED_FAULTS: usize = 10_000;

#[cfg(feature = "file")]
/// Whether a path is that of an item or of a part of it.
pub(crate) fn within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
