//! The page: one HTML file with everything in it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use std::io::{self, Write};

const PAGE: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/page.css");

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        /// The scripts in their order: names and texts.
        const SCRIPTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../page/", $name)))),*];
    };
}

// as page/README.md has them
scripts!(
    "decode.js",
    "linear.js",
    "meshes.js",
    "gl.js",
    "group.js",
    "look.js",
    "paint.js",
    "camera.js",
    "elements.js",
    "scene.js",
    "plots.js",
    "controls.js",
    "panels.js",
    "labels.js",
    "live.js",
    "viewer.js",
    "choices.js",
    "pointing.js",
    "main.js",
);

/// All scripts in one scope.
fn script() -> String {
    let texts: Vec<&str> = SCRIPTS.iter().map(|(_, text)| *text).collect();
    format!("(() => {{ \"use strict\";\n{}\n}})();", texts.join("\n"))
}

/// Bytes for the page: a zlib stream in Base64.
pub fn blob(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// JSON that can stand in a `<script>`: no text in it, whatever its author wrote, ends the element or begins a comment.
pub fn script_safe(json: &str) -> String {
    // within JSON these stand in strings only, where an escape means the same
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The page with its data.
pub fn page(data: &impl Serialize) -> io::Result<String> {
    let data = script_safe(&serde_json::to_string(data)?);
    // the data last: nothing in them is a marker to anybody
    let (before, after) =
        PAGE.split_once("/*DATA*/").ok_or_else(|| io::Error::other("the page has no place for data"))?;
    let script = script();
    let fill = |part: &str| part.replacen("/*STYLE*/", STYLE, 1).replacen("/*SCRIPT*/", &script, 1);
    Ok([&fill(before), data.as_str(), &fill(after)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a model's author calls a body does not leave the script.
    #[test]
    fn keeps_names_within_the_script() {
        let name = "</script><script>alert(1)</script><!-- <SCRIPT ]]> & /*STYLE*/";
        let html = page(&serde_json::json!({ "name": name })).unwrap();
        let (_, data) = html.split_once("id=\"linkwork-data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        assert!(!data.contains('<') && !data.contains("-->"));
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(read["name"], name);
    }

    /// The order of the scripts is told once for people and once here.
    #[test]
    fn same_order_as_the_readme() {
        let readme = include_str!("../page/README.md");
        let line = readme.lines().find(|line| line.starts_with("`decode.js`")).unwrap();
        let told: Vec<&str> = line.split('`').filter(|name| name.ends_with(".js")).collect();
        let here: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(told, here);
    }

    #[test]
    fn keeps_everything_in_one_file() {
        let html = page(&serde_json::json!({})).unwrap();
        for marker in ["/*STYLE*/", "/*SCRIPT*/", "/*DATA*/"] {
            assert!(!html.contains(marker), "{marker}");
        }
    }
}
