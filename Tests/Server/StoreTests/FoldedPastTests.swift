import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// What the record forgets once its history does not reach back to it: RULES.md, section 12.
@Suite("What is forgotten below the horizon", .everyBackend)
struct FoldedPastTests {
    private static let seeds = SeedList.drawn(for: "folded-past", count: 15)

    private func record(versions: UInt64 = 3, _ name: String = #function) throws -> Record {
        try Record(name, options: StoreEmbedded.Options(historyVersionsMax: versions))
    }

    /// Lets so many versions pass that have nothing to do with what the test is about.
    private func pass(_ record: Record, versions: Int = 8) throws {
        for _ in 0..<versions { try record.write(Record.bob, create(dog(99), ("name", .string("tick")))) }
    }

    // MARK: - Ends

    @Test("the end of an object is forgotten with the version that brought it about")
    func ends() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1)), create(dog(2)))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        #expect(try record.count("server.ends") == 1)
        try pass(record, versions: 2)
        #expect(try record.count("server.ends") == 1)
        try pass(record, versions: 1)
        #expect(try record.count("server.ends") == 0)
    }

    @Test("a change that a stale writer makes of what ended has no effect and is not refused; one that had seen it is")
    func staleChange() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        try pass(record)
        #expect(try record.objection(Record.bob, base: 1, set(dog(1), "name", .string("b"))) == nil)
        #expect(try record.objection(Record.bob, base: 1, .delete(dog(1), life: 2)) == nil)
        #expect(try record.dog(1) == nil)
        // Its device is told that it has ended.
        let start = ServerVersion(record.store.version.rawValue - 2)
        let touched = try record.store.snapshot().history(after: start, for: Record.bob).touched
        #expect(touched.first { $0.name.key == .int(1) }?.effective == false)
        #expect(try record.objection(Record.bob, set(dog(1), "name", .string("b")))?.code == .objectUnknown)
        // Nothing of that class was forgotten.
        #expect(try record.objection(Record.bob, base: 1, put(1, "a", 1))?.code == .objectUnknown)
    }

    @Test(
        "a change of what ended out of its writer's sight has no effect and is not refused, whatever else it had seen")
    func unseenChange() throws {
        let record = try record()
        try record.write(Record.ann, create(home(1)), create(dog(1), ("home", .link(home(1).key))), create(dog(2)))
        try record.write(Record.ann, set(dog(1), "home", .null), .delete(dog(2), life: 2))
        try pass(record)
        func objection(_ target: ObjectReference, _ property: String, unseen: Set<ObjectReference>) throws
            -> StoreFailure?
        {
            var changeset = record.changeset(Record.bob, [set(target, property, .string("b"))])
            changeset.lastSeen = [Changeset.LastSeen(ServerVersion(1), unseen)]
            try record.commit(Record.bob, changeset)
            return try record.refusals(Record.bob).first { $0.sequence == changeset.sequence }?.failure
        }
        #expect(try objection(home(1), "city", unseen: [home(1), dog(1)]) == nil)
        #expect(try objection(dog(2), "name", unseen: [dog(2)]) == nil)
        #expect(try objection(home(1), "city", unseen: [dog(1)])?.code == .objectUnknown)
        #expect(try record.object("Home", home(1).key) == nil && record.dog(2) == nil)
    }

    @Test("what a stale writer creates is there, under the key of what ended too")
    func staleCreate() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        try pass(record)
        try record.write(Record.bob, base: 1, at: 5, create(dog(1), ("name", .string("b"))))
        try record.write(Record.bob, base: 1, at: 6, set(dog(1), "age", .int(3)))
        #expect(try record.dog(1)?["name"] == .string("b"))
        #expect(try record.dog(1)?["age"] == .int(3))
    }

    @Test("a delete of a stale writer spares an object that it has not seen begin, but not one that it made itself")
    func staleDelete() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1)), create(dog(2)))
        try record.write(Record.ann, .delete(dog(1), life: 2), .delete(dog(2), life: 2))
        try pass(record)
        let base = record.store.version.rawValue
        try record.write(Record.ann, create(dog(1), ("name", .string("anew"))))
        try record.write(Record.bob, base: 1, .delete(dog(1), life: 2))
        #expect(try record.dog(1)?["name"] == .string("anew"))
        // It had seen it: what it means is clear.
        try record.write(Record.bob, base: base + 1, .delete(dog(1), life: 2))
        #expect(try record.dog(1) == nil)
        try record.write(Record.bob, base: 1, create(dog(2)))
        try record.write(Record.bob, base: 1, .delete(dog(2), life: 2))
        #expect(try record.dog(2) == nil)
    }

    @Test("a life counted from an end that is forgotten is the one that the object lives")
    func countedOn() throws {
        let record = try record()
        try record.write(Record.ann, create(dog(1)))
        try record.write(Record.ann, .delete(dog(1), life: 2))
        try pass(record)
        try record.write(Record.ann, create(dog(1), ("name", .string("a"))))
        try record.write(Record.bob, create(dog(1), life: 3, ("age", .int(3))))
        #expect(try record.dog(1)?["name"] == .string("a"))
        #expect(try record.dog(1)?["age"] == .int(3))
        try record.write(Record.bob, .delete(dog(1), life: 4))
        #expect(try record.dog(1) == nil)
    }

    @Test("a key that was made and deleted many times can be made again when that is forgotten")
    func manyLives() throws {
        let record = try record()
        for life in 1...1_200 as ClosedRange<UInt32> {
            let operation: Operation = life % 2 == 1 ? create(dog(1), life: life) : .delete(dog(1), life: life)
            #expect(try record.objection(Record.ann, operation) == nil)
        }
        try pass(record)
        #expect(try record.objection(Record.ann, create(dog(1), life: 1_201)) == nil)
        #expect(try record.dog(1) != nil)
    }

    @Test("rows that were made together are made again one by one, while others link to them")
    func rowsWithin() throws {
        let record = try record()
        for round in 0..<3 {
            let operations = (1...9).map { create(dog($0), ("friend", .link(.int(($0 + 1) % 9 + 1)))) }
            try record.commit(Record.ann, record.changeset(Record.ann, operations))
            for id in [5, 1, 9, 4] as [Int64] { try record.write(Record.ann, .delete(dog(id), life: 2)) }
            try pass(record)
            for id in [4, 9, 5, 1] as [Int64] { try record.write(Record.ann, create(dog(id), ("age", .int(id)))) }
            for id in 1...9 as ClosedRange<Int64> {
                try record.write(Record.bob, set(dog(id), "name", .string("n\(round)")))
                #expect(try record.dog(id)?["name"] == .string("n\(round)"))
            }
            for id in 1...9 as ClosedRange<Int64> { try record.write(Record.ann, .delete(dog(id), life: 2)) }
            try pass(record)
        }
    }

    // MARK: - Sets and maps

    @Test("a key that was removed is forgotten once the history has passed it, and so is one removed meanwhile")
    func keys() throws {
        let record = try record()
        try record.write(Record.ann, create(box(1)), put(1, "a", 1), put(1, "b", 2))
        try record.write(Record.ann, remove(1, "a"))
        try record.write(Record.ann, remove(1, "b"))
        #expect(try record.keyed("scores", 1)?.entries.count == 2)
        try pass(record)
        #expect(try record.keyed("scores", 1)?.entries.count == 0)
        #expect(try record.count("server.marks") == 0)
        #expect(try record.count("server.marked") == 0)
    }

    @Test("what is put again before it is forgotten stays, whatever happens to its object meanwhile")
    func putAgain() throws {
        let record = try record()
        try record.write(Record.ann, create(box(1)), put(1, "a", 1), put(1, "b", 1))
        try record.write(Record.ann, remove(1, "a"), remove(1, "b"))
        try record.write(Record.ann, put(1, "a", 2))
        try pass(record)
        #expect(try record.keyed("scores", 1)?.visible.map(\.key) == [.string("a")])
        try record.write(Record.ann, remove(1, "a"))
        try record.write(Record.ann, .delete(box(1), life: 2))
        try record.write(Record.ann, create(box(1), life: 3), put(1, "a", 3), remove(1, "b"))
        try pass(record)
        #expect(try record.keyed("scores", 1)?.visible.map(\.key) == [.string("a")])
        #expect(try record.keyed("scores", 1)?.entries.count == 1)
    }

    @Test("a stale put of a key that is forgotten stays")
    func stalePut() throws {
        let record = try record()
        try record.write(Record.ann, create(box(1)), put(1, "a", 1))
        try record.write(Record.ann, remove(1, "a"))
        try pass(record)
        // Newer than the box, and older than the removal.
        try record.write(Record.bob, base: 1, at: 1_000_000, put(1, "a", 5))
        #expect(try record.keyed("scores", 1)?[.string("a")] == .int(5))
    }

    // MARK: - Everything

    @Test("nobody who is within the history finds that anything was forgotten", arguments: seeds)
    func asIfNothing(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let folding = try record(versions: UInt64(1 + numbers.below(6)), "folding-\(seed)")
        let whole = try Record("whole-\(seed)")
        var writers = [PastWriter(Record.ann), PastWriter(Record.bob)]
        var lives: [[UInt32]] = [[0, 0, 0]]
        var times = [folding.time]
        for _ in 0..<120 {
            let number = numbers.below(writers.count)
            let horizon = try folding.store.snapshot().historyStart.rawValue
            let newest = folding.store.version.rawValue
            let base = numbers.happens(percent: 50) ? newest : max(writers[number].base, horizon)
            writers[number].base = base
            // Beyond everything that its writer has seen, and no further than now.
            let seen = times[Int(base)]
            let stamp = seen + 1 + UInt64(numbers.below(Int(folding.time + 1 - seen)))
            let operations = writers[number].draw(&numbers, lives: lives[Int(base)])
            for record in [folding, whole] {
                try record.commit(
                    writers[number].client,
                    record.changeset(writers[number].client, base: base, at: stamp, operations))
            }
            times.append(folding.time)
            var reached = lives[lives.count - 1]
            for operation in operations {
                guard case .int(let id) = operation.target.key else { continue }
                switch operation {
                case .create(_, let life, _), .delete(_, let life):
                    reached[Int(id)] = max(reached[Int(id)], life)
                default: break
                }
            }
            lives.append(reached)
            for id in 0..<3 as Range<Int64> {
                #expect(try folding.seen(box(id)) == whole.seen(box(id)), "seed \(seed), box \(id)")
            }
        }
        try pass(folding, versions: 16)
        #expect(try folding.count("server.marks") == 0)
        #expect(try folding.count("server.ends") == 0)
    }

    @Test("objects and keys that come and go leave nothing behind")
    func bounded() throws {
        let record = try record(versions: 10)
        try record.write(Record.ann, create(box(1)))
        var sizes: [Int] = []
        for round in 0..<40 as Range<Int64> {
            for number in 0..<25 as Range<Int64> {
                let name = round * 25 + number
                try record.write(Record.ann, create(dog(1_000 + name)), put(1, "k\(name)", name), label(1, "l\(name)"))
                try record.write(
                    Record.bob, .delete(dog(1_000 + name), life: 2), remove(1, "k\(name)"), unlabel(1, "l\(name)"))
            }
            sizes.append(try record.bytes())
        }
        #expect(sizes[39] <= sizes[4] * 5 / 4, "\(sizes)")
    }
}

