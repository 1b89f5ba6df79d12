//! Pages that play modes: one for each, and `modes.html`, which lists them and shows one.

use super::{Found, eigenvalue, line};
use crate::output::short;
use linkwork::analysis::Tangent;
use linkwork_linear::{Kind, Mode};
use linkwork_scene::{Recorder, Recording};
use linkwork_view::motion_page;
use serde_json::json;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::Path;

/// The largest displacement of a point that is played, in parts of the size of the mechanism.
const AMPLITUDE: f64 = 0.08;
/// The largest turn of a body, rad.
const MOST_TURN: f64 = 0.35;
/// Seconds that a period, or a time constant, is played in, and frames of it.
const PLAYED: f64 = 2.0;
const FRAMES: usize = 60;
/// Periods of an oscillation that are played; an oscillation that dies away or grows faster is played for this many time constants.
const PERIODS: f64 = 3.0;
const CONSTANTS: f64 = 3.0;

/// Names and texts of all pages.
pub fn all(found: &Found, count: usize) -> Result<Vec<(String, String)>, String> {
    let wrong = |error: linkwork::Error| error.to_string();
    let mut tangent =
        Tangent::new(&found.mechanism, &found.state, found.linear.formulation).map_err(wrong)?;
    let mut pages = Vec::new();
    let mut index = Vec::new();
    for (i, mode) in found.modes.list.iter().take(count).enumerate() {
        let name = page_name(i);
        let page = played(found, &mut tangent, mode)?;
        let there = page.is_some();
        if let Some(page) = page {
            pages.push((name, page));
        }
        index.push((i, mode, there));
    }
    pages.push(("modes.html".into(), list(found, &index)));
    Ok(pages)
}

/// Whether a page is part of another.
pub fn is_part(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mode-"))
}

fn page_name(i: usize) -> String {
    format!("mode-{}.html", i + 1)
}

/// How a mode is played: seconds of it that are shown, and how many of them pass in one that is played.
struct Pace {
    length: f64,
    speed: f64,
}

fn pace(mode: &Mode) -> Pace {
    let (rate, turns) = (mode.eigenvalue.re.abs(), mode.frequency());
    let unit = match (mode.kind, turns > 0.0) {
        (Kind::Free, _) => return Pace { length: PLAYED, speed: 1.0 },
        (_, true) => 1.0 / turns,
        _ => 1.0 / rate,
    };
    let periods = if turns > 0.0 { PERIODS * unit } else { f64::INFINITY };
    let constants = if rate > 0.0 { CONSTANTS / rate } else { f64::INFINITY };
    // of an oscillation at least one period
    let length = if turns > 0.0 { constants.clamp(unit, periods) } else { constants };
    Pace { length, speed: unit / PLAYED }
}

/// The page of a mode; `None` if it moves nothing.
fn played(found: &Found, tangent: &mut Tangent<'_>, mode: &Mode) -> Result<Option<String>, String> {
    let linear = &found.linear;
    let n = linear.states.len();
    let moved = |rows: &[f64]| {
        rows.chunks(n.max(1))
            .map(|row| row.iter().zip(&mode.shape).map(|(m, x)| x * *m).sum::<linkwork_linear::c64>().norm())
            .fold(0.0_f64, f64::max)
    };
    let paths = linear.points.iter().map(|point| moved(&point.by_state));
    let paths = paths.chain(linear.bodies.iter().map(|body| moved(&body.by_state[..3 * n])));
    let path = paths.fold(0.0, f64::max);
    let turn = linear.bodies.iter().map(|body| moved(&body.by_state[3 * n..])).fold(0.0, f64::max);
    let size = found.mechanism.size();
    let against = (path / (AMPLITUDE * size)).max(turn / MOST_TURN);
    if against == 0.0 {
        return Ok(None);
    }
    let pace = pace(mode);
    let frames = ((pace.length / pace.speed / PLAYED * FRAMES as f64) as usize).clamp(FRAMES, 20 * FRAMES);
    // the largest of it all is the amplitude: at the end of what grows
    let growth = mode.eigenvalue.re.max(0.0) * pace.length;
    let mut amplitude = 1.0 / against;
    for _ in 0..6 {
        match record(found, tangent, mode, amplitude * (-growth).exp(), &pace, frames) {
            Ok((recording, values)) => {
                let summary = json!({
                    "status": eigenvalue(mode) + " 1/s",
                    "settings": { "formulation": linear.formulation.name() },
                    "remarks": [{ "message": format!(
                        "Played {} as it is: {}; the largest displacement is {} of the size of the mechanism.",
                        speed(pace.speed), mode.kind, short(path * amplitude / size)
                    ) }],
                });
                let page = motion_page(&recording, "amplitude", &values, summary);
                return page.map(Some).map_err(|error| error.to_string());
            }
            // the constraints do not allow so much
            Err(_) => amplitude *= 0.4,
        }
    }
    Ok(None)
}

