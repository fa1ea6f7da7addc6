import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import Testing

/// What transactions and messages read of the log when much is pending: as much as they are about.
@Suite struct ManyPendingTests {
    private let stamp = Stamp(time: 10 << 16, client: ClientID(9))

    private func state(_ title: String, count: Int64 = 0) -> ObjectState {
        ObjectState(
            life: 1,
            fields: [
                .init("author", .null, stamp: stamp), .init("count", .int(count), stamp: stamp),
                .init("done", .bool(false), stamp: stamp), .init("home", .null, stamp: stamp),
                .init("title", .string(title), stamp: stamp),
            ], born: stamp)
    }

    private func apply(
        _ device: Device, _ messages: [ViewMessage], acknowledged: UInt64 = 0, version: UInt64
    ) throws {
        try device.apply(
            ViewChange(
                messages: messages, acknowledged: acknowledged, version: ServerVersion(version), view: .everything))
    }

    private func work(_ device: Device, _ body: () throws -> Void) rethrows -> Int {
        let before = device.replica.work.recordsRead
        try body()
        return device.replica.work.recordsRead - before
    }

    /// Half of so many transactions are about one note, the others each about one that is there, or make one and change it
    /// in the next.
    private func write(_ count: Int, on device: Device) throws {
        for number in 0..<count {
            try device.write(at: 1_000 + UInt64(number)) { transaction in
                let notes = transaction.table("Note")!
                switch number % 4 {
                case 0, 2: notes.set(notes.key(for: .int(0))!, Column.count, .int(Int64(number)))
                case 1 where number % 8 == 1: _ = try notes.create(.int(Int64(1_000_000 + number)))
                case 3 where number % 8 == 3:
                    notes.set(notes.key(for: .int(Int64(1_000_000 + number - 2)))!, Column.count, .int(1))
                default: notes.set(notes.key(for: .int(Int64(number)))!, Column.title, .string("mine"))
                }
            }
        }
    }

    private func device(notes count: Int) throws -> Device {
        let device = try Device(1)
        try apply(device, (0..<count).map { .enter(note(Int64($0)), state("a")) }, version: 1)
        return device
    }

    @Test("writing reads nothing of the log, and acknowledging reads what it takes out of it", arguments: [200, 800])
    func linear(count: Int) throws {
        let device = try device(notes: count)
        #expect(try work(device) { try write(count, on: device) } == 0)
        let shown = try device.visible
        for (index, last) in stride(from: 40, through: count, by: 40).enumerated() {
            let read = try work(device) {
                try apply(device, [], acknowledged: UInt64(last), version: 2 + UInt64(index))
            }
            // Each changeset, and the note of what it is about.
            #expect(read <= 2 * 40, "acknowledging \(last - 40)…\(last) of \(count)")
            #expect(try device.visible == shown, "\(last)")
        }
        for tree in ["sync.log", "sync.touched", "sync.bases", "sync.fresh", "sync.due"] {
            #expect(try device.bookkeeping(tree) == 0, "\(tree)")
        }
    }

    @Test("a message reads the pending changesets about its objects and no others")
    func message() throws {
        let count = 400
        let device = try device(notes: count)
        try write(count, on: device)
        // Of one that nothing is pending about, of one that one changeset is about, of one that half of them are.
        #expect(try work(device) { try apply(device, [.update(note(4), state("b"))], version: 2) } == 0)
        #expect(try work(device) { try apply(device, [.update(note(5), state("b", count: 7))], version: 3) } <= 2)
        let hot = try work(device) { try apply(device, [.update(note(0), state("b", count: 7))], version: 4) }
        #expect((count / 2...count).contains(hot))
        let shown = try device.visible
        #expect(shown[note(4)]?.fields["title"] == .string("b"))
        #expect(shown[note(5)]?.fields["title"] == .string("mine") && shown[note(5)]?.fields["count"] == .int(7))
        #expect(shown[note(0)]?.fields["title"] == .string("b"))
        #expect(shown[note(0)]?.fields["count"] == .int(Int64(count - 2)))
    }

    @Test("a refused operation goes from what the app sees, though more is pending about its object")
    func refused() throws {
        let device = try device(notes: 1)
        for (column, value) in [
            (Column.title, Value.string("mine")), (Column.count, .int(5)), (Column.done, .bool(true)),
        ] {
            try device.write { $0.table("Note")!.set($0.table("Note")!.key(for: .int(0))!, column, value) }
        }
        let transaction = try device.store.write()
        let view = try device.replica.beginApplying(acknowledged: 2, in: transaction)
        view.refuse([OperationRefusal(sequence: 1, operation: 0, code: 307, reason: "no")])
        try view.finish(epoch: 1, version: ServerVersion(2), querySet: 1)
        _ = try transaction.commit()
        transaction.end()
        let fields = try device.visible[note(0)]?.fields
        #expect(fields?["title"] == .string("a") && fields?["count"] == .int(5) && fields?["done"] == .bool(true))
        #expect(view.quarantined.count == 1)
    }

    @Test("a log that an earlier build wrote is read once, and then is as one of this build")
    func older() throws {
        let count = 80
        let devices = [try device(notes: count), try device(notes: count)]
        for device in devices { try write(count, on: device) }
        try makeOlder(devices[0])
        let transaction = try devices[0].store.write()
        #expect(try Replica.presence(in: transaction) == .older)
        _ = try Replica.open(in: transaction, newClient: .nobody)
        #expect(try Replica.presence(in: transaction) == .complete)
        _ = try transaction.commit()
        transaction.end()
        for tree in ["sync.touched", "sync.fresh", "sync.due"] {
            let all = try devices.map { try entries(tree, of: $0) }
            // Nobody noted which version an older changeset made.
            let known = tree == "sync.touched" ? all.map { $0.mapValues { Array($0.dropLast()) } } : all
            #expect(known[0] == known[1], "\(tree)")
        }
        for device in devices {
            try apply(device, [.update(note(0), state("b", count: 7))], acknowledged: 30, version: 2)
        }
        #expect(try devices[0].visible == devices[1].visible)
    }

    /// Takes away what the format of the state before did not have.
    private func makeOlder(_ device: Device) throws {
        let touched = try entries("sync.touched", of: device)
        let state = try entries("sync.state", of: device)
        let transaction = try device.store.write()
        defer { transaction.end() }
        for (key, value) in touched {
            // A creation names no other object, the rest one: its number, that of the elements and the version take a
            // byte each.
            let size = value[0] == 0 ? 3 : 2
            transaction.tree("sync.touched").put(key, Array(value.dropLast(size)))
        }
        for name in ["sync.fresh", "sync.due"] { transaction.tree(name).removeRange() }
        for (key, value) in state {
            // Up to the name of the schema.
            var reader = ByteReader(value)
            _ = try reader.readByte()
            _ = try reader.readFixed64()
            for _ in 0..<8 { _ = try reader.readVarint() }
            for _ in 0..<4 { _ = try reader.readFixed64() }
            transaction.tree("sync.state").put(key, [3] + value[1..<reader.offset])
        }
        _ = try transaction.commit()
    }

    private func entries(_ tree: String, of device: Device) throws -> [[UInt8]: [UInt8]] {
        try device.read { transaction in
            var found: [[UInt8]: [UInt8]] = [:]
            transaction.tree(tree).scan { key, value in
                found[Array(key)] = Array(value)
                return true
            }
            return found
        }
    }
}