/// A device that has seen everything up to its base, and knows the lives of all boxes from then.
private struct PastWriter {
    let client: ClientID
    var base: UInt64 = 0

    init(_ client: ClientID) {
        self.client = client
    }

    mutating func draw(_ numbers: inout SeededNumbers, lives: [UInt32]) -> [Operation] {
        let id = Int64(numbers.below(3))
        let life = lives[Int(id)]
        let key = numbers.one(of: ["a", "b", "c"])
        guard life % 2 == 1 else { return [create(box(id), life: life + 1), put(id, key, 1)] }
        switch numbers.below(10) {
        case 0: return [.delete(box(id), life: life + 1)]
        case 1...2: return [put(id, key, Int64(numbers.below(100)))]
        case 3...4: return [remove(id, key)]
        case 5...7: return [label(id, key)]
        default: return [unlabel(id, key)]
        }
    }
}

func box(_ id: Int64) -> ObjectReference { ObjectReference("Box", .int(id)) }

private func put(_ id: Int64, _ key: String, _ value: Int64) -> Operation {
    .keyed(box(id), property: "scores", .put(key: .string(key), value: .int(value)))
}

private func remove(_ id: Int64, _ key: String) -> Operation {
    .keyed(box(id), property: "scores", .remove(key: .string(key)))
}

