//! Cables: ropes without mass that run without friction through points and over pulleys. An elastic one is [`Along`] the length of its path, an inextensible
//! one a constraint on it.

use super::along::Shows;
use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Along, Element, Output, Readable, Symbol, Use};
use crate::drawing::Axis;
use crate::error::Fault;
use crate::error::names::segment;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{
    Action, CoordinateFunction, Coupling, CouplingOwner, Direction as BodyDirection, Motion, Path, Stop,
    Touch,
};

/// On which side of the rope a pulley lies, looking along the rope with the axis towards the eye.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The rope winds counter-clockwise.
    #[default]
    Left,
    /// The rope winds clockwise.
    Right,
}

#[cfg(feature = "file")]
impl Choices for Side {
    const WHAT: &'static str = "side";
    fn choices() -> Vec<(&'static str, Self)> {
        vec![("left", Side::Left), ("right", Side::Right)]
    }
}

keys! {
    /// A pulley.
    Pulley(point) {
        /// Where the rope lies, m.
        radius: f64 => required Length,
        /// Side of the rope on which the centre lies, looking along the rope with the axis towards you.
        side: Side => required Choice<Side>,
    }
}

keys! {
    /// A drum: the free length grows by the radius times the joint's angle.
    Winch {
        /// The joint, by its name in results.
        joint: String => required String,
        /// Which of the joint's coordinates, counted from one; the first if left out.
        coordinate: usize => default Count = 1,
        /// Rope given out for each radian, m; negative where turning on winds it up.
        radius: f64 => required Length,
    }
}

keys! {
    /// A rope without mass that runs without friction through points and over pulleys.
    Cable(name) {
        /// The points from end to end.
        through: Vec<String> => required Vec<String>,
        /// Which of the points are pulleys of some size, by the point's name.
        pulleys: Vec<Pulley> => default Entries<Pulley> = Vec::new(),
        /// Axis of the pulleys: a vector or two points, square to the plane of the rope; in the plane it is z.
        axis: Option<Axis> => optional Direction,
        /// Stiffness of the whole rope, N/m.
        stiffness: f64 => default Stiffness = 0.0,
        /// Damping of the whole rope, N s/m.
        damping: f64 => default Damping = 0.0,
        /// Length without force, m; as assembled if left out, of an inextensible cable as drawn.
        free_length: Option<f64> => optional Length,
        /// Whether it goes slack instead of pushing; true if left out.
        tension_only: bool => default bool = true,
        /// The length does not change at all: a constraint, which cannot go slack.
        inextensible: bool => default bool = false,
        /// A drum that gives out rope as a joint turns.
        winch: Option<Winch> => optional Winch,
    }
}

#[cfg(feature = "file")]
mod file {
    use super::{Cable, Pulley, Winch};
    use crate::file::prelude::*;

    part!(Winch);

    impl Rules for Pulley {}
    impl Rules for Winch {}
    impl Rules for Cable {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            for key in ["stiffness", "damping", "tension_only"].into_iter().filter(|key| given.has(key)) {
                if self.inextensible {
                    let message = format!("an inextensible cable has no `{key}`");
                    reader.refuse(&format!(".{key}"), message, "remove it, or `inextensible`");
                }
            }
            if !self.inextensible && !given.any(&["stiffness", "damping"]) {
                let help = "stiffness in N/m, damping in N s/m; or inextensible = true";
                reader.refuse("", "a cable needs a `stiffness` or a `damping`", help);
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let some =
                self.inextensible || ["stiffness", "damping"].iter().any(|key| entry.get(key).is_some());
            if some { entry } else { entry.set("stiffness", Item::Quantity(self.stiffness, "N/m")) }
        }
    }
}

