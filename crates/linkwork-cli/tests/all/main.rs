//! The command as users meet it.

mod browser;
mod checkpoint;
mod command;
mod inverse;
mod pictures;
#[cfg(unix)]
mod view;
