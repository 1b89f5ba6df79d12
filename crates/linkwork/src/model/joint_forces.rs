//! Springs, dampers, friction, stops and inertia within joints.

#[cfg(feature = "file")]
use super::along_coordinates as file;
use super::{Dimension, JointKind};

/// Defines what acts along a coordinate. In a file each key has a value for the first coordinate, or a list with one for each.
macro_rules! along_coordinates {
    (
        $(#[doc = $doc:literal])*
        $item:ident { $($(#[doc = $about:literal])* $field:ident: $type:ty => $unit:ident,)* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $item {
            $($(#[doc = $about])* pub $field: $type,)*
        }

        #[cfg(feature = "file")]
        impl file::Keys for Vec<$item> {
            fn keys() -> &'static [&'static str] {
                &[$(stringify!($field)),*]
            }

            fn of(node: &file::Node, given: file::Given<'_>, reader: &mut file::Reader<'_>) -> Self {
                let mut list = Vec::new();
                // without a kind nobody knows which of these belong
                let Some(kind) = given.entries.and_then(JointKind::in_table) else { return list };
                $(
                    let key = (stringify!($field), file::dims::$unit);
                    let values = file::read::<$type>(key, kind, node, given, reader);
                    list.resize(values.len().max(list.len()), $item::default());
                    list.iter_mut().zip(values).for_each(|(item, value)| item.$field = value);
                )*
                $item::complete(&mut list, reader.dimension.map_or(Vec::new(), |d| kind.coordinates(d)).len());
                list
            }

            fn add(&self, name: &str, entry: file::Entry, context: &file::Context<'_>) -> file::Entry {
                $(
                    let unit = |i: usize| file::units::unit(context.turns(name, i + 1), file::units::$unit);
                    let values = self.iter().map(|item| item.$field).collect::<Vec<_>>();
                    let entry = file::write(entry, stringify!($field), &values, unit);
                )*
                entry
            }

            fn properties(generator: &mut schemars::SchemaGenerator, schema: &mut file::Properties) {
                $(schema.key::<<$type as file::OfCoordinate>::Key>(generator, stringify!($field), concat!($($about),*), false);)*
            }
        }
    };
}

along_coordinates! {
    /// What acts along one coordinate of a joint. Units are those of the coordinate: N, m or N m, rad.
    JointForces {
        /// Spring along the joint's coordinate, N/m or N m/rad: a number for the first coordinate, or a list with one for each.
        stiffness: f64 => STIFFNESS,
        /// Damper along the coordinate, N s/m or N m s/rad: a number or a list.
        damping: f64 => DAMPING,
        /// Coordinate at which the spring has no force, m or rad: a number or a list; as assembled if left out.
        rest: Option<f64> => COORDINATE,
        /// Constant force that makes the coordinate smaller, N or N m: a number or a list.
        preload: f64 => FORCE,
        /// Coulomb friction, N or N m: a number or a list.
        friction: f64 => FORCE,
        /// Rate over which friction is smoothed, m/s or rad/s: a number or a list; if left out 1e-3 rad/s, or 1e-3 of the size of the mechanism per second.
        friction_speed: Option<f64> => RATE,
        /// Inertia along the coordinate, kg or kg m²: ½ J q̇² more kinetic energy, as that of a motor's rotor seen behind its gear (N² times its own): a number or a list.
        inertia: f64 => INERTIA,
        /// Least and largest coordinate [low, high], m or rad, "none" where there is no stop; or a list of such pairs.
        limits: Option<[f64; 2]> => COORDINATE,
        /// Stiffness of the stops, N/m or N m/rad: a number or a list.
        limit_stiffness: f64 => STIFFNESS,
        /// Damping of the stops as long as they push, N s/m or N m s/rad: a number or a list.
        limit_damping: f64 => DAMPING,
    }
}

impl JointForces {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == JointForces { rest: self.rest, friction_speed: self.friction_speed, ..Default::default() }
    }

    /// Makes a list one for every coordinate of a joint, or empty where there is nothing.
    #[cfg(feature = "file")]
    pub(crate) fn complete(list: &mut Vec<Self>, coordinates: usize) {
        if list.iter().all(|forces| *forces == JointForces::default()) {
            list.clear();
        } else if list.len() < coordinates {
            list.resize(coordinates, JointForces::default());
        }
    }
}

#[cfg(feature = "file")]
impl crate::file::keys::Rules for Vec<JointForces> {}

impl JointKind {
    /// Its coordinates along which forces can be given, in their order: whether each is an angle. A thin body in space may have fewer.
    pub fn coordinates(self, dimension: Dimension) -> Vec<bool> {
        if self.descriptor().forces { self.turning(dimension.is_planar()) } else { Vec::new() }
    }
}
