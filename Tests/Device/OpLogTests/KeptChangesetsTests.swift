import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

@Suite("What a device keeps of what was acknowledged")
struct KeptChangesetsTests {
    private func note(_ id: Int64) -> ObjectReference { ObjectReference("Note", .int(id)) }

    private func create(_ id: Int64, _ device: Device, title: String = "a") throws {
        try device.write { transaction in
            let table = transaction.table("Note")!
            let key = try table.create(.int(id))
            table.set(key, table.schema.index(of: "title")!, .string(title))
        }
    }

    /// The server's word that it has everything up to a changeset.
    @discardableResult
    private func acknowledge(
        _ sequence: UInt64, _ device: Device, at now: UInt64 = 0, limits: KeptLimits = .standard,
        refused: [OperationRefusal] = []
    ) throws -> [QuarantinedChange] {
        let transaction = try device.store.write()
        defer { transaction.end() }
        let view = try device.replica.beginApplying(
            acknowledged: sequence, in: transaction, now: now, keeping: limits)
        view.refuse(refused)
        try view.finish(epoch: 1, version: ServerVersion(sequence), querySet: 1)
        _ = try transaction.commit()
        return view.quarantined
    }

    private func refill(_ device: Device, after sequence: UInt64) throws {
        let transaction = try device.store.write()
        defer { transaction.end() }
        try device.replica.refill(after: sequence, in: transaction)
        _ = try transaction.commit()
    }

    private func oldest(_ device: Device) throws -> UInt64 {
        try device.read { try device.replica.oldestChangeset(in: $0) }
    }

    @Test("names the run of the server that made its base, from the log and once more after a restore")
    func runs() throws {
        let device = try Device(1)
        func acknowledge(_ sequence: UInt64, of run: UInt64) throws {
            let transaction = try device.store.write()
            defer { transaction.end() }
            let view = try device.replica.beginApplying(acknowledged: sequence, in: transaction, now: 0)
            try view.finish(epoch: 1, version: ServerVersion(sequence), querySet: 1, incarnation: run)
            _ = try transaction.commit()
        }
        try create(1, device)
        try acknowledge(1, of: 8)
        try create(2, device)
        try create(3, device)
        try acknowledge(2, of: 9)
        try create(4, device)
        // A batch holds those of one run.
        #expect(try device.pending(after: 2).map(\.run) == [8] && device.pending(after: 3).map(\.run) == [9])
        try refill(device, after: 0)
        try create(5, device)
        #expect(try device.pending().map(\.run) == [0])
        #expect(try device.pending(after: 1).map(\.run) == [8, 8] && device.pending(after: 3).map(\.run) == [9, 9])
        #expect(try device.pending().map(\.base) == [.zero] && device.pending(after: 4).map(\.base) == [.zero])
    }

    @Test("becomes pending again as it was, in front of what is pending, and the app sees no difference")
    func refilling() throws {
        let device = try Device(1)
        for id in 1...3 { try create(Int64(id), device) }
        let sent = try device.pending()
        try acknowledge(3, device)
        try create(4, device)
        let visible = try device.visible
        #expect(try device.pending().map(\.sequence) == [4] && oldest(device) == 1)
        try refill(device, after: 1)
        #expect(try Array(device.pending().prefix(2)) == Array(sent.dropFirst()))
        #expect(try device.pending().map(\.sequence) == [2, 3, 4])
        #expect(try device.visible == visible)
        #expect(try device.state.acknowledged == 1 && device.state.version == .zero && oldest(device) == 1)
        // The older server has an older first note and nothing of the others.
        var older = ObjectState(life: 1)
        older.fields = [ObjectState.Field("title", .string("older"), stamp: .zero)]
        try device.apply(
            ViewChange(
                messages: [.enter(note(1), older)], acknowledged: 1, version: ServerVersion(1), view: .everything))
        #expect(try device.visible[note(1)]?.fields["title"] == .string("older"))
        #expect(try device.visible.keys.count == 4)
        try acknowledge(4, device)
        #expect(try device.visible.keys.count == 4 && device.pending().isEmpty)
        #expect(try device.bookkeeping("sync.bases") == 0)
    }

