//! The command as users meet it.

mod browser;
mod checkpoint;
mod command;
mod pictures;
mod poses;
#[cfg(unix)]
mod view;
