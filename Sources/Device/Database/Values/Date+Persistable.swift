import CausewayModel
public import Foundation

extension Date: _PersistableScalar, _Indexable, MinMaxType {
    /// The type that values of this type are stored as.
    public static var _scalarType: _ScalarType { _ScalarType(.date) }

    /// Now. A date that a migration adds to stored objects begins at 1970 instead.
    public static func _zeroValue() -> Date { Date() }

    /// Converts a stored value to this type; nil for null and for a value of another type.
    public init?(_stored: _StoredValue) {
        guard case .timestamp(let timestamp) = _stored.value else { return nil }
        self.init(timestamp)
    }

    /// The stored form of the value.
    public var _stored: _StoredValue { _StoredValue(.timestamp(Timestamp(self))) }
}

/// Seconds between 1970, where stored time begins, and 2001, where Foundation's does.
private let secondsTo2001: Int64 = 978_307_200

extension Timestamp {
    /// The nearest nanosecond to a date.
    ///
    /// Foundation counts from 2001 in a Double. Splitting that count, not the one from 1970, keeps every bit of it, so
    /// that a present-day date comes back equal. A date that is not a number becomes 1970, as in Realm. A date beyond
    /// the years of Foundation's calendar is clamped.
    init(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        guard !interval.isNaN else {
            self.init(seconds: 0, nanoseconds: 0)
            return
        }
        let bounded = min(max(interval, -1e15), 1e15)
        let whole = bounded.rounded(.down)
        var seconds = Int64(whole) + secondsTo2001
        var nanoseconds = Int32(((bounded - whole) * 1e9).rounded())
        if nanoseconds == 1_000_000_000 {
            seconds += 1
            nanoseconds = 0
        }
        // Both parts of a stored time have one sign: half a second before 1970 is (0, -5e8), not (-1, 5e8).
        if seconds < 0, nanoseconds > 0 {
            seconds += 1
            nanoseconds -= 1_000_000_000
        }
        self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
}

extension Date {
    init(_ timestamp: Timestamp) {
        let seconds = TimeInterval(timestamp.seconds.subtractingReportingOverflow(secondsTo2001).partialValue)
        self.init(timeIntervalSinceReferenceDate: seconds + TimeInterval(timestamp.nanoseconds) / 1e9)
    }
}
