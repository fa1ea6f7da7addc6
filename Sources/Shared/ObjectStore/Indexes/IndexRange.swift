import CausewayModel
import CausewayQuery
import CausewayStorage

/// A range of a property's values as a predicate gives it.
struct IndexBounds {
    struct Bound {
        var value: Value
        var isIncluded: Bool
    }

    var lower: Bound?
    var upper: Bound?
    /// Instead of bounds: all values that begin with this one.
    var prefix: Value?
    /// The comparisons that the range was made from.
    var comparisons: [BoundComparison]

    /// Nil for comparisons that are no range.
    init?(_ comparison: BoundComparison) {
        guard comparison.options.isEmpty, comparison.quantifier == .implied, comparison.path.aggregate == nil,
            let operand = comparison.operand.constants, let value = operand.first, !value.isNull
        else { return nil }
        comparisons = [comparison]
        switch comparison.comparator {
        case .less: upper = Bound(value: value, isIncluded: false)
        case .lessOrEqual: upper = Bound(value: value, isIncluded: true)
        case .greater: lower = Bound(value: value, isIncluded: false)
        case .greaterOrEqual: lower = Bound(value: value, isIncluded: true)
        case .between:
            guard operand.count == 2, !operand[1].isNull else { return nil }
            lower = Bound(value: value, isIncluded: true)
            upper = Bound(value: operand[1], isIncluded: true)
        case .beginsWith: prefix = value
        default: return nil
        }
    }

    var isHalfOpen: Bool { prefix == nil && (lower == nil) != (upper == nil) }

    /// The overlap of two half-open ranges, one open below and one open above; nil for any others.
    func intersection(_ other: IndexBounds) -> IndexBounds? {
        guard isHalfOpen, other.isHalfOpen, (lower == nil) != (other.lower == nil) else { return nil }
        var both = self
        both.lower = lower ?? other.lower
        both.upper = upper ?? other.upper
        both.comparisons += other.comparisons
        return both
    }

    /// The range as integers; nil for another type. An empty range is 1 to 0.
    var integers: (lower: Int64, upper: Int64)? {
        var range = (lower: Int64.min, upper: Int64.max)
        guard prefix == nil else { return nil }
        if let lower {
            guard case .int(let value) = lower.value else { return nil }
            if !lower.isIncluded, value == .max { return (1, 0) }
            range.lower = lower.isIncluded ? value : value + 1
        }
        if let upper {
            guard case .int(let value) = upper.value else { return nil }
            if !upper.isIncluded, value == .min { return (1, 0) }
            range.upper = upper.isIncluded ? value : value - 1
        }
        return range
    }
}

/// A range of keys in the tree of an index.
struct IndexRange {
    let from: [UInt8]
    let upTo: [UInt8]?
    /// The bytes of the value if the range has only one value, else nil.
    let value: [UInt8]?
    /// Whether every row in the range meets the predicate. False where a text was cut.
    let isExact: Bool

    var isOneValue: Bool { value != nil }

    /// One value.
    init(_ value: Value, _ buffer: KeyBuffer) {
        buffer.clear()
        buffer.append(index: value)
        self.init(prefix: buffer.array, isExact: !buffer.isCut)
    }

    init(prefix: [UInt8], isExact: Bool = true) {
        from = prefix
        upTo = Table.successor(prefix)
        value = prefix
        self.isExact = isExact
    }

    /// Many values.
    init(from: [UInt8], upTo: [UInt8]?, isExact: Bool = false) {
        self.from = from
        self.upTo = upTo
        value = nil
        self.isExact = isExact
    }

    /// Nil when the values are not of the property's type, or have no order. Not for mixed values.
    init?(_ bounds: IndexBounds, _ type: PropertyType, _ buffer: KeyBuffer) {
        let ends = [bounds.lower?.value, bounds.upper?.value, bounds.prefix].compactMap { $0 }
        guard let first = ends.first, ends.allSatisfy({ $0.hasType(type) && !$0.isNaN }),
            bounds.prefix != .string(""), bounds.prefix != .bytes([])
        else { return nil }
        value = nil
        if let prefix = bounds.prefix {
            guard type == .string || type == .data else { return nil }
            isExact = buffer.set(indexPrefix: prefix)
            from = buffer.array
            upTo = Table.successor(from)
            return
        }
        // NaN lies beyond both infinities, and null before all.
        let isNumber = type == .float || type == .double
        var isExact = true
        func bytes(_ value: Value) -> [UInt8] {
            buffer.clear()
            buffer.append(index: value)
            isExact = isExact && !buffer.isCut
            return buffer.array
        }
        func behind(_ bytes: [UInt8]) -> [UInt8]? { Table.successor(bytes) }
        let tag = bytes(first)[0]
        if let lower = bounds.lower {
            let key = bytes(lower.value)
            // Of the values that were cut to the same bytes, some may be larger.
            from = lower.isIncluded || buffer.isCut ? key : behind(key) ?? key
        } else {
            from = isNumber ? bytes(.double(-.infinity)) : [tag]
        }
        if let upper = bounds.upper {
            let key = bytes(upper.value)
            upTo = upper.isIncluded || buffer.isCut ? behind(key) : key
        } else {
            upTo = isNumber ? behind(bytes(.double(.infinity))) : [tag + 1]
        }
        self.isExact = isExact
    }
}

extension Postings {
    /// Counts the chunks and keys of a range. False when there are more than `limit` chunks.
    func count(
        _ range: IndexRange, in transaction: Transaction, upTo limit: Int, _ chunkCount: inout Int,
        _ rowCount: inout Int
    ) -> Bool {
        settle(range, in: transaction)
        var left = limit
        var rows = 0
        var isSound = true
        transaction.reader.scan(tree: chunks.tree, from: range.from, upTo: range.upTo, reversed: false) { _, bytes in
            let chunk = PackedChunk(first: 0, bytes)
            isSound = isSound && chunk != nil
            rows += chunk?.count ?? 0
            left -= 1
            return left >= 0
        }
        if !isSound { transaction.noteDamage(transaction.store.damaged()) }
        chunkCount += limit - left
        rowCount += rows
        return left >= 0
    }

    /// Visits the chunks of a range, ascending by value, until the body answers false.
    func scan(_ range: IndexRange, in transaction: Transaction, _ body: (PackedChunk) -> Bool) {
        if let value = range.value {
            scan(value, in: transaction, body)
        } else {
            scan(from: range.from, upTo: range.upTo, in: transaction, body)
        }
    }

    private func settle(_ range: IndexRange, in transaction: Transaction) {
        if let value = range.value { settle(value, in: transaction) } else { settle(in: transaction) }
    }
}
