//! Questions about mechanisms that need no run.

mod poses;
mod workspaces;
