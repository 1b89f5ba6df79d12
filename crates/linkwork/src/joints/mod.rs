//! Kinds of joints, one file each, as data: what a kind is called, which keys it has, what it demands, its coordinates, its place in a tree and its symbol.
//!
//! Everything else reads these descriptions: the checks of a model, the constraint rows in point coordinates, those of Newton and Euler, coordinates and columns of the
//! results, spanning trees and links, the drawing. A new kind is a file beside the others and a line in `joints!` below.
//!
//! Vectors of a joint are fixed in its first body unless said otherwise:
//!
//! ```text
//!   axis a            as given
//!   side s            across a: in the plane z × a, in space any direction square to a
//!   normal n = a × s
//!   d                 from the joint's point on the first body to that on the second
//! ```

mod describe;

pub use describe::{
    AxisKey, Coordinate, Coupling, Demand, Descriptor, Freedom, Key, LinkStep, Part, Points, Rotation,
    SecondAxis, Steps, Symbol, Translation, Vector,
};

/// Declares the kinds: documentation, variant and file of each.
macro_rules! joints {
    ($($(#[$doc:meta])* $kind:ident = $file:ident,)*) => {
        $(mod $file;)*

        /// What a joint lets its bodies do relative to each other.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum JointKind {
            $($(#[$doc])* $kind,)*
        }

        impl JointKind {
            /// Every kind.
            pub const ALL: [JointKind; [$(stringify!($kind)),*].len()] = [$(JointKind::$kind),*];

            /// Everything about the kind.
            pub const fn descriptor(self) -> &'static Descriptor {
                match self {
                    $(JointKind::$kind => &$file::JOINT,)*
                }
            }
        }
    };
}

joints! {
    /// Turn about one axis (in the plane: about the point).
    Revolute = revolute,
    /// Space only: turn freely about the point.
    Spherical = spherical,
    /// Slide along the axis without turning.
    Prismatic = prismatic,
    /// Space only: slide along the axis and turn about it.
    Cylindrical = cylindrical,
    /// The point of the second body slides along a line of the first and may turn; in the plane
    /// this is a pin in a slot.
    PointOnLine = point_on_line,
    /// Nothing: the bodies move as one.
    Fixed = fixed,
    /// Space only: turn about two axes through the point, one fixed in each body and square to each other.
    Universal = universal,
    /// Space only: slide in a plane of the first body and turn about its normal.
    Planar = planar,
    /// Space only: the point of the second body slides in a plane of the first; all turning.
    PointOnPlane = point_on_plane,
    /// Everything but a change of the distance between two points: a massless rod with a ball at each end.
    Distance = distance,
    /// Everything: the joint demands nothing.
    Floating = floating,
    /// Space only: turn about the axis and, in proportion, slide along it.
    Screw = screw,
    /// Space only: turn freely about the point, but both shafts turn equally fast however they are bent.
    ConstantVelocity = constant_velocity,
    /// Two gears in mesh at a point that a third body, the carrier of their bearings, holds.
    Gear = gear,
    /// A pinion, the first body, in mesh with a rack, the second.
    RackAndPinion = rack_and_pinion,
    /// A wheel or ball, the second body, rolls without slipping on a plane of the first; in the plane a disc on a line.
    Rolling = rolling,
    /// The point of the second body runs along a curve of the first.
    PointOnCurve = point_on_curve,
    /// Space only: slide across the axis of the first body without turning, as the halves of an Oldham coupling do.
    Oldham = oldham,
}

impl JointKind {
    /// Whether a coordinate, counted from one, is an angle (else it is a path); `None` if the joint has none of this number.
    pub fn turns(self, planar: bool, coordinate: usize) -> Option<bool> {
        self.freedom(planar).coordinates.get(coordinate.checked_sub(1)?).map(|c| c.turns())
    }

    /// The name in the model file.
    pub const fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Whether a joint of this kind lets the points of its bodies part: they are not the same point.
    pub const fn slides(self) -> bool {
        self.descriptor().slides
    }

    /// Its demands and coordinates, in the plane or in space. A kind that exists in space only has those everywhere.
    pub const fn freedom(self, planar: bool) -> &'static Freedom {
        let descriptor = self.descriptor();
        if planar && descriptor.space_only.is_none() { &descriptor.in_plane } else { &descriptor.in_space }
    }

    /// Whether it demands nothing.
    pub fn is_free(self) -> bool {
        self.descriptor().part == Part::Nothing
    }

    /// Whether it has a key of its own.
    pub fn has(self, key: Key) -> bool {
        self.descriptor().keys.contains(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is demanded and what is left free make six, or three in the plane.
    #[test]
    fn exact_degrees_of_freedom() {
        for kind in JointKind::ALL {
            let descriptor = kind.descriptor();
            for (planar, all) in [(true, 3), (false, 6)] {
                if planar && descriptor.space_only.is_some() {
                    continue;
                }
                let pinned = if kind.slides() { 0 } else { if planar { 2 } else { 3 } };
                let freedom = kind.freedom(planar);
                let demanded = pinned + freedom.demands.len() + freedom.coupled;
                assert_eq!(demanded + freedom.degrees, all, "{kind:?}, planar: {planar}");
            }
        }
    }

    /// No two kinds have a name in common.
    #[test]
    fn exact_names_differ() {
        let names = JointKind::ALL.iter().flat_map(|kind| {
            let Descriptor { name, aliases, .. } = kind.descriptor();
            std::iter::once(*name).chain(aliases.iter().copied())
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    /// Links move as the coordinates say: every step of a kind that has links of its own belongs to a coordinate.
    #[test]
    fn same_steps_as_coordinates() {
        for kind in JointKind::ALL {
            let Some(steps) = kind.descriptor().steps else { continue };
            let coordinates = kind.freedom(false).coordinates;
            for step in steps.list {
                let matched = coordinates.iter().any(|c| c.is_of(*step));
                assert!(matched || *step == LinkStep::Screw, "{kind:?}: {step:?}");
            }
        }
    }
}
