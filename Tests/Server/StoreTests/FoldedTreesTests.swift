import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// What lists and texts forget below the horizon: RULES.md, section 12.
@Suite("What lists and texts forget below the horizon", .everyBackend)
struct FoldedTreesTests {
    private func record(versions: UInt64 = 10, _ name: String = #function) throws -> Record {
        let record = try Record(name, options: StoreEmbedded.Options(historyVersionsMax: versions))
        try record.write(Record.ann, create(box(1)))
        return record
    }

    /// Lets so many versions pass that have nothing to do with what the test is about.
    private func pass(_ record: Record, versions: Int = 24) throws {
        for _ in 0..<versions { try record.write(Record.bob, create(dog(99), ("name", .string("tick")))) }
    }

    private func items(_ record: Record) throws -> ListState { try record.state(box(1))?.list("items") ?? ListState() }
    private func body(_ record: Record) throws -> TextState { try record.state(box(1))?.text("body") ?? TextState() }

    private func insert(_ record: Record, _ value: String, at index: Int, _ counter: UInt64) throws {
        let id = ElementID(client: Record.ann, counter: counter)
        let insertion = try items(record).insertion(of: .string(value), at: index, id: id)
        try record.write(Record.ann, .list(box(1), property: "items", insertion))
    }

    private func remove(_ record: Record, at index: Int) throws {
        try record.write(Record.ann, .list(box(1), property: "items", try items(record).removal(at: index)))
    }

    @Test("a queue that is filled at one end and emptied at the other stays as small as what is in it")
    func queue() throws {
        let record = try record()
        var sizes: [Int] = []
        for number in 0..<400 as Range<Int> {
            try insert(record, "\(number)", at: try items(record).count, UInt64(number + 1))
            if number >= 3 { try remove(record, at: 0) }
            if number % 40 == 39 { sizes.append(try record.bytes()) }
        }
        #expect(try items(record).values == [397, 398, 399].map { .string("\($0)") })
        #expect(sizes[9] <= sizes[1] * 5 / 4, "\(sizes)")
        #expect(try items(record).encoded().count < 1_500)
    }

    @Test("a version that no client made is others' for everybody, also for nobody")
    func madeByNobody() throws {
        let record = try record()
        var found = 0
        for number in 0..<100 as Range<Int> {
            let before = record.store.version
            try insert(record, "\(number)", at: try items(record).count, UInt64(number + 1))
            if number >= 3 { try remove(record, at: 0) }
            let snapshot = try record.store.snapshot()
            guard try snapshot.history(after: before, for: .nobody).authors.contains(.nobody) else { continue }
            found += 1
            for client in [.nobody, ClientID(77)] {
                for touched in try snapshot.history(after: before, for: client).touched {
                    #expect(touched.byOthers && !touched.byClient)
                }
            }
        }
        #expect(found > 0)
    }

    @Test("a text that is typed, deleted and typed again stays as small as what is in it")
    func text() throws {
        let record = try record()
        var sizes: [Int] = []
        var counter: UInt64 = 1
        for number in 0..<200 {
            var text = try body(record)
            let id = ElementID(client: Record.ann, counter: counter)
            counter += 3
            // In the middle, so that runs do not become one.
            let insertion = text.insert("abc", at: text.count / 2, id: id)
            let inserted = try #require(insertion)
            try record.write(Record.ann, .text(box(1), property: "body", inserted))
            text = try body(record)
            let removals = text.count > 9 ? text.remove(text.count / 3..<text.count / 3 + 3) : []
            for removal in removals { try record.write(Record.ann, .text(box(1), property: "body", removal)) }
            if number % 20 == 19 { sizes.append(try record.bytes()) }
        }
        #expect(try body(record).count == 9)
        #expect(sizes[9] <= sizes[1] * 5 / 4, "\(sizes)")
        #expect(try body(record).isOrderOfTree)
    }

    @Test("a list that forgets is told whole to everybody, those that wrote in it among them")
    func told() throws {
        let record = try record()
        for number in 0..<12 as Range<Int> { try insert(record, "\(number)", at: number, UInt64(number + 1)) }
        for _ in 0..<11 { try remove(record, at: 0) }
        let before = record.store.version
        var told: History?
        for _ in 0..<24 where told == nil {
            try pass(record, versions: 1)
            let history = try record.store.snapshot().history(after: before, for: Record.ann)
            if history.touched.contains(where: { $0.name.key == .int(1) }) { told = history }
        }
        #expect(record.store.version > before)
        let touched = try #require(told?.touched.first { $0.name.key == .int(1) })
        #expect(touched.byOthers)
        #expect(!touched.byClient)
        #expect(touched.columns.contains(3))
        #expect(try items(record).values == [.string("11")])
        #expect(!(try items(record).isWorthForgetting))
    }

