//! Files and pictures from results.

mod motions;
mod parquet_file;
mod plots;
mod stills;
