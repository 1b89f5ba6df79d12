//! Plans, folders and indices as programs use them.

mod folder;
mod indices;
mod plan;
