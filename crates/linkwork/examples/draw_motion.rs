//! Draws a planar mechanism in motion: its bodies at even times, fading, and the path of one point.
//!
//!   cargo run --release -p linkwork --example draw_motion -- examples/four-bar.toml P docs/images/four-bar.svg

use linkwork::model::Model;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, traced, picture] = args.as_slice() else {
        return Err("usage: draw_motion MODEL POINT PICTURE.svg".into());
    };
    let model = Model::from_file(file)?;
    let mechanism = model.assemble()?;
    let run = mechanism.simulate()?;
    let path = run.positions(&mechanism, traced).ok_or_else(|| format!("there is no point `{traced}`"))?;

    // World to picture: y up, 640 wide, a margin around everything that moves.
    let all = || run.frames.iter().flat_map(|f| f.positions.iter().copied());
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in all() {
        for c in 0..2 {
            low[c] = low[c].min(p[c]);
            high[c] = high[c].max(p[c]);
        }
    }
    let margin = 0.06 * (high[0] - low[0]);
    let scale = 640.0 / (high[0] - low[0] + 2.0 * margin);
    let height = scale * (high[1] - low[1] + 2.0 * margin);
    let place = |p: [f64; 3]| (scale * (p[0] - low[0] + margin), height - scale * (p[1] - low[1] + margin));
    let polygon = |points: &[[f64; 3]]| -> String {
        points.iter().map(|&p| place(p)).fold(String::new(), |mut s, (x, y)| {
            let _ = write!(s, "{x:.1},{y:.1} ");
            s
        })
    };

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 {height:.0}\" width=\"640\" height=\"{height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#c2410c\" stroke-width=\"1.6\"/>",
        polygon(&path)
    );
    // strobe pictures of the first turn
    let shown = 9;
    let span = (run.frames.len() / 6).max(shown);
    let colours = ["#1d4ed8", "#0f766e", "#7c3aed", "#a16207", "#be185d", "#334155"];
    for k in (0..shown).rev() {
        let frame = &run.frames[(k * span / shown).min(run.frames.len() - 1)];
        let fade = if k == 0 { 1.0 } else { 0.30 - 0.025 * k as f64 };
        for (b, body) in model.bodies.iter().enumerate() {
            let corners: Vec<[f64; 3]> = body
                .points
                .iter()
                .filter_map(|name| mechanism.points().iter().position(|p| p.name == *name))
                .map(|i| frame.positions[i])
                .collect();
            let colour = colours[b % colours.len()];
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"{:.2}\" stroke=\"{colour}\" stroke-opacity=\"{fade:.2}\" stroke-width=\"5\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
                polygon(&corners),
                0.25 * fade
            );
        }
    }
    for (i, point) in mechanism.points().iter().enumerate() {
        let (x, y) = place(run.frames[0].positions[i]);
        let ground = model.ground.contains(&point.name);
        let fill = if ground { "#0f172a" } else { "#ffffff" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"{fill}\" stroke=\"#0f172a\" stroke-width=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"16\" fill=\"#0f172a\">{}</text>",
            x + 10.0,
            y - 10.0,
            point.name
        );
    }
    svg.push_str("</svg>\n");
    std::fs::write(picture, svg)?;
    Ok(())
}