impl Cable {
    /// An elastic cable.
    pub fn new(name: impl Into<String>, through: &[&str], stiffness: f64) -> Self {
        Cable {
            name: name.into(),
            through: through.iter().map(|&point| point.into()).collect(),
            pulleys: Vec::new(),
            axis: None,
            stiffness,
            damping: 0.0,
            free_length: None,
            tension_only: true,
            inextensible: false,
            winch: None,
        }
    }
    /// A cable that does not stretch.
    pub fn inextensible(name: impl Into<String>, through: &[&str]) -> Self {
        Cable { inextensible: true, ..Cable::new(name, through, 0.0) }
    }
    /// Puts a pulley at one of its points.
    pub fn pulley(mut self, point: &str, radius: f64, side: Side) -> Self {
        self.pulleys.push(Pulley { point: point.into(), radius, side });
        self
    }
    /// Sets the axis of the pulleys.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }
    /// Sets the damping, N s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the length without force, m.
    pub fn free_length(mut self, length: f64) -> Self {
        self.free_length = Some(length);
        self
    }
    /// Winds it on a drum that turns with the first coordinate of a joint.
    pub fn winch(mut self, joint: &str, radius: f64) -> Self {
        self.winch = Some(Winch { joint: joint.into(), coordinate: 1, radius });
        self
    }

    fn check_route(&self, path: &str, on: &mut dyn Checks) {
        let through = format!("{path}.through");
        if self.through.len() < 2 {
            on.error(&through, "a cable needs two ends at least");
        }
        for (i, point) in self.through.iter().enumerate() {
            let at = format!("{through}[{i}]");
            on.point(&at, point);
            if i > 0 && self.through[i - 1] == *point {
                on.error(at, format!("the cable passes `{point}` twice in a row"));
            }
        }
    }

    fn check_pulleys(&self, path: &str, on: &mut dyn Checks) {
        for pulley in &self.pulleys {
            let at = format!("{path}.pulleys.{}", segment(&pulley.point));
            let ends = [self.through.first(), self.through.last()];
            if !self.through.contains(&pulley.point) {
                let known = self.through.iter().map(String::as_str).collect();
                on.unknown(&at, "point of this cable", &pulley.point, known);
            } else if ends.contains(&Some(&pulley.point)) {
                let message = "an end of the cable is no pulley";
                on.error_with(&at, message, "let the cable go on to where it is held, or use `winch`");
            }
            on.number(&format!("{at}.radius"), pulley.radius, Sign::NotNegative);
        }
        let round = self.pulleys.iter().any(|pulley| pulley.radius != 0.0);
        match &self.axis {
            None if round && !on.planar() => {
                let help =
                    "axis = a vector such as [0, 1, 0], or two points: square to the plane of the rope";
                on.error_with(path, "pulleys in space need an `axis`", help);
            }
            Some(_) if on.planar() => {
                on.error(format!("{path}.axis"), "in the plane pulleys turn about z: remove `axis`");
            }
            Some(axis) => {
                on.axis(&format!("{path}.axis"), axis);
            }
            None => {}
        }
    }

    /// The path of the rope; reports where it cannot run as drawn.
    fn path(&self, path: &str, drawn: &[Motion], site: &mut dyn Site) -> Option<Path> {
        let u = self.axis.as_ref().map_or(Some([0.0, 0.0, 1.0]), |axis| site.direction(axis))?;
        let radius = |point: &String| {
            let pulley = self.pulleys.iter().find(|pulley| pulley.point == *point);
            pulley.map_or(0.0, |pulley| match pulley.side {
                Side::Left => pulley.radius,
                Side::Right => -pulley.radius,
            })
        };
        let stop = |point: &String| Some(Stop { at: site.point(point)?, radius: radius(point) });
        let stops = self.through.iter().map(stop).collect::<Option<Vec<_>>>()?;
        let rope = Path { stops, axis: BodyDirection { body: None, u } };
        if let Some(i) = rope.overlap(drawn) {
            let [p, q] = [&self.through[i], &self.through[i + 1]];
            let message = format!("the cable cannot pass from `{p}` to `{q}`: they are too near each other");
            site.fault(Fault::error(format!("{path}.through[{}]", i + 1), message));
            return None;
        }
        if let Some(&(i, wrap)) = rope.wraps(drawn).iter().find(|w| w.1.is_nan() || w.1 < -1e-6) {
            let point = &self.through[i];
            let (message, help) = match wrap.is_nan() {
                true => (
                    format!("the cable would have to lie on the pulley `{point}` by more than 290 degrees"),
                    "use two pulleys",
                ),
                false => (
                    format!("the cable does not touch the pulley `{point}` on this side"),
                    "give the other `side`",
                ),
            };
            let path = format!("{path}.pulleys.{}", segment(point));
            site.fault(Fault::error(path, message).help(help));
            return None;
        }
        Some(rope)
    }
}

