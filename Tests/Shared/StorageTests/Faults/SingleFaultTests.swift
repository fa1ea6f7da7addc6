import CausewaySimulatedDisk
import CausewayStorage
import CausewayStorageOracle
import Dispatch
import Testing

/// Faults of a disk that concern one call, and what they may not spoil.
@Suite("Single faults of the disk", .timeLimit(.minutes(10)))
struct SingleFaultTests {
    private static let options = StorageOptions(mapSizeBytes: 4 << 20)

    private static func options(_ isEncrypted: Bool) -> StorageOptions {
        StorageOptions(mapSizeBytes: 4 << 20, encryptionKey: isEncrypted ? StorageBackend.key : nil)
    }

    @discardableResult
    private static func commit(
        _ number: UInt8, to storage: any Storage, _ durability: Durability = .durable
    ) throws -> UInt64 {
        let writer = try storage.write()
        writer.put(20, [number], [number])
        return try writer.commit(durability).version
    }

    @Test(
        "a header that finds no room costs one commit, and the next one goes through", arguments: [false, true],
        [0, 512, 2048])
    func noRoomForTheHeader(isEncrypted: Bool, taken: Int) throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        var file: FullHeaderFile? = FullHeaderFile(disk.open())
        do {
            let storage = try PageStorage.open(
                file: try #require(file), path: "full", options: Self.options(isEncrypted))
            for number in UInt8(1)...3 { try Self.commit(number, to: storage) }
            let held = try storage.snapshot()
            for durability in [Durability.durable, .relaxed] {
                file?.headerRoom = taken
                #expect(code { try Self.commit(9, to: storage, durability) } == .outOfSpace)
                #expect(try storage.snapshot().version == held.version)
                #expect(try storage.snapshot().get(20, [9]) == nil)
            }
            file?.headerRoom = nil
            for number in UInt8(4)...9 { #expect(try Self.commit(number, to: storage) == UInt64(number)) }
            #expect(held.get(20, [4]) == nil && held.get(20, [3]) == [3])
            #expect(try storage.verify { _, _ in }.problems == [])
        }
        file = nil
        #expect(disk.waitUntilClosed())
        let again = try PageStorage.open(file: disk.open(), path: "full", options: Self.options(isEncrypted))
        #expect(try again.newestVersion() == 9)
        #expect(try again.verify { _, _ in }.problems == [])
    }

    @Test("a header that cannot be read is the disk's failure, and not damage")
    func unreadableHeader() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        do { try Self.commit(1, to: PageStorage.open(file: disk.open(), path: "sick", options: Self.options)) }
        #expect(disk.waitUntilClosed())
        let storage = try PageStorage.open(file: disk.open(), path: "sick", options: Self.options)
        disk.faults.chances.readFailed = 1 << 16
        #expect(code { _ = try storage.snapshot() } == .io)
        disk.faults = .none
        #expect(try storage.snapshot().get(20, [1]) == [1])
    }

