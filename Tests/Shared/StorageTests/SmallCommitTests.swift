import CausewayFolders
import CausewaySimulatedDisk
import CausewayStorageOracle
import Testing

@testable import CausewayStorage

/// Small commits, which write their header and nothing else.
@Suite("Small commits")
struct SmallCommitTests {
    private static let key = StorageBackend.key

    /// A file whose calls are noted.
    private struct Noted {
        let disk = SimulatedDisk(capacityBytes: 16 << 20)
        let notes = CallNotes()

        func open(_ key: [UInt8]? = nil, carriesChanges: Bool = true) throws -> PageStorage {
            var options = StorageOptions(mapSizeBytes: 16 << 20, encryptionKey: key)
            options.carriesChanges = carriesChanges
            return try PageStorage.open(file: NotedFile(disk.open(), notes), path: "noted", options: options)
        }

        /// The bytes that the calls since the last time have written.
        func takeWrites() -> [Int] {
            notes.take().compactMap { note in
                note.hasPrefix("writing ") ? note.split(separator: " ").dropFirst().first.flatMap { Int($0) } : nil
            }
        }
    }

    @discardableResult
    private func commit(_ storage: any Storage, _ body: (any StorageWriter) -> Void) throws -> any StorageSnapshot {
        let writer = try storage.write()
        body(writer)
        return try writer.commit(.durable)
    }

