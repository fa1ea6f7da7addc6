import CausewayModel
import CausewayQuery
import CausewayStore

// What is to be told, as lists of rows and names.

extension ViewDifference {
    /// A device that holds nothing and has written nothing.
    func planBootstrap(_ pace: Pace) throws(StoreFailure) {
        var entering: [(classNumber: Int, keys: [ObjectKey])] = []
        for query in wanted.byClass {
            try pace.check()
            entering.append((query.classNumber, try snapshot.keys(query.classNumber, matching: query.predicate)))
        }
        addEntering(entering)
    }

    func planFromHistory(for client: ClientID, viewIsUnchanged: Bool, _ pace: Pace) throws(StoreFailure) {
        try plan(snapshot.history(after: start, for: client, pace), viewIsUnchanged: viewIsUnchanged, pace)
    }

    func plan(_ history: History, viewIsUnchanged: Bool, _ pace: Pace) throws(StoreFailure) {
        past.learn(history)
        // The objects that commits touched, and their current rows, which the other two ways of the plan leave out.
        let aggregates = TouchedAggregate.gather(history.touched)
        // Before the first version there was nothing: what others touched enters as rows.
        let isBeginning = start == .zero
        add(.touched(isBeginning ? aggregates.filter(\.byClient) : aggregates))
        var judged: [Int: [ObjectKey]] = [:]
        for (place, aggregate) in aggregates.enumerated() where !isBeginning || aggregate.byClient {
            if place % Self.touchedAtOnce == 0 { try pace.check() }
            let touched = aggregate.root
            if let row = snapshot.row(touched.name) { judged[row.classNumber, default: []].append(row.key) }
        }
        var born = 0
        for births in history.births {
            born += births.width
            try pace.check(born / Self.bornForOneTouched)
            try plan(births, judged: &judged, viewIsUnchanged: viewIsUnchanged, pace)
        }
        guard !viewIsUnchanged else { return }
        var entering: [(classNumber: Int, keys: [ObjectKey])] = []
        for (classNumber, _) in topLevelClasses() where isMoved(classNumber) {
            try pace.check()
            let isTold = isToldAnew(classNumber)
            let before = try certain(classNumber)
            let now = try keys(classNumber, wanted)
            let seen = (judged[classNumber] ?? []).sorted()
            try addLeaving(classNumber, sorted(sorted(before, without: now), without: seen), .unsubscribed)
            entering.append((classNumber, sorted(isTold ? now : sorted(now, without: before), without: seen)))
        }
        addEntering(entering)
    }

    /// Whether rows that nobody touched may enter or leave.
    private func isMoved(_ classNumber: Int) -> Bool {
        claims != nil || start == .zero || held[classNumber] != wanted[classNumber] || isToldAnew(classNumber)
    }

    /// What the device held of the rows that have not changed since.
    private func certain(_ classNumber: Int) throws(StoreFailure) -> [ObjectKey] {
        if start == .zero { return [] }
        if let claims { return try claims.keys(classNumber, in: snapshot) }
        return try keys(classNumber, held)
    }

    /// Splits what leaves: objects that the caller may not read leave for that reason.
    private func addLeaving(
        _ classNumber: Int, _ keys: [ObjectKey], _ reason: Part.Reason
    ) throws(StoreFailure) {
        guard !keys.isEmpty, let read = rules?[snapshot.className(classNumber)]?.read, read != .constant(true) else {
            return add(.leave(classNumber: classNumber, keys: keys, reason))
        }
        let closed = sorted(keys, without: try snapshot.keys(classNumber, matching: read))
        add(.leave(classNumber: classNumber, keys: closed, .permission))
        add(.leave(classNumber: classNumber, keys: sorted(keys, without: closed), reason))
    }

