import CausewayModel
import CausewayQuery
import CausewayStore

/// Finds the predicates that what was committed concerns: those that match a touched object as it was or as it is.
struct Look {
    private let snapshot: any StoreSnapshot
    private let past: PastView
    private let indexes: [Int: PredicateIndex]
    /// By class; a class that has none is not in it.
    private(set) var found: [Int: Found] = [:]

    /// The predicates found in one class.
    struct Found {
        fileprivate var isFound: [Bool]
        fileprivate(set) var numbers: [Int] = []

        fileprivate mutating func add(_ number: Int) {
            guard !isFound[number] else { return }
            isFound[number] = true
            numbers.append(number)
        }
    }

    /// Rows that one commit created, beyond which all predicates of their class count as found.
    private static let bornMax = 16_384
    /// After so many objects and evaluations it is asked whether the time is over.
    private static let stepsAtOnce = 16
    private var steps = 0
    /// How many predicates were evaluated.
    private(set) var evaluatedCount = 0

    /// - Parameter indexes: by class, prepared for look-ups.
    init(at snapshot: any StoreSnapshot, in indexes: [Int: PredicateIndex]) {
        self.snapshot = snapshot
        self.indexes = indexes
        past = PastView(snapshot)
    }

    mutating func go(over history: History, _ pace: Pace) throws(StoreFailure) {
        past.learn(history)
        for aggregate in TouchedAggregate.gather(history.touched) { try judge(aggregate.root, pace) }
        for births in history.births { try judge(births, pace) }
    }

    private mutating func judge(_ touched: TouchedRow, _ pace: Pace) throws(StoreFailure) {
        guard let index = indexes[touched.name.classNumber] else { return }
        var here = found(in: touched.name.classNumber, index)
        guard here.numbers.count < index.count else { return }
        if touched.existed {
            let candidates = candidates(index, but: here) { past.value(of: $0, in: touched) }
            try past.check()
            for number in candidates {
                try count(pace)
                evaluatedCount += 1
                guard let predicate = index[number], try past.matched(touched, predicate) else { continue }
                here.add(number)
            }
        }
        if let row = snapshot.row(touched.name) { try judge(row, index, &here, pace) }
        found[touched.name.classNumber] = here
    }

    private mutating func judge(_ births: Births, _ pace: Pace) throws(StoreFailure) {
        guard let index = indexes[births.classNumber] else { return }
        var here = found(in: births.classNumber, index)
        let (first, last) = (births.keys.lowerBound.rawValue, births.keys.upperBound.rawValue)
        if last - first >= Self.bornMax {
            for number in index.allNumbers { here.add(number) }
        } else {
            var without = births.without[...]
            for raw in first...last where here.numbers.count < index.count {
                if without.first?.rawValue == raw {
                    without.removeFirst()
                } else {
                    try judge(Row(births.classNumber, ObjectKey(raw)), index, &here, pace)
                }
            }
        }
        found[births.classNumber] = here
    }

    /// An object as it is now.
    private mutating func judge(
        _ row: Row, _ index: PredicateIndex, _ here: inout Found, _ pace: Pace
    ) throws(StoreFailure) {
        try count(pace)
        for number in candidates(index, but: here, { snapshot.value(of: $0, in: row) }) {
            try count(pace)
            evaluatedCount += 1
            guard let predicate = index[number], try snapshot.matches(row, predicate) else { continue }
            here.add(number)
        }
    }

    private mutating func count(_ pace: Pace) throws(StoreFailure) {
        steps += 1
        if steps % Self.stepsAtOnce == 0 { try pace.check() }
    }

    /// Those that are not found yet.
    private func candidates(_ index: PredicateIndex, but here: Found, _ value: (Int) -> Value) -> [Int] {
        var numbers: [Int] = []
        index.forEachCandidate(value) { number in
            if !here.isFound[number] { numbers.append(number) }
        }
        return numbers
    }

    private func found(in classNumber: Int, _ index: PredicateIndex) -> Found {
        found[classNumber] ?? Found(isFound: Array(repeating: false, count: index.end))
    }
}
