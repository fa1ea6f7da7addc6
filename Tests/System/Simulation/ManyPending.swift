import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewaySeeds
import CausewaySession
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import CausewayWire
import Foundation

/// What many transactions cost that a device made offline: real files and the real merging on both ends, called directly.
///
/// Half of them are about one object. The others change one that is there, or make one and change it later. Meanwhile
/// another device changes the one object and a hundredth of the others. Then the file is opened again, everything is uploaded
/// in batches and merged, and both ends must hold the same.
struct ManyPending {
    let count: Int
    /// What one upload carries.
    let batchBytes: Int
    /// Longer it must not take; nil: nobody asks.
    let within: Duration?

    private static let user = "u"
    private static let time: UInt64 = 1_700_000_000_000
    private static let all = QuerySet(
        version: 1, queries: ["Item", "Ledger"].map { StandingQuery(className: $0, predicate: "TRUEPREDICATE") })

    /// The steps with the time of each, in words.
    func run(say: (String) -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-pending-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: folder + "/server", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try StoreEmbedded.open(folder: folder + "/server", options: .init(), epochSeed: 7)
        try server.extendSchema(SimulationSchema.schema)
        let path = folder + "/device.causeway"
        var device: Device? = try Device(path, client: 1)
        let other = try Device(folder + "/other.causeway", client: 2)
        try begin(other, server)
        if let device { try sync(device, server) }

        var total = Duration.zero
        func step(_ name: String, _ body: () throws -> Void) rethrows {
            let took = try ContinuousClock().measure(body)
            total += took
            say("\(name): \(took.formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow)))")
        }
        try step("\(count) transactions written offline") {
            for number in 0..<count { try device?.write(at: Self.time + UInt64(number)) { try write(number, in: $0) } }
        }
        try changeMeanwhile(other, server)
        device = nil
        var reopened: Device?
        try step("opened again") { reopened = try Device(path, client: 1) }
        guard let reopened else { return }
        try step("uploaded and merged with what others did") { try sync(reopened, server) }
        say("in all: \(total.formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow)))")
        say("changesets and notes about them that were read from the log: \(reopened.replica.work.recordsRead)")
        if let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let peak = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM") })
        {
            say("most memory held, both ends together: \(peak.dropFirst(6).trimmingCharacters(in: .whitespaces))")
        }
        try sync(other, server)
        guard try reopened.isSettled, try reopened.content() == other.content() else {
            throw Divergence("the two devices differ after everything was merged")
        }
        if let within, total > within { throw Divergence("that took \(total), which is more than \(within)") }
    }

    // MARK: - What is written

    /// The one object is 0; there are as many others as transactions change.
    private func begin(_ other: Device, _ server: StoreEmbedded) throws {
        try other.write(at: Self.time - 1_000) { transaction in
            guard let items = transaction.table("Item") else { return }
            for number in 0...count / 4 { _ = try items.create(.int(Int64(number))) }
        }
        try sync(other, server)
    }

    private func write(_ number: Int, in transaction: Transaction) throws {
        guard let items = transaction.table("Item"), let ledgers = transaction.table("Ledger"),
            let count = items.schema.index(of: "count"), let name = items.schema.index(of: "name"),
            let likes = items.schema.index(of: "likes"), let n = ledgers.schema.index(of: "n")
        else { return }
        func item(_ key: Int) -> ObjectKey? { items.key(for: .int(Int64(key))) }
        func entry(_ key: Int) -> PrimaryKey { .string("entry \(key)") }
        switch number % 8 {
        case 1, 5: if let key = item(1 + number / 4) { items.set(key, name, .string("mine \(number)")) }
        case 3: ledgers.set(try ledgers.create(entry(number)), n, .int(1))
        case 7: if let key = ledgers.key(for: entry(number - 4)) { ledgers.set(key, n, .int(2)) }
        case 2: if let key = item(0) { items.add(1, to: key, likes) }
        default: if let key = item(0) { items.set(key, count, .int(Int64(number))) }
        }
    }

