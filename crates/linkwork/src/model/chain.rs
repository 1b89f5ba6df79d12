//! Chains and ropes: many equal segments between two points, some of which may still be in a container or on a drum.

use super::{Formula, IntoVector, Winch};
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

/// What the segments of a chain are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChainKind {
    /// Links without mass between nodes that have it.
    #[default]
    Lumped,
    /// Uniform rigid rods.
    Rods,
}

impl ChainKind {
    /// All kinds.
    pub const ALL: [ChainKind; 2] = [ChainKind::Lumped, ChainKind::Rods];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            ChainKind::Lumped => "lumped",
            ChainKind::Rods => "rods",
        }
    }
}

/// Which nodes take the mass of a lumped segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lumping {
    /// One half each of its ends.
    #[default]
    Halves,
    /// All of it the end farther from the chain's `from`, as Lu et al. have it.
    Far,
}

impl Lumping {
    /// All of them.
    pub const ALL: [Lumping; 2] = [Lumping::Halves, Lumping::Far];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            Lumping::Halves => "halves",
            Lumping::Far => "far",
        }
    }
}

keys! {
    /// Drag of the air on every segment of a chain. What is given adds up.
    ChainDrag {
        /// Density of the air, kg/m^3; 1.225 if left out.
        density: f64 => default Density = ChainDrag::default().density,
        /// Diameter of the chain, m; needed with `normal` and `tangential`.
        diameter: f64 => default Length = 0.0,
        /// Drag coefficient across a segment, on density/2 times diameter times length times speed squared.
        normal: f64 => default Plain = 0.0,
        /// Drag coefficient along a segment, on density/2 times pi times diameter times length times speed squared.
        tangential: f64 => default Plain = 0.0,
        /// Force per speed and length in all directions, N s/m^2.
        linear: f64 => default Si<-1, 1, -1> = 0.0,
        /// Velocity of the air in world axes, m/s; at rest if left out.
        wind: [f64; 3] => default Velocity = [0.0; 3],
    }
}

impl Default for ChainDrag {
    fn default() -> Self {
        ChainDrag { density: 1.225, diameter: 0.0, normal: 0.0, tangential: 0.0, linear: 0.0, wind: [0.0; 3] }
    }
}

keys! {
    /// A surface that the nodes of a chain touch.
    ChainContact {
        /// Its name under `surfaces`.
        surface: String => required String,
        /// Coefficient of friction; 0 if left out.
        friction: f64 => default Plain = 0.0,
        /// How much of the speed is left after an impact, from 0 to 1; 0 if left out.
        restitution: f64 => default Plain = 0.0,
    }
}

/// How long the part of a chain is that is out.
#[derive(Clone, Debug, PartialEq)]
pub enum PayOutLaw {
    /// As long as the motion pulls it; nothing is ever drawn back.
    Follows,
    /// As a formula of time says, m, from `from` to the exit.
    Length(Formula),
    /// As a drum turns; the length at the start is that of the chain.
    Winch(Winch),
}

/// What happens when a container is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupplyEnd {
    /// The end is tied to the exit.
    #[default]
    Tied,
    /// The end leaves it.
    Loose,
}

impl SupplyEnd {
    /// All of them.
    pub const ALL: [SupplyEnd; 2] = [SupplyEnd::Tied, SupplyEnd::Loose];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            SupplyEnd::Tied => "tied",
            SupplyEnd::Loose => "loose",
        }
    }
}

keys! {
    /// How a chain leaves a container or a drum at its end `to`. With neither `length` nor `winch` it follows the motion, and is never drawn back.
    PayOut {
        /// How much is out.
        law: PayOutLaw => group PayOutKeys,
        /// Which part of the momentum that the material takes up its own tension provides: 1 (the default) picks it up from rest, plastically; 0.5 loses no energy.
        pick_up: f64 => default Plain = 1.0,
        /// Tension that holds it back at the exit, N; 0 if left out.
        exit_tension: f64 => default ForceSize = 0.0,
        /// Length of the whole chain, in the container and out, m; without end if left out.
        supply: Option<f64> => optional Length,
        /// When the container is empty, its end is tied to the exit (the default), or loose and leaves it.
        at_end: SupplyEnd => default Choice<SupplyEnd> = SupplyEnd::Tied,
    }
}

