package import CausewayModel

/// Decides whether an operator holds for two values. This is the only definition; evaluators that work on columns agree
/// with it.
package enum ValueComparison {
    /// Null equals null and nothing else, so that `<=` and `>=` hold for two nulls; it is neither less nor greater than
    /// anything. NaN equals nothing.
    package static func holds(
        _ left: Value,
        _ comparator: Comparator,
        _ right: Value,
        _ options: TextOptions,
        sameObject: (Value, Value) -> Bool = { $0 == $1 }
    ) -> Bool {
        switch (left, right) {
        case (.null, _), (_, .null):
            let areBothNull = left.isNull && right.isNull
            return switch comparator {
            case .equal, .like, .lessOrEqual, .greaterOrEqual: areBothNull
            case .notEqual: !areBothNull
            default: false
            }
        case (.bytes, _) where comparator == .text, (_, .bytes) where comparator == .text:
            // Bytes are no words.
            return false
        case (.string(let left), .string(let right)):
            var matcher = StringMatcher(comparator, Array(right.utf8), options: options)
            return matcher.matches(left)
        case (.bytes(let left), .bytes(let right)):
            var matcher = StringMatcher(comparator, right)
            return matcher.matches(left)
        // Only mixed values meet others of another type: text and bytes compare as bytes.
        case (.string(let left), .bytes(let right)):
            var matcher = StringMatcher(comparator, right)
            return matcher.matches(Array(left.utf8))
        case (.bytes(let left), .string(let right)):
            var matcher = StringMatcher(comparator, Array(right.utf8))
            return matcher.matches(left)
        case (.object, .object), (.object, .link), (.link, .object), (.link, .link),
            (.anyObject, .anyObject), (.anyObject, .anyLink), (.anyLink, .anyObject), (.anyLink, .anyLink):
            let isSame = sameObject(left, right)
            return comparator == .equal ? isSame : comparator == .notEqual && !isSame
        default:
            return ordered(left, comparator, right)
        }
    }

    private static func ordered(_ left: Value, _ comparator: Comparator, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): compare(left ? 1 : 0, comparator, right ? 1 : 0)
        case (.int(let left), .int(let right)): compare(left, comparator, right)
        case (.timestamp(let left), .timestamp(let right)): compare(left, comparator, right)
        case (.objectId(let left), .objectId(let right)): compare(left, comparator, right)
        case (.uuid(let left), .uuid(let right)): compare(left, comparator, right)
        case (.int(let left), .float(let right)): mixed(left, comparator, Double(right))
        case (.int(let left), .double(let right)): mixed(left, comparator, right)
        case (.float(let left), .int(let right)): mixed(Double(left), comparator, right)
        case (.double(let left), .int(let right)): mixed(Double(left), comparator, right)
        case (.float(let left), .float(let right)): compare(left, comparator, right)
        case (.float(let left), .double(let right)): compare(Double(left), comparator, right)
        case (.double(let left), .float(let right)): compare(left, comparator, Double(right))
        case (.double(let left), .double(let right)): compare(left, comparator, right)
        case (.bool(let left), _): ordered(.int(left ? 1 : 0), comparator, right)
        case (_, .bool(let right)): ordered(left, comparator, .int(right ? 1 : 0))
        case (.decimal(let left), .decimal(let right)): compare(left, comparator, right)
        case (.decimal(let left), _): decimal(right).map { compare(left, comparator, $0) } ?? (comparator == .notEqual)
        case (_, .decimal(let right)): decimal(left).map { compare($0, comparator, right) } ?? (comparator == .notEqual)
        // Values of different types are never equal and have no order.
        default: comparator == .notEqual
        }
    }

    /// A number as a decimal: a Float or Double is the decimal that it prints as, so that 0.1 is 0.1. Nil for what is
    /// no number.
    package static func decimal(_ value: Value) -> DecimalNumber? {
        switch value {
        case .int(let value): DecimalNumber(value)
        case .float(let value): DecimalNumber(reading: value)
        case .double(let value): DecimalNumber(reading: value)
        case .decimal(let value): value
        default: nil
        }
    }

    private static func compare<T: Comparable>(_ left: T, _ comparator: Comparator, _ right: T) -> Bool {
        switch comparator {
        case .equal, .in: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .between, .beginsWith, .endsWith, .contains, .like, .text: false
        }
    }

    private static func mixed(_ left: Double, _ comparator: Comparator, _ right: Int64) -> Bool {
        // Only operators without an exchanged form reach the fallback, and numbers have none of them.
        comparator.exchanged.map { mixed(right, $0, left) } ?? false
    }

    /// Exact, where converting the Int64 to a Double would make neighbours equal.
    private static func mixed(_ left: Int64, _ comparator: Comparator, _ right: Double) -> Bool {
        if right.isNaN { return comparator == .notEqual }
        if right >= 0x1p63 { return compare(0, comparator, 1) }
        if right < -0x1p63 { return compare(0, comparator, -1) }
        let whole = Int64(right.rounded(.down))
        guard left == whole else { return compare(left, comparator, whole) }
        return compare(0, comparator, right - right.rounded(.down))
    }
}
