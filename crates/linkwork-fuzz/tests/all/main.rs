//! The fuzzing targets on a few inputs, and written models.

mod smoke;
mod written;
