import CausewayModel

// A complete stored type in one file: it names the stored type that carries it, and converts both ways. Schema,
// collections, queries, sorting, indexes and sync need no more.

/// Stored as an integer of nanoseconds, which covers 292 years in both directions. Finer parts are rounded to the
/// nearest nanosecond; longer durations are clamped.
///
/// ```swift
/// class Trip: Object { @Persisted(indexed: true) var length: Duration }
/// let short = realm.objects(Trip.self).where { $0.length < .seconds(90) }
/// ```
///
/// To other programs the property is an `Int`. A class may change between the two types; the stored values stay.
extension Duration: _PersistableScalar, _Indexable, MinMaxType, AddableType, _QueryNumeric {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// The initial value of a property declared without a default.
    public static func _zeroValue() -> Duration { .zero }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        switch _stored.value {
        case .int(let nanoseconds): self = .nanoseconds(nanoseconds)
        // Averages are doubles.
        case .double(let nanoseconds): self = .nanoseconds(1) * nanoseconds
        default: return nil
        }
    }

    /// The stored form of the value.
    public var _stored: _StoredValue {
        let (seconds, attoseconds) = components
        let half: Int64 = attoseconds < 0 ? -500_000_000 : 500_000_000
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isBeyond) = whole.addingReportingOverflow((attoseconds + half) / 1_000_000_000)
        if isTooLong || isBeyond { return _StoredValue(.int(seconds < 0 ? .min : .max)) }
        return _StoredValue(.int(nanoseconds))
    }
}
