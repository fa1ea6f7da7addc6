import CausewayBackup
import CausewayMeasuring
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Synchronization

private typealias Operation = CausewayOperations.Operation
private typealias Row = CausewayMeasuring.Row

/// What a backup costs those who commit meanwhile: small durable commits, one behind the other, alone and while backups of
/// the same database are made.
///
/// The two take turns, so that a busy moment of the machine falls on both.
struct BackupBenchmarks {
    static let group = "backup"

    let folder: URL
    let smoke: Bool

    private var objects: Int { smoke ? 2_000 : 100_000 }
    private var rounds: Int { smoke ? 1 : 5 }
    private static let textBytes = 500
    /// At least this fraction of the commits a second must be left.
    private static let shareLeft = 0.9

    func run(_ report: ([CausewayMeasuring.Row]) -> Void) throws {
        let data = folder.appendingPathComponent("backed-up")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let writer = try Committer(data)
        defer { writer.close() }
        try writer.fill(objects, textBytes: Self.textBytes)
        var (alone, during): ([Rate], [Rate]) = ([], [])
        for round in 0..<rounds {
            let backup = Running(Backup.Source(name: "measured", folder: data.path), round, folder.path)
            during.append(try writer.commit(until: { backup.isOver }))
            if let failure = backup.failure { throw failure }
            // As long as the backup took.
            let end = ContinuousClock.now + .seconds(during[round].seconds)
            alone.append(try writer.commit(until: { ContinuousClock.now >= end }))
        }
        let name = "commits of one object while \(objects) objects of \(Self.textBytes) bytes are backed up"
        report([
            .more(
                Self.group, name, "commits/s", ours: Self.median(during.map(\.perSecond)),
                peer: ("alone", Self.median(alone.map(\.perSecond))), ratioTarget: Self.shareLeft,
                under: Conditions(threads: 2, cache: .hot, runs: rounds, peerRuns: rounds)),
            .less(
                Self.group, "the slowest in a hundred of them", "µs", ours: Self.median(during.map(\.slowMicroseconds)),
                peer: ("alone", Self.median(alone.map(\.slowMicroseconds))),
                under: Conditions(threads: 2, cache: .hot, runs: rounds, peerRuns: rounds)),
            .less(Self.group, "the backup", "s", ours: Self.median(during.map(\.seconds))),
        ])
    }

    private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

    fileprivate struct Rate {
        var perSecond: Double
        var slowMicroseconds: Double
        var seconds: Double
    }
}

/// A backup on a thread of its own, as the server makes one.
private final class Running: Sendable {
    private let result = Mutex<Result<Void, BackupError>?>(nil)

    init(_ source: Backup.Source, _ number: Int, _ folder: String) {
        Thread.detachNewThread { [self] in
            LowPriority.takeForThisThread()
            let made = Result { () throws(BackupError) in
                _ = try Backup.run(database: source, to: .path("\(folder)/\(number).backup"))
            }
            result.withLock { $0 = made }
        }
    }

    var isOver: Bool { result.withLock { $0 != nil } }

    var failure: BackupError? {
        guard case .failure(let error)? = result.withLock({ $0 }) else { return nil }
        return error
    }
}

/// A database and the one device that writes to it.
private final class Committer {
    private let store: StoreEmbedded
    private let client = ClientID(1)
    private var sequence: UInt64 = 0
    private var time: UInt64 = 1_000
    private var objects = 0

    init(_ folder: URL) throws {
        store = try StoreEmbedded.open(folder: folder.path, epochSeed: 1)
        try store.extendSchema(
            Schema([
                ClassSchema(
                    name: "Item",
                    properties: [
                        Property(name: "_id", type: .int, isPrimaryKey: true), Property(name: "text", type: .string),
                    ])
            ]))
        _ = try store.register(client, user: "user")
    }

    func close() { store.close() }

    func fill(_ count: Int, textBytes: Int) throws {
        let filler = String(repeating: "x", count: textBytes)
        while objects < count {
            let ids = objects..<min(count, objects + 1_000)
            try commit(
                ids.map {
                    .create(Self.item($0), life: 1, fields: [FieldValue("text", .string("\($0) \(filler)"))])
                })
            objects = ids.upperBound
        }
    }

    /// Commits a change of one object after the other.
    func commit(until isOver: () -> Bool) throws -> BackupBenchmarks.Rate {
        let begin = ContinuousClock.now
        var durations: [Double] = []
        while !isOver() {
            let started = ContinuousClock.now
            let text = FieldValue("text", .string("changed \(sequence)"))
            try commit([.set(Self.item(Int(sequence &* 7_919) % objects), text)])
            durations.append((ContinuousClock.now - started) / .microseconds(1))
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        durations.sort()
        return .init(
            perSecond: Double(durations.count) / seconds,
            slowMicroseconds: durations.isEmpty ? 0 : durations[durations.count * 99 / 100], seconds: seconds)
    }

    private func commit(_ operations: [Operation]) throws {
        time += 1
        sequence += 1
        let changeset = Changeset(
            client: client, sequence: sequence, stamp: Stamp(time: time << 16, client: client), base: store.version,
            operations: operations)
        let outcome = try store.commit(
            [UploadBatch(client: client, user: "user", changesets: [changeset])], receivedAt: time)[0]
        if let failure = outcome.failure { throw failure }
    }

    private static func item(_ id: Int) -> ObjectReference { ObjectReference("Item", .int(Int64(id))) }
}
