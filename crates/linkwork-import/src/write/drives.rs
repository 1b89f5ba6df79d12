//! Inputs, actuators, and tendons along which forces act.

use std::fmt::Write;

use super::text::{Names, comment, in_expression, key, neat, number, string, vector};
use super::{NOISE, Writer};

impl Writer<'_> {
    /// Motions that are prescribed.
    pub(super) fn drivers(&mut self) {
        let mut taken = Names::default();
        let mut entries = Vec::new();
        for driver in &self.robot.drivers {
            let mut value = format!("{{ joint = {}", string(&self.joints[driver.joint]));
            if driver.coordinate > 0 {
                let _ = write!(value, ", coordinate = {}", driver.coordinate + 1);
            }
            let drawn = neat(driver.drawn, 1e-14);
            let formula = match drawn.as_str() {
                "0" => driver.value.clone(),
                drawn if driver.drawn < 0.0 => format!("{} + {}", driver.value, &drawn[1..]),
                drawn => format!("{} - {drawn}", driver.value),
            };
            let _ = write!(value, ", value = {} }}", string(&formula));
            entries.push([key(&taken.take(&driver.name)), value, self.place(&driver.place)]);
        }
        self.section("drivers", entries);
    }

    /// How free links move at first.
    pub(super) fn initial_motions(&mut self) {
        let (mut paths, mut turns) = (Vec::new(), Vec::new());
        for motion in &self.robot.initial_motions {
            let link = motion.link;
            if self.robot.links[link].fixed {
                continue;
            }
            if let Some(point) = self.site_name(link, motion.at) {
                paths.push([key(point), vector(motion.velocity, 0.0), String::new()]);
            }
            turns.push([key(&self.bodies[link]), vector(motion.angular, 0.0), String::new()]);
        }
        self.section("initial.velocities", paths);
        self.section("initial.angular_velocities", turns);
    }

    /// How long a run lasts.
    pub(super) fn duration(&mut self) {
        if let Some([duration, step]) = self.robot.duration {
            self.line(format!(
                "\n[simulation]\nduration = {}\noutput_step = {}",
                number(duration),
                number(step)
            ));
        }
    }

    /// Springs, dampers and motors along tendons: for each tendon its length and rate as measures, and an actuator on each of its joints.
    fn tendons(&mut self, taken: &mut Names, inputs: &mut Vec<[String; 3]>, entries: &mut Vec<[String; 3]>) {
        for (n, tendon) in self.robot.tendons.iter().enumerate() {
            let [length, rate] = [length_name(n), rate_name(n)];
            let mut forces: Vec<(String, String, String)> = Vec::new(); // name, force along the tendon, place
            let mut passive = Vec::new();
            if tendon.stiffness != 0.0 {
                let [low, high] = tendon.rest.map(|rest| neat(rest, NOISE));
                let k = number(tendon.stiffness);
                passive.push(match low == high {
                    true => format!("-{k} * ({length} - ({low}))"),
                    false => format!("-{k} * (max({length} - ({high}), 0) + min({length} - ({low}), 0))"),
                });
            }
            if tendon.damping != 0.0 {
                passive.push(format!("-{} * {rate}", number(tendon.damping)));
            }
            if !passive.is_empty() {
                forces.push((tendon.name.clone(), passive.join(" "), self.place(&tendon.place)));
            }
            for drive in &tendon.drives {
                let name = taken.take(&drive.name);
                inputs.push([key(&name), input("", drive.control_limits), String::new()]);
                let [constant, by_length, by_rate] = drive.bias;
                let bias = [constant, by_length * drive.gear, by_rate * drive.gear];
                let mut force = force(drive.gain, bias, [&length, &rate], &in_expression(&name));
                if drive.force_limit.is_finite() {
                    let limit = number(drive.force_limit);
                    force = format!("clamp({force}, -{limit}, {limit})");
                }
                let force = format!("{} * ({force})", number(drive.gear));
                forces.push((name, force, self.place(&drive.place)));
            }
            for (name, force, place) in forces {
                for (joint, coordinate, factor) in &tendon.terms {
                    let word = self.force_word(*joint, *coordinate);
                    let mut value = format!("{{ joint = {}", string(&self.joints[*joint]));
                    if *coordinate > 0 {
                        let _ = write!(value, ", coordinate = {}", coordinate + 1);
                    }
                    let expression = string(&format!("{} * ({force})", number(*factor)));
                    let _ = write!(value, ", {word} = {expression} }}");
                    let entry = taken.take(&format!("{name}_{}", self.joints[*joint]));
                    entries.push([key(&entry), value, format!("{place}, a tendon")]);
                }
            }
        }
    }

    /// Lengths and rates of tendons along which something acts.
    pub(super) fn lengths(&self, entries: &mut Vec<[String; 3]>) {
        for (n, tendon) in self.robot.tendons.iter().enumerate() {
            if tendon.stiffness == 0.0 && tendon.damping == 0.0 && tendon.drives.is_empty() {
                continue;
            }
            for (name, letter, constant) in [(length_name(n), 'q', tendon.length), (rate_name(n), 'v', 0.0)] {
                let mut sum = String::new();
                for (joint, coordinate, factor) in &tendon.terms {
                    let nth = if *coordinate == 0 { String::new() } else { (coordinate + 1).to_string() };
                    let plus = if sum.is_empty() { "" } else { " + " };
                    let _ = write!(
                        sum,
                        "{plus}{} * joint.{}.{letter}{nth}",
                        number(*factor),
                        in_expression(&self.joints[*joint])
                    );
                }
                if neat(constant, NOISE) != "0" {
                    let _ = write!(sum, " + {}", neat(constant, NOISE));
                }
                let origin = format!("{}, tendon {}", self.place(&tendon.place), comment(&tendon.name));
                entries.push([name, string(&sum), origin]);
            }
        }
    }

    /// `force` or `torque`, whatever acts along a coordinate.
    fn force_word(&self, joint: usize, coordinate: usize) -> &'static str {
        match self.robot.joints[joint].kind.coordinates().get(coordinate) {
            Some(&"m") => "force",
            _ => "torque",
        }
    }

    pub(super) fn actuators(&mut self) {
        let mut taken = Names::default();
        let (mut inputs, mut entries) = (Vec::new(), Vec::new());
        for actuator in &self.robot.actuators {
            let name = taken.take(&actuator.name);
            inputs.push([key(&name), input(actuator.unit, actuator.control_limits), String::new()]);
            let word = self.force_word(actuator.joint, actuator.coordinate);
            let mut value = format!("{{ joint = {}", string(&self.joints[actuator.joint]));
            if actuator.coordinate > 0 {
                let _ = write!(value, ", coordinate = {}", actuator.coordinate + 1);
            }
            let _ = write!(
                value,
                ", {word} = {}",
                string(&force(actuator.gain, actuator.bias, ["q", "v"], &in_expression(&name)))
            );
            if actuator.force_limit.is_finite() {
                let _ = write!(value, ", limit = {}", number(actuator.force_limit));
            }
            value.push_str(" }");
            entries.push([key(&name), value, self.place(&actuator.place)]);
        }
        self.tendons(&mut taken, &mut inputs, &mut entries);
        self.section("inputs", inputs);
        self.section("actuators", entries);
    }
}