impl Winch {
    /// What it adds to the length of the rope: a coordinate function and its weight.
    fn attach(&self, path: &str, site: &mut dyn Site) -> Option<(usize, f64)> {
        let drum = site.coordinate(&self.joint, self.coordinate, path)?;
        if !site.gauges()[drum.gauge].is_angle() {
            let message = "this coordinate is a path, a winch needs an angle";
            site.fault(Fault::error(format!("{path}.joint"), message));
            return None;
        }
        site.track(drum.gauge, 0.0);
        site.turnable(drum.gauge, path).then_some((drum.gauge, -self.radius * drum.factor))
    }
}

impl Readable for Cable {
    const WORD: &'static str = "cable";
    const OUTPUTS: &'static [Output] = super::spring::Spring::OUTPUTS;
}

impl Element for Cable {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        self.check_route(path, on);
        self.check_pulleys(path, on);
        on.number(&format!("{path}.stiffness"), self.stiffness, Sign::NotNegative);
        on.number(&format!("{path}.damping"), self.damping, Sign::NotNegative);
        if let Some(length) = self.free_length {
            on.number(&format!("{path}.free_length"), length, Sign::NotNegative);
        }
        if self.inextensible && (self.stiffness != 0.0 || self.damping != 0.0 || !self.tension_only) {
            let message = "an inextensible cable has no `stiffness`, `damping` or `tension_only`";
            on.error_with(path, message, "remove them, or `inextensible`");
        }
        if let Some(winch) = &self.winch {
            on.sizes(&format!("{path}.winch.radius"), "the radius", &[winch.radius]);
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        let points = self.through.iter().map(|point| Use::Point(point));
        points.chain(self.winch.as_ref().map(|winch| Use::Joint(&winch.joint))).collect()
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        let radius = |point: &String| {
            let pulley = self.pulleys.iter().find(|pulley| pulley.point == *point);
            pulley.map_or(0.0, |pulley| match pulley.side {
                Side::Left => pulley.radius,
                Side::Right => -pulley.radius,
            })
        };
        let radii = self.through.iter().map(radius).collect();
        Some(Symbol::Rope { through: &self.through, radii, axis: self.axis.as_ref() })
    }

    fn attach(&self, path: &str, index: usize, site: &mut dyn Site) -> Option<()> {
        let drawn = site.drawn();
        let rope = self.path(path, &drawn, site)?;
        let length = rope.jet(&drawn).x;
        let mut terms = vec![(site.gauge(CoordinateFunction::Path(Box::new(rope))), 1.0)];
        if let Some(winch) = &self.winch {
            terms.push(winch.attach(&format!("{path}.winch"), site)?);
        }
        if !self.inextensible {
            let law = Along {
                terms,
                stiffness: self.stiffness,
                damping: self.damping,
                rest: self.free_length.unwrap_or(f64::NAN), // set once assembled
                only_pulls: self.tension_only,
                shows: Shows::Rope,
                ..Default::default()
            };
            site.act(format!("cable.{}", self.name), Action::Along(Box::new(law)));
            return Some(());
        }
        let mut bodies: Vec<usize> = terms.iter().flat_map(|&(g, _)| site.gauges()[g].bodies()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            let message = "the cable does not run over anything that moves";
            site.fault(Fault::error(format!("{path}.through"), message));
            return None;
        }
        site.constrain(Coupling {
            terms,
            offset: self.free_length.unwrap_or(length),
            drive: None,
            touch: Touch::Gauges,
            owner: CouplingOwner::Cable(index),
            label: format!("cable `{}`", self.name),
            bodies,
            held: None,
        });
        Some(())
    }
}