#[cfg(feature = "file")]
use file::PayOutKeys;

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use super::{Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut, PayOutLaw, SupplyEnd, Winch};
    use crate::file::prelude::*;

    part!(ChainDrag, ChainContact, PayOut);

    impl Rules for Chain {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            if self.kind == ChainKind::Rods && given.has("masses") {
                let help = "leave `masses` out, or choose kind = \"lumped\"";
                reader.refuse(".masses", "rods have their mass along themselves", help);
            }
        }

        fn stand_in(&mut self) {
            let plain = Chain::new(std::mem::take(&mut self.name), std::mem::take(&mut self.from), 1, 1.0);
            *self = match self.to.take() {
                Some(to) => plain.to(to),
                None => plain.length(1.0).direction([1.0, 0.0]),
            };
        }
    }

    impl Rules for ChainContact {}
    impl Rules for PayOut {}
    impl Rules for ChainDrag {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            if !given.any(&["normal", "tangential", "linear"]) {
                let help = "give `normal` or `tangential` with `diameter`, or `linear`";
                reader.refuse("", "drag needs a coefficient", help);
            }
        }

        fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
            let some = ["normal", "tangential", "linear"].iter().any(|key| entry.get(key).is_some());
            if some { entry } else { entry.set("normal", self.normal) }
        }
    }

    table! {
        /// How much of a chain is out.
        PayOutKeys {
            /// The length that is out, m: an expression of `t`, which may use tables.
            length: optional FormulaOf<1, 0, 0>,
            /// A drum that gives it out as a joint turns.
            winch: optional Winch,
        }
    }

    impl Group for PayOutKeys {
        type Value = PayOutLaw;

        fn build(self, reader: &mut Reader<'_>) -> Option<PayOutLaw> {
            match (self.length, self.winch) {
                (Some(_), Some(_)) => {
                    let help = "keep one of the two; with neither it follows the motion";
                    reader.refuse("", "`length` and `winch` both say how much is out", help);
                    None
                }
                (Some(length), None) => Some(PayOutLaw::Length(length.value())),
                (None, Some(winch)) => Some(PayOutLaw::Winch(winch)),
                (None, None) => Some(PayOutLaw::Follows),
            }
        }

        fn stand_in() -> PayOutLaw {
            PayOutLaw::Follows
        }

        fn write(law: &PayOutLaw, entry: Entry, context: &Context<'_>) -> Entry {
            match law {
                PayOutLaw::Follows => entry,
                PayOutLaw::Length(length) => entry.set("length", length),
                PayOutLaw::Winch(winch) => entry.set("winch", Winch::write(winch, context)),
            }
        }
    }

    named_choices!(ChainKind, "kind of chain");
    named_choices!(Lumping, "way to spread masses");
    named_choices!(SupplyEnd, "end of a supply");
}

impl PayOut {
    /// Follows the motion, picked up from rest.
    pub fn follows() -> Self {
        PayOut {
            law: PayOutLaw::Follows,
            pick_up: 1.0,
            exit_tension: 0.0,
            supply: None,
            at_end: SupplyEnd::Tied,
        }
    }

    /// As long as a formula of time says, m.
    pub fn length(law: impl Into<Formula>) -> Self {
        PayOut { law: PayOutLaw::Length(law.into()), ..Self::follows() }
    }

    /// On a drum that turns with the first coordinate of a joint: so much rope for each radian, m; negative where turning on winds it up.
    pub fn winch(joint: &str, radius: f64) -> Self {
        let winch = Winch { joint: joint.into(), coordinate: 1, radius };
        PayOut { law: PayOutLaw::Winch(winch), ..Self::follows() }
    }
}