/// gain · u + bias, as an expression; `along`: how it calls the coordinate and its rate.
fn force(gain: f64, bias: [f64; 3], along: [&str; 2], input: &str) -> String {
    let mut out = match gain {
        1.0 => format!("input.{input}"),
        gain => format!("{} * input.{input}", number(gain)),
    };
    let [constant, by_q, by_v] = bias;
    for (factor, of) in
        [(constant, String::new()), (by_q, format!(" * {}", along[0])), (by_v, format!(" * {}", along[1]))]
    {
        if factor != 0.0 {
            let sign = if factor < 0.0 { '-' } else { '+' };
            let _ = write!(out, " {sign} {}{of}", number(factor.abs()));
        }
    }
    out
}

/// The entry of an input.
fn input(unit: &str, limits: [f64; 2]) -> String {
    let mut keys = Vec::new();
    if !unit.is_empty() {
        keys.push(format!("unit = {}", string(unit)));
    }
    if limits.iter().all(|limit| limit.is_finite()) {
        if limits[0] > 0.0 || limits[1] < 0.0 {
            keys.push(format!("default = {}", number(if limits[0] > 0.0 { limits[0] } else { limits[1] }))); // zero, cut
        }
        let [low, high] = limits.map(number);
        keys.push(format!("limits = [{low}, {high}]"));
    }
    if keys.is_empty() { "{}".into() } else { format!("{{ {} }}", keys.join(", ")) }
}

/// The measure of the length of a tendon.
fn length_name(tendon: usize) -> String {
    format!("tendon_{}_length", tendon + 1)
}

/// The measure of its rate.
fn rate_name(tendon: usize) -> String {
    format!("tendon_{}_rate", tendon + 1)
}
