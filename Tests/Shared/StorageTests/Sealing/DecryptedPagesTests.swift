import CausewayFolders
import CausewaySeeds
import CausewayStorageOracle
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import CausewayStorage

/// How much of an encrypted file lies decrypted in memory, and that nobody misses what went.
@Suite("Decrypted pages", .timeLimit(.minutes(10)))
struct DecryptedPagesTests {
    private static let seeds = SeedList.drawn(for: "decrypted-pages", count: 1)

    private static let limitBytes = 1 << 20
    private static let leafBytes = 20_000
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(waitsForDisk: false)
    }

    private func open(_ name: String = "a.realm", limitBytes: Int = limitBytes) throws -> PageStorage {
        var options = StorageOptions(mapSizeBytes: 1 << 28, encryptionKey: StorageBackend.key)
        options.decryptedBytesMaximum = limitBytes
        let storage = try StorageRegistry.shared.open(path: folder.file(name), options: options)
        return try #require(storage as? PageStorage)
    }

    private static func content(_ number: UInt32) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 7 &+ 1), count: leafBytes)
    }

    /// Leaves of 8 MB together, and as many entries of trees.
    private static let leaves = UInt32(0)..<400

    private func fill(_ storage: PageStorage) throws {
        let writer = try storage.write()
        for number in Self.leaves {
            writer.replaceLeaf(1, number, Self.content(number))
            for part in UInt8(0)..<20 { writer.put(2, Self.key(number, part), Array(Self.content(number)[..<1000])) }
        }
        _ = try writer.commit(.relaxed)
    }

    private static func key(_ number: UInt32, _ part: UInt8) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 255), part]
    }

    private func expectSound(_ snapshot: any StorageSnapshot, _ number: UInt32) {
        #expect(snapshot.leafBytes(1, number) == Self.content(number))
        #expect(snapshot.get(2, Self.key(number, 19)) == Array(Self.content(number)[..<1000]))
    }

    @Test("what many snapshots read of a file stays within the limit, in the books and in memory")
    func manySnapshots() throws {
        let storage = try open()
        try fill(storage)
        let pages = try #require(storage.file.space.decrypted)
        for number in Self.leaves {
            expectSound(try storage.snapshot(), number)
            // The storage keeps the newest snapshot for a moment, until that uses an eighth of the limit.
            #expect(pages.bytes <= Self.limitBytes + Self.limitBytes / 4)
        }
        #expect(pages.bytes > Self.limitBytes / 2)
        #expect(pages.memory.residentBytes <= Self.limitBytes + Self.limitBytes / 4)
        #expect(try storage.snapshot().damage == nil)
    }

    @Test("a reader that goes on in renewed snapshots reads the whole file of one state, and stays within the limit")
    func renewedSnapshots() throws {
        let storage = try open()
        try fill(storage)
        let pages = try #require(storage.file.space.decrypted)
        var snapshot = try storage.snapshot()
        let version = snapshot.version
        // The state goes on being read after it is no longer the newest, and its pages are free for others but for us.
        for round in UInt8(0)..<8 {
            let writer = try storage.write()
            for number in Self.leaves where number % 2 == 0 { writer.replaceLeaf(1, number, [round]) }
            _ = try writer.commit(.relaxed)
        }
        for number in Self.leaves {
            if snapshot.isCrowded { snapshot = try #require(snapshot.renewed()) }
            #expect(snapshot.version == version)
            expectSound(snapshot, number)
            #expect(pages.bytes <= Self.limitBytes + Self.limitBytes / 2)
        }
        #expect(pages.memory.residentBytes <= Self.limitBytes + Self.limitBytes / 2)
    }

    @Test("what a snapshot has handed out stays as it is, whatever others read, and goes with the snapshot")
    func pointersHold() throws {
        let storage = try open()
        try fill(storage)
        let pages = try #require(storage.file.space.decrypted)
        var held: (any StorageSnapshot)? = try storage.snapshot()
        let leaves = Self.leaves.filter { $0 % 3 == 0 }
        let pointers = leaves.compactMap { held?.leaf(column: 1, number: $0) }
        #expect(pointers.count == leaves.count)
        // More than the limit is in use now, so everything else goes at once.
        for number in Self.leaves { expectSound(try storage.snapshot(), number) }
        for (number, pointer) in zip(leaves, pointers) {
            #expect(pointer.elementsEqual(Self.content(number)), "leaf \(number)")
        }
        #expect(pages.bytes > 2 * Self.limitBytes)
        held = nil
        _ = try storage.write().commit(.relaxed)
        #expect(pages.bytes <= Self.limitBytes)
        #expect(pages.memory.residentBytes <= Self.limitBytes)
    }

    @Test("a look through the whole file keeps little of it in memory")
    func verifying() throws {
        let storage = try open()
        try fill(storage)
        let probe = try storage.file.space.probe()
        var verification = Verification(probe, try storage.pageSnapshot().header)
        let report = verification.run { _, _ in }
        #expect(report.problems == [] && report.leaves == Self.leaves.count)
        let pages = try #require(probe.decrypted)
        #expect(pages.bytes <= Self.limitBytes && pages.bytes > Self.limitBytes / 2)
        #expect(pages.memory.residentBytes <= Self.limitBytes)
    }

    @Test("leaves that are copied to another file go when they are written")
    func copying() throws {
        let storage = try open()
        try fill(storage)
        let snapshot = try storage.pageSnapshot()
        let view = try storage.file.space.view()
        let pages = try #require(view.decrypted)
        let output = try WatchingOutput(pages)
        let root = try LeafDirectory(space: view, root: snapshot.header.state.directory).copy(to: output)
        view.end()
        #expect(root.leafCount == Self.leaves.count && output.runs == Self.leaves.count)
        #expect(output.mostBytes <= Self.limitBytes)
        let copy = folder.file("copy.realm")
        try storage.copy(to: copy, key: nil)
        let copied = try StorageRegistry.shared.open(path: copy, options: StorageOptions()).snapshot()
        for number in Self.leaves { expectSound(copied, number) }
    }

    @Test(
        "with hardly any room for decrypted pages, many read and write at once what dictionaries say",
        arguments: seeds)
    func concurrently(seed: UInt64) throws {
        let storage = try open(limitBytes: 32 << 10)
        let universe = Universe()
        try universe.write(storage, seed: seed, commits: 1)
        DispatchQueue.concurrentPerform(iterations: 6) { worker in
            let seed = seed &+ UInt64(worker) &+ 1
            do {
                if worker < 2 {
                    try universe.write(storage, seed: seed, commits: 60)
                } else {
                    try universe.read(storage, seed: seed, rounds: 60)
                }
            } catch {
                universe.note("\(error)")
            }
        }
        #expect(universe.contradictions == [], "seed \(seed)")
        let pages = try #require(storage.file.space.decrypted)
        _ = try storage.write().commit(.relaxed)
        #expect(pages.bytes <= 32 << 10, "seed \(seed)")
        #expect(try storage.verify { _, _ in }.problems == [], "seed \(seed)")
    }
}