keys! {
    /// A chain or a rope of many equal segments, from a point to another or hanging from one.
    Chain(name) {
        /// The point where it begins; nodes are counted from here. An end that no body holds is free.
        from: String => required String,
        /// The point where it ends; a free end if left out.
        to: Option<String> => optional String,
        /// Without `to`: in which direction it lies as drawn, a vector or two points; that of gravity if left out.
        direction: Option<[f64; 3]> => optional DrawnDirection,
        /// Length without load, m; the distance of its ends if left out. Longer than that: it sags.
        length: Option<f64> => optional Length,
        /// How many segments; or `segment_length`.
        segments: Option<usize> => optional Count,
        /// How long each segment is, m; rounded such that they fill the length.
        segment_length: Option<f64> => optional Length,
        /// Mass per length, kg/m.
        mass_per_length: f64 => required Si<-1, 1, 0> = 1.0,
        /// lumped (the default): links without mass between nodes that have it. rods: uniform rigid rods.
        kind: ChainKind => default Choice<ChainKind> = ChainKind::default(),
        /// Lumped: which nodes take the mass of a segment. halves (the default): one half each of its ends. far: all of it the end farther from `from`.
        masses: Lumping => default Choice<Lumping> = Lumping::default(),
        /// Lumped: force per strain (EA), N; rigid if left out.
        stiffness: Option<f64> => optional ForceSize,
        /// With `stiffness`: force per rate of strain, N s.
        damping: f64 => default Si<1, 1, -1> = 0.0,
        /// Moment per curvature (EI), N m^2; 0 if left out.
        bending_stiffness: f64 => default Si<3, 1, -2> = 0.0,
        /// Moment per rate of curvature, N m^2 s; 0 if left out.
        bending_damping: f64 => default Si<3, 1, -1> = 0.0,
        /// What the air does to every segment.
        drag: Option<ChainDrag> => optional ChainDrag,
        /// The surface that its nodes touch.
        contact: Option<ChainContact> => optional ChainContact,
        /// It breaks where the tension is more than this, N.
        break_force: Option<f64> => optional ForceSize,
        /// It leaves a container or a drum at `to`, or goes back.
        pay_out: Option<PayOut> => optional PayOut,
    }
}

impl Chain {
    /// A chain of so many rigid lumped segments from a point to another.
    pub fn new(
        name: impl Into<String>,
        from: impl Into<String>,
        segments: usize,
        mass_per_length: f64,
    ) -> Self {
        Chain {
            name: name.into(),
            from: from.into(),
            to: None,
            direction: None,
            length: None,
            segments: Some(segments),
            segment_length: None,
            mass_per_length,
            kind: ChainKind::Lumped,
            masses: Lumping::Halves,
            stiffness: None,
            damping: 0.0,
            bending_stiffness: 0.0,
            bending_damping: 0.0,
            drag: None,
            contact: None,
            break_force: None,
            pay_out: None,
        }
    }

    /// Where it ends.
    pub fn to(mut self, point: impl Into<String>) -> Self {
        self.to = Some(point.into());
        self
    }

    /// In which direction it lies as drawn, where it has no other end.
    pub fn direction(mut self, direction: impl IntoVector) -> Self {
        self.direction = Some(direction.into_vector());
        self
    }

    /// Sets its length, m.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }

    /// Sets how long a segment is, m, in place of how many there are.
    pub fn segment_length(mut self, length: f64) -> Self {
        (self.segments, self.segment_length) = (None, Some(length));
        self
    }

    /// Makes its segments uniform rods.
    pub fn rods(mut self) -> Self {
        self.kind = ChainKind::Rods;
        self
    }

    /// Says where the mass of lumped segments is.
    pub fn masses(mut self, lumping: Lumping) -> Self {
        self.masses = lumping;
        self
    }

    /// Makes it elastic: force per strain, N, and per rate of strain, N s.
    pub fn elastic(mut self, stiffness: f64, damping: f64) -> Self {
        (self.stiffness, self.damping) = (Some(stiffness), damping);
        self
    }

    /// Lets it resist bending: moment per curvature, N m², and per rate of curvature, N m² s.
    pub fn bending(mut self, stiffness: f64, damping: f64) -> Self {
        (self.bending_stiffness, self.bending_damping) = (stiffness, damping);
        self
    }

    /// Sets what the air does to it.
    pub fn drag(mut self, drag: ChainDrag) -> Self {
        self.drag = Some(drag);
        self
    }

    /// Lets its nodes touch a surface.
    pub fn contact(mut self, surface: impl Into<String>, friction: f64, restitution: f64) -> Self {
        self.contact = Some(ChainContact { surface: surface.into(), friction, restitution });
        self
    }

    /// Lets it break where the tension is more than this, N.
    pub fn break_force(mut self, force: f64) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Lets it leave a container or a drum at its end `to`.
    pub fn pay_out(mut self, pay_out: PayOut) -> Self {
        self.pay_out = Some(pay_out);
        self
    }
}
