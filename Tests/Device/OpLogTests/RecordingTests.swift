import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

/// What the app does becomes a changeset of the same transaction.
@Suite struct RecordingTests {
    private func operations(_ device: Device) throws -> [[CausewayOperations.Operation]] {
        try device.pending().map(\.operations)
    }

    @Test("what a transaction adds to a counter is one addition, of a new object too; an assignment makes it a value")
    func counters() throws {
        let device = try Device(1)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            let key = try notes.create(.int(1), row: row(1))
            notes.add(7, to: key, Column.likes)
        }
        func change(_ body: (Table, ObjectKey) -> Void) throws -> [CausewayOperations.Operation] {
            try device.write { transaction in
                let notes = transaction.table("Note")!
                body(notes, notes.key(for: .int(1))!)
            }
            return try operations(device).last ?? []
        }
        guard case .create(_, _, let fields) = try operations(device)[0][0] else {
            Issue.record("no create of the note")
            return
        }
        #expect(fields.contains(FieldValue("likes", .int(0), isDefault: true)))
        #expect(try operations(device)[0].last == .add(note(1), property: "likes", Addition(7)))
        let added = try change { notes, key in
            for _ in 0..<1000 { notes.add(1, to: key, Column.likes) }
            notes.add(-3, to: key, Column.likes)
        }
        #expect(added == [.add(note(1), property: "likes", Addition(997))])
        let set = try change { notes, key in
            notes.add(5, to: key, Column.likes)
            notes.set(key, Column.likes, .int(40))
            notes.add(1, to: key, Column.likes)
        }
        #expect(set == [.set(note(1), FieldValue("likes", .int(41)))])
        let count = try operations(device).count
        let nothing = try change { notes, key in
            notes.add(5, to: key, Column.likes)
            notes.add(-5, to: key, Column.likes)
        }
        #expect(try nothing == set && operations(device).count == count)
        // What the app sees is the base with all of it joined.
        var state = ObjectState()
        for operation in try operations(device).joined() {
            state.join(operation, stamp: Stamp(time: 1, client: ClientID(1)))
        }
        #expect(state["likes"]?.value == .int(41))
        #expect(try device.visible[note(1)] == VisibleObject(state))
    }

    @Test("new objects are logged in columns, but for those with parts; one by one they are the same creates")
    func columns() throws {
        let device = try Device(1)
        try device.write { transaction in
            let (notes, people) = (transaction.table("Note")!, transaction.table("Person")!)
            for id in 0..<2_500 as Range<Int64> {
                var row = row(id, "title \(id % 7)", count: id * id)
                if id % 3 == 0 { row[Column.title] = .null }
                if id % 5 == 0 { row[Column.author] = .object(try people.create(.string("person \(id)"))) }
                let key = try notes.create(.int(id), row: row)
                if id % 100 == 0 { notes.listAppend(key, Column.tags, .string("tag")) }
            }
        }
        let changeset = try device.pending()[0]
        #expect(changeset.creations.map(\.className) == ["Note", "Person", "Note"])
        #expect(changeset.creations.map(\.count) == [2_475, 500, 25])
        var expected: [ObjectReference: CausewayOperations.Operation] = [:]
        for id in 0..<2_500 as Range<Int64> {
            let author: Value = id % 5 == 0 ? .link(.string("person \(id)")) : .null
            expected[note(id)] = .create(
                note(id), life: 1,
                fields: [
                    FieldValue("title", id % 3 == 0 ? .null : .string("title \(id % 7)")),
                    FieldValue("count", .int(id * id)), FieldValue("done", .bool(false)), FieldValue("home", .null),
                    FieldValue("author", author), FieldValue("likes", .int(0), isDefault: true),
                ])
            if id % 5 == 0 {
                let name = person("person \(id)")
                expected[name] = .create(name, life: 1, fields: [FieldValue("age", .int(0))])
            }
        }
        var tags = 0
        for operation in changeset.operations {
            if case .list = operation {
                tags += 1
            } else {
                #expect(expected.removeValue(forKey: operation.target) == operation)
            }
        }
        #expect(tags == 25 && expected.isEmpty)
    }

    @Test("a write and its changeset commit together, and an aborted write leaves neither")
    func together() throws {
        let device = try Device(1)
        let transaction = try device.store.write()
        _ = try transaction.table("Note")!.create(.int(1), row: row(1))
        try device.replica.record(in: transaction, now: 5)
        transaction.abort()
        transaction.end()
        #expect(try device.visible.isEmpty)
        #expect(try device.pending().isEmpty)
        #expect(try device.state.lastSequence == 0)

        try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
        #expect(try device.visible.count == 1)
        #expect(try device.pending().map(\.sequence) == [1])
        try device.write { _ in }
        #expect(try device.pending().count == 1, "a transaction that changes nothing is not logged")
    }

    @Test("a new object travels with its values, its links by primary key and its lists as inserts")
    func creation() throws {
        let device = try Device(1)
        try device.write { transaction in
            let ada = try transaction.table("Person")!.create(.string("Ada"))
            let notes = transaction.table("Note")!
            let key = try notes.create(.int(1), row: row(1, "first", count: 3))
            notes.set(key, Column.author, .object(ada))
            notes.listInsert(key, Column.tags, 0, .string("a"))
            notes.listInsert(key, Column.tags, 1, .string("b"))
            notes.listInsert(key, Column.friends, 0, .object(ada))
        }
        let logged = try #require(try operations(device).first)
        guard case .create(note(1), 1, let fields) = logged.first(where: { $0.target == note(1) }) else {
            Issue.record("no create of the note")
            return
        }
        #expect(fields.contains(FieldValue("author", .link(.string("Ada")))))
        #expect(fields.contains(FieldValue("count", .int(3))))
        #expect(!fields.contains { $0.property == "id" || $0.property == "tags" })
        var state = ObjectState()
        for operation in logged where operation.target == note(1) {
            state.join(operation, stamp: Stamp(time: 1, client: ClientID(1)))
        }
        #expect(try device.visible[note(1)] == VisibleObject(state))
    }

    @Test("setting a property, editing a list and deleting name just what was done")
    func changes() throws {
        let device = try Device(1)
        try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
        try device.write { transaction in
            let notes = transaction.table("Note")!
            let key = notes.key(for: .int(1))!
            notes.set(key, Column.count, .int(7))
            notes.listInsert(key, Column.tags, 0, .string("x"))
        }
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        let logged = try operations(device)
        #expect(logged.count == 3)
        #expect(logged[1].contains(.set(note(1), FieldValue("count", .int(7)))))
        #expect(logged[1].count == 2)
        #expect(logged[2] == [.delete(note(1), life: 2)])
    }

    @Test("an object that is deleted and made again in one transaction, the first one ever, begins its next life")
    func recreation() throws {
        let device = try Device(1)
        let server = NaiveServer()
        try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1, "old")) }
        server.commit(try device.pending())
        try device.apply(server.change(for: device))
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
            _ = try notes.create(.int(1), row: row(1, "new"))
        }
        server.commit(try device.pending())
        #expect(server.current[note(1)]?.life == 3)
        #expect(server.current[note(1)]?["title"]?.value == .string("new"))
        try device.apply(server.change(for: device))
        #expect(try device.visible[note(1)]?.fields["title"] == .string("new"))
    }

    @Test("S136 an embedded object is created before the link to it, under a name of its own")
    func embedded() throws {
        let device = try Device(1)
        try device.write { transaction in
            let addresses = transaction.table("Address")!
            let address = try addresses.create(device.replica.container(in: transaction))
            addresses.set(address, Column.city, .string("Ulm"))
            let notes = transaction.table("Note")!
            notes.set(try notes.create(.int(1), row: row(1)), Column.home, .object(address))
        }
        let logged = try #require(try operations(device).first)
        guard case .create(let target, 1, let fields) = logged[0], case .container(let id) = target.key else {
            Issue.record("the embedded object does not come first: \(logged)")
            return
        }
        #expect(target.className == "Address" && id.client == device.client)
        #expect(fields == [FieldValue("city", .string("Ulm"))])
        #expect(logged.contains { $0.target == note(1) })
        // Deleting the holder names the holder alone.
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        #expect(try operations(device)[1] == [.delete(note(1), life: 2)])
    }

    @Test("S137 one-way objects leave through their own log, in order, and their rows go at once")
    func oneWay() throws {
        let device = try Device(1)
        for index in 0..<3 as Range<Int64> {
            try device.write { transaction in
                _ = try transaction.table("Reading")!.create(
                    .int(index), row: [.int(index), .double(Double(index)), .null])
            }
        }
        #expect(try device.visible.isEmpty)
        #expect(try device.pending().isEmpty)
        let all = try device.read { try device.replica.pendingOneWay(in: $0, after: 0, limitBytes: .max) }
        #expect(all?.first == 1)
        #expect(all?.entries.count == 3)
        #expect(
            all?.entries[2] == [
                .create(
                    ObjectReference("Reading", .int(2)), life: 1,
                    fields: [FieldValue("value", .double(2)), FieldValue("place", .null)])
            ])
        let transaction = try device.store.write()
        try device.replica.acknowledgeOneWay(through: 2, in: transaction)
        _ = try transaction.commit()
        transaction.end()
        let rest = try device.read { try device.replica.pendingOneWay(in: $0, after: 2, limitBytes: 1) }
        #expect(rest?.first == 3)
        #expect(try device.bookkeeping("sync.oneway") == 1)
    }

    @Test("S139 an embedded object inside of a one-way object leaves with it and before it, and nothing of it stays")
    func embeddedInOneWay() throws {
        let device = try Device(1)
        try device.write { transaction in
            let (addresses, readings) = (transaction.table("Address")!, transaction.table("Reading")!)
            let address = try addresses.create(device.replica.container(in: transaction))
            addresses.set(address, Column.city, .string("Ulm"))
            _ = try readings.create(.int(1), row: [.int(1), .double(0.5), .object(address)])
            // One that a note holds goes the usual way, in the same transaction.
            let notes = transaction.table("Note")!
            let home = try addresses.create(device.replica.container(in: transaction))
            addresses.set(home, Column.city, .string("Bonn"))
            notes.set(try notes.create(.int(1), row: row(1)), Column.home, .object(home))
        }
        let (place, home) = (
            PrimaryKey.container(ElementID(client: device.client, counter: 1)),
            PrimaryKey.container(ElementID(client: device.client, counter: 2))
        )
        let entries = try device.read { try device.replica.pendingOneWay(in: $0, after: 0, limitBytes: .max) }?.entries
        #expect(
            entries == [
                [
                    .create(ObjectReference("Address", place), life: 1, fields: [FieldValue("city", .string("Ulm"))]),
                    .create(
                        ObjectReference("Reading", .int(1)), life: 1,
                        fields: [FieldValue("value", .double(0.5)), FieldValue("place", .link(place))]),
                ]
            ])
        let logged = try device.pending().flatMap(\.operations)
        #expect(!logged.contains { $0.target.key == place } && logged.contains { $0.target.key == home })
        let rows = try device.read { [$0.table("Address")!.count, $0.table("Reading")!.count] }
        #expect(rows == [1, 0])
    }

    @Test("a slow handshake does not set two good clocks apart, and a wrong clock is corrected")
    func clockOffset() throws {
        // (server's reading, ours on arrival, round trip) and what a write at 10,000 is stamped with.
        let cases: [(server: UInt64, local: UInt64, roundTrip: UInt64, stamped: UInt64)] = [
            (5_000, 5_000, 0, 10_000), (4_960, 5_000, 40, 10_000), (4_999, 5_000, 40, 10_000),
            (9_000, 5_000, 40, 14_000), (1_000, 5_000, 40, 6_040),
        ]
        for (server, local, roundTrip, stamped) in cases {
            let device = try Device(1)
            device.replica.observe(serverTime: server, localTime: local, roundTrip: roundTrip)
            try device.write(at: 10_000) { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
            #expect(
                try device.pending().map(\.stamp.time) == [stamped << 16], "server \(server), round trip \(roundTrip)")
        }
    }

    @Test("stamps of one device always ascend, whatever its wall clock does, and follow what it has seen")
    func clock() throws {
        let device = try Device(1)
        for (id, time) in [(1, 5_000), (2, 4_000), (3, 4_000), (4, 6_000)] as [(Int64, UInt64)] {
            try device.write(at: time) { _ = try $0.table("Note")!.create(.int(id), row: row(id)) }
        }
        let times = try device.pending().map(\.stamp.time)
        #expect(times == times.sorted() && Set(times).count == times.count)
        #expect(times[3] == 6_000 << 16)

        let seen = Stamp(time: 9_000 << 16, client: ClientID(2))
        let state = ObjectState(life: 1, fields: [.init("age", .int(3), stamp: seen)], born: seen)
        try device.apply(
            ViewChange(
                messages: [.enter(person("Ada"), state)], acknowledged: 0, version: ServerVersion(1), view: .everything)
        )
        try device.write(at: 6_001) { transaction in
            let people = transaction.table("Person")!
            people.set(people.key(for: .string("Ada"))!, Column.age, .int(4))
        }
        #expect(try device.pending().last!.stamp > seen)
        // The largest stamp there is neither traps nor stops the device.
        let last = Stamp(time: .max, client: ClientID(2))
        let end = ObjectState(life: 1, fields: [.init("age", .int(3), stamp: last)], born: last)
        try device.apply(
            ViewChange(
                messages: [.enter(person("Bob"), end)], acknowledged: 0, version: ServerVersion(2), view: .everything))
        try device.write { _ = try $0.table("Note")!.create(.int(9), row: row(9)) }
        #expect(try device.visible[note(9)] != nil)
    }

    @Test("a clock that is set far back after it was compared reads as 1970, and does not wrap around")
    func clockSetFarBack() throws {
        let device = try Device(1)
        // The clock was ahead by a century when it was compared, and is set right.
        device.replica.observe(serverTime: 1_000_000, localTime: 4_000_000_000_000)
        try device.write(at: 1_000_000) { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
        #expect(try device.pending().map(\.stamp.time) == [1])
        // And it goes on by the right time once it is compared again.
        device.replica.observe(serverTime: 1_000_000, localTime: 1_000_000)
        try device.write(at: 1_000_000) { _ = try $0.table("Note")!.create(.int(2), row: row(2)) }
        #expect(try device.pending().last?.stamp.time == 1_000_000 << 16)
    }

    @Test("whatever clocks say, a device's stamps ascend and do not run out, and one that was ahead stays ahead")
    func clocksOfAnyReading() throws {
        let device = try Device(1)
        let readings: [UInt64] = [0, 5_000, 4_070_908_800_000, 5_000, UInt64(Int64.max), 5_000]
        for serverTime in [UInt64.min, 5_000, .max >> 1, .max] {
            for reading in readings {
                device.replica.observe(serverTime: serverTime, localTime: reading, roundTrip: serverTime)
                try device.write(at: reading) { transaction in
                    _ = try transaction.table("Note")!.create(.int(Int64(device.state.lastSequence)), row: row(1))
                }
            }
        }
        let times = try device.pending().map(\.stamp.time)
        #expect(times.count == 24 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times.last! >> 16 <= Stamp.wallMillisecondsMax)
    }

    @Test("what is pending comes in order, after a number, and within a limit of its bytes but at least one")
    func pending() throws {
        let device = try Device(1)
        for id in 0..<5 as Range<Int64> {
            try device.write { _ = try $0.table("Note")!.create(.int(id), row: row(id)) }
        }
        func sequences(after: UInt64, limit: Int) throws -> [UInt64] {
            try device.read { try device.replica.pending(in: $0, after: after, limitBytes: limit).map(\.sequence) }
        }
        #expect(try sequences(after: 0, limit: .max) == [1, 2, 3, 4, 5])
        #expect(try sequences(after: 3, limit: .max) == [4, 5])
        #expect(try sequences(after: 3, limit: 1) == [4])
        #expect(try sequences(after: 5, limit: 1) == [])
        let batch = try device.read { try device.replica.pendingBatch(in: $0, after: 0, limitBytes: .max) }
        #expect(try sequences(after: 0, limit: batch.sizeBytes) == [1, 2, 3, 4, 5])
        #expect(try sequences(after: 0, limit: batch.sizeBytes - 1) == [1, 2, 3, 4])
    }

    @Test("a batch holds no more operations than the server takes at once, unless one changeset alone does")
    func pendingOperations() throws {
        let device = try Device(1)
        for (first, count) in [(0, 1), (10, 3), (20, 9), (30, 2), (40, 2)] as [(Int64, Int64)] {
            try device.write { transaction in
                for id in first..<first + count { _ = try transaction.table("Note")!.create(.int(id), row: row(id)) }
            }
        }
        func sequences(after: UInt64) throws -> [UInt64] {
            try device.read {
                try device.replica.pendingBatch(in: $0, after: after, limitBytes: .max, operationsMax: 4)
                    .changesets.map(\.sequence)
            }
        }
        #expect(try sequences(after: 0) == [1, 2])
        #expect(try sequences(after: 2) == [3])
        #expect(try sequences(after: 3) == [4, 5])
    }

    @Test("bookkeeping that is damaged is an error that says so")
    func damage() throws {
        let device = try Device(1)
        try device.write { _ = try $0.table("Note")!.create(.int(1), row: row(1)) }
        let transaction = try device.store.write()
        transaction.tree("sync.log").put([0, 0, 0, 0, 0, 0, 0, 1], [1, 200, 3])
        _ = try transaction.commit()
        transaction.end()
        #expect { try device.pending() } throws: { ($0 as? StoreError)?.code == .damaged }
    }
}
