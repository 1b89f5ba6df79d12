//! The live viewer from outside: a real server on a free port, real sockets.

mod frames;
mod host;
mod refusals;
mod reloading;
mod steering;
