//! Other people's formats, with the dependencies they need.
//!
//! Results become plots ([`plot`]) and Parquet files ([`parquet`]); a scene with its poses becomes pictures ([`still`]), animations ([`animation`])
//! and glTF files ([`glb`]). Pictures are [`drawing`]s: lists of shapes and lines of text that are written as SVG or painted into pixels,
//! without a graphics card and without any font of the machine.

pub mod animation;
pub mod cells;
pub mod deformable;
pub mod drawing;
mod error;
mod geometry;
pub mod glb;
pub mod motion;
pub mod parquet;
pub mod plot;
mod solid;
pub mod still;
pub mod table;

pub use error::Error;
