import CausewayModel

// A stored type in one file: it names the stored type that carries it, and converts both ways. Schema, collections,
// queries, sorting, indexes and sync know it from that.

/// Stored as an integer of nanoseconds: 292 years in both directions. Finer parts are rounded to the nearest nanosecond,
/// and what is longer is held at the border.
///
/// ```swift
/// class Trip: Object { @Persisted(indexed: true) var length: Duration }
/// let short = realm.objects(Trip.self).where { $0.length < .seconds(90) }
/// ```
///
/// To other programs the property is an `Int`. A changed class may turn one into the other: the stored values stay.
extension Duration: _PersistableScalar, _Indexable, MinMaxType, AddableType, _QueryNumeric {
    /// What values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.int) }

    /// What a property holds that was declared without a default.
    public static func _zeroValue() -> Duration { .zero }

    /// The value that the store holds; nil for one that this type has no value for.
    public init?(_stored: _StoredValue) {
        switch _stored.value {
        case .int(let nanoseconds): self = .nanoseconds(nanoseconds)
        // An average.
        case .double(let nanoseconds): self = .nanoseconds(1) * nanoseconds
        default: return nil
        }
    }

    /// The value as the store holds it.
    public var _stored: _StoredValue {
        let (seconds, attoseconds) = components
        let half: Int64 = attoseconds < 0 ? -500_000_000 : 500_000_000
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isBeyond) = whole.addingReportingOverflow((attoseconds + half) / 1_000_000_000)
        if isTooLong || isBeyond { return _StoredValue(.int(seconds < 0 ? .min : .max)) }
        return _StoredValue(.int(nanoseconds))
    }
}
