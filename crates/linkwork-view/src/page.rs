//! The page: one HTML file with everything in it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};
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
    "surfaces.js",
    "gl.js",
    "group.js",
    "look.js",
    "paint.js",
    "camera.js",
    "elements.js",
    "deformable.js",
    "scene.js",
    "plots.js",
    "controls.js",
    "pictures.js",
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

/// What a content security policy calls the text of an element.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// The content of an element of a page, by its tag.
fn content<'p>(page: &'p str, tag: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

/// The page as a file by itself: nothing runs in it but its own script, whatever a name in the data holds, and it talks to nobody.
pub fn page_alone(data: &impl Serialize) -> io::Result<String> {
    let page = page(data)?;
    // the data hold no `<`: these are the page's own elements
    let (Some(style), Some(script)) = (content(&page, "style"), content(&page, "script")) else {
        return Err(io::Error::other("the page has no style or script"));
    };
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; style-src-attr 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    );
    let meta = format!(
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
    );
    Ok(page.replacen("<meta charset=\"utf-8\">", &meta, 1))
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

    /// The policy names the very script and style that stand in the page, and a name cannot add to it.
    #[test]
    fn keeps_everything_else_from_running() {
        let html =
            page_alone(&serde_json::json!({ "name": "<script>alert(1)</script><meta charset=\"utf-8\">" }))
                .unwrap();
        let (head, _) = html.split_once("<style>").unwrap();
        assert_eq!(html.matches("Content-Security-Policy").count(), 1);
        for tag in ["script", "style"] {
            assert!(head.contains(&format!("{tag}-src {}", hash(content(&html, tag).unwrap()))), "{tag}");
        }
        assert!(head.contains("default-src 'none'"));
        // of a text whose digest is published (FIPS 180-2)
        assert_eq!(hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
    }

    /// The order of the scripts is given once for people and once here.
    #[test]
    fn same_order_as_the_readme() {
        let readme = include_str!("../page/README.md");
        let line = readme.lines().find(|line| line.starts_with("`decode.js`")).unwrap();
        let reported: Vec<&str> = line.split('`').filter(|name| name.ends_with(".js")).collect();
        let here: Vec<&str> = SCRIPTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(reported, here);
    }

    /// What colours can show, and the colours, are listed once for pictures and once in the page.
    #[test]
    fn same_fields_and_colours_in_the_page() {
        use linkwork_scene::scene::deformable::{BEAM_FIELDS, MODAL_FIELDS, scale_colours};
        let script = include_str!("../page/deformable.js");
        let listed = |name: &str| -> serde_json::Value {
            let (_, rest) = script.split_once(&format!("const {name} = ")).unwrap();
            serde_json::from_str(rest.split_once(";\n").unwrap().0).unwrap()
        };
        assert_eq!(listed("BEAM_FIELDS"), serde_json::json!(BEAM_FIELDS));
        assert_eq!(listed("MODAL_FIELDS"), serde_json::json!(MODAL_FIELDS));
        let hex = |signed| scale_colours(signed).iter().map(|c| format!("#{c:06x}")).collect::<Vec<_>>();
        assert_eq!(listed("SCALES"), serde_json::json!({ "signed": hex(true), "unsigned": hex(false) }));
    }

    #[test]
    fn keeps_everything_in_one_file() {
        let html = page(&serde_json::json!({})).unwrap();
        for marker in ["/*STYLE*/", "/*SCRIPT*/", "/*DATA*/"] {
            assert!(!html.contains(marker), "{marker}");
        }
    }
}
