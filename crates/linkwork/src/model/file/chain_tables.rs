//! The table of a chain.

use crate::file::table::table;
use crate::file::values::*;
use crate::model::{ChainContact, ChainDrag, ChainKind, Lumping, PayOut};

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
        drag: optional ChainDrag,
        /// The surface that its nodes touch.
        contact: optional ChainContact,
        /// It breaks where the tension is more than this, N.
        break_force: optional ForceSize,
        /// It leaves a container or a drum at `to`, or goes back.
        pay_out: optional PayOut,
    }
}