fn speed(speed: f64) -> String {
    match speed {
        s if s < 0.999 => format!("{} times slower than", short(1.0 / s)),
        s if s > 1.001 => format!("{} times faster than", short(s)),
        _ => "as fast".into(),
    }
}

/// q₀ + s Re(φ e^{λt}), projected, frame by frame.
fn record(
    found: &Found,
    tangent: &mut Tangent<'_>,
    mode: &Mode,
    amplitude: f64,
    pace: &Pace,
    frames: usize,
) -> Result<(Recording, Vec<f64>), String> {
    let mut recorder = Recorder::new(&found.mechanism);
    let mut values = Vec::new();
    for k in 0..=frames {
        let t = pace.length * k as f64 / frames as f64;
        let (size, phase) = match mode.kind {
            Kind::Free => ((TAU * t / PLAYED).sin(), 0.0),
            _ => ((mode.eigenvalue.re * t).exp(), mode.eigenvalue.im * t),
        };
        values.push(size * phase.cos());
        let x = mode.displaced(amplitude * size, phase);
        let mut frame = tangent.frame_at(&x).map_err(|error| error.to_string())?.clone();
        frame.t = t / pace.speed;
        recorder.record(&found.mechanism, &frame);
    }
    let mut bytes = Vec::new();
    recorder.write(&mut bytes, &[]).map_err(|error| error.to_string())?;
    let recording = Recording::from_reader(bytes.as_slice()).map_err(|error| error.to_string())?;
    Ok((recording, values))
}

/// Text that stands in HTML.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "body{margin:0;display:flex;height:100vh;font:14px system-ui,sans-serif;color:#222;background:#fff}\
nav{overflow:auto;padding:12px;max-width:46%;box-sizing:border-box}iframe{flex:1;border:0;border-left:1px solid #ccc}\
h1{font-size:18px;margin:0 0 4px}p{margin:4px 0 12px;color:#555}table{border-collapse:collapse}\
th,td{text-align:left;padding:6px 8px 0;border-top:1px solid #ddd;vertical-align:top}tr.parts td{border-top:0;padding:0 8px 6px;color:#555;font-size:12px}th{white-space:nowrap}td.n{white-space:nowrap;font-variant-numeric:tabular-nums}\
.unstable{color:#b00020;font-weight:600}\
@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}p,tr.parts td{color:#aaa}th,td{border-color:#333}iframe{border-color:#333}a{color:#7ab7ff}.unstable{color:#ff6b7a}}\
@media(max-width:900px){body{flex-direction:column}nav{max-width:none;max-height:45vh}iframe{border-left:0;border-top:1px solid #ccc}}";

/// `modes.html`: plain HTML; a link opens the page of a mode beside the list.
fn list(found: &Found, index: &[(usize, &Mode, bool)]) -> String {
    let name = html(&found.linear.model);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; frame-src 'self' file:; base-uri 'none'; form-action 'none'\">\n\
        <meta name=\"viewport\" content=\"width=device-width\">\n<title>Modes of {name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<nav>\n<h1>Modes of {name}</h1>\n\
        <p>At t = {} s{}; {} states, {} of {} modes.</p>\n<table>\n<tr><th></th><th>kind</th><th>eigenvalue, 1/s</th><th>frequency</th><th>damping</th><th>time constant</th></tr>\n",
        short(found.linear.t),
        found.first_value().map_or(String::new(), |first| format!(", {}", html(&first))),
        found.linear.states.len(),
        index.len(),
        found.modes.list.len()
    );
    for (i, mode, there) in index {
        let [number, kind, eigenvalue, frequency, damping, constant, bodies, joints] =
            line(*i, mode).map(|cell| html(&cell));
        let link = match there {
            true => format!("<a href=\"{}\" target=\"mode\">mode {number}</a>", page_name(*i)),
            false => format!("mode {number}"),
        };
        let _ = writeln!(
            text,
            "<tr><td class=\"n\">{link}</td><td class=\"{kind}\">{kind}</td><td class=\"n\">{eigenvalue}</td><td class=\"n\">{frequency}</td><td class=\"n\">{damping}</td>\
            <td class=\"n\">{constant}</td></tr>\n<tr class=\"parts\"><td></td><td colspan=\"5\">{bodies}<br>{joints}</td></tr>"
        );
    }
    text.push_str("</table>\n</nav>\n");
    let played =
        |free: bool| index.iter().find(|(_, mode, there)| *there && (free || mode.kind != Kind::Free));
    if let Some((i, ..)) = played(false).or_else(|| played(true)) {
        let _ = writeln!(
            text,
            "<iframe name=\"mode\" title=\"The mode, playing\" src=\"{}\"></iframe>",
            page_name(*i)
        );
    }
    text.push_str("</body>\n</html>\n");
    text
}
