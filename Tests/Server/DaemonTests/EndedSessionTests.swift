import CausewayEndpoint
import CausewayFolders
import CausewayJSON
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayWire
import Foundation
import Synchronization
import Testing

@testable import CausewayDaemon
@testable import CausewaySession

@Suite("A session that the server ends, with a device that does not read")
struct EndedSessionTests {
    /// As the sink of a device that does not read, until it is told to hurry.
    private final class StuckSink: DownloadSink {
        private struct State {
            var waiting: CheckedContinuation<Void, any Error>?
            var isHurried = false
        }
        private struct Lost: Error {}

        private let state = Mutex(State())
        let releases: Bool

        init(releases: Bool) { self.releases = releases }

        var isStuck: Bool { state.withLock { $0.waiting != nil } }
        var isHurried: Bool { state.withLock { $0.isHurried } }

        func send(_ message: DownloadMessage) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in state.withLock { $0.waiting = continuation } }
            return 0
        }

        func release() { state.withLock { $0.waiting.take() }?.resume(throwing: Lost()) }

        var outlet: DownloadOutlet? {
            DownloadOutlet(isReady: { false }) { [self] in
                state.withLock { $0.isHurried = true }
                if releases { release() }
            } send: { _ in
            }
        }
    }

    private final class Writing: Sendable {
        let isOver = Atomic(false)
    }

    /// The creation of one flight.
    private static func changeset(_ client: ClientID, _ sequence: UInt64, flight: UInt64) -> Changeset {
        let made = Operation.create(ObjectReference("Flight", .int(Int64(flight))), life: 1, fields: [])
        return Changeset(
            client: client, sequence: sequence, stamp: Stamp(time: sequence << 16, client: client), base: .zero,
            operations: [made])
    }

    /// Begins a download of client 1, and waits until it is stuck.
    private func stick(_ sink: StuckSink, _ bench: AdminBench) async throws -> (any SyncService, KnownCaller, UInt64) {
        let welcome = try await bench.devices.open("flights", client: 1, user: "ada")
        let caller = try await bench.devices.caller("ada", of: "flights")
        let service = try #require(bench.tenants.service(of: "flights"))
        _ = try service.beginDownload(welcome.session, by: caller, into: sink) {}
        try await service.mark(welcome.session, by: caller, id: 1)
        let deadline = ContinuousClock.now + .seconds(30)
        while !sink.isStuck, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        try #require(sink.isStuck)
        return (service, caller, welcome.session)
    }

    @Test("nothing more is taken of a device that was shut out, while its download goes on")
    func upload() async throws {
        try await AdminBench.run { bench in
            let sink = StuckSink(releases: false)
            let (service, caller, session) = try await stick(sink, bench)
            func upload(_ sequence: UInt64) async throws(SyncFailure) {
                let changeset = Self.changeset(ClientID(1), sequence, flight: sequence)
                _ = try await service.upload(session, by: caller, [changeset], bytes: 0)
            }
            try await upload(1)
            #expect(try await bench.get("PUT", "databases/flights/shut-out/clients/1")["ended"]?.int == 1)
            #expect(sink.isHurried && sink.isStuck)
            let failure = await #expect(throws: SyncFailure.self) { try await upload(2) }
            #expect(failure?.code == .permissionDenied)
            sink.release()
        }
    }

    @Test("a hello that met a change of the schema begins again: what it found out may not be so any more")
    func helloBeside() async throws {
        try await AdminBench.run { bench in
            let conversations = try #require(bench.tenants["flights"]).conversations
            let sessions = conversations.sessions
            let hello = AdminDevices.hello(1)
            let arrival = try sessions.admit(hello, user: "ada", access: nil)
            let finding = try sessions.look(arrival)
            try await conversations.alone(because: "A test.") {}
            let failure = #expect(throws: SyncFailure.self) { try sessions.open(arrival, finding) }
            #expect(failure?.code == .serverBusy && failure?.retryAfterMilliseconds == 1_000)
            let again = try sessions.admit(hello, user: "ada", access: nil)
            _ = try sessions.open(again, sessions.look(again))
        }
    }

    @Test(
        "a change of the schema gets its turn however many writes follow one another, and the database counts as answering"
    )
    func changeUnderLoad() async throws {
        try await AdminBench.run { bench in
            let tenant = try #require(bench.tenants["flights"])
            for client in 1...4 { try await bench.devices.open("flights", client: UInt64(client), user: "ada") }
            let writing = Writing()
            await withTaskGroup { group in
                for client in 1...4 {
                    group.addTask {
                        let client = ClientID(UInt64(client))
                        var sequence: UInt64 = 0
                        while !writing.isOver.load(ordering: .relaxed) {
                            sequence += 1
                            let changeset = Self.changeset(
                                client, sequence, flight: client.rawValue * 1_000_000 + sequence)
                            let batch = UploadBatch(client: client, user: "ada", changesets: [changeset])
                            _ = await tenant.conversations.commits.submit(batch) {}
                        }
                    }
                }
                for _ in 0..<5 {
                    let start = ContinuousClock.now
                    let answers = try? await tenant.conversations.alone(because: "A test.") {
                        tenant.conversations.isAnswering
                    }
                    #expect(answers == true)
                    #expect(ContinuousClock.now - start < .seconds(20))
                }
                writing.isOver.store(true, ordering: .relaxed)
            }
        }
    }

    @Test("a file that is removed under the server is no health")
    func removedFile() async throws {
        try await AdminBench.run { bench in
            let service = try #require(bench.tenants.service(of: "flights"))
            let gauges = try #require(bench.tenants["flights"]).gauges
            #expect(service.isAnswering && gauges.problems == [])
            let (path, aside) = (gauges.file.path, bench.folder.file("aside"))
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            #expect(!service.isAnswering && gauges.problems == [gauges.file.whenGone])
            try Data("another".utf8).write(to: URL(filePath: path))
            #expect(!service.isAnswering)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: aside, toPath: path)
            #expect(service.isAnswering && gauges.problems == [])
        }
    }

    @Test("a class is dropped although a device does not read")
    func drop() async throws {
        try await AdminBench.run { bench in
            _ = try await stick(StuckSink(releases: true), bench)
            let tenant = try #require(bench.tenants["flights"])
            let value = try await tenant.conversations.alone(because: "A test.") { 7 }
            #expect(value == 7)
        }
    }
}
