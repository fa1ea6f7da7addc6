import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

@Suite("What the server takes in no form")
struct SettingAsideTests {
    private func create(_ id: Int64, _ title: String, on device: Device) throws {
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.set(try notes.create(.int(id)), Column.title, .string(title))
        }
    }

    private func writing<Result>(_ device: Device, _ body: (Transaction) throws -> Result) throws -> Result {
        let transaction = try device.store.write()
        defer { transaction.end() }
        let result = try body(transaction)
        _ = try transaction.commit()
        return result
    }

    private func setAside(_ sequence: UInt64, on device: Device) throws -> [QuarantinedChange] {
        try writing(device) {
            try device.replica.setAside(sequence, code: 302, reason: "too large", in: $0, now: 9)
        }
    }

    @Test("a changeset leaves an empty one under its number; what others wrote and wrote later stays")
    func changeset() throws {
        let device = try Device(1)
        try create(1, "one", on: device)
        try create(2, "two", on: device)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.set(notes.key(for: .int(1))!, Column.title, .string("changed"))
            _ = try notes.create(.int(3))
        }
        try device.write { transaction in
            let notes = transaction.table("Note")!
            for id in [1, 3] { notes.set(notes.key(for: .int(Int64(id)))!, Column.count, .int(7)) }
        }
        let sent = try device.pending()
        let changes = try setAside(3, on: device)
        #expect(changes.map(\.operations) == [sent[2].operations])
        #expect(changes.map(\.code) == [302] && changes.map(\.time) == [9])
        #expect(
            try device.pending().map(\.operations) == [sent[0].operations, sent[1].operations, [], sent[3].operations])
        #expect(try device.visible[note(1)]?.fields["title"] == .string("one"))
        #expect(try device.visible[note(1)]?.fields["count"] == .int(7))
        // What stands on the refused creation goes with it; the server will refuse it by itself.
        #expect(try Set(device.visible.keys) == [note(1), note(2)])
        // Twice is once, and what is acknowledged cannot be taken back.
        #expect(try setAside(3, on: device).isEmpty)
        try device.apply(
            ViewChange(messages: [], acknowledged: 4, version: ServerVersion(4), view: .everything))
        #expect(try setAside(2, on: device).isEmpty)
        #expect(try device.visible[note(1)]?.fields["count"] == .int(7))
        #expect(try Set(device.visible.keys) == [note(1), note(2)])
        #expect(try device.bookkeeping("sync.bases") == 0)
        #expect(try device.read { try Replica.quarantined(in: $0).count } == 1)
    }

    /// The server never had the end that was set aside, and refused the life after it: the object lives on as it was.
    @Test("an end that is submitted again does not bring back the life that was refused after it")
    func endThenLifeRefused() throws {
        let device = try Device(1)
        try create(1, "one", on: device)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        try create(1, "again", on: device)
        let end = try setAside(2, on: device)
        try leave(refusing: 3, on: device)
        #expect(try device.visible.isEmpty)

        #expect(try writing(device) { try device.replica.submitQuarantined(end[0].number, in: $0, now: 10) })
        #expect(try device.pending().map(\.operations) == [[.delete(note(1), life: 2)]])
        #expect(try device.visible.isEmpty)
        try device.apply(ViewChange(messages: [], acknowledged: 4, version: ServerVersion(4), view: .everything))
        #expect(try device.visible.isEmpty)
    }

    /// The server may have joined the new life into the old one. Then the old end would end it there, and not here.
    @Test("an end that is submitted again after the object was made again is left out")
    func endBeforeLaterLife() throws {
        let device = try Device(1)
        try create(1, "one", on: device)
        try device.write { transaction in
            let notes = transaction.table("Note")!
            notes.delete(notes.key(for: .int(1))!, leavingGhost: true)
        }
        try create(1, "again", on: device)
        let end = try setAside(2, on: device)
        #expect(end.map(\.operations) == [[.delete(note(1), life: 2)]])
        let sent = try device.pending()

        #expect(try writing(device) { try device.replica.submitQuarantined(end[0].number, in: $0, now: 10) })
        #expect(try device.pending() == sent)
        #expect(try device.read { try Replica.quarantined(in: $0) }.isEmpty)
        #expect(try device.visible[note(1)]?.fields["title"] == .string("again"))
        // Nothing about it is pending any more when the server says that it is out of view.
        try device.apply(
            ViewChange(
                messages: [.leave(note(1))], acknowledged: 3, version: ServerVersion(4), view: .everything))
        #expect(try device.visible.isEmpty)
    }

    @Test("a life that was refused leaves the end before it known: the next create begins the same life")
    func endOutlastsRefusedLife() throws {
        let device = try Device(1)
        try device.apply(
            ViewChange(
                messages: [.delete(note(1), life: 2)], acknowledged: 0, version: ServerVersion(1), view: .everything))
        try create(1, "again", on: device)
        try leave(refusing: 1, on: device)
        try create(1, "once more", on: device)
        let creates = try device.pending().flatMap(\.operations).compactMap { operation -> UInt32? in
            if case .create(_, let life, _) = operation { life } else { nil }
        }
        #expect(creates == [3])
    }

    /// Applies a change that acknowledges everything, refuses the first operation of the last changeset, and says that the
    /// note is out of view.
    private func leave(refusing sequence: UInt64, on device: Device) throws {
        try writing(device) { transaction in
            let view = try device.replica.beginApplying(acknowledged: sequence, in: transaction)
            view.refuse([OperationRefusal(sequence: sequence, operation: 0, code: 103, reason: "not yours")])
            try view.leave(note(1))
            try view.finish(epoch: 1, version: ServerVersion(sequence), querySet: 1)
        }
    }

    @Test("of a one-way entry only what is refused goes, and comes back as an entry of its own")
    func oneWay() throws {
        let device = try Device(1)
        try device.write { transaction in
            for id in 1...3 { _ = try transaction.table("Reading")!.create(.int(Int64(id))) }
        }
        func entries() throws -> [[Operation]] {
            try device.read {
                try device.replica.pendingOneWay(in: $0, after: 0, limitBytes: .max)?.entries ?? []
            }
        }
        let sent = try entries()[0]
        let refused = OperationRefusal(sequence: 1, operation: 1, code: 103, reason: "not yours")
        let changes = try writing(device) {
            try device.replica.setAsideOneWay([refused], in: $0, now: 9)
        }
        #expect(changes.map(\.operations) == [[sent[1]]] && changes.map(\.code) == [103])
        #expect(try entries() == [[sent[0], sent[2]]])
        #expect(try writing(device) { try device.replica.submitQuarantined(changes[0].number, in: $0, now: 10) })
        #expect(try entries() == [[sent[0], sent[2]], [sent[1]]])
        #expect(try device.pending().isEmpty)
        let rest = try writing(device) {
            try device.replica.setAsideOneWay(1, code: 302, reason: "too large", in: $0, now: 9)
        }
        #expect(rest.map(\.operations) == [[sent[0], sent[2]]])
        #expect(try entries() == [[], [sent[1]]])
    }
}