private func label(_ id: Int64, _ label: String) -> Operation {
    .keyed(box(id), property: "labels", .put(key: .string(label), value: .null))
}

private func unlabel(_ id: Int64, _ label: String) -> Operation {
    .keyed(box(id), property: "labels", .remove(key: .string(label)))
}

extension Record {
    func state(_ object: ObjectReference) throws -> ObjectState? {
        let snapshot = try store.snapshot()
        let number = try #require(snapshot.classNumber(object.className))
        guard let row = snapshot.row(ObjectName(number, object.key)) else { return nil }
        var contents: [ObjectContent] = []
        var columns = PropertyNumbers()
        for column in 1...4 { columns.insert(column) }
        try snapshot.appendPart(row, columns, to: &contents)
        return contents.first?.state
    }

    fileprivate func keyed(_ property: String, _ id: Int64) throws -> KeyedState? {
        try state(box(id))?.keyed(property)
    }

    /// What everybody sees of an object; nil where there is none.
    fileprivate func seen(_ object: ObjectReference) throws -> [String]? {
        guard let state = try state(object) else { return nil }
        return state.parts.map { part in
            switch part.content {
            case .list(let list): "\(part.property): \(list.visible)"
            case .keyed(let entries): "\(part.property): \(entries.visible)"
            case .text(let text): "\(part.property): \(text.string)"
            }
        }
    }
}
