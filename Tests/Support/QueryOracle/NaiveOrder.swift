import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery

/// Sorting by comparing values one pair at a time. Null comes first and then NaN, whatever the type.
struct NaiveOrder {
    let store: ReferenceStore

    func sorted(_ keys: [ObjectKey], _ className: String, by order: [BoundSortKey]) -> [ObjectKey] {
        let naive = NaiveEvaluator(store: store)
        let rows = keys.enumerated().map { position, key in
            (
                key: key, position: position,
                values: order.map { naive.values(of: $0.path, key, className).first ?? .null }
            )
        }
        return rows.sorted { left, right in
            for (index, sortKey) in order.enumerated() {
                let (first, second) = sortKey.ascending ? (left, right) : (right, left)
                if Self.precedes(first.values[index], second.values[index]) { return true }
                if Self.precedes(second.values[index], first.values[index]) { return false }
            }
            return left.position < right.position
        }.map(\.key)
    }

    static func precedes(_ left: Value, _ right: Value) -> Bool {
        if left.isNull || right.isNull { return left.isNull && !right.isNull }
        if rank(left) != rank(right) { return rank(left) < rank(right) }
        if let left = NaiveNumber(left), let right = NaiveNumber(right) {
            if left.amount.isNaN || right.amount.isNaN { return left.amount.isNaN && !right.amount.isNaN }
            return left.amount < right.amount
        }
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return !left && right
        case (.string(let left), .string(let right)): return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bytes(let left), .bytes(let right)): return left.lexicographicallyPrecedes(right)
        case (.timestamp(let left), .timestamp(let right)):
            return (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        case (.objectId(let left), .objectId(let right)): return (left.high, left.low) < (right.high, right.low)
        case (.uuid(let left), .uuid(let right)): return (left.high, left.low) < (right.high, right.low)
        case (.string(let left), .bytes(let right)): return left.utf8.lexicographicallyPrecedes(right)
        case (.bytes(let left), .string(let right)): return left.lexicographicallyPrecedes(right.utf8)
        // In any order, so long as it is one.
        case (.anyObject(let left), .anyObject(let right)):
            return (left.classNumber, left.key) < (right.classNumber, right.key)
        case (.decimal, _), (_, .decimal):
            guard let left = NaiveNumber.decimal(left), let right = NaiveNumber.decimal(right) else { return false }
            if left.isNaN || right.isNaN { return left.isNaN && !right.isNaN }
            return left.naiveDifference(right) < 0
        default: return false
        }
    }

    /// Of mixed values: which types come before which.
    private static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string, .bytes: 3
        case .timestamp: 4
        case .objectId: 5
        case .uuid: 6
        default: 7
        }
    }
}
