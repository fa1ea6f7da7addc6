import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Testing

/// How far back the history reaches, by each of its three bounds.
@Suite("The bounds of the history")
struct HistoryBoundTests {
    private func start(of record: Record) throws -> UInt64 {
        try record.store.snapshot().historyStart.rawValue
    }

    @Test("versions older than the age allowed go with the next commit, and younger ones stay")
    func age() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        for id in 1...10 as ClosedRange<Int64> { try record.write(Record.ann, create(dog(id))) }
        #expect(try start(of: record) == 0)
        record.time += 995
        try record.write(Record.ann, create(dog(11)))
        // Written at t + 1 … t + 10 and t + 1,006: what is older than a second before that goes.
        #expect(try start(of: record) == 5)
        #expect(try record.store.snapshot().history(after: ServerVersion(5), for: Record.bob).births.count == 1)
    }

    @Test("what is too old goes without a commit, too, and the versions go on")
    func withoutCommits() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        for id in 1...10 as ClosedRange<Int64> { try record.write(Record.ann, create(dog(id))) }
        #expect(try !record.store.maintain(at: record.time + 500))
        #expect(try start(of: record) == 0)
        #expect(try !record.store.maintain(at: record.time + 5_000))
        #expect(try start(of: record) == 10)
        #expect(try record.write(Record.ann, create(dog(11))).version == ServerVersion(11))
        #expect(try record.store.snapshot().history(after: ServerVersion(10), for: Record.bob).births.count == 1)
    }

    @Test("a clock that is set back lets nothing go early, nor keep anything for longer")
    func clockSetBack() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        try record.write(Record.ann, create(dog(1)))
        record.time -= 900_000
        try record.write(Record.ann, create(dog(2)))
        #expect(try start(of: record) == 0)
        record.time += 902_000
        try record.write(Record.ann, create(dog(3)))
        #expect(try start(of: record) == 2)
    }

    @Test("after a long pause each commit lets a bounded part go, until nothing is over the bound")
    func amortised() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 10_000))
        for id in 1...600 as ClosedRange<Int64> { try record.write(Record.ann, create(dog(id))) }
        record.time += 1_000_000
        var starts: [UInt64] = []
        for id in 601...606 as ClosedRange<Int64> {
            try record.write(Record.ann, create(dog(id)))
            starts.append(try start(of: record))
        }
        #expect(starts == [130, 260, 390, 520, 600, 600])
        // Nobody commits: the same in larger parts.
        #expect(try !record.store.maintain(at: record.time + 20_000))
        #expect(try start(of: record) == 606)
    }

    @Test("number and size bound it as well")
    func versionsAndBytes() throws {
        let few = try Record(options: StoreEmbedded.Options(historyVersionsMax: 3))
        let small = try Record(options: StoreEmbedded.Options(historyBytesMax: 1_000))
        for id in 1...100 as ClosedRange<Int64> {
            try few.write(Record.ann, create(dog(id)))
            try small.write(Record.ann, create(dog(id)))
        }
        #expect(try start(of: few) == 97)
        #expect((80..<100).contains(try start(of: small)))
    }
}
