//! Drawings as SVG.

use super::font::RAISED;
use super::{Anchor, BodyPoint, Colour, Drawing, Element, Pen};
use std::fmt::Write;

/// Families in which the letters are about as wide as in the font of painted pictures.
pub(crate) const FONTS: &str = "Noto Sans,DejaVu Sans,Liberation Sans,Arial,Helvetica,sans-serif";

/// Writes a number with so many decimals at most.
pub(crate) fn write_number(text: &mut String, x: f64, decimals: usize) {
    let x = if x.is_finite() { x } else { 0.0 };
    let start = text.len();
    let _ = write!(text, "{x:.decimals$}");
    if text[start..].contains('.') {
        let kept = text[start..].trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(start + kept);
    }
    match &text[start..] {
        "-0" => {
            text.truncate(start);
            text.push('0');
        }
        number if number.starts_with("0.") => text.replace_range(start..=start, ""),
        number if number.starts_with("-0.") => text.replace_range(start..start + 2, "-"),
        _ => {}
    }
}

pub(super) fn write(drawing: &Drawing) -> String {
    let mut text = String::new();
    open(&mut text, drawing);
    let mut clips = 0;
    let mut clipped = false;
    for element in &drawing.elements {
        if let Element::Clip(window) = element {
            if clipped {
                text.push_str("</g>\n");
            }
            clipped = window.is_some();
            if let Some(window) = window {
                clips += 1;
                let _ = write!(text, "<clipPath id=\"c{clips}\"><rect");
                for (key, value) in ["x", "y", "width", "height"].iter().zip(window) {
                    attribute(&mut text, key, *value);
                }
                let _ = writeln!(text, "/></clipPath>\n<g clip-path=\"url(#c{clips})\">");
            }
            continue;
        }
        write_element(&mut text, element, 2);
    }
    if clipped {
        text.push_str("</g>\n");
    }
    text.push_str("</svg>\n");
    text
}

/// The beginning of a file: size, description, background.
pub(crate) fn open(text: &mut String, drawing: &Drawing) {
    text.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    for (key, length) in ["width", "height"].iter().zip(drawing.size) {
        let _ = write!(text, " {key}=\"");
        if drawing.on_paper {
            write_number(text, length * 25.4 / 96.0, 2);
            text.push_str("mm\"");
        } else {
            write_number(text, length, 2);
            text.push('"');
        }
    }
    text.push_str(" viewBox=\"0 0 ");
    write_number(text, drawing.size[0], 2);
    text.push(' ');
    write_number(text, drawing.size[1], 2);
    let _ = write!(
        text,
        "\" role=\"img\" font-family=\"{FONTS}\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n<title>"
    );
    escape(text, &drawing.description);
    text.push_str("</title>\n");
    if let Some(background) = drawing.background {
        text.push_str("<rect width=\"100%\" height=\"100%\"");
        paint(text, "fill", Some(background));
        text.push_str("/>\n");
    }
}

/// Writes an element with so many decimals of its places.
pub(crate) fn write_element(text: &mut String, element: &Element, decimals: usize) {
    match element {
        Element::Clip(_) => {}
        Element::Path { lines, closed, fill, pen } => {
            text.push_str("<path d=\"");
            for line in lines {
                write_line(text, line, decimals);
                if *closed {
                    text.push('z');
                }
            }
            text.push('"');
            paint(text, "fill", *fill);
            write_pen(text, pen.as_ref());
            text.push_str("/>\n");
        }
        Element::Circle { at, radius, fill, pen } => {
            text.push_str("<circle");
            for (key, value) in ["cx", "cy", "r"].iter().zip([at[0], at[1], *radius]) {
                attribute(text, key, value);
            }
            paint(text, "fill", *fill);
            write_pen(text, pen.as_ref());
            text.push_str("/>\n");
        }
        Element::Text { at, pieces, size, anchor, upwards, colour } => {
            text.push_str("<text");
            if *upwards {
                text.push_str(" transform=\"translate(");
                write_number(text, at[0], 2);
                text.push(' ');
                write_number(text, at[1], 2);
                text.push_str(")rotate(-90)\"");
            } else {
                attribute(text, "x", at[0]);
                attribute(text, "y", at[1]);
            }
            attribute(text, "font-size", *size);
            match anchor {
                Anchor::Start => {}
                Anchor::Middle => text.push_str(" text-anchor=\"middle\""),
                Anchor::End => text.push_str(" text-anchor=\"end\""),
            }
            paint(text, "fill", Some(*colour));
            text.push('>');
            let mut lifted = false;
            for (piece, raised) in pieces {
                if *raised || lifted {
                    let lift = if *raised == lifted {
                        0.0
                    } else if *raised {
                        -RAISED[0]
                    } else {
                        RAISED[0]
                    };
                    text.push_str("<tspan");
                    attribute(text, "dy", lift * size);
                    attribute(text, "font-size", if *raised { RAISED[1] * size } else { *size });
                    text.push('>');
                    escape(text, piece);
                    text.push_str("</tspan>");
                } else {
                    escape(text, piece);
                }
                lifted = *raised;
            }
            text.push_str("</text>\n");
        }
    }
}

/// Nothing is drawn farther off than this; differences of such places are still whole numbers.
const FARTHEST: f64 = 1e7;

/// Places of a line, each relative to the one before: numbers stay short.
fn write_line(text: &mut String, line: &[BodyPoint], decimals: usize) {
    let step = 10_f64.powi(decimals as i32);
    let mut before: Option<[i64; 2]> = None;
    for spot in line {
        // the rounded places are added up, so that errors do not
        let now = spot.map(|x| (x.clamp(-FARTHEST, FARTHEST) * step).round() as i64);
        let (command, pair) = match before {
            None => ('M', now),
            Some(old) => ('l', [now[0] - old[0], now[1] - old[1]]),
        };
        if command == 'M' || before.is_none() {
            text.push(command);
        } else {
            text.push('l');
        }
        write_number(text, pair[0] as f64 / step, decimals);
        if pair[1] >= 0 {
            text.push(' ');
        }
        write_number(text, pair[1] as f64 / step, decimals);
        before = Some(now);
    }
    if line.len() == 1 {
        text.push_str("l0 0");
    }
}

fn attribute(text: &mut String, key: &str, value: f64) {
    let _ = write!(text, " {key}=\"");
    write_number(text, value, 2);
    text.push('"');
}

fn write_pen(text: &mut String, pen: Option<&Pen>) {
    let Some(pen) = pen else { return };
    paint(text, "stroke", Some(pen.colour));
    attribute(text, "stroke-width", pen.width);
    if !pen.dashes.is_empty() {
        text.push_str(" stroke-dasharray=\"");
        for (i, dash) in pen.dashes.iter().enumerate() {
            if i > 0 {
                text.push(' ');
            }
            write_number(text, *dash, 2);
        }
        text.push('"');
    }
}

fn paint(text: &mut String, key: &str, colour: Option<Colour>) {
    let Some(Colour { r, g, b, a }) = colour else {
        let _ = write!(text, " {key}=\"none\"");
        return;
    };
    let _ = write!(text, " {key}=\"#{r:02x}{g:02x}{b:02x}\"");
    if a < 255 {
        let _ = write!(text, " {key}-opacity=\"");
        write_number(text, f64::from(a) / 255.0, 3);
        text.push('"');
    }
}

/// Text as XML wants it; control characters, which XML does not have, are left out.
pub(crate) fn escape(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&letter) => {}
            letter => out.push(letter),
        }
    }
}
