//! Files of our own, read and run.

mod hostile;
mod mjcf;
