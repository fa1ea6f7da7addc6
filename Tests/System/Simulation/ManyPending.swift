import CausewayMeasuring
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayStoreEmbedded
import CausewaySync
import CausewaySyncedFile
import CausewayWire
import Foundation

/// What many transactions cost that a device made offline: real files, and the product on both ends without a network.
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

    private static let time: UInt64 = 1_700_000_000_000
    private static let all = ["Item", "Ledger"].map { StandingQuery(className: $0, predicate: "TRUEPREDICATE") }

    /// The steps with the time of each, in words.
    func run(say: (String) -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("causeway-pending-\(ProcessInfo.processInfo.processIdentifier)").path
        try FileManager.default.createDirectory(atPath: folder + "/server", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = LoopbackServer(
            try StoreEmbedded.open(folder: folder + "/server", options: .init(), epochSeed: 7), now: Self.time)
        let path = folder + "/device.causeway"
        var offline: LoopbackDevice? = try device(path)
        let other = try device(folder + "/other.causeway")
        for device in [offline, other] { try device?.subscribe(Self.all) }
        try begin(other, server)
        try offline?.sync(with: server)

        var total = Duration.zero
        func step(_ name: String, _ body: () throws -> Void) rethrows {
            let took = try ContinuousClock().measure(body)
            total += took
            say("\(name): \(took.formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow)))")
        }
        try step("\(count) transactions written offline") {
            for number in 0..<count { try offline?.write(at: Self.time + UInt64(number)) { try write(number, in: $0) } }
        }
        try changeMeanwhile(other, server)
        offline = nil
        server.now = Self.time + UInt64(2 * count)
        var reopened: LoopbackDevice?
        try step("opened again") { reopened = try device(path) }
        guard let reopened else { return }
        try step("uploaded and merged with what others did") { try reopened.sync(with: server) }
        say("in all: \(total.formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow)))")
        say("changesets and notes about them that were read from the log: \(reopened.file.replica.work.recordsRead)")
        if let peak = try? PeakMemory.bytes() { say("most memory held, both ends together: \(peak / 1_024) kB") }
        try other.sync(with: server)
        guard try content(reopened) == content(other) else {
            throw Divergence("the two devices differ after everything was merged")
        }
        if let within, total > within { throw Divergence("that took \(total), which is more than \(within)") }
    }

    // MARK: - What is written

    /// The one object is 0; there are as many others as transactions change.
    private func begin(_ other: LoopbackDevice, _ server: LoopbackServer) throws {
        try other.write(at: Self.time - 1_000) { transaction in
            guard let items = transaction.table("Item") else { return }
            for number in 0...count / 4 { _ = try items.create(.int(Int64(number))) }
        }
        try other.sync(with: server)
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

    private func changeMeanwhile(_ other: LoopbackDevice, _ server: LoopbackServer) throws {
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
        try other.sync(with: server)
    }

    // MARK: - A device

    private func device(_ path: String) throws -> LoopbackDevice {
        var limits = ConversationLimits()
        limits.uploadBytes = batchBytes
        let store = try ObjectStore.open(path: path, options: .init())
        return try LoopbackDevice(store, schema: SimulationSchema.schema, now: Self.time, limits: limits)
    }

    private func content(_ device: LoopbackDevice) throws -> [[PrimaryKey: Picture]] {
        try device.read { transaction in ["Item", "Ledger"].map { transaction.pictures($0) } }
    }
}
