//! Inputs, actuators, and tendons along which forces act.

use std::fmt::Write;

use super::text::{Names, comment, in_expression, key, neat, number, string, vector};
use super::{NOISE, Writer};
use crate::robot::{Drive, TendonDrive};

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

    /// `force` or `torque`, whatever acts along a coordinate.
    pub(super) fn force_word(&self, joint: usize, coordinate: usize) -> &'static str {
        match self.robot.joints[joint].kind.coordinates().get(coordinate) {
            Some(&"m") => "force",
            _ => "torque",
        }
    }

    /// Inputs, the states that follow them, and motors on joints, tendons and cables.
    pub(super) fn actuators(&mut self) {
        let mut lists = Lists::default();
        for (actuator, name) in self.robot.actuators.iter().zip(self.actuators.clone()) {
            let own = lists.drive(&actuator.drive, &name);
            let word = self.force_word(actuator.joint, actuator.coordinate);
            let mut value = format!("{{ joint = {}", string(&self.joints[actuator.joint]));
            if actuator.coordinate > 0 {
                let _ = write!(value, ", coordinate = {}", actuator.coordinate + 1);
            }
            let force = force(&actuator.drive, ["q", "v"], &own);
            let [low, high] = actuator.drive.force_limits;
            if low == -high && high.is_finite() {
                let _ = write!(value, ", {word} = {}, limit = {} }}", string(&force), number(high));
            } else {
                let _ = write!(value, ", {word} = {} }}", string(&cut(force, [low, high])));
            }
            lists.actuators.push([key(&name), value, self.place(&actuator.place)]);
        }
        self.on_tendons(&mut lists);
        self.on_cables(&mut lists);
        let Lists { inputs, states, actuators, measures } = lists;
        self.tendon_measures = measures;
        self.section("inputs", inputs);
        self.section("states", states);
        self.section("actuators", actuators);
    }

    /// What a spring, a damper and motors do along a length, as a sum; `None` if nothing acts.
    fn along_length(
        &mut self,
        spring: &str,
        damping: f64,
        drives: &[TendonDrive],
        [length, rate]: [&str; 2],
        lists: &mut Lists,
    ) -> Option<String> {
        let mut parts = Vec::new();
        if !spring.is_empty() {
            parts.push(spring.to_owned());
        }
        if damping != 0.0 {
            parts.push(format!("-{} * {rate}", number(damping)));
        }
        for drive in drives {
            let name = self.drives.take(&drive.name);
            let own = lists.drive(&drive.drive, &name);
            parts.push(cut(force(&drive.drive, [length, rate], &own), drive.drive.force_limits));
        }
        let mut sum = parts.first()?.clone();
        for part in &parts[1..] {
            match part.strip_prefix('-') {
                Some(rest) => sum.push_str(&format!(" - {rest}")),
                None => sum.push_str(&format!(" + {part}")),
            }
        }
        Some(sum)
    }

    /// Along tendons: length, rate and force as measures, and an actuator on each joint.
    fn on_tendons(&mut self, lists: &mut Lists) {
        let robot = self.robot;
        for (n, tendon) in robot.tendons.iter().enumerate() {
            let names = self.tendons[n].clone();
            let [length, rate, force] = names.each_ref().map(|name| in_expression(name));
            let spring = match (tendon.stiffness, tendon.rest.map(|rest| neat(rest, NOISE))) {
                (0.0, _) => String::new(),
                (k, [low, high]) if low == high => format!("-{} * {}", number(k), less(&length, &low)),
                (k, [low, high]) => {
                    format!(
                        "-{} * (max({}, 0) + min({}, 0))",
                        number(k),
                        less(&length, &high),
                        less(&length, &low)
                    )
                }
            };
            let acting = self.along_length(&spring, tendon.damping, &tendon.drives, [&length, &rate], lists);
            let read = self.reads_tendon(n);
            if acting.is_none() && !read {
                continue;
            }
            let origin = format!("{}, tendon {}", self.place(&tendon.place), comment(&tendon.name));
            let sum = |letter: char, constant: f64| {
                let mut sum = String::new();
                for (joint, coordinate, factor) in &tendon.terms {
                    let nth = if *coordinate == 0 { String::new() } else { (coordinate + 1).to_string() };
                    let of = format!("joint.{}.{letter}{nth}", in_expression(&self.joints[*joint]));
                    let size =
                        if factor.abs() == 1.0 { of } else { format!("{} * {of}", number(factor.abs())) };
                    sum.push_str(match (sum.is_empty(), *factor < 0.0) {
                        (true, true) => "-",
                        (true, false) => "",
                        (false, true) => " - ",
                        (false, false) => " + ",
                    });
                    sum.push_str(&size);
                }
                match neat(constant, NOISE).as_str() {
                    "0" => sum,
                    constant => format!("{sum} + {constant}"),
                }
            };
            lists.measures.push([key(&names[0]), string(&sum('q', tendon.length)), origin.clone()]);
            lists.measures.push([key(&names[1]), string(&sum('v', 0.0)), origin.clone()]);
            let Some(acting) = acting else { continue };
            lists.measures.push([key(&names[2]), string(&acting), origin.clone()]);
            for (joint, coordinate, factor) in &tendon.terms {
                let word = self.force_word(*joint, *coordinate);
                let mut value = format!("{{ joint = {}", string(&self.joints[*joint]));
                if *coordinate > 0 {
                    let _ = write!(value, ", coordinate = {}", coordinate + 1);
                }
                let _ = write!(value, ", {word} = {} }}", string(&format!("{} * {force}", number(*factor))));
                let entry = self.drives.take(&format!("{}_{}", tendon.name, self.joints[*joint]));
                lists.actuators.push([key(&entry), value, origin.clone()]);
            }
        }
    }

    /// Motors along cables: the same force between each two of its points.
    fn on_cables(&mut self, lists: &mut Lists) {
        let robot = self.robot;
        for (n, cable) in robot.cables.iter().enumerate().filter(|(_, cable)| !cable.drives.is_empty()) {
            let names = self.tendons[robot.tendons.len() + n].clone();
            let [length, rate, force] = names.each_ref().map(|name| in_expression(name));
            let Some(acting) = self.along_length("", 0.0, &cable.drives, [&length, &rate], lists) else {
                continue;
            };
            let origin = format!("{}, tendon {}", self.place(&cable.place), comment(&cable.name));
            let points: Vec<String> =
                cable.through.iter().map(|(name, ..)| self.named.get(name).unwrap_or(name).clone()).collect();
            let sum = |function: &str| {
                let pairs = points.windows(2).map(|pair| {
                    format!("{function}({}, {})", in_expression(&pair[0]), in_expression(&pair[1]))
                });
                pairs.collect::<Vec<_>>().join(" + ")
            };
            lists.measures.push([key(&names[0]), string(&sum("distance")), origin.clone()]);
            lists.measures.push([key(&names[1]), string(&sum("distance_rate")), origin.clone()]);
            lists.measures.push([key(&names[2]), string(&acting), origin.clone()]);
            for pair in points.windows(2) {
                let value =
                    format!("{{ between = {}, force = {} }}", super::text::names(pair), string(&force));
                let entry = self.drives.take(&format!("{}_{}", cable.name, pair[1]));
                lists.actuators.push([key(&entry), value, origin.clone()]);
            }
        }
    }
}

