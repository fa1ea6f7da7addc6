import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Dispatch
import Glibc
import Synchronization
import Testing

/// Everything that may happen at once on one storage. Says most under the thread sanitizer, as `SanitizedMutex.swift`
/// tells.
@Suite("Concurrency", .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    private static let seeds = SeedList.drawn(for: "storage-concurrency", count: 2)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    @Test(
        "readers, writers and maintenance at once see whole states only, and leave one",
        arguments: seeds, [StorageBackend.pages, .encryptedPages])
    func everythingAtOnce(seed: UInt64, backend: StorageBackend) async throws {
        let (path, copy) = (folder.file("a.realm"), folder.file("copy.realm"))
        var storage: (any Storage)? = try backend.open(path)
        if let storage {
            var numbers = SeededNumbers(seed: seed)
            _ = try Cells.change(try storage.write(), .durable, &numbers)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<9 {
                    let worker = Worker(storage, backend, seed: numbers.next())
                    group.addTask {
                        switch number {
                        case 0..<3: try await worker.read(rounds: 40)
                        case 3..<5: try await worker.write(rounds: 40)
                        case 5..<7: try await worker.reserve(rounds: 30)
                        case 7: try await worker.synchronize(rounds: 20)
                        default: try await worker.maintain(rounds: 6, copy: copy)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await storage.whenDurable(storage.newestVersion())
        }
        storage = nil
        let reopened = try backend.open(path)
        let last = try reopened.snapshot()
        #expect(last.version == 1 + 2 * 40 + 2 * 30, "seed \(seed)")
        #expect(Cells.contradictions(in: last) == [], "seed \(seed)")
        #expect(try reopened.verify { _, _ in }.problems == [], "seed \(seed)")
    }

    @Test(
        "who opens a file while others let go of it loses nothing",
        arguments: StorageBackend.allCases)
    func openingWhileClosing(backend: StorageBackend) throws {
        let path = folder.file("a.realm")
        let rounds = 400
        DispatchQueue.concurrentPerform(iterations: 3) { worker in
            let closing = DispatchGroup()
            do {
                for round in 0..<rounds {
                    let writer = try backend.open(path).write()
                    writer.put(1, [UInt8(worker), UInt8(round & 0xFF), UInt8(round >> 8)], [1])
                    let snapshot = try writer.commit(round % 3 == 0 ? .durable : .grouped(within: .zero))
                    // The file stays open as long as anybody reads, and closes on his thread.
                    DispatchQueue.global().async(group: closing) { withExtendedLifetime(snapshot) {} }
                    // There is room for 256 who have it open at a time.
                    if round % 16 == 0 { closing.wait() }
                }
            } catch {
                Issue.record(error)
            }
        }
        let last = try backend.open(path).snapshot()
        #expect(last.version == UInt64(3 * rounds))
        #expect(last.entries(1).count == 3 * rounds)
    }

    @Test("threads that are the first to read the same pages all read them whole")
    func firstTouch() throws {
        let path = folder.file("a.realm")
        let leaves = UInt32(0)..<300
        for round in UInt8(1)...3 {
            let writer = try StorageBackend.encryptedPages.open(path).write()
            for number in leaves { writer.replaceLeaf(1, number, Array(repeating: round, count: 2000)) }
            _ = try writer.commit(.relaxed)
            // Opened anew, so that no page has been decrypted yet.
            let snapshot = try StorageBackend.encryptedPages.open(path).snapshot()
            let wrong = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for number in leaves where snapshot.leafBytes(1, number) != Array(repeating: round, count: 2000) {
                    wrong.add(1, ordering: .relaxed)
                }
            }
            #expect(wrong.load(ordering: .relaxed) == 0)
            #expect(snapshot.damage == nil)
        }
    }

    @Test("turns that many threads ask for at once are all granted")
    func reservations() throws {
        let storage = try StorageBackend.pages.open("asked for at once", inMemory: true)
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue(label: "asking").async(group: group) {
                for _ in 0..<500 {
                    group.enter()
                    // Dropping it is enough to let the next one go.
                    storage.reserveWrite { _ in group.leave() }
                }
            }
        }
        #expect(group.wait(timeout: .now() + 20) == .success)
    }

    @Test("a state that is being made durable is a fallback at every moment, and stays one when it is")
    func fallbacks() {
        let state = SharedState()
        state.reset(newest: 1, slot: 0, durable: 1, slots: [1, 0, 0, 0], nextBirth: 2)
        let chosen = Atomic<UInt64>(1)
        let missed = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            while chosen.load(ordering: .sequentiallyConsistent) < 20_000 {
                let last = chosen.load(ordering: .sequentiallyConsistent)
                if part == 0 {
                    state.setSyncing(last + 1)
                    chosen.store(last + 1, ordering: .sequentiallyConsistent)
                    state.setDurable(last + 1)
                    state.setSyncing(0)
                } else if state.fallbacks.allSatisfy({ $0 < last }) {
                    missed.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(missed.load(ordering: .relaxed) == 0)
    }
}

/// What the storage holds here: cells, each kept in two trees and one leaf that must agree, and the version.
private enum Cells {
    static let numbers = UInt8(0)..<12
    static let trees: [UInt32] = [20, 21]
    static let versionTree: UInt32 = 22
    static let column: UInt32 = 3

    /// Commits a change of some cells, and answers the new version.
    static func change(
        _ writer: any StorageWriter, _ durability: Durability, _ numbers: inout SeededNumbers
    ) throws -> UInt64 {
        let version = writer.version + 1
        #expect(writer.get(versionTree, [0]) == (version == 1 ? nil : bytes(of: version - 1)))
        writer.put(versionTree, [0], bytes(of: version))
        for _ in 0..<numbers.number(1...4) {
            let cell = numbers.one(of: Array(Self.numbers))
            if numbers.once(in: 8) {
                for tree in trees { writer.remove(tree, [cell]) }
                writer.removeLeaf(column: column, number: UInt32(cell))
            } else {
                let byte = UInt8(truncatingIfNeeded: numbers.next())
                let value = [UInt8](repeating: byte, count: numbers.once(in: 4) ? 6000 : numbers.number(1...300))
                for tree in trees { writer.put(tree, [cell], value) }
                writer.replaceLeaf(column, UInt32(cell), Array(repeating: byte, count: numbers.number(1...13_000)))
            }
        }
        return try writer.commit(durability).version
    }

    private static func bytes(of version: UInt64) -> [UInt8] { withUnsafeBytes(of: version.littleEndian) { Array($0) } }

    static func contradictions(in reader: any StorageReader) -> [String] {
        var found: [String] = []
        if reader.get(versionTree, [0]) != bytes(of: reader.version) { found.append("another state's version") }
        for cell in numbers {
            let values = trees.map { reader.get($0, [cell]) }
            if values[0] != values[1] { found.append("the values of cell \(cell) differ") }
            let leaf = reader.leaf(column: column, number: UInt32(cell))
            if !isUniform(leaf) { found.append("the leaf of cell \(cell) is mixed") }
            if leaf?.first != values[0]?.first { found.append("leaf and value of cell \(cell) differ") }
        }
        let counts = trees.map { reader.count(tree: $0, from: [], upTo: nil) }
        if counts[0] != counts[1] { found.append("the trees have \(counts) entries") }
        if reader.entries(trees[0], reversed: true).count != counts[0] { found.append("a scan misses entries") }
        if let damage = reader.damage { found.append("\(damage)") }
        return found
    }

    private static func isUniform(_ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard let bytes, let start = bytes.baseAddress else { return true }
        return memcmp(start, start + 1, bytes.count - 1) == 0
    }
}

/// One of the tasks that use a storage together.
///
/// Whatever may block goes to a thread of its own, since the threads of tasks are few, and all of them might wait for
/// a turn to write that is with a task which gets none.
private struct Worker: Sendable {
    private let storage: any Storage
    private let backend: StorageBackend
    private let seed: UInt64
    private let queue = DispatchQueue(label: "worker")

    init(_ storage: any Storage, _ backend: StorageBackend, seed: UInt64) {
        self.storage = storage
        self.backend = backend
        self.seed = seed
    }

    private func apart<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Takes snapshots, keeps some of them, and finds them as they were; compares them with newer ones.
    func read(rounds: Int) async throws {
        try await apart {
            var numbers = SeededNumbers(seed: seed)
            var held: [any StorageSnapshot] = []
            for _ in 0..<rounds {
                let snapshot = try storage.snapshot()
                #expect(Cells.contradictions(in: snapshot) == [])
                #expect(try storage.newestVersion() >= snapshot.version)
                if let old = held.first {
                    #expect(Cells.contradictions(in: old) == [])
                    try expectChanges(from: old, to: snapshot)
                }
                if numbers.once(in: 2) { held.append(snapshot) }
                if !held.isEmpty, numbers.once(in: 3) { held.remove(at: numbers.below(held.count)) }
            }
        }
    }

    private func expectChanges(from old: any StorageSnapshot, to new: any StorageSnapshot) throws {
        let leaves = Set(try storage.changedLeaves(between: old, and: new))
        let ranges = try storage.changedRanges(between: old, and: new)
        for cell in Cells.numbers {
            let place = LeafPlace(column: Cells.column, number: UInt32(cell))
            if old.leafBytes(place.column, place.number) != new.leafBytes(place.column, place.number) {
                #expect(leaves.contains(place))
            }
            for tree in Cells.trees where old.get(tree, [cell]) != new.get(tree, [cell]) {
                #expect(
                    ranges.contains { range in
                        range.tree == tree && !([cell].lexicographicallyPrecedes(range.lower))
                            && range.upper.map { [cell].lexicographicallyPrecedes($0) } ?? true
                    })
            }
        }
    }

    private static func durability(_ numbers: inout SeededNumbers) -> Durability {
        numbers.one(of: [.durable, .relaxed, .relaxed, .grouped(within: .milliseconds(1))])
    }

    /// Commits, and sometimes waits until that is durable.
    func write(rounds: Int) async throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<rounds {
            let (seed, durability) = (numbers.next(), Self.durability(&numbers))
            let version = try await apart {
                var numbers = SeededNumbers(seed: seed)
                if numbers.once(in: 6) { try storage.write().abort() }
                return try Cells.change(try storage.write(), durability, &numbers)
            }
            if numbers.once(in: 4) { try await storage.whenDurable(version) }
        }
    }

    /// Commits with turns that are asked for first.
    func reserve(rounds: Int) async throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<rounds {
            let (seed, durability) = (numbers.next(), Self.durability(&numbers))
            let version = try await withCheckedThrowingContinuation { continuation in
                storage.reserveWrite { reservation in
                    queue.async {
                        var numbers = SeededNumbers(seed: seed)
                        continuation.resume(
                            with: Result {
                                try Cells.change(try storage.write(using: reservation), durability, &numbers)
                            })
                    }
                }
            }
            if numbers.once(in: 4) { try await storage.whenDurable(version) }
        }
    }

    func synchronize(rounds: Int) async throws {
        for round in 0..<rounds {
            try await storage.whenDurable(storage.newestVersion())
            if round % 2 == 0 { try await apart { try storage.synchronize() } }
        }
    }

    /// Looks at the whole file, moves its pages, and copies it.
    func maintain(rounds: Int, copy path: String) async throws {
        try await apart {
            for _ in 0..<rounds {
                #expect(try storage.verify { _, _ in }.problems == [])
                try storage.compact()
                let statistics = try storage.statistics()
                #expect(statistics.treeEntries == 2 * statistics.leaves + 1)
                #expect(statistics.usedBytes + statistics.pinnedBytes <= statistics.sizeBytes)
                try storage.copy(to: path, key: backend.key)
                #expect(Cells.contradictions(in: try backend.open(path).snapshot()) == [])
                unlink(path)
            }
        }
    }
}
