import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Who waits for a commit to survive a power loss is answered. That it does survive one, the crash simulation shows.
@Suite("Durability", .timeLimit(.minutes(10)))
struct DurabilityTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func commit(_ number: UInt8, to storage: any Storage, _ durability: Durability) throws -> UInt64 {
        let writer = try storage.write()
        writer.put(20, [number], [number])
        return try writer.commit(durability).version
    }

    @Test("a grouped commit is seen at once and waited for", arguments: StorageBackend.allCases)
    func grouped(backend: StorageBackend) async throws {
        let storage = try backend.open(folder.file("a.realm"))
        for number in UInt8(0)..<50 {
            let version = try Self.commit(number, to: storage, .grouped(within: .milliseconds(2)))
            #expect(try storage.snapshot().get(20, [number]) == [number])
            if number % 10 == 0 { try await storage.whenDurable(version) }
        }
        try await storage.whenDurable(50)
        try await storage.whenDurable(1)
    }

    @Test("many tasks commit in groups, and each is answered", arguments: StorageBackend.allCases)
    func manyTasks(backend: StorageBackend) async throws {
        let storage = try backend.open(folder.file("a.realm"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in UInt8(0)..<4 {
                group.addTask {
                    for round in UInt8(0)..<25 {
                        let number = task * 25 + round
                        let version = try Self.commit(number, to: storage, .grouped(within: .milliseconds(1)))
                        try await storage.whenDurable(version)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try storage.snapshot().count(tree: 20, from: [], upTo: nil) == 100)
        #expect(try storage.newestVersion() == 100)
    }

    @Test("a relaxed commit becomes durable with the next one that is synced", arguments: StorageBackend.allCases)
    func relaxed(backend: StorageBackend) async throws {
        let storage = try backend.open(folder.file("a.realm"))
        let first = try Self.commit(1, to: storage, .relaxed)
        async let waiting: Void = storage.whenDurable(first)
        _ = try Self.commit(2, to: storage, .durable)
        try await waiting
        let second = try Self.commit(3, to: storage, .relaxed)
        try storage.synchronize()
        try await storage.whenDurable(second)
    }

    @Test("what was durable before the file was reopened is durable at once", arguments: StorageBackend.allCases)
    func reopened(backend: StorageBackend) async throws {
        for durability in [Durability.durable, .grouped(within: .seconds(30)), .relaxed] {
            let version = try Self.commit(1, to: try backend.open(folder.file("a.realm")), durability)
            let reopened = try backend.open(folder.file("a.realm"))
            if durability == .relaxed { try reopened.synchronize() }
            try await reopened.whenDurable(version)
        }
    }

    @Test("a storage in memory promises nothing and answers at once", arguments: StorageBackend.allCases)
    func inMemory(backend: StorageBackend) async throws {
        let storage = try backend.open("memory", inMemory: true)
        try await storage.whenDurable(try Self.commit(1, to: storage, .durable))
        try await storage.whenDurable(try Self.commit(2, to: storage, .grouped(within: .milliseconds(1))))
        try storage.synchronize()
    }
}