    @Test("an insert that names a position which was forgotten stands where its writer has it")
    func forgottenRight() throws {
        let record = try record()
        for number in 0..<12 as Range<Int> { try insert(record, "\(number)", at: number, UInt64(number + 1)) }
        for _ in 0..<10 { try remove(record, at: 1) }
        // Behind 0 comes a position of a removed element, before 11.
        let device = try items(record)
        try pass(record)
        #expect(try items(record).values == [.string("0"), .string("11")])
        let id = ElementID(client: Record.bob, counter: 1)
        let insertion = device.insertion(of: .string("new"), at: 1, id: id)
        try record.write(Record.bob, .list(box(1), property: "items", insertion))
        #expect(try items(record).values == [.string("0"), .string("new"), .string("11")])
    }

    /// A list of which a device knew two items and what is behind them, until these two were forgotten and two others stand
    /// in their place.
    private func staleDevice(_ record: Record, items known: [String]) throws -> (list: ListState, base: UInt64) {
        for (index, item) in known.enumerated() { try insert(record, item, at: index, UInt64(index + 1)) }
        let device = (try items(record), record.store.version.rawValue)
        for number in 0..<12 as Range<Int> { try insert(record, "\(number)", at: number + 2, UInt64(number + 10)) }
        for _ in 0..<12 { try remove(record, at: 0) }
        try pass(record)
        return device
    }

    private func writeLate(
        _ record: Record, _ device: inout (list: ListState, base: UInt64), _ value: String, at index: Int,
        _ counter: UInt64
    ) throws {
        let id = ElementID(client: Record.bob, counter: counter)
        let insertion = device.list.insertion(of: .string(value), at: index, id: id)
        _ = device.list.join(insertion, stamp: Stamp(time: 1, client: Record.bob))
        try record.write(Record.bob, base: device.base, .list(box(1), property: "items", insertion))
    }

    @Test("what a stale writer appends to a queue whose items have all been consumed comes to the end")
    func staleAppend() throws {
        let record = try record()
        var device = try staleDevice(record, items: ["a", "b"])
        #expect(try items(record).values == ["10", "11"].map { .string($0) })
        for number in 1...3 as ClosedRange<Int> {
            try writeLate(record, &device, "b\(number)", at: number + 1, UInt64(number))
        }
        #expect(try items(record).values == ["10", "11", "b1", "b2", "b3"].map { .string($0) })
        #expect(try items(record).isOrderOfTree)
    }

    @Test("what a stale writer puts behind what is forgotten comes before what it put it before, in one piece")
    func staleBeforeKnown() throws {
        let record = try record()
        var device = try staleDevice(record, items: ["a", "b", "last"])
        for number in 1...3 as ClosedRange<Int> {
            try writeLate(record, &device, "b\(number)", at: number + 1, UInt64(number))
        }
        // Typed before the others.
        try writeLate(record, &device, "b0", at: 2, 4)
        #expect(
            try items(record).values == ["10", "11", "b0", "b1", "b2", "b3", "last"].map { .string($0) })
        #expect(try items(record).isOrderOfTree)
    }

    @Test("what a stale writer puts between two that are both forgotten comes to the beginning, in one piece")
    func staleBetweenForgotten() throws {
        let record = try record()
        var device = try staleDevice(record, items: ["a", "b", "last"])
        for number in 1...3 as ClosedRange<Int> {
            try writeLate(record, &device, "b\(number)", at: number, UInt64(number))
        }
        #expect(try items(record).values == ["b1", "b2", "b3", "10", "11", "last"].map { .string($0) })
        #expect(try items(record).isOrderOfTree)
    }

    @Test("what a stale writer inserts comes behind what it was put behind, in one piece, and its writer is told")
    func stale() throws {
        let record = try record()
        try insert(record, "first", at: 0, 1)
        try insert(record, "last", at: 1, 2)
        var device = try items(record)
        let base = record.store.version.rawValue
        for number in 0..<12 as Range<Int> { try insert(record, "\(number)", at: number + 1, UInt64(number + 3)) }
        for _ in 0..<10 { try remove(record, at: 1) }
        try pass(record)
        for number in 1...3 as ClosedRange<Int> {
            let id = ElementID(client: Record.bob, counter: UInt64(number))
            let insertion = device.insertion(of: .string("b\(number)"), at: number, id: id)
            _ = device.join(insertion, stamp: Stamp(time: 1, client: Record.bob))
            try record.write(Record.bob, base: base, .list(box(1), property: "items", insertion))
        }
        #expect(
            try items(record).values == ["first", "b1", "b2", "b3", "10", "11", "last"].map { .string($0) })
        let start = ServerVersion(record.store.version.rawValue - 3)
        let touched = try record.store.snapshot().history(after: start, for: Record.bob).touched
        #expect(touched.first { $0.name.key == .int(1) }?.effective == false)
    }
}
