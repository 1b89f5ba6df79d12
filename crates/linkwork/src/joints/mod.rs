//! Kinds of joints, one file each: its data with their keys and checks, and a description of what it is called, what it demands, its coordinates, its place in a tree and its symbol.
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
#[cfg(feature = "file")]
mod file;
mod prelude;

pub(crate) use describe::{Checked, Describe};
pub use describe::{
    Coordinate, Coupling, Demand, Descriptor, Freedom, LinkStep, Part, Points, Rotation, Steps, Symbol,
    Translation, Vector,
};

/// Declares the kinds: name and file of each.
macro_rules! joints {
    ($($kind:ident = $file:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$kind;)*

        /// A kind of joint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum JointKind {
            $(#[doc = concat!("See [`", stringify!($kind), "`](struct@", stringify!($kind), ").")] $kind,)*
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

        /// What a joint lets its bodies do relative to each other: its kind, with the data that this kind has.
        #[derive(Clone, Debug, PartialEq)]
        pub enum JointData {
            $(#[doc = concat!("See [`", stringify!($kind), "`](struct@", stringify!($kind), ").")] $kind($kind),)*
        }

        impl JointData {
            /// The kind.
            pub const fn kind(&self) -> JointKind {
                match self {
                    $(JointData::$kind(_) => JointKind::$kind,)*
                }
            }

            /// What the data mean.
            pub(crate) fn described(&self) -> &dyn Describe {
                match self {
                    $(JointData::$kind(data) => data,)*
                }
            }
        }

        $(
            impl From<$kind> for JointData {
                fn from(data: $kind) -> Self {
                    JointData::$kind(data)
                }
            }

            #[cfg(feature = "file")]
            impl crate::file::keys::Rules for $kind {}
        )*

        #[cfg(feature = "file")]
        impl JointKind {
            /// The keys that a joint of this kind has in a file.
            fn keys(self) -> file::KeysOfKind {
                match self {
                    $(JointKind::$kind => file::KeysOfKind::of::<$kind>(),)*
                }
            }
        }

        #[cfg(feature = "file")]
        impl JointData {
            /// Adds the keys of its kind.
            fn add_data(&self, entry: file::Entry, context: &file::Context<'_>) -> file::Entry {
                match self {
                    $(JointData::$kind(data) => file::Keys::add(data, "", entry, context),)*
                }
            }
        }
    };
}

joints! {
    Revolute = revolute,
    Spherical = spherical,
    Prismatic = prismatic,
    Cylindrical = cylindrical,
    PointOnLine = point_on_line,
    Fixed = fixed,
    Universal = universal,
    Planar = planar,
    PointOnPlane = point_on_plane,
    Distance = distance,
    Floating = floating,
    Screw = screw,
    ConstantVelocity = constant_velocity,
    Gear = gear,
    RackAndPinion = rack_and_pinion,
    Rolling = rolling,
    PointOnCurve = point_on_curve,
    Oldham = oldham,
}

impl JointData {
    /// What it demands beyond demands between vectors.
    pub fn coupling(&self) -> Coupling<'_> {
        self.described().coupling()
    }
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

    /// Of its coordinates: whether each is an angle.
    pub fn turning(self, planar: bool) -> Vec<bool> {
        self.freedom(planar).coordinates.iter().map(|coordinate| coordinate.turns()).collect()
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