    @Test("leaves an object that has ended and is created again, though its end is pending again in front of that")
    func createdAgain() throws {
        let device = try Device(1)
        try create(1, device)
        try device.write { transaction in
            let table = transaction.table("Note")!
            table.delete(table.key(for: .int(1))!, leavingGhost: true)
        }
        try acknowledge(2, device)
        try create(1, device, title: "again")
        try refill(device, after: 1)
        // The server has the first life, then its end, then the second life.
        for sequence in 1...3 {
            try acknowledge(UInt64(sequence), device)
            #expect(try device.visible[note(1)]?.fields["title"] == .string("again"))
        }
        #expect(try device.pending().isEmpty && device.bookkeeping("sync.bases") == 0)
    }

    @Test("brings back an object that the lost server had ended, with the embedded object that went with it")
    func endedByTheLostServer() throws {
        let device = try Device(1)
        try create(1, device)
        try acknowledge(1, device)
        var home = ObjectReference("Address", .null)
        try device.write { transaction in
            let (notes, addresses) = (transaction.table("Note")!, transaction.table("Address")!)
            home.key = try device.replica.container(in: transaction)
            let address = try addresses.create(home.key)
            addresses.set(address, Column.city, .string("Ulm"))
            notes.set(notes.key(for: .int(1))!, Column.home, .object(address))
        }
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.set(notes.key(for: .int(1))!, Column.title, .string("b"))
        }
        try device.apply(
            ViewChange(
                messages: [.delete(note(1), life: 2)], acknowledged: 1, version: ServerVersion(2), view: .everything))
        #expect(try device.visible.isEmpty)
        // The server that was restored knows no end. What it takes of this device one by one stands there.
        try refill(device, after: 0)
        for sequence in 1...3 { try acknowledge(UInt64(sequence), device) }
        let visible = try device.visible
        #expect(visible[note(1)]?.fields["title"] == .string("b"))
        #expect(visible[note(1)]?.fields["home"] == .link(home.key))
        #expect(visible[home]?.fields["city"] == .string("Ulm"))
        #expect(try device.pending().isEmpty && device.bookkeeping("sync.bases") == 0)
    }

    @Test("is bounded by age and size, goes oldest first, and never has a hole")
    func bounds() throws {
        let device = try Device(1)
        let limits = KeptLimits(milliseconds: 1_000, bytes: 600, removalsAtOnce: 2)
        for id in 1...4 {
            try create(Int64(id), device)
            try acknowledge(UInt64(id), device, at: 5_000 + UInt64(id), limits: limits)
        }
        #expect(try oldest(device) == 1)
        try create(5, device, title: String(repeating: "x", count: 400))
        try acknowledge(5, device, at: 5_010, limits: limits)
        let first = try oldest(device)
        #expect(first > 1 && first <= 5)
        // One that is too large by itself is not kept, nor is anything before it.
        var random: UInt64 = 1
        let noise = String(
            (0..<2_000).map { _ in
                random = random &* 6_364_136_223_846_793_005 &+ 1
                return Character(Unicode.Scalar(UInt8(33 + (random >> 33) % 90)))
            })
        try create(6, device, title: noise)
        try acknowledge(6, device, at: 5_020, limits: limits)
        #expect(try oldest(device) == 7)
        try create(7, device)
        try acknowledge(7, device, at: 5_030, limits: limits)
        #expect(try oldest(device) == 7)
        // Nothing is kept for longer than it may be.
        try create(8, device)
        try acknowledge(8, device, at: 9_000, limits: limits)
        #expect(try oldest(device) == 8)
        #expect(throws: StoreError.self) { try refill(device, after: 5) }
        #expect(try device.state.acknowledged == 8)
        try refill(device, after: 7)
        #expect(try device.pending().map(\.sequence) == [8])
    }

    private static let day: UInt64 = 86_400_000
    private static let minute: UInt64 = 60_000
    /// A wrong clock reads the year 2099, or 1970.
    private static let (now, far): (UInt64, UInt64) = (1_750_000_000_000, 4_080_000_000_000)

    /// Each acknowledgement is of one more changeset.
    private func acknowledge(_ device: Device, _ times: UInt64...) throws {
        for time in times {
            let next = try device.state.lastSequence + 1
            try create(Int64(next), device)
            try acknowledge(next, device, at: time)
        }
    }

    @Test("stays when the clock is wrong for a while, before or after what it should read")
    func wrongClock() throws {
        let device = try Device(1)
        let (now, far) = (Self.now, Self.far)
        try acknowledge(device, now, far, now + 1_000, 5, now + 2_000, far, 6, now + 3_000)
        #expect(try oldest(device) == 1)
        // Believed, it takes one day; and so when it comes right again.
        try acknowledge(device, far, far + 10 * Self.minute, far + 20 * Self.minute)
        #expect(try oldest(device) == 1)
        try acknowledge(device, now + 4_000, now + 11 * Self.minute, now + 12 * Self.minute)
        #expect(try oldest(device) == 1)
        // What a server lost then is there.
        try refill(device, after: 0)
        #expect(try device.pending().map(\.sequence) == Array(1...14))
    }

    @Test("goes after seven days of a clock that goes on, and of one that leapt and then goes on")
    func oldAge() throws {
        let device = try Device(1)
        for start in [Self.now, Self.far] {
            let first = try device.state.lastSequence + 1
            for day in 0..<7 { try acknowledge(device, start + UInt64(day) * Self.day) }
            #expect(try oldest(device) <= first)
            try acknowledge(device, start + 7 * Self.day - Self.minute)
            #expect(try oldest(device) <= first)
            try acknowledge(device, start + 7 * Self.day + Self.minute)
            #expect(try oldest(device) > first)
        }
    }

    @Test("of a device that is seldom connected goes in the end")
    func seldom() throws {
        let device = try Device(1)
        for month in 0..<9 {
            let start = Self.now + UInt64(month) * 30 * Self.day
            try acknowledge(device, start, start + 11 * Self.minute)
        }
        #expect(try oldest(device) > 1)
    }

    @Test("of an earlier version, which knew the clock's readings alone, is not let go by a wrong one either")
    func earlierVersion() throws {
        let device = try Device(1)
        try acknowledge(device, Self.now, Self.now + 1)
        let transaction = try device.store.write()
        transaction.tree("sync.kept").remove([0, 0])
        _ = try transaction.commit()
        transaction.end()
        try acknowledge(device, Self.far, Self.now + 2)
        #expect(try oldest(device) == 1)
        for day in 1...8 { try acknowledge(device, Self.now + UInt64(day) * Self.day) }
        #expect(try oldest(device) > 2)
    }

    @Test("does not have what was refused: that goes to the quarantine, once for each reason")
    func refused() throws {
        let device = try Device(1)
        try device.write { transaction in
            let table = transaction.table("Note")!
            for id in 1...3 {
                let key = try table.create(.int(Int64(id)))
                table.set(key, table.schema.index(of: "title")!, .string("a"))
            }
        }
        let operations = try #require(try device.pending().first?.operations)
        let refused = [
            OperationRefusal(sequence: 1, operation: 0, code: 307, reason: "odd"),
            OperationRefusal(sequence: 1, operation: 2, code: 103, reason: "forbidden"),
            // Of another time: it is not what this change acknowledges.
            OperationRefusal(sequence: 2, operation: 0, code: 307, reason: "odd"),
        ]
        let changes = try acknowledge(1, device, at: 77, refused: refused)
        #expect(changes.map(\.operations) == [[operations[0]], [operations[2]]])
        #expect(changes.map(\.code) == [307, 103] && changes.map(\.time) == [77, 77])
        #expect(try device.read { try Replica.quarantined(in: $0) } == changes)
        #expect(try Array(device.visible.keys) == [operations[1].target])
        try refill(device, after: 0)
        #expect(try device.pending().map(\.operations) == [[operations[1]]])

        let transaction = try device.store.write()
        #expect(try device.replica.submitQuarantined(changes[0].number, in: transaction, now: 5))
        #expect(try !device.replica.submitQuarantined(changes[0].number, in: transaction, now: 5))
        Replica.dropQuarantined(changes[1].number, in: transaction)
        _ = try transaction.commit()
        transaction.end()
        #expect(try device.read { try Replica.quarantined(in: $0) }.isEmpty)
        #expect(try device.pending().map(\.sequence) == [1, 2])
        #expect(try Set(device.visible.keys) == [operations[0].target, operations[1].target])
        // A number is never given twice.
        try acknowledge(1, device)
        #expect(
            try acknowledge(
                2, device, refused: [OperationRefusal(sequence: 2, operation: 0, code: 307, reason: "odd")]
            ).map(\.number) == [3])
    }
}