    @Test("a small commit writes one page", arguments: [nil, key])
    func onePage(key: [UInt8]?) throws {
        let noted = Noted()
        let storage = try noted.open(key)
        // The first commit of an encrypted file may write the table of its sessions.
        try commit(storage) { $0.put(20, [0], [0]) }
        _ = noted.takeWrites()
        for number in UInt8(1)...20 {
            let snapshot = try commit(storage) { writer in
                writer.put(20, [number], [number])
                writer.replaceLeaf(1, 1, [UInt8](repeating: number, count: 1_000))
            }
            #expect(noted.takeWrites() == [4096])
            #expect(snapshot.get(20, [number]) == [number])
            #expect(snapshot.get(20, [1]) == [1])
            #expect(snapshot.leafBytes(1, 1) == [UInt8](repeating: number, count: 1_000))
        }
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    @Test("what a header carried becomes pages when it is full, and nothing is lost")
    func full() throws {
        let noted = Noted()
        let storage = try noted.open()
        var withPages = 0
        for number in 0..<400 {
            let key = [UInt8(number >> 8), UInt8(number & 255)]
            try commit(storage) { $0.put(20, key, Array(repeating: 7, count: 40)) }
            if noted.takeWrites().count > 1 { withPages += 1 }
        }
        #expect((1...12).contains(withPages))
        let snapshot = try storage.snapshot()
        #expect(snapshot.count(tree: 20, from: [], upTo: nil) == 400)
        #expect(snapshot.entries(20).map { $0[0] } == (0..<400).map { [UInt8($0 >> 8), UInt8($0 & 255)] })
        #expect(snapshot.entries(20, from: [1], reversed: true, limit: 2).map { $0[0] } == [[1, 143], [1, 142]])
    }

    @Test("beside a large leaf the header goes on carrying what is small")
    func largeLeaf() throws {
        let noted = Noted()
        let storage = try noted.open()
        try commit(storage) { $0.put(20, [0], [0]) }
        _ = noted.takeWrites()
        for number in UInt8(1)...10 {
            try commit(storage) { writer in
                writer.put(20, [number], [number])
                writer.replaceLeaf(1, 1, [UInt8](repeating: number, count: 4_000))
            }
            // The leaf, two nodes of the directory, and the header: no page of the trees.
            #expect(noted.takeWrites().reduce(0, +) == 4 * 4096)
        }
        #expect(try storage.pageSnapshot().header.state.trees.isNone)
        #expect(try storage.snapshot().entries(20).count == 11)
    }

    @Test("removals are carried, too, and an older snapshot keeps what it showed")
    func removals() throws {
        let storage = try Noted().open()
        // Enough for pages.
        try commit(storage) { writer in
            for number in UInt8(0)..<200 { writer.put(20, [number], Array(repeating: number, count: 500)) }
            for number in UInt32(0)..<20 { writer.replaceLeaf(1, number, Array(repeating: 1, count: 5_000)) }
        }
        let before = try storage.snapshot()
        let after = try commit(storage) { writer in
            writer.remove(20, [5])
            writer.remove(20, [250])
            writer.put(20, [6], [6])
            writer.removeLeaf(column: 1, number: 3)
            writer.removeLeaf(column: 7, number: 7)
        }
        #expect(after.get(20, [5]) == nil && after.get(20, [6]) == [6])
        #expect(after.count(tree: 20, from: [], upTo: nil) == 199)
        #expect(after.count(tree: 20, from: [5], upTo: [7]) == 1)
        #expect(after.leafBytes(1, 3) == nil && after.leafBytes(1, 4)?.count == 5_000)
        #expect(before.get(20, [5])?.count == 500 && before.leafBytes(1, 3)?.count == 5_000)
        #expect(try storage.changedLeaves(between: before, and: after) == [LeafPlace(column: 1, number: 3)])
        #expect(try storage.changedRanges(between: before, and: after).map(\.lower) == [[5], [6]])
        let statistics = try storage.statistics()
        #expect(statistics.treeEntries == 199 && statistics.leaves == 19)
        let report = try storage.verify { _, _ in }
        #expect(report.problems == [] && report.treeEntries == 199 && report.leaves == 19)
    }

    @Test("what a header carries is there after opening, after compacting, and in a copy", arguments: [nil, key])
    func later(key: [UInt8]?) throws {
        let folder = try TemporaryFolder()
        let options = StorageOptions(mapSizeBytes: 1 << 30, encryptionKey: key)
        func open(_ name: String) throws -> any Storage {
            try StorageRegistry.shared.open(path: folder.file(name), options: options)
        }
        func expectAll(_ storage: any Storage) throws {
            let snapshot = try storage.snapshot()
            #expect(snapshot.get(20, [1]) == [1] && snapshot.get(20, [2]) == nil)
            #expect(snapshot.entries(20).count == 100)
            #expect(snapshot.leafBytes(1, 1) == [9, 9] && snapshot.leafBytes(1, 2)?.count == 6_000)
            #expect(try storage.verify { _, _ in }.problems == [])
        }
        do {
            let storage = try open("a.realm")
            try commit(storage) { writer in
                for number in UInt8(0)..<101 { writer.put(20, [number], Array(repeating: 3, count: 300)) }
                for number in UInt32(1)...2 { writer.replaceLeaf(1, number, Array(repeating: 1, count: 6_000)) }
            }
            try commit(storage) { writer in
                writer.put(20, [1], [1])
                writer.remove(20, [2])
                writer.replaceLeaf(1, 1, [9, 9])
            }
            try expectAll(storage)
        }
        do {
            let storage = try open("a.realm")
            try expectAll(storage)
            try storage.compact()
            try expectAll(storage)
            try storage.copy(to: folder.file("b.realm"), key: key)
        }
        try expectAll(open("a.realm"))
        try expectAll(open("b.realm"))
    }

    @Test("one who carries nothing writes what others carried into pages")
    func withoutCarrying() throws {
        let noted = Noted()
        do { try commit(noted.open()) { $0.put(20, [1], [1]) } }
        #expect(noted.disk.waitUntilClosed())
        let storage = try noted.open(carriesChanges: false)
        #expect(try storage.pageSnapshot().header.carried != nil)
        let snapshot = try commit(storage) { $0.put(20, [2], [2]) }
        #expect(snapshot.entries(20) == [[[1], [1]], [[2], [2]]])
        #expect(try storage.pageSnapshot().header.carried == nil)
    }

    /// A long value whose bytes are found in a file.
    private static let secret = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ $0 / 256) }

    /// Removes a long value, and replaces another, in a commit that the header carries.
    private func hideSecrets(in storage: any Storage) throws {
        try commit(storage) { writer in
            writer.put(20, [1], Self.secret)
            writer.put(20, [2], Self.secret)
            writer.put(20, [3], [3])
            writer.replaceLeaf(1, 1, Self.secret)
        }
        try commit(storage) { writer in
            writer.remove(20, [1])
            writer.put(20, [2], [2])
            writer.replaceLeaf(1, 1, [1])
        }
    }

    private func places(of secret: ArraySlice<UInt8>, in bytes: [UInt8]) -> [Int] {
        (0..<bytes.count / 4096).map { $0 * 4096 }.filter { bytes[$0...].starts(with: secret) }
    }

    @Test("a copy has nothing of what carried changes replace")
    func copiesLeaveOut() throws {
        let folder = try TemporaryFolder()
        let storage = try StorageRegistry.shared.open(
            path: folder.file("a.realm"), options: StorageOptions(mapSizeBytes: 1 << 30))
        try hideSecrets(in: storage)
        try storage.copy(to: folder.file("b.realm"), key: nil)
        #expect(places(of: Self.secret[..<64], in: folder.read("a.realm")).count == 3)
        #expect(places(of: Self.secret[..<64], in: folder.read("b.realm")).isEmpty)
        let copy = try StorageRegistry.shared.open(
            path: folder.file("b.realm"), options: StorageOptions(mapSizeBytes: 1 << 30))
        #expect(try copy.snapshot().entries(20) == [[[2], [2]], [[3], [3]]])
        #expect(try copy.snapshot().leafBytes(1, 1) == [1])
    }

    @Test("damage of what carried changes replace is no damage")
    func hiddenDamage() throws {
        let folder = try TemporaryFolder()
        let options = StorageOptions(mapSizeBytes: 1 << 30)
        do { try hideSecrets(in: StorageRegistry.shared.open(path: folder.file("a.realm"), options: options)) }
        var bytes = folder.read("a.realm")
        let places = places(of: Self.secret[..<64], in: bytes)
        #expect(places.count == 3)
        for place in places { bytes[place + 9] ^= 1 }
        folder.write(bytes, to: "b.realm")
        let storage = try StorageRegistry.shared.open(path: folder.file("b.realm"), options: options)
        let snapshot = try storage.snapshot()
        #expect(snapshot.entries(20) == [[[2], [2]], [[3], [3]]])
        #expect(snapshot.entries(20, reversed: true).count == 2)
        #expect(snapshot.count(tree: 20, from: [], upTo: nil) == 2 && snapshot.leafBytes(1, 1) == [1])
        #expect(snapshot.damage == nil)
    }

    @Test("what was removed makes room, at once or for the second try")
    func room() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        let options = StorageOptions(mapSizeBytes: 2 << 20)
        let storage = try PageStorage.open(file: disk.open(), path: "full", options: options)
        try commit(storage) { writer in
            for number in UInt32(0)..<200 { writer.replaceLeaf(1, number, Array(repeating: 1, count: 4_000)) }
            for number in UInt32(0)..<5 { writer.replaceLeaf(2, number, Array(repeating: 2, count: 240_000)) }
        }
        func add(_ column: UInt32) throws {
            try commit(storage) { $0.replaceLeaf(column, 0, Array(repeating: 3, count: 220_000)) }
        }
        #expect(code { try add(3) } == .mapFull)
        // One that gives back much does so at once.
        try commit(storage) { $0.removeLeaf(column: 2, number: 0) }
        try commit(storage) { _ in }
        try add(3)
        // Those that give back little are carried, and their pages wait.
        for number in UInt32(0)..<100 { try commit(storage) { $0.removeLeaf(column: 1, number: number) } }
        #expect(try storage.pageSnapshot().header.carried != nil)
        #expect(code { try add(4) } == .mapFull)
        #expect(try storage.pageSnapshot().header.carried == nil)
        try add(4)
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    @Test("a full file can be emptied entry by entry")
    func emptying() throws {
        let disk = SimulatedDisk(capacityBytes: 4 << 20)
        let storage = try PageStorage.open(
            file: disk.open(), path: "full", options: StorageOptions(mapSizeBytes: 2 << 20))
        // Long keys, so that a header carries few removals.
        func key(_ number: Int) -> [UInt8] {
            Array(repeating: 5, count: 100) + [UInt8(number >> 8), UInt8(number & 255)]
        }
        try commit(storage) { writer in
            for number in 0..<400 { writer.put(20, key(number), Array(repeating: 1, count: 900)) }
        }
        var leaves: UInt32 = 0
        while try storage.pageSnapshot().header.freeSpace.endPage < 504 {
            try commit(storage) { $0.replaceLeaf(1, leaves, Array(repeating: 1, count: 4_000)) }
            leaves += 1
        }
        // Each in a page of its own. One that finds no room makes some for its next try.
        for number in stride(from: 0, to: 400, by: 4) {
            var tries = 0
            while tries < 10, code({ try commit(storage) { $0.remove(20, key(number)) } }) != nil { tries += 1 }
            #expect(tries < 10, "entry \(number)")
        }
        let snapshot = try storage.snapshot()
        #expect(snapshot.count(tree: 20, from: [], upTo: nil) == 300)
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    @Test("a long value that goes with a large leaf gives its pages back at once")
    func longValueBesideLeaf() throws {
        let storage = try Noted().open()
        try commit(storage) { writer in
            writer.put(20, [1], Array(repeating: 1, count: 400_000))
            writer.replaceLeaf(1, 1, Array(repeating: 1, count: 2_300))
        }
        try commit(storage) { writer in
            writer.remove(20, [1])
            writer.replaceLeaf(1, 1, Array(repeating: 2, count: 2_300))
        }
        #expect(try storage.pageSnapshot().header.carried == nil)
        #expect(try storage.pageSnapshot().header.state.livePages < 10)
    }
}
