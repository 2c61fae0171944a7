//! Enums whose variants have names.

/// Defines an enum, each variant with its name: `ALL` has all variants with their names, in their
/// order, and the method called as the macro is told returns the name of one.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$of_enum:meta])*
        pub enum $Enum:ident, $method:ident {
            $($(#[$of_variant:meta])* $Variant:ident $(= $number:expr)? => $name:expr,)*
        }
    ) => {
        $(#[$of_enum])*
        pub enum $Enum { $($(#[$of_variant])* $Variant $(= $number)?,)* }

        impl $Enum {
            /// All of them, each with its name.
            pub const ALL: [(&'static str, $Enum); [$($name,)*].len()] =
                [$(($name, $Enum::$Variant),)*];

            /// The name.
            pub const fn $method(self) -> &'static str {
                match self { $($Enum::$Variant => $name,)* }
            }
        }
    };
}
