//! What the files of items need to describe their keys.

pub(crate) use super::decode::{Decode, Reader};
pub(crate) use super::keys::{Entries, Given, Group, Kind, Rules};
pub(crate) use super::list::part;
pub(crate) use super::table::{Named, table};
pub(crate) use super::values::*;
pub(crate) use super::writing::item::{are, is, numbers};
pub(crate) use super::writing::{Context, Entry, Item};
pub(crate) use crate::error::Fault;