/// Takes pages, and looks how many lie decrypted meanwhile.
private final class WatchingOutput: PageOutput {
    let space: PageSpace
    let birth: UInt64 = 7
    private let pages: DecryptedPages
    private let page = UnsafeMutableRawPointer.allocate(byteCount: Pages.sizeBytes, alignment: 16)
    private(set) var runs = 0
    private(set) var mostBytes = 0

    init(_ pages: DecryptedPages) throws {
        self.pages = pages
        space = try PageSpace(pages)
    }

    deinit {
        page.deallocate()
    }

    var needsRuns: Bool { false }

    func makePage() -> UnsafeMutableRawPointer {
        page.initializeMemory(as: UInt8.self, repeating: 0, count: Pages.sizeBytes)
        return page
    }

    func finish(
        _ page: UnsafeMutableRawPointer, kind: PageKind, level: UInt8, extent: UInt32
    ) throws(StorageError) -> PagePointer {
        PagePointer(page: 1 << 20, extent: extent, birth: birth, level: level, check: 0, checkHigh: 0)
    }

    func add(run bytes: UnsafeRawBufferPointer) throws(StorageError) -> PagePointer {
        runs += 1
        mostBytes = max(mostBytes, pages.bytes)
        return PagePointer(
            page: 1 << 20, extent: UInt32(bytes.count), birth: birth, level: 0, check: 0, checkHigh: 0)
    }

    func free(_ pointer: PagePointer, kind: PageKind) {}
}

