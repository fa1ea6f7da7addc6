import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Dispatch
import Synchronization
import Testing

@Suite("Storage transactions")
struct TransactionTests {
    private static let seeds = SeedList.drawn(for: "storage-transactions", count: 12)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a commit is seen by later snapshots and not by earlier ones", arguments: StorageBackend.allCases)
    func isolation(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"))
        let before = try storage.snapshot()
        let writer = try storage.write()
        writer.put(20, [1], [10])
        writer.replaceLeaf(7, 3, Array(repeating: 5, count: 8176))
        #expect(writer.get(20, [1]) == [10])
        #expect(before.isNewest)
        let committed = try writer.commit(.durable)
        #expect(committed.version == before.version + 1)
        #expect(!before.isNewest)
        #expect(before.get(20, [1]) == nil)
        #expect(before.leafBytes(7, 3) == nil)
        let after = try storage.snapshot()
        #expect(after.get(20, [1]) == [10])
        #expect(after.leafBytes(7, 3)?.count == 8176)
        #expect(try storage.newestVersion() == after.version)
    }

    @Test("an aborted or dropped write leaves nothing and lets the next one go", arguments: StorageBackend.allCases)
    func abort(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"))
        let writer = try storage.write()
        writer.put(20, [1], [10])
        writer.abort()
        do {
            let dropped = try storage.write()
            dropped.put(20, [1], [10])
        }
        let next = try storage.write()
        #expect(next.get(20, [1]) == nil)
        #expect(next.version == 0)
        next.abort()
    }

    @Test("everything is there after closing and opening again", arguments: StorageBackend.allCases)
    func reopening(backend: StorageBackend) throws {
        var storage: (any Storage)? = try backend.open(folder.file("a.realm"))
        for number in UInt8(0)..<50 {
            let writer = try #require(try storage?.write())
            writer.put(20, [number], Array(repeating: number, count: Int(number) * 40))
            writer.replaceLeaf(1, UInt32(number), Array(repeating: number, count: 3000))
            _ = try writer.commit(number % 2 == 0 ? .durable : .relaxed)
        }
        storage = nil
        let reopened = try backend.open(folder.file("a.realm"))
        let snapshot = try reopened.snapshot()
        #expect(snapshot.version == 50)
        for number in UInt8(0)..<50 {
            #expect(snapshot.get(20, [number]) == Array(repeating: number, count: Int(number) * 40))
            #expect(snapshot.leafBytes(1, UInt32(number)) == Array(repeating: number, count: 3000))
        }
    }

    @Test(
        "trees agree with a dictionary under random changes, scans and reads", arguments: seeds,
        StorageBackend.allCases)
    func agreesWithDictionary(seed: UInt64, backend: StorageBackend) throws {
        var numbers = SeededNumbers(seed: seed)
        let storage = try backend.open("random \(seed)", inMemory: true)
        var committed: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<8 {
            let writer = try storage.write()
            var expected = committed
            for _ in 0..<Int.random(in: 1...400, using: &numbers) {
                let key = randomKey(&numbers)
                switch Int.random(in: 0..<10, using: &numbers) {
                case 0..<5:
                    let value = randomKey(&numbers)
                    writer.put(20, key, value)
                    expected[key] = value
                case 5..<7:
                    writer.remove(20, key)
                    expected[key] = nil
                case 7..<9:
                    #expect(writer.get(20, key) == expected[key], "seed \(seed)")
                default:
                    expectScan(writer, expected, seed, &numbers)
                }
            }
            // Neighbouring trees must not be touched by scans that run to the end.
            writer.put(19, [255], [1])
            writer.put(21, [0], [1])
            expectScan(writer, expected, seed, &numbers)
            if Bool.random(using: &numbers) {
                _ = try writer.commit(.durable)
                committed = expected
            } else {
                writer.abort()
            }
            expectScan(try storage.snapshot(), committed, seed, &numbers)
        }
    }

    private func randomKey(_ numbers: inout SeededNumbers) -> [UInt8] {
        let count = Int.random(in: 0...11, using: &numbers)
        return (0..<count).map { _ in [0, 1, 2, 254, 255][Int.random(in: 0..<5, using: &numbers)] }
    }

    private func expectScan(
        _ reader: any StorageReader, _ expected: [[UInt8]: [UInt8]], _ seed: UInt64, _ numbers: inout SeededNumbers
    ) {
        let from = randomKey(&numbers)
        let upTo = Bool.random(using: &numbers) ? randomKey(&numbers) : nil
        let reversed = Bool.random(using: &numbers)
        let limit = Bool.random(using: &numbers) ? 3 : Int.max
        var keys = expected.keys.filter { key in
            !key.lexicographicallyPrecedes(from) && upTo.map { key.lexicographicallyPrecedes($0) } ?? true
        }
        .sorted { $0.lexicographicallyPrecedes($1) }
        if reversed { keys.reverse() }
        let wanted = keys.prefix(limit).map { [$0, expected[$0] ?? []] }
        let found = reader.entries(20, from: from, upTo: upTo, reversed: reversed, limit: limit)
        #expect(reader.count(tree: 20, from: from, upTo: upTo) == keys.count, "seed \(seed), from \(from)")
        #expect(found == wanted, "seed \(seed), from \(from), up to \(String(describing: upTo)), reversed \(reversed)")
    }

