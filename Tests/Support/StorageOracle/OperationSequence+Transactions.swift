import CausewaySeeds
import CausewayStorage

extension OperationSequence {
    /// One write transaction in all storages at once: its own reads agree, and then the state it leaves.
    mutating func transact() throws {
        steps.append("write")
        let writers = try stores.map { try $0.open.write() }
        var expected = contents
        let count = random.once(in: 12) ? random.number(100...900) : random.number(0...12)
        if count > 100 { bulk(count, writers, &expected) }
        for _ in 0..<min(count, 20) { try operate(writers, &expected) }
        if random.once(in: 6) {
            steps.append("abort")
            // Dropping a writer and ending it must come to the same.
            if random.once(in: 2) { for writer in writers { writer.abort() } }
            return
        }
        let durability = random.one(of: [Durability.durable, .relaxed, .relaxed, .grouped(within: .milliseconds(1))])
        steps.append("commit \(durability)")
        let snapshots = try writers.map { try $0.commit(durability) }
        contents = expected
        version += 1
        let state = current(snapshots)
        guard snapshots.allSatisfy(\.isNewest) else { throw disagreement("a commit's state is not the newest") }
        try check(state, everything: random.once(in: 4))
    }

    /// Many keys that ascend, as an index has them, in one go.
    private mutating func bulk(_ count: Int, _ writers: [any StorageWriter], _ expected: inout Contents) {
        steps.append("bulk \(count)")
        let tree = random.one(of: Universe.trees)
        let start = random.number(0...1000)
        let isRemoving = random.once(in: 3)
        for number in start..<start + count {
            let key = Universe.key(number: number)
            let value = Array(repeating: UInt8(truncatingIfNeeded: number), count: number % 60)
            expected.trees[tree, default: [:]][key] = isRemoving ? nil : value
            for writer in writers {
                if isRemoving { writer.remove(tree, key) } else { writer.put(tree, key, value) }
            }
        }
    }

    private mutating func operate(_ writers: [any StorageWriter], _ expected: inout Contents) throws {
        let tree = random.one(of: Universe.trees)
        let place = random.one(of: Universe.places)
        switch random.number(0...14) {
        case 0...5:
            let (key, value) = (Universe.key(&random), Universe.value(&random))
            expected.trees[tree, default: [:]][key] = value
            for writer in writers { writer.put(tree, key, value) }
        case 6, 7:
            let key = Universe.key(&random)
            expected.trees[tree]?[key] = nil
            for writer in writers { writer.remove(tree, key) }
        case 8...10:
            let bytes = Universe.leaf(&random)
            expected.leaves[place] = bytes
            for writer in writers { writer.replaceLeaf(place.column, place.number, bytes) }
        case 11:
            // Nearly always one that is there.
            let place = random.once(in: 8) ? place : expected.leaves.keys.min() ?? place
            expected.leaves[place] = nil
            for writer in writers { writer.removeLeaf(column: place.column, number: place.number) }
        case 12:
            thin(tree, writers, &expected)
        default:
            try checkQuery(of: writers, expected)
        }
    }

    /// Removes every second entry while scanning: the scan goes on seeing the state from before.
    private mutating func thin(_ tree: UInt32, _ writers: [any StorageWriter], _ expected: inout Contents) {
        for (index, entry) in expected.entries(tree).enumerated() where index % 2 == 0 {
            expected.trees[tree]?[entry[0]] = nil
        }
        for writer in writers {
            var index = 0
            writer.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, _ in
                if index % 2 == 0 { writer.remove(tree, Array(key)) }
                index += 1
                return true
            }
        }
    }
}