    @Test("a page that cannot be read is the disk's failure, and sound again when the file is opened again")
    func unreadablePage() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        var options = Self.options(true)
        options.carriesChanges = false
        do { try Self.commit(1, to: PageStorage.open(file: disk.open(), path: "sick", options: options)) }
        #expect(disk.waitUntilClosed())
        do {
            let storage = try PageStorage.open(file: disk.open(), path: "sick", options: options)
            let snapshot = try storage.snapshot()
            disk.faults.chances.readFailed = 1 << 16
            #expect(snapshot.get(20, [1]) == nil)
            disk.faults = .none
            #expect(snapshot.damage?.code == .io)
            #expect(snapshot.damage?.message.hasPrefix("The disk failed to read page ") == true)
            #expect(code { _ = try storage.write() } == .io)
        }
        #expect(disk.waitUntilClosed())
        let storage = try PageStorage.open(file: disk.open(), path: "sick", options: Self.options(true))
        #expect(try storage.snapshot().get(20, [1]) == [1])
    }

    @Test("a sync without room says what is lost and how to go on, and so does every call after it")
    func syncWithoutRoom() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        do {
            let storage = try PageStorage.open(file: disk.open(), path: "full", options: Self.options)
            try Self.commit(1, to: storage)
            try Self.commit(2, to: storage, .relaxed)
            disk.faults.chances.outOfSpace = 1 << 16
            let calls: [() throws -> Void] = [
                { try storage.synchronize() }, { _ = try storage.snapshot() }, { _ = try storage.write() },
            ]
            for call in calls {
                let error = failure(call)
                #expect(error?.code == .io)
                #expect(error?.message.contains("may be lost") == true)
                #expect(error?.message.contains("Free some disk space") == true)
                #expect(error?.message.contains("intact") == false)
            }
        }
        disk.faults = .none
        #expect(disk.waitUntilClosed())
        let storage = try PageStorage.open(file: disk.open(), path: "full", options: Self.options)
        #expect(try storage.snapshot().get(20, [1]) == [1])
        try Self.commit(3, to: storage)
    }

    @Test("a grouped commit becomes durable while somebody has the turn to write")
    func groupedBesideAWriter() async throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        let storage = try PageStorage.open(file: disk.open(), path: "busy", options: Self.options)
        let version = try Self.commit(1, to: storage, .grouped(within: .milliseconds(10)))
        let writer = try storage.write()
        writer.put(20, [2], [2])
        try await storage.whenDurable(version)
        try storage.synchronize()
        #expect(try writer.commit(.durable).version == version + 1)
    }

    @Test("a sync that fails under another sync is told to both, whoever the kernel tells", arguments: [false, true])
    func overlappingSyncs(isLarge: Bool) throws {
        let disk = SimulatedDisk(capacityBytes: 16 << 20)
        let storage = try PageStorage.open(
            file: disk.open(), path: "race", options: StorageOptions(mapSizeBytes: 16 << 20))
        try Self.commit(1, to: storage)
        try Self.commit(2, to: storage, .grouped(within: .seconds(3600)))
        let hold = disk.holdNextSync(isLosing: true)
        let told = Counter()
        let group = DispatchGroup()
        // On a thread of its own: this one waits for it.
        DispatchQueue(label: "syncing").async(group: group) {
            if code({ try storage.synchronize() }) == .io { told.add(1) }
        }
        #expect(hold.waitUntilEntered())
        let writer = try storage.write()
        writer.put(20, [3], [3])
        // More than a header may vouch for without a sync of its own.
        if isLarge { writer.replaceLeaf(1, 0, Array(repeating: 9, count: 3 << 20)) }
        #expect(code { _ = try writer.commit(.durable) } == .io)
        group.wait()
        #expect(told.value == 1)
        #expect(code { _ = try storage.snapshot() } == .io)
    }

    @Test("headers that were cleared after a failed sync are gone from the disk before their pages are used again")
    func clearedHeaders() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        do {
            let storage = try PageStorage.open(file: disk.open(), path: "cleared", options: Self.options)
            try Self.commit(1, to: storage, .relaxed)
            disk.faults.chances.syncFailed = 1 << 16
            #expect(code { try storage.synchronize() } == .io)
        }
        disk.faults = .none
        #expect(disk.waitUntilClosed())
        let storage = try PageStorage.open(file: disk.open(), path: "cleared", options: Self.options)
        let begun = disk.logPosition
        try Self.commit(2, to: storage, .relaxed)
        #expect(disk.log.firstSync(from: begun) < disk.log.firstWrite(from: begun))
    }
}

extension DiskLog {
    /// Its place in the log, or the log's end.
    fileprivate func firstSync(from start: Int) -> Int {
        operations[start...].firstIndex { if case .synchronize = $0 { true } else { false } } ?? operations.count
    }

    fileprivate func firstWrite(from start: Int) -> Int {
        operations[start...].firstIndex { if case .write = $0 { true } else { false } } ?? operations.count
    }
}
