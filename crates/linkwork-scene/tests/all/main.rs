//! Scenes of all examples, and recordings.

mod examples;
mod pictures;
mod recording;
