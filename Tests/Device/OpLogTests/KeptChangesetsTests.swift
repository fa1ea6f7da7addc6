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
        refused: [RefusedOperation] = []
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
            RefusedOperation(sequence: 1, operation: 0, code: 307, reason: "odd"),
            RefusedOperation(sequence: 1, operation: 2, code: 103, reason: "forbidden"),
            // Of another time: it is not what this change acknowledges.
            RefusedOperation(sequence: 2, operation: 0, code: 307, reason: "odd"),
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
                2, device, refused: [RefusedOperation(sequence: 2, operation: 0, code: 307, reason: "odd")]
            ).map(\.number) == [3])
    }
}
