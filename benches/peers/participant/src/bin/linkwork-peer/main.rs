//! Linkwork as a participant: forward dynamics of trees, and whole runs of mechanisms with loops.

mod runs;
mod trees;

use peers_participant::protocol::{Loaded, serve};

fn load(text: &str) -> Result<Loaded, String> {
    let json: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    match json.get("kind").and_then(|k| k.as_str()) {
        Some(_) => runs::load(json),
        None => trees::load(json),
    }
}

fn main() {
    serve(load);
}
