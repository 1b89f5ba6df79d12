//! The command as users meet it.

mod browser;
mod checkpoint;
mod command;
mod inverse;
mod linear;
mod optimize;
mod pictures;
mod poses;
mod sensitivity;
mod settings;
#[cfg(unix)]
mod sweep;
#[cfg(unix)]
mod view;
#[cfg(unix)]
mod walkthroughs;
