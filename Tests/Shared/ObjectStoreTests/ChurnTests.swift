import CausewayFolders
import CausewayModel
import CausewayQuery
import CausewaySeeds
import CausewayStorage
import Glibc
import Testing

@testable import CausewayObjectStore

/// Objects that come and go leave nothing behind.
@Suite("Room of deleted objects")
struct ChurnTests {
    private static let seeds = SeedList.drawn(for: "leaf-ranges", count: 20)

    private static let schema = Schema([
        ClassSchema(
            name: "Job",
            properties: [
                Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "n", type: .int, isIndexed: true),
                Property(name: "title", type: .string),
            ])
    ])

    /// Thousands of objects; a longer run asks for more.
    private static var rounds: Int {
        getenv("CAUSEWAY_CHURN_THOUSANDS").flatMap { Int(String(cString: $0)) } ?? 200
    }

    private typealias Samples = [Duration]

    /// What this thread works, whatever else the machine does.
    private static func cpuTime(_ body: () throws -> Void) rethrows -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let begun = now()
        try body()
        return now() - begun
    }

    private static func median(_ samples: some Sequence<Duration>) -> Duration {
        let sorted = samples.sorted()
        return sorted[sorted.count / 2]
    }

    @Test("hundreds of thousands of objects that are made and deleted, with ten alive, take the room of a few")
    func bounded() throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        let store = try ObjectStore.open(path: folder.file("churn"))
        let transaction = try store.write()
        try transaction.extendSchema(Self.schema)
        let jobs = try transaction.existing("Job")
        var sizes: [Int] = []
        var (commits, firstReads): (Samples, Samples) = ([], [])
        for round in 0..<Int64(Self.rounds) {
            if round > 0 { try transaction.beginWriting() }
            for number in Int64(0)..<1000 {
                _ = try jobs.create(
                    .int(round * 1000 + number), row: [.null, .int(number % 7), .string("job \(number)")])
            }
            // The first object stays; of the others the last nine.
            jobs.delete(jobs.allKeys.filter { $0.rawValue > 0 && $0.rawValue < round * 1000 + 991 })
            commits.append(try Self.cpuTime { try transaction.commit(.relaxed) })
            if round % 10 == 9 {
                sizes.append(try store.statistics().usedBytes)
                firstReads.append(
                    try Self.cpuTime {
                        let reader = try store.read()
                        #expect(try reader.existing("Job").key(for: .int(0)) == ObjectKey(0))
                    })
            }
            #expect(jobs.leafNumbers.count <= 3 && jobs.deadLeaves.ranges.count <= 1)
        }
        #expect(jobs.count == 10)
        for (name, samples) in [("commit", commits), ("first read", firstReads)] {
            let (early, late) = (
                Self.median(samples.prefix(samples.count / 5)), Self.median(samples.suffix(samples.count / 5))
            )
            #expect(late < early * 3, "a \(name) took \(early) at first and \(late) at last")
        }
        // A page for every thousand would be more, and the record of a thousand commits is less.
        #expect(sizes.max() ?? 0 < 1 << 19, "\(sizes)")
        #expect(try store.statistics().leaves <= 3 * 6)
        #expect(try store.verify().problems == [])

        let fresh = try store.read()
        let table = try fresh.existing("Job")
        #expect(table.leafNumbers.count <= 3)
        #expect(table.allKeys == jobs.allKeys && table.allKeys.first == ObjectKey(0))
        // A key in a leaf that is gone names nothing, and reads as nothing.
        #expect(!table.exists(ObjectKey(5000)) && !table.isGhost(ObjectKey(5000)))
        #expect(table.key(for: .int(5000)) == nil)
        #expect(try fresh.count("Job", matching: .constant(true)) == 10)
        table.delete([])
        #expect(table.nextKey == Int64(Self.rounds) * 1000)
    }

    @Test("leaves that died come back with the write that is undone, and a ghost keeps its leaf")
    func undone() throws {
        let store = try openInMemory("undone deaths")
        let transaction = try store.write()
        try transaction.extendSchema(
            Schema([
                ClassSchema(
                    name: "Job",
                    properties: [
                        Property(name: "id", type: .int, isPrimaryKey: true),
                        Property(name: "next", type: .object, isOptional: true, target: "Job"),
                    ])
            ]))
        let jobs = try transaction.existing("Job")
        for number in Int64(0)..<4000 { _ = try jobs.create(.int(number)) }
        jobs.set(ObjectKey(3500), 1, .object(ObjectKey(1500)))
        try transaction.commit()
        for isAborted in [true, false] {
            try transaction.beginWriting()
            jobs.delete(jobs.allKeys.filter { $0.rawValue < 3000 }, leavingGhosts: true)
            #expect(jobs.count == 1000)
            if isAborted {
                transaction.abort()
                #expect(jobs.count == 4000 && jobs.deadLeaves.isEmpty && jobs.exists(ObjectKey(10)))
            } else {
                try transaction.commit()
            }
        }
        #expect(jobs.deadLeaves.ranges == [0..<1, 2..<3])
        #expect(jobs.isGhost(ObjectKey(1500)) && !jobs.exists(ObjectKey(10)))
        try transaction.beginWriting()
        #expect(try jobs.create(.int(1500)) == ObjectKey(1500))
        #expect(try jobs.create(.int(10)) == ObjectKey(4000))
        try transaction.commit()
        #expect(jobs.allKeys.first == ObjectKey(1500))
        #expect(try store.verify().problems == [])
        // Another transaction, another process, sees the same.
        let other = try store.read()
        #expect(try other.existing("Job").allKeys == jobs.allKeys)
        try transaction.beginWriting()
        jobs.delete(ObjectKey(1500))
        try transaction.commit()
        #expect(jobs.deadLeaves.ranges == [0..<3])
        #expect(try other.advance())
        #expect(try other.existing("Job").allKeys == jobs.allKeys)
        #expect(try store.verify().problems == [])
    }

    @Test("ranges of leaves are what a set of numbers is", arguments: seeds)
    func ranges(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        var ranges = LeafRanges()
        var expected: Set<Int> = []
        let limit = 60
        for _ in 0..<numbers.below(70) {
            let number = numbers.below(limit)
            ranges.insert(number)
            expected.insert(number)
            #expect(ranges.count == expected.count)
            #expect((0..<limit).allSatisfy { ranges.contains($0) == expected.contains($0) }, "seed \(seed)")
        }
        let bytes = ranges.encoded
        #expect(try bytes.withUnsafeBytes { try LeafRanges(encoded: $0, limit: limit) } == ranges)
        let live = LiveLeaves(upTo: limit, without: ranges)
        #expect(Array(live) == (0..<limit).filter { !expected.contains($0) }, "seed \(seed)")
        #expect(live.count == limit - expected.count)
        #expect(Array(live.within(13..<37)) == (13..<37).filter { !expected.contains($0) }, "seed \(seed)")
        if let last = expected.max() {
            #expect(throws: RecordReader.Damage.self) {
                try bytes.withUnsafeBytes { try LeafRanges(encoded: $0, limit: last) }
            }
        }
    }
}
