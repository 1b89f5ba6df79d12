//! The command as users meet it.

mod browser;
mod checkpoint;
mod command;
mod inverse;
mod linear;
mod pictures;
#[cfg(unix)]
mod sweep;
#[cfg(unix)]
mod view;
