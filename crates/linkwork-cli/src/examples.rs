//! `linkwork examples`: the models of the repository's examples folder, built in.

use crate::Outcome;
use crate::output::{print_text, write_whole};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ExamplesArguments {
    /// The example to show
    pub name: Option<String>,
    /// Write the example to this file
    #[arg(short, long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
}

/// The examples that the command carries: file name without ending, what it shows, text.
pub const EXAMPLES: &[(&str, &str, &str)] = &[
    ("pendulum", "a rod on a pin", include_str!("../examples/pendulum.toml")),
    (
        "double-pendulum",
        "two bars, parameters, given inertia",
        include_str!("../examples/double-pendulum.toml"),
    ),
    (
        "point-mass-pendulum",
        "point masses on massless rods",
        include_str!("../examples/point-mass-pendulum.toml"),
    ),
    ("spring", "a bar on a spring", include_str!("../examples/spring.toml")),
    ("four-bar", "a closed loop and the path of a coupler point", include_str!("../examples/four-bar.toml")),
    (
        "straight-line",
        "a four-bar whose hardpoints an optimisation moves",
        include_str!("../examples/straight-line.toml"),
    ),
    (
        "four-bar-in-space",
        "hinges of two points each, three redundant constraints",
        include_str!("../examples/four-bar-in-space.toml"),
    ),
    (
        "latch",
        "a limit that bounces, a lock, a condition that ends the run",
        include_str!("../examples/latch.toml"),
    ),
    (
        "linkage",
        "two parallelograms that swing through their flat, singular position",
        include_str!("../examples/linkage.toml"),
    ),
    (
        "stiff-pendulum",
        "a spring a million times stiffer than gravity, with a damper",
        include_str!("../examples/stiff-pendulum.toml"),
    ),
    ("slider-crank", "a prismatic joint, units", include_str!("../examples/slider-crank.toml")),
    (
        "manipulator-3rrr",
        "a platform on three legs, two loops, a force",
        include_str!("../examples/manipulator-3rrr.toml"),
    ),
    ("spinning-body", "a free body that tumbles in space", include_str!("../examples/spinning-body.toml")),
    (
        "newtons-cradle",
        "five balls that touch: impacts that run through a row",
        include_str!("../examples/newtons-cradle.toml"),
    ),
    (
        "squeezer",
        "Andrews' squeezing mechanism: seven bodies, three loops, a spring",
        include_str!("../examples/squeezer.toml"),
    ),
    ("gear-train", "two gear pairs and a planetary stage", include_str!("../examples/gear-train.toml")),
    ("cam-follower", "a driven cam, a point on a curve", include_str!("../examples/cam-follower.toml")),
    (
        "universal-shaft",
        "two universal joints, a driven shaft",
        include_str!("../examples/universal-shaft.toml"),
    ),
    (
        "bicycle",
        "the benchmark bicycle: rolling wheels, non-holonomic",
        include_str!("../examples/bicycle.toml"),
    ),
    (
        "stewart-platform",
        "six driven legs, forces of the actuators, measures",
        include_str!("../examples/stewart-platform.toml"),
    ),
    (
        "governor",
        "a driven spindle, flying balls, a spring with damper, redundant hinges",
        include_str!("../examples/governor.toml"),
    ),
    (
        "excavator",
        "a digging arm with three driven cylinders, their forces and pressures",
        include_str!("../examples/excavator.toml"),
    ),
    (
        "tower-crane",
        "a slewing jib, a running trolley, a load that swings on a rope",
        include_str!("../examples/tower-crane.toml"),
    ),
    (
        "vehicle",
        "a car of 13 bodies that settles on its springs and tyres",
        include_str!("../examples/vehicle.toml"),
    ),
    (
        "bump",
        "a car with a steering rack and brush tyres: a bump, a lane change",
        include_str!("../examples/bump.toml"),
    ),
    (
        "suspension",
        "five links and a driven wheel: camber, toe, track, wheelbase",
        include_str!("../examples/suspension.toml"),
    ),
    (
        "bouncing-ball",
        "a ball that bounces, comes to rest and rolls on",
        include_str!("../examples/bouncing-ball.toml"),
    ),
    (
        "block-on-incline",
        "a block with friction that slides up and back down",
        include_str!("../examples/block-on-incline.toml"),
    ),
    ("box-stack", "boxes that come to rest on each other", include_str!("../examples/box-stack.toml")),
    (
        "rocking-block",
        "a block that rocks from corner to corner",
        include_str!("../examples/rocking-block.toml"),
    ),
    ("dominoes", "five boxes that knock each other over", include_str!("../examples/dominoes.toml")),
    ("heap-of-spheres", "six spheres that fall into a bin", include_str!("../examples/heap-of-spheres.toml")),
    (
        "marble-run",
        "three spheres that roll, fall and bounce down tilted boards",
        include_str!("../examples/marble-run.toml"),
    ),
    (
        "rolling-bearing",
        "a shaft that rests on 14 balls in a race",
        include_str!("../examples/rolling-bearing.toml"),
    ),
    ("gripper", "two fingers close on a box, friction lifts it", include_str!("../examples/gripper.toml")),
    (
        "conveyor",
        "driven rollers carry boxes on and let balls through",
        include_str!("../examples/conveyor.toml"),
    ),
    ("brick-wall", "a ball hits a dry wall of bricks", include_str!("../examples/brick-wall.toml")),
    (
        "hundred-dominoes",
        "a wave runs through a hundred dominoes",
        include_str!("../examples/hundred-dominoes.toml"),
    ),
    (
        "sand-heap",
        "500 spheres fall apart and fill a tray to a heap",
        include_str!("../examples/sand-heap.toml"),
    ),
    (
        "sounding-rocket",
        "a thruster with a thrust curve, propellant that burns, drag",
        include_str!("../examples/sounding-rocket.toml"),
    ),
    (
        "line-throwing-rocket",
        "a rocket that pulls 600 m of rope out of a container",
        include_str!("../examples/line-throwing-rocket.toml"),
    ),
    ("rope-swing", "a rope with a heavy end", include_str!("../examples/rope-swing.toml")),
    (
        "whip",
        "a tapered thong behind a driven handle: speed of its tip",
        include_str!("../examples/whip.toml"),
    ),
    ("hanging-chain", "a chain that settles to its catenary", include_str!("../examples/hanging-chain.toml")),
    (
        "winch",
        "a drum winds up a rope with a load, segment by segment",
        include_str!("../examples/winch.toml"),
    ),
    (
        "breaking-chain",
        "a load on a chain that breaks while it swings",
        include_str!("../examples/breaking-chain.toml"),
    ),
    ("chain", "twenty rods", include_str!("../examples/chain.toml")),
    (
        "leaf-spring",
        "a van drops onto its leaf spring: tapered, curved beams",
        include_str!("../examples/leaf-spring.toml"),
    ),
    (
        "flexible-slider-crank",
        "a connecting rod that bends",
        include_str!("../examples/flexible-slider-crank.toml"),
    ),
    ("flexible-robot", "driven joints, links that bend", include_str!("../examples/flexible-robot.toml")),
    ("beam-bridge", "a car crosses a slender bridge", include_str!("../examples/beam-bridge.toml")),
    (
        "paper-clip",
        "a wire along a curve in space, bent and let go",
        include_str!("../examples/paper-clip.toml"),
    ),
    (
        "wind-turbine",
        "three blades on a tower run up in the wind",
        include_str!("../examples/wind-turbine.toml"),
    ),
];