    private func changeMeanwhile(_ other: Device, _ server: StoreEmbedded) throws {
        for number in stride(from: 0, through: count / 4, by: 100) {
            try other.write(at: Self.time + UInt64(count + number)) { transaction in
                guard let items = transaction.table("Item"), let name = items.schema.index(of: "name"),
                    let note = items.schema.index(of: "note"), let hot = items.key(for: .int(0)),
                    let key = items.key(for: .int(Int64(number)))
                else { return }
                items.set(hot, note, .string("theirs \(number)"))
                items.set(key, name, .string("theirs"))
            }
        }
        try sync(other, server)
    }

    // MARK: - Up and down

    /// Until the device has nothing that the server lacks, and everything that it has.
    private func sync(_ device: Device, _ server: StoreEmbedded) throws {
        _ = try server.register(device.replica.client, user: Self.user)
        try download(device, server)
        while true {
            let sent = try device.state.acknowledged
            let pending = try device.read {
                try device.replica.pending(in: $0, after: sent, limitBytes: batchBytes)
            }
            guard !pending.isEmpty else { return }
            let batch = UploadBatch(
                client: device.replica.client, user: Self.user,
                changesets: try Changeset.decode(Changeset.encode(pending)))
            let outcome = try server.commit([batch], receivedAt: Self.time + UInt64(2 * count))[0]
            if let failure = outcome.failure { throw Divergence("the server refuses: \(failure.message)") }
            try download(device, server)
        }
    }

    private func download(_ device: Device, _ server: StoreEmbedded) throws {
        let state = try device.state
        let difference = try ViewDifference(
            server.snapshot(), from: state.version, held: state.version == .zero ? [] : Self.all.texts,
            wanted: Self.all.texts, for: device.replica.client, acknowledged: state.acknowledged)
        let checkpoint = difference.checkpoint(epoch: server.epoch, querySet: 1, permissions: 0)
        var parts: [ViewChunk] = []
        var isLast = false
        while !isLast {
            let part = try difference.next(bytesMax: 1 << 20)
            isLast = part.isLast
            let message = DownloadMessage.changes(ViewChunk(part, of: difference, to: checkpoint))
            guard case .changes(let chunk) = try WireCodec.decode(DownloadMessage.self, body: WireCodec.encode(message))
            else { continue }
            parts.append(chunk)
        }
        try device.apply(parts, checkpoint)
    }

    /// A file of a device.
    private final class Device {
        let store: ObjectStore
        let replica: Replica

        init(_ path: String, client: UInt64) throws {
            store = try ObjectStore.open(path: path, options: .init())
            let transaction = try store.write()
            defer { transaction.end() }
            try transaction.extendSchema(SimulationSchema.schema.withNestedCollections)
            replica = try Replica.open(in: transaction, newClient: ClientID(client))
            _ = try transaction.commit(.relaxed)
        }

        var state: ReplicaState { get throws { try read { try replica.state(in: $0) } } }

        var isSettled: Bool { get throws { try state.isSettled } }

        func read<R>(_ body: (Transaction) throws -> R) throws -> R {
            let transaction = try store.read()
            defer { transaction.end() }
            return try body(transaction)
        }

        func write(at time: UInt64, _ body: (Transaction) throws -> Void) throws {
            let transaction = try store.write()
            defer { transaction.end() }
            try body(transaction)
            try replica.record(in: transaction, now: time)
            _ = try transaction.commit(.relaxed)
        }

        func apply(_ parts: [ViewChunk], _ checkpoint: Checkpoint) throws {
            let transaction = try store.write()
            defer { transaction.end() }
            let application = try replica.beginApplying(
                acknowledged: checkpoint.acknowledged, in: transaction, now: ManyPending.time)
            application.refuse(parts)
            try application.show(parts)
            try application.finish(
                epoch: checkpoint.epoch, version: checkpoint.version, querySet: checkpoint.querySet,
                incarnation: checkpoint.incarnation)
            _ = try transaction.commit(.relaxed)
        }

        func content() throws -> [[PrimaryKey: Picture]] {
            try read { transaction in ["Item", "Ledger"].map { transaction.pictures($0) } }
        }
    }
}
