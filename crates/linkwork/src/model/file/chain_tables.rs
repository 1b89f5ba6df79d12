//! The tables of chains, and of changes of what the mechanism consists of.

use crate::file::table::{Named, table};
use crate::file::values::*;
use crate::model::{ChainKind, Lumping, SupplyEnd, Winch};

table! {
    /// A chain or a rope of many equal segments, from a point to another or hanging from one.
    ChainTable {
        /// The point where it begins; nodes are counted from here. An end that no body holds is free.
        from: required String,
        /// The point where it ends; a free end if left out.
        to: optional String,
        /// Without `to`: in which direction it lies as drawn, a vector or two points; that of gravity if left out.
        direction: optional Direction,
        /// Length without load, m; the distance of its ends if left out. Longer than that: it sags.
        length: optional Length,
        /// How many segments; or `segment_length`.
        segments: optional Count,
        /// How long each segment is, m; rounded such that they fill the length.
        segment_length: optional Length,
        /// Mass per length, kg/m.
        mass_per_length: required Si<-1, 1, 0>,
        /// lumped (the default): links without mass between nodes that have it. rods: uniform rigid rods.
        kind: optional Choice<ChainKind>,
        /// Lumped: which nodes take the mass of a segment. halves (the default): one half each of its ends. far: all of it the end farther from `from`.
        masses: optional Choice<Lumping>,
        /// Lumped: force per strain (EA), N; rigid if left out.
        stiffness: optional ForceSize,
        /// With `stiffness`: force per rate of strain, N s.
        damping: optional Si<1, 1, -1>,
        /// Moment per curvature (EI), N m^2; 0 if left out.
        bending_stiffness: optional Si<3, 1, -2>,
        /// Moment per rate of curvature, N m^2 s; 0 if left out.
        bending_damping: optional Si<3, 1, -1>,
        /// What the air does to every segment.
        drag: optional ChainDragTable,
        /// The surface that its nodes touch.
        contact: optional ChainContactTable,
        /// It breaks where the tension is more than this, N.
        break_force: optional ForceSize,
        /// It leaves a container or a drum at `to`, or goes back.
        pay_out: optional PayOutTable,
    }
}

table! {
    /// Drag of the air on every segment of a chain. What is given adds up.
    ChainDragTable {
        /// Density of the air, kg/m^3; 1.225 if left out.
        density: optional Density,
        /// Diameter of the chain, m; needed with `normal` and `tangential`.
        diameter: optional Length,
        /// Drag coefficient across a segment, on density/2 times diameter times length times speed squared.
        normal: optional Plain,
        /// Drag coefficient along a segment, on density/2 times pi times diameter times length times speed squared.
        tangential: optional Plain,
        /// Force per speed and length in all directions, N s/m^2.
        linear: optional Si<-1, 1, -1>,
        /// Velocity of the air in world axes, m/s; at rest if left out.
        wind: optional Velocity,
    }
}

table! {
    /// A surface that the nodes of a chain touch.
    ChainContactTable {
        /// Its name under [surfaces].
        surface: required String,
        /// Coefficient of friction; 0 if left out.
        friction: optional Plain,
        /// How much of the speed is left after an impact, from 0 to 1; 0 if left out.
        restitution: optional Plain,
    }
}

table! {
    /// How a chain leaves a container or a drum at its end `to`. With neither `length` nor `winch` it follows the motion, and is never drawn back.
    PayOutTable {
        /// The length that is out, m: an expression of `t`, which may use tables.
        length: optional FormulaOf<1, 0, 0>,
        /// A drum that gives it out as a joint turns.
        winch: optional Winch,
        /// Which part of the momentum that the material takes up its own tension provides: 1 (the default) picks it up from rest, plastically; 0.5 loses no energy.
        pick_up: optional Plain,
        /// Tension that holds it back at the exit, N; 0 if left out.
        exit_tension: optional ForceSize,
        /// Length of the whole chain, in the container and out, m; without end if left out.
        supply: optional Length,
        /// When the container is empty, its end is tied to the exit (the default), or loose and leaves it.
        at_end: optional Choice<SupplyEnd>,
    }
}

table! {
    /// Lets parts of the mechanism come and go, once: `at` a time, or `when` a condition becomes true.
    ChangeTable {
        /// When, s.
        at: optional Time,
        /// It happens when this condition becomes true.
        when: optional Truth,
        /// Joints that open, by their names in results.
        detach: optional Vec<String>,
        /// Joints that close: entries of [joints] that are not active yet, or that have opened.
        attach: optional Vec<String>,
        /// Bodies that appear where they are drawn; they have `present = false`.
        add: optional Vec<String>,
        /// The body that those move with at first, as if they had been fixed to it; with the start velocities of the model if left out.
        moving_with: optional String,
        /// Bodies that vanish, with all that is attached to them.
        remove: optional Vec<String>,
        /// Chains that break, by name, and how far from their `from`, m.
        cut: optional Named<Length>,
    }
}

impl Choices for ChainKind {
    const WHAT: &'static str = "kind of chain";
    fn choices() -> Vec<(&'static str, Self)> {
        ChainKind::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for Lumping {
    const WHAT: &'static str = "way to spread masses";
    fn choices() -> Vec<(&'static str, Self)> {
        Lumping::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}

impl Choices for SupplyEnd {
    const WHAT: &'static str = "end of a supply";
    fn choices() -> Vec<(&'static str, Self)> {
        SupplyEnd::ALL.iter().map(|&choice| (choice.name(), choice)).collect()
    }
}