pub fn examples(args: &ExamplesArguments) -> Outcome {
    let Some(name) = &args.name else {
        let mut text = String::new();
        for (name, what, _) in EXAMPLES {
            text.push_str(&format!("{name:22}{what}\n"));
        }
        text.push_str(
            "\nShow one with `linkwork examples NAME`, keep it with `-o FILE`, then `linkwork run FILE`.\n",
        );
        print_text(&text);
        return Outcome::Good;
    };
    let given = name.strip_suffix(".toml").unwrap_or(name);
    // names had underscores once
    let wanted = given.replace('_', "-");
    let found = EXAMPLES.iter().find(|(name, ..)| *name == wanted);
    if found.is_some() && wanted != given {
        eprintln!("note: this example is called `{wanted}` now");
    }
    let Some((_, _, text)) = found else {
        let known: Vec<&str> = EXAMPLES.iter().map(|e| e.0).collect();
        eprintln!("error: there is no example `{name}`; there are: {}", known.join(", "));
        return Outcome::Refused;
    };
    match &args.output {
        None => print_text(text),
        Some(file) if file.exists() => {
            eprintln!("error: {} exists already; choose another name", file.display());
            return Outcome::Refused;
        }
        Some(file) => {
            if let Err(e) = write_whole(file, text) {
                eprintln!("error: cannot write {}: {e}", file.display());
                return Outcome::Refused;
            }
        }
    }
    Outcome::Good
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of the examples folder is built in, and nothing else.
    #[test]
    fn same_examples_as_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|f| f.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        let mut built_in: Vec<&str> = EXAMPLES.iter().map(|e| e.0).collect();
        built_in.sort_unstable();
        assert_eq!(files, built_in);
    }
}