    /// Plans rows that were created in the range. Of others' rows those that match enter. The client's own rows are on
    /// the device already: those that do not match leave, and those that match are sent again if the device may no
    /// longer keep all of their properties.
    private func plan(
        _ births: Births, judged: inout [Int: [ObjectKey]], viewIsUnchanged: Bool, _ pace: Pace
    ) throws(StoreFailure) {
        let query = wanted[births.classNumber]
        if query == nil && !births.byClient {
            // No query asks for them. When the queries change, the class is compared as a whole, and neither side may
            // name them.
            if !viewIsUnchanged { judged[births.classNumber, default: []] += try born(births, matching: nil, pace) }
            return
        }
        let matching = try query.map { query throws(StoreFailure) in try born(births, matching: query, pace) } ?? []
        if births.byClient {
            let all = try born(births, matching: nil, pace)
            try addLeaving(births.classNumber, sorted(all, without: matching), .query)
            add(.enter(classNumber: births.classNumber, keys: try partlyHidden(births.classNumber, matching)))
            judged[births.classNumber, default: []] += all
        } else if viewIsUnchanged || !isMoved(births.classNumber) {
            add(.enter(classNumber: births.classNumber, keys: matching))
        } else {
            // Rows that do not match neither enter nor leave, whatever `held` says of them now. Matching rows that
            // `held` matches count as present; the others enter with the rest.
            var told: [ObjectKey] = []
            for key in matching where try countsAsHeld(Row(births.classNumber, key)) { told.append(key) }
            add(.enter(classNumber: births.classNumber, keys: told))
            let entering = sorted(matching, without: told)
            judged[births.classNumber, default: []] += sorted(
                try born(births, matching: nil, pace), without: entering)
        }
    }

    /// Whether `certain` names a row that was created since.
    private func countsAsHeld(_ row: Row) throws(StoreFailure) -> Bool {
        if start == .zero { return false }
        guard let claims else {
            return try held[row.classNumber].map { query throws(StoreFailure) in
                try snapshot.matches(row, query)
            } ?? false
        }
        return try claims.holds(row) { query throws(StoreFailure) in try snapshot.matches(row, query) }
    }

    /// - Complexity: that of the rows of the run, however many the class has.
    private func born(
        _ births: Births, matching query: BoundPredicate?, _ pace: Pace
    ) throws(StoreFailure) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if births.width <= Self.rowsWorthSingleJudgement {
            for raw in births.keys.lowerBound.rawValue...births.keys.upperBound.rawValue {
                let row = Row(births.classNumber, ObjectKey(raw))
                if try snapshot.matches(row, query ?? .constant(true)) { keys.append(row.key) }
            }
        } else {
            let last = births.keys.upperBound.rawValue
            for first in stride(from: births.keys.lowerBound.rawValue, through: last, by: Self.rowsAtOnceMax) {
                try pace.check()
                let rows = ObjectKey(first)...ObjectKey(min(first + Int64(Self.rowsAtOnceMax) - 1, last))
                keys += try snapshot.keys(births.classNumber, matching: query ?? .constant(true), in: rows)
            }
        }
        return sorted(keys, without: births.without)
    }

    /// After so many touched objects it is asked whether the time is over.
    private static let touchedAtOnce = 64
    /// Below this many rows, judging each is cheaper than a run of the query.
    private static let rowsWorthSingleJudgement = 256
    /// How many rows are gone over in one piece.
    private static let rowsAtOnceMax = 10_000
    /// A created row is gone over column by column: so many cost as much as one touched object.
    private static let bornForOneTouched = 16

    private func keys(_ classNumber: Int, _ queries: StandingQueries) throws(StoreFailure) -> [ObjectKey] {
        guard let query = queries[classNumber] else { return [] }
        return try snapshot.keys(classNumber, matching: query)
    }

    private func topLevelClasses() -> [(number: Int, schema: ClassSchema)] {
        snapshot.schema.classes.filter { $0.kind == .object }.compactMap { schema in
            snapshot.classNumber(schema.name).map { ($0, schema) }
        }
    }
}

extension Births {
    fileprivate var width: Int { Int(keys.upperBound.rawValue - keys.lowerBound.rawValue) + 1 }
}

/// The elements of one ascending list that are not in another.
func sorted(_ keys: [ObjectKey], without others: [ObjectKey]) -> [ObjectKey] {
    if others.isEmpty { return keys }
    var result: [ObjectKey] = []
    result.reserveCapacity(keys.count)
    var other = 0
    for key in keys {
        while other < others.count, others[other] < key { other += 1 }
        if other == others.count || others[other] != key { result.append(key) }
    }
    return result
}
