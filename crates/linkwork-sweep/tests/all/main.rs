//! Plans, folders and indices as programs use them.

mod folder;
mod indices;
mod model_file;
mod plan;
