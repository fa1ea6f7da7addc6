package import CausewayModel

/// The value for a `%@`, `%K`, `%d` or `$0` in the text.
package enum Argument: Hashable, Sendable {
    case value(Value)
    /// For IN, BETWEEN, and `ANY … IN`.
    case values([Value])
    /// A key path, for `%K` and `$K0`.
    case name(String)
    /// A shape, for GEOWITHIN and IN.
    case shape(GeoShape)
}

/// How the text asks for an argument.
enum Placeholder: Equatable {
    /// `%@`, `%s`: the next argument, a value or a list of values.
    case next
    /// `%d`, `%ld`, `%f` and their like: the next argument, which must be a number.
    case nextNumber
    /// `%K`: the next argument as a key path.
    case nextName
    /// `$0`: the argument with this index.
    case indexed(Int)
    /// `$K0`: the argument with this index as a key path.
    case indexedName(Int)
}
