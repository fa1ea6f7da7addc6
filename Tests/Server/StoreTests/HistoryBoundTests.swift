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

    @Test("one reading of a clock that is far ahead trims nothing, and does not stop what comes after it")
    func oneBadReading() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        for id in 1...5 as ClosedRange<Int64> { try record.write(Record.ann, create(dog(id))) }
        let time = record.time
        for future in [4_070_908_800_000, UInt64.max - 1] {
            record.time = future
            try record.write(Record.ann, at: time, create(dog(Int64(future % 1_000))))
            record.time = future
            // Of a device that was told the wrong time.
            try record.write(Record.bob, at: 4_070_908_800_000, set(dog(2), "name", .string("ahead")))
            #expect(try !record.store.maintain(at: future))
            #expect(try start(of: record) == 0)
            record.time = time
        }
        // The good clock goes on: the versions that it wrote go when they are old, those of the bad moment with them.
        record.time = time + 2_000
        try record.write(Record.ann, create(dog(100)))
        #expect(try start(of: record) == 9)
        // Nor does it let stamps pass that are ahead of the good clock.
        try record.write(Record.bob, at: 4_000_000_000_000, set(dog(1), "name", .string("ahead")))
        record.time += 1_000
        try record.write(Record.ann, set(dog(1), "name", .string("now")), set(dog(2), "name", .string("now")))
        #expect(try record.dog(1)?["name"] == .string("now") && record.dog(2)?["name"] == .string("now"))
    }

    @Test("a pause in which nobody commits is no leap while the server runs")
    func longPause() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        try record.write(Record.ann, create(dog(1)))
        for _ in 0..<100 {
            record.time += 20_000_000
            _ = try record.store.maintain(at: record.time)
        }
        #expect(try start(of: record) == 1)
        try record.write(Record.ann, create(dog(2)))
        try record.write(Record.bob, at: record.time, set(dog(2), "name", .string("bob")))
        try record.write(Record.ann, at: record.time - 10_000, set(dog(2), "name", .string("late")))
        #expect(try record.dog(2)?["name"] == .string("bob"))
    }

    @Test("a leap that lasts is believed, forwards and back; what was received before it begins its age anew")
    func lastingLeap() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 1_000))
        let day: UInt64 = 86_400_000
        func expect(_ number: UInt64, at time: UInt64) throws {
            #expect(try !record.store.maintain(at: time))
            #expect(try start(of: record) == number)
        }
        let time = record.time
        try record.write(Record.ann, create(dog(1)))
        let future = time + 400 * day
        record.time = future
        try record.write(Record.ann, create(dog(2)))
        try expect(0, at: future + 600_000)
        record.time = future + 600_000
        // Ten minutes were enough.
        try record.write(Record.ann, create(dog(3)))
        try expect(0, at: future + 600_900)
        // It was wrong after all. While nobody commits it is read as well.
        record.time = time + 10_000
        try record.write(Record.ann, create(dog(4)))
        try expect(0, at: time + 20_000)
        try expect(0, at: time + 620_000)
        try expect(0, at: time + 620_900)
        record.time = time + 620_950
        try record.write(Record.ann, create(dog(5)))
        try expect(4, at: time + 621_100)
        try expect(5, at: time + 622_000)
    }

    @Test("a clock that leaps to and fro is never believed")
    func restlessClock() throws {
        let record = try Record(options: StoreEmbedded.Options(historyAgeMaxMilliseconds: 100_000_000))
        let time = record.time
        for minute in 0..<60 as Range<UInt64> {
            record.time = time + minute * 60_000 + (minute % 5 == 0 ? 0 : 4_070_908_800_000)
            try record.write(Record.ann, at: time, create(dog(Int64(minute))))
        }
        try record.write(Record.bob, at: 4_000_000_000_000, set(dog(1), "name", .string("ahead")))
        record.time = time + 3_600_000
        try record.write(Record.ann, set(dog(1), "name", .string("now")))
        #expect(try record.dog(1)?["name"] == .string("now"))
        #expect(try start(of: record) == 0)
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
