import CausewayBackup
import CausewayFolders
import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@testable import CausewayDaemon

@Suite("Verifying databases while they are served")
struct VerifyWorkTests {
    /// Waits until nothing is verified any more.
    private func ended(_ bench: AdminBench) async throws -> JSON {
        for _ in 0..<2_000 {
            let state = try await bench.get("GET", "databases/flights/verify")
            if state["running"] == nil { return state }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NotEnded()
    }

    private struct NotEnded: Error {}

    private func commit(_ rows: Int, in bench: AdminBench) throws {
        let (store, client) = (try #require(bench.tenants["flights"]).store, ClientID(5))
        let made = (0..<rows).map { row in
            Operation.create(ObjectReference("Flight", .int(Int64(row))), life: 1, fields: [])
        }
        let changeset = Changeset(
            client: client, sequence: 1, stamp: Stamp(time: 1 << 16, client: client), base: store.version,
            operations: made)
        _ = try store.commit([UploadBatch(client: client, user: "ada", changesets: [changeset])], receivedAt: 1_000)
    }

    @Test("a sound database is verified while it is used, and another verification can follow")
    func sound() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 5, user: "ada")
            try commit(50, in: bench)
            #expect(try await bench.get("GET", "databases/flights/verify").members?.isEmpty == true)
            for _ in 0..<2 {
                let begun = try await bench.get("POST", "databases/flights/verify", status: 202)
                #expect(begun["database"]?.string == "flights")
                let last = try #require(try await ended(bench)["last"])
                #expect(last["isSound"] == .bool(true) && last["failure"] == nil, "\(last)")
                #expect(last["problems"]?.elements == [] && last["problemCount"]?.int == 0)
                #expect(last["objects"]?.int ?? 0 >= 50 && last["time"]?.string?.hasSuffix("Z") == true)
            }
            try await bench.expect(404, "databaseUnknown", "POST", "databases/nothing/verify")
        }
    }

    @Test("what contradicts itself is told in sentences")
    func unsound() async throws {
        try await AdminBench.run { bench in
            try await bench.devices.open("flights", client: 5, user: "ada")
            try commit(3, in: bench)
            // An object that no device has written, so that nothing is kept beside it.
            let path = DatabaseFolder(bench.folder.file("flights")).objectsPath
            let transaction = try ObjectStore.open(path: path).write()
            _ = try #require(transaction.table("Flight")).create(.int(99))
            try transaction.commit()
            transaction.end()
            try await bench.get("POST", "databases/flights/verify", status: 202)
            let last = try #require(try await ended(bench)["last"])
            #expect(last["isSound"] == .bool(false) && last["failure"] == nil)
            #expect(last["problemCount"]?.int ?? 0 > 0)
            #expect(last["problems"]?.elements?.isEmpty == false)
        }
    }

    @Test("one is verified at a time, and what cannot be read is a failure and no problem of the database")
    func oneAtATime() async throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        folder.write([UInt8](repeating: 7, count: 20_000), to: "database.causeway")
        let (work, path) = (VerifyWork(), folder.path)
        let outcome = await withCheckedContinuation { continuation in
            let hasBegun = work.begin(Backup.Source(name: "a", folder: path), of: ObjectIdentifier(work)) { outcome in
                // It still counts as running.
                #expect(!work.begin(Backup.Source(name: "b", folder: path), of: ObjectIdentifier(work)) { _ in })
                continuation.resume(returning: outcome)
            }
            #expect(hasBegun)
        }
        #expect(outcome.failure != nil && outcome.problemCount == 0 && !outcome.isSound)
        for _ in 0..<2_000 where work.running != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(work.running == nil)
    }
}
