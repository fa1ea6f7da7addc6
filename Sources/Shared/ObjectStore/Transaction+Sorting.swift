package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// Sorts objects by the values at the end of to-one paths. Stable; null comes first ascending and last descending.
    ///
    /// - Complexity: O(n log n) comparisons over values that are read once each.
    package func sorted(_ keys: [ObjectKey], _ className: String, by sortKeys: [BoundSortKey]) -> [ObjectKey] {
        guard let table = table(className), !sortKeys.isEmpty, keys.count > 1 else { return keys }
        let columns = sortKeys.map { (values: SortColumn(keys, table, $0.path), ascending: $0.ascending) }
        // The first column's values as numbers in sorting order settle most comparisons without looking further.
        var order = (0..<Int32(truncatingIfNeeded: keys.count)).map { index in
            let prefix = columns[0].values.prefix(Int(index))
            return (prefix: columns[0].ascending ? prefix : ~prefix, index: index)
        }
        order.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            for column in columns {
                let difference = column.values.order(Int(left.index), Int(right.index))
                if difference != 0 { return (difference < 0) == column.ascending }
            }
            return left.index < right.index
        }
        return order.map { keys[Int($0.index)] }
    }
}

/// The values of one sort key, taken out of their leaves, as what compares fastest.
private enum SortColumn {
    case integers([Int64], [Bool])
    case doubles([Double], [Bool])
    /// Ranges of one arena; negative starts are null.
    case strings([UInt8], [(start: Int, count: Int)])
    case values([Value])

    init(_ keys: [ObjectKey], _ table: Table, _ path: BoundPath) {
        guard let last = path.steps.last else {
            self = .values(Array(repeating: .null, count: keys.count))
            return
        }
        let places = keys.map { Self.place($0, table, path) }
        switch last.type {
        case .bool, .int:
            var integers = [Int64](repeating: 0, count: keys.count)
            var present = [Bool](repeating: false, count: keys.count)
            for (index, place) in places.enumerated() {
                switch place.map({ $0.table.value($0.key, last.property) }) {
                case .int(let value): (integers[index], present[index]) = (value, true)
                case .bool(let value): (integers[index], present[index]) = (value ? 1 : 0, true)
                default: break
                }
            }
            self = .integers(integers, present)
        case .float, .double:
            var doubles = [Double](repeating: 0, count: keys.count)
            var present = [Bool](repeating: false, count: keys.count)
            for (index, place) in places.enumerated() {
                switch place.map({ $0.table.value($0.key, last.property) }) {
                case .double(let value): (doubles[index], present[index]) = (value, true)
                case .float(let value): (doubles[index], present[index]) = (Double(value), true)
                default: break
                }
            }
            self = .doubles(doubles, present)
        case .string, .data:
            var arena: [UInt8] = []
            let ranges = places.map { place -> (start: Int, count: Int) in
                guard let place else { return (-1, 0) }
                return place.table.withBytes(place.key, last.property) { bytes in
                    guard let bytes else { return (-1, 0) }
                    arena.append(contentsOf: bytes)
                    return (arena.count - bytes.count, bytes.count)
                }
            }
            self = .strings(arena, ranges)
        default:
            self = .values(places.map { $0?.table.value($0?.key ?? ObjectKey(-1), last.property) ?? .null })
        }
    }

    /// The object that holds the last property of a path, when every link leads to one that is here.
    private static func place(_ key: ObjectKey, _ table: Table, _ path: BoundPath) -> (table: Table, key: ObjectKey)? {
        var table = table
        var key = key
        for step in path.steps.dropLast() {
            guard case .object(let next) = table.value(key, step.property), let name = step.target,
                let target = table.transaction.table(name), target.exists(next)
            else { return nil }
            (table, key) = (target, next)
        }
        return (table, key)
    }

    /// A number that orders as the values do, where it differs; equal numbers leave the order open.
    func prefix(_ index: Int) -> UInt64 {
        switch self {
        case .integers(let values, let present):
            // Null shares the number of the smallest value.
            return present[index] ? UInt64(bitPattern: values[index]) ^ 1 << 63 : 0
        case .doubles(let values, let present):
            guard present[index], !values[index].isNaN else { return 0 }
            let bits = (values[index] == 0 ? 0 : values[index]).bitPattern
            return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        case .strings(let arena, let ranges):
            let (start, count) = ranges[index]
            guard start >= 0 else { return 0 }
            return arena.withUnsafeBytes { bytes in
                if count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)) }
                return (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(56 - 8 * $1) }
            }
        case .values: return 0
        }
    }

    func order(_ left: Int, _ right: Int) -> Int {
        switch self {
        case .integers(let values, let present):
            guard present[left], present[right] else { return Self.nullOrder(present[left], present[right]) }
            return values[left] < values[right] ? -1 : values[left] == values[right] ? 0 : 1
        case .doubles(let values, let present):
            guard present[left], present[right] else { return Self.nullOrder(present[left], present[right]) }
            return Self.order(values[left], values[right])
        case .strings(let arena, let ranges):
            let (left, right) = (ranges[left], ranges[right])
            guard left.start >= 0, right.start >= 0 else { return Self.nullOrder(left.start >= 0, right.start >= 0) }
            return arena.withUnsafeBytes { bytes in
                StringMatcher.order(
                    UnsafeRawBufferPointer(rebasing: bytes[left.start..<left.start + left.count]),
                    UnsafeRawBufferPointer(rebasing: bytes[right.start..<right.start + right.count]))
            }
        case .values(let values):
            let (left, right) = (values[left], values[right])
            guard !left.isNull, !right.isNull else { return Self.nullOrder(!left.isNull, !right.isNull) }
            if ValueComparison.holds(left, .less, right, []) { return -1 }
            return ValueComparison.holds(right, .less, left, []) ? 1 : 0
        }
    }

    private static func nullOrder(_ left: Bool, _ right: Bool) -> Int {
        left == right ? 0 : left ? 1 : -1
    }

    /// NaN comes before all numbers, so that there is an order at all.
    private static func order(_ left: Double, _ right: Double) -> Int {
        if left.isNaN || right.isNaN { return left.isNaN == right.isNaN ? 0 : left.isNaN ? -1 : 1 }
        return left < right ? -1 : left == right ? 0 : 1
    }
}
