//! `linkwork new`: a small model to start from.

use crate::Outcome;
use crate::output::write_whole;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct NewArguments {
    /// The file to write; it must not exist yet
    pub file: PathBuf,
    /// A spatial model instead of a planar one
    #[arg(long)]
    pub spatial: bool,
}

const PLANAR: &str = r#"format = 1

[model]
name = "NAME"
dimension = 2
gravity = [0, -9.81]

[points]                                          # the mechanism as drawn, metres
A = [0, 0]
B = [0.2, 0.3]
C = [0.9, 0.5]
D = [0.8, 0]

[bodies]                                          # bodies that list the same point share a pin there
ground  = { points = ["A", "D"] }
crank   = { points = ["A", "B"], mass = 0.5 }     # two points and a mass: a uniform rod
coupler = { points = ["B", "C"], mass = "800 g" }
rocker  = { points = ["C", "D"], mass = 0.7 }

[initial.angular_velocities]
crank = "30 rpm"

[simulation]
duration = 5
output_step = 0.01
"#;

const SPATIAL: &str = r#"format = 1

[model]
name = "NAME"
dimension = 3
gravity = [0, 0, -9.81]

[points]                                          # the mechanism as drawn, metres; z is up
O = [0, 0, 0]
H1 = [0.5, -0.05, 0]
H2 = [0.5, 0.05, 0]
E = [1.0, 0, 0.1]

[bodies]                                          # one shared point is a ball joint, two are a hinge
ground = { points = ["O"] }
upper  = { points = ["O", "H1", "H2"], mass = 2.0, shape = { type = "polygon", thickness = "10 mm" } }
lower  = { points = ["H1", "H2", "E"], mass = 1.0, shape = { type = "polygon", thickness = "10 mm" } }

[initial.angular_velocities]
upper = [0, 0, "2 rad/s"]

[simulation]
duration = 5
output_step = 0.01
"#;

pub fn new(args: &NewArguments) -> Outcome {
    let file = &args.file;
    if file.exists() {
        eprintln!("error: {} exists already; choose another name", file.display());
        return Outcome::Refused;
    }
    if file.extension().is_some_and(|e| e == "json") {
        eprintln!("error: `new` writes TOML; choose a name that ends in .toml");
        return Outcome::Refused;
    }
    let name: String = file
        .file_stem()
        .map(|s| s.to_string_lossy().chars().filter(|c| !c.is_control() && !"\"\\".contains(*c)).collect())
        .unwrap_or_default();
    let text = if args.spatial { SPATIAL } else { PLANAR }.replace("NAME", &name);
    if let Err(e) = write_whole(file, &text) {
        eprintln!("error: cannot write {}: {e}", file.display());
        return Outcome::Refused;
    }
    eprintln!("wrote {0}; now: linkwork run {0}", file.display());
    Outcome::Good
}