    @Test("leaves come back as they were written, replaced or removed", arguments: StorageBackend.allCases)
    func leaves(backend: StorageBackend) throws {
        let storage = try backend.open("leaves", inMemory: true)
        var writer = try storage.write()
        for size in [0, 1, 2030, 2031, 4080, 8176, 100_000] {
            writer.replaceLeaf(9, UInt32(size), (0..<size).map { UInt8(truncatingIfNeeded: $0) })
        }
        _ = try writer.commit(.durable)
        writer = try storage.write()
        writer.removeLeaf(column: 9, number: 2030)
        writer.replaceLeaf(9, 1, [7, 7])
        #expect(writer.leafBytes(9, 2030) == nil)
        #expect(writer.leafBytes(9, 1) == [7, 7])
        #expect(writer.leafBytes(9, 8176)?.count == 8176)
        let snapshot = try writer.commit(.durable)
        #expect(snapshot.leafBytes(9, 2030) == nil)
        #expect(snapshot.leafBytes(9, 1) == [7, 7])
        #expect(snapshot.leafBytes(9, 100_000)?.last == UInt8(truncatingIfNeeded: 99_999))
    }

    @Test("a key that is too long makes the commit fail, and nothing of it stays", arguments: StorageBackend.allCases)
    func longKey(backend: StorageBackend) throws {
        let storage = try backend.open("long", inMemory: true)
        let writer = try storage.write()
        writer.put(20, [1], [1])
        writer.put(20, Array(repeating: 1, count: maximumKeyBytes + 1), [])
        #expect(throws: StorageError.self) { try writer.commit(.durable) }
        #expect(try storage.snapshot().get(20, [1]) == nil)
        let next = try storage.write()
        next.put(20, Array(repeating: 1, count: maximumKeyBytes), [2])
        #expect(try next.commit(.durable).get(20, Array(repeating: 1, count: maximumKeyBytes)) == [2])
    }

    /// @unchecked: handed from one thread to the next, never shared.
    private struct Moved<Value>: @unchecked Sendable {
        var value: Value
    }

    @Test("a write begins on one thread, goes on and commits on others", arguments: StorageBackend.allCases)
    func movesBetweenThreads(backend: StorageBackend) async throws {
        let storage = try backend.open("moving", inMemory: true)
        for round in UInt8(0)..<20 {
            let writer = Moved(value: try storage.write())
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue(label: "other").async {
                    writer.value.put(20, [round], [round])
                    continuation.resume(with: Result { _ = try writer.value.commit(.durable) })
                }
            }
        }
        #expect(try storage.snapshot().entries(20).count == 20)
    }

    @Test(
        "writers go in the order they came, and each sees what the one before did", arguments: StorageBackend.allCases)
    func fifo(backend: StorageBackend) throws {
        let storage = try backend.open("queue", inMemory: true)
        let order = Mutex<[Int]>([])
        let first = try storage.write()
        let group = DispatchGroup()
        for number in 0..<20 {
            group.enter()
            storage.reserveWrite { reservation in
                order.withLock { $0.append(number) }
                if let writer = try? storage.write(using: reservation) {
                    writer.put(20, [1], [(writer.get(20, [1])?.first ?? 0) + 1])
                    _ = try? writer.commit(.durable)
                }
                group.leave()
            }
        }
        #expect(order.withLock { $0.isEmpty })
        first.abort()
        group.wait()
        #expect(order.withLock { $0 } == Array(0..<20))
        #expect(try storage.snapshot().get(20, [1]) == [20])
    }

    @Test("a reservation that is dropped lets the next writer go, and serves once", arguments: StorageBackend.allCases)
    func reservations(backend: StorageBackend) throws {
        let storage = try backend.open("reserved", inMemory: true)
        let other = try backend.open("another", inMemory: true)
        let kept = Mutex<WriteReservation?>(nil)
        let granted = DispatchSemaphore(value: 0)
        storage.reserveWrite { reservation in
            kept.withLock { $0 = reservation }
            granted.signal()
        }
        granted.wait()
        let reservation = try #require(kept.withLock { $0 })
        #expect(throws: StorageError.self) { try other.write(using: reservation) }
        try storage.write(using: reservation).abort()
        #expect(throws: StorageError.self) { try storage.write(using: reservation) }
        storage.reserveWrite { _ in }
        try storage.write().abort()
    }

    @Test("many threads read their snapshots, and share one, while one writes", arguments: StorageBackend.allCases)
    func concurrentReaders(backend: StorageBackend) async throws {
        let storage = try backend.open(folder.file("many.realm"))
        let writer = try storage.write()
        writer.put(20, [1], [0, 0])
        let shared = try writer.commit(.relaxed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    for _ in 0..<300 {
                        let snapshot = try storage.snapshot()
                        let pair = try #require(snapshot.get(20, [1]))
                        #expect(pair[0] == pair[1])
                        let leaf = snapshot.leafBytes(3, 0) ?? []
                        #expect(leaf.allSatisfy { $0 == pair[0] })
                        #expect(shared.get(20, [1]) == [0, 0])
                    }
                }
            }
            group.addTask {
                for round in 0..<200 {
                    let number = UInt8(truncatingIfNeeded: round)
                    let writer = try storage.write()
                    writer.put(20, [1], [number, number])
                    writer.replaceLeaf(3, 0, Array(repeating: number, count: 8176))
                    _ = try writer.commit(.relaxed)
                }
            }
            try await group.waitForAll()
        }
    }
}