extension ReservedMemory {
    /// How much of it the system keeps pages for.
    fileprivate var residentBytes: Int {
        var flags = [UInt8](repeating: 0, count: byteCount / Pages.sizeBytes)
        guard mincore(base, byteCount, &flags) == 0 else { return .max }
        return flags.reduce(0) { $0 + Int($1 & 1) } * Pages.sizeBytes
    }
}

/// What every version of a storage holds, as a dictionary.
private final class Universe: Sendable {
    private struct State {
        var content: [[UInt8]: [UInt8]] = [:]
        var leaves: [UInt32: [UInt8]] = [:]
    }

    private let states = Mutex<[UInt64: State]>([:])
    private let noted = Mutex<[String]>([])
    private static let keys = 300
    private static let leafNumbers = UInt32(0)..<60

    var contradictions: [String] { noted.withLock { $0 } }

    func note(_ contradiction: String) {
        noted.withLock { if $0.count < 20 { $0.append(contradiction) } }
    }

    private static func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    func write(_ storage: PageStorage, seed: UInt64, commits: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<commits {
            let writer = try storage.write()
            var state = states.withLock { $0[writer.version] } ?? State()
            for _ in 0..<numbers.number(1...30) {
                let key = Self.key(numbers.below(Self.keys))
                if numbers.once(in: 6) {
                    writer.remove(1, key)
                    state.content[key] = nil
                } else {
                    let count = numbers.once(in: 5) ? numbers.number(1001...9000) : numbers.number(0...300)
                    let value = numbers.bytes(count)
                    writer.put(1, key, value)
                    state.content[key] = value
                }
                let leaf = UInt32(numbers.below(Self.leafNumbers.count))
                let bytes = numbers.bytes(numbers.number(1...16_000))
                writer.replaceLeaf(1, leaf, bytes)
                state.leaves[leaf] = bytes
            }
            // Known before anybody can see the version.
            states.withLock { $0[writer.version + 1] = state }
            _ = try writer.commit(numbers.once(in: 10) ? .durable : .relaxed)
        }
    }

    func read(_ storage: PageStorage, seed: UInt64, rounds: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        var held: [Holding] = []
        for _ in 0..<rounds {
            let snapshot = try storage.snapshot()
            guard let state = states.withLock({ $0[snapshot.version] }) else {
                note("version \(snapshot.version) is nobody's")
                return
            }
            let renewed = numbers.once(in: 3) ? snapshot.renewed() ?? snapshot : snapshot
            held.append(Holding(snapshot: renewed, content: state.content, leaves: state.leaves))
            for _ in 0..<numbers.number(1...6) { check(&held[numbers.below(held.count)], &numbers) }
            if held.count > 4 || numbers.once(in: 3) { held.remove(at: numbers.below(held.count)) }
        }
    }

    /// A snapshot, and pointers that it handed out.
    private struct Holding {
        let snapshot: any StorageSnapshot
        let content: [[UInt8]: [UInt8]]
        let leaves: [UInt32: [UInt8]]
        var pointers: [(bytes: UnsafeRawBufferPointer, expected: [UInt8])] = []
    }

    private func check(_ held: inout Holding, _ numbers: inout SeededNumbers) {
        for (bytes, expected) in held.pointers where !bytes.elementsEqual(expected) {
            note("bytes changed that version \(held.snapshot.version) had handed out")
        }
        if numbers.once(in: 8) {
            let entries = held.snapshot.entries(1)
            let expected = held.content.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { [$0.key, $0.value] }
            if entries != expected { note("a scan of version \(held.snapshot.version) shows something else") }
        }
        for _ in 0..<numbers.number(1...12) {
            let key = Self.key(numbers.below(Self.keys))
            let value = key.withUnsafeBytes { held.snapshot.get(tree: 1, key: $0) }
            if value.map({ Array($0) }) != held.content[key] { note("version \(held.snapshot.version), key \(key)") }
            if let value, let expected = held.content[key] { held.pointers.append((value, expected)) }
            let number = UInt32(numbers.below(Self.leafNumbers.count))
            let leaf = held.snapshot.leaf(column: 1, number: number)
            if leaf.map({ Array($0) }) != held.leaves[number] {
                note("version \(held.snapshot.version), leaf \(number)")
            }
            if let leaf, let expected = held.leaves[number] { held.pointers.append((leaf, expected)) }
        }
        if let damage = held.snapshot.damage { note("\(damage)") }
    }
}
