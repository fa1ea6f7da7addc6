import CausewaySeeds
import CausewayStorage

extension OperationSequence {
    func disagreement(_ what: String) -> Disagreement {
        Disagreement(description: "seed \(seed): \(what), after: \(steps.joined(separator: ", "))")
    }

    /// Compares all that a state holds, or what some random questions about it are answered.
    mutating func check(_ state: Held, everything: Bool) throws {
        for (store, snapshot) in zip(stores, state.snapshots) where snapshot.version != state.version {
            throw disagreement("\(store.backend): version \(snapshot.version) instead of \(state.version)")
        }
        guard everything else {
            for _ in 0..<5 { try checkQuery(of: state.snapshots, state.contents) }
            return
        }
        for (index, snapshot) in state.snapshots.enumerated() {
            for tree in Universe.trees {
                let entries = state.contents.entries(tree)
                try expect(snapshot.entries(tree), entries, index, "tree \(tree)")
                try expect(snapshot.entries(tree, reversed: true), entries.reversed(), index, "tree \(tree) reversed")
                try expect(snapshot.count(tree: tree, from: [], upTo: nil), entries.count, index, "count of \(tree)")
            }
            for place in Universe.places {
                try expect(
                    snapshot.leafBytes(place.column, place.number), state.contents.leaves[place], index, "\(place)")
            }
            try expectNoDamage(snapshot, index)
        }
    }

    mutating func checkNewest() throws {
        try check(current(try snapshots()), everything: true)
    }

    /// One random question, put to a dictionary and to all storages.
    mutating func checkQuery(of readers: [any StorageReader], _ expected: Contents) throws {
        let tree = random.one(of: Universe.trees)
        let from = Universe.key(&random)
        let upTo = random.once(in: 2) ? Universe.key(&random) : nil
        let place = random.one(of: Universe.places)
        let isReversed = random.once(in: 2)
        let limit = random.once(in: 2) ? 3 : Int.max
        let question = random.number(0...3)
        for (index, reader) in readers.enumerated() {
            switch question {
            case 0: try expect(reader.get(tree, from), expected.get(tree, from), index, "get \(from) of \(tree)")
            case 1:
                try expect(
                    reader.leafBytes(place.column, place.number), expected.leaves[place], index, "\(place)")
            case 2:
                try expect(
                    reader.count(tree: tree, from: from, upTo: upTo),
                    expected.entries(tree, from: from, upTo: upTo).count, index,
                    "count of \(tree) from \(from) up to \(String(describing: upTo))")
            default:
                try expect(
                    reader.entries(tree, from: from, upTo: upTo, reversed: isReversed, limit: limit),
                    expected.entries(tree, from: from, upTo: upTo, reversed: isReversed, limit: limit), index,
                    "scan of \(tree) from \(from) up to \(String(describing: upTo)), reversed \(isReversed)")
            }
            try expectNoDamage(reader, index)
        }
    }

    // MARK: - Changes between states

    /// More leaves and ranges may be told than what changed, and all of it must be.
    mutating func compareHeld() throws {
        try hold()
        guard held.count >= 2 else { return }
        let newer = random.number(1...held.count - 1)
        let older = random.number(0...newer - 1)
        steps.append("changes from \(held[older].version) to \(held[newer].version)")
        let (before, after) = (held[older], held[newer])
        let leaves = after.contents.changedLeaves(since: before.contents)
        let keys = after.contents.changedKeys(since: before.contents)
        for (index, store) in stores.enumerated() {
            let (old, new) = (before.snapshots[index], after.snapshots[index])
            let told = try store.open.changedLeaves(between: old, and: new)
            // A leaf that was written anew with the same bytes, or moved, may be told, too.
            guard Set(told).isSuperset(of: leaves), told == Set(told).sorted() else {
                throw disagreement("\(store.backend): changed leaves \(told) instead of \(leaves)")
            }
            let ranges = try store.open.changedRanges(between: old, and: new)
            for (tree, key) in keys where !ranges.contains(where: { $0.holds(tree, key) }) {
                throw disagreement("\(store.backend): key \(key) of \(tree) changed and is in no range")
            }
            let isSame = before.version == after.version && before.compactions == after.compactions
            if isSame, !ranges.isEmpty || !told.isEmpty {
                throw disagreement("\(store.backend): changes within one version")
            }
        }
    }

    func verify() throws {
        for (index, store) in stores.enumerated() {
            let report = try store.open.verify { _, _ in }
            try expect(report.problems, [], index, "problems")
            try expect(report.treeEntries, contents.entryCount, index, "entries verified")
            try expect(report.leaves, contents.leaves.count, index, "leaves verified")
            let statistics = try store.open.statistics()
            try expect(statistics.treeEntries, contents.entryCount, index, "entries counted")
            try expect(statistics.leaves, contents.leaves.count, index, "leaves counted")
        }
    }

    private func expect<Answer: Equatable>(
        _ found: Answer, _ expected: Answer, _ index: Int, _ what: @autoclosure () -> String
    ) throws {
        guard found == expected else {
            throw disagreement("\(stores[index].backend): \(what()) is \(found) instead of \(expected)")
        }
    }

    private func expectNoDamage(_ reader: any StorageReader, _ index: Int) throws {
        if let damage = reader.damage { throw disagreement("\(stores[index].backend): \(damage)") }
    }
}

extension TreeRange {
    fileprivate func holds(_ tree: UInt32, _ key: [UInt8]) -> Bool {
        tree == self.tree && !key.lexicographicallyPrecedes(lower)
            && upper.map { key.lexicographicallyPrecedes($0) } ?? true
    }
}
