//! The command `linkwork`.
fn main() {}
