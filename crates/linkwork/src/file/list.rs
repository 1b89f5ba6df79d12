//! The macro behind [`keys`](super::keys): the list of an item's keys. Without the feature `file` it defines the struct alone.

/// An item with a name.
pub(crate) trait Named {
    /// The name.
    fn name(&self) -> &str;
}

/// Defines an item that is a table of a file. With a name in parentheses it has a field for its name, else it is a part of another item.
macro_rules! keys {
    (
        $(#[doc = $doc:literal])*
        $item:ident $(($name:ident))? {
            $($(#[doc = $about:literal])* $field:ident: $type:ty => $need:ident $kind:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $item {
            $(
                /// Its name.
                pub $name: String,
            )?
            $($(#[doc = $about])* pub $field: $type,)*
        }

        $(
            impl $crate::file::list::Named for $item {
                fn name(&self) -> &str {
                    &self.$name
                }
            }
        )?

        #[cfg(feature = "file")]
        impl $crate::file::keys::Keys for $item {
            fn keys() -> &'static [&'static str] {
                static KEYS: std::sync::LazyLock<Vec<&'static str>> = std::sync::LazyLock::new(|| {
                    let mut keys: Vec<&'static str> = Vec::new();
                    $(keys.extend($crate::file::list::keys!(@keys $need $kind, $field));)*
                    keys.sort_by_key(|key| !<$item as $crate::file::keys::Rules>::FIRST.contains(key));
                    keys
                });
                &KEYS
            }

            fn read(
                name: &str,
                node: &$crate::file::document::Node,
                reader: &mut $crate::file::decode::Reader<'_>,
            ) -> Self {
                let _ = name;
                let sole = $crate::file::keys::sole::<Self>(node);
                let given = $crate::file::keys::Given(match &sole {
                    Some(entries) => Some(entries.as_slice()),
                    None => reader.table(node, Self::keys()),
                });
                $(let $field = $crate::file::list::keys!(@read $need $kind, $field, (node, given, reader) $(= $default)?);)*
                $(let $field = $crate::file::list::keys!(@build $need $kind, $field, (given, reader));)*
                let mut item = $item { $($name: name.to_owned(),)? $($field,)* };
                if given.0.is_some() && !reader.is_broken() {
                    $crate::file::keys::Rules::judge(&mut item, given, reader);
                }
                if reader.is_broken() {
                    $crate::file::keys::Rules::stand_in(&mut item);
                }
                item
            }

            fn write(&self, context: &$crate::file::writing::Context<'_>) -> $crate::file::writing::Entry {
                let mut entry = $crate::file::writing::Entry::new(Self::keys());
                entry.alone = <Self as $crate::file::keys::Rules>::ALONE;
                $(let entry = $crate::file::list::keys!(@write $need $kind, $field, (&self.$field, entry, context) $(= $default)?);)*
                $crate::file::keys::Rules::written(self, entry, context)
            }

            fn properties(
                generator: &mut schemars::SchemaGenerator,
                schema: &mut $crate::file::table::Properties,
            ) {
                $($crate::file::list::keys!(@schema $need $kind, $field, (generator, schema, concat!($($about),*)));)*
            }
        }

        #[cfg(feature = "file")]
        impl schemars::JsonSchema for $item {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($item).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = $crate::file::table::Properties::default();
                <Self as $crate::file::keys::Keys>::properties(generator, &mut schema);
                schema.schema(concat!($($doc),*))
            }
        }
    };

    (@keys group $kind:ty, $field:ident) => {
        <$kind as $crate::file::table::Table>::KEYS.iter().copied()
    };
    (@keys unlisted $kind:ty, $field:ident) => { [""; 0] };
    (@keys $need:ident $kind:ty, $field:ident) => {
        [$crate::file::table::key(stringify!($field))]
    };

    (@read required $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident)) => {
        $given
            .field::<$kind>($node, $crate::file::table::key(stringify!($field)), true, $reader)
            .map($crate::file::keys::Kind::value)
            .unwrap_or_default()
    };
    (@read required $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident) = $default:expr) => {
        $given
            .field::<$kind>($node, $crate::file::table::key(stringify!($field)), true, $reader)
            .map_or($default, $crate::file::keys::Kind::value)
    };
    (@read optional $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident)) => {
        $given
            .field::<$kind>($node, $crate::file::table::key(stringify!($field)), false, $reader)
            .map($crate::file::keys::Kind::value)
    };
    (@read default $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident) = $default:expr) => {
        $given
            .field::<$kind>($node, $crate::file::table::key(stringify!($field)), false, $reader)
            .map_or($default, $crate::file::keys::Kind::value)
    };
    (@read unlisted $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident) = $default:expr) => {
        $default
    };
    (@read group $kind:ty, $field:ident, ($node:ident, $given:ident, $reader:ident)) => {
        $given.0.map(|entries| <$kind as $crate::file::table::Table>::fields($node, entries, $reader))
    };

    // a group is built once all keys of the item are decoded, and only where none of them is at fault
    (@build group $kind:ty, $field:ident, ($given:ident, $reader:ident)) => {
        match $field {
            Some(keys) if !$reader.is_broken() => <$kind as $crate::file::keys::Group>::build(keys, $reader),
            _ => None,
        }
        .unwrap_or_else(|| {
            $reader.follows();
            <$kind as $crate::file::keys::Group>::stand_in()
        })
    };
    (@build $need:ident $kind:ty, $field:ident, ($given:ident, $reader:ident)) => { $field };

    (@write required $kind:ty, $field:ident, ($value:expr, $entry:ident, $context:ident) $(= $default:expr)?) => {
        $entry.set(
            $crate::file::table::key(stringify!($field)),
            <$kind as $crate::file::keys::Kind>::write($value, $context),
        )
    };
    (@write optional $kind:ty, $field:ident, ($value:expr, $entry:ident, $context:ident)) => {
        $entry.maybe(
            $crate::file::table::key(stringify!($field)),
            $value.as_ref().map(|value| <$kind as $crate::file::keys::Kind>::write(value, $context)),
        )
    };
    (@write default $kind:ty, $field:ident, ($value:expr, $entry:ident, $context:ident) = $default:expr) => {
        $entry.unless(
            <$kind as $crate::file::keys::Kind>::same($value, &$default),
            $crate::file::table::key(stringify!($field)),
            <$kind as $crate::file::keys::Kind>::write($value, $context),
        )
    };
    (@write unlisted $kind:ty, $field:ident, ($value:expr, $entry:ident, $context:ident) = $default:expr) => { $entry };
    (@write group $kind:ty, $field:ident, ($value:expr, $entry:ident, $context:ident)) => {
        <$kind as $crate::file::keys::Group>::write($value, $entry, $context)
    };

    (@schema group $kind:ty, $field:ident, ($generator:ident, $schema:ident, $about:expr)) => {
        <$kind as $crate::file::table::Table>::properties($generator, $schema)
    };
    (@schema unlisted $kind:ty, $field:ident, ($generator:ident, $schema:ident, $about:expr)) => {};
    (@schema required $kind:ty, $field:ident, ($generator:ident, $schema:ident, $about:expr)) => {
        $schema.key::<$kind>($generator, $crate::file::table::key(stringify!($field)), $about, true)
    };
    (@schema $need:ident $kind:ty, $field:ident, ($generator:ident, $schema:ident, $about:expr)) => {
        $schema.key::<$kind>($generator, $crate::file::table::key(stringify!($field)), $about, false)
    };
}
pub(crate) use keys;

/// Lets an item without a name stand behind a key of another.
#[cfg(feature = "file")]
macro_rules! part {
    ($($item:ty),+) => {$(
        impl $crate::file::decode::Decode for $item {
            fn decode(
                node: &$crate::file::document::Node,
                reader: &mut $crate::file::decode::Reader<'_>,
            ) -> Option<Self> {
                Some(<$item as $crate::file::keys::Keys>::read("", node, reader))
            }
        }

        impl $crate::file::keys::Kind for $item {
            type Value = $item;
            fn value(self) -> $item {
                self
            }
            fn write(value: &$item, context: &$crate::file::writing::Context<'_>) -> $crate::file::writing::Item {
                $crate::file::keys::Keys::write(value, context).into()
            }
        }
    )+};
}
#[cfg(feature = "file")]
pub(crate) use part;
