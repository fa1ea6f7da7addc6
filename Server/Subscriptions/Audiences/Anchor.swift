import CausewayModel
import CausewayQuery

/// Where a predicate stands in an index, so that an object which it matches finds it.
///
/// An object that a predicate matches meets at least one of its anchors. The reverse does not hold: a predicate that an
/// object finds still has to be evaluated.
enum Anchor: Hashable {
    /// The property has this value.
    case value(property: Int, Value)
    /// The property is in this range.
    case range(property: Int, RangeOfValues)
    /// Every object of the class meets it.
    case everything

    /// The anchors of a predicate; none for one that matches nothing.
    static func anchors(of predicate: BoundPredicate) -> [Anchor] {
        switch predicate {
        case .constant(let answer): return answer ? [.everything] : []
        case .and(let parts): return conjunction(parts)
        case .or(let parts):
            var found: [Anchor] = []
            for part in parts {
                let more = anchors(of: part)
                guard !more.contains(.everything), found.count + more.count <= countMax else { return [.everything] }
                found += more
            }
            return found
        case .comparison(let comparison): return anchors(of: comparison)
        case .not, .subquery, .geoWithin, .computed, .type, .pairs: return [.everything]
        }
    }

    /// A predicate with more alternatives is evaluated for every object: an anchor takes about a hundred bytes, many
    /// times what it takes in the text.
    static let countMax = 1_024

    /// The anchors of the part that the fewest objects meet. Ranges of one property are taken together.
    private static func conjunction(_ parts: [BoundPredicate]) -> [Anchor] {
        var best: [Anchor] = [.everything]
        var ranges: [Int: RangeOfValues] = [:]
        for part in parts {
            let found = anchors(of: part)
            if found.count == 1, case .range(let property, let range) = found[0] {
                guard let both = ranges[property, default: .all].intersection(range) else { return [] }
                ranges[property] = both
            } else if breadth(found) < breadth(best) {
                best = found
            }
        }
        for (property, range) in ranges.sorted(by: { $0.key < $1.key }) {
            let anchor = [Anchor.range(property: property, range)]
            if breadth(anchor) < breadth(best) { best = anchor }
        }
        return best
    }

    /// A guess at how many objects meet one of the anchors.
    private static func breadth(_ anchors: [Anchor]) -> Int {
        anchors.reduce(0) { sum, anchor in
            switch anchor {
            case .value: sum + 1
            case .range(_, let range): sum + (range.isOpen ? 1_000_000 : 10_000)
            case .everything: sum + 1_000_000_000
            }
        }
    }

    private static func anchors(of comparison: BoundComparison) -> [Anchor] {
        guard comparison.quantifier == .implied, comparison.options.isEmpty, comparison.path.aggregate == nil,
            let step = comparison.path.steps.first, comparison.path.steps.count == 1, step.isColumn,
            step.direction == .forward
        else { return [.everything] }
        switch (comparison.comparator, comparison.operand) {
        case (.equal, .value(let value)) where step.type == .double || step.type == .float:
            return range(from: value, through: value, of: step)
        case (.equal, .value(let value)): return values([value], of: step)
        case (.in, .values(let values)) where values.count <= countMax: return self.values(values, of: step)
        case (.between, .values(let ends)) where ends.count == 2:
            return range(from: ends[0], through: ends[1], of: step)
        case (.less, .value(let value)), (.lessOrEqual, .value(let value)):
            return range(from: nil, through: value, of: step)
        case (.greater, .value(let value)), (.greaterOrEqual, .value(let value)):
            return range(from: value, through: nil, of: step)
        default: return [.everything]
        }
    }

    /// Only for types whose values are equal when they are the same.
    private static func values(_ values: [Value], of step: BoundPath.Step) -> [Anchor] {
        let areComparable = values.allSatisfy { value in
            switch (step.type, value) {
            case (.int, .int), (.bool, .bool), (.string, .string), (.date, .timestamp), (.objectId, .objectId),
                (.uuid, .uuid), (.object, .link):
                true
            case (.int, .null), (.bool, .null), (.string, .null), (.date, .null), (.objectId, .null), (.uuid, .null),
                (.object, .null):
                true
            default: false
            }
        }
        return areComparable ? values.map { .value(property: step.property, $0) } : [.everything]
    }

    private static func range(from lower: Value?, through upper: Value?, of step: BoundPath.Step) -> [Anchor] {
        guard let first = end(lower, else: .lowest, of: step.type), let last = end(upper, else: .highest, of: step.type)
        else { return [.everything] }
        return first <= last ? [.range(property: step.property, RangeOfValues(first: first, last: last))] : []
    }

    /// Nil for a value that is not of the property's type: its order is not that of the property.
    private static func end(_ value: Value?, else missing: OrderedValue, of type: PropertyType) -> OrderedValue? {
        guard let value else { return missing }
        return switch (type, value) {
        case (.int, .int), (.date, .timestamp), (.double, .double), (.float, .float): OrderedValue(value)
        default: nil
        }
    }
}

/// Both ends belong to it.
struct RangeOfValues: Hashable {
    var first: OrderedValue
    var last: OrderedValue

    static let all = RangeOfValues(first: .lowest, last: .highest)

    /// Whether one end is missing.
    var isOpen: Bool { first == .lowest || last == .highest }

    /// Nil when they have nothing in common.
    func intersection(_ other: RangeOfValues) -> RangeOfValues? {
        let both = RangeOfValues(first: max(first, other.first), last: min(last, other.last))
        return both.first <= both.last ? both : nil
    }
}

/// A number or a date, in a form whose order is that of the query language.
struct OrderedValue: Hashable, Comparable {
    private var major: Int64
    private var minor: Int64

    static let lowest = OrderedValue(major: .min, minor: .min)
    static let highest = OrderedValue(major: .max, minor: .max)

    private init(major: Int64, minor: Int64) {
        (self.major, self.minor) = (major, minor)
    }

    /// Nil for a value that no range holds: null, NaN, and what has no order here.
    init?(_ value: Value) {
        switch value {
        case .int(let value): self.init(major: value, minor: 0)
        case .timestamp(let value): self.init(major: value.seconds, minor: Int64(value.nanoseconds))
        case .double(let value): self.init(value)
        case .float(let value): self.init(Double(value))
        default: return nil
        }
    }

    private init?(_ value: Double) {
        guard !value.isNaN else { return nil }
        // The bits of a positive number ascend with it, those of a negative one descend. Both zeros are equal.
        let bits = Int64(bitPattern: (value == 0 ? 0 : value).bitPattern)
        self.init(major: bits >= 0 ? bits : Int64.min &- bits &- 1, minor: 0)
    }

    static func < (left: OrderedValue, right: OrderedValue) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
