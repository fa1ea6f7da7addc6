import CausewayModel
import CausewayQuery

/// The predicates of one class, each once, found by the values of an object.
struct PredicateIndex {
    /// By number; nil where one was removed.
    private var entries: [Entry?] = []
    private var numbers: [BoundPredicate: Int] = [:]
    private var free: [Int] = []
    private var byValue: [Int: [Value: Set<Int>]] = [:]
    private var byRange: [Int: RangeIndex] = [:]
    /// Those that every object has to be compared with.
    private var everything: Set<Int> = []

    private struct Entry {
        var predicate: BoundPredicate
        var audiences: Set<Int>
    }

    /// How many predicates there are.
    var count: Int { numbers.count }
    var isEmpty: Bool { numbers.isEmpty }
    /// All numbers are below this one.
    var end: Int { entries.count }
    var allNumbers: some Sequence<Int> { numbers.values }

    subscript(number: Int) -> BoundPredicate? { entries[number]?.predicate }

    /// The audiences that a predicate was entered for.
    func audiences(of number: Int) -> Set<Int> { entries[number]?.audiences ?? [] }

    /// The number of a predicate, which it keeps as long as it is entered for any audience.
    mutating func insert(_ predicate: BoundPredicate, for audience: Int) -> Int {
        if let known = numbers[predicate] {
            entries[known]?.audiences.insert(audience)
            return known
        }
        let entry = Entry(predicate: predicate, audiences: [audience])
        let number = free.popLast() ?? entries.count
        if number == entries.count { entries.append(entry) } else { entries[number] = entry }
        numbers[predicate] = number
        for anchor in Anchor.anchors(of: predicate) { enter(number, at: anchor) }
        return number
    }

    mutating func remove(_ number: Int, for audience: Int) {
        guard entries[number]?.audiences.remove(audience) != nil, let entry = entries[number], entry.audiences.isEmpty
        else { return }
        for anchor in Anchor.anchors(of: entry.predicate) { leave(number, at: anchor) }
        entries[number] = nil
        numbers[entry.predicate] = nil
        free.append(number)
    }

    private mutating func enter(_ number: Int, at anchor: Anchor) {
        switch anchor {
        case .value(let property, let value): byValue[property, default: [:]][value, default: []].insert(number)
        case .range(let property, let range): byRange[property, default: RangeIndex()].insert(range, number)
        case .everything: everything.insert(number)
        }
    }

    private mutating func leave(_ number: Int, at anchor: Anchor) {
        switch anchor {
        case .value(let property, let value):
            byValue[property]?[value]?.remove(number)
            if byValue[property]?[value]?.isEmpty == true { byValue[property]?[value] = nil }
            if byValue[property]?.isEmpty == true { byValue[property] = nil }
        case .range(let property, _): byRange[property]?.remove(number)
        case .everything: everything.remove(number)
        }
    }

    /// Call it before look-ups when predicates have come or gone.
    mutating func prepare() {
        for property in byRange.keys { byRange[property]?.prepare() }
    }

    /// The predicates that may match an object: all that do are among them. One may come several times.
    ///
    /// - Parameter value: the object's value of a property, by its number in the class.
    /// - Complexity: that of what is found, and a look-up for each property that predicates are entered by.
    func forEachCandidate(_ value: (Int) -> Value, _ body: (Int) -> Void) {
        for (property, entered) in byValue { entered[value(property)]?.forEach(body) }
        for (property, ranges) in byRange {
            guard let value = OrderedValue(value(property)) else { continue }
            ranges.forEach(at: value, body)
        }
        everything.forEach(body)
    }
}
