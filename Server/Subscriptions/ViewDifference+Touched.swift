import CausewayMerge
import CausewayModel
import CausewayStore

/// A touched object together with the touched objects embedded in it: judged as one.
struct TouchedAggregate {
    var root: TouchedRow
    var children: [TouchedRow] = []

    var byOthers: Bool { root.byOthers || children.contains { $0.byOthers } }
    var byClient: Bool { root.byClient || children.contains { $0.byClient } }
    /// Whether only the client touched it, and every operation had the effect that the client saw: its device has it
    /// already.
    var isOwnAndEffective: Bool {
        !byOthers && root.effective && children.allSatisfy(\.effective)
    }

    /// In the order of names. An embedded object without a place stands for itself.
    static func gather(_ touched: [TouchedRow]) -> [TouchedAggregate] {
        guard touched.contains(where: { $0.root != nil }) else { return touched.map { TouchedAggregate(root: $0) } }
        var aggregates: [TouchedAggregate] = []
        var place: [ObjectName: Int] = [:]
        for object in touched where object.root == nil {
            place[object.name] = aggregates.count
            aggregates.append(TouchedAggregate(root: object))
        }
        for object in touched {
            guard let root = object.root else { continue }
            if let index = place[root] {
                aggregates[index].children.append(object)
            } else {
                // Only a client that makes objects hold each other in a cycle causes this. The object is told alone.
                aggregates.append(TouchedAggregate(root: object))
            }
        }
        return aggregates
    }
}

// MARK: - Rules
//
// before = held matched it at the start; after = wanted matches it now.
//
//     alive now   before  after   told
//     yes         no      no      left, if the client touched it (its device has it)
//     yes         no      yes     enter; nothing if the client alone made it and every operation had its effect
//     yes         yes     no      left
//     yes         yes     yes     nothing if only the client touched it with full effect; enter if it was deleted and
//                                 created again, or the client believes in another life; else update: every
//                                 property that somebody's operation named, with the value that won, so that an
//                                 operation of the client that lost is put right. Of a list, set, map or text what
//                                 happened to it, if the record keeps that: ViewDifference+Edits
//     no          any     -       deleted, if it was held or the client touched it; nothing if the client alone
//                                 deleted it with full effect; left, if it was not held and the caller may not read
//                                 every object of the class
//
// For a device that was cut in the middle of a change, before = yes where it may hold the object. What it does not hold
// for certain enters instead of being updated.
//
// "Nothing" becomes enter where the client wrote what its user may not read, or what decides what may be read.

extension ViewDifference {
    func tell(_ aggregate: TouchedAggregate, in part: inout Part) throws(StoreFailure) {
        let root = aggregate.root
        guard let row = snapshot.row(root.name) else {
            if aggregate.isOwnAndEffective { return }
            if try wasHeld(root) {
                try end(root.name, in: &part)
            } else if aggregate.byClient {
                try tellEnded(root.name, in: &part)
            }
            return
        }
        let query = wanted[root.name.classNumber]
        let isWanted = try query.map { query throws(StoreFailure) in try snapshot.matches(row, query) } ?? false
        if !isWanted {
            if try isKnown(aggregate) {
                leave(root.name, try reasonToLeave(row), in: &part)
            }
            return
        }
        let isTold = isToldAnew(root.name.classNumber)
        if aggregate.isOwnAndEffective, !isTold {
            let isCertain = try root.existed ? isCertainlyHeld(root, row) : true
            if isCertain, try holdsReadable(row, aggregate) { return }
            try enterWhole(row, aggregate, in: &part)
            return
        }
        let isContinued = try isCertainlyHeld(root, row) ? try !beganAnew(root, row) : false
        if isContinued, !isTold, !root.livesDiffer {
            try updateParts(row, aggregate, in: &part)
        } else {
            try enterWhole(row, aggregate, in: &part)
        }
    }

    /// Tells of an object that the client wrote about, and that was deleted before the client saw it.
    private func tellEnded(_ name: ObjectName, in part: inout Part) throws(StoreFailure) {
        if mayHide(name.classNumber) { try tellAbsent(name, in: &part) } else { try end(name, in: &part) }
    }

    /// Whether the device may hold it: by its queries, or because it wrote it.
    private func isKnown(_ aggregate: TouchedAggregate) throws(StoreFailure) -> Bool {
        if aggregate.byClient { return true }
        return try wasHeld(aggregate.root)
    }

    func enterWhole(_ row: Row, _ aggregate: TouchedAggregate, in part: inout Part) throws(StoreFailure) {
        try enter(row.classNumber, [row.key], in: &part)
        // Only its author may learn what was deleted in a property that the caller may not read. On the device it goes
        // with the link to it.
        if rules?.readable(snapshot.className(row.classNumber)) != nil, !aggregate.byClient { return }
        for child in aggregate.children where snapshot.row(child.name) == nil {
            try end(child.name, in: &part)
        }
    }

    private func updateParts(_ row: Row, _ aggregate: TouchedAggregate, in part: inout Part) throws(StoreFailure) {
        if let readable = rules?.readable(snapshot.className(row.classNumber)) {
            return try updateReadable(row, aggregate, readable, in: &part)
        }
        let new = Set(aggregate.children.lazy.filter { !$0.existed }.compactMap { self.snapshot.row($0.name) })
        for child in aggregate.children {
            guard let childRow = snapshot.row(child.name) else {
                try end(child.name, in: &part)
                continue
            }
            if child.existed {
                try update(childRow, child, child.columns, in: &part)
            } else if !isPart(childRow, ofAny: new) {
                try enter(childRow.classNumber, [childRow.key], in: &part)
            }
        }
        try update(row, aggregate.root, aggregate.root.columns, in: &part)
    }

    /// Whether a row enters with the row that holds it: what was created together is told once, however deep it is
    /// nested.
    private func isPart(_ row: Row, ofAny new: Set<Row>) -> Bool {
        snapshot.holder(of: row).map(new.contains) ?? false
    }

    private func wasHeld(_ touched: TouchedRow) throws(StoreFailure) -> Bool {
        guard touched.existed, let query = held[touched.name.classNumber] else { return false }
        return try past.matched(touched, query)
    }

    /// Whether the device holds it for certain, see `StagedClaims`. An object that was not deleted is still in the same
    /// row.
    private func isCertainlyHeld(_ touched: TouchedRow, _ row: Row) throws(StoreFailure) -> Bool {
        guard try wasHeld(touched) else { return false }
        guard let claims else { return true }
        return try claims.holds(row) { query throws(StoreFailure) in try past.matched(touched, query) }
    }

    func reasonToLeave(_ row: Row) throws(StoreFailure) -> Part.Reason {
        if let read = rules?[snapshot.className(row.classNumber)]?.read, !(try snapshot.matches(row, read)) {
            return .permission
        }
        return try wouldStillBeHeld(row) ? .unsubscribed : .query
    }

    /// Whether the object still matches the held query: then it leaves because the query is gone, not because it
    /// changed.
    private func wouldStillBeHeld(_ row: Row) throws(StoreFailure) -> Bool {
        guard let query = held[row.classNumber] else { return false }
        return try snapshot.matches(row, query)
    }

    /// Whether the object was deleted and created again: then its old values mean nothing any more.
    private func beganAnew(_ root: TouchedRow, _ row: Row) throws(StoreFailure) -> Bool {
        guard let reference = root.images.first else { return false }
        return try snapshot.life(in: reference) != snapshot.life(of: row)
    }
}
