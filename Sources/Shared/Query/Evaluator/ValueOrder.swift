package import CausewayModel

/// The one order of values of all types, by which mixed values are sorted: null, bools, numbers of any type by their
/// amounts (NaN first), strings and data by their bytes, dates, ObjectIds, UUIDs, links.
package enum ValueOrder {
    package static func precedes(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): return !left && right
        case (.int(let left), .int(let right)): return left < right
        case (.timestamp(let left), .timestamp(let right)): return left < right
        case (.objectId(let left), .objectId(let right)): return left < right
        case (.uuid(let left), .uuid(let right)): return left < right
        case (.object(let left), .object(let right)): return left < right
        case (.anyObject(let left), .anyObject(let right)):
            return (left.classNumber, left.key) < (right.classNumber, right.key)
        case (.link(let left), .link(let right)): return left < right
        case (.anyLink(let left), .anyLink(let right)):
            return (left.className, left.key) < (right.className, right.key)
        default: break
        }
        if let left = bytes(left), let right = bytes(right) { return left.lexicographicallyPrecedes(right) }
        if let left = ValueComparison.decimal(left), let right = ValueComparison.decimal(right) {
            return left.orderedBits < right.orderedBits
        }
        return rank(left) < rank(right)
    }

    private static func bytes(_ value: Value) -> [UInt8]? {
        switch value {
        case .string(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        default: nil
        }
    }

    private static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string, .bytes: 3
        case .timestamp: 4
        case .objectId: 5
        case .uuid: 6
        case .object: 7
        case .anyObject: 8
        case .link: 9
        case .anyLink: 10
        }
    }
}