/// Entries that come of motors.
#[derive(Default)]
struct Lists {
    inputs: Vec<[String; 3]>,
    states: Vec<[String; 3]>,
    actuators: Vec<[String; 3]>,
    measures: Vec<[String; 3]>,
}

impl Lists {
    /// Adds the input of a motor, and the state that follows it; what its force reads.
    fn drive(&mut self, drive: &Drive, name: &str) -> String {
        self.inputs.push([key(name), input(drive), String::new()]);
        let input = format!("input.{}", in_expression(name));
        let Some(activation) = drive.activation else { return input };
        let state = format!("state.{}", in_expression(name));
        let [low, high] = activation.limits;
        let rate = match activation.time {
            Some(time) => format!("({input} - {state}) / {}", number(time)),
            // it does not run on beyond its limits
            None if low.is_finite() && high.is_finite() => {
                format!(
                    "if({state} > {}, min({input}, 0), if({state} < {}, max({input}, 0), {input}))",
                    number(high),
                    number(low)
                )
            }
            None => input,
        };
        let mut value = format!("{{ rate = {}", string(&rate));
        if activation.initial != 0.0 {
            let _ = write!(value, ", initial = {}", number(activation.initial));
        }
        value.push_str(" }");
        self.states.push([key(name), value, String::new()]);
        cut(state, activation.limits)
    }
}

/// Between limits.
fn cut(text: String, [low, high]: [f64; 2]) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("clamp({text}, {}, {})", number(low), number(high)),
        (true, false) => format!("max({text}, {})", number(low)),
        (false, true) => format!("min({text}, {})", number(high)),
        (false, false) => text,
    }
}

/// A length less a number.
fn less(length: &str, number: &str) -> String {
    match (number, number.strip_prefix('-')) {
        ("0", _) => length.to_owned(),
        (_, Some(size)) => format!("({length} + {size})"),
        _ => format!("({length} - {number})"),
    }
}

/// What a motor does, before its limits; `along`: how the expression calls the length and its rate.
fn force(drive: &Drive, along: [&str; 2], input: &str) -> String {
    let sum = |[constant, by_length, by_rate]: [f64; 3]| {
        let mut out = String::new();
        for (factor, of) in [
            (constant, String::new()),
            (by_length, format!(" * {}", along[0])),
            (by_rate, format!(" * {}", along[1])),
        ] {
            if factor != 0.0 {
                let sign = match (out.is_empty(), factor < 0.0) {
                    (true, true) => "-",
                    (true, false) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                };
                let _ = write!(out, "{sign}{}{of}", number(factor.abs()));
            }
        }
        out
    };
    let gain = match drive.gain {
        [1.0, 0.0, 0.0] => input.to_owned(),
        [0.0, 0.0, 0.0] => String::new(),
        [gain, 0.0, 0.0] => format!("{} * {input}", number(gain)),
        gain => format!("({}) * {input}", sum(gain)),
    };
    match (gain.as_str(), sum(drive.bias).as_str()) {
        ("", "") => "0".into(),
        (_, "") => gain,
        ("", bias) => bias.to_owned(),
        (gain, bias) => match bias.strip_prefix('-') {
            Some(rest) => format!("{gain} - {rest}"),
            None => format!("{gain} + {bias}"),
        },
    }
}

/// The entry of an input.
fn input(drive: &Drive) -> String {
    let mut keys = Vec::new();
    let limits = drive.control_limits;
    let default = drive.default.clamp(limits[0].min(limits[1]), limits[1].max(limits[0]));
    if default != 0.0 {
        keys.push(format!("default = {}", number(default)));
    }
    if !drive.unit.is_empty() {
        keys.push(format!("unit = {}", string(drive.unit)));
    }
    if limits.iter().all(|limit| limit.is_finite()) {
        let [low, high] = limits.map(number);
        keys.push(format!("limits = [{low}, {high}]"));
    }
    if keys.is_empty() { "{}".into() } else { format!("{{ {} }}", keys.join(", ")) }
}
