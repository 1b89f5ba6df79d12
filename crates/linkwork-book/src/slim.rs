//! Pictures that are kept in the repository: the same SVG in fewer bytes. Looks that many shapes share become classes, and short outlines
//! have one digit behind the point, a tenth of a pixel. Long lines stay as they are, since rounded differences would add up.

use std::collections::BTreeMap;

/// Looks that fewer shapes have stay where they are.
const SHARED: usize = 4;
/// Outlines with more numbers than this are long.
const SHORT: usize = 24;

/// Makes an SVG text smaller whose shapes stand on lines of their own; others come back as they are.
pub fn slim(svg: &str) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, look) in svg.lines().filter_map(path) {
        *counts.entry(look).or_default() += 1;
    }
    let shared = counts.into_iter().filter(|(look, count)| *count >= SHARED && !look.is_empty());
    let names: BTreeMap<&str, String> =
        shared.enumerate().map(|(i, (look, _))| (look, format!("s{i}"))).collect();
    let mut out = String::new();
    for line in svg.lines() {
        match path(line) {
            None => out.push_str(line),
            Some((outline, look)) => {
                let outline = rounded(outline);
                match names.get(look) {
                    Some(name) => out.push_str(&format!("<path class=\"{name}\" d=\"{outline}\"/>")),
                    None => out.push_str(&format!("<path d=\"{outline}\" {look}/>")),
                }
            }
        }
        out.push('\n');
        if line.ends_with("</title>") && !names.is_empty() {
            let rules: Vec<String> =
                names.iter().map(|(look, name)| format!(".{name}{{{}}}", rules(look))).collect();
            out.push_str(&format!("<style>{}</style>\n", rules.join("")));
        }
    }
    out
}

/// Outline and look of a line that is a path.
fn path(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix("<path d=\"")?.strip_suffix("/>")?;
    let (outline, look) = inside.split_once('"')?;
    Some((outline, look.trim()))
}

/// `fill="none" stroke-width=".8"` as rules of a style sheet.
fn rules(look: &str) -> String {
    look.trim_end_matches('"').replace("=\"", ":").replace("\" ", ";")
}

fn rounded(outline: &str) -> String {
    let pieces = pieces(outline);
    let numbers = pieces.iter().filter(|piece| piece.parse::<f64>().is_ok()).count();
    if numbers > SHORT {
        return outline.to_owned();
    }
    let mut out = String::new();
    for piece in pieces {
        match piece.parse::<f64>() {
            Err(_) => out.push_str(piece),
            Ok(number) => {
                let number = (number * 10.0).round() / 10.0;
                let text = if number == 0.0 { "0".to_owned() } else { number.to_string() };
                // a sign tells two numbers apart, everything else needs a space
                let joined = out.ends_with(|c: char| c.is_ascii_digit()) && !text.starts_with('-');
                out.push_str(if joined { " " } else { "" });
                out.push_str(&text);
            }
        }
    }
    out
}

/// Numbers and letters of an outline, without what stands between them.
fn pieces(outline: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let bytes = outline.as_bytes();
    while start < bytes.len() {
        let mut end = start + 1;
        match bytes[start] {
            b' ' | b',' => {}
            b'-' | b'.' | b'0'..=b'9' => {
                let mut point = bytes[start] == b'.';
                while end < bytes.len() && (bytes[end].is_ascii_digit() || (bytes[end] == b'.' && !point)) {
                    point |= bytes[end] == b'.';
                    end += 1;
                }
                pieces.push(&outline[start..end]);
            }
            first => {
                // a letter, or whatever else: kept whole
                end = start
                    + if first.is_ascii() {
                        1
                    } else {
                        outline[start..].chars().next().map_or(1, char::len_utf8)
                    };
                pieces.push(&outline[start..end]);
            }
        }
        start = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_outlines_keep_their_places() {
        assert_eq!(rounded("M205.25 175.83l-8.31-13.98l-4.63 .3z"), "M205.3 175.8l-8.3-14l-4.6 0.3z");
        assert_eq!(rounded("M1.04.06L3 -.01"), "M1 0.1L3 0");
        let long = format!("M0 0{}", "l1.234 5.678".repeat(20));
        assert_eq!(rounded(&long), long);
    }

    #[test]
    fn exact_shared_looks_become_classes() {
        let shape = "<path d=\"M0 0l1 1\" fill=\"none\" stroke-width=\".8\"/>\n";
        let text = format!("<svg>\n<title>t</title>\n{}<circle r=\"1\"/>\n</svg>\n", shape.repeat(4));
        let slim = slim(&text);
        assert!(slim.contains("<style>.s0{fill:none;stroke-width:.8}</style>"), "{slim}");
        assert_eq!(slim.matches("<path class=\"s0\" d=\"M0 0l1 1\"/>").count(), 4);
        assert!(slim.contains("<circle r=\"1\"/>") && slim.ends_with("</svg>\n"));
    }

    #[test]
    fn same_picture_where_nothing_is_shared() {
        let text = "<svg>\n<title>t</title>\n<path d=\"M0 0l1 1\" fill=\"none\"/>\n</svg>\n";
        assert_eq!(slim(text), text);
    }
}
